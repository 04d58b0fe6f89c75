"""Scores divided into strata, the threshold always between two of them, and cases drawn from each; in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision, placed, score_array
from classay.errors import InputError
from classay.label.expected import Planned
from classay.label.in_order import ScoresInOrder
from classay.texts import hint

Array = NDArray[Any]
DISTRUST = 0.2
"""How far scores are moved towards their mean, because scores err."""
SMALL_BUDGET = 100
MANY = (1, 2)
"""Strata above and below the threshold of a small budget; of another it is twice as many."""
_CHUNK = 2**15
_ENOUGH = 2**15


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
    """All scores in order, with the number below the threshold; `planned` gives shares that it expects of scores."""

    ordered: ScoresInOrder
    n_below: int
    planned: Callable[[Array], Array] | None

    @classmethod
    def of(cls, scores: Array, threshold: float, prevalence: float | None) -> Pool:
        """Put scores in order. Raises InputError if the threshold does not divide them, or a prevalence has no use."""
        low, high = scores.min(), scores.max()
        begin = in_precision(threshold, scores.dtype)
        ordered = ScoresInOrder.of(scores, begin if low < begin <= high else None)
        n_below = int(ordered.cases[ordered.least < begin].sum())
        if n_below in (0, scores.size):
            where = "All scores reach" if n_below == 0 else "No score reaches"
            raise InputError(
                f"{where} the threshold {threshold:g} (scores: {low:.4g} to {high:.4g}). Use a threshold "
                f"above {low:.4g} and at most {high:.4g}."
            )
        if (low < 0 or high > 1) and prevalence is not None:
            raise InputError(
                f"A prevalence has no effect on scores outside 0 to 1 ({low:.4g} to "
                f"{high:.4g}). Remove {hint('prevalence=', '--prevalence')}."
            )
        return cls(ordered, n_below, None if low < 0 or high > 1 else planned_shares(ordered, prevalence))

    def strata(self, above: int, below: int) -> Strata:
        """Return strata of equal spread on each side, or by ranks where scores are outside 0 to 1."""
        if self.planned is None:
            places = self._by_ranks(above, below)
        else:
            places = [
                *self._equal(0, self.n_below, below),
                self.n_below,
                *self._equal(self.n_below, self.ordered.scores.size, above),
            ]
        ordered, edges = self.ordered.divided(places)
        sizes, sums = ordered.sums_by(edges, ordered.cases, ordered.sums)
        is_called = np.cumsum(sizes) > self.n_below
        planned = None
        if self.planned is not None:
            shares = self.planned(ordered.means)
            by_group = (ordered.cases * shares, ordered.cases * np.sqrt(shares * (1 - shares)))
            positives, spreads = ordered.sums_by(edges, *by_group)
            planned = Planned(sizes.astype(float), is_called, positives / sizes, spreads)
        return Strata(edges, sizes.astype(float), is_called, sums / sizes, planned)

    def edges(self, parts: int) -> Array:
        """Return the least score of each but the first of parts of equal spread, of scores all below the threshold."""
        return self.ordered.divided(self._equal(0, self.n_below, parts))[1]

    def _by_ranks(self, above: int, below: int) -> list[int]:
        """Return the first places of strata by ranks: below of 2, 4, 8 … times the predicted positives."""
        called = self.ordered.scores.size - self.n_below
        behind = np.cumsum([called * 2 ** (k + 1) for k in range(below - 1)]).tolist()
        places = [self.n_below - size for size in behind if size < self.n_below]
        return [*places, *(self.n_below + called * k // above for k in range(above))]

    def _equal(self, begin: int, end: int, parts: int) -> Iterator[int]:
        """Yield the places that divide cases in order into parts of equal spread.

        Cases of one group share its spread, which rises and falls only once in order of the scores.
        """
        assert self.planned is not None
        behind = np.cumsum(self.ordered.cases)
        of_side = (behind > begin) & (behind <= end)
        shares, cases = self.planned(self.ordered.means[of_side]), self.ordered.cases[of_side]
        sums = np.cumsum(cases * np.sqrt(shares * (1 - shares)))
        for part in range(1, parts):
            wanted = sums[-1] * part / parts
            k = int(np.searchsorted(sums, wanted))
            before = sums[k - 1] if k else 0.0
            inside = int((wanted - before) / (sums[k] - before) * cases[k]) if sums[k] > before else 0
            place = int(behind[of_side][k]) - int(cases[k]) + min(inside, int(cases[k]) - 1)
            if place < end:
                yield place


def planned_shares(ordered: ScoresInOrder, prevalence: float | None) -> Callable[[Array], Array]:
    """Return planned shares as a function of scores: moved on the logit to a prevalence, then towards the mean."""
    mean = float(ordered.sums.sum() / ordered.scores.size)
    if prevalence is None:
        return lambda scores: (1 - DISTRUST) * scores.astype(float) + DISTRUST * mean
    from scipy.special import expit, logit

    with np.errstate(divide="ignore"):
        shift = shift_to(*ordered.some(_ENOUGH), prevalence)
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
