"""Figures for journals: pictures of a result as lettered panels of a file."""
