"""Claims: what a comparison shows, at which level, and why its interval or its estimate may say something else.

Every text that names a better model asks here, so that sentences, findings, matrices and diagrams agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

from classay.inference.estimate import direction
from classay.inference.proportions import normal_quantile

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison


POWER = 0.8


def cases_needed(n: float, delta: float, se: float, level: float, degrees: float = inf) -> float | None:
    """Units at which a difference as large as this has a power of 80%.

    n (((z_α/2 + z_β) se / Δ)² + z²_α/2 / (2 (ν + 1))), where the standard error of n units has ν degrees of freedom and
    more units have as many more: within a unit of what the noncentral t gives. (Guenther 1981, American Statistician
    35:243.)

    >>> round(cases_needed(100, 0.02, 0.02, 0.95)), round(cases_needed(100, 0.02, 0.02, 0.95, 99))
    (785, 787)
    """
    from scipy.special import ndtri

    if delta == 0 or not isfinite(delta):
        return None
    z = normal_quantile(level)
    cases = n * (((z + float(ndtri(POWER))) * se / delta) ** 2 + z * z / (2 * (degrees + 1)))
    return cases if isfinite(cases) else None


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


def claim(comparison: Comparison) -> Claim:
    """Return the claim of a comparison that has a p-value; nothing is shown without one.

    The adjusted p-value decides, if there is one, against 1 - level. The side is that of what was tested: where effects
    tie, an estimate of 0 names nobody.
    """
    alpha = (1 - comparison.claimed_at) * (1 + 1e-9)  # 1 - 0.9 is a little less than 0.1
    alone = _by(comparison, comparison.p, alpha)
    if comparison.p_adjusted is None:
        return alone
    adjusted = _by(comparison, comparison.p_adjusted, alpha)
    return replace(adjusted, alone=alone) if alone.shown and not adjusted.shown else adjusted


def _by(comparison: Comparison, p: float, alpha: float) -> Claim:
    """Return the claim by a p-value, that of the comparison alone or the adjusted one."""
    if isnan(p):
        return Claim(shown=False)
    side = _side(comparison)
    shown = p <= alpha
    if shown and comparison.effect is not None and comparison.effect.value * side < 0:
        return Claim(shown=False, contradicted=True)
    return Claim(shown, side if shown else 0, caveat=_caveat(comparison, alpha))


def direction_of(comparison: Comparison) -> int:
    """Return the direction of what is compared: as the comparison says, or as its measure does."""
    return direction(comparison.measure) if comparison.better is None else comparison.better


def _side(comparison: Comparison) -> int:
    """Return the sign of what was tested: by default that of the effect."""
    if comparison.side is not None:
        return comparison.side
    value = 0.0 if comparison.effect is None else comparison.effect.value
    return (value > 0) - (value < 0)


def _caveat(comparison: Comparison, alpha: float) -> str:
    effect = comparison.effect
    if effect is None or not effect.has_interval:
        return ""
    leaves_out_0 = effect.low > 0 or effect.high < 0
    if (comparison.p <= alpha) == leaves_out_0:
        return ""
    does, lies = ("excludes", "above") if leaves_out_0 else ("includes", "not above")
    p = "p" if comparison.p_adjusted is None else "the unadjusted p"
    why = comparison.note or f"the two come from different methods ({effect.method}; {comparison.method})"
    return f"The interval {does} 0 although {p} is {lies} {alpha:.3g}, because {why}."
