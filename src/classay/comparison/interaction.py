"""Interaction: whether the difference of two models itself differs between groups of cases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classay.inference.estimate import p_equation, title
from classay.kinds import OfKinds
from classay.texts import listed, quote

REFERENCE = "Welch 1951, Biometrika 38:330"


@dataclass(frozen=True)
class GroupDifference:
    """The difference of two models in a group with its variance, and how many degrees of freedom that rests on."""

    value: float
    variance: float
    degrees: float


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

    With w = 1 / V, W their sum and d̄ the mean by them, F = Σ w (d - d̄)² / (G - 1) / (1 + 2 (G - 2) / (G² - 1) Λ)
    with Λ = Σ (1 - w / W)² / ν, on G - 1 and (G² - 1) / (3 Λ) degrees of freedom; ν are those of each variance. Groups
    whose cases show no spread of the difference are left out, and named. Welch 1951, Biometrika 38:330.
    """
    known: list[GroupDifference] = []
    without: list[tuple[Hashable, str]] = []
    for label, each in differences.items():
        if isinstance(each, str):
            without.append((label, each))
        elif not each.variance > 0:
            without.append((label, "its cases show no spread of the difference"))
        elif not each.degrees >= 1:
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

    >>> variances = [4.477e-4, 6.216e-4, 1.6911e-3, 2.58e-4]
    >>> f, df, p = welch([0.03, -4 / 150, 5 / 80, 16 / 300], variances, [199, 149, 79, 299])
    >>> round(f, 2), round(p, 3)
    (2.61, 0.052)
    """
    from scipy.special import fdtrc

    d, w, nu = np.asarray(values, float), 1 / np.asarray(variances, float), np.asarray(degrees, float)
    g, shares = d.size, w / w.sum()
    between = float((w * (d - float(shares @ d)) ** 2).sum()) / (g - 1)
    lam = float(((1 - shares) ** 2 / nu).sum())
    f = between / (1 + 2 * (g - 2) / (g * g - 1) * lam)
    df = (g - 1.0, (g * g - 1) / (3 * lam))
    return f, df, float(fdtrc(*df, f))


def adjusted_together(found: list[Interaction], adjustment: str) -> tuple[Interaction, ...]:
    """Tests of interaction with their p-values adjusted for all of them; one alone stays as it is."""
    from classay.inference.significance import adjust

    p: Any = adjust([each.p for each in found], adjustment) if len(found) > 1 else [nan] * len(found)
    return tuple(replace(each, p_adjusted=float(q)) for each, q in zip(found, p, strict=True))
