"""Tables: small, labelled, mergeable sums of rows. Every measure is a function of one of them."""

from classay.tables.cases import CaseTable
from classay.tables.class_scores import ClassScoreTable
from classay.tables.confusion import BinaryCounts, ConfusionMatrix, Margins
from classay.tables.paired import PairedCounts, PairedTable
from classay.tables.scores import ScoreTable
from classay.tables.sums import ExactSum

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
