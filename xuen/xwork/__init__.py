"""xwork: a small agent runtime of its own; xuen runs it as a subprocess like any other agent."""
