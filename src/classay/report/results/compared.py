"""One comparison, one in each group of cases, the best of several models, and a gate with its requirements.

Documents and JSON (docs/comparison-by-groups.schema.json for groups).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields, replace
from math import inf, isnan
from typing import Any

from classay.assessment.assessing import Group
from classay.assessment.compared_groups import line_of_not_recorded
from classay.assessment.finding import Finding, leading
from classay.assessment.headline import as_plain
from classay.comparison.best import Best
from classay.comparison.by_group import NAMED_OF_GROUPS, GroupComparisons, GroupGate, Interaction
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons, row_of
from classay.comparison.findings_differences import findings_on_comparisons, findings_on_groups_of_cases
from classay.comparison.findings_gates import findings_on_gate
from classay.comparison.gate_rules import THRESHOLD, Gate, direction_of
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
from classay.report.results.groups_of_cases import of_pool
from classay.report.results.parts import (
    BARS,
    STATUS,
    TONES,
    decided_by,
    head,
    not_met,
    of_estimate,
    of_outcome,
    of_warnings,
    plain,
    section_of,
    with_flow,
)
from classay.report.text import section_text
from classay.texts import listed, some


def document_of_gate(made: Gate, outcomes: Sequence[Outcome] = ()) -> Document:
    """The document of a gate; its status is the verdict on the rule and on all requirements together."""
    sections = [Section(" less ".join(made.comparison.models), (_table_of_gate(made),))]
    if isinstance(made, GroupGate):
        sections.append(_of_group_gate(made))
    if outcomes:
        sections.append(section_of(outcomes))
    sections += closing("", made.warnings, ())
    return Document(
        _title(made, outcomes),
        made.facts,
        tuple(each.sentence for each in _findings(made, outcomes)),
        tuple(sections),
        STATUS[verdict_of(made, outcomes)],
        sources=tuple(dict.fromkeys(filter(None, made.comparison.reference.split("; ")))),
    )


def for_paper_of_gate(document: Document, made: Gate) -> Document:
    """The document with the rows that were given and not compared first, as that of comparisons."""
    return with_flow(document, made.left_out)


def _title(made: Gate, outcomes: Sequence[Outcome]) -> str:
    """The rule and the requirements, first those on which the verdict rests."""
    margin = "" if made.margin is None else f", margin {made.margin:g}"
    rule = (f"{made.rule}{margin}", made.verdict)
    demands = decided_by([rule, *((str(each.requirement), each.verdict) for each in outcomes)])
    return f"{demands}, {' against '.join(made.comparison.models)}"


def _findings(made: Gate, outcomes: Sequence[Outcome]) -> tuple[Finding, ...]:
    """What the rule and the requirements found, first what the verdict rests on."""
    worst = verdict_of(made, outcomes)
    first = not_met([each for each in outcomes if each.verdict is worst])
    then = not_met([each for each in outcomes if each.verdict is not worst])
    return leading(findings_on_gate(made, (*first, *then), demands_lead=made.verdict is not worst))


def verdict_of(made: Gate, outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict on the rule and on all requirements together."""
    return Verdict.of([made.verdict, *(each.verdict for each in outcomes)])


def effect_of(made: Gate) -> Estimate:
    """The difference as it is, first less second, or why there is none."""
    found = made.comparison.effect
    return made.difference if found is None else found


def condition_of(made: Gate, *, fails: bool = False) -> str:
    """What the rule demands of the difference as it is shown, first less second, also where less is better.

    Equivalence demands the same of a difference and of its negative. `fails` is where it fails.
    """
    if made.rule == "equivalent" or direction_of(made.comparison) > 0:
        return made.condition_of_failure if fails else made.condition
    asked = made.conditions.fails if fails else made.conditions.passes
    return str(asked[0].negated)


def _table_of_gate(made: Gate) -> Table:
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
        foot=f"Rule: passes if `{condition_of(made)}`, {_of_failure(made)}; {better} {title(found.measure)} is "
        f"better.{turned}{dashed} {_of_p(made) if has_p else ''}{found.method}{n}.",
        scale=replace(scale, margin=made.margin or 0.0, edges=edges),
    )


def _of_failure(made: Gate) -> str:
    """Where a rule fails, and that it is inconclusive between, if there is a between."""
    if all(each.part == "high" for each in made.conditions.passes):
        return "fails otherwise"
    return f"fails if `{condition_of(made, fails=True)}`, inconclusive otherwise"


def _of_p(made: Gate) -> str:
    """What the p-value is of, and from where on it decides."""
    alpha = (1 - (made.difference.level or 0.95)) / 2
    holds = "the rule fails at" if made.rule == "not-worse" else "the rule holds at"
    return f"p: of {made.against}, from the interval; {holds} {alpha:.3g} or less. "


def _of_group_gate(made: GroupGate) -> Section:
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
                *([Words(text) for text in apart(*found.comparison.values)] or [Words("–")] * 2),
                Difference(effect_of(found)),
                Value(replace(wide, value=wide.high) if wide.has_interval else wide),
                Words(STATUS[verdict].lower(), TONES[verdict]),
            )
        )
    if (unnamed := made.not_recorded) is not None:
        both = [Words(text) for text in apart(*unnamed.comparison.values)] or [Words("–")] * 2
        cells: list[Cell] = [Label(line_of_not_recorded(made.groups)), Count(made.cases_not_recorded), *both]
        rows.append((*cells, Difference(effect_of(unnamed)), None, Words("not compared")))
    columns = (
        Column("group", Label),
        Column(made.comparison.units, Count),
        *(Column(name, Words) for name in made.comparison.models),
        Column("difference", Difference),
        Column("at most", Value),
        Column("verdict", Words),
    )
    passes = "" if made.rule == "not-worse" else "passes by its own interval, and "
    edge = "0" if made.margin is None else f"{-made.margin:g}"
    better = " with more better" if direction_of(made.comparison) < 0 else ""
    between = "" if made.rule == "not-worse" else ", and is inconclusive otherwise"
    note = (
        f"At most: the upper end of the difference{better} that is jointly valid for all {len(order):,} groups. A "
        f"group {passes}fails where that end is below {edge}{between}."
    )
    return Section(f"By {made.by}", (Table(columns, tuple(rows), note=note),))


def text_of_groups(made: Gate, most: int = 20) -> list[str]:
    """The groups of a gate as a table in plain text, those that decide first; none of a gate without groups."""
    if not isinstance(made, GroupGate):
        return []
    section = _of_group_gate(made)
    (table,) = (part for part in section.parts if isinstance(part, Table))
    more = len(table.rows) - most
    foot = f"{more:,} more lines in `--markdown FILE`." if more > 0 else ""
    table = replace(table, rows=table.rows[:most], note="", foot=foot)
    return section_text(Section(section.title, (table,))).split("\n")


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


def as_dict_of_gate(made: Gate, outcomes: Sequence[Outcome] = ()) -> dict[str, Any]:
    """A gate, and requirements beside it, as values that JSON knows; `verdict` is that of all of them."""
    found = made.comparison
    noise = None if found.noise is None else found.noise[:: direction_of(found)]
    return {
        **head(SCHEMA),
        "verdict": verdict_of(made, outcomes).value,
        "rule": made.rule,
        "margin": made.margin,
        "condition": made.condition,
        "condition_of_failure": made.condition_of_failure,
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
        "threshold": dict(made.facts).get(THRESHOLD),
        "left_out": made.left_out,
        "omissions": _omissions(made),
        "reason": found.reason,
        "headline": as_plain(_findings(made, outcomes)),
        "warnings": of_warnings(made.warnings),
        "requirements": [of_outcome(each) for each in outcomes],
    } | (_groups_as_dict(made) if isinstance(made, GroupGate) else {})


def _groups_as_dict(made: GroupGate) -> dict[str, Any]:
    """The verdict on each group."""
    groups = [
        {
            "label": plain(label),
            "values": [plain(each) for each in (label if isinstance(label, Group) else (label,))],
            "verdict": made.verdict_in(label).value,
            "values_of_models": [plain(float(value)) for value in found.comparison.values],
            "difference": of_estimate(found.difference),
            "at_most": plain(made.simultaneous[label].high),
            "n": plain(found.comparison.n),
        }
        for label, found in made.groups.items()
    ]
    apart: dict[str, Any] = {}
    if made.not_recorded is not None:
        unnamed = made.not_recorded
        apart["not_recorded"] = {
            "n": made.cases_not_recorded,
            "values_of_models": [plain(float(value)) for value in unnamed.comparison.values],
            "difference": of_estimate(unnamed.difference),
        }
    return {"by": made.by, **of_pool(made.pooled), "groups": groups, **apart}


def alone(found: Comparison) -> Comparisons:
    """The comparison as a family of its own; a comparison of more than two models is an overall test."""
    if len(found.models) == 2:
        return Comparisons((found,), found.models, level=found.claimed_at)
    return Comparisons((), found.models, level=found.claimed_at, overall=(found,))


def document_of_comparison(found: Comparison) -> Document:
    """As that of comparisons, without facts of what was compared, which the family has."""
    return compared_models.document_of(alone(found))


def frame_of_comparison(found: Comparison) -> Any:
    """One row, with the columns of a frame of comparisons."""
    return Comparisons((found,), found.models).frame()


def as_dict_of_comparison(found: Comparison) -> dict[str, Any]:
    """The comparison as it stands among the others of a family, with the names of all that were compared."""
    return {"models": list(found.models)} | {name: plain(value) for name, value in row_of(found).items()}


MOST_SHOWN = 200
"""Groups up to which all are shown."""
WORST = 50
"""Groups that are shown of more than those; the frame and the JSON have all."""
MAIN = 15
"""Groups that a page shows before more are asked for."""


def whole_of(found: GroupComparisons) -> Comparisons:
    """The comparisons of all cases."""
    return Comparisons(**{each.name: getattr(found, each.name) for each in fields(Comparisons)})


def document_of_groups(found: GroupComparisons) -> Document:
    """The groups, the worst first, then all cases as they are compared alone."""
    whole = compared_models.document_of(whole_of(found))
    known = _findings_of_groups(found)
    lead = leading(known)
    further = tuple(("", each.sentence) for each in known if each not in lead)
    return replace(
        whole,
        title=f"{whole.title} by {found.by}",
        verdict=tuple(each.sentence for each in lead),
        sections=(
            *_sections(found),
            *([Section("Further findings in groups", (Listing(further),))] if further else []),
            *(
                replace(each, parts=_methods(found))
                if each.role == "methods"
                else replace(each, title=f"{compared_models.ALL_CASES}{each.title}")
                if isinstance(each.parts[0], Table)
                else each
                for each in whole.sections
            ),
        ),
    )


def _findings_of_groups(found: GroupComparisons) -> tuple[Finding, ...]:
    """What leads of the groups and of all cases, then the rest of both."""
    return findings_on_groups_of_cases(found, leading(findings_on_comparisons(whole_of(found))))


with_pictures_of_groups = compared_models.with_pictures
for_paper_of_groups = compared_models.for_paper


def _methods(found: GroupComparisons) -> tuple[Prose, ...]:
    """How all cases and the groups were compared."""
    facts = " ".join(of_facts(found.facts))
    every = [one for _, one in found.in_groups]
    tested = [each for each in found.interactions if not isnan(each.p)]
    how = [f"The models were also compared in each of {len(found.groups):,} groups by {found.by}."]
    if tested:
        names = listed(list(dict.fromkeys(title(each.measure) for each in tested)))
        how.append(
            f"Whether the difference in {names} depends on the group was tested by Welch's F over the differences of "
            f"the groups with their paired variances ({tested[0].reference})."
        )
    text = methods_text([*found.each, *every], found.level, found.overall)
    return tuple(
        Prose(each) for each in "\n\n".join([" ".join(filter(None, [facts, *how])), text]).split("\n\n")
    )


def _sections(found: GroupComparisons) -> Iterator[Section]:
    """A table for each measure and pair of models."""
    several = len({one.models for _, one in found.in_groups}) > 1
    overall = {(one.measure, one.models): one for one in found}
    rows: dict[tuple[str, tuple[str, ...]], list[tuple[Hashable, Comparison]]] = {}
    for label, one in found.in_groups:
        rows.setdefault((one.measure, one.models), []).append((label, one))
    for (measure, models), each in rows.items():
        name = f": {' less '.join(models)}" if several else f": {models[0]} less {models[1]}"
        yield Section(
            f"{heading(measure)} by {found.by}{name}",
            (_table_of_groups(found, each, overall.get((measure, models))),),
        )


def _table_of_groups(
    found: GroupComparisons, rows: list[tuple[Hashable, Comparison]], whole: Comparison | None
) -> Table:
    """One pair of models in one measure, in every group, where the first is surely worst on top."""
    ordered = sorted(rows, key=lambda each: _surely(each[1]))
    shown = ordered if len(ordered) <= MOST_SHOWN else ordered[:WORST]
    heads = compared_models.heads_of(replace(whole_of(found), each=tuple(one for _, one in rows)))
    heads = compared_models.ADJUSTED if len(heads) == 2 else heads
    cases = [found.cases[label] for label, _ in shown]
    labels = [(Label(str(label), whole=isinstance(label, Group)), one) for label, one in shown]
    for one in found.not_recorded or ():
        if rows and (one.measure, one.models) == (rows[0][1].measure, rows[0][1].models):
            cases.append(found.cases_not_recorded)
            labels.append((Label(line_of_not_recorded(found.groups)), one))
    tests = [
        each
        for each in found.interactions
        if rows and (each.measure, each.models) == (rows[0][1].measure, rows[0][1].models)
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
        *(each.sentence(found.claimed_at) for each in tests if len(found.interactions) > NAMED_OF_GROUPS),
        *(each.omitted for each in tests),
    ]
    made = compared_models.table_of(labels, rows[0][1].models, heads, " ".join(filter(None, note)), cases)
    beside = ""
    if whole is not None and whole.effect is not None and whole.effect.has_interval:
        value, low, high = parts(whole.effect)
        beside = f"all cases {value} [{low}, {high}]"
    return replace(made, beside=beside, main=MAIN)


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


SCHEMA_OF_GROUPS = 1


def as_dict_of_groups(found: GroupComparisons) -> dict[str, Any]:
    """All cases as comparisons have them, each group, and the tests of interaction, as plain values."""
    return {
        **head(SCHEMA_OF_GROUPS, "comparison by groups"),
        "by": found.by,
        "models": list(found.models),
        "level": found.level,
        "seed": found.seed,
        "all_cases": compared_models.as_dict(whole_of(found)),
        "groups": [
            {
                "label": plain(label),
                "values": [plain(each) for each in (label if isinstance(label, Group) else (label,))],
                "n": found.cases[label],
                "comparisons": [compared_models.one_as_dict(one) for one in each],
            }
            for label, each in found.groups.items()
        ],
        "without_cases": [plain(label) for label in found.emptied],
        **(
            {}
            if found.not_recorded is None
            else {
                "not_recorded": {
                    "n": found.cases_not_recorded,
                    "comparisons": [compared_models.one_as_dict(one) for one in found.not_recorded],
                }
            }
        ),
        **of_pool(found.pooled),
        "interactions": [_interaction(each, found) for each in found.interactions],
        "gap_changes": [
            {
                "measure": each.measure,
                "models": list(each.models),
                "gaps": [plain(gap) for gap in each.gaps],
                "change": of_estimate(each.change),
                "groups": each.groups,
                "left_out": each.left_out,
                "sentence": each.sentence,
            }
            for each in found.gap_changes
        ],
        "worse_in": [_found_in(label, one) for label, one in found.losing],
        "better_in": [_found_in(label, one) for label, one in found.winning],
        "sentences": list(found.sentences_of_groups),
        "headline": as_plain(leading(_findings_of_groups(found))),
        "warnings": of_warnings(found.warnings),
        "methods": "\n\n".join(each.text for each in _methods(found)),
    }


def _found_in(label: Hashable, one: Comparison) -> dict[str, Any]:
    return {"group": plain(label), "measure": one.measure, "models": list(one.models)}


def _interaction(each: Interaction, found: GroupComparisons) -> dict[str, Any]:
    return {
        "measure": each.measure,
        "models": list(each.models),
        "statistic": plain(each.statistic),
        "df": [plain(df) for df in each.df],
        "p": plain(each.p),
        "p_adjusted": plain(each.p_adjusted),
        "groups": each.groups,
        "left_out": [{"group": plain(label), "reason": why} for label, why in each.without],
        "reason": each.reason,
        "sentence": each.sentence(found.claimed_at),
        "reference": each.reference,
    }


def document_of_best(best: Best) -> Document:
    """The observed value of the best model, its expected value on fresh cases, and the difference."""
    table = Table(
        (Column("", Label), Column("value", Found), Column("method", MethodCell)),
        tuple(
            (Label(name), Found(each), MethodCell(each))
            for name, each in (
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


SCHEMA_OF_BEST = 1


def as_dict_of_best(best: Best) -> dict[str, Any]:
    """The best model with both estimates, as plain values."""
    return {
        **head(SCHEMA_OF_BEST),
        "measure": best.measure,
        "model": best.model,
        "equals": list(best.equals),
        "models": best.models,
        "cases": best.cases,
        "observed": of_estimate(best.observed),
        "corrected": of_estimate(best.corrected),
        "shrinkage": plain(best.shrinkage),
        "sentence": best.sentence,
        "seed": best.seed,
        "warnings": of_warnings(best.warnings),
    }
