"""Findings on the ranking of two classes: how well scores rank, or that there are too few cases to tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from classay.assessment.assessment import Assessment
from classay.assessment.finding import RANKING, THRESHOLD, Finding
from classay.assessment.main_measures import resting_on
from classay.assessment.verdict import share_of_answered_pairs
from classay.columns.numbers import counted
from classay.inference.estimate import Estimate, level_text
from classay.inference.phrasing import fixed, value_with_interval
from classay.inference.plain import plain_estimate
from classay.measures import get
from classay.texts import hint

MIN_CASES_OF_CLASS = 30
"""Cases of a class, a group or a tag below which what rests on them is called imprecise."""
MIN_CASES_TO_LEAD = 10
"""Cases of a class, a group or a tag below which no leading sentence rests on it, but for the one that says so."""
RARE = 0.1
"""Prevalence below which average precision stands beside the AUC."""
WIDE = 0.05
"""Half the width of an interval beyond which more cases are worth asking for."""


def evidence_of(a: Assessment, *names: str) -> dict[str, Any]:
    """Return the named measures as evidence."""
    return {name: plain_estimate(estimate) for name, estimate in a.estimates(names).items()}


def is_threshold_chosen(a: Assessment) -> bool:
    """Check whether there are labels that somebody chose: given as predicted, or of a threshold that was asked for."""
    return a.confusion_matrix is not None and (a.cutoff is None or a.cutoff_chosen)


def cases_of_smaller_class(a: Assessment) -> float:
    """Cases of the smaller of two classes; of sampling weights, as many equal cases as would say as much."""
    return resting_on(get("roc_auc"), a)


def is_smaller_positive(a: Assessment) -> bool:
    """Check whether the smaller class is the positive one."""
    totals = dict(zip(a.labels, a.class_totals, strict=True))
    return bool(2 * totals[a.positive] <= sum(totals.values()))


def prevalence(a: Assessment) -> float:
    """Return the share of the positive class."""
    totals = dict(zip(a.labels, a.class_totals, strict=True))
    return float(totals[a.positive]) / float(sum(totals.values()))


def findings_on_ranking(a: Assessment) -> Iterator[Finding]:
    """Yield how well the scores of two classes rank, where both classes have cases."""
    if not a.is_binary or not a.class_totals.all():
        return
    if (few := _too_few_cases(a)) is not None:
        yield few
    if a.scores is None:
        return
    auc = a["roc_auc"]
    if few is not None or not auc.has_interval:
        return
    rank = 2 if is_threshold_chosen(a) else 1
    text = value_with_interval(auc, "roc_auc", a.n)
    names = ["roc_auc"]
    has_gaps = a.no_answer is not None and bool(a.unanswered)
    if auc.low <= 0.5 <= auc.high and not has_gaps:
        yield Finding(
            "no_ranking_detected",
            "main",
            rank,
            f"No ranking better than chance was detected: ROC AUC is {text}.",
            evidence_of(a, "roc_auc"),
            "Check the features, the labels, and how scores were joined to cases.",
            frozenset([RANKING]),
        )
        return
    sentence = f"ROC AUC is {text}"
    if (answered := auc_of_answered(a)) is not None:
        sentence += f", compared with {fixed(answered, 3, 0.0, 1.0)} for the cases with a prediction"
    # cases without a score rank worst by convention, which a few negatives among the highest scores decide
    precise = a["average_precision"] if prevalence(a) < RARE and not has_gaps else None
    if precise is not None and precise.has_interval and not is_threshold_chosen(a):
        names.append("average_precision")
        sentence += "," if answered is not None else ""
        sentence += (
            f" and average precision is {value_with_interval(precise, 'average_precision', a.n)}, compared with a "
            f"prevalence of {fixed(prevalence(a), 3, 0.0)}"
        )
    yield Finding("roc_auc", "main", rank, f"{sentence}.", evidence_of(a, *names), "", frozenset([RANKING]))


def few_cases_text(a: Assessment) -> str:
    """That the smaller of two classes has too few cases, as the start of a sentence; empty where it has enough."""
    cases = cases_of_smaller_class(a)
    if cases >= MIN_CASES_OF_CLASS:
        return ""
    which = "positive" if is_smaller_positive(a) else "negative"
    if a.kind_of_weight == "sampling":
        return f"The {which} class has an effective sample size of only {cases:.0f}"
    only = "Only " if 2 * cases < a.n else ""
    return f"{only}{cases:,.0f} of {counted(a.n, 'case')} {'is' if cases == 1 else 'are'} {which}"


def _too_few_cases(a: Assessment) -> Finding | None:
    """Return that the smaller of two classes has too few cases for the AUC, with what they say nonetheless."""
    first = few_cases_text(a)
    if not first or a.scores is None or is_threshold_chosen(a):
        return None
    auc = a["roc_auc"]
    step, evidence = (
        more_cases(a, auc, "ROC AUC"),
        {"cases": cases_of_smaller_class(a), **evidence_of(a, "roc_auc")},
    )
    if not auc.has_interval:
        text = f"{first}, too few for an interval of ROC AUC."
        return Finding("tiny_class", "main", 0, text, evidence, step, frozenset([RANKING]))
    text = f"{first}: ROC AUC is {value_with_interval(auc, 'roc_auc', a.n)}"
    text += ", too uncertain to compare with chance" if auc.low <= 0.5 <= auc.high else ""
    return Finding("tiny_class", "main", 0, f"{text}.", evidence, step, frozenset([RANKING]))


def rounded(count: int) -> int:
    """Return a number of cases in two significant digits.

    >>> rounded(7852), rounded(800), rounded(36)
    (7900, 800, 36)
    """
    return int(float(f"{count:.2g}"))


def more_cases(a: Assessment, estimate: Estimate, title: str) -> str:
    """Return how many cases would halve the interval of an estimate of a measure, as a next step."""
    units = "clusters" if a.clusters is not None else "cases"
    n = len(a.clusters) if a.clusters is not None else a.n
    # at an end of its range a measure has no spread, and its interval shrinks with the number of cases, not its root
    times = 2 if estimate.value in (0, 1) else 4
    return (
        f"Collect more {units}. "
        f"About {rounded(times * n):,} {units} in total would halve the {level_text(estimate.level)} of {title} "
        f"({hint('`ca.sample_size`', '`classay sample-size`')} plans a study)."
    )


def findings_on_width(a: Assessment, main: str | None) -> Iterator[Finding]:
    """Yield a wide interval of the main measure, which is a warning and never leads."""
    if main is None:
        return
    estimate = a[main]
    if not estimate.has_interval or (estimate.high - estimate.low) / 2 <= WIDE:
        return
    title = "ROC AUC" if main == "roc_auc" else main
    wide = f"{2 * WIDE:.1f}" if main == "roc_auc" else f"{200 * WIDE:.0f} percentage points"
    yield Finding(
        "wide_interval",
        "B",
        8.5,
        f"The {level_text(estimate.level)} of {title} is wider than {wide}.",
        evidence_of(a, main),
        more_cases(a, estimate, title),
        about=frozenset([RANKING if main == "roc_auc" else THRESHOLD]),
        may_lead=False,
    )


def auc_of_answered(a: Assessment) -> float | None:
    """Return the AUC of the cases with a prediction, where it lies outside the interval of the AUC of all."""
    if not a.is_binary or a.scores is None or a.no_answer is None or not a.class_totals.all():
        return None
    auc = a["roc_auc"]
    kept = share_of_answered_pairs(a)
    if not auc.has_interval or kept <= 0:
        return None
    answered = min(auc.value / kept, 1.0)
    return answered if answered > auc.high or answered < auc.low else None
