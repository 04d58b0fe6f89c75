"""Two learners over data sets and their folds, Bayesian: one model of all, in which the data sets lend each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import Comparison
from classay.comparison.folds.differences import FoldDifferences
from classay.comparison.practical_odds import PracticalOdds
from classay.comparison.references import cite
from classay.comparison.registry import DATA_SETS, Of, test
from classay.errors import InputError
from classay.inference.draws import stream
from classay.inference.estimate import Estimate

Array = NDArray[Any]
FOLDS_OF_DATA_SETS = Of[Sequence[FoldDifferences], Comparison]("folds of data sets")
"""What this test is of."""
CHAINS, WARMING, KEPT = 100, 500, 200
WIDEST = 1000.0
"""Times the spread of the data sets' means that the spread of their true differences may have."""
FEWEST = 3
"""Data sets from which flat priors leave a posterior."""
DEGREES = np.exp(np.linspace(np.log(2.0), np.log(200.0), 60))
"""Degrees of freedom of the data sets that are tried."""


@test(
    "hierarchical",
    "Bayesian hierarchical",
    where=DATA_SETS,
    of=FOLDS_OF_DATA_SETS,
    references=("corani2017",),
)
def hierarchical(
    folds: Sequence[FoldDifferences],
    *,
    rope: float,
    better: int = 1,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """The Bayesian hierarchical test: which of better, equal in practice, worse is most probable on a new data set.

    Differences of the n folds of data set i are normal around δ_i with variance σ_i² and correlation ρ = n_test / n;
    δ_i is Student's t around δ_0 with scale σ_0 and ν degrees of freedom. σ_i is flat and integrated out, which leaves
    x̄_i a t of n - 2 degrees of freedom around δ_i; δ_0 is flat, and so is σ_0 up to 1000 standard deviations of the
    means; ν is Gamma(α, β) with α flat in (0.5, 5) and β in (0.05, 0.15). Gibbs sampling by mixtures of normals, 20,000
    draws.

    Each draw has the chances that a new δ is above, within and below ± `rope`; the probabilities returned are those
    that each is the largest. The effect is the posterior of δ_0. Raises InputError for fewer than three data sets, or
    than three folds of one. Corani, Benavoli, Demšar, Mangili & Zaffalon 2017, Machine Learning 106:1817.
    """
    if not rope >= 0:
        raise InputError(f"rope is {rope!r}: pass the difference that is equal in practice, such as 0.01.")
    if len(folds) < FEWEST:
        raise InputError(
            f"the hierarchical test needs {FEWEST} data sets or more, and there are {len(folds)}."
        )
    means, scales, df = (np.array(each) for each in zip(*map(_of_one, folds), strict=True))
    order, turn = _in_one_order(means, scales, df)
    centre, spread, nu = sampled(turn * means[order], scales[order], df[order], seed)
    centre = turn * centre
    odds = _most_probable(centre, spread, nu, rope)
    tail = (1 - level) / 2
    low, high = (float(each) for each in np.quantile(centre, (tail, 1 - tail)))
    effect = Estimate(float(centre.mean()), low, high, level, "posterior of the mean over data sets")
    made = PracticalOdds(
        folds[0].models,
        folds[0].measure,
        effect,
        float(rope),
        *odds,
        f"Bayesian hierarchical, {centre.size:,} draws",
        "data sets",
        cite("corani2017"),
    )
    return made.comparison(len(folds), "data sets", better)


def _of_one(folds: FoldDifferences) -> tuple[float, float, float]:
    """Mean, scale and degrees of freedom of the t that the folds of one data set leave of its true difference.

    With σ flat, ∫ σ^-n exp(-Q / 2σ²) dσ is Q^(-(n-1)/2), Q = S / (1 - ρ) + n (x̄ - δ)² / (1 + (n - 1) ρ).
    """
    x = np.asarray(folds.values, float).ravel()
    n, rho = x.size, folds.test_over_train / (1 + folds.test_over_train)
    if n < 3:
        raise InputError(f"the hierarchical test needs three folds of each data set, and one has {n}.")
    within = float(((x - x.mean()) ** 2).sum()) / (1 - rho)
    scale = np.sqrt(within * (1 + (n - 1) * rho) / (n * (n - 2)))
    return float(x.mean()), float(scale), float(n - 2)


def _in_one_order(means: Array, scales: Array, df: Array) -> tuple[Array, int]:
    """An order of the data sets, and a sign, that neither theirs nor that of the models decides."""
    orders = [np.lexsort((df, scales, sign * means)) for sign in (1, -1)]
    here, turned = means[orders[0]], -means[orders[1]]
    unlike = np.flatnonzero(here != turned)
    first = not unlike.size or here[unlike[0]] < turned[unlike[0]]
    return (orders[0], 1) if first else (orders[1], -1)


def sampled(means: Array, scales: Array, df: Array, seed: int = 0) -> tuple[Array, Array, Array]:
    """Draws of δ_0, σ_0 and ν, `(draws,)` each: chains of Gibbs steps, all side by side."""
    rng = stream(seed, "hierarchical")
    q = means.size
    size = float(means.std(ddof=1)) or float(scales.max()) or 1.0
    least = np.maximum(scales, 1e-6 * size)  # folds without spread: known but for a rest
    own = np.tile(means, (CHAINS, 1))
    centre, spread = np.full(CHAINS, means.mean()), np.full(CHAINS, size)
    nu, prior = np.full(CHAINS, 10.0), _log_prior()
    kept: list[tuple[Array, Array, Array]] = []
    for step in range(WARMING + KEPT):
        apart = ((own - centre[:, None]) / spread[:, None]) ** 2
        heavy = rng.gamma((nu[:, None] + 1) / 2, 2 / (nu[:, None] + apart))  # of the data sets' t
        noisy = rng.gamma((df + 1) / 2, 2 / (df + ((means - own) / least) ** 2))  # of the folds' t
        above, below = heavy / spread[:, None] ** 2, noisy / least**2
        own = (above * centre[:, None] + below * means) / (above + below)
        own = own + rng.standard_normal(own.shape) / np.sqrt(above + below)
        total = heavy.sum(1)
        centre = (heavy * own).sum(1) / total + rng.standard_normal(CHAINS) * spread / np.sqrt(total)
        squares = (heavy * (own - centre[:, None]) ** 2).sum(1)
        # σ flat: 1/σ² is Gamma((q - 1)/2, squares/2)
        spread = np.sqrt(squares / (2 * rng.gamma((q - 1) / 2, 1.0, CHAINS)))
        spread = np.clip(spread, 1e-9 * size, WIDEST * size)
        nu = _degrees(rng, heavy, prior)
        if step >= WARMING:
            kept.append((centre, spread, nu))
    return tuple(np.concatenate(each) for each in zip(*kept, strict=True))  # type: ignore[return-value]


def _log_prior() -> Array:
    """Of ν at `DEGREES`, which are even on the log scale: Gamma(α, β), α and β flat, by the rule of midpoints."""
    from scipy.special import gammaln

    a, b = np.meshgrid(np.linspace(0.5, 5, 46), np.linspace(0.05, 0.15, 21))
    log = a * np.log(b) - gammaln(a) + (a - 1) * np.log(DEGREES)[:, None, None] - b * DEGREES[:, None, None]
    return np.asarray(np.log(np.exp(log).mean((1, 2))) + np.log(DEGREES))


def _degrees(rng: np.random.Generator, heavy: Array, prior: Array) -> Array:
    """ν given the weights, each Gamma(ν/2, ν/2), drawn from `DEGREES`."""
    from scipy.special import gammaln

    half, q = DEGREES / 2, heavy.shape[1]
    sums = (np.log(heavy) - heavy).sum(1)[:, None]
    log = prior + q * (half * np.log(half) - gammaln(half)) + half * sums
    p = np.exp(log - log.max(1, keepdims=True)).cumsum(1)
    at = (p < rng.random((heavy.shape[0], 1)) * p[:, -1:]).sum(1)
    return np.asarray(DEGREES[np.minimum(at, DEGREES.size - 1)])


def _most_probable(centre: Array, spread: Array, nu: Array, rope: float) -> tuple[float, float, float]:
    """How often above, within and below ± rope is the most probable of a new data set's difference."""
    from scipy.special import stdtr

    above, below = stdtr(nu, (centre - rope) / spread), stdtr(nu, (-rope - centre) / spread)
    shares = np.stack([above, 1 - above - below, below], 1)
    most = shares >= shares.max(1, keepdims=True) - 1e-12
    first, equal, second = (most / most.sum(1, keepdims=True)).mean(0).tolist()
    return first, equal, second
