"""Groups of neighbouring scores move intervals by less than a millionth of the half-width, of ranks by a thousandth."""

import numpy as np
import pytest

import classay as ca
from classay.inference import design
from classay.measures import probability_bins
from classay.measures.probability_bins import GROUPED_FROM, smooth_groups
from classay.tables import ScoreTable

ROWS = 60_000
SMOOTH = {
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
}
"""Measures whose spread is taken from groups in which each class has its own mean."""


def rare(rng):
    y = rng.random(ROWS) < 0.02
    return y, 1 / (1 + np.exp(-(rng.normal(size=ROWS) + 2.5 * y - 4)))


def easy(rng):
    y = rng.random(ROWS) < 0.5
    return y, 1 / (1 + np.exp(-(rng.normal(size=ROWS) + 6 * y - 3)))


def calibrated(rng):
    p = rng.random(ROWS)
    return rng.random(ROWS) < p, p


def heavy(rng):
    z = 2 * rng.standard_t(3, size=ROWS)
    return rng.random(ROWS) < 1 / (1 + np.exp(-0.7 * z)), 1 / (1 + np.exp(-z))


def tied(rng):
    scores = np.concatenate(
        [np.repeat([0.05, 0.1, 0.2, 0.3, 0.4, 0.45], 20_000), rng.uniform(0.55, 0.9, 55_000)]
    )
    return rng.random(scores.size) < scores * 0.9 + 0.03, scores


@pytest.mark.parametrize("population", [rare, easy, calibrated, heavy, tied])
def test_intervals_from_groups_are_those_of_all_scores(monkeypatch, population):
    """Smooth ones to a millionth of the half-width; those of ranks, of which a group makes ties, to a thousandth."""
    y, p = population(np.random.default_rng(3))
    near = ca.assess(y.astype(int), p).estimates()
    for module in (probability_bins, design):
        monkeypatch.setattr(module, "GROUPED_FROM", ROWS)
    exact = ca.assess(y.astype(int), p).estimates()
    moved = 0
    for name, one in exact.items():
        other, half = near[name], (one.high - one.low) / 2
        assert other.value == pytest.approx(one.value, rel=1e-12, nan_ok=True), name
        assert one.method == other.method, name
        if one.has_interval:
            close = (1e-6 if name in SMOOTH else 1e-3) * half
            assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=0, abs=close), name
            moved += one.low != other.low
    assert moved > 10


def test_groups_hold_all_cases_and_few_are_left_as_they_are():
    rng = np.random.default_rng(1)
    score, positive = rng.random(ROWS).astype(np.float32), rng.random(ROWS) < 0.3
    table = ScoreTable.from_rows(score, positive)
    near = smooth_groups(table)
    assert near.scores.size < GROUPED_FROM < table.scores.size
    assert (near.n_positive, near.n_negative) == (table.n_positive, table.n_negative)
    for side in ("positives", "negatives"):
        both = [float((each.scores.astype(np.float64) * getattr(each, side)).sum()) for each in (near, table)]
        assert both[0] == pytest.approx(both[1], rel=1e-12)
    few = ScoreTable.from_rows(score[:100], positive[:100])
    assert smooth_groups(few) is few


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_no_group_lies_on_both_sides_of_one_half(seed, weighted):
    """Where the score of one half is held itself, it is above: a case that has it is called positive."""
    rng = np.random.default_rng(seed)
    for low, high in ((0.0, 1.0), (0.49, 0.53), (0.2, 0.5), (0.5, 0.9), (0.0, 0.4), (0.6, 1.0)):
        p = rng.uniform(low, high, 30_000)
        p[: seed % 3] = 0.5
        y = rng.random(p.size) < p ** rng.choice([0.3, 1.0, 6.0])
        table = ScoreTable.from_rows(p, y, weight=rng.gamma(2, size=p.size) if weighted else None)
        cuts = probability_bins._group_cuts(table)
        assert (cuts[0], cuts[-1]) == (0, table.scores.size)
        assert (np.diff(cuts) > 0).all()
        above = table.scores >= 0.5
        assert (above[cuts[:-1]] == above[cuts[1:] - 1]).all(), (low, high)


@pytest.mark.parametrize("population", [rare, easy, calibrated, heavy, tied])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_group_holds_few_of_the_cases_beyond(population, weighted):
    """Beside its largest score, a group holds few of the cases of either class above it, and few of those below."""
    rng = np.random.default_rng(5)
    y, p = population(rng)
    weight = rng.lognormal(size=y.size) if weighted else None
    table = ScoreTable.from_rows(p, y, weight=weight)
    cuts = probability_bins._group_cuts(table)
    for counts, squares in (
        (table.positives, table.positive_squares),
        (table.negatives, table.negative_squares),
    ):
        case = 1 if squares is None else squares.sum() / counts.sum()
        before = np.concatenate([[0], np.cumsum(counts)])
        held = np.diff(before[cuts]) - np.maximum.reduceat(counts, cuts[:-1])
        beyond = np.minimum(before[cuts[1:]], before[-1] - before[cuts[:-1]])
        assert (held <= 2 * probability_bins.WIDER * beyond + case).all()
