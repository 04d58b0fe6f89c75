"""One plain sentence for each comparison."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from classay.comparison.claim import Claim, claim, direction_of
from classay.comparison.rules import held
from classay.inference.words import chance, p_equation, parts, title

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison
    from classay.comparison.practical_odds import PracticalOdds


def sentence_of(found: Comparison) -> str:
    """What a comparison found; a p-value above 1 - level is never read as evidence of no difference."""
    if found.rule is not None:
        return held(found, found.rule, found.margin).sentence
    if found.odds is not None:
        return _of_odds(found, found.odds)
    if isnan(found.p) or found.effect is None or found.effect.is_undefined:
        return _without_effect(found)
    made = claim(found)
    if made.alone is not None:
        text = f"Taken alone: {_of_claim(found, made.alone)} {_of_family(found)}"
    else:
        text = _of_claim(found, made) if made.shown else _of_open(found, made)
    return f"{text} {made.caveat}" if made.caveat else text


def _of_claim(found: Comparison, made: Claim) -> str:
    """That one is better, or that both differ where the test names no side."""
    effect, measure, (first, second) = found.effect, title(found.measure), found.models
    assert effect is not None
    if not made.side:
        which = "is better" if direction_of(found) else "is higher"
        why = f", because {found.note}" if found.note else ""
        return f"In {measure} {first} and {second} differ; the test does not say which {which}{why}."
    a, b = (first, second) if made.side * (direction_of(found) or 1) > 0 else (second, first)
    verb = "is better than" if direction_of(found) else "has a higher value than"
    if effect.value == 0:
        why = f", because {found.note}" if found.note else ""
        return f"In {measure} {a} {verb} {b}, though the estimated difference is 0{why}."
    value, low, high = (each.removeprefix("-") for each in parts(effect))
    size = f"by {value}"
    if effect.has_interval and effect.low * effect.high > 0:
        least, most = (low, high) if effect.low > 0 else (high, low)
        size += f" (at least {least})" if found.alternative != "two-sided" else f" ({least} to {most})"
    return f"In {measure} {a} {verb} {b} {size}."


def _of_family(found: Comparison) -> str:
    """That the comparisons made together leave open what one of them taken alone shows."""
    count = "" if found.family is None else f"{found.family:,} "
    return (
        f"Among the {count}comparisons made here the data do not show it: adjusted for all of them, "
        f"{p_equation(found.p if found.p_adjusted is None else found.p_adjusted)} ({found.adjustment})."
    )


def _of_open(found: Comparison, made: Claim) -> str:
    effect, who = found.effect, " and ".join(found.models)
    assert effect is not None
    possible, (value, low, high) = "", parts(effect)
    if effect.has_interval:
        possible = f": {_possible(found, low, high)} remain possible"
    if made.contradicted:
        possible = f": the test and the estimated difference, {value}, point to different models"
    better = "is better" if direction_of(found) else "is higher"
    return f"The data do not show which of {who} {better} in {title(found.measure)}{possible}."


def _possible(found: Comparison, low: str, high: str) -> str:
    """The differences inside an interval, of which a one-sided one has an end on one side only."""
    if found.alternative == "greater":
        return f"differences of {low} or more"
    if found.alternative == "less":
        return f"differences of {high} or less"
    return f"differences between {low} and {high}"


def ahead(found: Comparison) -> str | None:
    """The model that is shown to be better, or to have the higher value where neither end is better; else None.

    Shown at the level of the comparison, by the adjusted p-value if there is one: see `claim`.
    """
    if len(found.models) != 2 or found.rule is not None:
        return None
    if found.odds is not None:
        return _probably_ahead(found, found.odds)
    side = claim(found).side * (direction_of(found) or 1)
    return None if not side else found.models[0 if side > 0 else 1]


def _without_effect(found: Comparison) -> str:
    who, measure = " and ".join(found.models), title(found.measure)
    if len(found.models) > 2:
        who = ", ".join(found.models)
    if isnan(found.p):
        return f"{who} cannot be compared in {measure}: {found.reason or 'there is no test'}."
    if claim(found).shown:
        return f"{who} are not all alike in {measure}."
    return f"The data do not show that {who} differ in {measure}."


def finding(found: Comparison) -> str:
    """What was shown, in a word or two: who is better, or that the rule holds; "open" where nothing is."""
    if found.rule is not None:
        return held(found, found.rule, found.margin).finding
    front = ahead(found)
    if front is not None:
        return f"{front} {'better' if direction_of(found) else 'higher'}"
    if found.odds is not None:
        return "equal in practice" if found.odds.equal > found.claimed_at else "open"
    return "differ" if claim(found).shown else "open"


def _probably_ahead(found: Comparison, odds: PracticalOdds) -> str | None:
    """The model that is better with at least the probability of the interval's level."""
    chances = (odds.first, odds.second) if (direction_of(found) or 1) > 0 else (odds.second, odds.first)
    return next((m for m, p in zip(found.models, chances, strict=True) if p > found.claimed_at), None)


def _of_odds(found: Comparison, odds: PracticalOdds) -> str:
    first, second = found.models
    better = "better" if direction_of(found) else "higher"
    ahead, behind = (odds.first, odds.second) if (direction_of(found) or 1) > 0 else (odds.second, odds.first)
    if odds.rope == 0:
        return (
            f"In {title(found.measure)} {first} is {better} than {second} with probability {chance(ahead)}, "
            f"{second} with {chance(behind)}."
        )
    return (
        f"In {title(found.measure)} {first} is {better} than {second} by more than {odds.rope:g} with probability "
        f"{chance(ahead)}, {second} with {chance(behind)}; with {chance(odds.equal)} they differ by less, which was "
        "called equal in practice beforehand."
    )


def more_cases(found: Comparison) -> str:
    """How many more units would settle it, if the difference were as large as it looks; or nothing.

    Beside other comparisons, for which p is adjusted, it takes more than this to show it.

    >>> from classay.comparison.comparison import Comparison
    >>> more_cases(Comparison(("a", "b"), "accuracy", None, 0.3, "m", "test cases", n=100, needed=870))
    'If the difference is as large as observed, about 770 more cases would show it with a power of 80 %.'
    """
    if found.needed is None or found.n is None or not found.needed > found.n:
        return ""
    alone = "" if found.p_adjusted is None or found.family == 1 else ", taken alone,"
    if found.units == "folds":
        times = found.needed / found.n
        return (
            f"If the difference is as large as observed, about {times:,.{0 if times >= 10 else 1}f} times as many "
            f"cases would show it{alone} with a power of 80 %; more folds of these would not."
        )
    more = found.needed - found.n
    size = 10 ** max(0, len(str(int(more))) - 2)
    rounded = f"{int(-(-more // size) * size):,}"
    return (
        f"If the difference is as large as observed, about {rounded} more {found.units} would show it{alone} "
        "with a power of 80 %."
    )
