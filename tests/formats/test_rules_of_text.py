"""Rules by which text is understood, each at its boundary: spellings, cells, shapes of tables, codes, paths."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from classay.errors import InputError
from classay.formats import copies, missing_codes, obstacles, shapes, sheet_shapes, spellings
from classay.formats.columns import EXACT, column_of, numbered, shown, without
from classay.formats.containers import column_letters, column_number
from classay.formats.encodings import western_word
from classay.formats.fields import behind, columns_meant
from classay.formats.h2o import is_h2o
from classay.formats.layout import Layout, layout_in, written_words
from classay.formats.paths import Table, base_of, deepest

# --- numbers

CELLS = {
    # text: (is a number, a percentage, censored, a decimal comma, a word for missing)
    "1": (True, False, False, False, False),
    " -1.5 ": (True, False, False, False, False),
    "+.5": (True, False, False, False, False),
    ",5": (True, False, False, True, False),
    "1,5": (True, False, False, True, False),
    "1,234": (True, False, False, False, False),
    "0,123": (True, False, False, True, False),
    "1.234,5": (True, False, False, True, False),
    "1,234.5": (True, False, False, False, False),
    "1'234.5": (True, False, False, False, False),
    "12'34.5": (False, False, False, False, False),
    "1 234,5": (True, False, False, True, False),
    "1e5": (True, False, False, False, False),
    "1e": (False, False, False, False, False),
    "50%": (True, True, False, False, False),
    "50 %": (True, True, False, False, False),
    "12,5%": (True, True, False, True, False),
    "-0.5%": (True, True, False, False, False),
    "%": (False, False, False, False, False),
    "<5": (False, False, True, False, False),
    ">= 5": (False, False, True, False, False),
    "≤LLN": (False, False, True, False, False),
    "<": (False, False, False, False, False),
    "5<": (False, False, False, False, False),
    "unknown": (False, False, False, False, True),
    " Unbekannt ": (False, False, False, False, True),
    "not known": (False, False, False, False, True),
    "k.A.": (False, False, False, False, True),
    "?": (False, False, False, False, True),
    "unknown to me": (False, False, False, False, False),
    "": (False, False, False, False, False),
    "a": (False, False, False, False, False),
    "1-2": (False, False, False, False, False),
}


@pytest.mark.parametrize("text", CELLS)
def test_what_a_cell_is(text):
    checks = ("is_number", "is_percentage", "is_censored", "is_decimal_comma", "is_word_for_missing")
    assert tuple(getattr(spellings, check)(text) for check in checks) == CELLS[text]


SPELLED = [
    # texts, decimal option, delimiter, spelling
    ([], None, ";", None),
    (["1", "2.5"], None, ";", "plain"),
    (["1", "2.5"], None, ",", "plain"),
    (["1", "2.5"], ",", ";", None),
    (["1", "2"], ",", ";", "comma"),
    (["1.234", "2.345"], ",", ";", "comma"),
    (["0,5", "1"], None, ";", "comma"),
    (["0,5", "1"], None, ",", None),
    (["0,5", "1"], ",", ",", "comma"),
    (["0,5", "1"], ".", ";", None),
    (["1,234"], None, ";", None),
    (["1,234"], ",", ";", "comma"),
    (["1,234"], ".", ";", "point"),
    (["1,234", "1,5"], None, ";", "comma"),
    (["1,234", "1.5"], None, ";", "point"),
    (["1,234", "1.5"], None, ",", "point"),
    (["1,234", "1.5"], ",", ";", None),
    (["1'234", "12"], None, ";", "point"),
    (["1'234", "12"], None, ",", "point"),
    (["50%", "5%"], None, ";", "percent"),
    (["50%", "5.5%"], None, ";", "percent"),
    (["50%", "5.5%", "5,5%"], None, ";", None),
    (["5.5%"], ",", ";", None),
    (["5,5%"], ",", ";", "percent"),
    (["5.5%"], ".", ";", "percent"),
    (["50%"], ",", ";", "percent"),
    (["50%", "5"], None, ";", None),
    (["a", "1"], None, ";", None),
    (["1,5", "1.5"], None, ";", None),
]


@pytest.mark.parametrize(("texts", "decimal", "delimiter", "expected"), SPELLED)
def test_how_numbers_are_spelled(texts, decimal, delimiter, expected):
    assert spellings.spelling_of(texts, Layout(decimal=decimal), delimiter) == expected


@pytest.mark.parametrize(
    ("text", "spelling", "expected"),
    [
        ("12,5 %", "percent", 0.125),
        (" -3.5%", "percent", -0.035),
        ("100%", "percent", 1.0),
        ("1.234,5", "comma", 1234.5),
        (" 1 234,5 ", "comma", 1234.5),
        ("-,5", "comma", -0.5),
        ("2,5e-3", "comma", 0.0025),
        ("1'234.50", "point", 1234.5),
        ("1,234,567", "point", 1234567.0),
        ("1\u202f234", "point", 1234.0),
        ("-2.5e3", "plain", -2500.0),
    ],
)
def test_number_of_a_text(text, spelling, expected):
    assert spellings.number_of(text, spelling) == expected


@pytest.mark.parametrize(
    ("texts", "grouped", "uneven"),
    [
        ([], False, False),
        (["1", "2"], False, False),
        (["1.234"], True, False),
        (["1.234", "12"], True, False),
        (["1.234", "2.345"], True, False),
        (["1.234", "2.345", "12"], True, True),
        (["1.234", "12.34"], False, False),
        (["0.234"], False, False),
        (["1234.567"], False, False),
        (["123.456", "-1.234"], True, False),
    ],
)
def test_points_that_may_separate_thousands(texts, grouped, uneven):
    assert (spellings.may_be_grouped(texts), spellings.is_uneven(texts)) == (grouped, uneven)


@pytest.mark.parametrize(
    ("texts", "formats"),
    [
        ([], []),
        (["03.04.2025"], ["%d.%m.%Y", "%m.%d.%Y"]),
        (["25.04.2025", "03.04.2025"], ["%d.%m.%Y"]),
        (["04/25/25"], ["%m/%d/%y"]),
        (["13/13/25"], []),
        (["3-4-2025 10:30"], ["%d-%m-%Y %H:%M", "%m-%d-%Y %H:%M"]),
        (["31-4-2025"], []),
        (["30.4.2025 10:30:05"], ["%d.%m.%Y %H:%M:%S"]),
        (["30.4.2025", "30.4.2025 10:30"], []),
        (["3.4/2025"], []),
        (["2025-04-03"], []),
        (["yes"], []),
    ],
)
def test_formats_of_dates(texts, formats):
    assert spellings.date_formats(texts) == formats
    for pattern in formats:
        assert all(spellings.is_date(f" {text} ", pattern) for text in texts)
        assert not spellings.is_date("x", pattern)


# --- cells in one type

TIME = dt.datetime(2025, 4, 3, 10, 30)
COLUMNS = [
    ([None, None], [None, None], "null"),
    ([1.0, None, 2.0], [1, None, 2], "int64"),
    ([1, 2], [1, 2], "int64"),
    ([1, 2.5], [1.0, 2.5], "double"),
    ([EXACT, 1.0], [2**53, 1], "int64"),
    ([2 * EXACT, 1.0], [2.0**54, 1.0], "double"),
    ([True, None], [True, None], "bool"),
    (["a", None], ["a", None], "string"),
    ([True, "a"], ["TRUE", "a"], "string"),
    ([True, 1.0], ["TRUE", "1"], "string"),
    ([1.0, "b"], ["1", "b"], "string"),
    ([1.5, "0,5"], ["1,5", "0,5"], "string"),
    ([1.5, "0.5"], ["1.5", "0.5"], "string"),
    ([1.5, "50%"], ["1.5", "50%"], "string"),
    ([4.5, "1,234"], ["45e-1", "1,234"], "string"),
    ([2, 4.5, "1,234"], ["2", "45e-1", "1,234"], "string"),
    ([dt.date(2025, 4, 3), TIME], [dt.datetime(2025, 4, 3), TIME], "timestamp[us]"),
    ([dt.date(2025, 4, 3), None], [dt.date(2025, 4, 3), None], "date32[day]"),
    ([dt.date(2025, 4, 3), "x"], ["2025-04-03", "x"], "string"),
    ([TIME, "x"], ["2025-04-03T10:30:00", "x"], "string"),
    ([Decimal("1.5"), "x"], ["1.5", "x"], "string"),
]


@pytest.mark.parametrize(("cells", "expected", "kind"), COLUMNS)
def test_cells_in_one_type(cells, expected, kind):
    column = column_of(cells)
    assert (column.to_pylist(), str(column.type)) == (expected, kind)


def test_whole_numbers_are_recognized_behind_the_first_thousand():
    assert column_of([1.0] * 1000 + [0.5]).to_pylist() == [1.0] * 1000 + [0.5]
    assert str(column_of([1.0] * 1001).type) == "int64"
    assert column_of([1.5, "1,234"], Layout(decimal=",")).to_pylist() == ["1,5", "1,234"]
    assert column_of([1.5, "1,234"], Layout(decimal=".")).to_pylist() == ["1.5", "1,234"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (-0.25, "-0.25"),
        (EXACT, str(2**53)),
        (4 * EXACT, repr(2.0**55)),
        (True, "TRUE"),
        (False, "FALSE"),
        (dt.date(2025, 4, 3), "2025-04-03"),
        ("x", "x"),
        (math.inf, "inf"),
        (7, "7"),
    ],
)
def test_cells_as_people_see_them(value, text):
    assert shown(value) == text


def test_words_for_missing_values_in_cells():
    cells = [1.0, None, "1", "-9", -9.0, "x", 0.5]
    assert without(cells, frozenset()) is cells
    assert without(cells, frozenset({"-9", "x"})) == [1.0, None, "1", None, None, None, 0.5]
    assert without(cells, frozenset({"1"})) == [None, None, None, "-9", -9.0, "x", 0.5]
    assert numbered(["y", "p", "p", "", "p"]) == ["y", "p#1", "p#2", "", "p#3"]
    assert numbered([]) == []


@pytest.mark.parametrize("number", [0, 1, 25, 26, 27, 51, 52, 701, 702, 703, 16383])
def test_letters_of_columns(number):
    """Letters count like digits of base 26 without a zero."""
    letters = column_letters(number)
    assert column_number(letters) == column_number(letters.lower()) == number
    value = 0
    for letter in letters:
        value = value * 26 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter) + 1
    assert value - 1 == number


# --- layouts


def test_layouts():
    layout = Layout(sheet="a", na=' unknown , "<0,1",, k.A.', header_line=2)
    assert layout.given() == ["sheet", "na", "header_line"]
    assert layout.missing == {"unknown", "<0,1", "k.A."}
    assert layout.only({"na", "decimal"}) == Layout(na=layout.na)
    assert layout.only(()) == Layout()
    assert Layout().missing == Layout(na="").missing == Layout(na=" , ").missing == frozenset()
    assert Layout(na=written_words(["k.A.", "<0,1", "-9"])).missing == {"k.A.", "<0,1", "-9"}
    assert layout_in(()) == Layout()
    assert layout_in(("x", layout, Layout())) is layout


# --- shapes of a text

HEAD, CASES = (
    ["id", "y", "p"],
    [["a1", "0", "0.1"], ["a2", "1", "0.9"], ["a3", "1", "0.8"], ["a4", "0", "0.3"]],
)
SHAPES = [
    # rows, header, first row of data, names, begin of the note
    ([HEAD, *CASES], None),
    ([HEAD], None),
    ([], None),
    ([["A title"], HEAD, *CASES], (1, 2, None, "Line {header} of {name} is read as the header")),
    ([["A title"], [], ["more"], HEAD, *CASES], (3, 4, None, "Line {header} of {name}")),
    ([["A title"], HEAD, *CASES[:2]], (1, 2, None, "Line {header}")),
    ([["A title"], HEAD, *CASES[:1]], None),
    ([["A title", "", ""], ["", "", ""], HEAD, *CASES], (2, 3, None, "Line {header}")),
    ([["A; title"], HEAD, *CASES], None),
    ([["t"]] * 20 + [HEAD, *CASES], (20, 21, None, "Line {header}")),
    ([["t"]] * 21 + [HEAD, *CASES], None),
    (
        [HEAD, *([str(k), *row] for k, row in enumerate(CASES, 1))],
        (0, 1, ("row.names", *HEAD), "The header of {name} has one name less"),
    ),
    (
        [HEAD, *([f"c{k}", *row] for k, row in enumerate(CASES, 1))],
        (0, 1, ("row.names", *HEAD), "The header of {name} has one name less"),
    ),
    ([HEAD, *(["c", *row] for row in CASES)], None),
    ([HEAD, *(["2", *row] for row in CASES)], None),
    (
        [HEAD, ["", "", "%"], *CASES],
        (0, 2, tuple(HEAD), "Line {units} of {name} is skipped as units: p in %"),
    ),
    (
        [HEAD, ["", "", "mg/l"], *CASES[:3]],
        (0, 2, tuple(HEAD), "Line {units} of {name} is skipped as units: p in mg/l"),
    ),
    ([HEAD, ["", "", "(n)"], *CASES[:2]], None),
    (
        [HEAD, ["", "x", "%"], *CASES],
        (0, 2, tuple(HEAD), "Line {units} of {name} is skipped as units: y in x and p in %"),
    ),
    ([HEAD, ["b", "", "%"], *CASES], None),
    ([HEAD, ["[id]", "", "%"], *CASES], (0, 2, tuple(HEAD), "Line {units}")),
    ([HEAD, ["", "", "0.5"], *CASES], None),
    ([HEAD, ["", "", "unknown"], *CASES], None),
    ([HEAD, ["", "", "kg"], *CASES], None),
    (
        [["", "scores", "scores"], ["id", "y", "p"], *CASES],
        (0, 2, ("id", "y", "p"), "{name} has 2 rows of names"),
    ),
    (
        [["", "a", "", "b", ""], ["id", "p", "q", "p", "q"], *([*row, "1", "0.5"] for row in CASES)],
        (0, 2, ("id", "a_p", "a_q", "b_p", "b_q"), "{name} has 2 rows of names"),
    ),
    ([["", "a", "b"], ["id", "p", "p"], *CASES], None),
    (
        [["", "a", ""], ["", "p", "q"], ["id", "", ""], *CASES],
        (0, 3, ("id", "p", "q"), "{name} has 3 rows of names"),
    ),
    ([["x", "a", "b"], ["id", "y", "p"], *CASES], None),
    ([["", "a", "a"], ["id", "1", "p"], *CASES], None),
    ([["", "a", "a"], ["id", "y", "p"], *CASES[:2]], None),
    (
        [["y", "p"], ["no yes", "continuous"], ["class", ""], *[["no", "0.5"], ["yes", "0.1"], ["no", "1"]]],
        (0, 3, ("y", "p"), "Two rows of {name} below its header"),
    ),
    ([["y", "p"], ["no yes", "continuous"], ["", ""], *[["no", "0.5"]] * 3], None),
    ([["y", "p"], ["no yes", "continuous"], ["class", "sort"], *[["no", "0.5"]] * 3], None),
    ([["y", "p"], ["no", "continuous"], ["class", ""], *[["yes", "0.5"]] * 3], None),
    ([["y", "p"], ["d", "c"], ["class", ""], *[["no", "a"]] * 3], None),
    ([["y", "p"], ["d", "c"], ["c", "m"], *[["no", "2"]] * 3], (0, 3, ("y", "p"), "Two rows")),
    ([["y", "p"], ["d", "c"], ["c", "m"], *[["no", "2"]] * 2], None),
]


@pytest.mark.parametrize("at", range(len(SHAPES)))
def test_where_a_table_begins(at):
    rows, expected = SHAPES[at]
    shape = shapes.shape_of(rows)
    if expected is None:
        assert shape is None
        return
    header, first, names, note = expected
    assert (shape.header, shape.first, shape.names) == (header, first, names)
    assert any(text.startswith(note) for text in shape.notes)
    assert len(shape.notes) == 1


def test_units_below_a_title_and_blank_lines():
    shape = shapes.shape_of([["A title"], [], HEAD, [], ["", "", "%"], *CASES])
    assert (shape.header, shape.units, shape.first, shape.names) == (2, 4, 5, tuple(HEAD))
    assert [text.split()[0] for text in shape.notes] == ["Line"]
    assert shapes.widths_of([["A study", "", ""], ["", "", ""], ["id", "y", "p"], ["1", "", ""]]) == [
        1,
        0,
        3,
        3,
    ]
    assert shapes.widths_of([["t", "", ""], ["", "t", ""], ["a", "", ""]]) == [1, 3, 3]


TOTALS = [
    # last rows, number, words, doubtful
    ([], 0, [], []),
    ([["Total", "", "2.1"]], 1, ["Total"], []),
    ([["Sum:", "", "2.1"]], 1, ["Sum"], []),
    ([["Total", "2", "2.1"]], 1, ["Total"], []),
    ([["Mean", "0.5", "0.525"]], 1, ["Mean"], []),
    ([["Total", "", "2.1"], ["mean", "0.5", ""]], 2, ["mean", "Total"], []),
    ([["Total", "3", "2.1"]], 0, [], ["Total"]),
    ([["Total"]], 1, ["Total"], []),
    ([["n = 4", "", ""]], 1, ["n = 4"], []),
    ([["(N=1,234)", "", ""]], 1, ["(N=1,234)"], []),
    ([["totals", "", ""]], 0, [], []),
    ([["", "Summe", ""]], 1, ["Summe"], []),
    ([["total", "1", "0.2"], ["Total", "", ""]], 0, [], []),
    ([[f"n={k}", "", ""] for k in range(1, 7)], 5, ["n=6", "n=5", "n=4", "n=3", "n=2"], []),
]


@pytest.mark.parametrize("at", range(len(TOTALS)))
def test_totals_below_a_table(at):
    last, number, words, doubtful = TOTALS[at]
    assert shapes.totals_in([*CASES, *last], 3, is_whole=True) == (number, words, doubtful)
    notes = shapes.told_of_totals(number, words, doubtful, "f.csv")
    assert len(notes) == (number > 0) + len(doubtful)
    if number == 1:
        assert notes[0] == f"The last row of f.csv ({words[0]!r}) is skipped as a total."
    elif number:
        shown_words = ", ".join(map(repr, words[::-1]))
        assert notes[0] == f"The last {number} rows of f.csv ({shown_words}) are skipped as totals."
    if doubtful:
        assert f"begins with {doubtful[0]!r}, and is read as a case" in notes[-1]


def test_sums_are_compared_in_whole_tables_alone():
    rows = [*CASES, ["Total", "2", "2.1"]]
    assert shapes.totals_in(rows, 3, is_whole=False) == (0, [], ["Total"])
    assert shapes.totals_in(rows[3:], 3, is_whole=True) == (0, [], [])
    for total, number in (("2.102", 1), ("2.104", 0), ("0.53", 1), ("0.54", 0)):
        last = ["Sum", "2", total]
        assert shapes.totals_in([*CASES, last], 3, is_whole=True)[0] == number
    assert shapes.totals_in([*([k, "0", "0"] for k in "abcd"), ["Sum", "0", "0"]], 3, is_whole=True)[0] == 0


# --- shapes of a sheet

BLANK = ["", "", ""]
SHEETS = [
    # rows, has a header, (header, end, notes, tables)
    ([HEAD, *CASES], False, (0, 5, (), ())),
    ([["A title", "", ""], HEAD, *CASES], False, (1, 6, (), ())),
    ([["A title", "", ""], BLANK, HEAD, *CASES], False, (2, 7, (), ())),
    ([["A title", "", ""], HEAD, *CASES], True, (0, 6, (), ())),
    ([["A title", "", ""], HEAD, *CASES[:3]], False, (1, 5, (), ())),
    ([["A title", "", ""], HEAD, *CASES[:2]], False, (0, 4, (), ())),
    ([HEAD, *CASES, BLANK, ["Source: us", "", ""]], False, (0, 5, ("Source: us",), ())),
    ([HEAD, *CASES, ["* adjusted", "", ""]], False, (0, 5, ("* adjusted",), ())),
    (
        [HEAD, *CASES, ["Source: us", "", ""], ["1) text", "", ""]],
        False,
        (0, 5, ("Source: us", "1) text"), ()),
    ),
    ([HEAD, *CASES, ["three words here", "", ""]], False, (0, 5, ("three words here",), ())),
    ([HEAD, *CASES, ["two words", "", ""]], False, (0, 6, (), ())),
    ([HEAD, *CASES, ["a5", "", ""]], False, (0, 6, (), ())),
    ([HEAD, *CASES, ["", "* adjusted", ""]], False, (0, 6, (), ())),
    ([HEAD, *CASES, BLANK, HEAD, *CASES], False, (0, 11, (), ((0, 4, 0, 2), (6, 10, 0, 2)))),
    ([HEAD, *CASES, BLANK, [5.0, "", ""]], False, (0, 5, (), ((0, 4, 0, 2), (6, 6, 0, 2)))),
    ([[*row[:1], "", *row[1:]] for row in (HEAD, *CASES)], False, (0, 5, (), ((0, 4, 0, 0), (0, 4, 2, 3)))),
]


@pytest.mark.parametrize("at", range(len(SHEETS)))
def test_where_the_table_of_a_sheet_is(at):
    rows, has_header, expected = SHEETS[at]
    shape = sheet_shapes.shape_of_sheet(rows, has_header=has_header)
    assert (shape.header, shape.end, shape.notes, shape.tables) == expected


@pytest.mark.parametrize(("number", "is_table"), [(10, False), (11, True)])
def test_at_most_ten_notes_below_a_table(number, is_table):
    notes = [[f"Note: {k}", "", ""] for k in range(number)]
    shape = sheet_shapes.shape_of_sheet([HEAD, *CASES, BLANK, *notes], has_header=False)
    assert bool(shape.tables) == is_table
    assert len(shape.notes) == (0 if is_table else number)
    directly = sheet_shapes.shape_of_sheet([HEAD, *CASES, *notes], has_header=False)
    assert (directly.end, len(directly.notes)) == (5 + max(number - 10, 0), 10)


@pytest.mark.parametrize(("number", "header"), [(20, 20), (21, 21)])
def test_at_most_twenty_titles_above_a_table(number, header):
    rows = [["A title", "", ""]] * number + [HEAD, *CASES]
    shape = sheet_shapes.shape_of_sheet(rows, has_header=False)
    assert shape.header == header
    assert bool(shape.tables) == (number > 20)


@pytest.mark.parametrize(
    ("notes", "text"),
    [
        ([], None),
        (["a"], "The last row of S ('a') is skipped as a note."),
        (["a", "b"], "The last 2 rows of S ('a', 'b') are skipped as notes."),
        ([*"abc"], "The last 3 rows of S ('a', 'b', 'c') are skipped as notes."),
        ([*"abcd"], "The last 4 rows of S ('a', 'b', 'c', …) are skipped as notes."),
        (["x" * 30], f"The last row of S ({'x' * 30!r}) is skipped as a note."),
        (["x" * 31], f"The last row of S ({'x' * 29 + '…'!r}) is skipped as a note."),
    ],
)
def test_notes_are_told(notes, text):
    assert sheet_shapes.note_on_notes(notes, "S") == ([] if text is None else [text])


# --- obstacles, copies, codes, encodings

WORDS = [
    (["1", "2", "-", "3"], ["-"]),
    (["1", "2", "x", "3"], []),
    (["1", "2", "x", "x", "3"], ["x"]),
    (["1", "x", "x", "3"], []),
    (["1", "2", "3", "4", "5", "6", "7", "-", "*", "."], ["-", "*", "."]),
    (["1", "2", "3", "4", "5", "6", "7", "-", "*", ".", "--"], []),
    (["1", "2", "<5", "unknown"], []),
    (["1", "2", "3", "<5", "unknown"], ["unknown"]),
    (["a", "b", "unknown"], ["unknown"]),
    (["a", "a", "unknown"], []),
]


@pytest.mark.parametrize(("texts", "expected"), WORDS)
def test_words_among_numbers_and_labels(texts, expected):
    assert obstacles.words_for_missing(texts) == expected


@pytest.mark.parametrize(
    ("rows", "layout", "expected"),
    [
        ([["0,5"], ["1"]], Layout(), [("decimal commas ('0,5')", "decimal", ",")]),
        ([["0,5"], ["1"]], Layout(decimal="."), []),
        ([["0,5"], ["x"]], Layout(), []),
        ([["12,5%"], ["1,5%"]], Layout(), [("decimal commas ('12,5%')", "decimal", ",")]),
        ([["1"], ["unknown"], ["2"]], Layout(), [("'unknown' for missing values", "na", "unknown")]),
        ([["1"], ["unknown"], ["2"]], Layout(na="unknown"), []),
        ([["1"], ["-"], ["2"], ["3"], ["x"]], Layout(na="x"), [("'-' for missing values", "na", "x,-")]),
        ([["25.04.2025"]], Layout(), [("dates such as '25.04.2025'", "date_format", "%d.%m.%Y")]),
        (
            [["03.04.2025"]],
            Layout(),
            [("dates such as '03.04.2025', which may also be %m.%d.%Y", "date_format", "%d.%m.%Y")],
        ),
        ([["03.04.2025"]], Layout(date_format="%d.%m.%Y"), []),
    ],
)
def test_obstacles_of_columns(rows, layout, expected):
    found = obstacles.of_columns(["p"], rows, layout, ";")
    assert [(each.what, each.option, each.value) for each in found] == expected


def test_copies_are_told_where_ids_repeat():
    rows = [("a", "1", "0.5"), ("b", "0", "0.2"), ("a", "1", "0.5"), ("c", "0", "0.2")]
    columns = [*zip(*rows, strict=True)]
    (note,) = copies.note_on_copies(["id", "y", "p"], columns, "f.csv")
    assert note.startswith("1 of 4 rows of f.csv is an exact copy of another row, in all columns.")
    assert "cluster='id'" in note
    (note,) = copies.note_on_copies(
        ["id", "y", "p"], [*zip(*rows, *[rows[0]] * 1, strict=True)], "f.csv", "the first "
    )
    assert note.startswith("2 of the first 5 rows of f.csv are exact copies of other rows")
    assert copies.note_on_copies(["q", "y", "p"], columns, "f.csv") == []
    assert copies.note_on_copies(["id", "y", "p"], [], "f.csv") == []
    assert copies.note_on_copies(["id", "y", "p"], [*zip(*rows[1:], strict=True)], "f.csv") == []
    assert copies.note_on_copies(["id", "y", "p"], [("a", "a"), ("1", "0"), ("2", "2")], "f.csv") == []


def test_scores_that_number_the_rows_are_told():
    def note(values):
        return copies.note_on_numbered(pa.chunked_array([values]), "p", "f.csv")

    assert note(list(range(20)))[0].startswith("p in f.csv has another whole number in each of 20 rows")
    assert note(list(range(19))) == []
    assert note([*range(19), 5]) == []
    assert note([*range(20), None]) == []
    assert note([float(k) for k in range(20)]) == []


@pytest.mark.parametrize(
    ("values", "counts", "codes"),
    [
        ([-99, 0, 1], [1, 5, 5], [-99]),
        ([-98, 0, 1], [1, 5, 5], []),
        ([-99, 1], [1, 5], []),
        ([-1, 0, 1], [1, 5, 5], [-1]),
        ([-1, 0, 2], [1, 5, 5], []),
        ([-9, 0, 20], [1, 5, 5], [-9]),
        ([-9, -2, 20], [1, 5, 5], []),
        ([-9, -2, 0], [2, 5, 5], [-9]),
        ([-99, 0, 1], [5, 2, 3], [-99]),
        ([-99, 0, 1], [6, 2, 3], []),
        ([0, 1, 9], [5, 5, 1], [9]),
        ([0, 3, 9], [5, 5, 1], []),
        ([0, 3, 9], [5, 5, 2], [9]),
        ([0, 5, 9], [5, 5, 2], []),
        ([1.5, 30, 999], [1, 1, 1], [999]),
        ([-999, -9, 0, 1, 99], [2, 2, 9, 9, 2], [-999, -9, 99]),
        ([-1, *(k + 0.5 for k in range(10))], [1] * 11, [-1]),
        ([-1, *(k + 0.5 for k in range(9))], [1] * 10, []),
        ([-1, *range(10)], [1] * 11, []),
    ],
)
def test_codes_for_missing_values(values, counts, codes):
    assert missing_codes.missing_codes(np.array(values, float), np.array(counts)) == codes


@pytest.mark.parametrize(
    ("column", "words", "expected"),
    [
        (pa.array(["a", "b", None]), {"b"}, ["a", None, None]),
        (pa.array(["a", "b"]).dictionary_encode(), {"b"}, ["a", None]),
        (pa.array(["a"], pa.large_string()), {"a"}, [None]),
        (pa.array([1, -9]), {"-9", "x"}, [1, None]),
        (pa.array([1.5, -9.0]), {"-9"}, [1.5, None]),
        (pa.array([Decimal("1.5"), Decimal("-9.0")]), {"-9"}, [Decimal("1.5"), None]),
        (pa.array([True, False]), {"True", "1"}, [True, False]),
        (pa.array([1, 2]), {"x"}, [1, 2]),
    ],
)
def test_columns_without_words(column, words, expected):
    chunked = pa.chunked_array([column])
    assert missing_codes.without(chunked, words).to_pylist() == expected
    assert missing_codes.without(chunked, set()) is chunked
    table = pa.table({"p": chunked, "q": ["z"] * len(column)})
    assert missing_codes.without_words(table, words).to_pydict() == {"p": expected, "q": ["z"] * len(column)}
    assert missing_codes.without_words(table, set()) is table


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("mäßig".encode("cp1252"), "mäßig"),
        ("a,5 °C".encode("cp1252"), "°C"),
        (b"plain", None),
        ("тяжёлый".encode("cp1251"), None),
        ("mały".encode("cp1250"), None),
        ("mäßig".encode("mac-roman"), None),
        ("äöü".encode("cp1252"), None),
        ("äö".encode("cp1252"), "äö"),
        (b"a\x81", None),
        ("a†".encode("cp1252"), None),
    ],
)
def test_words_of_western_europe(content, word):
    assert western_word(content) == word


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["predict", "p0", "p1"], ["1", "0.25", "0.75"]], True),
        ([["predict", "a", "b"], ["a", "0.25", "0.75"], ["b", "0.5", "0.5"]], True),
        ([["id", "predict", "a", "b", "x"], ["7", "a", "1", "0", "9"], []], True),
        ([["predict", "p0", "p1"]], False),
        ([["predict", "p0", "p1"], []], False),
        ([["predict", "p0", "p1"], ["1", "0.25", "0.74"]], False),
        ([["predict", "p0", "p1"], ["2", "0.25", "0.75"]], False),
        ([["predict", "p0", "p1"], ["1", "-0.25", "1.25"]], False),
        ([["predict", "p0"], ["0", "1"]], False),
        ([["predict", "p0", "p1"], ["1", "0.25"]], False),
        ([["predicted", "p0", "p1"], ["1", "0.25", "0.75"]], False),
        ([["predict", "a", "b", "c"], ["a", "0.5", "0.5", "0"], ["c", "0.2", "0.3", "0.5"]], False),
    ],
)
def test_predictions_of_h2o(rows, expected):
    assert is_h2o(rows) is expected


# --- paths


@pytest.mark.parametrize(
    ("name", "available", "base"),
    [
        ("y", ["y"], "y"),
        ("doc", ["y"], None),
        ("doc.cat[0]", ["doc", "doc.cat"], "doc.cat"),
        ("doc.cat[0]", ["doc"], "doc"),
        ("p{a.b}", ["p"], "p"),
        ("docs.cat", ["doc"], None),
        (3, [3], 3),
        (3, [4], None),
    ],
)
def test_base_of_a_path(name, available, base):
    assert base_of(name, available) == base
    assert behind([name], available) == [name if base is None else base]


NESTED = pa.table(
    {
        "doc": [{"cat": "x", "a.b": {"c": 1}, "l": [1, 2]}, {"cat": None, "a.b": {"c": 2}, "l": []}, None],
        "m": pa.array([[("k", 1.0)], [], None], pa.map_(pa.string(), pa.float64())),
        "n": pa.array([[(1, 5.0), (2, 6.0)], [], None], pa.map_(pa.int64(), pa.float64())),
        "v": [[0.2, 0.8], [0.5, 0.5], None],
        "f": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)),
        "s": [{"a": 0.2, "b": 0.8}, {"a": 0.4, "b": 0.6}, {"a": 1.0, "b": 0.0}],
        "z": pa.nulls(3),
        "x": [1, 2, 3],
    }
)
PATHS = {
    "x": [1, 2, 3],
    "doc.cat": ["x", None, None],
    "doc.a.b.c": [1, 2, None],
    "doc.l[0]": [1, None, None],
    "doc.l[1]": [2, None, None],
    "doc.l[2]": [None, None, None],
    "f[1]": [2, None, 4],
    "f[2]": [None, None, None],
    "v[1]": [0.8, 0.5, None],
    "v[1 of 2]": [0.8, 0.5, np.nan],
    "m.k": [1.0, None, None],
    "m.q": [None, None, None],
    "n[2]": [6.0, None, None],
    "n.1": [5.0, None, None],
    "s{a}": [0.2, 0.4, 1.0],
    "z.any": [None, None, None],
}


@pytest.mark.parametrize("path", PATHS)
def test_values_behind_paths(path):
    names = [path, "s{b}"] if path.startswith("s{") else [path]
    found = Table(NESTED, "f", names).column(path).to_pylist()
    np.testing.assert_array_equal(np.array(found, object) == None, np.array(PATHS[path], object) == None)  # noqa: E711
    for value, expected in zip(found, PATHS[path], strict=True):
        assert value == expected or (value != value and expected != expected)


NO_PATHS = {
    "doc.dog": r"f has no doc.dog. doc has doc.cat, doc.a.b and doc.l\. Did you mean 'doc.cat'|f has no doc.dog",
    "doc.cat.x": r"f has no doc.cat.x, because doc.cat is string. Name doc.cat\.",
    "v.x": r"f has no v.x, because v is list<.*>. Name v\[0\]\.",
    "x[0]": r"f has no x\[0\], because x is int64. Name x\.",
    "n.a": "Keys of the map are int64, but 'a' is named. Name a key",
    "v[0 of 3]": r"v\[3\]|number of labels is 3",
    "doc" + ".a" * 101: "has more than 100 steps. Name a column nearer to the top",
}


@pytest.mark.parametrize("path", NO_PATHS)
def test_paths_that_lead_nowhere(path):
    with pytest.raises(InputError, match=NO_PATHS[path]):
        Table(NESTED, "f", [path]).column(path)


def test_how_far_parquet_is_led():
    kind = NESTED.schema.field("doc").type
    assert deepest(kind, "doc", ".cat") == "doc.cat"
    assert deepest(kind, "doc", ".a.b.c") == "doc"
    assert deepest(kind, "doc", ".l[0]") == "doc.l"
    assert deepest(kind, "doc", ".none") == "doc"
    assert deepest(pa.int64(), "x", "") == "x"
    deep = pa.struct({"b": pa.struct({"c": pa.struct({"d": pa.int64()}), "e.f": pa.int64()})})
    for steps, wanted in {".b.c.d": "a.b.c.d", ".b.c.x": "a.b.c", ".b.e.f": "a.b", ".b.x.d": "a.b"}.items():
        assert deepest(deep, "a", steps) == wanted


def test_frames_with_paths():
    columns = {"doc": [{"a": 1}, {"a": 2}], "y": [0, 1]}
    found = columns_meant(columns, ["doc.a", "y"], "frame")
    assert found["y"] is columns["y"]
    assert found["doc.a"].to_pylist() == [1, 2]
    with pytest.raises(
        InputError, match="Column 'doc' has values of several kinds, so no path leads into it"
    ):
        columns_meant({"doc": [{"a": 1}, 3]}, ["doc.a"], "frame")
