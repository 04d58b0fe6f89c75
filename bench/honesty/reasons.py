"""Why a cell of the page misses the promise, as far as it is understood."""

from __future__ import annotations

from bench.honesty.run import Cell

WIDE = (
    "wider than the narrowest method that holds in this setting, but that method fails in another setting "
    "of this table"
)
NO_CLUSTERS = (
    "wider than the method that ignores weights and clusters, which fails in other settings of this table"
)
FEW_HITS = (
    "Wilson's interval of a dozen cases: its limits move in steps, so one side exceeds its share; the "
    "coverage itself holds"
)
FEW_OF_A_CLASS = (
    "it rests on ten cases of the rarest class, and their variance is estimated from these ten alone"
)
TOO_HIGH = (
    "the precision is reached by enough cases in few samples only, and in those recall is too high by chance"
)
SHORT = {
    "recall": FEW_HITS,
    "balanced_accuracy": FEW_HITS,
    "hand_till_auc": FEW_OF_A_CLASS,
    "expected_calibration_error": "bins hold one or two cases, and their noise is treated as normal",
    "recall_at_precision(0.5)": TOO_HIGH,
    "recall_at_precision(0.8)": TOO_HIGH,
    "murphy_resolution": "the bins are fitted to the cases, and with few cases the resulting optimism is skewed",
    "partial_roc_auc_by_tpr(0.8)": "one positive in five lies in the range: three cases of 15",
}
"""Why an interval of cases alike covers too little, by measure."""
LOSSES = (
    "the rarer class has few and large losses, and the narrower methods end below the truth in other settings"
)
CAUTIOUS = (
    "the lower limit subtracts the optimism of the best threshold, and half of it again for its uncertainty"
)
SPACIOUS = {
    "kolmogorov_smirnov": CAUTIOUS,
    "max_f1": CAUTIOUS,
    "average_precision": (
        "it rests on the few positives with the highest scores, and their variance is estimated from "
        "these alone"
    ),
    "log_loss": LOSSES,
    "brier_score": LOSSES,
    "roc_auc": (
        "it adds the variance under a model of exponential scores, because the placements of few cases underestimate "
        "the variance"
    ),
    "equal_error_rate": (
        "it contains every threshold that passes a test of both error rates, which is conservative with "
        "few cases"
    ),
    "debiased_murphy_reliability": (
        "its variance uses the observed gaps, noise included; without the noise, one side would miss "
        "5 % under perfect calibration"
    ),
}
"""Why an interval is wide, by measure, however the cases were drawn."""
BY_LEARNER = {
    "stump": (
        "the best split depends on the whole data set, and repeated folds show only part of that "
        "variation: where one split stands out by chance, accuracy is high and the repeats agree"
    ),
    "decision tree": (
        "the repeats of a tree differ in single cases, which averages out; the method treats them "
        "like the repeats of nearest neighbours, where it does not average out"
    ),
    "random forest": (
        "the repeats differ in single cases, as those of trees do, and each repeat also draws the "
        "votes of a forest anew"
    ),
    "1 nearest neighbour": "the repeats show how unstable the learner is, but few repeats estimate it only roughly",
}
"""Of intervals over folds."""
FEW_POSITIVES = (
    "it rests on cases that are rarely sampled and have large weights: a sample with few of them "
    "underestimates their variance"
)
FEW_CLUSTERS = "few clusters hold the rarer class, and their variance is estimated from these clusters alone"
CHANCE = (
    "no mechanism is known; of so many cells with this many samples a few are expected to be marked by chance, "
    "and more samples decide"
)


def reason(cell: Cell, *, wide: bool) -> str:
    """Why the cell is wide, or why it covers too little: each by its measure, its learner, or how "
    "cases were drawn."""
    of_learner = BY_LEARNER.get(cell.setting.partition(",")[0])
    weighted, clustered = ("weights" in cell.setting or "kept" in cell.setting), "×" in cell.setting
    if wide:
        own = SPACIOUS.get(cell.measure) or of_learner
        why = NO_CLUSTERS if weighted or clustered else WIDE
        return why if own is None else f"{why}; {own}"
    of_cases = FEW_POSITIVES if weighted else SHORT.get(cell.measure)
    return of_learner or of_cases or (FEW_CLUSTERS if clustered else CHANCE)
