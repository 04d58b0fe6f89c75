"""Intervals, tests and chance bands of measures of scores, calibration included."""
