"""Coverage of the default intervals of measures of scores, by simulation: alike, weighted, clustered, several classes.

`python tests/simulations/test_interval_coverage.py` prints tables of docs/evidence/methods.md. Samples on which
a measure is undefined or has no interval are left out. What is calibrated has calibration errors of exactly 0: there
bootstrap intervals fail.
"""

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
import pytest
from bench.honesty.populations import TRUTHS, Population

import classay as ca
from classay.inference.bootstrap.bootstrapping import bootstrap_all
from classay.inference.intervals import estimate
from classay.inference.methods import REFUSED
from classay.measures import MEASURES
from classay.tables import ScoreTable

RUNS = 400
LEAST = 0.90
"""What the tests allow at nominal 95%: Monte-Carlo error is 1.1 points."""

NAMES = sorted(TRUTHS)
DOUBLED = {name for name, method in REFUSED if method == "bootstrap"}
SETTINGS = [
    (60, Population(0.5, 1.0)),
    (60, Population(0.3, 3.0)),
    (200, Population(0.1, 1.5)),
    (200, Population(0.3, 0.3)),
    (200, Population(0.3, 1.5, slope=2)),
    (400, Population(0.05, 2.0)),
    (400, Population(0.3, 1.5, shift=0.7)),
    (1000, Population(0.3, 1.5)),
    (1000, Population(0.3, 1.5, slope=1.3, shift=0.2)),
    (100, Population(0.3, 1.5, ties=10)),
    (400, Population(0.05, 2.0, ties=10)),
    (1000, Population(0.3, 1.5, slope=2, shift=0.5, ties=10)),
]
DEPENDENT = [Population(0.35, 1.5), Population(0.35, 1.5, slope=2, shift=0.5, ties=10)]


@dataclass(frozen=True)
class Hits:
    """Share of intervals that hold the truth, their median width, and the share of samples that have one."""

    coverage: float
    width: float
    found: float


def simulate(draw, truth, runs, seed=0):
    """name -> Hits, over samples that `draw` gives as an assessment."""
    rng, ends, count = np.random.default_rng(seed), defaultdict(list), 0
    while count < runs:
        a = draw(rng)
        if a is None:
            continue
        count += 1
        for name in truth:
            found = a[name]
            if found.has_interval:
                ends[name].append((found.low, found.high))
    return {name: hits(truth[name], ends[name], runs) for name in truth if ends[name]}


def hits(truth, ends, runs):
    low, high = np.array(ends).T
    held = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    return Hits(float(held.mean()), float(np.median(high - low)), len(ends) / runs)


def alike(population, n):
    def draw(rng):
        truth, score = population.rows(rng, n)
        return None if not 2 <= truth.sum() <= n - 2 else ca.assess(truth, score)

    return draw


def clustered(population, clusters, size):
    def draw(rng):
        truth, score, group = population.clustered_rows(rng, clusters, size)
        return None if not 2 <= truth.sum() <= truth.size - 2 else ca.assess(truth, score, cluster=group)

    return draw


def weighted(population, n, of_class):
    """Positives, or high scores, sampled three times as often, and weighted back."""

    def draw(rng):
        truth, score = population.rows(rng, n)
        chance = np.where(truth if of_class else score > 0.5, 0.9, 0.3)
        kept = rng.random(n) < chance
        return ca.assess(truth[kept], score[kept], weight=1 / chance[kept])

    return draw


def truths(population, names=NAMES):
    return {name: population.truth(name) for name in names}


# -- two classes -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_populations_are_what_the_measures_say():
    """The naive formulas of populations.py agree with the measures on the population itself."""
    for population in (Population(0.3, 1.5, 2, 0.3), Population(0.05, 2.0, ties=10)):
        table = ScoreTable(*population.grid)
        table = ScoreTable(table.scores, 1e15 * table.positives, 1e15 * table.negatives)
        for name in NAMES:
            near = 1e-3 if name in ("median_calibration_error", "calibration_error_90") else 1e-4
            assert population.truth(name) == pytest.approx(float(MEASURES[name](table)), abs=near), name


@pytest.mark.slow
@pytest.mark.parametrize(("n", "population"), SETTINGS, ids=str)
def test_cases_alike(n, population):
    for name, found in simulate(alike(population, n), truths(population), RUNS).items():
        if found.found > 0.5:
            # Newcombe's method 5 for 20 positives and many ties: a known limit
            least = 0.88 if name in ("roc_auc", "gini", "hull_auc") else LEAST
            assert found.coverage >= least, (name, found)


@pytest.mark.slow
@pytest.mark.parametrize("population", DEPENDENT, ids=str)
@pytest.mark.parametrize(("clusters", "size"), [(20, 5), (60, 4)])
def test_clusters(population, clusters, size):
    for name, found in simulate(clustered(population, clusters, size), truths(population), RUNS).items():
        assert found.coverage >= LEAST, (name, found)


@pytest.mark.slow
@pytest.mark.parametrize("population", DEPENDENT, ids=str)
@pytest.mark.parametrize("of_class", [True, False])
def test_sampling_weights(population, of_class):
    for name, found in simulate(weighted(population, 400, of_class), truths(population), RUNS).items():
        assert found.coverage >= LEAST, (name, found)


# -- several classes -------------------------------------------------------------------------------

MEAN_AUCS = ("hand_till_auc", "macro_roc_auc", "weighted_roc_auc")
SEVERAL = (
    *MEAN_AUCS,
    "log_loss_skill",
    "multiclass_brier_score",
    "multiclass_brier_skill",
    "classwise_calibration_error",
    "top_2_accuracy",
)
CLASSES = [
    (60, (1 / 3,) * 3, 1.0),
    (120, (0.7, 0.2, 0.1), 1.5),
    (400, (0.5, 0.2, 0.1, 0.1, 0.06, 0.04), 1.5),
    (1000, (0.1,) * 10, 1.0),
]


def class_rows(rng, n, shares, apart, clusters=None, slope=1.3):
    """Truth and probabilities, too extreme by the slope; scores of one cluster correlate by 0.36."""
    k, group = len(shares), None
    truth, noise = rng.choice(k, n, p=shares), rng.normal(size=(n, k))
    if clusters:
        group = np.arange(n) % clusters
        noise = 0.8 * noise + 0.6 * rng.normal(size=(clusters, k))[group]
    logit = slope * (apart * (noise + apart * np.eye(k)[truth]) + np.log(shares))
    p = np.exp(logit - logit.max(1, keepdims=True))
    return truth, p / p.sum(1, keepdims=True), group


def of_classes(n, shares, apart, how):
    def draw(rng):
        truth, p, group = class_rows(rng, n, shares, apart, n // 5 if how == "clustered" else None)
        given = {} if group is None else {"cluster": group}
        if how == "weighted":
            chance = np.where(truth == 0, 0.4, 0.9)
            kept = rng.random(n) < chance
            truth, p, given = truth[kept], p[kept], {"weight": 1 / chance[kept]}
        enough = np.bincount(truth, minlength=len(shares)).min() > 1
        return ca.assess(truth, p, labels=range(len(shares)), **given) if enough else None

    return draw


def truths_of_classes(shares, apart):
    """By a sample so large that its error does not matter."""
    whole = ca.assess(*class_rows(np.random.default_rng(9), 400_000, shares, apart)[:2])
    return {name: whole[name].value for name in SEVERAL}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["alike", "weighted", "clustered"])
@pytest.mark.parametrize(("n", "shares", "apart"), CLASSES)
def test_several_classes(n, shares, apart, how):
    for name, found in simulate(
        of_classes(n, shares, apart, how), truths_of_classes(shares, apart), 300
    ).items():
        assert found.coverage >= LEAST, (name, found)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "shares", "apart"), CLASSES)
def test_bound_over_classes_is_not_absurdly_wide(n, shares, apart):
    """That of tables which do not say which scores are of one case: at most 1.9 times as wide as with the rows."""
    rng, ratios = np.random.default_rng(0), defaultdict(list)
    for _ in range(20):
        truth, p, _ = class_rows(rng, n, shares, apart)
        if np.bincount(truth, minlength=len(shares)).min() > 1:
            a, b = ca.assess(truth, p), ca.assess(truth, p, cluster=np.arange(n))
            for name in MEAN_AUCS:
                table = replace(a.class_scores, rows=None, kept=a.class_scores.sorted_scores())
                bound = estimate(MEASURES[name], table)
                assert "bounded over classes" in bound.method
                ratios[name].append((bound.high - bound.low) / (b[name].high - b[name].low))
    for name, each in ratios.items():
        assert 1 <= np.median(each) < 1.9, name


# -- the page --------------------------------------------------------------------------------------


def resampled(population, n, names, runs):
    """Bootstrap intervals on the measures' scale, corrected for bias and cut at 0."""
    rng, ends = np.random.default_rng(0), defaultdict(list)
    for _ in range(runs):
        truth, score = population.rows(rng, n)
        if not 2 <= truth.sum() <= n - 2:
            continue
        found = bootstrap_all(
            ScoreTable.from_rows(score, truth),
            [MEASURES[name] for name in names],
            replicates=400,
            seed=rng,
            threads=1,
        )
        for name, each in zip(names, found, strict=True):
            if each.has_interval:
                ends[name].append((max(0.0, each.low), each.high))
    return {name: hits(population.truth(name), ends[name], runs) for name in names if ends[name]}


def coverages():
    """name -> column -> coverage in each setting."""
    columns = defaultdict(lambda: defaultdict(list))

    def add(column, found):
        for name, each in found.items():
            if each.found > 0.5:
                columns[name][column].append(each.coverage)

    quick = [
        each for each in NAMES if not each.startswith(("smooth", "integrated", "median", "calibration_e"))
    ]
    for n, population in SETTINGS:
        calibrated = (population.slope, population.shift) == (1, 0)
        found = simulate(alike(population, n), truths(population), RUNS)
        add("calibrated" if calibrated else "miscalibrated", found)
        add("cases alike", found)
        if n <= 400:
            add("bootstrap", resampled(population, n, quick, 100))
    for population in DEPENDENT:
        for clusters, size in ((20, 5), (60, 4)):
            add("clusters", simulate(clustered(population, clusters, size), truths(population), RUNS))
        for of_class in (True, False):
            add("weights", simulate(weighted(population, 400, of_class), truths(population), RUNS))
    return columns


def coverages_of_classes():
    columns = defaultdict(lambda: defaultdict(list))
    for n, shares, apart in CLASSES:
        truth = truths_of_classes(shares, apart)
        for how in ("alike", "weighted", "clustered"):
            for name, found in simulate(of_classes(n, shares, apart, how), truth, 300).items():
                columns[name][how].append(found.coverage)
    return columns


def print_table(first, names, columns, wanted):
    for cells in ((first, *wanted), ["---"] * (len(wanted) + 1)):
        print("| " + " | ".join(cells) + " |")
    for name in names:
        shares = (columns[name][each] for each in wanted)
        print(
            f"| `{name}` | " + " | ".join(span(each) if each else "–" for each in shares) + " |", flush=True
        )
    print()


def span(shares):
    low, high = (f"{100 * each:.1f}" for each in (min(shares), max(shares)))
    return low if low == high else f"{low}–{high}"


if __name__ == "__main__":
    found = coverages()
    wanted = ["cases alike", "weights", "clusters", "bootstrap"]
    print_table("measure", [each for each in NAMES if each not in DOUBLED], found, wanted)
    wanted = ["calibrated", "miscalibrated", "weights", "clusters", "bootstrap"]
    print_table("calibration error", [each for each in NAMES if each in DOUBLED], found, wanted)
    print_table("several classes", SEVERAL, coverages_of_classes(), ["alike", "weighted", "clustered"])
