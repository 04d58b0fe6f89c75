"""RoundTable: what many training sets made of the same test rows, in a table that does not grow with their number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import MergeError

Array = NDArray[Any]
BLOCKS = 10
"""Blocks that rounds are counted in, so that leaving out one at a time shows how the rounds vary."""


@dataclass(frozen=True, eq=False)
class RoundTable:
    """For each test row: how many rounds voted for each class, and sums over rounds of the probabilities they gave.

    A round is one training set with the model fitted to it. Shapes, with any leading axes (blocks of rounds):
    `votes` and `truth` `(…, rows, classes)`; `sums` of the probabilities and `logs` of their logarithms likewise;
    `squares` `(…, rows)`, the sum over classes of squared probabilities. The last three are None where the model gives
    no probabilities. `truth`, `(rows, classes)`, is the distribution of the class at each row: known, or 1 at the one
    label that was seen. `+` adds the rounds of another table of the same rows. Raises MergeError for other rows.
    """

    votes: Array
    truth: Array
    sums: Array | None = None
    squares: Array | None = None
    logs: Array | None = None

    @classmethod
    def empty(cls, truth: Array, blocks: int, *, with_probabilities: bool) -> RoundTable:
        """A table of no rounds."""
        shape = (blocks, *truth.shape)
        votes = np.zeros(shape, np.int64)
        if not with_probabilities:
            return cls(votes, truth)
        return cls(votes, truth, np.zeros(shape), np.zeros(shape[:-1]), np.zeros(shape))

    @classmethod
    def from_rounds(
        cls, predicted: Any, truth: Any, classes: int, probabilities: Any = None, blocks: int = BLOCKS
    ) -> RoundTable:
        """The table of codes of predicted classes, `(rounds, rows)`, and codes of the truth, or its distribution.

        `probabilities` are `(rounds, rows, classes)`. Rounds fall into `blocks` in turn.

        >>> table = RoundTable.from_rounds([[0, 1], [0, 0], [1, 1]], [0, 1], classes=2)
        >>> table.pooled.votes.tolist()
        [[2, 1], [1, 2]]
        """
        codes, given = np.asarray(predicted), np.asarray(truth)
        known = given if given.ndim == 2 else np.eye(classes)[given]
        with_probabilities = probabilities is not None
        table = cls.empty(
            np.asarray(known, np.float64),
            min(blocks, len(codes)),
            with_probabilities=with_probabilities,
        )
        for number, each in enumerate(codes):
            table.add(number, each, np.asarray(probabilities[number]) if with_probabilities else None)
        return table

    def add(self, number: int, predicted: Array, probabilities: Array | None) -> None:
        """Count a round: the only change a table knows, while it is being filled."""
        block = number % self.votes.shape[0]
        self.votes[block, np.arange(predicted.size), predicted] += 1
        if probabilities is None or self.sums is None or self.squares is None or self.logs is None:
            return
        self.sums[block] += probabilities
        self.squares[block] += (probabilities**2).sum(-1)
        with np.errstate(divide="ignore"):
            self.logs[block] += np.log(probabilities)

    def __add__(self, other: RoundTable) -> RoundTable:
        if not np.array_equal(self.truth, other.truth):
            raise MergeError(
                "the tables are of other test rows: add rounds that were tested on the same rows."
            )
        if self.votes.shape != other.votes.shape or (self.sums is None) != (other.sums is None):
            raise MergeError(
                "one table has other blocks of rounds, or no probabilities: make both in the same way."
            )
        return self._each(lambda mine, name: mine + getattr(other, name))

    def _each(self, change: Any) -> RoundTable:
        """The table with each of its sums changed."""
        found = {name: getattr(self, name) for name in ("votes", "sums", "squares", "logs")}
        return replace(self, **{name: change(each, name) for name, each in found.items() if each is not None})

    @property
    def rows(self) -> int:
        """Test rows."""
        return int(self.truth.shape[0])

    @property
    def blocks(self) -> int:
        """Blocks of rounds."""
        return int(self.votes.shape[0])

    @property
    def n(self) -> Array:
        """Rounds that each row was tested in, `(…, rows)`."""
        found: Array = self.votes.sum(-1)
        return found

    @property
    def pooled(self) -> RoundTable:
        """All blocks together, without a leading axis."""
        return self._each(lambda mine, _: mine.sum(0))

    @property
    def without(self) -> RoundTable:
        """All blocks but one, for each block."""
        return self._each(_all_but_one)

    def first_blocks(self, blocks: int) -> RoundTable:
        """The table without blocks from that number on, where no round fell into them."""
        return self if blocks >= self.blocks else self._each(lambda mine, _: mine[:blocks])


def _all_but_one(each: Array, _: str) -> Array:
    """Sums over all blocks but one. Minus infinity cannot be taken away again, so logarithms are added up anew."""
    if each.dtype.kind != "f" or np.isfinite(each).all():
        found: Array = each.sum(0) - each
        return found
    return np.stack([np.delete(each, block, 0).sum(0) for block in range(each.shape[0])])
