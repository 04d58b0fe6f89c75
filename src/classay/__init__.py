"""classay assays classifiers: from predictions to a judgement, with an honest interval on every number.

A measure is a function of a table: rows are checked once and reduced to small, mergeable tables, and every measure,
interval, merge and report is a pure function of tables.

>>> import classay as ca
>>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
>>> a["roc_auc"]
Estimate(0.750 [0.348, 0.939] 95 %, Newcombe-5)
"""

from classay.assessing import assess
from classay.assessment import Assessment
from classay.comparison.comparing import compare
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.gate import Gate, gate
from classay.errors import (
    ClassayError,
    FileError,
    InputError,
    MergeError,
    MissingExtraError,
    UnknownMeasureError,
)
from classay.grades import auc_grade
from classay.inference.estimate import Estimate
from classay.measures import MEASURES, Measure, macro, micro, per_class, weighted
from classay.saving import load
from classay.slices import Slice, Slices
from classay.slicing import assess_by
from classay.tables import ClassScoreTable, ConfusionMatrix, ScoreTable

__version__ = "0.1.0"

__all__ = [
    "MEASURES",
    "Assessment",
    "ClassScoreTable",
    "ClassayError",
    "Comparison",
    "Comparisons",
    "ConfusionMatrix",
    "Estimate",
    "FileError",
    "Gate",
    "InputError",
    "Measure",
    "MergeError",
    "MissingExtraError",
    "ScoreTable",
    "Slice",
    "Slices",
    "UnknownMeasureError",
    "assess",
    "assess_by",
    "auc_grade",
    "compare",
    "gate",
    "load",
    "macro",
    "micro",
    "per_class",
    "weighted",
]
