"""Records the oracles: the copied part of statistics.json, and the expected value of every measure.

Nothing here imports classay. Values in expected.json come from definitions written out over single cases or
classes with exact fractions, or from scikit-learn and SciPy; the versions used are in each row's source.

    python tests/oracles/record.py PATH/TO/statistics.json
"""

import json
import math
import sys
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import scipy
import scipy.optimize
import scipy.stats
import sklearn
import sklearn.isotonic
import sklearn.metrics as skm

HERE = Path(__file__).parent
SOURCES = {
    "T20": "section 0: 20 cases with ties",
    "seed003_6_4_1_89": "B-6: cells TP, FN, FP, TN = 6, 4, 1, 89",
    "seed002_up_40_10_296_654": "B-6: cells 40, 10, 296, 654",
    "seed004_80_20_5_195": "B-6: cells 80, 20, 5, 195",
    "seed002_always_neg_0_50_0_950": "section 0: a classifier that always says negative",
    "C3_rows_true": "section 0: three classes, rows true",
    "C3": "B-6: multiclass (Gorodkin 2004; Cohen 1960, 1968)",
    "binom_750_1000_0.8": "B-1 (Wilson 1927; Clopper & Pearson 1934; Brown, Cai & DasGupta 2001)",
    "binom_75_100_0.8": "B-1",
    "binom_8_10_0.8": "B-1",
    "binom_6_10_0.95": "B-1",
    "binom_0_10_0.95": "B-1",
    "binom_10_10_0.95": "B-1",
    "binom_89_90_0.95": "B-1",
    "binom_0_300_0.95": "B-1",
    "coverage95": "B-1 and E-47: exact coverage at nominal 0.95",
    "mean_min_coverage95_n30": "B-1: mean and least exact coverage, n = 30, p on 199 points",
    "diff_indep_56_70_48_80": "B-4 (Newcombe 1998; Agresti & Caffo 2000); its score interval is not used",
    "paired_53_16_8_9": "B-5 (Tango 1998; Newcombe 1998; Bonett & Price 2012; McNemar 1947)",
    "paired_1_1_7_12": "B-5, the data of Bentur et al.",
    "paired_59_6_16_80": "B-5, the data of Cavo et al.",
    "cochranQ": "B-5 (Cochran 1950)",
    "paired8": "B-7: delta method and bootstrap on eight cells",
    "aSAH_pROC": "B-10: pROC's numbers for the aSAH data, which are not here (Robin et al. 2011)",
    "Obuchowski_T20": "B-33 (Obuchowski 1997)",
    "e_mcnemar_half": "B-34",
    "e_mcnemar_unif": "B-34",
    "e_process_McNemar_type1_T1000": "B-34: exact crossing probability, 1,000 discordant pairs",
    "cs_beta_binomial": "B-34 (Robbins 1970)",
    "cs_exact_miscoverage_T2000": "B-34",
    "betting_e_lambda.5": "B-34 (Waudby-Smith & Ramdas 2024)",
    "AUC_T20": "B-9 (DeLong et al. 1988; Newcombe 2006, method 5)",
    "pAUC_T20_fpr0.25": "B-12 (McClish 1989)",
    "ROC_T20": "B-14",
    "HandTill": "B-15 (Hand & Till 2001)",
    "PR_T20": "B-16",
    "delta_se_seed003": "B-6: delta method; Wilson and Clopper-Pearson on Jaccard",
    "delta_se_seed002": "B-6",
    "delta_se_seed004": "B-6",
    "logloss_T20": "B-21",
    "skill_T20": "B-21",
    "BA_MOVER_003": "B-2 (square-and-add, Newcombe 1998)",
    "LRplus_003": "B-2 (Simel et al. 1991)",
    "DOR_003": "B-2",
    "weighted_T20": "B-37",
    "e632_1": "B-27 (Efron 1983; Efron & Tibshirani 1997)",
    "e632_1nn_noinfo": "B-27: 1-NN on noise",
    "e632_over": "B-27: an error out of bag above that without information is cut to it",
    "nestedCV_1rep": "B-26 (Bates, Hastie & Tibshirani 2024), by the formula of the authors' R code",
    "LOO_majority_error_20_balanced": "E-65",
    "LOO_prior_pooled_AUC": "E-65",
    "LOO_prior_pooled_AUC_unbalanced": "E-65",
}


def class_cells(matrix):
    """(tp, fp, fn, tn) of each class of a matrix with true rows."""
    k, n = len(matrix), sum(map(sum, matrix))
    for i in range(k):
        tp, true, called = matrix[i][i], sum(matrix[i]), sum(row[i] for row in matrix)
        yield tp, called - tp, true - tp, n - true - called + tp


OF_CELLS = {
    "precision": lambda tp, fp, fn, tn: F(tp, tp + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: F(tn, tn + fn),
    "recall": lambda tp, fp, fn, tn: F(tp, tp + fn),
    "specificity": lambda tp, fp, fn, tn: F(tn, tn + fp),
    "false_positive_rate": lambda tp, fp, fn, tn: F(fp, fp + tn),
    "false_negative_rate": lambda tp, fp, fn, tn: F(fn, fn + tp),
    "false_discovery_rate": lambda tp, fp, fn, tn: F(fp, fp + tp),
    "false_omission_rate": lambda tp, fp, fn, tn: F(fn, fn + tn),
    "f1": lambda tp, fp, fn, tn: 2 / (1 / F(tp, tp + fp) + 1 / F(tp, tp + fn)),
    "f2": lambda tp, fp, fn, tn: 5 / (1 / F(tp, tp + fp) + 4 / F(tp, tp + fn)),
    "f0_5": lambda tp, fp, fn, tn: 5 / (4 / F(tp, tp + fp) + 1 / F(tp, tp + fn)),
    "jaccard": lambda tp, fp, fn, tn: F(tp, tp + fp + fn),
    "informedness": lambda tp, fp, fn, tn: F(tp, tp + fn) - F(fp, fp + tn),
    "markedness": lambda tp, fp, fn, tn: F(tp, tp + fp) - F(fn, fn + tn),
    "fowlkes_mallows": lambda tp, fp, fn, tn: math.sqrt(F(tp, tp + fp) * F(tp, tp + fn)),
    "g_mean": lambda tp, fp, fn, tn: math.sqrt(F(tp, tp + fn) * F(tn, tn + fp)),
    "p4": lambda tp, fp, fn, tn: (
        4 / (1 / F(tp, tp + fp) + 1 / F(tp, tp + fn) + 1 / F(tn, tn + fp) + 1 / F(tn, tn + fn))
    ),
    "lift": lambda tp, fp, fn, tn: F(tp, tp + fp) / F(tp + fn, tp + fp + fn + tn),
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: F(tp, tp + fn) / F(fp, fp + tn),
    "negative_likelihood_ratio": lambda tp, fp, fn, tn: F(fn, tp + fn) / F(tn, fp + tn),
    "diagnostic_odds_ratio": lambda tp, fp, fn, tn: F(tp, fp) * F(tn, fn),
    "prevalence": lambda tp, fp, fn, tn: F(tp + fn, tp + fp + fn + tn),
    "predicted_prevalence": lambda tp, fp, fn, tn: F(tp + fp, tp + fp + fn + tn),
    "single_point_auc": lambda tp, fp, fn, tn: (F(tp, tp + fn) + F(tn, fp + tn)) / 2,
}
AVERAGED = [
    "precision", "negative_predictive_value", "recall", "specificity", "false_positive_rate",
    "false_negative_rate", "false_discovery_rate", "false_omission_rate", "f1", "f2", "f0_5", "jaccard",
]  # fmt: skip


def expected(data):
    """Rows of expected.json: measure -> value and source."""
    found = {}

    def row(name, value, source):
        found[name] = {"value": float(value), "source": source}

    for name, f in OF_CELLS.items():
        row(name, f(6, 1, 4, 89), "definition in fractions, cells 6, 4, 1, 89")
    cells = list(class_cells(data["C3_rows_true"]))
    shares = [F(tp + fn, tp + fp + fn + tn) for tp, fp, fn, tn in cells]
    for name in AVERAGED:
        values = [OF_CELLS[name](*each) for each in cells]
        row(f"macro_{name}", sum(values) / 3, "definition in fractions, three classes")
        row(
            f"weighted_{name}",
            sum(a * b for a, b in zip(shares, values, strict=True)),
            "definition in fractions, three classes",
        )
    for name in ("precision", "recall", "f1"):
        pooled = [sum(part) for part in zip(*cells, strict=True)]
        row(f"micro_{name}", OF_CELLS[name](*pooled), "definition in fractions, three classes")
    of_matrix(row, data["C3_rows_true"])
    of_scores(row, data["T20"])
    of_class_scores(row, data["HandTill"])
    of_calibration(row, data["T20"])
    of_isotonic_fit(row, data["T20"])
    of_recalibration(row, data["T20"])
    of_smooth_curve(row, data["T20"])
    smooth = data["smECE_T20_quadrature"]["fixed_point"]
    row("smooth_calibration_error", smooth, "statistics of the project: quadrature and root finding, T20")
    for name, value, source in (
        ("max_f1", data["PR_T20"]["maxF1"], "B-16"),
        ("hull_auc", data["ROC_T20"]["hull_area"], "B-14: also the AUC of scikit-learn's isotonic fit"),
        ("h_measure", data["Hmeasure_T20"]["beta_1p_pi1_1p_pi0"], "B-18: also the package hmeasure"),
        ("area_under_prg", data["AUPRG_T20"]["pyprg"], "B-17: the package pyprg"),
        ("area_under_risk_coverage", data["AURC_T20"]["aurc_tie_averaged"], "B-38"),
    ):
        row(name, value, f"statistics of the project, {source}, T20")
    return found


def of_matrix(row, matrix):
    """Measures of a whole matrix, from its single cases."""
    truth = [i for i in range(3) for j in range(3) for _ in range(matrix[i][j])]
    called = [j for i in range(3) for j in range(3) for _ in range(matrix[i][j])]
    right = sum(a == b for a, b in zip(truth, called, strict=True))
    row("accuracy", F(right, len(truth)), "counted cases")
    row("error_rate", 1 - F(right, len(truth)), "counted cases")
    row("baseline_accuracy", F(max(map(truth.count, range(3))), len(truth)), "counted cases")
    source = f"scikit-learn {sklearn.__version__}"
    row("balanced_accuracy", skm.balanced_accuracy_score(truth, called), source)
    row("matthews_correlation", skm.matthews_corrcoef(truth, called), source)
    row("cohen_kappa", skm.cohen_kappa_score(truth, called), source)
    row("linear_kappa", skm.cohen_kappa_score(truth, called, weights="linear"), source)
    row("quadratic_kappa", skm.cohen_kappa_score(truth, called, weights="quadratic"), source)


def of_scores(row, data):
    """Measures of one score, on the 20 cases with ties."""
    y, s = np.array(data["y"]), np.array(data["sA"])
    source = f"scikit-learn {sklearn.__version__}, T20"
    auc = skm.roc_auc_score(y, s)
    standard = skm.roc_auc_score(y, s, max_fpr=0.1)
    row("roc_auc", auc, source)
    row("gini", 2 * auc - 1, source)
    row("average_precision", skm.average_precision_score(y, s), source)
    row("standardized_partial_roc_auc", standard, source)
    row("partial_roc_auc", 0.005 + (2 * standard - 1) * 0.095, f"{source}, McClish's scale undone")
    row("log_loss", skm.log_loss(y, s), source)
    row("brier_score", skm.brier_score_loss(y, s), source)
    rate = np.full(20, y.mean())
    row("log_loss_skill", 1 - skm.log_loss(y, s) / skm.log_loss(y, rate), source)
    row("brier_skill", 1 - skm.brier_score_loss(y, s) / skm.brier_score_loss(y, rate), source)
    ks = scipy.stats.ks_2samp(s[y == 1], s[y == 0]).statistic
    row("kolmogorov_smirnov", ks, f"SciPy {scipy.__version__}, T20")


def of_class_scores(row, data):
    """Measures of class scores, on 12 cases of three classes."""
    y, p = np.array(data["y"]), np.array(data["P"])
    source = f"scikit-learn {sklearn.__version__}, 12 cases of three classes"
    row("hand_till_auc", skm.roc_auc_score(y, p, multi_class="ovo"), source)
    row("macro_roc_auc", skm.roc_auc_score(y, p, multi_class="ovr"), source)
    row("weighted_roc_auc", skm.roc_auc_score(y, p, multi_class="ovr", average="weighted"), source)
    brier = (
        sum(sum((a - (j == t)) ** 2 for j, a in enumerate(each)) for each, t in zip(p, y, strict=True)) / 12
    )
    shares = np.bincount(y) / 12
    row("multiclass_brier_score", brier, "definition, 12 cases of three classes")
    row(
        "multiclass_brier_skill", 1 - brier / (1 - (shares**2).sum()), "definition, 12 cases of three classes"
    )
    of_class = [
        mean_gap(equal_width(cases_of([t == k for t in y], [each[k] for each in data["P"]])))
        for k in range(3)
    ]
    source = "definition in fractions, 12 cases of three classes"
    row("classwise_calibration_error", sum(of_class) / 3, source)
    first = [each.index(max(each)) for each in data["P"]]
    top = cases_of([a == t for a, t in zip(first, y, strict=True)], [max(each) for each in data["P"]])
    row("top_label_calibration_error", mean_gap(equal_width(top)), source)
    for k in (2, 3, 5):
        better = [
            sum(a > each[t] or (a == each[t] and j < t) for j, a in enumerate(each))
            for each, t in zip(p, y, strict=True)
        ]
        row(f"top_{k}_accuracy", F(sum(b < k for b in better), 12), "counted cases, ties by order of labels")


def cases_of(y, s):
    """Cases as pairs of truth and probability, the decimals taken at their word, lowest probability first."""
    return sorted((F(str(p)), int(t)) for t, p in zip(y, s, strict=True))


def gap(cases):
    """Share of positives minus mean probability."""
    return F(sum(t for _, t in cases), len(cases)) - sum(p for p, _ in cases) / len(cases)


def equal_width(cases, bins=15):
    """The cases in bins (k/15, (k+1)/15], 0 in the first; without the empty ones, lowest first."""
    made = [[] for _ in range(bins)]
    for p, t in cases:
        made[max(math.ceil(p * bins), 1) - 1].append((p, t))
    return [each for each in made if each]


def equal_mass(cases, bins=15):
    """The cases in bins of equal size, those of one score all where the middle one of them falls."""
    made = {}
    for score in sorted({p for p, _ in cases}):
        middle = sum(p < score for p, _ in cases) + F(sum(p == score for p, _ in cases), 2)
        made.setdefault(math.floor(middle * bins / len(cases)), []).extend(c for c in cases if c[0] == score)
    return [*made.values()]


def mean_gap(bins):
    """Expected calibration error: the mean of |gap| over cases."""
    return sum(len(each) * abs(gap(each)) for each in bins) / sum(map(len, bins))


def mean_deviation(cases):
    """E|X / n - p| for X binomial, n the number of cases and p their mean probability, term by term."""
    n, p = len(cases), sum(p for p, _ in cases) / len(cases)
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) * abs(F(k, n) - p) for k in range(n + 1))


def joined(bins):
    """Bins of one case joined to the next lower one, the lowest to the next higher one."""
    made = []
    for each in bins:
        if made and (len(each) < 2 or len(made[-1]) < 2):
            made[-1] = made[-1] + each
        else:
            made.append(each)
    return made


def of_calibration(row, data):
    """Calibration errors of the 20 cases, in fractions: 15 bins, and sums along the score."""
    cases, source = cases_of(data["y"], data["sA"]), "definition in fractions, T20"
    n, bins = len(cases), equal_width(cases)
    row("expected_calibration_error", mean_gap(bins), source)
    row("equal_mass_calibration_error", mean_gap(equal_mass(cases)), source)
    row("maximum_calibration_error", max(abs(gap(each)) for each in bins), source)
    row("root_mean_squared_calibration_error", math.sqrt(sum(len(b) * gap(b) ** 2 for b in bins) / n), source)
    row("expected_calibration_error_null", sum(len(b) * mean_deviation(b) for b in bins) / n, source)
    debiased = 0
    for each in joined(bins):
        share = F(sum(t for _, t in each), len(each))
        debiased += len(each) * (gap(each) ** 2 - share * (1 - share) / (len(each) - 1)) / n
    row("debiased_squared_calibration_error", debiased, source)
    walk = [0, *(sum(t - p for p, t in cases if p <= score) for score in sorted({p for p, _ in cases}))]
    row("cumulative_calibration_error", max(map(abs, walk)) / n, source)
    row("cumulative_calibration_range", (max(walk) - min(walk)) / n, source)
    row("observed_expected_ratio", sum(t for _, t in cases) / sum(p for p, _ in cases), source)
    excess = sum((t - p) * (1 - 2 * p) for p, t in cases)
    row("spiegelhalter_z", excess / math.sqrt(sum((1 - 2 * p) ** 2 * p * (1 - p) for p, _ in cases)), source)


def of_isotonic_fit(row, data):
    """Parts of the Brier score and of the log-loss, by scikit-learn's isotonic regression."""
    y, s = np.array(data["y"]), np.array(data["sA"])
    source = f"scikit-learn {sklearn.__version__}, isotonic regression of T20"
    fitted = sklearn.isotonic.IsotonicRegression().fit_transform(s, y)
    for name, score in (("brier", skm.brier_score_loss), ("log_loss", skm.log_loss)):
        plain, recalibrated, rate = (float(score(y, each)) for each in (s, fitted, np.full(len(y), y.mean())))
        row(f"{name}_miscalibration", plain - recalibrated, source)
        row(f"{name}_discrimination", rate - recalibrated, source)
        row(f"{name}_uncertainty", rate, source)


def of_recalibration(row, data):
    """Intercept and slope where the derivatives of the logistic likelihood vanish."""
    y, s = np.array(data["y"]), np.array(data["sA"])
    x = np.log(s / (1 - s))
    source = f"SciPy {scipy.__version__}, root of the likelihood equations, T20"

    def equations(a, b):
        residual = y - 1 / (1 + np.exp(-(a + b * x)))
        return residual.sum(), (residual * x).sum()

    a, b = scipy.optimize.root(lambda at: equations(*at), [0, 1], tol=1e-14).x
    row("calibration_intercept", a, source)
    row("calibration_slope", b, source)
    large = scipy.optimize.brentq(lambda a: equations(a, 1)[0], -5, 5, xtol=1e-14)
    row("calibration_in_the_large", large, source)


def of_smooth_curve(row, data):
    """Distances from R's loess, of degree 2 and span 0.75, which record_loess.R recorded."""
    recorded = json.loads((HERE / "loess.json").read_text())
    found = recorded["T20"]
    assert (found["p"], found["y"]) == (data["sA"], data["y"])
    source = f"{recorded['r'].partition(' (')[0]}, loess(surface = 'direct')"
    gaps = np.abs(np.array(found["direct"]) - found["p"])
    row("integrated_calibration_index", np.mean(gaps), source)
    row("median_calibration_error", np.sort(gaps)[9], source)
    row("calibration_error_90", np.sort(gaps)[17], source)


if __name__ == "__main__":
    everything = json.loads(Path(sys.argv[1]).read_text())
    note = "statistics of the project, sections B-n; computed by two independent routes where possible"
    copied = {"source": {"_": note} | SOURCES} | {key: everything[key] for key in SOURCES}
    (HERE / "statistics.json").write_text(json.dumps(copied, indent=1) + "\n")
    (HERE / "expected.json").write_text(json.dumps(expected(everything), indent=1, sort_keys=True) + "\n")
