"""Two models compared by drawn labels: values, differences, tests and facts computed again from the strata."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

import classay as ca
from classay.inference.along_the_way import inverted
from classay.inference.phrasing import number_with_interval
from classay.label.differences import difference_of
from label.test_label_sums import SCORES, SECOND, TRUTH, N, flagged_by, limits

MODELS = {"a": SCORES, "b": SECOND}
PLAN = ca.plan_labels(MODELS, budget=150, threshold=0.4)
BOTH = np.column_stack([SCORES, SECOND])
CODES = PLAN.places_of(BOTH)
CALLS = BOTH >= 0.4
NAMES = ("recall", "precision", "f1", "specificity", "accuracy", "npv")


def labels_of(rows):
    labels = np.full(N, np.nan)
    labels[rows] = TRUTH[rows]
    return labels


def value(name, shares, calls, sizes):
    tp, fp = (sizes * shares)[calls].sum(), (sizes * (1 - shares))[calls].sum()
    fn, tn = (sizes * shares)[~calls].sum(), (sizes * (1 - shares))[~calls].sum()
    return {
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "specificity": tn / (tn + fp),
        "accuracy": (tp + tn) / (tp + fp + fn + tn),
        "npv": tn / (tn + fn),
    }[name]


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"level": 0.8, "measures": ["accuracy", "npv"]},
        {"half_width": 0.2, "measures": ["specificity"], "adjustment": "bonferroni"},
        {"names": ("b", "a"), "measures": ["f1"]},
        {"half_width": 0.2, "level": 0.9},
    ],
)
def test_differences_are_those_of_the_shares_of_strata(how):
    plan = replace(PLAN, half_width=how.get("half_width"))
    names, level = how.get("names", ("a", "b")), how.get("level", 0.95)
    given = {key: how[key] for key in ("level", "measures", "adjustment") if key in how}
    c = ca.compare({name: MODELS[name] for name in names}, labels_of(PLAN.rows), design=plan, **given)
    measures = how.get("measures", ["recall", "precision", "f1"])
    sizes, m, calls = plan.arrays
    y = np.bincount(CODES[PLAN.rows], TRUTH[PLAN.rows])
    calls = calls[:, [plan.models.index(name) for name in names]]
    errors = 2.5 if "half_width" in how else 1
    z = norm.ppf(1 - (1 - level) / errors / 2)
    assert [one.measure if one.measure != "negative_predictive_value" else "npv" for one in c] == measures
    raw = []
    for one, name in zip(c, measures, strict=True):
        values = tuple(value(name, y / m, calls[:, k], sizes) for k in (0, 1))
        assert one.values == pytest.approx(values)
        tool = difference_of(one.measure, sizes.astype(float), calls, y / m, m, is_finite=True)
        low, high = (float(end) for end in tool.limits(z))
        assert limits(one.effect) == pytest.approx((values[0] - values[1], low, high), abs=1e-9)
        assert one.effect.level == level
        text = f"{100 * (1 - (1 - level) / errors):g}% limits because labeling stops by width"
        assert (text in one.effect.method) is (errors > 1)
        assert one.effect.method.startswith("stratified, Wilson along the way, t")
        raw.append(min(1.0, errors * float(inverted(tool.limits, np.array(values[0] - values[1]), 0.0))))
        assert one.p == pytest.approx(raw[-1], abs=1e-9)
        assert (one.method, one.random) == ("inverted interval", "drawn cases")
        assert tuple(one.names if hasattr(one, "names") else one.models) == names
    assert dict(c.facts) == {
        "cases": str(N),
        "labels": "150 of 150 drawn",
        "threshold": "0.4",
        "estimated for": "these cases",
    }


def test_bounds_of_few_missing_labels_are_those_of_all_their_products():
    gone = PLAN.rows[[3, 40, 77, 90]]
    rows = np.setdiff1d(PLAN.rows, gone)
    c = ca.compare(MODELS, labels_of(rows), design=PLAN)
    text = dict(c.facts)["without a label"]
    assert text.startswith("4 drawn cases. Range of differences over all possible labels: recall ")
    sizes, m, calls = PLAN.arrays
    y = np.bincount(CODES[rows], TRUTH[rows], sizes.size)
    ends = {name: [] for name in ("recall", "precision", "f1")}
    for values in product((0, 1), repeat=4):
        shares = (y + np.bincount(CODES[gone], values, sizes.size)) / m
        for name, found in ends.items():
            found.append(value(name, shares, calls[:, 0], sizes) - value(name, shares, calls[:, 1], sizes))
    for name, found in ends.items():
        low, high = re.search(rf"(?i){name} (\S+) to ([^ ,]+)", text).groups()
        assert (float(low), float(high)) == pytest.approx((min(found), max(found)), abs=0.0051)
        assert not low.startswith("-0.00")
    assert "F1 " in text
    assert dict(c.facts)["labels"] == "146 of 150 drawn"


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_facts_of_flagged_cases(level):
    union = (SCORES >= 0.4) | (SECOND >= 0.4)
    labels = np.where(union, TRUTH * 1.0, np.nan)
    c = ca.compare(MODELS, labels, design="flagged", threshold=0.4, level=level, positive=1)
    ratio = flagged_by(SCORES, level=level).recall_ratio(flagged_by(SECOND, level=level))
    assert dict(c.facts) == {
        "cases": str(N),
        "positive cases": f"{int((TRUTH & union).sum())} predicted positive by at least one model",
        "threshold": "0.4",
        "ratio of recalls": f"a / b: {number_with_interval(ratio)}, Bonett-Price, paired ratio",
    }
    (one,) = c
    assert (one.measure, one.effect, one.values, c.level) == ("recall", None, (), level)
    assert "Bonett & Price 2006" in one.test.reference


def test_stopping_doubles_p_values_up_to_one():
    """Of equal models by a random relabeling, p is 1 and stays 1."""
    noise = np.random.default_rng(0).permutation(TRUTH)
    labels = np.full(N, np.nan)
    labels[PLAN.rows] = noise[PLAN.rows]
    usual = ca.compare(MODELS, labels, design=PLAN)
    stopped = ca.compare(MODELS, labels, design=replace(PLAN, half_width=0.2))
    for one, other in zip(usual, stopped, strict=True):
        assert other.p == pytest.approx(min(1, 2.5 * one.p))
        assert other.effect.low <= one.effect.low <= one.effect.high <= other.effect.high
