"""Assessments from labels added: later labels of the same plan, or the labels of another pool."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.parts import Sampling
from classay.errors import MergeError
from classay.label.planning import LabelPlan

if TYPE_CHECKING:
    from classay.label.labeled import LabeledAssessment


def added(first: LabeledAssessment, second: Any) -> LabeledAssessment:
    """Return the assessment from the labels of both. Raises MergeError where they differ in more than their labels."""
    if type(second) is not type(first):
        raise MergeError("Only assessments from plans of labels can be added. Pass two of them.")
    for name in ("positive", "level", "is_finite"):
        if getattr(first, name) != getattr(second, name):
            raise MergeError(
                f"{name} is {getattr(first, name)} and {getattr(second, name)}. Use the same for both assessments."
            )
    if first.plan.pool == second.plan.pool:
        return _of_one_pool(first, second)
    for name in ("threshold", "half_width", "is_of_flagged"):
        values = getattr(first.plan, name), getattr(second.plan, name)
        if values[0] != values[1]:
            raise MergeError(f"{name} of the plans is {values[0]} and {values[1]}. Use plans that agree.")
    return _of_two_pools(first, second)


def _of_one_pool(first: LabeledAssessment, second: LabeledAssessment) -> LabeledAssessment:
    plans = sorted((first.plan, second.plan), key=lambda plan: plan.rows.size)
    size = plans[0].rows.size
    if not np.array_equal(plans[0].rows, plans[1].rows[:size]):
        raise MergeError(
            "The assessments have different plans of one pool. Add labels of the same plan only."
        )
    one, two = first.matched, second.matched
    if one.known_rows.size or two.known_rows.size:
        raise MergeError(
            "Labels of another process cannot be added to those of the same pool. Assess all labels together."
        )
    values: dict[int, bool] = dict(zip(one.at.tolist(), one.truths.tolist(), strict=True))
    for place, truth in zip(two.at.tolist(), two.truths.tolist(), strict=True):
        if values.setdefault(place, truth) != truth:
            raise MergeError(f"Row {plans[1].rows[place]:,} has two different labels. Keep one of them.")
    matched = replace(
        one,
        at=np.array([*values], np.int64),
        truths=np.array([*values.values()], bool),
        not_drawn=max(one.not_drawn, two.not_drawn),
    )
    unsure = min(one.unsure + two.unsure, int(matched.lacking(plans[1]).sum()))  # others have a label by now
    return replace(
        first, sampling=Sampling(design=plans[1]), matched=replace(matched, unsure=unsure), outcomes=()
    )


def _of_two_pools(first: LabeledAssessment, second: LabeledAssessment) -> LabeledAssessment:
    one, two = first.matched, second.matched
    if {*first.plan.pools} & {*second.plan.pools}:
        raise MergeError("Both assessments have the cases of one pool. Add assessments of different cases.")
    shift, count = first.plan.n_cases, len(first.plan.strata)
    matched = replace(
        one,
        at=np.append(one.at, two.at + first.plan.rows.size),
        truths=np.append(one.truths, two.truths),
        not_drawn=one.not_drawn + two.not_drawn,
        unsure=one.unsure + two.unsure,
        known_rows=np.append(one.known_rows, two.known_rows + shift),
        known_places=np.append(one.known_places, two.known_places + count),
        known_truths=np.append(one.known_truths, two.known_truths),
    )
    together = Sampling(design=joined(first.plan, second.plan))
    return replace(first, sampling=together, matched=matched, outcomes=())


def joined(first: LabelPlan, second: LabelPlan) -> LabelPlan:
    """Return the plan of two pools together, the rows of the second after those of the first."""
    return replace(
        first,
        rows=np.append(first.rows, second.rows + first.n_cases),
        stratum=np.append(first.stratum, second.stratum + len(first.strata)),
        scores=np.concatenate([first.scores, second.scores]),
        strata=(*first.strata, *second.strata),
        measures=tuple(dict.fromkeys((*first.measures, *second.measures))),
        pool=f"{first.pool}+{second.pool}",
        waves=(*first.waves, *second.waves),
        expected={},
        others={},
        expected_if_not_calibrated={},
        warnings=(),
    )
