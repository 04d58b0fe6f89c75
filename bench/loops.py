"""What the NumPy twin of each compiled loop takes for a row: `python -m bench.loops` measures and writes FIGURES.

A loop declares this cost (`nanoseconds`), by which classay chooses when to compile it. The figures are kept, so that a
test compares what is declared with what was measured, and measures nothing itself.
"""

import importlib
import json
import pkgutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

import classay
import classay as ca
from bench.cases import binary
from bench.growth import class_rows
from classay.compiled import COMPILE_FROM, KERNELS, Kernel

FIGURES = Path(__file__).with_name("loops.json")
"""Nanoseconds of the twin of each loop for a row, and seconds that it ran for: the last measurement."""
ENOUGH = 2e-3
"""Seconds of a twin below which a figure says little and is not written."""


class Measured:
    """Seconds of each twin, and rows that were offered to its loop; no loop is compiled meanwhile."""

    def __init__(self) -> None:
        self.rows: dict[str, float] = defaultdict(float)
        self.seconds: dict[str, float] = defaultdict(float)
        self._running: list[str] = []

    def watch(self) -> None:
        """Let every loop be its twin, on a clock. A twin within another one counts to both."""
        names = {id(kernel): name for name, kernel in KERNELS.items()}

        def is_ready(kernel: Kernel, rows: int, *_: Any, **__: Any) -> bool:
            self.rows[names[id(kernel)]] += rows
            return False

        for name, kernel in KERNELS.items():
            kernel.twin = self._timed(name, kernel.twin)
        Kernel.is_ready = is_ready  # type: ignore[method-assign]

    def _timed(self, name: str, twin: Callable[..., Any]) -> Callable[..., Any]:
        def run(*values: Any) -> Any:
            start = time.thread_time()
            result = twin(*values)
            self.seconds[name] += time.thread_time() - start
            return result

        return run

    def figures(self) -> dict[str, dict[str, float]]:
        """The nanoseconds of each twin that ran for long enough."""
        return {
            name: {
                "nanoseconds": round(1e9 * seconds / self.rows[name], 1),
                "seconds": round(seconds, 3),
            }
            for name, seconds in sorted(self.seconds.items())
            if seconds >= ENOUGH and self.rows[name]
        }


def _pages(n: int) -> None:
    """Every default measure, curve and picture: scores of both precisions, weighted or not, and of several classes."""
    weight, times = np.random.default_rng(2).random(n), np.random.default_rng(2).integers(1, 4, n)
    two, single = binary(n), binary(n, "f4")
    several = class_rows(n // 4, 12)
    with tempfile.TemporaryDirectory() as folder:
        for rows, how in (
            (two, {}),
            (single, {}),
            (two, {"weight": weight}),
            (two, {"frequency": times}),
            (several, {}),
        ):
            ca.assess(*rows, **how).report(Path(folder) / "page.html")


def _samples(n: int) -> None:
    """Clusters, groups, models of the same cases, thresholds, partial areas."""
    (y, s), (_, t) = binary(n), binary(n, seed=1)
    part = np.random.default_rng(1).integers(0, 400, n)
    ca.assess(y, s, cluster=part).estimates()
    ca.assess(*class_rows(n // 6, 12), cluster=part[: n // 6]).estimates()
    ca.assess_by(y, s, by=part % 5).frame("recall", "roc_auc", "accuracy")
    ca.compare({"a": s, "b": t}, y)
    a = ca.assess(y, s)
    a.threshold(cost=ca.Costs(fp=1, fn=5))


def _tags(n: int) -> None:
    rng = np.random.default_rng(0)
    s = rng.random((n // 10, 20), dtype=np.float32) ** 6
    ca.assess(rng.random(s.shape, dtype=np.float32) < 0.01 + 0.6 * s, s).estimates()


def _labels(n: int) -> None:
    """Labels as texts, large whole numbers, and few of them."""
    rng = np.random.default_rng(0)
    for names in (
        np.array(["ash", "birch", "cedar"]),
        np.arange(3) * 10**12,
        np.arange(300),
        np.array([1.5, 2, 3]),
    ):
        truth, said = names[rng.integers(0, len(names), (2, n))]
        ca.assess(truth, y_pred=said)["accuracy"]
        ca.assess(pa.array(truth), y_pred=pa.array(said))["accuracy"]


def _parts(n: int) -> None:
    """Rows of files, part by part: exact, in bins, weighted, as text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(4):
            y, s = binary(n, "f4", seed)
            table = pa.table({"y": y, "p": s, "w": np.random.default_rng(seed).random(n)})
            parquet.write_table(table, folder / f"{seed}.parquet")
            csv.write_csv(table.slice(0, n // 3), folder / f"{seed}.csv")
        for how in ({}, {"bits": 10}, {"bits": 10, "weight": "w"}, {"weight": "w"}):
            ca.scan(f"{folder}/*.parquet", truth="y", score="p", **how)
        ca.scan(f"{folder}/*.csv", truth="y", score="p")


WORK = {"pages": _pages, "samples": _samples, "tags": _tags, "labels": _labels, "parts": _parts}
"""What loops are for, of so many rows."""


def main() -> None:
    """Run every kind of work once, without loops, and write what their twins took."""
    for module in pkgutil.walk_packages(classay.__path__, "classay."):
        if not module.name.startswith(("classay.__main__", "classay.cli")):
            importlib.import_module(module.name)
    measured = Measured()
    measured.watch()
    for name, work in WORK.items():
        start = time.process_time()
        work(3 * COMPILE_FROM)
        print(f"{name}: {time.process_time() - start:.1f} s", file=sys.stderr)
    found = json.loads(FIGURES.read_text()) | measured.figures() if FIGURES.exists() else measured.figures()
    FIGURES.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n")
    for name, kernel in sorted(KERNELS.items()):
        figure = found.get(name, {}).get("nanoseconds")
        ratio = "" if figure is None else f"{figure / kernel.nanoseconds:6.2f}"
        print(f"{name:70} declared {kernel.nanoseconds:6g}  measured {figure or '–':>8}  {ratio}")


if __name__ == "__main__":
    main()
