"""The configuration: what can be set (`model`) and how it is read (`load`)."""
