"""Any measure of two classes' scores compared on the same cases: by resampling them for all models at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.difference import (
    How,
    Units,
    draws_for,
    few_decide,
    of_clusters,
    of_replicates,
    of_variance,
    undefined,
)
from classay.comparison.comparison import Comparison
from classay.comparison.family import pairs
from classay.comparison.registry import ONE_TEST_SET, Of, test
from classay.inference.bootstrap.canonical import Rows
from classay.inference.bootstrap.limits import MAXIMA, NOISE
from classay.inference.bootstrap.sampling import Sample
from classay.inference.bootstrap.score_samples import of_models
from classay.inference.draws import DRAWS, stream
from classay.inference.scores.influence import INFLUENCES
from classay.measures import Measure, average_precision
from classay.tables import ScoreTable
from classay.tables.running import ROUNDING

Array = NDArray[Any]
MOST_ROWS = 100_000
"""Cases up to which every measure is resampled unasked: 2,000 resamples of as many take about a second."""
ENOUGH_OF_CLASS = 200
"""Cases of the smaller class from which the influence function tells the spread of average precision."""
ENOUGH_CLUSTERS = 30
"""Clusters below which resampling them claims too much: 12 % at a nominal 5 % with ten of them."""
WIDENED = "widened for the bias of a maximum"
INFLUENCE = How("influence function", "influence function z", ("binder1983",))
INFLUENCE_CLUSTERS = How("influence function, t", "influence function, t over clusters", ("binder1983",))


@dataclass(frozen=True, eq=False)
class ScoredCases:
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
        """The score table of one model."""
        return ScoreTable.from_rows(
            self.scores[name], self.positive, weight=self.weight, frequency=self.frequency
        )

    @property
    def _rows(self) -> Rows:
        return Rows(self.positive, self.weight, self.frequency, self.cluster)

    def canonical(self) -> ScoredCases:
        """The same cases, of one row each, in an order that their content decides: see `canonical.Rows`."""
        order, cluster = self._rows.in_order({name: [each] for name, each in self.scores.items()})
        weight, cluster = (None if each is None else each[order] for each in (self.weight, cluster))
        scores = {name: each[order] for name, each in self.scores.items()}
        return ScoredCases(scores, self.positive[order], None, weight, cluster)

    def symmetric(self, first: str, second: str) -> bool:
        """Whether two models that change places leave the same cases."""
        return self._rows.is_symmetric(self.scores[first], self.scores[second])

    def repeated(self) -> ScoredCases:
        """The same with a row for each of identical cases."""
        if self.frequency is None:
            return self
        times = self.frequency
        scores = {name: np.repeat(each, times) for name, each in self.scores.items()}
        cluster = None if self.cluster is None else np.repeat(self.cluster, times)
        return ScoredCases(scores, np.repeat(self.positive, times), None, self.weight, cluster)


SCORES = Of[ScoredCases, list[Comparison]]("scores")
"""What tests of measures of scores are of."""


@test("bootstrap", "paired bootstrap", where=ONE_TEST_SET, of=SCORES, references=("efron1993",))
def compare_scores(
    cases: ScoredCases,
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
    >>> cases = ScoredCases({"a": rng.normal(size=200) + y, "b": rng.normal(size=200) + y}, y)
    >>> compare_scores(cases, [average_precision])
    [Comparison(average_precision of a less b: -0.067 [-0.188, 0.080] 95 %, percentile, paired bootstrap ...)]
    """
    cases = cases.repeated().canonical()
    names = list(cases.scores)
    tables = {name: cases.table(name) for name in names}
    observed = {(name, each.name): float(each(table)) for name, table in tables.items() for each in measures}
    sample = of_models(
        list(cases.scores.values()), cases.positive, measures, weight=cases.weight, cluster=cases.cluster
    )
    apart = _differences(sample, replicates, names, len(measures), control, seed)
    most = draws_for(family, level)
    few = {models: few_decide(each) & (most > replicates) for models, each in apart.items()}
    more = apart
    if any(each.any() for each in few.values()):
        more = _differences(sample, most, names, len(measures), control, seed)
    units = Units(cases.n) if cases.cluster is None else Units(int(cases.cluster.max()) + 1, "clusters")
    kind = "bootstrap" if cases.cluster is None else "cluster bootstrap"
    found = []
    for models in apart:
        is_symmetric = cases.symmetric(*models)
        for k, measure in enumerate(measures):
            draws = (more if few[models][k] else apart)[models][k]
            how = _how(measure, f"paired {kind}", draws.size)
            values = observed[models[0], measure.name], observed[models[1], measure.name]
            why = _why_undefined(measure, models, tables, values)
            found.append(
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
    return found


def _how(measure: Measure, bootstrap: str, replicates: int) -> How:
    """The names of interval and test of a measure by so many resamples."""
    widened = f", {WIDENED}" if measure.base in MAXIMA else ""
    interval = f"percentile{widened}, {bootstrap} of {replicates:,}"
    return How(interval, f"{bootstrap} tail{widened}", ("efron1993",))


def _differences(
    sample: Sample, replicates: int, names: list[str], measures: int, control: str | None, seed: int
) -> dict[tuple[str, str], Array]:
    """The differences of each pair of models in each resample, `[measure, replicate]`."""
    drawn = sample.replicates(replicates, stream(seed, "paired bootstrap"), None)
    of_model = dict(zip(names, drawn.reshape(len(names), measures, replicates), strict=True))
    return {(a, b): _apart(of_model[a], of_model[b]) for a, b in pairs(names, control)}


def _apart(first: Array, second: Array) -> Array:
    """How far two models are apart in each resample: rounding is on no side, nor are two infinite values."""
    with np.errstate(invalid="ignore"):
        difference = first - second
        equal = np.abs(difference) <= ROUNDING * np.maximum(np.abs(first), np.abs(second))
    return np.where(equal, 0.0, difference)


def compare_average_precision(
    cases: ScoredCases, *, control: str | None = None, level: float = 0.95
) -> list[Comparison]:
    """Every pair of models in average precision by its influence function: no resampling, O(n log n).

    The variance is that of the difference of the influences of each case, which pairing makes small. Clusters
    take Student's t over their sums. It rests on many cases of both classes: see ENOUGH_OF_CLASS.
    """
    names = list(cases.scores)
    tables = {name: cases.table(name) for name in names}
    values = {name: float(average_precision(table)) for name, table in tables.items()}
    rows = {name: _influences(cases, name, tables[name], values[name]) for name in names}
    w = cases.weight if cases.frequency is None else cases.frequency
    found = []
    n: float
    for a, b in pairs(names, control):
        each = rows[a] - rows[b]
        if cases.cluster is not None:
            variance, units = of_clusters(np.bincount(cases.cluster, each if w is None else each * w))
        elif cases.weight is not None:
            n = float(cases.weight.sum() ** 2 / (cases.weight**2).sum())
            squares, units = float(((cases.weight * each) ** 2).sum()), Units(n, "effective cases")
            variance = squares * n / (n - 1) if n > 1 else float("nan")
        else:
            n = cases.n
            squares, units = float((each**2 if w is None else w * each**2).sum()), Units(n)
            variance = squares * n / (n - 1) if n > 1 else float("nan")
        found.append(
            of_variance(
                (a, b),
                "average_precision",
                (values[a], values[b]),
                variance,
                units,
                INFLUENCE if cases.cluster is None else INFLUENCE_CLUSTERS,
                level=level,
                width=1.0,
            )
        )
    return found


def _influences(cases: ScoredCases, name: str, table: ScoreTable, value: float) -> Array:
    """The influence of each row on average precision; NaN where that is undefined."""
    if np.isnan(value):
        return np.full(cases.positive.size, np.nan)
    on_positive, on_negative = INFLUENCES[average_precision.name](table, value)
    at = np.searchsorted(-table.scores, -cases.scores[name])
    return np.asarray(np.where(cases.positive, on_positive[at], on_negative[at]))


def _why_undefined(
    measure: Measure, models: tuple[str, str], tables: Mapping[str, ScoreTable], values: tuple[float, float]
) -> str | None:
    for name, value in zip(models, values, strict=True):
        if np.isnan(value):
            return f"of {name}: {measure.why_undefined(tables[name]) or '0 / 0'}"
        if np.isinf(value):
            return f"of {name} it is infinite"
    return None
