"""The arguments of `assess` by name, as they are passed on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.columns.labels import Labels
from classay.columns.scales import Rounding
from classay.kinds import Improper, ScoreScale

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.decision.costs import Costs
    from classay.measures.registry import Measure


class RowColumns(TypedDict, total=False):
    """Columns of the rows beside their truth and scores, and what their labels and scores mean."""

    y_pred: Any
    positive: Hashable | None
    labels: Sequence[Hashable] | None
    ordered: bool
    weight: Any
    frequency: Any
    cluster: Any
    id: Any
    amounts: Any
    score_scale: ScoreScale | None


class RowArguments(RowColumns, total=False):
    """The arguments of `assess` that say what its rows are, beside their truth and scores."""

    truth: str | Sequence[str] | Mapping[Hashable, str] | None
    score: str | Sequence[str] | Mapping[Hashable, str] | None
    prediction: str | Sequence[str] | Mapping[Hashable, str] | None
    separator: str | None
    case: Any
    tag: Any
    top: int | None
    missing: Missing
    unanswered: Unanswered
    improper: Improper
    task: Literal["classes", "tags"] | None


class PartOfRows(RowArguments, total=False):
    """The same of rows that may be one part of many, as `InputRows` has it; `by` are the groups that they belong to.

    `repeats` is the column of ids that repeats its values, as `repeated_ids` has it, or "look".
    """

    by: Any
    policy: AnswerPolicy
    occurring: Labels | None
    rounding: Rounding
    repeats: tuple[str, int] | Literal["look"] | None


class RuleArguments(TypedDict, total=False):
    """The arguments of `Assessment.threshold`."""

    cost: Costs | Mapping[str, float | str] | None
    where: str | None
    maximize: str | Measure | None
    minimize: str | Measure | None
    top: float | None
    per: Any
    prevalence: float | None
    held_back: Assessment | None


class EstimationArguments(TypedDict):
    """The arguments of `assess` that are no rows, as `how_to_assess` checked them."""

    threshold: float | None
    level: float
    seed: int
    interval: str | None
