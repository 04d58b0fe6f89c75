"""Every format gives the same table; every way to fail gives one line that says what to do."""

import gzip
import io
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import classay as ca
from classay.errors import FileError, InputError
from classay.sources import inputs
from classay.sources.files import column_names, read_table, read_tables
from classay.sources.inputs import frame_columns

ROWS = {
    "id": [1, 2, 3, 4],
    "y": ["neg", "pos", None, 'a, "b"\n; é'],
    "score": [0.25, None, 1.0, -3.5e-7],
    "seen": [True, False, None, True],
}
TYPES = {"id": pa.int64(), "y": pa.string(), "score": pa.float64(), "seen": pa.bool_()}
TABLE = pa.table(ROWS, schema=pa.schema(list(TYPES.items())))


def text_of(delimiter):
    quoted = '"a, ""b""\n; é"'
    rows = [("id", "y", "score", "seen"), ("1", "neg", "0.25", "True"), ("2", "pos", "", "False")]
    rows += [("3", "", "1", "NA"), ("4", quoted, "-3.5e-7", "true")]
    return "".join(delimiter.join(row) + "\n" for row in rows).encode()


def written(format):
    """The rows in a format, as bytes."""
    if format == "csv":
        return text_of(",")
    if format == "tsv":
        return text_of("\t")
    if format == "jsonl":
        return pl.from_arrow(TABLE).write_ndjson().encode()
    sink = io.BytesIO()
    if format == "parquet":
        pyarrow.parquet.write_table(TABLE, sink)
    elif format == "arrow":
        with pa.ipc.new_file(sink, TABLE.schema) as writer:
            writer.write_table(TABLE)
    elif format == "stream":
        with pa.ipc.new_stream(sink, TABLE.schema) as writer:
            writer.write_table(TABLE)
    else:
        pyarrow.feather.write_feather(TABLE, sink)
    return sink.getvalue()


CASES = {
    "a.csv": "csv", "A.CSV": "csv", "a.tsv": "tsv", "a.tab": "tsv", "a.jsonl": "jsonl", "a.ndjson": "jsonl",
    "a.parquet": "parquet", "a.pq": "parquet", "a.arrow": "arrow", "a.ipc": "stream", "a.feather": "feather",
}  # fmt: skip
TEXTS = [name for name, kind in CASES.items() if kind in ("csv", "tsv", "jsonl")]


@pytest.fixture
def write(tmp_path):
    def to(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to


@pytest.fixture
def stdin(monkeypatch):
    def feed(content):
        class Standard:
            buffer = io.BytesIO(content)

        monkeypatch.setattr(sys, "stdin", Standard())

    return feed


def fails(kind, text, function, *args, **kwargs):
    """The whole message, so that a reader of the test sees what a user sees; … stands for anything."""
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    message = str(caught.value)
    assert "\n" not in message
    assert re.fullmatch(re.escape(text).replace("…", ".*"), message), message


# --- the same table from every format


@pytest.mark.parametrize("name", CASES)
def test_round_trip(write, name):
    path = write(name, written(CASES[name]))
    assert read_table(path).to_pydict() == ROWS
    assert [column for column, _ in column_names(path)] == list(ROWS)
    assert dict(column_names(path)) == {column: str(kind) for column, kind in TYPES.items()}


@pytest.mark.parametrize("name", TEXTS)
def test_gzip(write, name):
    packed = gzip.compress(written(CASES[name]))
    path = write(name + ".gz", packed)
    assert read_table(path).to_pydict() == ROWS
    assert dict(column_names(path))["score"] == "double"


def test_compression_is_told_by_content(write):
    assert read_table(write("unpacked.csv.gz", written("csv"))).to_pydict() == ROWS
    assert read_table(write("packed.csv", gzip.compress(written("csv")))).to_pydict() == ROWS
    two = gzip.compress(b"y,p\n0,0.5\n") + gzip.compress(b"1,0.75\n")
    assert read_table(write("members.csv.gz", two)).to_pydict() == {"y": [0, 1], "p": [0.5, 0.75]}


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet", "arrow", "stream"])
def test_standard_input_is_kept_between_calls(stdin, format):
    stdin(written(format))
    given = "arrow" if format == "stream" else format
    assert [name for name, _ in column_names("-", format=given)] == list(ROWS)
    assert read_table("-", ["score", "id"], format=given).to_pydict() == {
        "score": ROWS["score"], "id": ROWS["id"]
    }  # fmt: skip
    stdin(gzip.compress(b"y\n1\n"))
    assert read_table("-", format="csv").to_pydict() == {"y": [1]}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes among the files")
def test_pipe(tmp_path):
    read, put = os.pipe()
    os.write(put, written("csv"))
    os.close(put)
    path = f"/dev/fd/{read}"
    if not os.path.exists(path):
        pytest.skip("no /dev/fd")
    assert read_table(path, format="csv").to_pydict() == ROWS
    fails(
        FileError,
        f"{path} is empty (a pipe can be read only once). Use a file with a header and at least one row.",
        read_table, path, format="csv",
    )  # fmt: skip
    os.close(read)


@pytest.mark.parametrize("name", CASES)
def test_projection_keeps_the_order_asked_for(write, name):
    table = read_table(write(name, written(CASES[name])), ["score", "y"])
    assert table.to_pydict() == {"score": ROWS["score"], "y": ROWS["y"]}


def test_only_needed_columns_are_read(write, monkeypatch):
    # A column that is not asked for may be broken: its values are never converted.
    path = write("a.csv", b"y,note,p\n1,\xe9,0.5\n")
    assert read_table(path, ["y", "p"]).to_pydict() == {"y": [1], "p": [0.5]}
    asked = []
    read = pyarrow.parquet.ParquetFile.read
    monkeypatch.setattr(
        pyarrow.parquet.ParquetFile,
        "read",
        lambda self, columns: (asked.append(columns), read(self, columns))[1],
    )
    read_table(write("a.parquet", written("parquet")), ["score"])
    assert asked == [["score"]]


def test_format_overrides_the_name(write):
    assert read_table(write("a.txt", written("tsv")), format="tsv").to_pydict() == ROWS
    assert read_table(str(write("b.csv", written("parquet"))), format="parquet").to_pydict() == ROWS


def test_home_folder(write, monkeypatch):
    path = write("a.csv", written("csv"))
    monkeypatch.setenv("HOME", str(path.parent))
    monkeypatch.setenv("USERPROFILE", str(path.parent))
    assert read_table("~/a.csv").num_rows == 4


# --- types


def test_labels_are_dictionary_encoded(write):
    n = 300_000
    labels = np.array(["benign", "malignant", "unclear"])[np.arange(n) % 3]
    ids = [f"case {i}" for i in range(n)]
    table = pa.table({"y": labels, "id": ids})
    pyarrow.csv.write_csv(table, write("a.csv", b""))
    folder = write("a.csv.txt", b"").parent
    pyarrow.parquet.write_table(table, folder / "a.parquet", row_group_size=50_000)
    pl.from_arrow(table).write_parquet(folder / "b.parquet")
    for name in ("a.csv", "a.parquet", "b.parquet"):
        found = read_table(folder / name)
        assert pa.types.is_dictionary(found["y"].type), name
        dictionaries = {tuple(chunk.dictionary.to_pylist()) for chunk in found["y"].chunks}
        assert dictionaries == {("benign", "malignant", "unclear")}
        assert not pa.types.is_dictionary(found["id"].type), name
        assert found["y"].cast(pa.string()).equals(pa.chunked_array([labels]))
        assert found["id"].cast(pa.string()).combine_chunks().equals(pa.array(ids))


def test_text_views_become_plain(tmp_path):
    pl.DataFrame({"y": ["a", None], "p": [0.5, 0.25]}).write_ipc(tmp_path / "a.arrow")
    table = read_table(tmp_path / "a.arrow")
    assert table["y"].type == pa.large_string()
    assert table["y"].to_pylist() == ["a", None]


def test_a_type_that_changes_late(write):
    n = 150_000
    rows = "".join(f"{i % 10},{i},{i % 2}\n" for i in range(n))
    path = write("late.csv", f"y,p,t\n{rows}abc,0.5,true\n")
    assert path.stat().st_size > 1 << 20
    table = read_table(path)
    assert table["y"].to_pylist()[-2:] == [str((n - 1) % 10), "abc"]
    assert set(table["y"].to_pylist()) == {*"0123456789", "abc"}
    assert table["p"].type == pa.float64()
    assert table["p"].to_pylist()[-2:] == [n - 1.0, 0.5]
    assert table.num_rows == n + 1
    assert dict(column_names(path))["y"] in ("int64", "string")


def test_integers_beyond_64_bits_are_not_rounded(write):
    path = write("a.csv", "id,x,p,q\n18446744073709551615,1e30,inf,0\n18446744073709551614,2,0.5,1\n")
    table = read_table(path)
    assert table["id"].to_pylist() == ["18446744073709551615", "18446744073709551614"]
    assert table["x"].to_pylist() == [1e30, 2.0]
    assert table["p"].to_pylist() == [float("inf"), 0.5]
    assert table.column_names == ["id", "x", "p", "q"]


def test_csv_missing_and_quoted(write):
    table = read_table(write("a.csv", '\ufeff"y",p\r\n"NA",NA\r\nNA,0.5\r\n,NaN\r\nnull,1\r\n"",2\r\n'))
    assert table.to_pydict() == {"y": ["NA", None, None, None, ""], "p": [None, 0.5, None, 1.0, 2.0]}


def test_delimiter(write):
    path = write("a.csv", "y;p\na;0.5\nb;1\n")
    assert read_table(path, ["p"], delimiter=";").to_pydict() == {"p": [0.5, 1.0]}
    assert column_names(path, delimiter=";") == [("y", "string"), ("p", "double")]
    path.write_bytes(path.read_bytes().replace(b";", b"\t"))
    for tab in ("\t", "\\t", "tab"):  # as it is, as a shell passes it on, and as one says it
        assert read_table(path, ["p"], delimiter=tab).to_pydict() == {"p": [0.5, 1.0]}


def test_rows_and_headers_longer_than_a_block(write):
    long = "x" * (1 << 21)
    assert read_table(write("a.csv", f"y,t\n1,{long}\n2,b\n"))["t"].to_pylist() == [long, "b"]
    assert read_table(write("a.jsonl", f'{{"y":1,"t":"{long}"}}\n'))["t"].to_pylist() == [long]
    assert column_names(write("b.jsonl", f'{{"y":1,"t":"{long}"}}\n'))[1] == ("t", "string")
    names = [f"feature_{i:07d}" for i in range(80_000)]
    wide = write("w.csv", ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    assert read_table(wide, [names[-1]]).to_pydict() == {names[-1]: [1]}


def test_quoted_line_ends_across_blocks(write):
    n = 60_000
    path = write("a.csv", "t,y\n" + "".join(f'"some\ntext, {i}",{i}\n' for i in range(n)))
    table = read_table(path)
    assert table["y"].to_pylist() == list(range(n))
    assert table["t"].to_pylist() == [f"some\ntext, {i}" for i in range(n)]


def test_jsonl_mixes_numbers_and_lacks_fields(write):
    path = write("a.jsonl", '{"p":1,"y":"a"}\n{"p":0.5}\n\n{"y":"b","p":NaN}')
    table = read_table(path)
    assert table["p"].to_pylist()[:2] == [1.0, 0.5]
    assert table["y"].to_pylist() == ["a", None, "b"]


def test_jsonl_schema_of_a_long_file(write):
    path = write("a.jsonl", '{"y":"a","p":0.5}\n' * 100_000)
    assert column_names(path) == [("y", "string"), ("p", "double")]


# --- errors about the file


def test_missing_file(write, tmp_path):
    write("predictions.csv", "y\n1\n")
    path = tmp_path / "predictoins.csv"
    fails(FileError, f"File not found: {path}. Did you mean 'predictions.csv'?", read_table, path)
    fails(FileError, f"File not found: {tmp_path / 'zzz'}. Check the path.", read_table, tmp_path / "zzz")
    far = tmp_path / "nowhere" / "a.csv"
    fails(
        FileError,
        f"File not found: {far}. The folder {far.parent} cannot be read. Check the path.",
        read_table, far,
    )  # fmt: skip


def test_folder(tmp_path):
    fails(FileError, f"{tmp_path} is a folder. Name one file in it.", read_table, tmp_path)
    (tmp_path / "a.parquet").mkdir()
    fails(FileError, "… is a folder. Name one file in it.", column_names, tmp_path / "a.parquet")


def test_unknown_extension(write):
    path = write("a.docx", "y\n1\n")
    known = ".csv, .tsv, .tab, .jsonl, .ndjson, .json, .parquet, .pq, .arrow, .feather, .ipc, .arrows"
    text = (
        f"The format of {path} is unknown from its name. Known endings: {known}, and .gz or .zst after text endings. "
        "Rename the file, or use format=."
    )
    fails(FileError, text, read_table, path)
    fails(FileError, "The format of … is unknown from its name. …", read_table, write("a.parquet.gz", "x"))


def test_wrong_options(write):
    path = write("a.csv", "y\n1\n")
    fails(
        InputError,
        "format must be one of csv, tsv, parquet, arrow, jsonl, but is 'cvs'. Did you mean 'csv'?",
        read_table, path, format="cvs",
    )  # fmt: skip
    fails(
        InputError, "delimiter must be one character, such as ';' or a tab, but is ';;'.",
        read_table, path, delimiter=";;",
    )  # fmt: skip
    fails(
        InputError, "delimiter= has no effect on a parquet file. Remove it.",
        read_table, path, delimiter=";", format="parquet",
    )  # fmt: skip


def test_standard_input_errors(stdin, monkeypatch):
    fails(
        FileError,
        "The format of standard input is unknown. Use format= with one of csv, tsv, parquet, arrow, jsonl.",
        read_table, "-",
    )  # fmt: skip
    stdin(b"")
    fails(
        FileError, "standard input is empty. Use a file with a header and at least one row.",
        read_table, "-", format="csv",
    )  # fmt: skip
    monkeypatch.setattr(sys, "stdin", None)
    fails(
        FileError,
        "Standard input is closed or not binary. Pipe a file into the command, or name a file.",
        read_table, "-", format="csv",
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_empty(write, name):
    path = write(name, b"")
    fails(FileError, f"{path} is empty. Use a file with a header and at least one row.", read_table, path)


@pytest.mark.parametrize("content", ["y,p", "y,p\n", "\ufeffy,p\r\n\r\n"])
def test_header_only(write, content):
    path = write("a.csv", content)
    fails(
        FileError,
        f"{path} has no rows. Use a file with at least one row. Columns: y, p.",
        read_table,
        path,
        ["y"],
    )
    assert column_names(path) == [("y", "null"), ("p", "null")]


def test_no_rows_elsewhere(write):
    none = TABLE.slice(0, 0)
    for name in ("a.parquet", "a.arrow"):
        path = write(name, b"")
        if name == "a.parquet":
            pyarrow.parquet.write_table(none, path)
        else:
            pyarrow.feather.write_feather(none, path)
        fails(FileError, f"{path} has no rows. … Columns: id, y, score, seen.", read_table, path)
    fails(FileError, "… has no rows. … Columns: none.", read_table, write("a.jsonl", "\n\n"), ["y"])
    fails(FileError, "… has no rows. … Columns: none.", read_table, write("b.csv", "\n\n"))


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.ipc", "a.feather"])
def test_corrupt(write, name):
    whole = written(CASES[name])
    for content in (whole[: len(whole) // 2], whole[: len(whole) // 2] + os.urandom(99), b"y,p\n1,0.5\n"):
        path = write(name, content)
        kind = "parquet" if name == "a.parquet" else "arrow"
        text = f"{path} cannot be read as {kind}: … Check that the file is complete, or use …"
        fails(FileError, text, read_table, path)


def test_corrupt_text(write):
    packed = gzip.compress(written("csv") * 100)
    path = write("a.csv.gz", packed[:-12])
    fails(FileError, f"{path} cannot be read as csv: Truncated compressed stream. …", read_table, path)
    path = write("a.jsonl", '{"y":1}\n{"y":')
    fails(FileError, f"Line 2 of {path} is not a JSON object. Write …", read_table, path)
    mixed = write("b.jsonl", '{"y":1}\n{"y":"a"}\n')
    said = f"Column 'y' of {mixed} contains numbers and text. Use one type in the whole column."
    fails(InputError, said, read_table, mixed)
    fails(FileError, "Line 1 of … is not a JSON object. …", column_names, write("c.jsonl", '[{"y":1}]\n'))


def test_not_utf_8(write):
    path = write("a.csv", b"id,y\n1,caf\x8e\n" + b"2,tea\n" * 9000)
    fails(FileError, f"Column 'y' of {path} is not UTF-8 text. Save the file as UTF-8.", read_table, path)
    path = write("h.csv", b"id,caf\x8e\n1,2\n")
    fails(FileError, f"The header of {path} is not UTF-8 text. Save the file as UTF-8.", read_table, path)
    path = write("b.csv", b"id,y\n" + b"2,tea\n" * 200_000 + b"1,caf\xe9\n")
    fails(FileError, f"Column 'y' of {path} is not UTF-8 text. Save the file as UTF-8.", read_table, path)
    fails(FileError, "…Invalid UTF8…", read_table, write("c.jsonl", b'{"y":"caf\xe9"}\n'))
    assert read_table(write("d.csv", "y,p\n1,2\n".encode("utf-16"))).to_pydict() == {"y": [1], "p": [2]}
    path = write("e.csv", "y,p\n1,2\n".encode("utf-16-le"))
    fails(
        FileError,
        f"{path} is not csv text because it contains NUL bytes. Save UTF-16 text as UTF-8, …",
        read_table,
        path,
    )


def test_parquet_named_csv(write):
    fails(
        FileError,
        "… or use format= for another format.",
        read_table,
        write("a.csv", written("parquet")),
    )


def test_retired_feather(write):
    path = write("a.feather", b"FEA1\0\0\0\0 and so on")
    fails(FileError, f"{path} is a Feather file of version 1, which is not supported. …", read_table, path)


def test_no_permission(write, monkeypatch):
    path = write("a.csv", "y\n1\n")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(inputs, "open", refuse, raising=False)  # permissions do not bind the superuser
    fails(
        FileError,
        f"There is no permission to read {path}. Change its permissions, or copy it.",
        read_table,
        path,
    )


def test_ragged_rows(write):
    path = write("a.csv", "y,p\n1,0.5\n\n2\n")
    fails(
        FileError,
        f"Line 4 of {path} has 1 field, but the header has 2. "
        "Complete the row, or quote fields that contain the delimiter.",
        read_table, path, ["p"],
    )  # fmt: skip
    fails(FileError, f"Line 4 of {path} has 1 field, but the header has 2. …", column_names, path)
    path = write("b.csv", "y,p\n" + "1,0.5\n" * 300_000 + "1,2,3\n")
    fails(FileError, f"Line 300002 of {path} has 3 fields, but the header has 2. …", read_table, path)
    with pytest.raises(FileError, match="Use decimal points instead of decimal commas"):
        read_table(path)


# --- errors about columns


def test_missing_column(write):
    for name in ("a.csv", "a.jsonl", "a.parquet", "a.arrow"):
        path = write(name, written(CASES[name]))
        text = f"{path} has no column 'scor'. Columns: id, y, score, seen. Did you mean 'score'?"
        fails(InputError, text, read_table, path, ["y", "scor"])
        fails(InputError, f"{path} has no column 'Q'. Columns: id, y, score, seen.", read_table, path, ["Q"])


@pytest.mark.parametrize("names", ["y,score", "id,y,score,seen", "y,scor"])
def test_a_list_of_columns_where_one_is_wanted_is_told_so(write, names):
    """All that there are too; where one of them is no column, the nearest is asked for."""
    path = write("a.csv", written(CASES["a.csv"]))
    with pytest.raises(InputError) as refused:
        read_table(path, [names])
    assert ("Name one column here" in str(refused.value)) == ("scor" not in names.split(","))


def test_long_and_odd_lists_of_columns(write):
    path = write("a.csv", ",".join(f"c{i}" for i in range(30)) + "\n" + ",".join("1" * 30) + "\n")
    listed = ", ".join(f"c{i}" for i in range(10))
    fails(
        InputError,
        f"{path} has no column 'target'. Columns: {listed} and 20 more.",
        read_table,
        path,
        ["target"],
    )
    path = write("b.csv", 'y, p,"a,b",""\n1,2,3,4\n')
    fails(
        InputError,
        f"{path} has no column 'p'. Columns: y, ' p', 'a,b', ''. Did you mean ' p'?",
        read_table, path, ["p"],
    )  # fmt: skip


@pytest.mark.parametrize(("delimiter", "shown"), [(";", ";"), ("\t", "\\t"), ("|", "|")])
def test_other_delimiters_are_hinted_at(write, delimiter, shown):
    path = write("a.csv", f"y{delimiter}score\n1{delimiter}0.5\n")
    seems = f"The delimiter seems to be '{shown}'. Use delimiter=\"{shown}\"."
    one = repr(f"y{delimiter}score") if delimiter == "\t" else f"y{delimiter}score"
    fails(InputError, f"{path} has no column 'score'. {seems} Columns: {one}.", read_table, path, ["score"])
    path = write("b.csv", f"y{delimiter}p\n1{delimiter}a,b\n")
    fails(FileError, f"Line 2 of {path} has 2 fields, but the header has 1. {seems}", read_table, path)


@pytest.mark.wings("formats")
def test_columns_that_occur_twice(write, tmp_path):
    path = write("a.csv", "y,p,p\n1,0.5,0.25\n")
    text = f"{path} has 2 columns with the name 'p'. Use p#1 or p#2."
    fails(InputError, text, read_table, path, ["y", "p"])
    assert read_table(path, ["y", "p#2"]).to_pydict() == {"y": [1], "p#2": [0.25]}
    assert [name for name, _ in column_names(path)] == ["y", "p#1", "p#2"]
    twice = pa.table([pa.array([1]), pa.array([2])], names=["p", "p"])
    pyarrow.parquet.write_table(twice, tmp_path / "a.parquet")
    fails(InputError, "Column 'p' occurs twice in …", read_table, tmp_path / "a.parquet", ["p"])
    fails(
        InputError, "Column 'y' is named twice. Name it once.",
        read_table, path, ["y", "y"],
    )  # fmt: skip


def test_columns_must_be_a_list(write):
    path = write("a.csv", "y,p\n1,0.5\n")
    fails(
        InputError,
        "columns must be a list of names, such as ['y'], but is the text 'y'.",
        read_table,
        path,
        "y",
    )
    fails(InputError, f"No column of {path} is named. Name at least one.", read_table, path, [])


# --- frames


FRAMES = {
    "pandas": lambda: pd.DataFrame({"y": ["a", "b"], "p": [0.5, 0.25], "x": [1, 2]}),
    "polars": lambda: pl.DataFrame({"y": ["a", "b"], "p": [0.5, 0.25], "x": [1, 2]}),
    "polars lazy": lambda: pl.LazyFrame({"y": ["a", "b"], "p": [0.5, 0.25], "x": [1, 2]}),
    "pyarrow": lambda: pa.table({"y": ["a", "b"], "p": [0.5, 0.25], "x": [1, 2]}),
    "batch": lambda: pa.record_batch({"y": ["a", "b"], "p": [0.5, 0.25], "x": [1, 2]}),
    "dict": lambda: {"y": ["a", "b"], "p": np.array([0.5, 0.25]), "x": [1, 2]},
}
NATIVE = {
    "pandas": pd.Series, "polars": pl.Series, "polars lazy": pl.Series, "pyarrow": pa.ChunkedArray,
    "batch": pa.ChunkedArray,
}  # fmt: skip


KINDS = [
    pytest.param(kind, marks=pytest.mark.wings("formats")) if kind == "batch" else kind for kind in FRAMES
]


@pytest.mark.parametrize("kind", KINDS)
def test_frame_columns(kind):
    columns = frame_columns(FRAMES[kind](), ["p", "y"])
    assert list(columns) == ["p", "y"]
    assert [list(map(str, values)) for values in columns.values()] == [["0.5", "0.25"], ["a", "b"]]
    assert kind == "dict" or all(isinstance(values, NATIVE[kind]) for values in columns.values())


@pytest.mark.parametrize("kind", KINDS)
def test_missing_column_of_a_frame(kind):
    where = "The dict of columns" if kind == "dict" else "The frame"
    text = f"{where} has no column 'yy'. Columns: y, p, x. Did you mean 'y'?"
    fails(InputError, text, frame_columns, FRAMES[kind](), ["p", "yy"])


def test_lazy_frame_collects_only_what_is_asked_for():
    def never(_):
        raise AssertionError("a column that nobody asked for was computed")

    lazy = pl.LazyFrame({"y": [0, 1]}).with_columns(
        z=pl.col("y").map_batches(never, return_dtype=pl.Int64, is_elementwise=True)
    )
    assert frame_columns(lazy, ["y"])["y"].to_list() == [0, 1]


def test_odd_frames():
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    fails(
        InputError, "Columns of the frame have the same name (Expected unique column names, …). Rename them.",
        frame_columns, twice, ["a"],
    )  # fmt: skip
    fails(
        InputError,
        "The frame has no column '0'. Columns: 0, 1.",
        frame_columns,
        pd.DataFrame([[1, 2]]),
        ["0"],
    )
    wanted = "Pass a pandas, polars or Arrow table, or a dict of columns."
    fails(InputError, f"list is not a dataframe. {wanted}", frame_columns, [1, 2], ["a"])
    fails(InputError, f"Series is not a dataframe. {wanted}", frame_columns, pd.Series([1]), ["a"])
    fails(InputError, f"Series is not a dataframe. {wanted}", frame_columns, pl.Series([1]), ["a"])


def test_import_is_cheap():
    code = (
        "import sys, classay.sources.files, classay.sources.inputs; "
        "print([m for m in ('pyarrow', 'narwhals', 'pandas', 'polars') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("last", ["x", "01", "1.0"])
@pytest.mark.parametrize("order", [1, -1])
def test_ids_of_several_files_are_of_one_type(write, last, order):
    files = [write("a.csv", "i,y\n1,0\n2,1\n"), write("b.csv", f"i,y\n2,a\n{last},1\n")][::order]
    tables = read_tables([(each, ["i", "y"]) for each in files], labels=["i", "y"], together=["y"])[::order]
    assert [each["i"].to_pylist() for each in tables] == [["1", "2"], ["2", last]]


def test_ids_of_text_files_are_texts_beside_another_file_of_texts(write, tmp_path):
    from pyarrow import parquet

    parquet.write_table(pa.table({"i": ["1", "x"]}), tmp_path / "b.parquet")
    files = [write("a.csv", "i\n1\n2\n"), tmp_path / "b.parquet"]
    assert [
        each["i"].to_pylist()[0] for each in read_tables([(each, ["i"]) for each in files], labels=["i"])
    ] == [
        "1",
        "1",
    ]


def test_labels_with_leading_zeros_stay_text(write):
    path = write("a.csv", "y,q,p\n01,1,01\n1,2,1\n02,1,2\n")
    table = read_table(path, ["y", "q", "p"], labels=["y", "q"])
    assert table["y"].to_pylist() == ["01", "1", "02"]
    assert table["q"].to_pylist() == [1, 2, 1]
    assert table["p"].to_pylist() == [1, 1, 2]
    assert read_table(write("b.csv", "y\n0\n10\n-1\n\n"), labels=["y"])["y"].to_pylist() == [0, 10, -1]
    assert read_table(write("c.csv", "y\n1.0\n01.5\n"), labels=["y"])["y"].to_pylist() == ["1.0", "01.5"]


@pytest.mark.parametrize(
    "content",
    [
        b"null",
        b"null\n",
        b" null\n",
        b"\xef\xbb\xbfnull\n",
        b'null\n{"y": 1}\n',
        b'\n\nnull\n{"y": 1}\n',
        b'{"y": 1}\r\nnull',
    ],
)
def test_rows_of_json_that_are_null_are_one_line(tmp_path, content):
    """Arrow's reader ends the process where the first row of a block is null."""
    path = tmp_path / "preds.jsonl"
    path.write_bytes(content)
    line = content.split(b"null")[0].count(b"\n") + 1
    for read in (read_table, column_names):
        with pytest.raises(FileError, match=f"Line {line} of .* is null"):
            read(path)


def test_a_null_row_beyond_the_first_block_is_found(tmp_path):
    path = tmp_path / "preds.jsonl"
    row = b'{"y": "' + b"x" * 90 + b'"}\n'
    path.write_bytes(row * 20_000 + b"null\n" + row * 20_000)
    with pytest.raises(FileError, match="Line 20001 of"):
        read_table(path)
    path.write_bytes(row * 20_000 + b'{"y": null}\n' + row * 20_000)
    assert read_table(path).num_rows == 40_001


@pytest.mark.parametrize("index", [3, 127, -1, 2_000_000_000])
def test_an_index_beyond_an_arrow_dictionary_is_one_line(tmp_path, index):
    import pyarrow as pa
    from pyarrow import ipc

    path = tmp_path / "preds.arrow"
    indices = pa.array(np.array([0, 1, index] * 4, np.int32))
    labels = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]), safe=False)
    table = pa.table({"y": labels})
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(FileError, match="cannot be read as arrow"):
        read_table(path)


def test_hexadecimal_digits_are_no_number_in_any_column(tmp_path):
    """One rule for numbers in text, of lists and of files: `0x0A` is none, though Arrow reads it as 10."""
    path = tmp_path / "p.csv"
    path.write_text("y,score,n,note\n1,0x0A,7,0x1\n0,11,8,a\n")
    table = read_table(str(path), ["y", "score", "n", "note"])
    assert table["score"].to_pylist() == ["0x0A", "11"]
    assert table.schema.field("n").type == pa.int64()
    with pytest.raises(InputError, match="0x0A"):
        ca.assess(table, truth="y", score="score")


@pytest.mark.parametrize("suffix", ["arrow", "feather", "parquet", "csv"])
def test_a_file_that_gets_shorter_while_it_is_read_ends_no_process(tmp_path, suffix):
    """Reading a memory map beyond the end of its file is SIGBUS."""
    path = tmp_path / f"preds.{suffix}"
    table = pa.table({"y": np.arange(200_000) % 2, "p": np.linspace(0, 1, 200_000)})
    if suffix == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif suffix == "csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.feather.write_feather(table, path, compression="uncompressed")
    code = (
        "import os, sys\n"
        "from classay.sources.inputs import find_input\n"
        "stream = find_input(sys.argv[1], None, None).open()\n"
        "os.truncate(sys.argv[1], 100)\n"
        "assert len(stream.read()) <= 100\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.wings("resampling")
def test_a_frame_of_columns_with_one_name_is_refused_by_every_door():
    import pandas as pd

    twice = pd.DataFrame([[i % 2, i / 9, i / 7] for i in range(24)], columns=["y", "p", "p"])
    y = twice["y"]
    for call in (
        lambda: ca.assess(twice, truth="y", score="p"),
        lambda: ca.assess(y, twice[["p"]]),
        lambda: ca.compare(twice, truth="y", scores=["p"]),
        lambda: ca.compare(twice, dataset="y"),
        lambda: ca.evaluate("tree", twice, y, protocol="2fold"),
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.wings("formats")
@pytest.mark.parametrize("odd", ["true", '"x"', "[1]", '{"a": 1}'])
def test_a_field_of_json_that_nobody_asks_for_may_hold_anything(tmp_path, odd):
    name = tmp_path / "rows.jsonl"
    name.write_text(f'{{"y": "2020-01-01", "p": 0.5, "note": 1}}\n{{"p": 1, "note": {odd}, "y": "ü"}}\n')
    assert read_table(name, ["y", "p"], labels=["y"]).to_pydict() == {
        "y": ["2020-01-01", "ü"],
        "p": [0.5, 1.0],
    }
    with pytest.raises(InputError, match="no column 'q'"):
        read_table(name, ["y", "q"])
    with pytest.raises(InputError, match=r"Column 'note' of .* contains numbers and "):
        read_table(name, ["y", "note"])


def test_a_field_asked_for_that_stands_twice_is_refused_beside_any_other(tmp_path):
    name = tmp_path / "rows.jsonl"
    name.write_text('{"y": 1, "note": 1}\n{"y": 2, "note": "x", "y": 3}\n')
    with pytest.raises(FileError):
        read_table(name, ["y"])


def test_a_length_beyond_all_memory_is_a_damaged_file():
    source = inputs.Input("rows.arrow", "", b"", b"", "arrow", "", 0)
    with pytest.raises(FileError, match="not enough memory"), inputs.explained(source):
        raise MemoryError("malloc of size 9007199254740992 failed")


def test_compressed_lines_with_long_ids_and_bad_lines_read_as_plain_ones(tmp_path):
    lines = [f'{{"y": {k % 2}, "id": {2**70 + k}}}' for k in range(20)]
    results = []
    for packed in (lambda content: content, gzip.compress):
        for some in (lines, [*lines[:7], '{"y": 1', *lines[7:]]):
            path = tmp_path / ("a.jsonl" if packed is not gzip.compress else "a.jsonl.gz")
            path.write_bytes(packed("\n".join(some).encode()))
            try:
                results.append(read_table(path, ["y", "id"])["id"].to_pylist())
            except FileError as error:
                results.append(str(error).replace(f"{path.name} ", ""))
    assert results[:2] == results[2:]
    assert results[0][3] == str(2**70 + 3)
    assert results[1].startswith("Line 8 of ")
