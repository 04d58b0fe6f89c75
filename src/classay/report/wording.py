"""How counts, intervals, labels and reasons are put into words: the same in every rendering."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isinf, isnan

from classay.inference.estimate import Estimate, number
from classay.report.report import ClassRow, Group, Report, Row

LABEL_WIDTH = 28  # characters: beyond this a label says no more, and pushes the numbers off the page
CLASS_COLUMNS = 5
CLASSES_SHOWN = 20
WORST_SHOWN = 10

_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """The text on one line, without what could move a cursor, turn the reading direction or fail to encode.

    Labels come from files of unknown origin: an escape sequence in one must not reach the terminal.

    >>> clean("two\\nlines \\x1b[2J")
    'two\\\\nlines \\\\x1b[2J'
    """
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    hidden = unicodedata.category(character) in {"Cc", "Co", "Cs", "Zl", "Zp"} or character in _BIDI_CONTROLS
    return character.encode("unicode_escape").decode("ascii") if hidden else character


def shorten(text: str, width: int = LABEL_WIDTH) -> str:
    """The cleaned text, cut with an ellipsis when it has more than `width` characters.

    >>> shorten("a very long label indeed", 10)
    'a very lo…'
    """
    text = clean(text)
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def count(value: float) -> str:
    """A number of cases: whole where it is whole, and otherwise (weights) as any number.

    >>> count(12345.0), count(2.5), count(float("nan"))
    ('12,345', '2.500', '–')
    """
    if isnan(value) or isinf(value):
        return number(value)
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e15 else number(value)


def interval(estimate: Estimate) -> str:
    """The interval in square brackets, or the empty string when there is none."""
    return f"[{number(estimate.low)}, {number(estimate.high)}]" if estimate.has_interval else ""


def value(estimate: Estimate) -> str:
    """The value, or the word "undefined"."""
    return "undefined" if estimate.is_undefined else number(estimate.value)


def signed(estimate: Estimate) -> str:
    """The value of a difference, with its sign, or the empty string where it is undefined.

    >>> signed(Estimate(0.1)), signed(Estimate(-0.1)), signed(Estimate.undefined("too few cases"))
    ('+0.100', '-0.100', '')
    """
    return "" if estimate.is_undefined else f"{'+' if estimate.value > 0 else ''}{number(estimate.value)}"


def p_value(p: float) -> str:
    """A p-value as people read it, or the empty string where there is none.

    >>> p_value(0.04212), p_value(0.00004), p_value(1.0)
    ('0.042', '< 0.001', '1.000')
    """
    if isnan(p):
        return ""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def remark(estimate: Estimate) -> str:
    """What stands in the method column: the method, or the reason why something is missing."""
    if estimate.has_interval:
        return clean(estimate.method or "")
    if estimate.is_undefined:
        return clean(estimate.reason or "no reason recorded")
    return clean(f"no interval: {estimate.reason}" if estimate.reason else "no interval")


def unbroken(text: str) -> str:
    """The text with spaces that no line is broken at: before "%", and inside an interval.

    >>> unbroken("97.9 % [0.979, 0.999]")
    '97.9\xa0% [0.979,\xa00.999]'
    """
    return re.sub(r"(?<=\d) (?=%)|(?<=,) (?=[^\s\[\],]+\])", "\u00a0", text)


def spoken(name: str) -> str:
    """A canonical name as people read it.

    >>> spoken("false_discovery_rate"), spoken("macro_f1"), spoken("roc_auc")
    ('false discovery rate', 'macro F1', 'ROC AUC')
    """
    words = clean(name).split("_")
    return " ".join(
        word.upper() if word in {"roc", "auc"} or re.fullmatch(r"f\d\w*", word) else word for word in words
    )


def is_drawable(row: Row) -> bool:
    """Whether the interval has its place on the common scale from 0 to 1.

    A value without interval is not drawn: a lone dot would look like certainty.
    """
    return row.bounds == (0, 1) and row.estimate.has_interval


def interval_title(groups: Sequence[Group]) -> str:
    """The heading over the intervals, with their level when all have the same.

    >>> interval_title([])
    'interval'
    """
    levels = {row.estimate.level for group in groups for row in group.rows if row.estimate.has_interval}
    level = levels.pop() if len(levels) == 1 else None
    return f"{100 * level:g} % interval" if level else "interval"


@dataclass(frozen=True)
class ClassTable:
    """The classes a page has room for: the names of the columns, the rows, and what was left out."""

    names: tuple[str, ...]
    rows: tuple[ClassRow, ...]
    note: str


def class_table(report: Report) -> ClassTable:
    """The classes to show: all of a few, the worst of many."""
    names = tuple(dict.fromkeys(name for row in report.classes for name in row.estimates))[:CLASS_COLUMNS]
    rows = report.classes
    if len(rows) <= CLASSES_SHOWN or not names:
        return ClassTable(names, rows[:CLASSES_SHOWN], _left_out(len(rows)))
    undefined = Estimate.undefined("")

    def badness(row: ClassRow) -> tuple[bool, float]:
        judged = row.estimates.get(names[-1], undefined)
        return judged.is_undefined, judged.value if not judged.is_undefined else 0.0

    worst = tuple(sorted(rows, key=badness)[:WORST_SHOWN])
    judged_by = spoken(names[-1])
    note = f"The {len(worst)} of {len(rows):,} classes with the lowest {judged_by}; the JSON has all of them."
    return ClassTable(names, worst, note)


def _left_out(classes: int) -> str:
    if classes <= CLASSES_SHOWN:
        return ""
    return f"The first {CLASSES_SHOWN} of {classes:,} classes; the JSON has all of them."


class Notes:
    """Reasons numbered in order of appearance, for tables whose cells are too narrow to hold them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, estimate: Estimate) -> int | None:
        """The number of the note that says why the estimate is incomplete; None when it is complete."""
        if estimate.has_interval:
            return None
        return self._numbers.setdefault(remark(estimate), len(self._numbers) + 1)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter((mark, text) for text, mark in self._numbers.items())
