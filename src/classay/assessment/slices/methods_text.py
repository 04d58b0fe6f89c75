"""How a classifier was assessed in groups of cases, as paragraphs for the methods section of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classay.assessment.judgement.methods_text import methods_text as of_all_cases
from classay.assessment.judgement.words import quote
from classay.assessment.slices.wording import PAIR, compared_with, of_tests
from classay.inference.references import cite
from classay.inference.registry import sources
from classay.inference.two_samples import sources_of
from classay.inference.words import title
from classay.texts import clean, listed

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
    for method in dict.fromkeys(methods):
        references |= dict.fromkeys([*sources(method), *sources_of(method)])
    if len(s) > PAIR and any(each.p == each.p for each in found):
        references[cite("holm1979")] = None
    groups = " ".join(filter(None, (_of_groups(s), _of_differences(s, differences), _of_tests(s, found))))
    end = [f"{REFERENCES}{'; '.join(references)}."] if references else []
    return "\n\n".join([all_cases, clean(groups), *end])


def _of_groups(s: Slices) -> str:
    sizes = [f"{quote(label)}: {group.n:,} cases" for label, group in s.groups.items()]
    named = f" ({'; '.join(sizes)})" if len(sizes) <= NAMED else ""
    return f"The measures were also computed in each of the {len(s):,} groups by {quote(s.by)}{named}."


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


def _of_tests(s: Slices, found: list[Slice]) -> str:
    if all(each.p != each.p for each in found):
        return ""
    adjusted = f", and were adjusted by Holm for {of_tests(s, found)}" if len(s) > PAIR else ""
    return f"P-values test that a group does not differ from the cases that it was compared with{adjusted}."
