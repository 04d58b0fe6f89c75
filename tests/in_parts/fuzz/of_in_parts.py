"""What counting part by part adds to the fuzzer."""

from importlib import import_module

SHARES = {"scans": 3, "parts": 3, "databases": 2}
"""The targets, and how many of all inputs are of each, as parts."""
IGNORED_WARNINGS = (("classay.in_parts.fragments", "CopiedRowsWarning"),)  # small files that hold the same


def steps():
    """What a step of a program does, by its name."""
    return import_module(f"{__package__}.steps_in_parts").STEPS
