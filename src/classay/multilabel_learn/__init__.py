"""Learners of several labels a case (tags), fold by fold."""
