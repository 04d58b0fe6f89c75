"""scan(): the assessment of more rows than memory holds, from files, folders or frames, part by part."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.answers import Missing, Policy, Unanswered
from classay.assessment.assessing import how_to_assess, refuse_all_undeclared
from classay.assessment.assessment import Assessment
from classay.assessment.many.merged import MEMORY, Merged
from classay.assessment.many.parts import Counted, Reading, is_same
from classay.assessment.many.running import in_order
from classay.columns import Labels, with_zero_one
from classay.columns.uniting import declared
from classay.columns.values import listing
from classay.errors import FileError, InputError, NoRowsError, NothingCountsError
from classay.kinds import checked
from classay.predictions import Improper
from classay.sources.fragments import DaskPart, Fragment, fragments_of, is_read_once
from classay.sources.inputs import Format
from classay.sources.spelling import Known, NumberKinds, Spelling
from classay.tables.binned.bins import FINEST
from classay.texts import an

Progress = Callable[[int, int | None], None]
"""Told how many rows are counted, and of how many, where that is known."""


class Anew(Exception):
    """What comes later changes how rows before it are counted: `why`, and what to do if they cannot come again."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


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
    ordered: bool = False,
    weight: str | None = None,
    frequency: str | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    improper: Improper = "keep",
    memory: float = MEMORY,
    bits: int | None = None,
    limit: int | None = None,
    format: Format | None = None,
    delimiter: str | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> Assessment:
    """Assess rows that need not fit into memory: files, patterns and folders of them, or a frame, part by part.

    `source` is a path, a pattern such as `"preds/*.parquet"`, a folder (`year=2024` in its paths is a column), a list
    of these, or a frame of polars (lazy ones too), pandas, PyArrow, DuckDB, Ibis or Dask, whose columns are named as in
    `assess`. Each part is checked and counted by itself, on threads or on an `executor` like those of
    `concurrent.futures`, and the counts are added in order, so that the answer does not depend on the parts.

    Scores are kept exactly as long as the table fits into `memory` bytes (infinity for always), then in bins that keep
    `bits` of the significand (10; give it to bin from the start): every measure of the order of scores then has
    `certain` ends beside its interval, which is as much wider, and the means of losses stay exact. Scores of several
    classes go into bins of each class against all others, without what pairs of classes say. The labels at the
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
    known = declared(labels, ordered=ordered)
    plan = Reading(roles, Known(), known, positive, Policy.of(missing, unanswered), improper, how, bits)
    return Pass(source, format, delimiter, limit, executor, progress).of(plan, memory)


@dataclass(frozen=True)
class Pass:
    """A pass over all rows of a source: how it is read, how far, by whom, and who is told."""

    source: Any
    format: Format | None
    delimiter: str | None
    limit: int | None
    executor: Any
    progress: Progress | None

    def of(self, plan: Reading, memory: float) -> Assessment:
        """Count the rows; anew, where labels come after others were counted without them."""
        counting = Counting(plan, memory, self.progress)
        while True:
            parts = fragments_of(self.source, plan.columns, self.format, self.delimiter)
            try:
                found = counting.all_of(_limited(parts, self.limit, plan), self.executor)
                return replace(found, limit=self.limit)
            except Anew as anew:
                if is_read_once(self.source):
                    raise InputError(
                        f"{anew.why}, and {name_of(self.source)} can be read once only: {anew.remedy}."
                    ) from None
                counting = Counting(counting.plan, memory, self.progress)


def _completed(labels: Labels) -> Labels:
    """The labels, and the other of 0 and 1 where only one of them occurs."""
    whole = with_zero_one(labels)
    return labels if len(whole) == len(labels) else Labels.sorted(whole)


def is_on_cluster(part: Any) -> bool:
    """Whether the rows of a fragment lie elsewhere, and are not to be fetched."""
    return isinstance(part.part if isinstance(part, FirstRows) else part, DaskPart)


def name_of(source: Any) -> str:
    """A source for messages."""
    name = source if isinstance(source, str) else an(type(source).__name__)
    return "standard input" if name == "-" else name


class Counting:
    """A pass over fragments: what is counted, and the labels that are known by now."""

    def __init__(self, plan: Reading, memory: float, progress: Progress | None) -> None:
        self.plan, self.progress = plan, progress
        self.merged = Merged(memory, plan.bits)
        self.done = self.dropped = self.unscored = self.unanswered = self.undeclared = 0
        self.nothing: NothingCountsError | None = None
        self.precision: str | None = None
        self.has_set_back = False
        self.kinds = NumberKinds()
        self.late: list[Fragment] = []  # whose labels do not yet make two classes

    def all_of(self, parts: Iterator[Fragment], executor: Any) -> Assessment:
        """Count all fragments."""
        for part, counted in in_order(self._looking(parts), lambda: self.next.of, executor):
            self._take(part, counted)
        self.kinds.refuse_rounded()
        self.plan.known.refuse_apart()
        # no more labels will come
        if self.plan.declared is None:
            self.plan = replace(self.plan, declared=_completed(self.plan.labels))
        for part in self.late if self.plan.labels else ():
            self._add(part, self.next.of(part))
        if self.merged.is_empty:
            raise self._nothing()
        whole = self.merged.all()
        if self.has_set_back and whole.scores is not None and whole.scores.scores.size == 1:
            self._keep_rounding()  # which had made one score of all
        return refuse_all_undeclared(
            replace(
                whole,
                dropped=whole.dropped + self.dropped,
                unscored=whole.unscored + self.unscored,
                unanswered=whole.unanswered + self.unanswered,
                undeclared=whole.undeclared + self.undeclared,
            )
        )

    def _looking(self, parts: Iterator[Fragment]) -> Iterator[Fragment]:
        """The fragments; the labels of the first are known before others are under way, which would need them."""
        for number, part in enumerate(parts):
            if number == 0 and not self.plan.is_settled and not is_on_cluster(part):
                self.plan = self.plan.look_at(part)
            yield part

    def _nothing(self) -> InputError:
        if self.late:
            return InputError("a label is missing in every row: check the columns of labels.")
        return self.nothing or InputError("the source has no rows: pass files or a frame with rows.")

    @property
    def next(self) -> Reading:
        """How the next fragment is read."""
        return replace(self.plan, bits=self.merged.bits)

    def _take(self, part: Fragment, counted: Counted) -> None:
        if not counted.rows:
            self.nothing = self.nothing or counted.nothing
            return
        try:
            self.kinds |= counted.kinds
        except FileError as error:
            raise FileError(f"{part.key}: {error}") from error
        if self.plan.declared is None and not counted.found <= self.plan.known:
            before = self.plan
            self.plan = self.plan.knowing(counted.found)
            if self.done and not is_same(self.plan.labels, before.labels) and not self.plan.extends(before):
                raise Anew(
                    f"labels {listing(self.plan.labels)} are not all in the first rows",
                    "pass labels= (--labels) with all of them",
                )
        if not self.plan.is_settled:
            self.late.append(part)
            return
        for each in self.late:
            self._add(each, self.next.of(each))
        self.late = []
        is_fresh = counted.is_counted and self.plan.can_add(counted)
        self._add(part, counted if is_fresh else self.next.of(part))

    def _add(self, part: Fragment, counted: Counted) -> None:
        if counted.outside == "by more" and self.plan.rounding == "set back":
            self._keep_rounding()
        elif counted.outside == "by rounding" and counted.rounding != self.plan.rounding:
            counted = self.next.of(part)
        self.has_set_back |= counted.outside == "by rounding" and self.plan.rounding == "set back"
        if counted.assessment is not None:
            self._refuse_other_precision(part, counted.assessment)
            self.merged.add(counted.assessment)
        else:
            self.dropped, self.nothing = self.dropped + counted.dropped, counted.nothing
            self.unscored += counted.unscored
            self.unanswered += counted.unanswered
            self.undeclared += counted.undeclared
        self.done += counted.rows
        if self.progress is not None:
            self.progress(self.done, None)

    def _keep_rounding(self) -> None:
        """Scores leave [0, 1]: those that left it by rounding alone are what they are, too."""
        self.plan = replace(self.plan, rounding="keep")
        if self.has_set_back:
            raise Anew(
                "scores leave [0, 1] by rounding alone in the first rows, and by more in others",
                "put them into a file",
            )

    def _refuse_other_precision(self, part: Fragment, a: Assessment) -> None:
        """Scores are compared in their own precision, which is one for all rows."""
        found = None if a.scores is None else a.scores.precision.name
        self.precision = self.precision or found
        if found != self.precision:
            raise InputError(
                f"{part.key}: its scores are {found}, and those before {self.precision}: write all of them in one type."
            )


def _limited(parts: Iterator[Fragment], limit: int | None, plan: Reading) -> Iterator[Fragment]:
    left = limit
    for part in parts:
        if left is None:
            yield part
            continue
        if left <= 0:
            return
        rows = part.rows
        if rows is None:  # it is short, or whoever takes a first look has the time
            try:
                rows = part.read(plan.columns, plan.of_labels).num_rows
            except NoRowsError:
                continue
        yield FirstRows(part, left) if left < rows else part
        left -= rows


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a fragment."""

    part: Fragment
    rows: int

    def apart(self) -> tuple[Any, FirstRows]:
        """What Dask must compute, or None, and the rest of it."""
        if not isinstance(self.part, DaskPart):
            return None, self
        delayed, rest = self.part.apart()
        return delayed, FirstRows(rest, self.rows)

    def holding(self, frame: Any) -> FirstRows:
        """The first rows of what Dask computed."""
        assert isinstance(self.part, DaskPart)
        return FirstRows(self.part.holding(frame), self.rows)

    @property
    def key(self) -> str:
        """Its name."""
        return f"the first {self.rows:,} rows of {self.part.key}"

    def spelling(self, column: str) -> Spelling | None:
        """That of the fragment."""
        return self.part.spelling(column)

    def read(self, columns: Sequence[str], labels: Sequence[str]) -> Any:
        """The named columns."""
        return self.part.read(columns, labels).slice(0, self.rows)
