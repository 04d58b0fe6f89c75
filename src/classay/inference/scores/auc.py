"""Variance and intervals of the AUC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from classay.compiled import kernel
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.registry import ALIKE, ANYHOW, ON_REQUEST, SCORES, WEIGHTED, interval
from classay.inference.sampling_units import Units, moments, satterthwaite, student_quantile
from classay.inference.scales import scale_of
from classay.inference.scores.influence import roc_auc as auc_influence
from classay.measures import Measure
from classay.measures import roc_auc as auc_of
from classay.once import once
from classay.tables import ScoreTable
from classay.tables.running import equal_cases

FEW = 30
"""Cases of the smaller class about which the model's variance counts as much as DeLong's."""
PRIOR = 4.0
"""Degrees of freedom that the model's variance counts for in the largest samples."""
PRIOR_OF_FEW = 8.0
"""Degrees of freedom that it counts for besides with FEW cases of the smaller class; it falls with their square."""
PARTS = 10
"""Parts of the scores in which weights are compared."""
ROUNDING = 1e-12
"""Distance from 0 or 1 that is none, but for the rounding of sums of weights."""

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


@once
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
    """The variance of the AUC in Newcombe's method 5: that of exponential scores, for classes of these sizes.

    >>> round(model_variance(0.8, 8, 12), 5)
    0.01083
    """
    extra = (p + n) / 2 - 1
    spread = 1 + extra * (1 - auc) / (2 - auc) + extra * auc / (1 + auc)
    return auc * (1 - auc) * spread / (p * n)


def score_ends(auc: float, p: float, n: float, factor: float) -> tuple[float, float]:
    """The least and the greatest theta with (auc - theta)² <= factor · V(theta), V the variance of the model."""

    def edge(out: float, inside: float) -> float:
        for _ in range(60):
            middle = (out + inside) / 2
            if (auc - middle) ** 2 > factor * model_variance(middle, p, n):
                out = middle
            else:
                inside = middle
        return inside

    return (0.0 if auc == 0 else edge(0.0, auc)), (1.0 if auc == 1 else edge(1.0, auc))


@dataclass(frozen=True)
class Placed:
    """DeLong's variance of an AUC, its degrees of freedom, and the sizes of the classes.

    Sampling weights count as the number of equal ones that would say as much, and as fewer where cases of the class
    that were not seen may weigh more. A class of one case leaves no degree.
    """

    variance: float
    degrees: float
    positives: float
    negatives: float

    @classmethod
    def of(cls, units: Units, auc: float) -> Placed:
        """The spread of the placements of cases drawn alone; both classes have their own mean.

        The degrees are the fewer of two by Satterthwaite (1946, Biometrics 2:110): from the fourth moments, few when
        hardly any case is misranked, and from the class sizes.
        """
        totals = units.table.n_positive, units.table.n_negative
        weights = units.table.positives, units.table.negatives
        influence = auc_influence(units.table, auc)
        sizes = [
            equal_cases(total, square.sum()) for total, square in zip(totals, units.squares, strict=True)
        ]
        found = [moments(*each) for each in zip(weights, units.squares, influence, strict=True)]
        squares, fourths = zip(*found, strict=True)
        if not units.table.is_weighted:
            return cls.of_sums(sizes, squares, fourths)
        claimed = [
            size / max(1.0, _heavier(weights[1 - own], units.squares[1 - own], weights[own]))
            for own, size in enumerate(sizes)
        ]
        return cls.of_sums(sizes, squares, fourths, claimed)

    @classmethod
    def of_sums(
        cls,
        sizes: Sequence[float],
        squares: Sequence[float],
        fourths: Sequence[float],
        claimed: Sequence[float] | None = None,
    ) -> Placed:
        """From the sums of the squares and of the fourth powers of the influences of the cases of each class.

        `claimed` are the sizes that the classes count as, where they are not their own.
        """
        parts = [
            each * size / (size - 1) if size > 1 else float("nan")
            for each, size in zip(squares, sizes, strict=True)
        ]
        uneven = (
            fourth - square * square / size
            for square, fourth, size in zip(squares, fourths, sizes, strict=True)
        )
        variance, spread = sum(parts), sum(uneven)
        positives, negatives = sizes if claimed is None else claimed
        if not variance > 0:
            return cls(0.0, 0.0, positives, negatives)
        by_size = satterthwaite(variance, np.array(parts), np.array(sizes))
        by_moments = 2 * variance**2 / spread if spread > 0 else by_size
        return cls(variance, max(1.0, min(by_size, by_moments)), positives, negatives)

    def interval(self, auc: float, value: float, level: float) -> tuple[float, float]:
        """The score interval around a value, by the model's variance scaled to DeLong's at the AUC.

        Where DeLong's is the smaller, the model's counts for some degrees of freedom too, so that a few cases that
        happen to be well placed do not claim certainty: 4, and 8 · (30 / smaller class)². Student's quantile has the
        degrees of both. (Moderated variances: Smyth 2004, Stat Appl Genet Mol Biol 3:3.)

        >>> low, high = Placed(0.0103, 15.0, 8, 12).interval(0.8, 0.8, 0.95)
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


def _heavier(other: Any, squares: Any, own: Any) -> float:
    """How many times as much as those that were seen cases of a class may weigh, by the weights of the other class.

    These, sum w² / sum w in tenths of the scores, are averaged over the scores of the other class and over those of its
    own: where high scores are oversampled, the few positives of low scores weigh more than the rest, and may not have
    been seen. 1 where weights go with the class. A score between two tenths counts for half in both, so that falling
    scores have the same tenths as rising ones.
    """
    held = (other > 0) * 1 + (own > 0)
    middle, whole = PARTS * (2 * np.cumsum(held) - held), 2 * held.sum()
    below, above = np.maximum((middle - 1) // whole, 0), np.minimum(middle // whole, PARTS - 1)
    others, squared, owned = (
        (np.bincount(below, each, PARTS) + np.bincount(above, each, PARTS)) / 2
        for each in (other, squares, own)
    )
    typical = squared.sum() / others.sum()
    each = np.divide(squared, others, out=np.full(PARTS, typical), where=others > 0)
    return float(typical * owned.sum() / (owned * each).sum())


def clusters_of_class(units: Units) -> tuple[int, int]:
    """How many clusters hold positives, and how many negatives."""
    assert units.rows is not None
    assert units.cells is not None
    one = np.ones(units.table.scores.size)
    kinds = np.stack([one, 0 * one]), np.stack([0 * one, one])
    positive, negative = (int(np.count_nonzero(units.cells.sums(units.rows, each))) for each in kinds)
    return positive, negative


def obuchowski_variance(units: Units) -> float:
    """Variance of the AUC of clustered cases; clusters of one case each give DeLong's.

    Obuchowski 1997, Biometrics 53:567. NaN with fewer than two clusters that hold cases of a class.
    """
    assert units.rows is not None
    assert units.cells is not None
    on_positive, on_negative = auc_influence(units.table, float(auc_of(units.table)))
    nothing = np.zeros_like(on_positive)

    of_positive, of_negative = (
        units.cells.sums(units.rows, np.stack(each))
        for each in ((on_positive, nothing), (nothing, on_negative))
    )
    with_positive, with_negative = clusters_of_class(units)
    clusters = units.number
    if min(with_positive, with_negative) < 2:
        return float("nan")
    return float(
        with_positive / (with_positive - 1) * (of_positive**2).sum()
        + with_negative / (with_negative - 1) * (of_negative**2).sum()
        + 2 * clusters / (clusters - 1) * (of_positive * of_negative).sum()
    )


def auc_interval(auc: float, value: float, table: ScoreTable, units: Units, level: float) -> Found:
    """The interval around a value on the scale of the AUC, with the spread of the AUC of the table.

    An AUC of 0 or 1 shows no spread: Newcombe's method 5 needs none, only the sizes of the classes.
    """
    if abs(value - round(value)) < ROUNDING:
        value = float(round(value))
    if units.rows is not None:
        return _clustered(auc, value, units, level)
    before = "" if units.how == "influence" else f"{units.how}, "
    return placed_interval(auc, value, Placed.of(units, auc), level, before)


def placed_interval(auc: float, value: float, placed: Placed, level: float, before: str = "") -> Found:
    """The same of cases drawn alone, from the spread of their placements."""
    if not placed.variance > 1e-18 or value in (0, 1):
        return *newcombe5(value, placed.positives, placed.negatives, level), f"{before}Newcombe-5"
    return *placed.interval(auc, value, level), f"{before}moderated DeLong"


def _clustered(auc: float, value: float, units: Units, level: float) -> Found:
    """Obuchowski's variance on the logit scale; where it is 0, Newcombe's method 5 of the clusters that hold a class.

    Student's t has the degrees that the fourth moments of the clusters give (Satterthwaite 1946), and no more than the
    clusters that hold the rarer class, less one: where the truth is the same in a cluster, these may be few.
    """
    units = units.near
    held = clusters_of_class(units)
    if min(held) < 2:
        return "a class lies in one cluster, which shows no spread"
    variance = obuchowski_variance(units)
    if not variance > 1e-18 or value in (0, 1):
        return *newcombe5(value, *held, level), f"{units.how}, Newcombe-5"
    degrees = max(1.0, min(units.spread(*auc_influence(units.table, auc)).degrees, min(held) - 1))
    half = student_quantile(level, degrees) * float(np.sqrt(variance))
    return *scale_of((0, 1)).interval(value, half, 1.0), "Obuchowski, logit"


@interval("moderated DeLong", of=("roc_auc",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def roc_auc(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The interval of the AUC."""
    return auc_interval(value, value, table, units, level)


@interval("moderated DeLong", of=("gini",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def gini(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """That of the AUC, on the scale from -1 to 1."""
    auc = (value + 1) / 2
    found = auc_interval(auc, auc, table, units, level)
    return found if isinstance(found, str) else (2 * found[0] - 1, 2 * found[1] - 1, found[2])


@interval("moderated DeLong", of=("hull_auc",), tables=SCORES, drawn=ANYHOW, references=OF_AUC)
def hull_auc(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """Below, the end of the AUC's interval; above, that of an interval around the area under the hull.

    The area under the population's hull is at least its AUC, and the area under the sample's hull at least what the
    population's recalibration gives on the sample.
    """
    auc = float(auc_of(table))
    low = auc_interval(auc, auc, table, units, level)
    high = (value, 1.0, "") if value == 1 else auc_interval(auc, value, table, units, level)
    if isinstance(low, str) or isinstance(high, str):
        return low if isinstance(low, str) else str(high)
    return max(0.5, low[0]), max(value, high[1]), f"{low[2]} of the AUC below, of the hull above"


def _rival(name: str, reference: str, ends: Callable[[float, Placed, float], tuple[float, float]]) -> None:
    """Register another method of the AUC, and on its own scale of Gini's coefficient, on request."""

    def found(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
        of_gini = measure.name == "gini"
        auc = (value + 1) / 2 if of_gini else value
        placed = Placed.of(units, auc)
        if name != NEWCOMBE and (not placed.variance > 1e-18 or auc in (0, 1)):
            return "the estimated variance is zero"
        low, high = ends(auc, placed, level)
        words = name if units.how == "influence" else f"{units.how}, {name}"
        return (2 * low - 1, 2 * high - 1, words) if of_gini else (low, high, words)

    interval(
        name,
        of=AUCS,
        tables=SCORES,
        drawn=(*ALIKE, *WEIGHTED),
        when=ON_REQUEST,
        references=(reference,),
    )(found)


def _wald(auc: float, placed: Placed, level: float) -> tuple[float, float]:
    half = normal_quantile(level) * float(np.sqrt(placed.variance))
    return max(0.0, auc - half), min(1.0, auc + half)


NEWCOMBE = "Newcombe-5"
_rival("logit-DeLong", "delong1988", lambda auc, placed, level: logit_delong(auc, placed.variance, level))
_rival("DeLong", "delong1988", _wald)
_rival(
    NEWCOMBE,
    "newcombe2006",
    lambda auc, placed, level: newcombe5(auc, placed.positives, placed.negatives, level),
)
