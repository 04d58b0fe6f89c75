#!/usr/bin/env bash
# Writes the files of a sepsis cohort as the programs of a European clinic do; run by hand.
# R 4.2.2 and LibreOffice 7.4.7 are Debian's: apt-get install r-base-core libreoffice-calc-nogui
# The language of an export changes no number: that of a cell's format does, so the sheets are written with it.
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pandas==3.1.1
WORK=$work "$work/venv/bin/python" - <<'PY'
import datetime as dt
import os
from pathlib import Path

import pandas as pd

HEAD = ["patient", "sepsis", "risk", "admission", "crp", "cost"]
ROWS = [
    [
        f"P{101 + k}",
        "unknown" if k == 5 else "yes" if k % 3 == 0 else "no",
        round(0.055 + 0.07 * ((k * 5) % 13), 3),
        dt.date(2025, 1, 1) + dt.timedelta(days=k),
        None if k == 7 else 12.5 + 3 * k,
        1234.5 + 250 * k,
    ]
    for k in range(24)
]
NAMES = {
    "office": "office:1.0", "style": "style:1.0", "number": "datastyle:1.0", "table": "table:1.0", "text": "text:1.0",
    "fo": "xsl-fo-compatible:1.0",
}
STYLES = """
<number:percentage-style style:name="F2" {in}><number:number number:decimal-places="1" number:min-integer-digits="1"/>
<number:text>%</number:text></number:percentage-style>
<number:date-style style:name="F3" {in}><number:day number:style="long"/><number:text>.</number:text>
<number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>
<number:number-style style:name="F4" {in}><number:number number:decimal-places="1" number:min-integer-digits="1"/>
</number:number-style>
<number:number-style style:name="F5" {in}><number:number number:decimal-places="2" number:min-integer-digits="1"
number:grouping="true"/></number:number-style>
"""


def cell(place, value, style=None):
    """A cell of text, a number, a date, or nothing."""
    kind = f' table:style-name="c{place}"' if place > 1 else ""
    if value is None or value == "":
        return "<table:table-cell/>"
    if isinstance(value, dt.date):
        return f'<table:table-cell{kind} office:value-type="date" office:date-value="{value}"/>'
    if isinstance(value, float):
        type_ = "percentage" if place == 2 and style is None else "float"
        return f'<table:table-cell{kind if style is None else style} office:value-type="{type_}" office:value="{value}"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'


def write(name, language, country, lines, style=None):
    """A flat OpenDocument sheet whose cells have the formats of a language."""
    spaces = " ".join(f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{value}"' for key, value in NAMES.items())
    styles = STYLES.replace("{in}", f'number:language="{language}" number:country="{country}"')
    styles += "".join(
        f'<style:style style:name="c{k}" style:family="table-cell" style:data-style-name="F{k}"/>' for k in range(2, 6)
    )
    rows = "".join(
        f"<table:table-row>{''.join(cell(k, value, style) for k, value in enumerate(line))}</table:table-row>"
        for line in lines
    )
    Path(os.environ["WORK"], f"{name}.fods").write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>'
        f'{styles}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="cohort">{rows}'
        "</table:table></office:spreadsheet></office:body></office:document>"
    )


for name, language, country in (("sepsis", "de", "DE"), ("swiss", "de", "CH"), ("french", "fr", "FR")):
    write(name, language, country, [HEAD, *ROWS])
write("total", "de", "DE", [HEAD, *ROWS, ["Summe", "", None, None, 1058.5, None], ["n = 24", *5 * [None]]])
plain = ' table:style-name="c4"'
of_hundred = [[*row[:2], 100 * row[2], *row[3:]] for row in ROWS]
groups, units = ["Patient", "", "Model and laboratory", "", "", ""], ["", "", "%", "", "mg/l", "EUR"]
write("heads", "de", "DE", [groups, HEAD, units, *of_hundred], plain)

frame = pd.DataFrame(ROWS, columns=HEAD)
frame.to_csv("pandas-3.1.1-utf-16.txt", sep="\t", index=False, encoding="utf-16", decimal=",")
heads = frame.set_axis(
    pd.MultiIndex.from_tuples([("patient", name) if k < 2 else ("model", name) for k, name in enumerate(HEAD)]), axis=1
)
heads.to_csv("pandas-3.1.1-two-heads.csv", index=False)
heads.to_csv("pandas-3.1.1-two-heads-index.csv")
frame.groupby("sepsis")[["risk", "crp"]].agg(["mean", "count"]).to_csv("pandas-3.1.1-agg.csv")
frame.assign(ward="ward " + (frame.index % 4).astype(str)).pivot_table(
    index="ward", columns="sepsis", values="risk", aggfunc="count", margins=True
).to_csv("pandas-3.1.1-margins.csv")
PY
# field and text delimiter, character set (76 UTF-8, 65535 UTF-16), first line, ..., language, quote, cells as they are shown
export_as() {
    soffice --headless -env:UserInstallation="file://$work/office" \
        --convert-to "${3##*.}:Text - txt - csv (StarCalc):$2,1,,1031,false,true" --outdir "$work" "$work/$1.fods" >/dev/null
    mv "$work/$1.${3##*.}" "$3"
}
export_as sepsis 59,34,76 libreoffice-7.4.7-sepsis.csv
export_as sepsis 9,34,65535 libreoffice-7.4.7-unicode.txt
export_as swiss 59,34,76 libreoffice-7.4.7-swiss.csv
export_as french 59,34,76 libreoffice-7.4.7-french.csv
export_as total 59,34,76 libreoffice-7.4.7-total.csv
export_as heads 59,34,76 libreoffice-7.4.7-heads.csv
Rscript - <<'R'
k <- 0:11
ward <- c("A", "B")[1 + k %% 2]
outcome <- ifelse(k %% 3 == 0, "yes", "no")
write.csv2(addmargins(table(ward, outcome)), "r-4.2.2-addmargins.csv")
rows <- data.frame(id = 101 + k, outcome = outcome, p = round(.05 + .07 * ((k * 5) %% 12), 2))
write.csv2(rows, "r-4.2.2-utf-16.csv", row.names = FALSE, fileEncoding = "UTF-16")
write.csv2(rows, "r-4.2.2-utf-16le.csv", row.names = FALSE, fileEncoding = "UTF-16LE")
R
