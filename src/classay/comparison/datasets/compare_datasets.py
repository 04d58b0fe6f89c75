"""Models over many data sets as `Comparisons`: the tests by their names, with the diagram of mean ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.answers import MissingLabels
from classay.columns.frames import frame_of
from classay.comparison.comparison import Alternative, Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.datasets import bayesian, pair_tests  # noqa: F401 - they register their tests
from classay.comparison.datasets.critical_difference import CriticalDifference, of_comparisons
from classay.comparison.datasets.hierarchical import FOLDS_OF_DATA_SETS
from classay.comparison.datasets.mean_ranks import friedman, nemenyi_distance, skillings_mack
from classay.comparison.datasets.pair_tests import sign_test
from classay.comparison.datasets.results import PAIRS, Results, long_results, wide_results
from classay.comparison.family import adjusted, pairs
from classay.comparison.one_sided import check_sides, in_direction, level_of_both
from classay.comparison.registry import DATA_SETS, KnownTest, chosen
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate
from classay.inference.words import title
from classay.kinds import checked

BETTER = {"higher": 1, "lower": -1}


@checked
def compare_datasets(
    results: Any,
    *,
    dataset: str | None = None,
    model: str | None = None,
    value: str | None = None,
    run: str | None = None,
    better: str | None = None,
    method: str | None = None,
    control: str | None = None,
    rope: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    missing: MissingLabels = "refuse",
) -> Comparisons:
    """Compare models over many data sets; what is random is the data set.

    `results` are a long frame with the columns `dataset`, `model`, `value`, and `run` if there are several, which are
    averaged; a wide one with the column `dataset`, all others being models; or `Results`. `better` is "higher" or
    "lower", by default as the measure that `value` names. `method` is "wilcoxon" (the default), "sign", "nemenyi",
    "mean-ranks" (of a control) or "bayesian", which needs a `rope`; "hierarchical", which needs one too, is of an
    evaluation alone. The other options are those of `compare`.

    With missing="drop" models may lack values: two are compared over the data sets that both have, and all together by
    Skillings and Mack's test, which is Friedman's where no value is missing.

    Raises InputError for results that lack a value and may not, and options that are unknown or do not go together.

    >>> frame = {"data": list("pqrstu"), "a": [3, 4, 5, 6, 7, 9], "b": [2, 3, 4, 5, 6, 7]}
    >>> compare_datasets(frame, dataset="data")[0].p
    0.03125
    """
    check_sides(alternative, method, None, rope)
    both = level_of_both(alternative, level)
    given = results
    if not isinstance(results, Results):
        given = _results(results, dataset, model, value, run, better, missing)
    how: dict[str, Any] = {"method": method, "control": control, "rope": rope, "adjustment": adjustment}
    found = compare_results(given, **how, level=both, seed=seed_of(seed))
    return in_direction(found, alternative, adjustment, level)


def win_tie_loss(results: Any, **columns: Any) -> Any:
    """How often each model is better than, equal to and worse than each other, a PyArrow table of the pairs.

    Columns: first, second, wins, ties, losses (of the first, in data sets), p (sign test, not adjusted). `results` and
    `columns` are those of `compare_datasets`. Demšar 2006, JMLR 7:1, section 3.1.4.

    >>> frame = {"data": list("pqrs"), "a": [3, 4, 5, 6], "b": [2, 4, 6, 5]}
    >>> win_tie_loss(frame, dataset="data").to_pylist()
    [{'first': 'a', 'second': 'b', 'wins': 2, 'ties': 1, 'losses': 1, 'p': 1.0}]
    """
    given = results if isinstance(results, Results) else _results(results, **columns)
    rows = []
    for a, b in pairs(given.models):
        shared = given.shared(a, b)
        apart = given.better * shared.differences(a, b)
        wins, ties = int((apart > 0).sum()), int((apart == 0).sum())
        row = {"first": a, "second": b, "wins": wins, "ties": ties, "losses": apart.size - wins - ties}
        rows.append(row | {"p": sign_test(shared, a, b).p})
    return frame_of(rows)


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
    known = chosen(DATA_SETS, method, rope, "wilcoxon")
    name = known.name
    _check(name, control)
    if known.of == FOLDS_OF_DATA_SETS:
        raise InputError(
            f"the method {name!r} needs the folds of each data set: pass an evaluation of several data sets, or use "
            "'bayesian', of one value a data set."
        )
    how = {"rope": rope, "control": control, "adjustment": adjustment, "level": level, "seed": seed}
    if known.of == PAIRS:
        found = [_of_pair(known, results, (a, b), how) for a, b in pairs(results.models, control)]
        found = found if rope is not None else adjusted(found, adjustment)
    else:
        if results.missing:
            raise InputError(
                f"the method {name!r} ranks all models on each data set, and {results.missing:,} values are missing: "
                "use 'wilcoxon', 'sign' or 'bayesian', which compare two models at a time."
            )
        found = known(results, **how)
    several = len(results.models) > 2
    together = skillings_mack if results.missing else friedman
    drawn = several and control is None and name != "bayesian" and not results.missing
    return Comparisons(
        tuple(found),
        results.models,
        _facts(results, control),
        level,
        seed,
        (together(results, level=level),) if several else (),
        _diagram(results, found, name, level) if drawn else None,
    )


def _of_pair(
    known: KnownTest[Results, Comparison], results: Results, pair: tuple[str, str], how: dict[str, Any]
) -> Comparison:
    """The test of two models over the data sets that both have."""
    shared = results.shared(*pair)
    if len(shared.datasets) < 2:
        reason = f"they share {len(shared.datasets)} data sets, and two or more are wanted"
        effect = Estimate.undefined(reason)
        return Comparison(pair, results.measure, effect, float("nan"), "none", "data sets", reason=reason)
    return known(shared, *pair, **how)


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
    if results.missing:
        share = f"{results.missing:,} of {results.values.size:,}"
        facts.append(("missing values", f"{share}; each pair on the data sets that both have"))
    if control is not None:
        facts.append(("control", f"{control}, named beforehand"))
    if control is not None and not results.missing:
        ranks = sorted(zip(results.mean_ranks.tolist(), results.models, strict=True))
        facts.append(("mean ranks", ", ".join(f"{model} {rank:.2f}" for rank, model in ranks)))
    return tuple(facts)


def _named(measure: str) -> str:
    return "" if measure == "value" else f"{title(measure)}, "


def _diagram(results: Results, found: list[Comparison], name: str, level: float) -> CriticalDifference:
    distance = nemenyi_distance(results, level) if name == "nemenyi" else None
    return of_comparisons(results, found, level=level, distance=distance)


def _results(
    frame: Any,
    dataset: str | None = None,
    model: str | None = None,
    value: str | None = None,
    run: str | None = None,
    better: str | None = None,
    missing: MissingLabels = "refuse",
) -> Results:
    """The results of a long frame, or of a wide one."""
    if better is not None and better not in BETTER:
        raise InputError(f"better is {better!r}: pass 'higher' or 'lower'.")
    turn = None if better is None else BETTER[better]
    if model is None and value is None:
        if run is not None:
            raise InputError(
                f"run={run!r} is for a long frame: name the columns model= and value= too, or average the runs first."
            )
        return wide_results(frame, dataset=dataset, better=turn, missing=missing)
    if model is None or value is None:
        raise InputError(
            "a long frame of results needs the columns of both model= and value= (--model, --value); a wide one, with "
            "a column a model, neither."
        )
    if dataset is None:
        raise InputError("a long frame of results needs the column of data sets too: pass dataset=.")
    return long_results(
        frame, dataset=dataset, model=model, value=value, run=run, better=turn, missing=missing
    )
