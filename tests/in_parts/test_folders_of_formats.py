"""Folders and patterns of the files that people's tools write: all of one kind, and as their rows in one frame."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, orc

import classay as ca
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


def write_weka(rows, path):
    lines = [
        f"{k},{1 + (y == 'yes')}:{y},{1 + (p >= 0.5)}:{'yes' if p >= 0.5 else 'no'},,{1 - p:.3f},*{p:.3f}"
        for k, (y, p) in enumerate(zip(*rows.to_pydict().values(), strict=True), 1)
    ]
    path.write_text("inst#,actual,predicted,error,distribution,\n" + "\n".join(lines) + "\n")


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
