"""What bins are certain of: the table of statistics, every order by brute force, and exact values always inside."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from classay.inference.estimate import certain
from classay.measures import get
from classay.measures.registry import names_with
from classay.tables import ScoreTable
from classay.tables.bins import BinnedScoreTable

RISING = {*names_with("rises with the ROC curve")}
BOUNDED = sorted(RISING | {"kolmogorov_smirnov", "average_precision"})
POSITIVES, NEGATIVES = [1, 2, 1, 2], [3, 2, 2, 1]
"""Bins, ascending, of the numeric check of the bounds, for which all orders were enumerated with exact rationals."""


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("roc_auc", 25 / 48, 36 / 48),
        ("average_precision", 383 / 756, 25 / 33),
        ("kolmogorov_smirnov", 5 / 24, 11 / 24),
        ("max_f1", 5 / 8, 5 / 7),
    ],
)
def test_the_numeric_check_of_the_formulas(name, low, high):
    table = laid(POSITIVES, NEGATIVES)
    assert certain(get(name), table) == pytest.approx((low, high), rel=1e-12)


def laid(positives, negatives):
    """A binned table with cases of both classes at both ends of every bin that can have them, in bins of one bit."""
    score, positive = [], []
    for b, (p, n) in enumerate(zip(positives, negatives, strict=True)):
        left, right = 2.0 ** (b - 6), 2.0 ** (b - 6) * 1.25
        if p > 1:  # positives around the negatives
            score += [left, *[right] * (p - 1), *[left * 1.1] * n]
            positive += [True] * p + [False] * n
        else:  # negatives around the positive
            score += [left * 1.1] * p + [left, *[right] * (n - 1)]
            positive += [True] * p + [False] * n
    return BinnedScoreTable.of_rows(np.array(score), np.array(positive), bits=1)


def orders(table):
    """Every exact table that the bins allow, ties included: values of each case's place within its bin."""
    bins = table.bins
    cells = [(int(p), int(n)) for n, p in bins.cases.T]
    choices = []
    for p, n in cells:
        places = product(range(p + n), repeat=p + n)
        choices.append([*{tuple(np.unique(each, return_inverse=True)[1]) for each in places}])
    for chosen in product(*choices):
        score, positive = [], []
        for b, ((p, n), places) in enumerate(zip(cells, chosen, strict=True)):
            score += [-b * 100 + place for place in places]
            positive += [True] * p + [False] * n
        yield ScoreTable.from_rows(np.array(score, float), np.array(positive))


@pytest.mark.parametrize("name", BOUNDED)
def test_every_order_by_brute_force_lies_within_and_ends_are_attained(name):
    measure = get(name)
    table = laid([2, 1], [1, 2])
    low, high = certain(measure, table)
    values = [float(measure(each)) for each in orders(table)]
    if np.isnan(values).all():  # an area up to a tenth needs ten negatives
        assert np.isnan([low, high]).all()
        return
    assert low - 1e-12 <= min(values)
    assert max(values) <= high + 1e-12
    if name in ("roc_auc", "gini", "average_precision", "kolmogorov_smirnov", "max_f1"):
        assert (min(values), max(values)) == pytest.approx((low, high), rel=1e-12)


@given(
    st.lists(
        st.tuples(st.floats(0, 1, width=32), st.booleans(), st.floats(0.1, 10)), min_size=2, max_size=60
    ),
    st.integers(1, 6),
    st.sampled_from([None, "sum of 1", 0.001, 1, 1000]),
)
def test_the_exact_value_lies_within(cases, bits, unit):
    score, positive, weight = (np.array(column) for column in zip(*cases, strict=True))
    assume(0 < positive.sum() < positive.size)
    weight = None if unit is None else weight / weight.sum() if unit == "sum of 1" else weight * unit
    half = score.size // 2
    parts = [
        BinnedScoreTable.of_rows(
            score[at], positive[at], bits=bits, weight=None if weight is None else weight[at]
        )
        for at in (slice(None), slice(half), slice(half, None))
    ]
    exact = ScoreTable.from_rows(score, positive, weight=weight)
    for binned in (parts[0], parts[1] + parts[2]):
        for name in BOUNDED:
            low, high = certain(get(name), binned)
            value = float(get(name)(exact))
            if not np.isnan(value):
                assert low - 1e-9 <= value <= high + 1e-9, name
        for name in ("log_loss", "brier_score"):
            value = float(get(name)(exact))
            for found in (*certain(get(name), binned), float(get(name)(binned))):
                assert found == pytest.approx(value, rel=1e-12, abs=1e-300, nan_ok=True)


def uniform(rng, y):
    return np.where(y, rng.random(y.size) ** 0.5, rng.random(y.size))


def fraud(rng, y):
    return 1 / (1 + np.exp(-(rng.normal(size=y.size) * 2 - 8 + 4 * y)))


SHAPES = {
    "uniform": uniform,
    "separated": lambda rng, y: 1 / (1 + np.exp(-8 * (rng.normal(size=y.size) + 2 * y - 1))),
    "fraud": fraud,
    "mirrored fraud": lambda rng, y: 1 - fraud(rng, ~y),
    "saturated": lambda rng, y: np.minimum(1, np.exp(rng.normal(size=y.size) - 0.8 + y)),
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_certain_to_a_ten_thousandth_whatever_the_scores(shape, dtype):
    """The distributions on which bins of equal width are off by up to 0.19."""
    rng = np.random.default_rng(0)
    y = rng.random(200_000) < (0.002 if "fraud" in shape else 0.3)
    y = ~y if shape == "mirrored fraud" else y
    score = SHAPES[shape](rng, y).astype(dtype)
    exact = float(get("roc_auc")(ScoreTable.from_rows(score, y)))
    low, high = certain(get("roc_auc"), BinnedScoreTable.of_rows(score, y, bits=10))
    assert low - 1e-12 <= exact <= high + 1e-12
    assert high - low < 2e-4


def test_orders_are_all_weak_orders():
    """Of one bin with two positives and a negative there are 13."""
    assert len([*orders(laid([2], [1]))]) == 13
