"""What the JSON of a plan says (docs/sample-size.schema.json)."""

from __future__ import annotations

from typing import get_args

from classay.report.shape import Key, Result
from classay.report.value_kinds import COUNT, LEVEL, TEXT, WEIGHT, one_of
from classay.sample_size.sizes import Reached

SAMPLE_SIZE = Result(
    "sample-size",
    None,
    "Sample size needed",
    "What `classay sample-size --json` writes: the number of cases that a test needs, or what a "
    "number of cases gives.",
    Key("cases", COUNT.limited(minimum=1), help="Number of cases needed or available."),
    Key(
        "positives",
        COUNT.or_null(),
        help="Number of positive cases; null where classes have no effect.",
    ),
    Key("negatives", COUNT.or_null(), help="Number of negative cases."),
    Key("what", one_of(*get_args(Reached)), help="Quantity that the cases give."),
    Key("reached", WEIGHT, help="Value of the quantity."),
    Key("method", TEXT.limited(minLength=1), help="The formula."),
    Key("level", LEVEL, help="Level of the interval or test."),
    Key("assumed", TEXT, help="Assumptions of the formula."),
    Key(
        "cases_if_not_calibrated",
        COUNT.or_null(),
        help="Labels of scored cases if the scores are not calibrated. Null of other designs.",
    ),
    Key("reached_if_not_calibrated", WEIGHT.or_null(), help="Value of the quantity with these labels."),
)
as_dict = SAMPLE_SIZE.as_dict
