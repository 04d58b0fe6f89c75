"""Families: measures with parameters, made when asked for, by a call or by a text such as `f_beta(3)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from classay.errors import InputError
from classay.kinds import MOST, Kind, finite, measurable, rate, share, shown, whole
from classay.measures.names import quoted
from classay.measures.registry import ALIASES, FAMILIES, MEASURES, Measure, document

_MADE: dict[str, Measure] = {}


def _beta(value: Any) -> float:
    found = finite(value)
    if not MOST**-0.5 <= found <= MOST**0.5:  # its square is a weight
        raise ValueError
    return found


def _cost(value: Any) -> float:
    found = finite(value)
    if found < 0 or not measurable(found):
        raise ValueError
    return found


def _count(value: Any) -> int:
    found = whole(value)
    if found < 1:
        raise ValueError
    return found


def _bins(value: Any) -> int:
    found = _count(value)
    if found > MOST_BINS:
        raise ValueError
    return found


MOST_BINS = 1000
"""Intervals take a matrix of bins by bins."""
BETA = Kind(_beta, f"pass a number from {MOST**-0.5:g} to {MOST**0.5:g}")
COST = Kind(_cost, f"pass a cost of 0, or from {1 / MOST:g} to {MOST:g}")
COUNT = Kind(_count, "pass a positive whole number")
BIN_COUNT = Kind(_bins, f"pass a number of bins from 1 to {MOST_BINS:,}")
RATE = Kind(rate, "pass a number from 0 to 1")
SHARE = Kind(share, "pass a share between 0 and 1")
LABEL = Kind(str, "pass a label")


@dataclass(frozen=True, eq=False)
class Family:
    """Measures that differ in parameters: `f_beta(3)` is a measure like any other, and always the same one.

    Its name is canonical: parameters without a default stand by themselves, others by name where they differ from it.
    With no parameters but defaults, the name of the family is that of its measure. Raises InputError for parameters
    that it does not have, or that are of another kind.

    >>> from classay.measures import f_beta, get
    >>> f_beta(3.0).name, f_beta(beta=3) is get("f_beta(3)"), f_beta(2).name
    ('f_beta(3)', True, 'f2')
    """

    name: str
    build: Callable[..., Measure]
    kinds: dict[str, Kind]

    @property
    def signature(self) -> inspect.Signature:
        """The parameters, with their defaults."""
        return inspect.signature(self.build)

    @property
    def written(self) -> str:
        """How it is called: `partial_roc_auc(max_fpr=0.1, min_fpr=0)`."""
        return f"{self.name}({', '.join(map(_parameter, self.signature.parameters.values()))})"

    def __call__(self, *values: Any, **named: Any) -> Measure:
        """The measure of these parameters."""
        signature = self.signature
        try:
            bound = signature.bind(*values, **named)
        except TypeError as error:
            raise InputError(f"{self.name}: {error}; write {self.written}.") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            bound.arguments[name] = (
                tuple(self._read(name, each) for each in value) if several else self._read(name, value)
            )
        name = self._canonical(bound)
        if name not in _MADE:
            made = self.build(*bound.args, **bound.kwargs)
            if MEASURES.get(made.name) is not made:
                doc = inspect.getdoc(self.build) or ""
                parameters = dict(bound.arguments)
                made = document(
                    replace(made, name=name, family=self.name, parameters=parameters, aliases=()), doc
                )
            _MADE[name] = made
        return _MADE[name]

    def _read(self, name: str, value: Any) -> Any:
        kind = self.kinds[name]
        try:
            return kind.read(float(value) if isinstance(value, str) and kind is not LABEL else value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{name} of {self.name} is {shown(value)}: {kind.wanted}.") from None

    def _canonical(self, bound: inspect.BoundArguments) -> str:
        parts: list[str] = []
        for name, value in bound.arguments.items():
            parameter = bound.signature.parameters[name]
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                parts += map(_text, value)
            elif parameter.default is inspect.Parameter.empty:
                parts.append(_text(value))
            elif value != parameter.default:
                parts.append(f"{name}={_text(value)}")
        return f"{self.name}({', '.join(parts)})" if parts else self.name


def family(**kinds: Kind) -> Callable[[Callable[..., Measure]], Family]:
    """Register a function of parameters that returns a measure, with the kind of each parameter, as a family."""
    return lambda build: add_family(Family(build.__name__, build, kinds))


def add_family(made: Family) -> Family:
    """Put a family in the registry; its name may be that of a registered measure, its parameters' defaults."""
    if made.name in FAMILIES or made.name in ALIASES:
        raise InputError(f"a family or alias named {made.name!r} exists already.")
    FAMILIES[made.name] = made
    return made


def _text(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    return str(int(value)) if value == int(value) else repr(float(value))


def _parameter(parameter: inspect.Parameter) -> str:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return f"{parameter.name}, …"
    if parameter.default is inspect.Parameter.empty:
        return parameter.name.upper()
    return f"{parameter.name}={_text(parameter.default)}"
