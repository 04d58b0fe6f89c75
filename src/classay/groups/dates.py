"""Dates: the day, week, month or quarter of rows, and how far periods lie apart."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from math import isfinite
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from classay.columns.coding import code_labels
from classay.columns.numbers import counted
from classay.columns.opened import Masked, in_numpy, opened, single_column
from classay.columns.values import is_missing, plain
from classay.errors import ClassayError, InputError, check_word
from classay.groups.calendar_periods import read_periods
from classay.kinds import Per
from classay.texts import hint
from classay.wings import brought

Array = NDArray[Any]
UNITS: dict[str, int] = {"day": 1, "week": 7, "month": 1, "quarter": 3}
"""Days, or months, that a period is."""

_DATE = re.compile(
    r"\s*(\d{4}-\d\d)(-\d\d)?(?:[T ]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?\s*(?:Z|UTC|[+-]\d\d(?::?\d\d)?)?)?\s*"
)
_OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{4}")
MONTHS = 12
WANTED = "Use dates such as 2026-03-01, months such as 2026-03, times, or whole numbers as periods."


def periods_of(time: Any, per: Per = "day") -> Array:
    """Return the day, Monday of the week, month, or first month of the quarter of each row, `(rows,)`.

    From dates, times, or text such as "2026-03-01" or "2026-03" (a month). The day of a time is the local one, in the
    zone of the column, or with the offset that a text is written with. Whole numbers are periods by themselves. Raises
    InputError for what is no date, or is missing, and for months where days are wanted.

    >>> periods_of(["2026-03-01", "2026-03-02T13:00", "2026-03-08"], "week").tolist()
    [datetime.date(2026, 2, 23), datetime.date(2026, 3, 2), datetime.date(2026, 3, 2)]
    >>> periods_of(["2026-03-01T23:30-05:00", "2026-05-02"], "quarter").astype(str).tolist()
    ['2026-01', '2026-04']
    """
    check_word("per", per, get_args(Per))
    dates = dates_of(time)
    if dates.dtype.kind in "iu":
        if per != "day":
            raise InputError(
                f"The times are whole numbers, which are periods already. Remove {hint('per=', '--per')}."
            )
        return dates
    if per in ("month", "quarter"):
        months = dates.astype("datetime64[M]")
        into = months.astype(np.int64) % UNITS[per]  # the epoch began a quarter
        return np.asarray(months - into.astype("timedelta64[M]"))
    if dates.dtype == "datetime64[M]":
        month = hint("per='month'", "--per month")
        raise InputError(f"The times are months, such as {dates[0]}. Use {month}.")
    if per == "day":
        return dates
    since_monday = (dates.astype(np.int64) + 3) % 7  # the epoch was a Thursday
    return np.asarray(dates - since_monday.astype("timedelta64[D]"))


def name_of_period(period: Any, per: str) -> str:
    """Return a period as it is written.

    >>> name_of_period(np.datetime64("2026-04"), "quarter"), name_of_period(np.int64(3), "day")
    ('2026-Q2', '3')
    """
    text = str(period)
    return f"{text[:4]}-Q{(int(text[5:7]) + 2) // 3}" if per == "quarter" else text


def number_of_period(periods: Array, per: str) -> Array:
    """Return how many periods each is after the first, `(periods,)` of floats."""
    if periods.dtype.kind in "iu":
        return np.asarray(periods.astype(np.longdouble) - periods[0], np.float64)
    return np.asarray((periods - periods[0]).astype(np.int64) / UNITS[per])


def steps_between(names: Sequence[Hashable], by: str = "group") -> tuple[list[float], str]:
    """How many steps each period, or ordered group, lies after the first, by its name, and what a step is called.

    Numbers are as far apart as their difference, in units of the column `by`. Dates are days apart, or what their text
    names: months, quarters or weeks. Other names, such as ordered categories and bands, are one step apart each.

    >>> steps_between(["2026-01", "2026-02", "2026-04"]), steps_between([5, 12], "age"), steps_between(["low", "high"])
    (([0.0, 1.0, 3.0], 'month'), ([0.0, 7.0], 'unit of age'), ([0.0, 1.0], 'group'))
    """
    steps = _steps_by_name(names, by)
    if steps is not None and all(map(isfinite, steps[0])) and all(a < b for a, b in pairwise(steps[0])):
        return steps
    return [float(place) for place in range(len(names))], "group"


_WEEK = re.compile(r"(\d{4})-?W(\d\d)")
_QUARTER = re.compile(r"(\d{4})-?Q([1-4])")


def _steps_by_name(names: Sequence[Any], by: str) -> tuple[list[float], str] | None:
    """Return the same of names that are numbers or periods; None of other names."""
    if all(isinstance(name, int | float) and not isinstance(name, bool) for name in names):
        return [float(name - names[0]) for name in names], "unit" if by == "group" else f"unit of {by}"
    if all(isinstance(name, datetime) for name in names):  # each time is a group of its own
        return [(name - names[0]) / timedelta(days=1) for name in names], "day"
    try:
        if all(matches := [_QUARTER.fullmatch(str(name)) for name in names]):
            time: Any = [f"{match[1]}-{3 * int(match[2]) - 2:02}" for match in matches if match]
            per: Per = "quarter"
        elif all(matches := [_WEEK.fullmatch(str(name)) for name in names]):
            time = [date.fromisocalendar(int(match[1]), int(match[2]), 1) for match in matches if match]
            per = "week"
        else:
            time, per = read_periods([*names], "day")
        when = dates_of(time)
        per = "month" if per == "day" and when.dtype == "datetime64[M]" else per
        steps = number_of_period(periods_of(when, per), per).tolist()
        return steps, "year" if when.dtype.kind in "iu" else per
    except (ClassayError, ValueError):  # such as 2026-13
        return None


def last_days(times: Array) -> Array:
    """Return the last day of each date or month; whole numbers are their own.

    >>> last_days(np.array(["2026-02"], "datetime64[M]")).tolist()
    [datetime.date(2026, 2, 28)]
    """
    if times.dtype != "datetime64[M]":
        return times
    return np.asarray((times + np.timedelta64(1, "M")).astype("datetime64[D]") - np.timedelta64(1, "D"))


def dates_of(time: Any) -> Array:
    """Return the local date of each row, its month where no day is given, or its whole number, `(rows,)`.

    Raises InputError for other values, for a mixture of these, and for missing times.
    """
    import pyarrow as pa

    column = opened(single_column(time), "time")
    if isinstance(column, Masked):
        _refuse_missing(int((~column.valid).sum()))
        column = column.values
    if isinstance(column, pa.Array | pa.ChunkedArray) and (
        pa.types.is_temporal(column.type) or pa.types.is_integer(column.type)
    ):
        return _of_arrow(column)
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuM":
        is_plain = column.dtype.kind in "iu" or column.dtype == "datetime64[M]"
        dates = column if is_plain else column.astype("datetime64[D]")
        _refuse_missing(int(np.isnat(dates).sum()) if dates.dtype.kind == "M" else 0)
        return dates
    if isinstance(column, list | tuple) or (isinstance(column, np.ndarray) and column.dtype.kind == "O"):
        return _together([_date(moment, column) for moment in column])
    try:
        coded = code_labels(column, "time")
    except InputError as error:  # of labels, which these are not
        raise InputError(f"The times are not dates, for example {column[0]!s}. {WANTED}") from error
    _refuse_missing(coded.missing)
    has_points = isinstance(column, np.ndarray) or (
        isinstance(column, pa.Array | pa.ChunkedArray) and pa.types.is_floating(column.type)
    )
    if coded.kind == "number" and not has_points and all(isinstance(label, int) for label in coded.labels):
        return np.array(coded.labels, np.int64)[coded.codes]  # whole numbers of a file, which has texts only
    if coded.kind in ("number", "boolean"):
        raise InputError(
            f"The times are decimal numbers or truth values, for example {coded.labels[0]!r}. {WANTED}"
        )
    return _together([_date(label, coded.labels) for label in coded.labels])[coded.codes]


def _of_arrow(column: Any) -> Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    _refuse_missing(column.null_count)
    if pa.types.is_integer(column.type):
        return in_numpy(column)
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        column = pc.local_timestamp(column)
    if not (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
        raise InputError(f"The times have type {column.type}, which is not a date. {WANTED}")
    return np.asarray(in_numpy(column.cast(pa.date32(), safe=False).cast(pa.int32())).astype("datetime64[D]"))


def _date(value: Any, column: Iterable[Any]) -> Any:
    """Return a date of a column, a month, a whole number, or None where it is missing."""
    is_month = isinstance(value, np.datetime64) and value.dtype == "datetime64[M]"
    value = value if is_month else plain(value)
    if is_missing(value) or (isinstance(value, str) and value.strip() in ("", "NaT")):
        return None
    if isinstance(value, np.datetime64):
        return value if is_month else value.astype("datetime64[D]")
    if isinstance(value, datetime):
        return np.datetime64(value.date(), "D")
    if isinstance(value, date):
        return np.datetime64(value, "D")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _DATE.fullmatch(value) if isinstance(value, str) else None
    try:
        if match is not None and (match[2] or len(value.strip()) == len("2026-03")):
            return np.datetime64(match[1] + (match[2] or ""))
    except ValueError:
        pass
    raise InputError(f"The time {value!r} is not a date. {WANTED}{_format_option(value, column)}")


def _format_option(value: Any, column: Iterable[Any]) -> str:
    """The options of the command for dates of another spelling: those that fit all values."""
    match = _OTHER_DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or "read.layout" not in brought("options"):
        return ""
    mark = match[1]
    days = [re.split("[./-]", text) for text in column if isinstance(text, str) and text.strip()]
    formats = [f"%d{mark}%m{mark}%Y"] if all(_is_month(day[1:2]) for day in days) else []
    formats += [f"%m{mark}%d{mark}%Y"] if all(_is_month(day[0:1]) for day in days) else []
    return hint("", f" If dates are text, use --date-format {' or '.join(formats)}.") if formats else ""


def _is_month(parts: Sequence[str]) -> bool:
    return bool(parts) and parts[0].strip().isdecimal() and 1 <= int(parts[0]) <= MONTHS


def _together(dates: list[Any]) -> Array:
    _refuse_missing(sum(day is None for day in dates))
    kinds = {day.dtype if isinstance(day, np.datetime64) else int for day in dates}
    if len(kinds) > 1:
        raise InputError(f"The times mix days, months and whole numbers. {WANTED}")
    return np.array(dates, kinds.pop() if kinds else "datetime64[D]")


def _refuse_missing(count: int) -> None:
    if count:
        raise InputError(f"The time is missing in {counted(count)}. Exclude these rows.")
