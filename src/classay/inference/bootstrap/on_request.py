"""Bootstrap intervals, on request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.inference.estimate import Found
from classay.inference.labels.sampling_units import LabelUnits
from classay.inference.registry import (
    ALIKE,
    CLUSTERED,
    LABELS,
    ON_REQUEST,
    SCORES,
    Function,
    interval,
    refuse,
)
from classay.inference.sampling_units import Units
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

if TYPE_CHECKING:  # who asks for no bootstrap does not load it
    from classay.inference.bootstrap.label_samples import LabelledRows
    from classay.inference.bootstrap.limits import How
    from classay.inference.bootstrap.score_samples import ScoredRows

DOUBLED = "a resample adds a second error to that of the sample, and its intervals miss the truth"
"""Why calibration errors have none: where calibration is good they hold the truth in 0 to 60 % of samples."""


def is_resampled(measure: Measure) -> bool:
    """Whether a measure can be resampled: every one can, but those that are refused with their reason."""
    return True


HOWS: dict[str, How | None] = {
    "bootstrap": None,
    "BCa bootstrap": "BCa",
    "percentile bootstrap": "percentile",
    "basic bootstrap": "basic",
    "normal bootstrap": "normal",
}
"""The bootstrap's intervals by name; the first is the one that covers best for a measure."""


def _by(how: How | None) -> Function[BinaryCounts | ConfusionMatrix | ScoreTable, LabelUnits | Units]:
    """An interval of the bootstrap, widened to the value where the correction of its bias leaves it out."""

    def resampled(
        measure: Measure,
        table: BinaryCounts | ConfusionMatrix | ScoreTable,
        value: float,
        units: LabelUnits | Units,
        level: float,
    ) -> Found:
        from classay.inference.bootstrap.bootstrapping import bootstrap

        whole, of = (table, measure) if units.rows is None else _rows(measure, table, units)
        found = bootstrap(whole, of, how=how, level=level, seed=units.seed)
        if not found.has_interval:
            return str(found.reason)
        return min(found.low, value), max(found.high, value), str(found.method)

    return resampled


def _rows(
    measure: Measure, table: BinaryCounts | ConfusionMatrix | ScoreTable, units: LabelUnits | Units
) -> tuple[LabelledRows | ScoredRows, Measure]:
    """The rows of clusters, which are resampled whole, and the measure as one of what is made of them.

    The cell of each row is read from how values by cell become values by row.
    """
    from classay.inference.bootstrap.label_samples import LabelledRows
    from classay.inference.bootstrap.score_samples import ScoredRows

    rows, by_row = units.rows, units.cells
    assert rows is not None
    assert by_row is not None
    cluster = np.unique(rows.cluster, return_inverse=True)[1]
    if isinstance(table, ScoreTable):
        m = table.scores.size
        place = by_row(np.arange(2 * m).reshape(2, m))
        return ScoredRows(table.scores[place % m], place < m, rows.weight, cluster), measure
    if isinstance(table, BinaryCounts):
        cell = by_row(np.arange(4))  # tp, fp, fn, tn
        predicted, true = (cell <= 1).astype(int), (cell % 2 == 0).astype(int)
        whole = LabelledRows(predicted, true, (0, 1), rows.weight, cluster)
        return whole, replace(measure, needs="matrix", function=lambda matrix: measure(*_counts(matrix)))
    k = len(table.labels)
    predicted, true = np.divmod(by_row(np.arange(k * k).reshape(k, k)), k)
    return LabelledRows(predicted, true, table.labels, rows.weight, cluster), measure


def _counts(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    cells = matrix.counts
    return cells[..., 1, 1], cells[..., 1, 0], cells[..., 0, 1], cells[..., 0, 0]


def _register() -> None:
    for name, how in HOWS.items():
        for tables in (LABELS, SCORES):
            register = interval(
                name,
                of=is_resampled,
                tables=tables,
                drawn=(*ALIKE, *CLUSTERED),
                when=ON_REQUEST,
                references=("efron1987",),
            )
            register(_by(how))


_register()


def refuse_bootstrap(names: tuple[str, ...], reason: str = DOUBLED) -> None:
    """Register that no bootstrap gives measures an interval, and why."""
    for method in HOWS:
        refuse(names, reason, method)
