"""Sentences about groups of cases: what each is compared with, tests that count together, a paragraph for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING

from classay.columns.numbers import counted
from classay.groups.compared_groups import GroupDifference, not_recorded_sentence
from classay.groups.trends import Trends
from classay.inference.estimate import direction, title
from classay.texts import listed, quote, some

if TYPE_CHECKING:
    from classay.groups.slices import GroupAssessments
PAIR = 2
"""Groups that differ from each other only once, so that a measure has one test."""


def compared_with(s: GroupAssessments) -> str:
    """Return what each group is compared with.

    >>> import classay as ca
    >>> compared_with(ca.assess_by([1, 0] * 9, [0.8, 0.3] * 9, by=["a", "b", "c"] * 6))
    'all other groups'
    """
    if s.reference is not None:
        return f"group {quote(s.reference)}"
    return "the other group" if len(s) == PAIR else "all other groups"


def uncounted_said(s: GroupAssessments) -> str:
    """Return which labels make no group, as a sentence; empty where all do."""
    if not s.uncounted:
        return ""
    return f"All rows of {some(s.uncounted, write=quote)} have weight 0 or were excluded."


def not_recorded_said(s: GroupAssessments) -> str:
    """Return how many cases have no recorded group, as a sentence; empty where every case has one."""
    if s.not_recorded is None:
        return ""
    return not_recorded_sentence(s.not_recorded.n, s.gaps or (s.by,), s.name_of_not_recorded)


def families(s: GroupAssessments, slices: Sequence[GroupDifference]) -> dict[str, int]:
    """The number of tests that p-values of each measure are adjusted for: a group without a p-value counts for none.

    Two groups differ from each other only once, so they are one test.
    """
    tests: dict[str, int] = {}
    for slice_ in slices:
        tests[slice_.measure] = tests.get(slice_.measure, 0) + (not isnan(slice_.p))
    return {name: min(count, 1) if len(s) == PAIR else count for name, count in tests.items()}


def family_said(s: GroupAssessments, slices: Sequence[GroupDifference]) -> str:
    """Return which groups p-values are adjusted for, as part of a sentence; empty where no measure has two tests.

    Measures may differ in it, because a group has cases enough for one and not for another.
    """
    sizes = {name: count for name, count in families(s, slices).items() if count}
    if max(sizes.values(), default=0) < 2:
        return ""
    compared = len(s) - (s.reference is not None)
    if set(sizes.values()) == {compared}:
        return f"the {compared:,} groups"
    by_size: dict[int, list[str]] = {}
    for name, count in sizes.items():
        by_size.setdefault(count, []).append(title(name))
    if len(by_size) == 1:
        (count,) = by_size
        return f"the {count:,} of {compared:,} groups that have a test"
    phrases = [
        f"{f'all {compared:,}' if count == compared else f'{count:,} of {compared:,}'} by {listed(names)}"
        for count, names in by_size.items()
    ]
    return f"the groups that have a test ({'; '.join(phrases)})"


def untested_said(s: GroupAssessments, slices: Sequence[GroupDifference]) -> str:
    """Return why groups are in no family, as a sentence; empty where all are tested, or nothing is adjusted."""
    if not family_said(s, slices):
        return ""
    known = families(s, slices)
    without = [each for each in slices if isnan(each.p) and known[each.measure] and each.group != s.reference]
    reasons = [(each.difference.reason or "intervals of width 0").partition(":")[0] for each in without]
    return (
        f"Groups without a test are not counted ({listed(list(dict.fromkeys(reasons)))})." if reasons else ""
    )


def is_one_pair(s: GroupAssessments) -> bool:
    """Check whether two groups are compared with each other: one difference, of the first minus the second."""
    return len(s) == PAIR and s.reference is None


def worst_first(slices: Sequence[GroupDifference]) -> list[GroupDifference]:
    """Return the groups of one measure, ordered by how much worse than its reference each is at least.

    That is the limit of its difference that is nearer to the best value; the p-value where neither end of the range is
    best. Groups without a difference come last.
    """
    return sorted(slices, key=lambda slice_: (isnan(_rank(slice_)), _rank(slice_)))


def _rank(slice_: GroupDifference) -> float:
    side = direction(slice_.measure)
    return slice_.p if not side else slice_.difference.high if side > 0 else -slice_.difference.low


NAMED = 6
"""Groups up to which each is named with its cases."""


def how_grouped(
    s: GroupAssessments, slices: Sequence[GroupDifference], trends: Trends | None
) -> Iterator[str]:
    """Yield the groups, what each was compared with, and the tests, in sentences for a paper."""
    yield _of_groups(s)
    if any(slice_.difference.has_interval for slice_ in slices):
        yield f"Every group was compared with {compared_with(s)}."
    if text := _of_tests(s, slices):
        yield text
    if trends is not None and trends.family:
        yield _of_trends(trends)


def _of_groups(s: GroupAssessments) -> str:
    sizes = [f"{quote(label)}: {counted(group.n, 'case')}" for label, group in s.groups.items()]
    named = f" ({'; '.join(sizes)})" if len(sizes) <= NAMED else ""
    which = {1: "the one group", 2: "both groups"}.get(len(s), f"all {len(s):,} groups")
    pooled = "" if s.pooled is None or s.pooled.name is None else f" {s.pooled.sentence}"
    return f"The measures were also computed in {which} by {quote(s.by)}{named}.{pooled}"


def _of_trends(trends: Trends) -> str:
    how = "the larger of two errors (Student's t of the residuals and the normal error of the cases)"
    by_holm = f", with p values adjusted for {trends.family} measures (Holm)" if trends.family > 1 else ""
    return (
        f"The groups are ordered, so a trend (the least-squares slope over the groups) was tested by {how}"
        f"{by_holm}."
    )


def _of_tests(s: GroupAssessments, slices: Sequence[GroupDifference]) -> str:
    if all(slice_.p != slice_.p for slice_ in slices):
        return ""
    family = family_said(s, slices)
    adjusted = f" and were adjusted for {family} (Holm)" if family else ""
    tested = f"P values test that a group does not differ from its comparison{adjusted}."
    return " ".join(filter(None, (tested, untested_said(s, slices))))
