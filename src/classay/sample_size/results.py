"""What the JSON of a plan says (docs/sample-size.schema.json)."""

from __future__ import annotations

from typing import get_args

from classay.report.shape import Key, Result
from classay.report.value_kinds import COUNT, LEVEL, TEXT, WEIGHT, one_of
from classay.sample_size.sizes import Reached

SAMPLE_SIZE = Result(
    "sample-size",
    None,
    "Cases that a test needs",
    "What `classay sample-size --json` writes: how many cases a test needs, or what so many cases give.",
    Key("cases", COUNT.limited(minimum=1), help="Cases that the test needs, or has."),
    Key(
        "positives",
        COUNT.or_null(),
        help="How many of them are positive; null where the classes play no part.",
    ),
    Key("negatives", COUNT.or_null(), help="How many are negative."),
    Key("what", one_of(*get_args(Reached)), help="What the cases give."),
    Key("reached", WEIGHT, help="How much of it."),
    Key("method", TEXT.limited(minLength=1), help="The formula."),
    Key("level", LEVEL, help="Level of the interval or test."),
    Key("assumed", TEXT, help="What the formula takes for true."),
)
as_dict = SAMPLE_SIZE.as_dict
