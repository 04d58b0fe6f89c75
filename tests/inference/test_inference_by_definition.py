"""Parts of intervals, computed anew from their definitions: placements, losses, tails, bands, draws, conditions."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution
from scipy.stats import hypergeom

import classay as ca
from classay.curves.acting import cumulative_gain
from classay.inference import groups_at_once, prevalence
from classay.inference.bands import at, bootstrap_band
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.draws import order_of_clusters
from classay.inference.labels import smooth
from classay.inference.labels.positive_correlations import _add_correlated, add_correlated
from classay.inference.requirements import Requirement
from classay.inference.scores.auc import _place, place
from classay.inference.scores.optimism import BRIER, LOG, cost_rule
from classay.inference.significance import hypergeometric_tail
from classay.tables import ScoreTable


@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("way", [place, _place])
def test_a_placement_is_the_share_of_the_other_class_that_a_score_is_beyond(way, has_weights):
    rng = np.random.default_rng(4)
    score, positive = rng.integers(0, 6, 40) / 5.0, rng.random(40) < 0.4
    weight = rng.gamma(2, size=40) if has_weights else np.ones(40)
    out = np.empty(40)
    n, p = weight[~positive].sum(), weight[positive].sum()
    way(np.argsort(score, kind="stable"), score, positive, weight if has_weights else None, p, n, out)
    for row in range(40):
        others = positive != positive[row]
        gap = (score[row] - score[others]) * (1 if positive[row] else -1)
        share = (weight[others] * ((gap > 0) + (gap == 0) / 2)).sum() / weight[others].sum()
        assert out[row] == pytest.approx(share)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.8])
def test_the_losses_of_a_probability(p):
    at_p = np.array([p, p, 1 - p])
    assert [each[0] for each in LOG.loss(at_p)] == pytest.approx([-np.log(p), -np.log(1 - p)])
    assert [each[0] for each in BRIER.loss(at_p)] == pytest.approx([(1 - p) ** 2, p**2])
    density = beta_distribution(2, 3).pdf
    missed = quad(lambda c: (1 - c) * density(c), p, 1)[0]  # the positives below the threshold c
    false = quad(lambda c: c * density(c), 0, p)[0]
    assert [each[0] for each in cost_rule(2, 3).loss(at_p)] == pytest.approx([missed, false])
    assert [each[1] for each in cost_rule(2, 3).loss(at_p)] == pytest.approx([missed, false])


@pytest.mark.parametrize(("cases", "wrong"), [(9, 4), (12, 1), (12, 11), (7, 7), (7, 0), (1, 1)])
def test_the_tail_of_a_draw_is_that_of_the_hypergeometric_distribution(cases, wrong):
    x, drawn = (np.ravel(each) for each in np.meshgrid(np.arange(cases + 1), np.arange(1, cases + 1)))
    of_scipy = hypergeom.sf(x - 1, cases, wrong, drawn)
    assert hypergeometric_tail(x, cases, wrong, drawn) == pytest.approx(of_scipy, abs=1e-12)


@pytest.mark.parametrize("value", [-0.5, 0.0, 0.25, np.nan])
@pytest.mark.parametrize("operator", [">", ">=", "<", "<="])
def test_a_condition_at_its_bound_and_beside_it(operator, value):
    for bound in (-0.5, 0.0, 0.25, 0.5):
        meant = {">": value > bound, ">=": value >= bound, "<": value < bound, "<=": value <= bound}[operator]
        condition = Requirement("f1", "low", operator, bound)
        assert condition.met_by(value) is meant
        assert condition.negated.met_by(-value) is meant
        assert condition.negated.negated == condition


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_ends_of_a_bootstrap_band_are_quantiles_of_the_heights(level):
    rng = np.random.default_rng(8)
    y = rng.random(60) < 0.4
    cases = ScoredCases(ScoreTable.from_rows(np.round(rng.random(60) + 0.3 * y, 1), y), level=level)
    band = bootstrap_band(cases, cumulative_gain, replicates=80)
    heights = [at(cumulative_gain(draw), band.x) for draw in cases.resamples(80, "cumulative_gain band")]
    for end, share in ((band.low, (1 - level) / 2), (band.high, (1 + level) / 2)):
        assert end == pytest.approx(np.quantile(heights, share, axis=0))


def test_clusters_in_one_cell_are_ordered_by_their_weights():
    cluster, cell = np.array([7, 3, 5, 7]), np.zeros(4, np.int64)
    assert order_of_clusters(cluster, cell, np.array([2.0, 1.0, 2.0, 1.0])).tolist() == [2, 0, 1, 2]


@pytest.mark.parametrize("way", [add_correlated, _add_correlated])
def test_sums_by_positive_correlations_with_other_numbers(way):
    rng = np.random.default_rng(2)
    size = 5
    sparse = np.where(rng.random((size, size)) < 0.5, rng.normal(size=(size, size)), 0.0)
    a, w, scale = rng.normal(size=size), rng.normal(size=size), rng.gamma(2, size=size)
    values, products = rng.normal(size=(size, 2)), np.ones((size, 2))
    rows, column = np.nonzero(sparse)
    start = np.searchsorted(rows, np.arange(size + 1))
    way(scale, start, column, sparse[rows, column], a, w, values, products)
    for i, vector in product(range(size), range(2)):
        total = 1.0
        for j in range(size):
            covariance = sparse[i, j] + a[i] * w[j] + w[i] * a[j]
            total += (i != j) * min(max(covariance * scale[i] * scale[j], 0.0), 1.0) * values[j, vector]
        assert products[i, vector] == pytest.approx(total)


def test_as_many_draws_of_sparse_cells_as_are_wanted(monkeypatch):
    monkeypatch.setattr(smooth, "FEWEST_AT_ONCE", 3)
    monkeypatch.setattr(smooth, "MOST_NUMBERS", 1)
    cells = np.diag([4.0, 3.0, 2.0])
    cells[0, 1] = 1.0
    smooth._kept_sparsely.cache_clear()
    blocks = smooth._kept_sparsely(cells.tobytes(), 3, 0, 10)
    smooth._kept_sparsely.cache_clear()
    assert [block.share.shape[0] for block in blocks] == [3, 3, 3, 1]
    for block in blocks:
        assert block.share.sum(-1) == pytest.approx(cells.sum())


def test_every_table_is_in_one_part_of_enough_rows(monkeypatch):
    monkeypatch.setattr(groups_at_once, "PART", 10)
    tables = [
        ScoreTable.from_rows(np.arange(size) / size, np.arange(size) % 2 == 0)
        for size in (2, 5, 4, 1, 12, 3, 7, 3, 2)
    ]
    known = np.array([True, True, True, True, True, True, True, False, True])
    parts = [*groups_at_once._parts(tables, known)]
    assert [place for part in parts for place in part] == [0, 1, 2, 4, 5, 6, 8]
    sizes = [[tables[at].scores.size for at in part] for part in parts]
    assert all(sum(part) >= 10 for part in sizes[:-1])
    assert all(sum(part[:-1]) < 10 for part in sizes)


@pytest.mark.parametrize(("n1", "n2"), [(60, 70), (30, 40), (70, 40), (6_000, 5_000)])
def test_digits_of_a_verification_are_those_of_all_its_cases(n1, n2):
    found = prevalence.from_counts((n1, 29, 23), (n2, 17, 2))
    decimals = 0 if n1 + n2 < 100 else 1 if n1 + n2 < 10_000 else 2
    for name in ("sensitivity", "specificity"):
        estimate = getattr(found, name)
        ends = f"(95% CI {100 * estimate.low:.{decimals}f}% to {100 * estimate.high:.{decimals}f}%)"
        assert f"{name} is {100 * estimate.value:.{decimals}f}% {ends}" in found.sentence


def test_a_class_that_does_not_occur_changes_no_mean_of_those_that_do():
    rng = np.random.default_rng(9)
    y, cluster = np.tile([0, 1, 2], 30), np.repeat(np.arange(30), 3)[rng.permutation(90)]
    scores = rng.dirichlet(np.ones(3), 90) + 0.5 * np.eye(3)[y]
    scores /= scores.sum(1, keepdims=True)
    wide = np.insert(scores, 1, 0.0, axis=1)
    for columns in ({"cluster": cluster}, {"cluster": cluster, "weight": rng.integers(1, 4, 90)}):
        few = ca.assess(y, scores, **columns)["macro_roc_auc"]
        more = ca.assess(np.array([0, 2, 3])[y], wide, labels=[0, 1, 2, 3], **columns)
        estimate = more["macro_roc_auc_over_occurring_classes"]
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((few.value, few.low, few.high))


@pytest.mark.parametrize("low_tpr", [0.7, 0.8])
def test_the_standardized_area_from_the_other_end_has_the_standardized_ends(low_tpr):
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], [40, 60])
    a = ca.assess(y, np.where(y == 1, rng.normal(1.5, 1, 100), rng.normal(0, 1, 100)), threshold=1)
    raw = a[f"partial_roc_auc_by_tpr(min_tpr={low_tpr})"]
    standard = a[f"standardized_partial_roc_auc_by_tpr(min_tpr={low_tpr})"]
    greatest = 1 - low_tpr  # McClish 1989, of the curve seen from its other end
    least = greatest**2 / 2
    for name in ("value", "low", "high"):
        share = (getattr(raw, name) - least) / (greatest - least)
        assert getattr(standard, name) == pytest.approx((1 + share) / 2)


@pytest.mark.parametrize("positives", [9, 10])
def test_a_partial_area_needs_ten_cases_of_each_class(positives):
    rng = np.random.default_rng(positives)
    y = np.repeat([1, 0], [positives, 60])
    score = np.where(y == 1, 1.0, 0.0) + rng.normal(size=y.size)
    for truth, number in ((y, score), (1 - y, -score)):
        a = ca.assess(truth, number, threshold=0.5)
        for name in ("partial_roc_auc(max_fpr=0.5)", "partial_roc_auc_by_tpr(min_tpr=0.5)"):
            assert a[name].has_interval is (positives == 10)
