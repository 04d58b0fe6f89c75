"""Models of tags: paired differences and gains from every case, what is told of the models, and what is refused."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

import classay as ca
from classay.errors import InputError
from classay.multilabel.tag_thresholds import FOLDS, MOST_COMMON, chosen_thresholds, mean_over_tags
from samples import tag_rows

N, TAGS = 60, ["a", "b", "c"]
Y, NEW = tag_rows(np.random.default_rng(21), N, 3, share=0.4)
Y[0] = Y[1] = 0
OLD = np.clip(NEW + np.random.default_rng(22).normal(0, 0.3, NEW.shape), 0, 1)
C, D = ((each >= 0.5).astype(int) for each in (NEW, OLD))
MODELS = {"new": NEW, "old": OLD}
FRAME = {"y_a": Y[:, 0], "y_b": Y[:, 1], "y_c": Y[:, 2], "id": np.arange(N)}
FRAME |= {
    f"{kind}_{tag}": each[:, k] for kind, each in (("n", NEW), ("o", OLD)) for k, tag in enumerate(TAGS)
}


def half_of_mean(values, level):
    """Student's quantile times the standard error, with degrees of freedom by moments, from 1 to n - 1."""
    n, away = len(values), values - values.mean()
    squares, fourths = (away**2).sum(), (away**4).sum()
    uneven = fourths - squares**2 / n
    degrees = max(1.0, min(n, 2 * squares**2 / uneven if uneven > 1e-12 else n) - 1)
    return stats.t.ppf(0.5 + level / 2, degrees) * np.sqrt(squares / n / (n - 1))


# -- differences ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("name", ["hamming_loss", "one_error", "coverage_error", "ranking_loss"])
def test_means_over_the_same_cases_have_the_paired_t(name, level):
    (found,) = ca.compare(MODELS, Y, measures=[name], level=level)
    first, second = (values_of(name, each) for each in (NEW, OLD))
    has = ~np.isnan(first)
    wanted = stats.ttest_rel(first[has], second[has])
    ends = wanted.confidence_interval(level)
    assert found.effect.value == pytest.approx((first - second)[has].mean())
    assert found.values == pytest.approx((first[has].mean(), second[has].mean()))
    assert [found.effect.low, found.effect.high] == pytest.approx([*ends], abs=1e-9)
    assert found.p == pytest.approx(wanted.pvalue)


def values_of(name, scores):
    """The value of each case, from its definition; NaN without a true tag, or without another."""
    if name == "hamming_loss":
        return ((scores >= 0.5) != Y).mean(1)
    values = np.full(N, np.nan)
    for row, (true, score) in enumerate(zip(Y == 1, scores, strict=True)):
        if not true.any() or (name == "ranking_loss" and true.all()):
            continue
        if name == "one_error":
            values[row] = 1 - true[score == score.max()].mean()
        elif name == "coverage_error":
            values[row] = (score >= score[true].min()).sum()
        else:
            pairs = score[true][:, None] - score[~true]
            values[row] = ((pairs < 0) + (pairs == 0) / 2).mean()
    return values


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_micro_f1_is_compared_by_what_each_case_adds_to_the_difference(level):
    (found,) = ca.compare(MODELS, Y, measures=["micro_f1"], level=level)
    influences, values = [], []
    for called in (C, D):
        hits, total = (Y * called).sum(1), Y.sum(1) + called.sum(1)
        value = 2 * hits.sum() / total.sum()
        values.append(value)
        influences.append((2 * hits - value * total) / total.sum())
    gap = values[0] - values[1]
    half = half_of_mean(N * (influences[0] - influences[1]), level)
    assert found.values == pytest.approx(values)
    assert (found.effect.low, found.effect.high) == pytest.approx((gap - half, gap + half), abs=1e-9)


def test_exact_match_counts_cases_by_how_often_they_occur():
    times = np.random.default_rng(0).integers(1, 4, N)
    repeated = np.repeat(np.arange(N), times)
    for method in ("mid-p", "exact", "asymptotic"):
        how = {"measures": ["exact_match"], "method": method}
        one = ca.compare(MODELS, Y, frequency=times, **how)[0]
        two = ca.compare({name: each[repeated] for name, each in MODELS.items()}, Y[repeated], **how)[0]
        assert (one.p, one.effect) == (two.p, two.effect)
    first, second = ((each == Y).all(1) for each in (C, D))
    b, c = (times[first & ~second].sum(), times[~first & second].sum())
    exact = ca.compare(MODELS, Y, frequency=times, measures=["exact_match"], method="exact")[0]
    assert exact.p == pytest.approx(stats.binomtest(int(b), int(b + c)).pvalue)
    assert exact.effect.value == pytest.approx((b - c) / times.sum())
    weighted = ca.compare(MODELS, Y, weight=times / 2, measures=["exact_match"])[0]
    assert weighted.effect.value == pytest.approx((b - c) / times.sum())
    assert weighted.method != one.method


def test_exact_match_of_clusters_has_the_test_of_cases_that_are_right_or_wrong():
    """But rows that stand for several cases have none, because their cases could not be in a cluster alone."""
    cluster, how = np.arange(N) // 2, {"measures": ["exact_match"], "method": "clustered-mcnemar"}
    found = ca.compare(MODELS, Y, cluster=cluster, **how)[0]
    right = {name: np.where((each == Y).all(1), "right", "wrong") for name, each in (("a", C), ("b", D))}
    of_cases = {"cluster": cluster, "measures": ["accuracy"], "method": "clustered-mcnemar"}
    named = {"labels": ["right", "wrong"], "positive": "right"}
    wanted = ca.compare(y_pred=right, y_true=["right"] * N, **named, **of_cases)[0]
    assert (found.p, found.effect.value) == pytest.approx((wanted.p, wanted.effect.value))
    for times, methods in (({}, "clustered-mcnemar"), ({"frequency": np.ones(N, int)}, "none")):
        with pytest.raises(InputError, match=f"Methods of exact_match: {methods}"):
            ca.compare(MODELS, Y, cluster=cluster, **times, **how | {"method": "exact"})


@pytest.mark.parametrize("name", ["samples_precision", "macro_f1", "exact_match", "one_error"])
def test_one_case_is_no_comparison_and_equal_models_do_not_differ(name):
    (one,) = ca.compare(
        {name: each[2:3] for name, each in MODELS.items()}, np.array([[1, 0, 1]]), measures=[name]
    )
    assert not one.effect.has_interval or np.isnan(one.p) or one.p > 0.05
    (same,) = ca.compare({"new": NEW, "old": NEW.copy()}, Y, measures=[name])
    assert same.effect.value == 0
    assert not same.effect.has_interval or same.effect.low <= 0 <= same.effect.high


def test_a_measure_without_a_value_of_one_model_says_of_which():
    (found,) = ca.compare(None, Y, y_pred={"new": C, "old": 0 * C}, measures=["samples_precision"])
    assert "old has no value" in found.effect.reason
    truth = Y.copy()
    truth[:, 1] = 0
    (both,) = ca.compare(MODELS, truth, measures=["macro_roc_auc"])
    assert "new has no value" in both.effect.reason


# -- what is told -----------------------------------------------------------------------------------------


def facts_of(**how):
    models = how.pop("models", MODELS)
    return dict(
        ca.compare(
            models, how.pop("truth", Y), labels=TAGS, measures=how.pop("measures", ["micro_f1"]), **how
        ).facts
    )


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({}, {"cases": "60", "tags": "3", "threshold": "0.5 (default, not chosen for these data)"}),
        ({"threshold": 0.25}, {"threshold": "0.25"}),
        ({"threshold": [0.2, 0.3, 0.4]}, {"threshold": "one for each tag"}),
        ({"threshold": {"new": 0.3, "old": 0.4}}, {"threshold": "new: 0.3, old: 0.4"}),
        (
            {"threshold": {"new": 0.3, "old": [0.1, 0.2, 0.3]}},
            {"threshold": "new: 0.3, old: one for each tag"},
        ),
        ({"threshold": {"new": 0.3, "old": 0.3}}, {"threshold": "0.3"}),
        ({"top": 1}, {"called": "the tag with the highest score of each case"}),
        ({"cluster": np.arange(N) // 3}, {"clusters": "20"}),
        ({"frequency": np.full(N, 20)}, {"cases": "1,200"}),
        ({"truth": Y * [1, 0, 1]}, {"tags without true cases": "'b'"}),
        ({"models": None, "y_pred": {"new": C, "old": D}}, {"cases": "60"}),
    ],
)
def test_facts_are_those_of_the_models(how, wanted):
    facts = facts_of(**how)
    assert facts | wanted == facts
    for name in ("clusters", "called", "tags without true cases"):
        assert (name in facts) == (name in wanted)
    assert ("threshold" in facts) == ("top" not in how and "y_pred" not in how)


def test_rows_without_a_true_tag_are_left_out_of_all_models():
    lacking = Y.astype(float)
    lacking[[3, 5], 1] = np.nan
    found = ca.compare(MODELS, lacking, missing="drop", measures=["micro_f1"])
    kept = np.setdiff1d(np.arange(N), [3, 5])
    whole = ca.compare({name: each[kept] for name, each in MODELS.items()}, Y[kept], measures=["micro_f1"])
    assert found[0].effect == whole[0].effect
    assert "2 rows with a missing true tag" in dict(found.facts).values()
    with pytest.raises(InputError, match="is missing at index 3"):
        ca.compare(MODELS, lacking, measures=["micro_f1"])


@pytest.mark.parametrize(
    ("models", "y_pred", "names"),
    [
        (
            MODELS,
            None,
            ["micro_f1", "macro_f1", "samples_f1", "label_ranking_average_precision", "macro_roc_auc"],
        ),
        (None, {"new": C, "old": D}, ["micro_f1", "macro_f1", "samples_f1"]),
        ({"new": 9 * NEW, "old": 9 * OLD}, None, ["label_ranking_average_precision", "macro_roc_auc"]),
        ({"new": 9 * NEW}, {"new": C, "old": D}, ["micro_f1", "macro_f1", "samples_f1"]),
    ],
)
def test_measures_are_compared_that_two_models_have(models, y_pred, names):
    found = ca.compare(models, Y, y_pred=y_pred, labels=TAGS)
    assert [one.measure for one in found] == names


# -- what is refused --------------------------------------------------------------------------------------


def compare(*arguments, **options):
    return lambda: ca.compare(*arguments, **options)


REFUSED = [
    (compare({"new": NEW}, Y), "A comparison needs at least two models, but has one."),
    (compare({"new": NEW, "old": OLD[:9]}, Y), "old: truth has 60 rows, but score has 9."),
    (compare({"new": NEW, "old": OLD[:, :2]}, Y), "old: score has 2 columns for 3 tags."),
    (compare({"new": NEW, "old": np.where(OLD > 0.9, np.nan, OLD)}, Y), "old: score is missing for"),
    (compare([NEW, OLD], Y), "must be a dict of matrices by model name, but is a list."),
    (compare(None, Y, y_pred=[C, D]), "must be a dict of matrices by model name, but is a list."),
    (compare(MODELS, Y, top=1, threshold=0.5), "threshold= and top= cannot be combined. Use one of them"),
    (
        compare(None, Y, y_pred={"new": C, "old": D}, threshold=0.5),
        "threshold= and top= have no effect on predicted",
    ),
    (
        compare({"new": NEW}, Y, y_pred={"old": D}, threshold={"old": 0.5}),
        "threshold has no effect on 'old', because its tags are already predicted.",
    ),
    (compare(MODELS, Y, positive=1), "'positive' cannot be used with multilabel cases. Remove it."),
    (compare(FRAME, truth="y_*"), "A comparison needs at least two models, but has none."),
    (compare({}, truth="y_*"), "A comparison needs at least two models, but has none."),
    (compare({}, truth="y_a"), "A comparison needs at least two models, but has none."),
    (
        compare(FRAME, Y, truth="y_*", scores={"new": "n_*", "old": "o_*"}),
        "truth= and y_true both contain the true tags. Pass one of them.",
    ),
    (
        compare(FRAME, truth="y_*", scores=["n_*", "o_*"]),
        "scores= must name the columns of each multilabel model, as in scores={'new': 'new_*', 'old': 'old_*'}, but is",
    ),
    (compare(FRAME, truth="y_*", scores="n_*"), "scores= must name the columns of each multilabel model"),
    (
        compare(FRAME, truth="y_*", scores={"new": "n_*", "old": "z_*"}),
        "old: No column matches 'z_*' of score.",
    ),
    (
        compare({"u": FRAME, "v": {**FRAME, "y_a": 1 - FRAME["y_a"]}}, truth="y_*", scores="n_*"),
        "The true tags of v and u differ in 60 rows, first at index 0. If the row order differs, join by an id (id=).",
    ),
    (
        compare(
            {"u": FRAME, "v": {name: each[:9] for name, each in FRAME.items()}}, truth="y_*", scores="n_*"
        ),
        "v has 9 cases, but u has 60. Pass the same cases for all models.",
    ),
    (compare(MODELS, Y, task="classes"), "task='classes' needs exactly one 1 in each row"),
    (
        compare(FRAME, truth="y_*", scores={"new": "n_*", "old": "o_*"}, task="classes"),
        "task='classes' of frames needs one column of labels, but truth names several.",
    ),
    (
        compare({"u": NEW[:, 0], "v": OLD[:, 0]}, Y[:, 0], task="tags"),
        "task='tags' needs several labels per case",
    ),
    (compare(MODELS, Y, task="tag"), "task"),
]


@pytest.mark.parametrize(
    ("ask", "says"), REFUSED, ids=[f"{k} {says[:30]}" for k, (_, says) in enumerate(REFUSED)]
)
def test_models_are_refused_in_words(ask, says):
    with pytest.raises(ca.ClassayError, match=re.escape(says)) as caught:
        ask()
    assert "\n" not in str(caught.value)


def same(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        assert one.measure == other.measure
        assert (one.effect.value, one.effect.low, one.effect.high, one.p) == pytest.approx(
            (other.effect.value, other.effect.low, other.effect.high, other.p), abs=1e-12
        )


def test_every_door_gives_the_same_comparison():
    whole = ca.compare(MODELS, Y, labels=TAGS, measures=["micro_f1", "macro_roc_auc"])
    how = {"measures": ["micro_f1", "macro_roc_auc"]}
    columns = {"new": "n_*", "old": "o_*"}
    same(ca.compare(FRAME, truth="y_*", scores=columns, **how), whole)
    same(ca.compare(MODELS, Y, labels=TAGS, task="tags", **how), whole)
    sparse = {name: sp.csr_array(each) for name, each in MODELS.items()}
    same(ca.compare(sparse, Y, labels=TAGS, threshold=0.5, **how), whole)
    back = {name: each[::-1] for name, each in FRAME.items()}
    back |= {f"n_{tag}": back[f"o_{tag}"] for tag in TAGS}
    same(ca.compare({"new": FRAME, "old": back}, truth="y_*", scores="n_*", id="id", **how), whole)
    lists = [[tag for tag, mark in zip(TAGS, row, strict=True) if mark] for row in Y]
    texts = {
        "t": ["|".join(row) for row in lists],
        **{
            name: ["|".join(tag for tag, mark in zip(TAGS, row, strict=True) if mark) for row in each]
            for name, each in (("new", C), ("old", D))
        },
    }
    by_text = ca.compare(texts, truth="t", predictions=["new", "old"], separator="|", measures=["micro_f1"])
    assert by_text[0].effect == whole[0].effect
    wide = ca.compare(
        None,
        lists,
        y_pred={"new": [{*row} for row in lists], "old": [{*row, "d"} for row in lists]},
        measures=["micro_f1"],
    )
    assert dict(wide.facts)["tags"] == "4"


# -- thresholds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_common_threshold_has_the_greatest_mean_of_the_tags(kind, weighted):
    weight = np.random.default_rng(1).uniform(0.5, 2, N) if weighted else np.ones(N)
    scores = NEW.round(2)
    a = ca.assess(Y, kind(scores), threshold=0.5, **({"weight": weight} if weighted else {}))
    found, common = chosen_thresholds(a.task.tag_scores, rule_of(a))
    levels = np.unique(scores)[::-1]
    assert levels.size <= MOST_COMMON

    def f1(cut, k):
        called = scores[:, k] >= cut
        return 2 * weight[called & (Y[:, k] == 1)].sum() / (weight[called].sum() + weight[Y[:, k] == 1].sum())

    for k, own in enumerate(found):
        assert f1(own, k) == pytest.approx(max(f1(level, k) for level in levels))
    means = [np.mean([f1(level, k) for k in range(3)]) for level in levels]
    assert np.mean([f1(common, k) for k in range(3)]) == pytest.approx(max(means))


def rule_of(a):
    return a.threshold(maximize="f1").rule


def test_gains_and_costs_have_the_paired_t_of_cases():
    found = ca.assess(Y, NEW, labels=TAGS).threshold(
        cost={"fp": 1, "fn": 3}, held_back=ca.assess(Y, OLD, labels=TAGS)
    )
    called = [np.array([*found.thresholds.values()]) <= OLD, found.common <= OLD]
    costs = [((each > Y) + 3 * (each < Y)).sum(1) for each in called]
    for estimate, each in zip(found.costs[1:], costs, strict=True):
        half = half_of_mean(each.astype(float), 0.95)
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (each.mean(), each.mean() - half, each.mean() + half)
        )
    gap = costs[1] - costs[0]
    if gap.any():
        half = half_of_mean(gap.astype(float), 0.95)
        assert (found.gain.value, found.gain.low, found.gain.high) == pytest.approx(
            (gap.mean(), gap.mean() - half, gap.mean() + half)
        )
    assert found.optimism == pytest.approx(found.costs[1].value - found.costs[0].value)
    assert found.how_expected == "on held-out cases"


@pytest.mark.parametrize(("cases", "enough"), [(2 * FOLDS - 1, False), (2 * FOLDS, True)])
def test_ten_cases_are_enough_to_choose_and_to_assess(cases, enough):
    y, p = np.resize([[1, 0], [0, 1]], (cases, 2)), np.linspace(0, 1, 2 * cases).reshape(cases, 2)
    a = ca.assess(y, p, task="tags")
    if enough:
        assert a.threshold(maximize="f1").how_expected.startswith(
            "cross-fitted in 5 folds: thresholds of each case"
        )
    else:
        with pytest.raises(
            InputError, match=f"There are {cases} cases or clusters, too few to choose thresholds"
        ):
            a.threshold(maximize="f1")
    clustered = ca.assess(
        np.repeat(y, 2, 0), np.repeat(p, 2, 0), task="tags", cluster=np.repeat(np.arange(cases), 2)
    )
    if not enough:
        with pytest.raises(InputError, match=f"There are {cases} cases or clusters"):
            clustered.threshold(maximize="f1")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (
            {"maximize": "mcc"},
            "matthews_correlation has no mean over tags. Use another measure, such as f1, f_beta(2), jaccard or",
        ),
        (
            {"cost": {"fp": 1, "fn": "amount"}},
            "Costs of multilabel cases must be numbers, but these have amounts.",
        ),
        (
            {"maximize": "f1", "held_back": ca.assess(Y, NEW)},
            "The held-out cases have different tags, or no scores.",
        ),
        (
            {"maximize": "f1", "held_back": ca.assess(Y, y_pred=C, labels=TAGS)},
            "The held-out cases have different tags",
        ),
        ({"maximize": "exact_match"}, "exact_match"),
        (
            {},
            "The best threshold of a tag is not determined. Pass cost=Costs(fp=1, fn=5), or a measure of one",
        ),
    ],
)
def test_rules_of_one_tag_are_refused(ask, says):
    with pytest.raises(ca.ClassayError, match=re.escape(says)):
        ca.assess(Y, NEW, labels=TAGS).threshold(**ask)
    with pytest.raises(InputError, match="No tag has a useful threshold"):
        ca.assess(0 * Y, NEW, labels=TAGS).threshold(maximize="f1")


@pytest.mark.parametrize(
    ("name", "mean"),
    [
        ("f1", "macro_f1"),
        ("recall", "macro_recall"),
        ("f_beta(3)", "macro_f_beta(3)"),
        ("jaccard", "macro_jaccard"),
    ],
)
def test_a_rule_seeks_the_mean_over_tags(name, mean):
    from classay.measures import get

    assert mean_over_tags(get(name)).name == mean
    found = ca.assess(Y, NEW, labels=TAGS).threshold(maximize=name)
    assert found.measures[0] == mean
    assert found.of_one == name
    assert found.here[mean].value == pytest.approx(np.mean([found.here.tag(tag)[name].value for tag in TAGS]))
