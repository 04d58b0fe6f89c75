"""Scores of several classes: the table of them, the cases it keeps, and the sorted form that files hold."""

from classay.tables.classes.rows import ClassRows
from classay.tables.classes.runs import ClassRun, ClassRuns, JointCases
from classay.tables.classes.table import ClassScoreTable

__all__ = ["ClassRows", "ClassRun", "ClassRuns", "ClassScoreTable", "JointCases"]
