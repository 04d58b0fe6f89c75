"""One classifier in groups of cases."""
