"""What decisions cost: a case and in all, over that of being always wrong, and less than doing nothing or all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.decision.costs import Costs
from classay.decision.moments import Moments, Quantity
from classay.inference.estimate import Estimate

Array = NDArray[Any]
Bounds = tuple[float, float]
ENDLESS: Bounds = (-inf, inf)


@dataclass(frozen=True)
class ExpectedCost:
    """What the decisions of one matrix cost, each number an `Estimate`.

    `per_case` is the mean cost of a case, `total` that of all cases; `normalised` is the cost over that of being always
    wrong, in [0, 1] where right decisions cost nothing; `saving_over_none` and `saving_over_all` are what a case costs
    less than if nobody, or everybody, were called positive (of several classes: than calling all the cheapest class).
    `prevalence` is that at which they hold, None for that of the cases. `bounds` are those of what a case may cost,
    and of what is normalised. `cases` is how many there are: in all they save `total_saving_over_none` and
    `total_saving_over_all`.
    """

    costs: Costs
    per_case: Estimate
    total: Estimate
    normalised: Estimate
    saving_over_none: Estimate
    saving_over_all: Estimate
    prevalence: float | None = None
    bounds: tuple[Bounds, Bounds] = (ENDLESS, ENDLESS)
    cases: float = nan

    @property
    def total_saving_over_none(self) -> Estimate:
        """What all cases cost less than if nobody were called positive."""
        return times(self.saving_over_none, self.cases)

    @property
    def total_saving_over_all(self) -> Estimate:
        """What all cases cost less than if everybody were called positive."""
        return times(self.saving_over_all, self.cases)


def bounds_of(cost: Array, least: Array | None) -> tuple[Bounds, Bounds]:
    """What a case may cost, and what that may be over the cost of being always wrong.

    `cost` is `[predicted, true, 1 + amount]`, `least` the least of each amount that was seen, `(amounts,)`. Of amounts
    of which none is negative, those of other cases are none either; how large they are nobody knows.

    >>> bounds_of(np.array([[[0.0, 0.0], [0.0, 1.0]], [[3.0, 0.0], [0.0, 0.0]]]), np.array([0.5]))
    ((0.0, inf), (0.0, 1.0))
    """
    constant, factors = cost[..., 0], cost[..., 1:]
    never_less = np.zeros(factors.shape[-1], bool) if least is None else least >= 0
    ends = []
    for side in (-1, 1):
        is_open = (factors != 0) & ~(never_less & (side * factors < 0))
        ends.append(np.where(is_open.any(-1), side * inf, constant))
    low, high = float(ends[0].min()), float(ends[1].max())
    right_is_free = not np.diagonal(cost, axis1=0, axis2=1).any()
    is_share = low >= 0 and right_is_free and (cost.shape[0] == 2 or not factors.any())
    return (low, high), (0.0, 1.0) if is_share else ENDLESS


def expected_cost(
    moments: Moments,
    costs: Costs,
    labels: tuple[Any, ...],
    names: tuple[str, ...],
    *,
    cases: float,
    prevalence: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> ExpectedCost:
    """The costs of the decisions in a matrix, of classes in the order of `labels`, for so many cases.

    `names` are those of the amounts. Where one decision is made whatever the score, it saves nothing over itself.

    E = sum over decisions and truths of their share times their cost; at another prevalence π, π times the mean cost
    of a positive and 1 - π times that of a negative. Normalised: over the same of wrong decisions. Undefined where
    a class that counts has no cases. Drummond & Holte 2006, Machine Learning 65:95.
    """
    cost = costs.array(labels, names)
    of, known = quantities(cost, prevalence), bounds_of(cost, moments.least)
    bounds = dict.fromkeys(of, ENDLESS) | dict(zip(("per_case", "normalised"), known, strict=True))
    size = size_of(cost, moments.sums, prevalence)
    sizes = dict.fromkeys(of, size) | {"normalised": 1.0}
    found = {
        name: moments.estimate(each, level, seed, bounds[name], sizes[name]) for name, each in of.items()
    }
    if moments.always is not None and len(labels) == 2:
        rule, whom = (("saving_over_none", "nobody"), ("saving_over_all", "everybody"))[moments.always]
        found[rule] = Estimate.bare(0.0, f"calling {whom} is the decision itself")
    total = times(found["per_case"], cases)
    return ExpectedCost(costs, total=total, prevalence=prevalence, bounds=known, cases=cases, **found)


def times(found: Estimate, factor: float) -> Estimate:
    """An estimate of so many cases instead of one."""
    return replace(found, value=factor * found.value, low=factor * found.low, high=factor * found.high)


def quantities(cost: Array, prevalence: float | None) -> dict[str, Quantity]:
    """The functions of the sums by cell that give each number; `cost` is `[predicted, true, 1 + amount]`."""
    k = cost.shape[0]
    wrong = np.where(np.eye(k, dtype=bool)[..., None], -inf, cost)

    def per_case(sums: Array) -> Array:
        return np.asarray((_weighed(sums, prevalence) * cost).sum((-3, -2, -1)))

    def calling(sums: Array, predicted: int) -> Array:
        return np.asarray((_weighed(sums, prevalence).sum(-3) * cost[predicted]).sum((-2, -1)))

    def always_wrong(sums: Array) -> Array:
        """Every case of a class called the class that costs most for it; of two classes the other one."""
        of_class = _weighed(sums, prevalence).sum(-3)
        each = np.stack([(of_class * np.where(np.isinf(row), 0.0, row)).sum(-1) for row in wrong])
        off = ~np.eye(k, dtype=bool)
        return np.asarray(np.where(off.reshape(k, *(1,) * (each.ndim - 2), k), each, -inf).max(0).sum(-1))

    return {
        "per_case": per_case,
        "normalised": lambda sums: per_case(sums) / always_wrong(sums),
        "saving_over_none": lambda sums: (
            (calling(sums, 0) if k == 2 else _least(sums, calling, k)) - per_case(sums)
        ),
        "saving_over_all": lambda sums: (
            (calling(sums, 1) if k == 2 else _least(sums, calling, k)) - per_case(sums)
        ),
    }


def size_of(cost: Array, sums: Array, prevalence: float | None) -> float:
    """How large the terms of a mean cost are: every case at the decision that costs, or brings, most."""
    with np.errstate(invalid="ignore", divide="ignore"):
        of_class = np.abs(_weighed(sums, prevalence)).sum(0)
    return float(np.nan_to_num(of_class * np.abs(cost).max(0)).sum())


def _weighed(sums: Array, prevalence: float | None) -> Array:
    """The sums of one case in all, at the prevalence wanted."""
    counts = sums[..., 0]
    if prevalence is None:
        return np.asarray(sums / counts.sum((-2, -1))[..., None, None, None])
    share = np.array([1 - prevalence, prevalence])
    return np.asarray(sums * (share / counts.sum(-2))[..., None, :, None])


def _least(sums: Array, calling: Any, k: int) -> Array:
    return np.asarray(np.min([calling(sums, i) for i in range(k)], axis=0))
