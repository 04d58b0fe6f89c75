"""Intervals of measures of labels: of counts and of confusion matrices."""

import classay.inference.intervals  # noqa: F401 - methods stand in one order, whichever module is imported first
