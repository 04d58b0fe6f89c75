"""Seeding: everything random in a fit follows from the seed and the number of the split, or is the user's own.

And what a fit changes of the process around it is given back as it was.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from classay.resampling.splits import seed_for


def unseeded(parameters: dict[str, Any]) -> tuple[str, ...]:
    """The names of the parameters `random_state` that are None."""
    return tuple(
        sorted(
            key
            for key, value in parameters.items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        )
    )


def seed_splitters(model: Any, seed: int, number: int) -> None:
    """Seed the splitters among the parameters of a model, such as the `cv` of a search: they have no parameters."""
    for key, value in sorted(model.get_params(deep=True).items()):
        if is_unseeded_splitter(value):
            value.random_state = seed_for(seed, f"{key} {number}")


def is_unseeded_splitter(value: Any) -> bool:
    """Whether a parameter is a splitter that draws from chance: no text, which has a `split` too, and no estimator."""
    is_splitter = hasattr(value, "split") and not hasattr(value, "get_params")
    return is_splitter and getattr(value, "random_state", 0) is None


@contextmanager
def global_state(seed: int, number: int) -> Iterator[None]:
    """Seed the global random states of Python and NumPy, and give them back as they were.

    Whatever is not told of a seed draws from them. They belong to the whole process, so only the main thread may
    change them: a fit in another thread keeps its own luck.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002  it is the global state we want
    drawn = seed_for(seed, f"global {number}")
    random.seed(drawn)
    np.random.seed(drawn)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(numpys)  # noqa: NPY002


@contextmanager
def surroundings() -> Iterator[None]:
    """Give back the working folder and the standard streams as they were, whatever a fit does to them.

    Otherwise a learner that changes the folder moves every output of the run. They belong to the whole process, so only
    the main thread may give them back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    streams, folder = (sys.stdin, sys.stdout, sys.stderr), None
    with suppress(OSError):  # a folder that is gone has no name
        folder = os.getcwd()
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        if folder is not None:
            with suppress(OSError):
                os.chdir(folder)
