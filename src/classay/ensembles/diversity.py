"""Diversity: how far the members of an ensemble agree, and how good the two of each pair are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.ensembles.tally import Said, Vote, winners
from classay.inference.estimate import Estimate
from classay.inference.scores.means import t_interval

Array = NDArray[Any]
MOST_POINTS = 2000
"""Pairs that a picture shows."""
BLOCK = 4096
"""Cases of which all members' classes are looked at together."""


@dataclass(frozen=True, eq=False)
class Diversity:
    """Agreement of all pairs of members on the same cases; `(members,)` and `(members, members)`.

    `errors` are the members' own; `agreement[i, j]` the share of the cases of which both say the same; `kappa[i, j]`
    the same corrected for what two members with these shares of classes agree on by chance (Cohen 1960), NaN where
    that is everything; `both_wrong[i, j]` the share that both get wrong. `n` is the number of cases, (Σw)² / Σw² of
    weighted ones; `mean_squares` the mean over cases of the squared share of members that err.
    """

    errors: Array
    agreement: Array
    kappa: Array
    both_wrong: Array
    n: float
    mean_squares: float
    cases: str

    @property
    def members(self) -> int:
        """Number of members."""
        return int(self.errors.shape[0])

    @property
    def pairs(self) -> tuple[Array, Array]:
        """First and second member of each pair."""
        first, second = np.triu_indices(self.members, 1)
        return first, second

    def mean_error(self, level: float = 0.95) -> Estimate:
        """The mean error of a member: Student's interval of the share of members that err, over the cases."""
        mean = float(self.errors.mean())
        if np.isnan(self.mean_squares):
            return Estimate.bare(mean, "the members were tested on different cases")
        if self.n < 2 or self.mean_squares <= mean * mean:
            return Estimate.bare(mean, "the cases at hand show no spread of it")
        low, high = t_interval(mean * self.n, self.mean_squares * self.n, self.n, level, (0.0, 1.0))
        return Estimate(mean, low, high, level, "Student's t on the logit scale")

    def mean_pair(self, name: str) -> Estimate:
        """The mean over all pairs of "agreement", "kappa" or "both_wrong"."""
        values = getattr(self, name)[self.pairs]
        known = values[~np.isnan(values)]
        if not known.size:
            return Estimate.undefined("one member only" if self.members < 2 else "no pair has a value")
        return Estimate.bare(float(known.mean()), "pairs share their members and cases")

    def curve(self) -> Curve:
        """The kappa-error picture: a point for each pair, its kappa and the mean error of its two members.

        Points to the left disagree more, points below are better. Of many pairs every k-th is shown. Margineantu &
        Dietterich 1997, Pruning adaptive boosting, ICML, 211.
        """
        frame = self._columns()
        step = -(-frame["kappa"].size // MOST_POINTS) if frame["kappa"].size else 1
        shown = f"One of {step} pairs, of {frame['kappa'].size:,} in all" if step > 1 else ""
        return Curve(
            "kappa_error",
            "Pairs of members: kappa and error",
            frame["kappa"][::step],
            frame["error"][::step],
            "kappa of the two",
            "mean error of the two",
            kind="points",
            band=shown,
        )

    def frame(self) -> Any:
        """A row for each pair, as a PyArrow table: first, second, kappa, agreement, both_wrong, error."""
        import pyarrow as pa

        return pa.table(self._columns())

    def _columns(self) -> dict[str, Array]:
        first, second = self.pairs
        return {
            "first": first + 1,
            "second": second + 1,
            **{name: getattr(self, name)[first, second] for name in ("kappa", "agreement", "both_wrong")},
            "error": (self.errors[first] + self.errors[second]) / 2,
        }


def codes_of(votes: Iterable[Vote], classes: int) -> Array:
    """The class that each member says of each case, `(members, cases)`, in the smallest whole numbers."""
    kind = np.min_scalar_type(classes)
    codes = (each.codes if isinstance(each, Said) else winners(each.shares) for each in votes)
    return np.array([each.astype(kind) for each in codes])


def diversity(
    said: Array, truth: Array, classes: int, weight: Array | None, unseen: Array | None, cases: str
) -> Diversity:
    """Agreement of members on cases, `said` and `unseen` of shape `(members, cases)`.

    Of each pair only cases count that `unseen` says neither was fitted to; all, where it is None.
    """
    members, rows = said.shape
    sums = _Sums(members)
    for start in range(0, rows, BLOCK):
        at = slice(start, min(start + BLOCK, rows))
        seen = None if unseen is None else unseen[:, at]
        sums.add(said[:, at], truth[at], classes, None if weight is None else weight[at], seen)
    return sums.found(cases, is_shared=unseen is None)


class _Sums:
    """Sums over cases for each pair: matrix products of what is one where a member says a class."""

    def __init__(self, members: int) -> None:
        shape = (members, members)
        self.total, self.agree, self.wrong = (np.zeros(shape) for _ in range(3))
        self.own, self.of_own = np.zeros(members), np.zeros(members)
        self.squares, self.weight, self.weight_squares = 0.0, 0.0, 0.0
        self.first: Array | None = None

    def add(
        self, said: Array, truth: Array, classes: int, weight: Array | None, unseen: Array | None
    ) -> None:
        members, rows = said.shape
        w = np.ones(rows) if weight is None else weight
        valid = np.ones((members, rows)) if unseen is None else unseen.astype(float)
        wrong = (said != truth) * valid
        self.total += (valid * w) @ valid.T
        self.wrong += (wrong * w) @ wrong.T
        self.own += wrong @ w
        self.of_own += valid @ w
        self.squares += float(w @ wrong.mean(0) ** 2)
        self.weight += float(w.sum())
        self.weight_squares += float(w @ w)
        if self.first is None:
            self.first = np.zeros((classes, members, members))
        for code in range(classes):
            says = (said == code) * valid
            self.agree += (says * w) @ says.T
            self.first[code] += (says * w) @ valid.T

    def found(self, cases: str, *, is_shared: bool) -> Diversity:
        first = self.first if self.first is not None else np.zeros((1, *self.total.shape))
        with np.errstate(invalid="ignore", divide="ignore"):
            agreement = self.agree / self.total
            shares = first / self.total
            chance = (shares * shares.transpose(0, 2, 1)).sum(0)
            kappa = np.where(chance < 1, (agreement - chance) / (1 - chance), np.nan)
            errors, both = self.own / self.of_own, self.wrong / self.total
        mean = self.squares / self.weight if is_shared else np.nan
        return Diversity(
            errors, agreement, kappa, both, self.weight**2 / self.weight_squares, float(mean), cases
        )
