"""Files of R, SPSS, Stata, Avro and workbooks written here, each rule at its boundary: values, warnings, refusals."""

import datetime as dt
import zipfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.formats import avro_files, statistics, workbooks
from classay.formats.containers import SheetFacts
from classay.formats.layout import Layout
from classay.sources.files import column_names, read_table
from classay.sources.inputs import find_input
from formats.in_sweeps import write_book
from formats.test_text_layouts import told


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """Files are named without their folder."""
    monkeypatch.chdir(tmp_path)


# --- R

FRAME = pd.DataFrame(
    {
        "y": [1.0, 0.0, 1.0],
        "p": [0.5, np.nan, 0.25],
        "name": pd.array(["a", "b", None], "string[python]"),
        "group": pd.Categorical(["u", "v", "u"], categories=["v", "u"]),
        "flag": [True, False, True],
    }
)


def written_by_r(value, name="f.rds"):
    rdata = pytest.importorskip("rdata", reason="SKIPPED LOUDLY: [files], rdata")
    (rdata.write_rds if name.endswith("rds") else rdata.write_rda)(name, value)
    return Path(name)


def test_frames_of_r():
    table, texts = told(written_by_r(FRAME))
    assert table.drop(["row.names"] if "row.names" in table.column_names else []).to_pydict() == {
        "y": [1.0, 0.0, 1.0],
        "p": [0.5, None, 0.25],
        "name": ["a", "b", None],
        "group": ["u", "v", "u"],
        "flag": [True, False, True],
    }
    assert texts == []
    assert table["group"].chunk(0).dictionary.to_pylist() == ["v", "u"]
    found = told(Path("f.rds"), "p", "group", layout=Layout(na="0.25,v"))[0]
    assert found.to_pydict() == {"p": [0.5, None, None], "group": ["u", None, "u"]}
    with pytest.raises(ca.ClassayError, match=r"f.rds"):
        told(written_by_r(FRAME.iloc[:0]))
    two = {"first": FRAME[["y"]], "second": FRAME[["p"]]}
    with pytest.raises(
        ca.ClassayError, match=r"f.rda has 2 data frames: first and second. Use sheet= to name one"
    ):
        told(written_by_r(two, "f.rda"))
    assert told(Path("f.rda"), "p", layout=Layout(sheet="second"))[0]["p"].to_pylist() == [0.5, None, 0.25]
    with pytest.raises(
        ca.ClassayError, match=r"f.rda has no data frame 'frist'. Data frames: first and second. Did you mean"
    ):
        told(Path("f.rda"), layout=Layout(sheet="frist"))
    with pytest.raises(ca.ClassayError, match=r"f.rds has no data frame, but a vector. Save a data frame"):
        told(written_by_r(np.array([1.0, 2.0])))
    Path("cut.rds").write_bytes(Path("f.rda").read_bytes()[:-40])
    with pytest.raises(ca.ClassayError, match=r"cut.rds cannot be read as R data, because it is damaged"):
        told(Path("cut.rds"))


# --- SPSS, Stata and SAS

VALUES = pd.DataFrame({"y": [1.0, 2.0, 1.0, 9.0], "p": [0.5, 0.25, 99.0, -9.0], "t": ["a", "b", "a", "n"]})


def saved(name="f.sav", frame=VALUES, **about):
    pyreadstat = pytest.importorskip("pyreadstat", reason="SKIPPED LOUDLY: [files], pyreadstat")
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[
        name[-3:]
    ]
    write(frame, name, **about)
    return Path(name)


LABELS = {"y": {1.0: "yes", 2.0: "no", 9.0: "none"}}
SAVED = [
    # what is declared, columns that are asked for, labels, column y, column p, parts of what is said
    ({}, None, (), [1, 2, 1, 9], [0.5, 0.25, 99.0, -9.0], []),
    (
        {"variable_value_labels": LABELS},
        None,
        (),
        ["yes", "no", "yes", "none"],
        [0.5, 0.25, 99.0, -9.0],
        ["Value labels of y in f.sav are used as labels: 1 = yes, 2 = no and 9 = none."],
    ),
    ({"variable_value_labels": LABELS}, ["y", "p"], ["p"], [1, 2, 1, 9], [0.5, 0.25, 99.0, -9.0], []),
    (
        {"variable_value_labels": LABELS},
        ["y", "p"],
        ["y"],
        ["yes", "no", "yes", "none"],
        [0.5, 0.25, 99.0, -9.0],
        ["Value labels of y in f.sav are used as labels"],
    ),
    (
        {"variable_value_labels": {"y": {1.0: "yes"}}},
        None,
        (),
        [1, 2, 1, 9],
        [0.5, 0.25, 99.0, -9.0],
        ["y in f.sav has value labels for 1 of 3 values. Its values are used without labels."],
    ),
    ({"variable_value_labels": {"y": {7.0: "yes"}}}, None, (), [1, 2, 1, 9], [0.5, 0.25, 99.0, -9.0], []),
    (
        {"missing_ranges": {"p": [99.0]}},
        None,
        (),
        [1, 2, 1, 9],
        [0.5, 0.25, None, -9.0],
        ["User-missing values of p in f.sav are read as missing: 99: 1."],
    ),
    (
        {"missing_ranges": {"p": [{"lo": -9.0, "hi": 0.25}]}},
        None,
        (),
        [1, 2, 1, 9],
        [0.5, None, 99.0, None],
        ["User-missing values of p in f.sav are read as missing: 0.25: 1 and -9: 1."],
    ),
    (
        {"missing_ranges": {"p": [{"lo": -8.0, "hi": 0.2}]}},
        None,
        (),
        [1, 2, 1, 9],
        [0.5, 0.25, 99.0, -9.0],
        [],
    ),
    (
        {"missing_ranges": {"y": [9.0]}, "variable_value_labels": LABELS},
        None,
        (),
        ["yes", "no", "yes", None],
        [0.5, 0.25, 99.0, -9.0],
        [
            "User-missing values of y in f.sav are read as missing: 9 (none): 1.",
            "Value labels of y in f.sav are used as labels: 1 = yes and 2 = no.",
        ],
    ),
]


@pytest.mark.parametrize("at", range(len(SAVED)))
def test_values_of_spss(at):
    about, columns, labels, y, p, said = SAVED[at]
    path = saved(**about)
    table, texts = told(path, *(columns or ()), labels=labels)
    assert (table["y"].to_pylist(), table["p"].to_pylist()) == (y, p)
    assert len(texts) == len(said)
    for text, part in zip(texts, said, strict=True):
        assert part in text
    kinds = dict(column_names(path))
    assert ("string" in kinds["y"]) == (
        "variable_value_labels" in about and about["variable_value_labels"] is LABELS
    )
    assert kinds["t"] == "string"


@pytest.mark.parametrize("name", ["f.sav", "f.dta", "f.xpt"])
def test_values_of_statistics_programs(name):
    path = saved(name)
    assert read_table(path).to_pydict() == {
        "y": [1, 2, 1, 9],
        "p": [0.5, 0.25, 99.0, -9.0],
        "t": ["a", "b", "a", "n"],
    }
    assert told(path, "p", layout=Layout(na="99,-9"))[0]["p"].to_pylist() == [0.5, 0.25, None, None]
    source = find_input(path, None, None)
    for n_rows in (2, 4, 5):
        table, n_all = statistics.first_rows(source, n_rows)
        assert table.num_rows == min(n_rows, 4)
        assert n_all in ((4,) if n_rows > 4 or name != "f.xpt" else (4, None))
    with pytest.raises(ca.ClassayError, match=rf"{name} has no column 'q'"):
        told(path, "q")
    with pytest.raises(ca.ClassayError, match=f"{name}"):
        told(saved(name, VALUES.iloc[:0]))
    path = saved(name)
    path.write_bytes(path.read_bytes()[: 300 if name == "f.dta" else 200])
    with pytest.raises(
        ca.ClassayError, match=f"{name} cannot be read as .*, because it is damaged or encrypted|{name}"
    ):
        told(path)


# --- Avro

KINDS = {
    "y": "int",
    "p": ["null", "double"],
    "t": "string",
    "l": {"type": "array", "items": "int"},
    "b": "bytes",
}
ROWS = [
    {"y": k % 2, "p": None if k == 1 else k / 4, "t": "ab"[k % 2], "l": [k] * (k % 3), "b": bytes([k])}
    for k in range(5)
]


def written_by_avro(rows=ROWS, kinds=None, codec="null", **more):
    fastavro = pytest.importorskip("fastavro", reason="SKIPPED LOUDLY: [files], fastavro")
    fields = [{"name": name, "type": kind} for name, kind in (kinds or KINDS).items()]
    with open("f.avro", "wb") as file:
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, rows, codec=codec, **more)
    return Path("f.avro")


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_rows_of_avro(codec):
    path = written_by_avro(codec=codec, sync_interval=1)
    expected = {name: [row[name] for row in ROWS] for name in KINDS}
    table = read_table(path)
    assert table.to_pydict() == expected
    assert read_table(path, ["p", "y"]).to_pydict() == {name: expected[name] for name in ("p", "y")}
    assert [name for name, _ in column_names(path)] == [*KINDS]
    assert dict(column_names(path))["b"] == "binary"
    source = find_input(path, None, None)
    for n_rows in (0, 3, 5, 9):
        first, n_all = avro_files.first_rows(source, n_rows)
        assert (first.to_pylist(), n_all) == (ROWS[:n_rows], 5)
    parts = [*avro_files.batches(source, ["y", "t"])]
    assert [row for part in parts for row in part.to_pylist()] == [
        {"y": row["y"], "t": row["t"]} for row in ROWS
    ]
    missing = told(path, "t", "y", layout=Layout(na="a,1"))[0]
    assert missing.to_pydict() == {"t": [None, "b", None, "b", None], "y": [0, None, 0, None, 0]}


def test_avro_files_that_are_refused():
    with pytest.raises(ca.ClassayError, match=r"f.avro"):
        told(written_by_avro([]))
    path = written_by_avro(codec="deflate")
    whole = path.read_bytes()
    for cut in (10, len(whole) - 20, len(whole) - 3):
        path.write_bytes(whole[:cut])
        with pytest.raises(
            ca.ClassayError, match=r"f.avro cannot be read as avro, because it is damaged. Write it again"
        ):
            told(path)
    with pytest.raises(ca.ClassayError, match=r"f.avro has no column 'q'"):
        told(written_by_avro(), "q")
    fastavro = pytest.importorskip("fastavro", reason="SKIPPED LOUDLY: [files], fastavro")
    with open("f.avro", "wb") as file:
        fastavro.writer(file, "int", [1, 2])
    with pytest.raises(
        ca.ClassayError, match=r"f.avro has values that are not records. Write one record for each row"
    ):
        told(Path("f.avro"))
    with pytest.raises(ca.ClassayError, match=r"f.avro"):
        told(written_by_avro([{"n": None}] * 500, {"n": "null"}))


@pytest.mark.parametrize("number", [0, -1, 1, 63, -64, 64, 300, 2**40, -(2**62)])
def test_numbers_of_avro(number):
    """Zigzag, seven bits a byte, the lowest first."""
    import io

    value, data = (number << 1) ^ (number >> 63), b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    stream = io.BytesIO(data + bytes([value]) + b"more")
    assert avro_files._number(stream) == number
    assert stream.read() == b"more"
    for torn in (b"", b"\x80", b"\x80" * 11 + b"\x01"):
        with pytest.raises(ValueError, match="a number that does not end"):
            avro_files._number(io.BytesIO(torn))


# --- workbooks: what the XML of a sheet says beside its values

SHEET = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>y</t></is></c><c r="B1" t="inlineStr"><is><t>p</t></is></c></row>'
    '<row r="2"{hidden}><c r="A2"><v>1</v></c><c r="B2"{error}>{formula}<v>{value}</v></c></row>'
    '<row r="3"><c r="A3"><v>0</v></c><c r="B3"><v>0.25</v></c></row>'
)


def book_of(hidden="", error="", formula="", value="0.5", calculated=True, more=""):
    """A workbook with one sheet of this XML."""
    write_book("plain.xlsx", {"a & b": [["y"]]})
    with (
        zipfile.ZipFile("plain.xlsx") as whole,
        zipfile.ZipFile("f.xlsx", "w", zipfile.ZIP_DEFLATED) as changed,
    ):
        for name in whole.namelist():
            text = whole.read(name).decode()
            if "sheet1" in name:
                begin, end = text.index("<sheetData>") + len("<sheetData>"), text.index("</sheetData>")
                rows = SHEET.format(hidden=hidden, error=error, formula=formula, value=value) + more
                text = text[:begin] + rows + text[end:]
            if name == "xl/workbook.xml" and not calculated:
                text = text.replace("<sheets>", '<calcPr fullCalcOnLoad="1"/><sheets>')
            changed.writestr(name, text)
    return Path("f.xlsx")


def facts_of(**how):
    facts = SheetFacts(str(book_of(**how)), "a & b")
    return facts.n_rows, facts.n_columns, facts.n_hidden_rows, facts.n_errors, facts.formula_columns


FACTS = [
    ({}, (3, 26, 0, 0, set())),
    ({"hidden": ' hidden="1"'}, (3, 26, 1, 0, set())),
    ({"hidden": ' hidden="true"'}, (3, 26, 1, 0, set())),
    ({"hidden": ' hidden="0"'}, (3, 26, 0, 0, set())),
    ({"error": ' t="e"', "value": "#N/A"}, (3, 26, 0, 1, set())),
    ({"formula": "<f>1+1</f>"}, (3, 26, 0, 0, set())),
    ({"formula": "<f>1+1</f>", "calculated": False}, (3, 26, 0, 0, {"B"})),
    ({"calculated": False}, (3, 26, 0, 0, set())),
    ({"more": '<row r="9"><c r="AB9"><v>1</v></c></row>'}, (9, 28, 0, 0, set())),
    ({"more": '<row r="9"><c r="AAA9"><v>1</v></c></row>'}, (9, 703, 0, 0, set())),
]


@pytest.mark.parametrize("at", range(len(FACTS)))
def test_facts_of_a_sheet(at):
    how, expected = FACTS[at]
    assert facts_of(**how) == expected


def test_facts_of_large_sheets_are_counted_across_chunks():
    rows = "".join(
        f'<row r="{k}" hidden="1"><c r="A{k}" t="e"><v>#N/A</v></c></row>' for k in range(4, 40_004)
    )
    assert facts_of(more=rows) == (40_003, 26, 40_000, 40_000, set())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, []),
        (
            {"hidden": ' hidden="1"'},
            ["Sheet 'a & b' of f.xlsx has 1 hidden or filtered rows, which are read too."],
        ),
        (
            {"error": ' t="e"', "value": "#N/A"},
            ["Sheet 'a & b' of f.xlsx has 1 cells with an error, such as #N/A, which are read as missing."],
        ),
        ({"formula": "<f>1+1</f>"}, []),
    ],
)
def test_surprises_of_a_sheet_are_told(how, said):
    pytest.importorskip("python_calamine", reason="SKIPPED LOUDLY: [files], python-calamine")
    table, texts = told(book_of(**how))
    assert texts == said
    assert table.to_pydict() == {"y": [1, 0], "p": [None if "error" in how else 0.5, 0.25]}


def test_formulas_that_were_never_calculated_are_refused_where_they_are_asked_for():
    pytest.importorskip("python_calamine", reason="SKIPPED LOUDLY: [files], python-calamine")
    path = book_of(formula="<f>1+1</f>", calculated=False)
    with pytest.raises(
        ca.ClassayError, match=r"Sheet 'a & b' of f.xlsx has formulas in p that were never calculated"
    ):
        told(path, "y", "p")
    assert told(path, "y")[0].to_pydict() == {"y": [1, 0]}


def test_sheets_that_reach_too_far_are_refused(monkeypatch):
    pytest.importorskip("python_calamine", reason="SKIPPED LOUDLY: [files], python-calamine")
    path = book_of()
    monkeypatch.setattr(workbooks, "MAX_CELLS", 3 * 26)
    assert told(path)[0].num_rows == 2
    monkeypatch.setattr(workbooks, "MAX_CELLS", 3 * 26 - 1)
    with pytest.raises(ca.ClassayError, match=r"Sheet 'a & b' of f.xlsx reaches to Z3, which is too large"):
        told(path)


def test_columns_of_decimals_and_dates_in_avro():
    kinds = {
        "d": {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
        "day": {"type": "int", "logicalType": "date"},
    }
    rows = [
        {"d": Decimal("1.25"), "day": dt.date(2025, 4, 3)},
        {"d": Decimal("0.50"), "day": dt.date(2025, 4, 4)},
    ]
    table = read_table(written_by_avro(rows, kinds))
    assert table.to_pylist() == rows
    assert str(table["d"].type).startswith("decimal")
