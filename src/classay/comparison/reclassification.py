"""Net reclassification and integrated discrimination of two models' probabilities, with what they do not show."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.columns.scales import CONVERTED, ScoreScale
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.proportions import tango
from classay.inference.significance import contrast
from classay.kinds import OfKinds, checked
from classay.predictions import GivenRows, check
from classay.tables import PairedCounts

Array = NDArray[Any]
WARNING = (
    "NRI and IDI can favor a model that is not better, because a useless marker, or probabilities that are too "
    "extreme, can raise both. Compare log_loss, brier_score and net benefit of both models instead "
    "(Hilden & Gerds 2014, Statistics in Medicine 33:3405; Pepe et al. 2015, Statistics in Biosciences 7:282)."
)
"""What every report of these two measures should say."""


@dataclass(frozen=True)
class Reclassification(OfKinds):
    """Net reclassification improvement (NRI) and integrated discrimination improvement (IDI) of a new model.

    `nri` is the sum of `nri_of_positives`, the share of positives moved up minus that moved down, and
    `nri_of_negatives`, the share of negatives moved down minus that moved up: from -2 to 2, and no share of anything.
    `cuts` bound the categories; without any every change of the probability is a move. `idi` is the difference of the
    discrimination slopes.
    """

    nri: Estimate
    nri_of_positives: Estimate
    nri_of_negatives: Estimate
    idi: Estimate
    cuts: tuple[float, ...]
    positives: int
    negatives: int
    warning: str = WARNING

    def __str__(self) -> str:
        kind = (
            f"categories cut at {', '.join(f'{cut:g}' for cut in self.cuts)}" if self.cuts else "any change"
        )
        lines = [
            f"{self.positives + self.negatives:,} cases ({self.positives:,} positive, {self.negatives:,} negative)"
        ]
        for name, found in (
            (f"NRI ({kind})", self.nri),
            ("  of the positives", self.nri_of_positives),
            ("  of the negatives", self.nri_of_negatives),
            ("IDI", self.idi),
        ):
            interval = str(found.reason)
            if found.has_interval and found.level is not None:
                interval = f"{100 * found.level:g}% CI {found.low:+.3f} to {found.high:+.3f}"
            lines.append(f"{name}: {found.value:+.3f} ({interval})")
        return "\n".join([*lines, self.warning])


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
    """Compare two models' probabilities by NRI and IDI, which journals ask for, with intervals and a warning.

    Parameters
    ----------
    y_true : (cases,)
        True labels of two classes; 1 or True is positive unless `positive` names a label.
    new, old : (cases,)
        Probabilities of the positive class by the new and by the old model, of the same cases in the same order.
    cuts : sequence of float, default none
        Probabilities that bound risk categories, a cut itself in the upper one. A case moves where its category
        changes. Without any, every change of the probability counts (the continuous NRI).
    positive : label, optional
        The positive class.
    level : float, default 0.95
        Confidence level.
    score_scale : {"probability", "logit", "count"}, optional
        What `new` and `old` are. "logit" converts one column by the logistic function, and a column per class by the
        softmax; "count" divides a column per class by the sum of its row.

    Returns
    -------
    Reclassification
        `nri`, its two parts, and `idi`, each an Estimate. Parts by Tango's interval of a paired difference (1998,
        Statistics in Medicine 17:891), their sum by MOVER (Zou & Donner 2008, Statistics in Medicine 27:1693), the IDI
        by Welch's t of the changes of both classes. The null variance of Pencina et al. (2008, Statistics in Medicine
        27:157) is not used.

    Raises
    ------
    InputError
        For values that are not probabilities, missing values, one class only, and cuts that do not rise inside (0, 1).

    Examples
    --------
    >>> y = [1, 1, 1, 0, 0, 0, 0, 1]
    >>> old, new = [0.6, 0.4, 0.7, 0.3, 0.2, 0.6, 0.1, 0.5], [0.8, 0.5, 0.6, 0.2, 0.3, 0.4, 0.1, 0.7]
    >>> found = reclassification(y, new, old)
    >>> round(found.nri.value, 4), round(found.idi.value, 4)
    (0.75, 0.15)
    """
    truth, p_new, p_old = _columns(y_true, new, old, positive, score_scale)
    bounds = _checked_cuts(cuts)
    places = (np.digitize(each, bounds) if bounds else each for each in (p_new, p_old))
    move = np.sign(np.subtract(*places))
    counts = {
        of: (move[truth == of] > 0, move[truth == of] < 0, int((truth == of).sum())) for of in (True, False)
    }
    up, down, n_positive = counts[True]
    of_positives = _net(up.sum(), down.sum(), n_positive, level)
    up, down, n_negative = counts[False]
    of_negatives = _net(down.sum(), up.sum(), n_negative, level)
    nri = contrast([of_positives, of_negatives], [1, 1]).estimate
    change = p_new - p_old
    idi = _welch(change[truth], change[~truth], level)
    return Reclassification(nri, of_positives, of_negatives, idi, bounds, n_positive, n_negative)


def _columns(
    y_true: Any, new: Any, old: Any, positive: Any, score_scale: ScoreScale | None
) -> tuple[Array, Array, Array]:
    """Which cases are positive, and the probabilities of both models. Raises InputError."""
    scores: list[Array] = []
    truth = np.zeros(0, bool)
    for name, given in (("new", new), ("old", old)):
        rows = check(GivenRows(y_true, given, positive=positive, score_scale=score_scale))
        if rows.score is None or rows.positive is None:
            raise InputError(
                "Reclassification is for two classes. Pass one column of probabilities per model."
            )
        if rows.outside == "by more":
            raise InputError(
                f"The values of {name} are not all in [0, 1]. Pass probabilities, or use {CONVERTED}."
            )
        truth = rows.truth == rows.labels.index(rows.positive)
        scores.append(rows.score.astype(np.float64))
    if truth.all() or not truth.any():
        raise InputError("All cases are of one class. Pass cases of both classes.")
    return truth, scores[0], scores[1]


def _checked_cuts(cuts: Sequence[float]) -> tuple[float, ...]:
    bounds = tuple(float(cut) for cut in cuts)
    if any(not 0 < cut < 1 for cut in bounds) or any(b <= a for a, b in pairwise(bounds)):
        raise InputError(
            f"cuts are {list(cuts)!r}. Use rising probabilities between 0 and 1, such as [0.1, 0.2]."
        )
    return bounds


def _net(gained: int, lost: int, cases: int, level: float) -> Estimate:
    """The share that moved the right way minus that which moved the wrong way."""
    counts = PairedCounts(cases - gained - lost, gained, lost, 0)
    low, high = (float(end) for end in tango(counts, level))
    value = float((int(gained) - int(lost)) / cases)
    return Estimate(value, min(low, value), max(high, value), level, "Tango")


def _welch(of_positives: Array, of_negatives: Array, level: float) -> Estimate:
    """The mean change of the positives minus that of the negatives, by Welch's t on the scale of the range."""
    value = float(of_positives.mean() - of_negatives.mean())
    if min(of_positives.size, of_negatives.size) < 2:
        return Estimate.bare(value, "a class of one case shows no spread")
    variances = [float(each.var(ddof=1)) / each.size for each in (of_positives, of_negatives)]
    variance = sum(variances)
    if not variance > 0:
        return Estimate.bare(value, "all changes within a class are equal, which shows no variation")
    from scipy.special import stdtrit

    degrees = variance**2 / sum(
        v * v / (each.size - 1) for v, each in zip(variances, (of_positives, of_negatives), strict=True)
    )
    half = float(stdtrit(degrees, (1 + level) / 2)) * sqrt(variance)
    return Estimate(value, max(-2.0, value - half), min(2.0, value + half), level, "Welch t")
