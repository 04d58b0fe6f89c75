"""ROC space of classifiers without scores: each a point with two intervals, their hull, which is best at which cost.

A classifier that gives labels alone is one point; the polygon through it, from (0, 0) to (1, 1), has the area
(recall + specificity) / 2, its balanced accuracy. A line of equal cost has the slope of the cost of a false positive
times the negatives over the cost of a false negative times the positives; the cheapest classifier is the one that the
highest such line meets (Provost & Fawcett 2001, Machine Learning 42:203; Fawcett 2006, Pattern Recognition Letters
27:861).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.task import PartsOfAssessment
from classay.curves import roc  # registers the look of its picture
from classay.curves.curve import Curve, Kind, entry
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.kinds import OfKinds, checked
from classay.shown import Shown, frame_of, plot

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

NEVER, ALWAYS = "never positive", "always positive"
"""The two classifiers that look at nothing: (0, 0) and (1, 1)."""
TIE = 1e-12
"""Difference of rates below which two are equal but for rounding."""


@dataclass(frozen=True)
class RocPoint(OfKinds):
    """A classifier in ROC space: its rates, the AUC of the polygon through it, and the costs at which it is cheapest.

    `best_from` and `best_to` are costs of a false negative in units of that of a false positive, where right decisions
    cost nothing; both are NaN where another is cheaper at every cost.
    """

    name: str
    false_positive_rate: Estimate
    recall: Estimate
    auc: Estimate
    best_from: float = nan
    best_to: float = nan

    @property
    def is_ever_best(self) -> bool:
        """Whether no other is cheaper at some cost, on these cases."""
        return self.best_from <= self.best_to

    @property
    def polygon(self) -> Curve:
        """From (0, 0) through the point to (1, 1)."""
        x, y = self.false_positive_rate.value, self.recall.value
        return _curve([0.0, x, 1.0], [0.0, y, 1.0]).of(self.name)

    @property
    def cross(self) -> Curve:
        """The point with its two intervals."""
        x, y = self.false_positive_rate, self.recall
        across = [x.low, x.high, nan, x.value, x.value, nan, x.value]
        along = [y.value, y.value, nan, y.low, y.high, nan, y.value]
        return _curve(across, along, "cross").of(self.name)


@dataclass(frozen=True)
class RocSpace(Shown):
    """Classifiers that give labels alone, each a point of true and false positive rate, and their convex hull.

    `prevalence` is the share of positives in all cases. `hull` are the names of those on the hull, which are cheapest
    at some cost, from few to many positives; `never_best` the others. What is best on these cases need not be on new
    ones: the intervals say how sure the points are. With `costs`, pages draw the line of equal
    cost through the cheapest.

    >>> import classay as ca
    >>> y = [1] * 5 + [0] * 5
    >>> counts = {"strict": (2, 0), "lax": (4, 2), "odd": (2, 2)}
    >>> said = {name: [1] * k + [0] * (5 - k) + [1] * j + [0] * (5 - j) for name, (k, j) in counts.items()}
    >>> space = ca.roc_space({name: ca.assess(y, y_pred=each) for name, each in said.items()})
    >>> space.hull, space.never_best, space.cheapest(ca.Costs(fp=1, fn=3))
    (('strict', 'lax'), ('odd',), ('lax', 'always positive'))
    """

    points: tuple[RocPoint, ...]
    positive: Hashable
    prevalence: float
    costs: Costs | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return tuple(each.name for each in self.points)

    def __getitem__(self, name: str) -> RocPoint:
        for each in self.points:
            if each.name == name:
                return each
        raise InputError(f"no classifier is named {name!r}: there are {', '.join(self.names)}.")

    @property
    def hull(self) -> tuple[str, ...]:
        """The names of those that are cheapest at some cost, from few to many positives."""
        on = [each for each in self.points if each.is_ever_best]
        return tuple(each.name for each in sorted(on, key=_place))

    @property
    def never_best(self) -> tuple[str, ...]:
        """The names of those that are cheapest at no cost, on these cases."""
        return tuple(each.name for each in self.points if not each.is_ever_best)

    @property
    def hull_curve(self) -> Curve:
        """The convex hull of the points with (0, 0) and (1, 1)."""
        on = sorted((each for each in self.points if each.is_ever_best), key=_place)
        x = [0.0, *(each.false_positive_rate.value for each in on), 1.0]
        y = [0.0, *(each.recall.value for each in on), 1.0]
        return _curve(x, y, "reference").of("convex hull")

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The polygon of each classifier, its point with both intervals, no skill, and the hull of several."""
        drawn = [(each.polygon, each.cross) for each in self.points]
        none = _curve([0.0, 1.0], [0.0, 1.0], "reference").of(entry(roc.roc.__name__).look.diagonal)
        hull = (self.hull_curve,) if len(self.points) > 1 else ()
        return (*(each for pair in drawn for each in pair), none, *hull, *self._equal_cost())

    def _equal_cost(self) -> tuple[Curve, ...]:
        """The line of equal cost through the cheapest, within the square, where costs are given."""
        if self.costs is None:
            return ()
        slope, name = self.slope(self.costs), self.cheapest(self.costs)[0]
        x, y = {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}.get(name) or _place(self[name])
        ends = [0.0, 1.0] if slope == 0 else [max(0.0, x - y / slope), min(1.0, x + (1 - y) / slope)]
        along = [0.0, 1.0] if slope == inf else [y + slope * (each - x) for each in ends]
        return (_curve(ends, along, "reference").of(f"equal cost through {name}"),)

    def of(self, name: str) -> RocSpace:
        """The only classifier under another name. Raises InputError where there are several."""
        if len(self.points) > 1:
            raise InputError(
                f"there are {len(self.points)} classifiers: name them in ca.roc_space({{name: …}})."
            )
        return roc_space_of({name: self.points[0]}, self.positive, self.prevalence)

    def slope(self, costs: Costs) -> float:
        """The slope of lines of equal cost: (c_fp - c_tn) N / ((c_fn - c_tp) P).

        Raises InputError for costs of amounts, which rates do not know, or errors that cost no more than being right.
        """
        of_two = Costs.of(costs)
        (tn, fn), (fp, tp) = of_two.forms((f"not {self.positive}", self.positive))
        if any(each.factors for each in (tn, fn, fp, tp)):
            raise InputError(
                "ROC space knows rates, and these costs are of amounts: pass numbers, as in Costs(fp=1, fn=5)."
            )
        wrong_called, wrong_left = fp.constant - tn.constant, fn.constant - tp.constant
        if wrong_called < 0 or wrong_left < 0 or wrong_called == wrong_left == 0:
            raise InputError(
                "an error costs no more than the right decision here: pass what errors cost, as in Costs(fp=1, fn=5)."
            )
        if wrong_left == 0:
            return inf
        return wrong_called * (1 - self.prevalence) / (wrong_left * self.prevalence)

    @checked
    def cheapest(self, costs: Costs) -> tuple[str, ...]:
        """The names of the cheapest classifiers at these costs, several where they tie.

        "never positive" and "always positive", which look at nothing, take part. Raises InputError as `slope` does.
        """
        slope = self.slope(costs)
        gains = {each.name: _gain(_place(each), slope) for each in self.points}
        gains |= {NEVER: _gain((0.0, 0.0), slope), ALWAYS: _gain((1.0, 1.0), slope)}
        best = max(gains.values())
        return tuple(name for name, gain in gains.items() if gain >= best - TIE * max(1.0, abs(best)))

    def frame(self) -> Any:
        """A PyArrow table with a row for each classifier: rates and AUC with intervals, and where it is cheapest."""
        rows = []
        for each in self.points:
            row: dict[str, Any] = {"model": each.name}
            for name in ("false_positive_rate", "recall", "auc"):
                found: Estimate = getattr(each, name)
                row |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
            rows.append(row | {"best_from": each.best_from, "best_to": each.best_to})
        return frame_of(rows)

    @checked
    def plot(self, ax: Any = None, *, costs: Costs | None = None) -> Any:
        """Draw the points with both intervals, their polygons and hull with matplotlib; returns the axes.

        With `costs`, lines of equal cost too: a solid one through the cheapest, faint ones through the others.
        """
        return plot(self, ax, costs=self.costs if costs is None else costs)

    def __repr__(self) -> str:
        return f"RocSpace({', '.join(self.names)}; print it, or see .plot(), .frame(), .hull)"


@checked
def roc_space(assessments: Mapping[str, Assessment]) -> RocSpace:
    """Classifiers of the same two classes in one ROC space, by their labels: see `RocSpace`.

    Those with scores are there with the labels of their threshold. Raises InputError for several classes, cases of one
    class, assessments without labels, or different positive classes.

    >>> import classay as ca
    >>> ca.assess([1, 1, 0, 0], y_pred=[1, 0, 0, 0]).roc["model"].auc.value
    0.75
    """
    if not isinstance(assessments, Mapping) or not all(
        isinstance(each, PartsOfAssessment) for each in assessments.values()
    ):
        raise InputError("roc_space is of assessments by their names: pass {'name': ca.assess(…)}.")
    if not assessments:
        raise InputError("there is no classifier: pass a mapping of assessments by their names.")
    found: dict[str, RocPoint] = {}
    totals = np.zeros(2)
    positives = {each.positive for each in assessments.values()}
    if len(positives) > 1:
        raise InputError(
            f"the positive classes are {', '.join(map(repr, positives))}: assess all with the same positive=."
        )
    (positive,) = positives
    if positive is None:
        raise InputError(
            "ROC space is of two classes, and there are several: pass one_vs_rest(label) of each."
        )
    for name, each in assessments.items():
        if each.confusion_matrix is None:
            raise InputError(
                f"{name} has scores and no labels: choose a threshold, as in a.at(threshold=0.3)."
            )
        counts = each.confusion_matrix.one_vs_rest(positive)
        p, n = float(counts.tp + counts.fn), float(counts.fp + counts.tn)
        if not (p and n):
            raise InputError(
                f"there is no ROC space: all cases of {name} are {'positive' if p else 'negative'}, and it needs both "
                "classes."
            )
        totals += p, n
        rates = each.estimates(["false_positive_rate", "recall", "balanced_accuracy"])
        fpr, recall, auc = rates.values()
        found[str(name)] = RocPoint(str(name), fpr, recall, auc)
    return roc_space_of(found, positive, float(totals[0] / totals.sum()))


def roc_space_of(points: Mapping[str, RocPoint], positive: Hashable, prevalence: float) -> RocSpace:
    """The space of points, with the range of costs at which each is cheapest."""
    places = {name: _place(each) for name, each in points.items()}
    others = [*places.values(), (0.0, 0.0), (1.0, 1.0)]
    made = []
    for name, each in points.items():
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
        made.append(RocPoint(name, each.false_positive_rate, each.recall, each.auc, *ends))
    return RocSpace(tuple(made), positive, prevalence)


def _place(point: RocPoint) -> tuple[float, float]:
    return point.false_positive_rate.value, point.recall.value


def _gain(place: tuple[float, float], slope: float) -> float:
    """What a line of equal cost through a place cuts off above: more is cheaper."""
    x, y = place
    return -x if slope == inf else y - slope * x


def _curve(x: list[float], y: list[float], kind: Kind = "line") -> Curve:
    ends = np.array(x), np.array(y)
    return Curve("roc", "ROC space", *ends, "false positive rate", "true positive rate", kind)
