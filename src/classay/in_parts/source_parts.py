"""How a part of many rows becomes counts, and where the parts are counted.

They are counted on threads, in processes or on a cluster; each part counts once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any, ClassVar

import numpy as np

from classay.answers import AnswerPolicy, MissingColumns
from classay.assessment.assessing import cutoff_of, input_rows, of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.merging import over
from classay.assessment.row_arguments import EstimationArguments
from classay.assessment.unlabeled import UnlabeledCases
from classay.columns import Labels, code_labels, with_zero_one
from classay.columns.class_columns import labels_of_scores
from classay.columns.labels import WrittenLabel, positive_among, typed_labels
from classay.columns.numbers import PLACE_IN_PART, score_array, unscored
from classay.columns.repeats import hashed_ids
from classay.columns.scales import Outside, Rounding
from classay.columns.values import typed
from classay.compiled import core_count
from classay.errors import FileError, InputError, NoRowsError, NothingCountsError, WorkerError
from classay.in_parts.fragments import Fragment
from classay.in_parts.text_parts import KnownLabels, Names, NumberKinds, are_digits, as_text, kind_of_names
from classay.kinds import Improper, ScoreScale
from classay.predictions import MOST_CLASSES, Predictions, check
from classay.sources.text_files import typed_names
from classay.tables.binning import BinScale
from classay.texts import an

KEPT = ("cluster", "id", "amounts")
"""Columns whose values are kept, and not in bins."""
TWO = ("negative", "positive")
"""The classes without which nothing is counted: the first rows may be of one alone."""


@dataclass(frozen=True)
class PartReader:
    """How a fragment becomes an assessment: the columns by their roles, the labels, and how to count.

    `rounding` is what becomes of scores that leave [0, 1] by rounding alone, as long as none leaves it by more.
    `occurring` are all labels of all rows, once these are known. `written` are columns of clusters or ids that are
    texts as they are written, because not all parts of files of text have numbers there. `ids` are columns that may
    hold ids of cases, to be looked through for repeats.
    """

    roles: Mapping[str, Any]
    known: KnownLabels
    declared: Labels | None
    positive: Hashable | None
    policy: AnswerPolicy
    improper: Improper
    score_scale: ScoreScale | None
    how: EstimationArguments
    bits: int | BinScale | None
    rounding: Rounding = "set back"
    occurring: Labels | None = None
    written: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ()
    is_of_one_label: ClassVar[bool] = True

    @classmethod
    def begun(
        cls, roles: Mapping[str, str | Mapping[Hashable, str] | None], declared: Labels | None, *how: Any
    ) -> PartReader:
        """Return the reader before any row is read: only labels that were declared, or named with scores, are known."""
        scores = roles["score"]
        named = [*dict.fromkeys([*(declared or ()), *(scores if isinstance(scores, Mapping) else ())])]
        if _are_written(named):
            named = [*typed([str(label) for label in named])]
        texts = frozenset(label for label in named if isinstance(label, str))
        return cls(roles, KnownLabels(named=texts), declared, *how)

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        return list(dict.fromkeys([*self._columns_of(*self.roles), *self.ids]))

    def _columns_of(self, *roles: str) -> list[str]:
        named: list[str] = []
        for name in (self.roles[role] for role in roles):
            named += [] if name is None else [*name.values()] if isinstance(name, Mapping) else [name]
        return list(dict.fromkeys(named))

    @property
    def of_labels(self) -> list[str]:
        """The columns that hold labels."""
        return self._columns_of("truth", "prediction")

    @property
    def as_written(self) -> list[str]:
        """The columns to read as they are written."""
        return [*dict.fromkeys([*self.of_labels, *self.of_names, *self.ids])]

    @property
    def of_names(self) -> list[str]:
        """The columns that name clusters or cases."""
        return self._columns_of("cluster", "id")

    @property
    def labels(self) -> Labels:
        """The labels that were declared or have scores, in the type of those that occur; otherwise all that occur."""
        if self.declared is not None:
            return Labels(self._typed(self.declared), self.declared.source)
        if self.scored is not None:
            order = self.known.labels
            return labels_of_scores(self._typed([*self.scored]), order if order.is_given else None)
        return self.known.labels if self.occurring is None else self.occurring

    @property
    def scored(self) -> Mapping[Hashable, str] | None:
        """The column of scores of each label; None where scores are those of one class."""
        scores: Mapping[Hashable, str] | str | None = self.roles["score"]
        return scores if isinstance(scores, Mapping) else None

    def _typed(self, named: Sequence[Hashable]) -> Sequence[Hashable]:
        return (
            typed_labels([str(label) for label in named], self.known.labels) if _are_written(named) else named
        )

    def of(self, fragment: Fragment) -> CountedPart:
        """Read and count a fragment; labels that are neither known nor declared are returned instead of a count.

        Raises InputError with the name of the fragment.
        """
        with _named(fragment):
            try:
                return self._of(fragment)
            except NoRowsError as nothing:
                return CountedPart(0, KnownLabels(), nothing=nothing)

    def look_at(self, fragment: Fragment) -> tuple[PartReader, Any]:
        """This reader with the labels of a fragment as known ones, and its scores if bins may take them.

        Raises InputError as `of` does.
        """
        score = self.roles["score"]
        with _named(fragment):
            try:
                table, *_ = self._read(fragment)
            except NoRowsError:
                return self, np.zeros(0)
            scores = score_array(table[score]) if self.has_scores_for_bins else np.zeros(0)
            is_one = scores.ndim == 1 and scores.dtype.kind in "fiu"
            return self.knowing(self._found(fragment, table)), scores if is_one else np.zeros(0)

    @property
    def has_scores_for_bins(self) -> bool:
        """Whether it reads one column of scores, and nothing that bins do not keep."""
        return isinstance(self.roles["score"], str) and not any(self.roles[role] for role in KEPT)

    def _of(self, fragment: Fragment) -> CountedPart:
        table, kinds, names = self._read(fragment)
        counted = self.count(fragment, table)
        ids = {name: hashes for name in self.ids if (hashes := hashed_ids(table[name])) is not None}
        return replace(counted, kinds=kinds, names={**counted.names, **names}, ids=ids)

    def _read(self, fragment: Fragment) -> tuple[Any, NumberKinds, dict[str, Names]]:
        """Return the columns of a fragment, what those of numbers hold, and what those of clusters and ids are."""
        rows = fragment.read(self.columns, self.as_written, self.of_labels)
        table, names = self._named_alike(fragment, rows)
        numbers = self._columns_of("score", "weight", "frequency", "amounts")
        spellings = {name: fragment.spelling(name) for name in numbers if name not in self.of_labels}
        kinds = NumberKinds.of({name: (table[name], by) for name, by in spellings.items() if by is not None})
        for name in kinds.rounded:
            place = table.column_names.index(name)
            table = table.set_column(place, name, kinds.as_floats(table[name], name))
        return table, kinds, names

    def _named_alike(self, fragment: Fragment, table: Any) -> tuple[Any, dict[str, Names]]:
        """Return the rows with clusters and ids in the type that they have in this part, and what they are."""
        names = {}
        for name in self.of_names:
            column, some = table[name], frozenset[str]()
            kind, is_written = None, name in self.written
            if fragment.spelling(name) == "json" and are_digits(column, is_written=is_written):
                column, kind = column.cast("string"), "whole numbers beyond 64 bits"
            elif is_written:
                column = as_text(column)
            elif fragment.spelling(name) == "text" and name not in self.of_labels:
                column, some = typed_names(column)
            table = table.set_column(table.column_names.index(name), name, column)
            names[name] = kind or kind_of_names(column), some
        return table, names

    def count(self, fragment: Fragment, table: Any) -> CountedPart:
        """Count the rows of a fragment; see `of`."""
        spellings = {name: fragment.spelling(name) for name in self.of_labels}
        known = self._found(fragment, table)
        wider = self.knowing(known)
        wanted = wider.labels
        if wider.known.differing:
            return CountedPart(table.num_rows, known)
        if not (self.is_settled and is_same(wanted, self.labels)) and not wider.extends(self):
            return CountedPart(table.num_rows, known)
        columns = {name: wider.known.meant(table[name], name, spellings[name]) for name in self.of_labels}
        try:
            rows = wider._checked(table, columns, wanted)
        except NothingCountsError as nothing:
            return self._nothing_of(table, columns, nothing, CountedPart(table.num_rows, known, None, wanted))
        a = of_predictions(rows, bits=self.bits, **self.how)
        return CountedPart(table.num_rows, known, a, wanted, outside=rows.outside, rounding=self.rounding)

    def _found(self, fragment: Fragment, table: Any) -> KnownLabels:
        """Return the labels of a fragment, in the rows that are not left out."""
        coded = {name: code_labels(table[name], name) for name in self.of_labels}
        counts = coded[self.roles["truth"]].codes >= 0 if coded[self.roles["truth"]].missing else None
        if self.policy.unanswered == "drop":
            answered = ~self._unscored(table)
            if self.roles["prediction"] is not None:
                answered &= coded[self.roles["prediction"]].codes >= 0
            counts = answered if counts is None else counts & answered
        return reduce(
            or_,
            (
                KnownLabels.of_column(table[name], codes, name, fragment.spelling(name), counts)
                for name, codes in coded.items()
            ),
        )

    @property
    def _are_found(self) -> bool:
        """Whether the labels are those that occur: none were declared, and no scores are named for each."""
        return self.declared is None and self.scored is None

    def _checked(self, table: Any, columns: Mapping[str, Iterable[object]], labels: Labels) -> Predictions:
        score, prediction, scored = self.roles["score"], self.roles["prediction"], self.scored
        weights: dict[str, Any] = {
            role: None if self.roles[role] is None else table[self.roles[role]]
            for role in ("weight", "frequency", "cluster", "id")
        }
        carried = self.roles["amounts"]
        return check(
            input_rows(
                columns[self.roles["truth"]],
                {
                    label: table[name]
                    for label, name in zip(self._typed([*scored]), scored.values(), strict=True)
                }
                if scored is not None
                else score and table[score],
                y_pred=None if prediction is None else columns[prediction],
                **weights,
                amounts=None
                if carried is None
                else {name: table[column] for name, column in carried.items()},
                labels=None if self._are_found else labels,
                occurring=labels if self._are_found else None,
                positive=self.positive,
                policy=self.policy,
                improper=self.improper,
                score_scale=self.score_scale,
                rounding=self.rounding,
                repeats=None,  # of a part, which does not show how often ids occur in all
            )
        )

    def _nothing_of(
        self,
        table: Any,
        columns: Mapping[str, Iterable[object]],
        nothing: NothingCountsError,
        counted: CountedPart,
    ) -> CountedPart:
        """Return the CountedPart of a fragment whose rows are all left out."""
        known = code_labels(columns[self.roles["truth"]], "truth").codes >= 0
        codes: Any = None
        labels: tuple[Hashable, ...] = ()
        if self.roles["prediction"] is not None:
            predicted = code_labels(columns[self.roles["prediction"]], "prediction")
            codes, labels = predicted.codes, predicted.labels
        known_labels = None if self._are_found else {*counted.labels}
        lacking = MissingColumns.of(table.num_rows, codes, labels, known_labels, self._unscored(table))
        unanswered = (
            lacking.any & known if self.policy.unanswered == "drop" else np.zeros(table.num_rows, bool)
        )
        return replace(
            counted,
            nothing=nothing,
            unlabeled=self._unlabeled(table, columns, counted.labels),
            dropped=int((~known).sum() + unanswered.sum()),
            unscored=int((unanswered & lacking.score & ~lacking.prediction & ~lacking.undeclared).sum()),
            unanswered=int(unanswered.sum()),
            undeclared=int((unanswered & lacking.undeclared).sum()),
        )

    def _unlabeled(
        self, table: Any, columns: Mapping[str, Iterable[object]], labels: Sequence[Hashable]
    ) -> UnlabeledCases | None:
        """The answered cases of a fragment in which no row has a true label, as `check` finds them beside others."""
        truth = self.roles["truth"]
        if self.roles["weight"] is not None or self.roles["cluster"] is not None or not labels:
            return None
        reader = replace(self, policy=AnswerPolicy(unanswered="drop"))
        columns = {**columns, truth: [labels[0]] * table.num_rows}
        try:
            rows = reader._checked(table, columns, Labels.of(labels))
        except InputError:
            return None
        return UnlabeledCases.of(rows, cutoff_of(rows, self.how.get("threshold")))

    def _unscored(self, table: Any) -> Any:
        """Return which rows lack a score, or one of their scores."""
        score = self.roles["score"]
        names = [] if score is None else list(score.values()) if isinstance(score, Mapping) else [score]
        gone = (unscored(score_array(table[name])) for name in names)
        return np.logical_or.reduce(
            [np.zeros(table.num_rows, bool), *(mask for mask in gone if mask is not None)]
        )

    @property
    def is_settled(self) -> bool:
        """Whether rows can be counted with the labels that are known: two, of which one is positive, or more."""
        if self.known.differing:
            return False
        if self.declared is not None or self.scored is not None:
            return bool(self.known.labels) or not _are_written(self.declared or [*(self.scored or ())])
        if len(self.labels) > len(TWO) or self.occurring is not None:
            return True
        return len(self.labels) == len(TWO) and self._has_positive()

    def _has_positive(self) -> bool:
        """Check whether the positive one of two labels is known."""
        try:
            return positive_among(self.labels, self.positive) is not None
        except InputError:
            return False

    def extends(self, before: PartReader) -> bool:
        """Check whether labels were added since the last count, and the earlier counts can be added to the later ones.

        That holds for labels without scores, when there were three or more and their meaning is unchanged.
        """
        if self.scored is not None or self.declared is not None or self.occurring is not None:
            return False
        return len(before.labels) > len(TWO) and are_among(before.labels, self.labels)

    def ended(self) -> PartReader:
        """This reader after the last row, with its final labels. Raises InputError for labels that differ."""
        self.known.refuse_apart()
        if self.declared is None and self.scored is None:
            return replace(self, occurring=_completed(self.labels))
        self.known.refuse_others(self.labels)
        return self

    def together(self, assessment: Assessment) -> Assessment:
        """The assessment of all parts over all labels: one may occur only in rows of weight 0 or in no counted part."""
        return over(assessment, self.labels)

    def can_add(self, counted: CountedPart) -> bool:
        """Check whether the counts of a fragment can be added: its labels are those known by now, or see `extends`."""
        if is_same(counted.labels, self.labels):
            return True
        return self.extends(replace(self, known=KnownLabels(Labels.of(counted.labels))))

    def knowing(self, extra: KnownLabels) -> PartReader:
        """This reader with further labels as known ones. Raises InputError for more labels than classay counts."""
        if extra <= self.known:
            return self
        if self.declared is not None and not _are_written(self.declared):
            return replace(self, known=self.known.reading(extra))  # who declares labels may leave orders open
        known = self.known | extra
        if len(known.labels) > MOST_CLASSES:
            raise InputError(
                f"There are more than {MOST_CLASSES:,} classes, which is the maximum. Combine rare classes, or check "
                "that "
                "the column contains labels."
            )
        return replace(self, known=known)


def _completed(labels: Labels) -> Labels:
    """Return the labels, and the other of 0 and 1 where only one of them occurs."""
    completed = with_zero_one(labels)
    return labels if len(completed) == len(labels) else Labels.sorted(completed)


def _are_written(labels: Sequence[Hashable]) -> bool:
    """Check whether labels came as text from the command, so that the labels that occur decide their type."""
    return bool(labels) and all(isinstance(label, WrittenLabel) for label in labels)


@contextmanager
def _named(fragment: Fragment) -> Iterator[None]:
    """Put the name of a fragment before the message of an InputError that lacks it, and rows in it."""
    part: Any = fragment
    while hasattr(part, "part"):
        part = part.part
    token = PLACE_IN_PART.set(getattr(part, "place", None))
    try:
        yield
    except FileError:
        raise
    except InputError as error:
        lead = "" if str(error).startswith(fragment.key) else f"{fragment.key}: "
        more = " All files need the same delimiter." if "The delimiter seems to be" in str(error) else ""
        raise InputError(f"{lead}{error}{more}") from error
    finally:
        PLACE_IN_PART.reset(token)


def is_same(labels: Sequence[Hashable], others: Sequence[Hashable]) -> bool:
    """Check whether labels are the same in type too: 1 and 1.0 are equal in Python.

    >>> is_same((0, 1), (0, 1)), is_same((0, 1), (0, 1.0))
    (True, False)
    """
    return [*map(type, labels)] == [*map(type, others)] and tuple(labels) == tuple(others)


def are_among(some: Sequence[Hashable], labels: Sequence[Hashable]) -> bool:
    """Check whether labels are all among others, in type too.

    >>> are_among((0, 2), (0, 1, 2)), are_among((0, 2), (0, 1, 2.0))
    (True, False)
    """
    return {(type(label), label) for label in some} <= {(type(label), label) for label in labels}


@dataclass(frozen=True)
class CountedPart:
    """The count of a fragment: its number of rows, the labels in it, and its assessment by the labels known.

    Where no row of it counts, `nothing` says why, `dropped` are the rows left out, and `unanswered`, `undeclared` and
    `unscored` those of them, as in `Predictions`. `kinds` are those of its
    columns of numbers, where a file of text leaves them to be guessed from the rows, and `names` says what the columns
    of clusters and ids hold, None where all is missing, with examples of texts that are numbers here. `outside` says
    how far its scores left [0, 1] as they came, `rounding` what became of those that left it by rounding alone. `ids`
    are hashes of columns that may hold ids, without those that lack one.
    """

    rows: int
    found: KnownLabels
    assessment: Assessment | None = None
    labels: tuple[Hashable, ...] = ()
    dropped: int = 0
    nothing: NothingCountsError | None = None
    kinds: NumberKinds = field(default_factory=NumberKinds)
    names: Mapping[str, Names] = field(default_factory=dict)
    outside: Outside = "nowhere"
    rounding: Rounding = "set back"
    unscored: int = 0
    unanswered: int = 0
    undeclared: int = 0
    unlabeled: UnlabeledCases | None = None
    ids: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_counted(self) -> bool:
        """Whether the labels that were known sufficed: it is counted, or there is nothing to count."""
        return self.assessment is not None or self.nothing is not None


AHEAD = 2
"""Fragments that are under way for each thread."""
TRIES = 3
"""Times that a fragment, counted alone, may kill its worker before it is given up."""
DEATHS = frozenset({"KilledWorker", "FutureCancelledError", "CommClosedError"})
"""Errors of Dask that mean the same as BrokenExecutor."""

Work = Callable[[], Callable[[Fragment], CountedPart]]
"""Returns the function that counts the next fragment, by what is known at that time."""


def in_order(
    parts: Iterator[Fragment], work: Work, executor: Any = None
) -> Iterator[tuple[Fragment, CountedPart]]:
    """Yield each fragment and its result, in order; a few are computed ahead.

    A fragment whose worker died is counted again; each comes once, because workers return counts and do not add them
    up. Raises WorkerError when it ends its workers again and again.
    """
    with _runner(executor) as runner:
        yield from runner.of(parts, work)


def _runner(executor: Any) -> Runner:
    if executor is None:
        threads = core_count()
        return Runner(None, AHEAD * threads, lambda: ThreadPoolExecutor(threads))
    if hasattr(executor, "get_executor"):  # a client of Dask, whose scheduler tries again by itself
        cores = sum(executor.ncores().values())
        return Runner(OnDask(executor), AHEAD * max(1, cores), None)
    if hasattr(executor, "submit"):
        return Runner(executor, AHEAD * core_count(), None)
    if callable(executor):
        return Runner(None, AHEAD * core_count(), executor)
    raise InputError(
        f"executor must be an executor of concurrent.futures, a function that makes one, or a Dask client, but is "
        f"{an(type(executor).__name__)}."
    )


class OnDask:
    """A client of Dask as an executor: partitions are computed and counted on the cluster."""

    def __init__(self, client: Any) -> None:
        self._client, self._pool = client, client.get_executor(pure=False)

    def submit(self, work: Callable[[Fragment], CountedPart], part: Any) -> Future[CountedPart]:
        """Count a fragment."""
        delayed, rest = part.apart() if hasattr(part, "apart") else (None, part)
        if delayed is None:
            return self._pool.submit(work, part)  # type: ignore[no-any-return]
        return self._pool.submit(_counted, work, rest, self._client.compute(delayed))  # type: ignore[no-any-return]


def _counted(work: Callable[[Fragment], CountedPart], part: Any, frame: Any) -> CountedPart:
    return work(part.holding(frame))


class Runner:
    """A pool of workers: a given one, or one that `make` makes, again if it breaks."""

    def __init__(self, given: Any, ahead: int, make: Callable[[], Executor] | None) -> None:
        self._given, self._ahead, self._make = given, ahead, make
        self._made: Executor | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def of(self, parts: Iterator[Fragment], work: Work) -> Iterator[tuple[Fragment, CountedPart]]:
        """Yield each fragment and its count, in order."""
        waiting: deque[tuple[Fragment, Future[CountedPart]]] = deque()
        try:
            for part in parts:
                waiting.append((part, self._submitted(part, work)))
                if len(waiting) >= self._ahead:
                    yield self._first(waiting, work)
            while waiting:
                yield self._first(waiting, work)
        finally:
            for _, future in waiting:
                future.cancel()

    @property
    def _pool(self) -> Any:
        if self._given is not None:
            return self._given
        if self._made is None:
            assert self._make is not None
            self._made = self._make()
        return self._made

    def _close(self) -> None:
        if self._made is not None:
            self._made.shutdown(cancel_futures=True)
            self._made = None

    def _submitted(self, part: Fragment, work: Work) -> Future[CountedPart]:
        try:
            future: Future[CountedPart] = self._pool.submit(work(), part)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        return future

    def _first(
        self, waiting: deque[tuple[Fragment, Future[CountedPart]]], work: Work
    ) -> tuple[Fragment, CountedPart]:
        part, future = waiting[0]
        try:
            counted = future.result()
        except Exception as error:
            if not _has_died(error):
                raise
            self._again(waiting, work, error)
            counted = waiting[0][1].result()
        waiting.popleft()
        return part, counted

    def _again(
        self, waiting: deque[tuple[Fragment, Future[CountedPart]]], work: Work, error: Exception
    ) -> None:
        """Count unfinished fragments again, one after the other, to find out which one kills its worker."""
        for i, (part, future) in enumerate([*waiting]):
            if not _has_died(future.exception()):
                continue
            if not isinstance(future.exception(), BrokenExecutor):
                raise WorkerError(
                    f"Workers died repeatedly while counting {part.key} ({type(error).__name__}), so not all rows are "
                    "counted. Check its rows and the memory of a worker."
                ) from error
            if self._make is None:
                raise WorkerError(
                    f"A worker died while counting {part.key} or a parallel part ({type(error).__name__}), so not all "
                    "rows are counted. To retry parts, pass executor=lambda: ProcessPoolExecutor(4) or a Dask client."
                ) from error
            waiting[i] = part, self._alone(part, work)

    def _alone(self, part: Fragment, work: Work) -> Future[CountedPart]:
        for _ in range(TRIES):
            future = self._submitted(part, work)
            if not _has_died(future.exception()):
                return future
            self._close()
        raise WorkerError(
            f"A worker died {TRIES} times while counting only {part.key}, so not all rows are counted. Check its rows "
            "and "
            "the memory of a worker."
        ) from future.exception()


def _has_died(error: BaseException | None) -> bool:
    """Whether an error means that a worker died; those of Dask, which need not be installed, are known by name."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ in DEATHS
