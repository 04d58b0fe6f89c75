"""What values of a column alone show of it: scores that cannot rank, infinite scores, ids that repeat."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.texts import hint, quote, some
from classay.warned import Code, Warned

WarningText = tuple[Code, str]
FEW_CASES = 10
"""Cases up to which scores of two values are no sign that they are labels, nor a perfect order one of a leak."""


def about_values(distinct: NDArray[Any], cases: float) -> list[WarningText]:
    """The warnings that scores have one value, or two values in more than a few cases, of ascending distinct scores.

    >>> import numpy as np
    >>> [code for code, text in about_values(np.array([0.0, 1.0]), 40)], about_values(np.array([0.0, 1.0]), 4)
    (['two_scores'], [])
    """
    if distinct.size == 1:
        return [("constant_scores", "the score has only 1 value, so it cannot rank cases.")]
    if distinct.size == 2 and cases > FEW_CASES:
        values = " and ".join(f"{score:g}" for score in distinct.tolist())
        text = f"the score has only 2 values ({values}), like labels, so cases with the same value are not ranked."
        return [("two_scores", text)]
    return []


def about_infinite(cases: str) -> WarningText:
    """Return the warning that some cases, counted in a text, have an infinite score."""
    return "infinite_scores", f"infinite scores: {cases}, which rank first or last."


def about_no_label(code: Hashable, cases: Mapping[str, float], advice: str) -> WarningText:
    """The warning that a code often means that none is known; `cases` have it as a "true" or "predicted" label."""
    where = " and ".join(f"{counted(int(n), 'case')} as {kind} label" for kind, n in cases.items() if n)
    return (
        "no_label_codes",
        f"{code} often means 'no label', but is read as a class{f' ({where})' if where else ''}. If {code} means "
        f"'no label', {advice}",
    )


PERFECT: WarningText = (
    "perfect_separation",
    "the score separates the classes perfectly. Check for leakage of the true label.",
)


def cluster_option(column: str) -> str:
    """Return how rows with the same value of a column are told to depend on each other, for either door."""
    return hint(f"cluster={column!r}", f"--cluster {shlex.quote(column)}")


def repeats_said(repeats: tuple[str, int] | None, rows: int) -> list[Warned]:
    """Return the warning of a column of ids that repeats its values, where there is one."""
    if repeats is None:
        return []
    column, values = repeats
    many = f"{values:,}" if values else "repeated"
    text = (
        f"{counted(rows)} have {many} values of {quote(column)}. If rows with the same value depend on each other, use "
        f"{cluster_option(column)}. Intervals and tests now treat all rows as independent cases."
    )
    return [Warned("repeated_ids", text)]


def equal_models(
    columns: Mapping[str, Sequence[NDArray[Any] | None]], what: str, cases: int
) -> tuple[Warned, ...]:
    """Return the warnings that models say the same of every case; `columns` hold what each of them says.

    >>> import numpy as np
    >>> [warned.text for warned in equal_models({"new": [np.ones(9)], "old": [np.ones(9)]}, "scores", 9)]
    ['new and old have equal scores in all 9 cases.']
    """
    alike: dict[tuple[bytes | None, ...], list[str]] = {}
    for name, arrays in columns.items():
        alike.setdefault(tuple(None if array is None else array.tobytes() for array in arrays), []).append(
            name
        )
    return tuple(
        Warned("equal_models", f"{some(names)} have equal {what} in all {cases:,} cases.", tuple(names))
        for names in alike.values()
        if len(names) > 1
    )
