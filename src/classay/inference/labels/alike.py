"""Intervals of measures of labels whose cases were drawn independently and alike."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isinf, isnan
from typing import Any

import numpy as np

from classay.inference.estimate import Found
from classay.inference.labels.sampling_units import LabelUnits
from classay.inference.proportions.binomial import (
    Interval,
    agresti_coull,
    clopper_pearson,
    jeffreys,
    mid_p,
    normal_quantile,
    score_interval,
    wald,
    wilson,
)
from classay.inference.registry import ALWAYS, ANYHOW, CASES, LABELS, ON_REQUEST, Function, interval
from classay.inference.scales import exp
from classay.measures import Measure
from classay.tables import BinaryCounts, CaseTable, ConfusionMatrix

MICRO = ("micro_precision", "micro_recall", "weighted_recall", "micro_f1")
RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio")


def is_proportion(measure: Measure) -> bool:
    """Whether a measure is a plain share of cases."""
    return measure.parts is not None


def _of_share(
    name: str, of: Callable[[Any, Any, float], Interval]
) -> Function[BinaryCounts | ConfusionMatrix | CaseTable, LabelUnits]:
    """An interval of a proportion as a method of the registry."""

    def method(
        measure: Measure,
        table: BinaryCounts | ConfusionMatrix | CaseTable,
        value: float,
        units: LabelUnits,
        level: float,
    ) -> Found:
        assert measure.parts is not None
        x, m = measure.parts(*measure.read((table,)))
        low, high = of(float(x), float(m), level)
        return float(low), float(high), name

    return method


def _register_proportions() -> None:
    for name, of, when, reference in (
        ("Wilson", wilson, ALWAYS, "wilson1927"),
        ("Clopper-Pearson", clopper_pearson, ON_REQUEST, "clopper1934"),
        ("mid-P", mid_p, ON_REQUEST, "berry1995"),
        ("Jeffreys", jeffreys, ON_REQUEST, "brown2001"),
        ("Agresti-Coull", agresti_coull, ON_REQUEST, "agresti1998"),
        ("Wald", wald, ON_REQUEST, "agresti1998"),
    ):
        register = interval(
            name, of=is_proportion, tables=(*LABELS, *CASES), when=when, references=(reference,)
        )
        register(_of_share(name, of))


_register_proportions()


@interval("Wilson", of=MICRO, tables=(ConfusionMatrix,), references=("wilson1927",))
def of_accuracy(
    measure: Measure, table: ConfusionMatrix, value: float, units: LabelUnits, level: float
) -> Found:
    """With one label a case, micro precision, recall and F1 are the accuracy, and so is weighted recall."""
    low, high = wilson(float(table.margins.hits.sum()), float(table.total), level)
    return float(low), float(high), "Wilson"


@interval("MOVER-R mid-P", of=RATIOS, tables=(BinaryCounts,), references=("donner2012", "berry1995"))
def ratio_of_shares(
    measure: Measure, table: BinaryCounts, value: float, units: LabelUnits, level: float
) -> Found:
    """Likelihood ratios from the mid-P limits l, u of their two shares, by the method of variance estimates recovery.

    low = B / (A + sqrt(A² - B C)) with A = p q, B = l_p (2p - l_p), C = u_q (2q - u_q), and high likewise with u_p and
    l_q. Donner & Zou 2012, Statistical Methods in Medical Research 21:347.
    """
    tp, fp, fn, tn = (float(count) for count in table)
    x, y = (tp, fp) if measure.name == "positive_likelihood_ratio" else (fn, tn)
    (p, p_low, p_high), (q, q_low, q_high) = (
        (count / cases, *mid_p(count, cases, level)) for count, cases in ((x, tp + fn), (y, fp + tn))
    )

    def end(p_end: float, q_end: float) -> tuple[float, float, float]:
        cross, above, below = p * q, p_end * (2 * p - p_end), q_end * (2 * q - q_end)
        return above, below, cross + np.sqrt(max(0.0, cross * cross - above * below))

    above, _, root = end(p_low, q_high)
    low = 0.0 if x == 0 else float(above / root)
    _, below, root = end(p_high, q_low)
    high = inf if y == 0 else float(root / below)
    return min(value, low), max(value, high), "MOVER-R mid-P"


@interval("log", of=RATIOS, tables=(BinaryCounts,), when=ON_REQUEST, references=("simel1991",))
@interval("log", of=("diagnostic_odds_ratio",), tables=(BinaryCounts,), references=("simel1991",))
def log_ratio(measure: Measure, table: BinaryCounts, value: float, units: LabelUnits, level: float) -> Found:
    """Odds and likelihood ratios on the log scale; one half is added to every cell when one is empty.

    Simel, Samsa & Matchar 1991, J Clin Epidemiol 44:763; Haldane 1956 and Anscombe 1956 for the half. Of likelihood
    ratios with few errors it covers too little: 91.1 % of 50 and 50 cases at rates of .99, MOVER-R 98.6 %.
    """
    cells = [float(count) for count in table]
    empty = min(cells) == 0
    tp, fp, fn, tn = (cell + 0.5 for cell in cells) if empty else cells
    p, n = tp + fn, fp + tn
    squares = {
        "positive_likelihood_ratio": 1 / tp - 1 / p + 1 / fp - 1 / n,
        "negative_likelihood_ratio": 1 / fn - 1 / p + 1 / tn - 1 / n,
        "diagnostic_odds_ratio": 1 / tp + 1 / fp + 1 / fn + 1 / tn,
    }
    centre = float(measure(tp, fp, fn, tn))
    half = normal_quantile(level) * np.sqrt(squares[measure.name])
    low = 0.0 if value == 0 else min(value, float(centre * exp(-half)))
    high = inf if isinf(value) else max(value, float(centre * exp(half)))
    return low, high, "log, 1/2 added to each cell" if empty else "log"


@interval(
    "largest share",
    of=("baseline_accuracy",),
    tables=LABELS,
    drawn=ANYHOW,
    references=("clopper1934", "wilson1927"),
)
def of_largest_share(
    measure: Measure, table: BinaryCounts | ConfusionMatrix, value: float, units: LabelUnits, level: float
) -> Found:
    """The share of the largest class, which is a maximum, and so too large on average.

    The lower end is that of Clopper and Pearson with the error shared out among the k classes, since whichever is the
    largest here need not be the largest: every share would have to be that low. The upper end is Wilson's, which only
    the class that is truly the largest must keep.
    """
    assert measure.parts is not None
    k = 2 if isinstance(table, BinaryCounts) else len(table.labels)
    x, m = (float(each) for each in measure.parts(*measure.read((table,))))
    alike = units.squares is None and units.rows is None
    z = normal_quantile(level)
    if not alike:
        spread = units.spread(measure, table)
        if isnan(spread.variance):
            return "one case or one cluster shows no spread"
        m, z = spread.effective(value), spread.quantile(level)
        x = value * m
    low = clopper_pearson(x, m, 1 - (1 - level) / k)[0]
    high = score_interval(x, m, z)[1]
    return (
        min(value, max(float(low), 1 / k)),
        float(high),
        f"{'' if alike else units.how + ', '}largest share",
    )
