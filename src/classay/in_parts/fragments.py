"""Fragments: parts of more rows than memory holds; each is read by itself, and again if need be."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

from classay.columns.opened import opened, with_narwhals
from classay.errors import ClassayError, InputError, NoRowsError, in_our_words
from classay.files.writing import FEW, identity, is_stream, same_files
from classay.in_parts.batches import batches_of, table_of
from classay.in_parts.named_files import files_in, format_of_parts
from classay.in_parts.text_parts import Spelling, TextPart, is_text, stream_of, text_parts
from classay.kinds import Format, arrived
from classay.sources.files import column_names, opened_arrow, parquet_file, read_table
from classay.sources.inputs import Input, chosen, explained, find_input, frame_names, named_input, stem_of
from classay.sources.other_formats import behind, finished, meant, prepared, reader_of
from classay.wings import altered

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1_000_000
"""Rows of a fragment to aim for: enough to keep a thread busy, few enough to hold several."""
BYTES = 2**25
"""Bytes of a fragment to aim for, where rows are wide: the scores of a thousand classes."""
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The folder of the rows whose value is missing."""
OF_FILES = (b"ARROW1", b"FEA1")
"""The first bytes of Arrow files: they are read from their end, so a stream of one is held as a whole."""


class Fragment(Protocol):
    """A part of the rows: its unique name, its number of rows if known, and its columns."""

    @property
    def key(self) -> str:
        """The name of this fragment, which no other fragment has."""
        ...

    @property
    def rows(self) -> int | None:
        """The number of rows, if it is known before the fragment is read."""
        ...

    def spelling(self, column: str) -> Spelling | None:
        """Return how the labels of a column are written, where only all labels together tell their type; or None."""
        ...

    def read(self, columns: Sequence[str], labels: Sequence[str], together: Sequence[str] = ()) -> pa.Table:
        """The named columns; those in `labels` hold labels, as written in the file if the column has a spelling.

        Those `together` label the classes.
        """
        ...


@dataclass(frozen=True)
class FilePart:
    """A whole file, or some row groups of a Parquet file."""

    path: str
    format: Format | None = None
    groups: tuple[int, ...] | None = None
    rows: int | None = None
    layout: tuple[Any, ...] = ()

    @property
    def key(self) -> str:
        """The path, and which row groups."""
        if self.groups is None:
            return self.path
        first, last = self.groups[0], self.groups[-1]
        return (
            f"{self.path}, row group {first}" if first == last else f"{self.path}, row groups {first}–{last}"
        )

    def spelling(self, _: str) -> Spelling | None:
        """None: these files say what their columns are."""
        return None

    def read(self, columns: Sequence[str], labels: Sequence[str], together: Sequence[str] = ()) -> pa.Table:
        """Return the named columns of these rows; if none are named, one column with which to count the rows."""
        if self.groups is not None:
            return _row_groups(self, columns, together)
        return read_table(
            self.path,
            columns or None,
            labels=labels,
            together=together,
            format=self.format,
            layout=self.layout,
        )


@dataclass(frozen=True)
class SharedColumns:
    """A part of a file with columns, as text, from the names of its folders (`year=2024`); None for missing."""

    part: Fragment
    shared: Mapping[str, str | None]

    @property
    def key(self) -> str:
        """The name of the part."""
        return self.part.key

    @property
    def rows(self) -> int | None:
        """The rows of the part."""
        return self.part.rows

    def spelling(self, column: str) -> Spelling | None:
        """Names of folders are text."""
        return "text" if column in self.shared else self.part.spelling(column)

    def read(self, columns: Sequence[str], labels: Sequence[str], together: Sequence[str] = ()) -> pa.Table:
        """Return the named columns."""
        import pyarrow as pa

        within = [name for name in columns if name not in self.shared]
        table = self.part.read(within, [name for name in labels if name in within], together)
        rows = table.num_rows
        for name in [name for name in columns if name in self.shared]:
            text = self.shared[name]
            value = text if name in labels or text is None else _typed(text)
            column = pa.nulls(rows) if value is None else pa.repeat(value, rows)
            table = table.append_column(name, column) if table.num_columns else pa.table({name: column})
        return table.select(list(columns))


@dataclass(frozen=True)
class TablePart:
    """Some rows of a table in memory."""

    key: str
    table: Any
    where: str = "the frame"
    layout: tuple[Any, ...] = ()
    source: Input | None = None
    """The file of these rows, where the text of its columns may have to be read as numbers."""

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process go these rows only: a slice of a table would take the whole table along."""
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as writer:
            writer.write_table(self.table)
        return _unpacked, (self.key, sink.getvalue().to_pybytes(), self.where, self.layout, self.source)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    def spelling(self, _: str) -> Spelling | None:
        """None: columns of frames are what they are."""
        return None

    def read(self, columns: Sequence[str], labels: Sequence[str], together: Sequence[str] = ()) -> pa.Table:
        """Return the named columns."""
        table = self.table.select(chosen(columns, self.table.column_names, self.where))
        if self.source is not None:
            table = finished(table, self.source, columns, labels)
        return meant(table, columns, self.where, together, self.layout)


@dataclass(frozen=True)
class DaskPart:
    """A partition of a dataframe of Dask."""

    key: str
    delayed: Any

    @property
    def rows(self) -> None:
        """Not known before it is computed."""
        return

    def spelling(self, _: str) -> Spelling | None:
        """None: columns of frames are what they are."""
        return None

    def read(self, columns: Sequence[str], labels: Sequence[str], together: Sequence[str] = ()) -> pa.Table:
        """Return the named columns."""
        return self.holding(self.delayed.compute()).read(columns, labels, together)

    def apart(self) -> tuple[Any, DaskPart]:
        """Return what Dask must compute, and this part without it."""
        return self.delayed, replace(self, delayed=None)

    def holding(self, frame: Any) -> TablePart:
        """Return the partition when it is computed: on a cluster, where it lies."""
        import narwhals as nw

        return TablePart(self.key, nw.from_native(frame).to_arrow())


def _unpacked(key: str, rows: bytes, where: str, layout: tuple[Any, ...], source: Input | None) -> TablePart:
    import pyarrow as pa

    return TablePart(key, pa.ipc.open_stream(rows).read_all(), where, layout, source)


def fragments_of(
    source: Any,
    columns: Sequence[str],
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
) -> Iterator[Fragment]:
    """Yield the fragments of files, patterns and folders of them, or of a frame of any library that speaks Arrow.

    In a folder, every file below it with the ending of a table is read; `year=2024` in a path becomes a column `year`.
    Raises FileError where no file is found or one cannot be read; InputError for any other source.
    """
    if (named := named_in(source)) is not None:
        files = [file for name in named for file in files_in(name, format)]
        shared = [_shared(path, root, columns) for path, root in files]
        _refuse_copies([path for path, _ in files], shared, format, delimiter, layout)
        empty, has_rows = None, False
        for (path, _), of_path in zip(files, shared, strict=True):
            try:
                for part in _parts(path, columns, format, delimiter, layout):
                    has_rows = True
                    yield SharedColumns(part, of_path) if of_path else part
            except NoRowsError as error:  # of 0 bytes; others say so when they are read
                empty = error
        if empty is not None and not has_rows:
            raise empty
        return
    is_of_dask = hasattr(source, "to_delayed") and hasattr(source, "npartitions")
    yield from (_of_dask if is_of_dask else _of_frame)(source, columns)


def column_names_of(
    source: Any,
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
) -> Iterator[tuple[str, list[str]]]:
    """Yield each file's name with the names of its columns, or a frame's, read from the first rows alone.

    Raises InputError for a source that can be read only once and is no frame; FileError as `fragments_of` does.
    """
    if (named := named_in(source)) is not None:
        if is_read_once(named):
            raise InputError(
                "A pattern of columns cannot be used with standard input or a pipe, which are read only once. Name "
                "each "
                "column."
            )
        for name in named:
            for path, _ in files_in(name, format):
                try:
                    known = column_names(path, format=format, delimiter=delimiter, layout=layout)
                except NoRowsError:
                    continue
                yield path, [column for column, _ in known]
        return
    batches = batches_of(source)
    yield "the frame", frame_names(source) if batches is None else batches.names


def named_in(source: Any) -> list[str] | None:
    """Return the files, patterns and folders that a source names, one or several; None where it is a frame."""
    names = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(names, Sequence) and names and all(isinstance(one, str | os.PathLike) for one in names):
        return [os.fspath(one) for one in names]
    return None


def _refuse_copies(
    files: Sequence[str],
    shared: Sequence[Mapping[str, str | None]],
    format: Format | None,
    delimiter: str | None,
    layout: tuple[Any, ...],
) -> None:
    """Refuse a file that is there twice, or whose copy is; warn of what may be a copy.

    That is one with few distinct rows, which may be by chance, and one of the same name in another format.

    Files of the same bytes hold different rows where the names of their folders say so.
    """
    of_folders = {os.path.expanduser(path): dict(named) for path, named in zip(files, shared, strict=True)}
    for one, other, _ in same_files(files):
        if identity(one) == identity(other):
            raise InputError(f"{other} is named twice. Name each file once.")
        if of_folders[one] != of_folders[other]:
            continue
        distinct = len(_first_rows(other, format, delimiter, layout))
        what = f"{one} and {other} contain the same rows"
        if distinct > FEW:
            raise InputError(f"{what}. Remove one of the files.")
        if distinct:
            text = f"{what}. Both are counted. Exclude one if it is a copy."
            warnings.warn(text, CopiedRowsWarning, stacklevel=2)
    first: dict[str, str] = {}
    for file in of_folders:
        one = first.setdefault(stem_of(file), file)
        if one != file:
            text = (
                f"{one} and {file} have the same name and may contain the same rows. Both are counted. Exclude one if "
                "it is a copy."
            )
            warnings.warn(text, CopiedRowsWarning, stacklevel=2)


class CopiedRowsWarning(UserWarning):
    """Two files may hold the same rows, few distinct ones or in two formats, by chance or not: all are counted."""


def _first_rows(path: str, format: Format | None, delimiter: str | None, layout: tuple[Any, ...]) -> set[str]:
    """The distinct ones among the first rows of a file; none of one that cannot be read, which its reader says."""
    from classay.sources.files import read_table

    try:
        format = format_of_parts(path, format)
        if is_text(path, format):
            source = find_input(path, format, delimiter)
            with explained(source), source.open() as stream:
                lines = bytes(stream.read(2**16)).decode(errors="replace").splitlines()
            return {*(lines if source.format == "jsonl" else lines[1:])} - {""}
        if named_input(path, format, delimiter).format != "parquet":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what is recognized of a file is told when it is counted
                rows = read_table(path, format=format, layout=layout).slice(0, ROWS_TOLD)
            return {*map(str, rows.to_pylist())}
        with find_input(path, format, delimiter).open() as stream:
            first = next(parquet_file(stream).iter_batches(ROWS_TOLD), None)
        return set() if first is None else {*map(str, first.to_pylist())}
    except (ClassayError, OSError, ValueError):
        return set()


ROWS_TOLD = 1000
"""Rows of a file that are read to see whether its rows differ from each other."""


def is_read_once(source: Any) -> bool:
    """Check whether a source is used up by reading it."""
    import pyarrow as pa

    paths = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(paths, list | tuple):
        return any(is_stream(os.fspath(path)) for path in paths if isinstance(path, str | os.PathLike))
    return isinstance(source, pa.RecordBatchReader)


def _shared(path: str, root: str, columns: Sequence[str]) -> dict[str, str | None]:
    """The columns asked for that folders name: `country=DE`; the name that stands for a missing value is none."""
    pairs = [
        part.split("=", 1) for part in Path(os.path.relpath(path, root or ".")).parts[:-1] if "=" in part
    ]
    named = ((name, unquote(value)) for name, value in pairs if name in columns)
    return {name: None if value == HIVE_NULL else value for name, value in named}


def _typed(value: str) -> int | str:
    """Return what the name of a folder says: a whole number where it is written as one."""
    return int(value) if value.isdecimal() and str(int(value)) == value else value


def _parts(
    path: str,
    columns: Sequence[str],
    format: Format | None,
    delimiter: str | None,
    layout: tuple[Any, ...],
) -> Iterator[Fragment]:
    if os.path.isdir(path):
        source = find_input(path, None, delimiter, layout)
        if layout:
            source = prepared(source)  # which refuses options without effect
        yield from _of_frame(reader_of(source).table_at(source), columns, source.name)
        return
    format = format_of_parts(path, format)
    if is_text(path, format):
        yield from _told(text_parts(path, format, delimiter, layout), columns)
        return
    if layout:
        prepared(find_input(path, format, delimiter, layout))  # which refuses options without effect
    if is_stream(path) and named_input(path, format, delimiter).format == "arrow":
        source, stream = stream_of(named_input(path, format, delimiter))
        if not source.head.startswith(OF_FILES):
            yield from _of_stream(replace(source, layout=layout), stream)
            return
    source = find_input(path, format, delimiter)
    if (batches := _batches_in(replace(source, layout=layout), columns)) is not None:
        yield from _of_batches(replace(source, layout=layout), batches)
        return
    if source.format != "parquet" or source.data is not None:
        yield FilePart(path, format, layout=layout)
        return
    yield from _groups_of(source, FilePart(path, format, layout=layout), columns)


def _groups_of(source: Input, file: FilePart, columns: Sequence[str]) -> Iterator[FilePart]:
    """Yield parts of a Parquet file: row groups, put together until they are worth a thread."""
    with explained(source), source.open() as stream:
        about = parquet_file(stream).metadata
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
    ends, size = [0], 0
    for i, group in enumerate(groups):
        size += max(group.num_rows, ROWS * _bytes_of(group, columns) // BYTES)
        if size >= ROWS or i == len(groups) - 1:
            ends.append(i + 1)
            size = 0
    for first, last in pairwise(ends):
        if rows := sum(row_group.num_rows for row_group in groups[first:last]):
            yield replace(file, path=source.path, groups=tuple(range(first, last)), rows=rows)


def _told(parts: Iterator[TextPart], columns: Sequence[str]) -> Iterator[TextPart]:
    """Yield the parts of a text after what is recognized of it is said."""
    for number, part in enumerate(parts):
        if not number:
            altered("read.told", part.source, columns)
        yield part


def _bytes_of(group: Any, columns: Sequence[str]) -> int:
    """Return the bytes that the named columns of a row group take when they are read."""
    tops = [group.column(i).path_in_schema.partition(".")[0] for i in range(group.num_columns)]
    wanted = {*columns, *behind(columns, tops)}
    return sum(group.column(i).total_uncompressed_size for i, top in enumerate(tops) if top in wanted)


def _of_stream(source: Input, stream: Any) -> Iterator[TablePart]:
    """Yield the batches of an Arrow stream as they come, which need not fit into memory together."""
    import pyarrow as pa

    with stream, pa.ipc.open_stream(stream) as reader:
        yield from _of_batches(source, reader)


def _batches_in(source: Input, columns: Sequence[str]) -> Iterator[Any] | None:
    """Return the batches of a large Arrow file, or of one of a wing that reads it in batches; None of any other."""
    reader = reader_of(source)
    has_batches = source.format == "arrow" or hasattr(reader, "batches")
    if source.data is not None or not has_batches or _size_of(source) < BYTES:
        return None
    return _batches_of_arrow(source, columns) if reader is None else reader.batches(source, columns)


def _size_of(source: Input) -> int:
    with explained(source), source.open() as stream:
        return int(stream.size())


def _batches_of_arrow(source: Input, columns: Sequence[str]) -> Iterator[Any]:
    with source.open() as stream:
        available = opened_arrow(source, stream).schema.names
    places = [available.index(name) for name in chosen(columns, available, source.name)]
    with source.open() as stream:
        reader = opened_arrow(source, stream, places)
        n_batches = getattr(reader, "num_record_batches", None)
        yield from reader if n_batches is None else map(reader.get_batch, range(n_batches))


def _of_batches(source: Input, batches: Iterator[Any]) -> Iterator[TablePart]:
    """Yield batches as parts, put together until they are worth a thread."""
    number = 0
    with explained(source):
        for table in _gathered(batches):
            # offsets, indices and buffers are believed by all that follows, compiled loops included
            table.validate(full=True)
            yield TablePart(f"{source.name}, rows {number:,} on", table, source.name, source.layout, source)
            number += table.num_rows


def _row_groups(part: FilePart, columns: Sequence[str], together: Sequence[str]) -> pa.Table:
    assert part.groups is not None
    source = find_input(part.path, "parquet", None)
    with explained(source), source.open() as stream:
        file = parquet_file(stream)
        names = chosen(columns or file.schema_arrow.names[:1], file.schema_arrow.names, source.name)
        leaves = altered("read.leaves", names, columns, file.schema_arrow)
        table = file.read_row_groups([*part.groups], columns=leaves, use_threads=False)
        table.validate(full=True)
        return meant(table.select(names), columns or None, source.name, together, part.layout)


def _of_dask(frame: Any, columns: Sequence[str]) -> Iterator[DaskPart]:
    wanted = chosen(columns, list(frame.columns), "the frame")
    for i, part in enumerate(frame[wanted].to_delayed()):
        yield DaskPart(f"partition {i} of {frame.npartitions}", part)


def _of_frame(frame: Any, columns: Sequence[str], name: str = "") -> Iterator[TablePart]:
    """Slices of whatever gives Arrow tables: batch by batch where it can.

    Codes stay codes, as `assess` reads them of a frame, whatever names the schema has for them.
    """
    number, where = 0, f"{name}, " if name else ""
    tables = _tables(frame, columns, name or type(frame).__name__)
    while (described := _next(tables, frame)) is not None:
        table = described.replace_schema_metadata(None)
        rows = min(ROWS, max(1, BYTES * table.num_rows // max(table.nbytes, 1)))
        for start in range(0, max(table.num_rows, 1), rows):
            yield TablePart(f"{where}rows {number + start:,} on", table.slice(start, rows))
        number += table.num_rows


def _next(tables: Iterator[pa.Table], frame: Any) -> pa.Table | None:
    """Return the next table of a frame, whose library may raise anything while it computes one."""
    with in_our_words(*_unread(frame)):
        return next(tables, None)


def _unread(frame: Any) -> tuple[str, str]:
    return f"The frame ({type(frame).__name__}) cannot be read", "Check it with its own library."


def _gathered(reader: Any) -> Iterator[pa.Table]:
    """Yield the batches of a reader, put together until they are worth a thread."""
    import pyarrow as pa

    batches: list[Any] = []
    rows = size = 0
    for batch in reader:
        batches.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= ROWS or size >= BYTES:
            yield pa.Table.from_batches(batches)
            batches, rows, size = [], 0, 0
    if batches:
        yield pa.Table.from_batches(batches)


def _tables(frame: Any, columns: Sequence[str], name: str) -> Iterator[pa.Table]:
    import pyarrow as pa

    if (batches := batches_of(frame)) is not None:
        yield from _gathered(batches.read(columns, name))
        return
    frame = arrived({"the frame": frame, "truth": [*columns]})["the frame"]
    if isinstance(frame, Mapping):
        yield table_of({name: frame[name] for name in chosen(columns, list(frame), "the dict of columns")})
        return
    import narwhals as nw

    try:
        known = with_narwhals(frame)
    except TypeError as error:
        raise InputError(
            f"{type(frame).__name__} is neither a path nor a frame. Pass a path, a pattern, a folder, a list of these, "
            "or a frame (polars, pandas, PyArrow, DuckDB, Ibis, Dask)."
        ) from error
    chunk = known.select(chosen(columns, list(known.collect_schema().names()), "the frame"))
    collected = chunk.collect() if isinstance(chunk, nw.LazyFrame) else chunk
    try:
        table = collected.to_arrow()
    except (pa.ArrowException, TypeError, OverflowError):
        table = table_of({name: _in_arrow(collected[name], name) for name in collected.columns})
    yield table


def _in_arrow(series: Any, name: str) -> Any:
    """Return a series as Arrow where it has its type, else as a column that may be made one."""
    import pyarrow as pa

    try:
        return series.to_arrow()
    except (pa.ArrowException, TypeError, OverflowError):
        return opened(series.to_native(), name)
