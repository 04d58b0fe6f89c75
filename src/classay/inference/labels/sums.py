"""Intervals of measures that are sums of one share for each class: macro averages, balanced accuracy, informedness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from classay.inference.estimate import Found
from classay.inference.labels.class_shares import ClassShares, Share
from classay.inference.labels.mover import (
    Array,
    Correlations,
    Map,
    f1_of_jaccard,
    share_itself,
    shared_quantile,
    square_and_add,
)
from classay.inference.labels.sampling_units import LabelUnits, Table
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.registry import ALWAYS, ANYHOW, LABELS, ON_REQUEST, Function, interval
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import ConfusionMatrix


@dataclass(frozen=True)
class Sum:
    """A measure as a sum over classes: of which share, how mapped, as a mean or not, and what is added."""

    share: Share
    to: Map = share_itself
    mean: bool = True
    added: float = 0.0


SUMS = {
    "balanced_accuracy": Sum("recall"),
    "macro_recall": Sum("recall"),
    "single_point_auc": Sum("recall"),
    "informedness": Sum("recall", mean=False, added=-1.0),
    "macro_precision": Sum("precision"),
    "markedness": Sum("precision", mean=False, added=-1.0),
    "macro_jaccard": Sum("jaccard"),
    "macro_f1": Sum("jaccard", f1_of_jaccard),
    "f1": Sum("jaccard", f1_of_jaccard),
}
ONE_CLASS = ("f1",)
"""Sums of one term, the positive class."""


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
    """The shares of the classes as hits among independent cases alike, `(classes,)`, and their correlations."""

    hits: Array
    cases: Array
    together: Correlations | None


def terms_alike(share: Share, matrix: ConfusionMatrix) -> Terms:
    """Recalls and precisions of classes whose sizes are given are independent; Jaccard indices are not."""
    hits, predicted, true = (np.asarray(each, float) for each in matrix.margins)
    if share == "recall":
        return Terms(hits, true, None)
    if share == "precision":
        return Terms(hits, predicted, None)
    return Terms(hits, predicted + true - hits, JaccardCorrelations.of(matrix))


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
    """Shares of these classes, as of the cases alike that would vary as much, fewer where clusters are few."""
    found = ClassShares.of(share, matrix, units)
    hits, cases = np.zeros((2, len(classes)))
    spreads, values, total = found.spreads(), found.values, found.weights.all
    for place, i in enumerate(classes):
        if not total[i] > 0:  # a class without a case counts nothing, as where cases are alike
            continue
        if np.isnan(spreads[i].variance):
            return "the cases of a class lie in one cluster, or are one, which shows no spread"
        cases[place] = spreads[i].normal_cases(float(values[i]), level)
        hits[place] = values[i] * cases[place]
    if found.by_cluster is None:
        assert units.squares is not None
        weight = matrix.total / float(matrix_of(units.squares).total)
        return Terms(hits, cases, JaccardCorrelations.of(matrix, weight) if share == "jaccard" else None)
    sums = found.by_cluster[classes.start :]
    together = sums @ sums.T
    deviation = np.sqrt(together.diagonal())
    together = ratio(together, deviation[:, None] * deviation[None, :])
    together = np.clip(np.nan_to_num(together), -1, 1)
    np.fill_diagonal(together, 1.0)
    return Terms(hits, cases, together)


def _interval_by(combine: Any, name: str) -> Function[Table, LabelUnits]:
    def method(measure: Measure, table: Table, value: float, units: LabelUnits, level: float) -> Found:
        about = SUMS[measure.name]
        matrix, own = matrix_of(table), units_of(table, units)
        alike = own.squares is None and own.rows is None
        one = measure.name in ONE_CLASS
        if alike:
            terms: Terms | str = terms_alike(about.share, matrix)
        else:
            classes = range(1 if one else 0, len(matrix.labels))
            terms = terms_unlike(about.share, matrix, own, level, classes)
        if isinstance(terms, str):
            return terms
        if one:
            terms = Terms(terms.hits[-1:], terms.cases[-1:], None)
        low, high = combine(terms.hits, terms.cases, normal_quantile(level), about.to, terms.together)
        scale = 1 / terms.hits.size if about.mean else 1.0
        bottom, top = measure.bounds
        low, high = max(low * scale + about.added, bottom), min(high * scale + about.added, top)
        return min(low, value), max(high, value), name if alike else f"{own.how}, {name}"

    return method


def _register() -> None:
    for name, combine, when, drawn in (
        ("shared Wilson", shared_quantile, ALWAYS, ANYHOW),
        ("MOVER-Wilson", square_and_add, ON_REQUEST, ANYHOW),
    ):
        several = tuple(each for each in SUMS if each not in ONE_CLASS)
        interval(
            name,
            of=several,
            tables=LABELS,
            drawn=drawn,
            when=when,
            references=("wilson1927", "newcombe1998", "zou2008", "rao1992"),
        )(_interval_by(combine, name))
    interval(
        "Wilson on Jaccard",
        of=ONE_CLASS,
        tables=LABELS,
        drawn=ANYHOW,
        references=("wilson1927", "rao1992"),
    )(_interval_by(shared_quantile, "Wilson on Jaccard"))


_register()
