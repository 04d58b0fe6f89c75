"""Folders and patterns of the files that people's tools write: all of one kind, and as their rows in one frame."""

import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, orc, parquet

import classay as ca
from classay.errors import FileError, InputError
from classay.in_parts import text_parts
from classay.in_parts.fragments import fragments_of
from classay.sources.files import read_table
from command import call
from formats.in_sweeps import write_book

RNG = np.random.default_rng(0)
N = 60
Y = RNG.random(N) < 0.4
ROWS = pa.table(
    {"y": np.where(Y, "yes", "no").tolist(), "p": (RNG.integers(0, 900, N) / 1000 + Y / 10).tolist()}
)
HALVES = ROWS.slice(0, 25), ROWS.slice(25)
HOW = {"truth": "y", "score": "p", "positive": "yes"}
COLUMNS = ("--truth", "y", "--score", "p", "--positive", "yes")


def write_avro(rows, path):
    fastavro = pytest.importorskip("fastavro", reason="SKIPPED LOUDLY: [files], fastavro")
    fields = [{"name": "y", "type": "string"}, {"name": "p", "type": "double"}]
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "row", "fields": fields}, rows.to_pylist())


def write_sqlite(rows, path):
    with sqlite3.connect(path) as connection:
        connection.execute("create table preds (y text, p real)")
        connection.executemany("insert into preds values (:y, :p)", rows.to_pylist())
    connection.close()


def write_statistics(rows, path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="SKIPPED LOUDLY: [files], pyreadstat")
    frame = pd.DataFrame({"y": [int(y == "yes") for y in rows["y"].to_pylist()], "p": rows["p"].to_numpy()})
    writer = getattr(pyreadstat, f"write_{path.suffix[1:]}")
    writer(frame, str(path), variable_value_labels={"y": {0: "no", 1: "yes"}})


def write_sheet(rows, path):
    pytest.importorskip("python_calamine", reason="SKIPPED LOUDLY: [files], python-calamine")
    write_book(path, {"preds": [["y", "p"], *zip(*rows.to_pydict().values(), strict=True)]})


WRITTEN = {
    "avro": write_avro,
    "orc": orc.write_table,
    "feather": feather.write_feather,
    "sav": write_statistics,
    "dta": write_statistics,
    "xlsx": write_sheet,
    "sqlite": write_sqlite,
    "json": lambda rows, path: path.write_text(json.dumps(rows.to_pylist())),
}


@pytest.mark.parametrize("ending", WRITTEN)
@pytest.mark.filterwarnings("ignore:Value labels")
def test_a_folder_of_one_kind_is_its_rows(ending, tmp_path):
    for name, rows in zip(("may", "june"), HALVES, strict=True):
        WRITTEN[ending](rows, tmp_path / f"{name}.{ending}")
    wanted = ca.scan(ROWS, **HOW)
    sources = [tmp_path / f"*.{ending}", [tmp_path / f"{name}.{ending}" for name in ("may", "june")]]
    for source in sources if ending == "json" else [tmp_path, *sources]:
        a = ca.scan(source, **HOW)
        assert (a.n, a["roc_auc"], a["log_loss"]) == (N, wanted["roc_auc"], wanted["log_loss"])
    done = call("assess", str(tmp_path / f"*.{ending}"), *COLUMNS)
    assert (done.exit_code, f"{N} cases" in done.stdout) == (0, True), done.output


def test_a_folder_of_several_kinds_is_refused(tmp_path):
    write_avro(HALVES[0], tmp_path / "may.avro")
    parquet.write_table(HALVES[1], tmp_path / "june.parquet")
    for source in (tmp_path, tmp_path / "*"):
        with pytest.raises(
            FileError, match=r"files of several kinds, such as .*june\.parquet and .*may\.avro"
        ):
            ca.scan(source, **HOW)
    assert ca.scan(tmp_path / "*.avro", **HOW).n == 25
    (tmp_path / "august.avro").write_text("y,p\n")
    done = call("assess", str(tmp_path / "*.avro"), *COLUMNS)
    assert (done.exit_code, "is not an Avro file" in done.stderr, done.stderr.count("\n")) == (2, True, 1)


def test_files_that_a_pattern_names_are_read_whatever_their_ending(tmp_path):
    for name, rows in zip(("may", "june"), HALVES, strict=True):
        lines = [
            f"{1 if y == 'yes' else -1} {p} {1 - p}" for y, p in zip(*rows.to_pydict().values(), strict=True)
        ]
        (tmp_path / f"{name}.txt").write_text("\n".join(["labels 1 -1", *lines]) + "\n")
    with pytest.warns(UserWarning, match="LIBSVM"):
        assert ca.scan(tmp_path / "*.txt", truth="predicted", score="probability.1", positive=1).n == N
    with pytest.raises(FileError, match="contains no file of rows"):
        ca.scan(tmp_path, truth="predicted", score="probability.1")
    (tmp_path / "readme.txt").write_text("Words alone,\nin two lines.\n")
    with pytest.raises(FileError, match="Move the others away"):
        ca.scan(tmp_path / "*.txt", truth="predicted", score="probability.1")


def test_the_lock_of_an_open_workbook_is_no_file_of_rows(tmp_path):
    write_sheet(ROWS, tmp_path / "may.xlsx")
    (tmp_path / "~$may.xlsx").write_bytes(b"\x05owner" + b" " * 159)
    for source in (tmp_path, tmp_path / "*.xlsx"):
        assert ca.scan(source, **HOW).n == N


def test_options_of_the_layout_hold_for_all_files(tmp_path):
    for name, rows in zip(("may", "june"), HALVES, strict=True):
        write_sqlite(rows, path := tmp_path / f"{name}.sqlite")
        with sqlite3.connect(path) as connection:
            connection.execute("create table other (a)")
        connection.close()
    with pytest.raises(InputError, match="has 2 tables"):
        ca.scan(tmp_path, **HOW)
    assert ca.scan(tmp_path, **HOW, sheet="preds").n == N


def test_files_with_and_without_names_of_labels_are_refused(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="SKIPPED LOUDLY: [files], pyreadstat")
    write_statistics(HALVES[0], tmp_path / "may.sav")
    codes = pd.DataFrame({"y": [0, 1, 0], "p": [0.1, 0.2, 0.3]})
    pyreadstat.write_sav(codes, str(tmp_path / "june.sav"))
    with pytest.warns(UserWarning, match="Value labels"), pytest.raises(InputError, match="Labels are"):
        ca.scan(tmp_path, **HOW)


def test_json_lines_in_json_files_are_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(text_parts, "BYTES", 500)
    lines = [json.dumps(row) + "\n" for row in ROWS.to_pylist()]
    (tmp_path / "part-0.json").write_text("".join(lines))
    keys = [part.key for part in fragments_of(tmp_path, ["y", "p"])]
    assert len(keys) > 3
    assert "lines 1–" in keys[0]
    assert ca.scan(tmp_path, **HOW)["roc_auc"] == ca.scan(ROWS, **HOW)["roc_auc"]
    (tmp_path / "part-1.jsonl").write_text(lines[0])
    assert ca.scan(tmp_path, **HOW).n == N + 1  # the same rows in another file


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_of_one_name_are_one_line(ending, tmp_path):
    rows = pa.Table.from_arrays([*ROWS.columns, ROWS["p"]], names=["y", "p", "p"])
    (parquet.write_table if ending == "parquet" else feather.write_feather)(
        rows, path := tmp_path / f"may.{ending}"
    )
    with pytest.raises(InputError, match="Column 'p' occurs twice"):
        ca.scan(path, **HOW)


def test_columns_of_one_name_are_numbered_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(text_parts, "BYTES", 200)
    rows = [f"{y},0.5,{p}\n" for y, p in zip(*ROWS.to_pydict().values(), strict=True)]
    (tmp_path / "may.csv").write_text("y,p,p\n" + "".join(rows))
    wanted = ca.scan(ROWS, **HOW)["roc_auc"]
    assert ca.scan(tmp_path / "may.csv", truth="y", score="p#2", positive="yes")["roc_auc"] == wanted


DATA = Path(__file__).parent.parent / "outside" / "data"
OF_TWO_TOOLS = {
    "avro": ("polars-2.1.0.avro", "fastavro-1.13.1-deflate.avro"),
    "orc": ("pandas-3.1.1.orc", "pyarrow-26.0.1.orc"),
    "spss": ("pyreadstat-1.3.7.sav", "pyreadstat-1.3.7.zsav"),
    "stata": ("pyreadstat-1.3.7.dta", "pandas-3.1.1.dta"),
    "r": ("r-4.2.2.rds", "r-4.2.2-version-2.rds"),
    "excel": ("openpyxl-3.1.5.xlsx", "libreoffice-7.4.7.ods", "pyxlsbwriter-0.1.0.xlsb"),
}


@pytest.mark.parametrize("kind", OF_TWO_TOOLS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_files_of_several_tools_are_one_folder(kind, tmp_path):
    tables = []
    for name in OF_TWO_TOOLS[kind]:
        shutil.copy(DATA / name, tmp_path / name)
        tables.append(read_table(tmp_path / name, ["outcome", "p"], labels=["outcome"]))
    truth = [label for table in tables for label in table["outcome"].to_pylist()]
    score = [value for table in tables for value in table["p"].to_pylist()]
    wanted = ca.assess(truth, score, positive="yes", missing="drop", unanswered="drop")
    found = ca.scan(tmp_path, truth="outcome", score="p", positive="yes", missing="drop", unanswered="drop")
    assert (found.n, found["roc_auc"].value) == (wanted.n, pytest.approx(wanted["roc_auc"].value, abs=1e-12))
