"""Tables of grades by named columns: CSV, TSV, Parquet, Arrow, JSON lines, and JSON arrays of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from classay.column_names import listed_columns
from classay.errors import FileError, InputError, nearest_column
from classay.grades.harness_logs import json_lines
from classay.grades.json_stream import chunks_of, items
from classay.grades.log_formats import head_of
from classay.grades.records import Grade, Run, as_text, digest, key_of
from classay.sources.files import column_names, read_table
from classay.texts import hint


@dataclass(frozen=True)
class GradeColumns:
    """The columns of a table of grades: one row for each answer. In JSON, `a.b` is the field b of the object a.

    Attributes
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
        return [name for name in (*astuple(self)[:-1], *self.by) if name is not None]


def read(path: str, columns: GradeColumns, grade: str | None) -> Iterator[Run]:
    """Yield a run for each model of a table. Raises InputError where the columns of grades or cases are not named."""
    is_json = _is_json(path)
    if grade is None or columns.case is None:
        _refuse_unnamed(path, columns, grade, is_json=is_json)
    assert grade is not None
    assert columns.case is not None
    runs: dict[str, Run] = {}
    rows = _json_rows(path) if is_json else _table_rows(path, [*dict.fromkeys([*columns.names, grade])])
    for number, row in enumerate(rows):
        value = {name: _found(row, name) for name in (*columns.names, grade)}
        if number == 0:
            _refuse_absent(path, row, value)
        model = None if columns.model is None else as_text(value[columns.model])
        run = runs.setdefault(model or "", Run(path, "table", model=model))
        run.add(
            key_of(value[columns.case]),
            _repeat(value, columns.repeat, path),
            None if columns.target is None else digest(value[columns.target]),
            failed=False,
            grades={Grade(grade): value[grade]},
            groups={name: as_text(value[name]) for name in columns.by if value[name] is not None},
        )
    if not runs:
        raise FileError(f"{Path(path).name} has no rows. Use a file with at least one row.")
    for name in sorted(runs):
        yield runs[name].finished()


def _repeat(value: Mapping[str, Any], column: str | None, path: str) -> int:
    if column is None:
        return 1
    given = value[column]
    if isinstance(given, int | float) and given == int(given):
        return int(given)
    raise InputError(
        f"Column {column!r} of {Path(path).name} (repeat) is not a whole number: {given!r:.40}. Number the "
        "repeats of each case."
    )


def _is_json(path: str) -> bool:
    return head_of(path).text[:1] in ("{", "[")


def _json_rows(path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of JSON lines, or of an array."""
    if not head_of(path).text.startswith("["):
        yield from json_lines(path)
        return
    with open(path, "rb") as file:
        for number, row in enumerate(items(chunks_of(file)), 1):
            if not isinstance(row, Mapping):
                raise FileError(
                    f"Item {number:,} of {Path(path).name} is not a JSON object. Use a list of objects."
                )
            yield row


def _table_rows(path: str, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for batch in read_table(path, names).to_batches(max_chunksize=1 << 14):
        yield from batch.to_pylist()


_NOTHING = object()


def _found(row: Mapping[str, Any], name: str) -> Any:
    """Return a field of a row, of an object within it by its path."""
    if name in row:
        return row[name]
    value: Any = row
    for part in name.split("."):
        value = value.get(part, _NOTHING) if isinstance(value, Mapping) else _NOTHING
    return None if value is _NOTHING else value


def _refuse_absent(path: str, row: Mapping[str, Any], value: Mapping[str, Any]) -> None:
    """Refuse a name of a column that the first row does not have."""
    for name, found in value.items():
        if found is None and name.partition(".")[0] not in row:
            raise InputError(
                f"{Path(path).name} has no column {name!r}. {listed_columns([*row])}"
                f"{nearest_column(name, [*row]).removeprefix('.')}"
            )


def _refuse_unnamed(path: str, columns: GradeColumns, grade: str | None, *, is_json: bool) -> None:
    """Refuse a table whose columns are not named, with those that it has."""
    names = [*next(_json_rows(path), {})] if is_json else [name for name, _ in column_names(path)]
    lacking = "grades" if grade is None else "cases"
    how = {
        "grades": hint("Pass grade= with its name.", "Use --grade with its name."),
        "cases": hint("Pass columns=GradeColumns(case=…).", "Use --case with its name."),
    }[lacking]
    raise InputError(
        f"{Path(path).name} is not a log of a known tool, and its column of {lacking} is not named. {how} "
        f"{listed_columns(names)}"
    )


ROLES = tuple(field.name for field in fields(GradeColumns))
"""What a table's columns may be."""
