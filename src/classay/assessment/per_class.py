"""The measures of each class against the rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from classay.assessment import views
from classay.assessment.estimating import of_bins, of_view
from classay.assessment.views import View
from classay.inference.estimate import Estimate
from classay.inference.registry import Table
from classay.measures import get
from classay.measures.classes.averaging import per_class as of_each_class
from classay.measures.conditions import first_met
from classay.once import once
from classay.tables import BinaryCounts, ConfusionMatrix

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

PER_CLASS = (
    "precision",
    "recall",
    "f1",
    "specificity",
    "negative_predictive_value",
    "jaccard",
    "prevalence",
    "predicted_prevalence",
)
"""The measures of each class that `per_class` gives; `one_vs_rest(label)` gives all of them for one class."""


def class_estimates(a: Assessment) -> dict[Hashable, dict[str, Estimate]]:
    """For each class against the rest, the measures of `PER_CLASS`, and its AUC where it has scores."""
    return some_classes(a, a.labels)


def some_classes(a: Assessment, labels: Sequence[Hashable]) -> dict[Hashable, dict[str, Estimate]]:
    """The same for some classes, those of `labels`; each is found once."""
    known = _known(a)
    missing = [label for label in labels if label not in known]
    if missing:
        known.update(_found(a, missing))
    return {label: known[label] for label in labels}


@once
def _known(a: Assessment) -> dict[Hashable, dict[str, Estimate]]:
    """The estimates of the classes that were asked for so far: pages ask for few of many, and more than once."""
    return {}


def _found(a: Assessment, labels: Sequence[Hashable]) -> dict[Hashable, dict[str, Estimate]]:
    found: dict[Hashable, dict[str, Estimate]] = {label: {} for label in labels}
    if a.confusion_matrix is not None:
        place = {label: i for i, label in enumerate(a.confusion_matrix.labels)}
        at = [place[label] for label in labels]
        of_labels = _alike if a.coded is None and a.kind_of_weight != "sampling" else _unlike
        for label, estimates in zip(labels, of_labels(a, a.confusion_matrix, at), strict=True):
            found[label] |= estimates
    if a.class_scores is not None:
        for label in labels:
            of_scores = views.of_scores(a, a.class_scores.one_vs_rest(label), label)
            found[label] |= _of_class(a, label, ("roc_auc",), of_scores)
    return found


def worst_classes(a: Assessment, name: str, most: int) -> list[Hashable]:
    """The classes with the lowest values of a measure against the rest, those where it is undefined last.

    Of classes that tie, those with more cases come first: they weigh more.
    """
    assert a.confusion_matrix is not None
    values = of_each_class(get(name))(a.confusion_matrix)[: len(a.labels)]
    order = np.lexsort((-np.asarray(a.class_totals, dtype=np.float64), values))  # NaN sorts last
    return [a.labels[at] for at in order[:most]]


def _alike(a: Assessment, matrix: ConfusionMatrix, at: Sequence[int]) -> Iterator[dict[str, Estimate]]:
    """Of cases that count alike: classes with the same counts have the same estimates, which are found once."""
    known: dict[tuple[float, ...], tuple[Hashable, dict[str, Estimate]]] = {}
    for i, counts in zip(at, np.stack(matrix.class_counts(), -1)[at], strict=True):
        key = tuple(counts.tolist())
        if key not in known:
            made = _of_class(a, matrix.labels[i], PER_CLASS, View(BinaryCounts(*counts)))
            known[key] = (matrix.labels[i], made)
        first, estimates = known[key]
        yield {name: _about(each, name, first, matrix.labels[i]) for name, each in estimates.items()}


def _about(found: Estimate, name: str, first: Hashable, label: Hashable) -> Estimate:
    """The estimate of the first class of these counts as that of another: why it is undefined names the class."""
    if not found.is_undefined:
        return found
    return replace(found, reason=f"{_of(name, label)}{without_class(found.reason or '', name, first)}")


def _of(name: str, label: Hashable) -> str:
    """How the reason of a class begins: what is undefined, and of which class."""
    return f"{name} of {label!r}: "


def without_class(reason: str, name: str, label: Hashable) -> str:
    """The reason alone, where what stands around it says of which measure and class."""
    return reason.removeprefix(_of(name, label))


def _unlike(a: Assessment, matrix: ConfusionMatrix, at: Sequence[int]) -> Iterator[dict[str, Estimate]]:
    """Of cases with sampling weights, or in clusters."""
    if a.coded is not None:
        for i in at:
            yield _of_class(a, matrix.labels[i], PER_CLASS, views.of_class(a, matrix.labels[i]))
        return
    squares = matrix.of_squares
    assert squares is not None
    of_class = [np.stack(each.class_counts(), -1)[at] for each in (matrix, squares)]
    for i, counts, squared in zip(at, *of_class, strict=True):
        view = View(BinaryCounts(*counts), BinaryCounts(*squared))
        yield _of_class(a, matrix.labels[i], PER_CLASS, view)


def _of_class(a: Assessment, label: Hashable, names: Sequence[str], view: View[Table]) -> dict[str, Estimate]:
    measures = {name: get(name) for name in names}
    why = {
        name: first_met(each.undefined, each.read((view.table,)), of_class=True)
        for name, each in measures.items()
    }
    defined = [name for name in names if why[name] is None]
    known = dict(zip(defined, of_view(a, [measures[name] for name in defined], view), strict=True))
    return {
        name: of_bins(measures[name], view.table, known[name])
        if name in known
        else Estimate.undefined(f"{_of(name, label)}{why[name]}")
        for name in names
    }
