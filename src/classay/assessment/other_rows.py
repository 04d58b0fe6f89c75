"""Rows of other tasks than one label a case, which wings bring: whether rows are such, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.parts import Estimation
from classay.assessment.row_arguments import RowArguments
from classay.wings import way, ways_of

Array = NDArray[Any]


class OtherRows(Protocol):
    """Checked rows of another task, a frozen dataclass; `group` are codes into `groups`, -1 where none is recorded.

    `uncounted` are groups none of whose rows counts, `gaps` columns of groups with missing values.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def rows(self) -> int:
        """How many rows count."""

    @property
    def frequency(self) -> Array | None:
        """How often each row counts."""

    @property
    def group(self) -> Array | None:
        """The group of each row, None where there are none."""

    @property
    def groups(self) -> tuple[Hashable, ...]:
        """The groups."""

    @property
    def groups_are_ordered(self) -> bool:
        """Whether the groups stand in an order that somebody gave."""

    @property
    def uncounted(self) -> tuple[Hashable, ...]:
        """Groups none of whose rows counts."""

    @property
    def gaps(self) -> tuple[str, ...]:
        """Columns of groups with missing values."""

    def take(self, rows: Array) -> OtherRows:
        """Return some of the rows, in this sequence."""

    def assessed(self, asked: Estimation, threshold: Any = None, top: int | None = None) -> Assessment:
        """Return their assessment, labels called by a threshold or the highest `top`."""

    def assessed_like(self, overall: Assessment) -> Assessment:
        """Return their assessment, called as those of a whole are."""


@dataclass(frozen=True)
class WayOfRows:
    """How rows of another task are met, each a function of truth, scores and other arguments; `rows` also of groups.

    `claims` says whether rows are of this task, `rows` checks them, `refuse` refuses them to who cannot take them and
    is named first, and `as_named` gives the same arguments, rows of one label a case as such where `task=` names them.
    """

    claims: Callable[[Any, Any, RowArguments], bool]
    rows: Callable[[Any, Any, RowArguments, Any], OtherRows | None]
    refuse: Callable[[str, Any, Any, RowArguments], None]
    as_named: Callable[[Any, Any, RowArguments], tuple[Any, Any, RowArguments]]


OF_OTHER_TASKS = ("separator", "case", "tag")
"""The options of other tasks."""


def _way(y_true: Any, y_score: Any, options: RowArguments) -> WayOfRows | None:
    """The way of the task that rows are of, None for one label a case. Raises InputError where no wing brings it."""
    for known in ways_of("rows"):
        if known.claims(y_true, y_score, options):
            return known  # type: ignore[no-any-return]
    for name in OF_OTHER_TASKS:
        if options.get(name) is not None:
            way(f"assess.{name}")
    if not isinstance(options.get("truth"), str | None):
        way("assess.truth of several columns")
    return None


def are_of_other_task(y_true: Any, y_score: Any, options: RowArguments) -> bool:
    """Check whether what `assess` or `assess_by` was given is of another task than one label a case."""
    return _way(y_true, y_score, options) is not None


def other_rows(y_true: Any, y_score: Any, options: RowArguments, by: Any = None) -> OtherRows | None:
    """Return the checked rows of what `assess` or `assess_by` was given; None where cases have one label each.

    Raises InputError, as they do.
    """
    known = _way(y_true, y_score, options)
    return None if known is None else known.rows(y_true, y_score, options, by)


def refuse_other_rows(who: str, y_true: Any, y_score: Any, options: RowArguments) -> None:
    """Raise InputError for rows of another task, which `who` cannot take, and for arguments that speak of some."""
    if (known := _way(y_true, y_score, options)) is not None:
        known.refuse(who, y_true, y_score, options)


def with_task(y_true: Any, y_score: Any, options: RowArguments) -> tuple[Any, Any, RowArguments]:
    """The truth, the scores and the other arguments of `assess`, rows of classes as such where `task` names them.

    Raises InputError for another word than a task has, and for rows that are of another task than it says.
    """
    if known := ways_of("rows"):
        return known[0].as_named(y_true, y_score, options)  # type: ignore[no-any-return]
    if options.get("task") != "classes":
        way("assess.task")
    options = options.copy()
    options.pop("task", None)
    return y_true, y_score, options
