"""Lists, vectors of Spark and mappings in one column, as numbers of a fixed number of columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.columns.labels import typed_labels
from classay.columns.numbers import as_array, place_of_row, placed
from classay.columns.opened import opened
from classay.columns.values import is_missing, plain
from classay.errors import InputError
from classay.texts import DoorText, hint, some

if TYPE_CHECKING:
    import pyarrow as pa

_PARTS = ("type", "size", "indices", "values")
"""The fields of Spark's VectorUDT; JSON leaves size and indices out where all vectors are dense."""
_ROUNDING = 1e-3
"""How far from 1 the scores of a row may sum if a class without a score is to have 0."""


def is_list(kind: pa.DataType) -> bool:
    """Check whether a column holds lists of any kind."""
    import pyarrow as pa

    is_one = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(check(kind) for check in is_one)


def is_vector(kind: pa.DataType) -> bool:
    """Check whether a struct is a vector of Spark."""
    import pyarrow as pa

    if not pa.types.is_struct(kind):
        return False
    names = {inner.name for inner in kind}
    if not {"type", "values"} <= names <= {*_PARTS}:
        return False
    return pa.types.is_integer(kind.field("type").type) and is_list(kind.field("values").type)


def is_of_numbers(kind: pa.DataType) -> bool:
    """Check whether a column holds lists of numbers, or vectors."""
    import pyarrow as pa

    if is_vector(kind):
        return True
    inner = kind.value_type if is_list(kind) else None
    return inner is not None and (
        pa.types.is_integer(inner) or pa.types.is_floating(inner) or pa.types.is_decimal(inner)
    )


def dense(column: Any, name: str, size: int | None = None) -> Any:
    """Return lists or vectors as an array, (rows, size); a row without any is NaN.

    Raises InputError for rows of another size, or, without one, of different sizes.
    """
    import pyarrow as pa

    joined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(joined, pa.ChunkedArray):
        joined = pa.concat_arrays(joined.chunks) if joined.num_chunks else pa.array([], column.type)
    return _of_vectors(joined, name, size) if is_vector(joined.type) else _of_lists(joined, name, size)


def _of_lists(lists: Any, name: str, size: int | None) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_there = np.asarray(lists.is_valid().to_numpy(zero_copy_only=False), bool)
    if pa.types.is_fixed_size_list(lists.type):
        lengths = np.full(len(lists), lists.type.list_size)
    else:
        lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    size = _checked_size(lengths, is_there, name, size)
    values = as_array(lists.flatten(), name)  # of the lists that are there alone
    if is_there.all():
        return values.reshape(len(lists), size)
    matrix = np.full((len(lists), size), np.nan, values.dtype)
    matrix[is_there] = values.reshape(int(is_there.sum()), size)
    return matrix


def _checked_size(lengths: Any, is_there: Any, name: str, size: int | None) -> int:
    """Return how many numbers each row has. Raises InputError for rows that have others."""
    known = lengths[is_there]
    if size is None:
        size = int(known[0]) if known.size else 0
        other = "but the first has"
    else:
        other = "but the number of labels is"
    differs = is_there & (lengths != size)
    if differs.any():
        row = int(differs.argmax())
        raise InputError(
            f"{name} has {int(lengths[row])} scores in {place_of_row(row)}, {other} {size}. Each row needs one score "
            f"for each class, in the order of {hint('labels=', '--labels')}."
        )
    return size


def _of_vectors(vectors: Any, name: str, size: int | None) -> Any:
    """Return vectors of Spark as an array: dense ones (type 1) as they are, sparse ones (type 0) with their zeros."""
    import pyarrow.compute as pc

    is_there = np.asarray(vectors.is_valid().to_numpy(zero_copy_only=False), bool)
    parts = {inner.name: pc.struct_field(vectors, [place]) for place, inner in enumerate(vectors.type)}
    is_dense = is_there & (pc.fill_null(parts["type"], 1).to_numpy(zero_copy_only=False) == 1)
    values = parts["values"]
    lengths = pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    sizes = lengths.copy()
    is_sparse = is_there & ~is_dense
    if is_sparse.any():
        if not {"size", "indices"} <= parts.keys():
            raise InputError(
                f"{name} has sparse vectors without size and indices. Write it again as dense vectors."
            )
        sizes[is_sparse] = pc.fill_null(parts["size"], 0).to_numpy(zero_copy_only=False)[is_sparse]
    size = _checked_size(sizes, is_there, name, size)
    numbers = as_array(values.flatten(), name)
    rows = np.repeat(np.arange(len(vectors)), lengths)
    begins = np.cumsum(lengths) - lengths
    columns = np.arange(len(numbers)) - np.repeat(begins, lengths)
    if is_sparse.any():
        indices = parts["indices"]
        counts = pc.fill_null(pc.list_value_length(indices), 0).to_numpy(zero_copy_only=False)
        at = indices.flatten().to_numpy(zero_copy_only=False)
        at = at[np.repeat(is_sparse, counts)]
        of_sparse = is_sparse[rows]
        if (counts[is_sparse] != lengths[is_sparse]).any() or (
            at.size and not 0 <= at.min() <= at.max() < size
        ):
            raise InputError(
                f"{name} has sparse vectors whose indices do not fit their values. Write it again."
            )
        columns[of_sparse] = at
    matrix = np.zeros((len(vectors), size), numbers.dtype)
    matrix[rows, columns] = numbers
    matrix[~is_there] = np.nan
    return matrix


def keys_of(column: Any) -> list[Any]:
    """Return the keys of maps, or the fields of structs, in the order in which they come."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_struct(kind):
        return [inner.name for inner in kind]
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return list(dict.fromkeys(key for chunk in chunks for key in _flat(chunk)[0].unique().to_pylist()))


def _flat(maps: Any) -> tuple[Any, Any, Any]:
    """Return the keys and the values of maps that are there, and the row of each."""
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(maps.cast(_as_list(maps.type))), 0).to_numpy(
        zero_copy_only=False
    )
    entries = maps.cast(_as_list(maps.type)).flatten()
    keys, values = (pc.struct_field(entries, [place]) for place in (0, 1))
    return keys, values, np.repeat(np.arange(len(maps)), lengths)


def _as_list(kind: Any) -> Any:
    import pyarrow as pa

    return pa.list_(pa.struct([pa.field("key", kind.key_type), pa.field("value", kind.item_type)]))


@dataclass(frozen=True)
class Entries:
    """The scores of mappings, (rows, keys), and which of them are there."""

    keys: Sequence[Any]
    scores: Any
    is_given: Any

    def by_key(self, name: str, known: Sequence[Any] | None = None) -> dict[Any, Any]:
        """Return the scores of each key, or of those that are known, as texts.

        A key without a score has 0 where the others of its row sum to 1, as in learners that meet classes one by one; a
        warning says so. In all other rows it is missing. Raises InputError for keys that are not among the known.
        """
        place = {key if known is None else str(key): at for at, key in enumerate(self.keys)}
        wanted = [*place] if known is None else [*known]
        for key, at in place.items():
            if key not in wanted and self.is_given[:, at].any():
                row = int(self.is_given[:, at].argmax())
                raise InputError(
                    f"{name} has a score of {key!r} in {place_of_row(row)}, which is not among the labels "
                    f"{some(wanted, 5)}. Add it to {hint('labels=', '--labels')}."
                )
        rows = len(self.scores)
        scores = np.full((rows, len(wanted)), np.nan, self.scores.dtype)
        is_given = np.zeros((rows, len(wanted)), bool)
        for at, key in enumerate(wanted):
            if key in place:
                scores[:, at], is_given[:, at] = self.scores[:, place[key]], self.is_given[:, place[key]]
        _fill_absent(scores, is_given, name, wanted)
        return {key: np.ascontiguousarray(scores[:, at]) for at, key in enumerate(wanted)}


def entries(column: Any, name: str) -> Entries:
    """Return the scores of a column of maps or structs."""
    import pyarrow as pa

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    keys = keys_of(column)
    columns = [_by_key(chunk, name, keys) for chunk in chunks]
    if not columns:
        return Entries(keys, np.empty((0, len(keys))), np.empty((0, len(keys)), bool))
    scores, is_given = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return Entries(keys, scores, is_given)


def _fill_absent(scores: Any, is_given: Any, name: str, keys: Sequence[Any]) -> None:
    is_absent = ~is_given
    sums = np.where(is_given, scores, 0).sum(1, dtype=np.float64)
    is_complete = is_absent.any(1) & is_given.any(1) & (np.abs(sums - 1) <= _ROUNDING)
    if is_complete.any():
        scores[is_absent & is_complete[:, None]] = 0
        missed = [keys[at] for at in map(int, np.flatnonzero((is_absent & is_complete[:, None]).any(0)))]
        text = (
            f"{name} has no score of {some(missed, 5)} in {placed(is_complete)}, whose scores sum to 1. It is read as "
            "0."
        )
        warnings.warn(DoorText.of(text), stacklevel=4)


def _by_key(chunk: Any, name: str, keys: Sequence[Any]) -> tuple[Any, Any]:
    """Return the scores of a chunk, (rows, keys), and which of them are there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_struct(chunk.type):
        columns = [pc.struct_field(chunk, [place]) for place in range(len(keys))]
        is_given = [column.is_valid().to_numpy(zero_copy_only=False) for column in columns]
        if not keys:
            return np.empty((len(chunk), 0)), np.empty((len(chunk), 0), bool)
        arrays = [_numbers(column, f"{name}.{key}") for column, key in zip(columns, keys, strict=True)]
        return np.stack(arrays, 1), np.stack(is_given, 1)
    row_keys, values, rows = _flat(chunk)
    numbers = _numbers(values, name)
    places = pc.index_in(row_keys, pa.array(keys, row_keys.type)).to_numpy(zero_copy_only=False)
    scores = np.full((len(chunk), len(keys)), np.nan, numbers.dtype)
    is_there = np.zeros(scores.shape, bool)
    scores[rows, places], is_there[rows, places] = numbers, True
    return scores, is_there


def _numbers(column: Any, name: str) -> Any:
    """Return one number a row. Raises InputError for several."""
    array = as_array(column, name)
    if array.ndim != 1:
        raise InputError(
            f"{name} has several numbers in each row. {hint('Pass', 'Use')} one number for each class."
        )
    return array


def rows_of_numbers(column: Any, name: str) -> Any:
    """Return a column of lists of numbers or of vectors as an array, (rows, size); any other column as it is."""
    return dense(column, name) if is_of_numbers(column.type) else column


def single_scores(columns: list[Any], name: str) -> list[Any]:
    """Return columns of one score a row. Raises InputError for those of several, whose order the name does not say."""
    if any(
        column is not None and (is_of_numbers(column.type) or is_of_keys(column.type)) for column in columns
    ):
        raise InputError(f"{name} has several scores in each row. Use --class-scores {name} instead.")
    return columns


def scores_by_key(scores: Any, labels: Sequence[Any]) -> Any:
    """Return the scores of each label, where rows are mappings, Arrow's maps or structs; anything else as it is.

    Keys are labels as they are written: "1" is 1 where labels are numbers.
    """
    if not _may_hold_mappings(scores):
        return scores
    column = scores if isinstance(scores, list | tuple) else opened(scores, "score")
    first = next((row for row in column if not is_missing(row)), None) if _is_of_objects(column) else None
    if isinstance(first, Mapping):
        read = _entries_of_rows(column)
    elif hasattr(column, "type") and is_of_keys(column.type):
        read = entries(column, "score")
    else:
        is_of_lists = isinstance(column, np.ndarray) and isinstance(first, list | tuple | np.ndarray)
        return _as_rows(column) if is_of_lists else scores
    by_key = read.by_key("score")
    keys = [*by_key]
    named = typed_labels(keys, labels) if all(isinstance(key, str) for key in keys) else keys
    return dict(zip(named, by_key.values(), strict=True))


def _may_hold_mappings(scores: Any) -> bool:
    """Check whether scores are a list, or a series or an array of any library that is not of numbers."""
    if isinstance(scores, list | tuple):
        return True
    if hasattr(type(scores), "columns") or getattr(getattr(scores, "dtype", None), "kind", "O") in "biufc":
        return False
    is_object = isinstance(scores, np.ndarray) and scores.dtype == object and scores.ndim == 1
    is_series = any(hasattr(scores, name) for name in ("iloc", "to_arrow", "to_native", "__arrow_c_stream__"))
    return is_object or is_series or hasattr(scores, "__arrow_c_array__")


def _as_rows(column: Any) -> list[Any]:
    """Return a series of lists as a list of lists; a missing one has missing scores."""
    width = next(len(row) for row in column if isinstance(row, list | tuple | np.ndarray))
    return [row if np.ndim(row) else [np.nan] * width for row in column]


def _is_of_objects(column: Any) -> bool:
    return isinstance(column, list | tuple) or (isinstance(column, np.ndarray) and column.dtype == object)


def is_of_keys(kind: Any) -> bool:
    """Check whether a column holds mappings: maps, or structs that are no vectors."""
    import pyarrow as pa

    return bool(pa.types.is_map(kind) or (pa.types.is_struct(kind) and not is_vector(kind)))


def _entries_of_rows(rows: Any) -> Entries:
    """Return the scores of mappings. Raises InputError for a row that is none."""
    for row, value in enumerate(rows):
        if value is not None and not isinstance(value, Mapping):
            raise InputError(
                f"score is {type(value).__name__} in {place_of_row(row)}. Pass a mapping for each row."
            )
    keys = [*dict.fromkeys(key for row in rows for key in row or ())]
    columns = [[(row or {}).get(key) for row in rows] for key in keys]
    is_given = [[key in (row or ()) for row in rows] for key in keys]
    scores = [_numbers(column, f"score of {key!r}") for key, column in zip(keys, columns, strict=True)]
    if not keys:
        raise InputError("score has no scores in any row. Pass mappings such as {label: score}.")
    return Entries([plain(key) for key in keys], np.stack(scores, 1), np.array(is_given, bool).T)
