"""Kernels: loops that Numba compiles, each beside a plain NumPy function, its oracle and fallback; threads for them."""

import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, cached_property
from hashlib import sha1
from logging import getLogger
from pathlib import Path
from typing import Any

from classay.errors import InputError
from classay.texts import cut

ROWS_PER_THREAD = 200_000
"""Rows that keep a thread busy for long enough to be worth starting it."""

MOST_THREADS = 8
"""Threads beyond these would only wait for memory."""


def thread_count(rows: int) -> int:
    """Threads to use on this number of rows: `CLASSAY_THREADS` if set, or as many as have enough to do."""
    return core_count() if _set_to() else max(1, min(core_count(), rows // ROWS_PER_THREAD))


def core_count() -> int:
    """Threads to use on much work: `CLASSAY_THREADS` if set, or the cores this process may use."""
    if set_to := _set_to():
        if not set_to.strip().isdecimal():
            raise InputError(
                f"CLASSAY_THREADS must be a number of threads, such as 4, but is {set_to!r}. Set or unset it."
            )
        return max(1, int(set_to))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def _set_to() -> str | None:
    return os.environ.get("CLASSAY_THREADS")


@contextmanager
def workers(threads: int) -> Iterator[Callable[..., list[Any]]]:
    """Yield a function like `map` that returns a list and runs its calls on `threads` threads, or here if that is 1.

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
"""Rows from which a compiled loop may be used. Below it NumPy is as quick."""

IMPORTING, COMPILING, LOADING = 0.5, 0.8, 0.03
"""Seconds of processor time that it takes to import Numba, to compile a loop, and to load one that is kept on disk."""
LONG = 0.1
"""A compiled loop sums the resamples if the twin would take this many seconds for all of them."""
FURTHER = 5
"""So many more loops at least pass over rows that pass through one: millions of them pay for the import of Numba."""
CALLING = 20e-6
"""Seconds that a call of a twin takes however few the rows."""

TOLD = "classay: compiling loops for many rows, once: they are kept in {}."
TOLD_UNKEPT = (
    "classay: compiling loops for many rows, again in each process, because no folder for them can be written. "
    "Set NUMBA_CACHE_DIR to a writable folder."
)
BROKEN = "classay: Numba cannot be imported ({}), so NumPy counts many rows, more slowly."

KERNELS: dict[str, "Kernel"] = {}

_TABLES: ContextVar[int] = ContextVar("_TABLES", default=1)


@contextmanager
def one_after_another(tables: int) -> Iterator[None]:
    """Within this block, `tables` tables of one shape pass through the same loops: their rows count together."""
    token = _TABLES.set(tables)
    try:
        yield
    finally:
        _TABLES.reset(token)


_at_once = [False]  # in all threads, which would not see a variable of the context


@contextmanager
def compiled_at_once() -> Iterator[None]:
    """Within this block, every loop is compiled at its first call, even for few rows; `classay warm` uses it."""
    _at_once.append(True)
    try:
        yield
    finally:
        _at_once.pop()


def pays(rows: int) -> bool:
    """Check whether there are so many rows, or scores of rows, that a loop is quicker once it is compiled."""
    return rows >= COMPILE_FROM or _at_once[-1]


def can_compile() -> bool:
    """Check whether loops can be compiled: Numba is there, and not switched off by `CLASSAY_NUMBA=0`."""
    return os.environ.get("CLASSAY_NUMBA") != "0" and _is_installed()


@cache
def _is_installed() -> bool:
    """Check whether Numba is there. To look for it takes longer than many of the loops, so it is looked for once."""
    return importlib.util.find_spec("numba") is not None


@cache
def _is_importable() -> bool:
    """Whether Numba, which is installed, can be imported: after an upgrade of NumPy it may not. That is told once."""
    try:
        import numba  # noqa: F401
    except Exception as error:  # noqa: BLE001 - what was built for another NumPy raises what it likes
        getLogger("classay").warning(BROKEN.format(cut(" ".join(str(error).split()), 200)))
        return False
    return True


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
        _bear(getattr(compiled, "_cache", None))
    except (
        RuntimeError
    ):  # no folder can be written to keep it in, as for service users: compile anew in each process
        compiled = numba.njit(nogil=True, error_model="numpy")(loop)
    return compiled


UNKEPT: list[str] = []
"""Why loops that were compiled in this process could not be kept."""


def _bear(kept: Any) -> None:
    """Compile anew what cannot be read from disk, and go on where it is full: no count fails for a loop that is kept.

    A folder whose disk is full can be written to as far as Numba tries, and files end early when a machine does.
    """
    if not all(hasattr(kept, name) for name in ("load_overload", "save_overload", "flush")):
        return
    load, save = kept.load_overload, kept.save_overload

    def loaded(*values: Any) -> Any:
        try:
            return load(*values)
        except Exception:  # noqa: BLE001 - damaged bytes raise what they like
            with suppress(Exception):
                kept.flush()
            return None

    def saved(*values: Any) -> None:
        try:
            save(*values)
        except Exception as error:  # noqa: BLE001
            UNKEPT.append(cut(" ".join(str(error).split()), 200))

    kept.load_overload, kept.save_overload = loaded, saved


@cache
def _tell_when_compiling() -> None:
    """Say once in a process what a person waits for: a warning in logs, which is a line on standard error without any.

    Loops that are on disk already are loaded, and nothing is said.
    """
    from numba.core import event

    class Teller(event.Listener):
        told = False

        def on_start(self, found: Any) -> None:
            if not self.told and (found.data["dispatcher"].py_func.__module__ or "").startswith("classay."):
                self.told = True
                folder = found.data["dispatcher"].stats.cache_path
                getLogger("classay").warning(TOLD.format(folder) if folder else TOLD_UNKEPT)

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

    A loop checks nothing: it assumes that codes are below the size of the array that they index, that places and counts
    belong to the arrays beside them, and that columns have one length. `tables.checks` ensures this once for each
    table; `assumes` says what else a kernel takes for granted.

    Both give the same result: bit for bit for counts, to rounding for sums of floats. Importing Numba and compiling a
    loop, or loading it from disk, takes time too. So even many rows go to the twin until it has cost this process as
    much as the loop will (`nanoseconds` a row, counted and not measured, so that the same calls choose alike). This
    takes at most twice the time of the better of the two. `CLASSAY_NUMBA=0` switches loops off.
    """

    spent_by_all = 0.0
    """Seconds that twins took for many rows in this process: compared with the time to import Numba."""

    def __init__(
        self,
        loop: Callable[..., Any],
        twin: Callable[..., Any],
        assumes: str = "",
        nanoseconds: float = 20,
        wide: tuple[str, ...] = (),
    ) -> None:
        self.loop = loop
        self.twin = twin
        self.assumes = assumes
        self.nanoseconds = nanoseconds
        names = loop.__code__.co_varnames[1 : loop.__code__.co_argcount]
        self.axes = tuple(int(name in wide) for name in names)
        self.spent = 0.0
        self.__doc__ = loop.__doc__

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The compiled loop, or the twin where Numba is missing, broken or switched off."""
        return _compile(self.loop, cache=True) if can_compile() and _is_importable() else self.twin

    @cached_property
    def is_kept(self) -> bool:
        """Whether the compiled loop lies on disk, where Numba keeps it; this does not import Numba."""
        code, version = self.loop.__code__, sys.version_info
        path = Path(code.co_filename)
        name = f"{path.stem}.{self.loop.__name__}-{code.co_firstlineno}.py{version[0]}{version[1]}{sys.abiflags}.nbi"
        apart = f"{path.parent.name}_{sha1(str(path.parent).encode(), usedforsecurity=False).hexdigest()}"
        folders = [_kept_apart() / apart]
        if not os.environ.get("NUMBA_CACHE_DIR"):
            folders.append(path.parent / "__pycache__")
        return any((folder / name).exists() for folder in folders)

    def is_ready(self, rows: int, in_all: int = 0, loops: int = 1, least: int = 1) -> bool:
        """Check whether to use the compiled loop for `rows` rows, which are part of `in_all` rows counted in sequence.

        `loops` is the number of loops that the twin replaces together, because they are only used together; of fewer
        rows than `least` the twin is quicker, however many there are in all.
        """
        if not pays(max(rows, in_all)) or not can_compile():
            return False
        if _at_once[-1]:
            return True
        if rows < least:
            return False
        if "compiled" in vars(self):
            return True
        seconds = CALLING + rows * self.nanoseconds * 1e-9
        if FURTHER * seconds >= IMPORTING and self.is_kept:
            return True
        self.spent += seconds
        Kernel.spent_by_all += seconds
        needed = loops * (LOADING if self.is_kept else COMPILING)
        start = 0 if "numba" in sys.modules else IMPORTING
        return self.spent >= needed and Kernel.spent_by_all >= needed + start

    def for_rows(self, rows: int, in_all: int = 0) -> Callable[..., Any]:
        """Return the compiled loop for many rows, or many scores of rows, once it pays; the twin for few.

        `in_all` is the number of rows of the whole work, if these rows are only a part.
        """
        return self.compiled if self.is_ready(rows, in_all) else self.twin

    def for_draws(self, units: int, draws: int = 2000) -> Callable[..., Any]:
        """Return the compiled loop for resamples of so many units that the twin would take long over `draws` of them.

        Earlier compilation plays no part, so that the same resamples give the same sums to the last digit.
        """
        takes_long = _at_once[-1] or units * draws * self.nanoseconds * 1e-9 >= LONG
        return self.compiled if takes_long else self.twin

    def __call__(self, first: Any, *others: Any) -> Any:
        """Run the compiled loop on many rows, of one table or of several in sequence; the twin on few rows.

        The twin also takes leading axes, which loops do not know: more axes than the first argument's (one more if
        `wide`).
        """
        leading = any(
            getattr(each, "ndim", 0) > first.ndim + axes
            for each, axes in zip(others, self.axes, strict=False)
        )
        if leading:
            return self.twin(first, *others)
        rows = first.shape[0]
        return self.for_rows(rows, rows * _TABLES.get())(first, *others)


def _kept_apart() -> Path:
    """The folder in which Numba keeps loops whose own folder cannot be written: `NUMBA_CACHE_DIR`, or the user's."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "numba" / "Cache"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/numba").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "numba"


def kernel(
    *, twin: Callable[..., Any], assumes: str = "", nanoseconds: float = 20, wide: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a loop a kernel, with its NumPy twin, its assumptions, and the nanoseconds that the twin takes for a row.

    `wide` names the arguments that have one axis more than the first; this axis is not a leading one.
    """

    def register(loop: Callable[..., Any]) -> Kernel:
        made = KERNELS[f"{loop.__module__}.{loop.__name__}"] = Kernel(loop, twin, assumes, nanoseconds, wide)
        return made

    return register
