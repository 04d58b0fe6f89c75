"""Models over many data sets by ranks: Wilcoxon and signs for two, Friedman and Nemenyi for more.

What is random is the data set: the claim is about further data sets like these. Wilcoxon's test with Holm's
adjustment is the default for any number of models: unlike tests of mean ranks, its answer for two models does not
depend on which others are in the table (Benavoli, Corani & Mangili 2016, JMLR 17(5)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import (
    Comparison,
    Criterion,
    SignificanceTest,
    UnitsTested,
    adjusted,
)
from classay.comparison.dataset_values import A_CONTROL, ALL_MODELS, PAIRS, Results
from classay.comparison.gate_rules import POWER, claim
from classay.comparison.named_tests import DATA_SETS, cite, test
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.shown import plot, svg

Array = NDArray[Any]
EXACT = 200
"""Up to so many differences p-values and intervals are exact."""


class SignedRanks(NamedTuple):
    """Sums of the ranks of the positive and of the negative differences, and the ranks themselves."""

    positive: float
    negative: float
    ranks: Array


def signed_ranks(differences: Array) -> SignedRanks:
    """Ranks of the sizes of the differences that are not zero; ties share the middle rank.

    >>> found = signed_ranks(np.array([0.2, -0.1, 0.0, 0.2]))
    >>> float(found.positive), float(found.negative), found.ranks.tolist()
    (5.0, 1.0, [2.5, 1.0, 2.5])
    """
    kept = differences[differences != 0]
    sizes = np.abs(kept)
    below = (sizes[None, :] < sizes[:, None]).sum(1)
    same = (sizes[None, :] == sizes[:, None]).sum(1)
    ranks = below + (same + 1) / 2
    return SignedRanks(float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum()), ranks)


def p_value(found: SignedRanks) -> float:
    """Two-sided p of signed ranks: from all 2^n signs of these very ranks, or the normal limit beyond 200.

    >>> p_value(signed_ranks(np.array([0.01, -0.02, 0.03, 0.06, 0.05, 0.08, 0.07, 0.09])))
    0.0234375
    """
    least = min(found.positive, found.negative)
    if found.ranks.size == 0:
        return 1.0
    if found.ranks.size > EXACT:
        return _normal_p(found)
    chances = _distribution(np.rint(2 * found.ranks).astype(np.int64))
    return float(min(1.0, 2 * chances[: round(2 * least) + 1].sum()))


def tails(found: SignedRanks) -> tuple[float, float] | None:
    """One-sided p of more and of less, from the same signs; None beyond 200, where the limit has no steps.

    >>> tails(signed_ranks(np.array([0.1, 0.2, -0.3])))
    (0.625, 0.625)
    """
    if found.ranks.size > EXACT:
        return None
    chances = _distribution(np.rint(2 * found.ranks).astype(np.int64))
    more, less = (
        float(min(1.0, chances[: round(2 * other) + 1].sum())) for other in (found.negative, found.positive)
    )
    return more, less


def _normal_p(found: SignedRanks) -> float:
    """The normal limit, with the variance of the ranks as they are (ties shared)."""
    from scipy.special import ndtr

    spread = np.sqrt((found.ranks**2).sum() / 4)
    return float(2 * ndtr(-abs(found.positive - found.ranks.sum() / 2) / spread))


def _distribution(whole: Array) -> Array:
    """Chances of each sum of a random subset of whole numbers, index by the sum."""
    chances = np.zeros(int(whole.sum()) + 1)
    chances[0] = 1.0
    for rank in whole.tolist():
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: chances.size - rank]
        chances = (chances + moved) / 2
    return chances


def pseudomedian(differences: Array, level: float, units: str = "data sets") -> Estimate:
    """The Hodges-Lehmann estimate, the median of the means of all pairs, with the interval that inverts the test.

    The interval runs from the c-th least to the c-th greatest of the n(n + 1)/2 means, c the critical sum of ranks
    of n differences without ties. None where n is too small for the level. Hodges & Lehmann 1963, Ann. Math. Stat.
    34:598.
    """
    n = differences.size
    i, j = np.triu_indices(n)
    walsh = np.sort((differences[i] + differences[j]) / 2)
    value = float(np.median(walsh))
    if not differences.any():
        return Estimate.bare(0.0, f"both have the same value on all {units}, which shows no spread")
    critical = _critical(n, (1 - level) / 2)
    if critical == 0:
        return Estimate.bare(value, f"{n} {units} are too few for an interval at level {level:g}")
    low, high = float(walsh[critical - 1]), float(walsh[-critical])
    return Estimate(value, low, high, level, "Hodges-Lehmann, signed ranks")


def _critical(n: int, tail: float) -> int:
    """How many sums of ranks, from 0 up, have together at most the chance `tail`."""
    if n > EXACT:
        from scipy.special import ndtri

        return int(n * (n + 1) / 4 + ndtri(tail) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    chances = _distribution(np.arange(1, n + 1))
    return int((np.cumsum(chances) <= tail * (1 + 1e-12)).sum())


RANDOM = "data sets"
UNEQUAL = "data sets with a difference"


@test("wilcoxon", "Wilcoxon signed-rank", where=DATA_SETS, of=PAIRS, references=("wilcoxon1945",))
def wilcoxon(results: Results, first: str, second: str, *, level: float = 0.95) -> Comparison:
    """Wilcoxon's signed-rank test of two models, exact up to 200 data sets, ties included.

    Data sets without a difference are left out, as Wilcoxon did; ties share the middle rank, and p comes from all
    2^n signs of the ranks at hand. (Demšar 2006 splits the zeros between both sums: 0.0110 where this has 0.0107.)
    The effect is the Hodges-Lehmann median of the differences. With n left, p is at least 2^(1 - n): with fewer than
    six nothing can be shown at 0.05, and the result says so. Wilcoxon 1945, Biometrics Bulletin 1:80.

    >>> a, b = [0.81, 0.75, 0.92, 0.66, 0.70, 0.88, 0.79, 0.84], [0.80, 0.77, 0.89, 0.60, 0.65, 0.80, 0.72, 0.75]
    >>> from classay.comparison.dataset_values import wide_results
    >>> wilcoxon(wide_results({"new": a, "old": b}, measure="accuracy"), "new", "old")
    Comparison(accuracy of new less old: 0.050 [0.010, 0.080] 95 %, Hodges-Lehmann, signed ranks; p = 0.023, ...)
    """
    differences = results.differences(first, second)
    found = signed_ranks(differences)
    n = found.ranks.size
    method = f"Wilcoxon signed-rank, {'exact' if n <= EXACT else 'normal limit'}"
    return pairwise_result(
        results,
        (first, second),
        pseudomedian(differences, level),
        p_value(found),
        method,
        SignificanceTest(
            min(found.positive, found.negative),
            reference=cite("wilcoxon1945"),
            side=sign(found.positive - found.negative),
            tails=tails(found),
            reason=too_few(n, 1 - level),
            note=_of_ties(differences.size - n),
        ),
        level=level,
        sample=UnitsTested(n, UNEQUAL, _needed(_share_of_pairs(differences[differences != 0]), 3, level)),
    )


@test("sign", "sign test", where=DATA_SETS, of=PAIRS, references=("dixon1946",))
def sign_test(results: Results, first: str, second: str, *, level: float = 0.95) -> Comparison:
    """The sign test of two models: on how many data sets the first is better, among those with a difference.

    Exact and two-sided; the effect is the median difference with its interval from order statistics. Weaker than
    Wilcoxon's test; it needs no symmetry. Dixon & Mood 1946, JASA 41:557.
    """
    from scipy.special import bdtr

    differences = results.differences(first, second)
    better, n = int((differences > 0).sum()), int((differences != 0).sum())
    p = float(min(1.0, 2 * bdtr(min(better, n - better), n, 0.5))) if n else 1.0
    ordered, size = np.sort(differences), differences.size
    cut = int((bdtr(np.arange(size), size, 0.5) <= (1 - level) / 2).sum())
    if cut:
        low, high = float(ordered[cut - 1]), float(ordered[-cut])
        effect = Estimate(float(np.median(ordered)), low, high, level, "order statistics")
    else:
        why = f"{size} data sets are too few for an interval at level {level:g}"
        effect = Estimate.bare(float(np.median(ordered)), why)
    return pairwise_result(
        results,
        (first, second),
        effect,
        p,
        "sign test, exact",
        SignificanceTest(
            float(better),
            reference=cite("dixon1946"),
            side=sign(2 * better - n),
            tails=(float(bdtr(n - better, n, 0.5)), float(bdtr(better, n, 0.5))) if n else (1.0, 1.0),
            reason=too_few(n, 1 - level),
            note=_of_ties(size - n),
        ),
        level=level,
        sample=UnitsTested(n, UNEQUAL, _needed(better / n if n else 0.5, 4, level)),
    )


def sign(value: float) -> int:
    """-1, 0 or 1."""
    return (value > 0) - (value < 0)


def _of_ties(ties: int) -> str:
    """Why the test of signs or signed ranks and an estimate of all differences need not agree."""
    if not ties:
        return ""
    sets = "1 data set" if ties == 1 else f"{ties} data sets"
    return f"the test leaves out {sets} without a difference, and the estimate counts {'it' if ties == 1 else 'them'}"


def too_few(n: int, alpha: float, units: str = "data sets") -> str | None:
    """That so few units with a difference cannot show one, with the least p that they can have; else None."""
    least = 2.0 ** (1 - n) if n else 1.0
    if least <= alpha * (1 + 1e-9):
        return None
    return f"{n} {units} with a difference cannot show one: the least p is {least:.3g}, one-sided {least / 2:.3g}"


def pairwise_result(
    results: Results,
    models: tuple[str, str],
    effect: Estimate,
    p: float,
    method: str,
    test: SignificanceTest,
    *,
    level: float,
    sample: UnitsTested | None = None,
) -> Comparison:
    """What a test of two models found; without a `sample`, of all data sets."""
    return Comparison(
        models,
        results.measure,
        effect,
        p,
        method,
        RANDOM,
        values=tuple(float(results.of(model).mean()) for model in models),
        test=test,
        sample=sample or UnitsTested(len(results.datasets), "data sets"),
        criterion=Criterion(better=results.better, level=level),
    )


def _share_of_pairs(differences: Array) -> float:
    """The share of the pairs of data sets whose differences have a mean above 0, means of 0 counting half."""
    i, j = np.triu_indices(differences.size, 1)
    sums = differences[i] + differences[j]
    return float(((sums > 0) + (sums == 0) / 2).mean()) if sums.size else 0.5


def _needed(share: float, factor: int, level: float) -> float | None:
    """Data sets with a difference at which such a share has a power of 80 %: (z_α/2 + z_β)² / (factor (share - ½)²).

    The factor is 3 for signed ranks and 4 for signs. Noether 1987, JASA 82:645.
    """
    from scipy.special import ndtri

    if share == 0.5:
        return None
    return float((ndtri(0.5 + level / 2) + ndtri(POWER)) ** 2 / (factor * (share - 0.5) ** 2))


def friedman(results: Results, *, level: float = 0.95) -> Comparison:
    """Friedman's test that all models rank alike, as Iman and Davenport's F, corrected for ties.

    χ² = (k - 1) Σ (R_j - n(k + 1)/2)² / (Σ ranks² - n k (k + 1)²/4), and F = (n - 1) χ² / (n(k - 1) - χ²) on k - 1
    and (k - 1)(n - 1) degrees of freedom. Without ties χ² is Demšar's; with them it is larger (his table 6: 10.23, not
    9.28). Where all data sets rank the models alike F is infinite, and p is the exact chance of that. Raises
    InputError for fewer than three models. Iman & Davenport 1980, Comm. Stat. A9:571; Demšar 2006, JMLR 7:1.
    """
    from scipy.special import fdtrc

    n, k = results.values.shape
    if k < 3:
        raise InputError("Friedman's test is for three or more models: for two, use Wilcoxon's.")
    ranks = results.ranks
    spread = float((ranks**2).sum() - n * k * (k + 1) ** 2 / 4)
    method = "Friedman, Iman–Davenport F, ties corrected"
    if spread == 0:
        return _of_all(results, 1.0, method, 0.0, level)
    chi2 = (k - 1) * float(((ranks.sum(0) - n * (k + 1) / 2) ** 2).sum()) / spread
    left = n * (k - 1) - chi2
    if left <= 1e-9 * n:
        return _of_all(results, _chance_of_agreement(ranks), method, float("inf"), level)
    f = (n - 1) * chi2 / left
    return _of_all(results, float(fdtrc(k - 1, (k - 1) * (n - 1), f)), method, f, level)


def skillings_mack(results: Results, *, level: float = 0.95) -> Comparison:
    """Skillings and Mack's test that all models rank alike, of results that lack values.

    Each data set ranks its own k_i models. A_j = Σ_i sqrt(12 / (k_i + 1)) (r_ij - (k_i + 1)/2), and χ² = A' V⁻ A on as
    many degrees of freedom as V has, V being the covariance of A when the ranks of each data set are put in random
    order, ties as they are. Without missing values it is Friedman's χ², corrected for ties. A data set of one model
    says nothing. There is no test where the data sets fall apart into groups that share no model. Raises InputError for
    fewer than three models. Skillings & Mack 1981, Technometrics 23:171.
    """
    from scipy.special import chdtrc

    k = len(results.models)
    if k < 3:
        raise InputError("Skillings and Mack's test is for three or more models: for two, use Wilcoxon's.")
    sums, covariance = np.zeros(k), np.zeros((k, k))
    for ranks in results.ranks:
        here = np.flatnonzero(~np.isnan(ranks))
        if here.size < 2:
            continue
        apart = ranks[here] - (here.size + 1) / 2
        weight = 12 / (here.size + 1)
        sums[here] += np.sqrt(weight) * apart
        spread = weight * (apart**2).sum() / (here.size - 1)
        covariance[np.ix_(here, here)] += spread * (np.eye(here.size) - 1 / here.size)
    method = "Skillings–Mack χ², ties corrected"
    if not _hang_together(results):
        why = "the data sets fall apart into groups that share no model"
        made = _of_all(results, float("nan"), method, float("nan"), level)
        return made.changed(reason=why, reference=cite("skillings1981"))
    df = int(np.linalg.matrix_rank(covariance))
    if df == 0:
        return _of_all(results, 1.0, method, 0.0, level).changed(reference=cite("skillings1981"))
    chi2 = float(sums @ np.linalg.pinv(covariance, hermitian=True) @ sums)
    made = _of_all(results, float(chdtrc(df, chi2)), method, chi2, level)
    return made.changed(df=df, reference=cite("skillings1981"))


def _hang_together(results: Results) -> bool:
    """Whether data sets lead from every model to every other."""
    has = ~np.isnan(results.values)
    reached = np.zeros(len(results.models), bool)
    reached[0] = True
    for _ in results.models:
        reached |= has[(has & reached).any(1)].any(0)
    return bool(reached.all())


def _chance_of_agreement(ranks: Array) -> float:
    """The chance that random orders of each data set's ranks all agree."""
    from math import exp, lgamma

    ties = np.unique(ranks[0], return_counts=True)[1].tolist()
    log_orders = lgamma(ranks.shape[1] + 1) - sum(lgamma(each + 1) for each in ties)
    return exp((1 - len(ranks)) * log_orders)


@test("nemenyi", "Nemenyi", where=DATA_SETS, of=ALL_MODELS, references=("nemenyi1963",))
def nemenyi(results: Results, *, level: float = 0.95) -> list[Comparison]:
    """Nemenyi's test of every pair of mean ranks, adjusted for all of them by the studentized range.

    The effect is the difference of mean ranks, turned as the values are, ± CD = q sqrt(k(k + 1) / (6n)). The
    answer for two models depends on the others in the table: prefer `pairwise`. Nemenyi 1963; Demšar 2006, JMLR 7:1.
    """
    from scipy.stats import studentized_range

    k = len(results.models)
    se, cd, mean = _rank_error(results), nemenyi_distance(results, level), results.mean_ranks
    found = []
    for (i, a), (j, b) in combinations(enumerate(results.models), 2):
        more = results.better * float(mean[j] - mean[i])
        p = float(studentized_range.sf(abs(more) / se * np.sqrt(2), k, np.inf))
        effect = Estimate(more, more - cd, more + cd, level, "Nemenyi's critical difference")
        told = SignificanceTest(more / se, reference=cite("nemenyi1963"), side=sign(more))
        made = pairwise_result(results, (a, b), effect, p, "Nemenyi", told, level=level)
        found.append(_of_ranks(results, made).adjusted(p, "Nemenyi"))
    return found


def nemenyi_distance(results: Results, level: float = 0.95) -> float:
    """The critical difference of two mean ranks, q sqrt(k(k + 1) / (6n)), q of the studentized range over sqrt(2)."""
    from scipy.stats import studentized_range

    q = studentized_range.ppf(level, len(results.models), np.inf) / np.sqrt(2)
    return float(q) * _rank_error(results)


@test("mean-ranks", "z of mean ranks", where=DATA_SETS, of=A_CONTROL, references=("demsar2006",))
def versus_control(
    results: Results, control: str, *, adjustment: str = "holm", level: float = 0.95
) -> list[Comparison]:
    """Every other model less a control by mean ranks: z = (R_0 - R_i) / sqrt(k(k + 1) / (6n)), adjusted Holm's way.

    The effect is turned as the values are: above 0 the model has more of them than the control, and of a loss is worse.
    More power than all pairs, and only when one model was the control from the start. Demšar 2006, JMLR 7:1.
    """
    from scipy.special import ndtr, ndtri

    results.of(control)
    base, se = results.mean_ranks[results.models.index(control)], _rank_error(results)
    half = float(ndtri(0.5 + level / 2)) * se
    found = []
    for model, rank in zip(results.models, results.mean_ranks.tolist(), strict=True):
        if model == control:
            continue
        more = results.better * float(base - rank)
        effect = Estimate(more, more - half, more + half, level, "normal limit of mean ranks")
        p = float(2 * ndtr(-abs(more) / se))
        told = SignificanceTest(more / se, reference=cite("demsar2006"), side=sign(more))
        made = pairwise_result(results, (model, control), effect, p, "z of mean ranks", told, level=level)
        found.append(_of_ranks(results, made))
    return adjusted(found, adjustment)


def _rank_error(results: Results) -> float:
    n, k = results.values.shape
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def _of_ranks(results: Results, found: Comparison) -> Comparison:
    """A difference of mean ranks, of which more is better where more of the values is."""
    return found.changed(measure=f"mean rank by {results.measure}", better=results.better, values=())


def _of_all(results: Results, p: float, method: str, statistic: float, level: float) -> Comparison:
    return Comparison(
        results.models,
        results.measure,
        None,
        p,
        method,
        RANDOM,
        test=SignificanceTest(statistic=statistic, reference=cite("iman1980")),
        sample=UnitsTested(n=len(results.datasets), units="data sets"),
        criterion=Criterion(level=level),
    )


Clique = tuple[str, ...]


@dataclass(frozen=True)
class CriticalDifference:
    """What a critical-difference diagram shows.

    `models` from the best mean rank on, with their `ranks`; `cliques` are the largest groups of models of which no two
    differ significantly by the pairwise tests, each from the best on; single models are none. Such groups need not be
    neighbours in rank, so that a drawn bar marks its members. `distance` is Nemenyi's critical difference, and None for
    other tests, where no one distance decides. `comparisons` are the tests, with their effects.
    """

    models: tuple[str, ...]
    ranks: tuple[float, ...]
    cliques: tuple[Clique, ...]
    method: str
    level: float
    datasets: int
    comparisons: tuple[Comparison, ...]
    distance: float | None = None

    def plot(self, ax: Any = None) -> Any:
        """Draw with matplotlib on the given axes or new ones, and return them. Needs the extra `plot`."""
        return plot(self, ax)

    def svg(self) -> str:
        """The diagram as an SVG text to put into a page."""
        return svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()


def of_comparisons(
    results: Results, comparisons: Sequence[Comparison], *, level: float = 0.95, distance: float | None = None
) -> CriticalDifference:
    """The diagram of any tests of all pairs. Raises InputError when a pair has no p-value."""
    ranks = dict(zip(results.models, results.mean_ranks.tolist(), strict=True))
    order = sorted(results.models, key=lambda model: (ranks[model], results.models.index(model)))
    alike = _alike(order, comparisons)
    groups = sorted(_cliques(order, alike), key=lambda group: [order.index(model) for model in group])
    first = comparisons[0]
    method = (
        first.method if first.adjustment in (None, first.method) else f"{first.method}; {first.adjustment}"
    )
    return CriticalDifference(
        tuple(order),
        tuple(ranks[model] for model in order),
        tuple(group for group in groups if len(group) > 1),
        method,
        level,
        len(results.datasets),
        tuple(comparisons),
        distance,
    )


def _alike(models: list[str], comparisons: Sequence[Comparison]) -> dict[str, set[str]]:
    """For each model, those from which it does not differ significantly."""
    of_pair = {frozenset(each.models): each for each in comparisons if not isnan(each.p)}
    found: dict[str, set[str]] = {model: set() for model in models}
    for i, a in enumerate(models):
        for b in models[i + 1 :]:
            if (one := of_pair.get(frozenset((a, b)))) is None:
                raise InputError(f"there is no p-value for {a!r} and {b!r}: pass a test of every pair.")
            if not claim(one).shown:
                found[a].add(b)
                found[b].add(a)
    return found


def _cliques(models: list[str], alike: dict[str, set[str]]) -> list[Clique]:
    """All largest groups whose members are pairwise alike (Bron & Kerbosch 1973), members in the order of models."""
    found: list[Clique] = []

    def grow(group: set[str], candidates: set[str], done: set[str]) -> None:
        if not candidates and not done:
            found.append(tuple(model for model in models if model in group))
            return
        pivot = max(candidates | done, key=lambda model: len(alike[model] & candidates))
        for model in [each for each in models if each in candidates - alike[pivot]]:
            grow(group | {model}, candidates & alike[model], done & alike[model])
            candidates = candidates - {model}
            done = done | {model}

    grow(set(), set(models), set())
    return found
