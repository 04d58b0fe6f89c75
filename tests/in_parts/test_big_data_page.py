"""docs/big-data.md: every command and every piece of Python for engines runs, with PostgreSQL, Dask and Spark started.

The other Python of the page, and what it states of results, is run by tests/house/test_documents.py.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import classay as ca
from documents import DOCS, blocks_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
PAGE = (DOCS / "big-data.md").read_text(encoding="utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for language, body in blocks_of(PAGE)
    if language == "console"
    for line in body.splitlines()
    if line.startswith("$ ")
]
OF_ENGINES = [body for language, body in blocks_of(PAGE) if language == "py"]
HOW = {"truth": "y", "score": "p"}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.random(6000) < 0.2
    p = rng.beta(1 + 2 * y, 5)
    said = np.where(p > 0.3, 1, 0)
    day = [f"2026-01-0{1 + k % 3}" for k in range(6000)]
    return pa.table({"y": y.astype(int), "p": p, "said": said, "day": day})


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """The files that the page names, and `classay` for a shell."""
    at = tmp_path_factory.mktemp("page")
    for name in ("preds", "days"):
        (at / name).mkdir()
    for k, name in enumerate(("monday", "tuesday", "wednesday")):
        part = rows.slice(2000 * k, 2000)
        parquet.write_table(part, at / "preds" / f"{name}.parquet")
        with pa.CompressedOutputStream(str(at / "days" / f"{name}.gz"), "gzip") as stream:
            csv.write_csv(part, stream, csv.WriteOptions(include_header=k == 0))
        ca.scan(part, **HOW).save(at / f"{name}.classay")
    with pa.CompressedOutputStream(str(at / "huge.csv.zst"), "zstd") as stream:
        csv.write_csv(rows, stream)
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed")
    with duckdb.connect(str(at / "preds.duckdb")) as connection:
        connection.register("rows_of_arrow", rows)
        connection.execute("create table preds as select * from rows_of_arrow")
        counts = connection.sql(ca.count_query("preds", **HOW, dialect="duckdb"))
        csv.write_csv(pa.table(counts), at / "counts.csv")
    shell = at / "bin" / "classay"
    shell.parent.mkdir()
    shell.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m classay "$@"\n')
    shell.chmod(0o755)
    return at


@pytest.fixture(scope="module")
def client(folder):
    """A client of a scheduler whose workers find the files under the same paths."""
    distributed = pytest.importorskip("distributed", reason="SKIPPED LOUDLY: dask is not installed")
    with (
        chdir(folder),
        distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def server_with_rows(server, rows):
    psycopg = pytest.importorskip("psycopg", reason="SKIPPED LOUDLY: psycopg is not installed")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("create table preds (y integer, p double precision, said integer, day text)")
        with connection.cursor().copy("copy preds from stdin") as copy:
            for row in rows.to_pylist():
                copy.write_row(tuple(row.values()))
        yield server
        connection.execute("drop table preds")


def test_the_page_has_what_is_run_here():
    assert len(COMMANDS) >= 10
    assert sum("classay sql" in each for each in COMMANDS) == 4
    assert sum("spark.sql" in each for each in OF_ENGINES) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command, folder, rows, request):
    text = command.partition("   #")[0]
    wanted = ca.scan(rows, **HOW)
    if "postgresql://…" in text:
        text = text.replace("postgresql://…", request.getfixturevalue("server_with_rows"))
        later = pa.compute.not_equal(rows["day"], "2026-01-01")
        wanted = ca.scan(rows.filter(later), **HOW)
    if "tcp://scheduler:8786" in text:
        address = request.getfixturevalue("client").scheduler_info()["address"]
        text = text.replace("tcp://scheduler:8786", address)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {text}"],
        check=False, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    # a gate may fail or be inconclusive
    assert done.returncode in ((0, 1, 3) if "--require" in text else (0,)), done.stderr
    if "> count.sql" in text:
        assert (folder / "count.sql").read_text().startswith("SELECT truth")
    elif "--limit-rows" in text or text.startswith("classay merge") or "monday" in text:
        assert re.search(r"cases|files", done.stdout), done.stdout
    elif "--prediction" in text:
        assert f"{ca.assess(rows['y'], y_pred=rows['said'])['recall'].value:.3f}" in done.stdout
    else:
        assert f"{wanted.n:,}" in done.stdout
        assert f"{wanted['roc_auc'].value:.3f}" in done.stdout


@pytest.mark.parametrize("code", [each for each in OF_ENGINES if "spark" not in each])
def test_python_for_workers_runs(code, folder, rows, client, monkeypatch):
    monkeypatch.chdir(folder)
    frames = pytest.importorskip("dask.dataframe", reason="SKIPPED LOUDLY: dask is not installed")
    names = {"ca": ca, "client": client, "dask_frame": frames.from_pandas(rows.to_pandas(), npartitions=3)}
    for line in code.splitlines():
        result = eval(line, names) if line.startswith("ca.") else exec(line, names)
        if result is not None:
            assert (result.n, result["roc_auc"]) == (6000, ca.scan(rows, **HOW)["roc_auc"])


@pytest.mark.skipif(
    shutil.which("java") is None, reason="SKIPPED LOUDLY: Java is not installed, which Spark needs"
)
@pytest.mark.parametrize("code", [each for each in OF_ENGINES if "spark" in each])
def test_python_for_spark_runs(code, rows, folder):
    sql = pytest.importorskip("pyspark.sql", reason="SKIPPED LOUDLY: pyspark is not installed")
    spark = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        spark.read.parquet(str(folder / "preds")).createOrReplaceTempView("preds")
        names = {"ca": ca, "spark": spark}
        exec(code, names)
        inside, wanted = names["a"], ca.scan(rows, **HOW, bits=10)
        assert inside.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()
        assert inside["roc_auc"] == wanted["roc_auc"]
    finally:
        spark.stop()
