"""Tables from files of predictions: CSV, TSV, JSON lines, Parquet, Arrow; by path or standard input."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from classay.errors import FileError
from classay.sources.columns import chosen, listed
from classay.sources.delimited import csv_schema, read_csv, type_labels
from classay.sources.inputs import TEXT, Format, Input, explained, find_input, no_rows
from classay.sources.json_lines import jsonl_schema, read_jsonl

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Format", "column_names", "read_table"]

_FIRST_ROWS = 8192


def read_table(
    path: "str | os.PathLike[str]",
    columns: Sequence[str] | None = None,
    *,
    labels: Sequence[str] = (),
    together: Sequence[str] = (),
    format: Format | None = None,
    delimiter: str | None = None,
) -> "pa.Table":
    """Read the named columns (all when None), in that order, of a file of predictions as an Arrow table.

    CSV, TSV and JSON lines (plain or gzipped), Parquet, and Arrow (Feather, IPC file or stream) are told by
    the extension, or by ``format``. ``"-"`` is standard input and needs ``format``. Only columns asked for
    are read, except from JSON lines. In CSV and TSV an unquoted empty field, NA, NaN or null is missing, a
    quoted one is text; types are inferred from all rows, and integers too long for 64 bits stay text rather
    than be rounded, in JSON lines too. Columns that are ``labels`` are numbers in CSV and TSV only where each text
    is written as Python prints its number and no two are equal (not 1.1 and 1.10, 10 and 1E1, 01), truth values where
    they are True and False in one spelling, and text otherwise, dates too; those of them that are `together` labels of
    the same classes are all text where one of them is. Repeating text comes dictionary-encoded
    where that is cheap.

    Raises:
        FileError: when the file is missing, unreadable, corrupt, of unknown format, or without rows.
        InputError: when a column is missing, asked for twice or named twice in the header; on a wrong option.

    Examples:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "preds.csv"
        ...     _ = path.write_text("id,y,score\\n1,neg,0.2\\n2,pos,0.9\\n")
        ...     read_table(path, ["y", "score"]).to_pylist()
        [{'y': 'neg', 'score': 0.2}, {'y': 'pos', 'score': 0.9}]
    """
    return read_tables(
        [(path, columns)], labels=labels, together=together, format=format, delimiter=delimiter
    )[0]


def read_tables(
    files: "Sequence[tuple[str | os.PathLike[str], Sequence[str] | None]]",
    *,
    labels: Sequence[str] = (),
    together: Sequence[str] = (),
    format: Format | None = None,
    delimiter: str | None = None,
) -> "list[pa.Table]":
    """Read several files, each with its columns, as `read_table` does; `together` are labels of the classes in all.

    Raises what `read_table` raises.
    """
    read = [_as_written(path, columns, labels, format, delimiter) for path, columns in files]
    of_text = [table for table, is_text in read if is_text]
    others = {
        text
        for table, is_text in read
        if of_text and not is_text
        for name in table.column_names
        if name in together and _holds_text(table[name])
        for text in table[name].unique().to_pylist()
    }
    typed = iter(type_labels(of_text, labels, together, others))
    made = [next(typed) if is_text else table for table, is_text in read]
    give_back_memory()
    return [_plain_text(table).replace_schema_metadata(None) for table in made]


def _as_written(
    path: "str | os.PathLike[str]",
    columns: Sequence[str] | None,
    labels: Sequence[str],
    format: Format | None,
    delimiter: str | None,
) -> "tuple[pa.Table, bool]":
    """A file, and whether its labels are texts of which only all together tell what they are."""
    source = find_input(path, format, delimiter)
    with explained(source):
        if source.format == "jsonl":
            return read_jsonl(source, columns, labels), False
        if source.format in TEXT:
            return read_csv(source, columns, labels), True
        read = {"parquet": _read_parquet, "arrow": _read_arrow}[source.format]
        return read(source, columns), False


def _holds_text(column: "pa.ChunkedArray") -> bool:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or "string_view" in str(kind)


def column_names(
    path: "str | os.PathLike[str]", *, format: Format | None = None, delimiter: str | None = None
) -> list[tuple[str, str]]:
    """Names and types (as text) of a file's columns, from its schema or its first block of rows.

    The types of text formats are those of the first block (about 1 MB); later rows can widen them. Standard
    input (``"-"``) is kept, so that `read_table` can read it afterwards.

    Raises:
        FileError: when the file is missing, unreadable, corrupt or of unknown format.
        InputError: on a wrong option.

    Examples:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "preds.csv"
        ...     _ = path.write_text("y,score\\nneg,0.2\\npos,0.9\\n")
        ...     column_names(path)
        [('y', 'string'), ('score', 'double')]
    """
    source = find_input(path, format, delimiter)
    schema = {"parquet": _parquet_schema, "arrow": _arrow_schema, "jsonl": jsonl_schema}.get(
        source.format, csv_schema
    )
    with explained(source):
        return schema(source)


def _plain_text(table: "pa.Table") -> "pa.Table":
    """Give text in views the common layout, which all of Arrow's functions take."""
    import pyarrow as pa

    view = getattr(pa, "string_view", lambda: None)()
    for place, field in enumerate(table.schema):
        if field.type == view:
            table = table.set_column(place, field.name, table.column(place).cast(pa.large_string()))
    return table


def give_back_memory() -> None:
    """Give back what Arrow keeps of memory that nothing uses: after reading, twice the size of the columns."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


# --- Parquet and Arrow


def _read_parquet(source: Input, columns: Sequence[str] | None) -> "pa.Table":
    from pyarrow import parquet

    with source.open() as stream:
        file = parquet.ParquetFile(stream)
        if not file.metadata.num_rows:
            raise no_rows(source, file.schema_arrow.names)
        names = chosen(columns, file.schema_arrow.names, source.name)
        schema = file.schema_arrow
    labels = _label_columns(source, schema, names)
    with source.open() as stream:
        table = parquet.ParquetFile(stream, read_dictionary=labels).read(columns=names)
        table.validate(full=True)
    return table.select(names).unify_dictionaries()


def _label_columns(source: Input, schema: Any, names: Sequence[str]) -> list[str]:
    """Text columns that repeat in the first rows; ids are cheaper as text than with a dictionary as long."""
    import pyarrow as pa
    from pyarrow import parquet

    text = [
        name
        for name in names
        if pa.types.is_string(schema.field(name).type) or pa.types.is_large_string(schema.field(name).type)
    ]
    if not text:
        return []
    # The sizes in the metadata would tell as well, but asking for damaged ones ends the process.
    with source.open() as stream:
        file = parquet.ParquetFile(stream, read_dictionary=text)
        batch = next(file.iter_batches(batch_size=_FIRST_ROWS, row_groups=[0], columns=text), None)
        if batch is None:
            return text
        return [
            name
            for name in text
            if len(batch[name].indices.unique()) <= max(_FIRST_ROWS // 64, len(batch) // 2)
        ]


def _parquet_schema(source: Input) -> list[tuple[str, str]]:
    from pyarrow import parquet

    with source.open() as stream:
        return listed(parquet.ParquetFile(stream).schema_arrow)


def _opened_arrow(source: Input, stream: Any, fields: Sequence[int] | None = None) -> Any:
    import pyarrow as pa

    if source.head.startswith(b"FEA1"):
        raise FileError(
            f"{source.name} is a Feather file of version 1, which is retired: save it anew as Arrow."
        )
    options = pa.ipc.IpcReadOptions(included_fields=None if fields is None else list(fields))
    if source.head.startswith(b"ARROW1"):
        return pa.ipc.open_file(stream, options=options)
    return pa.ipc.open_stream(stream, options=options)


def _read_arrow(source: Input, columns: Sequence[str] | None) -> "pa.Table":
    with source.open() as stream:
        available = _opened_arrow(source, stream).schema.names
    names = chosen(columns, available, source.name)
    with source.open() as stream:
        table = _opened_arrow(source, stream, [available.index(name) for name in names]).read_all()
        # offsets, indices and buffers are believed by all that follows, compiled loops included
        table.validate(full=True)
    if not table.num_rows:
        raise no_rows(source, available)
    return table.select(names)


def _arrow_schema(source: Input) -> list[tuple[str, str]]:
    with source.open() as stream:
        return listed(_opened_arrow(source, stream).schema)
