"""Running sums at few places are those of all places, to the last bit."""

import numpy as np
import pytest

from classay.tables.sums import STRETCH, Running

rng = np.random.default_rng(5)
WEIGHTS = {
    "counts": lambda m: rng.integers(0, 3, m),
    "narrow counts": lambda m: rng.integers(0, 120, m).astype(np.int8),
    "weights": lambda m: rng.random(m) * (rng.random(m) < 0.7),
    "weights of one type": lambda m: rng.random(m).astype(np.float32),
}


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("size", [1, 2, STRETCH - 1, STRETCH, STRETCH + 1, 5 * STRETCH, 5 * STRETCH + 7])
def test_sums_at_few_places_are_those_of_all(kind, size):
    weights = WEIGHTS[kind](size)
    whole = np.cumsum(weights)
    places = np.unique(np.append(rng.integers(0, size, 50), [0, size - 1]))
    found = Running(weights)
    np.testing.assert_array_equal(found.upto(places + 1), whole[places])
    assert found.upto(np.array([0])) == 0
    wanted = np.concatenate([whole[places], np.linspace(0, float(whole[-1]), 40), [whole[-1] + 1.0]])
    np.testing.assert_array_equal(found.reaching(wanted), np.searchsorted(whole, wanted))


@pytest.mark.parametrize("kind", WEIGHTS)
def test_nothing_has_no_sums(kind):
    found = Running(WEIGHTS[kind](0))
    assert found.upto(np.array([0])) == 0
    assert (found.reaching(np.array([0.0, 1.0])) == 0).all()
