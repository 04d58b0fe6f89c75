"""Measures of calibration: binned, smooth, cumulative; recalibration; parts of proper scores."""
