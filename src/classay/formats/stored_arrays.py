"""Arrays of h5py, zarr and NetCDF that lack values: their libraries read one value in place of these."""

from __future__ import annotations

import warnings
from math import ceil, prod
from typing import Any

from classay.errors import InputError, in_our_words


class MissingChunksWarning(UserWarning):
    """Some chunks of an array are not stored, and one value is read in their place."""


def with_chunks(column: Any, name: str) -> Any:
    """Return a column, unchanged. Raises InputError if it is an array of which no chunk is stored.

    Missing chunks are legal: writers of zarr leave out those of the fill value, such as 0. They are also what remains
    of an interrupted copy, so some missing chunks are a warning.
    """
    with in_our_words(f"The chunks of {name} cannot be counted", "Check that its file is open and complete."):
        stored, chunks = _stored(column)
    if stored >= chunks:
        return column
    where = f"{name} ({column.name})"
    value = column.fillvalue if hasattr(column, "fillvalue") else column.fill_value
    way = "If this is right, pass the values in memory, such as column[:]."
    if not stored:
        raise InputError(
            f"{where} has no stored values, and all are read as {value}. Restore or write the values. {way}"
        )
    text = f"{where} lacks {chunks - stored:,} of {chunks:,} chunks, whose values are read as {value}. {way}"
    warnings.warn(text, MissingChunksWarning, stacklevel=2)
    return column


def _stored(column: Any) -> tuple[int, int]:
    """Return how many chunks of an array are stored, and how many it has; 0 of 0 of any other column."""
    kind = type(column)
    if hasattr(kind, "nchunks_initialized"):  # zarr
        return (column.nchunks_initialized, column.nchunks) if prod(column.shape) else (0, 0)
    of_file = getattr(column, "id", None) if hasattr(kind, "chunks") else None
    status = getattr(of_file, "get_space_status", None)
    if status is None or not prod(column.shape or (0,)):
        return 0, 0
    if column.chunks is None:  # in one piece
        return int(status() > 0), 1
    chunks = prod(ceil(n / size) for n, size in zip(column.shape, column.chunks, strict=True))
    return column.id.get_num_chunks(), chunks


FILLS = {"float64": 15 * 2.0**119, "float32": 15 * 2.0**119, "int32": 1 - 2**31, "int64": 2 - 2**63}
"""What NetCDF reads by default where nothing was written, by types."""


def recorded(array: Any) -> Any:
    """Return an array of xarray in which values that a NetCDF file lacks are missing, as in the library of NetCDF."""
    is_of_file = "source" in array.encoding and "_FillValue" not in array.encoding
    fill = FILLS.get(str(array.dtype))
    if not is_of_file or fill is None or not bool((array == fill).any()):
        return array
    return array.where(array != fill)
