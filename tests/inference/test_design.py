"""How cases were drawn: one covariance for cases alike, repeated, weighted and clustered, against its definition."""

import numpy as np
import pytest
from scipy import stats

from classay.inference.design import CellWeights, Design
from classay.inference.labels.spreads import ShareSpread
from classay.inference.proportions import score_interval
from classay.tables import BinaryCounts, ConfusionMatrix, PairedTable, ScoreTable
from classay.tables.rows import RowCells, RowClusters

N, NUMBERS = 60, 3
KINDS = ("alike", "frequency", "weight", "cluster", "weight and cluster")


def drawn(kind, seed=0):
    """How rows were drawn, and influences that sum to zero over the cases, `(numbers, rows)`."""
    rng = np.random.default_rng(seed)
    given = {}
    if kind == "frequency":
        given["frequency"] = rng.integers(1, 4, N)
    if "weight" in kind:
        given["weight"] = rng.gamma(2.0, size=N)
    if "cluster" in kind:
        given["cluster"] = np.append(np.arange(9), rng.integers(0, 9, N - 9))
    z = rng.normal(size=(NUMBERS, N)) ** 3
    w = given.get("weight", given.get("frequency", np.ones(N)))
    return given, z - (z * w).sum(1, keepdims=True) / w.sum()


def by_definition(given, z):
    """n / (n - 1) times the sum over the units of S S', and 2 V² / var(V) - 1 of the first number, by loops."""
    w = given.get("weight", np.ones(N))
    times = given.get("frequency", np.ones(N, int))
    cluster = given.get("cluster", np.arange(N))
    units = [(w * z * (cluster == each)).sum(1) for each in range(cluster.max() + 1)]
    if "cluster" not in given:
        units = np.repeat(units, times, axis=0)
    n = len(units)
    if "weight" in given and "cluster" not in given:
        n = w.sum() ** 2 / (w**2).sum()
    moved = np.array(units)
    if "cluster" in given:  # the jackknife around the value
        sizes = np.bincount(cluster, w)
        moved = moved * ((n - 1) / n / (1 - sizes / sizes.sum()))[:, None]
    products = moved.T @ moved
    first = np.array(units)[:, 0] ** 2
    alike = n
    if "cluster" in given:  # as many of equal size
        sizes = np.bincount(cluster, w)
        alike = sizes.sum() ** 2 / (sizes**2).sum()
    degrees = 2 * first.sum() ** 2 / ((first**2).sum() - first.sum() ** 2 / alike) - 1
    return products * n / (n - 1), min(max(degrees, 1.0), alike - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_covariance_and_degrees_by_definition(kind):
    given, z = drawn(kind)
    covariance, degrees = by_definition(given, z)
    found = Design.of_rows(N, **given).spread(z)
    assert found.covariance == pytest.approx(covariance, rel=1e-10)
    assert found.degrees == pytest.approx(degrees, rel=1e-9)
    apart = Design.of_rows(N, **given).spread(z[0] - z[1])
    assert found.along([1, -1, 0]) == pytest.approx(apart.variance, rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by_class", [False, True])
def test_neither_order_nor_unit_of_weights_nor_rows_of_no_weight_matter(kind, by_class):
    given, z = drawn(kind)
    true = np.arange(N) % 3 == 0
    wanted = Design.of_rows(N, true=1 * true, **given).spread(z, by_class=by_class)
    order = np.random.default_rng(1).permutation(N)
    turned = {name: each[order] for name, each in given.items()}
    found = Design.of_rows(N, true=1 * true[order], **turned).spread(z[:, order], by_class=by_class)
    assert found.covariance == pytest.approx(wanted.covariance, rel=1e-12)
    scaled = given | ({"weight": 1000 * given["weight"]} if "weight" in given else {})
    by = 1000 if "weight" in given else 1
    found = Design.of_rows(N, true=1 * true, **scaled).spread(z / by, by_class=by_class)
    assert found.covariance == pytest.approx(wanted.covariance, rel=1e-12)
    assert (found.degrees, found.units.number) == pytest.approx(
        (wanted.degrees, wanted.units.number), rel=1e-9
    )
    if "weight" in given or "frequency" in given:
        more = {name: np.append(each, 0) for name, each in given.items()}
        far = np.hstack([z, np.full((NUMBERS, 1), np.inf)])
        found = Design.of_rows(N + 1, true=np.append(1 * true, 1), **more)
        assert found.spread(far, by_class=by_class).covariance == pytest.approx(wanted.covariance, rel=1e-12)


@pytest.mark.parametrize("by_class", [False, True])
def test_equal_weights_are_no_weights_and_clusters_of_one_case_no_clusters(by_class):
    _, z = drawn("alike")
    true = np.arange(N) % 2
    wanted = Design.of_rows(N, true=true).spread(z, by_class=by_class)
    for given, by in (({"weight": np.full(N, 0.1)}, 0.1), ({"cluster": np.arange(N)[::-1]}, 1)):
        found = Design.of_rows(N, true=true, **given).spread(z / by, by_class=by_class)
        assert found.covariance == pytest.approx(wanted.covariance, rel=1e-12), given
        assert (found.degrees, found.units.number) == (pytest.approx(wanted.degrees, rel=1e-9), N)
    repeated = np.repeat(np.arange(N), 1 + np.arange(N) % 3)
    times = Design.of_rows(N, true=true, frequency=1 + np.arange(N) % 3).spread(z, by_class=by_class)
    rows = Design.of_rows(repeated.size, true=true[repeated]).spread(z[:, repeated], by_class=by_class)
    assert times.covariance == pytest.approx(rows.covariance, rel=1e-12)
    assert (times.degrees, times.units) == (pytest.approx(rows.degrees, rel=1e-9), rows.units)


def test_each_class_has_its_own_correction_as_in_delong_and_obuchowski():
    true, (_, z) = np.arange(N) % 4 == 0, drawn("alike")
    z = np.where(true, z - z[:, true].mean(1, keepdims=True), z - z[:, ~true].mean(1, keepdims=True))
    parts = [np.cov(z[:, kind]) * kind.sum() for kind in (true, ~true)]
    found = Design.of_rows(N, true=1 * true).spread(z, by_class=True)
    assert found.covariance == pytest.approx(sum(parts), rel=1e-12)
    cluster = np.arange(N) // 5
    sums = []
    for kind in (true, ~true):  # of each class the jackknife, as far as it goes in equal clusters
        sizes = np.bincount(cluster, kind)
        n = np.count_nonzero(sizes)
        sums.append(
            np.stack([np.bincount(cluster, each * kind) for each in z])
            * ((1 - 1 / n) / (1 - sizes / kind.sum()))
        )
    holding = [np.unique(cluster[kind]).size for kind in (true, ~true)]
    own = [s @ s.T * h / (h - 1) for s, h in zip(sums, holding, strict=True)]
    crossed = (sums[0] @ sums[1].T + sums[1] @ sums[0].T) * 12 / 11
    found = Design.of_rows(N, true=1 * true, cluster=cluster).spread(z, by_class=True)
    assert found.covariance == pytest.approx(own[0] + own[1] + crossed, rel=1e-12)


@pytest.mark.parametrize("kind", ["alike", "weight", "weight and cluster"])
def test_places_of_tables_are_rows_that_stand_alike(kind):
    """Rows with the same influence are counted in one cell of any table, and nothing changes but for rounding."""
    rng = np.random.default_rng(3)
    given, _ = drawn(kind)
    true, first, second = rng.integers(0, 2, (3, N))
    w = given.get("weight", np.ones(N))
    clusters = RowClusters(given["cluster"], given.get("weight")) if "cluster" in given else None

    def tabled(at, cells, table, squares=None):
        z = rng.normal(size=cells)
        z -= (z[at] * w).sum() / w.sum()
        rows = Design.of_rows(N, true=true, **given).spread(z[at])
        cells = None if clusters is None else RowCells(at)
        found = Design(table, squares, clusters, cells).spread(z)
        assert found.variance == pytest.approx(rows.variance, rel=1e-12)
        assert found.units == (pytest.approx(rows.units.number), rows.units.name)
        if kind == "alike":
            assert found.degrees == pytest.approx(rows.degrees, rel=1e-9)

    def sums(at, cells, by):
        return np.bincount(at, by, cells)

    weighted = "weight" in given
    cell = 2 * (1 - first) + (1 - true)  # tp, fp, fn, tn
    squared = BinaryCounts(*sums(cell, 4, w * w)) if weighted else None
    tabled(cell, 4, BinaryCounts(*sums(cell, 4, w)), squared)
    cell = 2 * first + true
    matrix, squared = (ConfusionMatrix(sums(cell, 4, by).reshape(2, 2), (0, 1)) for by in (w, w * w))
    tabled(cell, 4, matrix, squared if weighted else None)
    cell = 4 * true + 2 * first + second
    held, squared = (sums(cell, 8, by).reshape(2, 2, 2) for by in (w, w * w))
    tabled(cell, 8, PairedTable(held, (0, 1), squared if weighted else None))
    score = rng.integers(0, 5, N)
    cell = 5 * (1 - true) + 4 - score
    table = ScoreTable.from_rows(score / 4.0, true == 1, weight=given.get("weight"))
    tabled(cell, 10, table)


def test_few_units_show_no_spread():
    assert np.isnan(Design.of_rows(1).spread(np.zeros(1)).variance)
    one = Design.of_rows(5, cluster=np.zeros(5, int), true=np.array([0, 0, 1, 1, 1]))
    assert np.isnan(one.spread(np.ones(5)).variance)
    assert np.isnan(one.spread(np.ones(5), by_class=True).variance)
    assert one.spread(np.ones(5)).degrees == 1.0


def test_huge_and_tiny_influences_have_fourth_powers():
    given, z = drawn("cluster")
    wanted = Design.of_rows(N, **given).spread(z)
    for size in (1e-140, 1e120):
        found = Design.of_rows(N, **given).spread(z * size)
        assert found.degrees == pytest.approx(wanted.degrees, rel=1e-12)
        assert found.se == pytest.approx(wanted.se * size, rel=1e-12)


def test_degrees_are_named_or_given():
    design, z = Design.of_rows(N), drawn("alike")[1]
    assert design.spread(z, degrees="normal").quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert design.spread(z, degrees="units").degrees == N - 1
    assert design.spread(z, degrees=7.5).degrees == 7.5
    found = design.spread(z, degrees=10)
    assert found.half(0.95) == pytest.approx(2.2281389 * found.se, rel=1e-7)
    assert found.p(2.2281389) == pytest.approx(0.05, abs=1e-7)
    assert CellWeights(np.ones(2), np.ones(2)).classes == 2


def test_wilsons_limits_of_normal_cases_are_those_of_students_quantile():
    spread = ShareSpread(0.2 * 0.8 / 31.0, 7.0, most=np.inf, cases=31.0)
    n = spread.normal_cases(0.2, 0.95)
    plain, students = (
        score_interval(0.2 * cases, cases, z)
        for cases, z in ((n, stats.norm.ppf(0.975)), (spread.effective(0.2), spread.quantile(0.95)))
    )
    assert plain == pytest.approx(students)
    assert n < 31.0


def test_two_units_show_a_spread_with_one_degree_of_freedom():
    found = Design.of_rows(4, cluster=np.array([0, 0, 1, 1])).spread(np.array([1.0, 2.0, -1.0, -2.0]))
    assert (found.variance, found.degrees) == (36.0, 1.0)
