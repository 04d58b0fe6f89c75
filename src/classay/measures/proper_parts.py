"""Parts of proper scores: miscalibration, discrimination, uncertainty, by isotonic recalibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel, pays
from classay.errors import InputError
from classay.measures.probability import UNBOUNDED, brier_score, entropy, log_loss
from classay.measures.probability_bins import ProbabilityBins, of_probabilities, table_by_table
from classay.measures.registry import measure, ratio
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.sums import rounded_difference

Array = NDArray[Any]
TIE = 1 + 1e-12
"""Rates of weights that differ by less are equal: sums are rounded, and blocks do not depend on the unit of weights."""
ROUNDS = 40
"""Rounds of pooling all violators at once, before the twin pools what is left one after another."""


def _pool(positives: Array, negatives: Array, tie: float) -> tuple[Array, Array, Array]:
    used = np.flatnonzero((positives > 0) | (negatives > 0))
    if not used.size:
        return np.zeros(min(1, positives.size), np.int64), positives[:1], negatives[:1]
    starts, p, n = used.astype(np.int64), positives[used], negatives[used]
    starts[0] = 0
    for _ in range(ROUNDS):
        violates = p[:-1] * n[1:] <= p[1:] * n[:-1] * tie
        if not violates.any():
            return starts, p, n
        first = np.flatnonzero(np.concatenate([[True], ~violates]))
        starts, p, n = starts[first], np.add.reduceat(p, first), np.add.reduceat(n, first)
    return _pool_in_turn(starts, p, n, tie)


def _pool_in_turn(
    starts: Array, positives: Array, negatives: Array, tie: float
) -> tuple[Array, Array, Array]:
    """Return the rest of the pooling, one block after another: a long cascade takes as many rounds as blocks."""
    blocks: list[tuple[Any, Any, Any]] = []
    for block in zip(starts, positives, negatives, strict=True):
        start, p, n = block
        while blocks and blocks[-1][1] * n <= p * blocks[-1][2] * tie:
            start, before_p, before_n = blocks.pop()
            p, n = p + before_p, n + before_n
        blocks.append((start, p, n))
    return (
        np.array([block[0] for block in blocks], np.int64),
        np.array([block[1] for block in blocks], positives.dtype),
        np.array([block[2] for block in blocks], negatives.dtype),
    )


@kernel(twin=_pool, nanoseconds=50)
def pool(positives: Array, negatives: Array, tie: float) -> tuple[Array, Array, Array]:
    """Return where the blocks of the isotonic fit start, from the highest score, and the weight of each class there.

    Rates are compared as p·n' <= p'·n·tie; for whole numbers, with a whole 1, that is exact. A score without weight
    joins the block above it. Each score enters and leaves the stack of blocks at most once: O(m).
    """
    m = positives.shape[0]
    # room for all, of which the system gives what is used; arrays that grew would take twice as long
    starts = np.empty(m, np.int64)
    p, n = np.empty(m, positives.dtype), np.empty(m, negatives.dtype)
    last, i = -1, 0
    while i < m:
        start, a, b = i, positives[i], negatives[i]
        i += 1
        # a run of scores, before it is laid on the stack
        while i < m and a * negatives[i] <= positives[i] * b * tie:
            a += positives[i]
            b += negatives[i]
            i += 1
        while last >= 0 and p[last] * b <= a * n[last] * tie:
            start = starts[last]
            a += p[last]
            b += n[last]
            last -= 1
        last += 1
        starts[last] = start
        p[last] = a
        n[last] = b
    return starts[: last + 1].copy(), p[: last + 1].copy(), n[: last + 1].copy()


def blocks(positives: Array, negatives: Array, in_all: int = 0) -> tuple[Array, Array, Array]:
    """`pool`, in floating point where the products of whole numbers would overflow.

    `in_all` are the scores of the whole work of which this is a part, if more: they say whether to compile.
    """
    pooled = pool.for_rows(positives.size, in_all)
    if float(positives.sum()) * float(negatives.sum()) >= 2.0**62:
        positives, negatives = positives.astype(np.float64), negatives.astype(np.float64)
    return pooled(positives, negatives, tie_of(positives))  # type: ignore[no-any-return]


def tie_of(weights: Array) -> float:
    """Return what rates are multiplied with to be compared: of whole numbers 1, a whole number too."""
    return TIE if weights.dtype.kind == "f" else 1


def fits_of_each(positives: Array, negatives: Array, in_all: int = 0) -> Array:
    """Return the isotonic fit of each row at every score, `(tables, scores)` all; see `blocks`.

    Without compiled loops the violators of all rows are pooled at once, where all scores have weight.
    """
    tables, scores = positives.shape
    most = prod(float(counts.sum(axis=1).max()) for counts in (positives, negatives))
    if pays(max(scores, in_all)) or most >= 2.0**62 or not (positives + negatives).all():
        fits = (blocks(*row, in_all) for row in zip(positives, negatives, strict=True))
        return np.stack([np.repeat(ratio(p, p + n), np.diff(at, append=scores)) for at, p, n in fits])
    starts, p, n, tie = np.arange(positives.size), positives.ravel(), negatives.ravel(), tie_of(positives)
    while (joins := (p[:-1] * n[1:] <= p[1:] * n[:-1] * tie) & (starts[1:] % scores > 0)).any():
        first = np.flatnonzero(np.concatenate([[True], ~joins]))
        starts, p, n = starts[first], np.add.reduceat(p, first), np.add.reduceat(n, first)
    return np.repeat(ratio(p, p + n), np.diff(starts, append=positives.size)).reshape(tables, scores)


@dataclass(frozen=True, eq=False)
class Isotonic:
    """The isotonic fit of a score table: blocks of scores that share one probability, highest first.

    `starts` are the places in the table where the blocks begin; `positives` and `negatives` the weight of the
    cases in each; `highest` and `lowest` its scores' ends.
    """

    starts: Array
    positives: Array
    negatives: Array
    highest: Array
    lowest: Array

    @property
    def values(self) -> Array:
        """The share of positives in each block, the recalibrated probability of its scores: they fall."""
        return np.asarray(ratio(self.positives, self.positives + self.negatives))

    def at(self, places: Array) -> Array:
        """Return the recalibrated probability at places (indices of distinct scores) of the table."""
        return self.values[np.searchsorted(self.starts, places, side="right") - 1]


@memoize
def isotonic(table: ScoreTable) -> Isotonic:
    """Return the probabilities that never fall as the score rises and are nearest to the truth, by any proper score.

    Pool-adjacent-violators, ties pooled first; values in [0, 1]; undefined (no blocks) for an empty table.
    Raises InputError for a table with leading axes. Ayer, Brunk, Ewing, Reid & Silverman 1955, Annals of
    Mathematical Statistics 26:641.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> fit = isotonic(table)
    >>> fit.values, fit.lowest
    (array([1. , 0.5, 0. ]), array([0.9, 0.6, 0.1]))
    """
    if table.positives.ndim > 1:
        raise InputError("An isotonic fit needs a table without leading axes. Pass one table at a time.")
    starts, p, n = blocks(table.positives, table.negatives)
    ends = np.append(starts[1:], table.scores.size)[: starts.size] - 1
    return Isotonic(starts, p, n, table.scores[starts], table.scores[ends])


LN2 = float(np.log(2))


def _shares(positives: Any, negatives: Any) -> Any:
    return np.stack([np.asarray(ratio(n, positives + negatives)) for n in (positives, negatives)], -1)


def brier_entropy(positives: Any, negatives: Any) -> Any:
    """Brier score of always saying the share of positives of a group, p (1 - p)."""
    return _shares(positives, negatives).prod(-1)


def log_entropy(positives: Any, negatives: Any) -> Any:
    """Log-loss of always saying the share of positives of a group, -p ln p - (1 - p) ln(1 - p)."""
    return entropy(_shares(positives, negatives))


Spread = Callable[[Any, Any], Any]


def recalibrated_score(scores: ScoreTable, spread: Spread) -> Any:
    """Proper score of one table after isotonic recalibration: the mean over its blocks of their spread."""
    fit = isotonic(scores)
    p, n = fit.positives, fit.negatives
    weight = p + n
    return ratio(np.where(weight > 0, weight * spread(p, n), 0.0).sum(), weight.sum())


@table_by_table
def _miscalibration(scores: ScoreTable, score: Any, spread: Spread) -> Any:
    return np.maximum(0.0, rounded_difference(score(scores), recalibrated_score(scores, spread)))


@table_by_table
def _discrimination(scores: ScoreTable, spread: Spread) -> Any:
    base = spread(scores.n_positive, scores.n_negative)
    return np.maximum(0.0, rounded_difference(base, recalibrated_score(scores, spread)))


@measure(
    "Brier miscalibration",
    formula="Brier - Brier after isotonic recalibration",
    bounds=(0, 1),
    best=0,
    reference="dimitriadis2021",
    undefined=(NOT_PROBABILITIES,),
    aliases=("mcb", "miscalibration", "brier_mcb"),
)
@of_probabilities
def brier_miscalibration(scores: ScoreTable) -> Any:
    """Reduction of the Brier score by isotonic recalibration of these cases. Above 0 even for correct probabilities.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(brier_miscalibration(table).round(4))
    0.17
    """
    return _miscalibration(scores, score=brier_score, spread=brier_entropy)


@measure(
    "Brier discrimination",
    formula="prevalence (1 - prevalence) - Brier after isotonic recalibration",
    bounds=(0, 0.25),
    best=0.25,
    reference="dimitriadis2021",
    undefined=(NOT_PROBABILITIES,),
    aliases=("discrimination", "brier_dsc"),
)
@of_probabilities
def brier_discrimination(scores: ScoreTable) -> Any:
    """Brier score of predicting the prevalence minus Brier score after recalibration. At most the uncertainty.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(brier_discrimination(table).round(4))
    0.125
    """
    return _discrimination(scores, spread=brier_entropy)


@measure(
    "Brier uncertainty",
    formula="prevalence (1 - prevalence)",
    bounds=(0, 0.25),
    best=None,
    reference="dimitriadis2021",
    undefined=(NOT_PROBABILITIES,),
    aliases=("unc", "uncertainty", "brier_unc"),
    traits=("set by the prevalence",),
)
@of_probabilities
def brier_uncertainty(scores: ScoreTable) -> Any:
    """Brier score of predicting the prevalence for every case. Brier = miscalibration - discrimination + uncertainty.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(brier_uncertainty(table))
    0.25
    """
    return brier_entropy(scores.n_positive, scores.n_negative)[()]


@measure(
    "Log-loss miscalibration",
    formula="log-loss - log-loss after isotonic recalibration",
    bounds=UNBOUNDED,
    best=0,
    reference="dimitriadis2021",
    undefined=(NOT_PROBABILITIES,),
    aliases=("log_mcb",),
)
@of_probabilities
def log_loss_miscalibration(scores: ScoreTable) -> Any:
    """Reduction of the log loss by isotonic recalibration of these cases. Infinite if the log loss is infinite.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(log_loss_miscalibration(table).round(4))
    0.4389
    """
    return _miscalibration(scores, score=log_loss, spread=log_entropy)


@measure(
    "Log-loss discrimination",
    formula="entropy of the class shares - log-loss after isotonic recalibration",
    bounds=(0, LN2),
    best=LN2,
    reference="dimitriadis2021",
    undefined=(NOT_PROBABILITIES,),
    aliases=("log_dsc",),
)
@of_probabilities
def log_loss_discrimination(scores: ScoreTable) -> Any:
    """Log loss of predicting the class shares minus log loss after recalibration. At most the uncertainty.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(log_loss_discrimination(table).round(4))
    0.3466
    """
    return _discrimination(scores, spread=log_entropy)


@measure(
    "Log-loss uncertainty",
    formula="entropy of the class shares",
    bounds=(0, LN2),
    best=None,
    reference="dimitriadis2021",
    undefined=(NOT_PROBABILITIES,),
    aliases=("log_unc",),
    traits=("set by the prevalence",),
)
@of_probabilities
def log_loss_uncertainty(scores: ScoreTable) -> Any:
    """Log loss of predicting the class shares. Log loss = miscalibration - discrimination + uncertainty.

    >>> from classay.tables import ScoreTable
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> print(log_loss_uncertainty(table).round(4))
    0.6931
    """
    return log_entropy(scores.n_positive, scores.n_negative)[()]


class Murphy(NamedTuple):
    """Brier = reliability - resolution + uncertainty + within_variance - within_covariance."""

    reliability: Any
    resolution: Any
    uncertainty: Any
    within_variance: Any
    within_covariance: Any


def murphy_decomposition(scores: ScoreTable) -> Murphy:
    """Brier = REL - RES + UNC over the distinct scores; the two terms within groups are 0.

    Parts in [0, 1]; NaN when the scores are no probabilities. Murphy 1973, J Appl Meteorol 12:595.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.9, 0.2, 0.2]), np.array([True, False, True, False]))
    >>> [round(float(part), 4) for part in murphy_decomposition(table)]
    [0.125, 0.0, 0.25, 0.0, 0.0]
    """
    weight = scores.positives + scores.negatives
    bins = ProbabilityBins(weight, scores.positives, weight * scores.scores.astype(np.float64), weight)
    return binned_murphy(scores, bins)


def binned_murphy(scores: ScoreTable, bins: ProbabilityBins) -> Murphy:
    """Brier = REL - RES + UNC + WBV - WBC over any bins: the last two are what happens within them.

    WBV is the variance of the probabilities within bins, WBC twice their covariance with the truth.
    Stephenson, Coelho & Jolliffe 2008, Weather and Forecasting 23:752.

    >>> from classay.measures.probability_bins import equal_width_bins
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> [round(float(part), 4) for part in binned_murphy(table, equal_width_bins(table, bins=2))]
    [0.0925, 0.0, 0.25, 0.0025, 0.05]
    """
    if not scores.are_probabilities:
        return Murphy(*[np.full(scores.positives.shape[:-1], np.nan)[()]] * 5)
    n = scores.n_positive + scores.n_negative
    base = np.asarray(ratio(scores.n_positive, n))
    used = bins.weight > 0
    o, f = np.where(used, bins.observed, 0.0), np.where(used, bins.mean_score, 0.0)
    share = bins.share
    p = scores.scores.astype(np.float64)
    squares = ratio(((scores.positives + scores.negatives) * p**2).sum(-1), n)
    products = ratio((scores.positives * p).sum(-1), n)
    return Murphy(
        (share * (f - o) ** 2).sum(-1),
        (share * (o - base[..., None]) ** 2 * used).sum(-1),
        base * (1 - base),
        squares - (share * f**2).sum(-1),
        2 * (products - (share * o * f).sum(-1)),
    )


def debiased_murphy(bins: ProbabilityBins) -> Murphy:
    """Parts of the Brier score minus what chance adds to them; a negative reliability is legitimate, near 0.

    REL - c, RES - c + UNC / (n - 1), UNC n / (n - 1) with c = sum n_b o_b (1 - o_b) / (n_b - 1) / n; the
    terms within bins are not given. NaN with a bin of a single case: join it first (`with_two_cases`). Ferro
    & Fricker 2012, QJRMS 138:1954; Bröcker 2012, Climate Dynamics 39:655.

    >>> from classay.measures.probability_bins import equal_width_bins
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> [round(float(part), 4) for part in debiased_murphy(equal_width_bins(table, bins=2))]
    [-0.1575, -0.1667, 0.3333, nan, nan]
    """
    used = bins.weight > 0
    o, f = np.where(used, bins.observed, 0.0), np.where(used, bins.mean_score, 0.0)
    base = np.asarray(ratio(bins.positives.sum(-1), bins.weight.sum(-1)))
    n = ratio(bins.weight.sum(-1) ** 2, (ratio(bins.weight**2, np.where(used, bins.effective, 1))).sum(-1))
    extra = (bins.share * np.where(used, ratio(o * (1 - o), np.where(used, bins.effective - 1, 1)), 0)).sum(
        -1
    )
    uncertainty = base * (1 - base)
    return Murphy(
        (bins.share * (f - o) ** 2).sum(-1) - extra,
        (bins.share * (o - base[..., None]) ** 2 * used).sum(-1) - extra + ratio(uncertainty, n - 1),
        ratio(uncertainty * n, n - 1),
        np.nan,
        np.nan,
    )
