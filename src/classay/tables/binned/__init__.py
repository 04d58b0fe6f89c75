"""Scores in bins, for more rows than memory holds: counts that add up exactly, and what they are certain of."""
