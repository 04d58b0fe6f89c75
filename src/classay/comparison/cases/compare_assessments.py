"""Assessments compared without their rows, and models compared in each group of cases.

Assessments of the same cases are compared by the blocks that both keep, those of different cases as independent ones.
For groups it is tested whether they differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import columns_of_any
from classay.assessment.drawn import refuse_designed
from classay.assessment.flow import missing_in
from classay.assessment.merging import BlockValues
from classay.assessment.roc_space import RocSpace, roc_space
from classay.assessment.task import OtherTask
from classay.columns.numbers import counted
from classay.comparison.cases.aucs import UNPAIRED_AUCS, roc_curves
from classay.comparison.cases.class_averages import compare_alone
from classay.comparison.cases.difference import (
    UNPAIRED_PROPORTIONS,
    ComparisonMethod,
    independent,
    of_spread,
    undefined,
)
from classay.comparison.cases.panel_building import refuse_one_model
from classay.comparison.comparison import Comparison, adjusted
from classay.comparison.comparisons import Comparisons, LazyList, in_direction, level_of_both
from classay.comparison.gate_rules import LEFT_OUT
from classay.comparison.named_tests import DIFFERENT_TEST_SETS, find, named, names, refuse_unserving
from classay.comparison.omissions import INSTEAD, omissions_of_saved
from classay.errors import InputError
from classay.inference.design import SamplingUnits, VarianceEstimate
from classay.inference.significance import REFERENCE
from classay.kinds import Alternative, checked
from classay.measures import Measure, get
from classay.measures.vocabulary import NONE_PREDICTED
from classay.tables.sums import is_rounding
from classay.texts import hint
from classay.warned import Warned, gathered

Array = NDArray[Any]
DEFAULTS = ("roc_auc", "average_precision", "accuracy", "recall", "specificity", "macro_f1")
FEWEST_BLOCKS = 16
"""Blocks with cases below which their spread says too little."""
FEWEST_DEGREES = 8.0
"""Degrees of freedom of the variance below which a few blocks decide it."""
FEWEST_CALLED = 30
"""Cases called positive below which precision and its kin are too coarse."""
JACKKNIFE = ComparisonMethod(
    "delete-a-block jackknife, t", "t over blocks of cases", ("kott2001", "shao1995", "satterthwaite1946")
)


def compare_saved(
    first: BlockValues,
    second: BlockValues,
    measure: str,
    models: tuple[str, str] = ("first", "second"),
    *,
    level: float | None = None,
) -> Comparison:
    """Compare two assessments of the same cases in a measure, by the delete-a-block jackknife of the difference.

    Both differences without a block come from the same cases, so that pairing counts. The variance is
    (g - 1) / g Σ (Δ_(b) - mean)² over the g blocks with cases, and t has Satterthwaite's degrees of freedom,
    g - 1 unless few blocks make up most of it: few cases that tell the models apart, few positive ones. With fewer
    than 16 blocks or 8 degrees of freedom, or under 30 cases called positive for measures that rest on them, there is
    no interval, and the reason says so. Blocks of clusters keep
    clusters whole. Raises InputError where the two are not of the same cases, or lack the measure.
    """
    name = get(measure).name
    _same_cases(first, second, models)
    omissions = omissions_of_saved(models, int(first.cases.sum()), (first.left_out, second.left_out))
    return replace(_compared(first, second, name, models, level), omissions=omissions)


def _compared(
    first: BlockValues, second: BlockValues, name: str, models: tuple[str, str], level: float | None
) -> Comparison:
    """Return the comparison of two assessments of the same cases, whatever cases they left out before."""
    for values, model in ((first, models[0]), (second, models[1])):
        if name not in values.whole:
            why = f"{name} of {model} is not defined, or not saved by blocks"
            return undefined(models, name, why)
    of_all_cases = first.whole[name], second.whole[name]
    used = first.cases > 0
    cases, blocks = int(first.cases.sum()), int(used.sum())
    unbounded = [
        f"of {model}, {saved.unbounded[name]}"
        for saved, model in zip((first, second), models, strict=True)
        if name in saved.unbounded and np.isfinite(of_all_cases).all()
    ]
    if unbounded or blocks < FEWEST_BLOCKS:
        why = f"the cases fall into {blocks} blocks, but {FEWEST_BLOCKS} are needed (compare the rows)"
        return undefined(models, name, unbounded[0] if unbounded else why, of_all_cases)
    left = first.without[name][used], second.without[name][used]
    if not np.isfinite(left).all():
        why = f"{name} is infinite or not defined without one block (compare the rows)"
        return undefined(models, name, why, of_all_cases)
    differences = left[0] - left[1]
    variance, degrees = jackknife(differences)
    if degrees < FEWEST_DEGREES and not is_rounding(variance**0.5, max(map(abs, of_all_cases))):
        why = f"a few of {blocks} blocks determine the difference (compare the rows)"
        return undefined(models, name, why, of_all_cases)
    share = min(saved.whole.get("predicted_prevalence", 1.0) for saved in (first, second))
    called = round(share * cases, 6)  # a share of 30 of 234 cases is 30 of them
    if NONE_PREDICTED in get(name).undefined and called < FEWEST_CALLED:
        why = f"one model predicts {called:,.0f} cases positive, too few for {name} (compare the rows)"
        return undefined(models, name, why, of_all_cases)
    spread = VarianceEstimate(variance, degrees, SamplingUnits(cases))
    width = get(name).bounds[1] - get(name).bounds[0]
    level = first.level if level is None else level
    return of_spread(models, name, of_all_cases, spread, JACKKNIFE, level=level, width=width)


def compare_all_saved(
    models: Mapping[str, BlockValues],
    measures: Sequence[str | Measure] | None = None,
    *,
    adjustment: str = "holm",
    level: float | None = None,
) -> Comparisons:
    """Compare every pair of assessments of the same cases without their rows, p-values adjusted for all of it.

    `measures` are, by default, the AUC and average precision, accuracy, recall and specificity, as far as all have
    them; macro F1 with several classes.
    """
    refuse_one_model(len(models))
    saved = list(models.values())
    known = [name for name in DEFAULTS if all(name in values.whole for values in saved)]
    names = known if not saved[0].is_binary else [name for name in known if name != "macro_f1"]
    if measures is not None:
        names = [one.name if isinstance(one, Measure) else get(one).name for one in measures]
    if not names:
        raise InputError(
            "The saved assessments share no measure that is compared by default. Assess both by scores or "
            f"both by labels, or {hint('pass measures=', 'use --measures')}."
        )
    used = saved[0].level if level is None else level
    tests = [
        compare_saved(models[a], models[b], name, (a, b), level=used)
        for name in dict.fromkeys(names)
        for a, b in combinations(models, 2)
    ]
    facts = (
        ("models", ", ".join(models)),
        ("cases", f"{int(saved[0].cases.sum()):,}"),
        ("pairing", f"by blocks of cases, {int((saved[0].cases > 0).sum())} of them"),
    )
    return Comparisons(tuple(adjusted(tests, adjustment)), tuple(models), facts, used)


def compare_assessments(
    models: Mapping[str, Assessment],
    measures: Sequence[str | Measure] | None = None,
    *,
    adjustment: str = "holm",
    level: float | None = None,
) -> Comparisons:
    """`compare_all_saved` of assessments that know the ids of their rows."""
    if any(isinstance(a.task, OtherTask) for a in models.values()):
        raise InputError(
            "Saved multilabel assessments contain no cases to compare. Compare the rows, as in "
            "compare({'new': P, 'old': Q}, Y)."
        )
    wanted = (
        None
        if measures is None
        else [get(one).name if isinstance(one, str) else one.name for one in measures]
    )
    values = {name: BlockValues.of(a, wanted) for name, a in models.items()}
    compared = compare_all_saved(values, measures, adjustment=adjustment, level=level)
    return replace(compared, warnings=_warned(models))


def jackknife(without: Array) -> tuple[float, float]:
    """Return the variance of a value from those without each block in turn, and its degrees of freedom.

    With u = (value without the block - their mean)², g of them: 2 (Σu)² / (Σu² - (Σu)²/g), at most g - 1.

    >>> variance, degrees = jackknife(np.array([0.1, 0.2, 0.3, 0.4]))
    >>> print(round(variance, 4), degrees)
    0.0375 3.0
    """
    g = without.size
    squares = (without - without.mean()) ** 2
    total = float(squares.sum())
    uneven = float((squares**2).sum()) - total**2 / g
    degrees = 2 * total**2 / uneven if uneven > 0 else inf
    return (g - 1) / g * total, min(degrees, g - 1.0)


def _same_cases(first: BlockValues, second: BlockValues, models: tuple[str, str]) -> None:
    for what in ("labels", "positive"):
        here, there = getattr(first, what), getattr(second, what)
        if here != there:
            raise InputError(
                f"The assessments differ in {what}: {here!r} for {models[0]} and {there!r} for {models[1]}. "
                "Assess both the same way."
            )
    differ = (first.cases != second.cases) | (first.fingerprint != second.fingerprint)
    if differ.any():
        gone = (first.left_out, second.left_out)
        why = (
            f"The assessments exclude different cases without a prediction: {counted(gone[0], 'case')} of "
            f"{models[0]}, {gone[1]:,} of {models[1]}. {INSTEAD[:1].upper()}{INSTEAD[1:]}."
            if any(gone)
            else "Save both from the same rows, with the same id. For different cases, "
            + hint(
                "use `ca.compare_unpaired`.",
                "use `classay compare --unpaired` on the files of their rows, or show the results side by side with "
                "`classay merge --apart`.",
            )
        )
        raise InputError(
            f"{models[0]} ({int(first.cases.sum()):,} cases) and {models[1]} ({int(second.cases.sum()):,}) "
            f"were assessed on different cases: ids or true labels differ in {int(differ.sum())} of "
            f"{differ.size} blocks. {why}"
        )


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
    """Compare models on different cases, or one model in different groups of cases.

    Models on the same cases are compared far more precisely by `compare`, which uses their shared cases.

    Parameters
    ----------
    assessments : mapping of str to Assessment
        Assessments by the names of the models.
    measures : sequence of str or Measure, optional
        Measures to compare. Every measure with an interval can be compared.
    method : str, optional
        Another method, for the measures that have it: "newcombe", "miettinen-nurminen" or "agresti-caffo"
        of proportions, "delong" of the AUC.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Side of the tests and intervals, for the first model of a pair minus the second. A side must be
        prespecified.
    adjustment : str, default "holm"
        Adjustment of the p-values over models and measures, one of the methods of `adjust`.
    level : float, optional
        Confidence level of the intervals, between 0 and 1. The default is 0.95, or the level of the
        evaluation or of the assessments.

    Returns
    -------
    Comparisons
        One comparison for each pair of models in each measure.

    Raises
    ------
    InputError
        If labels or positive classes differ.
        If a cluster has rows in both assessments.

    Notes
    -----
    The interval of a difference combines the limits of both estimates by square-and-add (MOVER, of
    independent estimates). For two proportions it is Newcombe's. The usual test of two AUCs is DeLong's
    with Satterthwaite's degrees of freedom (`ranking.compare_unpaired_aucs`). It rejects up to 18% of equal
    AUCs in samples of 60 and 540 cases, where this one stays at 5%.

    Examples
    --------
    >>> import classay as ca
    >>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> b = ca.assess([1, 0, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    >>> compare_unpaired({"a": a, "b": b}, ["recall"])[0]
    Comparison(recall of a minus b: -0.250 [-0.699, 0.439] 95%, Newcombe, unpaired; p = 0.44 (Holm), two-sample z)
    """
    refuse_designed(assessments, "compare")
    refuse_one_model(len(assessments))
    _refuse_unlike(assessments)
    if method is not None:
        named(DIFFERENT_TEST_SETS, method)
    first = next(iter(assessments.values()))
    wanted = [get(measure) for measure in measures or _defaults(assessments)]
    pairs = [*combinations(assessments.values(), 2)]
    of = {one.name: [of for pair in pairs for of in _tested_as(one, pair)] for one in wanted}
    refuse_unserving(method, {name: names(DIFFERENT_TEST_SETS, tested) for name, tested in of.items()})
    asked_level = first.level if level is None else level
    used = level_of_both(alternative, asked_level)
    tests = [
        _compared_unpaired((a, b), (assessments[a], assessments[b]), measure, method, used)
        for measure in dict.fromkeys(wanted)
        for a, b in combinations(assessments, 2)
    ]
    facts = (
        ("models", ", ".join(assessments)),
        *((f"cases of {name}", _cases(assessment)) for name, assessment in assessments.items()),
        ("pairing", "none: different cases"),
        *_left_out(assessments),
    )
    scored = tuple(
        (name, one.scored_cases)
        for name, one in assessments.items()
        if one.is_binary and one.scores is not None
    )
    comparisons = Comparisons(
        tuple(adjusted(tests, adjustment)),
        tuple(assessments),
        facts,
        used,
        first.seed,
        curves=roc_curves({name: cases.table for name, cases in scored}),
        scored=LazyList(lambda: scored, is_large=True),
        space=_space(assessments),
        warnings=_warned(assessments),
    )
    return in_direction(comparisons, alternative, adjustment, asked_level)


def _warned(assessments: Mapping[str, Assessment]) -> tuple[Warned, ...]:
    """Return the warnings that columns may not be what they are taken for, each with the models that it concerns."""
    return gathered({name: columns_of_any(assessment) for name, assessment in assessments.items()})


def _space(assessments: Mapping[str, Assessment]) -> RocSpace | None:
    """Classifiers of labels alone as points of ROC space; None of scores, of several classes or cases of one class."""
    if any(
        assessment.scores is not None or not assessment.is_binary or not assessment.class_totals.all()
        for assessment in assessments.values()
    ):
        return None
    return roc_space(assessments)


def _left_out(assessments: Mapping[str, Assessment]) -> tuple[tuple[str, str], ...]:
    """Return the fact that rows were left out before they were assessed, if any were."""
    gaps = [
        f"{counted(assessment.dropped)} of {name} for {missing_in(assessment)}"
        for name, assessment in assessments.items()
        if assessment.dropped
    ]
    return ((LEFT_OUT, "; ".join(gaps)),) if gaps else ()


def _cases(a: Assessment) -> str:
    return f"{a.n:,}" if a.clusters is None else f"{a.n:,} in {len(a.clusters):,} clusters"


def _refuse_unlike(assessments: Mapping[str, Assessment]) -> None:
    first = next(iter(assessments.values()))
    for name, assessment in assessments.items():
        if assessment.positive != first.positive or assessment.labels != first.labels:
            raise InputError(
                f"The assessments differ in their labels: {name} has {assessment.labels} with positive class "
                f"{assessment.positive!r}, another has {first.labels} with {first.positive!r}. Assess all the "
                "same way."
            )
    for (name, a), (other, b) in combinations(assessments.items(), 2):
        if shared := {*(a.clusters or ())} & {*(b.clusters or ())}:
            raise InputError(
                f"{name} and {other} share {len(shared):,} clusters, such as {min(shared, key=str)!r}, so the "
                "samples are not independent. If the clusters differ, give them different names."
            )


def _defaults(assessments: Mapping[str, Assessment]) -> list[str]:
    models = list(assessments.values())
    names: list[str] = []
    tasks = [a.task for a in models if isinstance(a.task, OtherTask)]
    if len(tasks) == len(models):
        known = [{measure.name for measure in a.applicable()} for a in models]
        names = [name for name in tasks[0].unpaired if all(name in of for of in known)]
    if all(a.scores is not None for a in models):
        names += ["roc_auc", "average_precision"]
    if all(a.confusion_matrix is not None for a in models):
        names += ["accuracy", "recall", "specificity"] if models[0].is_binary else ["accuracy", "macro_f1"]
    if not names:
        raise InputError(
            "The assessments share neither scores nor labels. Assess all by scores or all by labels."
        )
    return names


def _tested_as(measure: Measure, pair: tuple[Assessment, Assessment]) -> tuple[str, ...]:
    """Return what a test on request is of, for a measure of two assessments: nothing of weights or clusters."""
    alike = all(a.coded is None and a.kind_of_weight != "sampling" for a in pair)
    measure = measure.plain or pair[0].task.read(measure) if isinstance(pair[0].task, OtherTask) else measure
    of = UNPAIRED_PROPORTIONS if measure.parts is not None else UNPAIRED_AUCS
    return (of,) if alike and (measure.parts is not None or measure.name == "roc_auc") else ()


def _compared_unpaired(
    models: tuple[str, str],
    pair: tuple[Assessment, Assessment],
    measure: Measure,
    method: str | None,
    level: float,
) -> Comparison:
    if all(isinstance(a.task, OtherTask) for a in pair):
        if measure.plain is not None:
            one, other = (a.one_vs_rest(measure.class_among(a.labels, None)) for a in pair)
            of_tag = _compared_unpaired(models, (one, other), measure.plain, method, level)
            return replace(of_tag, measure=measure.name)
        measure = pair[0].task.read(measure)
    tables = [a.table(measure) for a in pair]
    of = () if any(isinstance(table, str) for table in tables) else _tested_as(measure, pair)
    if measure.parts is not None and of:
        (x1, n1), (x2, n2) = (map(float, measure.parts(*measure.read((table,)))) for table in tables)
        test = find(DIFFERENT_TEST_SETS, method, UNPAIRED_PROPORTIONS) or independent
        return test((x1, x2), (n1, n2), models, measure=measure.name, level=level)
    of_aucs = find(DIFFERENT_TEST_SETS, method, UNPAIRED_AUCS) if of else None
    if of_aucs is not None:
        return of_aucs((tables[0], tables[1]), models, level=level)
    estimates = [a.changed(level=level).estimate(measure.name) for a in pair]
    at_reference = estimates
    if level != REFERENCE:
        at_reference = [a.changed(level=REFERENCE).estimate(measure.name) for a in pair]
    units = SamplingUnits(float(sum(a.n for a in pair)))
    return compare_alone(
        models, measure.name, (estimates[0], estimates[1]), (at_reference[0], at_reference[1]), units
    )
