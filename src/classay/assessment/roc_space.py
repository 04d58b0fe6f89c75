"""Classifiers as points of ROC space: which are ever best, and the cheapest at some costs.

A classifier that gives labels alone is one point; the polygon through it, from (0, 0) to (1, 1), has the area
(recall + specificity) / 2, its balanced accuracy. A line of equal cost has the slope of the cost of a false positive
times the negatives over the cost of a false negative times the positives; the cheapest classifier is the one that the
highest such line meets (Provost & Fawcett 2001, Machine Learning 42:203; Fawcett 2006, Pattern Recognition Letters
27:861).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.assessment_warnings import column_warnings
from classay.assessment.drawn import refuse_designed
from classay.assessment.parts import PartsOfAssessment
from classay.curves import of_scores  # registers the look of its picture
from classay.curves.curve import Curve, Kind, entry
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.kinds import FiniteOrNone, TypedFields, checked
from classay.shown import Reportable, frame_of, plot
from classay.warned import Warned, gathered

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


NEVER, ALWAYS = "never positive", "always positive"
"""The two classifiers that look at nothing: (0, 0) and (1, 1)."""
TIE = 1e-12
"""Difference of rates below which two are equal but for rounding."""


@dataclass(frozen=True, eq=False)
class RocPoint(FiniteOrNone, TypedFields):
    """Classifier in ROC space, with its rates and the costs at which it is cheapest.

    Parameters
    ----------
    name : str
        Name of the classifier.
    false_positive_rate, recall : Estimate
        Its rates.
    auc : Estimate
        Area under the polygon through the point.
    best_from, best_to : float, optional
        Costs of a false negative, in units of that of a false positive, between which the classifier is
        cheapest. Correct decisions cost nothing. Both are NaN if another classifier is cheaper at every
        cost.
    """

    name: str
    false_positive_rate: Estimate
    recall: Estimate
    auc: Estimate
    best_from: float = nan
    best_to: float = nan

    @property
    def is_ever_best(self) -> bool:
        """Whether the classifier is the cheapest at some cost, on these cases."""
        return self.best_from <= self.best_to

    @property
    def polygon(self) -> Curve:
        """Curve from (0, 0) through the point to (1, 1)."""
        x, y = self.false_positive_rate.value, self.recall.value
        return _curve([0.0, x, 1.0], [0.0, y, 1.0]).of(self.name)

    @property
    def cross(self) -> Curve:
        """Point with its two intervals."""
        x, y = self.false_positive_rate, self.recall
        across = [x.low, x.high, nan, x.value, x.value, nan, x.value]
        along = [y.value, y.value, nan, y.low, y.high, nan, y.value]
        return _curve(across, along, "cross").of(self.name)


@dataclass(frozen=True)
class RocSpace(Reportable):
    """Classifiers without scores as points of ROC space, with their convex hull.

    The best classifier on these cases need not be the best on new cases. The intervals show how uncertain
    the points are.

    Attributes
    ----------
    points : tuple of RocPoint
        The classifiers.
    positive : label
        The positive class.
    prevalence : float
        Share of positives among all cases.
    costs : Costs or None
        Costs for which pages draw the line of equal cost through the cheapest classifier.
    warnings : tuple of Warned
        Warnings on columns that may have been misread, with the classifier that they concern.

    Examples
    --------
    >>> import classay as ca
    >>> y = [1] * 5 + [0] * 5
    >>> counts = {"strict": (2, 0), "lax": (4, 2), "odd": (2, 2)}
    >>> labels = {name: [1] * k + [0] * (5 - k) + [1] * j + [0] * (5 - j) for name, (k, j) in counts.items()}
    >>> space = ca.roc_space({name: ca.assess(y, y_pred=y_pred) for name, y_pred in labels.items()})
    >>> space.hull, space.never_best, space.cheapest(ca.Costs(fp=1, fn=3))
    (('strict', 'lax'), ('odd',), ('lax', 'always positive'))
    """

    points: tuple[RocPoint, ...]
    positive: Hashable
    prevalence: float
    costs: Costs | None = None
    warnings: tuple[Warned, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""
        return tuple(point.name for point in self.points)

    def __getitem__(self, name: str) -> RocPoint:
        for point in self.points:
            if point.name == name:
                return point
        raise InputError(f"Unknown model {name!r}. Models: {', '.join(self.names)}.")

    @property
    def hull(self) -> tuple[str, ...]:
        """Names of the classifiers on the hull, from few to many predicted positives."""
        on = [point for point in self.points if point.is_ever_best]
        return tuple(point.name for point in sorted(on, key=_place))

    @property
    def never_best(self) -> tuple[str, ...]:
        """Names of the classifiers that are cheapest at no cost, on these cases."""
        return tuple(point.name for point in self.points if not point.is_ever_best)

    @property
    def hull_curve(self) -> Curve:
        """Convex hull of the points with (0, 0) and (1, 1)."""
        on = sorted((point for point in self.points if point.is_ever_best), key=_place)
        x = [0.0, *(point.false_positive_rate.value for point in on), 1.0]
        y = [0.0, *(point.recall.value for point in on), 1.0]
        return _curve(x, y, "reference").of("convex hull")

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Curves of the picture.

        They are the polygon of each classifier, its point with both intervals, the line of no skill, and
        the hull of several.
        """
        drawn = [(point.polygon, point.cross) for point in self.points]
        none = _curve([0.0, 1.0], [0.0, 1.0], "reference").of(entry(of_scores.roc.__name__).look.diagonal)
        hull = (self.hull_curve,) if len(self.points) > 1 else ()
        return (*(curve for pair in drawn for curve in pair), none, *hull, *self._equal_cost())

    def _equal_cost(self) -> tuple[Curve, ...]:
        """Return the line of equal cost through the cheapest, within the square, where costs are given."""
        if self.costs is None:
            return ()
        slope, name = self.slope(self.costs), self.cheapest(self.costs)[0]
        x, y = {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}.get(name) or _place(self[name])
        ends = [0.0, 1.0] if slope == 0 else [max(0.0, x - y / slope), min(1.0, x + (1 - y) / slope)]
        along = [0.0, 1.0] if slope == inf else [y + slope * (end - x) for end in ends]
        return (_curve(ends, along, "reference").of(f"equal cost through {name}"),)

    def of(self, name: str) -> RocSpace:
        """Return the only classifier under another name.

        Raises
        ------
        InputError
            If there are several classifiers.
        """
        if len(self.points) > 1:
            raise InputError(f"There are {len(self.points)} models. Name them in ca.roc_space({{name: …}}).")
        return roc_space_of({name: self.points[0]}, self.positive, self.prevalence)

    def slope(self, costs: Costs) -> float:
        """Compute the slope of lines of equal cost.

        Raises
        ------
        InputError
            If costs depend on amounts, which rates do not contain.
            If an error costs no more than a correct prediction.

        Notes
        -----
        (c_fp - c_tn) N / ((c_fn - c_tp) P).
        """
        of_two = Costs.of(costs)
        (tn, fn), (fp, tp) = of_two.forms((f"not {self.positive}", self.positive))
        if any(cost.factors for cost in (tn, fn, fp, tp)):
            raise InputError(
                "ROC space needs costs per case, but these costs depend on amounts. Pass numbers, as in "
                "Costs(fp=1, fn=5)."
            )
        wrong_called, wrong_left = fp.constant - tn.constant, fn.constant - tp.constant
        if wrong_called < 0 or wrong_left < 0 or wrong_called == wrong_left == 0:
            raise InputError(
                "An error must cost more than a correct decision. Pass costs of errors, as in Costs(fp=1, "
                "fn=5)."
            )
        if wrong_left == 0:
            return inf
        return wrong_called * (1 - self.prevalence) / (wrong_left * self.prevalence)

    @checked
    def cheapest(self, costs: Costs) -> tuple[str, ...]:
        """Return the names of the cheapest classifiers at these costs, several at ties.

        The trivial rules "never positive" and "always positive" are included.

        Raises
        ------
        InputError
            If `slope` raises it.
        """
        slope = self.slope(costs)
        gains = {point.name: _gain(_place(point), slope) for point in self.points}
        gains |= {NEVER: _gain((0.0, 0.0), slope), ALWAYS: _gain((1.0, 1.0), slope)}
        best = max(gains.values())
        return tuple(name for name, gain in gains.items() if gain >= best - TIE * max(1.0, abs(best)))

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each classifier.

        It has rates and AUC with intervals, and the costs at which the classifier is cheapest.
        """
        rows = []
        for point in self.points:
            row: dict[str, Any] = {"model": point.name}
            for name in ("false_positive_rate", "recall", "auc"):
                estimate: Estimate = getattr(point, name)
                row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
            rows.append(row | {"best_from": point.best_from, "best_to": point.best_to})
        return frame_of(rows)

    @checked
    def plot(self, ax: Any = None, *, costs: Costs | None = None) -> Any:
        """Draw the points with both intervals, their polygons and hull.

        The picture needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.
        costs : Costs, optional
            Costs for which lines of equal cost are drawn, solid through the cheapest classifier and faint
            through the others.

        Returns
        -------
        matplotlib axes
            The axes with the picture.
        """
        return plot(self, ax, costs=self.costs if costs is None else costs)

    def __repr__(self) -> str:
        return f"RocSpace({', '.join(self.names)}; print it, or see .plot(), .frame(), .hull)"


@checked
def roc_space(assessments: Mapping[str, Assessment]) -> RocSpace:
    """Draw classifiers of the same two classes in one ROC space, by their labels.

    Classifiers with scores take the labels of their threshold.

    Parameters
    ----------
    assessments : mapping of str to Assessment
        Assessments by the names of the classifiers.

    Returns
    -------
    RocSpace
        One point for each classifier.

    Raises
    ------
    InputError
        If there are several classes, or cases of one class only.
        If an assessment has no predicted labels.
        If the positive classes differ.

    Examples
    --------
    >>> import classay as ca
    >>> ca.assess([1, 1, 0, 0], y_pred=[1, 0, 0, 0]).roc["model"].auc.value
    0.75
    """
    refuse_designed(assessments, "assess")
    if not isinstance(assessments, Mapping) or not all(
        isinstance(a, PartsOfAssessment) for a in assessments.values()
    ):
        raise InputError("roc_space needs a mapping from names to assessments. Pass {'name': ca.assess(…)}.")
    if not assessments:
        raise InputError("No model was passed. Pass a mapping from names to assessments.")
    points: dict[str, RocPoint] = {}
    totals = np.zeros(2)
    positives = {a.positive for a in assessments.values()}
    if len(positives) > 1:
        raise InputError(
            f"The positive classes differ ({', '.join(map(repr, positives))}). Assess all models with the same "
            "positive=."
        )
    (positive,) = positives
    if not all(a.is_binary for a in assessments.values()):
        raise InputError(
            "ROC space needs two classes, but there are several. Pass one_vs_rest(label) of each assessment."
        )
    for name, a in assessments.items():
        if a.confusion_matrix is None:
            raise InputError(
                f"{name} has scores but no predicted labels. Choose a threshold, as in a.at(threshold=0.3)."
            )
        counts = a.confusion_matrix.one_vs_rest(positive)
        p, n = float(counts.tp + counts.fn), float(counts.fp + counts.tn)
        if not (p and n):
            raise InputError(
                f"ROC space needs both classes, but all cases of {name} are {'positive' if p else 'negative'}."
            )
        totals += p, n
        rates = a.estimates(["false_positive_rate", "recall", "balanced_accuracy"])
        fpr, recall, auc = rates.values()
        points[str(name)] = RocPoint(str(name), fpr, recall, auc)
    space = roc_space_of(points, positive, float(totals[0] / totals.sum()))
    return replace(
        space, warnings=gathered({str(name): column_warnings(a) for name, a in assessments.items()})
    )


def roc_space_of(points: Mapping[str, RocPoint], positive: Hashable, prevalence: float) -> RocSpace:
    """Return the space of points, with the range of costs at which each is cheapest."""
    places = {name: _place(each) for name, each in points.items()}
    others = [*places.values(), (0.0, 0.0), (1.0, 1.0)]
    ranged = []
    for name, point in points.items():
        steepest, flattest = inf, 0.0
        for x, y in others:
            dx, dy = places[name][0] - x, places[name][1] - y
            if abs(dx) <= TIE:
                steepest = -1.0 if dy < -TIE else steepest
            elif dx > 0:
                steepest = min(steepest, dy / dx)
            else:
                flattest = max(flattest, dy / dx)
        odds = (1 - prevalence) / prevalence
        is_best = steepest > TIE and steepest >= flattest * (1 - TIE)
        high = odds / flattest if flattest > 0 else inf
        ends = (odds / steepest, max(odds / steepest, high)) if is_best else (nan, nan)
        ranged.append(RocPoint(name, point.false_positive_rate, point.recall, point.auc, *ends))
    return RocSpace(tuple(ranged), positive, prevalence)


def _place(point: RocPoint) -> tuple[float, float]:
    return point.false_positive_rate.value, point.recall.value


def _gain(place: tuple[float, float], slope: float) -> float:
    """Return what a line of equal cost through a place cuts off above: more is cheaper."""
    x, y = place
    return -x if slope == inf else y - slope * x


def _curve(x: list[float], y: list[float], kind: Kind = "line") -> Curve:
    ends = np.array(x), np.array(y)
    return Curve("roc", "ROC space", *ends, "false positive rate", "true positive rate", kind)
