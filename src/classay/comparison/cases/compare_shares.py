"""Proportions compared: of two classifiers on the same cases, on different cases, of several at once."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.cases.difference import undefined
from classay.comparison.comparison import TEST_CASES, Comparison, Criterion, SignificanceTest, UnitsTested
from classay.comparison.named_tests import DIFFERENT_TEST_SETS, ONE_TEST_SET, ComparedInput, cite, test
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.proportions import INDEPENDENT_METHODS, PAIRED_METHODS
from classay.inference.significance import CHI_SQUARED, MCNEMAR, chi_squared_p, greater_p, statistic
from classay.inference.sizes import connor_cases
from classay.tables import PairedCounts

Array = NDArray[Any]
PROPORTIONS = ComparedInput[PairedCounts, Comparison]("proportions")
UNPAIRED_PROPORTIONS = ComparedInput[tuple[float, float], Comparison]("proportions")
CLUSTERED_PROPORTIONS = ComparedInput[ArrayLike, Comparison]("proportions of clustered cases")
"""What these tests are of."""
SOURCES = {
    "Tango": "tango1998",
    "Newcombe": "newcombe1998b",
    "Bonett-Price": "bonett2012",
    "mid-P": "fagerland2013",
    "exact": "mcnemar1947",
    "asymptotic": "mcnemar1947",
    "continuity-corrected": "mcnemar1947",
    "Newcombe, unpaired": "newcombe1998",
    "Miettinen-Nurminen, unpaired": "miettinen1985",
    "Agresti-Caffo, unpaired": "agresti2000",
}


def mcnemar(
    counts: PairedCounts,
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "accuracy",
    test: str = "mid-P",
    interval: str = "Tango",
    level: float = 0.95,
    units: str = "cases",
) -> Comparison:
    """Compare two proportions of the same cases: McNemar's test, and an interval for the difference.

    `counts` say how many cases both classifiers get right, only the first, only the second, neither. Accuracy
    counts all cases; recall those of one class, and specificity the others. It compares two trained models,
    not two ways of training. `test` is "mid-P", "exact", "asymptotic" or "continuity-corrected", `interval`
    "Tango", "Newcombe" or "Bonett-Price". Raises InputError for other names.

    >>> mcnemar(PairedCounts(59, 6, 16, 80))
    Comparison(accuracy of first less second: -0.062 [-0.124, -0.005] 95 %, Tango; p = 0.035, McNemar, mid-P)
    """
    _known("test", test, MCNEMAR)
    _known("interval", interval, PAIRED_METHODS)
    both, b, c, neither = (float(each) for each in counts)
    n = both + b + c + neither
    if n == 0:
        return undefined(models, measure, f"there are no {units}")
    low, high = _paired_limits(counts, interval, level)
    p = float(MCNEMAR[test](b, c))
    return Comparison(
        models,
        measure,
        Estimate((b - c) / n, float(low), float(high), level, interval),
        p,
        f"McNemar, {test}",
        TEST_CASES,
        values=((both + b) / n, (both + c) / n),
        test=SignificanceTest(
            statistic=statistic(test, b, c),
            reference=cite(SOURCES[test], SOURCES[interval]),
            df=1 if test in CHI_SQUARED else None,
            tails=(float(greater_p(test, b, c)), float(greater_p(test, c, b))),
        ),
        sample=UnitsTested(
            n=n, units=units, needed=None if b == c else connor_cases(b / n, c / n, level=level)
        ),
        criterion=Criterion(level=level),
    )


def _paired_limits(counts: PairedCounts, interval: str, level: float) -> tuple[float, float]:
    """The limits, those of classifiers in the other order mirrored to the last bit."""
    both, b, c, neither = counts
    turned = PairedCounts(both, c, b, neither)
    low, high = PAIRED_METHODS[interval](counts if b > c else turned, level)
    if b == c:
        return -float(high), float(high)
    return (float(low), float(high)) if b > c else (-float(high), -float(low))


def independent(
    successes: tuple[float, float],
    cases: tuple[float, float],
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "accuracy",
    interval: str = "Newcombe",
    level: float = 0.95,
) -> Comparison:
    """Compare proportions of different cases: two models on two test sets, one model in two groups.

    The p-value is that of the pooled two-sample z, without continuity correction, which rejects just where
    the score interval leaves out 0. `interval` is "Newcombe", "Miettinen-Nurminen" or "Agresti-Caffo".

    >>> independent((56, 48), (70, 80))
    Comparison(accuracy of first less second: 0.200 [0.052, 0.334] 95 %, Newcombe, unpaired; p = 0.0080, two-sample z)
    """
    from scipy.special import ndtr

    _known("interval", interval, INDEPENDENT_METHODS)
    (x1, x2), (n1, n2) = successes, cases
    if min(n1, n2) == 0:
        return undefined(models, measure, f"there are no cases of {models[0 if n1 == 0 else 1]}")
    low, high = INDEPENDENT_METHODS[interval](x1, n1, x2, n2, level)
    pooled = (x1 + x2) / (n1 + n2)
    spread = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    z = (x1 / n1 - x2 / n2) / sqrt(spread) if spread > 0 else 0.0
    return Comparison(
        models,
        measure,
        Estimate(x1 / n1 - x2 / n2, float(low), float(high), level, f"{interval}, unpaired"),
        2 * float(ndtr(-abs(z))),
        "two-sample z",
        TEST_CASES,
        values=(x1 / n1, x2 / n2),
        test=SignificanceTest(statistic=z, reference=cite(SOURCES[f"{interval}, unpaired"])),
        sample=UnitsTested(n=n1 + n2),
        criterion=Criterion(level=level),
    )


def cochran_q(right: ArrayLike, models: tuple[str, ...] | None = None, *, level: float = 0.95) -> Comparison:
    """Whether several classifiers are equally often right on the same cases: Cochran's Q.

    Q = (k - 1) (k ΣG² - T²) / (kT - ΣL²) with G the successes of each of k classifiers, L those of each case and
    T all of them; chi-squared with k - 1 degrees of freedom. `right` is `(cases, classifiers)`, booleans. Raises
    InputError for fewer than two classifiers. Cochran 1950, Biometrika 37:256.

    >>> cochran_q([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 1]]).p.__round__(4)
    0.1054
    """
    from scipy.special import chdtrc

    table = np.asarray(right, bool)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(f"right has shape {table.shape}: pass one row a case, one column a classifier.")
    n, k = table.shape
    names = models or tuple(f"model {i + 1}" for i in range(k))
    by_model, by_case = table.sum(0).astype(float), table.sum(1).astype(float)
    total = by_model.sum()
    below = k * total - (by_case**2).sum()
    q = (k - 1) * (k * (by_model**2).sum() - total**2) / below if below > 0 else 0.0
    return Comparison(
        names,
        "accuracy",
        None,
        float(chdtrc(k - 1, q)),
        "Cochran Q",
        TEST_CASES,
        values=tuple((by_model / n).tolist()) if n else (),
        test=SignificanceTest(statistic=q, reference=cite("cochran1950"), df=k - 1),
        sample=UnitsTested(n=n),
        criterion=Criterion(level=level),
    )


@test(
    "clustered-mcnemar",
    "clustered McNemar",
    where=ONE_TEST_SET,
    of=CLUSTERED_PROPORTIONS,
    references=("obuchowski1998",),
)
def clustered_mcnemar(
    first: ArrayLike,
    second: ArrayLike,
    cluster: Array,
    models: tuple[str, str] = ("first", "second"),
    *,
    measure: str = "accuracy",
    level: float = 0.95,
) -> Comparison:
    """Obuchowski's test of two proportions of cases in clusters, with the variance that holds if they are equal.

    χ² = (I - 1) / I · (Σ d)² / Σ d² over I clusters, d the first's successes less the second's in a cluster;
    with one case a cluster it is McNemar's χ² times (I - 1) / I. `first` and `second` say of each case whether it
    is a success, `cluster` are whole numbers from 0. It has no interval; `difference` by influence has. Obuchowski
    1998, Statistics in Medicine 17:1495.

    >>> clustered_mcnemar([1, 1, 1, 0, 1, 1], [0, 0, 1, 0, 1, 0], np.array([0, 0, 1, 1, 2, 2])).p.__round__(4)
    0.2733
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    each = np.bincount(cluster, weights=a - b)
    clusters = int(np.unique(cluster).size)
    squares = float((each**2).sum())
    chi2 = (clusters - 1) / clusters * float(each.sum()) ** 2 / squares if squares > 0 else 0.0
    return Comparison(
        models,
        measure,
        Estimate.bare(float((a - b).mean()), "the test has none"),
        float(chi_squared_p(np.sqrt(chi2), 1.0)),
        "clustered McNemar",
        TEST_CASES,
        values=(float(a.mean()), float(b.mean())),
        test=SignificanceTest(statistic=chi2, reference=cite("obuchowski1998"), df=1),
        sample=UnitsTested(n=clusters, units="clusters"),
        criterion=Criterion(level=level),
    )


def _known(what: str, name: str, known: dict[str, Any]) -> None:
    if name not in known:
        raise InputError(f"no {what} is named {name!r}: pass one of {', '.join(known)}.")


_PAIRED = {
    "mid-p": ("mid-P", "Tango"),
    "exact": ("exact", "Tango"),
    "asymptotic": ("asymptotic", "Tango"),
    "continuity-corrected": ("continuity-corrected", "Tango"),
    "newcombe": ("mid-P", "Newcombe"),
    "bonett-price": ("mid-P", "Bonett-Price"),
}
"""Names of methods: McNemar's test and the interval beside it."""
for _name, (_test, _interval) in _PAIRED.items():
    test(
        _name,
        f"McNemar, {_test}" if _interval == "Tango" else f"McNemar, {_test}, with {_interval}'s interval",
        where=ONE_TEST_SET,
        of=PROPORTIONS,
        references=(SOURCES[_test], SOURCES[_interval]),
    )(partial(mcnemar, test=_test, interval=_interval))
for _interval in INDEPENDENT_METHODS:
    test(
        _interval.lower(),
        f"two-sample z, with {_interval}'s interval",
        where=DIFFERENT_TEST_SETS,
        of=UNPAIRED_PROPORTIONS,
        references=(SOURCES[f"{_interval}, unpaired"],),
    )(partial(independent, interval=_interval))
