"""What groups of cases are measured by, and on how many cases a measure of a group rests."""

from __future__ import annotations

from classay.assessment.assessment import Assessment
from classay.measures import Measure, get
from classay.measures.conditions import NOT_PROBABILITIES

FEW = 10
"""Cases that a rate must rest on, in the group and in its reference, for their difference to be told."""

MAIN = ("roc_auc", "accuracy", "recall", "specificity", "precision", "brier_score")
MAIN_UNCALLED = ("roc_auc", "average_precision", "brier_score")
MAIN_SEVERAL = ("accuracy", "balanced_accuracy", "macro_f1", "macro_roc_auc", "log_loss")
"""What most readers want of each group: of two classes, of their scores alone, of several classes."""


def main_measures(a: Assessment) -> tuple[str, ...]:
    """The measures that most readers want of each group, of those that an assessment has."""
    wanted = MAIN_SEVERAL if a.positive is None else MAIN if a.confusion_matrix is not None else MAIN_UNCALLED
    known = {measure.name for measure in a.applicable()}
    improper = is_improper(a)
    return tuple(name for name in wanted if name in known and not (improper and of_probabilities(name)))


def too_few(measure: Measure, a: Assessment, where: str) -> str:
    """Why a difference cannot rest on these cases, if they are too few; `where` they are."""
    is_mean = measure.parts is None and measure.moments is not None
    if is_mean and a.positive is not None and not a.class_totals.all():
        return f"too few cases{where}: none of one class, whose mean loss the others do not tell"
    cases = _resting_on(measure, a)
    if cases >= FEW:
        return ""
    return f"too few cases{where}: {cases:.3g} to rate, and a difference needs {FEW}"


def _resting_on(measure: Measure, a: Assessment) -> float:
    """Cases that a measure rests on: those a proportion is of, all of a mean loss, else of the smaller class.

    Of several classes, all cases; of sampling weights, as many equal cases as would say as much (Kish 1965, Survey
    Sampling).
    """
    table = a.table(measure)
    totals = a.class_totals
    if measure.parts is not None and not isinstance(table, str):
        cases = float(measure.parts(*measure.read((table,)))[1])
    elif measure.moments is None and a.positive is not None:
        cases = float(totals.min())
    else:
        cases = float(totals.sum())
    return cases * _effective_share(a)


def _effective_share(a: Assessment) -> float:
    """Effective cases for each unit of weight, (sum w)² / sum w² / sum w."""
    if a.kind_of_weight != "sampling":
        return 1.0
    if a.confusion_matrix is not None and a.confusion_matrix.squares is not None:
        squares = a.confusion_matrix.squares.sum()
    elif a.scores is not None and a.scores.is_weighted:
        squares = a.scores.positive_squares.sum() + a.scores.negative_squares.sum()  # type: ignore[union-attr]
    else:
        return a.rows / float(a.class_totals.sum())
    return float(a.class_totals.sum() / squares)


def is_improper(a: Assessment) -> bool:
    """Whether there are scores, and they cannot be read as probabilities."""
    table = a.scores if a.positive is not None else a.cases
    return table is not None and not table.are_probabilities


def of_probabilities(name: str) -> bool:
    """Whether a measure is one of probabilities."""
    return NOT_PROBABILITIES in get(name).undefined
