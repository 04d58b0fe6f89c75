"""Tables, pictures and facts of trends, change points, drift and gates of groups show the numbers of the result."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from classay.groups.interactions import Interaction
from classay.groups.results_of_comparisons import document_of_gate, document_of_groups, text_of_gate
from classay.groups.results_of_trends import (
    curves_of,
    document_of_trends,
    section_of_breaks,
    section_of_drift,
    section_of_trends,
    sections_of,
    sections_with_pictures,
)
from classay.groups.trends import TrendErrors
from classay.inference.estimate import Estimate
from classay.measures import get
from classay.report.document import Table
from groups.test_words_of_compared_groups import ALL, gate, in_groups, one
from groups.test_words_of_trends import (
    DAYS,
    FALL,
    JUMP,
    NAMES,
    NEVER,
    STEP_UP,
    contrast,
    drift,
    estimate,
    series,
)

FOUR = series(NAMES, (0.05, -0.05, 0.04, 0.03), p=(0.001, 0.002, 0.003, nan))


def errors(*periods):
    return {name: TrendErrors(0.01, 0.02, k) for name, k in zip(NAMES, periods, strict=True)}


@pytest.mark.parametrize("with_errors", [False, True])
@pytest.mark.parametrize("is_undefined", [False, True])
def test_the_table_of_trends(with_errors, is_undefined):
    t = replace(FOUR, errors=errors(4, 4, 4, 4) if with_errors else {})
    if is_undefined:
        t = replace(t, changes={**t.changes, "roc_auc": Estimate.undefined("too few")})
    table, *values = section_of_trends(t).parts
    heads = [column.head for column in table.columns]
    halves = ["half-width, sampling", "half-width, scatter"] * with_errors
    assert heads == ["", "change per day", "adjusted p", *halves, *["CI method"] * is_undefined]
    for cells, name in zip(table.rows, NAMES, strict=True):
        assert (cells[0].text, cells[1].estimate) == (get(name).title, t.changes[name])
        assert cells[2].value == pytest.approx(t.p_adjusted[name], nan_ok=True)
        assert not with_errors or [cell.text for cell in cells[3:5]] == ["0.010", "0.020"]
    assert ("The last two columns give half the width of each." in table.note) is with_errors
    assert table.note.startswith(
        "4 days in order of time, from 2026-03-01 to 2026-03-04. The trend is the slope"
    )
    assert "p values in this section" not in table.note
    assert "p values are adjusted for 3 measures (Holm)" in table.note
    assert [[column.head for column in each.columns[2:]] for each in values] == [
        ["recall", "precision", "specificity"],
        ["ROC AUC"],
    ]
    assert [each.title for each in values] == ["Values by day", "Values by day, continued"]
    for each, names in zip(values, (NAMES[:3], NAMES[3:]), strict=True):
        for k, cells in enumerate(each.rows):
            assert (cells[0].text, cells[1].value) == (DAYS[k], t.cases[k])
            assert [cell.estimate for cell in cells[2:]] == [t.values[name][k] for name in names]


@pytest.mark.parametrize(
    ("t", "words"),
    [
        (replace(FOUR, errors=errors(4, 4, 4, 4)), "uses Student's t with 2 degrees of freedom."),
        (
            replace(FOUR, errors=errors(4, 3, 4, 4)),
            "with 1 to 2 degrees of freedom, depending on the measure.",
        ),
        (
            replace(FOUR, errors=errors(4, 3, 4, 4)),
            "leaves out days with fewer than 10 cases that count in it",
        ),
        (FOUR, "The CI from the scatter uses Student's t."),
        (FOUR, " With 4 days, the CI is wide."),
        (replace(FOUR, period="file"), "4 files in order of name, from"),
        (
            replace(FOUR, period="file"),
            "the CI is wide. Compare every file with the other files with --apart.",
        ),
        (replace(FOUR, period="group"), "4 groups in the order given, from"),
        (
            replace(FOUR, breaks=dict.fromkeys(NAMES, NEVER)),
            "p values in this section and in 'Largest changes' are",
        ),
        (series(("log_loss",), (0.1,)), " Lower is better for log-loss."),
    ],
)
def test_notes_on_trends(t, words):
    assert words.lower() in section_of_trends(t).parts[0].note.lower()


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
def test_few_periods_are_told(count):
    shards = tuple(f"2026-03-0{k + 1}" for k in range(count))
    t = series(
        shards=shards, values=(0.6,) * count, cases=(50.0,) * count, when=tuple(map(float, range(count)))
    )
    table, values = section_of_trends(t).parts
    assert (f"With {count} days, only trends of several standard errors are detected." in table.note) == (
        count == 3
    )
    assert (f"With {count} days, the CI is wide." in table.note) == (3 < count < 6)
    assert "adjusted" not in table.note
    assert [column.head for column in table.columns][2] == "p"
    assert "Lower is better" not in table.note
    assert len(values.rows) == count


def test_of_very_many_periods_the_last_are_shown():
    n = 201
    shards = tuple(range(n))
    t = series(shards=shards, values=(0.6,) * n, cases=(50.0,) * n, when=tuple(map(float, range(n))))
    (values,) = section_of_trends(t).parts[1:]
    assert [cells[0].text for cells in values.rows] == [str(k) for k in range(1, n)]
    assert values.note == "The table shows the last 200."
    fewer = replace(t, shards=shards[:200], values={"recall": t.values["recall"][:200]}, cases=t.cases[:200])
    assert section_of_trends(fewer).parts[1].note == ""
    assert len(section_of_trends(fewer).parts[1].rows) == 200


@pytest.mark.parametrize("several", [False, True])
def test_the_tables_of_changes(several):
    names = NAMES[: 1 + several]
    breaks = {**JUMP, "precision": NEVER} if several else JUMP
    extremes = {name: contrast("2026-03-02", 0.7, 0.5, 0.02) for name in names}
    t = series(names, (0.05,) * len(names), p=(0.2,) * len(names), breaks=breaks, extremes=extremes)
    before, single = section_of_breaks(t).parts
    heads = [column.head for column in before.columns]
    assert heads[:5] == ["", "later part starts", "before", "after", "difference"]
    assert heads[5:] == (["adjusted p", "CI method"] if several else ["p"])
    assert [column.head for column in single.columns][1:4] == ["day", "others", "this day"]
    cells = before.rows[0]
    assert [cell.text for cell in cells[1:4]] == ["2026-03-03", "0.600", "0.800"]
    assert (cells[4].estimate, cells[5].value) == (t.breaks["recall"].difference, t.p_of_breaks["recall"])
    other = single.rows[0]
    assert [cell.text for cell in other[1:4]] == ["2026-03-02", "0.700", "0.500"]
    assert other[5].value == t.p_of_extremes["recall"]
    if several:
        assert [cell.text for cell in before.rows[1][1:4]] == ["–", "–", "–"]
        assert "p is also adjusted for" not in before.note
    assert ("In addition, p is adjusted for" in single.note) == (
        sum(one_.p == one_.p for one_ in t.breaks.values()) > 1
    )
    assert [section.title for section in sections_of(t)] == ["Trends", "Largest changes"]
    assert [section.title for section in sections_of(replace(t, breaks={}, drift=drift((0.5,) * 4)))] == [
        "Trends",
        "Drift",
    ]
    first, changes, values, folded = sections_with_pictures(t)
    assert (first.title, changes.title, values.title, folded.title) == (
        "Over the days",
        "Trends",
        "Values by day",
        "Largest changes",
    )
    assert (changes.is_folded, values.is_folded, folded.is_folded) == (False, True, True)


@pytest.mark.parametrize("unlabelled", [0.0, 5.0])
@pytest.mark.parametrize("distances", [False, True])
def test_the_table_of_drift(unlabelled, distances):
    of = tuple(map(estimate, (0.2, 0.1, 0.3, 0.1))) if distances else ()
    shares = {"prevalence": tuple(map(estimate, (0.5, 0.4, 0.3, 0.2)))}
    d = replace(
        drift((0.001, 0.5, 0.5, nan), distance=of), unlabelled=(0.0, 0.0, 0.0, unlabelled), shares=shares
    )
    d = replace(d, usual={"scores": (0.15, 0.15, 0.15, inf)})
    (table,) = section_of_drift(d, "day").parts
    heads = [column.head for column in table.columns]
    some = ["unlabelled"] * (unlabelled > 0)
    assert heads == [
        *("day", "cases", *some, "share positive", "PSI", "PSI limit", "χ² test, adjusted p"),
        *["KS distance"] * distances,
    ]
    at = 2 + len(some)
    for k, cells in enumerate(table.rows):
        assert (cells[0].text, cells[1].value) == (DAYS[k], d.cases[k])
        assert not some or cells[2].value == d.unlabelled[k]
        assert cells[at].estimate == shares["prevalence"][k]
        assert (cells[at + 1].value, cells[at + 2].value) == (d.psi["scores"][k], d.usual["scores"][k])
        assert (cells[at + 2].text == "–") == (k == 3)
        assert cells[at + 3].value == pytest.approx(d.p_adjusted["scores"][k], nan_ok=True)
        assert not distances or cells[at + 4].estimate == of[k]
    assert (", including cases without a label" in table.note) == bool(some)
    assert ("KS distance: the largest difference" in table.note) is distances
    assert table.title == ("Scores and shares" if distances else "Classes")
    assert "adjusted for 4 days (Holm)" in table.note
    both = replace(
        d,
        psi=d.psi | {"x": d.psi["scores"]},
        usual=d.usual | {"x": d.usual["scores"]},
        p=d.p | {"x": d.p["scores"]},
    )
    assert "PSI of x" in [column.head for column in section_of_drift(both, "day").parts[0].columns]


def test_pictures_of_trends():
    t = series(p=(0.2,), breaks=JUMP, values=STEP_UP)
    ((course, before, after),) = curves_of(t)
    assert course.y.tolist() == list(STEP_UP)
    assert course.low == pytest.approx(np.array(STEP_UP) - 0.02)
    assert course.high == pytest.approx(np.array(STEP_UP) + 0.02)
    assert course.x.tolist() == [1, 2, 3, 4]
    assert course.x_names == DAYS
    assert course.band == "95% CI of every day"
    assert (before.x.tolist(), before.y.tolist(), before.series) == ([1.0, 2.5], [0.6, 0.6], "mean before")
    assert (after.x.tolist(), after.y.tolist(), after.series) == ([2.5, 4.0], [0.8, 0.8], "mean after")
    quiet = {"recall": replace(JUMP["recall"], p=0.06)}
    assert [len(each) for each in curves_of(replace(t, breaks=quiet))] == [1]
    gaps = series(values=(0.6, nan, 0.7, 0.7))
    ((alone,),) = curves_of(gaps)
    assert (alone.x.tolist(), alone.y.tolist()) == ([1, 3, 4], [0.6, 0.7, 0.7])
    assert [*curves_of(series(values=(nan,) * 4, when=(0.0,) * 4))] == []
    bare = replace(t, values={"recall": tuple(map(Estimate, STEP_UP))}, breaks={})
    ((plain,),) = curves_of(bare)
    assert plain.low is plain.high is None
    assert plain.band == ""


def test_the_document_of_trends():
    page = document_of_trends(
        replace(FOUR, drift=drift((0.001, 0.5, 0.5, 0.5)), breaks=FALL | dict.fromkeys(NAMES[1:], NEVER))
    )
    facts = dict(page.facts)
    assert facts == {"days": "4, from 2026-03-01 to 2026-03-04", "cases": "400", "confidence level": "95%"}
    assert dict(document_of_trends(replace(FOUR, cases=(1.5, 2, 3, 4))).facts)["cases"] == "10.5"
    assert page.title == "Assessment by day"
    assert page.verdict


def tables_in(page):
    return [part for section in page.sections for part in section.parts if isinstance(part, Table)]


@pytest.mark.parametrize("rule", ["non-inferior", "not-worse"])
def test_the_table_of_a_gate_in_groups(rule):
    groups = {"a": 0.0, "b": -0.3, "c": -0.1, "d": -0.25}
    found = gate(0.0, groups, rule, not_recorded=replace(ALL, comparisons=(one(0.01),)), cases_not_recorded=7)
    table = next(each for each in tables_in(document_of_gate(found)) if each.columns[0].head == "group")
    order = ["b", "d", "c", "a"]  # those that fail, are open, and pass, each from the least difference on
    assert [cells[0].text for cells in table.rows] == [*order, "not recorded"]
    assert [column.head for column in table.columns] == [
        *("group", "cases", "new", "old", "difference", "at most", "verdict")
    ]
    for cells, label in zip(table.rows, order, strict=False):
        assert cells[1].value == 120
        assert [float(cell.text) for cell in cells[2:4]] == pytest.approx([0.7 + groups[label], 0.7])
        assert cells[4].estimate.value == groups[label]
        assert cells[5].estimate.value == pytest.approx(groups[label] + 0.08)
        assert cells[6].text.lower().startswith(found.verdict_in(label).word.lower()[:4])
    assert table.rows[-1][1].value == 7
    assert table.rows[-1][6].text == "not compared"
    assert (
        f"jointly valid for all 4 groups. A group {'passes by its own CI, ' if rule == 'non-inferior' else ''}"
        in (table.note)
    )
    assert "fails if this limit is below -0.1" in table.note
    assert table.note.endswith("and is inconclusive otherwise.") == (rule == "non-inferior")
    assert "3 more lines in `--markdown FILE`." in " ".join(" ".join(text_of_gate(found, 2)).split())
    assert "more lines" not in "\n".join(text_of_gate(found, 5))


def test_the_tables_of_compared_groups():
    rows = {"a": one(0.1, p=0.3), "b": one(-0.2, p=0.01), "c": one(0.0, p=0.9), "d": one(0.1, None, p=nan)}
    page = document_of_groups(in_groups(rows))
    table = next(each for each in tables_in(page) if each.rows and each.rows[0][0].text in rows)
    assert [cells[0].text for cells in table.rows] == ["b", "c", "a", "d"]
    assert "p values are adjusted for 4 comparisons in groups" in table.note
    assert "Intervals are not adjusted." in table.note
    assert table.main == 15
    assert page.title.endswith(" by region")
    assert table.beside.startswith("all cases ")
    assert f"{abs(ALL[0].effect.value):.3f}" in table.beside
    losses = {label: replace(each, measure="log_loss") for label, each in rows.items()}
    turned = document_of_groups(in_groups(losses))
    other = next(each for each in tables_in(turned) if each.rows and each.rows[0][0].text in rows)
    assert [cells[0].text for cells in other.rows] == ["a", "c", "b", "d"]


@pytest.mark.parametrize(("alternative", "order"), [("greater", "bca"), ("less", "cab")])
def test_of_one_sided_comparisons_the_one_limit_orders_the_groups(alternative, order):
    rows = {"a": (0.1, 0.02), "b": (0.0, 0.2), "c": (-0.05, 0.02)}
    tests = {label: one(value, half) for label, (value, half) in rows.items()}
    sided = {
        label: replace(each, test=replace(each.test, alternative=alternative))
        for label, each in tests.items()
    }
    page = document_of_groups(in_groups(sided))
    table = next(each for each in tables_in(page) if each.rows and each.rows[0][0].text in rows)
    assert "".join(cells[0].text for cells in table.rows) == order


@pytest.mark.parametrize("p", [0.3, nan])
def test_methods_of_compared_groups(p):
    """Interactions are told where one was tested, each measure once."""
    test = Interaction(("new", "old"), "accuracy", 2.0, (1.0, 9.0), p, 2, reason="why" if p != p else None)
    page = document_of_groups(in_groups({"a": one(0.1), "b": one(0.0)}, (test, replace(test, groups=3))))
    (methods,) = (section for section in page.sections if section.role == "methods")
    text = " ".join(part.text for part in methods.parts)
    assert "The models were also compared in 2 groups of region." in text
    told = (
        "Variation of the difference in accuracy between groups was tested by Welch's F over the differences"
    )
    assert (told in text) == (p == p)
    assert ("(Welch 1951, Biometrika 38:330)." in text) == (p == p)
