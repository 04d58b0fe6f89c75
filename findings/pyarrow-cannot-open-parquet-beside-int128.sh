#!/usr/bin/env bash
# PyArrow 26.0.1: a Parquet file that polars 2.1.0 wrote with one column of Int128.
# Behaviour: the file cannot be opened at all, not for its other columns, its number of rows or its schema.
# Seen: ParquetFile, read_table(columns=["y"]) and read_metadata raise ArrowNotImplementedError.
# One would guess: an error for that column alone: the file itself calls it 16 bytes, and the type that PyArrow lacks is
# in the writer's note ARROW:schema only. Without this note PyArrow reads all columns.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pyarrow==26.0.1 polars==2.1.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

pl.DataFrame({"y": [1, 0], "k": pl.Series([1, 2], dtype=pl.Int128)}).write_parquet("k.parquet")
for read in (pq.ParquetFile, lambda path: pq.read_table(path, columns=["y"]), pq.read_metadata):
    try:
        read("k.parquet")
        raise SystemExit("changed: the file can be opened")
    except pa.ArrowNotImplementedError as error:
        print("pyarrow", version("pyarrow"), "polars", version("polars"), error)
content = open("k.parquet", "rb").read()
open("plain.parquet", "wb").write(content.replace(b"ARROW:schema", b"ARROW.schema"))
table = pq.read_table("plain.parquet")
print(table.schema.field("k").type, table["y"].to_pylist())
assert table["y"].to_pylist() == [1, 0]
PY
