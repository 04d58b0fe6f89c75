"""Comparisons: those of several models in several measures, a family whose p-values were adjusted together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from classay.columns.frames import frame_of
from classay.comparison.comparison import TEST_CASES, Comparison
from classay.comparison.gate import gate
from classay.comparison.wording import finding, more_cases
from classay.errors import InputError
from classay.shown import Shown, plot

if TYPE_CHECKING:
    from classay.assessment.charts import Width
    from classay.comparison.cases.panel.roc_curves import RocCurves
    from classay.comparison.datasets.critical_difference import CriticalDifference
    from classay.curves.curve import Curve

LEFT_OUT, UNMATCHED = "left out", "unmatched"
"""The facts that count the rows which were given and not compared."""
NO_ANSWERS = "no answer"
"""The fact that counts the cases which a model did not answer and which count as wrong."""


@dataclass(frozen=True)
class Comparisons(Shown, Sequence[Comparison]):
    """Comparisons in the order of the measures, within each of the pairs of models.

    `models` are the names, `facts` what was compared, as names and texts; `level` is that of the intervals. Of three
    models or more, `overall` tests whether all are alike, where there is such a test: AUC, accuracy, and over data
    sets, where `diagram` shows the mean ranks. `curves` are the ROC curves of all models, where scores are compared;
    `roc` draws them.

    >>> import classay as ca
    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> found = ca.compare({"a": [9, 8, 7, 6, 4, 3, 2, 1], "b": [9, 3, 7, 4, 8, 6, 2, 1]}, y)
    >>> len(found), found.measures, found["roc_auc"].p.__round__(2)
    (2, ('roc_auc', 'average_precision'), 0.25)
    """

    each: tuple[Comparison, ...]
    models: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    level: float = 0.95
    seed: int = 0
    overall: tuple[Comparison, ...] = ()
    diagram: CriticalDifference | None = None
    curves: tuple[Curve, ...] = field(default=(), compare=False, repr=False)

    @overload
    def __getitem__(self, key: int | str | tuple[str, str, str]) -> Comparison: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Comparison, ...]: ...

    def __getitem__(self, key: Any) -> Any:
        """By position; by measure, of two models; by measure and the names of two models in their order."""
        if isinstance(key, slice) or hasattr(key, "__index__"):
            return self.each[key]
        measure, *pair = (key,) if isinstance(key, str) else key
        found = [
            one for one in self.each if one.measure == measure and (not pair or list(one.models) == pair)
        ]
        if len(found) != 1:
            raise KeyError(
                f"{len(found)} comparisons are of {key!r}: give the measure and two models, of "
                f"{', '.join(self.measures)} and {', '.join(self.models)}."
            )
        return found[0]

    def _ipython_key_completions_(self) -> list[Any]:
        """What a notebook offers after `c[`: the measures, and of several models each pair with its measure."""
        if len({one.models for one in self.each}) == 1:
            return [*self.measures]
        return [(one.measure, *one.models) for one in self.each]

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.each)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were compared."""
        return tuple(dict.fromkeys(one.measure for one in self.each))

    @property
    def left_out(self) -> dict[str, str]:
        """Which rows were given and not compared, or not answered: the facts that say so, by their names."""
        return {name: text for name, text in self.facts if name in (LEFT_OUT, UNMATCHED, NO_ANSWERS)}

    @property
    def random(self) -> str:
        """What varies: test cases, training sets, or data sets."""
        return self.each[0].random if self.each else TEST_CASES

    @property
    def roc(self) -> RocCurves:
        """The ROC curves of all models with their AUCs, to draw in one picture: `c.roc.plot()`.

        Raises InputError where there are none: of labels, of several classes, or of very many rows or models.
        """
        from classay.comparison.cases.panel.roc_curves import RocCurves

        if not self.curves:
            raise InputError(
                "there are no ROC curves: they are of two to eight models with scores of two classes, compared on one "
                "test set of rows."
            )
        return RocCurves({curve.series: curve for curve in self.curves}, self.values("roc_auc"))

    def plot(self, ax: Any = None, *, width: Width = "screen") -> Any:
        """Draw the differences with their intervals with matplotlib (the extra `plot`); returns the axes.

        On new axes or on those given. New axes are as wide as a screen likes, or "one column" (89 mm) or "two columns"
        (183 mm) of a paper. `roc.plot()` draws the ROC curves of the models.
        """
        return plot(self, ax, width=width)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each comparison found, in plain words."""
        return tuple(one.sentence for one in self.each)

    def values(self, measure: str) -> dict[str, float]:
        """The value of each model in a measure; models that do not have it are left out."""
        found: dict[str, float] = {}
        for one in self.each:
            if one.measure == measure:
                found.update(zip(one.models, one.values, strict=False))
        return {name: found[name] for name in self.models if name in found}

    def frame(self) -> Any:
        """One row a comparison, as a PyArrow table: .to_pandas(), polars.from_arrow(…)."""
        return frame_of([row_of(one) for one in self.each])

    def p_matrix(self, measure: str) -> Any:
        """The p-values of one measure as a square PyArrow table: a row and a column for each model.

        Adjusted ones where there are any; 1 in the diagonal, and null where two models were not compared. Of one-sided
        tests the row is the first model, and the other way round is null: that side was not asked.
        """
        known: dict[tuple[str, str], float] = {}
        for one in self.each:
            if one.measure == measure and len(one.models) == 2:
                p = one.p if one.p_adjusted is None else one.p_adjusted
                first, second = one.models
                known[first, second] = p
                if one.alternative == "two-sided":
                    known[second, first] = p
        rows = [{b: 1.0 if a == b else known.get((a, b)) for b in self.models} for a in self.models]
        return frame_of([{"model": a} | row for a, row in zip(self.models, rows, strict=True)])


def row_of(one: Comparison) -> dict[str, Any]:
    """A comparison as plain values."""
    effect = one.effect
    return {
        "measure": one.measure,
        "first": one.models[0],
        "second": one.models[1] if len(one.models) == 2 else None,
        "value_first": one.values[0] if one.values else None,
        "value_second": one.values[1] if len(one.values) > 1 else None,
        "difference": None if effect is None else effect.value,
        "low": None if effect is None else effect.low,
        "high": None if effect is None else effect.high,
        "level": None if effect is None else effect.level,
        "interval": None if effect is None else effect.method,
        "error_of_low": None if one.noise is None else one.noise[0],
        "error_of_high": None if one.noise is None else one.noise[1],
        "alternative": one.alternative,
        "p": one.p,
        "p_adjusted": one.p_adjusted,
        "adjustment": one.adjustment,
        "test": one.method,
        "statistic": one.statistic,
        "df": one.df,
        "n": one.n,
        "units": one.units,
        "needed": one.needed,
        "reason": one.reason,
        "reference": one.reference,
        "sentence": one.sentence,
        "more_cases": more_cases(one) or None,
        "random": one.random,
        "finding": finding(one),
        "rule": one.rule,
        "margin": one.margin,
        "verdict": None if one.rule is None else gate(one, one.rule, one.margin).verdict.value,
        "rope": None if one.odds is None else one.odds.rope,
        "p_above": None if one.odds is None else one.odds.first,
        "p_within": None if one.odds is None else one.odds.equal,
        "p_below": None if one.odds is None else one.odds.second,
        "unanswered_first": None if one.omissions is None else one.omissions.omitted[0],
        "unanswered_second": None if one.omissions is None else one.omissions.omitted[1],
        "omissions": None if one.omissions is None else one.omissions.sentence,
    }
