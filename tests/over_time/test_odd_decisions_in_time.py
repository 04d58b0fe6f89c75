"""What periods of time add to `decision/test_odd_decisions.py`."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.over_time.courses import over_time
from decision.test_odd_decisions import P, Y


@pytest.mark.parametrize("short", ["y", "p", "time", "weight"])
def test_over_time_all_columns_have_one_length(short):
    decision = ca.assess(Y, P).threshold(cost=ca.Costs(fp=1, fn=5))
    columns = {"y": Y, "p": P, "time": [1, 1, 2, 2, 3, 3, 4, 4], "weight": [1.0] * 8}
    columns[short] = columns[short][:-1]
    with pytest.raises(InputError, match="Use columns of one length"):
        over_time(decision, columns["y"], columns["p"], columns["time"], weight=columns["weight"])


def test_numbers_of_periods_that_floats_do_not_tell_apart():
    decision = ca.assess(Y, P).threshold(cost=ca.Costs(fp=1, fn=5))
    times = np.arange(8) // 2
    found = over_time(decision, Y, P, times)
    later = over_time(decision, Y, P, times + 2**62)
    assert later.trend == found.trend
