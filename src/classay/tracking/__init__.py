"""Results in programs that keep track of runs."""
