"""Moments: sums of cases and amounts by decision and truth, and estimates of what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.draws import DRAWS, percentile, stream
from classay.inference.estimate import Estimate
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.sampling_units import student_quantile
from classay.tables import ConfusionMatrix
from classay.tables.rows import CodedRows
from classay.tables.running import equal_cases

Array = NDArray[Any]
Quantity = Callable[[Array], Array]
"""From sums of cases and amounts, `[..., predicted, true, 1 + amount]`, to a number, `[...]`."""
FEW = 5
"""Cases of a cell below which the spread of its amounts is taken from all cases of the class."""
STEP = 1e-5
FEW_CLUSTERS = 2


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of w·z over the cases of each cell, and of w²·z·z', with z the constant 1 followed by the amounts.

    `sums` is `[predicted, true, 1 + amount]`, `products` `[predicted, true, 1 + amount, 1 + amount]`. `rows` are those
    of clusters, with the cell of each, `predicted` and `true`. `least` is the least of each amount, if known. `always`
    is the one decision that is ever made, whatever the score: no other cell can hold a case, of these or of others.
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
        """Those of a confusion matrix with its amounts; `predicted` and `true` code the rows of clusters."""
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
            None if matrix.amounts is None else matrix.amounts.least,
            always,
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
        """A quantity with its interval: percentiles of draws from the posterior of cells and mean amounts.

        The shares of the cells have Jeffreys' prior; the mean amount of a cell is drawn around that of its cases from
        a gamma distribution with their variance. Cases with sampling weights count as equally many alike, and
        the interval is stretched by how much more the quantity varies over weights or clusters (linearised). `size` is
        that of the terms that it adds up, of which a spread of less than 1e-12 is rounding.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            value = float(of(self.sums))
        if not np.isfinite(value):
            return Estimate.undefined("a class has no cases")
        if self.rows is not None and len(self.rows.clusters) < FEW_CLUSTERS:
            return Estimate.bare(value, "one cluster shows no spread")
        if self.equal < 2:
            return Estimate.bare(value, "one case shows no spread")
        with np.errstate(invalid="ignore", divide="ignore"):  # nothing is at stake in some draws
            drawn = of(self.draws(stream(seed, "expected cost")))
        drawn = drawn[np.isfinite(drawn)]
        low, high = percentile(drawn, level)
        stretch = self._stretch(of, level)
        low, high = value + stretch * (low - value), value + stretch * (high - value)
        low, high = max(min(low, value), bounds[0]), min(max(high, value), bounds[1])
        how = f"posterior of cells and mean amounts, {DRAWS:,} draws"
        if self.sums.shape[-1] == 1:
            how = f"Jeffreys posterior, {DRAWS:,} draws"
        if self.is_weighted or self.rows is not None:
            how = f"{'linearised' if self.rows is None else 'clusters'}, {how}"
        if not high - low > 1e-12 * size:
            return Estimate.bare(value, "the cases at hand show no spread of it")
        return Estimate(value, low, high, level, how)

    def draws(self, rng: np.random.Generator, number: int = DRAWS) -> Array:
        """Sums of cases and amounts of as many other cases, `[draw, predicted, true, 1 + amount]`."""
        k = self.sums.shape[0]
        cells = self.sums[..., 0] * self.equal / self.total
        prior = np.full((k, k), 0.5 if k == 2 else 1 / k**2)
        if self.always is not None:
            prior[np.arange(k) != self.always] = 0.0
        shares = rng.standard_gamma(cells + prior, size=(number, *cells.shape))
        means, spreads, degrees = self._amounts()
        size = (number, *means.shape)
        # few amounts say little of their spread: as Student's t has it, in each draw another
        loose = degrees[..., None] / rng.chisquare(degrees[..., None], size=size)
        variance = loose * spreads / np.maximum(cells, 1.0)[..., None]
        shape = np.divide(means**2, variance, out=np.zeros(size), where=variance > 0)
        scale = np.divide(variance, np.abs(means), out=np.zeros(size), where=shape >= 1)
        skew = np.sign(means) * scale * rng.standard_gamma(np.maximum(shape, 1.0))
        plain = means + np.sqrt(variance) * rng.standard_normal(size)
        if self.least is not None:  # amounts of which none is negative have no negative mean
            plain = np.where(self.least >= 0, np.maximum(plain, 0.0), plain)
        drawn = np.where(variance > 0, np.where(shape >= 1, skew, plain), means)
        ones = np.ones((*drawn.shape[:-1], 1))
        return np.asarray(shares[..., None] * np.concatenate([ones, drawn], -1))

    def _amounts(self) -> tuple[Array, Array, Array]:
        """Mean and variance of amounts, `[predicted, true, amount]`, and its degrees of freedom, `[predicted, true]`.

        In cells of few cases those of the class.
        """
        counts, squares = self.sums[..., 0], self.products[..., 0, 0]
        q = self.sums.shape[-1] - 1
        at = np.arange(1, 1 + q)

        def moments(n: Array, nn: Array, sums: Array, firsts: Array, products: Array) -> tuple[Array, Array]:
            mean = np.divide(sums, n[..., None], out=np.zeros_like(sums), where=n[..., None] > 0)
            off = products - 2 * mean * firsts + mean**2 * nn[..., None]
            variance = np.divide(off, nn[..., None], out=np.zeros_like(off), where=nn[..., None] > 0)
            return mean, np.maximum(variance, 0.0)

        own = moments(
            counts, squares, self.sums[..., 1:], self.products[..., 0, 1:], self.products[..., at, at]
        )
        by_class = counts.sum(0), squares.sum(0), self.sums.sum(0), self.products.sum(0)
        # a class without cases has amounts as all others have
        seen = by_class[0] > 0
        n, nn, sums, products = (
            np.where(seen.reshape(-1, *(1,) * (each.ndim - 1)), each, each.sum(0)) for each in by_class
        )
        of_class = moments(n, nn, sums[..., 1:], products[..., 0, 1:], products[..., at, at])
        cases = (counts * self.equal / self.total)[..., None]
        correct = cases / np.maximum(cases - 1, 1.0)
        mean = np.where(cases > 0, own[0], of_class[0][None])
        variance = np.where(cases >= FEW, own[1] * correct, np.maximum(of_class[1][None], own[1]))
        used = np.where(cases[..., 0] >= FEW, cases[..., 0], n * self.equal / self.total)
        # rounding of sums of squares is no spread
        return mean, np.where(variance > 1e-12 * (1e-300 + mean**2), variance, 0.0), np.maximum(used - 1, 1.0)

    def _stretch(self, of: Quantity, level: float) -> float:
        """How much wider weights or clusters make the interval."""
        if not self.is_weighted and self.rows is None:
            return 1.0
        slope = self._slope(of)
        alike = float(np.einsum("ija,ijab,ijb->", slope, self._alike(), slope))
        n = self.equal
        quantile = normal_quantile(level)
        if self.rows is None:
            actual = float(np.einsum("ija,ijab,ijb->", slope, self.products, slope)) * n / (n - 1)
        else:
            assert self.predicted is not None
            assert self.true is not None
            each = slope[self.predicted, self.true]
            z = np.ones((each.shape[0], 1))
            if self.rows.amounts is not None:
                z = np.concatenate([z, self.rows.amounts], 1)
            sums = self.rows.sums((each * z).sum(1))
            clusters = len(self.rows.clusters)
            actual = float((sums**2).sum()) * clusters / (clusters - 1)
            quantile = student_quantile(level, clusters - 1)
        wider = quantile / normal_quantile(level)
        return wider * float(np.sqrt(actual / alike)) if alike > 0 and actual > 0 else wider

    def _alike(self) -> Array:
        """What `products` would be of as many cases alike as say as much: w² replaced by w · total / equal."""
        factor = np.divide(
            self.sums[..., 0],
            self.products[..., 0, 0],
            out=np.zeros_like(self.sums[..., 0]),
            where=self.products[..., 0, 0] > 0,
        )
        return np.asarray(self.products * (factor * self.total / self.equal)[..., None, None])

    def _slope(self, of: Quantity) -> Array:
        """The derivative of a quantity by the sums: what a case with z in a cell adds, from its mean."""
        flat = self.sums.ravel()
        slope = np.zeros(flat.size)
        for i in range(flat.size):
            kind = np.abs(self.sums[..., i % self.sums.shape[-1]]).sum()
            step = STEP * (max(abs(flat[i]), 1e-3 * kind) or 1.0)
            up, down = flat.copy(), flat.copy()
            up[i] += step
            down[i] -= step
            ends = of(np.stack([up, down]).reshape(2, *self.sums.shape))
            slope[i] = (ends[0] - ends[1]) / (2 * step)
        return slope.reshape(self.sums.shape)
