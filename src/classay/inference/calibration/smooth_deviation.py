"""Intervals of calibration errors against a smooth curve: norms of a deviation too, see `deviation`."""

from __future__ import annotations

from functools import partial

import numpy as np

from classay.inference.calibration.deviation import (
    FOLDED,
    around,
    calibration_error,
    gamma_quantile,
    named,
    noise_norm,
    walk_deviation,
    weighted_variance,
)
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.sampling_units import Array, Units
from classay.measures import Measure
from classay.measures.calibration.smoothed import (
    CELLS,
    FINEST,
    SPAN,
    Smooth,
    calibration_smooth,
    weighted_quantile,
)
from classay.once import once_with
from classay.tables import ScoreTable
from classay.tables.rows import CodedRows


@calibration_error("smooth_calibration_error", "blasiok2023")
def smooth_error(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """As the kernel widens the error falls, so a shift of the error shifts its fixed point no more.

    The noise of the integral exceeds its mean by no more than z times its greatest standard error in one direction
    (Borell 1975, Inventiones 30:207), for which that of the mean of y - p stands.
    """
    se = normal_quantile(level) * walk_deviation(units)
    return around(value, smoothed_noise(units, max(value, FINEST)) + se, se, units, level)


def smoothed_noise(units: Units, width: float) -> float:
    """Mean of the integral of |sum K(t, p)(y - p) / n| when y - p is noise, K the kernel of `smooth_calibration_error`.

    K squared is 1 / (2 width sqrt(π)) times the kernel of width / sqrt(2), plus what the kernel and its reflection have
    in common near 0 and 1. Clusters scale it by how much they widen the mean of y - p.
    """
    table = units.table
    p = table.scores.astype(np.float64)
    plus, minus = units.squares
    each = plus * (1 - p) ** 2 + minus * p * p
    cells = _shared_out(p, each)
    waves = np.fft.rfft(np.concatenate([cells, cells[::-1]])) * CELLS
    damped = waves * np.exp(-0.25 * (np.pi * width * np.arange(CELLS + 1)) ** 2)
    density = np.maximum(np.fft.irfft(damped)[:CELLS], 0) / (2 * width * np.sqrt(np.pi))
    t = (np.arange(CELLS) + 0.5) / CELLS
    at_end = np.exp(-((t / width) ** 2))
    both = (at_end * (cells @ at_end) + at_end[::-1] * (cells @ at_end[::-1])) / (np.pi * width * width)
    mean = FOLDED * float(np.sqrt(density + both).mean()) / units.total
    if units.rows is None or not each.any():
        return mean
    return mean * max(1.0, walk_deviation(units) * units.total / float(np.sqrt(each.sum())))


def _shared_out(p: Array, each: Array) -> Array:
    """Sums in cells of [0, 1], each shared by the two nearest centres, so that 1 - p gives the same cells turned."""
    place = np.clip(p * CELLS - 0.5, 0, CELLS - 1)
    below = np.minimum(place.astype(np.int64), CELLS - 2)
    part = place - below
    return np.bincount(below, each * (1 - part), CELLS) + np.bincount(below + 1, each * part, CELLS)


def smooth_noise(made: Smooth, table: ScoreTable, units: Units) -> Array:
    """What makes noise of the smooth curve at the knots from one standard normal a group, of cases drawn alone.

    Two cases of each class are added to the window of each place: without them few positives would show no spread
    (Agresti & Coull 1998, The American Statistician 52:119).
    """
    window = SPAN * units.number
    likely = (made.curve * window + 2) / (window + 4)
    alone = np.maximum(
        likely * (1 - likely) / made.effective, weighted_variance(table, made.cuts, made.weight, likely)
    )
    return np.asarray(made.matrix * np.sqrt(alone))


def smooth_variance(made: Smooth, table: ScoreTable, units: Units) -> Array:
    """The diagonal of `smooth_covariance`."""
    if units.rows is not None:
        return smooth_covariance(made, table, units).diagonal()
    noise = smooth_noise(made, table, units)
    return np.asarray(np.einsum("ij,ij->i", noise, noise))


def smooth_covariance(made: Smooth, table: ScoreTable, units: Units) -> Array:
    """Covariance of the smooth curve at the knots: that of the observed shares, smoothed.

    Clusters vary at least as much as cases drawn alone.
    """
    noise = smooth_noise(made, table, units)
    independent = np.asarray(noise @ noise.T)  # of a matrix and itself, which takes half the time
    if units.rows is None:
        return independent
    return _covariance_of_clusters(table, units.rows, units, made, independent)


@once_with
def _covariance_of_clusters(
    table: ScoreTable, rows: CodedRows, units: Units, made: Smooth, independent: Array
) -> Array:
    """The same of clusters."""
    assert units.cells is not None
    curve = made.curve
    group = np.repeat(np.arange(made.x.size)[::-1], np.diff(made.cuts))
    residual = np.stack([(1 - curve)[group], -curve[group]]) / made.weight[group]
    between = units.cells.products(rows, residual, np.stack([group, group]), made.x.size)
    found = np.asarray(made.matrix @ between @ made.matrix.T) * units.number / (units.number - 1)
    # sums that happen to cancel in every cluster would show no spread at all
    np.fill_diagonal(found, np.maximum(found.diagonal(), independent.diagonal()))
    return found


@calibration_error("integrated_calibration_index", "nabeya1951")
def integrated_index(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """The mean of |gap| of the smooth curve, whose noise is linear in that of the truth."""
    made = calibration_smooth(table)
    covariance = smooth_covariance(made, table, units)
    share = made.weight / made.weight.sum()
    to_knots = partial(at_knots, made)
    weight = to_knots(share)
    above = gamma_quantile(
        *noise_norm(weight[:, None] * covariance * weight), 0.5 + level / 2
    )  # |mean| <= mean of |.|, so knots may stand for what lies between them
    direction = to_knots(np.where(made.fitted < made.x, -share, share))
    below = normal_quantile(level) * float(np.sqrt(direction @ covariance @ direction))
    return around(value, above, below, units, level)


def at_knots(made: Smooth, weights: Array) -> Array:
    """Weights of groups as weights of the knots that a straight line between knots gives them."""
    if made.knots.size == 1:
        return np.array([weights.sum()])
    x = made.x[made.knots]
    left = np.clip(np.searchsorted(x, made.x, side="right") - 1, 0, x.size - 2)
    gap = x[left + 1] - x[left]  # 0 where scores differ by less than the mean of a group can
    part = np.divide(made.x - x[left], gap, out=np.zeros_like(gap), where=gap > 0)
    count = x.size
    return np.bincount(left, weights * (1 - part), count) + np.bincount(left + 1, weights * part, count)


def error_quantile(
    measure: Measure, table: ScoreTable, value: float, units: Units, level: float, *, share: float
) -> Found:
    """A quantile of |gap|: the lower limit subtracts the quantile of one normal noise term, the upper limit adds it.

    The quantile itself is taken as far up and down as the cases below it may be by chance (Woodruff 1952, JASA 47:635).
    """
    made = calibration_smooth(table)
    sd = made.between(np.sqrt(smooth_variance(made, table, units)))
    gap = np.abs(made.fitted - made.x)
    z = units.quantile(level)
    shift = z * np.sqrt(share * (1 - share) / units.number)
    noise = z / normal_quantile(level) * normal_quantile(0.5 + level / 2)
    low = weighted_quantile(gap, made.weight, max(0.0, share - shift))
    low -= noise * weighted_quantile(sd, made.weight, share)
    high = weighted_quantile(gap + z * sd, made.weight, min(1.0, share + shift))
    return max(0.0, min(low, value)), min(1.0, max(high, value)), named(units)


for _share, _name in ((0.5, "median_calibration_error"), (0.9, "calibration_error_90")):
    calibration_error(_name, "woodruff1952")(partial(error_quantile, share=_share))
