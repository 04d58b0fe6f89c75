"""Intervals, tests and chance bands of calibration."""
