"""What a guarantee demands: a risk of all decisions, or of positive predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from classay.errors import InputError
from classay.inference.requirements import parse, refuse_beyond
from classay.measures import get

Side = Literal["all", "positive"]
SIDES: dict[str, tuple[Side, bool]] = {
    "error_rate": ("all", False),
    "accuracy": ("all", True),
    "precision": ("positive", True),
    "false_discovery_rate": ("positive", False),
}
"""The measures that can be promised: the cases that they are of, and whether they are one minus a risk."""
LEAST_RISK = 1e-6


@dataclass(frozen=True)
class Demand:
    """A promise as it was written, the greatest risk that it allows, and the cases whose risk it is."""

    text: str
    measure: str
    risk: float
    side: Side

    @classmethod
    def of(cls, text: str) -> Demand:
        """Read a promise such as "error_rate <= 0.05". Raises InputError for what cannot be promised."""
        requirements = parse(text)
        if len(requirements) > 1:
            raise InputError(
                f"A guarantee is one condition, but {text!r} has {len(requirements)}. Keep one of them."
            )
        (demand,) = requirements
        name = get(demand.name).name
        if name not in SIDES:
            raise InputError(
                f"{demand.name} cannot be guaranteed. A guarantee limits {', '.join(SIDES)}, such as 'error_rate <= "
                "0.05'."
            )
        side, rises = SIDES[name]
        if demand.part != "value":
            raise InputError(
                f"A guarantee has its own limits. Write {name} instead of {demand.name}.{demand.part} in {text!r}."
            )
        if (demand.operator[0] == ">") != rises:
            raise InputError(f"{name} is guaranteed from one side. Use '{name} {'>=' if rises else '<='} …'.")
        refuse_beyond(demand, 0.0, 1.0)
        risk = 1 - demand.bound if rises else demand.bound
        return cls(str(demand), name, of_risk(risk), side)

    def written(self, risk: float) -> str:
        """Return the same promise with another risk.

        >>> Demand.of("precision >= 0.9").written(0.2)
        'precision >= 0.8'
        """
        return f"{self.measure} {'>=' if self.rises else '<='} {round(1 - risk if self.rises else risk, 4):g}"

    @property
    def rises(self) -> bool:
        """Whether the measure is one minus the risk."""
        return self.measure in SIDES and SIDES[self.measure][1]

    @property
    def phrase(self) -> str:
        """The limit in words.

        >>> Demand.of("precision >= 0.9").phrase, Demand.of("error_rate <= 0.05").phrase
        ('A precision of at least 90%', 'An error rate of at most 5%')
        """
        name = self.measure.replace("_", " ")
        limit = (
            f"{self.risk:.6g}"
            if self.measure == "mean loss"
            else f"{100 * (1 - self.risk if self.rises else self.risk):.6g}%"
        )
        return f"A{'n' if name[0] in 'ae' else ''} {name} of at {'least' if self.rises else 'most'} {limit}"

    @property
    def risk_name(self) -> str:
        """The risk in words."""
        if self.measure == "mean loss":
            return self.measure
        return "error rate" if self.side == "all" else "false discovery rate"


def of_risk(risk: float) -> float:
    """Return a risk that a sample can show. Raises InputError for 0, 1 and what is beyond."""
    if not LEAST_RISK <= risk < 1:
        raise InputError(
            f"The risk of a guarantee is {risk:g}, but a sample can only promise a risk between 0 and 1. Use 0.05, for "
            "example."
        )
    return round(risk, 12)
