"""What the top of the list holds: cumulative gain, lift, and the cases of each class above a threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.curves.curve import Curve
from classay.curves.registry import UNIT, Look, curve
from classay.errors import InputError
from classay.measures.registry import ratio
from classay.once import once
from classay.tables import ScoreTable
from classay.tables.running import ROUNDING, at_most, total

SELECTED = "share of cases selected"


def cumulative_gain_references(table: ScoreTable) -> tuple[Curve, Curve]:
    """What selecting at random finds, and what a perfect ranking does: every positive first.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))
    >>> random, perfect = cumulative_gain_references(table)
    >>> perfect.x, perfect.y
    (array([0. , 0.5, 1. ]), array([0., 1., 1.]))
    """
    share = float(ratio(table.n_positive, table.n_positive + table.n_negative))
    ends = np.array([0.0, 1.0])
    random = Curve(
        "cumulative_gain",
        "Cumulative gain",
        ends,
        ends,
        SELECTED,
        "share of positives found",
        kind="reference",
        series="at random",
    )
    perfect = replace(
        random, x=np.array([0.0, share, 1.0]), y=np.array([0.0, 1.0, 1.0]), series="perfect ranking"
    )
    return random, perfect


@curve(
    "gain curve",
    references=cumulative_gain_references,
    look=Look(UNIT, UNIT, square=True),
)
def cumulative_gain(table: ScoreTable) -> Curve:
    """The share of the positives found, TP / P, against the share of all cases selected, (TP + FP) / n.

    From (0, 0) to (1, 1), a point at every distinct threshold. NaN where no case is positive.

    >>> rows = np.array([0.9, 0.4, 0.1, 0.0]), np.array([True, True, False, False])
    >>> curve = cumulative_gain(ScoreTable.from_rows(*rows))
    >>> curve.x, curve.y
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0. , 0.5, 1. , 1. , 1. ]))
    """
    tp, called = np.cumsum(table.positives), np.cumsum(table.positives + table.negatives)
    return Curve(
        "cumulative_gain",
        "Cumulative gain",
        np.concatenate([[0.0], ratio(called, total(table.positives + table.negatives))]),
        np.concatenate([[0.0], ratio(tp, table.n_positive)]),
        SELECTED,
        "share of positives found",
        threshold=np.concatenate([[np.inf], table.thresholds.astype(np.float64)]),
    )


@curve(
    "lift curve", name="lift", references=lambda table: (lift_reference(),), look=Look(UNIT, y_from_zero=True)
)
def lift_curve(table: ScoreTable) -> Curve:
    """Lift, precision / prevalence, against the share of all cases selected, at every distinct threshold.

    How many times more positives the selected cases hold than as many at random. NaN where no case is
    positive or nothing is selected.

    >>> rows = np.array([0.9, 0.4, 0.1, 0.0]), np.array([True, True, False, False])
    >>> curve = lift_curve(ScoreTable.from_rows(*rows))
    >>> curve.x, curve.y.round(2)
    (array([0.25, 0.5 , 0.75, 1.  ]), array([2.  , 2.  , 1.33, 1.  ]))
    """
    tp, called = np.cumsum(table.positives), np.cumsum(table.positives + table.negatives)
    share = ratio(table.n_positive, table.n_positive + table.n_negative)
    return Curve(
        "lift",
        "Lift",
        ratio(called, total(table.positives + table.negatives)),
        ratio(ratio(tp, called), share),
        SELECTED,
        "lift",
        threshold=table.scores.astype(np.float64),
    )


def lift_reference() -> Curve:
    """The lift of selecting at random: 1."""
    ends = np.array([0.0, 1.0])
    return Curve("lift", "Lift", ends, np.ones(2), SELECTED, "lift", kind="reference", series="at random")


@curve(
    "KS curve",
    name="ks",
    references=lambda table: (ks_gap(table),),
    look=Look(y=UNIT),
    no_band="use those of the ROC curve",
)
def ks_curves(table: ScoreTable) -> tuple[Curve, Curve]:
    """The share of the positives and of the negatives at or above each distinct score, ascending.

    Their greatest distance is the Kolmogorov-Smirnov statistic (`ks_gap`). NaN for a class without cases.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
    >>> positive, negative = ks_curves(table)
    >>> positive.x, positive.y, negative.y
    (array([0.1, 0.4, 0.9]), array([1. , 1. , 0.5]), array([1., 0., 0.]))
    """
    made = []
    for label, cases in ((table.labels[1], table.positives), (table.labels[0], table.negatives)):
        share = ratio(np.cumsum(cases), total(cases))[::-1]
        scores = table.thresholds[::-1].astype(np.float64)
        made.append(
            Curve(
                "ks",
                "Scores at or above the threshold",
                scores,
                share,
                "threshold",
                "share of the class",
                kind="steps_back",
                threshold=scores,
                series=str(label),
            )
        )
    return made[0], made[1]


def ks_gap(table: ScoreTable) -> Curve:
    """Where the two curves of `ks_curves` are furthest apart: |TPR - FPR|, from the lower to the higher.

    The highest such threshold. NaN where a class has no cases, and empty without scores.

    >>> gap = ks_gap(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> gap.x, gap.y
    (array([0.4, 0.4]), array([0., 1.]))
    """
    positive, negative = ks_curves(table)
    apart = np.abs(positive.y - negative.y)[::-1]
    at = slice(apart.size - 1 - int(apart.argmax()), None) if apart.size else slice(0)
    ends = np.sort([positive.y[at][:1], negative.y[at][:1]], axis=None)
    x = np.repeat(positive.x[at][:1], 2)
    return replace(positive, x=x, y=ends, kind="reference", threshold=x, series="greatest distance")


@dataclass(frozen=True)
class TopReading:
    """A measure of the k highest scores: expected over the order of ties at the cut, at worst and at best."""

    k: float
    value: float
    worst: float
    best: float


def precision_at_k(table: ScoreTable, k: float) -> TopReading:
    """The share of positives among the k cases with the highest scores, hits / k.

    `k` is a number of cases, or of weight where cases are weighted; InputError unless 0 < k <= their total.

    >>> precision_at_k(ScoreTable.from_rows(np.array([0.9, 0.4, 0.4]), np.array([True, True, False])), 2)
    TopReading(k=2, value=0.75, worst=0.5, best=1.0)
    """
    return _per(table, k, k)


def recall_at_k(table: ScoreTable, k: float) -> TopReading:
    """The share of all positives among the k cases with the highest scores, hits / P; NaN without positives.

    >>> recall_at_k(ScoreTable.from_rows(np.array([0.9, 0.4, 0.4]), np.array([True, True, False])), 2)
    TopReading(k=2, value=0.75, worst=0.5, best=1.0)
    """
    return _per(table, k, table.n_positive)


def lift_at_k(table: ScoreTable, k: float) -> TopReading:
    """Precision at k over the prevalence: hits / (k P / n); NaN without positives.

    >>> rows = np.array([0.9, 0.4, 0.1, 0.0]), np.array([True, True, False, False])
    >>> lift_at_k(ScoreTable.from_rows(*rows), 2)
    TopReading(k=2, value=2.0, worst=2.0, best=2.0)
    """
    return _per(table, k, k * ratio(table.n_positive, table.n_positive + table.n_negative))


@once
def _called(table: ScoreTable) -> Any:
    """Cases at or above each score."""
    return np.cumsum(table.positives + table.negatives)


def _per(table: ScoreTable, k: float, whole: Any) -> TopReading:
    """Positives among the k highest scores, over the whole, by the order of ties."""
    called = _called(table)
    most = float(called[-1]) if called.size else 0.0
    if not (k > 0 and at_most(k, most)):
        raise InputError(f"k is {k!r}, and there are {most:,.6g} cases: pass a number from 1 to that many.")
    cut = int(np.searchsorted(called, k * (1 - ROUNDING)))
    positives, negatives = float(table.positives[cut]), float(table.negatives[cut])
    above = float(table.positives[:cut].sum())
    room = min(max(k - (float(called[cut]) - positives - negatives), 0.0), positives + negatives)
    hits = (
        above + room * positives / (positives + negatives),
        above + max(0.0, room - negatives),
        above + min(room, positives),
    )
    return TopReading(k, *(float(ratio(each, whole)) for each in hits))
