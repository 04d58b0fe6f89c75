"""Another unit and origin of the scores moves thresholds with them and changes nothing else of what is chosen."""

from typing import Any

import numpy as np
import pytest

import classay as ca

MAPS = [(2.0, 4.0), (1.0, -7.0), (1 / 3, 5.0), (10.0, -3.0), (1e-3, 40.0)]
"""Factors and terms; all scores stay what no probability is."""


def cases(seed: int, *, on_a_grid: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 3, 90)
    return grade, np.round(5 + 2 * grade + rng.normal(0, 1.5, 90), 0 if on_a_grid else 2)


@pytest.mark.parametrize("seed", range(16))
def test_cut_points_move_with_the_scores(seed: int) -> None:
    grade, score = cases(seed, on_a_grid=seed % 2 == 0)
    first = ca.cut_points(score, grade, [0, 1, 2])
    for factor, term in MAPS:
        other = ca.cut_points(factor * score + term, grade, [0, 1, 2])
        np.testing.assert_allclose(other.cuts, factor * np.array(first.cuts) + term, rtol=1e-9)
        assert other.expected == first.expected
        assert other.cost == first.cost
        assert list(other.decisions(factor * score + term)) == list(first.decisions(score))
