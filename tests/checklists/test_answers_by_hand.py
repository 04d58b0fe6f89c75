"""Answers of a checklist, by the sentences, facts and tables of a document made by hand."""

from dataclasses import replace
from math import nan

import pytest

import classay as ca
from checklists.test_checklists import answers
from classay.checklists.results_of_checklists import (
    ACCURACY,
    ANSWERS,
    AUTHORS,
    CALIBRATION,
    MOST_MEASURES,
    STANDARDS,
    TITLES,
    _Known,
    items,
    with_checklist,
)
from classay.inference.estimate import Estimate, title
from classay.report.document import (
    COVERS,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Matrix,
    Prose,
    Section,
    Table,
)

ROWS = "Of 160 rows received, 7 with a missing label were excluded, and 153 were analyzed."
ALL = "All 160 rows received were analyzed."
ONLY = "The only row received was analyzed."
ONE = "Of 1 row received, 1 with a missing label was excluded, and 0 were analyzed."
SICK = "Of the 9 cases of class 'sick', 9 were predicted as 'sick'."
WELL = "Of the 5 cases of class 'rows received', 5 were predicted as 'rows received'."
TIES = "2 cases have a score of exactly 0.5."
OTHER = (
    "Of 9 sentences none is about the data.",
    "Sick cases were predicted and received.",
    "All rows are here.",
)
AUTHORS_COMPLETE = "The authors complete the item."


def said(answer, methods=(), facts=(), sections=(), **more):
    """What a document answers, by the word of an item."""
    return ANSWERS[answer](_Known(Document("t", tuple(facts), (), tuple(sections), methods=methods, **more)))


def table(*rows, heads=("measure", "value"), title=""):
    kinds = (Label, *[EstimateCell] * (len(heads) - 1))
    return Table(tuple(map(Column, heads, kinds)), rows, title)


def row(name, *values, kind=EstimateCell):
    return (
        Label(title(name), name),
        *(kind(Estimate(value, value - 0.1, value + 0.1, 0.95, "Wilson", measure=name)) for value in values),
    )


@pytest.mark.parametrize(
    ("methods", "flow", "missing"),
    [
        ((*OTHER, ROWS, SICK, WELL), f"{ROWS} {SICK} {WELL}", ROWS),
        (
            (ALL, *OTHER, SICK),
            f"{ALL} {SICK}",
            f"No row of the data received was excluded. {AUTHORS_COMPLETE}",
        ),
        ((ONLY, SICK), f"{ONLY} {SICK}", f"No row of the data received was excluded. {AUTHORS_COMPLETE}"),
        ((SICK, ONE), f"{ONE} {SICK}", ONE),
        ((ROWS, ALL, SICK), f"{ROWS} {ALL} {SICK}", ROWS),
        ((SICK, WELL), f"{SICK} {WELL}", ""),
        (OTHER, "Cases: 12. Rows: 3 excluded.", ""),
    ],
)
def test_the_flow_and_the_rows_excluded(methods, flow, missing):
    facts = (("rows", "3 excluded"), ("cases", "12"), ("seed", "1"))
    assert said("flow", methods, facts) == flow
    assert said("missing", methods, facts) == missing
    unanswered = "Missing predictions: 2 count as wrong."
    facts = (*facts, ("missing predictions", "2 count as wrong"))
    wanted = f"{missing} {unanswered}" if "excluded, and" in missing else unanswered
    assert said("missing", methods, facts) == wanted
    assert said("indeterminate", (*methods, TIES), facts) == f"{unanswered} {TIES}"
    assert said("indeterminate", (*methods, TIES)) == TIES
    assert said("indeterminate", methods) == ""


SIZES = {"cases": "9", "cases by class": "a: 4, b: 5", "weight by class": "a: 1, b: 2", "clusters": "3"}


@pytest.mark.parametrize("left", [(), *((name,) for name in SIZES), tuple(SIZES)])
def test_facts_are_answers_in_the_order_of_the_item(left):
    facts = [(name, text) for name, text in SIZES.items() if name not in left][::-1]
    sizes = " ".join(
        f"{name[0].upper()}{name[1:]}: {text}." for name, text in SIZES.items() if name not in left
    )
    assert said("sizes", facts=facts) == sizes
    more = " The authors state how the sample size was determined."
    assert said("sample", facts=facts) == (f"{sizes}{more}" if sizes else "")
    assert said("clusters", facts=facts) == ("" if "clusters" in left else "Clusters: 3.")
    groups = [] if "clusters" in left else ["Clusters: 3."]
    assert said("groups", facts=(*facts, ("groups", "2"))) == " ".join(["Groups: 2.", *groups])


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ((), ""),
        (
            (("threshold", "0.5 (default, not chosen for these data)"),),
            "The threshold is 0.5 (default, not chosen for these data).",
        ),
        (
            (("threshold", "0.3"),),
            "The threshold is 0.3. The authors state whether the threshold was prespecified.",
        ),
        (
            (("threshold", "0.3"), ("costs", "fp 1, fn 5"), ("rule", "least cost")),
            "The threshold was chosen on these data, so it is exploratory. Rule: least cost. Costs: fp 1, fn 5.",
        ),
    ],
)
def test_thresholds(facts, text):
    assert said("cutoff", facts=facts) == text


def test_protocols_and_software():
    facts = (("folds", "10"), ("protocol", "10fold"))
    assert said("protocol", facts=facts) == "Protocol: 10fold. Folds: 10."
    assert said("software", version="1.2") == f"Analyses used classay 1.2. {AUTHORS_COMPLETE}"
    assert said("software", version="") == ""


@pytest.mark.parametrize(
    ("labels", "facts", "text"),
    [
        (
            ("a", "b"),
            (),
            "Predicted a, true a: 1; predicted a, true b: 2; predicted b, true a: 3; predicted b, true b: 4.",
        ),
        (
            ("a", "b"),
            (("weight by class", "x"),),
            "Sums of weights: predicted a, true a: 1; predicted a, true b: 2; predicted b, true a: 3; "
            "predicted b, true b: 4.",
        ),
        (("a", "b", "c"), (), "See the confusion matrix."),
    ],
)
def test_counts_of_two_classes_are_written_and_of_more_are_named(labels, facts, text):
    n = len(labels)
    counts = tuple(tuple(float(n * i + k + 1) for k in range(n)) for i in range(n))
    sections = (Section("x", (Prose("no"),)), Section("y", (Matrix(labels, counts), Prose("no"))))
    assert said("matrix", facts=facts, sections=sections) == text
    assert said("matrix", facts=facts, sections=sections[:1]) == ""


def written(name, value, of=""):
    return f"{title(name)}{of} {value:.3f} (95% CI {value - 0.1:.3f} to {value + 0.1:.3f})"


def test_estimates_stand_in_the_order_of_the_item_each_once():
    """Differences, undefined values, rows without a label, and the same measure once more are left out."""
    at = "At a prevalence of 5%"
    sections = (
        Section("x", (Prose("no"), table(row("macro_f1", 0.2), row("recall", 0.7), row("brier_score", 0.3)))),
        Section(
            "y",
            (
                table(row("recall", 0.6), heads=("measure", "new cases")),
                table(row("precision", 0.5), heads=("measure", "new cases")),
                table(row("accuracy", 0.5, kind=Difference)),
                table((Count(3), EstimateCell(Estimate(0.4)))),
                table((Label("ROC AUC", "roc_auc"), EstimateCell(Estimate(nan, reason="no positives")))),
                table(
                    (row("specificity", 0.5, kind=Difference)[0], Count(1), *row("specificity", 0.4)[1:]),
                    heads=("measure", "n", ""),
                ),
            ),
        ),
        Section(at, (table(row("precision", 0.2), row("calibration_slope", 0.3), row("kappa", 0.1)),)),
    )
    accuracy = "; ".join(
        [
            written("recall", 0.7),
            written("specificity", 0.4),
            written("precision", 0.5, ", new cases"),
            written("macro_f1", 0.2),
        ]
    )
    there = f"{at}: {written('precision', 0.2)}"
    assert said("estimates", sections=sections).lower() == f"{accuracy}. {there}.".lower()
    assert said("estimates", sections=sections[2:]).lower() == f"{there}.".lower()
    assert said("estimates", sections=sections[:2]).lower() == f"{accuracy}.".lower()
    wanted = f"{accuracy}. Calibration: {written('brier_score', 0.3)}. {there}"
    assert (
        said("performance", sections=sections).lower()
        == f"{wanted}; {written('calibration_slope', 0.3)}.".lower()
    )
    names = "recall", "specificity", "precision", "macro_f1", "brier_score"
    measures = said("measures", sections=sections)
    assert all(title(name).lower() in measures.lower() for name in names)
    assert "calibration slope" not in measures.lower()


def test_measures_are_those_of_accuracy_and_calibration_or_else_all():
    own = (row("cohen_kappa", 0.3), row("recall", 0.7))
    assert said("measures", sections=[Section("x", (table(*own),))]) == "Recall (sensitivity)."
    both = said("measures", sections=[Section("x", (table(own[0]),))])
    assert both.lower() == f"{title('cohen_kappa')}.".lower()
    assert "Wilson" in said("analysis", sections=[Section("x", (table(*own),))])
    assert "kappa" not in said("analysis", sections=[Section("x", (table(*own),))])
    assert len({*ACCURACY, *CALIBRATION}) <= MOST_MEASURES


def test_tables_of_groups_are_named_by_section_and_title_each_once():
    def by_group(title):
        return Table((Column("group", Label),), (), title)

    sections = (
        Section(
            "By group", (by_group("recall"), by_group("recall"), by_group("precision"), table(title="no"))
        ),
        Section("Others", (table(title="no"),)),
        Section("Trend", (by_group(""), Prose("no"))),
    )
    assert said("groups", sections=sections) == "See By group (recall, precision) and Trend."
    assert said("groups", sections=sections[1:2]) == ""
    assert said("groups", (), [("groups", "2")], sections[2:]) == "Groups: 2. See Trend."
    own = Section("x", (table(row("recall", 0.7)),))
    alone = said("performance", sections=[own])
    assert (
        said("performance", sections=[own, *sections])
        == f"{alone} See By group (recall, precision) and Trend."
    )
    assert said("performance", sections=sections) == ""


@pytest.mark.parametrize(("name", "text"), [("net_benefit", "Net benefit: decision curve."), ("roc", "")])
@pytest.mark.parametrize("is_shown", [True, False])
def test_a_decision_curve_is_named_where_it_is_drawn(name, text, is_shown):
    others = (Figure(()),)
    drawn = (Figure((replace(ca.assess([0, 1, 1], [0.1, 0.4, 0.8]).curve("roc"), name=name),)),)
    part = Figures(drawn, others) if is_shown else Figures(others, drawn)
    assert said("performance", sections=[Section("x", (Prose("no"), part))]) == text


def test_limits_are_what_intervals_cover_and_warnings():
    sections = (
        Section(COVERS, (Prose("sampling"), Listing((("a", "no"),)))),
        Section("Warnings", (Listing((("w", "few cases"), ("w", "no positives"))), Prose("no")), "warnings"),
        Section("Next steps", (Listing((("a", "no"),)), Prose("no")), "next"),
    )
    assert said("limits", sections=sections) == "sampling few cases no positives"
    assert said("limits", sections=sections[2:]) == ""


@pytest.mark.parametrize("standard", STANDARDS)
def test_the_checklist_stands_before_the_next_steps_and_counts_its_answers(standard):
    others = (Section("A", (Prose("a"),)), Section("B", (Prose("b"),)))
    steps = Section("Next steps", (Prose("c"),), "next")
    facts = (("cases", "9"), ("protocol", "10fold"), ("threshold", "0.3"))
    name = f"{TITLES[standard]} checklist"
    for sections, wanted in (
        ((*others, steps), ["A", "B", name, "Next steps"]),
        (others, ["A", "B", name]),
        ((), [name]),
    ):
        page = with_checklist(Document("t", facts, (), sections), standard)
        assert [one.title for one in page.sections] == wanted
        note, lines = page.sections[wanted.index(name)].parts
        own = [one[2] for one in lines.rows if one[2].text != AUTHORS]
        assert note.text.startswith(
            f"{len(own)} of {len(items(standard))} items have text from this result. "
        )
        assert {one.tone for one in own} == {"plain"}
        assert {one[2].tone for one in lines.rows if one[2].text == AUTHORS} == {"quiet"}
        assert [one[0].text for one in lines.rows] == [
            f"{item.number} {item.topic}" for item in items(standard)
        ]
        assert [one[1].text for one in lines.rows] == [item.text for item in items(standard)]
    found = answers(None, standard, Document("t", facts))
    known = {item.number: said(item.answer, facts=facts) for item in items(standard) if item.answer}
    assert found == {item.number: known.get(item.number) or AUTHORS for item in items(standard)}
