"""A sandbox for the commands of an agent, where the system supports one."""
