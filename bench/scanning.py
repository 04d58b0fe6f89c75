"""Rows beyond memory: counting a folder of Parquet next to what query engines take to group it."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import classay as ca
from bench.cases import case
from bench.engines import (
    duckdb_bins,
    duckdb_matrix,
    our_bins,
    our_json,
    our_matrix,
    polars_bins,
    polars_bins_with_losses,
    polars_json,
    polars_matrix,
    pyarrow_json,
)
from bench.timing import CHOSEN, Figure, alone, seconds
from classay.inference.estimate import certain
from classay.measures import roc_auc
from classay.tables.bins import BinnedScoreTable, Bins, finer

SIZES = (1_000_000, 4_000_000)
LARGE = (1_000_000, 10_000_000, 100_000_000)
KEPT = "CLASSAY_BENCH"
"""The variable that names a folder for the files of `scan_large` and `scan_huge` (0.5 GB), which are made once."""
HUGE = (10_000_000, 100_000_000, 1_000_000_000)
MOST = {"confusion matrix": "300 MB", "binned scores": "400 MB"}
"""The memory that counting may take, however many rows there are."""
PER_FILE = 2_000_000


def folder(n: int, at: Path) -> Path:
    """Files of predictions: an integer truth, a float32 score, predicted classes."""
    rng = np.random.default_rng(0)
    at.mkdir()
    for i in range(0, n, PER_FILE):
        rows = min(PER_FILE, n - i)
        y = rng.random(rows) < 0.1
        score = 1 / (1 + np.exp(-(rng.normal(size=rows) + 2 * y - 3)))
        columns = {
            "y": y.astype(np.int8),
            "p": score.astype(np.float32),
            "said": (score > 0.5).astype(np.int8),
        }
        parquet.write_table(pa.table(columns), at / f"{i}.parquet", row_group_size=1_000_000)
    return at


WORK = {
    "confusion matrix": (our_matrix, {"polars": polars_matrix, "DuckDB": duckdb_matrix}, "0.67×"),
    "binned scores": (our_bins, {"polars": polars_bins, "DuckDB": duckdb_bins}, "0.5×"),
}


def against_engines(at: Path, n: int, peers: tuple[str, ...], runs: int = 3) -> Iterator[Figure]:
    """Ours and the peers' in turn, after one run of ours that compiles."""
    for work, (ours, others, wanted) in WORK.items():
        if n == LARGE[0]:
            ours(at)
        calls = {"": ours} | {peer: others[peer] for peer in peers}
        took: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(runs):
            for name, call in calls.items():
                took[name].append(seconds(lambda call=call: call(at)))  # type: ignore[misc]
        said = said_of(work, n)
        middle = {name: statistics.median(each) for name, each in took.items()}
        for peer in peers:
            yield Figure(said, f"{peer}, group-by", middle[""], middle[peer], "s", f"{wanted} (1e8 rows)")


@case
def scan() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        for n in SIZES:
            at = folder(n, Path(name) / str(n))
            yield from against_engines(at, n, ("polars",))
        a = ca.scan(at, truth="y", score="p", bits=10)
        low, high = a["roc_auc"].certain or (0.0, 1.0)
        yield Figure("… certain of the AUC to", "", (high - low) / 2, None, "", "1e-4")
        yield alone("… every default measure with its interval", a.estimates, "1 s", runs=3)
        yield Figure(
            "… memory of a scan, at most", "", megabytes(our_bins, at), None, "MB", "400 MB (1e8 rows)"
        )


BYTES_OF_JSON = (1e8, 1e9)
"""Sizes of files of nested JSON lines."""


def nested(size: float, at: Path) -> Path:
    """One file of JSON lines, of whose bytes few are the fields that are read."""
    rng = np.random.default_rng(0)
    at.mkdir()
    with (at / "rows.jsonl").open("w") as file:
        while file.tell() < size:
            y, p = rng.random(10_000) < 0.2, rng.random(10_000).round(6)
            lines = [
                json.dumps(
                    {
                        "id": k,
                        "case": {"y": "yes" if label else "no", "text": "some words of a document " * 6},
                        "scores": [{"label": "yes", "value": score}, {"label": "no", "value": 1 - score}],
                        "features": [score] * 12,
                    }
                )
                for k, (label, score) in enumerate(zip(y.tolist(), p.tolist(), strict=True))
            ]
            file.write("\n".join(lines) + "\n")
    return at


@case
def scan_json() -> Iterator[Figure]:
    """Nested JSON lines next to what reads the same two fields of them and counts nothing."""
    with tempfile.TemporaryDirectory() as name:
        for size in BYTES_OF_JSON:
            at = nested(size, Path(name) / f"{size:.0e}")
            calls = {"": our_json, "polars": polars_json, "PyArrow": pyarrow_json}
            took = {
                peer: statistics.median(seconds(partial(call, at)) for _ in range(3))
                for peer, call in calls.items()
            }
            most = {peer: megabytes(call, at) for peer, call in calls.items()}
            said = f"{size / 1e6:,.0f} MB of nested JSON lines"
            for peer in ("polars", "PyArrow"):
                yield Figure(said, peer, took[""], took[peer], "s", "0.8× of one of them")
                yield Figure(f"… memory, {said}", peer, most[""], most[peer], "MB", "300 MB")


def kept(n: int) -> Path | None:
    """The files of so many rows, made once; ten times those of 1e8 for more. None without a folder to keep them in."""
    if KEPT not in os.environ:
        print(
            f"rows beyond 1e7 are left out: name a folder for 0.5 GB of files with {KEPT}=", file=sys.stderr
        )
        return None
    at = Path(os.environ[KEPT]) / str(n)
    if at.exists():
        return at
    if n <= LARGE[-1]:
        return folder(n, at)
    files = sorted((kept(LARGE[-1]) or at).glob("*.parquet"))
    for part in range(n // LARGE[-1]):
        (at / f"part={part}").mkdir(parents=True)
        for file in files:
            (at / f"part={part}" / file.name).hardlink_to(file)
    return at


def with_losses(at: Path, n: int, runs: int = 3) -> Figure:
    """Bins next to a group-by that adds up what ours adds up."""
    took: dict[Callable[[Path], object], list[float]] = {our_bins: [], polars_bins_with_losses: []}
    for _ in range(runs):
        for call, each in took.items():
            each.append(seconds(partial(call, at)))
    mine, theirs = map(statistics.median, took.values())
    return Figure(said_of("binned scores", n), "polars, with sums of losses", mine, theirs, "s", "0.5×")


def said_of(work: str, n: int) -> str:
    return f"{work} of {n:.0e} rows of Parquet".replace("e+0", "e")


@case
def scan_large() -> Iterator[Figure]:
    """To 1e8 rows, next to both engines; the files are made once, and kept where the variable says."""
    for n in LARGE:
        at = kept(n)
        if at is None:
            return
        yield from against_engines(at, n, ("polars", "DuckDB"), runs=3)
        yield with_losses(at, n)
        for work, (ours, others, _) in WORK.items():
            took = megabytes(ours, at)
            for peer, theirs in others.items():
                yield Figure(f"… memory, {work}", peer, took, megabytes(theirs, at), "MB", MOST[work])
    once = ca.scan(at, truth="y", score="p", bits=10)
    yield alone("… every default measure with its interval", once.estimates, "1 s", runs=3)
    twice = ca.refine(once, at, truth="y", score="p")
    for passes, a in (("one pass", once), ("two passes", twice)):
        low, high = a["roc_auc"].certain or (0.0, 1.0)
        yield Figure(f"… certain of the AUC to, {passes}", "", (high - low) / 2, None, "", "1e-4")


@case
def scan_huge() -> Iterator[Figure]:
    """1e9 rows, the files of 1e8 under ten names: seconds next to ten times those of a tenth, and memory."""
    for work, (ours, _, _) in WORK.items():
        before: float | None = None
        for n in HUGE:
            at = kept(n)
            if at is None:
                return
            if before is None:
                ours(at)
            took = seconds(partial(ours, at))
            ten_times = None if before is None else 10 * before
            yield Figure(
                said_of(work, n), "ten times a tenth of the rows", took, ten_times, "s", "1×, minutes"
            )
            yield Figure(f"… memory, {work}", "", megabytes(ours, at), None, "MB", MOST[work])
            before = took


@case
def scan_dask() -> Iterator[Figure]:
    """Two processes of Dask: our kernel in them, next to group-bys of Dask's own."""
    try:
        from dask import dataframe
        from distributed import Client, LocalCluster
    except ImportError:
        print("scan_dask is left out: install dask[distributed].", file=sys.stderr)
        return

    def grouped(at: Path, keys: Callable[[Any], Any], *sums: str) -> object:
        named = {"rows": ("p", "size"), "least": ("p", "min"), "most": ("p", "max")}
        rows = dataframe.read_parquet(at).map_partitions(keys)
        return rows.groupby(["key", "y"]).agg(**named, **{each: (each, "sum") for each in sums}).compute()

    peers: dict[str, Callable[[Path], object]] = {
        "Dask, group-by": lambda at: grouped(at, _with_keys),
        "Dask, with sums of losses": lambda at: grouped(at, _with_losses, *"abcd"),
    }
    with (
        tempfile.TemporaryDirectory() as name,
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        ours = partial(ca.scan, truth="y", score="p", bits=10, executor=client)
        for n in SIZES:
            at = folder(n, Path(name) / str(n))
            calls = {"": ours} | peers
            took: dict[str, list[float]] = {peer: [] for peer in calls}
            for _ in range(4):  # the first of each compiles and imports
                for peer, call in calls.items():
                    took[peer].append(_dask_seconds(client, call, at))
            middle = {peer: statistics.median(each[1:]) for peer, each in took.items()}
            said = f"binned scores of {n:.0e} rows, Dask's processes".replace("e+0", "e")
            for peer in peers:
                yield Figure(said, peer, middle[""], middle[peer], "s", "1.5×")
        most = max(client.run(_own_megabytes).values())
        yield Figure("… memory of a worker, both have run there", "", most, None, "MB", "1,000 MB")


def _with_keys(part: Any) -> Any:
    """The rows with the leading bits of their scores, by which the other engines group, too."""
    return part.assign(key=part.p.to_numpy().view("uint32") >> 13)


def _with_losses(part: Any) -> Any:
    """The same with what ours adds up, too."""
    p, y = part.p.to_numpy().astype("float64"), part.y.to_numpy() == 1
    with np.errstate(divide="ignore"):  # of the class that a row is not of
        surprise = np.where(y, -np.log(p), -np.log1p(-p))
    squared = np.where(y, 1 - p, p) ** 2
    sums = {"a": surprise, "b": surprise * surprise, "c": squared, "d": squared * squared}
    return _with_keys(part).assign(**sums)


def _dask_seconds(client: Any, call: Callable[[Path], object], at: Path) -> float:
    """Seconds of a call; of processors, if those are measured, the workers' too."""
    if CHOSEN[-1] == "wall":
        return seconds(lambda: call(at))
    before = sum(client.run(time.process_time).values())
    own = seconds(lambda: call(at))
    return own + sum(client.run(time.process_time).values()) - before


def _own_megabytes() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def megabytes(call: Callable[[Path], object], at: Path) -> float:
    """The most memory that a process takes which does nothing else.

    As the process says itself at its end: what its parent would be told counts the memory of the parent, from which it
    was forked.
    """
    code = (
        f"from pathlib import Path; from bench.engines import {call.__name__} as call; call(Path({str(at)!r})); "
        "print(Path('/proc/self/status').read_text())"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return next(int(line.split()[1]) / 1024 for line in done.stdout.splitlines() if line.startswith("VmHWM"))


def fraud(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(rng.normal(size=y.size) * 2 - 8 + 4 * y)))


SHAPES: dict[str, tuple[float, Callable[[np.random.Generator, np.ndarray], np.ndarray]]] = {
    "uniform": (0.3, lambda rng, y: np.where(y, rng.random(y.size) ** 0.5, rng.random(y.size))),
    "separated": (0.3, lambda rng, y: 1 / (1 + np.exp(-8 * (rng.normal(size=y.size) + 2 * y - 1)))),
    "fraud": (0.002, fraud),
    "mirrored fraud": (0.998, lambda rng, y: 1 - fraud(rng, ~y)),
    "saturated": (0.3, lambda rng, y: np.minimum(1, np.exp(rng.normal(size=y.size) - 0.8 + y))),
}
"""Distributions on which bins of equal width are off by up to 0.19, with their share of positives."""


@case
def certainty() -> Iterator[Figure]:
    """Half-widths of the AUC's ends, of 1e6 float32 scores, after one pass and after two."""
    for shape, (share, draw) in SHAPES.items():
        rng = np.random.default_rng(0)
        y = rng.random(1_000_000) < share
        score = draw(rng, y).astype(np.float32)
        scale: object = 10
        for passes in ("one pass", "two passes"):
            bins = Bins.of_rows(score, y, scale)  # type: ignore[arg-type]
            low, high = certain(roc_auc, BinnedScoreTable.of(bins, (False, True))) or (0.0, 1.0)
            scale = finer(bins)
            note = f"{bins.keys.size:,} bins"
            yield Figure(f"AUC of {shape} scores, {passes}", "", (high - low) / 2, None, "", "1e-4", note)
