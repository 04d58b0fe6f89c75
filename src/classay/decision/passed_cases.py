"""The thresholds that the cases between them and the chosen one do not reject as best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.decision.cuts import Groups, SumTable
from classay.decision.rules import value_of
from classay.tables.sums import equal_cases

if TYPE_CHECKING:
    from classay.decision.choosing import Chosen

Array = NDArray[Any]
SMALL = 1e-3
"""Of one case: the step by which the derivative of a measure is taken."""


def not_rejected(
    chosen: Chosen, groups: Groups, sums: SumTable, cut: int, level: float
) -> tuple[float, float] | None:
    """The lowest and the highest threshold that a one-sided binomial test at `1 - level` does not reject as best.

    At the best threshold of the population the share of positives is r, the share at which calling a case positive
    neither gains nor loses: the cost of a false positive over that of both errors, or what follows from the
    derivative of a measure. If a higher threshold is best, cases between it and the chosen one are positive with
    probability r at most; if a lower one, negative with probability 1 - r at most. From the chosen threshold outwards,
    the range ends where the cases passed reject this: P(Bin(n, r) >= x) = I_r(x, n - x + 1) <= 1 - level. With
    sampling weights n is the effective number of cases. Resamples choose among the scores that they hold, so that
    their percentiles are too narrow where few cases lie near the best threshold.

    None with amounts, clusters, conditions or a capacity, or where nobody or everybody is called.
    """
    share = _share_of_indifference(chosen, sums, cut)
    if share is None:
        return None
    table, at = chosen.cases.table, int(np.searchsorted(groups.starts, cut))
    positives, negatives = (groups.sums(class_sums[0]) for class_sums in (sums.positive, sums.negative))
    squares = None
    if table.positive_squares is not None and table.negative_squares is not None:
        squares = groups.sums(table.positive_squares + table.negative_squares)
    total = positives + negatives

    def groups_passed(wrong: Array, order: slice, probability: float) -> int:
        """Return how many groups are passed in this order before those passed reject."""
        return _passed(
            wrong[order], total[order], None if squares is None else squares[order], probability, 1 - level
        )

    above = slice(at - 1, None, -1) if at else slice(0, 0)
    up = groups_passed(positives, above, share)
    down = groups_passed(negatives, slice(at, None), 1 - share)
    last = groups.lowest.size - 1
    return float(groups.lowest[min(at + down, last)]), float(groups.lowest[max(at - 1 - up, 0)])


def _passed(wrong: Array, total: Array, squares: Array | None, probability: float, error: float) -> int:
    """Return how many groups are passed until P(Bin(n, probability) >= x) of all passed is at most the error."""
    from scipy.special import betainc

    x, n = np.cumsum(wrong), np.cumsum(total)
    if squares is not None:
        effective = equal_cases(n, np.cumsum(squares))
        x, n = x / n * effective, effective
    p = np.where(x > 0, betainc(np.maximum(x, 1e-300), n - x + 1, probability), 1.0)
    rejected = np.flatnonzero(p <= error)
    return int(rejected[0]) if rejected.size else wrong.size


def _share_of_indifference(chosen: Chosen, sums: SumTable, cut: int) -> float | None:
    """Return the share of positives at which a case may as well be called positive as not; None where there is none."""
    rule, table = chosen.rule, chosen.cases.table
    is_constrained = rule.conditions or rule.top is not None
    if chosen.cases.rows is not None or is_constrained or not 0 < cut < table.scores.size:
        return None
    if rule.cost is not None:
        cost = chosen.cost_at(None, sums)
        if cost[..., 1:].any():
            return None
        loss, gain = cost[1, 0, 0] - cost[0, 0, 0], cost[0, 1, 0] - cost[1, 1, 0]
    else:
        assert rule.measure is not None
        tp, fp, fn, tn = (float(counts_of_class[cut]) for counts_of_class in chosen.cuts(sums).counts)
        step = SMALL * chosen.per_case
        moved = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]) * step
        counts = tp + moved[:, 0], fp + moved[:, 1], fn - moved[:, 0], tn - moved[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            value = rule.sign * np.asarray(value_of(rule.measure, counts), np.float64)
            of_negative, of_positive = sums.factors(chosen.prevalence)
            gain, loss = of_positive * (value[1] - value[2]), of_negative * (value[4] - value[3])
    if not np.isfinite([gain, loss]).all():
        return None
    return float(loss / (loss + gain)) if gain > 0 and loss > 0 else None
