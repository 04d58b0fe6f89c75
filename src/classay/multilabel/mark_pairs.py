"""MarkPairs: how often cases have two marks of tags, from the marks of cases instead of counts of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
DENSE_FROM = 250
"""Of how many pairs of marks one occurs in a case, below which products of dense blocks of cases are slower."""
ROWS = 512
"""Marks whose pairs with others are looked at together."""
MOST_PAIRS = 4_000_000
"""Pairs of marks up to which they are counted, and above which the marks of cases are kept where they are fewer."""
FEWER = 8
"""Of how many pairs of marks there is one mark, from which marks are kept instead."""


@dataclass(frozen=True, eq=False)
class MarkPairs:
    """How often, or with what weight, one case has two marks: found from the marks of cases, and never all held.

    The pairs of many tags are their square, and of few cases with many marks each nearly all of them occur. `marks`,
    sparse, `(cases, marks)`, are of each case or cluster; `weight` is that of each case, None where cases count alike.

    >>> from scipy.sparse import csr_array
    >>> pairs = MarkPairs(csr_array(np.array([[1, 1, 0], [0, 1, 1]])), np.array([1, 3]))
    >>> pairs.whole().toarray().tolist(), (pairs @ np.array([1, 0, 1])).tolist()
    ([[1, 1, 0], [1, 4, 3], [0, 3, 3]], [1, 4, 3])
    """

    marks: Any
    weight: Array | None = None

    def __matmul__(self, values: Array) -> Array:
        case_sums = self.marks @ values
        return np.asarray(self.marks.T @ (case_sums if self.weight is None else case_sums * self.weight))

    @property
    def rooted(self) -> Any:
        """Marks times the root of the weight of each case, sparse: pairs are the sums of their products."""
        return self.marks if self.weight is None else times(self.marks, np.sqrt(self.weight))

    def between(self, rows: slice, columns: slice) -> Any:
        """Return the pairs of some marks with others, a sparse matrix."""
        some = self.marks[:, rows]
        left = some if self.weight is None else times(some, self.weight)
        return (left.T @ self.marks[:, columns]).tocsr()

    def diagonal(self) -> Array:
        """Return how often each mark occurs, `(marks,)`."""
        squares = self.marks * self.marks
        return np.asarray(squares.sum(0) if self.weight is None else squares.T @ self.weight)

    def whole(self) -> Any:
        """Return all pairs, a sparse matrix."""
        return self.between(slice(None), slice(None))

    def moved(self, marks: Array, number: int) -> MarkPairs:
        """Return the same with marks at other places, of so many."""
        rows = self.marks.shape[0]
        return MarkPairs(moved_to(self.marks, np.arange(rows), marks, (rows, number)), self.weight)

    def __add__(self, other: MarkPairs) -> Any:
        from scipy.sparse import vstack

        weights = None
        if self.weight is not None or other.weight is not None:
            ones = [np.ones(pairs.marks.shape[0], np.int64) for pairs in (self, other)]
            columns = zip((self.weight, other.weight), ones, strict=True)
            weights = np.concatenate([one if w is None else w for w, one in columns])
        merged = MarkPairs(vstack([self.marks, other.marks], "csr"), weights)
        return merged if are_few(merged.marks) else merged.whole()


def sum_of_pairs(one: Any, other: Any) -> Any:
    """Return the pairs of the cases of both: sparse matrices of all pairs, or `MarkPairs`."""
    if isinstance(one, MarkPairs) != isinstance(other, MarkPairs):
        one, other = (pairs.whole() if isinstance(pairs, MarkPairs) else pairs for pairs in (one, other))
    return one + other


def most_pairs(pairs: Any, rows: slice, columns: slice, most: int) -> tuple[Array, Array, Array]:
    """The most frequent pairs of some marks with others, of ties the first: their places, and how often they occur."""
    first, last, _ = rows.indices(pairs.marks.shape[1] if isinstance(pairs, MarkPairs) else pairs.shape[0])
    top_pairs: list[tuple[Array, ...]] = []
    for start in range(first, last, ROWS):
        at = slice(start, min(start + ROWS, last))
        part = (pairs.between(at, columns) if isinstance(pairs, MarkPairs) else pairs[at, columns]).tocoo()
        top_pairs.append((part.row + (start - first), part.col, part.data))
        row, column, number = (np.concatenate(chunks) for chunks in zip(*top_pairs, strict=True))
        if number.size > most:
            least = np.partition(number, number.size - most)[number.size - most] if most else np.inf
            row, column, number = (values[number >= least] for values in (row, column, number))
        order = np.lexsort((column, row, -number))[:most]
        top_pairs = [(row[order], column[order], number[order])]
    return top_pairs[0] if top_pairs else (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))  # type: ignore[return-value]


def are_few(marks: Any) -> bool:
    """Check whether the marks of cases are so many fewer than their pairs that they are kept instead.

    Of many cases with few marks each, the pairs that occur are few, and are counted.
    """
    rows, width = marks.shape
    marks_per_case = np.diff(marks.indptr).astype(np.float64)
    pairs = min(float(marks_per_case @ marks_per_case), float(width) ** 2)
    if pairs <= MOST_PAIRS or pairs <= FEWER * marks.nnz:
        return False
    return bool(rows <= width or (marks_per_case @ marks_per_case) * DENSE_FROM >= rows * float(width) ** 2)


def pairs_of(marks: Any) -> Any:
    """Return the pairs of the marks of cases or clusters: a sparse matrix, or `MarkPairs` where these are far fewer."""
    pairs = MarkPairs(marks)
    return pairs if are_few(marks) else pairs.whole()


def times(matrix: Any, weight: Array) -> Any:
    """Return the rows of a sparse matrix times their weights."""
    weighted = matrix.copy()
    weighted.data = weighted.data * np.repeat(weight, np.diff(matrix.indptr))
    return weighted


def moved_to(matrix: Any, rows: Array, columns: Array, shape: tuple[int, int]) -> Any:
    """Return a sparse matrix whose rows and columns stand at these places of a larger one."""
    from scipy.sparse import coo_array

    cells = matrix.tocoo()
    return coo_array((cells.data, (rows[cells.row], columns[cells.col])), shape).tocsr()
