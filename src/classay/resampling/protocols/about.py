"""What is known of a protocol beside its code: its grammar, what it estimates, what is random in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from classay.inference.folds.resampled import ALLOWS, CORRECTED

if TYPE_CHECKING:
    from classay.resampling.protocols.protocol import Protocol

P = TypeVar("P", bound="Protocol")

TRAINING_AND_TEST = (
    "Random: the cases, for training and for testing, and the splits: the intervals are about the expected "
    f"performance of models fitted to training sets of this size ({CORRECTED}, a heuristic: {ALLOWS})."
)
_FIELD = re.compile(r"\{(\w+)\}")
_NUMBERS = {"int": r"\d+", "float": r"\d+/[1-9]\d*|0?\.\d+(?:e-\d+)?|\d(?:\.\d+)?e-\d+"}
_KINDS: dict[str, Callable[[str], int | float]] = {
    "int": int,
    "float": lambda text: float(Fraction(text) if "/" in text else text),
}


@dataclass(frozen=True)
class About:
    """What is known of a protocol beside its code.

    `forms` are its texts, a sample and the grammar of each: {"10x10": "{repeats}x{folds}"}, where braces hold fields of
    the dataclass; the shortest whose other fields have their defaults is its name. `also` are forms that are read and
    never written. `estimand` says what is estimated, `random` what the intervals let vary, `incomparable` why two
    learners cannot be tested by its folds, if they cannot.
    """

    title: str
    forms: Mapping[str, str]
    estimand: str
    random: str = TRAINING_AND_TEST
    incomparable: str | None = None
    also: tuple[str, ...] = ()
    reference: str | None = None

    def name_of(self, protocol: Protocol) -> str:
        """The text that makes the same protocol."""
        values = {each.name: getattr(protocol, each.name) for each in fields(protocol)}
        changed = {each.name for each in fields(protocol) if values[each.name] != each.default}
        required = {each.name for each in fields(protocol) if each.default is MISSING}
        telling = [form for form in self.forms.values() if changed | required <= {*_FIELD.findall(form)}]
        shortest = min(telling, key=lambda form: len(_FIELD.findall(form)))
        return shortest.format(**{name: _written(value) for name, value in values.items()})

    def read(self, text: str, kind: type[P]) -> P | None:
        """The protocol of its class that the text means, or None where it has none of its forms."""
        kinds = {each.name: getattr(each.type, "__name__", str(each.type)) for each in fields(kind)}
        for form in (*self.forms.values(), *self.also):
            met = re.fullmatch(_pattern(form, kinds), text)
            if met:
                return kind(**{name: _KINDS[kinds[name]](value) for name, value in met.groupdict().items()})
        return None


def protocol(
    title: str,
    *,
    forms: Mapping[str, str],
    estimand: str,
    random: str = TRAINING_AND_TEST,
    incomparable: str | None = None,
    also: tuple[str, ...] = (),
    reference: str | None = None,
) -> Callable[[type[P]], type[P]]:
    """Say what is known of a protocol, a frozen dataclass; the arguments are those of `About`."""
    about = About(title, forms, estimand, random, incomparable, also, reference)

    def known(kind: type[P]) -> type[P]:
        kind.about = about
        return kind

    return known


def _pattern(form: str, kinds: Mapping[str, str]) -> str:
    """The regular expression of a form."""
    literal, *rest = _FIELD.split(form)
    found = re.escape(literal)
    for name, after in zip(rest[::2], rest[1::2], strict=True):
        found += f"(?P<{name}>{_NUMBERS[kinds[name]]}){re.escape(after)}"
    return found


def _written(value: Any) -> str:
    """A number as `_NUMBERS` reads it back, to the last digit: 0.33, 1/3, 5e-05."""
    if isinstance(value, int | np.integer):
        return str(value)
    exact = float(value)
    ratio = Fraction(exact).limit_denominator(100)
    return str(ratio) if len(repr(exact)) > 8 and float(ratio) == exact else repr(exact)
