"""The curves of an assessment: which, and as fine as a picture can show."""

from __future__ import annotations

from dataclasses import replace

from classay.assessment import Assessment
from classay.curves.calibration import calibration
from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.curves.histogram import score_histograms
from classay.curves.roc import roc
from classay.inference.consistency import consistency_band


def curves_of(a: Assessment) -> tuple[Curve, ...]:
    """The curves that an assessment of two classes with scores has, simplified for display: ROC, calibration."""
    if a.scores is None:
        return ()
    found = []
    if a.scores.n_positive and a.scores.n_negative:
        found.append(roc(a.scores))
    if a.scores.are_probabilities:
        found.append(_calibration(a))
    return tuple(for_display(curve) for curve in found)


def pictured(a: Assessment) -> tuple[Curve, ...]:
    """The curves of an assessment, and the histograms of its scores."""
    return () if a.scores is None else (*curves_of(a), *score_histograms(a.scores))


def _calibration(a: Assessment) -> Curve:
    assert a.scores is not None
    if a.clusters is not None:
        why = "no consistency band: rows of a cluster depend on each other"
        return replace(calibration(a.scores), band=why)
    return consistency_band(a.scores, level=a.level, seed=a.seed)
