"""Hashes of rows from their entries alone, by which rows are ordered whatever their sequence was."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel

Array = NDArray[Any]
_HASHED = 1_000_000
"""Scores that are hashed together."""


def _mixed(values: Array, of: Array) -> Array:
    bits = np.ascontiguousarray(values + 0.0, np.float64).view(np.uint64)  # -0.0 is 0
    bits = (bits ^ (bits >> np.uint64(29))) * of
    return np.asarray(bits ^ (bits >> np.uint64(32)))


def _hash_rows(matrix: Array, factor: Array, hashes: Array) -> None:
    block = max(1, _HASHED // max(1, matrix.shape[1]))
    for first in range(0, matrix.shape[0], block):
        hashes[first : first + block] = _mixed(matrix[first : first + block], factor).sum(1)


@kernel(twin=_hash_rows, assumes="a factor for each column, a place for each row", nanoseconds=10)
def hash_rows(matrix: Array, factor: Array, hashes: Array) -> None:
    """A hash of each row of an array, from its entries, as `row_hash` gives it."""
    for row in range(matrix.shape[0]):
        number = np.uint64(0)
        for column in range(matrix.shape[1]):
            bits = np.float64(matrix[row, column] + 0.0).view(np.uint64)
            bits = (bits ^ (bits >> np.uint64(29))) * factor[column]
            number += bits ^ (bits >> np.uint64(32))
        hashes[row] = number


def row_hash(matrix: Any, salt: int) -> Array:
    """A hash of each row from its entries alone, of which zeros count nothing, `(rows,)`."""
    odd = np.random.default_rng(salt).integers(1, 2**63, matrix.shape[1], np.uint64)
    factor = odd * np.uint64(2) + np.uint64(1)
    hashes = np.zeros(matrix.shape[0], np.uint64)
    if not hasattr(matrix, "tocsr"):
        hash_rows.for_rows(matrix.size)(matrix, factor, hashes)
        return hashes
    nonempty_rows = np.flatnonzero(np.diff(matrix.indptr))
    if nonempty_rows.size:
        entry_hashes = _mixed(matrix.data, factor[matrix.indices])
        hashes[nonempty_rows] = np.add.reduceat(entry_hashes, matrix.indptr[nonempty_rows])
    return hashes
