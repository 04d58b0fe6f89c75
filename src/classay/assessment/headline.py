"""What leads a report: the findings of a result, each with its test, in the order in which a reader needs them.

First what makes the numbers unreadable (tier A), then the main sentence of the task, then what else is shown and large
enough to matter (tier B), at most three sentences. All other findings are warnings. Next steps come from the findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.finding import (
    CALIBRATION,
    DEFAULT,
    EVERYTHING,
    RANKING,
    THRESHOLD,
    Finding,
    Tier,
    leading,
    ranked,
    warned,
)
from classay.assessment.findings_calibration import findings_on_calibration
from classay.assessment.findings_labels import finding_on_request, findings_on_labels
from classay.assessment.findings_scores import (
    auc_of_answered,
    evidence_of,
    findings_on_ranking,
    findings_on_width,
)
from classay.assessment.remembered import remembered
from classay.assessment.task import OtherTask
from classay.columns.doubtful import cluster_option
from classay.inference.phrasing import label_text, percent
from classay.inference.significance import hypergeometric_tail
from classay.texts import DoorText, hint
from classay.warned import Warned


@dataclass(frozen=True)
class Promotion:
    """How a warning becomes a finding: its tier and rank, what it makes unreadable, and what to do about it.

    `about` says what it rests on: it is not said where that is unreadable. Intervals rest on clusters whatever they are
    of, so that what is said of clusters is about nothing else.
    """

    rank: float
    suppresses: frozenset[str] = frozenset()
    next_step: str = ""
    tier: Tier = "A"
    measures: tuple[str, ...] = ()
    may_lead: bool = True
    about: frozenset[str] = frozenset()


PASS_LABELS = hint(
    "Pass predicted labels as `y_pred`, or the model's probabilities.",
    "Use `--prediction` for predicted labels, or the model's probabilities.",
)
PROMOTED: Mapping[str, Promotion] = {
    "first_rows": Promotion(
        1, next_step=hint("Read all rows: remove `limit`.", "Run again without `--limit-rows`.")
    ),
    "written_otherwise": Promotion(
        2, frozenset([THRESHOLD]), "Use the same spelling for true and predicted labels."
    ),
    "shifted_codes": Promotion(2.1, frozenset([THRESHOLD]), "Use the same codes for both columns."),
    "no_shared_label": Promotion(
        2.2, frozenset([THRESHOLD]), "Check that both columns contain the same labels."
    ),
    "one_class": Promotion(3, frozenset([RANKING, CALIBRATION]), "Add cases of the other class."),
    "chosen_labels": Promotion(
        3.5,
        frozenset([THRESHOLD]),
        "Use the correction for chosen labels: `correct_verification`.",
    ),
    "constant_scores": Promotion(4, frozenset([RANKING, CALIBRATION]), PASS_LABELS),
    "two_scores": Promotion(4.1, frozenset([RANKING, CALIBRATION]), PASS_LABELS),
    "auc_below_half": Promotion(
        5,
        EVERYTHING,
        hint(
            "Check which class is positive (`positive=`). Use 1 - p only if a high score means the other class.",
            "Check which class is positive (`--positive`). Use 1 - p only if a high score means the other class.",
        ),
        measures=("roc_auc",),
    ),
    "exchanged_columns": Promotion(
        5.5, EVERYTHING, hint("Check the order of the columns: `labels=`.", "Check the columns: `--labels`.")
    ),
    "class_auc_below_half": Promotion(
        6, EVERYTHING, hint("Check the order of the columns: `labels=`.", "Check the columns: `--labels`.")
    ),
    "perfect_separation": Promotion(
        7,
        frozenset([CALIBRATION, DEFAULT]),
        "Check for features that were derived from the label.",
        measures=("roc_auc",),
    ),
    "labels_contradict_scores": Promotion(
        10, frozenset([THRESHOLD]), "Check the columns of labels and scores."
    ),
    "repeated_ids": Promotion(
        11,
        next_step="Use `{}` if cases with the same ID depend on each other.",
        tier="B",
        may_lead=False,
    ),
    "certain_and_wrong": Promotion(
        5, next_step="Bound probabilities away from 0 and 1.", tier="B", about=frozenset([CALIBRATION])
    ),
    "few_clusters": Promotion(8, next_step="Collect more clusters.", tier="B"),
}
"""The warnings that may lead, by code. A warning whose test needs more than its code has it in `_is_grave`."""

GRAVE_ONLY = frozenset(["written_otherwise"])
"""Promoted warnings that stay plain warnings where they concern few cases."""
TABLE_NOTES = frozenset(
    ("default_threshold", "no_threshold", "dropped_rows", "unanswered_wrong", "unanswered_dropped")
)
"""Warnings that a report says elsewhere: in its facts, or at a table."""

FINDINGS: Mapping[str, str] = {
    "above_class_shares": "log-loss skill of several classes (Brier skill if log-loss is infinite) is not below 0",
    "accuracy": "the main measure of several classes, or the measure that was requested first",
    "balanced_accuracy": "the main threshold measure if classes have unequal sizes",
    "below_prevalence": "the upper limit of the log-loss skill (Brier skill if log-loss is infinite) is below 0",
    "calibration": "no miscalibration was detected",
    "calibration_shape": "the lower limit of Brier miscalibration is above a tenth of the Brier score",
    "calibration_slope_off": "calibration intercept 0 and slope 1 are rejected together, the interval of the slope "
    "excludes 1, and it is below 0.8 or above 1.25",
    "class_bias": "whether predictions of ordered classes are too high or too low",
    "class_distance": "how far off predictions of ordered classes are",
    "missing_predictions": "5% of predictions are missing, or more of one class than of the other (p < 0.01)",
    "no_ranking_detected": "the interval of ROC AUC includes 0.5",
    "overall_miscalibration": "calibration intercept 0 and slope 1 are rejected together, the interval of "
    "observed/expected excludes 1, and it is below 0.8 or above 1.25",
    "roc_auc": "how well scores rank the cases of two classes",
    "threshold_measures": "recall and precision of predicted labels, or at a chosen threshold",
    "weak_class": "recall of a class with at least 30 cases is detected to be below the overall recall, by at least 5 "
    "points",
    "weak_tag": "F1 of a tag with at least 30 cases is detected to be below the mean of all tags, by at least 0.05",
    "tags": "the main measures of multilabel data",
    "alphabetical_order": "the order of periods is alphabetical",
    "group_difference": "a difference was detected between a group of at least 30 cases and the other groups",
    "group_miscalibration": "observed/expected of a group was detected to differ from 1, and is below 0.8 or above "
    "1.25",
    "many_numeric_groups": "at least 20 groups are single numbers",
    "no_group_compared": "every group has too few cases to be compared",
    "unusual_period": "a difference was detected between one period and all others",
    "wide_interval": "the half-width of the interval of the main measure is above 0.05",
}
"""When there is a finding of each code that is no code of a warning."""

MIN_SHARE_WRITTEN_OTHERWISE = 0.005
MIN_SHARE_MISSING = 0.05
MAX_P_OF_MISSING = 0.01
MAX_CLASSES_OF_MISSING = 100


def findings(
    a: Assessment, names: Sequence[str] | None = None, extra: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """Return the findings of an assessment in their order, each code once; the first of the named measures leads.

    `extra` are findings on what was asked for besides, such as groups.

    >>> import classay as ca
    >>> y, p = [1, 0] * 50, [0.9, 0.4, 0.3, 0.6] * 25
    >>> [finding.code for finding in findings(ca.assess(y, p))][:1]
    ['no_ranking_detected']
    """
    a = remembered(a)
    if isinstance(a.task, OtherTask):
        return ranked([*_promoted(a, a.warnings), *a.task.findings(a), *extra])
    requested = None if not names else finding_on_request(a, names)
    of_task = [*findings_on_ranking(a), *findings_on_labels(a)]
    if requested is not None:
        gone = ("main",) if not any(finding.code == "tiny_class" for finding in of_task) else ()
        of_task = [finding for finding in of_task if finding.tier not in gone and not finding.is_neutral]
        of_task.append(requested)
    width = None if any(finding.code == "tiny_class" for finding in of_task) else _main_measure(a)
    of_calibration = [*findings_on_calibration(a)]
    if any(each.code == "no_ranking_detected" for each in of_task):  # no threshold or recalibration helps
        of_task, of_calibration = (
            [
                each if each.tier == "main" or each.code == "no_threshold" else replace(each, next_step="")
                for each in part
            ]
            for part in (of_task, of_calibration)
        )
    return ranked(
        [
            *_promoted(a, a.warnings),
            *_missing(a),
            *of_task,
            *(finding for finding in of_calibration if requested is None or not finding.is_neutral),
            *findings_on_width(a, width),
            *extra,
        ]
    )


def headline(
    a: Assessment, names: Sequence[str] | None = None, extra: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """Return the findings whose sentences lead the report of an assessment: at most three.

    >>> import classay as ca
    >>> y, p = [1, 0] * 50, [0.9, 0.4, 0.3, 0.2] * 25
    >>> print(headline(ca.assess(y, p))[0].sentence)
    ROC AUC is 0.750 (95% CI 0.636 to 0.834).
    """
    return leading(findings(a, names, extra))


def warnings_beside(all_findings: Sequence[Finding], warnings: Iterable[Warned]) -> tuple[Warned, ...]:
    """Return the warnings of a document, findings that do not lead, then warnings that are no finding."""
    heard = {finding.code for finding in all_findings if finding.tier != "C"}
    # a promoted warning that is no finding was suppressed, unless it is not grave
    quiet = TABLE_NOTES | {code for code in PROMOTED if code not in GRAVE_ONLY}
    return (
        *(Warned(finding.code, finding.sentence, finding.concerns) for finding in warned(all_findings)),
        *(warning for warning in warnings if warning.code not in heard | quiet),
    )


def warnings_of_json(all_findings: Sequence[Finding], warnings: Iterable[Warned]) -> tuple[Warned, ...]:
    """Return the warnings of a result's JSON: all of them, and the findings of other codes that do not lead."""
    warnings = tuple(warnings)
    codes = {warning.code for warning in warnings}
    return (
        *warnings,
        *(
            Warned(finding.code, finding.sentence, finding.concerns)
            for finding in warned(all_findings)
            if finding.code not in codes
        ),
    )


def as_plain(all_findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings as values that JSON knows."""
    return [
        {
            "code": finding.code,
            "tier": finding.tier,
            "sentence": finding.sentence,
            "evidence": dict(finding.evidence),
            "next_step": str(DoorText.of(finding.next_step)),
        }
        for finding in all_findings
    ]


def _main_measure(a: Assessment) -> str | None:
    """Return the measure whose interval is asked to be narrow."""
    if a.is_binary and a.scores is not None:
        return "roc_auc" if a.class_totals.all() else None
    return None if a.confusion_matrix is None else "accuracy"


def _promoted(a: Assessment, warnings: Iterable[Warned]) -> Iterator[Finding]:
    """Yield the warnings that are findings."""
    for warning in warnings:
        promotion = PROMOTED.get(warning.code)
        if promotion is None or not _is_grave(a, warning.code):
            continue
        yield Finding(
            warning.code,
            promotion.tier,
            promotion.rank,
            warning.sentence,
            evidence_of(a, *promotion.measures),
            promotion.next_step.format(cluster_option(a.repeats[0]) if a.repeats else ""),
            promotion.about,
            promotion.suppresses,
            promotion.may_lead,
        )


def _is_grave(a: Assessment, code: str) -> bool:
    """Check whether a warning that may lead does: labels that are spelled in two ways do from one case in 200 on."""
    if code != "written_otherwise" or a.confusion_matrix is None:
        return True
    predicted = a.confusion_matrix.margins.predicted
    untrue = sum(
        float(count)
        for count, total in zip(predicted[: len(a.labels)], a.class_totals, strict=True)
        if count and not total
    )
    return untrue > MIN_SHARE_WRITTEN_OTHERWISE * float(sum(a.class_totals))


def _missing(a: Assessment) -> Iterator[Finding]:
    """Missing predictions that can change the result: many, or more of one class, or such that the result moves."""
    if not a.unanswered:
        return
    n = a.rows + (a.unanswered if a.no_answer is None else 0)
    share = a.unanswered / n
    step = hint(
        "Choose how missing predictions count: `unanswered='wrong'` or `'drop'`.",
        "Choose how missing predictions count: `--unanswered wrong` or `--unanswered drop`.",
    )
    first = f"{a.unanswered:,} of {n:,} cases ({percent(share, n)}) have no prediction"
    evidence: dict[str, Any] = {"missing": a.unanswered, "cases": n}
    if a.no_answer is None:
        if share >= MIN_SHARE_MISSING:
            yield Finding("missing_predictions", "A", 8, f"{first} and are excluded.", evidence, step)
        return
    differs = _missing_differ(a)
    moved = auc_of_answered(a)
    if share < MIN_SHARE_MISSING and not differs and moved is None:
        return
    evidence |= {"missing_by_class": [float(count) for count in a.no_answer]}
    if moved is not None:
        evidence |= {"roc_auc_of_answered": moved} | evidence_of(a, "roc_auc")
    yield Finding("missing_predictions", "A", 8, f"{first} and count as incorrect{differs}.", evidence, step)


def _missing_differ(a: Assessment) -> str:
    """That predictions are missing more often in one class, as a clause that names it; empty where that is not shown.

    Each class is held against all others by Fisher's exact test, one-sided, by Bonferroni for as many classes.
    """
    if a.no_answer is None or a.kind_of_weight == "sampling" or len(a.labels) > MAX_CLASSES_OF_MISSING:
        return ""
    missing, totals = np.array(a.no_answer), np.asarray(a.class_totals, np.float64)
    cases, gone = int(totals.sum()), int(missing.sum())
    tested = [at for at, total in enumerate(totals.tolist()) if 0 < total < cases]
    if not tested:
        return ""
    tails = {
        at: float(hypergeometric_tail([int(missing[at])], cases, gone, [int(totals[at])])[0]) for at in tested
    }
    most = min(tested, key=lambda at: (tails[at], -missing[at] / totals[at]))
    if len(tested) * tails[most] >= MAX_P_OF_MISSING:
        return ""
    others = cases - float(totals[most])
    here = percent(missing[most] / totals[most], float(totals[most]))
    there = percent((gone - missing[most]) / others, others)
    rest = "" if len(a.labels) == 2 else " of the other cases"
    return f", more often for {label_text(a.labels[most])} ({here} versus {there}{rest})"
