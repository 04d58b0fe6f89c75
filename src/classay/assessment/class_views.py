"""Many classes at a glance: curves of all in one picture, a threshold for each, and which are confused."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from classay.answers import of_labels
from classay.assessment.charts import AREAS, SHORT
from classay.curves.curve import Curve, entry
from classay.curves.display import for_display
from classay.decision.decision import Decision
from classay.errors import InputError
from classay.inference.estimate import number
from classay.kinds import OfKinds
from classay.measures import get
from classay.shown import Shown, frame_of
from classay.tables import ConfusionMatrix
from classay.texts import clean, quote

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

NEAR = 0.002
"""How far a line may be from the curve that it draws."""
MOST_GREY = 100
"""Further classes that are drawn."""
MOST_LINES = 12
"""Classes that have a line of their own in one picture."""


def class_curves(
    a: Assessment, name: Literal["roc", "precision_recall"] = "roc", most: int = MOST_LINES
) -> tuple[Curve, ...]:
    """The curve of each class against the rest, worst first; of more than `most` classes the others in grey.

    The area stands beside the name. Classes without cases, or with all of them, have no curve. Few enough points for a
    picture; the grey curves are one, with NaN between them, of at most 100 classes.
    """
    if name not in AREAS:
        raise InputError(f"name is {name!r}: pass one of {', '.join(AREAS)}.")
    if a.class_scores is None:
        raise InputError("curves of the classes need the scores of several classes.")
    measure, short = get(AREAS[name]), SHORT[name]
    found = []
    for label in a.labels:
        table = a.class_scores.one_vs_rest(label)
        if entry(name).why_not(table) is None:
            found.append((float(measure(table)), str(label), table))
    found.sort(key=lambda each: each[0])
    title = f"{entry(name).title}, class against rest"
    drawn = [
        replace(
            for_display(entry(name).curves(table)[0], NEAR, few=200),
            series=f"{label}, {short} {number(area)}",
            title=title,
        )
        for area, label, table in found[: most + MOST_GREY]
    ]
    if len(drawn) <= most:
        return tuple(drawn)
    gap = np.array([np.nan])
    ends: dict[str, Any] = {
        side: np.concatenate([part for each in drawn[most:] for part in (getattr(each, side), gap)][:-1])
        for side in ("x", "y")
    }
    grey = replace(
        drawn[0], **ends, kind="reference", threshold=None, series=f"{len(drawn) - most} other classes"
    )
    return (*drawn[:most], grey)


@dataclass(frozen=True)
class ClassThresholds(Shown):
    """The threshold that a rule chooses for each class against the rest, by its label; `without` says why one has none.

    Thresholds of several classes are chosen apart: a case may then be called several classes, or none.
    """

    decisions: Mapping[Hashable, Decision]
    without: Mapping[Hashable, str]
    model: str = ""

    def __getitem__(self, label: Hashable) -> Decision:
        return self.decisions[label]

    def frame(self) -> Any:
        """A row for each class, as a PyArrow table: label, threshold, its limits, and the value it is chosen by."""
        rows: list[dict[str, Any]] = []
        for label, each in self.decisions.items():
            rows.append(
                {"label": str(label), "cases": each.matrix.total.item()}
                | {part: getattr(each.threshold, part) for part in ("value", "low", "high", "reason")}
            )
        return frame_of(rows)


def class_thresholds(a: Assessment, **rule: Any) -> ClassThresholds:
    """The decision of a rule for each class against the rest; the arguments are those of `Assessment.threshold`."""
    if a.positive is not None:
        raise InputError("there are two classes, which share one threshold: ask threshold(…) for it.")
    if a.class_scores is None:
        raise InputError("thresholds of the classes need the scores of several classes.")
    decisions, without = {}, {}
    for label in a.labels:
        try:
            decisions[label] = a.one_vs_rest(label).threshold(**rule)
        except InputError as error:
            without[label] = str(error)
    if not decisions:
        raise InputError(f"no class has a threshold: of {quote(a.labels[0])}, {without[a.labels[0]]}")
    return ClassThresholds(decisions, without, a.model)


@dataclass(frozen=True)
class ClassGroup(OfKinds):
    """Classes that join: how often they are taken for each other, as the mean over their pairs, and the errors among
    them."""

    labels: tuple[Hashable, ...]
    rate: float
    errors: float


@dataclass(frozen=True)
class ConfusionTree(Shown):
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
        """Which two classes are taken for each other most often, and how many of the errors lie between them."""
        if not self.errors:
            return "There are no errors, so that no classes are confused."
        most = self.joins[0]
        one, other = map(quote, most.labels)
        return clean(
            f"{one} and {other} are confused most: {100 * most.rate:.3g} % of the cases of both, and "
            f"{100 * most.errors / self.errors:.3g} % of all errors."
        )


def confusion_tree(matrix: ConfusionMatrix) -> ConfusionTree:
    """The tree of a confusion matrix of three classes or more, without leading axes. Raises InputError.

    >>> counts = [[40, 9, 1, 0], [8, 42, 0, 0], [0, 1, 45, 4], [0, 0, 3, 47]]
    >>> found = confusion_tree(ConfusionMatrix.from_array(counts, ["cat", "dog", "owl", "hawk"], rows="true"))
    >>> print(found.sentence)
    'cat' and 'dog' are confused most: 17 % of the cases of both, and 65.4 % of all errors.
    """
    labels = of_labels(matrix.labels)
    k = len(labels)
    if k < 3 or not matrix.is_one:
        raise InputError("groups of classes need one matrix of three classes or more.")
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
    members: list[tuple[int, ...]] = [(i,) for i in range(k)]
    near = rate.copy()
    np.fill_diagonal(near, -1.0)
    joins = []
    while len(members) > 1:
        i, j = sorted(divmod(int(near.argmax()), len(members)))
        here, there = members[i], members[j]
        mean = (len(here) * near[i] + len(there) * near[j]) / (len(here) + len(there))
        found = float(near[i, j])
        joined = tuple(sorted((*here, *there)))
        within = float(both[np.ix_(joined, joined)].sum() - np.trace(both[np.ix_(joined, joined)])) / 2
        joins.append(ClassGroup(tuple(labels[at] for at in joined), found, within))
        near[i], near[:, i] = mean, mean
        near[i, i] = -1.0
        near = np.delete(np.delete(near, j, 0), j, 1)
        members[i] = joined
        members.pop(j)
    return ConfusionTree(tuple(joins), errors)


def tree_lines(tree: ConfusionTree) -> list[tuple[str, float]]:
    """Each join as a line, those within it behind it and further in: the names of its classes, and its rate."""
    by_labels = {frozenset(each.labels): each for each in tree.joins}

    def below(each: ClassGroup, depth: int) -> list[tuple[str, float]]:
        inner = [one for labels, one in by_labels.items() if labels < {*each.labels}]
        parts = [one for one in inner if not any({*one.labels} < {*other.labels} for other in inner)]
        lines = [("  " * depth + ", ".join(str(label) for label in each.labels), each.rate)]
        for part in parts:
            lines += below(part, depth + 1)
        return lines

    if not tree.joins:
        return []
    return [(text, rate) for text, rate in below(tree.joins[-1], 0) if isfinite(rate)]
