"""What groups of cases add to `laws/test_laws_by_brute_force.py`."""

import numpy as np
import pytest

from classay.groups.drift import drift_of_scores
from classay.tables import ScoreTable


@pytest.mark.parametrize("weighted", [False, True])
def test_the_distance_of_a_period_from_all_others(weighted):
    rng = np.random.default_rng(15)
    score, y = rng.integers(0, 60, 300) / 60, rng.random(300) < 0.4
    week, weight = rng.integers(0, 3, 300), rng.random(300) + 0.5 if weighted else np.ones(300)
    tables = {
        k: ScoreTable.from_rows(
            score[week == k], y[week == k], weight=weight[week == k] if weighted else None
        )
        for k in range(3)
    }
    _, distances = drift_of_scores(tables, 0.9)
    equal = weight.sum() ** 2 / (weight**2).sum()
    at = np.unique(score)[:, None]
    for k, found in enumerate(distances):
        here = week == k
        up_to = [((score <= at) * weight * own).sum(1) / (weight * own).sum() for own in (here, ~here)]
        own = weight[here].sum() ** 2 / (weight[here] ** 2).sum()
        rest = equal * weight[~here].sum() / weight.sum()
        off = sum((np.log(2 / (1 - 0.9**0.5)) / (2 * size)) ** 0.5 for size in (own, rest))
        gap = np.abs(up_to[0] - up_to[1]).max()
        assert [found.value, found.low, found.high] == pytest.approx(
            [gap, max(0, gap - off), min(1, gap + off)]
        )
