"""How a decision was made, in sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from classay.inference.estimate import Estimate, format_estimate
from classay.inference.phrasing import short_title
from classay.texts import as_sentence, listed, quote

if TYPE_CHECKING:
    from classay.decision.decision import Decision

ELKAN = "Elkan 2001, IJCAI 17:973"
EFRON = "Efron 1983, JASA 78:316"
"""Optimism: how much better a resample is on its own cases than on all."""


def how_decided(d: Decision) -> Iterator[str]:
    """Yield the costs of each case, the threshold, how new cases were judged, and the conditions, in sentences."""
    if d.rule.cost is not None and d.rule.cost.names:
        yield f"Every case has its own {listed(d.rule.cost.names)}."
    if d.rule.cost is not None and d.rule.cost.unnamed:
        yield as_sentence(d.rule.cost.unnamed)
    if d.prevalence is not None:
        yield f"All values are at a prevalence of {100 * d.prevalence:.4g}%."
    yield "The rule was applied to all distinct scores."
    yield _of_threshold(d)
    yield _of_new_cases(d)
    yield from _of_conditions(d)


def sources_of(d: Decision) -> tuple[str, ...]:
    """Return the sources of costs and of optimism, where they were used."""
    return (*[ELKAN] * (d.rule.cost is not None), *[EFRON] * d.is_resampled)


def _of_threshold(d: Decision) -> str:
    if d.calls_nobody:
        return f"No case is predicted {quote(d.positive)}."
    if d.calls_everybody:
        return f"Every case is predicted {quote(d.positive)}."
    (at,) = d.texts_of(d.threshold.value)
    return f"Cases with a score of at least {at} are predicted {quote(d.positive)}."


def _of_new_cases(d: Decision) -> str:
    if d.is_resampled:
        return (
            f"The {d.objective} on the selection data is optimistic: {_said(d.apparent)}. The threshold was chosen "
            f"again in each resample of the cases. The mean difference between the {d.objective} on all cases and on "
            f"the resample corrects the optimism. The {d.objective} expected on new cases is "
            f"{_said(d.expected.objective)}."
        )
    if d.uses_no_score:
        return (
            f"Because no score was used, the {d.objective} on new cases is the value on these cases, "
            f"{_said(d.expected.objective)}."
        )
    return f"The {d.objective} expected on new cases is the value on held-out cases, {_said(d.expected.objective)}."


def _of_conditions(d: Decision) -> Iterator[str]:
    for condition in d.kept:
        known = condition.probability == condition.probability
        probability = (
            f"about {100 * condition.probability:.0f}% (normal approximation)" if known else "unknown"
        )
        what = short_title(condition.requirement.name)
        yield f"The probability that the true {what} meets {condition.requirement} is {probability}."


def _said(estimate: Estimate) -> str:
    return f"not defined ({estimate.reason})" if estimate.is_undefined else format_estimate(estimate)
