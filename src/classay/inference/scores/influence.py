"""Influence of one more positive and negative case at each distinct score on measures of scores, `(m,)` each.

Derivatives by the weight of the case; over the cases of the table they sum to zero. A case that ties with others
counts as half above and half below them. (von Mises expansion of each definition: Serfling 1980, Approximation
Theorems of Mathematical Statistics, chapter 6.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.measures.calibration.recalibration import (
    cox_recalibration,
    inverse,
    logistic,
    offset_recalibration,
)
from classay.measures.calibration.sums import expected_positives
from classay.measures.ranking import MAX_FPR
from classay.measures.registry import ratio
from classay.measures.selective import confidence_of, confidences
from classay.tables import ScoreTable

Array = NDArray[Any]
Influence = tuple[Array, Array]


def roc_auc(table: ScoreTable, auc: float) -> Influence:
    """(placement - AUC) / weight of the class. DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837, weighted."""
    p, n = float(table.n_positive), float(table.n_negative)
    above = np.cumsum(table.positives) - table.positives / 2
    below = n - np.cumsum(table.negatives) + table.negatives / 2
    return (below / n - auc) / p, (above / p - auc) / n


def gini(table: ScoreTable, value: float) -> Influence:
    """Twice that of the AUC."""
    on_positive, on_negative = roc_auc(table, (value + 1) / 2)
    return 2 * on_positive, 2 * on_negative


def average_precision(table: ScoreTable, ap: float) -> Influence:
    """With AP = E[Prec(S) | Y = 1] and Prec(t) = P(Y = 1 | S >= t), a case (y, s) moves AP by

        ( y (Prec(s) - AP) + y G(s) - H(s) ) / P,
        G(s) = E[Y 1(S <= s) / P(S >= S)],   H(s) = E[Y 1(S <= s) Prec(S) / P(S >= S)]

    where the last P is the share of all cases scoring at least S.
    """
    up_p, up_n = table.positives[::-1], table.negatives[::-1]
    p, n = float(table.n_positive), float(table.n_negative)
    tp = p - np.cumsum(up_p) + up_p
    called = tp + n - np.cumsum(up_n) + up_n
    precision = ratio(tp, called)
    gain = np.cumsum(ratio(1.0 * up_p, called))
    loss = np.cumsum(ratio(up_p * precision, called))
    return ((precision - ap + gain - loss) / p)[::-1], (-loss / p)[::-1]


def interpolated_pr_area(table: ScoreTable, area: float) -> Influence:
    """The derivative of the area's terms, of which every later one depends on the cases before it.

    A group of p positives and n negatives, w together, after T positives among C cases adds
    p²/w - p (C p - T w) / w² · ln(1 + w/C), over all positives (see `measures.interpolated_pr_area`).
    """
    p, n = table.positives.astype(np.float64), table.negatives.astype(np.float64)
    w, total = p + n, float(table.n_positive)
    tp, called = np.cumsum(p) - p, np.cumsum(w) - w
    log = np.log1p(np.nan_to_num(ratio(w, called)))  # its factor is 0 where no case came before
    surplus, share = called * p - tp * w, p / w
    on_negative = share * ((tp / w + 2 * surplus / w**2) * log - share - surplus / (w * (called + w)))
    on_positive = on_negative + 2 * share - (called * p + surplus) / w**2 * log
    by_true = share * log
    by_called = np.nan_to_num(ratio(share * surplus, called * (called + w))) - share * by_true
    later_true, later_called = (np.cumsum(each[::-1])[::-1] - each for each in (by_true, by_called))
    return (on_positive + later_true + later_called - area) / total, (on_negative + later_called) / total


def partial_roc_auc(table: ScoreTable, area: float, max_fpr: float = MAX_FPR) -> Influence:
    """The area is the mean over negatives of max(TPR(s) - c, 0), plus c times the range, c the TPR at its end.

    By the envelope theorem, moving the end changes nothing: no density is needed. He & Escobar 2008, Statistics in
    Medicine 27:5291.
    """
    p, n = float(table.n_positive), float(table.n_negative)
    tpr, fpr = np.cumsum(table.positives) / p, np.cumsum(table.negatives) / n
    at_end = np.interp(max_fpr, np.concatenate([[0], fpr]), np.concatenate([[0], tpr]))
    fpr, tpr = fpr - table.negatives / (2 * n), tpr - table.positives / (2 * p)
    within = np.where(fpr < max_fpr, tpr - at_end, 0.0)
    return (np.maximum(max_fpr - fpr, 0) - area) / p, (within + at_end * max_fpr - area) / n


def area_under_prg(table: ScoreTable, value: float) -> Influence:
    """AUPRG = 1 - π / (1 - π) J with J the integral of FPR(t) t^-3 over recalls t from π, the prevalence, to 1.

    A case moves FPR(t), a positive one also the score at which recall is t, and either one π.
    """
    p, n = float(table.n_positive), float(table.n_negative)
    share, odds = p / (p + n), p / n
    tpr, fpr = np.cumsum(table.positives) / p, np.cumsum(table.negatives) / n
    at_start = np.interp(share, np.concatenate([[0], tpr]), np.concatenate([[0], fpr]))
    tpr = tpr - table.positives / (2 * p)
    area = (1 - value) / odds
    through_fpr = (np.maximum(tpr, share) ** -2.0 - 1) / 2 - area
    steps = np.where(tpr >= share, np.maximum(tpr, share) ** -3.0, 0.0) * table.negatives / n
    lower = np.cumsum(steps[::-1])[::-1] - steps / 2
    through_recall = (steps * tpr).sum() - lower
    by_share = odds * at_start / share**3 - area / (1 - share) ** 2
    total = p + n
    return (
        -odds * through_recall / p + by_share * (1 - share) / total,
        -odds * through_fpr / n - by_share * share / total,
    )


def losses(table: ScoreTable, name: str) -> Influence:
    """The loss of a positive and a negative case at each score."""
    p = table.scores.astype(np.float64)
    with np.errstate(divide="ignore"):
        return (-np.log(p), -np.log1p(-p)) if name.startswith("log") else ((1 - p) ** 2, p**2)


def mean_loss(name: str) -> Callable[[ScoreTable, float], Influence]:
    """(loss - mean) / n."""

    def influence(table: ScoreTable, value: float) -> Influence:
        total = float(table.n_positive + table.n_negative)
        on_positive, on_negative = losses(table, name)
        return (on_positive - value) / total, (on_negative - value) / total

    return influence


def skill(name: str) -> Callable[[ScoreTable, float], Influence]:
    """Through the mean loss, and through the base rate's loss that it is measured by."""

    def influence(table: ScoreTable, value: float) -> Influence:
        p, n = float(table.n_positive), float(table.n_negative)
        share = np.array([p, n]) / (p + n)
        if name.startswith("log"):
            surprise = -np.log(share)
            base = float(share @ surprise)
        else:
            base = float(share.prod())
            surprise = base + (1 - 2 * share) * (1 - share)
        parts = zip(losses(table, name), surprise, strict=True)
        on_positive, on_negative = (((1 - value) * own - loss) / base / (p + n) for loss, own in parts)
        return on_positive, on_negative

    return influence


def observed_expected_ratio(table: ScoreTable, value: float) -> Influence:
    """(y - value · p) / sum p."""
    expected = float(expected_positives(table))
    p = table.scores.astype(np.float64)
    return (1 - value * p) / expected, -value * p / expected


def recalibration(part: str) -> Callable[[ScoreTable, float], Influence]:
    """The inverse information times the gradient (y - q)(1, x) of a case with logit x, fitted probability q."""

    def influence(table: ScoreTable, value: float) -> Influence:
        offset = part == "in_the_large"
        fit = offset_recalibration(table) if offset else cox_recalibration(table)
        p = table.scores.astype(np.float64)
        doubt = (p > 0) & (p < 1)  # the others are left out of the fit, and move nothing
        p = np.where(doubt, p, 0.5)
        logit = np.log(p / (1 - p))
        q = logistic(fit.intercept + fit.slope * logit)
        spread = (table.positives + table.negatives) * q * (1 - q) * doubt
        if offset:
            direction = np.full(p.size, inverse(spread.sum()[None, None])[0, 0])
        else:
            design = np.stack([np.ones(p.size), logit])
            direction = (inverse((design * spread) @ design.T) @ design)[int(part == "slope")]
        return (1 - q) * direction * doubt, -q * direction * doubt

    return influence


def risk_coverage(table: ScoreTable) -> tuple[float, Array, Array]:
    """The area, as an integral over the share covered, and the derivatives by the weight of a case at each score.

    With groups g of one confidence that take the coverage from a to b = a + w and hold the share e of errors, of which
    E come before, the area is the sum of e + (E - e a / w) ln(b / a).
    """
    found = confidences(table)
    total = float(found.cases.sum())
    w, e = found.cases / total, found.errors / total
    b = np.cumsum(w)
    a = np.maximum(0, b - w)
    a[0] = 0.0
    before = np.cumsum(e) - e
    stretch = np.where(a > 0, np.log(ratio(b, a)), 0.0)
    risk = e / w
    surplus = before - risk * a
    area = float((e + surplus * stretch).sum())
    by_error = 1 - a * stretch / w - np.log(b)
    shifted = np.where(a > 0, surplus * (1 / b - ratio(1.0, a)) - risk * stretch, 0.0)
    later = np.cumsum(shifted[::-1])[::-1] - shifted
    by_case = risk * a / w * stretch + surplus / b + later - area
    p = table.scores
    half = p.dtype.type(0.5)
    at = np.searchsorted(-found.confidence, -confidence_of(p).astype(np.float64))
    wrong, right = (by_error + by_case)[at] / total, by_case[at] / total
    return area, np.where(p >= half, right, wrong), np.where(p >= half, wrong, right)


INFLUENCES: dict[str, Callable[[ScoreTable, float], Influence]] = {
    "roc_auc": roc_auc,
    "gini": gini,
    "average_precision": average_precision,
    "interpolated_pr_area": interpolated_pr_area,
    "partial_roc_auc": partial_roc_auc,
    "area_under_prg": area_under_prg,
    "log_loss": mean_loss("log_loss"),
    "brier_score": mean_loss("brier_score"),
    "log_loss_skill": skill("log_loss"),
    "brier_skill": skill("brier_score"),
    "observed_expected_ratio": observed_expected_ratio,
    "calibration_slope": recalibration("slope"),
    "calibration_intercept": recalibration("intercept"),
    "calibration_in_the_large": recalibration("in_the_large"),
}
"""The influence function of each measure that has a simple one, given the table and the value."""
