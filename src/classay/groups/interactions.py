"""Whether the difference of two models depends on the group: test of interaction, change of the largest gap."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classay.assessment.main_measures import FEW
from classay.comparison.comparison import Comparison
from classay.groups.extremes import largest_gap
from classay.inference.estimate import Estimate, p_equation, title
from classay.inference.phrasing import adjusted_for
from classay.kinds import FiniteOrNone, TypedFields
from classay.measures import MEASURES, get
from classay.texts import listed, quote

REFERENCE = "Welch 1951, Biometrika 38:330"
FEWEST = 5
"""Degrees of freedom of a variance below which a group is left out: the square of its t has no variance with 4."""


@dataclass(frozen=True)
class ModelDifference:
    """The difference of two models in a group with its variance, and how many degrees of freedom that rests on."""

    value: float
    variance: float
    degrees: float


@dataclass(frozen=True)
class GapChange(TypedFields):
    """How far the largest gap between groups in a measure changes from one model to the other, on the same cases.

    `gaps` are the gaps of both models as they are observed, `change` is that of the first minus that of the second. The
    interval of the change is a bound: no gap can change by more than the largest gap of d, the difference of the models
    in a group, and the upper limit of that gap is the one of two differences (MOVER: Zou & Donner 2008, Statistics in
    Medicine 27:1693). `groups` counts the groups that the gaps rest on; `left_out` names groups of fewer than ten cases
    and groups without spread.
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
            f" This excludes {self.left_out:,} of {self.groups + self.left_out:,} groups, which have fewer than {FEW} "
            "cases or no variation."
            if self.left_out
            else ""
        )
        at_most = ""
        if self.change.has_interval:
            at_most = (
                f" With {100 * (self.change.level or 0):g}% confidence it is at most {self.change.high:.3f} in either "
                "direction."
            )
        return (
            f"The largest gap in {title(self.measure)} between groups is {new:.3f} for {first} and {old:.3f} for "
            f"{second}. Change: {self.change.value:+.3f}.{at_most}{gone}"
        )


def _rests_on_few(one: Comparison) -> bool:
    """Check whether a group has too few cases for a gap, as `GroupAssessments.disparity` leaves it out."""
    return one.sample.n is not None and one.sample.units.endswith("cases") and one.sample.n < FEW


def gap_change(models: tuple[str, str], measure: str, comparisons: Sequence[Comparison]) -> GapChange:
    """How far the largest gap changes from the second model to the first, from their comparison in each group."""
    known = [
        one
        for one in comparisons
        if one.effect is not None
        and one.effect.has_interval
        and len(one.values) == 2
        and not _rests_on_few(one)
    ]
    left = len(comparisons) - len(known)
    if len(known) < 2:
        why = f"{len(known)} of {len(comparisons):,} groups has at least {FEW} cases and a difference that varies"
        return GapChange(models, measure, (nan, nan), Estimate.undefined(why), len(known), left)
    values = np.array([one.values for one in known])
    new, old = (float(gap) for gap in np.ptp(values, axis=0))
    change = Estimate.bare(new - old, "clusters may have rows in several groups")
    if any(one.alternative != "two-sided" for one in known):
        change = Estimate.bare(new - old, "one-sided limits of the differences do not bound a gap")
    elif not any("cluster" in one.sample.units for one in known if one.sample is not None):
        effects = [one.effect for one in known if one.effect is not None]
        low, high = get(measure).bounds if measure in MEASURES else (-inf, inf)
        reach = max(min(largest_gap(effects, effects).high, high - low), abs(new - old))
        change = Estimate(
            new - old, -reach, reach, effects[0].level, "bound by the largest gap of differences, MOVER"
        )
    return GapChange(models, measure, (new, old), change, len(known), left)


@dataclass(frozen=True, eq=False)
class Interaction(FiniteOrNone, TypedFields):
    """Test of whether the difference of two models depends on the group.

    The test is Welch's F over the differences in the groups.

    Parameters
    ----------
    models : (str, str)
        Names of the models.
    measure : str
        Name of the measure.
    statistic : float
        The statistic F.
    df : (float, float)
        Degrees of freedom of the groups and of their variances.
    p : float
        P-value, NaN if fewer than two groups remain.
    groups : int
        Number of groups in the test.
    without : tuple, optional
        The other groups, each with the reason.
    p_adjusted : float, optional
        P-value adjusted for all tests of interaction.
    reason : str, optional
        Reason for no test.
    reference : str, optional
        Source of the test.
    family : int, default 1
        Number of tests of interaction.
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
    family: int = 1

    @property
    def decisive(self) -> float:
        """P-value that decides, the adjusted one if there is one."""
        return self.p if isnan(self.p_adjusted) else self.p_adjusted

    def sentence(self, level: float = 0.95) -> str:
        """Write the finding of the test in a sentence.

        The sentence never claims that the difference is the same in all groups.
        """
        first, second = self.models
        measure = title(self.measure)
        if isnan(self.p):
            return (
                f"Variation of the difference in {measure} between groups ({first} minus {second}) cannot be tested: "
                f"{self.reason}."
            )
        how = adjusted_for(self.family, "tests")
        test = f"interaction {p_equation(self.decisive)}{how}, Welch's F over {self.groups:,} groups"
        if self.decisive <= 1 - level:
            return f"The difference in {measure} ({first} minus {second}) varies between groups ({test})."
        return f"The difference in {measure} ({first} minus {second}) did not vary detectably between groups ({test})."

    @property
    def omitted(self) -> str:
        """Groups outside the test with their reasons, as a sentence, or empty."""
        by_reason: dict[str, list[str]] = {}
        for label, why in self.without:
            by_reason.setdefault(why, []).append(quote(label))
        groups = [f"{_few(names)} ({why})" for why, names in by_reason.items()]
        return f"The test excludes {listed(groups)}." if groups else ""

    def __repr__(self) -> str:
        who = " minus ".join(self.models)
        if isnan(self.p):
            return f"Interaction({self.measure} of {who}: {self.reason})"
        return (
            f"Interaction({self.measure} of {who}: F = {self.statistic:.3g} on {self.df[0]:g} and {self.df[1]:.3g} df, "
            f"{p_equation(self.p)}, {self.groups} groups)"
        )


NAMED_OF_INTERACTION = 3
"""Groups that a sentence names before it counts them."""


def _few(names: list[str]) -> str:
    return listed(names) if len(names) <= NAMED_OF_INTERACTION else f"{len(names):,} groups"


def interaction(
    models: tuple[str, str], measure: str, differences: Mapping[Hashable, ModelDifference | str]
) -> Interaction:
    """Welch's test of whether two models differ by the same amount in every group; see `welch`.

    A text in place of a difference says why a group has none. Groups whose cases show no spread of the difference are
    left out and named, and so are groups whose variance has fewer than 5 degrees of freedom.
    """
    known: list[ModelDifference] = []
    without: list[tuple[Hashable, str]] = []
    for label, effect in differences.items():
        if isinstance(effect, str):
            without.append((label, effect))
        elif not effect.variance > 0:
            without.append((label, "its cases show no variation of the difference"))
        elif not effect.degrees >= FEWEST:
            without.append((label, "too few cases"))
        else:
            known.append(effect)
    left = tuple(without)
    if len(known) < 2:
        why = f"{'only one group has' if known else 'no group has'} a difference that varies"
        return Interaction(models, measure, nan, (nan, nan), nan, len(known), left, reason=why)
    values, variances, degrees = (
        np.array([getattr(effect, part) for effect in known]) for part in ("value", "variance", "degrees")
    )
    f, df, p = welch(values, variances, degrees)
    return Interaction(models, measure, f, df, p, len(known), left)


def welch(
    values: ArrayLike, variances: ArrayLike, degrees: ArrayLike
) -> tuple[float, tuple[float, float], float]:
    """F, its degrees of freedom and p of Welch's test that means with these variances are equal.

    With w = 1 / V, W their sum and d̄ the mean weighted by them, Q = Σ w (d - d̄)² is approximated by a multiple of an
    F variable on G - 1 and f degrees of freedom that has the mean G - 1 + Σ a (E t² - 1) and the variance 2 (G - 1) + Σ
    a (var t² - 2), where a = (1 - w / W)² and t is Student's with the ν, above 4, of the group. Welch took the first
    terms of these series, 2 / ν and 14 / ν in the parentheses. That is as good where groups are large, and too little
    where they are small and many: with 100 groups of 6 cases and no true difference his test rejects in 25% of samples
    and this one in 2%, with 1,000 groups of 20 cases in 7.8% and 4.8%. Welch 1951, Biometrika 38:330.

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


def adjusted_together(tests: list[Interaction], adjustment: str) -> tuple[Interaction, ...]:
    """Tests of interaction with their p-values adjusted for all of them; one alone stays as it is."""
    from classay.inference.significance import adjust

    p: Any = adjust([test.p for test in tests], adjustment) if len(tests) > 1 else [nan] * len(tests)
    family = sum(not isnan(test.p) for test in tests)
    return tuple(replace(test, p_adjusted=float(q), family=family) for test, q in zip(tests, p, strict=True))
