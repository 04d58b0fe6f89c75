"""Comparing classifiers: on one test set, over resamples, over data sets."""
