"""Why a cell of the page misses the promise, as far as it is understood."""

from __future__ import annotations

from bench.honesty.run import Cell

WIDE = "wider than the narrowest way that held here, which does not hold in every setting of this table"
OPTIMISM = "the lower end takes off the optimism of the best threshold, and half of it as its uncertainty"
BY_MEASURE = {
    "kolmogorov_smirnov": OPTIMISM,
    "max_f1": OPTIMISM,
    "expected_calibration_error": "a triangle inequality, which holds whether calibration is good or bad",
    "average_precision": "few positives at the top decide it, and their spread is estimated from themselves",
    "log_loss": "rare cases with a very small probability of their class, hardly one of which is in a sample",
}
NOT_KNOWN = "not yet understood"


def reason(cell: Cell, *, wide: bool) -> str:
    """The reason of the measure; of a cell that is too wide, that too."""
    own = BY_MEASURE.get(cell.measure)
    if wide:
        return WIDE if own is None else f"{WIDE}; {own}"
    return own or NOT_KNOWN
