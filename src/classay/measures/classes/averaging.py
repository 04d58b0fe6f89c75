"""Averages of a class measure over classes, as functions: `macro(precision)` is a measure like any other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from classay.errors import InputError
from classay.kinds import shown
from classay.measures.conditions import EMPTY, EMPTY_MATRIX, Condition
from classay.measures.families import LABEL, Family, add_family
from classay.measures.registry import FAMILIES, MEASURES, Measure, add, document, ratio
from classay.tables import ConfusionMatrix, Margins

ALIASES = {"macro_f1": ("overall_f", "macro_f"), "macro_jaccard": ("mean_iou",)}
POOLED = ("precision", "recall", "f1")
"""Measures whose micro average is registered, because people know it by name; of one label a case it is accuracy."""


def per_class(of: Measure) -> Callable[[Any], Any]:
    """A function of a confusion matrix that gives the measure of each class against the rest, `[..., class]`.

    >>> from classay.measures import precision
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> per_class(precision)(matrix).round(3)
    array([0.781, 0.769, 0.851])
    """

    _refuse_other(of, "per_class")
    return lambda matrix: _of_counts(of, *matrix.class_counts())


def _refuse_other(of: Any, kind: str) -> None:
    if not isinstance(of, Measure):
        raise InputError(f"{kind} is of a measure, not {shown(of)}: pass one, as in {kind}(f1).")


def _of_counts(of: Measure, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """A measure of counts; one of a whole matrix, on the matrix of the class against the rest."""
    if of.needs == "counts":
        return of.raw(tp, fp, fn, tn)
    if of.needs != "margins":
        raise InputError(
            f"{of.name} is no measure of one class against the rest by its counts: average one that is, precision, say."
        )
    pairs = (tn, tp), (tn + fn, tp + fp), (tn + fp, tp + fn)
    return of.raw(*(np.stack(np.broadcast_arrays(*pair), -1) for pair in pairs))


def macro(of: Measure) -> Measure:
    """The plain mean of a class measure over all classes; undefined where it is undefined for one of them.

    >>> from classay.measures import f1
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> print(macro(f1)(matrix).round(4))
    0.7931
    """

    def mean(hits: Any, predicted: Any, true: Any) -> Any:
        return _of_counts(of, *_class_counts(hits, predicted, true)).mean(-1)

    return _averaged(of, "macro", "mean over the classes", mean)


def weighted(of: Measure) -> Measure:
    """The mean of a class measure, each class weighted by how often it is true; a class never true counts nothing.

    >>> from classay.measures import f1
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> print(weighted(f1)(matrix).round(4))
    0.7973
    """

    def mean(hits: Any, predicted: Any, true: Any) -> Any:
        values = _of_counts(of, *_class_counts(hits, predicted, true))
        return ratio(np.where(true == 0, 0, true * values).sum(-1), true.sum(-1))

    return _averaged(of, "weighted", "mean over the classes, by how often each is true", mean)


def micro(of: Measure) -> Measure:
    """A class measure of the counts of all classes added up; for precision, recall and F1 this is the accuracy.

    >>> from classay.measures import f1
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> print(micro(f1)(matrix))
    0.8
    """

    def pooled(hits: Any, predicted: Any, true: Any) -> Any:
        return _of_counts(of, *(part.sum(-1) for part in _class_counts(hits, predicted, true)))

    return _averaged(of, "micro", "of the counts of all classes added up", pooled)


def _class_counts(hits: Any, predicted: Any, true: Any) -> tuple[Any, Any, Any, Any]:
    return Margins(hits, predicted, true).class_counts()


def _averaged(of: Measure, kind: str, how: str, function: Callable[..., Any]) -> Measure:
    _refuse_other(of, kind)
    name = f"{kind}_{of.name}"
    if name in MEASURES:
        return MEASURES[name]
    conditions = [EMPTY, *(_in_some_class(condition, kind) for condition in of.undefined)]
    made = Measure(
        name,
        title=f"{of.title}, {kind} average",
        function=function,
        needs="margins",
        formula=f"{how}: {of.formula}",
        bounds=of.bounds,
        best=of.best,
        undefined=tuple(conditions),
        reference="sokolova2009",
        aliases=ALIASES.get(name, ()),
        complement=None if of.complement is None else f"{kind}_{of.complement}",
    )
    return document(made, f"The {kind} average of {of.name} over classes.")


def _in_some_class(condition: Condition, kind: str) -> Condition:
    words = condition.of_class if kind == "micro" else f"for some class it is: {condition.of_class}"

    def met(hits: Any, predicted: Any, true: Any) -> Any:
        counts = _class_counts(hits, predicted, true)
        if kind == "micro":
            return condition.met(*(part.sum(-1) for part in counts))
        relevant = (true > 0) if kind == "weighted" else np.ones_like(true, bool)
        return (condition.met(*counts) & relevant).any(-1)

    return Condition(words, words, met)


def over(of: Measure, *labels: Any) -> Measure:
    """The plain mean of a class measure over some of the classes, named by their labels or the texts of these.

    By name, it is `f1_over(a, c)`. Raises InputError without a label, and for one that the matrix does not have.

    >>> from classay.measures import f1
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> print(over(f1, "a", "c")(matrix).round(4))
    0.8325
    """

    if not labels:
        raise InputError(f"{of.name}_over is a mean over some classes: name them, {of.name}_over(LABEL, …).")

    def mean(matrix: ConfusionMatrix) -> Any:
        known = {str(label): at for at, label in enumerate(matrix.labels)}
        unknown = [label for label in map(str, labels) if label not in known]
        if unknown:
            raise InputError(f"there is no class {unknown[0]!r}: the classes are {', '.join(known)}.")
        chosen = [known[str(label)] for label in labels]
        return _of_counts(of, *(part[..., chosen] for part in matrix.class_counts())).mean(-1)

    return replace(
        macro(of),
        name=f"{of.name}_over",
        title=f"{of.title}, average over {', '.join(map(str, labels))}",
        formula=f"mean over {', '.join(map(str, labels))}: {of.formula}",
        function=mean,
        needs="matrix",
        undefined=(EMPTY_MATRIX,),
        complement=None,
    )


def _family_over(of: Measure) -> Family:
    def some(*labels: str) -> Measure:
        return over(of, *labels)

    some.__doc__ = f"The mean of {of.name} over some of the classes."
    return Family(f"{of.name}_over", some, {"labels": LABEL})


def _family_of_averages(average: Callable[[Measure], Measure], of: Family) -> Family:
    def averaged(*values: Any, **named: Any) -> Measure:
        return average(of(*values, **named))

    averaged.__signature__ = of.signature  # type: ignore[attr-defined]
    averaged.__doc__ = f"The {average.__name__} average of {of.name} over classes."
    return Family(f"{average.__name__}_{of.name}", averaged, of.kinds)


def register_averages() -> None:
    """Register the averages of every measure that asks for them; called once, when the measures are loaded."""
    for average in (macro, weighted, micro):
        add_family(_family_of_averages(average, FAMILIES["f_beta"]))
    for of in [each for each in MEASURES.values() if each.averaged]:
        add_family(_family_over(of))
    for of in [each for each in MEASURES.values() if each.averaged]:
        for average in (macro, weighted, micro) if of.name in POOLED else (macro, weighted):
            add(average(of))
