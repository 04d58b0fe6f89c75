"""Models compared in groups of cases: document and JSON (docs/comparison-by-groups.schema.json)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import fields, replace
from math import inf, isnan
from typing import Any

from classay.assessment.assessing import Group
from classay.comparison.by_group import NAMED, GroupComparisons
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.gate_rules import direction_of
from classay.comparison.interaction import Interaction
from classay.comparison.named_tests import methods_text
from classay.inference.estimate import heading, parts, title
from classay.report.document import Document, Label, Prose, Section, Table
from classay.report.paper import of_facts
from classay.report.results import comparisons
from classay.report.results.parts import head, of_estimate, plain
from classay.texts import listed

MOST_SHOWN = 200
"""Groups up to which all are shown."""
WORST = 50
"""Groups that are shown of more than those; the frame and the JSON have all."""
MAIN = 15
"""Groups that a page shows before more are asked for."""


def whole_of(found: GroupComparisons) -> Comparisons:
    """The comparisons of all cases."""
    return Comparisons(**{each.name: getattr(found, each.name) for each in fields(Comparisons)})


def document_of(found: GroupComparisons) -> Document:
    """The groups, the worst first, then all cases as they are compared alone."""
    whole = comparisons.document_of(whole_of(found))
    return replace(
        whole,
        title=f"{whole.title} by {found.by}",
        verdict=_verdict(found.sentences_of_groups, tuple(f"All cases: {each}" for each in whole.verdict)),
        sections=(
            *_sections(found),
            *(
                replace(each, parts=_methods(found))
                if each.role == "methods"
                else replace(each, title=f"{comparisons.ALL_CASES}{each.title}")
                if isinstance(each.parts[0], Table)
                else each
                for each in whole.sections
            ),
        ),
    )


def _verdict(groups: tuple[str, ...], whole: tuple[str, ...]) -> tuple[str, ...]:
    """What leads of the groups and of all cases, then the rest of both."""
    return (*groups[:1], *whole[:1], *groups[1:], *whole[1:])


with_pictures = comparisons.with_pictures
for_paper = comparisons.for_paper


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
            f"{heading(measure)} by {found.by}{name}", (_table(found, each, overall.get((measure, models))),)
        )


def _table(
    found: GroupComparisons, rows: list[tuple[Hashable, Comparison]], whole: Comparison | None
) -> Table:
    """One pair of models in one measure, in every group, where the first is surely worst on top."""
    ordered = sorted(rows, key=lambda each: _surely(each[1]))
    shown = ordered if len(ordered) <= MOST_SHOWN else ordered[:WORST]
    heads = comparisons.heads_of(replace(whole_of(found), each=tuple(one for _, one in rows)))
    heads = comparisons.ADJUSTED if len(heads) == 2 else heads
    cases = [found.cases[label] for label, _ in shown]
    labels = [(Label(str(label), whole=isinstance(label, Group)), one) for label, one in shown]
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
        *(each.sentence(found.claimed_at) for each in tests if len(found.interactions) > NAMED),
        *(each.omitted for each in tests),
    ]
    made = comparisons.table_of(labels, rows[0][1].models, heads, " ".join(filter(None, note)), cases)
    beside = ""
    if whole is not None and whole.effect is not None and whole.effect.has_interval:
        value, low, high = parts(whole.effect)
        beside = f"all cases {value} [{low}, {high}]"
    return replace(made, beside=beside, main=MAIN)


def _surely(one: Comparison) -> float:
    """How much better the first model is at most; what has no interval comes last."""
    effect, better = one.effect, direction_of(one) or 1
    if effect is None or not effect.has_interval:
        return inf
    return effect.high if better > 0 else -effect.low


SCHEMA = 1


def as_dict(found: GroupComparisons) -> dict[str, Any]:
    """All cases as comparisons have them, each group, and the tests of interaction, as plain values."""
    return {
        **head(SCHEMA, "comparison by groups"),
        "by": found.by,
        "models": list(found.models),
        "level": found.level,
        "seed": found.seed,
        "all_cases": comparisons.as_dict(whole_of(found)),
        "groups": [
            {
                "label": plain(label),
                "values": [plain(each) for each in (label if isinstance(label, Group) else (label,))],
                "n": found.cases[label],
                "comparisons": [comparisons.one_as_dict(one) for one in each],
            }
            for label, each in found.groups.items()
        ],
        "without_cases": [plain(label) for label in found.emptied],
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
