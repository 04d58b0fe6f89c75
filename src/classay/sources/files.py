"""Tables from files: predictions, by path or standard input; cases to learn from, columns apart by their use."""

import os
import warnings
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.columns.numbers import counted
from classay.columns.opened import opened
from classay.errors import ClassayError, FileError, InputError
from classay.kinds import Format
from classay.sources.inputs import TEXT, Input, chosen, explained, find_input, listed, no_rows
from classay.sources.lines import line_of
from classay.sources.other_formats import finished, meant, prepared, reader_of
from classay.sources.text_files import Parted, csv_schema, jsonl_schema, read_csv, read_jsonl, type_labels
from classay.texts import hint
from classay.wings import altered

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Format", "TrainingData", "column_names", "read_table", "read_training"]

_FIRST_ROWS = 8192


def read_table(
    path: "str | os.PathLike[str]",
    columns: Sequence[str] | None = None,
    *,
    labels: Sequence[str] = (),
    together: Sequence[str] = (),
    named: Sequence[Any] = (),
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
) -> "pa.Table":
    """Read the named columns (all when None), in that order, of a file of predictions as an Arrow table.

    CSV, TSV and JSON lines (plain or gzipped), Parquet, and Arrow (Feather, IPC file or stream) are told by the
    extension, or by ``format``. ``"-"`` is standard input and needs ``format``. Only columns asked for are read, except
    from JSON lines. In CSV and TSV an unquoted empty field, NA, NaN or null is missing, a quoted one is text; types are
    inferred from all rows, and integers too long for 64 bits stay text rather than be rounded, in JSON lines too. In
    CSV and TSV the ``labels`` columns are numbers only where each text is written as Python prints its number and no
    two are equal (not 1.1 and 1.10, 10 and 1E1, 01, nor 1 beside 2.0), truth values where they are True and False in
    one spelling, and otherwise text, dates too. Columns that `together` label the same classes are all text if one of
    them is, or if one of the classes that somebody `named` is. Repeating text comes dictionary-encoded where that is
    cheap.

    Raises
    ------
    FileError
        When the file is missing, unreadable, corrupt, of unknown format, or without rows.
    InputError
        When a column is missing, asked for twice or named twice in the header; on a wrong option.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "preds.csv"
    ...     _ = path.write_text("id,y,score\\n1,neg,0.2\\n2,pos,0.9\\n")
    ...     read_table(path, ["y", "score"]).to_pylist()
    [{'y': 'neg', 'score': 0.2}, {'y': 'pos', 'score': 0.9}]
    """
    return read_tables(
        [(path, columns)],
        labels=labels,
        together=together,
        named=named,
        format=format,
        delimiter=delimiter,
        layout=layout,
    )[0]


def read_tables(
    files: "Sequence[tuple[str | os.PathLike[str] | Input, Sequence[str] | None]]",
    *,
    labels: Sequence[str] = (),
    together: Sequence[str] = (),
    named: Sequence[Any] = (),
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
) -> "list[pa.Table]":
    """Read several files, each with its columns, as `read_table` does; those `together` label the same classes in all.

    The other `labels` have one type in all files of text, and are text there where another file has text. A file may be
    an `Input` that is prepared.

    Raises what `read_table` raises.
    """
    sources = [(_found(path, format, delimiter, layout), columns) for path, columns in files]
    read = [_as_written(source, columns, labels, together) for source, columns in sources]
    of_text = [table for table, is_text in read if is_text]
    others = frozenset(label for label in named if isinstance(label, str)) | {
        text
        for table, is_text in read
        if of_text and not is_text
        for name in table.column_names
        if name in together and _holds_text(table[name])
        for text in table[name].unique().to_pylist()
    }
    texts = {
        name
        for table, is_text in read
        if not is_text
        for name in table.column_names
        if _holds_text(table[name])
    }
    to_type = [name for name in labels if not isinstance(name, Parted)]
    typed = iter(type_labels(of_text, to_type, together, others, texts))
    tables = [next(typed) if is_text else table for table, is_text in read]
    give_back_memory()
    return [_plain_text(table).replace_schema_metadata(None) for table in tables]


def _as_written(
    source: Input, columns: Sequence[str] | None, labels: Sequence[str], together: Sequence[str]
) -> "tuple[pa.Table, bool]":
    """Return a file, and whether its labels are texts of which only all together tell what they are."""
    other, is_text = reader_of(source), source.format in TEXT and source.format != "jsonl"
    with explained(source):
        if source.format in ("parquet", "arrow"):
            table = {"parquet": _read_parquet, "arrow": _read_arrow}[source.format](source, columns)
        else:
            read = read_csv if is_text else read_jsonl if other is None else other.read
            table = finished(read(source, columns, labels), source, columns, labels)
    return meant(table, columns, source.name, together, source.layout), is_text


def _holds_text(column: "pa.ChunkedArray") -> bool:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or "string_view" in str(kind)


def _found(path: "str | os.PathLike[str] | Input", *how: Any) -> Input:
    """Return the prepared input of a file."""
    return path if isinstance(path, Input) else prepared(find_input(path, *how))


def column_names(
    path: "str | os.PathLike[str] | Input",
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
) -> list[tuple[str, str]]:
    """Names and types (as text) of a file's columns, from its schema or its first block of rows.

    The types of text formats are those of the first block (about 1 MB); later rows can widen them. Standard
    input (``"-"``) is kept, so that `read_table` can read it afterwards.

    Raises
    ------
    FileError
        When the file is missing, unreadable, corrupt or of unknown format.
    InputError
        On a wrong option.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "preds.csv"
    ...     _ = path.write_text("y,score\\nneg,0.2\\npos,0.9\\n")
    ...     column_names(path)
    [('y', 'string'), ('score', 'double')]
    """
    source = _found(path, format, delimiter, layout)
    if (other := reader_of(source)) is not None:
        with explained(source):
            names: list[tuple[str, str]] = other.schema(source)
            return names
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
            table = table.set_column(place, field.name, opened(table.column(place), field.name))
    return table


def names_of_files(files: Sequence[str]) -> list[Hashable]:
    """Files by their names without endings, or by their paths where names are not different.

    >>> names_of_files(["may/a.csv", "may/b.csv"]), names_of_files(["may/a.csv", "june/a.csv"])
    (['a', 'b'], ['may/a.csv', 'june/a.csv'])
    """
    stems = [Path(file).stem for file in files]
    return [*(stems if len({*stems}) == len(stems) else files)]


def place_in_files(
    paths: Sequence[str], format: Format | None, delimiter: str | None, layout: tuple[Any, ...], row: int
) -> str:
    """Return where a row of data, from 0, is: its line, if it is the same in all files, or its place among the rows."""
    line = None
    with warnings.catch_warnings(), suppress(ClassayError, OSError):
        warnings.simplefilter("ignore")
        if all(path == "-" or os.path.isfile(os.path.expanduser(path)) for path in paths):
            lines = {line_of(prepared(find_input(path, format, delimiter, layout)), row) for path in paths}
            line = lines.pop() if len(lines) == 1 else None
    return f"data row {row + 1}" if line is None else f"line {line}"


def give_back_memory() -> None:
    """Give back unused memory that Arrow keeps: after reading, twice the size of the columns."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


# --- Parquet and Arrow


def parquet_file(stream: Any, labels: Sequence[str] = ()) -> Any:
    """Return a Parquet file, with a dictionary for each of the labels.

    The types of a writer that Arrow lacks, such as Int128 of polars, are left out for those that the file itself names.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(stream, read_dictionary=labels)
    except pa.ArrowNotImplementedError:
        size = stream.size()
        length = 8 + int.from_bytes(stream.read_at(4, size - 8), "little")
        footer = stream.read_at(length, size - length).replace(b"ARROW:schema", b"ARROW.schema")
        about = parquet.read_metadata(pa.BufferReader(b"PAR1" + footer))
        return parquet.ParquetFile(stream, metadata=about, read_dictionary=labels)


def _read_parquet(source: Input, columns: Sequence[str] | None) -> "pa.Table":
    with source.open() as stream:
        file = parquet_file(stream)
        if not file.metadata.num_rows:
            raise no_rows(source, file.schema_arrow.names)
        schema = file.schema_arrow
        names = chosen(columns, schema.names, source.name)
    labels = _label_columns(source, schema, names)
    with source.open() as stream:
        leaves = altered("read.leaves", names, columns, schema)
        table = parquet_file(stream, labels=labels).read(columns=leaves)
        table.validate(full=True)
    return table.select(names).unify_dictionaries()


def _label_columns(source: Input, schema: Any, names: Sequence[str]) -> list[str]:
    """Text columns that repeat in the first rows; ids are cheaper as text than with a dictionary as long."""
    import pyarrow as pa

    text = [
        name
        for name in names
        if pa.types.is_string(schema.field(name).type) or pa.types.is_large_string(schema.field(name).type)
    ]
    if not text:
        return []
    # The sizes in the metadata would tell as well, but asking for damaged ones ends the process.
    with source.open() as stream:
        file = parquet_file(stream, labels=text)
        batch = next(file.iter_batches(batch_size=_FIRST_ROWS, row_groups=[0], columns=text), None)
        if batch is None:
            return text
        return [
            name
            for name in text
            if len(batch[name].indices.unique()) <= max(_FIRST_ROWS // 64, len(batch) // 2)
        ]


def _parquet_schema(source: Input) -> list[tuple[str, str]]:
    with source.open() as stream:
        return listed(parquet_file(stream).schema_arrow)


def opened_arrow(source: Input, stream: Any, fields: Sequence[int] | None = None) -> Any:
    """Return a reader of an Arrow file or stream, of all fields or of some."""
    import pyarrow as pa

    if source.head.startswith(b"FEA1"):
        raise FileError(
            f"{source.name} is a Feather file of version 1, which is not supported. Save it as Arrow."
        )
    options = pa.ipc.IpcReadOptions(included_fields=None if fields is None else list(fields))
    if source.head.startswith(b"ARROW1"):
        return pa.ipc.open_file(stream, options=options)
    return pa.ipc.open_stream(stream, options=options)


def _read_arrow(source: Input, columns: Sequence[str] | None) -> "pa.Table":
    with source.open() as stream:
        available = opened_arrow(source, stream).schema.names
    names = chosen(columns, available, source.name)
    with source.open() as stream:
        table = opened_arrow(source, stream, [available.index(name) for name in names]).read_all()
        # offsets, indices and buffers are believed by all that follows, compiled loops included
        table.validate(full=True)
    if not table.num_rows:
        raise no_rows(source, available)
    return table.select(names)


def _arrow_schema(source: Input) -> list[tuple[str, str]]:
    with source.open() as stream:
        return listed(opened_arrow(source, stream).schema)


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The cases of a file: features as an Arrow table, and the columns that are no features.

    Types are plain: text without a dictionary, dates as times, decimals as floats, 0 and 1 for booleans that are
    missing in places. `dropped` counts the rows left out because their target is missing.
    """

    features: "pa.Table"
    target: Any
    cluster: Any = None
    id: Any = None
    dropped: int = 0

    @property
    def gaps(self) -> dict[str, int]:
        """How many values are missing in each feature, for features that lack any."""
        import pyarrow.compute as pc

        gaps = {
            name: pc.is_null(self.features[name], nan_is_null=True) for name in self.features.column_names
        }
        counts = {name: int(pc.sum(gap).as_py() or 0) for name, gap in gaps.items()}
        return {name: count for name, count in counts.items() if count}

    def frame(self) -> Any:
        """The features as a pandas frame, in pandas' own types: missing whole numbers make a column of floats."""
        return self.features.to_pandas()


def read_training(
    path: "str | os.PathLike[str]",
    target: str | Sequence[str],
    *,
    cluster: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    missing: str = "refuse",
    format: Format | None = None,
    delimiter: str | None = None,
    layout: tuple[Any, ...] = (),
) -> TrainingData:
    """Read a file of cases: the target, the clusters and ids if named, and all other columns as features.

    With several labels a case, pass the targets as a mapping from their names to the columns.
    drop: columns to leave out. missing: "refuse" rows without a target, or "drop" them. Formats and types are those
    of `read_table`; a feature may have missing values, the other columns may not.

    Raises
    ------
    FileError
        When the file is missing, unreadable, of unknown format, or without rows.
    InputError
        When a column is missing, has two purposes or missing values; when no feature is left.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "patients.csv"
    ...     _ = path.write_text("id,age,town,ill\\n1,31,Ulm,no\\n2,,Bonn,yes\\n")
    ...     data = read_training(path, "ill", id="id")
    ...     data.features.column_names, data.target.to_pylist()
    (['age', 'town'], ['no', 'yes'])
    """
    if missing not in ("refuse", "drop"):
        raise InputError(f"missing must be 'refuse' or 'drop', but is {missing!r}.")
    import pyarrow.compute as pc

    targets = [target] if isinstance(target, str) else [*target]
    labels = [column for column in (*targets, cluster, id) if column]
    table = read_table(path, labels=labels, format=format, delimiter=delimiter, layout=layout)
    name = os.fsdecode(path)
    named = [*(("target", column) for column in targets), ("cluster", cluster), ("id", id)]
    purposes = [(purpose, column) for purpose, column in named if column]
    _refuse_two_purposes([*purposes, *(("dropped", column) for column in drop)])
    others = [*dict.fromkeys([column for _, column in purposes] + list(drop))]
    chosen(others, table.column_names, name)
    chosen(None, table.column_names, name)
    n_rows = table.num_rows
    kept = np.arange(n_rows)
    if missing == "drop":
        for column in targets:
            is_known = pc.invert(_is_missing(table[column]))
            table, kept = table.filter(is_known), kept[is_known.to_numpy()]

    def place(row: int) -> str:
        return place_in_files([name], format, delimiter, layout, int(kept[row]))

    for purpose, column in purposes:
        _refuse_missing(table[column], purpose, column, name, place)
    if id is not None:
        _refuse_repeated(table, id, cluster, name)
    features = table.drop_columns(others)
    if not features.num_columns:
        raise InputError(
            f"{name} has no features other than {', '.join(map(repr, others))}. Keep at least one column."
        )
    columns: dict[str, Any] = {purpose: _plain(table[column]) for purpose, column in purposes}
    if not isinstance(target, str):
        columns["target"] = {column: _plain(table[column]) for column in targets}
    return TrainingData(_plain_table(features), **columns, dropped=n_rows - table.num_rows)


def _refuse_two_purposes(purposes: list[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for purpose, name in purposes:
        if name in seen and {seen[name], purpose} not in ({"cluster", "id"}, {"dropped"}):
            raise InputError(
                f"Column {name!r} is named as {seen[name]} and as {purpose}. Use it for one purpose."
            )
        seen[name] = purpose


def _refuse_repeated(table: "pa.Table", id: str, cluster: str | None, file: str) -> None:
    """Refuse ids of which rows repeat some that no cluster keeps together: a test would know them from training."""
    if id == cluster:
        return
    import pyarrow.compute as pc

    keys = [id] if cluster is None else [id, cluster]
    values = table.select(keys).group_by(keys).aggregate([([], "count_all")])
    counts = values.group_by(id).aggregate([("count_all", "sum"), ([], "count_all")])
    number = counts["count_all_sum" if cluster is None else "count_all"]
    repeated = counts.filter(pc.greater(number, 1))
    if repeated.num_rows:
        example = repeated[id][0].as_py()
        where = "rows" if cluster is None else f"values of {cluster!r}"
        raise InputError(
            f"{repeated.num_rows:,} of {counts.num_rows:,} values of id {id!r} occur in several {where} of {file}, "
            f"such as {example!r}. Use {hint('cluster=', '--cluster')} instead of {hint('id=', '--id')}, or drop it."
        )


def _refuse_missing(column: Any, purpose: str, name: str, file: str, place: Callable[[int], str]) -> None:
    is_missing = _is_missing(column).to_numpy()
    if is_missing.all():
        raise InputError(f"Column {name!r} ({purpose}) of {file} has no values. Name another column.")
    if not is_missing.any():
        return
    rows, first = int(is_missing.sum()), place(int(is_missing.argmax()))
    drop = hint("missing='drop'", "--missing drop")
    remedy = f"Use {drop} to exclude these rows" if purpose == "target" else "Fill in each value"
    raise InputError(
        f"Column {name!r} ({purpose}) of {file} has missing values in {counted(rows)} (first: {first}). "
        f"{remedy}."
    )


def _plain_table(table: "pa.Table") -> "pa.Table":
    import pyarrow as pa

    return pa.table({name: _plain(table[name]) for name in table.column_names})


def _plain(column: Any) -> Any:
    """The column in a type that training code knows: no dictionaries, decimals, mere dates, nulls among booleans."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("ms"))
    return column.cast(pa.int8()) if pa.types.is_boolean(kind) and column.null_count else column


def _is_missing(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_null(column, nan_is_null=pa.types.is_floating(column.type))
