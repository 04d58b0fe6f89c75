"""Predictions: aligned, checked rows. The only place where rows are checked."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import NO_ANSWER, REFUSE, AnswerPolicy, MissingColumns, choices, harmless, ranked_worst
from classay.columns import Coded, Labels, code_columns, code_labels, unite, zero_one
from classay.columns.class_columns import in_order_of_labels, table_columns, with_unseen
from classay.columns.coding import hash_column
from classay.columns.labels import OfClasses, no_label_codes, positive_among, refuse_undeclared, shifted_codes
from classay.columns.numbers import (
    StrictThreshold,
    amount_array,
    counted,
    in_precision,
    picked,
    refuse_weights,
    row_weights,
    score_array,
    unscored,
    weight_scale,
)
from classay.columns.opened import filled_in, rows_of
from classay.columns.scales import (
    Outside,
    ReadScores,
    Rounding,
    difference_of_columns,
    improper_rows,
    outside,
    read_scores,
)
from classay.columns.spelling import alike, differing
from classay.columns.values import plain
from classay.errors import InputError, NothingCountsError
from classay.kinds import Improper, ScoreScale, TypedFields, is_mapping
from classay.texts import NAMED, hint, in_columns, quote, some
from classay.wings import altered

Array = NDArray[Any]
MOST_CLASSES = 1_000_000


@dataclass(frozen=True, eq=False)
class Predictions(OfClasses, TypedFields):
    """Checked rows of one classifier on one test set.

    Columns have shape `(rows,)` unless another is given; counts are of rows.

    - `labels`: the classes.
    - `truth`: codes into `labels`.
    - `predicted`: codes into `labels`.
    - `positive`: the positive label of two classes; None of several.
    - `score`: of two classes, the positive class's score.
    - `class_scores`: of several classes, a score for each, `(rows, classes)`, in the order of `labels`.
    - `weight`: sampling weights, multiplied with `weight_scale`; beside them there is no `frequency`.
    - `frequency`: numbers of identical rows.
    - `cluster`: codes of the clusters of rows.
    - `clusters`: the names of the clusters that have rows, in the order of their codes.
    - `id`: hashes of the rows' ids.
    - `group`: codes into `groups`, -1 where no group is recorded.
    - `groups`: groups of rows that are assessed apart.
    - `groups_are_ordered`: whether the groups are ordered categories.
    - `uncounted`: groups none of whose rows counts.
    - `gaps`: the columns of groups in which values are missing, where groups are made of several.
    - `dropped`: rows left out: without a truth, or unanswered unless these count as wrong.
    - `unscored`: unanswered rows that lack only the score.
    - `is_tie_negative`: whether both classes had scores and the positive class is the second, so that a tie of the two
      is negative where nobody chose a threshold, as `argmax` gives it.
    - `raw_scores`: whether the scores of the classes were no probabilities, and so are comparable within a row alone:
      of two classes `score` is then their difference.
    - `improper`: rows whose scores of two classes were no probability distribution (`score` is kept).
    - `weight_scale`: the factor of the weights, 1 unless weights are enormous or tiny.
    - `renormalised`: rows of class scores that were divided by their sum.
    - `rounded`: rows with a score beyond 0 or 1, or a sum beside 1, by rounding alone; such scores are set back.
    - `outside`: how far the given scores lay outside [0, 1].
    - `score_scale`: what the scores were said to be, None if nothing was said.
    - `amounts`: what rows carry, `(rows, amounts)`.
    - `amount_names`: the names of the amounts.
    - `unanswered`: rows without an answer of the model.
    - `undeclared`: unanswered rows whose predicted label is not declared.
    - `no_answer`: rows that count as wrong because they have no answer; None if there are none. Their score ranks them
      worst; their predicted class is the other one of two, or a code beyond the labels of several.
    - `unlabeled`: the answered rows that were left out for want of a truth, as rows whose truth says nothing; None
      without such, with sampling weights or clusters, and for some of the rows.
    - `model`: the name of the scores, or else of the predicted labels; "" where it is not known.
    - `sorted_columns`: rows whose columns of scores had no names, and were read in the sorted order of the labels where
      another order is as likely: labels are text, or a positive one was named.
    - `repeats`: a column of ids that repeats its values, and how many values; None where none does.
    """

    labels: tuple[Hashable, ...]
    truth: Array
    predicted: Array | None = None
    positive: Hashable | None = None
    score: Array | None = None
    class_scores: Array | None = None
    is_tie_negative: bool = False
    raw_scores: bool = False
    weight: Array | None = None
    frequency: Array | None = None
    cluster: Array | None = None
    clusters: tuple[Hashable, ...] | None = None
    id: Array | None = None
    group: Array | None = None
    groups: tuple[Hashable, ...] | None = None
    groups_are_ordered: bool = False
    uncounted: tuple[Hashable, ...] = ()
    gaps: tuple[str, ...] = ()
    dropped: int = 0
    unscored: int = 0
    improper: int = 0
    weight_scale: float = 1.0
    renormalised: int = 0
    rounded: int = 0
    outside: Outside = "nowhere"
    score_scale: ScoreScale | None = None
    amounts: Array | None = None
    amount_names: tuple[str, ...] = ()
    unanswered: int = 0
    undeclared: int = 0
    no_answer: Array | None = None
    unlabeled: Predictions | None = None
    model: str = ""
    sorted_columns: int = 0
    repeats: tuple[str, int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = np.shape(self.truth)
        if len(rows) != 1 or self.truth.dtype.kind not in "iu":
            raise InputError(
                "truth of predictions is not a column of codes. Make predictions from rows with `check`."
            )
        for name, column in vars(self).items():
            if isinstance(column, np.ndarray) and column.shape[:1] != rows:
                raise InputError(
                    f"{name} has shape {column.shape}, but truth has shape {rows}. Pass columns of one length."
                )
        if rows[0] and not 0 <= self.truth.min() <= self.truth.max() < len(self.labels):
            raise InputError(
                f"Codes of truth must be from 0 to {len(self.labels) - 1} ({len(self.labels)} labels)."
            )

    def called(self, threshold: float | None) -> Array | None:
        """The codes of the predicted labels: as given, the best-scored class, or by a threshold; None without any."""
        if self.predicted is not None:
            return self.predicted
        if self.class_scores is not None:
            return self.with_no_answer(self.class_scores.argmax(1).astype(self.truth.dtype))
        if self.score is None or threshold is None:
            return None
        at = self.labels.index(self.positive)
        over = self.score >= in_precision(threshold, self.score.dtype)
        return np.where(over, at, 1 - at).astype(self.truth.dtype)

    @property
    def pairs(self) -> tuple[int, int]:
        """In how many pairs the given labels contradict the given scores, and how many pairs there are.

        Of two classes a pair is a case called positive and one called negative, and contradicts where the former has
        the lower score; of several it is the predicted class and another class of one case. Pairs of a case without
        an answer are left out, and rows count as often as their frequency.
        """
        if self.predicted is None:
            return 0, 0
        answered = np.ones(self.rows, bool) if self.no_answer is None else ~self.no_answer
        times = np.ones(self.rows, np.int64) if self.frequency is None else self.frequency.astype(np.int64)
        times = times[answered]
        if self.score is not None:
            called = (self.predicted == self.labels.index(self.positive))[answered]
            return pairs_reversed(self.score[answered], called, times)
        if self.class_scores is None:
            return 0, 0
        scores, predicted = self.class_scores[answered], self.predicted[answered].astype(np.intp)
        of_answer = np.take_along_axis(scores, predicted[:, None], 1)
        above = (scores > of_answer).sum(1)
        return int((above * times).sum()), int((scores.shape[1] - 1) * times.sum())

    @property
    def in_unit(self) -> bool:
        """Whether the scores of two classes that were given lie in [0, 1]; a difference of raw ones does not count."""
        if self.score is None or self.raw_scores:
            return False
        scores = self.score if self.no_answer is None else self.score[~self.no_answer]
        return outside(scores) == "nowhere"

    @property
    def half(self) -> float:
        """The threshold where nobody chose one, 0 for raw scores; of two columns the first class wins a tie."""
        middle = 0.0 if self.raw_scores else 0.5
        return StrictThreshold(middle) if self.is_tie_negative else middle

    @property
    def default_threshold(self) -> float | None:
        """The threshold of the labels where nobody chose one; None where the scores have none."""
        is_raw = self.raw_scores and self.score is not None
        return self.half if is_raw or self.in_unit else None

    @property
    def labels_of_matrix(self) -> tuple[Hashable, ...]:
        """The labels of predictions; among several classes the reserved answer comes last, if rows have no answer."""
        return self.labels if self.no_answer is None or self.is_binary else (*self.labels, NO_ANSWER)

    def with_no_answer(self, predicted: Array) -> Array:
        """Predicted codes of several classes, with that of the reserved answer in rows without one."""
        if self.no_answer is None:
            return predicted
        wide = np.promote_types(predicted.dtype, np.min_scalar_type(-len(self.labels) - 1))
        return np.where(self.no_answer, len(self.labels), predicted).astype(wide)

    @property
    def rows(self) -> int:
        """Number of rows kept."""
        return int(self.truth.shape[0])

    @property
    def negative(self) -> Hashable:
        """The other label of a binary problem."""
        return next(label for label in self.labels if label != self.positive)

    @property
    def is_positive(self) -> Array:
        """Whether each row is positive, `(rows,)` of booleans."""
        return np.equal(self.truth, self.labels.index(self.positive))

    def take(self, rows: Array) -> Predictions:
        """Return some of the rows, by position; all labels stay known, and nothing counts as dropped."""
        columns = (
            "truth",
            "predicted",
            "score",
            "class_scores",
            "weight",
            "frequency",
            "cluster",
            "group",
            "id",
            "amounts",
            "no_answer",
        )
        taken = {name: getattr(self, name) for name in columns}
        taken = {name: None if values is None else values[rows] for name, values in taken.items()}
        clusters = None
        if self.cluster is not None and self.clusters is not None:
            left = np.isin(np.unique(self.cluster), taken["cluster"])
            clusters = tuple(label for label, stays in zip(self.clusters, left, strict=True) if stays)
        unanswered = 0 if taken["no_answer"] is None else int(taken["no_answer"].sum())
        none = dict.fromkeys(
            ("dropped", "unscored", "undeclared", "improper", "rounded", "sorted_columns"), 0
        )
        others = none | {"clusters": clusters, "unanswered": unanswered, "unlabeled": None, "repeats": None}
        return type(self)._unchecked(**vars(self) | taken | others)  # some of rows that were checked


@dataclass(frozen=True, eq=False)
class InputRows:
    """The columns of the rows of one classifier, as they were given, and how to read them.

    Columns are of any kind that `columns.opened` takes. `y_score` is one score a row (of the positive class), class
    scores of shape `(rows, classes)` in the order of `labels` (by default the sorted labels, as `predict_proba` gives
    them), or a table with a column for each label, read by name (`in_order_of_labels`). Where these rows are one
    part of many and `labels` are not declared, `occurring` are the labels of all parts, and `rounding` says how all
    parts treat scores beyond [0, 1]. `policy` says how to treat rows without a truth or group, of which the second
    stay in the whole where missing values are left out, and rows that the model
    did not answer: no score, no predicted label, or one that is not among the declared `labels`. With
    `improper="renormalise"` rows of class scores that do not sum to 1 are divided by their sum, and counted.
    `score_scale` says what the scores are (`scaled`). Declared labels after those that an array has columns for, or
    without a column of a table, have score 0, unless `fills_unseen` says otherwise. `repeats` is the column of ids that
    repeats its values, as `repeated_ids` has it. `may_declare` says that the caller takes `labels`.
    """

    y_true: Any
    y_score: Any = None
    y_pred: Any = None
    positive: Hashable | None = None
    labels: Sequence[Hashable] | None = None
    occurring: Labels | None = None
    weight: Any = None
    frequency: Any = None
    cluster: Any = None
    id: Any = None
    group: Any = None
    amounts: Mapping[str, Any] | None = None
    policy: AnswerPolicy = REFUSE
    improper: Improper = "keep"
    score_scale: ScoreScale | None = None
    fills_unseen: bool = True
    rounding: Rounding = "judged"
    model: str = ""
    repeats: tuple[str, int] | None = None
    may_declare: bool = False

    @property
    def labelled(self) -> list[tuple[str, Any]]:
        """The columns of labels by name: the truth, and the predicted ones where they were given."""
        return [("truth", self.y_true), *([] if self.y_pred is None else [("prediction", self.y_pred)])]


def pairs_reversed(score: Array, called: Array, times: Array) -> tuple[int, int]:
    """In how many pairs of a case called positive and one called negative the former has the lower score; all pairs.

    >>> pairs_reversed(np.array([0.9, 0.2, 0.4]), np.array([False, True, False]), np.array([1, 1, 2]))
    (3, 3)
    """
    order = np.argsort(score[called], kind="stable")
    below = np.concatenate([[0], np.cumsum(times[called][order])])
    lower = below[np.searchsorted(score[called][order], score[~called], "left")]
    return int((lower * times[~called]).sum()), int(times[called].sum()) * int(times[~called].sum())


def check(rows: InputRows) -> Predictions:
    """Check rows and code their labels.

    Labels of rows of weight 0 count as labels; labels of rows left out for a missing label do not. Scores outside
    [0, 1] by rounding alone (see `outside`) are set to 0 or 1 and counted; if any score lies further outside, or all
    would then be equal, they stay as they are. Class scores of which one lies further outside are raw, and comparable
    within a row alone: of two classes their difference is the score. Raises InputError with what came, what was wanted
    and what to do.

    >>> check(InputRows(["spam", "ham"], [0.9, 0.2], positive="spam")).labels
    ('ham', 'spam')
    """
    if rows.y_score is None and rows.y_pred is None:
        raise InputError("There are no scores and no predicted labels. Pass y_score, y_pred, or both.")
    columns = code_columns(rows.labelled)
    truth, policy, labels = columns[0][1], rows.policy, rows.occurring if rows.labels is None else rows.labels
    rows = replace(rows, y_score=altered("read.keys", rows.y_score, truth.labels))
    declared = labels is not None
    scores, labels, absent = in_order_of_labels(rows.y_score, truth, labels)
    scores = None if scores is None else score_array(scores)
    if scores is not None and rows.labels is not None and rows.fills_unseen and not absent:
        scores, absent = with_unseen(scores, labels)
    gaps = getattr(rows.group, "gaps", ())
    grouped = [] if rows.group is None else [(f"group{in_columns(gaps)}", code_labels(rows.group, "group"))]
    lacking = _lacking(columns, labels if rows.occurring is None else None, unscored(scores))
    weight, frequency, cluster, id, amounts = (
        getattr(rows, name) for name in ("weight", "frequency", "cluster", "id", "amounts")
    )
    if policy.drops:
        to_drop = _rows_to_drop(columns[0][1], lacking, policy)
        weight, frequency, cluster, id = (
            filled_in(column, to_drop) for column in (weight, frequency, cluster, id)
        )
        amounts = filled_in(amounts, to_drop)
    clusters = None if cluster is None else code_labels(cluster, "cluster")
    weight, frequency = row_weights(weight, frequency)
    ids = None if id is None else hash_column(id, "id")
    carried, count = _amounts(amounts), truth.codes.shape[0]
    _refuse_lengths(
        count,
        {
            "prediction": columns[-1][1].codes,
            **{"score": scores, "weight": weight, "frequency": frequency},
            **{"cluster": None if clusters is None else clusters.codes, "id": ids},
            **{name: coded.codes for name, coded in grouped},
            **carried,
        },
    )
    if clusters is not None and clusters.missing:
        raise InputError(
            f"cluster has missing values in {counted(clusters.missing)}. Every row needs a cluster."
        )
    known = truth.codes >= 0
    if declared and rows.occurring is None:  # the truth first: its errors are not the model's
        _refuse_undeclared_truth(truth, known, [*map(plain, labels or ())])
    _refuse_missing([columns[0], *grouped], lacking, policy, _undeclared_label(columns, lacking))
    refuse_weights(weight, frequency)  # after all that is refused of rows that may weigh nothing
    scale = weight_scale(weight)
    weight = None if weight is None else weight * scale
    keep = _rows_to_keep(columns[0], lacking, policy, weight if frequency is None else frequency)
    if policy.unanswered == "refuse":
        lacking.refuse(keep, _undeclared_label(columns, lacking))
    no_answer = only(lacking.any, keep)
    scores = None if scores is None else harmless(only(scores, keep), no_answer)
    with picked(keep):
        on_scale = read_scores(scores, rows.score_scale, rows.improper, rows.rounding, absent)
    unanswered = lacking.any & (known if policy.unanswered == "drop" or keep is None else keep)
    without = int(np.count_nonzero(unanswered))
    dropped = known.size - int(np.count_nonzero(known)) + (without if policy.unanswered == "drop" else 0)
    if keep is not None or without:
        counts = known & ~unanswered if policy.unanswered == "drop" else known
        columns = [
            (name, _recoded(coded, keep, counts, None if name == "truth" else lacking))
            for name, coded in columns
        ]
    united, codes = unite(columns, labels)
    _refuse_many(len(united))

    predictions = Predictions(
        united,
        codes[0],
        codes[1] if rows.y_pred is not None else None,
        weight=only(weight, keep),
        frequency=only(frequency, keep),
        cluster=None if clusters is None else only(clusters.codes, keep),
        clusters=None
        if clusters is None
        else tuple(clusters.labels[i] for i in np.unique(only(clusters.codes, keep))),
        id=only(ids, keep),
        dropped=dropped,
        unscored=int((unanswered & lacking.score & ~lacking.prediction & ~lacking.undeclared).sum())
        if without
        else 0,
        unanswered=without,
        undeclared=int((unanswered & lacking.undeclared).sum()) if without else 0,
        no_answer=no_answer if no_answer.any() else None,
        weight_scale=scale,
        renormalised=on_scale.renormalised,
        rounded=on_scale.rounded,
        outside=on_scale.outside,
        score_scale=rows.score_scale,
        amounts=only(np.stack([*carried.values()], 1), keep) if carried else None,
        amount_names=tuple(carried),
        model=rows.model,
        repeats=rows.repeats,
        sorted_columns=codes[0].size if _are_sorted_columns(rows, scores, columns) else 0,
        **_groups(grouped, keep),
        gaps=gaps,
    )
    settled = _marked(_with_scores(predictions, on_scale, rows, declared=declared))
    return replace(settled, unlabeled=unlabeled_rows(rows, settled, np.flatnonzero(~known)))


def unlabeled_rows(rows: InputRows, predictions: Predictions, at: Array) -> Predictions | None:
    """The answered rows without a truth, checked as the others were, with one label for the truth of all of them."""
    if not at.size or rows.weight is not None or rows.cluster is not None:
        return None
    columns = (rows.y_score, rows.y_pred, rows.frequency)
    y_score, y_pred, frequency = (rows_of(column, at) for column in columns)
    truth, policy = [predictions.labels[0]] * at.size, AnswerPolicy(unanswered="drop")
    same: dict[str, Any] = {
        "positive": predictions.positive,
        "labels": Labels.of(predictions.labels),
        "improper": rows.improper,
        "score_scale": rows.score_scale,
        "rounding": "keep" if predictions.raw_scores else rows.rounding,
    }
    try:
        return check(InputRows(truth, y_score, y_pred=y_pred, frequency=frequency, policy=policy, **same))
    except InputError:  # what these rows hold is not assessed, and refuses nothing
        return None


def _are_sorted_columns(rows: InputRows, scores: Array | None, columns: Sequence[tuple[str, Coded]]) -> bool:
    """Whether columns of scores had no names and no declared order, and another order than the sorted one is likely."""
    if scores is None or scores.ndim == 1 or scores.shape[1] < 2 or rows.labels is not None:
        return False
    if table_columns(rows.y_score) is not None or any(coded.order is not None for _, coded in columns):
        return False
    labels = columns[0][1].labels
    is_text = any(isinstance(label, str) for label in labels) and zero_one(labels) is None
    return is_text or rows.positive is not None


def _lacking(
    columns: list[tuple[str, Coded]], declared: Sequence[Hashable] | None, no_score: Array | None
) -> MissingColumns:
    """Return which rows the model did not answer; columns of another length than the truth are refused later."""
    known = None if declared is None else {plain(label) for label in declared}
    rows = columns[0][1].codes.size
    no_score = None if no_score is None or no_score.size != rows else no_score
    if len(columns) == 1 or columns[1][1].codes.size != rows:
        return MissingColumns.of(rows, None, (), known, no_score)
    prediction = columns[1][1]
    return MissingColumns.of(rows, prediction.codes, prediction.labels, known, no_score)


def _refuse_undeclared_truth(truth: Coded, known: Array, labels: Sequence[Hashable]) -> None:
    """Refuse labels that are not declared in rows that may count, also where the model gave no answer."""
    if not {*labels}.issuperset(truth.labels):
        refuse_undeclared("truth", [truth.labels[code] for code in np.unique(truth.codes[known])], labels)


def _undeclared_label(columns: list[tuple[str, Coded]], lacking: MissingColumns) -> Hashable | None:
    """Return a predicted label that is not declared."""
    if not lacking.undeclared.any():
        return None
    prediction = columns[1][1]
    return prediction.labels[int(prediction.codes[lacking.undeclared.argmax()])]


def _marked(rows: Predictions) -> Predictions:
    """Return the rows, with a wrong label and the worst rank for unanswered rows that count as wrong."""
    no_answer = rows.no_answer
    if no_answer is None:
        return rows
    predicted = rows.predicted
    if rows.is_binary:
        positive = rows.labels.index(rows.positive)
        if predicted is not None:
            predicted = np.where(no_answer, 1 - rows.truth, predicted).astype(rows.truth.dtype)
        score = None if rows.score is None else ranked_worst(rows.score, no_answer, rows.truth, positive)
        return replace(rows, predicted=predicted, score=score)
    if predicted is not None:
        predicted = rows.with_no_answer(predicted)
    scores = rows.class_scores
    wide = None if scores is None else ranked_worst(scores, no_answer, rows.truth, 0)
    return replace(rows, predicted=predicted, class_scores=wide)


def _rows_to_drop(truth: Coded, lacking: MissingColumns, policy: AnswerPolicy) -> Array:
    """Return which rows are left out for want of a truth, or of an answer, as the policy says."""
    to_drop = lacking.any.copy() if policy.unanswered == "drop" else np.zeros(len(truth.codes), bool)
    if policy.missing == "drop" and truth.missing:
        to_drop |= truth.codes < 0
    return to_drop


def _amounts(amounts: Any) -> dict[str, Array]:
    """Return the columns of amounts by their names."""
    if amounts is None:
        return {}
    if not is_mapping(amounts) or not all(isinstance(name, str) for name in amounts):
        raise InputError(
            'amounts must be columns by their names. Pass amounts={"amount": column}, or with a frame '
            'amounts=["amount"].'
        )
    return {name: amount_array(column, name) for name, column in amounts.items()}


def only(values: Any, keep: Array | None) -> Any:
    """Return the rows of a column that stay; None stays None."""
    return values if values is None or keep is None else values[keep]


def _refuse_many(classes: int) -> None:
    if classes > MOST_CLASSES:
        raise InputError(f"There are {classes:,} classes. The maximum is {MOST_CLASSES:,}.")


def _refuse_lengths(rows: int, columns: Mapping[str, Sized | None]) -> None:
    if rows == 0:
        raise InputError("truth is empty. Pass at least one row.")
    for name, values in columns.items():
        if values is not None and len(values) != rows:
            raise InputError(
                f"truth has {rows} rows, but {name} has {len(values)}. Pass arrays of one length."
            )


def _with_scores(rows: Predictions, read: ReadScores, request: InputRows, *, declared: bool) -> Predictions:
    """Settle whether there are two classes or several, which is positive, and whose scores are whose."""
    scores = read.scores
    _refuse_width(rows, 0 if scores is None else scores[:1].size, declared=declared)
    if len(rows.labels) > 2:
        _refuse_positive(rows, request.positive)
        return replace(rows, class_scores=scores, raw_scores=read.is_raw)
    rows = _with_positive(rows, request.positive, may_declare=request.may_declare)
    if scores is None or scores.ndim == 1:
        return replace(rows, score=scores)
    at = rows.labels.index(rows.positive)
    if read.is_raw:  # the class that leads is called, of equal scores the first (see `Predictions.half`)
        difference = difference_of_columns(scores, at)
        return replace(rows, score=difference, raw_scores=True, is_tie_negative=at == 1)
    off = improper_rows(scores)
    improper = int(np.count_nonzero(off if rows.no_answer is None else off & ~rows.no_answer))
    return replace(
        rows, score=_decided_as_argmax(scores, at, ~off), improper=improper, is_tie_negative=at == 1
    )


def _refuse_width(rows: Predictions, width: int, *, declared: bool) -> None:
    """Refuse another number of columns of scores than the classes need."""
    k, labels = len(rows.labels), _named(rows.labels)
    if width == 1 and k > 2:
        if 2 * k > rows.rows and k > 10:
            raise InputError(
                f"truth has {k:,} classes ({labels}) in {counted(rows.rows)}, like a column of ids or numbers. "
                f"{hint('Pass', 'Use')} the column of true labels."
            )
        variants = alike(rows.labels)
        advice = f"{differing(variants)}. If these are the same class, use one spelling. " if variants else ""
        if codes := ",".join(map(str, no_label_codes(rows.labels))):
            advice += f"If {codes} means 'no label', make it missing with {hint('None', f'--na {codes}')}. "
        raise InputError(
            f"{k:,} classes need {k:,} score columns, but there is one ({labels}). "
            f"{advice}{hint(ONE_PER_CLASS, f'Use --class-scores {_class_scores(rows.labels)}.')}"
        )
    if width > 1 and width != k:
        if declared or k > width:
            more = UNSEEN if k > width else ""
            raise InputError(f"The scores have {width} columns, but there are {k} labels ({labels}).{more}")
        if not (width == 2 and zero_one(rows.labels)):
            raise InputError(
                f"The scores have {width} columns, but only {k} labels occur ({labels}). List all labels in the order "
                f"of the columns with {hint('labels=', '--labels')}."
            )


def _refuse_positive(rows: Predictions, positive: Hashable | None) -> None:
    """Refuse a positive class of several, with what makes two classes of these labels where that is known."""
    if positive is None:
        return
    misses = alike(rows.labels)
    first = f" {differing(misses)}. If these are the same class, use one spelling." if misses else ""
    if rows.predicted is not None and not misses:
        advice = shifted_codes(*(_occurring(rows, codes) for codes in (rows.predicted, rows.truth)))
        first = f" {advice[:1].upper()}{advice[1:]}" if advice else first
    given = hint(f"positive={positive!r}", f"--positive {shlex.quote(str(positive))}")
    rest = (
        f"{'Else remove' if first else 'Remove'} {hint('positive=', '--positive')}"
        f"{hint(', and use one_vs_rest(label) for one class against the rest', '')}."
    )
    raise InputError(
        f"{given} needs two classes, but there are {len(rows.labels)} ({_named(rows.labels)}).{first} {rest}"
    )


def _decided_as_argmax(scores: Array, at: int, proper: Array) -> Array:
    """Return the scores of one of two classes, on that side of one half on which the greater of the two puts them.

    In proper rows rounding alone can put them on the other: 0.5 beside 0.49999997 is less than one half of their sum.
    """
    column = np.ascontiguousarray(scores[:, at])
    half, is_second = column.dtype.type(0.5), scores[:, 1] > scores[:, 0]
    is_called = is_second if at == 1 else ~is_second
    least = in_precision(StrictThreshold(0.5), column.dtype) if at == 1 else half
    misplaced = proper & ((column >= least) != is_called)
    if not misplaced.any():
        return column
    nearest = np.where(is_called, least, np.nextafter(least, column.dtype.type(0)))
    return np.where(misplaced, nearest, column).astype(column.dtype)


def _occurring(rows: Predictions, codes: Array) -> list[Hashable]:
    """Return the labels that occur in a column of codes; that of no answer is none."""
    return [rows.labels[code] for code in np.unique(codes) if code < len(rows.labels)]


def _with_positive(rows: Predictions, positive: Hashable | None, *, may_declare: bool) -> Predictions:
    both = zero_one(rows.labels)
    known = positive_among(rows.labels, positive, may_declare=may_declare)
    if known is None:
        ways = " or ".join(
            hint(f"positive={label!r}", f"--positive {shlex.quote(str(label))}") for label in rows.labels[:2]
        )
        raise InputError(f"The positive class is not set. {hint('Pass', 'Use')} {ways}.")
    if len(rows.labels) == 2:
        return replace(rows, positive=known)
    if both is not None:
        labels: tuple[Hashable, ...] = both
        at = labels.index(rows.labels[0])
    else:
        labels, at = (f"not {known}", known), 1
    moved = None if rows.predicted is None else np.full_like(rows.predicted, at)
    return replace(rows, labels=labels, positive=known, truth=np.full_like(rows.truth, at), predicted=moved)


def _named(labels: tuple[Hashable, ...]) -> str:
    return some(labels, write=quote)


UNSEEN = (
    f" For a class that the model never saw, add a column of zeros, or list all classes with "
    f"{hint('labels=', '--labels')}, those of the columns first."
)
"""What to do where truth holds more classes than there are columns."""

ONE_PER_CLASS = "Pass scores of shape (rows, classes), or a mapping {label: scores}."
"""What to do with several classes in Python."""


def _class_scores(labels: Sequence[Hashable]) -> str:
    """Return the value of an option that names the score column of each class; COL is a name that the reader knows."""
    columns = ",".join(f"{label}=COL" for label in labels[:NAMED])
    return shlex.quote(columns) if len(labels) <= NAMED else f"{shlex.quote(columns)},…"


def _recoded(column: Coded, keep: Array | None, known: Array, lacking: MissingColumns | None) -> Coded:
    """Return the rows kept, as codes into the labels that occur in `known` rows, also in those that weigh nothing.

    A predicted label that is not declared is none; where its row is kept, its code is -1.
    """
    codes = column.codes if lacking is None else np.where(lacking.undeclared, -1, column.codes)
    used = np.unique(codes[known & (codes >= 0)])
    position = np.full(len(column.labels) + 1, -1, column.codes.dtype)  # the last is for -1
    position[used] = np.arange(used.size)
    return replace(column, labels=tuple(column.labels[i] for i in used), codes=position[only(codes, keep)])


def _groups(grouped: list[tuple[str, Coded]], keep: Array | None) -> dict[str, Any]:
    """Codes and labels of the groups that rows belong to, of the rows that stay; -1 where no group is recorded."""
    if not grouped:
        return {}
    ((_, coded),) = grouped
    codes = only(coded.codes, keep)
    used = np.unique(codes[codes >= 0])
    if not used.size:
        raise NothingCountsError("No row that counts has a recorded group. Check the column of groups.")
    return {
        "group": np.where(codes < 0, -1, np.searchsorted(used, codes)),
        "groups": tuple(coded.labels[i] for i in used),
        "groups_are_ordered": coded.order is not None,
        "uncounted": _uncounted(coded, used),
    }


def _uncounted(coded: Coded, used: Array) -> tuple[Hashable, ...]:
    """Return the groups none of whose rows stays."""
    if used.size == len(coded.labels):
        return ()
    there = np.unique(coded.codes)
    return tuple(coded.labels[i] for i in np.setdiff1d(there[there >= 0], used))


def _refuse_missing(
    columns: list[tuple[str, Coded]],
    lacking: MissingColumns,
    policy: AnswerPolicy,
    undeclared: Hashable | None,
) -> None:
    """Refuse rows without a truth or a group, unless they are to be left out; also those that weigh nothing."""
    missing = [(name, coded.missing) for name, coded in columns if coded.missing]
    if not missing or policy.missing == "drop":
        return
    also = () if policy.unanswered != "refuse" else lacking.in_words(None, undeclared)
    remedy = hint("missing='drop'", "--missing drop")
    truth = columns[0][1]
    then = "exclude rows without a true label" if truth.missing else ""
    separate = (
        "show rows without a group on a separate line" if truth.missing < sum(n for _, n in missing) else ""
    )
    what = " and to ".join(filter(None, (then, separate)))
    more = f" {choices()}" if also else ""
    raise InputError(
        f"{' and '.join([*(f'{name} has missing values in {counted(count)}' for name, count in missing), *also])}. Use "
        f"{remedy} "
        f"to {what}.{more}"
    )


def _rows_to_keep(
    named: tuple[str, Coded], lacking: MissingColumns, policy: AnswerPolicy, times: Array | None
) -> Array | None:
    """Return which rows stay, or None for all of them: with a truth, an answer if need be, and a weight."""
    name, truth = named
    known = truth.codes >= 0
    keep = known if truth.missing else None
    if policy.unanswered == "drop" and lacking.any.any():
        keep = ~lacking.any if keep is None else keep & ~lacking.any
    if times is not None and (times == 0).any():
        keep = (times > 0) if keep is None else keep & (times > 0)
    if keep is not None and not keep.any():
        raise nothing_left(name, is_known=bool(known.any()))
    return keep


def nothing_left(name: str, *, is_known: bool) -> NothingCountsError:
    """Return the error that rows without a truth, or without an answer, are all the rows there are."""
    if not is_known:
        return NothingCountsError(f"All values of {name} are missing. Check the column of true labels.")
    return NothingCountsError(
        f"All rows with a value of {name} lack a prediction. Check the column of predictions."
    )
