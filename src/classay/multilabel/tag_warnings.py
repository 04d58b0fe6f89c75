"""What a reader of an assessment of several labels a case must know before acting on its numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from classay.assessment.assessment_warnings import MOST_RANKED, TINY, about_limit, about_reading, is_turned
from classay.assessment.mistaken import about_repeats
from classay.assessment.task import rest_of
from classay.columns.numbers import counted
from classay.columns.spelling import written_otherwise
from classay.inference.phrasing import percent
from classay.multilabel.tag_ranking import computed_aucs
from classay.once import memoize
from classay.texts import quote, some
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.multilabel.tag_assessment import MultilabelAssessment


def _turned_tags(a: MultilabelAssessment) -> list[Warned]:
    """Tags whose own scores rank the cases that have them last, beyond chance."""
    if a.task.tag_scores is None or len(a.labels) > MOST_RANKED:
        return []
    scores = a.task.tag_scores
    aucs = computed_aucs(scores)
    below_half = np.ones(len(a.labels), bool) if aucs is None else aucs < 0.5
    turned = [
        label
        for label, is_below in zip(a.labels, below_half.tolist(), strict=True)
        if is_below and is_turned(scores.one(label, rest_of(label)))
    ]
    if not turned:
        return []
    return [
        Warned(
            "class_auc_below_half",
            f"the scores of {some(turned, what='tags', write=quote)} rank cases with the tag below cases "
            "without it. Check the order of the columns.",
            tuple(map(str, turned)),
        )
    ]


@memoize
def warnings_of_tags(a: MultilabelAssessment) -> tuple[Warned, ...]:
    """Return the warnings that matter, the gravest first."""
    notes = [Warned(*text) for text in (*about_limit(a), *about_reading(a))]
    totals = np.asarray(a.class_totals, np.float64)
    table = a.task.tags
    called = np.zeros_like(totals) if table is None else table.cells[0] + table.cells[1]
    by_tag = list(zip(a.labels, totals, called, strict=True))

    def told(labels: Sequence[Hashable]) -> str:
        return some(labels, what="tags", write=quote)

    if dropped := a.received.dropped:
        share = percent(dropped / (dropped + a.rows), dropped + a.rows)
        notes.append(Warned("dropped_rows", f"{counted(dropped)} ({share}) excluded: a true tag is missing."))
    untrue = [label for label, total, count in by_tag if count and not total]
    if sentence := written_otherwise(untrue, [label for label, total, _ in by_tag if total]):
        notes.append(Warned("written_otherwise", sentence))
    notes += _turned_tags(a)
    if a.never_true:
        notes.append(
            Warned(
                "never_true",
                f"no case has these true tags: {told(a.never_true)}. Their recall, AUC and average precision are "
                "not defined. Unweighted means of these measures over tags are not defined either.",
            )
        )
    few = [label for label, total, _ in by_tag if 0 < total < TINY]
    if few and a.kind_of_weight != "sampling":
        notes.append(
            Warned(
                "tiny_class",
                f"{counted(len(few), 'tag')} {'has' if len(few) == 1 else 'have'} fewer than {TINY} true cases "
                f"({told(few)}). Estimates of {'this tag' if len(few) == 1 else 'these tags'} are imprecise.",
            )
        )
    never = [label for label, total, count in by_tag if total and not count]
    if never and table is not None:
        notes.append(
            Warned("never_predicted", f"tags never predicted, though true in some cases: {told(never)}.")
        )
    if a.task.cutoffs is not None and not a.task.cutoff_chosen:
        notes.append(
            Warned(
                "default_threshold",
                f"the default threshold {a.task.cutoffs} was not chosen for these data. All threshold measures "
                "depend on it.",
            )
        )
    if table is None:
        notes.append(
            Warned("no_threshold", "some scores lie outside [0, 1], so no tag is predicted. Set a threshold.")
        )
    notes += [Warned(*text) for text in about_repeats(a)]
    if a.clusters is not None and len(a.clusters) < TINY:
        notes.append(
            Warned(
                "few_clusters",
                f"only {counted(len(a.clusters), 'cluster')}. The clusters are the independent units, and so few "
                "give imprecise intervals.",
            )
        )
    return tuple(notes)
