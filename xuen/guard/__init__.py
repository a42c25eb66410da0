"""The round guard: nothing is lost, nothing gets worse."""
