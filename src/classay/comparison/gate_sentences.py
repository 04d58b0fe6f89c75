"""The sentences of a gate: its verdict in plain words, and how many cases would settle it."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, inf, isinf
from typing import TYPE_CHECKING

from classay.comparison.claims import cases_needed
from classay.inference.design import student_quantile
from classay.inference.estimate import level_text, number, parts, title
from classay.inference.proportions import normal_quantile
from classay.inference.requirements import Verdict

if TYPE_CHECKING:
    from classay.comparison.gate_rules import Gate

WITH_POWER = "needed to pass with 80% power if the true difference equals the observed one"


def _who(gate: Gate) -> str:
    """Return the new model compared with the old one, in a measure."""
    new, old = gate.comparison.models
    return f"of {new} with {old} in {title(gate.comparison.measure)}"


def _interval(gate: Gate) -> str:
    """Return the effect as it is, first minus second, with its interval."""
    effect = gate.comparison.effect
    assert effect is not None
    value, low, high = parts(effect)
    return f"difference {value}, {level_text(effect.level)} {low} to {high}"


def _undecided(gate: Gate) -> str:
    if gate.unsettled:
        return (
            f"The comparison {_who(gate)} is inconclusive, because the resampling error is too large: {gate.unsettled} "
            f"({_interval(gate)})."
        )
    why = gate.difference.reason or gate.comparison.reason or "there is no interval"
    return f"The comparison {_who(gate)} is inconclusive, because it has no CI: {why}."


def _beyond(gate: Gate) -> str:
    """By more than the margin; empty without one."""
    return "" if gate.margin is None else f" by more than the margin of {gate.margin:g}"


def _non_inferior(gate: Gate) -> str:
    (new, old), measure = gate.comparison.models, title(gate.comparison.measure)
    margin = f"at a margin of {gate.margin:g} ({_interval(gate)})"
    if gate.passed and gate.difference.low > 0:
        return f"{new} is superior to {old} in {measure}, and so non-inferior {margin}."
    if gate.passed:
        return f"{new} is non-inferior to {old} in {measure} {margin}."
    return f"{new} is worse than {old} in {measure}{_beyond(gate)} ({_interval(gate)})."


def _inconclusive(gate: Gate) -> str:
    """Return that the interval shows neither what the rule demands nor the contrary."""
    margin = f"{gate.margin or 0:g}"
    possible = {
        "non-inferior": f"a loss of {margin} or more",
        "not-worse": f"a loss of more than {margin}" if gate.margin else "a loss",
        "superior": f"a gain of {margin} or less" if gate.margin else "a difference of 0 or less",
        "equivalent": f"a difference of {margin} or more",
    }[gate.rule]
    more = cases_that_settle(gate) if gate.rule in ("non-inferior", "not-worse") else ""
    return (
        f"The comparison {_who(gate)} is inconclusive, because {possible} is compatible with the data "
        f"({_interval(gate)}).{more}"
    )


def _not_worse(gate: Gate) -> str:
    (new, old), measure = gate.comparison.models, title(gate.comparison.measure)
    if not gate.passed:
        return f"{new} is worse than {old} in {measure}{_beyond(gate)} ({_interval(gate)})."
    loss = -gate.difference.low
    if loss < 0:
        return f"{new} is better than {old} in {measure} ({_interval(gate)})."
    beyond = "" if gate.margin is None else f" beyond the margin of {gate.margin:g}"
    text = f"{new} has no detected loss{beyond} in {measure} compared with {old}"
    if loss == 0:
        return f"{text} ({_interval(gate)})."
    return (
        f"{text} ({_interval(gate)}). A loss of up to {number(loss)} is compatible with the data, and a small sample "
        "can pass this rule."
    )


def _superior(gate: Gate) -> str:
    (new, old), measure = gate.comparison.models, title(gate.comparison.measure)
    if not gate.passed and gate.difference.high < 0:
        return f"{new} is worse than {old} in {measure} ({_interval(gate)})."
    verb = "is superior" if gate.passed else "is not superior"
    return f"{new} {verb} to {old} in {measure}{_beyond(gate)} ({_interval(gate)})."


def _equivalent(gate: Gate) -> str:
    (new, old), measure = gate.comparison.models, title(gate.comparison.measure)
    if gate.passed:
        return (
            f"{new} and {old} are equivalent in {measure} at a margin of {gate.margin:g} ({_interval(gate)})."
        )
    return f"{new} and {old} differ in {measure}{_beyond(gate)} ({_interval(gate)})."


SENTENCES = {
    "non-inferior": _non_inferior,
    "not-worse": _not_worse,
    "superior": _superior,
    "equivalent": _equivalent,
}


def sentence_of(gate: Gate) -> str:
    """Return the verdict in plain words; it names the cases without an answer, and their effect on the verdict."""
    omissions = gate.comparison.omissions
    if omissions is not None and gate.is_one_sided:
        worst = _worst_of_omissions(gate)
        passed = _sentence(replace(gate, comparison=replace(gate.comparison, omissions=None)))
        return (
            f"On the cases that both models predicted: {passed} This result is not reliable. {omissions.sentence}."
            + (f"{worst}, which does not pass." if worst else "")
        )
    return " ".join(filter(None, (_sentence(gate), omissions_text(gate))))


def _sentence(gate: Gate) -> str:
    """Return the verdict in plain words, whatever was excluded."""
    if gate.is_open:
        return _inconclusive(gate)
    return _undecided(gate) if gate.verdict is Verdict.UNDECIDED else SENTENCES[gate.rule](gate)


def omissions_text(gate: Gate) -> str:
    """How many cases were excluded without a prediction, and the difference if they count as incorrect; or nothing."""
    omissions = gate.comparison.omissions
    if omissions is None:
        return ""
    worst = _worst_of_omissions(gate)
    more = ", which also passes." if gate.passed and gate.passes_at_worst else "."
    return f"{omissions.sentence}." + (f"{worst}{more}" if worst else "")


def _worst_of_omissions(gate: Gate) -> str:
    omissions = gate.comparison.omissions
    if omissions is None or omissions.worst is None or not omissions.worst.has_interval:
        return ""
    value, low, high = parts(omissions.worst)
    return (
        f" If they count as incorrect, the difference is {value} ({level_text(omissions.worst.level)} {low} to "
        f"{high})"
    )


MOST_TIMES = 1e6
"""How many times the cases at hand are worth naming: beyond that no test of this difference is in reach."""


def cases_that_settle(gate: Gate) -> str:
    """How many units pass with a power of 80% if the difference is as large as this: see `cases_needed`.

    More folds of the same cases bring no degrees of freedom.
    """
    effect, n = gate.difference, gate.comparison.n
    room, level = effect.value + (gate.margin or 0), effect.level or 0.95
    if n is None or room <= 0:
        return ""
    degrees = inf if gate.comparison.units == "folds" else gate.comparison.test.df or inf
    quantile = normal_quantile(level) if isinf(degrees) else student_quantile(level, degrees)
    wanted = cases_needed(n, room, (effect.value - effect.low) / quantile, level, degrees)
    if wanted is None or not wanted < MOST_TIMES * n:
        return ""
    if gate.comparison.units == "folds":
        times = wanted / n
        many = f"{times:,.{0 if times >= 10 else 1}f} times as many cases"
        return f" About {many} are {WITH_POWER}. More folds of the same cases do not replace them."
    size = 10 ** max(0, len(str(int(wanted))) - 2)
    return f" About {ceil(wanted / size) * size:,} {gate.comparison.units} are {WITH_POWER}."
