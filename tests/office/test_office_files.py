"""Word and Excel files, read back by python-docx and openpyxl: they have what the document and the JSON have."""

import math
import os
import re
import sys
import zipfile
from io import BytesIO
from itertools import chain

import docx
import numpy as np
import openpyxl
import pytest

import classay as ca
from classay.errors import FileError, InputError, MissingExtraError
from classay.inference.estimate import Estimate
from classay.office import results_in_excel, results_in_word
from classay.office.characters import for_xml
from classay.office.results_in_excel import as_xlsx
from classay.office.results_in_word import as_docx
from classay.report.document import (
    Column,
    Count,
    Diagram,
    Document,
    EstimateCell,
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
from classay.report.door import pages
from classay.report.forms import Pages
from classay.report.paper import printed
from classay.report.words import unbroken
from command import call, refusal
from sample_documents import DOCUMENTS, HOSTILE
from sample_results import RESULTS, assessed

XML_OF_ITS_OWN = "<r><evil></r>"
"""A label that XlsxWriter takes for a text with formats of its own."""
CALCULATED = ("=1+1", "+1", "-1+1", "@SUM(A1)", '=HYPERLINK("http://x.example")')
"""Labels that a spreadsheet would calculate."""


def word_of(document):
    """The Word file of a document without pictures."""
    return docx.Document(
        BytesIO(as_docx(Pages(lambda: document, lambda: Document(""), lambda: document))[""])
    )


def book_of(document):
    return openpyxl.load_workbook(BytesIO(as_xlsx(Pages.alike(lambda: document))[""]))


def rows_of(table):
    return [[cell.text.replace("\u00a0", " ") for cell in row.cells] for row in table.rows]


def simple(text):
    return unbroken(for_xml(text)).replace("\u00a0", " ")


def parts_of(document):
    """The tables and matrices that a Word file shows."""
    order = [
        *(s for s in document.sections if s.role == "warnings"),
        *(s for s in document.sections if s.role == "plain"),
    ]
    return [
        (part, section) for section in order for part in section.parts if isinstance(part, Table | Matrix)
    ]


def test_word_has_every_kind_of_part_with_its_notes():
    parts = (
        Prose("A sentence of prose."),
        Listing((("code", "A sentence of a list."),)),
        Diagram("<svg/>", (("model a", "1.5", "|"),), "A note below a drawing.", ("name", "rank")),
        Table((Column("", Label),), ((Label("row"),),), "A note below a table."),
    )
    facts = (("cases", "1,234"), ("level", "95%"))
    word = word_of(Document("Result", facts, ("A verdict.",), (Section("All", parts),)))
    text = "\n".join(paragraph.text for paragraph in word.paragraphs)
    for wanted in (
        "A verdict.",
        "A sentence of prose.",
        "A sentence of a list.",
        parts[2].note,
        parts[3].note,
    ):
        assert simple(wanted) in text
    data, diagram, table = map(rows_of, word.tables)
    assert data[-2:] == [["cases", "1,234"], ["level", "95%"]]
    assert diagram[-1] == ["model a", "1.5", "|"]
    assert table[-1] == ["row"]


@pytest.mark.parametrize("name", RESULTS)
def test_word_has_the_tables_methods_and_warnings_of_every_result(name):
    document = pages(RESULTS[name]()).paper()
    word = word_of(document)
    kept = [table for table in word.tables if table.style.name == "classay table"]
    assert len(kept) == len(word.tables)
    known = [rows_of(table) for table in kept]
    for part, section in parts_of(document):
        shown = part.within(20) if isinstance(part, Matrix) else part
        wanted = printed(shown, section.title)
        if wanted.rows:
            assert [[simple(text) for text in row] for row in [wanted.heads, *wanted.rows]] in known
    text = "\n".join(paragraph.text for paragraph in word.paragraphs)
    for listing in (
        part for section in document.sections if section.role == "warnings" for part in section.parts
    ):
        assert all(line.replace("`", "") in text for _, line in listing.items)
    assert "Methods" in text
    captions = [each.text for each in word.paragraphs if each._p.style == "Caption"]  # its id: quick to find
    assert len(captions) == len(word.tables)


def numbers_in(node):
    if isinstance(node, dict):
        yield from chain.from_iterable(map(numbers_in, node.values()))
    elif isinstance(node, list):
        yield from chain.from_iterable(map(numbers_in, node))
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield float(node)


def estimates_of(document):
    return [
        cell.estimate
        for table in document.complete.tables
        for row in table.rows
        for cell in row
        if isinstance(cell, EstimateCell)
    ]


def near(value):
    return float(f"{value:.12g}")


@pytest.mark.parametrize("name", RESULTS)
def test_excel_has_the_numbers_of_every_result_as_json_has_them(name):
    result = RESULTS[name]()
    document = pages(result).paper()
    cells = [cell for sheet in book_of(document) for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    written = {near(cell.value) for cell in cells if cell.data_type == "n" and cell.value is not None}
    json = {near(value) for value in numbers_in(result.to_dict())}
    for estimate in estimates_of(document):
        ends = (estimate.low, estimate.high) if estimate.has_interval else ()
        for value in (estimate.value, *ends):
            if math.isfinite(value):
                assert near(value) in written
    if name not in DERIVED:
        assert not {near(e.value) for e in estimates_of(document) if math.isfinite(e.value)} - json


def test_a_rounded_number_and_a_fact_are_numbers_in_full():
    rows = ((Label("a"), Words("0.0023", value=0.0022986)), (Label("b"), Words("> 0.99", value=0.9951)))
    table = Table((Column("", Label), Column("p", Words)), rows)
    facts = (("cases", "200,000"), ("rows", "60"), ("share", "95%"))
    book = book_of(Document("Result", facts, sections=(Section("Tests", (table,)),)))
    assert [row[1].value for row in book["Tests"].iter_rows(min_row=2)] == [0.0022986, 0.9951]
    found = {row[0].value: row[1].value for row in book["Report"].iter_rows()}
    assert [found[name] for name in ("cases", "rows", "share")] == [200_000, 60, "95%"]


DERIVED = ("thresholds of several classes",)
"""Results whose document has values that their JSON lacks: those of a class at the threshold of the default rule."""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_labels_of_any_kind_are_texts(name):
    document = DOCUMENTS[name]
    texts = {cell.text for table in word_of(document).tables for row in table.rows for cell in row.cells}
    sheets = {cell.value for sheet in book_of(document) for row in sheet.iter_rows() for cell in row}
    for table in document.tables:
        for row in table.rows:
            assert for_xml(row[0].text) in sheets
            assert unbroken(for_xml(row[0].text)) in texts
    if name == "hostile":
        assert {for_xml(label) for label in HOSTILE} <= sheets


def hostile(labels):
    one = Estimate(0.5, 0.4, 0.6, 0.95, "=1+1")
    rows = tuple((Label(label), Words(label), EstimateCell(one)) for label in labels)
    table = Table((Column("=A1", Label), Column("@x", Words), Column("value", EstimateCell)), rows, "=1")
    return Document(
        "=1", (("=1", "+1"),), ("@x",), (Section("=1+1", (table, Matrix(labels, ((1.0,) * 5,) * 5))),)
    )


def test_what_a_spreadsheet_would_calculate_stays_text():
    cells = [cell for sheet in book_of(hostile(CALCULATED)) for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f" or cell.hyperlink]
    assert {*CALCULATED, "=A1", "@x"} <= {cell.value for cell in cells}


def test_a_label_that_looks_like_xml_is_a_text():
    table = Table((Column("", Label), Column("x", Words)), ((Label(XML_OF_ITS_OWN), Words(XML_OF_ITS_OWN)),))
    book = book_of(Document(XML_OF_ITS_OWN, sections=(Section("s", (table,)),)))
    assert [cell.value.strip() for cell in book["s"][2]] == [XML_OF_ITS_OWN] * 2


@pytest.mark.parametrize("ending", ["docx", "xlsx"])
def test_files_have_no_relation_to_the_outside(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    assessed().report(path)
    with zipfile.ZipFile(path) as archive:
        relations = [archive.read(name) for name in archive.namelist() if name.endswith(".rels")]
        assert relations
        assert not any(b"External" in each for each in relations)
        assert not [name for name in archive.namelist() if "thumbnail" in name or "vba" in name.lower()]


def test_pictures_are_png_of_300_dpi_with_their_drawing_beside(tmp_path):
    assessed().report(tmp_path / "table1.docx")
    word = docx.Document(tmp_path / "table1.docx")
    images = [part for part in word.part.package.iter_parts() if part.partname.endswith(".png")]
    assert {image.image.horz_dpi for image in images} == {300}
    assert [round(shape.width.mm) for shape in word.inline_shapes] == [89] * len(images)
    assert all(image.image.px_width == pytest.approx(89 / 25.4 * 300, rel=0.01) for image in images)
    beside = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert beside == [f"table1-figure-{k}.svg" for k in range(1, len(images) + 1)]
    assert "<svg" in (tmp_path / beside[0]).read_text()
    captions = [
        "".join(t.text for t in p._p.xpath(".//w:t")) for p in word.paragraphs if p.style.name == "Caption"
    ]
    assert next(text for text in captions if text.startswith("Figure")) == "Figure 1. ROC curve."


def long_table(rows):
    columns = (Column("group", Label), Column("cases", Count))
    return Table(columns, tuple((Label(f"g{k}"), Count(float(k))) for k in range(rows)), "Groups")


def test_word_has_the_first_rows_of_a_long_table_and_excel_all():
    short = long_table(3)
    document = Document(
        "Groups", sections=(Section("By group", (short,), abridged="The table shows 3 of 2,001 groups."),)
    )
    document = Document(
        "Groups",
        sections=(
            Section(
                "By group",
                (Table(short.columns, short.rows, "Groups", complete=lambda: long_table(2001)),),
                abridged="The table shows 3 of 2,001 groups.",
            ),
        ),
    )
    word = word_of(document)
    assert len(word.tables[-1].rows) == 2001
    text = "\n".join(paragraph.text for paragraph in word.paragraphs)
    assert "The table shows the first 2,000 of 2,001 rows. An Excel file has all rows." in text
    assert "3 of 2,001" not in text
    assert book_of(document)["By group"].max_row == 2002
    assert "3 of 2,001" in RESULTS_TEXT(document)


def RESULTS_TEXT(document):
    from classay.report.text import as_text

    return as_text(document)


def test_more_rows_than_a_sheet_has_go_on_a_further_sheet(monkeypatch):
    monkeypatch.setattr(results_in_excel, "MOST_ROWS", 5)
    book = book_of(Document("x", sections=(Section("Groups", (long_table(10),)),)))
    assert [(sheet.title, sheet.max_row) for sheet in book][1:] == [
        ("Groups", 5),
        ("Groups (2)", 5),
        ("Groups (3)", 3),
    ]


def test_sheets_have_names_that_excel_takes():
    titles = ("History", "a/b:c*?[d]", "x" * 40, "x" * 40, "'quoted'", "report", "Report", "a\\b")
    document = Document("x", sections=tuple(Section(title, (long_table(2),)) for title in titles))
    names = book_of(document).sheetnames
    assert len({name.lower() for name in names}) == len(titles) + 1
    assert all(0 < len(name) <= 31 and not re.search(r"[\[\]:*?/\\]|^'|'$", name) for name in names)
    assert "history" not in [name.lower() for name in names]


def test_a_matrix_is_a_sheet_of_its_counts():
    counts = ((5, 1.5), (2, 7), (0, 3))
    book = book_of(Document("x", sections=(Section("Cases", (Matrix(("no", "yes"), counts),)),)))
    labels = ("no", "yes", "(no answer)")
    rows = tuple((label, *row) for label, row in zip(labels, counts, strict=True))
    assert tuple(book["Cases"].values) == (("predicted ↓, true →", "no", "yes"), *rows)


def test_cells_of_every_kind_are_numbers_where_they_are_numbers():
    bare, infinite = Estimate.bare(0.5, "few cases"), Estimate(math.inf, 2.0, math.inf, 0.95, "log")
    row = (
        Label("1"),
        EstimateCell(bare),
        EstimateCell(infinite),
        PValue(0.01),
        PValue(math.nan),
        Words("1,234"),
        Words("97%"),
        Value(Estimate.bare(3.0, "")),
        MethodCell(bare),
    )
    heads = ("", "a", "b", "p", "q", "n", "share", "x", "CI method")
    table = Table(tuple(Column(head, type(cell)) for head, cell in zip(heads, row, strict=True)), (row,))
    first, second = book_of(Document("t", (("cases", "1,234"),), sections=(Section("s", (table,)),)))[
        "s"
    ].values
    assert dict(zip(first, second, strict=True)) == {
        "": "1", "a": 0.5, "a, 95% CI low": None, "a, 95% CI high": None, "a, method": "no CI: few cases",
        "b": "infinite", "b, 95% CI low": 2, "b, 95% CI high": "infinite", "b, method": "log",
        "p": 0.01, "q": None, "n": 1234, "share": "97%", "x": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ending", "library"), [("docx", "docx"), ("xlsx", "xlsxwriter"), ("docx", "matplotlib")]
)
def test_without_a_library_one_line_says_what_to_install(monkeypatch, tmp_path, ending, library):
    monkeypatch.setitem(sys.modules, library, None)
    extra = "plot" if library == "matplotlib" else "office"
    package = "python-docx" if library == "docx" else library
    with pytest.raises(MissingExtraError, match=rf"needs {package}, .*pip install 'classay\[{extra}\]'"):
        assessed().report(tmp_path / f"a.{ending}")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("ending", ["docx", "xlsx"])
def test_a_file_that_another_program_has_open_stays_as_it_is(monkeypatch, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"before")

    def locked(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", locked)
    with pytest.raises(FileError, match=r"Cannot write .*Close the file if another program has it open"):
        assessed().report(path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"before"


@pytest.mark.parametrize("ending", ["pdf", "doc", "odt"])
def test_endings_of_other_office_programs_are_refused(tmp_path, ending):
    with pytest.raises(InputError, match=rf"ending \.{ending}\. Use \.html, \.docx or \.xlsx"):
        assessed().report(tmp_path / f"a.{ending}")


def test_endings_may_be_in_capitals(tmp_path):
    assessed().report(tmp_path / "A.DOCX")
    assert zipfile.is_zipfile(tmp_path / "A.DOCX")


@pytest.mark.parametrize("option", ["--figure", "--html", "--json", "input"])
def test_a_drawing_beside_a_word_file_replaces_no_other_file(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    drawing, rows = "./a-figure-2.svg", "y,p\n" + "1,0.8\n0,0.3\n1,0.4\n0,0.6\n" * 10
    source = drawing if option == "input" else "p.csv"
    (tmp_path / source).write_text(rows)
    words = ("--format", "csv") if option == "input" else (option, drawing)
    done = call("assess", source, "--truth", "y", "--score", "p", "--docx", "a.docx", *words)
    said = "would overwrite the input" if option == "input" else "Two outputs have the same file name"
    assert (done.exit_code, said in done.stderr) == (2, True)
    assert [file.name for file in tmp_path.iterdir()] == [(tmp_path / source).name]
    assert (tmp_path / source).read_text() == rows


def test_the_command_writes_both_with_the_requirements(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["y,p,g", *(f"{k % 2},{(k * 7 % 10) / 10},{'=a' if k % 3 else 'b'}" for k in range(60))]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    read = ("p.csv", "--truth", "y", "--score", "p", "--require", "auc >= 0.99")
    done = call("assess", *read, "--docx", "a.docx", "--xlsx", "a.xlsx")
    assert done.exit_code == 1, done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("wrote")] == [
        "wrote a.xlsx",
        "wrote a.docx, a-figure-1.svg, a-figure-2.svg and a-figure-3.svg",
    ]
    assert "Failed" in docx.Document("a.docx").paragraphs[0].text
    assert "auc >= 0.99" in {
        cell for row in openpyxl.load_workbook("a.xlsx")["Requirements"].values for cell in row
    }
    assert "--docx cannot write to standard output" in refusal("assess", *read, "--docx", "-")


def test_a_word_file_of_many_rows_is_quick_enough_to_be_written():
    table = long_table(results_in_word.MOST_ROWS)
    assert len(word_of(Document("x", sections=(Section("Groups", (table,)),))).tables[0]._tbl.tr_lst) == 2001


def test_a_workbook_is_read_as_the_frame_says():
    a = ca.assess(*(np.arange(200) % 2, (np.arange(200) * 37 % 200) / 200))
    book = book_of(pages(a).paper())
    found = {row[0]: row[1] for row in book["Ranking measures"].values}
    assert found["ROC AUC"] == pytest.approx(a["roc_auc"].value, abs=1e-15)


def test_tables_of_other_columns_have_sheets_of_their_own_names():
    values = ((Label("a"), Count(1)),)
    others = ((Label("a"), Words("long " * 20)),)
    first = Table((Column("", Label), Column("cases", Count)), values, "Shares")
    second = Table((Column("", Label), Column("x", Words)), others, "Rates")
    book = book_of(Document("D", sections=(Section("Overrides", (first, second)), Section("One", (first,)))))
    assert book.sheetnames == ["Report", "Shares", "Rates", "One"]
    assert book["Rates"].row_dimensions[2].height == 15 * 2
    assert book["Rates"].column_dimensions["B"].width > book["Shares"].column_dimensions["B"].width
