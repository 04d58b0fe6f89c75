"""Sums of rows' cells by cluster and group: those of every row, whatever the order of rows; squares and products."""

import numpy as np
import pytest

from classay.tables.rows import CodedRows, RowCells, _order


def made(clusters, weighted, n=400, cells=60, seed=0):
    rng = np.random.default_rng(seed)
    cluster, weight = rng.integers(0, clusters, n), rng.gamma(2, size=n) if weighted else None
    cluster[:clusters] = np.arange(clusters)
    true = rng.integers(0, 2, n)
    rows = CodedRows(tuple(range(clusters)), (0, 1), cluster, true, None, rng.random(n), weight)
    return (
        rows,
        RowCells(rng.integers(0, cells, n)),
        rng.normal(size=(2, cells // 2)),
        rng.integers(0, 5, cells),
    )


@pytest.mark.parametrize("clusters", [3, 300])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("groups", [5, 200])
def test_sums_squares_and_products_are_those_of_every_row(clusters, weighted, groups):
    """Of few groups sums stand in a table; of many, only those that hold a row."""
    rows, cells, values, group = made(clusters, weighted)
    table = np.zeros((clusters, groups))
    for i in range(rows.cluster.size):
        each = values.ravel()[cells.at[i]] * (1 if rows.weight is None else rows.weight[i])
        table[rows.cluster[i], group[cells.at[i]]] += each
    assert cells.sums(rows, values) == pytest.approx(table.sum(1), rel=1e-12)
    of, (found,) = cells.sums_by_group(rows, values.reshape(1, -1), group, groups)
    assert np.bincount(of, found, groups) == pytest.approx(table.sum(0), rel=1e-12)
    assert (np.sort(found[found != 0])) == pytest.approx(np.sort(table[table != 0]), rel=1e-12)
    assert cells.squares(rows, values, group, groups) == pytest.approx((table**2).sum(0), rel=1e-12)
    assert cells.products(rows, values, group, groups) == pytest.approx(table.T @ table, rel=1e-12, abs=1e-11)


def test_what_no_row_has_may_be_infinite():
    rows, cells, values, _ = made(5, False)
    values = values.ravel()
    values[~np.isin(np.arange(60), cells.at)] = np.inf
    values = np.append(values, np.inf)  # a cell of no row, in any case
    assert np.isfinite(cells.sums(rows, values)).all()


@pytest.mark.parametrize("most", [1, 2, 1 << 16, (1 << 16) + 1, 1 << 40])
def test_order_is_stable(most):
    codes = np.random.default_rng(0).integers(0, most, 3000)
    assert np.array_equal(_order(codes), np.argsort(codes, kind="stable"))


@pytest.mark.parametrize("labels", [2, 300])
def test_rows_are_put_in_the_order_of_all_their_columns(labels):
    rng = np.random.default_rng(0)
    n, clusters = 3000, 40
    true, predicted = rng.integers(0, labels, (2, n)).astype(np.int16)
    columns = (
        rng.integers(0, clusters, n),
        true,
        predicted,
        rng.integers(0, 3, n) / 2,
        rng.integers(1, 3, n) * 1.0,
    )
    rows = CodedRows(tuple(range(clusters)), tuple(range(labels)), *columns)
    found, order = rows.in_order(), np.lexsort([columns[i] for i in (3, 4, 2, 1, 0)])
    for name, column in zip(("cluster", "true", "predicted", "score", "weight"), columns, strict=True):
        assert np.array_equal(getattr(found, name), column[order])


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8"])
def test_codes_of_any_width_have_their_stable_order(kind):
    codes = np.random.default_rng(2).integers(0, 100, 300).astype(kind)
    codes[7] = np.iinfo(kind).max
    np.testing.assert_array_equal(_order(codes), np.argsort(codes, kind="stable"))
