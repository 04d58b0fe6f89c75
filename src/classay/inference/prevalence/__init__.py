"""Measures at another prevalence than that of the cases."""
