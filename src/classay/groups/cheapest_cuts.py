"""The cheapest threshold of each group, within a limit on how far a rate may differ between groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.groups.disparities import ODDS, ODDS_RATIO, RATIO, named_disparity, range_of_demand
from classay.inference.requirements import parse, refuse_beyond
from classay.measures import get

Array = NDArray[Any]

MOST_CUTS, MOST_LOWEST, MOST_LOWEST_OF_TWO = 4096, 2048, 256
"""Cuts of a group, and rates that may be the lowest, beyond which every so many is tried."""
ROUNDING = 1e-12
PARTS = 2.0**30
Kind = Literal["disparity", "disparity_ratio", "equalised_odds_gap"]
RATES: dict[str, tuple[int, int, int, int]] = {
    "predicted_prevalence": (1, 1, 0, 0),
    "recall": (1, 0, 0, 0),
    "false_positive_rate": (0, 1, 0, 0),
    "false_negative_rate": (0, 0, 1, 0),
    "specificity": (0, 0, 0, 1),
}
"""Rates that rise or fall with the threshold: which of TP, FP, FN, TN they count, of the cases that they are of."""


@dataclass(frozen=True)
class Limit:
    """How far apart groups may be: the kind of disparity, its rates, and the largest gap or least ratio."""

    kind: Kind
    rates: tuple[str, ...]
    bound: float

    @classmethod
    def of(cls, text: str) -> Limit:
        """Read a limit. Raises InputError for a text that limits no gap or ratio of rates that thresholds move."""
        demands = parse(text)
        named = named_disparity(demands[0].name) if len(demands) == 1 else None
        if named is None or named[0] == ODDS_RATIO:
            raise InputError(
                f"where must be one limit on a gap or ratio between groups, but is {text!r}. Use "
                "'disparity(recall) <= 0.1', 'disparity_ratio(selection_rate) >= 0.8' or 'equalised_odds_gap "
                "<= 0.05'."
            )
        (demand,), (kind, measure, control) = demands, named
        wanted = ">=" if kind == RATIO else "<="
        if demand.part != "value" or demand.operator != wanted or control:
            raise InputError(
                f"Thresholds cannot keep the limit {text!r}. Use {kind}{f'({measure})' if measure else ''} "
                f"{wanted} NUMBER. The result reports its value on held-out cases."
            )
        refuse_beyond(demand, *range_of_demand(demand.name))
        rates = ("recall", "false_positive_rate") if kind == ODDS else (get(measure).name,)
        if rates[0] not in RATES:
            raise InputError(
                "Thresholds by group need a rate that changes in one direction with the threshold, not "
                f"{rates[0]}. Use one of {', '.join(RATES)}."
            )
        return cls(kind, rates, demand.bound)  # type: ignore[arg-type]

    def __str__(self) -> str:
        named = "" if self.kind == ODDS else f"({self.rates[0]})"
        return f"{self.kind}{named} {'>=' if self.kind == RATIO else '<='} {self.bound:g}"

    def highest(self, lowest: Array) -> Array:
        """Return the highest rate beside each lowest one."""
        if self.kind != RATIO:
            return lowest + self.bound + ROUNDING
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = (
                np.where(lowest > 0, lowest / self.bound, 0.0) if self.bound else np.full_like(lowest, inf)
            )
        return np.asarray(rates + ROUNDING)


@dataclass(frozen=True, eq=False)
class GroupCuts:
    """What each threshold does to a group: its TP, FP, FN and TN, `(4, cuts)`; the first, highest one calls nobody."""

    thresholds: Array
    cells: Array

    @classmethod
    def of(cls, scores: Array, positives: Array, negatives: Array) -> GroupCuts:
        """The cuts between distinct scores, which descend; if there are very many, evenly spaced ones of them."""
        tp, fp = (
            np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)]) for counts in (positives, negatives)
        )
        at = np.arange(tp.size)
        if at.size > MOST_CUTS:
            at = np.unique(np.linspace(0, at.size - 1, MOST_CUTS).astype(int))
        thresholds = np.concatenate([[inf], scores.astype(np.float64)])[at]
        return cls(thresholds, np.stack([tp, fp, tp[-1] - tp, fp[-1] - fp])[:, at])

    def costs(self, of: Array) -> Array:
        """Return what the cases cost at each cut."""
        return np.asarray(of @ self.cells)

    def rate(self, name: str) -> Array | None:
        """Return a rate at each cut; None where the group has no case that it is of."""
        counted = np.array(RATES[name], float)
        positives, negatives = self.cells[[0, 2], 0].sum(), self.cells[[1, 3], 0].sum()
        of = positives * counted[[0, 2]].any() + negatives * counted[[1, 3]].any()
        return np.asarray(counted @ self.cells / of) if of else None


def cheapest(cuts: Sequence[GroupCuts], of: Array, limit: Limit | None) -> list[int]:
    """Return the cuts of the groups at which all cases together cost least within the limit, or without one.

    The result is exact if no group has more than 4,096 cuts, and all groups together have no more rates than are tried.
    A rate does not limit a group that has no case which the rate counts. Of several equally cheap cuts, the one that
    calls fewest cases is taken.
    """
    costs = rounded_costs([group_cuts.costs(of) for group_cuts in cuts])
    if limit is None:
        return [int(of_group.argmin()) for of_group in costs]
    rates = [[group_cuts.rate(name) for name in limit.rates] for group_cuts in cuts]
    lowest = _lowest(rates)
    total = np.zeros(lowest.shape[1])
    places = []
    for group_rates, group_costs in zip(rates, costs, strict=True):
        first, last = np.zeros(lowest.shape[1], int), np.full(lowest.shape[1], group_costs.size)
        for low, rate in zip(lowest, group_rates, strict=True):
            if rate is not None:
                begin, end = _window(rate, low - ROUNDING, limit.highest(low))
                first, last = np.maximum(first, begin), np.minimum(last, end)
        at, least = _least_within(group_costs, first, last)
        places.append(at)
        total += least
    best = int(total.argmin())
    return [int(at[best]) for at in places]


def rounded_costs(costs: Sequence[Array]) -> list[Array]:
    """Costs in whole parts of the greatest, so that the rounding of sums does not decide between equal costs."""
    part = max(float(np.abs(group_costs).max()) for group_costs in costs) / PARTS
    if not part or all((group_costs == np.rint(group_costs)).all() for group_costs in costs):
        return [*costs]
    return [np.rint(group_costs / part) for group_costs in costs]


def _lowest(rates: Sequence[Sequence[Array | None]]) -> Array:
    """Return the rates that may be the lowest of all groups, `(rates, tried)`: of two rates, each pair of them."""
    most = MOST_LOWEST if len(rates[0]) == 1 else MOST_LOWEST_OF_TWO
    tried = []
    for of_groups in zip(*rates, strict=True):
        values = np.unique(np.concatenate([np.zeros(1), *(rate for rate in of_groups if rate is not None)]))
        if values.size > most:
            values = values[np.unique(np.linspace(0, values.size - 1, most).astype(int))]
        tried.append(values)
    return np.stack([grid.ravel() for grid in np.meshgrid(*tried, indexing="ij")])


def _window(rate: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return the cuts whose rate lies within each [low, high]: from the first to before the last."""
    if rate[-1] >= rate[0]:
        return np.searchsorted(rate, low, side="left"), np.searchsorted(rate, high, side="right")
    falling = -rate
    return np.searchsorted(falling, -high, side="left"), np.searchsorted(falling, -low, side="right")


def _least_within(costs: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """Return the place of the least cost from `first` to before `last`, and that cost; infinite if the range is empty.

    The least of every run of 2, 4, 8, … costs is found first; two such runs cover any range.
    """
    runs = [np.arange(costs.size)]
    while 2 ** len(runs) <= costs.size:
        run, half = runs[-1], 2 ** (len(runs) - 1)
        left, right = run[: run.size - half], run[half:]
        runs.append(np.where(costs[left] <= costs[right], left, right))
    length = last - first
    at = np.full(first.size, -1)
    for power, places in enumerate(runs):
        here = (length >= 2**power) & (length < 2 ** (power + 1))
        if here.any():
            left, right = places[first[here]], places[last[here] - 2**power]
            at[here] = np.where(costs[left] <= costs[right], left, right)
    return at, np.where(at < 0, inf, costs[at])


Counted = tuple[Array, Array, Array]
"""Distinct scores from the highest on, with the positives and negatives at each."""


def one_threshold(tables: Sequence[Counted], of: Array) -> float:
    """Return the one threshold of least cost for all cases."""
    scores = np.concatenate([table[0] for table in tables])
    distinct, at = np.unique(-scores.astype(np.float64), return_inverse=True)
    counts = [np.bincount(at, np.concatenate([table[k] for table in tables]), distinct.size) for k in (1, 2)]
    all_cases = GroupCuts.of(-distinct, *counts)
    (costs,) = rounded_costs([all_cases.costs(of)])
    return float(all_cases.thresholds[int(costs.argmin())])


def thresholds_by_group(tables: Sequence[Counted], of: Array, limit: Limit | None) -> list[float]:
    """Return the threshold of each group."""
    cuts = [GroupCuts.of(*table) for table in tables]
    return [float(cut.thresholds[k]) for cut, k in zip(cuts, cheapest(cuts, of, limit), strict=True)]
