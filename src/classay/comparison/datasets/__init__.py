"""Models over data sets: the data sets are random."""
