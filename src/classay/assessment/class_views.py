"""Many classes or classifiers at a glance: curves, thresholds, confusions, points of ROC space, steps off in an order.

A classifier that gives labels alone is one point; the polygon through it, from (0, 0) to (1, 1), has the area
(recall + specificity) / 2, its balanced accuracy. A line of equal cost has the slope of the cost of a false positive
times the negatives over the cost of a false negative times the positives; the cheapest classifier is the one that the
highest such line meets (Provost & Fawcett 2001, Machine Learning 42:203; Fawcett 2006, Pattern Recognition Letters
27:861).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from classay.answers import of_labels
from classay.assessment.charts import AREAS, SHORT
from classay.assessment.parts import PartsOfAssessment
from classay.assessment.row_arguments import RuleArguments
from classay.assessment.verdict import column_warnings
from classay.curves import of_scores  # registers the look of its picture
from classay.curves.curve import Curve, Kind, entry
from classay.curves.display import for_display
from classay.decision.costs import Costs
from classay.decision.decision import Decision
from classay.errors import InputError
from classay.inference.estimate import Estimate, number
from classay.kinds import FiniteOrNone, TypedFields, checked, refuse_unknown
from classay.measures import get
from classay.shown import Reportable, frame_of, plot
from classay.steps import steps
from classay.tables import ConfusionMatrix
from classay.texts import clean, hint, quote
from classay.warned import Warned, gathered

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

NEAR = 0.002
"""How far a line may be from the curve that it draws."""
MOST_GREY = 100
"""Further classes that are drawn."""
MOST_LINES = 12
"""Classes that have a line of their own in one picture."""


def _without_scores(a: Assessment, needing: str) -> str:
    """Return why there is something that needs scores of several classes which rank cases."""
    return f"{needing} need {RAW_NEED if a.raw_scores else 'the scores of several classes'}."


RAW_NEED = (
    "comparable class scores, but raw class scores can be compared only within a case. Use "
    f"{hint('score_scale=', '--score-scale')} to convert logits or counts to probabilities"
)


def class_curves(
    a: Assessment, name: Literal["roc", "precision_recall"] = "roc", most: int = MOST_LINES
) -> tuple[Curve, ...]:
    """Return the curve of each class against the rest, worst first; of more than `most` classes the others in grey.

    The area stands beside the name. Classes without cases, or with all of them, have no curve. Few enough points for a
    picture; the grey curves are one, with NaN between them, of at most 100 classes.
    """
    if name not in AREAS:
        raise InputError(f"Unknown curve {name!r}. Curves: {', '.join(AREAS)}.")
    if a.comparable_scores is None:
        raise InputError(_without_scores(a, "Curves of the classes"))
    measure, short = get(AREAS[name]), SHORT[name]
    tables = []
    for label in a.labels:
        table = a.comparable_scores.one_vs_rest(label)
        if entry(name).why_not(table) is None:
            tables.append((float(measure(table)), str(label), table))
    tables.sort(key=lambda row: row[0])
    title = f"{entry(name).title}, class against rest"
    drawn = [
        replace(
            for_display(entry(name).curves(table)[0], NEAR, few=200),
            series=f"{label}, {short} {number(area)}",
            title=title,
        )
        for area, label, table in tables[: most + MOST_GREY]
    ]
    if len(drawn) <= most:
        return tuple(drawn)
    gap, others = np.array([np.nan]), [_with_corners(curve) for curve in drawn[most:]]
    ends: dict[str, Any] = {
        side: np.concatenate([part for curve in others for part in (getattr(curve, side), gap)][:-1])
        for side in ("x", "y")
    }
    grey = replace(
        drawn[0], **ends, kind="reference", threshold=None, series=f"{len(drawn) - most} other classes"
    )
    return (*drawn[:most], grey)


def _with_corners(curve: Curve) -> Curve:
    """Steps as the line that they are, for a curve that is drawn by lines."""
    if curve.kind not in ("steps", "steps_back") or curve.x.size < 2:
        return curve
    x, y = np.repeat(curve.x, 2), np.repeat(curve.y, 2)
    x, y = (x[1:], y[:-1]) if curve.kind == "steps" else (x[:-1], y[1:])
    return replace(curve, x=x, y=y, threshold=None, kind="line")


@dataclass(frozen=True)
class ClassThresholds(Reportable):
    """The threshold that a rule chooses for each class against the rest, by its label; `without` says why one has none.

    Thresholds of several classes are chosen apart: a case may then be called several classes, or none.
    """

    decisions: Mapping[Hashable, Decision]
    without: Mapping[Hashable, str]
    model: str = ""
    warnings: tuple[Warned, ...] = ()

    def __getitem__(self, label: Hashable) -> Decision:
        return self.decisions[label]

    def frame(self) -> Any:
        """A row for each class, as a PyArrow table: label, threshold, its limits, and the value it is chosen by."""
        rows: list[dict[str, Any]] = []
        for label, decision in self.decisions.items():
            rows.append(
                {"label": str(label), "cases": decision.matrix.total.item()}
                | {part: getattr(decision.threshold, part) for part in ("value", "low", "high", "reason")}
            )
        return frame_of(rows)


def class_thresholds(a: Assessment, **rule: Unpack[RuleArguments]) -> ClassThresholds:
    """The decision of a rule for each class against the rest; the arguments are those of `Assessment.threshold`."""
    refuse_unknown("class_thresholds", rule, RuleArguments.__annotations__)
    if a.is_binary:
        raise InputError("Two classes share one threshold. Use threshold(…).")
    if a.comparable_scores is None:
        raise InputError(_without_scores(a, "Thresholds of the classes"))
    decisions, without = {}, {}
    for label in a.labels:
        try:
            decisions[label] = a.one_vs_rest(label).threshold(**rule)
        except InputError as error:
            without[label] = str(error)
    if not decisions:
        raise InputError(f"No class has a threshold. Class {quote(a.labels[0])}: {without[a.labels[0]]}")
    return ClassThresholds(decisions, without, a.model)


@dataclass(frozen=True)
class ClassGroup(TypedFields):
    """Classes that join, with their errors.

    Their rate of confusion is the mean over their pairs.
    """

    labels: tuple[Hashable, ...]
    rate: float
    errors: float


@dataclass(frozen=True)
class ConfusionTree(Reportable):
    """How classes join, the most confused first: `joins` has every step, `errors` is the number of all.

    The rate of two classes is the share of the cases of both that are taken for the other one, of two groups the mean
    over the pairs of their classes (average linkage: Sokal & Michener 1958). The tree orders what happened, and tests
    nothing.
    """

    joins: tuple[ClassGroup, ...]
    errors: float
    model: str = ""

    @property
    def sentence(self) -> str:
        """Which two classes have the highest rate of confusion, and how many of the errors lie between them."""
        if not self.errors:
            return "There are no errors, so no classes are confused."
        most = self.joins[0]
        one, other = map(quote, most.labels)
        return clean(
            f"{one} and {other} have the highest rate of confusion: {100 * most.rate:.3g}% of the cases of both, and "
            f"{100 * most.errors / self.errors:.3g}% of all errors."
        )


MOST_JOINED = 5_000
"""Classes up to which a tree of them is found: beyond, it takes minutes, and nobody reads it."""


def confusion_tree(matrix: ConfusionMatrix) -> ConfusionTree:
    """Return the tree of a confusion matrix of three classes or more, without leading axes. Raises InputError.

    >>> counts = [[40, 9, 1, 0], [8, 42, 0, 0], [0, 1, 45, 4], [0, 0, 3, 47]]
    >>> tree = confusion_tree(ConfusionMatrix.from_array(counts, ["cat", "dog", "owl", "hawk"], rows="true"))
    >>> print(tree.sentence)
    'cat' and 'dog' have the highest rate of confusion: 17% of the cases of both, and 65.4% of all errors.
    """
    labels = of_labels(matrix.labels)
    k = len(labels)
    if k < 3 or not matrix.is_one:
        raise InputError("Groups of classes need one matrix of three classes or more.")
    if k > MOST_JOINED:
        raise InputError(
            f"The matrix has {k:,} classes, but at most {MOST_JOINED:,} can be grouped. Combine classes "
            "outside your interest into one label."
        )
    counts = np.zeros((k, k))
    predicted, true, cases = matrix.occupied
    kept = predicted < k
    counts[predicted[kept], true[kept]] = cases[kept]
    both = counts + counts.T
    totals = matrix.margins.true[:k].astype(float)
    of_pair = totals[:, None] + totals
    rate = np.divide(both, of_pair, out=np.zeros((k, k)), where=of_pair > 0)
    np.fill_diagonal(rate, 0.0)
    errors = float(both[~np.eye(k, dtype=bool)].sum() / 2)
    members: dict[int, tuple[int, ...]] = {i: (i,) for i in range(k)}
    within = np.zeros(k)  # errors among the classes of each group
    between = both.copy()
    np.fill_diagonal(between, 0.0)
    near = rate.copy()
    np.fill_diagonal(near, -1.0)
    # the nearest of each group, kept up to date: a join changes few of them, and none is looked for in the whole matrix
    nearest_of, best = near.argmax(1), near.max(1)
    joins = []
    with steps("joins of classes", k - 1) as advance:
        while len(members) > 1:
            i = int(best.argmax())
            i, j = sorted((i, int(nearest_of[i])))
            here, there = members[i], members.pop(j)
            mean = (len(here) * near[i] + len(there) * near[j]) / (len(here) + len(there))
            mean_rate = float(near[i, j])
            joined = tuple(sorted((*here, *there)))
            within[i] += within[j] + between[i, j]
            joins.append(ClassGroup(tuple(labels[at] for at in joined), mean_rate, float(within[i])))
            between[i] += between[j]
            between[:, i] = between[i]
            mean[[i, j]] = -1.0
            stale = (nearest_of == i) | (nearest_of == j)
            near[i], near[:, i], near[j], near[:, j] = mean, mean, -1.0, -1.0
            members[i] = joined
            best[j] = -2.0
            left = np.array([*members])
            is_nearer = (near[left, i] > best[left]) | (
                (near[left, i] == best[left]) & (i < nearest_of[left])
            )
            nearer = left[is_nearer & ~stale[left]]
            nearest_of[nearer], best[nearer] = i, near[nearer, i]
            anew = left[stale[left] | (left == i)]
            nearest_of[anew], best[anew] = near[anew].argmax(1), near[anew].max(1)
            advance()
    return ConfusionTree(tuple(joins), errors)


def tree_lines(tree: ConfusionTree) -> list[tuple[str, float]]:
    """Return each join as a line, those within it behind it and further in: the names of its classes, and its rate."""
    latest: dict[Hashable, int] = {}  # the last join that each class was in
    inner: list[list[int]] = []
    for k, join in enumerate(tree.joins):
        inner.append(sorted({latest[label] for label in join.labels if label in latest}))
        latest |= dict.fromkeys(join.labels, k)
    lines, waiting = [], [(len(tree.joins) - 1, 0)] if tree.joins else []
    while waiting:
        k, depth = waiting.pop()
        join = tree.joins[k]
        lines.append(("  " * depth + ", ".join(str(label) for label in join.labels), join.rate))
        waiting += [(at, depth + 1) for at in reversed(inner[k])]
    return [(text, rate) for text, rate in lines if isfinite(rate)]


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


OF_CUTS = ("roc_auc", "recall", "precision", "brier_score")
"""What is shown of the cases from a class on."""


def is_in_order(a: Assessment) -> bool:
    """Check whether three classes or more have an order that somebody gave, and every case a place in it.

    Whole numbers have an order too, but are mostly names of classes: their ordinal measures are found when asked for.
    """
    return a.task.is_in_order


@dataclass(frozen=True)
class StepsOff:
    """How many cases (or weight) are so many steps below their true class, and above it.

    `share` is that of both among all cases, `within` that of all that are no farther off.
    """

    steps: int
    below: float
    above: float
    share: float
    within: float


def steps_off(a: Assessment) -> tuple[StepsOff, ...]:
    """Return the cases by how far off they are, from 0 to the farthest that any is."""
    assert a.confusion_matrix is not None
    predicted, true, cases = a.confusion_matrix.occupied
    k = len(a.labels)
    of_steps = np.bincount(predicted - true + k - 1, cases, 2 * k - 1)
    far, total, within = int(np.abs(predicted - true).max(initial=0)), float(cases.sum()), 0.0
    rows = []
    for d in range(far + 1):
        below, above = float(of_steps[k - 1 - d]), float(of_steps[k - 1 + d]) if d else 0.0
        within += below + above
        rows.append(StepsOff(d, below, above, (below + above) / total, within / total))
    return tuple(rows)


@dataclass(frozen=True)
class ClassCut:
    """A class and all above it against those below: how many cases (or weight) are there, and the measures."""

    label: Hashable
    cases: float
    measures: dict[str, Estimate]


def cuts(a: Assessment) -> tuple[ClassCut, ...]:
    """Return the cuts below each class but the lowest."""
    class_cuts = []
    for label in a.labels[1:]:
        there = a.at_least(label)
        names = [name for name in OF_CUTS if there.task.gives(get(name))]
        class_cuts.append(ClassCut(label, float(there.class_totals[1]), there.estimates(names)))
    return tuple(class_cuts)
