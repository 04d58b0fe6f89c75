"""How measures, differences, probabilities and p-values are put into words, within a sentence and beside a number."""

import re
from math import floor, isfinite, isnan, log10

from classay.errors import UnknownMeasureError
from classay.inference.estimate import Estimate, apart, number
from classay.measures import get

SPELLED = {
    "auc": "AUC",
    "brier": "Brier",
    "cohen": "Cohen's",
    "fowlkes_mallows": "Fowlkes-Mallows",
    "fpr": "FPR",
    "g_mean": "G-mean",
    "gini": "Gini",
    "h_measure": "H-measure",
    "hand_till": "Hand-Till",
    "jaccard": "Jaccard",
    "kolmogorov_smirnov": "Kolmogorov-Smirnov",
    "log_loss": "log-loss",
    "matthews": "Matthews",
    "observed_expected": "observed/expected",
    "p4": "P4",
    "pr": "PR",
    "prg": "PRG",
    "roc": "ROC",
    "spiegelhalter": "Spiegelhalter",
    "tpr": "TPR",
    "youden": "Youden",
}
"""Proper names, abbreviations and compounds as they are spelled in any sentence, by their canonical names."""
_PARTS = re.compile(
    rf"(?<![a-z0-9])(?:{'|'.join(sorted(SPELLED, key=len, reverse=True))}|f\d+(?:_\d+)?)(?![a-z0-9])"
)
OTHERS = {"recall_at_the_readers_specificity": ("recall at the reader's specificity", 1, 1.0)}
"""What is compared and is no measure of one classifier: its title, whether more is better, and its greatest value."""


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
    """The name of a measure within a sentence, where what a title explains after a comma would tear it apart.

    >>> title("roc_auc"), title("f1"), title("brier_score"), title("accuracy"), title("my_score")
    ('ROC AUC', 'F1', 'Brier score', 'accuracy', 'my score')
    >>> title("macro_f1"), title("macro_recall"), title("multiclass_brier_score")
    ('macro F1', 'macro recall', 'multiclass Brier score')
    """
    try:
        name = get(measure).title
    except UnknownMeasureError:
        return OTHERS[measure][0] if measure in OTHERS else spoken(measure)
    if "," in re.sub(r"\(.*?\)", "", name):
        return spoken(get(measure).name)
    first = name.split()[0]
    return name if first in SPELLED.values() or not first[1:].islower() else name[0].lower() + name[1:]


def heading(measure: str) -> str:
    """The name of a measure as it heads a row or a section.

    >>> heading("macro_f1"), heading("accuracy"), heading("my_score")
    ('F1, macro average', 'Accuracy', 'My score')
    """
    try:
        return get(measure).title
    except UnknownMeasureError:
        found = title(measure)
        return found[:1].upper() + found[1:]


def spoken(name: str) -> str:
    """A canonical name as people read it, proper names and abbreviations with their capitals.

    >>> spoken("false_discovery_rate"), spoken("macro_f0_5"), spoken("roc_auc"), spoken("multiclass_brier_score")
    ('false discovery rate', 'macro F0.5', 'ROC AUC', 'multiclass Brier score')
    """
    return _PARTS.sub(_spelled, name).replace("_", " ")


def _spelled(part: re.Match[str]) -> str:
    return SPELLED.get(part[0]) or part[0].upper().replace("_", ".")


def small(difference: float) -> str:
    """A difference as people read it: three decimals, and one digit where that shows none.

    >>> small(0.0123), small(-0.000457), small(0.0000616), small(0.0)
    ('0.012', '-0.0005', '0.00006', '0')
    """
    if difference == 0:
        return "0"
    if abs(difference) >= 0.001 or not isfinite(difference):
        return number(difference)
    rounded = float(f"{difference:.1g}")
    return f"{rounded:.{-floor(log10(abs(rounded)))}f}" if abs(rounded) >= TINY else f"{difference:.1g}"


TINY = 1e-6
"""Differences below this are written with an exponent."""
NOISE = 1e-12
"""Share of the ends of an interval below which a difference inside it is the rounding of 0."""


def _rounded(found: Estimate) -> tuple[float, float, float]:
    """Value and ends of a difference; 0 where the value is nothing but rounding beside its interval."""
    reach = max(abs(found.low), abs(found.high)) if found.has_interval else 0.0
    value = 0.0 if isfinite(reach) and abs(found.value) < NOISE * reach else found.value
    return value, found.low, found.high


def parts(found: Estimate) -> tuple[str, ...]:
    """Value and ends of a difference with the same decimals, for a sentence; a table has them with their signs.

    >>> parts(Estimate(0.0506, 0.00046, 0.1008)), parts(Estimate(0.02))
    (('0.0506', '0.0005', '0.1008'), ('0.020', '–', '–'))
    """
    return apart(*_rounded(found), write=small)


def signed(found: Estimate) -> tuple[str, str, str]:
    """Value and ends of a difference with their signs, with the same decimals.

    >>> signed(Estimate(-0.0312, -0.066, 0.0003)), signed(Estimate(0.02, 0.01, 0.03))
    (('-0.0312', '-0.0660', '+0.0003'), ('+0.020', '+0.010', '+0.030'))
    """
    numbers = _rounded(found)
    value, low, high = (f"+{text}" if x > 0 else text for x, text in zip(numbers, parts(found), strict=True))
    return value, low, high


def chance(p: float) -> str:
    """A probability as people read it, never a certainty.

    >>> chance(0.8448), chance(0.00002), chance(0.9999)
    ('0.845', '< 0.001', '> 0.999')
    """
    return "< 0.001" if p < 0.001 else "> 0.999" if p > 0.999 else f"{p:.3f}"


def p_equation(p: float) -> str:
    """A p-value with its name, as it stands in a sentence.

    >>> p_equation(0.03456), p_equation(1e-9)
    ('p = 0.035', 'p < 0.0001')
    """
    text = p_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def p_text(p: float) -> str:
    """A p-value as people read it: two significant digits, none below 0.0001.

    >>> p_text(0.03456), p_text(1e-9), p_text(0.5), p_text(1.0)
    ('0.035', '< 0.0001', '0.50', '1')
    """
    if isnan(p):
        return number(p)
    if p < 0.0001:
        return "< 0.0001"
    return "1" if p > 0.995 else f"{p:.2f}" if p >= 0.0995 else f"{p:#.2g}"
