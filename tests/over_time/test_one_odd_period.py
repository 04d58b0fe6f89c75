"""One period that differs is no change from then on, and a change that lasts is no odd period."""

import numpy as np
import pytest

import classay as ca

MONTHS = np.repeat([f"2026-0{k}" for k in range(1, 10)], 200)


@pytest.mark.parametrize(("odd", "lasts"), [((5,), False), ((5, 6, 7, 8, 9), True)])
def test_one_odd_month_is_named_and_no_change_is_claimed(odd, lasts):
    rng = np.random.default_rng(3)
    y = (rng.random(1800) < 0.3) * 1
    wrong = np.where(np.isin([int(month[-1]) for month in MONTHS], odd), 0.3, 0.1)
    called = np.where(y == 1, rng.random(1800) < 0.8, rng.random(1800) < wrong) * 1
    text = " ".join(str(ca.assess_over_time(y, y_pred=called, time=MONTHS, per="month", positive=1)).split())
    assert ("Accuracy fell from" in text) == lasts
    assert ("Accuracy was 74.0% in 2026-05, compared with" in text) == (not lasts)
