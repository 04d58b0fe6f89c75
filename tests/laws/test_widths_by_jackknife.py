"""Widths of intervals against the jackknife: each unit left out, of every measure, over cases, weights and clusters.

With hundreds of cases, half an interval is 1.96 standard errors, whatever its method. The jackknife knows of no
influence, slope or variance of this library: it computes the measure itself without a case, or without a cluster.
"""

from functools import cache

import numpy as np
import pytest

import classay as ca
from classay.inference.estimate import direction
from classay.measures import MEASURES
from classay.tables import BinaryCounts, CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable

LABELS = ("counts", "margins", "matrix")
SCORES = ("scores", "probabilities")
WIDER = ("bound", "added", "optimism", "in all bins", "or linear", "hull", "MOVER")
"""Words of methods that are wider than a standard error tells, on purpose."""
DESIGNS = ("alike", "weighted", "clusters")


@cache
def rows(classes, design):
    """Truth, labels of two models that err together, a score of the first, weights, and the unit of each row."""
    rng = np.random.default_rng(3)
    n = 600 if design == "clusters" else 400
    cluster = np.arange(n) % 60
    together = 0.7 * rng.normal(size=60)[cluster] + rng.normal(size=n)
    true = rng.choice(classes, n, p=[0.6, 0.4] if classes == 2 else [0.5, 0.3, 0.2])
    weight = rng.choice([0.5, 1.0, 2.5], n) if design == "weighted" else np.ones(n)
    scores, called = [], []
    for skill in (0.8, 0.5):
        logit = skill * (2 * true - 1) + 0.6 * together + 0.8 * rng.normal(size=n)
        scores.append((1 / (1 + np.exp(-logit))).round(1 if design == "weighted" else 2).clip(0.02, 0.98))
        wrong = (true + rng.integers(1, classes, n)) % classes
        missed = 1.2 * skill - 0.1 + 0.6 * together + rng.normal(size=n) < 0
        called.append((scores[-1] >= 0.5) * 1 if classes == 2 else np.where(missed, wrong, true))
    return true, called, scores, weight, cluster


@cache
def table_without(classes, design, model, needs):
    """A stack of tables, each without the rows of one unit, and how many units there are of each kind."""
    true, called, scores, weight, cluster = rows(classes, design)
    if design == "clusters":
        units, times = cluster, np.ones(60)
    else:
        kinds = np.c_[true, called[0], called[1], weight] if needs in LABELS else np.c_[true, *scores, weight]
        _, units, times = np.unique(kinds, axis=0, return_inverse=True, return_counts=True)
    units = units.ravel()
    share = (
        np.ones(true.size) if design == "clusters" else 1 / times[units]
    )  # one unit of each kind is left out
    if needs in LABELS:
        cells = np.zeros((times.size, classes, classes))
        np.add.at(cells, (units, called[model], true), weight * share)
        total = np.zeros((classes, classes))
        np.add.at(total, (called[model], true), weight)
        counts = total - cells
        if needs == "counts":
            return BinaryCounts(counts[:, 1, 1], counts[:, 1, 0], counts[:, 0, 1], counts[:, 0, 0]), times
        return ConfusionMatrix(counts, tuple(range(classes))), times
    falling, at = np.unique(-scores[model], return_inverse=True)
    sums = np.zeros((2, times.size, falling.size))
    np.add.at(sums, (true, units, at.ravel()), weight * share)
    total = np.zeros((2, falling.size))
    np.add.at(total, (true, at.ravel()), weight)
    negatives, positives = total[:, None] - sums
    return ScoreTable(-falling, positives, negatives), times


def error_of(measure, classes, design, *models):
    """The jackknife's standard error of a measure of a model, or of the difference of two."""
    values = []
    for model in models:
        table, times = table_without(classes, design, model, measure.needs)
        values.append(np.asarray(measure(table), float))
    value = values[0] - values[1] if len(models) > 1 else values[0]
    number = times.sum()
    mean = (times * value).sum() / number
    return np.sqrt((number - 1) / number * (times * (value - mean) ** 2).sum())


def options(classes, design):
    _, _, _, weight, cluster = rows(classes, design)
    return {"alike": {}, "weighted": {"weight": weight}, "clusters": {"cluster": cluster}}[design]


def held(estimate, error):
    """Half the interval over 1.96 standard errors."""
    return (estimate.high - estimate.low) / 2 / (1.959964 * error)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("classes", [2, 3])
def test_intervals_of_labels_are_as_wide_as_the_jackknife_says(classes, design):
    true, called, _, _, _ = rows(classes, design)
    a = ca.assess(
        true,
        y_pred=called[0],
        labels=list(range(classes)),
        positive=1 if classes == 2 else None,
        **options(classes, design),
    )
    seen = 0
    for measure in a.applicable():
        if measure.needs in LABELS and (found := a[measure]).has_interval:
            assert 0.87 < held(found, error_of(measure, classes, design, 0)) < 1.16, measure.name
            seen += 1
    assert seen > 30


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_scores_are_as_wide_as_the_jackknife_says(design):
    true, _, scores, _, _ = rows(2, design)
    a = ca.assess(true, scores[0], positive=1, **options(2, design))
    seen = 0
    for measure in a.applicable():
        if measure.needs not in SCORES or not (found := a[measure]).has_interval:
            continue
        if not any(word in found.method for word in WIDER):
            assert 0.86 < held(found, error_of(measure, 2, design, 0)) < 1.18, measure.name
            seen += 1
    assert seen > 7


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("classes", [2, 3])
def test_intervals_of_differences_are_as_wide_as_the_jackknife_says(classes, design):
    true, called, _, _, _ = rows(classes, design)
    models = dict(zip(("new", "old"), called, strict=True))
    options_ = {"labels": list(range(classes)), "positive": 1 if classes == 2 else None}
    seen = 0
    known = ca.assess(true, y_pred=called[0], **options_).applicable()
    names = [
        each.name for each in known if each.needs in LABELS and direction(each.name) and each.name in MEASURES
    ]
    found = ca.compare(y_true=true, y_pred=models, measures=names, **options_, **options(classes, design))
    for one in found:
        if one.effect.has_interval:
            ratio = held(one.effect, error_of(MEASURES[one.measure], classes, design, 0, 1))
            assert 0.85 < ratio < 1.2, (one.measure, one.effect.method)
            seen += 1
    assert seen > 15


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.slow
def test_intervals_of_differences_of_scores_are_as_wide_as_the_jackknife_says(design):
    true, _, scores, _, _ = rows(2, design)
    names = [
        "roc_auc",
        "brier_score",
        "log_loss",
        "gini",
        "brier_skill",
        "calibration_slope",
        "average_precision",
    ]
    models = dict(zip(("new", "old"), scores, strict=True))
    for one in ca.compare(models, true, measures=names, positive=1, **options(2, design)):
        ratio = held(one.effect, error_of(MEASURES[one.measure], 2, design, 0, 1))
        assert 0.85 < ratio < 1.25, (one.measure, one.effect.method)


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_class_scores_are_as_wide_as_the_jackknife_says(weighted):
    """Over 40 clusters, with weights or without: the measure itself of the rows that stay."""
    rng = np.random.default_rng(4)
    n, clusters = 400, 40
    cluster = np.arange(n) % clusters
    true = rng.integers(0, 3, n)
    logits = 1.2 * np.eye(3)[true] + 0.4 * rng.normal(size=(clusters, 3))[cluster] + rng.normal(size=(n, 3))
    scores = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    weight = rng.choice([0.5, 1.0, 2.0], n) if weighted else None

    def tables(kept):
        given = None if weight is None else weight[kept]
        return {
            "class_scores": ClassScoreTable.from_rows(scores[kept], true[kept], (0, 1, 2), weight=given),
            "cases": CaseTable.from_rows(scores[kept], true[kept], (0, 1, 2), weight=given),
        }

    without = [tables(cluster != unit) for unit in range(clusters)]
    a = ca.assess(true, scores, cluster=cluster, weight=weight)
    seen = 0
    for measure in a.applicable():
        if measure.needs not in ("class_scores", "cases") or not (found := a[measure]).has_interval:
            continue
        if "bound" in found.method:
            continue
        values = np.array([float(measure(each[measure.needs])) for each in without])
        error = np.sqrt((clusters - 1) * values.var())
        assert 0.9 < held(found, error) < 1.2, (measure.name, found.method)
        seen += 1
    assert seen > 5
