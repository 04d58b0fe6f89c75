"""What every assessment of one label a case shows as a curve, a picture or a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from classay.assessment.task import (
    PartsOfAssessment,
)
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.kinds import checked
from classay.measures.registry import Measure

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.charts import (
        CalibrationChart,
        Chart,
        PrecisionRecallChart,
        RocChart,
        ThresholdChart,
        TopChart,
        TopLabelChart,
    )
    from classay.decision.cuts import GainTable
    from classay.inference.bootstrap.score_samples import ScoredCases


class Charted(PartsOfAssessment):
    """What gives an assessment of two classes with scores its charts. Each raises InputError if it has none."""

    estimate: Callable[..., Estimate]

    def curve(self, name: str) -> Chart:
        """The chart of any curve of the registry by its name, such as `binned_calibration` or `smooth_calibration`.

        Raises InputError for a name that no curve has, or a curve that these cases do not have.
        """
        if name == "top_label_calibration":
            return self.top_label_calibration
        chart: Chart = self._chart(name)
        return chart

    @property
    def roc(self) -> Any:
        """True against false positive rate, a `RocChart` with `tpr_at`, `fpr_at`, `threshold_for`, `hull` and bands.

        For labels without scores it is a `RocSpace` with one point; `roc_space` draws several classifiers.
        """
        if self.scores is None and self.is_binary:
            from classay.assessment.class_views import roc_space

            return roc_space({"model": cast("Assessment", self)})
        chart: RocChart = self._chart("roc")
        return chart

    @property
    def precision_recall(self) -> PrecisionRecallChart:
        """Precision against recall, with `precision_at`."""
        chart: PrecisionRecallChart = self._chart("precision_recall")
        return chart

    @property
    def precision_recall_gain(self) -> Chart:
        """Precision against recall on the scale of gains over the baseline."""
        chart: Chart = self._chart("precision_recall_gain")
        return chart

    @property
    def det(self) -> Chart:
        """False negative against false positive rate, on normal axes."""
        chart: Chart = self._chart("det")
        return chart

    @property
    def gain(self) -> TopChart:
        """The share of positives found in the top of the list, with `precision_at_k` and its kin."""
        chart: TopChart = self._chart("cumulative_gain")
        return chart

    @property
    def lift(self) -> TopChart:
        """How many times more positives the top of the list holds than as many at random."""
        chart: TopChart = self._chart("lift")
        return chart

    @property
    def ks(self) -> Chart:
        """The share of each class at or above each threshold, and where they are furthest apart."""
        chart: Chart = self._chart("ks")
        return chart

    @property
    def cost(self) -> Chart:
        """The expected cost of the best threshold, by the costs of errors."""
        chart: Chart = self._chart("cost")
        return chart

    @property
    def brier_curve(self) -> Chart:
        """The expected cost of probabilities taken at their word, by the costs of errors."""
        chart: Chart = self._chart("brier")
        return chart

    @property
    def net_benefit(self) -> Chart:
        """The decision curve: net benefit by the probability at which one would act."""
        chart: Chart = self._chart("net_benefit")
        return chart

    @property
    def calibration(self) -> CalibrationChart:
        """The share of positives by predicted probability, with limits around it."""
        chart: CalibrationChart = self._chart("calibration")
        return chart

    @property
    def top_label_calibration(self) -> TopLabelChart:
        """Of several classes: how often the class with the highest probability is right, by that probability."""
        from classay.assessment.charts import TopLabelChart
        from classay.inference.bootstrap.score_samples import ScoredCases, ScoredRows

        if self.cases is None:
            raise InputError("The calibration of the top label needs the scores of several classes.")
        if not self.cases.are_probabilities:
            raise InputError("The class scores are not probabilities that sum to 1.")
        rows = None
        if self.coded is not None and self.coded.score is not None:
            score = np.asarray(self.coded.score)
            right = score.argmax(1) == self.coded.true
            rows = ScoredRows(score.max(1), right, self.coded.weight, self.coded.cluster)
        cases = ScoredCases(self.cases.top, rows, self.level, self.seed)
        return TopLabelChart("top_label_calibration", cases)

    @property
    def histogram(self) -> Chart:
        """The scores of each class."""
        chart: Chart = self._chart("histogram")
        return chart

    @property
    def risk_coverage(self) -> Chart:
        """The error rate on the cases decided, by their share."""
        chart: Chart = self._chart("risk_coverage")
        return chart

    @checked
    def over_threshold(self, measure: str | Measure) -> ThresholdChart:
        """A measure of labels, such as `f1` or `net_benefit(0.1)`, over the threshold; see `.plot()` and `.band()`.

        Raises InputError for what is no measure of the labels at one threshold, for several classes, and without
        scores.
        """
        from classay.assessment.charts import over_threshold

        return over_threshold(self.scored_cases, measure)

    @checked
    def thresholds(self, *measures: str | Measure) -> Any:
        """The counts and the named measures at every threshold, a row for each distinct score, as a PyArrow table.

        The first row has an infinite threshold, which calls nothing positive. Undefined values are missing. Raises
        InputError as `over_threshold` does.

        >>> from classay import assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> a.thresholds("f1", "informedness").slice(1, 2).to_pylist()[1]["f1"]
        0.6666666666666666
        """
        import pyarrow as pa

        from classay.decision.rules import threshold_columns

        columns = threshold_columns(self.scored_cases.table, measures)
        return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})

    def threshold_for(self, *, fpr: float | None = None, tpr: float | None = None) -> Estimate:
        """The threshold with a false positive rate of at most `fpr`, or a true positive rate of at least `tpr`."""
        roc: RocChart = self._chart("roc")
        return roc.threshold_for(fpr=fpr, tpr=tpr)

    @checked
    def gain_table(self, parts: int = 10, *, amount: str | None = None) -> GainTable:
        """What the highest scores hold, in so many parts of equal size: precision, recall, lift, and captured amount.

        Ties at an edge are in any order. Raises InputError for parts of less than one case, or an unknown amount.
        """
        from classay.decision.cuts import gain_table

        amounts = None if self.coded is None else self.coded.amounts
        return gain_table(self.scored_cases, parts, amount, amounts)

    def _chart(self, name: str) -> Any:
        from classay.assessment.charts import AREAS, chart

        picture = chart(name, self.scored_cases)
        return replace(picture, area=partial(self.estimate, AREAS[name])) if name in AREAS else picture

    @property
    def scored_cases(self) -> ScoredCases:
        """What curves are made of and resampled from; InputError for several classes, or without scores."""
        from classay.inference.bootstrap.score_samples import ScoredCases, ScoredRows

        if not self.is_binary:
            raise InputError(
                f"Curves and thresholds need one class, but there are {len(self.labels)}. Use "
                f"one_vs_rest({self.labels[0]!r}), or top_label_calibration for the class with the highest "
                "score."
            )
        if self.scores is None:
            raise InputError("Curves need scores, but none were passed.")
        rows = None
        if self.coded is not None and self.coded.score is not None:
            positive = self.coded.true == self.labels.index(self.positive)
            rows = ScoredRows(np.asarray(self.coded.score), positive, self.coded.weight, self.coded.cluster)
        number = self.rows if self.kind_of_weight == "sampling" else None
        return ScoredCases(self.scores, rows, self.level, self.seed, number)
