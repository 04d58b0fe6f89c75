"""What decisions cost, with estimates: a case and in all, and over doing nothing; also of several classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels, match_label
from classay.columns.numbers import score_array
from classay.columns.scales import improper_rows
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.design import equal_units, left_out_factors, student_quantile
from classay.inference.draws import DRAWS, percentile, seed_of, stream
from classay.inference.estimate import SETTLED, Estimate
from classay.inference.proportions import normal_quantile, stretched, wilson
from classay.kinds import FiniteOrNone, checked
from classay.tables import ConfusionMatrix
from classay.tables.rows import CodedRows
from classay.tables.sums import equal_cases, is_rounding, settled

Array = NDArray[Any]
Quantity = Callable[[Array], Array]
"""From sums of cases and amounts, `[..., predicted, true, 1 + amount]`, to a number, `[...]`."""
FEW = 5
"""Cases of a cell below which the spread of its amounts is taken from all cases of the class."""
STEP = 1e-5
LARGEST_POWER = 200.0
"""The logarithm of how many times its mean an amount is drawn at most."""
FEW_CLUSTERS = 2
PREDICTIONS = {"nobody": "predicting no case positive", "everybody": "predicting every case positive"}
"""The two rules that look at no score, in sentences."""
HEAVY = 2.0
"""Squared coefficient of variation of amounts (exponential: 1) beyond which a sample shows too little of their tail."""


@dataclass(frozen=True, eq=False)
class Means:
    """Mean amounts and their variance, `[..., amount]`, with the cases and degrees of freedom they rest on, `[...]`."""

    mean: Array
    variance: Array
    cases: Array
    degrees: Array


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of w·z over the cases of each cell, and of w²·z·z', with z the constant 1 followed by the amounts.

    `sums` is `[predicted, true, 1 + amount]`, `products` `[predicted, true, 1 + amount, 1 + amount]`. `rows` are those
    of clusters, with the cell of each, `predicted` and `true`. `least` is the least of each amount in each true class,
    `[amount, true]`, if known. `always` is the one decision that is ever made, whatever the score: no other cell can
    hold a case, of these or of others.
    """

    sums: Array
    products: Array
    is_weighted: bool = False
    rows: CodedRows | None = None
    predicted: Array | None = None
    true: Array | None = None
    least: Array | None = None
    always: int | None = None

    @classmethod
    def of(
        cls,
        matrix: ConfusionMatrix,
        rows: CodedRows | None = None,
        predicted: Array | None = None,
        true: Array | None = None,
        always: int | None = None,
    ) -> Moments:
        """Return those of a confusion matrix with its amounts; `predicted` and `true` code the rows of clusters."""
        counts = np.asarray(matrix.counts, np.float64)
        squares = counts if matrix.squares is None else np.asarray(matrix.squares, np.float64)
        q = 0 if matrix.amounts is None else len(matrix.amounts.names)
        products = np.zeros((1 + q, 1 + q, *counts.shape))
        sums = np.zeros((1 + q, *counts.shape))
        sums[0], products[0, 0] = counts, squares
        if matrix.amounts is not None:
            sums[1:] = matrix.amounts.sums
            products[:, 1:] = matrix.amounts.products
            products[1:, 0] = matrix.amounts.products[0]
        return cls(
            np.moveaxis(sums, 0, -1),
            np.moveaxis(products, (0, 1), (-2, -1)),
            matrix.squares is not None,
            rows,
            predicted,
            true,
            None if matrix.amounts is None else matrix.amounts.least_of_class,
            always,
        )

    def priced(self, cost: Array) -> Moments:
        """Without the amounts of a class that nothing costs; `cost` is `[predicted, true, 1 + amount]`."""
        used = (cost != 0).any(0)
        used[:, 0] = True  # cases are counted
        return replace(
            self,
            sums=np.where(used, self.sums, 0.0),
            least=None if self.least is None else np.where(used[:, 1:].T, self.least, 0.0),
        )

    @property
    def total(self) -> float:
        """Weight of all cases."""
        return float(self.sums[..., 0].sum())

    @property
    def equal(self) -> float:
        """Independent cases alike that would say as much as these (Kish 1965)."""
        return float(equal_cases(self.total, self.products[..., 0, 0].sum()))

    def estimate(
        self, of: Quantity, level: float, seed: int, bounds: tuple[float, float], size: float
    ) -> Estimate:
        """Return a quantity with its interval: percentiles of draws from its posterior.

        The shares of the cells have Jeffreys' prior; the mean amount of a cell is drawn around that of its cases by
        Student's t with their variance, on the log scale where no amount is negative. Few amounts of a cell then vary
        as those of their class, beside their mean, and are no more than all of these at the end of their interval.
        Cases with sampling weights count as equally many alike, and the interval is stretched by how much more the
        quantity varies over weights or clusters (linearised), on the scale of its range: a cost of calls that are
        certain is never free. `size` is that of the terms that it adds up: see `is_rounding`.

        Where 2 to 5 of 18 to 150 positives are missed, and a miss costs its amount, the interval of the cost of a case
        covers in 93 to 98% of 200 samples (amounts uniform, or log-normal with σ 0.7; the greater ones missed more
        often, or the lesser). With the spread of the class in units, and not beside the mean, it is 1.1 to 1.9 times as
        wide, and in one sample of twenty up to 80 times the cost.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            value = float(of(self.sums))
        if not np.isfinite(value):
            return Estimate.undefined("a class has no cases")
        if self.rows is not None and len(self.rows.clusters) < FEW_CLUSTERS:
            return Estimate.bare(value, "only one cluster")
        if self.equal < 2:
            return Estimate.bare(value, "only one case")
        with np.errstate(invalid="ignore", divide="ignore"):  # nothing is at stake in some draws
            drawn = of(self.draws(stream(seed, "expected cost"), level))
        drawn = drawn[np.isfinite(drawn)]
        low, high = percentile(drawn, level)
        low, high = max(min(low, value), bounds[0]), min(max(high, value), bounds[1])
        if is_rounding(high - low, size):
            return Estimate.bare(value, "the cost does not vary between the cases")
        low, high = stretched(value, low, high, self._stretch(of, level), bounds)
        low, high = (
            min(low, value),
            max(high, value),
        )  # the value may lie at an end of the range, but for rounding
        how = f"posterior of confusion matrix and mean amounts, {DRAWS:,} draws"
        if self.sums.shape[-1] == 1:
            how = f"Dirichlet posterior, Jeffreys prior, {DRAWS:,} draws"
        if self.is_weighted or self.rows is not None:
            how = f"{'linearised' if self.rows is None else 'clusters'}, {how}"
        how += ", possibly too narrow with these heavy-tailed amounts" if self._are_heavy(of) else ""
        return Estimate(value, low, high, level, how)

    def draws(self, rng: np.random.Generator, level: float = 0.95, number: int = DRAWS) -> Array:
        """Sums of cases and amounts of as many other cases, `[draw, predicted, true, 1 + amount]`.

        A cell with half the cases of a class or fewer holds at most the upper end of the amounts of the whole class, at
        this level.
        """
        k = self.sums.shape[0]
        cells = self.sums[..., 0] * self.equal / self.total
        prior = np.full((k, k), 0.5 if k == 2 else 1 / k**2)
        if self.always is not None:
            prior[np.arange(k) != self.always] = 0.0
        shares = rng.standard_gamma(cells + prior, size=(number, *cells.shape))
        cell, of_class = self._amounts()
        drawn = self._drawn_means(rng, cell, number)
        # a part of a class holds no more than all of it
        most = np.quantile(self._drawn_means(rng, of_class, number), (1 + level) / 2, axis=0)
        share = shares[..., None]
        most = np.divide(
            most * share.sum(1, keepdims=True), share, out=np.full(drawn.shape, inf), where=share > 0
        )
        is_part = (2 * cell.cases <= of_class.cases)[..., None] & self._never_negative
        drawn = np.where(is_part, np.minimum(drawn, most), drawn)
        ones = np.ones((*drawn.shape[:-1], 1))
        return np.asarray(shares[..., None] * np.concatenate([ones, drawn], -1))

    def _drawn_means(self, rng: np.random.Generator, of: Means, number: int) -> Array:
        """Draws of mean amounts, `[draw, ..., amount]`."""
        se = np.sqrt(of.variance / np.maximum(of.cases, 1.0)[..., None])
        # few amounts say little of their spread
        t = rng.standard_t(of.degrees[..., None], size=(number, *of.mean.shape))
        relative = np.divide(se, np.abs(of.mean), out=np.full(se.shape, inf), where=of.mean != 0)
        on_log = (relative < 1) | (self._never_negative & (of.mean != 0))
        # log-normal amounts with that relative variance: the same but for few of a long tail
        spread = np.sqrt(np.log1p(np.where(on_log, relative, 0.0) ** 2))
        factor = np.exp(np.minimum(spread * t, LARGEST_POWER))
        return np.where(on_log, of.mean * factor, of.mean + se * t)

    def _amounts(self) -> tuple[Means, Means]:
        """Return the mean amounts of the cells, and those of the classes.

        The spread in cells of few cases is that of the class. Amounts of which none is negative vary, beside their
        mean, at least as those of the class do: a few amounts with long tails look as if they had none. To the mean of
        theirs half a case of the class is added, as Jeffreys' prior adds it to the cell: a single amount may be small.
        """
        counts, squares = self.sums[..., 0], self.products[..., 0, 0]
        at = np.arange(1, self.sums.shape[-1])

        def moments(n: Array, nn: Array, sums: Array, firsts: Array, products: Array) -> tuple[Array, Array]:
            mean = np.divide(sums, n[..., None], out=np.zeros_like(sums), where=n[..., None] > 0)
            off = products - 2 * mean * firsts + mean**2 * nn[..., None]
            variance = np.divide(off, nn[..., None], out=np.zeros_like(off), where=nn[..., None] > 0)
            return mean, np.maximum(variance, 0.0)

        cell = moments(
            counts, squares, self.sums[..., 1:], self.products[..., 0, 1:], self.products[..., at, at]
        )
        by_class = counts.sum(0), squares.sum(0), self.sums.sum(0), self.products.sum(0)
        # a class without cases has amounts as all others have
        seen = by_class[0] > 0
        n, nn, sums, products = (
            np.where(seen.reshape(-1, *(1,) * (term.ndim - 1)), term, term.sum(0)) for term in by_class
        )
        of_class = moments(n, nn, sums[..., 1:], products[..., 0, 1:], products[..., at, at])
        cases, of_all = (size * self.equal / self.total for size in (counts, n))
        more, more_of_all = ((size / np.maximum(size - 1, 1.0))[..., None] for size in (cases, of_all))
        prior, has_own = (0.5 if counts.shape[0] == 2 else 1 / counts.shape[0] ** 2), cases[..., None] > 0
        pulled = (cases[..., None] * cell[0] + prior * of_class[0]) / (cases[..., None] + prior)
        mean = np.where(self._never_negative, pulled, np.where(has_own, cell[0], of_class[0]))
        few, of_others = cases[..., None] < FEW, of_class[1] * more_of_all
        variance = np.where(few, np.maximum(of_class[1], cell[1]), cell[1] * more)
        relative = np.divide(
            of_others, of_class[0] ** 2, out=np.zeros_like(of_others), where=of_class[0] != 0
        )
        beside = np.divide(cell[1] * more, cell[0] ** 2, out=np.zeros_like(cell[1]), where=cell[0] != 0)
        beside = mean**2 * np.maximum(relative, np.where(few, 0.0, beside))
        variance = np.where(self._never_negative, beside, variance)
        used = np.where(~few[..., 0] & ~self._never_negative.all(-1), cases, of_all)

        def means(mean: Array, variance: Array, cases: Array, used: Array) -> Means:
            return Means(mean, settled(variance, mean**2), cases, np.maximum(used - 1, 1.0))

        return means(mean, variance, cases, used), means(of_class[0], of_others, of_all, of_all)

    def _are_heavy(self, of: Quantity) -> bool:
        """Check whether amounts that the quantity depends on vary in a class far more than exponential ones do."""
        counts, sums = self.sums[..., :1].sum(0), self.sums[..., 1:].sum(0)
        at = np.arange(1, self.sums.shape[-1])
        squares = self.products[..., at, at].sum(0)
        weights = self.products[..., 0, 0].sum(0)[..., None]
        # E a² / (E a)², in sums of squared weights over sums of weights
        is_heavy = squares * counts**2 > (1 + HEAVY) * sums**2 * weights
        return bool(is_heavy.any() and (np.abs(self._slope(of)[..., 1:]).sum(0) * is_heavy).any())

    @property
    def _never_negative(self) -> Array:
        """Of which amounts none is negative in a class, `[true, amount]`; a class without cases is as all others."""
        if self.least is None:
            return np.zeros((self.sums.shape[1], self.sums.shape[-1] - 1), bool)
        of_all = self.least.min(-1, keepdims=True)
        return np.asarray(np.where(np.isinf(self.least), of_all, self.least).T >= 0)

    def _stretch(self, of: Quantity, level: float) -> float:
        """Return how much wider weights or clusters make the interval."""
        if not self.is_weighted and self.rows is None:
            return 1.0
        slope = self._slope(of)
        alike = float(np.einsum("ija,ijab,ijb->", slope, self._as_equal_cases(), slope))
        n = self.equal
        quantile = normal_quantile(level)
        if self.rows is None:
            actual = float(np.einsum("ija,ijab,ijb->", slope, self.products, slope)) * n / (n - 1)
        else:
            assert self.predicted is not None
            assert self.true is not None
            row_slopes = slope[self.predicted, self.true]
            z = np.ones((row_slopes.shape[0], 1))
            if self.rows.amounts is not None:
                z = np.concatenate([z, self.rows.amounts], 1)
            clusters = len(self.rows.clusters)
            sizes = np.bincount(self.rows.cluster, self.rows.weight, clusters)
            sums = self.rows.sums((row_slopes * z).sum(1)) * left_out_factors(sizes, sizes.sum(), clusters)
            actual = float((sums**2).sum()) * clusters / (clusters - 1)
            units = float(equal_units(clusters, sizes.sum(), (sizes * sizes).sum()))
            quantile = student_quantile(level, units - 1)
        wider = quantile / normal_quantile(level)
        return wider * float(np.sqrt(actual / alike)) if alike > 0 and actual > 0 else wider

    def _as_equal_cases(self) -> Array:
        """The `products` of as many equally weighted cases as carry this information: w² becomes w · total / equal."""
        factor = np.divide(
            self.sums[..., 0],
            self.products[..., 0, 0],
            out=np.zeros_like(self.sums[..., 0]),
            where=self.products[..., 0, 0] > 0,
        )
        return np.asarray(self.products * (factor * self.total / self.equal)[..., None, None])

    def _slope(self, of: Quantity) -> Array:
        """Return the derivative of a quantity by the sums: what a case with z in a cell adds, from its mean."""
        flat = self.sums.ravel()
        slope = np.zeros(flat.size)
        for i in range(flat.size):
            kind = np.abs(self.sums[..., i % self.sums.shape[-1]]).sum()
            step = STEP * (max(abs(flat[i]), 1e-3 * kind) or self.total)
            up, down = flat.copy(), flat.copy()
            up[i] += step
            down[i] -= step
            ends = of(np.stack([up, down]).reshape(2, *self.sums.shape))
            slope[i] = (ends[0] - ends[1]) / (2 * step)
        return slope.reshape(self.sums.shape)


Bounds = tuple[float, float]
ENDLESS: Bounds = (-inf, inf)


@dataclass(frozen=True, eq=False)
class ExpectedCost(FiniteOrNone):
    """What the decisions of one matrix cost, each number an `Estimate`.

    `per_case` is the mean cost of a case, `total` that of all cases; `normalised` is the cost over that of being always
    wrong, in [0, 1] where right decisions cost nothing; `saving_over_none` and `saving_over_all` are what a case costs
    less than if nobody, or everybody, were called positive (of several classes: than calling all the cheapest class).
    `prevalence` is that at which they hold, None for that of the cases. `bounds` are those of what a case may cost,
    and of what is normalised. `cases` is how many there are: in all they save `total_saving_over_none` and
    `total_saving_over_all`.
    """

    costs: Costs
    per_case: Estimate
    total: Estimate
    normalised: Estimate
    saving_over_none: Estimate
    saving_over_all: Estimate
    prevalence: float | None = None
    bounds: tuple[Bounds, Bounds] = (ENDLESS, ENDLESS)
    cases: float = nan

    @property
    def total_saving_over_none(self) -> Estimate:
        """What all cases cost less than if nobody were called positive."""
        return times(self.saving_over_none, self.cases)

    @property
    def total_saving_over_all(self) -> Estimate:
        """What all cases cost less than if everybody were called positive."""
        return times(self.saving_over_all, self.cases)


def bounds_of(cost: Array, least: Array | None) -> tuple[Bounds, Bounds]:
    """Return the bounds of the cost of a case, and of that cost over the cost of being always wrong.

    `cost` is `[predicted, true, 1 + amount]`, `least` the least of each amount that was seen in each true class,
    `(amounts, classes)`. If none of the amounts seen in a class is negative, none of its other cases is taken to be;
    how large these are is not bounded. What cannot cost anything bounds nothing.

    >>> bounds_of(np.array([[[0.0, 0.0], [0.0, 1.0]], [[3.0, 0.0], [0.0, 0.0]]]), np.array([[-2.0, 0.5]]))
    ((0.0, inf), (0.0, 1.0))
    """
    constant, factors = cost[..., 0], cost[..., 1:]
    never_less = np.zeros(factors.shape[-1], bool) if least is None else least.T >= 0
    ends = []
    for side in (-1, 1):
        is_open = (factors != 0) & ~(never_less & (side * factors < 0))
        ends.append(np.where(is_open.any(-1), side * inf, constant))
    low, high = float(ends[0].min()), float(ends[1].max())
    right_is_free = not np.diagonal(cost, axis1=0, axis2=1).any()
    is_share = low >= 0 and right_is_free and (cost.shape[0] == 2 or not factors.any())
    return (low, high), (0.0, 1.0) if is_share else ENDLESS


def expected_cost(
    moments: Moments,
    costs: Costs,
    labels: tuple[Any, ...],
    names: tuple[str, ...],
    *,
    cases: float,
    prevalence: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> ExpectedCost:
    """Return the costs of the decisions in a matrix, of classes in the order of `labels`, for so many cases.

    `names` are those of the amounts. Where one decision is made whatever the score, it saves nothing over itself.

    E = sum over decisions and truths of their share times their cost; at another prevalence π, π times the mean cost
    of a positive and 1 - π times that of a negative. Normalised: over the same of wrong decisions. Undefined where
    a class that counts has no cases. Drummond & Holte 2006, Machine Learning 65:95.
    """
    cost = costs.array(labels, names)
    moments = moments.priced(cost)
    of, known = quantities(cost, prevalence), bounds_of(cost, moments.least)
    bounds = dict.fromkeys(of, ENDLESS) | dict(zip(("per_case", "normalised"), known, strict=True))
    size = size_of(cost, moments.sums, prevalence)
    sizes = dict.fromkeys(of, size) | {"normalised": 1.0}
    estimates = {
        name: moments.estimate(quantity, level, seed, bounds[name], sizes[name])
        for name, quantity in of.items()
    }
    if moments.always is not None and len(labels) == 2:
        rule, whom = (("saving_over_none", "nobody"), ("saving_over_all", "everybody"))[moments.always]
        how = f"{SETTLED} {PREDICTIONS[whom]} is the decision itself"
        estimates[rule] = Estimate(0.0, 0.0, 0.0, level, how)
    total = times(estimates["per_case"], cases)
    return ExpectedCost(costs, total=total, prevalence=prevalence, bounds=known, cases=cases, **estimates)


def times(cost: Estimate, factor: float) -> Estimate:
    """Return the estimate for a number of cases, from that of one case."""
    return replace(cost, value=factor * cost.value, low=factor * cost.low, high=factor * cost.high)


def quantities(cost: Array, prevalence: float | None) -> dict[str, Quantity]:
    """Return the functions of the sums by cell that give each number; `cost` is `[predicted, true, 1 + amount]`.

    What costs and benefits leave is exactly 0 where they balance, whatever unit they are written in.
    """
    k = cost.shape[0]
    wrong = np.where(np.eye(k, dtype=bool)[..., None], -inf, cost)

    def priced(sums: Array, price: Array) -> Array:
        terms = _weighed(sums, prevalence) * price
        return np.asarray(settled(terms.sum((-3, -2, -1)), np.abs(terms).sum((-3, -2, -1))))

    def per_case(sums: Array) -> Array:
        return priced(sums, cost)

    def saving_over(sums: Array, *calling: int) -> Array:
        return np.asarray(np.min([priced(sums, cost[action] - cost) for action in calling], axis=0))

    def always_wrong(sums: Array) -> Array:
        """Return every case of a class called the class that costs most for it; of two classes the other one."""
        of_class = _weighed(sums, prevalence).sum(-3)
        losses = np.stack([(of_class * np.where(np.isinf(row), 0.0, row)).sum(-1) for row in wrong])
        off = ~np.eye(k, dtype=bool)
        return np.asarray(np.where(off.reshape(k, *(1,) * (losses.ndim - 2), k), losses, -inf).max(0).sum(-1))

    return {
        "per_case": per_case,
        "normalised": lambda sums: per_case(sums) / always_wrong(sums),
        "saving_over_none": lambda sums: saving_over(sums, *((0,) if k == 2 else range(k))),
        "saving_over_all": lambda sums: saving_over(sums, *((1,) if k == 2 else range(k))),
    }


def size_of(cost: Array, sums: Array, prevalence: float | None) -> float:
    """Return how large the terms of a mean cost are: every case at the decision that costs, or brings, most."""
    with np.errstate(invalid="ignore", divide="ignore"):
        of_class = np.abs(_weighed(sums, prevalence)).sum(0)
    return float(np.nan_to_num(of_class * np.abs(cost).max(0)).sum())


def _weighed(sums: Array, prevalence: float | None) -> Array:
    """Return the sums of one case in all, at the prevalence wanted."""
    counts = sums[..., 0]
    if prevalence is None:
        return np.asarray(sums / counts.sum((-2, -1))[..., None, None, None])
    share = np.array([1 - prevalence, prevalence])
    return np.asarray(sums * (share / counts.sum(-2))[..., None, :, None])


@dataclass(frozen=True, eq=False)
class LeastCost:
    """The decision for each case: the class of least expected cost, or None where a human is asked.

    `codes` are places in `labels`, -1 where a human is asked, `(cases,)`; `expected` the cost that the probabilities
    promise for each. `cost` is what the decisions did cost, of the cases that were decided, `per_case` of all cases
    with the price of asking; both None without the truth. `asked` is the share of cases that a human is asked for.
    """

    labels: tuple[Hashable, ...]
    codes: Array
    expected: Array
    asked: Estimate
    cost: ExpectedCost | None = None
    per_case: Estimate | None = None

    @property
    def decisions(self) -> list[Hashable | None]:
        """The label decided for each case, None where a human is asked."""
        return [None if code < 0 else self.labels[code] for code in self.codes.tolist()]


@checked
def least_cost(
    probabilities: Any,
    costs: Costs | Mapping[str, float | str],
    labels: Sequence[Hashable],
    *,
    y_true: Any = None,
    asking: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> LeastCost:
    """Decide each case for the class of least expected cost.

    Parameters
    ----------
    probabilities : array-like
        Probabilities `(cases, classes)` in the order of `labels`, which are taken as they are.
    costs : Costs or mapping
        Costs of the decisions. Those of two classes, `Costs(fp=1, fn=5)`, are of labels in the order
        negative, positive.
    labels : sequence
        Classes. At equal costs the first label is decided.
    y_true : array-like, optional
        True labels, to estimate the cost.
    asking : float, optional
        Cost of asking a human, who is always correct. A case with a higher least expected cost is left to
        the human.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int, default 0
        Start of all random numbers. Equal seeds give equal results.

    Returns
    -------
    LeastCost
        The decisions, None for cases that are left to a human.

    Raises
    ------
    InputError
        If a row holds no probabilities.
        If costs depend on amounts.

    Notes
    -----
    The expected cost of a decision is the sum over the true classes of probability times cost.

    References
    ----------
    Chow 1970, IEEE Transactions on Information Theory 16:41.

    Examples
    --------
    >>> costs = Costs.from_array([[0, 1], [5, 0]], ["good", "bad"], rows="true")
    >>> least_cost([[0.9, 0.1], [0.7, 0.3], [0.5, 0.5]], costs, ["good", "bad"]).decisions
    ['good', 'bad', 'bad']
    >>> least_cost([[0.9, 0.1], [0.7, 0.3], [0.5, 0.5]], costs, ["good", "bad"], asking=0.6).decisions
    ['good', None, 'bad']
    """
    p = score_array(probabilities).astype(np.float64)
    kept, costs, seed = tuple(labels), Costs.of(costs), seed_of(seed)
    if len({*kept}) < len(kept):
        raise InputError(f"The labels {kept} contain a label twice. Remove the duplicate.")
    if p.ndim != 2 or p.shape[1] != len(kept):
        raise InputError(
            f"The probabilities must have a column for each of {len(kept)} labels, but have shape {p.shape}."
        )
    if not p.shape[0]:
        raise InputError("There are no cases. Pass a row of probabilities per case.")
    if improper_rows(p).any():
        raise InputError(
            "Some rows of probabilities do not sum to 1. Calibrate them, or divide them by their sum."
        )
    coefficients = costs.array(kept)[..., 0]
    action_costs = p @ coefficients.T
    expected = action_costs.min(1, keepdims=True)
    size = np.abs(p) @ np.abs(coefficients).T
    codes = is_rounding(action_costs - expected, np.maximum(size, np.abs(expected))).argmax(1)
    expected = expected[:, 0]
    left = np.zeros(codes.size, bool)
    if asking is not None:
        left = settled(expected - asking, np.maximum(size[np.arange(codes.size), codes], abs(asking))) > 0
        codes, expected = np.where(left, -1, codes), np.where(left, asking, expected)
    n = codes.size
    low, high = wilson(int(left.sum()), n, level)
    asked_share = Estimate(float(left.mean()), float(low), float(high), level, "Wilson")
    if asking is None:
        asked_share = Estimate.bare(0.0, "nobody is asked")
    choice = LeastCost(kept, codes, expected, asked_share)
    return choice if y_true is None else _judged(choice, costs, coefficients, y_true, asking, level, seed)


def _judged(
    choice: LeastCost,
    costs: Costs,
    coefficients: Array,
    y_true: Any,
    asking: float | None,
    level: float,
    seed: int,
) -> LeastCost:
    """With what the decisions did cost."""
    coded = code_labels(y_true, "truth")
    if coded.codes.size != choice.codes.size:
        raise InputError(
            f"truth has {coded.codes.size} rows, but the probabilities have {choice.codes.size}. Use columns of "
            "one length."
        )
    if coded.missing:
        raise InputError(f"truth is missing in {coded.missing} rows. Exclude them.")
    place = np.array([choice.labels.index(match_label(label, choice.labels)) for label in coded.labels])
    true = place[coded.codes]
    decided = choice.codes >= 0
    paid = np.where(decided, coefficients[choice.codes, true], asking or 0.0)
    n = paid.size
    cost = None
    if decided.any():
        matrix = ConfusionMatrix.from_codes(choice.codes[decided], true[decided], choice.labels)
        cost = expected_cost(
            Moments.of(matrix), costs, choice.labels, (), cases=float(decided.sum()), level=level, seed=seed
        )
    if cost is not None and decided.all():
        return replace(choice, cost=cost, per_case=cost.per_case)
    value = float(paid.mean())
    se = float(paid.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0
    if is_rounding(se, float(np.abs(paid).max())):
        return replace(
            choice, cost=cost, per_case=Estimate.bare(value, "the cost does not vary between the cases")
        )
    half = student_quantile(level, n - 1) * se
    return replace(
        choice, cost=cost, per_case=Estimate(value, value - half, value + half, level, "Student's t")
    )
