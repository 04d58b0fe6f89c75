"""Panel: the predictions of several models for the same cases, which of them there are, and how they were drawn."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import describe_omissions, of_labels
from classay.assessment.assessing import of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import TINY, column_warnings
from classay.assessment.group_warnings import OfGroups, together, warnings_of_groups
from classay.columns.doubtful import equal_models, repeats_said
from classay.columns.labels import OfClasses
from classay.columns.numbers import in_precision
from classay.columns.scales import improper_rows
from classay.columns.spelling import MOST_MISSES, near_misses, written_otherwise
from classay.comparison.cases.label_measures import ClusterRows, LabelPair
from classay.comparison.cases.score_measures import PanelScores
from classay.errors import InputError
from classay.inference.design import Design
from classay.inference.draws import OrderedRows, order_of_classes
from classay.measures import Measure
from classay.measures.matrices import among_answers
from classay.measures.probability import UNBOUNDED_BY_ENDS, are_probabilities, ends_in_words
from classay.measures.vocabulary import CLASS_NEVER_TRUE, NEVER_SEEN
from classay.predictions import Predictions
from classay.tables import PairedTable
from classay.tables.class_scores import summed_from
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
    rank no cases. `repeats` is a column of ids that repeats its values, and how many values.
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
        columns = (self.scores, self.class_scores, self.predicted)
        answers = {name: [column.get(name) for column in columns] for name in self.names}
        equal = equal_models(
            answers, "scores" if self.scores or self.class_scores else "predicted labels", self.n
        )
        warnings = (*equal, *self._label_warnings, *gathered(of_models), *repeated)
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


@dataclass(frozen=True, eq=False)
class Omitted:
    """The cases that some model did not answer and that were left out, among all cases with a truth.

    `gone`, `(cases,)` of booleans, says for each model which cases it did not answer. `whole` is the panel of all of
    them, in which these count as wrong, or a text why there is none.
    """

    gone: Mapping[str, Array]
    whole: PairedPredictions | str
