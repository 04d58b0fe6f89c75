#!/usr/bin/env bash
# Ibis 12.0.0 with DuckDB 2.0.1: Table.to_pyarrow_batches asks the connection for fetch_record_batch, which it lacks.
# Behaviour: an AttributeError at the first batch, and after it every query on this connection fails, because a result is
# unfinished.
# Seen: to_pyarrow, which works before, raises ResourceInUseException after to_pyarrow_batches was tried.
# One would guess: the batches (both versions are allowed together), or an error that leaves the connection as it was, so
# that code can fall back to to_pyarrow.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q 'ibis-framework[duckdb]==12.0.0' duckdb==2.0.1 pyarrow==26.0.1 pandas==3.1.1
cd "$work"
"$work/venv/bin/python" -W ignore - <<'PY'
from importlib.metadata import version

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

pq.write_table(pa.table({"y": [1, 0, 1]}), "t.parquet")
table = ibis.duckdb.connect().read_parquet("t.parquet")
assert table.to_pyarrow()["y"].to_pylist() == [1, 0, 1]
reader = table.to_pyarrow_batches()
try:
    next(reader)
    raise SystemExit("changed: to_pyarrow_batches works")
except AttributeError as error:
    print("ibis", version("ibis-framework"), "duckdb", version("duckdb"), "batches:", error)
try:
    table.to_pyarrow()
    raise SystemExit("changed: the connection still answers")
except Exception as error:
    print("then to_pyarrow:", type(error).__name__, str(error)[:60])
    assert "unfinished result" in str(error)
PY
