"""Findings on groups of cases: where they differ surely, whose probabilities are off, or that nothing was detected."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.bands import many_numbers
from classay.assessment.finding import Finding
from classay.assessment.findings_calibration import (
    ALLOWED_RATIO,
    RATIO,
    excludes_one,
    is_off,
    observed_to_expected,
)
from classay.assessment.findings_scores import (
    MIN_CASES_OF_CLASS,
    MIN_CASES_TO_LEAD,
    cases_of_smaller_class,
    is_threshold_chosen,
)
from classay.assessment.main_measures import is_improper
from classay.groups.column_warnings import findings_on_columns
from classay.groups.compared_groups import GroupDifference
from classay.groups.sentences import PAIR, families, is_one_pair
from classay.inference.estimate import direction, p_equation
from classay.inference.phrasing import adjusted_for, difference_text, short_title, value_text
from classay.inference.plain import plain_estimate
from classay.inference.significance import holm
from classay.measures import get
from classay.texts import hint, listed, quote

if TYPE_CHECKING:
    from classay.groups.criteria import Criteria
    from classay.groups.slices import GroupAssessments

MAX_CRITERIA = 2
"""Sentences on criteria that lead."""
MAX_GROUPS_LOOKED_AT = 200
"""Groups up to which the probabilities of each are looked at."""


def group_text(s: GroupAssessments, label: Hashable) -> str:
    """Return a group in a sentence: a word as it is, other text in quotes, a number behind the name of its column."""
    if isinstance(label, str):
        return f"group {label if label.isalpha() else quote(label)}"
    return quote(label) if isinstance(label, tuple) else f"{s.by} {quote(label)}"


def findings_on_groups(s: GroupAssessments, slices: Sequence[GroupDifference]) -> Iterator[Finding]:
    """What was found of the groups: the largest disparity, or that there is none; probabilities; bands; columns."""
    yield from _disparity(s, slices)
    yield from _probabilities(s)
    yield from _bands(s)
    yield from findings_on_columns(s.warnings, s)


def _may_lead(s: GroupAssessments, measure: str) -> bool:
    """Check whether a measure of groups may lead: accuracy at a threshold that nobody chose never does."""
    a = s.overall
    if not a.is_binary or measure != "accuracy":
        return True
    return is_threshold_chosen(a)


def _disparity(s: GroupAssessments, slices: Sequence[GroupDifference]) -> Iterator[Finding]:
    large = [row for row in slices if _smaller_side(s, row.group) >= MIN_CASES_OF_CLASS]
    known = [row for row in large if row.difference.has_interval and _may_lead(s, row.measure)]
    measures = list(dict.fromkeys(row.measure for row in known))
    measures.sort(key=lambda name: _is_at_default(s, name))
    shown = [row for row in known if row.p_adjusted < 1 - s.overall.level]
    for name in measures:
        if of_measure := [row for row in shown if row.measure == name]:
            first = max(of_measure, key=lambda row: (round(abs(row.difference.value), 12), _is_named(s, row)))
            yield _detected(s, slices, first)
            return
    if not measures and len(s) < 2:
        return
    if not measures:
        yield from _none_compared(s, slices, large)
        return
    first = max(
        (row for row in known if row.measure == measures[0]),
        key=lambda row: (round(abs(row.difference.value), 12), _is_named(s, row)),
    )
    size, ends = difference_text(first.difference, first.measure, s.groups[first.group].n)
    if (
        not first.difference.low <= 0 <= first.difference.high
    ):  # an interval of one group, beside a p-value of all
        tests = families(s, slices)[first.measure]
        ends += f"; {p_equation(first.p_adjusted)}{adjusted_for(tests, 'groups')}"
    tested = {row.measure for row in large if row.difference.has_interval}
    tested -= {row.measure for row in large if row.p_adjusted < 1 - s.overall.level}
    where = f" in any of {len(tested)} measures" if len(tested) > 1 else ""
    yield Finding(
        "no_group_difference",
        "main",
        1.5,
        f"No difference between groups was detected{where}. The largest difference in {short_title(first.measure)} "
        f"is {size} ({group_text(s, first.group)} minus {_others(s, first.group)}; {ends}).",
        _evidence(s, first),
    )


def _none_compared(
    s: GroupAssessments, slices: Sequence[GroupDifference], large: Sequence[GroupDifference]
) -> Iterator[Finding]:
    """Yield why no difference between groups may lead: too few cases on a side, or none with an interval."""
    step, names = "", list(dict.fromkeys(row.measure for row in large if _may_lead(s, row.measure)))
    if not large:
        most = max((_smaller_side(s, row.group) for row in slices), default=0)
        sides = f"{MIN_CASES_OF_CLASS} or more cases on each side (at most {most:,})"
        text = f"No comparison of groups of {s.by} has {sides}."
        if len(s) > 2:
            step = hint("Combine small groups: `pool=`.", "Combine small groups: `--pool`.")
    elif names:
        text = f"No difference between groups of {s.by} has a CI in {listed([short_title(name) for name in names])}."
    else:
        return
    yield Finding("no_group_compared", "main", 1.5, text, {"groups": len(s)}, step)


def _smaller_side(s: GroupAssessments, group: Hashable) -> int:
    """Cases of a group, or of what it is compared with, if these are fewer."""
    cases = s.groups[group].n
    others = s.overall.n - cases if s.reference is None else s.groups[s.reference].n
    return min(cases, others)


def _is_worse(row: GroupDifference) -> bool:
    return direction(row.measure) * row.difference.value < 0


def _is_named(s: GroupAssessments, row: GroupDifference) -> bool:
    """Check whether a group is named of those that differ alike: of two the first, as in tables; else a worse one."""
    return row.group == next(iter(s)) if is_one_pair(s) else _is_worse(row)


def _to_examine(s: GroupAssessments, row: GroupDifference) -> Hashable:
    """Return the group to look at: of two, the worse one, whichever is named."""
    if not is_one_pair(s) or not direction(row.measure) or _is_worse(row):
        return row.group
    return next(label for label in s if label != row.group)


def _others(s: GroupAssessments, group: Hashable) -> str:
    """Return what a group is compared with."""
    if s.reference is not None:
        return group_text(s, s.reference)
    if len(s) == 2:
        return group_text(s, next(label for label in s if label != group))
    return "the other groups"


def _evidence(s: GroupAssessments, row: GroupDifference) -> dict[str, Any]:
    p = None if isnan(row.p_adjusted) else row.p_adjusted
    return {
        "group": str(row.group),
        row.measure: plain_estimate(row.estimate),
        "difference": plain_estimate(row.difference),
        "p_adjusted": p,
    }


def _detected(s: GroupAssessments, slices: Sequence[GroupDifference], row: GroupDifference) -> Finding:
    n = s.groups[row.group].n
    name = short_title(row.measure)
    size, ends = difference_text(row.difference, row.measure, n)
    value = value_text(row.estimate.value, row.measure, n)
    other = value_text(row.estimate.value - row.difference.value, row.measure, s.overall.n)
    p, before, after, p_of_all = _p_of_family(s, slices, row)
    at = " at the default threshold" if _is_at_default(s, row.measure) else ""
    examined = _to_examine(s, row)
    return Finding(
        "group_difference",
        "main",
        1.8 if at else 1.5,
        f"{before}{name if before else name[:1].upper() + name[1:]}{at} is "
        f"{'lower' if row.difference.value < 0 else 'higher'} in {group_text(s, row.group)} than in "
        f"{_others(s, row.group)}: {value} versus {other}, a difference of {size} "
        f"({ends}; {p}).{after}",
        _evidence(s, row),
        hint(
            f"Examine {group_text(s, examined)} separately: `s[{examined!r}]`.",
            f"Examine {group_text(s, examined)} separately.",
        )
        if p_of_all < 1 - s.overall.level
        else "",
    )


def _p_of_family(
    s: GroupAssessments, slices: Sequence[GroupDifference], row: GroupDifference
) -> tuple[str, str, str, float]:
    """Return the p-value of a measure in words, words around it if it fails to hold for all measures, and that for all.

    That for all is adjusted by Holm over all groups and measures; two groups have one test of a measure.
    """
    for_groups = adjusted_for(families(s, slices)[row.measure], "groups")
    of_measure = f"{p_equation(row.p_adjusted)}{for_groups}"
    tested = [test for test in slices if not isnan(test.p) and (len(s) != PAIR or test.group == row.group)]
    measures = len({test.measure for test in tested})
    if measures < 2:
        return of_measure, "", "", row.p_adjusted
    p = float(holm(np.array([test.p for test in tested]))[tested.index(row)])
    if p >= 1 - s.overall.level:
        return (
            of_measure,
            f"Before adjustment for {measures} measures, ",
            f" After adjustment (Holm), no difference is detected ({p_equation(p)}).",
            p,
        )
    also = "also " if for_groups else ""
    return f"{of_measure}; {p_equation(p)} if {also}adjusted for {measures} measures (Holm)", "", "", p


def _is_at_default(s: GroupAssessments, measure: str) -> bool:
    a = s.overall
    if not a.is_binary or a.confusion_matrix is None:
        return False
    return get(measure).is_of_matrix and not is_threshold_chosen(a)


def _probabilities(s: GroupAssessments) -> Iterator[Finding]:
    """Yield the group whose probabilities are surely and most too high or too low, unless all groups alike are."""
    a = s.overall
    if not a.is_binary or a.scores is None or is_improper(a):
        return
    large = {
        label: part
        for label, part in s.groups.items()
        if part.n >= MIN_CASES_OF_CLASS and part.scores is not None
    }
    parts = {
        label: part
        for label, part in large.items()
        if part.class_totals.all() and cases_of_smaller_class(part) >= MIN_CASES_TO_LEAD
    }
    if not 0 < len(parts) <= MAX_GROUPS_LOOKED_AT:
        return
    # groups pass by their outcomes, those with many positives first: a level for these alone would be too lenient
    level, overall = 1 - (1 - a.level) / len(large), a[RATIO]
    off = {}
    for label, part in parts.items():
        strict = part.changed(level=level)[RATIO]
        is_as_all = is_off(overall) and strict.low <= overall.value <= strict.high
        if is_off(strict) and not is_as_all:
            off[label] = part[RATIO]
    if not off:
        return
    worst = max(off, key=lambda label: max(off[label].value, 1 / max(off[label].value, 1e-12)))
    ratio = off[worst]
    assert excludes_one(ratio)
    side = "too low" if ratio.value > ALLOWED_RATIO[1] else "too high"
    yield Finding(
        "group_miscalibration",
        "main",
        1.7,
        f"On average, predicted probabilities are {side} in {group_text(s, worst)} ({observed_to_expected(ratio)}).",
        {"group": str(worst), RATIO: plain_estimate(ratio), "adjusted_for": len(large)},
        "Recalibrate the probabilities within groups on other cases.",
    )


def findings_on_criteria(criteria: Criteria) -> Iterator[Finding]:
    """Which criteria of equal treatment are shown not to hold, or that none is; the rest stands in their section."""
    for k, sentence in enumerate(criteria.sentences[:MAX_CRITERIA]):
        yield Finding(f"criteria_{k + 1}" if k else "criteria", "main", 1.3 + k / 100, sentence)


def _bands(s: GroupAssessments) -> Iterator[Finding]:
    """Yield that many groups are single numbers, which bands would combine."""
    if (texts := many_numbers(s, s.by)) is not None:
        sentence, step = texts
        groups = {"groups": len(s)}
        yield Finding(
            "many_numeric_groups", "B", 9.5, sentence, groups, step, may_lead=False, steps_first=True
        )
