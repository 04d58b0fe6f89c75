"""Scores divided into strata, the threshold always between two of them, and cases drawn from each; in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision, placed, score_array
from classay.errors import InputError
from classay.label.expected import Planned
from classay.texts import hint

Array = NDArray[Any]
DISTRUST = 0.2
"""How far scores are moved towards their mean, because scores err."""
SMALL_BUDGET = 100
MANY = (1, 2)
"""Strata above and below the threshold of a small budget; of another it is twice as many."""
_CHUNK = 2**16
_ENOUGH = 2**18


def checked_scores(scores: Any) -> Array:
    """Return scores, one for each case. Raises InputError for missing, infinite and constant ones."""
    values = score_array(scores)
    if values.ndim == 2:
        raise InputError(
            "A plan needs one score for each case. Use the column of scores of the positive class."
        )
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    if not values.size:
        raise InputError("There are no cases. Use at least one score.")
    low, high = float(values.min()), float(values.max())
    if not np.isfinite([low, high]).all():
        is_bad = ~np.isfinite(values)
        raise InputError(
            f"score is missing or infinite in {placed(is_bad)}. Every case needs a score, because each may be drawn. "
            "Remove these cases."
        )
    if low == high:
        raise InputError(
            f"All scores are {low:g}. Strata need different scores. Draw a simple random sample instead."
        )
    return values


@dataclass(frozen=True, eq=False)
class Pool:
    """All scores, sorted, with the first place that reaches the threshold; `planned` gives shares of some scores."""

    ordered: Array
    first_called: int
    threshold: float
    planned: Callable[[Array], Array] | None

    @classmethod
    def of(cls, scores: Array, threshold: float, prevalence: float | None) -> Pool:
        """Sort the scores. Raises InputError if the threshold does not divide them, or a prevalence has no use."""
        ordered = np.sort(scores)
        first = int(np.searchsorted(ordered, in_precision(threshold, ordered.dtype), side="left"))
        if first in (0, ordered.size):
            where = "All scores reach" if first == 0 else "No score reaches"
            raise InputError(
                f"{where} the threshold {threshold:g} (scores: {ordered[0]:.4g} to {ordered[-1]:.4g}). Use a threshold "
                "between two scores."
            )
        if ordered[0] < 0 or ordered[-1] > 1:
            if prevalence is not None:
                raise InputError(
                    f"A prevalence has no effect on scores outside 0 to 1 ({ordered[0]:.4g} to "
                    f"{ordered[-1]:.4g}). Remove {hint('prevalence=', '--prevalence')}."
                )
            return cls(ordered, first, threshold, None)
        return cls(ordered, first, threshold, planned_shares(ordered, prevalence))

    def strata(self, above: int, below: int) -> Strata:
        """Return strata of equal spread on each side, or by ranks where scores are outside 0 to 1."""
        if self.planned is None:
            places = self._by_ranks(above, below)
        else:
            places = [
                *self._equal(0, self.first_called, below),
                self.first_called,
                *self._equal(self.first_called, self.ordered.size, above),
            ]
        edges = np.unique(self.ordered[places])
        begins = np.searchsorted(self.ordered, edges, side="left")
        edges, begins = edges[begins > 0], begins[begins > 0]
        bounds = [0, *begins.tolist(), self.ordered.size]
        sizes = np.diff(bounds).astype(float)
        is_called = np.array([start >= self.first_called for start in bounds[:-1]])
        means = np.array([float(np.mean(self.ordered[a:b], dtype=float)) for a, b in pairwise(bounds)])
        if self.planned is None:
            planned = None
        else:
            sums = np.array([self._sums(a, b) for a, b in pairwise(bounds)])
            planned = Planned(sizes, is_called, sums[:, 0] / sizes, sums[:, 1])
        return Strata(edges, sizes, is_called, means, planned)

    def edges(self, parts: int) -> Array:
        """Return the least score of each but the first of parts of equal spread, of scores all below the threshold."""
        edges = np.unique(self.ordered[[*self._equal(0, self.ordered.size, parts)]])
        return np.asarray(edges[edges > self.ordered[0]])

    def _by_ranks(self, above: int, below: int) -> list[int]:
        """Return the first places of strata by ranks: below of 2, 4, 8 … times the predicted positives."""
        called = self.ordered.size - self.first_called
        behind = np.cumsum([called * 2 ** (k + 1) for k in range(below - 1)]).tolist()
        places = [self.first_called - size for size in behind if size < self.first_called]
        return [*places, *(self.first_called + called * k // above for k in range(above))]

    def _equal(self, begin: int, end: int, parts: int) -> Iterator[int]:
        """Yield the places that divide cases in order into parts of equal spread."""
        _, spreads, step = self._some(begin, end)
        sums = np.cumsum(spreads)
        for part in range(1, parts):
            place = begin + step * int(np.searchsorted(sums, sums[-1] * part / parts))
            if place < end:
                yield place

    def _some(self, begin: int, end: int) -> tuple[Array, Array, int]:
        """Return planned shares and their spreads of every step-th of cases in order, all of them if they are few.

        Both rise and fall only once in order of the scores, so that a mean of so many errs by less than 1e-5.
        """
        assert self.planned is not None
        step = max(1, (end - begin) // _ENOUGH)
        shares = self.planned(self.ordered[begin:end:step])
        return shares, np.asarray(np.sqrt(shares * (1 - shares))), step

    def _sums(self, begin: int, end: int) -> tuple[float, float]:
        """Return the sums of the planned shares and of their spreads."""
        shares, spreads, _ = self._some(begin, end)
        return float(shares.mean()) * (end - begin), float(spreads.mean()) * (end - begin)


def planned_shares(ordered: Array, prevalence: float | None) -> Callable[[Array], Array]:
    """Return planned shares as a function of scores: moved on the logit to a prevalence, then towards the mean."""
    mean = float(np.mean(ordered, dtype=float))
    if prevalence is None:
        return lambda scores: (1 - DISTRUST) * scores.astype(float) + DISTRUST * mean
    from scipy.special import expit, logit

    few = ordered[:: max(1, ordered.size // 100_000)].astype(float)
    with np.errstate(divide="ignore"):
        shift = shift_to(few, np.ones(few.size), prevalence)
    return lambda scores: (1 - DISTRUST) * expit(logit(scores.astype(float)) + shift) + DISTRUST * prevalence


def shift_to(shares: Array, weights: Array, wanted: float) -> float:
    """Return what to add to the logits of shares, so that their mean is the wanted one.

    >>> round(shift_to(np.array([0.5, 0.5]), np.ones(2), 0.25), 6)
    -1.098612
    """
    from scipy.special import expit, logit

    at, low, high = logit(shares), -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        mean = float((weights * expit(at + middle)).sum() / weights.sum())
        low, high = (middle, high) if mean < wanted else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True, eq=False)
class Strata:
    """Strata from the lowest scores to the highest: the least score of each but the first, cases, and mean scores."""

    edges: Array
    sizes: Array
    is_called: Array
    means: Array
    planned: Planned | None

    def weights(self, measures: tuple[str, ...]) -> Array:
        """Return the shares of labels of the strata; by ranks 60% of them are below the threshold."""
        if self.planned is not None:
            return self.planned.weights(measures)
        above, below = self.is_called.sum(), (~self.is_called).sum()
        return np.asarray(np.where(self.is_called, 0.4 / above, 0.6 / below))


def codes_of(scores: Array, edges: Array) -> Array:
    """Return the stratum of each score, by the least scores of all strata but the first."""
    codes = np.zeros(scores.size, np.uint8)
    for start in range(0, scores.size, _CHUNK):
        part = scores[start : start + _CHUNK]
        for edge in edges:
            codes[start : start + _CHUNK] += part >= edge
    return codes


def drawn(codes: Array, labels: Array, rng: np.random.Generator, taken: Array | None = None) -> Array:
    """Return rows drawn at random from each stratum without replacement, in random order, none that was `taken`."""
    if taken is not None:
        codes = codes.copy()
        codes[taken] = 255
    starts = range(0, codes.size, _CHUNK)
    counts = np.array(
        [[np.count_nonzero(codes[a : a + _CHUNK] == k) for k in range(labels.size)] for a in starts]
    )
    before = np.vstack([np.zeros(labels.size, np.int64), np.cumsum(counts, 0)])
    rows: list[Array] = []
    for stratum, number in enumerate(labels.tolist()):
        ranks = np.sort(rng.choice(int(before[-1, stratum]), number, replace=False, shuffle=False))
        chunks = np.searchsorted(before[:, stratum], ranks, side="right") - 1
        for chunk in np.unique(chunks).tolist():
            inside = np.flatnonzero(codes[starts[chunk] : starts[chunk] + _CHUNK] == stratum)
            rows.append(starts[chunk] + inside[ranks[chunks == chunk] - before[chunk, stratum]])
    together = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    return rng.permutation(together)
