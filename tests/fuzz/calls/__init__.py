"""Targets in Python: what its functions are called with."""
