"""MultilabelTable: right, wrong and missed tags of cases with several labels each, as counts that add up exactly."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.columns.labels import Labels, united
from classay.compiled import kernel, pays
from classay.errors import MergeError
from classay.kinds import TypedFields
from classay.multilabel.mark_pairs import (
    DENSE_FROM,
    MarkPairs,
    are_few,
    moved_to,
    pairs_of,
    sum_of_pairs,
    times,
)
from classay.once import memoize
from classay.tables import BinaryCounts, ConfusionMatrix
from classay.tables.own import OwnTable
from classay.tables.sums import Mergeable, settled

Array = NDArray[Any]
BLOCK = 16_384
"""Cases of a dense block: the counts of one are exact in 32 bits."""
MARKS = 1_500
"""Marks whose pairs with all others are counted together: nothing is as large as all pairs but what is kept of them."""
MOST_DENSE_TAGS = 3_000
"""Tags up to which dense products fit into memory."""


class Outcomes(NamedTuple):
    """The distinct outcomes of cases: how many tags each has right, called wrongly and missed; weights, clusters.

    `weight` and `squares`, `(outcomes,)`, are sums of weights and of their squares, the same array where cases count
    alike; `cluster` is the code of the cluster of each, None where cases are independent.
    """

    tp: Array
    fp: Array
    fn: Array
    weight: Array
    squares: Array
    cluster: Array | None = None


@dataclass(frozen=True, eq=False)
class MultilabelTable(TypedFields, Mergeable, OwnTable):
    """Counts of cases with several labels each: by tag, by pair of tags, and by the outcome of each case.

    A tag of a case is a true positive, a false positive or a false negative, or none of these: three marks a tag.
    `cells`, `(3, tags)`, hold the weight of the cases with each mark; `joint`, a sparse matrix `(3 tags, 3 tags)`,
    says how often one case has two marks (sums of squared sampling weights), from which the variance of every
    measure of all tags follows; `MarkPairs` where these are many more than marks. `outcomes` says how many marks of
    each kind cases have. With clusters, `by_cluster`, sparse, `(clusters, 3 tags)`, holds the marks of each cluster
    instead, and `clusters` names them. `squares` are the cells of squared sampling weights. `rest`, `(2, tags)`,
    holds the weights, and squared weights, of the cases without a mark, None where cases are counted, whose numbers
    are exact differences. Adding two tables is exact: a tag that one of them lacks occurs in none of its cases.

    >>> from classay.multilabel.tag_marks import tag_marks
    >>> truth, called = (tag_marks(rows, "truth").marks for rows in ([[1, 0], [1, 1]], [[1, 1], [0, 1]]))
    >>> table = MultilabelTable.from_marks(truth, called, ("cat", "dog"))
    >>> table.counts.tp, table.counts.fp, table.counts.fn, table.counts.tn
    (array([1, 1]), array([0, 1]), array([1, 0]), array([0, 0]))
    >>> table.one("dog")
    BinaryCounts(tp=np.int64(1), fp=np.int64(1), fn=np.int64(0), tn=np.int64(0))
    """

    labels: Labels
    cells: Array
    joint: Any
    outcomes: Outcomes
    clusters: tuple[Hashable, ...] | None = None
    by_cluster: Any = None
    squares: Array | None = None
    rest: Array | None = None

    @classmethod
    def from_marks(
        cls,
        truth: Any,
        called: Any,
        labels: Sequence[Hashable],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
        cluster: Array | None = None,
        clusters: tuple[Hashable, ...] | None = None,
    ) -> MultilabelTable:
        """Count sparse matrices of ones, `(cases, tags)`: which tags are true, and which are called.

        `weight` is a sampling weight of each case, `frequency` how often it is repeated, `cluster` the code of its
        cluster.
        """
        marks = marks_of(truth, called)
        tags, row_weight = len(labels), weight if frequency is None else frequency
        counts = np.stack([np.diff(matrix.indptr) for matrix in marks])
        outcomes = _grouped(
            [_outcomes_of(counts, row_weight, None if weight is None else weight * weight, cluster)]
        )
        cells = _cells(marks, row_weight, tags)
        squares = None if weight is None else _cells(marks, weight * weight, tags)
        rest = _rest(marks, weight)
        if cluster is None:
            joint = _products(marks, row_weight if weight is None else weight * weight)
            return cls(Labels.of(labels), cells, joint, outcomes, squares=squares, rest=rest)
        assert clusters is not None
        by_cluster = _by_cluster(marks, cluster, len(clusters), row_weight)
        return cls(Labels.of(labels), cells, None, outcomes, clusters, by_cluster, squares, rest)

    @classmethod
    def by_case(
        cls, marks: Sequence[Any], labels: Labels, weight: Array | None, frequency: Array | None
    ) -> MultilabelTable:
        """Counts of the marks of `marks_of`, each case's outcome kept apart for values by case; no joint counts."""
        counts = np.stack([np.diff(matrix.indptr) for matrix in marks])
        row_weight = weight if frequency is None else frequency
        squares = None if weight is None else weight * weight
        outcomes = _outcomes_of(counts, row_weight, squares, None)
        return cls(labels, _cells(marks, row_weight, len(labels)), None, outcomes, rest=_rest(marks, weight))

    @property
    def cases(self) -> Any:
        """How many cases there are, or their weight."""
        return self.outcomes.weight.sum()

    @property
    def weights(self) -> Array:
        """The weight of each distinct outcome of cases."""
        return self.outcomes.weight

    @property
    def is_weighted(self) -> bool:
        """Whether the cases have sampling weights."""
        return self.outcomes.squares is not self.outcomes.weight

    @property
    def counts(self) -> BinaryCounts:
        """True and false positives and negatives of each tag, `(tags,)` each."""
        tp, fp, fn = self.cells
        return BinaryCounts(tp, fp, fn, self._unmarked[0])

    @property
    def _unmarked(self) -> Array:
        """The weight of the cases without a mark of each tag, and their squared weights, `(2, tags)`."""
        if self.rest is not None:
            return self.rest
        if self.squares is None:
            return np.asarray(np.maximum(self.cases - self.cells.sum(0), 0)[None])
        wholes = np.array(
            [[self.outcomes.weight.sum()], [self.outcomes.squares.sum()]]
        )  # a file of an early version
        marked = np.stack([self.cells.sum(0), self.squares.sum(0)])
        return np.asarray(np.maximum(settled(wholes - marked, wholes), 0))

    @property
    def true(self) -> Array:
        """The cases (or weight) that truly have each tag, `(tags,)`."""
        return np.asarray(self.cells[0] + self.cells[2])

    def one(self, tag: Hashable) -> BinaryCounts:
        """Return the counts of one tag."""
        at = self.labels.index(tag)
        return BinaryCounts(*(counts[at] for counts in self.counts))

    def matrix_of(self, tag: Hashable, rest: Hashable) -> ConfusionMatrix:
        """Return one tag against its absence, as a confusion matrix of two classes."""
        at = self.labels.index(tag)
        tp, fp, fn, tn = (counts[at] for counts in self.counts)
        squares = None
        if self.squares is not None:
            p, q, m = self.squares[:, at]
            squares = np.array([[self._unmarked[1, at], m], [q, p]])
        return ConfusionMatrix(np.array([[tn, fn], [fp, tp]]), (rest, tag), squares)

    @property
    def products(self) -> Any:
        """The joint counts of marks; with clusters, the sums over clusters of the products of their counts.

        A sparse matrix, or `MarkPairs`.
        """
        return self.joint if self.by_cluster is None else _cluster_products(self)

    def over(self, labels: Labels) -> MultilabelTable:
        """Return the same table with these tags, which include its own; the other tags occur in no case."""
        if labels == self.labels:
            return replace(self, labels=labels)
        place = {label: i for i, label in enumerate(labels)}
        to = np.array([place[label] for label in self.labels], np.int64)
        marks = np.concatenate([to + kind * len(labels) for kind in range(3)])

        def wide(cells: Array) -> Array:
            widened = np.zeros((3, len(labels)), cells.dtype)
            widened[:, to] = cells
            return widened

        rest = self.rest
        if rest is not None:
            totals = [values.sum() for values in (self.outcomes.weight, self.outcomes.squares)]
            rest = np.repeat(np.array(totals)[:, None], len(labels), 1)
            rest[:, to] = self.rest

        return replace(
            self,
            labels=labels,
            rest=rest,
            cells=wide(self.cells),
            squares=None if self.squares is None else wide(self.squares),
            joint=self.joint.moved(marks, 3 * len(labels))
            if isinstance(self.joint, MarkPairs)
            else None
            if self.joint is None
            else moved_to(self.joint, marks, marks, (3 * len(labels),) * 2),
            by_cluster=None
            if self.by_cluster is None
            else moved_to(
                self.by_cluster,
                np.arange(self.by_cluster.shape[0]),
                marks,
                (self.by_cluster.shape[0], 3 * len(labels)),
            ),
        )

    def __add__(self, other: MultilabelTable) -> MultilabelTable:
        if (self.clusters is None) != (other.clusters is None):
            raise MergeError("Only one of the tables has clusters. Assess both in the same way.")
        labels = self.labels | other.labels
        here, there = self.over(labels), other.over(labels)
        cells = here.cells + there.cells
        squares = None if here.squares is None or there.squares is None else here.squares + there.squares
        rest = None if squares is None else here._unmarked + there._unmarked
        if here.clusters is None or there.clusters is None:
            outcomes = _grouped([here.outcomes, there.outcomes])
            return MultilabelTable(
                labels, cells, sum_of_pairs(here.joint, there.joint), outcomes, squares=squares, rest=rest
            )
        clusters = united(
            (("here", Labels.of(here.clusters)), ("there", Labels.of(there.clusters))), "clusters"
        )
        place = {label: i for i, label in enumerate(clusters)}
        moved, sums = [], None
        for table in (here, there):
            to = np.array([place[label] for label in table.clusters or ()], np.int64)
            assert table.outcomes.cluster is not None
            moved.append(table.outcomes._replace(cluster=to[table.outcomes.cluster]))
            marks = np.arange(3 * len(labels))
            part = moved_to(table.by_cluster, to, marks, (len(clusters), marks.size))
            sums = part if sums is None else sums + part
        return MultilabelTable(labels, cells, None, _grouped(moved), tuple(clusters), sums, squares, rest)


def marks_of(truth: Any, called: Any) -> tuple[Any, Any, Any]:
    """Which tags of which cases are true positives, false positives and false negatives, as sparse matrices of ones."""
    hits = truth.multiply(called).tocsr()
    return hits, _ones(called - hits), _ones(truth - hits)


def _ones(matrix: Any) -> Any:
    matrix = matrix.tocsr()
    matrix.eliminate_zeros()
    return matrix


def _cells(marks: Sequence[Any], weight: Array | None, tags: int) -> Array:
    """The weight of the cases with each mark, `(3, tags)`; whole numbers where cases count alike or are repeated."""
    if weight is None:
        return np.stack([np.bincount(matrix.indices, minlength=tags) for matrix in marks])
    sums = np.stack(
        [np.bincount(matrix.indices, np.repeat(weight, np.diff(matrix.indptr)), tags) for matrix in marks]
    )
    return sums.astype(
        np.int64 if weight.dtype.kind in "iu" else np.float64
    )  # sums of no mark are whole numbers


def _rest(marks: Sequence[Any], weight: Array | None) -> Array | None:
    """Return the sampling weights, and squared weights, of the cases without a mark of each tag, `(2, tags)`."""
    if weight is None:
        return None
    marked = sum(marks[1:], marks[0])
    return np.stack([unmarked_sums(marked, values) for values in (weight, weight * weight)])


def unmarked_sums(marked: Any, weight: Array) -> Array:
    """Return the weight of the cases that a sparse matrix of ones, `(cases, tags)`, does not mark, `(tags,)`.

    It is added up case by case where it is the smaller part: of a difference to the whole, rounding would be left.

    >>> from scipy.sparse import csr_array
    >>> unmarked_sums(csr_array(np.array([[1, 0], [1, 0], [1, 1]])), np.array([0.7, 0.4, 0.1])).round(3).tolist()
    [0.0, 1.1]
    """
    columns, rows = marked.tocsc(), weight.size
    sums = weight.sum() - np.bincount(
        np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr)),
        weight[columns.indices],
        columns.shape[1],
    )
    for at in np.flatnonzero(sums < weight.sum() / 2):
        unmarked = np.ones(rows, bool)
        unmarked[columns.indices[columns.indptr[at] : columns.indptr[at + 1]]] = False
        sums[at] = weight[unmarked].sum()
    return np.asarray(sums, np.float64)


def _products(marks: Sequence[Any], weight: Array | None) -> Any:
    """How often (or with what weight) two marks are of one case: a sparse matrix of all pairs, or `MarkPairs`."""
    from scipy.sparse import csr_array, hstack, vstack

    matrix = hstack(marks, "csr")
    matrix.sort_indices()
    marks_per_case = np.diff(matrix.indptr).astype(np.float64)
    rows, width = matrix.shape
    pairs = float((marks_per_case * marks_per_case).mean()) if rows else 0.0
    if are_few(matrix):
        return MarkPairs(matrix.astype(np.int64), weight)
    if pairs * DENSE_FROM < width * width or width > 3 * MOST_DENSE_TAGS:
        kind = np.int64 if weight is None or weight.dtype.kind in "iu" else np.float64
        matrix = matrix.astype(kind)
        if width > 3 * MOST_DENSE_TAGS or not pays(matrix.nnz):
            left = matrix if weight is None else times(matrix, weight)
            return (left.T @ matrix).tocsr()
        case_weights = np.ones(rows, kind) if weight is None else weight.astype(kind)
        pairs_of = np.zeros((width, width), kind)
        add_pairs.for_rows(matrix.nnz)(matrix.indptr, matrix.indices, case_weights, pairs_of)
        return csr_array(pairs_of + np.triu(pairs_of, 1).T)
    exact = weight is None or weight.dtype.kind in "iu"
    blocks = [matrix[first : first + BLOCK] for first in range(0, rows, BLOCK)]
    products = []
    for first in range(0, width, MARKS):
        sums = np.zeros((min(MARKS, width - first), width))
        for place, block in enumerate(blocks):
            part = block.toarray().astype(np.float32 if weight is None else np.float64)
            band = part[:, first : first + MARKS]
            sums += (band if weight is None else band * weight[place * BLOCK :][: len(band), None]).T @ part
        products.append(csr_array(np.rint(sums).astype(np.int64) if exact else sums))
    return vstack(products, "csr") if products else csr_array((0, 0), dtype=np.int64)


def _add_pairs(start: Array, marks: Array, weight: Array, pair_sums: Array) -> None:
    from scipy.sparse import csr_array

    size = start.size - 1, pair_sums.shape[0]
    matrix = csr_array((np.ones(marks.size, pair_sums.dtype), marks, start), size)
    pair_sums += np.triu((times(matrix, weight).T @ matrix).toarray())


@kernel(
    twin=_add_pairs,
    assumes="start rises and ends within marks, which are below the width of found and rise within a case",
    nanoseconds=200,
    wide=("found",),
)
def add_pairs(start: Array, marks: Array, weight: Array, pair_sums: Array) -> None:
    """Add the weight of each case to its pairs of marks, the first of which is not above the second."""
    for row in range(start.shape[0] - 1):
        for i in range(start[row], start[row + 1]):
            of = pair_sums[marks[i]]
            for j in range(i, start[row + 1]):
                of[marks[j]] += weight[row]


def _by_cluster(marks: Sequence[Any], cluster: Array, clusters: int, weight: Array | None) -> Any:
    """Return the sums of the marks of the cases of each cluster, `(clusters, 3 tags)`."""
    from scipy.sparse import coo_array, hstack

    matrix = hstack(marks, "coo")
    weights = np.ones(matrix.row.size) if weight is None else weight[matrix.row].astype(np.float64)
    return coo_array((weights, (cluster[matrix.row], matrix.col)), (clusters, matrix.shape[1])).tocsr()


@memoize
def _cluster_products(table: MultilabelTable) -> Any:
    return pairs_of(table.by_cluster)


def _outcomes_of(
    counts: Array, weight: Array | None, squares: Array | None, cluster: Array | None
) -> Outcomes:
    """Return the outcomes of cases that have these numbers of marks, `(3, cases)`, one by one."""
    case_weights = np.ones(counts.shape[1], np.int64) if weight is None else weight
    tp, fp, fn = counts
    return Outcomes(tp, fp, fn, case_weights, case_weights if squares is None else squares, cluster)


def _grouped(parts: Sequence[Outcomes]) -> Outcomes:
    """Outcomes put together, each distinct one once, in order."""
    alike = all(outcomes.squares is outcomes.weight for outcomes in parts)
    joined = [
        None if parts[0][i] is None else np.concatenate([np.asarray(outcomes[i]) for outcomes in parts])
        for i in range(6)
    ]
    tp, fp, fn, weight, squares, cluster = joined
    assert tp is not None
    assert fp is not None
    assert fn is not None
    assert weight is not None
    assert squares is not None
    keys = [counts.astype(np.int64) for counts in (fn, fp, tp)] + (
        [] if cluster is None else [cluster.astype(np.int64)]
    )
    code = np.zeros(tp.size, np.int64)
    for key in reversed(keys):  # numbers in the order of the keys, renumbered before they grow too large
        code = code * (int(key.max(initial=0)) + 1) + key
        if code.size and code.max() > 2**31:
            code = np.unique(code, return_inverse=True)[1]
    _, first, at = np.unique(code, return_index=True, return_inverse=True)

    def summed(values: Array) -> Array:
        sums = np.bincount(at, values, first.size)
        return sums.astype(np.int64) if values.dtype.kind in "iu" else sums

    total = summed(weight)
    return Outcomes(
        tp[first].astype(np.int64),
        fp[first].astype(np.int64),
        fn[first].astype(np.int64),
        total,
        total if alike else summed(squares),
        None if cluster is None else cluster[first],
    )
