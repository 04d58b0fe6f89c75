"""Warnings of the columns of all cases and of groups, and the findings among them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import columns_of_any
from classay.assessment.finding import Finding
from classay.assessment.group_warnings import ORDER, together, warnings_of_groups
from classay.warned import Warned

RANK = 20
"""The rank of these warnings among findings: behind what is found of all cases."""


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
