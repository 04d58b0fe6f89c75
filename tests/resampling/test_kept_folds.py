"""What a store keeps of a fold: it comes back as it was, and nothing else is taken for a fold."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from classay.errors import FileError
from classay.files.archives import Damaged
from classay.resampling.data import FoldResult, checked

N = 5
RNG = np.random.default_rng(0)
PREDICTED = {2: np.array([0, 1, 1, 0, 1]), 3: np.array([0, 1, 2, 2, 1])}
SCORES = {2: RNG.random(N), 3: RNG.dirichlet(np.ones(3), N)}
CASES = {k: SimpleNamespace(labels=tuple(range(k)), is_binary=k == 2) for k in (2, 3)}
ANOTHER = {
    "other numbers": lambda a: a.astype(np.float64 if a.dtype.kind == "i" else np.int64),
    "halves": lambda a: a.astype(np.float16),
    "truths": lambda a: a > 0,
    "complex": lambda a: a.astype(complex),
    "texts": lambda a: a.astype("U9"),
    "one axis more": lambda a: a[..., None],
    "one axis fewer": lambda a: a.reshape(-1) if a.ndim > 1 else a[0],
    "a case fewer": lambda a: a[:-1],
    "none": lambda a: a[:0],
    "a class more": lambda a: np.concatenate([a, a[..., :1]], -1),
    "out of range": lambda a: np.full_like(a, np.nan if a.dtype.kind == "f" else -1),
    "a class that is none": lambda a: np.full_like(a, np.nan if a.dtype.kind == "f" else 3),
}


def kept(classes):
    return FoldResult(
        predicted=PREDICTED[classes],
        scores=SCORES[classes],
        kind_of_score="probability",
        training=np.diag(np.arange(1, classes + 1)),
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_a_fold_comes_back(classes):
    fold = kept(classes)
    back = checked(FoldResult.from_bytes(fold.to_bytes()), N, CASES[classes])
    for name in ("predicted", "scores", "training"):
        np.testing.assert_array_equal(getattr(back, name), getattr(fold, name))


@pytest.mark.parametrize("how", ANOTHER)
@pytest.mark.parametrize("name", ["predicted", "scores", "training"])
@pytest.mark.parametrize("classes", [2, 3])
def test_arrays_of_another_kind_or_shape_are_no_fold(classes, name, how):
    fold = kept(classes)
    other = ANOTHER[how](getattr(fold, name))
    if name == "training" and how in (
        "other numbers",
        "halves",
        "a class that is none",
    ):  # any weights are some
        return
    with pytest.raises((FileError, Damaged)):
        checked(FoldResult.from_bytes(replace(fold, **{name: other}).to_bytes()), N, CASES[classes])
