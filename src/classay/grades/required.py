"""Requirements of one run, such as "grade.low >= 0.7 and pass@2.low >= 0.8"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from classay.assessment.required import without_group
from classay.errors import InputError
from classay.grades.assessing import GradesAssessment
from classay.inference.estimate import Estimate
from classay.inference.requirements import Outcome, Requirement, outcome, parse, refuse_beyond
from classay.texts import cut, hint, some
from classay.wings import altered

GRADE, VARYING, OF_GROUPS = "grade", "varying", "mean_of_groups"
_PASS = re.compile(r"\bpass([@^])(\d{1,6})\b")
_WRITTEN = re.compile(r"pass_(any|all)\((\d+)\)")
_NAMES = {"@": "any", "^": "all"}
_MARKS = {name: mark for mark, name in _NAMES.items()}


def demands_in(texts: Sequence[str]) -> list[Requirement]:
    """Return the requirements of texts, in which pass@2 and pass^2 are names.

    >>> [str(demand) for demand in demands_in(["grade.low >= 0.7 and pass@2.low >= 0.8"])]
    ['grade.low >= 0.7', 'pass@2.low >= 0.8']
    """
    written = [_PASS.sub(lambda match: f"pass_{_NAMES[match[1]]}({match[2]})", text) for text in texts]
    return [
        replace(demand, name=_WRITTEN.sub(lambda match: f"pass{_MARKS[match[1]]}{match[2]}", demand.name))
        for text in written
        for demand in parse(text)
    ]


def passes_of(demands: Sequence[Requirement]) -> list[int]:
    """Return the numbers of answers that requirements name."""
    return sorted({int(match[2]) for demand in demands if (match := _PASS.fullmatch(demand.name))})


def outcomes_of(demands: Sequence[Requirement], a: GradesAssessment) -> list[Outcome]:
    """Return how requirements of a run come out. Raises InputError for a name or a bound that it cannot have."""
    groups = () if a.groups is None else tuple(one.group for one in a.groups.groups)
    every = altered("demand.each group", demands, () if a.groups is None else (a.groups.by,), groups)
    return [outcome(demand, _estimate(demand, a)) for demand in every]


def _estimate(demand: Requirement, a: GradesAssessment) -> Estimate:
    """Return the estimate that a requirement names."""
    bounds = a.run.mapped.bounds
    group, name = without_group(demand.name, () if a.groups is None else (a.groups.by,))
    if name == GRADE and bounds is not None:
        refuse_beyond(demand, *bounds)
    elif name == VARYING or _PASS.fullmatch(name):
        refuse_beyond(demand, 0.0, 1.0)
    if group is not None and name == GRADE and a.groups is not None:
        known = {one.group: one.mean for one in a.groups.groups}
        label = group[1] if isinstance(group, tuple) else group
        if label in known:
            return known[label]
        raise InputError(
            f"No group of {a.groups.by} is {cut(repr(label), 40)}. Groups: {some([str(one) for one in known])}."
        )
    estimates = {GRADE: a.mean, VARYING: a.varying}
    if a.groups is not None:
        estimates[OF_GROUPS] = a.groups.overall
    for rate in a.passing:
        estimates |= {f"pass@{rate.k}": rate.any_passes, f"pass^{rate.k}": rate.all_pass}
    if name in estimates and group is None:
        return estimates[name]
    raise InputError(
        f"A run of grades has no {cut(repr(demand.name), 60)}. Available: {some([*estimates])}. "
        + hint("Groups need by=.", "Groups need --by, as in 'grade[kind=a].low >= 0.5'.")
    )
