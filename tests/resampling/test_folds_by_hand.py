"""What folds show by themselves: which case is where, naive intervals, repeats, the paired t by hand, Wilcoxon."""

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from jsonschema import Draft202012Validator
from matplotlib.figure import Figure
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.resampling.fold_tests import by_hand
from classay.resampling.folds import corrected_interval, spread_of_folds

mpl.use("agg")
DOCS = Path(__file__).parents[2] / "docs"
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(200, 3)), np.repeat([0, 1], 100)
X[:, 0] += Y
MODELS = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}


def evaluated(protocol="5fold", **how):
    return ca.evaluate(MODELS, X, Y, protocol=protocol, measures=["accuracy", "roc_auc"], **how)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("size", [2, 5, 30])
def test_naive_intervals_are_those_of_scipy(size, level):
    values = np.random.default_rng(size).random(size)
    found = spread_of_folds(values, 1 / max(size - 1, 1), level)
    error = stats.sem(values)
    assert (found.naive_t.low, found.naive_t.high) == pytest.approx(
        stats.t.interval(level, size - 1, values.mean(), error)
    )
    assert (found.naive_z.low, found.naive_z.high) == pytest.approx(
        stats.norm.interval(level, values.mean(), error)
    )
    assert (found.textbook_t.low, found.textbook_t.high) == pytest.approx(
        stats.t.interval(level, size - 1, values.mean(), values.std() / np.sqrt(size))
    )
    assert found.inflation == pytest.approx(np.sqrt(size / (size - 1)))
    low, high, _ = corrected_interval(values, 1 / (size - 1), level, (-np.inf, np.inf))
    assert found.factor == pytest.approx((high - low) / (found.naive_t.high - found.naive_t.low))
    assert found.factor == pytest.approx(np.sqrt(1 + size / (size - 1)))


def test_order_scale_and_shift_of_fold_values():
    values = np.random.default_rng(1).random(10)
    one, other = (spread_of_folds(each, 1 / 9, 0.95) for each in (values, 3 - 2 * values[::-1]))
    assert other.mean == pytest.approx(3 - 2 * one.mean)
    assert other.sd == pytest.approx(2 * one.sd)
    assert other.naive_t.low == pytest.approx(3 - 2 * one.naive_t.high)
    assert other.factor == pytest.approx(one.factor)


@pytest.mark.parametrize("values", [[0.5, 0.5, 0.5], [0.1 + 0.2, 0.3, 0.3]])
def test_folds_without_a_spread_have_no_naive_interval(values):
    found = spread_of_folds(values, 0.5, 0.95)
    assert not found.naive_t.has_interval
    assert "no variation" in found.naive_z.reason
    assert spread_of_folds([0.5], 0.5, 0.95) is None
    assert spread_of_folds([0.5, np.inf], 0.5, 0.95) is None


def test_every_form_has_the_folds():
    e = evaluated()
    row = e.folds.to_pylist()[0]
    values = (
        e["tree"].frame().filter(e["tree"].frame()["measure"].to_numpy() == "accuracy")["value"].to_pylist()
    )
    assert row["values"] == pytest.approx(values)
    assert row["mean"] == pytest.approx(np.mean(values))
    assert row["sd"] == pytest.approx(np.std(values, ddof=1))
    assert row["corrected_over_naive"] == pytest.approx(1.5)
    found = e.to_dict()
    Draft202012Validator(json.loads((DOCS / "evaluation.schema.json").read_text("utf-8"))).validate(found)
    assert found["estimates"][0]["spread"]["naive_t"]["low"] == row["naive_t_low"]
    assert "Naive intervals for comparison" in str(e)
    assert "fold 5" in str(e)
    alone = e["bayes"].folds.to_pylist()[0]
    assert alone["values"] == next(each["values"] for each in e.folds.to_pylist() if each["model"] == "bayes")


def test_repeats_differ_by_their_means():
    e = evaluated("4x5")
    row = e.folds.to_pylist()[0]
    assert row["repeats"] == pytest.approx(np.reshape(row["values"], (4, 5)).mean(1))
    assert row["repeat_sd"] == pytest.approx(np.std(row["repeats"], ddof=1))
    assert "reflects the random splits" in " ".join(str(e).split())


@pytest.mark.parametrize("protocol", ["time:4", "bootstrap:5", "632+:5"])
def test_folds_without_a_corrected_interval_have_no_naive_one(protocol):
    rows = evaluated(protocol).folds.to_pylist()
    naive = [row for row in rows if row["naive_t_low"] is not None and not np.isnan(row["naive_t_low"])]
    assert all(not np.isnan(row["corrected_low"]) for row in naive)
    assert protocol == "bootstrap:5" or not naive


def pairs(size):
    rng = np.random.default_rng(size)
    return rng.random(size), rng.random(size)


@pytest.mark.parametrize("size", [2, 10, 30])
def test_the_paired_t_by_hand_is_that_of_scipy(size):
    first, second = pairs(size)
    found = by_hand(first, second, 1 / 9, 0.95)
    textbook, paired, corrected = found.rules
    theirs = stats.ttest_rel(first, second)
    assert (paired.t, paired.p, paired.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df))
    assert textbook.t == pytest.approx(paired.t * np.sqrt(size / (size - 1)))
    assert corrected.t == pytest.approx(paired.t / np.sqrt(1 + size / 9))
    assert paired.critical == pytest.approx(stats.t.ppf(0.975, size - 1))
    swapped = by_hand(second, first, 1 / 9, 0.95)
    for one, other in zip(found.rules, swapped.rules, strict=True):
        assert (one.t, one.p, one.rejects) == pytest.approx((-other.t, other.p, other.rejects))
        assert one.rejects == (one.p < 0.05)


def test_a_comparison_of_two_learners_shows_the_steps():
    c = evaluated().compare()
    one = c["accuracy"] if "accuracy" in c.measures else c[0]
    steps, values = (
        one.by_hand,
        [e["values"] for e in evaluated().folds.to_pylist() if e["measure"] == one.measure],
    )
    assert steps.differences == pytest.approx(np.subtract(*values[:2]))
    assert "Paired t test, step by step" in str(c)
    assert "paired t, SD over K" in str(c)
    found = c.to_dict()
    Draft202012Validator(json.loads((DOCS / "comparison.schema.json").read_text("utf-8"))).validate(found)
    assert found["comparisons"][0]["by_hand"]["rules"][1]["t"] == c[0].by_hand.rules[1].t
    scores = {"tree": values[0], "bayes": values[1]}
    plain = ca.compare_learners(scores, [one.measure], test_over_train=1 / 4)[0]
    for here, there in zip(plain.by_hand.rules, steps.rules, strict=True):
        assert here[1:] == pytest.approx(there[1:])


@pytest.mark.parametrize("rule", [{"rule": "superior"}, {"rope": 0.01}, {"method": "5x2cv-f"}])
def test_other_rules_show_no_steps_of_a_t(rule):
    assert "by hand" not in str(evaluated("5x2").compare(["accuracy"], **rule))


def test_learners_that_are_alike_have_no_steps():
    values = [0.5, 0.6, 0.7]
    one = ca.compare_learners({"a": values, "b": values}, test_over_train=0.5)[0]
    assert one.by_hand is None


@pytest.mark.parametrize("size", [6, 10, 25])
def test_wilcoxon_over_folds_is_that_of_scipy(size):
    first, second = pairs(size)
    found = ca.compare_learners({"a": first, "b": second}, test_over_train=1 / 9, method="wilcoxon")[0]
    theirs = stats.wilcoxon(first, second, method="exact")
    assert (found.p, found.statistic) == pytest.approx((theirs.pvalue, theirs.statistic))
    assert "treats folds as independent" in found.method


def test_wilcoxon_over_folds_says_that_folds_are_few_or_dependent():
    e = evaluated()
    c = e.compare(["accuracy"], method="wilcoxon")
    assert "does not correct for the overlap" in " ".join(str(c).split())
    few = ca.compare_learners({"a": [3, 4, 5], "b": [1, 2, 2]}, test_over_train=0.5, method="wilcoxon")[0]
    assert "3 folds with a difference are too few" in few.reason
    alike = ca.compare_learners({"a": [1, 1], "b": [1, 1]}, test_over_train=1, method="wilcoxon")[0]
    assert alike.p == 1


PROTOCOLS = (
    "5fold",
    "2x3",
    "bootstrap:4",
    "time:3",
    "holdout:0.3x4",
    "loo",
    "nested:3x1",
    "5x2@20",
    "optimism:3",
)


@pytest.mark.parametrize("cluster", [None, np.arange(60) // 3])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_plan_is_what_was_done(protocol, cluster):
    if protocol.startswith("time") and cluster is not None:
        return
    rows = np.arange(60) * 3
    e = ca.evaluate(
        GaussianNB(), X[rows], Y[rows], protocol=protocol, measures=["accuracy"], cluster=cluster, seed=3
    )
    plan = e.protocol.plan()
    places = [place for place in e.runs[0].places if place.kind == "test"]
    assert plan.planned == len(places)
    for times, place in zip(plan.times, places[:30], strict=True):
        if place.n_test < 60:
            assert np.flatnonzero(times < 0).tolist() == np.sort(place.test).tolist()
        assert (times > 0).sum() == place.n_train
    assert plan.frame().num_rows == plan.times.size
    trained, tested = (plan.frame()[name].to_numpy().reshape(-1, 60) for name in ("trained", "tested"))
    for times, is_tested, place in zip(trained, tested, places[:30], strict=True):
        assert (times > 0).sum() == place.n_train
        assert not times[is_tested].any()
        assert place.n_test == 60 or np.flatnonzero(is_tested).tolist() == np.sort(place.test).tolist()
    for by in ("row", "class"):
        ax = e.protocol.plot(Figure().subplots(), by=by)
        names = [tick.get_text() for tick in ax.get_yticklabels()]
        assert names[: len(plan.names)] == list(plan.names)
        assert names[-1] == ("class" if cluster is None else "cluster")
    assert e.protocol == ca.StratifiedKFold(5) or protocol != "5fold"


def test_a_bootstrap_draws_as_many_as_there_are():
    plan = ca.Bootstrap(5).plan(Y)
    assert np.maximum(plan.times, 0).sum(1).tolist() == [200] * 5
    assert ca.Bootstrap(5).plan(Y, seed=1).times.tolist() != plan.times.tolist()


def test_stratified_folds_have_the_class_shares():
    y = np.repeat(["a", "b", "c"], [60, 30, 10])
    for times in ca.StratifiedKFold(10, repeats=2).plan(y).times:
        assert [(y[times < 0] == label).sum() for label in "abc"] == [6, 3, 1]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ca.StratifiedKFold(5).plot(), "Pass the labels, as in ca"),
        (lambda: ca.StratifiedKFold(5).plot(y=[0, 1]), "fewer folds"),
        (
            lambda: ca.StratifiedKFold(2).plot(y=[0, 1] * 9, by="score"),
            "by must be 'row' or 'class', but is 'score'",
        ),
        (lambda: ca.Resubstitution().plot(y=[0, 1] * 9), "no folds to draw"),
        (lambda: ca.StratifiedKFold(2).plot(y=[0] * 9), "one class|class"),
    ],
)
def test_what_cannot_be_drawn_is_told(call, said):
    with pytest.raises(InputError, match=said):
        call()
