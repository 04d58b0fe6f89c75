"""Splits: which rows a model is fitted to and which it is tested on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.inference.draws import stream

Array = NDArray[Any]
Kind = Literal["test", "apparent", "pair"]
"""What a split is for: testing on other cases; on the training cases; or inside nested cross-validation."""


@dataclass(frozen=True)
class Place:
    """Where a split stands in its protocol, and which rows it tests on. `n_train` counts distinct rows."""

    number: int
    kind: Kind
    repeat: int
    fold: int
    test: Array
    n_train: int

    @property
    def n_test(self) -> int:
        """Number of rows tested on."""
        return int(self.test.shape[0])

    def __str__(self) -> str:
        if self.kind == "apparent":
            return "all cases"
        return f"repeat {self.repeat + 1}, fold {self.fold + 1}"


@dataclass(frozen=True)
class Split:
    """The rows to fit on, `train`, perhaps repeated, and the place of the test. `shows_training`: test on train too."""

    train: Array
    place: Place
    shows_training: bool = True


def split(
    number: int,
    train: Array,
    test: Array,
    *,
    kind: Kind = "test",
    repeat: int = 0,
    fold: int = 0,
    distinct: int | None = None,
) -> Split:
    """A split of its rows; only tests on other cases show the training beside it."""
    n_train = train.shape[0] if distinct is None else distinct
    return Split(train, Place(number, kind, repeat, fold, test, int(n_train)), kind == "test")


def apparent(number: int, rows: int) -> Split:
    """Fitting and testing on all rows."""
    every = np.arange(rows)
    return split(number, every, every, kind="apparent")


def seed_for(seed: int, purpose: str) -> int:
    """A seed as scikit-learn takes them, of its own stream."""
    return int(stream(seed, purpose).integers(2**32, dtype=np.uint32))


def printed(value: Any) -> str:
    """How a value prints, without its place in memory, which is another one in each process.

    >>> printed(object())
    '<object object>'
    """
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", str(value))
