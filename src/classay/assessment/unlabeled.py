"""Cases without a true label: how many, and where their scores lie."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.kinds import TypedFields, shown
from classay.predictions import Predictions
from classay.tables.binning import SIGNIFICAND, places

Array = NDArray[Any]
BITS = 5
"""Bits of the significand that are kept of a score: some hundred numbers for scores of any kind."""


@dataclass(frozen=True)
class UnlabeledCases(TypedFields):
    """The answered cases without a true label, counted by coarse bins of the score and by predicted label.

    `keys` are the bins, ascending, and `counts` their cases; both are empty without scores. `called` pairs predicted
    labels with their cases, None where there are none, or where parts were cut at different thresholds. `cutoff` is the
    threshold of these labels. Of several classes, the score is the greatest one. Sums are those of all rows together.
    """

    cases: int
    keys: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    called: tuple[tuple[Hashable, int], ...] | None = None
    cutoff: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = (*self.keys, *self.counts)
        is_whole = len(self.keys) == len(self.counts) and all(abs(number) < 2**63 for number in numbers)
        if not is_whole or not all(here < there for here, there in pairwise(self.keys)):
            raise InputError("The keys of unlabeled cases must ascend, with one count each.")
        by_label = None if self.called is None else [n for _, n in self.called]
        for name, counts in (("counts", self.counts if self.keys else None), ("called", by_label)):
            if counts is not None and (sum(counts) != self.cases or min(counts, default=0) < 0):
                raise InputError(
                    f"{name} of unlabeled cases must be at least 0 and sum to {self.cases:,}, but are {shown(counts)}."
                )

    @classmethod
    def of(cls, rows: Predictions, cutoff: float | None) -> UnlabeledCases:
        """Count answered rows, whose truth says nothing, cut at a threshold where scores alone were given."""
        times = np.ones(rows.rows, np.int64) if rows.frequency is None else rows.frequency
        score = rows.score if rows.class_scores is None else rows.class_scores.max(1)
        by_bin: dict[int, int] = {} if score is None else _summed(bin_keys(score), times)
        codes, called = rows.called(cutoff), None
        if codes is not None:
            totals = np.bincount(codes, times, len(rows.labels)).astype(np.int64).tolist()
            called = tuple((label, n) for label, n in zip(rows.labels, totals, strict=False) if n)
        return cls(int(times.sum()), tuple(by_bin), tuple(by_bin.values()), called, cutoff)

    def __add__(self, other: UnlabeledCases) -> UnlabeledCases:
        keys = np.array([*self.keys, *other.keys], np.int64)
        by_bin = _summed(keys, np.array([*self.counts, *other.counts], np.int64))
        called = None
        if self.called is not None and other.called is not None and self.cutoff == other.cutoff:
            totals = dict(self.called)
            for label, n in other.called:
                totals[label] = totals.get(label, 0) + n
            called = tuple(totals.items())
        cutoff = None if called is None else self.cutoff
        return UnlabeledCases(self.cases + other.cases, tuple(by_bin), tuple(by_bin.values()), called, cutoff)


def add_unlabeled(one: UnlabeledCases | None, other: UnlabeledCases | None) -> UnlabeledCases | None:
    """Return the unlabeled cases of two parts, None where neither has any."""
    return (one or other) if one is None or other is None else one + other


def bin_keys(scores: Array) -> Array:
    """Return the coarse bins of scores, int64, in the order of the scores."""
    return np.asarray(places(scores) >> (SIGNIFICAND - BITS))


def _summed(keys: Array, times: Array) -> dict[int, int]:
    """Return the cases of each key, ascending."""
    distinct, at = np.unique(keys, return_inverse=True)
    totals = np.zeros(distinct.size, np.int64)
    np.add.at(totals, at, times)
    return dict(zip(distinct.tolist(), totals.tolist(), strict=True))
