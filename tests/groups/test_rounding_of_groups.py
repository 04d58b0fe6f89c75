"""What groups of cases add to `laws/test_rounding.py`."""

import numpy as np
import pytest

import classay as ca
from classay.groups.trends import trend
from laws.test_rounding import HOWS, OF_ONE_LOSS, OF_SEVERAL, SEVERAL, N, Y

EVENLY = {"groups": np.array(list("abcd"))[np.arange(N) // 6 % 4], "periods": np.arange(N) // 30}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(
    ("truth", "score"), [(Y, OF_ONE_LOSS), (SEVERAL, OF_SEVERAL)], ids=["two", "several"]
)
def test_groups_and_periods_with_the_same_cases_do_not_differ(truth, score, how):
    for by in EVENLY.values():
        found = ca.assess_by(truth, score, by=by, **HOWS[how]).compare(
            "log_loss", "brier_score" if truth is Y else "accuracy"
        )
        for each in found:
            assert each.difference.value == 0
            assert np.isnan(each.p) or each.p == 1
    trends = ca.assess_by(truth, score, by=EVENLY["periods"], **HOWS[how]).to_dict()["trends"]["measures"]
    assert {each["value"] for each in trends.values()} <= {0.0, None}


@pytest.mark.parametrize("scale", [1e-100, 1e-14, 1.0, 1e14])
def test_trends_are_relative_to_the_size_of_the_values(scale):
    cases = [500, 400, 500, 600]
    one = trend(range(4), [0.80, 0.79, 0.77, 0.76], cases, 0.95)
    found = trend(range(4), scale * np.array([0.80, 0.79, 0.77, 0.76]), cases, 0.95)
    assert [found.value, found.low, found.high] == pytest.approx(
        [scale * each for each in (one.value, one.low, one.high)], rel=1e-9, abs=0
    )
    flat = trend(range(4), scale * np.array([0.8, 0.7 + 0.1, 0.8, 0.8]) * (1 + 1e-16), cases, 0.95)
    assert flat.value == 0
    assert not flat.has_interval
