"""The conversation as it is kept: records, the ledger they add up to, the journal they stand in."""
