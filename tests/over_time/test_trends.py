"""Trends over periods: the slope of weighted least squares, against NumPy's fit; what shows no trend says so."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import classay as ca
from classay.groups.dates import steps_between
from classay.groups.findings_time import findings_on_trends
from classay.groups.trends import Trends, pooled_variance, trend, trends_of, trends_over

RNG = np.random.default_rng(0)
WHEN, VALUES, CASES = np.arange(8.0), 0.8 + 0.01 * RNG.normal(size=8), RNG.integers(50, 500, 8)


def test_against_a_fit_of_numpy():
    found = trend(WHEN, VALUES, CASES, 0.9)
    line, covariance = np.polyfit(WHEN, VALUES, 1, cov=True)
    half = stats.t.ppf(0.95, 6) * np.sqrt(covariance[0, 0])
    assert (found.value, found.low, found.high) == pytest.approx((line[0], line[0] - half, line[0] + half))


def test_the_wider_of_two_errors_is_the_interval():
    """Values close to a line by chance: the error of their cases is ten times that of their scatter."""
    values, n = [0.9, 0.855, 0.81, 0.762], [200] * 4
    found = trend(range(4), values, n, 0.95, variance=np.mean(values) * (1 - np.mean(values)))
    assert found.value == pytest.approx(-0.0459)
    assert (found.low, found.high) == pytest.approx((-0.069085797165, -0.022714202835), abs=1e-12)
    alone = trend(range(4), values, n, 0.95)
    assert alone.high - alone.low == pytest.approx(2 * 0.002235723941, abs=1e-12)
    wide = trend(range(4), [0.9, 0.7, 0.9, 0.7], n, 0.95, variance=0.16)
    assert wide.high - wide.low == pytest.approx(
        2 * stats.t.ppf(0.975, 2) * stats.linregress(range(4), [0.9, 0.7, 0.9, 0.7]).stderr
    )


def monthly_right(right, n=50):
    """Labels of months with so many right of n each."""
    hit = np.concatenate([np.arange(n) < each for each in right])
    y = np.arange(hit.size) % 2
    months = np.repeat([f"2026-{month:02}" for month in range(1, len(right) + 1)], n)
    return y, np.where(hit, y, 1 - y), months


@pytest.mark.covering(1)
@pytest.mark.parametrize("right", [(42, 40, 38, 35), (45, 40, 35, 30), (30, 31, 48, 20, 44), (40, 40, 40)])
@pytest.mark.parametrize("weight", [None, "frequency", "cluster"])
def test_one_column_has_one_trend_at_both_doors(right, weight):
    y, called, months = monthly_right(right)
    columns = {
        None: {},
        "frequency": {"frequency": np.ones(y.size, int)},
        "cluster": {"cluster": np.arange(y.size) // 2},
    }[weight]
    names = ["accuracy", "recall", "f1", "precision"]
    over = ca.assess_over_time(y, y_pred=called, time=months, per="month", measures=names, **columns)
    s = ca.assess_by(y, y_pred=called, by=months, **columns)
    by = trends_of(s, s.compare(*names))
    for name in names:
        one, other = over.changes[name], by.changes[name]
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high)), name
        assert over.p[name] == pytest.approx(by.p[name])
        assert over.errors[name].periods == by.errors[name].periods == len(right)
    merged = ca.trends_over({month: s.groups[month] for month in s.groups}, names)
    assert merged.changes["accuracy"] == over.changes["accuracy"]


WITH_GAPS = ["2026-01", "2026-02", "2026-05", "2026-06", "2026-08", "2027-01"]
SAME_COLUMNS = {
    "months": (WITH_GAPS, "month", "month"),
    "days": ([f"{month}-{28 - 3 * k:02}" for k, month in enumerate(WITH_GAPS)], "day", "day"),
    "dates": (np.array(WITH_GAPS, "datetime64[D]"), "day", "day"),
    "pandas": (pd.PeriodIndex(WITH_GAPS, freq="M"), "day", "month"),
    "quarters": (
        pd.PeriodIndex(["2025Q1", "2025Q2", "2025Q4", "2026Q1", "2026Q3", "2027Q4"], freq="Q"),
        "day",
        "quarter",
    ),
    "weeks": (pd.PeriodIndex([f"{month}-01" for month in WITH_GAPS], freq="W"), "day", "week"),
    "years": (pd.PeriodIndex(["2001", "2002", "2005", "2006", "2008", "2020"], freq="Y"), "day", "year"),
    "numbers": ([1, 2, 5, 6, 8, 13], "day", "unit of when"),
    "below zero": ([-10, -3, 0, 1, 20, 21], "day", "unit of when"),
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("column", SAME_COLUMNS)
@pytest.mark.parametrize("how", ["gap", "undefined", "unlabeled", "raw"])
def test_gaps_are_counted_alike_at_both_doors(column, how):
    """A month without a case, one whose measure is undefined, one without a label; periods of unequal size."""
    names, per, step = SAME_COLUMNS[column]
    rng = np.random.default_rng(3)
    place = np.repeat(range(6), [60, 150, 30, 80, 11, 120])
    y = rng.integers(0, 2, place.size)
    score = np.clip(rng.normal(0.3 + 0.4 * y - 0.02 * place, 0.25), 0.01, 0.99)
    truth = y.tolist()
    if how == "undefined":
        truth = np.where(place == 3, 0, y).tolist()
    elif how == "unlabeled":
        truth = [None if at == 1 else each for each, at in zip(truth, place, strict=True)]
    elif how == "raw":
        score[place == 2] += 2
    when = pd.Series(names, name="when").iloc[place].reset_index(drop=True)
    measures = ["roc_auc", "accuracy", "recall", "brier_score"]
    given = {"missing": "drop"} | ({"threshold": 0.5} if how == "raw" else {})
    over = ca.assess_over_time(truth, score, time=when, per=per, measures=measures, **given)
    s = ca.assess_by(truth, score, by=when, **given)
    by = trends_of(s, s.compare(*measures))
    assert by.step == step
    assert (by.when, by.p) == (pytest.approx(over.when), pytest.approx(over.p, nan_ok=True))
    assert {name: each.df for name, each in by.errors.items()} == {
        name: each.df for name, each in over.errors.items()
    }
    for name in measures:
        assert numbers(by.changes[name]) == pytest.approx(numbers(over.changes[name]), nan_ok=True), name


def numbers(found):
    return found.value, found.low, found.high


def test_names_that_are_no_times_are_one_step_apart():
    """Ordered categories, bands and what only looks like a month; a step has a name."""
    of = {
        ("low", "mid", "high"): ([0, 1, 2], "group"),
        ("2026-11", "2026-12", "2026-13"): ([0, 1, 2], "group"),
        (3, 2, 9): ([0, 1, 2], "group"),
        (0.5, 1.0, 4.0): ([0, 0.5, 3.5], "unit of dose"),
        ("2026-Q4", "2027-Q1", "2027-Q4"): ([0, 1, 4], "quarter"),
        ("2026-W52", "2026-W53", "2027-W02"): ([0, 1, 3], "week"),
    }
    for names, (steps, word) in of.items():
        assert steps_between(names, "dose") == (steps, word)


def test_four_months_near_a_line_show_no_trend():
    y, called, months = monthly_right((42, 40, 38, 35))
    found = ca.assess_over_time(y, y_pred=called, time=months, per="month", measures=["accuracy"])
    change, errors = found.changes["accuracy"], found.errors["accuracy"]
    assert change.low < 0 < change.high
    assert found.p["accuracy"] > 0.05
    assert errors.cases > 2 * errors.scatter
    p = 155 / 200
    assert errors.cases == pytest.approx(1.959963985 * np.sqrt(p * (1 - p) / 50 / 5))
    text = str(found)
    assert "half the width of each" in text
    assert "t with 2 degrees of freedom" in " ".join(text.split())


def test_months_on_a_line_have_an_interval():
    y, called, months = monthly_right((45, 40, 35, 30))
    found = ca.assess_over_time(y, y_pred=called, time=months, per="month", measures=["accuracy"])
    assert found.changes["accuracy"].has_interval
    assert found.errors["accuracy"].scatter == 0
    assert found.sentences[0].startswith("Accuracy falls by 0.100 per month")


def test_a_month_without_a_value_costs_a_degree_of_freedom():
    """Precision is undefined where nothing is called positive."""
    y, called, months = monthly_right((42, 40, 38, 35, 41, 30))
    called = np.where(months == "2026-03", 0, called)
    found = ca.assess_over_time(
        y, y_pred=called, time=months, per="month", measures=["precision", "accuracy"]
    )
    assert (found.errors["precision"].df, found.errors["accuracy"].df) == (3, 4)
    assert "t with 3 to 4 degrees of freedom" in " ".join(str(found).split())
    kept = months != "2026-03"
    when = [0, 1, 3, 4, 5]
    values = [each.value for each in found.values["precision"] if each.value == each.value]
    assert found.changes["precision"].value == pytest.approx(stats.linregress(when, values).slope)
    assert kept.sum() == 250


def test_another_unit_of_time_of_values_or_of_cases():
    found = trend(WHEN, VALUES, CASES, 0.95)
    for other, factor in (
        (trend(WHEN * 7 + 3, VALUES, CASES, 0.95), 1 / 7),
        (trend(WHEN, VALUES * 100 - 5, CASES, 0.95), 100),
        (trend(WHEN, VALUES, CASES * 10, 0.95), 1),
    ):
        assert (other.value, other.low, other.high) == pytest.approx(
            (found.value * factor, found.low * factor, found.high * factor)
        )
    turned = trend(-WHEN, VALUES, CASES, 0.95)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_periods_without_a_value_or_cases_are_passed_over():
    values, cases = VALUES.copy(), CASES.copy()
    values[2], cases[5] = np.nan, 0
    kept = [0, 1, 3, 4, 6, 7]
    assert trend(WHEN, values, cases, 0.95) == trend(WHEN[kept], values[kept], cases[kept], 0.95)


def test_what_shows_no_trend_says_so():
    few = trend([0, 1], [0.5, 0.6], [9, 9], 0.95).reason
    assert few == "2 of 2 periods have a value, but a trend needs 3"
    none = trend([0, 1, 2], [np.nan] * 3, [9, 9, 9], 0.95).reason
    assert none == "none of 3 periods have a value, but a trend needs 3"
    line = trend([0, 1, 2], [0.5, 0.6, 0.7], [9, 9, 9], 0.95)
    assert line.value == pytest.approx(0.1)
    assert not line.has_interval
    assert "on a line" in line.reason


def test_an_alias_is_the_measure():
    days = {day: ca.assess([1] * 5 + [0] * 5, y_pred=[1] * day + [0] * (10 - day)) for day in (1, 2, 4)}
    assert trends_over(days, ["tpr", "recall"]).to_dict() == trends_over(days, ["recall"]).to_dict()


def days(names, falls=0.0, n=400, spread=0.0):
    """Assessments whose recall falls from day to day."""
    rng, made = np.random.default_rng(1), {}
    for k, name in enumerate(names):
        y = np.arange(n) % 2
        p = 0.5 + (0.4 - falls * k + spread * rng.normal()) * (y - 0.5) + rng.normal(0, 0.3, n)
        made[name] = ca.assess(y, np.clip(p, 0, 1))
    return made


def test_the_p_value_is_that_of_scipys_regression_where_periods_have_as_many_cases():
    made = days("abcdefgh", 0.03, spread=0.05)
    found = ca.trends_over(made, ["roc_auc", "brier_score"])
    for name in found.changes:
        wanted = stats.linregress(range(8), [each[name].value for each in made.values()])
        by_scatter = found.errors[name].scatter / stats.t.ppf(0.975, 6)
        assert (found.changes[name].value, by_scatter) == pytest.approx((wanted.slope, wanted.stderr))
        assert found.p[name] >= wanted.pvalue * (1 - 1e-9)


def test_sentences_say_what_is_shown_and_turn_with_time():
    made = days([f"d{k}" for k in range(8)], 0.05)
    forth = ca.trends_over(made, ["roc_auc"], period="day")
    back = ca.trends_over(dict(reversed(made.items())), ["roc_auc"], period="day")
    assert len(forth.sentences) == 2
    assert "drift" in forth.sentences[1]
    assert forth.sentences[0].startswith("ROC AUC falls by 0.0")
    assert forth.sentences[0].split(", ")[0] == back.sentences[0].split(", ")[0].replace("rises", "falls")
    assert "per day (95% CI" in forth.sentences[0]
    last = f"{made['d7']['roc_auc'].value:.3f} in d7"
    assert forth.sentences[0].endswith(f" in d0 to {last}.")
    assert f"from {last} to " in back.sentences[0]


def test_a_trend_that_is_not_shown_is_not_claimed():
    made = days("abcd")
    found = ca.trends_over(made, ["roc_auc"])
    assert found.p["roc_auc"] > 0.05
    assert found.sentences[0].startswith("No trend in ROC AUC was detected over 4 periods (changes from -0.")


def test_a_finding_agrees_with_its_interval():
    for falls in (0.0, 0.01, 0.02, 0.04):
        found = ca.trends_over(days("abcdef", falls, spread=0.03))
        for name, change in found.changes.items():
            assert (found.p[name] < 0.05) == (change.low > 0 or change.high < 0)


def test_a_change_that_is_shown_alone_and_not_among_many_is_told_so():
    """An interval that leaves 0 out stands in no sentence that says there is no trend."""
    begun = set()
    measures = ["roc_auc", "f1", "specificity", "brier_score"]
    for falls in np.linspace(0, 0.05, 12):
        found = trends_over(days("abcdef", falls, n=100), measures)
        change, said = found.changes["roc_auc"], found.sentences[0]
        alone, first = not change.low <= 0 <= change.high, " ".join(said.split()[:2])
        assert not (alone and "No trend" in said)
        assert first != "Without adjustment," or (alone and found.p_adjusted["roc_auc"] >= 0.05)
        begun.add(first)
    assert "Without adjustment," in begun
    assert len(begun) > 1


def test_the_frame_has_the_value_of_each_period():
    made = days("abc")
    rows = ca.trends_over(made, ["recall", "auc"], period="week").frame().to_pylist()
    assert [(each["measure"], each["week"], each["cases"]) for each in rows] == [
        (name, week, 400.0) for name in ("recall", "roc_auc") for week in "abc"
    ]
    assert rows[0]["value"] == made["a"]["recall"].value


def test_what_has_no_trend_is_refused():
    with pytest.raises(ca.InputError, match="A trend needs at least 3 weeks in their order, but there are 2"):
        ca.trends_over(days("ab"), period="week")
    with pytest.raises(ca.InputError, match="Pass a dict"):
        ca.trends_over([*days("abc").values()])
    other = days("ab") | {"c": ca.assess([0, 1], [0.1, 0.9], threshold=0.3)}
    with pytest.raises(ca.MergeError, match="threshold"):
        ca.trends_over(other)
    with pytest.raises(ca.MergeError, match="threshold"):
        ca.trends_over(other, ["accuracy"])


def test_assessments_and_tables_have_a_sum():
    made = [*days("abc").values()]
    whole = made[0] + made[1] + made[2]
    assert sum(made).to_dict() == whole.to_dict()
    assert (
        sum(each.confusion_matrix for each in made).counts.tolist() == whole.confusion_matrix.counts.tolist()
    )
    assert np.array_equal(sum(each.scores for each in made).scores, whole.scores.scores)
    for start in (1, 0.0, "", False):
        with pytest.raises(ca.MergeError):
            start + made[0]
        with pytest.raises(TypeError):
            start + made[0].confusion_matrix


def stable_months(runs, months, n):
    """p-values of no trend of six measures, one row a run, where nothing changes from month to month."""
    rng = np.random.default_rng(24)
    y = rng.random((runs, months, n)) < 0.4
    x = rng.normal(size=y.shape) + 1.2 * y
    p = 1 / (1 + np.exp(-(1.2 * x - 1.12)))
    called, true = p >= 0.5, y.sum(-1)
    ranks = stats.rankdata(x, axis=-1)
    hits = (called & y).sum(-1)
    auc = ((ranks * y).sum(-1) - true * (true + 1) / 2) / (true * (n - true))
    right = (called == y).sum(-1)
    values = [auc, right / n, hits / true, (right - hits) / (n - true), hits / called.sum(-1)]
    values.append(((p - y) ** 2).mean(-1))
    return np.array(
        [[stats.linregress(range(months), line).pvalue for line in run] for run in np.stack(values, 1)]
    )


def test_six_measures_of_stable_months_find_a_trend_in_one_year_of_twenty():
    p = stable_months(400, 12, 60)
    adjusted = np.array([Trends((), {}, {}, p=dict(enumerate(each))).p_adjusted[0] for each in p])
    smallest = np.array([min(Trends((), {}, {}, p=dict(enumerate(each))).p_adjusted.values()) for each in p])
    assert (p < 0.05).any(1).mean() > 0.12  # 0.18 of years
    assert (smallest < 0.05).mean() < 0.06
    assert (adjusted >= p[:, 0]).all()


MONTHS = [f"2026-{month:02d}" for month in range(1, 7)]


def monthly(names, seed=1, n=300):
    """Cases of groups in which recall falls from one to the next."""
    rng = np.random.default_rng(seed)
    place = np.repeat(np.arange(len(names)), n)
    y = rng.random(place.size) < 0.4
    x = rng.normal(size=place.size) + y * (1.6 - 0.18 * place)
    return y.astype(int), 1 / (1 + np.exp(-(x - 0.8))), np.array(names, object)[place]


@pytest.mark.parametrize(
    "names",
    [
        [*MONTHS, "month"],
        [*(f"2026-Q{k}" for k in (1, 2, 3, 4)), "quarter"],
        [10, 20, 30, 45, "unit"],
        [1.5, 2.0, 4.0, 4.5, 7.0, "unit"],
    ],
    ids=["months", "quarters", "numbers", "fractions"],
)
def test_groups_in_an_order_are_tested_for_a_trend(names):
    *names, step = names
    y, p, by = monthly(names)
    s = ca.assess_by(y, p, by=by)
    assert s.ordered
    assert any(f"per {step}" in each for each in s.document().verdict)
    assert "trends" in s.to_dict()
    assert "so a trend (the least-squares slope over the groups)" in s.methods_text()


def test_ordered_categories_have_their_own_order_and_others_none():
    y, p, by = monthly(["small", "medium", "large"])
    for ordered in (True, False):
        column = pd.Categorical(by, ["small", "medium", "large"], ordered=ordered)
        s = ca.assess_by(y, p, by=column)
        assert (s.ordered, "trends" in s.to_dict()) == (ordered, ordered)
    assert list(ca.assess_by(y, p, by=pd.Categorical(by, ["small", "medium", "large"], ordered=True))) == [
        "small",
        "medium",
        "large",
    ]
    assert not ca.assess_by(y, p, by=by).ordered


def test_combinations_of_labels_are_in_no_order_also_where_each_column_is():
    y, p, by = monthly(MONTHS)
    frame = pd.DataFrame({"y": y, "p": p, "month": by, "size": [k % 3 for k in range(len(y))]})
    frame["grade"] = pd.Categorical(frame["size"].map("SML".__getitem__), ["S", "M", "L"], ordered=True)
    of = {
        each: ca.assess_by(frame, truth="y", score="p", by=each.split(","))
        for each in ("month", "month,size", "size,grade")
    }
    assert [s.ordered for s in of.values()] == [True, False, False]
    assert ["trend" in str(s) for s in of.values()] == [True, False, False]


def test_a_trend_over_groups_turns_with_them_and_is_that_of_the_rates():
    """45/50, 40/50, 52/65, 38/55, 30/50: near Cochran and Armitage, z = -3.726, whose line is weighted by cases."""
    hits, cases = np.array([45, 40, 52, 38, 30]), np.array([50, 50, 65, 55, 50])

    def changes(order):
        rows = [np.repeat([1, 0], [hits[k], cases[k] - hits[k]]) for k in order]
        by = np.repeat(range(5), [cases[k] for k in order])
        right = np.concatenate(rows)
        y = np.arange(right.size) % 2
        s = ca.assess_by(y, y_pred=np.where(right == 1, y, 1 - y), by=by)
        return trends_of(s, s.compare("accuracy"))

    forth, back = changes(range(5)), changes(range(4, -1, -1))
    one, other = forth.changes["accuracy"], back.changes["accuracy"]
    assert one.value == pytest.approx(np.polyfit(range(5), hits / cases, 1)[0])
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low))
    errors = forth.errors["accuracy"]
    assert abs(one.value) / errors.cases * stats.norm.ppf(0.975) == pytest.approx(3.726, rel=0.05)
    assert forth.p["accuracy"] == pytest.approx(back.p["accuracy"])


def falling_groups(level, cluster=None, by=(1, 2, 3, 4, 5, 12)):
    """Groups with numbers for names whose accuracy falls; the trend of accuracy in them."""
    rng = np.random.default_rng(9)
    place = np.repeat(range(6), 200)
    y = rng.integers(0, 2, place.size)
    right = rng.random(place.size) < 0.9 - 0.016 * place
    column = pd.Series(np.array(by)[place], name="month")
    s = ca.assess_by(y, y_pred=np.where(right, y, 1 - y), by=column, level=level, cluster=cluster)
    return trends_of(s, s.compare("accuracy"))


@pytest.mark.parametrize("cluster", [None, np.arange(1200) // 2], ids=["cases", "clusters"])
def test_a_trend_over_groups_is_claimed_at_the_level_asked(cluster):
    claimed = []
    for level in (0.8, 0.95, 0.99, 0.9999):
        found = falling_groups(level, cluster)
        assert (found.level, found.changes["accuracy"].level) == (level, level)
        claimed.append("falls by" in found.sentences[0])
        assert claimed[-1] == (found.p["accuracy"] < 1 - level)
    assert claimed[0]
    assert not claimed[-1]


def test_a_sentence_says_the_interval_of_the_table_in_the_way_that_it_says():
    """[-0.0281, +0.0004] of a fall is -0.0004 to 0.0281, and as a rise the same."""
    for sign, way in ((-1, "falls"), (1, "rises")):
        low, high = sorted((sign * 0.0281, sign * -0.0004))
        change = ca.Estimate(sign * 0.0137, low, high, 0.99, "")
        known = tuple(ca.Estimate.bare(each, "none") for each in (0.5, 0.6, 0.7))
        found = Trends(
            ("a", "b", "c"), {"recall": change}, {"recall": known}, p={"recall": 0.001}, level=0.99
        )
        assert found.sentences[0].startswith(f"Recall {way} by 0.0137 per period (99% CI -0.0004 to 0.0281;")


def test_numbers_are_as_far_apart_as_their_difference():
    """Between the months 5 and 12 lie seven, as over time; another unit moves the change alone."""
    far, wide = falling_groups(0.8), falling_groups(0.8, by=(10, 20, 30, 40, 50, 120))
    assert far.when == (0, 1, 2, 3, 4, 11)
    assert 10 * wide.changes["accuracy"].value == pytest.approx(far.changes["accuracy"].value)
    assert wide.p == pytest.approx(far.p)
    assert " per unit of month (" in far.sentences[0]


@pytest.mark.parametrize(("groups", "cases"), [(30, 20), (5, 12), (5, 100)])
def test_values_of_ends_that_say_little_give_way_to_the_change_of_the_line(groups, cases):
    """Of many groups, and of few cases, the first and the last value are no evidence of a trend."""
    y = np.arange(groups * cases) % 2
    by = np.repeat(np.arange(groups), cases)
    is_wrong = np.arange(y.size) % cases < cases * (0.1 + 0.6 * by / groups)
    s = ca.assess_by(y, y_pred=np.where(is_wrong, 1 - y, y), by=by)
    found = trends_of(s, s.compare("accuracy"))
    (finding,) = (each for each in findings_on_trends(found) if each.code == "trend_accuracy")
    has_ends = (groups, cases) == (5, 100)
    assert found.are_ends_shown("accuracy") == has_ends == ("Compare the data of" in finding.next_step)
    for sentence in (finding.sentence, found.sentences[0]):
        assert ("in all from" in sentence) != has_ends
    assert found.change_in_all("accuracy") == pytest.approx(found.changes["accuracy"].value * (groups - 1))


def test_the_variance_of_periods_is_the_same_from_intervals_of_any_level():
    for level in (0.8, 0.9, 0.95, 0.99):
        half = stats.norm.ppf((1 + level) / 2) * np.sqrt(0.25 / np.array([100, 400]))
        found = [ca.Estimate(0.5, 0.5 - each, 0.5 + each, level, "z") for each in half]
        none = ca.Estimate(0.5, float("nan"), float("nan"), level, "z", "no interval")
        assert pooled_variance([*found, none], [100, 400, 900]) == pytest.approx(0.25)
