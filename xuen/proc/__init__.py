"""One way to run a command: begun, watched, its output captured and cleaned, ended with all that it started."""
