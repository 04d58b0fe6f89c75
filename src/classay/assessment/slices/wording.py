"""What groups are compared with, and how many tests there are, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from classay.inference.words import title
from classay.texts import listed, quote

if TYPE_CHECKING:
    from classay.assessment.slices.slices import Slice, Slices

PAIR = 2
"""Groups that differ from each other only once, so that a measure has one test."""


def compared_with(s: Slices) -> str:
    """What each group is compared with.

    >>> import classay as ca
    >>> compared_with(ca.assess_by([1, 0] * 9, [0.8, 0.3] * 9, by=["a", "b", "c"] * 6))
    'the other groups together'
    """
    if s.reference is not None:
        return f"group {quote(s.reference)}"
    return "the other group" if len(s) == PAIR else "the other groups together"


def families(s: Slices, found: Sequence[Slice]) -> dict[str, int]:
    """The number of tests that p-values of each measure are adjusted for: a group without a p-value counts for none.

    Two groups differ from each other only once, so they are one test.
    """
    tests: dict[str, int] = {}
    for each in found:
        tests[each.measure] = tests.get(each.measure, 0) + (not isnan(each.p))
    return {name: min(number, 1) if len(s) == PAIR else number for name, number in tests.items()}


def family_said(s: Slices, found: Sequence[Slice]) -> str:
    """Which groups p-values are adjusted for, as part of a sentence; empty where no measure has two tests.

    Measures may differ in it, because a group has cases enough for one and not for another.
    """
    sizes = {name: number for name, number in families(s, found).items() if number}
    if max(sizes.values(), default=0) < 2:
        return ""
    compared = len(s) - (s.reference is not None)
    if set(sizes.values()) == {compared}:
        return f"the {compared:,} groups"
    by_size: dict[int, list[str]] = {}
    for name, number in sizes.items():
        by_size.setdefault(number, []).append(title(name))
    if len(by_size) == 1:
        (number,) = by_size
        return f"the {number:,} of {compared:,} groups that have a test"
    told = [
        f"{f'all {compared:,}' if number == compared else f'{number:,} of {compared:,}'} by {listed(names)}"
        for number, names in by_size.items()
    ]
    return f"the groups that have a test: {'; '.join(told)}"


def untested_said(s: Slices, found: Sequence[Slice]) -> str:
    """Why groups are in no family, as a sentence; empty where all are tested, or nothing is adjusted."""
    if not family_said(s, found):
        return ""
    known = families(s, found)
    without = [each for each in found if isnan(each.p) and known[each.measure] and each.group != s.reference]
    reasons = [(each.difference.reason or "intervals without width").partition(":")[0] for each in without]
    return f"Groups without a test do not count ({listed(list(dict.fromkeys(reasons)))})." if reasons else ""
