"""One-sided tests: which of two models has more, asked beforehand, with the limit on the other side left open."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan
from typing import get_args

from classay.comparison.comparison import Alternative, Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.family import adjusted
from classay.comparison.registry import POSTERIORS
from classay.errors import InputError, UnknownMeasureError
from classay.inference.words import OTHERS
from classay.measures import get

WITHOUT_SIDES = ("5x2cv-f", "nemenyi", *POSTERIORS, "max-t", "sequential")
"""Methods that have no one-sided test."""


def level_of_both(alternative: str, level: float) -> float:
    """The level of the two-sided interval one end of which is the one-sided limit: 2 · level - 1.

    Raises InputError for another alternative, and for a one-sided test at a level of 0.5 or less.

    >>> round(level_of_both("greater", 0.95), 2), level_of_both("two-sided", 0.95)
    (0.9, 0.95)
    """
    if alternative not in get_args(Alternative):
        raise InputError(
            f"alternative is {alternative!r}: pass 'two-sided', or 'greater' or 'less' of the first model less the "
            "second."
        )
    if alternative == "two-sided":
        return level
    if level <= 0.5:
        raise InputError(f"level is {level!r}: a one-sided test is made at a level above 0.5, such as 0.95.")
    return 2 * level - 1


def one_sided(found: Comparison, alternative: Alternative, level: float) -> Comparison:
    """A two-sided comparison as one of "greater" (the first model has more) or "less", at a level.

    `found` has the interval of level 2 · level - 1; its end on the side of no difference stays, and the other is the
    end of the range. p is that of the distribution where it has steps (`tails`); otherwise half of the two-sided one on
    the side asked for, and 1 less that half on the other.

    >>> from classay.comparison.cases.proportions import mcnemar
    >>> from classay.tables import PairedCounts
    >>> both = mcnemar(PairedCounts(53, 16, 8, 9), level=0.9)
    >>> one_sided(both, "greater", 0.95).effect
    Estimate(0.093 [-0.001, 1.000] 95 %, Tango)
    """
    effect, sign = found.effect, 1 if alternative == "greater" else -1
    if effect is not None and effect.has_interval:
        most = _width(found.measure)
        low, high = (effect.low, most) if sign > 0 else (-most, effect.high)
        effect = replace(effect, low=low, high=high, level=level)
    noise = found.noise
    if noise is not None:  # the end of the range is not drawn
        noise = (noise[0], 0.0) if sign > 0 else (0.0, noise[1])
    p = found.p
    if found.tails is not None and not isnan(p):
        p = found.tails[0 if sign > 0 else 1]
    elif not isnan(p):
        value = 0.0 if effect is None else effect.value
        side = found.side if found.side is not None else (value > 0) - (value < 0)
        p = p / 2 if side * sign >= 0 else 1 - p / 2
    return replace(
        found,
        effect=effect,
        p=p,
        p_adjusted=None,
        adjustment=None,
        method=found.method if isnan(p) else f"{found.method}, one-sided",
        level=level,
        alternative=alternative,
        needed=None,
        noise=noise,
        tails=None,
    )


def directed(found: Comparisons, alternative: Alternative, adjustment: str, level: float) -> Comparisons:
    """Comparisons as one-sided tests, adjusted anew; those of all models together stay as they are."""
    each = adjusted([one_sided(one, alternative, level) for one in found], adjustment)
    overall = tuple(replace(one, level=level) for one in found.overall)
    which = "higher" if alternative == "greater" else "lower"
    facts = (
        *found.facts,
        ("alternative", f"the first model of a pair has the {which} value, asked beforehand"),
    )
    return replace(found, each=tuple(each), facts=facts, level=level, overall=overall, diagram=None)


def in_direction(found: Comparisons, alternative: Alternative, adjustment: str, level: float) -> Comparisons:
    """Comparisons as they are, or as the one-sided tests that were asked for."""
    return found if alternative == "two-sided" else directed(found, alternative, adjustment, level)


def check_sides(alternative: str, method: str | None, rule: str | None, rope: float | None) -> None:
    """Refuse a one-sided test of what has none. Raises InputError."""
    if alternative == "two-sided":
        return
    if method in WITHOUT_SIDES or rope is not None:
        raise InputError(
            f"the method {method or 'bayesian'!r} has no one-sided test: leave alternative= out."
        )
    if rule is not None:
        raise InputError(f"the rule {rule!r} says itself what is to be shown: leave alternative= out.")


def _width(measure: str) -> float:
    try:
        known = get(measure)
    except UnknownMeasureError:
        return OTHERS[measure][2] if measure in OTHERS else inf
    return float(known.bounds[1] - known.bounds[0])
