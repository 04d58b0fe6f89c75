"""Raters of the same cases: how far their labels agree, over new cases."""
