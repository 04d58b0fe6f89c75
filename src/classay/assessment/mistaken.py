"""Columns that may not be what they are taken for: exchanged scores, contradicting labels, shifted codes, repeats.

Each function gives the codes and texts of what it finds in one assessment; `verdict.warnings` orders them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from classay.columns.doubtful import WarningText, about_no_label, repeats_said
from classay.columns.labels import no_label_codes, shift_of_codes, shifted_codes
from classay.columns.spelling import near_misses, written_otherwise
from classay.inference.estimate import format_distinct
from classay.inference.phrasing import percent
from classay.measures import roc_auc
from classay.tables.sparse import SparseConfusionMatrix
from classay.texts import hint, quote, some

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.predictions import Predictions

EXCLUDE_MISSING = hint(
    "make these labels missing and exclude the cases with missing='drop'.",
    "make these labels missing and exclude the cases with --missing drop.",
)
NAMED = 4
"""Labels up to which a sentence names all."""
MOST_REVERSED = 0.05
"""The share of pairs in which labels contradict scores, above which that is said."""


def about_exchange(a: Assessment) -> list[WarningText]:
    """Return the warning that two columns without names may be exchanged: so read, the AUC is surely below one half."""
    if not a.sorted_columns or not a.is_binary or a.scores is None:
        return []
    if not float(roc_auc(a.scores)) < 0.5:
        return []
    auc = a["roc_auc"]
    if not auc.has_interval or not auc.high < 0.5:
        return []
    value, low, high = format_distinct(auc.value, auc.low, auc.high)
    first, second = (quote(label) for label in a.labels)
    return [
        (
            "exchanged_columns",
            f"the two columns of scores have no names and were read in the sorted order of the labels, {first} and "
            f"{second}. The columns may be exchanged, because ROC AUC is then {value} ({100 * a.level:g}% CI {low} to "
            f"{high}). Set the order of the columns with labels=[{second}, {first}].",
        )
    ]


def score_columns(a: Assessment | Predictions) -> str:
    """Return how columns of scores without names were read, as a fact; empty where nothing is left to guess."""
    if not a.sorted_columns:
        return ""
    return f"no names, read in the sorted order of the labels: {some(a.labels, write=quote)}"


def about_contradiction(a: Assessment) -> list[WarningText]:
    """Return the warning that the given labels contradict the given scores, in more than a few pairs."""
    if a.compared_pairs == 0 or a.reversed_pairs <= MOST_REVERSED * a.compared_pairs:
        return []
    share = percent(a.reversed_pairs / a.compared_pairs, a.compared_pairs)
    if a.is_binary:
        pairs = f"a case not predicted {quote(a.positive)} has a higher score than a case predicted {quote(a.positive)}"
    else:
        pairs = "another class has a higher score than the predicted class"
    return [
        (
            "labels_contradict_scores",
            f"predicted labels contradict the scores. In {share} of pairs, {pairs}. Check which columns contain the "
            "scores and the labels of this model.",
        )
    ]


def occurring(a: Assessment) -> tuple[list[Hashable], list[Hashable]]:
    """Return the labels that are predicted of some case, and those that are true of some case."""
    if a.confusion_matrix is None:
        return [], [label for label, total in zip(a.labels, a.class_totals, strict=True) if total]
    called = a.confusion_matrix.margins.predicted
    rows = list(zip(a.labels, a.class_totals, called, strict=False))  # an answer that is none comes last
    return [label for label, _, count in rows if count], [label for label, total, _ in rows if total]


def about_writing(a: Assessment) -> list[WarningText]:
    """Return the warning that a label is predicted and never true, and differs from a true one in writing alone."""
    predicted, true = occurring(a)
    known = {*true}
    sentence = written_otherwise([label for label in predicted if label not in known], true)
    return [("written_otherwise", sentence)] if sentence else []


def about_codes(a: Assessment) -> Iterator[WarningText]:
    """The warnings that predicted codes are the true ones shifted by one, and that a code may mean that none is known.

    Shifted codes are told where more cases are right once they are shifted. Labels that a threshold gave are those of
    the truth, however few of them occur.
    """
    predicted, true = occurring(a)
    are_given = a.cutoff is None
    by = shift_of_codes(predicted, true) if are_given else None
    if by is not None and _cases_off_by(a, by) > _cases_off_by(a, 0):
        yield "shifted_codes", shifted_codes(predicted, true)
    elif are_given and predicted and true and not {*predicted} & {*true} and not near_misses(predicted, true):
        called, known = (some(labels, NAMED, write=quote) for labels in (predicted, true))
        yield (
            "no_shared_label",
            f"no predicted label is a true label. Predicted labels are {called}, and true labels are {known}. "
            "Use the same spelling in both columns.",
        )
    either = {*predicted, *true}
    present = [label for label in a.labels if label in either]
    for code in no_label_codes(present):
        cases = {} if a.kind_of_weight == "sampling" else dict(_cases_with(a, code))
        yield about_no_label(code, cases, EXCLUDE_MISSING)


def _cases_off_by(a: Assessment, by: int) -> float:
    """Return how many cases (or their weight) have a predicted code that is the true one plus `by`."""
    assert a.confusion_matrix is not None
    predicted, true, weight = SparseConfusionMatrix.of_matrix(a.confusion_matrix).occupied
    codes = np.array([label if isinstance(label, int) else np.nan for label in a.confusion_matrix.labels])
    return float(weight[codes[predicted] == codes[true] + by].sum())


def _cases_with(a: Assessment, label: Hashable) -> Iterator[tuple[str, float]]:
    """Yield how many cases have a label as the true and as the predicted one."""
    at = a.labels.index(label)
    yield "true", float(a.class_totals[at])
    if a.confusion_matrix is not None:
        yield "predicted", float(a.confusion_matrix.margins.predicted[at])


def about_repeats(a: Assessment) -> list[WarningText]:
    """Return the warning that a column of ids repeats its values, and that no clusters were given."""
    return (
        []
        if a.clusters is not None
        else [("repeated_ids", warned.text) for warned in repeats_said(a.repeats, a.rows)]
    )
