"""Two assessments of the same cases compared without their rows, by the blocks that both keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.block_values import BlockValues
from classay.comparison.cases.difference import How, Units, of_variance, undefined
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.family import adjusted
from classay.errors import InputError
from classay.measures import Measure, get
from classay.measures.conditions import NONE_PREDICTED
from classay.tables.running import is_rounding

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

Array = NDArray[Any]
DEFAULTS = ("roc_auc", "average_precision", "accuracy", "recall", "specificity", "macro_f1")
FEWEST_BLOCKS = 16
"""Blocks with cases below which their spread says too little."""
FEWEST_DEGREES = 8.0
"""Degrees of freedom of the variance below which a few blocks decide it."""
FEWEST_CALLED = 30
"""Cases called positive below which precision and its kin are too coarse."""
JACKKNIFE = How(
    "delete-a-block jackknife, t",
    "t over blocks of cases",
    ("kott2001", "shao1995", "satterthwaite1946"),
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
    for values, model in ((first, models[0]), (second, models[1])):
        if name not in values.whole:
            why = f"{name} of {model} is undefined, or not saved by blocks"
            return undefined(models, name, why)
    whole = first.whole[name], second.whole[name]
    used = first.cases > 0
    cases, blocks = int(first.cases.sum()), int(used.sum())
    if blocks < FEWEST_BLOCKS:
        why = f"the cases fall into {blocks} blocks, and {FEWEST_BLOCKS} are wanted: compare the rows"
        return undefined(models, name, why, whole)
    left = first.without[name][used], second.without[name][used]
    if not np.isfinite(left).all():
        why = f"{name} is undefined without one block, or infinite: compare the rows"
        return undefined(models, name, why, whole)
    apart = left[0] - left[1]
    variance, degrees = jackknife(apart)
    if degrees < FEWEST_DEGREES and not is_rounding(variance**0.5, max(map(abs, whole))):
        why = (
            f"a few of the {blocks} blocks decide the difference, for too few cases matter: compare the rows"
        )
        return undefined(models, name, why, whole)
    called = min(each.whole.get("predicted_prevalence", 1.0) for each in (first, second)) * cases
    if NONE_PREDICTED in get(name).undefined and called < FEWEST_CALLED:
        why = f"one model calls {called:,.0f} cases positive, and {name} rests on them: compare the rows"
        return undefined(models, name, why, whole)
    units = Units(cases, "cases", degrees)
    width = get(name).bounds[1] - get(name).bounds[0]
    level = first.level if level is None else level
    return of_variance(models, name, whole, variance, units, JACKKNIFE, level=level, width=width)


def compare_values(
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
    if len(models) < 2:
        raise InputError(
            f"{'1 model is' if models else 'no model is'} given: a comparison needs two or more."
        )
    each = list(models.values())
    known = [name for name in DEFAULTS if all(name in values.whole for values in each)]
    names = known if each[0].positive is None else [name for name in known if name != "macro_f1"]
    if measures is not None:
        names = [one.name if isinstance(one, Measure) else get(one).name for one in measures]
    if not names:
        raise InputError(
            "no two models can be compared in the same measure: the saved assessments share none that is compared "
            "unasked. Assess both alike, by scores or by labels, or pass measures=."
        )
    used = each[0].level if level is None else level
    found = [
        compare_saved(models[a], models[b], name, (a, b), level=used)
        for name in dict.fromkeys(names)
        for a, b in combinations(models, 2)
    ]
    facts = (
        ("models", ", ".join(models)),
        ("cases", f"{int(each[0].cases.sum()):,}"),
        ("pairing", f"by blocks of cases, {int((each[0].cases > 0).sum())} of them"),
    )
    return Comparisons(tuple(adjusted(found, adjustment)), tuple(models), facts, used)


def compare_assessments(
    models: Mapping[str, Assessment], measures: Sequence[str | Measure] | None = None, **how: Any
) -> Comparisons:
    """`compare_values` of assessments that know the ids of their rows."""
    wanted = (
        None
        if measures is None
        else [get(one).name if isinstance(one, str) else one.name for one in measures]
    )
    return compare_values({name: BlockValues.of(a, wanted) for name, a in models.items()}, measures, **how)


def jackknife(without: Array) -> tuple[float, float]:
    """The variance of a value from those without each block in turn, and its degrees of freedom.

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
                f"{what} is {here!r} for {models[0]} and {there!r} for {models[1]}: assess both alike."
            )
    differ = (first.cases != second.cases) | (first.fingerprint != second.fingerprint)
    if differ.any():
        raise InputError(
            f"{models[0]} ({int(first.cases.sum()):,} cases) and {models[1]} ({int(second.cases.sum()):,}) are not of "
            f"the same cases: ids or true labels differ in {int(differ.sum())} of {differ.size} blocks. Save both from "
            "the same rows, with the same id."
        )
