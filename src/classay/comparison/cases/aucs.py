"""AUCs compared: of several models on the same cases, of two on different cases; their ROC curves in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import of_predictions
from classay.assessment.roc_space import RocSpace, roc_space
from classay.comparison.cases.difference import NOTHING, ComparisonMethod, no_difference, of_spread, undefined
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.score_measures import MOST_ROWS
from classay.comparison.comparison import (
    TEST_CASES,
    Comparison,
    Criterion,
    SignificanceTest,
    UnitsTested,
    pairs,
)
from classay.comparison.named_tests import DIFFERENT_TEST_SETS, ONE_TEST_SET, ComparedInput, cite, test
from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.curves.of_scores import roc
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.design import Design, SamplingUnits, VarianceEstimate
from classay.inference.estimate import Estimate, format_distinct
from classay.inference.proportions import falling_root
from classay.inference.scores.auc import Placements, delong_variance
from classay.measures import roc_auc
from classay.once import memoize
from classay.predictions import Predictions
from classay.shown import plot
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, rounded_difference

Array = NDArray[Any]
UNPAIRED_AUCS = ComparedInput[tuple[ScoreTable, ScoreTable], Comparison]("AUCs")
"""What these tests are of."""
DELONG = ComparisonMethod("DeLong, t", "DeLong's t", ("delong1988", "sun2014"))
LINEARISED = ComparisonMethod("linearised, t", "linearised t", ("binder1983",))
CLUSTERED = ComparisonMethod("Obuchowski, t", "Obuchowski's t over clusters", ("obuchowski1997",))
NORMAL = {
    DELONG: ComparisonMethod("DeLong", "DeLong's z", DELONG.sources),
    LINEARISED: ComparisonMethod("linearised", "linearised z", LINEARISED.sources),
}
"""The same with the normal distribution, as published."""
FEWEST = 3
"""Cases, or clusters, of the rarer class below which there is no test: their spread is hardly known."""
UNPAIRED = ComparisonMethod(
    "DeLong, unpaired", "DeLong's t with Satterthwaite's df", ("delong1988", "robin2011")
)
WITHOUT = ("no case is positive", "no case is negative")
"""Why there is no AUC of cases of one class."""


@dataclass(frozen=True, eq=False)
class Aucs:
    """The AUCs of several models on the same cases, and their spread, `[model, model]`.

    The spread has one degree of freedom fewer than there are units alike of the rarer class, which `held` units hold;
    `how` says by which method it was found, `same[i, j]` whether two models rank all cases alike. `pairs` is how many
    pairs of a positive and a negative case there are that share no case, 0 where cases are not drawn alike.
    `absent` says which class has no case, if one has none.
    """

    names: tuple[str, ...]
    values: Array
    spread: VarianceEstimate
    same: Array
    how: ComparisonMethod
    pairs: int = 0
    absent: str = ""
    held: float = inf

    @property
    def why_untested(self) -> str:
        """Why no difference of these AUCs has a test; empty where it may have one."""
        if self.absent or self.held >= FEWEST:
            return self.absent
        return f"fewer than {FEWEST} {self.spread.units.name} are of the rarer class, too few to estimate the variation"

    @property
    def as_published(self) -> Aucs:
        """The same with normal limits, where the units are no clusters."""
        spread = self.spread if self.how is CLUSTERED else replace(self.spread, degrees=inf)
        return replace(self, spread=spread, how=NORMAL.get(self.how, self.how))


AUCS = ComparedInput[Aucs, list[Comparison]]("AUCs")
"""What tests of AUCs of the same cases are of."""


def aucs_of(
    scores: Mapping[str, Array],
    positive: Array,
    *,
    frequency: Array | None = None,
    weight: Array | None = None,
    cluster: Array | None = None,
) -> Aucs:
    """Return the AUCs of models that scored the same cases, with all their covariances, each case ranked once a model.

    `scores` are `(cases,)` each, `positive` booleans. `frequency` are numbers of identical cases, `weight`
    sampling weights, `cluster` whole numbers from 0 without gaps; clusters take either as the weight of rows.

    >>> y = np.array([True, False, True, False])
    >>> aucs = aucs_of({"a": np.array([0.9, 0.8, 0.7, 0.2]), "b": np.array([0.9, 0.1, 0.7, 0.8])}, y)
    >>> aucs.values, aucs.spread.covariance
    (array([0.75, 0.75]), array([[0.125, 0.   ],
           [0.   , 0.125]]))
    """
    placements = Placements.of(list(scores.values()), positive, weight if frequency is None else frequency)
    design = Design.of_rows(
        positive.size, frequency=frequency, weight=weight, cluster=cluster, true=positive.astype(np.int8)
    )
    how = CLUSTERED if cluster is not None else DELONG if weight is None else LINEARISED
    spread = design.spread(
        placements.influence(), by_class=how is not LINEARISED, degrees=design.equal_units_of_class.min() - 1
    )
    same = _same(placements, spread.covariance)
    pairs = 0 if how is not DELONG else _pairs(positive, frequency)
    absent = "" if 0 < positive.sum() < positive.size else WITHOUT[bool(positive.any())]
    return Aucs(tuple(scores), placements.aucs, spread, same, how, pairs, absent, design.units_of_class.min())


@memoize
def aucs_of_panel(panel: PairedPredictions) -> Aucs:
    """Return the AUCs of all models of a panel that have scores."""
    return aucs_of(
        panel.scores, panel.is_positive, frequency=panel.frequency, weight=panel.weight, cluster=panel.cluster
    )


def _pairs(positive: Array, frequency: Array | None) -> int:
    counts = np.bincount(positive.astype(np.intp), frequency, 2)
    return int(counts.min())


def _same(placements: Placements, covariance: Array) -> Array:
    """Return which models rank all cases alike: looked for where the variance of the difference is rounding."""
    variances = covariance.diagonal()
    near = variances[:, None] + variances - 2 * covariance <= NOTHING * (variances[:, None] + variances)
    same: Array = near.copy()
    for i, j in np.argwhere(np.triu(near, 1)):
        differ = rounded_difference(placements.values[i], placements.values[j]).any()
        same[i, j] = same[j, i] = not differ
    return same


@test("delong-t", "DeLong's t", where=ONE_TEST_SET, of=AUCS, references=("delong1988", "sun2014"))
def compare_aucs(aucs: Aucs, *, control: str | None = None, level: float = 0.95) -> list[Comparison]:
    """Each pair of models compared: paired DeLong, or its version for weights or clusters, with Student's t.

    t = ΔAUC / sqrt(V_A + V_B - 2 C) on m - 1 degrees of freedom, m the cases of the smaller class, the clusters that
    hold it, or as many cases of equal weights. Undefined for m < 3. Satterthwaite's degrees from the variances of both
    classes are never fewer, and reject too often with few positives: 6% with 3 positive clusters of 100. Models that
    rank all cases alike have t = 0 and p = 1. It compares trained models on cases that neither has seen; for nested
    models on the data they were fitted to it is not valid (Demler et al. 2012).
    """
    comparisons = []
    for models in pairs(aucs.names, control):
        i, j = map(aucs.names.index, models)
        values = (float(aucs.values[i]), float(aucs.values[j]))
        if aucs.absent:
            comparisons.append(undefined(models, "roc_auc", aucs.absent))
            continue
        if aucs.why_untested and not aucs.same[i, j]:
            comparisons.append(undefined(models, "roc_auc", aucs.why_untested, values))
            continue
        if aucs.same[i, j]:
            how = {"trials": aucs.pairs, "width": 1.0}
            comparisons.append(
                no_difference(models, "roc_auc", values, aucs.spread.units, aucs.how, level, **how)
            )
            continue
        spread = replace(aucs.spread, covariance=aucs.spread.covariance[np.ix_([i, j], [i, j])])
        spread = replace(spread, covariance=spread.along([1, -1]))
        comparisons.append(of_spread(models, "roc_auc", values, spread, aucs.how, level=level, width=1.0))
    return comparisons


@test("delong", "DeLong's z", where=ONE_TEST_SET, of=AUCS, references=("delong1988", "sun2014"))
def compare_aucs_by_z(aucs: Aucs, *, control: str | None = None, level: float = 0.95) -> list[Comparison]:
    """Each pair of models by DeLong's z, as DeLong, DeLong & Clarke-Pearson 1988 and pROC have it.

    The normal distribution takes the place of Student's t. With few cases of a class it rejects too often: at 5%, in
    9, 8 and 6% of samples with 3, 5 and 10 positives of 105 cases. Clusters keep Student's t.
    """
    return compare_aucs(aucs.as_published, control=control, level=level)


@test(
    "logit-delong", "logit-DeLong, MOVER", where=ONE_TEST_SET, of=AUCS, references=("delong1988", "zou2007")
)
def compare_logit_aucs(aucs: Aucs, *, control: str | None = None, level: float = 0.95) -> list[Comparison]:
    """Each pair of models by the limits of both AUCs on the logit scale, added up with their correlation (MOVER).

    The low end is Δ - sqrt(l² - 2 r l u + u²) with l the distance of the first AUC to its lower limit, u that of the
    second to its upper one, and r the correlation of both; the high end likewise. p is 1 less the level at which the
    interval reaches 0. Undefined for an AUC of 0 or 1. Zou 2007, Psychological Methods 12:399.
    """
    plain = compare_aucs(aucs, control=control, level=level)
    return [_on_logits(aucs, one, level) for one in plain]


def _on_logits(aucs: Aucs, plain: Comparison, level: float) -> Comparison:
    from scipy.special import expit, logit

    at = [aucs.names.index(model) for model in plain.models]
    values, v = aucs.values[at], aucs.spread.covariance[np.ix_(at, at)]
    if plain.reason is not None or plain.p == 1:
        return plain
    if not ((values > 0) & (values < 1)).all() or not (v.diagonal() > 0).all():
        return undefined(plain.models, "roc_auc", "an AUC of 0 or 1 has no logit", plain.values)
    errors, r = np.sqrt(v.diagonal()) / (values * (1 - values)), float(v[0, 1] / np.sqrt(v[0, 0] * v[1, 1]))
    gap = float(values[0] - values[1])

    def reach(quantile: float, first_up: int) -> float:
        """Return how far the difference may be off on the side where the first AUC is moved up (1) or down (-1)."""
        moved = expit(logit(values) + quantile * errors * np.array([first_up, -first_up])) - values
        one, other = np.abs(moved).tolist()
        return sqrt(max(one * one + other * other - 2 * r * (one * other), 0.0))

    quantile = aucs.spread.quantile(level)
    z = float(falling_root(np.vectorize(lambda q: abs(gap) - reach(q, -1 if gap > 0 else 1)), 0.0, 0.0, 40.0))
    return plain.changed(
        effect=Estimate(
            gap, gap - reach(quantile, -1), gap + reach(quantile, 1), level, "MOVER, logit-DeLong"
        ),
        p=aucs.spread.p(z),
        method="logit-DeLong, MOVER",
        statistic=z if gap > 0 else -z,
        reference=f"{plain.reference}; {cite('zou2007')}",
    )


def all_equal(aucs: Aucs, *, level: float = 0.95) -> Comparison:
    """Check whether all of several AUCs are equal, by Hotelling's F; of two models it is `compare_aucs`.

    T² = (LA)' (L V L')⁻ (LA) of DeLong, DeLong & Clarke-Pearson 1988, L taking the differences from the first model,
    and F = T² (m - q) / (q (m - 1)) on q and m - q degrees of freedom: q the rank of L V L', m the cases of the smaller
    class, the clusters that hold it, or as many cases of equal weights. As χ², T² rejects at 5% in 14% of samples of
    15 + 200 cases. Undefined for m ≤ q. Raises InputError for fewer than two models. Hotelling 1931, Ann. Math. Stat.
    2:360.
    """
    from scipy.special import fdtrc

    k = len(aucs.names)
    if k < 2:
        raise InputError("A comparison needs at least two models, but has one.")
    values = tuple(aucs.values.tolist())
    contrast = np.hstack([np.ones((k - 1, 1)), -np.eye(k - 1)])
    contrasts, spread = contrast @ aucs.values, contrast @ aucs.spread.covariance @ contrast.T
    if aucs.why_untested:
        return undefined(aucs.names, "roc_auc", aucs.why_untested, values)
    roots, vectors = np.linalg.eigh(spread)
    kept = roots > max(1e-12 * float(np.trace(aucs.spread.covariance)), ROUNDING**2)
    along = vectors.T @ contrasts
    if (np.abs(along[~kept]) > 1e-9).any():
        return undefined(
            aucs.names, "roc_auc", f"the {aucs.spread.units.name} show no variation of a difference", values
        )
    q, left = int(kept.sum()), aucs.spread.degrees + 1 - int(kept.sum())
    if left < 1:
        smallest = f"{aucs.spread.degrees + 1:.3g} {aucs.spread.units.name} of the rarer class"
        smallest += " (of equal size)" if aucs.how is CLUSTERED else ""
        why = f"{smallest} are too few to test {k} models jointly"
        return undefined(aucs.names, "roc_auc", why, values)
    squared = float((along[kept] ** 2 / roots[kept]).sum())
    f = squared * left / (q * aucs.spread.degrees) if q else 0.0
    return Comparison(
        aucs.names,
        "roc_auc",
        None,
        float(fdtrc(q, left, f)) if q else 1.0,
        f"Hotelling's F on {q} and {left:g} df, {aucs.how.interval.removesuffix(', t')}",
        TEST_CASES,
        values=values,
        test=SignificanceTest(
            statistic=f, reference=f"{cite(*aucs.how.sources)}; {cite('hotelling1931')}", df=q
        ),
        sample=UnitsTested(n=aucs.spread.units.number, units=aucs.spread.units.name),
        criterion=Criterion(level=level),
    )


@test(
    "delong",
    "DeLong's t, unpaired",
    where=DIFFERENT_TEST_SETS,
    of=UNPAIRED_AUCS,
    references=("delong1988", "robin2011"),
)
def compare_unpaired_aucs(
    tables: tuple[ScoreTable, ScoreTable],
    models: tuple[str, str] = ("first", "second"),
    *,
    level: float = 0.95,
) -> Comparison:
    """AUCs on different cases: DeLong's variances add up, Student's t with Satterthwaite's degrees of freedom.

    df = (V_A + V_B)² / (V_A² / (n_A - 1) + V_B² / (n_B - 1)), as in pROC (Robin et al. 2011).
    """
    values = tuple(float(roc_auc(table)) for table in tables)
    variances = [delong_variance(table) for table in tables]
    cases = [int(table.n_positive + table.n_negative) for table in tables]
    return unpaired_difference(models, (values[0], values[1]), variances, cases, level=level)


def unpaired_difference(
    models: tuple[str, str],
    values: tuple[float, float],
    variances: Sequence[float],
    cases: Sequence[int],
    *,
    level: float,
) -> Comparison:
    """Return the same test from the AUCs, their variances and the numbers of cases alone."""
    total = sum(variances)
    below = sum(v**2 / (n - 1) for v, n in zip(variances, cases, strict=True) if n > 1)
    df = total**2 / below if below > 0 else inf
    spread = VarianceEstimate(total, df, SamplingUnits(sum(cases)))
    return of_spread(models, "roc_auc", values, spread, UNPAIRED, level=level, width=1.0)


@dataclass(frozen=True, eq=False)
class RocCurves:
    """The ROC curves of all models of a comparison, by their names; `areas` are their AUCs, where these were compared.

    >>> import classay as ca
    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> c = ca.compare({"a": [9, 8, 7, 6, 4, 3, 2, 1], "b": [9, 3, 7, 4, 8, 6, 2, 1]}, y)
    >>> c.roc
    RocCurves(a, AUC 0.750; b, AUC 0.438)
    """

    curves: Mapping[str, Curve]
    areas: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """What the legend says of each curve: the model, and its AUC."""
        written = dict(zip(self.areas, format_distinct(*self.areas.values()), strict=True))
        return tuple(f"{name}, AUC {written[name]}" if name in written else name for name in self.curves)

    def plot(self, ax: Any = None, *, width: str = "screen") -> Any:
        """Draw all in one picture with matplotlib (the extra `plot`), on new axes or on those given; returns the axes.

        New axes are as wide as a screen likes, or "one column" (89 mm) or "two columns" (183 mm) of a paper.
        """
        named = [curve.of(name) for name, curve in zip(self.names, self.curves.values(), strict=True)]
        return plot(named, ax, width=width)

    def __getitem__(self, model: str) -> Curve:
        return self.curves[model]

    def __repr__(self) -> str:
        return f"RocCurves({'; '.join(self.names)})"


MODELS = 8
"""Models that one picture tells apart; of more none is drawn."""
NEAR = 0.002
"""Greatest vertical error of a curve that is drawn among several."""


def roc_curves(tables: Mapping[str, ScoreTable]) -> tuple[Curve, ...]:
    """Return the ROC curve of each table with cases of both classes, under its model's name."""
    if not 2 <= len(tables) <= MODELS:
        return ()
    return tuple(
        for_display(roc(table), NEAR, few=200).of(name)
        for name, table in tables.items()
        if table.n_positive and table.n_negative
    )


def roc_of_panel(panel: PairedPredictions) -> tuple[Curve, ...]:
    """Return the ROC curves of a panel's scores; none for large panels, where sorting them again would take long."""
    if panel.n > MOST_ROWS:
        return ()
    return roc_curves({name: cases.table for name, cases in scored_of(panel)})


def scored_of(panel: PairedPredictions) -> list[tuple[str, ScoredCases]]:
    """Return the name and the scores of each model of a panel of two classes."""
    if not panel.is_binary or not panel.scores:
        return []
    positive, weight, frequency = panel.is_positive, panel.weight, panel.frequency
    return [
        (name, ScoredCases(ScoreTable.from_rows(score, positive, weight=weight, frequency=frequency)))
        for name, score in panel.scores.items()
    ]


MOST_POINTS = 30
"""Models up to which ROC space is shown: of more, points hide each other."""


def space_of_panel(
    panel: PairedPredictions, level: float, seed: int, costs: Sequence[Costs] = ()
) -> RocSpace | None:
    """The models of a panel of two classes as points of ROC space; None if a model has scores or a class no case.

    Lines of equal cost are those of the first costs, if these are numbers.
    """
    if not panel.is_binary or panel.scores or [*panel.predicted] != [*panel.names]:
        return None
    if len(panel.names) > MOST_POINTS or len({*panel.truth.tolist()}) < 2:
        return None
    clusters = None if panel.clusters is None else tuple(range(panel.clusters))
    rows: dict[str, Any] = {
        "labels": panel.labels,
        "positive": panel.positive,
        "truth": panel.truth,
        "weight": panel.weight,
        "frequency": panel.frequency,
        "cluster": panel.cluster,
        "clusters": clusters,
    }
    space = roc_space(
        {
            name: of_predictions(Predictions(predicted=codes, **rows), level=level, seed=seed)
            for name, codes in panel.predicted.items()
        }
    )
    return replace(space, costs=next((cost for cost in costs if _has_lines(space, cost)), None))


def _has_lines(space: RocSpace, costs: Costs) -> bool:
    """Check whether costs are of the errors, and numbers: those of amounts have no lines of equal cost."""
    try:
        space.slope(costs)
    except InputError:
        return False
    return True
