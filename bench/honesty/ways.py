"""Ways to an interval: classay's default and its methods by name, and what others do, on the same samples.

The formulas of others are written out here: those of confidenceinterval 1.0 (Wilson for proportions; for F1 Takahashi
et al. 2022; DeLong with Wald's interval), of textbooks (Wald, Student), and the percentile bootstrap that users write
around scikit-learn. A way gets a sample, a measure and the level, and gives the ends, or None where it has none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import stats

import classay as ca
from bench.honesty.makers import Sample
from bench.honesty.settings import LABELS, SEVERAL_LABELS
from classay.inference.bootstrap.bootstrapping import bootstrap_replicates
from classay.measures import get

Ends = tuple[float, float] | None
REPLICATES = 1000
AT_LEAST = 110_000
"""Numbers drawn, at least, so that the loop is compiled: more replicates of fewer cases take less time."""
FEWER = 200
"""Samples of ways that take as long as all others together."""
PROPORTIONS = ("accuracy", "recall", "precision")
AUCS = ("roc_auc",)
LOSSES = ("brier_score", "log_loss", "multiclass_brier_score")
OURS = "classay"


@dataclass(frozen=True)
class Drawn:
    """A sample with its assessments, which the ways share."""

    sample: Sample
    level: float
    whole: ca.Assessment
    replicates: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, sample: Sample, level: float) -> Drawn:
        return cls(sample, level, sample.assess(level))

    @property
    def alike(self) -> bool:
        return self.sample.weight is None and self.sample.cluster is None


@dataclass(frozen=True)
class Way:
    """A way to an interval: whose it is, which measures it serves (None for all), and how.

    `unlike` ways are also used where cases have weights or clusters; `most` is how many samples get it, if not all.
    """

    name: str
    of: tuple[str, ...] | None
    ends: Callable[[Drawn, str], Ends]
    unlike: bool
    most: int | None = None

    def serves(self, measure: str, drawn: Drawn) -> bool:
        return (self.of is None or measure in self.of) and (self.unlike or drawn.alike)


WAYS: list[Way] = []


def way(
    name: str, of: tuple[str, ...] | None = None, *, unlike: bool = False, most: int | None = None
) -> Callable[[Callable[[Drawn, str], Ends]], Callable[[Drawn, str], Ends]]:
    """Register a way."""

    def register(function: Callable[[Drawn, str], Ends]) -> Callable[[Drawn, str], Ends]:
        WAYS.append(Way(name, of, function, unlike, most))
        return function

    return register


def ends_of(found: ca.Estimate) -> Ends:
    return (found.low, found.high) if found.has_interval else None


@way(OURS, unlike=True)
def default(drawn: Drawn, measure: str) -> Ends:
    return ends_of(drawn.whole[measure])


def by_name(method: str, of: tuple[str, ...]) -> None:
    def ends(drawn: Drawn, measure: str) -> Ends:
        return ends_of(replace(drawn.whole, interval=method)[measure])

    WAYS.append(Way(f"by name: {method}", of, ends, unlike=False))


by_name("logit-DeLong", AUCS)
by_name("Newcombe-5", AUCS)


@way("Wald", PROPORTIONS)
def wald(drawn: Drawn, measure: str) -> Ends:
    p, n = drawn.whole[measure].value, cases_of(drawn, measure)
    half = quantile(drawn) * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def cases_of(drawn: Drawn, measure: str) -> float:
    proportion = get(measure)
    return float(proportion.parts(*proportion.read((drawn.whole.table(proportion),)))[1])


@way("DeLong, Wald (pROC, confidenceinterval)", AUCS)
def delong_wald(drawn: Drawn, measure: str) -> Ends:
    return ends_of(replace(drawn.whole, interval="DeLong")[measure])


@way("Hanley–McNeil, Wald", AUCS)
def hanley_mcneil(drawn: Drawn, measure: str) -> Ends:
    from classay.inference.sample_size import hanley_mcneil_variance

    auc, p = drawn.whole[measure].value, float(drawn.sample.truth.sum())
    half = quantile(drawn) * np.sqrt(hanley_mcneil_variance(auc, p, drawn.sample.truth.size - p))
    return auc - half, auc + half


@way("Student's t", LOSSES)
def student(drawn: Drawn, measure: str) -> Ends:
    truth, score = drawn.sample.truth, np.asarray(drawn.sample.score)
    if score.ndim == 1:
        own = np.where(truth, score, 1 - score)
        losses = -np.log(own) if measure == "log_loss" else (1 - own) ** 2
    else:
        own = score[np.arange(truth.size), truth]
        losses = -np.log(own) if measure == "log_loss" else (score**2).sum(1) - own**2 + (1 - own) ** 2
    half = stats.t.ppf(0.5 + drawn.level / 2, truth.size - 1) * losses.std(ddof=1) / np.sqrt(truth.size)
    return losses.mean() - half, losses.mean() + half


@way("Takahashi (confidenceinterval)", ("f1", "macro_f1"))
def takahashi(drawn: Drawn, measure: str) -> Ends:
    """Delta method, normal: var = grad' (diag(p) - pp') grad / n of F1, or of the mean of the classes' F1."""
    counts = np.asarray(drawn.whole.confusion_matrix.counts, float)
    n = counts.sum()
    shares, k = counts / n, counts.shape[0]
    true, called, hits = shares.sum(0), shares.sum(1), shares.diagonal()
    both = true + called
    if (both == 0).any():
        return None
    f = 2 * hits / both
    kinds = range(k) if measure == "macro_f1" else [k - 1]
    slope = np.zeros((k, k))
    for c in kinds:
        slope[c, :] -= f[c] / both[c] / len(kinds)
        slope[:, c] -= f[c] / both[c] / len(kinds)
        slope[c, c] += 2 / both[c] / len(kinds)
    variance = ((shares * slope**2).sum() - (shares * slope).sum() ** 2) / n
    value, half = f[list(kinds)].mean(), quantile(drawn) * np.sqrt(max(variance, 0.0))
    return value - half, value + half


def quantile(drawn: Drawn) -> float:
    return float(stats.norm.ppf(0.5 + drawn.level / 2))


BOOTSTRAPPED = (
    *("accuracy", "recall", "precision", "f1", "balanced_accuracy", "matthews_correlation"),
    *("macro_f1", "macro_precision", "cohen_kappa"),
    *("roc_auc", "average_precision", "brier_score", "log_loss", "kolmogorov_smirnov", "max_f1"),
)


def resampled(drawn: Drawn, needs: str) -> dict[str, Any]:
    """Replicates of all measures of one kind of table, which are resampled together."""
    known = [get(name) for name in BOOTSTRAPPED if get(name).needs == needs]
    several = drawn.whole.class_scores is not None
    known = [each for each in known if several or each.name not in SEVERAL_LABELS or each.name in LABELS]
    table = drawn.whole.table(known[0])
    replicates = max(REPLICATES, -(-AT_LEAST // drawn.sample.truth.size))
    values = bootstrap_replicates(table, known, replicates=replicates, seed=0, threads=1)
    return {each.name: own for each, own in zip(known, values, strict=True)}


@way("percentile bootstrap (over scikit-learn)", BOOTSTRAPPED, most=FEWER)
def percentile_bootstrap(drawn: Drawn, measure: str) -> Ends:
    if drawn.whole.class_scores is not None and get(measure).needs not in (
        "margins",
        "matrix",
        "counts",
    ):
        return None  # the rows are not kept
    if measure not in drawn.replicates:
        drawn.replicates.update(resampled(drawn, get(measure).needs))
    values = drawn.replicates[measure]
    values = values[np.isfinite(values)]
    if values.size < drawn.replicates[measure].size / 2:
        return None
    low, high = np.quantile(values, [(1 - drawn.level) / 2, (1 + drawn.level) / 2])
    return float(low), float(high)


@way("as if alike (weights and clusters ignored in the interval)", unlike=True, most=FEWER)
def as_if_alike(drawn: Drawn, measure: str) -> Ends:
    if drawn.alike:
        return None
    alone = drawn.sample.assess(drawn.level, weight=None, cluster=None)[measure]
    shift = drawn.whole[measure].value - alone.value  # the value itself with its weights
    return (alone.low + shift, alone.high + shift) if alone.has_interval else None
