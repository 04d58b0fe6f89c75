"""Curves: each one function from a table to a Curve."""
