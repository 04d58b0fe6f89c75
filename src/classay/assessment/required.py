"""Requirements of measures, of groups of cases and of costs: what they may name, and how they come out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from classay.assessment.assessment import Assessment
from classay.assessment.perspectives import PrevalenceAdjusted
from classay.decision.costs import Costs
from classay.errors import InputError, UnknownMeasureError
from classay.inference.estimate import Estimate
from classay.inference.requirements import Outcome, Requirement, outcome, range_of, refuse_beyond
from classay.measures import get
from classay.measures.vocabulary import pairs_of, read_name
from classay.texts import hint
from classay.wings import altered, ways_of

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


@runtime_checkable
class InParts(Protocol):
    """An assessment of all cases and of parts of them, of which a requirement may name one."""

    @property
    def overall(self) -> Assessment:
        """The assessment of all cases."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose labels make the parts."""

    def addressed(self, name: str) -> tuple[Assessment, str]:
        """Return the assessment that a name of a measure is about, and the name without its part."""

    def named_alike(self, name: str) -> str:
        """The right way to write a name that means a part where a class was meant, or the reverse; else empty."""


@dataclass(frozen=True)
class DemandOfParts:
    """What a requirement may name beside measures, which a wing knows (ways of "require").

    `measure` is what it is of, if of one; `range` the least and the greatest value; `outcome` how a requirement comes
    out, of the parts of the cases together, or of one assessment where it does not compare groups.
    """

    measure: str
    range: Callable[[], tuple[float, float]]
    outcome: Callable[[Any, Requirement], Outcome]
    compares_groups: bool = True


def demanded_of_parts(name: str) -> DemandOfParts | None:
    """Return what a name means beside measures; None where it is of no such kind.

    Raises InputError for a name that is not understood.
    """
    meanings = (read(name) for read in ways_of("require"))
    return next((meaning for meaning in meanings if meaning is not None), None)


def known(demands: Sequence[str | Requirement], costs: Costs | None, columns: Sequence[str] = ()) -> None:
    """Refuse requirements on unknown names, costs that no requirement uses, and names of costs without any costs.

    A bound outside the range of what it asks is refused too: it asks nothing, or what cannot be. `columns` are those
    whose labels make groups, `recall[region=north]`. Raises InputError, or UnknownMeasureError.
    """
    names = []
    altered("demand.of groups", None, demands, columns)
    for demand in demands:
        name = without_group(demand if isinstance(demand, str) else demand.name, columns)[1]
        names.append(name)
        if (of_parts := demanded_of_parts(name)) is not None:
            if of_parts.compares_groups and not columns:
                raise InputError(
                    f"{name} compares groups. Set the column of groups with {hint('by=', '--by COLUMN')}."
                )
            if of_parts.measure:
                get(of_parts.measure)
        elif name not in OF_COSTS:
            get(name)
        elif costs is None:
            raise InputError(f"{name} needs costs. Use {hint('cost=', '--cost fp=1 --cost fn=5')}.")
        if isinstance(demand, Requirement) and name not in OF_COSTS:
            refuse_beyond(demand, *(range_of(name) if of_parts is None else of_parts.range()))
    if costs is not None and not {*names} & {*OF_COSTS}:
        raise InputError(
            "Costs have no effect on these requirements. Remove them, or require one of "
            f"{', '.join(OF_COSTS)}, such as 'expected_cost <= 0.4'."
        )


def outcomes_of(
    demands: Iterable[Requirement],
    a: Assessment | InParts | PrevalenceAdjusted,
    costs: Costs | None,
    shifted: PrevalenceAdjusted | None = None,
) -> list[Outcome]:
    """How requirements of an assessment come out, of its groups, or of one at another prevalence, which each then says.

    `shifted` stands in for all cases of groups. Requirements of costs say whose cost nobody named.
    """
    outcomes = []
    for demand in altered("demand.of each", demands, a):
        part, name = a.addressed(demand.name) if isinstance(a, InParts) else (a, demand.name)
        of_parts = demanded_of_parts(name)
        if of_parts is not None and (isinstance(a, InParts) or not of_parts.compares_groups):
            outcomes.append(of_parts.outcome(a if of_parts.compares_groups else part, demand))
            continue
        if shifted is not None and isinstance(a, InParts) and part is a.overall:
            part = shifted
        is_all = isinstance(a, InParts) and without_group(demand.name, a.columns)[0] is None
        notes = (
            ALL_CASES if is_all else "",
            f"at a prevalence of {part.prevalence:g}" if isinstance(part, PrevalenceAdjusted) else "",
            costs.unnamed if costs is not None and name in OF_COSTS else "",
        )
        try:
            judgment = outcome(demand, _estimate(part, name, costs))
        except (InputError, UnknownMeasureError) as error:
            more = a.named_alike(demand.name) if isinstance(a, InParts) else ""
            if not more:
                raise
            raise type(error)(f"{str(error).rstrip('.')}. {more}") from error
        outcomes.append(replace(judgment, note="; ".join(filter(None, notes))))
    return outcomes


def _estimate(a: Assessment | PrevalenceAdjusted, name: str, costs: Costs | None) -> Estimate:
    """Return the estimate that a requirement names: a measure, or what the labels of the assessment cost."""
    if costs is not None and name in OF_COSTS:
        cost: Estimate = getattr(a.expected_cost(costs), OF_COSTS[name])
        return cost
    return a.estimate(name)


ALL_CASES = "all cases together"
"""Which cases a requirement without a group is for, beside groups."""


def without_group(name: str, columns: Sequence[str]) -> tuple[Hashable | None, str]:
    """Return the group that the name of a measure ends with, None where it has none, and the name without.

    >>> without_group("recall[other][sex=f, age=1]", ("sex", "age")), without_group("recall[other]", ("sex",))
    ((('f', '1'), 'recall[other]'), (None, 'recall[other]'))
    """
    written = read_name(name)
    labels = pairs_of(written.brackets[-1], columns) if written is not None and written.brackets else None
    if written is None or labels is None:
        return None, name
    return labels[0] if len(labels) == 1 else tuple(labels), written.without_last
