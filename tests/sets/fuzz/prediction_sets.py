"""Prediction sets of any cases: values within limits, all forms alike, tables that are added."""

import math

import numpy as np
from hypothesis import strategies as st

import classay as ca
from classay.errors import ClassayError

from .contract import hold

NAMES = ("ant", "bee", "cat", "dog", "eel")
INPUTS = st.fixed_dictionaries(
    {
        "cases": st.lists(
            st.tuples(st.integers(0, 4), st.frozensets(st.integers(0, 4)), st.integers(0, 2)),
            min_size=1,
            max_size=30,
        ),
        "times": st.sampled_from([1, 1, 4, 60]),
        "calibration": st.sampled_from([None, 3, 20, 500]),
        "cut": st.integers(1, 29),
    }
)


def check(given):
    """Hold prediction sets against what is always so."""
    cases = given["cases"] * given["times"]
    y = [NAMES[true] for true, _, _ in cases]
    names = [[NAMES[k] for k in sorted(inside)] for _, inside, _ in cases]
    matrix = np.array([[k in inside for k in range(5)] for _, inside, _ in cases])
    by = [f"g{group}" for _, _, group in cases]
    how = {"labels": NAMES, "by": by, "target": 0.9, "calibration": given["calibration"]}
    try:
        a = ca.assess_sets(y, matrix, **how)
    except ClassayError as error:
        hold("\n" not in str(error), "an error has one line")
        hold(given["calibration"] == 3, f"only few calibration cases are refused: {error}")
        return
    rows = [*a.by_class, *a.by_group, *a.by_size]
    estimates = [*a.estimates.items(), *((row.name, row.coverage) for row in rows)]
    for name, estimate in estimates:
        most = 5 if name == "mean_size" else 1
        hold(estimate.is_undefined or 0 <= estimate.value <= most, f"{name} is in its range")
        if estimate.has_interval:
            is_around = estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12
            hold(
                is_around and estimate.low >= 0 and estimate.high <= most + 1e-9, f"{name} is in its interval"
            )
    hold(a.p is None or 0 <= a.p <= 1, "p is a share")
    _same(a, ca.assess_sets(y, names, **how), "lists")
    _same(a, ca.assess_sets(y, ["|".join(row) for row in names], separator="|", **how), "text")
    halves = [part for part in (slice(given["cut"]), slice(given["cut"], None)) if y[part]]
    parts = [ca.assess_sets(y[part], matrix[part], **{**how, "by": by[part]}) for part in halves]
    if len(parts) == 2:
        _same(a, parts[0] + parts[1], "the sum of parts")
    str(a)


def _same(a, b, what):
    for name, estimate in a.estimates.items():
        one, other = (estimate.value, estimate.low, estimate.high), (b[name].value, b[name].low, b[name].high)
        same = all(
            (math.isnan(x) and math.isnan(y)) or abs(x - y) < 1e-9 for x, y in zip(one, other, strict=True)
        )
        hold(same, f"{what} changes {name}: {one} and {other}")
