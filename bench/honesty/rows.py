"""Samples of rows, the tables made of them, and settings: populations of scores whose values are known.

Nothing is assessed: a sample is counted into the tables that measures need, and the registry of intervals is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from bench.honesty.cells import LEVEL, OURS, ROUNDING, Cell, exact_cells
from bench.honesty.populations import TRUTHS, Population
from bench.honesty.run import Asked, Found, Setting
from classay.columns.labels import declared
from classay.inference.design import Design
from classay.inference.estimate import Estimate
from classay.inference.intervals import SampledTable
from classay.measures import Measure, get
from classay.tables import BinaryCounts, CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.rows import CodedRows, RowCells

MASS = 1e15
"""Cases that a population is taken for where a measure of a table gives its value."""
WITHIN = 0.6
"""Square root of the correlation of latent scores of one cluster."""
LARGE = 400_000
"""Cases of a sample so large that its error does not matter, for several classes."""
OF_LABELS = ("counts", "margins", "matrix")
NOTHING = (np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows as drawn: truth, a probability or one for each class, and what goes with them."""

    truth: Any
    score: Any
    threshold: float = 0.5
    weight: Any = None
    cluster: Any = None
    labels: tuple[int, ...] = (0, 1)
    known: dict[str, SampledTable] = field(default_factory=dict)

    @property
    def alike(self) -> Sample:
        """The rows as if they were independent and counted alike."""
        return replace(self, weight=None, cluster=None, known={})

    @property
    def are_alike(self) -> bool:
        return self.weight is None and self.cluster is None

    @property
    def called(self) -> Any:
        """The predicted class: by the threshold, or the greatest score."""
        return self.score >= self.threshold if self.score.ndim == 1 else self.score.argmax(1)

    def drawn(self, measure: Measure) -> SampledTable:
        """The table that a measure needs, and how its cases were drawn."""
        of_two = self.score.ndim == 1
        needs = "scores" if of_two and measure.needs == "probabilities" else measure.needs
        needs = "cases" if needs == "probabilities" else "matrix" if needs == "margins" else needs
        if needs not in self.known:
            self.known[needs] = self._of_labels(needs) if needs in OF_LABELS else self._of_scores(needs)
        return self.known[needs]

    def matrix(self) -> ConfusionMatrix:
        """The confusion matrix, with squared weights."""
        k = len(self.labels)
        place = self.called.astype(np.intp) * k + self.truth
        counts = np.bincount(place, self.weight, k * k).reshape(k, k)
        squares = None if self.weight is None else np.bincount(place, self.weight**2, k * k).reshape(k, k)
        return ConfusionMatrix(counts, self.labels, squares)

    def rows(self) -> CodedRows:
        """The rows of clusters."""
        assert self.cluster is not None
        called, true = self.called.astype(np.int64), self.truth.astype(np.int64)
        clusters = tuple(range(int(self.cluster.max()) + 1))
        return CodedRows(clusters, self.labels, self.cluster, true, called, self.score).in_order()

    def _of_labels(self, needs: str) -> SampledTable:
        matrix, k = self.matrix(), len(self.labels)
        table: Any = matrix if needs == "matrix" else matrix.one_vs_rest(1)
        if self.are_alike:
            return SampledTable(table, "alike")
        if self.cluster is None:
            squares = matrix.of_squares
            assert squares is not None
            squares = squares if needs == "matrix" else squares.one_vs_rest(1)
            return SampledTable(table, "weighted", squares=squares)
        rows = self.rows()
        assert rows.predicted is not None
        place = rows.predicted * k + rows.true
        if needs == "counts":  # true and false positives, false and true negatives
            place = 3 - place
        cells = RowCells.of(rows, place, 4 if needs == "counts" else k * k)
        return SampledTable(table, "clustered", rows=rows, cells=cells)

    def _of_scores(self, needs: str) -> SampledTable:
        if needs == "scores":
            table: Any = ScoreTable.from_rows(self.score, self.truth.astype(bool), weight=self.weight)
        else:
            kind = ClassScoreTable if needs == "class_scores" else CaseTable
            table = kind.from_rows(self.score, self.truth, self.labels, weight=self.weight)
        if self.are_alike:
            return SampledTable(table, "alike")
        if self.cluster is None:
            return SampledTable(table, "weighted")
        rows = self.rows()
        cells = Design.of_clusters(table, rows, 1).cells if needs == "scores" else None
        return SampledTable(table, "clustered", rows=rows, cells=cells)

    def estimates(self, names: Sequence[str], method: str | None = None) -> dict[str, Estimate]:
        """The estimates of measures, those of one table together."""
        measures = [get(name) for name in names]
        by_table: dict[int, list[Measure]] = {}
        tables = {id(self.drawn(each)): self.drawn(each) for each in measures}
        for each in measures:
            by_table.setdefault(id(self.drawn(each)), []).append(each)
        found: dict[Measure, Estimate] = {}
        for key, own in by_table.items():
            found |= zip(own, tables[key].estimates(own, LEVEL, method), strict=True)
        return {name: found[each] for name, each in zip(names, measures, strict=True)}


def ends_of(found: Estimate) -> tuple[float, float]:
    """The ends, NaN where there is no interval."""
    return (float(found.low), float(found.high)) if found.has_interval else NOTHING


Draw = Callable[[np.random.Generator], Sample | None]


def of_rows(
    about: tuple[str, str, str, float],
    names: Sequence[str],
    draw: Draw,
    truths: Callable[[], dict[str, float]],
) -> Setting:
    """A setting whose samples are rows; draws without two cases of each class are drawn again."""
    from bench.honesty.ways import WAYS

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        chosen = asked.among(names)
        ways = {OURS: lambda sample, _: {n: ends_of(e) for n, e in sample.estimates(chosen).items()}}
        if asked.ways == "all":
            ways |= WAYS
        ends: dict[tuple[str, str], Any] = {}
        done = 0
        while done < samples:
            sample = draw(rng)
            if sample is None:
                continue
            for way, find in ways.items():
                for name, each in find(sample, chosen).items():
                    if (name, way) not in ends:
                        ends[name, way] = np.full((samples, 2), np.nan)
                    ends[name, way][done] = each
            done += 1
        return ends

    known = cache(truths)
    return Setting(*about, simulate, known, one_sided=at_end(known))


def truths_of(population: Population, threshold: float, names: Sequence[str]) -> dict[str, float]:
    """By the naive formulas where there are any, else by the measure of the population itself."""
    p, pos, neg = population.grid
    called = p >= threshold
    counts = BinaryCounts(pos[called].sum(), neg[called].sum(), pos[~called].sum(), neg[~called].sum())
    whole = ScoreTable(p, MASS * pos, MASS * neg)
    matrix = ConfusionMatrix(np.array([[counts.tn, counts.fn], [counts.fp, counts.tp]]), (0, 1))
    tables: Mapping[str, Any] = {"counts": counts, "margins": matrix, "matrix": matrix}
    return {
        name: population.truth(name)
        if name in TRUTHS
        else float(get(name)(tables.get(get(name).needs, whole)))
        for name in names
    }


def at_end(truths: Callable[[], dict[str, float]]) -> Callable[[str], bool]:
    """Tells of which measures the true value is at the end of its range, where an interval misses on one side only."""
    return lambda name: any(abs(truths()[name] - end) < ROUNDING for end in get(name).bounds)


def enough(truth: Any) -> bool:
    """Whether both classes have two cases."""
    return bool(2 <= truth.sum() <= truth.size - 2)


def two_classes(
    family: str, group: str, names: Sequence[str], n: int, population: Population, words: str = ""
) -> Setting:
    """A cohort of n cases, called positive from the prevalence on."""

    def draw(rng: np.random.Generator) -> Sample | None:
        truth, score = population.rows(rng, n)
        return Sample(truth, score, population.share) if enough(truth) else None

    words += f"n = {n:,}, {population.share:.3g} positive, {population.apart:g} apart"
    words += f", slope {population.slope:g}" if population.slope != 1 else ""
    words += f", {population.ties + 1} tied scores" if population.ties else ""
    words += f", t{population.tail:g} scores" if np.isfinite(population.tail) else ""
    words += f", {population.flipped:.0%} flipped" if population.flipped else ""
    rarer = n * min(population.share, 1 - population.share)
    return of_rows(
        (family, group, words, rarer), names, draw, lambda: truths_of(population, population.share, names)
    )


def kept_by_score(
    family: str,
    group: str,
    names: Sequence[str],
    n: int,
    population: Population,
    chances: tuple[float, float],
    words: str,
) -> Setting:
    """Of n cases, high scores kept more often than low ones, and weighted back."""

    def draw(rng: np.random.Generator) -> Sample | None:
        truth, score = population.rows(rng, n)
        chance = np.where(score > population.share, *chances)
        kept = rng.random(n) < chance
        made = Sample(truth[kept], score[kept], population.share, weight=1 / chance[kept])
        return made if enough(made.truth) else None

    name = f"{words} ({chances[0]:g} to {chances[1]:g} kept) of {n:,}, {population.share:.3g} positive"
    name += f", {population.apart:g} apart"
    rarer = n * min(population.share, 1 - population.share) * min(chances)
    return of_rows(
        (family, group, name, rarer), names, draw, lambda: truths_of(population, population.share, names)
    )


def weighted_at_random(
    family: str, group: str, names: Sequence[str], n: int, population: Population, shape: float
) -> Setting:
    """n cases with gamma weights that have nothing to do with the case, as after a correction for non-response."""

    def draw(rng: np.random.Generator) -> Sample | None:
        truth, score = population.rows(rng, n)
        made = Sample(truth, score, population.share, weight=rng.gamma(shape, size=n))
        return made if enough(truth) else None

    name = f"gamma({shape:g}) weights of {n:,}, {population.share:.3g} positive, {population.apart:g} apart"
    # Kish's cases: (E w)² / E w² = shape / (shape + 1)
    rarer = n * min(population.share, 1 - population.share) * shape / (shape + 1)
    return of_rows(
        (family, group, name, rarer), names, draw, lambda: truths_of(population, population.share, names)
    )


Size = int | tuple[int, int]


def clustered_rows(
    rng: np.random.Generator, clusters: int, size: Size, population: Population, same: float
) -> tuple[Any, Any, Any]:
    """Truth, latent noise that correlates by `WITHIN`² and cluster of rows; see `clusters_of_cases`."""
    sizes = np.full(clusters, size) if isinstance(size, int) else rng.integers(*size, clusters)
    of = np.repeat(np.arange(clusters), sizes)
    shared = (rng.random(clusters) < same)[of]
    truth = np.where(shared, rng.random(clusters)[of], rng.random(of.size)) < population.share
    noise = WITHIN * rng.normal(size=clusters)[of] + np.sqrt(1 - WITHIN**2) * rng.normal(size=of.size)
    return truth, noise, of


def clusters_of_cases(
    family: str,
    group: str,
    names: Sequence[str],
    clusters: int,
    size: Size,
    population: Population,
    same: float,
) -> Setting:
    """Latent scores of one cluster correlate by 0.36; `same` is the share of clusters whose cases share one truth."""

    def draw(rng: np.random.Generator) -> Sample | None:
        truth, noise, of = clustered_rows(rng, clusters, size, population, same)
        score = population.report(noise + population.apart * truth)
        held = min(np.unique(of[truth == kind]).size for kind in (True, False))
        return Sample(truth, score, population.share, cluster=of) if held > 1 else None

    each = str(size) if isinstance(size, int) else f"{size[0]}–{size[1] - 1}"
    words = {0.0: "truth at random", 1.0: "truth the same in a cluster"}.get(
        same, f"truth the same in {same:.0%} of clusters"
    )
    unequal = "" if isinstance(size, int) else "unequal sizes, "
    mean = size if isinstance(size, int) else (size[0] + size[1] - 1) / 2
    least = min(population.share, 1 - population.share)
    holding = clusters * (same * least + (1 - same) * (1 - (1 - least) ** mean))
    name = (
        f"{clusters} × {each}, {population.share:.3g} positive, {population.apart:g} apart, {unequal}{words}"
    )
    return of_rows(
        (family, group, name, min(clusters, holding)),
        names,
        draw,
        lambda: truths_of(population, population.share, names),
    )


# -- several classes ---------------------------------------------------------------------------------


def class_rows(rng: np.random.Generator, n: int, shares: Any, apart: float) -> tuple[Any, Any]:
    """Truth and probabilities, a little too extreme."""
    k = len(shares)
    truth = rng.choice(k, n, p=shares)
    return truth, class_scores(rng.normal(size=(n, k)), truth, shares, apart)


def class_scores(noise: Any, truth: Any, shares: Any, apart: float) -> Any:
    """Probabilities of standard normal noise `(n, classes)` about the truth."""
    logit = 1.3 * (apart * (noise + apart * np.eye(len(shares))[truth]) + np.log(shares))
    p = np.exp(logit - logit.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


@cache
def class_truths(names: tuple[str, ...], shares: tuple[float, ...], apart: float) -> dict[str, float]:
    """By a sample so large that its error does not matter."""
    n = LARGE if len(shares) <= 10 else LARGE // 4
    whole = Sample(*class_rows(np.random.default_rng(9), n, shares, apart), labels=ordered(len(shares)))
    return {name: float(get(name)(whole.drawn(get(name)).table)) for name in names}


def ordered(k: int) -> tuple[int, ...]:
    """Labels in an order, so that ordinal measures are defined."""
    labels = declared(range(k), ordered=True)
    assert labels is not None
    return labels  # type: ignore[return-value]


def rare(k: int, least: float) -> tuple[float, ...]:
    """Equal shares, but one class of this share."""
    return (*((1 - least) / (k - 1),) * (k - 1), least)


def several_classes(
    family: str, group: str, names: Sequence[str], n: int, shares: tuple[float, ...], apart: float
) -> Setting:
    """A cohort of n cases of several classes."""
    k = len(shares)

    def draw(rng: np.random.Generator) -> Sample | None:
        truth, p = class_rows(rng, n, shares, apart)
        return Sample(truth, p, labels=ordered(k)) if np.bincount(truth, minlength=k).min() > 1 else None

    words = f"n = {n:,}, {k} classes, rarest {min(shares):.3g}, {apart:g} apart"
    about = family, group, words, n * min(shares)
    truths = cache(lambda: class_truths(tuple(names), shares, apart))
    top = [name for name in names if name.startswith("top_") and name.endswith("accuracy")]

    def enumerated() -> list[Cell]:
        return [cell for name in top for cell in exact_cells(about, name, n, 1.0, truths()[name])]

    of_others = [name for name in names if name not in top]
    return replace(of_rows(about, of_others, draw, truths), enumerated=enumerated)


def several_kept(
    family: str,
    group: str,
    names: Sequence[str],
    n: int,
    shares: tuple[float, ...],
    apart: float,
    chances: tuple[float, float],
) -> Setting:
    """Of n cases of several classes, those whose first class is likely kept less often, and weighted back."""
    k = len(shares)

    def draw(rng: np.random.Generator) -> Sample | None:
        truth, p = class_rows(rng, n, shares, apart)
        chance = np.where(p[:, 0] > 0.5, *chances[::-1])
        kept = rng.random(n) < chance
        if np.bincount(truth[kept], minlength=k).min() < 2:
            return None
        return Sample(truth[kept], p[kept], weight=1 / chance[kept], labels=ordered(k))

    words = f"{chances[0]:g} to {chances[1]:g} kept of {n:,}, {k} classes, rarest {min(shares):.3g}, {apart:g} apart"
    about = family, group, words, n * min(shares) * min(chances)
    return of_rows(about, names, draw, lambda: class_truths(tuple(names), shares, apart))


def several_in_clusters(
    family: str,
    group: str,
    names: Sequence[str],
    clusters: int,
    size: int,
    shares: tuple[float, ...],
    apart: float,
    same: float,
) -> Setting:
    """Clusters whose noise correlates by 0.36; `same` is the share of clusters whose cases share one truth."""
    k = len(shares)

    def draw(rng: np.random.Generator) -> Sample | None:
        of = np.repeat(np.arange(clusters), size)
        alone, shared = rng.choice(k, of.size, p=shares), rng.choice(k, clusters, p=shares)[of]
        truth = np.where((rng.random(clusters) < same)[of], shared, alone)
        noise = WITHIN * rng.normal(size=(clusters, k))[of]
        noise = noise + np.sqrt(1 - WITHIN**2) * rng.normal(size=(of.size, k))
        held = min(np.unique(of[truth == kind]).size for kind in range(k))
        made = Sample(truth, class_scores(noise, truth, shares, apart), cluster=of, labels=ordered(k))
        return made if held > 1 else None

    words = {0.0: "truth at random", 1.0: "truth the same in a cluster"}[same]
    name = f"{clusters} × {size}, {k} classes, rarest {min(shares):.3g}, {apart:g} apart, {words}"
    holding = clusters * (same * min(shares) + (1 - same) * (1 - (1 - min(shares)) ** size))
    about = family, group, name, holding
    return of_rows(about, names, draw, lambda: class_truths(tuple(names), shares, apart))
