"""MultilabelScores: the scores of every tag of each case, kept as they came, and their ranks by tag and by case."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from classay.columns.labels import Labels, united
from classay.columns.numbers import in_precision
from classay.compiled import kernel
from classay.errors import InputError, MergeError
from classay.kinds import TypedFields
from classay.multilabel.tag_marks import ones_where
from classay.once import memoize
from classay.tables.own import OwnTable
from classay.tables.row_hashes import order_by_contents
from classay.tables.scores import ScoreTable
from classay.tables.sums import Mergeable

Array = NDArray[Any]


class TagEntries(NamedTuple):
    """The scores of one tag: entries for some cases; all other cases do not have the tag, and have a score of 0.

    `rows`, `score` and `true` belong to the entries; `rest` is the weight of the cases without one. `rows` are None
    where every case has a score.
    """

    rows: Array | None
    score: Array
    true: Array
    rest: float

    def of_rows(self, values: Array) -> Array:
        """Return the values of the cases of the entries, from values of all cases."""
        return values if self.rows is None else values[self.rows]


class HeldEntries(NamedTuple):
    """The entries of all tags, `(entries,)` each, those of a tag from its start on; and the weight of the rest."""

    rows: Array
    score: Array
    true: Array
    starts: Array
    rests: Array


class Placed(NamedTuple):
    """Where the true tags of cases stand among all tags of their case, `(true tags,)` each.

    `row` is the case, `above` how many tags score higher, `tied` how many as high, itself included, and `reached` how
    many true ones at least as high.
    """

    row: Array
    above: Array
    tied: Array
    reached: Array


class Drawn(TypedDict):
    """How the cases of a table were drawn: columns, `(cases,)`, and the clusters that one of them has codes of."""

    weight: Array | None
    frequency: Array | None
    cluster: Array | None
    clusters: tuple[Hashable, ...] | None


class DrawnRows:
    """What has the columns of `Drawn`."""

    weight: Array | None
    frequency: Array | None
    cluster: Array | None
    clusters: tuple[Hashable, ...] | None

    @property
    def drawn(self) -> Drawn:
        """How the rows were drawn, as tables take it."""
        return {
            "weight": self.weight,
            "frequency": self.frequency,
            "cluster": self.cluster,
            "clusters": self.clusters,
        }


@dataclass(frozen=True, eq=False)
class MultilabelScores(TypedFields, Mergeable, DrawnRows, OwnTable):
    """The scores of the tags of cases with several labels: the rows themselves, since ranks do not add up.

    `truth` is a sparse matrix of ones, `(cases, tags)`; `scores` an array of that shape, or a sparse matrix in which an
    absent score is 0. `weight` are sampling weights, `frequency` numbers of identical cases, `cluster` codes into
    `clusters`. Adding two appends the cases of one to those of the other, which must have the same tags.
    """

    labels: Labels
    truth: Any
    scores: Any
    weight: Array | None = None
    frequency: Array | None = None
    cluster: Array | None = None
    clusters: tuple[Hashable, ...] | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether absent scores are 0."""
        return hasattr(self.scores, "tocsr")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.truth.shape[0])

    @property
    def given(self) -> Array | None:
        """What each row counts, `(rows,)`, None where all count alike."""
        row_weights = self.weight if self.frequency is None else self.frequency
        return None if row_weights is None else row_weights.astype(np.float64)

    @property
    def weights(self) -> Array:
        """What each row counts, `(rows,)`."""
        row_weights = self.given
        return np.ones(self.rows) if row_weights is None else row_weights

    @property
    def squares(self) -> Array:
        """The squares of sampling weights, or what each row counts otherwise, `(rows,)`."""
        return self.weights if self.weight is None else self.weight * self.weight

    @property
    def in_unit(self) -> bool:
        """Whether all scores lie in [0, 1]."""
        scores = self.scores.data if self.is_sparse else self.scores
        return not scores.size or bool(scores.min() >= 0 and scores.max() <= 1)

    def called(self, cutoff: float | Sequence[float]) -> Any:
        """Return which tags score at least a threshold (one for all, or one for each tag), as a sparse matrix of ones.

        Raises InputError where an absent score, which is 0, reaches its threshold.
        """
        of_tags = np.broadcast_to(np.asarray(cutoff, np.float64), (len(self.labels),)).tolist()
        cuts = np.array([in_precision(one, self.scores.dtype) for one in of_tags], self.scores.dtype)
        if not self.is_sparse:
            return ones_where(self.scores >= cuts)
        if (cuts <= 0).any():
            raise InputError(
                f"Threshold {float(cuts[cuts <= 0][0]):g} would predict every tag without a score. Pass a "
                "threshold above 0, or scores of every case and tag."
            )
        matrix = self.scores.copy()
        matrix.data = (matrix.data >= cuts[matrix.indices]).astype(np.int8)
        matrix.eliminate_zeros()
        return _ones(matrix)

    def called_of_top(self, k: int) -> Any:
        """The k tags with the highest scores of each case, as a sparse matrix of ones; among equal scores the first."""
        from scipy.sparse import coo_array

        tags = len(self.labels)
        if not 1 <= k <= tags:
            raise InputError(f"top must be a number of tags from 1 to {tags:,}, but is {k}.")
        if self.is_sparse:
            row, column = _top_of_sparse(self.scores, k)
        else:
            column = np.argsort(-self.scores, 1, kind="stable")[:, :k].ravel()
            row = np.repeat(np.arange(self.rows), k)
        return _ones(coo_array((np.ones(row.size, np.int8), (row, column)), self.truth.shape).tocsr())

    def entries(self) -> Iterator[TagEntries]:
        """Yield the scores of each tag in turn."""
        truth = self.by_tag
        if not self.is_sparse:
            for at in range(len(self.labels)):
                if at % _COLUMNS == 0:
                    columns = np.ascontiguousarray(self.scores[:, at : at + _COLUMNS].T)
                true = np.zeros(self.rows, bool)
                true[truth.indices[truth.indptr[at] : truth.indptr[at + 1]]] = True
                yield TagEntries(None, columns[at % _COLUMNS], true, 0.0)
            return
        cells = self.held
        for at in range(len(self.labels)):
            run = slice(cells.starts[at], cells.starts[at + 1])
            yield TagEntries(cells.rows[run], cells.score[run], cells.true[run], float(cells.rests[at]))

    @property
    def held(self) -> HeldEntries:
        """The entries of all tags, of sparse scores."""
        return _held_once(self)

    def one(self, tag: Hashable, rest: Hashable) -> ScoreTable:
        """Return the scores of one tag against its absence."""
        if not self.is_sparse:
            score, true = self.columns_of(tag)
            return ScoreTable.from_rows(
                score, true, (rest, tag), weight=self.weight, frequency=self.frequency
            )
        rows, score, true = self._own(tag)
        weight, frequency = (None if w is None else w[rows] for w in (self.weight, self.frequency))
        absent = np.ones(self.rows, bool)
        absent[rows] = False
        table = ScoreTable.from_rows(score, true, (rest, tag), weight=weight, frequency=frequency)
        if not absent.any():
            return table
        zero = np.zeros(1, score.dtype)
        if self.weight is not None:
            others = self.weight[absent]
            sums, squares = np.array([[others.sum()], [others @ others]])
            return table + ScoreTable(zero, 0 * sums, sums, (rest, tag), 0 * squares, squares)
        cases = absent.sum() if self.frequency is None else self.frequency[absent].sum()
        counts = np.array([cases], table.negatives.dtype)
        return table + ScoreTable(zero, 0 * counts, counts, (rest, tag))

    def _own(self, tag: Hashable) -> tuple[Array, Array, Array]:
        """Return the rows, scores and truth of the entries of one tag, of sparse scores."""
        at, cells = self.labels.index(tag), self.held
        run = slice(cells.starts[at], cells.starts[at + 1])
        return cells.rows[run], cells.score[run], cells.true[run]

    def columns_of(self, tag: Hashable) -> tuple[Array, Array]:
        """Return the score of each case for a tag, and whether it truly has it, `(cases,)` each."""
        true = np.zeros(self.rows, bool)
        if self.is_sparse:
            rows, stored_scores, is_true = self._own(tag)
            score = np.zeros(self.rows, stored_scores.dtype)
            score[rows], true[rows] = stored_scores, is_true
            return score, true
        at, truth = self.labels.index(tag), self.by_tag
        true[truth.indices[truth.indptr[at] : truth.indptr[at + 1]]] = True
        return np.ascontiguousarray(self.scores[:, at]), true

    @property
    def by_tag(self) -> Any:
        """The truth by columns."""
        return _by_tag(self)

    @property
    def placed(self) -> Placed:
        """Where the true tags of each case stand among all its tags."""
        return _placed_once(self)

    def in_order(self) -> MultilabelScores:
        """The same rows in an order that depends on nothing but themselves, so that every sum has the same bits."""
        parts = [(self.truth, 1), (self.scores, 2)]
        for salt, column in enumerate((self.weight, self.frequency, self.cluster), 3):
            if column is not None:
                parts.append((column[:, None], salt))
        return self.taken(order_by_contents(parts))

    def taken(self, rows: Array) -> MultilabelScores:
        """Return some of the rows."""

        def of(values: Array | None) -> Array | None:
            return None if values is None else values[rows]

        return replace(
            self,
            truth=self.truth[rows],
            scores=self.scores[rows],
            weight=of(self.weight),
            frequency=of(self.frequency),
            cluster=of(self.cluster),
        )

    def __add__(self, other: MultilabelScores) -> MultilabelScores:
        from scipy.sparse import vstack

        if (
            self.labels != other.labels
            or self.is_sparse != other.is_sparse
            or self.scores.dtype != other.scores.dtype
        ):
            raise MergeError(
                "The scores have different tags or precision, or only one is sparse. Assess both with the same "
                "labels= and kind of scores."
            )
        clusters, codes = self.clusters, [self.cluster, other.cluster]
        if self.clusters is not None and other.clusters is not None:
            named = ("here", Labels.of(self.clusters)), ("there", Labels.of(other.clusters))
            clusters = tuple(united(named, "clusters"))
            place = {label: i for i, label in enumerate(clusters)}
            codes = [
                np.array([place[label] for label in table.clusters or ()], np.int64)[table.cluster]
                for table in (self, other)
            ]

        def joined(here: Array | None, there: Array | None) -> Array | None:
            if (here is None) != (there is None):
                raise MergeError(
                    "Only one of the tables has weights or clusters of rows. Assess both in the same way."
                )
            return None if here is None or there is None else np.concatenate([here, there])

        merged = MultilabelScores(
            self.labels,
            vstack([self.truth, other.truth], "csr"),
            vstack([self.scores, other.scores], "csr")
            if self.is_sparse
            else np.concatenate([self.scores, other.scores]),
            joined(self.weight, other.weight),
            joined(self.frequency, other.frequency),
            joined(*codes),
            clusters,
        )
        return merged.in_order()


_COLUMNS = 16
"""Scores of a case that are copied together, as a cache holds them."""


def _ones(matrix: Any) -> Any:
    from scipy.sparse import csr_array

    matrix = csr_array(matrix)
    matrix.sort_indices()
    return csr_array((np.ones(matrix.nnz, np.int8), matrix.indices, matrix.indptr), matrix.shape)


def sparse_columns(columns: Sequence[tuple[Array, Array]], rows: int) -> Any:
    """Return a sparse matrix of so many rows from the rows and values that each column holds."""
    from scipy.sparse import csc_array

    ends = np.concatenate([[0], np.cumsum([indices.size for indices, _ in columns])])
    at, values = (np.concatenate(part) for part in zip(*columns, strict=True))
    return csc_array((values, at, ends), (rows, len(columns)))


def entries_at(matrix: Any, rows: Array, columns: Array) -> Array:
    """Return the entries of a sparse matrix at some places, absent ones 0."""
    if not rows.size:  # of none scipy gives no array
        return np.zeros(0, matrix.dtype)
    return np.asarray(matrix[rows, columns]).ravel()


def _top_of_sparse(scores: Any, k: int) -> tuple[Array, Array]:
    """Rows and columns of the k highest scores of each row, absent ones 0, the first of equal ones."""
    rows: list[int] = []
    columns: list[int] = []
    for row in range(scores.shape[0]):
        part = slice(scores.indptr[row], scores.indptr[row + 1])
        stored_scores = dict(zip(scores.indices[part].tolist(), scores.data[part].tolist(), strict=True))
        absent = (column for column in range(scores.shape[1]) if column not in stored_scores)
        beside = {column: 0.0 for column, _ in zip(absent, range(k), strict=False)}
        best = sorted((-score, column) for column, score in (stored_scores | beside).items())[:k]
        rows += [row] * len(best)
        columns += [column for _, column in best]
    return np.array(rows, np.int64), np.array(columns, np.int64)


def _place_dense(
    rows: Array, columns: Array, scores: Array, first: Array, above: Array, tied: Array, reached: Array
) -> None:
    owns, tags = scores[rows, columns], scores.shape[1]
    if rows.size > _SORTED_FROM * scores.shape[0]:
        for row, (start, stop) in enumerate(pairwise(first.tolist())):
            ranked, true_scores = np.sort(scores[row]), owns[start:stop]
            higher = np.searchsorted(ranked, true_scores, "right")
            above[start:stop], tied[start:stop] = tags - higher, higher - np.searchsorted(ranked, true_scores)
    else:
        step = max(1, _AT_ONCE // tags)
        for part in range(0, rows.size, step):
            at = slice(part, part + step)
            others = scores[rows[at]]
            above[at] = (others > owns[at, None]).sum(1)
            tied[at] = (others == owns[at, None]).sum(1)
    _reach(rows, owns, first, reached)


def _reach(rows: Array, true_scores: Array, first: Array, reached: Array) -> None:
    """How many true tags of the same case score at least as high; entries of a case follow each other."""
    if not rows.size:
        return
    order = np.lexsort([-true_scores, rows])
    ranked = true_scores[order]
    place = np.arange(rows.size) - first[rows[order]]
    ends = np.ones(rows.size, bool)
    ends[:-1] = (rows[order][1:] != rows[order][:-1]) | (ranked[1:] != ranked[:-1])
    group = np.concatenate([[0], np.cumsum(ends)[:-1]])
    reached[order] = (place[ends] + 1)[group]


_AT_ONCE = 4_000_000
"""Scores that are looked at together: as many rows as these are."""
_SORTED_FROM = 30
"""True tags per case from which on each row of scores is sorted, as its entries are too many to compare with all."""


@kernel(
    twin=_place_dense,
    assumes="rows ascend, first is where the entries of each row begin",
    nanoseconds=800,
    wide=("scores",),
)
def place_dense(
    rows: Array, columns: Array, scores: Array, first: Array, above: Array, tied: Array, reached: Array
) -> None:
    """For each true tag, `(entries,)`: how many tags of its case score higher, as high, and are true and reach it."""
    for i in range(rows.size):
        row = rows[i]
        true_score = scores[row, columns[i]]
        higher = same = true = 0
        for j in range(scores.shape[1]):
            higher += scores[row, j] > true_score
            same += scores[row, j] == true_score
        for j in range(first[row], first[row + 1]):
            true += scores[row, columns[j]] >= true_score
        above[i], tied[i], reached[i] = higher, same, true


def _place_sparse(
    rows: Array,
    true_scores: Array,
    start: Array,
    stored_scores: Array,
    tags: int,
    first: Array,
    above: Array,
    tied: Array,
    reached: Array,
) -> None:
    size = np.diff(start)[rows]
    entry = np.repeat(np.arange(rows.size), size)
    at = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size) + np.repeat(start[rows], size)
    other, mine = stored_scores[at], true_scores[entry]
    absent = tags - size
    above[:] = np.bincount(entry, other > mine, rows.size) + absent * (true_scores < 0)
    tied[:] = np.bincount(entry, other == mine, rows.size) + absent * (true_scores == 0)
    _reach(rows, true_scores, first, reached)


@kernel(
    twin=_place_sparse,
    assumes="rows ascend, first and start are where the entries and scores of rows begin",
    nanoseconds=600,
)
def place_sparse(
    rows: Array,
    true_scores: Array,
    start: Array,
    stored_scores: Array,
    tags: int,
    first: Array,
    above: Array,
    tied: Array,
    reached: Array,
) -> None:
    """The same for sparse scores: `true_scores` are those of true tags, `stored_scores` the stored; others 0."""
    for i in range(rows.size):
        row = rows[i]
        absent = tags - (start[row + 1] - start[row])
        higher = absent if true_scores[i] < 0 else 0
        same = absent if true_scores[i] == 0 else 0
        true = 0
        for j in range(start[row], start[row + 1]):
            higher += stored_scores[j] > true_scores[i]
            same += stored_scores[j] == true_scores[i]
        for j in range(first[row], first[row + 1]):
            true += true_scores[j] >= true_scores[i]
        above[i], tied[i], reached[i] = higher, same, true


@memoize
def _held_once(table: MultilabelScores) -> HeldEntries:
    n, tags = table.rows, len(table.labels)

    def places(matrix: Any) -> Array:
        """Return the number of each entry, by tag and then by case."""
        return np.asarray(np.repeat(np.arange(tags) * n, np.diff(matrix.indptr)) + matrix.indices)

    scores = table.scores.tocsc()
    scores.sort_indices()
    entry_index, true_index = places(scores), np.sort(places(table.by_tag))
    score = scores.data
    if (without := np.setdiff1d(true_index, entry_index, assume_unique=True)).size:
        score = np.concatenate([score, np.zeros(without.size, score.dtype)])
        entry_index = np.concatenate([entry_index, without])
        order = np.argsort(entry_index, kind="stable")
        entry_index, score = entry_index[order], score[order]
    true = np.zeros(entry_index.size, bool)
    true[np.searchsorted(entry_index, true_index)] = True
    starts, rows = np.searchsorted(entry_index, np.arange(tags + 1) * n), entry_index % n
    if table.given is None:
        rests = n - np.diff(starts).astype(np.float64)
    else:
        weights = table.given
        own_weight = np.bincount(entry_index // n, weights[rows], tags)
        rests = np.where(np.diff(starts) == n, 0.0, np.maximum(0.0, weights.sum() - own_weight))
    return HeldEntries(rows, score, true, starts, rests)


@memoize
def _by_tag(table: MultilabelScores) -> Any:
    return table.truth.tocsc()


@memoize
def _placed_once(table: MultilabelScores) -> Placed:
    truth = table.truth
    rows = np.repeat(np.arange(table.rows), np.diff(truth.indptr))
    columns = truth.indices.astype(np.int64)
    first = truth.indptr.astype(np.int64)
    above, tied, reached = (np.zeros(rows.size, np.int64) for _ in range(3))
    if table.is_sparse:
        scores = entries_at(table.scores, rows, columns)
        start = table.scores.indptr.astype(np.int64)
        place_sparse(rows, scores, start, table.scores.data, len(table.labels), first, above, tied, reached)
    else:
        place_dense(rows, columns, table.scores, first, above, tied, reached)
    return Placed(rows, above, tied, reached)
