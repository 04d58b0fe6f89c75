"""Estimate: a number with its uncertainty. Every number a user sees is one."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import inf, isfinite, isnan
from statistics import NormalDist
from typing import Any

from classay.errors import InputError
from classay.shown import Shown

Found = tuple[float, float, str] | str
"""What a method finds: low, high and its name; or the reason why there is no interval."""


@dataclass(frozen=True)
class Estimate(Shown):
    """A value, its interval, the level and method of the interval, and the reason for what is missing.

    `value` is NaN when undefined; `low` and `high` are NaN when there is no valid interval. In both cases `reason`
    says why; otherwise it is None. `method` is None when there is no interval. `certain` are the ends between which
    the value of the exact scores lies, where scores were counted in bins and a bound is known; the interval is as much
    wider. `measure` is the canonical name of what was estimated, where the estimate was asked for by name; two
    estimates may be equal without it.

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
    certain: tuple[float, float] | None = None
    measure: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def undefined(cls, reason: str) -> "Estimate":
        """The estimate of something that has no value, with the reason."""
        return cls(float("nan"), reason=reason)

    @classmethod
    def bare(cls, value: float, reason: str) -> "Estimate":
        """A value that has no valid interval, with the reason."""
        return cls(value, reason=reason)

    def within(self, certain: tuple[float, float], bounds: tuple[float, float] = (-inf, inf)) -> "Estimate":
        """The estimate of a value that is known to lie between two ends, with an interval as much wider inside bounds.

        >>> Estimate(0.8, 0.7, 0.9, 0.95, "Wilson").within((0.79, 0.81))
        Estimate(0.800 [0.690, 0.910] 95 %, Wilson)
        """
        if self.is_undefined:
            return self
        low, high = certain
        below, above = max(self.value - low, 0.0), max(high - self.value, 0.0)
        return replace(
            self,
            low=max(self.low - below, bounds[0]),
            high=min(self.high + above, bounds[1]),
            certain=(low, high),
        )

    @property
    def is_undefined(self) -> bool:
        """Whether there is no value."""
        return isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not (isnan(self.low) or isnan(self.high))

    @property
    def standard_error(self) -> float:
        """The standard error of a normal value with an interval of this width: (high - low) / (2 z); NaN without one.

        Intervals are found on scales of their own and by other laws than the normal, so this is a summary of theirs, as
        a meta-analysis wants it, and infinite where an end is.

        >>> round(Estimate(0.873, 0.861, 0.884, level=0.95, method="logit-DeLong").standard_error, 5)
        0.00587
        """
        if not self.has_interval or self.level is None:
            return float("nan")
        return (self.high - self.low) / (2 * NormalDist().inv_cdf(0.5 + self.level / 2))

    @property
    def row(self) -> dict[str, Any]:
        """The fields as a row of a frame, without `measure`, and without `certain`, which few estimates have."""
        return {name: value for name, value in vars(self).items() if name not in ("certain", "measure")}

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

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        if self.is_undefined:
            return f"Estimate(undefined: {self.reason})"
        if not self.has_interval:
            return f"Estimate({number(self.value)}, no interval: {self.reason})"
        value, low, high = apart(self.value, self.low, self.high)
        return f"Estimate({value} [{low}, {high}] {100 * (self.level or 0):g} %, {self.method})"


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


def bracketed(found: Estimate) -> str:
    """A value with its interval as a legend has it.

    >>> bracketed(Estimate(0.8731, 0.8612, 0.8844, 0.95, "Wilson")), bracketed(Estimate.bare(0.5, "no method"))
    ('0.873 [0.861, 0.884]', '0.500')
    """
    value, low, high = apart(found.value, found.low, found.high)
    return f"{value} [{low}, {high}]" if found.has_interval else value


def said(found: Estimate, what: str = "") -> str:
    """A value with its interval in the words of a sentence; `what` names the interval.

    >>> said(Estimate(0.8, 0.0612, 0.9, 0.95, "Wilson"), "95 % interval")
    '0.800 (95 % interval 0.061 to 0.900)'
    >>> said(Estimate.bare(0.5, "no method"))
    '0.500'
    """
    value, low, high = apart(found.value, found.low, found.high)
    return f"{value} ({f'{what} {low}'.lstrip()} to {high})" if found.has_interval else value


MOST_DECIMALS = 9
SAME = 1e-9
"""Relative distance below which two numbers are one, but for rounding."""


def apart(*values: float, write: Callable[[float], str] = number) -> tuple[str, ...]:
    """Numbers as people read them, with as many more decimals as it takes to tell apart those that differ.

    All have the decimals of the first, or as many more as show that none is 0.

    >>> apart(0.873, 0.861, 0.884), apart(0.0031, 0.0029, 0.0034)
    (('0.873', '0.861', '0.884'), ('0.0031', '0.0029', '0.0034'))
    >>> apart(0.009, 0.000662, 0.014), apart(0.00082, 0.00031, 0.0021), apart(12.3, 9.871, 153.2)
    (('0.009', '0.001', '0.014'), ('0.00082', '0.00031', '0.00210'), ('12.3', '9.9', '153.2'))
    """
    texts = tuple(map(write, values))
    texts = _even(values, texts)
    known = sorted({each for each in values if isfinite(each)})
    gaps = [b - a for a, b in pairwise(known) if b - a > SAME * max(abs(a), abs(b))]
    if not gaps or not _coincide(values, texts):
        return texts
    for decimals in range(1, MOST_DECIMALS + 1):
        longer = tuple(f"{each:,.{decimals}f}" if isfinite(each) else write(each) for each in values)
        if not _coincide(values, longer) and all(
            len(a) >= len(b) for a, b in zip(longer, texts, strict=True)
        ):
            return longer
    return texts


EVEN_DECIMALS = 6
"""Decimals beyond which numbers are not written alike: one far smaller than the others would lengthen them all."""


def _even(values: tuple[float, ...], texts: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers with the same decimals each, or as they are where one is too small for that."""
    finite = [(each, text) for each, text in zip(values, texts, strict=True) if isfinite(each)]
    places = [len(text.partition(".")[2]) for each, text in finite if each != 0 or "." in text]
    if len({*places}) < 2 or any("e" in text for _, text in finite):
        return texts
    for decimals in range(places[0], EVEN_DECIMALS + 1):
        if all(each == 0 or abs(each) >= 0.5 * 10**-decimals for each, _ in finite):
            even = (f"{each:,.{decimals}f}" if isfinite(each) else number(each) for each in values)
            return tuple(even)
    return texts


def _coincide(values: tuple[float, ...], texts: tuple[str, ...]) -> bool:
    """Whether two numbers that differ have one text."""
    return any(
        one == other and abs(a - b) > SAME * max(abs(a), abs(b))
        for (a, one), (b, other) in combinations(zip(values, texts, strict=True), 2)
        if isfinite(a) and isfinite(b)
    )
