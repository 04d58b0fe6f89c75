"""Learners over the same folds as `Comparisons`: the tests by their names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from classay.comparison.comparison import Comparison
from classay.comparison.folds import bayesian, five_by_two, sign_flip  # noqa: F401 - they register their tests
from classay.comparison.folds.differences import FoldDifferences
from classay.comparison.folds.margins import equivalence, non_inferiority
from classay.comparison.folds.t_tests import corrected_t
from classay.comparison.gate import by_rule
from classay.comparison.power import cases_needed
from classay.comparison.registry import FOLDS, named
from classay.comparison.rules import Rule, interval_level
from classay.inference.words import direction


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
    """Compare two learners over folds by a registered test; `values` are their own.

    With a `rule`, by the corrected resampled t and its interval.
    """
    if rule is not None:
        found = _by_rule(folds, rule, margin, level)
    else:
        found = named(FOLDS, method)(folds, rope=rope, level=level, seed=seed)
    needed = _needed(folds, level) if method == "corrected-t" and rule is None else None
    return replace(found, values=values, needed=needed)


def _by_rule(folds: FoldDifferences, rule: Rule, margin: float | None, level: float) -> Comparison:
    if rule == "non-inferior" and margin is not None:
        return non_inferiority(folds, margin, level=level)
    if rule == "equivalent" and margin is not None:
        return equivalence(folds, margin, level=level)
    found = corrected_t(folds, level=interval_level(rule, level))
    return by_rule(replace(found, better=direction(folds.measure) or 1), rule, margin)


def _needed(folds: FoldDifferences, level: float) -> float | None:
    """Folds' worth of cases, if the spread shrinks with their number."""
    se: Any = folds.corrected_error[0]
    return cases_needed(folds.values.size, folds.mean, se, level) if se > 0 else None
