"""Walls around the commands of an agent, where the system can make them."""
