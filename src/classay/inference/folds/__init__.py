"""Estimates over resamples of one data set, whose training sets overlap."""
