"""Groups of neighbouring scores, each class at its mean: intervals move by less than 1e-6 of their half-width."""

import numpy as np
import pytest

import classay as ca
from classay.measures import probability_bins
from classay.measures.probability_bins import SMOOTH_FROM, smooth_groups
from classay.tables import ScoreTable
from near import same_to_rounding

ROWS = 60_000
SMOOTH = (
    "log_loss",
    "brier_score",
    "log_loss_skill",
    "brier_skill",
    "brier_uncertainty",
    "log_loss_uncertainty",
    "observed_expected_ratio",
    "calibration_slope",
    "calibration_intercept",
    "calibration_in_the_large",
)
"""Measures whose spread is taken from groups."""


def rare(rng):
    y = rng.random(ROWS) < 0.05
    return y, 1 / (1 + np.exp(-(1.5 * rng.normal(size=ROWS) + 2 * y - 4)))


def calibrated(rng):
    p = rng.random(ROWS)
    return rng.random(ROWS) < p, p


def heavy(rng):
    z = 2 * rng.standard_t(3, size=ROWS)
    return rng.random(ROWS) < 1 / (1 + np.exp(-0.7 * z)), 1 / (1 + np.exp(-z))


@pytest.mark.parametrize("population", [rare, calibrated, heavy])
def test_intervals_from_groups_are_those_of_all_scores(monkeypatch, population):
    rng = np.random.default_rng(3)
    y, p = population(rng)
    found = []
    for at_least in (SMOOTH_FROM, ROWS):
        monkeypatch.setattr(probability_bins, "SMOOTH_FROM", at_least)
        found.append(ca.assess(y.astype(int), p).estimates(SMOOTH))
    for name in SMOOTH:
        same_to_rounding(*(each[name] for each in found), name)


def test_groups_hold_all_cases_and_few_are_left_as_they_are():
    rng = np.random.default_rng(1)
    score, positive = rng.random(ROWS).astype(np.float32), rng.random(ROWS) < 0.3
    table = ScoreTable.from_rows(score, positive)
    near = smooth_groups(table)
    assert near.scores.size < SMOOTH_FROM < table.scores.size
    assert (near.n_positive, near.n_negative) == (table.n_positive, table.n_negative)
    for side in ("positives", "negatives"):
        both = [float((each.scores.astype(np.float64) * getattr(each, side)).sum()) for each in (near, table)]
        assert both[0] == pytest.approx(both[1], rel=1e-12)
    few = ScoreTable.from_rows(score[:100], positive[:100])
    weighted = ScoreTable.from_rows(score, positive, weight=rng.random(ROWS))
    assert all(smooth_groups(each) is each for each in (few, weighted))
