"""One proportion with its interval by every method, to compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.proportions import PROPORTION_METHODS
from classay.kinds import checked
from classay.shown import Shown, frame_of


@dataclass(frozen=True, repr=False)
class Proportion(Shown):
    """A number of successes among cases, with the interval of each method; print it, or see `.frame()`."""

    successes: int
    cases: int
    level: float
    estimates: Mapping[str, Estimate]

    @property
    def value(self) -> float:
        """The share."""
        return self.successes / self.cases

    def __getitem__(self, method: str) -> Estimate:
        """The interval by one method, in whatever case it is written. Raises InputError for another."""
        known = {name.casefold(): each for name, each in self.estimates.items()}
        if method.casefold() not in known:
            raise InputError(f"no method is named {method!r}: there are {', '.join(self.estimates)}.")
        return known[method.casefold()]

    def frame(self) -> Any:
        """A row a method as a PyArrow table: method, value, low, high, level."""
        rows = [{"method": name} | each.row for name, each in self.estimates.items()]
        return frame_of(
            [{name: row[name] for name in ("method", "value", "low", "high", "level")} for row in rows]
        )

    def __repr__(self) -> str:
        first = next(iter(self.estimates.values()))
        return f"Proportion({self.successes:,} of {self.cases:,}: {first!r}; print it for every method)"


@checked
def proportion(successes: int, cases: int, *, level: float = 0.95) -> Proportion:
    """The share of `successes` among `cases` with its interval by every method, to compare them.

    Wilson's, the default of all proportions, first; Wald's, as textbooks have it, last. Raises InputError for numbers
    that are not whole, for fewer than one case, more successes than cases, and a level outside (0, 1).

    >>> found = proportion(75, 100, level=0.8)
    >>> found["Wilson"], found["wald"]
    (Estimate(0.750 [0.691, 0.801] 80 %, Wilson), Estimate(0.750 [0.695, 0.805] 80 %, Wald))
    >>> found
    Proportion(75 of 100: Estimate(0.750 [0.691, 0.801] 80 %, Wilson); print it for every method)
    """
    if successes % 1 or cases % 1 or cases < 1 or not 0 <= successes <= cases:
        raise InputError(
            f"{successes} of {cases} is no proportion: pass whole numbers, from 0 to as many successes as cases, 1 or "
            "more."
        )
    if not 0 < level < 1:
        raise InputError(f"level is {level!r}: pass a share in (0, 1).")
    share, found = successes / cases, {}
    for name, (method, _) in PROPORTION_METHODS.items():
        low, high = method(successes, cases, level)
        found[name] = Estimate(share, float(low), float(high), level, name)
    return Proportion(int(successes), int(cases), level, found)
