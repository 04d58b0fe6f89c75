"""Rows of clusters by the cell they are counted in: sums without rows, and groups of neighbouring scores."""

import gc
import weakref

import numpy as np
import pytest

import classay as ca
from classay.inference import design
from classay.measures import probability_bins
from classay.once import memoize_with
from classay.tables import ScoreTable
from classay.tables.class_scores import ClassRows
from classay.tables.rows import CodedRows, RowCells
from samples import binary_rows, class_rows


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cells", [4, 100])
def test_sums_over_clusters_are_those_of_their_rows(cells, weighted):
    """Kept as counts by cluster and cell, or not; what is infinite where no row is counts nothing."""
    rng = np.random.default_rng(0)
    cluster, at = rng.integers(0, 7, 300), rng.integers(0, cells - 1, 300)
    weight = rng.random(300) if weighted else None
    rows = CodedRows(tuple(range(7)), (0, 1), cluster, rng.integers(0, 2, 300), weight=weight)
    made, values = RowCells.of(rows, at, cells), rng.normal(size=cells)
    assert (made.of_clusters is None) is (cells == 100)
    values[-1] = np.inf
    wanted = [((1 if weight is None else weight) * values[at] * (cluster == c)).sum() for c in range(7)]
    np.testing.assert_allclose(made.sums(rows, values), wanted, rtol=1e-12)
    to = rng.permutation(cells)
    turned = np.empty(cells)
    turned[to] = values
    np.testing.assert_allclose(made.moved(to).sums(rows, turned), wanted, rtol=1e-12)
    np.testing.assert_array_equal(made.moved(to)(turned), made(values))


def test_groups_of_neighbouring_scores_give_nearly_the_same_spread(monkeypatch):
    """The value is exact; how sure it is follows from groups, as it does for cases drawn alone."""
    truth, score = binary_rows(np.random.default_rng(4), 4000, levels=10**6)
    cluster = np.random.default_rng(5).integers(0, 400, 4000)
    names = ["roc_auc", "average_precision", "brier_score", "partial_roc_auc"]
    exact = ca.assess(truth, score, cluster=cluster).estimates(names)
    monkeypatch.setattr(design, "GROUPED_FROM", 500)
    monkeypatch.setattr(probability_bins, "GROUPED_FROM", 500)
    monkeypatch.setattr(probability_bins, "GROUPS", 2000)
    near = ca.assess(truth, score, cluster=cluster).estimates(names)
    for name in names:
        one, other = exact[name], near[name]
        assert (one.value, one.method) == (other.value, other.method)
        width = one.high - one.low
        assert [other.low, other.high] == pytest.approx([one.low, one.high], abs=0.02 * width), name
    assert any(exact[name].low != near[name].low for name in names)


def test_what_is_found_of_two_is_found_once_and_keeps_neither():
    class Thing:
        pass

    calls = []

    @memoize_with
    def found(one, other, name):
        calls.append(name)
        return len(calls)

    one, other = Thing(), Thing()
    assert [found(one, other, "a"), found(one, other, "a"), found(other, one, "b"), found(one, one, "c")] == [
        1,
        1,
        2,
        3,
    ]
    gone = weakref.ref(one), weakref.ref(other)
    del one, other
    gc.collect()
    assert [each() for each in gone] == [None, None]


@pytest.mark.parametrize(("classes", "clusters"), [(2, None), (3, 20)])
def test_tables_go_with_the_assessment_they_were_made_for(classes, clusters, tmp_path):
    """What is kept for a table must not hold the table: each assessment would stay in memory for ever."""
    rng = np.random.default_rng(3)
    cluster = None if clusters is None else rng.integers(0, clusters, 200)
    truth, scores = class_rows(rng, 200, k=classes)

    def tables():
        gc.collect()
        return sum(isinstance(each, ScoreTable | ClassRows) for each in gc.get_objects())

    before = tables()
    a = ca.assess(truth, scores[:, 1] if classes == 2 else scores, cluster=cluster)
    a.estimates()
    a._repr_html_()
    a.report(tmp_path / "page.html")
    if classes > 2:
        a.class_estimates()
    assert tables() > before
    del a
    assert tables() == before
