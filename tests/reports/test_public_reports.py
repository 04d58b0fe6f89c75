"""Situations that users of this field's tools reported, each as a small input and the value that is right.

A docstring begins with the repository and number of the report, which told of another tool. Values are by hand or by
the definition; the words are our own.
"""

from fractions import Fraction
from math import comb, inf, log

import numpy as np
import pytest

import classay as ca


def value(a, name):
    return a[name].value


def test_equal_scores_earn_the_share_of_positives():
    """scikit-learn/scikit-learn#6377: one score for 10,000 cases, of which one is positive."""
    y = np.arange(10_000) == 0
    assert value(ca.assess(y, np.zeros(10_000)), "average_precision") == pytest.approx(1e-4)


def test_average_precision_is_a_sum_over_positives():
    """scikit-learn/scikit-learn#5379: ten cases in a row, one negative at the third place."""
    y = [1, 1, 1, 1, 1, 1, 1, 0, 1, 1]
    right = sum(Fraction(k, k + (k > 2)) for k in range(1, 10)) / 9
    assert value(ca.assess(y, range(10), positive=1), "average_precision") == pytest.approx(float(right))


def test_a_negative_first():
    """scikit-learn/scikit-learn#9618: the one positive stands second."""
    assert value(ca.assess([0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1]), "average_precision") == 0.5


def test_ties_are_one_step():
    """scikit-learn/scikit-learn#4223: four distinct scores among 25 cases, three of them positive."""
    y = np.isin(np.arange(25), [0, 10, 15])
    p = np.repeat([0.9, 0.8, 0.7, 0.6], [10, 5, 5, 5])
    right = (1 / 10 + 2 / 15 + 3 / 20) / 3
    assert value(ca.assess(y, p), "average_precision") == pytest.approx(right)


def test_average_precision_stays_in_its_range():
    """Lightning-AI/pytorch-lightning#2315: a negative average precision of random scores."""
    rng = np.random.default_rng(23)
    for _ in range(20):
        found = ca.assess(rng.random(100) > 0.6, rng.random(100))["average_precision"]
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_tiny_differences_of_scores_rank():
    """scikit-learn/scikit-learn#3864: the positive scores 1e-10, the others 0."""
    assert value(ca.assess([1, 0, 0], [1e-10, 0, 0]), "roc_auc") == 1


def test_ties_count_half():
    """JuliaAI/MLJBase.jl#319: a quick AUC went wrong where many scores are equal."""
    y, p = [1, 0, 1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5, 0.7, 0.7]
    assert value(ca.assess(y, p), "roc_auc") == 0.5


def test_one_class_has_no_auc():
    """scikit-learn/scikit-learn#30079: cases of one class give an AUC of 0."""
    found = ca.assess([0, 0, 0], [0.1, 0.2, 0.3], labels=[0, 1], positive=1)["roc_auc"]
    assert found.is_undefined
    assert found.reason


def test_the_direction_of_a_score_is_never_guessed():
    """xrobin/pROC#128, xrobin/pROC#36, tidymodels/tune#685: an AUC turned to the side above one half."""
    rng = np.random.default_rng(1)
    y, p = np.arange(60) % 2, rng.random(60)
    there, back = (value(ca.assess(y, score), "roc_auc") for score in (p, 1 - p))
    assert there + back == pytest.approx(1)


def test_labels_are_no_scores():
    """materialsproject/matbench#137, alexarnimueller/modlAMP#20: an AUC of predicted labels."""
    found = ca.assess([0, 1, 0, 1], y_pred=[0, 1, 1, 1])["roc_auc"]
    assert found.is_undefined
    assert "score" in found.reason


def test_labels_given_as_scores_are_warned_of():
    """catboost/catboost#1108: the AUC of `predict` is far below that of `predict_proba`."""
    y = np.arange(40) % 2
    text = str(ca.assess(y, np.where(np.arange(40) % 5 == 0, 1 - y, y).astype(float)))
    assert "only 2 values" in " ".join(text.split())


def test_one_hot_scores_of_a_perfect_classifier():
    """Striveworks/valor#763: a perfect classifier of three classes got an AUC of .51."""
    y = np.arange(30) % 3
    assert value(ca.assess(y, np.eye(3)[y]), "macro_roc_auc") == 1


def test_probability_zero_lies_in_the_first_bin():
    """Lightning-AI/torchmetrics#1646: scores of exactly 0 and 1 in two bins."""
    a = ca.assess([0, 0, 1, 1, 1], [1.0, 1.0, 1.0, 1.0, 0.0])
    assert value(a, "ece(2)") == pytest.approx((4 * 0.5 + 1 * 1) / 5)


def test_probability_one_lies_in_the_last_bin():
    """Lightning-AI/torchmetrics#3510: a score of exactly 1 made a bin of its own."""
    assert value(ca.assess([1, 0], [0.95, 1.0]), "ece(15)") == pytest.approx(0.975 - 0.5)


def test_one_probability_is_one_bin():
    """Khanz9664/TrustLens#163: bins of equal counts lost a constant probability, and with it the error."""
    a = ca.assess([1, 0] * 10, [0.9] * 20)
    assert value(a, "ece(10)") == pytest.approx(0.4)


def test_columns_follow_the_labels_that_were_given():
    """scikit-learn/scikit-learn#30910: labels in another order than the alphabet's turned a perfect loss into 36."""
    a = ca.assess(["dog", "cat"], [[1, 0], [0, 1]], labels=["dog", "cat"], positive="dog")
    assert value(a, "log_loss") == 0


def test_a_declared_class_without_cases_keeps_its_column():
    """scikit-learn/scikit-learn#4033, openml/automlbenchmark#205: the log loss of a fold without one class."""
    a = ca.assess([0, 1], [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1]], labels=[0, 1, 2])
    assert value(a, "log_loss") == pytest.approx(-(log(0.7) + log(0.6)) / 2)


def test_one_class_is_not_turned():
    """scikit-learn/scikit-learn#6703, #4546: all cases positive, all probabilities 0, a loss of 0."""
    assert value(ca.assess([1, 1, 1], [0.0, 0.0, 0.0], labels=[0, 1], positive=1), "log_loss") == inf


def test_brier_score_of_several_classes_sums_over_classes():
    """imbs-hl/ranger#600: a Brier score of the true class's probability alone."""
    a = ca.assess([0, 1, 2], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    right = (0.16 + 0.09 + 0.01 + 0.04 + 0.25 + 0.09 + 0.01 + 0.01 + 0.04) / 3
    assert value(a, "multiclass_brier_score") == pytest.approx(right)


def test_weights_enter_sum_and_divisor():
    """tidymodels/yardstick#633: a weighted Brier score that was divided by the number of cases."""
    y, p, w = np.array([1, 0, 1, 0]), np.array([0.9, 0.4, 0.3, 0.2]), np.array([1.0, 4.0, 2.0, 3.0])
    right = float((w * (p - y) ** 2).sum() / w.sum())
    assert value(ca.assess(y, p, weight=w), "brier_score") == pytest.approx(right)


def test_weighted_specificity_is_a_share():
    """scikit-learn-contrib/imbalanced-learn#1180: a specificity of 1.67 with weights."""
    a = ca.assess([0, 0, 1, 1], y_pred=[0, 1, 1, 1], weight=[1.0, 2.0, 3.0, 4.0])
    assert value(a, "specificity") == pytest.approx(1 / 3)


def test_rows_of_weight_zero_change_nothing():
    """scikit-learn/scikit-learn#16065 and pull request #18328: thresholds of cases that weigh nothing."""
    rng = np.random.default_rng(0)
    y, p = np.arange(30) % 2, rng.random(30).round(1)
    w = np.where(np.arange(30) % 3 == 0, 0.0, 1.5)
    all_rows = ca.assess(y, p, weight=w)
    some_rows = ca.assess(y[w > 0], p[w > 0], weight=w[w > 0])
    assert all_rows.precision_recall.curve.y.tolist() == some_rows.precision_recall.curve.y.tolist()
    assert value(all_rows, "average_precision") == value(some_rows, "average_precision")


def test_weights_by_class_do_not_move_an_auc():
    """scikit-learn/scikit-learn#8795: weights that are constant within a class seem to be ignored, rightly."""
    rng = np.random.default_rng(3)
    y, p = np.arange(50) % 2, rng.random(50)
    plain, by_class, by_case = (
        value(ca.assess(y, p, weight=w), "roc_auc")
        for w in (np.ones(50), 0.1 + 0.9 * y, rng.random(50) + 0.1)
    )
    assert by_class == pytest.approx(plain)
    assert by_case != pytest.approx(plain)


@pytest.mark.parametrize("times", [1, 10**4, 10**7])
def test_products_of_counts_do_not_overflow(times):
    """haifengl/smile#879, scikit-learn/scikit-learn#9622, sepandhaghighi/pycm#624: MCC of large counts."""
    y, called = [1, 1, 0, 0], [1, 0, 1, 0]
    frequency = np.array([50_000, 5_000, 5_000, 50_000]) * times
    a = ca.assess(y, y_pred=called, frequency=frequency)
    assert value(a, "mcc") == pytest.approx(9 / 11)


def test_kappa_of_one_class_is_undefined():
    """scikit-learn/scikit-learn#9624, dkpro/dkpro-statistics#1, nltk/nltk#2940: one label alone."""
    found = ca.assess([1, 1, 1], y_pred=[1, 1, 1], labels=[0, 1], positive=1)["cohen_kappa"]
    assert found.is_undefined
    assert found.reason


def test_kappa_takes_grades_with_gaps_and_signs():
    """EducationalTestingService/skll#52 and #35: weighted kappa failed for grades 1, 3 and for negative grades."""
    truth, grades = np.array([1, 1, 3, 3, 2, 1]), np.array([1, 3, 3, 3, 2, 2])
    plain, below = (
        value(ca.assess(truth + shift, y_pred=grades + shift), "quadratic_kappa") for shift in (0, -5)
    )
    off, expected = ((truth - grades) ** 2).sum(), ((truth[:, None] - grades) ** 2).sum() / 6
    assert plain == below == pytest.approx(1 - off / expected)


def test_classes_are_those_that_occur():
    """paiml/aprender#2128: the labels 0 and 2 made a class 1 that no case has."""
    assert value(ca.assess([0, 2, 0, 2], y_pred=[0, 2, 0, 2], positive=2), "macro_precision") == 1


def test_a_predicted_class_that_is_never_true_is_named():
    """scikit-learn/scikit-learn#23130, #10573: a macro average that took recall 0 for a class without cases."""
    found = ca.assess(list("aabbb"), y_pred=list("aabbc"))["macro_recall"]
    assert found.is_undefined
    assert "never true" in found.reason


def test_a_macro_mean_over_declared_classes_without_cases_is_undefined():
    """Lightning-AI/torchmetrics#486, scikit-learn/scikit-learn#27927: F1 where one of three classes occurs."""
    a = ca.assess([0, 0, 0, 0], y_pred=[0, 0, 0, 0], labels=[0, 1, 2])
    assert a["macro_f1"].is_undefined
    assert value(a, "accuracy") == 1


def test_macro_mean_absolute_error_of_a_class_that_is_never_true():
    """scikit-learn-contrib/imbalanced-learn#1094: a grade that is predicted, and that no case has, was an exception."""
    found = ca.assess([1, 2, 2, 1], y_pred=[1, 2, 3, 1], labels=[1, 2, 3])["macro_mean_absolute_error"]
    assert found.is_undefined
    assert found.reason


def test_equal_scores_earn_no_place_among_the_first():
    """tensorflow/tensorflow#13005, #10767; blue-oil/blueoil#58: five equal scores were right 100% of the time."""
    y = np.arange(50) % 5
    assert value(ca.assess(y, np.full((50, 5), 0.2)), "top_k_accuracy(2)") == pytest.approx(0.4)


def test_a_tie_of_two_is_not_right_whatever_the_answer():
    """stanford-crfm/helm#737: probabilities of .5 and .5 were right for either answer."""
    assert value(ca.assess([0, 1], [[0.5, 0.5]] * 2), "accuracy") == 0.5


def test_a_p_value_is_at_most_one():
    """rasbt/mlxtend#851: twice the tail of equal counts of discordant cases is above 1."""
    y = np.ones(20, int)
    a, b = np.r_[np.zeros(5, int), np.ones(15, int)], np.r_[np.ones(15, int), np.zeros(5, int)]
    found = ca.compare(y_true=y, y_pred={"a": a, "b": b}, labels=[0, 1], positive=1, measures=["recall"])
    assert found["recall"].p == pytest.approx(1 - comb(10, 5) / 2**11)  # mid-P, Fagerland and others 2013


def test_models_that_agree_everywhere():
    """huggingface/evaluate#795: no discordant case was a division by zero."""
    y = np.arange(20) % 2
    called = np.where(np.arange(20) < 3, 1 - y, y)
    found = ca.compare(y_true=y, y_pred={"a": called, "b": called}, measures=["accuracy"])["accuracy"]
    assert found.effect.value == 0
    assert not found.p < 1


@pytest.mark.parametrize(
    ("right", "cases", "low", "high"), [(10, 10, 0.7225, 1), (0, 10, 0, 0.2775), (0, 50, 0, 0.0713)]
)
def test_no_error_is_not_certainty(right, cases, low, high):
    """NVIDIA/garak#2033, #2076; tensorzero/tensorzero#4691: intervals of no width where all cases are alike."""
    y = np.ones(cases, int)
    found = ca.assess(y, y_pred=np.arange(cases) < right, labels=[0, 1], positive=1)["recall"]
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@pytest.mark.parametrize(("right", "cases"), [(38, 38), (0, 77)])
def test_rounding_leaves_no_interval_of_a_share(right, cases):
    """statsmodels/statsmodels#7386: Wilson's upper limit of 38 in 38 was 1 + 2e-16."""
    found = ca.proportion(right, cases)["Wilson"]
    assert 0 <= found.low <= found.high <= 1


def test_exact_limits_at_the_ends():
    """statsmodels/statsmodels#2609: Clopper and Pearson's limits of 0 and of 18 in 18 at 99% were NaN."""
    none, all_ = (ca.proportion(right, 18, level=0.99)["Clopper-Pearson"] for right in (0, 18))
    assert (none.low, none.high) == (0, pytest.approx(0.25498502848277477))
    assert (all_.low, all_.high) == (pytest.approx(0.74501497151722496), 1)


def test_a_single_case_is_no_number_without_an_interval():
    """openai/evals#1834: the bootstrap of one case was NaN."""
    found = ca.assess([1], y_pred=[1], labels=[0, 1], positive=1)["recall"]
    assert (found.value, found.high) == (1, 1)
    assert found.low < 0.3


def test_a_test_does_not_depend_on_the_unit():
    """robjhyndman/forecast#106: variances below 1e-8 were set to 1e-8 without a word."""
    rng = np.random.default_rng(2)
    new, old = rng.normal(0.2, 1, 40), rng.normal(0, 1, 40)
    plain, tiny = (ca.compare_values({"new": new * unit, "old": old * unit}) for unit in (1, 1e-9))
    assert plain[0].p == pytest.approx(tiny[0].p, rel=1e-9)
