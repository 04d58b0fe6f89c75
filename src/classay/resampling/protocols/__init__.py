"""Protocols: how cases are split, what the result estimates, and what is random in it."""
