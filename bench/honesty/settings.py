"""Settings: populations whose values are known, and how samples of them are drawn.

The groups that are "held out" were added when the methods were done: no constant of a method was chosen on them.
"""

from __future__ import annotations

from dataclasses import replace

from bench.honesty.makers import (
    Setting,
    clusters_of_cases,
    kept_by_score,
    rare,
    several_classes,
    several_in_clusters,
    several_kept,
    two_classes,
    weighted_at_random,
)
from bench.honesty.populations import Population

LABELS = ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "matthews_correlation")
SCORES = ("roc_auc", "average_precision", "brier_score", "log_loss", "kolmogorov_smirnov", "max_f1")
CALIBRATION = ("expected_calibration_error", "calibration_slope")
OF_TWO = (*LABELS, *SCORES, *CALIBRATION)
SEVERAL_LABELS = ("balanced_accuracy", "macro_f1", "macro_precision", "matthews_correlation", "cohen_kappa")
SEVERAL_SCORES = (
    "hand_till_auc",
    "macro_roc_auc",
    "weighted_roc_auc",
    "log_loss",
    "multiclass_brier_score",
)
OF_SEVERAL = (*SEVERAL_LABELS, *SEVERAL_SCORES)
UNLIKE = (*LABELS, *SCORES[:4])
ON_REQUEST = (
    "f_beta(3)",
    "expected_cost(1, 5)",
    "partial_roc_auc(max_fpr=0.2)",
    "partial_roc_auc(max_fpr=0.3, min_fpr=0.1)",
    "partial_roc_auc_by_tpr(0.8)",
    "standardized_partial_roc_auc(max_fpr=0.2)",
    "expected_calibration_error(bins=10)",
    "equal_mass_calibration_error(bins=10)",
)
ON_REQUEST_SEVERAL = ("class_mean_absolute_error", "top_2_accuracy", "mean_reciprocal_rank")
TWO, SEVERAL, WEIGHTED, CLUSTERED = "Two classes", "Several classes", "Sampling weights", "Clusters"
HELD_OUT = "Held out: "

SETTINGS: list[Setting] = []

# -- two classes -----------------------------------------------------------------------------------

for n, population in (
    (20, Population(0.5, 1.0)),
    (60, Population(0.5, 1.0)),
    (60, Population(0.3, 3.0)),
    (100, Population(0.1, 1.5)),
    (100, Population(0.3, 1.5, ties=10)),
    (200, Population(0.05, 2.0)),
    (200, Population(0.5, 2.5)),
    (315, Population(0.048, 2.0)),
    (400, Population(0.03, 3.5)),
    (400, Population(0.02, 2.0)),
    (400, Population(0.05, 2.0, ties=10)),
    (400, Population(0.3, 1.5)),
    (1000, Population(0.01, 2.0)),
    (1000, Population(0.3, 1.5, slope=2)),
    (10_000, Population(0.01, 2.0)),
    (10_000, Population(0.3, 1.5)),
):
    SETTINGS.append(two_classes(TWO, OF_TWO, n, population))

for n, population in (
    (35, Population(0.4, 1.5)),
    (80, Population(0.15, 1.0)),
    (150, Population(0.1, 3.0)),
    (150, Population(0.5, 0.4)),
    (250, Population(0.25, 2.2, slope=0.6)),
    (250, Population(0.2, 1.2, tail=3)),
    (600, Population(0.02, 1.2)),
    (600, Population(0.07, 2.5, ties=4)),
    (600, Population(0.4, 1.8, tail=3)),
    (3000, Population(0.015, 3.0)),
    (3000, Population(0.15, 1.0, ties=20)),
):
    SETTINGS.append(two_classes(HELD_OUT + TWO.lower(), OF_TWO, n, population))

# -- several classes -------------------------------------------------------------------------------

for n, shares, apart in (
    (60, (1 / 3,) * 3, 1.0),
    (60, (0.6, 0.35, 0.05), 1.5),
    (300, (0.6, 0.35, 0.05), 1.5),
    (100, (0.7, 0.2, 0.06, 0.04), 1.5),
    (400, (0.5, 0.2, 0.1, 0.1, 0.06, 0.04), 1.5),
    (1000, rare(10, 0.02), 1.0),
    (2000, rare(30, 0.01), 1.2),
):
    SETTINGS.append(several_classes(SEVERAL, OF_SEVERAL, n, shares, apart))

for n, shares, apart in (
    (80, (0.5, 0.3, 0.2), 0.8),
    (150, (0.4, 0.3, 0.12, 0.1, 0.08), 1.8),
    (250, (0.55, 0.41, 0.04), 2.0),
    (700, rare(8, 0.03), 0.8),
    (1500, (0.9, 0.05, 0.03, 0.02), 1.3),
):
    SETTINGS.append(several_classes(HELD_OUT + SEVERAL.lower(), OF_SEVERAL, n, shares, apart))

# -- sampling weights ------------------------------------------------------------------------------

for n, population, chances, words in (
    (60, Population(0.3, 1.5), (0.9, 0.3), "mild"),
    (400, Population(0.3, 1.5), (0.9, 0.3), "mild"),
    (400, Population(0.1, 2.0), (0.9, 0.3), "mild"),
    (400, Population(0.3, 1.5), (0.9, 0.03), "extreme"),
    (2000, Population(0.3, 1.5), (0.9, 0.03), "extreme"),
):
    SETTINGS.append(kept_by_score(WEIGHTED, UNLIKE, n, population, chances, words))

for n, population, shape in (
    (80, Population(0.4, 1.0), 2.0),
    (250, Population(0.2, 2.2), 2.0),
    (250, Population(0.5, 1.5), 0.5),
    (1200, Population(0.06, 1.8), 1.0),
):
    SETTINGS.append(weighted_at_random(HELD_OUT + WEIGHTED.lower(), UNLIKE, n, population, shape))
SETTINGS.append(
    kept_by_score(HELD_OUT + WEIGHTED.lower(), UNLIKE, 800, Population(0.2, 1.2), (0.8, 0.15), "strong")
)

# -- clusters --------------------------------------------------------------------------------------

for clusters, size, share, same in (
    (10, 5, 0.4, 0.0),
    (20, 5, 0.35, 0.0),
    (100, 5, 0.1, 0.0),
    (30, (1, 20), 0.35, 0.0),
    (30, 8, 0.4, 1.0),
    (100, 5, 0.1, 1.0),
    (200, 5, 0.06, 1.0),
):
    SETTINGS.append(clusters_of_cases(CLUSTERED, UNLIKE, clusters, size, Population(share, 1.5), same))

for clusters, size, population, same in (
    (15, 4, Population(0.5, 2.0), 0.0),
    (40, 10, Population(0.2, 1.0), 0.0),
    (60, (1, 31), Population(0.3, 1.2), 0.5),
    (25, 6, Population(0.5, 1.8), 1.0),
    (150, 3, Population(0.12, 2.5), 1.0),
    (400, (1, 6), Population(0.04, 1.5), 0.7),
):
    SETTINGS.append(clusters_of_cases(HELD_OUT + CLUSTERED.lower(), UNLIKE, clusters, size, population, same))

# -- measures on request ---------------------------------------------------------------------------

REQUESTED = "Measures on request"
for n, population in (
    (60, Population(0.5, 1.0)),
    (120, Population(0.3, 2.5)),
    (315, Population(0.048, 2.0)),
    (400, Population(0.3, 1.5, ties=10)),
    (1000, Population(0.05, 1.2, slope=2)),
):
    SETTINGS.append(two_classes(REQUESTED, ON_REQUEST, n, population))
for n, shares, apart in (
    (60, (0.5, 0.3, 0.2), 1.0),
    (150, (0.4, 0.3, 0.12, 0.1, 0.08), 1.8),
    (1000, rare(10, 0.02), 1.0),
):
    SETTINGS.append(several_classes(REQUESTED, ON_REQUEST_SEVERAL, n, shares, apart))

# -- measures on request that got an interval late, and what was only shown for cases alike ---------

LATE, UNLIKE_TOO = "Curves and parts on request", "Weights and clusters: "
OF_CURVES = (
    "equal_error_rate",
    "recall_at_precision(0.5)",
    "recall_at_precision(0.8)",
    "interpolated_pr_area",
    "murphy_reliability",
    "murphy_resolution",
    "debiased_murphy_reliability",
)
OF_CASES = ("weighted_one_vs_one_roc_auc", "ranked_probability_score")
OTHER_SCORES = (
    "kolmogorov_smirnov",
    "max_f1",
    "expected_calibration_error",
    "calibration_slope",
    "partial_roc_auc(max_fpr=0.2)",
    "standardized_partial_roc_auc(max_fpr=0.2)",
)
CLASSES_TOO = (*OF_SEVERAL, *OF_CASES, *ON_REQUEST_SEVERAL)
SKEWED = (0.6, 0.3, 0.1)
FEW = 200
"""Samples of these settings."""
_late = [
    two_classes(LATE, OF_CURVES, n, population)
    for n, population in (
        (60, Population(0.5, 1.5)),
        (200, Population(0.1, 1.5)),
        (1000, Population(0.02, 1.5)),
        (1000, Population(0.1, 1.5)),
        (400, Population(0.3, 1.5, ties=10)),
        (1000, Population(0.3, 1.5, slope=2)),
    )
]
_late += [
    several_classes(LATE, OF_CASES, n, shares, apart)
    for n, shares, apart in (
        (60, (0.5, 0.3, 0.2), 1.0),
        (400, (0.7, 0.2, 0.06, 0.04), 1.5),
        (1000, rare(10, 0.02), 1.0),
    )
]
for names, group in ((OF_CURVES, UNLIKE_TOO + LATE.lower()), (OTHER_SCORES, UNLIKE_TOO + "other scores")):
    _late += [
        weighted_at_random(group, names, 300, Population(0.3, 1.5), 1.0),
        kept_by_score(group, names, 600, Population(0.3, 1.5), (0.9, 0.3), "mild"),
        clusters_of_cases(group, names, 30, 5, Population(0.35, 1.5), 0.0),
        clusters_of_cases(group, names, 60, 5, Population(0.3, 1.5), 1.0),
    ]
for shares in ((1 / 3,) * 3, SKEWED):
    group = UNLIKE_TOO + SEVERAL.lower()
    _late += [
        several_kept(group, CLASSES_TOO, 400, shares, 1.2, (0.9, 0.3)),
        several_in_clusters(group, CLASSES_TOO, 40, 5, shares, 1.2, 0.0),
        several_in_clusters(group, CLASSES_TOO, 120, 4, shares, 1.2, 1.0),
    ]
SETTINGS += [replace(each, most=FEW) for each in _late]

assert len({(each.group, each.name) for each in SETTINGS}) == len(SETTINGS)
