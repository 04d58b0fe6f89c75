"""Measures that only who names them sees: those with parameters, and those that few want on every page."""

# isort: off - the order of these imports is the order of the families
from classay.measures.on_request.calibration import (
    classwise_calibration_error,
    debiased_murphy_reliability,
    debiased_squared_calibration_error,
    equal_mass_calibration_error,
    exact_murphy_reliability,
    exact_murphy_resolution,
    expected_calibration_error,
    maximum_calibration_error,
    murphy_reliability,
    murphy_resolution,
    root_mean_squared_calibration_error,
    top_label_calibration_error,
)
from classay.measures.on_request.classes import (
    macro_average_precision,
    mean_reciprocal_rank,
    ranked_probability_score,
    top_k_accuracy,
    weighted_one_vs_one_roc_auc,
)
from classay.measures.on_request.labels import (
    class_mean_absolute_error,
    corner_distance,
    expected_cost,
    f_beta,
    net_benefit,
    normalised_expected_cost,
    rate_gap,
)
from classay.measures.on_request.scores import (
    equal_error_rate,
    interpolated_pr_area,
    partial_roc_auc,
    partial_roc_auc_by_tpr,
    recall_at_precision,
    recall_at_specificity,
    standardized_partial_roc_auc,
)

# isort: on

__all__ = [
    "class_mean_absolute_error",
    "classwise_calibration_error",
    "corner_distance",
    "debiased_murphy_reliability",
    "debiased_squared_calibration_error",
    "equal_error_rate",
    "equal_mass_calibration_error",
    "exact_murphy_reliability",
    "exact_murphy_resolution",
    "expected_calibration_error",
    "expected_cost",
    "f_beta",
    "interpolated_pr_area",
    "macro_average_precision",
    "maximum_calibration_error",
    "mean_reciprocal_rank",
    "murphy_reliability",
    "murphy_resolution",
    "net_benefit",
    "normalised_expected_cost",
    "partial_roc_auc",
    "partial_roc_auc_by_tpr",
    "ranked_probability_score",
    "rate_gap",
    "recall_at_precision",
    "recall_at_specificity",
    "root_mean_squared_calibration_error",
    "standardized_partial_roc_auc",
    "top_k_accuracy",
    "top_label_calibration_error",
    "weighted_one_vs_one_roc_auc",
]
