"""Comparisons that may be looked at after every case: e-processes and confidence sequences.

Evidence is an e-value: under the null hypothesis its expectation is at most 1 at any time, stopped by any rule, so
that reaching 1/α has probability at most α (Ville's inequality). min(1, 1 / the greatest e-value so far) is a p-value
at any time. The price is power: a test of a fixed number of cases needs fewer. Do not switch between the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.cases.case_values import VALUES_OF_CASES
from classay.comparison.cases.difference import undefined
from classay.comparison.comparison import TEST_CASES, Comparison, Criterion, SignificanceTest, UnitsTested
from classay.comparison.named_tests import ONE_TEST_SET, cite, test
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.proportions import falling_root
from classay.kinds import checked

Array = NDArray[Any]
GRID = 200
"""Means that are tried for a confidence sequence of bounded values: its limits are rounded outwards to them."""


@dataclass(frozen=True, eq=False)
class Sequential:
    """The evidence after each case, and the p-value at any time, `(cases,)` each.

    `e` are e-values: how many times a stake against the null hypothesis has grown. `p` falls only.
    """

    e: Array
    p: Array
    method: str
    reference: str

    @property
    def rejected_at(self) -> int | None:
        """After how many cases the null hypothesis is first rejected at 5%, counted from 1; None if not yet."""
        return self.when(0.05)

    def when(self, alpha: float) -> int | None:
        """After how many cases it is first rejected at α, counted from 1; None if not yet."""
        crossings = np.flatnonzero(self.p <= alpha)
        return int(crossings[0]) + 1 if crossings.size else None


@test(
    "sequential",
    "e-process",
    where=ONE_TEST_SET,
    of=VALUES_OF_CASES,
    references=("robbins1970", "waudbysmith2024"),
)
def compare_in_order(
    first: Array,
    second: Array,
    models: tuple[str, str],
    *,
    measure: str,
    level: float = 0.95,
    width: float = 1.0,
    units: str = "cases",
) -> Comparison:
    """Compare two models by values of the same cases, `(cases,)` each, in the order in which the cases came.

    p and interval hold at all times at once, so that one may look after every case and stop when one likes: McNemar's
    e-process where the values are right or wrong, a betting e-process for other bounded values; the interval is the
    confidence sequence of the mean difference, which only narrows. `width` is the range of the values, `units` names
    the cases. A log-loss has no bound, and so no such test.

    >>> right, wrong = np.ones(12), np.zeros(12)
    >>> test = compare_in_order(right, wrong, ("new", "old"), measure="accuracy")
    >>> test.method, round(test.p, 4)
    ('McNemar e-process', 0.0015)
    """
    values = (float(first.mean()), float(second.mean())) if first.size else (float("nan"), float("nan"))
    if not first.size or not np.isfinite(width):
        why = "there are no cases" if not first.size else "its values have no bound"
        return undefined(models, measure, why, values)
    binary = all(np.isin(hits, (0, 1)).all() for hits in (first, second))
    differences = first - second
    sequence = sequential_mcnemar(first, second) if binary else sequential_losses(differences, greatest=width)
    low, high = (float(limits[-1]) for limits in mean_sequence(differences, level, greatest=width))
    mean = float(differences.mean())
    # the evidence speaks for whom it spoke for when it was greatest: later cases may turn the difference
    side = int(np.sign(differences[: int(np.argmax(sequence.e)) + 1].sum())) if sequence.p[-1] < 1 else 0
    effect = Estimate(mean, low, high, level, "confidence sequence")
    note = "both hold at every sample size, and the p-value is the smallest so far"
    if low <= high and not low <= mean <= high:
        note += "; the limits are the tightest so far and exclude the difference of all cases"
    if np.isnan(low):
        effect = Estimate.bare(mean, "the cases contradict every constant mean")
    return Comparison(
        models,
        measure,
        effect,
        float(sequence.p[-1]),
        sequence.method,
        TEST_CASES,
        values=values,
        test=SignificanceTest(
            reference=cite(*(("robbins1970",) if binary else ()), "waudbysmith2024"),
            note=note,
            side=side,
        ),
        sample=UnitsTested(n=first.size, units=units),
        criterion=Criterion(level=level),
    )


def log_e_mcnemar(first: Any, second: Any, prior: float = 0.5) -> Any:
    """Logarithm of the e-value of McNemar's null hypothesis after so many discordant cases of each kind.

    E = B(b + a, c + a) / B(a, a) · 2^(b + c): the likelihood of a Beta(a, a) mixture over that of a fair toss.
    `prior` is a: 1/2 (Jeffreys) by default, 1 for the uniform one. Robbins 1970.

    >>> print(np.exp(log_e_mcnemar(1, 7)).round(6))
    3.351562
    """
    from scipy.special import betaln

    b, c = np.asarray(first, float), np.asarray(second, float)
    return betaln(b + prior, c + prior) - betaln(prior, prior) + (b + c) * np.log(2)


@checked
def sequential_mcnemar(first_right: ArrayLike, second_right: ArrayLike, *, prior: float = 0.5) -> Sequential:
    """Run McNemar's test after every case, in the order of the cases.

    Parameters
    ----------
    first_right, second_right : array-like
        Whether each classifier is correct, `(cases,)` of booleans.
    prior : float, default 0.5
        Parameter of the beta prior, 1/2 (Jeffreys) or 1 (uniform).

    Returns
    -------
    Sequential
        The p-value after every case.

    Notes
    -----
    Concordant cases change nothing. The ordinary test after every case rejects a true null hypothesis in
    24% of runs of 50 discordant cases and in 48% of runs of 1,000. This test rejects it in at most 5% of
    runs of any length.

    Examples
    --------
    >>> right, wrong = np.ones(18, bool), np.zeros(18, bool)
    >>> test = sequential_mcnemar(np.append(right, [False, False]), np.append(wrong, [True, True]))
    >>> test.rejected_at
    7
    """
    a, b = np.asarray(first_right, bool), np.asarray(second_right, bool)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(
            f"The classifiers have {a.shape} and {b.shape} cases. Use one value per case for both."
        )
    e = np.exp(np.minimum(log_e_mcnemar(np.cumsum(a & ~b), np.cumsum(b & ~a), prior), 700))
    return _sequential(e, "McNemar e-process", "Robbins 1970, Annals of Mathematical Statistics 41:1397")


def proportion_sequence(
    successes: Any, cases: Any, level: float = 0.95, prior: float = 0.5
) -> tuple[Any, Any]:
    """Compute the confidence sequence of a proportion.

    Its limits are jointly valid at all times.

    Parameters
    ----------
    successes, cases : int or array-like
        Counts so far, of one shape.
    level : float, default 0.95
        Confidence level of the sequence, between 0 and 1.
    prior : float, default 0.5
        Parameter a of the beta prior, 1/2 (Jeffreys) or 1 (uniform).

    Returns
    -------
    tuple of (float or array)
        Lower and upper limits.

    Notes
    -----
    {p: ln[B(a + s, a + f) / B(a, a)] - s ln p - f ln(1 - p) <= ln(1 / α)} with a the prior, s successes and
    f failures.

    References
    ----------
    Robbins 1970, Annals of Mathematical Statistics 41:1397.

    Examples
    --------
    >>> low, high = proportion_sequence(75, 100)
    >>> print(round(low, 6), round(high, 6))
    0.591545 0.872865
    """
    from scipy.special import betaln, xlog1py, xlogy

    s, n = np.asarray(successes, float), np.asarray(cases, float)
    f = n - s
    mixed = betaln(prior + s, prior + f) - betaln(prior, prior)
    bound = -np.log1p(-level)
    middle = np.where(n > 0, s / np.where(n > 0, n, 1), 0.5)

    def evidence(p: Any) -> Any:
        return mixed - xlogy(s, p) - xlog1py(f, -p)

    low = falling_root(evidence, bound, np.zeros_like(middle), middle)
    high = falling_root(lambda p: -evidence(p), -bound, middle, np.ones_like(middle))
    return np.where(s == 0, 0.0, low)[()], np.where(f == 0, 1.0, high)[()]


def betting_e(differences: ArrayLike, stakes: ArrayLike) -> Array:
    """Return the e-value after each difference in [-1, 1] whose mean is 0 under the null hypothesis: Π (1 + λ d).

    Each stake λ in (-1, 1) must have been chosen before its difference was seen. Waudby-Smith & Ramdas 2024.

    >>> print(betting_e([0.2, -0.1, 0.3, 0, 0.25], 0.5)[-1])
    1.35196875
    """
    d, stake = np.asarray(differences, float), np.asarray(stakes, float)
    if d.size and np.abs(d).max() > 1:
        raise InputError(
            f"Differences must be in [-1, 1], but one is {d[np.abs(d).argmax()]:g}. Scale them first."
        )
    if stake.size and np.abs(stake).max() >= 1:
        raise InputError("A stake of 1 or more may lose everything. Use stakes between -1 and 1.")
    return np.asarray(np.cumprod(1 + stake * d))


def sequential_losses(differences: ArrayLike, *, greatest: float = 1.0) -> Sequential:
    """Test after every case whether the mean of bounded loss differences is 0.

    Parameters
    ----------
    differences : array-like
        Losses of the first model minus those of the second, `(cases,)`.
    greatest : float, default 1.0
        Largest possible absolute difference.

    Returns
    -------
    Sequential
        The p-value after every case.

    Notes
    -----
    Half the stake bets that the losses of the first model are larger, half that those of the second are.
    The bets are predictable plug-in bets of the empirical Bernstein kind.

    References
    ----------
    Waudby-Smith & Ramdas 2024, JRSS B 86:1.

    Examples
    --------
    >>> test = sequential_losses(np.tile([0.3, 0.1], 60))
    >>> test.p[-1] < 0.001
    np.True_
    """
    d = np.asarray(differences, float) / greatest
    stakes = _stakes(d)
    e = (betting_e(d, stakes) + betting_e(d, -stakes)) / 2
    return _sequential(e, "betting e-process", "Waudby-Smith & Ramdas 2024, JRSS B 86:1")


def mean_sequence(
    differences: ArrayLike, level: float = 0.95, *, greatest: float = 1.0
) -> tuple[Array, Array]:
    """Compute the confidence sequence of the mean of bounded differences.

    Parameters
    ----------
    differences : array-like
        Differences, `(cases,)`.
    level : float, default 0.95
        Confidence level of the sequence, between 0 and 1.
    greatest : float, default 1.0
        Largest possible absolute difference.

    Returns
    -------
    tuple of (array, array)
        Lower and upper limits after every case, `(cases,)` each.

    Notes
    -----
    The hedged capital process keeps, after every case, the means against which neither half of the stake
    has grown to 1/α. The limits only narrow. They are NaN where every mean is excluded, which has at most
    the probability α if the mean stays the same.

    References
    ----------
    Waudby-Smith & Ramdas 2024, JRSS B 86:1.

    Examples
    --------
    >>> low, high = mean_sequence(np.tile([0.3, 0.1], 200))
    >>> bool(0 < low[-1] < 0.2 < high[-1] < 0.4)
    True
    """
    d = (np.asarray(differences, float) / greatest + 1) / 2  # on [0, 1]
    if d.size and (d.min() < 0 or d.max() > 1):
        raise InputError(
            "A difference is outside ±greatest. Set greatest to the largest possible difference."
        )
    means = (np.arange(GRID) + 0.5) / GRID
    stakes = _stakes(2 * d - 1, 1 - level) * 2
    left = np.array([_outgrown(d, stakes, mean, -np.log1p(-level)) for mean in means])
    # The half of the stake on more leaves the means from the low end up, as it grows the faster the lower the mean is,
    # and the other half those from the high end down. The limit is the last mean that is out: nothing was shown of
    # those between it and the first that is not. Where all are out the limits are two neighbours.
    t = np.arange(d.size)
    ordered = (np.maximum.accumulate(left[:, 0]), np.maximum.accumulate(left[::-1, 1]))
    below, above = (np.searchsorted(values, t, side="right") for values in ordered)
    ends = [np.maximum(counts - 0.5, 0.0) / GRID for counts in (below, above)]
    low, high = np.where(below + above > GRID, np.nan, [ends[0], 1 - ends[1]])
    return (2 * low - 1) * greatest, (2 * high - 1) * greatest


def _outgrown(d: Array, stakes: Array, mean: float, bound: float) -> tuple[int, int]:
    """After which case, from 0, each half of the stake (above a mean and below it) has outgrown a bound."""
    up = np.cumsum(np.log1p(np.minimum(stakes, 0.5 / mean) * (d - mean)))
    down = np.cumsum(np.log1p(-np.minimum(stakes, 0.5 / (1 - mean)) * (d - mean)))
    grown = [half + np.log(0.5) >= bound for half in (up, down)]
    first, second = (int(is_grown.argmax()) if is_grown.any() else d.size for is_grown in grown)
    return first, second


def _stakes(d: Array, alpha: float = 0.05) -> Array:
    """Bets on differences in [-1, 1], each from those before it: sqrt(2 ln(2/α) / (σ² t ln(1 + t))), at most 1/2."""
    t = np.arange(1, d.size + 1)
    mean = np.cumsum(d) / (t + 1)
    squares = (0.25 + np.cumsum((d - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], squares[:-1]])
    return np.asarray(np.minimum(np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log1p(t))), 0.5))


def _sequential(e: Array, method: str, reference: str) -> Sequential:
    greatest = np.maximum.accumulate(np.maximum(e, 1.0)) if e.size else e
    return Sequential(e, np.asarray(1 / greatest) if e.size else e, method, reference)
