"""Programs: several calls after each other, each of which must leave every number as it was, or as a law says.

A program holds a few measures, which it draws from all that its rows can have, so that many are run in little time:
each document has every number, and is made in a share of the steps only.
"""

from contextlib import contextmanager

from hypothesis import strategies as st

from ..contract import hold, one_line, place
from ..targets import of_wings
from . import program_chains, program_laws, small_tables
from .program_rows import LABELS, MEASURES, Rows

STEPS = program_laws.STEPS | program_chains.STEPS | small_tables.STEPS
"""What a step does: rows and their assessment become others."""
for added in of_wings():
    STEPS |= added.steps()
OFTEN = {
    **{"store": 1, "methods": 3},
    **dict.fromkeys(("standard errors", "differences", "refine", "decide", "gate", "by"), 4),
    **dict.fromkeys(("values", "turned", "level"), 6),
}
"""How often each is drawn, fewer of those that take long; all others ten times."""
TURNS = [name for name in STEPS for _ in range(OFTEN.get(name, 10))]
SLOW = {
    "calibration_slope",
    "calibration_intercept",
    "calibration_in_the_large",
    "brier_discrimination",
    "log_loss_discrimination",
}
"""What is fitted anew to every resample: not asked for with the bootstrap, which the tests of calibration do."""


@st.composite
def programs(draw):
    """Rows, what is known of them, and three to seven steps."""
    n = draw(st.one_of(st.integers(2, 15), st.integers(10, 80)))
    return {
        "rows": n,
        "seed": draw(st.integers(0, 99_999)),
        "labels": draw(st.integers(0, len(LABELS) - 1)),
        "positives": draw(st.sampled_from([0.5, 0.5, 0.2, 0.9, 0.0])),
        "scores": draw(st.sampled_from(["probabilities", "probabilities", "ties", "signal", "one score"])),
        "more": draw(
            st.sampled_from(["", "", "weight", "frequency", "cluster", "cluster weight", "few weigh"])
        ),
        "level": draw(st.sampled_from([0.95] * 4 + [0.5, 0.8, 0.9, 0.99])),
        "threshold": draw(st.sampled_from([0.5] * 4 + [0.0, 0.2, 0.3, 0.9, 1.0])),
        "unit": draw(st.sampled_from([1.0, 1.0, 1e-6, 700.0])),
        "interval": draw(
            st.sampled_from(
                [None] * 26
                + ["bootstrap", "bootstrap", "jeffreys", "jeffreys", "wilson", "clopper-pearson", "mid-p"]
            )
        ),
        "measures": draw(st.lists(st.sampled_from(MEASURES), min_size=3, max_size=3, unique=True)),
        "others": draw(st.tuples(st.integers(0, 999), st.integers(0, 999))),
        "steps": draw(st.lists(st.sampled_from(TURNS), min_size=3, max_size=7)),
    }


INPUTS = programs()


ALLOWED = {"assess": "Method 'bootstrap' is for independent, equally weighted cases"}
"""What a step may refuse, by words of its message: whatever else is refused is a finding. A bootstrap is no interval of
cases with weights or in clusters, and the message lists those that are."""


def check(given):
    """Run the program."""
    rows = Rows(given)
    with _held("assess"):
        a = rows.assess()
    with _held("the measures that there are"):
        _choose(rows, a, given)
    for step in given["steps"]:
        with _held(step):
            rows, a = STEPS[step](rows, a)


@contextmanager
def _held(step):
    """What a step refuses, held against what it may."""
    from classay.errors import ClassayError

    try:
        yield
    except ClassayError as error:
        one_line(str(error))
        right = step in ALLOWED and ALLOWED[step] in str(error)
        hold(right, f"{step} refuses at {place(error)} what it should not", error)
        raise


def _choose(rows, a, given):
    """Draw the measures that are held."""
    known = [each.name for each in a.applicable() if rows.interval != "bootstrap" or each.name not in SLOW]
    rows.names = [*dict.fromkeys([*rows.names, *(known[each % len(known)] for each in given["others"])])]
