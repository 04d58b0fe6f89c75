"""Parts of frames and files: all rows once and in order, of the size to aim for, under names that tell the rows."""

import io
import pickle
from itertools import accumulate, pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import feather, parquet

import classay as ca
from classay.errors import FileError, InputError
from classay.in_parts import batches, fragments, named_files
from classay.in_parts.addresses import as_expression, as_s3, files_at, refuse_secrets, root_of
from classay.in_parts.batches import Batches, batches_of, refuse_unequal, table_of
from classay.in_parts.fragments import (
    DaskPart,
    FilePart,
    SharedColumns,
    TablePart,
    column_names_of,
    fragments_of,
    is_read_once,
    named_in,
)

N = 100
TABLE = pa.table(
    {
        "y": [k % 2 for k in range(N)],
        "p": [k / N for k in range(N)],
        "s": [{"a": k, "b": str(k)} for k in range(N)],
        "wide": ["x" * 50] * N,
    }
)
NAMES = ["y", "p"]


@pytest.fixture
def _small(monkeypatch):
    monkeypatch.setattr(fragments, "ROWS", 30)
    monkeypatch.setattr(fragments, "BYTES", 10_000)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def together(parts, columns=NAMES):
    return pa.concat_tables([part.read(columns, []) for part in parts])


def reader(sizes):
    starts = [0, *accumulate(sizes)]
    pieces = [TABLE.slice(a, b - a).combine_chunks() for a, b in pairwise(starts)]
    return pa.RecordBatchReader.from_batches(
        TABLE.schema, [b for piece in pieces for b in piece.to_batches()]
    )


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("source", ["frame", "dict", "dataset", "reader"])
def test_rows_of_a_frame_come_once_and_in_order(source):
    frame = {
        "frame": TABLE,
        "dict": {name: TABLE[name].to_pylist() for name in NAMES},
        "dataset": ds.dataset(TABLE),
        "reader": reader([20, 9, 1, 50, 20]),
    }[source]
    parts = [*fragments_of(frame, NAMES)]
    assert together(parts).equals(TABLE.select(NAMES).combine_chunks()) or together(parts).to_pydict() == (
        TABLE.select(NAMES).to_pydict()
    )
    starts = [0, *accumulate(part.rows for part in parts)]
    assert [part.key for part in parts] == [f"rows {start} on" for start in starts[:-1]]
    assert starts[-1] == N
    assert max(part.rows for part in parts) <= 30
    sizes = {"reader": [30, 30, 20, 20]}.get(source, [30, 30, 30, 10])
    assert [part.rows for part in parts] == sizes  # 20 + 9 + 1 rows are one part, 50 are cut
    assert parts[0].spelling("y") is None


def test_wide_rows_make_parts_of_fewer(monkeypatch):
    """A part has as many rows as the bytes to aim for hold, one at least."""
    bytes_a_row = TABLE.select(NAMES).nbytes / N
    for bytes_of_part, rows in ((20 * bytes_a_row, 20), (1, 1), (1e9, 100)):
        monkeypatch.setattr(fragments, "BYTES", int(bytes_of_part))
        parts = [*fragments_of(TABLE.select(NAMES), NAMES)]
        assert parts[0].rows == rows
        assert sum(part.rows for part in parts) == N
    monkeypatch.setattr(fragments, "BYTES", int(25 * bytes_a_row))
    gathered = [
        table.num_rows
        for table in fragments._gathered(iter(TABLE.select(NAMES).to_batches(max_chunksize=10)))
    ]
    assert gathered == [30, 30, 30, 10]  # the third batch reaches the bytes


def test_an_empty_frame_is_one_empty_part():
    (part,) = fragments_of(TABLE.slice(0, 0), NAMES)
    assert (part.rows, part.key) == (0, "rows 0 on")


@pytest.mark.parametrize(
    ("groups", "wanted"),
    [
        ([30, 30, 40], ["row group 0", "row group 1", "row group 2"]),
        ([10, 10, 10, 30, 40], ["row groups 0–2", "row group 3", "row group 4"]),
        ([29, 1, 70], ["row groups 0–1", "row group 2"]),
        ([10, 90], ["row groups 0–1"]),
        ([60, 40], ["row group 0", "row group 1"]),
        ([90, 10], ["row group 0", "row group 1"]),
        ([100], ["row group 0"]),
    ],
)
def test_row_groups_are_put_together_until_they_are_worth_a_thread(groups, wanted, monkeypatch):
    monkeypatch.setattr(fragments, "ROWS", 30)
    writer = parquet.ParquetWriter("a.parquet", TABLE.schema)
    for a, b in zip([0, *accumulate(groups)], accumulate(groups), strict=False):
        writer.write_table(TABLE.slice(a, b - a), row_group_size=1000)
    writer.close()
    parts = [*fragments_of("a.parquet", NAMES)]
    assert [part.key for part in parts] == [f"a.parquet, {name}" for name in wanted]
    assert together(parts).to_pydict() == TABLE.select(NAMES).to_pydict()
    assert [part.rows for part in parts] == [part.read(NAMES, []).num_rows for part in parts]
    assert parts[0].read([], []).num_columns == 1


def test_only_named_columns_make_a_row_group_wide(monkeypatch):
    parquet.write_table(TABLE, "a.parquet", row_group_size=10, compression=None, use_dictionary=False)
    about = parquet.ParquetFile("a.parquet").metadata.row_group(0)
    sizes = {}
    for k in range(about.num_columns):
        column = about.column(k)
        top = column.path_in_schema.partition(".")[0]
        sizes[top] = sizes.get(top, 0) + column.total_uncompressed_size
    assert fragments._bytes_of(about, ["s.a", "y"]) == sizes["s"] + sizes["y"]
    for names in (["y"], ["y", "p"], ["wide"], ["s", "y"]):
        assert fragments._bytes_of(about, names) == sum(sizes[name] for name in names)
    monkeypatch.setattr(fragments, "ROWS", 1000)
    monkeypatch.setattr(fragments, "BYTES", 2 * sizes["wide"])
    assert [part.rows for part in fragments_of("a.parquet", ["wide"])] == [20] * 5
    assert [part.rows for part in fragments_of("a.parquet", ["y"])] in ([N], [50, 50], [60, 40], [70, 30])


def test_groups_without_rows_are_no_parts():
    parquet.write_table(TABLE.slice(0, 0), "none.parquet")
    assert [*fragments_of("none.parquet", NAMES)] == []


def test_a_part_goes_to_another_process_as_it_is():
    part = TablePart("rows 3 on", TABLE.slice(3, 4), "the frame")
    again = pickle.loads(pickle.dumps(part))
    assert (again.key, again.where, again.layout, again.source) == ("rows 3 on", "the frame", (), None)
    assert again.table.equals(part.table)
    with pytest.raises(InputError, match="The frame has no column"):
        again.read(["none"], [])


@pytest.mark.parametrize("kind", ["stream", "file"])
def test_large_arrow_files_are_read_in_batches(kind, monkeypatch):
    with (pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file)("a.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=10)
    assert [type(part) for part in fragments_of("a.arrow", NAMES)] == [FilePart]
    size = Path("a.arrow").stat().st_size
    monkeypatch.setattr(fragments, "ROWS", 30)
    for bytes_of_part, number in ((size, 4), (size + 1, 1)):
        monkeypatch.setattr(fragments, "BYTES", bytes_of_part)
        parts = [*fragments_of("a.arrow", NAMES)]
        assert len(parts) == number
        assert together(parts).to_pydict() == TABLE.select(NAMES).to_pydict()
        if number == 4:
            assert [part.key for part in parts] == [f"a.arrow, rows {k} on" for k in (0, 30, 60, 90)]
        with pytest.raises(InputError, match="none"):
            [part.read(["none"], []) for part in fragments_of("a.arrow", ["none"])]


class Part:
    """A part whose rows and spelling are known."""

    key, rows = "the part", 2

    def spelling(self, _):
        return "json"

    def read(self, columns, labels, together=()):
        assert "day" not in [*columns, *labels]
        table = pa.table({"y": [1, 0], "p": [0.5, 0.25]})
        return table.select(columns)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("7", 7), ("007", "007"), ("-7", "-7"), ("a", "a"), (None, None), ("0", 0), ("1.5", "1.5")],
)
def test_the_name_of_a_folder_is_a_column(text, plain):
    part = SharedColumns(Part(), {"day": text})
    assert (part.key, part.rows, part.spelling("day"), part.spelling("y")) == ("the part", 2, "text", "json")
    table = part.read(["p", "day", "y"], ["y"])
    assert table.to_pydict() == {"p": [0.5, 0.25], "day": [plain] * 2, "y": [1, 0]}
    assert table.column_names == ["p", "day", "y"]
    assert part.read(["p", "day"], ["day"]).to_pydict()["day"] == [text] * 2


def test_folders_name_only_columns_that_are_asked_for():
    shared = fragments._shared
    path = "a/b=1/c=x%20y/b.csv"
    assert shared(path, "a", ["b", "c", "p"]) == {"b": "1", "c": "x y"}
    assert shared(path, "a", ["p"]) == {}
    assert shared(path, "a/b=1", ["b", "c"]) == {"c": "x y"}
    assert shared("b=1/f=2.csv", "", ["b", "f"]) == {"b": "1"}
    assert shared("b=__HIVE_DEFAULT_PARTITION__/a.csv", "", ["b"]) == {"b": None}
    assert shared("b=1=2/a.csv", "", ["b"]) == {"b": "1=2"}


def test_a_partition_of_dask_is_taken_apart():
    import pandas as pd

    frame = pd.DataFrame({"y": [1, 0], "p": [0.5, 0.25]})
    part = DaskPart("partition 0 of 1", SimpleNamespace(compute=lambda: frame))
    delayed, rest = part.apart()
    assert delayed.compute() is frame
    assert (rest.delayed, rest.key, part.rows, part.spelling("y")) == (None, "partition 0 of 1", None, None)
    held = rest.holding(frame)
    assert (held.key, held.rows) == ("partition 0 of 1", 2)
    assert part.read(["p"], []).to_pydict() == {"p": [0.5, 0.25]}

    class Frame:
        npartitions, columns = 2, ["y", "p"]

        def __getitem__(self, names):
            assert names == ["p"]
            return self

        def to_delayed(self):
            return ["a", "b"]

    parts = [*fragments_of(Frame(), ["p"])]
    assert [(part.key, part.delayed) for part in parts] == [
        ("partition 0 of 2", "a"),
        ("partition 1 of 2", "b"),
    ]
    with pytest.raises(InputError, match="none"):
        next(fragments_of(Frame(), ["none"]))


def test_names_of_files():
    assert named_in("a.csv") == named_in(Path("a.csv")) == named_in(["a.csv"]) == ["a.csv"]
    assert named_in(("a.csv", Path("b.csv"))) == ["a.csv", "b.csv"]
    for source in ([], {}, TABLE, [1], ["a.csv", 1], None):
        assert named_in(source) is None
    assert [is_read_once(source) for source in ("-", ["a.csv", "-"], reader([N]))] == [True] * 3
    assert [is_read_once(source) for source in ("a.csv", ["a.csv"], TABLE, ds.dataset(TABLE), [1])] == [
        False
    ] * 5
    with pytest.raises(InputError, match=r"which are read only once\. Name each column\."):
        next(column_names_of("-"))
    assert [*column_names_of(TABLE)] == [("the frame", TABLE.column_names)]
    assert [*column_names_of(ds.dataset(TABLE))] == [("the frame", TABLE.column_names)]
    Path("a.csv").write_text("y,p\n1,2\n")
    Path("b.csv").write_text("")
    Path("c.csv").write_text("z\n1\n")
    assert [*column_names_of(["a.csv", "b.csv", "c.csv"])] == [("a.csv", ["y", "p"]), ("c.csv", ["z"])]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            3,
            "int is neither a path nor a frame. Pass a path, a pattern, a folder, a list of these, or a frame",
        ),
        ({"y": [1], "p": [1, 2]}, "The columns have different numbers of rows (y has 1, p has 2)."),
        ({"y": [1]}, "p"),
        ({"y": [1, "a"], "p": [1, 2]}, "Column 'y' cannot be counted part by part"),
        ("empty.csv", "empty.csv is empty"),
        (["empty.csv", "empty.csv"], "is named twice. Name each file once."),
        ("none/*.csv", "none/*.csv contains no file of rows. File names must end in .parquet, .arrow, .csv"),
    ],
)
def test_sources_that_have_no_parts(source, text):
    Path("empty.csv").touch()
    with pytest.raises((InputError, FileError)) as error:
        [*fragments_of(source, NAMES)]
    assert text in str(error.value)


def test_an_empty_file_among_others_has_no_part():
    Path("empty.csv").touch()
    Path("rows.csv").write_text("y,p\n1,0.5\n")
    for files in (["empty.csv", "rows.csv"], ["rows.csv", "empty.csv"]):
        assert [part.key for part in fragments_of(files, NAMES)] == ["rows.csv"]


# batches


class Relation:
    """A relation of DuckDB, of an older or a newer version."""

    columns = ("a", 'b"c')

    def __init__(self, method):
        self.method = method

    def project(self, text):
        assert text == '"b""c"'
        table = pa.table({'b"c': [1, 2]})
        return SimpleNamespace(**{self.method: table.to_reader})


class Older(Relation):
    def fetch_record_batch(self): ...


class Newer(Relation):
    def to_arrow_reader(self): ...


def test_each_kind_is_opened_by_its_own_method():
    for source in (Older("fetch_record_batch"), Newer("to_arrow_reader")):
        found = batches_of(source)
        assert found.names == ["a", 'b"c']
        assert [batch.to_pydict() for batch in found.read(['b"c'], "it")] == [{'b"c': [1, 2]}]


class Fields:
    fields = (SimpleNamespace(name="a"), SimpleNamespace(name="b"))


ROWS_OF_ONE = pa.table({"b": [3], "a": [1]})


def test_tables_of_lakes_are_opened_with_the_named_columns():
    class Delta:
        def to_pyarrow_dataset(self): ...

        def schema(self):
            return Fields

        def scan(self, columns):
            assert columns == ["a"]
            return ROWS_OF_ONE

    class OldDelta(Delta):
        scan = property()

    assert batches_of(Delta()).names == ["a", "b"]
    assert [batch.to_pydict() for batch in batches_of(Delta()).read(["a"], "it")] == [{"a": [1]}]
    with pytest.raises(InputError, match=r"Update deltalake to 1\.6"):
        next(batches_of(OldDelta()).read(["a"], "it"))


def test_tables_of_iceberg_and_scans_of_them_are_opened_with_the_named_columns():
    class Iceberg:
        def current_snapshot(self): ...

        def schema(self):
            return Fields

        def scan(self, selected_fields):
            assert selected_fields == ("b",)
            return SimpleNamespace(to_arrow_batch_reader=lambda: ROWS_OF_ONE.select(["b"]).to_reader())

    class Scan:
        def to_arrow_batch_reader(self): ...

        def projection(self):
            return Fields

        def select(self, *names):
            assert names == ("b",)
            return SimpleNamespace(to_arrow_batch_reader=ROWS_OF_ONE.to_reader)

    for kind in (Iceberg, Scan):
        assert batches_of(kind()).names == ["a", "b"]
        assert [batch.to_pydict() for batch in batches_of(kind()).read(["b"], "it")] == [{"b": [3]}]


def test_tables_of_ibis_are_opened_as_their_backend_can():
    class Ibis:
        columns = ("a", "b")

        def __init__(self, backend, con):
            self.backend = SimpleNamespace(name=backend, con=con)

        def to_pyarrow_batches(self): ...

        def select(self, *names):
            some = ROWS_OF_ONE.select([*names])
            return SimpleNamespace(
                get_backend=lambda: self.backend, to_pyarrow=lambda: some, to_pyarrow_batches=some.to_reader
            )

        def get_backend(self):
            return self.backend

    for backend, con, kind in (
        ("duckdb", SimpleNamespace(fetch_record_batch=1), pa.RecordBatchReader),
        ("duckdb", SimpleNamespace(), pa.Table),
        ("sqlite", SimpleNamespace(), pa.RecordBatchReader),
    ):
        found = batches_of(Ibis(backend, con))
        assert type(found.open(["a"])) is kind
        assert [batch.to_pydict() for batch in found.read(["a"], "it")] == [{"a": [1]}]
    scanner = ds.dataset(TABLE).scanner(columns=["p", "y"])
    assert batches_of(scanner).names == ["p", "y"]
    assert batches_of(TABLE) is batches_of([1]) is batches_of({"y": [1]}) is batches_of(pa.array([1])) is None


def test_batches_have_the_named_columns_in_their_order():
    found = Batches(["a", "b", "c"], lambda names: pa.table({"c": [3], "b": [2], "a": [1]}))
    assert [batch.schema.names for batch in found.read(["b", "a"], "it")] == [["b", "a"]]
    assert [batch.schema.names for batch in found.read([], "it")] == [["a", "b", "c"]]
    with pytest.raises(InputError, match="none"):
        next(found.read(["none"], "it"))

    def gone(_):
        raise RuntimeError("no more")

    with pytest.raises(
        InputError, match=r"it cannot be read .*no more.*Check that all of its files are there"
    ):
        next(Batches(["a"], gone).read(["a"], "it"))


class Stored:
    """An array of a file, of h5py or zarr."""

    chunks, dtype, shape = None, np.dtype(float), (0,)

    def __init__(self, values):
        self.values, self.shape, self.read = np.asarray(values), np.shape(values), []

    def __getitem__(self, of):
        self.read.append((of.start, of.stop))
        return self.values[of]


class Texts(Stored):
    dtype = np.dtype("O")

    def asstr(self):
        return Stored([text.decode() for text in self.values])


@pytest.mark.parametrize("length", [0, 1, 4, 5, 8])
def test_arrays_of_files_are_read_in_slices(length, monkeypatch):
    monkeypatch.setattr(batches, "SLICE", 4)
    stored, columns = Stored(np.arange(length) / 8), [*range(length)]
    texts = Texts([b"a", b"b", b"a", b"c", b"d", b"e", b"f", b"g"][:length])
    found = batches_of({"p": stored, "y": columns, "t": texts, "other": Stored([1])})
    assert found.names == ["p", "y", "t", "other"]
    if not length:
        with pytest.raises((InputError, StopIteration, RuntimeError)):
            next(found.read(["p", "y"], "it"))
        return
    read = [*found.read(["p", "y", "t"], "it")]
    assert pa.Table.from_batches(read).to_pydict() == {
        "p": [k / 8 for k in range(length)],
        "y": columns,
        "t": ["a", "b", "a", "c", "d", "e", "f", "g"][:length],
    }
    assert [batch.num_rows for batch in read] == [4] * (length // 4) + [length % 4] * bool(length % 4)
    assert stored.read == [(start, start + 4) for start in range(0, length, 4)]


def test_tables_of_other_libraries_are_read_as_streams():
    class Other:
        def __arrow_c_stream__(self, requested_schema=None):
            return TABLE.__arrow_c_stream__(requested_schema)

    class Column:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.chunked_array([[1, 2]]).__arrow_c_stream__(requested_schema)

    found = batches_of(Other())
    assert found.names == TABLE.column_names
    assert pa.Table.from_batches(found.read(NAMES, "it")).to_pydict() == TABLE.select(NAMES).to_pydict()
    assert batches_of(Column()) is None
    assert batches._length(Stored(3.0)) == 0
    assert batches._length([1, 2]) == 2


@pytest.mark.parametrize("kind", ["stream", "file"])
def test_arrow_on_standard_input(kind, monkeypatch):
    sink = pa.BufferOutputStream()
    with (pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file)(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=10)
    content = sink.getvalue().to_pybytes()
    monkeypatch.setattr(fragments, "ROWS", 30)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(content))))
    parts = [*fragments_of("-", NAMES, "arrow")]
    assert together(parts).to_pydict() == TABLE.select(NAMES).to_pydict()
    starts = [0, 30, 60, 90] if kind == "stream" else [0]
    if kind == "stream":
        assert [part.key for part in parts] == [f"standard input, rows {start} on" for start in starts]


def test_columns_of_one_length():
    refuse_unequal({})
    refuse_unequal({"a": 2, "b": 2})
    with pytest.raises(InputError, match=r"\(a has 1,000, b has 2\)"):
        refuse_unequal({"a": 1000, "b": 2})
    swapped = np.array([1.5, np.nan], ">f8")
    table = table_of({"a": swapped, "b": pa.chunked_array([[1], [2]]), "c": ["x", None]})
    assert table.to_pydict() == {"a": [1.5, None], "b": [1, 2], "c": ["x", None]}

    class Group:
        def __init__(self, arrays):
            self._arrays = arrays

        def array_keys(self): ...

        def arrays(self):
            return iter(self._arrays)

    assert batches_of(Group([("y", Stored([1, 0])), ("p", Stored([0.5, 0.1]))])).names == ["y", "p"]
    with pytest.raises(InputError, match="The group has no arrays"):
        batches_of(Group([]))


# names of files and addresses


def test_files_of_rows_by_their_names():
    for path, name, wanted in (
        ("d/a.csv", "d", True),
        ("d/a.parquet", "d", True),
        ("d/a.txt", "d", False),
        ("d/a.txt", "d/*.txt", True),
        ("d/a.txt", "d/*", False),
        ("d/a.txt", "d/*.*", False),
        ("d/a.json", "d", False),
        ("d/a.json", "d/*.json", True),
        ("d/part-0.json", "d", True),
        ("d/part-0.JSON.gz", "d", True),
        ("d/a.json.zst", "d", False),
        ("memory://d/a.xlsx", "memory://d", False),
        ("memory://d/a.csv", "memory://d", True),
        ("d/a.xlsx", "d", True),
    ):
        assert named_files._is_of_rows(path, name) is wanted, (path, name)
    for path, root, is_hidden in (
        ("d/_SUCCESS", "d", True),
        ("d/.a.crc", "d", True),
        ("d/~$a.xlsx", "d", True),
        ("d/_x/a.csv", "d", True),
        ("d/_x=1/a.csv", "d", False),
        ("d/a_.csv", "d", False),
        ("_d/a.csv", "_d", False),
    ):
        assert named_files._is_hidden(path, root) is is_hidden, path
    for pattern, root in (
        ("a/b/*.csv", str(Path("a/b"))),
        ("*.csv", "."),
        ("a/d=?/x.csv", "a"),
        ("/a/[b]/c", str(Path("/a"))),
    ):
        assert named_files._fixed_part(pattern) == root


def test_files_are_in_natural_order():
    for name in ("a10.csv", "a9.csv", "b.csv", "_a.csv", "c/d1.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(f"y,p\n{len(name)},0.{len(name)}\n")
    found = [name for name, _ in named_files.files_in(".", None)]
    assert [str(Path(name)) for name in found] == ["a9.csv", "a10.csv", "b.csv", str(Path("c/d1.csv"))]
    assert named_files.first_file(".", None) == found[0]
    assert named_files.first_file("b.csv", None) == "b.csv"
    assert named_files.first_file("none.csv", None) == "none.csv"
    assert [*named_files.files_of(["b.csv", "c"], None)] == ["b.csv", str(Path("c/d1.csv"))]
    assert [root for _, root in named_files.files_in("c", None)] == ["c"]
    assert [root for _, root in named_files.files_in("c/*.csv", None)] == ["c"]
    assert [root for _, root in named_files.files_in("c/d1.csv", None)] == ["c"]
    assert [named_files.is_of_several(name) for name in (".", "c", "*.csv", "a9.csv", "none.csv")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    Path("odd[1].csv").write_text("y,p\n1,0.5\n")
    assert not named_files.is_of_several("odd[1].csv")


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("a/*.csv", ["a/b.csv", "a/.csv"], ["a/b/c.csv", "a/b.csvx", "xa/b.csv"]),
        ("a/**/*.csv", ["a/b.csv", "a/b/c/d.csv"], ["a/b.tsv"]),
        ("a/**", ["a/b", "a/b/c"], ["b/a"]),
        ("a?c", ["abc"], ["ac", "a/c", "abbc"]),
        ("a[bc]d", ["abd", "acd"], ["add", "a[bc]d"]),
        ("a[!bc]d", ["add"], ["abd"]),
        ("a.b+c", ["a.b+c"], ["axb+c", "a.bbc"]),
    ],
)
def test_patterns_of_addresses(pattern, matches, others):
    import re

    expression = re.compile(as_expression(pattern))
    assert all(expression.fullmatch(path) for path in matches)
    assert not any(expression.fullmatch(path) for path in others)


def test_addresses():
    assert [as_s3(f"{scheme}://b/s3a://c") for scheme in ("s3", "s3a", "s3n", "s3b")] == [
        "s3://b/s3a://c",
        "s3://b/s3a://c",
        "s3://b/s3a://c",
        "s3b://b/s3a://c",
    ]
    assert root_of("s3n://b/a?/c.csv") == "s3://b"
    assert root_of("s3://b/a/c.csv") == "s3://b/a/c.csv"
    for address, text in (
        (
            "s3://me:pw@b/c",
            "The address of s3://b contains a password. Remove it, and set it in the environment",
        ),
        ("s3://:@b/c", "contains a password"),
        (
            "https://b/c?key=1",
            "The address of https://b contains options. Remove them, and set them in the environment",
        ),
        ("https://b/c?a.b-c=", "contains options"),
    ):
        with pytest.raises(FileError) as error:
            refuse_secrets(address)
        assert text in str(error.value)
    for address in ("s3://me@b/c", "https://b/c?", "s3://b/a?.csv", "s3://b/day=?/a.csv"):
        refuse_secrets(address)


def test_files_at_a_local_address(tmp_path):
    (tmp_path / "a b").mkdir()
    for name in ("x.csv", "y.tsv", "a b/z=1.csv"):
        (tmp_path / name).write_text("y,p\n1,0.5\n0,0.25\n".replace(",", "\t" if name == "y.tsv" else ","))
    root = tmp_path.as_uri()
    every = {f"{root}/x.csv", f"{root}/y.tsv", f"{root}/a%20b/z=1.csv"}
    for address in (root, f"{root}/"):
        files, below = files_at(address)
        assert {*files} == {*below} == every
    files, below = files_at(f"{root}/**/*.csv")
    assert {*files} == {name for name in every if name.endswith("csv")}
    assert {*below} == every
    assert files_at(f"{root}/none/*.csv") == ([], [])
    assert ca.scan(f"{root}/**/*.tsv", truth="y", score="p").rows == 2


def test_files_of_the_same_rows(monkeypatch):
    from classay.files.writing import FEW

    for number in (FEW, FEW + 1):
        rows = "y,p\n" + "".join(f"{k % 2},{k / 100}\n" for k in range(number))
        for name in ("a.csv", "b.csv"):
            Path(name).write_text(rows)
        if number > FEW:
            with pytest.raises(
                InputError, match=r"a\.csv and b\.csv contain the same rows\. Remove one of the files"
            ):
                [*fragments_of(["a.csv", "b.csv"], NAMES)]
        else:
            with pytest.warns(
                fragments.CopiedRowsWarning, match="Both are counted. Exclude one if it is a copy"
            ):
                assert len([*fragments_of(["a.csv", "b.csv"], NAMES)]) == 2
    distinct = fragments._first_rows
    Path("c.jsonl").write_text('{"y": 1}\n{"y": 2}\n{"y": 1}\n\n')
    feather.write_feather(pa.table({"y": [1, 2, 2, 3]}), "d.arrow")
    parquet.write_table(pa.table({"y": [1, 2, 2, 3, 4]}), "e.parquet")
    Path("f.csv").write_text("y\n1\n1\n2\n")
    Path("g.csv").write_text("")
    numbers = {"c.jsonl": 2, "d.arrow": 3, "e.parquet": 4, "f.csv": 2, "g.csv": 0, "none.csv": 0}
    assert {name: len(distinct(name, None, None, ())) for name in numbers} == numbers
    monkeypatch.setattr(fragments, "ROWS_TOLD", 2)
    assert [len(distinct(name, None, None, ())) for name in ("d.arrow", "e.parquet")] == [2, 2]
