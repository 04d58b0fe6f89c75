"""Learners over the same folds as `Comparisons`: the tests by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from classay.comparison.comparison import Comparison
from classay.comparison.folds.differences import FoldDifferences, undecided
from classay.comparison.folds.five_by_two import five_by_two_f, five_by_two_t
from classay.comparison.folds.margins import equivalence, non_inferiority
from classay.comparison.folds.t_tests import (
    NO_SPREAD,
    corrected_t,
    correlated_t,
    nadeau_bengio_t,
    paired_t,
    sign_flip,
)
from classay.comparison.gate import Rule, by_rule, interval_level
from classay.comparison.power import cases_needed
from classay.comparison.references import cite

METHODS = ("corrected-t", "nadeau-bengio-t", "5x2cv-f", "5x2cv-t", "sign-flip", "paired-t", "bayesian")
STUDENT: Mapping[str, Callable[..., Comparison]] = {
    "corrected-t": corrected_t,
    "nadeau-bengio-t": nadeau_bengio_t,
    "paired-t": paired_t,
}
FIVE_BY_TWO: Mapping[str, Callable[..., Comparison]] = {"5x2cv-f": five_by_two_f, "5x2cv-t": five_by_two_t}


def compare_folds(
    folds: FoldDifferences,
    values: tuple[float, float],
    *,
    method: str,
    rule: Rule | None = None,
    margin: float | None = None,
    rope: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare two learners over folds by a method of `METHODS`; `values` are their own.

    With a `rule`, by the corrected resampled t and its interval.
    """
    if rule is not None:
        found = _by_rule(folds, rule, margin, level)
    elif method == "bayesian":
        assert rope is not None
        if folds.constant:
            return replace(
                undecided(folds, NO_SPREAD, "Bayesian correlated t", cite("corani2015"), level), values=values
            )
        odds = correlated_t(folds, rope, level=level)
        found = odds.comparison(folds.values.size, "folds")
    elif method in FIVE_BY_TWO:
        found = FIVE_BY_TWO[method](folds, level=level)
    elif method == "sign-flip":
        found = sign_flip(folds, level=level, seed=seed)
    else:
        found = STUDENT[method](folds, level=level)
    needed = _needed(folds, level) if method == "corrected-t" and rule is None else None
    return replace(found, values=values, needed=needed)


def _by_rule(folds: FoldDifferences, rule: Rule, margin: float | None, level: float) -> Comparison:
    if rule == "non-inferior" and margin is not None:
        return non_inferiority(folds, margin, level=level)
    if rule == "equivalent" and margin is not None:
        return equivalence(folds, margin, level=level)
    return by_rule(corrected_t(folds, level=interval_level(rule, level)), rule, margin)


def _needed(folds: FoldDifferences, level: float) -> float | None:
    """Folds' worth of cases, were the spread to shrink with their number."""
    se: Any = folds.corrected_error[0]
    return cases_needed(folds.values.size, folds.mean, se, level) if se > 0 else None
