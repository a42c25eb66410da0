"""The folder in which all state lives."""
