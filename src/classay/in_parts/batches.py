"""Sources of Arrow record batches, by the protocol that each library has: of their columns, only those named are read.

Datasets and scanners of PyArrow and Lance, tables of Delta and Iceberg, tables of Ibis, relations of DuckDB, and arrays
of h5py and zarr.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.columns.opened import single_column, with_narwhals
from classay.errors import InputError, in_our_words
from classay.sources.inputs import chosen
from classay.wings import altered

if TYPE_CHECKING:
    import pyarrow as pa

SLICE = 2**17
"""Values of an array of a file that are read at a time."""


@dataclass(frozen=True)
class Batches:
    """The names of the columns of a source, and how some of them are read."""

    names: list[str]
    open: Callable[[list[str]], Any]
    """From the names of columns, an object that is read as batches; it may hold further columns."""

    def reader(self, columns: Sequence[str], what: str) -> Any:
        """Return a reader of the batches, which hold at least the named columns, or all where none is named."""
        import pyarrow as pa

        wanted = chosen(columns or None, self.names, "the frame")
        with _told(what):
            reader = self.open(wanted)
            return (
                reader
                if isinstance(reader, pa.RecordBatchReader)
                else pa.RecordBatchReader.from_stream(reader)
            )

    def read(self, columns: Sequence[str], what: str) -> Iterator[Any]:
        """Yield the batches of the named columns, all where none is named; whatever the library raises is one line."""
        reader = self.reader(columns, what)
        while True:
            with _told(what):
                batch = next(reader, None)
            if batch is None:
                return
            yield batch.select([*columns] or self.names)


def _told(what: str) -> AbstractContextManager[None]:
    advice = "Check that all of its files are there and open, or write it to a Parquet file."
    return in_our_words(f"{what} cannot be read", advice)


def table_of(columns: Mapping[str, Iterable[object]]) -> pa.Table:
    """Columns of any kind as one table. Raises InputError for what Arrow has no type for, and unequal lengths."""
    import pyarrow as pa

    arrays = {}
    for name, column in columns.items():
        with in_our_words(
            f"Column {name!r} cannot be counted part by part",
            "Pass numbers, texts, booleans or dates of one kind, with one value per row, or use assess.",
        ):
            native = column
            if isinstance(column, np.ndarray) and not column.dtype.isnative:
                native = column.astype(column.dtype.newbyteorder("="))
            arrays[name] = (
                native if isinstance(native, pa.ChunkedArray) else pa.array(native, from_pandas=True)
            )
    refuse_unequal({name: len(column) for name, column in arrays.items()})
    return pa.table(arrays)


def refuse_unequal(lengths: Mapping[str, int]) -> None:
    """Refuse columns of different lengths."""
    if len({*lengths.values()}) > 1:
        listed = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        raise InputError(
            f"The columns have different numbers of rows ({listed}). Pass columns of one length."
        )


def batches_of(source: Any) -> Batches | None:
    """Return the batches of a source that has them; None of anything else, also of a table in memory.

    >>> import pyarrow.dataset as ds, pyarrow as pa
    >>> batches_of(ds.dataset(pa.table({"y": [0, 1], "p": [0.2, 0.9]}))).names
    ['y', 'p']
    """
    kind = type(source)  # of the object itself, names of its columns are attributes too
    with in_our_words(
        f"The columns of {kind.__name__} cannot be listed", "Check that it is open and complete."
    ):
        if hasattr(kind, "array_keys"):  # a group of zarr
            source = dict(source.arrays())
            if not source:
                raise InputError("The group has no arrays. Check that its store is there and open.")
        if isinstance(source, Mapping):
            return _of_arrays(source) if any(map(_is_stored, source.values())) else None
        opened = next((opened for method, opened in _KINDS.items() if hasattr(kind, method)), None)
        if (
            opened is None
            and hasattr(kind, "__arrow_c_stream__")
            and with_narwhals(source, pass_through=True) is source
        ):
            return _of_stream(source)
        return opened and opened(source)


def _of_reader(reader: Any) -> Batches:
    return Batches([*reader.schema.names], lambda _: reader)


def _of_stream(source: Any) -> Batches | None:
    """Return the batches of a table of any other library, None of a column, which has no names."""
    import pyarrow as pa

    with suppress(pa.ArrowInvalid):
        return Batches([*pa.RecordBatchReader.from_stream(source).schema.names], lambda _: source)
    return None


def _of_dataset(dataset: Any) -> Batches:
    return Batches([*dataset.schema.names], lambda names: dataset.scanner(columns=names).to_reader())


def _of_scanner(scanner: Any) -> Batches:
    return Batches([*scanner.projected_schema.names], lambda _: scanner.to_reader())


def _of_delta(table: Any) -> Batches:
    """Read by `scan`: what `to_pyarrow_dataset` gives is missing where columns were renamed (column mapping)."""

    def opened(names: list[str]) -> Any:
        if not hasattr(table, "scan"):
            raise InputError(
                "This version of deltalake cannot read all tables in parts. Update deltalake to 1.6."
            )
        return table.scan(columns=names)

    return Batches([field.name for field in table.schema().fields], opened)


def _of_iceberg(table: Any) -> Batches:
    names = [field.name for field in table.schema().fields]
    return Batches(names, lambda names: table.scan(selected_fields=tuple(names)).to_arrow_batch_reader())


def _of_iceberg_scan(scan: Any) -> Batches:
    names = [field.name for field in scan.projection().fields]
    return Batches(names, lambda names: scan.select(*names).to_arrow_batch_reader())


def _of_ibis(table: Any) -> Batches:
    def opened(names: list[str]) -> Any:
        some, backend = table.select(*names), table.get_backend()
        lacks = backend.name == "duckdb" and not hasattr(backend.con, "fetch_record_batch")
        # Ibis 12 asks for this method, which DuckDB 2 lacks, and leaves a result that blocks the connection
        return some.to_pyarrow() if lacks else some.to_pyarrow_batches()

    return Batches([*table.columns], opened)


def _of_duckdb(relation: Any) -> Batches:
    def opened(names: list[str]) -> Any:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        some = relation.project(quoted)
        return some.to_arrow_reader() if hasattr(some, "to_arrow_reader") else some.fetch_record_batch()

    return Batches([*relation.columns], opened)


def _is_stored(column: Any) -> bool:
    """Check whether a column is an array of a file, of h5py or zarr: its slices are read one by one."""
    return hasattr(type(column), "shape") and hasattr(type(column), "chunks")


def _of_arrays(columns: Mapping[str, Sequence[Any]]) -> Batches:
    def opened(names: list[str]) -> Any:
        import pyarrow as pa

        some = {name: altered("take.chunks", columns[name], name) for name in names}
        lengths = {name: _length(column) for name, column in some.items()}
        refuse_unequal(lengths)
        slices = (
            table_of({name: _slice(column, start) for name, column in some.items()})
            for start in range(0, max(lengths.values(), default=0), SLICE)
        )
        first = next(slices)
        rest = (table.cast(first.schema) for table in slices)
        return pa.RecordBatchReader.from_batches(
            first.schema, (batch for table in chain([first], rest) for batch in table.to_batches())
        )

    return Batches([*columns], opened)


def _length(column: Any) -> int:
    return int((*column.shape, 0)[0]) if _is_stored(column) else len(column)


def _slice(column: Any, start: int) -> Any:
    """Return some values of a column in memory, texts of h5py as texts."""
    if not _is_stored(column):
        return column[start : start + SLICE]
    if hasattr(type(column), "asstr") and column.dtype.kind in "OS":
        column = column.asstr()
    return single_column(np.asarray(column[start : start + SLICE]))


_KINDS: Mapping[str, Callable[[Any], Batches]] = {
    "read_next_batch": _of_reader,
    "to_pyarrow_dataset": _of_delta,
    "current_snapshot": _of_iceberg,
    "to_arrow_batch_reader": _of_iceberg_scan,
    "scanner": _of_dataset,
    "projected_schema": _of_scanner,
    "to_pyarrow_batches": _of_ibis,
    "fetch_record_batch": _of_duckdb,
    "to_arrow_reader": _of_duckdb,
}
"""By a method that no other kind has, tried in this order, how a source of batches is opened."""
