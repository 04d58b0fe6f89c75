#!/usr/bin/env bash
# Writes the files of statistics programs of tests/outside/data/; run by hand.
# PSPP 1.6.2 and R 4.2.2 with foreign 0.8.84 are Debian's: apt-get install pspp r-base-core r-cran-foreign
# No program at hand writes .sas7bdat.
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pandas==3.1.1 pyreadstat==1.3.7
"$work/venv/bin/python" - <<'PY'
import datetime as dt

import pandas as pd
import pyreadstat as rs

n = 12
frame = pd.DataFrame(
    {
        "id": [float(101 + k) for k in range(n)],
        "outcome": [float(k % 3 == 0) for k in range(n)],
        "sex": [float(1 + k % 2) for k in range(n)],
        "p": [-9.0 if k == 4 else None if k == 7 else round(0.05 + 0.07 * ((k * 5) % 12), 2) for k in range(n)],
        "age": [999.0 if k in (2, 3) else 40.0 + k for k in range(n)],
        "ward": ["XX" if k == 5 else "AB"[k % 2] for k in range(n)],
        "day": [dt.date(2025, 4, 3) + dt.timedelta(days=k) for k in range(n)],
        "seen": [dt.datetime(2025, 4, 3, 8, 30) + dt.timedelta(hours=k) for k in range(n)],
    }
)
labels = {"outcome": {0.0: "no", 1.0: "yes"}, "sex": {1.0: "female", 2.0: "male"}, "p": {-9.0: "not measured"}}
spss = {
    "variable_value_labels": labels,
    "missing_ranges": {"p": [-9.0], "age": [{"lo": 900.0, "hi": 999.0}], "ward": ["XX"]},
    "column_labels": {"p": "Predicted risk"},
}
rs.write_sav(frame, "pyreadstat-1.3.7.sav", **spss)
rs.write_sav(frame, "pyreadstat-1.3.7.zsav", compress=True, **spss)

labels = {name: {int(code): text for code, text in known.items()} for name, known in labels.items() if name != "p"}
stata = frame.astype({"outcome": "int32", "sex": "int32"})
stata["p"] = stata["p"].where(stata["p"] != -9.0)
stata["age"] = [".a" if k in (2, 3) else 40 + k for k in range(n)]
stata["age"] = stata["age"].map(lambda value: "a" if value == ".a" else value)
rs.write_dta(stata, "pyreadstat-1.3.7.dta", variable_value_labels=labels, missing_user_values={"age": ["a"]})

plain = frame.drop(columns=["age"]).assign(p=stata["p"], a_name_longer_than_eight=1.0)
rs.write_xport(plain, "pyreadstat-1.3.7-version-8.xpt", file_format_version=8)
rs.write_xport(plain.drop(columns="a_name_longer_than_eight"), "pyreadstat-1.3.7-version-5.xpt", file_format_version=5)

pandas = frame.assign(
    outcome=frame["outcome"].map({0.0: "no", 1.0: "yes"}).astype("category"),
    sex=frame["sex"].map({1.0: "female", 2.0: "male"}).astype("category"),
    p=stata["p"],
).drop(columns=["age"])
pandas["day"] = pd.to_datetime(pandas["day"])
pandas.to_stata("pandas-3.1.1.dta", write_index=False, convert_dates={"day": "td", "seen": "tc"})
PY
cat > "$work/make.sps" <<'SPS'
DATA LIST LIST / id (F4) outcome (F1) sex (F1) p (F8.2) ward (A2) day (EDATE10).
BEGIN DATA.
101 1 1 0.05 A 03.04.2025
102 0 2 0.40 B 04.04.2025
103 0 1 0.75 A 05.04.2025
104 1 2 0.26 B 06.04.2025
105 0 1 -9 A 07.04.2025
106 0 2 . XX 08.04.2025
END DATA.
VALUE LABELS outcome 0 'no' 1 'yes' / sex 1 'female' 2 'male' / p -9 'not measured'.
MISSING VALUES p (-9) / ward ('XX').
SAVE OUTFILE='pspp-1.6.2.sav'.
SAVE OUTFILE='pspp-1.6.2.zsav' /ZCOMPRESSED.
SPS
pspp "$work/make.sps" -o /dev/null -O format=txt
Rscript -e 'foreign::write.dta(data.frame(id = 101:106, outcome = factor(c("yes", "no", "no", "yes", "no", "no")),
  p = c(.05, .4, .75, .26, NA, .5), day = as.Date("2025-04-03") + 0:5, flag = c(TRUE, FALSE, NA, TRUE, FALSE, TRUE)),
  "r-4.2.2-foreign-0.8.84.dta")'
