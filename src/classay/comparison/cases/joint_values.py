"""The values of all models of a panel in one measure, with their joint covariance; each model alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.views import of_measure
from classay.comparison.cases.aucs import aucs_of_panel
from classay.comparison.cases.label_measures import influence_of, table_of
from classay.comparison.cases.many_models import UnitMeans
from classay.comparison.cases.panel import MEASURE, Panel, case_costs, right_answers
from classay.comparison.cases.score_measures import draws_of_models, influence_on_precision
from classay.comparison.cases.tag_panel import TagPanel
from classay.comparison.leaderboard import JointValues, Leaderboard, Owned, leaderboard_of, without_order
from classay.decision.costs import Costs
from classay.inference.design import Degrees, Design, SamplingUnits, Spread, corrected
from classay.inference.estimate import Estimate, direction
from classay.inference.proportions import normal_quantile, score_interval
from classay.measures import Measure
from classay.tables import ConfusionMatrix

Array = NDArray[Any]
NO_JOINT = "its values have no joint spread here"


@dataclass(frozen=True, eq=False)
class ModelsAlone:
    """The models of a panel, each assessed by itself."""

    panel: Panel | TagPanel
    seed: int = 0
    known: dict[tuple[str, bool], Assessment] = field(default_factory=dict)

    def estimate(self, name: str, measure: Measure, level: float) -> Estimate:
        """The value of a measure of one model, with the interval that `assess` gives it."""
        key = name, measure.needs == "tag_scores"
        if key not in self.known:
            self.known[key] = self.panel.assessed(name, self.seed, measure.needs)
        return of_measure(self.known[key].changed(level=level), measure)


def joint_of(panel: Panel | TagPanel, measure: Measure, kind: str, *, seed: int = 0) -> JointValues | str:
    """The values of a measure of all models that have it, or why they have no joint distribution.

    `panel` is the one that the measure is read from, `kind` the kind of test by which pairs of models are compared.
    """
    better = direction(measure.name)
    if not better:
        return "neither high nor low values of it are better"
    if isinstance(panel, TagPanel):
        return _of_influences(panel, measure.name, panel.on_each_row(measure), better, "moments")
    return _of_one_label(panel, measure, kind, better, seed)


def _of_one_label(panel: Panel, measure: Measure, kind: str, better: int, seed: int) -> JointValues | str:
    if kind == "auc":
        return _of_aucs(panel, better)
    if kind == "bootstrap":
        return _of_draws(panel, measure, better, seed)
    if kind == "labels" and "share of right answers" in measure.traits:
        return _of_right_answers(panel, measure, better)
    found = _influences(panel, measure, kind)
    if isinstance(found, str):
        return found
    # of a ratio, the cases that decide are those of its denominator, which differ between models
    degrees: Degrees = "units" if kind == "losses" else "moments"
    return _of_influences(panel, measure.name, found, better, degrees)


def board_of(
    alone: ModelsAlone, view: Panel | TagPanel, measure: Measure, plain: Measure, kind: str, level: float
) -> Leaderboard:
    """The leaderboard of a measure, which is read as `plain` from a `view` of the panel."""
    joint = joint_of(view, plain, kind, seed=alone.seed)

    def own(name: str, at: float) -> Estimate:
        return alone.estimate(name, measure, at)

    if isinstance(joint, str):
        return without_order(measure.name, [(name, own(name, level)) for name in view.names], level, joint)
    named = replace(joint, measure=measure.name)
    return leaderboard_of(named, own, level=level, seed=alone.seed)


def joint_of_costs(panel: Panel, costs: Costs) -> JointValues | str:
    """The mean costs of the decisions of all models, of which less is better."""
    found: Influences = {name: _of_means(panel, case_costs(panel, costs, name)) for name in panel.predicted}
    return _of_influences(panel, MEASURE, found, -1)


def board_of_costs(panel: Panel, costs: Costs, level: float, seed: int = 0) -> Leaderboard:
    """The leaderboard of the mean costs of the decisions, of which less is better."""
    joint = joint_of_costs(panel, costs)
    if isinstance(joint, str):
        values = [(name, Estimate.undefined(joint)) for name in panel.predicted]
        return without_order(MEASURE, values, level, joint)

    return leaderboard_of(joint, _means_alone(joint), level=level, seed=seed)


def joint_means(values: Mapping[str, ArrayLike]) -> tuple[JointValues, Owned]:
    """The means of values of the same cases, `(cases,)` of each model, more being better, and each mean alone.

    Raises InputError for other shapes, and for missing and infinite values.
    """
    means = UnitMeans.of_values(values)
    columns = dict(zip(means.names, means.sums.T, strict=True))
    are_shares = all(np.isin(each, (0, 1)).all() for each in columns.values())
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
    values = np.array([float(np.average(each, weights=w)) for each in columns.values()])
    rows = np.stack([(each - mean) / w.sum() for each, mean in zip(columns.values(), values, strict=True)])
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
    return joint, _means_alone(joint) if bounds is None else _means_within(joint, bounds, design)


def _means_within(joint: JointValues, bounds: tuple[float, float], design: Design) -> Owned:
    """Each mean between bounds, by Wilson's method with as many cases as vary as much; of no spread, with all units."""
    low, width = bounds[0], bounds[1] - bounds[0]

    def own(name: str, level: float) -> Estimate:
        k = joint.names.index(name)
        share, variance = (joint.values[k] - low) / width, joint.covariance[k, k] / width**2
        alone = Spread(variance, joint.degrees)
        n = joint.units.number
        if not alone.is_none():
            n = share * (1 - share) / variance * (corrected(n) if design.is_alike else 1.0)
        z = normal_quantile(level) if design.rows is None else alone.quantile(level)
        bottom, top = (low + width * float(end) for end in score_interval(share * n, n, z))
        method = f"{joint.method}, Wilson".removeprefix(", ")
        return Estimate(float(joint.values[k]), bottom, top, level, method)

    return own


def _means_alone(joint: JointValues) -> Owned:
    """Each mean by Student's t."""

    def own(name: str, level: float) -> Estimate:
        k = joint.names.index(name)
        value, alone = float(joint.values[k]), Spread(joint.covariance[k, k], joint.degrees)
        if alone.is_none(abs(value)):
            return Estimate.bare(value, "the values of the cases do not vary")
        half = alone.half(level)
        return Estimate(value, value - half, value + half, level, joint.method or "t")

    return own


def _of_aucs(panel: Panel, better: int) -> JointValues | str:
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


def _of_draws(panel: Panel, measure: Measure, better: int, seed: int) -> JointValues | str:
    """By the covariance of the values in resamples of the cases."""
    names = [*panel.scores]
    cases = panel.scored(names)
    values = np.array([float(measure(cases.table(name))) for name in names])
    drawn = draws_of_models(cases, measure, seed)
    drawn = drawn[:, np.isfinite(drawn).all(0)]
    if not np.isfinite(values).all() or drawn.shape[1] < 2:
        return "it is undefined for a model"
    units = SamplingUnits(cases.n) if cases.cluster is None else cases.design.units
    fewest = float(cases.design.units_of_class.min()) - 1
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


def _influences(panel: Panel, measure: Measure, kind: str) -> Influences | str:
    """Those of measures of labels, of average precision, and of means over the cases."""
    if kind == "labels":
        return {name: _of_labels(panel, measure, called) for name, called in panel.predicted.items()}
    if kind == "precision":
        cases = panel.scored([*panel.scores])
        return {name: influence_on_precision(cases, name) for name in cases.scores}
    if kind == "losses":
        assert measure.losses is not None
        source: Mapping[str, Array] = panel.class_scores if panel.positive is None else panel.scores
        true = panel.truth if panel.positive is None else panel.is_positive
        return {name: _of_means(panel, measure.losses(scores, true)) for name, scores in source.items()}
    return NO_JOINT


def _of_right_answers(panel: Panel, measure: Measure, better: int) -> JointValues | str:
    """Shares of the cases that are right, among those that count alone, of which there may be few among many."""
    right = right_answers(panel, measure)
    if isinstance(right, str):
        return right
    values, counting = right
    if measure.among is None:
        found = {name: _of_means(panel, each) for name, each in values.items()}
        return _of_influences(panel, measure.name, found, better)
    rows = np.flatnonzero(counting)
    if not rows.size:
        return measure.undefined[0].text
    part = panel.alone_with(rows)
    found = {name: _of_means(part, each[rows]) for name, each in values.items()}
    joint = _of_influences(part, measure.name, found, better)
    if isinstance(joint, str) or panel.cluster is not None:
        return joint
    return replace(joint, units=joint.units._replace(name=joint.units.name.replace("cases", measure.among)))


def _of_labels(panel: Panel, measure: Measure, called: Array) -> tuple[float, Array] | str:
    matrix = ConfusionMatrix.from_codes(
        called, panel.truth, panel.labels, weight=panel.weight, frequency=panel.frequency
    )
    table = table_of(matrix, panel.positive, measure)
    value = float(measure(table))
    if isnan(value):
        return measure.why_undefined(table) or "0 / 0"
    return value, influence_of(matrix, panel.positive, measure)[called, panel.truth]


def _of_means(panel: Panel, values: Array | None) -> tuple[float, Array] | str:
    """A mean of values of the cases, with how far each case moves it."""
    if values is None:
        return "its scores are no probabilities"
    weight = panel.weight if panel.frequency is None else panel.frequency
    mean = float(np.average(values, weights=weight))
    if not np.isfinite(mean):
        return "it is infinite: some case's true class got probability 0"
    return mean, (values - mean) / (values.size if weight is None else weight.sum())


def _of_influences(
    panel: Panel | TagPanel, measure: str, found: Influences, better: int, apart: Degrees = "units"
) -> JointValues | str:
    """Values by how each row moves them; `apart` are the degrees of freedom of a difference of two of them."""
    known = {name: each for name, each in found.items() if not isinstance(each, str)}
    absent = tuple((name, each) for name, each in found.items() if isinstance(each, str))
    if len(known) < 2:
        return absent[0][1] if absent else NO_JOINT
    design = panel.design
    rows = np.stack([each for _, each in known.values()])
    spread = design.spread(rows, degrees="normal" if panel.cluster is None else "units")
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
        None if apart == "units" else lambda i, j: design.spread(rows[i] - rows[j], degrees=apart).degrees,
    )
