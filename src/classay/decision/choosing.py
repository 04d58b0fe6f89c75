"""Choosing: the threshold of a rule, its honest value, changes that would move it, and counts at others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, isfinite, isinf, nan
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve, written
from classay.curves.display import OperatingPoints, for_display
from classay.decision.cuts import (
    CutCounts,
    Groups,
    SumTable,
    least_cost_cut,
    mean_cost_at,
    mean_costs,
    resamples,
    threshold_of,
    upto,
)
from classay.decision.decision import (
    BINOMIAL,
    LESS_OPTIMISM,
    OF_THE_RULE,
    OUT_OF_BAG,
    TRIVIAL,
    Change,
    Conditions,
    DecidedCases,
    Decision,
    Kept,
    OtherThresholds,
    ThresholdOutcome,
    honestly,
    shifted,
)
from classay.decision.expected_cost import PREDICTIONS, ExpectedCost
from classay.decision.passed_cases import not_rejected
from classay.decision.rules import MAIN, NOT_ANY, Rule, best_cut, demanded_at, implied, value_of
from classay.errors import InputError
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.draws import percentile
from classay.inference.estimate import Estimate, measure_phrase
from classay.inference.proportions import normal_quantile, scale_of
from classay.inference.requirements import Requirement
from classay.measures import get
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.sums import at_most, difference, rounded_difference
from classay.texts import as_sentence, quote
from classay.wings import ways_of


def objective_of(rule: Rule) -> str:
    """Return what a rule minimises or maximises, in words; for a capacity alone, the precision."""
    if rule.cost is not None:
        return "cost per case"
    return "precision" if rule.measure is None else measure_phrase(rule.measure.name)


def curves(rule: Rule, table: ScoreTable, cuts: CutCounts) -> Iterator[Curve]:
    """Yield the objective by threshold, where there is one."""
    values = _objectives(rule, cuts)
    if values is None:
        return
    name = objective_of(rule)
    x = table.thresholds[::-1].astype(np.float64)
    finite = np.isfinite(x)
    curve = Curve(
        "objective",
        f"{name[0].upper()}{name[1:]} by threshold",
        x[finite],
        values[:0:-1][finite],
        "threshold",
        name,
        kind="steps_back",
        threshold=x[finite],
    )
    yield for_display(curve)


def operating_points(rule: Rule, table: ScoreTable, cuts: CutCounts, threshold: float) -> OperatingPoints:
    """Return the counts at every threshold, few enough for a page, each with the objective there."""
    points = OperatingPoints.of(table, max(threshold, float(table.scores[-1])))
    values = _objectives(rule, cuts)
    if values is None:
        return points
    at = np.searchsorted(-table.thresholds.astype(np.float64), -points.threshold, side="right")
    return replace(points, objective=values[at])


def _objectives(rule: Rule, cuts: CutCounts) -> Array | None:
    """Return the objective of every cut as people read it, `(m + 1,)`: a cost is less the better."""
    if rule.cost is None and rule.measure is None:
        return None
    return np.asarray(rule.values(cuts) * (-1 if rule.cost is not None or rule.sign < 0 else 1))


def changes_of(chosen: Chosen, sums: SumTable, cut: int) -> Iterator[Change]:
    """Half and double the cost of a missed positive, the prevalence, or the capacity, where that changes anything."""
    rule, table = chosen.rule, chosen.cases.table
    share = chosen.prevalence or float(table.n_positive) / float(table.n_positive + table.n_negative)
    if rule.cost is not None and rule.cost.misses_cost:
        for times, factor in (("half", 0.5), ("twice", 2.0)):
            try:
                cost = rule.cost.scaled(fn=factor)
            except InputError:  # no costs are as great as that
                continue
            names = () if table.amounts is None else table.amounts.names
            other = replace(
                chosen, rule=replace(rule, cost=cost), coefficients=cost.array(table.labels, names)
            )
            yield from _change(f"a false negative costs {times} as much", other, sums, cut, None)
    for word, factor in (("half", 0.5), ("double", 2.0)):
        if 0 < share * factor < 1:
            yield from _change(f"{word} the prevalence", chosen, sums, cut, share * factor)
    if rule.top is not None:
        for word, factor in (("half", 0.5), ("double", 2.0)):
            other = replace(chosen, rule=replace(rule, top=rule.top * factor))
            yield from _change(f"{word} the capacity", other, sums, cut, None)


def _change(
    what: str, chosen: Chosen, sums: SumTable, cut: int, prevalence: float | None
) -> Iterator[Change]:
    rule = chosen.rule
    if rule.is_cost_alone:
        cost = chosen.cost_at(prevalence, sums)
        best = least_cost_cut(sums, cost)
        here, there = (float(mean_cost_at(sums, cost, np.array(each))) for each in (cut, best))
    else:
        cuts = chosen.cuts(sums, prevalence)
        best = chosen.cut(sums, cuts)
        if best == NOT_ANY or (prevalence is not None and _ranks_cuts_alike(chosen, cuts, chosen.cuts(sums))):
            return
        if rule.cost is None and rule.measure is None:
            values = value_of(get("precision"), cuts.counts)
        else:
            values = rule.values(cuts) * (-1 if rule.cost is not None or rule.sign < 0 else 1)
        here, there = float(values[cut]), float(values[best])
        if not rule.is_met(cuts, chosen.per_case, chosen.cases.level)[cut]:
            here = nan  # the threshold decided for may not be taken then
    yield Change(what, threshold_of(chosen.cases.table.thresholds, best), here, there)


def _ranks_cuts_alike(chosen: Chosen, cuts: CutCounts, others: CutCounts) -> bool:
    """Check whether a rule ranks the cuts in the same way at every prevalence, as a rule about rates does."""
    rule, how = chosen.rule, (chosen.per_case, chosen.cases.level)
    alike = np.allclose(rule.values(cuts), rule.values(others), rtol=1e-9, atol=0.0, equal_nan=True)
    return bool(alike and (rule.is_met(cuts, *how) == rule.is_met(others, *how)).all())


Array = NDArray[Any]
MOST_FAILED = 0.5
"""Share of resamples without an admissible threshold beyond which nothing is said of its chance."""


class Reader(Protocol):
    """What reads estimates at a threshold: an assessment."""

    def matrix(self, threshold: float) -> ConfusionMatrix:
        """Return the confusion matrix there."""

    def estimate(self, name: str, threshold: float) -> Estimate:
        """Return a measure of labels there."""

    def cost(self, rule: Rule, threshold: float) -> ExpectedCost:
        """Return what it costs."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """A rule, the cases it chooses on, and the coefficients of its costs, `[predicted, true, 1 + amount]`."""

    rule: Rule
    cases: ScoredCases
    coefficients: Array | None
    prevalence: float | None = None
    amounts: Array | None = None

    def cuts(self, sums: SumTable, prevalence: float | None = None) -> CutCounts:
        """Return all cuts of sums, at the prevalence of the rule unless another is given."""
        return CutCounts.of(sums.at_prevalence(prevalence or self.prevalence), self.coefficients)

    def cost_at(self, prevalence: float | None, sums: SumTable) -> Array:
        """Return the coefficients with which sums of these cases cost what cases of another prevalence would."""
        assert self.coefficients is not None
        return np.asarray(self.coefficients * sums.factors(prevalence or self.prevalence)[:, None])

    def cut(self, sums: SumTable, cuts: CutCounts | None = None) -> int:
        """Return the best cut of sums without leading places."""
        if self.rule.is_cost_alone:
            return least_cost_cut(sums, self.cost_at(None, sums))
        return int(self.rule.choose(cuts or self.cuts(sums), self.per_case, self.cases.level))

    def judged(self, sums: SumTable) -> tuple[Array, Array | None]:
        """Return how good every cut is, `[..., m + 1]`, and which meet the conditions, None without any."""
        if self.rule.is_cost_alone and self.prevalence is None:
            assert self.coefficients is not None
            return -mean_costs(sums, self.coefficients), None
        cuts = self.cuts(sums)
        return self.rule.values(cuts), self.rule.is_met(cuts, self.per_case, self.cases.level)

    @property
    def per_case(self) -> float:
        """The weight of a case."""
        return self.cases.weight_per_case


def decide(chosen: Chosen, reader: Reader, held_back: Reader | None = None) -> Decision:
    """Return the decision of a rule over every distinct score; `held_back` reads other cases, for the honest values.

    Raises InputError where no threshold meets the conditions, naming what comes closest.
    """
    cases, rule = chosen.cases, chosen.rule
    table = cases.table
    sums = SumTable.of(table)
    cuts = chosen.cuts(sums)
    cut = chosen.cut(sums, cuts)
    if cut == NOT_ANY:
        raise InputError(_why_none(rule, cuts, chosen))
    value = threshold_of(table.thresholds, cut)
    groups = Groups.of(table, cut)
    drawn = _Drawn.of(chosen, groups, groups.grouped(sums), value)
    total = float(table.n_positive + table.n_negative)
    cost = None if rule.cost is None else reader.cost(rule, value)
    apparent = _read(rule, reader, value, cost)
    if held_back is not None:
        there = None if rule.cost is None else held_back.cost(rule, value)
        honest, how = _read(rule, held_back, value, there), "measured on held-out cases"
    elif isinf(value):  # calling nobody, or everybody, is no choice among scores: nothing flatters it
        held_back, there, honest, how = reader, cost, apparent, OF_THE_RULE
    else:
        honest = _honest(apparent, drawn, _bounds(rule, cost))
        there = None if cost is None else honestly(cost, honest, cases=total / chosen.per_case)
        how = f"{LESS_OPTIMISM} ({drawn.number:,} resamples)"
    met = rule.is_met(cuts, chosen.per_case, cases.level)
    tested = not_rejected(chosen, groups, sums, cut, cases.level)
    as_good = drawn.as_good(value, cases.level, tested) if rule.cost or rule.measure else None
    changes = tuple(changes_of(chosen, sums, cut))
    named = [value, float(table.scores[-1]), *(as_good or ()), *(change.threshold for change in changes)]
    on_new = {name: _expected(name, reader, held_back, value, drawn, honest) for name in MAIN}
    return Decision(
        rule,
        DecidedCases(
            labels=table.labels,
            positive=table.labels[1],
            cases=total / chosen.per_case,
            observed=float(table.n_positive) / total,
            prevalence=chosen.prevalence,
        ),
        threshold=drawn.threshold(value, cases.level, tested),
        matrix=reader.matrix(value),
        objective=objective_of(rule),
        here=ThresholdOutcome(apparent, {name: reader.estimate(name, value) for name in MAIN}, cost),
        expected=ThresholdOutcome(honest, on_new, there),
        how_expected=how,
        as_good=as_good,
        conditions=Conditions(
            tuple(_kept(condition, reader, held_back, value, drawn, honest) for condition in rule.conditions),
            tuple(whom for whom, is_met in zip(TRIVIAL, met[[0, -1]], strict=True) if is_met),
        ),
        changes=changes,
        others=OtherThresholds(
            tuple(curves(rule, table, cuts)),
            operating_points(rule, table, cuts, value),
            {threshold: written(table.thresholds, threshold) for threshold in named},
        ),
        level=cases.level,
        seed=cases.seed,
        notes=tuple(_notes(chosen, cuts, cut)),
    )


def _bounds(rule: Rule, cost: ExpectedCost | None) -> tuple[float, float]:
    if cost is not None:
        return cost.bounds[0]
    return (0.0, 1.0) if rule.measure is None else rule.measure.bounds


def _read(rule: Rule, reader: Reader, threshold: float, cost: ExpectedCost | None) -> Estimate:
    if cost is not None:
        return cost.per_case
    return reader.estimate("precision" if rule.measure is None else rule.measure.name, threshold)


def _honest(apparent: Estimate, drawn: _Drawn, bounds: tuple[float, float]) -> Estimate:
    if drawn.failed > MOST_FAILED:
        return Estimate.undefined("most resamples have no threshold that meets the conditions")
    return _less_optimism(apparent, drawn.judged_by, drawn, bounds)


def _less_optimism(here: Estimate, name: str | None, drawn: _Drawn, bounds: tuple[float, float]) -> Estimate:
    """A measure, or without a name the cost, less its optimism; that of the cases left out where this is no number."""
    there = drawn.without_optimism(name, here.value, bounds)
    if isfinite(there):
        return shifted(here, there, bounds, LESS_OPTIMISM)
    return shifted(here, _measured(name, drawn.pooled), bounds, OUT_OF_BAG)


def _expected(
    name: str, reader: Reader, held_back: Reader | None, threshold: float, drawn: _Drawn, honest: Estimate
) -> Estimate:
    """A measure of labels on new cases: of cases held back, or on these minus the optimism of having chosen on them.

    What is a function of the objective, as F1 of the Jaccard index, is that function of its `honest` value.
    """
    if held_back is not None:
        return held_back.estimate(name, threshold)
    if drawn.failed > MOST_FAILED:
        return Estimate.undefined("most resamples have no threshold that meets the conditions")
    if name == drawn.judged_by:
        return honest
    here, bounds = reader.estimate(name, threshold), get(name).bounds
    if drawn.judged_by is not None:
        tp, fp, fn, tn = drawn.pooled[:4]
        follows = implied(get(name), get(drawn.judged_by), honest.value, tp + fn, fp + tn)
        if isfinite(follows):
            return shifted(here, follows, bounds, LESS_OPTIMISM)
    return _less_optimism(here, name, drawn, bounds)


def _kept(
    condition: Requirement,
    reader: Reader,
    held_back: Reader | None,
    threshold: float,
    drawn: _Drawn,
    honest: Estimate,
) -> Kept:
    expected = _expected(condition.name, reader, held_back, threshold, drawn, honest)
    holds = probability(condition, expected, get(condition.name).bounds)
    return Kept(condition, reader.estimate(condition.name, threshold), expected, holds)


def probability(condition: Requirement, estimate: Estimate, bounds: tuple[float, float]) -> float:
    """Return how surely new cases meet a condition, from an estimate with its interval: normal on the measure's scale.

    A condition on the value is a condition on the true value. A condition on an end of the interval is one on the
    interval of as many new cases; it differs from this one as two samples do, by √2 standard errors.

    >>> condition = Requirement("precision", "value", ">=", 0.9)
    >>> round(probability(condition, Estimate(0.9, 0.8, 0.95, 0.95, "Wilson"), (0, 1)), 2)
    0.5
    """
    from scipy.special import ndtr

    if estimate.low == estimate.high == estimate.value:  # certain
        return float(condition.met_by(estimate.value))
    if not estimate.has_interval or estimate.level is None:
        return float("nan")
    scale = scale_of(bounds)
    inside = [
        bounds[0] + 1e-9 if isinf(bounded) is False and bounded <= bounds[0] else bounded
        for bounded in (estimate.value, estimate.low, estimate.high, condition.bound)
    ]
    inside = [min(bounded, bounds[1] - 1e-9) if not isinf(bounds[1]) else bounded for bounded in inside]
    value, low, high, bound = (float(scale.to(bounded)) for bounded in inside)
    z = normal_quantile(estimate.level)
    above = condition.operator in (">=", ">")
    limit = {"value": value, "low": low, "high": high}[condition.part]
    # the side towards the bound says how far the value may be from it
    side = value - low if (bound < limit) else high - value
    if side <= 0:
        return float("nan")
    error = side / z * (1.0 if condition.part == "value" else 2**0.5)
    share = float(ndtr((limit - bound) / error))
    return share if above else 1 - share


def _last_held(sums: SumTable) -> Array:
    """Return the last group of scores, the lowest, that each resample has a case of."""
    is_present = sums.positive[:, 0] + sums.negative[:, 0] > 0
    return np.asarray(is_present.shape[-1] - 1 - is_present[:, ::-1].argmax(1))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What resamples choose: thresholds, pooled counts of the cases left out, and how cuts differ from the one chosen.

    `pooled` are mean counts and cost of the cases left out at the thresholds chosen without them, `own` and `whole`
    those of the cases that were drawn, and of all cases, at the same thresholds; `apart` is how much worse each cut
    of `groups` is than that of the decision, and `spread` the standard deviation of that. `optimism` is how much
    better than it the best cut of a resample seems on its own cases.
    """

    rule: Rule
    groups: Groups
    thresholds: Array
    pooled: tuple[float, ...]
    own: tuple[float, ...]
    whole: tuple[float, ...]
    apart: Array
    spread: Array
    usable: Array
    optimism: float

    @classmethod
    def of(cls, chosen: Chosen, groups: Groups, sums: SumTable, threshold: float) -> _Drawn:
        """From all resamples of the cases."""
        at = int(np.searchsorted(-groups.lowest, -threshold, side="right"))
        values, met = chosen.judged(sums)
        scores = np.concatenate([[inf], groups.lowest[:-1], [-inf]])
        reached_thresholds: list[Array] = []
        better: list[Array] = []
        pooled, apparent, actual = np.zeros((3, 6))
        first, second, defined = np.zeros((3, values.size))
        for inside, outside in resamples(chosen.cases, groups, chosen.amounts):
            objectives, usable = chosen.judged(inside)
            picked = best_cut(objectives, usable)
            reached = np.where(picked == NOT_ANY, np.nan, scores[picked])
            if (
                threshold == -inf
            ):  # a resample may lack the lowest scores: what calls all it has calls everybody
                reached[picked >= _last_held(inside) + 1] = -inf
            reached_thresholds.append(reached)
            pooled += _pooled(chosen, outside, picked)
            apparent += _pooled(chosen, inside, picked)
            actual += _pooled(chosen, sums, picked)
            with np.errstate(invalid="ignore"):  # between infinite values there is no distance
                off = objectives[:, at : at + 1] - objectives
            better.append(-np.take_along_axis(off, np.maximum(picked, 0)[:, None], 1)[picked != NOT_ANY, 0])
            here = np.isfinite(off)
            if not here.all():
                off = np.where(here, off, 0.0)
            first += off.sum(0)
            second += np.einsum("rc,rc->c", off, off)
            defined += here.sum(0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = first / defined
            spread = np.sqrt(np.maximum(second / defined - mean**2, 0.0))
            gaps = rounded_difference(values[at], values)
        thresholds = np.concatenate(reached_thresholds)
        usable = np.ones(values.size, bool) if met is None else met
        gains = np.concatenate(better)
        gains = gains[np.isfinite(gains)]
        optimism = float(np.maximum(gains, 0.0).mean()) if gains.size else 0.0
        left_out, drawn, all_of_them = (tuple(totals.tolist()) for totals in (pooled, apparent, actual))
        return cls(
            chosen.rule, groups, thresholds, left_out, drawn, all_of_them, gaps, spread, usable, optimism
        )

    @property
    def number(self) -> int:
        """Resamples."""
        return int(self.thresholds.size)

    @property
    def failed(self) -> float:
        """Share of the resamples in which no threshold meets the conditions."""
        return float(np.isnan(self.thresholds).mean())

    def without_optimism(self, name: str | None, here: float, bounds: tuple[float, float]) -> float:
        """A measure less by how much that of the cases drawn exceeds that of all cases (Efron 1983, JASA 78:316).

        Without a name the cost of a case, more by as much. The resamples are judged at their own thresholds, which
        share this optimism and not this threshold. Cases left out lie beyond: chosen without them, a threshold suits
        them worse than new cases suit that of all, and theirs is the value of a mixture of thresholds where scores are
        few. Of a ratio that has no greatest value the optimism is a factor. NaN or infinite where one of the three
        values is.
        """
        apparent, actual = (_measured(name, pooled) for pooled in (self.own, self.whole))
        low, high = bounds
        if name is not None and (low, high) == (0, inf):
            return here * actual / apparent if apparent else nan
        corrected = here - (apparent - actual)
        return min(max(corrected, low), high) if isfinite(corrected) else nan

    @property
    def judged_by(self) -> str | None:
        """The measure that is the objective; None where a cost is."""
        if self.rule.cost is not None:
            return None
        return "precision" if self.rule.measure is None else self.rule.measure.name

    def threshold(self, value: float, level: float, tested: tuple[float, float] | None) -> Estimate:
        """The threshold with the percentiles of those that resamples choose, and the range that a test leaves."""
        if self.failed > MOST_FAILED:
            return Estimate.bare(value, "most resamples have no threshold that meets the conditions")
        drawn = np.sort(self.thresholds[~np.isnan(self.thresholds)])
        if isinf(value):
            whom, alike = "nobody" if value > 0 else "everybody", float((drawn == value).mean())
            return Estimate.bare(
                value, f"{PREDICTIONS[whom]} is best, also in {100 * alike:.0f}% of the resamples"
            )
        low, high = percentile(np.clip(drawn, self.groups.lowest[-1], self.groups.lowest[0]), level)
        how = "bootstrap percentile"
        if tested is not None:
            low, high = min(low, tested[0]), max(high, tested[1])
            how += f" and {BINOMIAL}"
        if low == high == value:
            return Estimate.bare(value, "every resample chooses the same threshold")
        how += f", {self.number:,} resamples"
        return Estimate(value, min(low, value), max(high, value), level, how)

    def as_good(
        self, value: float, level: float, tested: tuple[float, float] | None
    ) -> tuple[float, float] | None:
        """Return the ends of the range about the decision whose objective does not differ significantly from its own.

        Beyond thresholds that are worse there may be others as good: they are another range, and what lies between may
        not be used. The decision was chosen among all cuts, so that those near it seem worse by chance: only what is
        worse by more than this optimism, at the level of all cuts together (Bonferroni), ends the range. What a test
        does not reject as best is as good, although no resample may show it.
        """
        known = self.usable & ~np.isnan(self.apart)
        near, within = (
            known & ((shortfall <= normal_quantile(confidence) * self.spread) | (shortfall <= 0))
            for confidence, shortfall in (
                (level, self.apart),
                (1 - (1 - level) / self.apart.size, self.apart - self.optimism),
            )
        )
        at = int(np.searchsorted(-self.groups.lowest, -value, side="right"))
        worse = np.flatnonzero(~within)
        near[: worse[worse < at].max(initial=-1) + 1] = False
        near[worse[worse > at].min(initial=near.size) :] = False
        scores = np.concatenate([[inf], self.groups.lowest])[near]
        finite = scores[np.isfinite(scores)]
        if not finite.size:
            return None
        ends = [float(finite.min()), float(finite.max()), *([] if isinf(value) else [value]), *(tested or ())]
        return min(ends), max(ends)


def _measured(name: str | None, pooled: tuple[float, ...]) -> float:
    """Return a measure of pooled counts, or without a name their cost of a case."""
    if name is None:
        return pooled[4] / pooled[5] if pooled[5] else nan
    tp, fp, fn, tn = (np.asarray(amount) for amount in pooled[:4])
    return float(value_of(get(name), (tp, fp, fn, tn)))


def _pooled(chosen: Chosen, outside: SumTable, picked: Array) -> Array:
    """Counts, cost and number of some cases, left out, drawn or all, at the cuts chosen, in all resamples."""
    outside = outside.at_prevalence(chosen.prevalence)
    good = picked != NOT_ANY
    cut = np.where(good, picked, 0)
    fp, tp = np.moveaxis(upto(outside, cut)[..., 0], -1, 0)
    negatives, positives = (weights[..., 0, :].sum(-1) for weights in (outside.negative, outside.positive))
    n = positives + negatives
    usable = good & np.isfinite(n) & (n > 0)
    cost = (
        np.zeros(n.size)
        if chosen.coefficients is None
        else mean_cost_at(outside, chosen.coefficients, cut) * n
    )
    parts = tp, fp, difference(positives, tp), difference(negatives, fp), cost, n
    return np.asarray(np.nan_to_num([np.where(usable, terms, 0.0).sum() for terms in parts]))


A_GAIN = "{} is as low as {:,.6g} in cases of class {}. A negative amount turns a cost into a gain."


def _notes(chosen: Chosen, cuts: CutCounts, cut: int) -> Iterator[str]:
    rule, table, total = chosen.rule, chosen.cases.table, float(cuts.called[-1])
    if rule.cost is not None and rule.cost.unnamed:
        yield as_sentence(rule.cost.unnamed)
    if chosen.coefficients is not None and table.amounts is not None:
        least = np.asarray(table.amounts.least_of_class, np.float64)  # NaN of older files
        for at, k in np.argwhere((chosen.coefficients[:, :, 1:] != 0).any(0).T & (least < 0)).tolist():
            yield A_GAIN.format(quote(table.amounts.names[at]), least[at, k], quote(table.labels[k]))
    if rule.top is not None and not rule.cost and not rule.measure:
        wanted, got = rule.top * chosen.per_case, float(cuts.called[cut])
        if wanted > total:
            yield (
                f"The capacity of {rule.capacity} exceeds the {total / chosen.per_case:,.6g} cases, so all are "
                "predicted positive."
            )
        elif not at_most(wanted, got):
            tied = float(cuts.called[cut + 1] - cuts.called[cut]) / chosen.per_case
            yield (
                f"The next {tied:,.6g} cases share one score, so {got / chosen.per_case:,.6g} are predicted "
                f"positive instead of {rule.top:,.6g}."
            )
    if table.is_weighted and rule.top is not None:
        yield "With sampling weights, the number of cases is converted to their share of the weight."
    if not rule.is_capacity_alone and cut in (0, table.scores.size):
        yield _why_trivial(rule, "nobody" if cut == 0 else "everybody")
    for worth in ways_of("worth"):
        yield from worth(rule.conditions)


def _why_trivial(rule: Rule, whom: str) -> str:
    """Return why calling nobody, or everybody, is best."""
    is_limited = bool(rule.conditions) or rule.top is not None
    if rule.cost is not None:
        why = "the costs do not justify acting at any score"
        why = why if whom == "nobody" else "no score is low enough to predict a case negative"
        why = "no allowed threshold costs less" if is_limited else why
    else:
        word = "greater" if rule.sign > 0 else "lower"
        why = f"no {'allowed ' if is_limited else ''}threshold has a {word} {objective_of(rule)}"
    return f"{PREDICTIONS[whom].capitalize()} is best, because {why}."


def _why_none(rule: Rule, cuts: CutCounts, chosen: Chosen) -> str:
    """Return what comes closest to each condition."""
    reached, are_few = [], False
    allowed = slice(None) if rule.top is None else at_most(cuts.called, rule.top * chosen.per_case)
    for condition in rule.conditions:
        is_upward = condition.operator in (">=", ">")
        name = condition.name if condition.part == "value" else f"{condition.name}.{condition.part}"
        values = [demanded_at(condition, cuts, chosen.cases.level)[allowed]]
        if condition.part != "value":
            values.append(demanded_at(replace(condition, part="value"), cuts, chosen.cases.level)[allowed])
        best = [
            float(known.max() if is_upward else known.min())
            for known in (one[~np.isnan(one)] for one in values)
            if known.size
        ]
        if best:
            reached.append(f"{name} reaches {best[0]:.4g}")
        # the value does what its interval does not: more cases narrow it
        are_few = are_few or (len(best) > 1 and condition.met_by(best[1]))
    together = " (separately)" if len(rule.conditions) > 1 else ""
    if rule.top is not None and not rule.conditions:
        return f"No threshold predicts at most {rule.top:,.6g} cases positive. Use a larger capacity."
    demands = " and ".join(map(str, rule.conditions))
    capacity = "" if rule.top is None else f" that predicts at most {rule.top:,.6g} cases positive"
    less = "Relax the condition" if rule.top is None else "Relax the condition or increase the capacity"
    less = f"{less}, or collect more cases, because these are too few for the CI" if are_few else less
    return f"No threshold{capacity} meets {demands}: {', '.join(reached) or 'nothing is defined'}{together}. {less}."
