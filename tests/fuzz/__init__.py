"""Fuzzing: inputs that nobody prepared, each held against one contract. `python -m tests.fuzz --help` says more."""
