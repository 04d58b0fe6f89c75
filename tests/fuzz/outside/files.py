"""Files of rows: text in odd encodings and quotings, giant fields, and damaged bytes of every format that is read."""

import contextlib
import gzip
import io
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from ..contract import Refused, hold, one_line

DAMAGED = ("parquet", "arrow", "stream", "feather", "lz4", "jsonl", "csv", "tsv", "csv.gz", "nested")
FIELDS = [
    "0", "1", "0.5", "", "NA", "nan", "null", "yes", "no", '"a,b"', '"a""b"', '"a\nb"', '"', "a\x00b", "ü", "\ufeff",
    "1e400", "-inf", "99999999999999999999", "007", "1,5", "2020-01-01", "true", " 1 ", "\u202e1", "x" * 300, "=1+1",
    "[1]", '{"a": 1}', "9" * 400, "\x1b[31m",
]  # fmt: skip
VALUES = [
    "null", "true", "0", "1", "0.5", "1e400", "-0", '"a"', '"\\ud800"', '"\\u0000"', "[]", "[1, 2]", "{}", '{"b": 1}',
    "99999999999999999999", "1.5", '""', "nan", "{", "", '"2020-01-01"', "1e-400",
]  # fmt: skip
LINES = [
    "null",
    "[]",
    "1",
    '""',
    "{}",
    "",
    " ",
    "{",
    "true",
    '{"y": 1}{"y": 2}',
    '{"y": 0, "p": .5} null',
    "\t{}",
]


ENCODINGS = ["utf-8"] * 14 + ["utf-8-sig", "latin-1", "utf-16", "utf-32", "cp1252"]
USUAL = {
    "y": ["yes", "no"],
    "p": ["0", "1", "0.5", "0.25", ".7", "1e-3"],
    "w": ["1", "2"],
    "g": ["a", "b", "", "ü"],
}
"""What the columns usually hold; every so many fields hold something else."""


def _odd(values, others, share):
    """Mostly these values, otherwise one of the others."""
    return st.integers(0, share).flatmap(lambda drawn: st.sampled_from(values if drawn else others))


@st.composite
def _delimited(draw):
    kind, delimiter = draw(st.sampled_from([("csv", ","), ("csv", ","), ("tsv", "\t"), ("csv", ";")]))
    width = draw(st.integers(1, 4) if draw(st.integers(0, 9)) == 0 else st.integers(2, 4))
    usual = ["y", "p", "w", "g"][:width]
    names = draw(st.sampled_from([usual] * 8 + [["y"] * width, ["y", "", "p", "p"][:width]]))
    fields = [_odd(USUAL.get(name, FIELDS), FIELDS, draw(st.sampled_from([3, 60, 200]))) for name in usual]
    lines = [delimiter.join(names)]
    for _ in range(draw(st.integers(0, 8))):
        row = [draw(field) for field in fields]
        more = draw(st.sampled_from([0] * 90 + [-1, 1]))
        lines.append(delimiter.join(row[:-1] if more < 0 else row + ["1"] * more))
    text = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])).join(lines)
    if draw(st.integers(0, 19)) == 0:
        text += "\n0," + "y" * draw(st.sampled_from([70_000, 200_000, 1_200_000]))
    return {"kind": kind, "text": text, "encoding": draw(st.sampled_from(ENCODINGS))}


@st.composite
def _json_lines(draw):
    lines, share = [], draw(st.sampled_from([3, 60, 200]))
    usual = {"y": ['"yes"', '"no"'], "p": ["0", "1", "0.5", "0.25"], "z": ["null", '"a"']}
    for _ in range(draw(st.integers(0, 6))):
        if draw(st.integers(0, share)) == 0:
            lines.append(draw(st.sampled_from(LINES)))
            continue
        names = draw(_odd([("y", "p")], [("p", "y"), ("y",), ("y", "y"), ("y", "p", "z")], share))
        values = [draw(_odd(usual[name], VALUES, share)) for name in names]
        lines.append(
            "{" + ", ".join(f'"{name}": {value}' for name, value in zip(names, values, strict=True)) + "}"
        )
    text = draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n"])).join(lines)
    return {"kind": "jsonl", "text": text, "encoding": draw(st.sampled_from(ENCODINGS))}


_place = st.floats(0, 1, exclude_max=True)
_edit = st.one_of(
    st.tuples(st.just("flip"), _place, st.integers(0, 7)),
    st.tuples(st.just("set"), _place, st.sampled_from([0, 1, 127, 128, 255])),
    st.tuples(st.just("word"), _place, st.sampled_from([0, 1, 2**31 - 1, 2**31, 2**32 - 1, 100_000])),
    st.tuples(st.just("cut"), _place, st.just(0)),
    st.tuples(st.just("drop"), _place, st.integers(1, 64)),
    st.tuples(st.just("double"), _place, st.integers(1, 64)),
)
EDITS = st.lists(_edit, min_size=1, max_size=3)
_damaged = st.fixed_dictionaries(
    {"kind": st.sampled_from(DAMAGED), "edits": EDITS, "rows": st.sampled_from([4, 60, 900])}
)
INPUTS = st.builds(
    lambda given, by, null: given | {"by": by, "format": null},
    st.one_of(_delimited(), _json_lines(), _damaged, _damaged),
    st.sampled_from(["table", "table", "columns", "command", "command"]),
    st.sampled_from([None] * 40 + ["csv", "parquet", "arrow", "jsonl", "tsv"]),
)


def damaged(content, edits):
    """The bytes with each edit done in turn; places are shares of the length."""
    data = bytearray(content)
    for kind, share, how in edits:
        at = int(share * len(data))
        if not data:
            break
        if kind == "flip":
            data[at] ^= 1 << how
        elif kind == "set":
            data[at] = how
        elif kind == "word":
            data[at : at + 4] = how.to_bytes(4, "little")
        elif kind == "cut":
            del data[at:]
        elif kind == "drop":
            del data[at : at + how]
        else:
            data[at:at] = data[at : at + how]
    return bytes(data)


@cache
def whole(kind, rows):
    """The bytes of a whole file of a kind, and its suffix."""
    import pyarrow as pa
    from pyarrow import csv, feather, ipc, parquet

    table = pa.table(
        {
            "y": pa.array(["yes" if i % 3 else "no" for i in range(rows)]).dictionary_encode(),
            "p": [None if i == 3 and kind == "nested" else i % 17 / 17 for i in range(rows)],
            "g": [f"town {i % 7}" for i in range(rows)],
            "w": [i % 5 for i in range(rows)],
        }
    )
    if kind == "nested":
        table = table.append_column("s", pa.array([{"a": i, "b": [i] * (i % 3)} for i in range(rows)]))
    out = io.BytesIO()
    if kind in ("parquet", "nested"):
        parquet.write_table(table, out)
        return out.getvalue(), ".parquet"
    if kind in ("arrow", "stream"):
        with (ipc.new_file if kind == "arrow" else ipc.new_stream)(out, table.schema) as writer:
            writer.write_table(table)
        return out.getvalue(), ".arrow"
    if kind in ("feather", "lz4"):
        feather.write_feather(table, out, compression="uncompressed" if kind == "feather" else "lz4")
        return out.getvalue(), ".feather"
    if kind == "jsonl":
        return "".join(f"{row}\n" for row in table.to_pylist()).replace("'", '"').encode(), ".jsonl"
    plain = table.set_column(0, "y", table["y"].cast(pa.string()))
    csv.write_csv(plain, out, csv.WriteOptions(delimiter="\t" if kind == "tsv" else ","))
    return (gzip.compress(out.getvalue(), mtime=0) if kind == "csv.gz" else out.getvalue()), f".{kind}"


def content_of(given):
    """The bytes of an input and the suffix of its file."""
    if "edits" in given:
        content, suffix = whole(given["kind"], given["rows"])
        return damaged(content, given["edits"]), suffix
    return given["text"].encode(given["encoding"], "replace"), "." + given["kind"]


def check(given):
    """Read the file: as a table, as its columns, or by the command."""
    from classay.sources.files import column_names, read_table

    content, suffix = content_of(given)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "preds" + suffix)
        path.write_bytes(content)
        if given["by"] == "table":
            table = read_table(path, format=given["format"])
            table.validate(full=True)
            table.to_pylist()
        elif given["by"] == "columns":
            column_names(path, format=given["format"])
        else:
            form = () if given["format"] is None else ("--format", given["format"])
            command("assess", path, "--truth", "y", "--score", "p", "--positive", "yes", *form)


def command(*arguments, codes=(0, 1, 2, 3), folder=None):
    """Call the command; its exit code is one that is meant, a refusal is one line, and raised. What it printed."""
    from typer.testing import CliRunner

    with contextlib.chdir(folder or tempfile.gettempdir()), CliRunner().isolation() as (out, err, _):
        try:
            _commands().main(args=[os.fspath(each) for each in arguments], prog_name="classay")
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        printed, said = (each.getvalue().decode("utf-8", "replace") for each in (out, err))
    hold(code in codes, f"exit code {code}{_fault(said)}", said)
    if code == 2:
        hold(not printed, "a refused input prints a result", printed[:500])
        one_line(said.rstrip("\n"))
        raise Refused
    return printed


@cache
def _commands():
    """The commands, put together once: Typer does it at every call."""
    from typer.main import get_command

    from classay.cli import app

    return get_command(app)


def _fault(said):
    return ": " + said.partition("failed (")[2].partition(":")[0] if "Internal error" in said else ""
