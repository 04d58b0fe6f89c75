"""How sentences write numbers: percentages, values with their confidence interval, ratios, p-values, labels.

Shares of cases are percentages in a sentence, and areas, losses and scores are numbers; an interval stands in
parentheses behind its value, with its level; a p-value stands behind the interval.
"""

from __future__ import annotations

from decimal import Decimal
from math import isfinite, isnan

from classay.errors import UnknownMeasureError
from classay.inference.estimate import Estimate, level_text, title
from classay.measures import get
from classay.measures.registry import Measure
from classay.texts import quote, steady

FEW_CASES, MANY_CASES = 100, 10_000
"""Cases below which a percentage has no decimals, and from which it has two."""
MAX_DECIMALS = 8
"""Decimals up to which a number gets more of them, so that it does not read as the end of its range."""
NUMBERS_AS_RATIOS = frozenset(
    ("observed_expected_ratio", "calibration_slope", "calibration_intercept", "calibration_in_the_large")
)
SHARES = frozenset(
    (
        "accuracy",
        "error_rate",
        "baseline_accuracy",
        "balanced_accuracy",
        "recall",
        "specificity",
        "precision",
        "negative_predictive_value",
        "false_positive_rate",
        "false_negative_rate",
        "false_discovery_rate",
        "false_omission_rate",
        "prevalence",
        "predicted_prevalence",
        "macro_recall",
        "macro_precision",
        "micro_recall",
        "micro_precision",
        "weighted_recall",
        "weighted_precision",
        "exact_match",
    )
)
"""Measures that are shares of cases, or means of such: sentences write them as percentages."""


def decimals_of_percent(cases: float) -> int:
    """Decimals of a percentage of so many cases: none below 100 cases, one below 10,000, else two.

    >>> decimals_of_percent(60), decimals_of_percent(285), decimals_of_percent(2e6)
    (0, 1, 2)
    """
    return 0 if cases < FEW_CASES else 1 if cases < MANY_CASES else 2


def fixed(value: float, decimals: int, *apart_from: float) -> str:
    """Return a number with so many decimals, or as many more as tell it apart from values that it is not.

    >>> fixed(0.9997, 3, 1.0), fixed(0.99997, 3, 1.0), fixed(1.0, 3, 1.0), fixed(-0.00001, 3)
    ('0.9997', '0.99997', '1.000', '0.000')
    """
    if not isfinite(value):
        return "not defined" if isnan(value) else "infinite" if value > 0 else "-infinite"
    value = steady(value)
    for places in range(decimals, MAX_DECIMALS + 1):
        text = f"{value:,.{places}f}"
        shown = float(text.replace(",", ""))
        if not any(shown == other and abs(value - other) > 1e-12 for other in apart_from):
            break
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text


def percent(share: float, cases: float) -> str:
    """Return a share as a percentage; one that is not all or nothing never reads as 100% or 0%.

    >>> percent(0.934, 285), percent(0.9997, 285), percent(0.7405, 2000), percent(0.5, 40), percent(1.0, 40)
    ('93.4%', '99.97%', '74.1%', '50%', '100%')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}%"
    text = fixed(share, decimals_of_percent(cases) + 2, 0.0, 1.0)  # rounded as tables round the share
    return f"{Decimal(text).scaleb(2):f}%" if isfinite(share) else text


def interval_text(estimate: Estimate, texts: tuple[str, str]) -> str:
    """Return the interval of an estimate whose ends are written already; empty without an interval."""
    return (
        f"{level_text(estimate.level, estimate.method)} {texts[0]} to {texts[1]}"
        if estimate.has_interval
        else ""
    )


def share_with_interval(estimate: Estimate, cases: float) -> str:
    """Return a share with its interval.

    >>> share_with_interval(Estimate(0.934, 0.8699, 0.9681, 0.95, "Wilson"), 285)
    '93.4% (95% CI 87.0% to 96.8%)'
    """
    value = percent(estimate.value, cases)
    ends = interval_text(estimate, (percent(estimate.low, cases), percent(estimate.high, cases)))
    return f"{value} ({ends})" if ends else value


def number_with_interval(estimate: Estimate, decimals: int = 3, *apart_from: float, before: str = "") -> str:
    """A number with its interval, none of which reads as a value that it is not; `before` names it inside parentheses.

    >>> estimate = Estimate(0.9921, 0.9754, 0.99977, 0.95, "DeLong")
    >>> number_with_interval(estimate, 3, 1.0)
    '0.992 (95% CI 0.975 to 0.9998)'
    >>> number_with_interval(Estimate(2.26, 1.76, 2.91, 0.95, "t"), 2, 1.0, before="O/E")
    'O/E 2.26, 95% CI 1.76 to 2.91'
    >>> number_with_interval(Estimate(0.6912, 0.6883, 0.6941, 0.95, "t"), 2)
    '0.691 (95% CI 0.688 to 0.694)'
    """
    numbers = (estimate.value, estimate.low, estimate.high)
    for places in range(decimals, MAX_DECIMALS + 1):
        value, low, high = (fixed(end, places, *apart_from) for end in numbers)
        if low != high or not estimate.high - estimate.low > 1e-12:  # an interval has a width
            break
    ends = interval_text(estimate, (low, high))
    if before:
        return ", ".join(filter(None, (f"{before} {value}", ends)))
    return f"{value} ({ends})" if ends else value


def is_share(measure: Measure) -> bool:
    """Check whether sentences write a measure as a percentage."""
    plain = measure.plain or measure
    return plain.name in SHARES or (plain.name.startswith(("accuracy_within", "top_")))


def is_share_name(name: str) -> bool:
    """Check whether sentences write what has this name as a percentage.

    >>> is_share_name("recall"), is_share_name("roc_auc"), is_share_name("my_score")
    (True, False, False)
    """
    measure = _measure_named(name)
    return measure is not None and is_share(measure)


def value_with_interval(estimate: Estimate, name: str, cases: float) -> str:
    """Return an estimate of a measure as a sentence writes it: a share as a percentage, all else as a number.

    >>> value_with_interval(Estimate(0.75, 0.5, 0.9, 0.95, "Wilson"), "recall", 285)
    '75.0% (95% CI 50.0% to 90.0%)'
    """
    measure = _measure_named(name)
    if measure is None:
        return number_with_interval(estimate)
    if is_share(measure):
        return share_with_interval(estimate, cases)
    decimals = 2 if measure.name in NUMBERS_AS_RATIOS else 3
    return number_with_interval(estimate, decimals, *(end for end in measure.bounds if isfinite(end)))


def _measure_named(name: str) -> Measure | None:
    """Return the measure of a name; None of what is compared without being one, such as a cost or a grade."""
    try:
        return get(name)
    except UnknownMeasureError:
        return None


def value_text(value: float, name: str, cases: float) -> str:
    """Return a value of a measure as a sentence writes it, without an interval."""
    return value_with_interval(Estimate.bare(value, ""), name, cases)


def short_title(name: str) -> str:
    """Return the name of a measure in a sentence, without the second name that its title has in parentheses.

    >>> short_title("recall"), short_title("roc_auc"), short_title("macro_f1")
    ('recall', 'ROC AUC', 'macro F1')
    """
    return title(name).partition(" (")[0]


def difference_text(estimate: Estimate, name: str, cases: float) -> tuple[str, str]:
    """Return a difference of two values of a measure, and its interval; of shares in percentage points.

    >>> difference_text(Estimate(-0.273, -0.566, -0.093, 0.95, "MOVER"), "recall", 200)
    ('-27.3 percentage points', '95% CI -56.6 to -9.3')
    """
    scale, unit, decimals = (100, " percentage points", max(1, decimals_of_percent(cases)))
    if not is_share_name(name):
        scale, unit, decimals = 1, "", 3
    value, low, high = (
        fixed(scale * end, decimals, 0.0) for end in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value}{unit}", interval_text(estimate, (low, high))


def sized(estimate: Estimate) -> Estimate:
    """Return a difference without its sign.

    >>> sized(Estimate(-0.2, -0.3, -0.1, 0.95, "t"))
    Estimate(0.200 [0.100, 0.300] 95%, t)
    """
    if estimate.value >= 0:
        return estimate
    return Estimate(-estimate.value, -estimate.high, -estimate.low, estimate.level, estimate.method)


def adjusted_for(tests: int, what: str = "tests") -> str:
    """For how many tests a p-value is adjusted, as it stands behind the p; empty for one.

    >>> adjusted_for(6, "measures"), adjusted_for(1)
    (', adjusted for 6 measures', '')
    """
    return f", adjusted for {tests:,} {what}" if tests > 1 else ""


def label_text(label: object) -> str:
    """A label in a sentence: bare when it is a word, else in quotes; a number or a truth value is named as a class.

    >>> label_text("bee"), label_text("not ill"), label_text(1)
    ('bee', "'not ill'", 'class 1')
    """
    if isinstance(label, str):
        return str(label) if label.isalpha() and len(label) <= LONGEST_WORD else quote(label)
    return f"class {quote(label)}"


LONGEST_WORD = 30
