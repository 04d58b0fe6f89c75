"""Settings: populations whose values are known, and how samples of them are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import classay as ca
from bench.honesty.populations import TRUTHS, Population
from classay.measures import MEASURES
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

LABELS = ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "matthews_correlation")
SCORES = ("roc_auc", "average_precision", "brier_score", "log_loss", "kolmogorov_smirnov", "max_f1")
CALIBRATION = ("expected_calibration_error", "calibration_slope")
SEVERAL_LABELS = ("balanced_accuracy", "macro_f1", "macro_precision", "matthews_correlation", "cohen_kappa")
SEVERAL_SCORES = (
    "hand_till_auc",
    "macro_roc_auc",
    "weighted_roc_auc",
    "log_loss",
    "multiclass_brier_score",
)


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
    """

    group: str
    name: str
    rarer: float
    draw: Callable[[np.random.Generator], Sample | None] = field(compare=False)
    truths: Callable[[], dict[str, float]] = field(compare=False)


SETTINGS: list[Setting] = []


def truths_of(population: Population, threshold: float, names: tuple[str, ...]) -> dict[str, float]:
    """By the naive formulas where there are any, else by the measure of the population itself."""
    p, pos, neg = population.grid
    called = p >= threshold
    counts = BinaryCounts(pos[called].sum(), neg[called].sum(), pos[~called].sum(), neg[~called].sum())
    whole = ScoreTable(p, 1e15 * pos, 1e15 * neg)
    matrix = ConfusionMatrix(np.array([[counts.tn, counts.fn], [counts.fp, counts.tp]]), (0, 1))
    tables = {"counts": counts, "margins": matrix, "matrix": matrix}
    return {
        name: population.truth(name)
        if name in TRUTHS
        else float(MEASURES[name](tables.get(MEASURES[name].needs, whole)))
        for name in names
    }


def enough(truth: Any) -> bool:
    return bool(2 <= truth.sum() <= truth.size - 2)


# -- two classes -----------------------------------------------------------------------------------

TWO = "Two classes"
for n, share, apart, slope, ties in (
    (20, 0.5, 1.0, 1, 0),
    (60, 0.5, 1.0, 1, 0),
    (60, 0.3, 3.0, 1, 0),
    (100, 0.1, 1.5, 1, 0),
    (100, 0.3, 1.5, 1, 10),
    (200, 0.05, 2.0, 1, 0),
    (200, 0.5, 2.5, 1, 0),
    (315, 0.048, 2.0, 1, 0),
    (400, 0.03, 3.5, 1, 0),
    (400, 0.02, 2.0, 1, 0),
    (400, 0.05, 2.0, 1, 10),
    (400, 0.3, 1.5, 1, 0),
    (1000, 0.01, 2.0, 1, 0),
    (1000, 0.3, 1.5, 2, 0),
    (10_000, 0.01, 2.0, 1, 0),
    (10_000, 0.3, 1.5, 1, 0),
):
    population = Population(share, apart, slope, 0.0, ties)

    def draw(rng: Any, n: int = n, population: Population = population) -> Sample | None:
        truth, score = population.rows(rng, n)
        return Sample(truth, score, population.share) if enough(truth) else None

    words = f"n = {n:,}, {share:.3g} positive, {apart:g} apart"
    words += (f", slope {slope}" if slope != 1 else "") + (f", {ties + 1} tied scores" if ties else "")
    SETTINGS.append(
        Setting(
            TWO,
            words,
            n * min(share, 1 - share),
            draw,
            lambda population=population: truths_of(
                population, population.share, (*LABELS, *SCORES, *CALIBRATION)
            ),
        )
    )

# -- several classes -------------------------------------------------------------------------------

SEVERAL = "Several classes"


def class_rows(rng: Any, n: int, shares: Any, apart: float) -> tuple[Any, Any]:
    """Truth and probabilities, a little too extreme."""
    k = len(shares)
    truth = rng.choice(k, n, p=shares)
    logit = 1.3 * (apart * (rng.normal(size=(n, k)) + apart * np.eye(k)[truth]) + np.log(shares))
    p = np.exp(logit - logit.max(1, keepdims=True))
    return truth, p / p.sum(1, keepdims=True)


def rare(k: int, least: float) -> tuple[float, ...]:
    """Equal shares, but one class of this share."""
    return (*((1 - least) / (k - 1),) * (k - 1), least)


for n, shares, apart in (
    (60, (1 / 3,) * 3, 1.0),
    (60, (0.6, 0.35, 0.05), 1.5),
    (300, (0.6, 0.35, 0.05), 1.5),
    (100, (0.7, 0.2, 0.06, 0.04), 1.5),
    (400, (0.5, 0.2, 0.1, 0.1, 0.06, 0.04), 1.5),
    (1000, rare(10, 0.02), 1.0),
    (2000, rare(30, 0.01), 1.2),
):

    def draw_classes(rng: Any, n: int = n, shares: Any = shares, apart: float = apart) -> Sample | None:
        truth, p = class_rows(rng, n, shares, apart)
        least = np.bincount(truth, minlength=len(shares)).min()
        return Sample(truth, p, labels=tuple(range(len(shares)))) if least > 1 else None

    def truths_of_classes(shares: Any = shares, apart: float = apart) -> dict[str, float]:
        """By a sample so large that its error does not matter."""
        truth, p = class_rows(np.random.default_rng(9), 300_000, shares, apart)
        whole = ca.assess(truth, p)
        return {name: whole[name].value for name in (*SEVERAL_LABELS, *SEVERAL_SCORES)}

    SETTINGS.append(
        Setting(
            SEVERAL,
            f"n = {n:,}, {len(shares)} classes, rarest {min(shares):.3g}",
            n * min(shares),
            draw_classes,
            truths_of_classes,
        )
    )

# -- sampling weights ------------------------------------------------------------------------------

WEIGHTED = "Sampling weights"
UNLIKE = ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "matthews_correlation", *SCORES[:4])

for n, share, apart, chances, words in (
    (60, 0.3, 1.5, (0.9, 0.3), "mild"),
    (400, 0.3, 1.5, (0.9, 0.3), "mild"),
    (400, 0.1, 2.0, (0.9, 0.3), "mild"),
    (400, 0.3, 1.5, (0.9, 0.03), "extreme"),
    (2000, 0.3, 1.5, (0.9, 0.03), "extreme"),
):
    population = Population(share, apart)

    def draw_weighted(
        rng: Any, n: int = n, population: Population = population, chances: Any = chances
    ) -> Sample | None:
        """Of n cases, high scores kept more often than low ones, and weighted back."""
        truth, score = population.rows(rng, n)
        chance = np.where(score > population.share, *chances)
        kept = rng.random(n) < chance
        made = Sample(truth[kept], score[kept], population.share, weight=1 / chance[kept])
        return made if enough(made.truth) else None

    SETTINGS.append(
        Setting(
            WEIGHTED,
            f"{words} ({chances[0]:g} to {chances[1]:g} kept) of {n:,}, {share:.3g} positive, {apart:g} apart",
            n * share * chances[1],
            draw_weighted,
            lambda population=population: truths_of(population, population.share, UNLIKE),
        )
    )

# -- clusters --------------------------------------------------------------------------------------

CLUSTERED = "Clusters"


def cases_each(size: Any) -> str:
    return str(size) if isinstance(size, int) else f"{size[0]}–{size[1] - 1}"


def sizes(rng: Any, clusters: int, size: Any) -> Any:
    return np.full(clusters, size) if isinstance(size, int) else rng.integers(size[0], size[1], clusters)


for clusters, size, share, within, words in (
    (10, 5, 0.4, False, "truth at random"),
    (20, 5, 0.35, False, "truth at random"),
    (100, 5, 0.1, False, "truth at random"),
    (30, (1, 20), 0.35, False, "unequal sizes, truth at random"),
    (30, 8, 0.4, True, "truth the same in a cluster"),
    (100, 5, 0.1, True, "truth the same in a cluster"),
    (200, 5, 0.06, True, "truth the same in a cluster"),
):
    population = Population(share, 1.5)

    def draw_clusters(
        rng: Any,
        clusters: int = clusters,
        size: Any = size,
        within: bool = within,  # noqa: FBT001
        population: Population = population,
    ) -> Sample | None:
        """Latent scores of one cluster correlate by 0.36."""
        group = np.repeat(np.arange(clusters), sizes(rng, clusters, size))
        alone = rng.random(clusters)[group] if within else rng.random(group.size)
        truth = alone < population.share
        noise = 0.6 * rng.normal(size=clusters)[group] + 0.8 * rng.normal(size=group.size)
        score = population.report(noise + population.apart * truth)
        held = min(np.unique(group[truth == kind]).size for kind in (True, False))
        return Sample(truth, score, population.share, cluster=group) if held > 1 else None

    SETTINGS.append(
        Setting(
            CLUSTERED,
            f"{clusters} × {cases_each(size)}, {share:.3g} positive, {words}",
            clusters * share if within else min(clusters, clusters * share * 5),
            draw_clusters,
            lambda population=population: truths_of(population, population.share, UNLIKE),
        )
    )

assert len({(each.group, each.name) for each in SETTINGS}) == len(SETTINGS)
