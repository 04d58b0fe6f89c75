"""Columns that give no number silently: each is told or refused, with what settles it."""

import numpy as np
import pytest

import classay as ca


def rows(n=400, labels=100, seed=3):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4) * 1
    judge = np.where(rng.random(n) < 0.85, truth, 1 - truth)
    human = np.where(np.arange(n) < labels, truth, np.nan)
    return human, judge


def codes(result):
    return [code for code, _ in result.warnings]


def test_grades_that_humans_never_give_are_told():
    human, judge = rows()
    j = ca.judged(human, np.where(np.arange(400) % 7 == 0, 2, judge))
    assert "extra_grades" in codes(j)
    assert "2" in dict(j.warnings)["extra_grades"]


def test_two_human_labels_show_their_agreement():
    human, judge = rows()
    second = human.copy()
    second[:10] = 1 - second[:10]
    j = ca.judged(human, judge, second=second)
    assert dict(j.facts)["agreement of both humans"] == "90.0% of 100 cases (95% CI 82.6% to 94.5%)"
    assert j["pass_rate"] == ca.judged(human, judge)["pass_rate"]


def test_the_second_label_stands_in_for_a_missing_first_one():
    human, judge = rows()
    halves = [np.where(np.arange(400) % 2 == k, human, np.nan) for k in range(2)]
    j = ca.judged(halves[0], judge, second=halves[1])
    assert j["pass_rate"] == ca.judged(human, judge)["pass_rate"]
    assert dict(j.facts)["agreement of both humans"] == "no case has two human labels"


def test_unsure_labels_are_excluded_and_counted():
    human, judge = rows()
    texts = [{1: "yes", 0: "no"}.get(label) for label in human]
    texts[3] = texts[8] = "unsure"
    grades = np.where(judge == 1, "yes", "no")
    j = ca.judged(texts, grades, unsure="unsure", positive="yes")
    assert j.n_labels == 98
    assert dict(j.warnings)["unsure"] == "Unsure human labels: 2. These cases count as unlabeled."


def test_cases_without_a_grade_are_a_cell_of_their_own():
    human, judge = rows()
    j = ca.judged(human, np.where(np.arange(400) % 5 == 0, np.nan, judge))
    assert (
        dict(j.warnings)["no_grade"]
        == "The judge gave no grade to 80 cases. These cases form a separate group."
    )
    assert j["pass_rate"].has_interval


@pytest.mark.parametrize("label", [0, 1])
def test_labels_of_one_kind_are_told(label):
    human, judge = rows()
    j = ca.judged(np.where(np.isnan(human), np.nan, label), judge)
    assert "one_kind" in codes(j)
    assert j["pass_rate"].value == label
    assert j["pass_rate"].low < j["pass_rate"].high


def test_a_judge_that_is_the_human_column_is_refused():
    human, _ = rows()
    with pytest.raises(ca.InputError, match="the same column"):
        ca.judged(human, human)


def test_a_judge_that_never_errs_is_told():
    human, _ = rows()
    j = ca.judged(human, np.nan_to_num(human))
    assert "equal_judge" in codes(j)
    assert j.judge["recall"].low < j.judge["recall"].high == 1


def test_a_human_column_with_values_on_every_row_is_told():
    _, judge = rows()
    j = ca.judged(rows(labels=400)[0], judge)
    assert "all_labelled" in codes(j)


def test_a_useless_judge_is_told():
    human, _ = rows()
    j = ca.judged(human, np.arange(400) % 2)
    assert "useless_judge" in codes(j)


def test_a_reversed_score_is_told():
    human, judge = rows()
    scores = -judge + np.random.default_rng(0).normal(size=400)
    j = ca.judged(human, scores)
    assert "negative_weight" in codes(j)


def test_a_cell_with_few_labels_uses_the_labels_alone():
    human, judge = [1, 1, 0] * 10 + [None] * 100, [1] * 30 + [0] * 100
    j = ca.judged(human, judge)
    assert "small_cells" in codes(j)
    low, high = ca.proportion(20, 30).estimates["Wilson"].low, ca.proportion(20, 30).estimates["Wilson"].high
    assert (j["pass_rate"].low, j["pass_rate"].high) == pytest.approx((low, high))
    assert j["pass_rate"].method == "Wilson"


def test_labels_drawn_by_the_grade_are_told():
    _, judge = rows()
    human = np.where((judge == 1) & (np.arange(400) < 300), 1.0, np.nan)
    human[np.flatnonzero(judge == 0)[:10]] = 0
    assert "labels_by_grade" in codes(ca.judged(human, judge))


def test_labels_drawn_by_a_score_or_a_group_are_told():
    human, judge = rows(labels=400)
    score = judge + np.random.default_rng(1).normal(0, 0.5, 400)
    high = np.argsort(score)[-150:]
    drawn = np.where(np.isin(np.arange(400), high), human, np.nan)
    assert "labels_by_grade" in codes(ca.judged(drawn, score))
    group = np.where(np.arange(400) < 100, "early", "late")
    early = np.where((np.arange(400) < 90) | (np.arange(400) > 350), human, np.nan)
    assert "labels_by_group" in codes(ca.judged(early, judge, by=group))
    assert "labels_by_group" not in codes(ca.judged(early, judge, by=group, stratum=group))


def test_a_judge_that_changed_is_told():
    human, judge = [], []
    for right in (46, 45, 42, 37):
        human += [1, 0] * 25 + [None] * 50
        judge += [1 - x if k >= right else x for k, x in enumerate([1, 0] * 25)] + [1, 0] * 25
    j = ca.judged(human, judge, time=np.repeat([1, 2, 3, 4], 100))
    assert round(j.drift.p, 6) == 0.007888
    assert "judge_changed" in codes(j)


REFUSED = {
    "no label": (([None] * 4, [0, 1, 0, 1]), {}, "No case has a human label"),
    "no grade": (([0, 1, None], [None] * 3), {}, "gave no grade"),
    "lengths": (([0, 1, None], [0, 1]), {}, "judge has 2"),
    "length of groups": (([0, 1, None], [0, 1, 1]), {"by": [1, 2]}, "by has 2"),
    "positive": ((["a", "b", None], ["a", "b", "a"]), {}, "positive='a' or positive='b'"),
    "kinds": ((["1", "0", None], [1, 2, 3]), {"positive": "1"}, "Convert one"),
    "chance above 1": (([0, 1, None], [0, 1, 1]), {"chance": [0.5, 2, 0.5]}, "not above 0 and at most 1"),
    "chance missing": (([0, 1, None], [0, 1, 1]), {"chance": [0.5, None, 0.5]}, "1 row"),
    "cluster missing": (([0, 1, None], [0, 1, 1]), {"cluster": ["a", None, "b"]}, "cluster is missing"),
    "bounds": (([0, 3, 5], [0, 3, 5]), {"bounds": (1, 5)}, "outside the bounds"),
    "bounds in order": (([0, 3, 5], [0, 3, 5]), {"bounds": (5, 1)}, "a lower and a higher"),
    "bounds of words": ((["a", "b", "c"], ["a", "b", "c"]), {"bounds": (5, 1)}, "numeric"),
    "one time": (([0, 1, None], [0, 1, 1]), {"time": [1, 1, 1]}, "two times or more"),
    "stratum without labels": (
        ([0, 1, None, None], [0, 1, 1, 0]),
        {"stratum": ["a", "a", "b", "b"]},
        "1 of 2 strata have no human label",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    columns, further, text = REFUSED[name]
    with pytest.raises((ca.InputError, ca.MergeError), match=text):
        ca.judged(*columns, **further)


def systems(n=200, labels=60):
    human, judge = {}, {}
    for k, name in enumerate(("new", "old")):
        human[name], judge[name] = rows(n, labels, seed=k)
    return human, judge


def test_one_human_column_of_two_systems_is_refused():
    human, judge = systems()
    with pytest.raises(ca.InputError, match="same human column"):
        ca.compare_judged({"new": human["new"], "old": human["new"]}, judge)


def test_systems_of_other_names_are_refused():
    human, judge = systems()
    with pytest.raises(ca.InputError, match="Use the same names"):
        ca.compare_judged({"new": human["new"], "odl": human["old"]}, judge)


def test_one_system_is_refused():
    human, judge = systems()
    with pytest.raises(ca.InputError, match="two systems or more"):
        ca.compare_judged({"new": human["new"]}, {"new": judge["new"]})


def test_one_column_without_systems_is_refused():
    human, judge = rows()
    with pytest.raises(ca.InputError, match="Each system needs a column"):
        ca.compare_judged(human, judge)


def test_two_rows_of_one_id_are_refused():
    human, judge = rows()
    with pytest.raises(ca.InputError, match="several rows with the same id"):
        ca.compare_judged(human, judge, system=np.arange(400) % 2, id=np.arange(400) // 4)


def test_labels_for_one_system_alone_are_told():
    human, judge = systems()
    human["old"][:10] = np.nan
    assert "one_system" in codes(ca.compare_judged(human, judge))


@pytest.mark.parametrize("counts", [(5, 4), (-1, 4), (0, 0)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ca.InputError, match="number of cases and all cases"):
        ca.rogan_gladen(3, 10, sensitivity_of=counts, specificity_of=(9, 10))


def test_a_judge_without_discernment_gives_no_true_share():
    found = ca.rogan_gladen(3, 10, sensitivity_of=(4, 10), specificity_of=(5, 10))
    assert found.estimate.is_undefined


def test_a_drift_of_scores_is_refused():
    human, judge = rows()
    scores = judge + np.random.default_rng(0).random(400)
    with pytest.raises(ca.InputError, match="time= compares the judge's grades with human labels"):
        ca.judged(human, scores, time=np.arange(400) // 100)


@pytest.mark.parametrize("half_width", [0, -1, float("nan"), float("inf")])
def test_a_half_width_is_positive(half_width):
    j = ca.judged(*rows())
    for plan in (j.with_plan, j.labels_for):
        with pytest.raises(ca.InputError, match="must be a positive number"):
            plan(half_width)


@pytest.mark.parametrize("bounds", [(1, 0), (1, 1), (float("nan"), 1), (0, float("inf")), (0.5, 1)])
def test_bounds_are_a_range_of_the_labels(bounds):
    human = [0, 0.5, 1, None] * 30
    grades = {"new": [0, 0.5, 1, 0.5] * 30, "old": [0, 1, 1, 0.5] * 30}
    with pytest.raises(ca.InputError, match="bounds"):
        ca.judged(human, grades["new"], bounds=bounds)
    with pytest.raises(ca.InputError, match="bounds"):
        ca.compare_judged({"new": human, "old": [*human]}, grades, bounds=bounds)


def test_labels_by_stratum_are_told():
    human, judge = rows(n=800, labels=400)
    stratum = np.arange(800) % 2
    few = np.where((stratum == 1) & (np.arange(800) >= 100), np.nan, human)
    assert "labels_by_stratum" in codes(ca.judged(few, judge, stratum=stratum))
    assert "labels_by_stratum" not in codes(ca.judged(human, judge, stratum=stratum))
    assert ca.judged(few, judge, stratum=stratum).power_tuned is None


def test_a_share_that_no_errors_explain_has_no_interval():
    for positives, sensitivity, specificity in ((10, (5, 5), (1, 5)), (490, (30, 50), (50, 50))):
        share = ca.rogan_gladen(positives, 500, sensitivity_of=sensitivity, specificity_of=specificity)
        assert not share.estimate.has_interval
        assert share.estimate.reason
    assert ca.rogan_gladen(0, 500, sensitivity_of=(5, 5), specificity_of=(5, 5)).estimate.high > 0


def test_predicted_labels_are_human_labels():
    human, judge = rows()
    with pytest.raises(ca.InputError, match=r"No predicted label .* is a human label"):
        ca.judged(human, judge, y_pred=[str(grade) for grade in judge])


def test_no_interval_of_a_sample_has_width_0():
    few = ca.judged([None, None, 0], [2, 1, 0], y_pred=[0, 0, 1])["precision"]
    assert (few.value, few.has_interval) == (0, False)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        judge, calls = rng.integers(0, 2, (2, 30))
        human = np.where(np.arange(30) < 10, rng.integers(0, 2, 30) * (seed % 2), np.nan)
        judged = ca.judged(human, judge, positive=1, y_pred=calls)
        for name in ("precision", "recall", "specificity", "accuracy", "f1"):
            assert not judged[name].has_interval or judged[name].low < judged[name].high


def test_ungraded_cases_without_labels_are_excluded():
    human, judge = rows()
    ungraded = np.arange(400) >= 340
    j = ca.judged(human, np.where(ungraded, np.nan, judge), time=np.arange(400) % 2)
    without = ca.judged(human[~ungraded], judge[~ungraded], time=np.arange(340) % 2)
    assert j["pass_rate"] == without["pass_rate"]
    assert j.n_cases == 340
    assert j.drift.agreed == without.drift.agreed
    assert dict(j.warnings)["no_grade"] == (
        "The judge gave no grade to 60 cases. Fewer than 3 of these cases have a human label, so these cases "
        "are excluded."
    )


def test_ungraded_answers_of_systems_are_a_cell_of_their_own():
    human, judge = rows()
    ungraded = np.where(np.arange(400) % 5 == 0, np.nan, judge)
    s = ca.compare_judged(
        np.concatenate([human, human]),
        np.concatenate([ungraded, judge]),
        system=np.repeat(["a", "b"], 400),
        id=np.tile(np.arange(400), 2),
    )
    for name, grades in (("a", ungraded), ("b", judge)):
        alone = ca.judged(human, grades)["pass_rate"]
        assert (s[name].value, s[name].low, s[name].high) == pytest.approx(
            (alone.value, alone.low, alone.high)
        )


def test_a_label_that_seems_no_answer_is_told():
    human, judge = rows()
    words = [{1.0: "yes", 0.0: "no"}.get(label) for label in human]
    words[3] = "unsure"
    grades = np.where(judge == 1, "yes", "no")
    assert "unsure_label" in codes(ca.judged(words, grades, positive="yes"))
    assert "unsure_label" not in codes(ca.judged(words, grades, positive="yes", unsure="unsure"))
