"""Bootstrap intervals of every measure, by name and on request; the measures that are refused one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.inference.design import Design
from classay.inference.estimate import IntervalResult
from classay.inference.methods import (
    ALIKE,
    CLUSTERED,
    LABELS,
    ON_REQUEST,
    SCORES,
    Function,
    Several,
    interval,
    refuse,
)
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

Resampled = BinaryCounts | ConfusionMatrix | ScoreTable

if TYPE_CHECKING:  # who asks for no bootstrap does not load it
    from classay.inference.bootstrap.bootstrapping import How
    from classay.inference.bootstrap.label_samples import LabelledRows
    from classay.inference.bootstrap.score_samples import ScoredRows

DOUBLED = "a resample adds a second error to that of the sample, and its intervals miss the truth"
"""Why calibration errors have none: where calibration is good they hold the truth in 0 to 60% of samples."""


def is_resampled(measure: Measure) -> bool:
    """Check whether a measure can be resampled: every one can, but those that are refused with their reason."""
    return True


HOWS: dict[str, How | None] = {
    "bootstrap": None,
    "BCa bootstrap": "BCa",
    "percentile bootstrap": "percentile",
    "basic bootstrap": "basic",
    "normal bootstrap": "normal",
}
"""The bootstrap's intervals by name; the first is the one that covers best for a measure."""


def _several_by(how: How | None) -> Several[Resampled, Design]:
    """Intervals of the bootstrap, widened to the value where the correction of its bias leaves it out.

    Measures of one table are taken of the same resamples, which are drawn once for all of them.
    """

    def resampled(
        measures: Sequence[Measure],
        table: Resampled,
        values: Sequence[float],
        design: Design,
        level: float,
    ) -> list[IntervalResult]:
        from classay.inference.bootstrap.bootstrapping import bootstrap_all

        source, of = (table, list(measures)) if design.rows is None else _rows(measures, table, design)
        estimates = bootstrap_all(source, of, how=how, level=level, seed=design.seed)
        return [
            (min(estimate.low, value), max(estimate.high, value), str(estimate.method))
            if estimate.has_interval
            else str(estimate.reason)
            for estimate, value in zip(estimates, values, strict=True)
        ]

    return resampled


def _one_by(several: Several[Resampled, Design]) -> Function[Resampled, Design]:
    def resampled(
        measure: Measure, table: Resampled, value: float, design: Design, level: float
    ) -> IntervalResult:
        return several([measure], table, [value], design, level)[0]

    return resampled


def _rows(
    measures: Sequence[Measure], table: Resampled, design: Design
) -> tuple[LabelledRows | ScoredRows, list[Measure]]:
    """Return the rows of clusters, which are resampled whole, and the measures as those of what is made of them.

    The cell of each row is read from how values by cell become values by row.
    """
    from classay.inference.bootstrap.label_samples import LabelledRows
    from classay.inference.bootstrap.score_samples import ScoredRows

    rows, by_row = design.rows, design.cells
    assert rows is not None
    assert by_row is not None
    cluster = np.unique(rows.cluster, return_inverse=True)[1]
    if isinstance(table, ScoreTable):
        m = table.scores.size
        place = by_row(np.arange(2 * m).reshape(2, m))
        return ScoredRows(table.scores[place % m], place < m, rows.weight, cluster), [*measures]
    if isinstance(table, BinaryCounts):
        cell = by_row(np.arange(4))  # tp, fp, fn, tn
        predicted, true = (cell <= 1).astype(int), (cell % 2 == 0).astype(int)
        labelled_rows = LabelledRows(predicted, true, (0, 1), rows.weight, cluster)
        return labelled_rows, [_of_matrix(measure) for measure in measures]
    k = len(table.labels)
    predicted, true = np.divmod(by_row(np.arange(k * k).reshape(k, k)), k)
    return LabelledRows(predicted, true, table.labels, rows.weight, cluster), [*measures]


def _of_matrix(measure: Measure) -> Measure:
    """Return a measure of counts as one of the matrix of two classes."""
    return replace(measure, needs="matrix", function=lambda matrix: measure(*_counts(matrix)))


def _counts(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    cells = matrix.counts
    return cells[..., 1, 1], cells[..., 1, 0], cells[..., 0, 1], cells[..., 0, 0]


def _register() -> None:
    for name, how in HOWS.items():
        for tables in (LABELS, SCORES):
            several = _several_by(how)
            register = interval(
                name,
                of=is_resampled,
                tables=tables,
                drawn=(*ALIKE, *CLUSTERED),
                when=ON_REQUEST,
                references=("efron1987",),
                several=several,
            )
            register(_one_by(several))


_register()


def refuse_bootstrap(names: tuple[str, ...], reason: str = DOUBLED) -> None:
    """Register that no bootstrap gives measures an interval, and why."""
    for method in HOWS:
        refuse(names, reason, method)
