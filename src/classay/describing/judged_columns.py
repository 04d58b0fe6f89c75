"""Files of a judge's grades with few human labels, by the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from classay.describing.columns import ColumnFacts, label_text
from classay.describing.roles import DEFAULT, usual_positive

_JUDGE = frozenset({"judge", "judged", "grader", "autograder", "autorater", "llm"})
_HUMAN = frozenset({"human", "humans", "annotator", "expert", "manual", "gold", "audit", "audited"})
_SYSTEM = frozenset({"model", "system", "prompt", "variant", "version", "run", "method"})
MAX_SYSTEMS = 20
FEW = 0.5
"""The share of the rows below which human labels are few."""


@dataclass(frozen=True)
class JudgedColumns:
    """Columns of human labels and of the judge's grades, and those of systems and cases, if each row is an answer."""

    human: ColumnFacts
    judge: ColumnFacts
    system: ColumnFacts | None
    case: ColumnFacts | None

    @property
    def words(self) -> tuple[str, ...]:
        """The options that name the columns."""
        options = {"human": self.human, "judge": self.judge, "model": self.system, "id": self.case}
        words = [word for name, facts in options.items() if facts for word in (f"--{name}", facts.name)]
        if len(self.human.values) == 2:
            positive, why = usual_positive(self.human.values)
            words += [] if why == DEFAULT else ["--positive", label_text(positive)]
        return tuple(words)

    @property
    def reason(self) -> str:
        """What the command supposes."""
        text = f"grades of a judge in {self.judge.name}, corrected by the human labels in {self.human.name}"
        return text if self.system is None else f"{text}; systems in {self.system.name}"


def judged_columns(facts: Sequence[ColumnFacts]) -> JudgedColumns | None:
    """Return the columns of a judge and of few human labels in the same words, None where there are none."""
    human = next((column for column in facts if column.words & _HUMAN and _is_rare(column)), None)
    judge = next((column for column in facts if column.words & _JUDGE and column is not human), None)
    if human is None or judge is None or not human.is_label or _is_rare(judge):
        return None
    if not (judge.is_number if human.is_number else {*human.values} <= {*judge.values}):
        return None
    system = next((column for column in facts if column.words & _SYSTEM and _is_system(column)), None)
    case = None
    if system is not None:
        crossed = (column for column in facts if column.n_distinct * system.n_distinct == column.n)
        case = next((column for column in crossed if not column.n_missing and column is not system), None)
    return JudgedColumns(human, judge, system, case)


def _is_rare(facts: ColumnFacts) -> bool:
    return facts.n - facts.n_missing < FEW * facts.n


def _is_system(facts: ColumnFacts) -> bool:
    return 2 <= facts.n_distinct <= MAX_SYSTEMS and not facts.n_missing
