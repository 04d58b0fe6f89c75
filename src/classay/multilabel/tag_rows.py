"""Rows of cases with several labels each, checked: from matrices, lists or the columns of a frame."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy, MissingLabels
from classay.assessment.assessment import Assessment
from classay.assessment.other_rows import WayOfRows
from classay.assessment.parts import Estimation, InputSummary, KindOfWeight, Sampling, kind_of_weight
from classay.assessment.row_arguments import RowArguments
from classay.column_names import used_names
from classay.columns import Labels, code_labels
from classay.columns.class_columns import table_columns
from classay.columns.labels import declared
from classay.columns.numbers import counted, refuse_weights, row_weights, weight_scale
from classay.columns.opened import RawColumn, filled_in, single_column
from classay.columns.scales import (
    COUNTS,
    LOGITS,
    improper_rows,
    outside,
    range_in_words,
    refuse_idle_scale,
    scaled,
)
from classay.columns.values import listing
from classay.errors import InputError, NothingCountsError, check_word
from classay.kinds import ScoreScale, is_mapping
from classay.multilabel.long_tags import long_tags
from classay.multilabel.tag_assessment import MultilabelAssessment, Thresholds, thresholds_of
from classay.multilabel.tag_columns import Names, TagColumns, columns_of_tags
from classay.multilabel.tag_marks import TagMarks, are_tags, tag_marks, tag_scores
from classay.multilabel.tag_scores import Drawn, DrawnRows, MultilabelScores
from classay.multilabel.tag_tables import MultilabelTable
from classay.multilabel.task import Multilabel
from classay.predictions import only
from classay.sources.inputs import columns_of_roles, roles_of_amounts
from classay.texts import hint, listed

Array = NDArray[Any]


def is_of_tags(y_true: Any, y_score: Any, y_pred: Any, truth: Any, separator: str | None) -> bool:
    """Check whether what `assess` was given is of several labels a case."""
    if separator is not None or (truth is not None and not isinstance(truth, str)):
        return True
    if isinstance(truth, str):
        return "*" in truth
    y_true = single_column(y_true)
    if are_tags(y_true):
        return True
    preds = y_score if y_pred is None else y_pred
    is_table = hasattr(y_true, "columns") or hasattr(y_true, "column_names") or is_mapping(y_true)
    return (
        is_table
        and preds is not None
        and (hasattr(preds, "tocsr") or hasattr(preds, "columns") or is_mapping(preds) or np.ndim(preds) == 2)
    )


DRAWN = "weight", "frequency", "cluster", "case", "tag"
"""The arguments of `assess` that say how rows of tags were drawn."""
ONE_LABEL = {"positive": None, "id": None, "amounts": None, "ordered": False} | {
    "unanswered": "refuse",
    "improper": "keep",
}
"""Arguments that mean nothing for tags, with their defaults."""


def are_tags_in(y_true: Any, y_score: Any, options: RowArguments) -> bool:
    """Check whether what `assess` or `assess_by` was given is of several labels a case."""
    if options.get("case") is not None or options.get("tag") is not None:
        return True
    return is_of_tags(y_true, y_score, options.get("y_pred"), options.get("truth"), options.get("separator"))


def refuse_tags(who: str, y_true: Any, y_score: Any, options: RowArguments) -> None:
    """Raise InputError for several labels a case, which `who` cannot take, and for arguments that speak of some."""
    if are_tags_in(y_true, y_score, options):
        given = [f"{name}=" for name in ("separator", "case", "tag") if options.get(name) is not None]
        raise InputError(
            f"{who} cases with one label each, but these cases are multilabel. Pass groups of cases to "
            f"assess_by(..., by=column){f', or remove {listed(given)}' if given else ''}."
        )


def tags_in(y_true: Any, y_score: Any, options: RowArguments, by: Any = None) -> MultilabelRows | None:
    """Return the checked rows of what `assess` or `assess_by` was given; None where cases have one label each.

    Raises InputError, as they do.
    """
    if not are_tags_in(y_true, y_score, options):
        return None
    drawn: dict[str, Any] = {name: options.get(name) for name in DRAWN} | {"by": by}
    missing = AnswerPolicy.of(options.get("missing", "refuse"), "refuse").missing
    labels, separator, truth = options.get("labels"), options.get("separator"), options.get("truth")
    scale, task = options.get("score_scale"), options.get("task")
    refuse_of_one_label(options)
    if truth is None:
        columns = TagColumns(y_true, y_score, options.get("y_pred"), labels, separator, **drawn)
        return checked_tags(columns, scale, task, missing)
    named = {"truth": truth, "score": options.get("score"), "prediction": options.get("prediction")}
    rows = checked_tags(columns_of_tags(y_true, named, drawn, labels, separator), scale, task, missing)
    return replace(rows, repeats=_repeats(y_true, named, drawn))


def _repeats(
    frame: Any, named: Mapping[str, Names], drawn: Mapping[str, RawColumn | None]
) -> tuple[str, int] | None:
    """The column of ids of a frame that repeats its values; None where clusters are given, or a case has many rows."""
    if any(drawn[name] is not None for name in ("cluster", "frequency", "case")):
        return None
    from classay.sources.id_columns import repeated_in

    return repeated_in(frame, used_names(named) | used_names(drawn))


def refuse_of_one_label(options: Mapping[str, object]) -> None:
    """Refuse arguments that have no meaning of several labels a case."""
    others = [
        name
        for name, usual in ONE_LABEL.items()
        if (option := options.get(name)) is not None
        and not (isinstance(option, str | bool) and option == usual)
    ]
    if others:
        raise InputError(
            f"{listing(others)} cannot be used with multilabel cases. Remove "
            f"{'it' if len(others) == 1 else 'them'}."
        )


TaskName = Literal["classes", "tags"]
"""Whether a 0/1 matrix is one-hot truth of one label a case, or has a column for each of several labels a case."""


def refuse_one_hot(truth: Any, scores: Any, task: TaskName | None, scale: ScoreScale | None) -> None:
    """Refuse truth with exactly one 1 in each row beside scores as classes have them, unless it is said what they are.

    Such scores sum to 1 in each row, or are raw: some lie outside [0, 1], or were said to be logits.
    """
    if task == "tags" or scores is None or hasattr(scores, "tocsr") or scores.shape[1] < 2:
        return
    if not (np.diff(truth.tocsr().indptr) == 1).all():
        return
    if scale == "logit":
        are = f"the scores are logits ({LOGITS})"
    elif outside(scores) == "by more":
        are = f"some scores lie outside [0, 1] ({range_in_words(scores)})"
    elif not improper_rows(scores).any():
        are = "the scores of each row sum to 1"
    else:
        return
    raise InputError(
        f"Every row of truth has exactly one 1, and {are}. Both fit classes and tags (multilabel). Use "
        "task='classes' for one label per case, or task='tags' for several."
    )


def refuse_other_task(task: TaskName | None, truth: Any, separator: str | None) -> None:
    """Refuse a task that is not that of the columns of truth, of rows that are read part by part."""
    if task is None:
        return
    check_word("task", task, get_args(TaskName))
    are_of_tags = is_of_tags(None, None, None, truth, separator)
    if are_of_tags != (task == "tags"):
        has, name = ("several columns, or one with a separator", "a column of labels")
        if not are_of_tags:
            has, name = ("one column of labels", "a column for each tag, or a separator")
        raise InputError(f"task={task!r} contradicts truth={truth!r} ({has}). Name {name}, or remove task=.")


def with_task(y_true: Any, y_score: Any, options: RowArguments) -> tuple[Any, Any, RowArguments]:
    """Return the truth, the scores and the other arguments of `assess`, one-hot truth of classes as their labels.

    `task` says what a 0/1 matrix is; it stays among the arguments of tags alone. Raises InputError for another word,
    for tags in one column of labels, and for a truth of classes that is not one-hot.
    """
    columns = options.copy()
    task = columns.get("task")
    if task is not None:
        check_word("task", task, get_args(TaskName))
    are_of_tags = are_tags_in(y_true, y_score, columns)
    if are_of_tags and task != "classes":
        return y_true, y_score, columns
    columns.pop("task", None)
    if not are_of_tags:
        if task == "tags":
            raise InputError(
                "task='tags' needs several labels per case, but truth is one column of labels. Pass a 0/1 matrix or "
                "sets of labels, or remove task=."
            )
        return y_true, y_score, columns
    if other := [name for name in ("separator", "case", "tag") if columns.get(name) is not None]:
        raise InputError(
            f"task='classes' is for one label per case, and {other[0]}= is for several. Remove one of the two."
        )
    if columns.get("truth") is not None:
        known: dict[str, Any] = {**columns}
        drawn = {name: known.get(name) for name in ("weight", "frequency", "cluster", "id")}
        named = {role: known.get(role) for role in ("truth", "score", "prediction")}
        tag_columns = columns_of_tags(y_true, named, {}, columns.get("labels"))
        drawn = columns_of_roles(y_true, drawn)
        if columns.get("amounts") is not None:
            columns["amounts"] = columns_of_roles(y_true, roles_of_amounts(columns["amounts"]))
        y_true, y_score = tag_columns.truth, tag_columns.score
        columns |= {"y_pred": tag_columns.prediction, "labels": tag_columns.labels}
        columns |= {"truth": None, "score": None, "prediction": None}
        columns |= cast(RowArguments, drawn)
    names = declared(columns.get("labels"))
    truth, names = _of_one_hot(y_true, "truth", names)
    if columns.get("y_pred") is not None:
        columns["y_pred"], _ = _of_one_hot(columns["y_pred"], "prediction", names)
    kept = {name: column for name, column in columns.items() if column is not None} | {"labels": names}
    return truth, y_score, cast(RowArguments, kept)


def _of_one_hot(values: Any, name: str, labels: Labels | None) -> tuple[Any, Labels]:
    """The label of each row of a one-hot matrix, and the labels of its columns; a column of labels stays as it is."""
    if labels is not None and not are_tags(values) and table_columns(values) is None:
        return values, labels
    one_hot = tag_marks(values, name, labels)
    names = Labels(range(one_hot.marks.shape[1]), "sorted") if one_hot.names is None else one_hot.names
    counts = np.diff(one_hot.marks.tocsr().indptr)
    if (counts != 1).any():
        at = int((counts != 1).argmax())
        raise InputError(
            f"task='classes' needs exactly one 1 in each row, but {name} has {counts[at]} at index {at}. Use "
            "task='tags' for several labels per case."
        )
    codes = one_hot.marks.tocsr().indices
    return [names[code] for code in codes.tolist()], names


def refuse_two_in_clusters(score: Any, cluster: Any) -> None:
    """Refuse scores beside predicted tags of rows in clusters."""
    if score is not None and cluster is not None:
        raise InputError(
            "Scores and y_pred= cannot be combined for rows in clusters. Pass one of them, and assess both "
            "separately."
        )


def checked_tags(
    columns: TagColumns, score_scale: ScoreScale | None, task: TaskName | None, missing: MissingLabels
) -> MultilabelRows:
    """Return the checked rows of one classifier, in long form too.

    Cases of which a true tag is `missing` are left out, or refused; those without a group are kept, or refused.
    """
    check_word("missing", missing, get_args(MissingLabels))
    if columns.score is None and columns.prediction is None:
        raise InputError(
            "Multilabel cases need scores of shape (cases, tags), or y_pred= in the form of the true tags."
        )
    if (columns.case is None) != (columns.tag is None):
        raise InputError(
            "Rows of a case and a tag need both case= and tag=, one value for each row. Pass both."
        )
    if columns.case is not None:
        columns = long_tags(columns, may_lack=missing == "drop")
    if columns.prediction is not None:
        refuse_two_in_clusters(columns.score, columns.cluster)
    rows = tag_rows(columns, score_scale, missing).with_tags()
    if columns.case is None and not rows.listed:
        refuse_one_hot(rows.truth, rows.scores, task, score_scale)
    if columns.by is None:
        return rows
    groups = code_labels(columns.by, "by")
    of_rows = groups_of_rows(groups.codes, groups.labels, rows, missing)
    return replace(
        rows,
        **of_rows._asdict(),
        groups_are_ordered=groups.order is not None,
        gaps=getattr(columns.by, "gaps", ()),
    )


@dataclass(frozen=True, eq=False)
class MultilabelRows(DrawnRows):
    """The checked rows of cases with several labels: which tags are true and called, sparse matrices of ones; scores.

    `called` and `scores` are None where there are none; `frequency`, `weight`, which `scale` has multiplied, and
    `cluster`, codes into `clusters`, are `(rows,)` or None. `kept` are the places among those given of the rows that
    count, None where all do; `group` codes into `groups`, -1 where no group is recorded, None where there are none;
    `uncounted` are groups none of whose rows counts, and `gaps` columns of groups with missing values. `rounded` are
    rows with a score beyond 0 or 1 by rounding alone, which is set back; `score_scale` is what the scores were said to
    be. `listed` says that the true tags came in lists or sets. `repeats` is a column of ids that repeats its
    values. `dropped` rows were left out for a missing true tag.
    """

    labels: Labels
    truth: Any
    called: Any
    scores: Any
    weight: Array | None
    frequency: Array | None
    cluster: Array | None
    clusters: tuple[Hashable, ...] | None
    scale: float
    kind: KindOfWeight
    kept: Array | None = None
    group: Array | None = None
    groups: tuple[Hashable, ...] = ()
    rounded: int = 0
    score_scale: ScoreScale | None = None
    listed: bool = False
    groups_are_ordered: bool = False
    uncounted: tuple[Hashable, ...] = ()
    gaps: tuple[str, ...] = ()
    repeats: tuple[str, int] | None = None
    dropped: int = 0

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.truth.shape[0])

    def with_tags(self) -> MultilabelRows:
        """Return the same. Raises InputError where there is no tag."""
        refuse_no_tags(len(self.labels))
        return self

    @property
    def tag_scores(self) -> MultilabelScores | None:
        """The scores as a table of these rows in their sequence."""
        return (
            None
            if self.scores is None
            else MultilabelScores(self.labels, self.truth, self.scores, **self.drawn)
        )

    def take(self, rows: Array) -> MultilabelRows:
        """Return some of the rows, in this sequence; clusters that are left are numbered without gaps."""

        def of(values: Any) -> Any:
            return None if values is None else values[rows]

        cluster, clusters = of(self.cluster), self.clusters
        if cluster is not None and clusters is not None:
            used, cluster = np.unique(cluster, return_inverse=True)
            clusters = tuple(clusters[i] for i in used)
        columns = {
            name: of(getattr(self, name))
            for name in ("truth", "called", "scores", "weight", "frequency", "group")
        }
        return replace(
            self, **columns, cluster=cluster, clusters=clusters, rounded=0, repeats=None, dropped=0
        )

    def assessed_like(self, overall: Assessment) -> MultilabelAssessment:
        """Return the assessment of these rows, called as those of a whole are."""
        assert isinstance(overall, MultilabelAssessment)
        task = overall.task
        if self.called is not None or (task.cutoffs is None and task.top is None):
            assessment = self.assessed(overall.estimation)
            return (
                assessment
                if task.tags is not None
                else replace(assessment, task=replace(assessment.task, tags=None, cutoffs=None))
            )
        assessment = self.assessed(overall.estimation, task.cutoffs, task.top)
        return replace(assessment, task=replace(assessment.task, cutoff_chosen=task.cutoff_chosen))

    def assessed(
        self, asked: Estimation, threshold: Thresholds = None, top: int | None = None
    ) -> MultilabelAssessment:
        """Return their assessment. Raises InputError for a threshold beside labels that are given as predicted."""
        scores = self.tag_scores
        scores = None if scores is None else scores.in_order()
        if self.called is None:
            task = _called(Multilabel(self.labels, None, scores), threshold, top)
        elif threshold is not None or top is not None:
            raise InputError("threshold= and top= have no effect on predicted labels. Remove them.")
        else:
            table = MultilabelTable.from_marks(self.truth, self.called, self.labels, **self.drawn)
            task = Multilabel(self.labels, table, scores)
        received = InputSummary(rows=self.rows, dropped=self.dropped, rounded=self.rounded)
        asked = replace(asked, score_scale=self.score_scale)
        return MultilabelAssessment(
            task, received, Sampling(self.kind, self.scale, repeats=self.repeats), asked
        )


def refuse_no_tags(tags: int) -> None:
    """Refuse cases among which there is no tag."""
    if not tags:
        raise InputError(
            "There are no tags: truth has no column, or no case has a label. Pass at least one tag."
        )


def tag_rows(
    columns: TagColumns, score_scale: ScoreScale | None = None, missing: MissingLabels = "refuse"
) -> MultilabelRows:
    """Check the rows of one classifier, of which none need have a tag; those of weight 0 are left out.

    Rows of which a true tag is `missing` are left out ("drop"), whatever else they hold. Raises InputError, as `assess`
    does.
    """
    names, y_score = declared(columns.labels), columns.score

    def marked(tags: Any, name: str) -> TagMarks:
        return tag_marks(tags, name, names, columns.separator, may_lack=missing == "drop")

    truth = marked(columns.truth, "truth")
    called = None if columns.prediction is None else marked(columns.prediction, "prediction")
    unknown = truth.unknown
    _refuse_unknown_predictions(called, unknown)
    names = names if names is not None else _names(truth, called)
    scores = None
    if y_score is not None:
        if are_tags(y_score) and not hasattr(y_score, "tocsr") and _are_lists(y_score):
            raise InputError(
                "y_score contains lists of labels. Pass scores of shape (cases, tags), or the lists as y_pred=."
            )
        tags = truth.marks.shape[1] if names is None else len(names)
        scores, score_names = tag_scores(y_score, names, tags, unknown)
        names = score_names if names is None else names
    names = names if names is not None else Labels(range(truth.marks.shape[1]), "sorted")
    marks, called_marks = truth.over(names), None if called is None else called.over(names)
    drawn, scale, kind, keep = _drawn(marks.shape[0], columns, unknown)
    _refuse_lengths(marks, called_marks, scores)
    marks, called_marks, scores = (only(matrix, keep) for matrix in (marks, called_marks, scores))
    scores, rounded = _read_scores(scores, score_scale)
    how: dict[str, Any] = {"rounded": rounded, "score_scale": score_scale, "listed": truth.listed}
    how["dropped"] = 0 if unknown is None else int(unknown.sum())
    return MultilabelRows(
        names, marks, called_marks, scores, **drawn, scale=scale, kind=kind, kept=keep, **how
    )


def _refuse_unknown_predictions(called: TagMarks | None, unknown: Array | None) -> None:
    """Refuse missing predicted tags of cases whose true tags are known."""
    if called is None or called.unknown is None:
        return
    lacking = called.unknown
    if unknown is not None and unknown.size == lacking.size:
        lacking = lacking & ~unknown
    if lacking.any():
        raise InputError(
            f"prediction has a missing tag at index {int(lacking.argmax())}. Pass the predicted tags of every "
            "case."
        )


def _read_scores(scores: Any, scale: ScoreScale | None) -> tuple[Any, int]:
    """The scores of tags on the scale that was named, those set back that leave [0, 1] by rounding; rows with such.

    Each score stands by itself: a logit is that of one tag. Raises InputError for counts, which are shares of a row,
    and for logits of a sparse matrix, in which an absent one would be 0.
    """
    if scores is None:
        refuse_idle_scale(scale)
        return None, 0
    is_sparse = hasattr(scores, "tocsr")
    if scale == "count":
        raise InputError(
            f"{COUNTS} is for scores of classes, but these scores are of tags (multilabel). Use {LOGITS}."
        )
    if scale == "logit" and is_sparse:
        raise InputError(
            f"{LOGITS} needs a score of every case and tag, but the scores are a sparse matrix. Pass a dense array."
        )
    values = scores.data if is_sparse else scores
    converted = scaled(values.ravel(), scale).reshape(values.shape)
    is_rounded = np.zeros(values.shape, bool)
    if outside(converted) == "by rounding":
        within = np.clip(converted, 0, 1)
        converted, is_rounded = within, within != converted
    if not is_sparse:
        return converted, int(is_rounded.any(1).sum())
    copy = scores.copy()
    copy.data = converted
    return copy, int(np.unique(np.repeat(np.arange(copy.shape[0]), np.diff(copy.indptr))[is_rounded]).size)


OF_TAGS = WayOfRows(claims=are_tags_in, rows=tags_in, refuse=refuse_tags, as_named=with_task)
"""How `assess`, and what groups its rows, meet several labels a case."""


class GroupsOfRows(NamedTuple):
    """The group of each checked row, -1 where none is recorded, the groups, and those of which no row counts."""

    group: Array
    groups: tuple[Hashable, ...]
    uncounted: tuple[Hashable, ...]


def groups_of_rows(
    codes: Array, labels: Sequence[Hashable], rows: MultilabelRows, missing: MissingLabels
) -> GroupsOfRows:
    """Return the groups that the checked rows of models belong to, from codes into all groups.

    Raises InputError where there are not as many rows, where no row that counts has a group, and where some have none,
    unless these are shown on a line of their own ("drop").
    """
    check_word("missing", missing, get_args(MissingLabels))
    n_rows = rows.rows if rows.kept is None else None
    if n_rows is not None and codes.size != n_rows:
        raise InputError(
            f"by has {codes.size:,} rows, but truth has {n_rows:,}. Pass arrays of equal length."
        )
    if (lacking := int((codes < 0).sum())) and missing == "refuse":
        remedy = hint("missing='drop'", "--missing drop")
        raise InputError(
            f"group is missing in {counted(lacking)}. Fill in the values, or use {remedy} to show rows "
            "without a group separately."
        )
    there = np.bincount(codes[codes >= 0], minlength=len(labels)) > 0
    codes = codes if rows.kept is None else codes[rows.kept]
    used = np.bincount(codes[codes >= 0], minlength=len(labels)) > 0
    if not used.any():
        raise NothingCountsError("No included row has a recorded group. Check the column of groups.")
    places = np.append(np.cumsum(used) - 1, -1)
    groups, uncounted = (
        tuple(label for label, is_one in zip(labels, wanted, strict=True) if is_one)
        for wanted in (used, there & ~used)
    )
    return GroupsOfRows(places[codes], groups, uncounted)


def _called(task: Multilabel, threshold: Thresholds, top: int | None) -> Multilabel:
    """The tags called by a threshold, or the highest; by one half where nothing is said and scores lie in [0, 1]."""
    if top is not None:
        if threshold is not None:
            raise InputError("threshold= and top= cannot be combined. Use one of them to predict tags.")
        return task.at_top(top)
    if threshold is not None:
        return task.at(thresholds_of(threshold, task.labels))
    assert task.tag_scores is not None
    return replace(task.at(0.5), cutoff_chosen=False) if task.tag_scores.in_unit else task


def _are_lists(values: Any) -> bool:
    first = next(iter(values), None) if not isinstance(values, np.ndarray) else None
    return isinstance(first, set | frozenset) or (
        isinstance(first, list | tuple) and any(isinstance(tag, str) for tag in first)
    )


def _names(truth: TagMarks, called: TagMarks | None) -> Labels | None:
    """Return the names of the tags; those that were met in lists are united, those of columns must be the same."""
    if called is None or called.names is None or truth.names is None:
        both = [marks for marks in (truth, called) if marks is not None]
        widths = {marks.marks.shape[1] for marks in both}
        if len(widths) > 1:
            raise InputError(
                f"truth and prediction have {sorted(widths)} columns. Pass one column for each tag in both."
            )
        return next((marks.names for marks in both if marks.names is not None), None)
    if truth.named and called.named and {*truth.names} != {*called.names}:
        one, other = {*truth.names}, {*called.names}
        raise InputError(
            f"truth and prediction have different tags: only one has {listing(sorted(one ^ other, key=str))}. "
            "Use the same tags in both."
        )
    return truth.names if truth.named and called.named else truth.names | called.names


def _drawn(
    rows: int, columns: TagColumns, unknown: Array | None
) -> tuple[Drawn, float, KindOfWeight, Array | None]:
    """Weights, frequencies and clusters of the cases that count, the scale of weights, their kind, and which count.

    Cases with `unknown` tags do not, and what else is missing of them is not asked.
    """
    weight, frequency, cluster = columns.weight, columns.frequency, columns.cluster
    if unknown is not None:
        if unknown.all():
            nothing = NothingCountsError("Every case has a missing true tag. Check the columns of true tags.")
            nothing.dropped = unknown.size
            raise nothing
        weight, frequency, cluster = (filled_in(each, unknown) for each in (weight, frequency, cluster))
    weight, frequency = row_weights(weight, frequency)
    coded = None if cluster is None else code_labels(cluster, "cluster")
    codes: Array | None = None if coded is None else coded.codes
    for name, column in (
        ("weight", weight),
        ("frequency", frequency),
        ("cluster", codes),
    ):
        if column is not None and column.size != rows:
            raise InputError(
                f"truth has {rows} rows, but {name} has {column.size}. Pass arrays of equal length."
            )
    if coded is not None and coded.missing:
        raise InputError("cluster is missing in some rows. Give the cluster of every row.")
    try:
        refuse_weights(weight, frequency)
    except NothingCountsError as nothing:  # those left out are counted of a part that has no other
        nothing.dropped = 0 if unknown is None else int(unknown.sum())
        raise
    scale = weight_scale(weight)
    weights = weight if frequency is None else frequency
    counts = np.ones(rows, bool) if weights is None else weights > 0
    counts &= True if unknown is None else ~unknown
    keep = None if counts.all() else np.flatnonzero(counts)
    clusters = None
    if coded is not None:
        codes = only(coded.codes, keep)
        used, codes = np.unique(codes, return_inverse=True)
        clusters = tuple(coded.labels[i] for i in used)
    return (
        {
            "weight": only(None if weight is None else weight * scale, keep),
            "frequency": only(frequency, keep),
            "cluster": codes,
            "clusters": clusters,
        },
        scale,
        kind_of_weight(weight, frequency),
        keep,
    )


def _refuse_lengths(truth: Any, called: Any, scores: Any) -> None:
    if not truth.shape[0]:
        raise InputError("There are no rows because truth is empty. Pass at least one row.")
    for name, matrix in (("prediction", called), ("score", scores)):
        if matrix is not None and matrix.shape[0] != truth.shape[0]:
            raise InputError(
                f"truth has {truth.shape[0]} rows, but {name} has {matrix.shape[0]}. Pass arrays of equal length."
            )
        if matrix is not None and matrix.shape[1] != truth.shape[1]:
            raise InputError(
                f"truth has {truth.shape[1]} tags, but {name} has {matrix.shape[1]}. Pass one column for each tag."
            )
