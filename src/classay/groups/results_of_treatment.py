"""Equal treatment of groups, its criteria and thresholds by group: documents, the picture of the trade, JSON.

The schemas are docs/criteria.schema.json and docs/group-thresholds.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from classay.curves.curve import Curve
from classay.groups.criteria import Criteria, CriterionResult
from classay.groups.cross_validated_policy import FOLDS, ThresholdPolicy
from classay.groups.disparities import Disparity, left_out_said
from classay.groups.group_thresholds import GroupThresholds
from classay.groups.results_of_groups import bar_of, scale_of_groups
from classay.groups.results_shapes import CRITERIA, OF_CRITERIA, THRESHOLDS
from classay.inference.estimate import Estimate, measure_phrase
from classay.measures import get
from classay.report.document import (
    Bar,
    Column,
    Count,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Part,
    Prose,
    Section,
    Table,
    Value,
    Words,
    Written,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import BARS, titled
from classay.report.words import count
from classay.texts import as_sentence, hint, listed, quote

RANDOM_IN_CRITERIA = (
    "Intervals reflect sampling variability of the cases of each group. The lower limits of gaps and the "
    "upper limits of ratios account for the search over all pairs of groups. The other limits are not "
    "adjusted."
)
FOOT = (
    "The largest observed gap is biased upward. The bias-corrected gap shrinks every group toward the mean by "
    "its sampling error, and is at least the lower limit. Detectable gap: the gap between two groups that is "
    "detected with 80% power. Criteria are not adjusted for each other."
)
FOOT_WITHIN = (
    "Groups are compared within strata, and the differences are pooled (Mantel & Haenszel, with Sato's "
    "variance). Measures other than rates are excluded. Detectable gap: the gap between two groups that is "
    "detected with 80% power. Criteria are not adjusted for each other."
)


AFTER_CRITERIA = hint(
    "See what a limit costs: "
    "`ca.decide_by(groups, cost=ca.Costs(fp=1, fn=5), where='equalised_odds_gap <= 0.1')`.",
    "See what a limit costs: `classay decide … --by COL --cost fp=1 --cost fn=5 --where 'equalised_odds_gap "
    "<= 0.1'`.",
)


def document_of_criteria(c: Criteria) -> Document:
    """Return which criteria are shown not to hold, each with its gap and ratio, and which contradict each other."""
    from classay import __version__

    return Document(
        f"Fairness criteria by {titled(c.by + _within(c), c.model, 'in')}",
        (
            ("cases", f"{c.cases:,}"),
            ("groups", f"{c.groups:,}"),
            ("confidence level", f"{100 * c.level:g}%"),
        ),
        c.sentences,
        (*sections_of(c), *closing(RANDOM_IN_CRITERIA, c.warnings, [AFTER_CRITERIA])),
        version=__version__,
        sources=tuple(dict.fromkeys(rule.criterion.source for rule in c)),
    )


def sections_of(c: Criteria) -> Iterator[Section]:
    """Tables of gaps and ratios, what each criterion means, and what cannot hold together."""
    ratios = [rule for rule in c if rule.ratio is not None]
    parts: list[Part] = [_gaps(c), *([_ratios(ratios)] if ratios else [])]
    if c.pooled is not None:
        strata = "Group sizes are totals over all strata. " if c.control else ""
        parts.append(Prose(f"{strata}{c.pooled.sentence}", "quiet"))
    if note := left_out_said((rule.criterion.title, rule.gap) for rule in c):
        parts.append(Prose(note, "quiet"))
    yield Section(f"Fairness criteria{_within(c)}", tuple(parts))
    yield Section(
        "What the criteria require",
        (
            Listing(
                tuple(
                    ("", f"{rule.criterion.title}: {rule.criterion.meaning} ({rule.criterion.source}).")
                    for rule in c
                )
            ),
        ),
    )
    if c.conflicts:
        yield Section("Criteria that exclude each other", (Prose(" ".join(c.conflicts)),))


def with_pictures_of_criteria(document: Document, c: Criteria) -> Document:
    """Return the document with the values of the groups in each measure, drawn."""
    rest = document.sections[len([*sections_of(c)]) :]
    return replace(document, sections=(*page_sections_of(c), *rest))


def page_sections_of(c: Criteria) -> Iterator[Section]:
    """Yield the sections of a page: with what each criterion says beside it, and the groups drawn."""
    judged, *rest = sections_of(c)
    yield replace(judged, parts=(_gaps(c, meaning=True), *judged.parts[1:]))
    yield from pictures_of(c)
    yield from rest


MOST_DRAWN = 50
"""Groups of which all are drawn; of more, as many with the highest and lowest values."""


def pictures_of(c: Criteria) -> Iterator[Section]:
    """Yield a table with the intervals of all groups in each measure, the highest value first; none within strata."""
    tables = tuple(_drawn(c, name, groups) for name, groups in c.values)
    if tables:
        yield Section(f"Values by {c.by}", tables, is_switched=True)


def _drawn(c: Criteria, name: str, groups: Sequence[tuple[Any, Estimate]]) -> Table:
    known = sorted(
        ((label, each) for label, each in groups if each.has_interval), key=lambda pair: -pair[1].value
    )
    half, foot = MOST_DRAWN // 2, ""
    if len(known) > MOST_DRAWN:
        foot = (
            f"The table shows the {half} groups with the highest and the {half} with the lowest values, of "
            f"{len(known):,}."
        )
        known = [*known[:half], *known[-half:]]
    titles = [rule.criterion.title for rule in c if name in rule.criterion.measures]
    rows = tuple((Label(str(label), whole=True), EstimateCell(each), bar_of(each)) for label, each in known)
    columns = (Column("group", Label), Column("value", EstimateCell), Column("", Bar, BARS))
    scale = scale_of_groups([each for _, each in known], float("nan"))
    return Table(
        columns,
        rows,
        get(name).title,
        f"for {listed([each[0].lower() + each[1:] for each in titles])}",
        foot=foot,
        scale=scale,
    )


def _within(c: Criteria) -> str:
    return f", within strata of {listed([*c.control])}" if c.control else ""


def _gaps(c: Criteria, *, meaning: bool = False) -> Table:
    columns = (
        Column("criterion", Label),
        *([Column("equal in all groups", Words)] if meaning else []),
        Column("largest gap", EstimateCell),
        *([] if c.control else [Column("bias-corrected", Value)]),
        Column("highest", Words),
        Column("lowest", Words),
        Column("detectable", Value),
    )
    rows = tuple(
        (
            Label(rule.criterion.title, whole=True),
            *([Words(rule.criterion.equal)] if meaning else []),
            EstimateCell(rule.gap.estimate),
            *([] if c.control else [_value(rule.gap.corrected)]),
            Words(_label(rule.gap.top)),
            Words(_label(rule.gap.bottom)),
            _value(rule.gap.found_by_power),
        )
        for rule in c
    )
    foot = FOOT_WITHIN if c.control else FOOT
    foot += _ends_of_others("Lower", ((rule.criterion.title, rule.gap) for rule in c))
    return Table(columns, rows, "Largest gap between two groups", foot=foot)


def _ends_of_others(end: str, gaps: Iterable[tuple[str, Disparity]]) -> str:
    """Return which groups the ends of all pairs are of, where they are others than those of the row."""
    ends = [
        f"{title}, {quote(of.surest.top)} minus {quote(of.surest.bottom)} in {measure_phrase(of.surest.measure)}"
        for title, of in gaps
        if of.surest is not None and of.are_others_surest
    ]
    return (
        f" {end} limits that belong to other groups than those in the row: {'; '.join(ends)}." if ends else ""
    )


def _value(number: float | None) -> Value | None:
    return None if number is None else Value(Estimate.bare(number, "no CI"))


def _label(label: Any) -> str:
    return "" if label is None else str(label)


def _ratios(judged: list[CriterionResult]) -> Table:
    columns = (
        Column("criterion", Label),
        Column("smallest ratio", EstimateCell),
        Column("of", Words),
        Column("to", Words),
    )
    rows = tuple(
        (
            Label(rule.criterion.title, whole=True),
            EstimateCell(rule.ratio.estimate),
            Words(_label(rule.ratio.bottom)),
            Words(_label(rule.ratio.top)),
        )
        for rule in judged
        if rule.ratio is not None
    )
    foot = (
        "Under the four-fifths rule (29 CFR 1607.4 D), a selection-rate ratio below 0.8 indicates adverse impact. "
        "It applies to demographic parity only."
    )
    ratios = ((rule.criterion.title, rule.ratio) for rule in judged if rule.ratio is not None)
    foot += _ends_of_others("Upper", ratios)
    return Table(columns, rows, "Smallest ratio of two groups", foot=foot)


def as_dict_of_criteria(c: Criteria) -> dict[str, Any]:
    """Return the criteria as values that JSON knows: undefined is None."""
    return CRITERIA.as_dict(c)


def of_criteria(c: Criteria) -> dict[str, Any]:
    """Return each criterion with its gap and ratio, and the sentences."""
    return OF_CRITERIA.values(c)


RANDOM_IN_THRESHOLDS = (
    f"Intervals reflect sampling variability of the cases and their division into {FOLDS} parts. Every part is "
    "evaluated with thresholds chosen on the other parts. Intervals of costs also cover the intervals for the "
    "thresholds chosen on all cases. Intervals of rates hold the thresholds fixed."
)


AFTER_THRESHOLDS = hint(
    "Predict new cases with the thresholds: `t.calls(scores, groups)`.",
    "Save the thresholds for new cases: `--json thresholds.json`.",
)


def document_of_thresholds(thresholds: GroupThresholds) -> Document:
    """Return the thresholds, what they cost beside one threshold for all, and what other limits cost."""
    facts = (
        ("cases", count(sum(group.cases for group in thresholds.groups))),
        ("groups", f"{len(thresholds.groups):,} by {thresholds.by}"),
        ("limit", thresholds.limit),
        ("costs", str(thresholds.cost).removeprefix("Costs(").removesuffix(")")),
        ("confidence level", f"{100 * thresholds.level:g}%"),
        ("seed", str(thresholds.seed)),
    )
    trade = [Section("Cost of other limits", (_trade(thresholds),))] if thresholds.trade else []
    return Document(
        titled(f"Thresholds by {thresholds.by}", thresholds.model),
        facts,
        thresholds.sentences,
        (
            Section("Thresholds", (_thresholds(thresholds),)),
            Section("Thresholds by group and one common threshold", (_policies(thresholds),)),
            *trade,
            *closing(RANDOM_IN_THRESHOLDS, thresholds.warnings, [AFTER_THRESHOLDS]),
        ),
    )


def with_pictures_of_thresholds(document: Document, thresholds: GroupThresholds) -> Document:
    """Return the document with the cost of a case by how far apart groups are."""
    if not thresholds.trade:
        return document
    drawn = Section("Cost by limit", (Figures((Figure(_curves(thresholds)),)),))
    return replace(document, sections=(drawn, *document.sections))


def _curves(thresholds: GroupThresholds) -> tuple[Curve, ...]:
    """Return what a case costs by the limit, with its band, and what one threshold costs."""
    tried = sorted(thresholds.trade[:-1])  # the last allows everything, far from the others
    x, costs = np.array([bound for bound, _ in tried]), [policy.cost for _, policy in tried]
    y, low, high = (np.array([getattr(each, part) for each in costs]) for part in ("value", "low", "high"))
    what, one = thresholds.limit.split(" ")[0], thresholds.one.cost.value
    curve = Curve(
        "trade",
        "Cost per case by the limit",
        x,
        y,
        what,
        "cost per case",
        series="by group",
        low=low,
        high=high,
        band=f"{costs[0].method}, {100 * thresholds.level:g}%",
    )
    ends = np.array([x.min(), x.max()])
    return curve, replace(
        curve, x=ends, y=np.array([one, one]), low=None, high=None, band="", series="common threshold"
    )


def _thresholds(thresholds: GroupThresholds) -> Table:
    columns = (
        Column(thresholds.by, Label),
        Column("threshold", Written),
        Column("cases", Count),
        Column("predicted positive", EstimateCell),
        Column("recall", EstimateCell),
        Column("false positive rate", EstimateCell),
    )
    rows = tuple(
        (
            Label(str(group.group), whole=True),
            Written(Estimate.bare(group.threshold, ""), _threshold(group.threshold)),
            Count(group.cases),
            EstimateCell(group.called),
            EstimateCell(group.recall),
            EstimateCell(group.false_positive_rate),
        )
        for group in thresholds.groups
    )
    foot = "A case is predicted positive if its score is at least the threshold. Rates are on held-out cases."
    for name in dict.fromkeys(rate for _, rate in thresholds.free):
        names = listed([quote(group) for group, rate in thresholds.free if rate == name])
        foot += (
            f" The limit does not apply to groups in which {measure_phrase(name)} is not defined: {names}."
        )
    if thresholds.pooled is not None:
        foot += f" {thresholds.pooled.sentence}"
    if thresholds.left_out:
        foot += f" {as_sentence(thresholds.left_out)}"
    return Table(columns, rows, foot=foot)


def _threshold(value: float) -> str:
    return "nobody" if value == inf else f"{value:.4g}"


def _policies(thresholds: GroupThresholds) -> Table:
    rows = [_row("by group", thresholds.by_group), _row("common", thresholds.one)]
    return Table(
        (
            Column("thresholds", Label),
            Column("cost per case", EstimateCell),
            Column(_what(thresholds), EstimateCell),
        ),
        tuple(rows),
        foot="Values are on held-out cases. The common threshold, chosen on all cases, is "
        f"{_threshold(thresholds.threshold)}.",
    )


def _what(thresholds: GroupThresholds) -> str:
    return {"disparity": "largest gap", "disparity_ratio": "smallest ratio"}.get(
        thresholds.one.disparity.name, "equalized odds difference"
    )


def _row(name: str, policy: ThresholdPolicy) -> tuple[Label, EstimateCell, EstimateCell]:
    return Label(name), EstimateCell(policy.cost), EstimateCell(policy.disparity.estimate)


def _trade(thresholds: GroupThresholds) -> Table:
    return Table(
        (
            Column("limit", Label),
            Column("cost per case", EstimateCell),
            Column(_what(thresholds), EstimateCell),
        ),
        tuple(_row(f"{bound:g}", policy) for bound, policy in thresholds.trade),
        foot="Values are on held-out cases. The strictest limit comes first. The last row has no effective limit.",
    )


def as_dict_of_thresholds(thresholds: GroupThresholds) -> dict[str, Any]:
    """Return the thresholds, both policies, their difference and the trade, as plain values."""
    return THRESHOLDS.as_dict(thresholds)
