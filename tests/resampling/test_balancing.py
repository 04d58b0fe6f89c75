"""Balancing: inside the training cases alone, against what it must be by hand, and compared with doing nothing."""

import importlib.util

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError, MissingExtraError
from classay.resampling.data import Balance
from classay.resampling.models import balanced
from learners import noise

METHODS = Balance.__args__
RARE = (0.88, 0.12)


def rare(n=200, seed=0, **how):
    return noise(n, seed=seed, shares=RARE, **how)


class Remembers(ClassifierMixin, BaseEstimator):
    """Says the second class of a case that it was fitted to, and the first of any other."""

    def fit(self, X, y, sample_weight=None):
        self.classes_, self.counts_ = np.unique(y, return_counts=True)
        self.X_, self.y_, self.weight_ = X, y, sample_weight
        return self

    def predict(self, X):
        inside = (X[:, None, 0] == self.X_[None, :, 0]).any(1)
        return self.classes_[inside.astype(int)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("protocol", ["2x5", "holdout:0.3", "bootstrap:5"])
def test_no_test_case_is_in_training(method, protocol):
    X, y = rare()
    assert np.unique(X[:, 0]).size == len(y)
    e = ca.evaluate(Remembers(), X, y, protocol=protocol, balance=method)
    assert e.failures == ()
    assert e.models == ("Remembers", f"Remembers + {method}", "baseline")
    for model in e.models[:2]:
        for result in e.runs[0].results[model]:
            assert not result.predicted.any()
            assert result.training[1].sum() > 0  # it does know those it was fitted to


@pytest.mark.parametrize("method", METHODS)
def test_what_is_fitted_does_not_depend_on_the_test_cases(method):
    """The law behind it: change the test cases, labels and all, and the fitted model says the same of training."""
    X, y = rare(300)
    fold = np.r_[np.full(200, -1), np.zeros(100, int)]
    other = X.copy()
    other[200:] = np.random.default_rng(5).normal(7, 9, (100, 3))
    first, second = (
        ca.evaluate(LogisticRegression(), *data, protocol=PredefinedSplit(fold), balance=method)
        for data in ((X, y), (other, np.r_[y[:200], 1 - y[200:]]))
    )
    name = f"LogisticRegression + {method}"
    one, two = (each.runs[0].results[name][0] for each in (first, second))
    assert_array_equal(one.training, two.training)
    assert one.training_values == two.training_values


@pytest.mark.parametrize("labels", [(0, 1), ("a", "b", "c")])
@pytest.mark.parametrize("method", ["upsample", "downsample", "smote"])
def test_classes_are_of_one_size(method, labels):
    X, y = noise(150, labels=labels, shares=[0.8, 0.2] if len(labels) == 2 else [0.7, 0.2, 0.1])
    made = ca.Balanced(Remembers(), method, random_state=0).fit(X, y)
    _, counts = np.unique(y, return_counts=True)
    size = counts.min() if method == "downsample" else counts.max()
    assert made.estimator_.counts_.tolist() == [size] * len(labels)
    assert_allclose(made.shares_, counts / counts.sum())
    own, fitted = ({tuple(row) for row in each.tolist()} for each in (X, made.estimator_.X_))
    if method == "downsample":
        assert fitted < own
        assert len(fitted) == size * len(labels)
    elif method == "upsample":
        assert fitted == own
    else:
        assert own < fitted
        assert (made.estimator_.X_.min(0) >= X.min(0)).all()
        assert (made.estimator_.X_.max(0) <= X.max(0)).all()


def test_labels_stay_with_their_cases():
    X, y = rare()
    of_case = dict(zip(X[:, 0].tolist(), y.tolist(), strict=True))
    for method in ("upsample", "downsample"):
        made = ca.Balanced(Remembers(), method, random_state=1).fit(X, y).estimator_
        assert [of_case[x] for x in made.X_[:, 0].tolist()] == made.y_.tolist()


def test_weights_are_repeated_cases():
    """Where the larger class is three times the smaller one, weights 3 and 1 are the cases repeated."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [90, 30])
    X = rng.normal(size=(120, 2)) + y[:, None]
    by_weight = ca.Balanced(GaussianNB(), "weights").fit(X, y)
    rows = np.r_[np.arange(120), np.repeat(np.arange(90, 120), 2)]
    repeated = GaussianNB().fit(X[rows], y[rows])
    assert_array_equal(by_weight.predict(X), repeated.predict(X))
    p = repeated.predict_proba(X)[:, 1]
    assert_allclose(by_weight.predict_proba(X)[:, 1], p * 0.25 / (p * 0.25 + (1 - p) * 0.75))


def test_class_weights_where_cases_take_none():
    class Own(LogisticRegression):
        def fit(self, X, y):
            return super().fit(X, y)

    X, y = rare()
    made = ca.Balanced(Own(), "weights").fit(X, y)
    expected = LogisticRegression(class_weight="balanced").fit(X, y)
    assert_allclose(made.estimator_.coef_, expected.coef_)


class Says(ClassifierMixin, BaseEstimator):
    """Always the same probabilities."""

    def __init__(self, p=(0.2, 0.8)):
        self.p = p

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[np.argmax(self.p)])

    def predict_proba(self, X):
        return np.tile(self.p, (len(X), 1))


def test_probabilities_are_corrected_for_the_shares_trained_at():
    """statistics B-3, Saerens et al. 2002: 0.8 at equal shares is 0.173913043478 at 5%."""
    y = np.repeat([0, 1], [95, 5])
    X = np.arange(100.0)[:, None]
    made = ca.Balanced(Says(), "downsample", random_state=0).fit(X, y)
    assert_allclose(made.predict_proba(X)[:, 1], 0.173913043478)
    assert (made.predict(X) == 1).all()  # labels are those of the balanced model
    of_three = ca.Balanced(Says((0.2, 0.3, 0.5)), "downsample", random_state=0)
    found = of_three.fit(X, np.repeat([0, 1, 2], [60, 30, 10])).predict_proba(X)[0]
    assert_allclose(found, np.array([0.12, 0.09, 0.05]) / 0.26)
    improper = ca.Balanced(Says((0.5, 0.8)), "downsample", random_state=0).fit(X, y)
    assert_allclose(improper.predict_proba(X)[0], (0.5, 0.8))  # no probabilities: left as they are


@pytest.mark.parametrize("method", METHODS)
def test_corrected_probabilities_are_right_in_the_large(method):
    """Trained at equal shares the mean probability is near a half; corrected it is the share of positives."""
    X, y = rare(3000, seed=3, signal=1.5)
    made = ca.Balanced(LogisticRegression(), method, random_state=0).fit(X, y)
    assert made.estimator_.predict_proba(X)[:, 1].mean() > 0.25
    assert made.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)


def test_it_stands_inside_pipelines_and_searches():
    grid = {"C": [0.01, 1.0]}
    of_grid = balanced(
        "x", make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(), grid)), "upsample"
    )
    search = of_grid[-1]
    assert isinstance(search.estimator, ca.Balanced)
    assert search.param_grid == {"estimator__C": [0.01, 1.0]}
    inner = make_pipeline(StandardScaler(), SVC())
    space = [{"svc__C": [1, 2], "standardscaler__with_mean": [True]}, {"svc": [SVC(), GaussianNB()]}]
    of_random = balanced("x", RandomizedSearchCV(inner, space), "smote")
    assert isinstance(of_random.estimator[-1], ca.Balanced)
    first, second = of_random.param_distributions
    assert first == {"svc__estimator__C": [1, 2], "standardscaler__with_mean": [True]}
    assert list(second) == ["svc__estimator"]


def known(model, X, y):
    """Less the number of cases that the model was fitted to."""
    return -float(model.predict(X).sum())


@pytest.mark.parametrize("method", METHODS)
def test_copies_cross_no_inner_fold(method):
    """A search sees each case on one side of its inner folds, because it is balanced inside them."""
    X, y = rare()
    search = GridSearchCV(Remembers(), {}, scoring=known, cv=3, error_score="raise")
    e = ca.evaluate(search, X, y, protocol="3fold", balance=method)
    assert e.failures == ()
    assert {row["score"] for row in e.tuning.to_pylist()} == {0.0}


@pytest.mark.filterwarnings("ignore")
def test_searches_choose_as_well():
    X, y = rare()
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring="roc_auc", cv=3)
    e = ca.evaluate({"lr": search}, X, y, protocol="3fold", balance="weights")
    assert {row["model"] for row in e.tuning.to_pylist()} == {"lr", "lr + weights"}


@pytest.mark.parametrize("labels", [(0, 1), ("a", "b", "c")])
def test_it_is_compared_with_doing_nothing(labels, tmp_path):
    shares = RARE if len(labels) == 2 else (0.7, 0.2, 0.1)
    X, y = noise(240, labels=labels, shares=shares)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
    e = ca.evaluate(models, X, y, protocol="2x3", balance="upsample")
    found = e.balancing
    assert {each.models for each in found} == {("bayes + upsample", "bayes"), ("tree + upsample", "tree")}
    plain = ca.compare(e, measures=[found.measures[0]])
    pair = next(each for each in plain if {*each.models} == {"bayes", "bayes + upsample"})
    assert abs(found[0].effect.value) == pytest.approx(abs(pair.effect.value))
    assert found[0].p == pytest.approx(pair.p)
    assert all(each.p_adjusted >= each.p for each in found)
    text = str(e)
    assert "Balanced minus unbalanced" in text
    assert "corrected to the class shares" in " ".join(text.split())
    e.save(tmp_path / "e.classay")
    again = ca.load(tmp_path / "e.classay")
    assert [each.p for each in again.balancing] == [each.p for each in found]
    assert [each["second"] for each in e.to_dict()["balancing"]] == [each.models[1] for each in found]


def test_without_probabilities_there_is_a_reason():
    """Decision values have no Brier score: the comparison of it says so, and the others stand."""
    X, y = rare()
    found = ca.evaluate({"svm": SVC()}, X, y, protocol="2x3", balance="weights").balancing
    assert found["brier_score"].reason
    assert found["brier_score"].effect is None or found["brier_score"].effect.is_undefined
    assert found["roc_auc"].effect.has_interval


def test_it_says_why_there_is_no_comparison():
    X, y = rare()
    with pytest.raises(InputError, match="No model is balanced here"):
        _ = ca.evaluate(GaussianNB(), X, y, protocol="3fold").balancing
    once = ca.evaluate(GaussianNB(), X, y, protocol="holdout:0.3", balance="weights")
    assert "variation of training sets" in " ".join(str(once).split())
    assert once.to_dict()["balancing"] == []
    two = ca.evaluate(GaussianNB(), {"a": (X, y), "b": (X, y)}, protocol="3fold", balance="weights")
    with pytest.raises(InputError, match="2 data sets"):
        _ = two.balancing
    assert len(two["a"].balancing) == 4


def test_same_seed_same_result_and_the_store_knows_the_twin(tmp_path):
    X, y = rare()
    how = {"protocol": "3fold", "balance": "upsample", "store": tmp_path / "runs.db"}
    first = ca.evaluate({"tree": DecisionTreeClassifier()}, X, y, **how)
    steps = []
    again = ca.evaluate({"tree": DecisionTreeClassifier()}, X, y, progress=steps.append, **how)
    assert first.to_dict() == again.to_dict()
    assert steps[-1].kept == 6
    fresh = ca.evaluate({"tree": DecisionTreeClassifier()}, X, y, protocol="3fold", balance="upsample")
    assert first.to_dict() == fresh.to_dict()


def test_pure_noise_stays_noise():
    """E-56: upsampled before the split 1-NN reaches an accuracy of .97; inside the folds it knows nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 5)), (rng.random(1000) < 0.05).astype(int)
    e = ca.evaluate({"nn": KNeighborsClassifier(1)}, X, y, protocol="10fold", balance="upsample")
    found = e["nn + upsample"]["balanced_accuracy"]
    assert found.low < 0.5 < found.high


@pytest.mark.parametrize(
    ("estimator", "method", "text"),
    [
        (CalibratedClassifierCV(GaussianNB()), "upsample", "splits its training cases itself"),
        (
            make_pipeline(StandardScaler(), CalibratedClassifierCV(GaussianNB())),
            "smote",
            "splits its training",
        ),
        (MLPClassifier(early_stopping=True), "upsample", "splits its training cases itself"),
        (KNeighborsClassifier(), "weights", "KNeighborsClassifier does not accept weights"),
        (GaussianNB(), "upsampling", "Did you mean 'upsample'"),
        (GaussianNB(), 3, "balance must be 'upsample', 'downsample', 'smote' or 'weights', but is 3"),
    ],
)
def test_refusals(estimator, method, text):
    X, y = rare()
    with pytest.raises(InputError, match=text):
        ca.evaluate(estimator, X, y, protocol="3fold", balance=method)


def balances(estimator):
    try:
        balanced("it", estimator, "upsample")
    except InputError as error:
        return "is already balanced" in str(error)
    return False


def bare_or_within(estimator, key, values):
    """Learners that all have the setting somewhere: alone, in a pipeline, in an ensemble, in a search."""
    for value in values:
        made = clone(estimator).set_params(**{key: value})
        yield made
        yield make_pipeline(StandardScaler(), made)
        yield BaggingClassifier(made)
        yield GridSearchCV(made, {})
    yield GridSearchCV(estimator, {key: values})
    yield RandomizedSearchCV(make_pipeline(estimator), {f"{type(estimator).__name__.lower()}__{key}": values})
    yield GridSearchCV(
        make_pipeline(estimator), [{"memory": [None]}, {type(estimator).__name__.lower(): [made]}]
    )


@pytest.mark.parametrize(
    ("estimator", "key", "values", "neutral"),
    [
        (LogisticRegression(), "class_weight", ["balanced", {0: 1, 1: 9}], [None, {0: 2, 1: 2}]),
        (GaussianNB(), "priors", [[0.9, 0.1]], [None, [0.5, 0.5]]),
    ],
)
def test_a_learner_that_balances_already_is_refused_wherever_it_says_so(estimator, key, values, neutral):
    """The probabilities of LogisticRegression(class_weight="balanced") came out corrected twice."""
    assert all(map(balances, bare_or_within(estimator, key, values)))
    assert not any(map(balances, bare_or_within(estimator, key, neutral)))
    X, y = rare()
    balancing = clone(estimator).set_params(**{key: values[0]})
    with pytest.raises(InputError, match="is already balanced"):
        ca.Balanced(balancing, "weights").fit(X, y)
    with pytest.raises(InputError, match=rf"{key}=.* Remove that setting, or balance="):
        ca.evaluate(balancing, X, y, protocol="3fold", balance="weights")


def test_samplers_and_what_balances_itself_are_refused():
    from imblearn.ensemble import BalancedRandomForestClassifier
    from imblearn.over_sampling import RandomOverSampler
    from imblearn.pipeline import make_pipeline as sampling_pipeline

    assert balances(sampling_pipeline(RandomOverSampler(), GaussianNB()))
    assert balances(BalancedRandomForestClassifier())
    assert balances(ca.Balanced(GaussianNB()))
    assert balances(make_pipeline(ca.Balanced(GaussianNB())))


def test_refusals_of_names_and_rare_classes():
    X, y = rare()
    taken = {"a": GaussianNB(), "a + upsample": GaussianNB()}
    with pytest.raises(InputError, match="upsample' is reserved for the balanced 'a'"):
        ca.evaluate(taken, X, y, balance="upsample")
    with pytest.raises(InputError, match="SMOTE needs two"):
        ca.Balanced(GaussianNB(), "smote").fit(X[:20], np.r_[1, np.zeros(19)])


def test_smote_without_its_library(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "imblearn" else found(name, *a)
    )
    with pytest.raises(MissingExtraError, match=r"classay\[balance\]"):
        ca.evaluate(GaussianNB(), *rare(), balance="smote")
    with pytest.raises(MissingExtraError, match=r"classay\[balance\]"):
        ca.Balanced(GaussianNB(), "smote").fit(*rare())
