"""A file of cases to learn from: its columns apart by what they are for."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from classay.columns.numbers import counted
from classay.errors import InputError
from classay.sources.columns import chosen
from classay.sources.files import Format, read_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TrainingData", "read_training"]


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
        """How many values each feature lacks, of those that lack any."""
        import pyarrow.compute as pc

        gaps = {
            name: pc.is_null(self.features[name], nan_is_null=True) for name in self.features.column_names
        }
        counts = {name: int(pc.sum(each).as_py() or 0) for name, each in gaps.items()}
        return {name: count for name, count in counts.items() if count}

    def frame(self) -> Any:
        """The features as a pandas frame, in pandas' own types: missing whole numbers make a column of floats."""
        return self.features.to_pandas()


def read_training(
    path: "str | os.PathLike[str]",
    target: str,
    *,
    cluster: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    missing: str = "refuse",
    format: Format | None = None,
    delimiter: str | None = None,
) -> TrainingData:
    """Read a file of cases: the target, the clusters and ids if named, and all other columns as features.

    drop: columns to leave out. missing: "refuse" rows without a target, or "drop" them. Formats and types are those
    of `read_table`; a feature may have missing values, the other columns may not.

    Raises:
        FileError: when the file is missing, unreadable, of unknown format, or without rows.
        InputError: when a column is missing, has two purposes or missing values; when no feature is left.

    Examples:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "patients.csv"
        ...     _ = path.write_text("id,age,town,ill\\n1,31,Ulm,no\\n2,,Bonn,yes\\n")
        ...     data = read_training(path, "ill", id="id")
        ...     data.features.column_names, data.target.to_pylist()
        (['age', 'town'], ['no', 'yes'])
    """
    if missing not in ("refuse", "drop"):
        raise InputError(f"missing is {missing!r}: pass 'refuse' or 'drop'.")
    import pyarrow.compute as pc

    labels = [each for each in (target, cluster, id) if each]
    table = read_table(path, labels=labels, format=format, delimiter=delimiter)
    name = os.fsdecode(path)
    purposes = [
        (purpose, each) for purpose, each in (("target", target), ("cluster", cluster), ("id", id)) if each
    ]
    _refuse_two_purposes([*purposes, *(("dropped", each) for each in drop)])
    others = [*dict.fromkeys([each for _, each in purposes] + list(drop))]
    chosen(others, table.column_names, name)
    chosen(None, table.column_names, name)
    dropped = 0
    if missing == "drop":
        kept = table.filter(pc.invert(_is_missing(table[target])))
        dropped = table.num_rows - kept.num_rows
        table = kept
    for purpose, each in purposes:
        _refuse_missing(table[each], purpose, each, name)
    features = table.drop_columns(others)
    if not features.num_columns:
        raise InputError(
            f"{name} has no features left beside {', '.join(map(repr, others))}: keep at least one column."
        )
    columns = {purpose: _plain(table[each]) for purpose, each in purposes}
    return TrainingData(_plain_table(features), **columns, dropped=dropped)


def _refuse_two_purposes(purposes: list[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for purpose, name in purposes:
        if name in seen and {seen[name], purpose} != {"cluster", "id"}:
            raise InputError(
                f"column {name!r} is named as {seen[name]} and as {purpose}: it can have one purpose."
            )
        seen[name] = purpose


def _refuse_missing(column: Any, purpose: str, name: str, file: str) -> None:
    is_missing = _is_missing(column).to_numpy()
    if is_missing.all():
        raise InputError(f"{purpose} {name!r} has no value in any row of {file}: name another column.")
    if not is_missing.any():
        return
    rows, first = int(is_missing.sum()), int(is_missing.argmax()) + 1
    remedy = "drop these rows with --missing drop (missing='drop')" if purpose == "target" else "fill them in"
    raise InputError(
        f"{purpose} {name!r} is missing in {counted(rows)} of {file}, the first is row {first:,}: {remedy}."
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
