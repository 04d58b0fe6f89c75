"""The cells of any table of features as 64-bit numbers, equal where the values are equal; NaN equals NaN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.sources.frames import as_frame

Array = NDArray[Any]
Hashes = NDArray[np.uint64]
CELLS = 4_000_000
"""Cells that are worked on at once: enough to pay for the calls, little enough for memory."""


@dataclass(frozen=True, eq=False)
class HashedColumns:
    """Some neighbouring columns: names, and a hash of each cell, shape `(n, columns)`.

    Hashes are comparable within one column only. `numbers` are the values themselves where they are numbers,
    and None where they are text, dates or anything else.
    """

    names: tuple[Any, ...]
    hashes: Hashes
    numbers: Array | None


def columns_of(X: Any) -> Iterator[HashedColumns]:
    """The columns of a dense table: a dataframe of any library, an array of two dimensions or more, a list.

    Rows of an array of more dimensions are flattened; a single column (texts, say) is taken as one feature.
    Raises InputError for what has no rows.
    """
    place = 0
    for names, values, is_number in _named(X):
        salts = _mix(np.arange(place + 1, place + 1 + len(names), dtype=np.uint64))  # so that rows can add up
        yield HashedColumns(names, _mix(_bits(values) + salts), values if is_number else None)
        place += len(names)


def sparse_rows(X: Any) -> Hashes:
    """A hash of each row of a sparse matrix, from its nonzero entries, in whatever order they are kept."""
    entries = X.tocoo()
    is_kept = entries.data != 0
    row, column = entries.row[is_kept], entries.col[is_kept].astype(np.uint64)
    cells = _mix(_bits(entries.data[is_kept, None])[:, 0] + _mix(column + np.uint64(1)))
    hashes = np.zeros(X.shape[0], np.uint64)
    np.add.at(hashes, row, cells)
    return hashes


def _named(X: Any) -> Iterator[tuple[tuple[Any, ...], Array, bool]]:
    """Names, values, and whether they are numbers (codes otherwise): of a frame the columns of one type together."""
    if (frame := as_frame(X)) is not None:
        yield from _batches(frame)
        return
    array = np.asarray(X)
    if array.ndim == 0:
        raise InputError(
            f"X is {type(X).__name__}, which has no rows: pass a table of features, one row a case."
        )
    array = array.reshape(len(array), -1)
    if array.dtype.kind not in "biuf":
        for k in range(array.shape[1]):
            yield (k,), _numbered(array[:, k].tolist())[:, None], False
        return
    step = max(1, CELLS // max(len(array), 1))
    for start in range(0, array.shape[1], step):
        block = array[:, start : start + step]
        yield tuple(range(start, start + block.shape[1])), block, True


def _batches(frame: Any) -> Iterator[tuple[tuple[Any, ...], Array, bool]]:
    """Neighbouring columns of one type and kind as one array, as many as are worked on at once."""
    native, most = frame.to_native(), max(1, CELLS // max(len(frame), 1))
    if not type(native).__module__.startswith("pandas"):
        yield from _stacked(frame, most)
        return
    # pandas keeps columns of one type together: one by one, 100,000 of them take a minute
    place = 0
    for kind, same in groupby(native.dtypes.tolist()):
        end = place + sum(1 for _ in same)
        is_number = isinstance(kind, np.dtype) and kind.kind in "biuf"
        for start in range(place, end, most):
            block = native.iloc[:, start : min(start + most, end)]
            if is_number:
                yield tuple(block.columns), block.to_numpy(), True
            else:
                yield from _stacked(as_frame(block), most)
        place = end


def _stacked(frame: Any, most: int) -> Iterator[tuple[tuple[Any, ...], Array, bool]]:
    names: list[Any] = []
    columns: list[Array] = []
    kind: tuple[Any, bool] | None = None
    for column in frame.iter_columns():
        values, is_number = _values(column)
        if columns and (kind != (values.dtype, is_number) or len(columns) == most):
            yield tuple(names), np.stack(columns, 1), kind is not None and kind[1]
            names, columns = [], []
        kind = (values.dtype, is_number)
        names.append(column.name)
        columns.append(values)
    if columns:
        yield tuple(names), np.stack(columns, 1), kind is not None and kind[1]


def _values(column: Any) -> tuple[Array, bool]:
    """A column of a frame as numbers, or as codes of its values; and which of the two."""
    import pyarrow as pa

    if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
        values: Array = column.to_numpy()
        if values.dtype.kind in "biuf":
            return values, True
    try:
        arrow = column.to_arrow()
        if pa.types.is_dictionary(arrow.type):
            arrow = arrow.cast(arrow.type.value_type)
        codes = arrow.dictionary_encode(null_encoding="encode")
        if isinstance(codes, pa.ChunkedArray):
            codes = codes.unify_dictionaries().combine_chunks()
        return codes.indices.to_numpy(zero_copy_only=False), False
    except (pa.ArrowException, TypeError, ValueError):  # mixed kinds of values, lists, structs
        return _numbered(column.to_list()), False


def _numbered(values: list[Any]) -> Array:
    """Numbers for any Python values, in order of appearance; what has no hash goes by how it is written."""
    seen: dict[Any, int] = {}
    missing = object()

    def number(value: Any) -> int:
        if value is None or value != value:  # noqa: PLR0124 - true of what is not a number
            value = missing
        try:
            return seen.setdefault(value, len(seen))
        except TypeError:
            return seen.setdefault(repr(value), len(seen))

    return np.fromiter(map(number, values), np.int64, len(values))


def _bits(values: Array) -> Hashes:
    if values.dtype.kind == "f":
        numbers = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        bits = numbers.view(np.uint64)
        bits[np.isnan(numbers)] = 0x7FF8_0000_0000_0000
        return bits
    return values.astype(np.int64).view(np.uint64)


def _mix(bits: Hashes) -> Hashes:
    """A one-to-one map under which near numbers get unlike ones: the finaliser of Steele et al. 2014 (SplitMix)."""
    mixed = bits ^ (bits >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
