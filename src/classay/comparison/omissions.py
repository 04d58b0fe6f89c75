"""Cases that models did not answer and that are left out: whether this favours one of two models.

Left out, a case counts for neither model. That is fair where chance decides what is not answered. It is not where one
model answers less often than the other (it may answer what it is sure of), or where what it leaves out is hard, or
easy, for the other model too. The first is McNemar's exact test of who answered, the second Fisher's exact test of what
one model left out against what the other one gets right; p-values are Holm's over these tests.

Where they show it, a rule that passes on the answered cases stands only if it would also pass with each case that a
model left out counted as wrong for that model, which is the worst that can be true of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.estimate import Estimate, p_equation
from classay.inference.significance import MCNEMAR
from classay.kinds import OfNumbersOrNone
from classay.texts import listed

Array = NDArray[Any]
SIZE = 0.05
"""The chance at which omissions that chance alone decides are taken for one-sided."""


@dataclass(frozen=True, eq=False)
class Omissions(OfNumbersOrNone):
    """What two models left out of the same cases: `omitted` of each, `alone` where the other one answered, of `cases`.

    `p_unequal` tests whether both answer equally often, NaN where it is not known which cases each left out; `p_hard`
    tests whether what each left out is answered rightly by the other one as often as the rest, NaN where that is
    unknown; `harder` says whether it is answered rightly less often. `worst` is the effect in which every omission
    counts as wrong, None where it cannot be computed. `units` are what the tests count.
    """

    models: tuple[str, str]
    cases: int
    omitted: tuple[int, int]
    alone: tuple[int, int]
    p_unequal: float
    p_hard: tuple[float, float] = (nan, nan)
    harder: tuple[bool, bool] = (False, False)
    worst: Estimate | None = None
    units: str = "cases"

    @property
    def adjusted(self) -> tuple[float, float, float]:
        """The p-values by Holm's method: of unequal numbers, and of what the first and the second left out."""
        p = [self.p_unequal, *self.p_hard]
        order = sorted((i for i in range(3) if not isnan(p[i])), key=lambda i: p[i])
        found, least = [nan, nan, nan], 0.0
        for rank, i in enumerate(order):
            least = max(least, min(1.0, (len(order) - rank) * p[i]))
            found[i] = least
        return found[0], found[1], found[2]

    @property
    def is_untested(self) -> bool:
        """Whether nothing is known of which cases each left out, so that no test can be made."""
        return isnan(self.p_unequal)

    @property
    def is_one_sided(self) -> bool:
        """Whether a test shows that chance alone does not decide what is left out."""
        return any(p < SIZE for p in self.adjusted)

    @property
    def sentence(self) -> str:
        """What was left out and what the tests show, in a sentence."""
        (first, second), (a, b) = self.models, self.omitted
        count = f"{first} gave no answer in {a:,} and {second} in {b:,} of {self.cases:,} cases, which were left out"
        if self.is_untested:
            untold = "which cases these are is not saved, so that no test tells whether the omissions are one-sided"
            return f"{count}; {untold}: {INSTEAD}"
        unequal, *hard = self.adjusted
        shown = []
        if unequal < SIZE:
            fewer = first if self.alone[0] > self.alone[1] else second
            of = "" if self.units == "cases" else f", by {self.units}"
            shown.append(f"{fewer} answers less often ({p_equation(unequal)}, McNemar, exact{of})")
        for p, harder, one, other in zip(hard, self.harder, self.models, self.models[::-1], strict=True):
            if p < SIZE:
                kind = "harder" if harder else "easier"
                shown.append(
                    f"what {one} left out is {kind} for {other} ({p_equation(p)}, Fisher's exact test)"
                )
        if shown:
            return f"{count}; the omissions are one-sided: {listed(shown)}"
        known = [p for p in self.adjusted if not isnan(p)]
        return (
            f"{count}; no test shows that the omissions are one-sided (least {p_equation(min(known))}, Holm)"
        )


INSTEAD = "compare the rows, or assess both so that such cases count as wrong"
"""What to do where saved assessments left cases out."""


def omissions_of_saved(models: tuple[str, str], cases: int, omitted: tuple[int, int]) -> Omissions | None:
    """What two saved assessments of the same answered cases left out before: these may be other cases in each.

    Where both left out as many, they are the same cases of the same test set, and none is answered by one alone.

    >>> omissions_of_saved(("new", "old"), 120, (80, 0)).is_untested
    True
    """
    if not any(omitted):
        return None
    first, second = omitted
    alone = max(first - second, 0), max(second - first, 0)
    return Omissions(models, cases + max(omitted), omitted, alone, nan if any(alone) else 1.0)


def omissions_of(
    models: tuple[str, str],
    gone: Mapping[str, Array],
    right: Mapping[str, Array],
    frequency: Array | None = None,
    cluster: Array | None = None,
    unmatched: tuple[int, int] = (0, 0),
) -> Omissions | None:
    """What two models left out, `(cases,)` of booleans each, and whether they are right elsewhere; None for nothing.

    `unmatched` counts the cases for which the first and the second has no row at all, and the other one has. Their
    clusters are not known, so that where there are any, cases are counted, which is the more watchful.

    >>> gone = {"new": np.arange(40) < 12, "old": np.zeros(40, bool)}
    >>> found = omissions_of(("new", "old"), gone, {"old": np.arange(40) % 2 == 0})
    >>> found.omitted, found.is_one_sided
    ((12, 0), True)
    """
    first, second = (gone[name] for name in models)
    if not (first.any() or second.any() or any(unmatched)):
        return None
    times = np.ones(first.size, np.int64) if frequency is None else frequency
    omitted = int(times[first].sum()) + unmatched[0], int(times[second].sum()) + unmatched[1]
    alone = (
        int(times[first & ~second].sum()) + unmatched[0],
        int(times[second & ~first].sum()) + unmatched[1],
    )
    cases = int(times.sum()) + sum(unmatched)
    if cluster is not None and not any(unmatched):
        net = np.sign(np.bincount(cluster, times * (first.astype(float) - second)))
        p = float(MCNEMAR["exact"](float((net > 0).sum()), float((net < 0).sum())))
        return Omissions(models, cases, omitted, alone, p, units="clusters")
    p = float(MCNEMAR["exact"](float(alone[0]), float(alone[1])))
    if cluster is not None:
        return Omissions(models, cases, omitted, alone, p)
    hard, harder = [], []
    for one, other in (models, models[::-1]):
        found = _association(gone[one], right.get(other), ~gone[other], times)
        hard.append(found[0])
        harder.append(found[1])
    return Omissions(models, cases, omitted, alone, p, (hard[0], hard[1]), (harder[0], harder[1]))


def _association(gone: Array, right: Array | None, answered: Array, times: Array) -> tuple[float, bool]:
    """The p-value of the association: does the other model err more often on the cases that this one left out?"""
    if right is None or not (gone & answered).any():
        return nan, False
    a, b, c, d = (
        int(times[answered & out & hit].sum())
        for out, hit in ((gone, right), (gone, ~right), (~gone, right), (~gone, ~right))
    )
    return fisher_exact(a, b, c, d), a * (c + d) < c * (a + b)


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """The two-sided p-value of Fisher's exact test of a 2 x 2 table: of tables with its margins, those no likelier.

    Fisher 1935, Journal of the Royal Statistical Society 98:39.

    >>> round(fisher_exact(1, 9, 11, 3), 6)
    0.002759
    """
    from scipy.special import gammaln

    row, column, n = a + b, a + c, a + b + c + d
    if not n:
        return 1.0
    # beyond 40 standard deviations of the cell and 400 cases nothing has a chance that a float holds
    mean = row * column / n
    wide = 400 + 40 * np.sqrt(mean * (1 - row / n))
    least, most = max(0, row + column - n, int(mean - wide)), min(row, column, int(mean + wide) + 1)
    if not least <= a <= most:
        return 0.0
    x = np.arange(least, most + 1, dtype=np.float64)
    cells = (x, row - x, column - x, n - row - column + x)
    logs = -sum(gammaln(each + 1) for each in cells)
    chance = np.exp(logs - logs.max())
    own = chance[int(a - x[0])]
    return float(min(1.0, chance[chance <= own * (1 + 1e-7)].sum() / chance.sum()))
