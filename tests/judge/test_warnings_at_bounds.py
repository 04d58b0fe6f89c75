"""Warnings and refusals of judged results at their bounds: the last silent number, and the first that is told."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.inference.estimate import p_equation
from classay.inference.phrasing import percent
from classay.judge.elsewhere import lang_reiczigel
from classay.judge.judge_warnings import p_of_choice, p_of_scores
from classay.judge.rows import positive_grade, read_rows, shown_range


def texts(result, code):
    return [warning.text for warning in result.warnings if warning.code == code]


def columns(*cells):
    """Columns of cells: the judge's grade, cases, labels of 1, labels of 0."""
    human, judge = [], []
    for grade, size, ones, zeros in cells:
        human += [1] * ones + [0] * zeros + [None] * (size - ones - zeros)
        judge += [grade] * size
    return human, judge


@pytest.mark.parametrize("labels", [28, 29, 30, 31])
def test_few_labels(labels):
    j = ca.judged(*columns((1, 100, labels // 2, 3), (0, 100, 3, labels - 6 - labels // 2)))
    wanted = [f"There are few human labels ({labels}). Intervals are wide."] if labels < 30 else []
    assert texts(j, "few_labels") == wanted


@pytest.mark.parametrize("missing", [0, 1])
def test_all_labelled(missing):
    j = ca.judged(*columns((1, 40, 30, 10), (0, 40 + missing, 10, 30)))
    assert bool(texts(j, "all_labelled")) == (missing == 0)


@pytest.mark.parametrize("drawn", [30, 45, 48, 51])
@pytest.mark.parametrize("grades", [2, 3])
def test_labels_by_grade(drawn, grades):
    """Below p = 0.01, by Fisher's exact test or chi-squared."""
    cells = [(1, 100, drawn, 0), (0, 100, 0, 30), (2, 100, 10, 20)][:grades]
    human, judge = columns(*cells)
    j = ca.judged(human, judge, **({"positive": 1} if grades == 3 else {}))
    table = np.array([[drawn, 100 - drawn], [30, 70], [30, 70]])[:grades]
    p = stats.fisher_exact(table)[1] if grades == 2 else stats.chi2_contingency(table, correction=False)[1]
    found = texts(j, "labels_by_grade")
    assert len(found) == (p < 0.01)
    assert all(f"({p_equation(p)})" in text for text in found)
    sizes, labels = np.full(grades, 100), table[:, 0]
    assert p_of_choice(sizes, labels) == pytest.approx(p)
    assert p_of_choice(np.append(sizes, 0), np.append(labels, 0)) == pytest.approx(p)


@pytest.mark.parametrize("code", ["labels_by_group", "labels_by_stratum"])
@pytest.mark.parametrize("drawn", [30, 45, 48, 51])
def test_labels_by_group_and_stratum(code, drawn):
    rng = np.random.default_rng(0)
    truth, part = rng.integers(0, 2, 200), np.repeat([0, 1], 100)
    human = np.where(np.tile(np.arange(100), 2) < np.where(part == 0, 30, drawn), truth, np.nan)
    name = {"labels_by_group": "by", "labels_by_stratum": "stratum"}[code]
    j = ca.judged(human, truth ^ (rng.random(200) < 0.1), **{name: part})
    p = stats.fisher_exact([[30, 70], [drawn, 100 - drawn]])[1]
    found = texts(j, code)
    assert len(found) == (p < 0.01)
    assert all(f"({p_equation(p)})" in text for text in found)
    assert not texts(ca.judged(human, truth, chance=np.full(200, 0.3), **{name: part}), "labels_by_stratum")


@pytest.mark.parametrize("seed", range(3))
def test_labels_by_score(seed):
    """Mann and Whitney's test with ties, as SciPy has it."""
    rng = np.random.default_rng(seed)
    scores, labelled = np.round(rng.normal(size=60), 1), rng.random(60) < 0.4
    scores[:4] = np.nan
    known = ~np.isnan(scores)
    wanted = stats.mannwhitneyu(
        scores[known & labelled], scores[known & ~labelled], use_continuity=False, method="asymptotic"
    )
    assert p_of_scores(scores, labelled) == pytest.approx(wanted.pvalue)
    assert math.isnan(p_of_scores(scores, np.zeros(60, bool)))
    assert math.isnan(p_of_scores(scores, np.ones(60, bool)))
    assert math.isnan(p_of_scores(np.ones(60), labelled))


def test_no_test_of_choice_without_a_choice():
    for sizes, labels in (
        ([10, 10], [10, 10]),
        ([10, 10], [0, 0]),
        ([10, 0], [5, 0]),
        ([0, 0, 7], [0, 0, 3]),
    ):
        assert math.isnan(p_of_choice(np.array(sizes), np.array(labels)))


@pytest.mark.parametrize(
    ("weight", "is_told"),
    [(1 / 2, True), (1, False), (2, False), (2.5, False), (4, False), (4.2, True), (9, True)],
)
def test_implausible_chances(weight, is_told):
    """Labels that stand for less than half of the cases, or for more than twice as many."""
    human, judge = columns((1, 200, 30, 20), (0, 200, 10, 40))
    j = ca.judged(human, judge, chance=[None if x is None else min(1, 1 / (2 * weight)) for x in human])
    stands_for = 100 * max(1, 2 * weight)
    assert bool(texts(j, "implausible_chances")) == (not 200 <= stands_for <= 800) == is_told
    if is_told:
        assert f"represent {stands_for:,.0f} cases, but there are 400." in texts(j, "implausible_chances")[0]


@pytest.mark.parametrize("labels", [0, 1, 2, 3, 4])
def test_cells_of_few_labels_and_cases_without_a_grade(labels):
    human, judge = columns((1, 60, 20, 10), (0, 60, 8, 22), (None, 20, labels // 2, labels - labels // 2))
    j = ca.judged(human, judge)
    said = texts(j, "no_grade")[0]
    assert ("Fewer than 3 of these cases have a human label, so these cases are excluded." in said) == (
        labels < 3
    )
    assert ("These cases form a separate group." in said) == (labels >= 3)
    assert "to 20 cases" in said
    assert j.n_cases == (120 if labels < 3 else 140)
    third = ca.judged(
        *columns((1, 60, 20, 10), (0, 60, 8, 22), (2, 20, labels // 2, labels - labels // 2)), positive=1
    )
    found = texts(third, "small_cells")
    assert len(found) == (labels < 3)
    if found:
        assert found[0].startswith(
            "1 of 3 grades of the judge have fewer than 3 human labels. These grades were combined"
        )
    one = ca.judged(*columns((1, 60, 20, 10), (0, 60, min(labels, 2), 0)))
    assert "1 of 2 grades of the judge have fewer than 3 human labels. The judge is not used." in texts(
        one, "small_cells"
    )


@pytest.mark.parametrize("word", ["Unsure", " not sure", "?", "don't know", "SKIP", "maybe", "sure"])
def test_labels_that_seem_no_answer(word):
    human, judge = ["yes", "no"] * 20 + [word] * 3 + [None] * 20, ["yes", "no"] * 31 + ["yes"]
    j = ca.judged(human, judge, positive="yes")
    assert bool(texts(j, "unsure_label")) == (word not in ("maybe", "sure"))
    assert not texts(ca.judged(human, judge, positive="yes", unsure=word), "unsure_label")
    assert texts(ca.judged(human, judge, positive="yes", unsure=word), "unsure") == [
        "Unsure human labels: 3. These cases count as unlabeled."
    ]


def test_grades_of_other_words():
    """Without a common word, nothing is known of the agreement."""
    human, judge = columns((1, 50, 20, 5), (0, 50, 5, 20))
    assert not texts(ca.judged(human, judge), "extra_grades")
    one = ca.judged(human, [7 if k == 3 else x for k, x in enumerate(judge)])
    assert texts(one, "extra_grades")[0].startswith("Humans never give this grade of the judge: 7.")
    two = ca.judged(human, [7 + k if k in (3, 4) else x for k, x in enumerate(judge)])
    assert texts(two, "extra_grades")[0].startswith("Humans never give these grades of the judge: 10 and 11.")
    others = ca.judged(human, [x + 5 for x in judge])
    assert len(one.judge) > 0
    assert len(others.judge) == 0


@pytest.mark.parametrize("errors", [0, 1])
def test_a_judge_that_never_errs(errors):
    j = ca.judged(*columns((1, 50, 20 - errors, errors), (0, 50, 0, 20)))
    assert texts(j, "equal_judge") == (
        []
        if errors
        else [
            "The judge agrees with all human labels (40). Check that its grades are not copies of these labels."
        ]
    )


@pytest.mark.parametrize("right", range(10, 21, 2))
def test_a_judge_is_useless_where_its_discernment_may_be_none(right):
    human, judge = columns((1, 200, right, 20 - right), (0, 200, 20 - right, right))
    j = ca.judged(human, judge)
    p = stats.fisher_exact([[right, 20 - right], [20 - right, right]])[1]
    if p < 0.02 or p > 0.2:
        assert bool(texts(j, "useless_judge")) == (p > 0.05)
    assert bool(texts(j, "negative_weight")) == (j.power_tuned.weight < 0)


def test_groups_of_some_cases():
    human, judge = columns((1, 50, 20, 5), (0, 50, 5, 20))
    for missing in (0, 1, 7):
        group = [None if k < missing else "ab"[k % 2] for k in range(100)]
        found = texts(ca.judged(human, judge, by=group), "no_group")
        cases = "1 case" if missing == 1 else f"{missing} cases"
        assert found == (
            [f"The group of {cases} is missing. These cases count in the overall result only."]
            if missing
            else []
        )


@pytest.mark.parametrize("agreed", [(45, 45, 45, 45), (48, 46, 44, 40), (30, 36, 38, 42), (40, 40, 40, 35)])
def test_a_judge_that_changes(agreed):
    """Below p = 0.05, with the agreement at the first and the last time."""
    human, judge = [], []
    for right in agreed:
        human += [1, 0] * 25
        judge += [x if k < right else 1 - x for k, x in enumerate([1, 0] * 25)]
    time = np.repeat(["2026-01", "2026-02", "2026-03", "2026-04"], 50)
    j = ca.judged(human + [None] * 40, judge + [0, 1] * 20, time=np.append(time, np.repeat(time[::50], 10)))
    shares = [percent(one.value, 50) for one in j.drift.corrected[::3]]
    found = texts(j, "judge_changed")
    assert len(found) == (j.drift.p < 0.05)
    for text in found:
        assert f"changes over time, from {shares[0]} to {shares[1]} ({p_equation(j.drift.p)})" in text
    s = ca.compare_judged(
        {"a": human, "b": [*human]}, {"a": judge, "b": [*human[:-4], 1, 0, 0, 1]}, time=time
    )
    of_a = [text for text in texts(s, "judge_changed") if " on a " in text]
    assert len(of_a) == (s.systems[[one.name for one in s.systems].index("a")].drift.p < 0.05)
    note = " ".join(
        part.note for section in j.document().sections for part in section.parts if hasattr(part, "note")
    )
    if math.isnan(j.drift.p):
        assert "Agreement does not vary." in note
    else:
        assert (
            f"Test of a linear trend (Cochran-Armitage): z = {j.drift.statistic:.2f}, {p_equation(j.drift.p)}."
            in note
        )


def test_times_of_drift():
    human, judge = [0, 1] * 101, [0, 1, 1, 0] * 50 + [1, 0]
    for times, is_taken in ((100, True), (101, False)):
        time = np.arange(202) % times
        if is_taken:
            assert len(ca.judged(human, judge, time=time).drift.times) == 100
            continue
        with pytest.raises(ca.InputError, match="time has 101 different values"):
            ca.judged(human, judge, time=time)
    with pytest.raises(ca.InputError, match="time has 3 rows, but human has 202"):
        ca.judged(human, judge, time=[1, 2, 3])
    late = np.where(np.arange(202) < 4, 1, 2)
    assert ca.judged(human, judge, time=late).drift.labels == (4, 198)
    unlabelled = [None if k < 4 else x for k, x in enumerate(human)]
    with pytest.raises(ca.InputError, match="Drift needs human labels at two times or more"):
        ca.judged(unlabelled, judge, time=late)
    by = np.where(np.arange(202) < 4, "x", "y")
    j = ca.judged(human, judge, time=late, by=by)
    assert {group: part.drift for group, part in j.groups.items()} == {"x": None, "y": None}


@pytest.mark.parametrize(("second", "same"), [(10, 10), (10, 7), (0, 0)])
def test_the_agreement_of_two_humans(second, same):
    human, judge = columns((1, 50, 20, 5), (0, 50, 5, 20))
    other = [None if x is None or k >= second else (x if k < same else 1 - x) for k, x in enumerate(human)]
    fact = dict(ca.judged(human, judge, second=other).facts)["agreement of both humans"]
    if not second:
        assert fact == "no case has two human labels"
        return
    limits = stats.binomtest(same, second).proportion_ci(method="wilson")
    low, high = percent(limits.low, second), percent(limits.high, second)
    assert fact == f"{percent(same / second, second)} of {second} cases (95% CI {low} to {high})"


@pytest.mark.parametrize(("number", "is_score"), [(10, False), (11, True)])
def test_more_than_ten_numbers_are_a_score(number, is_score):
    human, judge = [0, 1] * 60, np.arange(120) % number
    j = ca.judged(human, judge)
    assert ("cells of the judge's score" in dict(j.facts)) == is_score
    assert (len(j.judge) == 0) == is_score


@pytest.mark.parametrize(("labels", "cells"), [(20, 2), (59, 2), (60, 3), (80, 4), (100, 5), (400, 5)])
def test_a_score_has_a_cell_for_twenty_labels(labels, cells):
    scores = np.arange(500) / 500
    human = np.where(np.arange(500) * 7 % 500 < labels, (np.arange(500) % 3 == 0) * 1.0, np.nan)
    rows = read_rows(human, scores, None, {})
    ranges = [shown_range(rows.grades, k) for k in range(1, rows.grades.cells)]
    cuts = [f"{np.quantile(scores, k / cells, method='higher'):.3g}" for k in range(1, cells)]
    wanted = [
        f"below {cuts[0]}",
        *(f"{a} to below {b}" for a, b in itertools.pairwise(cuts)),
        f"{cuts[-1]} or more",
    ]
    assert ranges == wanted
    assert dict(ca.judged(human, scores).facts)["cells of the judge's score"] == ", ".join(wanted)
    assert shown_range(rows.grades, 0) == "no grade"


def test_a_score_of_one_value():
    human, judge = columns((1, 50, 20, 5), (0, 50, 5, 20))
    rows = read_rows(human, np.full(100, 0.123456789), None, {})
    assert [shown_range(rows.grades, k) for k in range(rows.grades.cells)] in (
        ["no grade", "all scores"],
        ["no grade", "0.123456789"],
    )
    named = read_rows(human, judge, None, {})
    assert [shown_range(named.grades, k) for k in (1, 2)] == ["0", "1"]


def test_the_positive_label_must_be_clear():
    def of(human, judge, positive=None, bounds=None):
        rows = read_rows(human, judge, None, {})
        return positive_grade(rows.truths, rows.grades, positive, bounds)

    assert of([0, 1], [1, 0]) == 1
    assert of([0, 1, 2], [1, 0, 1]) is None
    assert of([0, 1, 2], [1, 0, 1], 2) == 2
    assert of([0, 1], [1, 0], None, (0, 1)) is None
    assert of(["no", "yes"], ["yes", "no"], "no") == "no"
    for human, judge, how, said in (
        (["a", "b"], ["a", "b"], {}, "positive='a' or positive='b'"),
        ([0, 1], [0, 1], {"positive": 1, "bounds": (0, 1)}, "positive= and bounds= cannot be combined"),
        ([0, 1], [0, 1], {"positive": 3}, "3"),
    ):
        with pytest.raises(ca.InputError, match=said):
            of(human, judge, **how)


@pytest.mark.parametrize("seed", range(6))
def test_a_true_share_by_its_definition(seed):
    """(AP + Sp - 1) / (Se + Sp - 1), cut to [0, 1], and the limits of Lang and Reiczigel in their own letters."""
    rng = np.random.default_rng(seed)
    n, m, k = (int(x) for x in rng.integers(20, 400, 3))
    x, a, b = int(rng.integers(0, n + 1)), int(rng.integers(m // 2, m + 1)), int(rng.integers(k // 2, k + 1))
    t = ca.rogan_gladen(x, n, sensitivity_of=(a, m), specificity_of=(b, k), level=0.9)
    ap, se, sp = x / n, a / m, b / k
    value = min(max((ap + sp - 1) / (se + sp - 1), 0), 1)
    assert t.estimate.value == t.lang_reiczigel.value == pytest.approx(value)
    assert (t.apparent.value, t.sensitivity.value, t.specificity.value) == (ap, se, sp)
    for one, (hits, cases) in ((t.apparent, (x, n)), (t.sensitivity, (a, m)), (t.specificity, (b, k))):
        limits = stats.binomtest(hits, cases).proportion_ci(0.9, method="wilson")
        assert (one.low, one.high, one.level) == (
            pytest.approx(limits.low, abs=1e-12),
            pytest.approx(limits.high),
            0.9,
        )
    z = stats.norm.ppf(0.95)
    n_, p_ = n + z * z, (x + z * z / 2) / (n + z * z)
    se_, sp_ = (a + 1) / (m + 2), (b + 1) / (k + 2)
    share = (p_ + sp_ - 1) / (se_ + sp_ - 1)
    shift = 2 * z * z * (share * se_ * (1 - se_) / (m + 2) - (1 - share) * sp_ * (1 - sp_) / (k + 2))
    spread = (
        p_ * (1 - p_) / n_
        + share**2 * se_ * (1 - se_) / (m + 2)
        + (1 - share) ** 2 * sp_ * (1 - sp_) / (k + 2)
    )
    half = z * math.sqrt(spread) / (se_ + sp_ - 1)
    ends = max(0, share + shift - half), min(1, share + shift + half)
    assert lang_reiczigel(np.array([ap, se, sp]), np.array([n, m, k], float), z) == pytest.approx(ends)
    if t.lang_reiczigel.has_interval:
        assert (t.lang_reiczigel.low, t.lang_reiczigel.high) == pytest.approx(
            (min(ends[0], value), max(ends[1], value))
        )
    assert t["pass_rate"] is t["share"] is t["prevalence"] is t.estimate
    codes = [warning.code for warning in t.warnings]
    assert codes == (["other_mix"] if t.estimate.has_interval else ["other_mix", "other_errors"])
    document = t.document()
    (table,) = document.sections[0].parts
    wanted = [t.estimate, t.lang_reiczigel, t.apparent, t.sensitivity, t.specificity]
    assert [row[1].estimate for row in table.rows] == wanted
    assert t.sentence in document.verdict
    assert f"The share by the judge only is {percent(ap, n)}." in t.sentence
    written = t.to_dict()
    names = ("true_share", "lang_reiczigel", "apparent", "sensitivity", "specificity")
    assert [written[name]["value"] for name in names] == [one.value for one in wanted]
    assert (written["cases"], written["level"], written["sentence"]) == (n, 0.9, t.sentence)


def test_a_judge_that_discerns_nothing_has_no_true_share():
    t = ca.rogan_gladen(30, 100, sensitivity_of=(5, 10), specificity_of=(5, 10))
    assert t.estimate.is_undefined
    assert t.lang_reiczigel.is_undefined
    assert t.sentence.startswith(
        "The true share is not defined (sensitivity and specificity add up to no more than 1)."
    )
    assert ca.rogan_gladen(30, 100, sensitivity_of=(6, 10), specificity_of=(5, 10)).estimate.value == 0
    assert lang_reiczigel(np.array([0.3, 0.5, 0.5]), np.array([100.0, 10, 10]), 1.96) == (0, 1)
    with pytest.raises(ca.InputError, match="no measure 'recall'"):
        t["recall"]
    for counts in ((1.5, 2), (3, 2), (-1, 2), (0, 0), (1, 2.5)):
        with pytest.raises(ca.InputError, match="must be a number of cases and all cases"):
            ca.rogan_gladen(3, 10, sensitivity_of=(9, 10), specificity_of=counts)
    assert ca.rogan_gladen(0, 1, sensitivity_of=(1, 1), specificity_of=(1, 1)).n_cases == 1


REFUSED = {
    "no labels": ([None] * 4, [0, 1, 0, 1], {}, "No case has a human label"),
    "no grades": ([0, 1], [None, None], {}, "The judge gave no grade"),
    "no scores": ([0, 1], [math.nan, math.inf], {}, "The judge gave no grade|infinite"),
    "rows of the judge": ([0, 1], [0, 1, 1], {}, "human has 2 rows, but judge has 3"),
    "rows of groups": ([0, 1], [0, 1], {"by": [1]}, "human has 2 rows, but by has 1"),
    "rows of clusters": ([0, 1], [0, 1], {"cluster": [1]}, "but cluster has 1"),
    "rows of strata": ([0, 1], [0, 1], {"stratum": [1]}, "but stratum has 1"),
    "rows of calls": ([0, 1], [0, 1], {"y_pred": [1]}, "but y_pred has 1"),
    "rows of chances": ([0, 1], [0, 1], {"chance": [1]}, "but chance has 1"),
    "rows of second labels": ([0, 1], [0, 1], {"second": [1]}, "human and second have different lengths"),
    "a stratum missing": ([0, 1], [0, 1], {"stratum": [1, None]}, "stratum is missing in 1 row"),
    "a call missing": ([0, 1], [0, 1], {"y_pred": [1, None]}, "y_pred is missing in 1 row"),
    "a chance of 0": ([0, 1], [0, 1], {"chance": [0.5, 0]}, "not above 0 and at most 1 in 1 row"),
    "a chance above 1": ([0, 1], [0, 1], {"chance": [1.0001, 1]}, "not above 0 and at most 1 in 1 row"),
    "other calls": (
        [0, 1],
        [0, 1],
        {"y_pred": [3, 4]},
        r"No predicted label \(3, 4\) is a human label \(0, 1\)",
    ),
    "bounds in words": (
        ["a", "b", "c"],
        ["a", "b", "c"],
        {"bounds": (0, 1)},
        "bounds need numeric human labels",
    ),
    "bounds too narrow": (
        [0, 1, 2],
        [0, 1, 2],
        {"bounds": (0, 1.9)},
        "The human label 2 is outside the bounds 0 to 1.9",
    ),
    "bounds too high": (
        [0, 1, 2],
        [0, 1, 2],
        {"bounds": (0.1, 2)},
        "The human label 0 is outside the bounds 0.1 to 2",
    ),
    "flagged cases": ([0, 1], [0, 1], {"design": "flagged"}, "cannot be used with a judge"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    human, judge, how, said = REFUSED[name]
    with pytest.raises(ca.InputError, match=said):
        ca.judged(human, judge, **how)


def test_bounds_that_just_hold_all_labels():
    j = ca.judged([0, 1, 2] * 20, [0, 1, 2] * 20, bounds=(0, 2))
    assert j["mean"].value == 1
    assert dict(j.facts)["range of grades"] == "0 to 2"
    assert ca.judged([0, 1, 2] * 20, [0, 1, 2] * 20)["mean"] == j["mean"]
    assert ca.judged([1, 0] * 9, [0, 1] * 9, chance=[1] * 18)["share"].value == 0.5


SYSTEMS_REFUSED = {
    "no mapping": (([0, 1], [0, 1]), {}, "Each system needs a column"),
    "one mapping": (({"a": [0, 1]}, [0, 1]), {}, "Each system needs a column"),
    "other names": (
        ({"a": [0, 1], "b": [0, 1]}, {"a": [0, 1], "c": [0, 1]}),
        {},
        "human has the systems 'a' and 'b', but judge has 'a' and 'c'",
    ),
    "one system": (({"a": [0, 1]}, {"a": [1, 1]}), {}, "A comparison needs two systems or more"),
    "rows": (
        ({"a": [0, 1], "b": [0, 1, 1]}, {"a": [0, 1], "b": [0, 1, 1]}),
        {},
        r"The numbers of rows differ \(a 2, b 3\)",
    ),
    "rows of times": (
        ({"a": [0, 1], "b": [1, 1]}, {"a": [0, 1], "b": [0, 1]}),
        {"cluster": [1]},
        "human has 2 rows, but cluster has 1",
    ),
    "no labels": (
        ({"a": [0, 1], "b": [None, None], "c": [None, None]}, {key: [0, 1] for key in "abc"}),
        {},
        "No case of the system 'b' and 1 more has a human label",
    ),
    "scores and grades": (
        ({"a": [0, 1] * 10, "b": [1, 0] * 10}, {"a": [0, 1] * 10, "b": [k / 30 for k in range(20)]}),
        {},
        "Some judges give scores and others grades",
    ),
    "words without a positive one": (
        ({"a": ["x", "y", "z"], "b": ["z", "y", "x"]}, {"a": ["x", "y", "z"], "b": ["x", "x", "z"]}),
        {},
        "Pass positive=, such as 'x'",
    ),
    "rows of systems": (([0, 1], [0, 1]), {"system": ["a"]}, "human has 2 rows, but system has 1"),
    "a system missing": (([0, 1], [0, 1]), {"system": ["a", None]}, "The system is missing in 1 rows"),
    "rows of one system": (([0, 1], [0, 1]), {"system": ["a", "a"]}, "All rows are of the system 'a'"),
    "two rows of a case": (([0, 1, 1], [0, 1, 1]), {"system": ["a", "b", "b"], "id": [1, 2, 2]}, "same id"),
    "positive and bounds": (
        ([0, 1, 1], [0, 1, 1]),
        {"system": ["a", "b", "b"], "positive": 1, "bounds": (0, 1)},
        "positive= and bounds=",
    ),
    "a table of groups": (
        ([0, 1] * 2, [0, 1] * 2),
        {"system": ["a", "a", "b", "b"], "id": [1, 2, 1, 2], "by": np.zeros((4, 2))},
        r"^by has shape \(4, 2\)",
    ),
    "an unknown unsure": (({"a": [0, 1], "b": [1, 0]}, {"a": [0, 1], "b": [1, 0]}), {"unsure": 5}, "5"),
}


@pytest.mark.parametrize("name", SYSTEMS_REFUSED)
def test_systems_refused(name):
    columns, how, said = SYSTEMS_REFUSED[name]
    with pytest.raises(ca.InputError, match=said):
        ca.compare_judged(*columns, **how)


@pytest.mark.parametrize("labels", [29, 30])
@pytest.mark.parametrize("clusters", [9, 10])
def test_few_labels_and_clusters_of_systems(labels, clusters):
    rng = np.random.default_rng(0)
    truth = {name: rng.integers(0, 2, 200) for name in "ab"}
    human = {
        name: np.where(np.arange(200) < (40 if name == "b" else labels), column, np.nan)
        for name, column in truth.items()
    }
    cluster = np.where(np.arange(200) < 40, np.arange(200) % clusters, np.arange(200))
    s = ca.compare_judged(human, truth, cluster=cluster)
    assert texts(s, "few_labels") == (
        ["Fewer than 30 human labels: a. Intervals are wide."] if labels < 30 else []
    )
    few = (
        [f"Few clusters have a human label ({clusters}). Intervals may be too narrow."]
        if clusters < 10
        else []
    )
    assert texts(s, "few_clusters") == few
    assert f"{40 - labels} cases have a human label for one system only." in texts(s, "one_system")[0]
    unsure = {name: [None if np.isnan(x) else "yn"[int(x)] for x in column] for name, column in human.items()}
    unsure["a"][0] = unsure["b"][1] = "?"
    words = {name: ["yn"[x] for x in column] for name, column in truth.items()}
    doubtful = ca.compare_judged(unsure, words, unsure="?", positive="y")
    assert texts(doubtful, "unsure") == ["Unsure human labels: 2. These answers count as unlabeled."]


def test_unsure_labels_of_rows_are_counted():
    rng = np.random.default_rng(0)
    human = ["?" if k % 10 == 3 else "yn"[x] for k, x in enumerate(rng.integers(0, 2, 200))]
    judge = ["yn"[x] for x in rng.integers(0, 2, 200)]
    s = ca.compare_judged(human, judge, system=["a", "b"] * 100, unsure="?", positive="y")
    assert texts(s, "unsure") == ["Unsure human labels: 20. These answers count as unlabeled."]
    assert sum(one.n_labels for one in s.systems) == 180


def test_groups_without_labels_have_no_comparison():
    rng = np.random.default_rng(0)
    judge = {name: rng.integers(0, 2, 100) for name in "ab"}
    group = np.repeat(["east", "west"], 50)
    human = {
        name: np.where((group == "west") & (name == "b"), np.nan, column) for name, column in judge.items()
    }
    s = ca.compare_judged(human, judge, by=group)
    assert s.groups["west"].sentences == ("The share of '1' of b is not defined (no human labels).",)
    assert (
        s.groups["east"].sentences[0].startswith("No difference") or "higher" in s.groups["east"].sentences[0]
    )
    j = ca.judged(human["b"], judge["b"], by=group)
    assert j.groups["west"].sentence == "The share of '1' is not defined (no human labels)."
    assert j.groups["west"].n_labels == 0
    with pytest.raises(ca.InputError, match="An expected half-width needs human labels"):
        j.groups["west"].half_width_of(10)
    assert math.isnan(j.groups["west"].effective_labels)


@pytest.mark.parametrize("clusters", [6, 40])
def test_more_labels_in_clusters_bring_more_degrees_of_freedom(clusters):
    """Student's t of the clusters that would have labels, at most of all clusters."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 1200)
    judge = np.where(rng.random(1200) < 0.8, truth, 1 - truth)
    cluster = np.arange(1200) // 10
    human = np.where(cluster < clusters, truth, np.nan)
    j = ca.judged(human, judge, cluster=cluster)
    now, n = j["pass_rate"], 10 * clusters
    assert j.half_width_of(n) == pytest.approx((now.high - now.low) / 2)
    for times in (2, 20):
        more = min(times * clusters, 120) - 1
        ratio = j.half_width_of(min(n * times, 1200)) / j.half_width_of(n)
        wanted = stats.t.ppf(0.975, more) / stats.t.ppf(0.975, clusters - 1) / math.sqrt(min(times, 1200 / n))
        assert wanted * 0.95 < ratio < wanted * 1.6
