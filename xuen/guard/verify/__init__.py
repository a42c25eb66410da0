"""The verifiers; none knows the others."""
