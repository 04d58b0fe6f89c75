"""Drawn: a rule and the cases it chooses on, and what it chooses anew in every resample of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.decision.cuts import Cuts, Sums, mean_cost_at, mean_costs, upto
from classay.decision.least_cost import least_cost_cut
from classay.decision.resamples import Groups, resamples
from classay.decision.rules import NOT_ANY, Rule, best_cut, value_of
from classay.inference.bootstrap.scored_cases import ScoredCases
from classay.inference.draws import percentile
from classay.inference.estimate import Estimate
from classay.inference.proportions.binomial import normal_quantile
from classay.measures import get
from classay.tables.running import difference

Array = NDArray[Any]
MOST_FAILED = 0.5
"""Share of resamples without an admissible threshold beyond which nothing is said of its chance."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """A rule, the cases it chooses on, and the coefficients of its costs, `[predicted, true, 1 + amount]`."""

    rule: Rule
    cases: ScoredCases
    coefficients: Array | None
    prevalence: float | None = None
    amounts: Array | None = None

    def cuts(self, sums: Sums, prevalence: float | None = None) -> Cuts:
        """All cuts of sums, at the prevalence of the rule unless another is given."""
        return Cuts.of(sums.at_prevalence(prevalence or self.prevalence), self.coefficients)

    def cost_at(self, prevalence: float | None, sums: Sums) -> Array:
        """The coefficients of the costs, by which sums of the cases cost what those of another prevalence do."""
        assert self.coefficients is not None
        return np.asarray(self.coefficients * sums.factors(prevalence or self.prevalence)[:, None])

    def cut(self, sums: Sums, cuts: Cuts | None = None) -> int:
        """The best cut of sums without leading places."""
        if self.rule.is_cost_alone:
            return least_cost_cut(sums, self.cost_at(None, sums))
        return int(self.rule.choose(cuts or self.cuts(sums), self.per_case, self.cases.level))

    def judged(self, sums: Sums) -> tuple[Array, Array | None]:
        """How good every cut is, `[..., m + 1]`, and which meet the conditions, None without any."""
        if self.rule.is_cost_alone and self.prevalence is None:
            assert self.coefficients is not None
            return -mean_costs(sums, self.coefficients), None
        cuts = self.cuts(sums)
        return self.rule.values(cuts), self.rule.is_met(cuts, self.per_case, self.cases.level)

    @property
    def per_case(self) -> float:
        """The weight of a case."""
        return self.cases.weight_per_case


@dataclass(frozen=True, eq=False)
class Drawn:
    """What resamples choose: thresholds, pooled counts of the cases left out, and how cuts differ from the one chosen.

    `pooled` are mean counts and cost of the cases left out at the thresholds chosen without them; `apart` is how much
    worse each cut of `groups` is than that of the decision, and `spread` the standard deviation of that.
    """

    rule: Rule
    groups: Groups
    thresholds: Array
    pooled: tuple[float, ...]
    apart: Array
    spread: Array
    usable: Array

    @classmethod
    def of(cls, chosen: Chosen, groups: Groups, sums: Sums, threshold: float) -> Drawn:
        """From all resamples of the cases."""
        at = int(np.searchsorted(-groups.lowest, -threshold, side="right"))
        values, met = chosen.judged(sums)
        scores = np.concatenate([[inf], groups.lowest])
        found: list[Array] = []
        pooled = np.zeros(6)
        first, second, defined = np.zeros((3, values.size))
        for inside, outside in resamples(chosen.cases, groups, chosen.amounts):
            each, usable = chosen.judged(inside)
            picked = best_cut(each, usable)
            found.append(np.where(picked == NOT_ANY, np.nan, scores[picked]))
            pooled += _pooled(chosen, outside, picked)
            off = each[:, at : at + 1] - each
            here = np.isfinite(off)
            if not here.all():
                off = np.where(here, off, 0.0)
            first += off.sum(0)
            second += np.einsum("rc,rc->c", off, off)
            defined += here.sum(0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = first / defined
            spread = np.sqrt(np.maximum(second / defined - mean**2, 0.0))
            apart = values[at] - values
        thresholds = np.concatenate(found)
        usable = np.ones(values.size, bool) if met is None else met
        return cls(chosen.rule, groups, thresholds, tuple(pooled.tolist()), apart, spread, usable)

    @property
    def number(self) -> int:
        """Resamples."""
        return int(self.thresholds.size)

    @property
    def failed(self) -> float:
        """Share of the resamples in which no threshold meets the conditions."""
        return float(np.isnan(self.thresholds).mean())

    def value(self, name: str) -> float:
        """A measure of the cases left out."""
        tp, fp, fn, tn = (np.asarray(each) for each in self.pooled[:4])
        return float(value_of(get(name), (tp, fp, fn, tn)))

    @property
    def objective(self) -> float:
        """The objective of the cases left out."""
        if self.rule.cost is not None:
            return self.pooled[4] / self.pooled[5] if self.pooled[5] else float("nan")
        return self.value("precision" if self.rule.measure is None else self.rule.measure.name)

    def threshold(self, value: float, level: float) -> Estimate:
        """The threshold with the percentiles of those that resamples choose."""
        if self.failed > MOST_FAILED:
            return Estimate.bare(value, "most resamples have no threshold that meets the conditions")
        drawn = np.sort(self.thresholds[~np.isnan(self.thresholds)])
        finite = np.where(np.isinf(drawn), self.groups.lowest[0] if drawn.size else 0.0, drawn)
        if np.isinf(value):
            nobody = float(np.isinf(drawn).mean())
            return Estimate.bare(
                value, f"calling nobody is best, also in {100 * nobody:.0f} % of the resamples"
            )
        low, high = percentile(finite, level)
        if low == high == value:
            return Estimate.bare(value, "every resample chooses the same threshold")
        how = f"percentile of thresholds chosen anew, {self.number:,} resamples"
        return Estimate(value, min(low, value), max(high, value), level, how)

    def as_good(self, value: float, level: float) -> tuple[float, float] | None:
        """The thresholds whose objective differs from that of the decision by no more than chance explains."""
        near = (self.apart <= normal_quantile(level) * self.spread) | (self.apart <= 0)
        near &= self.usable & ~np.isnan(self.apart)
        at = np.flatnonzero(near)
        scores = np.concatenate([[inf], self.groups.lowest])[at]
        finite = scores[np.isfinite(scores)]
        if not finite.size:
            return None
        top = max(float(finite.max()), value) if not isinf(value) else float(finite.max())
        return float(min(finite.min(), value)), top


def _pooled(chosen: Chosen, outside: Sums, picked: Array) -> Array:
    """Counts, cost and number of the cases left out, at the cuts chosen without them, in all resamples."""
    outside = outside.at_prevalence(chosen.prevalence)
    good = picked != NOT_ANY
    cut = np.where(good, picked, 0)
    fp, tp = np.moveaxis(upto(outside, cut)[..., 0], -1, 0)
    negatives, positives = (each[..., 0, :].sum(-1) for each in (outside.negative, outside.positive))
    n = positives + negatives
    usable = good & np.isfinite(n) & (n > 0)
    cost = (
        np.zeros(n.size)
        if chosen.coefficients is None
        else mean_cost_at(outside, chosen.coefficients, cut) * n
    )
    parts = tp, fp, difference(positives, tp), difference(negatives, fp), cost, n
    return np.asarray(np.nan_to_num([np.where(usable, each, 0.0).sum() for each in parts]))
