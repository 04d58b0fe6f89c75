"""Requirements: conditions on estimates in one grammar, NAME[.value|.low|.high] OP NUMBER, joined by "and".

NAME is that of a measure, `f_beta(3)` and `recall[other]` too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from math import inf, isinf, isnan
from typing import Literal, cast, get_args

from classay.errors import InputError, UnknownMeasureError
from classay.inference.estimate import Estimate, format_distinct, level_text, number
from classay.measures import get
from classay.measures.vocabulary import name_in
from classay.texts import clean, hint

Part = Literal["value", "low", "high"]
Operator = Literal[">=", ">", "<=", "<"]
_COMPARED = re.compile(r"\s*(?:\.([^\s.<>=!]*))?\s*([<>=!]+)\s*(\S+)(?:\s+(and)\s+|\s*$)")


class Verdict(Enum):
    """Whether what was demanded holds; `UNDECIDED` where a number that it rests on is missing."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "cannot tell"

    @property
    def word(self) -> str:
        """The verdict as texts have it: "pass", "fail" or "inconclusive"; the value is that of JSON."""
        return "inconclusive" if self is Verdict.UNDECIDED else self.value

    @property
    def past(self) -> str:
        """What came of a demand: "passed", "failed" or "inconclusive"."""
        return {Verdict.PASS: "passed", Verdict.FAIL: "failed"}.get(self, self.word)

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """Return one verdict of several: any failure fails, then any undecided one leaves all undecided.

        >>> Verdict.of([Verdict.PASS, Verdict.UNDECIDED]), Verdict.of([Verdict.FAIL, Verdict.UNDECIDED])
        (<Verdict.UNDECIDED: 'cannot tell'>, <Verdict.FAIL: 'fail'>)
        """
        distinct = {*verdicts}
        return next((verdict for verdict in (cls.FAIL, cls.UNDECIDED) if verdict in distinct), cls.PASS)


PARTS = {"value": "value", "low": "lower limit", "high": "upper limit"}
"""The parts of an estimate in words."""


@dataclass(frozen=True)
class Requirement:
    """One condition on one estimate: its value, or an end of its interval, against a number."""

    name: str
    part: Part
    operator: Operator
    bound: float

    def __str__(self) -> str:
        part = "" if self.part == "value" else f".{self.part}"
        return f"{self.name}{part} {self.operator} {self.bound:g}"

    @property
    def negated(self) -> Requirement:
        """The same demand on the negative of the estimate, whose low end is the negative of the high one.

        >>> print(Requirement("difference", "low", ">", -0.01).negated)
        difference.high < 0.01
        """
        part: dict[Part, Part] = {"value": "value", "low": "high", "high": "low"}
        operator: dict[Operator, Operator] = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
        return Requirement(self.name, part[self.part], operator[self.operator], 0.0 - self.bound)

    def met_by(self, value: float) -> bool:
        """Check whether a number meets it; NaN meets nothing."""
        return {
            ">=": value >= self.bound,
            ">": value > self.bound,
            "<=": value <= self.bound,
            "<": value < self.bound,
        }[self.operator]


@dataclass(frozen=True)
class Outcome:
    """A requirement, the estimate it was held against, and the verdict; `note` says what the estimate supposes.

    `left_out` are the groups that an estimate of all groups says nothing of, each with its reason.
    """

    requirement: Requirement
    estimate: Estimate
    verdict: Verdict
    note: str = ""
    left_out: tuple[tuple[Hashable, str], ...] = ()

    @property
    def value(self) -> float:
        """The number that decided."""
        return float(getattr(self.estimate, self.requirement.part))

    @property
    def found(self) -> str:
        """The number that decided, with as many decimals as tell it from the bound."""
        return (
            number(self.value)
            if isnan(self.value)
            else format_distinct(self.value, self.requirement.bound)[0]
        )

    def __str__(self) -> str:
        return clean(f"{self.verdict.word.upper()}: {self.requirement} ({self.reason})")

    @property
    def reason(self) -> str:
        """What the verdict rests on: the number that decided, and the estimate that it belongs to."""
        if isnan(self.value):
            text = self.estimate.reason or "no value"
        else:
            text = f"{PARTS[self.requirement.part]} {self.found}"
        if self.estimate.has_interval and not isnan(self.value):
            value, low, high = format_distinct(self.estimate.value, self.estimate.low, self.estimate.high)
            limits = f"{level_text(self.estimate.level)} {low} to {high}"
            is_value = self.requirement.part == "value"
            text += f", {limits}" if is_value else f"; {self.requirement.name} {value}, {limits}"
        return f"{text}; {self.note}" if self.note else text


def parse(text: str) -> list[Requirement]:
    """Return the requirements of a text such as "recall.low >= 0.9 and precision > 0.5".

    Raises InputError that shows the grammar for anything else.

    >>> parse("recall.low >= 0.9 and precision > 0.5")[0]
    Requirement(name='recall', part='low', operator='>=', bound=0.9)
    >>> parse('recall["black and white"].low >= 0.8')[0].name
    'recall["black and white"]'
    """
    requirements: list[Requirement] = []
    at: int | None = 0
    while at is not None:
        requirement, at = _first_of(text, at)
        requirements.append(requirement)
    return requirements


def check(text: str, estimate: Callable[[str], Estimate]) -> list[Outcome]:
    """Return the outcome of every requirement of a text; `estimate` gives the estimate of a name.

    >>> outcomes = check("recall.low >= 0.9", lambda name: Estimate(0.95, 0.88, 0.99, 0.95, "Wilson"))
    >>> print(outcomes[0])
    FAIL: recall.low >= 0.9 (lower limit 0.880; recall 0.950, 95% CI 0.880 to 0.990)
    """
    return [outcome(requirement, estimate(requirement.name)) for requirement in parse(text)]


def outcome(requirement: Requirement, estimate: Estimate) -> Outcome:
    """Return a requirement held against the estimate of its name; undecided where the number is undefined."""
    value = float(getattr(estimate, requirement.part))
    if isnan(value):
        return Outcome(requirement, estimate, Verdict.UNDECIDED)
    return Outcome(requirement, estimate, Verdict.PASS if requirement.met_by(value) else Verdict.FAIL)


def refuse_beyond(requirement: Requirement, low: float, high: float) -> None:
    """Refuse a bound outside the range of what is asked: every value meets it, or none does. Raises InputError.

    A bound at an end of the range may stay: `recall >= 0` says that nothing is asked, and `recall >= 1` asks for all.

    >>> refuse_beyond(parse("brier_score <= 10")[0], 0, 1)
    Traceback (most recent call last):
    ...
    classay.errors.InputError: brier_score <= 10 always holds, because brier_score is between 0 and 1. Write 0.1 if...
    """
    if low <= requirement.bound <= high or isinf(requirement.bound):  # endless: no limit at all
        return
    holds = "always" if requirement.met_by(low if requirement.bound < low else high) else "never"
    part = requirement.bound / 100
    meant = _is_percent(requirement.bound, high) and low <= part <= high
    todo = f"Write {part:g} if you mean percent" if meant else "Use a number within this range"
    raise InputError(
        f"{requirement} {holds} holds, because {requirement.name} {_range_said(low, high)}. {todo}."
    )


def refuse_whole_range(
    option: Literal["margin", "rope"], distance: float | None, measure: str, low: float, high: float
) -> None:
    """Refuse a margin or a rope that no two values of a measure can exceed, so that nothing fails. Raises InputError.

    >>> refuse_whole_range("margin", 5, "recall", 0, 1)
    Traceback (most recent call last):
    ...
    classay.errors.InputError: margin is 5, but recall is between 0 and 1. Use margin=0.05 if you mean percent.
    """
    width = high - low
    if distance is None or isnan(distance) or distance < width:
        return
    part = distance / 100
    if _is_percent(distance, high) and 0 < part < width:
        todo = f"Use {hint(f'{option}={part:g}', f'--{option} {part:g}')} if you mean percent"
    else:
        todo = f"Use {hint(f'{option}=', f'--{option}')} below {width:g}"
    raise InputError(f"{option} is {distance:g}, but {measure} {_range_said(low, high)}. {todo}.")


def range_of(measure: str, values: Iterable[float] = ()) -> tuple[float, float]:
    """Return the range of a measure; all numbers where it is not known, or where values of that name lie outside.

    Values that somebody gives may bear the name of a measure and be in percent.

    >>> range_of("recall"), range_of("recall", [82.5, 84.0]), range_of("grade")
    ((0.0, 1.0), (-inf, inf), (-inf, inf))
    """
    try:
        low, high = get(measure).bounds
    except (InputError, UnknownMeasureError):
        return -inf, inf
    is_outside = any(value < low or value > high for value in values)
    return (-inf, inf) if is_outside else (float(low), float(high))


def _is_percent(bound: float, high: float) -> bool:
    """Check whether a number outside a range of shares, or of what is counted in such, looks like one in percent."""
    return high <= 2 <= abs(bound) <= 100


def _range_said(low: float, high: float) -> str:
    if isinf(low):
        return f"is at most {high:g}"
    return f"is at least {low:g}" if isinf(high) else f"is between {low:g} and {high:g}"


def _first_of(text: str, start: int) -> tuple[Requirement, int | None]:
    """Return the requirement that begins there, and where the next one does, if an "and" announces one."""
    name = name_in(text, start)
    match = None if name is None else _COMPARED.match(text, name[1])
    if name is not None and match is not None:
        part, operator, bound, further = match.groups()
        part = "value" if part is None else part
        try:
            limit = float(bound)
        except ValueError:
            limit = float("nan")
        if part in get_args(Part) and operator in get_args(Operator) and not isnan(limit):
            requirement = Requirement(name[0].text, cast(Part, part), cast(Operator, operator), limit)
            return requirement, match.end() if further else None
    place = f" at {text[start:]!r}" if start else ""
    raise InputError(
        f"The requirement {text!r} cannot be read{place}. Write NAME[.value|.low|.high] OP NUMBER "
        "with OP one of >=, >, <=, <, such as 'recall.low >= 0.9'. Join several with 'and'."
    )
