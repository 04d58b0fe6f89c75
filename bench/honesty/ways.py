"""What others do, and classay's methods by name, on the same samples of rows.

The formulas of others are written out here: those of pROC and confidenceinterval 1.0 (DeLong with Wald's interval), of
textbooks (Student), and the percentile bootstrap that users write around scikit-learn. A way gets a sample and names of
measures, and gives the ends of those that it serves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from bench.cases import bootstrap_replicates
from bench.honesty.cells import LEVEL
from bench.honesty.rows import NOTHING, Sample, ends_of
from classay.inference.exponential_scores import hanley_mcneil_variance
from classay.inference.proportions import normal_quantile
from classay.measures import get

Ends = dict[str, tuple[float, float]]
REPLICATES = 400
AT_LEAST = 110_000
"""Numbers drawn, at least, so that the loop is compiled: more replicates of fewer cases take less time."""
BOOTSTRAP = "percentile bootstrap"
BOOTSTRAPPED = ("roc_auc", "average_precision", "brier_score", "log_loss", "kolmogorov_smirnov", "max_f1")
LOSSES = ("brier_score", "log_loss", "multiclass_brier_score")
WAYS: dict[str, Callable[[Sample, Sequence[str]], Ends]] = {}


def way(name: str) -> Callable[[Callable[[Sample, Sequence[str]], Ends]], Any]:
    """Register a way."""

    def register(function: Callable[[Sample, Sequence[str]], Ends]) -> Any:
        WAYS[name] = function
        return function

    return register


def _by_name(method: str) -> Callable[[Sample, Sequence[str]], Ends]:
    def ends(sample: Sample, names: Sequence[str]) -> Ends:
        if not sample.are_alike or "roc_auc" not in names:
            return {}
        return {"roc_auc": ends_of(sample.estimates(["roc_auc"], method)["roc_auc"])}

    return ends


WAYS["by name: logit-DeLong"] = _by_name("logit-DeLong")
WAYS["by name: Newcombe-5"] = _by_name("Newcombe-5")
WAYS["DeLong, Wald (pROC, confidenceinterval)"] = _by_name("DeLong")


@way("Hanley–McNeil, Wald")
def hanley_mcneil(sample: Sample, names: Sequence[str]) -> Ends:
    if not sample.are_alike or "roc_auc" not in names:
        return {}
    auc = float(get("roc_auc")(sample.drawn(get("roc_auc")).table))
    positive = float(sample.truth.sum())
    variance = hanley_mcneil_variance(auc, positive, sample.truth.size - positive)
    half = normal_quantile(LEVEL) * np.sqrt(variance)
    return {"roc_auc": (auc - half, auc + half)}


@way("Student's t")
def student(sample: Sample, names: Sequence[str]) -> Ends:
    if not sample.are_alike:
        return {}
    found = {}
    n, score = sample.truth.size, sample.score
    own = np.where(sample.truth, score, 1 - score) if score.ndim == 1 else score[np.arange(n), sample.truth]
    for name in LOSSES:
        if name in names:
            if name == "log_loss":
                losses = -np.log(own)
            elif score.ndim == 1:
                losses = (1 - own) ** 2
            else:
                losses = (score**2).sum(1) - own**2 + (1 - own) ** 2
            half = stats.t.ppf(0.5 + LEVEL / 2, n - 1) * losses.std(ddof=1) / np.sqrt(n)
            found[name] = losses.mean() - half, losses.mean() + half
    return found


@way(BOOTSTRAP)
def percentile_bootstrap(sample: Sample, names: Sequence[str]) -> Ends:
    chosen = [name for name in names if name in BOOTSTRAPPED]
    if not sample.are_alike or sample.score.ndim == 2 or not chosen:  # the rows are not kept
        return {}
    measures, n = [get(name) for name in chosen], sample.truth.size
    table = sample.drawn(measures[0]).table
    replicates = max(REPLICATES, -(-AT_LEAST // n))
    drawn = bootstrap_replicates(table, measures, replicates=replicates, seed=0, threads=1)
    return {name: percentiles(values) for name, values in zip(chosen, drawn, strict=True)}


def percentiles(values: Any) -> tuple[float, float]:
    """The central share of replicates; nothing where half of them or more are undefined."""
    held = values[np.isfinite(values)]
    if held.size <= values.size / 2:
        return NOTHING
    low, high = np.quantile(held, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@way("as if alike (weights and clusters ignored in the interval)")
def as_if_alike(sample: Sample, names: Sequence[str]) -> Ends:
    if sample.are_alike:
        return {}
    found = {}
    alone = sample.alike.estimates(names)
    for name, each in alone.items():
        value = float(get(name)(sample.drawn(get(name)).table))
        shift = value - each.value  # the value itself with its weights
        found[name] = (each.low + shift, each.high + shift) if each.has_interval else NOTHING
    return found
