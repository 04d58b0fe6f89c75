"""What the first rows show of a column: its type, its range, how many values are missing or distinct."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from classay.columns.repeats import is_id_name
from classay.describing.first_rows import MAX_LABELS, FirstRows
from classay.texts import quote, some

MISSING_WORDS = frozenset(
    {
        *("unknown", "unk", "missing", "none", "null", "nan", "na", "n/a", "n.a.", "k.a.", "k. a.", "?", "-", "."),
        *("-9", "-99", "-999", "9999"),
    }
)
"""Words that often stand for missing values, in small letters."""
MIN_ROWS_OF_IDS = 5
MAX_CLASSES = 50
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?")
_OTHER_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)")


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
    is_whole: bool = False
    date_format: str | None = None
    """The format of dates that are not by ISO 8601; "" where it is not certain."""
    is_time: bool = False
    missing_of_all: int | None = None

    @property
    def words(self) -> frozenset[str]:
        """The words of the name, in small letters."""
        return frozenset(split_name(self.name))

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
        return self.low is not None and self.high is not None and 0 <= self.low and self.high <= 1

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
        return (has_id_name and self.n_distinct > 2) or (self.is_all_distinct and self.n_distinct > MAX_CLASSES)

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The values that may be classes, without words for missing values."""
        return tuple(value for value in self.values if not is_missing_word(value))

    @property
    def missing_words(self) -> tuple[str, ...]:
        """The words for missing values that stand among labels."""
        words = tuple(str(value) for value in self.values if is_missing_word(value))
        return words if len(self.values) - len(words) >= 2 else ()

    @property
    def is_label(self) -> bool:
        """Whether the values may be classes: few and repeated ones."""
        if self.is_time or self.is_id or not 2 <= len(self.labels) <= MAX_CLASSES:
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
    return str(value).strip().lower() in MISSING_WORDS


def split_name(name: str) -> list[str]:
    """Return the words of a name, in small letters.

    >>> split_name("yTrue"), split_name("p_bad"), split_name("prob2")
    (['y', 'true'], ['p', 'bad'], ['prob', '2'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)]


def facts_of(rows: FirstRows) -> list[ColumnFacts]:
    """Return what the first rows show of each column."""
    return [_facts(name, rows.table[name], rows.missing.get(name)) for name in rows.table.column_names]


def _facts(name: str, column: Any, missing_of_all: int | None) -> ColumnFacts:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind, n = column.type, len(column)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return ColumnFacts(name, str(kind), n, column.null_count, 0, missing_of_all=missing_of_all)
    if pa.types.is_null(kind):
        return ColumnFacts(name, "empty", n, n, 0, missing_of_all=missing_of_all)
    is_missing = pc.is_null(column, nan_is_null=True)
    present = column.filter(pc.invert(is_missing))
    counts = sorted(
        present.value_counts().to_pylist(), key=lambda count: -count["counts"]
    ) if len(present) else []
    facts: dict[str, Any] = {"n_missing": n - len(present), "n_distinct": len(counts)}
    values = tuple(count["values"] for count in counts[: MAX_LABELS + 1])
    if len(counts) <= MAX_LABELS:
        facts["values"] = values
    if pa.types.is_boolean(kind):
        title = "truth value"
    elif pa.types.is_temporal(kind):
        title, facts["is_time"] = ("date" if pa.types.is_date(kind) else "time"), True
        facts.pop("values", None)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        title, more = _of_numbers(present)
        facts |= more
    else:
        title = "text"
        if values and all(_DATE.fullmatch(str(value)) for value in values):
            title, facts["is_time"] = "date", True
            facts.pop("values", None)
        elif values and (format_of_dates := _date_format(values)) is not None:
            title, facts["date_format"], facts["is_time"] = "date as text", format_of_dates, True
            facts.pop("values", None)
    return ColumnFacts(name, title, n, missing_of_all=missing_of_all, **facts)


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
    return ("whole number" if is_whole else "number"), {"low": low, "high": high, "is_whole": is_whole}


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
    marks = {(match[2], "%Y" if len(match[4]) == 4 else "%y") for match in matches if match}
    if len(marks) > 1 or max(first) > 31 or max(second) > 31:
        return None
    ((mark, year),) = marks
    is_day_first, is_month_first = max(first) > 12, max(second) > 12
    if is_day_first == is_month_first:
        return ""
    return mark.join(("%d", "%m", year) if is_day_first else ("%m", "%d", year))


def described_values(facts: ColumnFacts) -> str:
    """Return the values or the range of a column in words; of ids nothing."""
    if facts.is_id or not facts.n_distinct:
        return ""
    if facts.labels and (facts.is_label or len(facts.values) <= 2):
        return some([quote(value) if isinstance(value, str) else str(value) for value in facts.values], 4)
    if facts.low is not None and facts.high is not None:
        return f"{facts.low:.6g} to {facts.high:.6g}"
    return ""
