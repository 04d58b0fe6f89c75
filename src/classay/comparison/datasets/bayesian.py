"""Models over data sets, Bayesian: how probable it is that one is better, equal in practice, or worse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import Comparison
from classay.comparison.datasets.results import PAIRS, Results
from classay.comparison.practical_odds import PracticalOdds
from classay.comparison.references import cite
from classay.comparison.registry import DATA_SETS, test
from classay.errors import InputError
from classay.inference.draws import stream
from classay.inference.estimate import Estimate

Array = NDArray[Any]
RANDOM = "data sets"
DRAWS = 20_000


def bayesian_signed_rank(
    results: Results, first: str, second: str, rope: float, *, level: float = 0.95, seed: int = 0
) -> PracticalOdds:
    """The Bayesian signed-rank test: which of better, equal in practice, worse is most probable on a new data set.

    Weights of the data sets are drawn from a Dirichlet process whose prior weighs half a data set and lies in the
    rope; each draw asks which share of the pairs (i, j) has a mean difference above, within and below ± `rope`. The
    probabilities returned are those that each share is the largest. The effect is the posterior mean of the
    weighted mean difference. Benavoli, Corani, Demšar & Zaffalon 2017, JMLR 18(77).
    """
    if not rope >= 0:
        raise InputError(f"rope is {rope!r}: pass the difference that is equal in practice, such as 0.01.")
    differences, turned = _in_one_order(results.differences(first, second))
    z = np.concatenate([[0.0], differences])
    means = (z[:, None] + z[None, :]) / 2
    above, below = (means > rope).astype(float), (means < -rope).astype(float)
    alpha = np.concatenate([[0.5], np.ones(differences.size)])
    weights = stream(seed, "bayesian_signed_rank").dirichlet(alpha, DRAWS)
    shares = np.empty((DRAWS, 3))
    shares[:, 0] = ((weights @ above) * weights).sum(1)
    shares[:, 2] = ((weights @ below) * weights).sum(1)
    shares[:, 1] = 1 - shares[:, 0] - shares[:, 2]
    most = shares >= shares.max(1, keepdims=True) - 1e-12
    odds = (most / most.sum(1, keepdims=True)).mean(0)
    centre = weights[:, 1:] @ differences
    if turned == 0:
        odds, centre = (odds + odds[::-1]) / 2, np.concatenate([centre, -centre])
    elif turned < 0:
        odds, centre = odds[::-1], -centre
    tail = (1 - level) / 2
    low, high = float(np.quantile(centre, tail)), -float(np.quantile(-centre, tail))
    value = float(centre.mean()) if turned else 0.0
    effect = Estimate(value, low, high, level, "posterior of the mean difference")
    return PracticalOdds(
        (first, second),
        results.measure,
        effect,
        float(rope),
        float(odds[0]),
        float(odds[1]),
        float(odds[2]),
        f"Bayesian signed-rank, {DRAWS:,} draws",
        RANDOM,
        cite("benavoli2017"),
    )


@test("bayesian", "Bayesian signed-rank", where=DATA_SETS, of=PAIRS, references=("benavoli2017",))
def practical(
    results: Results, first: str, second: str, *, rope: float, level: float = 0.95, seed: int = 0
) -> Comparison:
    """The same as a `Comparison`."""
    odds = bayesian_signed_rank(results, first, second, rope, level=level, seed=seed)
    return odds.comparison(len(results.datasets), "data sets", results.better)


def _in_one_order(differences: Array) -> tuple[Array, int]:
    """Differences in an order of their own, and of one sign: -1 where they were turned, 0 where that changes nothing.

    So draws depend neither on the order of the data sets nor on which model comes first.
    """
    here, turned = np.sort(differences), np.sort(-differences)
    unlike = np.flatnonzero(here != turned)
    if not unlike.size:
        return here, 0
    return (here, 1) if here[unlike[0]] < turned[unlike[0]] else (turned, -1)
