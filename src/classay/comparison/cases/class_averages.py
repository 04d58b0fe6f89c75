"""Measures of several classes on the same cases that no resample serves: top-k, mean AUCs; means of both classes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite, isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import of_labels
from classay.assessment.assessing import assess
from classay.comparison.cases.difference import ComparisonMethod, no_difference, of_spread, undefined
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.score_measures import PanelScores
from classay.comparison.claims import cases_needed
from classay.comparison.comparison import TEST_CASES, Comparison, Criterion, SignificanceTest, UnitsTested
from classay.comparison.named_tests import cite
from classay.inference.design import Design, SamplingUnits
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile
from classay.inference.scores.linearised import FEW as MIN_CASES_OF_CLASS
from classay.inference.scores.linearised import ONE_MORE, TOO_FEW, LossMoments
from classay.inference.scores.mean_aucs import AUCS, MeanAucs, influences
from classay.inference.significance import REFERENCE, SampleDifference, contrast, difference
from classay.measures import Measure
from classay.tables import ClassScoreTable
from classay.tables.cases import CaseValues
from classay.tables.class_scores import ClassRows, case_order

Array = NDArray[Any]
OVER_OCCURRING = "macro_roc_auc_over_occurring_classes"
MEAN_AUCS = (*AUCS, OVER_OCCURRING)
TOP_K, MACRO_TOP_K = "top_k_accuracy", "macro_top_k_recall"
INFLUENCE = ComparisonMethod(
    "influence function, t", "t of the influences of the cases", ("delong1988", "satterthwaite1946")
)
MOVER = ComparisonMethod("MOVER", "z, square-and-add of the limits", ("zou2008",))
SLOPE = ComparisonMethod(
    "influence function, t, one pseudo-case added",
    "z of the limits of the mean change",
    ("satterthwaite1946",),
)


def best_scores(measure: Measure) -> int | None:
    """Among how many best scores of a case a measure looks for its true class; None of any other measure.

    >>> from classay.measures import get
    >>> [best_scores(get(name)) for name in ("top_3_accuracy", "macro_top_k_recall(4)", "top_label_calibration_error")]
    [3, 4, None]
    """
    if measure.family in (TOP_K, MACRO_TOP_K):
        return int(measure.parameters["k"])
    numbered = re.fullmatch(r"top_(\d+)_accuracy", measure.name)
    return int(numbered[1]) if numbered else None


def called_among_best(panel: PairedPredictions, k: int) -> PairedPredictions:
    """The panel of labels in which a case whose class is among the best k scores is called by it, else by the best.

    Top-k accuracy is the accuracy of these labels, macro top-k recall their macro recall.
    """
    called = {}
    for name, scores in panel.class_scores.items():
        values = CaseValues.of(scores, panel.truth)
        best = np.where(values.rank < k, panel.truth, values.best).astype(panel.truth.dtype)
        before = panel.predicted.get(name)
        has_no_answer = False if before is None else before >= scores.shape[1]
        called[name] = best if before is None else np.where(has_no_answer, before, best).astype(best.dtype)
    return replace(panel, predicted=called)


def influence_on_mean_auc(panel: PairedPredictions, measure: Measure, name: str) -> tuple[float, Array] | str:
    """Return the mean AUC of one model with the influence of each case through all its scores, or why it has none."""
    if name in panel.raw:
        return panel.why_improper(name)
    scores, true, labels = panel.class_scores[name], panel.truth, of_labels(panel.labels)
    occurs = np.bincount(true, minlength=len(labels)) > 0
    if measure.name == OVER_OCCURRING and occurs.sum() > 1:
        labels = tuple(label for label, is_held in zip(labels, occurs, strict=True) if is_held)
        scores, true = np.ascontiguousarray(scores[:, occurs]), (np.cumsum(occurs) - 1)[true]
    weights = {"weight": panel.weight, "frequency": panel.frequency}
    table = ClassScoreTable.from_rows(scores, true, labels, **weights)
    value = float(measure(table))
    if isnan(value):
        return str(measure.why_undefined(table))
    means, at = MeanAucs.of(table), AUCS.index(measure.name if measure.name in AUCS else "macro_roc_auc")
    weight = panel.weight if panel.frequency is None else panel.frequency
    order = case_order(scores, true.astype(np.int64), weight)
    on_case = np.empty(true.size)
    on_case[order] = influences(ClassRows.of(scores, true.astype(np.int64), weight, order), means)[at]
    influence = on_case + means.by_size()[at][true]
    if panel.cluster is None:  # as in DeLong's variance each class has its own n / (n - 1)
        units = np.maximum(panel.design.of_class, 2.0)
        influence *= np.sqrt(units / (units - 1))[panel.truth]
    return value, influence


def compare_mean_aucs(
    panel: PairedPredictions, measure: Measure, pairs: Iterable[tuple[str, str]], level: float
) -> list[Comparison]:
    """Pairs of models in a mean AUC: Student's t of the differences of the influences of the same cases."""
    comparisons = []
    known: dict[str, tuple[float, Array] | str] = {}
    for models in pairs:
        for name in models:
            if name not in known:
                known[name] = influence_on_mean_auc(panel, measure, name)
        first, second = (known[name] for name in models)
        if isinstance(first, str) or isinstance(second, str):
            why = next(influence for influence in (first, second) if isinstance(influence, str))
            comparisons.append(undefined(models, measure.name, why))
            continue
        spread = panel.design.spread(first[1] - second[1], degrees="classes")
        values = first[0], second[0]
        comparisons.append(of_spread(models, measure.name, values, spread, INFLUENCE, level=level, width=1.0))
    return comparisons


def compare_alone(
    models: tuple[str, str],
    measure: str,
    estimates: tuple[Estimate, Estimate],
    reference: tuple[Estimate, Estimate],
    units: SamplingUnits,
) -> Comparison:
    """Return two models by the intervals that each has alone (MOVER), as if their errors were independent.

    Of the same cases the errors of two models mostly go the same way, so that the interval is then wider than it need
    be. `reference` are the estimates at the level that p-values are read from.
    """
    values = (estimates[0].value, estimates[1].value)
    for name, estimate in zip(models, estimates, strict=True):
        if not estimate.has_interval:
            lacks = "value" if isnan(estimate.value) else "interval"
            return undefined(models, measure, f"{name} has no {lacks} ({estimate.reason})", values)
    change = difference(*estimates, reference=reference)
    return _by_limits(models, measure, values, change, units, MOVER)


def compare_each_alone(
    cases: PanelScores, measure: Measure, pairs: Iterable[tuple[str, str]], level: float
) -> list[Comparison]:
    """Pairs of models by the intervals that each has alone: see `compare_alone`."""
    known = {}
    for name, scores in cases.scores.items():
        a = assess(
            cases.positive, scores, weight=cases.weight, frequency=cases.frequency, cluster=cases.cluster
        )
        known[name] = [a.changed(level=at).estimate(measure) for at in (level, REFERENCE)]
    units = cases.design.units
    return [
        compare_alone((a, b), measure.name, (known[a][0], known[b][0]), (known[a][1], known[b][1]), units)
        for a, b in pairs
    ]


def _by_limits(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    change: SampleDifference,
    units: SamplingUnits,
    how: ComparisonMethod,
) -> Comparison:
    """Return the comparison whose p-value is read from the limits of its interval."""
    from scipy.special import ndtri

    effect, n = change.estimate, units.number
    if isnan(change.p):
        return undefined(models, measure, "the samples show no variation of the difference", values)
    assert effect.level is not None
    z = float(-ndtri(change.p / 2)) if effect.value > 0 else float(ndtri(change.p / 2))
    needed = cases_needed(n, effect.value, effect.value / z, effect.level) if z and isfinite(z) else None
    return Comparison(
        models,
        measure,
        effect,
        change.p,
        how.test,
        TEST_CASES,
        values=values,
        test=SignificanceTest(statistic=z, reference=cite(*how.sources)),
        sample=UnitsTested(n=n, units=units.name, needed=needed),
        criterion=Criterion(level=effect.level),
    )


def slope_influence(probabilities: Array, positive: Array, weight: Array) -> tuple[float, Array]:
    """Mean of the positives minus that of the negatives, with the influence of each case on it, `(cases,)`."""
    value, influence = 0.0, np.zeros(probabilities.shape, np.float64)
    for sign, of_class in ((1, positive), (-1, ~positive)):
        total = float(weight[of_class].sum())
        mean = float((weight * probabilities)[of_class].sum()) / total if total else nan
        value += sign * mean
        influence[of_class] = sign * (probabilities[of_class] - mean) / total
    return value, influence


def slope_difference(change: Array, positive: Array, design: Design, level: float) -> Estimate:
    """Return the mean change of the positives minus that of the negatives: the IDI, where `change` is of probabilities.

    Student's t over the influences. An end is at least that of the normal interval with one more case: of the
    class that moves that end most, with the greatest change of any case. Changes are skewed, and those of few
    positives often lack the few great ones that make up their mean.

    >>> positive = np.arange(40) < 12
    >>> slope_difference(np.where(positive, 0.1, 0.0) + np.sin(np.arange(40)) / 20, positive, Design.of_rows(40), 0.95)
    Estimate(0.100 [0.054, 0.129] 95%, influence function, t, one pseudo-case added)
    """
    weight = design.places.weight
    value, influence = slope_influence(change, positive, weight)
    classes = ((1, positive), (-1, ~positive))
    of_case = weight > 0 if design.is_weighted else weight  # a row of a frequency is as many cases
    if min(float(of_case[at].sum()) for _, at in classes) < MIN_CASES_OF_CLASS:
        return Estimate.bare(value, TOO_FEW)
    spread = design.spread(influence)
    if isnan(spread.variance) or spread.is_none(float(np.abs(change).max())):
        return Estimate.bare(value, "all changes within a class are equal, which shows no variation")
    units, half = LossMoments.of_influence(value, influence, design, value), spread.half(level)
    ends = [value - half, value + half]
    cases = design.number  # in one cluster of the mean size there is one such case
    if design.rows is not None:
        cases = design.rows.cluster.size if design.is_weighted else design.total
    for sign, at in classes:
        mean, share = np.average(change[at], weights=weight[at]), weight[at].sum() / weight.sum()
        for extreme in (float(change.min()), float(change.max())):
            moved = sign * (extreme - mean) / share * design.number / cases
            more = units.with_one_more(value + moved)
            reach = normal_quantile(level) * sqrt(more.variance)
            ends = [min(ends[0], more.mean - reach), max(ends[1], more.mean + reach)]
    how = f"{design.how}, t, {ONE_MORE}"
    return Estimate(value, max(-2.0, ends[0]), min(2.0, ends[1]), level, how)


def compare_slopes(
    cases: PanelScores, measure: Measure, pairs: Iterable[tuple[str, str]], level: float
) -> list[Comparison]:
    """Pairs of models in the discrimination slope, whose difference is the IDI: see `slope_difference`."""
    comparisons = []
    for a, b in pairs:
        values = tuple(float(measure(cases.table(name))) for name in (a, b))
        if any(map(isnan, values)):
            name = a if isnan(values[0]) else b
            why = f"{name} has no value ({measure.why_undefined(cases.table(name))})"
            comparisons.append(undefined((a, b), measure.name, why, values))
            continue
        change = cases.scores[a].astype(np.float64) - cases.scores[b]
        estimates = [slope_difference(change, cases.positive, cases.design, at) for at in (level, REFERENCE)]
        if not change.any():
            comparison = no_difference(
                (a, b), measure.name, (values[0], values[1]), cases.design.units, SLOPE, level
            )
        elif not estimates[0].has_interval:
            comparison = undefined((a, b), measure.name, str(estimates[0].reason), values)
        else:
            p = contrast(estimates[:1], [1], reference=estimates[1:]).p
            slope_change = SampleDifference(estimates[0], p)
            comparison = _by_limits(
                (a, b), measure.name, (values[0], values[1]), slope_change, cases.design.units, SLOPE
            )
        comparisons.append(comparison)
    return comparisons
