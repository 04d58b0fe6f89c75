"""Files of SPSS, Stata and SAS, by pyreadstat: value labels as labels, and user-missing values as missing."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from classay.errors import FileError, told_of_extras
from classay.formats.columns import column_of, shown, without
from classay.formats.containers import explained, refuse_bomb
from classay.formats.layout import layout_of
from classay.sources.inputs import Input, chosen, listed, no_rows
from classay.texts import some

if TYPE_CHECKING:
    import pyarrow as pa

_READERS = {"spss": "read_sav", "stata": "read_dta", "xport": "read_xport", "sas": "read_sas7bdat"}


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns.

    A column whose values all have value labels is read as these, but for one that is asked for as a number.
    """
    about = _metadata(source)
    names = chosen(columns, about.column_names, source.name)
    _refuse_size(source, about)
    table = _table(source, names, labels if columns is not None else ())
    if not table.num_rows:
        raise no_rows(source, about.column_names)
    if source.format == "sas":
        text = f"{source.name} is a .sas7bdat file, which classay was never tried on. Compare some of its values."
        warnings.warn(text, stacklevel=2)
    return table


def first_rows(source: Input, n_rows: int) -> tuple[pa.Table, int | None]:
    """Return the first rows, and the number of all rows if the file has it."""
    about = _metadata(source)
    names = chosen(None, about.column_names, source.name)
    table = _table(source, names, (), n_rows)
    n_all = about.number_rows
    is_known = n_all is not None and n_all >= table.num_rows
    return table, n_all if is_known else table.num_rows if table.num_rows < n_rows else None


def _table(source: Input, names: Sequence[str], labels: Sequence[str], n_rows: int = 0) -> pa.Table:
    """Return columns; without `labels` any column may have labels."""
    import pyarrow as pa

    with _explained(source):
        values, about = _call(source, names, n_rows=n_rows, is_missing_kept=True)
    missing = layout_of(source).missing
    table: dict[str, Any] = {}
    for name in names:
        cells = without(_without_user_missing(source, name, values[name], about), missing)
        wants_text = not labels or name in labels
        table[name] = _labeled(source, name, cells, about) if wants_text else column_of(cells)
    return pa.table(table)


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns, from the first rows; value labels are text."""
    import pyarrow as pa

    with warnings.catch_warnings(), _explained(source):
        warnings.simplefilter("ignore")
        values, about = _call(source, n_rows=1000)
        columns = {name: _labeled(source, name, list(values[name]), about) for name in about.column_names}
    return listed(pa.schema([pa.field(name, column.type) for name, column in columns.items()]))


def _call(
    source: Input,
    names: Sequence[str] | None = None,
    *,
    n_rows: int = 0,
    is_missing_kept: bool = False,
    is_metadata_only: bool = False,
) -> tuple[dict[str, Sequence[Any]], Any]:
    """Return some columns and rows by pyreadstat, all without names and a number, and what the file says of them."""
    with told_of_extras(f"reading {source.name}"):
        import pyreadstat
    # SPSS and Stata know values that a user declared as missing; SAS transport files do not.
    missing = {} if source.format == "xport" else {"user_missing": is_missing_kept}
    read_file = getattr(pyreadstat, _READERS[source.format])
    values, about = read_file(
        source.path,
        usecols=names,
        row_limit=n_rows,
        metadataonly=is_metadata_only,
        output_format="dict",
        **missing,
    )
    if not all(
        isinstance(cells, list) for cells in values.values()
    ):  # arrays, in which numbers may become texts
        raise FileError(
            f"Reading {source.name} needs pyreadstat 1.3.1 or newer, but {pyreadstat.__version__} is installed. Run: "
            "pip install 'classay[files]'."
        )
    return values, about


def _metadata(source: Input) -> Any:
    with _explained(source):
        return _call(source, is_metadata_only=True)[1]


def _explained(source: Input) -> AbstractContextManager[None]:
    return explained(
        lambda _: (
            f"{source.name} cannot be read as {source.format}, because it is damaged or encrypted. Save it again "
            "without a password, or restore a copy."
        )
    )


def _refuse_size(source: Input, about: Any) -> None:
    """Refuse a compressed file that would unpack to far more than it holds."""
    if about.number_rows is not None and about.number_rows > 0:
        width = sum(about.variable_storage_width.values())
        refuse_bomb(source.name, os.path.getsize(source.path), about.number_rows * width)


def _without_user_missing(source: Input, name: str, values: Sequence[Any], about: Any) -> Sequence[Any]:
    """Cells of which those that the file declares as missing are None; they are counted in a warning."""
    ranges = about.missing_ranges.get(name, ())
    codes = {*about.missing_user_values.get(name, ())}
    if not ranges and not codes:
        return values
    counts: Counter[Any] = Counter()
    cells = []
    for value in values:
        is_missing = value is not None and (
            value in codes
            if codes
            else any(
                type(value) is type(known["lo"]) and known["lo"] <= value <= known["hi"] for known in ranges
            )
        )
        counts.update([value] if is_missing else [])
        cells.append(None if is_missing else value)
    if counts:
        labels = about.variable_value_labels.get(name, {})
        texts = [
            f"{shown(value)}{f' ({labels[value]})' if value in labels else ''}: {count:,}"
            for value, count in counts.items()
        ]
        warnings.warn(
            f"User-missing values of {name} in {source.name} are read as missing: {some(texts)}.",
            stacklevel=2,
        )
    return cells


def _labeled(source: Input, name: str, cells: Sequence[Any], about: Any) -> Any:
    """Return a column with the labels of its values where all of them have one, and otherwise as it is."""
    import pyarrow as pa

    labels = about.variable_value_labels.get(name)
    if not labels:
        return column_of(cells)
    distinct = {*cells} - {None}
    labeled = distinct & labels.keys()
    if not labeled:
        return column_of(cells)
    if labeled != distinct:
        text = (
            f"{name} in {source.name} has value labels for {len(labeled):,} of {len(distinct):,} values. Its values "
            "are used without labels."
        )
        warnings.warn(text, stacklevel=2)
        return column_of(cells)
    texts = [f"{shown(value)} = {labels[value]}" for value in sorted(distinct)]
    warnings.warn(f"Value labels of {name} in {source.name} are used as labels: {some(texts)}.", stacklevel=2)
    column = pa.array([None if value is None else labels[value] for value in cells], pa.string())
    return column.dictionary_encode()
