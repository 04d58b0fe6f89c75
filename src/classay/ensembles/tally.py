"""Votes counted member by member: what the ensemble of the first members says of each case, and how often it errs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.ensembles.growth import Cases, Growth

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Said:
    """One class a case, as a code into the classes, that counts for `say` votes: shape `(cases,)`."""

    codes: Array
    say: float = 1.0

    def of(self, rows: Array) -> Said:
        """What was said of some cases."""
        return Said(self.codes[rows], self.say)

    def added_to(self, votes: Array) -> None:
        """Add the votes to a table `(cases, classes)`."""
        votes[np.arange(votes.shape[0]), self.codes] += self.say


@dataclass(frozen=True, eq=False)
class Shared:
    """A vote a case that is shared among the classes: probabilities, shape `(cases, classes)`."""

    shares: Array

    def of(self, rows: Array) -> Shared:
        """What was said of some cases."""
        return Shared(self.shares[rows])

    def added_to(self, votes: Array) -> None:
        """Add the votes to a table `(cases, classes)`."""
        votes += self.shares


Vote = Said | Shared


def winners(votes: Array) -> Array:
    """The class with the most votes in each row; the first of several: codes, `(cases,)`.

    >>> winners(np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 3.0]])).tolist()
    [0, 0, 1]
    """
    return (votes[:, 1] > votes[:, 0]).astype(np.intp) if votes.shape[1] == 2 else votes.argmax(1)


def ties(votes: Array) -> int:
    """Cases with votes of which two classes or more have the most."""
    most = votes.max(1)
    return int(((votes == most[:, None]).sum(1) > 1)[most > 0].sum())


def margins(votes: Array, truth: Array) -> Array:
    """Share of the votes for the true class less that for the next other one, from -1 to 1; NaN without votes.

    Right when positive, wrong when negative. `truth` are codes, those outside the classes of classes never learned.
    Schapire, Freund, Bartlett & Lee 1998, Annals of Statistics 26:1651.

    >>> margins(np.array([[3.0, 1.0], [3.0, 1.0], [0.0, 0.0]]), np.array([0, 1, 0])).tolist()
    [0.5, -0.5, nan]
    """
    total = votes.sum(1)
    rows = np.flatnonzero(truth >= 0)
    own = np.zeros(votes.shape[0])
    own[rows] = votes[rows, truth[rows]]
    others = votes.copy()
    others[rows, truth[rows]] = -np.inf
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(total > 0, (own - others.max(1)) / total, np.nan))


class Tally:
    """The votes of more and more members on the same cases, `(cases, classes)`, and the errors at each size.

    Each vote is added once, and only cases whose votes changed are looked at again.
    """

    def __init__(self, truth: Array, classes: int, weight: Array | None = None) -> None:
        self.votes = np.zeros((truth.shape[0], classes))
        self._truth, self._weight = truth, weight
        self._is_wrong = np.zeros(truth.shape[0], bool)
        self._unvoted = np.ones(truth.shape[0], bool)
        self._wrong: list[tuple[float, float]] = []
        self._voted: list[tuple[float, float]] = []
        self._missing: list[int] = []

    def add(self, vote: Vote, rows: Array | None = None) -> None:
        """Count the vote of the next member, on all cases or on some of them only."""
        if rows is None:
            vote.added_to(self.votes)
            self._is_wrong = winners(self.votes) != self._truth
            self._unvoted[:] = False
        else:
            own = self.votes[rows]
            vote.of(rows).added_to(own)
            self.votes[rows] = own
            self._is_wrong[rows] = winners(own) != self._truth[rows]
            self._unvoted[rows] = False
        self._note()

    def say(self, codes: Array) -> None:
        """Note what the next ensemble says, whose members do not vote."""
        self._is_wrong = codes != self._truth
        self._unvoted[:] = False
        self._note()

    def _note(self) -> None:
        missing = int(np.count_nonzero(self._unvoted))
        self._missing.append(missing)
        if self._weight is None:
            wrong = float(np.count_nonzero(self._is_wrong))
            voted = float(self._truth.shape[0] - missing)
            self._wrong.append((wrong, wrong))
            self._voted.append((voted, voted))
            return
        squares = self._weight**2
        for noted, which in ((self._wrong, self._is_wrong), (self._voted, ~self._unvoted)):
            noted.append((float(self._weight @ which), float(squares @ which)))

    def growth(self, cases: Cases, *, no_interval: str = "") -> Growth:
        """The errors at each size; `no_interval` says why they have none."""
        wrong, voted = np.array(self._wrong).reshape(-1, 2), np.array(self._voted).reshape(-1, 2)
        is_weighted = self._weight is not None
        return Growth(
            cases=cases,
            wrong=wrong[:, 0],
            total=voted[:, 0],
            wrong_squares=wrong[:, 1] if is_weighted else None,
            total_squares=voted[:, 1] if is_weighted else None,
            unvoted=np.array(self._missing, np.int64),
            tied=ties(self.votes),
            no_interval=no_interval,
        )
