"""Durable files, standard library only."""
