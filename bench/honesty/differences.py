"""Differences of two models or two groups, and tests of them: what intervals cover, and how often tests claim wrongly.

Where both models are equally good, a claim is an error of type I. Labels are drawn as counts of the joint cells, which
functions of arrays get all at once; scores are drawn as rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy import stats

from bench.honesty.cells import LEVEL, OURS, TEST, of_claims
from bench.honesty.populations import Population
from bench.honesty.rows import Sample, ends_of, enough, ordered, truths_of
from bench.honesty.run import Asked, Found, Setting
from classay.comparison.cases.aucs import all_equal, aucs_of, compare_aucs, compare_aucs_by_z
from classay.comparison.cases.label_measures import ClusterRows, LabelPair, compare_labels
from classay.comparison.cases.score_measures import (
    ENOUGH_OF_CLASS,
    PanelScores,
    compare_average_precision,
    compare_losses,
    compare_scores,
)
from classay.comparison.comparison import Comparison
from classay.inference.design import Design
from classay.inference.estimate import Estimate
from classay.inference.proportions import INDEPENDENT_METHODS, newcombe_paired, normal_quantile, tango
from classay.inference.significance import asymptotic_p, corrected_p, difference, exact_p, mid_p
from classay.measures import get
from classay.tables import ConfusionMatrix, PairedCounts, PairedTable

ALPHA = 1 - LEVEL
FAMILY = "comparisons"


def is_directionless(measure: str) -> bool:
    """Whether a test has no side."""
    return "all equal" in measure


class Record:
    """Ends of a batch by measure and way, filled sample by sample."""

    def __init__(self, samples: int) -> None:
        self.samples = samples
        self.found: Found = {}

    def put(self, measure: str, way: str, place: int, ends: tuple[float, float]) -> None:
        """The ends of a sample."""
        if (measure, way) not in self.found:
            self.found[measure, way] = np.full((self.samples, 2), np.nan)
        self.found[measure, way][place] = ends

    def claim(self, measure: str, way: str, place: int, p: float, sign: float) -> None:
        """What a test says of a sample."""
        claims = np.nan if np.isnan(p) else np.sign(sign) if p <= ALPHA else 0.0
        self.put(measure, way, place, tuple(of_claims([claims])[0]))

    def comparison(self, name: str, place: int, one: Comparison, way: str = OURS) -> None:
        """The interval and the test of a comparison."""
        effect = one.effect or Estimate.undefined("")
        self.put(name, way, place, ends_of(effect))
        if self.is_null:
            self.claim(name + TEST, way, place, one.p, effect.value)

    is_null = True


# -- proportions of the same cases, on counts --------------------------------------------------------


def paired_proportions(group: str, name: str, n: int, shares: Sequence[float]) -> Setting:
    """Both right, only the first, only the second, neither: by arrays."""
    _, b, c, _ = shares

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        counts = PairedCounts(*rng.multinomial(n, shares, size=samples).T)
        first, second = counts.first, counts.second
        sign = np.sign(first - second)
        delta = (first - second) / n
        half = normal_quantile(LEVEL) * np.sqrt(first + second - (first - second) ** 2 / n) / n
        found: Found = {
            ("accuracy", OURS): np.stack(tango(counts, LEVEL), -1),
            ("accuracy", "Newcombe"): np.stack(newcombe_paired(counts, LEVEL), -1),
            ("accuracy", "Wald"): np.stack([delta - half, delta + half], -1),
        }
        if b == c:
            tests = {
                OURS: mid_p,
                "McNemar, exact": exact_p,
                "McNemar, asymptotic": asymptotic_p,
                "McNemar, continuity-corrected": corrected_p,
            }
            for way, p in tests.items():
                claims = np.where(p(first, second) <= ALPHA, sign, 0)
                found["accuracy" + TEST, way] = of_claims(claims)
        return {key: each for key, each in found.items() if key[0] in asked.among([key[0]])}

    return Setting(
        FAMILY, group, name, n * min(shares[1] + shares[2], 1.0), simulate, lambda: {"accuracy": b - c}
    )


def two_proportions(group: str, n: tuple[int, int], p: tuple[float, float]) -> Setting:
    """Proportions of different cases: by arrays."""

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        x1, x2 = (rng.binomial(size, share, samples) for size, share in zip(n, p, strict=True))
        found: Found = {
            ("proportion", OURS if name == "Newcombe" else name): np.stack(of(x1, n[0], x2, n[1], LEVEL), -1)
            for name, of in INDEPENDENT_METHODS.items()
        }
        if p[0] == p[1]:
            pooled = (x1 + x2) / sum(n)
            spread = np.sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]))
            apart = x1 / n[0] - x2 / n[1]
            with np.errstate(divide="ignore", invalid="ignore"):
                z = np.where(spread > 0, apart / spread, 0.0)
            rejects = np.abs(z) >= normal_quantile(LEVEL)
            found["proportion" + TEST, OURS] = of_claims(np.where(rejects, np.sign(z), 0))
            if asked.ways == "all":
                tables = zip(x1, x2, strict=True)
                exact = [stats.fisher_exact([[a, n[0] - a], [b, n[1] - b]])[1] for a, b in tables]
                claims = np.where(np.array(exact) <= ALPHA, np.sign(apart), 0)
                found["proportion" + TEST, "Fisher's exact test"] = of_claims(claims)
        return found

    name = f"{n[0]:,} and {n[1]:,}, shares {p[0]:g} and {p[1]:g}"
    least = min(size * min(share, 1 - share) for size, share in zip(n, p, strict=True))
    return Setting(FAMILY, group, name, least, simulate, lambda: {"proportion": p[0] - p[1]})


# -- labels of the same cases, on counts of the joint cells ------------------------------------------


def joint_cells(truth: Sequence[float], rates: Any, agreement: float) -> Any:
    """Shares `[true, first, second]` of two models that call class i of class j with `rates[model][i, j]`.

    With `agreement` both say what one of them says, so that each keeps its rates only where these are equal.
    """
    k = len(truth)
    cells = np.zeros((k, k, k))
    for j in range(k):
        one, other = (np.asarray(each)[:, j] for each in rates)
        together = np.minimum(one, other)
        rest = np.outer(one, other)
        shared = np.diag(together / together.sum())
        cells[j] = truth[j] * (agreement * shared + (1 - agreement) * rest)
    return cells


def paired_labels(
    group: str, name: str, names: Sequence[str], n: int, cells: Any, *, is_null: bool = True
) -> Setting:
    """Measures of labels of two models, by counts of the joint cells `[true, first, second]`."""
    k = len(cells)
    labels: Any = ordered(k)

    def matrices(counts: Any) -> tuple[ConfusionMatrix, ConfusionMatrix]:
        return ConfusionMatrix(counts.sum(2).T, labels), ConfusionMatrix(counts.sum(1).T, labels)

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        record = Record(samples)
        record.is_null = is_null
        place = 0
        while place < samples:
            counts = rng.multinomial(n, cells.ravel()).reshape(k, k, k)
            if counts.sum((1, 2)).min() < 2:
                continue
            pair = LabelPair(PairedTable(counts, labels), 1 if k == 2 else None)
            for each in asked.among(names):
                record.comparison(each, place, compare_labels(pair, get(each)))
            place += 1
        return record.found

    def truths() -> dict[str, float]:
        found = {}
        for each in names:
            values = []
            for matrix in matrices(1e9 * cells):
                of_one: Any = matrix.one_vs_rest(1) if get(each).needs == "counts" else matrix
                values.append(float(get(each)(of_one)))
            found[each] = values[0] - values[1]
        return found

    rarer = float(n * cells.sum((1, 2)).min())
    return Setting(FAMILY, group, name, rarer, simulate, cache(truths))


# -- scores of the same cases ------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Two models of one population of cases, whose scores correlate within the classes; cases in clusters, if any.

    Of a share `flipped` of the cases the truth is the other class, which neither model knows.
    """

    n: int
    share: float
    apart: tuple[float, float]
    correlation: float
    ties: int = 0
    cluster: int = 1
    flipped: float = 0.0

    @property
    def name(self) -> str:
        """In words."""
        apart = f"{self.apart[0]:g}" + ("" if self.is_null else f" and {self.apart[1]:g}")
        words = f"n = {self.n:,}, {self.share:g} positive, {apart} apart, correlation {self.correlation:g}"
        words += f", {self.ties + 1} tied scores" if self.ties else ""
        words += f", {self.flipped:.0%} score like the other class" if self.flipped else ""
        return words + (f", clusters of {self.cluster}" if self.cluster > 1 else "")

    @property
    def is_null(self) -> bool:
        """Whether both are equally good."""
        return self.apart[0] == self.apart[1]

    @property
    def populations(self) -> list[Population]:
        """That of each model."""
        return [Population(self.share, each, ties=self.ties, flipped=self.flipped) for each in self.apart]

    def draw(self, rng: np.random.Generator) -> tuple[Any, list[Any], Any]:
        """Truth, the scores of both models, and clusters; of these each model finds some harder than others."""
        groups = self.n // self.cluster
        of = np.repeat(np.arange(groups), self.cluster)
        y = rng.random(of.size) < self.share
        shared, found = rng.normal(size=of.size), []
        for population in self.populations:
            own = rng.normal(size=of.size)
            if self.cluster > 1:
                own = np.sqrt(0.5) * own + np.sqrt(0.5) * rng.normal(size=(2, groups))[y.astype(int), of]
            noise = np.sqrt(self.correlation) * shared + np.sqrt(1 - self.correlation) * own
            found.append(population.report(noise + population.apart * y))
        if self.flipped:
            y = y ^ (rng.random(of.size) < self.flipped)
        return y, found, of if self.cluster > 1 else None


OF_SCORES = ("roc_auc", "average_precision", "brier_score", "log_loss")
RESAMPLED = ("kolmogorov_smirnov", "max_f1")


def paired_scores(group: str, pair: Pair, names: Sequence[str]) -> Setting:
    """Measures of scores of two models on the same cases."""

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        record, place = Record(samples), 0
        record.is_null = pair.is_null
        while place < samples:
            y, (a, b), cluster = pair.draw(rng)
            if enough(y):
                for name, way, one in _compared(
                    PanelScores({"a": a, "b": b}, y, cluster=cluster), names, asked
                ):
                    record.comparison(name, place, one, way)
                place += 1
        return record.found

    def truths() -> dict[str, float]:
        one, other = (truths_of(each, each.share, names) for each in pair.populations)
        return {name: one[name] - other[name] for name in names}

    rarer = pair.n * pair.share if pair.cluster == 1 else pair.n / pair.cluster
    return Setting(FAMILY, group, pair.name, rarer, simulate, cache(truths))


def _compared(
    cases: PanelScores, names: Sequence[str], asked: Asked
) -> Iterator[tuple[str, str, Comparison]]:
    """The comparisons of two models in each measure, by classay's tests and others."""
    y, cluster, chosen = cases.positive, cases.cluster, asked.among(names)
    if "roc_auc" in chosen:
        aucs = aucs_of(cases.scores, y, cluster=cluster)
        yield "roc_auc", OURS, compare_aucs(aucs)[0]
        if asked.ways == "all" and cluster is None:
            yield "roc_auc", "DeLong's z (pROC)", compare_aucs_by_z(aucs)[0]
    for each, losses in [(name, get(name).losses) for name in chosen]:
        if losses is None:
            continue
        first, second = (losses(own, y) for own in cases.scores.values())
        assert first is not None
        assert second is not None
        design = Design.of_rows(y.size, cluster=cluster)
        yield each, OURS, compare_losses(first, second, measure=each, design=design)
    resampled = [get(each) for each in RESAMPLED if each in chosen]
    if "average_precision" in chosen:
        if min(y.sum(), (~y).sum()) >= ENOUGH_OF_CLASS or cluster is not None:
            yield "average_precision", OURS, compare_average_precision(cases)[0]
        else:
            resampled.append(get("average_precision"))
    for one in compare_scores(cases, resampled) if resampled else ():
        yield one.measure, OURS, one


def equal_aucs(group: str, positives: int, negatives: int, models: int, clusters: int = 0) -> Setting:
    """Several models of one AUC, classes of fixed sizes: all together, by Hotelling's F; of two by t.

    Clusters are of one class each, cases in them hard together.
    """

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        y = np.arange(positives + negatives) < positives
        record = Record(samples)
        name = "roc_auc" + TEST if models == 2 else f"roc_auc, {models} models all equal" + TEST
        for place in range(samples):
            shared = rng.normal(size=y.size)
            x = np.sqrt(0.5) * (shared + rng.normal(size=(models, y.size))) + 1.2 * y
            cluster = None
            if clusters:
                cluster = np.arange(y.size) // clusters
                x += rng.normal(size=(models, y.size // clusters))[:, cluster]
            aucs = aucs_of({str(k): each for k, each in enumerate(x)}, y, cluster=cluster)
            found = all_equal(aucs)
            sign = aucs.values[0] - aucs.values[1] if models == 2 else 1.0
            record.claim(name, OURS, place, found.p, sign)
            if np.isfinite(found.p):
                q, m = found.df, aucs.spread.degrees + 1
                assert found.statistic is not None
                assert q is not None
                squared = found.statistic * q * (m - 1) / (m - q)
                former = (
                    stats.chi2.sf(squared, q)
                    if not clusters
                    else stats.f.sf(squared, 1, aucs.spread.units.number - 1)
                )
                way = "DeLong's χ² (z of two)" if not clusters else "Obuchowski, I - 1 degrees"
                record.claim(name, way, place, float(former), sign)
        return record.found

    name = f"{positives} and {negatives} cases, {models} models" + (
        f", clusters of {clusters}" if clusters else ""
    )
    rarer = positives / max(clusters, 1)
    return Setting(FAMILY, group, name, rarer, simulate, one_sided=is_directionless)


# -- two groups of cases, or two models on different cases -------------------------------------------


def two_groups(
    family: str, group: str, n: tuple[int, int], population: Population, names: Sequence[str]
) -> Setting:
    """Measures of two independent samples of one population, compared by the limits of both."""

    def drawn(rng: np.random.Generator, size: int) -> Sample:
        while True:
            y, score = population.rows(rng, size)
            if enough(y):
                return Sample(y, score, population.share)

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        record = Record(samples)
        chosen = asked.among(names)
        for place in range(samples):
            one, other = (drawn(rng, size).estimates(chosen) for size in n)
            for name in chosen:
                made = difference(one[name], other[name])
                record.put(name, OURS, place, ends_of(made.estimate))
                record.claim(name + TEST, OURS, place, made.p, made.estimate.value)
                if asked.ways == "all" and one[name].has_interval and other[name].has_interval:
                    apart = one[name].low > other[name].high or other[name].low > one[name].high
                    p = 0.0 if apart else 1.0
                    record.claim(name + TEST, "intervals do not overlap", place, p, made.estimate.value)
        return record.found

    name = f"{n[0]:,} and {n[1]:,}, {population.share:g} positive, {population.apart:g} apart"
    least = min(n) * min(population.share, 1 - population.share)
    return Setting(family, group, name, least, simulate)


def clustered_labels(group: str, clusters: int, size: int, names: Sequence[str]) -> Setting:
    """Measures of labels of two models equally good, in clusters that each model finds harder or easier."""
    pair = Pair(clusters * size, 0.5, (1.2, 1.2), 0.3, cluster=size)

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        record = Record(samples)
        for place in range(samples):
            y, (a, b), cluster = pair.draw(rng)
            truth, first, second = (each.astype(np.int64) for each in (y, a >= 0.5, b >= 0.5))
            table = PairedTable.from_codes(truth, first, second, (0, 1))
            rows = ClusterRows((truth * 2 + first) * 2 + second, cluster)
            for name in asked.among(names):
                whole = LabelPair(table, 1, rows)
                record.comparison(name, place, compare_labels(whole, get(name)))
                if asked.ways == "all":
                    alone = compare_labels(replace(whole, rows=None), get(name))
                    record.comparison(name, place, alone, "as if independent")
        return record.found

    return Setting(FAMILY, group, pair.name, clusters, simulate)
