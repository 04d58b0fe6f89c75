"""How comparisons were made, in sentences for a paper, with references."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from classay.comparison.comparison import TEST_CASES, Comparison
from classay.comparison.references import cite
from classay.inference.folds.resampled import ALLOWS, CORRECTED
from classay.inference.words import title
from classay.texts import listed

RANDOM = {
    TEST_CASES: "Intervals and tests account for the chance of the test cases, not that of training.",
    "training sets": (
        "The training set is random, and the claims are about learners fitted to sets of this size; training sets of "
        "one data set overlap."
    ),
    "data sets": "The data sets vary, and the claims are about further data sets like these.",
}
"""What is random, and what is not accounted for."""
ALLOWING = ("nadeau2003", "corani2015")
"""Tests over folds that allow for the overlap of training sets, by their sources."""


def allowance(each: Sequence[Comparison]) -> str:
    """Whether tests over folds allow for the overlap of training sets, in a sentence; nothing of other tests."""
    tested = [one for one in each if one.random == "training sets" and one.reference]
    if not tested:
        return ""
    if all(any(cite(key) in one.reference for key in ALLOWING) for one in tested):
        if all(CORRECTED in one.method for one in tested):
            return f"The {CORRECTED} allows for that by a heuristic: {ALLOWS}."
        return (
            "The correction of Nadeau and Bengio allows for that by a heuristic: it is conservative for stable "
            "learners and, unless folds are repeated, claims a little too much for unstable ones."
        )
    return f"{tested[0].method[:1].upper()}{tested[0].method[1:]} does not allow for that, and may claim too much."


def methods_text(each: Sequence[Comparison], level: float, overall: Sequence[Comparison] = ()) -> str:
    """The sentences, then the references."""
    sentences = [*_of_pairs(each, level), *_of_rules(each)]
    sentences += [
        f"Whether all {len(one.models)} models are alike in {title(one.measure)} was tested by {one.method}."
        for one in overall
        if not isnan(one.p)
    ]
    sources = dict.fromkeys(ref for one in (*each, *overall) for ref in one.reference.split("; ") if ref)
    made = [one for one in each if one.p_adjusted is not None and not isnan(one.p)]
    if len(made) > 1 and str(made[0].adjustment) not in made[0].method:
        sentences.append(
            f"P-values of the {len(made)} comparisons were adjusted by {made[0].adjustment}, and decide what is found; "
            "each interval stands alone, and may leave out 0 where nothing is found."
        )
        sources |= {cite("holm1979"): None} if made[0].adjustment == "Holm" else {}
    sentences += [RANDOM[each[0].random], allowance(each)] if each else []
    references = [f"References: {'; '.join(sources)}."] if sources else []
    return "\n\n".join([" ".join(filter(None, sentences)), *references])


def _of_pairs(each: Sequence[Comparison], level: float) -> list[str]:
    """Which measures were compared by which test and interval."""
    tests: dict[tuple[str, str], list[str]] = {}
    for one in each:
        if not isnan(one.p) or one.odds is not None or one.rule is not None:
            interval = (one.effect.method if one.effect is not None and one.effect.has_interval else "") or ""
            method = "" if isnan(one.p) and one.odds is None else one.method
            tests.setdefault((method, interval), []).append(title(one.measure))
    sentences = []
    for (test, interval), names in tests.items():
        what = listed(list(dict.fromkeys(names)))
        by = f"with {100 * level:g} % intervals by {interval}" if interval else ""
        tested = (
            f"were {'judged' if test.startswith('Bayes') else 'tested'} by {test}"
            if test
            else "were estimated"
        )
        sentences.append(f"Differences in {what} {tested}{', ' if test and by else ' ' if by else ''}{by}.")
    ropes = sorted({one.odds.rope for one in each if one.odds is not None})
    if ropes and ropes[-1] > 0:
        sentences.append(
            f"Differences up to {listed([f'{rope:g}' for rope in ropes])} were called equal in practice beforehand."
        )
    return sentences


def _of_rules(each: Sequence[Comparison]) -> list[str]:
    """What each rule asked for, by which margin."""
    rules = dict.fromkeys((one.rule, one.margin) for one in each if one.rule is not None)
    return [
        f"By its interval {_RULES[rule]}{_by(rule, margin)}; intervals were not adjusted for several claims."
        for rule, margin in rules
        if rule is not None
    ]


def _by(rule: str, margin: float | None) -> str:
    how = "more" if rule == "superior" else "less"
    return "" if margin is None else f" by {how} than {margin:g}, a margin given beforehand"


_RULES = {
    "non-inferior": "it was to be shown that the first of two models is worse, if at all,",
    "equivalent": "it was to be shown that two models differ (two one-sided tests)",
    "superior": "it was to be shown that the first of two models is better",
    "not-worse": (
        "the first of two models was to be refused only if it is shown to be worse; passing shows nothing"
    ),
}
