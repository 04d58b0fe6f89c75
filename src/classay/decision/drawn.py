"""What a decision shows of other thresholds: the objective and the counts at each, and which would be best if."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.curves.operating import OperatingPoints
from classay.decision.cuts import Cuts, Sums, mean_cost_at, threshold_of
from classay.decision.decision import Change
from classay.decision.least_cost import least_cost_cut
from classay.decision.rules import NOT_ANY, Rule, value_of
from classay.errors import InputError
from classay.inference.words import spoken
from classay.measures import get
from classay.tables import ScoreTable

if TYPE_CHECKING:
    from classay.decision.choosing import Chosen

Array = NDArray[Any]


def objective_of(rule: Rule) -> str:
    """What a rule makes least or greatest, in words; of a capacity alone the precision."""
    if rule.cost is not None:
        return "cost of a case"
    return "precision" if rule.measure is None else spoken(rule.measure.name)


def curves(rule: Rule, table: ScoreTable, cuts: Cuts) -> Iterator[Curve]:
    """The objective by threshold, where there is one."""
    values = _objectives(rule, cuts)
    if values is None:
        return
    name = objective_of(rule)
    x = table.thresholds[::-1].astype(np.float64)
    finite = np.isfinite(x)
    made = Curve(
        "objective",
        f"{name[0].upper()}{name[1:]} by threshold",
        x[finite],
        values[:0:-1][finite],
        "threshold",
        name,
        kind="steps_back",
        threshold=x[finite],
    )
    yield for_display(made)


def operating_points(rule: Rule, table: ScoreTable, cuts: Cuts, threshold: float) -> OperatingPoints:
    """The counts at every threshold, few enough for a page, each with the objective there."""
    points = OperatingPoints.of(table, max(threshold, float(table.scores[-1])))
    values = _objectives(rule, cuts)
    if values is None:
        return points
    at = np.searchsorted(-table.thresholds.astype(np.float64), -points.threshold, side="right")
    return replace(points, objective=values[at])


def _objectives(rule: Rule, cuts: Cuts) -> Array | None:
    """The objective of every cut as people read it, `(m + 1,)`: a cost is less the better."""
    if rule.cost is None and rule.measure is None:
        return None
    return np.asarray(rule.values(cuts) * (-1 if rule.cost is not None or rule.sign < 0 else 1))


def changes_of(chosen: Chosen, sums: Sums, cut: int) -> Iterator[Change]:
    """Half and double the cost of a missed positive, the prevalence, or the capacity, where that changes anything."""
    rule, table = chosen.rule, chosen.cases.table
    share = chosen.prevalence or float(table.n_positive) / float(table.n_positive + table.n_negative)
    if rule.cost is not None and rule.cost.misses_cost:
        for word, factor in (("half", 0.5), ("double", 2.0)):
            try:
                cost = rule.cost.scaled(fn=factor)
            except InputError:  # no costs are as great as that
                continue
            names = () if table.amounts is None else table.amounts.names
            other = replace(
                chosen, rule=replace(rule, cost=cost), coefficients=cost.array(table.labels, names)
            )
            yield from _change(f"a miss costs {word}", other, sums, cut, None)
    for word, factor in (("half", 0.5), ("double", 2.0)):
        if 0 < share * factor < 1:
            yield from _change(f"{word} the prevalence", chosen, sums, cut, share * factor)
    if rule.top is not None:
        for word, factor in (("half", 0.5), ("double", 2.0)):
            other = replace(chosen, rule=replace(rule, top=rule.top * factor))
            yield from _change(f"{word} the capacity", other, sums, cut, None)


def _change(what: str, chosen: Chosen, sums: Sums, cut: int, prevalence: float | None) -> Iterator[Change]:
    rule = chosen.rule
    if rule.is_cost_alone:
        cost = chosen.cost_at(prevalence, sums)
        best = least_cost_cut(sums, cost)
        here, there = (float(mean_cost_at(sums, cost, np.array(each))) for each in (cut, best))
    else:
        cuts = chosen.cuts(sums, prevalence)
        best = chosen.cut(sums, cuts)
        if best == NOT_ANY or (prevalence is not None and _is_alike(chosen, cuts, chosen.cuts(sums))):
            return
        if rule.cost is None and rule.measure is None:
            values = value_of(get("precision"), cuts.counts)
        else:
            values = rule.values(cuts) * (-1 if rule.cost is not None or rule.sign < 0 else 1)
        here, there = float(values[cut]), float(values[best])
        if not rule.is_met(cuts, chosen.per_case, chosen.cases.level)[cut]:
            here = nan  # the threshold decided for may not be taken then
    yield Change(what, threshold_of(chosen.cases.table.thresholds, best), here, there)


def _is_alike(chosen: Chosen, cuts: Cuts, others: Cuts) -> bool:
    """Whether a rule judges all cuts alike, as one of rates does at any prevalence."""
    rule, how = chosen.rule, (chosen.per_case, chosen.cases.level)
    alike = np.allclose(rule.values(cuts), rule.values(others), rtol=1e-9, atol=0.0, equal_nan=True)
    return bool(alike and (rule.is_met(cuts, *how) == rule.is_met(others, *how)).all())
