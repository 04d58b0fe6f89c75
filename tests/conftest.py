"""Hypothesis without deadlines: a busy machine is not an error, and no test is about time."""

from hypothesis import settings

settings.register_profile("classay", deadline=None)
settings.load_profile("classay")
