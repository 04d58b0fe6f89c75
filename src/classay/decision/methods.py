"""How a decision was made, in sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from classay.inference.estimate import Estimate, format_estimate, title
from classay.inference.methods import reference_list, sources
from classay.inference.phrasing import short_title
from classay.texts import amount, as_sentence, listed, quote

if TYPE_CHECKING:
    from classay.decision.costs import Costs
    from classay.decision.decision import Decision

ENTRIES = {
    "fp": "a false positive",
    "fn": "a false negative",
    "tp": "a true positive",
    "tn": "a true negative",
}
ELKAN = "Elkan 2001, IJCAI 17:973"
EFRON = "Efron 1983, JASA 78:316"
"""Optimism: how much better a resample is on its own cases than on all."""


def methods_text(d: Decision) -> str:
    """The cases, the rule, its costs and conditions, the threshold, how new cases were judged, and the intervals."""
    from classay import __version__

    sentences = [
        f"The threshold was chosen on {amount(d.cases)} cases, {100 * d.observed:.3g}% of the positive class "
        f"{quote(d.positive)}. The rule ({d.rule.text}) was applied to all distinct scores.",
        *([] if d.rule.cost is None else _of_costs(d.rule.cost)),
        *([] if d.prevalence is None else [f"All values are at a prevalence of {100 * d.prevalence:.4g}%."]),
        _of_threshold(d),
        _of_new_cases(d),
        *_of_conditions(d),
        *_of_intervals(d),
        "Intervals reflect sampling variability of the cases. The model was held fixed. "
        f"Analyses used classay {__version__} (random seed {d.seed}).",
    ]
    cited = [ELKAN] * (d.rule.cost is not None) + [EFRON] * d.is_resampled
    methods = (source for estimate in _estimates(d).values() for source in sources(estimate.method or ""))
    references = reference_list([*cited, *methods], (each.method or "" for each in _estimates(d).values()))
    return "\n\n".join(filter(None, (" ".join(sentences), references)))


def _of_costs(costs: Costs) -> Iterator[str]:
    """Yield what each decision costs; entries that are 0 are named together."""
    entries = {name: str(getattr(costs, name)) for name in ENTRIES}
    paid = [f"{ENTRIES[name]} costs {_plain(cost)}" for name, cost in entries.items() if _plain(cost) != "0"]
    free = [ENTRIES[name] for name, cost in entries.items() if _plain(cost) == "0"]
    text = ", ".join(paid)
    yield as_sentence(
        f"{text}, and {listed(free)} {'cost' if len(free) > 1 else 'costs'} 0" if free and text else text
    )
    if costs.names:
        yield f"Each case carries its own {listed(costs.names)}."
    if costs.unnamed:
        yield as_sentence(costs.unnamed)


def _plain(entry: str) -> str:
    return entry.removesuffix(".0")


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


def _of_intervals(d: Decision) -> Iterator[str]:
    """Yield the methods of the intervals, and what has each."""
    by_method: dict[str, list[str]] = {}
    for name, estimate in _estimates(d).items():
        if estimate.has_interval:
            by_method.setdefault(estimate.method or "", []).append(name)
    if by_method:
        methods = "; ".join(f"{listed(names)} by {method}" for method, names in by_method.items())
        yield f"{100 * d.level:g}% confidence intervals: {methods}."


def _estimates(d: Decision) -> dict[str, Estimate]:
    named = {"the threshold": d.threshold, f"the {d.objective} on new cases": d.expected.objective}
    named[f"the {d.objective} on these cases"] = d.apparent
    return named | {title(name): estimate for name, estimate in d.measures.items()}


def _said(estimate: Estimate) -> str:
    return f"not defined ({estimate.reason})" if estimate.is_undefined else format_estimate(estimate)
