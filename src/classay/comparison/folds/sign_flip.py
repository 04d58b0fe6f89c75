"""Sign flips of the differences of two learners over folds."""

from __future__ import annotations

import numpy as np

from classay.comparison.comparison import Comparison
from classay.comparison.folds.differences import OF_FOLDS, FoldDifferences, result
from classay.comparison.references import cite
from classay.comparison.registry import FOLDS, test
from classay.inference.draws import stream
from classay.inference.estimate import Estimate

EXACT_FOLDS = 20
"""Up to so many folds the sign-flip test goes through all 2^J signs."""
FLIPS = 100_000


@test("sign-flip", "sign-flip over folds", where=FOLDS, of=OF_FOLDS, references=("ojala2010",))
def sign_flip(folds: FoldDifferences, *, level: float = 0.95, seed: int = 0) -> Comparison:
    """The sign-flip test of the mean difference: its share among the means of all signs, exact up to 20 folds.

    Beyond that by 100,000 random signs, p = (1 + extreme) / (1 + drawn), never 0. It takes folds for independent,
    as the paired t does, and shares its size. No interval. Fisher 1935; Ojala & Garriga 2010, JMLR 11:1833.
    """
    values = np.sort(
        np.abs(folds.values.ravel())
    )  # neither the order of the folds nor of the learners matters
    observed = abs(folds.values.sum()) - 1e-12 * values.sum()  # equal sums differ by their rounding
    if values.size <= EXACT_FOLDS:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        p, how = float((np.abs(sums) >= observed).mean()), "exact"
    else:
        rng = stream(seed, "sign_flip")
        extreme = 0
        for _ in range(0, FLIPS, 10_000):
            signs = rng.integers(0, 2, (10_000, values.size), np.int8) * 2 - 1
            extreme += int((np.abs(signs @ values) >= observed).sum())
        p, how = (1 + extreme) / (1 + FLIPS), f"{FLIPS:,} random signs"
    effect = Estimate.bare(folds.mean, "the sign-flip test gives no interval: see the corrected resampled t")
    method = f"sign-flip over folds, {how} (takes folds for independent)"
    return result(folds, effect, p, method, cite("ojala2010"), level=level)
