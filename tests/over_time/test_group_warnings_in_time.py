"""What periods of time add to `groups/test_group_warnings.py`."""

import numpy as np

import classay as ca

N = 900

RNG = np.random.default_rng(1)

Y = RNG.integers(0, 2, N)

P = np.clip(0.5 + 0.1 * (2 * Y - 1) + RNG.normal(0, 0.2, N), 0.01, 0.99).round(3)


def told(result):
    return [(each.code, each.concerns) for each in result.warnings]


def test_periods():
    day = np.datetime64("2026-01-01") + np.sort(RNG.integers(0, 8, N))
    found = ca.assess_over_time(Y, np.where(day == np.datetime64("2026-01-03"), 0.4, P), time=day)
    assert told(found) == [("constant_scores", ("2026-01-03",))]
    assert found.warnings[0].text.startswith("day 2026-01-03: ")
    assert " ".join(str(found).split()).count("the score has only 1 value") == 1
