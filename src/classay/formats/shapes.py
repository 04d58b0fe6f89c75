"""Rows of a table that are no cases: titles above it, a second header, units, totals below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import gt

from classay.formats.layout import Layout
from classay.formats.samples import columns_of
from classay.formats.spellings import NULLS, is_number, is_word_for_missing, number_of, spelling_of
from classay.texts import some

MOST_LINES_ABOVE = 20
MIN_ROWS = 3
"""Rows that have to agree on a layout that no option names."""
MOST_TOTALS = 5
_OTHER_DELIMITERS = ";\t|"
_UNIT = re.compile(r"[%‰]|°.*|.*/.*|\[.*\]|\(.*\)")
_BRACKETED = re.compile(r"\[.*\]|\(.*\)|-")
_TOTAL = re.compile(
    r"(grand )?total|sum|all|summe|gesamt(summe)?|insgesamt|mean|average|median|mittelwert|count|anzahl|somme|moyenne|"
    r"totale?|suma|totaal|\(?n\s*=\s*[\d.,' ]*\d\)?",
    re.IGNORECASE,
)
_NUMBERS = {"continuous", "c"}
_TYPES = {"discrete", "d", "string", "s", "time", "t"}
_ROLE = re.compile(r"(class|meta|ignore|weight|[cmiw])?( ?[^\s=]+=\S*)*")
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Shape:
    """Where the header of a table is and its data begin, in places of rows; new names where its header has others."""

    header: int = 0
    names: tuple[str, ...] | None = None
    first: int = 1
    units: int = 0
    """The place of a row of units, if there is one."""
    notes: tuple[str, ...] = ()
    """What is said of it, with `{name}` for the file, `{header}` and `{units}` for their lines."""


def shape_of(rows: Rows) -> Shape | None:
    """Return the shape of rows, blank lines as no fields; None where they are a plain table, or none."""
    header = _header_of(rows)
    if header is None:
        return None
    widths = widths_of(rows)
    table = [row for row, width in zip(rows[header:], widths[header:], strict=True) if width]
    names: tuple[str, ...] | None = None
    notes: list[str] = []
    n_above = 1
    if len(table[0]) == len(table[1]) - 1:
        names = ("row.names", *table[0])
        notes.append(
            "The header of {name} has one name less than its rows have cells, so the first column is read as row.names."
        )
    elif (joined := joined_heads(table)) is not None:
        names, n_above = joined
        notes.append(note_on_heads(names, n_above))
    if has_types_and_roles(table):
        names, n_above = tuple(cell.strip() for cell in table[0]), 3
        notes.append(
            "Two rows of {name} below its header have types and roles, as Orange writes them. They are skipped."
        )
    if (units := units_in(names or table[0], table[n_above:])) is not None:
        names = names or tuple(table[0])
        n_above += 1
        notes.append(
            f"Line {{units}} of {{name}} is skipped as units: {units}. The numbers are not converted."
        )
    if header and n_above == 1:
        notes.append("Line {header} of {name} is read as the header. Use {option} to name another line.")
    if names is None and not header:
        return None
    filled = [place for place, width in enumerate(widths) if width and place >= header]
    return Shape(header, names, filled[n_above], filled[n_above - 1], tuple(notes))


def _header_of(rows: Rows) -> int | None:
    """Return the place of the first header; None where rows are no table of equal widths."""
    widths = widths_of(rows)
    filled = [place for place, width in enumerate(widths) if width]
    if len(filled) <= MIN_ROWS:
        return None
    width = widths[filled[-1]]
    other = max((place for place in filled if widths[place] != width), default=-1)
    begin = next(place for place in filled if place > other)
    if width < 2:
        return None
    above = [place for place in filled if place < begin]
    is_filled_up = any(map(gt, map(len, rows[:begin]), widths))
    names_some = is_filled_up and any(map(is_number, rows[begin]))  # the first row is no title
    if names_some or not above:
        return 0 if names_some else begin
    if len(filled) - len(above) < MIN_ROWS:
        return None
    if len(above) == 1 and widths[above[0]] == width - 1:
        first_cells = [rows[place][0] for place in filled if place >= begin]
        return above[0] if _are_row_names(first_cells) else None
    is_title = all(widths[place] == 1 and not {*rows[place][0]} & {*_OTHER_DELIMITERS} for place in above)
    return begin if is_title and begin <= MOST_LINES_ABOVE else None


def widths_of(rows: Rows) -> list[int]:
    """Return the number of cells of each row; titles that a program filled up with empty cells have one, or none.

    >>> widths_of([["A study", "", ""], ["", "", ""], ["id", "y", "p"], ["1", "", ""]])
    [1, 0, 3, 3]
    """
    widths = [*map(len, rows)]
    for place, row in enumerate(rows):
        n_cells = max((end for end, cell in enumerate(row, 1) if cell.strip()), default=0)
        if n_cells > 1:
            break
        widths[place] = n_cells
    return widths


def _are_row_names(texts: Sequence[str]) -> bool:
    """Check whether first cells are what R names rows by: whole numbers from 1, or distinct words."""
    if [*texts] == [str(number) for number in range(1, len(texts) + 1)]:
        return True
    return len({*texts}) == len(texts) and not any(re.fullmatch(r"[-+\d.,eE]*", text) for text in texts)


def note_on_heads(names: Sequence[str], n_rows: int) -> str:
    """Return what is said of rows of names that are read as one, with `{name}` for the table."""
    columns = some([name for name in names if name])
    return f"{{name}} has {n_rows} rows of names. The columns are read as {columns}."


def joined_heads(table: Rows) -> tuple[tuple[str, ...], int] | None:
    """Return the names of a table with two rows of names, and how many rows stand above its data; None for others.

    Group heads are blank or repeated, and below them are names where later rows have numbers. The second row is used
    where its names are distinct, and otherwise joined to the groups. pandas writes a third row with the index's name.
    """
    if len(table) < 2 + MIN_ROWS:
        return None
    groups, second = ([cell.strip() for cell in row] for row in table[:2])
    named = [group for group in groups if group]
    if not named or len(groups) != len(second) or (len({*named}) == len(named) and "" not in groups[1:]):
        return None
    if any(cell in NULLS - {""} or is_number(cell) or is_word_for_missing(cell) for cell in second):
        return None
    index = 2 if len(table) > 2 and second[0] == groups[0] == "" and _names_index(table[2]) else 0
    first = 3 if index else 2
    numeric = _numeric_columns(table[first + 1 :] if _is_filled_less(table, first) else table[first:])
    if not any(second[place] for place in numeric) or len(table) < first + MIN_ROWS:
        return None
    names = [name or group for name, group in zip(second, groups, strict=True)]
    if index:
        names[0] = table[2][0].strip()
    if not _are_distinct(names):
        group, filled = "", []
        for known in groups:
            group = known or group
            filled.append(group)
        names = [
            f"{group}_{name}" if name and group and place + bool(index) else name or group
            for place, (group, name) in enumerate(zip(filled, second, strict=True))
        ]
        names[0] = table[2][0].strip() if index else names[0]
    return (tuple(names), first) if _are_distinct(names) else None


def _are_distinct(names: Sequence[str]) -> bool:
    """Check whether all columns but the first, which may be an index, have a name, and none is there twice."""
    return len({*names}) == len(names) and "" not in names[1:]


def _names_index(row: Sequence[str]) -> bool:
    return bool(row and row[0].strip()) and not any(cell.strip() for cell in row[1:])


def _is_filled_less(table: Rows, first: int) -> bool:
    """Check whether a row has blank cells: it may hold units, which make no column of numbers a column of text."""
    return any(not cell.strip() for cell in table[first])


def _numeric_columns(rows: Rows) -> list[int]:
    """Return the places of the columns whose filled cells are numbers, at least one."""
    numeric = []
    for place, cells in enumerate(columns_of(rows)):
        known = [cell for cell in cells if cell not in NULLS and not is_word_for_missing(cell)]
        if known and all(is_number(cell) for cell in known):
            numeric.append(place)
    return numeric


def has_types_and_roles(table: Rows) -> bool:
    """Check whether two rows below the header hold what Orange writes there: a type or values, and a role.

    >>> has_types_and_roles([["y", "p"], ["no yes", "continuous"], ["class", "meta"], *[["no", "0.5"]] * 3])
    True
    """
    if len(table) < 3 + MIN_ROWS or len({*map(len, table[:3])}) != 1:
        return False
    types, roles = ([cell.strip() for cell in row] for row in table[1:3])
    if not any(roles) or not all(_ROLE.fullmatch(role) for role in roles):
        return False
    columns = [{cell.strip() for cell in cells} - NULLS - {"?"} for cells in columns_of(table[3:])]
    if all(kind in cells for kind, cells in zip(types, columns, strict=False)):  # letters that are labels
        return False
    for kind, cells in zip(types, columns, strict=False):
        values = {value.replace("\\ ", " ") for value in re.split(r"(?<!\\) ", kind)}
        is_of_kind = all(map(is_number, cells)) if kind in _NUMBERS else kind in _TYPES or cells <= values
        if not is_of_kind:
            return False
    return True


def units_in(names: Sequence[str], rows: Rows) -> str | None:
    """Return the units in the first row below the header, in words; None where it may be a case."""
    if len(rows) <= MIN_ROWS or len(rows[0]) != len(names):
        return None
    cells = [cell.strip() for cell in rows[0]]
    if not any(_UNIT.fullmatch(cell) for cell in cells):
        return None
    numeric = {*_numeric_columns(rows[1:])}
    for place, cell in enumerate(cells):
        is_unit = cell and cell not in NULLS and not is_number(cell) and not is_word_for_missing(cell)
        if not (is_unit if cell and place in numeric else not cell or _BRACKETED.fullmatch(cell)):
            return None
    units = {names[place]: cells[place] for place in sorted(numeric) if cells[place]}
    if not any(_UNIT.fullmatch(unit) for unit in units.values()):
        return None
    return some([f"{name} in {unit}" for name, unit in units.items()])


def totals_in(rows: Rows, width: int, *, is_whole: bool) -> tuple[int, list[str], list[str]]:
    """Return how many of the last rows are totals, their first words, and those of rows that may be totals or cases.

    A total begins with a word such as Summe, once in its column, and is blank where cases have values or holds their
    sums and means. `is_whole` says that the rows are all cases.
    """
    filled = [row for row in rows if row]
    words: list[str] = []
    while len(filled) > MIN_ROWS - 1 and len(words) < MOST_TOTALS:
        row, above = filled[-1], filled[:-1]
        place = next((place for place, cell in enumerate(row) if cell.strip()), None)
        if place is None or not _TOTAL.fullmatch(word := row[place].strip().rstrip(":").strip()):
            break
        if any(
            place < len(other) and other[place].strip().lower() == row[place].strip().lower()
            for other in above
        ):
            break
        cases = [other for other in above if not _begins_total(other)]
        if not (
            len(row) == 1 < width
            or _is_blank_where_cases_are_not(row, cases)
            or (is_whole and _sums_up(row, cases))
        ):
            return len(words), words, [word]
        words.append(word)
        filled.pop()
    return len(words), words, []


def told_of_totals(number: int, words: Sequence[str], doubtful: Sequence[str], where: str) -> list[str]:
    """Return what is said of the last rows, from what `totals_in` returns."""
    notes = []
    if number:
        written = ", ".join(repr(word) for word in reversed(words))
        notes.append(
            f"The last row of {where} ({written}) is skipped as a total."
            if number == 1
            else f"The last {number} rows of {where} ({written}) are skipped as totals."
        )
    if doubtful:
        text = f"A last row of {where} begins with {doubtful[0]!r}, and is read as a case. Remove it if it is a total."
        notes.append(text)
    return notes


def _begins_total(row: Sequence[str]) -> bool:
    first = next((cell.strip() for cell in row if cell.strip()), "")
    return bool(_TOTAL.fullmatch(first.rstrip(":").strip()))


def _is_blank_where_cases_are_not(row: Sequence[str], cases: Rows) -> bool:
    return any(
        not cell.strip() and all(place < len(case) and case[place].strip() for case in cases)
        for place, cell in enumerate(row)
    )


def _sums_up(row: Sequence[str], cases: Rows) -> bool:
    """Check whether all numbers of a row are sums or means of those above it."""
    compared = 0
    for cells, last in zip(columns_of(cases), row, strict=False):
        texts = [cell for cell in cells if cell not in NULLS]
        spelling = spelling_of([*texts, last], Layout(), ";")
        if spelling is None or not last.strip() or not texts:
            continue
        values, total = [number_of(text, spelling) for text in texts], number_of(last, spelling)
        is_sum = abs(total - sum(values)) <= 1e-3 * abs(total)
        is_mean = abs(total - sum(values) / len(values)) <= 1e-2 * abs(total)
        if not (is_sum or is_mean):
            return False
        compared += bool(total)
    return compared > 0
