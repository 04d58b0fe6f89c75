"""Costs as they are written on the command line: fp=3, fn=amount."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from classay.errors import InputError

if TYPE_CHECKING:
    from classay.decision.costs import Costs

OUTSIDE_QUOTES = re.compile(r',(?=[^"]*(?:"[^"]*"[^"]*)*$)')
"""A comma that is in no name."""
ENTRIES = ("fp", "fn", "tp", "tn")


def costs_in(texts: Sequence[str]) -> Costs | None:
    """The costs that the texts of --cost name, or None where there are none.

    >>> costs_in(["fp=3", "fn=amount"])
    Costs(fp=3, fn=amount)
    >>> costs_in(['fp=3,fn="loss, net"'])
    Costs(fp=3, fn="loss, net")
    """
    from classay.decision.costs import Costs

    found: dict[str, Any] = {}
    for each in texts:
        for text in re.split(OUTSIDE_QUOTES, each):
            name, equals, value = (part.strip() for part in text.partition("="))
            if equals and value and name not in ENTRIES and name.lower() in ENTRIES:
                raise InputError(f"--cost is {each!r}: write {name.lower()}={value}, in lower case.")
            if not equals or name not in ENTRIES or not value:
                raise InputError(f"--cost is {each!r}: write fp=3, fn=amount, tp=-0.8*amount or tn=0.")
            if name in found:
                raise InputError(f"--cost names {name} twice: give it once.")
            found[name] = _number_or_text(value)
    return Costs.of(found) if found else None


def _number_or_text(value: str) -> Any:
    try:
        return float(value)
    except ValueError:
        return value
