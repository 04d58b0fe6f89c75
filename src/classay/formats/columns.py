"""Cells of foreign files as columns of one type each."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from typing import Any

from classay.formats.layout import Layout
from classay.formats.spellings import is_number, is_percentage, spelling_of

_FIRST = 1000
EXACT = 2.0**53
"""Up to here, a double holds every whole number."""


def column_of(values: Sequence[Any], layout: Layout | None = None) -> Any:
    """Cells in one type: numbers, truth values, dates and times, or else the text that people see.

    Numbers beside texts with decimal commas get decimal commas too, so that the column has one spelling.

    >>> column_of([1.0, None, 2.0]).to_pylist(), column_of([1.0, "b"]).to_pylist(), column_of([1.5, "0,5"]).to_pylist()
    ([1, None, 2], ['1', 'b'], ['1,5', '0,5'])
    """
    import pyarrow as pa

    kinds = {*map(type, values)} - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    if kinds <= {int, float}:
        if int in kinds:
            values = [None if value is None else float(value) for value in values]
        return _as_whole(pa.array(values))
    if kinds == {dt.date, dt.datetime}:
        values = [_as_time(value) for value in values]
    if kinds <= {dt.date, dt.datetime} or kinds in ({bool}, {str}):
        return pa.array(values)
    texts = [None if value is None else shown(value) for value in values]
    if kinds <= {int, float, str}:
        written = _writing([value for value in values if type(value) is str], layout or Layout())
        texts = [
            written(value) if type(value) is float else text
            for value, text in zip(values, texts, strict=True)
        ]
    return pa.array(texts, pa.string())


def _as_whole(numbers: Any) -> Any:
    """Return numbers as whole ones where all are; the first ones mostly tell that not all are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for looked_at in (numbers.slice(0, _FIRST), numbers):
        is_whole = pc.and_(pc.equal(pc.floor(looked_at), looked_at), pc.less_equal(pc.abs(looked_at), EXACT))
        if pc.all(is_whole).as_py() is False:
            return numbers
    return numbers.cast(pa.int64())


def _writing(texts: Sequence[str], layout: Layout) -> Callable[[float], str]:
    """Return how numbers are written beside texts: with their decimal mark, or with none where it may be either."""
    numbers = [text for text in dict.fromkeys(texts) if is_number(text)]
    spelling = spelling_of(numbers, layout, "")
    if spelling == "comma":
        return lambda number: shown(number).replace(".", ",")
    if numbers and spelling is None and not any(map(is_percentage, numbers)):
        return _without_mark
    return shown


def _without_mark(number: float) -> str:
    """Return a number with an exponent and without a decimal mark.

    >>> _without_mark(-4.5), _without_mark(2.0)
    ('-45e-1', '20e-1')
    """
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    is_finite = isinstance(exponent, int)
    return f"{'-' * sign}{''.join(map(str, digits))}e{exponent}" if is_finite else shown(number)


def numbered(names: Sequence[str]) -> list[str]:
    """Return names of which those that occur several times have their number.

    >>> numbered(["y", "p", "p"])
    ['y', 'p#1', 'p#2']
    """
    times, so_far = Counter(names), Counter[str]()
    distinct = []
    for name in names:
        so_far[name] += 1
        distinct.append(f"{name}#{so_far[name]}" if times[name] > 1 else name)
    return distinct


def without(values: Sequence[Any], missing: Collection[str]) -> Sequence[Any]:
    """Cells of which those that are written as words for missing values are None."""
    if not missing:
        return values
    return [None if value is not None and shown(value) in missing else value for value in values]


def _as_time(value: dt.date | None) -> dt.date | None:
    """Return a date as the time of its begin."""
    is_date = value is not None and not isinstance(value, dt.datetime)
    return dt.datetime.combine(value, dt.time()) if is_date else value  # type: ignore[arg-type]


def shown(value: Any) -> str:
    """Return a cell as people see it: whole numbers without a point, dates by ISO 8601.

    >>> shown(2.0), shown(0.25), shown(True)
    ('2', '0.25', 'TRUE')
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
        return str(int(value))
    return value.isoformat() if isinstance(value, dt.date) else str(value)
