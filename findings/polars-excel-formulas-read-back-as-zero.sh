#!/usr/bin/env bash
# polars 2.1.0 with XlsxWriter 3.3.1: columns of write_excel(formulas=...) before a spreadsheet opened the file.
# Behaviour: the file has no computed values; XlsxWriter stores 0 as the result of each formula.
# Seen: a column that says whether the prediction is right is 0 in every row for polars (calamine and openpyxl) and
# pandas: an accuracy of 0 where 3 of 4 are right.
# One would guess: missing values, as for formulas that openpyxl wrote, so that one sees that nothing was computed.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q polars==2.1.0 fastexcel==0.21.0 xlsxwriter==3.3.1 pandas==3.1.1 \
    openpyxl==3.1.5
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import openpyxl
import pandas as pd
import polars as pl

cases = pl.DataFrame({"truth": ["a", "b", "a", "b"], "predicted": ["a", "b", "a", "a"]})
cases.write_excel("cases.xlsx", formulas={"right": "=IF([@truth]=[@predicted],1,0)"})
by_calamine = pl.read_excel("cases.xlsx")["right"].to_list()
by_openpyxl = pl.read_excel("cases.xlsx", engine="openpyxl")["right"].to_list()
by_pandas = pd.read_excel("cases.xlsx", engine="openpyxl")["right"].tolist()
book = openpyxl.Workbook()
book.active.append(["right"])
book.active.append(["=1+0"])
book.save("other.xlsx")
missing = pd.read_excel("other.xlsx", engine="openpyxl")["right"].isna().all()
print("polars", version("polars"), "xlsxwriter", version("xlsxwriter"), by_calamine, by_openpyxl, by_pandas)
print("formula of openpyxl is missing:", missing)
assert missing
assert by_calamine == by_openpyxl == by_pandas == [0, 0, 0, 0], "changed: formulas without a value are no longer 0"
PY
