"""Omissions: the cases that two models left out, and whether that is fair.

A case that a model did not answer and that is left out counts for neither model. That is fair where chance alone
decides which cases go unanswered. It is unfair where one model answers less often than the other (it may answer only
when it is sure), or where the cases that it leaves out are harder or easier than the rest for the other model too.
McNemar's exact test compares how often both answer. Fisher's exact test asks whether the other model is right as often
on the cases left out as on the rest. The p-values are adjusted by Holm's method over these tests.

Where a test finds a difference, a rule that passes on the answered cases stands only if it also passes when every case
that a model left out counts as wrong for that model, which is the worst that can be true of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.estimate import Estimate, p_equation, p_text
from classay.inference.significance import MCNEMAR, fisher_exact
from classay.kinds import FiniteOrNone
from classay.texts import listed

Array = NDArray[Any]


ONE_SIDED_AT = 0.05
"""The adjusted p-value below which omissions count as one-sided."""


@dataclass(frozen=True, eq=False)
class Omissions(FiniteOrNone):
    """What two models left out of the same cases: `omitted` of each, `alone` where the other one answered, of `cases`.

    `p_unequal` tests whether both answer equally often, NaN where it is not known which cases each left out; `p_hard`
    tests whether what each left out is answered rightly by the other one as often as the rest, NaN where that is
    unknown; `harder` says whether it is answered rightly less often. `worst` is the effect in which every omission
    counts as wrong, None where it cannot be computed. `units` are what the tests count. `names` are those of what is
    left out, and of what may lack it.
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
    names: tuple[str, str] = ("prediction", "cases")

    @property
    def adjusted(self) -> tuple[float, float, float]:
        """The p-values by Holm's method: of unequal numbers, and of what the first and the second left out."""
        p = [self.p_unequal, *self.p_hard]
        order = sorted((i for i in range(3) if not isnan(p[i])), key=lambda i: p[i])
        p_values, least = [nan, nan, nan], 0.0
        for rank, i in enumerate(order):
            least = max(least, min(1.0, (len(order) - rank) * p[i]))
            p_values[i] = least
        return p_values[0], p_values[1], p_values[2]

    @property
    def is_untested(self) -> bool:
        """Whether nothing is known of which cases each left out, so that no test can be made."""
        return isnan(self.p_unequal)

    @property
    def is_one_sided(self) -> bool:
        """Whether a test shows that chance alone does not decide what is left out."""
        return any(p < ONE_SIDED_AT for p in self.adjusted)

    @property
    def sentence(self) -> str:
        """What was left out and what the tests show, in a sentence."""
        (first, second), (a, b), (lack, of) = self.models, self.omitted, self.names
        gone = f"These {of} are excluded"
        count = f"{first} has no {lack} for {a:,} and {second} for {b:,} of {self.cases:,} {of}. {gone}"
        if self.is_untested:
            return (
                f"{count}. The files do not record which cases these are, so a bias of the exclusion cannot be tested. "
                f"{INSTEAD[:1].upper()}{INSTEAD[1:]}"
            )
        unequal, *hard = self.adjusted
        shown = []
        if unequal < ONE_SIDED_AT:
            fewer = first if self.alone[0] > self.alone[1] else second
            of = "" if self.units == "cases" else f", by {self.units}"
            shown.append(f"{fewer} has more of them (exact McNemar{of}, {p_equation(unequal)})")
        for p, harder, one, other in zip(hard, self.harder, self.models, self.models[::-1], strict=True):
            if p < ONE_SIDED_AT:
                often = "less" if harder else "more"
                shown.append(
                    f"{other} is {often} often correct on those of {one} (Fisher's exact test, {p_equation(p)})"
                )
        if shown:
            found = "are not random" if len(shown) > (unequal < ONE_SIDED_AT) else "differ between the models"
            return f"{count}. The missing {lack}s {found}: {listed(shown)}"
        known = [p for p in self.adjusted if not isnan(p)]
        return (
            f"{count}. No bias of the exclusion was detected (smallest p after Holm's adjustment: "
            f"{p_text(min(known))})"
        )


INSTEAD = "compare the rows, or assess both so that missing predictions count as incorrect"
"""What to do where saved assessments left cases out."""


def omissions_of_saved(models: tuple[str, str], cases: int, omitted: tuple[int, int]) -> Omissions | None:
    """Return what two saved assessments of the same answered cases left out before: these may be other cases in each.

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
    """Return the omissions of two models and their tests; None where nothing was left out.

    `gone` says of each model which cases it left out, `right` which ones it predicts right, `(cases,)` of booleans.
    `unmatched` counts the cases for which the first and the second has no row at all, and the other one has. Their
    clusters are not known, so that where there are any, cases are counted, not clusters, which warns more readily.

    >>> gone = {"new": np.arange(40) < 12, "old": np.zeros(40, bool)}
    >>> omissions = omissions_of(("new", "old"), gone, {"old": np.arange(40) % 2 == 0})
    >>> omissions.omitted, omissions.is_one_sided
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
        association = _association(gone[one], right.get(other), ~gone[other], times)
        hard.append(association[0])
        harder.append(association[1])
    return Omissions(models, cases, omitted, alone, p, (hard[0], hard[1]), (harder[0], harder[1]))


def _association(gone: Array, right: Array | None, answered: Array, times: Array) -> tuple[float, bool]:
    """Return the p-value of whether the other model errs more often on the cases that this one left out."""
    if right is None or not (gone & answered).any():
        return nan, False
    a, b, c, d = (
        int(times[answered & out & hit].sum())
        for out, hit in ((gone, right), (gone, ~right), (~gone, right), (~gone, ~right))
    )
    return fisher_exact(a, b, c, d), a * (c + d) < c * (a + b)
