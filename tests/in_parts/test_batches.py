"""Sources of record batches of other libraries, by stand-ins with their methods: only named columns are read."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import classay as ca
from classay.in_parts import batches
from classay.in_parts.batches import batches_of
from lakes import DataScan, DeltaTable, StaticTable

ROWS = pa.table({"y": [1, 0, 1, 0] * 5, "p": [0.9, 0.2, 0.6, 0.4] * 5, "unused": ["a"] * 20})


class Ibis:
    """A table of Ibis 12 on DuckDB 2: it asks its connection for a method that is gone, and blocks it."""

    def __init__(self, rows=ROWS, has_method=False):
        self.rows, self.columns, self.has_method = rows, tuple(rows.column_names), has_method

    def select(self, *names):
        return Ibis(self.rows.select(names), self.has_method)

    def get_backend(self):
        con = SimpleNamespace(**({"fetch_record_batch": None} if self.has_method else {}))
        return SimpleNamespace(name="duckdb", con=con)

    def to_pyarrow_batches(self):
        assert self.has_method, "the connection has an unfinished result then"
        return self.rows.to_reader(max_chunksize=3)

    def to_pyarrow(self):
        return self.rows


class Relation:
    """A relation of DuckDB 2."""

    def __init__(self, rows=ROWS):
        self.rows, self.columns = rows, rows.column_names

    def project(self, text):
        return Relation(self.rows.select([name.strip('"') for name in text.split(", ")]))

    def to_arrow_reader(self):
        return self.rows.to_reader(max_chunksize=3)


class OlderRelation(Relation):
    to_arrow_reader = None

    def __getattribute__(self, name):
        if name == "to_arrow_reader":
            raise AttributeError(name)
        return super().__getattribute__(name)

    def fetch_record_batch(self):
        return self.rows.to_reader(max_chunksize=3)


class Stored:
    """An array of h5py or zarr: it has a shape and chunks, and is read by slices."""

    chunks = (4,)
    shape = property(lambda self: self.values.shape)
    dtype = property(lambda self: self.values.dtype)

    def __init__(self, values):
        self.values = values

    def __getitem__(self, where):
        assert isinstance(where, slice), "read one by one"
        assert where.stop - where.start <= batches.SLICE
        return self.values[where]


class Text(Stored):
    """A column of texts of h5py: bytes, which it gives as texts where it is asked."""

    def asstr(self):
        return Stored(np.array([text.decode() for text in self.values]))

    def __getitem__(self, where):
        raise AssertionError("texts are not asked for as bytes")


class Group:
    """A group of zarr, which is no mapping."""

    def __init__(self, columns):
        self.columns = columns

    def arrays(self):
        return iter(self.columns.items())

    def array_keys(self):
        return iter(self.columns)


class Unknown:
    """A table of a library that only has Arrow's protocol, as that of DataFusion or arro3."""

    def __arrow_c_stream__(self, schema=None):
        return ROWS.__arrow_c_stream__(schema)


def stored(wrap=Stored):
    return {name: wrap(np.asarray(ROWS[name])) for name in ("y", "p")}


SOURCES = {
    "dataset": lambda: ds.dataset(ROWS),
    "scanner": lambda: ds.dataset(ROWS).scanner(),
    "Delta": lambda: DeltaTable("table"),
    "Iceberg": StaticTable,
    "Iceberg scan": DataScan,
    "Ibis on DuckDB 2": Ibis,
    "Ibis": lambda: Ibis(has_method=True),
    "DuckDB": Relation,
    "older DuckDB": OlderRelation,
    "Arrow's protocol": Unknown,
    "HDF5": stored,
    "HDF5 beside a list": lambda: stored() | {"y": ROWS["y"].to_pylist()},
    "HDF5 of one column": lambda: stored(lambda values: Stored(values[:, None])),
    "Zarr": lambda: Group(stored()),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_of_batches_gives_what_its_rows_give(name, monkeypatch):
    monkeypatch.setattr(batches, "SLICE", 7)
    wanted = ca.scan(ROWS, truth="y", score="p")
    found = ca.scan(SOURCES[name](), truth="y", score="p")
    assert found.to_dict() == wanted.to_dict()
    assert {"y", "p"} <= {*batches_of(SOURCES[name]()).names}
    with pytest.raises(ca.InputError, match="has no column 'q'"):
        ca.scan(SOURCES[name](), truth="y", score="q")


def test_frames_with_such_columns_are_frames():
    import pandas as pd

    frame = pd.DataFrame({"y": [0, 1], "p": [0.2, 0.9], "scan": [1, 2], "scanner": [1, 2], "chunks": [1, 2]})
    assert batches_of(frame) is None
    assert batches_of({"y": [0, 1], "p": ROWS["p"]}) is None
    assert ca.scan(frame, truth="y", score="p").n == 2
    with pytest.raises(ca.InputError, match="ChunkedArray is neither a path nor a frame"):
        ca.scan(ROWS["y"], truth="y", score="p")


def test_texts_of_hdf5_are_texts():
    labels = np.array([b"yes", b"no"] * 10, object)
    found = ca.scan(stored() | {"y": Text(labels)}, truth="y", score="p", positive="yes")
    assert (found.labels, found.positive) == (("no", "yes"), "yes")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"p": Stored(np.zeros(3))}, "different numbers of rows"),
        ({"p": Stored(np.array(3.0))}, "different numbers of rows"),
        ({"p": Stored(np.zeros((20, 2)))}, "only handle 1-dimensional arrays"),
        ({"p": Text(np.array([b"\xff"] * 20, object))}, r"UnicodeDecodeError.*0xff"),
    ],
)
def test_arrays_that_are_no_columns_are_refused(columns, reason):
    with pytest.raises(ca.InputError, match=reason):
        ca.scan(stored() | columns, truth="y", score="p")


def test_what_can_be_read_once_needs_its_labels():
    reader = pa.table({"y": [0, 1, 2], "p": [0.1, 0.5, 0.9]}).to_reader(max_chunksize=1)
    scanner = ds.Scanner.from_batches(reader)
    assert ca.scan(scanner, truth="y", prediction="y").n == 3
    with pytest.raises(ca.InputError, match=r"Scanner cannot be read .*already scanned"):
        ca.scan(scanner, truth="y", prediction="y")
