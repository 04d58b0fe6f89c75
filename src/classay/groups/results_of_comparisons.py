"""Models compared in each group of cases, and a gate that no group may fail.

Documents and JSON (docs/comparison.schema.json).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from math import inf, isnan
from typing import Any

from classay.assessment.finding import Finding, leading
from classay.assessment.group_labels import Group
from classay.comparison.claims import direction_of
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.findings_differences import findings_on_comparisons
from classay.comparison.named_tests import methods_text
from classay.groups.by_group import GroupComparisons
from classay.groups.compared_groups import line_of_not_recorded
from classay.groups.findings_by_group import findings_on_group_gate, findings_on_groups_of_cases
from classay.groups.gate_of_groups import NAMED_OF_GROUPS, GroupGate
from classay.groups.results_in_json import BY_GROUPS, GATE_OF_GROUPS
from classay.inference.estimate import heading, level_text, parts, title
from classay.inference.requirements import Outcome, Verdict
from classay.report.document import (
    Cell,
    Column,
    Count,
    Difference,
    Document,
    Label,
    Listing,
    Prose,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.paper import of_facts
from classay.report.results import compared, compared_models
from classay.report.results.compared import effect_of
from classay.report.results.parts import STATUS, TONES
from classay.report.text import section_text
from classay.texts import listed


def _of_group_gate(gate: GroupGate) -> Section:
    """Return the verdict on each group, those that fail first."""
    order = [
        label
        for verdict in (Verdict.FAIL, Verdict.UNDECIDED, Verdict.PASS)
        for label in gate.in_state(verdict)
    ]
    rows: list[tuple[Cell, ...]] = []
    for label in order:
        group_gate, verdict = gate.groups[label], gate.verdict_in(label)
        n, wide = group_gate.comparison.n, gate.simultaneous[label]
        rows.append(
            (
                Label(str(label), whole=True),
                None if n is None else Count(n),
                *compared_models.values_of(group_gate.comparison),
                Difference(effect_of(group_gate)),
                Value(replace(wide, value=wide.high) if wide.has_interval else wide),
                Words(STATUS[verdict].lower(), TONES[verdict]),
            )
        )
    if (unnamed := gate.not_recorded) is not None:
        both = compared_models.values_of(unnamed.comparison)
        cells: list[Cell] = [Label(line_of_not_recorded(gate.groups)), Count(gate.cases_not_recorded), *both]
        rows.append((*cells, Difference(effect_of(unnamed)), None, Words("not compared")))
    columns = (
        Column("group", Label),
        Column(gate.comparison.units, Count),
        *(Column(name, Words) for name in gate.comparison.models),
        Column("difference", Difference),
        Column("at most", Value),
        Column("verdict", Words),
    )
    passes = "" if gate.rule == "not-worse" else "passes by its own CI, "
    edge = "0" if gate.margin is None else f"{-gate.margin:g}"
    better = " (turned so that higher is better)" if direction_of(gate.comparison) < 0 else ""
    between = "" if gate.rule == "not-worse" else ", and is inconclusive otherwise"
    note = (
        f"At most: the upper limit of the difference{better}, jointly valid for all {len(order):,} groups. A "
        f"group {passes}fails if this limit is below {edge}{between}."
    )
    return Section(f"By {gate.by}", (Table(columns, tuple(rows), note=note),))


def document_of_gate(gate: GroupGate, outcomes: Sequence[Outcome] = ()) -> Document:
    """As that of a gate, with the verdict on each group."""
    more, of_rule = (_of_group_gate(gate),), tuple(findings_on_group_gate(gate))
    return compared.document_of_gate(gate, outcomes, more=more, of_rule=of_rule)


for_paper_of_gate = compared.for_paper_of_gate


def text_of_gate(gate: GroupGate, most: int = 20) -> list[str]:
    """Return the groups of a gate as a table in plain text, those that decide first."""
    section = _of_group_gate(gate)
    (table,) = (part for part in section.parts if isinstance(part, Table))
    more = len(table.rows) - most
    foot = f"{table.note} {more:,} more lines in `--markdown FILE`." if more > 0 else table.note
    table = replace(table, rows=table.rows[:most], note="", foot=foot)
    return section_text(Section(section.title, (table,))).split("\n")


def as_dict_of_gate(gate: GroupGate, outcomes: Sequence[Outcome] = ()) -> dict[str, Any]:
    """As that of a gate, with the verdict on each group."""
    of_rule = tuple(findings_on_group_gate(gate))
    return compared.as_dict_of_gate(gate, outcomes, of_rule=of_rule, described=GATE_OF_GROUPS)


MOST_SHOWN = 200
"""Groups up to which all are shown."""
WORST = 50
"""Groups that are shown of more than those; the frame and the JSON have all."""
MAIN = 15
"""Groups that a page shows before more are asked for."""


def whole_of(grouped: GroupComparisons) -> Comparisons:
    """Return the comparisons of all cases."""
    return Comparisons(**{field.name: getattr(grouped, field.name) for field in fields(Comparisons)})


def document_of_groups(grouped: GroupComparisons) -> Document:
    """Return the groups, the worst first, then all cases as they are compared alone."""
    document = compared_models.document_of(whole_of(grouped))
    known = _findings_of_groups(grouped)
    lead = leading(known)
    further = tuple(("", finding.sentence) for finding in known if finding not in lead)
    return replace(
        document,
        title=f"{document.title} by {grouped.by}",
        verdict=tuple(finding.sentence for finding in lead),
        sections=(
            *_sections(grouped),
            *([Section("Further findings in groups", (Listing(further),))] if further else []),
            *(
                replace(section, parts=_methods(grouped))
                if section.role == "methods"
                else replace(section, title=f"{compared_models.ALL_CASES}{section.title}")
                if isinstance(section.parts[0], Table)
                else section
                for section in document.sections
            ),
        ),
    )


def _findings_of_groups(grouped: GroupComparisons) -> tuple[Finding, ...]:
    """Return what leads of the groups and of all cases, then the rest of both."""
    return findings_on_groups_of_cases(grouped, leading(findings_on_comparisons(whole_of(grouped))))


with_pictures_of_groups = compared_models.with_pictures
for_paper_of_groups = compared_models.for_paper


def _methods(grouped: GroupComparisons) -> tuple[Prose, ...]:
    """Return how all cases and the groups were compared."""
    facts = " ".join(of_facts(grouped.facts))
    every = [one for _, one in grouped.in_groups]
    tested = [interaction for interaction in grouped.interactions if not isnan(interaction.p)]
    how = [f"The models were also compared in {len(grouped.groups):,} groups of {grouped.by}."]
    if tested:
        names = listed(list(dict.fromkeys(title(interaction.measure) for interaction in tested)))
        how.append(
            f"Variation of the difference in {names} between groups was tested by Welch's F over the "
            f"differences of the groups with their paired variances ({tested[0].reference})."
        )
    text = methods_text([*grouped.comparisons, *every], grouped.level, grouped.overall)
    return tuple(
        Prose(each) for each in "\n\n".join([" ".join(filter(None, [facts, *how])), text]).split("\n\n")
    )


def _sections(grouped: GroupComparisons) -> Iterator[Section]:
    """Yield a table for each measure and pair of models."""
    several = len({one.models for _, one in grouped.in_groups}) > 1
    overall = {(one.measure, one.models): one for one in grouped}
    rows: dict[tuple[str, tuple[str, ...]], list[tuple[Hashable, Comparison]]] = {}
    for label, one in grouped.in_groups:
        rows.setdefault((one.measure, one.models), []).append((label, one))
    for (measure, models), group_rows in rows.items():
        name = f": {' minus '.join(models)}" if several else f": {models[0]} minus {models[1]}"
        yield Section(
            f"{heading(measure)} by {grouped.by}{name}",
            (_table_of_groups(grouped, group_rows, overall.get((measure, models))),),
        )


def _table_of_groups(
    grouped: GroupComparisons,
    rows: list[tuple[Hashable, Comparison]],
    all_cases: Comparison | None,
    most: int = MOST_SHOWN,
) -> Table:
    """Return one pair of models in one measure, in every group, where the first is surely worst on top."""
    ordered = sorted(rows, key=lambda row: _surely(row[1]))
    is_abridged = len(ordered) > most
    shown = ordered[:WORST] if is_abridged else ordered
    heads = compared_models.heads_of(replace(whole_of(grouped), comparisons=tuple(one for _, one in rows)))
    heads = compared_models.ADJUSTED if len(heads) == 2 else heads
    cases = [grouped.cases[label] for label, _ in shown]
    labels = [(Label(str(label), whole=isinstance(label, Group)), one) for label, one in shown]
    for one in grouped.not_recorded or ():
        if rows and (one.measure, one.models) == (rows[0][1].measure, rows[0][1].models):
            cases.append(grouped.cases_not_recorded)
            labels.append((Label(line_of_not_recorded(grouped.groups)), one))
    tests = [
        interaction
        for interaction in grouped.interactions
        if rows and (interaction.measure, interaction.models) == (rows[0][1].measure, rows[0][1].models)
    ]
    family = next((one.family for _, one in rows if one.family), 0) or 0
    name = next((one.adjustment for _, one in rows if one.adjustment), "")
    note = [
        f"The table shows {WORST} of {len(ordered):,} groups, those with the largest deficit of "
        f"{rows[0][1].models[0]} by the confidence limit of the difference that is closer to 0."
        if is_abridged
        else "",
        f"p values are adjusted for {family:,} comparisons in groups ({name}). Intervals are not adjusted."
        if family > 1 and name
        else "",
        *(test.sentence(grouped.claimed_at) for test in tests if len(grouped.interactions) > NAMED_OF_GROUPS),
        *(test.omitted for test in tests),
    ]
    table = compared_models.table_of(labels, rows[0][1].models, heads, " ".join(filter(None, note)), cases)
    beside = ""
    if all_cases is not None and all_cases.effect is not None and all_cases.effect.has_interval:
        value, low, high = parts(all_cases.effect)
        beside = f"all cases {value} ({level_text(all_cases.effect.level)} {low} to {high})"
    complete = partial(_table_of_groups, grouped, rows, all_cases, len(rows)) if is_abridged else None
    return replace(table, beside=beside, main=MAIN, complete=complete)


def _surely(one: Comparison) -> float:
    """Return how much better the first model is at most; what has no interval comes last.

    One-sided, the one limit that there is, whichever it be.
    """
    effect, better = one.effect, direction_of(one) or 1
    if effect is None or not effect.has_interval:
        return inf
    if one.alternative != "two-sided":
        return better * (effect.low if one.alternative == "greater" else effect.high)
    return effect.high if better > 0 else -effect.low


def as_dict_of_groups(grouped: GroupComparisons) -> dict[str, Any]:
    """Return all cases as comparisons have them, each group, and the tests of interaction, as plain values."""
    beside = {
        "all_cases": whole_of(grouped),
        "headline": leading(_findings_of_groups(grouped)),
        "methods": grouped.methods_text(),
    }
    return BY_GROUPS.as_dict(grouped, beside)
