"""Intervals of measures of scores."""
