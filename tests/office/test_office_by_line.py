"""Word and Excel files line by line: texts in order, places of numbers, names, widths and heights."""

import math
from io import BytesIO
from itertools import chain, pairwise
from xml.etree import ElementTree

import docx
import numpy as np
import openpyxl
import pytest
from docx.oxml.ns import qn

from classay.curves.curve import Curve
from classay.inference.estimate import Estimate
from classay.inference.requirements import Verdict
from classay.office import results_in_excel, results_in_word
from classay.office.characters import for_xml, unmarked
from classay.office.commands import OfficeOptions
from classay.office.junit import as_junit
from classay.office.results_in_excel import as_xlsx
from classay.office.results_in_word import TEXT_WIDTH, as_docx
from classay.report.document import (
    COVERS,
    Bar,
    Column,
    Count,
    Diagram,
    Difference,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Prose,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.forms import Pages
from classay.report.paper import methods_of

ONE = Estimate(0.5, 0.25, 0.75, 0.95, "Wilson")
OTHER = Estimate(0.9, 0.8, 0.99, 0.95, "DeLong")


def book_of(document):
    return openpyxl.load_workbook(BytesIO(as_xlsx(Pages.alike(lambda: document))[""]))


def word_of(document, page=None):
    files = as_docx(Pages(lambda: document, lambda: page or Document(""), lambda: document))
    return docx.Document(BytesIO(files[""])), {name: each for name, each in files.items() if name}


def width_of(sheet, column):
    """The width of a column; columns of one width are read together."""
    return next((one.width for one in sheet.column_dimensions.values() if one.min <= column <= one.max), 8.43)


def height_of(sheet, row):
    """The height of a row, of one without its own the usual one."""
    return sheet.row_dimensions[row].height or 15


def names_of(rows, title="", **texts):
    return Table((Column("name", Label),), tuple((Label(row),) for row in rows), title, **texts)


def document():
    """A document with every kind of part, a warning behind the plain sections, and a status."""
    noted = names_of(("r1",), "Rates", beside="Beside it", note="A note.", foot="At its foot")
    plain = names_of(("r2",), "", note="Without a title.")
    unnoted = names_of(("r3",), "Silent")
    return Document(
        "The `title`",
        (("cases", "1,234"), ("level", "95%"), ("half", "-0.5"), ("code", "007x")),
        ("Use `--all` now.", "A second one."),
        (
            Section("First", (Prose("Some prose."), noted, unnoted)),
            Section(
                "Second", (plain, Diagram("<svg/>", (("m", "1.5", "|"),), "Below it.", ("name", "rank")))
            ),
            Section("", (Diagram("<svg/>", (("m", "2", "|"),)),)),
            Section("Careful", (Listing((("a", "Warned `x`."), ("b", "Warned y."))),), "warnings"),
            Section(COVERS, (Prose("They cover it."),)),
        ),
        "Failed",
    )


def test_the_first_sheet_has_every_text_in_its_order():
    found = [tuple(row) for row in book_of(document())["Report"].values]
    methods = methods_of(document()).split("\n\n")
    assert found == [
        ("Failed: The title", None),
        ("", "Use --all now."),
        ("", "A second one."),
        ("cases", 1234),
        ("level", "95%"),
        ("half", -0.5),
        ("code", "007x"),
        ("Careful", "Warned x."),
        ("", "Warned y."),
        ("First", "Some prose."),
        ("", "Rates: Beside it. A note. At its foot."),
        ("Second", "Without a title."),
        ("", "Below it."),
        (COVERS, "They cover it."),
        ("Methods", unmarked(methods[0])),
        *(("", unmarked(text)) for text in methods[1:]),
    ]


def test_the_look_of_the_first_sheet():
    long = "x" * 250
    sheet = book_of(Document("t", (("cases", "3"), ("long", long), ("longest", "y" * 9000)), ("z" * 100,)))[
        "Report"
    ]
    title, name, number, text = sheet["A1"], sheet["A3"], sheet["B3"], sheet["B4"]
    assert (title.font.b, title.font.sz, name.font.b, text.font.b) == (True, 14, True, False)
    assert (number.alignment.horizontal, number.alignment.vertical) == ("left", "top")
    assert (text.alignment.wrap_text, text.alignment.vertical, name.alignment.vertical) == (
        True,
        "top",
        "top",
    )
    assert [width_of(sheet, column) for column in (1, 2)] == pytest.approx([24, 100], abs=1)
    assert [height_of(sheet, row) for row in (2, 3, 4, 5)] == pytest.approx([15, 15, 45, 409], abs=0.5)
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    book = book_of(Document("a\x1bb", version="9.9"))
    assert (book.properties.title, book.properties.description) == ("a\\x1bb", "classay 9.9")


@pytest.mark.parametrize(("letters", "kept"), [(32_766, True), (32_767, True), (32_768, False)])
def test_a_cell_holds_as_many_characters_as_excel_takes(letters, kept):
    table = names_of(("v" * letters,))
    found = book_of(Document("t", sections=(Section("s", (table,)),)))["s"]["A2"].value
    assert found == ("v" * letters if kept else "v" * 32_766 + "…")


@pytest.mark.parametrize(
    ("titles", "wanted"),
    [
        (("a", "a", "A"), ["a", "a (2)", "A (3)"]),
        (("Report", "history"), ["Report (2)", "history (2)"]),
        (("b" * 31, "b" * 40), ["b" * 31, "b" * 27 + " (2)"]),
        (("[x]", "a/b\\c"), ["x", "a b c"]),
        (("'q'", "**"), ["q", "Table"]),
        (("c" * 30 + " d",), ["c" * 30]),
        (("e" * 26 + " ff", "e" * 26 + " ff"), ["e" * 26 + " ff", "e" * 26 + " (2)"]),
    ],
)
def test_the_name_of_a_sheet_is_its_title_as_far_as_excel_takes_it(titles, wanted):
    sections = tuple(Section(title, (names_of(("x",)),)) for title in titles)
    assert book_of(Document("t", sections=sections)).sheetnames[1:] == wanted


def test_ten_sheets_of_one_name_have_numbers_of_two_digits():
    sections = tuple(Section("d" * 31, (names_of(("x",)),)) for _ in range(11))
    names = book_of(Document("t", sections=sections)).sheetnames[1:]
    assert names == [
        "d" * 31,
        *(f"{'d' * 27} ({k})" for k in range(2, 10)),
        *(f"{'d' * 26} ({k})" for k in (10, 11)),
    ]


def test_tables_of_the_same_columns_stand_below_each_other_under_their_names():
    columns = (Column("", Label), Column("cases", Count))
    first, second, third = (
        Table(columns, ((Label(f"{name}1"), Count(k)), (Label(f"{name}2"), Count(k + 1))), name)
        for k, name in ((1, "one"), (5, "two"), (8, "three"))
    )
    other = Table((Column("", Label), Column("x", Words)), ((Label("o"), Words("w")),), "Others")
    empty = Table(columns, (), "none")
    book = book_of(
        Document("D", sections=(Section("Both", (first, other, second, empty)), Section("", (third,))))
    )
    assert book.sheetnames == ["Report", "Both", "Others", "three"]
    assert [*book["Both"].values] == [
        ("table", "", "cases"),
        ("one", "one1", 1),
        ("one", "one2", 2),
        ("two", "two1", 5),
        ("two", "two2", 6),
    ]
    assert [tuple(row) for row in book["three"].values][1:] == [("three1", 8), ("three2", 9)]
    assert book["Both"].auto_filter.ref == "A1:C5"
    assert book["Both"].freeze_panes == "B2"
    assert book["three"].auto_filter.ref == "A1:B3"


def test_a_table_without_any_title_has_the_name_of_the_document():
    book = book_of(
        Document("Whole", sections=(Section("", (names_of(("x",)), Matrix(("a", "b"), ((1, 2), (3, 4))))),))
    )
    assert book.sheetnames == ["Report", "Whole", "Whole (2)"]


@pytest.mark.parametrize("most", [3, 4, 5, 6])
def test_a_sheet_has_as_many_rows_as_excel_takes(most, monkeypatch):
    monkeypatch.setattr(results_in_excel, "MOST_ROWS", most)
    rows = [f"r{k}" for k in range(4)]
    book = book_of(Document("x", sections=(Section("s", (names_of(rows),)),)))
    sheets = book.worksheets[1:]
    assert all(sheet.max_row <= most for sheet in sheets)
    assert len(sheets) == math.ceil(4 / (most - 1))
    assert [row[0] for sheet in sheets for row in [*sheet.values][1:]] == rows
    assert all(next(iter(sheet.values)) == ("name",) for sheet in sheets)
    assert [sheet.auto_filter.ref for sheet in sheets] == [f"A1:A{sheet.max_row}" for sheet in sheets]


INF = math.inf
CELLS = {
    Label: [(Label("a"), "a"), (Label("7"), "7"), (None, None)],
    Count: [
        (Count(3), 3),
        (Count(2.5), 2.5),
        (Count(INF), "infinite"),
        (Count(math.nan), None),
        (None, None),
    ],
    PValue: [(PValue(0.25), 0.25), (PValue(0), 0), (PValue(math.nan), None), (None, None)],
    Words: [
        (Words("x"), "x"),
        (Words("1,234.5"), 1234.5),
        (Words("1,23"), "1,23"),
        (Words("+7"), 7),
        (Words("-0.25"), -0.25),
        (Words("7."), "7."),
        (Words("1e3"), "1e3"),
        (Words("0.1", value=0.123), 0.123),
        (Words("no", value=math.nan), "no"),
        (Words("8", value=INF), 8),
        (None, None),
    ],
    Value: [
        (Value(ONE), 0.5),
        (Value(Estimate.undefined("none")), None),
        (Value(Estimate.bare(INF, "")), "infinite"),
        (None, None),
    ],
}


@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_is_a_number_where_it_is_one_and_nothing_where_it_has_none(kind):
    rows = tuple((Label(f"r{k}"), cell) for k, (cell, _) in enumerate(CELLS[kind]))
    table = Table((Column("", Label), Column("x", kind)), rows)
    found = [row[1] for row in book_of(Document("t", sections=(Section("s", (table,)),)))["s"].values]
    assert found == ["x", *(wanted for _, wanted in CELLS[kind])]


@pytest.mark.parametrize(
    ("estimate", "wanted"),
    [
        (ONE, (0.5, 0.25, 0.75, "Wilson")),
        (Estimate(0.5, 0.25, INF, 0.95, "log"), (0.5, 0.25, "infinite", "log")),
        (Estimate(0.5, -INF, 0.75, 0.95, "log"), (0.5, "-infinite", 0.75, "log")),
        (Estimate.bare(0.5, "few"), (0.5, None, None, "no CI: few")),
        (Estimate.undefined("no case"), (None, None, None, "no case")),
        (None, (None, None, None, None)),
    ],
)
@pytest.mark.parametrize("kind", [EstimateCell, Difference])
def test_an_estimate_takes_four_columns(estimate, wanted, kind):
    rows = ((Label("r"), None if estimate is None else kind(estimate)), (Label("s"), kind(ONE)))
    table = Table((Column("", Label), Column("AUC", kind)), rows)
    head, first, second = book_of(Document("t", sections=(Section("s", (table,)),)))["s"].values
    limits = "95% CI" if estimate is None or estimate.level in (None, 0.95) else "CI"
    assert head[1:] == ("AUC", f"AUC, {limits} low", f"AUC, {limits} high", "AUC, method")
    assert first[1:] == wanted
    assert second[1:] == (0.5, 0.25, 0.75, "Wilson")


def test_columns_that_are_drawn_or_have_methods_take_none_and_cases_stand_behind_estimates():
    columns = (
        Column("", Label),
        Column("", EstimateCell),
        Column("", Bar),
        Column("CI method", MethodCell),
        Column("gap", Difference),
    )
    row = (Label("r"), EstimateCell(ONE), Bar(0.2, 0.5, 0.7), MethodCell(ONE), Difference(OTHER))
    heads = ("value", "95% CI low", "95% CI high", "method")
    gaps = ("gap", "gap, 95% CI low", "gap, 95% CI high", "gap, method")
    numbers = (0.5, 0.25, 0.75, "Wilson", 0.9, 0.8, 0.99, "DeLong")

    def sheet(cases, columns=columns, row=row, tables=1):
        facts = (("cases", cases),) if cases else ()
        parts = (Table(columns, (row,), "a"), Table(columns, (row,), "b"))[:tables]
        return [*book_of(Document("t", facts, sections=(Section("s", parts),)))["s"].values]

    for cases, wanted in (("1,234", 1234), ("7", 7), ("1.5", None), ("many", None), ("", None)):
        head, first = sheet(cases)
        behind = () if wanted is None else ("n",)
        assert head[1:] == (*heads, *gaps, *behind)
        assert first == ("r", *numbers, *(() if wanted is None else (wanted,)))
    head, first, second = sheet("7", tables=2)
    assert (head[-1], first, second) == ("n", ("a", "r", *numbers, 7), ("b", "r", *numbers, 7))
    counted = (*columns, Column("cases", Count))
    head, first = sheet("7", counted, (*row, Count(3)))
    assert (head[-1], first[-1], "n" in head) == ("cases", 3, False)
    plain = sheet("7", (Column("", Label), Column("p", PValue)), (Label("r"), PValue(0.5)))
    assert plain[0][1:] == ("p",)


@pytest.mark.parametrize(
    ("letters", "head", "width"),
    [
        (3, "h", 10),
        (20, "h", 21),
        (9, "h", 10),
        (10, "h", 11),
        (3, "h" * 20, 22),
        (49, "h", 50),
        (50, "h", 50),
        (400, "h", 50),
    ],
)
def test_columns_are_as_wide_as_their_texts_or_heads(letters, head, width):
    table = Table(
        (Column(head, Label), Column("x", Count)), ((Label("a"), Count(1)), (Label("b" * letters), Count(1)))
    )
    sheet = book_of(Document("t", sections=(Section("s", (table,)),)))["s"]
    assert [width_of(sheet, 1), width_of(sheet, 2)] == pytest.approx([width, 10], abs=0.99)
    lines = math.ceil(letters / 50)
    assert [height_of(sheet, row) for row in (2, 3)] == [15, 15 * lines]


def test_a_row_is_no_higher_than_excel_takes_and_all_columns_of_long_texts_are_as_wide():
    columns = (Column("a", Label), Column("b", Words), Column("c", EstimateCell))
    wide = Estimate(0.5, 0.2, 0.7, 0.95, "m" * 60)
    table = Table(
        columns, ((Label("x"), Words("y" * 5000), EstimateCell(wide)), (Label("x"), Words("y"), None))
    )
    sheet = book_of(Document("t", sections=(Section("s", (table,)),)))["s"]
    assert [height_of(sheet, row) for row in (2, 3)] == pytest.approx([409, 15], abs=0.5)
    assert [width_of(sheet, column) for column in (1, 2, 6)] == pytest.approx([10, 50, 50], abs=0.99)


def test_a_diagram_is_a_sheet_of_its_lines_and_a_matrix_one_of_its_counts():
    drawing = Diagram("<svg/>", (("model a", "1.5", "--|"), ("b" * 30, "2", "|")), "", ("name", "rank"))
    matrix = Matrix(("a" * 20, "b"), ((1, 2), (3, 4.5)))
    book = book_of(Document("t", sections=(Section("D", (drawing,)), Section("M", (matrix,)))))
    assert [tuple(row) for row in book["D"].values][1:] == [("model a", "1.5", "--|"), ("b" * 30, "2", "|")]
    assert next(iter(book["D"].values))[:2] == ("name", "rank")
    assert [*book["M"].values] == [("predicted ↓, true →", "a" * 20, "b"), ("a" * 20, 1, 2), ("b", 3, 4.5)]
    assert width_of(book["D"], 1) == pytest.approx(31, abs=1)
    assert width_of(book["M"], 1) == pytest.approx(21, abs=1)
    assert width_of(book["M"], 2) == pytest.approx(22, abs=1)
    head = book["M"]["A1"]
    assert (head.font.b, head.border.bottom.style, head.alignment.wrap_text) == (True, "thin", True)
    assert book["D"].freeze_panes == "B2"


# -- Word ---------------------------------------------------------------------------------------------


def lines_of(word):
    """The style and the text of every paragraph, with the numbers that Word counts."""
    return [
        (paragraph.style.name, "".join(text.text or "" for text in paragraph._p.xpath(".//w:t")))
        for paragraph in word.paragraphs
    ]


def test_a_word_file_has_every_text_in_its_order():
    word, beside = word_of(document())
    methods = [("Normal", unmarked(text)) for text in methods_of(document()).split("\n\n")]
    found = lines_of(word)
    at = next(k for k, line in enumerate(found) if line == ("Heading 1", "Careful"))
    assert found[:3] == [
        ("Title", "Failed: The `title`"),
        ("Normal", "Use --all now."),
        ("Normal", "A second one."),
    ]
    assert found[3] == ("Caption", "Table 1. Data and settings.")
    assert found[4] == ("Normal", "")
    assert found[at:] == [
        ("Heading 1", "Careful"),
        ("List Bullet", "Warned x."),
        ("List Bullet", "Warned y."),
        ("Heading 1", "First"),
        ("Normal", "Some prose."),
        ("Caption", "Table 2. Rates."),
        ("Normal", "Beside it. A note. At its foot."),
        ("Caption", "Table 3. Silent."),
        ("Normal", ""),
        ("Heading 1", "Second"),
        ("Caption", "Table 4. Second."),
        ("Normal", "Without a title."),
        ("Caption", "Table 5. Second."),
        ("Normal", ""),
        ("Normal", "Below it."),
        ("Caption", "Table 6. The title."),
        ("Normal", ""),
        ("Heading 1", "Methods"),
        *methods,
    ]
    assert beside == {}
    assert COVERS not in [text for _, text in found]


def curve(name, kind="line", series=""):
    return Curve(
        name,
        f"The {name}",
        np.array([0.0, 0.5, 1.0]),
        np.array([0.0, 0.8, 1.0]),
        "x",
        "y",
        kind,
        series=series,
    )


def test_pictures_stand_behind_the_tables_one_for_each_name_of_curves():
    shown = (Figure((curve("roc"), curve("cost"), curve("roc", series="b"))),)
    page = Document("", sections=(Section("", (Figures(shown, (Figure((curve("gain"),)),)), Prose("x"))),))
    word, beside = word_of(Document("t", sections=(Section("s", (names_of(("r",)),)),)), page)
    found = lines_of(word)
    at = found.index(("Heading 1", "Figures"))
    captions = [("Caption", "Figure 1. The roc."), ("Caption", "Figure 2. The cost.")]
    assert [line for line in found[at:] if line[0] == "Caption"] == captions
    assert found[-1][0] == "Normal"
    assert found.index(("Heading 1", "Methods")) > at
    assert [*beside] == ["-figure-1.svg", "-figure-2.svg"]
    assert all(b"<svg" in drawing for drawing in beside.values())
    assert [round(shape.width.mm) for shape in word.inline_shapes] == [89] * 2
    pictures = [paragraph for paragraph in word.paragraphs if paragraph._p.xpath(".//pic:pic")]
    assert [paragraph.paragraph_format.keep_with_next for paragraph in pictures] == [True] * 2
    from matplotlib import pyplot

    assert pyplot.get_fignums() == []


def test_the_look_of_a_word_file():
    word, _ = word_of(
        Document("t" * 300, sections=(Section("s", (names_of(("r",), note="Noted."),)),), version="9.9")
    )
    (page,) = word.sections
    margins = (page.left_margin, page.right_margin, page.top_margin, page.bottom_margin)
    assert [round(one.inches, 3) for one in margins] == [1.0] * 4
    assert word.styles["Normal"].font.size.pt == 10
    about = word.core_properties
    assert (about.title, about.author, about.comments) == ("t" * 255, "classay 9.9", "")
    (caption,) = [one for one in word.paragraphs if one.style.name == "Caption"]
    assert caption.paragraph_format.keep_with_next
    (note,) = [one for one in word.paragraphs if one.text == "Noted."]
    assert (note.runs[0].font.size.pt, note.paragraph_format.space_before.pt) == (8, 3)
    (field,) = caption._p.xpath(".//w:fldSimple")
    assert field.get(qn("w:instr")).split() == ["SEQ", "Table", "\\*", "ARABIC"]


def cells_of(table, path):
    return [[cell._tc.xpath(path) for cell in row.cells] for row in table.rows]


@pytest.mark.parametrize("number", [1, 2, 24, 25, 40])
def test_rows_of_a_short_table_stay_together_and_none_is_divided(number):
    columns = (Column("name", Label), Column("cases", Count))
    table = Table(columns, tuple((Label(f"r{k}"), Count(k)) for k in range(number)), "T")
    word, _ = word_of(Document("t", sections=(Section("s", (table,)),)))
    (found,) = word.tables
    kept = [bool(row[0]) for row in cells_of(found, ".//w:keepNext")]
    short = number + 1 <= 25
    assert kept == ([True] * number + [False] if short else [False] * (number + 1))
    assert [len(row._tr.xpath(".//w:cantSplit")) for row in found.rows] == [1] * (number + 1)
    assert [len(row._tr.xpath(".//w:tblHeader")) for row in found.rows] == [1] + [0] * number
    sides = [row[1][0].get(qn("w:val")) for row in cells_of(found, ".//w:jc")]
    assert sides == ["right"] * (number + 1)
    assert [row[0][0].get(qn("w:val")) for row in cells_of(found, ".//w:jc")] == ["left"] * (number + 1)
    (look,) = found._tbl.xpath(".//w:tblLook")
    assert (look.get(qn("w:firstRow")), look.get(qn("w:val"))) == ("1", "0620")


def test_a_table_without_heads_has_no_head():
    word, _ = word_of(Document("t", (("cases", "3"), ("level", "95%"))))
    (found,) = word.tables
    assert not found._tbl.xpath(".//w:tblHeader")
    (look,) = found._tbl.xpath(".//w:tblLook")
    assert (look.get(qn("w:firstRow")), look.get(qn("w:val"))) == ("0", "0600")


@pytest.mark.parametrize(
    "texts",
    [
        [["a", "bb"], ["ccc", "d"]],
        [["a" * 45, "b"], ["c" * 60, "d"]],
        [["word " * 30, "other words " * 10], ["x", "y"], ["z" * 40, "w"]],
        [["n" * 40] * 4, ["m"] * 4],
        [["l" * 44] * 12, ["k"] * 12],
        [["several words here"] * 8, ["k"] * 8],
    ],
)
def test_columns_of_a_word_table_fit_between_the_margins(texts):
    columns = [*zip(*texts, strict=True)]
    widths, size = results_in_word._widths(columns)
    wanted = [170 + 125 * min(max(map(len, column)), 45) for column in columns]
    words = [170 + 125 * max(len(word) for text in column for word in text.split(" ")) for column in columns]
    least = [min(pair) for pair in zip(words, wanted, strict=True)]
    assert sum(widths) <= TEXT_WIDTH or widths == wanted
    if sum(wanted) <= TEXT_WIDTH:
        assert (widths, size) == (wanted, 18)
    elif sum(least) < TEXT_WIDTH:
        assert size == 18
        assert sum(widths) == pytest.approx(TEXT_WIDTH, abs=len(widths))
        assert all(low <= width <= high for low, width, high in zip(least, widths, wanted, strict=True))
        shares = [
            (width - low) / (high - low)
            for low, width, high in zip(least, widths, wanted, strict=True)
            if high - low > 500
        ]
        assert all(a == pytest.approx(b, abs=0.01) for a, b in pairwise(shares))
    else:
        assert size == max(math.floor(18 * TEXT_WIDTH / sum(least)), 10)
        assert sum(widths) == pytest.approx(TEXT_WIDTH, abs=len(widths))
        for width, low in zip(widths, least, strict=True):
            assert width == pytest.approx(low * TEXT_WIDTH / sum(least), abs=1)


def test_the_widths_and_the_size_of_letters_stand_in_the_table():
    names = [f"column{k} with words" for k in range(9)]
    table = Table(
        tuple(Column(name, Words) for name in names), (tuple(Words("long text " * 9) for _ in names),)
    )
    word, _ = word_of(Document("t", sections=(Section("s", (table,)),)))
    (found,) = word.tables
    widths = [int(one.get(qn("w:w"))) for one in found._tbl.xpath("./w:tblGrid/w:gridCol")]
    assert int(found._tbl.xpath("./w:tblPr/w:tblW")[0].get(qn("w:w"))) == sum(widths)
    assert [[int(each[0].get(qn("w:w"))) for each in row] for row in cells_of(found, "./w:tcPr/w:tcW")] == [
        widths
    ] * 2
    sizes = {each[0].get(qn("w:val")) for row in cells_of(found, ".//w:sz") for each in row}
    texts = [(name, text) for name in names for text in ["long text " * 9]]
    assert (widths, sizes) == (results_in_word._widths(texts)[0], {str(results_in_word._widths(texts)[1])})


@pytest.mark.parametrize(("rows", "said"), [(4, False), (5, False), (6, True)])
def test_a_long_table_of_word_says_how_many_rows_it_lacks(rows, said, monkeypatch):
    monkeypatch.setattr(results_in_word, "MOST_ROWS", 5)
    word, _ = word_of(
        Document("t", sections=(Section("s", (names_of([f"r{k}" for k in range(rows)], "T", note="N."),)),))
    )
    assert len(word.tables[0].rows) == 1 + min(rows, 5)
    notes = [text for _, text in lines_of(word) if text.startswith("N.")]
    rest = f" The table shows the first 5 of {rows} rows. An Excel file has all rows." if said else ""
    assert notes == [f"N.{rest}"]


def test_a_matrix_of_many_classes_shows_some_and_says_so():
    names = tuple(f"class{k:02}" for k in range(30))
    matrix = Matrix(names, tuple(tuple(10 * (i == j) + (i + j) % 2 for j in range(30)) for i in range(30)))
    word, _ = word_of(Document("t", sections=(Section("s", (matrix,)),)))
    said = matrix.within(results_in_word.MATRIX_CLASSES).said
    assert said
    assert ("Normal", unmarked(said)) in lines_of(word)
    assert len(word.tables[0].rows) < 30
    assert book_of(Document("t", sections=(Section("s", (matrix,)),)))["s"].max_row == 31


# -- JUnit, options and characters ----------------------------------------------------------------------


def test_a_suite_of_junit_has_its_counts_names_and_reasons():
    demands = [
        ("auc >= 0.9", Verdict.FAIL, "auc is 0.8"),
        ("f1 >= 0.5", Verdict.PASS, "f1 is 0.6"),
        ("recall >= 0.5", Verdict.UNDECIDED, "too few"),
        ("x\uffff", Verdict.FAIL, "y\ufffe\x00"),
    ]
    text = as_junit("gate", demands)
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuite ')
    assert text.endswith("</testsuite>\n")
    suite = ElementTree.fromstring(text.encode())
    assert suite.attrib == {"name": "gate", "tests": "4", "failures": "2", "errors": "1", "skipped": "0"}
    found = [(case.attrib, [(one.tag, one.attrib) for one in case]) for case in suite]
    assert [about for about, _ in found] == [
        {"classname": "gate", "name": name, "time": "0"}
        for name in ("auc >= 0.9", "f1 >= 0.5", "recall >= 0.5", "x")
    ]
    wanted = [
        [("failure", {"type": Verdict.FAIL.word, "message": "auc is 0.8"})],
        [],
        [("error", {"type": Verdict.UNDECIDED.word, "message": "too few"})],
        [("failure", {"type": Verdict.FAIL.word, "message": "y\\x00"})],
    ]
    assert [inside for _, inside in found] == wanted
    assert "\n  <testcase" in text
    assert ElementTree.fromstring(as_junit("none", [])).attrib["tests"] == "0"


def test_only_characters_that_xml_has_are_left():
    for code in (0xFFFE, 0xFFFF, 0x1FFFE, 0x1FFFF):
        assert for_xml(f"a{chr(code)}é") == "aé"
    assert for_xml("`a`") == "`a`"
    assert unmarked("`a` b`") == "a b"
    for code in (0x20, 0x7E, 0xE9, 0xFFFD, 0x1F600):
        assert for_xml(f"a{chr(code)}b") == f"a{chr(code)}b"


@pytest.mark.parametrize("path", ["a.docx", "b/c.d.docx", "x"])
def test_the_drawings_that_a_word_file_may_have_are_named(path):
    stem = path.removesuffix(".docx")
    assert OfficeOptions(docx=path).refuse() == [f"{stem}-figure-{k}.svg" for k in range(1, 100)]
    assert OfficeOptions(xlsx="a.xlsx").refuse() == []
    assert OfficeOptions().refuse() == []


def test_no_text_of_a_document_is_lost_in_either_file():
    texts = {"First", "Some prose.", "Rates", "Without a title.", "Below it.", "Warned x.", "Use --all now."}
    word, _ = word_of(document())
    sheets = chain.from_iterable(row for sheet in book_of(document()) for row in sheet.values)
    both = ("\n".join(text for _, text in lines_of(word)), "\n".join(str(cell) for cell in sheets))
    assert all(text in where for text in texts for where in both)
