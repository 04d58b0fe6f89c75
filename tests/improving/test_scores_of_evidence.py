"""Scores out of fold, calibration and doubtful labels, again from their definitions."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit, logit

from classay.improving.evidence import Contradictions, _fit, _lapses, is_miscalibrated, scores_of

RNG = np.random.default_rng(4)
N = 60


def folds(scores, kind="probability", *, labels=2, code=1, tested=None, truth=None):
    """Two repeats of two folds, whose scores are those of their cases."""
    halves = [np.arange(N) % 2 == 0, np.arange(N) % 2 == 1, np.arange(N) < N // 2, np.arange(N) >= N // 2]
    places = [SimpleNamespace(test=np.flatnonzero(half)) for half in halves][:tested]
    repeats = [None] * 4 if scores is None else [scores[0], scores[0], scores[1], scores[1]]
    results = [
        SimpleNamespace(scores=None if repeat is None else repeat[place.test], kind_of_score=kind)
        for place, repeat in zip(places, repeats, strict=False)
    ]
    cases = SimpleNamespace(rows=N, labels=tuple(range(labels)), positive_code=code, truth=truth)
    return SimpleNamespace(cases=cases, places=places, results=results)


@pytest.mark.parametrize("code", [0, 1])
def test_probabilities_of_one_class_are_mean_logits_of_both_sides(code):
    p = [RNG.random(N), RNG.random(N)]
    p[0][3] = 0.0  # nearer than 1e-4 counts as that
    found = scores_of(folds(p, code=code))
    mean = (logit(np.clip(p[0], 1e-4, 1 - 1e-4)) + logit(np.clip(p[1], 1e-4, 1 - 1e-4))) / 2
    assert found[:, code] == pytest.approx(mean)
    assert found[:, 1 - code] == pytest.approx(-mean)


def test_scores_of_several_classes():
    p = [RNG.dirichlet([1, 1, 1], N), RNG.dirichlet([1, 1, 1], N)]
    expected = sum(logit(np.clip(one, 1e-4, 1 - 1e-4)) for one in p) / 2
    assert scores_of(folds(p, labels=3)) == pytest.approx(expected)
    s = [RNG.normal(size=(N, 3)), RNG.normal(size=(N, 3))]
    others = [np.stack([np.delete(one, k, 1).max(1) for k in range(3)], 1) for one in s]
    mean = sum(one - other for one, other in zip(s, others, strict=True)) / 2
    assert scores_of(folds(s, "decision", labels=3)) == pytest.approx(mean / mean.std())


def test_decision_values_are_in_units_of_their_spread():
    s = [RNG.normal(size=N), RNG.normal(size=N)]
    mean = (s[0] + s[1]) / 2
    both = np.stack([-mean, mean], 1)
    assert scores_of(folds(s, "decision")) == pytest.approx(both / both.std())


def test_cases_without_scores_have_none():
    p = [RNG.random(N), RNG.random(N)]
    assert scores_of(folds(None)) is None
    assert scores_of(folds(p, tested=1)) is None  # half of the cases were never tested
    assert scores_of(folds(p, tested=2)) is not None
    gaps = [RNG.dirichlet([1, 1, 1], N)] * 2
    gaps[0][5, 1] = np.nan
    assert scores_of(folds(gaps, labels=3)) is None


def deviance(p, truth):
    """Twice the gain in log-likelihood of a line on the logit of the likelier class over the identity."""
    s = np.abs(logit(np.clip(p, 1e-4, 1 - 1e-4)))
    right = (p > 0.5) == truth

    def unlikelihood(t):
        q = np.clip(expit(t[0] + t[1] * s), 1e-9, 1 - 1e-9)
        return -np.log(np.where(right, q, 1 - q)).sum()

    best = optimize.minimize(
        unlikelihood, [0.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10}
    )
    return 2 * (unlikelihood([0.0, 1.0]) - best.fun)


@pytest.mark.parametrize("seed", range(12))
def test_miscalibration_is_a_likelihood_ratio_at_one_percent(seed):
    """Probabilities that are right, and more or less too sure."""
    rng = np.random.default_rng(seed)
    true = rng.random(N)
    truth = rng.random(N) < true
    p = expit((1 + seed / 3) * logit(true))
    expected = stats.chi2.sf(deviance(p, truth), 2) < 0.01
    assert is_miscalibrated(folds([p, p], truth=truth.astype(int))) == expected
    assert not is_miscalibrated(folds([p, p], "decision", truth=truth.astype(int)))
    assert not is_miscalibrated(folds(None, truth=truth.astype(int)))


def test_cases_that_are_always_right_are_miscalibrated_where_they_are_not_sure():
    truth = np.arange(N) % 2
    for sure, expected in ((0.6, True), (0.99, False)):
        p = np.where(truth == 1, sure, 1 - sure)
        assert is_miscalibrated(folds([p, p], truth=truth)) == expected


def test_labels_that_lapse_are_told_by_half_a_chi_square():
    score = RNG.normal(0, 3, 400)
    is_class = RNG.random(400) < expit(score)
    is_class &= RNG.random(400) > 0.2
    free = _fit(score, is_class, (0.45, 0.45))
    p, lapse, doubt = _lapses(score, is_class, free)
    a, b, c, gamma, found = free.x
    inside = expit(a + b * score + c * np.arcsinh(score))
    chance = gamma + (1 - gamma - found) * inside

    def unlikelihood(chance):
        return -np.log(np.where(is_class, chance, 1 - chance)).sum()

    assert free.fun == pytest.approx(unlikelihood(chance))
    bound = _fit(score, is_class, (0.45, 0.0))
    assert bound.x[4] == 0
    assert p == pytest.approx(stats.chi2.sf(2 * (bound.fun - free.fun), 1) / 2)
    assert lapse == found
    assert (doubt[is_class] == 0).all()
    assert doubt[~is_class] == pytest.approx((found * inside / (1 - chance))[~is_class])
    for step in np.eye(5) * 1e-3:  # no neighbour inside the bounds is likelier
        for t in (free.x + step, free.x - step):
            if (t[1:] >= 0).all() and t[3] <= 0.45 and t[4] <= 0.45:
                near = t[3] + (1 - t[3] - t[4]) * expit(t[0] + t[1] * score + t[2] * np.arcsinh(score))
                assert unlikelihood(near) >= free.fun - 1e-4


@pytest.mark.parametrize(("n", "classes", "shown"), [(5, 1, True), (4, 1, False), (5, 0, False)])
def test_doubts_are_shown_from_five_cases_on(n, classes, shown):
    found = Contradictions("m", (("a", 0.1, 1e-5),) * classes, np.arange(n), np.linspace(0.8, 1, n))
    assert found.is_shown == shown
    assert found.false_alarms == pytest.approx(n * 0.1)
