"""The flow of cases into an assessment: how many came, were left out and why, and by class what they were called.

These are the counts that STARD (Bossuyt et al. 2015, BMJ 351:h5527, items 19 and 23) and TRIPOD (Collins et al. 2015,
Annals of Internal Medicine 162:55, item 13) ask for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.answers import NO_ANSWER
from classay.assessment.judgement.words import as_class, quote
from classay.columns.numbers import counted
from classay.texts import amount, listed

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

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
    """Rows that came, those left out for a missing label or group, those assessed, and the classes.

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
                f"Of {counted(self.received)} received, {self.left_out:,} {_were(self.left_out)} left out for "
                f"{self.missing}, and {self.assessed:,} {_were(self.assessed)} assessed."
            )
        elif self.received == 1:
            yield "The one row received was assessed."
        else:
            yield f"All {self.received:,} rows received were assessed; none was left out."
        if len(self.classes) <= CLASSES:
            yield from (self._called(each) for each in self.classes if each.called and each.total)

    def _called(self, each: OfClass) -> str:
        called = [
            f"{amount(count)} {'was' if count == 1 or self.unit == 'weight' else 'were'} "
            f"{'not answered' if label is NO_ANSWER else f'called {as_class(label)}'}"
            for label, count in each.called
        ]
        cases = "case" if each.total == 1 else "cases"
        what = f"weight {amount(each.total)}" if self.unit == "weight" else f"{amount(each.total)} {cases}"
        return f"Of the {what} of class {quote(each.label)}, {listed(called)}."


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
    if a.positive is None:
        return counts[:, :k]
    none = np.asarray(a.no_answer).astype(counts.dtype)
    return np.concatenate([np.maximum(counts - np.where(np.eye(k, dtype=bool), 0, none), 0), none[None]])


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def flow(a: Assessment) -> Flow:
    """The flow of the rows of an assessment; of sampling weights the classes have sums of weights."""
    found = None if a.confusion_matrix is None or len(a.labels) > CLASSES else calls(a)
    classes = []
    for place, (label, total) in enumerate(zip(a.labels, a.class_totals, strict=True)):
        order = sorted(range(len(a.labels)), key=lambda k, mine=place: k != mine)  # type: ignore[misc]
        called = () if found is None else tuple((a.labels[k], float(found[k, place])) for k in order)
        if found is not None and len(found) > len(a.labels):
            called = (*called, (NO_ANSWER, float(found[-1, place])))
        classes.append(OfClass(label, float(total), called))
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    return Flow(a.rows + a.dropped, a.dropped, a.rows, unit, tuple(classes), missing_in(a))


def missing_in(a: Assessment) -> str:
    """What was missing in the rows that were left out, each with how many of them where there are both.

    >>> import classay as ca
    >>> missing_in(ca.assess([1, 0, None, 0], [0.9, None, 0.5, 0.6], missing="drop", unanswered="drop"))
    'a missing label or group (1) or a missing score (1)'
    """
    unanswered = max(a.unanswered, a.unscored) if a.no_answer is None else 0
    parts = {
        "a missing label or group": a.dropped - unanswered,
        "a missing score": a.unscored,
        "no answer of the model": unanswered - a.unscored,
    }
    there = {what: count for what, count in parts.items() if count}
    if len(there) < 2:
        return next(iter(there), "a missing label or group")
    return " or ".join(f"{what} ({count:,})" for what, count in there.items())
