"""What a person should take from an assessment: the verdict, the largest class beside it, and its confusions."""

from __future__ import annotations

from collections.abc import Hashable
from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment import in_order, views
from classay.assessment.assessment import Assessment
from classay.assessment.flow import as_class, cutoff, hundredths, percent, percents
from classay.columns.numbers import counted
from classay.inference.estimate import Estimate, apart, certain
from classay.inference.significance import mid_p
from classay.measures import macro_roc_auc, roc_auc
from classay.measures.registry import ratio
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.binned import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.confusion import Confusion, Order
from classay.tables.sparse import SparseConfusionMatrix
from classay.tables.sums import are_greatest, equal_cases
from classay.texts import listed, quote

Array = NDArray[Any]


def is_above_baseline(a: Assessment) -> bool:
    """Whether accuracy is shown to be above the share of the largest class, at the level of the assessment.

    Both are of the same cases, so their difference is that of two classifiers, one of which always gives the same
    answer: McNemar's mid-P test of the cases that only one gets right; with sampling weights z, with clusters t,
    of the linearised difference. The answer is chosen on these cases, which can only make it look better. Of classes
    that are equally large, each is such an answer.
    """
    answers = np.flatnonzero(are_greatest(a.class_totals))
    matrix = a.confusion_matrix
    assert matrix is not None
    if a.coded is None and not matrix.is_weighted:
        hits, _, true = matrix.margins
        right, wrong = hits.sum() - hits[answers], true[answers] - hits[answers]
        # of many classes that are equally large, many are called alike
        pairs = np.unique(np.stack([right, wrong], 1), axis=0).tolist()
        return all(first > second and float(mid_p(first, second)) <= 1 - a.level for first, second in pairs)
    return all(_is_above(a, matrix, int(answer)) for answer in answers)


def _is_above(a: Assessment, matrix: ConfusionMatrix, answer: int) -> bool:
    """Whether accuracy is shown to be above that of always giving one answer, of weighted or clustered cases."""
    cells = SparseConfusionMatrix.of_matrix(matrix)
    predicted, true, weight = cells.occupied
    gain = (predicted == true).astype(np.float64) - (true == answer)
    total = float(weight.sum())
    mean = float((weight * gain).sum()) / total
    return mean > 0 and _p_value(a, cells, gain - mean, mean * total) <= 1 - a.level


def _p_value(a: Assessment, cells: SparseConfusionMatrix, off: Array, gained: float) -> float:
    """Two-sided p of the sum of a gain whose deviations from its mean by cell are `off`; 1 without a spread."""
    from scipy.special import ndtr, stdtr

    view = views.of_matrix(a)
    if a.coded is not None and view.cells is not None:
        clusters = len(a.coded.clusters)
        squares = float((view.cells.sums(a.coded, _by_cell(view.table, cells, off)) ** 2).sum())
        if clusters < 2 or squares == 0:
            return 1.0
        return 2 * float(stdtr(clusters - 1, -gained / sqrt(squares * clusters / (clusters - 1))))
    assert cells.held_squares is not None, "cases that count alike have an exact test"
    squares = float((cells.held_squares * off**2).sum())
    units = equal_cases(cells.total, cells.held_squares.sum())
    if units <= 1 or squares == 0:
        return 1.0
    return 2 * float(ndtr(-gained / sqrt(squares * units / (units - 1))))


def _by_cell(matrix: ConfusionMatrix, cells: SparseConfusionMatrix, off: Array) -> Array:
    """Values of the cells that hold a case as those of all cells that a matrix keeps."""
    if isinstance(matrix, SparseConfusionMatrix):
        return off
    found = np.zeros(matrix.counts.size)
    found[cells.places] = off
    return found


def top_confusions(a: Assessment, most: int = 5, by: Order = "cases") -> tuple[Confusion, ...]:
    """The first confusions of three classes or more, see `ConfusionMatrix.confusions`; of two the matrix says it all.

    >>> from classay import assess
    >>> (first, *_) = top_confusions(assess(list("aabbbc"), y_pred=list("abbcca")))
    >>> first
    Confusion(true='b', predicted='c', cases=2.0, share=0.6666666666666666)
    """
    if a.confusion_matrix is None or len(a.labels) < 3:
        return ()
    return a.confusion_matrix.confusions(by, most)


NAMED = 3
"""Classes that tie as those found least, and that are all named."""


def verdict(a: Assessment) -> tuple[str, ...]:
    """Two or three sentences that say how good the classifier is, and how sure that is."""
    there = [label for label, total in zip(a.labels, a.class_totals, strict=True) if total > 0]
    if len(there) == 1:
        return _of_one_class(a, there[0])
    return tuple(
        filter(None, (_unanswered(a), _ranking(a), _decisions(a), in_order.sentence(a), _against_baseline(a)))
    )


def _unanswered(a: Assessment) -> str:
    """How many cases have no answer, and what that means for all that follows."""
    if not a.unanswered:
        return ""
    if a.no_answer is not None:
        return f"It gives no answer in {a.unanswered:,} of {a.rows:,} rows, counted as wrong here."
    rows = a.rows + a.unanswered
    return f"It gives no answer in {a.unanswered:,} of {rows:,} rows; what follows is about the others alone."


def _of_one_class(a: Assessment, only: Hashable) -> tuple[str, ...]:
    """What cases of one class show: how many of them are named right, and nothing else."""
    first = f"All cases are of class {quote(only)}"
    needs = (
        "Precision, ranking and a comparison with always saying one class need cases of other classes too."
    )
    if a.confusion_matrix is None:
        return f"{first}.", needs
    name = "accuracy" if a.positive is None else "recall" if only == a.positive else "specificity"
    at = "" if a.cutoff is None else f"at threshold {cutoff(a)} "
    right = a[name]
    return f"{first}; {at}it names that class in {percent(right)}{sure_percent(right)} of them.", needs


def _ranking(a: Assessment) -> str:
    if a.positive is None:
        return ""
    auc = a["roc_auc"]
    if auc.is_undefined:
        return ""
    assert a.scores is not None
    tied = ", where a tie counts one half" if _ties_across(a.scores) else ""
    return (
        f"A random case of class {quote(a.positive)} scores above one of class {quote(_negative(a))} with probability "
        f"{apart(auc.value, auc.low, auc.high)[0]}{_sure(auc, a.level)}{tied}."
    )


def _ties_across(table: ScoreTable | BinnedScoreTable) -> bool:
    """Whether cases of both classes share a score, or a bin."""
    return bool(((table.positives > 0) & (table.negatives > 0)).any())


def _decisions(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return ""
    if a.positive is None:
        weakest = _weakest_class(a)
        accuracy = a["accuracy"]
        return (
            f"It names the right class in {percent(accuracy)}{sure_percent(accuracy)} of the cases{weakest}."
            f"{_most_confused(a)}"
        )
    at = "" if a.cutoff is None else f"At threshold {cutoff(a)} it"
    recall, precision = a["recall"], a["precision"]
    if recall.is_undefined:
        return ""
    found = f"{at or 'It'} finds {percent(recall)}{sure_percent(recall)} of the cases of class {quote(a.positive)}"
    if precision.is_undefined:
        return f"{found}, because it never predicts that class."
    there = "of the cases it puts there"
    if a.no_answer is not None and a.unanswered:
        there = f"{there}, with those of class {quote(_negative(a))} that it does not answer among them"
    return f"{found}, and is right in {percent(precision)}{sure_percent(precision)} {there}."


def _weakest_class(a: Assessment) -> str:
    assert a.confusion_matrix is not None
    hits, _, true = (each[: len(a.labels)] for each in a.confusion_matrix.margins)
    recalls = ratio(hits, true)
    if np.isnan(recalls).all() or np.nanmin(recalls) == np.nanmax(recalls):
        return ""
    least = np.flatnonzero(recalls == np.nanmin(recalls))
    share = percent(Estimate(recalls[least[0]]))
    if least.size == 1:
        return f"; the class it finds least is {quote(a.labels[least[0]])}, with {share}"
    if least.size <= NAMED:
        names = listed([quote(a.labels[at]) for at in least])
        return f"; the classes it finds least are {names}, each with {share}"
    return f"; it finds {least.size:,} of the {len(a.labels):,} classes least, each with {share}"


def _most_confused(a: Assessment) -> str:
    """Which class is most often taken for which other."""
    first = next(iter(top_confusions(a, most=1)), None)
    if first is None:
        return ""
    share = percent(Estimate(first.share))
    true = as_class(first.true)
    return f" Most often it takes {true} for {as_class(first.predicted)}: {share} of the cases of {true}."


def _against_baseline(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return ""
    accuracy, base = a["accuracy"], a["baseline_accuracy"]
    largest = a.labels[int(np.argmax(are_greatest(a.class_totals)))]
    how = "above" if is_above_baseline(a) else "not above" if accuracy.value <= base.value else None
    ours, theirs = percents(accuracy, base)
    if how is None:
        return f"Accuracy {ours} is not shown to be above the {theirs} of always saying {as_class(largest)}."
    return f"Accuracy {ours} is {how} the {theirs} of always saying {as_class(largest)}."


def how_scores_are_kept(a: Assessment) -> str:
    """That scores were counted in bins, and what is certain of their order; nothing where they are exact."""
    if isinstance(a.class_scores, BinnedClassScoreTable):
        bins, what = (
            sum(each.keys.size for each in a.class_scores.bins),
            "mean AUC of the classes against the rest",
        )
        ends = certain(macro_roc_auc, a.class_scores)
    elif isinstance(a.scores, BinnedScoreTable):
        bins, what = a.scores.bins.keys.size, "AUC"
        ends = certain(roc_auc, a.scores)
    else:
        return ""
    width = (ends[1] - ends[0]) / 2 if ends is not None else float("nan")
    sure = ""
    if width == 0:
        sure = f": the {what} is exact"
    elif not isnan(width):
        sure = f": the {what} is certain to ±{width:.1g}, and intervals are as much wider"
    return f"counted in {bins:,} bin{'' if bins == 1 else 's'}{sure}"


def what_is_random(a: Assessment) -> str:
    """One sentence: which uncertainty the intervals include, and which not."""
    cases = f"the {counted(a.n, 'test case')}, drawn independently"
    if a.clusters is not None:
        holding = f"{counted(len(a.clusters), 'cluster')} that {'holds' if len(a.clusters) == 1 else 'hold'}"
        cases = f"the {holding} the {counted(a.n, 'test case')}, drawn independently"
    if a.kind_of_weight == "sampling":
        cases += ", counting by their sampling weights"
    return (
        f"Random: {cases}; intervals at {100 * a.level:g} %. The trained classifier is taken as "
        "it is: nothing here is about other training sets, or cases drawn elsewhere."
    )


def _sure(found: Estimate, level: float) -> str:
    if not found.has_interval:
        return ""
    _, low, high = apart(found.value, found.low, found.high)
    return f" ({100 * level:g} % interval {low} to {high})"


def sure_percent(found: Estimate) -> str:
    """The interval of a share in percent, as it stands behind the share in a sentence."""
    _, low, high = hundredths(found.value, found.low, found.high)
    return f" ({low} to {high})" if found.has_interval else ""


def _negative(a: Assessment) -> object:
    return next(label for label in a.labels if label != a.positive)
