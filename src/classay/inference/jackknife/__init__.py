"""Measures with a part of the cases left out."""
