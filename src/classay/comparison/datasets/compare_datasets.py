"""Models over many data sets as `Comparisons`: the tests by their names, with the diagram of mean ranks."""

from __future__ import annotations

from collections.abc import Callable

from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.datasets.critical_difference import CriticalDifference, of_comparisons
from classay.comparison.datasets.results import Results
from classay.comparison.datasets.tests import (
    bayesian_signed_rank,
    friedman,
    nemenyi,
    nemenyi_distance,
    pairs,
    pairwise,
    sign_test,
    versus_control,
    wilcoxon,
)
from classay.comparison.wording import title
from classay.errors import InputError, nearest

METHODS = ("wilcoxon", "sign", "nemenyi", "mean-ranks", "bayesian")
TESTS: dict[str, Callable[..., Comparison]] = {"wilcoxon": wilcoxon, "sign": sign_test}


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

    >>> from classay.comparison.datasets.results import wide_results
    >>> found = compare_results(wide_results({"a": [3, 4, 5, 6, 7, 9], "b": [2, 3, 4, 5, 6, 7]}))
    >>> found[0].sentence
    'In value a is better than b by 1.000 (1.000 to 2.000).'
    """
    name = chosen(method, rope, METHODS, "over data sets")
    _check(name, control)
    if name == "bayesian":
        assert rope is not None
        found = [
            bayesian_signed_rank(results, a, b, rope, level=level, seed=seed).comparison(
                len(results.datasets), "data sets", results.better
            )
            for a, b in pairs(results.models, control)
        ]
    elif name == "nemenyi":
        found = nemenyi(results, level=level)
    elif name == "mean-ranks":
        found = versus_control(results, str(control), adjustment=adjustment, level=level)
    else:
        found = pairwise(results, test=TESTS[name], control=control, adjustment=adjustment, level=level)
    several = len(results.models) > 2
    return Comparisons(
        tuple(found),
        results.models,
        _facts(results, control),
        level,
        seed,
        (friedman(results, level=level),) if several else (),
        _diagram(results, found, name, level) if several and control is None and name != "bayesian" else None,
    )


def chosen(method: str | None, rope: float | None, known: tuple[str, ...], where: str) -> str:
    """The method by its name, the first one known by default; a rope asks for the Bayesian one.

    Raises InputError for an unknown method, and for a rope without the Bayesian method or the other way round.
    """
    name = method or ("bayesian" if rope is not None else known[0])
    if name not in known:
        raise InputError(
            f"no method {where} is named {method!r}{nearest(str(method), known) or '.'} Pass one of {', '.join(known)}."
        )
    if (name == "bayesian") != (rope is not None):
        raise InputError(
            "the method 'bayesian' needs rope= (--rope), the difference that counts as equal in practice, fixed "
            "beforehand, such as 0.01; 0 asks for better alone."
            if rope is None
            else f"rope is for the method 'bayesian', and {name!r} was asked for: leave one of them out."
        )
    return name


def _check(name: str, control: str | None) -> None:
    if name == "nemenyi" and control is not None:
        raise InputError(
            "Nemenyi's test is of all pairs: leave control= (--control) out, or pass method 'wilcoxon' or 'mean-ranks'."
        )
    if name == "mean-ranks" and control is None:
        raise InputError(
            "the method 'mean-ranks' compares with a control: name it with control= (--control), or pass 'nemenyi' for "
            "all pairs."
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
                "runs",
                f"{most}, averaged"
                if least == most
                else f"{least} to {most} of a model on a data set, averaged",
            )
        )
    if control is not None:
        facts.append(("control", f"{control}, named beforehand"))
        ranks = sorted(zip(results.mean_ranks.tolist(), results.models, strict=True))
        facts.append(("mean ranks", ", ".join(f"{model} {rank:.2f}" for rank, model in ranks)))
    return tuple(facts)


def _named(measure: str) -> str:
    return "" if measure == "value" else f"{title(measure)}, "


def _diagram(results: Results, found: list[Comparison], name: str, level: float) -> CriticalDifference:
    distance = nemenyi_distance(results, level) if name == "nemenyi" else None
    return of_comparisons(results, found, level=level, distance=distance)
