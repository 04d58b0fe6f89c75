"""Intervals, tests and chance bands of measures of scores, calibration included."""

import classay.inference.intervals  # noqa: F401 - methods stand in one order, whichever module is imported first
