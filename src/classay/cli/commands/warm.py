"""`classay warm`: compile every loop now, for images of containers and for whoever will not wait later."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from classay.cli.failures import guarded
from classay.errors import InputError

EXAMPLE = "Example: classay warm"
ROWS = 300


@guarded
def warm() -> None:
    """Compile the loops that many rows need, and keep them on disk, so that no later process waits for them.

    Numba keeps them in the folder that NUMBA_CACHE_DIR names, else beside classay, else in the user's cache. It takes a
    minute or two, once for each version of classay, Python and Numba. Later processes must be able to write there too.
    """
    run()


def run() -> None:
    """Assess small made data of every kind, with every loop compiled at its first call, and say where they are."""
    from classay.compiled import KERNELS, UNKEPT, can_compile, compiled_at_once

    if not can_compile():
        raise InputError(
            "no loops can be compiled: Numba is not installed, or CLASSAY_NUMBA=0 switches them off; "
            "install Numba, or unset CLASSAY_NUMBA."
        )
    with compiled_at_once():
        for work in _work():
            work()
    if UNKEPT:
        raise InputError(
            f"the loops are compiled, but {len(UNKEPT)} of them cannot be kept ({UNKEPT[0]}): "
            "make room, or set NUMBA_CACHE_DIR to another folder."
        )
    used = [each.compiled for each in KERNELS.values() if "compiled" in vars(each)]
    folders = {each.stats.cache_path for each in used if hasattr(each, "stats")} - {None}
    if not folders:
        raise InputError(
            "the loops are compiled, but no folder can be written to keep them in: "
            "set NUMBA_CACHE_DIR to one that can."
        )
    compiled = sum(1 for each in used if hasattr(each, "stats") and sum(each.stats.cache_misses.values()))
    print(f"{len(used)} loops are kept, {compiled} of them compiled now: {_place(folders)}")


def _place(folders: set[str]) -> str:
    """The folder that holds them all."""
    return f"{Path(os.path.commonpath(sorted(folders)))}"


def _work() -> Iterator[Callable[[], Any]]:
    """What is assessed: two classes, several, groups, models, resamples, parts, several labels a case."""
    import numpy as np
    import pyarrow as pa

    import classay as ca

    rng = np.random.default_rng(0)
    truth = rng.random(ROWS) < 0.4
    score = np.round(1 / (1 + np.exp(-rng.normal(2 * truth - 1.0))), 6)
    other = np.round(1 / (1 + np.exp(-rng.normal(1.5 * truth - 1.0))), 6)
    names = np.array(["no", "yes"], object)[truth.astype(int)]
    cluster, weight, times = rng.integers(0, 40, ROWS), rng.random(ROWS) + 0.5, rng.integers(1, 4, ROWS)
    columns: list[dict[str, Any]] = [
        {},
        {"weight": weight},
        {"weight": times},
        {"cluster": cluster},
        {"cluster": np.array([f"patient {each}" for each in cluster], object)},
        {"cluster": cluster, "weight": weight},
    ]
    for more in columns:
        for scores in (score, score.astype(np.float32)):
            yield lambda more=more, scores=scores: _whole(ca.assess(truth, scores, **more))  # type: ignore[misc]
        yield lambda more=more: ca.compare({"a": score, "b": other}, truth, **more).to_dict()  # type: ignore[misc]
    yield lambda: _whole(ca.assess(names, score, positive="yes"))
    yield lambda: ca.assess(truth, score, interval="bootstrap").to_dict()
    yield lambda: ca.assess(truth, score, interval="bootstrap", cluster=cluster).to_dict()
    yield lambda: str(ca.assess_by(truth, score, by=cluster % 5))
    yield (ca.assess(truth, score) + ca.assess(truth, other)).to_dict
    rows = pa.table({"y": pa.array(names), "p": score, "w": weight, "cluster": cluster * 1000})
    for how in ({}, {"bits": 10}, {"bits": 10, "weight": "w"}, {"cluster": "cluster"}):
        yield lambda how=how: ca.scan(rows, truth="y", score="p", positive="yes", **how).to_dict()  # type: ignore[misc]
    classes = rng.integers(0, 4, ROWS)
    chances = rng.dirichlet(np.ones(4), ROWS)
    for more in columns[:4]:
        yield lambda more=more: _whole(ca.assess(classes, chances, labels=range(4), **more))  # type: ignore[misc]
    yield lambda: ca.compare(
        {"a": chances, "b": chances**2 / (chances**2).sum(1, keepdims=True)}, classes
    ).to_dict()
    yield lambda: ca.assess(classes, y_pred=chances.argmax(1)).to_dict()
    tags = rng.random((ROWS, 5)) < 0.3
    yield lambda: ca.assess(tags, rng.random((ROWS, 5))).to_dict()


def _whole(a: Any) -> None:
    """Everything of an assessment that a page shows."""
    a.to_dict()
    a.report(os.devnull)
