"""Loops in plain Python, on arrays without places outside of them, give what their twins in NumPy give.

A compiled loop that leaves its arrays reads and writes what lies beside them, and mostly nobody notices.
"""

import math

import numpy as np
import pytest

import classay as ca
from bounded import bounded
from classay.assessment.merging import BlockValues
from classay.compiled import Kernel, compiled_at_once

KINDS = ("alike", "weighted", "clustered", "frequency")
DRAWN = ["roc_auc", "average_precision", "brier_score"]


@pytest.fixture
def in_python(monkeypatch):
    """A call whose loops run in plain Python, however few the rows; it gives which of them ran, too."""

    def run(made):
        ran = set()

        def loop(kernel):
            def called(*args):
                ran.add(kernel.loop.__name__)
                with np.errstate(all="ignore"):
                    return bounded(kernel.loop, args)

            return called

        with monkeypatch.context() as patch, compiled_at_once():
            patch.setenv("CLASSAY_THREADS", "1")
            patch.setattr(Kernel, "compiled", property(loop))
            return made(), ran

    return run


def near(a, b, at=""):
    """Where two results differ by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [found for key in a for found in near(a[key], b[key], f"{at}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [
            found for i, (x, y) in enumerate(zip(a, b, strict=True)) for found in near(x, y, f"{at}[{i}]")
        ]
    numbers = isinstance(a, float) and isinstance(b, float)
    same = a == b or (numbers and (math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or a != a != b != b))
    return [] if same else [f"{at}: {a!r} and {b!r}"]


def rows(n, kind, classes=2):
    rng = np.random.default_rng(n)
    y = rng.integers(0, classes, n)
    signal = np.eye(classes)[y] + rng.gumbel(size=(2, n, classes)) / 2
    scores = np.exp(signal - signal.max(-1, keepdims=True))
    scores = (scores / scores.sum(-1, keepdims=True)).round(2 if classes == 2 else 9)
    how = {
        "alike": {},
        "weighted": {"weight": rng.uniform(0.5, 2, n)},
        "clustered": {"cluster": np.arange(n) // 2},
        "frequency": {"frequency": rng.integers(1, 4, n)},
    }[kind]
    return y, scores[..., 1] if classes == 2 else scores, how


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_assessments(in_python, kind, classes):
    y, (score, _), how = rows(50, kind, classes)
    made = lambda: ca.assess(y, score, **how).to_dict()  # noqa: E731
    found, ran = in_python(made)
    assert ran
    assert near(made(), found) == []


@pytest.mark.parametrize("kind", KINDS[:3])
def test_comparisons(in_python, kind):
    y, scores, how = rows(12, kind)

    def made():
        return ca.compare(dict(zip("ab", scores, strict=True)), y, measures=[*DRAWN, "f1"], **how).to_dict()

    found, ran = in_python(made)
    assert ran
    assert near(made(), found) == []


@pytest.mark.wings("multilabel")
def test_tags(in_python):
    rng = np.random.default_rng(3)
    y = (rng.random((40, 5)) < 0.4).astype(int)
    score = np.clip(y * 0.3 + rng.random((40, 5)) * 0.7, 0, 1).round(2)
    made = lambda: ca.assess(y, score).to_dict()  # noqa: E731
    found, ran = in_python(made)
    assert ran
    assert near(made(), found) == []


def test_parts(in_python):
    y, (score, _), _ = rows(60, "alike")
    part = np.arange(60) % 3 == 0

    def made():
        one, other = (ca.assess(y[at], score[at], id=np.flatnonzero(at)) for at in (part, ~part))
        whole = one + other
        without = {name: each.tolist() for name, each in BlockValues.of(whole).without.items()}
        return [whole.to_dict(), without]

    found, ran = in_python(made)
    assert {"merge_blocks", "pair_sums", "precision_sums"} <= ran
    assert near(made(), found) == []


@pytest.mark.parametrize("kind", ["alike", "clustered", "frequency"])
def test_bootstraps(in_python, kind):
    y, (score, _), how = rows(20, kind)

    def made():
        a = ca.assess(y, score, **how)
        found = [a.estimate(name, method="bootstrap") for name in ("f1", "accuracy", "brier_score")]
        return [[each.value, each.low, each.high] for each in found]

    found, ran = in_python(made)
    assert ran
    assert near(made(), found) == []
