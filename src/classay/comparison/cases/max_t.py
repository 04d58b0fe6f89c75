"""All models against one, jointly: the bootstrap of the greatest |t|."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.columns.numbers import counted
from classay.comparison.cases.difference import ComparisonMethod, no_difference, undefined
from classay.comparison.cases.unit_means import REPLICATES, TOO_EVEN, UnitMeans, critical, draws, vary_enough
from classay.comparison.comparison import Comparison, Criterion, SignificanceTest, UnitsTested
from classay.comparison.named_tests import ONE_TEST_SET, ComparedInput, cite, test
from classay.errors import InputError
from classay.inference.design import SamplingUnits
from classay.inference.estimate import Estimate
from classay.tables.sums import settled
from classay.texts import some

Array = NDArray[Any]


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
    """Test every other model against a baseline, adjusted by max-t.

    `compare(…, method="max-t", control=…)` does this with predictions.

    Parameters
    ----------
    values : mapping of str to array-like
        One array `(cases,)` for each model, on the same cases.
    baseline : str
        Name of the baseline model.
    measure : str, default "value"
        Name of the values.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int, default 0
        Start of all random numbers. Equal seeds give equal results.

    Returns
    -------
    list of Comparison
        Every other model minus the baseline. Adjusted p-values and intervals are jointly valid for all
        models, and so for the best of them.

    Notes
    -----
    The bootstrap of the greatest |t| gives p = (1 + extreme) / (1 + replicates). Correlated models cost
    less than under Holm. If more than 1% of the resamples of a model show no variation of its differences,
    the model has no test and is not in the family.

    References
    ----------
    White 2000, Econometrica 68:1097 (the reality check).

    Romano & Wolf 2005.
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
    """Every other model minus a baseline, by means over cases or whole clusters, which `units` names."""
    if baseline not in means.names:
        raise InputError(f"Unknown model {baseline!r}. Models: {some(means.names, 5)}.")
    differences, n = means.less(baseline), means.units
    effects, errors = differences.values, differences.errors
    effects = settled(effects, np.abs(means.values).max())
    deviations = np.empty((REPLICATES, effects.size))
    for part, counts in draws(n, seed, "against_baseline"):
        deviations[part] = differences.deviations(differences.resampled(counts))
    enough = vary_enough(deviations) & (errors > 0)
    extreme = deviations[:, enough].max(1, initial=0.0)
    how = _Family(extreme, int(enough.sum()), SamplingUnits(n, units), means.degrees, measure, level)
    of_model = dict(zip(means.names, means.values.tolist(), strict=True))
    tests = []
    for k, name in enumerate(differences.names):
        models, both = (name, baseline), (of_model[name], of_model[baseline])
        if enough[k]:
            tests.append(how.tested(models, both, float(effects[k]), float(errors[k])))
        elif not differences.sums[:, k].any():
            tests.append(how.no_difference(models, both))
        else:
            why = (
                f"the differences of the {units} do not vary"
                if errors[k] == 0
                else TOO_EVEN.format(f"differences of the {units}")
            )
            tests.append(undefined(models, measure, why, both).changed(level=level))
    return tests


@dataclass(frozen=True, eq=False)
class _Family:
    """Models that are tested together: the greatest |t| of each resample, and the name of the family in texts."""

    extreme: Array
    models: int
    units: SamplingUnits
    degrees: float
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
        family = f"max-t over {counted(self.models, 'model')}"
        over = "" if self.units.name.endswith("cases") else f" over {self.units.name}"
        tested = Comparison(
            models,
            self.measure,
            effect,
            float(2 * stdtr(self.degrees, -abs(t))),
            f"paired t{over}, {family}",
            "test cases",
            values=values,
            test=SignificanceTest(statistic=t, reference=cite("romano2005", "white2000")),
            sample=UnitsTested(n=self.units.number, units=self.units.name),
            criterion=Criterion(level=self.level),
        )
        extreme = int((self.extreme >= abs(t) * (1 - 1e-12)).sum())
        return tested.adjusted((1 + extreme) / (1 + REPLICATES) if t else 1.0, family)

    def no_difference(self, models: tuple[str, str], values: tuple[float, float]) -> Comparison:
        how = ComparisonMethod("max-t bootstrap", "paired t, max-t", ("romano2005", "white2000"))
        equal = no_difference(models, self.measure, values, self.units, how, self.level)
        return equal.adjusted(1.0, "max-t")
