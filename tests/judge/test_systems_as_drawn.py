"""Systems whose labels were drawn with chances, in strata, or over time, and with unsure labels, as one by one."""

import numpy as np
import pytest

import classay as ca
from classay.inference.along_the_way import finite_counts
from classay.inference.phrasing import percent
from classay.inference.proportions import wilson
from classay.judge.judge_warnings import cochran_armitage


def drawn(n=900, seed=4, few=False):
    """Two systems' answers, of which cases of a rare kind were drawn more often."""
    rng = np.random.default_rng(seed)
    rare = rng.random(n) < (0.02 if few else 0.3)
    chance = np.where(rare, 0.5, 0.15)
    labelled = rng.random(n) < chance
    human, judge = {}, {}
    for name, share, wrong in (("new", 0.5, 0.4), ("old", 0.6, 0.05)):
        truth = rng.random(n) < np.where(rare, 0.3, share)
        judge[name] = np.where(truth, rng.random(n) < 0.95, rng.random(n) < wrong) * 1
        human[name] = np.where(labelled, truth, np.nan)
    return human, judge, chance, np.where(rare, "rare", "other")


def ends(estimate):
    return pytest.approx((estimate.value, estimate.low, estimate.high), abs=1e-12)


def numbers(estimate):
    return estimate.value, estimate.low, estimate.high


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("role", ["chance", "stratum"])
@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("finite", [False, True])
def test_each_system_is_as_judged_alone(role, few, clusters, finite):
    human, judge, chance, stratum = drawn(few=few)
    columns = {role: {"chance": chance, "stratum": stratum}[role]}
    if clusters:
        columns["cluster"] = np.arange(900) // 3
    s = ca.compare_judged(human, judge, finite=finite, **columns)
    for system in s.systems:
        alone = ca.judged(human[system.name], judge[system.name], finite=finite, **columns)
        assert numbers(system.measured.estimate) == ends(alone["pass_rate"])
        assert numbers(system.measured.labels_alone) == ends(alone.measures["pass_rate"].labels_alone)
        assert system.agreement.value == pytest.approx(alone.judge["agreement"].value, abs=1e-12)


@pytest.mark.parametrize("finite", [False, True])
def test_clusters_in_which_a_system_has_no_answer_are_none_of_its_clusters(finite):
    human, judge, _, _ = drawn()
    cluster = np.arange(900) // 20
    has = {"new": np.ones(900, bool), "old": cluster % 3 > 0}
    rows = {
        name: np.concatenate([column[name][has[name]] for name in has])
        for name, column in {
            "human": human,
            "judge": judge,
            "id": dict.fromkeys(has, np.arange(900)),
            "cluster": dict.fromkeys(has, cluster),
        }.items()
    }
    system = np.repeat([*has], [of.sum() for of in has.values()])
    s = ca.compare_judged(**rows, system=system, finite=finite)
    for name, of in has.items():
        alone = ca.judged(human[name][of], judge[name][of], cluster=cluster[of], finite=finite)
        assert numbers(s[name]) == ends(alone["pass_rate"])


@pytest.mark.parametrize("role", ["chance", "stratum"])
def test_drawn_alike_is_drawn_at_random(role):
    human, judge, _, _ = drawn()
    human = {
        name: np.where(np.arange(900) < 200, np.nan_to_num(column), np.nan) for name, column in human.items()
    }
    alike = {role: np.full(900, 0.2) if role == "chance" else ["all"] * 900}
    found, expected = ca.compare_judged(human, judge, **alike), ca.compare_judged(human, judge)
    assert numbers(found["new", "old"]) == ends(expected["new", "old"])
    assert numbers(found["new"]) == ends(expected["new"])


@pytest.mark.parametrize("role", ["chance", "stratum"])
def test_long_rows_are_as_wide_ones(role):
    human, judge, chance, stratum = drawn()
    column = {"chance": chance, "stratum": stratum}[role]
    names = [*human]
    long = ca.compare_judged(
        np.concatenate([human[name] for name in names]),
        np.concatenate([judge[name] for name in names]),
        system=np.repeat(names, 900),
        id=np.tile(np.arange(900), 2),
        time=np.tile(np.arange(900) % 3, 2),
        **{role: np.tile(column, 2)},
    )
    wide = ca.compare_judged(human, judge, time=np.arange(900) % 3, **{role: column})
    assert numbers(long["new", "old"]) == ends(wide["new", "old"])
    assert [one.drift.p for one in long.systems] == pytest.approx([one.drift.p for one in wide.systems])


def test_the_order_of_systems_does_not_matter():
    human, judge, _, stratum = drawn()
    judge = {
        name: np.where(np.arange(900) % 11 == k, np.nan, column)
        for k, (name, column) in enumerate(judge.items())
    }
    one = ca.compare_judged(human, judge, stratum=stratum)["new", "old"]
    turned = [dict(reversed(of.items())) for of in (human, judge)]
    assert numbers(ca.compare_judged(*turned, stratum=stratum)["new", "old"]) == ends(one)


def test_unsure_labels_are_excluded_and_counted():
    human, judge, _, _ = drawn()
    words = {name: [{1.0: "yes", 0.0: "no"}.get(label) for label in column] for name, column in human.items()}
    at = next(k for k, word in enumerate(words["new"]) if word)
    words["new"][at] = "unsure"
    human["new"][at] = np.nan
    grades = {name: np.where(column == 1, "yes", "no") for name, column in judge.items()}
    s = ca.compare_judged(words, grades, positive="yes", unsure="unsure")
    assert dict(s.warnings)["unsure"] == "Unsure human labels: 1. These answers count as unlabeled."
    assert numbers(s["new", "old"]) == ends(ca.compare_judged(human, judge)["new", "old"])
    with pytest.raises(ca.InputError, match="Label 'perhaps' does not occur"):
        ca.compare_judged(words, grades, positive="yes", unsure="perhaps")


def test_a_judge_that_changed_for_one_system_is_told():
    human, judge, _, _ = drawn(n=900)
    time = np.arange(900) // 300
    judge["old"] = np.where((time == 2) & (np.arange(900) % 2 == 0), 1 - judge["old"], judge["old"])
    s = ca.compare_judged(human, judge, time=time)
    changed = [warning for warning in s.warnings if warning.code == "judge_changed"]
    assert ["on old " in warning.text for warning in changed] == [True]
    by_name = {system.name: system.drift for system in s.systems}
    alone = ca.judged(human["old"], judge["old"], time=time).drift
    assert by_name["old"].agreed == alone.agreed
    assert by_name["old"].p == pytest.approx(alone.p)


def test_the_drift_of_groups_and_the_corrected_agreement_of_times():
    human, judge, _, stratum = drawn()
    time = np.arange(900) % 3
    j = ca.judged(human["old"], judge["old"], time=time, by=stratum)
    rare = stratum == "rare"
    alone = ca.judged(human["old"][rare], judge["old"][rare], time=time[rare])
    assert j.groups["rare"].drift.agreed == alone.drift.agreed
    for label, share in zip(j.drift.times, j.drift.corrected, strict=True):
        one = ca.judged(human["old"][time == label], judge["old"][time == label]).judge["agreement"]
        assert share.value == pytest.approx(one.value, abs=1e-12)


def test_labels_only_are_weighted_in_strata():
    human, judge, _, stratum = drawn()
    j = ca.judged(human["new"], judge["new"], stratum=stratum, y_pred=judge["old"])
    expected = sum(np.nanmean(human["new"][stratum == s]) * (stratum == s).mean() for s in ("rare", "other"))
    assert j.measures["pass_rate"].labels_alone.value == pytest.approx(expected, abs=1e-12)
    known = ~np.isnan(human["new"])
    weight = np.array([1 / known[stratum == s].mean() for s in stratum])[known]
    truth, calls = human["new"][known], judge["old"][known]
    recall = ca.assess(truth, y_pred=calls, weight=weight)["recall"].value
    assert j.measures["recall"].labels_alone.value == pytest.approx(recall, abs=1e-12)
    agreed = ca.assess(truth, y_pred=judge["new"][known], weight=weight)["accuracy"].value
    assert j.judge_labels_alone["agreement"].value == pytest.approx(agreed, abs=1e-12)


@pytest.mark.parametrize(
    ("further", "text"),
    [
        ({"chance": np.full(900, 2.0)}, "not above 0 and at most 1"),
        ({"chance": np.full(9, 0.5)}, "chance has 9"),
        ({"stratum": ["a"] * 9}, "stratum has 9"),
        ({"stratum": [None] * 900}, "stratum is missing"),
        ({"time": ["a"] * 9}, "time has 9"),
        (
            {"stratum": np.where(np.arange(900) < 5, "empty", "other")},
            "1 of 2 strata have no human label of the",
        ),
    ],
)
def test_columns_that_do_not_fit_are_refused(further, text):
    human, judge, _, _ = drawn()
    human = {name: np.where(np.arange(900) < 5, np.nan, column) for name, column in human.items()}
    with pytest.raises(ca.InputError, match=text):
        ca.compare_judged(human, judge, **further)


def test_two_chances_of_a_case_are_refused():
    human, judge, chance, _ = drawn()
    columns = [np.concatenate([of["new"], of["old"]]) for of in (human, judge)]
    with pytest.raises(ca.InputError, match="Rows of one id have different values of chance"):
        ca.compare_judged(
            *columns,
            system=np.repeat(["new", "old"], 900),
            id=np.tile(np.arange(900), 2),
            chance=np.concatenate([chance, chance / 2]),
        )


@pytest.mark.parametrize("compare", [False, True])
def test_bounds_make_two_grades_a_mean(compare):
    human = np.where(np.arange(300) < 90, 1 + 4.0 * (np.arange(300) % 3 > 0), np.nan)
    judge = 1 + 4 * (np.arange(300) % 4 > 0)
    if compare:
        s = ca.compare_judged({"a": human, "b": 6 - human}, {"a": judge, "b": 6 - judge}, bounds=(0, 10))
        assert s.measure == "mean grade"
        value, share = s["a"], ca.judged(human, judge, positive=5)["pass_rate"]
    else:
        value = ca.judged(human, judge, bounds=(0, 10))["mean_grade"]
        share = ca.judged(human, judge, positive=5)["pass_rate"]
    assert value.value == pytest.approx(1 + 4 * share.value, abs=1e-12)
    with pytest.raises(ca.InputError, match="cannot be combined"):
        ca.judged(human, judge, positive=5, bounds=(0, 10))


def codes(result):
    return [warning.code for warning in result.warnings]


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("extra_grades", lambda human, judge: (human, np.where(np.arange(900) % 7 == 0, 2, judge))),
        ("no_grade", lambda human, judge: (human, np.where(np.arange(900) % 7 == 0, np.nan, judge))),
        ("all_labelled", lambda human, judge: (np.nan_to_num(human), judge)),
        ("one_kind", lambda human, judge: (np.where(np.isnan(human), human, 1), judge)),
        ("equal_judge", lambda human, judge: (human, np.nan_to_num(human))),
        ("labels_by_grade", lambda human, judge: (np.where(judge == 1, human, np.nan), judge)),
    ],
)
def test_what_is_odd_about_one_system_is_told(code, change):
    human, judge, _, _ = drawn()
    is_drawn = np.random.default_rng(0).random(900) < 0.3
    human = {name: np.where(is_drawn, np.nan_to_num(column), np.nan) for name, column in human.items()}
    assert code not in codes(ca.compare_judged(human, judge))
    human["old"], judge["old"] = change(human["old"], judge["old"])
    s = ca.compare_judged(human, judge, positive=1)
    assert [warning.concerns for warning in s.warnings if warning.code == code] == [("old",)]


def test_chances_that_cannot_be_those_of_labels_are_told():
    human, judge, chance, _ = drawn()
    for result in (
        ca.judged(human["new"], judge["new"], chance=chance / 10),
        ca.compare_judged(human, judge, chance=chance / 10),
    ):
        assert "implausible_chances" in codes(result)
    for result in (
        ca.judged(human["new"], judge["new"], chance=chance),
        ca.compare_judged(human, judge, chance=chance),
    ):
        assert "implausible_chances" not in codes(result)


def test_a_grade_with_labels_of_too_few_rare_chances_is_combined():
    human = np.full(2000, np.nan)
    human[:100] = np.arange(100) % 2
    judge = np.where(np.arange(2000) % 20 == 0, 1, 0)
    chance = np.where(np.arange(2000) < 90, 0.4, 0.02)
    j = ca.judged(human, judge, chance=chance)
    assert "too few human labels for these chances" in dict(j.warnings)["small_cells"]
    assert (j["pass_rate"].low, j["pass_rate"].high) == (
        j.measures["pass_rate"].labels_alone.low,
        j.measures["pass_rate"].labels_alone.high,
    )


def test_the_drift_of_these_very_cases():
    """The labels of a time count as m (N - 1) / (N - m) of endless cases; where all have one, nothing is unknown."""
    some, grades, _, _ = drawn()
    time, graded = np.arange(900) // 300, grades["old"].astype(float)
    labels = np.where(time == 0, np.where(np.isnan(some["old"]), graded, some["old"]), some["old"])
    for finite in (False, True):
        one = ca.judged(labels, graded, time=time, finite=finite, positive=1).drift
        systems = ca.compare_judged(
            {"a": labels, "b": labels.copy()}, {"a": graded, "b": 1 - graded}, time=time, finite=finite
        )
        (of_systems,) = (system.drift.agreement for system in systems.systems if system.name == "a")
        for number, agreed, share, of_system in zip(
            one.labels, one.agreed, one.agreement, of_systems, strict=True
        ):
            assert (share.low, share.high) == pytest.approx((of_system.low, of_system.high))
            counts = number * 299 / (300 - number) if finite and number < 300 else number
            low, high = wilson(agreed / number * counts, counts, 0.95)
            if finite and number == 300:
                low = high = agreed / number
            assert (share.low, share.high) == pytest.approx((low, high), abs=1e-12)


def test_a_trend_of_these_very_cases_is_tested_where_labels_are_missing():
    """Fully labeled cases have no p-value; few labels of many cases have that of new ones, at the same shares."""
    some, grades, _, _ = drawn()
    time, graded = np.arange(900) // 300, grades["old"].astype(float)
    labels = np.where(np.isnan(some["old"]), graded, some["old"])
    full = ca.judged(labels, graded, time=time, finite=True, positive=1).drift
    assert np.isnan(full.p)
    assert {one.method for one in full.agreement} == {"all cases labeled"}
    agreed, number = np.array([46, 45, 42, 37]), np.full(4, 50)
    z, p = cochran_armitage(agreed, number)
    assert cochran_armitage(agreed, number, finite_counts(number, np.full(4, 10**9))) == pytest.approx(
        (z, p), rel=1e-6
    )
    halves, _ = cochran_armitage(agreed, number, finite_counts(number, np.full(4, 101)))
    assert halves == pytest.approx(z * (100 / 51) ** 0.5)


def test_a_trend_of_drawn_labels_is_false_as_often_as_its_level():
    """Hypergeometric labels of times with equal shares."""
    rng = np.random.default_rng(5)
    counts = finite_counts(np.full(4, 60), np.full(4, 100))
    agreed = rng.hypergeometric(80, 20, 60, (4000, 4))
    wrong = np.mean([cochran_armitage(one, np.full(4, 60), counts)[1] < 0.05 for one in agreed])
    assert abs(wrong - 0.05) < 0.015


def test_a_changed_judge_is_named_by_the_corrected_agreement():
    """In each time, cases without a label all have grade 1, on which the judge comes to err."""
    human, judge, wanted = [], [], []
    for wrong in (1, 5, 9, 14):
        human += [1] * (25 - wrong) + [0] * (25 + wrong) + [None] * 50
        judge += [1] * 25 + [0] * 25 + [1] * 50
        wanted.append((25 + 75 * (25 - wrong) / 25) / 100)
    j = ca.judged(human, judge, time=np.repeat([1, 2, 3, 4], 100))
    (text,) = (one.text for one in j.warnings if one.code == "judge_changed")
    assert [one.value for one in j.drift.corrected] == pytest.approx(wanted)
    assert f"from {percent(wanted[0], 50)} to {percent(wanted[3], 50)}" in text
    assert percent(wanted[3], 50) != percent((50 - 14) / 50, 50)
