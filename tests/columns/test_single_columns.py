"""Arrays of shape (n, 1) and frames of one column are a column, arrays of no dimension a value, at every door."""

from typing import Any

import numpy as np

import classay as ca

N = 60
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
P = np.clip(0.3 * Y + 0.7 * RNG.random(N), 0, 1).round(3)


def scalars(values: Any) -> list[Any]:
    return [np.array(value) for value in values]


def test_arrays_of_no_dimension_are_labels_and_the_positive_one() -> None:
    found = ca.assess(scalars(Y), P, labels=scalars([0, 1]), positive=np.array(1))
    assert found.labels == (0, 1)
    assert found.positive == 1


def test_a_masked_value_of_no_dimension_is_missing() -> None:
    truth = [*scalars(Y[:-1]), np.ma.masked]
    assert ca.assess(truth, P, missing="drop").n == N - 1
