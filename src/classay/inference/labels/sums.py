"""Intervals of measures that are sums of one share for each class: macro averages, balanced accuracy, informedness."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal

import numpy as np

from classay.inference.estimate import Found
from classay.inference.labels.class_shares import Among, ClassShares, Share
from classay.inference.labels.delta import delta_variance, matrix_influence
from classay.inference.labels.mover import (
    Array,
    Correlations,
    Map,
    f1_of_jaccard,
    share_itself,
    shared_quantile,
    square_and_add,
)
from classay.inference.labels.sampling_units import NOTHING, LabelUnits, Table
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.registry import ALWAYS, ANYHOW, LABELS, ON_REQUEST, Function, interval
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import ConfusionMatrix


@dataclass(frozen=True)
class Sum:
    """A measure as a sum over classes: of which share, how mapped, what each counts, and what is added.

    `stretched` says that the shares are not the whole of it: they vary together, or the weights of the classes do.
    """

    share: Share
    to: Map = share_itself
    each: Literal["mean", "sum", "difference", "by true cases"] = "mean"
    added: float = 0.0
    stretched: bool = False

    def weights(self, matrix: ConfusionMatrix) -> Array:
        """What the share of each class counts, `(classes,)`."""
        true = np.asarray(matrix.margins.true, float)
        if self.each == "by true cases":
            return np.asarray(true / true.sum())
        if self.each == "difference":
            return np.array([-1.0, 1.0])
        return np.full(true.size, 1 / true.size if self.each == "mean" else 1.0)


SUMS = {
    "balanced_accuracy": Sum("recall"),
    "macro_recall": Sum("recall"),
    "single_point_auc": Sum("recall"),
    "informedness": Sum("recall", each="sum", added=-1.0),
    "rate_gap": Sum("recall", each="difference"),
    "macro_precision": Sum("precision"),
    "markedness": Sum("precision", each="sum", added=-1.0),
    "macro_jaccard": Sum("jaccard"),
    "macro_f1": Sum("jaccard", f1_of_jaccard),
    "f1": Sum("jaccard", f1_of_jaccard),
    "macro_specificity": Sum("specificity", stretched=True),
    "weighted_specificity": Sum("specificity", each="by true cases", stretched=True),
    "macro_negative_predictive_value": Sum("negative_predictive_value", stretched=True),
    "weighted_negative_predictive_value": Sum(
        "negative_predictive_value", each="by true cases", stretched=True
    ),
}
STEP = 1e-30  # of complex-step derivatives (Squire & Trapp 1998)
ONE_CLASS = ("f1",)
"""Sums of one term, the positive class."""
DIFFERENCES = ("rate_gap",)
"""Differences of two terms without their sign."""


def matrix_of(table: Table) -> ConfusionMatrix:
    """Counts of one class against the rest as a matrix of two classes, the positive one last."""
    if isinstance(table, ConfusionMatrix):
        return table
    tp, fp, fn, tn = table
    return ConfusionMatrix(np.array([[tn, fn], [fp, tp]]), (0, 1))


def units_of(table: Table, units: LabelUnits) -> LabelUnits:
    """The units of such a table as those of its matrix."""
    if isinstance(table, ConfusionMatrix) or (units.squares is None and units.cells is None):
        return units
    squares = None if units.squares is None else matrix_of(units.squares)
    cells = units.cells
    if cells is None:
        return LabelUnits(units.seed, squares)
    return LabelUnits(units.seed, squares, units.rows, cells.moved(np.array([3, 2, 1, 0])))


@dataclass(frozen=True, eq=False)
class Terms:
    """The shares of the classes: hits among independent cases alike, quantiles and variances, `(classes,)` each.

    `together` are the correlations of the shares, of which none is negative.
    """

    hits: Array
    cases: Array
    quantiles: Array
    variances: Array
    together: Correlations | None

    @property
    def last(self) -> Terms:
        """The share of the last class alone."""
        hits, cases, quantiles, variances = (
            each[-1:] for each in (self.hits, self.cases, self.quantiles, self.variances)
        )
        return Terms(hits, cases, quantiles, variances, None)

    def variance(self, to: Map, by: Array) -> float:
        """The variance of the sum of the terms `by * to(hits / cases)`, by the delta method."""
        slope = np.imag(to(self.hits / self.cases + STEP * 1j)) / STEP
        off = by * slope * np.sqrt(self.variances)
        return float(off @ (off if self.together is None else self.together @ off))


def terms_alike(share: Share, matrix: ConfusionMatrix, level: float) -> Terms:
    """Recalls and precisions of classes whose sizes are given are independent; Jaccard indices are not."""
    among = Among.of(share, matrix.counts, matrix.labels)
    cases = np.where(among.all > 0, among.all, 1)  # a share of no cases is none of a class that counts
    together = JaccardCorrelations.of(matrix) if share == "jaccard" else None
    quantiles = np.full(cases.size, normal_quantile(level))
    return Terms(among.counted, cases, quantiles, among.counted * among.other / cases**3, together)


@dataclass(frozen=True, eq=False)
class JaccardCorrelations:
    """Correlations of the Jaccard indices of classes, and of all that rises with them, F1: of one error to both.

    With U_i the cases that are or are called i, cov(J_i, J_j) = (n_ij + n_ji) J_i J_j / (U_i U_j), and the variance is
    J (1 - J) / U (delta method). Only classes that are confused are linked: `first` and `second`, `(links,)`, by
    `cases`; and all of them a little, since one case is shared out among the cells of each class, so that no variance
    is 0. `scaled`, `(classes,)`, is sqrt(J / ((1 - J) U)).
    """

    first: Array
    second: Array
    cases: Array
    scaled: Array

    @classmethod
    def of(cls, matrix: ConfusionMatrix, scale: float = 1.0) -> JaccardCorrelations:
        """Those of the classes of a matrix, every cell times `scale`."""
        hits, predicted, true = (np.asarray(each, float) * scale for each in matrix.margins)
        k = hits.size
        union = predicted + true + 2 - (hits + 1 / k)
        index = (hits + 1 / k) / union
        scaled = np.sqrt(index / ((1 - index) * union)) if k > 1 else np.ones(1)
        i, j, cases = matrix.occupied
        off = i != j
        return cls(i[off], j[off], cases[off] * scale, scaled)

    def __matmul__(self, values: Array) -> Array:
        """The correlations times values, `(classes,)`, without a matrix of all pairs."""
        k = self.scaled.size
        moved = self.scaled * values
        linked = np.bincount(self.first, self.cases * moved[self.second], k)
        linked += np.bincount(self.second, self.cases * moved[self.first], k)
        return np.asarray(values + self.scaled * (linked + 2 / k * (moved.sum() - moved)))


def terms_unlike(
    share: Share, matrix: ConfusionMatrix, units: LabelUnits, level: float, classes: range
) -> Terms | str:
    """Shares of these classes, as of the cases alike that would vary as much, with Student's quantiles of few."""
    found = ClassShares.of(share, matrix, units)
    hits, variances = np.zeros((2, len(classes)))
    cases = np.ones(len(classes))
    quantiles = np.full(len(classes), normal_quantile(level))
    spreads, values, total = found.spreads(), found.values, found.weights.all
    for place, i in enumerate(classes):
        if not total[i] > 0:  # a class without a case counts nothing, as where cases are alike
            continue
        if np.isnan(spreads[i].variance):
            return "the cases of a class lie in one cluster, or are one, which shows no spread"
        cases[place] = spreads[i].effective(float(values[i]))
        hits[place] = values[i] * cases[place]
        quantiles[place], variances[place] = spreads[i].quantile(level), spreads[i].variance
    if found.by_cluster is None:
        assert units.squares is not None
        weight = matrix.total / float(matrix_of(units.squares).total)
        together = JaccardCorrelations.of(matrix, weight) if share == "jaccard" else None
        return Terms(hits, cases, quantiles, variances, together)
    sums = found.by_cluster[classes.start :]
    crossed = sums @ sums.T
    deviation = np.sqrt(crossed.diagonal())
    crossed = np.clip(np.nan_to_num(ratio(crossed, deviation[:, None] * deviation[None, :])), 0, 1)
    np.fill_diagonal(crossed, 1.0)
    return Terms(hits, cases, quantiles, variances, crossed)


def _stretch(measure: Measure, table: Table, units: LabelUnits, of_terms: float) -> float:
    """How many times the standard error of the terms a measure has: more where the weights of the classes vary too."""
    if units.squares is None and units.rows is None:
        assert isinstance(table, ConfusionMatrix)
        variance = delta_variance(*matrix_influence(measure, table))
    else:
        variance = units.spread(measure, table).variance
    return sqrt(variance / of_terms) if min(variance, of_terms) > NOTHING else 1.0


def _interval_by(combine: Any, name: str) -> Function[Table, LabelUnits]:
    def method(measure: Measure, table: Table, value: float, units: LabelUnits, level: float) -> Found:
        about = SUMS[measure.name]
        matrix, own = matrix_of(table), units_of(table, units)
        alike = own.squares is None and own.rows is None
        first = 1 if measure.name in ONE_CLASS else 0
        if alike:
            terms: Terms | str = terms_alike(about.share, matrix, level)
        else:
            terms = terms_unlike(about.share, matrix, own, level, range(first, len(matrix.labels)))
        if isinstance(terms, str):
            return terms
        by = np.ones(1) if first else about.weights(matrix)
        if first:
            terms = terms.last
        elif about.each == "difference":  # whose correlation lowers the variance, as the stretch tells
            terms = replace(terms, together=None)
        is_whole = first or (alike and not about.stretched)  # the terms are all that varies
        wider = 1.0 if is_whole else _stretch(measure, table, units, terms.variance(about.to, by))
        low, high = combine(terms.hits, terms.cases, wider * terms.quantiles, about.to, terms.together, by)
        if about.each == "difference":  # without its sign: 0 is within where both signs are
            low, high = (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
        bottom, top = measure.bounds
        low, high = max(low + about.added, bottom), min(high + about.added, top)
        return min(low, value), max(high, value), name if alike else f"{own.how}, {name}"

    return method


def _register() -> None:
    for name, combine, when, drawn in (
        ("shared Wilson", shared_quantile, ALWAYS, ANYHOW),
        ("MOVER-Wilson", square_and_add, ON_REQUEST, ANYHOW),
    ):
        several = tuple(each for each in SUMS if each not in (*ONE_CLASS, *DIFFERENCES))
        interval(
            name,
            of=several,
            tables=LABELS,
            drawn=drawn,
            when=when,
            references=("wilson1927", "newcombe1998", "zou2008", "rao1992"),
        )(_interval_by(combine, name))
    interval(
        "MOVER-Wilson",
        of=DIFFERENCES,
        tables=LABELS,
        drawn=ANYHOW,
        references=("wilson1927", "newcombe1998", "zou2008", "rao1992"),
    )(_interval_by(square_and_add, "MOVER-Wilson"))
    interval(
        "Wilson on Jaccard",
        of=ONE_CLASS,
        tables=LABELS,
        drawn=ANYHOW,
        references=("wilson1927", "rao1992"),
    )(_interval_by(shared_quantile, "Wilson on Jaccard"))


_register()
