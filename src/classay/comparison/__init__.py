"""Comparing classifiers: on one test set, over folds, over data sets."""
