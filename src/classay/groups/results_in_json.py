"""What the JSON of comparisons and gates by groups says (docs/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from classay.assessment.group_labels import Group
from classay.report.results.compared_shapes import (
    ABOUT_LABELS,
    CODES,
    COMPARE,
    GATE,
    NEW_FIRST,
    PAIR,
    VALUES_OF_MODELS,
)
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
    HEADLINE,
    LABEL,
    LEVEL,
    NUMBER,
    POOLED,
    TESTED,
    TEXT,
    TEXTS,
    VERDICT,
    warnings,
)

_GATE_OF_GROUP = Row(
    Key("label", LABEL, "0"),
    Key("values", Many(LABEL).limited(minItems=1), lambda row: columns_of_group(row[0])),
    Key("verdict", VERDICT, lambda row: row[2].verdict_in(row[0]).value),
    Key(
        "values_of_models",
        VALUES_OF_MODELS,
        lambda row: map(float, row[1].comparison.values),
        NEW_FIRST.format("the group"),
        added=True,
    ),
    Key("difference", TESTED, "1.difference"),
    Key(
        "at_most",
        NUMBER,
        lambda row: row[2].simultaneous[row[0]].high,
        "Upper limit of the difference, turned so that higher is better, jointly valid for all groups.",
    ),
    Key("n", NUMBER, "1.comparison.n"),
)
_GATE_NOT_RECORDED = Row(
    Key("n", COUNT.limited(minimum=1), "cases_not_recorded"),
    Key(
        "values_of_models",
        VALUES_OF_MODELS,
        lambda gate: map(float, gate.not_recorded.comparison.values),
        NEW_FIRST.format("these cases"),
        added=True,
    ),
    Key("difference", TESTED, "not_recorded.difference"),
)
NOT_RECORDED = (
    "Cases without a group. They are included in all cases, but not in comparisons between groups. Absent if "
    "every case has a group."
)
POOLED_GROUPS = "Small groups that were combined. Absent if this was not requested."


def columns_of_group(label: Hashable) -> tuple[Any, ...]:
    """Return the label of a group in each column."""
    return label if isinstance(label, Group) else (label,)


GATE_OF_GROUPS = Result(
    "comparison",
    1,
    "Gate by groups",
    "What `classay gate --by --json` writes: the gate of all cases, and the verdict on each group.",
    *GATE.keys,
    Key(
        "by",
        TEXT,
        help="Columns of the groups, if the rule also applies to groups.",
    ),
    Key("pooled", POOLED, help=POOLED_GROUPS, optional=True),
    Key(
        "groups",
        Many(_GATE_OF_GROUP),
        lambda gate: [(label, of_group, gate) for label, of_group in gate.groups.items()],
        "The verdict on each group.",
    ),
    Key(
        "not_recorded",
        _GATE_NOT_RECORDED,
        lambda gate: None if gate.not_recorded is None else gate,
        NOT_RECORDED,
        optional=True,
    ),
    name="gate_by_groups",
)
"""As of a gate, where groups are held to the rule too."""

_TWO = TEXTS.limited(minItems=2, maxItems=2)
_COMPARISONS_OF_GROUP = Many(PAIR).limited(
    description="As `comparisons` of all cases. p values are adjusted for all groups."
)
_GROUP = Row(
    Key("label", LABEL, "0", "The group. For several columns a text, `sex=f, age=1`."),
    Key(
        "values",
        Many(LABEL).limited(minItems=1),
        lambda row: columns_of_group(row[0]),
        "Its label in each column.",
    ),
    Key("n", COUNT, "1", "Number of cases."),
    Key("comparisons", _COMPARISONS_OF_GROUP, "2"),
)
_UNGROUPED = Row(
    Key("n", COUNT.limited(minimum=1), "cases_not_recorded"),
    Key("comparisons", _COMPARISONS_OF_GROUP, "not_recorded"),
)
_INTERACTION = Row(
    Key("measure", TEXT, "0.measure"),
    Key("models", _TWO, "0.models"),
    Key("statistic", NUMBER, "0.statistic", "Welch's F."),
    Key("df", Many(NUMBER).limited(minItems=2, maxItems=2), "0.df"),
    Key("p", NUMBER, "0.p"),
    Key("p_adjusted", NUMBER, "0.p_adjusted", "Adjusted for all tests of interaction. Null for one test."),
    Key("groups", COUNT, "0.groups", "Groups in the test."),
    Key("left_out", Many(Row(Key("group", LABEL, "0"), Key("reason", TEXT, "1"))), "0.without"),
    Key("reason", TEXT.or_null(), "0.reason", "Reason why there is no test."),
    Key("sentence", TEXT, lambda pair: pair[0].sentence(pair[1])),
    Key("reference", TEXT, "0.reference"),
)
_GAP_CHANGE = Row(
    Key("measure", TEXT),
    Key("models", _TWO),
    Key("gaps", Many(NUMBER).limited(minItems=2, maxItems=2)),
    Key("change", TESTED),
    Key("groups", COUNT),
    Key("left_out", COUNT),
    Key("sentence", TEXT),
)
_MEANS = Row(Key("first", ESTIMATE, "0"), Key("second", ESTIMATE, "1"), Key("difference", ESTIMATE, "2"))
_PLACE = Row(Key("group", LABEL, "0"), Key("measure", TEXT, "1.measure"), Key("models", _TWO, "1.models"))
BY_GROUPS = Result(
    "comparison",
    1,
    "Comparison by groups",
    "What `classay compare --by --json` writes: all cases, and the cases of each group.",
    Key("by", TEXT, help="The columns of the groups."),
    Key("models", TEXTS.limited(minItems=2)),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("all_cases", COMPARE.named("compare")),
    Key(
        "groups",
        Many(_GROUP),
        lambda grouped: [(label, grouped.cases[label], rows) for label, rows in grouped.groups.items()],
    ),
    Key("without_cases", Many(LABEL), "emptied", "Groups without a compared case."),
    Key(
        "means_of_groups",
        _MEANS,
        lambda grouped: grouped.means_of_groups or None,
        "Of two graded runs: the mean of the means of groups of each, and the difference.",
        optional=True,
    ),
    Key(
        "not_recorded",
        _UNGROUPED,
        lambda grouped: None if grouped.not_recorded is None else grouped,
        NOT_RECORDED,
        optional=True,
    ),
    Key("pooled", POOLED, help=POOLED_GROUPS, optional=True),
    Key(
        "interactions",
        Many(_INTERACTION),
        lambda grouped: [(interaction, grouped.claimed_at) for interaction in grouped.interactions],
        "Tests of whether the difference varies between groups.",
    ),
    Key(
        "gap_changes",
        Many(_GAP_CHANGE),
        help="Change of the largest gap between groups from the second model of a pair to the first. The interval "
        "is a bound.",
        added=True,
    ),
    Key(
        "worse_in",
        Many(_PLACE),
        "losing",
        "Groups in which the first of two models is detectably worse, smallest p first.",
    ),
    Key("better_in", Many(_PLACE), "winning", "Groups in which it is detectably better."),
    Key("sentences", TEXTS, "sentences_of_groups"),
    Key("headline", HEADLINE, added=True),
    Key("warnings", warnings(*CODES), help=ABOUT_LABELS, added=True),
    Key("methods", TEXT),
    kind="comparison by groups",
    name="by_groups",
)
"""Of comparisons in groups, with all cases, findings and methods beside them."""
