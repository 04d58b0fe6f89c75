#!/usr/bin/env bash
# Reads one table from lakes, engines and arrays as the libraries of people really write them; run by hand.
# Each result must equal that of the rows in memory. Spark needs Java 17; the part of PostgreSQL needs `initdb` and runs in
# tests/in_parts/test_connections.py.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q "$root" pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 deltalake==1.6.6 \
    'pyiceberg[pyarrow,sql-sqlite]==0.12.0' pylance==14.0.2 'ibis-framework[duckdb]==12.0.0' duckdb==2.0.1 \
    sqlalchemy==2.1.9 fsspec==2026.9.0 h5py==3.16.0 pyspark==4.3.0 \
    "zarr==3.1.6; python_version < '3.12'" "zarr==3.4.2; python_version >= '3.12'"
cd "$work"
"$work/venv/bin/python" -W ignore - <<'PY'
import shutil
from pathlib import Path

import duckdb
import fsspec
import h5py
import ibis
import lance
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import sqlalchemy as sa
import zarr
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy.orm import Session

import classay as ca

rng = np.random.default_rng(0)
N = 3000
y = rng.random(N) < 0.3
table = pa.table({
    "y": y.astype(np.int64),
    "p": 1 / (1 + np.exp(-rng.normal(-1, 1, N) - 2 * y)),
    "label": np.where(y, "yes", "no"),
    "day": [f"2026-01-0{1 + k % 3}" for k in range(N)],
})
wrong = table.slice(0, 500).set_column(0, "y", pa.array(1 - table["y"].to_numpy()[:500]))
HOW = {"truth": "y", "score": "p"}
wanted = ca.scan(table, **HOW)


def same(name, a, of=wanted):
    keys = ("roc_auc", "log_loss", "recall")
    assert a.n == of.n, (name, a.n, of.n)
    for key in keys:
        assert abs(a[key].value - of[key].value) < 1e-12, (name, key, a[key].value, of[key].value)
    print("same:", name)


def scanned(name, source, of=wanted):
    same(name, ca.scan(source, **HOW), of)


pq.write_table(table, "plain.parquet", row_group_size=700)
scanned("pyarrow dataset", ds.dataset("plain.parquet"))
scanned("pyarrow scanner", ds.dataset("plain.parquet").scanner())
pq.write_to_dataset(table, "hive", partition_cols=["day"])
scanned("pyarrow dataset of a Hive folder", ds.dataset("hive", partitioning="hive"))

# Delta: rows deleted later; deletion vectors; columns whose names in the files are others (column mapping)
for name, configuration in {
    "plain": {},
    "deletion vectors": {"delta.enableDeletionVectors": "true"},
    "column mapping": {"delta.columnMapping.mode": "name"},
}.items():
    folder = name.replace(" ", "-")
    both = pa.concat_tables([table, wrong]).append_column("k", pa.array(np.arange(N + 500)))
    write_deltalake(folder, both, partition_by=["day"], configuration=configuration)
    DeltaTable(folder).delete(f"k >= {N}")
    scanned(f"Delta table, {name}", DeltaTable(folder))
    scanned(f"Delta folder, {name}", folder)
write_deltalake("vectors", table.slice(0, 3), configuration={"delta.columnMapping.mode": "name"})
assert DeltaTable("vectors").to_pyarrow_table()["y"].null_count == 3, "changed: to_pyarrow_table reads renamed columns"

# Iceberg: rows deleted later, a column renamed later
catalog = SqlCatalog("c", uri="sqlite:///c.db", warehouse=Path.cwd().as_uri())
catalog.create_namespace("db")
iceberg = catalog.create_table("db.preds", schema=table.rename_columns(["y", "q", "label", "day"]).schema)
for part in (table.slice(0, 2000), table.slice(2000), wrong.set_column(3, "day", pa.array(["bad"] * 500))):
    iceberg.append(part.rename_columns(["y", "q", "label", "day"]))
iceberg.delete("day == 'bad'")
with iceberg.update_schema() as update:
    update.rename_column("q", "p")
iceberg = catalog.load_table("db.preds")
scanned("Iceberg table", iceberg)
scanned("Iceberg scan", iceberg.scan())
scanned("Iceberg scan of a day", iceberg.scan(row_filter="day == '2026-01-02'"),
        ca.scan(table.filter(pa.compute.equal(table["day"], "2026-01-02")), **HOW))
scanned("Iceberg folder", "db/preds")
shutil.copytree("db/preds", "copied")
scanned("Iceberg folder that was copied: it names the files of the first", "copied")
shutil.move("db", "gone")
try:
    ca.scan("copied", **HOW)
    raise SystemExit("a copied Iceberg folder no longer needs the first one")
except ca.ClassayError as error:
    print("refused:", str(error)[:90])

lance.write_dataset(pa.concat_tables([table, wrong.set_column(3, "day", pa.array(["bad"] * 500))]), "preds.lance")
lance.dataset("preds.lance").delete("day = 'bad'")
scanned("Lance dataset", lance.dataset("preds.lance"))
scanned("Lance scanner", lance.dataset("preds.lance").scanner(columns=["y", "p"]))
scanned("Lance folder", "preds.lance")

# engines
scanned("DuckDB relation", duckdb.sql("select *, 1::hugeint as h, 1::uhugeint as u from 'plain.parquet'"))
backend = ibis.duckdb.connect()
scanned("Ibis on DuckDB", rows := backend.read_parquet("plain.parquet", table_name="preds"))
scanned("Ibis on DuckDB again, on a connection that still answers", rows)
scanned("Ibis, filtered", rows.filter(rows.p >= 0), wanted)
scanned("Ibis in memory", ibis.memtable(table))
scanned("Ibis on polars", ibis.polars.connect({"t": pl.from_arrow(table)}).table("t"))
counted = ca.scan_database(backend, "preds", **HOW)
assert counted.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()
engine = sa.create_engine("sqlite:///preds.db")
table.select(["y", "p"]).to_pandas().to_sql("preds", engine, index=False)
query = ca.count_query("preds", **HOW, dialect="sqlite")
with engine.connect() as connection, Session(engine) as session:
    inside = [ca.scan_database(source, "preds", **HOW) for source in (engine, connection, session)]
    inside += [ca.assess_counts(connection.execute(sa.text(query)))]
    inside += [ca.assess_counts(connection.execute(sa.text(query)).all())]
for a in inside:
    assert a.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()
print("same: SQLAlchemy")

# columns that Arrow lacks, and bytes
beyond = pl.from_arrow(table).with_columns(i=pl.lit(1).cast(pl.Int128), u=pl.lit(1).cast(pl.UInt128))
beyond.write_parquet("beyond.parquet")
scanned("Parquet of polars with Int128 and UInt128", "beyond.parquet")
scanned("frame of polars with Int128", beyond)

# arrays of files
with h5py.File("preds.h5", "w") as file:
    for name in ("y", "p"):
        file[name] = table[name].to_numpy()
    file["label"] = table["label"].to_pylist()
    scanned("HDF5 file", file)
    same("HDF5 file, texts", ca.scan(file, truth="label", score="p", positive="yes"))
group = zarr.open_group("preds.zarr", mode="w")
for name in ("y", "p"):
    group.create_array(name, data=table[name].to_numpy(), chunks=(500,))
group.create_array("label", data=np.array(table["label"].to_pylist(), np.dtypes.StringDType()))
scanned("Zarr group", group)
scanned("Zarr arrays", {"y": group["y"], "p": group["p"]})
same("Zarr group, texts", ca.scan(group, truth="label", score="p", positive="yes"))

# addresses
for name in ("plain.parquet", "beyond.parquet"):
    fsspec.filesystem("memory").pipe_file(f"/{name}", Path(name).read_bytes())
    scanned(f"address in memory, {name}", f"memory://{name}")
    scanned(f"address on disk, {name}", Path(name).absolute().as_uri())

# Spark
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.read.parquet("plain.parquet").repartition(3)
frame.write.json("json")
frame.write.option("compression", "gzip").json("json-gz")
frame.write.option("header", True).csv("csv")
frame.write.parquet("parquet")
for folder in ("json", "json-gz", "csv", "parquet"):
    scanned(f"Spark's folder, {folder}", folder)
frame.createOrReplaceTempView("preds")
rows = spark.sql(ca.count_query("preds", **HOW, dialect="spark"))
for name, result in {"collect()": rows.collect(), "toPandas()": rows.toPandas(), "frame": rows}.items():
    a = ca.assess_counts(result)
    assert a.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()
    print("same: Spark's counts,", name)
spark.stop()
PY
