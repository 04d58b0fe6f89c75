"""Definitions of measures written out: sums over rows, pairs of rows, and what scikit-learn computes."""

import warnings
from functools import partial
from itertools import pairwise

import numpy as np


def ratio(x, y):
    """x / y; NaN for a share of nothing."""
    return x / y if y else np.nan


COUNTS = {
    "precision": lambda tp, fp, fn, tn: ratio(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: ratio(tp, tp + fn),
    "specificity": lambda tp, fp, fn, tn: ratio(tn, tn + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: ratio(tn, tn + fn),
    "false_positive_rate": lambda tp, fp, fn, tn: ratio(fp, tn + fp),
    "false_negative_rate": lambda tp, fp, fn, tn: ratio(fn, tp + fn),
    "false_discovery_rate": lambda tp, fp, fn, tn: ratio(fp, tp + fp),
    "false_omission_rate": lambda tp, fp, fn, tn: ratio(fn, tn + fn),
    "f1": lambda tp, fp, fn, tn: ratio(2 * tp, 2 * tp + fp + fn),
    "f2": lambda tp, fp, fn, tn: ratio(5 * tp, 5 * tp + fp + 4 * fn),
    "f0_5": lambda tp, fp, fn, tn: ratio(1.25 * tp, 1.25 * tp + fp + fn / 4),
    "jaccard": lambda tp, fp, fn, tn: ratio(tp, tp + fp + fn),
}
"""Shares of one class against the rest, which are averaged over classes too."""
OF_TWO = COUNTS | {
    "informedness": lambda tp, fp, fn, tn: ratio(tp, tp + fn) + ratio(tn, tn + fp) - 1,
    "markedness": lambda tp, fp, fn, tn: ratio(tp, tp + fp) + ratio(tn, tn + fn) - 1,
    "fowlkes_mallows": lambda tp, fp, fn, tn: (ratio(tp, tp + fp) * ratio(tp, tp + fn)) ** 0.5,
    "g_mean": lambda tp, fp, fn, tn: (ratio(tp, tp + fn) * ratio(tn, tn + fp)) ** 0.5,
    "p4": lambda tp, fp, fn, tn: ratio(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn)),
    "lift": lambda tp, fp, fn, tn: ratio(ratio(tp, tp + fp), ratio(tp + fn, tp + fp + fn + tn)),
    "prevalence": lambda tp, fp, fn, tn: ratio(tp + fn, tp + fp + fn + tn),
    "predicted_prevalence": lambda tp, fp, fn, tn: ratio(tp + fp, tp + fp + fn + tn),
    "single_point_auc": lambda tp, fp, fn, tn: (ratio(tp, tp + fn) + ratio(tn, tn + fp)) / 2,
}


REQUESTS = (
    "f_beta(0.3) f_beta(3) net_benefit(0.2) net_benefit(0.6) expected_cost(1,5) normalised_expected_cost(3,1) "
    "corner_distance rate_gap partial_roc_auc(0.2) partial_roc_auc(min_fpr=0.3,max_fpr=0.8) partial_roc_auc(0.9) "
    "standardized_partial_roc_auc(0.4) recall_at_precision(0.6) recall_at_specificity(0.7) equal_error_rate "
    "interpolated_pr_area mean_probability_of_positives mean_probability_of_negatives murphy_reliability(5) "
    "murphy_resolution(5) exact_murphy_reliability exact_murphy_resolution expected_calibration_error(4) "
    "expected_calibration_error(20) root_mean_squared_calibration_error(7) equal_mass_calibration_error(5) "
    "maximum_calibration_error(3) debiased_squared_calibration_error(6) partial_roc_auc_by_tpr(0.5)",
    "top_k_accuracy(2) mean_reciprocal_rank micro_roc_auc micro_average_precision micro_jaccard "
    "macro_average_precision weighted_one_vs_one_roc_auc mean_absolute_error mean_squared_error mean_signed_error "
    "macro_mean_absolute_error accuracy_within(1) kendall_tau_b somers_d goodman_kruskal_gamma concordance "
    "ranked_probability_score ranked_probability_skill macro_f_beta(0.5) weighted_f_beta(3) micro_f_beta(2) "
    "classwise_calibration_error(5) "
    "top_label_calibration_error(6)",
)
"""Measures on request, of two classes and of several."""


def of(rows):
    """The definition of each measure that has one here, by its base: a function of its parameters."""
    truth, score, k = rows["y_true"], np.asarray(rows["y_score"]), len(rows["labels"])
    weight = np.asarray(rows.get("weight", rows.get("frequency", np.ones(truth.size))), float)
    held = weight > 0
    truth, score, weight = truth[held], score[held], weight[held]
    if len(np.unique(truth)) < k:
        return {}
    called = (score >= 0.5).astype(int) if k == 2 else score.argmax(1)
    found = _of_labels(truth, called, weight, k)
    found |= _of_two(truth, score, called, weight) if k == 2 else _of_several(truth, score, weight, k)
    return found


def _of_labels(truth, called, weight, k):
    from sklearn import metrics as skm

    codes = np.arange(k)[:, None]
    is_true, is_called = truth == codes, called == codes
    tp, fp, fn = (
        (each * weight).sum(1) for each in (is_true & is_called, ~is_true & is_called, is_true & ~is_called)
    )
    tn = weight.sum() - tp - fp - fn
    tn = np.where((~is_true & ~is_called).any(1), tn, 0.0)
    cells = [*zip(tp, fp, fn, tn, strict=True)]
    found = {
        "accuracy": lambda: np.average(truth == called, weights=weight),
        "error_rate": lambda: np.average(truth != called, weights=weight),
        "balanced_accuracy": lambda: np.mean(tp / (tp + fn)),
        "baseline_accuracy": lambda: (tp + fn).max() / weight.sum(),
        "matthews_correlation": partial(_correlation, is_true, is_called, weight),
        "cohen_kappa": lambda: skm.cohen_kappa_score(truth, called, sample_weight=weight),
        "linear_kappa": lambda: skm.cohen_kappa_score(truth, called, sample_weight=weight, weights="linear"),
        "quadratic_kappa": lambda: skm.cohen_kappa_score(
            truth, called, sample_weight=weight, weights="quadratic"
        ),
    }
    for name, share in COUNTS.items():
        found[f"macro_{name}"] = lambda share=share: np.mean([share(*each) for each in cells])
        found[f"weighted_{name}"] = lambda share=share: np.average(
            [share(*each) for each in cells], weights=tp + fn
        )
        found[f"micro_{name}"] = lambda share=share: share(*(sum(each) for each in (tp, fp, fn, tn)))
    return found


def _correlation(is_true, is_called, weight):
    """Gorodkin's correlation of the marks of all classes (2004, Computational Biology and Chemistry 28:367)."""
    one, other = (each - np.average(each, axis=1, weights=weight)[:, None] for each in (is_true, is_called))
    covariances = [(a * b * weight).sum() for a, b in ((one, other), (one, one), (other, other))]
    return ratio(covariances[0], (covariances[1] * covariances[2]) ** 0.5)


def _of_two(truth, score, called, weight):
    from sklearn import metrics as skm

    tp, fp, fn, tn = (
        float(weight[(called == c) & (truth == t)].sum()) for c, t in ((1, 1), (1, 0), (0, 1), (0, 0))
    )
    w, share = {"sample_weight": weight}, np.average(truth, weights=weight)
    brier = np.average((score - truth) ** 2, weights=weight)
    loss = -np.average(np.log(np.where(truth == 1, score, 1 - score)), weights=weight)
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    fpr, tpr, _ = skm.roc_curve(truth, score, drop_intermediate=False, **w)
    auc = skm.roc_auc_score(truth, score, **w)
    found = {name: partial(each, tp, fp, fn, tn) for name, each in OF_TWO.items()}
    size, positives, negatives = weight.sum(), tp + fn, fp + tn
    found |= {
        "f_beta": lambda beta: ratio((1 + beta**2) * tp, (1 + beta**2) * tp + beta**2 * fn + fp),
        "net_benefit": lambda at: np.average(
            (score >= at) * np.where(truth == 1, 1, -at / (1 - at)), weights=weight
        ),
        "expected_cost": lambda of_fp, of_fn: (of_fp * fp + of_fn * fn) / size,
        "normalised_expected_cost": lambda of_fp, of_fn: (
            (of_fp * fp + of_fn * fn) / (of_fp * negatives + of_fn * positives)
        ),
        "corner_distance": lambda: ((fn / positives) ** 2 + (fp / negatives) ** 2) ** 0.5,
        "rate_gap": lambda: abs(fp / negatives - fn / positives),
        "partial_roc_auc": partial(_area, fpr, tpr),
        "recall_at_specificity": lambda least: tpr[1 - fpr >= least - 1e-12].max(),
        "mean_probability_of_positives": lambda: np.average(score[truth == 1], weights=weight[truth == 1]),
        "mean_probability_of_negatives": lambda: np.average(score[truth == 0], weights=weight[truth == 0]),
    }
    return found | {
        "roc_auc": lambda: auc,
        "gini": lambda: 2 * auc - 1,
        "average_precision": lambda: skm.average_precision_score(truth, score, **w),
        "kolmogorov_smirnov": lambda: np.abs(tpr - fpr).max(),
        "brier_score": lambda: brier,
        "log_loss": lambda: loss,
        "brier_skill": lambda: 1 - brier / (share * (1 - share)),
        "log_loss_skill": lambda: 1 - loss / entropy,
        "brier_uncertainty": lambda: share * (1 - share),
        "log_loss_uncertainty": lambda: entropy,
        "observed_expected_ratio": lambda: share / np.average(score, weights=weight),
        "max_f1": partial(_greatest_f1, truth, score, weight),
        "expected_calibration_error": partial(_calibration_error, truth, score, weight, 1),
        "root_mean_squared_calibration_error": partial(_calibration_error, truth, score, weight, 2),
        "maximum_calibration_error": partial(_calibration_error, truth, score, weight, np.inf),
        "hull_auc": partial(_hull, fpr, tpr),
        "brier_miscalibration": lambda: brier - _refitted(truth, score, weight, "brier"),
        "log_loss_miscalibration": lambda: loss - _refitted(truth, score, weight, "log"),
        "brier_discrimination": lambda: share * (1 - share) - _refitted(truth, score, weight, "brier"),
        "log_loss_discrimination": lambda: entropy - _refitted(truth, score, weight, "log"),
    }


def _area(fpr, tpr, last=0.1, first=0.0):
    """Under straight lines between the points of a ROC curve, from one false positive rate to another."""
    at = np.unique(np.concatenate([fpr[(fpr > first) & (fpr < last)], [first, last]]))
    area = 0.0
    for x0, x1 in pairwise(at):  # within a stretch, so that an upright piece of the curve has no place
        inside = [(x0 * (1 - part) + x1 * part) for part in (1e-9, 1 - 1e-9)]
        area += (x1 - x0) * np.interp(inside, fpr, tpr).mean()
    return area


def _greatest_f1(truth, score, weight):
    return max(
        ratio(
            2 * weight[(score >= cut) & (truth == 1)].sum(),
            weight[score >= cut].sum() + weight[truth == 1].sum(),
        )
        for cut in score
    )


def _calibration_error(truth, score, weight, power, bins=15):
    """The mean gap, of a power, between the share of positives and the mean score in bins of equal width."""
    at = np.minimum((score * bins).astype(int), bins - 1)
    gaps, sizes = [], []
    for each in np.unique(at):
        inside = at == each
        gaps.append(abs(np.average(truth[inside] - score[inside], weights=weight[inside])))
        sizes.append(weight[inside].sum())
    if np.isinf(power):
        return max(gaps)
    return np.average(np.array(gaps) ** power, weights=sizes) ** (1 / power)


def _hull(fpr, tpr):
    """The area under the upper hull of a curve: at each place the highest chord over it."""
    from scipy.spatial import ConvexHull

    return ConvexHull(np.column_stack([np.append(fpr, 1.0), np.append(tpr, 0.0)])).volume


def _refitted(truth, score, weight, loss):
    """The mean loss of scores refitted by isotonic regression."""
    from sklearn.isotonic import IsotonicRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = IsotonicRegression().fit(score, truth, sample_weight=weight).predict(score)
    if loss == "brier":
        return np.average((fit - truth) ** 2, weights=weight)
    return -np.average(np.log(np.where(truth == 1, fit, 1 - fit)), weights=weight)


def _of_several(truth, scores, weight, k):
    from sklearn import metrics as skm

    w, own = {"sample_weight": weight}, scores[np.arange(truth.size), truth]
    mark = truth[:, None] == np.arange(k)
    size = np.array([weight[truth == each].sum() for each in range(k)])
    share = size / size.sum()
    brier = np.average(((scores - mark) ** 2).sum(1), weights=weight)
    loss = -np.average(np.log(own), weights=weight)
    aucs = [skm.roc_auc_score(truth == each, scores[:, each], **w) for each in range(k)]
    rank = (scores > own[:, None]).sum(1)
    called, apart = scores.argmax(1), scores.argmax(1) - truth
    below = ((scores.cumsum(1) - mark.cumsum(1)) ** 2).sum(1) / (k - 1)
    flat = {"sample_weight": np.repeat(weight, k)}
    return _of_orders(truth, called, weight) | {
        "top_k_accuracy": lambda most: np.average(rank < most, weights=weight),
        "mean_absolute_error": lambda steps=1: np.average(np.abs(apart), weights=weight),
        "mean_squared_error": lambda: np.average(apart**2, weights=weight),
        "mean_signed_error": lambda: np.average(apart, weights=weight),
        "macro_mean_absolute_error": lambda steps=1: np.mean(
            [np.average(np.abs(apart[truth == each]), weights=weight[truth == each]) for each in range(k)]
        ),
        "accuracy_within": lambda most: np.average(np.abs(apart) <= most, weights=weight),
        "ranked_probability_score": lambda: np.average(below, weights=weight),
        "micro_roc_auc": lambda: skm.roc_auc_score(mark.ravel(), scores.ravel(), **flat),
        "micro_average_precision": lambda: skm.average_precision_score(mark.ravel(), scores.ravel(), **flat),
        "macro_average_precision": lambda: np.mean(
            [skm.average_precision_score(truth == each, scores[:, each], **w) for each in range(k)]
        ),
        "log_loss": lambda: loss,
        "log_loss_skill": lambda: 1 - loss / -(share * np.log(share)).sum(),
        "multiclass_brier_score": lambda: brier,
        "multiclass_brier_skill": lambda: 1 - brier / (1 - (share**2).sum()),
        "macro_roc_auc": lambda: np.mean(aucs),
        "weighted_roc_auc": lambda: np.average(aucs, weights=size),
        "hand_till_auc": partial(_of_pairs, truth, scores, weight, k),
        "top_2_accuracy": lambda: np.average(rank < 2, weights=weight),
        "top_3_accuracy": lambda: np.average(rank < 3, weights=weight),
        "mean_reciprocal_rank": lambda: np.average(1 / (1 + rank), weights=weight),
    }


def _of_orders(truth, called, weight):
    """Pairs of cases by the order of their classes and of what they are called."""
    up, over = (np.sign(each[:, None] - each[None, :]) for each in (truth, called))
    both = weight[:, None] * weight[None, :]
    agree, differ = (both[(up * over) == sign].sum() for sign in (1, -1))
    by_truth, by_called = both[up != 0].sum(), both[over != 0].sum()
    return {
        "kendall_tau_b": lambda: ratio(agree - differ, (by_truth * by_called) ** 0.5),
        "goodman_kruskal_gamma": lambda: ratio(agree - differ, agree + differ),
        "somers_d": lambda: ratio(agree - differ, by_truth),
    }


def _of_pairs(truth, scores, weight, k):
    """Of all pairs of classes, by the score of one among the cases of both (Hand & Till 2001; Machine Learning 45)."""
    from sklearn import metrics as skm

    found = []
    for i in range(k):
        for j in range(k):
            if i != j:
                of = (truth == i) | (truth == j)
                found.append(skm.roc_auc_score(truth[of] == i, scores[of, i], sample_weight=weight[of]))
    return np.mean(found)
