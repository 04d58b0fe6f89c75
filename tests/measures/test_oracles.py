"""Published and independently computed numbers: oracles/statistics.json says where each comes from."""

import numpy as np
import pytest
from scipy.stats import binom

import classay as ca
from classay.curves.of_scores import roc
from classay.inference.intervals import estimate
from classay.inference.labels.delta import counts_influence, delta_variance, matrix_influence
from classay.inference.proportions import agresti_coull, clopper_pearson, jeffreys, mid_p, wilson
from classay.inference.scores.auc import delong_variance, logit_delong, newcombe5
from classay.measures import MEASURES, get
from classay.measures.ranking import partial_roc_auc, standardized_partial_roc_auc
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from samples import CLASSES, oracles

DATA = oracles()
METHODS = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "jeffreys_BCD": jeffreys,
    "agresti_coull": agresti_coull,
    "midp": mid_p,
}
CELLS = {  # tp, fn, fp, tn as published
    "seed003_6_4_1_89": (6, 4, 1, 89),
    "seed002_up_40_10_296_654": (40, 10, 296, 654),
    "seed004_80_20_5_195": (80, 20, 5, 195),
    "seed002_always_neg_0_50_0_950": (0, 50, 0, 950),
}
NAMES = {
    "accuracy": "accuracy", "error": "error_rate", "TPR": "recall", "TNR": "specificity", "FNR": "fnr",
    "FPR": "fpr", "PPV": "precision", "NPV": "npv", "F1": "f1", "F0.5": "f0_5", "F2.0": "f2",
    "balanced_accuracy": "balanced_accuracy", "informedness_J": "informedness", "Jaccard": "jaccard",
    "prevalence": "prevalence", "lift": "lift", "markedness": "markedness", "LRplus": "lr_plus",
    "LRminus": "lr_minus", "DOR": "dor", "MCC": "mcc", "FowlkesMallows": "fowlkes_mallows", "Gmean": "g_mean",
    "F1_pos": "f1", "F1_macro": "macro_f1", "P4": "p4", "kappa": "kappa",
}  # fmt: skip


def near(wanted):
    return pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=True)


def counts(key):
    tp, fn, fp, tn = CELLS[key]
    return BinaryCounts(tp, fp, fn, tn)


def matrix(key):
    tp, fn, fp, tn = CELLS[key]
    return ConfusionMatrix.from_array([[tn, fp], [fn, tp]], ("no", "yes"), rows="true")


def table_of(measure, key):
    return counts(key) if measure.needs == "counts" else matrix(key)


def twenty(score="sA", **weights):
    data = DATA["T20"]
    return ScoreTable.from_rows(np.array(data[score]), np.array(data["y"]) == 1, **weights)


def test_every_oracle_names_its_source():
    assert {*DATA["source"]} - {"_"} == {*DATA} - {"source"}


# -- proportions -----------------------------------------------------------------------------------

BINOMIAL = [(key, method) for key in DATA if key.startswith("binom_") for method in METHODS]


@pytest.mark.parametrize(("key", "method"), BINOMIAL)
def test_binomial_intervals(key, method):
    _, x, m, level = key.split("_")
    assert METHODS[method](int(x), int(m), float(level)) == near(tuple(DATA[key][method]))


@pytest.mark.parametrize("method", METHODS)
def test_binomial_intervals_take_arrays(method):
    x, m = np.array([0, 3, 10, 10]), np.array([10, 10, 10, 30])
    lows, highs = METHODS[method](x, m, 0.9)
    each = [METHODS[method](int(a), int(b), 0.9) for a, b in zip(x, m, strict=True)]
    assert np.stack([lows, highs], 1) == near(np.array(each))


def coverage(method, n, p):
    """Exact coverage of a nominal 95% interval: the probability of the counts whose interval holds p."""
    low, high = METHODS[method](np.arange(n + 1), np.full(n + 1, n), 0.95)
    p = np.atleast_1d(p)[:, None]
    return (binom.pmf(np.arange(n + 1), n, p) * ((low <= p) & (p <= high))).sum(1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", DATA["coverage95"]["wilson"])
def test_exact_coverage(method, case):
    n, p = case.removeprefix("n").split("_p")
    assert coverage(method, int(n), float(p))[0] == near(DATA["coverage95"][method][case])


@pytest.mark.parametrize("method", METHODS)
def test_mean_and_least_coverage(method):
    exact = coverage(method, 30, np.linspace(0.005, 0.995, 199))
    assert (exact.mean(), exact.min()) == near(tuple(DATA["mean_min_coverage95_n30"][method]))


# -- counts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", CELLS)
def test_cell_measures(key):
    for published, name in NAMES.items():
        if published in DATA[key]:
            wanted = DATA[key][published]
            value = get(name)(table_of(get(name), key))
            assert float(value) == near(float("nan") if wanted is None else wanted), name


@pytest.mark.parametrize("key", [key for key in CELLS if "F1_neg" in DATA[key]])
def test_f1_of_the_other_class(key):
    assert get("f1")(matrix(key).one_vs_rest("no")) == near(DATA[key]["F1_neg"])


def test_always_negative_classifier():
    key = "seed002_always_neg_0_50_0_950"
    assert get("precision").why_undefined(counts(key)) == "no case is predicted positive"
    assert get("mcc").why_undefined(matrix(key)) == "all predictions are of one class"
    assert get("f1")(counts(key)) == 0
    assert get("accuracy")(matrix(key)) == get("baseline_accuracy")(matrix(key)) == 0.95


def test_three_classes():
    wanted = DATA["C3"]
    three = ConfusionMatrix.from_array(DATA["C3_rows_true"], CLASSES, rows="true", ordered=True)
    assert np.array_equal(three.to_sklearn(), DATA["C3_rows_true"])
    for published, name in {
        "accuracy": "accuracy", "macroF": "macro_f1", "weightedF": "weighted_f1", "microF": "micro_f1",
        "balanced": "balanced_accuracy", "MCC_RK": "mcc", "kappa": "kappa", "kappa_linear": "linear_kappa",
        "kappa_quadratic": "quadratic_kappa",
    }.items():  # fmt: skip
        assert get(name)(three) == near(wanted[published]), name
    for published, name in {"precision": "precision", "recall": "recall", "F": "f1"}.items():
        assert ca.per_class(get(name))(three) == near(np.array(wanted[published])), name


@pytest.mark.parametrize("number", ["003", "002", "004"])
def test_delta_standard_errors(number):
    wanted = DATA[f"delta_se_seed{number}"]
    key = next(key for key in CELLS if key.startswith(f"seed{number}"))
    for published, name in {
        "acc": "accuracy", "F1": "f1", "MCC": "mcc", "kappa": "kappa", "BA": "balanced_accuracy",
        "PPV": "precision", "Se": "recall",
    }.items():  # fmt: skip
        measure = get(name)
        moved = counts_influence if measure.needs == "counts" else matrix_influence
        assert np.sqrt(delta_variance(*moved(measure, table_of(measure, key)))) == near(wanted[published]), (
            name
        )


@pytest.mark.parametrize("number", ["003", "002", "004"])
def test_f1_interval(number):
    key = next(key for key in CELLS if key.startswith(f"seed{number}"))
    found = estimate(get("f1"), counts(key))
    assert (found.low, found.high) == near(tuple(DATA[f"delta_se_seed{number}"]["F1_wilsonJ_ci"]))
    assert found.method == "Wilson via the Jaccard index"


@pytest.mark.parametrize(
    ("name", "key"), [("balanced_accuracy", "BA_MOVER_003"), ("lr_plus", "LRplus_003"), ("dor", "DOR_003")]
)
def test_intervals_of_two_proportions(name, key):
    measure, wanted = get(name), DATA[key]
    method = {"balanced_accuracy": "MOVER-Wilson", "lr_plus": "log"}.get(name)
    found = estimate(measure, table_of(measure, "seed003_6_4_1_89"), method=method)
    assert (found.low, found.high) == near(tuple(wanted if isinstance(wanted, list) else wanted["ci"]))


def test_informedness_is_balanced_accuracy_rescaled():
    low, high = DATA["BA_MOVER_003"]
    found = estimate(get("informedness"), counts("seed003_6_4_1_89"), method="mover")
    assert (found.low, found.high) == near((2 * low - 1, 2 * high - 1))


# -- scores ----------------------------------------------------------------------------------------


def test_auc():
    wanted, table = DATA["AUC_T20"], twenty()
    assert get("auc")(table) == near(wanted["aucA"])
    assert get("auc")(twenty("sB")) == near(wanted["aucB"])
    assert delong_variance(table) == near(wanted["delong_varA"])
    assert delong_variance(twenty("sB")) == near(wanted["delong_varB"])
    assert logit_delong(wanted["aucA"], delong_variance(table), 0.95) == near(tuple(wanted["logitA"]))
    assert newcombe5(wanted["aucA"], 8, 12, 0.95) == near(tuple(wanted["newcombe5A"]))
    assert newcombe5(1.0, 8, 12, 0.95) == near(tuple(wanted["newcombe5_perfect_8_12"]))
    found = estimate(get("auc"), table)
    assert found.method == "DeLong, moderated variance"
    perfect = estimate(MEASURES["roc_auc"], ScoreTable.from_rows(np.arange(20.0), np.arange(20) >= 12))
    assert [perfect.low, perfect.high] == near(wanted["newcombe5_perfect_8_12"])
    assert perfect.method == "Newcombe-5"


def test_roc_points():
    wanted, curve = DATA["ROC_T20"], roc(twenty())
    assert np.stack([curve.x, curve.y], 1) == near(np.array(wanted["points"]))
    assert curve.threshold[0] == np.inf
    assert get("ks")(twenty()) == near(wanted["youden"])
    assert get("gini")(twenty()) == near(wanted["gini"])


def test_partial_auc():
    wanted = DATA["pAUC_T20_fpr0.25"]
    assert partial_roc_auc(twenty(), max_fpr=0.25) == near(wanted["raw"])
    assert standardized_partial_roc_auc(twenty(), max_fpr=0.25) == near(wanted["mcclish"])


def test_probabilities():
    table = twenty()
    assert get("ap")(table) == near(DATA["PR_T20"]["AP"])
    assert get("log_loss")(table) == near(DATA["logloss_T20"]["sA"])
    assert get("brier_score")(table) == near(DATA["logloss_T20"]["brier"])
    assert get("brier_skill")(table) == near(DATA["skill_T20"]["BSS"])
    assert get("log_loss_skill")(table) == near(DATA["skill_T20"]["McFadden_like"])


def test_weighted():
    wanted = DATA["weighted_T20"]
    weight = np.array(wanted["w"])
    for options in ({"weight": weight}, {"frequency": weight.astype(int)}):
        table = twenty(**options)
        for published, name in {"auc": "auc", "ap": "ap", "ll": "log_loss", "brier": "brier_score"}.items():
            assert get(name)(table) == near(wanted[published]), name


def test_several_classes():
    wanted = DATA["HandTill"]
    a = ca.assess(wanted["y"], np.array(wanted["P"]))
    for published, name in {
        "M": "hand_till_auc", "ovr_macro": "macro_roc_auc", "ovr_weighted": "weighted_roc_auc",
        "logloss": "log_loss", "brier_multi": "multiclass_brier_score",
    }.items():  # fmt: skip
        assert a[name].value == near(wanted[published]), name
    pairs = [
        (
            MEASURES["roc_auc"](a.class_scores.one_vs_one(i, j))
            + MEASURES["roc_auc"](a.class_scores.one_vs_one(j, i))
        )
        / 2
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert pairs == near(wanted["pair_A"])
