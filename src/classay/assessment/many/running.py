"""Where parts are counted: on threads, on processes, on a cluster; each counts once, though its worker may die."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any

from classay.assessment.many.parts import Counted
from classay.errors import InputError, WorkerError
from classay.sources.fragments import Fragment
from classay.texts import an
from classay.threads import core_count

AHEAD = 2
"""Fragments that are under way for each thread."""
TRIES = 3
"""How often a fragment may end its worker, alone, before it is given up."""
DEATHS = frozenset({"KilledWorker", "FutureCancelledError", "CommClosedError"})
"""Errors of Dask that mean the same as BrokenExecutor."""

Work = Callable[[], Callable[[Fragment], Counted]]
"""Says how the next fragment is counted, by what is known by then."""


def in_order(
    parts: Iterator[Fragment], work: Work, executor: Any = None
) -> Iterator[tuple[Fragment, Counted]]:
    """Each fragment and what becomes of it, in order, a few ahead of what is wanted.

    A fragment whose worker died is counted again; it comes once, as what is counted is given back and not added up
    where it is counted. Raises WorkerError when it ends its workers again and again.
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
        f"executor is {an(type(executor).__name__)}: pass an executor like those of concurrent.futures, what makes "
        "one, or a client of Dask."
    )


class OnDask:
    """A client of Dask as an executor: what a partition waits for is computed there, and counted where it lies."""

    def __init__(self, client: Any) -> None:
        self._client, self._pool = client, client.get_executor(pure=False)

    def submit(self, work: Callable[[Fragment], Counted], part: Any) -> Future[Counted]:
        """Count a fragment."""
        delayed, rest = part.apart() if hasattr(part, "apart") else (None, part)
        if delayed is None:
            return self._pool.submit(work, part)  # type: ignore[no-any-return]
        return self._pool.submit(_counted, work, rest, self._client.compute(delayed))  # type: ignore[no-any-return]


def _counted(work: Callable[[Fragment], Counted], part: Any, frame: Any) -> Counted:
    return work(part.holding(frame))


class Runner:
    """A pool of workers, one that is given or one that `make` makes, and makes again when it broke."""

    def __init__(self, given: Any, ahead: int, make: Callable[[], Executor] | None) -> None:
        self._given, self._ahead, self._make = given, ahead, make
        self._made: Executor | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def of(self, parts: Iterator[Fragment], work: Work) -> Iterator[tuple[Fragment, Counted]]:
        """Each fragment and what becomes of it, in order."""
        waiting: deque[tuple[Fragment, Future[Counted]]] = deque()
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

    def _submitted(self, part: Fragment, work: Work) -> Future[Counted]:
        try:
            found: Future[Counted] = self._pool.submit(work(), part)
        except BrokenExecutor as error:
            found = Future()
            found.set_exception(error)
        return found

    def _first(
        self, waiting: deque[tuple[Fragment, Future[Counted]]], work: Work
    ) -> tuple[Fragment, Counted]:
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

    def _again(self, waiting: deque[tuple[Fragment, Future[Counted]]], work: Work, error: Exception) -> None:
        """Count what was under way once more, one fragment after the other, to tell which one ends its worker."""
        for i, (part, future) in enumerate([*waiting]):
            if not _has_died(future.exception()):
                continue
            if not isinstance(future.exception(), BrokenExecutor):
                raise WorkerError(
                    f"{part.key} ended its workers again and again ({type(error).__name__}), so not all rows are "
                    "counted: look at its rows, and at the memory that a worker has."
                ) from error
            if self._make is None:
                raise WorkerError(
                    f"a worker died while {part.key} or a part beside it was counted ({type(error).__name__}), so not "
                    "all rows are counted. An executor that broke cannot go on: pass what makes one, as in "
                    "executor=lambda: ProcessPoolExecutor(4), or a client of Dask, and parts are tried again."
                ) from error
            waiting[i] = part, self._alone(part, work)

    def _alone(self, part: Fragment, work: Work) -> Future[Counted]:
        for _ in range(TRIES):
            future = self._submitted(part, work)
            if not _has_died(future.exception()):
                return future
            self._close()
        raise WorkerError(
            f"{part.key} ended its worker {TRIES} times, alone, so not all rows are counted: look at its rows, and at "
            "the memory that a worker has."
        ) from future.exception()


def _has_died(error: BaseException | None) -> bool:
    """Whether an error says that a worker is gone; those of Dask are known by name, which need not be installed."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ in DEATHS
