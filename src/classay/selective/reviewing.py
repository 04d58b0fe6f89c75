"""Review with a price: two thresholds, between which a human decides, at the least cost (Chow 1970)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import inf, isinf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.decision.costs import Costs
from classay.decision.cut_costs import ScoredClasses, expected_cost_of_cuts, least_ends, sums_up_to
from classay.decision.cut_points import halfway
from classay.errors import InputError
from classay.inference.estimate import Estimate, format_estimate, number
from classay.inference.phrasing import percent
from classay.kinds import shown
from classay.shown import Reportable
from classay.tables.sums import equal_cases
from classay.texts import hint
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.tables import ScoreTable

Array = NDArray[Any]
CALLS = ("predicted negative", "reviewed", "predicted positive")
REVIEWED = 1
FEW_CASES = 60
FEW_LEVELS = 10
"""Cases and distinct scores below which the interval may miss, as simulated (docs/evidence/reviews.md)."""
SOURCES = ("Chow 1970, IEEE Transactions on Information Theory 16:41", "Efron 1983, JASA 78:316")


@dataclass(frozen=True, eq=False)
class Review(Reportable):
    """Two thresholds, between which cases are reviewed, at the least cost.

    Attributes
    ----------
    labels : (label, label)
        Negative and positive class.
    costs : Costs
        What errors cost.
    review : float
        What a review costs.
    low, high : float
        Cases below `low` are predicted negative, those from `high` on positive, all others are reviewed.
    counts : array
        Cases (or weight), `[predicted negative, reviewed, predicted positive][negative, positive]`.
    cost : float
        Mean cost per case on these cases, which is optimistic.
    without : float
        The same of the best single threshold, without reviews.
    expected : Estimate
        Expected cost per case on new cases (out-of-bag).
    levels : int
        Number of distinct scores.
    number : float
        Number of cases. With sampling weights, their effective number.
    level : float
        Confidence level of the interval.
    seed : int
        Start of all random numbers.
    model : str
        Name of the scores.
    """

    labels: tuple[Hashable, Hashable]
    costs: Costs
    review: float
    low: float
    high: float
    counts: Array
    cost: float
    without: float
    expected: Estimate
    levels: int
    number: float
    level: float = 0.95
    seed: int = 0
    model: str = ""

    @property
    def total(self) -> float:
        """Number of cases, or sum of weights."""
        return float(self.counts.sum())

    @property
    def share(self) -> float:
        """Share of the cases that are reviewed."""
        return float(self.counts[REVIEWED].sum()) / self.total

    @property
    def saving(self) -> float:
        """What reviews save per case on these cases, over one threshold."""
        return self.without - self.cost

    @property
    def range(self) -> str:
        """Scores of the cases that are reviewed, in words."""
        if isinf(self.low):
            return "of any value" if isinf(self.high) else f"below {number(self.high)}"
        return f"from {number(self.low)} {'on' if isinf(self.high) else f'to below {number(self.high)}'}"

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Facts about the cases and costs, as names with texts."""
        priced = ", ".join(f"{name}={value:g}" for name, value in prices(self.costs, self.review))
        return (
            ("cases", f"{self.total:,.6g}"),
            ("costs", priced),
            ("confidence level", f"{100 * self.level:g}%"),
            ("seed", str(self.seed)),
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to review and what that costs, in sentences."""
        if not self.share:
            at = f"The threshold is {number(self.high)}"
            if isinf(self.high):
                at = f"{'All cases are' if self.high < 0 else 'No case is'} predicted positive"
            first = f"Reviews lower the cost for no case. {at}."
        else:
            share = percent(self.share, int(self.total))
            first = f"Review cases with scores {self.range}: {share} of the cases."
        here = (
            f"On these cases, the cost is {number(self.cost)} per case, and that of the best threshold without reviews "
            f"{number(self.without)} (both optimistic)."
        )
        if self.expected.is_undefined:
            return (
                first,
                f"The expected cost on new cases cannot be estimated: {self.expected.reason}.",
                here,
            )
        return first, f"The expected cost on new cases is {format_estimate(self.expected)} per case.", here

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        if self.number >= FEW_CASES or self.levels > FEW_LEVELS:
            return ()
        return (
            Warned(
                "note",
                f"There are {self.number:,.6g} cases with {self.levels} distinct scores. The interval of the expected "
                "cost may miss the true cost in 1 of 10 samples.",
            ),
        )

    def decisions(self, y_score: Any) -> list[Hashable | None]:
        """Return the label of every score, None for cases to review.

        Examples
        --------
        >>> from classay import assess
        >>> a = assess([0, 0, 1, 0, 1, 1] * 20, [0.1, 0.2, 0.4, 0.5, 0.8, 0.9] * 20)
        >>> a.threshold(cost={"fp": 5, "fn": 50, "review": 1}).decisions([0.1, 0.45, 0.9])
        [0, None, 1]
        """
        codes = np.searchsorted(
            np.array([self.low, self.high]), np.asarray(y_score, np.float64), side="right"
        )
        names = (self.labels[0], None, self.labels[1])
        return [names[code] for code in codes.tolist()]

    def __repr__(self) -> str:
        return (
            f"Review(low={self.low:.4g}, high={self.high:.4g}, share {self.share:.3f}: "
            f"expected cost {self.expected!r})"
        )


def prices(costs: Costs, review: float) -> list[tuple[str, float]]:
    """Return the costs that are not zero by name, and that of a review."""
    named: dict[str, Any] = {"fp": costs.fp, "fn": costs.fn, "tp": costs.tp, "tn": costs.tn}
    return [*((name, float(cost)) for name, cost in named.items() if cost), ("review", review)]


def dearest_guess(table: Array) -> float:
    """Return the most that the cheaper of two calls costs, whatever the probability; `table` is `[call, true]`.

    >>> round(dearest_guess(np.array([[0.0, 50.0], [5.0, 0.0]])), 6) == round(50 * 5 / (50 + 5), 6)
    True
    """
    (tn, fn), (fp, tp) = table.tolist()
    at = [0.0, 1.0]
    if (slopes := fn - tn - tp + fp) and 0 < (p := (fp - tn) / slopes) < 1:
        at.append(p)
    return float(max(min((1 - p) * tn + p * fn, (1 - p) * fp + p * tp) for p in at))


def refuse_review(review: float, table: Array) -> None:
    """Refuse a price at which nothing, or everything, would be reviewed. Raises InputError."""
    most, least = dearest_guess(table), float(min(table[0, 0], table[1, 1]))
    if not review < most:
        raise InputError(
            f"At {hint('review', '--cost review')}={review:g} nothing would be reviewed, because a decision without "
            f"review costs at most {most:g} on average. Use a lower price, or remove it."
        )
    if not review > least:
        raise InputError(
            f"At {hint('review', '--cost review')}={review:g} everything would be reviewed, because a correct decision "
            f"costs {least:g}. Use a higher price."
        )


def numbers_of(cost: Mapping[str, float | str]) -> tuple[Costs, float]:
    """Return costs of decisions and of a review. Raises InputError unless they are numbers."""
    costs_by_name = dict(cost)
    review = costs_by_name.pop("review")
    costs = Costs.of(costs_by_name)
    for name, value in (*costs_by_name.items(), ("review", review)):
        if isinstance(value, bool | str) or not np.isfinite(value):
            raise InputError(
                f"With a price of reviews, all costs are numbers, but {name} is {shown(value)}. Use a number, such as "
                "the mean of a column of amounts."
            )
    return costs, float(review)


def of_assessment(a: Assessment, cost: Mapping[str, float | str], beside: Iterable[Any] = ()) -> Review:
    """Return the two thresholds of an assessment. Raises InputError for clusters, amounts and what else is asked."""
    if any(other is not None for other in beside):
        raise InputError("With a price of reviews, cost= cannot be combined. Remove the other arguments.")
    costs, review = numbers_of(cost)
    table = a.scored_cases.table
    refuse_review(review, costs.array(table.labels)[..., 0])
    if a.clusters is not None:
        raise InputError(
            "Reviews with clusters are not supported, because the interval of the cost would be too narrow. Use one "
            f"row for each cluster, or remove {hint('the price of reviews', '--cost review=')}."
        )
    return of_table(table, costs, review, a.level, a.seed, a.model)


def of_table(
    table: ScoreTable, costs: Costs, review: float, level: float = 0.95, seed: int = 0, model: str = ""
) -> Review:
    """Return the two thresholds of least cost on a table of scores, and their expected cost."""
    prices_of_calls = costs.array(table.labels)[..., 0]
    weight = np.stack([table.negatives, np.zeros(table.scores.size), table.positives])[:, ::-1].astype(
        np.float64
    )
    squares = weight
    if table.is_weighted:
        assert table.negative_squares is not None
        assert table.positive_squares is not None
        squares = np.stack([table.negative_squares, np.zeros(table.scores.size), table.positive_squares])[
            :, ::-1
        ]
    score = table.scores[::-1].astype(np.float64)
    cases = ScoredClasses(weight, squares, score, score, table.is_weighted)
    (tn, fn), (fp, tp) = prices_of_calls.tolist()
    priced = Costs.from_array([[tn, review, fn], [review] * 3, [fp, review, tp]], (0, 1, 2), rows="predicted")
    coefficients = priced.array((0, 1, 2))[..., 0]
    sums = sums_up_to(weight)
    ends, least = least_ends(coefficients @ sums)
    _, alone = least_ends(coefficients[[0, 2]] @ sums)
    between = np.concatenate([[-inf], halfway(score[:-1], score[1:]), [inf]])
    low, high = map(float, between[ends])
    counts = np.add.reduceat(np.pad(weight, ((0, 0), (0, 1))), np.array([0, *ends]), axis=1)
    counts[:, np.array([0, *ends]) == np.array([*ends, score.size])] = 0
    total = float(weight.sum())
    return Review(
        (table.labels[0], table.labels[1]),
        costs,
        review,
        low,
        high,
        counts[[0, 2]].T,
        float(least) / total,
        float(alone) / total,
        expected_cost_of_cuts(cases, ends, priced, (0, 1, 2), level, seed),
        int(score.size),
        float(equal_cases(weight.sum(), squares.sum())),
        level,
        seed,
        model,
    )
