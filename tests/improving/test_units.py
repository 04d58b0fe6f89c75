"""Decompositions of rows in clusters and with weights: laws of both, and what is refused."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.improving.decomposition import spread
from classay.improving.training_sets import MeanUnits
from learners import noise

TREE = DecisionTreeClassifier(max_depth=3)
X, Y = noise(120, features=3)
LOSSES = ["0-1", "squared"]


def parts(d):
    return {
        name: (e.value, e.low, e.high) for scheme in d.schemes for name, e in d.terms_of(scheme.name).items()
    }


@pytest.mark.parametrize("loss", LOSSES)
def test_clusters_of_one_row_are_rows(loss):
    plain = ca.decompose(TREE, X, Y, rounds=6, loss=loss, test=0.3)
    table = plain.table
    alone = replace(plain, units=MeanUnits(cluster=np.random.default_rng(0).permutation(table.rows)))
    for name, found in parts(plain).items():
        assert parts(alone)[name] == pytest.approx(found, nan_ok=True)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_scale_of_weights_changes_nothing_and_equal_ones_are_none(loss):
    weight = np.linspace(1, 3, 120)
    a, b = (ca.decompose(TREE, X, Y, rounds=6, loss=loss, weight=k * weight) for k in (1, 7))
    for name, found in parts(a).items():
        assert parts(b)[name] == pytest.approx(found, nan_ok=True)
    plain = ca.decompose(TREE, X, Y, rounds=6, loss=loss)
    same = ca.decompose(TREE, X, Y, rounds=6, loss=loss, weight=np.full(120, 2.0))
    for name, found in parts(plain).items():
        assert parts(same)[name] == pytest.approx(found, nan_ok=True)
    assert parts(a) != parts(plain)


def test_a_weighted_part_is_the_weighted_mean_over_rows():
    weight = np.linspace(1, 3, 120)
    d = ca.decompose(TREE, X, Y, rounds=6, weight=weight)
    rows = d.by_row()
    expected = np.average(rows["loss"].to_numpy(), weights=weight[d.rows])
    assert d["loss"].value == pytest.approx(expected)
    assert d["bias"].value + d["net_variance"].value == pytest.approx(d["loss"].value)


def test_repeated_rows_in_a_cluster_tell_no_more():
    """Rows five times over, each with its copies in a cluster: the spread of the rows alone."""
    rng = np.random.default_rng(1)
    each, without = rng.normal(size=40), rng.normal(size=(5, 40))
    units = MeanUnits(cluster=np.repeat(np.arange(40), 5))
    found = spread(units.of(np.repeat(each, 5)), units.of(np.repeat(without, 5, axis=1)))
    assert found.variance == pytest.approx(spread(each, without).variance)
    naive = spread(np.repeat(each, 5), np.repeat(without, 5, axis=1))
    assert naive.variance < found.variance


@pytest.mark.parametrize("clusters", [2, 12, 60])
def test_the_spread_of_units_is_the_jackknife_of_a_ratio(clusters):
    """The mean without each cluster: clusters of other sizes and weights draw it towards themselves."""
    rng = np.random.default_rng(2)
    x, w, c = rng.normal(size=60), rng.uniform(1, 3, 60), rng.permutation(np.arange(60) % clusters)
    c = np.unique(c * rng.integers(1, 3, 60), return_inverse=True)[1]
    k = c.max() + 1
    without = np.array([np.average(x[c != j], weights=w[c != j]) for j in range(k)])
    units = MeanUnits(w, c).of(x)
    assert units.mean() == pytest.approx(np.average(x, weights=w))
    assert units.var(ddof=1) / k == pytest.approx((k - 1) / k * ((without - without.mean()) ** 2).sum())


def test_units_of_one_size_have_the_linearised_variance():
    x, c = np.random.default_rng(3).normal(size=60), np.arange(60) % 12
    sums = np.bincount(c, x - x.mean())
    assert MeanUnits(cluster=c).of(x).var(ddof=1) / 12 == pytest.approx(12 / 11 * (sums**2).sum() / 60**2)


def test_one_cluster_has_no_spread_to_show():
    assert MeanUnits(cluster=np.zeros(3, int)).of(np.arange(3.0)).tolist() == [1.0]


@pytest.mark.parametrize("sampling", ["bootstrap", "subsample", "disjoint"])
def test_clusters_stay_together(sampling):
    """A learner that only knows the clusters it has seen: none of the test is among them, and whole ones are drawn."""
    cluster = np.arange(120) // 4
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 30)[cluster]
    d = ca.decompose(
        KNeighborsClassifier(1), cluster[:, None] * 1e6, y, rounds=4, sampling=sampling, cluster=cluster
    )
    tested = cluster[d.rows]
    assert (np.bincount(tested, minlength=30)[np.unique(tested)] == 4).all()
    assert d.drawn_from == 30 - np.unique(tested).size
    assert d.units.clusters == np.unique(tested).size
    assert d.size == {"bootstrap": 20, "subsample": 10, "disjoint": 5}[sampling]
    text = re.sub(r"[\s┃]+", " ", str(d))
    assert f"of {d.size} clusters from 20" in text
    assert "Rows of a cluster stay together" in text


def test_dependent_rows_widen_the_intervals():
    """Features and labels that all rows of a cluster share: as many rows tell no more than clusters."""
    rng = np.random.default_rng(3)
    x, y = noise(60, features=3)
    rows = np.repeat(np.arange(60), 6)
    moved = x[rows] + 1e-6 * rng.normal(size=(360, 3))
    d = ca.decompose(GaussianNB(), moved, y[rows], rounds=20, cluster=rows)
    naive = replace(d, units=MeanUnits())
    assert d["loss"].value == pytest.approx(naive["loss"].value)
    wide, narrow = (each["loss"].high - each["loss"].low for each in (d, naive))
    assert wide > 1.8 * narrow


def test_they_are_saved_shown_and_kept_over_losses(tmp_path):
    d = ca.decompose(
        TREE, X, Y, rounds=4, cluster=[f"c{k // 3}" for k in range(120)], weight=np.arange(1, 121)
    )
    d.save(tmp_path / "d.classay")
    again = ca.load(tmp_path / "d.classay")
    assert (again.to_dict(), str(again)) == (d.to_dict(), str(d))
    assert again.of("squared").to_dict() == d.of("squared").to_dict()
    assert (d.to_dict()["test_clusters"], d.to_dict()["weighted"]) == (d.units.clusters, True)


POPULATION = ca.Population(
    lambda n, rng: (rng.random((n, 1)), np.arange(n) % 2), lambda x: np.c_[1 - x, x], (0, 1)
)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: ca.decompose(TREE, X, Y, test=(X, Y), cluster=Y),
            "cluster cannot be used here: test has its own rows",
        ),
        (
            lambda: ca.decompose(TREE, X, Y, test=(X, Y), weight=Y + 1),
            "weight cannot be used here: test has its own rows",
        ),
        (
            lambda: ca.decompose(TREE, sampling=POPULATION, size=9, weight=Y + 1),
            "weight cannot be used here: a population draws independent, equally",
        ),
        (
            lambda: ca.decompose(TREE, X, Y, cluster=Y),
            "decompose needs at least 4 clusters for training and test sets, but",
        ),
        (lambda: ca.decompose(TREE, X, Y, cluster=Y[:5]), "5"),
        (lambda: ca.decompose(TREE, X, Y, weight=-np.ones(120)), "weight"),
        (
            lambda: ca.decompose(TREE, X, Y, cluster=np.arange(120) // 12, size=9, sampling="subsample"),
            "of 6 clusters",
        ),
        (
            lambda: ca.decompose(TREE, X, Y, cluster=np.arange(120) // 12, sampling="disjoint"),
            "200 disjoint parts of 6 clusters have 0 each, but a training set needs",
        ),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(InputError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
