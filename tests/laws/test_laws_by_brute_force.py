"""Approximations held against what they approximate, worked out by brute force on small random inputs."""

import numpy as np
import pytest

from classay.inference.design import Design
from classay.inference.labels.delta import BIASED, bias_of_weights
from classay.measures import MEASURES
from classay.tables import ConfusionMatrix


@pytest.mark.parametrize("name", BIASED)
def test_the_bias_of_a_weighted_mean_is_half_the_second_derivatives(name):
    cells = np.random.default_rng(1).integers(3, 40, (4, 4)).astype(float)
    measure, step = MEASURES[name], 1e-2
    value = lambda moved: float(measure(ConfusionMatrix(moved, (0, 1, 2, 3))))  # noqa: E731
    wanted = 0.0
    for at in np.ndindex(cells.shape):
        more, less = cells.copy(), cells.copy()
        more[at] += step
        less[at] -= step
        wanted += cells[at] / 2 * (value(more) - 2 * value(cells) + value(less)) / step**2
    matrix = ConfusionMatrix(cells.astype(int), (0, 1, 2, 3))
    assert bias_of_weights(measure, matrix, Design(matrix)) == pytest.approx(wanted, rel=1e-3)
