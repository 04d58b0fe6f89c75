"""What a validation says and shows is what its numbers are, and what it refuses."""

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binomtest

import classay as ca
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.report.document import Table
from classay.validation.parts import GradeCalibration, Stability, by_grade, grade_edges, jeffreys_p
from classay.validation.pictures import gini_curves, grade_curves, score_curves
from command import as_json, call, refusal
from validation.in_sweeps import AGAINST, DEVELOPMENT, FURTHER, GRADED, NAMED, NOW, ROWS, write_inputs

V = ca.validate(NOW, DEVELOPMENT, **NAMED, **FURTHER)
BAD = np.array(NOW["y"]) == "bad"


def estimate(value, low=nan, high=nan):
    return Estimate(value, low, high, 0.9, "m", reason="one class" if isnan(value) else None)


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (
            (0.1, 0.02, 0.18),
            ", higher than 0.400 in development (difference +0.100, 90% CI +0.020 to +0.180).",
        ),
        (
            (-0.1, -0.18, -0.02),
            ", lower than 0.600 in development (difference -0.100, 90% CI -0.180 to -0.020).",
        ),
        (
            (0.1, 0.0, 0.2),
            ", compared with 0.400 in development. No difference was detected (difference +0.100, 90% CI 0 to "
            "+0.200).",
        ),
        (
            (-0.1, -0.2, 0.0),
            ", compared with 0.600 in development. No difference was detected (difference -0.100, 90% CI -0.200 to "
            "0).",
        ),
        ((nan, nan, nan), "."),
    ],
)
def test_the_gini_coefficient_is_called_higher_or_lower_only_outside_the_interval(gap, words):
    row = replace(
        V.discrimination[0],
        now=estimate(0.5, 0.4, 0.6),
        development=estimate(0.5 - gap[0]),
        difference=estimate(*gap),
    )
    v = replace(V, discrimination=(row, *V.discrimination[1:]), level=0.9)
    assert v.sentences[0].replace("−", "-") == f"The Gini coefficient is 0.500 (90% CI 0.400 to 0.600){words}"


def grade(name, predicted, low, high, cases=10):
    """A grade whose observed rate is in the middle of its interval."""
    return GradeCalibration(name, cases, 5, predicted, estimate((low + high) / 2, low, high), 0.5)


INSIDE, ON_LOW, ON_HIGH = (
    grade("in", 0.3, 0.2, 0.4),
    grade("low", 0.2, 0.2, 0.4),
    grade("high", 0.4, 0.2, 0.4),
)
LOW, HIGH = grade("l", 0.1, 0.2, 0.4), grade("h", 0.5, 0.2, 0.4)
WORSE, WORST, LEAST = grade("x", 0.1, 0.4, 0.6), grade("y", 0.1, 0.6, 0.8), grade("z", 0.19, 0.2, 0.21)
EMPTY = GradeCalibration.of("e", 0, 0, nan, 0.9, 3)
IN_L, IN_H = "'l' (predicted 10%, observed 30%)", "'h' (predicted 50%, observed 30%)"
FEW, MANY = grade("few", 0.1, 0.4, 0.6), grade("many", 0.8, 0.85, 0.95)
WHOLE_LOW = "Over all cases, the predicted rate is too low (predicted 10%, observed 30%, 90% CI 20% to 40%). "
WHOLE_HIGH = (
    "Over all cases, the predicted rate is too high (predicted 50%, observed 30%, 90% CI 20% to 40%). "
)


@pytest.mark.parametrize("grades", [1, 2, 3])
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            (INSIDE, ON_LOW, ON_HIGH),
            "No difference between predicted and observed rates was detected in any of {} grades.",
        ),
        ((INSIDE, LOW), f"The predicted rate is too low in 1 of {{}} grades: {IN_L}."),
        ((HIGH, INSIDE), f"The predicted rate is too high in 1 of {{}} grades: {IN_H}."),
        (
            (HIGH, LOW),
            f"The predicted rate is too low in 1 of {{}} grades: {IN_L}. The predicted rate is too high in 1 of {{}} "
            f"grades: {IN_H}.",
        ),
        (
            (LOW, WORSE, WORST),
            "The predicted rate is too low in 3 of {} grades: 'y' (predicted 10%, observed 70%), 'x' (predicted 10%, "
            f"observed 50%) and {IN_L}.",
        ),
        (
            (MANY, FEW),
            "The predicted rate is too low in 2 of {} grades: 'few' (predicted 10%, observed 50%) and 'many' "
            "(predicted 80%, observed 90%).",
        ),
        (
            (LOW, LEAST, WORST, WORSE),
            "The predicted rate is too low in 4 of {} grades: 'y' (predicted 10%, observed 70%), 'x' (predicted 10%, "
            f"observed 50%), {IN_L} and 1 more.",
        ),
    ],
)
def test_rates_are_called_too_low_or_too_high_only_outside_their_interval(rows, words, grades):
    more = (INSIDE, EMPTY, EMPTY)[:grades]
    k = len(rows) + 1
    for whole, begin in ((INSIDE, ""), (ON_LOW, ""), (ON_HIGH, ""), (LOW, WHOLE_LOW), (HIGH, WHOLE_HIGH)):
        v = replace(V, grades=(*rows, *more), samples=(whole, V.samples[1]), level=0.9)
        assert v.sentences[1] == begin + words.format(k, k)


def test_the_index_is_said_with_its_point():
    row = Stability("scores", 10, 0.12345, 0.0567, 0.0123)
    said = "The population stability index of the scores is 0.123. Without a change, the index is at most 0.057 in "
    assert replace(V, shares=(row, *V.shares[1:])).sentences[2] == f"{said}95% of samples (p = 0.012)."


def test_warnings_about_thresholds_are_no_warnings_of_a_validation():
    few = {name: column[:40] for name, column in NOW.items()}
    v = ca.validate(few, DEVELOPMENT, **NAMED)
    codes = [one.code for one in v.now.warnings]
    assert "default_threshold" in codes
    assert [one.code for one in v.warnings] == [
        code for code in codes if code not in ("default_threshold", "never_predicted", "no_threshold")
    ]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_the_level_is_of_every_interval(level):
    v = ca.validate(NOW, DEVELOPMENT, **NAMED, **FURTHER, level=level)
    o = v.overrides
    every = [
        *(one for row in v.discrimination for one in (row.now, row.development, row.difference)),
        *(row.observed for row in (*v.samples, *o.observed)),
        *(o.raised, o.lowered, o.difference, v.distance),
        *(row.difference for row in v.benchmarks),
    ]
    assert {one.level for one in every} == {level}
    assert v.level == v.to_dict()["level"] == level
    for row in v.grades:
        limits = binomtest(row.positives, row.cases).proportion_ci(level ** (1 / len(v.grades)), "exact")
        assert (row.observed.low, row.observed.high) == pytest.approx(tuple(limits))
        assert row.observed.level == level
    for row in (*v.samples, *o.observed):
        limits = binomtest(row.positives, row.cases).proportion_ci(level, "wilson")
        assert (row.observed.low, row.observed.high) == pytest.approx(tuple(limits))
    for share in (o.raised, o.lowered):
        moved = round(share.value * len(BAD))
        assert (share.low, share.high) == pytest.approx(
            tuple(binomtest(moved, len(BAD)).proportion_ci(level, "wilson"))
        )
    assert f"{100 * level:g}% CI" in v.sentences[0]
    assert f"({100 * level:g}% CI" in str(v)


def test_the_rates_of_samples_and_overrides():
    rank = {name: k for k, name in enumerate("ABCD")}
    moved = np.array([rank[b] - rank[a] for a, b in zip(NOW["grade"], NOW["final"], strict=True)])
    p = np.array(NOW["p"])
    for row, rows in zip(V.overrides.observed, (moved > 0, moved < 0, moved == 0), strict=True):
        assert (row.cases, row.positives) == (rows.sum(), BAD[rows].sum())
        assert row.predicted == pytest.approx(p[rows].mean())
        assert row.p == pytest.approx(
            beta.cdf(row.predicted, row.positives + 0.5, row.cases - row.positives + 0.5)
        )
    assert [row.grade for row in V.overrides.observed] == ["raised", "lowered", "not overridden"]
    old = np.array(DEVELOPMENT["y"]) == "bad"
    assert [(row.grade, row.cases, row.positives) for row in V.samples] == [
        ("now", BAD.size, BAD.sum()),
        ("development", old.size, old.sum()),
    ]
    improper = ca.validate(NOW, DEVELOPMENT, **(NAMED | {"score": "bureau"}), grade="grade", final="final")
    assert [row.cases for row in improper.overrides.observed] == [row.cases for row in V.overrides.observed]
    assert all(isnan(row.predicted) and isnan(row.p) for row in improper.overrides.observed)
    assert not any(row.finding for row in improper.overrides.observed)


def test_cases_that_nobody_overrode():
    same = NOW | {"final": NOW["grade"]}
    o = ca.validate(same, DEVELOPMENT, **NAMED, grade="grade", final="final").overrides
    assert (o.raised.value, o.lowered.value, o.difference.value) == (0, 0, 0)
    assert [row.cases for row in o.observed] == [0, 0, BAD.size]
    assert o.observed[0].observed.reason == "no cases"


def test_grades_are_ordered_by_mean_scores_of_both_samples():
    """Grades whose names are in no order are moved up and down as the cases of both samples have scores."""
    new = {"y": [0, 1] * 4, "p": [0.1, 0.9] * 4, "g": list("baba") * 2, "f": list("bbaa") * 2}
    old = {"y": [0, 1] * 4, "p": [0.2, 0.8] * 4, "g": list("baba") * 2}
    o = ca.validate(new, old, truth="y", score="p", grade="g", final="f").overrides
    assert (o.raised.value, o.lowered.value) == (0.25, 0.25)
    swapped = old | {"p": [1.0, 0.0] * 4, "y": [1, 0] * 4}  # the mean of grade b is now higher: 0.55 and 0.45
    w = ca.validate(new, swapped, truth="y", score="p", grade="g", final="f").overrides
    assert (w.raised.value, w.lowered.value) == (0.25, 0.25)
    assert (o.model, w.model) == (1, 0)
    assert (o.final, w.final) == (0.5, 0.5)


def test_segments_of_one_sample_alone():
    now = NOW | {"region": ["west" if k < 200 else name for k, name in enumerate(NOW["region"])]}
    old = DEVELOPMENT | {
        "region": ["east" if k < 300 else name for k, name in enumerate(DEVELOPMENT["region"])]
    }
    v = ca.validate(now, old, **NAMED, by="region")
    rows = {row.name: row for row in v.discrimination if row.part == "segment"}
    assert {*rows} == {"west", "north", "south"}
    west = rows["west"]
    assert west.development.reason == "not in the development sample"
    assert not west.difference.has_interval
    assert west.cases == 200
    assert rows["north"].difference.has_interval
    (row,) = (one for one in v.shares if one.of == "segments")
    names = ["north", "south", "west", "east"]
    shares = [np.array([each["region"].count(name) + 0.5 for name in names]) for each in (now, old)]
    a, b = (each / each.sum() for each in shares)
    assert row.index == pytest.approx(float(((a - b) * np.log(a / b)).sum()))
    assert row.bins == 4
    assert [one.of for one in v.shares] == ["scores", "scores, development tenths", "segments"]


def test_tables_show_the_numbers_of_the_result():
    """Each row of a table is a part of the result: its name, its counts, and its numbers."""
    page = V.document()
    tables = {
        (section.title, part.title): part
        for section in page.sections
        for part in section.parts
        if isinstance(part, Table)
    }
    parts = {
        "all cases": "Discrimination",
        "segment": "Discrimination by segment",
        "period": "Discrimination over time",
    }
    for part, title in parts.items():
        shown = [
            (r[0].text, r[1].value, r[2].value, r[3].estimate, r[4].estimate, r[5].estimate)
            for r in tables[title, ""].rows
        ]
        assert shown == [
            (r.name, r.cases, r.positives, r.now, r.development, r.difference)
            for r in V.discrimination
            if r.part == part
        ]
    o = V.overrides
    for key, rows in {
        ("Calibration", "Observed rates"): V.samples,
        ("Calibration by grade", "Observed rates of grades"): V.grades,
        ("Overrides", "Observed rates by override"): o.observed,
    }.items():
        has_finding = key[0] == "Calibration by grade"
        assert (
            "Rates are shares of positive cases. A small p means that the predicted rate is too low."
            in tables[key].foot
        )
        assert len(tables[key].columns) == 6 + has_finding
        for cells, row in zip(tables[key].rows, rows, strict=True):
            assert [cell.value for cell in cells[1:4]] == [row.cases, row.positives, row.predicted]
            assert (cells[0].text, cells[4].estimate, cells[5].value) == (row.grade, row.observed, row.p)
            assert float(cells[3].text) == pytest.approx(row.predicted, abs=0.0005)
            assert not has_finding or cells[6].text == (row.finding or "–")
    for cells, row in zip(tables["Stability", ""].rows, V.shares, strict=True):
        assert [cell.value for cell in cells[1:]] == [row.bins, row.index, row.usual, row.p]
        assert (cells[0].text, cells[2].text, cells[3].text) == (
            row.of,
            f"{row.index:.3f}",
            f"{row.usual:.3f}",
        )
    d = V.distance
    foot = f"Kolmogorov-Smirnov distance of the scores is {d.value:.3f} (95% CI {d.low:.3f} to {d.high:.3f})."
    assert foot in tables["Stability", ""].foot
    shares = tables["Overrides", "Shares of overrides"].rows
    assert [(r[0].text, r[1].estimate, r[2].estimate) for r in shares] == [
        ("to higher risk", o.raised, o.raised),
        ("to lower risk", o.lowered, o.lowered),
    ]
    final, (bureau,) = tables["Overrides", "ROC AUC of final grades"], V.benchmarks
    other = tables["Benchmarks", "ROC AUC of benchmarks"]
    for one, values, gap, names in (
        (final, (o.final, o.model), o.difference, ("final", "model")),
        (other, (bureau.model, bureau.benchmark), bureau.difference, ("model", "benchmark")),
    ):
        (cells,) = one.rows
        assert [cell.value for cell in cells[1:3]] == [*values]
        assert [cell.text for cell in cells[1:3]] == [f"{value:.3f}" for value in values]
        assert (cells[3].estimate, cells[4].estimate) == (gap, gap)
        assert [column.head for column in one.columns[1:3]] == [f"ROC AUC, {name}" for name in names]
    facts = dict(page.facts)
    assert (facts["cases"], facts["development cases"]) == ("600", "900")
    assert (facts["positive class"], facts["confidence level"]) == ("bad", "95%")
    assert page.verdict == V.sentences


def test_the_json_is_of_the_result():
    found = V.to_dict()
    assert (found["cases"], found["development_cases"], found["positive"]) == (600, 900, "bad")
    for key, rows in {
        "samples": V.samples,
        "grades": V.grades,
        "stability": V.shares,
        "benchmarks": V.benchmarks,
    }.items():
        for one, row in zip(found[key], rows, strict=True):
            for name, value in one.items():
                if not isinstance(value, dict):
                    assert value == getattr(row, name), (key, name)
    same = {"y": [0, 1] * 20, "p": [0.5] * 40}
    none = ca.validate(same, same, truth="y", score="p")
    row, _ = none.to_dict()["stability"]
    assert (row["index"], row["usual"], row["p"]) == (None, None, None)
    assert (none.to_dict()["overrides"], none.to_dict()["benchmarks"]) == (None, [])
    titles = [section.title for section in none.document().sections]
    assert not {"Overrides", "Benchmarks", "Discrimination by segment", "Discrimination over time"} & {
        *titles
    }
    (stability,) = (one for one in none.document().sections if one.title == "Stability")
    assert [cell.text for cell in stability.parts[0].rows[0][2:4]] == ["–", "–"]


def test_small_grades_by_hand():
    """Grades go from low to high predicted rates, those without cases last; a score on an edge is below it."""
    codes, positive = np.array([2, 2, 0, 0, 0]), np.array([1, 0, 0, 0, 1])
    rows = by_grade(["a", "b", "c"], codes, positive, np.array([0.1, 0.2, 0.5, 0.6, 0.7]), 0.9)
    assert [(row.grade, row.cases, row.positives) for row in rows] == [("c", 2, 1), ("a", 3, 1), ("b", 0, 0)]
    assert [row.predicted for row in rows[:2]] == pytest.approx([0.15, 0.6])
    assert isnan(rows[2].predicted)
    assert rows[2].observed.reason == "no cases"
    limits = binomtest(1, 3).proportion_ci(0.9**0.5, "exact")
    assert (rows[1].observed.low, rows[1].observed.high) == pytest.approx(tuple(limits))
    assert jeffreys_p(1, 3, 0.6) == pytest.approx(beta.cdf(0.6, 1.5, 2.5))
    assert isnan(jeffreys_p(1, 3, nan))
    assert grade_edges(np.arange(1.0, 11)).tolist() == [*range(1, 10)]
    assert grade_edges(np.array([0.5, 0.5, 0.7])).tolist() == [0.5, 0.7]


COLUMNS = {"y": ["no", "yes"] * 20, "p": np.linspace(0.1, 0.9, 40).tolist(), "g": list("ab") * 20}
BINARY = COLUMNS | {"y": [0, 1] * 20}


def lacking(name, value=None):
    return BINARY | {name: [value, *BINARY[name][1:]]}


@pytest.mark.parametrize(
    ("now", "old", "more", "words"),
    [
        (COLUMNS, COLUMNS, {"positive": "maybe"}, "maybe"),
        (
            COLUMNS | {"y": ["a", "b"] * 20},
            COLUMNS | {"y": ["b", "c"] * 20},
            {"positive": "b"},
            "The new cases have the labels 'a', 'b', but the development sample has 'b', 'c'.",
        ),
        (
            lacking("g"),
            BINARY,
            {"grade": "g"},
            "The grade is missing in 1 case. Exclude them, or add grades.",
        ),
        (
            BINARY,
            lacking("g"),
            {"grade": "g"},
            "The grade is missing in 1 case. Exclude them, or add grades.",
        ),
        (
            BINARY | {"f": [None, *BINARY["g"][1:]]},
            BINARY,
            {"grade": "g", "final": "f"},
            "A final grade is missing. Use the grades of the model.",
        ),
        (
            BINARY | {"f": ["c", *BINARY["g"][1:]]},
            BINARY,
            {"grade": "g", "final": "f"},
            "The final grade 'c' is not a grade of the model. Use the grades of the model.",
        ),
        (BINARY, BINARY, {"final": "g"}, "final= needs the grades of the model. Use grade= too."),
        (BINARY, BINARY, {"per": "day"}, "per= needs dates. Use time= to name their column."),
        (
            lacking("p", nan),
            BINARY,
            {},
            "New cases: Column 'p' has missing values in 1 row. Remove these rows.",
        ),
        (
            BINARY,
            BINARY | {"p": [nan, nan, *BINARY["p"][2:]]},
            {},
            "Development sample: Column 'p' has missing values in 2 rows. Remove these rows.",
        ),
        (
            BINARY | {"b": [nan, *BINARY["p"][1:]]},
            BINARY,
            {"benchmark": "b"},
            "Benchmark 'b' has missing values in 1 row.",
        ),
        (BINARY, BINARY, {"benchmark": "g"}, "Benchmark 'g': "),
        (
            BINARY | {"b": np.ones((40, 2))},
            BINARY,
            {"benchmark": "b"},
            "Benchmark 'b' has 2 scores in each row. Use a column of one score.",
        ),
        (BINARY | {"p": np.ones((40, 2))}, BINARY, {}, "New cases: Column 'p' has 2 scores in each row."),
        (
            BINARY,
            BINARY | {"p": np.ones((40, 3))},
            {},
            "Development sample: Column 'p' has 3 scores in each row.",
        ),
        (BINARY, BINARY, {"grades": "g"}, "grades"),
    ],
)
def test_refused(now, old, more, words):
    with pytest.raises((InputError, TypeError)) as refused:
        ca.validate(now, old, truth="y", score="p", **more)
    assert words in str(refused.value)


def test_labels_without_a_positive_class_are_refused():
    for now in (COLUMNS, pd.DataFrame(COLUMNS)):
        with pytest.raises(InputError, match="ositive"):
            ca.validate(now, now, truth="y", score="p")


@pytest.mark.parametrize("name", ["raised", "lowered", "difference"])
def test_final_grades_are_read_from_the_new_cases_alone(name):
    w = ca.validate(NOW, DEVELOPMENT | {"final": ["no"] * 900, "bureau": [nan] * 900}, **NAMED, **FURTHER)
    assert getattr(w.overrides, name) == getattr(V.overrides, name)
    assert w.benchmarks[0].difference == V.benchmarks[0].difference


@pytest.mark.parametrize("others", [["bureau"], ("bureau", "other"), ["other", "bureau"]])
def test_benchmarks_are_in_the_order_of_their_names(others):
    now = NOW | {"other": (-np.array(NOW["bureau"])).tolist()}
    v = ca.validate(now, DEVELOPMENT, **NAMED, benchmark=others)
    assert [row.name for row in v.benchmarks] == [*others]
    by_name = {row.name: row for row in v.benchmarks}
    assert by_name["bureau"].difference == V.benchmarks[0].difference
    if "other" in by_name:
        assert by_name["other"].benchmark == pytest.approx(1 - by_name["bureau"].benchmark)


def test_segments_of_two_columns_at_both_doors(tmp_path, monkeypatch):
    import json

    monkeypatch.chdir(tmp_path)
    write_inputs()
    for by, option in ((["region", "grade"], "region,grade"), ("region", "region")):
        done = call(*("assess", *ROWS, *AGAINST, "--by", option, "--json", "-"))
        v = ca.validate(NOW, DEVELOPMENT, **NAMED, by=by)
        assert json.loads(done.stdout) == as_json(v)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*ROWS, "--final", "final"), "--final needs a development sample. Use --development too."),
        ((*ROWS, "--benchmark", "bureau"), "--benchmark needs a development sample."),
        ((*ROWS[:1], *AGAINST, "--score", "p"), "--development needs --truth. Use --truth COL."),
        ((*ROWS[:3], *AGAINST), "--development needs --score. Use --score COL."),
        ((*ROWS, *AGAINST, "--per", "file"), "--per file cannot be used with --development. Use --time."),
        (
            (*ROWS, *AGAINST, "--time", "month", "--per", "file"),
            "--per file cannot be used with --development.",
        ),
        (
            (*ROWS, *AGAINST, "--by", "*"),
            "--by '*' cannot be used with --development. Name the columns of segments.",
        ),
        (
            (*ROWS, "--development", "banks_now.csv"),
            "banks_now.csv is named twice. Use another file for --development.",
        ),
        ((*GRADED, "--level", "1.5"), "level must be a number between 0 and 1"),
        ((*ROWS, "--development", "none.csv"), "none.csv"),
    ],
)
def test_refused_at_the_command(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_inputs()
    assert words in refusal("assess", *arguments, columns=400)


def test_the_level_at_the_command(tmp_path, monkeypatch):
    import json

    monkeypatch.chdir(tmp_path)
    write_inputs()
    done = call("assess", *GRADED, "--level", "0.8", "--json", "-")
    v = ca.validate(NOW, DEVELOPMENT, **NAMED, grade="grade", level=0.8)
    assert json.loads(done.stdout) == as_json(v)


@pytest.mark.parametrize("per", [None, "day", "week", "month", "quarter"])
def test_periods_of_dates(per):
    """Weeks begin on Monday; without `per`, periods are months."""
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2026-01-29") + pd.to_timedelta(np.sort(rng.integers(0, 12, 600)), "D")
    now = NOW | {"day": [day.strftime("%Y-%m-%d") for day in days]}
    v = ca.validate(now, DEVELOPMENT, **NAMED, time="day", **({} if per is None else {"per": per}))
    letter = {None: "M", "day": "D", "week": "W", "month": "M", "quarter": "Q"}[per]
    of = pd.DatetimeIndex(days).to_period(letter)
    found = [row for row in v.discrimination if row.part == "period"]
    assert [row.cases for row in found] == [int((of == one).sum()) for one in of.unique()]
    assert [row.positives for row in found] == [int(BAD[of == one].sum()) for one in of.unique()]
    assert {row.development.value for row in found} == {V.discrimination[0].development.value}


def test_grades_that_only_one_sample_has():
    """Grades count in both samples, whichever has them; those without new cases are last and have no rate."""
    few = {
        name: [one for one, g in zip(column, NOW["grade"], strict=True) if g != "D"]
        for name, column in NOW.items()
    }
    for new, old in ((few, DEVELOPMENT), (DEVELOPMENT | {"final": DEVELOPMENT["grade"]}, few)):
        v = ca.validate(new, old, **NAMED, grade="grade")
        counts = [np.array([each["grade"].count(name) + 0.5 for name in "ABCD"]) for each in (new, old)]
        a, b = (each / each.sum() for each in counts)
        (row,) = (one for one in v.shares if one.of == "grades")
        assert (row.index, row.bins) == (pytest.approx(float(((a - b) * np.log(a / b)).sum())), 4)
        assert [one.cases for one in v.grades] == [new["grade"].count(name) for name in "ABCD"]
        assert v.grades[-1].observed.is_undefined == (new is few)


def test_a_development_file_needs_no_column_of_the_new_cases_alone(tmp_path, monkeypatch):
    import json

    monkeypatch.chdir(tmp_path)
    write_inputs()
    pd.DataFrame(DEVELOPMENT)[["y", "p", "grade", "region"]].to_csv("banks_dev.csv", index=False)
    more = ("--final", "final", "--by", "region", "--time", "month", "--benchmark", "bureau")
    done = call("assess", *GRADED, *more, "--json", "-")
    assert json.loads(done.stdout) == as_json(V)


@pytest.mark.parametrize(("names", "is_named"), [(["abcdef", "b"], True), (["abcdefg", "b"], False)])
def test_pictures_by_hand(names, is_named):
    """Grades of up to six letters are named; scores of both samples have twenty bars from the lowest to the highest."""
    grades = (replace(LOW, grade=names[0]), EMPTY, replace(HIGH, grade=names[1]))
    v = replace(V, grades=grades)
    observed, cross, predicted = grade_curves(v)
    assert observed.x_names == (tuple(names) if is_named else ("1", "2"))
    assert predicted.y.tolist() == [LOW.predicted, HIGH.predicted]
    assert observed.y.tolist() == [LOW.observed.value, HIGH.observed.value]
    assert cross.y[[0, 1, 3]].tolist() == [LOW.observed.low, LOW.observed.high, LOW.observed.value]
    assert cross.x[[0, 1, 3]].tolist() == [1, 1, 1]
    assert (cross.kind, predicted.kind, observed.series, predicted.series) == (
        "cross",
        "reference",
        "observed",
        "predicted",
    )
    assert grade_curves(replace(V, grades=(EMPTY,))) == ()
    now, old = score_curves(V)
    both = np.array([*NOW["p"], *DEVELOPMENT["p"]])
    for curve, p in ((now, NOW["p"]), (old, DEVELOPMENT["p"])):
        shares, edges = np.histogram(p, bins=20, range=(both.min(), both.max()))
        assert curve.y == pytest.approx(shares / len(p))
        assert curve.x == pytest.approx(edges[:-1])
        assert curve.width == pytest.approx(edges[1] - edges[0])
    assert (now.series, old.series) == ("new cases", "development sample")
    points, _, then = gini_curves(V)
    assert (points.series, then.series, then.kind) == ("new cases", "development sample", "reference")
