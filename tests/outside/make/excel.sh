#!/usr/bin/env bash
# Writes the workbooks of tests/outside/data/ with the programs that people use; run by hand.
# LibreOffice 7.4.7 is Debian's: apt-get install --no-install-recommends libreoffice-calc-nogui
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q openpyxl==3.1.5 XlsxWriter==3.3.1 xlwt==1.3.0 pandas==3.1.1 odfpy==1.4.1 \
    pyxlsbwriter==0.1.0 msoffcrypto-tool==6.1.0
"$work/venv/bin/python" - <<'PY'
import datetime as dt

HEAD = ["id", "outcome", "p", "day", "seen", "sex", "flag"]
ROWS = [
    [
        101 + k,
        "yes" if k % 3 == 0 else "no",
        None if k == 7 else round(0.05 + 0.07 * ((k * 5) % 12), 2),
        dt.date(2025, 4, 3) + dt.timedelta(days=k),
        dt.datetime(2025, 4, 3, 8, 30) + dt.timedelta(hours=k),
        1 + k % 2,
        k % 4 == 0,
    ]
    for k in range(12)
]

import openpyxl
from openpyxl.utils.datetime import CALENDAR_MAC_1904


def book(*sheets, epoch=None):
    made = openpyxl.Workbook()
    made.remove(made.active)
    if epoch is not None:
        made.epoch = epoch
    for name, rows in sheets:
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return made


book(("cohort", [HEAD, *ROWS])).save("openpyxl-3.1.5.xlsx")
book(("cohort", [HEAD, *ROWS]), epoch=CALENDAR_MAC_1904).save("openpyxl-3.1.5-1904.xlsx")
book(("cohort", [HEAD, *ROWS]), ("readme", [["made in April"]])).save("openpyxl-3.1.5-two-sheets.xlsx")
book(("cohort", [HEAD[:3], *(row[:3] for row in ROWS), [], ["sex", "n"], [1, 6], [2, 6]])).save(
    "openpyxl-3.1.5-two-tables.xlsx"
)
merged = book(("cohort", [["id", "result", None], [None, "outcome", "p"], *(row[:3] for row in ROWS)]))
merged["cohort"].merge_cells("B1:C1")
merged.save("openpyxl-3.1.5-merged.xlsx")
formulas = book(("cohort", [HEAD[:3], *([*row[:2], f"=0.05+0.07*{k % 12}"] for k, row in enumerate(ROWS))]))
formulas.save("openpyxl-3.1.5-formulas.xlsx")
hidden = book(("cohort", [HEAD, *ROWS]), ("codes", [["1", "female"]]))
hidden["codes"].sheet_state = "hidden"
hidden["cohort"].row_dimensions[3].hidden = True
hidden.save("openpyxl-3.1.5-hidden.xlsx")

import xlsxwriter

with xlsxwriter.Workbook("xlsxwriter-3.3.1.xlsx") as made:
    sheet, day, time = made.add_worksheet("cohort"), made.add_format({"num_format": "dd.mm.yyyy"}), made.add_format(
        {"num_format": "dd.mm.yyyy hh:mm"}
    )
    percent = made.add_format({"num_format": "0.0%"})
    sheet.write_row(0, 0, HEAD)
    for k, row in enumerate(ROWS, 1):
        sheet.write_row(k, 0, row[:2])
        sheet.write(k, 2, row[2], percent)
        sheet.write_datetime(k, 3, dt.datetime.combine(row[3], dt.time()), day)
        sheet.write_datetime(k, 4, row[4], time)
        sheet.write_row(k, 5, row[5:])
with xlsxwriter.Workbook("xlsxwriter-3.3.1-formulas.xlsx") as made:
    sheet = made.add_worksheet("cohort")
    sheet.write_row(0, 0, HEAD[:3])
    for k, row in enumerate(ROWS, 1):
        sheet.write_row(k, 0, row[:2])
        sheet.write_formula(k, 2, f"=0.05+0.07*{k}")

import xlwt

made = xlwt.Workbook()
sheet, day, time = made.add_sheet("cohort"), xlwt.easyxf(num_format_str="YYYY-MM-DD"), xlwt.easyxf(
    num_format_str="YYYY-MM-DD HH:MM"
)
for c, name in enumerate(HEAD):
    sheet.write(0, c, name)
for r, row in enumerate(ROWS, 1):
    for c, value in enumerate(row):
        if value is not None:
            style = (day if c == 3 else time if c == 4 else None)
            sheet.write(r, c, value, style) if style else sheet.write(r, c, value)
made.save("xlwt-1.3.0.xls")

import pandas as pd

frame = pd.DataFrame(ROWS, columns=HEAD)
frame.to_excel("pandas-3.1.1-odfpy-1.4.1.ods", sheet_name="cohort", index=False)
frame.to_excel("pandas-3.1.1-index.xlsx", sheet_name="cohort")

from pyxlsbwriter import XlsbWriter

with XlsbWriter("pyxlsbwriter-0.1.0.xlsb") as made:
    made.add_sheet("cohort")
    made.write_sheet([HEAD, *ROWS])

from io import BytesIO
from msoffcrypto.format.ooxml import OOXMLFile

with open("openpyxl-3.1.5.xlsx", "rb") as plain, open("msoffcrypto-6.1.0-encrypted.xlsx", "wb") as locked:
    OOXMLFile(plain).encrypt("secret", locked)
PY
convert() { # file filter-ending new-name
    soffice --headless -env:UserInstallation="file://$work/office" --convert-to "$2" --outdir "$work/out" "$1" >/dev/null
    mv "$work/out/$(basename "${1%.*}").$2" "$3"
}
for ending in xlsx xls ods xlsm; do convert openpyxl-3.1.5.xlsx "$ending" "libreoffice-7.4.7.$ending"; done
convert openpyxl-3.1.5-1904.xlsx ods libreoffice-7.4.7-1904.ods
convert openpyxl-3.1.5-formulas.xlsx xlsx libreoffice-7.4.7-formulas.xlsx
