"""Why a cell misses the promise, leans or is wide, as far as it is understood, and what to use instead."""

from __future__ import annotations

from collections.abc import Iterable

from bench.honesty.cells import BY_NAME, LEVEL, SHORT, Cell

WIDE = (
    "wider than the narrowest method that holds in this setting, which fails in another setting of this table"
)
NO_CLUSTERS = (
    "wider than the method that ignores weights and clusters, which fails in other settings of this table"
)
DISCRETE = (
    "counts are discrete and, near 0 or 1, skewed: Wilson's limits miss nearly always on the side where more errors "
    "than usual were seen (Brown, Cai & DasGupta 2001)"
)
FEW_ERRORS = (
    "fewer than about ten errors (or hits) are expected, whose number is skewed: Wilson's limits, and those built of "
    'them, miss nearly always on the side where more errors than usual were seen; `interval="mid-P"` shares the '
    "misses out"
)
SKEWED = (
    "few cases are predicted incorrectly, and measures of several cells inherit the skewness of their number: the "
    "misses lie on one side, and both sides together hold; for a single limit, use `level=0.98`"
)
AT_END = (
    "the true value is at the end of the range, or close to it, where an interval can miss on one side only, and has "
    "all of its 5% there"
)
FEW_LOSSES = (
    "nearly all of the loss comes from one case in fifty, close to the border of the classes: a sample that lacks "
    "such cases shows too small a loss and too little spread"
)
FEW_LEVELS = (
    "scores of few levels leave few thresholds to choose from, and the choice jumps between them: resamples that show "
    "another choice are few, and so the interval is too short"
)
FEW_VALUES = ("levels", "values", "whole numbers")
"""How settings name scores of few levels."""
CUBE_ROOT = (
    "the threshold of least cost is where a sum of steps is least, which comes near the truth with the cube root of "
    "the cases (Kim & Pollard 1990, Annals of Statistics 18:191): resamples show its spread only roughly (Abrevaya & "
    "Huang 2005, Econometrica 73:1175)"
)
NEAR_ONE = (
    "one AUC is near 1, so that few pairs of cases are ranked incorrectly and determine value and variance: the "
    'misses lie on one side; `method="logit-delong"` covers 95% here, but detects a difference of equal AUCs of .998 '
    "in 8%"
)
IN_RANGE = (
    "only the tenth of the negatives with the highest scores counts, a handful of cases, and their number varies: the "
    "misses lie on one side"
)
TOP = (
    "the few cases with the highest scores determine the value, and its variance is estimated from only these and is "
    "skewed"
)
TOO_HIGH = (
    "the precision is reached by enough cases in few samples only, and in those recall is too high by chance"
)
FEW_POSITIVES = (
    "cases that are rarely sampled and have large weights determine the value: a sample with few of them "
    "underestimates their variance"
)
FEW_CLUSTERS = "few clusters hold the rarer class, and their variance is estimated from only these clusters"
UNEQUAL = "a few large clusters carry most of the variance, which is estimated from only these"
FEW_OF_A_CLASS = (
    "few cases of the rarest class determine the value, and its variance is estimated from only these"
)
CAUTIOUS = (
    "the lower limit subtracts the optimism of the best threshold, and half of it again for its uncertainty"
)
NOISE = "bins hold few cases, and their noise is treated as normal"
DELTA = (
    "few cases are predicted incorrectly, or many classes have few cases: their number is discrete and skewed, and a "
    "variance that is estimated from them is uncertain"
)
MANY_CLASSES = (
    "the reference is the entropy (or impurity) of the class shares seen, which is too small on average, the more so "
    "the more classes there are, and with it the skill"
)
JUMPS = "between tied scores a reading jumps from one rate to another, and which of them the sample reads is chance"
FEW_SET_IT = "a few cases beyond the rate asked for set the threshold, and the reading moves in their steps"
SELECTED = (
    "the method gives no interval, and says why, in more than half of the samples: those that have one are not "
    "typical, since they have more cases, or more errors, than usual where it counts"
)
CHANCE = "no mechanism is known; of so many cells a few are expected to be marked by chance, and more samples decide"
TWO_SHARES = "mid-P limits of two shares with few errors are combined, and both limits are discrete"
AREAS = ("partial_roc_auc", "standardized_partial_roc_auc", "partial_roc_auc_by_tpr")
OF_LABELS = (
    *("accuracy", "recall", "specificity", "precision", "negative_predictive_value", "jaccard", "prevalence"),
    *("predicted_prevalence", "proportion", "f1", "top_2_accuracy"),
)
SHORT_BY_MEASURE = {
    "log_loss": FEW_LOSSES,
    "log_loss_skill": FEW_LOSSES,
    "brier_score": FEW_LOSSES,
    "brier_skill": FEW_LOSSES,
    "multiclass_brier_score": FEW_LOSSES,
    "multiclass_brier_skill": FEW_LOSSES,
    "log_loss_miscalibration": FEW_LOSSES,
    "log_loss_discrimination": FEW_LOSSES,
    "mean_reciprocal_rank": FEW_LOSSES,
    "ranked_probability_score": FEW_LOSSES,
    **dict.fromkeys(AREAS, IN_RANGE),
    "average_precision": TOP,
    "area_under_prg": TOP,
    "interpolated_pr_area": TOP,
    "area_under_risk_coverage": TOP,
    "hand_till_auc": FEW_OF_A_CLASS,
    "macro_roc_auc": FEW_OF_A_CLASS,
    "weighted_roc_auc": FEW_OF_A_CLASS,
    "weighted_one_vs_one_roc_auc": FEW_OF_A_CLASS,
    "recall_at_precision": TOO_HIGH,
    "expected_calibration_error": NOISE,
    "murphy_resolution": "the bins are fitted to the cases, and with few cases the resulting optimism is skewed",
}
"""Why an interval of cases alike covers too little, by measure."""
SPACIOUS = {
    "kolmogorov_smirnov": CAUTIOUS,
    "max_f1": CAUTIOUS,
    "average_precision": TOP,
    "log_loss": "the rarer class has few and large losses, and the narrower method ends below the truth elsewhere",
    "brier_score": "the rarer class has few and large losses, and the narrower method ends below the truth elsewhere",
    "roc_auc": (
        "it adds the variance under a model of exponential scores, because the placements of few cases underestimate "
        "the variance; near 1 this is more than is needed"
    ),
    "equal_error_rate": (
        "it contains every threshold that passes a test of both error rates, which is conservative with few cases"
    ),
    **dict.fromkeys(("positive_likelihood_ratio", "negative_likelihood_ratio"), TWO_SHARES),
    "rate_gap": "it is folded at 0, and holds where both rates are equal, where the percentile bootstrap never does",
}
"""Why an interval is wide, by measure, however the cases were drawn."""
BY_LEARNER = {
    "stump": (
        "the best split depends on the whole data set, and repeated folds show only part of that variation: where one "
        "split stands out by chance, accuracy is high and the repeats agree"
    ),
    "decision tree": (
        "the repeats of a tree differ in single cases, which averages out; the method treats them like the repeats of "
        "nearest neighbours, where it does not average out"
    ),
    "1 nearest neighbour": "the repeats show how unstable the learner is, but few repeats estimate it only roughly",
}
"""Of intervals over folds."""


def reason(cell: Cell, others: Iterable[Cell], *, wide: bool) -> str:
    """Why the cell is too wide, covers too little or leans: by its measure, its learner, or how cases were drawn.

    Of what was enumerated, the coverage of the other method by name stands beside; of what was drawn, which of the
    methods beside it hold.
    """
    if cell.exact and not wide:
        beside = [each for each in others if each.way == BY_NAME]
        return DISCRETE + "".join(
            f'; `interval="mid-P"` covers {100 * each.coverage:.1f} ({100 * each.below:.1f} / {100 * each.above:.1f})'
            for each in beside
        )
    measure = cell.measure.partition(",")[0].partition("(")[0]
    of_learner = BY_LEARNER.get(cell.setting.partition(",")[0]) if cell.family == "learners" else None
    if wide:
        why = NO_CLUSTERS if cell.family in ("weights", "clusters") else WIDE
        own = of_learner or SPACIOUS.get(measure)
        return f"{why}; {own}" if own else why
    return (of_learner or _why_short(cell, measure)) + _instead(cell, list(others))


def _instead(cell: Cell, others: list[Cell]) -> str:
    """Which methods of others hold in this setting; those that ignore how cases were drawn are none."""
    if not others or cell.family in ("weights", "clusters"):
        return ""
    able = [each.way for each in others if each.holds and not each.leans and each.found >= cell.found - 0.02]
    return f"; other methods that hold on both sides: {', '.join(able) or 'none'}"


def _why_short(cell: Cell, measure: str) -> str:
    """The first that applies."""
    one_sided = max(cell.below, cell.above) > 2 * min(cell.below, cell.above)
    unlike = cell.family in ("weights", "clusters")
    holds_together = cell.coverage >= LEVEL - SHORT
    reasons = (
        (SELECTED, cell.found < 0.5),
        (AT_END, measure == "rate_gap" and cell.below == 0),
        (NEAR_ONE, cell.family == "comparisons" and measure == "roc_auc"),
        (FEW_LEVELS, cell.family == "decisions" and any(word in cell.setting for word in FEW_VALUES)),
        (CUBE_ROOT, cell.family == "decisions" and cell.measure == "the best threshold"),
        (FEW_LOSSES, unlike and one_sided and SHORT_BY_MEASURE.get(measure) == FEW_LOSSES),
        (FEW_POSITIVES, cell.family == "weights"),
        (UNEQUAL, cell.family == "clusters" and "unequal sizes" in cell.setting),
        (FEW_CLUSTERS, cell.family == "clusters"),
        (JUMPS, cell.family == "curves" and "tied" in cell.setting),
        (FEW_SET_IT, cell.family == "curves"),
        (MANY_CLASSES, measure.endswith("_skill") and "50 classes" in cell.setting),
        (FEW_ERRORS, measure in OF_LABELS and one_sided),
        (SHORT_BY_MEASURE.get(measure, ""), measure in SHORT_BY_MEASURE),
        (
            SKEWED,
            cell.family in ("labels", "ordered", "groups", "comparisons") and one_sided and holds_together,
        ),
        (DELTA, cell.family in ("labels", "ordered")),
    )
    return next((why for why, applies in reasons if applies), CHANCE)
