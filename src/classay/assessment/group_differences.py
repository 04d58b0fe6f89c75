"""Each group beside the cases it is compared with: what both are measured by, and which differences may be told."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.task import Tags
from classay.assessment.views import view_of_measure
from classay.inference.estimate import Estimate
from classay.inference.left_out import OF_OTHERS, Others
from classay.inference.sampling_units import without_blocks
from classay.kinds import OfKinds
from classay.measures import Measure, get
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.tables.binned import BinnedScoreTable
from classay.tables.sums import sum_by_halves

Array = NDArray[Any]
FEW = 10
"""Cases that a rate must rest on, in the group and in its reference, for their difference to be told."""

MAIN = ("roc_auc", "accuracy", "recall", "specificity", "precision", "brier_score")
MAIN_UNCALLED = ("roc_auc", "average_precision", "brier_score")
MAIN_SEVERAL = ("accuracy", "balanced_accuracy", "macro_f1", "macro_roc_auc", "log_loss")
"""What most readers want of each group: of two classes, of their scores alone, of several classes."""


def main_measures(a: Assessment) -> tuple[str, ...]:
    """The measures that most readers want of each group, of those that an assessment has."""
    wanted = MAIN_SEVERAL if a.positive is None else MAIN if a.confusion_matrix is not None else MAIN_UNCALLED
    known = {measure.name for measure in a.applicable()}
    improper = is_improper(a)
    return tuple(name for name in wanted if name in known and not (improper and of_probabilities(name)))


def too_few(measure: Measure, a: Assessment, where: str) -> str:
    """Why a difference cannot rest on these cases, if they are too few; `where` they are."""
    is_mean = measure.parts is None and measure.moments is not None and measure.name not in OF_ONE_CLASS
    if is_mean and a.positive is not None and not a.class_totals.all():
        return f"too few cases{where}: none of one class, whose mean loss the others do not tell"
    return few_said(resting_on(measure, a), where)


OF_ONE_CLASS = {"mean_probability_of_positives": "n_positive", "mean_probability_of_negatives": "n_negative"}
"""Means over the cases of one class, and how many of these a table of scores has."""


def few_said(cases: float, where: str) -> str:
    """Why a difference cannot rest on so many cases, if they are too few."""
    if cases >= FEW:
        return ""
    return f"too few cases{where}: {cases:.3g} to rate, and a difference needs {FEW}"


def resting_on(measure: Measure, a: Assessment) -> float:
    """Cases that a measure rests on: those a proportion or a mean is of, else those of the smaller class.

    Of several classes, all cases; of sampling weights, as many equal cases as would say as much (Kish 1965, Survey
    Sampling).
    """
    table = a.table(measure)
    totals = a.class_totals
    if measure.parts is not None and not isinstance(table, str):
        cases = float(measure.parts(*measure.read((table,)))[1])
    elif measure.name in OF_ONE_CLASS and isinstance(table, ScoreTable | BinnedScoreTable):
        cases = float(getattr(table, OF_ONE_CLASS[measure.name]))
    elif measure.moments is None and a.positive is not None:
        cases = float(totals.min())
    else:
        cases = float(totals.sum())
    return cases * effective_share(a)


def effective_share(a: Assessment) -> float:
    """Effective cases for each unit of weight, (sum w)² / sum w² / sum w."""
    if a.kind_of_weight != "sampling":
        return 1.0
    if a.confusion_matrix is not None and a.confusion_matrix.squares is not None:
        squares = a.confusion_matrix.squares.sum()
    elif a.scores is not None and a.scores.is_weighted:
        squares = a.scores.positive_squares.sum() + a.scores.negative_squares.sum()  # type: ignore[union-attr]
    else:
        return a.rows / float(a.class_totals.sum())
    return float(a.class_totals.sum() / squares)


def is_improper(a: Assessment) -> bool:
    """Whether there are scores, and they cannot be read as probabilities."""
    table = a.scores if a.positive is not None else a.cases
    return table is not None and not table.are_probabilities


def of_probabilities(name: str) -> bool:
    """Whether a measure is one of probabilities."""
    return NOT_PROBABILITIES in get(name).undefined


def known_of_others(
    whole: Assessment, groups: Sequence[Assessment], measures: Sequence[Measure]
) -> list[dict[str, Others]]:
    """What sums tell of the others of each group, so that no table of theirs is made for it."""
    known: list[dict[str, Others]] = [{} for _ in groups]
    tables = [each.scores for each in groups if each.scores is not None]
    # without labels only the table of scores knows how many cases there are
    if not tables or whole.interval is not None or whole.confusion_matrix is None:
        return known
    for name in (each.name for each in measures if each.name in OF_OTHERS):
        for of_group, found in zip(known, OF_OTHERS[name](tables), strict=True):
            if found is not None:
                of_group[name] = found
    return known


def lean(a: Assessment, measures: list[Measure]) -> Assessment:
    """The assessment with the tables that measures need, which are all that is worth adding up."""
    if a.confusion_matrix is None or {each.needs for each in measures} - {"counts", "margins", "matrix"}:
        return a.changed(blocks=None)
    return replace(a.changed(blocks=None), task=a.task.labels_alone())


def is_exact(whole: Assessment) -> bool:
    """Whether a part can be taken from it without a trace: counts can, weights are rounded; of two classes.

    Bins keep a mean score, which is another one in each part.
    """
    is_counted = whole.kind_of_weight != "sampling" and whole.coded is None
    return is_counted and whole.class_scores is None and not isinstance(whole.scores, BinnedScoreTable)


def without(whole: Assessment, part: Assessment) -> Assessment:
    """The assessment of all cases but those of a part: of two classes, counted."""
    assert not isinstance(whole.task, Tags)
    lost = {name: getattr(whole, name) - getattr(part, name) for name in ("rows", "improper", "renormalised")}
    return replace(whole, task=whole.task.without(part.task)).changed(**lost)


def errors_by_block(part: Assessment, measure: Measure, blocks: Mapping[Hashable, int]) -> Array | str:
    """A measure of a part without each block of clusters in turn, or why that is not known."""
    table = part.table(measure)
    assert not isinstance(table, str)
    view = view_of_measure(part, measure, table)
    if view.cells is None or not isinstance(view.table, BinaryCounts | ConfusionMatrix | ScoreTable):
        return "clusters have rows in both: not known of scores of several classes"
    assert part.coded is not None
    return without_blocks(measure, view.table, part.coded, view.cells, blocks)


def sums_of_others(parts: list[Assessment], outside: Assessment | None) -> Iterator[Assessment | None]:
    """For each part the sum of all others, by halves: so that the additions of k parts are k log k, not k²."""
    if len(parts) == 1:
        yield outside
        return
    left, right = parts[: len(parts) // 2], parts[len(parts) // 2 :]
    for half, rest in ((left, right), (right, left)):
        yield from sums_of_others(half, sum_by_halves(rest if outside is None else [outside, *rest]))


@dataclass(frozen=True)
class Slice(OfKinds):
    """One measure in one group: its estimate, how far it is from the reference's, and the p-values of that.

    `p_adjusted` is Holm's over the groups that have a p-value, for this measure. Both p-values are NaN
    where there is no difference with an interval; the reason stands in `difference`.
    """

    group: Hashable
    measure: str
    estimate: Estimate
    difference: Estimate
    p: float
    p_adjusted: float
