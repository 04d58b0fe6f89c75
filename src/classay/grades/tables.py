"""Tables of grades by named columns: CSV, TSV, Parquet, Arrow, JSON lines, and JSON arrays of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.column_names import listed_columns
from classay.errors import FileError, InputError, nearest_column
from classay.grades.json_fields import Fields, as_text, object_lines
from classay.grades.json_stream import chunks_of, items
from classay.grades.log_formats import head_of
from classay.grades.records import Grade, Run, digests, keys_of
from classay.kinds import Format
from classay.sources.files import column_names, read_table
from classay.sources.text_files import other_delimiter
from classay.texts import cut, hint

if TYPE_CHECKING:
    import pyarrow as pa

_MOST = 1 << 53
_ROWS = 1 << 14


@dataclass(frozen=True)
class GradeColumns:
    """The columns of a table of grades, with a row for every answer.

    In JSON, `a.b` is the field b of the object a.

    Parameters
    ----------
    case : str, optional
        What is graded, such as a question.
    model : str, optional
        Who answered. Without it, the file is one run.
    repeat : str, optional
        Which answer of several to the same case, such as an epoch.
    target : str, optional
        The reference answer, which must be the same in all runs.
    by : tuple of str, default ()
        Groups of cases.
    """

    case: str | None = None
    model: str | None = None
    repeat: str | None = None
    target: str | None = None
    by: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns that are named."""
        single = (self.case, self.model, self.repeat, self.target)
        return [name for name in (*single, *self.by) if name is not None]

    @property
    def labels(self) -> list[str]:
        """The columns that are read as they are written, such as ids."""
        return [name for name in (self.case, self.model, self.target, *self.by) if name is not None]


Part = Mapping[str, list[Any]]
"""Some rows of a table, by the names of its columns."""


@dataclass(frozen=True)
class TableReading:
    """How a table is read, if its name and content do not show it; see `read_table`."""

    format: Format | None = None
    delimiter: str | None = None
    layout: tuple[Any, ...] = ()

    def parts(self, path: str, names: Sequence[str], labels: Sequence[str]) -> Iterator[Part]:
        """Yield the columns of a table in parts; labels stay as they are written."""
        table = read_table(
            path, names, labels=labels, format=self.format, delimiter=self.delimiter, layout=self.layout
        )
        columns = {name: _values(table[name]) for name in names}
        for start in range(0, table.num_rows, _ROWS):
            yield {name: values[start : start + _ROWS].tolist() for name, values in columns.items()}

    def names(self, path: str) -> list[str]:
        """Return the names of the columns."""
        columns = column_names(path, format=self.format, delimiter=self.delimiter, layout=self.layout)
        return [name for name, _ in columns]


def _values(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column as an array of what Python has for its values; equal texts are one object."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        column, kind = column.dictionary_encode(), pa.dictionary(pa.int32(), kind)
    if pa.types.is_dictionary(kind):
        coded = pa.chunked_array(column.unify_dictionaries().chunks, column.type).combine_chunks()
        values = np.empty(len(coded.dictionary) + 1, object)
        values[:] = [*coded.dictionary.to_pylist(), None]
        return np.asarray(
            values[coded.indices.fill_null(len(coded.dictionary)).to_numpy(zero_copy_only=False)]
        )
    is_plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    if is_plain and not column.null_count:
        return np.asarray(column.to_numpy())
    values = np.empty(len(column), object)
    values[:] = column.to_pylist()
    return values


def read(path: str, columns: GradeColumns, grade: str | None, reading: TableReading) -> Iterator[Run]:
    """Yield a run for each model of a table. Raises InputError where the columns of grades or cases are not named."""
    is_json = _is_json(path)
    if grade is None or columns.case is None:
        first = next((rows[0] for rows in _json_rows(path) if rows), {}) if is_json else {}
        raise _unnamed(path, grade, [*first] if is_json else reading.names(path))
    names = [*dict.fromkeys([*columns.names, grade])]
    runs: dict[str, Run] = {}
    start = 0
    for part in _json_parts(path, names) if is_json else reading.parts(path, names, columns.labels):
        for model, rows in _by_model(part, columns.model, len(part[columns.case])):
            named_model = None if columns.model is None else model
            run = runs.setdefault(model, Run(path, "table", model=named_model, named=columns.by))
            _add(run, rows, columns, grade)
        _refuse_missing(path, part[columns.case], columns.case, start)
        start += len(part[columns.case])
    if not start:
        raise FileError(f"{Path(path).name} has no rows. Use a file with at least one row.")
    for name in sorted(runs):
        yield runs[name].finished()


def _by_model(part: Part, model: str | None, size: int) -> Iterator[tuple[str, Part]]:
    """Yield the rows of each model."""
    if model is None:
        yield "", part
        return
    codes: dict[Any, int] = {}
    code = np.array([codes.setdefault(value, len(codes)) for value in map(_hashable, part[model])])
    if len(codes) == 1:
        yield as_text(part[model][0]), part
        return
    order = np.argsort(code, kind="stable").tolist()
    ends = np.cumsum(np.bincount(code)).tolist()
    arranged = {column: [values[row] for row in order] for column, values in part.items()}
    for start, end in zip([0, *ends], ends, strict=False):
        rows = {column: values[start:end] for column, values in arranged.items()}
        yield as_text(rows[model][0]), rows


def _hashable(value: Any) -> Any:
    """Return what tells models apart: a text is itself."""
    return value if type(value) is str else as_text(value)


def _add(run: Run, part: Part, columns: GradeColumns, grade: str) -> None:
    """Add rows to a run."""
    assert columns.case is not None
    cases = keys_of(part[columns.case])
    run.extend(
        cases,
        [1] * len(cases)
        if columns.repeat is None
        else _repeats(part[columns.repeat], columns.repeat, run.file),
        [None] * len(cases) if columns.target is None else digests(part[columns.target]),
        Grade(grade),
        part[grade],
        {name: part[name] for name in columns.by},
    )


def _refuse_missing(path: str, cases: Sequence[Any], column: str, start: int) -> None:
    """Refuse rows without a case."""
    if None in cases or "" in cases:
        row = start + next(k for k, case in enumerate(cases) if case is None or case == "")
        raise InputError(
            f"Column {column!r} of {Path(path).name} (case) is missing in row {row:,}, counted from 0. Set the case "
            "of every row."
        )


def _repeats(numbers: list[Any], column: str, path: str) -> list[int]:
    """Return the numbers of answers."""
    if {*map(type, numbers)} == {int} and max(map(abs, numbers)) < _MOST:
        return numbers
    return [_repeat(number, column, path) for number in numbers]


def _repeat(number: Any, column: str, path: str) -> int:
    """Return the number of an answer."""
    if isinstance(number, int | float) and abs(number) < _MOST and number == int(number):
        return int(number)
    raise InputError(
        f"Column {column!r} of {Path(path).name} (repeat) is not a whole number: {cut(repr(number), 40)}. Number the "
        "repeats of each case."
    )


def _is_json(path: str) -> bool:
    return head_of(path).text[:1] in ("{", "[")


def _json_rows(path: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the objects of JSON lines, or of an array, many at a time."""
    if not head_of(path).text.startswith("["):
        yield from map(list, object_lines(path))
        return
    with open(path, "rb") as file:
        rows = _objects(path, items(chunks_of(file)))
        while part := [*islice(rows, _ROWS)]:
            yield part


def _objects(path: str, values: Iterator[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects of an array."""
    for number, value in enumerate(values, 1):
        if not isinstance(value, dict):
            raise FileError(
                f"Item {number:,} of {Path(path).name} is not a JSON object. Use a list of objects."
            )
        yield value


def _json_parts(path: str, names: Sequence[str]) -> Iterator[Part]:
    """Yield the columns of JSON in parts, of which a field may be within an object."""
    is_first = True
    for rows in _json_rows(path):
        if rows and is_first:
            _refuse_absent(path, Fields(rows[0]), names)
            is_first = False
        yield {name: [row[name] if name in row else _at(Fields(row), name) for row in rows] for name in names}


def _at(row: Fields, name: str) -> Any:
    """Return a field of a row, of an object within it by its path."""
    while name not in row and "." in name:
        first, _, name = name.partition(".")
        row = row.fields(first)
    return row.get(name)


def _refuse_absent(path: str, row: Fields, names: Sequence[str]) -> None:
    """Refuse a name of a column that the first row does not have."""
    columns = [name for name, _ in row]
    for name in names:
        if name not in row and name.partition(".")[0] not in row:
            near = nearest_column(name, columns).removeprefix(".")
            raise InputError(f"{Path(path).name} has no column {name!r}. {listed_columns(columns)}{near}")


def _unnamed(path: str, grade: str | None, names: Sequence[str]) -> InputError:
    """Return the error for a table whose columns are not named, with those that it has."""
    what, how = ("cases", hint("Pass columns=GradeColumns(case=…).", "Use --case with its name."))
    if grade is None:
        what, how = ("grades", hint("Pass grade= with its name.", "Use --grade with its name."))
    advice = other_delimiter(names)
    return InputError(
        f"{Path(path).name} is read as a table of grades, so the column of {what} is needed. "
        f"{advice or how} {listed_columns(names)}"
    )
