"""Oracles written out naively, as textbooks give them, against the one-pass formulas on tables."""

import numpy as np
import pytest

from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.curves.of_scores import roc
from classay.inference.design import Design
from classay.inference.scores.auc import delong_variance
from classay.measures import average_precision, roc_auc
from classay.tables import ScoreTable
from samples import binary_rows

seeds = pytest.mark.parametrize("seed", range(8))


def rows(seed, n=60):
    rng = np.random.default_rng(seed)
    levels = (3, 12, 10**6)[seed % 3]  # heavy ties, some, none
    truth, score = binary_rows(rng, n, levels=levels, share=rng.choice([0.1, 0.5]))
    truth[:2] = 0, 1
    return truth == 1, score


def textbook_roc(positive, score):
    """Zaki & Meira's algorithm 22.1: go down the scores; at each new one emit a point and add a trapezoid."""
    p, n = positive.sum(), (~positive).sum()
    order = np.argsort(-score)
    tp = fp = 0
    last, before = None, (0.0, 0.0)
    points, area = [], 0.0
    for i in order:
        if score[i] != last:
            here = (fp / n, tp / p)
            area += (here[0] - before[0]) * (here[1] + before[1]) / 2
            points.append(here)
            last, before = score[i], here
        if positive[i]:
            tp += 1
        else:
            fp += 1
    here = (fp / n, tp / p)
    area += (here[0] - before[0]) * (here[1] + before[1]) / 2
    return [*points, here], area


def wins(positive, score):
    """1, 1/2 or 0 for every pair of a positive and a negative, `(positives, negatives)`, by a double loop."""
    return np.array(
        [[float(a > b) + float(a == b) / 2 for b in score[~positive]] for a in score[positive]],
    )


def naive_average_precision(positive, score):
    """Mean over the positives of the precision among all cases that score at least as much."""
    return np.mean([positive[score >= s].mean() for s in score[positive]])


@seeds
def test_roc_is_the_textbooks(seed):
    positive, score = rows(seed)
    points, area = textbook_roc(positive, score)
    table = ScoreTable.from_rows(score, positive)
    curve = roc(table)
    assert np.stack([curve.x, curve.y], 1) == pytest.approx(np.array(points), abs=1e-12)
    assert roc_auc(table) == pytest.approx(area, abs=1e-12)


@seeds
def test_auc_counts_pairs(seed):
    positive, score = rows(seed)
    assert roc_auc(ScoreTable.from_rows(score, positive)) == pytest.approx(
        wins(positive, score).mean(), abs=1e-14
    )


@seeds
def test_roc_points_are_rates_at_their_thresholds(seed):
    positive, score = rows(seed)
    curve = roc(ScoreTable.from_rows(score, positive))
    for x, y, threshold in zip(curve.x, curve.y, curve.threshold, strict=True):
        called = score >= threshold
        assert (x, y) == (called[~positive].mean(), called[positive].mean())


def test_a_band_is_simplified_with_its_curve():
    x = np.linspace(0, 1, 5000)
    curve = Curve("c", "c", x, x**2, "x", "y", low=0.9 * x**2, high=np.sqrt(x), band="b")
    drawn = for_display(curve, error=0.02)
    assert drawn.x.size == drawn.low.size == drawn.high.size < 1000
    worst = max(
        np.abs(np.interp(x, drawn.x, getattr(drawn, part)) - getattr(curve, part)).max()
        for part in ("y", "low", "high")
    )
    assert worst == pytest.approx(drawn.error)
    assert 0 < worst <= 0.02
    assert drawn.frame().column_names == ["x", "y", "low", "high"]


@seeds
def test_curve_for_display_keeps_its_promise(seed):
    positive, score = rows(seed, n=4000)
    curve = roc(ScoreTable.from_rows(score, positive))
    drawn = for_display(curve, error=0.02)
    assert drawn.error <= 0.02
    # Monotone from corner to corner, and every point of the full curve is within the error of the drawn line.
    assert (drawn.x[0], drawn.y[0], drawn.x[-1], drawn.y[-1]) == (0, 0, 1, 1)
    assert (np.diff(drawn.x) >= 0).all()
    assert (np.diff(drawn.y) >= 0).all()
    for x, y in zip(curve.x, curve.y, strict=True):
        left, right = np.searchsorted(drawn.x, x, "left"), np.searchsorted(drawn.x, x, "right")
        line = [np.interp(x, drawn.x, drawn.y)] if left == right else drawn.y[[left, right - 1]]
        assert min(line) - drawn.error - 1e-12 <= y <= max(line) + drawn.error + 1e-12


@seeds
def test_average_precision_is_the_mean_of_precisions(seed):
    positive, score = rows(seed)
    wanted = naive_average_precision(positive, score)
    assert average_precision(ScoreTable.from_rows(score, positive)) == pytest.approx(wanted, abs=1e-12)


@seeds
def test_delong_by_double_loop(seed):
    positive, score = rows(seed)
    each = wins(positive, score)
    p, n = each.shape
    if min(p, n) < 2:
        pytest.skip("one case of a class has no variance")
    wanted = each.mean(1).var(ddof=1) / p + each.mean(0).var(ddof=1) / n
    assert delong_variance(ScoreTable.from_rows(score, positive)) == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("levels", [12, 10**6])
def test_average_precision_variance_is_the_bootstraps(levels):
    """Resampling the cases, n of n, 4000 times: the variance agrees within its Monte-Carlo and 1/n error."""
    rng = np.random.default_rng(5)
    truth, score = binary_rows(rng, 1500, levels=levels, share=0.3)
    table = ScoreTable.from_rows(score, truth == 1)
    m, shares = table.scores.size, np.concatenate([table.positives, table.negatives]) / 1500
    drawn = rng.multinomial(1500, shares, size=4000)
    values = average_precision(ScoreTable(table.scores, drawn[:, :m], drawn[:, m:]))
    found = Design(table).spread(average_precision.influence(table, float(average_precision(table)))).variance
    assert found == pytest.approx(values.var(), rel=0.08)
