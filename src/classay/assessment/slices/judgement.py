"""What a person should take from slices: in which group the classifier is worse, or that none is shown to be."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from classay.assessment.slices.slices import Slice, Slices
from classay.assessment.slices.wording import compared_with
from classay.inference.estimate import Estimate, said
from classay.inference.words import direction, p_text, spoken
from classay.texts import quote

MOST_SAID = 3
"""Groups that the verdict names."""


def worst_first(found: Sequence[Slice]) -> list[Slice]:
    """The groups of one measure, ordered by how much worse than its reference each is at least.

    That is the limit of its difference that is nearer to the best value; the p-value where neither end of the range is
    best. Groups without a difference come last.
    """
    return sorted(found, key=lambda each: (isnan(_rank(each)), _rank(each)))


def verdict(s: Slices, found: Sequence[Slice]) -> tuple[str, ...]:
    """Which groups are shown to be worse than what they are compared with; or that none is, and which is lowest."""
    level = s.overall.level
    shown = [each for each in found if _is_worse(each) and each.p_adjusted < 1 - level]
    compared = compared_with(s)
    if shown:
        ordered = sorted(shown, key=lambda each: each.p_adjusted)
        sentences = [_sentence(each, compared) for each in ordered[:MOST_SAID]]
        more = len(shown) - len(sentences)
        return (
            *sentences,
            *((f"{more} more {'finding is' if more == 1 else 'findings are'} below.",) if more else ()),
        )
    known = [each for each in found if direction(each.measure) and not isnan(_rank(each))]
    if not known:
        return ()
    of_first = [each for each in known if each.measure == known[0].measure]
    first = min(of_first, key=lambda each: direction(each.measure) * each.estimate.value)
    return (
        f"No group is shown to be worse than {compared}. By {spoken(first.measure)} the worst is {quote(first.group)}, "
        f"with {said(first.estimate)}.",
    )


def _sentence(each: Slice, compared: str) -> str:
    p = p_text(each.p_adjusted)
    by = said(_size(each.difference))
    return (
        f"In {quote(each.group)} the {spoken(each.measure)} is worse than in {compared}: {said(each.estimate)}, a "
        f"difference of {by}, p {p if p.startswith('<') else f'= {p}'}."
    )


def _size(found: Estimate) -> Estimate:
    """A difference without its sign."""
    if found.value >= 0:
        return found
    return Estimate(-found.value, -found.high, -found.low, found.level, found.method)


def _is_worse(each: Slice) -> bool:
    return direction(each.measure) * each.difference.value < 0


def _rank(each: Slice) -> float:
    side = direction(each.measure)
    return each.p if not side else each.difference.high if side > 0 else -each.difference.low
