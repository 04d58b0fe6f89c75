"""Why a cell of the page misses the promise, as far as it is understood."""

from __future__ import annotations

from bench.honesty.run import Cell

WIDE = "wider than the narrowest way that held here, which does not hold in every setting of this table"
NO_CLUSTERS = (
    "wider than the way that takes cases for alike, "
    "which does not hold where they weigh unequally or depend on each other"
)
FEW_HITS = "Wilson of a dozen cases: the limits move in steps, and so does what they cover; the coverage itself holds"
FEW_OF_A_CLASS = "ten cases of the rarest class decide it, and their spread is estimated from themselves"
TOO_HIGH = "enough cases reach the precision in few samples, which are those where recall there is too high by chance"
SHORT = {
    "recall": FEW_HITS,
    "balanced_accuracy": FEW_HITS,
    "hand_till_auc": FEW_OF_A_CLASS,
    "expected_calibration_error": "bins of one or two cases, whose noise is taken for normal",
    "recall_at_precision(0.5)": TOO_HIGH,
    "recall_at_precision(0.8)": TOO_HIGH,
    "murphy_resolution": "the shares of the bins are fitted to the cases, and of few cases their gain is skewed",
    "partial_roc_auc_by_tpr(0.8)": "one positive in five lies in the range, of 15 cases three",
}
"""Why an interval of cases alike covers too little, by measure."""
LOSSES = (
    "the losses of the rarer class are few and large, and the narrower ways end below the truth elsewhere"
)
CAUTIOUS = "the lower end takes off the optimism of the best threshold, and half of it as its uncertainty"
SPACIOUS = {
    "kolmogorov_smirnov": CAUTIOUS,
    "max_f1": CAUTIOUS,
    "average_precision": "few positives at the top decide it, and their spread is estimated from themselves",
    "log_loss": LOSSES,
    "brier_score": LOSSES,
    "roc_auc": "a model's variance counts too, because the placements of few cases understate theirs",
    "equal_error_rate": "every threshold that passes a test of both rates counts, which is cautious for few cases",
    "debiased_murphy_reliability": (
        "its variance takes the gaps as they are seen, noise and all; without, one side would be passed in 5 % where "
        "calibration is perfect"
    ),
}
"""Why an interval is wide, by measure, however the cases were drawn."""
BY_LEARNER = {
    "stump": (
        "which split is best changes with the whole data set, which repeats of its folds show in part only: where one "
        "split stands out by chance, accuracy is high and the repeats agree"
    ),
    "decision tree": (
        "the repeats of a tree differ in single cases, which averages out over cases; they are counted as those of "
        "nearest neighbours are, where it does not"
    ),
    "1 nearest neighbour": "the repeats show how unstable the learner is, but few of them do so roughly",
}
"""Of intervals over folds."""
FEW_POSITIVES = (
    "cases that are seldom sampled decide it, whose weights are large: where few of them came, their spread does not "
    "show"
)
FEW_CLUSTERS = "few clusters hold the rarer class, and their spread is estimated from themselves"
CHANCE = (
    "no mechanism is known; of so many cells with this many samples a few are expected to be marked by chance, "
    "and more samples decide"
)


def reason(cell: Cell, *, wide: bool) -> str:
    """Why the cell is wide, or why it covers too little: each by its measure, its learner, or how cases were drawn."""
    of_learner = BY_LEARNER.get(cell.setting.partition(",")[0])
    weighted, clustered = ("weights" in cell.setting or "kept" in cell.setting), "×" in cell.setting
    if wide:
        own = SPACIOUS.get(cell.measure) or of_learner
        why = NO_CLUSTERS if weighted or clustered else WIDE
        return why if own is None else f"{why}; {own}"
    if cell.measure in SHORT and not weighted:
        return SHORT[cell.measure]
    return of_learner or (FEW_POSITIVES if weighted else FEW_CLUSTERS if clustered else CHANCE)
