"""Grades as numbers: letters, words, truth values and numbers, by a map that is shown; what it lacks is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.errors import InputError
from classay.grades.json_fields import as_text
from classay.grades.records import Lack, Status
from classay.texts import amount, cut, hint, listed, some

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Grades of Inspect: correct, partial, incorrect, no answer; the numbers are Inspect's."""
WORDS = {
    word: value
    for value, words in ((1.0, "yes true pass passed correct"), (0.0, "no false fail failed incorrect"))
    for word in words.split()
}
"""Words that mean the same in every tool."""
Bounds = tuple[float, float]
_NUMBERS = {int, float, type(None)}
_PLAIN = (str, int, float, Lack, type(None))


@dataclass(frozen=True)
class Mapped:
    """Grades as numbers, NaN where there is none, with the reason; the map and the bounds as they are shown."""

    values: NDArray[Any]
    statuses: list[Status]
    shown_map: str
    bounds: Bounds | None
    bounds_from: str


def mapped(
    raw: Sequence[Any],
    failed: Sequence[bool],
    name: str,
    *,
    table: Mapping[str, float] | None = None,
    bounds: Bounds | None = None,
    has_letters: bool = False,
) -> Mapped:
    """Return grades as numbers. Raises InputError for grades that the map does not have, or outside the bounds.

    >>> result = mapped(["C", "P", None], [False] * 3, "judge", has_letters=True)
    >>> result.values.tolist(), result.statuses, result.shown_map
    ([1.0, 0.5, nan], ['graded', 'graded', 'no grade'], 'C = 1, P = 0.5, I = 0, N = 0')
    """
    if table is not None:
        _check_map(table)
    values, statuses, used, unmapped, is_plain = _all_numbers(raw, failed, table) or _each_number(
        raw, failed, table, has_letters=has_letters
    )
    if unmapped:
        raise InputError(_unmapped_text(unmapped, name, table))
    known = table if table is not None else _table_of(used, has_letters=has_letters)
    low_high, source = _bounds(values, name, bounds, table, known, is_plain=is_plain)
    shown = ", ".join(f"{word} = {amount(value)}" for word, value in known.items()) if known else ""
    return Mapped(values, statuses, shown, low_high, source)


_Read = tuple[NDArray[Any], list[Status], dict[str, float], Counter[str], bool]
"""Numbers, statuses, the words that were used, those that have no number, and whether a grade is a number."""


def _all_numbers(
    raw: Sequence[Any], failed: Sequence[bool], table: Mapping[str, float] | None
) -> _Read | None:
    """Return grades that are all numbers, or missing, as one column; None for others."""
    if table is not None or any(failed) or not {*map(type, raw)} <= _NUMBERS:
        return None
    with suppress(OverflowError):
        values = np.array(raw, float)
        if not np.isinf(values).any():
            statuses: list[Status] = ["graded"] * len(raw)
            gaps = np.flatnonzero(np.isnan(values)).tolist()
            for row in gaps:
                statuses[row] = "no grade"
            return values, statuses, {}, Counter(), len(gaps) < len(raw)
    return None


def _each_number(
    raw: Sequence[Any],
    failed: Sequence[bool],
    table: Mapping[str, float] | None,
    *,
    has_letters: bool,
) -> _Read:
    """Return grades of any kind, of which equal ones are read once."""
    values = np.full(len(raw), nan)
    statuses: list[Status] = ["graded"] * len(raw)
    used: dict[str, float] = {}
    unmapped: Counter[str] = Counter()
    is_plain = False
    known: dict[tuple[type, Any], Status | tuple[float, str | None] | None] = {}
    for row, grade in enumerate(raw):
        if failed[row]:
            statuses[row] = "error"
            continue
        key = (type(grade), grade if isinstance(grade, _PLAIN) else as_text(grade))
        if key not in known:
            known[key] = _status(grade) or _number(grade, table, has_letters=has_letters)
        number = known[key]
        if number is None:
            unmapped[_word(grade)] += 1
        elif isinstance(number, str):
            statuses[row] = number
        else:
            values[row], word = number
            if word is None:
                is_plain = True
            else:
                used[word] = number[0]
    return values, statuses, used, unmapped, is_plain


def _status(grade: Any) -> Status | None:
    """Return why there is no grade; None where there is one."""
    if isinstance(grade, Lack):
        return grade.value
    return "no grade" if _is_missing(grade) else None


def _table_of(used: Mapping[str, float], *, has_letters: bool) -> dict[str, float]:
    """Return the map that gave numbers to words: all letters where one occurs, and of other words those that occur."""
    letters = LETTERS if has_letters and used.keys() & LETTERS.keys() else {}
    return {**letters, **{word: value for word, value in sorted(used.items()) if word not in letters}}


def _number(
    grade: Any, table: Mapping[str, float] | None, *, has_letters: bool
) -> tuple[float, str | None] | None:
    """Return the number of a grade, with the word that it was, None for a number; None for what is not known."""
    word = _word(grade)
    if table is not None:
        return (float(table[word]), word) if word in table else None
    if isinstance(grade, bool | str):
        known = LETTERS if has_letters and word in LETTERS else WORDS
        name = word if known is LETTERS else word.lower()
        if name in known:
            return known[name], name
    number = nan
    with suppress(ValueError, TypeError, OverflowError):
        number = nan if "_" in word else float(grade)  # Python reads 1_000 as a number
    return (number, None) if isfinite(number) else None


def _word(grade: Any) -> str:
    """Return a grade as a map names it: whole numbers without a point, truth values in small letters.

    >>> _word(1.0), _word(True), _word(" C ")
    ('1', 'true', 'C')
    """
    if isinstance(grade, bool):
        return str(grade).lower()
    if isinstance(grade, float) and grade.is_integer():
        return str(int(grade))
    return as_text(grade).strip()


def _is_missing(grade: Any) -> bool:
    return (
        grade is None
        or (isinstance(grade, float) and isnan(grade))
        or (isinstance(grade, str) and grade.strip().lower() in ("", "nan", "none", "null"))
    )


def _check_map(table: Mapping[str, float]) -> None:
    bad = [word for word, value in table.items() if not isinstance(value, int | float) or not isfinite(value)]
    if bad or not table:
        raise InputError(
            "The map of grades must give a number to each grade, such as "
            + hint("map={'C': 1, 'P': 0.5, 'I': 0}.", "--map C=1,P=0.5,I=0.")
        )


def _unmapped_text(unmapped: Counter[str], name: str, table: Mapping[str, float] | None) -> str:
    """Return what is said of grades that have no number."""
    grades = some([f"{cut(repr(word), 40)} ({count:,})" for word, count in unmapped.most_common()])
    first = next(iter(unmapped))
    number = sum(unmapped.values())
    lead = f"{counted(number, 'grade')} of {name} {'is' if number == 1 else 'are'} not " + (
        "in the map" if table is not None else "numeric"
    )
    example = f"{first}=0" if first.isalnum() and len(first) < 20 else "GRADE=0"
    known = (
        "" if table is None else f"{','.join(f'{word}={amount(value)}' for word, value in table.items())},"
    )
    full = known if len(known) < 60 else ""
    how = hint("Pass map= with a number for each grade.", f"Use --map {full}{example} with your number.")
    return f"{lead}: {grades}. {how}"


def _bounds(
    values: NDArray[Any],
    name: str,
    bounds: Bounds | None,
    table: Mapping[str, float] | None,
    known: Mapping[str, float],
    *,
    is_plain: bool,
) -> tuple[Bounds | None, str]:
    """Return the range of the grades, and where it is from."""
    seen = values[~np.isnan(values)]
    if bounds is not None:
        if not (isfinite(bounds[0]) and isfinite(bounds[1]) and bounds[0] < bounds[1]):
            raise InputError(f"bounds must be two numbers, the lower first, such as 0,1, but are {bounds!r}.")
        outside = int(((seen < bounds[0]) | (seen > bounds[1])).sum())
        if outside:
            raise InputError(
                f"{outside:,} of {seen.size:,} grades of {name} are outside the bounds {bounds[0]:g} to {bounds[1]:g}: "
                f"they range from {seen.min():g} to {seen.max():g}. Set the bounds of all possible grades."
            )
        return bounds, "declared"
    if known and not is_plain and len({*known.values()}) > 1:
        return (float(min(known.values())), float(max(known.values()))), "of the map"
    if table is None and np.isin(seen, (0.0, 1.0)).all():
        return (0.0, 1.0), "all grades are 0 or 1" if is_plain else "of the map"
    return None, "not declared"


def shown_counts(statuses: Sequence[Status]) -> str:
    """Return how many answers lack a grade, and why; nothing where all are graded.

    >>> shown_counts(["graded", "error", "scorer silent", "error"])
    '2 errors and 1 without a score'
    """
    counts = Counter(statuses)
    texts = {
        "error": counted(counts["error"], "error"),
        "no grade": counted(counts["no grade"], "empty grade"),
        "scorer silent": f"{counts['scorer silent']:,} without a score",
    }
    return listed([text for status, text in texts.items() if counts[status]])  # type: ignore[index]
