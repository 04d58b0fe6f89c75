"""Findings on predicted labels: of two classes, of several, of classes in an order; and on the threshold."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.finding import DEFAULT, RANKING, THRESHOLD, Finding
from classay.assessment.findings_scores import (
    MIN_CASES_OF_CLASS,
    MIN_CASES_TO_LEAD,
    cases_of_smaller_class,
    evidence_of,
    few_cases_text,
    is_threshold_chosen,
    more_cases,
    prevalence,
)
from classay.assessment.flow import calls, cutoff
from classay.assessment.ordered_classes import is_in_order
from classay.assessment.verdict import is_above_baseline
from classay.columns.numbers import counted
from classay.inference.estimate import Estimate
from classay.inference.phrasing import (
    difference_text,
    label_text,
    number_with_interval,
    percent,
    share_with_interval,
    short_title,
    sized,
    value_with_interval,
)
from classay.inference.plain import plain_estimate, plain_number
from classay.measures import get
from classay.measures.registry import ratio
from classay.tables import ScoreTable
from classay.tables.sums import are_greatest
from classay.texts import hint, listed

MAX_MAJORITY_OF_TWO, MAX_MAJORITY_OF_SEVERAL = 0.6, 0.5
"""Shares of the largest class up to which accuracy may lead."""
MIN_GAP = 0.05
"""How far below the value of all cases a class, a tag or a group must lie to be named."""
MAX_NAMED = 3
"""Classes that tie for the lowest recall up to which all are named."""
MOST_LOOKED_AT = 20
"""Classes with the lowest recall whose intervals are looked at."""
BY_COST = hint(
    "Choose a threshold by cost: `a.threshold(cost=ca.Costs(fp=1, fn=5))`.",
    "Choose a threshold by your costs of false positives (fp) and false negatives (fn): `classay decide` with, for "
    "example, `--cost fp=1 --cost fn=5`.",
)
ABOUT = frozenset([THRESHOLD])
ABOUT_DEFAULT = frozenset([THRESHOLD, DEFAULT])


def majority(a: Assessment) -> float:
    """Return the share of the largest class."""
    totals = np.asarray(a.class_totals, np.float64)
    return float(totals.max() / totals.sum())


def findings_on_labels(a: Assessment) -> Iterator[Finding]:
    """Yield what predicted labels are worth; what threshold they have where nobody chose one."""
    if a.confusion_matrix is None:
        yield from _without_threshold(a)
    elif a.is_binary:
        yield from _of_two_classes(a)
    elif is_in_order(a) and not a["mean_absolute_error"].is_undefined:
        yield from _of_ordered_classes(a)
    else:
        yield from _of_several_classes(a)


def _without_threshold(a: Assessment) -> Iterator[Finding]:
    step = hint(
        "Choose a threshold: `a.at(threshold=…)`.",
        "Choose a threshold: `--threshold T`.",
    )
    yield Finding("no_threshold", "C", 1, "", {}, step, ABOUT)


def cases_per_unit(a: Assessment) -> float:
    """Rows per unit of weight, so that no unit of sampling weights changes what is enough; else 1."""
    return a.rows / a.weight_of_cases if a.kind_of_weight == "sampling" else 1.0


def _predicted_positive(a: Assessment) -> tuple[float, float]:
    """Cases (or weight) that are predicted positive, and all cases."""
    counts = calls(a)
    return float(counts[a.labels.index(a.positive)].sum()), float(counts.sum())


def _of_two_classes(a: Assessment) -> Iterator[Finding]:
    if not is_threshold_chosen(a):
        yield from _at_default(a)
        return
    sentence = threshold_sentence(a)
    if sentence:
        few = few_cases_text(a) if a.class_totals.all() else ""
        code, rank = ("tiny_class", 0) if few else ("threshold_measures", 1)
        text = f"{few}: {sentence[:1].lower()}{sentence[1:]}" if few else sentence
        step = more_cases(a, a[_named(a)[0]], short_title(_named(a)[0])) if few else ""
        yield Finding(code, "main", rank, text, evidence_of(a, *_named(a)), step, ABOUT)
    if a.cutoff is None and a.scores is None and a.class_totals.all():
        balanced = a["balanced_accuracy"]
        if balanced.has_interval:
            yield Finding(
                "balanced_accuracy",
                "main",
                3,
                f"Balanced accuracy is {share_with_interval(balanced, a.n)}.",
                evidence_of(a, "balanced_accuracy"),
                "",
                ABOUT,
            )
    if a.cutoff is None:  # a threshold is chosen for recall and precision, at the price of accuracy
        yield from _baseline(a, can_lead=a.scores is None and majority(a) <= MAX_MAJORITY_OF_TWO)


def _named(a: Assessment) -> tuple[str, ...]:
    """Return the measures of labels that a sentence names: of one class alone, the share that is right."""
    totals = dict(zip(a.labels, a.class_totals, strict=True))
    if not totals[a.positive]:
        return ("specificity",)
    return ("recall", "precision") if all(totals.values()) else ("recall",)


def threshold_sentence(a: Assessment) -> str:
    """Recall and precision with the prevalence, at the threshold there is; empty where they have no interval."""
    at = ""
    if a.cutoff is not None:
        at = f"At {'' if a.cutoff_chosen else 'the default '}threshold {cutoff(a)}, "
    names = _named(a)
    estimates = a.estimates(names)
    first = estimates[names[0]]
    if not first.has_interval:
        return ""
    text = f"{at}{names[0]} is {share_with_interval(first, a.n)}"
    if len(names) == 2:
        precision = estimates["precision"]
        if precision.has_interval:
            text += f" and precision is {share_with_interval(precision, a.n)}"
            text += f" at a prevalence of {percent(prevalence(a), a.n)}" if a.cutoff_chosen else ""
    if names[0] == "recall" and not _predicted_positive(a)[0]:
        text += ", because no case is predicted positive"
    return f"{text[:1].upper()}{text[1:]}."


def _at_default(a: Assessment) -> Iterator[Finding]:
    """Labels at a threshold that nobody chose: a plausible one, one that predicts one class alone, or any other."""
    positive, cases = _predicted_positive(a)
    where = {"threshold": plain_number(float(a.cutoff or 0)), "predicted_positive": positive, "cases": cases}
    enough = a.class_totals.all() and cases_of_smaller_class(a) >= MIN_CASES_TO_LEAD
    step = BY_COST if enough and a.no_answer is None else ""
    if positive == 0 or (positive == cases and a.no_answer is None):
        yield Finding(
            "never_predicted", "B", 11, _one_sided(a, positive), where, step, ABOUT_DEFAULT, may_lead=False
        )
        return
    share, expected = positive / cases, prevalence(a)
    is_plausible = expected / 2 <= share <= 2 * expected
    sentence = threshold_sentence(a) if is_plausible else ""
    rests_on = min(positive, *(float(total) for total in a.class_totals if total)) * cases_per_unit(a)
    if sentence and rests_on >= MIN_CASES_TO_LEAD:
        evidence = where | evidence_of(a, *_named(a))
        yield Finding("default_threshold", "B", 12, sentence, evidence, step, ABOUT_DEFAULT, is_neutral=True)
    else:
        yield Finding("default_threshold", "C", 2, "", where, step, ABOUT_DEFAULT)


def _one_sided(a: Assessment, positive: float) -> str:
    """Return that the default threshold predicts one class only, with the score that is nearest to it."""
    which = "every" if positive else "no"
    nearest = ""
    if isinstance(a.scores, ScoreTable):
        known = a.scores.scores[np.isfinite(a.scores.scores)]  # cases without a score rank beyond all others
        score = float(known.min(initial=np.inf) if positive else known.max(initial=-np.inf))
        nearest = f"; the {'lowest' if positive else 'highest'} score is {score:.3g}"
    return f"At the default threshold {cutoff(a)}, {which} case is predicted positive{nearest}."


def _baseline(a: Assessment, *, can_lead: bool) -> Iterator[Finding]:
    """Accuracy that is not shown to be above that of always predicting the largest class."""
    accuracy, base = a["accuracy"], a["baseline_accuracy"]
    if not a.class_totals.astype(bool).sum() > 1 or not accuracy.has_interval or is_above_baseline(a):
        return
    if not can_lead and accuracy.value > base.value:
        return
    yield Finding(
        "not_above_baseline",
        "B",
        7,
        f"{with_baseline(a)}; no improvement was detected.",
        evidence_of(a, "accuracy", "baseline_accuracy"),
        "Report balanced accuracy." if can_lead else "",
        ABOUT,
        may_lead=can_lead,
    )


def with_baseline(a: Assessment, at: str = "") -> str:
    """Accuracy beside that of the largest class, without a full stop."""
    largest = a.labels[int(np.argmax(are_greatest(a.class_totals)))]
    return (
        f"Accuracy is {share_with_interval(a['accuracy'], a.n)}{at}, compared with "
        f"{percent(a['baseline_accuracy'].value, a.n)} for always predicting {label_text(largest)}"
    )


def _of_several_classes(a: Assessment) -> Iterator[Finding]:
    seen = int(np.count_nonzero(a.class_totals))
    name = "accuracy" if majority(a) <= MAX_MAJORITY_OF_SEVERAL or seen < 2 else "balanced_accuracy"
    estimate = a[name]
    if not estimate.has_interval:
        name, estimate = "accuracy", a["accuracy"]
    base = [*_baseline(a, can_lead=name == "accuracy" and a.n >= MIN_CASES_OF_CLASS)]
    yield from (replace(finding, tier="main", rank=1) if finding.may_lead else finding for finding in base)
    if estimate.has_interval and not any(finding.may_lead for finding in base):
        title = "Accuracy" if name == "accuracy" else "Balanced accuracy"
        text = f"{title} is {share_with_interval(estimate, a.n)} over {seen:,} {'class' if seen == 1 else 'classes'}."
        if a.n < MIN_CASES_OF_CLASS:
            text = f"Only {counted(a.n, 'case')}: {text[:1].lower()}{text[1:]}"
        code = "tiny_class" if a.n < MIN_CASES_OF_CLASS else name
        step = more_cases(a, estimate, short_title(name)) if a.n < MIN_CASES_OF_CLASS else ""
        yield Finding(code, "main", 1, text, evidence_of(a, name), step, ABOUT)
    yield from _weakest_class(a, estimate.value)


def _weakest_class(a: Assessment, overall: float) -> Iterator[Finding]:
    """Yield the class with the lowest recall, of those with cases enough whose recall is surely below that of all."""
    assert a.confusion_matrix is not None
    hits, _, true = (np.asarray(margin[: len(a.labels)], np.float64) for margin in a.confusion_matrix.margins)
    large = [k for k in range(len(a.labels)) if true[k] * cases_per_unit(a) >= MIN_CASES_OF_CLASS]
    if len(large) < 2 or isnan(overall):
        return
    recalls = np.asarray(ratio(hits, true))
    strict = a.changed(level=1 - (1 - a.level) / len(large))
    below = sorted((k for k in large if recalls[k] <= overall - MIN_GAP), key=lambda k: float(recalls[k]))
    for k in below[:MOST_LOOKED_AT]:
        if strict.estimate(get("recall")[a.labels[k]]).high < overall:
            tied = [a.labels[j] for j in below if recalls[j] == recalls[k]]
            yield _lowest(a, tied, overall)
            return


def _lowest(a: Assessment, labels: Sequence[Hashable], overall: float) -> Finding:
    """Return the class, or the classes alike, with the lowest recall."""
    name = get("recall")[labels[0]].name
    recall = a.estimate(name)
    gap, _ = difference_text(Estimate.bare(overall - recall.value, ""), "recall", a.n)
    evidence = {name: plain_estimate(recall), "overall": plain_number(overall), "classes": len(labels)}
    if len(labels) > MAX_NAMED:
        share = percent(recall.value, a.n)
        text = f"Recall is lowest in {len(labels):,} of the {len(a.labels):,} classes, {share} in each"
        return Finding("weak_class", "B", 9, f"{text}, {gap} below the overall value.", evidence, "", ABOUT)
    names = listed([label_text(label) for label in labels])
    where = " in each" if len(labels) > 1 else ""
    return Finding(
        "weak_class",
        "B",
        9,
        f"Recall is lowest for {names}: {share_with_interval(recall, a.n)}{where}, {gap} below the overall value.",
        evidence,
        hint(
            f"Inspect {label_text(labels[0])}, which has the lowest recall: `a.one_vs_rest({labels[0]!r})`.",
            f"Inspect {label_text(labels[0])}, which has the lowest recall: `--measures {shlex.quote(name)}`.",
        ),
        ABOUT,
    )


def _of_ordered_classes(a: Assessment) -> Iterator[Finding]:
    far, within, signed = (
        a[name] for name in ("mean_absolute_error", "accuracy_within(1)", "mean_signed_error")
    )
    evidence = evidence_of(a, "mean_absolute_error", "accuracy_within(1)")
    if not far.has_interval:
        return
    value, _, ends = number_with_interval(far, 2).partition(" ")
    text = f"redictions are off by {value} classes on average {ends}"
    if within.has_interval and len(a.labels) > 2:
        text += f"; {share_with_interval(within, a.n)} are within one class"
    few = a.n < MIN_CASES_OF_CLASS
    text = f"Only {counted(a.n, 'case')}: p{text}" if few else f"P{text}"
    yield Finding(
        "tiny_class" if few else "class_distance",
        "main",
        1,
        f"{text}.",
        evidence,
        more_cases(a, far, short_title("mean_absolute_error")) if few else "",
        ABOUT,
    )
    if not signed.has_interval:
        return
    bias = "No systematic over- or underestimation was detected."
    if not signed.low <= 0 <= signed.high:
        size, _, ends = number_with_interval(sized(signed), 2, 0.0).partition(" ")
        bias = f"Predictions are too {'high' if signed.value > 0 else 'low'} by {size} classes on average {ends}."
    yield Finding("class_bias", "main", 2, bias, evidence_of(a, "mean_signed_error"), "", ABOUT)


def finding_on_request(a: Assessment, names: Sequence[str]) -> Finding | None:
    """Return the measure that was asked for first, which leads; None where it has no value or no interval."""
    for name in names[:1]:
        measure = get(name)
        estimate = a.estimate(measure)
        if not estimate.has_interval:
            return None
        is_at_default = a.cutoff is not None and not a.cutoff_chosen and measure.is_of_matrix
        at = f" at the default threshold {cutoff(a)}" if is_at_default else ""
        if measure.name == "accuracy" and a.class_totals.astype(bool).sum() > 1:
            text = with_baseline(a, at)
        else:
            title = short_title(measure.name)
            text = f"{title[:1].upper()}{title[1:]} is {value_with_interval(estimate, measure.name, a.n)}{at}"
        return Finding(
            measure.name,
            "main",
            -1,
            f"{text}.",
            {measure.name: plain_estimate(estimate)},
            "",
            frozenset([THRESHOLD if measure.is_of_matrix else RANKING]),
        )
    return None
