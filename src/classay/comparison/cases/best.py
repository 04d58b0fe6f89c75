"""The best of several models on one test set: how much of its lead is luck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.cases.case_values import case_values
from classay.comparison.cases.difference import How, Units, alike, undefined
from classay.comparison.cases.panel.order import order_of_rows
from classay.comparison.cases.panel.reading import Rows, panel_from
from classay.comparison.comparison import Comparison
from classay.comparison.references import cite
from classay.comparison.registry import ONE_TEST_SET, test
from classay.errors import InputError
from classay.inference.draws import seed_of, stream
from classay.inference.estimate import Estimate, apart, number
from classay.inference.words import direction, title
from classay.kinds import checked, refuse_unknown
from classay.measures import Measure, get
from classay.predictions import Missing
from classay.shown import Shown

Array = NDArray[Any]
REPLICATES = 1000
BLOCK = 1 << 22
SELDOM = 0.01
"""Share of the resamples without spread beyond which a model has no bootstrap of t."""
TOO_EVEN = "the {} do not vary in too many of the resamples"
VALUES_WITH_A_CONTROL = "values of the cases, with a control"
"""What the test of all models against one is of."""


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


def best_of(values: Mapping[str, ArrayLike], *, level: float = 0.95, seed: int = 0) -> Best:
    """The best model by the mean of per-case values (correct or not; negative losses), corrected for the choice.

    `values` holds one array a model, `(cases,)`, higher better, all on the same cases. The corrected value is the
    bootstrap's: the model chosen on each resample is rated on the cases left out of it. Its interval is that of the
    greatest studentized deviation of all models (max-t), moved by nothing: observed ± c·se holds all models at
    once, hence the one chosen. Ties go to the first. Tsamardinos, Greasidou & Borboudakis 2018, Machine Learning
    107:1895; Romano & Wolf 2005, Econometrica 73:1237.

    >>> rng = np.random.default_rng(0)
    >>> found = best_of({f"m{i}": rng.random(300) < 0.8 for i in range(20)})
    >>> print(f"{found.observed.value:.3f} {found.corrected.value:.3f}")
    0.867 0.840
    """
    names, table = _table(values)
    n = len(table)
    means, errors = table.mean(0), table.std(0, ddof=1) / np.sqrt(n)
    chosen = int(means.argmax())
    left_out, deviations = [], np.empty((REPLICATES, len(names)))
    for part, weights in _weights(n, seed, "best_of"):
        drawn = weights @ table / n
        outside = weights == 0
        rated = (outside @ table) / np.maximum(outside.sum(1, keepdims=True), 1)
        picked = rated[np.arange(len(drawn)), drawn.argmax(1)]
        left_out += picked[outside.any(1)].tolist()
        deviations[part] = _deviations(weights, table, drawn, means)
    enough = _vary_enough(deviations)
    wide = _critical(deviations[:, enough].max(1, initial=0.0), level) * float(errors[chosen])
    value = float(means[chosen])
    observed = _t_interval(value, float(errors[chosen]), n, level)
    fair = min(float(np.mean(left_out)), value) if left_out else value
    method = f"bootstrap of the choice; max-t over {len(names)} models"
    if errors[chosen] == 0:
        corrected = Estimate.bare(fair, "the values of the best model do not vary")
    elif not enough[chosen] or not np.isfinite(wide):
        corrected = Estimate.bare(fair, TOO_EVEN.format("values of a model"))
    else:
        corrected = Estimate(fair, min(value - wide, fair), max(value + wide, fair), level, method)
    return Best(names[chosen], len(names), n, observed, corrected)


@checked
def best_of_predictions(
    models: Any = None,
    y_true: Any = None,
    measure: str | Measure = "accuracy",
    *,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
    **rows: Unpack[Rows],
) -> Best:
    """The best of several models on one test set in a measure that is a mean over the cases, corrected for the choice.

    Models, truth and `rows` are given as to `compare_predictions`. The measure is accuracy, recall, specificity, the
    Brier score or log-loss; `best_of` says how it is corrected. Raises InputError for another measure, weights or
    clusters.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> labels = {f"m{i}": np.where(rng.random(300) < 0.8, y, 1 - y) for i in range(20)}
    >>> found = best_of_predictions(y_true=y, y_pred=labels)
    >>> print(f"{found.observed.value:.3f} {found.corrected.value:.3f}")
    0.847 0.808
    """
    refuse_unknown("best_of_predictions", rows, Rows.__annotations__)
    known = measure if isinstance(measure, Measure) else get(measure)
    panel = panel_from(models, dict.fromkeys(Rows.__annotations__) | {"y_true": y_true, **rows}, missing)
    values = case_values(panel, known)
    if isinstance(values, str):
        raise InputError(f"the best in {known.name} cannot be corrected for the choice: {values}.")
    sign = direction(known.name) or 1
    start = seed_of(seed)
    made = best_of({name: sign * each for name, each in values.items()}, level=level, seed=start)
    facts = (("models", f"{made.models:,}"), ("cases", f"{made.cases:,}"))
    observed, corrected = (_turned(each, sign) for each in (made.observed, made.corrected))
    return replace(made, observed=observed, corrected=corrected, measure=known.name, facts=facts, seed=start)


def _turned(found: Estimate, sign: int) -> Estimate:
    """The estimate of the values, of which the negative was estimated where less is better."""
    if sign > 0:
        return found
    return replace(found, value=-found.value, low=-found.high, high=-found.low)


@test(
    "max-t",
    "paired t, adjusted by the bootstrap of the greatest |t|",
    where=ONE_TEST_SET,
    of=VALUES_WITH_A_CONTROL,
    references=("romano2005", "white2000"),
)
def against_baseline(
    values: Mapping[str, ArrayLike],
    baseline: str,
    *,
    measure: str = "value",
    level: float = 0.95,
    seed: int = 0,
) -> list[Comparison]:
    """Every other model less a baseline, tested together by the bootstrap of the greatest |t| (max-t).

    Adjusted p-values and intervals hold for all models at once, and so for the best of them; correlated models cost
    less than under Holm. p = (1 + extreme) / (1 + replicates). A model whose differences hardly vary, so that more than
    1 % of the resamples show no spread, has no test and is none of the family. White 2000, Econometrica 68:1097 (the
    reality check); Romano & Wolf 2005.
    """
    names, table = _table(values)
    if baseline not in names:
        raise InputError(f"there is no model {baseline!r}: the models are {', '.join(names)}.")
    at, n = names.index(baseline), len(table)
    others = [i for i in range(len(names)) if i != at]
    differences = _differences(table[:, others], table[:, [at]])
    means, errors = differences.mean(0), differences.std(0, ddof=1) / np.sqrt(n)
    deviations = np.empty((REPLICATES, len(others)))
    for part, weights in _weights(n, seed, "against_baseline"):
        deviations[part] = _deviations(weights, differences, weights @ differences / n, means)
    enough = _vary_enough(deviations) & (errors > 0)
    how = _Family(deviations[:, enough].max(1, initial=0.0), int(enough.sum()), n, measure, level)
    found = []
    for k, i in enumerate(others):
        models, means_of_both = (names[i], baseline), (float(table[:, i].mean()), float(table[:, at].mean()))
        if enough[k]:
            found.append(how.tested(models, means_of_both, float(means[k]), float(errors[k])))
        elif not differences[:, k].any():
            found.append(how.alike(models, means_of_both))
        else:
            even = errors[k] == 0
            why = (
                "the differences of the cases do not vary"
                if even
                else TOO_EVEN.format("differences of the cases")
            )
            found.append(replace(undefined(models, measure, why, means_of_both), level=level))
    return found


@dataclass(frozen=True, eq=False)
class _Family:
    """Models that are tested together: the greatest |t| of each resample over so many, and how they are told."""

    extreme: Array
    models: int
    n: int
    measure: str
    level: float

    def tested(
        self, models: tuple[str, str], values: tuple[float, float], mean: float, error: float
    ) -> Comparison:
        from scipy.special import stdtr

        t, wide = mean / error, _critical(self.extreme, self.level) * error
        effect = Estimate(mean, mean - wide, mean + wide, self.level, "max-t bootstrap")
        if not np.isfinite(wide):
            effect = Estimate.bare(mean, TOO_EVEN.format("differences of a model"))
        family = f"max-t over {self.models} models"
        made = Comparison(
            models,
            self.measure,
            effect,
            float(2 * stdtr(self.n - 1, -abs(t))),
            f"paired t, {family}",
            "test cases",
            statistic=t,
            reference=cite("romano2005", "white2000"),
            n=self.n,
            values=values,
            level=self.level,
        )
        extreme = int((self.extreme >= abs(t) * (1 - 1e-12)).sum())
        return made.adjusted((1 + extreme) / (1 + REPLICATES) if t else 1.0, family)

    def alike(self, models: tuple[str, str], values: tuple[float, float]) -> Comparison:
        how = How("max-t bootstrap", "paired t, max-t", ("romano2005", "white2000"))
        made = alike(models, self.measure, values, Units(self.n), how, self.level)
        return made.adjusted(1.0, "max-t")


def _table(values: Mapping[str, ArrayLike]) -> tuple[list[str], Array]:
    columns = {name: np.asarray(each, np.float64) for name, each in values.items()}
    shapes = {each.shape for each in columns.values()}
    if len(columns) < 2 or len(shapes) != 1 or len(next(iter(shapes))) != 1 or next(iter(shapes))[0] < 2:
        raise InputError(
            f"values of {len(columns)} models have shapes {sorted(shapes)}: pass two or more models with one value "
            "for each of the same cases."
        )
    table = np.stack([*columns.values()], 1)
    table = table[order_of_rows([], {name: [column] for name, column in columns.items()})]
    bad = int((~np.isfinite(table)).any(1).sum())
    if bad:
        raise InputError(f"{bad} cases have an undefined or infinite value: leave them out, or the model.")
    return list(columns), table


def _weights(n: int, seed: int, purpose: str) -> Any:
    """Blocks of bootstrap counts of the cases, `(replicates, cases)`, with the places of the replicates."""
    rng = stream(seed, purpose)
    size = max(1, min(REPLICATES, BLOCK // n))
    for start in range(0, REPLICATES, size):
        count = min(size, REPLICATES - start)
        drawn = rng.integers(0, n, (count, n))
        drawn += n * np.arange(count)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n)
        yield slice(start, start + count), counts.astype(np.float64)


def _deviations(weights: Array, values: Array, drawn: Array, means: Array) -> Array:
    """The |t| of each model in each replicate, `(replicates, models)`, by its own standard error there.

    A model that does not vary in a replicate is infinitely far off there, unless it has its mean.
    """
    n = len(values)
    variances = np.maximum(weights @ values**2 / n - drawn**2, 0) / (n - 1)
    varies = variances > 1e-14 * drawn**2 / n
    apart = np.abs(drawn - means)
    off = np.where(apart > 1e-12 * np.abs(values).max(0, initial=0.0), np.inf, 0.0)
    return np.asarray(np.where(varies, apart / np.sqrt(np.where(varies, variances, 1.0)), off))


def _vary_enough(deviations: Array) -> Array:
    """Which models have a t in nearly every replicate."""
    return np.asarray(np.isinf(deviations).mean(0) <= SELDOM)


def _critical(extreme: Array, level: float) -> float:
    """The quantile of the greatest |t|; infinite where one of both replicates that it lies between is."""
    top = np.quantile(extreme, level, method="higher")
    return float(np.quantile(np.minimum(extreme, top), level)) if np.isfinite(top) else float("inf")


def _differences(values: Array, control: Array) -> Array:
    """Values less those of a control, without a spread that is rounding."""
    differences = values - control
    size = np.maximum(np.abs(values).max(0), np.abs(control).max())
    even = np.ptp(differences, axis=0) <= 1e-12 * size
    same = np.abs(differences).max(0) <= 1e-12 * size
    return np.asarray(np.where(even, np.where(same, 0.0, differences[0]), differences))


def _t_interval(value: float, error: float, n: int, level: float) -> Estimate:
    from scipy.special import stdtrit

    if error == 0:
        return Estimate.bare(value, "the values of the best model do not vary")
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    return Estimate(value, value - half, value + half, level, "t, uncorrected for the choice")
