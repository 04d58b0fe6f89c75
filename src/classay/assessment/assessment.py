"""Assessment: everything about one classifier on one test set, from its tables alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.answers import describe_omissions
from classay.assessment import views
from classay.assessment.charted import Charted
from classay.assessment.deciding import Deciding
from classay.assessment.parts import Estimation, InputSummary, Sampling
from classay.assessment.task import OtherTask, Task, measures_of_order, rest_of
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
from classay.renamed import former
from classay.shown import ShownMapping, frame_of, methods
from classay.tables import ConfusionMatrix
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.assessment.further_tests import ChiSquaredTest
    from classay.assessment.perspectives import ChanceTest, PrevalenceAdjusted

MOST_OFFERED = 20
"""Classes up to which a notebook offers the measures of each."""


@dataclass(frozen=True, eq=False)
class Assessment(Charted, Deciding, ShownMapping[str, Estimate]):
    """Results of one classifier on one test set.

    `a["roc_auc"]` is an `Estimate`, and `a` is a mapping of the names of its measures, in the order of
    reports, to estimates (`list(a)`, `dict(a)`, `a.items()`). Everything is computed from the tables on
    request.

    Attributes
    ----------
    task : Task
        The tables, of two classes (`TwoClasses`), of several classes (`Classes`), or of tags (`Multilabel`,
        see `MultilabelAssessment`).
    received : InputSummary
        What happened to the rows.
    sampling : Sampling
        How the rows were drawn.
    estimation : Estimation
        Level, seed and method of the intervals.

    Notes
    -----
    The attributes of these four parts are attributes of the assessment too: `a.labels`,
    `a.confusion_matrix`, `a.rows`, `a.level`. `name in a` also accepts aliases, `f_beta(2)` and
    `recall[cat]`. It is False if the measure cannot be computed. `a.measures` has all estimates as a frame,
    `a1 + a2` is the assessment of both test sets together, and `a.threshold(…)` finds a better threshold
    than `a.cutoff`.
    """

    task: Task
    received: InputSummary = field(default_factory=InputSummary)
    sampling: Sampling = field(default_factory=Sampling)
    estimation: Estimation = field(default_factory=Estimation)
    asked = former("Assessment.asked", "estimation")

    @property
    def clusters(self) -> tuple[Hashable, ...] | None:
        """Clusters of the rows, or None for independent rows."""
        return None if self.coded is None else self.coded.clusters

    @property
    def amounts(self) -> tuple[str, ...]:
        """Names of the amounts that rows carry, such as that of a payment."""
        tables = (self.scores, self.confusion_matrix)
        return next(
            (table.amounts.names for table in tables if table is not None and table.amounts is not None), ()
        )

    @property
    def n(self) -> int:
        """Number of cases, the rows or the sum of their frequencies."""
        if self.kind_of_weight == "sampling":
            return self.rows
        return int(self.class_totals.sum())

    @property
    def weight_of_cases(self) -> float:
        """Number of cases, or their weight."""
        return float(self.class_totals.sum())

    def table(self, measure: Measure) -> Any:
        """Return the table of a measure, or the reason (a text) why it is missing."""
        if measure.plain is not None:
            one = views.one_class(self, measure)
            return one if isinstance(one, str) else one.table(measure.plain)
        called = views.called(self, measure)
        return called if isinstance(called, str) else called.task.table(measure)

    @checked
    def estimate(self, name: str | Measure, *, method: str | None = None) -> Estimate:
        """Estimate a measure with its interval.

        Parameters
        ----------
        name : str or Measure
            A measure, or its name or alias.
        method : str, optional
            Method of the interval, in any case: bootstrap, for proportions Wilson, Clopper-Pearson, mid-P,
            Jeffreys, Agresti-Coull, Wald and its corrected form, and those that `classay measures NAME`
            prints. Fewer methods serve weighted or clustered cases. The default is that of the measure.

        Returns
        -------
        Estimate
            The value with its interval.

        Raises
        ------
        InputError
            If the method does not exist or does not apply. The text lists the methods that do.
        UnknownMeasureError
            If there is no such measure.
            If the measure is of a single class and there are several.
        """
        return views.of_table(self, [get(name)], method)[0]

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting, the gravest first.

        Each has a code, a text, and what it concerns.

        Examples
        --------
        >>> from classay import assess
        >>> [code for code, text in assess([0, 1] * 20, [0.5] * 40).warnings][:2]
        ['tiny_class', 'constant_scores']
        """
        from classay.assessment.assessment_warnings import warnings

        return warnings(self)

    @property
    def drawn(self) -> Drawn:
        """Sampling of the cases, equally weighted, weighted or in clusters."""
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
        """Return what a notebook offers after `a["`: the measures, and of several classes those of each of them."""
        names = [measure.name for measure in self.applicable()]
        if self.is_binary or len(self.labels) > MOST_OFFERED:
            return names
        of_one = ("recall", "precision", "f1", *(("roc_auc",) if self.comparable_scores is not None else ()))
        return names + [get(name)[label].name for label in self.labels for name in of_one]

    def applicable(self) -> list[Measure]:
        """List the measures that the tables allow, in the order of the registry.

        Of three or more classes in a given order, the ordinal measures come last.
        """
        return [*(each for each in MEASURES.values() if self.task.gives(each)), *measures_of_order(self.task)]

    @checked
    def estimates(self, names: Iterable[str | Measure] | None = None) -> dict[str, Estimate]:
        """Return the named measures, or all, as estimates by canonical name."""
        wanted = self.applicable() if names is None else [get(name) for name in names]
        estimates = views.of_measures(self, wanted)
        return {measure.name: estimate for measure, estimate in zip(wanted, estimates, strict=True)}

    @property
    def measures(self) -> Any:
        """PyArrow table of all applicable measures.

        Columns: measure, value, low, high, level, method, reason. `.to_pandas()`, `polars.from_arrow(...)`
        or narwhals convert it.
        """
        return frame_of([{"measure": name} | estimate.row for name, estimate in self.estimates().items()])

    def against_chance(self) -> tuple[ChanceTest, ...]:
        """Test the classifier against chance, by the classical tests.

        The tests are Mann and Whitney's U for the AUC, and accuracy against the largest class.

        Returns
        -------
        tuple of ChanceTest
            Each has its statistic, its value under chance, p-value and method, or the reason for no test,
            as with weights and clusters.

        Notes
        -----
        A classifier can be better than chance and still useless. The intervals of its measures show how
        well it performs.

        Examples
        --------
        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> [(test.name, test.statistic, round(test.p_value, 3)) for test in a.against_chance()]
        [('mann_whitney', 12.0, 0.343), ('no_information_rate', 0.75, 0.145)]
        """
        from classay.assessment.perspectives import against_chance

        return against_chance(self)

    def tests(self) -> tuple[ChiSquaredTest, ...]:
        """Run the chi-squared tests of symmetry, equal margins and calibration.

        Returns
        -------
        tuple of ChiSquaredTest
            Each has its p-value, or the reason for no test. Weighted and clustered cases have none.

        Notes
        -----
        `bowker` tests whether each pair of classes is confused equally often in both directions.
        `stuart_maxwell` tests whether every class is predicted as often as it is true. `cox_recalibration`
        tests jointly whether the calibration intercept is 0 and the slope 1, by their likelihood ratio. To
        test the labels of two models, pass those of one as true labels.

        Examples
        --------
        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> [(test.name, round(test.statistic, 3), test.degrees, round(test.p_value, 3)) for test in a.tests()]
        [('bowker', 0.0, 1, 1.0), ('stuart_maxwell', 0.0, 1, 1.0), ('cox_recalibration', 0.082, 2, 0.96)]
        """
        from classay.assessment.further_tests import further_tests

        return further_tests(self)

    def class_estimates(self) -> dict[Hashable, dict[str, Estimate]]:
        """Return the measures of each class against all others.

        They are those of `PER_CLASS`, and with scores the AUC.
        """
        from classay.assessment.perspectives import class_estimates

        return {label: dict(estimates) for label, estimates in class_estimates(self).items()}

    @property
    def per_class(self) -> Any:
        """PyArrow table of the measures of each class against all others.

        Columns: label, measure, value, low, high, level, method, reason.
        """
        return frame_of(
            [
                {"label": str(label), "measure": name} | estimate.row
                for label, estimates in self.class_estimates().items()
                for name, estimate in estimates.items()
            ]
        )

    @property
    def why_improper(self) -> str:
        """Reason why the scores cannot be read as probabilities."""
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
        """Return the same classifier at another threshold.

        A case is positive if `score >= threshold`. Equal scores reach a chosen threshold. At the default
        threshold of two columns, the first class wins a tie.

        Raises
        ------
        InputError
            If there are no scores.
            If there are more than two classes.
        """
        return replace(self, task=self.task.at(threshold))

    @property
    def block_matrix(self) -> ConfusionMatrix | None:
        """Confusion matrix of each block of cases, or None if it is not kept."""
        if self.blocks is None or self.cutoff is None or self.scores is None:
            return None if self.blocks is None else self.blocks.matrix
        return self.blocks.matrix_at(self.scores, self.cutoff)

    @checked
    def at_prevalence(self, prevalence: float) -> PrevalenceAdjusted:
        """Return the same classifier at another prevalence (label shift).

        `a.at_prevalence(0.01)["precision"]` is an `Estimate`, and `.measures` a frame.

        Parameters
        ----------
        prevalence : float
            Share of positive cases, between 0 and 1.

        Returns
        -------
        PrevalenceAdjusted
            The measures at this prevalence.

        Raises
        ------
        InputError
            If there are more than two classes.
            If `prevalence` is outside (0, 1).
        """
        from classay.assessment.perspectives import PrevalenceAdjusted

        return PrevalenceAdjusted(self, prevalence)

    @checked
    def one_vs_rest(self, label: Hashable) -> Assessment:
        """Return one class against all others, as an assessment of two classes."""
        label = match_label(label, self.labels)
        task = self.task.one_vs_rest(label)
        if task is self.task:
            return self
        coded = None if self.coded is None else views.coded_one_vs_rest(self, label, rest_of(label))
        of_class = replace(self, task=task, sampling=replace(self.sampling, coded=coded, blocks=None))
        return of_class.changed(unlabeled=None)  # counted by the labels and scores of all classes

    @checked
    def at_least(self, label: Hashable) -> Assessment:
        """Return a class and all above it against those below, as two classes.

        The result has every measure and curve of two classes. Its scores are the probabilities that a case
        is in this class or a higher one, summed over the classes. By name it is `a["roc_auc[>=mid]"]`.

        Parameters
        ----------
        label : label
            The lowest class of the upper part.

        Returns
        -------
        Assessment
            The assessment of two classes.

        Raises
        ------
        InputError
            If the classes have no order, or `label` is the lowest class.
            If cases without a prediction count as incorrect.

        Examples
        --------
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
        """Write how the classifier was assessed, for the methods section of a paper.

        Parameters
        ----------
        measures : iterable of str or Measure, optional
            Measures to describe. By default, the measures that `print` shows.

        Returns
        -------
        str
            A paragraph with references.

        Examples
        --------
        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> print(a.methods_text(["recall"]).split(". ")[1])
        The data are 8 cases (0: 4, 1: 4)
        """
        return methods(self, None if measures is None else [get(name).name for name in measures])

    @checked
    def frame(self, *names: str | Measure) -> Any:
        """Return the numbers of the report, or the named measures, as a PyArrow table.

        `measures` has all of them.

        Examples
        --------
        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> a.frame("recall")["value"].to_pylist()
        [0.75]
        """
        if not names:
            return super().frame()
        return frame_of(
            [{"measure": name} | estimate.row for name, estimate in self.estimates(names).items()]
        )

    @checked
    def plot(self, ax: Any = None) -> Any:
        """Draw the ROC curve with its AUC, or the first intervals if there is none.

        The picture needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.

        Returns
        -------
        matplotlib axes
            The axes with the picture.
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
        """Write the tables to a `.classay` file, which `classay.load` reads.

        The file is a zip of JSON and plain arrays. A missing ending is added: `a.save("jan")` writes
        jan.classay.
        """
        from classay.assessment.saving import save

        save(self, saved_path(path))

    def __repr__(self) -> str:
        what = f"positive={self.positive!r}" if self.is_binary else f"{len(self.labels)} classes"
        return f"Assessment({self.n:,} cases, {what}; print it, or see .measures)"
