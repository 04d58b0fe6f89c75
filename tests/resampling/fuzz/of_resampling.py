"""What stores of runs add to the fuzzer."""

SHARES = {}
IGNORED_WARNINGS = (("classay.resampling.run_store", "StoreWarning"),)  # it says which result is damaged


def steps():
    """What a step of a program does, by its name."""
    return {}
