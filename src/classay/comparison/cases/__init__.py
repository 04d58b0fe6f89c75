"""Models on one test set: the cases are random."""
