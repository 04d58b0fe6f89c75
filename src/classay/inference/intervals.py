"""The default interval of every measure: one dispatch, by what the measure is, that says what it chose."""

from __future__ import annotations

from collections.abc import Callable
from math import isinf, isnan
from typing import Any

import numpy as np

from classay.errors import InputError, nearest
from classay.inference import deviation, smooth_deviation
from classay.inference.bootstrap import bootstrap
from classay.inference.by_table import NO_ESTIMATES, of_scores, of_several
from classay.inference.delta import counts_influence, delta_variance, matrix_influence
from classay.inference.draws import percentile, posterior_draws, stream
from classay.inference.estimate import Estimate, Found
from classay.inference.means import t_interval
from classay.inference.proportions import PROPORTION_METHODS, normal_quantile, wilson
from classay.inference.scales import scale_of
from classay.inference.units import Units
from classay.measures import Measure
from classay.tables import BinaryCounts, CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable

SMALL_CELL = 5
"""Cases in a cell below which the delta method covers too little."""
NOTHING = 1e-9
"""Standard error below which a spread is rounding: the data show none."""
MOST_CLASSES_DRAWN = 100
"""Classes up to which the shares of all cells are drawn from their posterior."""


def estimate(
    measure: Measure, table: Any, *, level: float = 0.95, seed: int = 0, method: str | None = None
) -> Estimate:
    """The value of a measure on a table, with its default interval, or that of a named method for proportions.

    `table` is what the measure needs: BinaryCounts, ConfusionMatrix, ScoreTable, ClassScoreTable or CaseTable.

    >>> from classay.measures import recall
    >>> estimate(recall, BinaryCounts(6, 1, 4, 89))
    Estimate(0.600 [0.313, 0.832] 95 %, Wilson)
    """
    moments = None
    if measure.moments is not None:  # the value and its spread in one pass over the rows' table
        n, total, squares = (float(each) for each in measure.moments(*measure.read((table,))))
        moments = (n, total, squares)
        value = total / n if n else float("nan")
    else:
        value = float(measure(table))
    if isnan(value):
        return Estimate.undefined(measure.why_undefined(table) or "0 / 0")
    if moments is not None and method is None and not isinstance(table, ScoreTable):
        found = _mean_loss(measure, value, moments, level)
    else:
        found = _interval(measure, table, value, level, seed, method)
    if isinstance(found, str):
        return Estimate.bare(value, found)
    low, high, used = found
    if isnan(low) or isnan(high):
        return Estimate.bare(value, "the interval is undefined on these counts")
    return Estimate(value, low, high, level, used)


def _interval(
    measure: Measure, table: Any, value: float, level: float, seed: int, method: str | None
) -> Found:
    method = None if method is None else match_method(method)
    if method == BOOTSTRAP:
        return _resampled(measure, table, level, seed)
    if measure.parts is not None:
        used = method or "Wilson"
        x, m = measure.parts(*measure.read((table,)))
        low, high = PROPORTION_METHODS[used](float(x), float(m), level)
        return float(low), float(high), used
    if method is not None:
        raise InputError(
            f"{measure.name} is no proportion of cases: its interval has no method {method!r}; bootstrap it has."
        )
    if isinstance(table, ScoreTable):
        return of_scores(measure, table, value, Units.of_cases(table), level)
    if isinstance(table, ClassScoreTable | CaseTable):
        return of_several(measure, table, value, None, level)
    return SPECIAL.get(measure.name, _smooth)(measure, table, value, level, seed)


def match_method(name: str) -> str:
    """The name of an interval method, however it is written; InputError lists them when there is none.

    >>> match_method("clopper-pearson"), match_method("Mid P"), match_method("exact")
    ('Clopper-Pearson', 'mid-P', 'Clopper-Pearson')
    """
    known = {_folded(each): each for each in (*PROPORTION_METHODS, BOOTSTRAP)} | {"exact": "Clopper-Pearson"}
    found = known.get(_folded(name))
    if found is None:
        near = nearest(name, [*PROPORTION_METHODS, BOOTSTRAP]) or "."
        raise InputError(
            f"no interval is named {name!r}{near} For proportions there are {', '.join(PROPORTION_METHODS)}; "
            f"for all measures, {BOOTSTRAP}."
        )
    return found


def has_method(measure: Measure, table: Any, method: str) -> bool:
    """Whether a method of `match_method` gives the interval of a measure of this table."""
    if method == BOOTSTRAP:
        kept = not isinstance(table, ClassScoreTable | CaseTable)
        return kept and measure.name not in NO_ESTIMATES and measure.name not in DOUBLED
    return measure.parts is not None


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


BOOTSTRAP = "bootstrap"


def _smooth(measure: Measure, table: Any, value: float, level: float, seed: int) -> Found:
    """Delta method on a scale that keeps to the measure's range; Jeffreys' posterior where cells are small."""
    if isinstance(table, ConfusionMatrix):
        few = _few_in_matrix(table)
        cells, slopes = matrix_influence(measure, table)
    else:
        cells, slopes = counts_influence(measure, table)
        few = bool((cells[slopes != 0] < SMALL_CELL).any())
    low, high = measure.bounds
    if few or value in (low, high):
        return _posterior(measure, table, value, level, seed)
    scale = scale_of(measure.bounds)
    se = float(np.sqrt(delta_variance(cells, slopes)))
    if se < NOTHING * max(
        1.0, abs(value)
    ):  # a class always called right, another always wrong: no cell moves it
        return _posterior(measure, table, value, level, seed)
    return *scale.interval(value, se, normal_quantile(level)), f"delta, {scale.name}"


def _few_in_matrix(matrix: ConfusionMatrix) -> bool:
    """Whether a two-class matrix has a small cell, or a larger one hardly any errors, or hardly anything else."""
    if len(matrix.labels) == 2:
        return bool(matrix.counts.min() < SMALL_CELL)
    hits = matrix.counts.trace()
    return bool(min(hits, matrix.total - hits) < SMALL_CELL)


def _posterior(measure: Measure, table: Any, value: float, level: float, seed: int) -> Found:
    """Equal-tailed interval of draws from the posterior of the cells' shares, closed at an end of the range.

    Two classes have Jeffreys' prior, half a case in each cell; more classes share one case among all their cells
    (Perks 1947), because half a case in each would outweigh the data. In simulations with small cells this covers
    94-97 %, where percentile and BCa bootstrap, which leave an empty cell empty, cover 68-97 % (docs/intervals.md).
    """
    rng = stream(seed, measure.name)
    if isinstance(table, ConfusionMatrix):
        k = len(table.labels)
        if k > MOST_CLASSES_DRAWN:
            return f"too few hits or errors for the delta method, too many classes ({k}) for the posterior"
        prior, used = (0.5, "Jeffreys posterior") if k == 2 else (1 / k**2, "Perks posterior")
        cells = table.counts.ravel()
        block = max(1, 2_000_000 // cells.size)
        values = np.concatenate(
            [
                measure(ConfusionMatrix(each.reshape(-1, k, k), table.labels))
                for each in posterior_draws(cells, prior, rng, block)
            ]
        )
    else:
        used = "Jeffreys posterior"
        cells = np.array([float(count) for count in table])
        values = np.concatenate([measure(tuple(each.T)) for each in posterior_draws(cells, 0.5, rng)])
    low, high = percentile(values, level)
    bottom, top = measure.bounds
    low, high = (bottom if value == bottom else min(low, value)), (top if value == top else max(high, value))
    return low, high, used


def _wilson_on_jaccard(measure: Measure, table: BinaryCounts, value: float, level: float, seed: int) -> Found:
    """F1 = 2J / (1 + J), and J is a proportion of the cases that are or are called positive (statistics B-6)."""
    low, high = wilson(float(table.tp), float(table.tp + table.fp + table.fn), level)
    return 2 * low / (1 + low), 2 * high / (1 + high), "Wilson on Jaccard"


def mover(
    rates: list[float], intervals: list[tuple[float, float]], weights: list[float]
) -> tuple[float, float]:
    """Interval for a weighted sum of independent rates from theirs: square-and-add.

    Newcombe 1998, Statistics in Medicine 17:873; Zou & Donner 2008, Statistics in Medicine 27:1693.
    """
    centre = sum(w * rate for w, rate in zip(weights, rates, strict=True))
    below = sum((w * (rate - low)) ** 2 for w, rate, (low, _) in zip(weights, rates, intervals, strict=True))
    above = sum(
        (w * (high - rate)) ** 2 for w, rate, (_, high) in zip(weights, rates, intervals, strict=True)
    )
    return centre - float(np.sqrt(below)), centre + float(np.sqrt(above))


def _mover_recalls(measure: Measure, table: Any, value: float, level: float, seed: int) -> Found:
    """Balanced accuracy, informedness: sums of the recalls of classes whose sizes are given."""
    if isinstance(table, ConfusionMatrix):
        hits, true = table.margins.hits.astype(float), table.margins.true.astype(float)
    else:
        hits = np.array([table.tp, table.tn], float)
        true = np.array([table.tp + table.fn, table.tn + table.fp], float)
    weight = 1.0 if measure.name == "informedness" else 1 / len(hits)
    lows, highs = wilson(hits, true, level)
    low, high = mover(list(hits / true), list(zip(lows, highs, strict=True)), [weight] * len(hits))
    shift = 1.0 if measure.name == "informedness" else 0.0
    return max(low - shift, measure.bounds[0]), min(high - shift, 1.0), "MOVER-Wilson"


def _log_ratio(measure: Measure, table: BinaryCounts, value: float, level: float, seed: int) -> Found:
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
    low = 0.0 if value == 0 else min(value, float(centre * np.exp(-half)))
    high = float("inf") if isinf(value) else max(value, float(centre * np.exp(half)))
    return low, high, "log, 1/2 added to each cell" if empty else "log"


def _mean_loss(measure: Measure, value: float, moments: tuple[float, float, float], level: float) -> Found:
    n, total, squares = moments
    if isinf(value):
        return "it is infinite: some case's true class got probability 0"
    if n < 2:
        return "one case shows no spread"
    if n * squares - total * total <= 1e-12 * n * squares:  # zero, to rounding
        return "all cases have the same loss, which shows no spread"
    return *t_interval(total, squares, n, level, measure.bounds), f"t, {scale_of(measure.bounds).name}"


def _resampled(measure: Measure, table: Any, level: float, seed: int) -> Found:
    """The bootstrap on request; widened to the value where the correction of its bias leaves it out."""
    if measure.name in DOUBLED:
        return "a resample adds a second error to that of the sample, and its intervals miss the truth"
    if isinstance(table, ClassScoreTable | CaseTable):
        return "the rows of several classes' scores are not kept, so they cannot be resampled"
    value = float(measure(table))
    found = bootstrap(table, measure, level=level, seed=seed)
    if not found.has_interval:
        return str(found.reason)
    return min(found.low, value), max(found.high, value), str(found.method)


def _micro(measure: Measure, table: ConfusionMatrix, value: float, level: float, seed: int) -> Found:
    """With one label a case, micro precision, recall and F1 are the accuracy, and so is weighted recall."""
    low, high = wilson(float(table.margins.hits.sum()), float(table.total), level)
    return float(low), float(high), "Wilson"


SPECIAL: dict[str, Callable[[Measure, Any, float, float, int], Found]] = {
    "f1": _wilson_on_jaccard,
    "balanced_accuracy": _mover_recalls,
    "informedness": _mover_recalls,
    "single_point_auc": _mover_recalls,
    "macro_recall": _mover_recalls,
    "positive_likelihood_ratio": _log_ratio,
    "negative_likelihood_ratio": _log_ratio,
    "diagnostic_odds_ratio": _log_ratio,
    "micro_precision": _micro,
    "micro_recall": _micro,
    "weighted_recall": _micro,
    "micro_f1": _micro,
}
"""Measures of counts with a better interval than the delta method's; the rest follow from being smooth in counts."""

DOUBLED = {
    *deviation.INTERVALS,
    *smooth_deviation.INTERVALS,
    "brier_miscalibration",
    "log_loss_miscalibration",
    "top_label_calibration_error",
    "classwise_calibration_error",
}
"""Calibration errors: bootstrap intervals hold the truth in 0 to 60 % of samples where calibration is good."""
