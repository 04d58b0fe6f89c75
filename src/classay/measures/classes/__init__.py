"""Measures of several classes: averages over classes, and over pairs of them."""
