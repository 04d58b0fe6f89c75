"""Which measures a document shows first, in this order."""

RANKING = ("roc_auc", "average_precision", "hand_till_auc", "macro_roc_auc")
PROBABILITY = (
    "log_loss",
    "log_loss_skill",
    "brier_score",
    "brier_skill",
    "multiclass_brier_score",
    "multiclass_brier_skill",
    "top_2_accuracy",
)
CALIBRATION = (
    "brier_miscalibration",
    "brier_discrimination",
    "calibration_slope",
    "calibration_in_the_large",
    "observed_expected_ratio",
    "expected_calibration_error",
    "classwise_calibration_error",
    "top_label_calibration_error",
)
MORE_CALIBRATION = (
    "expected_calibration_error_null",
    "brier_uncertainty",
    "log_loss_miscalibration",
    "log_loss_discrimination",
    "log_loss_uncertainty",
    "calibration_intercept",
    "equal_mass_calibration_error",
    "maximum_calibration_error",
    "root_mean_squared_calibration_error",
    "debiased_squared_calibration_error",
    "smooth_calibration_error",
    "cumulative_calibration_error",
    "cumulative_calibration_range",
    "integrated_calibration_index",
    "median_calibration_error",
    "calibration_error_90",
    "spiegelhalter_z",
)
LABELS_BINARY = (
    "accuracy",
    "baseline_accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
    "cohen_kappa",
)
LABELS_SEVERAL = (
    "accuracy",
    "baseline_accuracy",
    "balanced_accuracy",
    "macro_precision",
    "macro_f1",
    "weighted_f1",
    "matthews_correlation",
    "cohen_kappa",
)
TILES = {
    "roc_auc": "AUC",
    "recall": "Sensitivity",
    "specificity": "Specificity",
    "precision": "Precision",
    "hand_till_auc": "AUC, mean of pairs",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "macro_f1": "Macro F1",
}
"""The measures that a page shows large, by their short names: of these the first four that there are."""
MOVING = ("negative_predictive_value", "accuracy", "f1", "matthews_correlation")
"""What a page shows beside the matrix of a threshold, besides what is large already."""
SHOWN_PER_CLASS = ("roc_auc", "precision", "recall", "specificity", "f1")
LAST_SHOWN = ("recall", "precision", "f1", "roc_auc", "specificity")
"""The same in the order in which a narrow window keeps them."""
