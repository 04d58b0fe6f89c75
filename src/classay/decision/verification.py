"""Verification bias: sensitivity and specificity where only some cases, mostly flagged ones, have a true label."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit, logit

from classay.answers import Policy
from classay.columns import code_labels
from classay.columns.numbers import placed
from classay.errors import InputError
from classay.inference.draws import DRAWS, percentile, stream
from classay.inference.estimate import Estimate, number, said
from classay.inference.proportions import normal_quantile, wilson
from classay.kinds import checked
from classay.predictions import check
from classay.shown import Shown

FEW = 5
"""Verified cases of a cell below which the interval is drawn instead of linearised."""
REFERENCE = "Begg & Greenes 1983, Biometrics 39:207"


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """Sensitivity and specificity corrected for which cases were verified, beside those of the verified cases alone.

    `flagged` and `passed` are (cases, verified, positive) of those predicted positive and of the others. `prevalence`
    is the corrected share of positives.

    >>> print(from_counts((200, 150, 120), (800, 100, 10)).sentence[:60])
    Of 200 flagged cases 150 were verified, of 800 others 100: t
    """

    sensitivity: Estimate
    specificity: Estimate
    prevalence: Estimate
    naive_sensitivity: Estimate
    naive_specificity: Estimate
    flagged: tuple[int, int, int]
    passed: tuple[int, int, int]
    positive: Hashable | None = None
    level: float = 0.95
    seed: int = 0

    def __repr__(self) -> str:
        return f"Verification(sensitivity {_said(self.sensitivity)}, specificity {_said(self.specificity)})"

    @property
    def sentence(self) -> str:
        """What was verified, and what that changes."""
        (n1, v1, _), (n2, v2, _) = self.flagged, self.passed
        return (
            f"Of {n1:,} flagged cases {v1:,} were verified, of {n2:,} others {v2:,}: the sensitivity is "
            f"{_said(self.sensitivity)}, not the {number(self.naive_sensitivity.value)} of the verified cases, and the "
            f"specificity {_said(self.specificity)}, not {number(self.naive_specificity.value)}."
        )


def _said(found: Estimate) -> str:
    if found.is_undefined:
        return f"undefined ({found.reason})"
    return said(found)


@checked
def correct_verification(
    y_true: Any, y_pred: Any, *, positive: Hashable | None = None, level: float = 0.95, seed: int = 0
) -> Verification:
    """Sensitivity and specificity from cases of which only some have a true label (None or NaN where there is none).

    Se = P(D|T+) P(T+) / (P(D|T+) P(T+) + P(D|T-) P(T-)), and Sp alike, with P(D|T) among the verified and P(T) among
    all. It holds where, within the flagged and within the others, chance alone decides who is verified (missing at
    random given the prediction); no data can show that. Intervals are by the delta method on the logit scale, or drawn
    from Jeffreys posteriors where a cell has under 5 verified cases. Undefined where none of the flagged, or none of
    the others, is verified. Raises InputError for columns of different lengths, more than two classes, and where a
    prediction is missing.
    Begg & Greenes 1983, Biometrics 39:207.

    >>> truth = [1] * 120 + [0] * 30 + [None] * 50 + [1] * 10 + [0] * 90 + [None] * 700
    >>> found = correct_verification(truth, [1] * 200 + [0] * 800)
    >>> found.sensitivity
    Estimate(0.667 [0.520, 0.787] 95 %, Begg-Greenes, logit)
    >>> round(found.naive_sensitivity.value, 3)
    0.923
    """
    truth, predicted = code_labels(y_true, "truth"), code_labels(y_pred, "prediction")
    if (predicted.codes < 0).any():
        raise InputError(
            f"y_pred is missing in {placed(predicted.codes < 0)}: only y_true may be missing; leave these cases out, "
            "or give them a prediction."
        )
    said = check(y_true, y_pred=y_pred, positive=positive, policy=Policy(missing="drop"))
    if said.positive is None:
        raise InputError(f"there are {len(said.labels)} classes: sensitivity and specificity are of two.")
    flagged = np.array([label == said.positive for label in predicted.labels])[predicted.codes]
    known = truth.codes >= 0
    ill = known & np.array([*(label == said.positive for label in truth.labels), False])[truth.codes]
    counts = [
        (int(each.sum()), int((each & known).sum()), int((each & ill).sum())) for each in (flagged, ~flagged)
    ]
    found = from_counts(counts[0], counts[1], level=level, seed=seed)
    return replace(found, positive=said.positive)


def from_counts(
    flagged: tuple[int, int, int], passed: tuple[int, int, int], *, level: float = 0.95, seed: int = 0
) -> Verification:
    """The same from counts: cases, verified ones and positives among these, of the flagged and of the others.

    >>> from_counts((200, 150, 120), (800, 100, 10)).specificity
    Estimate(0.947 [0.926, 0.963] 95 %, Begg-Greenes, logit)
    """
    (n1, v1, s1), (n2, v2, s2) = flagged, passed
    naive = [_share(s1, s1 + s2, level), _share(v2 - s2, v1 - s1 + v2 - s2, level)]
    if not (v1 and v2):
        none = "flagged" if not v1 else "other"
        undefined = Estimate.undefined(f"no {none} case is verified")
        found = undefined, undefined, undefined
        return Verification(*found, naive[0], naive[1], flagged, passed, level=level, seed=seed)
    sensitivity = _corrected((n1, v1, s1), (n2, v2, s2), level, seed)
    specificity = _corrected((n2, v2, v2 - s2), (n1, v1, v1 - s1), level, seed)
    share = _prevalence(flagged, passed, level, seed)
    found = sensitivity, specificity, share
    return Verification(*found, naive[0], naive[1], flagged, passed, level=level, seed=seed)


def _share(x: int, m: int, level: float) -> Estimate:
    if not m:
        return Estimate.undefined("no verified case is of this class")
    low, high = wilson(x, m, level)
    return Estimate(x / m, float(low), float(high), level, "Wilson")


def _corrected(own: tuple[int, int, int], other: tuple[int, int, int], level: float, seed: int) -> Estimate:
    """a q / (a q + b (1 - q)): of what the verified cases say of both groups, the part that lies in the first."""
    (n1, v1, s1), (n2, v2, s2) = own, other
    here, there = s1 / v1 * n1, s2 / v2 * n2
    if not here + there:
        return Estimate.undefined("no verified case is of this class")
    value = here / (here + there)
    if min(s1, v1 - s1, s2, v2 - s2) >= FEW:
        variance = 1 / s1 - 1 / v1 + 1 / s2 - 1 / v2 + 1 / n1 + 1 / n2
        half = normal_quantile(level) * variance**0.5
        low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
        return Estimate(value, low, high, level, "Begg-Greenes, logit")
    a, b, q = _drawn(own, other, seed)
    low, high = percentile(a * q / (a * q + b * (1 - q)), level)
    return _estimate(value, low, high, level)


def _prevalence(
    flagged: tuple[int, int, int], passed: tuple[int, int, int], level: float, seed: int
) -> Estimate:
    (n1, v1, s1), (n2, v2, s2) = flagged, passed
    a, b, q = _drawn(flagged, passed, seed)
    low, high = percentile(a * q + b * (1 - q), level)
    return _estimate((s1 / v1 * n1 + s2 / v2 * n2) / (n1 + n2), low, high, level)


def _estimate(value: float, low: float, high: float, level: float) -> Estimate:
    how = f"Begg-Greenes, Jeffreys posteriors, {DRAWS:,} draws"
    return Estimate(value, float(min(low, value)), float(max(high, value)), level, how)


def _drawn(own: tuple[int, int, int], other: tuple[int, int, int], seed: int) -> tuple[Any, Any, Any]:
    """Draws of the share of the class in both groups, and of the first group among all cases."""
    rng = stream(seed, "verification")
    (n1, v1, s1), (n2, v2, s2) = own, other
    shares = [rng.beta(s + 0.5, v - s + 0.5, DRAWS) for s, v in ((s1, v1), (s2, v2))]
    return shares[0], shares[1], rng.beta(n1 + 0.5, n2 + 0.5, DRAWS)
