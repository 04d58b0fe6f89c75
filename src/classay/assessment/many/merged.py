"""Merged: what is counted of many rows so far, exactly while it fits into memory, then in bins."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import reduce
from math import log2
from operator import add
from typing import Any

import numpy as np

from classay.assessment.assessment import Assessment
from classay.errors import InputError
from classay.tables import ClassScoreTable
from classay.tables.binned.bins import BITS
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.binned.scale import Scale
from classay.tables.binned.table import BinnedScoreTable
from classay.tables.sparse import SparseConfusionMatrix

MEMORY = 2**30
"""Bytes that exact tables may take."""
COPIES = 3
"""How often tables of several classes are in memory while two are added."""
LEAST_PAIRS = 2**26
"""Bytes for pairs of classes, however little memory is given: a few matrices of 1,000 classes."""
LEAST = 2**22
"""Bytes for what bins cannot stand for, however little memory is given: 0 says that scores are binned at once."""
BYTES_A_SCORE = 100
"""Memory that a distinct score takes while tables are added."""

BYTES_A_BIN = 72
"""Memory of a bin."""
OCTAVES = 30
"""Powers of two that probabilities of several classes commonly spread over; bins that keep b bits cut each into 2^b."""


def bytes_of(table: Any) -> int:
    """The memory of the arrays of a table.

    >>> bytes_of((np.zeros(3), None, [np.zeros(2, np.int8)]))
    26
    """
    if isinstance(table, np.ndarray):
        return table.nbytes
    if isinstance(table, SparseConfusionMatrix):
        return bytes_of((table.places, table.held, table.held_squares))
    if is_dataclass(table):
        return sum(bytes_of(getattr(table, each.name)) for each in fields(table))
    return sum(map(bytes_of, table)) if isinstance(table, tuple | list) else 0


class Merged:
    """Assessments added in order, so that each row is added few times; binned when they outgrow memory."""

    def __init__(self, memory: float, bits: int | Scale | None) -> None:
        self.memory, self.bits = memory, bits
        self.unbinned = max(memory, LEAST)
        self._parts: list[tuple[int, Assessment]] = []

    def add(self, part: Assessment) -> None:
        """Add the next part; neighbours of one size are put together."""
        size = 1
        if self.bits is not None:
            part = binned(part, self.bits)
        while self._parts and (self._parts[-1][0] == size or self._is_as_large_as_all):
            size, part = 2 * size, self._parts.pop()[1] + part
        self._parts.append((size, part))
        self._refuse_pairs()
        held = sum(each.scores.scores.size for _, each in self._parts if each.scores is not None)
        if self.bits is None and (held * BYTES_A_SCORE > self.memory or self._has_too_many_class_scores):
            self._bin(self._first_bits)
        while self._has_too_many_class_scores:
            self._coarsen()

    def _bin(self, bits: int) -> None:
        self.bits = bits
        self._parts = [(size, binned(each, bits)) for size, each in self._parts]

    @property
    def _is_as_large_as_all(self) -> bool:
        """Whether the parts are in bins of each class, of which few rows fill as many as all of them."""
        return isinstance(self._parts[-1][1].class_scores, BinnedClassScoreTable)

    @property
    def _has_too_many_class_scores(self) -> bool:
        held = sum(bytes_of(each.class_scores) for _, each in self._parts)
        return held * COPIES > self.unbinned

    @property
    def _first_bits(self) -> int:
        """Bits to begin with: of several classes so few that the bins are likely to fit, for none to be made twice."""
        first = self._parts[0][1]
        if first.class_scores is None:
            return BITS
        bins = self.unbinned / COPIES / (len(first.labels) * BYTES_A_BIN * OCTAVES)
        return min(BITS, max(1, int(log2(max(bins, 1)))))

    def _coarsen(self) -> None:
        """Bins of each class take classes times bins, which must be fewer the more classes there are."""
        if self.bits == 1 or isinstance(self.bits, Scale):
            raise InputError(
                f"scores of {len(self._parts[0][1].labels):,} classes take more than the {self.unbinned / 2**20:,.0f} "
                "MB that counts may take, in the widest bins too: pass more (memory=, --memory), or the column of "
                "predicted labels instead (prediction=, --prediction)."
            )
        assert self.bits is not None
        self._bin(self.bits - 1)

    def _refuse_pairs(self) -> None:
        """Of many classes the pairs of predicted and true class that occur are kept, at most as many as rows."""
        held = sum(bytes_of(each.confusion_matrix) for _, each in self._parts)
        if held * COPIES > max(self.unbinned, LEAST_PAIRS):
            raise InputError(
                f"the pairs of {len(self._parts[0][1].labels):,} classes that occur take more than the "
                f"{self.unbinned / 2**20:,.0f} MB that counts may take: put rare classes together, pass more (memory=, "
                "--memory), or pass the column of labels, if this is one of ids or numbers."
            )

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return not self._parts

    def all(self) -> Assessment:
        """All parts in one."""
        return reduce(add, [part for _, part in self._parts])


def binned(a: Assessment, bits: int | Scale) -> Assessment:
    """The assessment with its scores in bins, those of several classes in bins that keep no more than `bits`."""
    if a.scores is not None and not isinstance(a.scores, BinnedScoreTable):
        return replace(a, scores=BinnedScoreTable.of_table(a.scores, bits))
    if a.class_scores is None or a.cases is None:
        return a
    if isinstance(a.class_scores, ClassScoreTable):
        in_bins = BinnedClassScoreTable.of_table(a.class_scores, bits)
    else:
        in_bins = a.class_scores if isinstance(bits, Scale) else a.class_scores.coarser(bits)
    return replace(a, class_scores=in_bins, cases=a.cases.binned())
