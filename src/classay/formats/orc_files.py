"""ORC files, by pyarrow: only the columns asked for, and the first stripe for a first look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from classay.sources.inputs import Input, chosen, listed, no_rows

if TYPE_CHECKING:
    import pyarrow as pa


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns."""
    with source.open() as stream:
        file = _opened(stream)
        names = chosen(columns, file.schema.names, source.name)
        if not file.nrows:
            raise no_rows(source, file.schema.names)
        table = file.read(columns=names)
    table.validate(full=True)
    return table.select(names)


def batches(source: Input, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the named columns stripe by stripe."""
    with source.open() as stream:
        file = _opened(stream)
        names = chosen(columns, file.schema.names, source.name)
        for place in range(file.nstripes):
            yield file.read_stripe(place, columns=names)


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns."""
    with source.open() as stream:
        return listed(_opened(stream).schema)


def first_rows(source: Input, n_rows: int) -> tuple[pa.Table, int]:
    """Return the rows of the first stripe and the number of all rows."""
    import pyarrow as pa

    with source.open() as stream:
        file = _opened(stream)
        if not file.nrows:
            return file.schema.empty_table(), 0
        table = pa.Table.from_batches([file.read_stripe(0)])
    table.validate(full=True)
    return table.slice(0, n_rows), file.nrows


def _opened(stream: Any) -> Any:
    from pyarrow import orc

    return orc.ORCFile(stream)
