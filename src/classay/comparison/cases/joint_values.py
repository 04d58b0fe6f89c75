"""Many models over the same units: their values in one measure with their covariance, and each of them alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.views import of_table
from classay.comparison.cases.aucs import aucs_of_panel
from classay.comparison.cases.case_values import MEASURE, case_costs, proportion_values
from classay.comparison.cases.class_averages import influence_on_mean_auc, slope_influence
from classay.comparison.cases.label_measures import influence_of, kept_cases, table_of
from classay.comparison.cases.other_panel import Models, OtherPanel
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.score_measures import draws_of_models, influence_on_precision
from classay.comparison.cases.unit_means import UnitMeans
from classay.comparison.leaderboard import JointValues, Leaderboard, Owned, leaderboard_of, without_order
from classay.decision.costs import Costs
from classay.inference.bounded_means import mean_between
from classay.inference.design import Degrees, Design, SamplingUnits, VarianceEstimate
from classay.inference.estimate import Estimate, direction
from classay.measures import Measure
from classay.tables import ConfusionMatrix

Array = NDArray[Any]


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
