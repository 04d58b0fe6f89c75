"""Demands on costs, in the grammar of requirements: "expected_cost <= 0.4", "saving_over_none.low > 0"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from classay.assessment.shifted import Shifted
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.requirements import Outcome, Requirement, outcome
from classay.measures import get

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.inference.estimate import Estimate

OF_COSTS = {
    "expected_cost": "per_case",
    "total_cost": "total",
    "total_saving_over_none": "total_saving_over_none",
    "total_saving_over_all": "total_saving_over_all",
    "normalised_expected_cost": "normalised",
    "saving_over_none": "saving_over_none",
    "saving_over_all": "saving_over_all",
}
"""What a requirement may name of costs, and where `ExpectedCost` has it."""


def known(names: Sequence[str], costs: Costs | None) -> None:
    """Refuse names that nothing is known of, costs that none of them depends on, and names of costs without any.

    Raises InputError, or UnknownMeasureError.
    """
    for name in names:
        if name not in OF_COSTS:
            get(name)
        elif costs is None:
            raise InputError(f"{name} needs to know what errors cost: pass --cost fp=1 --cost fn=5 (cost=).")
    if costs is not None and not {*names} & {*OF_COSTS}:
        raise InputError(
            f"nothing demanded depends on the costs: demand one of {', '.join(OF_COSTS)}, such as "
            "'expected_cost <= 0.4', or leave them out."
        )


def outcomes_of(
    demands: Iterable[Requirement], a: Assessment | Shifted, costs: Costs | None
) -> list[Outcome]:
    """How requirements of an assessment come out, or of one at another prevalence, which each then says.

    Those of costs say which error's cost nobody named.
    """
    estimate = _reader(a, costs)
    unnamed = "" if costs is None else costs.unnamed
    there = f"at a prevalence of {a.prevalence:g}" if isinstance(a, Shifted) else ""
    found = []
    for each in demands:
        notes = there, unnamed if each.name in OF_COSTS else ""
        found.append(replace(outcome(each, estimate(each.name)), note="; ".join(filter(None, notes))))
    return found


def _reader(a: Assessment | Shifted, costs: Costs | None) -> Callable[[str], Estimate]:
    """What gives the estimate that a requirement names: a measure, or what the labels of the assessment cost."""
    if costs is None:
        return a.estimate
    found = a.expected_cost(costs)

    def estimate(name: str) -> Estimate:
        if name in OF_COSTS:
            cost: Estimate = getattr(found, OF_COSTS[name])
            return cost
        return a.estimate(name)

    return estimate
