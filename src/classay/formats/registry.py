"""Registry of the formats: how each is recognized, what is read of it, and what it needs."""

from __future__ import annotations

from dataclasses import dataclass

from classay.formats.containers import is_workbook
from classay.formats.r_data import is_r_data
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


def _is_stata(head: bytes, _: str) -> bool:
    """Return the tag of version 117 on, or a version from 104 to 115, the byte order, and two constants."""
    is_old = len(head) > 4 and head[0] in range(104, 116) and head[1] in (1, 2) and head[2:4] == b"\1\0"
    return head.startswith(b"<stata_dta>") or is_old


_STATISTICS = "classay.formats.statistics"
_SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")

SPSS = DescribedFormat(
    title="an SPSS file",
    endings=(".sav", ".zsav"),
    recognizes=lambda head, _: head.startswith((b"$FL2", b"$FL3")),
    reader=_STATISTICS,
    recognized_by="the first bytes `$FL2` or `$FL3`",
    reads="values, dates, value labels as labels, user-missing values as missing",
    needs="pyreadstat",
    options=("na",),
)
STATA = DescribedFormat(
    title="a Stata file",
    endings=(".dta",),
    recognizes=_is_stata,
    reader=_STATISTICS,
    recognized_by="`<stata_dta>`, or the version and byte order of older files",
    reads="values, dates, value labels as labels, `.a` to `.z` as missing",
    needs="pyreadstat",
    options=("na",),
)
XPORT = DescribedFormat(
    title="a SAS transport file",
    endings=(".xpt",),
    recognizes=lambda head, _: head.startswith(b"HEADER RECORD*******LIB"),
    reader=_STATISTICS,
    recognized_by="`HEADER RECORD` of version 5 or 8",
    reads="values and dates; formats of a SAS catalog are not in the file",
    needs="pyreadstat",
    options=("na",),
)
SAS = DescribedFormat(
    title="a SAS data set",
    endings=(".sas7bdat",),
    recognizes=lambda head, _: head.startswith(_SAS),
    reader=_STATISTICS,
    recognized_by="the first 32 bytes of a SAS data set",
    reads="values and dates, not tried on a file of ours: no program at hand writes one, and a warning says so",
    needs="pyreadstat",
    options=("na",),
)

R = DescribedFormat(
    title="R data",
    endings=(".rds", ".rda", ".rdata"),
    recognizes=is_r_data,
    reader="classay.formats.r_data",
    recognized_by="the begin of R's serialized values, unpacked if it is compressed by gzip, bzip2 or xz",
    reads="one data frame: numbers, text, factors as labels, dates, times; nothing of R is run",
    needs="rdata",
    options=("sheet", "na"),
)
ORC = DescribedFormat(
    title="an ORC file",
    endings=(".orc",),
    recognizes=lambda head, _: head.startswith(b"ORC"),
    reader="classay.formats.orc_files",
    recognized_by="the first bytes `ORC`",
    reads="the columns asked for, in their own types",
    needs="pyarrow",
    options=(),
)
AVRO = DescribedFormat(
    title="an Avro file",
    endings=(".avro",),
    recognizes=lambda head, _: head.startswith(b"Obj\x01"),
    reader="classay.formats.avro_files",
    recognized_by="the first bytes `Obj` and 1",
    reads="records: numbers, text, enums as labels, dates, times, decimals",
    needs="fastavro",
    options=("na",),
)
SQLITE = DescribedFormat(
    title="a SQLite file",
    endings=(".sqlite", ".sqlite3"),
    recognizes=lambda head, _: head.startswith(b"SQLite format 3\0"),
    reader="classay.formats.sqlite_files",
    recognized_by="the first bytes `SQLite format 3`",
    reads="one table or view, opened for reading only and without extensions; dates as ISO text",
    needs="sqlite3",
    options=("sheet", "na"),
)
