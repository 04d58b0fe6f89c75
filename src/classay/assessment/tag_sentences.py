"""What to say of an assessment of several labels a case: its verdict, its warnings, and the cases without a value."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from classay.assessment.flow import percent
from classay.assessment.tag_assessment import TagAssessment
from classay.assessment.verdict import TINY, Warned, about_limit
from classay.columns.numbers import counted
from classay.inference.estimate import Estimate, apart, number
from classay.texts import listed, quote

MOST_NAMED = 5
"""Tags that a sentence names."""


def some(labels: Sequence[Hashable]) -> str:
    """The first tags by name, and how many more there are."""
    shown = [quote(label) for label in labels[:MOST_NAMED]]
    more = len(labels) - MOST_NAMED
    return listed(shown) if more <= 0 else f"{', '.join(shown)} and {more:,} more tags"


def top_said(k: int) -> str:
    """Which tags are called of each case."""
    return "the highest tag of each case" if k == 1 else f"the {k} highest tags of each case"


def verdict(a: TagAssessment) -> tuple[str, ...]:
    """What a person should take from it: how often tags are right, and which are worst."""
    found = []
    if a.task.tags is not None:
        recall, precision, exact = a["micro_recall"], a["micro_precision"], a["exact_match"]
        found.append(
            f"It finds {_sure(recall)} of all true tags, and is right in {_sure(precision)} of the tags it calls; "
            f"{_sure(exact)} of the cases have exactly their tags."
        )
        found += _worst(a)
    if a.task.tag_scores is not None and not (auc := a["micro_roc_auc"]).is_undefined:
        value, low, high = apart(auc.value, auc.low, auc.high)
        sure = f" ({100 * a.level:g} % interval {low} to {high})" if auc.has_interval else ""
        found.append(
            f"A tag that is true of its case scores above one that is not, of any case, with probability {value}{sure}."
        )
    return tuple(found)


def _worst(a: TagAssessment) -> list[str]:
    worst = a.worst_tags(1)[0]
    one = a.tag(worst)["f1"]
    if one.is_undefined or one.value == 1:
        return []
    value, low, high = apart(one.value, one.low, one.high)
    interval = f" ({low} to {high})" if one.has_interval else ""
    return [f"Tag {quote(worst)} has the lowest F1: {value}{interval}."]


def _sure(found: Estimate) -> str:
    """A share in percent with its interval."""
    if found.is_undefined:
        return "an unknown share"
    if not found.has_interval:
        return percent(found)
    value, low, high = (f"{100 * each:.1f}" for each in (found.value, found.low, found.high))
    return f"{value} % ({low} to {high})"


def left_out(a: TagAssessment) -> str:
    """How many cases have no true or called tag: means over cases leave them out."""
    table, scores, tags = a.task.tags, a.task.tag_scores, len(a.labels)
    if table is None:
        assert scores is not None
        true, weight = np.diff(scores.truth.indptr), scores.weights
        empty = [("without a true tag", true == 0)]
    else:
        of, weight = table.outcomes, table.weights
        true = of.tp + of.fn
        empty = [("without a true tag", true == 0), ("without a called tag", of.tp + of.fp == 0)]
    if scores is not None:  # of which there is no rank of a true tag among others
        empty.append(("of which every tag is true", true == tags))
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    told = [f"{_amount(float(weight[which].sum()), unit)} {words}" for words, which in empty if which.any()]
    return f"Means over cases leave out those that have no value: {listed(told)}." if told else ""


def _amount(amount: float, unit: str) -> str:
    return counted(int(amount), "case") if unit == "cases" else f"cases of weight {number(amount)}"


def warnings(a: TagAssessment) -> tuple[Warned, ...]:
    """The warnings that matter, the gravest first."""
    found = [Warned(*each) for each in about_limit(a)]
    if a.never_true:
        found.append(
            Warned(
                "never_true",
                f"never seen: {some(a.never_true)}. What has no true case has no recall, AUC or average precision, "
                "nor has a plain mean of these over tags a value.",
            )
        )
    totals = np.asarray(a.class_totals, np.float64)
    few = [label for label, total in zip(a.labels, totals, strict=True) if 0 < total < TINY]
    if few and a.kind_of_weight != "sampling":
        found.append(
            Warned(
                "tiny_class",
                f"{counted(len(few), 'tag')} with fewer than {TINY} true cases ({some(few)}): what rests on them is "
                "uncertain, see the intervals.",
            )
        )
    table = a.task.tags
    if table is not None:
        called = table.cells[0] + table.cells[1]
        never = [
            label
            for label, total, one in zip(a.labels, totals, called, strict=True)
            if total > 0 and one == 0
        ]
        if never:
            found.append(Warned("never_predicted", f"never called, though true: {some(never)}."))
    if a.task.cutoffs is not None and not a.task.cutoff_chosen:
        found.append(
            Warned(
                "default_threshold",
                f"the threshold {a.task.cutoffs} is a default that nobody chose: every measure of labels depends on "
                "it.",
            )
        )
    if table is None:
        found.append(
            Warned(
                "no_threshold", "the scores do not all lie in [0, 1], so no tag is called: pass a threshold."
            )
        )
    if a.clusters is not None and len(a.clusters) < TINY:
        found.append(
            Warned(
                "few_clusters",
                f"only {counted(len(a.clusters), 'cluster')}: clusters, not rows, are the independent units, and so "
                "few say little about their spread.",
            )
        )
    return tuple(found)
