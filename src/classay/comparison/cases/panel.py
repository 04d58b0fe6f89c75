"""Panel: the predictions of several models for the same cases, and what each case says of each model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import REFUSE, AnswerPolicy, MissingColumns, describe_omissions, of_labels
from classay.assessment.assessing import of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.group_warnings import OfGroups, together, warnings_of_groups
from classay.assessment.verdict import TINY, column_warnings
from classay.columns import Coded, code_columns, unite
from classay.columns.doubtful import repeats_said
from classay.columns.labels import OfClasses
from classay.columns.numbers import (
    counted,
    in_order_of_labels,
    in_precision,
    picked,
    score_array,
    table_columns,
    table_labels,
    unscored,
)
from classay.columns.opened import Categories, rows_of
from classay.columns.scales import ScoreScale, improper_rows
from classay.columns.spelling import MOST_MISSES, near_misses, written_otherwise
from classay.columns.values import listing, plain
from classay.comparison.cases.label_measures import ClusterRows, LabelPair, proportion_of
from classay.comparison.cases.score_measures import PanelScores, compare_losses
from classay.comparison.comparison import Comparison
from classay.comparison.named_tests import ComparedInput
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.design import Design
from classay.inference.draws import OrderedRows, order_of_classes
from classay.measures import MEASURES, Measure
from classay.measures.matrices import among_answers
from classay.measures.probability import UNBOUNDED_BY_ENDS, are_probabilities, ends_in_words
from classay.measures.vocabulary import CLASS_NEVER_TRUE, NEVER_SEEN
from classay.predictions import InputRows, Predictions, check, nothing_left, unlabeled_rows
from classay.tables import PairedTable
from classay.tables.scores import summed_from
from classay.texts import hint, listed, quote, some
from classay.warned import Warned, gathered

Array = NDArray[Any]
NOTHING_SHARED = (
    "no measure applies to two models: one has scores, another has labels. Set a threshold for the scores "
    f"with {hint('threshold=', '--threshold')}."
)
DEFAULTS = {
    "scores": ("roc_auc", "average_precision"),
    "probabilities": ("brier_score",),
    "labels": ("accuracy", "recall", "specificity"),
    "labels alone": ("accuracy", "recall", "specificity", "precision", "f1"),
    "classes": ("accuracy", "macro_f1"),
    "class probabilities": ("log_loss",),
}
"""What is compared unasked: a few measures, for every one more makes the adjusted p-values of all larger."""


@dataclass(frozen=True, eq=False)
class PairedPredictions(OfClasses):
    """Models that said something of the same cases: labels, scores of the positive class, or class scores.

    `truth` and `predicted` are codes into `labels`, `(cases,)`; `positive` is None among several classes. A model
    is in each of `scores`, `class_scores` and `predicted` that it has; `thresholds` says where its labels came
    from scores. `frequency`, `weight` and `cluster` (whole numbers from 0 without gaps) are `(cases,)` or None, and
    `amounts` `(cases, amounts)`. `unanswered` counts the cases of each model without an answer. Where they count as
    wrong, they rank worst, and are predicted to be the other class of two, and among several `(no answer)`, the last of
    the labels then; where they are left out, `omitted` says of which cases that was. `alone` holds, where rows were
    joined and some left out, how many of each model's rows are of cases that not every model has, and how many it has.
    `rows` are the checked rows of each model, and `place` says where each case stands among them, None where the cases
    are in their order. `group` are codes into `groups`, where the cases belong to groups, -1
    where no group is recorded; `emptied` are groups that were named and have no case left. `raw` are models whose class
    scores are raw, and so comparable within a case alone: of two classes their scores are differences, of several they
    rank no cases. `repeats` is a column of ids that holds each value equally often, and how many values.
    """

    names: tuple[str, ...]
    labels: tuple[Hashable, ...]
    positive: Hashable | None
    truth: Array
    scores: dict[str, Array] = field(default_factory=dict)
    class_scores: dict[str, Array] = field(default_factory=dict)
    predicted: dict[str, Array] = field(default_factory=dict)
    thresholds: dict[str, float] = field(default_factory=dict)
    frequency: Array | None = None
    weight: Array | None = None
    cluster: Array | None = None
    dropped: int = 0
    threshold_chosen: bool = False
    amounts: Array | None = None
    amount_names: tuple[str, ...] = ()
    alone: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unanswered: Mapping[str, int] = field(default_factory=dict)
    undeclared: Mapping[str, int] = field(default_factory=dict)
    omitted: Omitted | None = None
    rows: Mapping[str, Predictions] = field(default_factory=dict)
    place: Array | None = None
    group: Array | None = None
    groups: tuple[Hashable, ...] = ()
    emptied: tuple[Hashable, ...] = ()
    raw: frozenset[str] = frozenset()
    repeats: tuple[str, int] | None = None

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.truth.size if self.frequency is None else self.frequency.sum())

    @property
    def cases_by_class(self) -> dict[Hashable, int]:
        """Number of cases (of rows, with sampling weights) of each class."""
        labels = of_labels(self.labels)
        times = np.bincount(self.truth, self.frequency, len(labels))
        return dict(zip(labels, times.astype(int).tolist(), strict=True))

    @property
    def clusters(self) -> int | None:
        """Number of clusters."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    @cached_property
    def design(self) -> Design:
        """How the cases were drawn, each of which is a place."""
        return Design.of_rows(
            self.truth.size,
            frequency=self.frequency,
            weight=self.weight,
            cluster=self.cluster,
            true=self.truth,
        )

    @cached_property
    def untrue(self) -> dict[Hashable, tuple[str, ...]]:
        """The labels that are true of no case, each with the models that predict it."""
        labels = of_labels(self.labels)
        true = np.bincount(self.truth, minlength=len(labels)) > 0
        if true.all() or not true.any():
            return {}
        called = {
            name: np.bincount(codes, minlength=len(labels)) > 0 for name, codes in self.predicted.items()
        }
        return {
            labels[at]: tuple(name for name, is_called in called.items() if is_called[at])
            for at in np.flatnonzero(~true)
        }

    def blaming(self, reason: str) -> str:
        """A reason that a class is never true, or never seen, with the class and the models that brought it in."""
        whose = {label: some(names, what="models") for label, names in self.untrue.items() if names}
        if not whose:
            return reason
        who = some([f"{quote(label)} of {names}" for label, names in whose.items()], MOST_MISSES)
        for words in (f"a class is {NEVER_SEEN.of_class}", CLASS_NEVER_TRUE.text):
            reason = reason.replace(words, f"{words}: {who}")
        return reason

    @cached_property
    def warnings(self) -> tuple[Warned, ...]:
        """What a reader must know of the columns before acting on the numbers, each code once.

        Those of labels are of all models together; the others are those of each model's own assessment. Behind those of
        all cases stand those that models have in some groups alone.
        """
        of_models = {
            name: [note for note in column_warnings(self._alone(name)) if note.code != "written_otherwise"]
            for name in self.rows
        }
        repeated = () if self.cluster is not None else repeats_said(self.repeats, self.truth.size)
        warnings = (*self._label_warnings, *gathered(of_models), *repeated)
        return (*warnings, *self._warnings_of_groups({warning.code for warning in warnings}))

    def _warnings_of_groups(self, known: Collection[str]) -> tuple[Warned, ...]:
        """Return the warnings that models have in some groups alone, beside those whose codes are known."""
        if self.group is None:
            return ()
        place = np.arange(self.group.size) if self.place is None else self.place
        order = np.argsort(self.group, kind="stable")
        starts = np.searchsorted(self.group[order], np.arange(len(self.groups) + 1))
        parts = [order[i:j] for i, j in pairwise(starts)]
        rows = {
            label: np.sort(place[part])
            for label, part in zip(self.groups, parts, strict=True)
            if (part.size if self.frequency is None else self.frequency[part].sum()) >= TINY
        }
        of_groups: OfGroups = {}
        for name in self.rows:
            groups = {label: self._alone(name, index) for label, index in rows.items()}
            of_groups |= warnings_of_groups(groups, known, name)
        return together(of_groups)

    def _alone(self, name: str, places: Array | None = None) -> Assessment:
        """One model assessed by itself, as far as its columns need it; of labels alone those of all models stay."""
        rows = self.rows[name] if places is None else self.rows[name].take(places)
        rows = replace(rows, id=None, amounts=None, amount_names=(), group=None, groups=None)
        return of_predictions(
            rows, threshold=None if rows.predicted is not None else self.thresholds.get(name)
        )

    @property
    def _label_warnings(self) -> tuple[Warned, ...]:
        """What a reader must know of labels that are true of no case."""
        of = {label: some(names, what="models") for label, names in self.untrue.items() if names}
        true = [label for label in of_labels(self.labels) if label not in self.untrue]
        warnings: list[Warned] = []
        misses = {miss.label for miss in near_misses(of, true)}
        if len(misses) <= MOST_MISSES:
            sentence = written_otherwise(of, true, of)
        else:  # no model is among those that are counted
            models = {name: None for label in misses for name in self.untrue[label]}
            who = listed([name for name in self.names if name in models])
            sentence = f"labels of {who}: {written_otherwise(of, true)}"
        if misses:
            warnings.append(Warned("written_otherwise", sentence, self._models_of(misses)))
        if len(true) < 2 or not self.untrue:
            return tuple(warnings)
        never = [*of, *(label for label in self.untrue if label not in of)]

        def written(label: Hashable) -> str:
            return f"{quote(label)} (predicted by {of[label]})" if label in of else quote(label)

        text = f"No case is of class {some(never, last='or', write=written)}"
        then = f"{OF_ALL} {DECLARE}" if of else "Measures that need this class are not defined."
        return (*warnings, Warned("never_true", f"{text}. {then}", self._models_of(of)))

    def _models_of(self, labels: Iterable[Hashable]) -> tuple[str, ...]:
        """Return the models that predict one of some labels which no case has."""
        models = {name for label in labels for name in self.untrue[label]}
        return tuple(name for name in self.names if name in models)

    def read(self, measure: Measure) -> Measure:
        """Return the measure as it is read from labels, which may hold cases without an answer."""
        return among_answers(measure, self.labels)

    def assessed(self, name: str, seed: int, needs: str) -> Assessment:
        """Return one model assessed by itself, whatever a measure `needs`."""
        rows = replace(self.rows[name], id=None)
        threshold = None if rows.predicted is not None else self.thresholds.get(name)
        return of_predictions(rows, threshold=threshold, seed=seed)

    def default_measures(self, most: int | None = None) -> list[str]:
        """Return the measures that are compared by default; of each kind only the first `most`."""
        scored = [name for name in self.names if name in self.scores or name in self.class_scores]
        labelled = len(self.predicted) > 1
        chosen: list[str] = []
        if not self.is_binary:
            chosen += DEFAULTS["classes"][:most] if labelled else ()
            if len(scored) > 1 and self.have_probabilities(scored):
                chosen += DEFAULTS["class probabilities"][:most]
        elif len(scored) > 1:
            chosen += DEFAULTS["scores"][:most]
            chosen += DEFAULTS["probabilities"][:most] if self.have_probabilities(scored) else ()
            chosen += DEFAULTS["labels"][:most] if labelled else ()
        else:
            chosen += DEFAULTS["labels alone"][:most] if labelled else ()
        if not chosen:
            raise InputError(NOTHING_SHARED)
        return chosen

    @property
    def is_positive(self) -> Array:
        """Whether each case is positive."""
        return np.equal(self.truth, self.labels.index(self.positive))

    def have_probabilities(self, names: Sequence[str]) -> bool:
        """Check whether all scores of these models can be read as probabilities."""
        both = self.scores | self.class_scores
        return all(name in both and name not in self.raw and are_probabilities(both[name]) for name in names)

    def pair(self, first: str, second: str) -> LabelPair:
        """Return the joint table of two models' labels."""
        a, b = self.predicted[first], self.predicted[second]
        weights = {"weight": self.weight, "frequency": self.frequency}
        table = PairedTable.from_codes(self.truth, a, b, self.labels, **weights)
        if self.cluster is None:
            return LabelPair(table, self.positive)
        k = len(self.labels)
        cell = (self.truth.astype(np.intp) * k + a) * k + b
        weight = self.weight if self.frequency is None else self.frequency
        return LabelPair(table, self.positive, ClusterRows(cell, self.cluster, weight))

    def canonical(self) -> PairedPredictions:
        """Return the same cases and clusters in an order that their content decides: see `canonical.Rows`."""
        codes = self._canonical_codes()
        columns: dict[str, list[Array]] = {name: [] for name in self.names}
        for name, column in self.scores.items():
            columns[name].append(column)
        for name, column in self.predicted.items():
            columns[name].append(codes[column])
        for name, wide in self.class_scores.items():
            columns[name] += list(wide.T[np.argsort(codes[: wide.shape[1]])])  # "(no answer)" has no scores
        amounts = () if self.amounts is None else tuple(self.amounts.T)
        rows = OrderedRows(codes[self.truth], self.weight, self.frequency, self.cluster, amounts)
        order, cluster = rows.in_order(columns)
        return replace(self.taken(order), cluster=None if cluster is None else cluster[order])

    def taken(self, rows: Array) -> PairedPredictions:
        """Return some of the cases, in this order; their clusters keep their numbers."""

        def of(column: Array | None) -> Any:
            return None if column is None else column[rows]

        return replace(
            self,
            truth=of(self.truth),
            scores={name: of(scores) for name, scores in self.scores.items()},
            class_scores={name: of(scores) for name, scores in self.class_scores.items()},
            predicted={name: of(codes) for name, codes in self.predicted.items()},
            frequency=of(self.frequency),
            weight=of(self.weight),
            cluster=of(self.cluster),
            amounts=of(self.amounts),
            group=of(self.group),
            place=rows if self.place is None else self.place[rows],
        )

    def by_group(self) -> Iterator[tuple[Hashable, PairedPredictions]]:
        """Yield each group with the panel of its cases, whose clusters are numbered without gaps."""
        assert self.group is not None
        order = np.argsort(
            self.group.astype(np.int16 if len(self.groups) < 2**15 else np.int64), kind="stable"
        )
        order = order[np.count_nonzero(self.group < 0) :]
        ends = np.cumsum(np.bincount(self.group[order], minlength=len(self.groups)))
        for label, rows in zip(self.groups, np.split(order, ends[:-1]), strict=True):
            yield label, self._group_of(rows)

    def not_recorded(self) -> PairedPredictions | None:
        """Return the panel of the cases without a group; None where every case has one."""
        rows = np.flatnonzero(self.group < 0) if self.group is not None else np.zeros(0, np.intp)
        return self._group_of(rows) if rows.size else None

    def _group_of(self, rows: Array) -> PairedPredictions:
        """Return some of the cases as a group: what was left out, and for what, is told of all cases."""
        bare = replace(self, rows={}, omitted=None, unanswered={}, undeclared={}, alone={}, dropped=0)
        return replace(bare.alone_with(rows), group=None, groups=())

    def alone_with(self, rows: Array) -> PairedPredictions:
        """Return some of the cases, in this order, whose clusters are numbered without gaps."""
        one = self.taken(rows)
        return (
            one
            if one.cluster is None
            else replace(one, cluster=np.unique(one.cluster, return_inverse=True)[1])
        )

    def why_improper(self, name: str) -> str:
        """Return why the scores of a model cannot be read as probabilities."""
        if self.omitted is None and self.unanswered.get(name):
            gone = describe_omissions(self.unanswered[name], self.undeclared.get(name, 0))
            return f"{name} has no prediction, and so no probability, in {gone}"
        if name in self.raw:
            return f"the class scores of {name} are raw (some outside [0, 1]), not probabilities"
        return f"the scores of {name} are not probabilities"

    def why_unbounded(self, measure: Measure, name: str) -> str | None:
        """Why a finite log-loss of a model has no interval: scores of exactly 0 or 1; None where it may have one."""
        scores = self.class_scores.get(name) if not self.is_binary else self.scores.get(name)
        if measure.base not in UNBOUNDED_BY_ENDS or scores is None:
            return None
        at_ends = (scores == 0) | (scores == 1)
        what = "cases have a score of" if at_ends.ndim == 2 else "scores are"
        at_ends = at_ends.any(1) if at_ends.ndim == 2 else at_ends
        count = int((at_ends if self.frequency is None else self.frequency[at_ends]).sum())
        return f"of {name}, {ends_in_words(count, self.n, what)}" if count else None

    def _canonical_codes(self) -> Array:
        """The place of each class in an order without names: the positive one last, several by how they are called."""
        k = len(self.labels)
        if self.is_binary:
            return np.equal(np.arange(k), self.labels.index(self.positive)).astype(np.int64)
        truth = self.truth.astype(np.int64)
        called = (
            np.bincount(codes.astype(np.int64) * k + truth, self.frequency, k * k)
            for codes in self.predicted.values()
        )
        return np.argsort(order_of_classes(sum(called, np.zeros(k * k)).reshape(k, k)))

    def one_vs_rest(self, label: Hashable) -> PairedPredictions:
        """Return one class against all others, a panel of two classes; of two it is the same, or without scores."""
        if label == self.positive:
            return self
        rest, i = f"not {label}", self.labels.index(label)
        return replace(
            self,
            labels=(rest, label),
            positive=label,
            truth=np.equal(self.truth, i).astype(np.int8),
            scores={name: scores[:, i] for name, scores in self.class_scores.items() if name not in self.raw},
            class_scores={},
            predicted={name: np.equal(codes, i).astype(np.int8) for name, codes in self.predicted.items()},
        )

    def at_least(self, place: int) -> PairedPredictions:
        """Return the classes from a place in the order on against those below, a panel of two classes."""
        if len(self.labels) == 2:
            return self.one_vs_rest(self.labels[place])
        below, above = f"below {self.labels[place]}", f"{self.labels[place]} or above"
        return replace(
            self,
            labels=(below, above),
            positive=above,
            truth=(self.truth >= place).astype(np.int8),
            scores={
                name: summed_from(scores, place)
                for name, scores in self.class_scores.items()
                if name not in self.raw and not improper_rows(scores).any()
            },
            class_scores={},
            predicted={name: (codes >= place).astype(np.int8) for name, codes in self.predicted.items()},
        )

    def called_at(self, threshold: float) -> PairedPredictions:
        """Return the labels that a threshold probability makes of all probabilities; of two classes."""
        if not self.is_binary:
            return self
        at = self.labels.index(self.positive)
        called = {
            name: np.where(score >= in_precision(threshold, score.dtype), at, 1 - at).astype(self.truth.dtype)
            for name, score in self.scores.items()
            if name not in self.raw and are_probabilities(score)
        }
        return replace(self, predicted=self.predicted | called)

    def scored(self, names: Sequence[str]) -> PanelScores:
        """Return the scores of some models with the truth."""
        return PanelScores(
            {name: self.scores[name] for name in names},
            self.is_positive,
            self.frequency,
            self.weight,
            self.cluster,
        )


OF_ALL = "A class that one model predicts counts for all models, and means over classes include it or are not defined."
"""What becomes of a class that no case has."""
_DECLARED = "labels=[…] with unanswered='wrong'"
DECLARE = (
    "To count only such predictions as incorrect, declare the classes: "
    f"{hint(_DECLARED, '--labels A,B,… --unanswered wrong')}."
)
MOST_NAMED = 5
"""Labels, or models, up to which a warning names all."""


@dataclass(frozen=True, eq=False)
class Omitted:
    """The cases that some model did not answer and that were left out, among all cases with a truth.

    `gone`, `(cases,)` of booleans, says for each model which cases it did not answer. `whole` is the panel of all of
    them, in which these count as wrong, or a text why there is none.
    """

    gone: Mapping[str, Array]
    whole: PairedPredictions | str


@dataclass(frozen=True, eq=False)
class GroupColumn:
    """Which group each row belongs to: codes into labels, -1 where none is known; `name` is the name of the column.

    `gaps` names the columns in which values are missing, where there are several, or one has a name.
    """

    name: str
    codes: Array
    labels: tuple[Hashable, ...]
    gaps: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.codes.size

    def take(self, rows: Array) -> GroupColumn:
        """Rows in this order; a place of -1 has no group."""
        return replace(self, codes=np.where(rows < 0, -1, self.codes[rows]))


@dataclass(frozen=True, eq=False)
class ModelAnswers:
    """What one model said, as it came: a column of scores (or of each class), of labels, or both.

    `rows` are the places of its rows in its own table, where they were joined.
    """

    score: Any = None
    prediction: Any = None
    rows: Array | None = None


@dataclass(frozen=True)
class CaseColumns:
    """What is known of the cases, whatever a model says of them: how they were drawn, their amounts and groups."""

    weight: Any = None
    frequency: Any = None
    cluster: Any = None
    amounts: Mapping[str, Any] | None = None
    by: GroupColumn | None = None

    def of(self, rows: Array | None) -> dict[str, Any]:
        """Return the columns as `check` names them, of some rows or all."""
        named = {"weight": self.weight, "frequency": self.frequency, "cluster": self.cluster}
        named["group"] = None if self.by is None else self.by.codes
        if rows is None:
            return {**named, "amounts": self.amounts}
        columns: dict[str, Any] = {name: rows_of(column, rows) for name, column in named.items()}
        amounts = self.amounts
        columns["amounts"] = amounts and {name: rows_of(column, rows) for name, column in amounts.items()}
        return columns


def panel_of(
    models: Mapping[str, ModelAnswers],
    truth: Any,
    *,
    positive: Hashable | None = None,
    labels: Sequence[Hashable] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    cases: CaseColumns = CaseColumns(),
    policy: AnswerPolicy = REFUSE,
    score_scale: ScoreScale | None = None,
) -> PairedPredictions:
    """Check the rows of all models and bring them to common codes.

    A row without a truth is left out if the `policy` says so, and one that any model did not answer is left out for
    all, or counts as wrong for this model. Raises InputError, as `assess` does, with the name of the model.
    """
    if len(models) < 2:
        raise InputError(f"A comparison needs at least two models, but has {'one' if models else 'none'}.")
    columns = [("truth", truth)]
    columns += [
        (f"prediction of {name}", m.prediction) for name, m in models.items() if m.prediction is not None
    ]
    coded = code_columns(columns)
    by = cases.by
    known = coded[0][1].codes >= 0
    keep, gone = known, {}
    if policy.unanswered == "drop":
        gone = _lacking(models, dict(coded), labels, known)
        keep = known & ~np.logical_or.reduce([lacking.any for lacking in gone.values()]) if gone else known
    rows, every = _kept(keep, known, policy), truth
    if rows is not None:
        truth = rows_of(truth, rows)
    row_columns, are_declared = cases.of(rows), labels is not None
    if labels is None:
        occurring = [(name, column) for name, column in coded]
        union, _ = unite(occurring)
        wide = [m.score for m in models.values() if _is_wide(m.score)]
        if wide:  # tables are read by their columns' names, arrays in the order of the sorted labels
            named = [table_labels(score, coded[0][1]) for score in wide]
            labels = None if None in named else named[0]
        else:
            labels = None if len(union) < 2 else union
    row_columns["group"] = _labelled(row_columns["group"], by)
    of_model: dict[str, Predictions] = {}
    for name, answers in models.items():
        score, prediction = answers.score, answers.prediction
        if rows is not None:
            score, prediction = rows_of(score, rows), rows_of(prediction, rows)
        try:
            with picked(answers.rows), picked(rows):
                request = InputRows(
                    truth,
                    score,
                    y_pred=prediction,
                    positive=positive,
                    labels=labels,
                    policy=policy,
                    score_scale=None if score is None else score_scale,
                    fills_unseen=are_declared,
                    may_declare=True,
                    **row_columns,
                )
                found_rows = check(request)
            of_model[name] = _with_unlabeled(found_rows, request, answers, cases, np.flatnonzero(~known))
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    panel = _assembled(
        of_model, threshold, 0 if rows is None else int((~keep).sum()), () if by is None else by.labels
    )
    if not any((lacking.any & known).any() for lacking in gone.values()):
        return panel
    complete = partial(
        panel_of,
        models,
        every,
        positive=positive,
        labels=labels,
        threshold=threshold,
        policy=AnswerPolicy(policy.missing, "wrong"),
        cases=cases,
        score_scale=score_scale,
    )
    counts = {name: int((lacking.any & known).sum()) for name, lacking in gone.items()}
    of_undeclared = {name: int((lacking.undeclared & known).sum()) for name, lacking in gone.items()}
    marks = {name: lacking.any[known] for name, lacking in gone.items()}
    omitted = Omitted(marks, _or_reason(complete))
    return replace(panel, unanswered=counts, undeclared=of_undeclared, omitted=omitted)


def _kept(keep: Array, known: Array, policy: AnswerPolicy) -> Array | None:
    """Return the places of the rows that stay, None where none are left out."""
    if keep.all() or not (policy.missing == "drop" or known.all()):
        return None
    if not keep.any():
        raise nothing_left("truth", is_known=bool(known.any()))
    return np.flatnonzero(keep)


def _with_unlabeled(
    predictions: Predictions, request: InputRows, answers: ModelAnswers, cases: CaseColumns, at: Array
) -> Predictions:
    """Return the checked rows of a model, with those without a truth as `check` finds them of one model alone."""
    drawn = {"weight": cases.weight, "frequency": cases.frequency, "cluster": cases.cluster}
    full_request = replace(request, y_score=answers.score, y_pred=answers.prediction, **drawn)
    return replace(predictions, unlabeled=unlabeled_rows(full_request, predictions, at))


def _labelled(codes: Array | None, by: GroupColumn | None) -> Categories | None:
    return None if by is None or codes is None else Categories(codes, by.labels, "declared", by.gaps)


def answered_rows(
    models: Mapping[str, ModelAnswers], truth: Any, labels: Sequence[Hashable] | None, policy: AnswerPolicy
) -> Array:
    """Which rows stay, `(rows,)` of booleans: those with a truth, and with an answer of all models, as is asked."""
    columns = [("truth", truth)]
    columns += [
        (f"prediction of {name}", m.prediction) for name, m in models.items() if m.prediction is not None
    ]
    coded = dict(code_columns(columns))
    known = coded["truth"].codes >= 0
    keep = known if policy.missing == "drop" else np.ones(known.size, bool)
    if policy.unanswered != "drop":
        return keep
    gone = _lacking(models, coded, labels, known).values()
    return np.asarray(keep & ~np.logical_or.reduce([lacking.any for lacking in gone]))


def _or_reason(complete: Callable[[], PairedPredictions]) -> PairedPredictions | str:
    """Return the panel in which cases without an answer count as wrong, or why there is none."""
    try:
        return complete()
    except InputError as error:
        return str(error)


def _lacking(
    models: Mapping[str, ModelAnswers],
    coded: Mapping[str, Coded],
    labels: Sequence[Hashable] | None,
    known: Array,
) -> dict[str, MissingColumns]:
    """What each model did not answer; columns of another length are left to be refused where they are checked."""
    declared = None if labels is None else {plain(label) for label in labels}
    lacking = {}
    for name, answers in models.items():
        prediction = coded.get(f"prediction of {name}")
        with picked(answers.rows):
            scores, _, _ = in_order_of_labels(answers.score, coded["truth"], labels)
            without = None if scores is None else unscored(score_array(scores))
        if without is not None and without.size != known.size:
            without = None
        if prediction is not None and prediction.codes.size != known.size:
            prediction = None
        codes, of_model = (None, ()) if prediction is None else (prediction.codes, prediction.labels)
        lacking[name] = MissingColumns.of(known.size, codes, of_model, declared, without)
    return lacking


def _assembled(
    models: dict[str, Predictions],
    threshold: float | Mapping[str, float] | None,
    dropped: int,
    named_groups: Sequence[Hashable],
) -> PairedPredictions:
    first = next(iter(models.values()))
    for name, model in models.items():
        if model.labels != first.labels:
            raise InputError(
                f"{name} has the labels {model.labels}, but another model has {first.labels}. Declare labels=."
            )
    thresholds = _thresholds(models, threshold)
    labels = max((model.labels_of_matrix for model in models.values()), key=len)
    predicted = {}
    for name, model in models.items():
        if model.undeclared and model.no_answer is not None and model.no_answer.all():
            raise InputError(
                f"No predicted label of {name} is among the declared ones ({listing(model.labels)}). Declare "
                "the labels as they are in the column, as text or numbers."
            )
        called = model.called(thresholds.get(name))
        if called is not None:
            predicted[name] = called
    cluster = None
    if first.cluster is not None:
        cluster = np.unique(first.cluster, return_inverse=True)[1]
    met = {*(first.groups or ())}
    return PairedPredictions(
        tuple(models),
        labels,
        first.positive,
        first.truth,
        {name: model.score for name, model in models.items() if model.score is not None},
        {name: model.class_scores for name, model in models.items() if model.class_scores is not None},
        predicted,
        thresholds,
        first.frequency,
        first.weight,
        cluster,
        dropped,
        threshold is not None,
        first.amounts,
        first.amount_names,
        unanswered={name: model.unanswered for name, model in models.items() if model.unanswered},
        undeclared={name: model.undeclared for name, model in models.items() if model.undeclared},
        rows=models,
        group=first.group,
        groups=first.groups or (),
        emptied=tuple(group for group in named_groups if group not in met),
        raw=frozenset(name for name, model in models.items() if model.raw_scores),
    )


def _thresholds(
    models: dict[str, Predictions], threshold: float | Mapping[str, float] | None
) -> dict[str, float]:
    """Return the threshold of each model whose labels come from its scores: as given, or 0.5 for probabilities."""
    scored = [name for name, model in models.items() if model.score is not None and model.predicted is None]
    thresholds = dict(threshold) if isinstance(threshold, Mapping) else {}
    if threshold is not None and not isinstance(threshold, Mapping):
        if not scored:
            raise InputError(
                f"threshold={threshold!r} has no effect, because no model has scores. Remove it."
            )
        thresholds = dict.fromkeys(scored, threshold)
    unknown = [name for name in thresholds if name not in scored]
    if unknown:
        raise InputError(
            f"A threshold is set for {', '.join(map(str, unknown))}, but thresholds apply to models with "
            f"scores of two classes and no labels: {', '.join(scored) or 'none'}."
        )
    if threshold is not None:
        return {name: float(value) for name, value in thresholds.items()}
    defaults = {name: models[name].default_threshold for name in scored}
    return {name: value for name, value in defaults.items() if value is not None}


def _is_wide(score: Any) -> bool:
    """Check whether there is a score for each class, whose order the labels follow."""
    return table_columns(score) is not None or len(getattr(score, "shape", ())) == 2


def same_length(columns: Mapping[str, Sized]) -> None:
    """Refuse columns of different lengths."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1:
        sizes = ", ".join(f"{name} has {counted(rows)}" for name, rows in lengths.items())
        raise InputError(
            f"The models have different numbers of rows: {sizes}. Use the same cases, or "
            f"{hint('pass id=', 'use --id')} to join them."
        )


VALUES_OF_CASES = ComparedInput[Array, Comparison]("values of the cases")
"""What some tests are of: a measure that is the mean of one value a case."""
_INSTEAD = {
    "weights": "remove weight if the cases are not a weighted sample",
    "clusters": "use one row per cluster, in the order in which the clusters arrived",
}


def means_over_cases(panel: PairedPredictions) -> list[str]:
    """Return the names of the measures that are the mean of one value a case of a panel."""
    return [
        measure.name
        for measure in MEASURES.values()
        if _has_losses(panel, measure) or proportion_of(measure, panel.labels, panel) is not None
    ]


def _has_losses(panel: PairedPredictions, measure: Measure) -> bool:
    of_other_classes = "scores" if not panel.is_binary else "cases"
    return measure.losses is not None and measure.needs != of_other_classes


@dataclass(frozen=True, eq=False)
class RowValues:
    """For each model the values of its rows, in order; the measure is their weighted mean.

    `weight` is the sampling weight of each row, 1 without; `unit` says which rows belong to one cluster, from 0 without
    gaps, and is None where each row was drawn by itself: rows with a frequency are then repeated.
    """

    values: dict[str, Array]
    weight: Array
    unit: Array | None


def row_values(panel: PairedPredictions, measure: Measure) -> RowValues | str:
    """Return the values of the rows for each model that has the measure, or why there are none."""
    values_or_reason = proportion_values(panel, measure) or _losses(panel, measure)
    if isinstance(values_or_reason, str):
        return values_or_reason
    values, rows = values_or_reason
    if len(values) < 2:
        return f"fewer than two models have what {measure.name} needs"
    if not rows.any():
        return measure.undefined[0].text
    rows = np.flatnonzero(rows)
    if panel.frequency is not None and panel.cluster is None:
        rows = np.repeat(rows, panel.frequency[rows].astype(np.int64))
    weight = panel.weight if panel.cluster is None or panel.frequency is None else panel.frequency
    return RowValues(
        {name: column[rows] for name, column in values.items()},
        np.ones(rows.size) if weight is None else np.asarray(weight[rows], np.float64),
        None if panel.cluster is None else np.unique(panel.cluster[rows], return_inverse=True)[1],
    )


def case_values(panel: PairedPredictions, measure: Measure) -> dict[str, Array] | str:
    """Return the values of the cases, one by one in the order of the rows, or why there are none.

    Raises InputError for sampling weights and clusters. An e-process grows with each case by itself, whose value lies
    in a range known beforehand: a weight has no known range, and rows of one cluster are one case.
    """
    for what, column in (("weights", panel.weight), ("clusters", panel.cluster)):
        if column is not None:
            raise InputError(
                "The sequential test needs independent, equally weighted cases in the order of their arrival, "
                f"but {what} are set. Remove the method to use a test for {what}, or {_INSTEAD[what]}."
            )
    values = row_values(panel, measure)
    return values if isinstance(values, str) else values.values


def proportion_values(panel: PairedPredictions, measure: Measure) -> tuple[dict[str, Array], Array] | None:
    """Check whether each case is a hit of each model, 1 or 0, and the rows that count; None for other measures."""
    proportion = proportion_of(measure, panel.labels, panel)
    if proportion is None:
        return None
    values = {
        name: proportion.hit[codes, panel.truth].astype(float) for name, codes in panel.predicted.items()
    }
    return values, proportion.inside[panel.truth]


def _losses(panel: PairedPredictions, measure: Measure) -> tuple[dict[str, Array], Array] | str:
    """Return the losses of each model; all rows count."""
    if measure.losses is None or not _has_losses(panel, measure):
        return f"it needs a measure that is a mean over the cases: {', '.join(means_over_cases(panel))}"
    source = panel.class_scores if not panel.is_binary else panel.scores
    true = panel.truth if not panel.is_binary else panel.is_positive
    values = {}
    for name, scores in source.items():
        losses = None if name in panel.raw else measure.losses(scores, true)
        if losses is None:
            return panel.why_improper(name)
        if not np.isfinite(losses).all():
            return f"that of {name} is infinite: a true class has probability 0 in some case"
        if unbounded := panel.why_unbounded(measure, name):
            return unbounded
        values[name] = losses
    return values, np.ones(panel.truth.size, bool)


MEASURE = "cost_of_decisions"


def compare_costs(
    panel: PairedPredictions, costs: Costs, pairs: Sequence[tuple[str, str]], level: float
) -> list[Comparison]:
    """Return the difference of the mean costs of pairs of models by the paired t, less being better.

    Weights and clusters as for every mean loss. The method names an error whose cost nobody named. Raises InputError
    for amounts that the rows do not carry.
    """
    of_case = {
        name: case_costs(panel, costs, name)
        for name in dict.fromkeys(name for pair in pairs for name in pair)
    }
    shared: dict[str, Any] = {"measure": MEASURE, "design": panel.design, "level": level}
    supposed = f"; {costs.unnamed}" if costs.unnamed else ""
    tests = (compare_losses(of_case[a], of_case[b], (a, b), **shared) for a, b in pairs)
    return [test.changed(better=-1, method=f"{test.method}{supposed}") for test in tests]


def case_costs(panel: PairedPredictions, costs: Costs, model: str) -> Array:
    """Return what the label of each case costs, `(cases,)`."""
    labels = panel.labels
    if panel.is_binary:
        labels = tuple(sorted(labels, key=lambda label: label == panel.positive))
    place = np.array([labels.index(label) for label in panel.labels])
    coefficients = costs.array(labels, panel.amount_names)[place[panel.predicted[model]], place[panel.truth]]
    per_case = coefficients[:, 0]
    if panel.amounts is not None:
        per_case = per_case + (coefficients[:, 1:] * panel.amounts).sum(1)
    return np.asarray(per_case)
