"""Demands on costs, in the grammar of requirements: "expected_cost <= 0.4", "saving_over_none.low > 0"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from classay.assessment.shifted import Shifted
from classay.assessment.slices.slices import Slices, without_group
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


def known(names: Sequence[str], costs: Costs | None, columns: Sequence[str] = ()) -> None:
    """Refuse names that nothing is known of, costs that none of them depends on, and names of costs without any.

    `columns` are those whose labels make groups, `recall[region=north]`. Raises InputError, or UnknownMeasureError.
    """
    names = [without_group(name, columns)[1] for name in names]
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
    demands: Iterable[Requirement],
    a: Assessment | Slices | Shifted,
    costs: Costs | None,
    shifted: Shifted | None = None,
) -> list[Outcome]:
    """How requirements of an assessment come out, of its groups, or of one at another prevalence, which each then says.

    `shifted` stands in for all cases of groups. Requirements of costs say whose cost nobody named.
    """
    found = []
    for each in demands:
        part, name = a.addressed(each.name) if isinstance(a, Slices) else (a, each.name)
        if shifted is not None and isinstance(a, Slices) and part is a.overall:
            part = shifted
        notes = (
            f"at a prevalence of {part.prevalence:g}" if isinstance(part, Shifted) else "",
            costs.unnamed if costs is not None and name in OF_COSTS else "",
        )
        made = outcome(each, _estimate(part, name, costs))
        found.append(replace(made, note="; ".join(filter(None, notes))))
    return found


def _estimate(a: Assessment | Shifted, name: str, costs: Costs | None) -> Estimate:
    """The estimate that a requirement names: a measure, or what the labels of the assessment cost."""
    if costs is not None and name in OF_COSTS:
        cost: Estimate = getattr(a.expected_cost(costs), OF_COSTS[name])
        return cost
    return a.estimate(name)
