"""Files of other programs: what reading a table of them takes, next to the library that parses them alone."""

import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.cases import case
from bench.timing import Figure, peer_of, versus
from classay.sources.files import read_table

N_CELLS, N_VALUES = (100_000, 10), (1_000_000, 6)
"""Rows and columns of the workbook, and of the SPSS file."""
_BOOK = """<workbook xmlns="{0}spreadsheetml/2006/main" xmlns:r="{0}officeDocument/2006/relationships">
<sheets><sheet name="rows" sheetId="1" r:id="r1"/></sheets></workbook>"""
_LINKS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="{1}" Type="{0}officeDocument/2006/relationships/{2}" Target="{3}"/></Relationships>"""
_SHEET = """<worksheet xmlns="{0}spreadsheetml/2006/main"><sheetData>{1}</sheetData></worksheet>"""
_KINDS = "http://schemas.openxmlformats.org/"


def _values() -> Iterator[list[float | str]]:
    """Yield rows with an id, a label, and random numbers."""
    n_rows, n_columns = N_CELLS
    numbers = np.random.default_rng(0).random((n_rows, n_columns - 2)).round(6).tolist()
    yield ["id", "y", *(f"p{k}" for k in range(n_columns - 2))]
    for k, row in enumerate(numbers):
        yield [k, "yes" if row[0] < 0.3 else "no", *row]


def write_workbook(path: Path) -> None:
    """Write an .xlsx file of texts and numbers."""
    rows = []
    for number, row in enumerate(_values(), 1):
        cells = "".join(
            f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
            if isinstance(value, str)
            else f'<c r="{chr(65 + place)}{number}"><v>{value}</v></c>'
            for place, value in enumerate(row)
        )
        rows.append(f'<row r="{number}">{cells}</row>')
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", _BOOK.format(_KINDS))
        archive.writestr("_rels/.rels", _LINKS.format(_KINDS, "r0", "officeDocument", "xl/workbook.xml"))
        links = _LINKS.format(_KINDS, "r1", "worksheet", "worksheets/sheet1.xml")
        archive.writestr("xl/_rels/workbook.xml.rels", links)
        archive.writestr("xl/worksheets/sheet1.xml", _SHEET.format(_KINDS, "".join(rows)))


@case
def formats() -> Iterator[Figure]:
    warnings.simplefilter("ignore")
    calamine, pyreadstat, pandas = map(peer_of, ("python_calamine", "pyreadstat", "pandas"))
    with tempfile.TemporaryDirectory() as folder:
        book, statistics = Path(folder) / "rows.xlsx", Path(folder) / "rows.sav"
        if calamine is not None:
            write_workbook(book)

            def parsed() -> object:
                return calamine.CalamineWorkbook.from_path(book).get_sheet_by_name("rows").to_python()

            work, wanted = "read an Excel sheet of 100,000 × 10 cells", "at least 0.51×"
            yield versus(work, lambda: read_table(book), "python-calamine", parsed, wanted, runs=3)
        if pyreadstat is not None and pandas is not None:
            n_rows, n_columns = N_VALUES
            values = np.random.default_rng(0).random((n_rows, n_columns))
            frame = pandas.DataFrame(values, columns=[f"p{k}" for k in range(n_columns)])
            pyreadstat.write_sav(frame, str(statistics))

            def table() -> object:
                return pyreadstat.read_sav(str(statistics))

            work, wanted = "read an SPSS file of 1,000,000 × 6 values", "at least 0.83×"
            yield versus(work, lambda: read_table(statistics), "pyreadstat", table, wanted, runs=3)
