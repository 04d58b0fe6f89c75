"""Description of a file: how it was read, what its columns may be, and command lines that would run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from classay.describing.columns import ColumnFacts, described_values, facts_of
from classay.describing.command_lines import MAX_COMMANDS, SuggestedCommand, Target, suggested
from classay.describing.complements import complements
from classay.describing.first_rows import FirstRows, first_rows, table_names, text_of_command
from classay.describing.nested_fields import with_fields
from classay.describing.one_column import is_nested, scores_in_one
from classay.describing.roles import Role, RoledColumn, Roles, is_score_name, roles_in
from classay.describing.several_files import differences, note_on_files
from classay.errors import ClassayError, InputError
from classay.formats.copies import note_on_copies
from classay.formats.layout import Layout
from classay.formats.samples import size_of
from classay.formats.workbooks import SeveralTablesError
from classay.kinds import Format
from classay.shown import Reportable
from classay.sources.inputs import find_input
from classay.sources.other_formats import meant
from classay.texts import some
from classay.wings import brought, thing

if TYPE_CHECKING:
    import pyarrow as pa


DRAWN = (
    "a list of `classay label`: its cases were drawn with unequal chances. "
    "Use --design with the .plan.json of the list"
)
"""The note on such a list."""
MAX_TABLES = 20
"""Sheets or tables of a file that are described."""


@dataclass(frozen=True)
class DescribedColumn:
    """A column of a file: what it may be, best first, and what stands against it. Ids have no `values`."""

    name: str
    type: str
    n_missing: int
    n_distinct: int
    values: str
    roles: tuple[Role, ...]
    against: tuple[str, ...]


@dataclass(frozen=True)
class DescribedTable:
    """One of several sheets or tables of a file, and what it may be."""

    name: str
    n_rows: int | None
    columns: tuple[str, ...]
    summary: str


@dataclass(frozen=True)
class Description(Reportable):
    """What a file is, what its columns may be, and command lines that would run. Nothing of it is computed."""

    file: str
    format: str
    format_title: str
    n_bytes: int
    n_rows: int | None
    """The number of all rows, None where only reading the whole file would tell."""
    n_rows_read: int
    """The first rows that were looked at."""
    reading: tuple[tuple[str, str], ...]
    columns: tuple[DescribedColumn, ...]
    positive: str | None
    positive_reason: str
    commands: tuple[SuggestedCommand, ...]
    notes: tuple[str, ...]
    tables: tuple[DescribedTable, ...] = ()
    """The sheets or tables of a file with several, of which no option names one; `columns` are then empty."""
    tables_named_by: Literal["sheet", "range"] = "sheet"

    @property
    def is_whole(self) -> bool:
        """Whether all rows were looked at."""
        return self.n_rows == self.n_rows_read


def described(
    file: str,
    first: str | None = None,
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
    options: Mapping[str, str] | None = None,
    others: Sequence[str] = (),
) -> Description:
    """Describe a file by its first rows; `first` is the first of several files that a name means, before `others`.

    `options` are those of reading that were named, as the command writes them.

    Raises FileError or InputError for a file that cannot be read.
    """
    if names := table_names(first or file, format, layout):
        parts = {name: _of_table(file, name, first, format, layout, options) for name in names[:MAX_TABLES]}
        return _of_several(file, parts, names)
    try:
        rows = first_rows(first or file, format=format, delimiter=delimiter, layout=layout, options=options)
    except SeveralTablesError as error:
        shown = error.ranges[:MAX_TABLES]
        parts = {cells: _of_table(file, cells, first, format, layout, options, "range") for cells in shown}
        return _of_several(file, parts, error.ranges, "range")
    if not rows.table.num_columns:
        raise InputError(f"{file} has no columns. Use a table of predictions.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the command says it again
        table = meant(rows.table, None, first or file, (), rows.source.layout)
    facts, roles, table = _with_roles(rows, table, first or file)
    for name, text in complements(table, roles):
        next(column for column in roles.columns if column.facts.name == name).against.append(text)
    is_several = first is not None and first != file
    target = Target(file, rows.format, rows.options, is_several=is_several)

    def read(path: str) -> FirstRows:
        return first_rows(path, format=format, delimiter=delimiter, layout=layout, options=options)

    unlike = differences(rows, others, read)
    description = Description(
        file=file,
        format=rows.format,
        format_title=rows.title,
        n_bytes=rows.n_bytes,
        n_rows=rows.n_rows,
        n_rows_read=rows.table.num_rows,
        reading=(
            (("files", f"{len(others) + 1:,}"), ("first file", str(first)), *rows.reading)
            if is_several
            else rows.reading
        ),
        columns=tuple(_described(column) for column in roles.columns),
        positive=None if roles.truth is None or len(roles.truth.facts.values) != 2 else str(roles.positive),
        positive_reason=roles.positive_reason,
        commands=suggested(facts, roles, target, table),
        notes=(
            *([DRAWN] if roles.drawn is not None else []),
            *(note_on_files(len(others) + 1, unlike, str(first)) if is_several else ()),
            *rows.notes,
            *_copies(rows.table, first or file, rows.notes),
        ),
    )
    if not unlike:
        return description

    def describe(path: str) -> Description:
        return described(path, format=format, delimiter=delimiter, layout=layout, options=options)

    return _of_unlike_files(description, [str(first), *unlike], describe)


def _of_unlike_files(
    d: Description, files: Sequence[str], describe: Callable[[str], Description]
) -> Description:
    """Return a description with commands for each of the files that cannot be read together."""
    commands: list[SuggestedCommand] = []
    for path in files[:MAX_COMMANDS]:
        with suppress(ClassayError):
            commands += describe(path).commands[:1]
    then = f" and use: {d.commands[0].text}" if d.commands else ""
    names = some([str(path) for path in files[1:]])
    note = f"These files cannot be read together. Save {names} in the layout of {files[0]}{then}"
    return replace(d, commands=tuple(commands), notes=(*d.notes, note))


def _with_roles(rows: FirstRows, table: pa.Table, where: str) -> tuple[list[ColumnFacts], Roles, pa.Table]:
    """Return what columns are and may be, and fields within those that do not have the scores of all classes."""
    facts = facts_of(table, rows.missing)
    roles = roles_in(facts, where)
    scored = _with_scores_in_one(rows.table, table, roles, where)
    names = [name for name in table.column_names if is_nested(table[name].type)]
    names = [name for name in names if not any(scores.name == name for scores in roles.in_one)]
    fields = with_fields(table, names, where)
    if fields.num_columns == table.num_columns:
        return facts, roles, scored
    facts = facts_of(fields, rows.missing)
    roles = roles_in(facts, where)
    for column in roles.columns:
        begins = (f"{column.facts.name}.", f"{column.facts.name}[")
        inside = [path for path in fields.column_names if path.startswith(begins)]
        if inside:
            column.against = [f"its fields have paths, such as {inside[0]}"]
    return facts, roles, _with_scores_in_one(rows.table, fields, roles, where)


def _of_table(
    file: str,
    name: str,
    first: str | None,
    format: Format | None,
    layout: tuple[Any, ...],
    options: Mapping[str, str] | None,
    named_by: Literal["sheet", "range"] = "sheet",
) -> Description | ClassayError:
    """Return the description of one of several tables, or why it cannot be read."""
    known = next((entry for entry in layout if isinstance(entry, Layout)), Layout())
    others = tuple(entry for entry in layout if not isinstance(entry, Layout))
    try:
        return described(
            file,
            first,
            format=format,
            layout=(
                *others,
                replace(known, sheet=name) if named_by == "sheet" else replace(known, range=name),
            ),
            options={**(options or {}), named_by: name},
        )
    except ClassayError as error:
        return error


def _of_several(
    file: str,
    parts: Mapping[str, Description | ClassayError],
    names: Sequence[str],
    named_by: Literal["sheet", "range"] = "sheet",
) -> Description:
    """Return the description of a file with several tables: of each one line, and the first command of each."""
    source = find_input(file, None, None)
    tables: list[DescribedTable] = []
    of_tables: list[tuple[SuggestedCommand, ...]] = []
    for name, part in parts.items():
        if isinstance(part, ClassayError):
            tables.append(DescribedTable(name, None, (), part.at_the_command))
            continue
        columns = tuple(column.name for column in part.columns)
        tables.append(DescribedTable(name, part.n_rows, columns, summary_of(part)))
        of_tables.append(part.commands)
    useful = [commands for commands in of_tables if commands]
    commands = [command for of_table in useful for command in of_table[: 1 if len(useful) > 1 else None]]
    skipped = len(names) - len(parts)
    return Description(
        file=file,
        format=source.format,
        format_title=thing(brought("formats")[source.format]).title,
        n_bytes=size_of(source),
        n_rows=None,
        n_rows_read=0,
        reading=(("tables", f"{len(names):,}"),),
        columns=(),
        positive=None,
        positive_reason="",
        commands=tuple(commands[:MAX_COMMANDS]),
        notes=(f"{skipped:,} other tables are not described. Use --{named_by} to name one.",)
        if skipped
        else (),
        tables=tuple(tables),
        tables_named_by=named_by,
    )


def summary_of(d: Description) -> str:
    """Return what a table may be, in a sentence."""
    if d.commands:
        return f"{d.commands[0].reason}."
    axes = [column.name for column in d.columns if any(role.name == "curve point" for role in column.roles)]
    if axes:
        return f"The rows are points of a curve ({', '.join(axes)}), not cases. Use a file with a row for each case."
    truths = [column for column in d.columns if any(role.name == "truth" for role in column.roles)]
    if not truths:
        return "No column looks like true labels."
    start = f"{truths[0].name} may have the true labels, but"
    scores = [column.name for column in d.columns if any(role.name in SCORES for role in column.roles)]
    if scores:
        return f"{start} {scores[0]} does not fit their number."
    return f"{start} no column looks like scores or predictions of them."


SCORES = ("probability", "score", "class scores")
"""Roles of columns that classify cases."""


def _with_scores_in_one(read: pa.Table, table: pa.Table, roles: Roles, where: str) -> pa.Table:
    """Find the columns with the scores of all classes; return the table with each of the scores by its path."""
    if roles.truth is None:
        return table
    names = [name for name in read.column_names if is_nested(read[name].type)]
    nested = [column for column in roles.columns if column.facts.name in names]
    scored = scores_in_one(read, names, roles.truth.facts, where)
    roles.in_one = sorted(scored, key=lambda scores: (scores.is_guess, not is_score_name(scores.name)))
    for scores in roles.in_one:
        column = next(column for column in nested if column.facts.name == scores.name)
        column.add("class scores", f"a score of each label ({some([*scores.scores])})")
        column.against = ["the order of the classes is a guess"] if scores.is_guess else []
        for facts, values in zip(scores.facts, scores.scores.values(), strict=True):
            table = table.append_column(facts.name, values)
    return table


def _copies(table: pa.Table, where: str, notes: Sequence[str]) -> list[str]:
    """Return what is said of rows that are exact copies, unless the reader said it."""
    if any("in all columns" in note for note in notes) or any(is_nested(kind) for kind in table.schema.types):
        return []
    notes_on_rows = note_on_copies(
        table.column_names, [column.to_pylist() for column in table.columns], where
    )
    return [text_of_command(note) for note in notes_on_rows]


def _described(column: RoledColumn) -> DescribedColumn:
    facts: ColumnFacts = column.facts
    return DescribedColumn(
        facts.name,
        facts.type,
        facts.missing_of_all if facts.missing_of_all is not None else facts.n_missing,
        facts.n_distinct,
        described_values(facts),
        tuple(column.roles),
        tuple(column.against),
    )
