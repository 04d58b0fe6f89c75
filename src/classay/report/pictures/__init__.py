"""Drawings of curves, intervals and ranks; they compute nothing."""
