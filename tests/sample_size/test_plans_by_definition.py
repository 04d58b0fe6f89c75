"""Every plan from its definition: what n cases give, by SciPy or by enumeration, and that fewer give less."""

from collections.abc import Callable
from itertools import count
from math import ceil, floor, log, sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import optimize, stats

import classay as ca
from sample_size.aucs import (
    NODES,
    WEIGHTS,
    covariance_of_aucs,
    exponential_variance,
    normal_variance,
    rating_variance,
)

size = ca.sample_size


def half_width_of_wilson(share, n, level):
    """Half the distance of the two shares that lie z standard errors from the observed one: roots of a quadratic."""
    z2 = stats.norm.ppf((1 + level) / 2) ** 2
    low, high = sorted(np.roots([1 + z2 / n, -(2 * share + z2 / n), share * share]).real)
    return (high - low) / 2


class Plan(NamedTuple):
    """A call without a goal or cases, the goal, and its definition."""

    call: Callable[..., Any]
    goal: dict
    level: float
    what: str
    reached: Callable[[int], float]
    fewest: int
    method: str
    assumed: str
    positives: Callable[[int], int | None] = lambda n: None
    cases: tuple[int, ...] = ()
    method_of_cases: str | None = None


def first_that(condition, start=1):
    return next(n for n in count(start) if condition(n))


def proportion_plan(wanted, share, level):
    def reached(n):
        return half_width_of_wilson(0.5 if share is None else share, n, level)

    return Plan(
        lambda **goal: size.for_proportion(expected=share, level=level, **goal),
        {"half_width": wanted},
        level,
        "half-width",
        reached,
        first_that(lambda n: reached(n) <= wanted),
        "Wilson, worst case" if share is None else f"Wilson, expected {share}",
        "a proportion of 0.5, the widest interval; independent cases"
        if share is None
        else f"a proportion of {share}; independent cases",
        cases=(1, 2, 17),
    )


def class_rate_plan(wanted, prevalence, share, level):
    def reached(n):
        return half_width_of_wilson(share, floor(n * prevalence), level)

    positives = first_that(lambda p: half_width_of_wilson(share, p, level) <= wanted)
    return Plan(
        lambda **goal: size.for_class_rate(prevalence=prevalence, expected=share, level=level, **goal),
        {"half_width": wanted},
        level,
        "half-width",
        reached,
        ceil(positives / prevalence),
        f"Wilson, expected {share}, among the positives",
        f"a proportion of {share}; independent cases, {100 * prevalence:g}% positive cases",
        lambda n: floor(n * prevalence),
        cases=(ceil(1 / prevalence), 99),
    )


def precision_plan(wanted, precision, recall, prevalence, level):
    called = prevalence * recall / precision
    of_called = first_that(lambda m: half_width_of_wilson(precision, m, level) <= wanted)
    fewest = ceil(of_called / called)
    number = {fewest: of_called}
    method = "Wilson, expected {}, with {} cases predicted positive"
    return Plan(
        lambda **goal: size.for_precision(
            precision=precision, recall=recall, prevalence=prevalence, level=level, **goal
        ),
        {"half_width": wanted},
        level,
        "half-width",
        lambda n: half_width_of_wilson(precision, number.get(n, max(1, floor(n * called))), level),
        fewest,
        method.format(precision, of_called),
        f"precision {precision}, recall {recall:g}, {100 * prevalence:g}% positive cases",
        lambda n: int(n * prevalence),
        cases=(31,),
        method_of_cases=method.format(precision, max(1, floor(31 * called))),
    )


def auc_plan(wanted, auc, prevalence, method, level):
    variance = {"normal": normal_variance, "hanley-mcneil": exponential_variance}[method]

    def positives(n):
        return ceil(prevalence * n - 1e-9)

    def reached(n):
        p = positives(n)
        return stats.norm.ppf((1 + level) / 2) * sqrt(variance(auc, p, n - p)) if 0 < p < n else np.inf

    scores = {"normal": "normal scores of equal spread", "hanley-mcneil": "exponential scores"}[method]
    return Plan(
        lambda **goal: size.for_auc(auc, prevalence=prevalence, method=method, level=level, **goal),
        {"half_width": wanted},
        level,
        "half-width",
        reached,
        first_that(lambda n: reached(n) <= wanted, 2),
        {"normal": "exact variance of normal scores", "hanley-mcneil": "Hanley-McNeil"}[method],
        f"AUC {auc}, {100 * prevalence:g}% positive cases, {scores}",
        positives,
        cases=(40, 41),
    )


def z_test_plan(call, difference, variances, prevalence, power, level, method, assumed):
    """A z test: (difference - z √V under no difference) / √V; all cases of the least number of positives."""
    z, z_power = stats.norm.ppf([(1 + level) / 2, power])
    ratio = (1 - prevalence) / prevalence

    def enough(p):
        variance, under_equal = variances(p, ratio * p)
        return difference >= z * sqrt(under_equal) + z_power * sqrt(variance)

    def reached(n):
        p = floor(prevalence * n + 1e-9)
        variance, under_equal = variances(p, n - p)
        return stats.norm.cdf((difference - z * sqrt(under_equal)) / sqrt(variance))

    return Plan(
        call,
        {"power": power},
        level,
        "power",
        reached,
        ceil(first_that(enough) / prevalence - 1e-9),
        method,
        assumed,
        lambda n: floor(prevalence * n + 1e-9),
        cases=(45, 230),
    )


def difference_plan(first, second, prevalence, power, level, correlated=MappingProxyType({})):
    ratings = correlated.get("method") == "obuchowski"
    variance = rating_variance if ratings else normal_variance
    shared, of_scores = correlated.get("correlation", 0), correlated.get("score_correlation")

    def variances(p, n):
        a, b = (variance(auc, p, n) for auc in (first, second))
        covariance = shared * sqrt(a * b)
        if of_scores is not None:
            covariance = covariance_of_aucs(first, second, p, n, of_scores)
        return a + b - 2 * covariance, 2 * a * (1 - shared) if ratings else a + b - 2 * covariance

    drawn = "separate cases for each classifier"
    if "correlation" in correlated:
        drawn = f"same cases, correlation {shared}"
    if of_scores is not None:
        drawn = f"same cases, scores correlated by {of_scores}"
    return z_test_plan(
        lambda **goal: size.for_auc_difference(
            first, second, prevalence=prevalence, level=level, **correlated, **goal
        ),
        abs(first - second),
        variances,
        prevalence,
        power,
        level,
        f"{'Obuchowski' if ratings else 'exact variance of normal scores'}, {drawn}",
        f"AUCs {first} and {second}, {100 * prevalence:g}% positive cases, "
        f"{'ratings of ' if ratings else ''}normal scores of equal spread",
    )


def against_plan(auc, against, prevalence, power, level, method, scale=1.0):
    ratings = method == "obuchowski"
    variance = rating_variance if ratings else normal_variance
    slope = 1 if ratings else auc * (1 - auc)
    apart = auc - against if ratings else log(auc / (1 - auc)) - log(against / (1 - against))

    def variances(p, n):
        expected = scale * variance(auc, p, n)
        return expected, scale * variance(against, p, n) if ratings else expected

    assumed = f"AUC {auc} compared with {against} (known without error), {100 * prevalence:g}% positive cases"
    assumed += "" if ratings else ", normal scores of equal spread"
    if scale != 1:
        assumed += f"; variance as in the pilot ({scale} times the formula)"
    return z_test_plan(
        lambda **goal: size.for_auc_against(
            auc, against, prevalence, level=level, method=method, scale=scale, **goal
        ),
        abs(apart) * slope,
        variances,
        prevalence,
        power,
        level,
        f"{'Obuchowski' if ratings else 'exact variance of normal scores'}, two-sided",
        assumed,
    )


def mcnemar_plan(first, second, power, level):
    either, apart = first + second, abs(first - second)
    z, z_power = stats.norm.ppf([(1 + level) / 2, power])

    def reached(n):
        """Over all numbers of discordant cases, and of those for the first, with mid-P of at most 1 - level."""
        total = 0.0
        for m in range(n + 1):
            won = np.arange(m + 1)
            fewer = np.minimum(won, m - won)
            p = np.minimum(1, 2 * stats.binom.cdf(fewer, m, 0.5) - stats.binom.pmf(fewer, m, 0.5))
            chance = stats.binom.pmf(won, m, first / either)
            total += stats.binom.pmf(m, n, either) * chance[p <= 1 - level].sum()
        return total

    return Plan(
        lambda **goal: size.for_mcnemar(first, second, level=level, **goal),
        {"power": power},
        level,
        "exact power of the mid-P test",
        reached,
        ceil((z * sqrt(either) + z_power * sqrt(either - apart**2)) ** 2 / apart**2),
        "Connor",
        f"only the first correct in {100 * first:g}% of cases, only the second in {100 * second:g}%",
        cases=(1, 6, 25),
        method_of_cases="McNemar",
    )


def no_failures_plan(rate, level):
    return Plan(
        lambda **goal: size.for_no_failures(level=level, **goal),
        {"rate": rate},
        level,
        "upper bound",
        lambda n: optimize.brentq(lambda p: (1 - p) ** n - (1 - level), 0, 1, xtol=1e-14),
        first_that(lambda n: (1 - rate) ** n <= 1 - level),
        "zero failures, one-sided",
        "independent cases without a failure",
        cases=(1, 2, 7),
    )


def leaderboard_plan(models, first, second, power, level):
    def below(d):
        """By Gauss-Hermite nodes."""
        return WEIGHTS @ stats.norm.cdf(NODES + sqrt(2) * d) ** (models - 1) - level

    quantile = optimize.brentq(below, 0, 9, xtol=1e-10)
    apart = abs(first - second)
    root = sqrt(first + second - apart**2) / apart
    others = {
        2: "",
        3: "; the other model is farther behind than the next; differences from the leader have correlation 1/2",
        6: "; the other 4 models are farther behind than the next; differences from the leader have correlation 1/2",
    }[models]

    return Plan(
        lambda **goal: size.for_leaderboard(models, first, second, level=level, **goal),
        {"power": power},
        level,
        "power",
        lambda n: stats.norm.cdf(sqrt(n) / root - quantile),
        first_that(lambda n: sqrt(n) / root - quantile >= stats.norm.ppf(power)),
        f"Hsu, the leader of {models} compared with the next",
        f"only the leader correct in {100 * first:g}% of cases, only the next in {100 * second:g}%{others}",
        cases=(1, 33),
    )


def gate_plan(margin, discordant, difference, groups, power, level):
    """The standard error under -margin is that of shares which are most likely under it, found by a search."""
    won, lost = (discordant + difference) / 2, (discordant - difference) / 2

    def unlikelihood(q):
        return -(won * log(q) + lost * log(q + margin) + (1 - discordant) * log(1 - 2 * q - margin))

    q = optimize.minimize_scalar(
        unlikelihood, bounds=(1e-12, (1 - margin) / 2 - 1e-12), method="bounded", options={"xatol": 1e-12}
    ).x
    under_margin = sqrt(2 * q + margin - margin**2)
    error = sqrt(discordant - difference**2)
    room, z = margin + difference, stats.norm.ppf((1 + level) / 2)

    def reached(n):
        return stats.norm.cdf((room * sqrt(n / groups) - z * under_margin) / error) ** groups

    per_group = first_that(lambda n: reached(n * groups) >= power)
    method = f"non-inferior with margin {margin}"
    of_cases = method
    if groups > 1:
        of_cases = method + f", {groups} groups of {300 / groups:.0f} cases, which all must pass"
        method += f", {groups} groups of {per_group} cases, which all must pass"
    return Plan(
        lambda **goal: size.for_gate(margin, discordant, difference, groups, level=level, **goal),
        {"power": power},
        level,
        "power",
        reached,
        groups * per_group,
        method,
        f"only one model correct in {100 * discordant:g}% of cases, a difference of {100 * difference:g} "
        "percentage points",
        cases=(300,),
        method_of_cases=of_cases,
    )


def means_plan(difference, deviation, power, level, margin=None, per_cluster=1, correlation=0.0):
    room = abs(difference) if margin is None else difference + margin
    error = deviation * sqrt(1 + (per_cluster - 1) * correlation)

    def reached(n):
        degrees = n / per_cluster - 1
        edge = stats.t.ppf((1 + level) / 2, degrees)
        return stats.nct.sf(edge, degrees, room / error * sqrt(n))

    clusters = first_that(lambda k: reached(k * per_cluster) >= power, 2)
    fewest = ceil(clusters * per_cluster)
    assumed = f"difference of means {difference}, with a standard deviation per case of {deviation}"
    end = "" if margin is None else f", non-inferior with margin {margin}"
    names = dict.fromkeys((fewest, 20), f"paired t{end}")
    if per_cluster > 1:
        assumed += f"; correlation {correlation:g} within a cluster"
        names = {
            n: f"paired t over {n / per_cluster:.0f} clusters of {per_cluster:g} cases{end}"
            for n in (fewest, 20)
        }
    return Plan(
        lambda **goal: size.for_means(
            difference,
            deviation,
            margin=margin,
            per_cluster=per_cluster,
            correlation=correlation,
            level=level,
            **goal,
        ),
        {"power": power},
        level,
        "power",
        reached,
        fewest,
        names[fewest],
        assumed,
        cases=(20,),
        method_of_cases=names[20],
    )


RATINGS = {"method": "obuchowski"}
PLANS = {
    proportion_plan: [(0.2, None, 0.95), (0.11, 0.9, 0.9), (0.05, 0.02, 0.95), (0.4, 0.3, 0.8)],
    class_rate_plan: [(0.2, 0.3, 0.8, 0.95), (0.1, 0.07, 0.95, 0.9)],
    precision_plan: [(0.2, 0.6, 0.8, 0.2, 0.95), (0.12, 0.9, 0.5, 0.3, 0.8), (0.1, 0.25, 1.0, 0.125, 0.95)],
    auc_plan: [
        (0.1, 0.8, 0.3, "normal", 0.95),
        (0.12, 0.7, 0.9, "normal", 0.9),
        (0.05, 0.97, 0.15, "normal", 0.95),
        (0.1, 0.85, 0.2, "hanley-mcneil", 0.95),
        (0.2, 0.3, 0.55, "hanley-mcneil", 0.99),
    ],
    difference_plan: [
        (0.7, 0.85, 0.4, 0.8, 0.95),
        (0.9, 0.7, 0.2, 0.7, 0.9, {"correlation": 0.4}),
        (0.7, 0.85, 0.6, 0.85, 0.95, {"correlation": -0.3}),
        (0.75, 0.9, 0.3, 0.9, 0.95, {"score_correlation": 0.6}),
        (0.7, 0.9, 0.35, 0.8, 0.95, {"correlation": 0.5, **RATINGS}),
        (0.9, 0.7, 0.35, 0.8, 0.99, RATINGS),
    ],
    against_plan: [
        (0.85, 0.7, 0.3, 0.8, 0.95, "normal"),
        (0.7, 0.85, 0.3, 0.9, 0.9, "normal", 1.2),
        (0.7, 0.9, 0.3, 0.8, 0.95, "normal", 2),
        (0.85, 0.7, 0.3, 0.8, 0.95, "obuchowski"),
        (0.6, 0.8, 0.75, 0.7, 0.95, "obuchowski", 0.8),
    ],
    mcnemar_plan: [
        (0.4, 0.1, 0.8, 0.95),
        (0.1, 0.35, 0.7, 0.9),
        (0.25, 0.0, 0.9, 0.95),
        (0.6, 0.4, 0.6, 0.95),
    ],
    no_failures_plan: [(0.05, 0.95), (0.5, 0.9), (0.2, 0.8), (0.9, 0.5)],
    leaderboard_plan: [(2, 0.2, 0.1, 0.8, 0.95), (3, 0.1, 0.25, 0.9, 0.9), (6, 0.3, 0.15, 0.7, 0.99)],
    gate_plan: [
        (0.1, 0.2, 0.0, 1, 0.8, 0.95),
        (0.08, 0.3, 0.03, 1, 0.9, 0.9),
        (0.12, 0.25, -0.02, 3, 0.8, 0.95),
    ],
    means_plan: [
        (0.3, 0.5, 0.8, 0.95),
        (-0.2, 0.4, 0.9, 0.9),
        (0.1, 0.5, 0.8, 0.95, 0.15),
        (-0.05, 0.3, 0.8, 0.95, 0.25, 4, 0.3),
        (0.4, 0.9, 0.7, 0.95, None, 2.5, 0.5),
    ],
}


@pytest.mark.parametrize(
    ("plan_of", "given"),
    [
        pytest.param(plan_of, given, id=f"{plan_of.__name__}-{number}")
        for plan_of, several in PLANS.items()
        for number, given in enumerate(several)
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # of SciPy 1.13's noncentral t
def test_a_plan_is_its_definition(plan_of, given):
    """Cases, classes, what they give and the words, of the goal and of cases that are passed."""
    plan = plan_of(*given)
    found = plan.call(**plan.goal)
    assert (found.cases, found.level) == (plan.fewest, plan.level)
    assert (found.what, found.method, found.assumed) == (plan.what, plan.method, plan.assumed)
    assert (found.cases_if_not_calibrated, found.reached_if_not_calibrated) == (None, None)
    for cases in (found.cases, *plan.cases):
        again = plan.call(cases=cases)
        positives = plan.positives(cases)
        assert (again.cases, again.positives) == (cases, positives)
        assert again.negatives == (None if positives is None else cases - positives)
        assert again.reached == pytest.approx(plan.reached(cases), rel=1e-6, abs=1e-9)
        assert (again.what, again.assumed, again.level) == (plan.what, plan.assumed, found.level)
        if cases != found.cases or plan.method_of_cases is None:
            assert again.method == (plan.method_of_cases or plan.method)
    assert plan.call(cases=found.cases).reached == found.reached
    (goal,) = plan.goal
    if (
        goal != "power"
    ):  # what n cases give is what a goal of just that needs; of powers, to the last digit but some
        assert plan.call(**{goal: found.reached}).cases <= found.cases
