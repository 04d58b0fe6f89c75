"""Bands of ROC curves and readings of curves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from bench.honesty.cells import OURS
from bench.honesty.populations import Population
from bench.honesty.rows import ends_of, enough
from bench.honesty.run import Asked, Found, Setting
from classay.curves.curve import Curve
from classay.curves.of_scores import roc
from classay.inference import readings
from classay.inference.bands import bootstrap_band, pointwise_roc_band, simultaneous_roc_band
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.tables import ScoreTable

WHOLE, AT_ONE = "ROC band, whole curve", "ROC band, rates at one threshold"
NEAR = 1e-9


def holds_whole(band: Curve, x: Any, y: Any) -> bool:
    """Whether the polygon through the points lies in the band, whose lines are straight between its points."""
    grid = np.unique(np.concatenate([band.x, x]))
    for low, high, true in (
        (_at(band.x, band.low, grid, side), _at(band.x, band.high, grid, side), _at(x, y, grid, side))
        for side in ("left", "right")
    ):
        if (low > true + NEAR).any() or (high < true - NEAR).any():
            return False
    return True


def _at(x: Any, y: Any, grid: Any, side: Any) -> Any:
    """The height of a rising line just before ("left") or just after each place, upright at repeated x."""
    if side == "left":
        at = np.minimum(np.searchsorted(x, grid, "left"), x.size - 1)
        before = np.maximum(at - 1, 0)
    else:
        before = np.maximum(np.searchsorted(x, grid, "right") - 1, 0)
        at = np.minimum(before + 1, x.size - 1)
    run = x[at] - x[before]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(run > 0, (grid - x[before]) / run, 0.0 if side == "right" else 1.0)
    return y[before] + np.clip(part, 0, 1) * (y[at] - y[before])


def area(band: Curve) -> float:
    """The mean height of a band."""
    return float(np.trapezoid(np.asarray(band.high) - np.asarray(band.low), band.x))


def of_bands(group: str, n: int, population: Population) -> Setting:
    """The band of the whole curve, and the rates at a threshold that was fixed beforehand, the prevalence."""

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        p, pos, neg = population.grid
        x, y = (np.append(0, np.cumsum(each)) / each.sum() for each in (neg, pos))
        if x.size > 5_000:  # a smooth curve, on a grid
            keep = np.unique(np.searchsorted(x, np.linspace(0, 1, 501)).clip(0, x.size - 1))
            keep = np.union1d(keep, np.searchsorted(y, np.linspace(0, 1, 501)).clip(0, x.size - 1))
            x, y = x[keep], y[keep]
        called = p >= population.share
        point = neg[called].sum() / neg.sum(), pos[called].sum() / pos.sum()
        found: Found = {(name, OURS): np.full((samples, 2), np.nan) for name in asked.among((WHOLE, AT_ONE))}
        place = 0
        while place < samples:
            truth, score = population.rows(rng, n)
            if not enough(truth):
                continue
            table = ScoreTable.from_rows(score, truth)
            for name in asked.among((WHOLE, AT_ONE)):
                band = (simultaneous_roc_band if name == WHOLE else pointwise_roc_band)(table)
                at = np.array([point[0]]), np.array([point[1]])
                held = holds_whole(band, x, y) if name == WHOLE else _holds_point(band, *at)
                wide = area(band) / 2
                found[name, OURS][place] = (-wide, wide) if held else (1.0, 1.0 + 2 * wide)
            place += 1
        return found

    name = f"n = {n:,}, {population.share:g} positive, {population.apart:g} apart"
    name += f", {population.ties + 1} tied scores" if population.ties else ""
    rarer = n * min(population.share, 1 - population.share)
    return Setting("curves", group, name, rarer, simulate, one_sided=lambda measure: True)


def _holds_point(band: Curve, x: Any, y: Any) -> bool:
    """Whether a point lies in the band, on an upright piece too."""
    low, high = (np.asarray(each) for each in (band.low, band.high))
    least = min(_at(band.x, low, x, side)[0] for side in ("left", "right"))
    most = max(_at(band.x, high, x, side)[0] for side in ("left", "right"))
    return bool(least - NEAR <= y[0] <= most + NEAR)


READINGS = {
    "TPR at FPR 0.1": partial(readings.tpr_at, fpr=0.1),
    "TPR at FPR 0.3": partial(readings.tpr_at, fpr=0.3),
    "FPR at TPR 0.8": partial(readings.fpr_at, tpr=0.8),
    "precision at recall 0.5": partial(readings.precision_at, recall=0.5),
    "precision at recall 0.8": partial(readings.precision_at, recall=0.8),
    "threshold for FPR 0.1": partial(readings.threshold_for, fpr=0.1),
    "threshold for TPR 0.8": partial(readings.threshold_for, tpr=0.8),
}


@cache
def reading_truths(population: Population) -> dict[str, float]:
    """By the population's own curve; of thresholds where scores do not tie."""
    p, pos, neg = population.grid
    tpr, fpr, called = np.cumsum(pos) / pos.sum(), np.cumsum(neg) / neg.sum(), np.cumsum(pos + neg)
    precision = np.cumsum(pos) / called
    found = {
        "TPR at FPR 0.1": tpr[fpr <= 0.1].max(initial=0),
        "TPR at FPR 0.3": tpr[fpr <= 0.3].max(initial=0),
        "FPR at TPR 0.8": fpr[tpr >= 0.8].min(),
        "precision at recall 0.5": precision[tpr >= 0.5].max(),
        "precision at recall 0.8": precision[tpr >= 0.8].max(),
    }
    if not population.ties:
        found |= {
            "threshold for FPR 0.1": p[fpr <= 0.1].min(),
            "threshold for TPR 0.8": p[tpr >= 0.8].max(),
        }
    return {name: float(each) for name, each in found.items()}


def of_readings(group: str, n: int, population: Population) -> Setting:
    """What is read off curves at a rate."""

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        names = asked.among([*reading_truths(population)])
        found: Found = {(name, OURS): np.full((samples, 2), np.nan) for name in names}
        place = 0
        while place < samples:
            truth, score = population.rows(rng, n)
            if not enough(truth):
                continue
            cases = ScoredCases(ScoreTable.from_rows(score, truth), seed=int(rng.integers(2**31)))
            for name in names:
                found[name, OURS][place] = ends_of(READINGS[name](cases))
            place += 1
        return found

    name = f"n = {n:,}, {population.share:g} positive, {population.apart:g} apart"
    name += f", {population.ties + 1} tied scores" if population.ties else ""
    rarer = n * min(population.share, 1 - population.share)
    return Setting("curves", group, name, rarer, simulate, lambda: reading_truths(population))


def of_bootstrap_bands(group: str, n: int, population: Population, at: Sequence[float]) -> Setting:
    """The pointwise bootstrap band of the ROC curve at some false positive rates."""
    names = [f"bootstrap band of the ROC curve at FPR {each:g}" for each in at]

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        found: Found = {(name, OURS): np.full((samples, 2), np.nan) for name in asked.among(names)}
        place = 0
        while place < samples:
            truth, score = population.rows(rng, n)
            if not enough(truth):
                continue
            band = bootstrap_band(ScoredCases(ScoreTable.from_rows(score, truth), seed=place), roc)
            for name, x in zip(names, at, strict=True):
                if (name, OURS) in found:
                    ends = [np.interp(x, band.x, np.asarray(each)) for each in (band.low, band.high)]
                    found[name, OURS][place] = ends
            place += 1
        return found

    @cache
    def truths() -> dict[str, float]:
        _, pos, neg = population.grid
        tpr, fpr = np.cumsum(pos) / pos.sum(), np.cumsum(neg) / neg.sum()
        return {name: float(np.interp(x, fpr, tpr)) for name, x in zip(names, at, strict=True)}

    name = f"n = {n:,}, {population.share:g} positive, {population.apart:g} apart"
    rarer = n * min(population.share, 1 - population.share)
    return Setting("curves", group, name, rarer, simulate, truths)
