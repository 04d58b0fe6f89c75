"""Deciding alone with a guarantee: the share of cases that a classifier may decide at a limited risk."""
