"""How a classifier was assessed in groups of cases, as paragraphs for the methods section of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classay.assessment.judgement.methods_text import methods_text as of_all_cases
from classay.assessment.slices.trends import Trends, trends_of
from classay.assessment.slices.wording import compared_with, family_said, untested_said
from classay.columns.numbers import counted
from classay.inference.references import reference_list
from classay.inference.registry import sources
from classay.inference.words import title
from classay.texts import clean, listed, quote

if TYPE_CHECKING:
    from classay.assessment.slices.slices import Slice, Slices

NAMED = 6
"""Groups up to which each is named with its cases."""
REFERENCES = "References: "


def methods_text(s: Slices) -> str:
    """How all cases were assessed; then the groups, what each was compared with, and by which methods; references."""
    names = s.main_measures
    all_cases, _, cited = of_all_cases(s.overall, names).partition(f"\n\n{REFERENCES}")
    found = s.compare(*names)
    differences = [each for each in found if each.difference.has_interval]
    methods = [each.difference.method or "" for each in differences]
    references = dict.fromkeys([*filter(None, cited.rstrip(".").split("; "))])
    references |= dict.fromkeys(source for method in dict.fromkeys(methods) for source in sources(method))
    trends = trends_of(s, found)
    told = (_of_groups(s), _of_differences(s, differences), _of_tests(s, found), _of_trends(trends))
    groups = " ".join(filter(None, told))
    adjusted = ["Holm"] if family_said(s, found) or (trends is not None and trends.family > 1) else []
    end = reference_list(references, [*methods, *adjusted])
    return "\n\n".join(filter(None, (all_cases, clean(groups), end)))


def _of_groups(s: Slices) -> str:
    sizes = [f"{quote(label)}: {counted(group.n, 'case')}" for label, group in s.groups.items()]
    named = f" ({'; '.join(sizes)})" if len(sizes) <= NAMED else ""
    which = "the one group" if len(s) == 1 else f"each of the {len(s):,} groups"
    return f"The measures were also computed in {which} by {quote(s.by)}{named}."


def _of_differences(s: Slices, found: list[Slice]) -> str:
    if not found:
        return ""
    by_method: dict[str, dict[str, None]] = {}
    for each in found:
        by_method.setdefault(each.difference.method or "", {})[title(each.measure)] = None
    said = "; ".join(f"{listed(list(names))} by {method}" for method, names in by_method.items())
    level = f"{100 * s.overall.level:g} %"
    return (
        f"Each group was compared with {compared_with(s)}, and intervals of level {level} were computed for "
        f"differences in {said}."
    )


def _of_trends(trends: Trends | None) -> str:
    if trends is None or not trends.family:
        return ""
    how = "the intervals of the groups" if trends.basis == "cases" else "Student's t of the residuals"
    by_holm = f", with p-values adjusted by Holm for {trends.family} measures" if trends.family > 1 else ""
    return (
        f"The groups are ordered: a trend over them, the slope of least squares weighted by cases, was tested by {how}"
        f"{by_holm}."
    )


def _of_tests(s: Slices, found: list[Slice]) -> str:
    if all(each.p != each.p for each in found):
        return ""
    family = family_said(s, found)
    adjusted = f", and were adjusted by Holm for {family}" if family else ""
    tested = f"P-values test that a group does not differ from the cases that it was compared with{adjusted}."
    return " ".join(filter(None, (tested, untested_said(s, found))))
