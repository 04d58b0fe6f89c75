"""The tables of an archive, each array checked as it is taken."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from classay.assessment.saved.saving import (
    CASE_COUNTS,
    SUMS,
    SUMS_BY_CLASS,
    TAILS,
)
from classay.files.archive import Archive
from classay.files.fields import Damaged, Fields, hold, shown
from classay.tables import CaseTable, ConfusionMatrix, ExactSum, ScoreTable
from classay.tables.amounts import Amounts
from classay.tables.cases import CaseSums, LossTail
from classay.tables.classes import ClassRun, JointCases
from classay.tables.rows import CodedRows
from classay.tables.sparse import SparseConfusionMatrix

_MOST_CASES = 2**53
"""Cases that any table counts exactly."""
_DIGITS = 1200
"""Hexadecimal digits of an exact sum, which is below 2^1024 in units of 2^-1127."""


class Tables:
    """The tables of an archive, of cases with these labels and weights of such a dtype.

    `called` are the labels of a matrix: those, and the reserved answer where cases among several classes have none.
    """

    def __init__(
        self,
        archive: Archive,
        labels: tuple[Hashable, ...],
        weights: str,
        amounts: tuple[str, ...] = (),
        called: tuple[Hashable, ...] | None = None,
    ) -> None:
        self.archive, self.labels, self.weights, self.amounts = archive, labels, weights, amounts
        self.called = labels if called is None else called

    def of_weights(self, name: str, *shape: int | None) -> Any:
        """Sums of weights, of which all together can still be added up."""
        found = self.archive.array(f"{name}.npy", self.weights, shape, least=0)
        found = found.astype(np.int64) if found.dtype in (np.int8, np.int16, np.int32) else found
        hold(found.dtype in (np.int64, np.float64), f"{name} are of {found.dtype}")
        most = _MOST_CASES if found.dtype == np.int64 else np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            hold(found.sum(dtype=np.float64) <= most, f"{name} are more than can be added up")
        return found

    def of_squares(self, name: str, *shape: int | None) -> Any:
        """The sums of squared weights, which sampling weights have and nothing else."""
        if self.weights != "f":
            hold(f"{name}.npy" not in self.archive, f"{name} are there without sampling weights")
            return None
        return self.of_weights(name, *shape)

    def _amounts(self, name: str, *cells: int) -> Amounts | None:
        """The sums of amounts in the cells of a table, where the rows carried any."""
        if not self.amounts:
            return None
        q = len(self.amounts)
        sums = self.archive.array(f"{name}.amounts.sums.npy", "f", (q, *cells))
        products = self.archive.array(f"{name}.amounts.products.npy", "f", (1 + q, q, *cells))
        hold(all((products[1 + j, j] >= 0).all() for j in range(q)), f"{name}.amounts have negative squares")
        least = self.archive.maybe_array(f"{name}.amounts.least.npy", "f", (q,))
        hold(least is None or (sums[least >= 0] >= 0).all(), f"{name}.amounts are less than their least")
        return Amounts(self.amounts, sums, products, least)

    def matrix(self) -> ConfusionMatrix:
        """The counts of predicted and true labels."""
        k = len(self.called)
        return ConfusionMatrix(
            self.of_weights("matrix.counts", k, k),
            self.called,
            self.of_squares("matrix.squares", k, k),
            self._amounts("matrix", k, k),
        )

    def cells(self) -> SparseConfusionMatrix:
        """The counts of predicted and true labels at the pairs of them that occur."""
        k = len(self.called)
        places = self.archive.array("matrix.places.npy", "i", (None,), least=0, below=k * k)
        hold((places[1:] > places[:-1]).all(), "matrix.places do not ascend")
        held = self.of_weights("matrix.held", places.size)
        hold((held > 0).all(), "matrix.held has a pair of labels without a case")
        squares = self.of_squares("matrix.held_squares", places.size)
        return SparseConfusionMatrix(places.astype(np.int64), held, self.called, squares)

    def scores(self, name: str, labels: tuple[Hashable, Hashable]) -> ScoreTable:
        """Scores of two classes, each once, descending."""
        scores = self._descending(f"{name}.scores", "once")
        m = scores.size
        return ScoreTable(
            scores,
            self.of_weights(f"{name}.positives", m),
            self.of_weights(f"{name}.negatives", m),
            labels,
            self.of_squares(f"{name}.positive_squares", m),
            self.of_squares(f"{name}.negative_squares", m),
            self._amounts(name, 2, m) if name == "scores" else None,
        )

    def _descending(self, name: str, times: str) -> Any:
        scores = self.archive.array(f"{name}.npy", "f", (None,), finite=False)
        hold(scores.itemsize <= 8, f"{name} are of {scores.dtype}")
        hold(scores.size and not np.isnan(scores).any(), f"{name} holds NaN, or nothing")
        before, after = scores[:-1], scores[1:]
        hold((before > after if times == "once" else before >= after).all(), f"{name} do not descend")
        return scores

    def run(self, name: str) -> ClassRun:
        """One class's scores, with the true class of each."""
        scores = self._descending(f"{name}.scores", "often")
        m = scores.size
        true = self.archive.array(f"{name}.true.npy", "iu", (m,), least=0, below=len(self.labels))
        tied = scores[1:] == scores[:-1]
        hold((true[1:] > true[:-1])[tied].all(), f"{name} holds a score and class twice")
        return ClassRun(
            scores, true, self.of_weights(f"{name}.weight", m), self.of_squares(f"{name}.squares", m)
        )

    def joint(self, runs: tuple[ClassRun, ...]) -> JointCases | None:
        """Which scores are of one case, where that is kept: each entry counts the cases that name it."""
        entry = self.archive.maybe_array("joint.entry.npy", "iu", (None, len(runs)), least=0)
        if entry is None:
            return None
        n = entry.shape[0]
        true = self.archive.array("joint.true.npy", "iu", (n,), least=0, below=len(runs))
        weight = self.of_weights("joint.weight", n) if "joint.weight.npy" in self.archive else None
        for run, own in zip(runs, entry.T, strict=True):
            hold(own.max(initial=0) < run.scores.size, "joint.entry names an entry that is not there")
            hold((run.true[own] == true).all(), "joint.entry names an entry of another class")
        return JointCases(np.asfortranarray(entry), true, weight)  # read class by class

    def cases(self, about: Fields, top: ScoreTable) -> CaseTable:
        """The sums over cases of several classes, with the table of their highest scores."""
        counts = {name: about.whole(name) for name in CASE_COUNTS}
        squares = about.maybe("squares", lambda name: self._sums(about.inner(name), "cases.squares"))
        hold((squares is not None) == (self.weights == "f"), "cases.squares go with sampling weights alone")
        sums = self._sums(about.inner("sums"), "cases.sums")
        about.done()
        return CaseTable(labels=self.labels, sums=sums, squares=squares, top=top, **counts)

    def _sums(self, about: Fields, name: str) -> CaseSums:
        k = len(self.labels)
        sums: dict[str, Any] = {each: exact(about.take(each)) for each in SUMS}
        sums |= {each: about.list(each, exact) for each in SUMS_BY_CLASS}
        sums |= {each: _tail(about.take(each)) for each in TAILS if each in about}
        about.done()
        hold(all(len(sums[each]) == k for each in SUMS_BY_CLASS), f"{name} are not of {k} classes")
        return CaseSums(self.of_weights(f"{name}.true", k), self.of_weights(f"{name}.ranks", k), **sums)

    def coded(self, clusters: tuple[Hashable, ...], scores: ScoreTable | None) -> CodedRows:
        """The rows of cases in clusters."""
        take, k = self.archive.array, len(self.labels)
        cluster = take("coded.cluster.npy", "iu", (None,), least=0, below=len(clusters))
        rows = (cluster.size,)
        true = take("coded.true.npy", "iu", rows, least=0, below=k)
        predicted = self.archive.maybe_array(
            "coded.predicted.npy", "iu", rows, least=0, below=len(self.called)
        )
        weight = self.archive.maybe_array("coded.weight.npy", "f", rows, least=0)
        score = self.archive.maybe_array(
            "coded.score.npy", "f", (*rows, k) if scores is None else rows, finite=False
        )
        hold(score is None or not np.isnan(score).any(), "coded.score holds NaN")
        amounts = take("coded.amounts.npy", "f", (*rows, len(self.amounts))) if self.amounts else None
        return CodedRows(clusters, self.called, cluster, true, predicted, score, weight, amounts)


def _tail(plain: Any) -> LossTail:
    """The tail of losses, saved as the greatest in hexadecimal and two exact sums."""
    hold(isinstance(plain, list) and len(plain) == 3, f"{shown(plain)} is no tail of losses")
    try:
        most = float.fromhex(plain[0])
    except (TypeError, ValueError, OverflowError) as error:
        raise Damaged(f"{shown(plain[0])} is no greatest loss") from error
    hold(most >= 0, f"{shown(plain[0])} is no greatest loss")
    return LossTail(most, exact(plain[1]), exact(plain[2]))


def exact(plain: Any) -> ExactSum:
    """An exact sum of nonnegative terms, saved as its units in hexadecimal and the number of infinite terms."""
    hold(isinstance(plain, list) and len(plain) == 2, f"{shown(plain)} is no exact sum")
    units, infinite = plain
    hold(isinstance(units, str) and len(units) <= _DIGITS, f"{shown(units)} are no units of an exact sum")
    hold(type(infinite) is int and infinite >= 0, f"{shown(infinite)} is no number of infinities")
    try:
        found = ExactSum(int(units, 16), infinite)
        hold(found.units >= 0 and found.value >= 0, f"{shown(units)} are no units of an exact sum")
    except (ValueError, OverflowError) as error:
        raise Damaged(f"{shown(units)} are no units of an exact sum") from error
    return found
