"""Amounts in the tables: sums that equal those of repeated rows, and that merge, are saved and are refused alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import classay as ca
from classay.errors import InputError, MergeError
from classay.tables import ConfusionMatrix, ScoreTable

COLUMNS = {"amount": [5.0, 2.0, 7.0, 1.0, 3.0, 4.0], "fee": [1.0, -1.0, 2.0, 0.0, 1.0, 0.5]}
Y = [1, 0, 1, 1, 0, 0]
P = [0.9, 0.9, 0.6, 0.2, 0.2, 0.1]


def rows(seed, n=60, levels=7):
    rng = np.random.default_rng(seed)
    score = np.round(rng.random(n) * levels) / levels
    return score, rng.random(n) < 0.3 + 0.4 * score, rng.integers(-3, 9, (n, 2)).astype(float), rng


def brute(score, positive, values, weight, squared):
    """Sums by class and distinct score, in a loop."""
    scores = np.unique(score)[::-1]
    sums = np.zeros((2, 2, scores.size))
    products = np.zeros((3, 2, 2, scores.size))
    for s, y, v, w, ww in zip(score, positive, values, weight, squared, strict=True):
        at = (int(y), int(np.flatnonzero(scores == s)[0]))
        z = np.array([1.0, *v])
        sums[(slice(None), *at)] += w * v
        products[(slice(None), slice(None), *at)] += ww * z[:, None] * v[None, :]
    return sums, products


@pytest.mark.parametrize("how", ["alike", "frequency", "weight"])
def test_sums_by_score_and_class(how):
    score, positive, values, rng = rows(1)
    times = rng.integers(1, 4, score.size)
    weight = {"alike": np.ones(score.size), "frequency": times, "weight": times / 4}[how]
    squared = weight**2 if how == "weight" else weight
    given = {} if how == "alike" else {how: weight}
    table = ScoreTable.from_rows(score, positive, amounts=values, names=("a", "b"), **given)
    sums, products = brute(score, positive, values, weight, squared)
    np.testing.assert_allclose(table.amounts.sums, sums, atol=1e-12)
    np.testing.assert_allclose(table.amounts.products, products, atol=1e-12)


def test_long_columns_give_what_short_ones_do():
    score, positive, values, _ = rows(2, n=60_000, levels=50_000)
    table = ScoreTable.from_rows(score, positive, amounts=values, names=("a", "b"))
    order = np.searchsorted(-table.scores, -score)
    for j in range(2):
        for y in (0, 1):
            own = np.bincount(order, values[:, j] * (positive == y), table.scores.size)
            np.testing.assert_array_equal(table.amounts.sums[j, y], own)


def test_the_matrix_of_a_table_has_its_amounts():
    score, positive, values, _ = rows(3)
    table = ScoreTable.from_rows(score, positive, amounts=values, names=("a", "b"))
    codes = (score >= 0.4).astype(int)
    direct = ConfusionMatrix.from_codes(
        codes, positive.astype(int), (False, True), amounts=values, names=("a", "b")
    )
    np.testing.assert_allclose(table.at(0.4).amounts.sums, direct.amounts.sums)
    np.testing.assert_allclose(table.at(0.4).amounts.products, direct.amounts.products)


@given(st.integers(0, 10**6), st.integers(1, 59), st.sampled_from(["alike", "frequency", "weight"]))
def test_parts_add_up_to_the_whole(seed, cut, how):
    score, positive, values, rng = rows(seed)
    weight = rng.integers(1, 4, score.size)
    columns = {} if how == "alike" else {how: weight if how == "frequency" else weight / 4}

    def made(part):
        return ca.assess(
            positive[part],
            score[part],
            labels=[False, True],
            amounts=dict(zip(("a", "b"), values[part].T, strict=True)),
            **{name: each[part] for name, each in columns.items()},
        )

    whole = made(slice(None))
    added = made(slice(None, cut)) + made(slice(cut, None))
    for name in ("sums", "products"):
        for table in ("scores", "confusion_matrix"):
            here, there = (getattr(getattr(each, table).amounts, name) for each in (whole, added))
            np.testing.assert_allclose(here, there, atol=1e-9)


@pytest.mark.parametrize("cluster", [None, [0, 0, 1, 1, 2, 2]])
def test_saved_and_loaded(tmp_path, cluster):
    a = ca.assess(Y, P, amounts=COLUMNS, cluster=cluster)
    a.save(tmp_path / "a.classay")
    back = ca.load(tmp_path / "a.classay")
    assert back.amounts == ("amount", "fee")
    np.testing.assert_array_equal(back.scores.amounts.products, a.scores.amounts.products)
    np.testing.assert_array_equal(back.confusion_matrix.amounts.sums, a.confusion_matrix.amounts.sums)
    (a + back).save(tmp_path / "both.classay")
    assert ca.load(tmp_path / "both.classay").scores.amounts.sums.sum() == 2 * a.scores.amounts.sums.sum()


def test_a_frame_and_its_columns():
    import pyarrow as pa

    frame = pa.table({"y": Y, "p": P, **COLUMNS})
    a = ca.assess(frame, truth="y", score="p", amounts=["amount"])
    assert a.amounts == ("amount",)
    assert a.scores.amounts.sums.sum() == sum(COLUMNS["amount"])


def test_what_is_refused():
    with pytest.raises(InputError, match="amount has missing or infinite values in 1 row"):
        ca.assess(Y, P, amounts={"amount": [1, 2, None, 4, 5, 6]})
    with pytest.raises(InputError, match="amount has 2"):
        ca.assess(Y, P, amounts={"amount": [1, 2]})
    with pytest.raises(InputError, match="amounts must be columns by their names"):
        ca.assess(Y, P, amounts=[1, 2, 3, 4, 5, 6])
    with pytest.raises(MergeError, match="different amounts: amount, fee and none"):
        ca.assess(Y, P, amounts=COLUMNS) + ca.assess(Y, P)
