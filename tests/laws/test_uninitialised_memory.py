"""What memory holds before it is written changes no result: `numpy.empty` gives NaN and the largest numbers here.

A sum that begins at `scratch[0] * 0` is right as long as memory holds finite numbers, and loses a replicate where it
happens to hold NaN: once in some thousand runs, which no other test sees.
"""

import numpy as np
import pytest

import classay as ca
from classay.compiled import KERNELS, Kernel, can_compile, pays
from unequal import unequal

ROWS = (60, 3_000)
"""Cases: 2,000 resamples of the many are work for compiled loops, those of the few for their twins."""


def poison(found):
    """Fill an array with what no calculation survives."""
    if found.dtype.kind in "fc":
        found.fill(np.nan)
    elif found.dtype.kind in "iu":
        found.fill(np.iinfo(found.dtype).max)
    elif found.dtype.kind == "b":
        found.fill(True)
    return found


@pytest.fixture
def poisoned(monkeypatch):
    """From the call of what it gives on, new memory is poisoned."""
    empty, like = np.empty, np.empty_like
    by_work = lambda _, rows, in_all=0, loops=1, least=1: can_compile() and pays(max(rows, in_all))  # noqa: E731
    monkeypatch.setattr(
        Kernel, "is_ready", by_work
    )  # so that nothing is compiled first where memory is poisoned

    def begin():
        monkeypatch.setattr(np, "empty", lambda *shape, **how: poison(empty(*shape, **how)))
        monkeypatch.setattr(np, "empty_like", lambda *array, **how: poison(like(*array, **how)))

    return begin


def rows(n, kind):
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.4).astype(int)
    scores = [1 / (1 + np.exp(-(1.5 * y - 0.6 + rng.normal(size=n)))).round(3) for _ in range(2)]
    how = {
        "alike": {},
        "weighted": {"weight": rng.uniform(0.5, 2, n)},
        "clustered": {"cluster": np.arange(n) // 2},
        "frequency": {"frequency": rng.integers(1, 4, n)},
    }[kind]
    return y, scores, how


KINDS = ("alike", "weighted", "clustered", "frequency")
BY_DRAWS = ["roc_auc", "average_precision", "kolmogorov_smirnov", "partial_roc_auc", "max_f1"]


def both_ways(made, poisoned):
    clean = made()
    poisoned()
    assert unequal(made(), clean) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", ROWS)
def test_assessments(n, kind, poisoned):
    y, (score, _), how = rows(n, kind)
    both_ways(lambda: ca.assess(y, score, **how).to_dict(), poisoned)


@pytest.mark.parametrize("n", ROWS)
def test_bootstraps(n, poisoned):
    y, (score, _), _ = rows(n, "alike")

    def made():
        a = ca.assess(y, score)
        found = [a.estimate(name, method="bootstrap") for name in [*BY_DRAWS, "brier_score", "f1"]]
        return [[each.value, each.low, each.high] for each in found]

    both_ways(made, poisoned)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", ROWS)
def test_comparisons(n, kind, poisoned):
    y, scores, how = rows(n, kind)

    def made():
        return ca.compare(
            dict(zip("ab", scores, strict=True)), y, measures=[*BY_DRAWS, "brier_score", "f1"], **how
        ).to_dict()

    both_ways(made, poisoned)


@pytest.mark.parametrize("kind", KINDS)
def test_several_classes(kind, poisoned):
    rng = np.random.default_rng(1)
    n = 120
    y, (_, _), how = rows(n, kind)
    y = y + rng.integers(0, 3, n)
    scores = rng.dirichlet(np.ones(4), n) + np.eye(4)[y]
    both_ways(lambda: ca.assess(y, scores / scores.sum(1, keepdims=True), **how).to_dict(), poisoned)


def test_there_are_kernels_that_take_memory():
    """What the laws above are about: loops that are given arrays which nobody has filled."""
    assert any("scratch" in kernel.assumes for kernel in KERNELS.values())
