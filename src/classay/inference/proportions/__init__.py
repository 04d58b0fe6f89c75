"""Intervals of proportions and of their differences."""
