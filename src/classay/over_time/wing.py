"""What periods of time bring."""

from classay.wings import Wing

WING = Wing(
    "over_time",
    stands_on=("groups",),
    public={
        "assess_over_time": "classay.over_time.courses",
        "gate_over_time": "classay.over_time.last_period",
    },
    parts={
        "OverTime": "classay.over_time.results",
    },
    ways={
        "assess.time": "classay.over_time.commands:assess_in_periods",
        "decide.time": "classay.over_time.commands:rows_in_time",
        "gate.time": "classay.over_time.commands:gate_of_rows",
    },
)
