"""What prediction sets add to the fuzzer."""

SHARES = {"prediction_sets": 2}
"""The target, and how many of all inputs are of it, as parts."""
IGNORED_WARNINGS = ()


def steps():
    """What a step of a program does, by its name."""
    return {}
