"""5×2 cross-validation: Dietterich's t and Alpaydin's F."""

from __future__ import annotations

import numpy as np

from classay.comparison.comparison import Comparison
from classay.comparison.folds.differences import OF_FIVE_BY_TWO, FoldDifferences, result, undecided
from classay.comparison.references import cite
from classay.comparison.registry import FOLDS, test
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.tables.running import is_rounding


@test("5x2cv-t", "5×2cv t", where=FOLDS, of=OF_FIVE_BY_TWO, references=("dietterich1998",))
def five_by_two_t(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """Dietterich's 5×2cv t: the first difference over the pooled spread within replications, 5 degrees of freedom.

    `folds.values` has shape `(5, 2)`. It depends on which difference comes first: prefer `five_by_two_f`. The side of a
    finding is that of this first difference, and where the mean of all ten lies on the other side nothing is claimed.
    Dietterich 1998, Neural Computation 10:1895.
    """
    spread = _five_by_two(folds)
    if isinstance(spread, str):
        return undecided(folds, spread, "5×2cv t", cite("dietterich1998"), level)
    from scipy.special import stdtr

    t = float(folds.values[0, 0] / np.sqrt(spread / 5))
    effect = Estimate.bare(folds.mean, "the 5×2cv t has no interval for the mean difference")
    p = float(2 * stdtr(5, -abs(t)))
    side = int(np.sign(folds.values[0, 0]))
    return result(folds, effect, p, "5×2cv t", cite("dietterich1998"), t, level=level, side=side)


@test("5x2cv-f", "5×2cv F", where=FOLDS, of=OF_FIVE_BY_TWO, references=("alpaydin1999",))
def five_by_two_f(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """Alpaydin's combined 5×2cv F: all ten squared differences over twice the pooled spread, F(10, 5).

    `folds.values` has shape `(5, 2)`. Trains on half the data; its size is not guaranteed (0.04 to 0.14 measured at a
    nominal 0.05). The sum of squares has no sign: a better learner is named only where the mean differences of all five
    replications have one sign. Alpaydin 1999, Neural Computation 11:1885.

    >>> from classay.comparison.folds.differences import fold_differences
    >>> d = np.array([[0.03, 0.01], [0.02, 0.04], [0.05, 0.02], [0.01, 0.03], [0.02, 0]])
    >>> five_by_two_f(fold_differences(d, np.zeros((5, 2)), test_over_train=1)).p.__round__(4)
    0.1243
    """
    spread = _five_by_two(folds)
    if isinstance(spread, str):
        return undecided(folds, spread, "5×2cv F", cite("alpaydin1999"), level)
    from scipy.special import fdtrc

    f = float((folds.values**2).sum() / (2 * spread))
    effect = Estimate.bare(folds.mean, "the 5×2cv F has no interval for the mean difference")
    signs = {int(sign) for sign in np.sign(folds.values.mean(1))}
    side = signs.pop() if len(signs) == 1 else 0
    note = "" if side else "the replications do not agree on it"
    p = float(fdtrc(10, 5, f))
    return result(folds, effect, p, "5×2cv F", cite("alpaydin1999"), f, level=level, side=side, note=note)


def _five_by_two(folds: FoldDifferences) -> float | str:
    """The sum over replications of the spread within each; or why there is no test."""
    if folds.values.shape != (5, 2):
        raise InputError(
            f"fold values have shape {folds.values.shape}: 5×2 cross-validation has (5, 2), replications by folds."
        )
    within = folds.values - folds.values.mean(1, keepdims=True)
    spread = float((within**2).sum())
    constant = is_rounding(np.abs(within).max(), folds.largest)
    return spread if not constant else "the two folds of every replication agree, which shows no spread"
