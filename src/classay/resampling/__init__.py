"""Evaluating learners: protocols, fits, runs that last, and checks of the data. Here scikit-learn may be imported."""
