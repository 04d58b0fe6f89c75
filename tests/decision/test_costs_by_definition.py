"""Costs with amounts, recomputed row by row from the definitions of `Moments`."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student_t

import classay as ca
from classay.decision.expected_cost import (
    FEW,
    HEAVY,
    LARGEST_POWER,
    Moments,
    bounds_of,
    quantities,
    size_of,
    times,
)
from classay.inference.draws import stream
from classay.inference.estimate import Estimate


class Rows:
    """Decisions, true classes, weights and two amounts of a few rows, of which the second may be negative."""

    def __init__(self, seed, k=2, weighted=False):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(12, 60))
        self.k = k
        self.true = rng.integers(0, k - (seed % 3 == 2), n)
        self.called = np.where(rng.random(n) < 0.7, self.true, rng.integers(0, k, n))
        self.weight = rng.uniform(0.5, 3, n) if weighted else np.ones(n)
        self.weighted = weighted
        self.amounts = np.c_[rng.gamma(1.5, 10, n), rng.normal(1, 2, n)]

    def moments(self, always=None):
        z = np.c_[np.ones(self.true.size), self.amounts]
        sums, products = np.zeros((self.k, self.k, 3)), np.zeros((self.k, self.k, 3, 3))
        for called, true, weight, row in zip(self.called, self.true, self.weight, z, strict=True):
            sums[called, true] += weight * row
            products[called, true] += weight**2 * np.outer(row, row)
        least = np.array(
            [[min(self.amounts[self.true == c, a], default=np.inf) for c in range(self.k)] for a in range(2)]
        )
        return Moments(sums, products, self.weighted, least=least, always=always)

    @property
    def equal(self):
        return self.weight.sum() ** 2 / (self.weight**2).sum()

    def never_negative(self, true, amount):
        of_class = self.amounts[self.true == true, amount]
        return (of_class if of_class.size else self.amounts[:, amount]).min() >= 0

    def mean_and_variance(self, rows, amount):
        if not rows.any():
            return 0.0, 0.0
        w, a = self.weight[rows], self.amounts[rows, amount]
        mean = (w * a).sum() / w.sum()
        return mean, (w**2 * (a - mean) ** 2).sum() / (w**2).sum()

    def cell(self, called, true, amount):
        """Mean, its variance of a case, cases and degrees of freedom of a cell, and those of its class."""
        scale = self.equal / self.weight.sum()
        of_cell, of_class = (self.called == called) & (self.true == true), self.true == true
        of_class = of_class if of_class.any() else np.ones(self.true.size, bool)
        cases, of_all = (self.weight[rows].sum() * scale for rows in (of_cell, of_class))
        (mean, variance), (m, v) = (self.mean_and_variance(rows, amount) for rows in (of_cell, of_class))
        more, more_of_all = (n / max(n - 1, 1) for n in (cases, of_all))
        prior, few = 0.5 if self.k == 2 else 1 / self.k**2, cases < FEW
        if self.never_negative(true, amount):
            relative = v * more_of_all / m**2 if m else 0.0
            own = variance * more / mean**2 if mean and not few else 0.0
            pulled = (cases * mean + prior * m) / (cases + prior)
            found = pulled, pulled**2 * max(relative, own)
        else:
            found = (mean if cases else m), (max(v, variance) if few else variance * more)
        every = all(self.never_negative(true, each) for each in range(2))
        degrees = max((of_all if few or every else cases) - 1, 1)
        return (*found, cases, degrees), (m, v * more_of_all, of_all, max(of_all - 1, 1))


def settings():
    yield from ((seed, k, weighted) for seed, (k, weighted) in enumerate(product((2, 3), (False, True)), 1))
    yield from ((seed, 2, seed % 2 == 0) for seed in range(5, 11))


@pytest.mark.parametrize(("seed", "k", "weighted"), [*settings()])
def test_mean_amounts_of_cells_are_those_of_their_rows(seed, k, weighted):
    rows = Rows(seed, k, weighted)
    moments = rows.moments()
    assert moments.equal == pytest.approx(rows.equal)
    assert moments.total == pytest.approx(rows.weight.sum())
    of_cells, of_classes = moments._amounts()
    for called, true, amount in np.ndindex(k, k, 2):
        mine, whole = rows.cell(called, true, amount)
        at = called, true, amount
        found = of_cells.mean[at], of_cells.variance[at], of_cells.cases[called, true]
        assert found == pytest.approx(mine[:3], rel=1e-9, abs=1e-9)
        assert of_cells.degrees[called, true] == pytest.approx(mine[3])
        at = true, amount
        found = of_classes.mean[at], of_classes.variance[at], of_classes.cases[true], of_classes.degrees[true]
        assert found == pytest.approx(whole, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("seed", "k", "weighted"), [*settings()])
@pytest.mark.parametrize("always", [None, 1])
def test_draws_are_shares_of_a_dirichlet_times_means_by_student(seed, k, weighted, always):
    rows, number, level = Rows(seed, k, weighted), 7, 0.9
    found = rows.moments(always).draws(stream(3, "x"), level, number)
    cells = [[rows.cell(i, j, 0)[0][2] for j in range(k)] for i in range(k)]
    prior = np.full((k, k), 0.5 if k == 2 else 1 / k**2)
    if always is not None:
        prior[[i for i in range(k) if i != always]] = 0
    rng = stream(3, "x")
    shares = rng.standard_gamma(np.array(cells) + prior, size=(number, k, k))
    degrees = np.array([[rows.cell(i, j, 0)[0][3] for j in range(k)] for i in range(k)])
    t_of_cells = rng.standard_t(degrees[..., None], size=(number, k, k, 2))
    of_classes = np.array([rows.cell(0, j, 0)[1][3] for j in range(k)])
    t_of_classes = rng.standard_t(of_classes[:, None], size=(number, k, 2))

    def mean_drawn(mean, variance, cases, t, never):
        se = np.sqrt(variance / max(cases, 1))
        relative = se / abs(mean) if mean else np.inf
        if mean and (relative < 1 or never):
            return mean * np.exp(min(np.sqrt(np.log1p(relative**2)) * t, LARGEST_POWER))
        return mean + se * t

    for true, amount in np.ndindex(k, 2):
        never = rows.never_negative(true, amount)
        whole = rows.cell(0, true, amount)[1]
        drawn = [mean_drawn(*whole[:3], t, never) for t in t_of_classes[:, true, amount]]
        most = np.quantile(drawn, (1 + level) / 2)
        for called, d in np.ndindex(k, number):
            mine = rows.cell(called, true, amount)[0]
            mean = mean_drawn(*mine[:3], t_of_cells[d, called, true, amount], never)
            share = shares[d, called, true]
            if never and 2 * mine[2] <= whole[2] and share:
                mean = min(mean, most * shares[d, :, true].sum() / share)
            assert found[d, called, true, 0] == pytest.approx(share)
            assert found[d, called, true, 1 + amount] == pytest.approx(share * mean)


def cost_of_rows(rows, cost):
    z = np.c_[np.ones(rows.true.size), rows.amounts]
    return (cost[rows.called, rows.true] * z).sum(1)


@pytest.mark.parametrize("seed", range(1, 7))
def test_weights_stretch_by_the_root_of_the_linearised_variance(seed):
    """Over that of as many equal cases, each cell with its own mean of squared weights."""
    rows, cost = Rows(seed, 2, weighted=True), np.random.default_rng(seed).normal(size=(2, 2, 3))
    w, c = rows.weight, cost_of_rows(rows, cost)
    mean = (w * c).sum() / w.sum()
    squares = w**2 * (c - mean) ** 2
    actual = squares.sum() * rows.equal / (rows.equal - 1)
    alike = 0.0
    for called, true in np.ndindex(2, 2):
        cell = (rows.called == called) & (rows.true == true)
        if cell.any():
            alike += squares[cell].sum() * w[cell].sum() / (w[cell] ** 2).sum() * w.sum() / rows.equal
    of = lambda sums: (sums * cost).sum((-3, -2, -1)) / sums[..., 0].sum((-2, -1))  # noqa: E731
    found = rows.moments()._stretch(of, 0.9)
    assert found == pytest.approx(np.sqrt(actual / alike), rel=1e-5)
    assert Rows(seed).moments()._stretch(of, 0.9) == 1


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_clusters_stretch_by_the_jackknife_over_clusters(seed, level):
    """(g - 1) / g of the squared sums, each over the rest of the cases (CV3), and Student's t of effective clusters."""
    rng = np.random.default_rng(seed)
    rows, cost = Rows(seed, 2, weighted=seed % 2 == 0), rng.normal(size=(2, 2, 3))
    w, c = rows.weight, cost_of_rows(rows, cost)
    cluster = rng.integers(0, 6, w.size)
    influence = w * (c - (w * c).sum() / w.sum()) / w.sum()
    sums, sizes = np.bincount(cluster, influence), np.bincount(cluster, w)
    g = sizes.size
    factors = (1 - 1 / g) / (1 - sizes / sizes.sum())
    actual = ((sums * factors) ** 2).sum() * g / (g - 1)
    alike, total = 0.0, w.sum()
    for called, true in np.ndindex(2, 2):
        cell = (rows.called == called) & (rows.true == true)
        if cell.any():
            share = w[cell].sum() / (w[cell] ** 2).sum() * total / rows.equal
            alike += (influence[cell] ** 2).sum() * share
    units = max(2.0, min(g, sizes.sum() ** 2 / (sizes**2).sum()))
    wider = student_t.ppf((1 + level) / 2, units - 1) / norm.ppf((1 + level) / 2)
    names = ("a", "b")
    a = ca.assess(
        rows.true,
        y_pred=rows.called,
        labels=[0, 1],
        positive=1,
        weight=w if rows.weighted else None,
        cluster=cluster,
        amounts=dict(zip(names, rows.amounts.T, strict=True)),
    )
    moments = Moments.of(a.confusion_matrix, a.coded, a.coded.predicted, a.coded.true)
    of = lambda sums: (sums * cost).sum((-3, -2, -1)) / sums[..., 0].sum((-2, -1))  # noqa: E731
    assert moments._stretch(of, level) == pytest.approx(wider * np.sqrt(actual / alike), rel=1e-4)


@pytest.mark.parametrize("seed", range(1, 9))
def test_heavy_amounts_are_those_that_vary_far_more_than_exponential_ones(seed):
    rows, rng = Rows(seed), np.random.default_rng(seed)
    rows.amounts[:, 0] **= rng.choice([1, 2, 3])
    moments = rows.moments()
    for true, amount in np.ndindex(2, 2):
        cost = np.zeros((2, 2, 3))
        cost[1 - true, true, 1 + amount] = 1.0
        of = lambda sums, cost=cost: (sums * cost).sum((-3, -2, -1)) / sums[..., 0].sum((-2, -1))  # noqa: E731
        of_class = rows.amounts[rows.true == true, amount]
        heavy = of_class.size and (of_class**2).mean() > (1 + HEAVY) * of_class.mean() ** 2
        assert moments._are_heavy(of) == bool(heavy)


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_a_cost_are_those_over_all_amounts_that_may_occur(seed):
    """Amounts of a class in which none is negative lie in [0, ∞), all others anywhere."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 4))
    cost = rng.integers(-1, 3, (k, k, 3)) * (rng.random((k, k, 3)) < 0.5).astype(float)
    if seed % 2:
        cost[np.arange(k), np.arange(k)] = 0
        cost = np.abs(cost)
    least = rng.choice([-1.0, 0.0, 2.0, np.inf], (2, k)) if seed % 3 else None
    huge = 1e9
    values = []
    for called, true in np.ndindex(k, k):
        ranges = [
            (0.0, huge) if least is not None and least[amount, true] >= 0 else (-huge, huge)
            for amount in range(2)
        ]
        values += [cost[called, true] @ (1.0, *amounts) for amounts in product(*ranges)]
    low, high = (np.inf * np.sign(end) if abs(end) > huge / 2 else end for end in (min(values), max(values)))
    assert bounds_of(cost, least)[0] == (low, high)
    is_share = low >= 0 and not cost[np.arange(k), np.arange(k)].any()
    is_share = is_share and (k == 2 or not cost[..., 1:].any())
    assert bounds_of(cost, least)[1] == ((0, 1) if is_share else (-np.inf, np.inf))


@pytest.mark.parametrize("prevalence", [None, 0.1, 0.8])
@pytest.mark.parametrize(("seed", "k"), [(1, 2), (3, 2), (4, 2), (6, 3), (7, 4)])
def test_costs_and_savings_are_sums_over_the_rows(seed, k, prevalence):
    """Of a case; as shares of being always wrong; and against calling every case alike, the cheapest such rule."""
    if prevalence is not None and k > 2:
        return
    rows, rng = Rows(seed, k, weighted=seed % 2 == 0), np.random.default_rng(seed)
    cost = rng.integers(0, 5, (k, k, 3)).astype(float)
    cost[np.arange(k), np.arange(k)] = 0
    z = np.c_[np.ones(rows.true.size), rows.amounts]
    weight = rows.weight.copy()
    if prevalence is not None:
        for true, share in enumerate((1 - prevalence, prevalence)):
            weight[rows.true == true] *= share / weight[rows.true == true].sum()
    weight /= weight.sum()

    def mean_if(called):
        return (weight * (cost[called, rows.true] * z).sum(1)).sum()

    per_case = mean_if(rows.called)
    wrong = 0.0
    for true in range(k):
        of_class = rows.true == true
        losses = [
            (weight * (cost[action, rows.true] * z).sum(1))[of_class].sum()
            for action in range(k)
            if action != true
        ]
        wrong += max(losses)
    alike = [mean_if(np.full(rows.true.size, action)) for action in range(k)]
    wanted = {
        "per_case": per_case,
        "normalised": per_case / wrong,
        "saving_over_none": (alike[0] if k == 2 else min(alike)) - per_case,
        "saving_over_all": (alike[1] if k == 2 else min(alike)) - per_case,
    }
    moments = rows.moments()
    found = {name: float(of(moments.sums)) for name, of in quantities(cost, prevalence).items()}
    assert found == pytest.approx(wanted)
    classes = [weight[rows.true == true] for true in range(k)]
    sizes = [abs(sum(w[:, None] * z[rows.true == true])) for true, w in enumerate(classes)]
    largest = sum((size * np.abs(cost[:, true]).max(0)).sum() for true, size in enumerate(sizes))
    assert size_of(cost, moments.sums, prevalence) <= (weight[:, None] * np.abs(z)).sum() * 5 * k
    assert size_of(cost, moments.sums, prevalence) >= largest * (1 - 1e-9)


@pytest.mark.parametrize("factor", [1.0, 3.5])
def test_a_total_is_so_many_times_the_cost_of_a_case(factor):
    one = Estimate(0.5, 0.4, 0.7, 0.95, "posterior")
    found = times(one, factor)
    assert [found.value, found.low, found.high] == pytest.approx([factor * end for end in (0.5, 0.4, 0.7)])
    assert (found.level, found.method) == (0.95, "posterior")
