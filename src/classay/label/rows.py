"""Labels of a pool, matched with the rows that a plan drew."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.columns.labels import match_label, positive_among
from classay.columns.numbers import as_array, placed
from classay.columns.values import listing
from classay.errors import InputError
from classay.files.sheets import plain_text
from classay.label.differences import checked_pair
from classay.label.lists import ROW
from classay.label.planning import LabelPlan, refuse_other_pool
from classay.label.strata import checked_scores
from classay.texts import hint

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Matched:
    """Labels of drawn cases, as places in the rows of the plan, and of cases that somebody else chose.

    `known_rows` are those of another process, with their strata and labels. `not_drawn` and `unsure` count labels that
    were excluded.
    """

    at: Array
    truths: Array
    positive: Hashable
    not_drawn: int = 0
    unsure: int = 0
    known_rows: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    known_places: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    known_truths: Array = field(default_factory=lambda: np.zeros(0, bool))

    def lacking(self, plan: LabelPlan) -> Array:
        """Return how many drawn cases of each stratum lack a label, up to the last label if labeling may stop."""
        lacking = np.ones(plan.rows.size, bool)
        lacking[self.at] = False
        lacking[np.isin(plan.rows, self.known_rows)] = False
        if plan.half_width is not None and len(plan.pools) == 1:
            lacking[int(self.at.max()) :] = False
        return np.bincount(plan.stratum[lacking], minlength=len(plan.strata))


@dataclass(frozen=True, eq=False)
class ReadLabels:
    """Labels as codes, -1 of missing and unsure ones, which code is positive, and how many are unsure."""

    codes: Array
    positive: Hashable
    is_positive: Array
    unsure: int

    @property
    def has_label(self) -> Array:
        """Whether each case has a label."""
        return self.codes >= 0

    @property
    def truths(self) -> Array:
        """Whether each label is positive."""
        return np.asarray(self.is_positive[self.codes])

    @classmethod
    def of(cls, y_true: Any, positive: Hashable | None, unsure: Hashable | None) -> ReadLabels:
        """Read labels of two classes. Raises InputError where no case has one, or the positive one is not clear."""
        coded = code_labels(y_true, "truth")
        codes = np.asarray(coded.codes, np.int64)
        # a list for spreadsheets has guarded texts, and people type plain ones into it
        labels = [_plain(label) for label in coded.order or coded.labels]
        n_unsure, blank = 0, None
        if unsure is not None:
            blank = match_label(unsure if unsure in labels else _plain(unsure), labels)
            is_blank = np.isin(codes, [k for k, label in enumerate(labels) if label == blank])
            n_unsure = int(is_blank.sum())
            codes = np.where(is_blank, -1, codes)
        known = tuple(label for label in dict.fromkeys(labels) if unsure is None or label != blank)
        name = positive_among(known, positive if positive in known else _plain(positive))
        if name is None:
            if not known:
                raise InputError("No case has a label. Label the drawn cases first.")
            raise InputError(
                f"The positive class is not set. Labels: {listing(known)}. "
                + hint("Pass positive=.", "Use --positive LABEL.")
            )
        if len(known) > 2:
            raise InputError(
                f"A plan needs two labels, but there are {len(known)}: {listing(known)}. "
                + hint(
                    "Pass unsure= for the label that means unsure.",
                    "Use --unsure LABEL for the label that means unsure.",
                )
            )
        return cls(codes, name, np.array([label == name for label in labels], bool), n_unsure)


def _plain(label: Any) -> Any:
    return plain_text(label) if isinstance(label, str) else label


def matched_labels(plan: LabelPlan, read: ReadLabels, y_score: Any, rows: Any, known: Any) -> Matched:
    """Match labels with the rows that were drawn. Raises InputError for labels that are not of this plan."""
    positions = _positions(plan, read.codes.size, rows)
    _refuse_other_pool(plan, positions, y_score, is_pool=rows is None)
    here, truths = positions[read.has_label], read.truths[read.has_label]
    at, is_drawn = _drawn(plan, here)
    is_known = np.zeros(here.size, bool)
    if known is not None:
        is_known = _marks(known, read.codes.size)[read.has_label]
    counts = is_drawn & ~is_known
    if not counts.any():
        raise InputError("None of the cases that the plan drew has a label. Label the cases of the list.")
    matched = Matched(
        at[counts], truths[counts], read.positive, int((~is_drawn & ~is_known).sum()), read.unsure
    )
    if not is_known.any():
        return matched
    places = np.zeros(here.size, np.int64)
    places[is_drawn] = plan.stratum[at[is_drawn]]
    if (is_known & ~is_drawn).any():
        if y_score is None:
            raise InputError(
                "Cases that another process labeled need their scores. Use " + hint("y_score=.", "--score.")
            )
        scores = _scores(plan, y_score)[read.has_label]
        places[~is_drawn] = plan.places_of(scores)[~is_drawn]
    return replace(
        matched, known_rows=here[is_known], known_places=places[is_known], known_truths=truths[is_known]
    )


def _drawn(plan: LabelPlan, positions: Array) -> tuple[Array, Array]:
    """Return the place of each row among those of the plan, and whether it is one of them."""
    order = np.argsort(plan.rows)
    at = np.minimum(np.searchsorted(plan.rows, positions, sorter=order), order.size - 1)
    return order[at], plan.rows[order[at]] == positions


def _marks(known: Any, size: int) -> Array:
    """Return which labels are of another process. Raises InputError for another column than one of marks."""
    coded = code_labels(known, "known")
    codes = np.asarray(coded.codes, np.int64)
    if codes.size != size:
        raise InputError(
            f"known has {codes.size:,} values, but there are {size:,} labels. Use columns of equal length."
        )
    labels = coded.order or coded.labels
    marks = positive_among(labels, None)
    if marks is None and any(label not in (0, False, "0") for label in labels):
        raise InputError(
            f"known has the values {listing(labels)}. Use 1 for cases of another process, else 0."
        )
    return (
        np.array([label == marks for label in labels] + [False])[codes] if marks is not None else codes < -1
    )


def _scores(plan: LabelPlan, y_score: Any) -> Array:
    """Return scores, with two models `(cases, 2)`, in their names' order."""
    if not plan.models:
        return np.asarray(as_array(y_score, "score").astype(float))
    if not isinstance(y_score, Mapping) or {*map(str, y_score)} != {*plan.models}:
        raise InputError(
            f"The plan is of the models {listing(plan.models)}. "
            + hint("Pass the scores of both by name.", f"Use --scores {','.join(plan.models)}.")
        )
    by_name = {str(name): column for name, column in y_score.items()}
    return np.column_stack([as_array(by_name[name], "score").astype(float) for name in plan.models])


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
            f"rows must be row numbers of the pool, from 0 to {plan.n_cases - 1:,}, but {placed(bad)} "
            f"{'is' if bad.sum() == 1 else 'are'} not."
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
    if is_pool and not plan.models:
        refuse_other_pool(plan, checked_scores(y_score))
        return
    if is_pool:
        refuse_other_pool(plan, checked_pair({name: y_score[name] for name in plan.models})[1])
        return
    scores = _scores(plan, y_score)
    if len(scores) != positions.size:
        raise InputError("score and truth have different lengths. Use columns of equal length.")
    at, is_drawn = _drawn(plan, positions)
    off = np.zeros(positions.size, bool)
    near = np.isclose(scores[is_drawn], plan.scores[at[is_drawn]], rtol=1e-6, atol=1e-12)
    off[is_drawn] = ~(near if near.ndim == 1 else near.all(1))
    if off.any():
        raise InputError(
            f"The score differs from that of the plan in {placed(off)}. Use the scores and the pool of the plan."
        )
