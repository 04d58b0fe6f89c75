"""Groups of neighbouring scores of saturated, light and one-sided data: no warning, and the limits of all scores."""

import gc
import warnings

import numpy as np
import pytest

import classay as ca
from classay.inference import design
from classay.inference.design import Design
from classay.inference.readings import parted_at
from classay.inference.scores.optimism import _of_blocks
from classay.measures import probability_bins
from classay.tables import ScoreTable

ROWS = 60_000
NAMES = ("roc_auc", "brier_score", "log_loss_discrimination", "h_measure", "max_f1", "average_precision")


def saturated(rng):
    """Scores next to 1 that differ by a last bit, whose weighted means round onto each other."""
    p = np.concatenate(
        [rng.random(ROWS), np.full(5, 1 - 2.0**-53), [1 - 2.0**-52], 1 - 2.0**-53 * np.arange(3, 9)]
    )
    return rng.random(p.size) < p, p, rng.choice([0.1, 0.3, 0.7, 3.0], p.size)


def light(rng):
    """The lowest positive weighs so little that sums lose it."""
    p = rng.random(ROWS)
    y, weight = rng.random(ROWS) < p, np.ones(ROWS)
    weight[np.argmin(np.where(y, p, 2))] = 1e-12
    return y, p, weight


def one_class(rng):
    return np.zeros(ROWS, bool), rng.random(ROWS), np.ones(ROWS)


@pytest.mark.parametrize("how", ["alike", "weight"])
@pytest.mark.parametrize("population", [saturated, light, one_class])
def test_limits_are_those_of_all_scores(monkeypatch, population, how):
    y, p, weight = population(np.random.default_rng(4))
    how = {} if how == "alike" else {"weight": weight}

    def found():
        return ca.assess(y.astype(int), p, labels=[0, 1], positive=1, **how).estimates(NAMES)

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        near = found()
    for module in (probability_bins, design):
        monkeypatch.setattr(module, "GROUPED_FROM", 10**9)
    for name, one in found().items():
        other = near[name]
        assert one.has_interval == other.has_interval, name
        if one.has_interval:
            close = 2e-3 * (one.high - one.low)
            assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=0, abs=close), name


def test_an_assessment_keeps_no_tables_of_single_classes():
    """What is found once for the scores of a class is given back with them."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 8, 300)
    z = rng.normal(size=(300, 8))
    z[np.arange(300), y] += 1
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    a = ca.assess(y, p)
    gc.collect()
    before = sum(isinstance(each, ScoreTable) for each in gc.get_objects())
    assert len(a.class_estimates()) == 8
    gc.collect()
    assert sum(isinstance(each, ScoreTable) for each in gc.get_objects()) <= before + 1


def test_parts_of_a_table_are_drawn_as_it_is():
    """Both classes apart, where a prevalence is given."""
    table = ScoreTable(np.array([0.9, 0.5, 0.1]), np.array([5, 3, 2]), np.array([1, 4, 6]))
    halves = parted_at(Design(table, by_class=True, seed=3), 1)
    assert halves.by_class
    assert halves.number == Design(table).number
    assert halves.table.positives.tolist() == [5, 5]


def test_blocks_of_the_isotonic_fit_are_drawn_as_the_scores_are():
    """What depends on the fit alone varies as much by block as by score, however the classes were drawn."""
    rng = np.random.default_rng(2)
    p = rng.random(500)
    table = ScoreTable.from_rows(p, rng.random(500) < p)
    for by_class in (False, True):
        design = Design(table, by_class=by_class)
        fit, by_block, values = _of_blocks(table, design)
        spread = [
            each.spread((1 - probability, -probability)).variance
            for each, probability in (
                (by_block, values),
                (design, np.repeat(values, np.diff(np.append(fit.starts, p.size)))),
            )
        ]
        assert spread[0] == pytest.approx(spread[1], rel=1e-12)
