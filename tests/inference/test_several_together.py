"""Measures of one table share the work of their method, and find what each finds alone."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest

from classay import assess
from classay.assessment import views
from classay.inference.bootstrap import label_samples, sampling, score_samples
from classay.inference.bootstrap.bootstrapping import bootstrap
from classay.inference.bootstrap.label_samples import LabelledRows
from classay.inference.bootstrap.sampling import CellDraws, UnitDraws
from classay.inference.bootstrap.score_samples import ScoredRows
from classay.inference.design import Design
from classay.inference.draws import order_of_clusters, order_of_held
from classay.inference.intervals import estimate
from classay.inference.labels.spreads import Shares, degrees_by_class
from classay.measures import get
from classay.tables import BinaryCounts, ConfusionMatrix
from classay.tables.rows import CodedRows, RowCells
from resamples import bootstrap_replicates

CLASSES, ROWS = 4, 30


def rows():
    """Four classes, one of them rare, in 30 cases."""
    rng = np.random.default_rng(3)
    true = rng.choice(CLASSES, ROWS, p=(0.4, 0.3, 0.25, 0.05))
    true[:CLASSES] = np.arange(CLASSES)
    predicted = np.where(rng.random(ROWS) < 0.6, true, rng.integers(0, CLASSES, ROWS))
    return true, predicted, rng


def alike():
    true, predicted, _ = rows()
    return assess(true, y_pred=predicted, interval="bootstrap")


def in_clusters():
    true, predicted, rng = rows()
    weight, cluster = rng.gamma(2.0, size=ROWS), rng.integers(0, 12, ROWS)
    return assess(true, y_pred=predicted, weight=weight, cluster=cluster, interval="bootstrap")


@pytest.mark.parametrize("make", [alike, in_clusters])
def test_together_is_one_by_one(make, monkeypatch):
    """The plain path, a bootstrap a measure, is the oracle: to the last bit of rounding."""
    a = make()
    together, of_classes = a.estimates(), a.class_estimates()
    monkeypatch.setattr(views, "_is_shared", lambda *_: False)
    assert sum("bootstrap" in str(each.method) for each in together.values()) > 20
    for name, alone in a.estimates().items():
        same(together[name], alone)
    for label, each in of_classes.items():
        for name in ("recall", "precision", "jaccard", "negative_predictive_value"):
            alone = a.estimate(get(name)[label])
            if each[name].is_undefined:
                assert alone.is_undefined
            else:
                same(each[name], alone)


def same(one, other):
    assert (one.method, one.reason) == (other.method, other.reason)
    found, wanted = ([each.value, each.low, each.high] for each in (one, other))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_intervals_are_those_of_the_bootstrap():
    """A mirror of a proportion, and one that is none, among others of the same counts."""
    counts = BinaryCounts(12, 3, 5, 40)
    for name in ("recall", "f1"):
        found = estimate(get(name), counts, method="bootstrap")
        wanted = bootstrap(counts, get(name))
        assert (found.low, found.high, found.method) == (wanted.low, wanted.high, wanted.method)
    mirror, of = (
        estimate(get(name), counts, method="bootstrap") for name in ("false_negative_rate", "recall")
    )
    np.testing.assert_allclose([mirror.low, mirror.high], [1 - of.high, 1 - of.low], rtol=1e-12)


def test_outcomes_count_the_different_draws():
    """By enumeration: of 3 cases in 2 cells 4, of 4 units 35."""
    assert CellDraws(np.array([2, 1])).outcomes == 4
    assert UnitDraws(4).outcomes == 35


def test_cells_of_few_cases_are_evaluated_once_each(monkeypatch):
    """Four cells of three cases have 20 outcomes; evaluated singly or all, they give the same."""
    counts = BinaryCounts(1, 1, 0, 1)
    wanted = bootstrap(counts, get("accuracy"))
    monkeypatch.setattr(sampling, "FEW", 0)
    assert bootstrap(counts, get("accuracy")) == wanted


def test_a_share_rounded_beyond_its_range_warns_of_nothing():
    """Sums of weights may make 1.0000000000000002 of 1, which no scale takes."""
    rng = np.random.default_rng(12)
    true = np.tile(np.arange(12), 5)
    predicted = np.where(rng.random(60) < 0.6, true, rng.integers(0, 12, 60))
    a = assess(
        true,
        y_pred=predicted,
        weight=rng.gamma(2.0, size=60),
        cluster=rng.integers(0, 25, 60),
        interval="bootstrap",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in a.estimates().values():
            assert not each.has_interval or each.low <= each.value <= each.high


def test_draws_that_are_kept_are_those_made_anew(monkeypatch):
    """The same units and the same stream, of rows and of clusters; another stream is another draw."""
    draws = UnitDraws(30)
    kept, again, other = (
        np.concatenate([call() for call in draws.plan(200, np.random.default_rng(seed), 4000)])
        for seed in (1, 1, 2)
    )
    monkeypatch.setattr(sampling, "KEPT", 0)
    anew = np.concatenate([call() for call in draws.plan(200, np.random.default_rng(1), 4000)])
    assert (kept == anew).all()
    assert (again == anew).all()
    assert (other != anew).any()


def test_threads_that_want_the_same_draws_make_them_once(monkeypatch):
    made, draw = [], UnitDraws.drawing
    monkeypatch.setattr(UnitDraws, "drawing", lambda *given: made.append(sleep(0.05)) or draw(*given))
    calls = UnitDraws(29).plan(200, np.random.default_rng(5), 400_000)
    assert len(calls) > 4
    with ThreadPoolExecutor(4) as pool:
        parts = [*pool.map(lambda call: call(), calls)]
    assert len(made) == 1
    assert (np.concatenate(parts).sum(1) == 29).all()


def clustered_rows(clusters):
    true, predicted, rng = rows()
    cluster = np.unique(rng.integers(0, clusters, ROWS), return_inverse=True)[1]
    return true, predicted, cluster, rng.gamma(2.0, size=ROWS), rng.integers(0, 9, ROWS) / 8


@pytest.mark.parametrize("clusters", [3, 12, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_by_cluster_are_the_rows_of_drawn_clusters(clusters, weighted, monkeypatch):
    """By the formula: each row counts as often as its cluster is drawn, times its weight."""
    true, predicted, cluster, weight, _ = clustered_rows(clusters)
    weight = weight if weighted else np.ones(ROWS)
    table = LabelledRows(predicted, true, tuple(range(CLASSES)), weight, cluster)
    wholes = [lambda m, i=i, j=j: m.counts[:, i, j] for i in range(CLASSES) for j in range(CLASSES)]
    units = int(cluster.max()) + 1
    sample = label_samples.of_rows(table, wholes)
    place = np.argsort(order_of_held(predicted, true, None, CLASSES))
    cluster = order_of_clusters(cluster, place[true] * CLASSES + place[predicted], weight)
    drawn = np.random.default_rng(5).multinomial(units, np.full(units, 1 / units), 50).astype(np.uint8)
    cells = np.zeros((50, CLASSES * CLASSES))
    for row in range(ROWS):
        cells[:, predicted[row] * CLASSES + true[row]] += drawn[:, cluster[row]] * weight[row]
    for dense in (label_samples.DENSE, 0):
        monkeypatch.setattr(label_samples, "DENSE", dense)
        sample = label_samples.of_rows(table, wholes)
        np.testing.assert_allclose(sample.evaluate(drawn), cells.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("clusters", [3, 12, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_joined_cells_of_clusters_rank_as_the_rows_do(clusters, weighted, monkeypatch):
    """Equal scores, of one class and of both; the rows themselves are the oracle."""
    true, _, cluster, weight, score = clustered_rows(clusters)
    table = ScoredRows(score, true == 0, weight if weighted else None, cluster)
    measures = [get(name) for name in (*score_samples.AREAS, *score_samples.SHAPES[:4], "brier_score")]
    found = bootstrap_replicates(table, measures, replicates=100)
    monkeypatch.setattr(score_samples, "is_of_order", lambda _: False)
    np.testing.assert_allclose(
        found, bootstrap_replicates(table, measures, replicates=100), rtol=1e-12, atol=1e-12
    )


def test_the_unit_of_weights_changes_no_interval_of_a_ranking_that_is_often_perfect():
    """Sums of weights make 1 or 1 - 1e-16 of a perfect AUC, which the logit scale takes far apart."""
    rng = np.random.default_rng(0)
    positive, cluster = np.arange(60) < 3, rng.integers(0, 25, 60)
    score, weight = np.where(positive, 1.0, 0.0) + rng.random(60), rng.gamma(2.0, size=60)
    cluster = np.unique(cluster, return_inverse=True)[1]
    one, other = (
        bootstrap(ScoredRows(score, positive, unit * weight, cluster), get("roc_auc"), how="normal")
        for unit in (1.0, 0.3)
    )
    same(one, other)


def drawn_designs(weighted, clusters):
    """A matrix of rows that have weights or come in clusters, and how they were drawn."""
    true, predicted, cluster, weight, _ = clustered_rows(clusters or 1)
    labels = tuple(range(CLASSES + 1))  # the last class has no case
    given = weight if weighted else None
    matrix = ConfusionMatrix.from_codes(predicted, true, labels, weight=given)
    squares = None if given is None else ConfusionMatrix(matrix.squares, labels)
    if not clusters:
        return matrix, [Design(matrix, squares)]
    coded = CodedRows(tuple(range(int(cluster.max()) + 1)), labels, cluster, true, predicted, weight=given)
    at = predicted * len(labels) + true
    known = np.zeros((len(coded.clusters), len(labels) ** 2))
    np.add.at(known, (cluster, at), np.ones(ROWS) if given is None else given)
    return matrix, [Design(matrix, squares, coded, each) for each in (RowCells(at), RowCells(at, known))]


@pytest.mark.parametrize(
    ("weighted", "clusters"), [(True, 0), (False, 4), (True, 4), (False, 12), (True, 12)]
)
@pytest.mark.parametrize("share", ["recall", "precision", "jaccard"])
def test_shares_of_all_classes_are_those_of_each(share, weighted, clusters):
    """The cells of the whole matrix that a share counts, and is of, are the oracle: one class after another."""
    matrix, drawn = drawn_designs(weighted, clusters)
    k = len(matrix.labels)
    for design in drawn:
        shares = Shares.of_classes(share, design)
        for i, found in enumerate(shares.spreads()):
            counted, among = np.zeros((2, k, k))
            counted[i, i] = 1
            among[i, :] = share != "recall"
            among[:, i] = np.maximum(among[:, i], share != "precision")
            among[i, i] = 1
            wanted = Shares.of_one(design, counted, among).spreads()[0]
            assert found.units == pytest.approx(wanted.units, nan_ok=True)
            numbers = ([each.variance, each.degrees, each.most] for each in (found, wanted))
            np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-15)
            if not (matrix.counts * among).sum():
                continue
            influence = (counted - shares.values[i] * among) / (matrix.counts * among).sum()
            plain = design.spread(influence).variance
            if clusters:  # the jackknife around the share
                sizes = design.sums(among.reshape(1, -1))[0]
                hits, holding = design.sums(counted.reshape(1, -1))[0], np.count_nonzero(sizes)
                without = (hits.sum() - hits) / (sizes.sum() - sizes)
                plain = (holding - 1) / holding * ((without - shares.values[i]) ** 2).sum()
                moved = design.sums(influence.reshape(1, -1))[0]
                np.testing.assert_allclose(shares.moved[i], moved, rtol=1e-12, atol=1e-15)
            assert found.variance == pytest.approx(plain, rel=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_degrees_by_true_class_are_those_of_its_cells(weighted):
    """One matrix of cells a class is the oracle: V² / Σ V_c² / df_c, at most one fewer than clusters."""
    matrix, drawn = drawn_designs(weighted, 12)
    influence = np.random.default_rng(1).normal(size=matrix.counts.shape)
    for design in drawn:
        codes, parts, degrees = design.places.true, [], []
        for own in range(len(matrix.labels) - 1):
            of = (codes == own).astype(float)
            parts.append(design.powers(influence * of)[0])
            sizes = design.sums(of.reshape(1, -1))[0]
            degrees.append(sizes.sum() ** 2 / (sizes**2).sum() - 1)  # as many of equal size
        below = sum(part**2 / df for part, df in zip(parts, degrees, strict=True))
        wanted = min(design.equal_units - 1, sum(parts) ** 2 / below)
        assert degrees_by_class(design, influence)[0] == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_weighted_kappas_of_resamples_are_those_of_their_matrices(weighted):
    """A function of the whole matrix is the oracle."""
    true, predicted, _, weight, _ = clustered_rows(12)
    table = LabelledRows(predicted, true, tuple(range(CLASSES + 1)), weight if weighted else None)
    kappas = [get("linear_kappa"), get("quadratic_kappa")]
    found = bootstrap_replicates(table, kappas, replicates=200)
    wanted = bootstrap_replicates(table, [lambda m, each=each: each(m) for each in kappas], replicates=200)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
