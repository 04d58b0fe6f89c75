"""Measures: each a small function of a table, with its entry in the registry; those of wings come last."""

from typing import TYPE_CHECKING, Any

from classay.wings import register

# The order of these lines is that of the registry, and so of reports and JSON.
# isort: off
from classay.measures.matrices import (
    accuracy,
    balanced_accuracy,
    baseline_accuracy,
    cohen_kappa,
    error_rate,
    linear_kappa,
    matthews_correlation,
    quadratic_kappa,
)
from classay.measures.matrices import macro, micro, per_class, register_averages, weighted
from classay.measures.calibration_errors import (
    debiased_squared_calibration_error,
    equal_mass_calibration_error,
    expected_calibration_error,
    expected_calibration_error_null,
    maximum_calibration_error,
    root_mean_squared_calibration_error,
)
from classay.measures.calibration_errors import (
    cumulative_calibration_error,
    cumulative_calibration_range,
    observed_expected_ratio,
    spiegelhalter_z,
)
from classay.measures.calibration_errors import classwise_calibration_error, top_label_calibration_error
from classay.measures.proper_parts import (
    brier_discrimination,
    brier_miscalibration,
    brier_uncertainty,
    log_loss_discrimination,
    log_loss_miscalibration,
    log_loss_uncertainty,
)
from classay.measures.counts import (
    false_discovery_rate,
    false_negative_rate,
    false_omission_rate,
    false_positive_rate,
    negative_predictive_value,
    precision,
    recall,
    specificity,
)
from classay.measures.counts import (
    diagnostic_odds_ratio,
    f0_5,
    f1,
    f2,
    fowlkes_mallows,
    g_mean,
    informedness,
    jaccard,
    lift,
    markedness,
    negative_likelihood_ratio,
    p4,
    positive_likelihood_ratio,
    predicted_prevalence,
    prevalence,
    single_point_auc,
)
from classay.measures.ranking import (
    average_precision,
    gini,
    hand_till_auc,
    kolmogorov_smirnov,
    macro_roc_auc,
    partial_roc_auc,
    roc_auc,
    standardized_partial_roc_auc,
    weighted_roc_auc,
)
from classay.measures.areas import h_measure, hull_auc
from classay.measures.areas import area_under_prg, interpolated_pr_area, max_f1
from classay.measures.probability import (
    brier_score,
    brier_skill,
    log_loss,
    log_loss_skill,
    multiclass_brier_score,
    multiclass_brier_skill,
    top_2_accuracy,
    top_3_accuracy,
    top_5_accuracy,
    top_cases,
)
from classay.measures.ranking import RateAtThreshold, fpr_at, precision_at, threshold_for, tpr_at
from classay.measures.recalibration import calibration_in_the_large, calibration_intercept, calibration_slope
from classay.measures.selective import area_under_risk_coverage
from classay.measures.smoothed import (
    calibration_error_90,
    integrated_calibration_index,
    median_calibration_error,
    smooth_calibration_error,
)
from classay.measures.registry import ALIASES, FAMILIES, MEASURES, Measure, get, measure, proportion
from classay.measures.registry import Family
from classay.measures.on_request import f_beta, top_k_accuracy
from classay.measures.ordinal import accuracy_within, mean_absolute_error
# isort: on

register("measures")
register_averages()

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """A measure that a wing brings, as a name beside those of the core."""
        if name in MEASURES:
            return MEASURES[name]
        raise AttributeError(f"module 'classay.measures' has no attribute {name!r}")
