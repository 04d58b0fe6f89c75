"""Folders and lists of files: what is there twice, empty, unequal or of another kind."""

import gzip
import os
import shutil
import sqlite3
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, parquet

import classay as ca
from classay.errors import FileError, InputError
from classay.in_parts import text_parts
from classay.in_parts.scan_arguments import ScanArguments
from classay.in_parts.scanning import scan_files
from command import call
from files.test_identity import PAIR
from laws.test_what_counts_nowhere import FULL, NONE
from simulations.test_soak import SHARE
from sources import test_changed_files as changed_files_tests
from sources.test_changed_files import WRITERS, shorten


def test_a_folder_counts_no_file_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, scores in (("a", (0.2, 0.7)), ("b", (0.3, 0.9))):
        Path(f"{name}.csv").write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in enumerate(scores)))
    for link in (os.link, os.symlink):
        ca.scan(["a.csv", "b.csv"], truth="y", score="p")
        link("a.csv", "again.csv")
        with pytest.raises(ca.InputError, match="is named twice"):
            ca.scan(["a.csv", "again.csv"], truth="y", score="p")
        os.unlink("again.csv")


WRITTEN = {
    "csv": lambda rows, path: path.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in rows)),
    "csv.gz": lambda rows, path: path.write_bytes(
        gzip.compress(("y,p\n" + "".join(f"{y},{p}\n" for y, p in rows)).encode())
    ),
    "jsonl": lambda rows, path: path.write_text("".join(f'{{"y": {y}, "p": {p}}}\n' for y, p in rows)),
    "parquet": lambda rows, path: parquet.write_table(pa.table([*zip(*rows, strict=True)], ["y", "p"]), path),
    "arrow": lambda rows, path: feather.write_feather(pa.table([*zip(*rows, strict=True)], ["y", "p"]), path),
}


@pytest.mark.parametrize("ending", WRITTEN)
def test_a_copy_in_a_folder_counts_once_or_is_told(ending, tmp_path):
    """Copies of rows that are told apart are refused, those of few distinct rows told."""
    days = tmp_path / "days"
    rng = np.random.default_rng(0)
    for distinct in (3, 40):
        rows = [(k % 2, p) for k, p in enumerate(rng.random(distinct).tolist())] * 5
        (days / "old").mkdir(parents=True)
        WRITTEN[ending](rows, days / f"mon.{ending}")
        shutil.copy(days / f"mon.{ending}", days / "old" / f"mon.{ending}")
        for inputs in (days, [days / f"mon.{ending}", days / "old"], days / "**" / f"*.{ending}"):
            if distinct > 20:
                with pytest.raises(ca.InputError, match=r"mon\.\S+ contain the same rows. Remove"):
                    ca.scan(inputs, truth="y", score="p")
            else:
                with pytest.warns(UserWarning, match="contain the same rows. Both are counted"):
                    assert ca.scan(inputs, truth="y", score="p").rows == 30
        done = call("assess", str(days), *PAIR)
        assert done.exit_code == (2 if distinct > 20 else 0)
        assert len(done.stderr.splitlines()) == 1
        assert "contain the same rows" in done.stderr
        assert "contain the same rows" in call("decide", str(days), *PAIR, "--maximize", "youden").stderr
        shutil.rmtree(days)


def test_parts_that_only_their_folder_tells_apart_and_empty_ones_are_no_copies(tmp_path):
    rows = [(k % 2, k / 90) for k in range(90)]
    for country in ("at", "de"):
        folder = tmp_path / "by" / f"country={country}"
        folder.mkdir(parents=True)
        WRITTEN["csv"](rows, folder / "rows.csv")
        (folder / "empty.csv").write_text("y,p\n")
        (folder / "none.csv").touch()
    assert ca.scan(tmp_path / "by", truth="country", score="p", positive="de").rows == 180
    with pytest.raises(ca.InputError, match="Remove one of the files"):
        ca.scan(tmp_path / "by", truth="y", score="p")


def test_files_of_one_name_in_two_formats_are_told(tmp_path):
    rows = [(k % 2, k / 40) for k in range(40)]
    for one, other in combinations(WRITTEN, 2):
        days = tmp_path / f"{one} {other}"
        days.mkdir()
        for ending in (one, other):
            WRITTEN[ending](rows, days / f"mon.{ending}")
        with pytest.warns(UserWarning, match=r"mon\.\S+ have the same name and may contain the same rows"):
            ca.scan(days, truth="y", score="p")
        (days / f"mon.{other}").rename(days / f"tue.{other}")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ca.scan(days, truth="y", score="p")


EMPTY = {
    "b.csv": NONE,
    "a.csv": "",
    "c.jsonl": "",
    "d.csv.gz": gzip.compress(NONE.encode()),
    "e.parquet": pa.table({"y": pa.array([], pa.int64()), "p": pa.array([], pa.float64())}),
}


def write(path, content):
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("full", ["0.csv", "z.csv"])  # before the empty one, and behind it
def test_an_empty_part_counts_nothing(tmp_path, empty, full):
    write(tmp_path / full, FULL)
    write(tmp_path / empty, EMPTY[empty])
    whole = ca.scan(tmp_path / full, truth="y", score="p")
    for source in (str(tmp_path), [str(tmp_path / empty), str(tmp_path / full)]):
        found = ca.scan(source, truth="y", score="p")
        assert (found["auc"], found.n) == (whole["auc"], 2)
    assert ca.scan(str(tmp_path), truth="y", score="p", limit=2).n == 2
    (tmp_path / full).unlink()
    for source in (str(tmp_path), str(tmp_path / empty)):
        done = call("assess", source, "--truth", "y", "--score", "p", "--memory", "9")
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert "no rows" in done.stderr or "is empty" in done.stderr


def test_a_limit_counts_so_many_rows_wherever_a_file_ends(tmp_path):
    y, p = np.arange(7) % 2, np.linspace(0.1, 0.9, 7)
    for k, rows in enumerate((slice(0, 3), slice(3, 4), slice(4, 7))):
        write(tmp_path / f"{k}.parquet", pa.table({"y": y[rows], "p": p[rows]}))
    for limit in range(2, 9):
        found = ca.scan(str(tmp_path), truth="y", score="p", limit=limit)
        assert found.n == min(limit, 7)
        assert found["accuracy"] == ca.assess(y[:limit], p[:limit])["accuracy"]


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([1, 0], "y has 2, p has 3"),
        ([1, "a", 0], "'y' cannot be counted part by part"),
        ([1, object(), 0], "'y' cannot be counted part by part"),
        (np.ones((3, 2)), "'y' cannot be counted part by part"),
        (np.ones(3, complex), "'y' cannot be counted part by part"),
    ],
)
def test_columns_that_arrow_has_no_type_for_are_one_line(y, said):
    with pytest.raises(ca.InputError, match=said):
        ca.scan({"y": y, "p": [0.1, 0.2, 0.3]}, truth="y", score="p")
    if len(y) == 3 and isinstance(y, list):
        with pytest.raises(ca.InputError, match=said):
            ca.scan(pd.DataFrame({"y": np.array(y, object), "p": [0.1, 0.2, 0.3]}), truth="y", score="p")


@pytest.mark.parametrize("order", "<>")
def test_the_order_of_bytes_does_not_matter(order):
    y, p = np.array([1, 0, 1, 0], f"{order}i4"), np.array([0.9, 0.1, 0.4, 0.5], f"{order}f8")
    assert ca.scan({"y": y, "p": p}, truth="y", score="p")["auc"] == ca.assess(y.tolist(), p.tolist())["auc"]


def test_rows_of_a_database_may_be_dicts():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (y integer, p real)")
    connection.executemany("insert into t values (?, ?)", [(1, 0.9), (0, 0.2), (1, 0.1)] * 5)
    plain = ca.scan_database(connection, "t", truth="y", score="p")
    makers = (
        sqlite3.Row,
        lambda cursor, row: {each[0]: value for each, value in zip(cursor.description, row, strict=True)},
    )
    for connection.row_factory in makers:
        assert ca.scan_database(connection, "t", truth="y", score="p")["auc"] == plain["auc"]
    connection.close()


def test_whole_numbers_of_128_bits_are_scanned():
    wide = pl.DataFrame({name: pl.Series([1, 0, 1, 0], dtype=pl.Int128) for name in ("y", "l", "w")})
    frame = wide.with_columns(w=pl.Series([1, 2, 3, 1], dtype=pl.Int128))
    assert ca.scan(frame, truth="y", prediction="l", frequency="w").n == 7


@pytest.mark.slow
def test_a_folder_of_very_many_small_files(tmp_path):
    files = int(20_000 * SHARE)
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, (files, 5)), rng.random((files, 5)).round(4)
    for number, each in enumerate(zip(truth, score, strict=True)):
        rows = "\n".join(f"{y},{p}" for y, p in zip(*each, strict=True))
        (tmp_path / f"{number:05}.csv").write_text(f"y,p\n{rows}\n")
    found = ca.scan(tmp_path, truth="y", score="p", labels=[0, 1], positive=1)
    whole = ca.assess(truth.ravel(), score.ravel(), labels=[0, 1], positive=1)
    assert found.to_dict()["measures"] == whole.to_dict()["measures"]


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_file_that_changes_while_it_is_scanned(format, tmp_path, monkeypatch):
    path = str(tmp_path / f"rows.{format}")
    WRITERS[format](changed_files_tests.ROWS, path)
    monkeypatch.setattr(text_parts, "BYTES", 5000)
    assert ca.scan(path, truth="y", score="s").rows == 4000
    room, name = (text_parts, "read_csv") if format == "csv" else (text_parts, "read_jsonl_part")
    read = getattr(room, name)
    left = [3]

    def read_and_change(*given, **how):
        left[0] -= 1
        if not left[0]:
            shorten(path)
        return read(*given, **how)

    monkeypatch.setattr(room, name, read_and_change)
    with pytest.raises(FileError, match="changed while it was read"):
        ca.scan(path, truth="y", score="s")


def test_a_frame_of_columns_with_one_name_is_not_scanned():
    import pandas as pd

    twice = pd.DataFrame([[i % 2, i / 9, i / 7] for i in range(24)], columns=["y", "p", "p"])
    with pytest.raises(InputError):
        ca.scan(twice, truth="y", score="p")


def test_errors_of_threads_speak_to_the_command(tmp_path):
    for k in range(4):
        (tmp_path / f"part{k}.csv").write_text(f"y,p\n1,0.9\n0,0.2{k}\n" + (",0.4\n" if k == 1 else ""))
    said = call("assess", str(tmp_path), "--truth", "y", "--score", "p").stderr
    assert "--missing drop" in said
    with pytest.raises(ca.InputError, match="missing='drop'"):
        ca.scan(str(tmp_path), truth="y", score="p")


def test_a_file_of_another_delimiter_says_what_the_folder_needs(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n0,0.2\n1,0.7\n")
    (tmp_path / "b.csv").write_text("y;p\n0;0.2\n1;0.8\n")
    with pytest.raises(InputError) as error:
        ca.scan(str(tmp_path), truth="y", score="p")
    assert str(error.value).count("b.csv") == 1
    assert "The delimiter seems to be ';'." in str(error.value)
    assert str(error.value).endswith("All files need the same delimiter.")


@pytest.mark.parametrize("times", [1, 3], ids=["probabilities", "scores beyond 1 in one file"])
def test_each_file_of_a_folder_is_assessed_as_alone_and_has_a_threshold_where_all_have(times, tmp_path):
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, (3, 20)), rng.random((3, 20)).round(2)
    p[2] *= times
    for k in range(3):
        write(tmp_path / f"{k}.parquet", pa.table({"y": y[k], "p": p[k]}))
    overall, files = scan_files(ScanArguments(str(tmp_path), truth="y", score="p"))
    whole = ca.assess(y.ravel(), p.ravel())
    assert (overall.confusion_matrix is None) == (whole.confusion_matrix is None) == (times > 1)
    for (name, found), truth, scores in zip(files.items(), y, p, strict=True):
        alone = ca.assess(truth, scores)
        assert (found.confusion_matrix is None) == (times > 1), name
        assert found["auc"].value == pytest.approx(alone["auc"].value)
        if times == 1:
            assert found["recall"] == alone["recall"]
            assert (found.confusion_matrix.counts == alone.confusion_matrix.counts).all()
