"""The order of rows by hashes of their entries, whatever their sequence was and wherever scores were computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.tables.tabulating import rising

Array = NDArray[Any]
_HASHED = 1_000_000
"""Scores that are hashed together."""
_EXACT = np.uint64(2**64 - 1)
_ROUNDED = np.uint64(2**64 - 2**29)
"""The bits that are kept of a number in rounding it to 24 digits in base 2, as many as single precision has.

Exponentials, matrix products and what models make of them differ in the last digits from processor to processor.
"""


def _mixed(values: Array, of: Array, kept: np.uint64) -> Array:
    bits = np.ascontiguousarray(values + 0.0, np.float64).view(np.uint64)  # -0.0 is 0
    bits = (bits + ((~kept + np.uint64(1)) >> np.uint64(1))) & kept
    bits = (bits ^ (bits >> np.uint64(29))) * of
    return np.asarray(bits ^ (bits >> np.uint64(32)))


def _hash_rows(matrix: Array, factor: Array, kept: np.uint64, hashes: Array) -> None:
    block = max(1, _HASHED // max(1, matrix.shape[1]))
    for first in range(0, matrix.shape[0], block):
        hashes[first : first + block] = _mixed(matrix[first : first + block], factor, kept).sum(1)


@kernel(twin=_hash_rows, assumes="a factor for each column, a place for each row", nanoseconds=10)
def hash_rows(matrix: Array, factor: Array, kept: np.uint64, hashes: Array) -> None:
    """A hash of each row of an array, from its entries rounded to the bits that are kept, as `row_hash` gives it."""
    half = (~kept + np.uint64(1)) >> np.uint64(1)
    for row in range(matrix.shape[0]):
        number = np.uint64(0)
        for column in range(matrix.shape[1]):
            bits = (np.float64(matrix[row, column] + 0.0).view(np.uint64) + half) & kept
            bits = (bits ^ (bits >> np.uint64(29))) * factor[column]
            number += bits ^ (bits >> np.uint64(32))
        hashes[row] = number


def row_hash(matrix: Any, salt: int, kept: np.uint64 = _EXACT) -> Array:
    """Return a hash of each row from its entries alone, of which zeros count nothing, `(rows,)`; `kept` rounds them."""
    odd = np.random.default_rng(salt).integers(1, 2**63, matrix.shape[1], np.uint64)
    factor = odd * np.uint64(2) + np.uint64(1)
    hashes = np.zeros(matrix.shape[0], np.uint64)
    if not hasattr(matrix, "tocsr"):
        hash_rows.for_rows(matrix.size)(matrix, factor, kept, hashes)
        return hashes
    nonempty_rows = np.flatnonzero(np.diff(matrix.indptr))
    if nonempty_rows.size:
        entry_hashes = _mixed(matrix.data, factor[matrix.indices], kept)
        hashes[nonempty_rows] = np.add.reduceat(entry_hashes, matrix.indptr[nonempty_rows])
    return hashes


def order_by_contents(parts: Sequence[tuple[Any, int]], classes: Array | None = None) -> Array:
    """The order of rows by their entries in matrices, each with its salt: whole numbers of classes first, if any.

    Rounded entries decide, so that scores which differ in the last digits are drawn and dealt out alike; of rows that
    are alike but for rounding, exact ones do. Rows that are wholly alike stay in their sequence.

    >>> scores = np.array([[0.1, 0.9], [0.3, 0.7], [0.1, 0.9], [0.6, 0.4]])
    >>> (order_by_contents([(scores, 1)]) == order_by_contents([(np.nextafter(scores, 1), 1)])).all()
    np.True_
    """
    hashes = _hash_of_parts(parts, _ROUNDED)
    if classes is not None:
        bits = max(1, int(classes.max(initial=0)).bit_length())
        hashes = (classes.astype(np.uint64) << np.uint64(64 - bits)) | (hashes >> np.uint64(bits))
    order = rising(hashes)
    ordered = hashes[order]
    is_tied = ordered[1:] == ordered[:-1]
    if is_tied.any():
        places = np.flatnonzero(np.append(is_tied, False) | np.append(False, is_tied))
        rows, ordered = order[places], ordered[places]
        exact = _hash_of_parts([(matrix[rows], salt) for matrix, salt in parts], _EXACT)
        if ((exact[1:] != exact[:-1]) & (ordered[1:] == ordered[:-1])).any():
            order[places] = rows[np.lexsort((exact, ordered))]
    return order


def _hash_of_parts(parts: Sequence[tuple[Any, int]], kept: np.uint64) -> Array:
    hashes = np.zeros(parts[0][0].shape[0], np.uint64)
    for matrix, salt in parts:
        hashes += row_hash(matrix, salt, kept)
    return np.asarray((hashes ^ (hashes >> np.uint64(31))) * _SPREAD)


_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 over the golden ratio, which spreads bits (Knuth 1998, The Art of Computer Programming 3)."""
