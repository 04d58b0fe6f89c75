"""Fitting: named models, one fit on one split, and many of them on several processes."""
