"""One column that holds the scores of all classes: a list, a vector of Spark, a struct or a map of each row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from classay.errors import InputError
from classay.formats import json_files, json_lines
from classay.formats.known_names import names_of_codes
from classay.formats.paths import Table, base_of
from classay.formats.vectors import dense, is_list, is_of_numbers, is_vector, keys_of
from classay.sources.inputs import Input, explained, find_input
from classay.sources.other_formats import prepared
from classay.texts import hint, quote, some

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 8192
"""Rows from the begin of a file that are looked at."""


def class_columns(
    name: str, path: Any, truth: str | None, labels: Sequence[str], **how: Any
) -> dict[str, str] | None:
    """Return the path of the scores of each class by its label; None where the column holds no scores of classes.

    Lists and vectors have their scores in the order of `labels`, or of the classes that the file knows for the column
    of true labels. Raises InputError where neither says the order.
    """
    source = prepared(find_input(path, how.get("format"), how.get("delimiter"), how.get("layout", ())))
    with _first_rows(source, [name, *([truth] if truth else [])]) as (table, metadata):
        base = None if table is None else base_of(name, table.column_names)
        if table is None or base is None:
            return None
        column = Table(table, source.name, [name]).column(name)
        return _of_column(column, name, table, metadata, truth, labels)


def _of_column(
    column: Any, name: str, table: Any, metadata: Any, truth: str | None, labels: Sequence[str]
) -> dict[str, str] | None:
    import pyarrow as pa

    kind = column.type
    if is_of_numbers(kind):
        known = [*labels]
        if not known:
            known, is_order = _classes_of(table, metadata, truth)
            if not is_order:
                raise _unknown_order(column, name, known, metadata)
            text = f"Scores of {name} are in the order of {truth} in the file: {some(known, 5)}."
            warnings.warn(text, stacklevel=4)
        return {label: f"{name}[{place} of {len(known)}]" for place, label in enumerate(known)}
    if pa.types.is_map(kind) or (pa.types.is_struct(kind) and not is_vector(kind)):
        numeric = [kind.item_type] if pa.types.is_map(kind) else [inner.type for inner in kind]
        if not numeric or not all(_is_number(inner) for inner in numeric):
            raise InputError(
                f"{name} has fields that are not scores ({kind!s:.80}). Name one field for each class, such as "
                f"{hint('score={label: column}', f'--class-scores LABEL={name}.FIELD,…')}."
            )
        keys = [*labels] or [*map(str, keys_of(column))]
        return {key: f"{name}{{{key}}}" for key in keys}
    if is_list(kind):
        raise InputError(
            f"{name} has lists of {kind.value_type!s:.80}, not of numbers. Name a path to the scores."
        )
    return None


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _classes_of(table: Any, metadata: Any, truth: str | None) -> tuple[list[str], bool]:
    """Return the classes that the file knows for true labels, and whether it says their order."""
    import pyarrow as pa

    if truth is None:
        return [], False
    if names := names_of_codes(metadata).get(truth):
        return names, True
    base = base_of(truth, table.column_names)
    kind = table.schema.field(base).type if base == truth else None
    if kind is None or not pa.types.is_dictionary(kind) or not table.num_rows:
        return [], False
    values = [str(value) for value in table[truth].chunk(0).dictionary.to_pylist()]
    return values, kind.ordered or values == sorted(values)


def _unknown_order(column: Any, name: str, classes: Sequence[str], metadata: Any) -> InputError:
    """Return the error for scores whose order nothing says, with the classes that the file knows."""
    size = dense(column.drop_null().slice(0, 1), name).shape[1]
    if not classes:
        classes = next((known for known in names_of_codes(metadata).values() if len(known) == size), ())
    others = f" (the file has {some(classes, 5)})" if classes else ""
    example = ",".join(classes or "ABC"[: max(size, 2)])
    return InputError(
        f"{name} has {size} scores in each row, and nothing says which class each belongs to{others}. Use "
        f"{hint('labels=', f'--labels {quote(example) if chr(32) in example else example}')} with the classes in the "
        "order of the scores."
    )


@contextmanager
def _first_rows(source: Input, names: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    """Yield the first rows of the columns of names, as a table, and the description of the table; or None."""
    with explained(source):
        table = metadata = None
        if source.format == "parquet":
            table, metadata = _of_parquet(source, names)
        elif source.format == "arrow":
            table, metadata = _of_arrow(source, names)
        elif source.format in ("jsonl", "json"):
            reader = json_lines if source.format == "jsonl" else json_files
            table = reader.first_rows(source, names)
    yield table, metadata


def _bases(names: Sequence[str], available: Sequence[str]) -> list[str]:
    return [*dict.fromkeys(base for name in names if (base := base_of(name, available)) is not None)]


def _of_parquet(source: Input, names: Sequence[str]) -> tuple[pa.Table, Any]:
    import pyarrow as pa
    from pyarrow import parquet

    with source.open() as stream:
        file = parquet.ParquetFile(stream)
        bases = _bases(names, file.schema_arrow.names)
        batch = next(file.iter_batches(batch_size=_ROWS, columns=bases), None)
        rows = file.schema_arrow.empty_table() if batch is None else pa.Table.from_batches([batch])
        return rows.select(bases), file.schema_arrow.metadata


def _of_arrow(source: Input, names: Sequence[str]) -> tuple[pa.Table, Any]:
    from classay.sources.files import opened_arrow

    with source.open() as stream:
        reader = opened_arrow(source, stream)
        bases = _bases(names, reader.schema.names)
        batches = [reader.get_batch(0)] if getattr(reader, "num_record_batches", 0) else None
        if batches is None:
            batches = [next(iter(reader))] if hasattr(reader, "read_next_batch") else []
        import pyarrow as pa

        rows = pa.Table.from_batches([batch.slice(0, _ROWS) for batch in batches], reader.schema)
        return rows.select(bases), reader.schema.metadata
