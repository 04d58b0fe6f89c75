"""Models over many data sets: Wilcoxon, sign test, Friedman, and the tests after it.

What is random is the data set: the claim is about further data sets like these. Wilcoxon's test with Holm's
adjustment is the default for any number of models: unlike tests of mean ranks, its answer for two models does not
depend on which others are in the table (Benavoli, Corani & Mangili 2016, JMLR 17(5)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.adjustment import adjusted
from classay.comparison.comparison import Comparison
from classay.comparison.datasets.results import Results, without_rounding
from classay.comparison.datasets.signed_ranks import EXACT, p_value, pseudomedian, signed_ranks
from classay.comparison.power import POWER
from classay.comparison.practical_odds import PracticalOdds
from classay.comparison.references import cite
from classay.errors import InputError, nearest
from classay.inference.draws import stream
from classay.inference.estimate import Estimate

Array = NDArray[Any]
RANDOM = "data sets"
DRAWS = 20_000


def wilcoxon(results: Results, first: str, second: str, *, level: float = 0.95) -> Comparison:
    """Wilcoxon's signed-rank test of two models, exact up to 200 data sets, ties included.

    Data sets without a difference are left out, as Wilcoxon did; ties share the middle rank, and p comes from all
    2^n signs of the ranks at hand. (Demšar 2006 splits the zeros between both sums: 0.0110 where this has 0.0107.)
    The effect is the Hodges-Lehmann median of the differences. With n left, p is at least 2^(1 - n): with fewer than
    six nothing can be shown at 0.05, and the result says so. Wilcoxon 1945, Biometrics Bulletin 1:80.

    >>> a, b = [0.81, 0.75, 0.92, 0.66, 0.70, 0.88, 0.79, 0.84], [0.80, 0.77, 0.89, 0.60, 0.65, 0.80, 0.72, 0.75]
    >>> from classay.comparison.datasets.results import wide_results
    >>> wilcoxon(wide_results({"new": a, "old": b}, measure="accuracy"), "new", "old")
    Comparison(accuracy of new less old: 0.050 [0.010, 0.080] 95 %, Hodges-Lehmann, signed ranks; p = 0.023, ...)
    """
    differences = _differences(results, first, second)
    found = signed_ranks(differences)
    n = found.ranks.size
    method = f"Wilcoxon signed-rank, {'exact' if n <= EXACT else 'normal limit'}"
    return _of_two(
        results,
        (first, second),
        pseudomedian(differences, level),
        p_value(found),
        method,
        cite("wilcoxon1945"),
        level=level,
        side=_sign(found.positive - found.negative),
        note=_of_ties(differences.size - n),
        n=n,
        statistic=min(found.positive, found.negative),
        reason=_too_few(n, 1 - level),
        needed=_needed(_share_of_pairs(differences[differences != 0]), 3, level),
    )


def sign_test(results: Results, first: str, second: str, *, level: float = 0.95) -> Comparison:
    """The sign test of two models: on how many data sets the first is better, among those with a difference.

    Exact and two-sided; the effect is the median difference with its interval from order statistics. Weaker than
    Wilcoxon's test; it needs no symmetry. Dixon & Mood 1946, JASA 41:557.
    """
    from scipy.special import bdtr

    differences = _differences(results, first, second)
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
    return _of_two(
        results,
        (first, second),
        effect,
        p,
        "sign test, exact",
        cite("dixon1946"),
        level=level,
        side=_sign(2 * better - n),
        note=_of_ties(size - n),
        n=n,
        statistic=float(better),
        reason=_too_few(n, 1 - level),
        needed=_needed(better / n if n else 0.5, 4, level),
    )


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


def _chance_of_agreement(ranks: Array) -> float:
    """The chance that random orders of each data set's ranks all agree."""
    from math import factorial, prod

    ties = np.unique(ranks[0], return_counts=True)[1].tolist()
    orders = factorial(ranks.shape[1]) / prod(map(factorial, ties))
    return float(orders ** (1 - len(ranks)))


def pairwise(
    results: Results,
    *,
    test: Callable[..., Comparison] = wilcoxon,
    control: str | None = None,
    adjustment: str = "holm",
    level: float = 0.95,
) -> list[Comparison]:
    """Every pair of models by one test, Wilcoxon's by default, their p-values adjusted as one family, Holm's way.

    With a `control`, named beforehand, every other model less the control alone: a smaller family. Raises InputError
    for an unknown control.
    """
    return adjusted([test(results, a, b, level=level) for a, b in pairs(results.models, control)], adjustment)


def pairs(models: Sequence[str], control: str | None = None) -> list[tuple[str, str]]:
    """All pairs of models in their order; with a control, each other model beside it.

    >>> pairs(["a", "b", "c"]), pairs(["a", "b", "c"], "b")
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], [('a', 'b'), ('c', 'b')])
    """
    if control is None:
        return list(combinations(models, 2))
    if control not in models:
        near = nearest(str(control), models) or "."
        raise InputError(f"the control {control!r} is no model{near} The models are {', '.join(models)}.")
    return [(model, control) for model in models if model != control]


def nemenyi(results: Results, *, level: float = 0.95) -> list[Comparison]:
    """Nemenyi's test of every pair of mean ranks, adjusted for all of them by the studentized range.

    The effect is the difference of mean ranks, turned so that more is better, ± CD = q sqrt(k(k + 1) / (6n)). The
    answer for two models depends on the others in the table: prefer `pairwise`. Nemenyi 1963; Demšar 2006, JMLR 7:1.
    """
    from scipy.stats import studentized_range

    k = len(results.models)
    se, cd = _rank_error(results), nemenyi_distance(results, level)
    found = []
    for (i, a), (j, b) in combinations(enumerate(results.models), 2):
        better = float(results.mean_ranks[j] - results.mean_ranks[i])
        p = float(studentized_range.sf(abs(better) / se * np.sqrt(2), k, np.inf))
        effect = Estimate(better, better - cd, better + cd, level, "Nemenyi's critical difference")
        how: dict[str, Any] = {"level": level, "side": _sign(better), "statistic": abs(better) / se}
        made = _of_two(results, (a, b), effect, p, "Nemenyi", cite("nemenyi1963"), **how)
        found.append(_of_ranks(results, made).adjusted(p, "Nemenyi"))
    return found


def nemenyi_distance(results: Results, level: float = 0.95) -> float:
    """The critical difference of two mean ranks, q sqrt(k(k + 1) / (6n)), q of the studentized range over sqrt(2)."""
    from scipy.stats import studentized_range

    q = studentized_range.ppf(level, len(results.models), np.inf) / np.sqrt(2)
    return float(q) * _rank_error(results)


def versus_control(
    results: Results, control: str, *, adjustment: str = "holm", level: float = 0.95
) -> list[Comparison]:
    """Every other model less a control by mean ranks: z = (R_0 - R_i) / sqrt(k(k + 1) / (6n)), adjusted Holm's way.

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
        better = float(base - rank)
        effect = Estimate(better, better - half, better + half, level, "normal limit of mean ranks")
        p = float(2 * ndtr(-abs(better) / se))
        how: dict[str, Any] = {"level": level, "side": _sign(better), "statistic": better / se}
        made = _of_two(results, (model, control), effect, p, "z of mean ranks", cite("demsar2006"), **how)
        found.append(_of_ranks(results, made))
    return adjusted(found, adjustment)


def bayesian_signed_rank(
    results: Results, first: str, second: str, rope: float, *, level: float = 0.95, seed: int = 0
) -> PracticalOdds:
    """The Bayesian signed-rank test: which of better, equal in practice, worse is most probable on a new data set.

    Weights of the data sets are drawn from a Dirichlet process whose prior weighs half a data set and lies in the
    rope; each draw asks which share of the pairs (i, j) has a mean difference above, within and below ± `rope`. The
    probabilities returned are those that each share is the largest. The effect is the posterior mean of the
    weighted mean difference. Benavoli, Corani, Demšar & Zaffalon 2017, JMLR 18(77).
    """
    if not rope >= 0:
        raise InputError(f"rope is {rope!r}: pass the difference that is equal in practice, such as 0.01.")
    differences, turned = _in_one_order(_differences(results, first, second))
    z = np.concatenate([[0.0], differences])
    means = (z[:, None] + z[None, :]) / 2
    above, below = (means > rope).astype(float), (means < -rope).astype(float)
    alpha = np.concatenate([[0.5], np.ones(differences.size)])
    weights = stream(seed, "bayesian_signed_rank").dirichlet(alpha, DRAWS)
    shares = np.empty((DRAWS, 3))
    shares[:, 0] = ((weights @ above) * weights).sum(1)
    shares[:, 2] = ((weights @ below) * weights).sum(1)
    shares[:, 1] = 1 - shares[:, 0] - shares[:, 2]
    most = shares >= shares.max(1, keepdims=True) - 1e-12
    odds = (most / most.sum(1, keepdims=True)).mean(0)
    centre = weights[:, 1:] @ differences
    if turned == 0:
        odds, centre = (odds + odds[::-1]) / 2, np.concatenate([centre, -centre])
    elif turned < 0:
        odds, centre = odds[::-1], -centre
    tail = (1 - level) / 2
    low, high = float(np.quantile(centre, tail)), -float(np.quantile(-centre, tail))
    value = float(centre.mean()) if turned else 0.0
    effect = Estimate(value, low, high, level, "posterior of the mean difference")
    return PracticalOdds(
        (first, second),
        results.measure,
        effect,
        float(rope),
        float(odds[0]),
        float(odds[1]),
        float(odds[2]),
        f"Bayesian signed-rank, {DRAWS:,} draws",
        RANDOM,
        cite("benavoli2017"),
    )


def _differences(results: Results, first: str, second: str) -> Array:
    """First less second; what agrees but for rounding is no difference, and sizes that agree so are ties."""
    return without_rounding(results.of(first) - results.of(second), np.abs(results.values).max())


def _in_one_order(differences: Array) -> tuple[Array, int]:
    """Differences in an order of their own, and of one sign: -1 where they were turned, 0 where that changes nothing.

    So draws depend neither on the order of the data sets nor on which model comes first.
    """
    here, turned = np.sort(differences), np.sort(-differences)
    unlike = np.flatnonzero(here != turned)
    if not unlike.size:
        return here, 0
    return (here, 1) if here[unlike[0]] < turned[unlike[0]] else (turned, -1)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _of_ties(ties: int) -> str:
    """Why the test of signs or signed ranks and an estimate of all differences need not agree."""
    if not ties:
        return ""
    sets = "1 data set" if ties == 1 else f"{ties} data sets"
    return f"the test leaves out {sets} without a difference, and the estimate counts {'it' if ties == 1 else 'them'}"


def _rank_error(results: Results) -> float:
    n, k = results.values.shape
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def _too_few(n: int, alpha: float) -> str | None:
    least = 2.0 ** (1 - n) if n else 1.0
    if least <= alpha * (1 + 1e-9):
        return None
    return f"{n} data sets with a difference cannot show one at {alpha:.3g}: the least p is {least:.3g}"


def _of_two(
    results: Results,
    models: tuple[str, str],
    effect: Estimate,
    p: float,
    method: str,
    reference: str,
    *,
    level: float,
    side: int,
    n: int | None = None,
    statistic: float | None = None,
    reason: str | None = None,
    needed: float | None = None,
    note: str = "",
) -> Comparison:
    units = "data sets" if n is None else "data sets with a difference"
    count = len(results.datasets) if n is None else n
    means = tuple(float(results.of(model).mean()) for model in models)
    return Comparison(
        models,
        results.measure,
        effect,
        p,
        method,
        RANDOM,
        statistic,
        reference,
        count,
        units,
        reason,
        values=means,
        needed=needed,
        better=results.better,
        level=level,
        side=side,
        note=note,
    )


def _of_ranks(results: Results, found: Comparison) -> Comparison:
    """A difference of mean ranks, turned so that more is better."""
    return replace(found, measure=f"mean rank by {results.measure}", better=1, values=())


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
