"""Claim: what a comparison shows, at which level, and why its interval or its estimate may say something else.

Everything that names a better model asks here, so that sentences, findings, matrices and diagrams claim alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING

from classay.inference.words import direction

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison


@dataclass(frozen=True)
class Claim:
    """What a test shows at its level.

    `shown` says whether the models are shown to differ; `side` is 1 where the first has the higher value, -1 where the
    second has, and 0 where none is named. `contradicted` says that the estimate lies on the other side of 0 than what
    was tested, which leaves the finding open. `alone` is what the comparison shows if no other were made, where the
    other comparisons of its family leave it open. `caveat` says why the interval disagrees with the test of this
    comparison alone, and is empty where they agree.
    """

    shown: bool
    side: int = 0
    contradicted: bool = False
    caveat: str = ""
    alone: Claim | None = None


def claim(found: Comparison) -> Claim:
    """The claim of a comparison that has a p-value; nothing is shown without one.

    The adjusted p-value decides, if there is one, against 1 - level. The side is that of what was tested: where effects
    tie, an estimate of 0 names nobody.
    """
    alpha = (1 - found.claimed_at) * (1 + 1e-9)  # 1 - 0.9 is a little less than 0.1
    alone = _by(found, found.p, alpha)
    if found.p_adjusted is None:
        return alone
    made = _by(found, found.p_adjusted, alpha)
    return replace(made, alone=alone) if alone.shown and not made.shown else made


def _by(found: Comparison, p: float, alpha: float) -> Claim:
    """The claim by a p-value, that of the comparison alone or the adjusted one."""
    if isnan(p):
        return Claim(shown=False)
    side = _side(found)
    shown = p <= alpha
    if shown and found.effect is not None and found.effect.value * side < 0:
        return Claim(shown=False, contradicted=True)
    return Claim(shown, side if shown else 0, caveat=_caveat(found, alpha))


def direction_of(found: Comparison) -> int:
    """The direction of what is compared: as the comparison says, or as its measure does."""
    return direction(found.measure) if found.better is None else found.better


def _side(found: Comparison) -> int:
    """The sign of what was tested: by default that of the effect."""
    if found.side is not None:
        return found.side
    value = 0.0 if found.effect is None else found.effect.value
    return (value > 0) - (value < 0)


def _caveat(found: Comparison, alpha: float) -> str:
    effect = found.effect
    if effect is None or not effect.has_interval:
        return ""
    leaves_out_0 = effect.low > 0 or effect.high < 0
    if (found.p <= alpha) == leaves_out_0:
        return ""
    does, lies = ("excludes", "above") if leaves_out_0 else ("includes", "not above")
    p = "p" if found.p_adjusted is None else "the unadjusted p"
    why = found.note or f"they come from two methods, {effect.method} and {found.method}"
    return f"The interval {does} 0 although {p} is {lies} {alpha:.3g}: {why}."
