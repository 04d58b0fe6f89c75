"""A gate, with the requirements that were held beside it: its document and its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from types import MappingProxyType
from typing import Any

from classay.assessment.assessing import Group
from classay.comparison.by_group import GroupGate
from classay.comparison.gate_rules import Gate, direction_of
from classay.inference.estimate import Estimate, apart, title
from classay.inference.requirements import Outcome, Verdict
from classay.report.document import (
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    Label,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.comparisons import bar_of, scale_around
from classay.report.results.parts import (
    BARS,
    STATUS,
    TONES,
    decided_by,
    head,
    not_met,
    of_estimate,
    of_outcome,
    plain,
    section_of,
)


def document_of(
    made: Gate, outcomes: Sequence[Outcome] = (), left_out: Mapping[str, str] = MappingProxyType({})
) -> Document:
    """The document of a gate; its status is the verdict on the rule and on all requirements together.

    `left_out` says which rows were given and not compared.
    """
    sections = [Section(" less ".join(made.comparison.models), (_table(made),))]
    if isinstance(made, GroupGate):
        sections.append(_of_groups(made))
    if outcomes:
        sections.append(section_of(outcomes))
    return Document(
        _title(made, outcomes),
        tuple(left_out.items()),
        _sentences(made, outcomes),
        tuple(sections),
        STATUS[verdict_of(made, outcomes)],
        sources=tuple(dict.fromkeys(filter(None, made.comparison.reference.split("; ")))),
    )


def _title(made: Gate, outcomes: Sequence[Outcome]) -> str:
    """The rule and the requirements, first those on which the verdict rests."""
    margin = "" if made.margin is None else f", margin {made.margin:g}"
    rule = (f"{made.rule}{margin}", made.verdict)
    demands = decided_by([rule, *((str(each.requirement), each.verdict) for each in outcomes)])
    return f"{demands}, {' against '.join(made.comparison.models)}"


def _sentences(made: Gate, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """What the rule and the requirements found, first what the verdict rests on."""
    worst = verdict_of(made, outcomes)
    first = not_met([each for each in outcomes if each.verdict is worst])
    then = not_met([each for each in outcomes if each.verdict is not worst])
    own = made.sentences if isinstance(made, GroupGate) else (made.sentence,)
    return (*own, *first, *then) if made.verdict is worst else (*first, *own, *then)


def verdict_of(made: Gate, outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict on the rule and on all requirements together."""
    return Verdict.of([made.verdict, *(each.verdict for each in outcomes)])


def effect_of(made: Gate) -> Estimate:
    """The difference as it is, first less second, or why there is none."""
    found = made.comparison.effect
    return made.difference if found is None else found


def condition_of(made: Gate) -> str:
    """What the rule demands of the difference that is shown, first less second, also where less is better.

    Equivalence demands the same of a difference and of its negative.
    """
    if made.rule == "equivalent" or direction_of(made.comparison) > 0:
        return made.condition
    return str(made.outcome.requirement.negated)


def _table(made: Gate) -> Table:
    found = made.comparison
    values = [Words(text) for text in apart(*found.values)] or [Words("–")] * 2
    n = "" if found.n is None else f"; {found.n:,.0f} {found.units}"
    better = "higher" if direction_of(found) > 0 else "lower"
    effect = effect_of(made)
    has_p = not isnan(made.p)
    sign = -1 if direction_of(found) < 0 else 1
    turned = " Bars are turned, so that right is better." if sign < 0 else ""
    edges = {"non-inferior": (-1.0,), "superior": (1.0,), "equivalent": (-1.0, 1.0)}.get(made.rule, ())
    dashed = " Dashed: the margin." if edges and made.margin else ""
    bar = bar_of(effect, sign, TONES[made.verdict]) if effect.has_interval else None
    scale = scale_around([] if bar is None else [bar], made.margin or 0.0)
    return Table(
        (
            Column("measure", Label),
            *(Column(name, Words) for name in found.models),
            Column("difference", Difference),
            *([Column("one-sided p", PValue)] if has_p else []),
            Column("", Bar, BARS),
        ),
        (
            (
                Label(title(found.measure), found.measure),
                *values,
                Difference(effect),
                *([PValue(made.p)] if has_p else []),
                bar,
            ),
        ),
        foot=f"Rule: `{condition_of(made)}`; {better} {title(found.measure)} is better.{turned}{dashed} "
        f"{_of_p(made) if has_p else ''}{found.method}{n}.",
        scale=replace(scale, margin=made.margin or 0.0, edges=edges),
    )


def _of_p(made: Gate) -> str:
    """What the p-value is of, and from where on it decides."""
    alpha = (1 - (made.difference.level or 0.95)) / 2
    holds = "the rule fails at" if made.rule == "not-worse" else "the rule holds at"
    return f"p: of {made.against}, from the interval; {holds} {alpha:.3g} or less. "


def _of_groups(made: GroupGate) -> Section:
    """The verdict on each group, those that fail first."""
    order = [
        label
        for verdict in (Verdict.FAIL, Verdict.UNDECIDED, Verdict.PASS)
        for label in made.in_state(verdict)
    ]
    rows: list[tuple[Cell, ...]] = []
    for label in order:
        found, verdict = made.groups[label], made.verdict_in(label)
        n, wide = found.comparison.n, made.simultaneous[label]
        rows.append(
            (
                Label(str(label), whole=True),
                None if n is None else Count(n),
                Difference(effect_of(found)),
                Value(replace(wide, value=wide.high) if wide.has_interval else wide),
                Words(STATUS[verdict].lower(), TONES[verdict]),
            )
        )
    columns = (
        Column("group", Label),
        Column(made.comparison.units, Count),
        Column("difference", Difference),
        Column("at most", Value),
        Column("verdict", Words),
    )
    passes = "" if made.rule == "not-worse" else "passes by its own interval, and "
    edge = "0" if made.margin is None else f"{-made.margin:g}"
    better = " with more better" if direction_of(made.comparison) < 0 else ""
    note = (
        f"At most: the upper end of the difference{better} that holds for all {len(order):,} groups at once. A group "
        f"{passes}fails where that end is below {edge}."
    )
    return Section(f"By {made.by}", (Table(columns, tuple(rows), note=note),))


SCHEMA = 1


def _omissions(made: Gate) -> dict[str, Any] | None:
    """What the models did not answer and was left out, whether it is one-sided, and what it is if counted as wrong."""
    found = made.comparison.omissions
    if found is None:
        return None
    return {
        "unanswered": list(found.omitted),
        "unanswered_alone": list(found.alone),
        "cases": found.cases,
        "units": found.units,
        "p_unequal": plain(found.adjusted[0]),
        "p_harder": [plain(p) for p in found.adjusted[1:]],
        "one_sided": found.is_one_sided,
        "counted_as_wrong": None if found.worst is None else of_estimate(found.worst),
        "passes_at_worst": made.passes_at_worst,
    }


def as_dict(
    made: Gate, outcomes: Sequence[Outcome] = (), left_out: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """A gate, and requirements beside it, as values that JSON knows; `verdict` is that of all of them.

    `left_out` says which rows were given and not compared.
    """
    found = made.comparison
    noise = None if found.noise is None else found.noise[:: direction_of(found)]
    return {
        **head(SCHEMA),
        "verdict": verdict_of(made, outcomes).value,
        "rule": made.rule,
        "margin": made.margin,
        "condition": made.condition,
        "rule_verdict": made.verdict.value,
        "sentence": made.sentence,
        "measure": found.measure,
        "models": list(found.models),
        "values": [plain(float(value)) for value in found.values],
        "effect": of_estimate(effect_of(made)),
        "difference": of_estimate(made.difference),
        "error_of_low": None if noise is None else plain(noise[0]),
        "error_of_high": None if noise is None else plain(noise[1]),
        "p": plain(found.p),
        "p_of_demand": plain(made.p),
        "method": found.method,
        "reference": found.reference,
        "n": plain(found.n),
        "units": found.units,
        "left_out": dict(left_out),
        "omissions": _omissions(made),
        "reason": found.reason,
        "requirements": [of_outcome(each) for each in outcomes],
    } | (_groups_as_dict(made) if isinstance(made, GroupGate) else {})


def _groups_as_dict(made: GroupGate) -> dict[str, Any]:
    """The verdict on each group."""
    groups = [
        {
            "label": plain(label),
            "values": [plain(each) for each in (label if isinstance(label, Group) else (label,))],
            "verdict": made.verdict_in(label).value,
            "difference": of_estimate(found.difference),
            "at_most": plain(made.simultaneous[label].high),
            "n": plain(found.comparison.n),
        }
        for label, found in made.groups.items()
    ]
    return {"by": made.by, "groups": groups}
