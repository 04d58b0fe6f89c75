"""Text counted in parts of few bytes: files, compressed ones, damaged ones and standard input."""

import gzip
import io
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from hypothesis import strategies as st

from .contract import hold
from .outside.files import EDITS, command, content_of, damaged
from .outside.files import INPUTS as FILES

COLUMNS = {
    "y": ["yes", "no"],
    "p": ["0", "1", "0.5", "0.25", ".7", "1e-3"],
    "w": ["1", "2", "0.5"],
    "note": [
        '"a\nb"',
        '"a,b"',
        '"a""b"',
        '"\r\n"',
        '""',
        "x",
        "",
        '"',
        'a"b',
        '"a"b',
        "ü",
        "\u2028",
        "'",
        '"a\n\n\nb"',
        '","',
    ],
}
LABELS = [
    ["0", "1"],
    ["yes", "no"],
    ["true", "false"],
    ["0", "01"],
    ["1", "1.0"],
    ["1", "x"],
    ["", "a"],
    ["ü", '"a,b"'],
    ["9" * 25, "1"],
]
LINES = {
    "y": ['"yes"', '"no"', "null"],
    "p": ["0", "1", "0.5", "1e-3"],
    "w": ["1", "2"],
    "note": ['"a\\nb"', '"\\""', "null", '"ü"', '"{"', '"2024-01-01"'],
}
ENDS = ["\n", "\n", "\r\n", "\r", "\n\n", "\r\r\n"]


def _mostly(values, draw):
    """Values of a column; mostly the first two."""
    return st.sampled_from(values[:2] * draw(st.sampled_from([1, 30, 1000])) + values)


@st.composite
def text(draw):
    """Rows of text with odd quotes and ends of lines, of one kind or with another kind of labels from some row on."""
    kind = draw(st.sampled_from(["csv", "csv", "tsv", "jsonl"]))
    n, gap = draw(st.integers(0, 30)), "\t" if kind == "tsv" else ","
    values = dict(LINES if kind == "jsonl" else COLUMNS)
    names = draw(
        st.sampled_from([["y", "p"], ["note", "y", "p"], ["y", "p", "w", "note"], ["p", "note", "y"]])
    )
    columns = {name: draw(st.lists(_mostly(values[name], draw), min_size=n, max_size=n)) for name in names}
    if kind != "jsonl" and draw(st.booleans()):
        first, then = draw(st.sampled_from(LABELS)), draw(st.sampled_from(LABELS))
        after = draw(st.integers(0, n))
        columns["y"] = [(first if i < after else then)[i % 2] for i in range(n)]
    rows = [*zip(*columns.values(), strict=True)]
    if kind == "jsonl":
        lines = [
            "{" + ", ".join(f'"{k}": {v}' for k, v in zip(names, row, strict=True)) + "}" for row in rows
        ]
    else:
        lines = [gap.join(each) for each in [names, *rows]]
    end = draw(st.sampled_from(ENDS))
    lead = draw(st.sampled_from([""] * 8 + ["\ufeff", "\n", "\r\n\r\n", " "]))
    content = (lead + end.join(lines) + draw(st.sampled_from(["", end]))).encode()
    return {
        "kind": kind,
        "content": content,
        "edits": draw(st.sampled_from([0] * 5 + [1]).flatmap(lambda d: EDITS if d else st.just([]))),
    }


def _is_short(given):
    """Whether a file is read in a moment in parts of a byte."""
    return given.get("rows", 0) < 900 and len(given.get("text", "")) < 60_000


INPUTS = st.fixed_dictionaries(
    {
        "file": st.one_of(*[text()] * 7, FILES.filter(_is_short)),
        "bytes": st.sampled_from([1, 7, 16, 64, 200, 1 << 24]),
        "packed": st.sampled_from(
            [""] * 5 + ["gz", "zst", "gz", "zst", "gz, damaged", "zst, damaged", "gz twice", "gz and more"]
        ),
        "by": st.sampled_from(["path"] * 5 + ["stdin", "stdin", "command", "folder", "limit"]),
        "how": st.sampled_from(
            [{}, {}, {"missing": "drop"}, {"memory": 0}, {"weight": "w"}, {"labels": ["yes", "no"]}]
        ),
        "labels only": st.sampled_from([False, False, True]),
        "more": EDITS,
    }
)


def _packed(content, how, edits):
    """The content as it is compressed."""
    import pyarrow as pa

    if how.startswith("gz"):
        content = gzip.compress(content, mtime=0)
        content += (
            gzip.compress(b"y,p\n", mtime=0)
            if how == "gz twice"
            else b"more"
            if how == "gz and more"
            else b""
        )
    elif how.startswith("zst"):
        content = pa.compress(content, "zstd", asbytes=True)
    return damaged(content, edits) if how.endswith("damaged") else content


@contextmanager
def _parts_of(size):
    """Parts of so many bytes."""
    from classay.in_parts import text_parts

    kept, text_parts.BYTES = text_parts.BYTES, size
    try:
        yield
    finally:
        text_parts.BYTES = kept


@contextmanager
def _standard_input(content):
    class Standard:
        buffer = io.BytesIO(content)

    kept, sys.stdin = sys.stdin, Standard()
    try:
        yield
    finally:
        sys.stdin = kept


def check(given):
    """Count in parts: what all rows at once say, or both refuse."""
    made = given["file"]
    if "content" in made:
        content, suffix = damaged(made["content"], made["edits"]), f".{made['kind']}"
    else:
        content, suffix = content_of(made)
    if (
        suffix.lstrip(".").partition(".")[0] in ("csv", "tsv", "jsonl")
        and given["packed"]
        and suffix != ".csv.gz"
    ):
        content, suffix = (
            _packed(content, given["packed"], given["more"]),
            f"{suffix}.{given['packed'][:3].strip(',').strip()}",
        )
    with tempfile.TemporaryDirectory() as folder, _parts_of(given["bytes"]):
        path = Path(folder, f"preds{suffix}")
        path.write_bytes(content)
        roles = {"truth": "y"} | ({"prediction": "y"} if given["labels only"] else {"score": "p"})
        how = (
            {"positive": "yes"} | given["how"]
            if b"yes" in made.get("content", b"yes")
            else dict(given["how"])
        )
        DOES[given["by"]](path, roles, how)


def _told(work):
    """The plain values of a result, or the error that came instead."""
    from classay.errors import ClassayError

    try:
        return work().to_dict(), None
    except ClassayError as error:
        return None, error


def _at_once(path, roles, how):
    """All rows at once."""
    import classay as ca
    from classay.sources.files import read_table

    how = {name: each for name, each in how.items() if name != "memory"}
    columns = list(dict.fromkeys([*roles.values(), *([how["weight"]] if "weight" in how else [])]))
    named = [roles[name] for name in ("truth", "prediction") if name in roles]
    return _told(lambda: ca.assess(read_table(path, columns, labels=named), **roles, **how))


def _same(found, wanted, how):
    (value, error), (other, reason) = found, wanted
    if "memory" in how and value is not None and other is not None:
        return  # scores in bins: other numbers, of which the tests of bins know how far they are
    if value is None and other is None:
        raise error
    hold(value is not None, "parts are refused, and all rows at once are not", error)
    hold(other is not None, "all rows at once are refused, and parts are not", reason)
    hold(value == other, "parts give another result than all rows at once", _first_difference(value, other))


def _first_difference(one, other):
    return next((f"{key}: {one[key]} {other.get(key)}" for key in one if one[key] != other.get(key)), "keys")


def _by_path(path, roles, how):
    import classay as ca

    _same(_told(lambda: ca.scan(str(path), **roles, **how)), _at_once(path, roles, how), how)


def _by_stdin(path, roles, how):
    import classay as ca
    from classay.errors import InputError

    form = path.name.split(".")[1]
    form = form if form in ("csv", "tsv", "jsonl", "parquet") else "arrow"
    with _standard_input(path.read_bytes()):
        found = _told(lambda: ca.scan("-", **roles, **how, format=form))
    if found[1] is not None and (
        "can be read once only" in str(found[1]) or "standard input" in str(found[1])
    ):
        raise found[1]
    wanted = _at_once(path, roles, how)
    if isinstance(found[1], InputError) and wanted[1] is None and form in ("parquet", "arrow"):
        raise found[1]
    _same(found, wanted, how)


def _by_folder(path, roles, how):
    """The same file twice in a folder: twice the rows."""
    import classay as ca

    (path.parent / f"again{path.name[5:]}").write_bytes(path.read_bytes())
    one, error = _told(lambda: ca.scan(str(path), **roles, **how))
    both, reason = _told(lambda: ca.scan(str(path.parent), **roles, **how))
    if one is None or both is None:
        hold(one is both, "a folder of two equal files is read otherwise than one", (error, reason))
        raise error
    hold(both["n"] == 2 * one["n"], "a folder of two equal files has other cases", (one["n"], both["n"]))


def _by_limit(path, roles, how):
    import classay as ca

    found = ca.scan(str(path), **roles, **how, limit=3)
    hold(found.rows <= 3, "more rows are read than the limit", found.rows)


def _by_command(path, roles, how):
    options = {"truth": "--truth", "score": "--score", "prediction": "--prediction", "positive": "--positive"}
    options |= {"missing": "--missing", "weight": "--weight"}
    flags = [
        part for name, each in (roles | how).items() if name in options for part in (options[name], each)
    ]
    command("assess", path, "--memory", str(how.get("memory", 1)), *flags)


DOES = {
    "path": _by_path,
    "stdin": _by_stdin,
    "folder": _by_folder,
    "limit": _by_limit,
    "command": _by_command,
}
