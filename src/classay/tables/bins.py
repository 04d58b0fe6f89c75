"""Bins: how many cases of each class score where; tables of scores in bins, for more rows than memory holds."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, match_label
from classay.columns.numbers import StrictThreshold, from_16_bits, in_precision
from classay.errors import InputError, MergeError
from classay.once import memoize
from classay.tables.binning import (
    ABSENT,
    ONE,
    SIGNIFICAND,
    WITHIN,
    ZERO,
    BinScale,
    Losses,
    count,
    places,
    scores_at,
)
from classay.tables.checks import checked_class_rows, checked_labels, checked_scores, checked_weights
from classay.tables.class_scores import ClassScoreTable, refuse_other_labels
from classay.tables.confusion import ConfusionMatrix
from classay.tables.scores import ScoreTable, refuse_other_kind
from classay.tables.sums import MOST_TIMES, added_behind
from classay.texts import amount, hint

Array = NDArray[Any]
Order = Literal["middle", "lowest", "highest"]
"""How cases of one bin whose order is not known are laid out: as one score, negatives first, positives first."""

FINEST = SIGNIFICAND - WITHIN
"""Bits of the significand that bins can keep at most."""
BITS = 10
"""Bits that bins keep by default: they settle the AUC to 1e-4, and far better than that where scores crowd."""
NEGATIVE, POSITIVE = 0, 1


@dataclass(frozen=True, eq=False)
class Bins:
    """Cases of two classes in the bins of a scale of `bits` bits; `dtype` is NumPy's name of the type of the scores.

    `finer`, `(bins,)`, are the bits that bins keep beyond `bits`, None where no bin keeps more. `keys`, `(bins,)`, are
    the places of the bins' scores without the bits that are not kept, in descending order. The other fields are
    `[class, bin]`, negatives first: `cases` are numbers of cases or sums of weights, `squares` sums of squared weights
    or None, `within` sums of where in the bin cases lie, `least` and `most` the places of the least and the greatest
    score of a class, which often settle a bin exactly: it holds one score, or one class above the other. `losses` are
    the exact sums of the losses of probabilities, None for other scores (and, in older files, for weights).

    Bins add up: the sum of the bins of parts is the bins of all rows, bit for bit where cases are counted. Where one
    bin lies in another, the wider one takes the cases. More than 2^36 cases raise InputError.
    """

    bits: int
    dtype: str
    keys: Array
    cases: Array
    squares: Array | None
    within: Array
    least: Array
    most: Array
    losses: Losses | None
    finer: Array | None = None

    @classmethod
    def of_rows(
        cls,
        score: Array,
        positive: Array,
        bits: int | BinScale,
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
        rows: int | None = None,
    ) -> Bins:
        """Count rows: `score` (float, no NaN), `positive` (boolean), `(rows,)` each; weights or frequencies of them.

        `rows` is how many scores are counted together, into the bins of several classes: loops are compiled for many.

        >>> bins = Bins.of_rows(np.array([0.3, 0.3001, 0.9]), np.array([True, False, True]), 8)
        >>> bins.cases, scores_at(bins.least[1])
        (array([[0, 1],
               [1, 1]]), array([0.9, 0.3]))
        """
        times = frequency if weight is None else np.asarray(weight, np.float64)
        return cls._counted(score, positive, times, bits, rows)

    @classmethod
    def of_table(cls, table: ScoreTable, bits: int | BinScale) -> Bins:
        """Count the cells of an exact table: the bins of its rows."""
        score = np.concatenate([table.scores, table.scores])
        positive = np.repeat([True, False], table.scores.size)
        cases = np.concatenate([table.positives, table.negatives])
        there = cases > 0
        bins = cls._counted(score[there], positive[there], cases[there], bits)
        if table.positive_squares is None or table.negative_squares is None:
            return bins
        squares = np.concatenate([table.positive_squares, table.negative_squares])[there]
        return replace(bins, squares=cls._counted(score[there], positive[there], squares, bits).cases)

    @classmethod
    def _counted(
        cls, score: Array, positive: Array, times: Array | None, bits: int | BinScale, rows: int | None = None
    ) -> Bins:
        scale = BinScale.of(bits)
        if times is not None and not times.all():  # what counts nothing is in no bin
            score, positive, times = (values[times > 0] for values in (score, positive, times))
        row_weights = np.ones(score.size, np.int8) if times is None else times
        _refuse_too_many(row_weights)
        dtype, score = score.dtype, from_16_bits(score)
        counts = count(score, positive, row_weights, scale, rows)
        are_probabilities = not score.size or (score.min() >= 0 and score.max() <= 1)
        least = int(counts.bits.min(initial=FINEST)) if score.size else scale.bits
        bins = cls(
            least,
            dtype.name,
            counts.keys,
            counts.cases,
            counts.squares,
            counts.within,
            counts.least,
            counts.most,
            Losses.of(score, positive, times, rows) if are_probabilities else None,
            _beyond(least, counts.bits),
        )
        return bins._taken(bins._order)

    @property
    def shifts(self) -> Array:
        """The bits of a place that each bin does not keep."""
        return SIGNIFICAND - self.bits - (np.zeros_like(self.keys) if self.finer is None else self.finer)

    @property
    def starts(self) -> Array:
        """The least place of each bin, whether a score is there or not."""
        return self.keys << self.shifts

    @property
    def _order(self) -> Array:
        """The bins by descending score, those that hold others first."""
        if self.finer is None:
            return np.argsort(-self.keys, kind="stable")
        shifts = self.shifts
        return np.lexsort((-shifts, ~last_places(self.starts, shifts)))

    def _taken(self, order: Array) -> Bins:
        """Return the bins in another order."""
        return replace(
            self,
            keys=self.keys[order],
            finer=None if self.finer is None else self.finer[order],
            squares=None if self.squares is None else self.squares.take(order, 1),
            **{name: getattr(self, name).take(order, 1) for name in ("cases", "within", "least", "most")},
        )

    @property
    def known(self) -> tuple[Array, Array, Array]:
        """Three masks, of bins with both classes: only one score; all positives above the negatives; all below."""
        both = self._both
        tied = both & (self.least[0] == self.most[1]) & (self.least[1] == self.most[0])
        tied &= self.least[0] != ZERO - 1  # the place of all negative scores nearest to 0
        above = both & (self.least[POSITIVE] > self.most[NEGATIVE])
        below = both & (self.least[NEGATIVE] > self.most[POSITIVE])
        return tied, above, below

    @property
    def open(self) -> Array:
        """Which bins hold both classes in an order that is not known."""
        tied, above, below = self.known
        return self._both & ~(tied | above | below)

    @property
    def _both(self) -> Array:
        """Which bins hold both classes."""
        return np.asarray((self.cases[NEGATIVE] > 0) & (self.cases[POSITIVE] > 0))

    def laid_out(self, order: Order) -> tuple[Array, Array, Array]:
        """Bins as scores, descending: the bin of each, the classes it holds, `[class, score]`, and the score."""
        holds = self.cases > 0
        tied, above, below = self.known
        split = np.zeros_like(tied) if order == "middle" else self._both & ~(tied | above | below)
        first = np.where(below | (split & (order == "lowest")), NEGATIVE, POSITIVE)
        has_two_rows = split | ((above | below) & ~tied)
        rows = np.repeat(np.arange(self.keys.size), 1 + has_two_rows)
        is_second = np.zeros(rows.size, bool)
        is_second[1:] = rows[1:] == rows[:-1]
        cls = np.where(is_second, 1 - first[rows], first[rows])
        kept = np.stack([holds[c][rows] & (~has_two_rows[rows] | (cls == c)) for c in (NEGATIVE, POSITIVE)])
        return rows, kept, scores_at(self._mean_places(rows, kept))

    def least_scores(self, rows: Array, kept: Array) -> Array:
        """The least score of the cases of each bin (`rows`) and its classes (`kept`), both as `laid_out` gives them."""
        return scores_at(np.where(kept, self.least.take(rows, 1), ABSENT).min(0))

    def _mean_places(self, rows: Array, kept: Array) -> Array:
        """Return the mean place of the cases of the classes that are kept of a bin; exact where they have one score."""

        def of_both(values: Array, how: Any, absent: float = 0) -> Array:
            both = np.where(kept, values.take(rows, 1), values.dtype.type(absent))
            return np.asarray(how(*both))

        cases = of_both(self.cases.astype(np.float64), np.add)
        within = of_both(self.within.astype(np.float64), np.add)
        least, most = of_both(self.least, np.minimum, ABSENT), of_both(self.most, np.maximum, -ABSENT)
        starts, shifts = self.starts[rows], self.shifts[rows]
        mean = starts + (within / cases * 2.0 ** (shifts - WITHIN)).astype(np.int64)
        # no case is certain and wrong, infinitely so, because others of its bin are certain and right
        low = np.where(
            (least == ZERO) & (self.least[POSITIVE, rows] > ZERO) & kept[POSITIVE], ZERO + 1, least
        )
        high = np.where((most == ONE) & (self.most[NEGATIVE, rows] < ONE) & kept[NEGATIVE], ONE - 1, most)
        return np.asarray(np.clip(mean, low, high))

    def __add__(self, other: Bins) -> Bins:
        if self.dtype != other.dtype:
            raise MergeError(
                f"One part has {self.dtype} scores and the other {other.dtype}. Convert one of them."
            )
        if (self.squares is None) != (other.squares is None):
            raise MergeError("Only one part has sampling weights. Assess both in the same way.")
        bits = min(self.bits, other.bits)
        is_mixed = self.bits != other.bits or self.finer is not None or other.finer is not None
        finer = [SIGNIFICAND - bits - bins.shifts for bins in (self, other)] if is_mixed else None
        weighted = self.squares is not None and other.squares is not None
        _refuse_too_many(self.cases, other.cases)
        known = self.losses is not None and other.losses is not None

        def both(name: str) -> Array:
            return np.concatenate([getattr(self, name), getattr(other, name)], axis=-1)

        return replace(
            self,
            bits=bits,
            losses=self.losses + other.losses if known else None,  # type: ignore[operator]
            finer=None if finer is None else np.concatenate(finer),
            squares=both("squares") if weighted else None,
            keys=both("keys"),
            cases=both("cases"),
            within=both("within"),
            least=both("least"),
            most=both("most"),
        ).put_together()

    def put_together(self) -> Bins:
        """Join bins of several parts: where some overlap, the widest of them holds the sums of all."""
        if not self.keys.size:
            return self
        ordered = self._taken(self._order)
        if self.finer is None:
            is_first = np.concatenate([[True], ordered.keys[1:] != ordered.keys[:-1]])
            return ordered._summed(np.flatnonzero(is_first))
        starts, shifts = ordered.starts, ordered.shifts
        above = np.minimum.accumulate(starts)
        is_first = np.concatenate([[True], last_places(starts, shifts)[1:] < above[:-1]])
        return ordered._in(shifts[is_first][np.cumsum(is_first) - 1])._summed(np.flatnonzero(is_first))

    def _in(self, shifts: Array) -> Bins:
        """Return the cases of each bin in the wider one at its place that leaves out so many bits."""
        starts, up = self.starts, shifts - self.shifts
        keys = starts >> shifts
        offset = (starts - (keys << shifts)) >> (shifts - WITHIN)
        within = self.within >> up if self.within.dtype.kind == "i" else self.within / 2.0**up
        bits = SIGNIFICAND - shifts
        least = int(bits.min())
        return replace(
            self, bits=least, keys=keys, finer=_beyond(least, bits), within=offset * self.cases + within
        )

    def _summed(self, firsts: Array) -> Bins:
        """Bins of which those up to the next of `firsts` are one."""

        def of_each(values: Array, how: Any) -> Array:
            return np.asarray(how.reduceat(values, firsts, axis=1))

        return replace(
            self,
            keys=self.keys[firsts],
            finer=None if self.finer is None else self.finer[firsts],
            cases=of_each(self.cases, np.add),
            squares=None if self.squares is None else of_each(self.squares, np.add),
            within=of_each(self.within, np.add),
            least=of_each(self.least, np.minimum),
            most=of_each(self.most, np.maximum),
        )

    def coarser(self, bits: int) -> Bins:
        """Return the same cases on a scale of fewer bits, as if they had been counted there."""
        shifts = self.shifts
        if not self.keys.size or (shifts >= SIGNIFICAND - bits).all():
            return self
        return self._in(np.maximum(shifts, SIGNIFICAND - bits)).put_together()


def _refuse_too_many(*cases: Array) -> None:
    """Refuse numbers of cases that the sums beside bins do not hold; sampling weights add up as floats."""
    n_cases = sum(int(counts.sum()) for counts in cases if counts.dtype.kind != "f")
    if n_cases > MOST_TIMES:
        raise InputError(
            f"Bins count at most {MOST_TIMES:,} cases, but there are {n_cases:,}. Keep exact scores: remove bits=, and "
            f"increase {hint('memory=', '--memory')}."
        )


def last_places(starts: Array, shifts: Array) -> Array:
    """Return the greatest place of each bin."""
    return np.asarray(starts + ((np.int64(1) << shifts) - 1))


def _beyond(bits: int, kept: Array) -> Array | None:
    """Return the bits that bins keep beyond so many; None where none does."""
    return None if (kept == bits).all() else kept - bits


PARTS = 2**17
"""Into how many parts all bins that are split are split together: about as many bins more, if all are occupied."""


def finer(bins: Bins, parts: int = PARTS) -> BinScale:
    """Return a scale that leaves less of the order of the same cases open.

    A bin with p positives and n negatives in an open order adds p n to the width of the AUC's bounds, and p n/m if it
    is split into m parts over which its scores spread evenly: the sum is least when m grows with the root of p n.

    >>> rng = np.random.default_rng(0)
    >>> score, positive = rng.random(10_000), rng.random(10_000) < 0.3
    >>> once = Bins.of_rows(score, positive, 4)
    >>> twice = Bins.of_rows(score, positive, finer(once))
    >>> width = lambda bins: int((bins.cases.prod(0) * bins.open).sum())
    >>> width(twice) < width(once) / 1000
    True
    """
    share = np.sqrt(bins.cases.astype(np.float64).prod(0)) * bins.open
    base = bins.starts >> (SIGNIFICAND - bins.bits)
    kept = (np.zeros_like(base) if bins.finer is None else bins.finer) + _splits(share, parts)
    order = np.argsort(base, kind="stable")
    split, first = np.unique(base[order], return_index=True)
    more = np.minimum(np.maximum.reduceat(kept[order], first), FINEST - bins.bits) if split.size else split
    return BinScale(bins.bits, split[more > 0], more[more > 0])


def _splits(share: np.ndarray, parts: int) -> np.ndarray:
    """Return the logarithm of the parts of each bin, by its share of all."""
    total = share.sum()
    wanted = np.maximum(share * (parts / total), 1) if total > 0 else np.ones_like(share)
    return np.asarray(np.floor(np.log2(wanted)).astype(np.int64))


@dataclass(frozen=True, eq=False)
class BinnedScoreTable(ScoreTable):
    """A score table in which each score is the mean score of the cases of a bin, as a float64.

    Bins that hold one class, one score, or one class above the other count exactly. In all other bins the cases count
    as tied, the middle of the possible orders; `laid_out` gives the two extreme orders.

    >>> rng = np.random.default_rng(0)
    >>> score, positive = rng.random(1000), rng.random(1000) < 0.3
    >>> table = BinnedScoreTable.of_rows(score, positive, bits=4)
    >>> exact = ScoreTable.from_rows(score, positive)
    >>> table.scores.size < exact.scores.size, int(table.n_positive - exact.n_positive)
    (True, 0)
    """

    bins: Bins = field(kw_only=True)

    def __post_init__(self) -> None:
        """Made of bins alone, by the methods below, so that there is nothing to check."""

    @classmethod
    def of_rows(
        cls,
        score: Array,
        positive: Array,
        labels: tuple[Hashable, Hashable] = (False, True),
        *,
        bits: int | BinScale,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> BinnedScoreTable:
        """Count rows into bins that keep `bits` of the significand, or into a scale; raises as `from_rows` does."""
        score, positive = checked_scores(score, positive)
        weight, frequency = checked_weights(score.size, weight, frequency)
        negative, positive_label = checked_labels(labels)
        bins = Bins.of_rows(score, positive, bits, weight=weight, frequency=frequency)
        return cls.of(bins, (negative, positive_label))

    @classmethod
    def of_table(cls, table: ScoreTable, bits: int | BinScale) -> BinnedScoreTable:
        """Bins of an exact table. Raises MergeError for one with amounts, which bins do not keep."""
        if table.amounts is not None:
            raise MergeError("Amounts need exact scores. Assess without amounts, or with more memory.")
        return cls.of(Bins.of_table(table, bits), table.labels).read_like(table)

    @classmethod
    def of(cls, bins: Bins, labels: tuple[Hashable, Hashable]) -> BinnedScoreTable:
        """Return the table of these bins, as measures use it."""
        rows, kept, scores = bins.laid_out("middle")
        return cls(scores, *_cells(bins, rows, kept), labels, *_squares(bins, rows, kept), bins=bins)

    @property
    def has_ends(self) -> bool:
        """Whether a score is exactly 0 or 1, of scores in [0, 1]."""
        if not self.scores.size:
            return False
        least, most = scores_at(np.array([self.bins.least.min(), self.bins.most.max()]))
        return bool(least == 0 or most == 1)

    @property
    def holds_single_scores(self) -> bool:
        """Whether the cases of each bin have one score, so that `scores` are those that were counted.

        >>> one, positive = np.repeat([0.25, 0.75], 4), np.arange(8) % 2 == 1
        >>> [BinnedScoreTable.of_rows(one + e * positive, positive, bits=4).holds_single_scores for e in (0, 1e-9)]
        [True, False]
        """
        bins = self.bins
        least = np.where(bins.cases > 0, bins.least, ABSENT).min(0)
        most = np.where(bins.cases > 0, bins.most, -ABSENT).max(0)
        return bool(((least == most) & (least != ZERO - 1)).all())

    @property
    def precision(self) -> np.dtype[Any]:
        """The type of the scores that were counted."""
        return np.dtype(self.bins.dtype)

    @property
    def thresholds(self) -> Array:
        """The least score of the cases that each score stands for, `(m,)`: at these the labels are known exactly."""
        return _thresholds(self)

    def laid_out(self, order: Order) -> ScoreTable:
        """The table with the cases of each bin in an order: `scores` are ranks, for measures of the order alone."""
        rows, kept, _ = self.bins.laid_out(order)
        ranks = np.arange(rows.size, 0, -1, dtype=np.float64)
        return ScoreTable(
            ranks, *_cells(self.bins, rows, kept), self.labels, *_squares(self.bins, rows, kept)
        )

    def at(self, threshold: float) -> ConfusionMatrix:
        """Return the confusion matrix of "positive when score >= threshold", exactly.

        Raises InputError where the threshold lies among cases of a bin, with the nearest ones that do not.
        """
        bins = self.bins
        called, cut = self._called(threshold)
        if cut.size:
            least = scores_at(np.where(bins.cases > 0, bins.least, bins.most.max()).min(0))
            below = float(least[cut[0]])
            above = f" or {float(least[cut[0] - 1])!r}" if cut[0] else ""
            raise InputError(
                f"Threshold {float(threshold)!r} is within a bin of scores. Use {below!r}{above}, or count again with "
                "this threshold or more memory."
            )

        def cells(values: Array) -> Array:
            tp, fp = (np.where(called[c], values[c], 0).sum() for c in (POSITIVE, NEGATIVE))
            return np.array([[values[NEGATIVE].sum() - fp, values[POSITIVE].sum() - tp], [fp, tp]])

        squares = None if bins.squares is None else cells(bins.squares)
        return ConfusionMatrix(cells(bins.cases), self.labels, squares)

    def tied_at(self, threshold: float) -> float | None:
        """Return the cases (or weight) whose score is exactly the threshold; None where bins do not tell it."""
        (above, cut), (reached, also_cut) = (self._called(t) for t in (StrictThreshold(threshold), threshold))
        if cut.size or also_cut.size:
            return None
        return float(self.bins.cases[reached & ~above].sum())

    def tells(self, threshold: float) -> bool:
        """Check whether the table settles for every case if its score reaches the threshold."""
        return not self._called(threshold)[1].size

    def _called(self, threshold: float) -> tuple[Array, Array]:
        """Which classes of bins score at least the threshold, `[class, bin]`; the bins of which that is not known."""
        bins = self.bins
        place = places(np.array([in_precision(threshold, self.precision)]))[0]
        called, spared = bins.least >= place, bins.most < place
        return called, np.flatnonzero(((bins.cases > 0) & ~(called | spared)).any(0))

    def __add__(self, other: ScoreTable) -> BinnedScoreTable:
        refuse_other_kind(self, other)
        if isinstance(other, BinnedScoreTable):
            return self.of(self.bins + other.bins, self.labels).read_like(self)
        return self + self.of_table(other, self.bins.bits)

    __radd__ = added_behind

    def without(self, part: ScoreTable) -> ScoreTable:
        """Raises MergeError: bins keep mean scores, and those of a part cannot be taken out."""
        raise MergeError(
            "A part cannot be subtracted from scores in bins because its mean scores differ. Add the other parts."
        )

    def __repr__(self) -> str:
        return (
            f"BinnedScoreTable({self.bins.keys.size:,} bins of {self.bins.dtype} scores, "
            f"positive={self.labels[1]!r}, {amount(self.n_positive)} positive, {amount(self.n_negative)} negative)"
        )


def why_one_level(table: ScoreTable) -> str:
    """Return why a table with one score orders no cases: all are equal, or one bin holds all of them.

    >>> positive = np.array([False, True])
    >>> why_one_level(BinnedScoreTable.of_rows(np.array([0.25, 0.2501]), positive, bits=4))
    'all scores share one bin'
    """
    if isinstance(table, BinnedScoreTable) and not table.holds_single_scores:
        return "all scores share one bin"
    return "all scores are equal"


@memoize
def _thresholds(table: BinnedScoreTable) -> Array:
    return table.bins.least_scores(*table.bins.laid_out("middle")[:2]).astype(table.precision)


def _cells(bins: Bins, rows: Array, kept: Array) -> tuple[Array, Array]:
    values = np.where(kept, bins.cases.take(rows, 1), 0)
    return values[POSITIVE], values[NEGATIVE]


def _squares(bins: Bins, rows: Array, kept: Array) -> tuple[Array | None, Array | None]:
    if bins.squares is None:
        return None, None
    values = np.where(kept, bins.squares.take(rows, 1), 0)
    return values[POSITIVE], values[NEGATIVE]


@dataclass(frozen=True, eq=False)
class BinnedClassScoreTable:
    """For scores of several classes and more rows than memory holds: the bins of each class against all others.

    It keeps neither the classes of these others nor which scores belong to one case, so that its size is classes times
    bins, however many rows there are. Tables add up as their bins do: where one bin lies in another, the wider one
    takes the cases.

    >>> rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
    >>> table = BinnedClassScoreTable.from_rows(rows, np.array([0, 1, 2, 0]), ("a", "b", "c"), bits=10)
    >>> table.one_vs_rest("a")
    BinnedScoreTable(4 bins of float64 scores, positive='a', 2 positive, 2 negative)
    >>> (table + table).class_totals
    array([4., 2., 2.])
    """

    labels: tuple[Hashable, ...]
    bins: tuple[Bins, ...]

    @classmethod
    def from_rows(
        cls,
        scores: Array,
        true: Array,
        labels: tuple[Hashable, ...],
        *,
        bits: int | BinScale,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> BinnedClassScoreTable:
        """Count `scores` of shape `(rows, classes)` and the codes of the true classes, `(rows,)`."""
        labels = checked_labels(labels)
        scores, weight, frequency = checked_class_rows(len(labels), scores, true, weight, frequency)

        def of_class(code: int) -> Bins:
            column = np.ascontiguousarray(scores[:, code])
            is_own = true == code
            return Bins.of_rows(column, is_own, bits, weight=weight, frequency=frequency, rows=scores.size)

        return cls(labels, tuple(map(of_class, range(len(labels)))))

    @classmethod
    def of_table(cls, table: ClassScoreTable, bits: int | BinScale) -> BinnedClassScoreTable:
        """Return the bins of an exact table."""
        against_rest = map(table.one_vs_rest, table.labels)
        return cls(table.labels, tuple(Bins.of_table(table, bits) for table in against_rest))

    @property
    def bits(self) -> int:
        """The bits of the significand that the coarsest bins keep."""
        return min(bins.bits for bins in self.bins)

    @property
    def class_totals(self) -> Array:
        """Weight of each true class, `(classes,)`."""
        return np.array([bins.cases[POSITIVE].sum() for bins in self.bins], np.float64)

    @property
    def tables(self) -> tuple[BinnedScoreTable, ...]:
        """Each class against all others, in the order of the labels."""
        return _tables(self)

    def one_vs_rest(self, label: Hashable) -> BinnedScoreTable:
        """Return the cases of a class against all others, by that class's score."""
        return self.tables[self.labels.index(match_label(label, self.labels))]

    def coarser(self, bits: int) -> BinnedClassScoreTable:
        """Return the same cases on a scale of fewer bits."""
        return BinnedClassScoreTable(self.labels, tuple(bins.coarser(bits) for bins in self.bins))

    def __add__(self, other: BinnedClassScoreTable | ClassScoreTable) -> BinnedClassScoreTable:
        refuse_other_labels(self, other)
        there = self.of_table(other, self.bits) if isinstance(other, ClassScoreTable) else other
        pairs = zip(self.bins, there.bins, strict=True)
        labels = Labels.of(self.labels) | Labels.of(other.labels)
        return BinnedClassScoreTable(labels, tuple(a + b for a, b in pairs))

    __radd__ = added_behind


@memoize
def _tables(table: BinnedClassScoreTable) -> tuple[BinnedScoreTable, ...]:
    pairs = zip(table.labels, table.bins, strict=True)
    return tuple(BinnedScoreTable.of(bins, (f"not {label}", label)) for label, bins in pairs)
