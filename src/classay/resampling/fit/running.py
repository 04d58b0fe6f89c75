"""Running: every unit of work once, on one process or several, and none lost that is finished."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from classay.errors import FileError
from classay.files.fields import Damaged
from classay.resampling.data import Dataset
from classay.resampling.fit.fitting import Learner, fit
from classay.resampling.fit.workers import finished
from classay.resampling.fold_result import FoldResult, checked
from classay.resampling.splits import Split
from classay.resampling.store.run_store import StoreWarning

DIED = "its worker process died, and again when the fit was alone: memory ran out, or compiled code crashed"


class ResultStore(Protocol):
    """What keeps results: `classay.resampling.store.run_store.Store`, or anything with these."""

    def get(self, key: str) -> bytes | None:
        """The result under a key, or None."""

    def put(self, key: str, value: bytes) -> None:
        """Keep a result under its key."""

    def begin(self, run: str, about: Mapping[str, Any], keys: Any) -> None:
        """Note a run and the keys it consists of."""


def lists_runs(store: ResultStore) -> bool:
    """Whether a store is asked for the runs it holds, and not for single results only: unless it says otherwise."""
    return bool(getattr(store, "lists_runs", True))


@dataclass(frozen=True, eq=False)
class Unit:
    """One fit: a learner on a split of a data set. `key` is None where nothing is kept."""

    data: Dataset
    learner: Learner
    split: Split
    key: str | None = None


@dataclass(frozen=True, eq=False)
class Finished:
    """A unit that is done, and whether the store had it already."""

    unit: Unit
    result: FoldResult
    kept: bool = False


def run(
    units: Iterable[Unit],
    *,
    seed: int,
    training: tuple[str, ...],
    n_jobs: int | None,
    store: ResultStore | None,
) -> Generator[Finished, None, None]:
    """Finish the units, in any order; each is in the store before it is given out.

    Whatever backend joblib is set to does the work (`joblib.parallel_config`); one job runs here, without joblib.
    Stopped early, it cancels what the workers have not finished: a batch of short fits that is under way is lost.
    A fit that kills its worker is a failure, which the store does not keep: memory may suffice next time.
    """
    waiting: dict[int, Unit] = {}
    is_keeping = True

    def missing() -> Iterator[tuple[int, Unit]]:
        for i, unit in enumerate(units):
            found = _kept(store, unit)
            if found is not None:
                known.append(Finished(unit, found, kept=True))
            else:
                waiting[i] = unit
                yield i, unit

    known: list[Finished] = []
    fitted = finished(missing(), partial(_fit, seed=seed, training=training), n_jobs)
    with closing(fitted) as results:
        for i, result in results:
            while known:
                yield known.pop(0)
            unit = waiting.pop(i)
            if result is not None and is_keeping and store is not None and unit.key is not None:
                is_keeping = put(store, unit.key, result.to_bytes())
            yield Finished(unit, FoldResult(failure=DIED) if result is None else result)
    yield from known


def _fit(unit: Unit, seed: int, training: tuple[str, ...]) -> FoldResult:
    return fit(unit.learner, unit.data, unit.split, seed, training)


def _kept(store: ResultStore | None, unit: Unit) -> FoldResult | None:
    if store is None or unit.key is None:
        return None
    content = store.get(unit.key)
    if content is None:
        return None
    try:
        found = checked(FoldResult.from_bytes(content), unit.split.place.n_test, unit.data.cases)
    except (FileError, Damaged):  # written by another version, or damaged: fitted again
        return None
    # memory or the disk may have been full: the next run tries again
    return found if found.failure is None else None


def put(store: ResultStore, key: str, value: bytes) -> bool:
    """Keep a result; False, and a warning, when the store cannot: hours of fits are worth more than an exception."""
    try:
        store.put(key, value)
    except FileError as error:
        warnings.warn(f"{error} This evaluation goes on, and keeps nothing more.", StoreWarning, stacklevel=2)
        return False
    return True


Progress = Callable[["Step"], None]


@dataclass(frozen=True, eq=False)
class Step:
    """Where a run stands: `done` of `total` fits, of which `kept` were in the store; and what was finished last."""

    done: int
    total: int
    kept: int
    last: Finished
    so_far: Callable[[], Any]
    """Gives the Evaluation of all that is finished."""
