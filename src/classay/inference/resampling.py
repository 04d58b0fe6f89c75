"""Bootstrap intervals, on request."""

from __future__ import annotations

from typing import Any

from classay.inference.bootstrap import bootstrap
from classay.inference.estimate import Found
from classay.inference.registry import LABELS, ON_REQUEST, SCORES, interval
from classay.measures import Measure

DOUBLED = "a resample adds a second error to that of the sample, and its intervals miss the truth"
"""Why calibration errors have none: where calibration is good they hold the truth in 0 to 60 % of samples."""


def is_resampled(measure: Measure) -> bool:
    """Whether a measure can be resampled: every one can, but those that are refused with their reason."""
    return True


@interval("bootstrap", of=is_resampled, tables=(*LABELS, *SCORES), when=ON_REQUEST, references=("efron1987",))
def resampled(measure: Measure, table: Any, value: float, units: Any, level: float) -> Found:
    """The bootstrap's usual interval; widened to the value where the correction of its bias leaves it out."""
    found = bootstrap(table, measure, level=level, seed=units.seed)
    if not found.has_interval:
        return str(found.reason)
    return min(found.low, value), max(found.high, value), str(found.method)
