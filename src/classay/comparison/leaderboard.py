"""Leaderboards: several models in one measure, each beside the best of the others, and which of them may be the best.

A model may be the best unless another one is surely better. Each model is compared with all others as a control is, so
that nothing is adjusted over models: whichever of them is the best, its own comparison holds with the level (Hsu 1984,
Annals of Statistics 12:1136; Edwards & Hsu 1983, JASA 78:965). Ranks are those that no pair of models excludes, with
one quantile for all pairs (Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91:476).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isinf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.claims import cases_needed
from classay.inference.design import SamplingUnits
from classay.inference.draws import stream
from classay.inference.estimate import Estimate, format_distinct, format_estimate, level_text, small, title
from classay.kinds import FiniteOrNone
from classay.shown import frame_of
from classay.tables.sums import is_rounding, rounded_difference
from classay.texts import listed, some

Array = NDArray[Any]
MOST_DRAWS, FEWEST_DRAWS = 100_000, 10_000
"""Draws from the joint distribution of the values of few and of many models: quantiles move by 0.01 and 0.02."""
DRAWN = 2_000_000
"""Normal numbers that are drawn for all models together, as far as the numbers of draws above allow."""
PAIRS_DRAWN, LEAST_DRAWS = 4_000_000_000, 2_000
"""Differences of pairs in all draws together, and the draws that very many models have: quantiles move by 0.04."""


@dataclass(frozen=True, eq=False)
class JointValues:
    """The values of several models on the same cases, `(models,)`, with their covariance, `(models, models)`.

    `better` is 1 where more is better and -1 where less is. `degrees` are those of the covariance, infinite where it is
    taken as known; `degrees_apart` gives those of the difference of two of the values by their places, where they
    are others. `absent` says of models without a value why.
    """

    measure: str
    names: tuple[str, ...]
    values: Array
    covariance: Array
    better: int
    units: SamplingUnits
    degrees: float = inf
    method: str = ""
    absent: tuple[tuple[str, str], ...] = ()
    degrees_apart: Callable[[int, int], float] | None = None


@dataclass(frozen=True)
class Standing:
    """One model of a leaderboard.

    `lead` is its value minus that of the best other model, with an interval that holds for all models at once; `ranks`
    are the first and the last place that it may have.
    """

    model: str
    value: Estimate
    lead: Estimate
    may_be_best: bool
    ranks: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Leaderboard(FiniteOrNone):
    """Several models in one measure, the best first, and which of them may be the best.

    With probability `level` the best of the models is among those that may be the best. `expected` is what to expect of
    the leader on fresh cases: it was chosen because its value is high on these. `needed` is the number of units that
    separate it from the next one with a power of 80%, if the difference is as large as it looks. `better` is 1 where
    more is better and -1 where less is. Where values of the
    measure have no joint spread, or neither end is better, `reason` says so, and nothing but the values is known.

    >>> import classay as ca
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(400) < 0.5
    >>> labels = {name: np.where(rng.random(400) < right, y, ~y) for name, right in zip("abcd", (0.9, 0.9, 0.8, 0.6))}
    >>> board = ca.compare(y_true=y, y_pred=labels, measures=["accuracy"]).leaderboard()
    >>> board.leader, board.may_be_best, [each.ranks for each in board.standings]
    ('b', ('b', 'a'), [(1, 2), (1, 2), (3, 3), (4, 4)])
    """

    measure: str
    standings: tuple[Standing, ...]
    level: float
    better: int = 0
    units: str = "cases"
    n: float = nan
    expected: Estimate | None = None
    needed: float | None = None
    method: str = ""
    reason: str | None = None
    absent: tuple[tuple[str, str], ...] = ()

    @property
    def leader(self) -> str | None:
        """The model with the best value; None where no value is better than another."""
        return None if self.reason is not None or not self.standings else self.standings[0].model

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each model by its value, 1 the best; values that are equal but for rounding share one."""
        places: list[int] = []
        first = 0
        for k, standing in enumerate(self.standings):
            value, before = standing.value.value, self.standings[first].value.value
            if not (k and rounded_difference(value, before) == 0):
                first = k
            places.append(first + 1)
        return tuple(places)

    @property
    def leaders(self) -> tuple[str, ...]:
        """The models that have the best value, all of one place; none where no value is better than another."""
        if self.leader is None:
            return ()
        return tuple(
            standing.model for standing, place in zip(self.standings, self.places, strict=True) if place == 1
        )

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The models that may be the best, in the order of their values."""
        return tuple(standing.model for standing in self.standings if standing.may_be_best)

    @property
    def sentence(self) -> str:
        """Who leads, by how much, which models may be the best, and what to expect of the leader, in plain words."""
        measure = title(self.measure)
        if self.reason is not None:
            return f"No leaderboard is available for {measure}: {self.reason}."
        first = self.standings[0]
        if first.lead.is_undefined:
            return f"Every one of the {len(self.standings)} models may be the best in {measure}: {first.lead.reason}."
        sign = -1 if first.lead.value < 0 else 1
        ends = sorted((sign * first.lead.low, sign * first.lead.high))
        lead, low, high = format_distinct(sign * first.lead.value, *ends, write=small)
        best, count, leaders = self.may_be_best, len(self.standings), self.leaders
        level = level_text(first.lead.level, first.lead.method)
        interval = f" ({level} {low} to {high})" if first.lead.has_interval else ""
        if len(best) == 1:
            text = (
                f"{first.model} is the best of {count} models in {measure}. Its lead over the best other model "
                f"is {lead}{interval}."
            )
        elif len(leaders) > 1:
            text = (
                f"{_of(best, count)} may be the best in {measure}. {some(leaders, NAMED)} have the same observed "
                "value."
            )
        else:
            text = (
                f"{_of(best, count)} may be the best in {measure}. {first.model} has the best observed value, with a "
                f"lead of {lead}{interval} over the best other model."
            )
        return text + self._expectation

    @property
    def _expectation(self) -> str:
        """The value of the leader expected on new cases, as the end of the sentence."""
        expected = self.expected
        if expected is None or not expected.has_interval:
            return ""
        return (
            f" After correction for selecting the best, the expected {title(self.measure)} of "
            f"{self.standings[0].model} on new cases is {format_estimate(expected)}."
        )

    @property
    def settling(self) -> str:
        """How many more units would separate the leader from the next model; empty where they are separated."""
        if self.needed is None or not self.needed > self.n or len(self.may_be_best) < 2:
            return ""
        more = self.needed - self.n
        size = 10 ** max(0, len(str(int(more))) - 2)
        first, second = self.standings[:2]
        return (
            f"If the true difference between {first.model} and {second.model} equals the observed one, about "
            f"{int(-(-more // size) * size):,} more {self.units} are needed to detect it with 80% power."
        )

    def frame(self) -> Any:
        """Return one row a model, the best first, as a PyArrow table: .to_pandas(), polars.from_arrow(…).

        Columns: measure, model, value, low, high, lead, lead_low, lead_high, may_be_best, first_rank, last_rank, level,
        method, reason.
        """
        return frame_of(
            [row_of(self, standing) for standing in self.standings],
            kinds={"first_rank": "whole", "last_rank": "whole"},
        )


def row_of(board: Leaderboard, one: Standing) -> dict[str, Any]:
    """Return one model of a leaderboard as plain values."""
    return {
        "measure": board.measure,
        "model": one.model,
        "value": one.value.value,
        "low": one.value.low,
        "high": one.value.high,
        "lead": one.lead.value,
        "lead_low": one.lead.low,
        "lead_high": one.lead.high,
        "may_be_best": one.may_be_best,
        "first_rank": one.ranks[0],
        "last_rank": one.ranks[1],
        "level": board.level,
        "method": one.value.method,
        "reason": one.value.reason,
    }


NAMED = 4
"""Models that may be the best up to which a sentence names them."""


def _of(best: Sequence[str], count: int) -> str:
    """Return how many of the models may be the best, with their names where they are few."""
    if len(best) == count:
        return f"Every one of the {count} models"
    names = f", {listed(best)}," if len(best) <= NAMED else ""
    return f"{len(best)} of {count} models{names}"


Owned = Callable[[str, float], Estimate]
"""The estimate of one model alone, by its name and the level of its interval."""


def leaderboard_of(joint: JointValues, alone: Owned, *, level: float = 0.95, seed: int = 0) -> Leaderboard:
    """The leaderboard of values whose joint distribution is taken as normal, or as Student's t with their degrees.

    With d_i the level's quantile of the greatest (Z_j - Z_i) / se_ij over the other models j, Z normal with the
    covariance of the values and se_ij the standard error of a difference, model i may be the best where its value is
    above θ_j - d_i se_ij for all j. Its lead lies between 0, or the least θ_i - θ_j - d_j se_ij over the others j that
    may be the best, and 0, or the least θ_i - θ_j + d_i se_ij. Two models without any difference in any case count as
    one. What to expect of the leader is what the model that is chosen in draws from the same
    distribution has on the cases that were not drawn: its value minus its deviation in the draw, as in the bootstrap of
    the choice (Tsamardinos, Greasidou & Borboudakis 2018, Machine Learning 107:1895). The end of its interval on
    the worse side is at the quantile of the greatest deviation of all models,
    the other end that of the model alone.
    """
    # The best first: neither the order nor the names of the models move a draw.
    turned, own_spread = joint.better * joint.values, joint.covariance.diagonal()
    with np.errstate(invalid="ignore"):  # values and variances that differ by rounding are equal
        alike, close = (np.round(of / np.abs(of).max(), 9) for of in (own_spread, turned))
    order = np.lexsort((-alike, -close))
    names = [joint.names[k] for k in order]
    values, covariance = np.minimum.accumulate(turned[order]), joint.covariance[np.ix_(order, order)]
    k = len(names)
    if not np.isfinite(covariance).all():
        return _without_spread(joint, alone, names, level)
    errors = standard_errors(covariance, values)
    z = _draws(covariance, errors, joint.degrees, seed)
    d, widest = _quantiles(z, errors, level)
    apart_by = values[:, None] - values[None, :]
    others = (errors > 0) | (apart_by != 0)
    upper = np.where(others, apart_by + d[:, None] * errors, inf).min(1)
    best = upper > 0
    lower = np.where(others & best[None, :], apart_by - d[None, :] * errors, inf).min(1)
    low, high = np.where(np.isinf(lower), 0.0, np.minimum(0.0, lower)), np.maximum(0.0, upper)
    lead = np.where(np.eye(k, dtype=bool), inf, apart_by).min(1)
    above = others & (-apart_by > widest * errors)
    ranks = zip((1 + above.sum(1)).tolist(), (k - above.sum(0)).tolist(), strict=True)
    method = f"multiple comparisons with the best{joint.method and ', '}{joint.method}"
    standings = [
        Standing(
            name,
            alone(name, level),
            _estimate(joint.better, float(lead[i]), float(low[i]), float(high[i]), level, method),
            bool(best[i]),
            places,
        )
        for i, (name, places) in enumerate(zip(names, ranks, strict=True))
    ]
    return Leaderboard(
        joint.measure,
        tuple(standings),
        level,
        joint.better,
        joint.units.name,
        joint.units.number,
        _expected(joint, alone, names[0], values, covariance, z, level),
        _needed(joint, float(values[0] - values[1]), float(errors[0, 1]), float(d[0])),
        method,
        absent=joint.absent,
    )


def without_order(
    measure: str, values: Sequence[tuple[str, Estimate]], level: float, reason: str
) -> Leaderboard:
    """Return the values of the models in their order, where no model can be said to lead."""
    bare = Estimate.undefined(reason)
    ranks = 1, len(values)
    rows = tuple(Standing(name, value, bare, may_be_best=False, ranks=ranks) for name, value in values)
    return Leaderboard(measure, rows, level, reason=reason)


def _estimate(better: int, value: float, low: float, high: float, level: float, method: str) -> Estimate:
    """Return a difference in the units of the measure, of which less may be better."""
    if not (isfinite(low) and isfinite(high)):
        return Estimate.bare(better * value, "no case distinguishes the models")
    ends = sorted((better * low, better * high))
    return Estimate(better * value + 0.0, ends[0] + 0.0, ends[1] + 0.0, level, method)  # no -0.0


def standard_errors(covariance: Array, values: Array) -> Array:
    """Return the standard error of each difference, `(models, models)`; 0 where it is nothing but rounding."""
    variances = covariance.diagonal()
    squared = np.maximum(variances[:, None] + variances[None, :] - 2 * covariance, 0.0)
    errors = np.sqrt(squared)
    # A difference of two equal models is what rounding leaves of their variances.
    rounded = squared <= NOTHING * (variances[:, None] + variances[None, :])
    sizes = np.maximum(np.abs(values)[:, None], np.abs(values)[None, :])
    return np.where(rounded | is_rounding(errors, sizes), 0.0, errors)


NOTHING = 1e-13
"""Share of the variances of two values below which that of their difference is rounding."""


def _without_spread(joint: JointValues, alone: Owned, names: Sequence[str], level: float) -> Leaderboard:
    """The models in the order of their values, each of which may be the best: one case tells nothing of another."""
    bare = Estimate.undefined(f"the {joint.units.name} show no variation")
    ranks = 1, len(names)
    rows = tuple(Standing(name, alone(name, level), bare, may_be_best=True, ranks=ranks) for name in names)
    return Leaderboard(joint.measure, rows, level, joint.better, joint.units.name, joint.units.number)


def _draws(covariance: Array, errors: Array, degrees: float, seed: int) -> Array:
    """Deviations of all values together, `(draws, models)`; copies of a model are one, and cost nothing."""
    _, first, of = np.unique(np.argmax(errors == 0, axis=1), return_index=True, return_inverse=True)
    covariance = covariance[np.ix_(first, first)]
    k = len(covariance)
    rng = stream(seed, "leaderboard")
    size = min(max(DRAWN // k, FEWEST_DRAWS), MOST_DRAWS, max(PAIRS_DRAWN // k**2, LEAST_DRAWS))
    eigen, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(eigen, 0.0))) @ vectors.T  # which a last bit moves by as little
    z = rng.standard_normal((size, k)) @ root
    if isfinite(degrees):
        z *= np.sqrt(degrees / rng.chisquare(degrees, size))[:, None]
    return np.asarray(z[:, of])


def _quantiles(z: Array, errors: Array, level: float) -> tuple[Array, float]:
    """For each model that of the greatest advance of another one before it, and that of the widest of all pairs."""
    k = len(errors)
    z = np.ascontiguousarray(z.T, np.float32)  # draws of which only quantiles are wanted
    d, widest = np.zeros(k), np.zeros(z.shape[1], np.float32)
    for i in range(k):
        is_told = np.flatnonzero(errors[i] > 0)
        if not is_told.size:
            continue
        advance = z[is_told] - z[i]
        advance /= errors[i, is_told][:, None]
        most = advance.max(0)
        d[i] = np.quantile(most, level)
        np.maximum(widest, most, out=widest)  # the other side of each pair comes with the other model
    return d, float(np.quantile(widest, level))


def _expected(
    joint: JointValues, alone: Owned, leader: str, values: Array, covariance: Array, z: Array, level: float
) -> Estimate | None:
    """Return what to expect of the leader on fresh cases."""
    from scipy.special import ndtr, stdtr

    plain = alone(leader, level)
    spread = np.sqrt(covariance.diagonal())
    known = spread > 0
    if not plain.has_interval or not known.any():
        return None
    greatest = float(np.quantile((z[:, known] / spread[known]).max(1), 0.5 + level / 2))
    beyond = float(ndtr(-greatest)) if isinf(joint.degrees) else float(stdtr(joint.degrees, -greatest))
    wide = alone(leader, 1 - 2 * beyond) if 0 < beyond < 0.5 else plain
    chosen = (values + z).argmax(1)
    rated = (
        values[chosen] - z[np.arange(len(z)), chosen]
    )  # on cases that were not drawn, a deviation is reversed
    fair = joint.better * min(float(rated.mean()), float(values[0])) + 0.0
    low, high = (wide.low, plain.high) if joint.better > 0 else (plain.low, wide.high)
    method = f"{plain.method}; worse limit corrected for selecting the best of {len(values)}"
    return Estimate(fair, min(low, fair), max(high, fair), level, method)


def _needed(joint: JointValues, lead: float, error: float, d: float) -> float | None:
    """Units that separate the leader from the next model with a power of 80%, of a pair with quantile d."""
    from scipy.special import ndtr, stdtr

    if not lead > 0 or error == 0:
        return None
    beyond = float(ndtr(-d)) if isinf(joint.degrees) else float(stdtr(joint.degrees, -d))
    return cases_needed(joint.units.number, lead, error, 1 - 2 * beyond, joint.degrees)
