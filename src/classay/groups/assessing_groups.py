"""`assess_by`: one classifier assessed in each group of cases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any, Literal, Unpack, overload

import numpy as np

from classay.assessment.assessing import (
    assess,
    how_to_assess,
    input_rows,
    of_predictions,
    refuse_all_undeclared,
    refuse_of_tags,
)
from classay.assessment.assessment import Assessment
from classay.assessment.bands import Bands, in_bands
from classay.assessment.group_labels import (
    MOST_GROUPS,
    Group,
    groups_of,
    match_group,
    refuse_many_groups,
    refuse_measured_groups,
)
from classay.assessment.other_rows import (
    OtherRows,
    are_of_other_task,
    other_rows,
    refuse_other_rows,
    with_task,
)
from classay.assessment.parts import Estimation
from classay.assessment.row_arguments import EstimationArguments, RowArguments
from classay.column_names import LOOK, are_names
from classay.errors import InputError
from classay.groups.compared_groups import PooledGroups, in_order
from classay.groups.row_arguments import RowsByGroup
from classay.groups.segments import STAR, Segments, columns_of, names_within, segments_of
from classay.groups.slices import GroupAssessments
from classay.kinds import checked, refuse_unknown
from classay.predictions import Predictions, check
from classay.steps import steps
from classay.texts import hint


@overload
def assess_by(
    y_true: Any, y_score: Any = None, *, by: Literal["*"], **columns: Unpack[RowsByGroup]
) -> Segments: ...


@overload
def assess_by(
    y_true: Any, y_score: Any = None, *, by: Any, **columns: Unpack[RowsByGroup]
) -> GroupAssessments: ...


@checked
def assess_by(
    y_true: Any,
    y_score: Any = None,
    *,
    by: Any,
    reference: Hashable | None = None,
    pool: int | None = None,
    bands: Mapping[str, Bands] | Bands | None = None,
    threshold: Any = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    **columns: Unpack[RowArguments],
) -> GroupAssessments | Segments:
    """Assess a classifier in each group of cases, and each group against the others.

    The positive class, the labels and the threshold are set once, on all rows.

    Parameters
    ----------
    y_true : array-like or frame
        True labels, or a dataframe, as in `assess`.
    y_score : array-like, optional
        Scores, as in `assess`.
    by : array-like, str or sequence of str
        Group of each row, labels of any hashable kind. With a frame the name of a column, or a list of
        names. Then each combination of labels is a group, ("north", "old"). "*" searches for the subgroup
        where the classifier is worst (see `Segments`). It tries all values of the unused columns of a
        frame, and their pairs.
    reference : label, optional
        Group that the others are compared with. By default each is compared with the cases of all other
        groups.
    pool : int, optional
        Groups with fewer cases are combined into one (see `GroupAssessments.pool`).
    bands : sequence, str or mapping, optional
        Ranges that combine groups that are numbers. `[18, 40, 65]` makes four ranges, "4q" makes four with
        about as many cases each. With several columns a mapping, `{"age": [18, 40, 65]}`.
    threshold : float, sequence or mapping, optional
        A case is predicted positive if `score >= threshold`, as in `assess`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    interval : str, optional
        One method for the intervals of all measures that it applies to. The methods are bootstrap and, for
        proportions, Wilson, Clopper-Pearson, mid-P, Jeffreys, Agresti-Coull, Wald and corrected Wald. All
        other measures keep their default.
    **columns
        All other arguments of `assess`. With `missing="drop"` rows without a group count in `overall`, and
        are `not_recorded`.

    Returns
    -------
    GroupAssessments or Segments
        The assessment of each group. "*" gives a `Segments`.

    Raises
    ------
    InputError
        If `assess` raises it.
        If `reference` is no group.
        If there are more than 10,000 groups, or more than 200 and most rows have a group of their own.

    Examples
    --------
    >>> y, p = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.2, 0.8, 0.4, 0.6, 0.1, 0.7, 0.3]
    >>> groups = assess_by(y, p, by=["north", "south"] * 4)
    >>> groups["north"]["recall"]
    Estimate(1.000 [0.439, 1.000] 95%, Wilson)
    """
    known = {**signature(assess).parameters, **signature(assess_by).parameters}
    refuse_unknown("assess_by", columns, known)
    how: EstimationArguments = {**how_to_assess(None, level, seed, interval), "threshold": threshold}
    if isinstance(by, str) and by == LOOK:
        refused = {"reference": reference, "interval": interval, "pool": pool, "bands": bands}
        for option, argument in refused.items():
            if argument is not None:
                given = hint(f"{option}=", f"--{option}")
                raise InputError(f"{given} has no effect with {STAR}, which tests all subgroups. Remove it.")
        if columns.get("task") is not None:
            y_true, y_score, columns = with_task(y_true, y_score, columns)
        refuse_other_rows(f"{STAR} looks at", y_true, y_score, columns)
        refuse_of_tags(threshold, columns.pop("top", None))
        return segments_in(y_true, y_score, columns, how["threshold"], level)
    name = by if isinstance(by, str) else getattr(by, "name", None)
    if columns.get("truth") is not None and are_names(by):
        name = ", ".join(by)
    top = columns.pop("top", None)
    if columns.get("task") is not None:
        if columns.get("truth") is not None and (isinstance(by, str) or are_names(by)):
            by = groups_of(y_true, [by] if isinstance(by, str) else by)
        y_true, y_score, columns = with_task(y_true, y_score, columns)
    if are_of_other_task(y_true, y_score, columns):
        groups = groups_of(y_true, by) if columns.get("truth") is not None and are_names(by) else by
        others = other_rows(y_true, y_score, columns, groups)
        assert others is not None
        estimation = Estimation(level=how["level"], seed=how["seed"], interval=how["interval"])
        overall: Assessment = others.assessed(estimation, how["threshold"], top)
        return of_groups(others, overall, str(name or "group"), reference, pool, bands)
    refuse_of_tags(threshold, top)
    rows = check(input_rows(y_true, y_score, by=by, **columns))
    overall = refuse_all_undeclared(of_predictions(rows, **how))
    return of_groups(rows, overall, str(name or "group"), reference, pool, bands)


def segments_in(
    frame: Any, y_score: Any, columns: RowArguments, threshold: float | None, level: float
) -> Segments:
    """Return the segments that the unused columns of a frame make, of the rows that are assessed."""
    if columns.get("truth") is None:
        raise InputError(
            f"{STAR} searches the unused columns of a frame. Pass a frame, with the names of its columns in "
            f"truth= and score=, or name the groups in {hint('by=', '--by')}."
        )
    searched = columns_of(frame, names_within({**columns, "y_score": y_score}))
    rows = check(input_rows(frame, y_score, **columns))
    size = next(iter(searched.codes.values())).size
    if rows.rows != size:
        rows = check(input_rows(frame, y_score, by=np.arange(size), **columns))
    return segments_of(rows, searched, threshold=threshold, level=level)


def of_groups(
    rows: Predictions | OtherRows,
    overall: Assessment,
    by: str,
    reference: Hashable | None = None,
    pool: int | None = None,
    bands: Mapping[str, Bands] | Bands | None = None,
) -> GroupAssessments:
    """Assess each group of checked rows as all rows together were assessed; `pool` those of fewer cases.

    `bands` combine groups that are numbers into ranges, before any of them is pooled.
    """
    assert rows.group is not None
    assert rows.groups is not None
    if bands is None:
        refuse_measured_groups(rows.group, rows.groups, by)
    else:
        rows = in_bands(rows, by, bands)
    assert rows.group is not None
    assert rows.groups is not None
    pooled = None
    if pool is not None and len(rows.groups) > MOST_GROUPS:  # too many to assess each of them before
        rows, pooled = _pooled_rows(rows, pool)
    assert rows.group is not None
    assert rows.groups is not None
    refuse_many_groups(len(rows.groups), rows.rows, by)
    if reference is not None and pool is None:
        match_group(reference, rows.groups, by)  # what is wrong is said at once
    short = np.int16 if len(rows.groups) < 2**15 else np.int64  # of 16 bits NumPy sorts in one pass or two
    order = np.argsort(rows.group.astype(short), kind="stable")
    lacking, order = np.split(order, [int(np.count_nonzero(rows.group < 0))])  # -1 comes first
    ends = np.cumsum(np.bincount(rows.group[order], minlength=len(rows.groups)))
    parts = []
    with steps("groups", len(rows.groups)) as advance:
        for indices in np.split(order, ends[:-1]):
            parts.append(_like(overall, rows.take(indices)))
            advance()
    # combinations of labels stand in the order of their columns, which is none that a trend could follow
    ordered = not isinstance(rows.groups[0], Group) and (rows.groups_are_ordered or in_order(rows.groups))
    groups = dict(zip(rows.groups, parts, strict=True))
    slices = GroupAssessments(
        by,
        overall,
        groups,
        ordered=ordered and pooled is None,
        pooled=pooled,
        uncounted=rows.uncounted,
        gaps=rows.gaps,
    )
    if lacking.size:
        assessments = (_like(overall, rows.take(np.sort(each))) for each in (lacking, order))
        slices = replace(slices, not_recorded=next(assessments), recorded_cases=next(assessments))
    slices = slices if pool is None or pooled is not None else slices.pool(pool)
    return slices if reference is None else slices.against(reference)


def _pooled_rows(
    rows: Predictions | OtherRows, fewer_than: int
) -> tuple[Predictions | OtherRows, PooledGroups | None]:
    """The rows with their small groups as one, before any is assessed; with the same groups where none is small."""
    assert rows.group is not None
    assert rows.groups is not None
    recorded = rows.group >= 0
    times = None if rows.frequency is None else rows.frequency[recorded]
    counts = np.bincount(rows.group[recorded], weights=times, minlength=len(rows.groups))
    cases = {label: int(n) for label, n in zip(rows.groups, counts.tolist(), strict=True)}
    pooled = PooledGroups.among(cases, fewer_than)
    group, groups = pooled.recoded(rows.group, rows.groups)
    return replace(rows, group=group, groups=groups), pooled


def _like(overall: Assessment, rows: Predictions | OtherRows) -> Assessment:
    """Return the assessment of some of the rows, at the threshold of all of them."""
    if not isinstance(rows, Predictions):
        return rows.assessed_like(overall)
    how: dict[str, Any] = {name: getattr(overall, name) for name in ("level", "seed", "interval")}
    how["threshold"] = overall.cutoff
    assessment = of_predictions(rows, **how)
    if overall.confusion_matrix is None:  # scores that only here all lie in [0, 1] give no threshold
        assessment = assessment.changed(confusion_matrix=None, cutoff=None)
    return assessment if not overall.is_binary else assessment.changed(cutoff_chosen=overall.cutoff_chosen)
