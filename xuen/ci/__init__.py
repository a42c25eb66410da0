"""Unattended runs on machines that are thrown away: the workspace on a branch of its own, and a model that answers."""
