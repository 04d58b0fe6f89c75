import re
from html import unescape
from io import BytesIO, StringIO, TextIOWrapper
from itertools import chain

import pytest
from rich.cells import cell_len
from rich.console import Console

import classay as ca
from classay.inference.estimate import Estimate
from classay.report import words
from classay.report.document import (
    DRAWN,
    Bar,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Label,
    Listing,
    MethodCell,
    Prose,
    Section,
    Table,
    Words,
)
from classay.report.results.parts import bar
from classay.report.terminal import Page
from classay.report.text import as_text, print_document
from classay.report.words import interval_of, value_of
from classay.texts import clean
from pages import squeezed
from sample_documents import DOCUMENTS, HOSTILE, binary_document, classes_table, estimate, multiclass_document
from sample_results import RESULTS
from wing_samples import of_wings


@pytest.fixture(params=DOCUMENTS)
def document(request: pytest.FixtureRequest) -> Document:
    return DOCUMENTS[request.param]


def measures_of(document: Document) -> list[tuple[str, Estimate]]:
    return [
        (row[0].text, row[1].estimate)
        for table in document.tables
        for row in table.rows
        if isinstance(row[0], Label) and isinstance(row[1], EstimateCell)
    ]


@pytest.mark.covering(2)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii", "cp1252", "cp437"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_text_keeps_to_width_and_encoding(document, width, encoding):
    text = as_text(document, width, encoding)
    text.encode(encoding)
    assert max(map(cell_len, text.splitlines())) <= width
    assert all(line == line.rstrip() for line in text.splitlines())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_text_shows_every_estimate(document, width):
    text = as_text(document, width)
    lines, joined = text.splitlines(), squeezed(text)
    for _, found in measures_of(document):
        assert words.value(found) in joined
        # an interval stays whole, beside its value or under it
        if found.has_interval:
            assert any(words.interval(found) in line for line in lines)
    for section in document.sections:
        if section.title != "Curves":
            assert f"\n{section.title}\n" in text


def test_text_shows_reasons_verdict_warnings_and_steps():
    document = binary_document()
    text = squeezed(as_text(document, 120))
    said = [text for section in document.sections for part in section.parts for text in _said(part)]
    assert len(said) == 5
    for part in (*document.verdict, *said):
        assert squeezed(part).replace(" ", "") in text.replace("┃", "").replace(" ", "")
    assert "not defined nothing is predicted negative, so there is nothing to divide by" in text
    assert "0.909 no CI: no valid method yet" in text
    assert text.count(" ! ") == 2
    parts = [
        "rows",
        document.verdict[0][:30],
        "Warnings",
        "Confusion matrix",
        "Ranking",
        "At the threshold",
        "Classes",
    ]
    places = [text.index(part) for part in [*parts, "What the intervals cover", "Next steps"]]
    assert places == sorted(places)


def _said(part):
    if isinstance(part, Prose):
        return [part.text]
    return [text for _, text in part.items] if isinstance(part, Listing) else []


def test_matrix_names_its_axes_and_sums():
    lines = as_text(binary_document(), 80).splitlines()
    start = lines.index("Confusion matrix")
    assert [line.split() for line in lines[start + 1 : start + 6]] == [
        ["true"],
        ["predicted", "benign", "malignant", "total"],
        ["benign", "177", "4", "181"],
        ["malignant", "2", "102", "104"],
        ["total", "179", "106", "285"],
    ]


def test_of_a_large_matrix_the_classes_in_the_most_errors_are_shown():
    assert "The table shows the 11 of 30 classes with the most errors." in " ".join(
        as_text(multiclass_document(30), 100).split()
    )


def test_narrow_window_keeps_the_column_classes_are_chosen_by():
    text = as_text(multiclass_document(30), 60)
    heads = next(line for line in text.splitlines() if line.startswith("  class "))
    assert heads.endswith("F1, 95% CI")


@pytest.mark.parametrize("width", range(60, 101, 4))
def test_titles_of_measures_break_between_words(width):
    """A second name in parentheses is left out where it has no room."""
    y, p = [0, 1] * 40, [(7 * i % 80) / 80 for i in range(80)]
    measures = ["roc_auc", "recall", "log_loss", "macro_recall"]
    text = as_text(ca.compare({"new": p, "old": p[::-1]}, y, measures=measures).document(), width)
    heads = {line[2:].split("  ")[0] for line in text.splitlines() if re.match("  [^ ]", line)}
    assert {"ROC AUC", "Log-loss"} <= heads
    assert all(head.count("(") == head.count(")") for head in heads if "sens" in head or head == ")")


@pytest.mark.parametrize("width", [60, 66, 72, 80, 100])
def test_what_does_not_fit_stands_below_the_table(width):
    wide, narrow = (as_text(multiclass_document(30), each) for each in (120, width))
    (table,) = (each for each in multiclass_document(30).tables if each.columns[0].head == "class")
    shown = narrow[narrow.index("  class ") :]
    heads = {
        word
        for line in shown.splitlines()
        if line.startswith("  class ")
        for word in line.replace(",", " ").split()
    }
    named = (each for each in table.columns if each.kind not in (*DRAWN, MethodCell))
    assert {each.head.split()[0] for each in named} <= heads
    assert "wider window" not in wide + narrow
    for row in table.rows:
        for cell in row:
            if isinstance(cell, EstimateCell):
                assert value_of(cell) in shown
                assert interval_of(cell) in shown


def test_the_same_rows_stand_below_the_first_table_only():
    rows = tuple((Label(name), *(EstimateCell(estimate(0.5)) for _ in range(4)), Count(7.0)) for name in "ab")
    columns = (
        Column("group", Label),
        *(Column(f"m{k}", EstimateCell) for k in range(4)),
        Column("cases", Count, 9),
    )
    tables = tuple(Table(columns, rows, title) for title in ("One", "Two"))
    text = as_text(Document("T", sections=(Section("S", tables),)), 76)
    assert [line.split() for line in text.splitlines()].count(["group", "cases"]) == 1


def test_what_gives_way_in_a_narrow_window():
    rows = [("a class", 5.0, {"precision": estimate(0.5), "F1": estimate(0.6)})]
    document = Document("T", sections=(Section("S", (classes_table(rows),)),))
    wide, narrow = as_text(document, 100), as_text(document, 60)
    assert "0.500  0.480 to 0.520" in wide
    assert "0.480 to 0.520" in narrow
    columns = (Column("name", Label), *(Column("a head of words", EstimateCell) for _ in range(9)))
    table = Table(columns, ((Label("x"), *(EstimateCell(estimate(0.5)) for _ in range(9))),))
    lines = as_text(Document("T", sections=(Section("S", (table,)),)), 80).splitlines()
    assert lines[-10:] == ["  x", *["    a head of words: 0.500 0.480 to 0.520"] * 9]


def test_tables_of_the_same_columns_stand_in_line():
    lines = as_text(binary_document(), 100).splitlines()
    at = {line.index("95% CI") for line in lines if "value  95% CI" in line}
    assert len(at) == 1


def test_differences_show_their_signs():
    made = Estimate(0.01, -0.02, 0.04, 0.95, "m")
    table = Table((Column("", Label), Column("difference", Difference)), ((Label("x"), Difference(made)),))
    text = as_text(Document("T", sections=(Section("S", (table,)),)), 80, "utf-8")
    assert "+0.010  -0.020 to +0.040" in text


def test_labels_are_literal_and_short():
    text = as_text(multiclass_document(labels=HOSTILE), 120)
    matrix = text[text.index("Confusion matrix") :]
    for shown in (
        "<script>alert(1)</script>",
        "[bold]x[/bold]",
        "two\\nlines",
        "\\x1b[31mred\\x1b[0m",
        "🦊🦊",
        "…",
    ):
        assert shown in matrix
    assert "x" * 40 not in matrix


def test_ascii_labels_are_cut_between_characters():
    text = as_text(multiclass_document(labels=("日" * 60, "b")), 80, "ascii")
    assert re.search(r"^  (\\u65e5)+\.\.\. ", text, re.MULTILINE)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_console_of_a_poor_encoding(document, encoding):
    file = TextIOWrapper(BytesIO(), encoding=encoding)
    print_document(document, Console(file=file, width=80))
    file.flush()
    assert document.title in file.buffer.getvalue().decode(encoding)


def test_colour_only_where_there_is_a_terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    file = StringIO()
    print_document(binary_document(), Console(file=file, width=120, force_terminal=True, color_system="256"))
    assert "⚠" in file.getvalue()
    assert "●" in file.getvalue()
    assert "\x1b[38;5;31m" in file.getvalue().replace("1;38", "38")
    monkeypatch.setenv("NO_COLOR", "1")
    file = StringIO()
    print_document(binary_document(), Console(file=file, width=120, force_terminal=True, color_system="256"))
    assert "38;5" not in file.getvalue()
    assert "●" not in file.getvalue()
    assert "⚠" not in file.getvalue()
    file = StringIO()
    print_document(binary_document(), Console(file=file, width=120))
    assert file.getvalue() == as_text(binary_document(), 120, "utf-8")


def test_only_unit_measures_are_drawn():
    inside = estimate(0.5)
    assert bar(inside, (0, 1)) == Bar(inside.low, inside.value, inside.high)
    assert bar(inside, (-1, 1)) is None
    assert bar(Estimate.bare(0.5, "none"), (0, 1)) is None


def test_cleaning_leaves_no_control_and_no_markup_behind():
    for label in HOSTILE:
        cleaned = clean(label)
        cleaned.encode("utf-8")
        assert cleaned.isprintable() or cleaned == label
    assert unescape(clean("a\u202eb")) == "a\\u202eb"


def test_a_document_can_leave_warnings_out():
    document = binary_document()
    (old,) = document.section("warnings").parts
    codes = [code for code, _ in old.items]
    (left,) = document.without_warnings(codes[0]).section("warnings").parts
    assert left.items == old.items[1:]
    assert document.without_warnings(codes[0]).without_warnings(codes[1]).section("warnings") is None
    assert document.without_warnings("no such code") == document


def test_a_note_is_never_wider_than_its_column():
    bare = Estimate.bare(0.0, "every resample gives the same value")
    rows = tuple((Count(n), EstimateCell(estimate(0.3)), EstimateCell(bare)) for n in (34, 270))
    table = Table(
        (Column("cases", Count), Column("new cases", EstimateCell), Column("training", EstimateCell)), rows
    )
    shown = as_text(Document("D", sections=(Section("S", (table,)),)))
    assert all(line.rstrip().endswith("0.000  note 1") for line in shown.splitlines() if "0.300" in line)
    assert "training" in shown


def test_names_that_begin_alike_are_told_apart_by_their_ends():
    page = Page(Console(file=StringIO(), width=80))
    alike = [f"gradient_boosted_trees_{k}" for k in range(14)]
    cut = [page.label(each, 9, alike).plain for each in alike]
    assert len({*cut}) == len(alike)
    assert all(len(each) <= 9 and "…" in each for each in cut)
    assert page.label("A simpler learner", 9, ["A forest"]).plain == "A simple…"


@pytest.mark.parametrize("name", RESULTS)
def test_eighty_columns_are_enough(name):
    """No line is longer, and names, findings and words are whole."""
    document = RESULTS[name]().document()
    lines = as_text(document, 80, "utf-8").splitlines()
    assert max(map(len, lines)) <= 80
    written, spaced = " ".join(lines), [re.sub(r"\s+", " ", line) for line in lines]
    for table in (table for table in document.tables if not table.is_for_files):
        kept = [k for k, column in enumerate(table.columns) if not column.spare]
        for cell in (row[k] for row in table.rows for k in kept):
            if not isinstance(cell, Label | Words):
                continue
            text = " ".join(cell.text.split())
            is_title = isinstance(cell, Label) and cell.name  # that of a measure, which wraps
            if len(text) <= 18 and not is_title:
                assert any(text in line for line in spaced), text
            assert all(word in written for word in text.split() if len(word) <= 18), text


@pytest.mark.parametrize(
    "name",
    [
        "assessment of two classes",
        *("saved results", "decision by cost"),
        *chain(*of_wings("WITH_NEXT_STEPS")),
    ],
)
def test_tables_end_in_what_to_do_with_them(name):
    assert RESULTS[name]().document().sections[-1].title == "Next steps"
