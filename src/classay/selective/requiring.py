"""Requirements on what may be decided alone, such as "coverage(error_rate <= 0.05) >= 0.4"; what limits are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from classay.assessment.assessment import Assessment
from classay.assessment.required import DemandOfParts
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.requirements import Outcome, Requirement, outcome
from classay.measures.vocabulary import read_name
from classay.selective.demand import Demand
from classay.selective.guaranteeing import ranked_of
from classay.texts import hint


def demanded(name: str) -> DemandOfParts | None:
    """Return what a requirement on guaranteed coverage is of; None where a name is none.

    Raises InputError for a guarantee that cannot be read.
    """
    written = read_name(name)
    if written is None or written.name != "coverage" or not written.called:
        return None
    if len(written.values) != 1 or written.named or written.brackets:
        raise InputError(f"{name} needs one guarantee. Write coverage(error_rate <= 0.05), for example.")
    demand = Demand.of(written.values[0])

    def outcome_of(a: Any, requirement: Requirement) -> Outcome:
        return guaranteed(a, demand, requirement)

    return DemandOfParts("", lambda: (0.0, 1.0), outcome_of, compares_groups=False)


def guaranteed(a: Any, demand: Demand, requirement: Requirement) -> Outcome:
    """Hold a requirement against the guaranteed coverage of an assessment, which has no interval."""
    if requirement.part != "value":
        raise InputError(
            f"Guaranteed coverage has no interval. Write {requirement.name} instead of "
            f"{requirement.name}.{requirement.part}."
        )
    if not isinstance(a, Assessment):
        raise InputError(
            f"{requirement.name} cannot be estimated at another prevalence. Remove "
            f"{hint('`at_prevalence`', '--prevalence')} or the requirement."
        )
    guarantee = ranked_of(a, demand)
    outcome_of = outcome(requirement, Estimate.bare(guarantee.coverage, "guaranteed, without an interval"))
    note = f"guaranteed at a confidence level of {100 * guarantee.level:g}%"
    return replace(outcome_of, note=note if guarantee.decided else "no threshold meets the guarantee")


def worth_of_limits(conditions: Iterable[Requirement]) -> Iterator[str]:
    """Yield what a limit at a chosen threshold promises (simulated in tests/selective/test_guarantee_coverage.py)."""
    for condition in conditions:
        if condition.part != ("low" if condition.operator[0] == ">" else "high"):
            continue
        if condition.name not in ("precision", "false_discovery_rate"):
            yield f"{condition} is not adjusted for the choice of the threshold, so it is a filter, not a guarantee."
            continue
        written = replace(condition, part="value")
        todo = hint(
            f"Use guarantee='{written}' for a guarantee.", f"Use --guarantee '{written}' for a guarantee."
        )
        yield (
            f"{condition} is a filter, not a guarantee: if no threshold is better than {condition.bound:g}, 6 to 16 of "
            f"100 samples have one that passes. {todo}"
        )
