"""Thresholds by group: document, the picture of the trade, and JSON (docs/group-thresholds.schema.json)."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from classay.comparison.cases.group_thresholds import FOLDS, GroupThresholds, ThresholdPolicy
from classay.curves.curve import Curve
from classay.inference.estimate import Estimate, spoken
from classay.report.document import (
    Column,
    Count,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Section,
    Table,
    Written,
)
from classay.report.results.assessment import closing
from classay.report.results.criteria import of_disparity
from classay.report.results.groups_of_cases import of_pool
from classay.report.results.parts import head, of_estimate, plain, titled
from classay.report.words import count
from classay.texts import as_sentence, hint, listed, quote

RANDOM = (
    f"The cases, and how they are divided into {FOLDS} parts: each part is judged by thresholds that the others "
    "choose. Intervals take the thresholds as given."
)


WHAT_TO_DO = hint(
    "`t.calls(scores, groups)` says which new cases are called",
    "`--json thresholds.json` holds the threshold of each group, by which new cases are called",
)


def document_of(found: GroupThresholds) -> Document:
    """The thresholds, what they cost beside one threshold for all, and what other limits cost."""
    facts = (
        ("cases", count(sum(each.cases for each in found.groups))),
        ("groups", f"{len(found.groups):,} by {found.by}"),
        ("limit", found.limit),
        ("costs", str(found.cost).removeprefix("Costs(").removesuffix(")")),
        ("level", f"{100 * found.level:g} %, seed {found.seed}"),
    )
    trade = [Section("What other limits cost", (_trade(found),))] if found.trade else []
    return Document(
        titled(f"Thresholds by {found.by}", found.model),
        facts,
        found.sentences,
        (
            Section("Thresholds", (_thresholds(found),)),
            Section("By group, and one for all", (_policies(found),)),
            *trade,
            *closing(RANDOM, (), [WHAT_TO_DO]),
        ),
    )


def with_pictures(document: Document, found: GroupThresholds) -> Document:
    """The document with the cost of a case by how far apart groups are."""
    if not found.trade:
        return document
    drawn = Section("Cost by limit", (Figures((Figure(_curves(found)),)),))
    return replace(document, sections=(drawn, *document.sections))


def _curves(found: GroupThresholds) -> tuple[Curve, ...]:
    """What a case costs by the limit, with its band, and what one threshold costs."""
    tried = sorted(found.trade[:-1])  # the last allows everything, far from the others
    x, costs = np.array([bound for bound, _ in tried]), [policy.cost for _, policy in tried]
    y, low, high = (np.array([getattr(each, part) for each in costs]) for part in ("value", "low", "high"))
    what, one = found.limit.split(" ")[0], found.one.cost.value
    made = Curve(
        "trade",
        "Cost of a case by the limit",
        x,
        y,
        what,
        "cost of a case",
        series="by group",
        low=low,
        high=high,
        band=f"{costs[0].method}, {100 * found.level:g} %",
    )
    ends = np.array([x.min(), x.max()])
    return made, replace(
        made, x=ends, y=np.array([one, one]), low=None, high=None, band="", series="one threshold"
    )


def _thresholds(found: GroupThresholds) -> Table:
    columns = (
        Column(found.by, Label),
        Column("threshold", Written),
        Column("cases", Count),
        Column("called", Found),
        Column("recall", Found),
        Column("false positive rate", Found),
    )
    rows = tuple(
        (
            Label(str(each.group), whole=True),
            Written(Estimate.bare(each.threshold, ""), _threshold(each.threshold)),
            Count(each.cases),
            Found(each.called),
            Found(each.recall),
            Found(each.false_positive_rate),
        )
        for each in found.groups
    )
    foot = "Positive when the score is at least the threshold. Rates are those of cases held back."
    for name in dict.fromkeys(rate for _, rate in found.free):
        names = listed([quote(each) for each, rate in found.free if rate == name])
        foot += f" Free of the limit to {spoken(name)}, because they have no case that it is of: {names}."
    if found.pooled is not None:
        foot += f" {found.pooled.sentence}"
    if found.left_out:
        foot += f" {as_sentence(found.left_out)}"
    return Table(columns, rows, foot=foot)


def _threshold(value: float) -> str:
    return "nobody" if value == inf else f"{value:.4g}"


def _policies(found: GroupThresholds) -> Table:
    rows = [_row("by group", found.by_group), _row("one for all", found.one)]
    return Table(
        (Column("thresholds", Label), Column("cost of a case", Found), Column(_what(found), Found)),
        tuple(rows),
        foot=f"On cases held back. The one threshold, chosen on all cases, is {_threshold(found.threshold)}.",
    )


def _what(found: GroupThresholds) -> str:
    return {"disparity": "largest gap", "disparity_ratio": "least ratio"}.get(
        found.one.disparity.name, "odds gap"
    )


def _row(name: str, policy: ThresholdPolicy) -> tuple[Label, Found, Found]:
    return Label(name), Found(policy.cost), Found(policy.disparity.estimate)


def _trade(found: GroupThresholds) -> Table:
    return Table(
        (Column("limit", Label), Column("cost of a case", Found), Column(_what(found), Found)),
        tuple(_row(f"{bound:g}", policy) for bound, policy in found.trade),
        foot="On cases held back, from the strictest limit to none.",
    )


SCHEMA = 1


def as_dict(found: GroupThresholds) -> dict[str, Any]:
    """The thresholds, both policies, their difference and the trade, as plain values."""
    return {
        **head(SCHEMA, "thresholds by group"),
        "by": found.by,
        "limit": found.limit,
        "cost": str(found.cost),
        "level": found.level,
        "seed": found.seed,
        "groups": [
            {
                "label": plain(each.group),
                "threshold": plain(each.threshold),
                "n": plain(each.cases),
                "predicted_prevalence": of_estimate(each.called),
                "recall": of_estimate(each.recall),
                "false_positive_rate": of_estimate(each.false_positive_rate),
            }
            for each in found.groups
        ],
        "threshold": plain(found.threshold),
        "by_group": _policy(found.by_group),
        "one": _policy(found.one),
        "difference": of_estimate(found.difference),
        "trade": [{"limit": bound, **_policy(policy)} for bound, policy in found.trade],
        "free": [{"group": plain(each), "rate": rate} for each, rate in found.free],
        "untried": [plain(each) for each in found.untried],
        "left_out": found.left_out,
        **of_pool(found.pooled),
        "sentences": list(found.sentences),
    }


def _policy(policy: ThresholdPolicy) -> dict[str, Any]:
    return {"cost": of_estimate(policy.cost), "disparity": of_disparity(policy.disparity)}
