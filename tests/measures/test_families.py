"""Measures with parameters, and those that only who names them sees, against scikit-learn and SciPy."""

import json

import numpy as np
import pytest
import sklearn.metrics as skm
from scipy.optimize import brentq
from scipy.stats import beta, gmean
from sklearn.preprocessing import label_binarize

import classay as ca
from classay.errors import InputError, UnknownMeasureError
from classay.measures import FAMILIES, MEASURES, get, macro, weighted
from classay.tables import BinaryCounts, ConfusionMatrix
from command import call
from samples import random_table

RNG = np.random.default_rng(5)
TRUTH = RNG.random(400) < 0.35
SCORE = np.round(np.clip(0.25 * TRUTH + 0.75 * RNG.random(400), 0, 1), 2)
TWO = ca.assess(TRUTH, SCORE)
CLASS = RNG.integers(0, 12, 500)
SHARES = RNG.dirichlet(np.ones(12), 500)
SHARES[np.arange(500), CLASS] += 0.15
SHARES /= SHARES.sum(1, keepdims=True)
TWELVE = ca.assess(CLASS, SHARES)
CALLED = SHARES.argmax(1)
FPR, TPR, _ = skm.roc_curve(TRUTH, SCORE, drop_intermediate=False)


def area(x, y, low, high):
    """By the trapezium rule of NumPy, on the points of scikit-learn and the two ends, seen from within."""
    inside = (x > low) & (x < high)
    first = y[np.flatnonzero(x == low)[-1]] if low in x else np.interp(low, x, y)
    last = y[np.flatnonzero(x == high)[0]] if high in x else np.interp(high, x, y)
    return np.trapezoid([first, *y[inside], last], [low, *x[inside], high])


def recall_at(precision):
    found, recall, _ = skm.precision_recall_curve(TRUTH, SCORE)
    return recall[found >= precision].max()


def recall_with(specificity):
    """By hand: the greatest share of positives over thresholds that leave so many negatives below."""
    found = [
        (SCORE[TRUTH] >= t).mean() for t in np.unique(SCORE) if (SCORE[~TRUTH] < t).mean() >= specificity
    ]
    return max(found, default=0.0)


def h_by_hand(a, b):
    """1 minus the mean least cost over c ~ Beta(a, b), by quadrature, over that of calling all cases alike."""

    def cost(c, fpr, tpr):
        return np.min(c * (~TRUTH).mean() * fpr + (1 - c) * TRUTH.mean() * (1 - tpr))

    def mean(*rates):
        kinks = np.linspace(0, 1, 401)  # the least cost bends where another threshold is best
        points = (kinks[:-1, None] + kinks[1:, None]) / 2 + np.diff(kinks)[0] / 2 * NODES
        each = np.vectorize(lambda c: cost(c, *rates))(points) * beta(a, b).pdf(points)
        return (each @ WEIGHTS).sum() * np.diff(kinks)[0] / 2

    return 1 - mean(FPR, TPR) / mean(np.array([0, 1.0]), np.array([0, 1.0]))


NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def share_between(kind):
    """The mean probability of a class."""
    return SCORE[kind == TRUTH].mean()


def kappa_of(by_chance):
    """Accuracy beyond a chance agreement, on the scale of kappa."""
    right = skm.accuracy_score(TRUTH, SCORE >= 0.5)
    return (right - by_chance) / (1 - by_chance)


def loess_by_hand():
    """Local quadratics, tricube over the nearest three quarters of the cases, at every score: the greatest gap."""
    gaps = []
    for at in np.unique(SCORE):
        away = np.abs(SCORE - at)
        reach = np.sort(away)[int(0.75 * SCORE.size) - 1]
        weight = np.clip(1 - (away / reach) ** 3, 0, None) ** 3
        fit = np.polyfit(SCORE - at, TRUTH, 2, w=np.sqrt(weight))
        gaps.append(abs(fit[-1] - at))
    return max(gaps)


OF_TWO = {
    # the area of the diagonal from 0.1 to 0.3 is 0.04, that of a perfect score 0.2
    "standardized_partial_roc_auc(max_fpr=0.3, min_fpr=0.1)": lambda: (
        (1 + (area(FPR, TPR, 0.1, 0.3) - 0.04) / (0.2 - 0.04)) / 2
    ),
    "standardized_partial_roc_auc_by_tpr(0.8)": lambda: (
        (1 + (area(TPR, 1 - FPR, 0.8, 1) - 0.02) / (0.2 - 0.02)) / 2
    ),
    "standardized_net_benefit(0.2)": lambda: (
        (SCORE[TRUTH] >= 0.2).mean() - 0.25 * (SCORE[~TRUTH] >= 0.2).sum() / TRUTH.sum()
    ),
    "discrimination_slope": lambda: share_between(True) - share_between(False),
    "calibration_error_max": loess_by_hand,
    "multiclass_g_mean": lambda: np.sqrt(
        skm.recall_score(TRUTH, SCORE >= 0.5) * skm.recall_score(TRUTH, SCORE >= 0.5, pos_label=0)
    ),
    "pabak": lambda: kappa_of(0.5),
    "h_measure(a=2, b=2)": lambda: h_by_hand(2, 2),
    "h_measure(a=3, b=1.5)": lambda: h_by_hand(3, 1.5),
    "scott_pi": lambda: kappa_of(
        sum(((np.mean(each == TRUTH) + np.mean((SCORE >= 0.5) == each)) / 2) ** 2 for each in (False, True))
    ),
    "f_beta(3)": lambda: skm.fbeta_score(TRUTH, SCORE >= 0.5, beta=3),
    "f_beta(0.3)": lambda: skm.fbeta_score(TRUTH, SCORE >= 0.5, beta=0.3),
    "partial_roc_auc(max_fpr=0.33)": lambda: area(FPR, TPR, 0, 0.33),
    "partial_roc_auc(max_fpr=0.515, min_fpr=0.203)": lambda: area(FPR, TPR, 0.203, 0.515),
    "partial_roc_auc_by_tpr(0.813)": lambda: area(TPR, 1 - FPR, 0.813, 1),
    "partial_roc_auc_by_tpr(0.413, max_tpr=0.777)": lambda: area(TPR, 1 - FPR, 0.413, 0.777),
    "standardized_partial_roc_auc(max_fpr=0.2)": lambda: skm.roc_auc_score(TRUTH, SCORE, max_fpr=0.2),
    "recall_at_precision(0.5)": lambda: recall_at(0.5),
    "recall_at_specificity(0.9)": lambda: recall_with(0.9),
    "recall_at_specificity(1)": lambda: recall_with(1.0),
    "equal_error_rate": lambda: brentq(lambda x: 1 - x - np.interp(x, FPR, TPR), 0, 1),
    "mean_absolute_error": lambda: skm.mean_absolute_error(TRUTH, SCORE >= 0.5),
    # a mean of 0, the cost of a false positive, and that of a false negative
    "expected_cost(2, 5)": lambda: (
        skm.confusion_matrix(TRUTH, SCORE >= 0.5, normalize="all")[[0, 1], [1, 0]] @ [2, 5]
    ),
    "normalised_expected_cost(2, 5)": lambda: (
        skm.confusion_matrix(TRUTH, SCORE >= 0.5)[[0, 1], [1, 0]]
        @ [2, 5]
        / (2 * (~TRUTH).sum() + 5 * TRUTH.sum())
    ),
}
MIXED = (np.bincount(CLASS, minlength=12) + np.bincount(CALLED, minlength=12)) / 1000
OF_TWELVE = {
    "multiclass_g_mean": lambda: gmean(skm.recall_score(CLASS, CALLED, average=None)),
    "pabak": lambda: (12 * skm.accuracy_score(CLASS, CALLED) - 1) / 11,
    "scott_pi": lambda: (skm.accuracy_score(CLASS, CALLED) - MIXED @ MIXED) / (1 - MIXED @ MIXED),
    "macro_top_k_recall(3)": lambda: np.mean(
        [
            skm.top_k_accuracy_score(CLASS[each == CLASS], SHARES[each == CLASS], k=3, labels=range(12))
            for each in range(12)
        ]
    ),
    "macro_roc_auc_over_occurring_classes": lambda: skm.roc_auc_score(CLASS, SHARES, multi_class="ovr"),
    "top_k_accuracy(10)": lambda: skm.top_k_accuracy_score(CLASS, SHARES, k=10),
    "macro_f_beta(3)": lambda: skm.fbeta_score(CLASS, CALLED, beta=3, average="macro"),
    "weighted_f_beta(3)": lambda: skm.fbeta_score(CLASS, CALLED, beta=3, average="weighted"),
    "micro_f_beta(3)": lambda: skm.fbeta_score(CLASS, CALLED, beta=3, average="micro"),
    "recall_over(2, 5, 7)": lambda: skm.recall_score(CLASS, CALLED, labels=[2, 5, 7], average="macro"),
    "f1_over(2, 11)": lambda: skm.f1_score(CLASS, CALLED, labels=[2, 11], average="macro"),
    "mean_absolute_error": lambda: skm.mean_absolute_error(CLASS, CALLED),
    "mean_reciprocal_rank": lambda: skm.label_ranking_average_precision_score(
        label_binarize(CLASS, classes=range(12)), SHARES
    ),
    "micro_jaccard": lambda: skm.jaccard_score(CLASS, CALLED, average="micro"),
    "micro_roc_auc": lambda: skm.roc_auc_score(CLASS, SHARES, multi_class="ovr", average="micro"),
    "micro_average_precision": lambda: skm.average_precision_score(
        label_binarize(CLASS, classes=range(12)), SHARES, average="micro"
    ),
    "macro_average_precision": lambda: skm.average_precision_score(
        label_binarize(CLASS, classes=range(12)), SHARES, average="macro"
    ),
    "weighted_one_vs_one_roc_auc": lambda: skm.roc_auc_score(
        CLASS, SHARES, multi_class="ovo", average="weighted"
    ),
    # the mean over thresholds k of the Brier score of "class <= k"
    "ranked_probability_score": lambda: np.mean(
        [
            skm.brier_score_loss(k >= CLASS, np.clip(SHARES[:, : k + 1].sum(1), 0, 1), pos_label=True)
            for k in range(11)
        ]
    ),
}


@pytest.mark.parametrize("name", OF_TWO)
def test_two_classes(name):
    found = TWO.estimate(name)
    # quadrature across the kinks of the least cost is no nearer than that
    assert found.value == pytest.approx(float(OF_TWO[name]()), rel=1e-6 if "h_measure" in name else 1e-9)
    assert get(name).name == name
    assert (found.low <= found.value <= found.high) if found.has_interval else found.reason


@pytest.mark.parametrize("name", OF_TWELVE)
def test_several_classes(name):
    found = TWELVE.estimate(name)
    assert found.value == pytest.approx(float(OF_TWELVE[name]()), rel=1e-9)
    assert get(name).name == name
    assert (found.low <= found.value <= found.high) if found.has_interval else found.reason


@pytest.mark.parametrize("bins", [3, 10, 40])
def test_calibration_errors_with_bins(bins):
    """By hand: cases are put into (k/B, (k+1)/B] with NumPy."""
    place = np.clip(np.ceil(SCORE * bins - 1e-9).astype(int) - 1, 0, bins - 1)
    gaps = np.array([(TRUTH[place == k] - SCORE[place == k]).sum() for k in range(bins)]) / SCORE.size
    found = TWO.estimate(ca.expected_calibration_error(bins=bins))
    assert found.value == pytest.approx(np.abs(gaps).sum(), rel=1e-9)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("bins", [5, 10])
def test_murphy_in_bins(bins):
    """Of scores put at the means of their bins, in which nothing is left to happen, the Brier score adds up."""
    place = np.clip(np.ceil(SCORE * bins - 1e-9).astype(int) - 1, 0, bins - 1)
    means = np.array([SCORE[place == k].mean() if (place == k).any() else 0 for k in range(bins)])[place]
    parts = [TWO[f"murphy_{part}(bins={bins})"].value for part in ("reliability", "resolution")]
    uncertainty = TRUTH.mean() * (1 - TRUTH.mean())
    assert parts[0] - parts[1] + uncertainty == pytest.approx(skm.brier_score_loss(TRUTH, means))
    debiased = TWO[f"debiased_murphy_reliability(bins={bins})"].value
    assert debiased < parts[0]


def test_murphy_without_bins():
    """Over the distinct probabilities the Brier score is reliability minus resolution plus uncertainty."""
    shares = np.array([TRUTH[each == SCORE].mean() for each in SCORE])
    parts = [TWO[f"exact_murphy_{part}"].value for part in ("reliability", "resolution")]
    assert parts[0] == pytest.approx(((SCORE - shares) ** 2).mean())
    assert parts[1] == pytest.approx(((shares - TRUTH.mean()) ** 2).mean())
    uncertainty = TRUTH.mean() * (1 - TRUTH.mean())
    assert parts[0] - parts[1] + uncertainty == pytest.approx(TWO["brier_score"].value)


def test_the_defaults_are_the_registered_measures():
    same = {
        "f_beta(1)": "f1",
        "f_beta(2.0)": "f2",
        "F-beta( 0.5 )": "f0_5",
        "top_k_accuracy(k=3)": "top_3_accuracy",
        "partial_roc_auc(0.1)": "partial_roc_auc",
        "pauc(max_fpr=0.1)": "partial_roc_auc",
        "expected_calibration_error(bins=15)": "expected_calibration_error",
        "ece()": "expected_calibration_error",
    }
    for written, name in same.items():
        assert get(written) is MEASURES[name]
    assert ca.f_beta(3) is ca.f_beta(beta=3.0) is get("f_beta(beta=3)")


def test_a_name_means_one_measure():
    """A family of a registered name gives that measure, and an average is of one measure of a class."""
    for name in {*FAMILIES} & {*MEASURES}:
        assert FAMILIES[name]() is MEASURES[name]
    averages = {"macro": macro, "weighted": weighted, "micro": ca.micro}
    for name, each in MEASURES.items():
        kind, _, rest = name.partition("_")
        if kind in averages:
            assert each.average == (kind, MEASURES[rest])
        if each.needs == "margins" and each.average is not None:
            assert averages[each.average.kind](each.average.of) is each


def test_intervals_meet_those_of_the_registered_measures():
    """As a parameter goes to that of a registered measure, so does its interval."""
    for near, name in (("partial_roc_auc(0.100001)", "partial_roc_auc"), ("f_beta(2.00001)", "f2")):
        made, registered = TWO.estimate(near), TWO.estimate(name)
        assert (made.low, made.high) == pytest.approx((registered.low, registered.high), rel=1e-3)
        assert made.method == registered.method


def test_both_axes_of_a_whole_curve_hold_the_auc():
    auc = TWO["roc_auc"].value
    assert TWO["partial_roc_auc(1)"].value == pytest.approx(auc)
    assert TWO["partial_roc_auc_by_tpr(0)"].value == pytest.approx(auc)
    parts = TWO["partial_roc_auc(0.4)"].value + TWO["partial_roc_auc(1, min_fpr=0.4)"].value
    assert parts == pytest.approx(auc)


def test_the_curve_from_its_other_end():
    """Negated scores and truth swap the axes: the intervals by FPR and by TPR are each other's."""
    other = ca.assess(~TRUTH, 1 - SCORE)
    for a, b in (("partial_roc_auc_by_tpr(0.7)", "partial_roc_auc(0.3)"),):
        one, two = TWO.estimate(a), other.estimate(b)
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), rel=1e-6)


@pytest.mark.parametrize(
    "text",
    ["f_beta", "f_beta(x)", "f_beta(1, 2)", "f_beta(0)", "f_beta(gamma=1)", "f_beta(3", "top_k_accuracy(2.5)",
     "partial_roc_auc(0.1, min_fpr=0.2)", "recall_at_precision(2)", "recall_over", "f_beta(beta=3, 4)",
     "f_beta(1e21)", "f_beta(1e-200)", "expected_cost(1e308, 1)", "normalised_expected_cost(1, 5e-324)"],
)  # fmt: skip
def test_wrong_parameters(text):
    with pytest.raises((InputError, UnknownMeasureError)) as error:
        get(text)
    assert len(str(error.value)) > 20
    assert "\n" not in str(error.value)


BELOW = -np.array([1e-300, 1e-9, 0.5, 1.0, 3.0])
"""No number of any parameter of a family."""


@pytest.mark.parametrize(
    "family", [name for name, each in FAMILIES.items() if not {"labels", "steps"} & {*each.kinds}]
)
def test_no_parameter_of_a_measure_is_negative(family):
    names = FAMILIES[family].signature.parameters
    for name in names:
        given = {each: 1.0 if each != name else None for each in names}
        for value in BELOW:
            with pytest.raises(InputError):
                FAMILIES[family](**given | {name: float(value)})


@pytest.mark.parametrize("weight", [None, np.linspace(1, 1e6, len(TRUTH))])
@pytest.mark.parametrize(
    ("most", "plain"),
    [("f_beta(1e20)", "recall"), ("f_beta(1e-20)", "precision"),
     ("normalised_expected_cost(1e40, 1e40)", "normalised_expected_cost(1, 1)"),
     ("normalised_expected_cost(1e-40, 1e-40)", "normalised_expected_cost(1, 1)")],
)  # fmt: skip
def test_parameters_at_their_ends(most, plain, weight):
    assessment = ca.assess(TRUTH, SCORE, weight=weight)
    assert assessment.estimate(most).value == pytest.approx(assessment.estimate(plain).value, rel=1e-12)
    found = assessment.estimate(most)
    assert found.low < found.value < found.high


@pytest.mark.parametrize(
    ("name", "hint"),
    [("auprc", "average_precision"), ("d2_log_loss", "log_loss_skill"),
     ("coverage", "recall"), ("dsc", "f1"), ("f_bta", "f_beta")],
)  # fmt: skip
def test_names_of_other_tools_lead_to_ours(name, hint):
    with pytest.raises(UnknownMeasureError, match=f"Did you mean '{hint}'"):
        get(name)


@pytest.mark.parametrize(
    "name", ["tpr_at", "tpr_at_fpr(0.1)", "sensitivity_at_specificity(0.9)", "TPR at FPR"]
)
def test_a_reading_of_a_rate_leads_to_the_readings_of_it(name):
    """Under each of the rate's names."""
    hint = "Did you mean 'recall_at_precision' or 'recall_at_specificity'"
    with pytest.raises(UnknownMeasureError, match=hint):
        get(name)


def test_every_family_is_documented_and_cites():
    from classay.measures.vocabulary import REFERENCES

    for name, family in FAMILIES.items():
        assert family.name == name
        assert family.build.__doc__
    for name in (*OF_TWO, *OF_TWELVE):
        assert get(name).reference in REFERENCES
        assert get(name).title in get(name).__doc__


def test_they_are_saved_and_compared_like_others(tmp_path):
    path = tmp_path / "a.classay"
    TWO.save(path)
    assert ca.load(path).estimate(ca.f_beta(3)) == TWO.estimate("f_beta(3)")
    with_bootstrap = TWO.estimate("equal_error_rate", method="percentile")
    assert with_bootstrap.low < with_bootstrap.value < with_bootstrap.high


def test_the_command_takes_them(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("truth,score\n" + "".join(f"{int(t)},{s}\n" for t, s in zip(TRUTH, SCORE, strict=True)))
    wanted = "f_beta(3), partial_roc_auc(0.4, min_fpr=0.2), roc_auc"
    out = tmp_path / "out.json"
    demand = "f_beta(3).low >= .2 and partial_roc_auc(max_fpr=0.05) < 0.05"
    done = call("assess", str(rows), "--truth", "truth", "--score", "score", "--positive", "1",
               "--measures", wanted, "--json", str(out), "--require", demand)  # fmt: skip
    assert done.exit_code == 0, done.output
    measures = json.loads(out.read_text())["measures"]
    assert [*measures] == ["f_beta(3)", "partial_roc_auc(max_fpr=0.4, min_fpr=0.2)", "roc_auc"]
    assert measures["f_beta(3)"]["value"] == pytest.approx(TWO["f_beta(3)"].value)


BINNED = [name for name, family in FAMILIES.items() if "bins" in family.kinds]


@pytest.mark.parametrize("bins", ["0", "1001", "1000000000", "1e15", "1e400", "-3", "2.5"])
@pytest.mark.parametrize("name", BINNED)
def test_bins_are_as_many_as_memory_holds(name, bins):
    """A billion bins for forty cases took eight gigabytes, named by a text."""
    with pytest.raises(InputError, match="from 1 to 1,000"):
        get(f"{name}({bins})")


def test_there_are_measures_of_bins():
    assert len(BINNED) == 10
    assert TWO["expected_calibration_error(1000)"].value >= 0


OF_A_CLASS = [
    name
    for name, each in MEASURES.items()
    if each.needs in ("counts", "margins") and not name.startswith(("macro_", "weighted_", "micro_"))
]


@pytest.mark.parametrize("name", OF_A_CLASS)
def test_averages_are_of_each_class_against_the_rest(name):
    """Each class with the others as one: by its four counts, or as a matrix of two classes of its own."""
    measure, rows = MEASURES[name], np.array([[31, 4, 2], [7, 23, 5], [1, 6, 17]])
    alone = []
    for k in range(3):
        tp, true, said = rows[k, k], rows[k].sum(), rows[:, k].sum()
        fn, fp = true - tp, said - tp
        tn = rows.sum() - tp - fn - fp
        two = ConfusionMatrix.from_array([[tn, fp], [fn, tp]], "rc", rows="true")
        alone.append(float(measure(BinaryCounts(tp, fp, fn, tn) if measure.needs == "counts" else two)))
    matrix = ConfusionMatrix.from_array(rows, "abc", rows="true")
    assert float(macro(measure)(matrix)) == pytest.approx(np.mean(alone), rel=1e-12)
    assert float(weighted(measure)(matrix)) == pytest.approx(
        np.average(alone, weights=rows.sum(1)), rel=1e-12
    )


@pytest.mark.parametrize("average", [macro, weighted, ca.micro])
@pytest.mark.parametrize("name", OF_A_CLASS)
def test_averages_are_undefined_exactly_where_a_reason_is_known(name, average):
    """Of measures of counts and of those of whole matrices, which each class against the rest is one of."""
    measure, rng = average(MEASURES[name]), np.random.default_rng(2)
    for _ in range(40):
        matrix = random_table("margins", rng)
        assert np.isnan(float(measure(matrix))) == (measure.why_undefined(matrix) is not None), matrix


@pytest.mark.parametrize("named", [(0, 1), (1, 2), (2, 0, 1), (2,)])
def test_a_mean_over_some_classes_is_undefined_where_one_of_these_is(named):
    """Nothing is called 2: precision has no value there, and the others' do not depend on it."""
    found = ca.assess(y_true=[0, 0, 1, 1, 2, 2] * 20, y_pred=[0, 1, 1, 1, 0, 1] * 20, labels=[0, 1, 2])
    estimate = found.estimate(f"precision_over({', '.join(map(str, named))})")
    assert (estimate.reason is None) == (2 not in named)
    if 2 not in named:
        assert estimate.value == pytest.approx(np.mean([[0.5, 0.5][each] for each in named]))
