"""Registry of the formats: how each is recognized, what is read of it, and what it needs."""

from __future__ import annotations

from dataclasses import dataclass

from classay.formats.containers import is_workbook
from classay.sources.other_formats import OtherFormat


@dataclass(frozen=True)
class DescribedFormat(OtherFormat):
    """A format with what its page of the reference says."""

    recognized_by: str
    reads: str
    needs: str
    options: tuple[str, ...]
    """The fields of a `Layout` that have an effect on it."""


EXCEL = DescribedFormat(
    title="an Excel or OpenDocument workbook",
    endings=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    recognizes=is_workbook,
    reader="classay.formats.workbooks",
    recognized_by="a ZIP archive with `xl/` or the type of an OpenDocument spreadsheet; an OLE file with a workbook",
    reads="the saved values of one sheet: numbers, text, truth values, dates; no formulas, macros or links",
    needs="python-calamine",
    options=("sheet", "range", "na"),
)
