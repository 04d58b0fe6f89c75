"""Two learners over folds, Bayesian: how probable it is that one is better, equal in practice, or worse."""

from __future__ import annotations

from dataclasses import replace

from classay.comparison.comparison import Comparison
from classay.comparison.folds.differences import NO_SPREAD, OF_FOLDS, RANDOM, FoldDifferences, undecided
from classay.comparison.practical_odds import PracticalOdds
from classay.comparison.references import cite
from classay.comparison.registry import FOLDS, test
from classay.errors import InputError
from classay.inference.estimate import Estimate

NAME = "Bayesian correlated t"
WIDENED = f"{NAME}, widened by how far the repeats differ"
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
    odds = correlated_t(folds.in_one_run, rope, level=level)
    return replace(odds, method=PUBLISHED).comparison(folds.values.size, "folds")


def correlated_t(folds: FoldDifferences, rope: float, *, level: float = 0.95) -> PracticalOdds:
    """The Bayesian correlated t: the posterior of the mean difference is t with J - 1 degrees of freedom.

    Its centre is d̄ and its scale sqrt((1/J + ρ/(1 - ρ)) s²), with ρ = n_test / n taken for the correlation of
    folds. Where folds are repeated, how far the repeats differ widens it, as it widens `corrected_t`; that of the paper
    is the method "corani-benavoli". `rope` is the difference that counts as equal in practice, fixed beforehand (0 asks
    for better alone). Raises InputError when it is negative, or when the folds show no spread. Corani & Benavoli 2015,
    Machine Learning 100:285.
    """
    from scipy.special import stdtr, stdtrit

    if not rope >= 0:
        raise InputError(f"rope is {rope!r}: pass the difference that is equal in practice, such as 0.01.")
    if folds.constant:
        raise InputError(
            "every fold shows the same difference: the folds have no spread to make a posterior of."
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
        1 - above - below,
        below,
        NAME if (se, df) == folds.in_one_run.corrected_error else WIDENED,
        RANDOM,
        cite("corani2015"),
    )
