"""Products of the sums of clusters, by pairs of rows and by sums, against the definition."""

import numpy as np
import pytest

from classay.tables.rows import CodedRows, products_by_group


@pytest.mark.parametrize("sizes", [[1] * 7, [1, 5, 40, 2, 33, 32], [200, 90], [3]])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_are_those_of_sums_by_cluster_and_group(sizes, weighted):
    rng = np.random.default_rng(len(sizes))
    cluster = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    n, groups = cluster.size, 6
    weight = rng.random(n) if weighted else None
    rows = CodedRows(tuple(range(len(sizes))), (0, 1), cluster, np.zeros(n, int), weight=weight)
    values, group = rng.normal(size=n), rng.integers(0, groups, n)
    sums = np.stack([rows.sums(values * (group == g)) for g in range(groups)])
    assert products_by_group(rows, values, group, groups) == pytest.approx(
        sums @ sums.T, rel=1e-12, abs=1e-12
    )
