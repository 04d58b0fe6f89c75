"""Net reclassification and integrated discrimination of two models' probabilities, with what they do not show."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.answers import AnswerPolicy
from classay.assessment.assessing import of_predictions
from classay.assessment.assessment_warnings import column_warnings
from classay.columns.numbers import counted
from classay.columns.scales import conversion
from classay.comparison.cases.class_averages import slope_difference
from classay.errors import InputError
from classay.inference.design import Design
from classay.inference.estimate import Estimate
from classay.inference.proportions import tango
from classay.inference.significance import contrast
from classay.kinds import ScoreScale, checked
from classay.predictions import InputRows, check
from classay.shown import Reportable
from classay.tables import PairedCounts
from classay.warned import Warned, gathered

Array = NDArray[Any]
WARNING = (
    "NRI and IDI can favor a model that is not better, because a useless marker, or probabilities that are too "
    "extreme, can raise both. Compare log_loss, brier_score and net benefit of both models instead "
    "(Hilden & Gerds 2014, Statistics in Medicine 33:3405; Pepe et al. 2015, Statistics in Biosciences 7:282)."
)
"""What every report of these two measures should say."""


@dataclass(frozen=True)
class Reclassification(Reportable):
    """Net reclassification (NRI) and integrated discrimination improvement (IDI).

    They compare a new model with an old one.

    Attributes
    ----------
    nri : Estimate
        Sum of both parts, from -2 to 2. It is no proportion.
    nri_of_positives : Estimate
        Share of positives moved up minus that moved down.
    nri_of_negatives : Estimate
        Share of negatives moved down minus that moved up.
    idi : Estimate
        Difference of the discrimination slopes.
    cuts : tuple of float
        Bounds of the risk categories. Without any, every change of the probability is a move.
    positives, negatives : int
        Numbers of cases of each class.
    warning : str
        Warning that NRI and IDI can favor a model that is not better, with what to compare instead.
    positive : label
        The positive class.
    level : float
        Confidence level of the intervals.
    moved_up, moved_down : (int, int)
        Numbers of positives and of negatives that moved.
    warnings : tuple of Warned
        Warnings on the columns, and the one on NRI and IDI.
    """

    nri: Estimate
    nri_of_positives: Estimate
    nri_of_negatives: Estimate
    idi: Estimate
    cuts: tuple[float, ...]
    positives: int
    negatives: int
    warning: str = WARNING
    positive: Hashable = None
    level: float = 0.95
    moved_up: tuple[int, int] = (0, 0)
    moved_down: tuple[int, int] = (0, 0)
    warnings: tuple[Warned, ...] = (Warned("reclassification", WARNING),)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Four estimates by name."""
        return {name: getattr(self, name) for name in ESTIMATES}


ESTIMATES = ("nri", "nri_of_positives", "nri_of_negatives", "idi")
"""The estimates of a Reclassification, in their order."""


@checked
def reclassification(
    y_true: ArrayLike,
    new: ArrayLike,
    old: ArrayLike,
    *,
    cuts: Sequence[float] = (),
    positive: Hashable = None,
    level: float = 0.95,
    score_scale: ScoreScale | None = None,
) -> Reclassification:
    """Compare the probabilities of two models by NRI and IDI, with intervals.

    Journals ask for both. The result carries a warning.

    Parameters
    ----------
    y_true : array-like
        True labels of two classes, `(cases,)`.
    new, old : array-like
        Probabilities of the positive class by the new and by the old model, of the same cases in the same
        order, `(cases,)`.
    cuts : sequence of float, default ()
        Probabilities that bound risk categories. A cut itself lies in the upper one. A case moves if its
        category changes. Without any, every change of the probability counts (the continuous NRI).
    positive : label, optional
        The positive class. The default is 1 (or True, "1", 1.0). Name it for all other labels.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    score_scale : {"probability", "logit", "count"}, optional
        What `new` and `old` are. "logit" converts one column by the logistic function, and one column per
        class by the softmax. "count" divides one column per class by the sum of its row.

    Returns
    -------
    Reclassification
        `nri`, its two parts, and `idi`, each an Estimate.

    Raises
    ------
    InputError
        If values are no probabilities, or are missing.
        If there is one class only.
        If `cuts` do not rise inside (0, 1).

    Notes
    -----
    The parts have Tango's interval of a paired difference, and their sum that of MOVER. The IDI has the
    interval of Student's t of the changes, with one pseudo-case of the greatest change added, from 10 cases
    of each class on. The null variance of Pencina et al. is not used.

    References
    ----------
    Tango 1998, Statistics in Medicine 17:891.

    Zou & Donner 2008, Statistics in Medicine 27:1693.

    Pencina et al. 2008, Statistics in Medicine 27:157.

    Examples
    --------
    >>> y = [1, 1, 1, 0, 0, 0, 0, 1]
    >>> old, new = [0.6, 0.4, 0.7, 0.3, 0.2, 0.6, 0.1, 0.5], [0.8, 0.5, 0.6, 0.2, 0.3, 0.4, 0.1, 0.7]
    >>> changes = reclassification(y, new, old)
    >>> round(changes.nri.value, 4), round(changes.idi.value, 4)
    (0.75, 0.15)
    """
    named, truth, (p_new, p_old), warned = _columns(y_true, new, old, positive, score_scale)
    bounds = _checked_cuts(cuts)
    places = (np.digitize(p, bounds) if bounds else p for p in (p_new, p_old))
    move = np.sign(np.subtract(*places))
    classes = (truth, ~truth)
    up, down = ([int((sign * move[of] > 0).sum()) for of in classes] for sign in (1, -1))
    n_positive, n_negative = (int(of.sum()) for of in classes)
    of_positives = _net(up[0], down[0], n_positive, level)
    of_negatives = _net(down[1], up[1], n_negative, level)
    nri = contrast([of_positives, of_negatives], [1, 1]).estimate
    change = p_new - p_old
    idi = slope_difference(change, truth, Design.of_rows(truth.size), level)
    return Reclassification(
        nri,
        of_positives,
        of_negatives,
        idi,
        bounds,
        n_positive,
        n_negative,
        positive=named,
        level=level,
        moved_up=(up[0], up[1]),
        moved_down=(down[0], down[1]),
        warnings=(*warned, Warned("reclassification", WARNING)),
    )


def _columns(
    y_true: Any, new: Any, old: Any, positive: Any, score_scale: ScoreScale | None
) -> tuple[Hashable, Array, list[Array], tuple[Warned, ...]]:
    """The positive class, which cases are positive, the probabilities of both models, and warnings of the columns.

    Raises InputError.
    """
    scores: list[Array] = []
    warned: dict[str, tuple[Warned, ...]] = {}
    truth, label = np.zeros(0, bool), positive
    for name, column in (("new", new), ("old", old)):
        rows = check(
            InputRows(
                y_true,
                column,
                positive=positive,
                policy=AnswerPolicy("drop", "drop"),
                score_scale=score_scale,
            )
        )
        if rows.dropped:
            raise InputError(
                f"A true label or a value of {name} is missing in {counted(rows.dropped, 'case')}. Exclude cases with "
                "missing values."
            )
        if rows.score is None or not rows.is_binary:
            raise InputError(
                "Reclassification is for two classes. Use one column of probabilities per model."
            )
        if rows.outside == "by more":
            raise InputError(
                f"Some values of {name} are outside [0, 1]. Use probabilities. {conversion(rows.score)}."
            )
        truth, label = rows.truth == rows.labels.index(rows.positive), rows.positive
        scores.append(rows.score.astype(np.float64))
        warned[name] = column_warnings(of_predictions(rows))
    if truth.all() or not truth.any():
        raise InputError("All cases are of one class. Use cases of both classes.")
    return label, truth, scores, gathered(warned)


def _checked_cuts(cuts: Sequence[float]) -> tuple[float, ...]:
    bounds = tuple(float(cut) for cut in cuts)
    if any(not 0 < cut < 1 for cut in bounds) or any(b <= a for a, b in pairwise(bounds)):
        raise InputError(
            f"cuts are {list(cuts)!r}. Use rising probabilities between 0 and 1, such as [0.1, 0.2]."
        )
    return bounds


def _net(gained: int, lost: int, cases: int, level: float) -> Estimate:
    """Return the share that moved the right way minus that which moved the wrong way."""
    counts = PairedCounts(cases - gained - lost, gained, lost, 0)
    low, high = (float(end) for end in tango(counts, level))
    value = float((int(gained) - int(lost)) / cases)
    return Estimate(value, min(low, value), max(high, value), level, "Tango")
