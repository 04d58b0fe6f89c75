"""Sources that close, change or go away before all of their rows are read: one line that says so."""

import sqlite3
from collections.abc import Mapping
from concurrent.futures import Future

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import classay as ca
from classay.in_parts import fragments, text_parts
from classay.kinds import refuse_other_order
from in_parts.test_folders import WRITTEN
from in_parts.test_folders_of_formats import WRITTEN as WRITTEN_BY_TOOLS

ROWS = pa.table({"y": [1, 0, 1, 0] * 10, "p": [k / 41 for k in range(40)]})
HOW = {"truth": "y", "score": "p"}


class ClosedFile(Mapping):
    """What h5py 3.16.0 does once a file is closed: asked for its names or arrays, it raises KeyError."""

    attrs = ()

    def __iter__(self):
        raise KeyError("Unable to synchronously open object (invalid identifier type to function)")

    def __getitem__(self, name):
        raise KeyError(name)

    def __len__(self):
        return 2


class Array:
    """An array of a file, of h5py or zarr, whose file is closed."""

    shape, chunks, dtype = (40,), (10,), ROWS["p"].to_numpy().dtype

    def __getitem__(self, rows):
        raise RuntimeError("Unable to synchronously get dataspace")


class EmptyGroup:
    """A group of zarr 3.1.6 whose store is gone: it has no arrays, and no error."""

    def array_keys(self):
        return iter(())

    def arrays(self):
        return iter(())


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (ClosedFile(), "cannot be listed .KeyError: .* Check that it is open and complete"),
        ({"y": Array(), "p": Array()}, "cannot be read .RuntimeError: .* there and open"),
        (EmptyGroup(), "The group has no arrays. Check that its store is there and open"),
    ],
)
def test_arrays_of_a_closed_file_are_one_line(source, reason):
    import pandas as pd  # with which the order of indexes is looked at

    assert pd is not None
    with pytest.raises(ca.InputError, match=reason) as refused:
        ca.scan(source, **HOW)
    assert "\n" not in str(refused.value)


def test_arrays_of_a_file_are_not_read_for_an_index():
    refuse_other_order({"source": ClosedFile()})


class ClosedConnection:
    """What a connection of SQLAlchemy 2 does once it is closed."""

    @property
    def connection(self):
        raise RuntimeError("This Connection is closed")


@pytest.mark.parametrize("close", ["duckdb", "sqlite", "SQLAlchemy"])
def test_closed_connections_are_said_to_be_closed(close):
    if close == "SQLAlchemy":
        with pytest.raises(ca.InputError, match=r"^The connection cannot be used .* Open it again"):
            ca.scan_database(ClosedConnection(), "preds", **HOW, dialect="sqlite")
        return
    connection = duckdb.connect() if close == "duckdb" else sqlite3.connect(":memory:")
    connection.close()
    with pytest.raises(ca.InputError, match=r"^The connection is closed\. Open it again\.$"):
        ca.scan_database(connection, "preds", **HOW)


def test_what_a_closed_relation_raises_is_one_line():
    connection = duckdb.connect()
    connection.execute("create table preds as select range % 2 as y, range / 100 as p from range(100)")
    relation = connection.table("preds")
    connection.close()
    with pytest.raises(ca.InputError, match="already been closed") as refused:
        ca.scan(relation, **HOW)
    assert "\n" not in str(refused.value)


def test_a_dataset_whose_file_is_gone_is_one_line(tmp_path):
    pq.write_table(ROWS, path := tmp_path / "preds.parquet")
    source = ds.dataset(path)
    path.unlink()
    with pytest.raises(ca.InputError, match="FileSystemDataset cannot be read"):
        ca.scan(source, **HOW)


class Between:
    """An executor that does something before it counts the second part."""

    def __init__(self, action):
        self.parts, self.action = 0, action

    def submit(self, work, *about):
        self.parts += 1
        if self.parts == 2:
            self.action()
        done = Future()
        try:
            done.set_result(work(*about))
        except ca.ClassayError as error:
            done.set_exception(error)
        return done


ACTIONS = {
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "overwritten": lambda path: path.write_bytes(b"\x00garbage" * 100),
}
ENDINGS = WRITTEN | {name: WRITTEN_BY_TOOLS[name] for name in ("avro", "orc", "sqlite", "json")}


@pytest.mark.covering(1)
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("action", ACTIONS)
def test_a_file_that_changes_between_two_parts_is_refused(ending, action, tmp_path, monkeypatch):
    """A file that is empty when its turn comes counts nothing, as in any folder."""
    monkeypatch.setattr(text_parts, "BYTES", 5000)
    monkeypatch.setattr(fragments, "ROWS", 5)
    labels = {0: "no", 1: "yes"} if ending in WRITTEN_BY_TOOLS else {0: 0, 1: 1}
    for number in (0, 1):
        y, p = ROWS.slice(number, 30 + number).to_pydict().values()
        y = [labels[label] for label in y]
        rows = pa.table({"y": y, "p": p}) if ending in WRITTEN_BY_TOOLS else [*zip(y, p, strict=True)]
        ENDINGS[ending](rows, tmp_path / f"{number}.{ending}")
    second = tmp_path / f"1.{ending}"
    executor = Between(lambda: ACTIONS[action](second))
    if action == "emptied" and ending in ("jsonl", "csv.gz"):
        return
    with pytest.raises(ca.FileError) as refused:
        ca.scan(str(tmp_path / f"*.{ending}"), **HOW, positive=labels[1], executor=executor)
    assert "\n" not in str(refused.value)
    assert str(second) in str(refused.value)
