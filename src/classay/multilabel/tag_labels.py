"""Intervals of measures of cases with several labels each: the case is the unit, its tags vary together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import DESIGNS, CellWeights, Design, corrected
from classay.inference.estimate import IntervalResult
from classay.inference.labels.effective import ClassValues
from classay.inference.labels.positive_correlations import (
    BLOCK,
    AbsentScores,
    PositiveCorrelations,
    standard_errors,
)
from classay.inference.labels.shares import STEP, register_proportions, shared_student, wilson_of_unlike
from classay.inference.labels.slopes import slopes_of
from classay.inference.labels.spreads import Shares
from classay.inference.methods import ANYHOW, TABLES, UNLIKE, interval
from classay.inference.proportions import normal_quantile, scale_of, wilson
from classay.inference.scores.linearised import AT_END, ONE_MORE, LossMoments
from classay.measures import Measure
from classay.measures.registry import ClassShare, Map, ratio
from classay.multilabel.mark_pairs import MarkPairs, pairs_of, times
from classay.multilabel.tag_measures import AverageOfTags
from classay.multilabel.tag_scores import MultilabelScores
from classay.multilabel.tag_tables import MultilabelTable
from classay.once import memoize
from classay.tables.rows import RowClusters
from classay.tables.sums import equal_cases, is_rounding

Array = NDArray[Any]
POOLED = ("hamming_loss", "weighted_recall", "weighted_false_negative_rate")
"""Measures of the counts of all tags added up; recall weighted by true cases is that of all tags."""
BETAS = {"f2": 2.0, "f0_5": 0.5}
"""The betas of the measures of this kind that have a name."""
CASES = 1_024
"""Cases whose marks are looked at together."""
DENSE_FROM = 12
"""Of how many pairs of marks one occurs, below which sums of blocks of all pairs are quicker than sparse products."""
SHARES: dict[ClassShare, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "precision": ((0,), (0, 1)),
    "recall": ((0,), (0, 2)),
    "jaccard": ((0,), (0, 1, 2)),
    "specificity": ((3,), (1, 3)),
    "negative_predictive_value": ((3,), (2, 3)),
}
"""The cells of TP, FP, FN, TN that a share counts, and those that it is among."""


def tag_design(table: MultilabelTable | MultilabelScores) -> Design:
    """How cases with several labels were drawn: the places are their distinct outcomes, or of scores their rows."""
    if isinstance(table, MultilabelScores):
        return Design.of_rows(
            table.rows, frequency=table.frequency, weight=table.weight, cluster=table.cluster
        )
    cases = table.outcomes
    rows = None if cases.cluster is None else RowClusters(cases.cluster, cases.weight.astype(np.float64))
    weight = cases.weight.astype(np.float64)
    squares = weight if cases.squares is cases.weight else cases.squares
    return Design(CellWeights(weight, squares), rows=rows)


DESIGNS |= {MultilabelTable: tag_design, MultilabelScores: tag_design}
TABLES |= {"tags": (MultilabelTable,), "tag_scores": (MultilabelScores,)}
register_proportions((MultilabelTable,))


@dataclass(frozen=True, eq=False)
class TagSpread:
    """How numbers of tags vary together, by their slopes, `(4, tags)`: what one more TP, FP, FN and TN of each adds.

    With x the marks of a case, 0 or 1, a number of a tag moves by b'x + d, where d is the slope of TN and b the others
    less d. The table holds the sums of x x' over the cases, and so of all products of two of these.
    """

    table: MultilabelTable
    slopes: Array
    design: Design

    @property
    def _products(self) -> Any:
        """The sums over units of products of marks; those of a cluster as far as the numbers move without it."""
        return self.table.products if self._factors is None else left_out_products(self.table)

    @cached_property
    def _factors(self) -> Array | None:
        """See `left_out_factors`; None where all are 1."""
        if self.table.by_cluster is None or self.design.number < 2:
            return None
        return None if (self.design.factors == 1).all() else self.design.factors

    @cached_property
    def _linear(self) -> tuple[Array, float]:
        """The sums over units of marks times the weight of the unit, `(3 tags,)`, and of squared weights of units."""
        table = self.table
        if table.by_cluster is not None:
            sizes = self.design.sums(np.ones((1, table.weights.size)))[0]
            squares = 1.0 if self._factors is None else self._factors**2
            return np.asarray(table.by_cluster.T @ (sizes * squares)), float((sizes * squares) @ sizes)
        marks = table.cells if table.squares is None else table.squares
        return marks.ravel().astype(np.float64), float(self.design.places.squares.sum())

    @property
    def _on_marks(self) -> tuple[Array, Array]:
        return self.slopes[:3] - self.slopes[3], self.slopes[3]

    @cached_property
    def correction(self) -> float:
        """n / (n - 1) of the units."""
        return corrected(self.design.number)

    def of_sum(self) -> float:
        """Return the variance of the sum of the numbers."""
        on_marks, absent = self._on_marks
        b, (linear, squares) = on_marks.ravel(), self._linear
        d = float(absent.sum())
        return float(b @ (self._products @ b) + 2 * d * (b @ linear) + d * d * squares) * self.correction

    def rows(self, first: int, last: int) -> Any:
        """Covariances of some of the numbers with all, `(some, tags)`; of many tags sparse, and those of marks."""
        tags = self.slopes.shape[1]
        if tags <= BLOCK:
            return self._of_few[first:last]
        if self._of_cases is not None:
            return self._among_cases(self._of_cases, first, last)
        return self._of_marks[first:last]

    @cached_property
    def _of_cases(self) -> Any:
        """What the marks of each case add to each number, `(cases, tags)`, where pairs of marks are not counted."""
        products = self._products
        if not isinstance(products, MarkPairs):
            return None
        on_marks, tags = self._on_marks[0], self.slopes.shape[1]
        scaled = (products.rooted * on_marks.ravel()).tocsr()  # SciPy 1.13 returns coordinates
        return sum(scaled[:, kind * tags : (kind + 1) * tags] for kind in range(3)).tocsr()

    def _among_cases(self, cases: Any, first: int, last: int) -> Array:
        """Covariances of some of the numbers with all, `(some, tags)`, summed over blocks of cases."""
        at, tags = slice(first, last), self.slopes.shape[1]
        covariances = np.zeros((last - first, tags))
        for start in range(0, cases.shape[0], CASES):
            block = cases[start : start + CASES].toarray()
            covariances += block[:, at].T @ block
        absent = self.slopes[3]
        if absent.any():
            linear, squares = self._linear
            moved = (self._on_marks[0] * linear.reshape(3, tags)).sum(0) + squares / 2 * absent
            covariances += moved[at, None] * absent + absent[at, None] * moved
        return covariances * self.correction

    @cached_property
    def _of_marks(self) -> Any:
        """What marks add to all covariances, a sparse matrix `(tags, tags)`."""
        from scipy.sparse import csr_array, dia_array, hstack, vstack

        on_marks, tags = self._on_marks[0], self.slopes.shape[1]
        products = self._products.tocsr()
        if products.nnz * DENSE_FROM > (3 * tags) ** 2:
            blocks = []
            for first in range(0, tags, BLOCK):
                at = slice(first, min(first + BLOCK, tags))
                rows = sum(
                    products[k * tags + at.start : k * tags + at.stop].toarray() * on_marks[k, at, None]
                    for k in range(3)
                )
                covariances = (rows * on_marks.ravel()).reshape(-1, 3, tags).sum(1)
                blocks.append(csr_array(covariances * self.correction))
            return vstack(blocks, "csr")
        by = hstack([dia_array((slopes[None], [0]), (tags, tags)) for slopes in on_marks], "csr")
        return (by @ products @ by.T * self.correction).tocsr()

    @cached_property
    def _of_few(self) -> Array:
        """All covariances, `(tags, tags)`, of so few tags that the sums of products are quicker as an array."""
        (on_marks, absent), products = self._on_marks, self._products.toarray()
        b = on_marks.ravel()
        covariances = (products * b[:, None] * b).reshape(3, absent.size, 3, absent.size).sum((0, 2))
        return np.asarray((covariances + self._with_absent) * self.correction)

    @property
    def _with_absent(self) -> Array | float:
        """What the slopes of true negatives add to the sums of products, `(tags, tags)`."""
        on_marks, absent = self._on_marks
        if not absent.any():
            return 0.0
        linear, squares = self._linear
        moved = (on_marks * linear.reshape(on_marks.shape)).sum(0)
        covariances = moved[:, None] * absent + absent[:, None] * moved
        return np.asarray(covariances + squares * absent[:, None] * absent)

    @property
    def _absent(self) -> AbsentScores | None:
        """The same as parts, where tags are too many for a matrix."""
        on_marks, absent = self._on_marks
        if absent.size <= BLOCK or not absent.any() or self._of_cases is not None:
            return None
        linear, squares = self._linear
        moved = (on_marks * linear.reshape(on_marks.shape)).sum(0)
        return AbsentScores(self._of_marks, absent, (moved + squares / 2 * absent) * self.correction)

    @cached_property
    def variances(self) -> Array:
        """The variance of each number, `(tags,)`."""
        tags = self.slopes.shape[1]
        if tags <= BLOCK:
            return np.diagonal(self._of_few)
        absent, cases = self.slopes[3], self._of_cases
        diagonal = self._of_marks.diagonal() if cases is None else (cases * cases).sum(0) * self.correction
        variances = np.asarray(diagonal, np.float64)
        if absent.any():
            linear, squares = self._linear
            moved = (self._on_marks[0] * linear.reshape(3, tags)).sum(0)
            variances = variances + (2 * moved * absent + squares * absent * absent) * self.correction
        return np.asarray(variances)

    @property
    def together(self) -> PositiveCorrelations:
        """The correlations of the numbers."""
        return PositiveCorrelations(self.rows, standard_errors(self.variances), self._absent)


@memoize
def left_out_products(table: MultilabelTable) -> Any:
    """Return the sums over clusters of products of marks, those of a cluster times its `left_out_factors`."""
    return pairs_of(times(table.by_cluster, tag_design(table).factors))


def _share_slopes(share: ClassShare, counts: tuple[Array, ...]) -> tuple[Array, Array, Array]:
    """Return what is counted and among what, `(tags,)` each, and the slopes of the share, `(4, tags)`."""
    numerator, among = SHARES[share]
    cells = np.stack([np.asarray(count, np.float64) for count in counts])
    hits, cases = cells[list(numerator)].sum(0), cells[list(among)].sum(0)
    value = ratio(hits, cases)
    slopes = np.zeros(cells.shape)
    for i in among:
        slopes[i] = ratio((1.0 if i in numerator else 0.0) - value, cases)
    return hits, cases, np.nan_to_num(slopes)


ALL_WRONG = "one incorrect case added"
"""What the end of an interval rests on that `extend_by_case` moved, of labels."""


def extend_by_case(
    measure: Measure,
    value: float,
    limits: tuple[float, float],
    slope: float,
    variance: float,
    design: Design,
    level: float,
    influence: Array,
) -> tuple[float, float]:
    """Limits of which one is no nearer than the normal one with one pseudo-case added, on the measure's scale.

    `slope` is what a unit of the weight of that case adds, `variance` that of the value. Among n cases the case adds
    u = slope · weight / n: the value becomes v + u n / (n + 1), its variance (V (n - 1) / n + u²) n / (n + 1). Weighted
    cases are as many equal ones; those of clusters as many as have the variance of these by `influence`, that of a
    number of the same cases.
    """
    number = count_equal_cases(design, influence)
    added = slope * design.total / number
    squares = variance / corrected(design.number) + added * added
    moved = value + added * number / (number + 1)
    low, high = measure.bounds
    if not low < moved < high or not squares > 0:
        return limits
    se = float(np.sqrt(squares * number / (number + 1)))
    ends = scale_of(measure.bounds).interval(moved, se, normal_quantile(level))
    return (min(limits[0], ends[0]), limits[1]) if moved <= value else (limits[0], max(limits[1], ends[1]))


def count_equal_cases(design: Design, influence: Array) -> float:
    """Count the equal, independent cases that these stand for: of clusters by a variance, at least their number."""
    equal = float(equal_cases(design.total, design.places.squares.sum()))
    if design.rows is None:
        return equal
    clustered, alone = design.powers(influence)[0], float(design.places.squares @ (influence * influence))
    return max(min(equal, design.number), min(equal, equal * alone / clustered if clustered > 0 else equal))


def extend_by_wrong_case(
    measure: Measure,
    table: MultilabelTable,
    value: float,
    slopes: Array,
    design: Design,
    level: float,
    interval_result: IntervalResult,
    variance: float | None = None,
) -> IntervalResult:
    """The interval, its end towards errors no nearer than with one case that has the tags of one, the calls of another.

    None of the tags is predicted correctly: each adds a false positive as often as it is predicted, a false negative as
    often as it is true. A sample without one of the few cases that are wrong in most tags shows too little spread.
    Measures that count one kind of error only hold without. `slopes` are those of the measure, `(4, tags)`.
    """
    if isinstance(interval_result, str) or value in measure.bounds:
        return interval_result
    if not (slopes[1].any() and slopes[2].any()):
        return interval_result
    low, high, method_text = interval_result
    tp, fp, fn, _ = (np.asarray(part, np.float64) for part in table.counts)
    on_marks = slopes[:3] - slopes[3]
    # a tag of most cases cannot be both called and true without being a hit: it is wrong once
    of_tag = np.maximum(design.total, 2 * tp + fp + fn)
    slope = float((on_marks[1] * (tp + fp) + on_marks[2] * (tp + fn)) @ (1 / of_tag) + slopes[3].sum())
    if variance is None:
        variance = TagSpread(table, slopes, design).of_sum()
    influence = _outcome_influence(pooled_slopes(measure, table, value), table)
    low, high = extend_by_case(measure, value, (low, high), slope, variance, design, level, influence)
    return low, high, f"{method_text}, {ALL_WRONG}"


def is_mean_of_shares(measure: Measure) -> bool:
    """Check whether a measure is an average over tags of a share of each, or of what rises with one."""
    if not isinstance(measure, AverageOfTags) or measure.name in POOLED:
        return False
    return measure.share_of is not None and measure.kind != "micro"


def is_pooled(measure: Measure) -> bool:
    """Check whether a measure is one of the counts of all tags added up."""
    return measure.name in POOLED or (isinstance(measure, AverageOfTags) and measure.kind == "micro")


@interval(
    "Wilson limits combined",
    of=is_mean_of_shares,
    tables=(MultilabelTable,),
    drawn=ANYHOW,
    references=("wilson1927", "newcombe1998", "satterthwaite1946", "rao1992"),
)
def mean_of_shares(
    measure: Measure, table: MultilabelTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Wilson's limits of the tags, shared out by how their shares vary together.

    The errors of tags that show none are taken to fall on the same cases, as far as tags are of the same ones.
    """
    assert isinstance(measure, AverageOfTags)
    assert measure.share_of is not None
    about = measure.share_of
    limits = _of_shares(measure, table, value, design, level, SharedOut(about.share, about.to, about.added))
    if about.share != "jaccard":  # other shares count one kind of error
        return limits
    return extend_by_wrong_case(measure, table, value, _slopes(measure, table, value), design, level, limits)


class SharedOut(NamedTuple):
    """Of what shares of tags a mean is made, how mapped, and what is added."""

    share: ClassShare
    to: Map
    added: float = 0.0


def _of_shares(
    measure: AverageOfTags,
    table: MultilabelTable,
    value: float,
    design: Design,
    level: float,
    about: SharedOut,
) -> IntervalResult:
    counts = table.counts
    hits, cases, slopes = _share_slopes(about.share, counts)
    by, relevant = np.full(hits.size, 1 / hits.size), np.ones(hits.size, bool)
    if measure.kind == "weighted":
        relevant = table.true > 0
        by = table.true / table.true.sum()
    is_sure = (hits == 0) | (hits == cases)  # by counted cells; its variance would be a rounding error
    spread = TagSpread(table, np.where(relevant & ~is_sure, slopes, 0.0), design)
    if design.number < 2:
        return "one case shows no variation"
    flat = is_sure | is_rounding(np.sqrt(np.maximum(spread.variances, 0.0)), 1.0)
    together = WithoutErrors.among(spread.together, table, about.share, flat & relevant)
    hits, cases = np.where(relevant, hits, 0.0), np.where(relevant, cases, 1.0)
    if not design.is_alike:
        p = hits / cases
        most = np.minimum(cases * design.number / design.total, design.number)
        equal = np.where(flat, most, ratio(p * (1 - p), np.where(flat, 1.0, spread.variances)))
        cases = np.where(relevant, np.maximum(equal, 1.0), 1.0)
        hits = p * cases
    wider = 1.0
    if measure.kind == "weighted":
        slope = np.imag(about.to(hits / cases + STEP * 1j)) / STEP
        off = by * slope * spread.together.sd
        terms = float(off @ (spread.together @ off))
        variance = TagSpread(table, _weighted_slopes(measure.of, table, value), design).of_sum()
        wider = float(np.sqrt(variance / terms)) if min(variance, terms) > 1e-24 else 1.0
    limits = shared_student(hits, cases, level, about.to, together, by, max(wider, 1e-9))
    low, high = (limit + about.added for limit in limits)
    return min(value, low), max(value, high), f"{design.before}Wilson limits combined, t"


@dataclass(frozen=True, eq=False)
class WithoutErrors:
    """Correlations, and those of shares that show no spread: as if all errors of a case came together.

    `flat` are the places of such shares, and `joint` how far two of them are of the same cases; None stands for shares
    of nearly all cases.
    """

    others: PositiveCorrelations
    flat: Array
    joint: PositiveCorrelations | None

    @classmethod
    def among(
        cls, others: PositiveCorrelations, table: MultilabelTable, share: ClassShare, flat: Array
    ) -> WithoutErrors:
        """Return the same, by the cases that the shares are among."""
        places, tags = np.flatnonzero(flat), flat.size
        among = SHARES[share][1]
        if 3 in among:  # cases without the tag, or not called by it, of which nearly all are
            return cls(others, places, None)
        products, parts = table.products, [places + kind * tags for kind in among]
        if isinstance(products, MarkPairs):
            marks = products.rooted.tocsc()
            marked = sum(marks[:, part] for part in parts).astype(np.float64)
            of_places = PositiveCorrelations(
                lambda first, last: (marked[:, first:last].T @ marked).tocsr(),
                np.sqrt(np.asarray((marked * marked).sum(0))),
            )
            return cls(others, places, of_places)
        products = products.tocsr()
        joint = sum(products[rows][:, columns] for rows in parts for columns in parts).astype(np.float64)
        sd = np.sqrt(joint.diagonal())
        return cls(others, places, PositiveCorrelations(lambda first, last: joint[first:last], sd))

    def __matmul__(self, values: Array) -> Array:
        """R v of several vectors, `(numbers, vectors)`."""
        products, flat_values = self.others @ values, values[self.flat]
        products[self.flat] = flat_values.sum(0) if self.joint is None else self.joint @ flat_values
        return np.asarray(products)


def _weighted_slopes(of: Measure, table: MultilabelTable, value: float) -> Array:
    """Return what one more case of each cell of each tag adds to a mean by true cases, `(4, tags)`."""
    counts, true = table.counts, table.true.astype(np.float64)
    values = np.nan_to_num(of.raw(*counts))
    slopes = np.nan_to_num(slopes_of(of, counts)) * true
    for i in (0, 2):  # of TP and FN, which the tag's weight counts
        slopes[i] += values - value
    return np.asarray(slopes / true.sum())


def _slopes(measure: AverageOfTags, table: MultilabelTable, value: float) -> Array:
    if measure.kind == "weighted":
        return _weighted_slopes(measure.of, table, value)
    return slopes_of(measure.of, table.counts) / len(table.labels)


def is_mean_over_tags(measure: Measure) -> bool:
    """Check whether a measure is a mean over tags, of what each has by its counts."""
    return isinstance(measure, AverageOfTags) and not is_pooled(measure)


@interval(
    "influence function",
    of=is_mean_over_tags,
    tables=(MultilabelTable,),
    drawn=ANYHOW,
    references=("binder1983",),
)
def mean_of_tags(
    measure: Measure, table: MultilabelTable, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± z · se on the scale of the range, from how the tags vary together.

    F-beta at an end has the limits of Jaccard, as if all errors were of the kind that counts more at 1, or less at 0.
    """
    assert isinstance(measure, AverageOfTags)
    if value in measure.bounds:
        if (beta := BETAS.get(measure.of.name, measure.of.parameters.get("beta"))) is None:
            return AT_END
        worst = max(1.0, beta * beta) if value == 1 else min(1.0, beta * beta)

        def of_jaccard(share: Any) -> Any:
            return (1 + beta**2) * share / ((1 + beta**2) * share + worst * (1 - share))

        return _of_shares(measure, table, value, design, level, SharedOut("jaccard", of_jaccard))
    if measure.bounds == (0.0, 1.0):
        limits = _limits_by_effective_cases(measure, table, value, design, level)
        return extend_by_wrong_case(
            measure, table, value, _slopes(measure, table, value), design, level, limits
        )
    variance = TagSpread(table, _slopes(measure, table, value), design).of_sum()
    if isnan(variance):
        return "one case shows no variation"
    scale = scale_of(measure.bounds)
    low, high = scale.interval(value, float(np.sqrt(max(0.0, variance))), design.quantile(level))
    return low, high, f"{design.how}, {scale.name}"


def _limits_by_effective_cases(
    measure: AverageOfTags, table: MultilabelTable, value: float, design: Design, level: float
) -> IntervalResult:
    """As of classes, see `mean_of_classes`; the weights of a mean by true cases widen it by what they bring."""
    if design.number < 2:
        return "one case shows no variation"
    counts = tuple(np.asarray(part, np.float64) for part in table.counts)
    relevant, by = np.ones(counts[0].size, bool), np.full(counts[0].size, 1 / counts[0].size)
    if measure.kind == "weighted":
        relevant, by = table.true > 0, table.true / table.true.sum()
    slopes = np.where(relevant, np.nan_to_num(slopes_of(measure.of, counts)), 0.0)
    values = np.where(relevant, np.nan_to_num(measure.of.raw(*counts)), 0.0)
    spread = TagSpread(table, slopes, design)
    variances = np.maximum(spread.variances, 0.0)
    flat = is_rounding(np.sqrt(variances), 1.0) & relevant
    together = WithoutErrors.among(spread.together, table, "jaccard", flat)
    sizes = np.minimum((counts[0] + counts[1] + counts[2]) * (design.number / design.total), design.number)
    if design.is_alike:
        sizes = counts[0] + counts[1] + counts[2]
    tags = ClassValues(values, variances, slopes, counts, sizes, together)
    wider = 1.0
    if measure.kind == "weighted":
        reach = by * spread.together.sd
        terms = float(reach @ (spread.together @ reach))
        variance = TagSpread(table, _weighted_slopes(measure.of, table, value), design).of_sum()
        wider = float(np.sqrt(variance / terms)) if min(variance, terms) > 1e-24 else 1.0
    low, high = tags.limits(level, by, max(wider, 1e-9))
    return (
        min(value, low),
        max(value, high),
        f"{design.before}Wilson limits combined, effective sample size, t",
    )


@interval(
    "influence function",
    of=is_pooled,
    tables=(MultilabelTable,),
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946", "wilson1927"),
)
def pooled_counts(
    measure: Measure, table: MultilabelTable, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se on the scale of the range, by what the tags of each case add together; at an end Wilson's.

    There the cases that it is about count: of precision those with a called tag, of recall those with a true one.
    """
    influence = _pooled_influence(measure, table, value)
    limits = by_moments(measure, value, influence, design, level, _about(measure, table))
    slopes = pooled_slopes(measure, table, value)[:, None] * np.ones(len(table.labels))
    variance = design.spread(influence).variance
    return extend_by_wrong_case(measure, table, value, slopes, design, level, limits, variance)


ABOUT = {"false_negative_rate": "recall"}
"""Measures that are about the same cases as a share is."""


def _about(measure: Measure, table: MultilabelTable) -> Array:
    """Return which outcomes a measure of the counts of all tags is about, `(outcomes,)`."""
    cases = table.outcomes
    if not isinstance(measure, AverageOfTags):  # each tag of every case
        return np.ones(cases.tp.size, bool)
    of = measure.of.share_of
    share = of.share if of is not None else ABOUT.get(measure.of.name, "jaccard")
    cells = (cases.tp, cases.fp, cases.fn, len(table.labels) - cases.tp - cases.fp - cases.fn)
    about: list[Array] = [cells[i] for i in SHARES[share][1]]  # type: ignore[index]
    return np.asarray(np.sum(about, axis=0) > 0)


def _pooled_influence(measure: Measure, table: MultilabelTable, value: float) -> Array:
    """Return what one more case of each outcome adds to a measure of the counts of all tags added up."""
    if measure.of_cases is not None:
        return influence_of_means(measure.of_cases(table), table.weights, value)
    return _outcome_influence(pooled_slopes(measure, table, value), table)


def pooled_slopes(measure: Measure, table: MultilabelTable, value: float) -> Array:
    """What one more TP, FP, FN and TN of any tag adds to a measure of the counts of all tags added up, `(4,)`."""
    if isinstance(measure, AverageOfTags):
        return slopes_of(measure.of, tuple(np.asarray(part.sum(-1)) for part in table.counts))
    pairs = float(table.cases) * len(table.labels)
    return (np.array([0.0, 1.0, 1.0, 0.0]) - value) / pairs


def _outcome_influence(slopes: Array, table: MultilabelTable) -> Array:
    """Return what one more case of each outcome adds, from what one more TP, FP, FN and TN does."""
    outcomes, tags = table.outcomes, len(table.labels)
    marks = (outcomes.tp, outcomes.fp, outcomes.fn, tags - outcomes.tp - outcomes.fp - outcomes.fn)
    return np.asarray(sum(slope * mark for slope, mark in zip(slopes, marks, strict=True)))


def influence_of_means(values: Array, weight: Array, value: float) -> Array:
    """Return what one more case adds to the mean of the cases that have a value; nothing, where it has none."""
    has = ~np.isnan(values)
    return np.asarray(np.where(has, values - value, 0.0) / weight[has].sum())


def influence_on_tags(measure: Measure, table: MultilabelTable, marks: Sequence[Any], value: float) -> Array:
    """What one more of each case adds to a measure of called tags, `(cases,)`; the outcomes are those of the cases.

    `marks` say which tags of which cases are true positives, false positives and false negatives.
    """
    if measure.name == "exact_match":
        outcomes = table.outcomes
        right = ((outcomes.fp + outcomes.fn) == 0).astype(np.float64)
        return influence_of_means(right, table.weights, value)
    if measure.of_cases is not None or is_pooled(measure):
        return _pooled_influence(measure, table, value)
    assert isinstance(measure, AverageOfTags)
    slopes = _slopes(measure, table, value)
    influence = sum(mark @ on_mark for mark, on_mark in zip(marks, slopes[:3] - slopes[3], strict=True))
    return np.asarray(influence + slopes[3].sum())


def by_moments(
    measure: Measure, value: float, influence: Any, design: Design, level: float, about: Array
) -> IntervalResult:
    """value ± t · se on the scale of the range, degrees of freedom by moments; at an end Wilson's.

    `about` says which places the measure is about, `(places,)`: at an end, only the units that hold them show anything.
    """
    if design.number < 2:
        return "one case shows no variation"
    if value in measure.bounds or design.spread(influence).is_none(value):
        if value not in measure.bounds:
            return "all cases have the same value"
        number = design.among(about).number
        low, high = wilson(value * number, number, level)  # every bound is 0 or 1
        return float(low), float(high), f"{design.before}Wilson"
    spread, scale = design.spread(influence), scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{design.how}, t, {scale.name}"


@interval(
    "Wilson, effective sample size",
    of=("exact_match",),
    tables=(MultilabelTable,),
    drawn=UNLIKE,
    references=("wilson1927", "rao1992"),
)
def share_of_unlike(
    measure: Measure, table: MultilabelTable, value: float, design: Design, level: float
) -> IntervalResult:
    """Wilson's interval with the number of equal cases of this variance; Student's quantile for the normal one."""
    right = ((table.outcomes.fp + table.outcomes.fn) == 0).astype(np.float64)[None]
    return wilson_of_unlike(
        Shares.of_one(design, right, np.ones_like(right)).spreads()[0], value, design, level
    )


def mean_of_cases(measure: Measure, table: Any, value: float, design: Design, level: float) -> IntervalResult:
    """The interval of a mean over cases, as 1 minus a mean loss, or a loss itself, with one more case of a large loss.

    The few cases that a good classifier errs in make up most of the loss: see `LossMoments.one_more_case`. Ranks are
    losses over their range, from 1 to the number of tags. Cases without a value count nothing.
    """
    assert measure.of_cases is not None
    low, high = (
        measure.bounds if np.isfinite(measure.bounds[1]) else (measure.bounds[0], float(len(table.labels)))
    )
    if high <= low:
        return "there is only one tag"
    values = (measure.of_cases(table) - low) / (high - low)
    has = ~np.isnan(values) & (design.places.weight > 0)
    losses = np.where(has, values if measure.best == low else 1 - values, 0.0)
    within = design.among(has)
    if within.number < 2:
        return "one case shows no variation"
    mean = float((within.places.weight * losses).sum() / within.total)
    influence = np.where(has, losses - mean, 0.0) / within.total
    one = max(float(losses[has].max()), 0.5)
    if within.spread(influence).is_none(1.0):
        bottom, top = wilson(mean * within.number, within.number, level)
        ends: tuple[float, float] = (float(bottom) if mean == 1 else 0.0, max(mean, float(top)))
        how = f"{within.before}Wilson"
    else:
        ends = LossMoments.of_influence(mean, influence, within, one).one_more_case(level, (0.0, 1.0))
        how = f"{within.before}t, logit, {ONE_MORE}"
    first, last = ends if measure.best == low else (1 - ends[1], 1 - ends[0])
    limits = low + first * (high - low), low + last * (high - low)
    return min(value, limits[0]), max(value, limits[1]), how


def is_mean_over_cases(measure: Measure) -> bool:
    """Check whether a measure is a mean over cases of what each has of its own tags."""
    return measure.of_cases is not None


interval(
    "one pseudo-case added",
    of=is_mean_over_cases,
    tables=(MultilabelTable,),
    drawn=ANYHOW,
    references=("student1908", "satterthwaite1946", "binder1983"),
)(mean_of_cases)
