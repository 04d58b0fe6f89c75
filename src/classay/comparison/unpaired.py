"""Models compared on different cases: their assessments are independent, and variances add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.comparison.adjust import adjusted
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.proportions import independent, undefined
from classay.comparison.ranking import compare_unpaired_aucs
from classay.comparison.spread import How, Units, of_variance
from classay.errors import InputError
from classay.inference.delta import counts_influence, delta_variance, matrix_influence
from classay.inference.linearised import spread_of
from classay.measures import Measure, get
from classay.tables import BinaryCounts, ScoreTable

if TYPE_CHECKING:
    from classay.assessment import Assessment

DELTA = How("delta, unpaired", "delta method z", ("agresti2013",))
WELCH = How("Welch t", "Welch t", ("welch1947",))
INFLUENCE = How("influence function, unpaired", "influence function z", ("binder1983",))


def compare_unpaired(
    assessments: Mapping[str, Assessment],
    measures: Sequence[str | Measure] | None = None,
    *,
    adjustment: str = "holm",
    level: float | None = None,
) -> Comparisons:
    """Compare models that were assessed on different cases, or one model in different groups of cases.

    Proportions get Newcombe's interval, the AUC DeLong's unpaired test, mean losses Welch's t, average precision
    its influence function, other measures of labels the delta method. Models assessed on the same cases are
    compared far more sharply by `compare`, which knows which cases they share. Raises InputError for weighted or
    clustered assessments, or different positive classes.

    >>> import classay as ca
    >>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> b = ca.assess([1, 0, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    >>> compare_unpaired({"a": a, "b": b}, ["recall"])[0]
    Comparison(recall of a less b: -0.250 [-0.699, 0.439] 95 %, Newcombe, unpaired; p = 0.44 (Holm), two-sample z)
    """
    if len(assessments) < 2:
        raise InputError(f"{len(assessments)} model is given: a comparison needs two or more.")
    _refuse_unlike(assessments)
    first = next(iter(assessments.values()))
    wanted = [each if isinstance(each, Measure) else get(each) for each in measures or _defaults(assessments)]
    used = first.level if level is None else level
    found = [
        _compared((a, b), (assessments[a], assessments[b]), measure, used)
        for measure in dict.fromkeys(wanted)
        for a, b in combinations(assessments, 2)
    ]
    facts = (
        ("models", ", ".join(assessments)),
        *((f"cases of {name}", f"{each.n:,.6g}") for name, each in assessments.items()),
        ("pairing", "none: different cases"),
    )
    return Comparisons(tuple(adjusted(found, adjustment)), tuple(assessments), facts, used, first.seed)


def _refuse_unlike(assessments: Mapping[str, Assessment]) -> None:
    first = next(iter(assessments.values()))
    for name, each in assessments.items():
        if each.positive != first.positive or each.labels != first.labels:
            raise InputError(
                f"{name} is about the labels {each.labels} with positive {each.positive!r}, another about "
                f"{first.labels} with {first.positive!r}: assess all alike."
            )
        if each.kind_of_weight == "sampling" or each.clusters is not None:
            raise InputError(
                f"{name} has weights or clusters, for which there is no unpaired comparison yet."
            )


def _defaults(assessments: Mapping[str, Assessment]) -> list[str]:
    each = list(assessments.values())
    names: list[str] = []
    if all(a.scores is not None for a in each):
        names += ["roc_auc", "average_precision"]
    if all(a.confusion_matrix is not None for a in each):
        names += (
            ["accuracy", "macro_f1"] if each[0].positive is None else ["accuracy", "recall", "specificity"]
        )
    if not names:
        raise InputError("the assessments have neither scores nor labels in common.")
    return names


def _compared(
    models: tuple[str, str], pair: tuple[Assessment, Assessment], measure: Measure, level: float
) -> Comparison:
    tables = [_table(each, measure) for each in pair]
    missing = [name for name, table in zip(models, tables, strict=True) if table is None]
    if missing:
        return undefined(models, measure.name, f"{missing[0]} has not what it needs")
    values = tuple(float(measure(table)) for table in tables)
    for name, value, table in zip(models, values, tables, strict=True):
        if not np.isfinite(value):
            why = measure.why_undefined(table) or "0 / 0" if np.isnan(value) else "it is infinite"
            return undefined(models, measure.name, f"of {name}: {why}", values)
    if measure.parts is not None:
        (x1, n1), (x2, n2) = (map(float, measure.parts(*measure.read((table,)))) for table in tables)
        return independent((x1, x2), (n1, n2), models, measure=measure.name, level=level)
    if measure.name == "roc_auc":
        return compare_unpaired_aucs((tables[0], tables[1]), models, level=level)
    found = [_variance(measure, table, value) for table, value in zip(tables, values, strict=True)]
    if found[0] is None or found[1] is None:
        return undefined(models, measure.name, "no unpaired test of it is known to be valid here", values)
    (v1, n1, how), (v2, n2, _) = found[0], found[1]
    df = float("inf")
    if how is WELCH and min(n1, n2) > 1 and v1 + v2 > 0:
        df = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    width = float(measure.bounds[1] - measure.bounds[0])
    units = Units(n1 + n2, "cases", df)
    return of_variance(
        models, measure.name, (values[0], values[1]), v1 + v2, units, how, level=level, width=width
    )


def _table(a: Assessment, measure: Measure) -> Any:
    """What the measure needs of an assessment, or None."""
    matrix = a.confusion_matrix
    if measure.needs == "counts":
        return None if matrix is None or a.positive is None else matrix.one_vs_rest(a.positive)
    if measure.needs in ("margins", "matrix"):
        return matrix
    if measure.needs in ("scores", "probabilities") and a.scores is not None:
        return a.scores
    return a.cases if measure.needs in ("cases", "probabilities") else None


def _variance(measure: Measure, table: Any, value: float) -> tuple[float, float, How] | None:
    """The variance of a measure, the number of cases, and how it was found."""
    if measure.moments is not None:
        n, total, squares = (float(each) for each in measure.moments(*measure.read((table,))))
        return ((squares - total**2 / n) / (n - 1) / n if n > 1 else float("nan")), n, WELCH
    if isinstance(table, ScoreTable):
        if measure.name != "average_precision":
            return None
        return (
            spread_of(measure, table, value).variance,
            float(table.n_positive + table.n_negative),
            INFLUENCE,
        )
    if isinstance(table, BinaryCounts):
        cells, slopes = counts_influence(measure, table)
    else:
        cells, slopes = matrix_influence(measure, table)
    return delta_variance(cells, slopes), float(cells.sum()), DELTA
