"""Remedies: what may help a learner that errs, tried beside it on the same folds, and what that shows."""
