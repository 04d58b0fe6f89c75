"""Tables of grades by named columns: CSV, TSV, Parquet, Arrow, JSON lines, and JSON arrays of objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classay.column_names import listed_columns
from classay.errors import FileError, InputError, nearest_column
from classay.grades.json_fields import Fields, as_text, json_lines
from classay.grades.json_stream import chunks_of, items
from classay.grades.log_formats import head_of
from classay.grades.records import Grade, Run, digest, key_of
from classay.sources.files import Format, column_names, read_table
from classay.sources.text_files import other_delimiter
from classay.texts import hint


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


@dataclass(frozen=True)
class TableReading:
    """How a table is read, if its name and content do not show it; see `read_table`."""

    format: Format | None = None
    delimiter: str | None = None
    layout: tuple[Any, ...] = ()

    def rows(self, path: str, names: Sequence[str], labels: Sequence[str]) -> Iterator[Fields]:
        """Yield the rows of a table, whose labels stay as they are written."""
        table = read_table(
            path, names, labels=labels, format=self.format, delimiter=self.delimiter, layout=self.layout
        )
        for batch in table.to_batches(max_chunksize=1 << 14):
            yield from map(Fields, batch.to_pylist())

    def names(self, path: str) -> list[str]:
        """Return the names of the columns."""
        columns = column_names(path, format=self.format, delimiter=self.delimiter, layout=self.layout)
        return [name for name, _ in columns]


def read(path: str, columns: GradeColumns, grade: str | None, reading: TableReading) -> Iterator[Run]:
    """Yield a run for each model of a table. Raises InputError where the columns of grades or cases are not named."""
    is_json = _is_json(path)
    if grade is None or columns.case is None:
        first = next(_json_rows(path), Fields(None)) if is_json else ()
        raise _unnamed(path, grade, [name for name, _ in first] if is_json else reading.names(path))
    names = [*dict.fromkeys([*columns.names, grade])]
    runs: dict[str, Run] = {}
    rows = _json_rows(path) if is_json else reading.rows(path, names, columns.labels)
    for number, row in enumerate(rows):
        if number == 0:
            _refuse_absent(path, row, names)
        case = _at(row, columns.case)
        if case is None or case == "":
            raise InputError(
                f"Column {columns.case!r} of {Path(path).name} (case) is missing in row {number:,}, counted from 0. "
                "Set the case of every row."
            )
        model = None if columns.model is None else as_text(_at(row, columns.model))
        run = runs.setdefault(model or "", Run(path, "table", model=model, named=columns.by))
        run.add(
            key_of(case),
            1 if columns.repeat is None else _repeat(_at(row, columns.repeat), columns.repeat, path),
            None if columns.target is None else digest(_at(row, columns.target)),
            failed=False,
            grades={Grade(grade): _at(row, grade)},
            metadata=Fields({name: _at(row, name) for name in columns.by}),
        )
    if not runs:
        raise FileError(f"{Path(path).name} has no rows. Use a file with at least one row.")
    for name in sorted(runs):
        yield runs[name].finished()


def _repeat(number: Any, column: str, path: str) -> int:
    """Return the number of an answer."""
    if isinstance(number, int | float) and abs(number) < 1 << 53 and number == int(number):
        return int(number)
    raise InputError(
        f"Column {column!r} of {Path(path).name} (repeat) is not a whole number: {number!r:.40}. Number the "
        "repeats of each case."
    )


def _is_json(path: str) -> bool:
    return head_of(path).text[:1] in ("{", "[")


def _json_rows(path: str) -> Iterator[Fields]:
    """Yield the objects of JSON lines, or of an array."""
    if not head_of(path).text.startswith("["):
        yield from json_lines(path)
        return
    with open(path, "rb") as file:
        for number, row in enumerate(items(chunks_of(file)), 1):
            if not isinstance(row, dict):
                raise FileError(
                    f"Item {number:,} of {Path(path).name} is not a JSON object. Use a list of objects."
                )
            yield Fields(row)


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
        f"{Path(path).name} is not a log of a known tool, and its column of {what} is not named. "
        f"{advice or how} {listed_columns(names)}"
    )
