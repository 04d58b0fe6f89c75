"""Tests of two learners over the same folds: corrected t, 5×2, sign flips, Bayesian, and margins fixed beforehand.

What is random is the training set, and the target is the expected difference of learners trained on sets of the size of
the folds' training sets. Training sets of one data set overlap; no test of them is exact for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.cases.difference import tails_of_flips
from classay.comparison.comparison import (
    Comparison,
    Criterion,
    PairedByHand,
    PairedRule,
    PracticalOdds,
    SignificanceTest,
    UnitsTested,
)
from classay.comparison.gate_rules import interval_level
from classay.comparison.named_tests import CORRECTED, FOLDS, ComparedInput, cite, test
from classay.errors import InputError
from classay.inference.draws import stream
from classay.inference.estimate import Estimate, direction
from classay.kinds import Rule
from classay.resampling.folds import corrected_mean
from classay.resampling.rank_tests import EXACT as EXACT_RANKS
from classay.resampling.rank_tests import p_value, pseudomedian, signed_ranks, tails, too_few
from classay.tables.sums import ROUNDING, is_rounding, rounded_difference

Array = NDArray[Any]
RANDOM = "training sets"
NO_SPREAD = "all folds have the same difference, which shows no variation"


@dataclass(frozen=True, eq=False)
class FoldDifferences:
    """Differences of two learners' values in the same folds, first minus second.

    `values` has shape `(J,)`, or `(repeats, folds)` for repeated folds; `test_over_train` is
    n_test / n_train of a fold, 1 / (K - 1) for K folds. `size` is the greatest of the learners' own values, by which
    the rounding of the differences is judged. `hidden` is the variance of the mean that the folds do not show, because
    each has the classes of the whole (`inference.folds`).
    """

    models: tuple[str, str]
    measure: str
    values: Array
    test_over_train: float
    size: float = 0.0
    hidden: float = 0.0

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(self.values.mean())

    @property
    def identical(self) -> bool:
        """Whether the learners have the same value in every fold."""
        return not self.values.any()

    @property
    def corrected_error(self) -> tuple[float, float]:
        """The corrected standard error of the mean difference, and its degrees of freedom."""
        mean = corrected_mean(self.values, self.test_over_train, self.hidden)
        return mean.se, mean.df

    @property
    def published(self) -> FoldDifferences:
        """The same folds as published methods take them: without their repeats, and as if they showed all."""
        return replace(self, values=self.values.ravel(), hidden=0.0)

    @property
    def constant(self) -> bool:
        """Whether all differences are the same but for rounding, so that they show no spread.

        So do differences so small that their squares are 0.
        """
        return bool(is_rounding(np.ptp(self.values), self.largest)) or not self.corrected_error[0] > 0

    @property
    def largest(self) -> float:
        """The greatest of the differences and the learners' own values, which rounding is judged by."""
        return max(float(np.abs(self.values).max(initial=0.0)), self.size)


OF_FOLDS = ComparedInput[FoldDifferences, Comparison]("folds")
OF_FIVE_BY_TWO = ComparedInput[FoldDifferences, Comparison]("5×2 folds")
"""What tests over folds are of."""


def fold_differences(
    first: ArrayLike,
    second: ArrayLike,
    *,
    test_over_train: float,
    models: tuple[str, str] = ("first", "second"),
    measure: str = "value",
    hidden: float = 0.0,
) -> FoldDifferences:
    """Differences of two learners' values in the same folds, checked.

    Raises InputError for different shapes, fewer than two folds, undefined or infinite values, or a ratio that is not
    positive.

    >>> fold_differences([0.8, 0.9, 0.7], [0.7, 0.9, 0.6], test_over_train=1 / 2).mean.__round__(4)
    0.0667
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape or a.ndim not in (1, 2) or a.size < 2:
        raise InputError(
            f"{models[0]} has fold values of shape {a.shape}, but {models[1]} has shape {b.shape}. Pass the "
            "values of the same folds, at least two."
        )
    missing = int((~np.isfinite(a) | ~np.isfinite(b)).sum())
    if missing:
        raise InputError(
            f"{missing} of {a.size} folds have an undefined or infinite value. Exclude these folds, or use a "
            "finite measure such as the Brier score."
        )
    if not test_over_train > 0:
        raise InputError(
            f"test_over_train must be n_test / n_train, 1 / (K - 1) for K folds, but is {test_over_train!r}."
        )
    size = float(np.maximum(np.abs(a), np.abs(b)).max())
    return FoldDifferences(models, measure, rounded_difference(a, b), float(test_over_train), size, hidden)


class FoldOptions(TypedDict, total=False):
    """What `FoldQuestion` takes, by name."""

    method: str | None
    rule: Rule | None
    margin: float | None
    rope: float | None
    control: str | None
    adjustment: str
    level: float | None
    seed: int


@dataclass(frozen=True)
class FoldQuestion:
    """What is asked of a comparison of learners over folds, with the names and meanings of `compare_learners`."""

    method: str | None = None
    rule: Rule | None = None
    margin: float | None = None
    rope: float | None = None
    control: str | None = None
    adjustment: str = "holm"
    level: float | None = None
    seed: int = 0

    @property
    def at(self) -> float:
        """The level of the claim, 0.95 where none was asked for."""
        return 0.95 if self.level is None else self.level


def result(
    folds: FoldDifferences,
    effect: Estimate,
    p: float,
    method: str,
    test: SignificanceTest,
    *,
    level: float = 0.95,
) -> Comparison:
    """Return what a test of folds found."""
    sample, criterion = UnitsTested(folds.values.size, "folds"), Criterion(level=level)
    return Comparison(
        folds.models,
        folds.measure,
        effect,
        p,
        method,
        RANDOM,
        test=test,
        sample=sample,
        criterion=criterion,
    )


def undecided(
    folds: FoldDifferences, reason: str, method: str, reference: str, level: float = 0.95
) -> Comparison:
    """A test of folds without spread: identical learners have p = 1, all others no p-value, for the reason given."""
    if folds.identical:
        why = "both have the same value in every fold, which shows no variation"
        return result(
            folds, Estimate.bare(0.0, why), 1.0, method, SignificanceTest(reference=reference), level=level
        )
    effect = Estimate.bare(folds.mean, reason)
    return result(
        folds, effect, float("nan"), method, SignificanceTest(reference=reference, reason=reason), level=level
    )


NAIVE = (
    "paired t over folds (naive: at a nominal 0.05 its measured size is 0.05 to 0.14 for one 10-fold run, "
    "0.49 to 0.64 for repeated ones)"
)


@test("corrected-t", CORRECTED, where=FOLDS, of=OF_FOLDS, references=("nadeau2003",))
def corrected_t(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """The corrected resampled t: t = d̄ / sqrt((1/J + n_test/n_train) s²), J - 1 degrees of freedom, or wider.

    The default. Where folds are repeated, how far the repeats differ shows how unstable the learners are, and widens it
    (`inference.folds`): sizes of 0.02 to 0.06 at a nominal 0.05 under 10×10, where Nadeau and
    Bengio's own (`nadeau_bengio_t`) has 0.03 to 0.11. One 10-fold run does not show it (0.01 to 0.04). No
    p-value when all folds
    show the same difference, unless it is 0: identical learners have p = 1. Nadeau & Bengio 2003, Machine Learning
    52:239; Bouckaert & Frank 2004, PAKDD.

    >>> a = [0.82, 0.79, 0.85, 0.80, 0.81, 0.78, 0.84, 0.83, 0.80, 0.79]
    >>> b = [0.80, 0.78, 0.81, 0.80, 0.79, 0.79, 0.80, 0.80, 0.78, 0.78]
    >>> corrected_t(fold_differences(a, b, test_over_train=1 / 9, measure="accuracy"))
    Comparison(accuracy of first minus second: 0.018 [0.001, 0.035] 95%, corrected resampled t ...; p = 0.039, ...)
    """
    se, df = folds.corrected_error
    return _t_test(folds, se, df, level, CORRECTED, cite("nadeau2003"))


@test(
    "nadeau-bengio-t",
    "Nadeau–Bengio corrected t, as published",
    where=FOLDS,
    of=OF_FOLDS,
    references=("nadeau2003",),
)
def nadeau_bengio_t(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """Nadeau and Bengio's corrected resampled t as they have it, whether folds are repeated or not.

    Narrower than `corrected_t` under repeated folds, and too narrow for unstable learners: a size of 0.11 for nearest
    neighbours under 10×10 at a nominal 0.05. Nadeau & Bengio 2003, Machine Learning 52:239.

    >>> folds = fold_differences([0.8, 0.9, 0.7], [0.7, 0.9, 0.6], test_over_train=1 / 2)
    >>> nadeau_bengio_t(folds).p == corrected_t(folds).p
    True
    """
    se, df = folds.published.corrected_error
    return _t_test(folds, se, df, level, "Nadeau–Bengio corrected t, as published", cite("nadeau2003"))


@test("paired-t", "paired t over folds", where=FOLDS, of=OF_FOLDS, references=("dietterich1998",))
def paired_t(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """The textbook's paired t over folds, t = d̄ / sqrt(s²/J), which treats overlapping training sets as independent.

    Offered for comparison with published work only: its name says its measured size. Dietterich 1998, Neural
    Computation 10:1895, shows why.
    """
    values = folds.values.ravel()
    se = float(values.std(ddof=1) / np.sqrt(values.size))
    return _t_test(folds, se, values.size - 1, level, NAIVE, cite("dietterich1998"))


def _t_test(
    folds: FoldDifferences, se: float, df: float, level: float, method: str, reference: str
) -> Comparison:
    from scipy.special import stdtr, stdtrit

    if folds.constant:
        return _without_spread(folds, level, method, reference)
    t, half = folds.mean / se, float(stdtrit(df, 0.5 + level / 2)) * se
    effect = Estimate(folds.mean, folds.mean - half, folds.mean + half, level, method.partition(" (naive")[0])
    return result(
        folds,
        effect,
        float(2 * stdtr(df, -abs(t))),
        method,
        SignificanceTest(float(t), df, reference),
        level=level,
    )


def _without_spread(folds: FoldDifferences, level: float, method: str, reference: str) -> Comparison:
    """Return the comparison without a spread: identical learners have p = 1, others no p; neither has an interval."""
    return undecided(folds, NO_SPREAD, method, reference, level)


NAME = "Bayesian correlated t"
WIDENED = f"{NAME}, widened by the variation that the folds of one run do not show"
PUBLISHED = "Corani-Benavoli correlated t"


@test("bayesian", NAME, where=FOLDS, of=OF_FOLDS, references=("corani2015",))
def practical(folds: FoldDifferences, *, rope: float, level: float = 0.95) -> Comparison:
    """`correlated_t` as a `Comparison`; without a spread of the folds, the reason why there is none."""
    if folds.constant:
        return undecided(folds, NO_SPREAD, NAME, cite("corani2015"), level)
    return correlated_t(folds, rope, level=level).comparison(folds.values.size, "folds")


@test("corani-benavoli", PUBLISHED, where=FOLDS, of=OF_FOLDS, references=("corani2015",))
def as_published(folds: FoldDifferences, *, rope: float, level: float = 0.95) -> Comparison:
    """The posterior as Corani and Benavoli have it, whether folds are repeated or not: see `correlated_t`."""
    if folds.constant:
        return undecided(folds, NO_SPREAD, PUBLISHED, cite("corani2015"), level)
    odds = correlated_t(folds.published, rope, level=level)
    return replace(odds, method=PUBLISHED).comparison(folds.values.size, "folds")


def correlated_t(folds: FoldDifferences, rope: float, *, level: float = 0.95) -> PracticalOdds:
    """Return the Bayesian correlated t: the posterior of the mean difference is t with J - 1 degrees of freedom.

    Its centre is d̄ and its scale sqrt((1/J + ρ/(1 - ρ)) s²), with ρ = n_test / n taken for the correlation of
    folds. Where folds are repeated, how far the repeats differ widens it, as it widens `corrected_t`; that of the paper
    is the method "corani-benavoli". `rope` is the difference that counts as equal in practice, fixed beforehand (0 asks
    for better alone). Raises InputError when it is negative, or when the folds show no spread. Corani & Benavoli 2015,
    Machine Learning 100:285.
    """
    from scipy.special import stdtr, stdtrit

    refuse_negative_rope(rope)
    if folds.constant:
        raise InputError(
            "All folds have the same difference, which shows no variation. A posterior needs different values."
        )
    se, df = folds.corrected_error
    below = float(stdtr(df, (-rope - folds.mean) / se))
    above = float(stdtr(df, (folds.mean - rope) / se))
    half = float(stdtrit(df, 0.5 + level / 2)) * se
    effect = Estimate(folds.mean, folds.mean - half, folds.mean + half, level, "correlated t posterior")
    return PracticalOdds(
        folds.models,
        folds.measure,
        effect,
        float(rope),
        above,
        max(0.0, 1 - above - below) if rope else 0.0,  # but for rounding
        below,
        NAME if (se, df) == folds.published.corrected_error else WIDENED,
        RANDOM,
        cite("corani2015"),
    )


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
    return result(
        folds,
        effect,
        p,
        "5×2cv t",
        SignificanceTest(t, reference=cite("dietterich1998"), side=side),
        level=level,
    )


@test("5x2cv-f", "5×2cv F", where=FOLDS, of=OF_FIVE_BY_TWO, references=("alpaydin1999",))
def five_by_two_f(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """Alpaydin's combined 5×2cv F: all ten squared differences over twice the pooled spread, F(10, 5).

    `folds.values` has shape `(5, 2)`. Trains on half the data; its size is not guaranteed (0.04 to 0.14 measured at a
    nominal 0.05). The sum of squares has no sign: a better learner is named only where the mean differences of all five
    replications have one sign. Alpaydin 1999, Neural Computation 11:1885.

    >>> from classay.resampling.fold_tests import fold_differences
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
    note = "" if side else "the difference varies between the replications"
    p = float(fdtrc(10, 5, f))
    return result(
        folds,
        effect,
        p,
        "5×2cv F",
        SignificanceTest(f, reference=cite("alpaydin1999"), side=side, note=note),
        level=level,
    )


def _five_by_two(folds: FoldDifferences) -> float | str:
    """Return the sum over replications of the spread within each; or why there is no test."""
    if folds.values.shape != (5, 2):
        raise InputError(
            f"Fold values have shape {folds.values.shape}, but 5×2 cross-validation needs (5, 2), "
            "replications by folds."
        )
    within = folds.values - folds.values.mean(1, keepdims=True)
    spread = float((within**2).sum())
    constant = is_rounding(np.abs(within).max(), folds.largest)
    return spread if not constant else "the two folds of every replication agree, which shows no variation"


EXACT_FOLDS = 20
"""Up to so many folds the sign-flip test goes through all 2^J signs."""
FLIPS = 100_000


@test("sign-flip", "sign-flip over folds", where=FOLDS, of=OF_FOLDS, references=("ojala2010",))
def sign_flip(folds: FoldDifferences, *, level: float = 0.95, seed: int = 0) -> Comparison:
    """The sign-flip test of the mean difference: its share among the means of all signs, exact up to 20 folds.

    Beyond that by 100,000 random signs, p = (1 + extreme) / (1 + drawn), never 0. It takes folds for independent,
    as the paired t does, and shares its size. No interval. Fisher 1935; Ojala & Garriga 2010, JMLR 11:1833.
    """
    # neither the order of the folds nor of the learners matters
    values = np.sort(np.abs(folds.values.ravel()))
    total, slack = (
        float(folds.values.sum()),
        1e-12 * float(values.sum()),
    )  # equal sums differ by their rounding
    sums, drawn = np.zeros(1), 0
    if values.size <= EXACT_FOLDS:
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        how = "exact"
    else:
        rng = stream(seed, "sign_flip")
        blocks = (rng.integers(0, 2, (10_000, values.size), np.int8) * 2 - 1 for _ in range(0, FLIPS, 10_000))
        sums, drawn = np.concatenate([signs @ values for signs in blocks]), 1
        how = f"{FLIPS:,} random signs"
    p = float((drawn + (np.abs(sums) >= abs(total) - slack).sum()) / (drawn + sums.size))
    tails = tails_of_flips(sums, total, slack, drawn)
    effect = Estimate.bare(folds.mean, "the sign-flip test has no interval; see the corrected resampled t")
    method = f"sign-flip over folds, {how} (treats folds as independent)"
    return result(
        folds, effect, p, method, SignificanceTest(reference=cite("ojala2010"), tails=tails), level=level
    )


@test("wilcoxon", "Wilcoxon signed-rank over folds", where=FOLDS, of=OF_FOLDS, references=("wilcoxon1945",))
def wilcoxon_of_folds(folds: FoldDifferences, *, level: float = 0.95) -> Comparison:
    """Wilcoxon's signed-rank test of the differences of folds, which it takes for independent; they are not.

    Offered because texts have it: training sets overlap, so that it shares the size of the paired t, and repeated folds
    make it worse. The effect is the Hodges-Lehmann median of the differences; p is exact up to 200 folds, those without
    a difference left out. Wilcoxon 1945, Biometrics Bulletin 1:80; its independent cases are data sets
    (`compare_datasets`).

    >>> a = [0.82, 0.79, 0.85, 0.80, 0.81, 0.78, 0.84, 0.83, 0.80, 0.79]
    >>> b = [0.80, 0.78, 0.81, 0.80, 0.79, 0.79, 0.80, 0.80, 0.78, 0.78]
    >>> wilcoxon_of_folds(fold_differences(a, b, test_over_train=1 / 9, measure="accuracy")).p
    0.015625
    """
    unit = ROUNDING * max(folds.largest, 1e-300)
    values = np.round(folds.values.ravel() / unit) * unit  # ties that rounding broke are ties
    signed = signed_ranks(values)
    n = signed.ranks.size
    how = "exact" if n <= EXACT_RANKS else "normal limit"
    zeros = values.size - n
    return result(
        folds,
        pseudomedian(values, level, "folds"),
        p_value(signed),
        f"Wilcoxon signed-rank over folds, {how} (treats folds as independent)",
        SignificanceTest(
            min(signed.positive, signed.negative),
            reference=cite("wilcoxon1945"),
            side=int(np.sign(signed.positive - signed.negative)),
            tails=tails(signed),
            reason=too_few(n, 1 - level, "folds"),
            note=f"the test excludes {zeros} folds without a difference" if zeros else "",
        ),
        level=level,
    )


TEXTBOOK, PAIRED, OURS = "paired t, SD over K", "paired t", CORRECTED


def by_hand(
    first: ArrayLike, second: ArrayLike, test_over_train: float, level: float = 0.95, hidden: float = 0.0
) -> PairedByHand | None:
    """The steps of the paired t over folds: differences δ, their mean and SD, t, degrees of freedom, critical value.

    By three rules: that of some texts, whose SD divides by K, so that its t = √K δ̄ / σ̂ is √(K / (K - 1)) too large;
    Student's with an SD over K - 1; and the corrected resampled t, which allows for training sets that overlap. None
    where the differences have no spread.

    >>> calculation = by_hand([0.82, 0.84, 0.84, 0.79, 0.82], [0.80, 0.80, 0.80, 0.80, 0.80], 1 / 4)
    >>> [(each.name, round(each.t, 3), each.rejects) for each in calculation.rules]
    [('paired t, SD over K', 2.684, False), ('paired t', 2.4, False), ('corrected resampled t ...', 1.6, False)]
    """
    from scipy.special import stdtr, stdtrit

    folds = fold_differences(first, second, test_over_train=test_over_train, hidden=hidden)
    if folds.constant:
        return None
    values = folds.values.ravel()
    size, sd = values.size, float(values.std(ddof=1))
    se, df = folds.corrected_error
    steps = (
        (TEXTBOOK, float(values.std()), float(values.std() / np.sqrt(size)), float(size - 1)),
        (PAIRED, sd, float(sd / np.sqrt(size)), float(size - 1)),
        (OURS, sd, se, df),
    )
    rules = tuple(
        PairedRule(
            name,
            spread,
            error,
            folds.mean / error,
            free,
            float(stdtrit(free, 0.5 + level / 2)),
            float(2 * stdtr(free, -abs(folds.mean / error))),
        )
        for name, spread, error, free in steps
    )
    one, other = (tuple(np.ravel(fold_values).astype(float).tolist()) for fold_values in (first, second))
    return PairedByHand(one, other, tuple(values.tolist()), folds.mean, level, rules)


def non_inferiority(folds: FoldDifferences, margin: float, *, level: float = 0.95) -> Comparison:
    """Check whether the first is worse by less than a margin fixed beforehand: one-sided corrected resampled t.

    p is for "worse by the margin or more"; where more is better, the interval's low end is above -margin exactly
    when p is under (1 - level) / 2. Of a loss, such as log_loss, less is better; of a measure that is not known,
    more. Raises InputError unless the margin is positive.
    """
    _positive(margin)
    comparison = corrected_t(folds, level=level)
    turn = direction(folds.measure) or 1
    p = _one_sided(folds, -margin) if turn > 0 else _one_sided_above(folds, margin)
    return comparison.changed(
        p=p,
        statistic=None,
        rule="non-inferior",
        margin=margin,
        better=turn,
        method=f"{CORRECTED}, one-sided at {(1 - level) / 2:.3g}: non-inferior by a margin of {margin:g}",
    )


def equivalence(folds: FoldDifferences, margin: float, *, level: float = 0.95) -> Comparison:
    """Check whether the learners differ by less than a margin fixed beforehand: two one-sided tests (TOST).

    p is the larger of the two one-sided p-values; the interval is that of 2 · level - 1 (0.90 for 0.95), which lies
    inside ± margin exactly when p is under 1 - level. Raises InputError unless the margin is positive and the level
    above 0.5. Schuirmann 1987, J. Pharmacokin. Biopharm. 15:657, with the corrected standard error.
    """
    _positive(margin)
    comparison = corrected_t(folds, level=interval_level("equivalent", level))
    p = max(_one_sided(folds, -margin), _one_sided_above(folds, margin))
    return comparison.changed(
        p=p,
        statistic=None,
        rule="equivalent",
        margin=margin,
        better=direction(folds.measure) or 1,
        reference=cite("nadeau2003", "schuirmann1987"),
        method=f"{CORRECTED}, two one-sided tests at {1 - level:.3g}: equivalent within {margin:g}",
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


def refuse_negative_rope(rope: float) -> None:
    """Raises InputError for a difference below 0, and for NaN."""
    if not rope >= 0:
        raise InputError(
            "rope must be the largest difference that is equivalent in practice, such as 0.01, but is "
            f"{rope!r}."
        )


def _positive(margin: float) -> None:
    if not 0 < margin < float("inf"):
        raise InputError(f"margin must be a positive number, set before you see the data, but is {margin!r}.")
