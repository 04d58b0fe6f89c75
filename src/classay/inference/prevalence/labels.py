"""The same classifier where positives are rarer or more common: label (prior) shift."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.draws import DRAWS, percentile, stream
from classay.inference.estimate import Estimate
from classay.inference.labels.delta import partials
from classay.inference.labels.sampling_units import LabelSpread
from classay.inference.labels.smooth import SMALL_CELL
from classay.inference.proportions.binomial import normal_quantile, wilson
from classay.inference.scales import exp, scale_of
from classay.measures import Measure, recall, specificity
from classay.tables import BinaryCounts

Array = NDArray[Any]
PREDICTIVE = ("precision", "negative_predictive_value", "false_discovery_rate", "false_omission_rate")


def at_prevalence(
    measure: Measure, counts: BinaryCounts, prevalence: float, *, level: float = 0.95, seed: int = 0
) -> Estimate:
    """A measure of counts where a share `prevalence` of the cases is positive, with its interval.

    Sensitivity and specificity stay (label shift), so the cells are Se·π', (1 - Se)·π', (1 - Sp)(1 - π'),
    Sp(1 - π'). Intervals: predictive values on the logit scale (Mercaldo, Lau & Zhou 2007, Statistics in
    Medicine 26:2170); what depends on one of the rates alone by Wilson; the rest by the delta method from
    both, on a scale that keeps to the range, or, where a cell is under 5, by draws from the Jeffreys
    posteriors of both. Undefined without positives or without negatives, or where the measure is. Raises
    InputError for a prevalence outside (0, 1), or a measure that is no function of counts.

    >>> from classay.measures import precision
    >>> at_prevalence(precision, BinaryCounts(6, 1, 4, 89), 0.01)
    Estimate(0.353 [0.068, 0.803] 95 %, logit (Mercaldo))
    """
    check_prevalence(prevalence)
    tp, fp, fn, tn = (float(each) for each in counts)
    p, n = tp + fn, fp + tn
    if not p or not n:
        return Estimate.undefined(f"no case is {'negative' if p else 'positive'}")
    se, sp = tp / p, tn / n
    value = float(rated(measure, se, sp, prevalence))
    if isnan(value):
        return Estimate.undefined(_why(measure, se, sp, prevalence))
    if measure.name in PREDICTIVE and min(tp, fp, fn, tn) > 0:
        return Estimate(value, *_mercaldo(measure, value, counts, level), level, "logit (Mercaldo)")
    alone = _of_one_rate(measure, counts, value, level)
    if alone is not None:
        return alone
    if min(tp, fp, fn, tn) < SMALL_CELL or not measure.bounds[0] < value < measure.bounds[1]:
        return _drawn(measure, counts, prevalence, value, level, seed)
    by_se, by_sp = partials(
        lambda a, b: rated(measure, a[..., 0], b[..., 0], prevalence), [np.array([se]), np.array([sp])]
    )
    variance = float(by_se[0]) ** 2 * se * (1 - se) / p + float(by_sp[0]) ** 2 * sp * (1 - sp) / n
    scale = scale_of(measure.bounds)
    low, high = scale.interval(value, variance**0.5, normal_quantile(level))
    return Estimate(value, low, high, level, f"delta, {scale.name}")


def effective_counts(
    counts: BinaryCounts, spread_of: Callable[[Measure], LabelSpread], level: float
) -> BinaryCounts:
    """Counts of independent cases alike whose sensitivity and specificity are as uncertain as these are.

    Of weighted or clustered cases: each rate with its effective cases, fewer by the square of the normal quantile over
    Student's (Korn & Graubard 1998, Survey Methodology 24:193). That both rates vary together is left out.
    """
    tp, fp, fn, tn = (float(each) for each in counts)
    cells = []
    for measure, hits, misses in ((recall, tp, fn), (specificity, tn, fp)):
        if not hits + misses:
            return counts
        spread, share = spread_of(measure), hits / (hits + misses)
        n = spread.normal_cases(share, level)
        cells.append((share * n, (1 - share) * n))
    (tp, fn), (tn, fp) = cells
    return BinaryCounts(*np.array([tp, fp, fn, tn]))


def rated(measure: Measure, sensitivity: Any, specificity: Any, prevalence: float) -> Any:
    """A measure of counts, from the two rates and the prevalence; arrays of one shape.

    >>> from classay.measures import precision
    >>> print(rated(precision, 0.6, 89 / 90, 0.1).round(4))
    0.8571
    """
    tp, fn = sensitivity * prevalence, (1 - sensitivity) * prevalence
    tn, fp = specificity * (1 - prevalence), (1 - specificity) * (1 - prevalence)
    if measure.needs == "counts":
        return measure(tp, fp, fn, tn)
    if measure.needs != "margins":
        raise InputError(
            f"{measure.name} is no function of four counts: pass a measure of the confusion matrix."
        )
    hits, predicted, true = (
        np.stack(np.broadcast_arrays(*each), -1)
        for each in ((tn, tp), (tn + fn, tp + fp), (tn + fp, tp + fn))
    )
    return measure(hits, predicted, true)


def _why(measure: Measure, se: float, sp: float, prevalence: float) -> str:
    cells = se * prevalence, (1 - sp) * (1 - prevalence), (1 - se) * prevalence, sp * (1 - prevalence)
    return (measure.why_undefined(*cells) if measure.needs == "counts" else None) or "0 / 0"


def _mercaldo(measure: Measure, value: float, counts: BinaryCounts, level: float) -> tuple[float, float]:
    """var(logit PPV) = (1 - Se) / (Se·P) + Sp / ((1 - Sp)·N), NPV alike; false rates are their mirrors."""
    tp, fp, fn, tn = (float(each) for each in counts)
    p, n = tp + fn, fp + tn
    of_ppv = measure.name in ("precision", "false_discovery_rate")
    variance = fn / (tp * p) + tn / (fp * n) if of_ppv else tp / (fn * p) + fp / (tn * n)
    half = normal_quantile(level) * float(np.sqrt(variance))
    centre = float(np.log(value / (1 - value)))
    return tuple(float(1 / (1 + exp(-(centre + side)))) for side in (-half, half))  # type: ignore[return-value]


def _of_one_rate(measure: Measure, counts: BinaryCounts, value: float, level: float) -> Estimate | None:
    """Wilson's interval of a proportion of the positives, or of the negatives, alone; None for the rest."""
    if measure.parts is None or measure.needs != "counts":
        return None
    x, m = (float(part) for part in measure.parts(*counts))
    p, n = float(counts.tp + counts.fn), float(counts.fp + counts.tn)
    moved = measure.parts(counts.tp, 2 * counts.fp, counts.fn, 2 * counts.tn)[1]
    if not ((m == p and moved == p) or (m == n and moved == 2 * n)):
        return None
    low, high = wilson(x, m, level)
    return Estimate(value, float(low), float(high), level, "Wilson")


def _drawn(
    measure: Measure, counts: BinaryCounts, prevalence: float, value: float, level: float, seed: int
) -> Estimate:
    rng = stream(seed, f"{measure.name} at prevalence")
    tp, fp, fn, tn = (float(each) for each in counts)
    se, sp = rng.beta(tp + 0.5, fn + 0.5, DRAWS), rng.beta(tn + 0.5, fp + 0.5, DRAWS)
    low, high = percentile(rated(measure, se, sp, prevalence), level)
    bottom, top = measure.bounds
    low, high = (bottom if value == bottom else min(low, value)), (top if value == top else max(high, value))
    return Estimate(value, low, high, level, "Jeffreys posterior")


def shift_probabilities(p: Any, trained: float, deployed: float) -> Any:
    """Probabilities of a model trained at one prevalence, as they should be at another.

    p' = (p π'/π) / (p π'/π + (1 - p)(1 - π')/(1 - π)), from π to π', in [0, 1]; 0 and 1 stay. Upsampled
    training shifts probabilities exactly so, and this undoes it. Raises InputError for a prevalence outside
    (0, 1). Saerens, Latinne & Decaestecker 2002, Neural Computation 14:21.

    >>> print(round(float(shift_probabilities(0.8, 0.5, 0.05)), 4))
    0.1739
    """
    check_prevalence(trained)
    check_prevalence(deployed)
    p = np.asarray(p, np.float64)
    yes, no = p * deployed / trained, (1 - p) * (1 - deployed) / (1 - trained)
    return (yes / (yes + no))[()]


def rogan_gladen(share: Any, sensitivity: float, specificity: float) -> Any:
    """Prevalence from the share called positive, (share + Sp - 1) / (Se + Sp - 1), cut to [0, 1].

    NaN when the classifier is no better than chance (Se + Sp <= 1). Rogan & Gladen 1978, American Journal of
    Epidemiology 107:71.

    >>> print(round(float(rogan_gladen(0.07, 0.6, 89 / 90)), 4))
    0.1
    """
    informed = sensitivity + specificity - 1
    if informed <= 0:
        return np.full(np.shape(share), np.nan)[()]
    return np.clip((np.asarray(share) + specificity - 1) / informed, 0, 1)[()]


def estimated_prevalence(
    called: float, cases: float, counts: BinaryCounts, *, level: float = 0.95
) -> Estimate:
    """Prevalence among new cases, `called` of them called positive by a classifier tested with `counts`.

    Rogan-Gladen, with the interval of Lang & Reiczigel 2014 (Preventive Veterinary Medicine 113:13), which
    counts the uncertainty of sensitivity and specificity, adds z²/2 cases called either way, and one to each
    cell of the test. Undefined without positives or negatives in the test, or when the classifier is no
    better than chance.

    >>> estimated_prevalence(70, 1000, BinaryCounts(6, 1, 4, 89))
    Estimate(0.100 [0.030, 0.172] 95 %, Lang-Reiczigel)
    """
    tp, fp, fn, tn = (float(each) for each in counts)
    p, n = tp + fn, fp + tn
    if not p or not n or not cases > 0 or not 0 <= called <= cases:
        return Estimate.undefined("there are no positives or no negatives in the test, or no new cases")
    value = float(rogan_gladen(called / cases, tp / p, tn / n))
    if isnan(value):
        return Estimate.undefined("the classifier is no better than chance")
    z = normal_quantile(level)
    m = cases + z * z
    share, se, sp = (called + z * z / 2) / m, (tp + 1) / (p + 2), (tn + 1) / (n + 2)
    informed = se + sp - 1
    centre = (share + sp - 1) / informed
    of_se, of_sp = se * (1 - se) / (p + 2), sp * (1 - sp) / (n + 2)
    shift = 2 * z * z * (centre * of_se - (1 - centre) * of_sp)
    spread = (share * (1 - share) / m + centre**2 * of_se + (1 - centre) ** 2 * of_sp) / informed**2
    low, high = (float(np.clip(centre + shift + side * z * spread**0.5, 0, 1)) for side in (-1, 1))
    return Estimate(value, min(low, value), max(high, value), level, "Lang-Reiczigel")


def check_prevalence(prevalence: float) -> None:
    """Raise InputError unless a prevalence lies strictly between 0 and 1."""
    if not 0 < prevalence < 1:
        raise InputError(f"prevalence is {prevalence!r}: pass a share between 0 and 1, such as 0.01.")
