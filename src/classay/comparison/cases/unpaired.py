"""Models compared on different cases: their assessments are independent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite, isnan
from typing import TYPE_CHECKING

from classay.assessment.judgement.flow import missing_in
from classay.columns.numbers import counted
from classay.comparison.cases.aucs import UNPAIRED_AUCS
from classay.comparison.cases.difference import undefined
from classay.comparison.cases.panel.curves import roc_curves
from classay.comparison.cases.proportions import UNPAIRED_PROPORTIONS, independent
from classay.comparison.comparison import TEST_CASES, Alternative, Comparison
from classay.comparison.comparisons import LEFT_OUT, Comparisons
from classay.comparison.family import adjusted
from classay.comparison.one_sided import in_direction, level_of_both
from classay.comparison.power import cases_needed
from classay.comparison.references import cite
from classay.comparison.registry import DIFFERENT_TEST_SETS, find, named
from classay.errors import InputError
from classay.inference.two_samples import REFERENCE, difference
from classay.kinds import checked
from classay.measures import Measure, get

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

MOVER = "z, square-and-add of the limits"


@checked
def compare_unpaired(
    assessments: Mapping[str, Assessment],
    measures: Sequence[str | Measure] | None = None,
    *,
    method: str | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
) -> Comparisons:
    """Compare models that were assessed on different cases, or one model in different groups of cases.

    Every measure that has an interval has a difference with one, by square-and-add of the limits of both (MOVER, see
    `inference.independent`): of two proportions that is Newcombe's. The usual test of two AUCs, DeLong's with
    Satterthwaite's degrees of freedom (`ranking.compare_unpaired_aucs`), rejects up to 18 % of equal AUCs in samples of
    60 and 540 cases, where this one keeps to 5 %. Models assessed on the same cases are compared far more sharply by
    `compare`, which knows which cases they share. `method` names another for the measures that have it: of
    proportions "newcombe", "miettinen-nurminen" or "agresti-caffo", of the AUC "delong". `alternative` is "two-sided",
    or "greater" or "less" of the first model of a pair less the second, asked beforehand. Raises InputError for
    different labels or positive classes, and for clusters that have rows in both.

    >>> import classay as ca
    >>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> b = ca.assess([1, 0, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    >>> compare_unpaired({"a": a, "b": b}, ["recall"])[0]
    Comparison(recall of a less b: -0.250 [-0.699, 0.439] 95 %, Newcombe, unpaired; p = 0.44 (Holm), two-sample z)
    """
    if len(assessments) < 2:
        raise InputError(
            f"{'1 model is' if assessments else 'no model is'} given: a comparison needs two or more."
        )
    _refuse_unlike(assessments)
    if method is not None:
        named(DIFFERENT_TEST_SETS, method)
    first = next(iter(assessments.values()))
    wanted = [each if isinstance(each, Measure) else get(each) for each in measures or _defaults(assessments)]
    asked = first.level if level is None else level
    used = level_of_both(alternative, asked)
    found = [
        _compared((a, b), (assessments[a], assessments[b]), measure, method, used)
        for measure in dict.fromkeys(wanted)
        for a, b in combinations(assessments, 2)
    ]
    facts = (
        ("models", ", ".join(assessments)),
        *((f"cases of {name}", _cases(each)) for name, each in assessments.items()),
        ("pairing", "none: different cases"),
        *_left_out(assessments),
    )
    tables = {
        name: each.scores
        for name, each in assessments.items()
        if each.scores is not None and each.positive is not None
    }
    made = Comparisons(
        tuple(adjusted(found, adjustment)),
        tuple(assessments),
        facts,
        used,
        first.seed,
        curves=roc_curves(tables),
    )
    return in_direction(made, alternative, adjustment, asked)


def _left_out(assessments: Mapping[str, Assessment]) -> tuple[tuple[str, str], ...]:
    """The fact that rows were left out before they were assessed, if any were."""
    told = [
        f"{counted(each.dropped)} of {name} for {missing_in(each)}"
        for name, each in assessments.items()
        if each.dropped
    ]
    return ((LEFT_OUT, "; ".join(told)),) if told else ()


def _cases(a: Assessment) -> str:
    return f"{a.n:,}" if a.clusters is None else f"{a.n:,} in {len(a.clusters):,} clusters"


def _refuse_unlike(assessments: Mapping[str, Assessment]) -> None:
    first = next(iter(assessments.values()))
    for name, each in assessments.items():
        if each.positive != first.positive or each.labels != first.labels:
            raise InputError(
                f"{name} is about the labels {each.labels} with positive {each.positive!r}, another about "
                f"{first.labels} with {first.positive!r}: assess all alike."
            )
    for (name, a), (other, b) in combinations(assessments.items(), 2):
        if shared := {*(a.clusters or ())} & {*(b.clusters or ())}:
            raise InputError(
                f"{name} and {other} share clusters, {len(shared):,} of them, such as {min(shared, key=str)!r}: these "
                "are no independent samples. If they are different clusters, name them apart."
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
    models: tuple[str, str],
    pair: tuple[Assessment, Assessment],
    measure: Measure,
    method: str | None,
    level: float,
) -> Comparison:
    from scipy.special import ndtri

    alike = all(a.coded is None and a.kind_of_weight != "sampling" for a in pair)
    tables = [a.table(measure) for a in pair]
    if measure.parts is not None and alike and not any(isinstance(table, str) for table in tables):
        (x1, n1), (x2, n2) = (map(float, measure.parts(*measure.read((table,)))) for table in tables)
        test = find(DIFFERENT_TEST_SETS, method, UNPAIRED_PROPORTIONS) or independent
        return test((x1, x2), (n1, n2), models, measure=measure.name, level=level)
    of_aucs = (
        find(DIFFERENT_TEST_SETS, method, UNPAIRED_AUCS) if measure.name == "roc_auc" and alike else None
    )
    if of_aucs is not None and not any(isinstance(table, str) for table in tables):
        return of_aucs((tables[0], tables[1]), models, level=level)
    found = [replace(a, level=level).estimate(measure.name) for a in pair]
    values = (found[0].value, found[1].value)
    for name, estimate in zip(models, found, strict=True):
        if not estimate.has_interval:
            return undefined(models, measure.name, f"of {name}: {estimate.reason}", values)
    at_reference = (
        [replace(a, level=REFERENCE).estimate(measure.name) for a in pair] if level != REFERENCE else found
    )
    apart = difference(found[0], found[1], reference=(at_reference[0], at_reference[1]))
    effect, n = apart.estimate, float(sum(a.n for a in pair))
    if isnan(apart.p):
        return undefined(models, measure.name, "the samples show no spread of the difference", values)
    z = float(-ndtri(apart.p / 2)) if effect.value > 0 else float(ndtri(apart.p / 2))
    needed = cases_needed(n, effect.value, effect.value / z, level) if z and isfinite(z) else None
    return Comparison(
        models,
        measure.name,
        effect,
        apart.p,
        MOVER,
        TEST_CASES,
        statistic=z,
        reference=cite("zou2008"),
        n=n,
        values=values,
        needed=needed,
        level=level,
    )
