"""What the first rows show of a column: its type, its range, how many values are missing or distinct."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.columns.opened import opened
from classay.columns.repeats import is_id_name
from classay.formats.missing_codes import missing_codes
from classay.formats.spellings import MISSING_WORDS
from classay.texts import quote, some

if TYPE_CHECKING:
    import pyarrow as pa

MAX_LABELS = 100
"""Distinct values up to which a column may have labels."""
OFTEN_MISSING = MISSING_WORDS | {"unk", "null", "nan", "na", "n/a", "-", ".", "-9", "-99", "-999", "9999"}
"""Words that often stand for missing values, in small letters."""
MIN_ROWS_OF_IDS = 5
_NUMBERS = frozenset({"no", "nr", "num", "number", "nummer", "idx", "index", "lfd"})
"""Words in names of columns that number rows."""
MAX_CLASSES = 50
MIN_PERIODS = 3
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?")
_DIGIT = re.compile(r"\d")
_OTHER_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)( \d\d?:\d\d(:\d\d)?)?")


@dataclass(frozen=True)
class ColumnFacts:
    """What the first rows show of a column.

    `values` are the distinct values of a column that may have labels, in order of their frequency, else nothing.
    """

    name: str
    type: str
    n: int
    n_missing: int
    n_distinct: int
    values: tuple[Hashable, ...] = ()
    low: float | None = None
    high: float | None = None
    codes: tuple[float, ...] = ()
    """Numbers that look like codes for missing values."""
    is_whole: bool = False
    is_rising: bool = False
    """Whether each number is greater than the one before, as numbers of rows are."""
    date_format: str | None = None
    """The format of dates that are not by ISO 8601; "" where it is not certain."""
    is_time: bool = False
    period: str | None = None
    """The longest period of which dates make several, None of other columns and of too few dates."""
    missing_of_all: int | None = None
    is_coded: bool = False
    """Whether each text has a digit."""
    separator: str | None = None
    """What parts the tags in a cell of text, if cells seem to have several."""

    @property
    def words(self) -> frozenset[str]:
        """The words of the name, in small letters."""
        return frozenset(split_name(self.name))

    @property
    def is_named(self) -> bool:
        """Whether an option can name the column."""
        return bool(self.name.strip())

    @property
    def can_be_listed(self) -> bool:
        """Whether a list of names can have the name of the column."""
        return self.is_named and '"' not in self.name

    @property
    def is_number(self) -> bool:
        """Whether all values are numbers."""
        return self.low is not None

    @property
    def is_constant(self) -> bool:
        """Whether there is one value, or none."""
        return self.n_distinct <= 1

    @property
    def is_unit(self) -> bool:
        """Whether all values are numbers from 0 to 1."""
        return self.low is not None and self.high is not None and self.low >= 0 and self.high <= 1

    @property
    def is_all_distinct(self) -> bool:
        """Whether no value occurs twice."""
        return self.n_distinct == self.n - self.n_missing >= MIN_ROWS_OF_IDS

    @property
    def is_id(self) -> bool:
        """Whether the name or the values are those of ids, which are never echoed."""
        if self.is_time or (self.is_number and not self.is_whole):
            return False
        has_id_name = is_id_name(self.name) or self.name in ("", "row.names", "index", "Unnamed: 0")
        if has_id_name and self.n_distinct > 2:
            return True
        is_numbered = self.is_rising and (bool(self.words & _NUMBERS) or self._counts_rows)
        is_many = not self.is_number or self.n_distinct > MAX_CLASSES or is_numbered
        return (self.is_all_distinct and is_many) or self.has_coded_repeats

    @property
    def _counts_rows(self) -> bool:
        """Whether numbers go up by 1 from row to row."""
        return self.low is not None and self.high is not None and self.high - self.low == self.n_distinct - 1

    @property
    def has_coded_repeats(self) -> bool:
        """Whether many texts with digits repeat, as names of patients with several rows do."""
        is_text = self.type == "text" and self.is_coded
        return is_text and MAX_CLASSES < self.n_distinct < self.n - self.n_missing

    @property
    def missing_words(self) -> tuple[str, ...]:
        """The words for missing values that stand among other values."""
        words = tuple(label_text(value) for value in self.values if is_missing_word(value))
        return words if len(self.values) > len(words) else ()

    @property
    def is_label(self) -> bool:
        """Whether the values may be classes: few and repeated ones."""
        if not self.is_named or self.is_time or self.is_id or not 2 <= len(self.values) <= MAX_CLASSES:
            return False
        if len(self.values) > 2 and 2 * self.n_distinct > self.n - self.n_missing:
            return False
        return self.is_whole or not self.is_number

    @property
    def has_missing(self) -> bool:
        """Whether values are missing, by the file's own count or in the rows that were looked at."""
        return bool(self.n_missing or self.missing_of_all)


def is_missing_word(value: Hashable) -> bool:
    """Check whether a value is a word for missing values.

    >>> is_missing_word("k.A."), is_missing_word("no"), is_missing_word(-9)
    (True, False, True)
    """
    return str(value).strip().lower() in OFTEN_MISSING


def label_text(label: Hashable) -> str:
    """Return a label as the command writes it.

    >>> label_text(1.0), label_text(True), label_text("a")
    ('1', 'True', 'a')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def split_name(name: str) -> list[str]:
    """Return the words of a name, in small letters.

    >>> split_name("yTrue"), split_name("p_bad"), split_name("prob2")
    (['y', 'true'], ['p', 'bad'], ['prob', '2'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)]


def facts_of(table: pa.Table, missing: Mapping[str, int] = MappingProxyType({})) -> list[ColumnFacts]:
    """Return what rows show of each column; `missing` are numbers of missing values of whole columns."""
    return [_facts(name, table[name], missing.get(name)) for name in table.column_names]


def _facts(name: str, column: Any, missing_of_all: int | None) -> ColumnFacts:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        texts = [opened(chunk.dictionary, name) for chunk in column.chunks]  # those of views as plain text
        taken = [text.take(chunk.indices) for text, chunk in zip(texts, column.chunks, strict=True)]
        column = pa.chunked_array(taken, None if taken else pa.string())
    kind, n = column.type, len(column)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return ColumnFacts(name, _nested(kind), n, column.null_count, 0, missing_of_all=missing_of_all)
    if pa.types.is_null(kind):
        return ColumnFacts(name, "empty", n, n, 0, missing_of_all=missing_of_all)
    is_missing = pc.is_null(column, nan_is_null=True)
    present = column.filter(pc.invert(is_missing))
    counts = (
        sorted(present.value_counts().to_pylist(), key=lambda count: -count["counts"]) if len(present) else []
    )
    facts: dict[str, Any] = {"n_missing": n - len(present), "n_distinct": len(counts)}
    values = tuple(count["values"] for count in counts)
    if pa.types.is_boolean(kind):
        title = "truth value"
    elif pa.types.is_temporal(kind):
        title, facts["is_time"] = ("date" if pa.types.is_date(kind) else "time"), True
        facts["period"] = _period(values, None)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        title, more = _of_numbers(present)
        facts |= more
    else:
        title = "text"
        first = present.slice(0, 1000).to_pylist()
        facts |= {"separator": _separator(first), "is_coded": all(_DIGIT.search(str(text)) for text in first)}
        if values and all(_DATE.fullmatch(str(value)) for value in values):
            title, facts["is_time"], facts["period"] = "date", True, _period(values, None)
        elif values and (format_of_dates := _date_format(values)) is not None:
            title, facts["date_format"], facts["is_time"] = "date as text", format_of_dates, True
            facts["period"] = _period(values, format_of_dates)
    if len(counts) <= MAX_LABELS and "is_time" not in facts:
        facts["values"] = values
    return ColumnFacts(name, title, n, missing_of_all=missing_of_all, **facts)


def _nested(kind: Any) -> str:
    """Return what a column has in each row, if that is no plain value."""
    import pyarrow as pa

    if pa.types.is_fixed_size_list(kind):
        return f"list of {kind.list_size}"
    if pa.types.is_struct(kind):
        return "record"
    if pa.types.is_map(kind):
        return "map"
    return "list" if pa.types.is_nested(kind) else "bytes"


def _of_numbers(present: Any) -> tuple[str, dict[str, Any]]:
    """Return the type, the range and whether numbers are whole."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(present):
        return "number", {}
    ends = pc.min_max(present).as_py()
    low, high = float(ends["min"]), float(ends["max"])
    is_whole = pa.types.is_integer(present.type) or (
        pa.types.is_floating(present.type) and pc.all(pc.equal(pc.floor(present), present)).as_py()
    )
    values = present.cast(pa.float64(), safe=False).to_numpy()
    facts = {"low": low, "high": high, "is_whole": is_whole}
    facts["codes"] = tuple(missing_codes(*np.unique(values, return_counts=True)))
    facts["is_rising"] = len(values) > 1 and bool((values[1:] > values[:-1]).all())
    return ("whole number" if is_whole else "number"), facts


def words_for_missing(facts: Sequence[ColumnFacts], table: pa.Table) -> list[str]:
    """Return the words for missing values of columns of labels, of numbers, and of text with numbers.

    A number is one only if no other column has it as a value like others.
    """
    words: list[str] = []
    for column in facts:
        others = [value for value in column.values if not is_missing_word(value)]
        is_of_labels = len(others) >= 2 and 2 * len(column.values) <= column.n - column.n_missing
        if column.missing_words and (is_of_labels or all(_is_number(value) for value in others)):
            words += column.missing_words
        words += [label_text(code) for code in column.codes]
    usual = [column for column in facts if column.is_number and not column.is_all_distinct]
    return [
        word
        for word in dict.fromkeys(words)
        if not _is_number(word)
        or not any(_has(table[column.name], word) for column in usual if float(word) not in column.codes)
    ]


def _has(column: pa.ChunkedArray, word: str) -> bool:
    """Check whether a column of numbers has the number that a word writes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = column.cast(pa.float64(), safe=False)
    return bool(pc.any(pc.equal(numbers, float(word))).as_py())


def _is_number(value: Hashable) -> bool:
    """Check whether a value is a number, in any spelling."""
    return (
        re.fullmatch(r"\s*[+-]?[\d.,]*\d[\d.,]*(e[+-]?\d+)?\s*%?\s*", str(value), re.IGNORECASE) is not None
    )


def _date_format(texts: tuple[Hashable, ...]) -> str | None:
    """Return the format of texts that are dates, "" where the day and the month are not certain, None of others.

    >>> _date_format(("03.04.2025", "23.04.2025")), _date_format(("03.04.2025",)), _date_format(("no",))
    ('%d.%m.%Y', '', None)
    """
    matches = [_OTHER_DATE.fullmatch(str(text).strip()) for text in texts]
    if any(match is None for match in matches):
        return None
    first = {int(match[1]) for match in matches if match}
    second = {int(match[3]) for match in matches if match}
    marks = {
        (
            match[2],
            f"{'%Y' if len(match[4]) == 4 else '%y'}{' %H:%M' if match[5] else ''}{':%S' if match[6] else ''}",
        )
        for match in matches
        if match
    }
    if len(marks) > 1 or max(first) > 31 or max(second) > 31:
        return None
    ((mark, year),) = marks
    is_day_first, is_month_first = max(first) > 12, max(second) > 12
    if is_day_first == is_month_first:
        return ""
    return mark.join(("%d", "%m", year) if is_day_first else ("%m", "%d", year))


def _period(values: Sequence[Hashable], pattern: str | None) -> str | None:
    """Return the longest period of which there are enough, None where days are too few or cannot be read.

    >>> _period(["2025-01-31", "2025-02-01", "2025-03-01"], None), _period(["03.04.2025", "30.04.2025"], "%d.%m.%Y")
    ('month', None)
    """
    if pattern == "":
        return None
    try:
        if pattern is None:
            days = {dt.date.fromisoformat(text) for text in {str(value)[:10] for value in values}}
        else:
            days = {dt.datetime.strptime(str(value).strip(), pattern).date() for value in values}
    except ValueError:
        return None
    periods: dict[str, set[Any]] = {
        "month": {day.isoformat()[:7] for day in days},
        "week": {day.isocalendar()[:2] for day in days},
        "day": days,
    }
    return next((name for name, distinct in periods.items() if len(distinct) >= MIN_PERIODS), None)


def _separator(texts: list[str]) -> str | None:
    """Return what parts the tags in cells of text, None where cells are whole.

    >>> _separator(["sea|dog", "sea", "dog|sea|sun", "sun"]), _separator(["a", "b"])
    ('|', None)
    """
    for separator in "|;,":
        parts = [[part.strip() for part in text.split(separator)] for text in texts if isinstance(text, str)]
        several = [row for row in parts if len(row) > 1]
        distinct = {part for row in parts for part in row}
        if len(several) * 10 >= max(len(parts), 10) and len(distinct) * 2 <= sum(map(len, parts)):
            return separator
    return None


def described_values(facts: ColumnFacts) -> str:
    """Return the values or the range of a column in words; of ids nothing."""
    if facts.is_id or not facts.n_distinct:
        return ""
    if facts.is_label:
        values = sorted(facts.values) if facts.is_number else facts.values  # type: ignore[type-var]
        return some([quote(value) if isinstance(value, str) else str(value) for value in values], 4)
    if facts.low is not None and facts.high is not None:
        return f"{facts.low:.6g} to {facts.high:.6g}"
    return ""
