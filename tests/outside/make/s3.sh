#!/usr/bin/env bash
# Reads one table from a service like S3 (moto, on this machine) by PyArrow, s3fs, deltalake and pyiceberg; run by hand.
# Each result must equal that of the rows in memory, and no error may show a secret.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q "$root" pyarrow==26.0.1 'moto[server]==5.2.5' boto3==1.43.117 s3fs==2026.9.0 \
    fsspec==2026.9.0 deltalake==1.6.6 'pyiceberg[pyarrow,sql-sqlite]==0.12.0' pandas==3.1.1
cd "$work"
"$work/venv/bin/python" -W ignore - <<'PY'
import io
import os

from moto import settings
from moto.server import ThreadedMotoServer

SECRET = "a-secret-that-no-error-shows"
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
server.start()
host, port = server.get_host_and_port()
ENDPOINT = f"http://{host}:{port}"
os.environ |= {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_ENDPOINT_URL": ENDPOINT,
    "AWS_DEFAULT_REGION": "us-east-1",
}

import boto3
import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import s3fs
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable

import classay as ca
from classay.in_parts import addresses


class Store(s3fs.S3FileSystem):
    """The same service under a scheme that PyArrow does not know, so that it is read by fsspec."""

    protocol = "store"


fsspec.register_implementation("store", Store)
rows = pa.table({"y": [1, 0, 1, 0, 1, 0] * 10, "p": [k / 61 for k in range(1, 61)]})
HOW = {"truth": "y", "score": "p"}
service = boto3.client("s3")
service.create_bucket(Bucket="preds")


def as_parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


text = "y,p\n" + "".join(f"{y},{p}\n" for y, p in zip(*rows.to_pydict().values()))
files = {
    "one.parquet": as_parquet(rows),
    "text/a b.csv": text.encode(),
    **{f"days/day={k}/part-0.parquet": as_parquet(rows.slice(20 * k, 20)) for k in range(3)},
}
for name, content in files.items():
    service.put_object(Bucket="preds", Key=name, Body=content)

wanted = ca.scan(rows, **HOW)
for system in ("s3", "s3a", "store"):
    for source in ("one.parquet", "text/a b.csv", "text", "days", "days/", "days/day=*/*.parquet"):
        a = ca.scan(f"{system}://preds/{source}", **HOW)
        assert (a.n, a["roc_auc"], a["log_loss"]) == (60, wanted["roc_auc"], wanted["log_loss"]), (system, source)
        print("same:", system, source)
    a = ca.scan(f"{system}://preds/days", **HOW, cluster="day")
    assert a.coded.clusters == (0, 1, 2), a.coded.clusters

# tables: rows that are deleted later must not be read
HTTP = {"allow_http": "true"}
write_deltalake("s3://preds/lake", rows, storage_options=HTTP | {"aws_s3_allow_unsafe_rename": "true"})
DeltaTable("s3://preds/lake", storage_options=HTTP).delete("p > 0.95")
catalog = SqlCatalog("c", uri="sqlite:///c.db", warehouse="s3://preds", **{"s3.endpoint": ENDPOINT})
catalog.create_namespace("db")
iceberg = catalog.create_table("db.ice", schema=rows.schema)
iceberg.append(rows)
iceberg.delete("p > 0.95")
fewer = ca.scan(rows.filter(pa.compute.less_equal(rows["p"], 0.95)), **HOW)
for source in ("lake", "lake/", "db/ice"):
    a = ca.scan(f"s3://preds/{source}", **HOW)
    assert (a.n, a["roc_auc"]) == (57, fewer["roc_auc"]), source
    print("same: s3", source)

# what the libraries do by themselves
for name, opened in {
    "deltalake refuses plain HTTP": lambda: DeltaTable("s3://preds/lake"),
    "pyiceberg does not ask AWS_ENDPOINT_URL": lambda: StaticTable.from_metadata(
        next(file for file, _ in addresses.Place("s3://preds/db/ice/metadata").inside() if ".metadata." in file)
    ),
}.items():
    try:
        opened()
        raise SystemExit(f"no longer so: {name}")
    except Exception as error:
        print(f"{name}: {str(error).splitlines()[0][:90]}")

# errors
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0  # from now on, keys are checked
addresses._system_of_arrow.cache_clear()
Store.clear_instance_cache()
refused = ["s3://preds/one.parquet", "s3://preds/days", "store://preds/one.parquet", "s3://preds/lake", "store://preds/days"]
refused += [f"s3://somebody:{SECRET}@preds/one.parquet", f"s3://preds/one.parquet?secret_key={SECRET}"]


def expect_error(source):
    try:
        ca.scan(source, **HOW)
        raise SystemExit(f"read without permission: {source}")
    except ca.ClassayError as error:
        assert SECRET not in str(error) and "\n" not in str(error) and len(str(error)) <= 240, str(error)
        print("refused:", error)


for source in refused:
    expect_error(source)
server.stop()
os.environ["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9"
addresses._system_of_arrow.cache_clear()
Store.clear_instance_cache()
for source in refused[:4]:
    expect_error(source)
PY
