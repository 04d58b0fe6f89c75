"""Models over data sets by their mean ranks: Friedman, Nemenyi, and each against a control."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import Comparison
from classay.comparison.datasets.pair_tests import RANDOM, of_two, sign
from classay.comparison.datasets.results import A_CONTROL, ALL_MODELS, Results
from classay.comparison.family import adjusted
from classay.comparison.references import cite
from classay.comparison.registry import DATA_SETS, test
from classay.errors import InputError
from classay.inference.estimate import Estimate

Array = NDArray[Any]


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
        return replace(made, reason=why, reference=cite("skillings1981"))
    df = int(np.linalg.matrix_rank(covariance))
    if df == 0:
        return replace(_of_all(results, 1.0, method, 0.0, level), reference=cite("skillings1981"))
    chi2 = float(sums @ np.linalg.pinv(covariance, hermitian=True) @ sums)
    made = _of_all(results, float(chdtrc(df, chi2)), method, chi2, level)
    return replace(made, df=df, reference=cite("skillings1981"))


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
        how: dict[str, Any] = {"level": level, "side": sign(more), "statistic": more / se}
        made = of_two(results, (a, b), effect, p, "Nemenyi", cite("nemenyi1963"), **how)
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
        how: dict[str, Any] = {"level": level, "side": sign(more), "statistic": more / se}
        made = of_two(results, (model, control), effect, p, "z of mean ranks", cite("demsar2006"), **how)
        found.append(_of_ranks(results, made))
    return adjusted(found, adjustment)


def _rank_error(results: Results) -> float:
    n, k = results.values.shape
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def _of_ranks(results: Results, found: Comparison) -> Comparison:
    """A difference of mean ranks, of which more is better where more of the values is."""
    return replace(found, measure=f"mean rank by {results.measure}", better=results.better, values=())


def _of_all(results: Results, p: float, method: str, statistic: float, level: float) -> Comparison:
    return Comparison(
        results.models,
        results.measure,
        None,
        p,
        method,
        RANDOM,
        statistic,
        cite("iman1980"),
        len(results.datasets),
        "data sets",
        level=level,
    )
