"""Thresholds in words: as few digits as call the same cases positive."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision
from classay.tables import ScoreTable

FEWEST, MOST = 4, 17
"""Significant digits: those that people read at least, and those that tell any two numbers apart."""
GIVEN = 6
"""Significant digits of a threshold that somebody gave, who wants to find it again."""


def as_given(scores: NDArray[Any], threshold: float) -> str:
    """A threshold that somebody gave, with six digits, or as many more as divide the scores as it does.

    >>> as_given(np.array([0.9, 0.2]), 0.12345), as_given(np.array([0.29966123, 0.2]), 0.29966123)
    ('0.12345', '0.299661')
    >>> as_given(np.array([0.29966123, 0.29966119]), 0.29966123)
    '0.2996612'
    """
    return written(scores, threshold, GIVEN)


def written(scores: NDArray[Any], threshold: float, fewest: int = FEWEST) -> str:
    """A threshold with the fewest digits, four at least, that divide the scores, descending, as it does.

    Rounded where that changes nothing, and otherwise rounded down.

    >>> written(np.array([0.29964, 0.2995]), 0.29964), written(np.array([0.29966, 0.2995]), 0.29966)
    ('0.2996', '0.2996')
    >>> written(np.array([0.299661, 0.299655]), 0.299661), written(np.array([0.5, 0.2]), inf)
    ('0.29966', 'infinite')
    """
    if not isfinite(threshold):
        return "infinite" if threshold > 0 else "-infinite"
    own = in_precision(threshold, scores.dtype)
    at = scores.size - int(np.searchsorted(scores[::-1], own))
    most = scores[at - 1] if at else inf
    least = scores[at] if at < scores.size else -inf
    for text in _shortened(threshold, fewest):
        if least < in_precision(float(text), scores.dtype) <= most:
            return text
    return repr(float(threshold))


def outwards(text: str, low: float, high: float) -> tuple[str, str]:
    """The ends of an interval of a threshold, with the decimals of its text, rounded outwards: they never exclude it.

    >>> outwards("0.2733", 0.27338, 0.30011), outwards("0.7", float(np.float32(0.7)), 0.75)
    (('0.2733', '0.3002'), ('0.7', '0.8'))
    """
    own = Decimal(text)
    step = Decimal(1).scaleb(int(own.as_tuple().exponent))
    ends = (
        min(_rounded(low, step, ROUND_FLOOR), own),
        max(_rounded(high, step, ROUND_CEILING), own),
    )
    if "e" in text:
        return f"{float(ends[0]):.4g}", f"{float(ends[1]):.4g}"
    return f"{ends[0]:f}", f"{ends[1]:f}"


def _rounded(value: float, step: Decimal, way: str) -> Decimal:
    """A number in whole steps; the nearest where only the precision of a float tells it from that."""
    exact = Decimal(repr(float(value)))
    wide = Context(prec=400)
    nearest = exact.quantize(step, context=wide)
    if abs(nearest - exact) <= abs(exact) * Decimal("1e-7"):
        return nearest
    return exact.quantize(step, way, wide)


def _shortened(threshold: float, fewest: int) -> Iterator[str]:
    for digits in range(fewest, MOST + 1):
        yield f"{threshold:.{digits}g}"
        down = Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(float(threshold))
        yield f"{float(down):.{digits}g}"


def thresholds_of(table: ScoreTable, reached: NDArray[Any]) -> NDArray[np.float64]:
    """The thresholds that so many of a table's distinct scores reach: infinite where none does.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))
    >>> thresholds_of(table, np.array([0, 2]))
    array([inf, 0.4])
    """
    found = np.full(reached.shape, np.inf)
    found[reached > 0] = table.thresholds[reached[reached > 0] - 1]
    return found


def even(*texts: str) -> tuple[str, ...]:
    """Numbers that stand together, as texts with as many decimals as the one that needs most.

    As they are where that would write more significant digits than any of them has.

    >>> even("0.8069", "0.9"), even("2", "3"), even("infinite", "0.25"), even("0.0003395", "0.3721")
    (('0.8069', '0.9000'), ('2', '3'), ('infinite', '0.25'), ('0.0003395', '0.3721'))
    """
    if any("e" in text for text in texts if "inf" not in text):
        return texts
    decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
    made = tuple(text if not decimals or "inf" in text else _padded(text, decimals) for text in texts)
    return made if max(map(_digits, made), default=0) <= max(map(_digits, texts), default=0) else texts


def _digits(text: str) -> int:
    """The significant digits of a number, of its whole part at least."""
    return len(text.replace(".", "").replace("-", "").lstrip("0")) if "inf" not in text else 0


def _padded(text: str, decimals: int) -> str:
    whole, _, part = text.partition(".")
    return f"{whole}.{part.ljust(decimals, '0')}"
