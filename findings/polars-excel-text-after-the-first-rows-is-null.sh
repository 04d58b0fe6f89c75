#!/usr/bin/env bash
# polars 2.1.0 with fastexcel 0.21.0: read_excel of a column with numbers in its first 100 rows and a text later.
# Behaviour: the type comes from the first rows, and cells that do not fit are null. Where no other column has a value,
# the row is left out. Nothing is raised or warned of; read_csv of the same table raises.
# Seen: the label "unknown" in 40 of 240 rows is null; as the only column, the table has 200 rows.
# One would guess: a column of text, as pandas and polars with engine="openpyxl" give, or read_csv's error.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q polars==2.1.0 fastexcel==0.21.0 xlsxwriter==3.3.1 pandas==3.1.1 \
    openpyxl==3.1.5
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import pandas as pd
import polars as pl
import xlsxwriter

labels = [row % 2 if row < 150 or row % 9 > 3 else "unknown" for row in range(240)]
for name, columns in (("two", 2), ("one", 1)):
    with xlsxwriter.Workbook(f"{name}.xlsx") as book:
        sheet = book.add_worksheet()
        for row, values in enumerate([("label", "score"), *((label, 0.5) for label in labels)]):
            sheet.write_row(row, 0, values[:columns])
unknown = labels.count("unknown")
two, one, other = pl.read_excel("two.xlsx"), pl.read_excel("one.xlsx"), pl.read_excel("two.xlsx", engine="openpyxl")
print("polars", version("polars"), "fastexcel", version("fastexcel"), "unknown", unknown)
print("null", two["label"].null_count(), "rows", one.height, "openpyxl", other["label"].null_count())
assert list(pd.read_excel("two.xlsx", engine="openpyxl")["label"]) == labels
assert other["label"].null_count() == 0 and other.height == 240
assert two["label"].dtype == pl.Int64 and two["label"].null_count() == unknown, "changed: later texts are not null"
assert one.height == 240 - unknown, "changed: rows of one column stay"
try:
    pl.read_csv("\n".join(["label", *map(str, labels)]).encode())
    raise SystemExit("changed: read_csv takes the column")
except pl.exceptions.ComputeError:
    pass
PY
