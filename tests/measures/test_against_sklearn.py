"""Agreement with scikit-learn to 1e-12 on random rows: weighted or not, two or five classes, tied or not."""

import numpy as np
import pytest

import classay as ca
from classay.measures import get
from classay.measures.ranking import standardized_partial_roc_auc
from classay.tables import ScoreTable
from samples import binary_rows, class_rows

skm = pytest.importorskip("sklearn.metrics")
N = 400

weighting = pytest.mark.parametrize("weighting", ["none", "weight", "frequency"])
ties = pytest.mark.parametrize("levels", [8, 10**7], ids=["tied", "untied"])


def near(wanted):
    return pytest.approx(wanted, rel=1e-12, abs=1e-12)


def weights(kind, rng):
    """The weights for scikit-learn, and the same as an option of classay."""
    if kind == "none":
        return None, {}
    found = rng.gamma(1.0, size=N) if kind == "weight" else rng.integers(1, 6, N)
    return found, {kind: found}


@weighting
@ties
def test_scores_of_two_classes(weighting, levels):
    rng = np.random.default_rng(0)
    truth, score = binary_rows(rng, N, levels=levels)
    w, option = weights(weighting, rng)
    a = ca.assess(truth, score, **option)
    assert a["roc_auc"].value == near(skm.roc_auc_score(truth, score, sample_weight=w))
    assert a["average_precision"].value == near(skm.average_precision_score(truth, score, sample_weight=w))
    assert a["log_loss"].value == near(skm.log_loss(truth, score, sample_weight=w))
    assert a["brier_score"].value == near(skm.brier_score_loss(truth, score, sample_weight=w))
    fpr, tpr, _ = skm.roc_curve(truth, score, sample_weight=w)
    assert a["kolmogorov_smirnov"].value == near(np.abs(tpr - fpr).max())
    rate = np.full(N, np.average(truth, weights=w))
    skill = 1 - skm.log_loss(truth, score, sample_weight=w) / skm.log_loss(truth, rate, sample_weight=w)
    assert a["log_loss_skill"].value == near(skill)


@pytest.mark.covering(2)
@weighting
@ties
@pytest.mark.parametrize("max_fpr", [0.05, 0.1, 0.5, 1.0])
def test_partial_auc(weighting, levels, max_fpr):
    rng = np.random.default_rng(1)
    truth, score = binary_rows(rng, N, levels=levels)
    w, option = weights(weighting, rng)
    wanted = skm.roc_auc_score(truth, score, sample_weight=w, max_fpr=max_fpr)
    table = ScoreTable.from_rows(score, truth == 1, **option)
    if max_fpr < 1:  # at 1, scikit-learn gives the plain AUC, which McClish's scale leaves as it is
        assert standardized_partial_roc_auc(table, max_fpr=max_fpr) == near(wanted)
    assert get("auc")(table) == near(skm.roc_auc_score(truth, score, sample_weight=w))


@weighting
@pytest.mark.parametrize("threshold", [0.3, 0.5, 2 / 3])
def test_labels_of_two_classes(weighting, threshold):
    rng = np.random.default_rng(2)
    truth, score = binary_rows(rng, N)
    w, option = weights(weighting, rng)
    called = (score >= threshold).astype(int)
    a = ca.assess(truth, score, threshold=threshold, **option)
    b = ca.assess(truth, y_pred=called, **option)
    for name, wanted in {
        "accuracy": skm.accuracy_score(truth, called, sample_weight=w),
        "balanced_accuracy": skm.balanced_accuracy_score(truth, called, sample_weight=w),
        "precision": skm.precision_score(truth, called, sample_weight=w),
        "recall": skm.recall_score(truth, called, sample_weight=w),
        "specificity": skm.recall_score(truth, called, sample_weight=w, pos_label=0),
        "f1": skm.f1_score(truth, called, sample_weight=w),
        "f2": skm.fbeta_score(truth, called, beta=2, sample_weight=w),
        "f0_5": skm.fbeta_score(truth, called, beta=0.5, sample_weight=w),
        "jaccard": skm.jaccard_score(truth, called, sample_weight=w),
        "matthews_correlation": skm.matthews_corrcoef(truth, called, sample_weight=w),
        "cohen_kappa": skm.cohen_kappa_score(truth, called, sample_weight=w),
        "error_rate": skm.zero_one_loss(truth, called, sample_weight=w),
    }.items():
        assert a[name].value == near(wanted), name
        assert b[name].value == near(wanted), name
    plus, minus = skm.class_likelihood_ratios(truth, called, sample_weight=w)
    assert (a["lr_plus"].value, a["lr_minus"].value) == near((plus, minus))
    assert a.confusion_matrix.to_sklearn() == near(skm.confusion_matrix(truth, called, sample_weight=w))


@weighting
def test_labels_of_five_classes(weighting):
    rng = np.random.default_rng(3)
    truth, scores = class_rows(rng, N, k=5)
    w, option = weights(weighting, rng)
    called = scores.argmax(1)
    names = np.array(["ant", "bee", "cow", "dog", "eel"])
    a = ca.assess(names[truth], y_pred=names[called], labels=names, ordered=True, **option)
    assert a.labels == tuple(names.tolist())
    assert a.confusion_matrix.to_sklearn() == near(skm.confusion_matrix(truth, called, sample_weight=w))
    for name, wanted in {
        "accuracy": skm.accuracy_score(truth, called, sample_weight=w),
        "balanced_accuracy": skm.balanced_accuracy_score(truth, called, sample_weight=w),
        "matthews_correlation": skm.matthews_corrcoef(truth, called, sample_weight=w),
        "cohen_kappa": skm.cohen_kappa_score(truth, called, sample_weight=w),
        "linear_kappa": skm.cohen_kappa_score(truth, called, sample_weight=w, weights="linear"),
        "quadratic_kappa": skm.cohen_kappa_score(truth, called, sample_weight=w, weights="quadratic"),
    }.items():
        assert a[name].value == near(wanted), name
    for name, peer, options in (
        ("precision", skm.precision_score, {}),
        ("recall", skm.recall_score, {}),
        ("f1", skm.f1_score, {}),
        ("f2", skm.fbeta_score, {"beta": 2}),
        ("jaccard", skm.jaccard_score, {}),
    ):
        for average in ("macro", "weighted", "micro"):
            wanted = peer(truth, called, sample_weight=w, average=average, **options)
            measure = {"macro": ca.macro, "weighted": ca.weighted, "micro": ca.micro}[average](get(name))
            assert measure(a.confusion_matrix) == near(wanted), (name, average)
        each = peer(truth, called, sample_weight=w, average=None, **options)
        assert ca.per_class(get(name))(a.confusion_matrix) == near(each), name


@weighting
@pytest.mark.parametrize("digits", [1, None], ids=["tied", "untied"])
def test_scores_of_five_classes(weighting, digits):
    rng = np.random.default_rng(4)
    truth, scores = class_rows(rng, N, k=5, digits=digits)
    w, option = weights(weighting, rng)
    a = ca.assess(truth, scores, **option)

    def peer(**options):
        return skm.roc_auc_score(truth, scores, sample_weight=w, multi_class="ovr", **options)

    assert a["macro_roc_auc"].value == near(peer())
    assert a["weighted_roc_auc"].value == near(peer(average="weighted"))
    if w is None:  # scikit-learn has no weighted one-vs-one
        assert a["hand_till_auc"].value == near(skm.roc_auc_score(truth, scores, multi_class="ovo"))
    else:
        pairs = []
        for i in range(5):
            for j in range(5):
                if i != j:
                    both = (truth == i) | (truth == j)
                    pairs.append(skm.roc_auc_score(truth[both] == i, scores[both, i], sample_weight=w[both]))
        assert a["hand_till_auc"].value == near(np.mean(pairs))
    if digits is None:
        assert a["log_loss"].value == near(skm.log_loss(truth, scores, sample_weight=w))
        for k in (2, 3):
            wanted = skm.top_k_accuracy_score(truth, scores, k=k, sample_weight=w)
            assert a[f"top_{k}_accuracy"].value == near(wanted)
    one_hot = np.eye(5)[truth]
    wanted = np.average(((scores - one_hot) ** 2).sum(1), weights=w)
    assert a["multiclass_brier_score"].value == near(wanted)
