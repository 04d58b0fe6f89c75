"""Keeping: finished folds in a store under their fingerprints, and evaluations in files."""
