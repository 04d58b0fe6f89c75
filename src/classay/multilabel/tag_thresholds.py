"""A threshold for each tag of cases with several labels: chosen by a rule, and judged on cases it was not chosen on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment_warnings import columns_of_any
from classay.assessment.task import rest_of
from classay.columns import Labels
from classay.compiled import core_count, workers
from classay.decision.cuts import CutCounts, SumTable, mean_costs, threshold_of
from classay.decision.rules import NOT_ANY, Rule, best_cut
from classay.errors import InputError
from classay.inference.design import Design
from classay.inference.draws import stream
from classay.inference.estimate import Estimate
from classay.measures import FAMILIES, MEASURES, Measure, get
from classay.multilabel.tag_labels import influence_on_tags, tag_design
from classay.multilabel.tag_measures import of_tags
from classay.multilabel.tag_scores import MultilabelScores, TagEntries
from classay.multilabel.tag_tables import MultilabelTable, marks_of
from classay.multilabel.task import Multilabel
from classay.renamed import former
from classay.shown import Reportable
from classay.tables.scores import ScoreTable
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.multilabel.tag_assessment import MultilabelAssessment

Array = NDArray[Any]
FOLDS = 5
"""Parts of the cases, on each of which the thresholds that the others choose are judged."""
MOST_COMMON = 200
"""Thresholds that are tried for all tags together."""
MAIN = ("micro_f1", "macro_f1", "samples_f1", "exact_match")
"""What is told of all tags, beside what the rule seeks."""
TOGETHER = 64
"""Tags whose thresholds are sought together, in threads."""


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelThresholds(Reportable):
    """Thresholds of tags (multilabel) by a rule, with their expected performance.

    Attributes
    ----------
    rule : Rule
        The rule.
    labels : Labels
        The tags.
    values : tuple of float
        Threshold of each tag.
    common : float
        One threshold for all tags.
    here : MultilabelAssessment
        Assessment on the selection data. It is optimistic, the more so for many and rare tags.
    expected : MultilabelAssessment
        Assessment on other cases, held-out ones, or each fifth of the cases by the thresholds of the other
        four.
    expected_common : MultilabelAssessment
        The same at the common threshold.
    how_expected : str
        Method of the expected performance.
    objective : Measure or None
        Measure of all tags that the rule optimizes, None for a cost.
    gain : Estimate
        Gain of the expected value over the common threshold. More is better.
    costs : tuple of Estimate or None
        Mean cost per case here, expected, and expected at the common threshold.
    without : tuple
        Tags without a threshold of their own, which get the common one. No case, or every case, has them.

    Examples
    --------
    >>> import numpy as np
    >>> import classay as ca
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random((300, 2)) < [0.5, 0.1]).astype(int)
    >>> scores = np.clip(0.3 * truth + rng.random((300, 2)) * 0.7, 0, 1)
    >>> chosen = ca.assess(truth, scores, labels=["cat", "dog"]).threshold(maximize="f1")
    >>> chosen.here["macro_f1"].value > chosen.expected["macro_f1"].value
    True
    """

    rule: Rule
    labels: Labels
    values: tuple[float, ...]
    common: float
    here: MultilabelAssessment
    expected: MultilabelAssessment
    expected_common: MultilabelAssessment
    how_expected: str
    how_honest = former("MultilabelThresholds.how_honest", "how_expected")
    objective: Measure | None
    gain: Estimate
    costs: tuple[Estimate, Estimate, Estimate] | None = None
    without: tuple[Hashable, ...] = ()

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings on the columns that a reader must know before acting."""
        return columns_of_any(self.here)

    @property
    def thresholds(self) -> dict[Hashable, float]:
        """Threshold of each tag, as `assess` and `at` take them."""
        return dict(zip(self.labels, self.values, strict=True))

    @property
    def measures(self) -> tuple[str, ...]:
        """Reported measures of all tags, the objective first."""
        objective = () if self.objective is None else (self.objective.name,)
        return tuple(dict.fromkeys([*objective, *MAIN]))

    @property
    def of_one(self) -> str:
        """Reported measure of each tag, the objective or F1."""
        return "f1" if self.rule.measure is None else self.rule.measure.name

    @property
    def optimism(self) -> float:
        """Observed minus expected performance in the objective."""
        if self.costs is not None:
            return self.costs[1].value - self.costs[0].value
        assert self.objective is not None
        sign = self.rule.sign
        return sign * (self.here[self.objective].value - self.expected[self.objective].value)

    @property
    def level(self) -> float:
        """Level of the intervals."""
        return self.here.level

    def worst_tags(self, most: int) -> list[Hashable]:
        """Return the tags with the lowest expected values."""
        return self.expected.worst_tags(most)

    def __repr__(self) -> str:
        return f"MultilabelThresholds({len(self.labels):,} tags by {self.rule.text}; print it, or see .thresholds)"


def tag_thresholds(
    a: MultilabelAssessment, rule: Rule, held_back: MultilabelAssessment | None = None
) -> MultilabelThresholds:
    """Return the threshold that a rule chooses for each tag of an assessment. Raises InputError without scores."""
    scores = a.task.tag_scores
    if scores is None:
        raise InputError("A threshold needs the scores of the tags, but none were given. Pass scores.")
    if rule.top is not None or rule.conditions:
        raise InputError(
            "A capacity or a condition needs one tag, but these cases are multilabel. Use at_top(k) for the "
            f"highest tags, or tag({a.labels[0]!r}).threshold(…) for one tag."
        )
    if rule.cost is not None and rule.cost.names:
        raise InputError(
            "Costs of multilabel cases must be numbers, but these have amounts. Choose the threshold of each "
            "tag separately."
        )
    thresholds, common = chosen_thresholds(scores, rule)
    without = tuple(label for label, threshold in zip(a.labels, thresholds, strict=True) if isnan(threshold))
    if len(without) == len(a.labels):
        raise InputError(
            "No tag has a useful threshold: the best thresholds predict no case or all cases, or none meets "
            "the conditions."
        )
    values = tuple(np.where(np.isnan(thresholds), common, thresholds).tolist())
    here = a.at(values)
    if held_back is None:
        if _units(scores) < 2 * FOLDS:
            raise InputError(
                f"There are {_units(scores)} cases or clusters, too few to choose thresholds and to assess them. "
                "Pass held_back= with other cases."
            )
        called = cross_fitted(scores, rule, a.seed)
        expected, expected_common = (_called(a, scores, each) for each in called)
        unit = "case" if scores.cluster is None else "cluster"
        how = f"cross-fitted in {FOLDS} folds: thresholds of each {unit} are chosen on the other folds"
    else:
        if held_back.labels != a.labels or held_back.task.tag_scores is None:
            raise InputError(
                "The held-out cases have different tags, or no scores. Assess them in the same way."
            )
        scores = held_back.task.tag_scores
        called = scores.called(values), scores.called(common)
        expected, expected_common = held_back.at(values), held_back.at(common)
        how = "on held-out cases"
    objective = None if rule.measure is None else mean_over_tags(rule.measure)
    costs = None
    if rule.cost is not None:
        costs = tuple(cost_of_case(each, rule) for each in (here, expected, expected_common))
    return MultilabelThresholds(
        rule,
        Labels.of(a.labels),
        values,
        common,
        here,
        expected,
        expected_common,
        how,
        objective,
        _gain(scores, called, rule, objective, a.level),
        costs,  # type: ignore[arg-type]
        without,
    )


def mean_over_tags(measure: Measure) -> Measure:
    """Return the mean over tags of a measure of one. Raises InputError where there is none."""
    macro = f"macro_{measure.base}"
    if measure.family is not None and f"macro_{measure.family}" in FAMILIES:
        return of_tags(FAMILIES[f"macro_{measure.family}"](**dict(measure.parameters)))
    if macro not in MEASURES and macro not in FAMILIES:
        raise InputError(
            f"{measure.name} has no mean over tags. Use another measure, such as f1, f_beta(2), jaccard or "
            "balanced_accuracy."
        )
    return of_tags(get(macro))


def chosen_thresholds(scores: MultilabelScores, rule: Rule) -> tuple[Array, float]:
    """The threshold of each tag, `(tags,)`, NaN where it has none of its own, and the best one for all of them."""
    grid = _grid(scores)
    thresholds = np.full(len(scores.labels), nan)
    sums, counts = np.zeros(grid.size), np.zeros(grid.size)
    entries, weights = scores.entries(), scores.weights

    def one(label: Hashable, of: TagEntries) -> tuple[float, Array]:
        return _of_tag(label, of, weights, rule, grid, is_sparse=scores.is_sparse)

    with workers(core_count() if scores.rows * len(scores.labels) > 200_000 else 1) as run:
        for first in range(0, len(scores.labels), TOGETHER):
            some = [entry for _, entry in zip(range(TOGETHER), entries, strict=False)]
            labels = scores.labels[first : first + TOGETHER]
            for at, (value, along) in enumerate(run(one, labels, some), first):
                thresholds[at] = value
                known = ~np.isnan(along)
                sums += np.where(known, along, 0.0)
                counts += known
    mean = np.divide(sums, counts, out=np.full(grid.size, -np.inf), where=counts > 0)
    return thresholds, float(grid[max(0, int(best_cut(mean)))])


def _grid(scores: MultilabelScores) -> Array:
    """Thresholds that may be that of all tags, descending."""
    values = scores.scores.data if scores.is_sparse else np.asarray(scores.scores).ravel()
    values = np.unique(values[:: max(1, values.size // 100_000)])
    values = values[values > 0] if scores.is_sparse else values
    if not values.size:
        return np.ones(1)
    at = np.unique(np.linspace(0, values.size - 1, min(MOST_COMMON, values.size)).round().astype(int))
    return np.asarray(values[at][::-1], np.float64)


def _of_tag(
    label: Hashable, of: TagEntries, weights: Array, rule: Rule, grid: Array, *, is_sparse: bool
) -> tuple[float, Array]:
    """The threshold of one tag, NaN where it has none, and how good those of the grid are, NaN where undefined."""
    score, true, weight = of.score, of.true, of.of_rows(weights)
    if of.rest > 0:
        score, true, weight = (
            np.append(column, last).astype(column.dtype)
            for column, last in ((score, 0), (true, False), (weight, of.rest))
        )
    table = ScoreTable.from_rows(score, true, (rest_of(label), label), weight=weight)
    if not table.n_positive or not table.n_negative:
        return nan, np.full(grid.size, nan)
    sums = SumTable.of(table)
    coefficients = None if rule.cost is None else rule.cost.of_two(table.labels).array(table.labels, ())
    cuts = CutCounts.of(sums, coefficients)
    values = rule.values(cuts) if coefficients is None else -mean_costs(sums, coefficients)
    met = rule.is_met(cuts)
    if is_sparse:  # a threshold of 0 would call every tag without a score
        met = met & np.concatenate([[True], table.thresholds > 0])
    cut = int(best_cut(values, met))
    at = np.searchsorted(-table.thresholds.astype(np.float64), -grid, side="right")
    value = nan if cut == NOT_ANY else threshold_of(table.thresholds, cut)
    return value, np.asarray(values[at], np.float64)


def cross_fitted(scores: MultilabelScores, rule: Rule, seed: int) -> tuple[Any, Any]:
    """Return which tags are called by thresholds that other cases chose: of each tag its own, and one of all of them.

    Clusters stay whole. What a threshold of -infinity calls, any score does.
    """
    from scipy.sparse import vstack

    rng, units = stream(seed, "thresholds of tags"), _units(scores)
    fold = rng.permutation(np.arange(units) % FOLDS)
    fold = fold if scores.cluster is None else fold[scores.cluster]
    order = np.argsort(fold, kind="stable")
    parts: list[list[Any]] = [[], []]
    for test, others in _parts(fold):
        thresholds, common = chosen_thresholds(scores.taken(others), rule)
        part = scores.taken(test)
        parts[0].append(part.called(np.where(np.isnan(thresholds), common, thresholds).tolist()))
        parts[1].append(part.called(common))
    back = np.argsort(order)
    own_marks, common_marks = (vstack(each, "csr")[back] for each in parts)
    return own_marks, common_marks


def _parts(fold: Array) -> Iterator[tuple[Array, Array]]:
    for k in range(FOLDS):
        yield np.flatnonzero(fold == k), np.flatnonzero(fold != k)


def _units(scores: MultilabelScores) -> int:
    return scores.rows if scores.clusters is None else len(scores.clusters)


def _called(a: MultilabelAssessment, scores: MultilabelScores, called: Any) -> MultilabelAssessment:
    """Return the assessment of the cases of a table by other calls."""
    table = MultilabelTable.from_marks(scores.truth, called, scores.labels, **scores.drawn)
    return replace(a, task=Multilabel(scores.labels, table, cutoff_chosen=True))


def cost_of_case(a: MultilabelAssessment, rule: Rule) -> Estimate:
    """The mean cost of a case, of all its tags together: value ± t · se, from the cost of each outcome of cases."""
    table = a.task.tags
    assert table is not None
    outcomes = table.outcomes
    costs = _costs(rule, (outcomes.tp, outcomes.fp, outcomes.fn), len(table.labels))
    design = tag_design(table)
    value = float((table.weights * costs).sum() / design.total)
    return _by_spread(value, (costs - value) / design.total, design, a.level)


def _costs(rule: Rule, marks: Sequence[Array], tags: int) -> Array:
    """Return what cases with so many true positives, false positives and false negatives cost."""
    assert rule.cost is not None
    cost = rule.cost.of_two((0, 1)).array((0, 1), ())[..., 0]
    tp, fp, fn = marks
    return np.asarray(
        tp * cost[1, 1] + fp * cost[1, 0] + fn * cost[0, 1] + (tags - tp - fp - fn) * cost[0, 0], np.float64
    )


def _by_spread(value: float, influence: Array, design: Design, level: float) -> Estimate:
    spread = design.spread(influence, degrees="moments")
    if design.number < 2 or spread.is_none(max(1.0, abs(value))):
        return Estimate.bare(value, "the cases show no variation")
    half = spread.half(level)
    return Estimate(value, value - half, value + half, level, f"{design.how}, t")


def _gain(
    scores: MultilabelScores, called: Sequence[Any], rule: Rule, objective: Measure | None, level: float
) -> Estimate:
    """How much better the first calls are than the second by what the rule seeks, more being better; paired by case."""
    design = Design.of_rows(
        scores.rows, frequency=scores.frequency, weight=scores.weight, cluster=scores.cluster
    )
    values, influences = [], []
    for thresholds in called:
        marks = marks_of(scores.truth, thresholds)
        table = MultilabelTable.by_case(marks, scores.labels, scores.weight, scores.frequency)
        if objective is None:
            outcomes = table.outcomes
            costs = -_costs(rule, (outcomes.tp, outcomes.fp, outcomes.fn), len(scores.labels))
            value = float((table.weights * costs).sum() / design.total)
            influence = (costs - value) / design.total
        else:
            value = rule.sign * float(objective(table))
            if isnan(value):
                return Estimate.undefined(objective.why_undefined(table) or "0 / 0")
            influence = rule.sign * influence_on_tags(objective, table, marks, rule.sign * value)
        values.append(value)
        influences.append(influence)
    return _by_spread(values[0] - values[1], influences[0] - influences[1], design, level)
