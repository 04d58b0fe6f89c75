"""Properties of judged results: groups, parts, plans, strata, systems."""

import numpy as np
import pytest

import classay as ca
from classay.judge.cells import Values
from classay.judge.measured import estimates
from classay.judge.rows import read_rows


def rows(n=2000, labels=300, seed=0):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3) * 1
    judge = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    human = np.where(rng.permutation(n) < labels, truth, np.nan)
    return human, judge, rng.integers(0, 3, n)


def ends(estimate):
    return pytest.approx((estimate.value, estimate.low, estimate.high), abs=1e-12)


def test_groups_are_as_one_by_one():
    human, judge, group = rows()
    j = ca.judged(human, judge, by=group, cluster=np.arange(2000) // 4)
    for k in range(3):
        own = group == k
        alone = ca.judged(human[own], judge[own], cluster=(np.arange(2000) // 4)[own])
        for name in ("recall", "agreement", "kappa"):
            found = j.groups[k].judge[name]
            assert (found.value, found.low, found.high) == ends(alone.judge[name])
        found = j.groups[k]["pass_rate"]
        assert (found.value, found.low, found.high) == ends(alone["pass_rate"])
        assert j.groups[k].half_width_of(200) == pytest.approx(alone.half_width_of(200))
        assert j.groups[k].effective_labels == pytest.approx(alone.effective_labels)


def test_cells_of_parts_add_up():
    human, judge, _ = rows()
    whole = read_rows(human, judge, None, {})
    parts = [read_rows(human[own], judge[own], None, {}) for own in (slice(900), slice(900, None))]
    cells = [part.cells(part.grades.codes, 3) for part in (whole, *parts)]
    added = cells[1] + cells[2]
    assert (added.sizes == cells[0].sizes).all()
    assert (added.counts == cells[0].counts).all()


def test_more_labels_give_the_planned_half_width():
    human, judge, _ = rows(labels=300)
    j = ca.judged(human, judge)
    number = j.labels_for(half_width=0.025)
    assert j.half_width_of(number) <= 0.025 < j.half_width_of(number - 1)
    now = j["pass_rate"]
    assert j.half_width_of(300) == pytest.approx((now.high - now.low) / 2)


def test_a_half_width_that_no_number_of_labels_gives():
    human, judge, _ = rows()
    j = ca.judged(human, judge)
    with pytest.raises(ca.InputError, match=r"A half-width of 0\.005 cannot be reached"):
        j.labels_for(0.005)
    assert j.with_plan(0.005).planned.sentence == (
        "A half-width of 0.005 needs more cases. No number of human labels suffices."
    )


def half(estimate):
    return (estimate.high - estimate.low) / 2


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("middle", [0.0, 0.5])
def test_a_plan_of_all_cases_is_what_all_labels_give(finite, middle):
    """A cell has no more labels than cases: what is beyond its cases is drawn from others, here with equal shares."""
    judge = np.repeat([1, 0], [60, 940])
    truth = np.choose(np.arange(1000) % 5, [1.0, middle, 0.0, 0.0, judge])
    human = np.where(np.arange(1000) < 120, truth, np.nan)
    j = ca.judged(human, judge, finite=finite)
    now, everything = half(j[j.first]), half(ca.judged(truth, judge, finite=finite)[j.first])
    assert j.half_width_of(120) == pytest.approx(now, abs=1e-12)
    assert j.half_width_of(1000) == pytest.approx(everything, rel=0.02 if middle else 1e-9, abs=1e-12)
    assert finite == (everything < 1e-9)
    steps = [j.half_width_of(number) for number in range(20, 1001, 70)]
    assert steps == sorted(steps, reverse=True)


@pytest.mark.parametrize("finite", [False, True])
def test_a_coin_as_judge_is_worth_nothing(finite):
    human, _, _ = rows(n=500, labels=450)
    coin = np.random.default_rng(3).integers(0, 2, 500)
    assert ca.judged(human, coin, finite=finite).effective_labels == pytest.approx(450, rel=0.01)


def test_the_labels_of_these_very_cases_are_worth_at_most_all():
    human, judge, _ = rows(n=500, labels=450)
    found = ca.judged(human, judge, finite=True).effective_labels
    assert 450 < found < 500


def test_copies_in_clusters_are_worth_as_many_copies():
    human, judge, _ = rows()
    one = ca.judged(human, judge)
    five = ca.judged(np.repeat(human, 5), np.repeat(judge, 5), cluster=np.repeat(np.arange(2000), 5))
    assert five.effective_labels == pytest.approx(5 * one.effective_labels, rel=0.05)


def test_in_these_very_cases_all_labels_leave_no_doubt():
    human, judge, _ = rows(labels=2000)
    found = ca.judged(human, judge, finite=True)["pass_rate"]
    assert (found.low, found.high) == pytest.approx((found.value, found.value))


@pytest.mark.parametrize("grades", [2, 3])
def test_in_these_very_cases_the_labels_only_are_of_these_cases_too(grades):
    human, judge, group = rows(n=500, labels=500)
    columns = (
        (human, judge, (judge + group) % 2) if grades == 2 else (human + group % 2, judge + group % 2, group)
    )

    def widths(labels, **cases):
        human, judge, calls = (column * 1.0 for column in columns)
        human[labels:] = np.nan
        j = ca.judged(human, judge, y_pred=calls if grades == 2 else None, **cases)
        values = [*(one.labels_alone for one in j.measures.values()), *j.judge_labels_alone.values()]
        return np.array([one.high - one.low for one in values])

    assert widths(500, finite=True) == pytest.approx(0, abs=1e-12)
    ratio = widths(300, finite=True) / widths(300)
    assert ratio == pytest.approx(np.sqrt(200 / 499), rel=0.05)  # the finite population correction


def test_grades_of_some_of_these_very_cases_leave_a_doubt():
    """The correction is by the number of labels, not by those of yes and no that say as much."""
    human, judge, _ = rows(n=500, labels=250)
    human, judge = human + 2, judge + 2
    judge[:2] = 5
    human[:2] = 1, 5
    mean, finite = (ca.judged(human, judge, finite=finite)["mean_grade"] for finite in (False, True))
    one = ca.judged(human, np.ones(500), finite=True).measures["mean_grade"]
    spread = np.nanvar(human, ddof=1) / np.isfinite(human).sum()
    half = 1.96 * np.sqrt(spread * np.isnan(human).sum() / 499)
    assert (one.estimate.high - one.estimate.low) / 2 == pytest.approx(half, rel=0.02)
    assert finite.low < finite.value < finite.high < mean.high


def test_strata_with_enough_labels_are_cells():
    human, judge, group = rows()
    drawn = np.where((group == 0) & (np.arange(2000) % 5 > 0), np.nan, human)
    found = ca.judged(drawn, judge, stratum=group)["pass_rate"]
    shares = sum(
        np.nanmean(drawn[own]) * own.mean()
        for k in range(3)
        for g in (0, 1)
        for own in [(group == k) & (judge == g)]
    )
    assert found.value == pytest.approx(shares)


def test_strata_with_few_labels_weight_the_labels():
    human, judge, _ = rows()
    stratum = np.where(np.arange(2000) < 40, "rare", "other")
    drawn = human.copy()
    drawn[:4], drawn[4:40] = 1, np.nan
    j = ca.judged(drawn, judge, stratum=stratum)
    chance = np.where(stratum == "rare", 4 / 40, np.isfinite(drawn[40:]).sum() / 1960)
    assert j["pass_rate"].value == pytest.approx(ca.judged(drawn, judge, chance=chance)["pass_rate"].value)


def test_a_score_is_divided_at_quantiles():
    human, judge, _ = rows()
    score = judge + np.random.default_rng(1).normal(0, 0.3, 2000)
    j = ca.judged(human, score)
    assert dict(j.facts)["cells of the judge's score"].count("to below") == 3
    width = [e.high - e.low for e in (j["pass_rate"], j.measures["pass_rate"].labels_alone)]
    assert width[0] < width[1]


def test_words_have_shares_and_no_mean():
    human, _, group = rows()
    words = np.array(["bad", "fair", "good"])
    j = ca.judged(
        [words[g] if not np.isnan(h) else None for g, h in zip(group, human, strict=True)], words[group]
    )
    assert [*j.measures] == ["share[bad]", "share[fair]", "share[good]"]
    assert j.judge["agreement"].value == 1
    with pytest.raises(ca.UnknownMeasureError, match="no measure 'mean_grade'"):
        j["mean_grade"]


def test_several_classes_are_one_against_the_rest():
    human, judge, group = rows()
    truth = np.where(np.isnan(human), np.nan, (judge + group) % 3)
    calls = np.where(np.arange(2000) % 4 == 0, 0, (judge + group) % 3)
    j = ca.judged(truth, (judge + group) % 3, y_pred=calls)
    assert j["recall[1]"].value < 1 == j["precision[1]"].value


def test_the_sentence_has_the_judge_and_the_labels():
    human, judge, _ = rows()
    j = ca.judged(human, judge)
    assert j.sentence.startswith("The share of '1' is ")
    assert f"the {j.n_labels:,} human labels only" in j.sentence


def wide(n=600, labels=150, seed=5):
    rng = np.random.default_rng(seed)
    human, judge = {}, {}
    for name, share, wrong in (("new", 0.5, 0.4), ("old", 0.6, 0.05), ("third", 0.7, 0.05)):
        truth = rng.random(n) < share
        judge[name] = np.where(truth, rng.random(n) < 0.95, rng.random(n) < wrong) * 1
        human[name] = np.where(np.arange(n) < labels, truth, np.nan)
    return human, judge


def test_long_rows_are_as_wide_ones():
    human, judge = wide()
    names = [*human]
    long = ca.compare_judged(
        np.concatenate([human[name] for name in names]),
        np.concatenate([judge[name] for name in names]),
        system=np.repeat(names, 600),
        id=np.tile(np.arange(600), 3),
    )
    found, expected = (s["new", "old"] for s in (long, ca.compare_judged(human, judge)))
    assert (found.value, found.low, found.high) == ends(expected)


def test_a_turned_order_is_marked():
    human, judge = wide()
    s = ca.compare_judged(human, judge)
    by_name = {system.name: system for system in s.systems}
    assert by_name["new"].rank == 3 > by_name["new"].judge_rank
    assert "order_changed" in dict(s.warnings)
    assert all(one.p <= one.p_adjusted for one in s.differences)
    with pytest.warns(DeprecationWarning, match="JudgedSystems.cautions is now warnings"):
        assert s.cautions == s.warnings


def opposed():
    """Two systems: "a" has the higher value of all its labels, "b" that of the cases with both."""
    truth = {
        "a": [int(k % 3 != 0) if k < 60 else 1 if k < 110 else None for k in range(160)],
        "b": [int(k != 1 and (k % 3 != 0 or k % 9 == 0)) if k < 60 else None for k in range(110)]
        + [k % 2 for k in range(50)],
    }
    return truth, {"a": [1, 0] * 80, "b": [0, 1] * 80}


def test_the_headline_names_the_system_that_the_difference_shows():
    human, judge = opposed()
    judge["b"][0] = 1
    for names in (("a", "b"), ("b", "a")):
        s = ca.compare_judged({name: human[name] for name in names}, {name: judge[name] for name in names})
        assert s["a"].value > s["b"].value
        assert s["b", "a"].low > 0
        assert s.sentences[0].startswith("b has a higher share of '1' than a: the difference is 10.0 ")
        alone = " and ".join(f"{100 * s[name].value:.1f}% for {name}" for name in "ba")
        assert f"is {alone}, in the opposite order." in " ".join(s.sentences)
        assert s.sentences[3].endswith("b is ahead by 0.6 percentage points.")
        assert "order_changed" in dict(s.warnings)  # the board has a first, the judge b
        judged_b_lower = {"a": judge["b"], "b": judge["a"]}
        assert "order_changed" not in dict(ca.compare_judged(human, judged_b_lower).warnings)


def test_a_judge_that_has_two_systems_alike_has_no_order():
    human, judge = opposed()
    for names in (("a", "b"), ("b", "a")):
        s = ca.compare_judged({name: human[name] for name in names}, {name: judge[name] for name in names})
        assert s.sentences[3].endswith("the difference is 0.0 percentage points.")
        assert [one.rank == one.judge_rank for one in s.systems] == [True, True]


def test_the_other_direction_is_the_negative():
    human, judge = wide()
    s = ca.compare_judged(human, judge)
    one, other = s["new", "old"], s["old", "new"]
    assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)


def test_systems_with_other_cases_are_not_paired():
    human, judge = wide()
    human["old"] = np.roll(human["old"], 300)
    judge["old"] = np.roll(judge["old"], 300)
    s = ca.compare_judged(human, judge)
    assert [one.is_paired for one in s.differences] == [False, True, False]


def test_groups_of_systems_are_as_one_by_one():
    human, judge = wide()
    half = np.arange(600) % 2
    s = ca.compare_judged(human, judge, by=half, cluster=np.arange(600) // 3)
    own = half == 1
    alone = ca.compare_judged(
        {name: column[own] for name, column in human.items()},
        {name: column[own] for name, column in judge.items()},
        cluster=(np.arange(600) // 3)[own],
    )
    found, expected = s.groups[1]["old", "new"], alone["old", "new"]
    assert (found.value, found.low, found.high) == ends(expected)


def test_grades_of_systems():
    human, judge = wide()
    rng = np.random.default_rng(2)
    more = rng.integers(0, 3, 600)
    human, judge = ({name: column * 2 + more for name, column in of.items()} for of in (human, judge))
    s = ca.compare_judged(human, judge)
    assert s.measure == "mean grade"
    assert s["old", "new"].low < 2 * (0.6 - 0.5) < s["old", "new"].high


def test_kappa_of_several_grades():
    rng = np.random.default_rng(0)
    truth = rng.choice([1, 2, 3], 4000, p=[0.5, 0.3, 0.2])
    judge = np.where(rng.random(4000) < 0.8, truth, rng.integers(1, 4, 4000))
    human = np.where(np.arange(4000) < 400, truth, np.nan)
    j = ca.judged(human, judge)
    whole = ca.judged(truth * 1.0, judge).judge["kappa"]
    assert j.judge["kappa"].low < whole.value < j.judge["kappa"].high
    assert whole.value == pytest.approx(ca.assess(truth, y_pred=judge)["cohen_kappa"].value, abs=1e-12)
    core = ca.assess(truth[:400], y_pred=judge[:400])["cohen_kappa"]
    alone = j.judge_labels_alone["kappa"]
    assert alone.value == pytest.approx(core.value, abs=1e-12)
    assert alone.high - alone.low == pytest.approx(core.high - core.low, rel=0.05)
    few = ca.judged(np.where(np.arange(4000) < 6, truth, np.nan), judge).judge["kappa"]
    assert few.reason == "a grade of the judge has fewer than 3 human labels"


def test_kappa_of_all_cases_is_exact_of_these_and_that_of_the_core_of_new_ones():
    rng = np.random.default_rng(0)
    truth = rng.choice([1, 2, 3], 600, p=[0.5, 0.3, 0.2])
    judge = np.where(rng.random(600) < 0.8, truth, rng.integers(1, 4, 600))
    these, new = (ca.judged(truth * 1.0, judge, finite=finite).judge["kappa"] for finite in (True, False))
    core = ca.assess(truth, y_pred=judge)["cohen_kappa"]
    assert (these.value, these.low, these.high) == pytest.approx([core.value] * 3, abs=1e-12)
    assert (new.value, new.low, new.high) == pytest.approx((core.value, core.low, core.high), abs=0.004)


@pytest.mark.parametrize(("clusters", "told"), [(9, True), (10, False)])
@pytest.mark.parametrize("how", ["mean", "share", "yes and no", "two systems"])
def test_few_clusters_are_told_however_labels_are_summarized(how, clusters, told):
    """Clusters without a human label do not count."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 4, 600) * 1.0
    judge = np.where(rng.random(600) < 0.8, truth, rng.integers(1, 4, 600))
    cluster = np.where(np.arange(600) < 200, np.arange(600) % clusters, 100 + np.arange(600) % 50)
    human = np.where(np.arange(600) < 200, truth, np.nan)
    if how == "two systems":
        humans = {"a": human, "b": np.where(np.isnan(human), np.nan, truth[::-1])}
        found = ca.compare_judged(humans, {"a": judge, "b": judge[::-1]}, cluster=cluster)
    elif how == "yes and no":
        known = np.where(np.isnan(human), np.nan, human == 1)
        found = ca.judged(known, (judge == 1) * 1, cluster=cluster)
    else:
        found = ca.judged(human, judge, cluster=cluster, **({"positive": 1} if how == "share" else {}))
    texts = [text for code, text in found.warnings if code == "few_clusters"]
    assert texts == told * [f"Few clusters have a human label ({clusters}). Intervals may be too narrow."]


def test_cases_without_a_group_are_told():
    human, judge, group = rows()
    j = ca.judged(human, judge, by=[None if k < 20 else label for k, label in enumerate(group.tolist())])
    assert "no_group" in [warning.code for warning in j.warnings]
    assert sum(each.n_cases for each in j.groups.values()) == 1980


def test_a_system_without_labels_is_named():
    human, judge, _ = rows()
    with pytest.raises(ca.InputError, match="No case of the system 'old' has a human label"):
        ca.compare_judged({"new": human, "old": np.full(2000, np.nan)}, {"new": judge, "old": 1 - judge})


@pytest.mark.parametrize(
    ("positives", "sensitivity", "specificity", "said"),
    [
        (0, (50, 50), (190, 200), "predicts 25 incorrect positive grades"),
        (500, (45, 50), (200, 200), "its sensitivity on other cases predicts at most 450"),
    ],
)
def test_accuracy_elsewhere_that_does_not_fit(positives, sensitivity, specificity, said):
    """Both limits would be cut to one end of the range: an interval without width would be a lie."""
    t = ca.rogan_gladen(positives, 500, sensitivity_of=sensitivity, specificity_of=specificity)
    assert not t.estimate.has_interval
    assert not t.lang_reiczigel.has_interval
    assert said in t.warnings[1].text
    assert t.to_dict()["warnings"]


@pytest.mark.parametrize("name", ["clusters", "chances", "is_finite", "ids"])
def test_an_unknown_argument_is_refused(name):
    human, judge = wide()
    for function, columns in ((ca.judged, (human["new"], judge["new"])), (ca.compare_judged, (human, judge))):
        with pytest.raises(
            TypeError, match=f"{function.__name__}.. got an unexpected keyword argument {name!r}"
        ):
            function(*columns, **{name: np.arange(600) // 3})


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (1.0, 5.0), (-2.0, 2.0)])
def test_an_estimate_without_limits_has_the_value_that_it_has_with_them(bounds, monkeypatch):
    human, judge, _ = rows()
    two = read_rows(human, judge, None, {})
    cells = two.cells(two.grades.codes, 3)
    values, labels = cells.merged().mean(np.array([0.0, 1.0])), cells.labels.sum(-1)
    usual = estimates(values, labels, 0.95, bounds)
    width = bounds[1] - bounds[0]
    assert [one.value for one in usual] == pytest.approx(bounds[0] + width * values.value)
    for low, high in ((np.nan, 0.9), (0.1, np.nan), (0.5, 0.5)):
        ends = tuple(np.full(values.value.shape, end) for end in (low, high))
        monkeypatch.setattr(Values, "limits", lambda self, level, ends=ends: ends)
        bare = estimates(values, labels, 0.95, bounds)
        assert [one.value for one in bare] == [one.value for one in usual]
        assert not any(one.has_interval for one in bare)


@pytest.mark.parametrize(("labels", "positive"), [([0] * 40, 1), ([1] * 40, 0), ([False] * 40, True)])
def test_a_named_positive_label_may_occur_nowhere(labels, positive):
    """Of 0 and 1, the other one is known, for the judge and the humans as for an assessment."""
    j = ca.judged(labels, [*labels], positive=positive)
    assert (j.positive, j["pass_rate"].value) == (positive, 0)
    assert ca.assess(labels, [0.3] * 40, positive=positive).positive == positive


@pytest.mark.parametrize("clusters", [None, 30])
@pytest.mark.parametrize("grades", [2, 6])
def test_a_p_value_is_the_level_at_which_the_interval_of_a_difference_touches_0(clusters, grades):
    more = np.arange(600) % (grades // 2)
    human, judge = ({name: column + 2 * more for name, column in of.items()} for of in wide())
    how = {} if clusters is None else {"cluster": np.arange(600) // (600 // clusters)}
    for one in ca.compare_judged(human, judge, **how).differences:
        found = ca.compare_judged(human, judge, level=1 - one.p, **how)[one.systems]
        assert min(abs(found.low), abs(found.high)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("grades", [2, 3])
def test_the_kappa_of_these_very_cases_is_certain_once_all_have_labels_and_of_others_it_never_is(grades):
    human, judge, group = rows(n=500, labels=500)
    human, judge = human + (grades - 2) * (group % 2), judge + (grades - 2) * (group % 2)
    certain, other = (ca.judged(human, judge, finite=finite).judge["kappa"] for finite in (True, False))
    assert (certain.low, certain.high) == pytest.approx((certain.value, certain.value))
    drawn = ca.assess(human, y_pred=judge)["cohen_kappa"]
    assert other.value == pytest.approx(drawn.value)
    assert other.high - other.low == pytest.approx(drawn.high - drawn.low, rel=0.1)
