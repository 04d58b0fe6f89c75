"""Periods of pandas, such as months and quarters, as the dates on which they end."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from classay.columns.opened import single_column
from classay.errors import InputError

UNITS = {"D": "day", "W-SUN": "week", "M": "month"} | {
    f"Q-{month}": "quarter" for month in ("DEC", "MAR", "JUN", "SEP")
}
"""What a period of pandas is, by its frequency; weeks begin on Monday, quarters in January, April, July and October."""
WITHIN = {"day": ("day", "week", "month", "quarter"), "week": ("week",)} | {
    "month": ("month", "quarter"),
    "quarter": ("quarter",),
}
"""The periods into which others fit."""


def read_periods(time: Any, per: Any) -> tuple[Any, Any]:
    """Periods of pandas, and NumPy's months, as dates, months or years, and how they divide time; else what came.

    Where `per` is "day", the default, weeks, months and quarters stay what they are. Raises InputError for periods of
    another frequency, of several frequencies, and for those that do not fit into `per`.

    >>> import pandas as pd
    >>> read_periods(pd.period_range("2026-01", periods=2, freq="M"), "day")
    (array(['2026-01', '2026-02'], dtype='datetime64[M]'), 'month')
    """
    periods = period_index(time)
    if periods is None:
        is_month = isinstance(time, np.ndarray) and time.dtype == "datetime64[M]"
        return time, "month" if is_month and per == "day" else per
    if periods.isna().any():
        raise InputError(f"{int(periods.isna().sum()):,} of the times are missing. Remove these rows.")
    name = str(periods.freqstr)
    if name.split("-", maxsplit=1)[0] in ("Y", "A"):
        return np.asarray(periods.year, np.int64), per
    unit = (
        "day"
        if name in ("h", "min", "s", "ms", "us", "ns", "H", "T", "S", "L", "U", "N")
        else UNITS.get(name)
    )
    if unit is None:
        raise InputError(
            f"Periods of frequency {name!r} are not supported. Convert the times to dates with .dt.to_timestamp()."
        )
    per = unit if per == "day" else per
    if per in UNITS.values() and per not in WITHIN[unit]:
        raise InputError(f"The times are {unit}s and do not fit into a {per}. Use per={unit!r}.")
    ends = periods.to_timestamp(how="end").to_numpy()  # what holds its last day is complete
    return ends.astype("datetime64[M]" if unit in ("month", "quarter") else "datetime64[D]"), per


def period_index(time: Any) -> Any:
    """Return the index of periods that a column holds, None where it holds something else."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    time = single_column(time)
    if isinstance(getattr(time, "dtype", None), pandas.PeriodDtype):
        return pandas.PeriodIndex(time)
    is_listed = isinstance(time, list | tuple) or str(getattr(time, "dtype", "")) == "object"
    first = next((moment for moment in time if not pandas.isna(moment)), None) if is_listed else None
    if not isinstance(first, pandas.Period):
        return None
    try:
        return pandas.PeriodIndex(list(time))
    except (ValueError, TypeError) as error:
        raise InputError(
            "The times mix periods of several frequencies or other values. Use periods of one frequency."
        ) from error
