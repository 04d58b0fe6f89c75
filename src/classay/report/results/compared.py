"""One comparison, one in each group of cases, the best of several models, and a gate with its requirements.

Documents; what their JSON says is described in `compared_shapes.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields, replace
from math import inf, isnan
from typing import Any

from classay.assessment.assessing import Group
from classay.assessment.compared_groups import line_of_not_recorded
from classay.assessment.finding import Finding, leading
from classay.comparison.best import Best
from classay.comparison.by_group import NAMED_OF_GROUPS, GroupComparisons, GroupGate
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons, row_of
from classay.comparison.findings_differences import findings_on_comparisons, findings_on_groups_of_cases
from classay.comparison.findings_gates import findings_on_gate
from classay.comparison.gate_rules import Gate, direction_of
from classay.comparison.named_tests import methods_text
from classay.inference.estimate import Estimate, apart, heading, parts, title
from classay.inference.requirements import Outcome, Verdict
from classay.report.document import (
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    Found,
    Label,
    Listing,
    MethodCell,
    Prose,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.paper import of_facts
from classay.report.results import compared_models
from classay.report.results.assessments import closing
from classay.report.results.compared_models import bar_of, scale_around
from classay.report.results.compared_shapes import BY_GROUPS, GATE
from classay.report.results.parts import (
    BARS,
    STATUS,
    TONES,
    decided_by,
    not_met,
    plain,
    section_of,
    with_flow,
)
from classay.report.shape import Key, Result
from classay.report.text import section_text
from classay.report.value_kinds import COUNT, NUMBER, TESTED, TEXT, TEXTS, WARNINGS
from classay.texts import listed, some


def document_of_gate(gate: Gate, outcomes: Sequence[Outcome] = ()) -> Document:
    """The document of a gate; its status is the verdict on the rule and on all requirements together."""
    sections = [Section(" less ".join(gate.comparison.models), (_table_of_gate(gate),))]
    if isinstance(gate, GroupGate):
        sections.append(_of_group_gate(gate))
    if outcomes:
        sections.append(section_of(outcomes))
    sections += closing("", gate.warnings, ())
    return Document(
        _title(gate, outcomes),
        gate.facts,
        tuple(finding.sentence for finding in _findings(gate, outcomes)),
        tuple(sections),
        STATUS[verdict_of(gate, outcomes)],
        sources=tuple(dict.fromkeys(filter(None, gate.comparison.reference.split("; ")))),
    )


def for_paper_of_gate(document: Document, gate: Gate) -> Document:
    """The document with the rows that were given and not compared first, as that of comparisons."""
    return with_flow(document, gate.left_out)


def _title(gate: Gate, outcomes: Sequence[Outcome]) -> str:
    """The rule and the requirements, first those on which the verdict rests."""
    margin = "" if gate.margin is None else f", margin {gate.margin:g}"
    rule = (f"{gate.rule}{margin}", gate.verdict)
    demands = decided_by([rule, *((str(outcome.requirement), outcome.verdict) for outcome in outcomes)])
    return f"{demands}, {' against '.join(gate.comparison.models)}"


def _findings(gate: Gate, outcomes: Sequence[Outcome]) -> tuple[Finding, ...]:
    """What the rule and the requirements found, first what the verdict rests on."""
    worst = verdict_of(gate, outcomes)
    first = not_met([outcome for outcome in outcomes if outcome.verdict is worst])
    then = not_met([outcome for outcome in outcomes if outcome.verdict is not worst])
    return leading(findings_on_gate(gate, (*first, *then), demands_lead=gate.verdict is not worst))


def verdict_of(gate: Gate, outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict on the rule and on all requirements together."""
    return Verdict.of([gate.verdict, *(outcome.verdict for outcome in outcomes)])


def effect_of(gate: Gate) -> Estimate:
    """The difference as it is, first less second, or why there is none."""
    effect = gate.comparison.effect
    return gate.difference if effect is None else effect


def condition_of(gate: Gate, *, fails: bool = False) -> str:
    """What the rule demands of the difference as it is shown, first less second, also where less is better.

    Equivalence demands the same of a difference and of its negative. `fails` is where it fails.
    """
    if gate.rule == "equivalent" or direction_of(gate.comparison) > 0:
        return gate.condition_of_failure if fails else gate.condition
    conditions = gate.conditions.fails if fails else gate.conditions.passes
    return str(conditions[0].negated)


def _table_of_gate(gate: Gate) -> Table:
    comparison = gate.comparison
    values = [Words(text) for text in apart(*comparison.values)] or [Words("–")] * 2
    n = "" if comparison.n is None else f"; {comparison.n:,.0f} {comparison.units}"
    better = "higher" if direction_of(comparison) > 0 else "lower"
    effect = effect_of(gate)
    has_p = not isnan(gate.p)
    sign = -1 if direction_of(comparison) < 0 else 1
    turned = " Bars are turned, so that right is better." if sign < 0 else ""
    edges = {"non-inferior": (-1.0,), "superior": (1.0,), "equivalent": (-1.0, 1.0)}.get(gate.rule, ())
    dashed = " Dashed: the margin." if edges and gate.margin else ""
    bar = bar_of(effect, sign, TONES[gate.verdict]) if effect.has_interval else None
    scale = scale_around([] if bar is None else [bar], gate.margin or 0.0)
    return Table(
        (
            Column("measure", Label),
            *(Column(name, Words) for name in comparison.models),
            Column("difference", Difference),
            *([Column("one-sided p", PValue)] if has_p else []),
            Column("", Bar, BARS),
        ),
        (
            (
                Label(title(comparison.measure), comparison.measure),
                *values,
                Difference(effect),
                *([PValue(gate.p)] if has_p else []),
                bar,
            ),
        ),
        foot=f"Rule: passes if `{condition_of(gate)}`, {_of_failure(gate)}; {better} {title(comparison.measure)} is "
        f"better.{turned}{dashed} {_of_p(gate) if has_p else ''}{comparison.method}{n}.",
        scale=replace(scale, margin=gate.margin or 0.0, edges=edges),
    )


def _of_failure(gate: Gate) -> str:
    """Where a rule fails, and that it is inconclusive between, if there is a between."""
    if all(condition.part == "high" for condition in gate.conditions.passes):
        return "fails otherwise"
    return f"fails if `{condition_of(gate, fails=True)}`, inconclusive otherwise"


def _of_p(gate: Gate) -> str:
    """What the p-value is of, and from where on it decides."""
    alpha = (1 - (gate.difference.level or 0.95)) / 2
    holds = "the rule fails at" if gate.rule == "not-worse" else "the rule holds at"
    return f"p: of {gate.against}, from the interval; {holds} {alpha:.3g} or less. "


def _of_group_gate(gate: GroupGate) -> Section:
    """The verdict on each group, those that fail first."""
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
                *([Words(text) for text in apart(*group_gate.comparison.values)] or [Words("–")] * 2),
                Difference(effect_of(group_gate)),
                Value(replace(wide, value=wide.high) if wide.has_interval else wide),
                Words(STATUS[verdict].lower(), TONES[verdict]),
            )
        )
    if (unnamed := gate.not_recorded) is not None:
        both = [Words(text) for text in apart(*unnamed.comparison.values)] or [Words("–")] * 2
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
    passes = "" if gate.rule == "not-worse" else "passes by its own interval, and "
    edge = "0" if gate.margin is None else f"{-gate.margin:g}"
    better = " with more better" if direction_of(gate.comparison) < 0 else ""
    between = "" if gate.rule == "not-worse" else ", and is inconclusive otherwise"
    note = (
        f"At most: the upper end of the difference{better} that is jointly valid for all {len(order):,} groups. A "
        f"group {passes}fails where that end is below {edge}{between}."
    )
    return Section(f"By {gate.by}", (Table(columns, tuple(rows), note=note),))


def text_of_groups(gate: Gate, most: int = 20) -> list[str]:
    """The groups of a gate as a table in plain text, those that decide first; none of a gate without groups."""
    if not isinstance(gate, GroupGate):
        return []
    section = _of_group_gate(gate)
    (table,) = (part for part in section.parts if isinstance(part, Table))
    more = len(table.rows) - most
    foot = f"{more:,} more lines in `--markdown FILE`." if more > 0 else ""
    table = replace(table, rows=table.rows[:most], note="", foot=foot)
    return section_text(Section(section.title, (table,))).split("\n")


def as_dict_of_gate(gate: Gate, outcomes: Sequence[Outcome] = ()) -> dict[str, Any]:
    """A gate, and requirements beside it, as values that JSON knows; `verdict` is that of all of them."""
    beside = {"verdict": verdict_of(gate, outcomes).value, "effect": effect_of(gate)}
    return GATE.as_dict(gate, beside | {"headline": _findings(gate, outcomes), "requirements": outcomes})


def alone(comparison: Comparison) -> Comparisons:
    """The comparison as a family of its own; a comparison of more than two models is an overall test."""
    if len(comparison.models) == 2:
        return Comparisons((comparison,), comparison.models, level=comparison.claimed_at)
    return Comparisons((), comparison.models, level=comparison.claimed_at, overall=(comparison,))


def document_of_comparison(comparison: Comparison) -> Document:
    """As that of comparisons, without facts of what was compared, which the family has."""
    return compared_models.document_of(alone(comparison))


def frame_of_comparison(comparison: Comparison) -> Any:
    """One row, with the columns of a frame of comparisons."""
    return Comparisons((comparison,), comparison.models).frame()


def as_dict_of_comparison(comparison: Comparison) -> dict[str, Any]:
    """The comparison as it stands among the others of a family, with the names of all that were compared."""
    return {"models": list(comparison.models)} | {
        name: plain(value) for name, value in row_of(comparison).items()
    }


MOST_SHOWN = 200
"""Groups up to which all are shown."""
WORST = 50
"""Groups that are shown of more than those; the frame and the JSON have all."""
MAIN = 15
"""Groups that a page shows before more are asked for."""


def whole_of(grouped: GroupComparisons) -> Comparisons:
    """The comparisons of all cases."""
    return Comparisons(**{field.name: getattr(grouped, field.name) for field in fields(Comparisons)})


def document_of_groups(grouped: GroupComparisons) -> Document:
    """The groups, the worst first, then all cases as they are compared alone."""
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
    """What leads of the groups and of all cases, then the rest of both."""
    return findings_on_groups_of_cases(grouped, leading(findings_on_comparisons(whole_of(grouped))))


with_pictures_of_groups = compared_models.with_pictures
for_paper_of_groups = compared_models.for_paper


def _methods(grouped: GroupComparisons) -> tuple[Prose, ...]:
    """How all cases and the groups were compared."""
    facts = " ".join(of_facts(grouped.facts))
    every = [one for _, one in grouped.in_groups]
    tested = [interaction for interaction in grouped.interactions if not isnan(interaction.p)]
    how = [f"The models were also compared in each of {len(grouped.groups):,} groups by {grouped.by}."]
    if tested:
        names = listed(list(dict.fromkeys(title(interaction.measure) for interaction in tested)))
        how.append(
            f"Whether the difference in {names} depends on the group was tested by Welch's F over the differences of "
            f"the groups with their paired variances ({tested[0].reference})."
        )
    text = methods_text([*grouped.each, *every], grouped.level, grouped.overall)
    return tuple(
        Prose(each) for each in "\n\n".join([" ".join(filter(None, [facts, *how])), text]).split("\n\n")
    )


def _sections(grouped: GroupComparisons) -> Iterator[Section]:
    """A table for each measure and pair of models."""
    several = len({one.models for _, one in grouped.in_groups}) > 1
    overall = {(one.measure, one.models): one for one in grouped}
    rows: dict[tuple[str, tuple[str, ...]], list[tuple[Hashable, Comparison]]] = {}
    for label, one in grouped.in_groups:
        rows.setdefault((one.measure, one.models), []).append((label, one))
    for (measure, models), group_rows in rows.items():
        name = f": {' less '.join(models)}" if several else f": {models[0]} less {models[1]}"
        yield Section(
            f"{heading(measure)} by {grouped.by}{name}",
            (_table_of_groups(grouped, group_rows, overall.get((measure, models))),),
        )


def _table_of_groups(
    grouped: GroupComparisons, rows: list[tuple[Hashable, Comparison]], all_cases: Comparison | None
) -> Table:
    """One pair of models in one measure, in every group, where the first is surely worst on top."""
    ordered = sorted(rows, key=lambda row: _surely(row[1]))
    shown = ordered if len(ordered) <= MOST_SHOWN else ordered[:WORST]
    heads = compared_models.heads_of(replace(whole_of(grouped), each=tuple(one for _, one in rows)))
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
        f"Of {len(ordered):,} groups the {WORST} in which {rows[0][1].models[0]} is surely worst are shown."
        if len(ordered) > MOST_SHOWN
        else "",
        f"p is adjusted by {name} for {family:,} comparisons in groups; the intervals are those of each group alone."
        if family > 1 and name
        else "",
        *(test.sentence(grouped.claimed_at) for test in tests if len(grouped.interactions) > NAMED_OF_GROUPS),
        *(test.omitted for test in tests),
    ]
    table = compared_models.table_of(labels, rows[0][1].models, heads, " ".join(filter(None, note)), cases)
    beside = ""
    if all_cases is not None and all_cases.effect is not None and all_cases.effect.has_interval:
        value, low, high = parts(all_cases.effect)
        beside = f"all cases {value} [{low}, {high}]"
    return replace(table, beside=beside, main=MAIN)


def _surely(one: Comparison) -> float:
    """How much better the first model is at most; what has no interval comes last.

    One-sided, the one limit that there is, whichever it be.
    """
    effect, better = one.effect, direction_of(one) or 1
    if effect is None or not effect.has_interval:
        return inf
    if one.alternative != "two-sided":
        return better * (effect.low if one.alternative == "greater" else effect.high)
    return effect.high if better > 0 else -effect.low


def as_dict_of_groups(grouped: GroupComparisons) -> dict[str, Any]:
    """All cases as comparisons have them, each group, and the tests of interaction, as plain values."""
    beside = {
        "all_cases": whole_of(grouped),
        "headline": leading(_findings_of_groups(grouped)),
        "methods": "\n\n".join(paragraph.text for paragraph in _methods(grouped)),
    }
    return BY_GROUPS.as_dict(grouped, beside)


def document_of_best(best: Best) -> Document:
    """The observed value of the best model, its expected value on fresh cases, and the difference."""
    table = Table(
        (Column("", Label), Column("value", Found), Column("method", MethodCell)),
        tuple(
            (Label(name), Found(estimate), MethodCell(estimate))
            for name, estimate in (
                ("observed, uncorrected", best.observed),
                ("expected on fresh cases", best.corrected),
            )
        ),
        foot="The corrected interval holds whichever model is chosen.",
    )
    facts = (
        *best.facts,
        ("best", some([best.model, *best.equals], 4)),
        ("level", f"{100 * (best.corrected.level or best.observed.level or 0.95):g} %, seed {best.seed}"),
    )
    measure = title(best.measure)
    section = Section(f"{measure[:1].upper()}{measure[1:]} of {best.model}", (table,))
    warned = closing("", best.warnings, ())
    return Document("The best of several models", facts, (best.sentence,), (section, *warned))


BEST = Result(
    "best",
    1,
    "The best of several models",
    "What `classay best --json` writes and `Best.to_dict` returns: the observed value of the best model, and that "
    "expected on fresh cases.",
    Key("measure", TEXT),
    Key("model", TEXT, help="The model with the best value."),
    Key("equals", TEXTS, help="Those with the same value."),
    Key("models", COUNT.limited(minimum=1), help="How many models there are."),
    Key("cases", COUNT),
    Key("observed", TESTED, help="The best value, uncorrected."),
    Key("corrected", TESTED, help="What to expect of the model on fresh cases."),
    Key("shrinkage", NUMBER),
    Key("sentence", TEXT),
    Key("seed", COUNT),
    Key("warnings", WARNINGS),
)
as_dict_of_best = BEST.as_dict
