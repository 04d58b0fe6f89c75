"""How counts, intervals, labels and reasons are put into words and cells into text: the same in every rendering."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isinf, isnan

from classay.curves.curve import outwards
from classay.inference.estimate import Estimate, format_distinct, level_text, number, p_text, small
from classay.inference.estimate import signed as parts_of_difference
from classay.report.document import (
    DRAWN_BY,
    Cell,
    Column,
    Count,
    Cutoff,
    Difference,
    EstimateCell,
    Label,
    MethodCell,
    PValue,
    Spark,
    Value,
    Words,
    Written,
)
from classay.texts import clean, steady

LABEL_WIDTH = 30  # characters: beyond this a label says no more, and pushes the numbers off the page


def shorten(text: str, width: int = LABEL_WIDTH) -> str:
    """Return the cleaned text, cut with an ellipsis when it has more than `width` characters.

    >>> shorten("a very long label indeed", 10)
    'a very lo…'
    """
    text = clean(text)
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def count(value: float) -> str:
    """Return a number of cases: whole where it is whole, and otherwise (weights) as any number.

    >>> count(12345.0), count(2.5), count(float("nan"))
    ('12,345', '2.500', '–')
    """
    if isnan(value) or isinf(value):
        return number(value)
    value = value if float(value).is_integer() else steady(value)
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e15 else number(value)


def interval(estimate: Estimate) -> str:
    """Return the interval, or the empty string when there is none.

    >>> interval(Estimate(0.8731, 0.8612, 0.8844, 0.95, "Wilson"))
    '0.861 to 0.884'
    """
    _, low, high = format_distinct(estimate.value, estimate.low, estimate.high)
    return f"{low} to {high}" if estimate.has_interval else ""


def counts(rows: Sequence[Sequence[float]]) -> list[list[str]]:
    """Numbers of cases that stand together: sums of weights all with the same decimals.

    >>> counts([[59.25, 7.9]]), counts([[3.0, 12345.0]])
    ([['59.2', '7.9']], [['3', '12,345']])
    """
    rows = [[each if float(each).is_integer() else steady(each) for each in row] for row in rows]
    known = [each for row in rows for each in row if isfinite(each)]
    if all(each == round(each) for each in known):
        return [[count(each) for each in row] for row in rows]
    decimals = 1 if max(map(abs, known)) >= 10 else 3
    return [[f"{each:,.{decimals}f}" if isfinite(each) else number(each) for each in row] for row in rows]


def short_count(cases: float) -> str:
    """Return a number of cases in at most four characters, up to ten million millions.

    >>> [short_count(each) for each in (0, 7.25, 999, 1234, 99_960, 1_500_000)]
    ['0', '7.2', '999', '1.2k', '100k', '1.5M']
    """
    value, units = cases, ["", "k", "M", "G", "T"]
    while round(value) >= 1000 and len(units) > 1:
        value, units = value / 1000, units[1:]
    is_whole = value == round(value) or round(value, 1) >= 10
    return f"{value:.0f}{units[0]}" if is_whole else f"{value:.1f}{units[0]}"


def value(estimate: Estimate) -> str:
    """Return the value, or the words "not defined"."""
    return (
        "not defined"
        if estimate.is_undefined
        else format_distinct(estimate.value, estimate.low, estimate.high)[0]
    )


def signed(difference: float) -> str:
    """Return a difference with its sign.

    >>> signed(0.0123), signed(-0.5), signed(0.0)
    ('+0.012', '-0.500', '0')
    """
    if isnan(difference) or difference == 0:
        return small(difference)
    return ("+" if difference > 0 else "-") + small(abs(difference))


def signed_value(estimate: Estimate) -> str:
    """Return the value of a difference with its sign, or the words "not defined"."""
    return "not defined" if estimate.is_undefined else parts_of_difference(estimate)[0]


def signed_interval(estimate: Estimate) -> str:
    """Return the interval of a difference, both limits with their signs, or the empty string."""
    _, low, high = parts_of_difference(estimate)
    return f"{low} to {high}" if estimate.has_interval else ""


def remark(estimate: Estimate) -> str:
    """Return what stands in the method column: the method, or the reason why something is missing."""
    if estimate.has_interval:
        return clean(DRAWN_BY.sub("", estimate.method or ""))
    if estimate.is_undefined:
        return clean(estimate.reason or "no reason recorded")
    return clean(f"no CI: {estimate.reason}" if estimate.reason else "no CI")


LIMIT = r"(?:[+-]?\d|infinite)"
"""How the upper limit of an interval begins."""


def unbroken(text: str) -> str:
    """Return the text with spaces that no line is broken at: around the "<" of a p, and inside an interval.

    >>> unbroken("0.989 (0.979 to 0.999) < 0.001")
    '0.989 (0.979\xa0to\xa00.999) <\xa00.001'
    """
    return re.sub(
        r"(?<=\bp) (?=[<>=] )|(?<=[<>=]) (?=[\d.])|(?<=,) (?=[^\s\[\],]+\])"
        rf"|(?<=[\d%]) (?=to {LIMIT})|(?<=[\d%] to) (?={LIMIT})",
        "\u00a0",
        text,
    )


def interval_title(intervals: Iterable[Estimate]) -> str:
    """Return the heading over intervals, with their level when all have the same.

    >>> one, other = Estimate(0.8, 0.7, 0.9, 0.95, "Wilson"), Estimate(0.8, 0.7, 0.9, 0.9, "Wilson")
    >>> interval_title([]), interval_title([one, one]), interval_title([one, other])
    ('CI', '95% CI', 'CI')
    >>> both = Estimate(0.1, 0, 0.2, 0.95, "max-t bootstrap")
    >>> interval_title([both]), interval_title([both, one])
    ('simultaneous 95% CI', '95% CI')
    """
    known = {(level, level_text(level, by)) for level, by in {(one.level, one.method) for one in intervals}}
    levels = {level for level, _ in known}
    if len(levels) != 1 or not (level := levels.pop()):
        return "CI"
    return known.pop()[1] if len(known) == 1 else level_text(level)


BLOCKS = "▁▂▃▄▅▆▇█"
"""The heights of a course in text."""
MOST_BLOCKS = 24
"""Values of a course in text: of more, as many are shown, the last among them."""


def blocks(values: Sequence[float]) -> str:
    """Return the course of values as blocks, from the lowest of them to the highest.

    >>> blocks([0.5, 0.6, 0.7, 0.5]), blocks([0.5])
    ('▁▅█▁', '▁')
    """
    step = max((len(values) - 1) / (MOST_BLOCKS - 1), 1)
    last = len(values) - 1
    kept = [values[last - round(k * step)] for k in range(min(len(values), MOST_BLOCKS))][::-1]
    known = [each for each in kept if isfinite(each)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    most = len(BLOCKS) - 1
    return "".join(
        BLOCKS[round(most * (each - low) / (high - low)) if high > low else 0] if isfinite(each) else " "
        for each in kept
    )


INTERVAL = r"\([^()]*\d[^()]*\)|[+-]?\d[\d,]*\.\d+ to (?:[+-]?\d[\d,]*(?:\.\d+)?|infinite)"
NUMBER = re.compile(
    r"[<>≤≥±+−-]? ?\d[\d,.]*(?:e[+-]?\d+)?(?: ?%)?(?: ?[–/×] ?\d[\d,.]*%?)?"
    rf"(?: (?:{INTERVAL}))?|{INTERVAL}|[–∞]|-?inf"
)
"""A number, with its sign, its unit and its interval; an interval, a range of places; or a mark for none."""


def is_number(text: str) -> bool:
    """Check whether a text is a number, or one with its interval; these stand at the right of their column.

    >>> [is_number(each) for each in ("1,234", "< 0.001", "0.9 (0.8 to 1.0)", "97.9%", "–", "2–3", "2026-01")]
    [True, True, True, True, True, True, False]
    >>> [is_number(each) for each in ("25 to 34", "3 of 30", "50 and over", "2fold", "")]
    [False, False, False, False, False]
    """
    return NUMBER.fullmatch(unbroken(text).replace("\u00a0", " ").strip()) is not None


def reason_spans(columns: Sequence[Column], row: Sequence[Cell]) -> bool:
    """Check whether the reason for a missing interval runs over the columns behind it, which are all empty."""
    places = [k for k, column in enumerate(columns) if issubclass(column.kind, EstimateCell)]
    if len(places) != 1:
        return False
    cell = row[places[0]]
    if not isinstance(cell, EstimateCell) or cell.estimate.has_interval:
        return False
    return all(each is None or columns[k].kind is MethodCell for k, each in enumerate(row) if k > places[0])


class Notes:
    """Reasons numbered in order of appearance, for tables whose cells are too narrow to hold them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, estimate: Estimate) -> int | None:
        """Return the number of the note that says why the estimate is incomplete; None when it is complete."""
        if estimate.has_interval:
            return None
        return self._numbers.setdefault(remark(estimate), len(self._numbers) + 1)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter((mark, text) for text, mark in self._numbers.items())


def value_of(cell: EstimateCell) -> str:
    """Return the value of an estimate, with its sign if it is a difference, or in words of its own."""
    if isinstance(cell, Cutoff):
        return cell.text
    return signed_value(cell.estimate) if isinstance(cell, Difference) else value(cell.estimate)


def interval_of(cell: EstimateCell) -> str:
    """Return the interval of an estimate, or the empty string."""
    if isinstance(cell, Cutoff) and cell.estimate.has_interval:
        return " to ".join(outwards(cell.text, cell.estimate.low, cell.estimate.high))
    return signed_interval(cell.estimate) if isinstance(cell, Difference) else interval(cell.estimate)


def with_limits(text: str, limits: str) -> str:
    """Return a value with its interval in parentheses behind it, if there is one.

    >>> with_limits("0.873", "0.861 to 0.884"), with_limits("0.873", "")
    ('0.873 (0.861 to 0.884)', '0.873')
    """
    return f"{text} ({limits})" if limits else text


def cell_text(cell: Cell) -> str:
    """Return a cell as one text."""
    if isinstance(cell, EstimateCell):
        return with_limits(value_of(cell), interval_of(cell))
    if isinstance(cell, Label | Words | Written):
        return cell.text
    if isinstance(cell, Count):
        return count(cell.value)
    if isinstance(cell, Value):
        return value(cell.estimate)
    if isinstance(cell, MethodCell):
        return remark(cell.estimate)
    drawn = blocks([each.value for each in cell.estimates]) if isinstance(cell, Spark) else ""
    return p_text(cell.value, cell.alpha) if isinstance(cell, PValue) else drawn
