"""Models compared in each group of cases: it is tested whether their difference depends on the group."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from classay.answers import AnswerPolicy
from classay.assessment.bands import Bands, banded, in_bands, warned_of_numbers
from classay.assessment.group_labels import refuse_many_groups, refuse_measured_groups
from classay.column_names import LOOK
from classay.comparison.cases.case_values import MEASURE, proportion_values
from classay.comparison.cases.compare_panel import ComparedMeasures, joint_in
from classay.comparison.cases.difference import undefined
from classay.comparison.cases.model_columns import (
    AllRows,
    compared_rows,
    first_frame,
    groups_of,
    panel_from,
    refuse_contradictions,
)
from classay.comparison.cases.other_panel import Models
from classay.comparison.cases.panel_columns import GroupColumn
from classay.comparison.comparing import compared_in_panel, judged, panel_of_models, refuse
from classay.comparison.comparison import Comparison, adjusted
from classay.comparison.comparisons import Comparisons, LazyList, in_direction
from classay.comparison.leaderboard import JointValues, standard_errors
from classay.comparison.ways import Question, WayToCompare
from classay.compiled import one_after_another
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.groups.by_group import GroupComparisons, with_groups
from classay.groups.compared_groups import PooledGroups
from classay.groups.interactions import ModelDifference, adjusted_together, interaction
from classay.groups.segments import (
    STAR,
    Segments,
    columns_of,
    find_segments,
    names_within,
    refuse_dependent,
    without_truth,
)
from classay.kinds import Alternative, Rule
from classay.measures import Measure, get
from classay.sources.inputs import columns_of_roles, orders_by_id
from classay.texts import hint

if TYPE_CHECKING:
    from classay.comparison.cases.graded import Grades


def measures_by_group(panel: Models) -> list[str]:
    """Return the measures compared in groups by default: one of each kind, because each adds a test for every group."""
    return panel.default_measures(most=1)


def compare_groups(
    overall: Comparisons,
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
            f"Method {wanted.method_of_all.name!r} compares all models on the same cases and cannot be used in "
            "groups. Remove the method or by."
        )
    improper = {
        measure.name
        for measure in wanted.measures
        if measure.losses is not None
        and not panel.have_probabilities([*(panel.scores or panel.class_scores)])
    }
    each_wanted: tuple[Measure | Costs, ...] = (*wanted.costs, *wanted.measures)

    def found_in(label: Hashable, cases: Models) -> GroupFound:
        part = wanted.in_order(cases, panel.n)
        tests = tuple(
            undefined(one.models, one.measure, "the scores of all cases are not probabilities")
            if one.measure in improper
            else one
            for one in wanted.pairs_in(part)
        )
        joint = {
            MEASURE if isinstance(one, Costs) else one.name: joint_in(part, one, wanted.asked.seed)
            for one in each_wanted
        }
        return GroupFound(label, part.n, tests, joint)

    rest = panel.not_recorded()
    with one_after_another(len(panel.groups)):
        parts = [found_in(label, cases) for label, cases in panel.by_group()]
        not_recorded = None if rest is None else found_in(None, rest)
    request = replace(wanted.asked, level=level_for(of_intervals, len(parts)))
    wide = replace(wanted, asked=request)

    def simultaneous() -> list[Comparison]:
        return [one for _, part in panel.by_group() for one in wide.pairs_in(wide.in_order(part, panel.n))]

    surest = LazyList(simultaneous)
    return of_parts(
        overall, by, parts, panel.emptied, surest, adjustment, alternative, level, not_recorded=not_recorded
    )


def pooled_groups(panel: Models, fewer_than: int) -> tuple[Models, PooledGroups]:
    """Return the panel with its small groups as one, and which these are."""
    assert panel.group is not None
    there = panel.group >= 0
    frequency = None if panel.frequency is None else panel.frequency[there]
    times = np.bincount(panel.group[there], frequency, len(panel.groups)).round().astype(int).tolist()
    pooled = PooledGroups.among(dict(zip(panel.groups, times, strict=True)), fewer_than)
    group, groups = pooled.recoded(panel.group, panel.groups)
    return replace(panel, group=group, groups=groups), pooled


def level_for(level: float, groups: int) -> float:
    """Return the level of intervals that hold for all groups at once, by Bonferroni."""
    return 1 - (1 - level) / max(1, groups)


@dataclass(frozen=True)
class GroupFound:
    """What was found of the cases of a group: comparisons that are not adjusted, values with their spread."""

    label: Hashable
    cases: int
    comparisons: tuple[Comparison, ...]
    joint: Mapping[str, JointValues | str]


def of_parts(
    overall: Comparisons,
    by: str,
    parts: Sequence[GroupFound],
    emptied: tuple[Hashable, ...],
    simultaneous: Sequence[Comparison],
    adjustment: str,
    alternative: Alternative,
    level: float,
    *,
    not_recorded: GroupFound | None = None,
) -> GroupComparisons:
    """Return the comparisons of all groups adjusted together, with a test of interaction for each measure and pair.

    The cases that are `not_recorded` are compared as a group is, and are in no family and no test of interaction.
    """
    flat = tuple(one for part in parts for one in part.comparisons)
    together = replace(
        overall, comparisons=tuple(adjusted(flat, adjustment)), leaderboards=(), shows_pairs=True
    )
    directed = iter(in_direction(together, alternative, adjustment, level))
    groups = [(part.label, part.cases, [next(directed) for _ in part.comparisons]) for part in parts]
    pairs = dict.fromkeys((one.measure, one.models) for one in flat)
    tests = [
        interaction((a, b), name, {part.label: difference_of(part.joint[name], (a, b)) for part in parts})
        for name, (a, b) in pairs
    ]
    numbers = warned_of_numbers([part.label for part in parts], by)
    overall = replace(overall, warnings=(*overall.warnings, *numbers))
    made_of_all = with_groups(
        overall, by, groups, adjusted_together(tests, adjustment), emptied, simultaneous
    )
    if not_recorded is None:
        return made_of_all
    alone = replace(
        together,
        comparisons=tuple(adjusted(not_recorded.comparisons, adjustment)),
        facts=(("cases", f"{not_recorded.cases:,}"),),
    )
    unrecorded = in_direction(alone, alternative, adjustment, level)
    return replace(made_of_all, not_recorded=unrecorded, cases_not_recorded=not_recorded.cases)


def difference_of(joint: JointValues | str, models: Sequence[str]) -> ModelDifference | str:
    """Return the difference of two models in a group with its variance, or why it has none."""
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
    return ModelDifference(float(joint.values[i] - joint.values[j]), float(errors[i, j]) ** 2, degrees)


def compare_segments(
    models: Any,
    columns: AllRows,
    policy: AnswerPolicy,
    measures: Sequence[Any] | None,
    level: float,
) -> Segments:
    """Find the segments, of the unused columns of a frame, in which the first of two models is surely worst."""
    if columns["truth"] is None:
        raise InputError(
            f"{STAR} searches the unused columns of a frame. Pass a frame, with the names of its columns in "
            f"truth= and scores=, or name the groups in {hint('by=', '--by')}."
        )
    refuse_dependent(columns["weight"], columns["cluster"])
    wanted = [get(measure) for measure in measures or ["accuracy"] if not isinstance(measure, Costs)]
    if len(wanted) != 1 or "share of right answers" not in wanted[0].traits:
        raise InputError(
            f"{STAR} compares accuracy, recall or specificity. Use one of them, or name the groups in "
            f"{hint('by=', '--by')} for other measures."
        )
    searched = columns_of(first_frame(models), names_within(columns))
    panel = panel_from(models, columns, policy)
    if first_frame(models) is not models:
        named = {} if columns["id"] is None else {"id": columns["id"]}
        ids = {str(name): columns_of_roles(frame, named)["id"] for name, frame in models.items() if named}
        refuse_contradictions(models, orders_by_id(ids, "drop") if ids else None, searched.codes)
    rows = compared_rows(models, columns, policy)
    if rows.size != panel.truth.size:
        raise InputError(f"Some rows have a frequency of 0. Exclude them before the search with {STAR}.")
    if len(panel.names) != 2 or len(panel.predicted) != 2:
        raise InputError(
            f"{STAR} compares the labels of two models, but {len(panel.predicted)} of {len(panel.names)} have "
            "labels. Name two models with labels, or with scores and a threshold."
        )
    values = proportion_values(panel, wanted[0])
    if values is None:
        raise InputError(
            f"{STAR} cannot search for subgroups in several classes, because {wanted[0].name} needs two classes."
        )
    right = {name: np.asarray(hits, bool) for name, hits in values[0].items()}
    return find_segments(
        without_truth(searched.taken(rows), panel.truth),
        right,
        measure=wanted[0].name,
        among=None if values[1].all() else values[1],
        frequency=panel.frequency,
        level=level,
    )


def values_by_group(
    comparisons: Comparisons,
    grades: Grades,
    groups: GroupColumn,
    bands: Mapping[str, Bands] | Bands | None,
    how: tuple[str | None, str, Alternative],
    levels: tuple[float, float],
) -> Comparisons:
    """The comparisons of all cases with those of each group; cases without one are compared beside the groups."""
    (control, adjustment, alternative), (both, asked_level), of_group = how, levels, groups.codes
    if (of_group < 0).all():
        raise InputError("No compared case has a recorded group. Check the column of groups.")
    times = None if grades.frequency is None else np.asarray(grades.frequency, np.float64)
    known = of_group >= 0
    cases = np.bincount(of_group[known], None if times is None else times[known], len(groups.labels))
    used = np.flatnonzero(cases > 0)
    labels, emptied = (
        tuple(groups.labels[k] for k in used),
        tuple(groups.labels[k] for k in np.flatnonzero(cases == 0)),
    )
    of_group = np.where(known, np.append(np.cumsum(cases > 0) - 1, -1)[of_group], -1)
    if bands is not None:
        in_ranges = banded(of_group, labels, times, emptied, groups.name, bands)
        of_group, labels, emptied = in_ranges.codes, in_ranges.labels, in_ranges.without_cases
        refuse_many_groups(len(labels), of_group.size, groups.name)
    grades_of = {label: grades.taken(np.flatnonzero(of_group == k)) for k, label in enumerate(labels)}

    def found_in(label: Hashable, part: Grades) -> GroupFound:
        return GroupFound(
            label, part.cases, tuple(part.pairs(control, both)), {grades.measure: part.joint()[0]}
        )

    parts = [found_in(label, part) for label, part in grades_of.items()]
    wide = level_for(both, len(parts))
    surest = LazyList(lambda: [one for part in grades_of.values() for one in part.pairs(control, wide)])
    ungrouped = grades.taken(np.flatnonzero(of_group < 0))
    in_groups = of_parts(
        comparisons,
        groups.name,
        parts,
        emptied,
        surest,
        adjustment,
        alternative,
        asked_level,
        not_recorded=found_in(None, ungrouped) if ungrouped.cases else None,
    )
    return replace(in_groups, gaps=groups.gaps)


def judged_in_groups(grouped: GroupComparisons, rule: Rule | None, margin: float | None) -> Comparisons:
    """Comparisons of all cases and of each group read by a rule, if there is one; each interval decides by itself."""
    read = judged(grouped, rule, margin)
    if rule is None:
        return read
    groups: dict[str, Any] = {
        "groups": {label: judged(in_group, rule, margin) for label, in_group in grouped.groups.items()}
    }
    return replace(read, **groups)


def _has_groups(_: Any, question: Question) -> bool:
    return question.rows["by"] is not None


def _answer_by_group(models: Any, question: Question) -> Comparisons:
    """Models on one test set, and in each group of its cases; or the segments in which the first is surely worst."""
    rows, measures = question.rows, question.measures
    by, pool, bands = (rows[name] for name in ("by", "pool", "bands"))
    columns = question.columns
    policy = AnswerPolicy.of(question.missing, rows["unanswered"])
    asked_level = question.nominal_level
    if isinstance(by, str) and by == LOOK:
        others = {"method": question.method, "control": question.control, "rule": question.rule}
        refuse(
            others | {"pool": pool, "bands": bands}, f"has no effect with {STAR}, which tests all subgroups"
        )
        segments = compare_segments(models, columns, policy, measures, asked_level)
        return cast(Comparisons, segments)  # the one answer that is none
    groups = groups_of(models, rows["truth"], by, may_be_many=pool is not None or bands is not None)
    assert groups is not None
    panel = panel_of_models(models, question, policy, groups)
    if bands is not None:
        panel = in_bands(panel, groups.name, bands)
    elif panel.group is not None:
        refuse_measured_groups(panel.group, panel.groups, groups.name)
    panel, pooled = (panel, None) if pool is None else pooled_groups(panel, pool)
    refuse_many_groups(len(panel.groups), len(groups), groups.name)
    question = replace(question, measures=measures or measures_by_group(panel))
    comparisons = compared_in_panel(panel, question)
    wanted = ComparedMeasures.of(
        panel,
        question.measures,
        question.method,
        question.control,
        question.interval_level,
        question.drawn_seed,
        len(panel.groups),
    )
    in_groups = compare_groups(
        comparisons,
        panel,
        wanted,
        groups.name,
        alternative=question.alternative,
        adjustment=question.adjustment,
        level=asked_level,
    )
    in_groups = replace(in_groups, pooled=pooled, gaps=groups.gaps)
    return judged_in_groups(in_groups, question.rule, question.margin)


BY_GROUP = WayToCompare(
    ("by", "pool", "bands"),
    "needs groups of cases, with their column in by=",
    _has_groups,
    _answer_by_group,
)
