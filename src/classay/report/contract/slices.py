"""The JSON of one classifier in groups of cases."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from classay.assessment.groups import Group
from classay.assessment.slices.slices import Slice, Slices
from classay.assessment.slices.trends import Trends, trends_of
from classay.report.contract.writer import of_estimate, plain


def as_dict(s: Slices, *names: str) -> dict[str, Any]:
    """The named measures of every group, or the main ones, as plain values."""
    found = s.compare(*(names or s.main_measures))
    trends = trends_of(s, found)
    return of_slices(s, found) | ({} if trends is None else {"trends": of_trends(trends)})


def of_slices(s: Slices, found: Sequence[Slice]) -> dict[str, Any]:
    """What `Slices.compare` found, as plain values, group by group."""
    groups: dict[Hashable, dict[str, Any]] = {label: {} for label in s}
    for each in found:
        groups[each.group][each.measure] = {
            "estimate": of_estimate(each.estimate),
            "difference": of_estimate(each.difference),
            "p": plain(each.p),
            "p_adjusted": plain(each.p_adjusted),
        }
    return {
        "by": s.by,
        "reference": plain(s.reference),
        "groups": [
            {
                "label": plain(label),
                "values": [plain(each) for each in (label if isinstance(label, Group) else (label,))],
                "n": s.groups[label].n,
                "class_totals": [plain(total) for total in s.groups[label].class_totals.tolist()],
                "measures": measures,
            }
            for label, measures in groups.items()
        ],
    }


def of_trends(trends: Trends) -> dict[str, Any]:
    """How much measures change from one shard to the next, and their values in each, as plain values."""
    return {
        "shards": [plain(shard) for shard in trends.shards],
        "measures": {name: of_estimate(change) for name, change in trends.changes.items()},
        "p": {name: plain(each) for name, each in trends.p.items()},
        "p_adjusted": {name: plain(each) for name, each in trends.p_adjusted.items()},
        "values": {name: [of_estimate(each) for each in found] for name, found in trends.values.items()},
    }
