"""refine(): a second pass over rows that were counted in bins, with finer bins where the AUC is least certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from classay.answers import Policy
from classay.assessment.assessment import Assessment
from classay.assessment.many.parts import Reading
from classay.assessment.many.scanning import Pass, Progress, name_of
from classay.columns import Labels
from classay.errors import InputError
from classay.kinds import checked
from classay.sources.fragments import is_read_once
from classay.sources.inputs import Format
from classay.sources.spelling import Known
from classay.tables.binned.bins import Bins
from classay.tables.binned.refining import finer
from classay.tables.binned.table import BinnedScoreTable

SHARE = 0.01
"""What bins may leave open of the AUC, as a share of its standard error, for a second pass not to pay."""
ROUNDING = 1e-9
"""Relative difference of sums of weights that were added in another order."""


@checked
def refine(
    a: Assessment,
    source: Any,
    *,
    truth: str,
    score: str,
    prediction: str | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    format: Format | None = None,
    delimiter: str | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> Assessment:
    """Count the scores of a source once more, in bins that are finer where they leave the AUC open, where this pays.

    `a` is what `scan` made of the same `source`, named and read in the same way; all but its scores is kept. Bins are
    split in proportion to the root of positives times negatives in them, into 131,072 parts together, so that the
    `certain` ends of the AUC come some twenty times closer; those of the other measures of the order come closer too.
    Where the first pass left rows out for a missing `prediction`, name that column again.
    Exact scores, those of several classes, and bins that are certain of the AUC to a hundredth of its standard error,
    are returned as they are.

    Raises InputError for a source that can be read once only, and for one whose rows are not those of `a`.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(50_000) < 0.3
    >>> frame = {"y": y.astype(int), "p": rng.beta(1 + 2 * y, 2)}
    >>> from classay.assessment.many.scanning import scan
    >>> once = scan(frame, truth="y", score="p", bits=4)
    >>> twice = refine(once, frame, truth="y", score="p")
    >>> [f"{high - low:.0e}" for low, high in (each["roc_auc"].certain for each in (once, twice))]
    ['1e-02', '1e-06']
    """
    scores = a.scores
    if not isinstance(scores, BinnedScoreTable) or not pays(a):
        return a
    refuse_read_once(source)
    scale = finer(scores.bins)
    roles: Mapping[str, Any] = {
        "truth": truth,
        "score": score,
        "prediction": prediction,
        "weight": weight,
        "frequency": frequency,
    }
    how = {"level": a.level, "seed": a.seed, "threshold": None, "interval": None}
    unanswered = "wrong" if a.no_answer is not None else "drop" if a.unanswered else "refuse"
    policy = Policy.of("drop" if a.dropped > a.unanswered else "refuse", unanswered)
    plan = Reading(roles, Known(), Labels.of(a.labels), a.positive, policy, "keep", how, scale)
    again = Pass(source, format, delimiter, a.limit, executor, progress).of(plan, inf)
    assert isinstance(again.scores, BinnedScoreTable)
    if again.rows != a.rows or not _are_same(again.scores.bins, scores.bins):
        raise InputError(
            f"the rows of {name_of(source)} are not those that were counted first: pass the same source with the same "
            "columns, and let nothing be written to it meanwhile."
        )
    return replace(a, scores=again.scores)


def pays(a: Assessment) -> bool:
    """Whether bins leave more of the AUC open than a hundredth of its standard error, as its interval has it."""
    from classay.inference.proportions.binomial import normal_quantile

    found = a["roc_auc"]
    if found.certain is None:
        return False
    opened = found.certain[1] - found.certain[0]
    if not found.has_interval:  # bins so wide that they show no spread
        return opened > 0
    error = (found.high - found.low - opened) / (2 * normal_quantile(a.level))
    return bool(opened / 2 > SHARE * error)


def refuse_read_once(source: Any) -> None:
    """Refuse a source that the first pass uses up."""
    if is_read_once(source):
        raise InputError(
            f"{name_of(source)} can be read once only, and a second pass reads it again: pass files or a frame, leave "
            "the second pass out, or keep more bits from the start (bits=)."
        )


def _are_same(bins: Bins, others: Bins) -> bool:
    """Whether bins hold the same cases, as far as the coarser of both tell."""
    bits = min(bins.bits, others.bits)
    one, other = bins.coarser(bits), others.coarser(bits)
    if not (np.array_equal(one.keys, other.keys) and one.dtype == other.dtype):
        return False
    ends = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("least", "most"))
    return ends and np.allclose(one.cases, other.cases, rtol=ROUNDING, atol=0)
