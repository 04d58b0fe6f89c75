"""What the JSON of several labels a case says (docs/tags.schema.json, docs/tag-thresholds.schema.json)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from classay.measures import get
from classay.multilabel.sentences import left_out
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    DEFINED,
    FLAG,
    HEADLINE,
    LABEL,
    LEVEL,
    MEASURE,
    NAME,
    NUMBER,
    REQUIREMENTS,
    SHARE,
    TEXT,
    TEXTS,
    WARNINGS,
    WEIGHT,
    by_measure,
    one_of,
    one_or_several,
)

if TYPE_CHECKING:
    from classay.inference.estimate import Estimate
    from classay.multilabel.tag_assessment import MultilabelAssessment
    from classay.multilabel.tag_thresholds import MultilabelThresholds

MOST_TOGETHER = 50
"""Pairs of tags that are wrong together, in the JSON."""

_ONE_OR_MORE = COUNT.limited(minimum=1)
_MEASURES = by_measure(MEASURE)
_TOTALS = Many(WEIGHT)


def _clusters(a: MultilabelAssessment) -> int | None:
    return None if a.clusters is None else len(a.clusters)


TAGS = Result(
    "tags",
    1,
    "Assessment of multilabel cases",
    "What `to_dict()` of a `MultilabelAssessment` gives, and `classay assess --json` of multilabel "
    'cases. Undefined is null, infinity the text "Infinity".',
    Key("n", _ONE_OR_MORE, help="Cases: rows, or the sum of their frequencies."),
    Key("rows", _ONE_OR_MORE),
    Key(
        "dropped",
        COUNT,
        "received.dropped",
        'Rows excluded for a missing true tag (`missing="drop"`).',
        added=True,
    ),
    Key("weights", one_of("none", "sampling", "frequency"), "kind_of_weight"),
    Key("clusters", _ONE_OR_MORE.or_null(), _clusters),
    Key("tags", Many(LABEL).limited(minItems=1), "labels", "The tags, in order."),
    Key(
        "true",
        _TOTALS,
        lambda a: a.class_totals.tolist(),
        "Cases (or weight) with each true tag.",
    ),
    Key(
        "threshold",
        one_or_several(NUMBER),
        "task.cutoffs",
        "One threshold, or one for each tag; null where labels were given, or the highest tags are "
        "predicted.",
    ),
    Key("threshold_chosen", FLAG, "task.cutoff_chosen"),
    Key("top", _ONE_OR_MORE.or_null(), "task.top", "Number of highest-scored tags predicted for each case."),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("measures", _MEASURES, help="Measures of all tags by canonical name."),
    Key(
        "per_tag",
        Many(Row(Key("tag", LABEL, "0"), Key("measures", _MEASURES, "1"))),
        lambda a: a.class_estimates().items(),
    ),
    Key(
        "wrong_together",
        Many(
            Row(
                Key("missed", LABEL),
                Key("called", LABEL),
                Key("cases", WEIGHT),
                Key("share", SHARE, help="Of the cases that miss the first tag."),
            )
        ),
        lambda a: a.wrong_together(MOST_TOGETHER),
        "Pairs of a missed tag and a tag incorrectly predicted in the same cases, the most frequent first.",
    ),
    Key("left_out", TEXT, left_out, "Number of cases excluded from means over cases, with the reason."),
    Key("verdict", TEXTS),
    Key("headline", HEADLINE, added=True),
    Key("warnings", WARNINGS),
    REQUIREMENTS,
    kind="tag assessment",
)
"""Of an assessment of tags, with its measures and findings beside it; requirements follow at the command."""

_AT_THRESHOLDS = Row(
    Key("here", MEASURE, "0"),
    Key("expected", MEASURE, "1"),
    Key("expected_common", MEASURE, "2"),
)


def _measures(thresholds: MultilabelThresholds) -> dict[str, tuple[Estimate, ...]]:
    """Return each measure of all tags here, expected, and expected of one threshold for all tags."""
    assessments = (thresholds.here, thresholds.expected, thresholds.expected_common)
    return {name: tuple(a[name] for a in assessments) for name in thresholds.measures}


def _tags(
    thresholds: MultilabelThresholds,
) -> Iterator[tuple[MultilabelThresholds, Hashable, float, float, Estimate, Estimate]]:
    """Yield each tag with its threshold, the cases that have it, and its measure here and expected."""
    of_one = get(thresholds.of_one)
    totals = thresholds.here.class_totals.tolist()
    for (label, value), total in zip(thresholds.thresholds.items(), totals, strict=True):
        here, expected = (a.tag(label)[of_one] for a in (thresholds.here, thresholds.expected))
        yield thresholds, label, value, total, here, expected


THRESHOLDS = Result(
    "tag-thresholds",
    1,
    "Thresholds by tag (multilabel)",
    "What `a.threshold(…).to_dict()` gives of multilabel cases: the threshold of each tag, the "
    "values on the selection data, and the expected values on new cases, with a threshold for each "
    "tag and with one threshold for all tags.",
    Key("rule", TEXT, "rule.text"),
    Key("n", COUNT, "here.n"),
    Key("level", LEVEL),
    Key("seed", COUNT, "here.seed"),
    Key("warnings", WARNINGS, added=True),
    Key("how_honest", TEXT, "how_expected"),
    Key("common", DEFINED),
    Key(
        "optimism",
        NUMBER,
        help="Optimism: value of the objective on the selection data minus its expected value.",
    ),
    Key("gain", MEASURE),
    Key("cost", _AT_THRESHOLDS.or_null(), "costs"),
    Key("measures", by_measure(_AT_THRESHOLDS), _measures),
    Key(
        "tags",
        Many(
            Row(
                Key("tag", LABEL, "1"),
                Key("threshold", DEFINED, "2"),
                Key("own", FLAG, lambda row: row[1] not in row[0].without),
                Key("true", WEIGHT, "3"),
                Key("measure", NAME, "0.of_one"),
                Key("here", MEASURE, "4"),
                Key("expected", MEASURE, "5"),
            )
        ),
        _tags,
    ),
    Key("verdict", TEXTS),
    kind="tag_thresholds",
)
"""Of thresholds of tags, with the sentences on them beside them."""
