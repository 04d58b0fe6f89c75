"""All models against one, tested together by the bootstrap of the greatest |t|."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.cases.choice.means import (
    REPLICATES,
    TOO_EVEN,
    Means,
    critical,
    draws,
    vary_enough,
)
from classay.comparison.cases.difference import How, Units, alike, undefined
from classay.comparison.comparison import Comparison
from classay.comparison.references import cite
from classay.comparison.registry import ONE_TEST_SET, Of, test
from classay.errors import InputError
from classay.inference.estimate import Estimate

Array = NDArray[Any]
MEANS_WITH_A_CONTROL = Of[Means, list[Comparison]]("means over the cases, with a control")
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
    return max_t(Means.of_values(values), baseline, measure=measure, level=level, seed=seed)


@test(
    "max-t",
    "paired t, adjusted by the bootstrap of the greatest |t|",
    where=ONE_TEST_SET,
    of=MEANS_WITH_A_CONTROL,
    references=("romano2005", "white2000"),
)
def max_t(
    means: Means,
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
    how = _Family(extreme, int(enough.sum()), Units(n, units, n - 1), measure, level)
    of_model = dict(zip(means.names, means.values.tolist(), strict=True))
    made = []
    for k, name in enumerate(differences.names):
        models, both = (name, baseline), (of_model[name], of_model[baseline])
        if enough[k]:
            made.append(how.tested(models, both, float(found[k]), float(errors[k])))
        elif not differences.sums[:, k].any():
            made.append(how.alike(models, both))
        else:
            why = (
                f"the differences of the {units} do not vary"
                if errors[k] == 0
                else TOO_EVEN.format(f"differences of the {units}")
            )
            made.append(replace(undefined(models, measure, why, both), level=level))
    return made


@dataclass(frozen=True, eq=False)
class _Family:
    """Models that are tested together: the greatest |t| of each resample over so many, and how they are told."""

    extreme: Array
    models: int
    units: Units
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
            float(2 * stdtr(self.units.df, -abs(t))),
            f"paired t{over}, {family}",
            "test cases",
            statistic=t,
            reference=cite("romano2005", "white2000"),
            n=self.units.n,
            units=self.units.name,
            values=values,
            level=self.level,
        )
        extreme = int((self.extreme >= abs(t) * (1 - 1e-12)).sum())
        return made.adjusted((1 + extreme) / (1 + REPLICATES) if t else 1.0, family)

    def alike(self, models: tuple[str, str], values: tuple[float, float]) -> Comparison:
        how = How("max-t bootstrap", "paired t, max-t", ("romano2005", "white2000"))
        made = alike(models, self.measure, values, Units(self.units.n, self.units.name), how, self.level)
        return made.adjusted(1.0, "max-t")
