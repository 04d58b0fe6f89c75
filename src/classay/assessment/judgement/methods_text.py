"""How a classifier was assessed, as a paragraph for the methods section of a paper, with references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from classay.assessment.judgement.flow import flow
from classay.assessment.judgement.words import cutoff
from classay.columns.numbers import counted
from classay.inference.estimate import Estimate
from classay.inference.references import cite, reference_list, used
from classay.inference.registry import ON_REQUEST, methods
from classay.inference.words import title
from classay.measures import Measure, get
from classay.texts import listed, quote

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

OF_TWO = ("roc_auc", "average_precision", "recall", "specificity", "precision", "brier_score")
OF_SEVERAL = ("accuracy", "macro_f1", "macro_roc_auc", "log_loss")
"""What is told of unasked, of two classes and of several, as far as it is defined."""


def methods_text(a: Assessment, measures: Sequence[str | Measure] | None = None) -> str:
    """What was measured on which cases, by which interval methods, at which level, with which software; references."""
    from classay import __version__

    names = (OF_TWO if a.positive is not None else OF_SEVERAL) if measures is None else measures
    found = {get(name): a.estimate(get(name)) for name in names}
    defined = {measure: each for measure, each in found.items() if not each.is_undefined}
    sentences = [
        _of_cases(a),
        _of_labels(a),
        *flow(a).sentences,
        *_of_intervals(a, defined),
        _of_chance(a),
        f"Computed with classay {__version__}; random draws start from seed {a.seed}.",
    ]
    sources = dict.fromkeys(
        source for measure, each in defined.items() for source in _sources(a, measure, each)
    )
    references = reference_list(sources, (each.method or "" for each in defined.values()))
    return "\n\n".join(filter(None, (" ".join(filter(None, sentences)), references)))


def _of_cases(a: Assessment) -> str:
    by_class = "; ".join(
        f"{quote(label)}: {total:,.6g}" for label, total in zip(a.labels, a.class_totals, strict=True)
    )
    said = f"The classifier was assessed on {counted(a.n, 'test case')} ({by_class})"
    if a.clusters is not None:
        said += f" in {counted(len(a.clusters), 'cluster')}"
    if a.kind_of_weight == "sampling":
        said += ", which count by their sampling weights"
    positive = "" if a.positive is None else f"; {quote(a.positive)} is the positive class"
    return f"{said}{positive}."


def _of_labels(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return ""
    if a.cutoff is None:
        return (
            "" if a.positive is not None or a.cases is None else "The predicted class has the highest score."
        )
    chosen = "" if a.cutoff_chosen else ", a default that was not chosen for these data"
    return f"A case is called positive when its score is at least {cutoff(a)}{chosen}."


def _of_intervals(a: Assessment, found: dict[Measure, Estimate]) -> list[str]:
    """The measures, by the method of their intervals."""
    by_method: dict[str, list[str]] = {}
    for measure, each in found.items():
        by_method.setdefault(each.method or "", []).append(title(measure.name))
    without = by_method.pop("", [])
    said = [f"{listed(names)} by {method}" for method, names in by_method.items()]
    sentences = (
        [f"Intervals of level {100 * a.level:g} % were computed for {'; '.join(said)}."] if said else []
    )
    return [*sentences, *([f"No interval is given for {listed(without)}."] if without else [])]


def _of_chance(a: Assessment) -> str:
    units = "test cases" if a.clusters is None else "clusters of test cases"
    return f"The intervals account for the chance of the {units}, not that of training."


def _sources(a: Assessment, measure: Measure, found: Estimate) -> list[str]:
    """The sources of the interval that was used; those of the complement where it is the mirror of that one's."""
    if found.method is None:
        return []
    plain = measure if measure.plain is None else measure.plain
    of = a if measure.label is None else a.one_vs_rest(measure.label)
    plain = plain if plain.complement is None else get(plain.complement)
    table = of.table(plain)
    if isinstance(table, str):
        return []
    known = methods(plain, table, a.drawn)
    named = [each for each in known if each.name.casefold() in found.method.casefold()]
    unasked = [each for each in known if each.when is not ON_REQUEST]
    best = max(named, key=lambda each: len(each.name), default=next(iter(unasked), None))
    if best is None:
        return []
    return [cite(key) for key in used(best.references, found.method, are_alike=a.drawn == "alike")]
