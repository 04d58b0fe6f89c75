"""Which test suits which measure of a panel: a function for each kind of measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases import sequential  # noqa: F401 - it registers its test
from classay.comparison.cases.aucs import AUCS, Aucs, aucs_of
from classay.comparison.cases.case_values import VALUES_OF_CASES, case_values, row_values
from classay.comparison.cases.choice.max_t import MEANS_WITH_A_CONTROL
from classay.comparison.cases.choice.means import Means
from classay.comparison.cases.difference import undefined
from classay.comparison.cases.labels.compare_labels import LABELS, compare_labels
from classay.comparison.cases.labels.pair import paired_counts
from classay.comparison.cases.mean_losses import LOSSES, LOSSES_OF_CASES, compare_losses
from classay.comparison.cases.panel.panel import Panel
from classay.comparison.cases.proportions import CLUSTERED_PROPORTIONS, PROPORTIONS
from classay.comparison.cases.scores import (
    ENOUGH_CLUSTERS,
    ENOUGH_OF_CLASS,
    MOST_ROWS,
    compare_average_precision,
    compare_scores,
)
from classay.comparison.comparison import Comparison
from classay.comparison.family import pairs
from classay.comparison.registry import ONE_TEST_SET, find
from classay.errors import InputError
from classay.inference import intervals  # noqa: F401 - it registers what has no bootstrap
from classay.inference.registry import why_refused
from classay.measures import Measure
from classay.tables import PairedCounts

Array = NDArray[Any]
OF_LABELS = ("counts", "margins", "matrix")
OF_SCORES = ("scores", "probabilities")
INSTEAD = "compare the Brier score or log-loss, which rise with poor calibration"
TOP_K = "top_k_accuracy"


@dataclass(frozen=True)
class Asked:
    """How a measure of a panel is compared: by which test, against which control, at which level.

    `family` is how many comparisons share the level.
    """

    method: str | None = None
    control: str | None = None
    level: float = 0.95
    seed: int = 0
    family: int = 1


def kind_of(measure: Measure, panel: Panel, method: str | None) -> str:
    """By which kind of test a measure is compared."""
    if find(ONE_TEST_SET, method, MEANS_WITH_A_CONTROL):
        return "together"
    return (
        "cases" if find(ONE_TEST_SET, method, VALUES_OF_CASES) else _kind_by_measure(measure, panel, method)
    )


def _kind_by_measure(measure: Measure, panel: Panel, method: str | None) -> str:
    if measure.needs in OF_LABELS:
        return "labels"
    if measure.name in LOSSES:
        return "losses"
    if best_scores(measure) is not None:
        return "top"
    if panel.positive is None or measure.needs not in OF_SCORES:
        return "none"
    if why_refused(measure, "bootstrap") is not None:
        return "none"
    return "bootstrap" if method == "bootstrap" else _kind_of_scores(measure, panel)


def best_scores(measure: Measure) -> int | None:
    """Among how many best scores of a case a measure looks for its true class; None of any other measure.

    >>> from classay.measures import get
    >>> [best_scores(get(name)) for name in ("top_3_accuracy", "top_k_accuracy(4)", "top_label_calibration_error")]
    [3, 4, None]
    """
    if measure.family == TOP_K:
        return int(measure.parameters["k"])
    numbered = re.fullmatch(r"top_(\d+)_accuracy", measure.name)
    return int(numbered[1]) if numbered else None


def _kind_of_scores(measure: Measure, panel: Panel) -> str:
    if measure.name == "roc_auc":
        return "auc"
    is_large = min(panel.cases_by_class.values()) >= ENOUGH_OF_CLASS
    if measure.name == "average_precision" and (is_large or panel.cluster is not None):
        return "precision"
    return "none" if _why_not_resampled(panel) else "bootstrap"


def _why_not_resampled(panel: Panel) -> str | None:
    """Why measures of scores are resampled on request only, if they are."""
    on_request = "on request: method='bootstrap' (--method bootstrap)"
    if panel.clusters is not None and panel.clusters < ENOUGH_CLUSTERS:
        return f"resampling fewer than {ENOUGH_CLUSTERS} clusters claims too much; {on_request}"
    return f"beyond {MOST_ROWS:,} cases it is resampled {on_request}" if panel.n > MOST_ROWS else None


def _of_labels(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    names = [name for name in panel.names if name in panel.predicted]
    _enough(names, measure, "labels, or probabilities, or a threshold")
    found = []
    for a, b in named_pairs(names, asked):
        pair, method = panel.pair(a, b), asked.method
        if find(ONE_TEST_SET, method, LABELS) is None:
            of_clusters = pair.rows is not None and find(ONE_TEST_SET, method, CLUSTERED_PROPORTIONS)
            of_proportions = find(ONE_TEST_SET, method, PROPORTIONS) or of_clusters
            has_it = of_proportions and paired_counts(pair, measure) is not None
            method = method if has_it else None
        how = {"method": method, "level": asked.level, "seed": asked.seed, "family": asked.family}
        found.append(compare_labels(pair, measure, (a, b), **how))  # type: ignore[arg-type]
    return found


def _of_aucs(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    aucs = panel_aucs(panel, _scored(panel, measure))
    known = find(ONE_TEST_SET, asked.method, AUCS) or find(ONE_TEST_SET, "delong-t", AUCS)
    assert known is not None
    return known(aucs, control=_within(aucs.names, asked), level=asked.level)


def panel_aucs(panel: Panel, names: Sequence[str]) -> Aucs:
    """The AUCs of some models of a panel."""
    cases = panel.scored(names)
    return aucs_of(
        cases.scores, cases.positive, frequency=cases.frequency, weight=cases.weight, cluster=cases.cluster
    )


def _of_precision(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    cases = panel.scored(_scored(panel, measure))
    return compare_average_precision(cases, control=_within([*cases.scores], asked), level=asked.level)


def resampled(panel: Panel, measures: list[Measure], asked: Asked) -> list[Comparison]:
    """Tests of measures of scores by the bootstrap, all measures by the same replicates."""
    names = _scored(panel, measures[0])
    control = _within(names, asked)
    cases = panel.scored(names)
    return compare_scores(
        cases, measures, control=control, level=asked.level, seed=asked.seed, family=asked.family
    )


def _of_losses(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    several = panel.positive is None
    if several == (measure.name == "brier_score") and measure.name != "log_loss":
        raise InputError(
            f"{measure.name} is of {'two' if several else 'several'} classes: pass "
            f"{'multiclass_brier_score' if several else 'brier_score'}."
        )
    source = panel.class_scores if several else panel.scores
    names = [name for name in panel.names if name in source]
    _enough(names, measure, "scores")
    true = panel.truth if several else panel.is_positive
    losses = {name: LOSSES[measure.name](source[name], true) for name in names}
    test = find(ONE_TEST_SET, asked.method, LOSSES_OF_CASES) or compare_losses
    width = float(measure.bounds[1] - measure.bounds[0])
    found = []
    for a, b in named_pairs(names, asked):
        first, second = losses[a], losses[b]
        if first is None or second is None:
            why = f"the scores of {a if first is None else b} are no probabilities"
            found.append(undefined((a, b), measure.name, why))
            continue
        found.append(
            test(
                first,
                second,
                (a, b),
                measure=measure.name,
                frequency=panel.frequency,
                weight=panel.weight,
                cluster=panel.cluster,
                level=asked.level,
                width=width,
                seed=asked.seed,
            )
        )
    return found


def _of_top(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    """Whether the true class is among the k best scores: right or wrong, so McNemar's test."""
    names = [name for name in panel.names if name in panel.class_scores]
    _enough(names, measure, "scores of every class")
    if panel.weight is not None or panel.cluster is not None:
        return _of_none(panel, measure, asked)
    k = best_scores(measure)
    assert k is not None
    right = {name: _rank_of_true(panel.class_scores[name], panel.truth) < k for name in names}
    times = np.ones(panel.truth.size, np.int64) if panel.frequency is None else panel.frequency
    found = []
    known = find(ONE_TEST_SET, asked.method, PROPORTIONS) or find(ONE_TEST_SET, "mid-p", PROPORTIONS)
    assert known is not None
    for a, b in named_pairs(names, asked):
        first, second = right[a], right[b]
        parts = (first & second, first & ~second, ~first & second, ~first & ~second)
        counts = PairedCounts(*(int(times[each].sum()) for each in parts))
        found.append(known(counts, (a, b), measure=measure.name, level=asked.level))
    return found


def _of_cases(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    """By a test of the values of the cases, which no other test stands in for where there are none."""
    values = case_values(panel, measure)
    if isinstance(values, str):
        return [undefined(pair, measure.name, values) for pair in named_pairs(panel.names, asked)]
    known = find(ONE_TEST_SET, asked.method, VALUES_OF_CASES)
    assert known is not None
    width = float(measure.bounds[1] - measure.bounds[0])
    return [
        known(values[a], values[b], (a, b), measure=measure.name, level=asked.level, width=width)
        for a, b in named_pairs([*values], asked)
    ]


def _of_all(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    """All models against one at once, by means over the cases; clusters are resampled whole."""
    known = find(ONE_TEST_SET, asked.method, MEANS_WITH_A_CONTROL)
    assert known is not None
    if asked.control is None:
        raise InputError(
            f"the method {known.name!r} tests all models against one: pass control= (--control)."
        )
    values = row_values(panel, measure)
    if not isinstance(values, str) and panel.clusters is not None and panel.clusters < ENOUGH_CLUSTERS:
        values = f"resampling fewer than {ENOUGH_CLUSTERS} clusters claims too much"
    if isinstance(values, str):
        return [undefined(pair, measure.name, values) for pair in named_pairs(panel.names, asked)]
    _within([*values.values], asked)
    units = "cases" if panel.cluster is None else "clusters"
    found: list[Comparison] = known(
        Means.of_rows(values),
        asked.control,
        measure=measure.name,
        level=asked.level,
        seed=asked.seed,
        units=units,
    )
    return found


def _of_none(panel: Panel, measure: Measure, asked: Asked) -> list[Comparison]:
    why = "no paired test of it is known to be valid here"
    if panel.positive is not None and measure.needs in OF_SCORES:
        refused = why_refused(measure, "bootstrap")
        why = f"{refused}: {INSTEAD}" if refused else _why_not_resampled(panel) or why
    return [undefined(pair, measure.name, why) for pair in named_pairs(panel.names, asked)]


KINDS = {
    "labels": _of_labels,
    "auc": _of_aucs,
    "precision": _of_precision,
    "losses": _of_losses,
    "top": _of_top,
    "cases": _of_cases,
    "together": _of_all,
    "none": _of_none,
}


def _within(names: Sequence[str], asked: Asked) -> str | None:
    """The control, refused where it does not have what is compared."""
    if asked.control is not None and asked.control not in names:
        raise InputError(
            f"the control {asked.control!r} has no such column as {', '.join(names)} have: leave the measure out."
        )
    return asked.control


def named_pairs(names: Sequence[str], asked: Asked) -> list[tuple[str, str]]:
    """The pairs of some models that are compared: all, or each with the control."""
    return pairs(names, _within(names, asked))


def _scored(panel: Panel, measure: Measure) -> list[str]:
    names = [name for name in panel.names if name in panel.scores]
    _enough(names, measure, "scores of the positive class")
    return names


def _enough(names: list[str], measure: Measure, what: str) -> None:
    if len(names) < 2:
        have = f"only {names[0]} has" if names else "no model has"
        raise InputError(f"{measure.name} needs two models with {what}, and {have} them.")


def _rank_of_true(scores: Array, true: Array) -> Array:
    """How many classes score above the true one, equal scores in the order of the labels."""
    own = np.take_along_axis(scores, true[:, None].astype(np.intp), axis=1)
    earlier = np.arange(scores.shape[1])[None, :] < true[:, None]
    return np.asarray(((scores > own) | ((scores == own) & earlier)).sum(1))
