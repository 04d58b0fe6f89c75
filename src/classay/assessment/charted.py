"""What every assessment of one label a case shows as a curve, a picture or a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from classay.assessment.parts import PartsOfAssessment
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.kinds import checked
from classay.measures.registry import Measure
from classay.wings import way

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
        """Return the chart of any registered curve.

        Parameters
        ----------
        name : str
            Name of the curve, such as `binned_calibration` or `smooth_calibration`.

        Returns
        -------
        Chart
            The curve, with its picture and points.

        Raises
        ------
        InputError
            If no curve has this name.
            If these cases do not have the curve.
        """
        if name == "top_label_calibration":
            return self.top_label_calibration
        chart: Chart = self._chart(name)
        return chart

    @property
    def roc(self) -> Any:
        """ROC curve, the true against the false positive rate.

        It is a `RocChart` with `tpr_at`, `fpr_at`, `threshold_for`, `hull` and bands. For labels without
        scores it is a `RocSpace` with one point. `roc_space` draws several classifiers.
        """
        if self.scores is None and self.is_binary:
            from classay.assessment.roc_space import roc_space

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
        """Precision against recall, as gains over the baseline."""
        chart: Chart = self._chart("precision_recall_gain")
        return chart

    @property
    def det(self) -> Chart:
        """False negative against false positive rate, on normal axes."""
        chart: Chart = self._chart("det")
        return chart

    @property
    def gain(self) -> TopChart:
        """Share of positives among the highest-scored cases, with `precision_at_k`."""
        chart: TopChart = self._chart("cumulative_gain")
        return chart

    @property
    def lift(self) -> TopChart:
        """Ratio of positives among the highest-scored cases to those of a random list."""
        chart: TopChart = self._chart("lift")
        return chart

    @property
    def ks(self) -> Chart:
        """Share of each class at or above each threshold, and their largest distance."""
        chart: Chart = self._chart("ks")
        return chart

    @property
    def cost(self) -> Chart:
        """Expected cost of the best threshold, by the costs of errors."""
        chart: Chart = self._chart("cost")
        return chart

    @property
    def brier_curve(self) -> Chart:
        """Expected cost of probabilities taken as they are, by the costs of errors."""
        chart: Chart = self._chart("brier")
        return chart

    @property
    def net_benefit(self) -> Chart:
        """Decision curve, the net benefit by threshold probability."""
        chart: Chart = self._chart("net_benefit")
        return chart

    @property
    def calibration(self) -> CalibrationChart:
        """Share of positives by predicted probability, with limits."""
        chart: CalibrationChart = self._chart("calibration")
        return chart

    @property
    def top_label_calibration(self) -> TopLabelChart:
        """Share of correct predictions by highest probability, of several classes."""
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
        """Histogram of the scores of each class."""
        chart: Chart = self._chart("histogram")
        return chart

    @property
    def risk_coverage(self) -> Any:
        """Error rate on the cases decided, by their share."""
        return way("curve.risk_coverage")(self) if len(self.labels) > 2 else self._chart("risk_coverage")

    @checked
    def over_threshold(self, measure: str | Measure) -> ThresholdChart:
        """Return a threshold measure over all thresholds.

        `.plot()` draws it, and `.band()` adds its limits.

        Parameters
        ----------
        measure : str or Measure
            A threshold measure, such as `f1` or `net_benefit(0.1)`.

        Returns
        -------
        ThresholdChart
            The measure at each threshold.

        Raises
        ------
        InputError
            If the measure is no threshold measure.
            If there are several classes, or no scores.
        """
        from classay.assessment.charts import over_threshold

        return over_threshold(self.scored_cases, measure)

    @checked
    def thresholds(self, *measures: str | Measure) -> Any:
        """Return the counts and measures at every threshold, as a PyArrow table.

        Each distinct score has one row. The first row has an infinite threshold, at which no case is
        predicted positive. Undefined values are missing.

        Parameters
        ----------
        *measures : str or Measure
            Threshold measures, one column each.

        Returns
        -------
        pyarrow.Table
            One row for each threshold.

        Raises
        ------
        InputError
            If `over_threshold` raises it.

        Examples
        --------
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
        """Find the threshold for a false or a true positive rate.

        Parameters
        ----------
        fpr : float, optional
            Largest acceptable false positive rate.
        tpr : float, optional
            Smallest acceptable true positive rate.

        Returns
        -------
        Estimate
            The threshold with its interval.
        """
        roc: RocChart = self._chart("roc")
        return roc.threshold_for(fpr=fpr, tpr=tpr)

    @checked
    def gain_table(self, parts: int = 10, *, amount: str | None = None) -> GainTable:
        """Return precision, recall, lift and captured amount of the highest scores.

        Parameters
        ----------
        parts : int, default 10
            Number of parts of equal size. Ties at an edge are in any order.
        amount : str, optional
            Name of the amount to sum.

        Returns
        -------
        GainTable
            One row for each part.

        Raises
        ------
        InputError
            If a part would hold less than one case.
            If `amount` is unknown.
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
        """Scored cases that curves are made of and resampled from.

        Raises
        ------
        InputError
            If there are several classes, or no scores.
        """
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
