"""Measures: each a small function of a table, with its entry in the registry."""

from classay.measures.agreement import (
    accuracy,
    balanced_accuracy,
    baseline_accuracy,
    cohen_kappa,
    error_rate,
    linear_kappa,
    matthews_correlation,
    quadratic_kappa,
)
from classay.measures.averaging import macro, micro, per_class, register_averages, weighted
from classay.measures.counts import (
    diagnostic_odds_ratio,
    f0_5,
    f1,
    f2,
    f_beta,
    false_discovery_rate,
    false_negative_rate,
    false_omission_rate,
    false_positive_rate,
    fowlkes_mallows,
    g_mean,
    informedness,
    jaccard,
    lift,
    markedness,
    negative_likelihood_ratio,
    negative_predictive_value,
    p4,
    positive_likelihood_ratio,
    precision,
    predicted_prevalence,
    prevalence,
    recall,
    single_point_auc,
    specificity,
)
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
from classay.measures.registry import ALIASES, MEASURES, Measure, get, measure, proportion

register_averages()
