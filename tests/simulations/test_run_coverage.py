"""Coverage of the mean of one run of a benchmark: clusters of 1 to 10 answers, easy and hard, judge-like grades.

Also of pass@k, and of the mean over subtasks of unequal size.
"""

import numpy as np
import pytest

from classay.grades.by_group import mean_of_groups
from classay.grades.estimates import Answers

pytestmark = pytest.mark.slow
SAMPLES = 4_000
LEVEL = 0.95


def answers_of(values, case, cluster=None):
    """The answers of a run between 0 and 1."""
    cluster = case if cluster is None else cluster
    return Answers("run", "grade", values, case, cluster, (0.0, 1.0), "higher", LEVEL)


def chances(rng, mean, cases, together):
    """The chance of each case to pass, with a correlation of the answers to a case."""
    if together == 0:
        return np.full(cases, mean)
    size = 1 / together - 1
    return rng.beta(mean * size, (1 - mean) * size, cases)


def held_by(sample, truth, samples=SAMPLES):
    """The share of samples whose interval has the truth."""
    held = 0
    for number in range(samples):
        estimate = sample(np.random.default_rng([17, number]))
        held += estimate.low <= truth <= estimate.high
    return held / samples


@pytest.mark.parametrize("mean", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("together", [0.2, 0.7])
@pytest.mark.parametrize(("cases", "most"), [(50, 1), (50, 3), (100, 5), (200, 10)])
def test_means_of_answers_that_pass_or_fail(cases, most, together, mean):
    """Cases have 1 to `most` answers; with one answer each, the interval is Wilson's of a proportion."""

    def sample(rng):
        case = np.repeat(np.arange(cases), rng.integers(1, most + 1, cases))
        return answers_of(
            (rng.random(case.size) < chances(rng, mean, cases, together)[case]) * 1.0, case
        ).mean

    assert (0.90 if most == 1 else 0.94) <= held_by(sample, mean) <= 0.999


JUDGED = {
    "mostly right": ([1.0, 0.75, 0.5, 0.0], [0.85, 0.08, 0.05, 0.02]),
    "few far": ([1.0, 0.95, 0.0], [0.85, 0.11, 0.04]),
    "quarters": ([0.0, 0.25, 0.5, 0.75, 1.0], [0.1, 0.1, 0.2, 0.3, 0.3]),
    "mostly wrong": ([0.0, 0.1, 1.0], [0.7, 0.24, 0.06]),
}


@pytest.mark.parametrize("kind", JUDGED)
@pytest.mark.parametrize(
    ("cases", "answers", "alone"), [(40, 1, 1.0), (100, 3, 0.5), (50, 10, 0.5), (50, 10, 0.1)]
)
def test_means_of_judged_answers(cases, answers, alone, kind):
    """Half of the answers to a case, or nine in ten, have the same grade."""
    grades, weights = (np.array(part) for part in JUDGED[kind])

    def sample(rng):
        case = np.repeat(np.arange(cases), answers)
        own, shared = rng.choice(grades, case.size, p=weights), rng.choice(grades, cases, p=weights)
        return answers_of(np.where(rng.random(case.size) < alone, own, shared[case]), case).mean

    assert 0.94 <= held_by(sample, float(grades @ weights)) <= 0.999


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("cases", "answers", "k"), [(60, 2, 2), (60, 5, 2), (150, 5, 5)])
def test_pass_at_k(cases, answers, k, mean):
    """The chance to pass is even within each of many parts of a beta distribution."""
    points = np.random.default_rng(1).beta(mean * 1.5, (1 - mean) * 1.5, 2_000_000)
    truths = {"any_passes": float((1 - (1 - points) ** k).mean()), "all_pass": float((points**k).mean())}
    for name, truth in truths.items():

        def sample(rng, name=name):
            case = np.repeat(np.arange(cases), answers)
            chance = rng.beta(mean * 1.5, (1 - mean) * 1.5, cases)
            return getattr(answers_of((rng.random(case.size) < chance[case]) * 1.0, case).passing(k), name)

        assert 0.93 <= held_by(sample, truth) <= 0.995


@pytest.mark.parametrize("weight", ["equal", "cases"])
@pytest.mark.parametrize("answers", [1, 3])
def test_means_over_subtasks_of_unequal_size(answers, weight):
    sizes, means = np.array([12, 25, 60, 150]), np.array([0.15, 0.5, 0.8, 0.95])
    shares = np.full(4, 0.25) if weight == "equal" else sizes / sizes.sum()
    subtask = np.repeat(np.arange(4), sizes)

    def sample(rng):
        case = np.repeat(np.arange(subtask.size), answers)
        chance = np.concatenate([chances(rng, m, n, 0.3) for m, n in zip(means, sizes, strict=True)])
        run = answers_of((rng.random(case.size) < chance[case]) * 1.0, case)
        return mean_of_groups(run, run.values, subtask[case], weight, run.bounds)

    assert 0.93 <= held_by(sample, float(shares @ means)) <= 0.995
