"""Measures of a whole confusion matrix, averages over classes, and matrices that hold unanswered cases."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from classay.answers import NO_ANSWER
from classay.errors import InputError
from classay.kinds import shown
from classay.measures.registry import (
    AVERAGED,
    FAMILIES,
    LABEL,
    MEASURES,
    Average,
    Averaged,
    Family,
    Measure,
    SumOfShares,
    add,
    add_family,
    document,
    measure,
    proportion,
    ratio,
)
from classay.measures.vocabulary import (
    CLASS_NEVER_TRUE,
    EMPTY,
    EMPTY_MATRIX,
    NO_ORDER_OF_CLASSES,
    ONE_PREDICTED_CLASS,
    ONE_TRUE_CLASS,
    SAME_SINGLE_CLASS,
    SAME_SINGLE_CLASS_MATRIX,
    Condition,
)
from classay.tables import ConfusionMatrix, Margins
from classay.tables.sums import greatest, settled
from classay.texts import some


@proportion(
    "Accuracy",
    formula="sum of hits / n",
    best=1,
    reference="zaki2014",
    undefined=(EMPTY,),
    aliases=("acc",),
    traits=("share of right answers",),
)
def accuracy(hits: Any, predicted: Any, true: Any) -> Any:
    """Share of cases with a correct predicted label. Compare it with `baseline_accuracy`.

    >>> print(accuracy(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])))
    0.95
    """
    return hits.sum(-1), true.sum(-1)


@proportion(
    "Error rate",
    formula="1 - accuracy",
    best=0,
    reference="zaki2014",
    undefined=(EMPTY,),
    complement="accuracy",
    aliases=("error", "misclassification_rate"),
)
def error_rate(hits: Any, predicted: Any, true: Any) -> Any:
    """Share of cases with an incorrect predicted label.

    >>> print(error_rate(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])))
    0.05
    """
    return true.sum(-1) - hits.sum(-1), true.sum(-1)


@proportion(
    "Majority-class accuracy",
    formula="largest class / n",
    best=None,
    reference="zaki2014",
    undefined=(EMPTY,),
    aliases=("majority_accuracy", "no_information_rate"),
    traits=("set by the prevalence",),
)
def baseline_accuracy(hits: Any, predicted: Any, true: Any) -> Any:
    """Accuracy of the majority-class baseline, which predicts the largest class of the test set for every case.

    >>> print(baseline_accuracy(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])))
    0.9
    """
    return greatest(true), true.sum(-1)


@measure(
    "Balanced accuracy",
    formula="mean recall of the classes",
    bounds=(0, 1),
    best=1,
    reference="brodersen2010",
    undefined=(CLASS_NEVER_TRUE,),
    aliases=("ba", "bacc"),
    share_of=SumOfShares("recall", each="mean"),
)
def balanced_accuracy(hits: Any, predicted: Any, true: Any) -> Any:
    """Mean recall of all classes. Any constant prediction has 1/k for k classes.

    >>> print(balanced_accuracy(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])).round(4))
    0.7944
    """
    return ratio(hits, true).mean(-1)


@measure(
    "Matthews correlation",
    formula="(c·n - sum p·t) / sqrt((n² - sum p²)(n² - sum t²))",
    bounds=(-1, 1),
    best=1,
    reference="gorodkin2004",
    undefined=(ONE_TRUE_CLASS, ONE_PREDICTED_CLASS),
    aliases=("mcc", "phi", "r_k"),
)
def matthews_correlation(hits: Any, predicted: Any, true: Any) -> Any:
    """Correlation of true and predicted class (R_K for several classes), with c correct, p predicted and t true cases.

    >>> print(matthews_correlation(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])).round(4))
    0.6924
    """
    (p, not_p), (t, not_t) = _shares(predicted, true), _shares(true, true)
    spread = (p * not_p).sum(-1) * (t * not_t).sum(-1)
    return ratio(_beyond_chance(hits, predicted, true), np.sqrt(spread))


def _shares(part: Any, true: Any) -> tuple[Any, Any]:
    """Each class's share of all cases, and that of the others. Products of shares cannot overflow as counts do."""
    n = true.sum(-1)[..., None]
    return ratio(part, n), ratio(n - part, n)


def _beyond_chance(hits: Any, predicted: Any, true: Any) -> Any:
    """Agreement beyond chance, p_o - p_e, as a sum over classes of TP·TN - FP·FN: no digits cancel for rare classes."""
    n = true.sum(-1)[..., None]
    fp, fn = predicted - hits, true - hits
    tp, fp, fn, tn = (ratio(part, n) for part in (hits, fp, fn, n - predicted - fn))
    return settled((tp * tn - fp * fn).sum(-1), (tp * tn + fp * fn).sum(-1))


@measure(
    "Cohen's kappa",
    formula="(p_o - p_e) / (1 - p_e)",
    bounds=(-1, 1),
    best=1,
    reference="cohen1960",
    undefined=(EMPTY, SAME_SINGLE_CLASS),
    aliases=("kappa", "hss", "heidke", "heidke_skill_score"),
)
def cohen_kappa(hits: Any, predicted: Any, true: Any) -> Any:
    """Agreement of true and predicted labels beyond the agreement expected from class frequencies.

    >>> print(cohen_kappa(np.array([89, 6]), np.array([93, 7]), np.array([90, 10])).round(4))
    0.6795
    """
    p, not_t = _shares(predicted, true)[0], _shares(true, true)[1]
    return ratio(_beyond_chance(hits, predicted, true), (p * not_t).sum(-1))


def mean_distances(share: Any, power: int) -> Any:
    """Return the mean of |i - j|^power from each of k ordered classes to a class j drawn by its share, `[..., class]`.

    Sums over the classes, of parts that are never negative, instead of the k x k distances.

    >>> mean_distances(np.array([0.5, 0.5, 0.0]), 1)
    array([0.5, 0.5, 1.5])
    """
    if power == 2:  # the spread around the mean, and how far the class is from it
        # classes first, as draws lie in memory: long stretches of each class
        share = np.moveaxis(share, -1, 0)
        at = np.arange(share.shape[0]).reshape(-1, *[1] * (share.ndim - 1))
        total = share.sum(0)
        squared_offset = (at - ratio((share * at).sum(0), total)) ** 2
        return np.moveaxis((share * squared_offset).sum(0) + total * squared_offset, 0, -1)
    return _passed(share) + _passed(share[..., ::-1])[..., ::-1]


def _passed(share: Any) -> Any:
    """Sum of how far above the classes below it each class is: the shares, added up twice."""
    sums, below = np.zeros_like(share), 0
    # class by class over all leading axes at once: `cumsum` goes through them one after another
    for at in range(share.shape[-1] - 1):
        below = below + share[..., at]
        sums[..., at + 1] = sums[..., at] + below
    return sums


_DISTANCES = 1_000_000


def weighted_kappa(matrix: ConfusionMatrix, power: int) -> Any:
    """1 - observed / expected disagreement, |i - j|^power apart (Cohen 1968)."""
    return kappa_of_distances(_disagreement(matrix, power), matrix.total, matrix.margins, power)


def kappa_of_distances(disagreement: Any, n: Any, margins: Margins, power: int) -> Any:
    """The same, of the cells summed by |i - j|^power, `disagreement`, and of all of them, `n`, of the leading shape."""
    _, predicted, true = margins
    p, t = ratio(predicted, n[..., None]), ratio(true, n[..., None])
    return settled(1 - ratio(ratio(disagreement, n), (p * mean_distances(t, power)).sum(-1)), 1.0)


def _disagreement(matrix: ConfusionMatrix, power: int) -> Any:
    """Sum of the cells by how far they are off the diagonal, of the leading shape.

    Of one matrix the cells that occur are read; of many, blocks of the k x k distances are made one after another.
    """
    if matrix.is_one:
        predicted, true, cases = matrix.occupied
        return (cases * np.abs(predicted - true) ** power).sum()
    at = np.arange(matrix.counts.shape[-1])
    block, total = max(1, _DISTANCES // at.size), 0
    for first in range(0, at.size, block):
        distances = np.abs(at[first : first + block, None] - at[None, :]) ** power
        total = total + (matrix.counts[..., first : first + block, :] * distances).sum((-2, -1))
    return total


def weighted_kappa_influence(power: int) -> Callable[[ConfusionMatrix, Any, Any], Any]:
    """How one more case in each of some cells moves a weighted kappa, `(cells,)` (Fleiss, Cohen & Everitt 1969)."""

    def influence(matrix: ConfusionMatrix, predicted: Any, true: Any) -> Any:
        n = float(matrix.total)
        p, t = matrix.margins.predicted / n, matrix.margins.true / n
        from_true, from_predicted = mean_distances(t, power), mean_distances(p, power)
        expected = float(p @ from_true)
        observed = float(_disagreement(matrix, power)) / n
        slopes = observed / expected**2 * (from_true[predicted] + from_predicted[true])
        slopes = slopes - np.abs(predicted - true) ** power / expected
        return np.asarray((slopes - observed / expected) / n)

    return influence


@measure(
    "Kappa, linear weights",
    formula="1 - sum |i-j|·n_ij / expected",
    bounds=(-1, 1),
    best=1,
    reference="cohen1968",
    undefined=(NO_ORDER_OF_CLASSES, SAME_SINGLE_CLASS_MATRIX),
    aliases=("linear_weighted_kappa",),
    cell_influence=weighted_kappa_influence(1),
)
def linear_kappa(matrix: ConfusionMatrix) -> Any:
    """Cohen's kappa for ordered classes. The weight of an error is the number of classes that it is off.

    >>> from classay.tables import ConfusionMatrix
    >>> rows = [[50, 3, 2], [10, 30, 5], [4, 6, 40]]
    >>> print(linear_kappa(ConfusionMatrix.from_array(rows, "abc", rows="true", ordered=True)).round(4))
    0.7386
    """
    return weighted_kappa(matrix, 1)


@measure(
    "Kappa, quadratic weights",
    formula="1 - sum (i-j)²·n_ij / expected",
    bounds=(-1, 1),
    best=1,
    reference="cohen1968",
    undefined=(NO_ORDER_OF_CLASSES, SAME_SINGLE_CLASS_MATRIX),
    aliases=("quadratic_weighted_kappa", "qwk"),
    cell_influence=weighted_kappa_influence(2),
)
def quadratic_kappa(matrix: ConfusionMatrix) -> Any:
    """Cohen's kappa for ordered classes. The weight of an error is the squared number of classes that it is off.

    >>> from classay.tables import ConfusionMatrix
    >>> rows = [[50, 3, 2], [10, 30, 5], [4, 6, 40]]
    >>> print(quadratic_kappa(ConfusionMatrix.from_array(rows, "abc", rows="true", ordered=True)).round(4))
    0.7766
    """
    return weighted_kappa(matrix, 2)


def per_class(of: Measure) -> Callable[[Any], Any]:
    """Return a function that computes a measure of each class against all others.

    It takes a confusion matrix and gives `[..., class]`.

    Examples
    --------
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
        raise InputError(f"{kind} needs a measure, as in {kind}(f1), but is {shown(of)}.")


def _of_counts(of: Measure, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return a measure of counts; one of a whole matrix, on the matrix of the class against the rest."""
    return of.raw(*_arguments(of, tp, fp, fn, tn))


def _arguments(of: Measure, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, ...]:
    """Return what a measure of one class, and its conditions, take of the counts of that class."""
    if of.needs == "counts":
        return tp, fp, fn, tn
    if of.needs != "margins":
        raise InputError(
            f"{of.name} cannot be averaged over classes. Use a measure of one class by its counts, such as precision."
        )
    pairs = (tn, tp), (tn + fn, tp + fp), (tn + fp, tp + fn)
    return tuple(np.stack(np.broadcast_arrays(*pair), -1) for pair in pairs)


def macro(of: Measure) -> Measure:
    """Average a class measure over all classes, with equal weights.

    The mean is not defined if the measure is not defined for some class.

    Examples
    --------
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
    """Average a class measure, each class weighted by its true frequency.

    A class that is never true does not count.

    Examples
    --------
    >>> from classay.measures import f1
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> print(weighted(f1)(matrix).round(4))
    0.7973
    """

    def mean(hits: Any, predicted: Any, true: Any) -> Any:
        values = _of_counts(of, *_class_counts(hits, predicted, true))
        return ratio(np.where(true == 0, 0, true * values).sum(-1), true.sum(-1))

    return _averaged(of, "weighted", "mean over the classes, weighted by true cases", mean)


def micro(of: Measure) -> Measure:
    """Compute a class measure from the summed counts of all classes.

    For precision, recall and F1 it is the accuracy.

    Examples
    --------
    >>> from classay.measures import f1
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> print(micro(f1)(matrix))
    0.8
    """

    def pooled(hits: Any, predicted: Any, true: Any) -> Any:
        return _of_counts(of, *(part.sum(-1) for part in _class_counts(hits, predicted, true)))

    return _averaged(of, "micro", "from the pooled counts of all classes", pooled)


def _class_counts(hits: Any, predicted: Any, true: Any) -> tuple[Any, Any, Any, Any]:
    return Margins(hits, predicted, true).class_counts()


def _averaged(of: Measure, kind: Average, how: str, function: Callable[..., Any]) -> Measure:
    _refuse_other(of, kind)
    name = f"{kind}_{of.name}"
    if name in MEASURES:
        return MEASURES[name]
    conditions = [EMPTY, *(_in_some_class(of, condition, kind) for condition in of.undefined)]
    averaged = Measure(
        name,
        title=f"{of.title}, {kind} average",
        function=function,
        needs="margins",
        formula=f"{how}: {of.formula}",
        bounds=of.bounds,
        best=of.best,
        undefined=tuple(conditions),
        reference="sokolova2009",
        aliases=of.averages.get(kind, ()),
        parts=_right_among_all if name in ACCURACIES else None,
        share_of=_averaged_share(of.share_of, kind),
        average=Averaged(kind, of),
        complement=None if of.complement is None else f"{kind}_{of.complement}",
    )
    return document(averaged, f"The {kind} average of {of.name} over classes.")


ACCURACIES = ("micro_recall", "weighted_recall", "micro_precision", "micro_f1")
"""Averages that are the accuracy where each case has one label and one answer; the first two also where some have no
answer."""


def _right_among_all(hits: Any, predicted: Any, true: Any) -> tuple[Any, Any]:
    return hits.sum(-1), true.sum(-1)


def _averaged_share(of: SumOfShares | None, kind: Average) -> SumOfShares | None:
    """A mean of shares is a sum of them; by true cases only of those for which the delta method covers too little."""
    if of is None or kind == "micro" or (kind == "weighted" and not of.stretched):
        return None
    return replace(of, each="mean" if kind == "macro" else "by true cases")


def _in_some_class(of: Measure, condition: Condition, kind: str) -> Condition:
    words = condition.of_class if kind == "micro" else f"a class is {condition.of_class}"

    def met(hits: Any, predicted: Any, true: Any) -> Any:
        counts = _class_counts(hits, predicted, true)
        if kind == "micro":
            return condition.met(*_arguments(of, *(part.sum(-1) for part in counts)))
        relevant = (true > 0) if kind == "weighted" else np.ones_like(true, bool)
        return (condition.met(*_arguments(of, *counts)) & relevant).any(-1)

    return Condition(words, words, met)


def over(of: Measure, *labels: Any) -> Measure:
    """Return the plain mean of a class measure over some of the classes, named by their labels or the texts of these.

    By name, it is `f1_over(a, c)`. Raises InputError without a label, and for one that the matrix does not have.

    >>> from classay.measures import f1
    >>> from classay.tables import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> print(over(f1, "a", "c")(matrix).round(4))
    0.8325
    """
    if not labels:
        raise InputError(f"{of.name}_over needs the classes. Use {of.name}_over(LABEL, …).")

    def counts(matrix: ConfusionMatrix) -> tuple[Any, ...]:
        known = {str(label): at for at, label in enumerate(matrix.labels)}
        unknown = [label for label in map(str, labels) if label not in known]
        if unknown:
            raise InputError(f"Class {unknown[0]!r} does not exist. The classes are {some([*known])}.")
        chosen = [known[str(label)] for label in labels]
        return tuple(part[..., chosen] for part in matrix.class_counts())

    def in_some_class(condition: Condition) -> Condition:
        words = f"a class is {condition.of_class}"
        return Condition(words, words, lambda matrix: condition.met(*_arguments(of, *counts(matrix))).any(-1))

    return replace(
        macro(of),
        name=f"{of.name}_over",
        title=f"{of.title}, average over {', '.join(map(str, labels))}",
        formula=f"mean over {', '.join(map(str, labels))}: {of.formula}",
        function=lambda matrix: _of_counts(of, *counts(matrix)).mean(-1),
        needs="matrix",
        undefined=(EMPTY_MATRIX, *map(in_some_class, of.undefined)),
        share_of=None,
        average=None,
        complement=None,
    )


def _family_over(of: Measure) -> Family:
    def some(*labels: str) -> Measure:
        return over(of, *labels)

    some.__doc__ = f"The mean of {of.name} over some of the classes."
    return Family(f"{of.name}_over", some, {"labels": LABEL})


def _family_of_averages(average: Callable[[Measure], Measure], of: Family) -> Family:
    def averaged(beta: float) -> Measure:
        return average(of(beta))

    averaged.__doc__ = f"The {average.__name__} average of {of.name} over classes."
    return Family(f"{average.__name__}_{of.name}", averaged, of.kinds)


def register_averages() -> None:
    """Register the averages of every measure that asks for them; called once, when the measures are loaded."""
    before = [(registry, len(registry)) for registry in (MEASURES, FAMILIES)]
    for average in (macro, weighted, micro):
        add_family(_family_of_averages(average, FAMILIES["f_beta"]))
    of_one_class = [measure for measure in MEASURES.values() if measure.averages]
    for of in of_one_class:
        add_family(_family_over(of))
    known: dict[Average, Callable[[Measure], Measure]] = {
        "macro": macro,
        "weighted": weighted,
        "micro": micro,
    }
    for of in of_one_class:
        for kind in of.averages:
            add(known[kind](of))
    AVERAGED.extend((registry, name) for registry, count in before for name in [*registry][count:])


AVERAGES = ("macro_", "weighted_", "micro_")
OF_ALL_CLASSES = ("balanced_accuracy", "multiclass_g_mean", "pabak")
FAMILY = "measures beside cases without an answer"
WITHOUT_ORDER = Condition(
    "some predictions are missing, and have no place in the order of the labels",
    "some predictions are missing",
    lambda *table: True,
)


def among_answers(measure: Measure, labels: tuple[Hashable, ...]) -> Measure:
    """Return the measure as it is read from a matrix of these labels, of which the last may be the reserved answer.

    An average over classes leaves the reserved one out, so that a case without an answer is missed by its own class and
    a false alarm of none; measures that rest on the order of the labels are undefined. All others are as they are: for
    accuracy, kappa and MCC it is one more predicted class, never right.

    >>> import numpy as np
    >>> from classay.measures import get
    >>> from classay.tables import ConfusionMatrix
    >>> counts = np.array([[8, 0, 0], [0, 5, 0], [2, 5, 0]])
    >>> matrix = ConfusionMatrix(counts, ("a", "b", NO_ANSWER))
    >>> among_answers(get("macro_recall"), matrix.labels)(matrix)
    np.float64(0.65)
    """
    if not labels or labels[-1] is not NO_ANSWER or measure.plain is not None:
        return measure
    if measure.needs == "matrix" and measure.family != FAMILY and not measure.base.endswith("_over"):
        return replace(measure, function=_nothing, family=FAMILY, undefined=(WITHOUT_ORDER,))
    if measure.family == FAMILY or (measure.family == measure.name and measure.name in MEASURES):
        return measure  # it is so read already
    is_average = measure.name.startswith(AVERAGES) or measure.name in OF_ALL_CLASSES
    if measure.needs != "margins" or not is_average:
        return measure
    return replace(
        measure,
        function=_of_classes(measure.function),
        parts=measure.parts if measure.name in ACCURACIES[:2] else None,
        family=FAMILY if measure.share_of is None else measure.name,
        undefined=tuple(replace(reason, met=_of_classes(reason.met)) for reason in measure.undefined),
    )


def _nothing(matrix: Any) -> Any:
    return np.full(np.shape(matrix.total), np.nan)[()]


def _of_classes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of hits, predicted and true weight that looks at all classes but the last."""

    def without_last(hits: Any, predicted: Any, true: Any) -> Any:
        return function(hits[..., :-1], predicted[..., :-1], true[..., :-1])

    return without_last
