"""One fixture, every source: the same predictions become the same tables, wherever they lie."""

import gzip
import io
import json
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import csv, feather, parquet

import classay as ca
from classay.in_parts import fragments, text_parts
from classay.in_parts.databases import scan_database
from classay.tables.bins import Bins
from databases import insert

N, BITS = 3000, 6
PARTS = ("keys", "cases", "within", "least", "most")
INSIDE = ("keys", "cases", "least", "most")
"""What a database counts, which has the sum of scores instead of where they lie in their bin."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch, tmp_path):
    """Parts of few rows, so that each source comes in several."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fragments, "ROWS", 700)
    monkeypatch.setattr(text_parts, "BYTES", 20_000)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(-1, 4, N) - 2 * y))
    p[:6] = [0.0, 1.0, 0.5, 1 - 2.0**-53, 2.0**-40, 1e-300]
    return pa.table({"y": y.astype(np.int64), "p": p})


@pytest.fixture(scope="module")
def wanted(table):
    """From arrays, without a part, a file or a frame."""
    y, p = (np.asarray(table[name]) for name in ("y", "p"))
    return Bins.of_rows(p, y == 1, BITS), ca.assess(y, p).confusion_matrix.counts.tolist()


SOURCES = {}
"""What makes a source of the table, by name."""


def source(name):
    def known(make):
        SOURCES[name] = make
        return make

    return known


@source("columns")
def columns(table):
    return {name: np.asarray(table[name]) for name in table.column_names}


@source("lists")
def lists(table):
    return table.to_pydict()


@source("PyArrow table")
def arrow(table):
    return table


@source("PyArrow batches")
def batches(table):
    return table.to_reader(max_chunksize=500)


@source("pandas")
def pandas(table):
    return table.to_pandas()


@source("polars")
def polars(table):
    return pytest.importorskip("polars", reason="SKIPPED LOUDLY: polars is not installed").from_arrow(table)


@source("polars, lazy")
def lazy(table):
    return polars(table).lazy()


@source("DuckDB relation")
def relation(table):
    return pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed").from_arrow(table)


@source("Ibis")
def ibis(table):
    made = pytest.importorskip("ibis", reason="SKIPPED LOUDLY: ibis is not installed")
    return made.memtable(table.to_pandas())


@source("PyArrow dataset")
def dataset(table):
    return ds.dataset(parquet_file(table))


@source("PyArrow scanner")
def scanner(table):
    return dataset(table).scanner()


@source("Delta table")
def delta(table):
    library = pytest.importorskip("deltalake", reason="SKIPPED LOUDLY: [lakes], deltalake")
    library.write_deltalake("delta", table)
    return library.DeltaTable("delta")


@source("Delta folder")
def delta_folder(table):
    delta(table)
    return "delta"


@source("Lance dataset")
def lance(table):
    library = pytest.importorskip("lance", reason="SKIPPED LOUDLY: [lakes], pylance")
    return library.write_dataset(table, "preds.lance")


@source("Iceberg table")
def iceberg(table):
    sql = pytest.importorskip("pyiceberg.catalog.sql", reason="SKIPPED LOUDLY: [lakes], pyiceberg")
    catalog = sql.SqlCatalog("c", uri="sqlite:///c.db", warehouse=Path.cwd().as_uri())
    catalog.create_namespace("db")
    made = catalog.create_table("db.preds", schema=table.schema)
    for start in range(0, N, 1000):
        made.append(table.slice(start, 1000))
    return made


@source("Iceberg scan")
def iceberg_scan(table):
    return iceberg(table).scan()


@source("HDF5 file")
def hdf5(table):
    library = pytest.importorskip("h5py", reason="SKIPPED LOUDLY: [lakes], h5py")
    file = library.File("preds.h5", "w")
    for name in table.column_names:
        file[name] = np.asarray(table[name])
    return file


@source("Zarr group")
def zarr(table):
    library = pytest.importorskip("zarr", reason="SKIPPED LOUDLY: [lakes], zarr")
    group = library.open_group("preds.zarr", mode="w")
    for name in table.column_names:
        group.create_array(name, data=np.asarray(table[name]), chunks=(900,))
    return group


@source("address")
def address(table):
    systems = pytest.importorskip("fsspec", reason="SKIPPED LOUDLY: [lakes], fsspec")
    for i in range(0, N, 1000):
        sink = io.BytesIO()
        parquet.write_table(table.slice(i, 1000), sink)
        systems.filesystem("memory").pipe_file(f"/every/{i:04}.parquet", sink.getvalue())
    return "memory://every"


@source("Spark's folder of JSON")
def spark_json(table):
    Path("preds").mkdir()
    for i in range(0, N, 1000):
        (Path("preds") / f"part-{i:05}-c000.json").write_bytes(text_of(table.slice(i, 1000), "jsonl"))
    Path("preds/_SUCCESS").touch()
    return "preds"


@source("Dask")
def dask(table):
    frames = pytest.importorskip("dask.dataframe", reason="SKIPPED LOUDLY: dask[dataframe] is not installed")
    return frames.from_pandas(table.to_pandas(), npartitions=4)


@source("PySpark")
def spark(table):
    sql = pytest.importorskip("pyspark.sql", reason="SKIPPED LOUDLY: pyspark is not installed")
    session = sql.SparkSession.builder.master("local[1]").getOrCreate()
    return session.createDataFrame(table.to_pandas())


@source("Parquet file")
def parquet_file(table):
    parquet.write_table(table, "preds.parquet", row_group_size=400)
    return "preds.parquet"


@source("Parquet pattern")
def pattern(table):
    for i in range(0, N, 1000):
        parquet.write_table(table.slice(i, 1000), f"preds{i:04}.parquet")
    return "preds*.parquet"


@source("Hive folder of Spark")
def hive(table):
    for day in range(3):
        at = Path("preds") / f"day=2026-01-0{day + 1}"
        at.mkdir(parents=True)
        parquet.write_table(table.slice(1000 * day, 1000), at / "part-00000.snappy.parquet")
        (at / ".part-00000.snappy.parquet.crc").write_bytes(b"crc")
    Path("preds/_SUCCESS").touch()
    return "preds"


@source("folder of several formats")
def mixed(table):
    Path("preds").mkdir()
    parquet.write_table(table.slice(0, 1000), "preds/a.parquet")
    csv.write_csv(table.slice(1000, 1000), "preds/b.csv")
    feather.write_feather(table.slice(2000), "preds/c.arrow")
    return "preds"


@source("Arrow file")
def arrow_file(table):
    feather.write_feather(table, "preds.arrow")
    return "preds.arrow"


@source("Arrow stream")
def arrow_stream(table):
    Path("preds.arrows").write_bytes(stream_of(table))
    return "preds.arrows"


def stream_of(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=300)
    return sink.getvalue().to_pybytes()


def text_of(table, kind):
    if kind == "jsonl":
        return "\n".join(json.dumps(row) for row in table.to_pylist()).encode()
    sink = io.BytesIO()
    csv.write_csv(table, sink, csv.WriteOptions(delimiter="\t" if kind == "tsv" else ","))
    return sink.getvalue()


PACKED = {"": bytes, ".gz": gzip.compress, ".zst": lambda text: pa.compress(text, "zstd", asbytes=True)}


def of_text(kind, packed):
    def make(table):
        name = f"preds.{kind}{packed}"
        Path(name).write_bytes(PACKED[packed](text_of(table, kind)))
        return name

    return make


for kind in ("csv", "tsv", "jsonl"):
    for packed in PACKED:
        SOURCES[f"{kind}{packed}"] = of_text(kind, packed)


def count(made, **more):
    return ca.scan(made, truth="y", score="p", bits=BITS, **more)


def same(found, wanted, parts=PARTS):
    bins, matrix = wanted
    for part in parts:
        one, other = (getattr(each, part) for each in (found.scores.bins, bins))
        assert one.tobytes() == other.tobytes(), part
    assert found.confusion_matrix.counts.tolist() == matrix
    assert (found.rows, found.n, found.labels, found.positive) == (N, N, (0, 1), 1)


@pytest.mark.filterwarnings("default")  # Dask and Spark warn of their own
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in ("Dask", "PySpark"))) for name in SOURCES]
)
def test_every_source_gives_the_same_table_byte_for_byte(name, table, wanted):
    found = count(SOURCES[name](table))
    same(found, wanted)
    assert found.scores.bins.losses == wanted[0].losses


@pytest.mark.parametrize(
    ("kind", "packed"), [*((kind, packed) for kind in ("csv", "jsonl") for packed in PACKED), ("arrow", "")]
)
def test_standard_input_too(kind, packed, table, wanted, monkeypatch):
    content = stream_of(table) if kind == "arrow" else text_of(table, kind)

    class Standard:
        buffer = io.BufferedReader(io.BytesIO(PACKED[packed](content)))

    monkeypatch.setattr(sys, "stdin", Standard())
    same(count("-", format=kind), wanted)


@pytest.mark.parametrize("engine", ["sqlite", "duckdb", "postgres"])
def test_databases_count_the_same_inside(engine, table, wanted, request):
    if engine == "sqlite":
        connection = sqlite3.connect(":memory:")
    elif engine == "duckdb":
        connection = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed").connect()
    else:
        driver = pytest.importorskip("psycopg", reason="SKIPPED LOUDLY: psycopg is not installed")
        connection = driver.connect(request.getfixturevalue("server"))
    try:
        cursor = (
            connection if engine == "duckdb" else connection.cursor()
        )  # of DuckDB, a connection of its own
        cursor.execute("create temporary table preds (y integer, p double precision)")
        mark = "%s" if engine == "postgres" else "?"
        rows = list(zip(*table.to_pydict().values(), strict=True))
        insert(cursor, "preds", rows, mark)
        same(scan_database(connection, "preds", truth="y", score="p", bits=BITS), wanted, INSIDE)
    finally:
        connection.close()
