"""Workers: tasks on whatever backend joblib is set to, and what becomes of those whose worker dies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any, TypeVar

from classay.errors import InputError

GIVEN_UP = (
    "a fit killed one Dask worker after the other, and Dask gave up: the memory of a worker does not suffice, or "
    "compiled code of an estimator crashes. A store keeps the fits that are finished; the same call goes on from there."
)
Task = TypeVar("Task")
Result = TypeVar("Result")
Numbered = Iterable[tuple[int, Task]]


def finished(
    tasks: Numbered[Task], work: Callable[[Task], Result], n_jobs: int | None
) -> Generator[tuple[int, Result | None], None, None]:
    """The number of each task and its result, in any order; None for a task that kills its worker.

    One job runs in this process, without joblib, unless a cluster is to do it. Where a worker dies (memory ran out,
    compiled code crashed, someone killed it), what is finished stays, and what was under way is done again. A task
    that was under way at two deaths in a row is done alone; if its worker dies then too, the task is the cause, as
    far as can be told. Dask does the tasks of dead workers again by itself. Raises InputError where it gives up.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    if effective_n_jobs(n_jobs) == 1 and not _is_dask(get_active_backend()[0]):
        for number, task in tasks:
            yield number, work(task)
        return
    under_way: dict[int, Task] = {}
    suspects: set[int] = set()
    coming = iter(tasks)
    left: Iterator[tuple[int, Task]] = coming
    while True:
        try:
            with closing(_together(_noted(left, under_way), work, n_jobs)) as results:
                for number, result in results:
                    del under_way[number]
                    yield number, result
            return
        except BrokenExecutor:
            if not under_way:  # the workers do not even start
                raise
            again = dict(under_way)
        for number in sorted(suspects & again.keys()):
            yield number, _alone(again.pop(number), work, n_jobs)
        suspects = {*again}
        under_way.clear()
        left = chain(again.items(), coming)


def _noted(tasks: Numbered[Task], under_way: dict[int, Task]) -> Iterator[tuple[int, Task]]:
    for number, task in tasks:
        under_way[number] = task
        yield number, task


def _alone(task: Task, work: Callable[[Task], Result], n_jobs: int | None) -> Result | None:
    """The result of a task that has all workers for itself, or None when its worker dies."""
    try:
        with closing(_together([(0, task)], work, n_jobs)) as results:
            return next(results)[1]
    except BrokenExecutor:
        return None


def _together(
    tasks: Numbered[Task], work: Callable[[Task], Result], n_jobs: int | None
) -> Generator[tuple[int, Result], None, None]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    as_they_come = backend.supports_return_generator
    parallel = Parallel(n_jobs, return_as="generator_unordered" if as_they_come else "list")
    with _mended(backend):
        results = parallel(delayed(_numbered)(number, work, task) for number, task in tasks)
        if not as_they_come:
            yield from results
            return
        try:
            for each in results:  # noqa: UP028  `yield from` would close it with joblib's warning about cancelled work
                yield each
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _numbered(number: int, work: Callable[[Task], Result], task: Task) -> tuple[int, Result]:
    return number, work(task)


def _is_dask(backend: Any) -> bool:
    return type(backend).__name__ == "DaskDistributedBackend"


@contextmanager
def _mended(backend: Any) -> Iterator[None]:
    """Make joblib's Dask backend tell of tasks that killed their workers: it waits for these forever. It would also
    work in this process while one worker is left, which a deadly task must not."""
    if not _is_dask(backend):
        yield
        return
    from distributed import KilledWorker

    submit, count = backend.submit, backend.effective_n_jobs

    def telling(work: Any, callback: Any) -> Any:
        future = submit(work, callback)
        future.add_done_callback(lambda done: done.exception() and callback(done.exception()))
        return future

    backend.submit, backend.effective_n_jobs = telling, lambda n_jobs: max(2, count(n_jobs))
    try:
        yield
    except KilledWorker as error:
        raise InputError(GIVEN_UP) from error
    finally:
        backend.submit, backend.effective_n_jobs = submit, count
