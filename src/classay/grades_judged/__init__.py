"""Grades of runs, corrected by human labels of some answers."""
