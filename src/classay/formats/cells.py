"""Columns of text as the numbers, dates and missing values that they mean; what no option named is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from classay.errors import InputError
from classay.formats.copies import note_on_numbered
from classay.formats.h2o import OF_H2O, PREDICTED
from classay.formats.layout import OF_CELLS, Layout, layout_of, named, options_of, written_words
from classay.formats.missing_codes import without
from classay.formats.obstacles import of_columns, spoken
from classay.formats.spellings import (
    READ_AS,
    is_censored,
    is_number,
    is_percentage,
    is_word_for_missing,
    may_be_grouped,
    number_of,
    spelling_of,
    words_for_missing,
)
from classay.formats.text_layouts import grouped_error, recognized_in, refuse_grouped, tell, warn
from classay.sources.inputs import TEXT, Input
from classay.texts import some

if TYPE_CHECKING:
    import pyarrow as pa

MOST_NAMED = 10
"""Words for missing values that an error writes out."""
_FIRST_TEXTS = 10_000
"""Distinct texts of a column that are looked through for what stands in the way."""


def finished(
    table: pa.Table, source: Input, columns: Sequence[str] | None, labels: Sequence[str]
) -> pa.Table:
    """Rows with the numbers, dates and missing values that their text means; what no option named is told."""
    if not {*OF_CELLS} <= {*options_of(source)}:
        return table
    layout = layout_of(source)
    tell(source)
    if (coded := recognized_in(source).coded) and _is_beyond_ascii(table):
        warn(coded)
    if OF_H2O in source.layout and PREDICTED in table.column_names:
        warn(
            f"{source.name} is read as predictions of H2O. With two classes, {PREDICTED} is at the threshold with the "
            "greatest F1 on H2O's training or validation data, not at 0.5."
        )
    for name in table.column_names:
        column = table[name]
        if name in labels:
            changed = _label_column(column, layout) if _is_text(column) else without(column, layout.missing)
            _tell_of_words(changed, name, source)
        else:
            changed = _finished_numbers(column, name, source, layout, is_named=columns is not None)
        if changed is not column:
            table = table.set_column(table.column_names.index(name), name, changed)
    return table


def _finished_numbers(
    column: pa.ChunkedArray, name: str, source: Input, layout: Layout, *, is_named: bool
) -> pa.ChunkedArray:
    """Return a column that is no label as what its cells mean; texts among numbers are refused where it is named."""
    if not _is_text(column):
        refuse_grouped(source, name)
        for text in note_on_numbered(column, name, source.name) if is_named else ():
            warn(text)
        return without(column, layout.missing)
    changed = _number_column(column, name, source, layout)
    changed = _date_column(column, layout) if changed is column else changed
    if changed is not column:
        return changed
    if is_named:
        _tell_of_obstacles(column, name, source, layout)
    if (error := not_numbers(column, name, source, layout)) is not None:
        if is_named:
            raise error
        warn(str(error))
    return column


def tell_of_parts(source: Input, columns: Sequence[str]) -> None:
    """Say what was recognized of a text that is read part by part, and how the numbers of columns are read."""
    tell(source)
    if coded := recognized_in(source).coded:
        warn(coded)
    for name, (spelling, example) in recognized_in(source).spellings.items():
        if name in columns:
            _tell_of_spelling(name, source, spelling, example)


def _tell_of_spelling(name: str, source: Input, spelling: str, example: str) -> None:
    if spelling == "percent" or layout_of(source).decimal is None:
        number, shown = number_of(example, spelling), re.sub(r"\s", " ", example.strip())
        warn(f"{name} in {source.name} is read as {READ_AS[spelling]}, such as {shown!r} for {number:g}.")


def finished_part(table: pa.Table, source: Input, labels: Sequence[str]) -> pa.Table:
    """Rows from within a text, read as options say, and as the first rows of the text showed: no part is guessed."""
    layout = layout_of(source)
    spellings = {name: spelling for name, (spelling, _) in recognized_in(source).spellings.items()}
    for name in table.column_names:
        column = table[name]
        if name in labels:
            changed = _label_column(column, layout)
        elif _is_text(column):
            changed = _as_numbers(column, layout, spellings.get(name, "plain"))
            if changed is column and (error := not_numbers(column, name, source, layout)) is not None:
                raise error
        else:
            refuse_grouped(source, name)
            changed = _without_other_spelling(column, spellings.get(name, "plain"))
        table = table.set_column(table.column_names.index(name), name, changed)
    return table


def _without_other_spelling(column: pa.ChunkedArray, spelling: str) -> pa.ChunkedArray:
    """Numbers as text where the first rows of the file have percentages, or decimal commas and these have points."""
    import pyarrow as pa

    is_other = spelling == "percent" or (spelling == "comma" and pa.types.is_floating(column.type))
    return column.cast(pa.string()) if is_other and column.null_count < len(column) else column


def _is_beyond_ascii(table: pa.Table) -> bool:
    """Check whether names or texts of columns have letters beyond ASCII."""
    texts = (text for column in table.columns if _is_text(column) for text in _encoded(column)[1])
    return not all(text.isascii() for text in (*table.column_names, *texts) if text is not None)


def _is_text(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return bool(pa.types.is_string(kind))


def _label_column(column: pa.ChunkedArray, layout: Layout) -> pa.ChunkedArray:
    """Labels without the words for missing values, also quoted ones, and with dates by ISO 8601."""
    import pyarrow as pa

    if not _is_text(column) or not (layout.missing or layout.date_format):
        return column
    column, texts = _encoded(column)
    missing = layout.missing
    replaced = [None if text.strip() in missing else text for text in texts]
    if layout.date_format is not None:
        dates = [_iso(text, layout.date_format) for text in replaced if text is not None]
        if dates and None not in dates:
            replaced = [None if text is None else _iso(text, layout.date_format) for text in replaced]
    if replaced == texts:
        return column
    values = pa.array(replaced, pa.string())
    decoded = [values.take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(decoded, pa.string()).dictionary_encode().unify_dictionaries()


def _time(text: str, pattern: str) -> datetime | None:
    """Return a date or time of a pattern or of ISO 8601, None where it is of another one."""
    with suppress(ValueError):
        return datetime.strptime(text.strip(), pattern)
    with suppress(ValueError):
        return datetime.fromisoformat(text.strip())
    return None


def _iso(text: str, pattern: str) -> str | None:
    """Return a date or time by ISO 8601, None where it is of another pattern."""
    time = _time(text, pattern)
    if time is None:
        return None
    is_date = time.time() == datetime.min.time() and not re.search("%[HIMSTcXp]", pattern)
    return str(time.date()) if is_date else time.isoformat(sep=" ")


def _date_column(column: pa.ChunkedArray, layout: Layout) -> pa.ChunkedArray:
    """Return a column of text as times where all its texts are of the named format; else the column as it is."""
    import pyarrow as pa

    if layout.date_format is None:
        return column
    encoded, texts = _encoded(column)
    times = [None if text.strip() in layout.missing else _time(text, layout.date_format) for text in texts]
    known = [time for time in times if time is not None]
    if not known or len(known) < sum(text.strip() not in layout.missing for text in texts):
        return column
    values = pa.array(times, pa.timestamp("s"))
    return pa.chunked_array([values.take(chunk.indices) for chunk in encoded.chunks], values.type)


def _tell_of_words(column: pa.ChunkedArray, name: str, source: Input) -> None:
    """Say that a word such as unknown is read as a label, among two others or more."""
    texts = _texts(column)
    words = words_for_missing(texts)
    if words and len(texts) - len(words) > 1:
        na = ",".join([*layout_of(source).missing, *words])
        warn(
            f"{name} in {source.name} has {some([repr(word) for word in words])} as a label. Use {named('na', na)} if "
            "it means a missing value."
        )


def _texts(column: pa.ChunkedArray) -> list[str]:
    """Return the distinct texts of a column, of which few are looked through; none of another column."""
    return _encoded(column)[1][:_FIRST_TEXTS] if _is_text(column) else []


def _tell_of_obstacles(column: pa.ChunkedArray, name: str, source: Input, layout: Layout) -> None:
    """Say what stands in the way of numbers in a column that was asked for as numbers."""
    texts = column.slice(0, _FIRST_TEXTS).drop_null().to_pylist()
    obstacles = of_columns([name], [[text] for text in texts], layout, source.delimiter)
    if any(obstacle.option == "na" for obstacle in obstacles):
        warn(f"{name} in {source.name} has {spoken(source, obstacles, layout)}")


def not_numbers(column: pa.ChunkedArray, name: str, source: Input, layout: Layout) -> InputError | None:
    """Return the error for texts of which some are numbers, and what the others are; None for other texts."""
    texts = [text for text in _texts(column) if text.strip() not in layout.missing]
    censored = [text for text in texts if is_censored(text)]
    others = [text for text in texts if not is_censored(text) and not is_word_for_missing(text)]
    if not others or not all(map(is_number, others)):
        return None
    start = f"Column {name!r} of {source.name} is not numeric:"
    percentages = [text for text in others if is_percentage(text)]
    if censored:
        shown = some([repr(text) for text in censored], 3)
        means = "is a value" if len(censored) == 1 else "are values"
        na = named("na", written_words([*layout.missing, *censored][:MOST_NAMED]))
        return InputError(
            f"{start} {shown} {means} beyond a limit of measurement (censored). Replace such values with numbers in "
            f"the file, or use {na} to read them as missing."
        )
    if percentages and len(percentages) < len(others):
        plain = next(text for text in others if not is_percentage(text))
        return InputError(
            f"{start} it has both percentages ({percentages[0].strip()!r}) and numbers without a percent sign "
            f"({plain.strip()!r}). Replace percentages with shares in the whole column, such as "
            f"{number_of(percentages[0], 'percent'):g}."
        )
    return None


def _number_column(column: pa.ChunkedArray, name: str, source: Input, layout: Layout) -> pa.ChunkedArray:
    """Return a column of text as numbers where all its texts are numbers of one spelling; else the column as it is."""
    texts = _encoded(column)[1]
    present = [text for text in texts if text.strip() not in layout.missing]
    spelling = spelling_of(present, layout, source.delimiter)
    if spelling is None:
        return column
    if (
        spelling == "plain"
        and source.format not in TEXT
        and layout.decimal is None
        and may_be_grouped(present)
    ):
        raise grouped_error(source, name)
    if spelling != "plain":
        example = next((text for text in present if not text.strip().isdigit()), present[0])
        _tell_of_spelling(name, source, spelling, example)
    return _as_numbers(column, layout, spelling)


def _as_numbers(column: pa.ChunkedArray, layout: Layout, spelling: str) -> pa.ChunkedArray:
    """Return a column of text as numbers of a spelling; the column as it is where a text is of another one."""
    import pyarrow as pa

    encoded, texts = _encoded(column)
    present = [text for text in texts if text.strip() not in layout.missing]
    kind = Layout(decimal={"comma": ",", "point": "."}.get(spelling, layout.decimal))
    written = spelling_of(present, kind, ";") if present else spelling
    if written != spelling and not (written == "plain" and spelling == "point"):
        return column
    if spelling == "plain" and len(present) == len(texts):  # whole numbers beyond 64 bits are text
        return column
    numbers = [None if text.strip() in layout.missing else number_of(text, spelling) for text in texts]
    values = pa.array(numbers, pa.float64())
    return pa.chunked_array([values.take(chunk.indices) for chunk in encoded.chunks], pa.float64())


def _encoded(column: pa.ChunkedArray) -> tuple[Any, list[str]]:
    """Return a column with one dictionary, and its texts."""
    import pyarrow as pa

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    encoded = pa.chunked_array(encoded.unify_dictionaries().chunks, encoded.type)
    return encoded, encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else []
