"""One column that holds the scores of all classes: a list, a vector of Spark, a struct or a map of each row."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from classay.columns.values import is_missing
from classay.errors import InputError, NoRowsError
from classay.formats import json_files, json_lines
from classay.formats.known_names import names_of_codes
from classay.formats.paths import Table, base_of
from classay.formats.vectors import dense, is_list, is_of_numbers, is_vector, keys_of
from classay.sources.files import opened_arrow, parquet_file
from classay.sources.inputs import Input, chosen, explained, find_input
from classay.sources.other_formats import prepared, reader_of
from classay.texts import cut, hint, some

if TYPE_CHECKING:
    import pyarrow as pa

_NESTED = ("list<", "large_list<", "fixed_size_list<", "struct<", "map<")
"""What the types of nested columns begin with."""
_ROWS = 8192
"""Rows from the begin of a file that are looked at."""


@dataclass(frozen=True)
class FirstRows:
    """The first rows of some columns of a file, and the description that the file has of its columns."""

    table: pa.Table
    metadata: Mapping[bytes, bytes] | None = None

    def column(self, name: str, where: str) -> Any:
        """Return the values of a name; None where the file has no such column."""
        is_there = base_of(name, self.table.column_names) is not None
        return Table(self.table, where, [name]).column(name) if is_there else None


def class_columns(
    name: str, source: Input, truth: str | None, labels: Sequence[Hashable]
) -> dict[Hashable, str] | None:
    """Return the path of the scores of each class by its label; None where the column holds no scores of classes.

    Lists and vectors have their scores in the order of `labels`, or of the classes that the file knows for the column
    of true labels. Raises InputError where neither says the order.
    """
    rows = first_rows(source, [name, *([truth] if truth else [])])
    return None if rows is None else class_columns_in(rows, name, source.name, truth, labels)


def class_columns_in(
    rows: FirstRows, name: str, where: str, truth: str | None, labels: Sequence[Hashable]
) -> dict[Hashable, str] | None:
    """Return what `class_columns` does, by first rows that are read already."""
    import pyarrow as pa

    column = rows.column(name, where)
    if column is None:
        return None
    kind = column.type
    if is_of_numbers(kind):
        known = [*labels] or _classes_in_order(column, name, rows, truth, where)
        return {label: f"{name}[{place} of {len(known)}]" for place, label in enumerate(known)}
    if pa.types.is_map(kind) or (pa.types.is_struct(kind) and not is_vector(kind)):
        numeric = [kind.item_type] if pa.types.is_map(kind) else [inner.type for inner in kind]
        if not numeric or not all(_is_number(inner) for inner in numeric):
            raise InputError(
                f"{name} has fields that are not scores ({cut(str(kind), 80)}). Name one field for each class, such as "
                f"{hint('score={label: column}', f'--class-scores LABEL={name}.FIELD,…')}."
            )
        return {key: f"{name}{{{key}}}" for key in [*labels] or keys_of(column)}
    if is_list(kind):
        raise InputError(
            f"{name} has lists of {cut(str(kind.value_type), 80)}, not of numbers. Name a path to the scores."
        )
    return None


def columns_in_one_order(
    name: str, files: Iterable[str], truth: str | None, labels: Sequence[Hashable], *how: Any
) -> dict[Hashable, str] | None:
    """Return what `class_columns` does, of several files; `how` is the format, the delimiter and the layout.

    Files without rows are skipped. Raises InputError where files have other orders of classes.
    """
    first: dict[Hashable, str] | None = None
    for file in files:
        with suppress(NoRowsError), warnings.catch_warnings():
            if first is not None:
                warnings.simplefilter("ignore")  # the order is told once
            known = class_columns(name, find_input(file, *how), truth, labels)
            if known is None:
                return None
            first = first or known
            if known != first:
                raise InputError(
                    f"{file} has the scores of {name} for {some([*known], 5)}, but the first file for "
                    f"{some([*first], 5)}. Write the files with the same order of classes."
                )
    return first


def score_by_class(
    score: str, files: Iterable[str], truth: str, labels: Sequence[Hashable] | None, *how: Any
) -> dict[Hashable, str] | str:
    """Return the paths of one column with the scores of all classes of files; the name of any other column."""
    known = columns_in_one_order(score, files, truth, labels or (), *how)
    return score if known is None else known


def _classes_in_order(
    column: Any, name: str, rows: FirstRows, truth: str | None, where: str
) -> list[Hashable]:
    """Return the classes in the order that the file declares, or that whole numbers from 0 have; a warning says so."""
    size = dense(column.drop_null().slice(0, 1), name).shape[1]
    labels = None if truth is None else rows.column(truth, where)
    classes: Sequence[Hashable] = [] if truth is None else names_of_codes(rows.metadata).get(truth, [])
    is_ordered = bool(classes)
    if labels is not None and not is_ordered:
        classes, is_ordered = _classes_of(labels, size)
    if not is_ordered:
        raise _unknown_order(name, size, classes, rows.metadata)
    text = f"Scores of {name} are in the order of {truth} in the file: {some(classes, 5)}."
    warnings.warn(text, stacklevel=4)
    return [*classes]


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _classes_of(labels: Any, size: int) -> tuple[Sequence[Hashable], bool]:
    """Return the classes that a column of true labels knows, and whether their order is known too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = labels.type
    if pa.types.is_dictionary(kind) and labels.num_chunks:
        return labels.chunk(0).dictionary.to_pylist(), kind.ordered
    if pa.types.is_boolean(kind) and size == len(_BOTH):
        return _BOTH, True
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        codes = {code for code in pc.unique(labels).to_pylist() if not is_missing(code)}
        if codes and codes <= {*range(size)}:
            return [*range(size)], True
    return [], False


_BOTH = (False, True)


def _unknown_order(
    name: str, size: int, classes: Sequence[Hashable], metadata: Mapping[bytes, bytes] | None
) -> InputError:
    """Return the error for scores whose order nothing says, with the classes that the file knows."""
    if not classes:
        classes = next((known for known in names_of_codes(metadata).values() if len(known) == size), ())
    others = f" (the file has {some(classes, 5)})" if classes else ""
    example = ",".join(map(str, classes or "ABC"[: max(size, 2)]))
    return InputError(
        f"{name} has {size} scores in each row, and nothing says which class each belongs to{others}. Use "
        f"{hint('labels=', f'--labels {shlex.quote(example)}')} with the classes in the order of the scores."
    )


def first_rows(source: Input, names: Sequence[str]) -> FirstRows | None:
    """Return the first rows of the columns of names; None where the format has no nested columns."""
    with explained(source):
        if source.format == "parquet":
            return _of_parquet(source, names)
        if source.format == "arrow":
            return _of_arrow(source, names)
        if source.format in ("jsonl", "json"):
            table = (json_lines if source.format == "jsonl" else json_files).first_columns(source, names)
            return None if table is None else FirstRows(table)
        if (reader := reader_of(source)) is not None:
            ready = prepared(source)
            kinds = dict(reader.schema(ready))
            bases = _bases(names, [*kinds], source.name)
            if any(kinds[base].startswith(_NESTED) for base in bases):
                return FirstRows(reader.read(ready, bases, ()))
    return None


def _bases(names: Sequence[str], available: Sequence[str], where: str) -> list[str]:
    """Return the columns behind those names that are there. Raises InputError for one that occurs twice."""
    bases = [*dict.fromkeys(base for name in names if (base := base_of(name, available)) is not None)]
    return chosen(bases, available, where) if bases else []


def _of_parquet(source: Input, names: Sequence[str]) -> FirstRows:
    import pyarrow as pa

    with source.open() as stream:
        file = parquet_file(stream)
        schema = file.schema_arrow
        bases = _bases(names, schema.names, source.name)
        batch = next(file.iter_batches(batch_size=_ROWS, columns=bases), None)
        rows = schema.empty_table() if batch is None else pa.Table.from_batches([batch])
        return FirstRows(rows.select(bases), schema.metadata)


def _of_arrow(source: Input, names: Sequence[str]) -> FirstRows:
    import pyarrow as pa

    with source.open() as stream:
        reader = opened_arrow(source, stream)
        is_file = hasattr(reader, "num_record_batches")
        batch = reader.get_batch(0) if is_file and reader.num_record_batches else None
        batch = batch if is_file else next(iter(reader), None)
        rows = pa.Table.from_batches([] if batch is None else [batch.slice(0, _ROWS)], reader.schema)
        bases = _bases(names, rows.column_names, source.name)
        return FirstRows(rows.select(bases), reader.schema.metadata)
