"""Checklists of reporting standards, filled with what a result knows."""
