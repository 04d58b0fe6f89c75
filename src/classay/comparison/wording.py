"""One plain sentence for each comparison."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from classay.errors import UnknownMeasureError
from classay.inference.estimate import number
from classay.measures import get

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison


NAMES = {
    "Brier",
    "Cohen's",
    "Fowlkes-Mallows",
    "Gini",
    "Hand-Till",
    "Jaccard",
    "Kolmogorov-Smirnov",
    "Matthews",
}
"""First words of titles that keep their capital."""
OTHERS = {"recall_at_the_readers_specificity": ("recall at the reader's specificity", 1)}
"""What is compared and is no measure of one classifier: its title, and whether more is better."""


def direction(measure: str) -> int:
    """1 where more of a measure is better, -1 where less is, 0 where neither, or the measure is not known.

    >>> direction("recall"), direction("log_loss"), direction("prevalence")
    (1, -1, 0)
    """
    try:
        known = get(measure)
    except UnknownMeasureError:
        return OTHERS[measure][1] if measure in OTHERS else 0
    return 1 if known.best == known.bounds[1] else -1 if known.best == known.bounds[0] else 0


def title(measure: str) -> str:
    """The name of a measure within a sentence.

    >>> title("roc_auc"), title("f1"), title("brier_score"), title("accuracy"), title("my_score")
    ('ROC AUC', 'F1', 'Brier score', 'accuracy', 'my score')
    """
    try:
        name = get(measure).title
    except UnknownMeasureError:
        return OTHERS[measure][0] if measure in OTHERS else measure.replace("_", " ")
    first = name.split()[0]
    return name if first in NAMES or not first[1:].islower() else name[0].lower() + name[1:]


def sentence_of(found: Comparison) -> str:
    """What a comparison found; a p-value above 1 - level is never read as evidence of no difference."""
    effect, measure = found.effect, title(found.measure)
    who = " and ".join(found.models) if len(found.models) == 2 else ", ".join(found.models)
    if isnan(found.p) or effect is None or effect.is_undefined:
        return _without_effect(found, measure, who)
    first, second = found.models
    if (a := ahead(found)) is not None:
        b = second if a == first else first
        verb = "is better than" if direction(found.measure) else "has a higher value than"
        least, most = sorted((abs(effect.low), abs(effect.high)))
        size = f"by {small(abs(effect.value))}"
        if effect.has_interval and effect.low * effect.high > 0:
            size += f" ({small(least)} to {small(most)})"
        return f"In {measure} {a} {verb} {b} {size}."
    possible = ""
    if effect.has_interval:
        low, high = small(effect.low), small(effect.high)
        possible = f": differences between {low} and {high} remain possible"
    better = "is better" if direction(found.measure) else "is higher"
    alone = ""
    if found.p <= 1 - (effect.level or 0.95):
        alone = f" Taken alone the p-value would be {found.p:.2g}; {found.adjustment} counts the other comparisons."
    return f"The data do not show which of {who} {better} in {measure}{possible}.{alone}"


def small(difference: float) -> str:
    """A difference as people read it: three decimals, and one digit where that shows none.

    >>> small(0.0123), small(-0.000457), small(0.0)
    ('0.012', '-0.0005', '0')
    """
    if difference == 0:
        return "0"
    return number(difference) if abs(difference) >= 0.001 else f"{difference:.1g}"


def ahead(found: Comparison) -> str | None:
    """The model that is shown to be better, or to have the higher value where neither end is better; else None.

    Shown at the level of the interval, by the adjusted p-value if there is one.
    """
    effect = found.effect
    if effect is None or effect.is_undefined or isnan(found.p) or len(found.models) != 2:
        return None
    p = found.p if found.p_adjusted is None else found.p_adjusted
    if p > 1 - (effect.level or 0.95):
        return None
    return found.models[0 if effect.value * (direction(found.measure) or 1) > 0 else 1]


def _without_effect(found: Comparison, measure: str, who: str) -> str:
    if isnan(found.p):
        return f"{who} cannot be compared in {measure}: {found.reason or 'there is no test'}."
    p = found.p if found.p_adjusted is None else found.p_adjusted
    if p <= 0.05:
        return f"{who} are not all alike in {measure}."
    return f"The data do not show that {who} differ in {measure}."


def more_cases(found: Comparison) -> str:
    """How many more units would settle it, if the difference were as large as it looks; or nothing.

    >>> from classay.comparison.comparison import Comparison
    >>> more_cases(Comparison(("a", "b"), "accuracy", None, 0.3, "m", "test cases", n=100, needed=870))
    'Were the difference as large as observed, about 770 more cases would show it with a power of 80 %.'
    """
    if found.needed is None or found.n is None or not found.needed > found.n:
        return ""
    more = found.needed - found.n
    size = 10 ** max(0, len(str(int(more))) - 2)
    rounded = f"{int(-(-more // size) * size):,}"
    return (
        f"Were the difference as large as observed, about {rounded} more {found.units} would show it with a "
        "power of 80 %."
    )
