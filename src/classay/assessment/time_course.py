"""One classifier over time: its rows assessed in each day, week, month or quarter, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import (
    assess,
    checked_rows,
    how_to_assess,
    of_predictions,
    refuse_all_undeclared,
)
from classay.assessment.assessment import Assessment
from classay.assessment.drift import Timed
from classay.assessment.group_differences import main_measures
from classay.assessment.over_time import Per, name_of_period, number_of_period, periods_of
from classay.assessment.slices import of_groups
from classay.assessment.trends import FEWEST, Trends, over_time_of
from classay.columns.coding import code_labels
from classay.columns.numbers import score_array
from classay.errors import InputError
from classay.kinds import checked, refuse_unknown
from classay.predictions import Predictions
from classay.tables import ScoreTable

Array = NDArray[Any]
MOST_PERIODS = 10_000
"""Periods up to which there is a picture of them."""


@checked
def assess_over_time(
    y_true: Any,
    y_score: Any = None,
    *,
    time: Any,
    per: Per = "day",
    measures: Sequence[str] | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    **columns: Any,
) -> Trends:
    """Assess a classifier in each period of its cases, and say what changed: trends, breaks, and drift.

    `time` says when each case was: dates, times, text such as "2026-03-01" or "2026-03" (a month), or whole numbers,
    which are periods by themselves; the name of a column where a frame comes first. `per` is day, week, month or
    quarter. `measures` are those most people want by default; all other arguments are those of `assess`. With
    `missing="drop"` cases without a label count nowhere but in the drift of their scores, so that a period whose labels
    come later is seen too. The result is that of `trends_over` over assessments of the periods. Raises InputError as
    `assess` does, for times that are no dates, and for fewer than three periods with labels.

    >>> months = [f"2026-0{month}" for month in (1, 2, 3, 4) for _ in range(100)]
    >>> hit = [k % 100 < (90 if k < 200 else 70) for k in range(400)]
    >>> y = [k % 2 for k in range(400)]
    >>> p = [float(truth == right) for truth, right in zip(y, hit)]
    >>> found = assess_over_time(y, p, time=months, per="month", measures=["accuracy"])
    >>> found.breaks["accuracy"].at, found.breaks["accuracy"].said
    ('2026-03', 'from 0.900 to 0.700 (difference -0.200, simultaneous limits -0.292 to -0.108)')
    """
    known = [*signature(assess).parameters, *signature(assess_over_time).parameters]
    refuse_unknown("assess_over_time", columns, dict.fromkeys(known))
    if isinstance(time, str) and columns.get("truth") is not None:
        from classay.sources.frames import columns_of_roles

        time = columns_of_roles(y_true, {"time": time})["time"]
    how = how_to_assess(threshold, level, seed, interval)
    when, names = periods_and_names(time, per)
    rows = checked_rows(y_true, y_score, by=when, **columns)
    whole = refuse_all_undeclared(of_predictions(rows, **how))
    late = None
    if rows.dropped and columns.get("truth") is None:
        late = unlabelled(rows, y_true, y_score, when, columns.get("weight"))
    elif rows.dropped:
        from classay.sources.frames import columns_of_roles

        score = columns.get("score", y_score)
        given = (
            columns_of_roles(y_true, {"truth": columns["truth"], "score": score})
            if isinstance(score, str)
            else {}
        )
        late = unlabelled(rows, given.get("truth"), given.get("score"), when, columns.get("weight"))
    return time_course(rows, whole, names, per, late or {}, measures)


def periods_and_names(time: Any, per: Per) -> tuple[Array, Array]:
    """The place of each row's period, `(rows,)`, and the periods, in the order of time. Raises InputError."""
    when = periods_of(time, per)
    names, codes = np.unique(when, return_inverse=True)
    if names.size > MOST_PERIODS:
        raise InputError(
            f"the times are {names.size:,} {per}s, and up to {MOST_PERIODS:,} are compared: pass a longer per (--per)."
        )
    return codes, names


def unlabelled(
    rows: Predictions, y_true: Any, y_score: Any, when: Array, weight: Any
) -> dict[int, ScoreTable]:
    """The scores of rows without a label in each period, of two classes; none of rows that weigh unequally."""
    if rows.score is None or y_true is None or weight is not None or rows.frequency is not None:
        return {}
    gone = code_labels(y_true, "truth").codes < 0
    score = score_array(y_score).astype(rows.score.dtype, copy=False)
    gone &= ~np.isnan(score)
    labels = (rows.negative, rows.positive)
    return {
        int(each): ScoreTable.from_rows(
            score[gone & (when == each)], np.zeros(int((gone & (when == each)).sum()), bool), labels
        )
        for each in np.unique(when[gone])
    }


def time_course(
    rows: Predictions,
    whole: Assessment,
    names: Array,
    per: str,
    late: dict[int, ScoreTable],
    measures: Sequence[str] | None,
) -> Trends:
    """The trends of checked rows whose groups are the places of `names`; `late` are scores without labels, by place."""
    word = "period" if names.dtype.kind in "iu" else per
    found = of_groups(rows, whole, word).groups
    if len(found) < FEWEST:
        raise InputError(
            f"a trend needs {FEWEST} {word}s or more with labels, and there "
            f"{'is 1' if len(found) == 1 else f'are {len(found)}'}: pass a shorter per (--per), or more rows."
        )
    called = {k: name_of_period(names[k], per) for k in range(names.size)}
    numbers = number_of_period(names, per)
    places: list[Any] = [*found]
    timed = Timed(
        {called[place]: found[place] for place in places},
        whole,
        [float(numbers[place] - numbers[places[0]]) for place in places],
        {called[place]: table for place, table in late.items()},
        tuple(called[place] for place in sorted({*places, *late})),
    )
    return replace(over_time_of(timed, measures or main_measures(whole), word), model=whole.model)
