"""Grades that others gave: logs of evaluations of language models, and tables of ratings and scores."""
