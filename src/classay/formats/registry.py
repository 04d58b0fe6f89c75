"""Registry of the formats: how each is recognized, what is read of it, and what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from classay.formats import fasttext, libsvm, refused, scikit_learn, vowpal_wabbit, weka
from classay.formats.containers import is_workbook
from classay.formats.json_files import ENDINGS, is_json
from classay.formats.layout import OF_CELLS
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
    options=("sheet", "range", "header_line", *OF_CELLS),
)


JSON = DescribedFormat(
    title="a JSON file",
    endings=ENDINGS,
    recognizes=is_json,
    reader="classay.formats.json_files",
    recognized_by="a list or an object at its begin",
    reads="a list of objects, or one in an object; lists by columns; the forms of pandas and MLflow; JSON lines",
    needs="",
    options=OF_CELLS,
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
    options=OF_CELLS,
)
STATA = DescribedFormat(
    title="a Stata file",
    endings=(".dta",),
    recognizes=_is_stata,
    reader=_STATISTICS,
    recognized_by="`<stata_dta>`, or the version and byte order of older files",
    reads="values, dates, value labels as labels, `.a` to `.z` as missing",
    needs="pyreadstat",
    options=OF_CELLS,
)
XPORT = DescribedFormat(
    title="a SAS transport file",
    endings=(".xpt",),
    recognizes=lambda head, _: head.startswith(b"HEADER RECORD*******LIB"),
    reader=_STATISTICS,
    recognized_by="`HEADER RECORD` of version 5 or 8",
    reads="values and dates; formats of a SAS catalog are not in the file",
    needs="pyreadstat",
    options=OF_CELLS,
)
SAS = DescribedFormat(
    title="a SAS data set",
    endings=(".sas7bdat",),
    recognizes=lambda head, _: head.startswith(_SAS),
    reader=_STATISTICS,
    recognized_by="the first 32 bytes of a SAS data set",
    reads="values and dates, not tried on a file of ours: no program at hand writes one, and a warning says so",
    needs="pyreadstat",
    options=OF_CELLS,
)

Recognizer = Callable[[bytes, str], bool]


def _of_content(title: str, module: str, recognizes: Recognizer, by: str, reads: str) -> DescribedFormat:
    """Return a format that no ending tells, and that needs nothing else."""
    return DescribedFormat(
        title=title,
        endings=(),
        recognizes=recognizes,
        reader=f"classay.formats.{module}",
        recognized_by=by,
        reads=reads,
        needs="",
        options=(),
    )


PICKLE = _of_content(
    "a pickle",
    "refused",
    refused.is_pickle,
    "the number of a protocol from 2 to 5, `data.pkl` first in a ZIP archive, or objects in an array of NumPy",
    "nothing: loading it may run code, so that it is refused",
)
ARRAYS = _of_content(
    "a file of arrays",
    "refused",
    refused.is_array,
    "the first bytes of NumPy (`.npy`, `.npz`) or HDF5",
    "nothing: it is refused. In Python, `ca.assess` and `ca.scan` take its arrays",
)
WEKA = _of_content(
    "predictions of Weka",
    "weka",
    weka.is_weka,
    "`inst#,actual,predicted,error`, below blank lines and a title",
    "`actual` and `predicted` without the numbers of classes, `probability.LABEL` of every class, attributes",
)
LIBSVM = _of_content(
    "predictions of LIBSVM or LIBLINEAR",
    "libsvm",
    libsvm.is_predictions,
    "a first line such as `labels 1 -1`, which names the scores",
    "`predicted`, `probability.LABEL` of every class",
)
LIBSVM_DATA = _of_content(
    "data of LIBSVM",
    "libsvm",
    libsvm.is_data,
    "a number and pairs `1:0.5` on every line",
    "`label`; features are not read",
)
FASTTEXT = _of_content(
    "predictions of fastText",
    "fasttext",
    fasttext.is_predictions,
    "`__label__` at the begin of labels, and nothing else but numbers",
    "`predicted`, `probability.LABEL` of every label",
)
FASTTEXT_DATA = _of_content(
    "data of fastText",
    "fasttext",
    fasttext.is_data,
    "`__label__` and words",
    "`label`; words are not read",
)
VW = _of_content(
    "class probabilities of Vowpal Wabbit",
    "vowpal_wabbit",
    vowpal_wabbit.is_scores,
    "the same classes with colons and numbers on every line, such as `1:0.2 2:0.8`",
    "`probability.LABEL` of every class, `tag`",
)
NUMBERS = _of_content(
    "a list of numbers without a header",
    "vowpal_wabbit",
    vowpal_wabbit.is_values,
    "a number, and perhaps a tag, on every line of a file without a known ending",
    "`value`, `tag`: predictions of Vowpal Wabbit, or labels of LIBSVM",
)
VW_DATA = _of_content(
    "data of Vowpal Wabbit",
    "vowpal_wabbit",
    vowpal_wabbit.is_data,
    "a label, `|` and features on every line of a file without a known ending",
    "`label`, `tag`; features are not read",
)
JSON_MATRIX = _of_content(
    "a confusion matrix as JSON",
    "scikit_learn",
    scikit_learn.is_matrix,
    "lists of whole numbers, such as `[[9, 2], [0, 7]]`",
    "counts, for `--matrix` with `--labels`",
)
REPORT = replace(
    _of_content(
        "a classification report of scikit-learn",
        "scikit_learn",
        scikit_learn.is_report,
        "a first class with `precision`",
        "the counts of two classes, for `--matrix`",
    ),
    matrix_rows="true",
)
JOINED = OtherFormat("two files", (), lambda _, __: False, "classay.formats.joined")
"""What `--columns-from` makes of two files; no file is of this format."""
R = DescribedFormat(
    title="R data",
    endings=(".rds", ".rda", ".rdata"),
    recognizes=is_r_data,
    reader="classay.formats.r_data",
    recognized_by="the begin of R's serialized values, unpacked if it is compressed by gzip, bzip2 or xz",
    reads="one data frame: numbers, text, factors as labels, dates, times; nothing of R is run",
    needs="rdata",
    options=("sheet", *OF_CELLS),
)
ORC = DescribedFormat(
    title="an ORC file",
    endings=(".orc",),
    recognizes=lambda head, _: head.startswith(b"ORC"),
    reader="classay.formats.orc_files",
    recognized_by="the first bytes `ORC`",
    reads="the columns asked for, in their own types",
    needs="pyarrow",
    options=OF_CELLS,
)
AVRO = DescribedFormat(
    title="an Avro file",
    endings=(".avro",),
    recognizes=lambda head, _: head.startswith(b"Obj\x01"),
    reader="classay.formats.avro_files",
    recognized_by="the first bytes `Obj` and 1",
    reads="records: numbers, text, enums as labels, dates, times, decimals",
    needs="fastavro",
    options=OF_CELLS,
)
SQLITE = DescribedFormat(
    title="a SQLite file",
    endings=(".sqlite", ".sqlite3"),
    recognizes=lambda head, _: head.startswith(b"SQLite format 3\0"),
    reader="classay.formats.sqlite_files",
    recognized_by="the first bytes `SQLite format 3`",
    reads="one table or view, opened for reading only and without extensions; dates as ISO text",
    needs="sqlite3",
    options=("sheet", *OF_CELLS),
)
