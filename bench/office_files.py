"""Seconds that a workbook of many groups takes, as a multiple of XlsxWriter alone; and those of a Word file.

python -m bench.office_files [--groups 5000] [--measures 60]
"""

from __future__ import annotations

import argparse
import time
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import openpyxl
from xlsxwriter.workbook import Workbook

import classay as ca
from classay.inference.estimate import Estimate
from classay.office.results_in_excel import as_xlsx
from classay.report.document import Column, Count, Document, EstimateCell, Label, Section, Table
from classay.report.forms import Pages

OPTIONS = {"constant_memory": True, "strings_to_urls": False, "strings_to_formulas": False}


def document(groups: int, measures: int) -> Document:
    """The document of so many groups and measures."""
    rng = np.random.default_rng(0)
    values = rng.uniform(0.2, 0.8, (measures, groups))
    columns = (Column("group", Label), Column("cases", Count), Column("value", EstimateCell))
    tables = tuple(
        Table(
            columns,
            tuple(
                (
                    Label(f"group {k}"),
                    Count(float(100 + k)),
                    EstimateCell(Estimate(x, x - 0.1, x + 0.1, 0.95, "Wilson")),
                )
                for k, x in enumerate(row.tolist())
            ),
            f"measure {j}",
        )
        for j, row in enumerate(values)
    )
    return Document("Groups", sections=(Section("By group", tables),))


def cells_of(content: bytes) -> list[tuple[str, list[tuple[object, ...]]]]:
    """The cells of a workbook, by sheet."""
    book = openpyxl.load_workbook(BytesIO(content), read_only=True)
    return [(sheet.title, [*sheet.iter_rows(values_only=True)]) for sheet in book]


def alone(sheets: list[tuple[str, list[tuple[object, ...]]]]) -> float:
    """Seconds in which XlsxWriter alone writes cells."""
    begin = time.process_time()
    with Workbook(BytesIO(), OPTIONS) as written:
        for name, rows in sheets:
            sheet = written.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(i, j, value)
                    elif value is not None:
                        sheet.write_number(i, j, value)
    return time.process_time() - begin


def main() -> None:
    """Print the ratio of the workbook, the least of three, and the seconds of the Word file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--groups", type=int, default=5000)
    parser.add_argument("--measures", type=int, default=60)
    named = parser.parse_args()
    pages = Pages.alike(lambda: made)
    made = document(named.groups, named.measures)
    cells = cells_of(as_xlsx(pages)[""])
    seconds, baselines = [], []
    for _ in range(3):
        begin = time.process_time()  # of a machine that others use too
        as_xlsx(pages)
        seconds.append(time.process_time() - begin)
        baselines.append(alone(cells))
    print(f"xlsx: {min(seconds):.1f} s, {min(seconds) / min(baselines):.2f} times XlsxWriter alone")
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.3
    a = ca.assess(y, np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=2000), 0, 1))
    with TemporaryDirectory() as folder:
        for name in ("first", "second"):
            begin, spent = time.perf_counter(), time.process_time()
            a.report(Path(folder) / "a.docx")
            passed = time.perf_counter() - begin
            print(f"docx, {name}: {passed:.2f} s, {time.process_time() - spent:.2f} s of a processor")


if __name__ == "__main__":
    main()
