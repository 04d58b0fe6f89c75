"""Files that are refused by their content, whatever their names: pickles are never loaded, entities never followed."""

import bz2
import gzip
import io
import lzma
import pickle
import sqlite3
import zipfile
import zlib

import numpy as np
import pytest

import classay as ca
from classay.sources.files import column_names, read_table
from command import call, refusal
from formats.in_sweeps import write_book


class Trap:
    """An object that notes when its pickle is loaded."""

    loaded = False

    def __reduce__(self):
        return _note, ()


def _note():
    Trap.loaded = True
    return {"y": [0, 1], "p": [0.2, 0.9]}


def of_torch(content):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:  # as torch.save writes it: the pickle is the first member
        archive.writestr("archive/data.pkl", content)
        archive.writestr("archive/version", "3\n")
    return sink.getvalue()


def of_numpy(values):
    sink = io.BytesIO()
    np.save(sink, values, allow_pickle=True)
    return sink.getvalue()


PICKLES = {f"protocol {number}": pickle.dumps(Trap(), number) for number in range(2, 6)} | {
    "PyTorch": of_torch(pickle.dumps(Trap(), 2)),
    "NumPy": of_numpy(np.array([Trap(), 1], object)),
    "gzip": gzip.compress(pickle.dumps(Trap())),
    "joblib, zlib": zlib.compress(pickle.dumps(Trap()), 1),
    "joblib, xz": lzma.compress(pickle.dumps(Trap())),
    "joblib, lzma": lzma.compress(pickle.dumps(Trap()), lzma.FORMAT_ALONE),
    "joblib, bz2": bz2.compress(pickle.dumps(Trap())),
}
NAMES = (
    "rows.pkl",
    "rows.joblib",
    "rows.pt",
    "rows.csv",
    "rows.csv.gz",
    "rows.parquet",
    "rows.xlsx",
    "rows.json",
    "rows",
)


@pytest.mark.covering(1)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", PICKLES)
def test_pickles_are_refused_by_their_content_and_never_loaded(kind, name, tmp_path):
    (path := tmp_path / name).write_bytes(PICKLES[kind])
    for read in (read_table, column_names, lambda file: ca.scan(file, truth="y", score="p")):
        with pytest.raises(ca.FileError, match="contains a pickle, which may run code") as refused:
            read(path)
        assert "\n" not in str(refused.value)
    for words in (("assess", str(path), "--truth", "y", "--score", "p"), ("describe", str(path))):
        assert "write its columns to a Parquet or CSV file" in refusal(*words)
    assert not Trap.loaded


@pytest.mark.parametrize(
    ("content", "library"),
    [
        (of_numpy(np.arange(3.0)), "NumPy"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 100, "h5py"),
    ],
)
def test_arrays_of_files_have_a_way_out(content, library, tmp_path):
    (path := tmp_path / "rows.npy").write_bytes(content)
    with pytest.raises(ca.FileError, match=f"is a file of arrays.* Open it with {library}, and pass"):
        read_table(path)
    assert f"Open it with {library}, and write" in call("assess", str(path), "--truth", "y").stderr


def test_archives_of_arrays_have_a_way_out(tmp_path):
    np.savez(path := tmp_path / "rows.npz", y=[0, 1], p=[0.2, 0.9])
    with pytest.raises(ca.FileError, match="is a file of arrays"):
        ca.scan(path, truth="y", score="p")


def test_entities_of_a_workbook_are_never_followed(tmp_path):
    pytest.importorskip("python_calamine", reason="SKIPPED LOUDLY: [files], python-calamine")
    (secret := tmp_path / "secret.txt").write_text("what no workbook may show")
    write_book(plain := tmp_path / "plain.xlsx", {"preds": [["y", "p"], ["MARK", 0.5], ["no", 0.2]]})
    path = tmp_path / "entities.xlsx"
    with zipfile.ZipFile(plain) as whole, zipfile.ZipFile(path, "w") as changed:
        for name in whole.namelist():
            text = whole.read(name).decode()
            if "sheet1" in name and "MARK" in text:
                declared = f'<!DOCTYPE w [<!ENTITY a "expanded"><!ENTITY b SYSTEM "{secret.as_uri()}">]>'
                text = declared + text.replace("MARK", "&a;&b;")
            changed.writestr(name, text)
    try:
        cells = str(read_table(path).to_pydict())
    except ca.ClassayError as error:
        cells = str(error)
    assert "expanded" not in cells
    assert "no workbook may show" not in cells


def test_a_file_of_sqlite_cannot_load_extensions_or_be_written(tmp_path):
    from classay.formats.sqlite_files import _opened
    from classay.sources.inputs import find_input

    with sqlite3.connect(path := tmp_path / "preds.sqlite") as connection:
        connection.execute("create table preds (y, p)")
    connection.close()
    with (
        pytest.raises(ca.FileError, match="cannot be read as sqlite"),
        _opened(find_input(path, None, None)) as opened,
    ):
        opened.execute("select load_extension('anything')")
    with (
        pytest.raises(ca.FileError, match=r"readonly|read-only|read only"),
        _opened(find_input(path, None, None)) as opened,
    ):
        opened.execute("insert into preds values (1, 0.5)")
