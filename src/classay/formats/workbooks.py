"""Workbooks of Excel and OpenDocument: the saved values of one sheet, by python-calamine."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from classay.errors import ClassayError, FileError, InputError, nearest, told_of_extras
from classay.formats.columns import column_of, numbered, shown, without
from classay.formats.containers import (
    OLE_LOCKED,
    SheetFacts,
    check_unpacked,
    column_letters,
    column_number,
    locked,
    ole_streams,
)
from classay.formats.copies import note_on_copies
from classay.formats.layout import Layout, layout_of, option
from classay.formats.shapes import (
    MIN_ROWS,
    joined_heads,
    note_on_heads,
    told_of_totals,
    totals_in,
    units_in,
)
from classay.formats.sheet_shapes import SheetShape, note_on_notes, shape_of_sheet
from classay.formats.text_layouts import warn
from classay.sources.inputs import Input, chosen, listed, no_rows
from classay.texts import some

if TYPE_CHECKING:
    import pyarrow as pa

Rows = list[list[Any]]
LOOKED_AT = 200
"""First and last rows that are looked at for units and totals."""
MAX_CELLS = 50_000_000
"""Cells from the first to the last of a sheet, empty ones too: calamine keeps room for each."""
_RANGE = re.compile(
    r"(?:(?P<sheet>.+)!)?(?P<left>[A-Z]{1,3})(?P<top>\d+)?:(?P<right>[A-Z]{1,3})(?P<bottom>\d+)?"
)


class SeveralTablesError(FileError):
    """A sheet has several tables, each in a range of its cells."""

    ranges: tuple[str, ...] = ()


_listed: dict[tuple[Any, ...], SheetTable] = {}
"""The table whose columns were listed last: a command reads it next, and a sheet of a zip archive is slow to read."""


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns of the table of a sheet, each with the type of its cells."""
    import pyarrow as pa

    table = _listed.pop(_key(source), None) or _table(source)
    _listed.clear()
    names = chosen(columns, table.names, source.name)
    if not table.rows:
        raise no_rows(source, table.names)
    table.refuse_uncalculated(names)
    table.warn_of_surprises()
    index = {name: place for place, name in enumerate(table.names)}
    return pa.table([table.column(index[name]) for name in names], names=names)


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns of the table of a sheet."""
    import pyarrow as pa

    table = _table(source)
    _listed.clear()
    _listed[_key(source)] = table
    columns = [table.column(place) for place in range(len(table.names))]
    return listed(
        pa.schema([pa.field(name, column.type) for name, column in zip(table.names, columns, strict=True)])
    )


def _key(source: Input) -> tuple[Any, ...]:
    return source.path, source.stamp, layout_of(source)


@dataclass(frozen=True)
class SheetTable:
    """The table of a sheet: its names, the rows below them, and the sheet's address of the first name."""

    where: str
    names: list[str]
    rows: Rows
    left: int
    layout: Layout
    facts: SheetFacts | None
    notes: Sequence[str] = ()

    def column(self, place: int) -> Any:
        """Return the values of a column in one type: numbers, truth values, dates, or else text."""
        values = self.columns[place]
        if "" in values:
            values = [None if value == "" else value for value in values]
        return column_of(without(values, self.layout.missing), self.layout)

    @cached_property
    def columns(self) -> list[Sequence[Any]]:
        """The cells of each column."""
        return [*zip(*self.rows, strict=True)] or [()] * len(self.names)

    def refuse_uncalculated(self, names: Sequence[str]) -> None:
        """Refuse columns of formulas that no program has calculated: their saved values are 0 or empty."""
        formulas = () if self.facts is None else self.facts.formula_columns
        named = [
            name
            for place, name in enumerate(self.names)
            if name in names and column_letters(self.left + place) in formulas
        ]
        if named:
            raise FileError(
                f"{self.where} has formulas in {some(named)} that were never calculated. Only saved values are read. "
                "Open the workbook in Excel or LibreOffice, save it, and read it again."
            )

    def warn_of_surprises(self) -> None:
        """Say which rows are no cases, that rows which nobody sees are read too, and that an error is missing."""
        facts = self.facts
        for text in self.notes:
            warn(text)
        if facts is not None and facts.n_hidden_rows:
            text = f"{self.where} has {facts.n_hidden_rows:,} hidden or filtered rows, which are read too."
            warnings.warn(text, stacklevel=2)
        if facts is not None and facts.n_errors:
            text = f"{self.where} has {facts.n_errors:,} cells with an error, such as #N/A, which are read as missing."
            warnings.warn(text, stacklevel=2)


def tables(source: Input) -> list[str]:
    """Return the names of the sheets that people see, where no option names one."""
    layout = layout_of(source)
    if layout.sheet is not None or "!" in (layout.range or ""):
        return []
    with _opened(source) as book:
        return _visible(book)


@contextmanager
def _opened(source: Input) -> Iterator[Any]:
    """Yield a workbook. Raises FileError for one that is encrypted or damaged."""
    path = source.path
    if source.head.startswith(b"PK"):
        check_unpacked(path, source.name)
    else:
        with open(path, "rb") as file:
            if OLE_LOCKED in ole_streams(file.read(512), path):
                raise locked(source.name)
    with told_of_extras(f"reading {source.name}"):
        import python_calamine as calamine
    try:
        yield calamine.CalamineWorkbook.from_path(path)
    except calamine.PasswordError as error:
        raise locked(source.name) from error
    except BaseException as error:
        if isinstance(error, ClassayError) or not _is_of_calamine(error):
            raise
        raise FileError(
            f"{source.name} cannot be read as a workbook, because it is damaged. Save it again, or restore a copy."
        ) from error


def _table(source: Input) -> SheetTable:
    layout, path = layout_of(source), source.path
    with _opened(source) as book:
        name, cells = _sheet_and_range(source, layout, book)
        facts = SheetFacts(path, name) if source.head.startswith(b"PK") else None
        where = f"Sheet {name!r} of {source.name}"
        if facts is not None and facts.n_rows * facts.n_columns > MAX_CELLS:
            raise FileError(
                f"{where} reaches to {column_letters(facts.n_columns - 1)}{facts.n_rows}, which is too large. Delete "
                "the cells far from the table, or save the sheet as CSV."
            )
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=True)
    return _read_table(rows, sheet, where, cells, layout, facts)


def _is_of_calamine(error: BaseException) -> bool:
    """Check whether an error says that a workbook is damaged; calamine's panics are of no class that can be named."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def _sheet_and_range(source: Input, layout: Layout, book: Any) -> tuple[str, re.Match[str] | None]:
    """Return the name of the sheet to read, and the range in it."""
    cells = None
    if layout.range is not None:
        cells = _RANGE.fullmatch(layout.range.replace("$", "").strip().upper())
        if cells is None:
            raise InputError(
                f"{option('range')} must be two cells, such as A3:F120, or columns, such as A:F, but is "
                f"{layout.range!r}."
            )
    visible = _visible(book)
    names = book.sheet_names
    wanted = layout.sheet
    if wanted is None and cells is not None and cells["sheet"]:
        wanted = layout.range.rpartition("!")[0].strip("'") if layout.range else None
    if wanted is not None:
        if wanted in names:
            return wanted, cells
        raise InputError(
            f"{source.name} has no sheet {wanted!r}. Sheets: {some(names, 5)}{nearest(wanted, names) or '.'}"
        )
    if len(visible) == 1:
        return visible[0], cells
    listed_names = some(visible or names, 5)
    raise InputError(
        f"{source.name} has {len(visible or names)} sheets: {listed_names}. Use {option('sheet')} to name one."
    )


def _visible(book: Any) -> list[str]:
    return [
        sheet.name
        for sheet in book.sheets_metadata
        if str(sheet.visible).endswith(".Visible") and str(sheet.typ).endswith(".WorkSheet")
    ]


def _read_table(
    rows: Rows,
    sheet: Any,
    where: str,
    cells: re.Match[str] | None,
    layout: Layout,
    facts: SheetFacts | None,
) -> SheetTable:
    """Return the table of a sheet, or of a range of it. Raises FileError where the sheet holds anything else."""
    top, left = sheet.start or (0, 0)
    notes: list[str] = []
    name = f"s{where[1:]}"
    if cells is not None:
        rows, top, left = _cut(rows, top, left, cells)
    if layout.header_line is not None:
        above = _row_from(rows, layout.header_line - 1 - top, name)
        rows, top = rows[above:], top + above
    if cells is None and rows:
        shape = shape_of_sheet(rows, has_header=layout.header_line is not None)
        notes += note_on_notes(shape.notes, name)
        _refuse_several_tables(shape, where, top, left)
        rows, top = rows[shape.header : shape.end], top + shape.header
    else:
        rows = [row for row in rows if row.count("") < len(row)]
    if not rows:
        raise FileError(
            f"{where} has no values{'' if cells is None else ' in this range'}. Name another one."
        )
    if (joined := joined_heads(_texts(rows[:LOOKED_AT]))) is not None:
        heads, n_above = joined
        notes.append(note_on_heads(heads, n_above).format(name=f"S{name[1:]}"))
        rows, top = [[*heads], *rows[n_above:]], top + n_above - 1
    elif cells is None:
        if shape.header:
            line = f"Line {top + 1} of {name} is read as the header."
            notes = [f"{line} Use {option('header_line')} to name another line.", *notes]
        _refuse_merged_head(sheet, where, rows, top, left)
    width = next(
        place + 1 for place in reversed(range(len(rows[0]))) if any(row[place] != "" for row in rows)
    )
    shown_names = [shown(value) for value in rows[0][:width]]
    rows, more = _cases(shown_names, rows[1:], name)
    names = numbered(shown_names)
    for place, known in enumerate(names):
        if known == "" and place:  # a first column without a name holds the names of rows
            _refuse_head(where, f"no name in {column_letters(left + place)}{top + 1}", rows, top, left)
    table = SheetTable(where, names, rows, left, layout, facts, notes)
    notes += [*more, *note_on_copies(names, table.columns, name)]
    return table


def _row_from(rows: Rows, first: int, where: str) -> int:
    """Return the place of the first row with values from a place on. Raises InputError where there is none."""
    for place in range(max(first, 0), len(rows)):
        if rows[place].count("") < len(rows[place]):
            return place
    raise InputError(f"{option('header_line')} is beyond the last row of {where}. Name the row of its names.")


def _cases(names: Sequence[str], rows: Rows, where: str) -> tuple[Rows, list[str]]:
    """Return the rows without a first one of units and last ones of totals, and what is said of them."""
    notes = []
    texts = _texts(rows[:LOOKED_AT])
    if (units := units_in(names, texts)) is not None:
        notes.append(f"The first row of {where} is skipped as units: {units}. The numbers are not converted.")
        rows = rows[1:]
    texts = _texts(rows[-LOOKED_AT:])
    number, words, doubtful = totals_in(texts, len(names), is_whole=len(texts) == len(rows))
    notes += told_of_totals(number, words, doubtful, where)
    return rows[: len(rows) - number], notes


def _texts(rows: Rows) -> list[list[str]]:
    """Return the cells of rows as people see them."""
    return [["" if value == "" else shown(value) for value in row] for row in rows]


def _cut(rows: Rows, top: int, left: int, cells: re.Match[str]) -> tuple[Rows, int, int]:
    """Return the rows of a range, with the place of its first cell."""
    first_row = int(cells["top"] or 1) - 1
    last_row = int(cells["bottom"] or top + len(rows))
    first_column, last_column = sorted((column_number(cells["left"]), column_number(cells["right"])))
    inside = rows[max(first_row - top, 0) : max(last_row - top, 0)]
    begin, end = max(first_column - left, 0), max(last_column + 1 - left, 0)
    return [row[begin:end] for row in inside], max(top, first_row), max(left, first_column)


def _refuse_merged_head(sheet: Any, where: str, rows: Rows, top: int, left: int) -> None:
    for (first, begin), (_, end) in sheet.merged_cell_ranges or ():
        if first == top and end > begin:
            cells = f"{column_letters(begin)}{first + 1}:{column_letters(end)}{first + 1}"
            _refuse_head(where, f"merged cells ({cells})", rows, top, left)


def _refuse_head(where: str, what: str, rows: Rows, top: int, left: int) -> NoReturn:
    """Refuse a row of names, with the cells below it; `rows` may be with it or without."""
    if len(rows) < MIN_ROWS - 1:
        raise FileError(
            f"{where} has {what} in its header, and no table below. Use {option('sheet')} to name another sheet."
        )
    below = _address(top + 1, left, top + len(rows) - 1, left + max(map(len, rows)) - 1)
    raise FileError(
        f"{where} has {what} in its header. One row with one name for each column is read. Use {option('range')} with "
        f"the cells below, such as {below}, or {option('header_line')} with the row of names."
    )


def _refuse_several_tables(shape: SheetShape, where: str, top: int, left: int) -> None:
    """Refuse a sheet whose filled rows or columns are parted by empty ones."""
    if shape.tables:
        blocks = [
            _address(top + first, left + begin, top + last, left + end)
            for first, last, begin, end in shape.tables
        ]
        error = SeveralTablesError(
            f"{where} has {len(blocks)} tables: {some(blocks, 4)}. Use {option('range')} to name the cells of one, "
            "with its header."
        )
        error.ranges = tuple(blocks)
        raise error


def _address(top: int, left: int, bottom: int, right: int) -> str:
    return f"{column_letters(left)}{top + 1}:{column_letters(right)}{bottom + 1}"
