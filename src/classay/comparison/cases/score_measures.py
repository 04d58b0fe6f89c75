"""Measures of scores compared on the same cases: any by resampling for all models, mean losses case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.difference import (
    ComparisonMethod,
    draws_for,
    few_decide,
    no_difference,
    of_replicates,
    of_spread,
    sign_flips,
    undefined,
)
from classay.comparison.comparison import TEST_CASES, Comparison, Criterion, UnitsTested, pairs
from classay.comparison.named_tests import ONE_TEST_SET, ComparedInput, cite, test
from classay.errors import InputError
from classay.inference.bootstrap.bootstrapping import MAXIMA, NOISE
from classay.inference.bootstrap.sampling import Sample
from classay.inference.bootstrap.score_samples import of_models
from classay.inference.design import Degrees, Design, SamplingUnits
from classay.inference.draws import DRAWS, OrderedRows, stream
from classay.inference.estimate import Estimate
from classay.inference.scores.deviation import as_in_clusters, bins_of, share_variance
from classay.measures import Measure, average_precision
from classay.measures.probability_bins import ProbabilityBins, parted
from classay.measures.ranking import average_precision_influence
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, equal_cases, rounded_difference

Array = NDArray[Any]
MOST_ROWS = 100_000
"""Cases up to which every measure is resampled unasked: 2,000 resamples of as many take about a second."""
ENOUGH_OF_CLASS = 200
"""Cases of the smaller class from which the influence function tells the spread of average precision."""
ENOUGH_CLUSTERS = 30
"""Clusters below which resampling them claims too much: 12% at a nominal 5% with ten of them."""
WIDENED = "widened for the bias of a maximum"
GAP_DRAWS = 10_000
"""Draws of the noise of gaps."""
INFLUENCE = ComparisonMethod("influence function", "influence function z", ("binder1983",))
INFLUENCE_CLUSTERS = ComparisonMethod(
    "influence function, t", "influence function, t over clusters", ("binder1983",)
)

DEGREES: dict[ComparisonMethod, Degrees] = {INFLUENCE: "normal", INFLUENCE_CLUSTERS: "classes"}
"""How well each knows its variance."""


@dataclass(frozen=True, eq=False)
class PanelScores:
    """Scores of several models for the same cases, `(cases,)` each, and which cases are positive.

    `frequency` are numbers of identical cases, `weight` sampling weights, `cluster` whole numbers from 0 without
    gaps, `(cases,)` or None.
    """

    scores: Mapping[str, Array]
    positive: Array
    frequency: Array | None = None
    weight: Array | None = None
    cluster: Array | None = None

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.positive.size if self.frequency is None else self.frequency.sum())

    def table(self, name: str) -> ScoreTable:
        """Return the score table of one model."""
        return ScoreTable.from_rows(
            self.scores[name], self.positive, weight=self.weight, frequency=self.frequency
        )

    @property
    def design(self) -> Design:
        """How the cases were drawn."""
        return Design.of_rows(
            self.positive.size,
            frequency=self.frequency,
            weight=self.weight,
            cluster=self.cluster,
            true=self.positive.astype(np.int8),
        )

    @property
    def _rows(self) -> OrderedRows:
        return OrderedRows(self.positive, self.weight, self.frequency, self.cluster)

    def canonical(self) -> PanelScores:
        """Return the same cases, of one row each, in an order that their content decides: see `canonical.Rows`."""
        order, cluster = self._rows.in_order({name: [score] for name, score in self.scores.items()})
        weight, cluster = (None if column is None else column[order] for column in (self.weight, cluster))
        scores = {name: score[order] for name, score in self.scores.items()}
        return PanelScores(scores, self.positive[order], None, weight, cluster)

    def symmetric(self, first: str, second: str) -> bool:
        """Check whether two models that change places leave the same cases."""
        return self._rows.is_symmetric(self.scores[first], self.scores[second])

    def repeated(self) -> PanelScores:
        """Return the same with a row for each of identical cases."""
        if self.frequency is None:
            return self
        times = self.frequency
        scores = {name: np.repeat(score, times) for name, score in self.scores.items()}
        cluster = None if self.cluster is None else np.repeat(self.cluster, times)
        return PanelScores(scores, np.repeat(self.positive, times), None, self.weight, cluster)


SCORES = ComparedInput[PanelScores, list[Comparison]]("scores")
"""What tests of measures of scores are of."""


@test("bootstrap", "paired bootstrap", where=ONE_TEST_SET, of=SCORES, references=("efron1993",))
def compare_scores(
    cases: PanelScores,
    measures: Sequence[Measure],
    *,
    control: str | None = None,
    replicates: int = DRAWS,
    level: float = 0.95,
    seed: int = 0,
    family: int = 1,
) -> list[Comparison]:
    """Every pair of models in every measure, by the paired bootstrap: pair by pair, in the order of the measures.

    The same draw of cases, or of whole clusters, is evaluated for all models, which takes no sorting; it costs
    as much as evaluating each resample once. Interval and p-value are the percentiles of the difference. Of a `family`
    of many comparisons more resamples are drawn where so few would limit a small p-value.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(200) < 0.4
    >>> cases = PanelScores({"a": rng.normal(size=200) + y, "b": rng.normal(size=200) + y}, y)
    >>> compare_scores(cases, [average_precision])
    [Comparison(average_precision of a minus b: -0.067 [-0.188, 0.080] 95%, percentile, paired bootstrap ...)]
    """
    cases = cases.repeated().canonical()
    names = list(cases.scores)
    tables = {name: cases.table(name) for name in names}
    observed = {
        (name, statistic.name): float(statistic(table))
        for name, table in tables.items()
        for statistic in measures
    }
    sample = of_models(
        list(cases.scores.values()), cases.positive, measures, weight=cases.weight, cluster=cases.cluster
    )
    differences = _differences(sample, replicates, names, len(measures), control, seed)
    most = draws_for(family, level)
    few = {models: few_decide(of_pair) & (most > replicates) for models, of_pair in differences.items()}
    more = differences
    if any(is_few.any() for is_few in few.values()):
        more = _differences(sample, most, names, len(measures), control, seed)
    units = SamplingUnits(cases.n) if cases.cluster is None else cases.design.units
    kind = "bootstrap" if cases.cluster is None else "cluster bootstrap"
    comparisons = []
    for models in differences:
        is_symmetric = cases.symmetric(*models)
        for k, measure in enumerate(measures):
            draws = (more if few[models][k] else differences)[models][k]
            how = _how(measure, f"paired {kind}", draws.size)
            values = observed[models[0], measure.name], observed[models[1], measure.name]
            why = _why_undefined(measure, models, tables, values)
            comparisons.append(
                undefined(models, measure.name, why, values)
                if why
                else of_replicates(
                    models,
                    measure.name,
                    values,
                    np.concatenate([draws, -draws]) if is_symmetric else draws,
                    units,
                    how,
                    level=level,
                    bias=NOISE if measure.base in MAXIMA else 0.0,
                )
            )
    return comparisons


def _how(measure: Measure, bootstrap: str, replicates: int) -> ComparisonMethod:
    """Return the names of interval and test of a measure by so many resamples."""
    widened = f", {WIDENED}" if measure.base in MAXIMA else ""
    interval = f"percentile{widened}, {bootstrap} of {replicates:,}"
    return ComparisonMethod(interval, f"{bootstrap} tail{widened}", ("efron1993",))


def _differences(
    sample: Sample, replicates: int, names: list[str], measures: int, control: str | None, seed: int
) -> dict[tuple[str, str], Array]:
    """Return the differences of each pair of models in each resample, `[measure, replicate]`."""
    drawn = _drawn(sample, replicates, seed)
    of_model = dict(zip(names, drawn.reshape(len(names), measures, replicates), strict=True))
    return {(a, b): _apart(of_model[a], of_model[b]) for a, b in pairs(names, control)}


def _drawn(sample: Sample, replicates: int, seed: int) -> Array:
    return np.asarray(sample.replicates(replicates, stream(seed, "paired bootstrap"), None))


def draws_of_models(cases: PanelScores, measure: Measure, seed: int = 0) -> Array:
    """Return a measure of each model in the same resamples of the cases, `(models, replicates)`."""
    cases = cases.repeated().canonical()
    sample = of_models(
        [*cases.scores.values()], cases.positive, [measure], weight=cases.weight, cluster=cases.cluster
    )
    return _drawn(sample, DRAWS, seed).reshape(len(cases.scores), DRAWS)


def _apart(first: Array, second: Array) -> Array:
    """Return how far two models are apart in each resample: rounding is on no side, nor are two infinite values."""
    with np.errstate(invalid="ignore"):
        difference = first - second
        equal = np.abs(difference) <= ROUNDING * np.maximum(np.abs(first), np.abs(second))
    return np.where(equal, 0.0, difference)


def compare_average_precision(
    cases: PanelScores, *, control: str | None = None, level: float = 0.95
) -> list[Comparison]:
    """Return every pair of models in average precision by its influence function: no resampling, O(n log n).

    The variance is that of the difference of the influences of each case, which pairing makes small. Clusters
    take Student's t over their sums. It rests on many cases of both classes: see ENOUGH_OF_CLASS.
    """
    names = list(cases.scores)
    found_of = {name: influence_on_precision(cases, name) for name in names}
    how = INFLUENCE if cases.cluster is None else INFLUENCE_CLUSTERS
    design, comparisons = cases.design, []
    for a, b in pairs(names, control):
        (first, on_first), (second, on_second) = found_of[a], found_of[b]
        both = first, second
        spread = design.spread(on_first - on_second, degrees=DEGREES[how])
        comparisons.append(of_spread((a, b), "average_precision", both, spread, how, level=level, width=1.0))
    return comparisons


def influence_on_precision(cases: PanelScores, name: str) -> tuple[float, Array]:
    """Return the average precision of one model, with the influence of each row on it: NaN where that is undefined."""
    table = cases.table(name)
    value = float(average_precision(table))
    if np.isnan(value):
        return value, np.full(cases.positive.size, np.nan)
    on_positive, on_negative = average_precision_influence(table, value)
    at = np.searchsorted(-table.scores, -cases.scores[name])
    return value, np.asarray(np.where(cases.positive, on_positive[at], on_negative[at]))


def compare_gaps(
    cases: PanelScores, measure: Measure, *, control: str | None = None, level: float = 0.95, seed: int = 0
) -> list[Comparison]:
    """Return every pair of models in the expected calibration error, by the noise of the gaps of both.

    ECE is the norm |g| = Σ |share · gap| over bins. With Z_a and Z_b the normal noise of the gaps of both models in the
    same cases, and s the signs of the gaps, the difference lies above the truth by |Z_a| - s_b · Z_b at most, and below
    by |Z_b| - s_a · Z_a: the triangle inequality on one side, and the sign of the sample on the other. So the interval
    holds also where a model is calibrated, and is wide: with a resample, which has the noise twice, it holds in 55%.
    """
    cases = cases.repeated().canonical()
    tables = {name: cases.table(name) for name in cases.scores}
    values = {name: float(measure(table)) for name, table in tables.items()}
    units = SamplingUnits(cases.n) if cases.cluster is None else cases.design.units
    df = np.inf if cases.cluster is None else cases.design.equal_units - 1
    comparisons = []
    for a, b in pairs([*cases.scores], control):
        why = _why_undefined(measure, (a, b), tables, (values[a], values[b]))
        if why or units.number < 2:
            why = why or f"one of the {units.name} shows no variation"
            comparisons.append(undefined((a, b), measure.name, why, (values[a], values[b])))
            continue
        gaps = [_Gaps.of(cases, name, tables[name], bins_of(measure)) for name in (a, b)]
        turned = gaps[0].key > gaps[1].key  # models that change places have the same draws
        above, below = _reaches(cases, gaps[::-1] if turned else gaps, df, seed)
        ends = (below, above) if turned else (above, below)
        comparisons.append(_of_reaches((a, b), measure.name, (values[a], values[b]), ends, units, level))
    return comparisons


@dataclass(frozen=True, eq=False)
class _Gaps:
    """Bin and residual y - p of each row, `(rows,)`; the shares of cases times the gaps of bins, `(bins,)`."""

    bin: Array
    residual: Array
    gap: Array
    table: ScoreTable
    cuts: Array
    bins: ProbabilityBins

    @classmethod
    def of(cls, cases: PanelScores, name: str, table: ScoreTable, bins: int) -> _Gaps:
        """Of the scores of a model, in bins of equal width."""
        cuts, parts = parted(table, bins)
        of_score = bins - 1 - np.repeat(np.arange(cuts.size - 1), np.diff(cuts))
        score = cases.scores[name]
        at = of_score[np.searchsorted(-table.scores, -score)]
        return cls(at, cases.positive - score.astype(np.float64), parts.share * parts.gap, table, cuts, parts)

    def at_least(self, variances: Array, clusters: float | None) -> Array:
        """Return the variances of the gaps of bins, or those that so few cases, in so many clusters, have at least."""
        squares, of_bins = self.bins.share**2, (self.table, self.cuts, self.bins)
        if clusters is None:
            return np.asarray(np.maximum(variances, squares * share_variance(*of_bins)))
        per_bin = np.divide(variances, squares, out=np.zeros_like(variances), where=squares > 0)
        return np.asarray(squares * as_in_clusters(per_bin, *of_bins, clusters))

    def off(self, weight: Array) -> Array:
        """Return how far the residual of each row is from the mean of its bin."""
        sums, weights = (
            np.bincount(self.bin, column, self.gap.size) for column in (weight * self.residual, weight)
        )
        mean = np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0)
        return np.asarray(self.residual - mean[self.bin])

    @property
    def key(self) -> tuple[float, ...]:
        """What puts two models in an order that their content decides."""
        return tuple(self.gap.round(12).tolist())


def _reaches(cases: PanelScores, gaps: Sequence[_Gaps], df: float, seed: int) -> tuple[Array, Array]:
    """Draws of how far the difference of two models may lie above and below the truth, `(draws,)` each."""
    values, vectors = np.linalg.eigh(_covariance(cases, gaps))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T  # which a last bit moves by as little
    rng = stream(seed, "noise of gaps")
    noise = rng.standard_normal((GAP_DRAWS, values.size)) @ root
    if np.isfinite(df):
        noise *= np.sqrt(df / rng.chisquare(df, GAP_DRAWS))[:, None]
    first, second = np.split(noise, 2, axis=1)
    above, below = np.abs(first).sum(1), np.abs(second).sum(1)
    return above - second @ np.sign(gaps[1].gap), below - first @ np.sign(gaps[0].gap)


def _covariance(cases: PanelScores, gaps: Sequence[_Gaps]) -> Array:
    """Covariance of the gaps of two models, one after the other, of the cases or clusters of cases."""
    number, n = gaps[0].gap.size, cases.positive.size
    weight = np.ones(n) if cases.weight is None else cases.weight
    places = [one.bin + k * number for k, one in enumerate(gaps)]
    moved = [weight * one.off(weight) / weight.sum() for one in gaps]
    covariance = np.zeros((2 * number, 2 * number))
    if cases.cluster is None:
        units = float(equal_cases(weight.sum(), (weight**2).sum()))
        for place, moves in zip(places, moved, strict=True):
            for other, its in zip(places, moved, strict=True):
                np.add.at(covariance, (place, other), moves * its)
    else:
        units = float(cases.cluster.max() + 1)
        sums = np.zeros((int(units), 2 * number))
        for place, moves in zip(places, moved, strict=True):
            np.add.at(sums, (cases.cluster, place), moves)
        covariance = sums.T @ sums
    covariance *= units / (units - 1)
    variances = np.split(covariance.diagonal(), 2)
    clusters = None if cases.cluster is None else cases.design.equal_units
    least = [one.at_least(of_gap, clusters) for one, of_gap in zip(gaps, variances, strict=True)]
    np.fill_diagonal(covariance, np.concatenate(least))
    return covariance


def _of_reaches(
    models: tuple[str, str],
    measure: str,
    values: tuple[float, float],
    reaches: tuple[Array, Array],
    units: SamplingUnits,
    level: float,
) -> Comparison:
    """Return the comparison by draws of how far the difference may lie above and below the truth."""
    delta = float(rounded_difference(*values))
    above, below = (float(np.quantile(reach, 0.5 + level / 2)) for reach in reaches)
    beyond = (reaches[0] >= delta).sum() if delta > 0 else (reaches[1] >= -delta).sum()
    p = 1.0 if delta == 0 else min(1.0, 2 * (float(beyond) + 1) / (GAP_DRAWS + 2))
    low, high = max(-1.0, min(delta, delta - above)), min(1.0, max(delta, delta + below))
    return Comparison(
        models,
        measure,
        Estimate(delta, low, high, level, f"sampling-error bound of the gaps, {GAP_DRAWS:,} draws"),
        p,
        "noise of the gaps",
        TEST_CASES,
        values=values,
        sample=UnitsTested(n=units.number, units=units.name),
        criterion=Criterion(level=level),
    )


def _why_undefined(
    measure: Measure, models: tuple[str, str], tables: Mapping[str, ScoreTable], values: tuple[float, float]
) -> str | None:
    for name, value in zip(models, values, strict=True):
        if np.isnan(value):
            return f"{name} has no value ({measure.why_undefined(tables[name]) or '0 / 0'})"
        if np.isinf(value):
            return f"the value of {name} is infinite"
    return None


LOSSES_OF_CASES = ComparedInput[Array, Comparison]("losses")
"""What these tests are of."""
PAIRED_T = ComparisonMethod("paired t", "paired t", ("student1908",))
LINEARISED = ComparisonMethod("linearised, t", "linearised t", ("binder1983", "satterthwaite1946"))
CLUSTERS = ComparisonMethod("clusters, t", "t over clusters", ("binder1983", "rao1992"))
LOSS_DEGREES: dict[ComparisonMethod, Degrees] = {
    PAIRED_T: "units",
    LINEARISED: "moments",
    CLUSTERS: "moments",
}
"""How well each knows its variance. Few heavy weights make most of one: of equal models z found 16% at 5%, t 12%."""


def compare_losses(
    first: Array,
    second: Array,
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "log_loss",
    design: Design | None = None,
    method: str | None = None,
    level: float = 0.95,
    width: float = inf,
    seed: int = 0,
) -> Comparison:
    """Compare two models by the losses of the same cases, `(cases,)` each: the paired t test and interval.

    `design` says how the cases, its places, were drawn; by default alike. With sampling weights the variance is
    linearised, with clusters it is that over these, and Student's t has Satterthwaite's degrees of freedom.
    method="permutation" takes the p-value from sign flips of the differences, of clusters' sums where there are
    clusters. A loss that is infinite leaves no test. Raises InputError for another method, or a permutation of weighted
    cases.

    >>> a, b = np.array([0.1, 0.4, 0.2, 0.3]), np.array([0.2, 0.4, 0.5, 0.4])
    >>> compare_losses(a, b, ("new", "old"))
    Comparison(log_loss of new minus old: -0.125 [-0.325, 0.075] 95%, paired t; p = 0.14, paired t)
    """
    if method not in (None, "t", "permutation"):
        raise InputError(f"Unknown method {method!r} for losses. Methods: t, permutation.")
    design = Design.of_rows(first.size) if design is None else design
    w = design.places.weight
    values = (_mean(first, w), _mean(second, w))
    for name, value in zip(models, values, strict=True):
        if not np.isfinite(value):
            return undefined(
                models, measure, f"that of {name} is infinite: a true class has probability 0 in some case"
            )
    differences = rounded_difference(first, second)
    how = CLUSTERS if design.rows is not None else LINEARISED if design.is_weighted else PAIRED_T
    if bool((differences == 0).all()):
        trials = design.number if how is PAIRED_T else 0
        return no_difference(models, measure, values, design.units, how, level, trials=trials, width=width)
    size = max(_mean(np.abs(first), w), _mean(np.abs(second), w))
    influence = (differences - _mean(differences, w)) / w.sum()
    spread = design.spread(influence, degrees=LOSS_DEGREES[how])
    comparison = of_spread(models, measure, values, spread, how, level=level, width=width, size=size)
    if method != "permutation" or comparison.reason is not None or not comparison.statistic:
        return comparison
    if design.is_weighted:
        raise InputError("The permutation test does not accept sampling weights. Remove the method.")
    if design.rows is not None:
        differences = np.bincount(design.rows.cluster, w * differences)
    else:
        differences = np.repeat(differences, w.astype(np.int64))
    return _replaced(comparison, *sign_flips(differences, seed=seed))


test(
    "permutation", "sign-flip permutation", where=ONE_TEST_SET, of=LOSSES_OF_CASES, references=("pitman1937",)
)(partial(compare_losses, method="permutation"))


def _replaced(comparison: Comparison, p: float, tails: tuple[float, float]) -> Comparison:
    reference = f"{comparison.reference}; {cite('pitman1937')}"
    return comparison.changed(p=p, tails=tails, method="sign-flip permutation", reference=reference)


def _mean(losses: Array, w: Array) -> float:
    with np.errstate(invalid="ignore"):
        return float((losses * w).sum() / w.sum())
