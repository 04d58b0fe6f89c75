"""Kernels: loops that Numba compiles, each beside the plain NumPy function that is its oracle and its fallback."""

import importlib.util
import os
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any

COMPILE_FROM = 100_000
"""Rows from which the compiled loop is used. Below it NumPy is as quick, and importing Numba would cost more."""

KERNELS: dict[str, "Kernel"] = {}


def can_compile() -> bool:
    """Whether loops can be compiled: Numba is there and not switched off by `CLASSAY_NUMBA=0`."""
    return os.environ.get("CLASSAY_NUMBA") != "0" and importlib.util.find_spec("numba") is not None


def _compile(loop: Callable[..., Any], *, cache: bool = False) -> Callable[..., Any]:
    """Compile a loop, in which the names of parts stand for the compiled parts."""
    import numba

    names = loop.__code__.co_names
    parts = {name: loop.__globals__[name] for name in names if isinstance(loop.__globals__.get(name), Part)}
    known = loop.__globals__ | {name: part.compiled for name, part in parts.items()}
    loop = types.FunctionType(loop.__code__, known, loop.__name__)
    try:
        compiled: Callable[..., Any] = numba.njit(nogil=True, cache=cache, error_model="numpy")(loop)
    except (
        RuntimeError
    ):  # no folder can be written to keep it in, as for service users: compile anew in each process
        compiled = numba.njit(nogil=True, error_model="numpy")(loop)
    return compiled


class Part:
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
    (`tables.codes`); `assumes` says what else a kernel takes for granted.

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
        return self.compiled if rows >= COMPILE_FROM else self.twin

    def __call__(self, first: Any, *others: Any) -> Any:
        """Run the compiled loop on many rows; the twin on few, and on leading axes, which loops do not know."""
        leading = any(getattr(each, "ndim", 0) > first.ndim for each in others)
        return self.for_rows(0 if leading else first.shape[0])(first, *others)


def kernel(*, twin: Callable[..., Any], assumes: str = "") -> Callable[[Callable[..., Any]], Kernel]:
    """Make a loop a kernel, with its NumPy twin, and what it takes for granted."""

    def register(loop: Callable[..., Any]) -> Kernel:
        made = KERNELS[f"{loop.__module__}.{loop.__name__}"] = Kernel(loop, twin, assumes)
        return made

    return register
