"""Hypothesis without deadlines: a busy machine is not an error, and no test is about time.

50 examples, where a test does not say otherwise: each run draws others.
"""

from hypothesis import settings

settings.register_profile("classay", deadline=None, max_examples=50)
settings.load_profile("classay")
