"""Reference curves, such as a random ranking, against their definitions; and which curves a picture has."""

import numpy as np
import pytest

from classay.curves.acting import brier_curves
from classay.curves.curve import CURVES
from classay.tables import ScoreTable


def table(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    true = np.r_[True, False, rng.random(n) < rng.choice([0.2, 0.6])]
    return ScoreTable.from_rows(rng.choice([0.1, 0.3, 0.4, 0.7, 0.9], n + 2), true)


def references(name, of):
    return {curve.series: (curve.x.tolist(), curve.y.tolist()) for curve in CURVES[name].references(of)}


@pytest.mark.parametrize("seed", range(4))
def test_references_are_what_needs_no_score(seed):
    of = table(seed)
    p, n = float(of.n_positive), float(of.n_negative)
    share = p / (p + n)
    wanted = {
        "cumulative_gain": {
            "at random": ([0, 1], [0, 1]),
            "perfect ranking": ([0, share, 1], [0, 1, 1]),
        },
        "lift": {"at random": ([0, 1], [1, 1])},
        "cost": {"all or nothing": ([0, 0.5, 1], [0, 0.5, 0])},
        "brier": {"all or nothing": ([0, share, 1], [0, 2 * share * (1 - share), 0])},
        "precision_recall": {f"prevalence {share:.3g}": ([0, 1], [share, share])},
        "precision_recall_gain": {"no skill": ([0, 1], [0, 0])},
    }
    for name, curves in wanted.items():
        found = references(name, of)
        assert {*found} == {*curves}
        for series, (x, y) in curves.items():
            assert found[series] == (pytest.approx(x), pytest.approx(y))
    acting = references("net_benefit", of)
    assert {*acting} == {"act on all", "act on none"}
    x, y = map(np.array, acting["act on all"])
    np.testing.assert_allclose(y, share - (1 - share) * x / (1 - x))
    assert not any(acting["act on none"][1])
    assert x[0] == 0
    assert {curve.kind for name in CURVES for curve in CURVES[name].references(of)} == {"reference"}


@pytest.mark.parametrize("seed", range(4))
def test_the_greatest_distance_of_two_classes_is_that_of_kolmogorov_and_smirnov(seed):
    of = table(seed)
    (line,) = CURVES["ks"].references(of)
    shares = {}
    for score in of.scores:
        below = [
            float(counts[of.scores < score].sum() / counts.sum()) for counts in (of.positives, of.negatives)
        ]
        upto = [
            float(counts[of.scores <= score].sum() / counts.sum()) for counts in (of.positives, of.negatives)
        ]
        shares[float(score)] = (below, upto)
    gaps = [abs(a - b) for pair in shares.values() for a, b in pair]
    assert abs(line.y[1] - line.y[0]) == pytest.approx(max(gaps))
    assert line.x[0] == line.x[1]
    assert line.series == "greatest distance"


def test_both_brier_curves_are_there_where_both_classes_are():
    assert len(brier_curves(table(1))) == 2
    for positive in (0, 3):
        one = ScoreTable(np.array([0.7]), np.array([positive]), np.array([3 - positive]))
        assert len(brier_curves(one)) == 1
