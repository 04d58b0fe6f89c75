"""Assessment: everything about one classifier on one test set, from its tables alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from classay.answers import describe_omissions
from classay.assessment import views
from classay.assessment.charted import Charted
from classay.assessment.task import (
    Estimation,
    InputSummary,
    OtherTask,
    Sampling,
    Task,
    measures_of_order,
    rest_of,
)
from classay.columns import match_label
from classay.columns.labels import place_of_cut
from classay.columns.numbers import counted
from classay.columns.scales import ends_in_words
from classay.errors import InputError, MergeError
from classay.files.writing import saved_path
from classay.inference.estimate import Estimate
from classay.inference.methods import Drawn
from classay.kinds import checked, shown
from classay.measures import MEASURES, get
from classay.measures.registry import Measure
from classay.shown import ShownMapping, frame_of
from classay.tables import ConfusionMatrix
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.assessment.class_views import ClassThresholds, ConfusionTree
    from classay.assessment.further_tests import ChiSquaredTest
    from classay.assessment.perspectives import ChanceTest, PrevalenceAdjusted
    from classay.curves.curve import Curve
    from classay.decision.costs import Costs
    from classay.decision.decision import Decision
    from classay.decision.expected_cost import ExpectedCost


class Deciding:
    """What gives an assessment its decisions. Each raises InputError if there are no scores, or no labels."""

    @checked
    def threshold(
        self,
        *,
        cost: Costs | Mapping[str, Any] | None = None,
        where: str | None = None,
        maximize: str | Measure | None = None,
        minimize: str | Measure | None = None,
        top: float | None = None,
        per: Any = None,
        prevalence: float | None = None,
        held_back: Assessment | None = None,
    ) -> Decision:
        """The best threshold by a rule, exact over every distinct score, with what it does and how sure that is.

        The objective is the least expected `cost`, or a measure of counts to `maximize` or `minimize` ("youden",
        "f_beta(2)", "net_benefit(0.1)", "corner_distance", "rate_gap" for the equal error rate); `where` are conditions
        in the grammar of requirements, "precision >= 0.9 and fpr <= 0.01"; `top` is how many cases may be called
        positive, in all, or on average in each period of `per`: the number of periods that the cases came in, or a
        column that says the period of each. At another `prevalence` the scores of each class stay. What to expect on
        new cases is corrected for optimism, or found on the cases `held_back`. Raises InputError where no threshold
        meets the conditions.

        >>> from classay import Costs, assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> a.threshold(cost=Costs(fp=1, fn=5)).threshold.value
        0.2
        >>> a.threshold(where="precision >= 0.7", maximize="recall").threshold.value
        0.6
        """
        from classay.assessment.perspectives import threshold
        from classay.decision.rules import Rule, periods_in

        rule = Rule.of(cost, where, maximize, minimize, top, periods_in(per, top))
        return threshold(cast("Assessment", self), rule, prevalence=prevalence, held_back=held_back)

    def class_thresholds(self, **rule: Any) -> ClassThresholds:
        """The threshold of each class against the rest, by one rule; the arguments are those of `threshold`.

        Raises InputError for two classes, without scores of several, and where no class has a threshold.

        >>> from classay import assess
        >>> a = assess(["a", "b", "c"] * 20, [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]] * 20)
        >>> {label: decision.threshold.value for label, decision in a.class_thresholds(maximize="f1").decisions.items()}
        {'a': 0.6, 'b': 0.7, 'c': 0.4}
        """
        from classay.assessment.class_views import class_thresholds
        from classay.assessment.verdict import column_warnings

        a = cast("Assessment", self)
        return replace(class_thresholds(a, **rule), warnings=column_warnings(a))

    def class_curves(self, name: Literal["roc", "precision_recall"] = "roc") -> tuple[Curve, ...]:
        """The curve of each class against the rest in one picture, worst first; of more than 12 the others in grey.

        `ca.plot(a.class_curves())` draws them. Raises InputError without the scores of several classes.
        """
        from classay.assessment.class_views import class_curves

        return class_curves(cast("Assessment", self), name)

    def confusion_tree(self) -> ConfusionTree:
        """How classes join, the most confused first; InputError below three classes."""
        from classay.assessment.class_views import confusion_tree

        a = cast("Assessment", self)
        matrix = a.confusion_matrix
        if matrix is None:
            raise InputError("Confusions need predicted labels, but there are none.")
        return replace(confusion_tree(matrix), model=a.model)

    @checked
    def expected_cost(
        self, cost: Costs | Mapping[str, Any], *, prevalence: float | None = None
    ) -> ExpectedCost:
        """What the labels cost: a case, in all, normalised, and less than calling nobody or everybody positive.

        Raises InputError without labels, or for amounts that the rows were not assessed with.

        >>> from classay import Costs, assess
        >>> a = assess([1] * 10 + [0] * 90, y_pred=[1] * 6 + [0] * 4 + [1] + [0] * 89)
        >>> a.expected_cost(Costs(fp=1, fn=5)).normalised
        Estimate(0.150 [0.059, 0.291] 95%, Jeffreys posterior, 2,000 draws)
        """
        from classay.assessment.perspectives import cost_of
        from classay.decision.costs import Costs

        return cost_of(cast("Assessment", self), Costs.of(cost), prevalence)


MOST_OFFERED = 20
"""Classes up to which a notebook offers the measures of each."""


@dataclass(frozen=True, eq=False)
class Assessment(Charted, Deciding, ShownMapping[str, Estimate]):
    """What is known of one classifier on one test set: tables, and how to read them.

    `a["roc_auc"]` is an `Estimate`, and `a` a mapping of its measures' names, in the order of reports, to estimates:
    `list(a)`, `dict(a)`, `a.items()`. `in` also takes aliases, `f_beta(2)` and `recall[cat]`, and is False where the
    measure is undefined because its table is missing. `a.measures` has all estimates as a frame; `a1 + a2` is the
    assessment of both test sets together. `task` holds the tables, of two classes (`TwoClasses`), of several
    (`Classes`), or of several labels a case (`Multilabel`: see `MultilabelAssessment`); `received` says what became
    of the rows, `sampling` how they were drawn, and `asked` with what level, seed and method. All that they hold is
    an attribute here too: `a.labels`, `a.confusion_matrix`, `a.rows`, `a.level`. `a.threshold(…)` finds a better
    threshold than `a.cutoff`.
    Everything is computed from the tables when asked for.
    """

    task: Task
    received: InputSummary = field(default_factory=InputSummary)
    sampling: Sampling = field(default_factory=Sampling)
    asked: Estimation = field(default_factory=Estimation)

    @property
    def clusters(self) -> tuple[Hashable, ...] | None:
        """The clusters that rows belong to, or None where rows are independent."""
        return None if self.coded is None else self.coded.clusters

    @property
    def amounts(self) -> tuple[str, ...]:
        """The names of what rows carry, such as the amount of a payment."""
        tables = (self.scores, self.confusion_matrix)
        return next(
            (table.amounts.names for table in tables if table is not None and table.amounts is not None), ()
        )

    @property
    def n(self) -> int:
        """Number of cases: rows, or the sum of their frequencies."""
        if self.kind_of_weight == "sampling":
            return self.rows
        return int(self.class_totals.sum())

    @property
    def weight_of_cases(self) -> float:
        """How many cases there are, or their weight."""
        return float(self.class_totals.sum())

    def table(self, measure: Measure) -> Any:
        """The table a measure needs, or the reason (a text) why this assessment does not have it."""
        if measure.plain is not None:
            one = views.one_class(self, measure)
            return one if isinstance(one, str) else one.table(measure.plain)
        called = views.called(self, measure)
        return called if isinstance(called, str) else called.task.table(measure)

    @checked
    def estimate(self, name: str | Measure, *, method: str | None = None) -> Estimate:
        """A measure, or one by name or alias, with its default interval or that of a named method.

        Methods are bootstrap, for proportions Wilson, Clopper-Pearson, mid-P, Jeffreys, Agresti-Coull, Wald and its
        corrected form, and those that `classay measures NAME` prints, in any case. Fewer serve weighted or clustered
        cases.
        Raises InputError, which lists them, when a method does not exist or apply, UnknownMeasureError when there is
        no such measure, or it is one of a single class and there are several.
        """
        return views.of_measure(self, get(name), method)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """What a reader must know before acting on the numbers, the gravest first: codes, texts, what they concern.

        >>> from classay import assess
        >>> [code for code, text in assess([0, 1] * 20, [0.5] * 40).warnings][:2]
        ['tiny_class', 'constant_scores']
        """
        from classay.assessment.verdict import warnings

        return warnings(self)

    @property
    def drawn(self) -> Drawn:
        """How the cases were drawn: alike, with sampling weights, or in clusters."""
        if self.coded is not None:
            return "clustered"
        return "weighted" if self.kind_of_weight == "sampling" else "alike"

    def __getitem__(self, name: str | Measure) -> Estimate:
        return replace(self.estimate(name), measure=get(name).name)

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.applicable())

    def __len__(self) -> int:
        return len(self.applicable())

    def _refuse_missing(self, key: Any) -> None:
        measure = get(key)
        is_listed = measure.plain is None and self.task.gives(measure)
        reason = "" if is_listed else self.table(views.adapted_to_task(self, measure))
        if reason and isinstance(reason, str):
            raise InputError(reason)

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after `a["`: the measures, and of several classes those of each of them."""
        names = [measure.name for measure in self.applicable()]
        if self.is_binary or len(self.labels) > MOST_OFFERED:
            return names
        of_one = ("recall", "precision", "f1", *(("roc_auc",) if self.comparable_scores is not None else ()))
        return names + [get(name)[label].name for label in self.labels for name in of_one]

    def applicable(self) -> list[Measure]:
        """The measures that this assessment's tables can give, in the order of the registry.

        Of three classes or more whose order somebody gave, the ordinal ones of `measures/ordinal.py` come last.
        """
        return [*(each for each in MEASURES.values() if self.task.gives(each)), *measures_of_order(self.task)]

    @checked
    def estimates(self, names: Iterable[str | Measure] | None = None) -> dict[str, Estimate]:
        """Estimates by canonical name: of the named measures, or of all applicable ones."""
        wanted = self.applicable() if names is None else [get(name) for name in names]
        estimates = views.of_measures(self, wanted)
        return {measure.name: estimate for measure, estimate in zip(wanted, estimates, strict=True)}

    @property
    def measures(self) -> Any:
        """All applicable measures as a PyArrow table: measure, value, low, high, level, method, reason.

        `.to_pandas()`, `polars.from_arrow(...)` or narwhals take it from there.
        """
        return _frame([{"measure": name} | estimate.row for name, estimate in self.estimates().items()])

    def against_chance(self) -> tuple[ChanceTest, ...]:
        """The classical tests against chance: Mann and Whitney's U for the AUC, accuracy against the largest class.

        Each has its statistic, its value under chance, p-value and method, or the reason why there is none, as with
        weights and clusters. That a classifier is better than chance says little; intervals say how good it is.

        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> [(test.name, test.statistic, round(test.p_value, 3)) for test in a.against_chance()]
        [('mann_whitney', 12.0, 0.343), ('no_information_rate', 0.75, 0.145)]
        """
        from classay.assessment.perspectives import against_chance

        return against_chance(self)

    def tests(self) -> tuple[ChiSquaredTest, ...]:
        """The chi-squared tests of symmetry, of equal margins, and of calibration, each with its p-value or the reason.

        `bowker`: each pair of classes is confused as often one way as the other. `stuart_maxwell`: every class is
        predicted as often as it is true. `cox_recalibration`: calibration intercept 0 and slope 1 together, by their
        likelihood ratio. They are not given of weighted cases and clusters. The labels of two models are tested where
        those of one are passed as truth.

        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> [(test.name, round(test.statistic, 3), test.degrees, round(test.p_value, 3)) for test in a.tests()]
        [('bowker', 0.0, 1, 1.0), ('stuart_maxwell', 0.0, 1, 1.0), ('cox_recalibration', 0.082, 2, 0.96)]
        """
        from classay.assessment.further_tests import further_tests

        return further_tests(self)

    def class_estimates(self) -> dict[Hashable, dict[str, Estimate]]:
        """For each class against the rest, the measures of `PER_CLASS`, and its AUC where it has scores."""
        from classay.assessment.perspectives import class_estimates

        return {label: dict(estimates) for label, estimates in class_estimates(self).items()}

    @property
    def per_class(self) -> Any:
        """The measures of each class against the rest as a PyArrow table: label, measure, value, low, high, …"""
        return _frame(
            [
                {"label": str(label), "measure": name} | estimate.row
                for label, estimates in self.class_estimates().items()
                for name, estimate in estimates.items()
            ]
        )

    @property
    def why_improper(self) -> str:
        """Why the scores cannot be read as probabilities."""
        if self.no_answer is not None:
            omissions = describe_omissions(self.unanswered, self.undeclared)
            return f"predictions are missing in {omissions}"
        if self.raw_scores:
            if self.is_binary:
                return (
                    "the score is a difference of raw class scores (some outside [0, 1]), not a probability"
                )
            return "raw class scores (some outside [0, 1]) are not probabilities"
        if self.cases is not None:
            return f"class scores do not sum to 1 in {counted(self.cases.improper)}"
        assert self.scores is not None
        low, high = ends_in_words(self.scores.scores[[-1, 0]])
        return f"scores range from {low} to {high}, outside [0, 1], so they are not probabilities"

    @checked
    def at(self, threshold: float) -> Assessment:
        """The same classifier at another threshold: positive when score >= threshold.

        A chosen threshold is reached by equal scores, also of two columns whose first class won a tie at the default.
        Raises InputError without scores, or for more than two classes.
        """
        return replace(self, task=self.task.at(threshold))

    @property
    def block_matrix(self) -> ConfusionMatrix | None:
        """The confusion matrix of each block of cases, `[block, predicted, true]`, or None where it is not kept."""
        if self.blocks is None or self.cutoff is None or self.scores is None:
            return None if self.blocks is None else self.blocks.matrix
        return self.blocks.matrix_at(self.scores, self.cutoff)

    @checked
    def at_prevalence(self, prevalence: float) -> PrevalenceAdjusted:
        """The same classifier where a share `prevalence` of the cases is positive (label shift).

        `a.at_prevalence(0.01)["precision"]` is an `Estimate`, `.measures` a frame, as here. Raises InputError for more
        than two classes, or a prevalence outside (0, 1).
        """
        from classay.assessment.perspectives import PrevalenceAdjusted

        return PrevalenceAdjusted(self, prevalence)

    @checked
    def one_vs_rest(self, label: Hashable) -> Assessment:
        """One class against all others, as an assessment of two classes with every measure that they have."""
        label = match_label(label, self.labels)
        task = self.task.one_vs_rest(label)
        if task is self.task:
            return self
        coded = None if self.coded is None else views.coded_one_vs_rest(self, label, rest_of(label))
        of_class = replace(self, task=task, sampling=replace(self.sampling, coded=coded, blocks=None))
        return of_class.changed(unlabeled=None)  # counted by the labels and scores of all classes

    @checked
    def at_least(self, label: Hashable) -> Assessment:
        """A class and all above it in the order of the labels against those below, as an assessment of two classes.

        It has every measure and curve that two classes have: the AUC and the calibration of the probability that a case
        is in this class or a higher one, which is summed over the classes. By name it is `a["roc_auc[>=mid]"]`. Raises
        InputError for classes without an order, for the lowest class, and where cases without an answer count as wrong.

        >>> from classay import assess
        >>> a = assess([0, 1, 2, 2, 1, 0], y_pred=[0, 1, 1, 2, 2, 0])
        >>> a.at_least(1)["recall"].value, a["recall[>=2]"].value
        (1.0, 0.5)
        """
        place = place_of_cut(label, self.labels)
        if len(self.labels) == 2:
            return self.one_vs_rest(self.labels[place])
        task = self.task.at_least(place)  # type: ignore[union-attr]
        coded = None if self.coded is None else views.coded_at_least(self, place, task)
        of_cut = replace(self, task=task, sampling=replace(self.sampling, coded=coded, blocks=None))
        return of_cut.changed(unlabeled=None)  # counted by the labels and scores of all classes

    @checked
    def methods_text(self, measures: Iterable[str | Measure] | None = None) -> str:
        """How the classifier was assessed, as a paragraph for the methods section of a paper, with references.

        Of the named measures, or of the few that most papers report.

        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> print(a.methods_text(["recall"]).partition(".")[0])
        The model was evaluated on 8 test cases (0: 4; 1: 4); 1 is the positive class
        """
        from classay.assessment.flow import methods_text

        return methods_text(self, None if measures is None else [*measures])

    @checked
    def frame(self, *names: str | Measure) -> Any:
        """Every number of the report as a row of a PyArrow table, or the named measures alone; `measures` has all.

        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> a.frame("recall")["value"].to_pylist()
        [0.75]
        """
        if not names:
            return super().frame()
        return _frame([{"measure": name} | estimate.row for name, estimate in self.estimates(names).items()])

    @checked
    def plot(self, ax: Any = None) -> Any:
        """Draw the ROC curve with its AUC, or the first intervals where there is none, with matplotlib.

        On new axes or on those given; returns the axes.
        """
        scores = self.scores if self.is_binary else None
        if scores is None or not (scores.n_positive and scores.n_negative):
            return super().plot(ax)
        return self.roc.plot(ax)

    def __radd__(self, other: object) -> Assessment:
        """The assessment itself where `sum` starts from 0."""
        if type(other) is int and other == 0:
            return self
        raise MergeError(f"{shown(other)} cannot be added to an assessment. Pass two assessments.")

    def __add__(self, other: Assessment) -> Assessment:
        """The assessment of both test sets together; MergeError says what differs when they cannot be added."""
        from classay.assessment.merging import merged

        if not isinstance(other, Assessment):
            raise MergeError(f"{shown(other)} cannot be added to an assessment. Pass two assessments.")
        if isinstance(other.task, OtherTask):
            raise MergeError(
                "An assessment of one label per case and a multilabel assessment cannot be added."
            )
        return merged(self, other)

    @checked
    def save(self, path: str | Path) -> None:
        """Write the tables to a `.classay` file, a zip of JSON and plain arrays that `classay.load` reads.

        The ending is added where it is not written: `a.save("jan")` writes jan.classay.
        """
        from classay.assessment.saving import save

        save(self, saved_path(path))

    def __repr__(self) -> str:
        what = f"positive={self.positive!r}" if self.is_binary else f"{len(self.labels)} classes"
        return f"Assessment({self.n:,} cases, {what}; print it, or see .measures)"


def _frame(rows: list[dict[str, Any]]) -> Any:
    return frame_of(rows)
