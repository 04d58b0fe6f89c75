"""Columns that are not what they are taken for in some groups of cases or periods alone, as one warning of all."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from math import floor, log10

from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import TINY, columns_of_any
from classay.assessment.labeling import MAX_P, chosen_labels
from classay.texts import quote
from classay.warned import WARNINGS, Warned, gathered

ORDER: Mapping[str, int] = {code: place for place, code in enumerate(WARNINGS)}
"""The place of each code, the gravest first."""

OfGroups = dict[str, tuple[tuple[str, ...], tuple[Warned, ...]]]
"""For each group as a sentence names it, what its warnings concern, and the warnings."""


def warnings_of_groups(
    groups: Mapping[Hashable, Assessment], known: Collection[str], model: str = "", period: str = ""
) -> OfGroups:
    """Return the warnings of the columns of each group whose codes are not known of all cases.

    Groups of fewer than 30 cases are left out: a few cases may have one score, or be separated, by chance. For the same
    reason, intervals and tests are those that hold for all groups at once (Bonferroni). `period` is what groups in time
    are.
    """
    large = {label: a for label, a in groups.items() if a.n >= TINY}
    by_group: OfGroups = {}
    for label, a in large.items():
        at_once = a.changed(level=level_of_each(a.level, len(large)))
        warned = tuple(
            warning
            for warning in columns_of_any(at_once)
            if warning.code not in known
            and (warning.code != "chosen_labels" or chosen_labels(a, MAX_P / len(large)) is not None)
        )
        if warned:
            group = f"{period} {label}" if period else f"group {quote(label)}"
            concerned = (str(label),) if not model else (model, str(label))
            by_group[f"{model} in {group}" if model else group] = concerned, warned
    return by_group


def level_of_each(level: float, groups: int) -> float:
    """Return the level of each of several intervals that hold at once, rounded up to the digits that a sentence writes.

    >>> level_of_each(0.95, 1), level_of_each(0.95, 3), level_of_each(0.95, 400)
    (0.95, 0.99, 0.9999)
    """
    if groups == 1:
        return level
    share = (1 - level) / groups * (1 + 1e-9)  # a hundredth stays one, however it was rounded
    steps = 10.0 ** -floor(log10(share))
    return 1 - floor(share * steps) / steps


def together(groups: OfGroups) -> tuple[Warned, ...]:
    """Return the warnings of groups, each code once, the gravest first."""
    alone = gathered(
        {name: warned for name, (_, warned) in groups.items()},
        "",
        {name: concerned for name, (concerned, _) in groups.items()},
    )
    return gravest_first(alone)


def gravest_first(warned: Iterable[Warned]) -> tuple[Warned, ...]:
    """Warnings in the order of their codes."""
    return tuple(sorted(warned, key=lambda warning: ORDER.get(warning.code, len(ORDER))))
