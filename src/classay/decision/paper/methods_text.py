"""How a threshold was chosen, as a paragraph for the methods section of a paper, with references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from classay.inference.estimate import Estimate, said
from classay.inference.references import reference_list
from classay.inference.registry import sources
from classay.inference.words import title
from classay.texts import amount, as_sentence, listed

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
EFRON = "Efron & Tibshirani 1997, JASA 92:548"
"""Values of cases that a resample leaves out."""


def methods_text(d: Decision) -> str:
    """The cases, the rule, its costs and conditions, the threshold, how new cases were judged, and the intervals."""
    from classay import __version__

    sentences = [
        f"The threshold was chosen on {amount(d.cases)} cases, {100 * d.observed:.3g} % of them of the positive class "
        f"{d.positive!r}. Of all distinct scores, the rule takes {d.rule.text}.",
        *([] if d.rule.cost is None else _of_costs(d.rule.cost)),
        *(
            []
            if d.prevalence is None
            else [f"All values are for a prevalence of {100 * d.prevalence:.4g} %."]
        ),
        _of_threshold(d),
        _of_new_cases(d),
        *_of_conditions(d),
        *_of_intervals(d),
        "Intervals account for the chance of the cases, not that of training. "
        f"Computed with classay {__version__}; random draws start from seed {d.seed}.",
    ]
    cited = [ELKAN] * (d.rule.cost is not None) + [EFRON] * d.is_out_of_bag
    found = (each for estimate in _estimates(d).values() for each in sources(estimate.method or ""))
    references = reference_list([*cited, *found], (each.method or "" for each in _estimates(d).values()))
    return "\n\n".join(filter(None, (" ".join(sentences), references)))


def _of_costs(costs: Costs) -> Iterator[str]:
    """What each decision costs; entries that are 0 are named together."""
    given = {name: str(getattr(costs, name)) for name in ENTRIES}
    paid = [f"{ENTRIES[name]} costs {_plain(each)}" for name, each in given.items() if _plain(each) != "0"]
    free = [ENTRIES[name] for name, each in given.items() if _plain(each) == "0"]
    text = ", ".join(paid)
    yield as_sentence(
        f"{text}; {listed(free)} {'cost' if len(free) > 1 else 'costs'} nothing" if free else text
    )
    if costs.names:
        yield f"Each case carries its own {listed(costs.names)}."
    if costs.unnamed:
        yield as_sentence(costs.unnamed)


def _plain(entry: str) -> str:
    return entry.removesuffix(".0")


def _of_threshold(d: Decision) -> str:
    if d.calls_nobody:
        return f"No case is called {d.positive!r}."
    if d.calls_everybody:
        return f"Every case is called {d.positive!r}."
    (at,) = d.texts_of(d.threshold.value)
    return f"A case is called {d.positive!r} when its score is at least {at}."


def _of_new_cases(d: Decision) -> str:
    if d.is_out_of_bag:
        return (
            f"The {d.objective} on new cases is out-of-bag: the threshold was chosen anew in each resample of the "
            f"cases, and judged on the cases that the resample left out. It is {_said(d.honest)}; on the cases that "
            f"the threshold was chosen on it is {_said(d.apparent)}."
        )
    if d.uses_no_score:
        return (
            f"As no score was used, the {d.objective} on new cases is that of these cases: {_said(d.honest)}."
        )
    return f"The {d.objective} on new cases is that of cases held back from the choice: {_said(d.honest)}."


def _of_conditions(d: Decision) -> Iterator[str]:
    for each in d.kept:
        known = each.probability == each.probability
        surely = (
            f"with a probability of {100 * each.probability:.0f} %"
            if known
            else "with an unknown probability"
        )
        yield f"New cases meet {each.requirement} {surely}."


def _of_intervals(d: Decision) -> Iterator[str]:
    """The methods of the intervals, and what has each."""
    by_method: dict[str, list[str]] = {}
    for name, each in _estimates(d).items():
        if each.has_interval:
            by_method.setdefault(each.method or "", []).append(name)
    if by_method:
        told = "; ".join(f"{listed(names)} by {method}" for method, names in by_method.items())
        yield f"Intervals of level {100 * d.level:g} % are of {told}."


def _estimates(d: Decision) -> dict[str, Estimate]:
    named = {"the threshold": d.threshold, f"the {d.objective} on new cases": d.honest}
    named[f"the {d.objective} on these cases"] = d.apparent
    return named | {title(name): each for name, each in d.measures.items()}


def _said(found: Estimate) -> str:
    return f"undefined, {found.reason}" if found.is_undefined else said(found)
