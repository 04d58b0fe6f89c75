"""Kernels: loops that Numba compiles, each beside the plain NumPy function that is its oracle and its fallback."""

import importlib.util
import os
from collections.abc import Callable
from functools import cached_property
from typing import Any

COMPILE_FROM = 100_000
"""Rows from which the compiled loop is used. Below it NumPy is as quick, and importing Numba would cost more."""

KERNELS: dict[str, "Kernel"] = {}


class Kernel:
    """A loop written for Numba and its NumPy twin; a call picks one by the length of the first argument.

    Both give the same result: bit for bit for counts, to rounding for sums of floats. Numba is imported, and the
    loop compiled and cached on disk, at the first call with many rows. `CLASSAY_NUMBA=0` switches it off.
    """

    def __init__(self, loop: Callable[..., Any], twin: Callable[..., Any]) -> None:
        self.loop = loop
        self.twin = twin
        self.__doc__ = loop.__doc__

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The compiled loop, or the twin where Numba is missing or switched off."""
        if os.environ.get("CLASSAY_NUMBA") == "0" or importlib.util.find_spec("numba") is None:
            return self.twin
        import numba

        compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(self.loop)
        return compiled

    def __call__(self, first: Any, *others: Any) -> Any:
        """Run the compiled loop on many rows, the twin on few; the twin also knows leading axes, which the loop does not."""
        many = first.shape[0] >= COMPILE_FROM and all(getattr(each, "ndim", 1) <= 1 for each in (first, *others))
        return (self.compiled if many else self.twin)(first, *others)


def kernel(*, twin: Callable[..., Any]) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a loop a kernel, with its NumPy twin."""

    def register(loop: Callable[..., Any]) -> Kernel:
        made = KERNELS[f"{loop.__module__}.{loop.__name__}"] = Kernel(loop, twin)
        return made

    return register
