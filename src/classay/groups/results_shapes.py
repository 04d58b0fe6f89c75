"""What the JSON of groups says.

Of groups, criteria and trends beside an assessment (docs/assessment.schema.json), and of segments, criteria, thresholds
and trends by themselves.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from classay.columns.spelling import groups_alike
from classay.groups.results_in_json import NOT_RECORDED, POOLED_GROUPS, columns_of_group
from classay.report.shape import ByName, Key, Kind, Many, Result, Row, absent, inside, itself
from classay.report.value_kinds import (
    COUNT,
    FLOAT,
    HEADLINE,
    LABEL,
    LEVEL,
    MEASURE,
    NUMBER,
    NUMBER_OR_NULL,
    POOLED,
    PVALUE,
    SHARE,
    TEXT,
    TEXTS,
    WARNINGS,
    WEIGHT,
    by_measure,
)

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.groups.compared_groups import GroupDifference
    from classay.groups.drift import LargestContrast
    from classay.groups.slices import GroupAssessments
    from classay.groups.trends import Trends

_GROUP_OF_PAIR = Key("group", LABEL, "0")
_LEFT_OUT = Many(Row(_GROUP_OF_PAIR, Key("reason", TEXT, "1")))
_POOLED = Key("pooled", POOLED, help=POOLED_GROUPS, optional=True)

_CHANGE = Row(
    Key(
        "at",
        LABEL,
        "0.at",
        "The first period behind a break, or the period that differs most; null where there is none.",
    ),
    Key(
        "before",
        NUMBER_OR_NULL,
        "0.before",
        "The mean before it, or of all other periods, weighted by cases.",
    ),
    Key("after", NUMBER_OR_NULL, "0.after", "The mean from it on, or its own value."),
    Key("difference", MEASURE, "0.difference"),
    Key("statistic", NUMBER_OR_NULL, "0.statistic"),
    Key("p", PVALUE, "0.p", "The chance of a contrast as large if nothing changes."),
    Key("p_adjusted", PVALUE, "1", "By Holm over the measures."),
).named("change")
"""The contrast that is largest beside its standard error, of all looked at; its limits hold for all of them."""
_COURSES = by_measure(Many(MEASURE))
_NUMBERS = Many(NUMBER_OR_NULL)
_DRIFT = Row(
    Key("periods", Many(LABEL)),
    Key("cases", Many(FLOAT)),
    Key("unlabelled", Many(FLOAT), help="Cases without a label, which count in the scores alone."),
    Key(
        "stability",
        ByName(
            Row(
                Key("index", _NUMBERS, "0"),
                Key(
                    "exceeded_in_5_percent",
                    _NUMBERS,
                    "1",
                    "What the index exceeds in 5% of the periods if nothing changes.",
                ),
                Key("p", _NUMBERS, "2"),
                Key("p_adjusted", _NUMBERS, "3", "By Holm over the periods."),
            )
        ),
        lambda drift: {
            name: (index, drift.usual[name], drift.p[name], drift.p_adjusted[name])
            for name, index in drift.psi.items()
        },
        "The population stability index of each period, of `scores`, or of `true classes` and `predicted classes`.",
    ),
    Key(
        "distance",
        Many(MEASURE),
        help="The Kolmogorov–Smirnov distance between the scores of each period and those of all others.",
    ),
    Key(
        "shares",
        _COURSES,
        help="Of two classes: the share of positives, and of those called positive, in each period.",
    ),
    Key(
        "changes",
        by_measure(_CHANGE),
        lambda drift: {name: (change, change.p) for name, change in drift.changes.items()},
        "Where these shares broke.",
    ),
)


def _of_periods(trends: Trends) -> Trends | None:
    """Trends over periods; None of groups, which are in no time."""
    return trends if trends.breaks else None


def _contrasts(
    contrasts: Mapping[str, LargestContrast], p: Mapping[str, float]
) -> dict[str, tuple[LargestContrast, float]] | None:
    return {name: (contrast, p[name]) for name, contrast in contrasts.items()} or None


OF_TRENDS = Row(
    Key("shards", Many(LABEL).limited(minItems=3)),
    Key(
        "when",
        Many(FLOAT),
        help="How many steps each lies after the first; those that are missing leave a gap.",
        added=True,
    ),
    Key("step", TEXT, "step_name", "What the changes are per, such as month.", added=True),
    Key("measures", by_measure(MEASURE), "changes"),
    Key(
        "p",
        by_measure(PVALUE),
        help="Two-sided p-values of no trend; null where there is no interval.",
    ),
    Key(
        "p_adjusted",
        by_measure(PVALUE),
        help="The same, adjusted by Holm for the measures that have one: these decide.",
        added=True,
    ),
    Key(
        "errors",
        by_measure(
            Row(
                Key("cases", WEIGHT.or_null()),
                Key("scatter", WEIGHT),
                Key("periods", COUNT.limited(minimum=3)),
            )
        ),
        help="Half the width of the interval of each change by the cases of the periods (null if unknown), and by the "
        "scatter of the periods, of which there are so many with a value: the wider one is the interval.",
        added=True,
    ),
    Key(
        "values",
        by_measure(Many(MEASURE).limited(minItems=3)),
        help="The estimates of each measure in each of `shards`, in their order.",
    ),
    Key(
        "cases",
        Many(FLOAT),
        lambda trends: trends.cases if trends.breaks else None,
        "The cases (or sums of weights) of each of `shards`.",
        optional=True,
    ),
    Key(
        "breaks",
        by_measure(_CHANGE),
        lambda trends: _contrasts(trends.breaks, trends.p_of_breaks),
        "Of periods: the largest contrast of early and late periods, beside its standard error.",
        optional=True,
    ),
    Key(
        "extremes",
        by_measure(_CHANGE),
        lambda trends: _contrasts(trends.extremes, trends.p_of_extremes),
        "Of periods: the one that differs most from all others together.",
        optional=True,
    ),
    Key(
        "drift",
        Kind(
            _DRIFT.or_null().schema,
            lambda trends: None if trends.drift is None else _DRIFT.json(trends.drift),
        ),
        _of_periods,
        "Of periods: scores, or classes where there are several, of each against all others. Null where scores are in "
        "bins of different widths.",
        optional=True,
    ),
)
OVER_PERIODS = Result(
    "trends",
    1,
    "Measures over periods",
    "What `Trends.to_dict()` gives: how much measures change from one period to the next, and where they broke; the "
    "same as `trends` of an assessment's JSON.",
    *OF_TRENDS.keys,
    Key("headline", HEADLINE, added=True),
    Key("warnings", WARNINGS, added=True),
    kind="trends",
)

_TOTALS = Key(
    "class_totals",
    Many(WEIGHT),
    lambda row: row[1].class_totals.tolist(),
    "Cases, or sums of sampling weights, of each class, in the order of `labels`.",
)
_OF_MEASURE = Row(
    Key("estimate", MEASURE),
    Key("difference", MEASURE, help="What the estimate is above that of the reference."),
    Key(
        "p",
        PVALUE,
        help="Two-sided p-value of there being no difference; null without an interval of it.",
    ),
    Key(
        "p_adjusted",
        PVALUE,
        help="The same by Holm's adjustment over the groups, for this measure; two groups are one test.",
    ),
)
OF_SLICES = Row(
    Key("by", TEXT, "0.by", "The column of groups."),
    Key(
        "reference",
        LABEL,
        "0.reference",
        "The group that others are compared with; null for all other groups together.",
    ),
    Key("pooled", POOLED, "0.pooled", POOLED_GROUPS, optional=True),
    Key(
        "alike",
        TEXT.limited(minLength=1),
        lambda parts: groups_alike([*parts[0]]) or None,
        "That groups differ in capitals, blanks or Unicode form alone; absent where none do.",
        optional=True,
    ),
    Key(
        "uncounted",
        Many(LABEL),
        lambda parts: parts[0].uncounted or None,
        "Labels of rows that all weigh 0 or were left out, so that they make no group; absent where there are none.",
        optional=True,
    ),
    Key(
        "groups",
        Many(
            Row(
                Key(
                    "label",
                    LABEL,
                    "0",
                    "The label of the group; of several columns the text sex=f, region=north.",
                ),
                Key(
                    "values",
                    Many(LABEL).limited(minItems=1),
                    lambda row: columns_of_group(row[0]),
                    "The label that each column of groups has in it, in the order of the columns.",
                    added=True,
                ),
                Key("n", COUNT.limited(minimum=1), "1.n", "Cases of the group."),
                _TOTALS,
                Key("measures", by_measure(_OF_MEASURE), "2"),
            )
        ).limited(minItems=1),
        lambda parts: _groups_of(*parts),
    ),
    Key(
        "not_recorded",
        Row(
            Key("n", COUNT.limited(minimum=1), "1.n"),
            _TOTALS,
            Key("measures", by_measure(Row(Key("estimate", MEASURE))), "2"),
        ),
        lambda parts: _not_recorded(*parts),
        NOT_RECORDED,
        optional=True,
    ),
    Key("trends", OF_TRENDS, absent, "How measures change over groups in an order.", optional=True),
    Key(
        "warnings",
        WARNINGS,
        absent,
        "What a reader must know of the columns of all cases, then of groups alone; absent where there is nothing.",
        optional=True,
    ),
)
"""Groups and what `compare` says of them, as a pair; trends and warnings follow where they stand alone."""


def _groups_of(
    s: GroupAssessments, slices: Sequence[GroupDifference]
) -> list[tuple[Hashable, Assessment, dict[str, GroupDifference]]]:
    measures: dict[Hashable, dict[str, GroupDifference]] = {label: {} for label in s}
    for row in slices:
        measures[row.group][row.measure] = row
    return [(label, s.groups[label], rows) for label, rows in measures.items()]


def _not_recorded(
    s: GroupAssessments, slices: Sequence[GroupDifference]
) -> tuple[None, Assessment, dict[str, GroupDifference]] | None:
    if s.not_recorded is None:
        return None
    return None, s.not_recorded, {row.measure: row for row in s.list_not_recorded(slices)}


SEGMENTS = Result(
    "segments",
    1,
    "Segments in which a model is surely worst",
    "What `classay assess --by '*' --json` and `classay compare --by '*' --json` write: what was looked through, and "
    "the segments with the smallest p-values.",
    Key("measure", TEXT),
    Key("models", TEXTS.limited(maxItems=2), help="The names of two models; empty for one."),
    Key("level", LEVEL),
    Key("cases", COUNT),
    Key("overall", NUMBER, help="The measure, or its difference, of all cases."),
    Key("columns", TEXTS),
    Key(
        "left_out",
        ByName(TEXT),
        lambda s: dict(s.left_out),
        "Columns that make no segments, with the reason.",
    ),
    Key("listed", COUNT, help="Segments that were tested."),
    Key("too_small", COUNT, "small", "Segments that have too few cases to be tested."),
    Key("test", TEXT),
    Key("reference", TEXT),
    Key("warnings", WARNINGS, added=True),
    Key(
        "segments",
        Many(
            Row(
                Key("group", TEXT, lambda one: str(one.group)),
                Key("columns", TEXTS.limited(minItems=1, maxItems=2), "group.columns"),
                Key("values", Many(LABEL).limited(minItems=1, maxItems=2), "group"),
                Key("cases", COUNT),
                Key(
                    "value",
                    MEASURE,
                    help="The share of right answers, or that of the first model minus that of the second; the "
                    "interval holds for all segments at once.",
                ),
                Key("elsewhere", NUMBER),
                Key("p", SHARE),
                Key("p_adjusted", SHARE),
            )
        ).limited(maxItems=50),
        "each",
    ),
    Key("sentence", TEXT),
    kind="segments",
)

_DISPARITY = Row(
    Key("measure", TEXT),
    Key("estimate", MEASURE),
    Key(
        "corrected",
        NUMBER,
        help="The gap minus what chance alone spreads the groups, no less than the lower end of its interval; null of "
        "ratios and of two groups.",
    ),
    Key(
        "highest",
        LABEL,
        "top",
        "The group with the highest value; null where nothing is compared.",
    ),
    Key("lowest", LABEL, "bottom", "The group with the lowest value."),
    Key("groups", COUNT, help="Groups that are compared."),
    Key(
        "found_by_power",
        NUMBER,
        help="The gap that is found between any two of the groups with a power of 80%; null of ratios.",
    ),
    Key("left_out", _LEFT_OUT),
    Key(
        "surest",
        Row(Key("measure", TEXT), Key("highest", LABEL, "top"), Key("lowest", LABEL, "bottom")).or_null(),
        help="Two groups that are surely apart in a measure: those of the lower end of a gap, or of the upper end of a "
        "ratio, which may be others than the highest and the lowest; null where no gap is shown.",
        added=True,
    ),
).named("disparity")
"""The largest gap or the least ratio of a measure between any two groups."""
OF_CRITERIA = Row(
    Key(
        "criteria",
        Many(
            Row(
                Key("name", TEXT, "criterion.name"),
                Key("title", TEXT, "criterion.title"),
                Key("measures", TEXTS, "criterion.measures"),
                Key("gap", _DISPARITY),
                Key("ratio", _DISPARITY.or_null()),
                Key("sentence", TEXT),
            )
        ),
        itself,
    ),
    Key(
        "sentences", TEXTS, help="Which criteria are shown not to hold, and which cannot be judged, and why."
    ),
    Key(
        "conflicts",
        TEXTS,
        help="Which criteria contradict each other at these base rates, in sentences.",
    ),
    Key(
        "unasked",
        Many(Row(Key("title", TEXT, "0"), Key("reason", TEXT, "1"))),
        help="Criteria without what they are about, such as scores.",
    ),
    Key(
        "control",
        TEXTS,
        help="The columns within whose strata groups are compared.",
        added=True,
    ),
    _POOLED,
    Key(
        "values",
        Many(
            Row(
                Key("measure", TEXT, "0"),
                Key("groups", Many(Row(_GROUP_OF_PAIR, Key("estimate", MEASURE, "1"))), "1"),
            )
        ),
        help="The measures that the criteria are about, each with the estimate of every group; none within strata.",
    ),
)
CRITERIA = Result(
    "criteria",
    1,
    "Criteria of equal treatment of groups",
    "What `Criteria.to_dict()` gives: each criterion with its largest gap and least ratio. `classay assess --by COLUMN "
    "--criteria --json` writes the same under `criteria`.",
    Key("by", TEXT),
    Key("level", LEVEL),
    Key("warnings", WARNINGS, added=True),
    *OF_CRITERIA.keys,
    kind="criteria",
)

_POLICY = (Key("cost", MEASURE), Key("disparity", _DISPARITY))
THRESHOLDS = Result(
    "group-thresholds",
    1,
    "classay thresholds by group",
    "What `classay decide --by COLUMN --json` writes and `GroupThresholds.to_dict()` gives: thresholds by group under "
    "a limit, what they cost, and what is left of the gap.",
    Key("by", TEXT),
    Key(
        "limit",
        TEXT,
        help="The limit that all thresholds keep together, on the cases they were chosen on.",
    ),
    Key("cost", TEXT, lambda thresholds: str(thresholds.cost)),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("warnings", WARNINGS, added=True),
    Key(
        "groups",
        Many(
            Row(
                Key("label", LABEL, "group"),
                Key("threshold", NUMBER),
                Key("n", NUMBER, "cases"),
                Key("predicted_prevalence", MEASURE, "called"),
                Key("recall", MEASURE),
                Key("false_positive_rate", MEASURE),
            )
        ),
        help="The threshold of each group, chosen on all cases, and rates of cases held back.",
    ),
    Key("threshold", NUMBER, help="The one threshold of least cost for all groups."),
    Key(
        "by_group",
        Row(*_POLICY),
        help="What thresholds by group cost a case, and how far apart groups are, on cases held back.",
    ),
    Key("one", Row(*_POLICY), help="The same of one threshold for all."),
    Key("difference", MEASURE, help="The cost of a case by group minus that with one threshold."),
    Key(
        "trade",
        Many(Row(Key("limit", NUMBER, "0"), *inside("1", _POLICY))),
        help="The same of other limits, from the strictest on.",
    ),
    Key(
        "free",
        Many(Row(_GROUP_OF_PAIR, Key("rate", TEXT, "1"))),
        help="Groups without a case that a rate is of, which are free of the limit to it.",
    ),
    Key(
        "untried",
        Many(LABEL),
        help="Groups of one case or one cluster, whose own thresholds are not tried on cases held back.",
    ),
    Key(
        "few",
        Many(Row(_GROUP_OF_PAIR, Key("rate", TEXT, "1"), Key("cases", FLOAT, "2"))),
        help="Groups with fewer than ten cases of a rate that is limited, and how many of these, in equal cases if "
        "they are weighted.",
        added=True,
    ),
    Key(
        "not_recorded",
        COUNT.limited(minimum=1),
        lambda thresholds: thresholds.not_recorded or None,
        "Cases without a group, of which there is no threshold and no cost; absent where every case has a group.",
        optional=True,
    ),
    Key(
        "left_out",
        TEXT,
        help="How many cases are left out, and why; empty where there are none.",
    ),
    _POOLED,
    Key("sentences", TEXTS),
    kind="thresholds by group",
)
BESIDE_ASSESSMENT = (
    Key(
        "slices",
        OF_SLICES,
        absent,
        "With `--by`: groups of cases, each assessed apart and compared with all other groups together, or with the "
        "reference.",
        optional=True,
    ),
    Key(
        "criteria",
        OF_CRITERIA,
        absent,
        "Criteria of equal treatment of the groups of `slices`; absent where they were not asked for.",
        optional=True,
    ),
    Key(
        "trends",
        OF_TRENDS,
        absent,
        "Of `classay merge --trend`, and of `classay assess --time` and `--per file`: how much measures change from "
        "one period to the next, and where they broke. Of groups that are ordered (numbers, dates, periods, ordered "
        "categories): from one step to the next.",
        optional=True,
    ),
)
"""What groups, criteria and trends add to the JSON of an assessment."""
_OF_TAGS = Row(*(key for key in OF_SLICES.keys if key.name != "trends"))
BESIDE_TAGS = (replace(BESIDE_ASSESSMENT[0], kind=_OF_TAGS),)
"""What groups add to the JSON of an assessment of several labels a case."""
