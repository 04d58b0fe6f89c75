#!/usr/bin/env bash
# Writes the sheets of a sepsis cohort as people fill them in: texts for numbers, titles above, footnotes below.
# Run by hand. R 4.2.2 and LibreOffice 7.4.7 are Debian's: apt-get install r-base-core libreoffice-calc-nogui
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q openpyxl==3.1.5 XlsxWriter==3.3.1 pandas==3.1.1 pyreadstat==1.3.7
WORK=$work "$work/venv/bin/python" - <<'PY'
import datetime as dt
import os
import sqlite3

import openpyxl
import pandas as pd
import pyreadstat
import xlsxwriter

HEAD = ["patient", "sepsis", "risk", "share", "cost", "admission", "crp"]


def german(number, places):
    return f"{number:,.{places}f}".translate(str.maketrans(",.", ".,"))


ROWS = [
    [
        f"P{101 + k}",
        "k.A." if k == 5 else "yes" if k % 3 == 0 else "no",
        german(0.5 + 0.7 * ((k * 5) % 12), 1),
        german(5.2 + 7 * ((k * 5) % 12), 1) + " %",
        german(734.5 + 250 * k, 2),
        f"{(dt.date(2025, 3, 12) + dt.timedelta(days=k)):%d.%m.%Y}",
        "<0,1" if k % 4 == 0 else german(0.4 * k, 1),
    ]
    for k in range(12)
]
NUMBERS = [[row[0], row[1], round(0.05 + 0.07 * ((k * 5) % 12), 2), 12.5 + 3 * k] for k, row in enumerate(ROWS)]


def book(name, rows, merged=()):
    made = openpyxl.Workbook()
    made.active.title = "cohort"
    for row in rows:
        made.active.append(row)
    for cells in merged:
        made.active.merge_cells(cells)
    made.save(name)


book("openpyxl-3.1.5-texts.xlsx", [HEAD, *ROWS])
# text where someone typed it, and numbers where a program did
mixed = [[*row[:2], float(row[2].replace(",", ".")) if k % 3 else row[2]] for k, row in enumerate(ROWS)]
book("openpyxl-3.1.5-mixed-cells.xlsx", [HEAD[:3], *mixed])
shares = [[*row[:2], row[2] if k % 3 else f"{100 * row[2]:.0f} %"] for k, row in enumerate(NUMBERS)]
book("openpyxl-3.1.5-mixed-shares.xlsx", [HEAD[:3], *shares])
with xlsxwriter.Workbook("xlsxwriter-3.3.1-titled.xlsx") as made:
    sheet = made.add_worksheet("cohort")
    sheet.merge_range("A1:D1", "Sepsis cohort 2025", made.add_format({"bold": True, "align": "center"}))
    sheet.write("A2", "Export of the ward, 40 beds")
    sheet.write_row(2, 0, ["patient", "sepsis", "risk", "crp"])
    for k, row in enumerate(NUMBERS, 3):
        sheet.write_row(k, 0, row)
    sheet.write(3 + len(NUMBERS), 0, "* crp in mg/l")
with xlsxwriter.Workbook("xlsxwriter-3.3.1-table.xlsx") as made:  # a table with its title and note apart
    sheet = made.add_worksheet("cohort")
    sheet.merge_range("A1:H1", "Sepsis cohort 2025")
    sheet.add_table(2, 0, 2 + len(NUMBERS), 3, {
        "data": NUMBERS, "columns": [{"header": name} for name in ("patient", "sepsis", "risk", "crp")]
    })
    sheet.write(4 + len(NUMBERS), 0, "Source: ward 3")
frame = pd.DataFrame(ROWS, columns=HEAD)
pyreadstat.write_sav(frame, "pyreadstat-1.3.7-texts.sav")
if os.path.exists("pandas-3.1.1-texts.sqlite"):
    os.remove("pandas-3.1.1-texts.sqlite")
with sqlite3.connect("pandas-3.1.1-texts.sqlite") as connection:
    frame.to_sql("cohort", connection, index=False)
connection.close()
words = frame.assign(sepsis=frame.sepsis.replace({"yes": "schwer", "no": "mäßig"}))
words.to_csv("pandas-3.1.1-cp1252.csv", sep=";", index=False, encoding="cp1252")
words.to_csv("pandas-3.1.1-utf-16.csv.gz", sep=";", index=False, encoding="utf-16",
             compression={"method": "gzip", "mtime": 0})
frame.to_csv(f"{os.environ['WORK']}/typed.csv", sep=";", index=False)
PY
mkdir "$work/out"
saved() { # FILE KIND NAME [OPTION]: what LibreOffice saves of a file
    soffice --headless -env:UserInstallation="file://$work/office" ${4:+"$4"} --convert-to "$2" --outdir "$work/out" "$1" \
        >/dev/null
    mv "$work/out/$(basename "${1%.*}").$2" "libreoffice-7.4.7-$3.$2"
}
for kind in ods xls; do
    saved openpyxl-3.1.5-texts.xlsx "$kind" texts
    saved xlsxwriter-3.3.1-titled.xlsx "$kind" titled
done
# a text opened in LibreOffice (semicolons, quotes, UTF-8) and saved as a workbook
saved "$work/typed.csv" xlsx opened "--infilter=CSV:59,34,76,1"
Rscript -e 'd <- data.frame(y = c("schwer", "mäßig", "schwer", "mäßig"), p = c(0.9, 0.1, 0.4, 0.2)); write.csv2(d, "r-4.2.2-latin1.csv", row.names = FALSE, fileEncoding = "latin1"); saveRDS(data.frame(y = c("ja", "nein", "ja", "nein"), p = c("0,9", "0,1", "0,4", "0,2"), stringsAsFactors = FALSE), "r-4.2.2-texts.rds")'
