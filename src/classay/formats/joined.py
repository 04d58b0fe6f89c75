"""Two files with the same rows in the same order, read as one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from classay.errors import FileError
from classay.formats.layout import option
from classay.formats.lines import warn
from classay.sources.files import column_names, read_tables
from classay.sources.inputs import Input, chosen
from classay.wings import brought, thing

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "joined"


@dataclass(frozen=True)
class Parts:
    """Two files that are read as one, each prepared."""

    first: Input
    second: Input


def join(first: Input, second: Input) -> Input:
    """Return one input of two."""
    return replace(first, format=FORMAT, delimiter="", layout=(Parts(first, second),))


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns of both files. Raises FileError for different numbers of rows."""
    parts = _parts(source)
    names = [[name for name, _ in column_names(part)] for part in (parts.first, parts.second)]
    wanted = chosen(columns, [*names[0], *names[1]], f"{parts.first.name} with {parts.second.name}")
    # A file of which nothing is asked for is read all the same, because its rows are counted.
    columns_of = [[name for name in wanted if name in part] or part[:1] for part in names]
    first, second = read_tables(
        [(parts.first, columns_of[0]), (parts.second, columns_of[1])], labels=labels, together=labels
    )
    if first.num_rows != second.num_rows:
        raise FileError(
            f"{parts.first.name} has {first.num_rows:,} rows, but {parts.second.name} has {second.num_rows:,}. "
            f"{option('columns_from')} needs a file with the same rows in the same order."
        )
    _tell(parts)
    for name in second.column_names:
        first = first.append_column(name, second[name]) if name in wanted else first
    return first.select(wanted)


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of the columns of both files."""
    parts = _parts(source)
    return [*column_names(parts.first), *column_names(parts.second)]


def _tell(parts: Parts) -> None:
    """Warn that nothing but the order joins the rows, and of the format of the second file if no name told it."""
    known = brought("formats").get(parts.second.format)
    title = "" if known is None or thing(known).endings else f" ({thing(known).title})"
    warn(f"The rows of {parts.first.name} and {parts.second.name}{title} are joined in their order.")


def _parts(source: Input) -> Parts:
    return next(entry for entry in source.layout if isinstance(entry, Parts))
