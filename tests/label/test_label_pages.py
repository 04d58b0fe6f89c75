"""Documents, pictures and JSON of plans and their assessments have the numbers of the results."""

from dataclasses import replace

import numpy as np
import pytest

import classay as ca
from classay.label.pictures import half_width_curves, strata_curves
from classay.label.planning import in_digits
from classay.label.results import shown, with_pictures_of_plan
from classay.measures import get
from classay.report.document import Count, EstimateCell, Label, MethodCell, Words
from command import as_json
from label.test_label_sums import CALLED, FLAGGED, PLAN, SCORES, SECOND, WHOLE, N, assessed
from label.test_labeled import drawn

PAIR = ca.plan_labels({"a": SCORES, "b": SECOND}, budget=150, threshold=0.4)
PLANS = {
    "usual": PLAN,
    "two models": PAIR,
    "one measure and a half-width": ca.plan_labels(
        SCORES, budget=60, measures=["f1"], half_width=0.15, level=0.9, seed=3
    ),
    "ranks": ca.plan_labels(np.log(SCORES), budget=60, threshold=-1),
    "after labels": WHOLE.more(SCORES, budget=30),
    "after a plan": PLAN.more(SCORES, budget=1),
    "two waves of ranks": ca.plan_labels(np.log(SCORES), budget=60, threshold=-1).more(
        np.log(SCORES), budget=40
    ),
}
TEN = drawn((0, 0, 1, 1, 2, 2, 3, 5, 12, 18), (20,) * 10, (2000,) * 8 + (300, 200))
ASSESSED = {
    "whole": WHOLE,
    "new cases": assessed(PLAN.rows, finite=False, level=0.9),
    "flagged": FLAGGED,
    "flagged of a plan": assessed(PLAN.rows[PLAN.stratum >= 4]),
    "known": assessed(PLAN.rows[4:], known=PLAN.rows[:4]),
    "some are missing": assessed(PLAN.rows[10:]),
    "refuted": assessed(PLAN.rows, truth=np.ones(N)),
    "roc": ca.assess_labeled(TEN[1], rows=TEN[0].rows, plan=TEN[0]),
    "requirements": replace(WHOLE, outcomes=tuple(WHOLE.check("recall >= 0.1 and recall >= 0.99"))),
}


def sections(document):
    return {section.title: section for section in document.sections}


def cells(table):
    """The texts and numbers of a table by row."""
    read = {
        Label: lambda one: one.text,
        Words: lambda one: (one.text, one.value),
        Count: lambda one: one.value,
    }
    read |= dict.fromkeys((EstimateCell, MethodCell), lambda one: one.estimate)
    return [tuple(read[type(cell)](cell) for cell in row) for row in table.rows]


@pytest.mark.parametrize("name", PLANS)
def test_documents_of_plans(name):
    plan = PLANS[name]
    document = plan.document()
    assert document.title == "Labeling plan"
    facts = {
        "cases": f"{plan.n_cases:,}",
        "to label": " + ".join(map(str, plan.waves)),
        "threshold": f"{plan.threshold:g}",
        "measures": ", ".join(plan.measures),
        "confidence level": f"{100 * plan.level:g}%",
        "seed": str(plan.seed),
    }
    if plan.half_width is not None:
        facts["labeling may stop at a half-width of"] = "0.15"
    assert dict(document.facts) == facts
    assert document.verdict == plan.sentences
    parts = sections(document)
    wanted = ["Strata", "Expected half-widths", "Warnings", "Next steps"]
    lacking = {"Expected half-widths": not plan.expected, "Warnings": not plan.warnings}
    assert [*parts] == [title for title in wanted if not lacking.get(title)]
    (table,) = parts["Strata"].parts
    assert [column.head for column in table.columns] == [
        "score",
        "predicted",
        "cases",
        "to label",
        "mean score",
    ]
    assert cells(table) == [
        (
            one.range,
            ("positive" if one.is_called else "negative", None),
            one.cases,
            one.labels,
            (f"{one.mean_score:.3g}", one.mean_score),
        )
        for one in reversed(plan.strata)
    ]
    if plan.expected:
        (table,) = parts["Expected half-widths"].parts
        titles = [get(measure).title.split(" (")[0] for measure in plan.measures]
        assert [column.head for column in table.columns] == ["design", *titles]
        unsure = "within the errors of labels" if name == "after labels" else "scores not calibrated"
        designs = {"this plan": plan.expected, f"this plan, {unsure}": plan.expected_if_not_calibrated}
        designs["simple random sample"] = plan.others["simple random"]
        if len(plan.measures) > 1 and not plan.models:
            designs |= {f"for {'F1' if one == 'f1' else one} only": plan.others[one] for one in plan.measures}
        assert cells(table) == [
            (design, *((in_digits(halves[one]), halves[one]) for one in plan.measures))
            for design, halves in designs.items()
        ]
    if plan.warnings:
        (listing,) = parts["Warnings"].parts
        assert [code for code, _ in listing.items] == [one.code for one in plan.warnings]
    (listing,) = parts["Next steps"].parts
    call = "`ca.compare(scores, y, design=plan)`" if plan.models else "`ca.assess(y, scores, design=plan)`"
    assert listing.items == (("", f"Label the drawn cases in a new column. Then use {call}."),)


@pytest.mark.parametrize("name", ASSESSED)
def test_documents_of_assessments(name):
    a = ASSESSED[name]
    document = a.document()
    of = "labels of predicted positives" if name == "flagged" else "a labeling plan"
    title = f"Assessment from {of}"
    assert title in document.title or title.lower() in document.title
    labels = {
        "flagged": f"{CALLED.sum()} of {CALLED.sum()} predicted positive",
        "known": "116 of 120 drawn, 4 of another process",
    }.get(name, f"{a.n_labels} of {a.plan.rows.size} drawn")
    assert dict(document.facts) == {
        "cases": f"{a.n_cases:,}",
        "labels": labels,
        "threshold": f"{a.plan.threshold:g}",
        "positive class": str(a.positive),
        "estimated for": "these cases" if a.is_finite else "new cases",
        "confidence level": f"{100 * a.level:g}%",
    }
    assert document.verdict[-len(a.sentences) :] == a.sentences
    parts = sections(document)
    assert ("Warnings" in parts) is bool(a.warnings)
    assert ("Next steps" in parts) is (name == "refuted")
    (table,) = parts["Measures of all cases"].parts
    names = [*a.estimates] if name != "flagged" else ["precision"]
    names += ["roc_auc"] if name == "roc" else []
    assert [*shown(a)] == names
    assert [column.head for column in table.columns] == ["", "value", "CI method"]
    assert cells(table) == [(get(one).title, a[one], a[one]) for one in names]
    (table,) = parts["Strata"].parts
    heads = ["score", "predicted", "cases", "labels", "positive", "observed share", "mean score"]
    assert [column.head for column in table.columns] == heads
    assert cells(table) == [
        (
            one.stratum.range,
            ("positive" if one.stratum.is_called else "negative", None),
            one.stratum.cases,
            one.labels,
            one.positives,
            one.observed,
            (f"{one.stratum.mean_score:.3g}", one.stratum.mean_score),
        )
        for one in reversed(a.strata)
    ]
    (covers,) = parts["What the intervals cover"].parts
    is_drawn, is_sampled = "choice of the drawn cases" in covers.text, "sampling variability" in covers.text
    assert (is_drawn, is_sampled) == (name != "flagged", name in ("new cases", "flagged"))
    has_binomial = any("binomial" in str(one.method) for one in shown(a).values())
    assert any("Brown" in source for source in document.sources) is has_binomial
    assert [source.split()[0] for source in document.sources[:2]] == ["Neyman", "Wilson"]


def test_both_kinds_of_methods_are_among_them():
    with_limits = {any("binomial" in str(one.method) for one in shown(a).values()) for a in ASSESSED.values()}
    assert with_limits == {True, False}


@pytest.mark.parametrize("name", ASSESSED)
def test_json_of_assessments(name):
    a = ASSESSED[name]
    written = as_json(a)
    assert (written["cases"], written["labels"], written["drawn"]) == (
        a.n_cases,
        a.n_labels,
        a.plan.rows.size,
    )
    assert (written["positive"], written["threshold"], written["finite"], written["level"]) == (
        a.positive,
        a.plan.threshold,
        a.is_finite,
        a.level,
    )
    assert {key: one["value"] for key, one in written["measures"].items()} == {
        key: None if one.is_undefined else one.value for key, one in shown(a).items()
    }
    bounds = a.recall_bounds
    assert written["recall_bounds"] == (None if bounds is None else [*bounds])
    assert [
        (
            one["low"],
            one["high"],
            one["called"],
            one["cases"],
            one["labels"],
            one["positives"],
            one["mean_score"],
        )
        for one in written["strata"]
    ] == [
        (
            one.stratum.low,
            one.stratum.high,
            one.stratum.is_called,
            one.stratum.cases,
            one.labels,
            one.positives,
            one.stratum.mean_score,
        )
        for one in a.strata
    ]
    assert [one["code"] for one in written["warnings"]] == [one.code for one in a.warnings]
    assert written["sentences"] == [*a.sentences]


@pytest.mark.parametrize("name", PLANS)
def test_json_of_plans(name, tmp_path):
    plan = PLANS[name]
    written = as_json(plan)
    for key in ("threshold", "level", "seed", "pool", "labels_used", "half_width"):
        assert written[key] == getattr(plan, key)
    for key in ("measures", "models", "waves"):
        assert written[key] == [*getattr(plan, key)]
    for key in ("expected", "expected_if_not_calibrated", "others"):
        assert written[key] == getattr(plan, key)
    assert written["cases"] == plan.n_cases == N
    assert (written["rows"], written["stratum"]) == (plan.rows.tolist(), plan.stratum.tolist())
    assert written["scores"] == plan.scores.ravel().tolist()
    assert [tuple(one.values()) for one in written["strata"]] == [
        (one.low, one.high, one.is_called, one.cases, one.labels, one.mean_score, one.planned, called_by)
        for one in plan.strata
        for called_by in [None if one.called_by is None else [*one.called_by]]
    ]
    plan.save(tmp_path / "a.plan.json")
    again = ca.LabelPlan.load(tmp_path / "a.plan.json")
    assert again.to_dict() == plan.to_dict()
    for key in ("rows", "stratum", "scores"):
        assert getattr(again, key).tolist() == getattr(plan, key).tolist()
    assert (again.strata, again.waves, again.warnings) == (plan.strata, plan.waves, plan.warnings)


def test_pictures_have_the_shares_and_the_half_widths():
    for plan in PLANS.values():
        labels, cases = strata_curves(plan)
        sizes, drawn_labels, _ = plan.arrays
        assert labels.y == pytest.approx(drawn_labels / drawn_labels.sum())
        assert cases.y == pytest.approx(sizes / N)
        assert (labels.x + 0.4).tolist() == cases.x.tolist() == [*range(1, sizes.size + 1)]
        assert labels.x_names == cases.x_names == tuple(one.range for one in plan.strata)
        assert (labels.kind, labels.series, cases.kind, cases.series) == ("bars", "labels", "line", "cases")
        figures = with_pictures_of_plan(plan.document(), plan).sections[0]
        assert figures.title == "Pictures"
        assert len(figures.parts[0].shown) == (2 if plan.expected else 1)
        if not plan.expected or plan.models:
            continue
        budget = sum(plan.waves)
        curves = half_width_curves(plan)
        series = [one.series for one in curves]
        names = ["F1" if name == "f1" else name for name in plan.measures]
        assert series == [*names, *(f"{name}, simple random sample" for name in names)]
        assert [one.kind for one in curves] == ["line"] * len(names) + ["reference"] * len(names)
        for k, name in enumerate(plan.measures):
            planned, random = curves[k], curves[k + len(names)]
            assert planned.x.tolist() == random.x.tolist()
            assert planned.x[0] == max(5 * len(plan.strata), budget // 4)
            assert planned.x[-1] == min(N, 4 * budget)
            for at in (0, -1):
                of_plan, of_random = plan.half_widths_of([int(planned.x[at])])
                assert planned.y[at] == pytest.approx(of_plan[name][0])
                assert random.y[at] == pytest.approx(of_random[name][0])


@pytest.mark.parametrize("plan", [PLAN, PAIR], ids=["one", "two"])
def test_half_widths_of_budgets_are_those_of_the_plan(plan):
    labels = plan.arrays[1]
    planned, random = plan.half_widths_of([int(labels.sum()), 400])
    for name in plan.measures:
        assert planned[name][0] == pytest.approx(plan.expected[name])
        assert random[name][0] == pytest.approx(plan.others["simple random"][name])
        assert planned[name][1] < planned[name][0]
        assert random[name][1] < random[name][0]


def test_the_picture_of_a_plan_has_the_labels_of_the_strata():
    ax = PLAN.plot()
    assert [bar.get_width() for bar in ax.patches] == PLAN.arrays[1].tolist()
    assert [bar.get_y() + bar.get_height() / 2 for bar in ax.patches] == pytest.approx([1, 2, 3, 4, 5, 6])
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("stratum", "cases to label")
    from matplotlib.figure import Figure

    own = Figure().subplots()
    assert PLAN.plot(ax=own) is own
