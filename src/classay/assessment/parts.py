"""The parts of an assessment: its task, what became of the rows that came, how they were drawn, and the request."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from math import frexp
from typing import Any, ClassVar, Literal

from classay.assessment.drawn import AnyDesign, refuse_designed, refuse_no_design
from classay.assessment.task import Task
from classay.assessment.unlabeled import UnlabeledCases, add_unlabeled
from classay.columns.scales import CONVERTED_BY, MIXED
from classay.errors import InputError
from classay.inference.methods import all_names
from classay.kinds import Delegating, ScoreScale, TypedFields, shown
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.bins import BinnedClassScoreTable
from classay.tables.paired import Blocks
from classay.tables.rows import CodedRows


@dataclass(frozen=True)
class InputSummary(TypedFields):
    """What became of the rows that came: `rows` count, `dropped` were left out.

    `unscored` lack nothing but a score, `unanswered` have no answer of the model, `undeclared` of them a label that
    nobody declared. `improper` counts rows whose scores of both classes, where both were given, were no probabilities,
    `renormalised` rows of class scores that were divided by their sum, `rounded` rows with a score or a sum that leaves
    [0, 1], or 1, by rounding alone. `unlabeled` counts the answered cases without a true label by their scores, where
    such were left out. `sorted_columns` are rows whose columns of scores had no names and were read in the sorted order
    of the labels. In `reversed_pairs` of `compared_pairs` the given labels contradict the given scores, see
    `Predictions.pairs`; of rows that came in parts, pairs are of one part.
    """

    rows: int = 0
    dropped: int = 0
    unscored: int = 0
    improper: int = 0
    renormalised: int = 0
    unanswered: int = 0
    undeclared: int = 0
    rounded: int = 0
    sorted_columns: int = 0
    reversed_pairs: int = 0
    compared_pairs: int = 0
    unlabeled: UnlabeledCases | None = None

    def __add__(self, other: InputSummary) -> InputSummary:
        counts = {name: getattr(self, name) + getattr(other, name) for name in COUNTS_OF_ROWS}
        return InputSummary(**counts, unlabeled=add_unlabeled(self.unlabeled, other.unlabeled))


COUNTS_OF_ROWS = tuple(field.name for field in fields(InputSummary) if field.name != "unlabeled")
"""The plain numbers of `InputSummary`."""


KindOfWeight = Literal["none", "sampling", "frequency"]


def kind_of_weight(weight: object, frequency: object) -> KindOfWeight:
    """Return what the weights of rows mean, of which there is one kind at most."""
    return "sampling" if weight is not None else "frequency" if frequency is not None else "none"


@dataclass(frozen=True, eq=False)
class Sampling(TypedFields):
    """How the cases were drawn, and what is kept of single cases.

    `weight_scale` is the factor by which sampling weights were multiplied, 1 unless they are enormous or tiny; `coded`
    are the rows of cases in clusters; `blocks` allow two models to be compared when their rows are gone. `repeats` is a
    column of ids that repeats its values, with the number of values, 0 where that is not known. `design` is that of
    cases that were drawn for a label, which assessments of rows that count alike cannot have.
    """

    kind_of_weight: KindOfWeight = "none"
    weight_scale: float = 1.0
    coded: CodedRows | None = None
    blocks: Blocks | None = None
    repeats: tuple[str, int] | None = None
    design: AnyDesign = None

    def __post_init__(self) -> None:
        refuse_no_design(self.design)
        super().__post_init__()
        if frexp(self.weight_scale)[0] != 0.5:
            raise InputError(f"weight_scale must be a power of two, but is {self.weight_scale!r}.")
        if self.repeats is not None and self.repeats[1] < 0:
            raise InputError(f"The number of values in repeats must be at least 0, but is {self.repeats[1]}.")

    @property
    def merged_repeats(self) -> tuple[str, int] | None:
        """The column of ids, whose values may be the same in parts that are added."""
        return None if self.repeats is None else (self.repeats[0], 0)


@dataclass(frozen=True)
class Estimation(TypedFields):
    """What was asked: the level of the intervals, the seed of what is random, a method of all intervals.

    `limit` is the number of rows after which reading was ended, None where all were read. `model` is what the scores
    are called, "" where that is not known; `score_scale` what they were said to be, None where nothing was said, or
    parts that were added differ. Of these, `scales_of_parts` are the scales that scores were converted from.
    """

    level: float = 0.95
    seed: int = 0
    interval: str | None = None
    limit: int | None = None
    model: str = ""
    score_scale: ScoreScale | None = None
    scales_of_parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.interval is not None and self.interval not in all_names():
            raise InputError(f"interval must be the full name of a method, but is {shown(self.interval)}.")
        if not {*self.scales_of_parts} <= {*CONVERTED_BY, MIXED}:
            raise InputError(
                f"scales_of_parts must be scales of scores, but are {shown(self.scales_of_parts)}."
            )

    def merged(self, other: Estimation) -> Estimation:
        """What was asked of both parts together, where they were asked alike but for the name and scale of scores."""
        scale, scales = self.score_scale, {*self.scales_of_parts, *other.scales_of_parts}
        if other.score_scale != scale:
            scales |= {
                each for each in (scale, other.score_scale) if each is not None and each in CONVERTED_BY
            }
            scale = None
        model = self.model if self.model == other.model else ""
        return replace(self, model=model, score_scale=scale, scales_of_parts=tuple(sorted(scales)))


class PartsOfAssessment(Delegating):
    """Attributes of an assessment, whichever part holds them."""

    _PARTS: ClassVar[tuple[str, ...]] = ("task", "received", "sampling", "estimation")
    task: Task
    received: InputSummary
    sampling: Sampling
    estimation: Estimation

    def __post_init__(self) -> None:
        check_fields: Any = super()
        check_fields.__post_init__()
        refuse_designed({"The assessment": self}, "assess")

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """Classes, in order."""
        return self.task.labels

    @property
    def positive(self) -> Hashable | None:
        """Positive class, or None for more than two classes."""
        return self.task.positive

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, one of them positive."""
        return self.task.is_binary

    @property
    def confusion_matrix(self) -> ConfusionMatrix | None:
        """Predicted against true labels, or None if there are no predicted labels."""
        return self.task.confusion_matrix

    @property
    def scores(self) -> ScoreTable | None:
        """Scores of the positive class."""
        return self.task.scores

    @property
    def class_scores(self) -> ClassScoreTable | BinnedClassScoreTable | None:
        """Scores of several classes."""
        return self.task.class_scores

    @property
    def cases(self) -> CaseTable | None:
        """Sums over the scores of each case, of several classes."""
        return self.task.cases

    @property
    def cutoff(self) -> float | None:
        """Threshold of the labels, or None if labels were given."""
        return self.task.cutoff

    @property
    def cutoff_chosen(self) -> bool:
        """Whether somebody chose the threshold."""
        return self.task.cutoff_chosen

    @property
    def no_answer(self) -> tuple[float, ...] | None:
        """Cases of each class without a prediction that count as incorrect.

        None if no case counts so.
        """
        return self.task.no_answer

    @property
    def class_totals(self) -> Any:
        """Cases (or weight) of each true class, in the order of `labels`."""
        return self.task.class_totals

    @property
    def rows(self) -> int:
        """Number of rows that count."""
        return self.received.rows

    @property
    def dropped(self) -> int:
        """Number of excluded rows."""
        return self.received.dropped

    @property
    def unscored(self) -> int:
        """Number of rows that lack only a score."""
        return self.received.unscored

    @property
    def rounded(self) -> int:
        """Number of rows with a score or sum that only rounding put outside its range."""
        return self.received.rounded

    @property
    def raw_scores(self) -> bool:
        """Whether the scores of the classes are raw, which means no probabilities.

        Of two classes their difference is the score. Raw scores of three or more classes can be compared
        only within a case, and rank no cases.
        """
        if self.is_binary:
            return self.scores is not None and self.scores.is_difference
        return bool(getattr(self.task, "raw_scores", False))

    @property
    def comparable_scores(self) -> ClassScoreTable | BinnedClassScoreTable | None:
        """Scores of several classes that rank cases.

        None without scores, and for raw scores.
        """
        return None if self.raw_scores else self.class_scores

    @property
    def unanswered(self) -> int:
        """Number of rows without a prediction."""
        return self.received.unanswered

    @property
    def undeclared(self) -> int:
        """Number of rows with an undeclared predicted label."""
        return self.received.undeclared

    @property
    def improper(self) -> int:
        """Number of rows with scores of both classes that are no probabilities."""
        return self.received.improper

    @property
    def renormalised(self) -> int:
        """Number of rows of class scores that were divided by their sum."""
        return self.received.renormalised

    @property
    def sorted_columns(self) -> int:
        """Number of rows with unnamed score columns, read as sorted labels."""
        return self.received.sorted_columns

    @property
    def reversed_pairs(self) -> int:
        """Number of pairs in which the given labels contradict the given scores."""
        return self.received.reversed_pairs

    @property
    def compared_pairs(self) -> int:
        """Number of pairs in which labels and scores were compared.

        It is 0 if only one of them was given.
        """
        return self.received.compared_pairs

    @property
    def repeats(self) -> tuple[str, int] | None:
        """Column of ids that repeats its values, and the number of values."""
        return self.sampling.repeats

    @property
    def kind_of_weight(self) -> str:
        """Kind of the weights, "none", "sampling" or "frequency"."""
        return self.sampling.kind_of_weight

    @property
    def weight_scale(self) -> float:
        """Factor that sampling weights were multiplied by."""
        return self.sampling.weight_scale

    @property
    def coded(self) -> CodedRows | None:
        """Rows of cases in clusters."""
        return self.sampling.coded

    @property
    def blocks(self) -> Blocks | None:
        """Blocks of cases, by which models are compared without rows."""
        return self.sampling.blocks

    @property
    def level(self) -> float:
        """Confidence level of the intervals."""
        return self.estimation.level

    @property
    def seed(self) -> int:
        """Start of all random numbers."""
        return self.estimation.seed

    @property
    def interval(self) -> str | None:
        """Method of all intervals, or None for the default of each measure."""
        return self.estimation.interval

    @property
    def limit(self) -> int | None:
        """Number of rows after which reading stopped, or None if all were read."""
        return self.estimation.limit

    @property
    def model(self) -> str:
        """Name of the scores in titles.

        It is the column of a frame, or the name of a series, or empty.
        """
        return self.estimation.model

    @property
    def score_scale(self) -> str | None:
        """Declared scale of the scores, "probability", "logit" or "count".

        None if no scale was declared.
        """
        return self.estimation.score_scale

    @property
    def scales_of_parts(self) -> tuple[str, ...]:
        """Scales of the scores of added parts, if they differ."""
        return self.estimation.scales_of_parts
