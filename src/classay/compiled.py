"""Kernels: loops that Numba compiles, each beside a plain NumPy function, its oracle and fallback; threads for them."""

import importlib.util
import os
import types
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from logging import getLogger
from typing import Any

from classay.errors import InputError

ROWS_PER_THREAD = 200_000
"""Rows that keep a thread busy for long enough to be worth starting it."""

MOST_THREADS = 8
"""Threads beyond these would only wait for memory."""


def thread_count(rows: int) -> int:
    """Threads to use on so many rows: `CLASSAY_THREADS` if set, or as many as have enough to do."""
    return core_count() if _set_to() else max(1, min(core_count(), rows // ROWS_PER_THREAD))


def core_count() -> int:
    """Threads to use on much work: `CLASSAY_THREADS` if set, or the cores this process may use."""
    if set_to := _set_to():
        if not set_to.strip().isdecimal():
            raise InputError(
                f"CLASSAY_THREADS is {set_to!r}: set it to a number of threads, such as 4, or unset it."
            )
        return max(1, int(set_to))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def _set_to() -> str | None:
    return os.environ.get("CLASSAY_THREADS")


@contextmanager
def workers(threads: int) -> Iterator[Callable[..., list[Any]]]:
    """A function like `map` that returns a list and runs its calls on so many threads, on this one if one.

    The threads end with the block: threads kept for later would be missing after a fork.
    """
    if threads == 1:
        yield lambda function, *values: list(map(function, *values))
        return
    with ThreadPoolExecutor(threads) as pool:

        def run(function: Callable[..., Any], *values: Iterable[Any]) -> list[Any]:
            return list(pool.map(function, *values))

        yield run


COMPILE_FROM = 100_000
"""Rows from which the compiled loop is used. Below it NumPy is as quick, and importing Numba would cost more."""

FROM_IN_ONE_PASS = 2_000_000
"""The same in a process that assesses once: to load two dozen compiled loops costs as much as they save there.

To compile them anew would take ten seconds of processor time.
"""

TOLD = "classay: compiling loops for many rows. It takes some ten seconds, once: they are kept on disk."

KERNELS: dict[str, "Kernel"] = {}


_passes = [0]


@contextmanager
def in_one_pass() -> Iterator[None]:
    """Within, rows are counted and measured once only: compiled loops are used from `FROM_IN_ONE_PASS` rows on."""
    _passes.append(FROM_IN_ONE_PASS)
    try:
        yield
    finally:
        _passes.pop()


_TABLES: ContextVar[int] = ContextVar("_TABLES", default=1)


@contextmanager
def one_after_another(tables: int) -> Iterator[None]:
    """Within, so many tables of one shape pass through the same loops: their rows count together."""
    token = _TABLES.set(tables)
    try:
        yield
    finally:
        _TABLES.reset(token)


def pays(rows: int) -> bool:
    """Whether compiled loops are worth their start for so many rows, or scores of rows."""
    return rows >= max(COMPILE_FROM, _passes[-1])


def can_compile() -> bool:
    """Whether loops can be compiled: Numba is there and not switched off by `CLASSAY_NUMBA=0`."""
    return os.environ.get("CLASSAY_NUMBA") != "0" and importlib.util.find_spec("numba") is not None


def _compile(loop: Callable[..., Any], *, cache: bool = False) -> Callable[..., Any]:
    """Compile a loop, in which the names of parts stand for the compiled parts."""
    import numba

    _tell_when_compiling()
    names = loop.__code__.co_names
    parts = {
        name: loop.__globals__[name] for name in names if isinstance(loop.__globals__.get(name), KernelStep)
    }
    known = loop.__globals__ | {name: part.compiled for name, part in parts.items()}
    loop = types.FunctionType(loop.__code__, known, loop.__name__)
    try:
        compiled: Callable[..., Any] = numba.njit(nogil=True, cache=cache, error_model="numpy")(loop)
    except (
        RuntimeError
    ):  # no folder can be written to keep it in, as for service users: compile anew in each process
        compiled = numba.njit(nogil=True, error_model="numpy")(loop)
    return compiled


@cache
def _tell_when_compiling() -> None:
    """Say once in a process what a person waits for: a warning in logs, which is a line on standard error without any.

    Loops that are on disk already are loaded, and nothing is said.
    """
    from numba.core import event

    class Teller(event.Listener):
        told = False

        def on_start(self, found: Any) -> None:
            if not self.told and found.data["dispatcher"].py_func.__module__.startswith("classay."):
                self.told = True
                getLogger("classay").warning(TOLD)

        def on_end(self, found: Any) -> None:
            """Nothing is said of the end."""

    event.register("numba:compile", Teller())  # type: ignore[no-untyped-call]


class KernelStep:
    """A step of kernels in the same module: compiled into those that call it, plain Python by itself.

    In the same module, because the compiled kernels on disk are renewed when their own file changes.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        self.step = step
        self.__doc__ = step.__doc__

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The compiled step, for kernels to call."""
        return _compile(self.step)

    def __call__(self, *values: Any) -> Any:
        """Run the step in plain Python."""
        return self.step(*values)


class Kernel:
    """A loop written for Numba and its NumPy twin; a call picks one by the length of the first argument.

    A loop checks nothing: it believes that codes are below the size of what they point into, that places and counts
    are of the arrays beside them, and that columns are of one length. Whoever makes a table sees to it once
    (`tables.checks`); `assumes` says what else a kernel takes for granted.

    Both give the same result: bit for bit for counts, to rounding for sums of floats. Numba is imported, and the
    loop compiled and cached on disk, at the first call with many rows. `CLASSAY_NUMBA=0` switches it off.
    """

    def __init__(self, loop: Callable[..., Any], twin: Callable[..., Any], assumes: str = "") -> None:
        self.loop = loop
        self.twin = twin
        self.assumes = assumes
        self.__doc__ = loop.__doc__

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The compiled loop, or the twin where Numba is missing or switched off."""
        return _compile(self.loop, cache=True) if can_compile() else self.twin

    def for_rows(self, rows: int) -> Callable[..., Any]:
        """The compiled loop for many rows, or many scores of rows; the twin for few."""
        return self.compiled if pays(rows) else self.twin

    def __call__(self, first: Any, *others: Any) -> Any:
        """Run the compiled loop on many rows, of one table or of many that follow each other; the twin on few.

        And on leading axes, which loops do not know.
        """
        leading = any(getattr(each, "ndim", 0) > first.ndim for each in others)
        return self.for_rows(0 if leading else first.shape[0] * _TABLES.get())(first, *others)


def kernel(*, twin: Callable[..., Any], assumes: str = "") -> Callable[[Callable[..., Any]], Kernel]:
    """Make a loop a kernel, with its NumPy twin, and what it takes for granted."""

    def register(loop: Callable[..., Any]) -> Kernel:
        made = KERNELS[f"{loop.__module__}.{loop.__name__}"] = Kernel(loop, twin, assumes)
        return made

    return register
