"""How often several readers are said to find one of two equal modalities better, and how often intervals hold.

Scores follow Roe & Metz (1997, Academic Radiology 4:298): normal, the sum of what truth, reader, case and their
interactions with the modality add. `python tests/readers/test_reader_size.py [RUNS]` prints the tables of
docs/evidence/comparisons.md.
"""

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from classay.readers.comparing_readers import CellValues, MeasureStudy
from classay.readers.reader_study import Grid

pytestmark = pytest.mark.slow
RUNS = 300
READERS = (3, 5, 10)
# positives, negatives, their distance, variance of readers and of readers by modalities, cases of a cluster
POPULATIONS = {
    "readers differ, 25 + 25 cases": (25, 25, 1.53, 0.03, 1),
    "readers are alike, 25 + 25 cases": (25, 25, 1.53, 0.0, 1),
    "10 + 190 cases": (10, 190, 1.53, 0.015, 1),
    "20 + 180 cases": (20, 180, 1.53, 0.015, 1),
    "readers differ, 100 + 100 cases": (100, 100, 1.53, 0.03, 1),
    "easy, 25 + 25 cases": (25, 25, 2.5, 0.03, 1),
    "patients of 2 + 2 cases, 50 + 50 cases": (50, 50, 1.53, 0.015, 2),
}
CLAIMS = ("Hillis", "one-shot", "fixed readers", "t over readers", "recall")
GAP = 0.4


def drawn(rng, readers, positives, negatives, distance, variance, together):
    """Scores of two equal modalities, `[modality, reader, case]`; which cases are positive; their clusters."""
    ill = np.arange(positives + negatives) < positives
    truth, cases = ill.astype(int), ill.size
    cluster = np.where(ill, np.arange(cases), np.arange(cases) - positives) // together
    patient = rng.normal(size=(2, 1, int(cluster.max()) + 1))[..., cluster] if together > 1 else 0.0

    def add(share, *shape):
        return share**0.5 * rng.normal(size=shape)

    score = add(variance, 1, readers, 2)[..., truth] + add(variance, 2, readers, 2)[..., truth]
    score = score + 0.3**0.5 * (rng.normal(size=(1, 1, cases)) + rng.normal(size=(2, 1, cases)))
    score += 0.2**0.5 * (rng.normal(size=(1, readers, cases)) + rng.normal(size=(2, readers, cases)))
    return score + 0.3 * patient + distance * ill, ill, cluster if together > 1 else None


def studied(score, ill, cluster, measure="roc_auc"):
    """What `compare_readers` computes of these scores."""
    readers = [*range(score.shape[1])]
    names = ("a", "b"), tuple(map(str, readers))
    grid = Grid(*names, ill, np.ones(score.shape, bool), True, False, score, score > 1.2, cluster)
    return MeasureStudy(
        grid, measure, CellValues.of_grid(grid, measure), {0: readers, 1: readers}, None, 0.95
    )


def shares(population, readers, runs=RUNS, seed=0):
    """How often each test claims a difference, and how often the intervals of difference and mean hold the truth."""
    positives, negatives, distance, variance, together = POPULATIONS[population]
    rng = np.random.default_rng([seed, readers])
    spread = (2 * (1 + 2 * variance + 0.09 * (together > 1))) ** 0.5
    auc, better = ndtr(distance / spread), ndtr((distance + GAP) / spread)
    claims, holds = np.zeros(len(CLAIMS)), np.zeros(2)
    for _ in range(runs):
        given = drawn(rng, readers, positives, negatives, distance, variance, together)
        study = studied(*given)
        check = study.check(0, 1)
        p = [study.difference(0, 1).p, np.nan if check is None else check.p]
        p.append(replace(study, fixed="readers").difference(0, 1).p)
        without = replace(study.cells, covariance=0 * study.cells.covariance)
        p.append(replace(study, cells=without, fixed="cases").difference(0, 1).p)
        p.append(studied(*given, measure="recall").difference(0, 1).p)
        claims += np.array(p) < 0.05
        score, ill, cluster = given
        apart = studied(score + GAP * ill * np.arange(2)[:, None, None], ill, cluster)
        found, mean = apart.difference(0, 1).effect, apart.mean(0)
        holds += found.low <= auc - better <= found.high, mean.low <= auc <= mean.high
    return claims / runs, holds / runs


@pytest.mark.parametrize("readers", READERS)
@pytest.mark.parametrize("population", POPULATIONS)
def test_equal_modalities_are_seldom_told_apart(population, readers):
    """Three Monte-Carlo errors above what the evidence prints, 7% at the most."""
    (hillis, *_, recall), (difference, mean) = shares(population, readers)
    most = 0.07 + 3 * np.sqrt(0.07 * 0.93 / RUNS)
    assert max(hillis, recall) <= most
    assert difference >= 1 - most
    assert mean >= 0.92 - 3 * np.sqrt(0.08 * 0.92 / RUNS)


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| population | readers |", " | ".join(CLAIMS), "| difference | mean |")
    print("| --- " * (len(CLAIMS) + 4) + "|")
    for population in POPULATIONS:
        for readers in READERS:
            both = [f"{100 * each:.1f}" for part in shares(population, readers, runs) for each in part]
            print(f"| {population} | {readers} |", " | ".join(both), "|", flush=True)
