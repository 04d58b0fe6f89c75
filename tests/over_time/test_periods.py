"""Days are those of the column's own zone, whatever holds them; what is no date is refused."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classay.errors import InputError
from classay.groups.dates import dates_of, name_of_period, number_of_period, periods_of

ZONES = ("America/New_York", "Asia/Kolkata", "UTC")
NAIVE = {
    "dates": lambda when: [each.date() for each in when],
    "datetimes": list,
    "text": lambda when: [each.isoformat() for each in when],
    "text of days": lambda when: [f"{each:%Y-%m-%d}" for each in when],
    "spaced text": lambda when: np.array([f"{each:%Y-%m-%d %H:%M}" for each in when]),
    "numpy": lambda when: np.array(when, "datetime64[ns]"),
    "objects": lambda when: np.array(when, object),
    "pandas": pd.Series,
    "pandas text": lambda when: pd.Series([str(each) for each in when], dtype="category"),
    "polars": pl.Series,
    "arrow": lambda when: pa.chunked_array([pa.array(when[:2]), pa.array(when[2:])], pa.timestamp("us")),
    "arrow dates": lambda when: pa.array([each.date() for each in when]),
    "arrow text": lambda when: pa.array([each.isoformat() for each in when]).dictionary_encode(),
}
AWARE = {
    "datetimes": list,
    "text": lambda when: [each.isoformat() for each in when],
    "objects": lambda when: np.array(when, object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": lambda when: pa.array(when, pa.timestamp("ms", when[0].tzinfo.key)),
}
TIMES = [
    datetime(2026, 3, 1, 23, 30),
    datetime(2026, 3, 2, 0, 15),
    datetime(2025, 12, 31, 1),
    datetime(1969, 7, 4, 20),
]


@pytest.mark.parametrize("kind", NAIVE)
def test_whatever_holds_the_times_the_day_is_the_same(kind):
    assert dates_of(NAIVE[kind](TIMES)).tolist() == [each.date() for each in TIMES]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("kind", AWARE)
def test_the_day_is_that_of_the_columns_zone(kind, zone):
    local = [each.replace(tzinfo=ZoneInfo(zone)) for each in TIMES]
    column = AWARE[kind](local)
    if kind == "polars":  # which turns them into UTC
        column = column.dt.convert_time_zone(zone)
    assert dates_of(column).tolist() == [each.date() for each in TIMES]


@given(st.lists(st.dates(date(1800, 1, 1), date(2300, 1, 1)), min_size=1))
def test_periods_agree_with_the_calendar(days):
    by = {
        "day": str,
        "week": lambda day: str(day - timedelta(day.weekday())),
        "month": lambda day: f"{day:%Y-%m}",
        "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    }
    for per, name in by.items():
        found = periods_of(days, per)
        assert [name_of_period(each, per) for each in found] == [name(day) for day in days]
        distinct = np.unique(found)
        if len(distinct) > 1:
            freq = {"month": "M", "quarter": "Q"}.get(per, "D")
            first, last = (pd.Period(str(each), freq=freq) for each in distinct[[0, -1]])
            assert number_of_period(distinct, per)[-1] == (last - first).n / (7 if per == "week" else 1)


def test_months_are_months_and_numbers_are_periods():
    assert periods_of(["2026-03", "2026-04"], "month").astype(str).tolist() == ["2026-03", "2026-04"]
    assert periods_of(["2026-03", "2026-04"], "quarter").astype(str).tolist() == ["2026-01", "2026-04"]
    months = np.array(["2026-03", "2026-04"], "datetime64[M]")
    for column in (months, list(months), tuple(months)):
        assert dates_of(column).dtype == "datetime64[M]"
        assert dates_of(column).tolist() == months.tolist()
    assert periods_of([3, 1]).tolist() == periods_of(pa.array([3, 1])).tolist() == [3, 1]
    for per in ("day", "week"):
        with pytest.raises(InputError, match="The times are months, such as 2026-03"):
            periods_of(["2026-03"], per)
    for per in ("week", "month", "quarter"):
        with pytest.raises(InputError, match="whole numbers, which are periods already"):
            periods_of([1, 2], per)


WRONG = ["now", "today", "yesterday", "1", "2026", "01", "2026-13-01", "2026-02-30", "2026-00", "20260301",
         "2026-03T10:00", "2026-03-01x", "1.0", 1.0, True, b"2026-03-01", timedelta(1)]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_is_no_date_is_refused(wrong):
    for column in ([wrong], np.array([wrong], object), pd.Series([wrong]), pd.Series([wrong], dtype=object)):
        with pytest.raises(InputError) as refused:
            periods_of(column)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("column", [
    ["2026-03-01", None], ["2026-03-01", "NaT"], ["2026-03-01", ""],
    [np.datetime64("2026-03"), np.datetime64("NaT", "M")], np.array(["2026-03-01", "NaT"], "datetime64[D]"),
    pd.Series(pd.to_datetime(["2026-03-01", None])), pl.Series([date(2026, 3, 1), None]), pa.array([1, None]),
])  # fmt: skip
def test_missing_times_are_counted(column):
    with pytest.raises(InputError, match="The time is missing in 1 row"):
        periods_of(column)


@pytest.mark.parametrize("column", [["2026-03-01", "2026-03"], [1, "2026-03-01"]])
def test_kinds_are_not_mixed(column):
    with pytest.raises(InputError, match=r"The times mix|mixes"):
        periods_of(column)


@pytest.mark.parametrize(
    ("column", "formats"),
    [
        (["31.12.2026", "01.02.2026"], "%d.%m.%Y"),
        (["12/31/2026", "01/02/2026"], "%m/%d/%Y"),
        (["01-02-2026", "03-04-2026"], "%d-%m-%Y or %m-%d-%Y"),
        (["31.31.2026"], ""),
        (["now"], ""),
        (["2026-13-01"], ""),
    ],
)
def test_dates_of_another_spelling_have_the_option_that_reads_them(column, formats):
    with pytest.raises(InputError) as refused:
        dates_of(column)
    said = refused.value.at_the_command
    assert ("--date-format" in said) == bool(formats)
    assert not formats or f"If dates are text, use --date-format {formats}." in said
    assert "--date-format" not in str(refused.value)
