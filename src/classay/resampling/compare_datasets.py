"""Models over many data sets as `Comparisons`: the tests by their names, and the Bayesian ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from typing import Any, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from classay.answers import MissingLabels
from classay.assessment.finding import Finding
from classay.comparison.claims import claim
from classay.comparison.comparison import (
    OF_RANKS,
    Comparison,
    PracticalOdds,
    SignificanceTest,
    adjusted,
    pairs,
)
from classay.comparison.comparisons import Comparisons, check_sides, in_direction, level_of_both
from classay.comparison.named_tests import DATA_SETS, ComparedInput, chosen, cite, test
from classay.errors import InputError, check_word
from classay.inference.draws import seed_of, stream
from classay.inference.estimate import Estimate, direction, title
from classay.inference.requirements import range_of, refuse_whole_range
from classay.kinds import Alternative, checked
from classay.resampling import rank_tests  # noqa: F401 - they register their tests
from classay.resampling.fold_results import FoldResults
from classay.resampling.fold_tests import FoldDifferences, refuse_negative_rope
from classay.resampling.rank_tests import (
    PAIRS,
    Results,
    direction_of,
    friedman,
    long_results,
    nemenyi_distance,
    sign_test,
    skillings_mack,
    wide_results,
)
from classay.shown import frame_of, plot, svg
from classay.texts import hint, some

Array = NDArray[Any]
RANDOM = "data sets"
DRAWS = 20_000


def bayesian_signed_rank(
    results: Results, first: str, second: str, rope: float, *, level: float = 0.95, seed: int = 0
) -> PracticalOdds:
    """The Bayesian signed-rank test: which of better, equal in practice, worse is most probable on a new data set.

    Weights of the data sets are drawn from a Dirichlet process whose prior weighs half a data set and lies in the
    rope; each draw asks which share of the pairs (i, j) has a mean difference above, within and below ± `rope`. The
    probabilities returned are those that each share is the largest. The effect is the posterior mean of the
    weighted mean difference. Benavoli, Corani, Demšar & Zaffalon 2017, JMLR 18(77).
    """
    refuse_negative_rope(rope)
    differences, turned = _in_one_order(results.differences(first, second))
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


@test("bayesian", "Bayesian signed-rank", where=DATA_SETS, of=PAIRS, references=("benavoli2017",))
def practical(
    results: Results, first: str, second: str, *, rope: float, level: float = 0.95, seed: int = 0
) -> Comparison:
    """The same as a `Comparison`."""
    odds = bayesian_signed_rank(results, first, second, rope, level=level, seed=seed)
    return odds.comparison(len(results.datasets), "data sets", results.better)


def _in_one_order(differences: Array) -> tuple[Array, int]:
    """Differences in an order of their own, and of one sign: -1 where they were turned, 0 where that changes nothing.

    So draws depend neither on the order of the data sets nor on which model comes first.
    """
    here, turned = np.sort(differences), np.sort(-differences)
    unlike = np.flatnonzero(here != turned)
    if not unlike.size:
        return here, 0
    return (here, 1) if here[unlike[0]] < turned[unlike[0]] else (turned, -1)


FOLDS_OF_DATA_SETS = ComparedInput[Sequence[FoldDifferences], Comparison]("folds of data sets")
"""What this test is of."""
CHAINS, WARMING, KEPT = 100, 500, 200
WIDEST = 1000.0
"""Times the spread of the data sets' means that the spread of their true differences may have."""
FEWEST = 3
"""Data sets from which flat priors leave a posterior."""
DEGREES = np.exp(np.linspace(np.log(2.0), np.log(200.0), 60))
"""Degrees of freedom of the data sets that are tried."""


@test(
    "hierarchical",
    "Bayesian hierarchical",
    where=DATA_SETS,
    of=FOLDS_OF_DATA_SETS,
    references=("corani2017",),
)
def hierarchical(
    folds: Sequence[FoldDifferences],
    *,
    rope: float,
    better: int = 1,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """The Bayesian hierarchical test: which of better, equal in practice, worse is most probable on a new data set.

    Differences of the n folds of data set i are normal around δ_i with variance σ_i² and correlation ρ = n_test / n;
    δ_i is Student's t around δ_0 with scale σ_0 and ν degrees of freedom. σ_i is flat and integrated out, which leaves
    x̄_i a t of n - 2 degrees of freedom around δ_i; δ_0 is flat, and so is σ_0 up to 1000 standard deviations of the
    means; ν is Gamma(α, β) with α flat in (0.5, 5) and β in (0.05, 0.15). Gibbs sampling by mixtures of normals, 20,000
    draws.

    Each draw has the chances that a new δ is above, within and below ± `rope`; the probabilities returned are those
    that each is the largest. The effect is the posterior of δ_0. Raises InputError for fewer than three data sets, or
    than three folds of one. Corani, Benavoli, Demšar, Mangili & Zaffalon 2017, Machine Learning 106:1817.
    """
    refuse_negative_rope(rope)
    if len(folds) < FEWEST:
        raise InputError(
            f"The hierarchical test needs at least {FEWEST} data sets, but there are {len(folds)}."
        )
    means, scales, df = (np.array(sets) for sets in zip(*map(_of_one, folds), strict=True))
    order, turn = _sets_in_one_order(means, scales, df)
    centre, spread, nu = sampled(turn * means[order], scales[order], df[order], seed)
    centre = turn * centre
    odds = _most_probable(centre, spread, nu, rope)
    tail = (1 - level) / 2
    low, high = (float(limit) for limit in np.quantile(centre, (tail, 1 - tail)))
    effect = Estimate(float(centre.mean()), low, high, level, "posterior of the mean over data sets")
    practical = PracticalOdds(
        folds[0].models,
        folds[0].measure,
        effect,
        float(rope),
        *odds,
        f"Bayesian hierarchical, {centre.size:,} draws",
        "data sets",
        cite("corani2017"),
    )
    return practical.comparison(len(folds), "data sets", better)


def _of_one(folds: FoldDifferences) -> tuple[float, float, float]:
    """Mean, scale and degrees of freedom of the t that the folds of one data set leave of its true difference.

    With σ flat, ∫ σ^-n exp(-Q / 2σ²) dσ is Q^(-(n-1)/2), Q = S / (1 - ρ) + n (x̄ - δ)² / (1 + (n - 1) ρ).
    """
    x = np.asarray(folds.values, float).ravel()
    n, rho = x.size, folds.test_over_train / (1 + folds.test_over_train)
    if n < 3:
        raise InputError(
            f"The hierarchical test needs at least three folds of each data set, but one data set has {n}."
        )
    within = float(((x - x.mean()) ** 2).sum()) / (1 - rho)
    scale = np.sqrt(within * (1 + (n - 1) * rho) / (n * (n - 2)))
    return float(x.mean()), float(scale), float(n - 2)


def _sets_in_one_order(means: Array, scales: Array, df: Array) -> tuple[Array, int]:
    """Return an order of the data sets, and a sign, that neither theirs nor that of the models decides."""
    orders = [np.lexsort((df, scales, sign * means)) for sign in (1, -1)]
    here, turned = means[orders[0]], -means[orders[1]]
    unlike = np.flatnonzero(here != turned)
    first = not unlike.size or here[unlike[0]] < turned[unlike[0]]
    return (orders[0], 1) if first else (orders[1], -1)


def sampled(means: Array, scales: Array, df: Array, seed: int = 0) -> tuple[Array, Array, Array]:
    """Draws of δ_0, σ_0 and ν, `(draws,)` each: chains of Gibbs steps, all side by side."""
    rng = stream(seed, "hierarchical")
    q = means.size
    size = float(means.std(ddof=1)) or float(scales.max()) or 1.0
    least = np.maximum(scales, 1e-6 * size)  # folds without spread: known but for a rest
    of_sets = np.tile(means, (CHAINS, 1))
    centre, spread = np.full(CHAINS, means.mean()), np.full(CHAINS, size)
    nu, prior = np.full(CHAINS, 10.0), _log_prior()
    kept: list[tuple[Array, Array, Array]] = []
    for step in range(WARMING + KEPT):
        distances = ((of_sets - centre[:, None]) / spread[:, None]) ** 2
        heavy = rng.gamma((nu[:, None] + 1) / 2, 2 / (nu[:, None] + distances))  # of the data sets' t
        noisy = rng.gamma((df + 1) / 2, 2 / (df + ((means - of_sets) / least) ** 2))  # of the folds' t
        above, below = heavy / spread[:, None] ** 2, noisy / least**2
        of_sets = (above * centre[:, None] + below * means) / (above + below)
        of_sets = of_sets + rng.standard_normal(of_sets.shape) / np.sqrt(above + below)
        total = heavy.sum(1)
        centre = (heavy * of_sets).sum(1) / total + rng.standard_normal(CHAINS) * spread / np.sqrt(total)
        squares = (heavy * (of_sets - centre[:, None]) ** 2).sum(1)
        # σ flat: 1/σ² is Gamma((q - 1)/2, squares/2)
        spread = np.sqrt(squares / (2 * rng.gamma((q - 1) / 2, 1.0, CHAINS)))
        spread = np.clip(spread, 1e-9 * size, WIDEST * size)
        nu = _degrees(rng, heavy, prior)
        if step >= WARMING:
            kept.append((centre, spread, nu))
    return tuple(np.concatenate(draws) for draws in zip(*kept, strict=True))  # type: ignore[return-value]


def _log_prior() -> Array:
    """Of ν at `DEGREES`, which are even on the log scale: Gamma(α, β), α and β flat, by the rule of midpoints."""
    from scipy.special import gammaln

    a, b = np.meshgrid(np.linspace(0.5, 5, 46), np.linspace(0.05, 0.15, 21))
    log = a * np.log(b) - gammaln(a) + (a - 1) * np.log(DEGREES)[:, None, None] - b * DEGREES[:, None, None]
    return np.asarray(np.log(np.exp(log).mean((1, 2))) + np.log(DEGREES))


def _degrees(rng: np.random.Generator, heavy: Array, prior: Array) -> Array:
    """ν given the weights, each Gamma(ν/2, ν/2), drawn from `DEGREES`."""
    from scipy.special import gammaln

    half, q = DEGREES / 2, heavy.shape[1]
    sums = (np.log(heavy) - heavy).sum(1)[:, None]
    log = prior + q * (half * np.log(half) - gammaln(half)) + half * sums
    p = np.exp(log - log.max(1, keepdims=True)).cumsum(1)
    at = (p < rng.random((heavy.shape[0], 1)) * p[:, -1:]).sum(1)
    return np.asarray(DEGREES[np.minimum(at, DEGREES.size - 1)])


def _most_probable(centre: Array, spread: Array, nu: Array, rope: float) -> tuple[float, float, float]:
    """Return how often above, within and below ± rope is the most probable of a new data set's difference."""
    from scipy.special import stdtr

    above, below = stdtr(nu, (centre - rope) / spread), stdtr(nu, (-rope - centre) / spread)
    shares = np.stack([above, 1 - above - below, below], 1)
    most = shares >= shares.max(1, keepdims=True) - 1e-12
    first, equal, second = (most / most.sum(1, keepdims=True)).mean(0).tolist()
    return first, equal, second


BETTER = {"higher": 1, "lower": -1}


@checked
def compare_datasets(
    results: Any,
    *,
    dataset: str | None = None,
    model: str | None = None,
    value: str | None = None,
    fold: str | None = None,
    run: str | None = None,
    better: str | None = None,
    test_over_train: float | None = None,
    method: str | None = None,
    control: str | None = None,
    rope: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    missing: MissingLabels = "refuse",
) -> Comparisons:
    """Compare models over many data sets.

    The data set varies.

    Parameters
    ----------
    results : frame or Results
        A long frame with the columns `dataset`, `model`, `value`, and `run` if there are several runs,
        which are averaged. A wide frame has the column `dataset`, and all other columns are models.
        `Results` have no columns to name.
    dataset, model, value, fold, run : str, optional
        Names of the columns. With `fold`, the folds of every data set are compared, and `run` names the repeats.
    better : {"higher", "lower"}, optional
        Which values are better. The default is that of the measure that `value` names, or of the `Results`.
    test_over_train : float, optional
        With `fold`, ratio of test to training cases of a fold. The default is 1 / (K - 1) for K folds.
    method : str, optional
        "wilcoxon" (the default), "sign", "nemenyi", "mean-ranks" (with a control) or "bayesian" (with a
        `rope`). "hierarchical" needs a `rope`, and folds or an evaluation.
    control : str, optional
        The one model with which all other models are compared. Without it every pair is compared.
    rope : float, optional
        Difference that is equivalent in practice, prespecified, for the Bayesian tests.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Side of the tests and intervals, for the first model of a pair minus the second. A side must be
        prespecified.
    adjustment : str, default "holm"
        Adjustment of the p-values over models and measures, one of the methods of `adjust`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    missing : {"refuse", "drop"}, default "refuse"
        What to do if models lack values. "drop" compares two models over their shared data sets, and all of
        them by Skillings and Mack's test, which is Friedman's if no value is missing.

    Returns
    -------
    Comparisons
        One comparison for each pair of models.

    Raises
    ------
    InputError
        If results lack a value.
        If an option is unknown, or options exclude each other.

    Examples
    --------
    >>> frame = {"data": list("pqrstu"), "a": [3, 4, 5, 6, 7, 9], "b": [2, 3, 4, 5, 6, 7]}
    >>> compare_datasets(frame, dataset="data")[0].p
    0.03125
    """
    check_sides(alternative, method, None, rope)
    both = level_of_both(alternative, level)
    how: dict[str, Any] = {"method": method, "control": control, "rope": rope, "adjustment": adjustment}
    how |= {"level": both, "seed": seed_of(seed)}
    if test_over_train is not None and fold is None:
        raise InputError("test_over_train= needs the column of folds. Pass fold= too, or remove it.")
    if fold is not None:
        columns = {"dataset": dataset, "model": model, "value": value, "fold": fold, "run": run}
        comparisons = _of_folds(
            FoldResults.of(results, columns, test_over_train), turn_of(better), missing, **how
        )
    else:
        comparisons = compare_results(_results(results, dataset, model, value, run, better, missing), **how)
    by_rank = [one.measure for one in comparisons if one.measure.startswith(OF_RANKS)]
    if by_rank and (turn_of(better) or direction(by_rank[0].removeprefix(OF_RANKS)) or 1) > 0:
        alternative = LOWER_RANK[alternative]
    return in_direction(comparisons, alternative, adjustment, level)


LOWER_RANK: dict[str, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
"""The side of mean ranks on which the first model has more of values of which more is better, or less."""


def turn_of(better: str | None) -> int | None:
    """Return 1 of higher, -1 of lower. Raises InputError for another word."""
    if better is not None:
        check_word("better", better, tuple(BETTER))
    return None if better is None else BETTER[better]


def _of_folds(
    folds: FoldResults,
    turn: int | None,
    missing: MissingLabels,
    *,
    method: str | None,
    control: str | None,
    rope: float | None,
    adjustment: str,
    level: float,
    seed: int,
) -> Comparisons:
    """Compare models over many data sets by all folds with the hierarchical test, by their means with another."""
    better = direction_of(folds.measure, turn)
    name = "hierarchical" if method is None and rope is not None else method
    test = chosen(DATA_SETS, name, rope, "wilcoxon")
    if test.of != FOLDS_OF_DATA_SETS:
        return compare_results(
            folds.averaged(better, missing),
            method=name,
            control=control,
            rope=rope,
            adjustment=adjustment,
            level=level,
            seed=seed,
        )
    values = [of_model for of in folds.values.values() for of_model in of.values()]
    refuse_whole_range("rope", rope, folds.measure, *range_of(folds.measure, np.concatenate(values, None)))
    tests = folds.tested(partial(test, better=better, rope=rope, level=level, seed=seed), control)
    facts = [
        ("models", ", ".join(folds.models)),
        ("data sets", f"{len(folds.values):,}"),
        ("values", f"{_named(folds.measure)}folds of each data set"),
        (
            "test cases over training cases",
            ", ".join(dict.fromkeys(f"{folds.ratio(name):.4g}" for name in folds.values)),
        ),
    ]
    if control is not None:
        facts.append(("control", f"{control}, prespecified"))
    return Comparisons(tuple(tests), folds.models, tuple(facts), level, seed)


class ResultArguments(TypedDict, total=False):
    """The columns of a frame of results over data sets, and what to do where values are missing."""

    dataset: str | None
    model: str | None
    value: str | None
    run: str | None
    better: str | None
    missing: MissingLabels


def win_tie_loss(results: Any, **columns: Unpack[ResultArguments]) -> Any:
    """Count how often each model is better than, equal to and worse than each other.

    Parameters
    ----------
    results : frame or Results
        The results, as in `compare_datasets`.
    **columns
        Names of the columns, as in `compare_datasets`.

    Returns
    -------
    pyarrow.Table
        One row for each pair. Columns: first, second, wins, ties, losses (of the first, in data sets), p
        (sign test, not adjusted).

    References
    ----------
    Demšar 2006, JMLR 7:1, section 3.1.4.

    Examples
    --------
    >>> frame = {"data": list("pqrs"), "a": [3, 4, 5, 6], "b": [2, 4, 6, 5]}
    >>> win_tie_loss(frame, dataset="data").to_pylist()
    [{'first': 'a', 'second': 'b', 'wins': 2, 'ties': 1, 'losses': 1, 'p': 1.0}]
    """
    table = _results(results, **columns)
    rows = []
    for a, b in pairs(table.models):
        shared = table.shared(a, b)
        differences = table.better * shared.differences(a, b)
        wins, ties = int((differences > 0).sum()), int((differences == 0).sum())
        row = {"first": a, "second": b, "wins": wins, "ties": ties, "losses": differences.size - wins - ties}
        rows.append(row | {"p": sign_test(shared, a, b).p})
    return frame_of(rows, kinds={"wins": "whole", "ties": "whole", "losses": "whole"})


def compare_results(
    results: Results,
    *,
    method: str | None = None,
    control: str | None = None,
    rope: float | None = None,
    adjustment: str = "holm",
    level: float = 0.95,
    seed: int = 0,
) -> Comparisons:
    """Compare models over many data sets; what is random is the data set.

    `method` is "wilcoxon" (default), "sign", "nemenyi", "mean-ranks" (of a control: Demšar's z), or "bayesian", the
    signed-rank test with a `rope`. With a `control` every other model is compared with it alone. Three models or more
    also get Friedman's test, and a critical-difference diagram whose bars come from the very tests of the pairs.
    Raises InputError for an unknown method or control, and for options that do not go together.

    >>> from classay.resampling.rank_tests import wide_results
    >>> tests = compare_results(wide_results({"a": [3, 4, 5, 6, 7, 9], "b": [2, 3, 4, 5, 6, 7]}))
    >>> tests[0].sentence
    'a is better than b in value by 1.000 (95% CI 1.000 to 2.000).'
    """
    known = chosen(DATA_SETS, method, rope, "wilcoxon")
    refuse_whole_range("rope", rope, results.measure, *range_of(results.measure, results.values.flat))
    name = known.name
    _check(name, control)
    if known.of == FOLDS_OF_DATA_SETS:
        raise InputError(
            f"Method {name!r} needs the folds of each data set. {hint('Pass fold= or an evaluation', 'Use --fold')} of "
            "several data sets, or use 'bayesian' with one value for each data set."
        )
    how = {"rope": rope, "control": control, "adjustment": adjustment, "level": level, "seed": seed}
    if known.of == PAIRS:
        tests = [
            _untested(shared, pair) or known(shared, *pair, **how)
            for pair in pairs(results.models, control)
            for shared in (results.shared(*pair),)
        ]
        tests = [_unless_unbounded(pair_test, results) for pair_test in tests]
        tests = tests if rope is not None else adjusted(tests, adjustment)
    else:
        if results.missing:
            raise InputError(
                f"Method {name!r} ranks all models on each data set, but {results.missing:,} values are missing. "
                "Use 'wilcoxon', 'sign' or 'bayesian', which compare two models at a time."
            )
        tests = [_unless_unbounded(pair_test, results) for pair_test in known(results, **how)]
    several = len(results.models) > 2 and not results.unbounded
    together = skillings_mack if results.missing else friedman
    drawn = several and control is None and name != "bayesian" and not results.missing
    return Comparisons(
        tuple(tests),
        results.models,
        _facts(results, control),
        level,
        seed,
        (together(results, level=level),) if several else (),
        _diagram(results, tests, name, level) if drawn else None,
    )


def _untested(shared: Results, pair: tuple[str, str]) -> Comparison | None:
    """Return the comparison of two models that share too few data sets for a test; None of those that share enough."""
    if len(shared.datasets) > 1:
        return None
    reason = f"they share {len(shared.datasets)} data sets, but at least two are needed"
    test, effect = SignificanceTest(reason=reason), Estimate.undefined(reason)
    return Comparison(pair, shared.measure, effect, float("nan"), "none", "data sets", test=test)


def _unless_unbounded(one: Comparison, results: Results) -> Comparison:
    """Return a comparison as it is; its value alone where no sample bounds the values of one of its models."""
    unbounded = [f"of {model}{why}" for model, why in results.unbounded.items() if model in one.models]
    if not unbounded or one.effect is None:
        return one
    effect = Estimate.bare(one.effect.value, unbounded[0])
    untested = Comparison(
        one.models, one.measure, effect, float("nan"), "none", one.random, values=one.values
    )
    return replace(
        untested, test=SignificanceTest(reason=unbounded[0]), sample=replace(one.sample, needed=None)
    )


def _check(name: str, control: str | None) -> None:
    if name == "nemenyi" and control is not None:
        raise InputError(
            f"Nemenyi's test compares all pairs. Remove {hint('control=', '--control')}, or use method "
            "'wilcoxon' or 'mean-ranks'."
        )
    if name == "mean-ranks" and control is None:
        raise InputError(
            f"Method 'mean-ranks' compares with a control. Name it with {hint('control=', '--control')}, or "
            "use 'nemenyi' for all pairs."
        )


def _facts(results: Results, control: str | None) -> tuple[tuple[str, str], ...]:
    facts = [
        ("models", ", ".join(results.models)),
        ("data sets", f"{len(results.datasets):,}"),
        ("values", f"{_named(results.measure)}{'higher' if results.better > 0 else 'lower'} is better"),
    ]
    least, most = results.runs
    if most > 1:
        facts.append(
            (
                results.unit,
                f"{most}, averaged"
                if least == most
                else f"{least} to {most} for each model and data set, averaged",
            )
        )
    if results.missing:
        share = f"{results.missing:,} of {results.values.size:,}"
        facts.append(("missing values", f"{share}; each pair is compared on the data sets with both values"))
    if control is not None:
        facts.append(("control", f"{control}, prespecified"))
    if control is not None and not results.missing:
        ranks = sorted(zip(results.mean_ranks.tolist(), results.models, strict=True))
        facts.append(("mean ranks", ", ".join(f"{model} {rank:.2f}" for rank, model in ranks)))
    return tuple(facts)


def _named(measure: str) -> str:
    return "" if measure == "value" else f"{title(measure)}, "


def _diagram(results: Results, tests: list[Comparison], name: str, level: float) -> CriticalDifference:
    distance = nemenyi_distance(results, level) if name == "nemenyi" else None
    return of_comparisons(results, tests, level=level, distance=distance)


def _results(
    table: Any,
    dataset: str | None = None,
    model: str | None = None,
    value: str | None = None,
    run: str | None = None,
    better: str | None = None,
    missing: MissingLabels = "refuse",
) -> Results:
    """Return the results of a long frame, or of a wide one; or as they are, turned where `better` says so."""
    turn = turn_of(better)
    if isinstance(table, Results):
        columns = {"dataset": dataset, "model": model, "value": value, "run": run}
        named = next((name for name, column in columns.items() if column is not None), None)
        if named is not None:
            raise InputError(
                f"{named}={columns[named]!r} names a column of a frame, but Results have none. Remove it, or use "
                "it with wide_results or long_results."
            )
        check_word("missing", missing, get_args(MissingLabels))
        return table if turn is None else replace(table, better=turn)
    if model is None and value is None:
        if run is not None:
            raise InputError(
                f"run={run!r} needs a long frame. Name the columns model= and value= too, or average the runs "
                "first."
            )
        return wide_results(table, dataset=dataset, better=turn, missing=missing)
    if model is None or value is None:
        raise InputError(
            f"A long frame of results needs both {hint('model= and value=', '--model and --value')}. A wide "
            "frame, with one column for each model, needs neither."
        )
    if dataset is None:
        raise InputError(
            f"A long frame of results needs the column of data sets. {hint('Pass dataset=', 'Use --dataset')}."
        )
    return long_results(
        table, dataset=dataset, model=model, value=value, run=run, better=turn, missing=missing
    )


Clique = tuple[str, ...]
MOST_NAMED, MOST_BEST = 6, 2
"""Models that a sentence names, and models of the best rank that have one."""


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

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Which model has the best mean rank, and from which others it does not differ."""
        best = [model for model, rank in zip(self.models, self.ranks, strict=True) if rank == self.ranks[0]]
        verb = "has" if len(best) == 1 else "share"
        texts = [f"{some(best, MOST_NAMED)} {verb} the best mean rank ({self.ranks[0]:.2f})."]
        groups = [{*clique} for clique in self.cliques]
        alike = {
            model: [
                other for other in self.models if other != model and any({model, other} <= g for g in groups)
            ]
            for model in best
        }
        for model, others in [*alike.items()][:MOST_BEST]:
            if len(others) == len(self.models) - 1:
                texts.append(f"No difference from {model} was detected for any other model.")
            elif others:
                texts.append(f"No difference from {model} was detected for {some(others, MOST_NAMED)}.")
            else:
                texts.append(f"All other models differ from {model}.")
        evidence = {
            "ranks": dict(zip(self.models, self.ranks, strict=True)),
            "no_difference_detected": alike,
        }
        return (Finding("best_mean_rank", "main", 0.5, " ".join(texts), evidence),)

    def plot(self, ax: Any = None) -> Any:
        """Draw with matplotlib on the given axes or new ones, and return them. Needs the extra `plot`."""
        return plot(self, ax)

    def svg(self) -> str:
        """Return the diagram as an SVG text to put into a page."""
        return svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()


def of_comparisons(
    results: Results, comparisons: Sequence[Comparison], *, level: float = 0.95, distance: float | None = None
) -> CriticalDifference:
    """Return the diagram of any tests of all pairs. Raises InputError when a pair has no p-value."""
    ranks = dict(zip(results.models, results.mean_ranks.tolist(), strict=True))
    order = sorted(results.models, key=lambda model: (ranks[model], results.models.index(model)))
    alike = _not_told_apart(order, comparisons)
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


def _not_told_apart(models: list[str], comparisons: Sequence[Comparison]) -> dict[str, set[str]]:
    """For each model, those from which it does not differ significantly."""
    of_pair = {
        frozenset(comparison.models): comparison for comparison in comparisons if not isnan(comparison.p)
    }
    alike: dict[str, set[str]] = {model: set() for model in models}
    for i, a in enumerate(models):
        for b in models[i + 1 :]:
            if (one := of_pair.get(frozenset((a, b)))) is None:
                raise InputError(f"There is no p-value for {a!r} and {b!r}. Pass a test of all pairs.")
            if not claim(one).shown:
                alike[a].add(b)
                alike[b].add(a)
    return alike


def _cliques(models: list[str], alike: dict[str, set[str]]) -> list[Clique]:
    """All largest groups whose members are pairwise alike (Bron & Kerbosch 1973), members in the order of models."""
    cliques: list[Clique] = []

    def grow(group: set[str], candidates: set[str], done: set[str]) -> None:
        if not candidates and not done:
            cliques.append(tuple(model for model in models if model in group))
            return
        pivot = max(candidates | done, key=lambda model: len(alike[model] & candidates))
        for model in [name for name in models if name in candidates - alike[pivot]]:
            grow(group | {model}, candidates & alike[model], done & alike[model])
            candidates = candidates - {model}
            done = done | {model}

    grow(set(), set(models), set())
    return cliques
