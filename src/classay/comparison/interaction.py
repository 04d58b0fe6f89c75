"""Interaction: whether the difference of two models itself differs between groups of cases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classay.comparison.comparison import Comparison
from classay.inference.disparities import largest_gap
from classay.inference.estimate import Estimate, p_equation, title
from classay.kinds import OfKinds
from classay.measures import MEASURES, get
from classay.texts import listed, quote

REFERENCE = "Welch 1951, Biometrika 38:330"
FEWEST = 5
"""Degrees of freedom of a variance below which a group is left out: the square of its t has no variance with 4."""


@dataclass(frozen=True)
class GroupDifference:
    """The difference of two models in a group with its variance, and how many degrees of freedom that rests on."""

    value: float
    variance: float
    degrees: float


@dataclass(frozen=True)
class GapChange(OfKinds):
    """The largest gap of a measure between groups by each of two models on the same cases, and how far it changed.

    `gaps` are those of both models as they are seen, `change` that of the first less that of the second. Its interval
    is a bound: with d the difference of the models in a group, no gap changes by more than the largest gap of d, whose
    upper limit is that of two differences (MOVER: Zou & Donner 2008, Statistics in Medicine 27:1693). `groups` counts
    the groups it rests on.
    """

    models: tuple[str, str]
    measure: str
    gaps: tuple[float, float]
    change: Estimate
    groups: int
    left_out: int = 0

    @property
    def sentence(self) -> str:
        """By how much the first model widens or narrows the gap, and how sure that is; empty where nothing is known."""
        if self.change.is_undefined:
            return ""
        (first, second), (new, old) = self.models, self.gaps
        gone = (
            f"; {self.left_out:,} of {self.groups + self.left_out:,} groups show no spread"
            if self.left_out
            else ""
        )
        at_most = f", at most {self.change.high:.3f} wider or narrower" if self.change.has_interval else ""
        return (
            f"The largest gap in {title(self.measure)} between groups is {new:.3f} with {first} and {old:.3f} with "
            f"{second}, a change of {self.change.value:+.3f}{at_most}{gone}."
        )


def gap_change(models: tuple[str, str], measure: str, found: Sequence[Comparison]) -> GapChange:
    """How far the largest gap changed, from the comparison of the models in each group."""
    known = [
        one for one in found if one.effect is not None and one.effect.has_interval and len(one.values) == 2
    ]
    left = len(found) - len(known)
    if len(known) < 2:
        why = f"{len(known)} of {len(found):,} groups tells a difference and its spread"
        return GapChange(models, measure, (nan, nan), Estimate.undefined(why), len(known), left)
    values = np.array([one.values for one in known])
    new, old = (float(each) for each in np.ptp(values, axis=0))
    change = Estimate.bare(new - old, "clusters may have rows in several groups")
    if not any("cluster" in one.sample.units for one in known if one.sample is not None):
        effects = [one.effect for one in known if one.effect is not None]
        low, high = get(measure).bounds if measure in MEASURES else (-inf, inf)
        reach = max(min(largest_gap(effects, effects).high, high - low), abs(new - old))
        change = Estimate(
            new - old, -reach, reach, effects[0].level, "bound by the largest gap of differences, MOVER"
        )
    return GapChange(models, measure, (new, old), change, len(known), left)


@dataclass(frozen=True)
class Interaction(OfKinds):
    """Whether the difference of two models in a measure differs between groups: Welch's F over the differences.

    F has `df` degrees of freedom, those of the groups and those of their variances. `groups` counts the groups it rests
    on; `without` says of the others why they tell nothing. `p_adjusted` is adjusted for all tests of interaction made
    together. Where fewer than two groups are left, `reason` says so, and p is NaN.
    """

    models: tuple[str, str]
    measure: str
    statistic: float
    df: tuple[float, float]
    p: float
    groups: int
    without: tuple[tuple[Hashable, str], ...] = ()
    p_adjusted: float = nan
    reason: str | None = None
    reference: str = REFERENCE

    @property
    def decisive(self) -> float:
        """The p-value that decides: the adjusted one, where there is one."""
        return self.p if isnan(self.p_adjusted) else self.p_adjusted

    def sentence(self, level: float = 0.95) -> str:
        """What the test found, in plain words; never that the difference is the same in all groups."""
        first, second = self.models
        measure = title(self.measure)
        if isnan(self.p):
            return (
                f"Whether the difference of {first} and {second} in {measure} depends on the group has no test: "
                f"{self.reason}."
            )
        found = f"{p_equation(self.decisive)}, Welch's F over {self.groups:,} groups"
        if self.decisive <= 1 - level:
            return f"How far {first} and {second} are apart in {measure} depends on the group: {found}."
        return (
            f"The data do not show that the difference of {first} and {second} in {measure} depends on the group: "
            f"{found}."
        )

    @property
    def omitted(self) -> str:
        """Which groups tell nothing, and why, as a sentence; empty where all do."""
        by_reason: dict[str, list[str]] = {}
        for label, why in self.without:
            by_reason.setdefault(why, []).append(quote(label))
        told = [f"{_few(names)} ({why})" for why, names in by_reason.items()]
        return f"The test leaves out {listed(told)}." if told else ""

    def __repr__(self) -> str:
        who = " less ".join(self.models)
        if isnan(self.p):
            return f"Interaction({self.measure} of {who}: {self.reason})"
        return (
            f"Interaction({self.measure} of {who}: F = {self.statistic:.3g} on {self.df[0]:g} and {self.df[1]:.3g} df, "
            f"{p_equation(self.p)}, {self.groups} groups)"
        )


NAMED = 3
"""Groups that a sentence names before it counts them."""


def _few(names: list[str]) -> str:
    return listed(names) if len(names) <= NAMED else f"{len(names):,} groups"


def interaction(
    models: tuple[str, str], measure: str, differences: Mapping[Hashable, GroupDifference | str]
) -> Interaction:
    """Welch's test that two models differ as much in every group; a text in place of a difference says why it has none.

    See `welch`. Groups whose cases show no spread of the difference are left out, and named, and so are those whose
    variance has fewer than 5 degrees of freedom.
    """
    known: list[GroupDifference] = []
    without: list[tuple[Hashable, str]] = []
    for label, each in differences.items():
        if isinstance(each, str):
            without.append((label, each))
        elif not each.variance > 0:
            without.append((label, "its cases show no spread of the difference"))
        elif not each.degrees >= FEWEST:
            without.append((label, "too few cases"))
        else:
            known.append(each)
    left = tuple(without)
    if len(known) < 2:
        why = f"{'one group tells' if known else 'no group tells'} a difference and its spread"
        return Interaction(models, measure, nan, (nan, nan), nan, len(known), left, reason=why)
    values, variances, degrees = (
        np.array([getattr(each, part) for each in known]) for part in ("value", "variance", "degrees")
    )
    f, df, p = welch(values, variances, degrees)
    return Interaction(models, measure, f, df, p, len(known), left)


def welch(
    values: ArrayLike, variances: ArrayLike, degrees: ArrayLike
) -> tuple[float, tuple[float, float], float]:
    """F, its degrees of freedom and p of Welch's test that means with these variances are equal.

    With w = 1 / V, W their sum and d̄ the mean by them, Q = Σ w (d - d̄)² is taken to be a multiple of an F on G - 1 and
    f degrees of freedom that has the mean G - 1 + Σ a (E t² - 1) and the variance 2 (G - 1) + Σ a (var t² - 2), where
    a = (1 - w / W)² and t is Student's with the ν, above 4, of the group. Welch has the first terms of these series,
    2 / ν and 14 / ν in the parentheses: as good where groups are large, too little where they are small and many. Of
    100 groups of 6 alike cases his test finds a difference in 25 % of samples and this one in 2 %, of 1,000 groups of
    20 in 7.8 and 4.8 %. Welch 1951, Biometrika 38:330.

    >>> variances = [4.477e-4, 6.216e-4, 1.6911e-3, 2.58e-4]
    >>> f, df, p = welch([0.03, -4 / 150, 5 / 80, 16 / 300], variances, [199, 149, 79, 299])
    >>> round(f, 2), round(p, 3)
    (2.61, 0.052)
    """
    from scipy.special import chdtrc, fdtrc

    d, w, u = np.asarray(values, float), 1 / np.asarray(variances, float), 1 / np.asarray(degrees, float)
    first, shares = d.size - 1.0, w / w.sum()
    q = float((w * (d - float(shares @ d)) ** 2).sum())
    a = (1 - shares) ** 2
    more = float((a * 2 * u / (1 - 2 * u)).sum())
    wider = float((a * 2 * ((1 - u) / ((1 - 2 * u) ** 2 * (1 - 4 * u)) - 1)).sum())
    mean = first + more
    beyond = (first * (wider - 4 * more) - 2 * more**2) / mean**2  # (G - 1) variance / mean² - 2
    if not beyond > 0:
        return q / first, (first, inf), float(chdtrc(first, q))
    second = 4 + 2 * (first + 2) / beyond
    f = q / mean * second / (second - 2)
    return f, (first, second), float(fdtrc(first, second, f))


def adjusted_together(found: list[Interaction], adjustment: str) -> tuple[Interaction, ...]:
    """Tests of interaction with their p-values adjusted for all of them; one alone stays as it is."""
    from classay.inference.significance import adjust

    p: Any = adjust([each.p for each in found], adjustment) if len(found) > 1 else [nan] * len(found)
    return tuple(replace(each, p_adjusted=float(q)) for each, q in zip(found, p, strict=True))
