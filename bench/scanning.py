"""Rows beyond memory: counting a folder of Parquet next to what a query engine takes to group it."""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import classay as ca
from bench.cases import case
from bench.timing import Figure, alone, versus

SIZES = (1_000_000, 4_000_000, 16_000_000)
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


def polars_bins(at: Path) -> object:
    import polars as pl

    score = pl.col("p")
    key = (score.reinterpret(dtype=pl.UInt32) // (1 << 13)).alias("key")
    grouped = (
        pl.scan_parquet(f"{at}/*.parquet")
        .group_by(key, "y")
        .agg(pl.len(), score.min(), score.max().alias("most"))
    )
    return grouped.collect(engine="streaming")


def polars_matrix(at: Path) -> object:
    import polars as pl

    return pl.scan_parquet(f"{at}/*.parquet").group_by("y", "said").len().collect(engine="streaming")


@case
def scan() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        for n in SIZES:
            at = folder(n, Path(name) / str(n))
            yield versus(
                f"confusion matrix of {n:.0e} rows of Parquet",
                lambda at=at: ca.scan(at, truth="y", prediction="said"),  # type: ignore[misc]
                "polars, group-by",
                lambda at=at: polars_matrix(at),  # type: ignore[misc]
                "0.67× (1e8 rows)",
                runs=3,
            )
            yield versus(
                f"binned scores of {n:.0e} rows of Parquet",
                lambda at=at: ca.scan(at, truth="y", score="p", bits=10),  # type: ignore[misc]
                "polars, group-by of one float column",
                lambda at=at: polars_bins(at),  # type: ignore[misc]
                "0.5× (1e8 rows)",
                runs=3,
            )
        a = ca.scan(at, truth="y", score="p", bits=10)
        low, high = a["roc_auc"].certain or (0.0, 1.0)
        yield Figure("… certain of the AUC to", "", (high - low) / 2, None, "", "1e-4")
        yield alone("… every default measure with its interval", a.estimates, "1 s", runs=3)
        yield Figure("… memory of a scan, at most", "", _megabytes(at), None, "MB", "400 MB (1e8 rows)")


def _megabytes(at: Path) -> float:
    """The most memory that a process takes which scans a folder and does nothing else."""
    code = f"import classay as ca; ca.scan({str(at)!r}, truth='y', score='p', bits=10)"
    subprocess.run([sys.executable, "-c", code], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
