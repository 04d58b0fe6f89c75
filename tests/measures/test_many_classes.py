"""Many classes: what is computed grows with the classes and cells that occur, and is the same as of all of them."""

import tracemalloc

import numpy as np
import pytest

import classay as ca
from classay.inference.intervals import estimate
from classay.inference.labels.delta import margin_partials, partials, slopes_at
from classay.inference.labels.smooth import DrawnSparsely, _blocks, _kept_sparsely, draws_for, values_drawn
from classay.measures import get
from classay.measures.matrices import mean_distances
from classay.tables import ConfusionMatrix
from classay.tables.tabulating import count_cells, count_triples

OF_MATRIX = ("matthews_correlation", "cohen_kappa", "macro_f1", "balanced_accuracy", "weighted_jaccard")


def matrix_of(k, rows=400, seed=0):
    rng = np.random.default_rng(seed)
    true = np.r_[np.arange(k), rng.integers(0, k, rows)]
    said = np.where(rng.random(true.size) < 0.8, true, rng.integers(0, k, true.size))
    return ConfusionMatrix.from_codes(said, true, tuple(range(k)))


@pytest.mark.parametrize("name", OF_MATRIX)
def test_classes_that_are_alike_have_the_same_derivatives(name):
    matrix = matrix_of(40, 100)
    every = partials(get(name).function, [np.asarray(part) for part in matrix.margins])
    for found, expected in zip(margin_partials(get(name), matrix), every, strict=True):
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", [*OF_MATRIX, "linear_kappa", "quadratic_kappa"])
def test_slopes_at_single_cells_by_moving_counts(name):
    measure, counts = get(name), matrix_of(6).counts.astype(float)
    for i, j in ((0, 0), (0, 3), (5, 2)):
        step = np.zeros_like(counts)
        step[i, j] = 1e-4
        up, down = measure(ConfusionMatrix(np.stack([counts + step, counts - step]), tuple(range(6))))
        found = slopes_at(measure, ConfusionMatrix(counts, tuple(range(6))), np.array([i]), np.array([j]))
        assert found[0] == pytest.approx((up - down) / 2e-4, abs=1e-8)


def test_distances_in_blocks_are_the_distances(monkeypatch):
    share = np.random.default_rng(0).dirichlet(np.ones(30), 4)
    at = np.arange(30)
    whole = share @ np.abs(at[:, None] - at[None, :]) ** 2
    matrix = matrix_of(30)
    kappa = get("quadratic_kappa")(matrix)
    monkeypatch.setattr("classay.measures.matrices._DISTANCES", 100)
    assert mean_distances(share, 2) == pytest.approx(whole, rel=1e-12)
    assert get("quadratic_kappa")(matrix) == pytest.approx(kappa, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("cells", ["few", "some", "all"])
def test_sparse_draws_have_the_distribution_of_all_cells(cells):
    """Quantiles of 20,000 draws each, by their Monte-Carlo error; the tails are where the empty cells count."""
    rng, k = np.random.default_rng(3), 6
    counts = {
        "few": np.diag([2, 1, 0, 0, 1, 0]),
        "some": matrix_of(k, 20).counts,
        "all": rng.integers(1, 9, (k, k)),
    }
    at = np.ascontiguousarray(counts[cells], np.float64)
    sparse, dense = _kept_sparsely(at.tobytes(), k, 0, 20_000), list(_blocks(at, 1, 20_000))
    for name in ("accuracy", "cohen_kappa", "balanced_accuracy", "quadratic_kappa", "macro_f1"):
        one, other = (
            np.sort(np.concatenate([each.values(get(name)) for each in drawn])) for drawn in (sparse, dense)
        )
        one, other = (each[np.isfinite(each)] for each in (one, other))
        for share in (0.025, 0.25, 0.5, 0.75, 0.975):
            below = (one < other[int(share * other.size)]).mean()
            assert below == pytest.approx(share, abs=5 * np.sqrt(2 * share * (1 - share) / one.size)), name


def test_a_draw_fills_no_cell_twice_and_sums_to_the_cases():
    at = np.ascontiguousarray(matrix_of(40, 20).counts, np.float64)
    for drawn in _kept_sparsely(at.tobytes(), 40, 0, 500):
        assert isinstance(drawn, DrawnSparsely)
        assert (np.diff(np.sort(drawn.place, -1)) > 0).all()
        assert drawn.share.sum(-1) == pytest.approx(np.full(len(drawn.share), at.sum()))


def test_the_order_of_many_classes_does_not_matter():
    matrix = ConfusionMatrix(np.diag(np.r_[np.arange(1, 5), np.zeros(56, int)]), tuple(range(60)))
    matrix.counts[3, 0] += 2
    turned = ConfusionMatrix(matrix.counts[::-1, ::-1], matrix.labels)
    for name in ("cohen_kappa", "matthews_correlation"):
        one, other = (estimate(get(name), each, method="posterior") for each in (matrix, turned))
        assert "Perks prior" in one.method
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_comparisons_of_many_classes_hold_no_cells_of_four_axes():
    """150 classes: 27 MB of joint cells a few times over, where four axes would take 4 GB."""
    rng, k = np.random.default_rng(0), 150
    y = np.r_[np.arange(k), rng.integers(0, k, 1000)]
    said = {
        name: np.where(rng.random(y.size) < share, y, rng.integers(0, k, y.size))
        for name, share in (("a", 0.8), ("b", 0.6))
    }
    tracemalloc.start()
    found = ca.compare(y_true=y, y_pred=said, measures=["accuracy", "macro_f1", "cohen_kappa"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 8 * k**3
    right = {name: each == y for name, each in said.items()}
    assert found[0].effect.value == pytest.approx(right["a"].mean() - right["b"].mean())
    assert found[0].p < 0.001
    assert all(one.effect.has_interval for one in found)


@pytest.mark.parametrize(("k", "k2"), [(3, 2), (1001, 61)])
def test_compiled_counts_of_few_and_of_many_classes_are_those_of_numpy(k, k2):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, k, (2, 103)).astype(np.int16)
    assert np.array_equal(
        count_cells.loop(*codes, k), np.bincount(codes[0] * np.int64(k) + codes[1], minlength=k * k)
    )
    true, first, second = rng.integers(0, k2, (3, 103)).astype(np.int64)
    expected = np.bincount((true * k2 + first) * k2 + second, minlength=k2**3)
    assert np.array_equal(count_triples.loop(true, first, second, k2), expected)


@pytest.mark.parametrize("weight", [None, [1.0, 1.0, 2.0, 2.0]])
@pytest.mark.parametrize("name", ["macro_roc_auc", "hand_till_auc"])
def test_a_class_that_is_never_true_leaves_means_over_classes_undefined(name, weight):
    """However cases count: a weighted class without cases once counted as an AUC of 0."""
    scores = np.random.default_rng(0).dirichlet(np.ones(3), 4)
    found = ca.assess([0, 0, 1, 1], scores, labels=[0, 1, 2], weight=weight)
    assert found[name].reason == "a class is never true"
    assert not found["weighted_roc_auc"].is_undefined


@pytest.mark.parametrize("level", [0.8, 0.999])
@pytest.mark.parametrize("k", [2, 3, 12, 30, 100])
def test_there_are_as_many_draws_as_are_told(k, level):
    """Of all cells or of those that occur, in blocks of any size."""
    cells = np.diag(np.arange(1.0, k + 1))
    assert values_drawn(get("micro_f1"), cells, 0, level).shape == (draws_for(k, level),)
