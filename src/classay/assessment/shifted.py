"""Shifted: a classifier as it would do at another prevalence, read like an assessment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from classay.assessment import views
from classay.assessment.views import View
from classay.columns.frames import frame_of
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.labels.sampling_units import LabelUnits
from classay.inference.prevalence.labels import at_prevalence, check_prevalence, effective_counts
from classay.inference.prevalence.scores import scores_at_prevalence
from classay.measures import Measure, get
from classay.shown import Shown
from classay.tables import BinaryCounts

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.decision.costs import Costs
    from classay.decision.expected_cost import ExpectedCost


UNMOVED = (
    "roc_auc",
    "gini",
    "kolmogorov_smirnov",
    "partial_roc_auc",
    "standardized_partial_roc_auc",
    "hull_auc",
)
"""Measures of scores that look at each class apart, so that no prevalence moves them."""

GIVEN = ("prevalence", "baseline_accuracy", "brier_uncertainty", "log_loss_uncertainty")
"""What follows from the prevalence alone, and is no estimate there."""

MAIN = (
    "precision",
    "negative_predictive_value",
    "accuracy",
    "baseline_accuracy",
    "f1",
    "matthews_correlation",
    "average_precision",
    "log_loss",
    "brier_score",
)
"""What most readers want to know of another prevalence."""


@dataclass(frozen=True, eq=False)
class Shifted(Shown):
    """An assessment of two classes, read at another prevalence: the scores of each class stay, their shares change.

    `shifted["precision"]` is an `Estimate` whose method names the prevalence; `shifted.measures` all of them, as a
    frame; print it for the main ones. Sensitivity, specificity and the ROC curve stay what they are; predictive
    values, accuracy, F, average precision and losses move. That holds under label shift, not where the cases
    themselves are of another kind. Probabilities are taken as they are:
    `inference.prevalence.labels.shift_probabilities` would adjust them.

    >>> from classay import assess
    >>> a = assess([1] * 10 + [0] * 90, y_pred=[1] * 6 + [0] * 4 + [1] + [0] * 89)
    >>> a.at_prevalence(0.01)["precision"]
    Estimate(0.353 [0.068, 0.803] 95 %, logit (Mercaldo), prevalence 0.01)
    """

    assessment: Assessment
    prevalence: float

    def __post_init__(self) -> None:
        check_prevalence(self.prevalence)
        if self.assessment.positive is None:
            raise InputError(
                "a prevalence is of one class, and there are several: ask at_prevalence of one_vs_rest(label)."
            )

    def applicable(self) -> list[Measure]:
        """The measures that can be read at another prevalence, in the order of the registry."""
        return [measure for measure in self.assessment.applicable() if measure.needs != "matrix"]

    def estimate(self, name: str | Measure) -> Estimate:
        """A measure by name or alias at this prevalence.

        Raises UnknownMeasureError when there is no such measure, InputError for a kappa of ordered classes.
        """
        a, measure = self.assessment, get(name)
        if measure.plain is not None:
            if measure.class_among(a.labels, a.positive) == a.positive:
                return self.estimate(measure.plain)
            raise InputError(
                f"a prevalence is that of {a.positive!r}, and {measure.name} is of another class: ask it of "
                f"assess(…, positive={measure.label!r})."
            )
        called = views.called(a, measure)
        table = called if isinstance(called, str) else called.table(measure)
        if isinstance(table, str):
            return Estimate.undefined(table)
        if measure.name in UNMOVED:
            return self._labelled(a.estimate(measure.name))
        if measure.needs in ("scores", "probabilities"):
            code = a.labels.index(a.positive)
            found = scores_at_prevalence(
                measure, table, self.prevalence, level=a.level, rows=a.coded, code=code
            )
        else:
            assert a.positive is not None
            assert not isinstance(called, str)
            found = self._of_labels(measure, views.of_class(called, a.positive))
        if measure.name in GIVEN and not found.is_undefined:
            return Estimate.bare(found.value, "it follows from the prevalence alone")
        return self._labelled(found)

    def _of_labels(self, measure: Measure, view: View[BinaryCounts]) -> Estimate:
        a, counts = self.assessment, view.table
        if a.coded is None and a.kind_of_weight != "sampling":
            return at_prevalence(measure, counts, self.prevalence, level=a.level, seed=a.seed)
        if a.coded is not None and len(a.coded.clusters) < 2:
            value = at_prevalence(measure, counts, self.prevalence).value
            return Estimate.bare(value, "one cluster shows no spread")
        units = LabelUnits(a.seed, view.squares, a.coded, view.cells)
        alike = at_prevalence(measure, counts, self.prevalence, level=a.level, seed=a.seed)
        counts = effective_counts(counts, lambda rate: units.spread(rate, view.table), a.level)
        found = at_prevalence(measure, counts, self.prevalence, level=a.level, seed=a.seed)
        if found.is_undefined and not alike.is_undefined:
            return Estimate.bare(
                alike.value, "the cases of a class lie in one cluster, which shows no spread"
            )
        how = "effective cases" if a.coded is None else "effective cases of clusters"
        return found if found.method is None else replace(found, method=f"{found.method}, {how}")

    def __getitem__(self, name: str | Measure) -> Estimate:
        return self.estimate(name)

    def expected_cost(self, cost: Costs | Mapping[str, Any]) -> ExpectedCost:
        """What the labels cost at this prevalence: `expected_cost` of the assessment, of which see."""
        return self.assessment.expected_cost(cost, prevalence=self.prevalence)

    def estimates(self, names: Iterable[str | Measure] | None = None) -> dict[str, Estimate]:
        """Estimates by canonical name: of the named measures, or of all applicable ones."""
        wanted = self.applicable() if names is None else map(get, names)
        return {measure.name: self.estimate(measure.name) for measure in wanted}

    @property
    def main_measures(self) -> tuple[str, ...]:
        """The measures that prevalence moves and most readers want, of those that there are."""
        known = {measure.name for measure in self.applicable()}
        return tuple(name for name in MAIN if name in known)

    @property
    def measures(self) -> Any:
        """All applicable measures as a PyArrow table: measure, value, low, high, level, method, reason."""
        return frame_of([{"measure": name} | found.row for name, found in self.estimates().items()])

    @property
    def observed(self) -> float:
        """The prevalence among the cases of the assessment."""
        a = self.assessment
        return float(a.class_totals[a.labels.index(a.positive)] / a.class_totals.sum())

    def __repr__(self) -> str:
        return f"Shifted({self.assessment!r} at prevalence {self.prevalence:g})"

    def _labelled(self, found: Estimate) -> Estimate:
        if found.method is None:
            return found
        return replace(found, method=f"{found.method}, prevalence {self.prevalence:g}")
