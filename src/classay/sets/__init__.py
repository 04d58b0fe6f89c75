"""Prediction sets: how often a set of labels has the true one, and how large the sets are."""
