"""Codes from plain Python and NumPy, by the quickest way that each kind of array has."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.kernels import (
    SPAN,
    WIDEST,
    Codes,
    code_rows,
    code_type,
    near_codes,
    renumber,
    wide_codes,
)
from classay.columns.values import Coded, build, refuse_score_share, refuse_unhashable


def code_plain(values: NDArray[Any], name: str) -> Coded:
    """Code an array of one dimension, of any dtype; Python objects one by one."""
    if not len(values):
        return Coded((), np.empty(0, np.int8), "other", 0)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.char == "g":  # long doubles have unused bytes, in which equal values may differ
        values = values.astype(np.float64)
    values = np.ascontiguousarray(values)
    kind = values.dtype.kind
    if kind not in _BY_KIND or not values.itemsize:
        return by_dict(values.tolist(), name)
    return _BY_KIND[kind](values, name)


def _from_booleans(values: NDArray[Any], _name: str) -> Coded:
    if values.any() and not values.all():
        return Coded((False, True), values.view(np.int8), "boolean", 0)
    return Coded((bool(values[0]),), np.zeros(len(values), np.int8), "boolean", 0)


def _from_integers(values: NDArray[Any], _name: str) -> Coded:
    # Guess the range from a block and a sample; the loop checks it, so that most columns are read only once.
    sample = np.concatenate([values[:1024], values[:: len(values) // 1024 + 1]])
    if (coded := _from_near(values, int(sample.min()), int(sample.max()))) is not None:
        return coded
    low, high = int(values.min()), int(values.max())
    if (coded := _from_near(values, low, high)) is not None:
        return coded
    if high - low >= min(WIDEST, 16 * len(values)):
        return _from_far(values)
    codes: Codes = np.empty(len(values), code_type(high - low + 1))
    seen = np.zeros(high - low + 1, np.bool_)
    wide_codes(*_signed(values, low), codes, seen)
    return _from_offsets(low, np.flatnonzero(seen), codes)


def _from_near(values: NDArray[Any], low: int, high: int) -> Coded | None:
    if high - low >= SPAN:
        return None
    codes: Codes = np.empty(len(values), np.int8)
    seen = int(near_codes(*_signed(values, low), codes))
    offsets = np.array([offset for offset in range(SPAN) if seen >> offset & 1], np.int64)
    return _from_offsets(low, offsets, codes) if seen else None


def _from_offsets(low: int, offsets: NDArray[np.int64], codes: Codes) -> Coded:
    """Turn the offsets that occur into labels, and the codes, which are offsets from low, to match."""
    table = np.zeros(int(offsets[-1]) + 1, np.int64)
    table[offsets] = np.arange(len(offsets))
    labels = tuple(low + offset for offset in offsets.tolist())
    return Coded(labels, renumber(codes, table, len(labels)), "number", 0)


def _from_far(values: NDArray[Any]) -> Coded:
    codes, firsts = _all_rows(_words(values))
    distinct = values[firsts]
    order = np.argsort(distinct)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Coded(tuple(distinct[order].tolist()), renumber(codes, rank, len(rank)), "number", 0)


def _signed(values: NDArray[Any], low: int) -> tuple[NDArray[Any], int]:
    """Values and low, as int64 if they are uint64: the loops subtract modulo 2^64, so offsets stay right."""
    if values.dtype != np.uint64:
        return values, low
    return values.view(np.int64), low - (1 << 64 if low >= 1 << 63 else 0)


def _from_floats(values: NDArray[Any], name: str) -> Coded:
    def go_on(rows: int, distinct: int) -> bool:
        if distinct == 127:  # many values: see that they are no scores before millions become Python objects
            fractional = values[np.isfinite(values) & (values != np.trunc(values))]
            if len(fractional) > 0.2 * len(values):
                unique = np.unique(fractional)
                refuse_score_share(len(unique), len(fractional), len(values), float(unique[0]), name)
        return True

    coded = code_rows(_words(values), go_on)
    assert coded is not None
    # Bit patterns, not numbers, were told apart: `build` merges 0.0 with -0.0 and all kinds of NaN.
    return build(coded[0], values[coded[1]].tolist(), name)


def _from_items(values: NDArray[Any], name: str) -> Coded:
    codes, firsts = _all_rows(_words(values))
    return build(codes, list(values[firsts]), name)


_BY_KIND: dict[str, Callable[[NDArray[Any], str], Coded]] = {
    "b": _from_booleans,
    "i": _from_integers,
    "u": _from_integers,
    "f": _from_floats,
} | dict.fromkeys("USMm", _from_items)


def by_dict(values: Sequence[Any], name: str) -> Coded:
    """Code Python values one by one."""
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError:
        for value in values:
            refuse_unhashable(value, name)
        raise
    index = {value: code for code, value in enumerate(distinct)}
    codes = np.fromiter(map(index.__getitem__, values), code_type(len(index)), len(values))
    return build(codes, distinct, name)


def _words(values: NDArray[Any]) -> NDArray[Any]:
    """The bytes of each item as a row of the widest unsigned integers that divide it."""
    size = next(size for size in (8, 4, 2, 1) if values.itemsize % size == 0)
    return values.view(np.uint8).view(f"u{size}").reshape(len(values), -1)


def _all_rows(words: NDArray[Any]) -> tuple[Codes, NDArray[np.int64]]:
    coded = code_rows(words, lambda rows, distinct: True)
    assert coded is not None
    return coded
