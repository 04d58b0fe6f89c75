"""Ratings of any cases by any raters: values within limits, tables that are added, whatever the order."""

import math

from hypothesis import strategies as st

import classay as ca
from classay.errors import ClassayError

from .contract import hold

LABELS = st.sampled_from([None, None, 0, 1, 2, 5])
INPUTS = st.fixed_dictionaries(
    {
        "rows": st.integers(2, 5).flatmap(
            lambda raters: st.lists(
                st.lists(LABELS, min_size=raters, max_size=raters), min_size=1, max_size=24
            )
        ),
        "times": st.sampled_from([1, 1, 3, 50]),
        "scale": st.sampled_from(["nominal", "ordinal", "interval"]),
        "cut": st.integers(1, 23),
    }
)


def check(given):
    """Hold the agreement of ratings against what is always so."""
    rows, scale = given["rows"] * given["times"], given["scale"]
    try:
        a = ca.rater_agreement(rows, scale=scale)
    except ClassayError as error:
        hold("\n" not in str(error), "an error has one line")
        return
    for name, estimate in a.estimates.items():
        if estimate.is_undefined:
            hold(estimate.reason is not None, f"{name} has a reason")
            continue
        hold(estimate.value <= 1 + 1e-9, f"{name} is in its range")
        if estimate.has_interval:
            is_around = estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9
            hold(is_around and estimate.high <= 1 + 1e-9, f"{name} is in its interval")
    turned = ca.rater_agreement([row[::-1] for row in rows[::-1]], scale=scale)
    _same(a, turned, "the order of rows and raters")
    try:
        parts = [
            ca.rater_agreement(part, scale=scale) for part in (rows[: given["cut"]], rows[given["cut"] :])
        ]
    except ClassayError:
        return
    _same(a, parts[0] + parts[1], "the sum of parts")
    str(a)


def _same(a, b, what):
    for name, estimate in a.estimates.items():
        one, other = (estimate.value, estimate.low, estimate.high), (b[name].value, b[name].low, b[name].high)
        same = all(
            (math.isnan(x) and math.isnan(y)) or abs(x - y) < 1e-6 for x, y in zip(one, other, strict=True)
        )
        hold(same, f"{what} changes {name}: {one} and {other}")
