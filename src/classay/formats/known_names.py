"""Names of classes that a file knows for codes: those of datasets' ClassLabel and of Spark's StringIndexer."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.columns.numbers import place_of_row, placed
from classay.errors import FileError
from classay.texts import DoorText, some

if TYPE_CHECKING:
    import pyarrow as pa

_HUGGING_FACE = b"huggingface"
_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
_NO_LABEL = -1
"""The code of a case without a label, where ClassLabel is declared."""
_MAX_METADATA = 1 << 24
"""Bytes of a description of columns that are looked at."""


def names_of_codes(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Return the names of the codes from 0 on, by columns, that the description of a table has.

    >>> about = '{"info": {"features": {"y": {"names": ["neg", "pos"], "_type": "ClassLabel"}}}}'
    >>> names_of_codes({b"huggingface": about.encode()})
    {'y': ['neg', 'pos']}
    """
    about = metadata or {}
    features = _json_of(about.get(_HUGGING_FACE), "info", "features")
    names = {
        column: feature["names"]
        for column, feature in (features if isinstance(features, dict) else {}).items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and "names" in feature
    }
    fields = _json_of(about.get(_SPARK), "fields")
    for column in fields if isinstance(fields, list) else []:
        attribute = _inner(column, "metadata", "ml_attr")
        if isinstance(attribute, dict) and "vals" in attribute:
            names[_inner(column, "name")] = attribute["vals"]
    return {
        column: [str(name) for name in known]
        for column, known in names.items()
        if isinstance(column, str) and isinstance(known, list) and len({*map(str, known)}) == len(known) > 0
    }


def _json_of(text: bytes | None, *keys: str) -> Any:
    if text is None or len(text) > _MAX_METADATA:
        return None
    try:
        return _inner(json.loads(text), *keys)
    except (ValueError, RecursionError):
        return None


def _inner(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def named(
    table: pa.Table, metadata: Mapping[bytes, bytes] | None, where: str, together: Sequence[str]
) -> pa.Table:
    """Return a table with the names of codes in place of these, in columns for which the file knows them.

    Spark says of predictions only how many classes there are: they have the names of the column `together` with them.
    """
    known = names_of_codes(metadata)
    shared = [known[name] for name in together if name in known]
    is_label = metadata is not None and _HUGGING_FACE in metadata
    for place, name in enumerate(table.column_names):
        names = known.get(name) or (shared[0] if shared and name in together else None)
        if names is not None and _are_codes(table[name].type):
            column = _with_names(table[name], name, names, where, is_label=is_label)
            table = table.set_column(place, name, column)
    return table


def _are_codes(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _with_names(
    column: pa.ChunkedArray, name: str, names: Sequence[str], where: str, *, is_label: bool
) -> pa.DictionaryArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_missing = np.asarray(pc.is_null(column, nan_is_null=True).to_numpy(), bool)
    numbers = pc.fill_null(column, 0).to_numpy()
    codes = np.where(is_missing, 0, numbers)
    no_label = (codes == _NO_LABEL) & is_label
    outside = ~no_label & ((codes < 0) | (codes >= len(names)) | (codes != np.floor(codes)))
    if outside.any():
        row = int(outside.argmax())
        raise FileError(
            f"{name} in {where} has {codes[row]:g} in {place_of_row(row)}, but the file names {len(names)} classes "
            f"({some(names, 5)}). Correct the value, or write the file again without these names."
        )
    listing = some([f"{code} = {text}" for code, text in enumerate(names)], 5)
    warnings.warn(f"Classes of {name} from {where}: {listing}.", stacklevel=5)
    if no_label.any():
        text = f"{name} in {where} is -1 in {placed(no_label)}, which means no label. It is read as missing."
        warnings.warn(DoorText.of(text), stacklevel=5)
    indices = pa.array(codes.astype(np.int32), mask=is_missing | no_label)
    return pa.DictionaryArray.from_arrays(indices, pa.array([*names], pa.string()))
