"""`rogan_gladen`: the true share from a judge whose sensitivity and specificity come from other data."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.errors import InputError
from classay.inference.along_the_way import METHOD, CellShares
from classay.inference.estimate import Estimate
from classay.inference.phrasing import percent, share_with_interval
from classay.inference.proportions import normal_quantile, wilson
from classay.inference.requirements import Outcome
from classay.kinds import checked
from classay.shown import Reportable
from classay.texts import hint
from classay.warned import Warned

Array = NDArray[Any]
_OPTIONS = {"sensitivity_of": "--sensitivity", "specificity_of": "--specificity"}
USELESS = "sensitivity and specificity add up to no more than 1"
CONTRADICTED = "the judge's accuracy on other cases does not fit the grades of these cases"
OTHER_MIX = (
    "Sensitivity and specificity come from other cases. The result is valid only if the judge has the same sensitivity "
    "and specificity on these cases."
)


@dataclass(frozen=True, eq=False)
class TrueShare(Reportable):
    """The true share of positives behind a judge's grades (Rogan & Gladen).

    Attributes
    ----------
    estimate : Estimate
        The true share.
    lang_reiczigel : Estimate
        The same with the interval of Lang and Reiczigel.
    apparent, sensitivity, specificity : Estimate
        Share of positive grades, and the judge's accuracy elsewhere.
    n_cases : int
        Graded cases.
    level : float
        Confidence level of the intervals.
    outcomes : tuple of Outcome
        How requirements came out.
    """

    estimate: Estimate
    lang_reiczigel: Estimate
    apparent: Estimate
    sensitivity: Estimate
    specificity: Estimate
    n_cases: int
    level: float
    outcomes: tuple[Outcome, ...] = ()

    def __getitem__(self, name: str) -> Estimate:
        known = {"pass_rate": self.estimate, "share": self.estimate, "prevalence": self.estimate}
        if name not in known:
            raise InputError(f"This result has no measure {name!r}. Use pass_rate.")
        return known[name]

    def __repr__(self) -> str:
        return f"TrueShare({self.sentence})"

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        mix = Warned("other_mix", OTHER_MIX)
        return (mix, Warned("other_errors", self._contradiction)) if self._is_contradicted else (mix,)

    @property
    def _is_contradicted(self) -> bool:
        """Check whether no true share explains the positive grades."""
        return self.estimate.reason == CONTRADICTED

    @property
    def _contradiction(self) -> str:
        """Say which errors do not fit."""
        graded = round(self.apparent.value * self.n_cases)
        if self.estimate.value == 0:
            errors = round((1 - self.specificity.value) * self.n_cases)
            reason = f"its specificity on other cases predicts {errors:,} incorrect positive grades"
        else:
            most = round(self.sensitivity.value * self.n_cases)
            reason = f"its sensitivity on other cases predicts at most {most:,}"
        return (
            f"The judge graded {counted(graded, 'case')} positive, but {reason}. The accuracy of the judge differs on "
            "these cases. Label some of these cases."
        )

    @property
    def sentence(self) -> str:
        """The true share and that of the judge only."""
        by_judge = f"The share by the judge only is {percent(self.apparent.value, self.n_cases)}."
        if self.estimate.is_undefined:
            return f"The true share is not defined ({self.estimate.reason}). {by_judge}"
        reason = f", without an interval: {self.estimate.reason}" if self._is_contradicted else ""
        return f"The true share is {share_with_interval(self.estimate, self.n_cases)}{reason}. {by_judge}"


@checked
def rogan_gladen(
    positives: int,
    n_cases: int,
    *,
    sensitivity_of: tuple[int, int],
    specificity_of: tuple[int, int],
    level: float = 0.95,
) -> TrueShare:
    """Estimate a true share from a judge's grades and its known accuracy.

    Parameters
    ----------
    positives : int
        Cases that the judge graded positive.
    n_cases : int
        Graded cases.
    sensitivity_of : (int, int)
        Positive cases elsewhere that the judge graded positive, and all positive cases there.
    specificity_of : (int, int)
        Negative cases elsewhere that the judge graded negative, and all negative cases there.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    TrueShare
        The true share with two intervals.

    Raises
    ------
    InputError
        If a number is negative, or the first one of a pair exceeds the second.

    Notes
    -----
    π = (AP + Sp - 1) / (Se + Sp - 1), with AP the share of positive grades. If some of the cases themselves
    have human labels, `judged` gives a shorter interval. If both limits are 0 or both 1, there is no interval:
    the judge's accuracy elsewhere does not fit its grades here.

    References
    ----------
    Rogan & Gladen 1978, American Journal of Epidemiology 107:71.

    Lang & Reiczigel 2014, Preventive Veterinary Medicine 113:13.

    Examples
    --------
    >>> rogan_gladen(70, 500, sensitivity_of=(45, 50), specificity_of=(190, 200)).estimate
    Estimate(0.106 [0.052, 0.155] 95%, Wilson along the way)
    """
    pairs = {
        "positives": (positives, n_cases),
        "sensitivity_of": sensitivity_of,
        "specificity_of": specificity_of,
    }
    for name, (x, m) in pairs.items():
        if not 0 <= x <= m or not m or x != int(x) or m != int(m):
            raise InputError(
                f"{hint(name, _OPTIONS.get(name, name))} must be a number of cases and all cases, such as 45 of 50, "
                f"but is {x:g} of {m:g}."
            )
    counts = np.array([pair[1] for pair in pairs.values()], float)
    shares = np.array([pair[0] for pair in pairs.values()]) / counts
    low, high = wilson(shares * counts, counts, level)
    single = [
        Estimate(float(share), float(a), float(b), level, "Wilson")
        for share, a, b in zip(shares, low, high, strict=True)
    ]
    value, results = along(shares, counts, normal_quantile(level))
    if np.isnan(value):
        estimate = other = Estimate.undefined(USELESS)
    else:
        ends = lang_reiczigel(shares, counts, normal_quantile(level))
        estimate = _with_interval(value, results, level, METHOD)
        other = _with_interval(value, (min(ends[0], value), max(ends[1], value)), level, "Lang-Reiczigel")
    return TrueShare(estimate, other, single[0], single[1], single[2], int(n_cases), level)


def _with_interval(value: float, limits: tuple[float, float], level: float, method: str) -> Estimate:
    """Return the true share; without an interval where both limits are cut to the same end of the range."""
    if limits[0] == limits[1]:
        return Estimate.bare(value, CONTRADICTED)
    return Estimate(value, *limits, level, method)


def along(shares: Array, counts: Array, z: float) -> tuple[float, tuple[float, float]]:
    """Return the true share and its limits, of the shares of positive grades, sensitivity and specificity.

    An end on whose way sensitivity and specificity add up to no more than 1 is that of the range.
    """

    def discerns(p: Array) -> Array:
        total = p[..., 1] + p[..., 2] - 1
        return np.where(total > 0, total, np.nan)

    def value(p: Array) -> Array:
        return np.clip((p[..., 0] + p[..., 2] - 1) / discerns(p), 0.0, 1.0)

    def slopes(p: Array) -> Array:
        total = discerns(p)
        share = (p[..., 0] + p[..., 2] - 1) / total
        return np.stack([1 / total, -share / total, (p[..., 1] - p[..., 0]) / total**2], -1)

    estimate = float(value(shares))
    if np.isnan(estimate):
        return estimate, (np.nan, np.nan)
    with np.errstate(invalid="ignore"):
        low, high = (float(end) for end in CellShares(shares, counts, value, slopes).limits(z))
    return estimate, (
        0.0 if np.isnan(low) else min(low, estimate),
        1.0 if np.isnan(high) else max(high, estimate),
    )


def lang_reiczigel(shares: Array, counts: Array, z: float) -> tuple[float, float]:
    """Return the limits of Lang and Reiczigel, of the same shares.

    >>> low, high = lang_reiczigel(np.array([0.14, 0.9, 0.95]), np.array([500.0, 50.0, 200.0]), 1.959964)
    >>> round(low, 6), round(high, 6)
    (0.055096, 0.157316)
    """
    ap, se, sp = shares * counts
    n, n_se, n_sp = counts
    ap, se, sp = (ap + z * z / 2) / (n + z * z), (se + 1) / (n_se + 2), (sp + 1) / (n_sp + 2)
    total = se + sp - 1
    if total <= 0:
        return 0.0, 1.0
    share = (ap + sp - 1) / total
    of_se, of_sp = se * (1 - se) / (n_se + 2), sp * (1 - sp) / (n_sp + 2)
    shift = 2 * z * z * (share * of_se - (1 - share) * of_sp)
    half = z * sqrt(ap * (1 - ap) / (n + z * z) + share**2 * of_se + (1 - share) ** 2 * of_sp) / total
    return max(0.0, float(share + shift - half)), min(1.0, float(share + shift + half))
