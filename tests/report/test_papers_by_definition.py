"""Texts for papers by their definitions: facts and intervals in sentences, tables in LaTeX and Markdown, rows."""

import re
from dataclasses import replace
from html import unescape

import pytest

from classay import Estimate
from classay.errors import InputError
from classay.report.document import (
    COVERS,
    SEED_OF_DRAWS,
    Bar,
    Column,
    Count,
    Diagram,
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
    Table,
    Value,
    Words,
)
from classay.report.paper import (
    MATRIX_CLASSES,
    MOST_NAMED,
    ShownEstimate,
    _intervals,
    as_latex,
    as_markdown,
    draw,
    in_latex,
    in_markdown,
    intervals_said,
    methods_of,
    numbers_of,
    of_facts,
    printed,
    shown_estimates,
)

WILSON = Estimate(0.8, 0.7, 0.9, 0.95, "Wilson")
T = Estimate(0.25, -0.5, 1.0, 0.95, "t")
BARE = Estimate.bare(0.5, "too few cases")
UNDEFINED = Estimate.undefined("no case is positive")


@pytest.mark.parametrize(
    ("facts", "sentences"),
    [
        ([("cases", "1")], ["The data are 1 case."]),
        ([("cases", "160")], ["The data are 160 cases."]),
        (
            [("clusters", "12"), ("cases", "160"), ("cases by class", "sick: 50, well: 110")],
            ["The data are 160 cases (sick: 50, well: 110) in 12 clusters."],
        ),
        ([("clusters", "12")], ["Clusters: 12."]),
        ([("confidence level", "95%"), ("seed", "7"), (SEED_OF_DRAWS, "7")], []),
        ([("threshold", "0.5."), ("votes", "Votes are equal")], ["The threshold is 0.5.", "Votes are equal."]),
        ([("costs", "fp=1, fn=5, review=0.5")], ["The costs are 1 per false positive, 5 per false negative, 0.5 per "
         "review."]),
        ([("costs", "tp=0.5; tn=-2")], ["The costs are 0.5 per true positive; -2 per true negative."]),
        ([("weights", "sampling {w}")], ["Weights: sampling {w}."]),
    ],
)  # fmt: skip
def test_facts_are_sentences(facts, sentences):
    assert [*of_facts(facts)] == sentences


def shown(name, method="", level=0.95):
    return ShownEstimate(name, method, level if method else None)


@pytest.mark.parametrize(
    ("estimates", "sentences"),
    [
        ([], []),
        ([shown("recall", "Wilson")], ["Confidence intervals (95%) were computed for recall by Wilson."]),
        (
            [shown("recall", "Wilson"), shown("precision", "Wilson"), shown("log loss", "t")],
            [
                "Confidence intervals (95%) were computed for recall and precision by Wilson; for log loss by t."
            ],
        ),
        (
            [shown("recall", "Wilson"), shown("log loss", "t", 0.9), shown("F1")],
            [
                "Confidence intervals were computed for recall by Wilson; for log loss by t.",
                "No confidence interval is available for F1.",
            ],
        ),
        (
            [shown("recall", "Wilson"), shown("recall")],
            ["Confidence intervals (95%) were computed for recall by Wilson."],
        ),
        ([shown("F1")], ["No confidence interval is available for F1."]),
        (
            [
                shown("MCC", "Dirichlet posterior, Jeffreys prior"),
                shown("kappa", "Dirichlet posterior, Perks prior"),
            ],
            [
                "Confidence intervals (95%) were computed for MCC by Dirichlet posterior, Jeffreys prior; for kappa by "
                "Dirichlet posterior, Perks prior.",
                "Intervals from the posterior with the Jeffreys and Perks prior are equal-tailed credible intervals.",
            ],
        ),
        (
            [shown("F1", f"clusters, Wilson, effective sample size {n}") for n in (25, 9)],
            [
                "Confidence intervals (95%) were computed for F1 by clusters, Wilson, effective sample size 9 to 25."
            ],
        ),
        (
            [shown(f"recall on {name}", "Wilson") for name in "abc"]
            + [shown("F1 on a", "t"), shown("F1 on b", "t")],
            [
                "Confidence intervals (95%) were computed for recall on 3 data sets by Wilson; for F1 on a and F1 on b "
                "by t."
            ],
        ),
    ],
)
def test_intervals_are_told_by_their_methods(estimates, sentences):
    assert [*intervals_said(estimates)] == sentences


@pytest.mark.parametrize("number", [MOST_NAMED, MOST_NAMED + 1])
def test_of_many_estimates_the_first_are_named(number):
    (sentence,) = intervals_said([shown(f"m{k}", "Wilson") for k in range(number)])
    named = [f"m{k}" for k in range(number)]
    if number <= MOST_NAMED:
        names = f"{', '.join(named[:-1])} and {named[-1]}"
    else:
        names = f"{', '.join(named[: MOST_NAMED - 1])} and {number - MOST_NAMED + 1} more"
    assert sentence == f"Confidence intervals (95%) were computed for {names} by Wilson."


HEADS = (Column("", Label), Column("value", EstimateCell), Column("p", PValue), Column("n", Count))
ROWS = (
    (Label("Recall", "recall"), EstimateCell(WILSON), PValue(0.03), Count(40)),
    (Label("Skill"), EstimateCell(BARE), PValue(0.5), Count(2.5)),
    (Label("Gap"), EstimateCell(UNDEFINED), PValue(float("nan")), Count(1234)),
)
TABLE = Table(HEADS, ROWS, "Measures", beside="of tests", note="Above.", foot="Below.")


def paper(*parts, **how):
    return Document("Title", sections=(Section("Section", parts),), version="1.2.3", **how)


def test_a_text_on_methods_has_facts_intervals_what_is_random_and_the_version():
    covers = Section(COVERS, (Prose("Only `cases` vary."),))
    document = replace(paper(TABLE), facts=(("cases", "40"),), methods=("Ties count one half.",))
    document = replace(document, sections=(*document.sections, covers))
    first = methods_of(document).split("\n\n")[0]
    assert first == (
        "Title. The data are 40 cases. Ties count one half. Confidence intervals (95%) were computed for recall "
        "(sensitivity) by Wilson. No confidence interval is available for Skill. Only cases vary. Analyses used "
        "classay 1.2.3."
    )
    assert methods_of(replace(document, version="")).split("\n\n")[0] == first.removesuffix(
        " Analyses used classay 1.2.3."
    )


@pytest.mark.parametrize(
    ("facts", "method", "said"),
    [
        ((("seed", "7"),), "Wilson", " (random seed 7)"),
        (((SEED_OF_DRAWS, "7"),), "Wilson", ""),
        (((SEED_OF_DRAWS, "7"),), "percentile bootstrap, 200 resamples", " (random seed 7)"),
        ((), "percentile bootstrap, 200 resamples", ""),
    ],
)
def test_a_seed_is_named_where_something_is_drawn(facts, method, said):
    row = (ROWS[0][0], EstimateCell(replace(WILSON, method=method)), *ROWS[0][2:])
    text = methods_of(replace(paper(Table(HEADS, (row,))), facts=facts))
    assert f"Analyses used classay 1.2.3{said}." in text


def test_estimates_that_sentences_call_alike_are_one():
    twice = Table(HEADS, (ROWS[0], ROWS[0], ROWS[1], ROWS[2]), "Measures")
    names = [(one.name, one.method) for one in shown_estimates(paper(twice))]
    assert [method for _, method in names] == ["Wilson", ""]
    changed = Table(
        (HEADS[0], Column("difference", Difference)), ((Label("Recall", "recall"), Difference(T)),)
    )
    (one,) = shown_estimates(paper(changed))
    assert (one.name.startswith("the difference in "), one.method, one.is_difference) == (True, "t", True)


def test_every_number_is_a_row_with_its_place():
    found = numbers_of(paper(TABLE, Matrix(("a", "b"), ((3.0, 1.0), (2.0, 4.0))))).to_pylist()
    assert [(row["row"], row["column"], row["value"]) for row in found[9:]] == [
        ("predicted a", "true a", 3.0),
        ("predicted a", "true b", 1.0),
        ("predicted b", "true a", 2.0),
        ("predicted b", "true b", 4.0),
    ]
    recall, p, n = found[:3]
    assert (recall["section"], recall["table"], recall["row"], recall["measure"]) == (
        "Section", "Measures", "Recall", "recall"
    )  # fmt: skip
    assert [recall[key] for key in ("value", "low", "high", "level", "method")] == [
        0.8,
        0.7,
        0.9,
        0.95,
        "Wilson",
    ]
    assert (p["column"], p["value"], n["column"], n["value"]) == ("p", 0.03, "n", 40.0)
    assert [row["reason"] for row in found[3:9:3]] == ["too few cases", "no case is positive"]
    with pytest.raises(InputError, match=r"^This result has no table\. Print it, or use \.to_dict\(\)\.$"):
        numbers_of(paper(Prose("Only text.")))


LATEX = {"textasciitilde{}": "~", "textasciicircum{}": "^", "textbackslash{}": "\\", "ldots{}": "…"}


def of_latex(text):
    """What LaTeX prints."""
    text = (
        text.replace("{[}", "[")
        .replace("{]}", "]")
        .replace("$-$", "-")
        .replace("$<$", "<")
        .replace("$>$", ">")
    )
    text = text.replace(r"$\vert$", "|").replace("--", "–")
    return re.sub(
        r"\\(?:(textasciitilde\{\}|textasciicircum\{\}|textbackslash\{\}|ldots\{\})|(.))",
        lambda match: LATEX[match[1]] if match[1] else match[2],
        text,
    )


@pytest.mark.parametrize(
    "text",
    ["a_b & 5%", "-5 to -0.5 (a-b)", "[1, 2] {x} ~^\\ #1 $2", "< 0.001 > 2", "2–3 | x …", "100 % of x-1"],
)
def test_latex_prints_a_text_as_it_is(text):
    assert of_latex(in_latex(text)) == text
    assert in_latex("a-5 -5 (-5) [-5") == "a-5 $-$5 ($-$5) {[}$-$5"


def of_markdown(text):
    """What Markdown shows of a line without code."""
    return unescape(re.sub(r"\\(.)", r"\1", text)).replace("\u2060", "")


@pytest.mark.parametrize(
    "text", ["a|b *c* _d_ <e> #1 [f] & ~ $x$ \\", "@me www.x.org GH-3 http://x", "`", "a ``b`` c"]
)
def test_markdown_shows_a_text_as_it_is(text):
    assert of_markdown(in_markdown(text)) == text
    assert not re.search(r"(?<![\\&])[|*_<>#\[\]~$`]", in_markdown(text))
    for found in ("@me", "GH-3", "://x", "www.x"):
        assert found not in in_markdown(text)


def test_code_in_markdown_is_between_backticks():
    assert in_markdown("use `a_b|c` or _x_") == r"use `a_b\|c` or \_x\_"


def test_a_table_on_paper_has_its_notes_and_all_rows_or_so_many():
    whole, two = printed(TABLE, "Other"), printed(TABLE, "Other", 2)
    assert (whole.title, whole.notes, whole.align) == ("Measures", ("of tests.", "Above.", "Below."), "lrlrr")
    assert whole.heads == ["", "value", "95% CI", "p", "n"]
    assert whole.rows == [
        ["Recall", "0.800", "0.700 to 0.900", "0.030", "40"],
        ["Skill", "0.500", "no CI: too few cases", "0.50", "2.500"],
        ["Gap", "not defined", "no case is positive", "–", "1,234"],
    ]
    assert (whole.more, two.more, two.rows, printed(TABLE, "Other", 3).more) == (0, 1, whole.rows[:2], 0)
    assert printed(replace(TABLE, title=""), "Other").title == "Other"
    matrix = printed(Matrix(("a", "b"), ((3.0, 1.0), (2.0, 4.0), (1.0, 0.0))), "M")
    assert (matrix.title, matrix.align, matrix.heads) == (
        "M, true labels in columns",
        "lrr",
        ["predicted", "a", "b"],
    )
    assert [row[1:] for row in matrix.rows] == [["3", "1"], ["2", "4"], ["1", "0"]]


def test_a_table_in_latex_is_the_printed_one():
    lines = as_latex(paper(TABLE, Prose("No table."))).splitlines()
    assert lines[:5] == [
        r"\begin{table}",
        r"\caption{Measures. of tests. Above. Below.}",
        r"\begin{tabular}{lrlrr}",
        r"\toprule",
        r" & value & 95\% CI & $p$ & n \\",
    ]
    assert lines[6] == r"Recall & 0.800 & 0.700 to 0.900 & 0.030 & 40 \\"
    starred = Table((Column("", Label), Column("n", Count)), ((Label("*"), Count(1)),))
    assert r"{}* & 1 \\" in as_latex(paper(starred))


def test_a_document_in_markdown_is_its_verdict_facts_and_parts():
    parts = (
        TABLE,
        Prose("Some `code`."),
        Listing((("few", "Few cases."),)),
        Diagram("<svg/>", (("a", "1.5", "•"),), "A note."),
        Matrix(("a", "b"), ((3.0, 1.0), (2.0, 4.0))),
    )
    document = Document(
        "Ti*tle", (("cases", "40"),), ("Said.",), (Section("Part", parts), Section("Empty", ())), "Failed"
    )
    assert as_markdown(document).splitlines() == [
        "### ❌ Failed: Ti\\*tle", "", "Said.", "",
        "|  |  |", "| --- | --- |", "| cases | 40 |", "",
        "#### Part", "",
        "**Measures** (of tests)", "", "Above.", "",
        "|  | value, 95% CI | p | n |", "| --- | --- | --- | --- |",
        "| Recall | 0.800 (0.700 to 0.900) | 0.030 | 40 |",
        "| Skill | 0.500 (no CI: too few cases) | 0.50 | 2.500 |",
        "| Gap | not defined (no case is positive) | – | 1,234 |", "",
        "Below.", "",
        "Some `code`.", "",
        "- Few cases.", "",
        "| model | mean rank |  |", "| --- | --- | --- |", "| a | 1.5 | • |", "", "A note.", "",
        "| predicted ↓, true → | a | b |", "| --- | --- | --- |", "| a | 3 | 1 |", "| b | 2 | 4 |",
    ]  # fmt: skip


@pytest.mark.parametrize("classes", [MATRIX_CLASSES, MATRIX_CLASSES + 1])
def test_of_many_classes_markdown_has_those_in_most_errors(classes):
    counts = tuple(tuple(float(i * j % 3) for j in range(classes)) for i in range(classes))
    text = as_markdown(paper(Matrix(tuple(f"c{k}" for k in range(classes)), counts)))
    assert text.count("\n| c") == min(classes, MATRIX_CLASSES - (classes > MATRIX_CLASSES))
    assert (
        ("others" in text) == ("The table shows the 19 of 21 classes" in text) == (classes > MATRIX_CLASSES)
    )


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ((Prose("x"),), "the result has no curve and no interval"),
        ((Table(HEADS[:2], ((Label("a"), EstimateCell(UNDEFINED)),)),), "no number has a value"),
        (
            (Table((HEADS[0], HEADS[3]), ((Label("a"), Count(1)),)),),
            "the result has no curve and no interval",
        ),
    ],
)
def test_what_has_nothing_to_draw_is_told_so(parts, reason):
    with pytest.raises(InputError) as refused:
        draw(paper(*parts))
    assert str(refused.value) == f"There is nothing to draw, because {reason}."


def test_drawn_are_the_first_estimates_that_are_defined_and_have_a_bar():
    assert _intervals(TABLE) == [("Recall", WILSON), ("Skill", BARE)]
    bars = Table(
        (HEADS[0], Column("value", Value), Column("", Bar), Column("", MethodCell), Column("side", Words)),
        (
            (Label("a"), Value(WILSON), Bar(0.7, 0.8, 0.9), MethodCell(WILSON), Words("x")),
            (Label("b"), Value(T), None, MethodCell(T), Words("y")),
            (Words("c"), Value(T), Bar(0, 0, 0), MethodCell(T), Words("z")),
        ),
    )
    assert _intervals(bars) == [("a", WILSON), ("", T)]
