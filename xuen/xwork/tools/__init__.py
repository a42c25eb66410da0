"""The tools of xwork, one a file."""
