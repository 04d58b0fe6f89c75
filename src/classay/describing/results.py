"""Descriptions of files. Documents and JSON (docs/description.schema.json)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from classay.describing.description import DescribedColumn, Description, summary_of
from classay.describing.roles import ROLES
from classay.report.document import Cell, Column, Document, Label, Listing, Section, Table, Words
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import COUNT, TEXT, TEXTS, one_of
from classay.texts import some

COMMANDS = "Suggested commands"
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def document_of(d: Description) -> Document:
    """Return how the file was read, its columns, and the command lines."""
    rows = () if d.tables else (("rows", rows_in_words(d)),)
    facts = (("format", d.format_title), ("size", _size(d.n_bytes)), *rows, *d.reading)
    described = Section("Tables", (_tables(d),)) if d.tables else Section("Columns", (_columns(d),))
    notes = [Section("How it was read", (Listing(tuple(("", note) for note in d.notes)),))] if d.notes else []
    commands = [
        Section(
            COMMANDS, (Listing(tuple(("", _of_command(d, at)) for at in range(len(d.commands)))),), "next"
        )
    ]
    return Document(
        f"Description of {d.file}",
        facts,
        (_lead(d),),
        (described, *notes, *(commands if d.commands else [])),
    )


def without_commands(document: Document) -> Document:
    """Return the document for a terminal, in which command lines follow unbroken."""
    kept = tuple(section for section in document.sections if section.title != COMMANDS)
    return replace(document, sections=kept)


def lines_of_commands(d: Description) -> list[str]:
    """Return the command lines with what they suppose, each on one line."""
    if not d.commands:
        return []
    lines = ["", f"{COMMANDS}, best first", ""]
    for command in d.commands:
        lines += [f"  # {command.reason}", f"  {command.text}"]
    return lines


def _of_command(d: Description, at: int) -> str:
    command = d.commands[at]
    return f"`{command.text}`: {command.reason}."


def _lead(d: Description) -> str:
    if d.tables:
        return f"The file has several tables. Use --{d.tables_named_by} to name one."
    if d.commands:
        return f"The roles of the columns are guessed from names and values. Best guess: {summary_of(d)}"
    summary = summary_of(d)
    is_final = summary.endswith(("scores or predictions of them.", "a row for each case."))
    return summary if is_final else f"{summary} Name the columns in a command yourself."


def rows_in_words(d: Description) -> str:
    """Return how many rows the file has, and how many were looked at."""
    if d.is_whole:
        return f"{d.n_rows:,}, all read"
    if d.n_rows is None:
        return f"more than {d.n_rows_read:,}; only the first {d.n_rows_read:,} were read"
    return f"{d.n_rows:,}; only the first {d.n_rows_read:,} were read"


def _size(n_bytes: int) -> str:
    """Return a number of bytes in words.

    >>> _size(812), _size(1_600_000)
    ('812 bytes', '1.6 MB')
    """
    size, unit = float(n_bytes), 0
    while size >= 1000 and unit + 1 < len(_UNITS):
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {_UNITS[unit]}"


def _tables(d: Description) -> Table:
    """Return a row for each sheet or table of a file: its rows, its columns, and what it may be."""
    rows: list[tuple[Cell, ...]] = [
        (
            Label(table.name, whole=True),
            Words("–" if table.n_rows is None else f"{table.n_rows:,}"),
            Words(some(table.columns, 5) if table.columns else "–"),
            Words(table.summary),
        )
        for table in d.tables
    ]
    columns = (
        Column("table", Label),
        Column("rows", Words, 5),
        Column("columns", Words),
        Column("may be", Words),
    )
    return Table(columns, tuple(rows))


def _columns(d: Description) -> Table:
    """Return a row for each column: what it may be and why, and what stands against it."""
    rows: list[tuple[Cell, ...]] = [
        (
            Label(column.name or "(no name)", whole=True),
            Words(column.type),
            Words(_roles(column)),
            Words(_why(column)),
        )
        for column in d.columns
    ]
    columns = (
        Column("column", Label),
        Column("type", Words, 5),
        Column("possible role", Words),
        Column("why", Words),
    )
    return Table(columns, tuple(rows))


def _roles(column: DescribedColumn) -> str:
    return some([role.name for role in column.roles], last="or") if column.roles else "–"


def _why(column: DescribedColumn) -> str:
    reasons = [role.reason for role in column.roles[:1]] or [column.values]
    return "; ".join(filter(None, [*reasons, *column.against]))


DESCRIPTION = Result(
    "description",
    1,
    "Description of a file",
    "What `classay describe FILE --json` writes: how the file was read, what its columns may be, and command lines "
    "that would run. All of it is a guess.",
    Key("file", TEXT),
    Key("format", TEXT, help="The format, as --format names it."),
    Key("bytes", COUNT, "n_bytes"),
    Key("rows", COUNT.or_null(), "n_rows", "All rows. Null if only reading the whole file would tell."),
    Key("rows_read", COUNT, "n_rows_read", "The first rows, which were looked at."),
    Key("reading", Many(Row(Key("name", TEXT, "0"), Key("value", TEXT, "1"))), help="How text was read."),
    Key("notes", TEXTS, help="What the file showed while it was read."),
    Key(
        "columns",
        Many(
            Row(
                Key("name", TEXT),
                Key("type", TEXT),
                Key("missing", COUNT, "n_missing", "In the rows read, or in all rows if the file tells."),
                Key("distinct", COUNT, "n_distinct", "Different values in the rows read."),
                Key("values", TEXT, help="Labels or the range, as text. Empty for ids and free text."),
                Key(
                    "roles",
                    Many(Row(Key("role", one_of(*ROLES), "name"), Key("reason", TEXT))),
                    help="What the column may be, best first.",
                ),
                Key("against", TEXTS, help="What stands against its use."),
            )
        ),
    ),
    Key(
        "tables",
        Many(
            Row(
                Key("name", TEXT),
                Key("rows", COUNT.or_null(), "n_rows"),
                Key("columns", TEXTS),
                Key("summary", TEXT, help="What the table may be, or why it cannot be read."),
            )
        ),
        help="Sheets or tables of a file with several, unless --sheet names one. There are no columns then.",
    ),
    Key("positive", TEXT.or_null(), help="The class taken for the positive one."),
    Key("positive_reason", TEXT),
    Key(
        "commands",
        Many(
            Row(
                Key("command", TEXT, "text", "As a shell takes it."),
                Key("arguments", TEXTS, "words"),
                Key("reason", TEXT),
            )
        ).limited(maxItems=5),
        help="Command lines that would run, best first.",
    ),
    kind="description",
)


def as_dict(d: Description) -> dict[str, Any]:
    """Return the description as plain values (docs/description.schema.json)."""
    return DESCRIPTION.as_dict(d)
