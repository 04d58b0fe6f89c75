"""Several classes: the decision of least expected cost from probabilities, and when to ask a human instead."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels, match_label
from classay.columns.numbers import improper_rows, score_array
from classay.decision.costs import Costs
from classay.decision.expected_cost import ExpectedCost, expected_cost
from classay.decision.moments import Moments
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate
from classay.inference.proportions.binomial import wilson
from classay.kinds import checked
from classay.tables import ConfusionMatrix

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LeastCost:
    """The decision for each case: the class of least expected cost, or None where a human is asked.

    `codes` are places in `labels`, -1 where a human is asked, `(cases,)`; `expected` the cost that the probabilities
    promise for each. `cost` is what the decisions did cost, of the cases that were decided, `per_case` of all cases
    with the price of asking; both None without the truth. `asked` is the share of cases that a human is asked for.
    """

    labels: tuple[Hashable, ...]
    codes: Array
    expected: Array
    asked: Estimate
    cost: ExpectedCost | None = None
    per_case: Estimate | None = None

    @property
    def decisions(self) -> list[Hashable | None]:
        """The label decided for each case, None where a human is asked."""
        return [None if code < 0 else self.labels[code] for code in self.codes.tolist()]


@checked
def least_cost(
    probabilities: Any,
    costs: Costs | Mapping[str, Any],
    labels: Sequence[Hashable],
    *,
    y_true: Any = None,
    asking: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> LeastCost:
    """Decide each case for the class of least expected cost, sum over true classes of probability times cost.

    Costs of two classes, `Costs(fp=1, fn=5)`, are of labels in the order negative, positive.

    `probabilities` are `(cases, classes)` in the order of `labels`; of equal costs the first label is decided. With the
    cost of `asking` a human, who is right, a case whose least expected cost is above it is left to one (Chow 1970, IEEE
    Transactions on Information Theory 16:41). The probabilities are taken at their word. Raises InputError where rows
    are no probabilities, or costs are amounts.

    >>> costs = Costs.from_array([[0, 1], [5, 0]], ["good", "bad"], rows="true")
    >>> least_cost([[0.9, 0.1], [0.7, 0.3], [0.5, 0.5]], costs, ["good", "bad"]).decisions
    ['good', 'bad', 'bad']
    >>> least_cost([[0.9, 0.1], [0.7, 0.3], [0.5, 0.5]], costs, ["good", "bad"], asking=0.6).decisions
    ['good', None, 'bad']
    """
    p = score_array(probabilities).astype(np.float64)
    kept, costs, seed = tuple(labels), Costs.of(costs), seed_of(seed)
    if len({*kept}) < len(kept):
        raise InputError(f"the labels {kept} name one twice: name each once.")
    if p.ndim != 2 or p.shape[1] != len(kept):
        raise InputError(
            f"the probabilities have shape {p.shape}: pass a column for each of {len(kept)} labels."
        )
    if improper_rows(p).any():
        raise InputError(
            "some rows are no probabilities that sum to 1: calibrate them, or divide by their sum."
        )
    coefficients = costs.array(kept)[..., 0]
    each = p @ coefficients.T
    codes = each.argmin(1)
    expected = each.min(1)
    left = np.zeros(codes.size, bool)
    if asking is not None:
        left = expected > asking
        codes, expected = np.where(left, -1, codes), np.where(left, asking, expected)
    n = codes.size
    low, high = wilson(int(left.sum()), n, level)
    asked = Estimate(float(left.mean()), float(low), float(high), level, "Wilson")
    if asking is None:
        asked = Estimate.bare(0.0, "nobody is asked")
    made = LeastCost(kept, codes, expected, asked)
    return made if y_true is None else _judged(made, costs, coefficients, y_true, asking, level, seed)


def _judged(
    made: LeastCost,
    costs: Costs,
    coefficients: Array,
    y_true: Any,
    asking: float | None,
    level: float,
    seed: int,
) -> LeastCost:
    """With what the decisions did cost."""
    from classay.inference.sampling_units import student_quantile

    coded = code_labels(y_true, "truth")
    if coded.codes.size != made.codes.size:
        raise InputError(f"truth has {coded.codes.size} rows, the probabilities have {made.codes.size}.")
    if coded.missing:
        raise InputError(f"truth is missing in {coded.missing} rows: leave them out.")
    place = np.array([made.labels.index(match_label(label, made.labels)) for label in coded.labels])
    true = place[coded.codes]
    decided = made.codes >= 0
    paid = np.where(decided, coefficients[made.codes, true], asking or 0.0)
    n = paid.size
    cost = None
    if decided.any():
        matrix = ConfusionMatrix.from_codes(made.codes[decided], true[decided], made.labels)
        cost = expected_cost(
            Moments.of(matrix), costs, made.labels, (), cases=float(decided.sum()), level=level, seed=seed
        )
    if cost is not None and decided.all():
        return replace(made, cost=cost, per_case=cost.per_case)
    value = float(paid.mean())
    se = float(paid.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0
    if not se:
        return replace(
            made, cost=cost, per_case=Estimate.bare(value, "the cases at hand show no spread of it")
        )
    half = student_quantile(level, n - 1) * se
    return replace(
        made, cost=cost, per_case=Estimate(value, value - half, value + half, level, "Student's t")
    )
