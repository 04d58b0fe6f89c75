"""Variances and their degrees of freedom, recomputed unit by unit from their definitions."""

from math import hypot, inf, isinf, nan

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student_t

import classay as ca
from classay.inference.design import VarianceEstimate, degrees_by_moments, satterthwaite
from classay.inference.labels.delta import delta_variance
from classay.inference.labels.shares import _with_weights
from classay.inference.scores.mean_aucs import AUCS, FEW, _clustered, _Holding, _joint, moderated
from classay.measures import weighted_roc_auc
from classay.tables import ClassScoreTable

SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_delta_variance_is_that_of_multinomial_cells(seed):
    """g'(diag(p) - pp')g n, with p the shares of n cases."""
    rng = np.random.default_rng(seed)
    cells, slopes = rng.integers(0, 9, 6).astype(float), rng.normal(size=6)
    n, p = cells.sum(), cells / cells.sum()
    assert delta_variance(cells, slopes) == pytest.approx(n * slopes @ (np.diag(p) - np.outer(p, p)) @ slopes)


@pytest.mark.parametrize("seed", SEEDS)
def test_degrees_of_freedom_are_satterthwaites(seed):
    rng = np.random.default_rng(seed)
    parts, sizes = rng.gamma(1, size=4), rng.integers(2, 9, 4)
    variance = parts.sum() * rng.choice([0.5, 1, 2])
    wanted = variance**2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    assert satterthwaite(variance, parts, sizes) == pytest.approx(wanted)
    assert isinf(satterthwaite(0.0, parts * 0, sizes))
    sums, units = rng.normal(size=8) ** 2, int(rng.integers(2, 40))
    squares, fourths = sums.sum(), (sums**2).sum()
    uneven = fourths - squares**2 / units
    wanted = min(units, 2 * squares**2 / uneven) - 1 if uneven > 0 else units - 1
    assert degrees_by_moments(squares, fourths, units) == pytest.approx(max(1, wanted))
    assert degrees_by_moments(8.0, 8.0, 8) == 7  # all alike
    found = VarianceEstimate.of_sums(squares, fourths, units, 8)
    assert found.variance == pytest.approx(squares * 8 / 7)
    assert found.degrees == degrees_by_moments(squares, fourths, units)
    for size, is_known in ((1.9, False), (2, True)):
        few = VarianceEstimate.of_sums(1.0, 1.0, 2, size)
        assert np.isfinite(few.variance) == is_known


@pytest.mark.parametrize("degrees", [inf, 3.0, 40.5])
def test_half_widths_and_p_values_are_students_or_normal(degrees):
    found = VarianceEstimate(np.array([[4.0, 1.5], [1.5, 9.0]]), degrees)
    law = norm if isinf(degrees) else student_t(degrees)
    assert found.variance == 4
    assert found.half(0.9) == pytest.approx(2 * law.ppf(0.95))
    for statistic in (0.0, 1.3, -2.2):
        assert found.p(statistic) == pytest.approx(2 * law.sf(abs(statistic)))
    assert found.along([1, -1]) == pytest.approx(4 + 9 - 2 * 1.5)
    assert found.along([2, 1]) == pytest.approx(4 * 4 + 9 + 4 * 1.5)
    assert found.correlation == pytest.approx(1.5 / 6)
    for diagonal in ((0.0, 9.0), (4.0, 0.0)):
        assert VarianceEstimate(np.diag(diagonal)).correlation == 0
    assert VarianceEstimate(np.array([[1.0, 2.0], [2.0, 1.0]])).correlation == 1
    assert [VarianceEstimate(each).is_none() for each in (0.0, nan, 1e-40, 1e-3)] == [True, True, True, False]
    assert VarianceEstimate(1e-3).is_none(1e20)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_further_part_of_a_width_is_added_as_a_side_of_a_right_triangle(seed):
    low, value, high, beside = np.sort(np.random.default_rng(seed).random(4))[[0, 1, 2, 3]]
    found = _with_weights(value, (low, high), beside)
    assert found == pytest.approx((value - hypot(value - low, beside), value + hypot(high - value, beside)))


def moderated_by_hand(variances, models, sizes):
    """A model of more variance counts for 60 / n cases; it is shrunk by what the cases of all classes show."""
    known = [(n - 1) * (model > 0) for n, model in zip(sizes, models, strict=True)]
    seen = sum(n * v / m for n, v, m in zip(known, variances, models, strict=True) if n > 0)
    shrunk = min(1.0, (seen + sum(known) + 60) / (2 * sum(known) + 60))
    for variance, model, n in zip(variances, models, sizes, strict=True):
        further = 60 / n if variance < model * shrunk else 0.0
        yield ((n - 1) * variance + further * model * shrunk) / (n - 1 + further), n + further


@pytest.mark.parametrize("seed", range(20))
def test_variances_of_few_cases_are_moderated_by_a_model(seed):
    rng = np.random.default_rng(seed)
    variances, models = rng.gamma(1, size=4), rng.gamma(1, size=4) * (rng.random(4) < 0.8)
    sizes = rng.integers(2, 80, 4).astype(float)
    found = np.array(moderated(variances, models, sizes)).T
    np.testing.assert_allclose(found, [*moderated_by_hand(variances, models, sizes)])
    assert FEW == 60


KINDS = ("alike", "weights", "frequencies")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", KINDS)
def test_the_variance_of_a_mean_auc_adds_up_over_the_cases_of_the_classes(kind, seed):
    """Σ s h² n / (n - 1) of each class, moderated, and what the sizes of the classes move."""
    rng = np.random.default_rng(seed)
    n, k = 70, 4
    true, scores = np.r_[np.arange(3), np.arange(3), rng.integers(0, 3, n - 6)], rng.random((n, k))
    weight = {
        "alike": {},
        "weights": {"weight": rng.gamma(2, size=n)},
        "frequencies": {"frequency": rng.integers(1, 5, n)},
    }[kind]
    rows = ClassScoreTable.from_rows(scores, true, tuple(range(k)), **weight).rows
    code = np.repeat(np.arange(k), np.diff(rows.starts))
    w = np.ones(n) if rows.weight is None else np.asarray(rows.weight, float)
    s, f = (w**2, w**4) if kind == "weights" else (w, w)
    influence, moved, model = rng.normal(size=n), rng.normal(size=k), rng.gamma(1, size=k) * 70
    totals = np.bincount(code, w, k)
    occurring = [c for c in range(k) if totals[c]]
    within = [(s * influence**2)[code == c].sum() for c in occurring]
    fourth = [(f * influence**4)[code == c].sum() for c in occurring]
    sizes = [totals[c] ** 2 / s[code == c].sum() for c in occurring]
    parts = [v * m / (m - 1) for v, m in zip(within, sizes, strict=True)]
    models = [model[c] / m for c, m in zip(occurring, sizes, strict=True)]
    parts, units = zip(*moderated_by_hand(parts, models, sizes), strict=True)
    number = w.sum() ** 2 / s.sum()
    of_sizes = sum(s[code == c].sum() * moved[c] ** 2 for c in occurring)
    if kind == "weights":
        of_sizes += 2 * sum((s * influence)[code == c].sum() * moved[c] for c in occurring)
    variance = sum(parts) + of_sizes * number / (number - 1)
    uneven = sum(
        (fourth[i] - within[i] ** 2 / sizes[i]) * ((sizes[i] - 1) / (units[i] - 1)) ** 2 for i in range(3)
    )
    degrees = min(
        2 * variance**2 / uneven,
        variance**2 / sum(p**2 / (u - 1) for p, u in zip(parts, units, strict=True)),
    )
    found = _joint(rows, influence, totals, moved, model)
    assert (found.variance, found.degrees) == pytest.approx((variance, max(1.0, degrees)))
    alone = ClassScoreTable.from_rows(scores[:7], np.r_[true[:6], 3], tuple(range(k))).rows
    assert np.isnan(_joint(alone, influence[:7], np.array([2.0, 2, 2, 1]), moved, model).variance)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_variance_of_a_mean_auc_adds_up_over_clusters_and_classes(weighted, seed):
    """Each pair of cluster and class over the rest of its class; each class with its own n / (n - 1)."""
    rng = np.random.default_rng(seed)
    n, k = 60, 3
    true, scores = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
    cluster = rng.integers(0, 9, n) if seed else np.where(true == 0, 0, 1 + np.arange(n) % 8)
    w = rng.gamma(2, size=n) if weighted else np.ones(n)
    a = ca.assess(true, scores, cluster=cluster, weight=w if weighted else None)
    codes = a.coded.true.astype(int)  # rows of a cluster stand together
    true, cluster = np.array(a.labels)[codes], np.array(a.coded.clusters)[a.coded.cluster]
    w = np.ones(n) if a.coded.weight is None else np.asarray(a.coded.weight)
    influence, moved = rng.normal(size=n), rng.normal(size=n)
    found = _Holding.of(a.coded, codes, np.bincount(codes, w)).spread(a.coded, influence, moved)
    names = sorted({*cluster.tolist()})
    pairs = {(g, c): (cluster == g) & (true == c) for g in names for c in range(k)}
    pairs = {pair: at for pair, at in pairs.items() if at.any()}
    holding = [sum(c == own for _, c in pairs) for own in range(k)]
    if min(holding) < 2:
        assert np.isnan(found.variance)
        assert found.degrees == 1
        return
    parts, together = np.zeros(k), dict.fromkeys(names, 0.0)
    for (g, c), at in pairs.items():
        factor = (1 - 1 / holding[c]) / (1 - w[at].sum() / w[true == c].sum())
        parts[c] += ((influence * w)[at].sum() * factor) ** 2
        together[g] += (influence * w)[at].sum() * factor
    number, clusters = np.array(holding), len(names)
    for g in names:  # the sizes of classes are shares of all cases
        part = w[cluster == g].sum() / w.sum()
        together[g] += (moved * w)[cluster == g].sum() * (1 - 1 / clusters) / (1 - part)
    all_alike = clusters / (clusters - 1)
    variance = sum(each**2 for each in together.values()) * all_alike
    variance += (parts * (number / (number - 1) - all_alike)).sum()
    squares = np.array([((influence + moved) * w)[cluster == g].sum() ** 2 for g in names])
    sizes = np.array([w[cluster == g].sum() for g in names])
    alike = min(clusters, max(2.0, sizes.sum() ** 2 / (sizes**2).sum()))
    by_class = parts * number / (number - 1)
    degrees = min(
        degrees_by_moments(squares.sum(), (squares**2).sum(), alike),
        variance**2 / (by_class**2 / (number - 1)).sum(),
    )
    assert (found.variance, found.degrees) == pytest.approx((variance, max(1.0, degrees)))


def test_a_class_that_one_cluster_nearly_holds_alone_has_the_jackknifes_variance():
    """A size-weighted AUC moves with the sizes of classes, of which a cluster has no more than its part of all cases.

    By the cluster's part of the class, 13 of 14, its standard error would be five times as large.
    """
    rng = np.random.default_rng(0)
    cluster, true = np.repeat(np.arange(12), 14), rng.integers(1, 4, 168)
    true[:13] = true[14] = 0
    scores = rng.random((168, 4)) / 4
    scores[np.arange(168), true] += np.array([0.05, 0.1, 0.1, 0.1])[true]
    scores[true == 0, 0] += 1
    scores /= scores.sum(1, keepdims=True)
    tables = [
        ClassScoreTable.from_rows(scores[at], true[at], (0, 1, 2, 3))
        for at in (cluster >= 0, *(cluster != each for each in range(12)))
    ]
    value, *without = (float(weighted_roc_auc(table)) for table in tables)
    coded = ca.assess(true, scores, cluster=cluster).coded
    spread = _clustered(tables[0], coded)[0][AUCS.index("weighted_roc_auc")]
    jackknife = 11 / 12 * ((np.array(without) - value) ** 2).sum()
    assert spread.variance == pytest.approx(jackknife, rel=0.2)
