"""scan(): the assessment of more rows than memory holds, from files, folders or frames, part by part."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from classay.assessment.assessing import checked_rows, how_to_assess, of_predictions
from classay.assessment.assessment import Assessment
from classay.columns import code_labels, match_label, sort_labels, with_zero_one, zero_one
from classay.columns.values import listing
from classay.errors import InputError
from classay.kinds import checked
from classay.predictions import Improper, Missing
from classay.sources.fragments import Fragment, fragments_of, is_read_once
from classay.sources.inputs import Format
from classay.tables.binned.bins import FINEST
from classay.tables.binned.table import BinnedScoreTable
from classay.threads import core_count

BITS = 10
"""Bits of the significand that bins keep: certain of the AUC to 1e-4, and far better than that where scores crowd."""
MEMORY = 2**30
"""Bytes that exact tables may take."""
BYTES_A_SCORE = 100
"""Memory that a distinct score takes while tables are added."""
TWO = ("negative", "positive")
"""The classes without which nothing is counted: the first rows may be of one alone."""
AHEAD = 2
"""Fragments that are under way for each thread."""

Progress = Callable[[int, int | None], None]
"""Told how many rows are counted, and of how many, where that is known."""


@dataclass(frozen=True)
class Reading:
    """How a fragment becomes an assessment: the columns by their roles, the labels, and how to count."""

    roles: Mapping[str, Any]
    labels: tuple[Hashable, ...]
    are_declared: bool
    positive: Hashable | None
    missing: Missing
    improper: Improper
    how: Mapping[str, Any]
    bits: int | None

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        named: list[str] = []
        for name in self.roles.values():
            named += [] if name is None else [*name.values()] if isinstance(name, Mapping) else [name]
        return list(dict.fromkeys(named))

    def of(self, fragment: Fragment) -> Counted:
        """Read and count a fragment; labels that were not known, or declared, are given back instead of a count.

        Raises InputError with the name of the fragment.
        """
        try:
            return self._of(fragment)
        except InputError as error:
            raise InputError(f"{fragment.key}: {error}") from error

    def _of(self, fragment: Fragment) -> Counted:
        kept = [self.roles[role] for role in ("truth", "prediction") if self.roles[role] is not None]
        table = fragment.read(self.columns, kept)
        found = {label for name in kept for label in code_labels(table[name], name).labels}
        if not self.are_declared and not (self.is_settled and found <= {*self.labels}):
            return Counted(table.num_rows, self.labels, tuple(found))
        score = self.roles["score"]
        rows = checked_rows(
            table[self.roles["truth"]],
            {match_label(label, self.labels): table[name] for label, name in score.items()}
            if isinstance(score, Mapping)
            else score and table[score],
            y_pred=None if self.roles["prediction"] is None else table[self.roles["prediction"]],
            **{
                role: None if self.roles[role] is None else table[self.roles[role]]
                for role in ("weight", "frequency")
            },
            labels=self.labels,
            positive=match_label(self.positive, self.labels) if self.positive is not None else None,
            missing=self.missing,
            improper=self.improper,
        )
        made = of_predictions(rows, bits=None if rows.score is None else self.bits, **self.how)
        return Counted(table.num_rows, self.labels, (), made)

    @property
    def is_settled(self) -> bool:
        """Whether rows can be counted with the labels that are known: two of which one is positive, or more."""
        if self.are_declared or len(self.labels) > len(TWO):
            return True
        is_said = zero_one(self.labels) is not None if self.positive is None else self._matches(self.positive)
        return len(self.labels) == len(TWO) and is_said

    def _matches(self, label: Hashable) -> bool:
        """Whether a label, perhaps written as text, is one that is known."""
        try:
            match_label(label, self.labels)
        except InputError:
            return False
        return True

    def knowing(self, labels: Sequence[Hashable]) -> Reading:
        """The same with further labels."""
        return replace(self, labels=tuple(sort_labels({*self.labels, *labels})))


@dataclass(frozen=True)
class Counted:
    """What became of a fragment, when so many labels were known: its assessment, or labels that must be known first."""

    rows: int
    labels: tuple[Hashable, ...]
    found: tuple[Hashable, ...] = ()
    assessment: Assessment | None = None


class MoreLabels(Exception):
    """A label came after others were counted without it."""


class Merged:
    """Assessments added in order, so that each row is added few times; binned when they outgrow memory."""

    def __init__(self, memory: float, bits: int | None) -> None:
        self.memory, self.bits = memory, bits
        self._parts: list[tuple[int, Assessment]] = []

    def add(self, part: Assessment) -> None:
        """Add the next part; neighbours of one size are put together."""
        size = 1
        if self.bits is not None:
            part = binned(part, self.bits)
        while self._parts and self._parts[-1][0] == size:
            size, part = 2 * size, self._parts.pop()[1] + part
        self._parts.append((size, part))
        held = sum(each.scores.scores.size for _, each in self._parts if each.scores is not None)
        if self.bits is None and held * BYTES_A_SCORE > self.memory:
            self.bits = BITS
            self._parts = [(size, binned(each, BITS)) for size, each in self._parts]

    def all(self) -> Assessment:
        """All parts in one."""
        return reduce(add, [part for _, part in self._parts])


def binned(a: Assessment, bits: int) -> Assessment:
    """The assessment with its scores in bins."""
    if a.scores is None or isinstance(a.scores, BinnedScoreTable):
        return a
    return replace(a, scores=BinnedScoreTable.of_table(a.scores, bits))


@checked
def scan(
    source: Any,
    *,
    truth: str,
    score: str | Mapping[Hashable, str] | None = None,
    prediction: str | None = None,
    positive: Hashable | None = None,
    threshold: float | None = None,
    labels: Sequence[Hashable] | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    missing: Missing = "refuse",
    improper: Improper = "keep",
    memory: float = MEMORY,
    bits: int | None = None,
    limit: int | None = None,
    format: Format | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Assess rows that need not fit into memory: files, patterns and folders of them, or a frame, part by part.

    `source` is a path, a pattern such as `"preds/*.parquet"`, a folder (`year=2024` in its paths is a column), a list
    of these, or a frame of polars (lazy ones too), pandas, PyArrow, DuckDB, Ibis or Dask, whose columns are named as in
    `assess`. Each part is checked and counted by itself, on threads or on an `executor` like those of
    `concurrent.futures`, and the counts are added in order, so that the answer does not depend on the parts.

    Scores are kept exactly as long as the table fits into `memory` bytes (infinity for always), then in bins that keep
    `bits` of the significand (10; give it to bin from the start): every measure of the order of scores then has
    `certain` ends beside its interval, which is as much wider, and the means of losses stay exact. The labels at the
    threshold are counted exactly in any case. `limit` stops after so many rows, for a first look. `progress` is called
    with the rows counted and all rows, where that is known.

    Raises FileError for files that cannot be read, InputError as `assess` does, with the part that it came from.

    >>> import pyarrow as pa
    >>> table = pa.table({"y": [1, 1, 0, 1, 0, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]})
    >>> scan(table, truth="y", score="p")["recall"]
    Estimate(0.750 [0.301, 0.954] 95 %, Wilson)
    """
    if bits is not None and not 1 <= bits <= FINEST:
        raise InputError(f"bits is {bits}: pass a whole number from 1 to {FINEST}, or leave it out.")
    if limit is not None and limit < 1:
        raise InputError(f"limit is {limit}: pass a number of rows, or leave it out.")
    roles = {
        "truth": truth,
        "score": score,
        "prediction": prediction,
        "weight": weight,
        "frequency": frequency,
    }
    if score is None and prediction is None:
        raise InputError(
            "there is nothing to assess: name the column of scores (score=) or of labels (prediction=)."
        )
    how = how_to_assess(threshold, level, seed, interval)
    plan = Reading(roles, tuple(labels or ()), labels is not None, positive, missing, improper, how, bits)
    counting = Counting(plan, memory, progress)
    while True:
        parts = _limited(fragments_of(source, plan.columns, format), limit)
        try:
            return replace(counting.all_of(parts, executor), limit=limit)
        except MoreLabels:
            if is_read_once(source):
                raise InputError(
                    f"labels {listing(counting.plan.labels)} are not all in the first rows, and a "
                    f"{type(source).__name__} can be read once only: pass labels= with all of them."
                ) from None
            counting = Counting(counting.plan, memory, progress)


class Counting:
    """A pass over fragments: what is counted, and the labels that are known by now."""

    def __init__(self, plan: Reading, memory: float, progress: Progress | None) -> None:
        self.plan, self.progress = plan, progress
        self.merged = Merged(memory, plan.bits)
        self.done = 0
        self.late: list[Fragment] = []  # whose labels do not yet make two classes

    def all_of(self, parts: Iterator[Fragment], executor: Executor | None) -> Assessment:
        """Count all fragments."""
        for part, counted in _in_order(parts, lambda: self.next.of, executor):
            self._take(part, counted)
        # no more labels will come
        self.plan = replace(self.plan, labels=with_zero_one(self.plan.labels), are_declared=True)
        for part in self.late if self.plan.labels else ():
            self._add(self.next.of(part))
        if not self.done:
            raise InputError("the source has no rows: pass files or a frame with rows.")
        return self.merged.all()

    @property
    def next(self) -> Reading:
        """How the next fragment is read."""
        return replace(self.plan, bits=self.merged.bits)

    def _take(self, part: Fragment, counted: Counted) -> None:
        before = self.plan.labels
        if counted.found:
            self.plan = self.plan.knowing(counted.found)
        if self.plan.labels != before and self.done:
            raise MoreLabels
        if not self.plan.is_settled:
            self.late.append(part)
            return
        for each in self.late:
            self._add(self.next.of(each))
        self.late = []
        is_stale = counted.assessment is None or counted.labels != self.plan.labels
        self._add(self.next.of(part) if is_stale else counted)

    def _add(self, counted: Counted) -> None:
        assert counted.assessment is not None
        self.merged.add(counted.assessment)
        self.done += counted.rows
        if self.progress is not None:
            self.progress(self.done, None)


def _limited(parts: Iterator[Fragment], limit: int | None) -> Iterator[Fragment]:
    left = limit
    for part in parts:
        if left is None:
            yield part
            continue
        if left <= 0:
            return
        cut = FirstRows(part, left)
        yield cut
        left -= min(left, part.rows) if part.rows is not None else left


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a fragment."""

    part: Fragment
    rows: int

    @property
    def key(self) -> str:
        """Its name."""
        return f"the first {self.rows:,} rows of {self.part.key}"

    def read(self, columns: Sequence[str], labels: Sequence[str]) -> Any:
        """The named columns."""
        return self.part.read(columns, labels).slice(0, self.rows)


def _in_order(
    parts: Iterator[Fragment], work: Callable[[], Callable[[Fragment], Counted]], executor: Executor | None
) -> Iterator[tuple[Fragment, Counted]]:
    """Each fragment and what becomes of it, in order, a few ahead of what is wanted; `work` says how to count one."""
    if executor is None:
        threads = core_count()
        with ThreadPoolExecutor(threads) as own:
            yield from _ahead(parts, work, own, AHEAD * threads)
        return
    yield from _ahead(parts, work, executor, AHEAD * core_count())


def _ahead(
    parts: Iterator[Fragment], work: Callable[[], Callable[[Fragment], Counted]], pool: Executor, ahead: int
) -> Iterator[tuple[Fragment, Counted]]:
    waiting: deque[tuple[Fragment, Future[Counted]]] = deque()
    try:
        for part in parts:
            waiting.append((part, pool.submit(work(), part)))
            if len(waiting) >= ahead:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())
    finally:
        for _, future in waiting:
            future.cancel()


def _result(part: Fragment, future: Future[Counted]) -> tuple[Fragment, Counted]:
    return part, future.result()
