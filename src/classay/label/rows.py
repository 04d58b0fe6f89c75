"""Labels of a pool, matched with the rows that a plan drew."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.columns.labels import match_label, positive_among
from classay.columns.numbers import as_array, placed
from classay.columns.values import listing
from classay.errors import InputError
from classay.label.planning import LabelPlan, refuse_other_pool
from classay.label.strata import checked_scores
from classay.texts import hint

Array = NDArray[Any]
ROW = "pool_row"
"""The column of rows of the pool in a list of cases to label."""


@dataclass(frozen=True, eq=False)
class Matched:
    """Labels of drawn cases: stratum, score and whether positive, and how many others there are.

    `not_labeled` are drawn cases without a label, without those after the last label if labeling may stop early.
    """

    places: Array
    scores: Array
    truths: Array
    positive: Hashable
    not_labeled: int
    not_drawn: int
    unsure: int


def matched_labels(
    plan: LabelPlan, y_true: Any, y_score: Any, rows: Any, positive: Hashable | None, unsure: Hashable | None
) -> Matched:
    """Match labels with the rows that were drawn. Raises InputError for labels that are not of this plan."""
    coded = code_labels(y_true, "truth")
    codes = np.asarray(coded.codes, np.int64)
    labels = coded.order or coded.labels
    n_unsure = 0
    if unsure is not None:
        place = labels.index(match_label(unsure, labels))
        n_unsure = int((codes == place).sum())
        codes = np.where(codes == place, -1, codes)
    known = tuple(label for label in labels if unsure is None or label != labels[place])
    name = positive_among(known, positive)
    if name is None:
        if not known:
            raise InputError("No case has a label. Label the drawn cases first.")
        raise InputError(
            f"The positive class is not set. Labels: {listing(known)}. "
            + hint("Pass positive=.", "Use --positive LABEL.")
        )
    positions = _positions(plan, codes.size, rows)
    _refuse_other_pool(plan, positions, y_score, is_pool=rows is None)
    order = np.argsort(plan.rows)
    labelled = codes >= 0
    here = positions[labelled]
    at = np.minimum(np.searchsorted(plan.rows, here, sorter=order), order.size - 1)
    drawn = plan.rows[order[at]] == here
    if not drawn.any():
        raise InputError("None of the cases that the plan drew has a label. Label the cases of the list.")
    at = order[at[drawn]]
    lacking = np.ones(plan.rows.size, bool)
    lacking[at] = False
    if plan.half_width is not None:  # labeling stopped there, in the order of the list
        lacking[int(at.max()) :] = False
    is_positive = np.array([label == name for label in labels], bool)
    return Matched(
        plan.stratum[at],
        plan.scores[at],
        is_positive[codes[labelled][drawn]],
        name,
        int(lacking.sum()),
        int((~drawn).sum()),
        n_unsure,
    )


def _positions(plan: LabelPlan, size: int, rows: Any) -> Array:
    """Return the row of the pool of each label. Raises InputError where it is not known or occurs twice."""
    if rows is None:
        if size != plan.n_cases:
            raise InputError(
                f"There are {size:,} labels, but the plan is for {plan.n_cases:,} cases. "
                + hint(
                    "Name the rows of the labels with rows=, such as plan.rows.",
                    f"Keep the column {ROW} of the list, which names the rows of the labels.",
                )
            )
        return np.arange(size)
    numbers = as_array(rows, "rows").astype(float)
    if numbers.shape != (size,):
        raise InputError(
            f"rows has {numbers.size:,} values, but there are {size:,} labels. Use columns of equal length."
        )
    bad = ~((numbers >= 0) & (numbers < plan.n_cases) & (numbers == np.floor(numbers)))
    if bad.any():
        raise InputError(
            f"rows has other values than rows of the pool in {placed(bad)}. Use whole numbers from 0 to "
            f"{plan.n_cases - 1:,}."
        )
    positions = numbers.astype(np.int64)
    values, counts = np.unique(positions, return_counts=True)
    if (counts > 1).any():
        raise InputError(
            f"Row {values[counts > 1][0]:,} of the pool occurs twice. Keep one label of each row."
        )
    return positions


def _refuse_other_pool(plan: LabelPlan, positions: Array, y_score: Any, *, is_pool: bool) -> None:
    """Raise InputError where scores are not those of the plan: by the hash of all, or by those of the drawn cases."""
    if y_score is None:
        return
    if is_pool:
        refuse_other_pool(plan, checked_scores(y_score))
        return
    scores = as_array(y_score, "score").astype(float)
    if scores.shape != positions.shape:
        raise InputError("score and truth have different lengths. Use columns of equal length.")
    known = dict(zip(plan.rows.tolist(), plan.scores.tolist(), strict=True))
    wanted = np.array([known.get(row, np.nan) for row in positions.tolist()])
    off = np.isfinite(wanted) & ~np.isclose(scores, wanted, rtol=1e-6, atol=1e-12)
    if off.any():
        raise InputError(
            f"The score differs from that of the plan in {placed(off)}. Use the scores and the pool of the plan."
        )
