"""Models on one test set whose cases are of another task than one label each, which wings bring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from numpy.typing import NDArray

from classay.answers import AnswerPolicy
from classay.assessment.assessment import Assessment
from classay.comparison.cases.model_columns import AllRows
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.panel_columns import GroupColumn
from classay.comparison.comparison import Comparison
from classay.inference.design import Design
from classay.measures import Measure
from classay.warned import Warned
from classay.wings import way, ways_of

Array = NDArray[Any]
OnRows = tuple[float, Array] | str
"""The value of a model with the influence of each row on it, or why it has none."""


class OtherPanel(ABC):
    """Models on the same cases, of another task; it has what comparisons ask of every panel.

    `no_costs` says why decisions of these models have no costs.
    """

    positive: ClassVar[None] = None
    is_binary: ClassVar[bool] = False
    omitted: ClassVar[None] = None
    class_scores: ClassVar[dict[str, Array]] = {}
    no_costs: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]
    scores: Mapping[str, Any]
    predicted: Mapping[str, Any]
    group: Array | None
    groups: tuple[Any, ...]
    emptied: tuple[Any, ...]

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The models."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[Any]:
        """The labels, in order."""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of cases."""

    @property
    @abstractmethod
    def cluster(self) -> Array | None:
        """Codes of the clusters of the rows."""

    @property
    @abstractmethod
    def frequency(self) -> Array | None:
        """How often each row is repeated."""

    @property
    @abstractmethod
    def design(self) -> Design:
        """How the cases were drawn."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[Warned, ...]:
        """What a reader must know of the columns before acting on the numbers."""

    @property
    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """What was compared, as names and texts."""

    @abstractmethod
    def default_measures(self, most: int | None = None) -> list[str]:
        """Return what is compared by default; of each kind only the first `most`."""

    @abstractmethod
    def read(self, measure: Measure) -> Measure:
        """Return the measure as it is of this task. Raises UnknownMeasureError where it has none of the name."""

    @abstractmethod
    def is_of_scores(self, measure: Measure) -> bool:
        """Check whether a measure is read from the scores, not from the labels."""

    @abstractmethod
    def models_with(self, measure: Measure) -> tuple[list[str], str]:
        """Return the models that have what a measure needs, and what that is, in words."""

    @abstractmethod
    def methods_of(self, measure: Measure) -> set[str]:
        """Return the names of the tests that a measure has."""

    @abstractmethod
    def compared(
        self,
        measure: Measure,
        pairs: Sequence[tuple[str, str]],
        *,
        method: str | None,
        level: float,
        seed: int,
    ) -> list[Comparison]:
        """Pairs of models in a measure."""

    @abstractmethod
    def on_each_row(self, measure: Measure) -> dict[str, OnRows]:
        """Return the value of a measure of each model with the influence of each row on it, or why it has none."""

    @abstractmethod
    def assessed(self, name: str, seed: int, needs: str) -> Assessment:
        """Return one model assessed by itself."""

    @abstractmethod
    def one_vs_rest(self, label: Any) -> PairedPredictions:
        """Return one label against its absence, a panel of two classes."""

    @abstractmethod
    def have_probabilities(self, names: Sequence[str]) -> bool:
        """Check whether all scores of these models lie in [0, 1]."""

    @abstractmethod
    def by_group(self) -> Iterator[tuple[Hashable, Any]]:
        """Return each group with the panel of its cases."""

    @abstractmethod
    def not_recorded(self) -> Any:
        """Return the panel of the cases without a group; None where every case has one."""

    @abstractmethod
    def taken(self, rows: Array) -> Any:
        """Return some of the cases, in this sequence."""

    @abstractmethod
    def canonical(self) -> Any:
        """Return the same cases in an order that their content decides."""


Models = PairedPredictions | OtherPanel
"""Models on one test set, of one label a case or of another task."""


@dataclass(frozen=True)
class WayOfPanels:
    """How models of another task are met, in `ways={"panel.NAME": …}`: functions of models and `AllRows`.

    `as_named` gives the same columns, those of one label a case as such where `task=` says so; `claims` says whether
    models are of this task, and `panel` checks their rows.
    """

    as_named: Callable[[Any, AllRows], Mapping[str, object]]
    claims: Callable[[Any, AllRows], bool]
    panel: Callable[[Any, AllRows, AnswerPolicy, GroupColumn | None], OtherPanel]


OF_OTHER_TASKS = ("separator", "top")
"""The columns of `compare` that speak of other tasks."""


def other_panel(
    models: Any, columns: AllRows, policy: AnswerPolicy, groups: GroupColumn | None
) -> tuple[OtherPanel | None, AllRows]:
    """The models as a panel of another task, None of one label a case; and the columns as their `task` says they are.

    Raises InputError for columns of other tasks that no wing brings.
    """
    named = columns
    for known in ways_of("panel"):
        named = cast(AllRows, known.as_named(models, named))
        if known.claims(models, named):
            return known.panel(models, named, policy, groups), named
    for name in OF_OTHER_TASKS:
        if named.get(name) is not None:
            way(f"compare.{name}")
    if named.get("task") not in (None, "classes"):
        way("compare.task")
    return None, {**named, "task": None}
