"""Student's t over the same resamples of two learners; `corrected_t` is the default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from classay.comparison.comparison import Comparison
from classay.comparison.family import adjusted
from classay.comparison.folds.differences import (
    NO_SPREAD,
    OF_FOLDS,
    FoldDifferences,
    fold_differences,
    result,
    undecided,
)
from classay.comparison.references import cite
from classay.comparison.registry import FOLDS, test
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.folds.resampled import CORRECTED

NAIVE = (
    "paired t over folds (naive: at a nominal 0.05 its measured size is 0.05 to 0.14 for one 10-fold run, "
    "0.49 to 0.64 for repeated ones)"
)


@test("corrected-t", CORRECTED, where=FOLDS, of=OF_FOLDS, references=("nadeau2003",))
def corrected_t(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """The corrected resampled t: t = d̄ / sqrt((1/J + n_test/n_train) s²), J - 1 degrees of freedom, or wider.

    The default. Where folds are repeated, how far the repeats differ shows how unstable the learners are, and widens it
    (`inference.resampled.corrected_mean`): sizes of 0.02 to 0.06 at a nominal 0.05 under 10×10, where Nadeau and
    Bengio's own (`nadeau_bengio_t`) has 0.03 to 0.11. One 10-fold run does not show it (0.01 to 0.04). No
    p-value when all folds
    show the same difference, unless it is 0: identical learners have p = 1. Nadeau & Bengio 2003, Machine Learning
    52:239; Bouckaert & Frank 2004, PAKDD.

    >>> a = [0.82, 0.79, 0.85, 0.80, 0.81, 0.78, 0.84, 0.83, 0.80, 0.79]
    >>> b = [0.80, 0.78, 0.81, 0.80, 0.79, 0.79, 0.80, 0.80, 0.78, 0.78]
    >>> corrected_t(fold_differences(a, b, test_over_train=1 / 9, measure="accuracy"))
    Comparison(accuracy of first less second: 0.018 [0.001, 0.035] 95 %, corrected resampled t; p = 0.039, ...)
    """
    se, df = folds.corrected_error
    return _t_test(folds, se, df, level, CORRECTED, cite("nadeau2003"))


@test("nadeau-bengio-t", "Nadeau-Bengio corrected t", where=FOLDS, of=OF_FOLDS, references=("nadeau2003",))
def nadeau_bengio_t(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """Nadeau and Bengio's corrected resampled t as they have it, whether folds are repeated or not.

    Narrower than `corrected_t` under repeated folds, and too narrow for unstable learners: a size of 0.11 for nearest
    neighbours under 10×10 at a nominal 0.05. Nadeau & Bengio 2003, Machine Learning 52:239.

    >>> folds = fold_differences([0.8, 0.9, 0.7], [0.7, 0.9, 0.6], test_over_train=1 / 2)
    >>> nadeau_bengio_t(folds).p == corrected_t(folds).p
    True
    """
    se, df = folds.in_one_run.corrected_error
    return _t_test(folds, se, df, level, "Nadeau-Bengio corrected t", cite("nadeau2003"))


@test("paired-t", "paired t over folds", where=FOLDS, of=OF_FOLDS, references=("dietterich1998",))
def paired_t(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """The textbook's paired t over folds, t = d̄ / sqrt(s²/J): it takes overlapping training sets for independent.

    Offered for comparison with published work only: its name says its measured size. Dietterich 1998, Neural
    Computation 10:1895, shows why.
    """
    values = folds.values.ravel()
    se = float(values.std(ddof=1) / np.sqrt(values.size))
    return _t_test(folds, se, values.size - 1, level, NAIVE, cite("dietterich1998"))


def pairwise(
    values: Mapping[str, ArrayLike],
    *,
    test_over_train: float,
    measure: str = "value",
    test: Callable[..., Comparison] = corrected_t,
    adjustment: str = "holm",
    level: float = 0.95,
) -> list[Comparison]:
    """Every pair of learners over the same folds by one test, their p-values adjusted as one family.

    >>> pairwise({"a": [0.8, 0.9, 0.7], "b": [0.7, 0.9, 0.6], "c": [0.7, 0.8, 0.6]}, test_over_train=0.5)[1].models
    ('a', 'c')
    """
    if len(values) < 2:
        raise InputError(f"there are {len(values)} learners: pass the fold values of two or more.")
    made = [
        fold_differences(
            values[a], values[b], test_over_train=test_over_train, models=(a, b), measure=measure
        )
        for a, b in combinations(values, 2)
    ]
    return adjusted([test(each, level=level) for each in made], adjustment)


def _t_test(
    folds: FoldDifferences, se: float, df: float, level: float, method: str, reference: str
) -> Comparison:
    from scipy.special import stdtr, stdtrit

    if folds.constant:
        return _without_spread(folds, level, method, reference)
    t, half = folds.mean / se, float(stdtrit(df, 0.5 + level / 2)) * se
    effect = Estimate(folds.mean, folds.mean - half, folds.mean + half, level, method.partition(" (")[0])
    return result(folds, effect, float(2 * stdtr(df, -abs(t))), method, reference, float(t), df, level=level)


def _without_spread(folds: FoldDifferences, level: float, method: str, reference: str) -> Comparison:
    """Identical learners have p = 1, others that never vary no p; neither shows a spread to make an interval of."""
    return undecided(folds, NO_SPREAD, method, reference, level)
