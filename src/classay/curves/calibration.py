"""Calibration curves (reliability diagrams): by isotonic regression, or in bins on request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import UNIT, Curve, Look, curve
from classay.errors import InputError
from classay.measures.probability_bins import Closed, ProbabilityBins, equal_mass_bins, equal_width_bins
from classay.measures.proper_parts import Isotonic, isotonic
from classay.measures.smoothed import calibration_smooth
from classay.tables import ScoreTable

Array = NDArray[Any]
TITLE = "Calibration curve"
X_TITLE, Y_TITLE = "probability", "share of positives"
BINS = 10
CHANGE = "its places change with the cases; the calibration curve has a band"


@curve(
    "calibration curve",
    needs="probabilities",
    thins=False,
    look=Look(UNIT, UNIT, square=True, diagonal="perfect calibration"),
)
def calibration(table: ScoreTable) -> Curve:
    """The isotonic fit of the truth on the probability: both ends of each block, straight between blocks.

    Points in [0, 1]², rising; on the diagonal when calibrated. No bins to choose, so two people draw the
    same picture (CORP). The distance from the diagonal is the miscalibration, but the fit strays from it by
    chance too: `inference.scores.calibration_bands.likelihood_band` says how far. Raises InputError when the scores are
    no probabilities. Dimitriadis, Gneiting & Jordan 2021, PNAS 118(8):e2016191118.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> curve = calibration(table)
    >>> curve.x, curve.y
    (array([0.1, 0.6, 0.7, 0.9]), array([0. , 0.5, 0.5, 1. ]))
    """
    return isotonic_curve(fit_of(table))


def fit_of(table: ScoreTable) -> Isotonic:
    """The isotonic fit of a table of probabilities."""
    _check(table)
    return isotonic(table)


def isotonic_curve(fit: Isotonic) -> Curve:
    """The curve through both ends of each block of an isotonic fit."""
    x = np.stack([fit.lowest, fit.highest], -1)[::-1].ravel().astype(np.float64)
    y = np.repeat(fit.values[::-1], 2)
    new = np.concatenate([[True], (np.diff(x) > 0) | (np.diff(y) > 0)])  # a block of one score has one end
    return Curve("calibration", TITLE, x[new], y[new], X_TITLE, Y_TITLE)


@curve(
    "binned calibration curve",
    needs="probabilities",
    thins=False,
    look=Look(UNIT, UNIT, square=True, diagonal="perfect calibration"),
    no_band=CHANGE,
)
def binned_calibration(table: ScoreTable, bins: int = BINS, closed: Closed = "right") -> Curve:
    """Share of positives against mean probability in bins of equal width, empty bins left out.

    The picture depends on the bins and on which side they are closed: `calibration` does not. Raises
    InputError when the scores are no probabilities. DeGroot & Fienberg 1983, The Statistician 32:12.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> curve = binned_calibration(table, bins=2)
    >>> curve.x.round(4), curve.y.round(4)
    (array([0.1   , 0.7333]), array([0.    , 0.6667]))
    """
    _check(table)
    return curve_of(equal_width_bins(table, bins, closed))


@curve(
    "calibration curve in bins of equal mass",
    needs="probabilities",
    thins=False,
    look=Look(UNIT, UNIT, square=True, diagonal="perfect calibration"),
    no_band=CHANGE,
)
def equal_mass_calibration(table: ScoreTable, bins: int = BINS) -> Curve:
    """Share of positives against mean probability in bins of as nearly equal size as whole ties allow.

    Raises InputError when the scores are no probabilities.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> curve = equal_mass_calibration(table, bins=2)
    >>> curve.x.round(4), curve.y.round(4)
    (array([0.35, 0.8 ]), array([0.5, 0.5]))
    """
    _check(table)
    return curve_of(equal_mass_bins(table, bins))


@curve(
    "smooth calibration curve",
    needs="probabilities",
    thins=False,
    look=Look(UNIT, UNIT, square=True, diagonal="perfect calibration"),
)
def smooth_calibration(table: ScoreTable) -> Curve:
    """The local quadratic regression of the truth on the probability, from 0 to 1, at each group of scores.

    Its mean distance from the diagonal is the integrated calibration index. Raises InputError when the scores are no
    probabilities. Austin & Steyerberg 2019, Statistics in Medicine 38:4051.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> smooth_calibration(table).x
    array([0.1, 0.6, 0.7, 0.9])
    """
    _check(table)
    smooth = calibration_smooth(table)
    fitted = np.asarray(smooth.fitted)
    return Curve("smooth_calibration", "Smooth calibration curve", smooth.x, fitted, X_TITLE, Y_TITLE)


@curve("cumulative calibration curve", needs="probabilities", thins=False, look=Look(UNIT))
def cumulative_calibration(table: ScoreTable) -> Curve:
    """Positives less what was expected of them among the cases with the lowest scores, over all cases.

    Where it rises, more cases are positive than the probabilities say; calibrated, it stays near 0. Its greatest
    distance from 0 is the cumulative calibration error. Raises InputError when the scores are no probabilities.
    Arrieta-Ibarra et al. 2022, JMLR 23(351).

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.7, 0.6, 0.1]), np.array([True, False, True, False]))
    >>> cumulative_calibration(table).y.round(4)
    array([ 0.   , -0.025,  0.075, -0.1  , -0.075])
    """
    _check(table)
    positives, negatives = table.positives[::-1], table.negatives[::-1]
    cases = positives + negatives
    n = cases.sum()
    excess = np.cumsum(positives - cases * table.scores[::-1].astype(np.float64)) / n
    share = np.cumsum(cases) / n
    x, y = (np.concatenate([[0.0], each]) for each in (share, excess))
    title, y_title = "Cumulative calibration curve", "positives less expected, share of the cases"
    return Curve("cumulative_calibration", title, x, y, "share of the cases, lowest scores first", y_title)


@curve(
    "calibration curve of the top label",
    name="top_label_calibration",
    needs="probabilities",
    thins=False,
    look=Look(UNIT, UNIT, square=True, diagonal="perfect calibration"),
)
def top_label_calibration(table: ScoreTable) -> Curve:
    """The calibration curve of `CaseTable.top`, which only several classes have."""
    return of_top_label(calibration(table))


def of_top_label(curve: Curve) -> Curve:
    """A calibration curve of `CaseTable.top`, under its own name and with axes that say what it is of.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.6, 0.5]), np.array([True, True, False]), ("wrong", "right"))
    >>> of_top_label(calibration(table)).y_title
    'share right'
    """
    return replace(
        curve,
        name="top_label_calibration",
        title=f"{TITLE} of the top label",
        x_title="highest probability of a case",
        y_title="share right",
    )


def curve_of(bins: ProbabilityBins) -> Curve:
    """Share of positives against mean probability in the bins that are not empty."""
    held = bins.weight > 0
    return Curve("calibration", TITLE, bins.mean_score[held], bins.observed[held], X_TITLE, Y_TITLE)


def _check(table: ScoreTable) -> None:
    if not table.are_probabilities:
        raise InputError("a calibration curve is of probabilities: the scores do not all lie in [0, 1].")
