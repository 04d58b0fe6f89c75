"""Measures of all cases but those of a group, from sums: what a table of these cases gives."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classay.compiled import can_compile
from classay.inference.intervals import complement_interval, estimate
from classay.inference.left_out import OF_OTHERS, POWERS, _room, aucs_of_others, sum_others
from classay.measures import get
from classay.tables import ScoreTable
from samples import binary_rows


def parts(rng, n, groups, levels):
    truth, score = binary_rows(rng, n, levels=levels)
    by = rng.integers(0, groups, n)
    return [ScoreTable.from_rows(score[by == each], truth[by == each] == 1) for each in range(groups)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(20, 400), st.integers(3, 12), st.sampled_from([2, 9, 10**6]))
def test_they_are_what_a_table_of_the_others_gives(seed, n, groups, levels):
    tables = parts(np.random.default_rng(seed), n, groups, levels)
    for name, of_others_of in OF_OTHERS.items():
        measure = get(name)
        for k, found in enumerate(of_others_of(tables)):
            if found is None:
                continue
            rest = reduce(add, [each for i, each in enumerate(tables) if i != k])
            one, other = complement_interval(measure, found, 0.9), estimate(measure, rest, level=0.9)
            assert [one.value, one.low, one.high] == pytest.approx(
                [other.value, other.low, other.high], rel=1e-12, abs=1e-12
            )
            assert (one.method, one.reason) == (other.method, other.reason)


def test_only_what_sums_do_not_tell_is_left_out():
    """Of groups of a like size all are known; not where one has nearly all cases, or all of a class."""
    tables = parts(np.random.default_rng(1), 600, 5, 10**6)
    assert all(each is not None for each in aucs_of_others(tables))
    whole, small = parts(np.random.default_rng(2), 600, 1, 10**6)[0], tables[0]
    assert [each is None for each in aucs_of_others([whole, small])] == [True, False]
    positive = ScoreTable.from_rows(np.array([0.2, 0.4, 0.6]), np.ones(3, bool))
    negative = ScoreTable.from_rows(np.array([0.1, 0.5, 0.3]), np.zeros(3, bool))
    assert aucs_of_others([positive, negative]) == [None, None]


@pytest.mark.parametrize("name", sorted(OF_OTHERS))
@pytest.mark.parametrize("near", [0.1, 0.02, 0.004, 0.001])
def test_rounding_never_passes_for_spread(name, near):
    """Of others that hardly vary, beside a group that does, the sums tell the interval or nothing."""
    rng = np.random.default_rng(4)
    truth = rng.random(400) < 0.4
    others = ScoreTable.from_rows(np.where(truth, 1 - near * rng.random(400), near * rng.random(400)), truth)
    if name == "roc_auc":
        size = round(20 / near)
        # every tenth positive is below a few of the negatives
        few = np.where(np.arange(size) % 10 == 0, near / 2, 2.0)
        others = ScoreTable.from_rows(
            np.concatenate([few, np.arange(size) / size]), np.repeat([True, False], size)
        )
    size = others.scores.size // 2
    group = ScoreTable.from_rows(rng.random(size), rng.random(size) < 0.5)
    found = OF_OTHERS[name]([group, others])[0]
    if found is not None:
        one, other = complement_interval(get(name), found, 0.9), estimate(get(name), others, level=0.9)
        assert [one.value, one.low, one.high] == pytest.approx([other.value, other.low, other.high], rel=1e-6)


@pytest.mark.skipif(not can_compile(), reason="needs Numba")
@pytest.mark.parametrize("levels", [5, 10**6])
def test_the_kernel_is_its_twin(levels):
    rng = np.random.default_rng(3)
    truth, score = binary_rows(rng, 3000, levels=levels)
    order = np.argsort(-score)
    score, truth = score[order], truth[order].astype(np.float64)
    starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1], [True]]))
    group, found = rng.integers(0, 7, 3000), []
    for run in (sum_others.compiled, sum_others.twin):
        pairs, sums = np.empty(7), np.empty((7, 2, POWERS))
        auc = run(starts, group, truth, 1 - truth, pairs, sums, _room(7))
        found.append((auc, pairs, sums))
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_allclose(found[0][2], found[1][2], rtol=1e-12, atol=1e-12)
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-15)
