"""Clients of language models behind one protocol."""
