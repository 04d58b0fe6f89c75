"""Cells: what a way to an interval, or a test, did for a measure in a setting; and the promise they are held to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from classay.inference.proportions import mid_p, wald, wilson

LEVEL = 0.95
ROUNDING = 1e-9
OURS = "classay"
SHORT = 0.015
"""How far below its level a coverage may be."""
TAIL = 0.04
"""How often a test may err on one side, which it names, and an interval without being said to lean."""
WIDER = 1.1
"""How much wider than the narrowest way that holds an interval may be."""
ENOUGH = 10
"""Cases of the smallest class, or clusters that hold it, from which the promise holds."""
WALD, BY_NAME = "Wald", "by name: mid-P"
NEGLIGIBLE = 1e-9
"""The probability of the counts at either end that are not enumerated."""
TEST = ", test"
"""The end of the name of a measure that is tested."""
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Cell:
    """What a way did for a measure in a setting.

    Of `samples`, `intervals` had one, of the summed width `widths`; `ended_below` of them end below the truth, and
    `started_above` start above it. A test is the interval of those effects that it does not reject: it ends below the
    truth where the test says "less". `sides` is 1 of tests that have no side, and of bands. Cells of batches add.
    """

    family: str
    group: str
    setting: str
    rarer: float
    measure: str
    way: str
    samples: int
    intervals: float
    ended_below: float
    started_above: float
    widths: float
    sides: int = 2
    exact: bool = False

    def __add__(self, other: Cell) -> Cell:
        return replace(
            self,
            samples=self.samples + other.samples,
            intervals=self.intervals + other.intervals,
            ended_below=self.ended_below + other.ended_below,
            started_above=self.started_above + other.started_above,
            widths=self.widths + other.widths,
        )

    @property
    def key(self) -> Key:
        """What it is of."""
        return self.family, self.group, self.setting, self.measure

    @property
    def is_test(self) -> bool:
        """Whether it is of a test, which has no width."""
        return self.measure.endswith(TEST)

    @property
    def found(self) -> float:
        """The share of samples with an interval."""
        return self.intervals / self.samples

    @property
    def below(self) -> float:
        """The share of intervals that end below the truth."""
        return self.ended_below / self.intervals

    @property
    def above(self) -> float:
        """The share of intervals that start above it."""
        return self.started_above / self.intervals

    @property
    def side(self) -> float:
        """The greater of both, if there are two."""
        return max(self.below, self.above) if self.sides == 2 else 0.0

    @property
    def width(self) -> float:
        """The mean width."""
        return self.widths / self.intervals

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return 1 - self.below - self.above

    @property
    def error(self) -> float:
        """Monte-Carlo error of the coverage; of 99% where all are covered; none of what was enumerated."""
        return 0.0 if self.exact else error_of(min(max(self.coverage, 0.01), 0.99), self.intervals)

    @property
    def of_side(self) -> float:
        """That of the greater side."""
        return 0.0 if self.exact else error_of(self.side, self.intervals)

    @property
    def is_promised(self) -> bool:
        """Whether there are enough cases of the smallest class, or clusters that hold it, for the promise."""
        return self.rarer >= ENOUGH

    @property
    def holds(self) -> bool:
        """Whether the coverage keeps the promise, as measured; and both sides of a test, whose verdict names one."""
        return self.coverage >= LEVEL - SHORT and not (self.is_test and self.side > TAIL)

    @property
    def leans(self) -> bool:
        """Whether it holds, and yet its misses lie on one side: a limit alone misses more often than it should."""
        return self.holds and self.side > TAIL

    @property
    def is_discrete(self) -> bool:
        """Whether it misses the promise by the discreteness of counts alone, as its enumeration shows."""
        return self.exact and not self.holds

    @property
    def surely_misses(self) -> bool:
        """Whether it misses the promise by more than two Monte-Carlo errors."""
        lopsided = self.is_test and self.side - 2 * self.of_side > TAIL
        return self.coverage + 2 * self.error < LEVEL - SHORT or lopsided

    @property
    def is_near(self) -> bool:
        """Whether more samples may decide otherwise: within two Monte-Carlo errors of a bound, on either side."""
        may_lean = self.is_test and self.side + 2 * self.of_side > TAIL
        surely_holds = self.coverage - 2 * self.error >= LEVEL - SHORT and not may_lean
        return not (surely_holds or self.surely_misses)


def error_of(share: float, samples: float) -> float:
    """The Monte-Carlo error of a share."""
    return float(np.sqrt(share * (1 - share) / samples))


def too_wide(cell: Cell, rivals: Iterable[Cell]) -> bool:
    """Whether a rival that holds and does not lean, with as many intervals, is narrower by more than allowed."""
    able = (each for each in rivals if each.holds and not each.leans)
    widths = [each.width for each in able if each.found >= cell.found - 0.02]
    return bool(widths) and not cell.is_test and cell.width > WIDER * min(widths)


def cell_of(
    about: tuple[str, str, str, float], measure: str, way: str, truth: float, ends: Any, *, sides: int = 2
) -> Cell | None:
    """The cell of the ends, `(samples, 2)`, NaN where there is no interval; None where there is none at all."""
    held = np.isfinite(ends[:, 1] - ends[:, 0])
    low, high = ends[held].T
    if not low.size:
        return None
    return Cell(
        *about,
        measure,
        way,
        len(ends),
        int(held.sum()),
        int((high < truth - ROUNDING).sum()),
        int((low > truth + ROUNDING).sum()),
        float((high - low).sum()),
        sides,
    )


def added(cells: Iterable[Cell]) -> list[Cell]:
    """Cells of one measure, way and setting added up, in the order in which they come first."""
    sums: dict[tuple[Key, str], Cell] = {}
    for each in cells:
        key = each.key, each.way
        sums[key] = sums[key] + each if key in sums else each
    return list(sums.values())


def of_claims(claims: Any) -> Any:
    """Claims of a test, -1, 0 or 1 for "less", none and "more", NaN for no test: as ends about a truth of 0."""
    claims = np.asarray(claims, float)
    return np.stack([np.where(claims > 0, 1.0, -2.0) + 0 * claims, np.where(claims < 0, -1.0, 2.0)], -1)


def exact_cells(
    about: tuple[str, str, str, float], name: str, n: int, among: float, share: float, to: Any = lambda p: p
) -> list[Cell]:
    """Coverage of Wilson's, Wald's and mid-P limits of x in m, summed over all m of n cases and all x, exactly.

    m is binomial, n cases each with the chance `among`, and x is, m cases each with the chance `share`. The width of
    mid-P, whose limits are found step by step, is that at the mean of m. `to` is a rising function of the share.
    """
    sizes = np.arange(n, n + 1)
    if among < 1 - NEGLIGIBLE:
        low, high = stats.binom.ppf((NEGLIGIBLE, 1 - NEGLIGIBLE), n, among)
        sizes = np.arange(max(low, 1), high + 1)
    chances = stats.binom.pmf(sizes, n, among) if sizes.size > 1 else np.ones(1)
    sums = {OURS: np.zeros(4), WALD: np.zeros(4), BY_NAME: np.zeros(4)}
    for m, chance in zip(sizes, chances, strict=True):
        low, high = stats.binom.ppf((NEGLIGIBLE, 1 - NEGLIGIBLE), m, share)
        x = np.arange(low, high + 1)
        p = chance * stats.binom.pmf(x, m, share)
        up_to = stats.binom.cdf(x, m, share) - stats.binom.pmf(x, m, share) / 2
        tails = (1 - LEVEL) / 2
        ways = {OURS: wilson(x, m, LEVEL), WALD: wald(x, m, LEVEL)}
        for way, ends in ways.items():
            least, most = (to(np.asarray(end, float)) for end in ends)
            truth = to(share)
            below, above = p[most < truth - ROUNDING].sum(), p[least > truth + ROUNDING].sum()
            sums[way] += [p.sum(), below, above, float(p @ (most - least))]
        # the mid-P limits hold the share where neither tail of x, half of x itself in it, is too small
        sums[BY_NAME] += [p.sum(), p[up_to < tails].sum(), p[1 - up_to < tails].sum(), 0.0]
    m = round(n * among)
    x = np.arange(*stats.binom.ppf((1e-6, 1 - 1e-6), m, share)) if m else np.zeros(1)
    p, ends = stats.binom.pmf(x, m, share), mid_p(x, np.full(x.shape, float(m)), LEVEL)
    sums[BY_NAME][3] = sums[BY_NAME][0] * float(p @ (to(ends[1]) - to(ends[0]))) / p.sum()
    return [
        Cell(*about, name, way, 1, *(float(each) for each in found), exact=True)
        for way, found in sums.items()
    ]
