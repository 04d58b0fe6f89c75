"""Rates at a threshold that is chosen on the same cases: how both vary together, alike, weighted or in clusters.

A threshold is where a share of the cases lies at or above it, so it varies as that share does. Both this share and the
rate of interest are drawn from their Jeffreys posteriors, with the correlation that their influences have, for as many
independent cases alike as would vary as much (Rao & Scott 1992, Biometrics 48:577); with few clusters for as many fewer
as Student's quantile is wider (Korn & Graubard 1998, Survey Methodology 24:193).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.draws import DRAWS
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.sampling_units import Units
from classay.once import once
from classay.tables import ScoreTable
from classay.tables.rows import CodedRows, RowCells
from classay.tables.running import equal_cases

if TYPE_CHECKING:
    from classay.inference.bootstrap.scored_cases import ScoredCases

Array = NDArray[Any]
Pair = tuple[int, int]
NOTHING = 1e-18
"""A variance that is but the rounding of sums."""


@dataclass(frozen=True)
class Kind:
    """Which of the cases at or above a threshold a share counts, and among which: positives, negatives, as 1 or 0."""

    counted: Pair
    among: Pair
    among_called: bool = False


TPR = Kind((1, 0), (1, 0))
FPR = Kind((0, 1), (0, 1))
CALLED = Kind((1, 1), (1, 1))
PRECISION = Kind((1, 0), (1, 1), among_called=True)


@dataclass(frozen=True, eq=False)
class Share:
    """A share at every cut of a table, and how well it is known at one of them.

    `counted` and `among`, `(m + 1,)`, belong to the cuts before, between and after the m scores. `size` is how many
    independent cases alike would vary as much; `influence` is that of a positive and a negative case above
    and below the cut, `(2,)` each, `variance` what it makes.
    """

    counted: Array
    among: Array
    influence: tuple[Array, Array]
    variance: float
    size: float

    @property
    def at_cuts(self) -> Array:
        """The share itself, `(m + 1,)`, where it is among the same cases at every cut."""
        return np.asarray(self.counted / self.among[-1])


def units_of(cases: ScoredCases) -> Units:
    """Cases drawn alone, or the clusters of their rows."""
    rows = cases.rows
    if rows is None or rows.cluster is None:
        return Units(cases.table)
    clusters = tuple(range(int(rows.cluster.max(initial=-1)) + 1))
    coded = CodedRows(
        clusters, cases.table.labels, rows.cluster, 1 * rows.positive, None, rows.score, rows.weight
    )
    return Units.of_clusters(cases.table, coded, 1)


def cut_at(table: ScoreTable, threshold: float) -> int:
    """The scores at or above a threshold."""
    return int(np.count_nonzero(table.thresholds >= threshold))


def share(units: Units, kind: Kind, cut: int, level: float) -> Share:
    """A share of the cases, known as well as at this cut."""
    parted = _parted(units, cut)
    counted, called = (_sums(units, each) for each in (kind.counted, kind.among))
    among = called if kind.among_called else np.broadcast_to(called[-1], called.shape)
    m = float(among[cut])
    p = float(counted[cut]) / m
    above, held = np.array([1, 0]), np.array([1, 0 if kind.among_called else 1])
    on_positive, on_negative = (
        (x * above - p * a * held) / m for x, a in zip(kind.counted, kind.among, strict=True)
    )
    positives, negatives = parted.squares
    squares = kind.among[0] * positives + kind.among[1] * negatives
    cases = equal_cases(m, squares[0] if kind.among_called else squares.sum())
    variance = parted.spread(on_positive, on_negative).variance
    size = _alike(units, p, variance, cases, m)
    if units.rows is not None:
        size *= (normal_quantile(level) / units.quantile(level)) ** 2
    return Share(counted, among, (on_positive, on_negative), variance, size)


def drawn(
    units: Units,
    by: Share,
    rate: Share,
    cut: int,
    wanted: float,
    cuts: Callable[[Array], Array],
    rng: np.random.Generator,
) -> Array:
    """Draws of a rate at the threshold that a wanted share sets; `cuts` are those that drawn shares lead to.

    What a resample takes for the wanted share lies below it in the cases at hand by as much as it draws it too high.
    """
    from scipy.special import betaincinv, ndtr

    together = correlation(units, cut, by, rate)
    first, second = rng.normal(size=(2, DRAWS))
    second = together * first + np.sqrt(1 - together**2) * second
    place = betaincinv(by.size * wanted + 0.5, by.size * (1 - wanted) + 0.5, ndtr(-first))
    at = cuts(place)
    per_case = rate.size / rate.among[cut]
    x, m = (_between(each, at) * per_case for each in (rate.counted, rate.among))
    return np.asarray(betaincinv(x + 0.5, np.maximum(m - x, 0.0) + 0.5, ndtr(second)))


def correlation(units: Units, cut: int, one: Share, other: Share) -> float:
    """The correlation of two shares at a cut; 0 where one of them does not vary."""
    summed = (a + b for a, b in zip(one.influence, other.influence, strict=True))
    both = _parted(units, cut).spread(*summed).variance
    scale = np.sqrt(one.variance * other.variance)
    together = (both - one.variance - other.variance) / (2 * scale) if scale > 0 else 0.0
    return float(np.clip(together, -1.0, 1.0))


def _alike(units: Units, p: float, variance: float, cases: float, weight: float) -> float:
    """Independent cases alike with this variance of a share: no more than there are, nor, of none seen, than units."""
    if units.rows is None and not units.table.is_weighted:
        return cases
    if variance > NOTHING:
        return max(1.0, min(cases, p * (1 - p) / variance))
    return max(1.0, min(cases, weight / units.total * units.number))


@once
def _parted_last(units: Units) -> dict[int, Units]:
    """The parts at the cut that was asked for last: several shares are read there."""
    return {}


def _parted(units: Units, cut: int) -> Units:
    """The same units with two scores only, above and below a cut."""
    kept = _parted_last(units)
    found = kept.get(cut)
    if found is None:
        found = _part(units, cut)
        kept.clear()
        kept[cut] = found
    return found


def _part(units: Units, cut: int) -> Units:
    table, rows_of = units.table, units.cells
    parts = table.positives, table.negatives, table.positive_squares, table.negative_squares
    p, n, pp, nn = (
        None if each is None else np.array([each[:cut].sum(), each[cut:].sum()]) for each in parts
    )
    assert p is not None
    assert n is not None
    halves = ScoreTable(np.array([1.0, 0.0]), p, n, table.labels, pp, nn)
    if rows_of is None or units.rows is None:
        return Units(halves)
    of_negative, place = np.divmod(rows_of.at, table.scores.size)
    return Units(halves, units.rows, RowCells.of(units.rows, 2 * of_negative + (place >= cut), 4))


def _between(values: Array, cuts: Array) -> Array:
    """Values at cuts, and on the line between two where a cut is no whole number."""
    first = np.floor(cuts).astype(np.int64)
    after = np.minimum(first + 1, values.size - 1)
    return np.asarray(values[first] + (cuts - first) * (values[after] - values[first]))


def _sums(units: Units, of: Pair) -> Array:
    return heights(units)[of[0] + 2 * of[1] - 1]


@once
def heights(units: Units) -> tuple[Array, Array, Array]:
    """Running sums of positives, of negatives and of both down to each cut, `(m + 1,)` each."""
    made = np.zeros((3, units.table.scores.size + 1))
    np.cumsum(units.table.positives, out=made[0, 1:])
    np.cumsum(units.table.negatives, out=made[1, 1:])
    np.cumsum(units.table.positives + units.table.negatives, out=made[2, 1:])
    return made[0], made[1], made[2]
