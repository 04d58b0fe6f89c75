"""Equivalence and non-inferiority of two learners over folds, by a margin fixed beforehand."""

from __future__ import annotations

from dataclasses import replace

from classay.comparison.comparison import Comparison
from classay.comparison.folds.differences import FoldDifferences
from classay.comparison.folds.t_tests import corrected_t
from classay.comparison.references import cite
from classay.errors import InputError
from classay.inference.words import direction


def non_inferiority(folds: FoldDifferences, margin: float, *, level: float = 0.95) -> Comparison:
    """Whether the first is worse by less than a margin fixed beforehand: one-sided corrected resampled t.

    p is for "worse by the margin or more"; where more is better, the interval's low end is above -margin exactly
    when p is under (1 - level) / 2. Of a loss, such as log_loss, less is better; of a measure that is not known,
    more. Raises InputError unless the margin is positive.
    """
    _positive(margin)
    found = corrected_t(folds, level=level)
    turn = direction(folds.measure) or 1
    p = _one_sided(folds, -margin) if turn > 0 else _one_sided_above(folds, margin)
    return replace(
        found,
        p=p,
        statistic=None,
        rule="non-inferior",
        margin=margin,
        better=turn,
        method=f"corrected resampled t, one-sided at {(1 - level) / 2:.3g}: non-inferior by a margin of {margin:g}",
    )


def equivalence(folds: FoldDifferences, margin: float, *, level: float = 0.95) -> Comparison:
    """Whether the learners differ by less than a margin fixed beforehand: two one-sided tests (TOST).

    p is the larger of the two one-sided p-values; the interval is that of 2 · level - 1 (0.90 for 0.95), which lies
    inside ± margin exactly when p is under 1 - level. Raises InputError unless the margin is positive. Schuirmann
    1987, J. Pharmacokin. Biopharm. 15:657, with the corrected standard error.
    """
    _positive(margin)
    found = corrected_t(folds, level=2 * level - 1)
    p = max(_one_sided(folds, -margin), _one_sided_above(folds, margin))
    return replace(
        found,
        p=p,
        statistic=None,
        rule="equivalent",
        margin=margin,
        better=direction(folds.measure) or 1,
        reference=cite("nadeau2003", "schuirmann1987"),
        method=f"corrected resampled t, two one-sided tests at {1 - level:.3g}: equivalent within {margin:g}",
    )


def _one_sided(folds: FoldDifferences, at: float) -> float:
    """p of "the mean difference is at most `at`"."""
    from scipy.special import stdtr

    if folds.constant:  # no spread is no evidence, not even of equality
        return float("nan")
    se, df = folds.corrected_error
    return float(stdtr(df, (at - folds.mean) / se))


def _one_sided_above(folds: FoldDifferences, at: float) -> float:
    """p of "the mean difference is at least `at`"."""
    mirrored = replace(folds, values=-folds.values)
    return _one_sided(mirrored, -at)


def _positive(margin: float) -> None:
    if not 0 < margin < float("inf"):
        raise InputError(f"margin is {margin!r}: pass a positive number, fixed before looking at the data.")
