"""Estimate: a number with its uncertainty. Every number a user sees is one."""

from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

from classay.errors import InputError

Found = tuple[float, float, str] | str
"""What a method finds: low, high and its name; or the reason why there is no interval."""


@dataclass(frozen=True)
class Estimate:
    """A value, its interval, the level and method of the interval, and the reason for what is missing.

    `value` is NaN when undefined; `low` and `high` are NaN when there is no valid interval. In both cases `reason`
    says why; otherwise it is None. `method` is None when there is no interval.

    >>> Estimate(0.873, 0.861, 0.884, level=0.95, method="logit-DeLong")
    Estimate(0.873 [0.861, 0.884] 95 %, logit-DeLong)
    >>> Estimate.undefined("never predicted")
    Estimate(undefined: never predicted)
    """

    value: float
    low: float = float("nan")
    high: float = float("nan")
    level: float | None = None
    method: str | None = None
    reason: str | None = None

    @classmethod
    def undefined(cls, reason: str) -> "Estimate":
        """The estimate of something that has no value, with the reason."""
        return cls(float("nan"), reason=reason)

    @classmethod
    def bare(cls, value: float, reason: str) -> "Estimate":
        """A value that has no valid interval, with the reason."""
        return cls(value, reason=reason)

    @property
    def is_undefined(self) -> bool:
        """Whether there is no value."""
        return isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not (isnan(self.low) or isnan(self.high))

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        """The estimate as text; with a format of numbers, such as ".2f", the value and its interval in it.

        >>> e = Estimate(0.8731, 0.8612, 0.8844, 0.95, "logit-DeLong")
        >>> f"{e:.2f}", f"{e.value:.2f}"
        ('0.87 [0.86, 0.88]', '0.87')
        """
        if not spec:
            return str(self)
        try:
            value, low, high = (format(each, spec) for each in (self.value, self.low, self.high))
        except ValueError:
            raise InputError(f"{spec!r} is no format of a number: write f'{{e:.2f}}', or f'{{e}}'.") from None
        if self.is_undefined:
            return "undefined"
        return f"{value} [{low}, {high}]" if self.has_interval else value

    def _not_comparable(self, other: object) -> Any:
        if isinstance(other, Estimate):
            raise InputError(
                "estimates have no order, because their intervals may overlap: compare a.value with b.value, or "
                "models by classay.compare."
            )
        raise InputError(
            f"an estimate is a value and its interval: write e.value > {other!r} for the value, or e.low > {other!r} "
            "for what it is at least."
        )

    __lt__ = __le__ = __gt__ = __ge__ = _not_comparable

    def __repr__(self) -> str:
        if self.is_undefined:
            return f"Estimate(undefined: {self.reason})"
        if not self.has_interval:
            return f"Estimate({number(self.value)}, no interval: {self.reason})"
        return (
            f"Estimate({number(self.value)} [{number(self.low)}, {number(self.high)}] "
            f"{100 * (self.level or 0):g} %, {self.method})"
        )


def number(value: float) -> str:
    """A number as people read it: three decimals near one, three significant digits when large or tiny.

    >>> number(0.87312), number(404.5016), number(0.00012), number(float("inf"))
    ('0.873', '405', '0.00012', 'infinite')
    """
    if isnan(value):
        return "–"
    if not isfinite(value):
        return "infinite" if value > 0 else "-infinite"
    size = abs(value)
    if size >= 100 and size < 1e7:
        return f"{value:,.0f}"
    if size and (size < 0.001 or size >= 1e7):
        return f"{value:.3g}"
    return f"{value:.3f}" if size < 10 else f"{value:.1f}"
