"""The measures that most readers want, of all cases and of some of them, and how many cases these need."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.task import OtherTask
from classay.assessment.views import called, sampled_table
from classay.inference.design import design_of
from classay.measures import Measure, get
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.tables import ScoreTable
from classay.tables.own import OwnTable
from classay.tables.sums import equal_cases

Array = NDArray[Any]
FEW = 10
"""Cases that a rate must rest on, in the group and in its reference, for their difference to be told."""
MAIN = ("roc_auc", "accuracy", "recall", "specificity", "precision", "brier_score")
MAIN_UNCALLED = ("roc_auc", "average_precision", "brier_score")
MAIN_SEVERAL = ("accuracy", "balanced_accuracy", "macro_f1", "macro_roc_auc", "log_loss")
"""What most readers want of each group: of two classes, of their scores alone, of several classes."""


def main_measures(a: Assessment) -> tuple[str, ...]:
    """Return the measures that most readers want of each group, of those that an assessment has."""
    wanted: tuple[str, ...]
    wanted = MAIN_SEVERAL if not a.is_binary else MAIN if a.confusion_matrix is not None else MAIN_UNCALLED
    wanted = a.task.main if isinstance(a.task, OtherTask) else wanted
    known = {measure.name for measure in a.applicable()}
    improper = is_improper(a)
    shown = (name for name in wanted if name in known and not (improper and of_probabilities(name)))
    ranks_no_cases = a.raw_scores and not a.is_binary
    return tuple(name for name in shown if not (ranks_no_cases and get(name).needs == "class_scores"))


def too_few(measure: Measure, a: Assessment, where: str) -> str:
    """Return why a difference cannot rest on these cases, if they are too few; `where` they are."""
    is_mean = measure.parts is None and measure.moments is not None and measure.name not in IS_OF_POSITIVES
    if is_mean and a.is_binary and not a.class_totals.all():
        return f"too few cases{where}: all cases are of one class"
    return few_said(resting_on(measure, a), where)


IS_OF_POSITIVES = {"mean_probability_of_positives": True, "mean_probability_of_negatives": False}
"""Means over the cases of one class, and whether it is the positive one."""


NEEDED = f"but a difference needs {FEW}"
"""How the reason ends that there are too few cases."""


def few_said(cases: float, where: str) -> str:
    """Return why a difference cannot rest on so many cases, if they are too few."""
    if cases >= FEW:
        return ""
    return f"too few cases{where}: {cases:.3g}, {NEEDED}"


def resting_on(measure: Measure, a: Assessment) -> float:
    """Cases that a measure rests on: those a proportion or a mean is of, else those of the smaller class.

    Of several classes, all cases; of sampling weights, as many equal cases as would say as much as these, whatever the
    others weigh (Kish 1965, Survey Sampling).
    """
    table = a.table(measure)
    if isinstance(table, OwnTable):
        return float(design_of(table).number)
    totals, squares = a.class_totals, _squares_of_classes(a)
    if measure.parts is not None and not isinstance(table, str):
        cases = float(measure.parts(*measure.read((table,)))[1])
        squared = None
        if a.confusion_matrix is not None:
            there, label = called(a, measure), measure.class_among(a.labels, a.positive)
            squared = sampled_table(a if isinstance(there, str) else there, table, label).squares
        if squared is None:
            return cases * effective_share(a)
        return float(equal_cases(cases, float(measure.parts(*measure.read((squared,)))[1])))
    if measure.name in IS_OF_POSITIVES:
        is_own = np.equal([label == a.positive for label in a.labels], IS_OF_POSITIVES[measure.name])
        return float(equal_cases(float(totals[is_own].sum()), float(squares[is_own].sum())))
    if measure.moments is None and a.is_binary:
        return float(np.min(equal_cases(totals, squares)))
    return float(equal_cases(float(totals.sum()), float(squares.sum())))


def effective_share(a: Assessment) -> float:
    """Effective cases for each unit of weight, (sum w)² / sum w² / sum w."""
    return float(a.class_totals.sum() / _squares_of_classes(a).sum())


def _squares_of_classes(a: Assessment) -> Array:
    """Return the sum of the squared weights of the cases of each class, as far as a table knows them."""
    totals = np.asarray(a.class_totals)
    if a.kind_of_weight != "sampling":
        return totals
    squared = None if a.confusion_matrix is None else a.confusion_matrix.of_squares
    if squared is not None:
        return np.asarray(squared.margins.true[: len(a.labels)])
    if isinstance(a.scores, ScoreTable) and a.scores.is_weighted:
        of_negatives, of_positives = a.scores.negative_squares, a.scores.positive_squares
        of_class = [of_positives if label == a.positive else of_negatives for label in a.labels]
        return np.array([squares.sum() for squares in of_class if squares is not None])
    return np.asarray(totals * (float(totals.sum()) / a.rows))


def is_improper(a: Assessment) -> bool:
    """Check whether there are scores, and they cannot be read as probabilities."""
    table = a.scores if a.is_binary else a.cases
    return table is not None and not table.are_probabilities


def of_probabilities(name: str) -> bool:
    """Check whether a measure is one of probabilities."""
    return NOT_PROBABILITIES in get(name).undefined
