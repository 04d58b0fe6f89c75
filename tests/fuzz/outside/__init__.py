"""Targets from outside: files, commands, databases and names."""
