"""Which test suits which measure, and the tests of all pairs of models of a panel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.adjustment import adjusted
from classay.comparison.cases.aucs import Aucs, all_equal, aucs_of, compare_aucs, compare_logit_aucs
from classay.comparison.cases.difference import undefined
from classay.comparison.cases.labels import TESTS, compare_labels, paired_counts
from classay.comparison.cases.mean_losses import LOSSES, compare_losses
from classay.comparison.cases.panel.panel import Panel
from classay.comparison.cases.proportions import cochran_q, mcnemar
from classay.comparison.cases.scores import (
    ENOUGH_CLUSTERS,
    ENOUGH_OF_CLASS,
    MOST_ROWS,
    compare_average_precision,
    compare_scores,
)
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.errors import InputError
from classay.measures import Measure, get
from classay.tables import PairedCounts

Array = NDArray[Any]
OF_LABELS = ("counts", "margins", "matrix")
OF_SCORES = ("scores", "probabilities")
DEFAULTS = {
    "scores": ("roc_auc", "average_precision"),
    "probabilities": ("brier_score",),
    "labels": ("accuracy", "recall", "specificity"),
    "labels alone": ("accuracy", "recall", "specificity", "precision", "f1"),
    "classes": ("accuracy", "macro_f1"),
    "class probabilities": ("log_loss",),
}
"""What is compared unasked: a few measures, for every one more makes the adjusted p-values of all larger."""


def compare_panel(
    panel: Panel,
    measures: Sequence[str | Measure] | None = None,
    *,
    method: str | None = None,
    adjustment: str = "holm",
    level: float = 0.95,
    seed: int = 0,
) -> Comparisons:
    """Compare the models of a panel; see `compare`."""
    if panel.n <= MOST_ROWS or method in ("bootstrap", "permutation"):  # beyond, nothing is drawn
        panel = panel.canonical()
    wanted = [
        each if isinstance(each, Measure) else get(each) for each in measures or default_measures(panel)
    ]
    wanted = list(dict.fromkeys(wanted))
    found: list[Comparison] = []
    by_bootstrap = [each for each in wanted if _kind(each, panel, method) == "bootstrap"]
    resampled = _resampled(panel, by_bootstrap, level, seed) if by_bootstrap else []
    for each in wanted:
        kind = _kind(each, panel, method)
        if kind == "bootstrap":
            found += [one for one in resampled if one.measure == each.name]
        else:
            found += KINDS[kind](panel, each, method, level, seed)
    return Comparisons(
        tuple(adjusted(found, adjustment)),
        panel.names,
        about_panel(panel),
        level,
        seed,
        _overall(panel, wanted, level),
    )


def _overall(panel: Panel, measures: list[Measure], level: float) -> tuple[Comparison, ...]:
    """Tests of three models or more together, of the AUC and of accuracy without weights or clusters."""
    found = []
    names = {each.name for each in measures}
    if panel.positive is not None and "roc_auc" in names and len(panel.scores) > 2:
        found.append(all_equal(_aucs(panel, list(panel.scores)), level=level))
    if "accuracy" in names and len(panel.predicted) > 2 and panel.weight is None and panel.cluster is None:
        right = np.stack([np.equal(each, panel.truth) for each in panel.predicted.values()], 1)
        right = right if panel.frequency is None else np.repeat(right, panel.frequency, axis=0)
        found.append(cochran_q(right, tuple(panel.predicted), level=level))
    return tuple(found)


def default_measures(panel: Panel) -> list[str]:
    """The measures that are compared unasked."""
    scored = [name for name in panel.names if name in panel.scores or name in panel.class_scores]
    labelled = len(panel.predicted) > 1
    chosen: list[str] = []
    if panel.positive is None:
        chosen += DEFAULTS["classes"] if labelled else ()
        chosen += (
            DEFAULTS["class probabilities"] if len(scored) > 1 and panel.have_probabilities(scored) else ()
        )
    elif len(scored) > 1:
        chosen += DEFAULTS["scores"]
        chosen += DEFAULTS["probabilities"] if panel.have_probabilities(scored) else ()
        chosen += DEFAULTS["labels"] if labelled else ()
    else:
        chosen += DEFAULTS["labels alone"] if labelled else ()
    if not chosen:
        raise InputError(
            "no two models can be compared in the same measure: one has scores, another labels; give the scores a "
            "threshold (threshold=, --threshold)."
        )
    return chosen


def _kind(measure: Measure, panel: Panel, method: str | None) -> str:
    """By which kind of test a measure is compared."""
    if measure.needs in OF_LABELS:
        return "labels"
    if measure.name in LOSSES:
        return "losses"
    if measure.name.startswith("top_"):
        return "top"
    if panel.positive is None or measure.needs not in OF_SCORES:
        return "none"
    return "bootstrap" if method == "bootstrap" else _kind_of_scores(measure, panel)


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


def _of_labels(
    panel: Panel, measure: Measure, method: str | None, level: float, seed: int
) -> list[Comparison]:
    names = [name for name in panel.names if name in panel.predicted]
    _enough(names, measure, "labels, or probabilities, or a threshold")
    found = []
    for a, b in combinations(names, 2):
        pair = panel.pair(a, b)
        has_it = method in ("delta", "posterior", "bootstrap") or (
            method in TESTS and paired_counts(pair, measure) is not None
        )
        how: Any = method if has_it else None
        found.append(compare_labels(pair, measure, (a, b), method=how, level=level, seed=seed))
    return found


def _of_aucs(panel: Panel, measure: Measure, method: str | None, level: float, seed: int) -> list[Comparison]:
    aucs = _aucs(panel, _scored(panel, measure))
    return (compare_logit_aucs if method == "logit-delong" else compare_aucs)(aucs, level=level)


def _aucs(panel: Panel, names: Sequence[str]) -> Aucs:
    cases = panel.scored(names)
    return aucs_of(
        cases.scores, cases.positive, frequency=cases.frequency, weight=cases.weight, cluster=cases.cluster
    )


def _of_precision(
    panel: Panel, measure: Measure, method: str | None, level: float, seed: int
) -> list[Comparison]:
    return compare_average_precision(panel.scored(_scored(panel, measure)), level=level)


def _resampled(panel: Panel, measures: list[Measure], level: float, seed: int) -> list[Comparison]:
    names = _scored(panel, measures[0])
    return compare_scores(panel.scored(names), measures, level=level, seed=seed)


def _of_losses(
    panel: Panel, measure: Measure, method: str | None, level: float, seed: int
) -> list[Comparison]:
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
    how: Any = "permutation" if method == "permutation" else None
    width = float(measure.bounds[1] - measure.bounds[0])
    found = []
    for a, b in combinations(names, 2):
        first, second = losses[a], losses[b]
        if first is None or second is None:
            why = f"the scores of {a if first is None else b} are no probabilities"
            found.append(undefined((a, b), measure.name, why))
            continue
        found.append(
            compare_losses(
                first,
                second,
                (a, b),
                measure=measure.name,
                frequency=panel.frequency,
                weight=panel.weight,
                cluster=panel.cluster,
                method=how,
                level=level,
                width=width,
                seed=seed,
            )
        )
    return found


def _of_top(panel: Panel, measure: Measure, method: str | None, level: float, seed: int) -> list[Comparison]:
    """Whether the true class is among the k best scores: right or wrong, so McNemar's test."""
    names = [name for name in panel.names if name in panel.class_scores]
    _enough(names, measure, "scores of every class")
    if panel.weight is not None or panel.cluster is not None:
        return _of_none(panel, measure, method, level, seed)
    k = int(measure.name.split("_")[1])
    right = {name: _rank_of_true(panel.class_scores[name], panel.truth) < k for name in names}
    times = np.ones(panel.truth.size, np.int64) if panel.frequency is None else panel.frequency
    found = []
    for a, b in combinations(names, 2):
        first, second = right[a], right[b]
        parts = (first & second, first & ~second, ~first & second, ~first & ~second)
        counts = PairedCounts(*(int(times[each].sum()) for each in parts))
        test = TESTS.get(method or "mid-p", "mid-P")
        found.append(mcnemar(counts, (a, b), measure=measure.name, test=test, level=level))
    return found


def _of_none(panel: Panel, measure: Measure, method: str | None, level: float, seed: int) -> list[Comparison]:
    why = "no paired test of it is known to be valid here"
    if panel.positive is not None and measure.needs in OF_SCORES:
        why = _why_not_resampled(panel) or why
    return [undefined(pair, measure.name, why) for pair in combinations(panel.names, 2)]


KINDS = {
    "labels": _of_labels,
    "auc": _of_aucs,
    "precision": _of_precision,
    "losses": _of_losses,
    "top": _of_top,
    "none": _of_none,
}


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


def about_panel(panel: Panel) -> tuple[tuple[str, str], ...]:
    """What the comparison is of, as names and texts."""
    classes = panel.cases_by_class
    facts = [("models", ", ".join(panel.names)), ("cases", f"{panel.n:,}")]
    if panel.clusters is not None:
        facts.append(("clusters", f"{panel.clusters:,}"))
    if len(classes) <= 10:
        facts.append(("cases by class", ", ".join(f"{label}: {n:,}" for label, n in classes.items())))
    if panel.positive is not None:
        facts.append(("positive", f"{panel.positive}"))
    if panel.thresholds:
        values = {*panel.thresholds.values()}
        text = ", ".join(f"{name}: {value:g}" for name, value in panel.thresholds.items())
        text = f"{values.pop():g}" if len(values) == 1 else text
        facts.append(("threshold", text if panel.threshold_chosen else f"{text} (default, not chosen)"))
    if panel.dropped:
        facts.append(("left out", f"{panel.dropped:,} rows with a missing label"))
    return tuple(facts)
