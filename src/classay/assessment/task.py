"""The tasks of an assessment: two classes, several, or what a wing brings, each with its tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from math import isinf
from operator import add
from typing import Any, ClassVar

from classay.assessment.finding import Finding
from classay.columns import Labels
from classay.columns.numbers import StrictThreshold
from classay.errors import InputError, MergeError, UnknownMeasureError
from classay.kinds import TypedFields
from classay.measures import MEASURES, get
from classay.measures.matrices import among_answers
from classay.measures.ordinal import SHOWN
from classay.measures.registry import WHY_NOT, Measure
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.bins import BinnedClassScoreTable
from classay.tables.scores import ONE_IS_RAW
from classay.tables.sparse import together
from classay.texts import hint

NO_SCORES = "no scores were given"
IN_BINS = "scores were counted in bins, but the measure needs single scores, which take more memory"
RAW_SCORES = "raw class scores (some outside [0, 1]) can be compared only within a case"
NO_THRESHOLD = "scores outside [0, 1] have no default threshold"
DROP = hint("unanswered='drop'", "--unanswered drop")
NoAnswer = tuple[float, ...] | None
"""Cases (or weight) of each true class that have no answer and count as wrong; None where none do so."""


@dataclass(frozen=True, eq=False)
class TwoClasses(TypedFields):
    """Two classes, one of them positive: predicted labels, scores of the positive class, or both.

    `cutoff` is the threshold of the labels, None where they were given as they are, and `cutoff_chosen` says whether
    anybody chose it. Where nobody did, it is the `half` of the scores, a `StrictThreshold` for two columns of scores.
    `raw_scores` says that there are no `scores` because those of the classes are raw: see `Classes`.
    """

    labels: tuple[Hashable, ...]
    positive: Hashable
    confusion_matrix: ConfusionMatrix | None = None
    scores: ScoreTable | None = None
    cutoff: float | None = None
    cutoff_chosen: bool = False
    no_answer: tuple[float, ...] | None = None
    raw_scores: bool = False
    is_binary: ClassVar[bool] = True
    class_scores: ClassVar[None] = None
    cases: ClassVar[None] = None
    is_in_order: ClassVar[bool] = False

    @property
    def is_cut(self) -> bool:
        """Whether its labels are those of scores at a threshold."""
        return self.cutoff is not None

    @property
    def is_uncut(self) -> bool:
        """Whether it has scores and, for want of a threshold, no labels."""
        return self.scores is not None and self.confusion_matrix is None

    @property
    def is_tie_negative(self) -> bool:
        """Whether a score of exactly the threshold is called negative, for the first of two classes wins a tie."""
        return isinstance(self.cutoff, StrictThreshold)

    @property
    def tied_at_threshold(self) -> float | None:
        """Cases (or weight) whose score is exactly the threshold; None without one, or where bins do not tell it."""
        return None if self.cutoff is None or self.scores is None else self.scores.tied_at(float(self.cutoff))

    @property
    def class_totals(self) -> Any:
        """Cases (or weight) of each true class, in the order of `labels`."""
        if self.confusion_matrix is not None:
            return self.confusion_matrix.margins.true[: len(self.labels)]
        assert self.scores is not None
        negative_first = self.scores.class_totals
        return negative_first if self.labels[1] == self.positive else negative_first[::-1]

    @property
    def kinds(self) -> set[str]:
        """The kinds of tables that it has for measures."""
        scored = set() if self.scores is None else {"scores", "probabilities"}
        return {"margins", "matrix", "counts"} | scored

    def table(self, measure: Measure) -> Any:
        """Return the table that a measure without [class] is of, or the reason why it is missing."""
        _refuse_of_others(measure)
        if measure.needs in ("class_scores", "cases"):
            raise UnknownMeasureError(f"{measure.name} is for more than two classes, but there are two.")
        if measure.needs in ("scores", "probabilities"):
            without = RAW_SCORES if self.raw_scores else NO_SCORES
            return without if self.scores is None else self.scores
        if self.confusion_matrix is None:
            return NO_THRESHOLD
        return (
            self.confusion_matrix.one_vs_rest(self.positive)
            if measure.needs == "counts"
            else self.confusion_matrix
        )

    def gives(self, measure: Measure) -> bool:
        """Check whether its tables have a measure of no class by name."""
        return measure.needs in self.kinds

    def read(self, measure: Measure) -> Measure:
        """Return the measure as it is read from the matrix, which may hold cases without an answer."""
        return _among_answers(self, measure)

    def at(self, threshold: float) -> TwoClasses:
        """The same scores with the labels of a threshold. Raises InputError where there are none, or none tell it."""
        if self.scores is None:
            raise InputError("A threshold needs the scores of two classes, but none were passed.")
        if self.no_answer is not None and isinf(threshold):
            raise InputError(
                "The threshold must be finite, because missing predictions have infinite scores, but it is "
                f"{threshold!r}."
            )
        threshold = float(threshold)  # which equal scores reach, as a chosen one
        scores = self.scores.with_half(float(self.scores.half))
        matrix = scores.at(threshold).restrict(self.labels)
        return replace(self, confusion_matrix=matrix, scores=scores, cutoff=threshold, cutoff_chosen=True)

    def one_vs_rest(self, label: Hashable) -> TwoClasses:
        """Return one of the labels against the other; the scores are those of the positive class alone."""
        if len(self.labels) == 2 and label == self.positive:
            return self
        return _one_vs_rest(self, label, None)

    def merged(self, other: Any, labels: Labels, no_answer: NoAnswer) -> TwoClasses:
        """Return the tables of both test sets together."""
        return replace(
            self,
            labels=labels,
            confusion_matrix=added("labels", self.confusion_matrix, other.confusion_matrix, together),
            scores=added("scores", self.scores, other.scores),
            no_answer=no_answer,
        )

    def without(self, part: Any) -> TwoClasses:
        """Return the tables of all cases but those of a part; a table that the part lacks is left out."""
        matrix = scores = None
        if self.confusion_matrix is not None and part.confusion_matrix is not None:
            matrix = self.confusion_matrix.without(part.confusion_matrix)
        if self.scores is not None and part.scores is not None:
            scores = self.scores.without(part.scores)
        return replace(self, confusion_matrix=matrix, scores=scores)

    def labels_alone(self) -> TwoClasses:
        """Return the same without scores."""
        return replace(self, scores=None)


@dataclass(frozen=True, eq=False)
class Classes(TypedFields):
    """Several classes: predicted labels, those of the greatest score where there are scores of each class.

    `raw_scores` says that the scores are no probabilities, and so are comparable within a case alone: they rank the
    classes of each case, and no cases.
    """

    labels: tuple[Hashable, ...]
    confusion_matrix: ConfusionMatrix
    class_scores: ClassScoreTable | BinnedClassScoreTable | None = None
    cases: CaseTable | None = None
    no_answer: tuple[float, ...] | None = None
    raw_scores: bool = False
    positive: ClassVar[None] = None
    is_binary: ClassVar[bool] = False
    scores: ClassVar[None] = None
    cutoff: ClassVar[None] = None
    cutoff_chosen: ClassVar[bool] = False
    is_cut: ClassVar[bool] = False
    is_uncut: ClassVar[bool] = False

    @property
    def is_in_order(self) -> bool:
        """Whether three classes or more have an order that somebody gave, and every case a place in it."""
        has_all = self.no_answer is None and not self.confusion_matrix.keeps_pairs_that_occur
        labels = Labels.of(self.labels)
        return has_all and len(labels) > 2 and labels.is_given

    @property
    def class_totals(self) -> Any:
        """Cases (or weight) of each true class, in the order of `labels`."""
        return self.confusion_matrix.margins.true[: len(self.labels)]

    @property
    def kinds(self) -> set[str]:
        """The kinds of tables that it has for measures."""
        scored = set() if self.class_scores is None else {"class_scores", "cases", "probabilities"}
        return {"margins", "matrix"} | scored

    def table(self, measure: Measure) -> Any:
        """Return the table that a measure without [class] is of, or the reason why it is missing."""
        _refuse_of_others(measure)
        if measure.needs in ("counts", "scores"):
            raise UnknownMeasureError(_averages_of(measure))
        if measure.needs in ("margins", "matrix"):
            return self.confusion_matrix
        if self.raw_scores and measure.needs == "class_scores":
            return RAW_SCORES
        if not self.keeps_enough(measure):
            return IN_BINS
        table = self.class_scores if measure.needs == "class_scores" else self.cases
        return NO_SCORES if table is None else table

    def keeps_enough(self, measure: Measure) -> bool:
        """Check whether the scores were kept as the measure needs them."""
        is_in_bins = isinstance(self.class_scores, BinnedClassScoreTable)
        of_rests = "mean of classes against the rest" in measure.traits
        return measure.needs != "class_scores" or not is_in_bins or of_rests

    @property
    def comparable_scores(self) -> ClassScoreTable | BinnedClassScoreTable | None:
        """The scores of the classes where they rank cases; None without scores, and for raw ones."""
        return None if self.raw_scores else self.class_scores

    def gives(self, measure: Measure) -> bool:
        """Whether its tables have a measure that names no class; top-k accuracy of k classes or fewer is always 1."""
        beyond = [f"top_{k}_accuracy" for k in (2, 3, 5) if k >= len(self.labels)]
        return measure.needs in self.kinds and self.keeps_enough(measure) and measure.name not in beyond

    def read(self, measure: Measure) -> Measure:
        """Return the measure as it is read from the matrix, which may hold cases without an answer."""
        return _among_answers(self, measure)

    def at(self, threshold: float) -> TwoClasses:
        """Raises InputError: the label is that of the greatest score."""
        raise InputError(
            f"A threshold needs one class, but there are {len(self.labels)}. Use "
            f"one_vs_rest({self.labels[0]!r}).at(threshold={threshold!r})."
        )

    def one_vs_rest(self, label: Hashable) -> TwoClasses:
        """Return one class against all others, with its own score."""
        scores = self.comparable_scores
        return _one_vs_rest(self, label, None if scores is None else scores.one_vs_rest(label))

    def at_least(self, place: int) -> TwoClasses:
        """The classes below a place in the order against those from it on, with the sum of their probabilities."""
        if self.no_answer is not None:
            raise InputError(
                "Measures of ordered classes need a prediction for every case. Exclude missing predictions "
                f"with {DROP}."
            )
        names = names_of_cut(self.labels[place])
        scores = None
        if isinstance(self.class_scores, ClassScoreTable) and self.cases is not None:
            scores = self.class_scores.cut(place, names) if self.cases.are_probabilities else None
        matrix = self.confusion_matrix.cut(place, names)
        return TwoClasses(names, names[1], matrix, scores, raw_scores=self.raw_scores)

    def merged(self, other: Any, labels: Labels, no_answer: NoAnswer) -> Classes:
        """Return the tables of both test sets together."""
        if self.raw_scores != other.raw_scores:
            raise MergeError(ONE_IS_RAW)
        return Classes(
            labels,
            added("labels", self.confusion_matrix, other.confusion_matrix, together),
            added("class scores", self.class_scores, other.class_scores),
            added("class scores", self.cases, other.cases),
            no_answer,
            self.raw_scores,
        )

    def without(self, part: Any) -> Classes:
        """Return the labels of all cases but those of a part, from which scores cannot be taken."""
        return Classes(
            self.labels, self.confusion_matrix.without(part.confusion_matrix), no_answer=self.no_answer
        )

    def labels_alone(self) -> Classes:
        """Return the same without scores."""
        return replace(self, class_scores=None, cases=None, raw_scores=False)


def alone_has_a_default(one: Any, another: Any) -> bool:
    """Check whether the default threshold cuts the scores of one of two tasks alone, and nobody chose a threshold.

    It cuts scores that lie in [0, 1]. Each task says by `is_cut` whether a threshold cuts its scores, and by `is_uncut`
    whether it has nothing but scores.
    """
    if type(one) is not type(another) or one.cutoff_chosen or another.cutoff_chosen:
        return False
    if one.is_cut == another.is_cut:
        return False
    return bool((another if one.is_cut else one).is_uncut)


class OtherTask(TypedFields, ABC):
    """A task of a wing, of other than one label a case; it has what the core asks of every task.

    `main` are the measures that most readers want of each group and learner, `unpaired` those by which models of
    different test sets are compared, where nobody names others.
    """

    positive: ClassVar[None] = None
    is_binary: ClassVar[bool] = False
    confusion_matrix: ClassVar[None] = None
    scores: ClassVar[None] = None
    class_scores: ClassVar[None] = None
    cases: ClassVar[None] = None
    cutoff: ClassVar[None] = None
    no_answer: ClassVar[None] = None
    is_in_order: ClassVar[bool] = False
    main: ClassVar[tuple[str, ...]] = ()
    unpaired: ClassVar[tuple[str, ...]] = ()
    labels: Labels
    cutoff_chosen: bool

    @property
    @abstractmethod
    def is_cut(self) -> bool:
        """Whether its labels are those of scores at a threshold."""

    @property
    @abstractmethod
    def is_uncut(self) -> bool:
        """Whether it has scores and, for want of a threshold, no labels."""

    @property
    @abstractmethod
    def class_totals(self) -> Any:
        """Cases (or weight) that truly have each label, in the order of `labels`."""

    @abstractmethod
    def gives(self, measure: Measure) -> bool:
        """Check whether its tables have a measure that names no label."""

    @abstractmethod
    def read(self, measure: Measure) -> Measure:
        """Return the measure as it is of this task. Raises UnknownMeasureError where it has none of the name."""

    @abstractmethod
    def table(self, measure: Measure) -> Any:
        """Return the table that a measure needs which names no label, or the reason why it is missing."""

    @abstractmethod
    def at(self, threshold: Any) -> Any:
        """Return the same scores with the labels of a threshold. Raises InputError where there are none."""

    @abstractmethod
    def one_vs_rest(self, label: Hashable) -> TwoClasses:
        """Return one label against its absence."""

    @abstractmethod
    def merged(self, other: Any, labels: Labels, no_answer: NoAnswer) -> Any:
        """Return the tables of both test sets together. Raises MergeError where they cannot be added."""

    @abstractmethod
    def labels_alone(self) -> Any:
        """Return the same without scores."""

    @property
    @abstractmethod
    def precision(self) -> str | None:
        """The name of the type of the scores, None without any."""

    @abstractmethod
    def too_large(self, labels: int, memory: str) -> str:
        """Return why tables of so many labels take more than this memory, and what to do, as an error."""

    @abstractmethod
    def findings(self, a: Any) -> Iterable[Finding]:
        """Return what an assessment of this task shows, beside its warnings."""


Task = TwoClasses | Classes | OtherTask


def _among_answers(task: TwoClasses | Classes, measure: Measure) -> Measure:
    matrix = task.confusion_matrix
    return measure if matrix is None else among_answers(measure, matrix.labels)


def _refuse_of_others(measure: Measure) -> None:
    """Refuse a measure of cases with more than one label each."""
    if measure.needs in WHY_NOT:
        raise UnknownMeasureError(WHY_NOT[measure.needs](measure))


def measures_of_order(task: Task) -> list[Measure]:
    """Return the ordinal measures that classes in a given order show by default; none for other classes."""
    return [measure for measure in map(get, SHOWN) if task.gives(measure)] if task.is_in_order else []


def kind_of_task(positive: Hashable | None) -> type[TwoClasses] | type[Classes]:
    """Return the kind of the task of one label a case: two classes have a positive one, several have none."""
    return Classes if positive is None else TwoClasses


def task_of(labels: tuple[Hashable, ...], positive: Hashable | None, matrix: ConfusionMatrix) -> Task:
    """Return the task of labels alone."""
    is_binary = kind_of_task(positive).is_binary
    return TwoClasses(labels, positive, matrix) if is_binary else Classes(labels, matrix)


def _one_vs_rest(task: TwoClasses | Classes, label: Hashable, scores: ScoreTable | None) -> TwoClasses:
    rest, matrix = rest_of(label), task.confusion_matrix
    collapsed = None if matrix is None else matrix.collapse(label, rest)
    is_raw = isinstance(task, Classes) and task.raw_scores
    return TwoClasses(
        (rest, label), label, collapsed, scores, None, task.cutoff_chosen, task.no_answer, raw_scores=is_raw
    )


def rest_of(label: Hashable) -> str:
    """Return the name of all other classes together."""
    return f"not {label}"


def names_of_cut(label: Hashable) -> tuple[str, str]:
    """Return the names of all classes below one, and of that and all above it.

    >>> names_of_cut("mid")
    ('below mid', 'mid or above')
    """
    return f"below {label}", f"{label} or above"


def added(what: str, here: Any, there: Any, adding: Callable[[Any, Any], Any] = add) -> Any:
    """Return the sum of two tables, or None where neither is there. Raises MergeError where one alone is."""
    if (here is None) != (there is None):
        raise MergeError(f"Only one of the two assessments has {what}. Assess both with the same options.")
    return None if here is None else adding(here, there)


def _averages_of(measure: Measure) -> str:
    averages = [f"{kind}_{measure.name}" for kind in ("macro", "micro", "weighted")]
    if measure.name == "roc_auc":
        averages.append("hand_till_auc")
    if measure.name == "brier_score":
        averages.append("multiclass_brier_score")
    known = [name for name in averages if name in MEASURES]
    offer = "".join(f"{name}, " for name in known)
    return (
        f"{measure.name} needs one class, but there are several. Use {offer}{measure.name}[LABEL] or "
        "per_class."
    )
