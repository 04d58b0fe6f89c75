"""How many cases, folds or data sets would show a difference."""

from __future__ import annotations

from math import isfinite

from classay.inference.proportions.binomial import normal_quantile

POWER = 0.8


def cases_needed(n: float, delta: float, se: float, level: float) -> float | None:
    """Units at which a difference as large as this has a power of 80 %: n ((z_α/2 + z_β) se / Δ)².

    >>> round(cases_needed(100, 0.02, 0.02, 0.95))
    785
    """
    from scipy.special import ndtri

    if delta == 0 or not isfinite(delta):
        return None
    found = n * ((normal_quantile(level) + float(ndtri(POWER))) * se / delta) ** 2
    return found if isfinite(found) else None
