"""Tables: small, labelled, mergeable sums of rows. Every measure is a function of one of them."""

from classay.tables.cases import CaseTable
from classay.tables.classes import ClassScoreTable
from classay.tables.confusion import BinaryCounts, ConfusionMatrix, Margins
from classay.tables.exact import ExactSum
from classay.tables.paired import PairedCounts, PairedTable
from classay.tables.scores import ScoreTable

__all__ = [
    "BinaryCounts",
    "CaseTable",
    "ClassScoreTable",
    "ConfusionMatrix",
    "ExactSum",
    "Margins",
    "PairedCounts",
    "PairedTable",
    "ScoreTable",
]
