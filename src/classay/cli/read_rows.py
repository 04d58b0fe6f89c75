"""Rows that a command has read: their columns, as `classay.assess` takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classay.answers import AnswerPolicy
    from classay.assessment.row_arguments import RowColumns
    from classay.kinds import Improper
    from classay.predictions import Predictions


@dataclass(frozen=True)
class ReadRows:
    """The truth, the scores and the other columns of rows; `repeats` is the column of ids that repeats its values."""

    y_true: Any
    y_score: Any
    columns: RowColumns
    by: Any = None
    time: Any = None
    repeats: tuple[str, int] | None = None

    def check(self, policy: AnswerPolicy, improper: Improper = "keep", by: Any = None) -> Predictions:
        """Return the rows, checked, with the groups of `by`, or else their own. Raises InputError as `assess` does."""
        from classay.assessment.assessing import input_rows
        from classay.assessment.other_rows import refuse_other_rows
        from classay.assessment.row_arguments import RowArguments
        from classay.predictions import check

        refuse_other_rows("this command", self.y_true, self.y_score, RowArguments())
        return check(
            input_rows(
                self.y_true,
                self.y_score,
                **self.columns,
                by=self.by if by is None else by,
                repeats=self.repeats,
                policy=policy,
                improper=improper,
            )
        )
