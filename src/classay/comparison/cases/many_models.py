"""Many models over the same units: their means, also in resamples of whole units, and all against one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.cases.difference import How, no_difference, undefined
from classay.comparison.cases.panel import RowValues
from classay.comparison.comparison import Comparison, Criterion, SignificanceTest, UnitsTested
from classay.comparison.named_tests import ONE_TEST_SET, ComparedInput, cite, test
from classay.errors import InputError
from classay.inference.bootstrap.sampling import UnitDraws, blocks
from classay.inference.design import SamplingUnits
from classay.inference.draws import OrderedRows, stream
from classay.inference.estimate import Estimate
from classay.tables.sums import is_rounding

Array = NDArray[Any]
REPLICATES = 1000
SELDOM = 0.01
"""Share of the resamples without spread beyond which a model has no bootstrap of t."""
TOO_EVEN = "the {} do not vary in too many of the resamples"


class Resample(NamedTuple):
    """What models have in some resamples, `(replicates, models)` each; NaN where a resample gives no value.

    `drawn` is their value in the resample, `errors` its standard error there.
    """

    drawn: Array
    errors: Array


@dataclass(frozen=True, eq=False)
class UnitMeans:
    """Means of values: sums over the values of each unit, `(units, models)`, and the weight of each unit.

    A unit is a case of weight 1, a case with its sampling weight, or a cluster. The variance of a mean is that of a
    ratio of sums over units, linearised: G / (G - 1) Σ (s - w·mean)² / (Σ w)².
    """

    names: tuple[str, ...]
    sums: Array
    size: Array

    @classmethod
    def of_values(cls, values: Mapping[str, ArrayLike]) -> UnitMeans:
        """Of one value a case, `(cases,)` of each model. Raises InputError for other shapes and missing values."""
        columns = {name: np.asarray(each, np.float64) for name, each in values.items()}
        shapes = {each.shape for each in columns.values()}
        if len(columns) < 2 or len(shapes) != 1 or len(next(iter(shapes))) != 1 or next(iter(shapes))[0] < 2:
            raise InputError(
                f"values of {len(columns)} models have shapes {sorted(shapes)}: pass two or more models with one value "
                "for each of the same cases."
            )
        table = np.stack([*columns.values()], 1)
        bad = int((~np.isfinite(table)).any(1).sum())
        if bad:
            raise InputError(
                f"{bad} cases have an undefined or infinite value: leave them out, or the model."
            )
        order, _ = OrderedRows(np.zeros(len(table), int)).in_order(
            {name: [each] for name, each in columns.items()}
        )
        return cls(tuple(columns), table[order], np.ones(len(table)))

    @classmethod
    def of_rows(cls, rows: RowValues) -> UnitMeans:
        """Of the values of rows in canonical order, each row, or each whole cluster, a unit."""
        table = np.stack([*rows.values.values()], 1)
        if rows.unit is None:
            return cls._scaled(tuple(rows.values), table * rows.weight[:, None], rows.weight)
        groups = int(rows.unit.max()) + 1
        sums = np.stack([np.bincount(rows.unit, each * rows.weight, groups) for each in table.T], 1)
        return cls._scaled(tuple(rows.values), sums, np.bincount(rows.unit, rows.weight, groups))

    @classmethod
    def _scaled(cls, names: tuple[str, ...], sums: Array, size: Array) -> UnitMeans:
        """With the greatest weight 1, so that the unit of weights changes nothing."""
        return cls(names, sums / size.max(), size / size.max())

    @property
    def units(self) -> int:
        """Number of units."""
        return self.size.size

    @property
    def is_even(self) -> bool:
        """Whether each unit is one case."""
        return bool((self.size == 1).all())

    @property
    def values(self) -> Array:
        """The mean of each model."""
        return np.asarray(_totals(self.sums) / self.size.sum())

    @property
    def errors(self) -> Array:
        """The standard error of each mean; 0 of one unit, and of values that are the same but for rounding."""
        apart = self.sums - self.size[:, None] * self.values
        apart = np.where(is_rounding(np.abs(apart).max(0), np.abs(self.sums).max(0)), 0.0, apart)
        larger = self.units / max(self.units - 1, 1)
        return np.asarray(np.sqrt(_totals(apart**2) * larger) / self.size.sum())

    def less(self, control: str) -> UnitMeans:
        """The means of all other models less that of a control, without a spread that is rounding."""
        at = self.names.index(control)
        others = [i for i in range(len(self.names)) if i != at]
        values, own = self.sums[:, others], self.sums[:, [at]]
        differences = values - own
        size = np.maximum(np.abs(values).max(0), np.abs(own).max())
        same = is_rounding(np.abs(differences).max(0), size)
        level = self.size[:, None] * (_totals(differences) / self.size.sum())
        even = is_rounding(np.abs(differences - level).max(0), size)
        differences = np.where(even, level, differences)
        return UnitMeans(tuple(self.names[i] for i in others), np.where(same, 0.0, differences), self.size)

    def resampled(self, counts: Array) -> Resample:
        """The means where each unit was drawn so many times."""
        with np.errstate(divide="ignore", invalid="ignore"):
            total = (counts @ self.size)[:, None]
            drawn = counts @ self.sums / total
            if self.is_even:
                variances = np.maximum(counts @ self.sums**2 / total - drawn**2, 0) / (self.units - 1)
            else:
                apart = counts @ self.sums**2 - 2 * drawn * (counts @ (self.sums * self.size[:, None]))
                apart += drawn**2 * (counts @ self.size**2)[:, None]
                variances = np.maximum(apart, 0) * self.units / (self.units - 1) / total**2
            return Resample(drawn, np.sqrt(variances))

    def deviations(self, resample: Resample) -> Array:
        """The |t| of each mean in each resample; a mean without spread is infinitely far off, unless it is the same."""
        drawn, variances = resample.drawn, resample.errors**2
        varies = variances > 1e-14 * drawn**2 / self.units
        apart = np.abs(drawn - self.values)
        most = np.abs(self.sums).max(0, initial=0.0) / max(float(self.size.mean()), 1e-300)
        off = np.where(apart > 1e-12 * most, np.inf, 0.0)
        found = np.where(varies, apart / np.sqrt(np.where(varies, variances, 1.0)), off)
        return np.asarray(np.where(np.isnan(drawn), np.inf, found))


def _totals(values: Array) -> Array:
    """Sums over units, `(models,)`, each the same whatever other models there are."""
    return np.asarray(np.ascontiguousarray(values.T).sum(1))


def draws(units: int, seed: int, purpose: str) -> Iterator[tuple[slice, Array]]:
    """Blocks of bootstrap counts of the units, `(replicates, units)`, with the places of the replicates."""
    start = 0
    for drawn in blocks(UnitDraws(units), REPLICATES, stream(seed, purpose)):
        yield slice(start, start + len(drawn)), drawn.astype(np.float64)
        start += len(drawn)


def vary_enough(deviations: Array) -> Array:
    """Which models have a t in nearly every replicate."""
    return np.asarray(np.isinf(deviations).mean(0) <= SELDOM)


def critical(extreme: Array, level: float) -> float:
    """The quantile of the greatest |t|; infinite where one of both replicates that it lies between is."""
    top = np.quantile(extreme, level, method="higher")
    return float(np.quantile(np.minimum(extreme, top), level)) if np.isfinite(top) else float("inf")


MEANS_WITH_A_CONTROL = ComparedInput[UnitMeans, list[Comparison]]("means over the cases, with a control")
"""What the test of all models against one is of."""


def against_baseline(
    values: Mapping[str, ArrayLike],
    baseline: str,
    *,
    measure: str = "value",
    level: float = 0.95,
    seed: int = 0,
) -> list[Comparison]:
    """Every other model less a baseline, tested together by the bootstrap of the greatest |t| (max-t).

    `values` holds one array a model, `(cases,)`, on the same cases. Adjusted p-values and intervals hold for all models
    at once, and so for the best of them; correlated models cost less than under Holm. p = (1 + extreme) /
    (1 + replicates). A model whose differences hardly vary, so that more than 1 % of the resamples show no spread, has
    no test and is none of the family. White 2000, Econometrica 68:1097 (the reality check); Romano & Wolf 2005.
    `compare(…, method="max-t", control=…)` does this with predictions.
    """
    return max_t(UnitMeans.of_values(values), baseline, measure=measure, level=level, seed=seed)


@test(
    "max-t",
    "paired t, adjusted by the bootstrap of the greatest |t|",
    where=ONE_TEST_SET,
    of=MEANS_WITH_A_CONTROL,
    references=("romano2005", "white2000"),
)
def max_t(
    means: UnitMeans,
    baseline: str,
    *,
    measure: str = "value",
    level: float = 0.95,
    seed: int = 0,
    units: str = "cases",
) -> list[Comparison]:
    """Every other model less a baseline, by means over cases or whole clusters, which `units` names."""
    if baseline not in means.names:
        raise InputError(f"there is no model {baseline!r}: the models are {', '.join(means.names)}.")
    differences, n = means.less(baseline), means.units
    found, errors = differences.values, differences.errors
    deviations = np.empty((REPLICATES, found.size))
    for part, counts in draws(n, seed, "against_baseline"):
        deviations[part] = differences.deviations(differences.resampled(counts))
    enough = vary_enough(deviations) & (errors > 0)
    extreme = deviations[:, enough].max(1, initial=0.0)
    how = _Family(extreme, int(enough.sum()), SamplingUnits(n, units), measure, level)
    of_model = dict(zip(means.names, means.values.tolist(), strict=True))
    made = []
    for k, name in enumerate(differences.names):
        models, both = (name, baseline), (of_model[name], of_model[baseline])
        if enough[k]:
            made.append(how.tested(models, both, float(found[k]), float(errors[k])))
        elif not differences.sums[:, k].any():
            made.append(how.no_difference(models, both))
        else:
            why = (
                f"the differences of the {units} do not vary"
                if errors[k] == 0
                else TOO_EVEN.format(f"differences of the {units}")
            )
            made.append(undefined(models, measure, why, both).changed(level=level))
    return made


@dataclass(frozen=True, eq=False)
class _Family:
    """Models that are tested together: the greatest |t| of each resample, and the name of the family in texts."""

    extreme: Array
    models: int
    units: SamplingUnits
    measure: str
    level: float

    def tested(
        self, models: tuple[str, str], values: tuple[float, float], mean: float, error: float
    ) -> Comparison:
        from scipy.special import stdtr

        t, wide = mean / error, critical(self.extreme, self.level) * error
        effect = Estimate(mean, mean - wide, mean + wide, self.level, "max-t bootstrap")
        if not np.isfinite(wide):
            effect = Estimate.bare(mean, TOO_EVEN.format("differences of a model"))
        family = f"max-t over {self.models} models"
        over = "" if self.units.name == "cases" else f" over {self.units.name}"
        made = Comparison(
            models,
            self.measure,
            effect,
            float(2 * stdtr(self.units.number - 1, -abs(t))),
            f"paired t{over}, {family}",
            "test cases",
            values=values,
            test=SignificanceTest(statistic=t, reference=cite("romano2005", "white2000")),
            sample=UnitsTested(n=self.units.number, units=self.units.name),
            criterion=Criterion(level=self.level),
        )
        extreme = int((self.extreme >= abs(t) * (1 - 1e-12)).sum())
        return made.adjusted((1 + extreme) / (1 + REPLICATES) if t else 1.0, family)

    def no_difference(self, models: tuple[str, str], values: tuple[float, float]) -> Comparison:
        how = How("max-t bootstrap", "paired t, max-t", ("romano2005", "white2000"))
        made = no_difference(models, self.measure, values, self.units, how, self.level)
        return made.adjusted(1.0, "max-t")
