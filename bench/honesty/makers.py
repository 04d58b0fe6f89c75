"""What settings are made of: how samples of a population are drawn, and the true value of each measure there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import classay as ca
from bench.honesty.populations import TRUTHS, Population
from classay.measures import get
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

MASS = 1e15
"""Cases that a population is taken for where a measure of a table gives its value."""
WITHIN = 0.6
"""Square root of the correlation of latent scores of one cluster."""


@dataclass(frozen=True)
class Sample:
    """Rows as drawn: truth, a probability or one for each class, and what goes with them."""

    truth: Any
    score: Any
    threshold: float | None = None
    weight: Any = None
    cluster: Any = None
    labels: tuple[int, ...] | None = None

    def assess(self, level: float, **without: Any) -> ca.Assessment:
        """The assessment; `without` replaces columns, by None to ignore them."""
        columns = {"weight": self.weight, "cluster": self.cluster} | without
        more = {} if self.labels is None else {"labels": self.labels}
        if self.threshold is not None:
            more["threshold"] = self.threshold
        return ca.assess(self.truth, self.score, level=level, **columns, **more)


@dataclass(frozen=True)
class Setting:
    """A row of a table: what is drawn, the true value of each measure, and how many cases the rarer class has.

    `rarer` counts what the promise is about: cases of the smallest class, or clusters that hold it, as expected.
    `most` is how many samples it gets at most.
    """

    group: str
    name: str
    rarer: float
    draw: Callable[[np.random.Generator], Sample | None] = field(compare=False)
    truths: Callable[[], dict[str, float]] = field(compare=False)
    most: int | None = None

    def samples(self, wanted: int) -> int:
        """How many of the samples wanted it gets."""
        return wanted if self.most is None else min(wanted, self.most)


def truths_of(population: Population, threshold: float, names: tuple[str, ...]) -> dict[str, float]:
    """By the naive formulas where there are any, else by the measure of the population itself."""
    p, pos, neg = population.grid
    called = p >= threshold
    counts = BinaryCounts(pos[called].sum(), neg[called].sum(), pos[~called].sum(), neg[~called].sum())
    whole = ScoreTable(p, MASS * pos, MASS * neg)
    matrix = ConfusionMatrix(np.array([[counts.tn, counts.fn], [counts.fp, counts.tp]]), (0, 1))
    tables = {"counts": counts, "margins": matrix, "matrix": matrix}
    return {
        name: population.truth(name)
        if name in TRUTHS
        else float(get(name)(tables.get(get(name).needs, whole)))
        for name in names
    }


def enough(truth: Any) -> bool:
    """Whether both classes have two cases."""
    return bool(2 <= truth.sum() <= truth.size - 2)


def two_classes(
    group: str, names: tuple[str, ...], n: int, population: Population, least: float | None = None
) -> Setting:
    """A cohort of n cases, called positive from the prevalence on."""

    def draw(rng: Any) -> Sample | None:
        truth, score = population.rows(rng, n)
        return Sample(truth, score, population.share) if enough(truth) else None

    words = f"n = {n:,}, {population.share:.3g} positive, {population.apart:g} apart"
    words += f", slope {population.slope:g}" if population.slope != 1 else ""
    words += f", {population.ties + 1} tied scores" if population.ties else ""
    words += f", t{population.tail:g} scores" if np.isfinite(population.tail) else ""
    rarer = n * min(population.share, 1 - population.share) if least is None else least
    return Setting(group, words, rarer, draw, cache(lambda: truths_of(population, population.share, names)))


def class_rows(rng: Any, n: int, shares: Any, apart: float) -> tuple[Any, Any]:
    """Truth and probabilities, a little too extreme."""
    k = len(shares)
    truth = rng.choice(k, n, p=shares)
    return truth, class_scores(rng.normal(size=(n, k)), truth, shares, apart)


def class_scores(noise: Any, truth: Any, shares: Any, apart: float) -> Any:
    """Probabilities of standard normal noise `(n, classes)` about the truth."""
    logit = 1.3 * (apart * (noise + apart * np.eye(len(shares))[truth]) + np.log(shares))
    p = np.exp(logit - logit.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def class_truths(names: tuple[str, ...], shares: Any, apart: float) -> dict[str, float]:
    """By a sample so large that its error does not matter."""
    whole = ca.assess(*class_rows(np.random.default_rng(9), 300_000, shares, apart))
    return {name: float(get(name)(whole.table(get(name)))) for name in names}


def rare(k: int, least: float) -> tuple[float, ...]:
    """Equal shares, but one class of this share."""
    return (*((1 - least) / (k - 1),) * (k - 1), least)


def several_classes(
    group: str, names: tuple[str, ...], n: int, shares: tuple[float, ...], apart: float
) -> Setting:
    """A cohort of n cases of several classes."""
    labels = tuple(range(len(shares)))

    def draw(rng: Any) -> Sample | None:
        truth, p = class_rows(rng, n, shares, apart)
        least = np.bincount(truth, minlength=len(shares)).min()
        return Sample(truth, p, labels=labels) if least > 1 else None

    words = f"n = {n:,}, {len(shares)} classes, rarest {min(shares):.3g}"
    return Setting(group, words, n * min(shares), draw, cache(lambda: class_truths(names, shares, apart)))


def several_kept(
    group: str,
    names: tuple[str, ...],
    n: int,
    shares: tuple[float, ...],
    apart: float,
    chances: tuple[float, float],
) -> Setting:
    """Of n cases of several classes, those whose first class is likely kept less often, and weighted back."""

    def draw(rng: Any) -> Sample | None:
        truth, p = class_rows(rng, n, shares, apart)
        chance = np.where(p[:, 0] > 0.5, *chances[::-1])
        kept = rng.random(n) < chance
        least = np.bincount(truth[kept], minlength=len(shares)).min()
        return (
            Sample(truth[kept], p[kept], weight=1 / chance[kept], labels=(*range(len(shares)),))
            if least > 1
            else None
        )

    words = f"{chances[0]:g} to {chances[1]:g} kept of {n:,}, {len(shares)} classes, rarest {min(shares):.3g}"
    rarer = n * min(shares) * chances[1]
    return Setting(group, words, rarer, draw, cache(lambda: class_truths(names, shares, apart)))


def several_in_clusters(
    group: str,
    names: tuple[str, ...],
    clusters: int,
    size: int,
    shares: tuple[float, ...],
    apart: float,
    same: float,
) -> Setting:
    """Clusters whose noise correlates by 0.36; `same` is the share of clusters whose cases share one truth."""

    def draw(rng: Any) -> Sample | None:
        of, k = np.repeat(np.arange(clusters), size), len(shares)
        alone, shared = rng.choice(k, of.size, p=shares), rng.choice(k, clusters, p=shares)[of]
        truth = np.where((rng.random(clusters) < same)[of], shared, alone)
        noise = WITHIN * rng.normal(size=(clusters, k))[of]
        noise = noise + np.sqrt(1 - WITHIN**2) * rng.normal(size=(of.size, k))
        held = min(np.unique(of[truth == kind]).size for kind in range(k))
        made = Sample(truth, class_scores(noise, truth, shares, apart), cluster=of, labels=(*range(k),))
        return made if held > 1 else None

    words = {0.0: "truth at random", 1.0: "truth the same in a cluster"}[same]
    name = f"{clusters} × {size}, {len(shares)} classes, rarest {min(shares):.3g}, {words}"
    holding = clusters * (same * min(shares) + (1 - same) * (1 - (1 - min(shares)) ** size))
    return Setting(group, name, holding, draw, cache(lambda: class_truths(names, shares, apart)))


def kept_by_score(
    group: str,
    names: tuple[str, ...],
    n: int,
    population: Population,
    chances: tuple[float, float],
    words: str,
) -> Setting:
    """Of n cases, high scores kept more often than low ones, and weighted back."""

    def draw(rng: Any) -> Sample | None:
        truth, score = population.rows(rng, n)
        chance = np.where(score > population.share, *chances)
        kept = rng.random(n) < chance
        made = Sample(truth[kept], score[kept], population.share, weight=1 / chance[kept])
        return made if enough(made.truth) else None

    name = f"{words} ({chances[0]:g} to {chances[1]:g} kept) of {n:,}, {population.share:.3g} positive"
    name += f", {population.apart:g} apart"
    rarer = n * population.share * chances[1]
    return Setting(group, name, rarer, draw, cache(lambda: truths_of(population, population.share, names)))


def weighted_at_random(
    group: str, names: tuple[str, ...], n: int, population: Population, shape: float
) -> Setting:
    """n cases with gamma weights that have nothing to do with the case, as after a correction for non-response."""

    def draw(rng: Any) -> Sample | None:
        truth, score = population.rows(rng, n)
        made = Sample(truth, score, population.share, weight=rng.gamma(shape, size=n))
        return made if enough(truth) else None

    name = f"gamma({shape:g}) weights of {n:,}, {population.share:.3g} positive, {population.apart:g} apart"
    # Kish's cases: (E w)² / E w² = shape / (shape + 1)
    rarer = n * population.share * shape / (shape + 1)
    return Setting(group, name, rarer, draw, cache(lambda: truths_of(population, population.share, names)))


def clusters_of_cases(
    group: str,
    names: tuple[str, ...],
    clusters: int,
    size: int | tuple[int, int],
    population: Population,
    same: float,
) -> Setting:
    """Latent scores of one cluster correlate by 0.36; `same` is the share of clusters whose cases share one truth."""

    def draw(rng: Any) -> Sample | None:
        sizes = np.full(clusters, size) if isinstance(size, int) else rng.integers(*size, clusters)
        group_of = np.repeat(np.arange(clusters), sizes)
        shared = (rng.random(clusters) < same)[group_of]
        alone = np.where(shared, rng.random(clusters)[group_of], rng.random(group_of.size))
        truth = alone < population.share
        noise = WITHIN * rng.normal(size=clusters)[group_of]
        noise = noise + np.sqrt(1 - WITHIN**2) * rng.normal(size=group_of.size)
        score = population.report(noise + population.apart * truth)
        held = min(np.unique(group_of[truth == kind]).size for kind in (True, False))
        return Sample(truth, score, population.share, cluster=group_of) if held > 1 else None

    each = str(size) if isinstance(size, int) else f"{size[0]}–{size[1] - 1}"
    words = {0.0: "truth at random", 1.0: "truth the same in a cluster"}.get(
        same, f"truth the same in {same:.0%} of clusters"
    )
    unequal = "" if isinstance(size, int) else "unequal sizes, "
    mean = size if isinstance(size, int) else (size[0] + size[1] - 1) / 2
    holding = clusters * (same * population.share + (1 - same) * (1 - (1 - population.share) ** mean))
    name = f"{clusters} × {each}, {population.share:.3g} positive, {unequal}{words}"
    return Setting(
        group,
        name,
        min(clusters, holding),
        draw,
        cache(lambda: truths_of(population, population.share, names)),
    )
