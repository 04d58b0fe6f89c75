"""Sources of rows: the bytes of a file and their format, or the columns of a dataframe of any library.

Columns are checked against the requested ones, and errors explain what cannot be read. Rows of several sources are
brought into one order by an id. A dataframe is not converted.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args
from weakref import WeakKeyDictionary

from classay.column_names import listed_columns
from classay.errors import FileError, InputError, NoRowsError, nearest, nearest_column
from classay.kinds import Format, arrived, is_mapping, shown
from classay.sources.other_formats import behind, recognized, text_format
from classay.texts import an, clean, cut, hint, some
from classay.wings import altered, brought, way

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Array = NDArray[Any]


_TEXT_SUFFIXES: dict[str, Format] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"
}  # fmt: skip
_SUFFIXES: dict[str, Format] = {
    **_TEXT_SUFFIXES,
    **{suffix + end: format for suffix, format in _TEXT_SUFFIXES.items() for end in (".gz", ".zst")},
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arrows": "arrow"
}  # fmt: skip
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""Their first bytes."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
TEXT: tuple[Format, ...] = ("csv", "tsv", "jsonl")
BLOCK = 1 << 20
_LARGE_BLOCK = 1 << 28  # for a single row longer than a block
Result = TypeVar("Result")

# Standard input can be read once, yet a command asks for its columns first and its rows later. The bytes live
# as long as the stream they came from.
_standard_input: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


Stamp = tuple[int, int]


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True)
class Input:
    """One input: its name for messages, and a path or the bytes; `before` is the number of its lines above these.

    `stamp` is the size and the time of the last change of a file, when it was found. `layout` holds the options that
    wings add to how a file is read, and `cells` how Arrow converts the cells of text besides. Of text, only the bytes
    from `begin` to `end` are read, and `names`, where given, are those of its columns, so that it has no header. Its
    `encoding` is None where it is UTF-8, or where its first bytes tell it.
    """

    name: str
    path: str
    data: bytes | None
    head: bytes
    format: str
    delimiter: str
    before: int = 0
    stamp: Stamp | None = None
    layout: tuple[Any, ...] = ()
    cells: Mapping[str, Any] = field(default_factory=dict)
    begin: int = 0
    end: int | None = None
    names: tuple[str, ...] | None = None
    encoding: str | None = None

    @property
    def compression(self) -> str | None:
        """How text is compressed, told by content: servers and tools drop or keep ".gz"."""
        kinds = (kind for mark, kind in _COMPRESSED.items() if self.head.startswith(mark))
        return next(kinds, None) if self.format in TEXT else None

    @property
    def transcoded(self) -> str | None:
        """The encoding of text that is not UTF-8."""
        return "utf-16" if self.format in TEXT and self.head.startswith(_UTF_16) else self.encoding

    def open(self) -> Any:
        """Return a fresh stream of the content, decompressed, text in UTF-8.

        It is read and not memory-mapped: a file that another process shortens would end this one with SIGBUS.
        """
        import pyarrow as pa

        stream = _stream_at(self.path) if self.data is None else pa.BufferReader(self.data)
        if self.compression is not None:
            unpacked = pa.CompressedInputStream(stream, self.compression)
            stream = pa.PythonFile(Part(unpacked, partial(refuse_unpacked, self.name, stream.size())))
        if self.transcoded is not None:
            stream = pa.transcoding_input_stream(stream, self.transcoded, "utf-8")
        if self.begin:
            stream.read(self.begin)
        return stream if self.end is None else pa.PythonFile(Part(stream, size=self.end - self.begin))

    def content(self) -> bytes:
        """Return all bytes of `open`, in blocks: PyArrow takes any file of Python for one that can seek."""
        with self.open() as stream:
            return b"".join(iter(partial(stream.read, BLOCK), b""))

    def refuse_changed(self) -> None:
        """Refuse a file that has changed since it was found: the rows read may be neither the old nor the new ones."""
        if self.stamp is not None and _stamp(os.stat(self.path)) != self.stamp:
            raise FileError(
                f"{self.name} changed while it was read. Wait until it is complete, or read a copy."
            )


def is_address(path: str) -> bool:
    """Check whether a path is an address, such as s3://bucket/preds.csv, which a wing reads."""
    return "://" in path


def _stream_at(path: str) -> Any:
    import pyarrow as pa

    return way("read.address")(path) if is_address(path) else pa.OSFile(os.fsencode(path))


class Part(io.RawIOBase):
    """A stream, or its first bytes; `check` is called with the number of bytes that were read so far."""

    def __init__(self, stream: Any, check: Callable[[int], object] = int, size: int = sys.maxsize) -> None:
        self._stream, self._check, self._left, self._n_read = stream, check, size, 0

    def read(self, size: int = BLOCK) -> bytes:
        """Return the next bytes."""
        content = bytes(self._stream.read(min(size, self._left)))
        self._left, self._n_read = self._left - len(content), self._n_read + len(content)
        self._check(self._n_read)
        return content


MAX_RATIO = 100
"""How many times its size a file may unpack to."""
LIMITS = 1 << 28, sys.maxsize
"""Bytes that any file may unpack to, and that none may. Text with one label in all rows takes hardly any bytes."""
UNPACK = "Unpack it first."


def refuse_unpacked(
    name: str, packed: int, unpacked: int, limits: tuple[int, int] = LIMITS, end: str = UNPACK
) -> None:
    """Refuse a file that unpacks beyond both the first limit and MAX_RATIO times its size, or beyond the second."""
    most = min(max(limits[0], MAX_RATIO * packed), limits[1])
    if unpacked > most:
        beyond = f", but at most {limits[1] / 1e9:g} GB" if limits[1] < sys.maxsize else ""
        raise FileError(
            f"{name} has {packed:,} bytes and unpacks to more than {most:,} bytes. Files may unpack to "
            f"{limits[0] >> 20} MB or to {MAX_RATIO} times their size{beyond}. {end}"
        )


def find_input(
    path: str | os.PathLike[str], format: Format | None, delimiter: str | None, layout: tuple[Any, ...] = ()
) -> Input:
    """Find the bytes and the format, and refuse what is missing, empty, or not text where text is wanted."""
    text = os.path.expanduser(os.fsdecode(path))
    if text == "-":
        name, data = "standard input", None
        kind = _known_format(name, "", format)
        data = _all_standard_input()
        head, stamp = data[:8], None
    else:
        name = os.fsdecode(path)
        kind = _known_format(name, text, format)
        is_folder = kind in brought("formats") and os.path.isdir(text)
        head, data, stamp = (b"/", None, None) if is_folder else _opened(name, text)
    if not head:
        again = " (a pipe can be read only once)" if data is not None and text != "-" else ""
        # text of no bytes has no rows; a file of another format has bytes even then, and was cut off
        kind_of_error = NoRowsError if kind in TEXT else FileError
        raise kind_of_error(f"{name} is empty{again}. Use a file with a header and at least one row.")
    source = Input(
        name, text, data, head, kind, _checked_delimiter(kind, delimiter), stamp=stamp, layout=layout
    )
    if kind in TEXT:
        refuse_binary(source, _first_bytes(source))
    return source


def named_input(path: str | os.PathLike[str], format: Format | None, delimiter: str | None) -> Input:
    """Return an input, as far as its name and the options tell."""
    text = os.path.expanduser(os.fsdecode(path))
    name, known = ("standard input", "") if text == "-" else (os.fsdecode(path), text)
    kind = _known_format(name, known, format)
    return Input(name, text, None, b"", kind, _checked_delimiter(kind, delimiter))


def is_known_name(path: str) -> bool:
    """Check whether the name of a file tells its format."""
    return path.lower().endswith(tuple(_SUFFIXES))


def stem_of(path: str) -> str:
    """Return the name of a file without what tells its format.

    >>> stem_of("days/mon.csv.gz"), stem_of("days/mon.parquet"), stem_of("days/mon")
    ('days/mon', 'days/mon', 'days/mon')
    """
    lower = path.lower()
    return path[: -len(next((suffix for suffix in _SUFFIXES if lower.endswith(suffix)), "")) or None]


def _known_format(name: str, path: str, format: Format | None) -> str:
    known = get_args(Format)
    if format is not None:
        if format not in known:
            raise InputError(
                f"format must be one of {', '.join(known)}, but is {format!r}{nearest(str(format), known) or '.'}"
            )
        return format
    if not path:
        raise FileError(
            f"The format of {name} is unknown. Use {hint('format=', '--format')} with one of {', '.join(known)}."
        )
    if (other := recognized(path, name)) is not None:
        return other
    lower = path.lower()
    for suffix, file_format in _SUFFIXES.items():
        if lower.endswith(suffix):
            return file_format
    if (text := text_format(path)) is not None:
        return text
    if os.path.isdir(path) or not os.path.exists(path):
        _opened(name, path)  # a mistyped name deserves the hint about names, not the one about formats
    if lower.endswith(".classay"):
        raise FileError(
            f"{name} is a saved result, not a file of rows. "
            + hint(
                "Load it with classay.load.",
                "Use `classay runs` to show it, `classay compare` for the same cases, or `classay merge --apart` for "
                "different cases.",
            )
        )
    plain = ", ".join(suffix for suffix in _SUFFIXES if not suffix.endswith((".gz", ".zst")))
    raise FileError(
        f"The format of {name} is unknown from its name. Known endings: {plain}, and .gz or .zst after text endings. "
        f"Rename the file, or use {hint('format=', '--format')}."
    )


def _checked_delimiter(format: str, delimiter: str | None) -> str:
    if delimiter is None:
        return _DELIMITERS.get(format, "")
    if format not in _DELIMITERS:
        raise InputError(
            f"{hint('delimiter=', '--delimiter')} has no effect on {an(format)} file. Remove it."
        )
    delimiter = "\t" if delimiter in ("\\t", "tab") else delimiter  # as a shell passes it on
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise InputError(f"delimiter must be one character, such as ';' or a tab, but is {delimiter!r}.")
    return delimiter


def standard_input() -> Any:
    """Return the bytes of standard input as a stream, including those that were read before."""
    stream = _open_standard_input()
    return io.BytesIO(_standard_input[stream]) if stream in _standard_input else stream


def _open_standard_input() -> Any:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise FileError(
            "Standard input is closed or not binary. Pipe a file into the command, or name a file."
        )
    return stream


def _all_standard_input() -> bytes:
    stream = _open_standard_input()
    if stream not in _standard_input:
        try:
            _standard_input[stream] = stream.read()
        except OSError as error:
            raise FileError(f"Standard input cannot be read: {_one_line(error)}.") from error
    return _standard_input[stream]


def _opened(name: str, path: str) -> tuple[bytes, bytes | None, Stamp | None]:
    """The first bytes and the stamp; of what is no regular file all bytes, because a pipe cannot be opened again."""
    try:
        if is_address(path):
            with _stream_at(path) as stream:
                return stream.read(8), None, None
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            if stat.S_ISREG(about.st_mode):
                return file.read(8), None, _stamp(about)
            data = file.read()
            return data[:8], data, None
    except FileError:
        raise
    except FileNotFoundError as error:
        raise FileError(f"File not found: {name}{_nearest_file(path)}") from error
    except (IsADirectoryError, PermissionError) as error:
        if os.path.isdir(path):  # opening a folder raises PermissionError on Windows
            raise FileError(f"{name} is a folder. Name one file in it.") from error
        raise FileError(
            f"There is no permission to read {name}. Change its permissions, or copy it."
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise FileError(f"{name} cannot be opened: {_one_line(error)}.") from error


def _of_columns(path: str) -> str:
    """Return what may be meant by a name without an ending, on the command line: a second column."""
    return (
        "" if os.path.splitext(path)[1] else hint("", " Join names of columns by commas, as in --scores A,B.")
    )


def _nearest_file(path: str) -> str:
    folder, base = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            near = nearest(base, [entry.name for entry in islice(entries, 1000)])
    except OSError:
        return f". The folder {folder} cannot be read. Check the path.{_of_columns(path)}"
    return near or f". Check the path.{_of_columns(path)}"


FIRST_BYTES = 4096
"""Bytes of a file that are read to tell whether it is text."""


def _first_bytes(source: Input) -> bytes:
    with explained(source), source.open() as stream:
        return bytes(stream.read(FIRST_BYTES))


def refuse_binary(source: Input, first: bytes) -> None:
    """Refuse an input with bytes that no text has."""
    if b"\0" in first and not first.startswith(_UTF_16):  # a wing transcodes what was compressed
        raise FileError(
            f"{source.name} is not {source.format} text because it contains NUL bytes. Save UTF-16 text as UTF-8, or "
            f"use {hint('format=', '--format')} for another format."
        )


def _one_line(error: BaseException) -> str:
    # A reader may quote anything of a damaged file.
    return cut(clean(" ".join(str(error).split())).rstrip("."), 300)


@contextmanager
def explained(source: Input) -> Iterator[None]:
    """Turn whatever a reader raises about the content into one line that names the file and its format."""
    import csv

    import pyarrow as pa

    try:
        yield
        source.refuse_changed()
    except (pa.ArrowException, OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(
            f"{source.name} cannot be read as {source.format}: {_one_line(error)}. "
            f"Check that the file is complete, or use {hint('format=', '--format')} for another format."
        ) from error
    except MemoryError as error:  # a damaged length asks for any number of bytes
        raise FileError(
            f"There is not enough memory to read {source.name} as {source.format}. Check that the file is complete, or "
            "use fewer columns or rows."
        ) from error


def no_rows(source: Input, names: Sequence[str]) -> NoRowsError:
    """Return the error for an input that holds columns and no rows."""
    return NoRowsError(
        f"{source.name} has no rows. Use a file with at least one row. {listed_columns(names)}"
    )


def in_blocks(read: Callable[[int], Result]) -> Result:
    """Read in blocks that suit the processor's cache; again in large ones when one row exceeds a block."""
    import pyarrow as pa

    try:
        return read(BLOCK)
    except pa.ArrowInvalid as error:
        if "block" not in str(error):
            raise
        return read(_LARGE_BLOCK)


def chosen(names: Sequence[str] | None, available: Sequence[Any], where: str, hint: str = "") -> list[str]:
    """Check that each name asked for (all when None) is one column of those available, and return the names.

    Raises
    ------
    InputError
        When a name is missing, asked for twice or borne by two columns; when none is asked for.

    Examples
    --------
    >>> chosen(["score"], ["id", "y", "score"], "preds.csv")
    ['score']
    """
    if isinstance(names, str):
        raise InputError(f"columns must be a list of names, such as [{names!r}], but is the text {names!r}.")
    wanted = list(available if names is None else names)
    if not available:
        raise InputError(f"{where} has no columns. Use a table of predictions.")
    if not wanted:
        raise InputError(f"No column of {where} is named. Name at least one.")
    present, columns = set(available), behind(wanted, available)
    for name, column in zip(wanted, columns, strict=True):
        if column not in present:
            raise InputError(_missing(name, available, where, hint))
    twice = _first_repeated([name for name in available if name in set(columns)])
    if twice is not None:
        raise InputError(f"Column {twice!r} occurs twice in {where}. Rename one of the two.")
    twice = _first_repeated(wanted)
    if twice is not None:
        raise InputError(f"Column {twice!r} is named twice. Name it once.")
    return [*dict.fromkeys(columns)]


def listed(schema: Any) -> list[tuple[str, str]]:
    """Names and types, as text, of an Arrow schema."""
    return [(field.name, str(field.type)) for field in schema]


def _first_repeated(names: Sequence[Any]) -> Any:
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


ONE_COLUMN = hint(
    "Name one column here. Use `compare` for several models, or a dict of columns by class for several classes.",
    "Name one column here. Use `classay compare` for several models, or --class-scores LABEL=COL,LABEL=COL for several "
    "classes.",
)


def _missing(name: Any, available: Sequence[Any], where: str, hint: str) -> str:
    if numbered := [other for other in available if name and str(other).rpartition("#")[0] == name]:
        return f"{where} has {len(numbered)} columns with the name {name!r}. Use {' or '.join(numbered[:5])}."
    # A hint says that the names were not even split, so none of them is near.
    near = "" if hint else nearest_column(str(name), [other for other in available if isinstance(other, str)])
    if isinstance(name, str) and "," in name and {*name.split(",")} <= {*available}:
        hint, near = ONE_COLUMN, ""
    remark = f" {hint}" if hint else ""
    question = near.removeprefix(".")
    lead = f"The {where.removeprefix('the ')}" if where.startswith("the ") else where
    return f"{lead} has no column {cut(repr(name), 60)}.{remark} {listed_columns([*map(_shown, available)])}{question}"


def _shown(name: Any) -> str:
    """Return the bare name, or its repr where blanks, commas or control characters would mislead."""
    plain = isinstance(name, str) and name and name.isprintable() and name == name.strip() and "," not in name
    return str(name) if plain else repr(name)


def frame_columns(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the named columns of a dataframe, or of a plain dict of columns, as that library's own series.

    Any frame that narwhals knows is taken (pandas, polars, a pyarrow table, modin, …). A lazy frame is collected for
    these columns only.

    Raises
    ------
    InputError
        When the object is no frame, or a column is missing, asked for twice, or not unique.

    Examples
    --------
    >>> frame_columns({"y": [0, 1], "score": [0.2, 0.9], "age": [31, 64]}, ["y", "score"])
    {'y': [0, 1], 'score': [0.2, 0.9]}
    """
    if is_mapping(frame):
        columns = {name: frame[name] for name in chosen(names, list(frame), "the dict of columns")}
        return dict(altered("read.columns", columns, names, "The dict of columns"))
    import narwhals as nw

    known = _as_narwhals(frame)
    wanted = chosen(names, known.collect_schema().names(), "the frame")
    known = known.select(wanted).collect() if isinstance(known, nw.LazyFrame) else known
    columns = {name: known[name].to_native() for name in wanted}
    return dict(altered("read.columns", columns, names, "The frame"))


def frame_names(frame: Any) -> list[str]:
    """The names of the columns of a frame, or of a plain dict of columns. Raises InputError for what is no frame.

    >>> frame_names({"y": [0, 1], "score": [0.2, 0.9]})
    ['y', 'score']
    """
    if is_mapping(frame):
        return [*frame]
    return list(_as_narwhals(frame).collect_schema().names())


def columns_of_roles(frame: Any, roles: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the column of each role: the column of the frame that it names, or the column itself; None stays None.

    >>> columns_of_roles({"y": [0, 1], "w": [1, 2]}, {"truth": "y", "weight": [3, 4], "id": None})
    {'truth': [0, 1], 'weight': [3, 4], 'id': None}
    """
    names = named_in(roles)
    columns = frame_columns(frame, names) if names else {}
    return {role: columns[column] if isinstance(column, str) else column for role, column in roles.items()}


def named_in(roles: Mapping[Any, Any]) -> list[str]:
    """Return the names of columns among what roles hold, sorted, each once."""
    return sorted({name for name in roles.values() if isinstance(name, str)})


def roles_of_amounts(amounts: Any) -> dict[str, Any]:
    """Amounts that rows of a frame carry, by the names that costs use, as names of columns or as columns.

    Raises InputError for anything but a name, a list of names, or a mapping from names to columns or their names.

    >>> roles_of_amounts(["fee", "loan"]), roles_of_amounts({"amount": "Amount (EUR)"})
    ({'fee': 'fee', 'loan': 'loan'}, {'amount': 'Amount (EUR)'})
    """
    if isinstance(amounts, Mapping):
        return dict(amounts)
    listed = [amounts] if isinstance(amounts, str) else amounts
    if isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed):
        return {name: name for name in listed}
    raise InputError(
        f"With a frame, amounts must be names of columns, such as ['amount'], or a mapping, such as "
        f"{{'amount': 'Amount (EUR)'}}, but is {shown(amounts)}."
    )


def as_frame(table: Any) -> Any:
    """Return a dataframe of any library as a narwhals frame, or None for anything else (an array, a list).

    A lazy frame is collected.

    >>> as_frame([[1, 2], [3, 4]]) is None
    True
    """
    import numpy as np

    from classay.columns.opened import with_narwhals

    if isinstance(table, (np.ndarray, list, tuple)):
        return None
    import narwhals as nw

    known = with_narwhals(table, pass_through=True)
    if isinstance(known, nw.LazyFrame):
        return known.collect()
    return known if isinstance(known, nw.DataFrame) else None


def _as_narwhals(frame: Any) -> Any:
    from classay.columns.opened import with_narwhals

    try:
        return with_narwhals(frame)
    except TypeError as error:
        known = arrived({"the frame": frame})["the frame"]
        if known is not frame:
            return with_narwhals(known)
        raise InputError(
            f"{type(frame).__name__} is not a dataframe. Pass a pandas, polars or Arrow table, or a dict of columns."
        ) from error


Unmatched = Literal["refuse", "drop", "keep"]
"""What to do with the cases that some source lacks."""


def orders_by_id(ids: Mapping[str, Iterable[object]], unmatched: Unmatched = "refuse") -> dict[str, Array]:
    """For each source, the positions of the rows whose ids are in all sources, in the order of the first source.

    `ids` are columns of any one kind. Raises InputError for an id that is missing or occurs twice in a source, where no
    id is in all sources, and, if `unmatched` is "refuse", where another source lacks an id, with their numbers and an
    example. If unmatched cases are kept, the cases of all sources come, and -1 is the position of a case that a source
    lacks.

    >>> orders_by_id({"new": ["a", "b", "c"], "old": ["c", "a", "b"]})["old"]
    array([1, 2, 0])
    >>> orders_by_id({"new": ["d", "b", "c"], "old": ["c", "a", "b"]}, "drop")
    {'new': array([1, 2]), 'old': array([2, 0])}
    >>> orders_by_id({"new": ["d", "b"], "old": ["c", "b"]}, "keep")
    {'new': array([ 0,  1, -1]), 'old': array([-1,  1,  0])}
    """
    import numpy as np
    import pyarrow as pa

    from classay.columns.coding import id_column

    columns = _of_one_type({name: id_column(column, f"the id of {name}") for name, column in ids.items()})
    coded = pa.concat_arrays(list(columns.values())).dictionary_encode()
    codes = np.split(coded.indices.to_numpy(), np.cumsum([len(column) for column in columns.values()])[:-1])
    codes_of = dict(zip(columns, codes, strict=True))
    inside = {}
    for name, code in codes_of.items():
        times = np.bincount(code, minlength=len(coded.dictionary))
        if times.size and times.max() > 1:
            raise InputError(
                f"{int((times > 1).sum()):,} ids occur more than once in {name}, such as "
                f"{coded.dictionary[int(times.argmax())].as_py()!r}. Keep one row for each id, or use another column "
                "of ids."
            )
        inside[name] = times > 0
    if unmatched == "refuse":
        _refuse_unmatched(inside, coded.dictionary)
    in_all = np.logical_and.reduce([*inside.values()])
    if not in_all.any() and in_all.size:
        raise InputError(
            f"No id occurs in all models ({some([*codes_of])}), for example not {coded.dictionary[0].as_py()!r}. "
            "Use a column with the same ids for all models."
        )
    order = codes[0][in_all[codes[0]]]
    if unmatched == "keep":
        order = np.fromiter(dict.fromkeys(np.concatenate(codes).tolist()), np.intp)
    orders = {}
    for name, code in codes_of.items():
        at = np.full(len(coded.dictionary), -1, np.intp)
        at[code] = np.arange(code.size)
        orders[name] = at[order]
    return orders


def _of_one_type(columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
    long = "decimal128(38, 0)"
    nouns = {"int64": "whole numbers", long: "whole numbers", "large_string": "text", "large_binary": "bytes"}
    types = {str(column.type): column.type for column in columns.values()}
    if {*types} == {"int64", long}:
        return {name: column.cast(types[long]) for name, column in columns.items()}
    kinds = {nouns[str(column.type)]: name for name, column in columns.items()}
    if len(kinds) > 1:
        examples = {name: columns[name][0].as_py() for name in kinds.values() if len(columns[name])}
        columns_by_type = "; ".join(
            f"{name} {kind}, such as {examples.get(name)!r}" for kind, name in kinds.items()
        )
        raise InputError(f"The ids have different types ({columns_by_type}). Convert one of them.")
    return columns


def _refuse_unmatched(inside: Mapping[str, Array], ids: Any) -> None:
    """Refuse ids of one source that another lacks; `inside` marks those that each has."""
    from classay.columns.numbers import counted

    first, *others = inside
    for name in others:
        lacking, extra = inside[first] & ~inside[name], inside[name] & ~inside[first]
        sides = ((lacking, first, name), (extra, name, first))
        gaps = [
            f"{counted(int(mask.sum()), 'case')} of {one} {'is' if mask.sum() == 1 else 'are'} not in {other}"
            for mask, one, other in sides
            if mask.any()
        ]
        if gaps:
            example = ids[int((lacking if lacking.any() else extra).argmax())].as_py()
            drop, wrong = (hint(f"unanswered={word!r}", f"--unanswered {word}") for word in ("drop", "wrong"))
            raise InputError(
                f"The models have different cases: {' and '.join(gaps)}, such as {example!r}. Use {drop} to compare "
                f"the shared cases, or {wrong} to count missing predictions as incorrect."
            )


def numbers_of(X: Any) -> tuple[NDArray[Any], list[int]]:
    """Return the columns of an array or a pandas frame as numbers, `(rows, features)`, and which of them are numbers.

    Columns of text, dates and the like are NaN. Raises TypeError for anything else.
    """
    import numpy as np

    if hasattr(X, "iloc") and hasattr(X, "columns"):
        kinds = [getattr(dtype, "kind", "O") for dtype in X.dtypes]
        numeric = [k for k, kind in enumerate(kinds) if kind in "iuf"]
        values = np.full(X.shape, np.nan)
        for k in numeric:
            values[:, k] = X.iloc[:, k].to_numpy(float, na_value=np.nan)
        return values, numeric
    if isinstance(X, list):
        X = np.asarray(X)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "iufb":
        raise TypeError("no table of numbers")
    return X.astype(float), [*range(X.shape[1])]
