"""Variance and intervals of the AUC, from how each case stands among those of the other class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import from_16_bits
from classay.compiled import core_count, kernel, workers
from classay.inference.design import Design, VarianceEstimate, satterthwaite, student_quantile
from classay.inference.estimate import IntervalResult
from classay.inference.methods import ALIKE, ANYHOW, ON_REQUEST, SCORES, WEIGHTED, interval
from classay.inference.proportions import normal_quantile, scale_of
from classay.measures import Measure
from classay.measures import roc_auc as auc_of
from classay.measures.ranking import auc_influence
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.sums import is_rounding

Array = NDArray[Any]


def _place(order: Array, score: Array, positive: Array, weight: Any, p: float, n: float, out: Array) -> None:
    ordered = score[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    group = np.repeat(np.arange(starts.size), np.diff(np.append(starts, order.size)))
    w = np.ones(order.size) if weight is None else weight[order]
    is_positive = positive[order]
    negatives = np.bincount(group, weights=np.where(is_positive, 0.0, w))
    positives = np.bincount(group, weights=np.where(is_positive, w, 0.0))
    below, above = np.cumsum(negatives) - negatives, p - np.cumsum(positives)
    of_positive, of_negative = (below + negatives / 2) / n, (above + positives / 2) / p
    out[order] = np.where(is_positive, of_positive[group], of_negative[group])


@kernel(twin=_place, assumes="order holds each row once", nanoseconds=90)
def place(order: Array, score: Array, positive: Array, weight: Any, p: float, n: float, out: Array) -> None:
    """Write each case's placement to `out`, in the order of the rows; `order` sorts the scores, ascending.

    That of a positive is the share of negatives it outranks, ties half; of a negative, the share of positives
    that outrank it. `p` and `n` are the weights of the classes.
    """
    rows = order.shape[0]
    below = above = 0.0
    start = 0
    while start < rows:
        stop = start
        here = score[order[start]]
        positives = negatives = 0.0
        while stop < rows and score[order[stop]] == here:
            row = order[stop]
            case_weight = 1.0 if weight is None else weight[row]
            if positive[row]:
                positives += case_weight
            else:
                negatives += case_weight
            stop += 1
        of_positive = (below + negatives / 2) / n
        of_negative = (p - above - positives / 2) / p
        for i in range(start, stop):
            row = order[i]
            out[row] = of_positive if positive[row] else of_negative
        below += negatives
        above += positives
        start = stop


@dataclass(frozen=True, eq=False)
class Placements:
    """The placements of the same cases by several scores, `[model, case]`, the AUC of each, and the classes.

    `positive` are booleans, `weight` sampling weights or numbers of identical cases, or None; `(cases,)` each.
    """

    aucs: Array
    values: Array
    positive: Array
    weight: Array | None = None

    @classmethod
    def of(cls, scores: list[Array], positive: Array, weight: Array | None = None) -> Placements:
        """Rank the cases once by each score, O(n log n), on a thread for each. Sun & Xu 2014, IEEE SPL 21:1389.

        >>> placements = Placements.of([np.array([0.9, 0.8, 0.7, 0.2])], np.array([True, False, True, False]))
        >>> placements.aucs, placements.values
        (array([0.75]), array([[1. , 0.5, 0.5, 1. ]]))
        """
        counts = np.ones(positive.size) if weight is None else weight.astype(np.float64)
        p, n = float(counts[positive].sum()), float(counts[~positive].sum())
        values = np.full((len(scores), positive.size), np.nan)
        case_weights = None if weight is None else counts

        def rank(score: Array, out: Array) -> None:
            score = from_16_bits(score)
            place(np.argsort(score), score, positive, case_weights, p, n, out)

        if p > 0 and n > 0:
            threads = min(len(scores), core_count()) if positive.size >= LONG else 1
            with workers(threads) as run:
                run(rank, scores, values)
        share = np.where(positive, counts, 0.0)
        known = p > 0 and n > 0
        aucs = np.array([float(np.dot(placements, share)) / p if known else np.nan for placements in values])
        return cls(aucs, values, positive, weight)

    def influence(self) -> Array:
        """Return how much each case moves each AUC, `[model, case]`: (placement - AUC) / weight of its class."""
        counts = np.ones(self.positive.size) if self.weight is None else self.weight
        p, n = float(counts[self.positive].sum()), float(counts[~self.positive].sum())
        influence = self.values - self.aucs[:, None]
        influence /= np.where(self.positive, p, n)
        return influence


LONG = 10_000
"""Cases from which a thread is worth starting."""


FEW = 30
"""Cases of the smaller class about which the model's variance counts as much as DeLong's."""
PRIOR = 4.0
"""Degrees of freedom that the model's variance counts for in the largest samples."""
PRIOR_OF_FEW = 8.0
"""Degrees of freedom that it counts for besides with FEW cases of the smaller class; it falls with their square."""
PARTS = 10
"""Parts of the scores in which weights are compared."""

OF_AUC = ("delong1988", "newcombe2006", "obuchowski1997", "smyth2004")
AUCS = ("roc_auc", "gini")


def _placement_moments(positives: Any, negatives: Any) -> tuple[float, float, float]:
    p, n = positives.sum(), negatives.sum()
    above = np.cumsum(positives) - positives
    below = n - np.cumsum(negatives)
    of_positive = (below + negatives / 2) / n
    of_negative = (above + positives / 2) / p
    auc = float((positives * of_positive).sum() / p)
    return (
        auc,
        float((positives * (of_positive - auc) ** 2).sum()),
        float((negatives * (of_negative - auc) ** 2).sum()),
    )


@kernel(twin=_placement_moments)
def placement_moments(positives: Any, negatives: Any) -> tuple[float, float, float]:
    """AUC, and the sums of squared deviations from it of the placements of positives and of negatives.

    The placement of a positive is the share of negatives it outranks, ties half; of a negative, the share of
    positives that outrank it.
    """
    p, n = 1.0 * positives.sum(), 1.0 * negatives.sum()
    total = above = 0.0
    for i in range(positives.shape[0]):
        total += negatives[i] * (above + positives[i] / 2)
        above += positives[i]
    auc = total / p / n
    spread_p = spread_n = above = seen = 0.0
    for i in range(positives.shape[0]):
        seen += negatives[i]
        spread_p += positives[i] * ((n - seen + negatives[i] / 2) / n - auc) ** 2
        spread_n += negatives[i] * ((above + positives[i] / 2) / p - auc) ** 2
        above += positives[i]
    return auc, spread_p, spread_n


@memoize
def delong_variance(table: ScoreTable) -> float:
    """Variance of the AUC from the placements of all cases, in one pass over the sorted table.

    DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837. NaN with fewer than two cases of a class.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.7, 0.2]), np.array([True, False, True, False]))
    >>> delong_variance(table)
    0.125
    """
    p, n = int(table.n_positive), int(table.n_negative)
    if min(p, n) < 2:
        return float("nan")
    _, spread_p, spread_n = placement_moments(table.positives, table.negatives)
    return float(spread_p / (p - 1) / p + spread_n / (n - 1) / n)


def logit_delong(auc: float, variance: float, level: float) -> tuple[float, float]:
    """DeLong's interval taken on the logit scale, which keeps it inside (0, 1)."""
    return scale_of((0, 1)).interval(auc, float(np.sqrt(variance)), normal_quantile(level))


def newcombe5(auc: float, p: float, n: float, level: float) -> tuple[float, float]:
    """Score-type interval from the AUC and the class sizes alone; valid at 0 and 1 too.

    All theta with (auc - theta)² <= z² V(theta), V the Hanley-McNeil variance with both class sizes replaced by
    their mean in the numerator: Newcombe 2006, Statistics in Medicine 25:559, method 5.

    >>> low, high = newcombe5(1.0, 8, 12, 0.95)
    >>> print(round(low, 4), high)
    0.793 1.0
    """
    return score_ends(auc, p, n, normal_quantile(level) ** 2)


def model_variance(auc: float, p: float, n: float) -> float:
    """Return the variance of the AUC in Newcombe's method 5: that of exponential scores, for classes of these sizes.

    >>> round(model_variance(0.8, 8, 12), 5)
    0.01083
    """
    extra = (p + n) / 2 - 1
    spread = 1 + extra * (1 - auc) / (2 - auc) + extra * auc / (1 + auc)
    return auc * (1 - auc) * spread / (p * n)


def score_ends(auc: float, p: float, n: float, factor: float) -> tuple[float, float]:
    """Return the least and the greatest theta with (auc - theta)² <= factor · V(theta), V the variance of the model."""
    extra, pairs = (p + n) / 2 - 1, p * n

    def edge(out: float, inside: float) -> float:
        for _ in range(60):
            middle = (out + inside) / 2
            if middle in (out, inside):  # halving finds nothing more between two neighbouring numbers
                break
            spread = (
                1 + extra * (1 - middle) / (2 - middle) + extra * middle / (1 + middle)
            )  # `model_variance`
            if (auc - middle) ** 2 > factor * (middle * (1 - middle) * spread / pairs):
                out = middle
            else:
                inside = middle
        return inside

    return (0.0 if auc == 0 else edge(0.0, auc)), (1.0 if auc == 1 else edge(1.0, auc))


@dataclass(frozen=True)
class AucVariance:
    """DeLong's variance of an AUC, its degrees of freedom, and the sizes of the classes.

    Of sampling weights the sizes are effective numbers of cases, (Σw)²/Σw², and fewer where unseen cases of the class
    may weigh more than the seen ones. A class of one case leaves no degree.
    """

    variance: float
    degrees: float
    positives: float
    negatives: float

    @property
    def is_none(self) -> bool:
        """Whether the variance is none, but rounding."""
        return VarianceEstimate(self.variance, 1.0).is_none()

    @classmethod
    def of(cls, design: Design, auc: float) -> AucVariance:
        """Return the spread of the placements of cases drawn alone; both classes have their own mean.

        The degrees are the fewer of two by Satterthwaite (1946, Biometrics 2:110): from the fourth moments, few when
        hardly any case is misranked, and from the class sizes.
        """
        by_class = design.of_class, *design.powers_of_classes(auc_influence(design.table, auc))
        # of positives, then of negatives
        sizes, squares, fourths = (sums[::-1].tolist() for sums in by_class)
        if not design.is_weighted:
            return cls.of_sums(sizes, squares, fourths)
        weights, squared = design.places.weight, design.places.squares
        effective_sizes = [
            size / max(1.0, _heavier(weights[1 - index], squared[1 - index], weights[index]))
            for index, size in enumerate(sizes)
        ]
        return cls.of_sums(sizes, squares, fourths, effective_sizes)

    @classmethod
    def of_sums(
        cls,
        sizes: Sequence[float],
        squares: Sequence[float],
        fourths: Sequence[float],
        effective_sizes: Sequence[float] | None = None,
    ) -> AucVariance:
        """From the sums of the squares and of the fourth powers of the influences of the cases of each class.

        `effective_sizes` become its `positives` and `negatives`; by default these are `sizes`.
        """
        parts = [
            square * size / (size - 1) if size > 1 else float("nan")
            for square, size in zip(squares, sizes, strict=True)
        ]
        uneven = (
            fourth - square * square / size
            for square, fourth, size in zip(squares, fourths, sizes, strict=True)
        )
        variance, spread = sum(parts), sum(uneven)
        positives, negatives = sizes if effective_sizes is None else effective_sizes
        if not variance > 0:
            return cls(0.0, 0.0, positives, negatives)
        by_size = satterthwaite(variance, np.array(parts), np.array(sizes))
        by_moments = 2 * variance**2 / spread if spread > 0 else by_size
        return cls(variance, max(1.0, min(by_size, by_moments)), positives, negatives)

    def interval(self, auc: float, value: float, level: float) -> tuple[float, float]:
        """Return the score interval centred at `value`, by the model's variance scaled to DeLong's at `auc`.

        Where DeLong's is the smaller, the model's counts for some degrees of freedom too, so that a few cases that
        happen to be well placed do not claim certainty: 4, and 8 · (30 / smaller class)². Student's quantile has the
        degrees of both. (Moderated variances: Smyth 2004, Stat Appl Genet Mol Biol 3:3.)

        >>> low, high = AucVariance(0.0103, 15.0, 8, 12).interval(0.8, 0.8, 0.95)
        >>> print(round(low, 3), round(high, 3))
        0.534 0.927
        """
        prior = PRIOR + PRIOR_OF_FEW * (FEW / min(self.positives, self.negatives)) ** 2
        model = model_variance(auc, self.positives, self.negatives)
        ratio = self.variance / model
        if ratio < 1:
            ratio = (self.degrees * ratio + prior) / (self.degrees + prior)
        quantile = student_quantile(level, self.degrees + prior)
        return score_ends(value, self.positives, self.negatives, quantile * quantile * ratio)


def _heavier(other: Any, squares: Any, own_weight: Any) -> float:
    """By what factor unseen cases of a class may outweigh the seen ones, by the weights of the other class.

    These, sum w² / sum w in tenths of the scores, are averaged over the scores of the other class and over those of its
    own: where high scores are oversampled, the few positives of low scores weigh more than the rest, and may not have
    been seen. 1 where weights go with the class. A score between two tenths counts for half in both, so that falling
    scores have the same tenths as rising ones.
    """
    classes = (other > 0) * 1 + (own_weight > 0)
    middle, total = PARTS * (2 * np.cumsum(classes) - classes), 2 * classes.sum()
    below, above = np.maximum((middle - 1) // total, 0), np.minimum(middle // total, PARTS - 1)
    others, squared, owned = (
        (np.bincount(below, sums, PARTS) + np.bincount(above, sums, PARTS)) / 2
        for sums in (other, squares, own_weight)
    )
    typical = squared.sum() / others.sum()
    mean_weight = np.divide(squared, others, out=np.full(PARTS, typical), where=others > 0)
    return float(typical * owned.sum() / (owned * mean_weight).sum())


def auc_interval(auc: float, value: float, table: ScoreTable, design: Design, level: float) -> IntervalResult:
    """Return an interval on the scale of the AUC: `auc` is the table's, whose variance is taken; `value` is its centre.

    An AUC of 0 or 1 shows no variation: Newcombe's method 5 needs none, only the sizes of the classes.
    """
    if design.rows is not None:
        return _clustered(_whole(value), design, level)
    return placed_interval(auc, value, _auc_variance_of(table), level, design.before)


def _whole(value: float) -> float:
    """0 or 1 where the value is one of them but for rounding."""
    return float(round(value)) if is_rounding(value - round(value), 1) else value


@memoize
def _auc_variance_of(table: ScoreTable) -> AucVariance:
    """Return the spread of the placements of cases drawn alone, on which several measures rest."""
    return AucVariance.of(Design.of_cases(table), float(auc_of(table)))


def placed_interval(
    auc: float, value: float, placed: AucVariance, level: float, before: str = ""
) -> IntervalResult:
    """`auc_interval` of cases drawn alone, from the spread of their placements."""
    value = _whole(value)
    if placed.is_none or value in (0, 1):
        return *newcombe5(value, placed.positives, placed.negatives, level), f"{before}Newcombe-5"
    return *placed.interval(auc, value, level), f"{before}DeLong, moderated variance"


def _clustered(value: float, design: Design, level: float) -> IntervalResult:
    """Obuchowski's variance on the logit scale; where it is 0, Newcombe's method 5 of the clusters that hold a class.

    Student's t has the degrees that the fourth moments of the clusters give (Satterthwaite 1946), and no more than the
    clusters of equal size that hold the rarer class, less one: where a cluster has one truth, these may be few.
    """
    design = design.near
    clusters = design.units_of_class.tolist()
    if min(clusters) < 2:
        return "all cases of a class are in one cluster, which shows no variation"
    spread = design.spread(auc_influence(design.table, float(auc_of(design.table))), by_class=True)
    if spread.is_none() or value in (0, 1):
        return *newcombe5(value, clusters[1], clusters[0], level), f"{design.how}, Newcombe-5"
    known = replace(spread, degrees=max(1.0, min(spread.degrees, design.equal_units_of_class.min() - 1)))
    return *scale_of((0, 1)).interval(value, known.half(level), 1.0), "Obuchowski, logit"


@interval("DeLong, moderated variance", of=("roc_auc",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def roc_auc(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """The interval of the AUC."""
    return auc_interval(value, value, table, design, level)


@interval("DeLong, moderated variance", of=("gini",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def gini(measure: Measure, table: ScoreTable, value: float, design: Design, level: float) -> IntervalResult:
    """The AUC's interval mapped to [-1, 1]."""
    auc = (value + 1) / 2
    limits = auc_interval(auc, auc, table, design, level)
    return limits if isinstance(limits, str) else (2 * limits[0] - 1, 2 * limits[1] - 1, limits[2])


@interval("DeLong, moderated variance", of=("hull_auc",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def hull_auc(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Below, the end of the AUC's interval; above, that of an interval around the area under the hull.

    The area under the population's hull is at least its AUC, and the area under the sample's hull at least what the
    population's recalibration gives on the sample.
    """
    auc = float(auc_of(table))
    low = auc_interval(auc, auc, table, design, level)
    high = (value, 1.0, "") if value == 1 else auc_interval(auc, value, table, design, level)
    if isinstance(low, str) or isinstance(high, str):
        return low if isinstance(low, str) else str(high)
    return max(0.5, low[0]), max(value, high[1]), f"{low[2]}; lower limit of the AUC, upper limit of the hull"


def _register_on_request(
    name: str, reference: str, ends: Callable[[float, AucVariance, float], tuple[float, float]]
) -> None:
    """Register another method of the AUC, and on its own scale of Gini's coefficient, on request."""

    def limits(
        measure: Measure, table: ScoreTable, value: float, design: Design, level: float
    ) -> IntervalResult:
        of_gini = measure.name == "gini"
        auc = (value + 1) / 2 if of_gini else value
        placed = AucVariance.of(design, auc)
        if name != NEWCOMBE and (placed.is_none or auc in (0, 1)):
            return "the estimated variance is zero"
        low, high = ends(auc, placed, level)
        words = f"{design.before}{name}"
        return (2 * low - 1, 2 * high - 1, words) if of_gini else (low, high, words)

    interval(
        name, of=AUCS, tables=SCORES, drawn=(*ALIKE, *WEIGHTED), when=ON_REQUEST, references=(reference,)
    )(limits)


def _wald(auc: float, placed: AucVariance, level: float) -> tuple[float, float]:
    half = normal_quantile(level) * float(np.sqrt(placed.variance))
    return max(0.0, auc - half), min(1.0, auc + half)


NEWCOMBE = "Newcombe-5"
_register_on_request(
    "logit-DeLong", "delong1988", lambda auc, placed, level: logit_delong(auc, placed.variance, level)
)
_register_on_request("DeLong", "delong1988", _wald)
_register_on_request(
    NEWCOMBE,
    "newcombe2006",
    lambda auc, placed, level: newcombe5(auc, placed.positives, placed.negatives, level),
)
