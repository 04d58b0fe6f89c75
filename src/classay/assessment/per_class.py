"""The measures of each class against the rest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from classay.assessment import views
from classay.assessment.estimating import of_view
from classay.assessment.views import View
from classay.inference.estimate import Estimate
from classay.inference.registry import Table
from classay.measures import get
from classay.measures.conditions import first_met
from classay.once import once
from classay.tables import BinaryCounts

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


@once
def class_estimates(a: Assessment) -> dict[Hashable, dict[str, Estimate]]:
    """For each class against the rest, the measures of `PER_CLASS`, and its AUC where it has scores."""
    found: dict[Hashable, dict[str, Estimate]] = {label: {} for label in a.labels}
    if a.confusion_matrix is not None:
        plain = a.coded is None and a.kind_of_weight != "sampling"
        of_class = zip(*a.confusion_matrix.class_counts(), strict=True)  # once for all classes
        for label, counts in zip(a.labels, map(BinaryCounts._make, of_class), strict=True):
            view = View(counts) if plain else views.of_class(a, label)
            found[label] |= _of_class(a, label, PER_CLASS, view)
    if a.class_scores is not None:
        for label in a.labels:
            of_scores = views.of_scores(a, a.class_scores.one_vs_rest(label), label)
            found[label] |= _of_class(a, label, ("roc_auc",), of_scores)
    return found


def _of_class(a: Assessment, label: Hashable, names: Sequence[str], view: View[Table]) -> dict[str, Estimate]:
    measures = {name: get(name) for name in names}
    why = {
        name: first_met(each.undefined, each.read((view.table,)), of_class=True)
        for name, each in measures.items()
    }
    defined = [name for name in names if why[name] is None]
    known = dict(zip(defined, of_view(a, [measures[name] for name in defined], view), strict=True))
    return {
        name: known[name]
        if name in known
        else Estimate.undefined(f"{measures[name].name} of {label!r}: {why[name]}")
        for name in names
    }
