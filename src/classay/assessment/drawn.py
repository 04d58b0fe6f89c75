"""The curves of an assessment: which, and as fine as a picture or a file can show."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.charts import RocChart, all_shown, banded
from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.curves.operating import MARKED, OperatingPoints, marks
from classay.curves.registry import entry
from classay.curves.roc import roc
from classay.inference.bootstrap.scored_cases import ScoredCases
from classay.threads import thread_count, workers

MAIN = (
    "roc",
    "precision_recall",
    "calibration",
    "histogram",
    "cumulative_gain",
    "lift",
    "cost",
    "net_benefit",
)
"""The pictures that a page shows; it has the others on request."""
CLASSES = 8
"""Classes whose ROC curves are drawn in one picture: as many as there are colours."""
NEAR = 0.002
"""Greatest vertical error of a curve that is drawn among several."""
SIDES = {"ks": ("ks_positive", "ks_negative"), "histogram": ("histogram_positive", "histogram_negative")}
"""The keys of curves that come one for each class."""


def curves_of(a: Assessment) -> dict[str, Curve]:
    """Every curve that an assessment with scores has, by its key, within 0.0005 of all its points.

    Two classes have those of `curves.registry.PAGE`, several the calibration of the top label.
    """
    cases = _cases(a)
    if cases is None:
        return {curve.name: for_display(curve) for curve in _of_several_classes(a)}
    found: dict[str, Curve] = {}
    for name, curves in all_shown(cases).items():
        found |= zip(SIDES.get(name, (name,)), curves, strict=False)
    return {key: for_display(curve) for key, curve in found.items()}


def pictured(a: Assessment) -> tuple[list[tuple[Curve, ...]], list[tuple[Curve, ...]]]:
    """The curves of a page's main pictures, each with what it is compared with and its band; and the others.

    Where there is a threshold, its place is marked in those that have one.
    """
    cases = _cases(a)
    if cases is None:
        several = [_roc_of_classes(a), _of_several_classes(a)]
        return [each for each in several if each], []
    with workers(thread_count(cases.table.scores.size)) as run:
        known, beside = run(lambda find: find(cases), (all_shown, _beside_roc))
    shown = dict(known)
    if "roc" in shown:
        shown["roc"] = _roc(shown["roc"][0], *beside)
    if a.cutoff is not None:
        found = marks([name for name in MARKED if name in shown], cases.table, a.cutoff)
        shown |= {name: (*shown[name], *each) for name, each in found.items()}
    main = [curves for name, curves in shown.items() if name in MAIN]
    return main, [curves for name, curves in shown.items() if name not in MAIN]


def operating_points(a: Assessment) -> OperatingPoints | None:
    """The counts at every threshold of two classes, few enough for a page; None where there is no threshold."""
    cases = _cases(a)
    if a.no_answer is not None:  # which no threshold moves
        return None
    return None if cases is None or a.cutoff is None else OperatingPoints.of(cases.table, a.cutoff)


def _beside_roc(cases: ScoredCases) -> tuple[Curve, ...]:
    """The band of the ROC curve and its hull, where there is such a curve."""
    if entry("roc").why_not(cases.table) is not None:
        return ()
    chart = RocChart("roc", cases)
    return banded(chart), chart.hull


def _roc(curve: Curve, band: Curve, hull: Curve) -> tuple[Curve, ...]:
    """The curve with its thresholds, hull and diagonal to compare it with, and the band, whose points are others."""
    ends = np.array([0.0, 1.0])
    none = replace(curve, x=ends, y=ends, threshold=None, kind="reference", series=entry("roc").look.diagonal)
    compared = replace(hull, kind="reference"), none
    if band.low is None:
        return replace(curve, band=band.band), *compared
    return curve, *compared, replace(band, kind="band")


def _roc_of_classes(a: Assessment) -> tuple[Curve, ...]:
    """The ROC curve of each class against the rest; of many classes of those with the lowest AUC."""
    if a.class_scores is None:
        return ()
    auc = {label: each["roc_auc"].value for label, each in a.class_estimates().items() if "roc_auc" in each}
    known = [label for label in a.labels if auc.get(label, nan) == auc.get(label, nan)]
    chosen = sorted(sorted(known, key=lambda label: auc[label])[:CLASSES], key=a.labels.index)
    few = f" of the {len(chosen)} with the lowest AUC" if len(chosen) < len(known) else ""
    return tuple(
        replace(
            for_display(roc(a.class_scores.one_vs_rest(label)), NEAR, few=200),
            series=str(label),
            title=f"ROC, class against rest{few}",
        )
        for label in chosen
    )


def _of_several_classes(a: Assessment) -> tuple[Curve, ...]:
    if a.cases is None or not a.cases.are_probabilities:
        return ()
    return (banded(a.top_label_calibration),)


def _cases(a: Assessment) -> ScoredCases | None:
    return a.scored_cases if a.positive is not None and a.scores is not None else None
