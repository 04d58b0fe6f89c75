"""The settings: every default interval and test, on populations that are easy, hard, tied, rare, small, large.

Groups that are "held out" were added when the methods were done: no constant of a method was chosen on them.
"""

from __future__ import annotations

import numpy as np

from bench.honesty.counts import confused, far_off, graded, of_counts, two_by_two
from bench.honesty.curves import of_bands, of_bootstrap_bands, of_readings
from bench.honesty.decided import GRADED
from bench.honesty.deciding import of_cut_points, of_decision
from bench.honesty.differences import (
    OF_SCORES,
    RESAMPLED,
    Pair,
    clustered_labels,
    equal_aucs,
    joint_cells,
    paired_labels,
    paired_proportions,
    paired_scores,
    two_groups,
    two_proportions,
)
from bench.honesty.folds import of_intervals, of_tests
from bench.honesty.gaps import settings as of_gaps
from bench.honesty.populations import Population
from bench.honesty.rows import (
    clusters_of_cases,
    kept_by_score,
    rare,
    several_classes,
    several_in_clusters,
    several_kept,
    two_classes,
    weighted_at_random,
)
from bench.honesty.run import Setting

SETTINGS: list[Setting] = []
HELD_OUT = "held out"

# -- labels of two classes ---------------------------------------------------------------------------

OF_COUNTS = (
    *("accuracy", "baseline_accuracy", "recall", "specificity", "precision", "negative_predictive_value"),
    *("f1", "jaccard", "macro_f1", "macro_jaccard", "f2", "f0_5", "fowlkes_mallows"),
    *("balanced_accuracy", "informedness", "markedness", "rate_gap", "macro_precision"),
    *("macro_specificity", "weighted_specificity", "macro_negative_predictive_value"),
    *("weighted_negative_predictive_value", "weighted_precision", "weighted_f1"),
    *("matthews_correlation", "cohen_kappa", "g_mean", "p4", "lift"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"),
    *("prevalence", "predicted_prevalence"),
)
for group, rates in {
    "easy": (
        (200, 0.5, 0.98, 0.97),
        (500, 0.3, 0.99, 0.99),
        (1000, 0.2, 0.97, 0.995),
        (3000, 0.1, 0.995, 0.999),
    ),
    "hard": ((60, 0.5, 0.7, 0.7), (100, 0.5, 0.6, 0.65), (200, 0.5, 0.85, 0.85), (400, 0.3, 0.75, 0.7)),
    "rare": ((400, 0.05, 0.6, 0.98), (1000, 0.02, 0.7, 0.95), (2000, 0.01, 0.9, 0.99)),
    "small": ((20, 0.5, 0.8, 0.8), (30, 0.4, 0.9, 0.8), (50, 0.3, 0.8, 0.9)),
    "large": ((5000, 0.4, 0.95, 0.9), (5000, 0.05, 0.8, 0.97)),
}.items():
    for n, share, recall, specificity in rates:
        name = f"n = {n:,}, {share:g} positive, recall {recall:g}, specificity {specificity:g}"
        cells = two_by_two(share, recall, specificity)
        SETTINGS.append(of_counts("labels", f"Two classes: {group}", name, OF_COUNTS, n, cells))

OF_MATRIX = (
    *("accuracy", "baseline_accuracy", "balanced_accuracy", "macro_f1", "macro_jaccard", "macro_precision"),
    *("macro_specificity", "weighted_specificity", "macro_negative_predictive_value"),
    *("weighted_negative_predictive_value", "weighted_precision", "weighted_f1", "weighted_jaccard"),
    *("macro_f2", "macro_f0_5", "weighted_f2", "weighted_f0_5"),
    *("matthews_correlation", "cohen_kappa", "linear_kappa", "quadratic_kappa"),
)
_third, _tenth, _fiftieth = (1 / 3,) * 3, (0.1,) * 10, (0.02,) * 50
for group, designs in {
    "easy": (
        (300, _third, (0.98,) * 3, "3 equal classes, .98 right"),
        (500, (0.9, 0.06, 0.04), (0.998, 0.95, 0.95), "0.9, 0.06, 0.04, .998, .95, .95 right"),
        (1000, _tenth, (0.97,) * 10, "10 equal classes, .97 right"),
        (5000, _fiftieth, (0.95,) * 50, "50 equal classes, .95 right"),
    ),
    "hard": (
        (50, _third, (0.6,) * 3, "3 equal classes, .6 right"),
        (150, (0.5, 0.3, 0.2), (0.7, 0.6, 0.5), "0.5, 0.3, 0.2, .7, .6, .5 right"),
        (
            400,
            (0.4, 0.3, 0.15, 0.1, 0.05),
            (0.8, 0.7, 0.6, 0.6, 0.5),
            "5 classes, rarest 0.05, .5 to .8 right",
        ),
        (500, _tenth, (0.6,) * 10, "10 equal classes, .6 right"),
        (1000, rare(10, 0.02), (0.8,) * 9 + (0.4,), "10 classes, rarest 0.02, .8 and .4 right"),
        (2500, _fiftieth, (0.5,) * 50, "50 equal classes, .5 right"),
    ),
}.items():
    for n, shares, right, words in designs:
        name = f"n = {n:,}, {words}"
        SETTINGS.append(
            of_counts("labels", f"Several classes: {group}", name, OF_MATRIX, n, confused(shares, right))
        )

SETTINGS += [
    of_counts(
        "labels", "Several classes: few of one", f"n = {n:,}, {words}", OF_MATRIX, n, confused(shares, right)
    )
    for n, shares, right, words in (
        (100, (0.6, 0.3, 0.08, 0.02), (0.9, 0.85, 0.8, 0.7), "4 classes, rarest 0.02, .7 to .9 right"),
        (300, (0.6, 0.3, 0.08, 0.02), (0.9, 0.85, 0.8, 0.7), "4 classes, rarest 0.02, .7 to .9 right"),
    )
]

# -- labels of classes in an order -------------------------------------------------------------------

IN_ORDER = (
    *("mean_absolute_error", "mean_squared_error", "mean_signed_error", "macro_mean_absolute_error"),
    *("accuracy_within(1)", "linear_kappa", "quadratic_kappa"),
    *("kendall_tau_b", "somers_d", "goodman_kruskal_gamma", "concordance"),
)
_ends = (0.02, 0.28, 0.4, 0.28, 0.02)
for group, designs in {
    "easy": (
        (50, _third, 0.98, 0.25, "3 equal classes, .98 right"),
        (200, (0.2,) * 5, 0.98, 0.25, "5 equal classes, .98 right"),
        (1000, _third, 0.99, 0.25, "3 equal classes, .99 right"),
        (1000, _ends, 0.97, 0.25, "5 classes, ends 0.02, .97 right"),
        (5000, (0.2,) * 5, 0.98, 0.25, "5 equal classes, .98 right"),
    ),
    "hard": (
        (50, (0.25,) * 4, 0.6, 0.25, "4 equal classes, .6 right"),
        (100, (1 / 6,) * 6, 0.35, 0.6, "6 equal classes, .35 right, errors far off"),
        (500, _ends, 0.7, 0.25, "5 classes, ends 0.02, .7 right"),
        (1000, _tenth, 0.5, 0.5, "10 equal classes, .5 right"),
        (5000, _ends, 0.7, 0.25, "5 classes, ends 0.02, .7 right"),
    ),
    f"{HELD_OUT}": (
        (150, (0.5, 0.3, 0.15, 0.05), 0.8, 0.4, "0.5, 0.3, 0.15, 0.05, .8 right"),
        (400, (0.05, 0.15, 0.6, 0.15, 0.05), 0.9, 0.1, "5 classes, ends 0.05, .9 right"),
    ),
}.items():
    for n, shares, right, decay, words in designs:
        name = f"n = {n:,}, {words}"
        cells = graded(shares, right, decay)
        SETTINGS.append(
            of_counts(
                "ordered", f"Classes in an order: {group}", name, IN_ORDER, n, cells, bootstrapped=False
            )
        )

SETTINGS += [
    of_counts(
        "ordered",
        "Classes in an order: few far errors",
        f"n = {n:,}, {words}, {near:.0%} one step off, {far:.0%} at the other end",
        IN_ORDER,
        n,
        far_off(shares, near, far),
        bootstrapped=False,
    )
    for n, shares, near, far, words in (
        (60, (0.4, 0.3, 0.2, 0.05, 0.05), 0.1, 0.03, "5 classes, rarest 0.05"),
        (200, (0.4, 0.3, 0.2, 0.05, 0.05), 0.1, 0.03, "5 classes, rarest 0.05"),
        (100, _third, 0.05, 0.01, "3 equal classes"),
    )
]

UNLIKE_IN_ORDER = (*IN_ORDER, "ranked_probability_score")
SETTINGS += [
    several_in_clusters(
        "ordered", "Classes in an order, in clusters", UNLIKE_IN_ORDER, clusters, size, shares, apart, same
    )
    for clusters, size, shares, apart, same in (
        (30, 5, _third, 1.2, 0.0),
        (60, 5, _third, 1.2, 1.0),
        (120, 4, (0.2,) * 5, 2.5, 0.0),
        (100, 4, (0.5, 0.3, 0.15, 0.05), 1.2, 0.0),
    )
]
SETTINGS += [
    several_kept("ordered", "Classes in an order, weighted", UNLIKE_IN_ORDER, n, shares, apart, chances)
    for n, shares, apart, chances in (
        (200, _third, 1.2, (0.9, 0.3)),
        (600, (0.2,) * 5, 2.5, (0.9, 0.3)),
        (600, (0.5, 0.3, 0.15, 0.05), 1.2, (0.9, 0.3)),
    )
]

# -- scores of two classes ---------------------------------------------------------------------------

SCORES = (
    *("roc_auc", "hull_auc", "partial_roc_auc", "standardized_partial_roc_auc", "average_precision"),
    *("area_under_prg", "area_under_risk_coverage", "kolmogorov_smirnov", "max_f1", "h_measure"),
    *("brier_score", "log_loss", "brier_skill", "log_loss_skill"),
)
for group, several in {
    "easy": (
        (100, Population(0.5, 4.0)),
        (1000, Population(0.1, 4.5)),
        (2000, Population(0.5, 5.0)),
    ),
    "hard": (
        (60, Population(0.5, 1.0)),
        (150, Population(0.5, 0.4)),
        (400, Population(0.3, 1.5)),
        (1000, Population(0.3, 1.5, slope=2)),
    ),
    "tied": (
        (200, Population(0.4, 1.5, ties=2)),
        (300, Population(0.3, 1.5, ties=4)),
        (400, Population(0.3, 1.5, ties=10)),
        (600, Population(0.07, 2.5, ties=4)),
    ),
    "rare": (
        (400, Population(0.03, 3.5)),
        (1500, Population(0.01, 2.0)),
    ),
    "small": ((20, Population(0.5, 1.0)), (50, Population(0.3, 1.5))),
    "large": ((5000, Population(0.3, 1.5)), (5000, Population(0.01, 2.0))),
    HELD_OUT: (
        (80, Population(0.15, 1.0)),
        (250, Population(0.2, 1.2, tail=3)),
        (600, Population(0.02, 1.2)),
    ),
    "few far errors": ((300, Population(0.5, 4.0, flipped=0.02)),),
}.items():
    for n, population in several:
        SETTINGS.append(two_classes("scores", f"Two classes: {group}", SCORES, n, population))

# -- calibration -------------------------------------------------------------------------------------

ERRORS = (
    *("expected_calibration_error", "equal_mass_calibration_error", "root_mean_squared_calibration_error"),
    *("maximum_calibration_error", "debiased_squared_calibration_error", "cumulative_calibration_error"),
    *("cumulative_calibration_range", "smooth_calibration_error", "integrated_calibration_index"),
    *("median_calibration_error", "calibration_error_90"),
)
PARTS = (
    *("calibration_slope", "calibration_intercept", "calibration_in_the_large", "observed_expected_ratio"),
    *("brier_miscalibration", "brier_discrimination", "log_loss_miscalibration", "log_loss_discrimination"),
    *("brier_uncertainty", "log_loss_uncertainty"),
)
for group, several in {
    "right": ((60, Population(0.5, 1.0)), (400, Population(0.3, 1.5))),
    "easy": ((300, Population(0.3, 4.0)),),
    "wrong": ((250, Population(0.2, 1.2, tail=3)),),
    "tied": ((300, Population(0.3, 1.5, ties=4)), (400, Population(0.3, 1.5, slope=2, ties=10))),
    "few far errors": ((100, Population(0.5, 4.0, flipped=0.05)), (100, Population(0.5, 4.0, flipped=0.12))),
}.items():
    for n, population in several:
        SETTINGS.append(two_classes("calibration", f"Two classes: {group}", (*ERRORS, *PARTS), n, population))

ON_REQUEST = (
    *("f_beta(3)", "expected_cost(1, 5)", "partial_roc_auc(max_fpr=0.3, min_fpr=0.1)"),
    *(
        "partial_roc_auc_by_tpr(0.8)",
        "equal_error_rate",
        "recall_at_precision(0.5)",
        "recall_at_precision(0.8)",
    ),
    *("interpolated_pr_area", "murphy_reliability", "murphy_resolution", "debiased_murphy_reliability"),
)
for n, population in (
    (60, Population(0.5, 1.5)),
    (400, Population(0.3, 1.5, ties=10)),
    (1000, Population(0.1, 1.5)),
):
    SETTINGS.append(two_classes("scores", "Measures on request", ON_REQUEST, n, population))

# -- scores of several classes -----------------------------------------------------------------------

CLASS_SCORES = (
    *("hand_till_auc", "macro_roc_auc", "weighted_roc_auc", "weighted_one_vs_one_roc_auc"),
    *("log_loss", "multiclass_brier_score", "log_loss_skill", "multiclass_brier_skill"),
    *("top_2_accuracy", "mean_reciprocal_rank", "ranked_probability_score"),
    *("top_label_calibration_error", "classwise_calibration_error"),
)
for group, designs_ in {
    "easy": (
        (200, _third, 3.9),
        (300, (0.5, 0.3, 0.2), 3.6),
        (1000, (0.2,) * 5, 4.2),
        (500, (0.9, 0.07, 0.03), 4.2),
        (1000, _tenth, 3.6),
    ),
    "hard": (
        (60, _third, 1.0),
        (300, (0.6, 0.35, 0.05), 1.5),
        (1000, rare(10, 0.02), 1.0),
        (2500, _fiftieth, 1.5),
    ),
    HELD_OUT: ((150, (0.4, 0.3, 0.12, 0.1, 0.08), 1.8), (1500, (0.9, 0.05, 0.03, 0.02), 1.3)),
}.items():
    for n, shares, apart in designs_:
        SETTINGS.append(
            several_classes("classes", f"Several classes: {group}", CLASS_SCORES, n, shares, apart)
        )

# -- weights and clusters ----------------------------------------------------------------------------

UNLIKE = (
    *("accuracy", "baseline_accuracy", "recall", "precision", "f1", "balanced_accuracy", "rate_gap"),
    *("macro_specificity", "weighted_specificity", "matthews_correlation"),
    *("roc_auc", "average_precision", "partial_roc_auc", "kolmogorov_smirnov", "max_f1"),
    *("brier_score", "log_loss", "brier_skill", "log_loss_skill"),
    *("expected_calibration_error", "calibration_slope", "observed_expected_ratio"),
)
CLASSES_TOO = (
    *("accuracy", "baseline_accuracy", "balanced_accuracy", "macro_f1", "macro_specificity"),
    *("weighted_specificity", "matthews_correlation", "cohen_kappa"),
    *("hand_till_auc", "macro_roc_auc", "weighted_roc_auc"),
    *("log_loss", "multiclass_brier_score", "log_loss_skill", "multiclass_brier_skill", "top_2_accuracy"),
)
SKEWED = (0.6, 0.3, 0.1)
INFORMATIVE, AT_RANDOM = "Two classes: by score", "Two classes: at random"
SETTINGS += [
    kept_by_score("weights", INFORMATIVE, UNLIKE, n, population, chances, words)
    for n, population, chances, words in (
        (400, Population(0.3, 1.5), (0.9, 0.3), "mild"),
        (600, Population(0.4, 4.0), (0.9, 0.3), "easy, mild"),
        (2000, Population(0.3, 1.5), (0.9, 0.03), "extreme"),
        (400, Population(0.4, 4.0, flipped=0.02), (0.9, 0.3), "few far errors, mild"),
        (400, Population(0.3, 1.5, ties=4), (0.9, 0.3), "five values, mild"),
    )
]
SETTINGS += [
    weighted_at_random("weights", AT_RANDOM, UNLIKE, n, population, shape)
    for n, population, shape in ((400, Population(0.5, 1.5), 0.5),)
]
SETTINGS += [
    several_kept("weights", "Several classes", CLASSES_TOO, n, shares, apart, (0.9, 0.3))
    for n, shares, apart in ((600, SKEWED, 1.2),)
]
SETTINGS += [
    clusters_of_cases("clusters", "Two classes", UNLIKE, clusters, size, population, same)
    for clusters, size, population, same in (
        (20, 5, Population(0.35, 1.5), 0.0),
        (60, 5, Population(0.4, 4.0), 0.0),
        (100, 5, Population(0.3, 4.0), 1.0),
        (200, 5, Population(0.06, 1.5), 1.0),
        (60, (1, 31), Population(0.3, 1.2), 0.5),
    )
]
SETTINGS += [
    several_in_clusters("clusters", "Several classes", CLASSES_TOO, clusters, size, shares, apart, same)
    for clusters, size, shares, apart, same in (
        (40, 5, SKEWED, 1.2, 0.0),
        (120, 4, _third, 3.6, 1.0),
    )
]

# -- curves ------------------------------------------------------------------------------------------

SETTINGS += [
    of_bands("Bands", n, population)
    for n, population in (
        (30, Population(0.5, 1.5)),
        (100, Population(0.3, 4.0)),
        (400, Population(0.3, 1.5)),
        (2000, Population(0.01, 2.0)),
        (200, Population(0.5, 1.5, ties=2)),
        (200, Population(0.5, 1.5, ties=4)),
        (400, Population(0.3, 1.5, ties=10)),
        (2000, Population(0.3, 1.5, ties=4)),
    )
]
SETTINGS += [
    of_readings("Readings", n, population)
    for n, population in (
        (60, Population(0.35, 1.5)),
        (1000, Population(0.1, 3.0)),
        (400, Population(0.35, 1.5, ties=10)),
    )
]
SETTINGS.append(of_bootstrap_bands("Bands", 200, Population(0.3, 1.5), (0.1, 0.3)))

# -- differences -------------------------------------------------------------------------------------

PAIRED = "Proportions of the same cases"
SETTINGS += [
    paired_proportions(
        PAIRED, f"n = {n:,}, only one right: {b:g} and {c:g}{words}", n, (1 - b - c - d, b, c, d)
    )
    for n, b, c, d, words in (
        (30, 0.2, 0.2, 0.1, ""),
        (60, 0.1, 0.1, 0.2, ""),
        (200, 0.05, 0.05, 0.1, ""),
        (200, 0.15, 0.15, 0.2, ""),
        (1000, 0.005, 0.005, 0.005, ", easy"),
        (1000, 0.02, 0.02, 0.01, ", easy"),
        (5000, 0.1, 0.1, 0.2, ""),
        (100, 0.2, 0.1, 0.1, ""),
        (500, 0.03, 0.01, 0.01, ", easy"),
    )
]
UNPAIRED = "Proportions of different cases"
SETTINGS += [
    two_proportions(UNPAIRED, n, p)
    for n, p in (
        ((60, 60), (0.8, 0.8)),
        ((60, 540), (0.8, 0.8)),
        ((200, 200), (0.95, 0.95)),
        ((1000, 5000), (0.99, 0.99)),
        ((100, 100), (0.9, 0.8)),
        ((500, 200), (0.97, 0.93)),
    )
]
OF_PAIRED = ("precision", "f1", "balanced_accuracy", "matthews_correlation", "macro_f1")
_rates = {
    "easy": ([[0.98, 0.03], [0.02, 0.97]],) * 2,
    "hard": ([[0.75, 0.3], [0.25, 0.7]],) * 2,
    "unequal": ([[0.85, 0.2], [0.15, 0.8]], [[0.8, 0.25], [0.2, 0.75]]),
}
SETTINGS += [
    paired_labels(
        "Labels of the same cases",
        f"n = {n:,}, {share:g} positive, {kind}, alike in {agreement:.0%}",
        OF_PAIRED,
        n,
        joint_cells((1 - share, share), _rates[kind], agreement),
        is_null=kind != "unequal",
    )
    for n, share, kind, agreement in (
        (60, 0.5, "hard", 0.5),
        (200, 0.15, "hard", 0.7),
        (500, 0.3, "easy", 0.5),
        (1000, 0.02, "hard", 0.5),
        (300, 0.4, "unequal", 0.0),
        (150, 0.5, "easy", 0.9),
    )
]
_five = np.full((5, 5), 0.1) + 0.5 * np.eye(5)
_three = np.full((3, 3), 0.01) + 0.97 * np.eye(3)
SETTINGS += [
    paired_labels(
        "Labels of several classes",
        name,
        ("macro_f1", "cohen_kappa", "balanced_accuracy", "matthews_correlation"),
        n,
        joint_cells(shares, (rates, rates), 0.5),
    )
    for name, n, shares, rates in (
        ("n = 150, 3 classes, easy", 150, _third, _three),
        ("n = 400, 5 classes, rarest 0.05, hard", 400, (0.4, 0.3, 0.15, 0.1, 0.05), _five),
    )
]
SETTINGS += [
    paired_scores("Scores of the same cases", pair, OF_SCORES)
    for pair in (
        Pair(60, 0.5, (1.5, 1.5), 0.5),
        Pair(200, 0.15, (1.5, 1.5), 0.7),
        Pair(200, 0.5, (1.5, 1.5), 0.95),
        Pair(1000, 0.1, (2.0, 2.0), 0.7),
        Pair(300, 0.3, (4.0, 4.0), 0.7),
        Pair(1500, 0.01, (2.0, 2.0), 0.7),
        Pair(300, 0.3, (1.5, 1.5), 0.7, ties=4),
        Pair(300, 0.3, (1.5, 1.0), 0.7),
        Pair(300, 0.3, (4.0, 3.0), 0.6),
        Pair(150, 0.5, (4.0, 4.0), 0.7, flipped=0.02),
        Pair(150, 0.5, (4.0, 3.0), 0.7, flipped=0.02),
    )
]
SETTINGS += [
    paired_scores("Maxima of the same cases", pair, RESAMPLED)
    for pair in (Pair(200, 0.3, (1.5, 1.5), 0.7), Pair(200, 0.3, (1.5, 0.5), 0.5))
]
SETTINGS += [
    paired_scores("Scores in clusters", Pair(clusters * 12, 0.5, (1.5, 1.5), 0.3, cluster=12), OF_SCORES)
    for clusters in (10, 20, 50)
]
SETTINGS += [
    clustered_labels("Labels in clusters", clusters, 12, ("accuracy", "f1", "matthews_correlation"))
    for clusters in (10, 20, 50)
]
SETTINGS += [
    equal_aucs("AUCs of models that are equal", *sizes)
    for sizes in (
        (5, 100, 2),
        (10, 200, 2),
        (15, 200, 5),
        (25, 60, 4),
        (50, 50, 5),
        (40, 360, 2, 4),
        (60, 340, 5, 4),
    )
]
OF_GROUPS = ("accuracy", "recall", "f1", "roc_auc", "average_precision", "brier_score", "log_loss")
SETTINGS += [
    two_groups("groups", "Two groups of one population", n, population, OF_GROUPS)
    for n, population in (
        ((60, 60), Population(0.4, 1.0)),
        ((60, 540), Population(0.4, 2.0)),
        ((200, 200), Population(0.4, 2.0)),
        ((500, 500), Population(0.4, 1.0)),
        ((100, 900), Population(0.1, 1.5)),
        ((300, 300), Population(0.3, 4.0)),
    )
]

# -- disparities -------------------------------------------------------------------------------------

SETTINGS += of_gaps()

# -- decisions ---------------------------------------------------------------------------------------

SETTINGS += [of_decision(name) for name in ("common", "ties", "clusters", "five", "far")]
SETTINGS += [of_cut_points(name) for name in GRADED]

# -- learners ----------------------------------------------------------------------------------------

SETTINGS += [
    of_tests(name, n, most)
    for name, n, most in (
        ("nearest centroid", 100, 2000),
        ("nearest centroid", 400, 2000),
        ("logistic regression", 100, 2000),
        ("1 nearest neighbour", 100, 2000),
        ("stump", 60, 2000),
        ("decision tree", 100, 200),
    )
]
SETTINGS += [
    of_intervals(name, n, most)
    for name, n, most in (
        ("logistic regression", 100, 200),
        ("1 nearest neighbour", 100, 200),
        ("decision tree", 100, 200),
    )
]

BY_KEY = {each.key: each for each in SETTINGS}
assert len(BY_KEY) == len(SETTINGS)
