#!/usr/bin/env bash
# polars 2.1.0: from_pandas of a categorical column with an order.
# Behaviour: the column is Categorical, which sorts and compares by alphabet. The order of pandas is gone.
# Seen: of low, mid, high the largest is high for pandas and mid for polars; two are at least mid for pandas, and one for
# polars. An Enum holds the order.
# One would guess: an Enum of the categories in their order, or an error.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import pandas as pd
import polars as pl

grades = pd.Categorical(["low", "mid", "high"], ["low", "mid", "high"], ordered=True)
frame = pd.DataFrame({"grade": grades})
there = pl.from_pandas(frame)["grade"]
kept = there.cast(pl.Enum(["low", "mid", "high"]))
counts = [int((each >= "mid").sum()) for each in (frame["grade"], there, kept)]
largest = [each.max() for each in (frame["grade"], there, kept)]
print("polars", version("polars"), there.dtype, "largest", largest, "from mid", counts)
assert largest == ["high", "mid", "high"] and counts[0] == counts[2] == 2
assert counts[1] == 1, "changed: from_pandas keeps the order"
PY
