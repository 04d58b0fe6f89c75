"""Columns that are not what they are taken for in some groups of cases or periods alone, as one warning of all."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from math import floor, log10

from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import TINY, columns_of_any
from classay.assessment.finding import Finding
from classay.assessment.labeling import MAX_P, chosen_labels
from classay.texts import quote
from classay.warned import WARNINGS, Warned, gathered

ORDER: Mapping[str, int] = {code: place for place, code in enumerate(WARNINGS)}
"""The place of each code, the gravest first."""
RANK = 20
"""The rank of these warnings among findings: behind what is found of all cases."""

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


def warnings_with_groups(
    overall: Assessment, groups: Mapping[Hashable, Assessment], period: str = ""
) -> tuple[Warned, ...]:
    """The warnings of the columns of all cases, then those that some groups have alone, with the groups they concern.

    >>> import numpy as np, classay as ca
    >>> y, region = np.arange(120) % 2, np.repeat(["north", "south"], 60)
    >>> p = np.where(region == "south", 0.3, np.where(y == 1, 0.4, 0.2) + np.arange(120) % 7 / 20)
    >>> (warned,) = ca.assess_by(y, p, by=region).warnings
    >>> print(warned.text, warned.concerns)
    group 'south': the score has only 1 value, so it cannot rank cases. ('south',)
    """
    of_all = columns_of_any(overall)
    return (*of_all, *together(warnings_of_groups(groups, {each.code for each in of_all}, period=period)))


def findings_on_columns(warned: Iterable[Warned], groups: Iterable[Hashable]) -> Iterator[Finding]:
    """Yield the warnings that concern some of the groups alone, as findings that never lead."""
    names = {*map(str, groups)}
    for warning in warned:
        if warning.concerns and names.issuperset(warning.concerns):
            rank = RANK + ORDER.get(warning.code, len(ORDER))
            sentence = f"{warning.text[:1].upper()}{warning.text[1:]}"
            yield Finding(warning.code, "B", rank, sentence, may_lead=False, concerns=warning.concerns)
