"""Evaluating learners: protocols, runs that last, and checks of the data. Here scikit-learn may be imported."""
