"""The best of several models on one test set: how much of its lead is luck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from math import isfinite
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.answers import Missing, Policy, Unanswered
from classay.comparison.cases.case_values import WITHIN, row_values
from classay.comparison.cases.choice.areas import Areas
from classay.comparison.cases.choice.means import (
    REPLICATES,
    TOO_EVEN,
    Means,
    Rated,
    critical,
    draws,
    vary_enough,
)
from classay.comparison.cases.compare_panel import about_panel
from classay.comparison.cases.mean_losses import LOSSES
from classay.comparison.cases.panel.panel import Panel
from classay.comparison.cases.panel.reading import Rows, panel_from
from classay.comparison.cases.scores import ENOUGH_CLUSTERS, MOST_ROWS
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate, apart, number
from classay.inference.words import direction, title
from classay.kinds import checked, refuse_unknown
from classay.measures import Measure, get
from classay.shown import Shown
from classay.tables.running import is_rounding

Array = NDArray[Any]
DEFAULT = "accuracy"
TIE = 1e-12
"""Difference of two values, relative to them, that is rounding."""


def expected_best(models: int, proportion: float, cases: int) -> float:
    """Expected best observed proportion of equal, independent models: Σ_k (1 - F(k)^m) / n, F binomial.

    What the winner of a leaderboard shows although nobody is better than anybody.

    >>> round(expected_best(50, 0.8, 500), 6)
    0.839324
    """
    from scipy.special import bdtr

    if models < 1 or cases < 1 or not 0 <= proportion <= 1:
        raise InputError(
            f"{models} models of proportion {proportion} on {cases} cases: pass one or more models and cases."
        )
    below = bdtr(np.arange(cases), cases, proportion)
    return float((1 - below**models).sum() / cases)


@dataclass(frozen=True)
class Best(Shown):
    """The best of several models by their mean values on the same cases, or by a measure that is such a mean.

    `observed` is its mean, with the interval one would give it had it been alone: too high, for it was chosen on
    these cases. `corrected` is what to expect of it on fresh cases, with an interval that holds for any choice among
    the models. `shrinkage` is what the choice took: how much better observed is than corrected. `facts` say what was
    compared.
    """

    model: str
    models: int
    cases: int
    observed: Estimate
    corrected: Estimate
    measure: str = "value"
    facts: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    level: float = 0.95

    @property
    def shrinkage(self) -> float:
        """How much better the observed value is than the corrected one."""
        return (direction(self.measure) or 1) * (self.observed.value - self.corrected.value)

    @property
    def sentence(self) -> str:
        """What the best model shows, and what to expect of it, in plain words."""
        found = self.corrected
        expected, low, high = apart(found.value, found.low, found.high)
        interval = ""
        if found.has_interval:
            interval = f" ({100 * (found.level or 0):g} % interval {low} to {high})"
        return (
            f"Of {self.models:,} models {self.model} has the best {title(self.measure)} on these cases, "
            f"{number(self.observed.value)}. Because it was chosen on them, expect {expected} on fresh "
            f"cases{interval}."
        )


def best_of_values(values: Mapping[str, ArrayLike], *, level: float = 0.95, seed: int = 0) -> Best:
    """The best model by the mean of values of the cases (right or not; negative losses), corrected for the choice.

    `values` holds one array a model, `(cases,)`, higher better, all on the same cases; `best_of` takes predictions.
    The corrected value is the bootstrap's: the model chosen on each resample is rated on the cases left out of it. Its
    interval is that of the greatest studentized deviation of all models (max-t), moved by nothing: observed ± c·se
    holds all models at once, hence the one chosen. Ties go to the first. Tsamardinos, Greasidou & Borboudakis 2018,
    Machine Learning 107:1895; Romano & Wolf 2005, Econometrica 73:1237.

    >>> rng = np.random.default_rng(0)
    >>> found = best_of_values({f"m{i}": rng.random(300) < 0.8 for i in range(20)})
    >>> print(f"{found.observed.value:.3f} {found.corrected.value:.3f}")
    0.867 0.839
    """
    return _best(Means.of_values(values), level, seed)


@checked
def best_of(
    models: Any = None,
    y_true: Any = None,
    measure: str | Measure | None = None,
    *,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    **rows: Unpack[Rows],
) -> Best:
    """The best of several models on one test set in one measure, corrected for having been chosen on it.

    Models, truth and `rows` are given as to `compare_predictions`. The measure is the AUC, or one that is a mean over
    the cases: accuracy (the default, which the report names as such), recall, specificity, the Brier score or log-loss.
    With sampling weights the means and areas are weighted; with clusters whole clusters are resampled. The value is
    corrected as `best_of_values` says; intervals of the AUC are on the logit scale. Raises InputError for another
    measure, models without what it needs, fewer than 30 clusters, and for the AUC beyond 100,000 cases.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> labels = {f"m{i}": np.where(rng.random(300) < 0.8, y, 1 - y) for i in range(20)}
    >>> found = best_of(y_true=y, y_pred=labels)
    >>> print(f"{found.observed.value:.3f} {found.corrected.value:.3f}")
    0.847 0.808
    """
    refuse_unknown("best_of", rows, {**Rows.__annotations__, **signature(best_of).parameters})
    known = get(DEFAULT if measure is None else measure)
    policy = Policy.of(missing, unanswered)
    panel = panel_from(models, dict.fromkeys(Rows.__annotations__) | {"y_true": y_true, **rows}, policy)
    sign, start = direction(known.name) or 1, seed_of(seed)
    made = _best(_rated(panel, known, sign), level, start)
    units = made.cases
    chosen = "" if measure is not None else " (default, not chosen)"
    facts = (
        ("measure", f"{title(known.name)}{chosen}"),
        *(fact for fact in about_panel(panel, [known]) if fact[0] != "models"),
        ("models", f"{made.models:,}"),
    )
    if panel.weight is not None:
        facts += (("weights", "sampling weights"),)
    observed, corrected = (
        _within(_turned(each, sign), known.bounds) for each in (made.observed, made.corrected)
    )
    if panel.clusters is not None and corrected.has_interval:
        corrected = replace(corrected, method=f"{corrected.method}, {units} clusters")
    return replace(
        made,
        cases=panel.n,
        observed=observed,
        corrected=corrected,
        measure=known.name,
        facts=facts,
        seed=start,
    )


def _rated(panel: Panel, measure: Measure, sign: int) -> Rated:
    """The models of a panel by a measure, as it is resampled."""
    if panel.clusters is not None and panel.clusters < ENOUGH_CLUSTERS:
        raise InputError(
            f"there are {panel.clusters} clusters: resampling fewer than {ENOUGH_CLUSTERS} of them claims too much, so "
            "the best cannot be corrected for the choice."
        )
    if measure.name == "roc_auc":
        if panel.positive is None or len(panel.scores) < 2:
            raise InputError("the best in roc_auc needs two models with scores of the positive class.")
        if panel.n > MOST_ROWS:
            raise InputError(f"the best in roc_auc is resampled up to {MOST_ROWS:,} cases: take fewer rows.")
        return Areas.of_panel(panel)
    values = row_values(panel.canonical(), measure)
    if isinstance(values, str):
        known = ", ".join(["roc_auc", *WITHIN, *LOSSES])
        raise InputError(
            f"the best in {measure.name} cannot be corrected for the choice: {values}. Measures that can: {known}."
        )
    return Means.of_rows(values, sign)


def _best(rated: Rated, level: float, seed: int) -> Best:
    """The best of the models, rated in resamples on the units that each of them left out."""
    names, values, errors, n = rated.names, rated.values, rated.errors, rated.units
    if np.isnan(values).any():
        raise InputError("a model has no value on these cases: both classes are needed, with weight.")
    chosen = int(values.argmax())
    left_out, deviations = [], np.empty((REPLICATES, len(names)))
    for part, counts in draws(n, seed, "best_of"):
        resample = rated.resampled(counts)
        picked = resample.left_out[np.arange(len(counts)), _first_of_best(resample.drawn)]
        left_out += picked[~np.isnan(picked)].tolist()
        deviations[part] = rated.deviations(resample)
    enough = vary_enough(deviations)
    wide = critical(deviations[:, enough].max(1, initial=0.0), level)
    value, error = float(values[chosen]), float(errors[chosen])
    fair = min(float(np.mean(left_out)), value) if left_out else value
    if is_rounding(error, value):
        why = "the values of the best model do not vary"
        observed, corrected = Estimate.bare(value, why), Estimate.bare(fair, why)
        return Best(names[chosen], len(names), n, observed, corrected, level=level)
    low, high = rated.limits(value, error, _t_quantile(n, level))
    observed = Estimate(value, low, high, level, "t, uncorrected for the choice")
    if not enough[chosen] or not isfinite(wide):
        corrected = Estimate.bare(fair, TOO_EVEN.format("values of a model"))
    else:
        low, high = rated.limits(value, error, wide)
        method = f"bootstrap of the choice; max-t over {len(names)} models"
        corrected = Estimate(fair, min(low, fair), max(high, fair), level, method)
    return Best(names[chosen], len(names), n, observed, corrected, level=level)


def _first_of_best(values: Array) -> Array:
    """The first of the best models in each resample, `(replicates,)`; values that differ by rounding tie."""
    known = np.where(np.isnan(values), -np.inf, values)
    top = known.max(1, keepdims=True)
    return np.asarray((known >= top - TIE * np.abs(top)).argmax(1))


def _t_quantile(n: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 0.5 + level / 2))


def _turned(found: Estimate, sign: int) -> Estimate:
    """The estimate of the values, of which the negative was estimated where less is better."""
    if sign > 0:
        return found
    return replace(found, value=-found.value, low=-found.high, high=-found.low)


def _within(found: Estimate, bounds: tuple[float, float]) -> Estimate:
    """The estimate with its interval inside the range of the measure."""
    if not found.has_interval:
        return found
    return replace(found, low=max(found.low, bounds[0]), high=min(found.high, bounds[1]))
