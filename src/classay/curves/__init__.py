"""Curves: each one function from a table to a Curve."""

from classay.curves import acting, of_scores  # noqa: F401 - curves stand in one order, whichever module is imported first
