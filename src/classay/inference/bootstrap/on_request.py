"""Bootstrap intervals, on request."""

from __future__ import annotations

from classay.inference.bootstrap.bootstrapping import bootstrap
from classay.inference.bootstrap.limits import How
from classay.inference.estimate import Found
from classay.inference.labels.sampling_units import LabelUnits
from classay.inference.registry import LABELS, ON_REQUEST, SCORES, Function, interval, refuse
from classay.inference.sampling_units import Units
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

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
        found = bootstrap(table, measure, how=how, level=level, seed=units.seed)
        if not found.has_interval:
            return str(found.reason)
        return min(found.low, value), max(found.high, value), str(found.method)

    return resampled


def _register() -> None:
    for name, how in HOWS.items():
        register = interval(
            name, of=is_resampled, tables=(*LABELS, *SCORES), when=ON_REQUEST, references=("efron1987",)
        )
        register(_by(how))


_register()


def refuse_bootstrap(names: tuple[str, ...], reason: str = DOUBLED) -> None:
    """Register that no bootstrap gives measures an interval, and why."""
    for method in HOWS:
        refuse(names, reason, method)
