"""Findings of decisions: the threshold, what it is expected to bring on new cases, and what it saves."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf, isnan
from typing import Any

from classay.assessment.finding import Finding, ranked
from classay.curves.curve import outwards
from classay.decision.decision import BINOMIAL, Decision, Kept
from classay.decision.expected_cost import PREDICTIONS, times
from classay.inference.estimate import format_estimate
from classay.inference.phrasing import label_text, short_title, sized, value_with_interval
from classay.inference.plain import plain_estimate
from classay.texts import quote

LIKELY = 0.95
"""Probability that new cases meet a condition from which it stands behind what is saved."""


def findings_on_decision(d: Decision) -> tuple[Finding, ...]:
    """Return the findings of a decision in their order: what to do, what it brings on new cases, what it saves.

    What it costs on the cases that the threshold was chosen on never leads.

    >>> import classay as ca
    >>> a = ca.assess([1, 0, 1, 0, 0] * 40, [(7 * i % 100 + 25 * (i % 5 == 0)) / 125 for i in range(200)])
    >>> print(findings_on_decision(a.threshold(cost=ca.Costs(fp=1, fn=5)))[0].sentence[:65])
    Predict class 1 at scores of 0.032 or higher, in 194 of 200 cases
    """
    return ranked([_threshold(d), _expected(d), *_saving(d), *_conditions(d), *_as_good(d)])


def _threshold(d: Decision) -> Finding:
    """From which score on to predict the positive class."""
    label = label_text(d.positive)
    at = f" at a prevalence of {100 * d.prevalence:.4g}%" if d.prevalence is not None else ""
    if d.calls_nobody:
        why = d.rule.text
        if d.rule.is_capacity_alone:
            why = f"more than {d.rule.capacity} share the highest score"
        sentence = f"Predict no case as {label} ({why}{at})."
    elif d.calls_everybody:
        sentence = f"Predict every case as {label} at any score ({d.rule.text}{at})."
    else:
        (text,) = d.texts_of(d.threshold.value)
        threshold, ends = d.threshold, ""
        if threshold.has_interval:
            low, high = outwards(text, threshold.low, threshold.high)
            share = f"{100 * (threshold.level or 0):g}%"
            within = f"{low} to {high}"
            is_tested = BINOMIAL in (threshold.method or "")
            ends = (
                f" The {share} CI of the threshold is {within}."
                if is_tested
                else f" In {share} of resamples, the chosen threshold is within {within}."
            )
        so = f"Predict class {quote(d.positive)} at scores of {text} or higher"
        sentence = f"{so}, in {d.share_called} ({d.rule.text}{at}).{ends}"
    evidence: dict[str, Any] = {"positive": str(d.positive), "threshold": plain_estimate(d.threshold)}
    return Finding("threshold", "main", 1, sentence, evidence)


def _expected(d: Decision) -> Finding:
    """Return what the threshold is expected to bring on new cases."""
    of_cost = d.rule.cost is not None
    name = "cost" if of_cost else short_title(d.objective)
    evidence = {"objective": d.objective, "expected": plain_estimate(d.expected.objective)}
    if d.expected.objective.is_undefined:
        sentence = f"The expected {name} on new cases cannot be estimated ({d.expected.objective.reason})."
    elif of_cost:
        sentence = f"The expected cost on new cases is {format_estimate(d.expected.objective, ' per case')}."
    else:
        value = value_with_interval(d.expected.objective, d.objective, d.cases)
        sentence = f"The expected {name} on new cases is {value}."
    return Finding("expected_on_new_cases", "main", 2, sentence, evidence)


def _saving(d: Decision) -> Iterator[Finding]:
    """Yield what the threshold saves, compared with the better of the rules that look at no score."""
    if not d.savings:
        return
    rival, saved = min(d.savings.items(), key=lambda saving: saving[1].value)
    where = "" if d.expected.cost is not None or d.uses_no_score else " on the cases used to choose it"
    evidence = {"compared_with": rival, "saving": plain_estimate(saved)}
    if saved.has_interval and saved.low <= 0 <= saved.high:
        sentence = (
            f"No saving{where} was detected compared with {PREDICTIONS[rival]}: the difference is "
            f"{format_estimate(saved, ' per case')}."
        )
        yield Finding("no_saving", "main", 3, sentence, evidence)
        return
    size = sized(saved)
    verb = "saves" if saved.value >= 0 else "costs"
    more = "" if saved.value >= 0 else " more"
    per_period = ""
    if d.rule.periods is not None:
        per_period = f", or {format_estimate(times(size, d.cases / d.rule.periods), f' per {d.rule.period}')}"
    amount = format_estimate(size, f"{more} per case")
    sentence = f"Compared with {PREDICTIONS[rival]}, this rule {verb} {amount}{where}{per_period}."
    yield Finding("saving", "main", 3, sentence, evidence)


def _conditions(d: Decision) -> Iterator[Finding]:
    """Yield how likely new cases meet the condition that is met least."""
    if not d.kept:
        return
    worst = min(d.kept, key=lambda condition: (not isnan(condition.probability), condition.probability))
    likely = not isnan(worst.probability) and worst.probability >= LIKELY
    evidence = {
        "condition": str(worst.requirement),
        "probability": None if isnan(worst.probability) else float(worst.probability),
        "expected": plain_estimate(worst.expected),
    }
    yield Finding("condition", "main", 3.5 if likely else 2.5, _condition(d, worst), evidence)


def _condition(d: Decision, worst: Kept) -> str:
    if isnan(worst.probability):
        return f"Whether {worst.requirement} holds on new cases cannot be estimated."
    if worst.expected.low == worst.expected.high:
        whom = "every case is" if d.calls_everybody else "no case is"
        return f"The condition {worst.requirement} holds on new cases, because {whom} predicted positive."
    value, _, interval = value_with_interval(worst.expected, worst.requirement.name, d.cases).partition(" (")
    measure = short_title(worst.requirement.name)
    return (
        f"The true {measure} meets {worst.requirement} with a probability of about {100 * worst.probability:.0f}% "
        f"(normal approximation; expected {measure} {value}{', ' if interval else ''}{interval or ')'}."
    )


def _as_good(d: Decision) -> Iterator[Finding]:
    """Yield which other thresholds do not differ from the one decided for."""
    if d.as_good is None or d.as_good[0] == d.as_good[1]:
        return
    low, high = d.texts_of(*d.as_good)
    what = "expected cost" if d.rule.cost is not None else short_title(d.objective)
    evidence = {"as_good": [None if isinf(threshold) else float(threshold) for threshold in d.as_good]}
    sentence = (
        f"Thresholds from {low} to {high} do not differ detectably in {what} from the chosen threshold."
    )
    yield Finding("other_thresholds", "main", 4, sentence, evidence)
