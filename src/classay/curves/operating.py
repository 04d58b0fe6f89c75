"""Operating points: the counts at every threshold, few enough for a page, and their places on the curves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision
from classay.curves.cost import cost_line
from classay.curves.curve import Curve
from classay.curves.decision import benefit_of_acting
from classay.curves.registry import entry
from classay.curves.thresholds import as_given
from classay.tables import ScoreTable
from classay.tables.running import Running

Array = NDArray[np.float64]

EVEN = 550
"""Thresholds that are kept for each class at even distances of its rate, where there are too many."""
ENDS = 200
"""Thresholds that are kept for each class towards either end, each the same share of cases nearer to it."""
MOST = 2000
"""Thresholds up to which all are kept."""


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """Cases (or weight) of each class with a score of at least each threshold.

    `threshold`, `tp` and `fp` have shape `(points,)`; the thresholds fall from infinity, where nothing is called
    positive, to the lowest score. `chosen` is the place of the threshold that was assessed, always one of the points.
    `thresholds` is how many there are in all; at most about 2,000 are kept, so that a rate moves from one to the next
    by 0.2 % of a class, or by what lies at one score. `objective` is what a rule makes least or greatest, at each.
    """

    threshold: Array
    tp: Array
    fp: Array
    positives: float
    negatives: float
    chosen: int
    thresholds: int
    are_probabilities: bool
    is_single: bool
    objective: Array | None = None

    @classmethod
    def of(cls, table: ScoreTable, cutoff: float) -> OperatingPoints:
        """The points of a table, that of the threshold assessed among them, which may be infinite.

        >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
        >>> points = OperatingPoints.of(table, 0.5)
        >>> points.threshold, points.tp, points.fp, points.chosen
        (array([inf, 0.9, 0.5, 0.4, 0.1]), array([0., 1., 1., 2., 2.]), array([0., 0., 0., 1., 2.]), 2)
        """
        scores = table.scores
        tp, fp = (Running(each) for each in (table.positives, table.negatives))
        own = in_precision(cutoff, table.precision)
        cut = int(table.reached(own))
        kept = _kept(tp, fp, cut)
        threshold = np.concatenate([[np.inf], table.thresholds[kept].astype(np.float64)])
        called, wrong = (np.concatenate([[0.0], each.upto(kept + 1)]) for each in (tp, fp))
        place = int(np.searchsorted(kept, cut - 1)) + 1 if cut else 0
        is_point = threshold[place] == own
        if not is_point:
            threshold = np.insert(threshold, place + 1, cutoff)
            called, wrong = (np.insert(each, place + 1, each[place]) for each in (called, wrong))
            place += 1
        return cls(
            threshold,
            called,
            wrong,
            float(table.n_positive),
            float(table.n_negative),
            place,
            int(scores.size),
            table.are_probabilities,
            table.precision == np.float32,
        )

    @property
    def are_thinned(self) -> bool:
        """Whether there are thresholds between the points."""
        return self.threshold.size < self.thresholds


def _kept(tp: Running, fp: Running, cut: int) -> NDArray[np.intp]:
    """The places of the scores that are kept: all, or those where the rates pass round shares; the cutoff's too."""
    size = tp.weights.size
    if size <= MOST:
        return np.arange(size)
    places = [np.array([size - 1, *([cut - 1] if cut else [])])]
    for running in (tp, fp):
        total = float(running.ends[-1])
        if total <= 0:
            continue
        first = running.weights[running.reaching(np.array([np.nextafter(0, 1)]))[0]]
        near = np.geomspace(max(first / total, 1e-12), 0.5, ENDS)
        shares = np.concatenate([np.linspace(0, 1, EVEN), near, 1 - near])
        places.append(running.reaching(shares * total))
    return np.unique(np.minimum(np.concatenate(places), size - 1))


MARKED = ("roc", "precision_recall", "cumulative_gain", "lift", "cost", "net_benefit")
"""The pictures in which a threshold has a place."""


def marks(names: Iterable[str], table: ScoreTable, threshold: float) -> dict[str, tuple[Curve, ...]]:
    """Where a threshold stands in the pictures of curves, and in that of costs the line that it is there; by name.

    Costs are those of errors that cost alike, at the prevalence of the cases. Nothing where it has no place, such as
    on the decision curve a threshold outside [0, 1).

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, False, True, False]))
    >>> (place,) = marks(["roc"], table, 0.35)["roc"]
    >>> place.x, place.y, place.series
    (array([0.5]), array([0.5]), 'threshold 0.35')
    """
    cut, series = _cut_in_two(table, threshold), f"threshold {as_given(table.thresholds, threshold)}"
    return {name: _marked(name, cut, threshold, series) for name in names}


def _marked(name: str, cut: ScoreTable, threshold: float, series: str) -> tuple[Curve, ...]:
    at = np.full(1, threshold, np.float64)
    if name == "net_benefit":
        if not 0 <= threshold < 1:
            return ()
        tp, fp = cut.positives[0], cut.negatives[0]
        place = benefit_of_acting(tp, fp, cut.n_positive + cut.n_negative, at)
        return (replace(place, kind="mark", series=series),)
    if name == "cost":
        line = cost_line(cut, 1.0)
        share = np.array([cut.n_positive / (cut.n_positive + cut.n_negative)])
        place = replace(line, x=share, y=np.interp(share, line.x, line.y), threshold=at)
        line = replace(line, threshold=None, kind="reference", series="this threshold, all costs")
        return replace(place, kind="mark", series=series), line
    curve = entry(name).curves(cut)[0]
    assert curve.threshold is not None
    place = curve.take(curve.threshold == 1.0)
    known = np.isfinite(place.x) & np.isfinite(place.y)
    return (replace(place.take(known), threshold=at, kind="mark", series=series),) if known.all() else ()


def _cut_in_two(table: ScoreTable, threshold: float) -> ScoreTable:
    """The table of the labels at a threshold: score 1 for those called positive, 0 for the others."""
    tp, fp, fn, tn = table.at(threshold).one_vs_rest(table.labels[1])
    return ScoreTable(np.array([1.0, 0.0]), np.array([tp, fn]), np.array([fp, tn]), table.labels)
