"""Words of numbers, the parts of a document and the tables of a card, each by its definition in plain Python."""

import re
from dataclasses import replace
from itertools import pairwise
from math import inf, isfinite, nan

import numpy as np
import pytest

from classay import Estimate
from classay.answers import WORDS as NO_ANSWER
from classay.curves.curve import Curve
from classay.report import card, words
from classay.report.document import (
    COVERS,
    EXPLAINED,
    SEED_OF_DRAWS,
    AxisScale,
    Bar,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Prose,
    PValue,
    Section,
    Spark,
    Table,
    Value,
    Words,
)
from classay.report.paper import as_latex, as_markdown
from classay.report.results.assessments import shares
from classay.texts import cut
from classay.warned import first_ones

WILSON = Estimate(0.8, 0.7, 0.9, 0.95, "Wilson")
DRAWN = Estimate(0.8, 0.7, 0.9, 0.95, "percentile bootstrap, 2,000 resamples")
BARE = Estimate.bare(0.8, "too few cases")
UNDEFINED = Estimate.undefined("no case is positive")


# --- words


@pytest.mark.parametrize("length", [1, 2, 9, 10, 11, 12, 40])
def test_a_text_is_cut_to_its_width_and_no_shorter_one_is(length):
    text = ("abcde fghi " * 4)[:length].strip()
    for width in (1, 5, 6, 7, 10):
        cut = words.shorten(text, width)
        if len(text) <= width:
            assert cut == text
        else:
            assert len(cut) <= width
            assert cut == text[: width - 1].rstrip() + "…"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (1234.0, "1,234"),
        (-1234.0, "-1,234"),
        (999_999_999_999_999.0, "999,999,999,999,999"),
        (1e15, "1e+15"),
        (2.5, "2.500"),
        (29.999999999999996, "30"),
        (nan, "–"),
        (inf, "infinite"),
        (-inf, "-infinite"),
    ],
)
def test_a_number_of_cases_is_whole_where_it_is(value, text):
    assert words.count(value) == text


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        ([[3.0, 1234.0], [0.0, -2.0]], [["3", "1,234"], ["0", "-2"]]),
        ([[3.0, 9.875]], [["3.000", "9.875"]]),
        ([[0.25, -10.0]], [["0.2", "-10.0"]]),
        ([[10.0, 0.75], [2.0, nan]], [["10.0", "0.8"], ["2.0", "–"]]),
        ([[9.5, inf]], [["9.500", "infinite"]]),
        ([[nan]], [["–"]]),
        ([[29.999999999999996, 2.0]], [["30", "2"]]),
    ],
)
def test_numbers_of_cases_that_stand_together_have_the_same_decimals(rows, texts):
    assert words.counts(rows) == texts


def test_a_short_number_of_cases_is_the_number_to_its_last_digit():
    rng = np.random.default_rng(0)
    cases = [0, 0.04, 0.05, 9.94, 9.96, 99.4, 999, 999.4, 1000, 9940, 9960, 999_400, 999_600, 1e9, 1e13]
    cases += [float(10.0 ** rng.uniform(-2, 13)) for _ in range(200)]
    for value in cases:
        text = words.short_count(value)
        assert len(text) <= 4
        digits, unit = re.fullmatch(r"([\d.]+)([kMGT]?)", text).groups()
        scale = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[unit]
        assert abs(float(digits) * scale - value) <= (0.0501 if "." in digits else 0.501) * scale
        assert "." not in digits or float(digits) < 10
        assert "." in digits or float(digits) >= 10 or value / scale == float(digits)


@pytest.mark.parametrize("size", [1, 2, 5, 23, 24, 25, 47, 100])
def test_a_course_is_as_high_as_its_values_and_ends_in_the_newest(size):
    rng = np.random.default_rng(size)
    values = [float(v) for v in rng.random(size)]
    text = words.blocks(values)
    assert len(text) == min(size, words.MOST_BLOCKS)
    assert {text} == {"▁"} or {"▁", "█"} <= {*text}
    by_height = dict(zip(words.BLOCKS, range(8), strict=True))
    if size <= words.MOST_BLOCKS:
        low, high = min(values), max(values)
        wanted = [round(7 * (v - low) / (high - low)) if high > low else 0 for v in values]
        assert [by_height[block] for block in text] == wanted
    rising = words.blocks(range(size))
    assert all(one <= other for one, other in pairwise(rising))
    assert size == 1 or (rising[0], rising[-1]) == ("▁", "█")
    assert words.blocks([nan, *values][-size:])[-1] == text[-1]


@pytest.mark.parametrize("gap", [nan, inf, -inf])
def test_a_course_has_a_gap_where_a_value_is_none(gap):
    assert words.blocks([0.0, gap, 1.0, 0.0]) == "▁ █▁"
    assert words.blocks([gap, 0.5]) == " ▁"
    assert words.blocks([gap]) == " "


@pytest.mark.parametrize("value", [0.25, 0.0123, 0.0004, 2.0, 1234.0])
def test_a_difference_has_the_sign_that_it_has(value):
    higher, lower = words.signed(value), words.signed(-value)
    assert (higher[0], lower[0], higher[1:]) == ("+", "-", lower[1:])
    assert words.signed(0.0) == words.signed(-0.0) == "0"
    assert words.signed(nan) == "–"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [(WILSON, "Wilson"), (DRAWN, "percentile bootstrap"), (BARE, "no CI: too few cases"),
     (UNDEFINED, "no case is positive")],
)  # fmt: skip
def test_a_method_or_the_reason_of_a_gap_stands_behind_an_estimate(estimate, text):
    assert words.remark(estimate) == text


def test_reasons_are_numbered_as_they_come_and_once():
    notes = words.Notes()
    marks = [notes.mark(estimate) for estimate in (WILSON, BARE, UNDEFINED, BARE, DRAWN)]
    assert marks == [None, 1, 2, 1, None]
    assert [*notes] == [(1, "no CI: too few cases"), (2, "no case is positive")]


def test_a_reason_runs_over_columns_that_are_empty():
    columns = [
        Column("", Label),
        Column("value", EstimateCell),
        Column("method", MethodCell),
        Column("n", Count),
    ]
    label = Label("recall")
    for row, spans in (
        ((label, EstimateCell(BARE), MethodCell(BARE), None), True),
        ((label, EstimateCell(BARE), None, None), True),
        ((label, EstimateCell(BARE), MethodCell(BARE), Count(3)), False),
        ((label, EstimateCell(WILSON), MethodCell(WILSON), None), False),
        ((label, None, None, None), False),
    ):
        assert words.reason_spans(columns, row) is spans
    twice = [*columns[:2], Column("other", Difference)]
    assert not words.reason_spans(twice, (label, EstimateCell(BARE), None))
    assert not words.reason_spans([columns[0], columns[3]], (label, None))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (EstimateCell(WILSON), "0.800 (0.700 to 0.900)"),
        (EstimateCell(BARE), "0.800"),
        (EstimateCell(UNDEFINED), "not defined"),
        (Difference(WILSON), "+0.800 (+0.700 to +0.900)"),
        (Difference(UNDEFINED), "not defined"),
        (Value(WILSON), "0.800"),
        (MethodCell(BARE), "no CI: too few cases"),
        (Count(1234), "1,234"),
        (PValue(0.03456), "0.035"),
        (PValue(0.0001, 0.0005), "0.00010"),
        (Words("lower"), "lower"),
        (Label("recall"), "recall"),
        (Spark((BARE, WILSON)), "▁▁"),
        (Bar(0, 0.5, 1), ""),
        (None, ""),
    ],
)
def test_a_cell_as_one_text(cell, text):
    assert words.cell_text(cell) == text


# --- parts of a document


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("most", [2, 3, 5])
def test_the_classes_in_most_errors_stand_and_the_others_are_together(seed, most):
    """By hand; also where some classes are together already, and with a row of cases without an answer."""
    rng = np.random.default_rng(seed)
    k, more = 6, seed % 2
    counts = rng.integers(0, 9, (k + more, k)).astype(float)
    matrix = Matrix(tuple("abcdef"), tuple(map(tuple, counts.tolist())))
    shown = matrix.within(most)
    errors = {
        i: sum(counts[i, j] for j in range(k) if j != i)
        + sum(counts[j, i] for j in range(k + more) if j != i)
        for i in range(k)
    }
    kept = sorted(sorted(errors, key=lambda i: (-errors[i], i))[: most - 1])
    others = [i for i in range(k) if i not in kept]
    groups = [[i] for i in kept] + [others]
    rows = groups + [[i] for i in range(k, k + more)]
    wanted = [[sum(counts[i, j] for i in row for j in column) for column in groups] for row in rows]
    assert shown.counts == tuple(map(tuple, wanted))
    assert shown.labels == (*("abcdef"[i] for i in kept), f"{len(others)} others")
    assert shown.predicted == (*shown.labels, *([NO_ANSWER] if more else []))
    assert (shown.classes, shown.rest) == (k, len(others))
    among = sum(counts[i, j] for i in others for j in others if i != j)
    assert shown.among == among
    inside = sum(counts[i, j] for i in others for j in others)
    assert shown.said == (
        f"The table shows the {most - 1} of 6 classes with the most errors. In the other {len(others)} classes, "
        f"{among:.0f} of {inside:.0f} cases are misclassified among themselves."
    )
    again = matrix.within(most + 1).within(most)
    assert (again.classes, sum(map(sum, again.counts))) == (k, counts.sum())
    assert again.within(most) is again
    assert matrix.within(k) is matrix
    assert (matrix.said, matrix.classes) == ("", k)


@pytest.mark.parametrize(("x", "place"), [(-1, 0.0), (0.2, 0.0), (0.3, 0.25), (0.6, 1.0), (0.7, 1.0)])
def test_a_number_stands_within_its_scale(x, place):
    assert AxisScale(0.2, 0.6).place(x) == pytest.approx(place)


def test_a_scale_is_written_at_its_ends_and_its_middle():
    assert AxisScale(-0.5, 0.5, 0.0).texts == ("-0.5", "0", "0.5")
    assert AxisScale().texts == ("0", "", "1")
    assert AxisScale(words=("worse", "better")).texts == ("worse", "", "better")


@pytest.mark.parametrize(
    ("low", "high", "is_drawn"), [(0.1, 0.3, True), (nan, 0.3, False), (0.1, nan, False)]
)
def test_a_bar_without_an_end_is_not_drawn(low, high, is_drawn):
    assert Bar(low, 0.2, high).is_drawn is is_drawn


TABLE = Table(
    (
        Column("measure", Label),
        Column("value", EstimateCell),
        Column("method", MethodCell),
        Column("n", Count),
    ),
    (
        (Label("recall"), EstimateCell(WILSON), MethodCell(WILSON), Count(40)),
        (Label("precision"), EstimateCell(DRAWN), MethodCell(DRAWN), Count(30)),
        (Label("skill"), EstimateCell(BARE), MethodCell(BARE), Count(20)),
    ),
    foot="Of all cases.",
)


def test_a_table_without_its_methods_names_them_below():
    bare = TABLE.without_methods()
    assert [column.head for column in bare.columns] == ["measure", "value", "n"]
    assert bare.rows == TABLE.only([0, 1, 3]).rows
    assert bare.foot == "Of all cases. Intervals: Wilson; percentile bootstrap, 2,000 resamples."
    assert bare.without_methods() is bare
    last = replace(TABLE, rows=TABLE.rows[2:], foot="")
    assert last.without_methods().foot == ""
    assert TABLE.only(range(4)) is TABLE
    assert (TABLE.intervals, TABLE.levels, last.levels) == ([WILSON, DRAWN], {0.95}, set())
    assert TABLE.column(Count) == [Count(40), Count(30), Count(20)]


@pytest.mark.parametrize(
    ("texts", "is_wordy"), [(["lower"], True), (["2 of 3", "b"], True), (["2 of 3", ""], False)]
)
def test_a_column_of_words_has_a_letter_first(texts, is_wordy):
    rows = tuple((Label("a"), Words(text)) for text in texts)
    assert Table((Column("", Label), Column("", Words)), rows).is_wordy(1) is is_wordy
    assert not Table((Column("", Label), Column("", Words)), rows).is_wordy(0)


def titles(document):
    return [section.title for section in document.sections]


SECTIONS = (
    Section("Measures", (TABLE,), abridged="Some rows."),
    Section(COVERS, (Prose("Cases."),)),
    Section("Warnings", (Listing((("few", "Few cases."), ("old", "An old file."))),), "warnings"),
    Section("Next steps", (Prose("Collect."),), "next"),
)


def test_warnings_stand_first_and_seeds_under_methods():
    document = Document("Title", (("seed", "7"), ("cases", "40")), ("Said.",), SECTIONS)
    arranged = document.arranged
    assert arranged.facts == (("cases", "40"),)
    assert titles(arranged) == ["Warnings", "Measures", "Methods", COVERS, "Next steps"]
    measures, methods = arranged.sections[1:3]
    assert measures.parts == (Prose("Some rows.", "quiet"), TABLE)
    sampling = "The method 'percentile bootstrap' uses 2,000 resamples (seed 7)."
    assert methods.parts == (Prose(f"{sampling} {EXPLAINED}"),)
    bare = replace(document, facts=(("cases", "40"),)).arranged
    assert bare.section("warnings") is bare.sections[0]
    assert bare.sections[2].parts == (Prose(EXPLAINED),)
    written = replace(document, sections=(*SECTIONS, Section("Methods", (Prose("Own."),), "methods")))
    assert titles(written.arranged) == ["Warnings", "Measures", COVERS, "Next steps", "Methods"]
    assert written.arranged.sections[-1].parts == (Prose("Own."), Prose(EXPLAINED))


@pytest.mark.parametrize(
    ("facts", "methods", "said"),
    [
        ((("seed", "7"),), (), "Random splits and draws use seed 7."),
        (((SEED_OF_DRAWS, "7"),), (), None),
        (
            ((SEED_OF_DRAWS, "7"),),
            ("a, 200 draws", "b, 200 draws", "c, 90 resamples", "a, 200 draws"),
            "The methods 'a' and 'b' use 200 random draws (seed 7). The method 'c' uses 90 resamples (seed 7).",
        ),
    ],
)
def test_draws_are_told_with_their_methods_and_their_seed(facts, methods, said):
    rows = tuple((Label(""), EstimateCell(replace(WILSON, method=method))) for method in methods)
    table = Table((Column("", Label), Column("value", EstimateCell)), rows)
    sections = Document("T", facts, sections=(Section("S", (table,)),)).arranged.sections
    assert [section.parts for section in sections[1:]] == ([] if said is None else [(Prose(said),)])


def test_a_document_leaves_out_what_was_said_already():
    document = Document("Title", sections=SECTIONS)
    (left,) = document.without_warnings("few").section("warnings").parts
    assert left.items == (("old", "An old file."),)
    both = document.without_warnings("few").without_warnings("old")
    assert titles(both) == ["Measures", COVERS, "Next steps"]
    assert both.without_warnings("few") is both
    assert document.without_warnings("other") == document


def test_what_was_asked_for_leads_and_the_rest_is_folded():
    lead = Section("Asked", (Prose("This."),))
    led = Document("Title", verdict=("Old.",), sections=SECTIONS).led_by(lead, sentences=("New.",))
    assert (led.verdict, titles(led)) == (
        ("New.", "Old."),
        ["Asked", *titles(Document("", sections=SECTIONS))],
    )
    assert [section.is_folded for section in led.sections] == [False, True, True, False, False]


@pytest.mark.parametrize(("data", "title"), [("", "T of a"), ("a", "T of a"), ("b", "T of a on b")])
def test_a_title_names_the_data_once(data, title):
    assert Document("T of a").on(data).title == title


def test_a_complete_document_has_all_rows():
    some = replace(TABLE, rows=TABLE.rows[:1], complete=lambda: TABLE)
    section = Section("Measures", (some, Prose("x")), abridged="Some rows.")
    (full,) = Document("T", sections=(section,)).complete.sections
    assert (full.parts, full.abridged) == ((TABLE, Prose("x")), "")


# --- the tables of a card


def rows_of(html):
    return [re.sub(r"<[^>]*>", "", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]


@pytest.mark.parametrize("rows", [1, card.ROWS - 1, card.ROWS, card.ROWS + 1, card.ROWS + 2, 3000])
def test_a_card_shows_so_many_rows_and_says_how_many_there_are_more(rows):
    table = Table(
        (Column("name", Label), Column("n", Count), Column("", Bar), Column("method", MethodCell)),
        tuple((Label(f"row {k}"), Count(k), Bar(0, 0, 1), MethodCell(WILSON)) for k in range(rows)),
    )
    ((name, html),) = card.tabs_of(Document("T", sections=(Section("S", (table,)),)))
    shown = min(rows, card.ROWS)
    assert name == "S"
    assert rows_of(html) == ["namen", *(f"row {k}{k}" for k in range(shown))]
    more = rows - shown
    said = (
        "" if not more else f"<p>{more:,} more row{'' if more == 1 else 's'}: see the page or the frame.</p>"
    )
    assert html.endswith(f"</table>{said}")


@pytest.mark.parametrize("sentences", range(8))
def test_a_card_has_a_few_sentences_or_one_more(sentences):
    verdict = tuple(f"Sentence {k}." for k in range(sentences))
    shown = card._verdict(Document("T", verdict=verdict))
    if sentences <= card.SENTENCES + 1:
        assert shown == verdict
    else:
        more = sentences - card.SENTENCES
        last = f"{more} more sentences. Print the result, or see the tables below."
        assert shown == (*verdict[: card.SENTENCES], last)


def test_a_cell_of_a_card_is_a_head_a_number_or_a_text():
    for cell, html in (
        (Label("a & b"), "<th scope=row>a &amp; b</th>"),
        (EstimateCell(WILSON), "<td>0.800 <small>0.700 to 0.900</small></td>"),
        (EstimateCell(BARE), "<td>0.800</td>"),
        (Value(WILSON), "<td>0.800</td>"),
        (Words("lower"), "<td class=text>lower</td>"),
        (Words("12.5"), "<td>12.5</td>"),
        (Count(3), "<td>3</td>"),
        (Label("x" * 90), f"<th scope=row>{cut('x' * 90, card.LONGEST)}</th>"),
        (Label("x" * card.LONGEST), f"<th scope=row>{'x' * card.LONGEST}</th>"),
    ):
        assert str(card._cell(cell)) == html


def test_facts_are_the_last_tab_and_empty_sections_none():
    sections = (Section("None", ()), Section("Text", (Prose("a `b` <c>"),)))
    tabs = card.tabs_of(Document("T", (("cases", "40"),), sections=sections))
    assert [(name, str(html)) for name, html in tabs] == [
        ("Text", "<p>a b &lt;c&gt;</p>"),
        ("About", "<table><tr><th scope=row>cases</th><td class=text>40</td></tr></table>"),
    ]
    assert [name for name, _ in card.tabs_of(Document("T", sections=sections))] == ["Text"]


@pytest.mark.parametrize("points", [2, card.POINTS, card.POINTS + 1, 1000])
def test_a_curve_of_a_card_has_so_many_points_and_both_ends(points):
    x = np.linspace(0, 1, points)
    drawn = str(card._drawn(Curve("line", "A line", x, x**2, "x", "y")))
    places = [pair.split(",") for pair in re.search(r'<polyline points="([^"]*)"', drawn)[1].split()]
    assert len(places) == min(points, card.POINTS)
    assert places[0] == ["20.0", "190.0"]
    assert places[-1] == ["200.0", "10.0"]
    for across, up in places:
        share = (float(across) - 20) / 180
        assert (190 - float(up)) / 180 == pytest.approx(share**2, abs=2e-3)
        assert isfinite(share)


# --- what is left out


@pytest.mark.parametrize("number", range(1, 10))
def test_the_cases_of_many_classes_are_those_of_the_first_six(number):
    labels, totals = "abcdefghi"[:number], range(number)
    texts = [f"{label}: {total}" for label, total in zip(labels, totals, strict=True)]
    if number <= 7:
        assert shares(tuple(labels), totals) == ", ".join(texts)
    else:
        assert shares(tuple(labels), totals) == f"{', '.join(texts[:6])}, and {number - 6} more classes"


@pytest.mark.parametrize("number", range(1, 9))
def test_of_many_warnings_of_one_code_the_first_are_told(number):
    texts = [f"text {k}." for k in range(number)]
    told = [tuple(warning[:2]) for warning in first_ones("note", texts, "a: ")]
    assert told[:5] == [("note", f"a: {text}") for text in texts[:5]]
    more = number - 5
    last = [("note", f"{more} more such note{'' if more == 1 else 's'}. The JSON lists them.")]
    assert told[5:] == (last if more > 0 else [])


@pytest.mark.parametrize("has_methods", [True, False])
def test_a_reason_for_a_missing_interval_is_said_once_in_each_form(has_methods):
    """In the column of methods where there is one, and else beside the value."""
    table = TABLE if has_methods else TABLE.only([0, 1, 3])
    document = Document("T", sections=(Section("S", (table,)),))
    for text in (as_markdown(document), as_latex(document)):
        (line,) = (line for line in text.splitlines() if "skill" in line)
        assert line.count("too few cases") == 1
        assert "0.800" in line
    skill, precision = (
        next(line for line in as_markdown(document).splitlines() if name in line)
        for name in ("skill", "precision")
    )
    cells = (
        ["skill", "0.800", "no CI: too few cases", "20"]
        if has_methods
        else ["skill", "0.800 (no CI: too few cases)", "20"]
    )
    assert [cell.strip() for cell in skill.strip("| ").split("|")] == cells
    cells = ["precision", "0.800 (0.700 to 0.900)", *(["percentile bootstrap"] if has_methods else []), "30"]
    assert [cell.strip() for cell in precision.strip("| ").split("|")] == cells
