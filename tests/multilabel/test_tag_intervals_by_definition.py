"""Intervals of tags from their definitions, and one-hot truth as classes from every door."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, logit
from scipy.stats import t

import classay as ca
from classay.inference.exponential_scores import hanley_mcneil_variance
from classay.multilabel.tag_labels import tag_design
from classay.multilabel.tag_ranking import add_case_at_random, tag_ranking
from classay.multilabel.tag_ranks import Covariances
from samples import tag_rows

N, TAGS = 60, 4
Y, P = tag_rows(np.random.default_rng(31), N, TAGS, share=0.4)
P = np.where(P < 0.3, 0.0, P.round(2))
CLUSTER = np.random.default_rng(1).integers(0, 13, N)
KINDS = [np.asarray, sp.csr_array]


def ends(estimate):
    return [estimate.value, estimate.low, estimate.high]


@pytest.mark.parametrize("how", [{}, {"weight": np.linspace(1, 3, N)}, {"cluster": CLUSTER}, {"level": 0.8}])
def test_of_two_tags_of_which_one_is_true_the_coverage_error_is_one_more_than_the_one_error(how):
    first = np.random.default_rng(0).random(N) < 0.5
    truth = np.c_[first, ~first].astype(int)
    scores = np.clip(0.25 * truth + np.random.default_rng(2).random((N, 2)) * 0.6, 0, 1)
    a = ca.assess(truth, scores, task="tags", **how)
    assert ends(a["coverage_error"]) == pytest.approx([1 + end for end in ends(a["one_error"])])
    assert ends(a["ranking_loss"]) == pytest.approx(ends(a["one_error"]))
    right = a["precision_at(1)"]
    assert [1 - right.value, 1 - right.high, 1 - right.low] == pytest.approx(ends(a["one_error"]))
    assert ends(a["recall_at(1)"]) == pytest.approx(ends(right))


@pytest.mark.parametrize(
    "name", ["coverage_error", "one_error", "samples_f1", "hamming_loss", "ranking_loss"]
)
@pytest.mark.parametrize("good", [True, False])
def test_limits_stay_between_the_best_and_the_worst(name, good):
    scores = Y if good else 1 - Y
    found = ca.assess(Y, 0.2 + 0.6 * scores, task="tags")[name]
    low, high = (1, TAGS) if name == "coverage_error" else (0, 1)
    assert low <= found.low <= found.value <= found.high <= high
    assert found.low < found.high


@pytest.mark.parametrize("n", [4, 12])
def test_cases_of_which_each_has_the_same_share_of_right_tags_show_no_variation(n):
    truth, called = np.array([[1, 1, 0], [0, 1, 1]] * n), np.array([[1, 0, 0], [0, 0, 1]] * n)
    a = ca.assess(truth, y_pred=called)
    for name in ("micro_f1", "micro_jaccard", "micro_recall", "hamming_loss", "weighted_recall"):
        assert (a[name].has_interval, a[name].reason) == (False, "all cases have the same value"), name
    assert a["micro_precision"].has_interval  # at an end, a number of cases bounds it


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clustered", [False, True])
def test_covariances_of_areas_are_sums_over_cases_or_clusters(kind, clustered):
    """Of the influences of each case, as far as they move without their cluster, times n / (n - 1)."""
    how = {"cluster": CLUSTER} if clustered else {"weight": np.linspace(1, 2, N)}
    table = ca.assess(Y, kind(P), threshold=0.5, **how).task.tag_scores
    design, ranking = tag_design(table), tag_ranking(table)
    influences = ranking.influences
    dense = influences.toarray() if hasattr(influences, "toarray") else np.asarray(influences)
    dense = dense + ranking.rests
    if clustered:
        of = table.cluster == np.arange(len(table.clusters))[:, None]
        sums = (of @ dense) * design.factors[:, None]
    else:
        sums = dense * table.weights[:, None]
    units = len(sums) if clustered else table.weights.sum() ** 2 / (table.weights**2).sum()
    wanted = sums.T @ sums * units / (units - 1)
    found = Covariances(ranking, table, design)
    assert found.rows(0, TAGS) == pytest.approx(wanted)
    assert found.variances == pytest.approx(np.diagonal(wanted))
    assert found.rows(1, 3) == pytest.approx(wanted[1:3])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("truth", [Y, Y * (np.arange(N) < 12)[:, None]])
def test_the_mean_average_precision_has_the_moderated_variance_of_its_tags(kind, level, truth):
    a = ca.assess(truth, kind(P), threshold=0.5, level=level)
    found, ranking = a["macro_average_precision"], tag_ranking(a.task.tag_scores)
    positives = truth.sum(0).astype(float)
    ap = np.minimum(ranking.aps, 1 - 0.5 / positives)
    moderated = (positives * ranking.ap_squares + 2 * ap * (1 - ap) / positives) / (positives + 2)
    squares = (ranking.of_aps**2).sum()
    variance = squares * N / (N - 1) * moderated.sum() / ranking.ap_squares.sum()
    parts = moderated / moderated.sum()
    degrees = min(1 / (parts**2 / (positives + 1)).sum(), degrees_of(ranking.of_aps))
    half = t.ppf(0.5 + level / 2, degrees) * np.sqrt(variance) / (found.value * (1 - found.value))
    wanted = expit(logit(found.value) + np.array([-half, half]))
    assert [found.low, found.high] == pytest.approx([*wanted], rel=1e-6)


def degrees_of(influence):
    """Degrees of freedom by moments, from 1 to n - 1."""
    squares, fourths = (influence**2).sum(), (influence**4).sum()
    uneven = fourths - squares**2 / influence.size
    return max(1.0, min(influence.size, 2 * squares**2 / uneven) - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_area_has_the_moderated_variance_of_its_tags(kind):
    a = ca.assess(Y, kind(P), threshold=0.5)
    found, table = a["macro_roc_auc"], a.task.tag_scores
    ranking, design = tag_ranking(table), tag_design(table)
    positives, negatives = Y.sum(0).astype(float), (1 - Y).sum(0).astype(float)
    covariances = Covariances(ranking, table, design)
    delong = np.array([delong_of(P[:, k], Y[:, k] == 1) for k in range(TAGS)])
    assert covariances.delong(positives, negatives) == pytest.approx(delong)
    auc = (positives * ranking.aucs + found.value) / (positives + 1)
    model = np.array([hanley_mcneil_variance(*each) for each in zip(auc, positives, negatives, strict=True)])
    moderated = (positives * delong + 2 * model) / (positives + 2)
    rows = covariances.rows(0, TAGS)
    correlations = np.maximum(rows / np.sqrt(np.outer(np.diagonal(rows), np.diagonal(rows))), 0)
    sd = np.sqrt(moderated)
    parts = sd * (correlations @ sd) / TAGS**2
    degrees = parts.sum() ** 2 / (parts**2 / (positives + 1)).sum()
    half = t.ppf(0.975, degrees) * np.sqrt(parts.sum()) / (found.value * (1 - found.value))
    assert [found.low, found.high] == pytest.approx(
        [*expit(logit(found.value) + np.array([-half, half]))], rel=1e-6
    )


def delong_of(score, true):
    """DeLong's variance of an AUC, from all pairs."""
    wins = (score[true][:, None] > score[~true]) + (score[true][:, None] == score[~true]) / 2
    return wins.mean(1).var(ddof=1) / true.sum() + wins.mean(0).var(ddof=1) / (~true).sum()


def test_one_case_at_random_adds_the_same_whether_absent_scores_are_stored():
    for how in ({}, {"weight": np.linspace(1, 2, N)}, {"frequency": 1 + np.arange(N) % 3}):
        dense, sparse = (ca.assess(Y, kind(P), threshold=0.5, **how).task.tag_scores for kind in KINDS)
        assert add_case_at_random(sparse) == pytest.approx(add_case_at_random(dense))


def test_unmarked_weights_are_differences_where_a_file_of_an_early_version_kept_none():
    table = ca.assess(Y, y_pred=P > 0.5, weight=np.linspace(1, 2, N)).task.tags
    early = replace(table, rest=None)
    assert early.counts.tn == pytest.approx(table.counts.tn)
    for tag in table.labels:
        assert early.matrix_of(tag, "rest").squares == pytest.approx(table.matrix_of(tag, "rest").squares)


# -- one-hot truth ----------------------------------------------------------------------------------------

CLASSES = np.random.default_rng(5).integers(0, 3, N)
SHARES = np.random.default_rng(6).dirichlet([2, 2, 2], N)
SAID = SHARES.argmax(1)
ONE_HOT, SAID_HOT = np.eye(3, dtype=int)[CLASSES], np.eye(3, dtype=int)[SAID]
NAMES = ["a", "b", "c"]
ROWS = {f"y_{name}": ONE_HOT[:, k] for k, name in enumerate(NAMES)}
ROWS |= {f"p_{name}": SHARES[:, k] for k, name in enumerate(NAMES)}
ROWS |= {f"c_{name}": SAID_HOT[:, k] for k, name in enumerate(NAMES)}
ROWS |= {"w": 1.0 + np.arange(N) % 3, "k": CLUSTER, "f": 1 + np.arange(N) % 2}


@pytest.mark.parametrize("drawn", [{}, {"weight": "w"}, {"cluster": "k"}, {"frequency": "f"}])
@pytest.mark.parametrize("what", ["score", "prediction"])
def test_one_hot_columns_of_a_frame_are_classes_with_all_that_belongs_to_the_rows(drawn, what):
    labels = np.array(NAMES)[CLASSES]
    given = {name: ROWS[column] for name, column in drawn.items()}
    answers = (
        {"y_score": dict(zip(NAMES, SHARES.T, strict=True))}
        if what == "score"
        else {"y_pred": np.array(NAMES)[SAID]}
    )
    wanted = ca.assess(labels, labels=NAMES, **answers, **given)
    named = {"score": "p_*"} if what == "score" else {"prediction": "c_*"}
    found = ca.assess(ROWS, truth="y_*", task="classes", **named, **drawn)
    names = ("accuracy", "macro_f1", "macro_recall")
    assert found.estimates(names) == wanted.estimates(names)
    assert (found.labels, found.n, found.kind_of_weight) == (wanted.labels, wanted.n, wanted.kind_of_weight)


@pytest.mark.parametrize(
    "form", [ONE_HOT, ONE_HOT.tolist(), sp.csr_array(ONE_HOT), [{int(k)} for k in CLASSES]]
)
def test_one_hot_truth_of_any_form_is_a_column_of_classes(form):
    wanted = ca.assess(CLASSES, SHARES)
    found = ca.assess(form, SHARES, task="classes")
    assert found.estimates(("accuracy", "log_loss")) == wanted.estimates(("accuracy", "log_loss"))
    named = ca.assess(ONE_HOT, y_pred=SAID_HOT, task="classes", labels=NAMES)
    assert (named.labels, named["accuracy"].value) == (("a", "b", "c"), (CLASSES == SAID).mean())
    plain = ca.assess(ONE_HOT, y_pred=np.array(NAMES)[SAID], task="classes", labels=NAMES)
    assert plain["accuracy"] == named["accuracy"]


def test_one_hot_truth_of_models_is_compared_as_classes():
    said = {"new": SAID_HOT, "old": np.roll(SAID_HOT, 1, 0)}
    found = ca.compare(None, ONE_HOT, y_pred=said, task="classes", measures=["accuracy"])
    labels = {name: each.argmax(1) for name, each in said.items()}
    wanted = ca.compare(None, CLASSES, y_pred=labels, measures=["accuracy"])
    assert (found[0].effect, found[0].p) == (wanted[0].effect, wanted[0].p)
    scored = {"new": SHARES, "old": np.roll(SHARES, 1, 0)}
    found = ca.compare(scored, ONE_HOT, task="classes", measures=["accuracy"])
    assert found[0].effect == ca.compare(scored, CLASSES, measures=["accuracy"])[0].effect
