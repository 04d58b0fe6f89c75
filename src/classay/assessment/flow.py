"""The flow of cases into an assessment, and how it was made, in the words of a methods section.

The flow says how many cases came, how many were left out and why, and what the cases of each class were called. These
are the counts that STARD (Bossuyt et al. 2015, BMJ 351:h5527, items 19 and 23) and TRIPOD (Collins et al. 2015, Annals
of Internal Medicine 162:55, item 13) ask for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.answers import NO_ANSWER
from classay.assessment import views
from classay.assessment.task import TwoClasses
from classay.columns.numbers import counted
from classay.curves.curve import as_given
from classay.inference.estimate import Estimate, hundredths, title
from classay.inference.methods import ON_REQUEST, cite, methods, reference_list, used
from classay.measures import Measure, get
from classay.texts import amount, listed, quote

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


def as_class(label: object) -> str:
    """Return a label as the name of a class: 'benign', and "class 1", because a bare number reads as a count.

    >>> as_class("benign"), as_class(1), as_class(True)
    ("'benign'", 'class 1', 'class True')
    """
    return quote(label) if isinstance(label, str) else f"class {quote(label)}"


def cutoff(a: Assessment) -> str:
    """The threshold of the labels of an assessment that has one, in as many digits as call the same cases positive."""
    assert a.scores is not None
    assert a.cutoff is not None
    return as_given(a.scores.thresholds, a.cutoff)


def percent(share: Estimate) -> str:
    """Return a share in percent, in the digits that it has beside its interval."""
    return f"{hundredths(share.value, share.low, share.high)[0]}%"


def percents(first: Estimate, second: Estimate) -> tuple[str, str]:
    """Return two shares in percent, with as many decimals as tell them apart.

    >>> percents(Estimate(0.99718), Estimate(0.99702))
    ('99.72%', '99.70%')
    """
    one, other = hundredths(first.value, second.value)
    return f"{one}%", f"{other}%"


CLASSES = 6
"""Classes up to which it is told what each was called."""


@dataclass(frozen=True)
class OfClass:
    """A true class: its cases or their weight, what was called each label of these; empty without labels, or many."""

    label: Hashable
    total: float
    called: tuple[tuple[Hashable, float], ...]


@dataclass(frozen=True)
class Flow:
    """Rows that came, those left out for a missing label or answer, those assessed, and the classes.

    >>> import classay as ca
    >>> a = ca.assess([1, 0, None, 0], [0.9, 0.2, 0.5, 0.6], missing="drop")
    >>> flow(a).received, flow(a).left_out, flow(a).classes[1].called
    (4, 1, ((1, 1.0), (0, 0.0)))
    """

    received: int
    left_out: int
    assessed: int
    unit: str
    classes: tuple[OfClass, ...]
    missing: str = ""

    @property
    def sentences(self) -> Iterator[str]:
        """The flow in words."""
        if self.left_out:
            yield (
                f"Of {counted(self.received)} received, {self.left_out:,} with {self.missing} "
                f"{_were(self.left_out)} excluded, and {self.assessed:,} {_were(self.assessed)} analyzed."
            )
        elif self.received == 1:
            yield "The only row received was analyzed."
        else:
            yield f"All {self.received:,} rows received were analyzed."
        if len(self.classes) <= CLASSES:
            yield from (self._called(row) for row in self.classes if row.called and row.total)

    def _called(self, row: OfClass) -> str:
        called = [
            f"{amount(count)} {'was' if count == 1 or self.unit == 'weight' else 'were'} "
            f"{'without a prediction' if label is NO_ANSWER else f'predicted as {as_class(label)}'}"
            for label, count in row.called
        ]
        cases = "case" if row.total == 1 else "cases"
        what = f"weight {amount(row.total)}" if self.unit == "weight" else f"{amount(row.total)} {cases}"
        return f"Of the {what} of class {quote(row.label)}, {listed(called)}."


def calls(a: Assessment) -> Any:
    """What cases were called, `[predicted, true]`; where some without an answer count as wrong, these in a last row.

    >>> import classay as ca
    >>> calls(ca.assess([1, 1, 0, 0], y_pred=[1, None, 0, None], unanswered="wrong"))
    array([[1, 0],
           [0, 1],
           [1, 1]])
    """
    assert a.confusion_matrix is not None
    counts, k = a.confusion_matrix.counts, len(a.labels)
    if a.no_answer is None:
        return counts
    if not a.is_binary:
        return counts[:, :k]
    none = np.asarray(a.no_answer).astype(counts.dtype)
    return np.concatenate([np.maximum(counts - np.where(np.eye(k, dtype=bool), 0, none), 0), none[None]])


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def flow(a: Assessment) -> Flow:
    """Return the flow of the rows of an assessment; of sampling weights the classes have sums of weights."""
    counts = None if a.confusion_matrix is None or len(a.labels) > CLASSES else calls(a)
    classes = []
    for place, (label, total) in enumerate(zip(a.labels, a.class_totals, strict=True)):
        order = sorted(range(len(a.labels)), key=lambda k, mine=place: k != mine)  # type: ignore[misc]
        called = () if counts is None else tuple((a.labels[k], float(counts[k, place])) for k in order)
        if counts is not None and len(counts) > len(a.labels):
            called = (*called, (NO_ANSWER, float(counts[-1, place])))
        classes.append(OfClass(label, float(total), called))
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    return Flow(a.rows + a.dropped, a.dropped, a.rows, unit, tuple(classes), missing_in(a))


def missing_in(a: Assessment) -> str:
    """Return what was missing in the rows left out: the truth or the answer, and each number if there are several.

    >>> import classay as ca
    >>> missing_in(ca.assess([1, 0, None, 0], [0.9, None, 0.5, 0.6], missing="drop", unanswered="drop"))
    'a missing label (1) or a missing score (1)'
    """
    unscored, unanswered = (
        (a.unscored, a.unanswered) if a.no_answer is None else (0, 0)
    )  # or they count as wrong
    unanswered = max(unanswered, unscored)
    parts = {
        "a missing label": a.dropped - unanswered,
        "a missing score": unscored,
        "no prediction": unanswered - unscored,
    }
    there = {what: count for what, count in parts.items() if count}
    if len(there) < 2:
        return next(iter(there), "a missing label")
    return " or ".join(f"{what} ({count:,})" for what, count in there.items())


OF_TWO = ("roc_auc", "average_precision", "recall", "specificity", "precision", "brier_score")
OF_SEVERAL = ("accuracy", "macro_f1", "macro_roc_auc", "log_loss")
"""What is told of unasked, of two classes and of several, as far as it is defined."""


def methods_text(a: Assessment, measures: Sequence[str | Measure] | None = None) -> str:
    """What was measured on which cases, by which interval methods, at which level, with which software; references."""
    from classay import __version__

    names = (OF_TWO if a.is_binary else OF_SEVERAL) if measures is None else measures
    estimates = {get(name): a.estimate(get(name)) for name in names}
    defined = {measure: estimate for measure, estimate in estimates.items() if not estimate.is_undefined}
    sentences = [
        _of_cases(a),
        _of_labels(a),
        *flow(a).sentences,
        *_of_intervals(a, defined),
        _of_chance(a),
        f"Analyses used classay {__version__} (random seed {a.seed}).",
    ]
    sources = dict.fromkeys(
        source for measure, estimate in defined.items() for source in _sources(a, measure, estimate)
    )
    references = reference_list(sources, (estimate.method or "" for estimate in defined.values()))
    return "\n\n".join(filter(None, (" ".join(filter(None, sentences)), references)))


def _of_cases(a: Assessment) -> str:
    by_class = "; ".join(
        f"{quote(label)}: {total:,.6g}" for label, total in zip(a.labels, a.class_totals, strict=True)
    )
    sentence = f"The model was evaluated on {counted(a.n, 'test case')} ({by_class})"
    if a.clusters is not None:
        sentence += f" in {counted(len(a.clusters), 'cluster')}"
    if a.kind_of_weight == "sampling":
        sentence += " with their sampling weights"
    positive = "" if not a.is_binary else f"; {quote(a.positive)} is the positive class"
    return f"{sentence}{positive}."


def _of_labels(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return ""
    if a.cutoff is None:
        return "" if a.is_binary or a.cases is None else "The predicted class has the highest score."
    chosen = "" if a.cutoff_chosen else "; this is the default threshold and was not chosen for these data"
    is_strict = isinstance(a.task, TwoClasses) and a.task.is_tie_negative
    least = "greater than" if is_strict else "of at least"
    return " ".join(
        filter(
            None,
            [f"Cases with a score {least} {cutoff(a)} were predicted positive{chosen}.", about_ties(a)],
        )
    )


def about_ties(a: Assessment) -> str:
    """Return the sentence on cases exactly at a threshold that nobody chose; empty where there are none.

    Bins tell that there are none. Where a bin holds such cases and others, how many there are is not known.
    """
    if not isinstance(a.task, TwoClasses) or a.cutoff_chosen or not a.task.is_cut or a.scores is None:
        return ""
    tied = a.task.tied_at_threshold
    if tied == 0:
        return ""
    label = next(label for label in a.labels if (label == a.positive) != a.task.is_tie_negative)
    if tied is None:
        return (
            f"At least 1 case has a score of exactly {cutoff(a)} and is predicted as {as_class(label)}. The "
            "exact number is not available, because scores were counted in bins."
        )
    if a.kind_of_weight == "sampling":
        share = Estimate(tied / float(a.class_totals.sum()))
        who, have, are = f"Cases with {percent(share)} of the weight", "have", "are"
    else:
        who = f"{int(tied):,} of {counted(int(a.class_totals.sum()), 'case')}"
        have, are = ("has", "is") if tied == 1 else ("have", "are")
    return f"{who} {have} a score of exactly {cutoff(a)} and {are} predicted as {as_class(label)}."


def _of_intervals(a: Assessment, estimates: dict[Measure, Estimate]) -> list[str]:
    """Return the measures, by the method of their intervals."""
    by_method: dict[str, list[str]] = {}
    for measure, estimate in estimates.items():
        by_method.setdefault(estimate.method or "", []).append(title(measure.name))
    without = by_method.pop("", [])
    texts = [f"{method} ({listed(names)})" for method, names in by_method.items()]
    sentences = (
        [f"The {100 * a.level:g}% confidence intervals were computed by {'; '.join(texts)}."] if texts else []
    )
    posterior = " and ".join(
        prior
        for prior in ("Jeffreys", "Perks")
        if any(f"posterior, {prior} prior" in method for method in by_method)
    )
    if posterior:
        sentences.append(
            f"Intervals from the posterior with the {posterior} prior are equal-tailed credible intervals."
        )
    return [*sentences, *([f"No confidence interval is available for {listed(without)}."] if without else [])]


def _of_chance(a: Assessment) -> str:
    units = "test cases" if a.clusters is None else "clusters of test cases"
    return f"Intervals reflect sampling variability of the {units}; the trained model was held fixed."


def _sources(a: Assessment, measure: Measure, estimate: Estimate) -> list[str]:
    """The sources of the interval that was used; those of the complement where it is the mirror of that one's."""
    if estimate.method is None:
        return []
    plain = measure if measure.plain is None else measure.plain
    of = a if measure.label is None else views.one_class(a, measure)
    if isinstance(of, str):
        return []
    plain = plain if plain.complement is None else get(plain.complement)
    table = of.table(plain)
    if isinstance(table, str):
        return []
    known = methods(plain, table, a.drawn)
    named = [method for method in known if method.name.casefold() in estimate.method.casefold()]
    unasked = [method for method in known if method.when is not ON_REQUEST]
    best = max(named, key=lambda method: len(method.name), default=next(iter(unasked), None))
    if best is None:
        return []
    return [cite(key) for key in used(best.references, estimate.method, are_alike=a.drawn == "alike")]
