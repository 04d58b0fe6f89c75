"""assess_by(): from predictions to an assessment of each group of cases."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from datetime import date
from inspect import signature
from typing import Any

import numpy as np

from classay.assessment.assessing import (
    are_names,
    assess,
    checked_rows,
    how_to_assess,
    of_predictions,
    refuse_all_undeclared,
)
from classay.assessment.assessment import Assessment
from classay.assessment.groups import Group, match_group
from classay.assessment.slices.slices import Slices
from classay.errors import InputError
from classay.kinds import checked, refuse_unknown
from classay.predictions import Predictions

MOST_GROUPS = 10_000
PERIOD = re.compile(r"\d{4}(-\d\d(-\d\d)?|-?Q[1-4]|-?W\d\d)")
"""A month, a day, a quarter or a week as text, which sorts as time does."""
NEVER_IDS = 200
"""Groups up to which a column is one of groups; beyond, if most rows have a group of their own, it is one of ids."""


@checked
def assess_by(
    y_true: Any,
    y_score: Any = None,
    *,
    by: Any,
    reference: Hashable | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    **columns: Any,
) -> Slices:
    """Assess a classifier apart in each group of cases, and each group against the others.

    `by` says which group a row belongs to: the name of a column where a frame comes first, or a list of names, of which
    each combination of labels is a group, ("north", "old"); otherwise a column of labels of any hashable kind. Each is
    compared with the cases of all other groups together, or with the group that `reference` names. All other arguments
    are those of `assess`; the positive class, the labels and the threshold are settled once, on all rows.
    `missing="drop"` also leaves out rows without a group. Raises InputError as `assess` does, for a reference that is
    no group, for more than 10,000 groups, and for more than 200 where most rows have a group of their own.

    >>> y, p = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.2, 0.8, 0.4, 0.6, 0.1, 0.7, 0.3]
    >>> found = assess_by(y, p, by=["north", "south"] * 4)
    >>> found["north"]["recall"]
    Estimate(1.000 [0.439, 1.000] 95 %, Wilson)
    """
    known = [*signature(assess).parameters, *signature(assess_by).parameters]
    refuse_unknown("assess_by", columns, dict.fromkeys(known))
    how = how_to_assess(threshold, level, seed, interval)
    rows = checked_rows(y_true, y_score, by=by, **columns)
    name = by if isinstance(by, str) else getattr(by, "name", None)
    if columns.get("truth") is not None and are_names(by):
        name = ", ".join(by)
    return of_groups(
        rows, refuse_all_undeclared(of_predictions(rows, **how)), str(name or "group"), reference
    )


def of_groups(rows: Predictions, overall: Assessment, by: str, reference: Hashable | None = None) -> Slices:
    """Assess each group of checked rows as all rows together were assessed."""
    assert rows.group is not None
    assert rows.groups is not None
    if len(rows.groups) > MOST_GROUPS:
        raise InputError(
            f"{by!r} has {len(rows.groups):,} groups; up to {MOST_GROUPS:,} are compared: join values to fewer groups."
        )
    if len(rows.groups) > max(NEVER_IDS, rows.rows // 2):
        raise InputError(
            f"{by!r} has {len(rows.groups):,} groups among {rows.rows:,} rows, and seems to be a column of ids: pass a "
            "column of groups."
        )
    known = None if reference is None else match_group(reference, rows.groups, by)
    short = np.int16 if len(rows.groups) < 2**15 else np.int64  # of 16 bits NumPy sorts in one pass or two
    order = np.argsort(rows.group.astype(short), kind="stable")
    ends = np.cumsum(np.bincount(rows.group, minlength=len(rows.groups)))
    parts = [_like(overall, rows.take(each)) for each in np.split(order, ends[:-1])]
    # combinations of labels stand in the order of their columns, which is none that a trend could follow
    ordered = not isinstance(rows.groups[0], Group) and (rows.groups_are_ordered or in_order(rows.groups))
    return Slices(by, overall, dict(zip(rows.groups, parts, strict=True)), known, ordered)


def in_order(groups: Sequence[Hashable]) -> bool:
    """Whether names of groups, sorted, are in an order that has a meaning: numbers, dates, or periods as text.

    >>> in_order((1, 2, 5)), in_order(("2026-01", "2026-02")), in_order(("2026-Q1", "2026-Q3")), in_order(("a", "b"))
    (True, True, True, False)
    """
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in groups)
    days = all(isinstance(each, date) for each in groups)
    return numbers or days or all(isinstance(each, str) and PERIOD.fullmatch(each) for each in groups)


def _like(overall: Assessment, rows: Predictions) -> Assessment:
    """The assessment of some of the rows, at the threshold of all of them."""
    how: dict[str, Any] = {name: getattr(overall, name) for name in ("level", "seed", "interval")}
    how["threshold"] = overall.cutoff
    made = of_predictions(rows, **how)
    if overall.confusion_matrix is None:  # scores that only here all lie in [0, 1] give no threshold
        made = replace(made, confusion_matrix=None, cutoff=None)
    return replace(made, cutoff_chosen=overall.cutoff_chosen)
