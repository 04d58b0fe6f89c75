"""Learners over the same folds: the training sets are random."""
