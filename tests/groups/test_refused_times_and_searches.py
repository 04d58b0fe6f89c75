"""Times that are periods or dates, beside those that are refused; searches for subgroups and what they need."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError
from classay.groups.calendar_periods import read_periods
from classay.groups.dates import dates_of, periods_of

RNG = np.random.default_rng(2)
N = 200
Y = np.arange(N) % 2
FRAME = pd.DataFrame(
    {
        "y": Y,
        "p": np.clip(0.3 * Y + 0.7 * RNG.random(N), 0, 1),
        "q": np.clip(0.2 * Y + 0.8 * RNG.random(N), 0, 1),
        "site": RNG.choice(["a", "b", "c"], N),
    }
)


def last_day(period):
    """The day on which a period ends, or its month where periods are months or quarters."""
    end = period.to_timestamp(how="end")
    return np.datetime64(f"{end:%Y-%m}" if period.freqstr[0] in "MQ" else f"{end:%Y-%m-%d}")


@pytest.mark.parametrize(
    ("frequency", "per", "wanted"),
    [
        ("D", "day", "day"),
        ("D", "week", "week"),
        ("D", "month", "month"),
        ("D", "quarter", "quarter"),
        ("h", "day", "day"),
        ("min", "week", "week"),
        ("s", "quarter", "quarter"),
        ("W-SUN", "day", "week"),
        ("W-SUN", "week", "week"),
        ("W-SUN", "month", None),
        ("W-SUN", "quarter", None),
        ("M", "day", "month"),
        ("M", "month", "month"),
        ("M", "quarter", "quarter"),
        ("M", "week", None),
        ("Q-DEC", "day", "quarter"),
        ("Q-MAR", "quarter", "quarter"),
        ("Q-DEC", "month", None),
        ("Q-DEC", "week", None),
    ],
)
@pytest.mark.parametrize("form", [lambda time: time, pd.Series, list])
def test_a_period_goes_into_longer_ones_only(frequency, per, wanted, form):
    time = pd.period_range("2026-02-10", periods=4, freq=frequency)
    unit = {"W": "week", "M": "month", "Q": "quarter"}.get(frequency[0], "day")
    if wanted is None:
        with pytest.raises(
            InputError, match=f"The times are {unit}s and do not fit into a {per}. Use per='{unit}'"
        ):
            read_periods(form(time), per)
        return
    ends, found = read_periods(form(time), per)
    assert found == wanted
    assert ends.tolist() == [last_day(period).item() for period in time]


def test_years_are_numbers_and_other_values_stay():
    years, per = read_periods(pd.period_range("2020", periods=3, freq="Y"), "day")
    assert (years.tolist(), per) == ([2020, 2021, 2022], "day")
    for time in (["2026-01", "2026-02"], np.array([1, 2]), np.array(["2026-01-01"], "datetime64[D]")):
        assert read_periods(time, "day") == (time, "day") or read_periods(time, "day")[0] is time
        assert read_periods(time, "month")[1] == "month"
    months = np.array(["2026-01", "2026-02"], "datetime64[M]")
    assert [read_periods(months, per)[1] for per in ("day", "week", "quarter")] == [
        "month",
        "week",
        "quarter",
    ]


M, D = pd.Period("2026-01", "M"), pd.Period("2026-01-03", "D")


@pytest.mark.parametrize(
    ("time", "words"),
    [
        ([M, D], "The times mix periods of several frequencies or other values"),
        ([M, "2026-02"], None),
        ([M, 3.5], "The times mix periods"),
        ([M, None, None], "2 of the times are missing. Remove these rows"),
        (pd.Series([D, pd.NaT, D], dtype="period[D]"), "1 of the times are missing"),
        (
            pd.period_range("2026", periods=3, freq="2M"),
            "Periods of frequency '2M' are not supported. Convert the times",
        ),
        (pd.period_range("2026", periods=3, freq="W-WED"), "Periods of frequency 'W-WED' are not supported"),
        (pd.period_range("2026", periods=3, freq="Q-JAN"), "Periods of frequency 'Q-JAN' are not supported"),
    ],
)
def test_periods_that_are_refused(time, words):
    if words is None:  # pandas reads the text as a month too
        assert read_periods(time, "day")[0].astype(str).tolist() == ["2026-01", "2026-02"]
        return
    with pytest.raises(InputError, match=words):
        read_periods(time, "day")


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (np.array([0.5, 1.5]), "The times are decimal numbers or truth values, for example 0.5"),
        (np.array([True, False]), "The times are decimal numbers or truth values, for example False"),
        ([1, 2.5], "The time 2.5 is not a date. Use dates such as 2026-03-01"),
        ([1, True], "The time True is not a date"),
        (["2026-03-01", "2026-03"], "The times mix days, months and whole numbers"),
        (["2026-03-01", 3], "The times mix days, months and whole numbers"),
        (["2026-03-01", None, ""], "The time is missing in 2 rows. Exclude these rows"),
        (np.array(["2026-03-01", "NaT"], "datetime64[D]"), "The time is missing in 1 row"),
        (["2026-13-01"], "The time '2026-13-01' is not a date"),
        (["2026-3-1"], "The time '2026-3-1' is not a date"),
        (["2026-03T12:00"], "The time '2026-03T12:00' is not a date"),
    ],
)
def test_times_that_are_no_dates(time, words):
    with pytest.raises(InputError, match=words):
        dates_of(time)


@pytest.mark.parametrize("per", ["day", "week", "month", "quarter"])
def test_days_are_in_their_periods(per):
    days = pd.date_range("2025-11-20", periods=150)
    found = periods_of(days.strftime("%Y-%m-%d").tolist(), per)
    frequency = {"day": "D", "week": "W-SUN", "month": "M", "quarter": "Q-DEC"}[per]
    starts = days.to_period(frequency).to_timestamp(how="start")
    assert found.astype("datetime64[D]").tolist() == [start.date() for start in starts]
    assert periods_of(days, per).tolist() == found.tolist()
    numbers = np.array([3, 1, 2])
    if per == "day":
        assert periods_of(numbers, per).tolist() == [3, 1, 2]
    else:
        with pytest.raises(InputError, match="The times are whole numbers, which are periods already"):
            periods_of(numbers, per)
    if per in ("day", "week"):
        with pytest.raises(InputError, match="The times are months"):
            periods_of(["2026-03", "2026-04"], per)


def searched(frame=FRAME, **more):
    how = {"truth": "y", "scores": {"a": "p", "b": "q"}, "threshold": 0.5} | more
    return ca.compare(frame, by="*", **how)


CLASSES = FRAME.assign(y=np.arange(N) % 3, u=RNG.integers(0, 3, N), v=RNG.integers(0, 3, N)).drop(
    columns=["p", "q"]
)
OF_CLASSES = {"scores": None, "predictions": {"a": "u", "b": "v"}, "threshold": None}


@pytest.mark.parametrize(
    ("taken", "refused", "words"),
    [
        (
            searched,
            lambda: searched(
                threshold=None, scores={"a": "p", "b": "z"}, frame=FRAME.assign(z=FRAME["q"] * 9)
            ),
            "by='\\*' compares the labels of two models, but . of 2 have labels. Name two models with labels",
        ),
        (
            lambda: searched(FRAME.assign(f=2), frequency="f"),
            lambda: searched(FRAME.assign(f=np.where(np.arange(N) == 3, 0, 2)), frequency="f"),
            "Some rows have a frequency of 0. Exclude them before the search with by='\\*'",
        ),
        (
            lambda: searched(CLASSES, **OF_CLASSES),
            lambda: searched(CLASSES, **OF_CLASSES, measures=["recall"]),
            "recall|classes",
        ),
    ],
)
def test_what_a_search_needs(taken, refused, words):
    assert taken() is not None
    with pytest.raises(InputError, match=words):
        refused()


def test_values_need_a_case_with_a_group():
    values = {"a": RNG.random(40), "b": RNG.random(40)}
    by = np.array(["u", "v"] * 20, object)
    gaps = by.copy()
    gaps[:38] = None
    assert ca.compare_values(values, by=gaps, missing="drop").cases_not_recorded == 38
    with pytest.raises(InputError, match=r"group"):
        ca.compare_values(values, by=np.full(40, None), missing="drop")
