"""Results with a few measures by name, on which requirements can be checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate
from classay.inference.requirements import Outcome, outcome, parse, range_of, refuse_beyond
from classay.shown import Reportable


class MeasuresByName(Reportable):
    """Result whose brackets have an estimate for every name of `estimates`."""

    @property
    @abstractmethod
    def estimates(self) -> Mapping[str, Estimate]:
        """All measures by name, with their intervals."""

    def __getitem__(self, name: str) -> Estimate:
        """The estimate of a measure by name. Raises InputError for another."""
        known = self._name_of(name)
        if known not in self.estimates:
            near = nearest(name, self.estimates) or "."
            needed = self._needed_for(known)
            raise InputError(f"Unknown measure {name!r}.{needed} Measures: {', '.join(self.estimates)}{near}")
        return self.estimates[known]

    def _name_of(self, name: str) -> str:
        """Return the name of a measure for one of its other names."""
        return name

    def _needed_for(self, name: str) -> str:
        """Return a sentence, after a space, on what a measure needs that this result lacks."""
        return ""

    def _range_of(self, name: str) -> tuple[float, float]:
        """Return the range of a measure."""
        return range_of(name)

    def check(self, requirement: str) -> list[Outcome]:
        """Check requirements on its measures, such as "NAME.low >= 0.85".

        Parameters
        ----------
        requirement : str
            Conditions in the grammar of `--require`, joined by "and".

        Returns
        -------
        list of Outcome
            The outcome of every condition: pass, fail or inconclusive.

        Raises
        ------
        InputError
            If a measure is unknown, or a bound lies outside its range.
        """
        demands = parse(requirement)
        outcomes = [outcome(demand, self[demand.name]) for demand in demands]
        for demand in demands:
            refuse_beyond(demand, *self._range_of(self._name_of(demand.name)))
        return outcomes
