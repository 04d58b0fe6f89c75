"""Measures of scores where positives are rarer or more common: both classes reweighted (label shift)."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.bootstrap import bootstrap
from classay.inference.by_table import NO_ESTIMATES
from classay.inference.dependent import Spread, spread_interval
from classay.inference.estimate import Estimate
from classay.inference.prevalence import check_prevalence
from classay.inference.score_influence import INFLUENCES
from classay.measures.conditions import NOT_PROBABILITIES
from classay.measures.registry import Measure
from classay.tables import ScoreTable

Array = NDArray[Any]
MOST_RESAMPLED = 100_000
"""Distinct scores up to which a measure without a formula for its variance is resampled."""
MOST_WORTH = 5
"""Positives that a negative may weigh at the other prevalence for a measure of the ranking to have an interval."""


LINEARISED = ("roc_auc", "gini", "average_precision", "log_loss", "brier_score")
"""Measures whose variance is that of the influence of the cases."""


def table_at_prevalence(table: ScoreTable, prevalence: float) -> ScoreTable:
    """The table as it would be with a share `prevalence` of positives, for measures that need scores.

    The cases of each class are reweighted to one total; the result holds sampling weights, and has the table's
    leading axes. Raises InputError for a prevalence outside (0, 1), or a table without one of the classes.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> there = table_at_prevalence(table, 0.25)
    >>> there.positives, there.negatives
    (array([0.5, 0.5, 0. ]), array([0. , 1.5, 1.5]))
    """
    check_prevalence(prevalence)
    p, n = np.asarray(table.n_positive)[..., None], np.asarray(table.n_negative)[..., None]
    if not p.all() or not n.all():
        raise InputError(
            f"no case is {'negative' if p.all() else 'positive'}: its rate is unknown at any prevalence."
        )
    up, down = prevalence * (p + n) / p, (1 - prevalence) * (p + n) / n
    plus = table.positives if table.positive_squares is None else table.positive_squares
    minus = table.negatives if table.negative_squares is None else table.negative_squares
    return replace(
        table,
        positives=table.positives * up,
        negatives=table.negatives * down,
        positive_squares=plus * up**2,
        negative_squares=minus * down**2,
    )


def scores_at_prevalence(
    measure: Measure, table: ScoreTable, prevalence: float, *, level: float = 0.95, seed: int = 0
) -> Estimate:
    """A measure of scores where a share `prevalence` of the cases is positive, with its interval.

    The scores stay as they are in each class (label shift), probabilities too: nothing is recalibrated. Where the
    influence of a case is known (average precision, log-loss, Brier score), the variance is that of the reweighted
    measure with both classes drawn apart: sum over classes of w² n/(n - 1) · sum (z - mean z)², with z the influence
    of a case and w its weight (Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, section 5.5), taken
    with Welch's degrees of freedom on the scale of the measure. Other measures get the bootstrap stratified by class,
    up to 100,000 distinct scores. Measures of the ranking get none where negatives weigh over five times what
    positives do: they then rest on the few that rank first, and no method tried covered more than 90 %. Undefined
    without positives or without negatives, or where the measure is. Raises
    InputError for a prevalence outside (0, 1).

    >>> from classay.measures import brier_score
    >>> truth = np.array([True, True, False, True, False, False])
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.6, 0.5, 0.3, 0.1]), truth)
    >>> scores_at_prevalence(brier_score, table, 0.1)
    Estimate(0.148 [0.000, 0.554] 95 %, reweighted, t)
    """
    check_prevalence(prevalence)
    p, n = float(table.n_positive), float(table.n_negative)
    if not p or not n:
        return Estimate.undefined(f"no case is {'negative' if p else 'positive'}")
    there = table_at_prevalence(table, prevalence)
    value = float(measure(there))
    if isnan(value):
        return Estimate.undefined(measure.why_undefined(there) or "0 / 0")
    if measure.name in NO_ESTIMATES:
        return Estimate.bare(value, NO_ESTIMATES[measure.name])
    worth = p * (1 - prevalence) / (n * prevalence)
    if worth > MOST_WORTH and NOT_PROBABILITIES not in measure.undefined:
        return Estimate.bare(
            value, f"it rests on the few negatives that rank first, each worth {worth:.3g} positives"
        )
    if measure.name not in LINEARISED:
        return _resampled(measure, table, prevalence, value, level, seed)
    influence = INFLUENCES[measure.name](there, value)
    variances = [
        _variance_of_sum(counts, weighted / np.maximum(counts, 1) * each)
        for counts, weighted, each in (
            (table.positives, there.positives, influence[0]),
            (table.negatives, there.negatives, influence[1]),
        )
    ]
    return spread_interval(measure, value, level, _welch(variances, (p, n), level))


def _variance_of_sum(counts: Array, each: Array) -> float:
    """Variance of a sum over the cases of a class, each case with its share of it."""
    cases = counts.sum()
    if cases < 2:
        return float("nan")
    with np.errstate(invalid="ignore"):
        moved = np.where(counts > 0, each, 0.0)
        return float((counts * (moved - (counts * moved).sum() / cases) ** 2).sum() * cases / (cases - 1))


def _welch(variances: list[float], cases: tuple[float, float], level: float) -> Spread:
    """Degrees of freedom of a sum of two variances (Welch 1947, Biometrika 34:28)."""
    from scipy.special import stdtrit

    total = sum(variances)
    squares = sum(each**2 / (size - 1) for each, size in zip(variances, cases, strict=True) if each)
    degrees = total**2 / squares if squares > 0 else 1.0
    return Spread(total, float(stdtrit(degrees, 0.5 + level / 2)), "reweighted")


def _resampled(
    measure: Measure, table: ScoreTable, prevalence: float, value: float, level: float, seed: int
) -> Estimate:
    if table.scores.size > MOST_RESAMPLED:
        return Estimate.bare(value, f"the bootstrap is for up to {MOST_RESAMPLED:,} distinct scores")
    shifted = replace(
        measure,
        name=f"{measure.name}_at_prevalence",
        function=lambda scores: measure(table_at_prevalence(scores, prevalence)),
    )
    found = bootstrap(table, shifted, scheme="stratified", level=level, seed=seed)
    if not found.has_interval:
        return replace(found, value=value)
    return replace(found, value=value, low=min(found.low, value), high=max(found.high, value))
