"""Models compared in each group of cases, and whether the groups differ; the gate of a model's last period."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import Policy
from classay.assessment.assessing import assess, checked_rows, how_to_assess, of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.compared_groups import PooledGroups
from classay.assessment.over_time import Per, dates_of, last_days, name_of_period, periods_and_names
from classay.assessment.segments import Segments, columns_of, find_segments, names_within, refuse_dependent
from classay.assessment.slices import of_groups
from classay.comparison.by_group import (
    GroupComparisons,
    GroupDifference,
    adjusted_together,
    interaction,
    with_groups,
)
from classay.comparison.cases.compare_assessments import compare_unpaired
from classay.comparison.cases.compare_panel import ComparedMeasures, Models, joint_in
from classay.comparison.cases.difference import undefined
from classay.comparison.cases.model_columns import compared_rows, first_frame, panel_from
from classay.comparison.cases.panel import MEASURE, right_answers
from classay.comparison.comparison import Alternative, Comparison, adjusted
from classay.comparison.comparisons import Comparisons, Deferred, in_direction
from classay.comparison.gate_rules import Gate, Rule, apply_rule, check_rule, interval_level
from classay.comparison.leaderboard import JointValues, standard_errors
from classay.compiled import one_after_another
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.kinds import checked, refuse_unknown
from classay.measures import Measure, get
from classay.tables.sums import sum_by_halves


def measures_by_group(panel: Models) -> list[str]:
    """What is compared in groups unasked: one measure of each kind, because every one more is one test more a group."""
    return panel.default_measures(most=1)


def compare_groups(
    whole: Comparisons,
    panel: Models,
    wanted: ComparedMeasures,
    by: str,
    *,
    adjustment: str,
    alternative: Alternative,
    level: float,
) -> GroupComparisons:
    """Comparisons of all cases with those of each group of the panel, adjusted together."""
    of_intervals = wanted.asked.level
    if wanted.method_of_all is not None:
        raise InputError(
            f"the method {wanted.method_of_all.name!r} holds for all models on the same cases, not for groups: leave "
            "method or by out."
        )
    improper = {
        each.name
        for each in wanted.measures
        if each.losses is not None and not panel.have_probabilities([*(panel.scores or panel.class_scores)])
    }
    each_wanted: tuple[Measure | Costs, ...] = (*wanted.costs, *wanted.measures)

    def found_in(label: Hashable, cases: Models) -> GroupFound:
        part = wanted.in_order(cases, panel.n)
        each = tuple(
            undefined(one.models, one.measure, "the scores of all cases are no probabilities")
            if one.measure in improper
            else one
            for one in wanted.pairs_in(part)
        )
        joint = {
            MEASURE if isinstance(one, Costs) else one.name: joint_in(part, one, wanted.asked.seed)
            for one in each_wanted
        }
        return GroupFound(label, part.n, each, joint)

    with one_after_another(len(panel.groups)):
        parts = [found_in(label, cases) for label, cases in panel.by_group()]
    asked = replace(wanted.asked, level=level_for(of_intervals, len(parts)))
    wide = replace(wanted, asked=asked)

    def simultaneous() -> list[Comparison]:
        return [one for _, each in panel.by_group() for one in wide.pairs_in(wide.in_order(each, panel.n))]

    return of_parts(whole, by, parts, panel.emptied, Deferred(simultaneous), adjustment, alternative, level)


def pooled_groups(panel: Models, fewer_than: int) -> tuple[Models, PooledGroups]:
    """The panel with its small groups as one, and which these are."""
    assert panel.group is not None
    times = np.bincount(panel.group, panel.frequency, len(panel.groups)).round().astype(int).tolist()
    pooled = PooledGroups.among(dict(zip(panel.groups, times, strict=True)), fewer_than)
    group, groups = pooled.recoded(panel.group, panel.groups)
    return replace(panel, group=group, groups=groups), pooled


def level_for(level: float, groups: int) -> float:
    """The level of intervals that hold for all groups at once, by Bonferroni."""
    return 1 - (1 - level) / max(1, groups)


@dataclass(frozen=True)
class GroupFound:
    """What was found of the cases of a group: comparisons that are not adjusted, values with their spread."""

    label: Hashable
    cases: int
    each: tuple[Comparison, ...]
    joint: Mapping[str, JointValues | str]


def of_parts(
    whole: Comparisons,
    by: str,
    parts: Sequence[GroupFound],
    emptied: tuple[Hashable, ...],
    simultaneous: Sequence[Comparison],
    adjustment: str,
    alternative: Alternative,
    level: float,
) -> GroupComparisons:
    """The comparisons of all groups adjusted together, with a test of interaction for each measure and pair."""
    flat = tuple(one for part in parts for one in part.each)
    together = replace(whole, each=tuple(adjusted(flat, adjustment)), leaderboards=(), shows_pairs=True)
    made = iter(in_direction(together, alternative, adjustment, level))
    groups = [(part.label, part.cases, [next(made) for _ in part.each]) for part in parts]
    asked = dict.fromkeys((one.measure, one.models) for one in flat)
    tests = [
        interaction((a, b), name, {part.label: difference_of(part.joint[name], (a, b)) for part in parts})
        for name, (a, b) in asked
    ]
    return with_groups(whole, by, groups, adjusted_together(tests, adjustment), emptied, simultaneous)


def difference_of(joint: JointValues | str, models: Sequence[str]) -> GroupDifference | str:
    """The difference of two models in a group with its variance, or why it has none."""
    if isinstance(joint, str):
        return joint
    absent = dict(joint.absent)
    if missing := next((name for name in models if name not in joint.names), None):
        return absent.get(missing, "a model has no value")
    i, j = map(joint.names.index, models)
    errors: Any = standard_errors(joint.covariance, joint.values)
    if joint.degrees_apart is not None:
        degrees = joint.degrees_apart(i, j)
    else:
        degrees = joint.degrees if isfinite(joint.degrees) else joint.units.number - 1
    return GroupDifference(float(joint.values[i] - joint.values[j]), float(errors[i, j]) ** 2, degrees)


def compare_segments(
    models: Any, columns: Mapping[str, Any], policy: Policy, measures: Sequence[Any] | None, level: float
) -> Segments:
    """Where the first of two models is surely worst beside the second, of the unused columns of a frame."""
    if columns["truth"] is None:
        raise InputError(
            "by='*' looks through the unused columns of a frame: pass a frame, with truth= and scores= as names of its "
            "columns, or name the groups, by=column."
        )
    refuse_dependent(weight=columns["weight"], cluster=columns["cluster"])
    wanted = [get(each) for each in measures or ["accuracy"] if not isinstance(each, Costs)]
    if len(wanted) != 1 or "share of right answers" not in wanted[0].traits:
        raise InputError(
            "by='*' counts right answers: name one measure of accuracy, recall and specificity; for others name the "
            "groups, by=column (--by column)."
        )
    searched = columns_of(first_frame(models), names_within(columns))
    panel = panel_from(models, columns, policy)
    rows = compared_rows(models, columns, policy)
    if rows.size != panel.truth.size:
        raise InputError("some rows have a frequency of 0: leave them out before by='*' looks for segments.")
    if len(panel.names) != 2 or len(panel.predicted) != 2:
        raise InputError(
            f"by='*' compares the labels of two models, and {len(panel.predicted)} of {len(panel.names)} have some: "
            "name two with labels, or with scores and a threshold."
        )
    values = right_answers(panel, wanted[0])
    if isinstance(values, str):
        raise InputError(f"by='*' cannot look for segments: {values}.")
    right = {name: np.asarray(each, bool) for name, each in values[0].items()}
    return find_segments(
        searched.taken(rows),
        right,
        measure=wanted[0].name,
        among=None if values[1].all() else values[1],
        frequency=panel.frequency,
        level=level,
    )


Array = NDArray[Any]


@checked
def gate_over_time(
    y_true: Any,
    y_score: Any = None,
    *,
    time: Any,
    per: Per = "day",
    measure: str,
    margin: float | None = None,
    rule: Rule | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    **columns: Any,
) -> Gate:
    """Whether the last complete period is worse than all earlier ones together by more than the margin.

    Without a `rule` the gate fails where that is shown (the high end of the interval of the difference, turned so that
    more is better, is below -margin), passes where it is shown not to be (the low end is above), and cannot tell
    between. With a rule it is that of `gate`: "non-inferior" fails in between too. `time`, `per` and all other
    arguments are those of `assess_over_time`. A period is complete when its last day occurs, or a later one. Raises
    InputError as `assess_over_time` does, for a single complete period, and for clusters with cases in both parts.

    >>> days = [f"2026-03-0{day}" for day in (1, 2, 3, 4) for _ in range(100)]
    >>> y = [k % 2 for k in range(400)]
    >>> called = [truth if k % 100 < (90 if k < 300 else 60) else 1 - truth for k, truth in enumerate(y)]
    >>> found = gate_over_time(y, y_pred=called, time=days, measure="accuracy", margin=0.05)
    >>> found.verdict, found.comparison.models
    (<Verdict.FAIL: 'fail'>, ('2026-03-04', '2026-03-01 to 2026-03-03'))
    """
    known = [*signature(assess).parameters, *signature(gate_over_time).parameters]
    refuse_unknown("gate_over_time", columns, dict.fromkeys(known))
    check_rule(rule or "non-inferior", margin)
    if isinstance(time, str) and columns.get("truth") is not None:
        from classay.sources.frames import columns_of_roles

        time = columns_of_roles(y_true, {"time": time})["time"]
    parts = last_and_earlier(
        y_true, y_score, time=time, per=per, how=how_to_assess(threshold, level, seed), **columns
    )
    return gate_of_periods(parts, measure, margin, rule, level)


def last_and_earlier(
    y_true: Any, y_score: Any = None, *, time: Any, per: Per, how: Mapping[str, Any], **columns: Any
) -> dict[str, Assessment]:
    """The last complete period that has labels, and all earlier ones together, by their names. Raises InputError."""
    when, names = periods_and_names(time, per)
    rows = checked_rows(y_true, y_score, by=when, **columns)
    word = "period" if names.dtype.kind in "iu" else per
    found: dict[Any, Assessment] = dict(of_groups(rows, of_predictions(rows, **how), word).groups)
    incomplete = "" if is_complete(time, names[-1], per) else name_of_period(names[-1], per)
    if incomplete:
        found.pop(names.size - 1, None)
    if len(found) < 2:
        also = f" ({incomplete} is not: its last day does not occur)" if incomplete else ""
        raise InputError(
            f"the last complete {word} is held against earlier ones, and "
            f"{'none is' if not found else 'only 1 is'} complete with labels{also}: pass more rows, or a shorter "
            "per (--per)."
        )
    places = [*found]
    first, before, last = (name_of_period(names[k], per) for k in (places[0], places[-2], places[-1]))
    parts = [found[k] for k in places[:-1]]
    earlier = sum_by_halves(parts, sum(a.rows for a in parts))
    return {last: found[places[-1]], first if first == before else f"{first} to {before}": earlier}


def is_complete(time: Any, period: Any, per: Per) -> bool:
    """Whether the last day of a period occurs among the times, or a later one.

    >>> april = np.datetime64("2026-04")
    >>> [is_complete(["2026-04-01", day], april, "month") for day in ("2026-04-29", "2026-04-30")]
    [False, True]
    """
    if np.asarray(period).dtype.kind in "iu" or per == "day":
        return True
    ends = last_days(dates_of(time)).max()
    if per == "week":
        return bool(ends >= period + np.timedelta64(6, "D"))
    last = np.asarray(period + np.timedelta64(2 if per == "quarter" else 0, "M"))
    return bool(ends >= last_days(last))


def gate_of_periods(
    parts: Mapping[str, Assessment], measure: str, margin: float | None, rule: Rule | None, level: float
) -> Gate:
    """The rule held against the last period and the earlier ones; without one, what is not shown cannot be told."""
    used: Rule = rule or "non-inferior"
    found = compare_unpaired(parts, [measure], level=interval_level(used, level))
    return replace(apply_rule(found[0], used, margin), open_cannot_tell=rule is None)
