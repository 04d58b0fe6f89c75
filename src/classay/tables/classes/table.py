"""ClassScoreTable: the scores of several classes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, match_label
from classay.errors import MergeError
from classay.tables.checks import checked_class_scores, checked_codes, checked_labels, checked_weights
from classay.tables.classes.rows import ClassRows
from classay.tables.classes.runs import ClassRun, ClassRuns
from classay.tables.scores import ScoreTable
from classay.tables.summed import Summed

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ClassScoreTable(Summed):
    """For scores of several classes: the cases, with a score for each class.

    `kept` are the sorted scores of each class of a table that came from a file; files saved before the cases were kept
    have these alone, and no `rows`.
    Every ranking measure needs only a `ScoreTable`: `one_vs_rest(c)` ranks class c against all others by c's score;
    `one_vs_one(a, b)` ranks the cases of a against those of b by a's score.

    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = ClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"))
    >>> table.one_vs_rest("a")
    ScoreTable(4 distinct float64 scores, positive='a', 2 positive, 2 negative)
    """

    labels: tuple[Hashable, ...]
    rows: ClassRows | None
    kept: ClassRuns | None = None

    @classmethod
    def from_rows(
        cls,
        scores: Array,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> ClassScoreTable:
        """Build from `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`.

        Raises InputError for a code beyond the labels, columns of unequal length, NaN, and weights that do not add up.
        """
        labels = checked_labels(labels)
        checked_codes(len(labels), true=true)
        weight, frequency = checked_weights(true.size, weight, frequency)
        scores = checked_class_scores(scores, true.size, len(labels))
        return cls(labels, ClassRows.of(scores, true, frequency if weight is None else weight))

    @classmethod
    def of_runs(cls, labels: tuple[Hashable, ...], runs: ClassRuns) -> ClassScoreTable:
        """From the sorted scores of each class."""
        return cls(labels, runs.rows(), runs)

    def sorted_scores(self) -> ClassRuns:
        """The sorted scores of each class, as files hold them."""
        if self.kept is not None:
            return self.kept
        assert self.rows is not None
        return ClassRuns.of(self.rows)

    @property
    def _held(self) -> ClassRows | ClassRuns:
        held = self.kept if self.rows is None else self.rows
        assert held is not None
        return held

    @property
    def class_totals(self) -> Array:
        """Weight of the cases of each class, `(classes,)`."""
        return self._held.totals

    @property
    def is_weighted(self) -> bool:
        """Whether the table holds sums of sampling weights instead of numbers of cases."""
        return self._held.is_weighted

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the scores."""
        return self._run(0).scores.dtype if self.rows is None else self.rows.scores.dtype

    @property
    def size(self) -> int:
        """Number of scores that it holds."""
        if self.rows is None:
            return sum(run.scores.size for run in self.sorted_scores().runs)
        return self.rows.scores.size

    def one_vs_rest(self, label: Hashable) -> ScoreTable:
        """The cases of a class against all others, by that class's score."""
        i = self.labels.index(match_label(label, self.labels))
        names = (f"not {self.labels[i]}", self.labels[i])
        if self.rows is None:
            run = self._run(i)
            return run.table(run.true == i, run.true != i, names)
        own = np.zeros(self.rows.scores.shape[1], bool)
        own[self.rows.own(i)] = True
        return ScoreTable.from_rows(self.rows.scores[i], own, names, **self._weights(slice(None)))

    def one_vs_one(self, label: Hashable, other: Hashable) -> ScoreTable:
        """The cases of a class against those of another, by the first one's score."""
        i, j = (self.labels.index(match_label(each, self.labels)) for each in (label, other))
        names = (self.labels[j], self.labels[i])
        if self.rows is None:
            run = self._run(i)
            return run.table(run.true == i, run.true == j, names)
        mine, others = (np.arange(own.start, own.stop) for own in map(self.rows.own, (i, j)))
        at = np.concatenate([mine, others])
        return ScoreTable.from_rows(
            self.rows.scores[i, at], np.arange(at.size) < mine.size, names, **self._weights(at)
        )

    def _run(self, code: int) -> ClassRun:
        return self.sorted_scores().runs[code]

    def _weights(self, at: Any) -> dict[str, Any]:
        assert self.rows is not None
        if self.rows.weight is None:
            return {"in_all": self.size}
        return {"in_all": self.size, "weight" if self.rows.is_weighted else "frequency": self.rows.weight[at]}

    def __add__(self, other: ClassScoreTable) -> ClassScoreTable:
        if not isinstance(other, ClassScoreTable):  # bins, which take exact scores
            return NotImplemented
        if self.labels != other.labels:
            raise MergeError(
                f"the class scores are for the labels {self.labels} and {other.labels}: declare labels= for both."
            )
        if self.dtype != other.dtype:
            raise MergeError("the class scores differ in precision: convert one of them first.")
        if self.is_weighted != other.is_weighted:
            raise MergeError(
                "one table holds sampling weights and the other counts cases: assess both alike."
            )
        labels = Labels.of(self.labels) | Labels.of(other.labels)  # an order that one of them has
        if self.rows is None or other.rows is None:
            return ClassScoreTable(labels, None, self.sorted_scores() + other.sorted_scores())
        return ClassScoreTable(labels, self.rows + other.rows)
