"""Measures of calibration that only who names them sees: with bins of one's choice, and Murphy's parts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from classay.measures.calibration import binned, by_class
from classay.measures.calibration.bins import BINS, equal_width_bins, parted, with_two_cases
from classay.measures.calibration.decompositions import binned_murphy, debiased_murphy, murphy_decomposition
from classay.measures.families import BIN_COUNT, family
from classay.measures.registry import Measure
from classay.tables import ScoreTable


def _in_bins(of: Measure, bins: int) -> Measure:
    if bins == BINS:
        return of
    return replace(
        of,
        title=of.title.replace(f"{BINS} equal", f"{bins} equal"),
        function=partial(of.raw, bins=bins),
    )


@family(bins=BIN_COUNT)
def expected_calibration_error(bins: int = BINS) -> Measure:
    """Mean gap between probability and share of positives, in bins of equal width."""
    return _in_bins(binned.expected_calibration_error, bins)


@family(bins=BIN_COUNT)
def equal_mass_calibration_error(bins: int = BINS) -> Measure:
    """Mean gap between probability and share of positives, in bins of nearly equal size."""
    return _in_bins(binned.equal_mass_calibration_error, bins)


@family(bins=BIN_COUNT)
def maximum_calibration_error(bins: int = BINS) -> Measure:
    """Greatest gap between probability and share of positives in any bin."""
    return _in_bins(binned.maximum_calibration_error, bins)


@family(bins=BIN_COUNT)
def root_mean_squared_calibration_error(bins: int = BINS) -> Measure:
    """Root of the mean squared gap between probability and share of positives."""
    return _in_bins(binned.root_mean_squared_calibration_error, bins)


@family(bins=BIN_COUNT)
def debiased_squared_calibration_error(bins: int = BINS) -> Measure:
    """Mean squared gap between probability and share of positives, less what chance adds."""
    return _in_bins(binned.debiased_squared_calibration_error, bins)


@family(bins=BIN_COUNT)
def classwise_calibration_error(bins: int = BINS) -> Measure:
    """Mean over classes of the expected calibration error of each against the rest."""
    return _in_bins(by_class.classwise_calibration_error, bins)


@family(bins=BIN_COUNT)
def top_label_calibration_error(bins: int = BINS) -> Measure:
    """Expected calibration error of the highest scores."""
    return _in_bins(by_class.top_label_calibration_error, bins)


@family(bins=BIN_COUNT)
def murphy_reliability(bins: int = BINS) -> Measure:
    """Mean squared gap between probability and share of positives in bins: what calibration would save."""
    return _murphy("reliability", "Reliability", bins, 0)


@family(bins=BIN_COUNT)
def murphy_resolution(bins: int = BINS) -> Measure:
    """Mean squared distance of the shares of positives in bins from that of all cases."""
    return _murphy("resolution", "Resolution", bins, None)


@family(bins=BIN_COUNT)
def debiased_murphy_reliability(bins: int = BINS) -> Measure:
    """Reliability less what chance adds to it: near 0 it may be negative; bins of one case are joined."""
    made = _murphy("reliability", "Debiased reliability", bins, 0)

    def less_chance(scores: ScoreTable) -> Any:
        return debiased_murphy(with_two_cases(parted(scores, bins)[1])).reliability

    return replace(made, name="debiased_murphy_reliability", bounds=(-1.0, 1.0), function=less_chance)


@family()
def exact_murphy_reliability() -> Measure:
    """Mean squared gap between each distinct probability and the share of positives that have it, without bins."""
    return _exact_murphy("reliability", "Reliability", 0)


@family()
def exact_murphy_resolution() -> Measure:
    """Mean squared distance of the shares of positives at the distinct probabilities from that of all cases."""
    return _exact_murphy("resolution", "Resolution", None)


def _exact_murphy(part: str, title: str, best: float | None) -> Measure:
    return replace(
        _murphy(part, title, BINS, best),
        name=f"exact_murphy_{part}",
        title=f"{title} (distinct probabilities)",
        formula="Brier = reliability - resolution + uncertainty",
        function=lambda scores: getattr(murphy_decomposition(scores), part),
    )


def _murphy(part: str, title: str, bins: int, best: float | None) -> Measure:
    return replace(
        binned.expected_calibration_error,
        name=f"murphy_{part}",
        title=f"{title} ({bins} equal-width bins)",
        formula="Brier = reliability - resolution + uncertainty + what is within bins",
        best=best,
        reference="murphy1973",
        function=lambda scores: getattr(binned_murphy(scores, equal_width_bins(scores, bins)), part),
    )
