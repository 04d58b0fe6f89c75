"""Periods of pandas as times: a month is what the text of the month is."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import classay as ca

N = 120
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
P = np.clip(0.3 * Y + 0.7 * RNG.random(N), 0, 1).round(3)


def periods(frequency: str, number: int = 6) -> Any:
    return pd.period_range("2026-01-05", periods=number, freq=frequency)[np.arange(N) // (N // number)]


@pytest.mark.parametrize(
    ("frequency", "per", "first"),
    [
        ("D", "day", "2026-01-05"),
        ("W", "week", "2026-01-05"),
        ("M", "month", "2026-01"),
        ("Q", "quarter", "2026-Q1"),
    ],
)
def test_a_period_says_itself_how_long_it_is(frequency: str, per: Any, first: str) -> None:
    time = periods(frequency)
    starts = time.to_timestamp()
    expected = ca.assess_over_time(Y, P, time=starts, per=per)
    wanted = expected.to_dict()
    assert expected.shards[0] == first
    forms = (
        time,
        pd.Series(time),
        list(time),
        pd.Series(list(time), dtype=object),
        pd.DataFrame({"t": time}),
    )
    for each in forms:
        assert ca.assess_over_time(Y, P, time=each).to_dict() == wanted
    assert ca.assess_over_time(Y, P, time=time, per=per).to_dict() == wanted
    frame = pd.DataFrame({"y": Y, "p": P, "t": time})
    assert ca.assess_over_time(frame, truth="y", score="p", time="t").to_dict() == wanted


def test_months_make_quarters_and_years_are_numbers() -> None:
    months = ca.assess_over_time(Y, P, time=periods("M", 12), per="quarter")
    assert months.shards == ("2026-Q1", "2026-Q2", "2026-Q3", "2026-Q4")
    assert ca.assess_over_time(Y, P, time=periods("Y", 3)).shards == ("2026", "2027", "2028")


def test_the_gate_of_the_last_period_takes_them() -> None:
    how: dict[str, Any] = {"measure": "accuracy", "margin": 0.05}
    found = ca.gate_over_time(Y, P, time=periods("M"), **how)
    text = ca.gate_over_time(Y, P, time=[str(each) for each in periods("M")], per="month", **how)
    assert found.to_dict() == text.to_dict()


@pytest.mark.parametrize(
    ("time", "per", "text"),
    [
        (periods("Q"), "month", "The times are quarters and do not fit into a month"),
        (periods("M"), "week", "The times are months and do not fit into a week"),
        (periods("W"), "month", "The times are weeks"),
        (periods("2M"), "day", "frequency '2M'"),
        (periods("Q-JAN"), "day", "frequency 'Q-JAN'"),
        (periods("W-WED"), "day", "frequency 'W-WED'"),
        (periods("M").delete(0).insert(0, pd.NaT), "day", "1 of the times are missing"),
        ([*periods("M")[:60], *periods("D")[60:]], "day", "several frequencies"),
    ],
)
def test_periods_that_do_not_fit_are_refused(time: Any, per: Any, text: str) -> None:
    with pytest.raises(ca.InputError, match=text):
        ca.assess_over_time(Y, P, time=time, per=per)
