"""A measure as a scorer of scikit-learn: against scikit-learn's own scorers, in its searches, copied and pickled."""

import copy
import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import get_scorer, make_scorer, matthews_corrcoef, precision_score, recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError, UnknownMeasureError


@pytest.fixture(scope="module")
def two():
    X, y = make_classification(300, 6, weights=[0.7], flip_y=0.2, random_state=0)
    return X, y


@pytest.fixture(scope="module")
def three():
    return make_classification(300, 6, n_informative=4, n_classes=3, random_state=1)


MODELS = [LogisticRegression(), LinearSVC(), DecisionTreeClassifier(max_depth=3, random_state=0)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("accuracy", "accuracy"),
        ("balanced_accuracy", "balanced_accuracy"),
        ("matthews_correlation", "matthews_corrcoef"),
        ("f1", "f1"),
        ("recall", "recall"),
        ("roc_auc", "roc_auc"),
        ("average_precision", "average_precision"),
        ("log_loss", "neg_log_loss"),
        ("brier_score", "neg_brier_score"),
    ],
)
def test_two_classes_agree_with_scikit_learn(two, model, ours, theirs):
    if ours in ("log_loss", "brier_score") and not hasattr(model, "predict_proba"):
        with pytest.raises(InputError, match="needs predict_proba, but LinearSVC has none"):
            ca.scorer(ours)(clone(model).fit(*two), *two)
        return
    if ours == "log_loss" and isinstance(model, DecisionTreeClassifier):
        pytest.skip("a leaf of one class is certain: log-loss is infinite here and clipped there")
    X, y = two
    found = cross_val_score(model, X, y, scoring=ca.scorer(ours), error_score="raise")
    assert found == pytest.approx(cross_val_score(model, X, y, scoring=theirs), rel=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("accuracy", "accuracy"),
        ("macro_f1", "f1_macro"),
        ("macro_roc_auc", "roc_auc_ovr"),
        ("hand_till_auc", "roc_auc_ovo"),
        ("log_loss", "neg_log_loss"),
        ("recall[2]", make_scorer(recall_score, labels=[2], average="macro")),
    ],
)
def test_several_classes_agree_with_scikit_learn(three, ours, theirs):
    X, y = three
    model = LogisticRegression()
    found = cross_val_score(model, X, y, scoring=ca.scorer(ours), error_score="raise")
    assert found == pytest.approx(cross_val_score(model, X, y, scoring=theirs), rel=1e-9)


def test_the_positive_class_is_named_or_known(two):
    X, y = two
    words = np.array(["sick", "well"])[1 - y]
    model = LogisticRegression().fit(X, words)
    expected = precision_score(words, model.predict(X), pos_label="sick")
    assert ca.scorer("precision", positive="sick")(model, X, words) == pytest.approx(expected, rel=1e-12)
    by_score = get_scorer("average_precision")
    of_numbers = LogisticRegression().fit(X, y)
    assert ca.scorer("average_precision", positive="sick")(model, X, words) == pytest.approx(
        by_score(of_numbers, X, y), rel=1e-9
    )
    for name in ("accuracy", "matthews_correlation", "roc_auc", "log_loss"):  # the same for both
        assert np.isfinite(ca.scorer(name)(model, X, words))
    with pytest.raises(InputError, match="positive"):
        ca.scorer("precision")(model, X, words)


def test_weights_count_and_scaling_them_changes_nothing(two):
    X, y = two
    model, w = LogisticRegression().fit(X, y), np.linspace(0.2, 3, y.size)
    found = ca.scorer("matthews_correlation")(model, X, y, sample_weight=w)
    assert found == pytest.approx(matthews_corrcoef(y, model.predict(X), sample_weight=w), rel=1e-9)
    assert found == pytest.approx(ca.scorer("matthews_correlation")(model, X, y, 10 * w), rel=1e-9)


def test_weights_are_routed_by_scikit_learn(two):
    X, y = two
    w = np.where(y == 1, 3.0, 1.0)
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        ours, theirs = (
            cross_val_score(
                model, X, y, scoring=each.set_score_request(sample_weight=True), params={"sample_weight": w}
            )
            for each in (ca.scorer("accuracy"), get_scorer("accuracy"))
        )
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_search_follows_it_and_several_stand_side_by_side(two):
    X, y = two
    grid = {"max_depth": [1, 2, 4]}
    tree = DecisionTreeClassifier(random_state=0)
    ours = GridSearchCV(tree, grid, scoring=ca.scorer("matthews_correlation"), error_score="raise").fit(X, y)
    theirs = GridSearchCV(tree, grid, scoring="matthews_corrcoef").fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert clone(ours).scoring == ours.scoring
    both = {"mcc": ca.scorer("matthews_correlation"), "auc": ca.scorer("roc_auc")}
    found = cross_validate(LogisticRegression(), X, y, scoring=both, error_score="raise")
    assert {"test_mcc", "test_auc"} <= {*found}


def test_it_is_copied_and_pickled(two):
    X, y = two
    model = LogisticRegression().fit(X, y)
    made = ca.scorer("f_beta(3)", positive=1)
    for again in (copy.deepcopy(made), clone(made, safe=False), pickle.loads(pickle.dumps(made))):
        assert again == made
        assert again(model, X, y) == made(model, X, y)
    assert repr(made) == "scorer('f_beta(3)', positive=1)"


def test_a_threshold_cuts_the_scores(two):
    X, y = two
    model = LogisticRegression().fit(X, y)
    found = ca.scorer("recall", threshold=0.2)(model, X, y)
    assert found == recall_score(y, model.predict_proba(X)[:, 1] >= 0.2)
    assert found > ca.scorer("recall")(model, X, y)


def test_what_has_no_score_says_why(two):
    X, y = two
    with pytest.raises(UnknownMeasureError, match="Did you mean"):
        ca.scorer("roc_auk")
    with pytest.raises(InputError, match="prevalence has no best value at one end of its range, so a search"):
        ca.scorer("prevalence")
    undefined = ca.scorer("recall")(LogisticRegression().fit(X, y), X[y == 0], y[y == 0])
    assert np.isnan(undefined)
    ridge = RidgeClassifier().fit(X, y)
    assert ca.scorer("roc_auc")(ridge, X, y) == pytest.approx(get_scorer("roc_auc")(ridge, X, y))


class Says:
    """A fitted classifier of 0 and 1 that gives the same scores whatever it is asked."""

    classes_ = (0, 1)

    def __init__(self, scores):
        self.scores = scores

    def predict_proba(self, X):
        return self.scores


@pytest.mark.parametrize("scores", [None, 0.5, np.ones((4, 1)), np.ones((4, 3)) / 3, np.ones((4, 2, 1))])
def test_scores_that_are_not_one_for_each_class_are_refused(scores):
    with pytest.raises(InputError, match=r"gives scores of shape .* for 2 classes"):
        ca.scorer("roc_auc")(Says(scores), np.zeros((4, 1)), [0, 1, 0, 1])


def test_labels_that_are_missing_are_told():
    y = np.array([0, None, 1, None], object)
    with pytest.raises(InputError, match="truth has missing values in 2 rows"):
        ca.scorer("roc_auc")(Says(np.ones((4, 2)) / 2), np.zeros((4, 1)), y)


def test_a_measure_of_either_class_of_two_ranks_by_that_class():
    scores = np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5]])
    first, second = (
        ca.scorer(f"average_precision[{label}]")(Says(scores), np.zeros((4, 1)), [0, 1, 0, 1])
        for label in (0, 1)
    )
    assert first == second == 1.0
    worse = ca.scorer("roc_auc[0]")(Says(scores[:, ::-1]), np.zeros((4, 1)), [0, 1, 0, 1])
    assert worse == 0.0


@pytest.mark.parametrize("classes", [2, "ab", [[0, 1]], [[0], [1]], [[0, 1], [0, 1]], []])
def test_classes_that_are_no_list_of_labels_are_refused(two, classes):
    class Odd:
        def predict(self, X):
            return np.zeros(len(X), int)

    X, y = two
    odd = Odd()
    odd.classes_ = classes
    with pytest.raises(InputError, match="classes_ of Odd has shape"):
        ca.scorer("accuracy", positive=1)(odd, X, y)


def test_a_certain_error_costs_infinitely_and_loses_every_search(two):
    X, y = two
    certain = np.array([[1.0, 0.0], [0.2, 0.8]])
    said = Says(certain)
    assert ca.scorer("log_loss")(said, np.zeros((2, 1)), [1, 1]) == -np.inf
    assert (
        get_scorer("neg_log_loss")._score_func([1, 1], certain, labels=[0, 1]) > 10
    )  # clipped, so any large number
    assert np.isfinite(ca.scorer("brier_score")(said, np.zeros((2, 1)), [1, 1]))
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [None, 1]}, scoring=ca.scorer("log_loss")
    )
    with pytest.warns() as told:  # scikit-learn's mean and spread of infinite scores
        search.fit(X, y)
    assert search.best_params_ == {"max_depth": 1}
    assert search.cv_results_["mean_test_score"][0] == -np.inf
    assert any("non-finite" in str(each.message) for each in told)


def test_a_class_that_training_lacked_costs_infinitely():
    said = Says(np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]]))
    said.classes_ = (0, 1, 2)
    assert ca.scorer("log_loss")(said, np.zeros((2, 1)), [0, 3]) == -np.inf


@pytest.mark.parametrize("measure", ["f1", "recall", "roc_auc"])
def test_a_measure_of_one_class_says_what_to_ask_of_several(three, measure):
    X, y = three
    named = rf"{measure} needs one class, but there are several. Use macro_{measure}.*{measure}\[LABEL\]"
    with pytest.raises(UnknownMeasureError, match=named):
        cross_val_score(LogisticRegression(), X, y, scoring=ca.scorer(measure), error_score="raise")
    assert np.isfinite(
        cross_val_score(LogisticRegression(), X, y, scoring=ca.scorer(f"macro_{measure}"))
    ).all()
    for label in (0, 2):
        assert np.isfinite(ca.scorer(f"{measure}[{label}]")(LogisticRegression().fit(X, y), X, y))


def test_a_macro_auc_needs_probabilities(three):
    X, y = three
    machine = LinearSVC(random_state=0).fit(X, y)
    with pytest.raises(InputError, match="Use an estimator with predict_proba"):
        ca.scorer("macro_roc_auc")(machine, X, y)
    assert "raw class scores" in ca.assess(y, machine.decision_function(X))["macro_roc_auc"].reason
