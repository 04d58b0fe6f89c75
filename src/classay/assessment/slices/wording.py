"""What groups are compared with, and how many tests there are, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from classay.assessment.judgement.words import quote

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


def of_tests(s: Slices, found: Sequence[Slice]) -> str:
    """For how many tests the p-values of a measure were adjusted: for those of the groups that could be tested."""
    tested: dict[str, int] = {}
    for each in found:
        tested[each.measure] = tested.get(each.measure, 0) + (not isnan(each.p))
    least, most = min(tested.values()), max(tested.values())
    if least == len(s):
        return f"the {len(s):,} groups"
    many = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"the groups that could be tested, {many} of {len(s):,} in each measure"
