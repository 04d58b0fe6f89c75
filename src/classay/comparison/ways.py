"""Ways in which `compare` answers beside those on one test set; wings bring them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from classay.assessment.parts import Sampling
from classay.comparison.comparisons import in_direction, level_of_both
from classay.comparison.gate_rules import interval_level
from classay.inference.draws import seed_of
from classay.wings import ways_of

if TYPE_CHECKING:
    import numpy as np

    from classay.answers import Missing
    from classay.comparison.cases.model_columns import AllRows
    from classay.comparison.comparisons import Comparisons
    from classay.decision.costs import Costs
    from classay.kinds import Alternative, Rule
    from classay.measures import Measure


OF_GROUPS = ("by", "pool", "bands", "unanswered")
"""What is said of rows on one test set beside their columns."""


@dataclass(frozen=True)
class Question:
    """What is asked of any comparison, with the names and meanings of `compare`."""

    measures: Sequence[str | Measure | Costs] | None
    method: str | None
    control: str | None
    rope: float | None
    rule: Rule | None
    margin: float | None
    alternative: Alternative
    adjustment: str
    level: float | None
    seed: int | np.random.Generator
    missing: Missing
    rows: Mapping[str, Any]
    """What else was said, of rows or of the columns of results, by name; None where it was not."""

    @cached_property
    def drawn_seed(self) -> int:
        """The seed as a whole number, drawn once from a Generator."""
        return seed_of(self.seed)

    @cached_property
    def sampling(self) -> Sampling:
        """How the cases were drawn. Raises InputError for what is no design."""
        return Sampling(design=self.rows.get("design"))

    @property
    def columns(self) -> AllRows:
        """The columns of rows on one test set."""
        return cast("AllRows", {name: value for name, value in self.rows.items() if name not in OF_GROUPS})

    @property
    def nominal_level(self) -> float:
        """The level on one test set, 0.95 where none was named."""
        return 0.95 if self.level is None else self.level

    @property
    def interval_level(self) -> float:
        """The level of two-sided intervals of comparisons on one test set."""
        return interval_level(self.rule, level_of_both(self.alternative, self.nominal_level))

    def in_direction(self, comparisons: Comparisons) -> Comparisons:
        """Comparisons on one test set as they are, or as the one-sided tests that were asked for."""
        return in_direction(comparisons, self.alternative, self.adjustment, self.nominal_level)

    def options_of(self, way: WayToCompare) -> dict[str, Any]:
        """Return those that are the own of a way."""
        return {name: self.rows.get(name) for name in way.options}

    def options_beside(self, way: WayToCompare) -> dict[str, Any]:
        """Return those that are not, in the order in which they are explained."""
        return {name: value for name, value in self.rows.items() if name not in way.options}


@dataclass(frozen=True)
class WayToCompare:
    """One way in which `compare` answers: the first that claims the models is taken, one test set is the last.

    Ways of "compare_predictions" are asked when it is one test set.
    """

    options: tuple[str, ...]
    """Those of `compare` that are its own."""
    lacking: str
    """Why they have no meaning where it does not claim the models."""
    claims: Callable[[Any, Question], bool]
    """Whether these models, with what is asked of them, are compared in this way."""
    answer: Callable[[Any, Question], Comparisons]
    """The comparison of the models. Raises InputError for options that have no meaning in this way."""


def ways() -> list[WayToCompare]:
    """Return all ways that wings bring, in their order; their modules register their tests.

    >>> [way.options[0] for way in ways()]
    ['design', 'test_over_train', 'dataset']
    """
    return ways_of("compare")
