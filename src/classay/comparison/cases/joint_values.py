"""Many models over the same units: their values in one measure with their covariance, each alone, all against one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.views import of_table
from classay.columns.numbers import counted
from classay.comparison.cases.aucs import aucs_of_panel
from classay.comparison.cases.case_values import MEASURE, RowValues, case_costs, proportion_values
from classay.comparison.cases.class_averages import influence_on_mean_auc, slope_influence
from classay.comparison.cases.difference import ComparisonMethod, no_difference, undefined
from classay.comparison.cases.label_measures import influence_of, kept_cases, table_of
from classay.comparison.cases.other_panel import Models, OtherPanel
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.score_measures import draws_of_models, influence_on_precision
from classay.comparison.comparison import Comparison, Criterion, SignificanceTest, UnitsTested
from classay.comparison.leaderboard import JointValues, Leaderboard, Owned, leaderboard_of, without_order
from classay.comparison.named_tests import ONE_TEST_SET, ComparedInput, cite, test
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.bootstrap.sampling import UnitDraws, blocks
from classay.inference.bounded_means import mean_between
from classay.inference.design import Degrees, Design, SamplingUnits, VarianceEstimate, equal_units
from classay.inference.draws import OrderedRows, stream
from classay.inference.estimate import Estimate, direction
from classay.measures import Measure
from classay.tables import ConfusionMatrix
from classay.tables.sums import is_rounding, settled
from classay.texts import some

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
        columns = {name: np.asarray(column, np.float64) for name, column in values.items()}
        shapes = {column.shape for column in columns.values()}
        if len(columns) < 2 or len(shapes) != 1 or len(next(iter(shapes))) != 1 or next(iter(shapes))[0] < 2:
            raise InputError(
                f"The values of {len(columns)} models have shapes {sorted(shapes)}. Use at least two models "
                "with one value for each of the same cases."
            )
        table = np.stack([*columns.values()], 1)
        bad = int((~np.isfinite(table)).any(1).sum())
        if bad:
            raise InputError(
                f"{bad} cases have a value that is infinite or not defined. Exclude these cases or the model."
            )
        order, _ = OrderedRows(np.zeros(len(table), int)).in_order(
            {name: [column] for name, column in columns.items()}
        )
        return cls(tuple(columns), table[order], np.ones(len(table)))

    @classmethod
    def of_rows(cls, rows: RowValues) -> UnitMeans:
        """Of the values of rows in canonical order, each row, or each whole cluster, a unit."""
        table = np.stack([*rows.values.values()], 1)
        if rows.unit is None:
            return cls._scaled(tuple(rows.values), table * rows.weight[:, None], rows.weight)
        groups = int(rows.unit.max()) + 1
        sums = np.stack([np.bincount(rows.unit, column * rows.weight, groups) for column in table.T], 1)
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
    def degrees(self) -> float:
        """Of Student's t: see `Design.equal_units`."""
        return float(equal_units(self.units, self.size.sum(), (self.size**2).sum())) - 1

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
        residuals = self.sums - self.size[:, None] * self.values
        residuals = np.where(is_rounding(np.abs(residuals).max(0), np.abs(self.sums).max(0)), 0.0, residuals)
        larger = self.units / max(self.units - 1, 1)
        return np.asarray(np.sqrt(_totals(residuals**2) * larger) / self.size.sum())

    def less(self, control: str) -> UnitMeans:
        """Return the means of all other models minus that of a control, without a spread that is rounding."""
        at = self.names.index(control)
        others = [i for i in range(len(self.names)) if i != at]
        values, of_control = self.sums[:, others], self.sums[:, [at]]
        differences = values - of_control
        size = np.maximum(np.abs(values).max(0), np.abs(of_control).max())
        same = is_rounding(np.abs(differences).max(0), size)
        level = self.size[:, None] * (_totals(differences) / self.size.sum())
        even = is_rounding(np.abs(differences - level).max(0), size)
        differences = np.where(even, level, differences)
        return UnitMeans(tuple(self.names[i] for i in others), np.where(same, 0.0, differences), self.size)

    def resampled(self, counts: Array) -> Resample:
        """Return the means where each unit was drawn so many times."""
        with np.errstate(divide="ignore", invalid="ignore"):
            total = (counts @ self.size)[:, None]
            drawn = counts @ self.sums / total
            if self.is_even:
                variances = np.maximum(counts @ self.sums**2 / total - drawn**2, 0) / (self.units - 1)
            else:
                squares = counts @ self.sums**2 - 2 * drawn * (counts @ (self.sums * self.size[:, None]))
                squares += drawn**2 * (counts @ self.size**2)[:, None]
                variances = np.maximum(squares, 0) * self.units / (self.units - 1) / total**2
            return Resample(drawn, np.sqrt(variances))

    def deviations(self, resample: Resample) -> Array:
        """The |t| of each mean in each resample; a mean without spread is infinitely far off, unless it is the same."""
        drawn, variances = resample.drawn, resample.errors**2
        varies = variances > 1e-14 * drawn**2 / self.units
        distances = np.abs(drawn - self.values)
        most = np.abs(self.sums).max(0, initial=0.0) / max(float(self.size.mean()), 1e-300)
        off = np.where(distances > 1e-12 * most, np.inf, 0.0)
        deviations = np.where(varies, distances / np.sqrt(np.where(varies, variances, 1.0)), off)
        return np.asarray(np.where(np.isnan(drawn), np.inf, deviations))


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
    """Return which models have a t in nearly every replicate."""
    return np.asarray(np.isinf(deviations).mean(0) <= SELDOM)


def critical(extreme: Array, level: float) -> float:
    """Return the quantile of the greatest |t|; infinite where one of both replicates that it lies between is."""
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


NO_JOINT = "its values have no joint distribution here"


@dataclass(frozen=True, eq=False)
class ModelsAlone:
    """The models of a panel, each assessed by itself."""

    panel: Models
    seed: int = 0
    known: dict[tuple[str, bool], Assessment] = field(default_factory=dict)

    def estimate(self, name: str, measure: Measure, level: float) -> Estimate:
        """Return the value of a measure of one model, with the interval that `assess` gives it."""
        of_scores = isinstance(self.panel, OtherPanel) and self.panel.is_of_scores(measure)
        key = name, of_scores
        if key not in self.known:
            self.known[key] = self.panel.assessed(name, self.seed, measure.needs)
        return of_table(self.known[key].changed(level=level), [measure])[0]


def joint_of(panel: Models, measure: Measure, kind: str, *, seed: int = 0) -> JointValues | str:
    """Return the values of a measure of all models that have it, or why they have no joint distribution.

    `panel` is the one that the measure is read from, `kind` the kind of test by which pairs of models are compared.
    """
    better = direction(measure.name)
    if not better:
        return "neither high nor low values of it are better"
    if isinstance(panel, OtherPanel):
        return _of_influences(panel, measure.name, panel.on_each_row(measure), better, "moments")
    return _of_one_label(panel, measure, kind, better, seed)


def _of_one_label(
    panel: PairedPredictions, measure: Measure, kind: str, better: int, seed: int
) -> JointValues | str:
    if kind == "auc":
        return _of_aucs(panel, better)
    if kind == "bootstrap":
        return _of_draws(panel, measure, better, seed)
    if kind == "labels" and (hits := proportion_values(panel, measure)) is not None:
        return _of_proportion(panel, measure, better, *hits)
    influences = _influences(panel, measure, kind)
    if isinstance(influences, str):
        return influences
    # of a ratio, the cases that decide are those of its denominator, which differ between models
    of_kind: dict[str, Degrees] = {
        "losses": "units",
        "labels": "classes",
        "mean auc": "classes",
        "slopes": "classes",
    }
    degrees = of_kind.get(kind, "moments" if panel.cluster is None else "classes")
    return _of_influences(panel, measure.name, influences, better, degrees)


def board_of(
    alone: ModelsAlone, view: Models, measure: Measure, plain: Measure, kind: str, level: float
) -> Leaderboard:
    """Return the leaderboard of a measure, which is read as `plain` from a `view` of the panel."""
    joint = joint_of(view, plain, kind, seed=alone.seed)

    def estimate(name: str, at: float) -> Estimate:
        return alone.estimate(name, measure, at)

    if isinstance(joint, str):
        return without_order(
            measure.name, [(name, estimate(name, level)) for name in view.names], level, joint
        )
    named = replace(joint, measure=measure.name)
    return leaderboard_of(named, estimate, level=level, seed=alone.seed)


def joint_of_costs(panel: PairedPredictions, costs: Costs) -> JointValues | str:
    """Return the mean costs of the decisions of all models, of which less is better."""
    means: Influences = {name: _of_means(panel, case_costs(panel, costs, name)) for name in panel.predicted}
    return _of_influences(panel, MEASURE, means, -1)


def board_of_costs(panel: PairedPredictions, costs: Costs, level: float, seed: int = 0) -> Leaderboard:
    """Return the leaderboard of the mean costs of the decisions, of which less is better."""
    joint = joint_of_costs(panel, costs)
    if isinstance(joint, str):
        values = [(name, Estimate.undefined(joint)) for name in panel.predicted]
        return without_order(MEASURE, values, level, joint)

    return leaderboard_of(joint, _means_alone(joint), level=level, seed=seed)


def joint_means(values: Mapping[str, ArrayLike]) -> tuple[JointValues, Owned]:
    """Return the means of values of the same cases, `(cases,)` of each model, more being better, and each mean alone.

    Raises InputError for other shapes, and for missing and infinite values.
    """
    means = UnitMeans.of_values(values)
    columns = dict(zip(means.names, means.sums.T, strict=True))
    are_shares = all(np.isin(column, (0, 1)).all() for column in columns.values())
    return means_joint("value", columns, 1, (0.0, 1.0) if are_shares else None)


def means_joint(
    measure: str,
    columns: Mapping[str, Array],
    better: int,
    bounds: tuple[float, float] | None,
    design: Design | None = None,
) -> tuple[JointValues, Owned]:
    """The means of columns of values, `(rows,)`, and each mean alone: by Wilson's method between declared bounds."""
    design = Design.of_rows(len(next(iter(columns.values())))) if design is None else design
    w = design.places.weight
    values = np.array([float(np.average(x, weights=w)) for x in columns.values()])
    rows = np.stack([(x - mean) / w.sum() for x, mean in zip(columns.values(), values, strict=True)])
    spread = design.spread(rows, degrees="units")
    joint = JointValues(
        measure,
        tuple(columns),
        values,
        np.asarray(spread.covariance),
        better,
        spread.units,
        spread.degrees,
        design.before.rstrip(", "),
    )
    return joint, _means_alone(joint) if bounds is None else _means_within(joint, bounds, design, columns)


def _means_within(
    joint: JointValues, bounds: tuple[float, float], design: Design, columns: Mapping[str, Array]
) -> Owned:
    """Return each mean between bounds: see `mean_between`."""

    def estimate(name: str, level: float) -> Estimate:
        k = joint.names.index(name)
        spread = VarianceEstimate(joint.covariance[k, k], joint.degrees)
        low, high, method = mean_between(columns[name], bounds, design, spread, level)
        method_text = f"{joint.method}, {method}".removeprefix(", ")
        return Estimate(float(joint.values[k]), low, high, level, method_text)

    return estimate


def _means_alone(joint: JointValues) -> Owned:
    """Return each mean by Student's t."""

    def estimate(name: str, level: float) -> Estimate:
        k = joint.names.index(name)
        value, alone = float(joint.values[k]), VarianceEstimate(joint.covariance[k, k], joint.degrees)
        if alone.is_none(abs(value)):
            return Estimate.bare(value, "the values of the cases do not vary")
        half = alone.half(level)
        return Estimate(value, value - half, value + half, level, joint.method or "t")

    return estimate


def _of_aucs(panel: PairedPredictions, better: int) -> JointValues | str:
    aucs = aucs_of_panel(panel)
    if aucs.absent:
        return aucs.absent
    spread = aucs.spread
    method = aucs.how.interval
    return JointValues(
        "roc_auc",
        aucs.names,
        aucs.values,
        np.asarray(spread.covariance),
        better,
        spread.units,
        spread.degrees,
        method,
    )


def _of_draws(panel: PairedPredictions, measure: Measure, better: int, seed: int) -> JointValues | str:
    """By the covariance of the values in resamples of the cases."""
    names = [*panel.scores]
    cases = panel.scored(names)
    values = np.array([float(measure(cases.table(name))) for name in names])
    drawn = draws_of_models(cases, measure, seed)
    drawn = drawn[:, np.isfinite(drawn).all(0)]
    if not np.isfinite(values).all() or drawn.shape[1] < 2:
        return "it is not defined for a model"
    units = SamplingUnits(cases.n) if cases.cluster is None else cases.design.units
    fewest = float(cases.design.equal_units_of_class.min()) - 1
    covariance = np.cov(drawn)
    return JointValues(
        measure.name,
        tuple(names),
        values,
        covariance,
        better,
        units,
        method="bootstrap",
        degrees_apart=lambda i, j: fewest,
    )


Influences = dict[str, tuple[float, Array] | str]
"""The value of each model with the influence of each row on it, or why it has none."""


def _influences(panel: PairedPredictions, measure: Measure, kind: str) -> Influences | str:
    """Return those of measures of labels, of average precision, of mean AUCs, and of means over the cases."""
    if kind == "labels":
        return {name: _of_labels(panel, measure, called) for name, called in panel.predicted.items()}
    if kind == "precision":
        cases = panel.scored([*panel.scores])
        return {name: influence_on_precision(cases, name) for name in cases.scores}
    if kind == "mean auc":
        return {name: influence_on_mean_auc(panel, measure, name) for name in panel.class_scores}
    if kind == "slopes":
        weight = panel.design.places.weight
        return {
            name: slope_influence(scores.astype(np.float64), panel.is_positive, weight)
            for name, scores in panel.scores.items()
        }
    if kind == "losses":
        assert measure.losses is not None
        source: Mapping[str, Array] = panel.class_scores if not panel.is_binary else panel.scores
        true = panel.truth if not panel.is_binary else panel.is_positive
        return {name: _of_means(panel, measure.losses(scores, true)) for name, scores in source.items()}
    return NO_JOINT


def _of_proportion(
    panel: PairedPredictions, measure: Measure, better: int, values: Mapping[str, Array], counting: Array
) -> JointValues | str:
    """Shares of the same cases, among those that count alone, of which there may be few among many."""
    if counting.all():
        influences = {name: _of_means(panel, hits) for name, hits in values.items()}
        return _of_influences(panel, measure.name, influences, better)
    rows = np.flatnonzero(counting)
    if not rows.size:
        return measure.undefined[0].text
    part = panel.alone_with(rows)
    influences = {name: _of_means(part, hits[rows]) for name, hits in values.items()}
    joint = _of_influences(part, measure.name, influences, better)
    if isinstance(joint, str) or panel.cluster is not None:
        return joint
    units = joint.units
    return replace(
        joint, units=units._replace(name=units.name.replace("cases", kept_cases(measure) or "cases"))
    )


def _of_labels(panel: PairedPredictions, measure: Measure, called: Array) -> tuple[float, Array] | str:
    matrix = ConfusionMatrix.from_codes(
        called, panel.truth, panel.labels, weight=panel.weight, frequency=panel.frequency
    )
    table = table_of(matrix, panel, measure)
    value = float(measure(table))
    if isnan(value):
        return measure.why_undefined(table) or "0 / 0"
    return value, influence_of(matrix, panel.positive, measure)[called, panel.truth]


def _of_means(panel: PairedPredictions, values: Array | None) -> tuple[float, Array] | str:
    """Return a mean of values of the cases, with how far each case moves it."""
    if values is None:
        return "its scores are not probabilities"
    weight = panel.weight if panel.frequency is None else panel.frequency
    mean = float(np.average(values, weights=weight))
    if not np.isfinite(mean):
        return "the value is infinite, because a true class has probability 0 in some case"
    return mean, (values - mean) / (values.size if weight is None else weight.sum())


def _of_influences(
    panel: Models, measure: str, influences: Influences, better: int, degrees: Degrees = "units"
) -> JointValues | str:
    """Values by how each row moves them; `degrees` are the degrees of freedom of a difference of two of them."""
    known = {name: influence for name, influence in influences.items() if not isinstance(influence, str)}
    absent = tuple((name, reason) for name, reason in influences.items() if isinstance(reason, str))
    if len(known) < 2:
        return absent[0][1] if absent else NO_JOINT
    design = panel.design
    rows = np.stack([influence for _, influence in known.values()])
    spread = design.spread(rows, degrees="normal" if design.is_alike else "units")
    if degrees == "classes":
        fewest = min(design.spread(influence, degrees="classes").degrees for influence in rows)
        spread = replace(design.spread(rows, degrees="classes"), degrees=fewest)
    covariance = np.asarray(spread.covariance)
    values = np.array([value for value, _ in known.values()])
    return JointValues(
        measure,
        tuple(known),
        values,
        covariance,
        better,
        spread.units,
        spread.degrees,
        design.before.rstrip(", "),
        absent,
        None
        if degrees == "units"
        else lambda i, j: design.spread(rows[i] - rows[j], degrees=degrees).degrees,
    )
