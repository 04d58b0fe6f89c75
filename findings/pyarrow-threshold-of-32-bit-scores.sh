#!/usr/bin/env bash
# PyArrow 26.0.1: compute.greater_equal of 32-bit scores and a threshold that is a number of Python.
# Behaviour: the threshold is a 64-bit float, and scores are widened to it. A 32-bit .7 is a little less than 64-bit .7.
# Seen: of the scores .7, .2 and .9, one is >= .7. NumPy, polars, DuckDB and pandas find two; pandas with Arrow's type,
# ArrowDtype, finds one.
# One would guess: the same cases at or above a threshold for the same scores. Models give 32-bit scores, often rounded.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 duckdb==2.0.1 numpy==2.4.6
cd "$work"
"$work/venv/bin/python" - <<'PY'
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

scores = np.array([0.7, 0.2, 0.9], dtype=np.float32)
cases = pa.table({"score": scores})
counts = {
    "numpy": int((scores >= 0.7).sum()),
    "pandas": int((pd.Series(scores) >= 0.7).sum()),
    "polars": pl.DataFrame({"score": scores}).filter(pl.col("score") >= 0.7).height,
    "duckdb": duckdb.sql("select score from cases where score >= 0.7").fetchnumpy()["score"].size,
    "pyarrow": pc.sum(pc.greater_equal(cases["score"], 0.7)).as_py(),
    "pandas of Arrow": int((pd.Series(scores, dtype=pd.ArrowDtype(pa.float32())) >= 0.7).sum()),
}
print("pyarrow", pa.__version__, counts)
assert [counts[name] for name in ("numpy", "pandas", "polars", "duckdb")] == [2, 2, 2, 2]
assert counts["pyarrow"] == counts["pandas of Arrow"] == 1, "changed: a threshold of Python is taken as 32 bits"
PY
