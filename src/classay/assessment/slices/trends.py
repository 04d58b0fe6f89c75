"""Trends: how much measures change from one shard to the next, of shards that come in an order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from classay.assessment.assessment import Assessment
from classay.inference.estimate import Estimate
from classay.inference.trends import trend


@dataclass(frozen=True)
class Trends:
    """The change of each measure from one shard to the next; `shards` are their names, in order."""

    shards: tuple[Hashable, ...]
    changes: Mapping[str, Estimate]


def trends_over(parts: Mapping[Hashable, Assessment], names: Sequence[str]) -> Trends:
    """The trends of measures over assessments of days, weeks or other shards of different cases, in their order.

    Each is the slope of weighted least squares over the shards, by their cases, with Student's t of its residuals.

    >>> from classay.assessment.assessing import assess
    >>> days = {day: assess([1] * 50 + [0] * 50, y_pred=[1] * (45 - day * day) + [0] * (55 + day * day))
    ...         for day in (1, 2, 3, 4)}
    >>> trends_over(days, ["recall"]).changes["recall"]
    Estimate(-0.100 [-0.154, -0.046] 95 %, least squares over periods weighted by cases, t)
    """
    found = [each.estimates(names) for each in parts.values()]
    cases = [float(each.class_totals.sum()) for each in parts.values()]
    level = next(iter(parts.values())).level
    changes = {
        name: trend(range(len(found)), [each[name].value for each in found], cases, level) for name in names
    }
    return Trends(tuple(parts), changes)
