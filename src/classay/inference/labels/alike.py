"""Intervals of measures of labels whose cases were drawn independently and alike."""

from __future__ import annotations

from collections.abc import Callable
from math import isinf
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
    wald,
    wilson,
)
from classay.inference.registry import ALWAYS, CASES, LABELS, ON_REQUEST, Function, interval
from classay.inference.scales import exp
from classay.measures import Measure
from classay.tables import BinaryCounts, CaseTable, ConfusionMatrix

MICRO = ("micro_precision", "micro_recall", "weighted_recall", "micro_f1")
RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")


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


@interval("log", of=RATIOS, tables=(BinaryCounts,), references=("simel1991",))
def log_ratio(measure: Measure, table: BinaryCounts, value: float, units: LabelUnits, level: float) -> Found:
    """Likelihood and odds ratios on the log scale; one half is added to every cell when one is empty.

    Simel, Samsa & Matchar 1991, J Clin Epidemiol 44:763; Haldane 1956 and Anscombe 1956 for the half.
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
    high = float("inf") if isinf(value) else max(value, float(centre * exp(half)))
    return low, high, "log, 1/2 added to each cell" if empty else "log"
