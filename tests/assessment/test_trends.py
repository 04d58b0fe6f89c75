"""Trends over periods: the slope of weighted least squares, against NumPy's fit; what shows no trend says so."""

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.assessment.slices.trends import trend, trends_over
from classay.errors import MergeError
from classay.report.documents.trends import verdict_of

RNG = np.random.default_rng(0)
WHEN, VALUES, CASES = np.arange(8.0), 0.8 + 0.01 * RNG.normal(size=8), RNG.integers(50, 500, 8)


def test_against_a_fit_of_numpy():
    found = trend(WHEN, VALUES, CASES, 0.9)
    line, covariance = np.polyfit(WHEN, VALUES, 1, w=np.sqrt(CASES), cov=True)
    half = stats.t.ppf(0.95, 6) * np.sqrt(covariance[0, 0])
    assert (found.value, found.low, found.high) == pytest.approx((line[0], line[0] - half, line[0] + half))


def test_another_unit_of_time_of_values_or_of_cases():
    found = trend(WHEN, VALUES, CASES, 0.95)
    for other, factor in (
        (trend(WHEN * 7 + 3, VALUES, CASES, 0.95), 1 / 7),
        (trend(WHEN, VALUES * 100 - 5, CASES, 0.95), 100),
        (trend(WHEN, VALUES, CASES * 10, 0.95), 1),
    ):
        assert (other.value, other.low, other.high) == pytest.approx(
            (found.value * factor, found.low * factor, found.high * factor)
        )
    turned = trend(-WHEN, VALUES, CASES, 0.95)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_periods_without_a_value_or_cases_are_passed_over():
    values, cases = VALUES.copy(), CASES.copy()
    values[2], cases[5] = np.nan, 0
    kept = [0, 1, 3, 4, 6, 7]
    assert trend(WHEN, values, cases, 0.95) == trend(WHEN[kept], values[kept], cases[kept], 0.95)


def test_what_shows_no_trend_says_so():
    assert "2 periods with a value show no trend" in trend([0, 1], [0.5, 0.6], [9, 9], 0.95).reason
    line = trend([0, 1, 2], [0.5, 0.6, 0.7], [9, 9, 9], 0.95)
    assert line.value == pytest.approx(0.1)
    assert not line.has_interval
    assert "on a line" in line.reason


def test_an_alias_is_the_measure():
    days = {day: ca.assess([1] * 5 + [0] * 5, y_pred=[1] * day + [0] * (10 - day)) for day in (1, 2, 4)}
    assert trends_over(days, ["tpr", "recall"]) == trends_over(days, ["recall"])


def days(slope):
    """Eight days of 200 cases, whose scores tell less of the class from day to day."""
    rng, found = np.random.default_rng(3), {}
    for day in range(8):
        truth = rng.random(200) < 0.4
        found[f"day {day}"] = ca.assess(truth, (2 - slope * day) * truth + rng.normal(size=200), threshold=1)
    return found


def test_a_trend_is_said_first_and_in_python():
    falling = ca.trends_over(days(0.25))
    (said,) = verdict_of(falling)
    change = falling.changes["roc_auc"]
    assert change.high < 0
    assert said.startswith(f"In the order of the files ROC AUC falls by {-change.value:.3f} a file (")
    (said,) = verdict_of(ca.trends_over(days(0.0), ["roc_auc"]))
    assert said == "No measure is shown to rise or fall from file to file."


def test_the_sum_of_assessments_is_that_of_all_rows():
    parts = [*days(0.1).values()]
    assert sum(parts)["roc_auc"] == (parts[0] + sum(parts[1:]))["roc_auc"]
    assert sum(parts).n == 1600
    with pytest.raises(MergeError, match="pass two assessments"):
        1 + parts[0]
