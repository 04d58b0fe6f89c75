#!/usr/bin/env bash
# deltalake 1.6.6: DeltaTable.to_pyarrow_table, to_pandas and to_pyarrow_dataset of a table with column mapping.
# Behaviour: every value is missing, without an error or a warning. DeltaTable.scan reads the same table correctly.
# Seen: a table of three rows that deltalake itself wrote with delta.columnMapping.mode = name gives three missing rows.
# One would guess: the values, or the DeltaProtocolError that these methods raise for a table with deletion vectors.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q deltalake==1.6.6 pyarrow==26.0.1 pandas==3.1.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

rows = pa.table({"y": [1, 0, 1], "p": [0.9, 0.2, 0.7]})
write_deltalake("table", rows, configuration={"delta.columnMapping.mode": "name"})
table = DeltaTable("table")
read = pa.RecordBatchReader.from_stream(table.scan(columns=["y", "p"])).read_all()
print("deltalake", version("deltalake"), "scan", read.to_pydict(), "to_pyarrow_table", table.to_pyarrow_table().to_pydict())
assert read.to_pydict() == rows.to_pydict()
assert table.to_pyarrow_table()["y"].null_count == 3, "changed: to_pyarrow_table reads renamed columns, or refuses them"
assert table.to_pyarrow_dataset().to_table()["p"].null_count == 3
assert table.to_pandas()["y"].isna().all()
PY
