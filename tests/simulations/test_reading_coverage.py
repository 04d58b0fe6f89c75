"""Coverage of the intervals of readings, by simulation: alike, weighted, in clusters.

`python tests/simulations/test_reading_coverage.py` prints the table of docs/evidence/methods.md.
"""

import sys
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from bench.honesty.populations import Population

import classay as ca

RUNS = 160
LEAST = 0.88
POPULATIONS = (
    Population(0.35, 1.5),
    Population(0.2, 3.0),
    Population(0.1, 1.0),
    Population(0.35, 1.5, ties=10),
)
READINGS = {
    "TPR at FPR 0.1": lambda a: a.roc.tpr_at(fpr=0.1),
    "TPR at FPR 0.3": lambda a: a.roc.tpr_at(fpr=0.3),
    "FPR at TPR 0.8": lambda a: a.roc.fpr_at(tpr=0.8),
    "precision at recall 0.5": lambda a: a.precision_recall.precision_at(recall=0.5),
    "precision at recall 0.8": lambda a: a.precision_recall.precision_at(recall=0.8),
    "precision of the top tenth": lambda a: a.gain.precision_at_k(whole(a) / 10),
    "recall of the top third": lambda a: a.gain.recall_at_k(whole(a) / 3),
    "threshold for FPR 0.1": lambda a: a.threshold_for(fpr=0.1),
    "threshold for TPR 0.8": lambda a: a.threshold_for(tpr=0.8),
}


def whole(a):
    return a.n  # of weighted cases too, k counts cases: the share of the weight that k is of them


@cache
def truths(population):
    """By the population's own curve; of thresholds where scores do not tie."""
    p, pos, neg = population.grid
    tpr, fpr, called = np.cumsum(pos) / pos.sum(), np.cumsum(neg) / neg.sum(), np.cumsum(pos + neg)
    precision = np.cumsum(pos) / called

    def top(share):
        hits = np.interp(share, np.append(0, called), np.append(0, np.cumsum(pos)))
        return hits / share, hits / pos.sum()

    found = {
        "TPR at FPR 0.1": tpr[fpr <= 0.1].max(initial=0),
        "TPR at FPR 0.3": tpr[fpr <= 0.3].max(initial=0),
        "FPR at TPR 0.8": fpr[tpr >= 0.8].min(),
        "precision at recall 0.5": precision[tpr >= 0.5].max(),
        "precision at recall 0.8": precision[tpr >= 0.8].max(),
        "precision of the top tenth": top(1 / 10)[0],
        "recall of the top third": top(1 / 3)[1],
    }
    if not population.ties:
        found |= {
            "threshold for FPR 0.1": p[fpr <= 0.1].min(),
            "threshold for TPR 0.8": p[tpr >= 0.8].max(),
        }
    return found


def alike(population, rng, n):
    truth, score = population.rows(rng, n)
    return truth, score, {}


def weighted(population, rng, n):
    """Positives, or high scores, sampled three times as often, and weighted back."""
    truth, score = population.rows(rng, n)
    chance = np.where(truth if rng.random() < 0.5 else score > 0.5, 0.9, 0.3)
    kept = rng.random(n) < chance
    return truth[kept], score[kept], {"weight": 1 / chance[kept]}


def clustered(population, rng, clusters, size):
    truth, score, group = population.clustered_rows(rng, clusters, size)
    return truth, score, {"cluster": group}


SAMPLES = {
    "alike": [(alike, 60), (alike, 200), (alike, 1000)],
    "weights": [(weighted, 300), (weighted, 1000)],
    "8 to 12 clusters": [(clustered, 8, 20), (clustered, 12, 10)],
    "20 to 60 clusters": [(clustered, 20, 10), (clustered, 60, 5)],
}


def coverage(population, draw, *size, runs=RUNS):
    """name -> share of intervals that hold the truth, their number and median width."""
    rng, ends = np.random.default_rng(1), defaultdict(list)
    for run in range(runs):
        truth, score, given = draw(population, rng, *size)
        if not 2 <= truth.sum() <= truth.size - 2:
            continue
        a = ca.assess(truth, score, seed=run, **given)
        for name in truths(population):
            found = READINGS[name](a)
            if found.has_interval:
                ends[name].append((found.low, found.high))
    made = {}
    for name, each in ends.items():
        low, high = np.array(each).T
        true = truths(population)[name]
        held = (low <= true + 1e-9) & (true - 1e-9 <= high)
        made[name] = float(held.mean()), len(each), float(np.median(high - low))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS, ids=str)
@pytest.mark.parametrize("sample", SAMPLES)
def test_readings_cover(population, sample):
    for draw, *size in SAMPLES[sample]:
        for name, (held, number, _) in coverage(population, draw, *size).items():
            if number > RUNS / 2:
                assert held >= LEAST, (name, size, held)


if __name__ == "__main__":
    runs, names = int(sys.argv[1]) if sys.argv[1:] else RUNS, sys.argv[2:] or list(SAMPLES)
    table = defaultdict(lambda: defaultdict(list))
    for sample in names:
        for population in POPULATIONS:
            for draw, *size in SAMPLES[sample]:
                found = coverage(population, draw, *size, runs=runs)
                print(sample, population, size, file=sys.stderr)
                for name, (held, number, width) in found.items():
                    print(
                        f"   {name:28} {100 * held:5.1f} {number:4} {width:.3f}", file=sys.stderr, flush=True
                    )
                    if number > runs / 2:
                        table[name][sample].append(100 * held)
    print("| reading | " + " | ".join(names) + " |\n" + "| --- " * (len(names) + 1) + "|")
    for name, each in table.items():
        spans = (f"{min(each[s]):.1f}–{max(each[s]):.1f}" if each[s] else "–" for s in names)
        print(f"| {name} | " + " | ".join(spans) + " |")
