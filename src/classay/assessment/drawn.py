"""The curves of an assessment: which, and as fine as a picture or a file can show."""

from __future__ import annotations

from dataclasses import replace

from classay.assessment.assessment import Assessment
from classay.assessment.charts import RocChart, all_shown, banded
from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.inference.bootstrap.scored_cases import ScoredCases

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
    """The curves of a page's main pictures, each with what it is compared with and its band; and the others."""
    cases = _cases(a)
    if cases is None:
        several = _of_several_classes(a)
        return [several] if several else [], []
    shown = dict(all_shown(cases))
    if "roc" in shown:
        shown["roc"] = _roc(RocChart("roc", cases), shown["roc"][0])
    main = [curves for name, curves in shown.items() if name in MAIN]
    return main, [curves for name, curves in shown.items() if name not in MAIN]


def _roc(chart: RocChart, curve: Curve) -> tuple[Curve, ...]:
    """The curve with its thresholds, the hull, and the band, whose points are others."""
    band = banded(chart)
    if band.low is None:
        return replace(curve, band=band.band), chart.hull
    return curve, chart.hull, replace(band, kind="band")


def _of_several_classes(a: Assessment) -> tuple[Curve, ...]:
    if a.cases is None or not a.cases.are_probabilities:
        return ()
    return (banded(a.top_label_calibration),)


def _cases(a: Assessment) -> ScoredCases | None:
    return a.scored_cases if a.positive is not None and a.scores is not None else None
