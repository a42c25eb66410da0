"""The loop: round after round, from the best so far."""
