"""By which test a measure of a panel is compared, and that test of each pair of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from classay.columns import is_ordinal
from classay.columns.labels import NO_ORDER
from classay.columns.scales import COUNTS, LOGITS
from classay.comparison.cases import sequential  # noqa: F401 - it registers its test
from classay.comparison.cases.aucs import AUCS, aucs_of_panel, compare_aucs
from classay.comparison.cases.case_values import VALUES_OF_CASES, case_values, row_values
from classay.comparison.cases.class_averages import (
    MEAN_AUCS,
    compare_each_alone,
    compare_mean_aucs,
    compare_slopes,
)
from classay.comparison.cases.difference import undefined
from classay.comparison.cases.label_measures import compare_labels, kept_cases, methods_of_labels
from classay.comparison.cases.max_t import MEANS_WITH_A_CONTROL
from classay.comparison.cases.other_panel import Models, OtherPanel
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.score_measures import (
    ENOUGH_CLUSTERS,
    ENOUGH_OF_CLASS,
    LOSSES_OF_CASES,
    MOST_ROWS,
    SCORES,
    compare_average_precision,
    compare_gaps,
    compare_losses,
    compare_scores,
)
from classay.comparison.cases.unit_means import UnitMeans
from classay.comparison.comparison import Comparison, pairs
from classay.comparison.named_tests import ONE_TEST_SET, find, names
from classay.errors import InputError
from classay.inference import intervals  # noqa: F401 - it registers what has no bootstrap
from classay.inference.methods import why_refused
from classay.measures import Measure
from classay.texts import hint, listed, some

OF_SCORES = ("scores", "probabilities")
INSTEAD = "compare the Brier score or log-loss, which increase with miscalibration"
OWN_KINDS: Mapping[str, str] = {
    **dict.fromkeys(MEAN_AUCS, "mean auc"),
    "discrimination_slope": "slopes",
    "calibration_error_max": "alone",
}
"""Measures with a test of their own."""
OF_KINDS: Mapping[str, str] = {"auc": AUCS, "losses": LOSSES_OF_CASES, "bootstrap": SCORES}
"""What tests on request are of, by the kind of test that a measure has."""
LABELS_NEEDED = "labels, or probabilities, or a threshold"


@dataclass(frozen=True)
class RequestedTest:
    """How a measure of a panel is compared: by which test, against which control, at which level.

    `family` is how many comparisons share the level.
    """

    method: str | None = None
    control: str | None = None
    level: float = 0.95
    seed: int = 0
    family: int = 1


def kind_of(measure: Measure, panel: Models, method: str | None) -> str:
    """By which kind of test a measure is compared."""
    if isinstance(panel, OtherPanel):
        return "other"
    if find(ONE_TEST_SET, method, MEANS_WITH_A_CONTROL):
        return "together"
    return (
        "cases" if find(ONE_TEST_SET, method, VALUES_OF_CASES) else _kind_by_measure(measure, panel, method)
    )


def methods_of(panel: Models, measure: Measure) -> set[str]:
    """Return the names of the tests that a measure of a panel has."""
    if isinstance(panel, OtherPanel):
        return panel.methods_of(measure)
    kinds = {_kind_by_measure(measure, panel, method) for method in (None, "bootstrap")}
    of = [OF_KINDS[kind] for kind in kinds if kind in OF_KINDS]
    if not isinstance(row_values(panel, measure), str):
        plain = panel.weight is None and panel.cluster is None and isfinite(measure.bounds[1])
        of += [MEANS_WITH_A_CONTROL, VALUES_OF_CASES] if plain else [MEANS_WITH_A_CONTROL]
    methods = {*names(ONE_TEST_SET, of)}
    if "labels" not in kinds:
        return methods
    labeled = [name for name in panel.names if name in panel.predicted]
    require_two(labeled, measure, LABELS_NEEDED)
    return methods | methods_of_labels(panel.pair(*labeled[:2]), measure)


def _kind_by_measure(measure: Measure, panel: PairedPredictions, method: str | None) -> str:
    if measure.is_of_matrix:
        return "labels"
    if measure.losses is not None:
        return "losses"
    kind = None if method == "bootstrap" and panel.is_binary else OWN_KINDS.get(measure.base)
    if kind is not None and (panel.class_scores if kind == "mean auc" else panel.is_binary):
        return kind
    if not panel.is_binary or measure.needs not in OF_SCORES:
        return "none"
    if why_refused(measure, "bootstrap") is not None:
        return "gaps" if method != "bootstrap" and measure.base == "expected_calibration_error" else "none"
    return "bootstrap" if method == "bootstrap" else _kind_of_scores(measure, panel)


def _kind_of_scores(measure: Measure, panel: PairedPredictions) -> str:
    if measure.name == "roc_auc":
        return "auc"
    is_large = min(panel.cases_by_class.values()) >= ENOUGH_OF_CLASS
    if measure.name == "average_precision" and (is_large or panel.cluster is not None):
        return "precision"
    return "none" if _why_not_resampled(panel) else "bootstrap"


def _why_not_resampled(panel: PairedPredictions) -> str | None:
    """Return why measures of scores are resampled on request only, if they are."""
    on_request = "method 'bootstrap' resamples all the same"
    if panel.clusters is not None and panel.clusters < ENOUGH_CLUSTERS:
        return f"resampling fewer than {ENOUGH_CLUSTERS} clusters is anticonservative; {on_request}"
    return f"resampling takes long beyond {MOST_ROWS:,} cases; {on_request}" if panel.n > MOST_ROWS else None


def _of_labels(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    names = [name for name in panel.names if name in panel.predicted]
    require_two(names, measure, LABELS_NEEDED)
    pairs_of_models = named_pairs(names, request, measure)
    how: dict[str, Any] = {"level": request.level, "seed": request.seed, "family": request.family}
    how["method"] = request.method
    return [compare_labels(panel.pair(a, b), measure, (a, b), **how) for a, b in pairs_of_models]


def _of_aucs(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    scored_models(panel, measure)
    aucs = aucs_of_panel(panel)
    test = find(ONE_TEST_SET, request.method, AUCS) or compare_aucs
    return test(aucs, control=_within(aucs.names, request, measure), level=request.level)


def _of_precision(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    cases = panel.scored(scored_models(panel, measure))
    control = _within([*cases.scores], request, measure)
    return compare_average_precision(cases, control=control, level=request.level)


def _of_gaps(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    cases = panel.scored(scored_models(panel, measure))
    control = _within([*cases.scores], request, measure)
    return compare_gaps(cases, measure, control=control, level=request.level, seed=request.seed)


def resampled(panel: PairedPredictions, measures: list[Measure], request: RequestedTest) -> list[Comparison]:
    """Tests of measures of scores by the bootstrap, all measures by the same replicates."""
    names = scored_models(panel, measures[0])
    control = _within(names, request, measures[0])
    cases = panel.scored(names)
    return compare_scores(
        cases, measures, control=control, level=request.level, seed=request.seed, family=request.family
    )


def _of_losses(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    several = not panel.is_binary
    assert measure.losses is not None
    if measure.needs == ("scores" if several else "cases"):
        raise InputError(
            f"{measure.name} needs {'two' if several else 'several'} classes. Use "
            f"{'multiclass_brier_score' if several else 'brier_score'}."
        )
    source = panel.class_scores if several else panel.scores
    names = [name for name in panel.names if name in source]
    require_two(names, measure, "scores")
    if measure.needs_order and not is_ordinal(panel.labels):
        return [undefined(pair, measure.name, NO_ORDER) for pair in named_pairs(names, request, measure)]
    true = panel.truth if several else panel.is_positive
    losses = {name: None if name in panel.raw else measure.losses(source[name], true) for name in names}
    ends = {name: None if name in panel.raw else panel.why_unbounded(measure, name) for name in names}
    test = find(ONE_TEST_SET, request.method, LOSSES_OF_CASES) or compare_losses
    width = float(measure.bounds[1] - measure.bounds[0])
    how: dict[str, Any] = {"level": request.level, "width": width, "seed": request.seed}
    tests = []
    for a, b in named_pairs(names, request, measure):
        first, second = losses[a], losses[b]
        if first is None or second is None:
            tests.append(undefined((a, b), measure.name, panel.why_improper(a if first is None else b)))
            continue
        tested = test(first, second, (a, b), measure=measure.name, design=panel.design, **how)
        reason = None if tested.reason is not None else ends[a] or ends[b]
        tests.append(tested if reason is None else undefined((a, b), measure.name, reason, tested.values))
    return tests


def _of_mean_aucs(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    names = [name for name in panel.names if name in panel.class_scores]
    require_two(names, measure, "scores of every class")
    return compare_mean_aucs(panel, measure, named_pairs(names, request, measure), request.level)


def _of_slopes(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    cases = panel.scored(scored_models(panel, measure))
    return compare_slopes(cases, measure, named_pairs([*cases.scores], request, measure), request.level)


def _of_alone(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """By the intervals that both models have alone, where neither a paired test nor a resample is valid."""
    cases = panel.scored(scored_models(panel, measure))
    return compare_each_alone(cases, measure, named_pairs([*cases.scores], request, measure), request.level)


def _of_cases(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """By a test of the values of single cases; a measure without such values has no test."""
    values = case_values(panel, measure)
    if isinstance(values, str):
        return [undefined(pair, measure.name, values) for pair in named_pairs(panel.names, request, measure)]
    known = find(ONE_TEST_SET, request.method, VALUES_OF_CASES)
    assert known is not None
    width = float(measure.bounds[1] - measure.bounds[0])
    how: dict[str, Any] = {"level": request.level, "width": width, "units": kept_cases(measure) or "cases"}
    pairs_of_models = named_pairs([*values], request, measure)
    return [known(values[a], values[b], (a, b), measure=measure.name, **how) for a, b in pairs_of_models]


def _of_all(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """Return all models against one at once, by means over the cases; clusters are resampled whole."""
    known = find(ONE_TEST_SET, request.method, MEANS_WITH_A_CONTROL)
    assert known is not None
    if request.control is None:
        raise InputError(
            f"Method {known.name!r} compares all models with one. {hint('Pass control=', 'Use --control')}."
        )
    values = row_values(panel, measure)
    if not isinstance(values, str) and panel.clusters is not None and panel.clusters < ENOUGH_CLUSTERS:
        values = f"resampling fewer than {ENOUGH_CLUSTERS} clusters is anticonservative"
    if isinstance(values, str):
        return [undefined(pair, measure.name, values) for pair in named_pairs(panel.names, request, measure)]
    _within([*values.values], request, measure)
    units = (kept_cases(measure) or "cases") if panel.cluster is None else "clusters"
    how: dict[str, Any] = {"level": request.level, "seed": request.seed, "units": units}
    return known(UnitMeans.of_rows(values), request.control, measure=measure.name, **how)


def _of_other(panel: OtherPanel, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """Another task than one label a case, which says by itself how models are compared."""
    method = request.method
    if method in names(ONE_TEST_SET, [MEANS_WITH_A_CONTROL, VALUES_OF_CASES]):
        raise InputError(
            f"Method {method!r} needs one label per case, but the data are multilabel. Remove the method."
        )
    models, needed = panel.models_with(measure)
    require_two(models, measure, needed)
    pairs_of_models = named_pairs(models, request, measure)
    return panel.compared(measure, pairs_of_models, method=method, level=request.level, seed=request.seed)


def _of_none(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    why = "no paired test is known to be valid here"
    if panel.is_binary and measure.needs in OF_SCORES:
        refused = why_refused(measure, "bootstrap")
        why = f"{refused}: {INSTEAD}" if refused else _why_not_resampled(panel) or why
        if refused:
            scored = panel.scored(scored_models(panel, measure))
            values = {name: float(measure(scored.table(name))) for name in scored.scores}
            pairs_of_models = named_pairs([*values], request, measure)
            return [undefined((a, b), measure.name, why, (values[a], values[b])) for a, b in pairs_of_models]
    return [undefined(pair, measure.name, why) for pair in named_pairs(panel.names, request, measure)]


KINDS: Mapping[str, Callable[[Any, Measure, RequestedTest], list[Comparison]]] = {
    "labels": _of_labels,
    "auc": _of_aucs,
    "precision": _of_precision,
    "gaps": _of_gaps,
    "losses": _of_losses,
    "mean auc": _of_mean_aucs,
    "slopes": _of_slopes,
    "alone": _of_alone,
    "cases": _of_cases,
    "together": _of_all,
    "other": _of_other,
    "none": _of_none,
}


def _within(names: Sequence[str], request: RequestedTest, measure: Measure | None) -> str | None:
    """Return the control, refused where it does not have what a measure, or else the cost, needs."""
    if request.control is not None and request.control not in names:
        of_labels = measure is None or measure.is_of_matrix
        needed = "predicted labels" if of_labels else "scores"
        raise InputError(
            f"{'The cost' if measure is None else measure.name} needs {needed}, which the control "
            f"{request.control!r} does not have ({some(names)} {'does' if len(names) == 1 else 'do'}). Use "
            "another control, or remove the measure."
        )
    return request.control


def named_pairs(
    names: Sequence[str], request: RequestedTest, measure: Measure | None
) -> list[tuple[str, str]]:
    """Return the pairs of some models that are compared: all, or each with the control."""
    return pairs(names, _within(names, request, measure))


def scored_models(panel: PairedPredictions, measure: Measure) -> list[str]:
    """Return the models with scores of the positive class. Raises InputError where they are fewer than two."""
    names = [name for name in panel.names if name in panel.scores]
    if panel.raw and len(names) < 2:
        raise InputError(
            f"{measure.name} ranks cases, but the class scores of {listed(sorted(panel.raw))} are raw (some outside "
            f"[0, 1]) and can be compared only within a case. Use {LOGITS} or {COUNTS}."
        )
    require_two(names, measure, "scores of the positive class")
    return names


def require_two(names: list[str], measure: Measure, what: str) -> None:
    """Refuse a measure that fewer than two models have."""
    if len(names) < 2:
        have = f"only {names[0]} has" if names else "no model has"
        raise InputError(f"{measure.name} needs two models with {what}, and {have} them.")
