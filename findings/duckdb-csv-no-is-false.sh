#!/usr/bin/env bash
# DuckDB 2.0.1: read_csv of a column that holds nothing but the words yes and no, or t and f.
# Behaviour: the column is BOOLEAN, also where the words are quoted. One more word in the file makes it VARCHAR.
# Seen: the country NO (Norway) is false in a file of Norway alone, and NO in a file with SE. pandas, polars and PyArrow
# keep the words.
# One would guess: text. One site's file has the type of another site's file, and labels differ between months.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q duckdb==2.0.1 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import duckdb
import pandas as pd
import polars as pl
from pyarrow import csv

types = {}
files = {"norway": ["NO", "NO"], "both": ["NO", "SE"], "answers": ["yes", "no"], "marks": ["t", "f"]}
for name, countries in files.items():
    with open(f"{name}.csv", "w") as file:
        file.write("country,score\n" + "".join(f'"{each}",0.5\n' for each in countries))
    relation = duckdb.read_csv(f"{name}.csv")
    types[name] = str(relation.types[0]), [row[0] for row in relation.fetchall()]
    others = pd.read_csv(f"{name}.csv"), pl.read_csv(f"{name}.csv"), csv.read_csv(f"{name}.csv").to_pandas()
    assert all(list(frame["country"]) == countries for frame in others)
print("duckdb", duckdb.__version__, types)
assert types["both"] == ("VARCHAR", ["NO", "SE"])
assert types["norway"] == ("BOOLEAN", [False, False]), "changed: NO stays a text"
assert types["answers"] == ("BOOLEAN", [True, False]) and types["marks"] == ("BOOLEAN", [True, False]), "changed"
PY
