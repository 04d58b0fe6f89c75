"""Breaks, odd periods and drift where nothing changes: false alarms of 5%, on populations nobody tuned on.

Of 400 samples each, a break was found in 2.0 to 6.2%, some drift in 1.2 to 6.5%, an odd period in 1.8 to 7.0%; of
days that are nearly right, an odd period in 9.0% for the AUC and in 8.0% for F1: their values are not normal there.

Of 4,000 samples each, many or rare classes seemed to drift in 3.8 (1% rare), 5.0 and 5.5 (30 and 100 by Zipf), and
5.5 % (50 alike).
"""

import numpy as np
import pytest

import classay as ca
from classay.groups import drift as over_periods
from classay.groups.drift import drift_of_scores, stability
from classay.tables import ScoreTable

ALARMS = {
    # population: prevalence, separation, cases of each period
    "12 days of 60": (0.35, 1.5, np.full(12, 60)),
    "30 days of 40": (0.5, 0.8, np.full(30, 40)),
    "6 months, uneven": (0.2, 1.1, np.array([80, 500, 120, 90, 300, 1000])),
    "12 days, nearly right": (0.4, 3.6, np.full(12, 70)),
}
MEASURES = ["roc_auc", "accuracy", "recall", "brier_score", "f1"]
SAMPLES = 400


def drawn(rng, population):
    """Labels, probabilities and days of one sample."""
    prevalence, separation, sizes = population
    day = np.repeat(np.arange(sizes.size), sizes)
    y = (rng.random(day.size) < prevalence).astype(int)
    z = separation * y + rng.normal(size=day.size)
    return y, 1 / (1 + np.exp(separation * (separation / 2 - z))), day


@pytest.mark.slow
@pytest.mark.parametrize("name", ALARMS)
def test_false_alarms_of_breaks_and_of_odd_periods(name, monkeypatch, capsys):
    monkeypatch.setattr(over_periods, "DRAWS", 999)
    rng = np.random.default_rng([7, *name.encode()])
    p = {measure: [] for measure in MEASURES}
    index = []
    for _ in range(SAMPLES):
        y, score, day = drawn(rng, ALARMS[name])
        found = ca.assess_over_time(y, score, time=day, measures=MEASURES)
        for measure, each in p.items():
            each.append([found.breaks[measure].p, found.extremes[measure].p])
        index.append(min(found.drift.p_adjusted["scores"]))
    rates = {measure: 100 * np.mean(np.array(each) < 0.05, axis=0) for measure, each in p.items()}
    drift = 100 * np.mean(np.array(index) < 0.05)
    with capsys.disabled():
        told = ", ".join(f"{measure} {at[0]:.1f} and {at[1]:.1f}" for measure, at in rates.items())
        print(f"\n{name}: breaks and odd periods, % at 5: {told}; any drift {drift:.1f}")
    assert max(at.max() for at in rates.values()) < (10.0 if "nearly" in name else 9.0)
    assert drift < 8.5


FEW_OF_A_CLASS = {
    # shares of the classes, cases of a period and of all others
    "50 alike, 30 and 300": (np.ones(50), 30, 300),
    "30 by Zipf, 50 and 500": (np.arange(1, 31) ** -1.5, 50, 500),
    "100 by Zipf, 200 and 2,000": (np.arange(1, 101) ** -1.5, 200, 2000),
    "1% rare, 60 and 600": (np.array([99, 1]), 60, 600),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW_OF_A_CLASS)
def test_many_or_rare_classes_seem_to_drift_in_5_percent(name, capsys):
    shares, n, m = FEW_OF_A_CLASS[name]
    rng = np.random.default_rng([3, *name.encode()])
    pairs = [[rng.multinomial(size, shares / shares.sum()) for size in (n, m)] for _ in range(SAMPLES)]
    index, usual, p = np.array([stability(*each) for each in pairs]).T
    with capsys.disabled():
        print(
            f"\n{name}: p < 0.05 in {100 * np.mean(p < 0.05):.1f}%, index > usual {100 * np.mean(index > usual):.1f}"
        )
    assert np.mean(p < 0.05) < 0.075
    assert np.mean(index > usual) < 0.075


@pytest.mark.slow
def test_the_index_of_each_period_and_the_limits_of_the_distance(capsys):
    rng = np.random.default_rng(11)
    for name, sizes, digits, shift in (
        ("8 of 100", [100] * 8, 3, 0.0),
        ("tied", [150] * 6, 1, 0.0),
        ("uneven", [60, 400, 90, 1000], 3, 0.0),
        ("one apart", [200, 200, 200, 200], 3, 0.4),
    ):
        alarms, covered = [], []
        for _ in range(1500):
            score = [rng.beta(2, 3, size) for size in sizes]
            score[0] = np.where(rng.random(sizes[0]) < shift, rng.beta(5, 2, sizes[0]), score[0])
            tables = {
                k: ScoreTable.from_rows(each.round(digits), np.zeros(each.size, bool))
                for k, each in enumerate(score)
            }
            indices, distances = drift_of_scores(tables, 0.95)
            alarms.append([each[2] < 0.05 for each in indices])
            if not shift:
                covered.append([each.low <= 0 for each in distances])
        rate = 100 * np.mean(alarms, axis=0)
        with capsys.disabled():
            print(
                f"\n{name}: index above its 5% point in {rate.round(1)}%, limits hold {np.mean(covered or 1):.3f}"
            )
        if not shift:
            assert 2.5 < rate.mean() < 6.5
            assert np.mean(covered) > 0.95
