"""Kinds of values that many results have: numbers, labels, estimates, warnings, findings, curves."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any, get_args

from classay.assessment.headline import as_plain
from classay.curves.curve import Curve
from classay.curves.curve import Kind as LineKind
from classay.inference.requirements import Verdict
from classay.report.results.parts import of_estimate, of_warnings
from classay.report.shape import ByName, Key, Kind, Many, Row, Schema, itself

TEXT = Kind({"type": "string"})
TEXTS = Many(TEXT)
FLAG = Kind({"type": "boolean"})
COUNT = Kind({"type": "integer", "minimum": 0})
FLOAT = Kind({"type": "number"})
WEIGHT = FLOAT.limited(minimum=0)
POSITIVE = FLOAT.limited(exclusiveMinimum=0)
LEVEL = FLOAT.limited(exclusiveMinimum=0, exclusiveMaximum=1)
SHARE = FLOAT.limited(minimum=0, maximum=1)
PVALUE = SHARE.or_null()
ABOUT_LABELS = "A label in its own JSON type, or as text."
CLASS_LABEL = Kind({"type": ["string", "number", "boolean"]})
LABEL = CLASS_LABEL.or_null().limited(description=ABOUT_LABELS).named("label")
NUMBER_OR_NULL = FLOAT.or_null()
_INFINITY: Schema = {"enum": ["Infinity", "-Infinity"]}
_NUMBER: Schema = {
    "description": "Null if not defined. Infinity is a text.",
    "anyOf": [{"type": ["number", "null"]}, _INFINITY],
}
NUMBER = Kind(_NUMBER).named("number")
DEFINED = Kind({"anyOf": [{"type": "number"}, _INFINITY]})
"""A number that is defined, maybe infinite."""


ANY = Kind({})
NAME = Kind({"type": "string", "pattern": r"^[a-z][a-z0-9_]*(\(.*\))?(\[.*\])*$"}).named("name")


def one_or_several(kind: Kind) -> Kind:
    """Return a value, or a list of such where there is a tuple of them."""
    several = Many(kind)
    schema = {"anyOf": [kind.schema, several.schema]}
    return Kind(schema, lambda value: (several if isinstance(value, tuple) else kind).json(value))


def by_measure(kind: Kind) -> Kind:
    """Return a mapping of the names of measures, or curves, to what is alike."""
    return ByName(kind).limited(propertyNames=NAME.schema)


def one_of(*texts: str | None) -> Kind:
    """Return one of some texts."""
    return Kind({"enum": list(texts)})


VERDICT = one_of(*(verdict.value for verdict in Verdict))


def warnings(*codes: str, pattern: str = "") -> Kind:
    """Warnings, of any code where none is named; a `pattern` is that of further codes."""
    code = one_of(*codes) if codes else TEXT
    if pattern:
        code = Kind({"anyOf": [code.schema, {"type": "string", "pattern": pattern}]})
    warning = Row(
        Key("code", code, help="Fixed code for programs."),
        Key("text", TEXT.limited(minLength=1), help="Text for people. The wording may change."),
        Key("concerns", TEXTS, optional=True, help=CONCERNS),
    )
    about = {"description": "A warning to read before acting on the numbers."}
    return Kind({**Many(warning).schema, **about}, of_warnings)


CONCERNS = "The models, groups or classes concerned. Absent if the whole result is concerned."
WARNINGS = warnings()

_SAID = TEXT.limited(minLength=1).or_null()
EITHER: Schema = {
    "oneOf": [
        {
            "title": "with an interval",
            "properties": {name: {"not": {"type": "null"}} for name in ("value", "low", "high")}
            | {"level": {"type": "number"}, "method": {"type": "string"}, "reason": {"type": "null"}},
        },
        {
            "title": "without, for a reason",
            "properties": {name: {"type": "null"} for name in ("low", "high", "level", "method")}
            | {"reason": {"type": "string"}},
        },
    ]
}


def keys_of_estimate(number: Kind) -> tuple[Key, ...]:
    """Return the keys that every estimate has; its numbers are of a kind."""
    return (
        Key("value", number, help="Null if not defined."),
        Key("low", number, help="Lower limit."),
        Key("high", number, help="Upper limit."),
        Key("level", LEVEL.or_null()),
        Key("method", _SAID, help="Method of the interval."),
        Key("reason", _SAID, help="Reason for a missing value or interval."),
    )


def estimate(name: str, *further: Key, number: Kind = NUMBER) -> Kind:
    """Return an estimate with its interval, or the reason for what is missing."""
    about = {"description": "A number with its interval. A missing number or interval has a reason."}
    schema = Row(*keys_of_estimate(number), *further).schema
    return Kind({**about, **schema, **EITHER}, of_estimate).named(name)


P_KEY = Key(
    "p", SHARE, optional=True, help="The two-sided p value of a test statistic. Absent for other measures."
)
_CERTAIN = Key(
    "certain",
    Many(DEFINED).limited(minItems=2, maxItems=2),
    optional=True,
    help="Limits of the value for exact scores, if scores were counted in bins and limits are known. "
    "Otherwise absent. The interval is widened by the same amount.",
)
ESTIMATE = estimate("estimate")
RATE = estimate("rate", number=NUMBER_OR_NULL)
"""An estimate that is never infinite."""
TESTED = estimate("tested", P_KEY)
"""An estimate of anything, that of a test statistic included."""
MEASURE = estimate("measure", P_KEY, _CERTAIN)
"""A measure, which may be one of scores that were counted in bins."""

REQUIREMENT = Row(
    Key(
        "requirement",
        TEXT.limited(minLength=1),
        lambda outcome: str(outcome.requirement),
        "The requirement as read: NAME[.value|.low|.high] OP NUMBER.",
    ),
    Key("verdict", VERDICT, "verdict.value"),
    Key("value", NUMBER),
    Key(
        "reason",
        TEXT.or_null(),
        lambda outcome: outcome.estimate.reason if isnan(outcome.value) else None,
        "Reason for a missing value.",
    ),
    Key("estimate", TESTED),
    Key(
        "note",
        TEXT.limited(minLength=1),
        lambda outcome: outcome.note or None,
        "What the estimate supposes: an error whose cost nobody named, and that it counts as 0; another prevalence; "
        "groups that are not compared.",
        optional=True,
    ),
    Key(
        "left_out",
        Many(Row(Key("group", ANY, "0"), Key("reason", TEXT, "1"))).limited(minItems=1),
        lambda outcome: outcome.left_out or None,
        "Groups that are not compared in a gap or ratio between groups. Absent if all groups are compared.",
        optional=True,
    ),
).named("requirement")
"""A requirement and how it came out."""
REQUIREMENTS = Key(
    "requirements",
    Many(REQUIREMENT).limited(minItems=1),
    lambda result: getattr(result, "outcomes", ()) or None,
    "The requirements of --require and their outcomes. Absent without requirements.",
    optional=True,
)
POOLED = Row(
    Key("fewer_than", COUNT.limited(minimum=2), help="Groups with fewer cases are small."),
    Key(
        "group",
        TEXT.or_null(),
        "name",
        "The label of the combined group. Null if fewer than two groups are small, so that none is combined.",
    ),
    Key("small", Many(Row(Key("group", ANY, "0"), Key("n", COUNT, "1")))),
    Key("sentence", TEXT),
)
"""Which small groups were pooled."""
HEADLINE = Kind(
    Many(
        Row(
            Key("code", TEXT.limited(minLength=1), help="Fixed code for programs."),
            Key(
                "tier",
                one_of("A", "main", "B"),
                help="A: numbers cannot be read as they stand; main: the main finding of the task; B: worth saying.",
            ),
            Key("sentence", TEXT.limited(minLength=1), help="Text for people. The wording may change."),
            Key(
                "evidence",
                Kind({"type": "object"}),
                help="The measures that the sentence uses, by name, and other values.",
            ),
            Key("next_step", TEXT, help="The next step. Empty if none is needed."),
        ).named("finding")
    )
    .limited(maxItems=3, description="The findings that lead the report, at most three.")
    .schema,
    as_plain,
)


def _column(name: str) -> Callable[[Curve], list[Any] | None]:
    def column(curve: Curve) -> list[Any] | None:
        values = getattr(curve, name)
        return None if values is None else values.tolist()

    return column


CURVE = Row(
    Key(
        "kind",
        one_of(*get_args(LineKind)),
        help="How to draw it: straight lines; steps whose height holds to the next point, or back to the point before; "
        "bars, with x their left edges.",
    ),
    Key("x_title", TEXT),
    Key("y_title", TEXT),
    *(Key(name, Many(NUMBER).or_null(), _column(name)) for name in ("x", "y", "threshold", "low", "high")),
    Key("band", TEXT.or_null(), lambda curve: curve.band or None),
    Key("error", FLOAT),
).named("curve")
"""A curve: how to draw it, and lists of one length, null where it has no such column."""
CONFUSION_MATRIX = Row(
    Key("labels", Many(LABEL)),
    Key("axes", Kind({"const": ["predicted", "true"]}, itself), lambda matrix: ["predicted", "true"]),
    Key("counts", Many(Many(FLOAT)), lambda matrix: matrix.counts.tolist()),
)
