"""xuen: an outside agent works on an open question round after round, and only better results stay."""

__version__ = "0.1.0"
