"""Labels and shares as they read in a sentence."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from classay.curves.thresholds import as_given
from classay.inference.estimate import Estimate

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


LONGEST = 60
"""Characters of a label in a sentence."""


def quote(label: object) -> str:
    """A label as it reads in a sentence: text in quotes, shortened inside them when long.

    >>> quote("benign"), quote(1)
    ("'benign'", '1')
    >>> quote("a" * 80)[-3:]
    "a…'"
    """
    if not isinstance(label, str):
        text = str(label)
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    if len(label) <= LONGEST and len(text := repr(str(label))) <= LONGEST:
        return text
    kept = str(label)[: LONGEST - 3]
    while len(repr(f"{kept}…")) > LONGEST:  # what is escaped is longer in quotes
        kept = kept[:-1]
    return repr(f"{kept}…")


def as_class(label: object) -> str:
    """A label as the name of a class: 'benign', and "class 1", because a bare number reads as a count.

    >>> as_class("benign"), as_class(1), as_class(True)
    ("'benign'", 'class 1', 'class True')
    """
    return quote(label) if isinstance(label, str) else f"class {quote(label)}"


def cutoff(a: Assessment) -> str:
    """The threshold of the labels of an assessment that has one, in as many digits as call the same cases positive."""
    assert a.scores is not None
    assert a.cutoff is not None
    return as_given(a.scores.thresholds, a.cutoff)


def percent(found: Estimate) -> str:
    """A share in percent, one decimal; as many more as tell it from the ends of its interval."""
    return f"{hundredths(found.value, found.low, found.high)[0]} %"


def percents(first: Estimate, second: Estimate) -> tuple[str, str]:
    """Two shares in percent, with as many decimals as tell them apart.

    >>> percents(Estimate(0.99718), Estimate(0.99702))
    ('99.72 %', '99.70 %')
    """
    one, other = hundredths(first.value, second.value)
    return f"{one} %", f"{other} %"


def hundredths(*shares: float) -> list[str]:
    """Shares in hundredths: one decimal, or as many as tell apart those that differ."""
    known = {each for each in shares if not isnan(each)}
    for decimals in range(1, 7):
        texts = [f"{100 * each:.{decimals}f}" for each in shares]
        if len({f"{100 * each:.{decimals}f}" for each in known}) == len({round(each, 12) for each in known}):
            return texts
    return [f"{100 * each:.1f}" for each in shares]
