"""Leaks: what a test may know more than it should."""
