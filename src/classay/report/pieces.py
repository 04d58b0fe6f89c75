"""Typed cells as pieces of text: the same in every renderer."""

from __future__ import annotations

from classay.inference.words import p_text
from classay.report.document import Cell, Count, Difference, Found, Label, Method, PValue, Value, Words
from classay.report.words import count, interval, remark, signed_interval, signed_value, value


def value_of(cell: Found) -> str:
    """The value of an estimate, with its sign if it is a difference."""
    return signed_value(cell.estimate) if isinstance(cell, Difference) else value(cell.estimate)


def interval_of(cell: Found) -> str:
    """The interval of an estimate, or the empty string."""
    return signed_interval(cell.estimate) if isinstance(cell, Difference) else interval(cell.estimate)


def cell_text(cell: Cell) -> str:
    """A cell as one text."""
    if isinstance(cell, Found):
        return f"{value_of(cell)} {interval_of(cell)}".rstrip()
    if isinstance(cell, Label | Words):
        return cell.text
    if isinstance(cell, Count):
        return count(cell.value)
    if isinstance(cell, Value):
        return value(cell.estimate)
    if isinstance(cell, Method):
        return remark(cell.estimate)
    return p_text(cell.value) if isinstance(cell, PValue) else ""
