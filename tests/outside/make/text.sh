#!/usr/bin/env bash
# Writes the text files of tests/outside/data/ as European programs do; run by hand.
# R 4.2.2 and LibreOffice 7.4.7 are Debian's: apt-get install r-base-core libreoffice-calc-nogui
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pandas==3.1.1
Rscript - <<'R'
k <- 0:11
rows <- data.frame(
  id = 101 + k, outcome = ifelse(k %% 3 == 0, "yes", "no"), p = round(.05 + .07 * ((k * 5) %% 12), 2),
  day = as.Date("2025-04-03") + k, flag = k %% 4 == 0, cost = 1234.5 + k
)
rows$p[8] <- NA
write.csv2(rows, "r-4.2.2-write.csv2.csv", row.names = FALSE)
write.csv(rows, "r-4.2.2-write.csv.csv")
write.table(rows, "r-4.2.2-write.table.txt")
write.table(rows, "r-4.2.2-write.table-tab.tsv", sep = "\t", quote = FALSE)
R
"$work/venv/bin/python" - <<'PY'
import pandas as pd

frame = pd.read_csv("r-4.2.2-write.csv.csv", index_col=0, parse_dates=["day"])
frame["outcome"] = frame["outcome"].where(frame.index != 3, "unknown")
frame.to_csv(
    "pandas-3.1.1-european.csv", sep=";", decimal=",", index=False, date_format="%d.%m.%Y", na_rep="k.A."
)
PY
# 59 ; 34 " 76 UTF-8, from line 1, German, cells as they are shown
soffice --headless -env:UserInstallation="file://$work/office" \
    --convert-to 'csv:Text - txt - csv (StarCalc):59,34,76,1,,1031,false,true' --outdir "$work" xlsxwriter-3.3.1.xlsx >/dev/null
cp "$work/xlsxwriter-3.3.1.csv" libreoffice-7.4.7-german.csv
# The lines above a table that reports of hospital systems have
{ printf 'Sepsis cohort, ward 3\r\nexported 03.05.2025\r\n\r\n'; cat libreoffice-7.4.7-german.csv; } > libreoffice-7.4.7-german-titled.csv
