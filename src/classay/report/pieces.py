"""Typed cells as pieces of text: the same in every renderer."""

from __future__ import annotations

from classay.curves.thresholds import outwards
from classay.inference.words import p_text
from classay.report.document import (
    Cell,
    Count,
    Cutoff,
    Difference,
    Found,
    Label,
    Method,
    PValue,
    Value,
    Words,
    Written,
)
from classay.report.words import count, interval, remark, signed_interval, signed_value, value


def value_of(cell: Found) -> str:
    """The value of an estimate, with its sign if it is a difference, or in words of its own."""
    if isinstance(cell, Cutoff):
        return cell.text
    return signed_value(cell.estimate) if isinstance(cell, Difference) else value(cell.estimate)


def interval_of(cell: Found) -> str:
    """The interval of an estimate, or the empty string."""
    if isinstance(cell, Cutoff) and cell.estimate.has_interval:
        return f"[{', '.join(outwards(cell.text, cell.estimate.low, cell.estimate.high))}]"
    return signed_interval(cell.estimate) if isinstance(cell, Difference) else interval(cell.estimate)


def cell_text(cell: Cell) -> str:
    """A cell as one text."""
    if isinstance(cell, Found):
        return f"{value_of(cell)} {interval_of(cell)}".rstrip()
    if isinstance(cell, Label | Words | Written):
        return cell.text
    if isinstance(cell, Count):
        return count(cell.value)
    if isinstance(cell, Value):
        return value(cell.estimate)
    if isinstance(cell, Method):
        return remark(cell.estimate)
    return p_text(cell.value) if isinstance(cell, PValue) else ""
