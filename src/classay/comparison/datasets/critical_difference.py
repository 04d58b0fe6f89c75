"""CriticalDifference: mean ranks, and which models a test does not tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from classay.comparison.claim import claim
from classay.comparison.comparison import Comparison
from classay.comparison.datasets.mean_ranks import nemenyi, nemenyi_distance
from classay.comparison.datasets.pair_tests import pairwise
from classay.comparison.datasets.results import Results
from classay.errors import InputError
from classay.shown import plot, svg

Clique = tuple[str, ...]


@dataclass(frozen=True)
class CriticalDifference:
    """What a critical-difference diagram shows.

    `models` from the best mean rank on, with their `ranks`; `cliques` are the largest groups of models of which no
    two are told apart by the pairwise tests, each from the best on; single models are none. Such groups need not be
    neighbours in rank, so that a drawn bar marks its members. `distance` is Nemenyi's critical difference, and None
    for other tests, where no one distance decides. `comparisons` are the tests, with their effects.
    """

    models: tuple[str, ...]
    ranks: tuple[float, ...]
    cliques: tuple[Clique, ...]
    method: str
    level: float
    datasets: int
    comparisons: tuple[Comparison, ...]
    distance: float | None = None

    def plot(self, ax: Any = None) -> Any:
        """Draw with matplotlib on the given axes or new ones, and return them. Needs the extra `plot`."""
        return plot(self, ax)

    def svg(self) -> str:
        """The diagram as an SVG text to put into a page."""
        return svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()


def critical_difference(results: Results, *, level: float = 0.95) -> CriticalDifference:
    """The diagram of pairwise Wilcoxon tests adjusted by Holm, the default.

    >>> from classay.comparison.datasets.results import wide_results
    >>> made = critical_difference(wide_results({"a": [3, 4, 5, 6, 7], "b": [2, 3, 4, 5, 6], "c": [1, 2, 3, 4, 5]}))
    >>> made.models, made.ranks, made.cliques  # five data sets can tell nothing apart
    (('a', 'b', 'c'), (1.0, 2.0, 3.0), (('a', 'b', 'c'),))
    """
    return of_comparisons(results, pairwise(results, level=level), level=level)


def nemenyi_difference(results: Results, *, level: float = 0.95) -> CriticalDifference:
    """The diagram of Nemenyi's test, with its critical difference. Demšar 2006, JMLR 7:1."""
    distance = nemenyi_distance(results, level)
    return of_comparisons(results, nemenyi(results, level=level), level=level, distance=distance)


def of_comparisons(
    results: Results, comparisons: Sequence[Comparison], *, level: float = 0.95, distance: float | None = None
) -> CriticalDifference:
    """The diagram of any tests of all pairs. Raises InputError when a pair has no p-value."""
    ranks = dict(zip(results.models, results.mean_ranks.tolist(), strict=True))
    order = sorted(results.models, key=lambda model: (ranks[model], results.models.index(model)))
    alike = _alike(order, comparisons)
    groups = sorted(_cliques(order, alike), key=lambda group: [order.index(model) for model in group])
    first = comparisons[0]
    method = (
        first.method if first.adjustment in (None, first.method) else f"{first.method}; {first.adjustment}"
    )
    return CriticalDifference(
        tuple(order),
        tuple(ranks[model] for model in order),
        tuple(group for group in groups if len(group) > 1),
        method,
        level,
        len(results.datasets),
        tuple(comparisons),
        distance,
    )


def _alike(models: list[str], comparisons: Sequence[Comparison]) -> dict[str, set[str]]:
    """For each model, those it is not told apart from."""
    of_pair = {frozenset(each.models): each for each in comparisons if not isnan(each.p)}
    found: dict[str, set[str]] = {model: set() for model in models}
    for i, a in enumerate(models):
        for b in models[i + 1 :]:
            if (one := of_pair.get(frozenset((a, b)))) is None:
                raise InputError(f"there is no p-value for {a!r} and {b!r}: pass a test of every pair.")
            if not claim(one).shown:
                found[a].add(b)
                found[b].add(a)
    return found


def _cliques(models: list[str], alike: dict[str, set[str]]) -> list[Clique]:
    """All largest groups whose members are pairwise alike (Bron & Kerbosch 1973), members in the order of models."""
    found: list[Clique] = []

    def grow(group: set[str], candidates: set[str], done: set[str]) -> None:
        if not candidates and not done:
            found.append(tuple(model for model in models if model in group))
            return
        pivot = max(candidates | done, key=lambda model: len(alike[model] & candidates))
        for model in [each for each in models if each in candidates - alike[pivot]]:
            grow(group | {model}, candidates & alike[model], done & alike[model])
            candidates = candidates - {model}
            done = done | {model}

    grow(set(), set(models), set())
    return found
