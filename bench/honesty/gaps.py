"""The largest gap and the least ratio of several groups: what their intervals cover, and those of a bootstrap.

Rates are drawn as counts, all else as rows. Where all groups are alike the true gap is 0, the end of its range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np

import classay as ca
from bench.honesty.cells import LEVEL, OURS
from bench.honesty.differences import Record
from bench.honesty.rows import ends_of
from bench.honesty.run import Asked, Found, Setting
from classay.inference.estimate import Estimate
from classay.inference.proportions import wilson

FAMILY = "disparities"
BOOTSTRAP, BASIC, BONFERRONI = "percentile bootstrap", "basic bootstrap", "Bonferroni, both ends"
REPLICATES = 1000
GAP, RATIO = "largest gap of recall", "least ratio of recall"


def rates(x: Any, n: Any, level: float) -> list[Estimate]:
    """Rates with their Wilson limits."""
    limits = zip(*wilson(x, n, level), strict=True)
    return [
        Estimate(float(hits / of), float(low), float(high), level, "Wilson")
        for hits, of, (low, high) in zip(x, n, limits, strict=True)
    ]


def of_rates(name: str, n: Sequence[int], p: Sequence[float]) -> Setting:
    """Groups of so many positives each, found with these rates: by counts."""
    sizes, truth = np.array(n), np.array(p)
    is_null = float(np.ptp(truth)) == 0

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        from classay.groups.extremes import largest_gap, least_ratio, level_of, quantile_of_pairs

        record = Record(samples)
        strict_level = level_of(quantile_of_pairs(sizes.size, LEVEL))
        for place, x in enumerate(rng.binomial(sizes, truth, (samples, sizes.size))):
            strict, plain = (rates(x, sizes, level) for level in (strict_level, LEVEL))
            for measure, of in ((GAP, largest_gap), (RATIO, least_ratio)):
                found = of(strict, plain)
                record.put(measure, OURS, place, (found.low, found.high))
            if asked.ways == "all":
                for (measure, way), ends in others(rng, x, sizes).items():
                    record.put(measure, way, place, ends)
        return {key: each for key, each in record.found.items() if key[0] in asked.among([key[0]])}

    least = float((sizes * np.minimum(truth, 1 - truth)).min().round(9))
    return Setting(
        FAMILY,
        "Rates of groups",
        name,
        least,
        simulate,
        lambda: {GAP: float(np.ptp(truth)), RATIO: float(truth.min() / truth.max())},
        one_sided=lambda measure: is_null,
    )


def others(rng: np.random.Generator, x: Any, n: Any) -> dict[tuple[str, str], tuple[float, float]]:
    """Gap and ratio by resampling the cases of each group, and by Newcombe's intervals of all pairs at one level.

    The ratio of no case in any group is none, and replicates of it are left out, as `numpy.nanquantile` does.
    """
    from classay.groups.extremes import largest_gap, least_ratio

    again = rng.binomial(n, x / n, (REPLICATES, n.size)) / n
    tails = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    pairs = n.size * (n.size - 1) / 2
    each = rates(x, n, 1 - (1 - LEVEL) / pairs)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for measure, seen, replicates, of in (
        (GAP, float(np.ptp(x / n)), np.ptp(again, axis=1), largest_gap),
        (RATIO, _ratio((x / n)[None])[0], _ratio(again), least_ratio),
    ):
        known = replicates[np.isfinite(replicates)]
        if np.isnan(seen) or not known.size:
            continue
        low, high = (float(end) for end in np.quantile(known, tails))
        found[measure, BOOTSTRAP] = low, high
        found[measure, BASIC] = max(0.0, 2 * seen - high), min(1.0, 2 * seen - low)
        both = of(each, each)
        found[measure, BONFERRONI] = both.low, both.high
    return found


def _ratio(of_groups: Any) -> Any:
    """The least rate over the highest one, NaN where all are 0."""
    with np.errstate(invalid="ignore"):
        return of_groups.min(1) / of_groups.max(1)


Rows = Callable[[np.random.Generator], dict[str, Any]]
Unlike = Callable[[np.random.Generator, Any], tuple[Any, dict[str, Any]]]
"""The noise of the scores of cases, and what else `assess_by` is told of them, from the group of each."""


def of_rows(name: str, rarer: float, draw: Rows, truths: dict[str, float]) -> Setting:
    """Gaps of groups of rows, by `assess_by`."""

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        record = Record(samples)
        chosen = asked.among([*truths])
        for place in range(samples):
            g = ca.assess_by(**draw(rng), positive=1)
            for measure in chosen:
                found = g.estimate(measure)
                record.put(measure, OURS, place, ends_of(found))
        return record.found

    return Setting(
        FAMILY,
        "Rows of groups",
        name,
        rarer,
        simulate,
        cache(lambda: truths),
        most=2000,
        why="each of them assesses every group",
        one_sided=lambda measure: truths[measure] in (0.0, 1.0),
    )


GAPS = (
    "disparity(recall)",
    "disparity_ratio(predicted_prevalence)",
    "equalised_odds_gap",
    "disparity(roc_auc)",
)
OF_PROBABILITIES = ("disparity(calibration_in_the_large)", "disparity(mean_probability_of_positives)")
ALIKE = dict.fromkeys(GAPS, 0.0) | {"disparity_ratio(predicted_prevalence)": 1.0}


def drawn(groups: int, size: int, *, share: float = 0.4, behind: float = 0.0, unlike: Unlike) -> Rows:
    """Groups of a size each, one of which is `behind`: its positives score lower. Scores are honest probabilities."""

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        group = np.repeat(np.arange(groups), size)
        y = (rng.random(group.size) < share).astype(int)
        noise, more = unlike(rng, group)
        apart = 1.5 - behind * (group == 0)
        x = noise + apart * y
        log_odds = apart * x - apart**2 / 2 + np.log(share / (1 - share))
        return {"y_true": y, "y_score": 1 / (1 + np.exp(-log_odds)), "by": group, **more}

    return draw


def alone(rng: np.random.Generator, group: Any) -> tuple[Any, dict[str, Any]]:
    """Cases that count alike."""
    return rng.normal(size=group.size), {}


def weighted(rng: np.random.Generator, group: Any) -> tuple[Any, dict[str, Any]]:
    """Sampling weights that say nothing of the case."""
    return rng.normal(size=group.size), {"weight": np.exp(0.7 * rng.normal(size=group.size))}


def clustered(size: int, *, across: bool) -> Unlike:
    """Clusters of a size, within a group or with rows in all of them; cases of one are hard together."""

    def unlike(rng: np.random.Generator, group: Any) -> tuple[Any, dict[str, Any]]:
        number = group.size // size
        of = np.arange(group.size) // size
        if across:
            of = np.arange(group.size) % number
        shared = rng.normal(size=number)[of]
        return np.sqrt(0.3) * shared + np.sqrt(0.7) * rng.normal(size=group.size), {"cluster": of}

    return unlike


def true_gaps(behind: float, share: float = 0.4) -> dict[str, float]:
    """The gaps of one group behind all others, alike among themselves."""
    norm = NormalDist()
    found = []
    for apart in (1.5, 1.5 - behind):
        cut = (apart**2 / 2 - np.log(share / (1 - share))) / apart  # where the log-odds are 0
        recall, fall_out = 1 - norm.cdf(cut - apart), 1 - norm.cdf(cut)
        auc = norm.cdf(apart / np.sqrt(2))
        found.append((recall, fall_out, share * recall + (1 - share) * fall_out, auc))
    (recall, fall_out, called, auc), (other_recall, other_fall_out, other_called, other_auc) = found
    gaps = abs(recall - other_recall), abs(fall_out - other_fall_out)
    ratio = min(called, other_called) / max(called, other_called)
    values = (gaps[0], ratio, max(gaps), abs(auc - other_auc))
    return {name: float(each) for name, each in zip(GAPS, values, strict=True)}


def settings() -> Iterator[Setting]:
    """All of them."""
    for groups, n in ((2, 50), (3, 200), (5, 50), (10, 50), (10, 200), (30, 50), (30, 200), (50, 100)):
        yield of_rates(f"{groups} alike, {n} positives each, recall 0.8", [n] * groups, [0.8] * groups)
    for groups, n, p in ((10, 100, 0.97), (10, 200, 0.03), (5, 400, 0.03), (30, 400, 0.03)):
        yield of_rates(f"{groups} alike, {n} positives each, recall {p:g}", [n] * groups, [p] * groups)
    yield of_rates("2, one behind, 100 positives each, recall 0.8 and 0.65", [100] * 2, [0.8, 0.65])
    for groups, n in ((5, 100), (10, 200), (30, 200), (50, 100)):
        p = [0.65] + [0.8] * (groups - 1)
        yield of_rates(f"{groups}, one behind, {n} positives each, recall 0.8 and 0.65", [n] * groups, p)
    for groups in (10, 50):
        spread = np.linspace(0.6, 0.9, groups)
        yield of_rates(f"{groups} spread, 200 positives each, recall 0.6 to 0.9", [200] * groups, spread)
    sizes = [20, 40, 80, 160, 320, 640]
    yield of_rates("6 alike, 20 to 640 positives, recall 0.8", sizes, [0.8] * 6)
    yield of_rates(
        "6, the smallest behind, 20 to 640 positives, recall 0.8 and 0.6", sizes, [0.6] + [0.8] * 5
    )
    honest = ALIKE | dict.fromkeys(OF_PROBABILITIES, 0.0)
    yield of_rows("5 alike, 150 cases each", 60, drawn(5, 150, unlike=alone), honest)
    yield of_rows(
        "5, one behind, 150 cases each", 60, drawn(5, 150, behind=0.6, unlike=alone), true_gaps(0.6)
    )
    yield of_rows(
        "5 alike, 400 cases each, 0.05 positive", 20, drawn(5, 400, share=0.05, unlike=alone), honest
    )
    yield of_rows("5 alike, 200 cases each, weights", 60, drawn(5, 200, unlike=weighted), honest)
    behind = drawn(5, 200, behind=0.6, unlike=weighted)
    yield of_rows("5, one behind, 200 cases each, weights", 60, behind, true_gaps(0.6))
    for across in (False, True):
        where = "across groups" if across else "within groups"
        unlike = clustered(10, across=across)
        yield of_rows(f"4 alike, 25 clusters of 10 each, {where}", 25, drawn(4, 250, unlike=unlike), ALIKE)
        behind = drawn(4, 250, behind=0.6, unlike=unlike)
        yield of_rows(f"4, one behind, 25 clusters of 10 each, {where}", 25, behind, true_gaps(0.6))
    of_many = drawn(10, 200, behind=0.6, unlike=clustered(20, across=True))
    yield of_rows("10, one behind, 100 clusters of 20, across groups", 60, of_many, true_gaps(0.6))
