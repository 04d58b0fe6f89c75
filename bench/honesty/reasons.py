"""Why a cell of the page misses the promise, as far as it is understood."""

from __future__ import annotations

from bench.honesty.run import Cell

WIDE = "wider than the narrowest way that held here, which does not hold in every setting of this table"
NO_CLUSTERS = (
    "wider than the way that takes cases for alike, which does not hold where cases depend on each other"
)
OPTIMISM = "the lower end takes off the optimism of the best threshold, and half of it as its uncertainty"
LOSSES = (
    "the losses of the rarer class are few and large, and the narrower ways end below the truth elsewhere"
)
FEW_HITS = "Wilson of a dozen cases: the limits move in steps, and so does what they cover; the coverage itself holds"
FEW_OF_A_CLASS = "ten cases of the rarest class decide it, and their spread is estimated from themselves"
BY_MEASURE = {
    "recall": FEW_HITS,
    "balanced_accuracy": FEW_HITS,
    "hand_till_auc": FEW_OF_A_CLASS,
    "kolmogorov_smirnov": OPTIMISM,
    "max_f1": OPTIMISM,
    "expected_calibration_error": "a triangle inequality, which holds whether calibration is good or bad",
    "average_precision": "few positives at the top decide it, and their spread is estimated from themselves",
    "log_loss": LOSSES,
    "brier_score": LOSSES,
    "roc_auc": "a model's variance counts too, because the placements of few cases understate theirs",
    "partial_roc_auc_by_tpr(0.8)": "one positive in five lies in the range, of 15 cases three",
}
FEW_POSITIVES = "cases of large weight decide it, of which few are in a sample"
FEW_CLUSTERS = "few clusters hold the rarer class, and their spread is estimated from themselves"
CHANCE = (
    "no mechanism is known; of so many cells with this many samples a few are expected to be marked by chance, "
    "and more samples decide"
)


def reason(cell: Cell, *, wide: bool) -> str:
    """The reason of the measure; of a cell that is too wide, that too."""
    unlike = "weights" in cell.group.lower(), "clusters" in cell.group.lower()
    own = BY_MEASURE.get(cell.measure)
    if wide:
        why = NO_CLUSTERS if any(unlike) else WIDE
        return why if own is None else f"{why}; {own}"
    return own or (FEW_POSITIVES if unlike[0] else FEW_CLUSTERS if unlike[1] else CHANCE)
