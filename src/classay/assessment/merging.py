"""The sum of two assessments, from their tables alone; values by block of cases, by which saved ones are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from math import exp, isnan, lgamma
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import NO_ANSWER, refuse_infinite
from classay.assessment import views
from classay.assessment.task import added, alone_has_a_default
from classay.assessment.views import adapted_to_task
from classay.columns import Labels
from classay.columns.labels import OfClasses
from classay.columns.scales import MIXED, ends_in_words, outside
from classay.compiled import thread_count, workers
from classay.errors import InputError, MergeError
from classay.inference import left_out
from classay.measures import Measure, get
from classay.measures.probability import why_unbounded
from classay.tables import CaseTable, ScoreTable
from classay.tables.paired import Blocks
from classay.tables.scores import ONE_IS_RAW, refuse_two_rules_of_ties
from classay.texts import hint

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.tables import ConfusionMatrix

ALIKE = (
    "positive",
    "cutoff",
    "cutoff_chosen",
    "level",
    "seed",
    "kind_of_weight",
    "weight_scale",
    "interval",
    "limit",
)
"""What must be the same of two assessments that are added."""


def merged(a: Assessment, other: Assessment) -> Assessment:
    """Return the assessment of both test sets together; MergeError says what differs when they cannot be added."""
    if a.raw_scores != other.raw_scores:
        raise MergeError(ONE_IS_RAW)
    _refuse_two_scales(a, other)
    if alone_has_a_default(a.task, other.task):  # without labels, as of all rows together
        a, other = (side.changed(cutoff=None, confusion_matrix=None) for side in (a, other))
    labels = labels_together(a, other)
    _refuse_tied_with_none(a, other)
    _refuse_two_policies(a, other)
    a, other, no_answer = _with_answers(a, other, labels)
    task = a.task.merged(other.task, labels, no_answer)
    coded = added("clusters", a.coded, other.coded)
    if (a.blocks is None) != (other.blocks is None):
        raise MergeError(
            "Only one of the two assessments has IDs of its rows. Assess both files with "
            f"{hint('id=', '--id')}."
        )
    blocks = None
    if a.blocks is not None and other.blocks is not None:
        if a.coded is None and a.blocks.are_of_same_cases(other.blocks):
            raise MergeError(
                "Both assessments contain the same cases (same IDs and true labels), so adding them would "
                "count cases twice. Add assessments of different cases, or compare two models with "
                f"{hint('ca.compare', 'classay compare')}."
            )
        blocks = a.blocks.merged(a.scores, other.blocks, other.scores, task.scores)
    repeats = a.sampling.merged_repeats or other.sampling.merged_repeats
    sampling = replace(a.sampling, coded=coded, blocks=blocks, repeats=repeats)
    estimation, received = a.estimation.merged(other.estimation), a.received + other.received
    if _are_mixed(a, other) or _are_mixed(other, a):
        estimation = replace(estimation, scales_of_parts=tuple(sorted({*estimation.scales_of_parts, MIXED})))
    return replace(a, task=task, received=received, sampling=sampling, estimation=estimation)


def _refuse_two_scales(a: Assessment, other: Assessment) -> None:
    """Refuse scores of a named scale, which lie in [0, 1], beside scores outside of it: they cannot be ranked together.

    Where nobody named a scale, raw scores of a small part may lie in [0, 1] by chance, and parts add up as before.
    """
    for here, there in ((a, other), (other, a)):
        named = here.score_scale or next((scale for scale in here.scales_of_parts if scale != MIXED), None)
        if named is None or there.scores is None:
            continue
        finite = there.scores.scores[np.isfinite(there.scores.scores)]
        if finite.size and outside(finite[[0, -1]]) == "by more":
            low, high = ends_in_words(finite[[-1, 0]])
            raise MergeError(
                f"The scores of one assessment were converted to probabilities (score_scale={named!r}), but "
                f"the other has scores from {low} to {high}. Assess both with the same "
                f"{hint('score_scale=', '--score-scale')}."
            )


MAX_P_OF_UNIT = 1e-3
"""The chance that all scores of a part lie in [0, 1], below which it has another scale than a part outside."""


def _are_mixed(a: Assessment, other: Assessment) -> bool:
    """Check whether the scores of `other` all lie in [0, 1], which is unlikely if they were drawn as those of `a`.

    The chance is that of the beta-binomial distribution, the share of scores inside having Jeffreys' prior: few rows of
    `a` show little about it.
    """
    if a.scores is None or other.scores is None or a.raw_scores or not other.scores.are_probabilities:
        return False
    is_finite = np.isfinite(a.scores.scores)
    is_beyond = is_finite & ((a.scores.scores < 0) | (a.scores.scores > 1))
    if not is_beyond.any() or outside(a.scores.scores[is_beyond][[0, -1]]) != "by more":
        return False
    cases = a.scores.positives + a.scores.negatives
    share = float(cases[is_finite & ~is_beyond].sum() / cases[is_finite].sum())
    inside, every = share * a.rows + 0.5, a.rows + 1
    log_p = lgamma(inside + other.rows) - lgamma(inside) + lgamma(every) - lgamma(every + other.rows)
    return exp(log_p) < MAX_P_OF_UNIT


def _refuse_two_policies(a: Assessment, other: Assessment) -> None:
    """Refuse parts of which one counts cases without an answer as wrong, and the other has left such cases out."""
    for here, there in ((a, other), (other, a)):
        if here.no_answer is not None and there.no_answer is None and max(there.unanswered, there.unscored):
            raise MergeError(
                "One assessment counts missing predictions as incorrect, and the other excludes them. Assess "
                f"both with the same {hint('unanswered=', '--unanswered')}."
            )


def _with_answers(
    a: Assessment, other: Assessment, labels: tuple[Hashable, ...]
) -> tuple[Assessment, Assessment, tuple[float, ...] | None]:
    """Both with all labels and a row for cases without an answer where one of them has it; and all such cases."""
    both = [each for each in (a, other) if each.no_answer is not None]
    if not both:
        return a, other, None
    at = {label: i for i, label in enumerate(labels)}
    unanswered = [0.0] * len(labels)
    for side in both:
        for label, count in zip(side.labels, side.no_answer or (), strict=True):
            unanswered[at[label]] += count
    if a.is_binary:
        return a, other, tuple(unanswered)
    wide = (*labels, NO_ANSWER)
    return _widened(a, wide), _widened(other, wide), tuple(unanswered)


def _widened(a: Assessment, labels: tuple[Hashable, ...]) -> Assessment:
    """Return the assessment with a matrix, and rows in clusters, of these labels."""
    matrix = None if a.confusion_matrix is None else a.confusion_matrix.over(labels)
    coded = None if a.coded is None else a.coded.over(labels)
    blocks = a.blocks
    if blocks is not None and blocks.matrix is not None:
        blocks = replace(blocks, matrix=blocks.matrix.over(labels))
    return a.changed(confusion_matrix=matrix, coded=coded, blocks=blocks)


def over(a: Assessment, labels: Labels) -> Assessment:
    """Return the assessment with more labels, which include its own; the added ones have no case."""
    if a.is_binary or labels == a.labels:
        return a
    unanswered = dict(zip(a.labels, a.no_answer or (), strict=False))
    none = None if a.no_answer is None else tuple(unanswered.get(label, 0.0) for label in labels)
    wide = (*labels,) if none is None else (*labels, NO_ANSWER)
    return _widened(a, wide).changed(labels=labels, no_answer=none)


def _refuse_tied_with_none(a: Assessment, other: Assessment) -> None:
    """Refuse infinite scores of one beside cases of the other that rank worst for want of an answer."""
    for here, there in ((a, other), (other, a)):
        if here.no_answer is not None and there.no_answer is None and there.scores is not None:
            refuse_infinite(bool(np.isinf(there.scores.scores[[0, -1]]).any()))


def labels_together(a: Assessment, other: Assessment) -> Labels:
    """Return the labels of two assessments that were made in the same way. Raises MergeError for what differs.

    >>> from classay import assess
    >>> labels_together(*(assess(["b", "a"], y_pred=each, positive="b") for each in (["b", "b"], ["a", "b"])))
    ('a', 'b')
    """
    for what in ALIKE:
        here, there = getattr(a, what), getattr(other, what)
        if what == "cutoff" and here == there is not None:
            refuse_two_rules_of_ties(here, there)
        is_alike = what == "positive" or type(here) is type(there)  # True is 1, as labels unite
        if here != there or not is_alike:
            term = (
                {"positive": "positive class"}.get(what, what)
                .replace("cutoff", "threshold")
                .replace("_", " ")
            )
            raise MergeError(
                f"The assessments differ in {term} ({here!r} and {there!r}). Assess both with the "
                "same options."
            )
    labels = Labels.of(a.labels) | Labels.of(other.labels)
    if a.is_binary and len(labels) > 2:
        raise MergeError(
            f"The two assessments have more than two labels together: {labels}. Declare all labels with "
            f"{hint('labels=', '--labels')} in both."
        )
    return labels


Array = NDArray[Any]

OF_SCORES = ("roc_auc", "average_precision", "brier_score", "log_loss")
"""Measures of scores that are saved; all others need the whole file."""
OF_CASES = (
    "log_loss",
    "log_loss_skill",
    "multiclass_brier_score",
    "multiclass_brier_skill",
    "top_2_accuracy",
    "top_3_accuracy",
    "top_5_accuracy",
)
"""Measures of the scores of several classes that are means over cases, or follow from such."""
NO_BLOCKS = (
    f"has no saved blocks of cases, which a comparison of models needs. Assess it with {hint('id=', '--id')}, "
    "without weights or frequencies. For results on different cases, use "
    f"{hint('`ca.compare_unpaired`', '`classay merge --apart`')}."
)


@dataclass(frozen=True, eq=False)
class BlockValues(OfClasses):
    """Measures of an assessment, and each without every block of cases in turn.

    `whole` holds the values, `without` arrays `(64,)`. `cases` and `fingerprint`, `(64,)`, identify the cases of each
    block: two assessments can be compared if both agree. `left_out` counts cases without an answer, which are in no
    block. `unbounded` says of a log-loss why no sample bounds it (`why_unbounded`).
    """

    labels: tuple[Hashable, ...]
    positive: Hashable | None
    level: float
    cases: Array
    fingerprint: Array
    whole: dict[str, float]
    without: dict[str, Array]
    left_out: int = 0
    unbounded: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, a: Assessment, names: Iterable[str] | None = None) -> BlockValues:
        """Of the named measures; by default of all measures of labels, and those of scores that take one pass.

        Raises InputError for an assessment without blocks, or a measure that blocks do not have.
        """
        blocks = _blocks(a)
        wanted = map(get, _saved(a, blocks) if names is None else [*names, *_always(a)])
        values = {measure.name: _value(a, measure) for measure in wanted}
        defined = [name for name, value in values.items() if not isnan(value)]
        return cls(
            a.labels,
            a.positive,
            a.level,
            blocks.cases,
            blocks.fingerprint,
            {name: values[name] for name in defined},
            without_blocks(a, defined),
            a.unanswered if a.no_answer is None else 0,
            {name: why for name in defined if (why := _why_unbounded(a, get(name)))},
        )


def _why_unbounded(a: Assessment, measure: Measure) -> str | None:
    table = a.table(measure)
    return why_unbounded(measure, table) if isinstance(table, ScoreTable | CaseTable) else None


def _always(a: Assessment) -> list[str]:
    """Return the measure that tells how many cases are called positive, on which others rest."""
    return ["predicted_prevalence"] if a.is_binary and a.block_matrix is not None else []


def without_blocks(a: Assessment, names: Iterable[str]) -> dict[str, Array]:
    """Measures of an assessment without each of the 64 blocks of cases in turn, `(64,)`; NaN where undefined.

    Raises InputError for an assessment without blocks, and for measures that cannot be had by blocks: of scores of
    several classes all but means over cases, and measures of labels of more than 128 classes.
    """
    blocks = _blocks(a)
    matrices: dict[float | None, ConfusionMatrix | None] = {}  # of each threshold, once for all its measures

    def matrix_of(measure: Measure) -> ConfusionMatrix | None:
        if measure.threshold not in matrices:
            called = views.called(a, measure)
            matrices[measure.threshold] = None if isinstance(called, str) else called.block_matrix
        return matrices[measure.threshold]

    def without(measure: Measure) -> Array:
        measure = adapted_to_task(a, measure)
        if measure.is_of_matrix:
            matrix = matrix_of(measure)
            if matrix is None:
                raise InputError(f"Blocks of {len(a.labels)} classes are not saved. Compare the rows.")
            return left_out.of_labels(measure, matrix, measure.class_among(a.labels, a.positive))
        if a.cases is not None and blocks.sums is not None and measure.name in OF_CASES:
            return left_out.of_cases(measure, a.cases, blocks.sums)
        if a.scores is None or blocks.of_scores is None:
            raise InputError(f"Blocks for {measure.name} of several classes are not saved. Compare the rows.")
        return left_out.of_scores(measure, a.scores, blocks.of_scores)

    measures = [*map(get, names)]
    for measure in measures:  # before there are threads
        a.table(measure)  # refuses measures of one class among several
        if measure.is_of_matrix:
            matrix_of(adapted_to_task(a, measure))
    with workers(thread_count(0 if blocks.of_scores is None else blocks.of_scores.size)) as run:
        return dict(zip([each.name for each in measures], run(without, measures), strict=True))


def _blocks(a: Assessment) -> Blocks:
    if a.blocks is None:
        raise InputError(f"The assessment {NO_BLOCKS}")
    return a.blocks


def _saved(a: Assessment, blocks: Blocks) -> list[str]:
    """Return the measures of which blocks are saved."""
    names = OF_SCORES if a.scores is not None else OF_CASES if blocks.sums is not None else ()
    has_matrix = a.confusion_matrix is not None
    has_matrix &= blocks.matrix is not None or blocks.of_scores is not None
    return [each.name for each in a.applicable() if (has_matrix and each.is_of_matrix) or each.name in names]


def _value(a: Assessment, measure: Measure) -> float:
    """Return the value alone, without the work of its interval; NaN where it is undefined."""
    table = a.table(measure)
    measure = adapted_to_task(a, measure)
    if isinstance(table, str) or measure.why_undefined(table) is not None:
        return float("nan")
    return float(measure(table))
