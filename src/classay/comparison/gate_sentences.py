"""What a gate decided, in plain words, with what it does not say."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from classay.comparison.power import POWER
from classay.inference.estimate import number
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.requirements import Verdict
from classay.inference.words import parts, title

if TYPE_CHECKING:
    from classay.comparison.rules import Gate

WITH_POWER = "would show it with a power of 80 % if the difference is as large as here"


def _start(made: Gate) -> str:
    return f"In {title(made.comparison.measure)} {made.comparison.models[0]}"


def _interval(made: Gate) -> str:
    """The effect as it is, first less second, with its interval."""
    found = made.comparison.effect
    assert found is not None
    level = f"{100 * (found.level or 0):g} % interval"
    value, low, high = parts(found)
    return f"difference {value} ({level} {low} to {high})"


def _undecided(made: Gate) -> str:
    if made.unsettled:
        return (
            f"{_start(made)} and {made.comparison.models[1]} are too close to the edge of the rule {made.rule!r} for "
            f"these draws: {made.unsettled} ({_interval(made)})."
        )
    why = made.difference.reason or made.comparison.reason or "there is no interval"
    return f"{_start(made)} and {made.comparison.models[1]} cannot be told apart or together: {why}."


def _non_inferior(made: Gate) -> str:
    old, margin = made.comparison.models[1], f"{made.margin:g}"
    if made.verdict is Verdict.UNDECIDED:
        return _undecided(made)
    if made.passed:
        if made.difference.low > 0:
            return f"{_start(made)} is not worse than {old}, it is better: {_interval(made)}."
        if made.difference.value >= 0:
            return (
                f"{_start(made)} is not worse than {old} by {margin} or more, the margin given beforehand: "
                f"{_interval(made)}."
            )
        return (
            f"{_start(made)} is worse than {old} by less than {margin}, the margin given beforehand, if at all: "
            f"{_interval(made)}."
        )
    if made.difference.high < -(made.margin or 0):
        return f"{_start(made)} is worse than {old} by more than {margin}: {_interval(made)}."
    return (
        f"{_start(made)} is not shown to be non-inferior to {old}, because it may be worse by {margin} or more, the "
        f"margin given beforehand: {_interval(made)}."
        f"{_cases_that_settle(made)}"
    )


def _not_worse(made: Gate) -> str:
    old = made.comparison.models[1]
    if made.verdict is Verdict.UNDECIDED:
        return _undecided(made)
    if not made.passed:
        return f"{_start(made)} is worse than {old}: {_interval(made)}."
    loss = -made.difference.low
    if loss < 0:
        return f"{_start(made)} is not worse than {old}, it is better: {_interval(made)}."
    if loss == 0:
        return f"{_start(made)} is not shown to be worse than {old}: {_interval(made)}."
    return (
        f"{_start(made)} is not shown to be worse than {old}: {_interval(made)}. That is no proof that it is as "
        f"good: a small test passes this rule easily, and a loss of {number(loss)} remains possible."
    )


def _superior(made: Gate) -> str:
    old = made.comparison.models[1]
    by = "" if made.margin is None else f" by more than {made.margin:g}"
    if made.verdict is Verdict.UNDECIDED:
        return _undecided(made)
    if made.passed:
        return f"{_start(made)} is better than {old}{by}: {_interval(made)}."
    return f"{_start(made)} is not shown to be better than {old}{by}: {_interval(made)}."


def _equivalent(made: Gate) -> str:
    new, old = made.comparison.models
    margin = f"{made.margin:g}"
    start = f"In {title(made.comparison.measure)} {new} and {old}"
    if made.verdict is Verdict.UNDECIDED:
        return _undecided(made)
    if made.passed:
        return f"{start} are equivalent within {margin}, the margin given beforehand: {_interval(made)}."
    if made.finding == "differ":
        return f"{start} differ by more than {margin}, the margin given beforehand: {_interval(made)}."
    return (
        f"{start} are not shown to be equivalent within {margin}, the margin given beforehand: {_interval(made)}. "
        "That is no proof that they differ by more."
    )


SENTENCES = {
    "non-inferior": _non_inferior,
    "not-worse": _not_worse,
    "superior": _superior,
    "equivalent": _equivalent,
}


def sentence_of(made: Gate) -> str:
    """The verdict in plain words, with what was left out for want of an answer, and what that means for it."""
    omissions = made.comparison.omissions
    if omissions is None:
        return SENTENCES[made.rule](made)
    worst = ""
    if omissions.worst is not None and omissions.worst.has_interval:
        value, low, high = parts(omissions.worst)
        worst = f" Counted as wrong, they make it {value} ({low} to {high})"
    if made.is_one_sided:
        return (
            f"{_start(made)} passes the rule {made.rule!r} against {made.comparison.models[1]} on the cases that both "
            f"answered alone: {_interval(made)}. That cannot be trusted: {omissions.sentence}."
            + (f"{worst}, which does not pass." if worst else "")
        )
    more = ", which passes too." if made.passed and made.passes_at_worst else "."
    return f"{SENTENCES[made.rule](made)} {omissions.sentence}." + (f"{worst}{more}" if worst else "")


MOST_TIMES = 1e6
"""How many times the cases at hand are worth naming: beyond that no test of this difference is in reach."""


def _cases_that_settle(made: Gate) -> str:
    """Units at which this difference passes with a power of 80 %: n (z_α + z_β)² se² / (difference + margin)²."""
    found, n = made.difference, made.comparison.n
    room = found.value + (made.margin or 0)
    if n is None or room <= 0:
        return ""
    z, of_power = normal_quantile(found.level or 0.95), normal_quantile(2 * POWER - 1)
    times = ((found.value - found.low) * (1 + of_power / z) / room) ** 2
    if not times < MOST_TIMES:
        return ""
    if made.comparison.units == "folds":
        many = f"{times:,.{0 if times >= 10 else 1}f} times as many cases"
        return f" About {many} {WITH_POWER}; more folds of these would not."
    wanted = n * times
    size = 10 ** max(0, len(str(int(wanted))) - 2)
    return f" About {ceil(wanted / size) * size:,} {made.comparison.units} {WITH_POWER}."
