"""The parts of a loss at each row, noise, bias and variance, from what many training sets made of it.

A decomposition is a function of a `RoundTable`. Its parts add up to the expected loss of every row, and so do their
means. All arrays may have leading axes. Where only one label of each row was seen, `truth` is 1 there: the noise is
then part of the bias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from classay.errors import MergeError
from classay.tables.sums import are_greatest, difference, rounded_difference, settled

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
                "The tables have different test rows. Add only rounds that were tested on the same rows."
            )
        if self.votes.shape != other.votes.shape or (self.sums is None) != (other.sums is None):
            raise MergeError(
                "The tables have different blocks of rounds, or only one has probabilities. Make both tables in "
                "the same way."
            )
        return self._each(lambda mine, name: mine + getattr(other, name))

    def _each(self, change: Any) -> RoundTable:
        """The table with each of its sums changed."""
        sums = {name: getattr(self, name) for name in ("votes", "sums", "squares", "logs")}
        return replace(
            self, **{name: change(array, name) for name, array in sums.items() if array is not None}
        )

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
        n: Array = self.votes.sum(-1)
        return n

    @property
    def pooled(self) -> RoundTable:
        """All blocks together, without a leading axis."""
        return self._each(lambda mine, _: mine.sum(0))

    @property
    def without(self) -> RoundTable:
        """The table without each block in turn."""
        return self._each(_all_but_one)

    def first_blocks(self, blocks: int) -> RoundTable:
        """The table without blocks from that number on, where no round fell into them."""
        return self if blocks >= self.blocks else self._each(lambda mine, _: mine[:blocks])


def _all_but_one(sums: Array, _: str) -> Array:
    """Sums over all blocks but one. Minus infinity cannot be subtracted, so logarithms are added up again."""
    if sums.dtype.kind != "f" or np.isfinite(sums).all():
        without: Array = sums.sum(0) - sums
        return without
    return np.stack([np.delete(sums, block, 0).sum(0) for block in range(sums.shape[0])])


Parts = dict[str, Array]
Loss = Literal["0-1", "squared", "log-loss"]
LOSSES: tuple[Loss, ...] = get_args(Loss)

LOSS_TITLES: dict[Loss, str] = {"0-1": "0–1 loss", "squared": "squared loss", "log-loss": "log-loss"}
"""What a loss is called in a sentence."""


@dataclass(frozen=True)
class LossPart:
    """A part of a loss: its name, a few words of explanation, its range, and the scale of its interval."""

    name: str
    title: str
    about: str
    high: float = 1.0
    low: float = 0.0
    scale: Literal["positive", "share", "signed"] = "positive"


@dataclass(frozen=True)
class Scheme:
    """A way to take a loss apart: one decomposition of the literature.

    `at` gives the parts of each row, plainly; `corrected` the same without the bias that few rounds bring. `adds_up`
    names the parts that add up to the loss, the sign of each with it. `bias` and `variance` name those to set against
    each other.
    """

    name: str
    title: str
    loss: Loss
    parts: tuple[LossPart, ...]
    adds_up: dict[str, int]
    bias: str
    variance: str
    at: Callable[[RoundTable], Parts]
    corrected: Callable[[RoundTable], Parts] | None
    reference: str

    def part(self, name: str) -> LossPart:
        """A part by its name."""
        return next(part for part in self.parts if part.name == name)


def modal(shares: Array) -> Array:
    """The class of the largest share of each row as 1 among 0; 1/k at each of k that are tied but for rounding.

    >>> modal(np.array([[2, 1, 0], [1, 1, 0]])).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
    """
    is_top = shares * 0 + are_greatest(shares)
    top_shares: Array = is_top / is_top.sum(-1, keepdims=True)
    return top_shares


def domingos(p: Array, q: Array, main: Array, best: Array) -> Parts:
    """The parts of 0–1 loss by Domingos (2000), of shares of votes p and a distribution of the truth q.

    With y* the best class (`best`, by which N = P(t ≠ y*)) and m the main prediction: B = [m ≠ y*], V = P(y ≠ m), and
    E[L] = c₁N + B + c₂V, where c₁ = P(y = y*) − P(y ≠ y*) P(y = t | y ≠ y*, t ≠ y*), and c₂ = 1 where m = y*, else
    −P(y = y* | y ≠ m). So variance adds to the loss at unbiased rows and takes from it at biased ones.
    """
    noise = difference(1, (best * q).sum(-1))
    agreeing = (p * q).sum(-1)
    of_best = (best * p).sum(-1)
    unbiased = (main * best * (1 - p)).sum(-1)
    biased = (best * p * (1 - main)).sum(-1)
    return {
        "loss": 1 - agreeing,
        "noise": noise,
        "net_noise": noise * of_best - (agreeing - (best * p * q).sum(-1)),
        "bias": 1 - (main * best).sum(-1),
        "variance": 1 - (main * p).sum(-1),
        "unbiased_variance": unbiased,
        "biased_variance": biased,
        "net_variance": unbiased - biased,
    }


def kohavi_wolpert(p: Array, q: Array) -> Parts:
    """The parts of 0–1 loss by Kohavi and Wolpert (1996): σ² = ½(1 − Σq²), bias² = ½Σ(p − q)², variance ½(1 − Σp²)."""
    return {
        "loss": 1 - (p * q).sum(-1),
        "noise": difference(1, (q * q).sum(-1)) / 2,
        "bias": ((p - q) ** 2).sum(-1) / 2,
        "variance": (1 - (p * p).sum(-1)) / 2,
    }


def squared(mean: Array, mean_square: Array, q: Array) -> Parts:
    """The parts of the squared error of probabilities: Σq(1 − q) + Σ(mean − q)² + (mean of Σp² − Σmean²), over classes.

    Of two classes both errors are the same, and one is counted: the Brier score. Of several it is their sum.
    """
    scale = 2 if q.shape[-1] == 2 else 1
    squared_mean = (mean * mean).sum(-1)
    return {
        "loss": (mean_square - 2 * (mean * q).sum(-1) + 1) / scale,
        "noise": difference(1, (q * q).sum(-1)) / scale,
        "bias": (rounded_difference(mean, q) ** 2).sum(-1) / scale,
        "variance": difference(mean_square, squared_mean) / scale,
    }


def bregman(mean_log: Array, q: Array) -> Parts:
    """The parts of log-loss by Heskes (1998), with the normalised geometric mean g of the rounds' probabilities.

    E[−log p_t] = H(q) + KL(q ‖ g) + E KL(g ‖ p): the entropy of the truth, and the Bregman divergences of log-loss.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        top = mean_log.max(-1, keepdims=True)
        spread = np.exp(mean_log - top).sum(-1)
        lack = np.where(np.isneginf(top[..., 0]), np.inf, np.maximum(-(top[..., 0] + np.log(spread)), 0.0))
        lack = settled(lack, 1 - top[..., 0])  # probabilities of sum 1 are rounded beside 1
        loss = -np.where(q > 0, q * mean_log, 0.0).sum(-1)
        noise = -np.where(q > 0, q * np.log(np.where(q > 0, q, 1.0)), 0.0).sum(-1)
        bias = np.where(np.isfinite(loss), difference(loss, lack + noise), np.inf)
    return {
        "loss": loss,
        "noise": np.broadcast_to(noise, loss.shape),
        "bias": bias,
        "variance": lack,
    }


# --- of tables


def _shares(table: RoundTable) -> Array:
    shares: Array = table.votes / table.n[..., None]
    return shares


def _domingos(table: RoundTable) -> Parts:
    return domingos(_shares(table), table.truth, modal(table.votes), modal(table.truth))


def _domingos_corrected(table: RoundTable) -> Parts:
    """The mean of the plain parts and of those by main predictions of the other rounds.

    The main prediction is the one that the rounds at hand favour, so that variance comes out too small by about
    f/(4T), for T rounds and the density f of rows at which two classes get equal votes. If each round is held
    against the main prediction of the others, it is too large by as much. Both add up to the loss, and so does their
    mean. They differ only where one vote decides.
    """
    plain = _domingos(table)
    two = np.partition(table.votes, -2, -1)[..., -2:]
    is_close = two[..., 1] - two[..., 0] <= 1
    if not is_close.any():
        return plain
    votes = table.votes[is_close]
    best = np.broadcast_to(modal(table.truth), table.votes.shape)[is_close]
    others = _of_the_others(votes, best)
    corrected = {name: term.copy() for name, term in plain.items() if name in others}
    for name, term in corrected.items():
        term[is_close] = (term[is_close] + others[name]) / 2
    return plain | corrected


def _of_the_others(votes: Array, best: Array) -> Parts:
    """The parts by main predictions of all rounds but the one that is looked at."""
    n = votes.sum(-1)
    names = ("bias", "variance", "unbiased_variance", "biased_variance")
    terms = {name: np.zeros(n.shape) for name in names}
    for code in range(votes.shape[-1]):
        share = votes[..., code] / n
        one = np.arange(votes.shape[-1]) == code
        main = modal(votes - one)
        terms["bias"] += share * (1 - (main * best).sum(-1))
        terms["variance"] += share * (1 - main[..., code])
        terms["unbiased_variance"] += share * (main * best * ~one).sum(-1)
        terms["biased_variance"] += share * best[..., code] * (1 - main[..., code])
    return terms | {"net_variance": terms["unbiased_variance"] - terms["biased_variance"]}


def _kohavi_wolpert(table: RoundTable) -> Parts:
    return kohavi_wolpert(_shares(table), table.truth)


def _kohavi_wolpert_corrected(table: RoundTable) -> Parts:
    """Without bias at any number of rounds T: the variance times T / (T − 1), and what that adds taken from bias²."""
    return _unbiased(_kohavi_wolpert(table), table.n)


def _unbiased(terms: Parts, rounds: Array) -> Parts:
    others = np.where(rounds > 1, rounds - 1.0, np.nan)  # one round alone shows no variance
    more = terms["variance"] / others
    return terms | {"bias": terms["bias"] - more, "variance": terms["variance"] + more}


def _squared(table: RoundTable) -> Parts:
    assert table.sums is not None
    assert table.squares is not None
    return squared(table.sums / table.n[..., None], table.squares / table.n, table.truth)


def _squared_corrected(table: RoundTable) -> Parts:
    """Without bias at any number of rounds, as for Kohavi and Wolpert."""
    return _unbiased(_squared(table), table.n)


def _bregman(table: RoundTable) -> Parts:
    assert table.logs is not None
    return bregman(table.logs / table.n[..., None], table.truth)


ERROR = LossPart("loss", "loss", "expected 0–1 loss: the error rate", scale="share")
DOMINGOS = Scheme(
    "domingos",
    "Domingos",
    "0-1",
    (
        ERROR,
        LossPart("noise", "noise", "Bayes-optimal (irreducible) error", scale="share"),
        LossPart("net_noise", "net noise", "contribution of noise to the loss", 1.0, -1.0, "signed"),
        LossPart("bias", "bias", "cases with an incorrect main prediction", scale="share"),
        LossPart("variance", "variance", "predictions that differ from the main prediction", scale="share"),
        LossPart(
            "unbiased_variance",
            "unbiased variance",
            "variance of cases without bias: increases the loss",
            scale="share",
        ),
        LossPart(
            "biased_variance",
            "biased variance",
            "share of rounds with the correct class at biased cases: reduces the loss",
            scale="share",
        ),
        LossPart("net_variance", "net variance", "unbiased minus biased variance", 1.0, -1.0, "signed"),
    ),
    {"net_noise": 1, "bias": 1, "unbiased_variance": 1, "biased_variance": -1},
    "bias",
    "net_variance",
    _domingos,
    _domingos_corrected,
    "Domingos 2000, ICML 231",
)
KOHAVI_WOLPERT = Scheme(
    "kohavi-wolpert",
    "Kohavi & Wolpert",
    "0-1",
    (
        ERROR,
        LossPart("noise", "noise", "σ², half of 1 − Σq² (irreducible error)", 0.5),
        LossPart("bias", "squared bias", "half the squared distance of votes from true labels"),
        LossPart("variance", "variance", "half of 1 − Σp² of the votes", 0.5),
    ),
    {"noise": 1, "bias": 1, "variance": 1},
    "bias",
    "variance",
    _kohavi_wolpert,
    _kohavi_wolpert_corrected,
    "Kohavi & Wolpert 1996, ICML 275",
)
SQUARED = Scheme(
    "squared",
    "squared loss",
    "squared",
    (
        LossPart("loss", "loss", "expected squared error of the probabilities", 2.0),
        LossPart("noise", "noise", "Bayes-optimal (irreducible) loss"),
        LossPart("bias", "squared bias", "squared error of the mean probability", 2.0),
        LossPart("variance", "variance", "variance of the probabilities between rounds"),
    ),
    {"noise": 1, "bias": 1, "variance": 1},
    "bias",
    "variance",
    _squared,
    _squared_corrected,
    "Geman, Bienenstock & Doursat 1992, Neural Computation 4:1",
)
BREGMAN = Scheme(
    "bregman",
    "log-loss",
    "log-loss",
    (
        LossPart("loss", "loss", "expected log-loss", float("inf")),
        LossPart("noise", "noise", "entropy of the true labels", float("inf")),
        LossPart("bias", "bias", "divergence of the true labels from the geometric mean", float("inf")),
        LossPart(
            "variance",
            "variance",
            "mean divergence of the geometric mean from the rounds",
            float("inf"),
        ),
    ),
    {"noise": 1, "bias": 1, "variance": 1},
    "bias",
    "variance",
    _bregman,
    None,
    "Heskes 1998, Neural Computation 10:1425",
)
DECOMPOSITIONS = {scheme.name: scheme for scheme in (DOMINGOS, KOHAVI_WOLPERT, SQUARED, BREGMAN)}
"""All that are known, the first of each loss its default."""


def of_loss(loss: str) -> tuple[Scheme, ...]:
    """The decompositions of a loss, the default first.

    >>> [scheme.name for scheme in of_loss("0-1")]
    ['domingos', 'kohavi-wolpert']
    """
    return tuple(scheme for scheme in DECOMPOSITIONS.values() if scheme.loss == loss)
