"""Findings on several labels per case (multilabel): how often tags are right, and which tag is surely worst."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

from classay.assessment.finding import RANKING, THRESHOLD, Finding
from classay.assessment.findings_labels import MIN_GAP, MOST_LOOKED_AT, cases_per_unit
from classay.assessment.findings_scores import MIN_CASES_OF_CLASS, evidence_of
from classay.inference.phrasing import (
    label_text,
    number_with_interval,
    share_with_interval,
    value_with_interval,
)
from classay.inference.plain import plain_estimate
from classay.measures import get
from classay.texts import hint

if TYPE_CHECKING:
    from classay.multilabel.tag_assessment import MultilabelAssessment


def findings_on_tags(a: MultilabelAssessment) -> Iterator[Finding]:
    """Micro F1 and exact match, the weakest tag, and how well scores rank."""
    if a.task.tags is not None:
        f1, exact = a["micro_f1"], a["exact_match"]
        parts = []
        if f1.has_interval:
            parts.append(f"Micro-averaged F1 is {value_with_interval(f1, 'micro_f1', a.n)}")
        if exact.has_interval:
            all_tags = "all tags are correct" if parts else "All tags are correct"
            parts.append(f"{all_tags} in {share_with_interval(exact, a.n)} of the cases (exact match)")
        if parts:
            is_empty = not a.task.tags.cells[:2].any()
            sentence = f"{' and '.join(parts)}{', because no tag is predicted positive' if is_empty else ''}."
            yield Finding(
                "tags",
                "main",
                1,
                sentence,
                evidence_of(a, "micro_f1", "exact_match"),
                "",
                frozenset([THRESHOLD]),
            )
        yield from _weakest_tag(a)
    if a.task.tag_scores is not None and (auc := a["micro_roc_auc"]).has_interval:
        yield Finding(
            "roc_auc",
            "main",
            2,
            f"Micro-averaged ROC AUC is {value_with_interval(auc, 'micro_roc_auc', a.n)}.",
            evidence_of(a, "micro_roc_auc"),
            "",
            frozenset([RANKING]),
        )


def _weakest_tag(a: MultilabelAssessment) -> Iterator[Finding]:
    """Yield the tag with the lowest F1, of those with cases enough whose F1 is surely below the mean of all tags."""
    totals = dict(zip(a.labels, a.class_totals, strict=True))
    large = [label for label in totals if totals[label] * cases_per_unit(a) >= MIN_CASES_OF_CLASS]
    mean = a["macro_f1"].value
    if isnan(mean):
        known = [estimates["f1"].value for estimates in a.some_tags(large[:MOST_LOOKED_AT]).values()]
        mean = sum(known) / len(known) if known else mean
    if len(large) < 2 or isnan(mean):
        return
    strict = a.changed(level=1 - (1 - a.level) / len(large))
    worst = [label for label in a.worst_tags(len(a.labels)) if label in set(large)]
    for label in worst[:MOST_LOOKED_AT]:
        f1 = a.tag(label)["f1"]
        if f1.value > mean - MIN_GAP:
            return
        if strict.tag(label)["f1"].high < mean:
            yield Finding(
                "weak_tag",
                "B",
                9,
                f"F1 is lowest for {label_text(label)}: {number_with_interval(f1, 3, 0.0, 1.0)}, compared with a "
                f"mean of {mean:.3f} over tags.",
                {f"f1[{label}]": plain_estimate(f1), "macro_f1": mean},
                hint(
                    f"Look at {label_text(label)}: `a.tag({label!r})`.",
                    f"Look at {label_text(label)}: `--measures {shlex.quote(get('recall')[label].name)}`.",
                ),
                frozenset([THRESHOLD]),
            )
            return
