"""Models by name: on columns of every kind, with the same result twice, and with clear refusals."""

import importlib.util

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

import classay as ca
from classay.errors import InputError, MissingExtraError
from classay.resampling.models import RECIPES, models_named, search_named


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """OpenMP's threads wait for each other in loops, which takes tens of seconds where cores are busy."""
    with threadpool_limits(1):
        yield


def table(n=150, seed=0):
    """Numbers, text, categories, dates and truth values, with missing values in all of them; a target to find."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n) + 4 * y,
            "count": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "town": rng.choice(["Bonn", "Ulm", "Trier"], n),
            "note": [f"case {k} seen" for k in rng.integers(0, 60, n)],
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "is_new": pd.array(rng.integers(0, 2, n), dtype="boolean"),
        }
    )
    for k, name in enumerate(frame.columns):
        frame.loc[rng.random(n) < 0.1 * (k % 3), name] = None
    return frame, np.where(y == 1, "ill", "well")


@pytest.mark.filterwarnings("ignore")  # what the libraries have to say about so few rows
@pytest.mark.parametrize("name", RECIPES)
def test_every_named_model_takes_any_columns(name):
    X, y = table()
    model = seeded(models_named([name], X)[name]).fit(X[:100], y[:100])
    how = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    scores = getattr(model, how)(X[100:])
    assert len(scores) == 50
    assert np.isfinite(scores).all()
    assert (model.predict(X[:100]) == y[:100]).mean() > 0.6


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RECIPES)
def test_what_there_is_to_tune_are_settings_of_the_model(name):
    X, y = table(80)
    model = seeded(search_named([name], X, classes=2)[name])
    search = model.steps[-1][1].set_params(n_iter=2, cv=2)
    model.fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert 0.3 < search.best_score_ <= 1


def in_levels(n=300, seed=0):
    """A number that tells the classes, and a category of three levels: as text, and as the columns of two of them."""
    rng = np.random.default_rng(seed)
    x, level = rng.normal(size=n), rng.choice(["a", "b", "c"], n)
    y = np.where(x + 0.8 * (level == "a") + 0.7 * rng.normal(size=n) > 0, "ill", "well")
    text = pd.DataFrame({"x": x, "level": level})
    return text, text.assign(is_b=(level == "b") * 1.0, is_c=(level == "c") * 1.0).drop(columns="level"), y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RECIPES)
def test_a_category_of_three_levels_is_no_trouble(name):
    """Its three columns sum to 1, so that the covariance of all is singular; two of them say the same."""
    aucs = []
    for X in (every := in_levels())[:2]:
        model, y = seeded(models_named([name], X)[name]), every[2]
        model.fit(X[:200], y[:200])
        how = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
        scores = np.asarray(getattr(model, how)(X[200:]), float).reshape(100, -1)[:, -1]
        aucs.append(ca.assess(y[200:], scores, positive="well")["roc_auc"].value)
    assert min(aucs) > 0.7
    assert abs(aucs[0] - aucs[1]) < (1e-9 if name == "lda" else 0.06)


FRAME = table(20)[0]


def seeds(model):
    return {key: value for key, value in model.get_params().items() if key.endswith("random_state")}


def seeded(model):
    """The model with every seed set, as an evaluation does it."""
    return model.set_params(**dict.fromkeys(seeds(model), 0))


def test_seeds_are_left_to_the_evaluation_but_for_the_inner_folds_and_the_candidates():
    assert {*seeds(models_named(["forest"], FRAME)["forest"]).values()} == {None}
    first, same, other = (search_named(["tree"], FRAME, classes=2, seed=seed)["tree"] for seed in (1, 1, 2))
    drawn = first.steps[-1][1].random_state  # all outer folds try the same candidates
    assert {*seeds(first).values()} == {None, drawn}
    assert same.steps[-1][1].random_state == drawn != other.steps[-1][1].random_state
    assert len({each.steps[-1][1].cv.random_state for each in (first, same)}) == 1
    assert first.steps[-1][1].cv.random_state != other.steps[-1][1].cv.random_state


MODULE = """
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

instance = DecisionTreeClassifier(random_state=7)
own = make_pipeline(StandardScaler(), LogisticRegression())
search = GridSearchCV(own, {"logisticregression__C": [1]})
broken = lambda: 1 / 0
number = 3

def factory():
    return DecisionTreeClassifier(max_depth=2)

class Needy:
    def __init__(self, depth):
        pass

class Shop:
    Tree = DecisionTreeClassifier
"""


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "shelf.py").write_text(MODULE)
    (tmp_path / "crooked.py").write_text("1 / 0")
    (tmp_path / "thirsty.py").write_text("import no_such_library")


@pytest.mark.usefixtures("shelf")
def test_an_attribute_of_a_module_is_an_instance_a_class_or_a_factory():
    models = models_named(
        ["shelf:instance", "shelf:factory", "shelf:Shop.Tree", "shelf:own", "shelf:search"], FRAME
    )
    assert [*models] == ["instance", "factory", "Shop.Tree", "own", "search"]
    assert models["instance"].steps[-1][1].random_state == 7
    assert models["factory"].steps[-1][1].max_depth == 2
    assert [len(models["own"].steps), type(models["search"])] == [2, GridSearchCV]  # as they are
    X, y = table()
    models["Shop.Tree"].fit(X, y)


REFUSED = {
    "forrest": "module:estimator, such as lightgbm:LGBMClassifier",
    "": "Models: logistic, forest, extra_trees, boosting, tree, naive_bayes,",
    "forest:": "Unknown model 'forest:'",
    "no_such_library:Model": "Model 'no_such_library:Model': module 'no_such_library' was not found,",
    "shelf.deeper:Model": "deeper:Model': module 'shelf",
    "thirsty:Model": r"module 'thirsty' cannot be imported \(No module named 'no_such_library'\)",
    "crooked:Model": r"module 'crooked' cannot be imported \(ZeroDivisionError: division by zero\)",
    "shelf:factori": r"shelf has no 'factori'. Did you mean 'factory'\?",
    "shelf:number": "Model 'shelf:number' is an int without fit, predict and get_params",
    "shelf:broken": r"cannot be made without arguments \(ZeroDivisionError: division by zero\)",
    "shelf:Needy": r"cannot be made without arguments \(TypeError: .*depth",
    "sklearn.preprocessing:StandardScaler": "preprocessing:StandardScaler' is a StandardScaler without predict",
}


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    with pytest.raises(InputError, match=REFUSED[name]):
        models_named([name], FRAME)


def test_names_come_once_and_tuning_needs_a_space():
    assert [*models_named(["tree", "baseline", "tree", "logistic"], FRAME)] == ["tree", "logistic"]
    with pytest.raises(InputError, match="Model 'tree' is named twice"):
        models_named(["tree", "sklearn:tree"], FRAME)
    with pytest.raises(InputError, match="classay has no search space for 'sklearn"):
        search_named(["tree", "sklearn.svm:SVC"], FRAME, classes=2)
    with pytest.raises(InputError, match="Did you mean 'tree'"):
        search_named(["trees"], FRAME, classes=2)


def test_a_missing_extra_is_one_line(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "skrub" else found(name))
    with pytest.raises(MissingExtraError, match="Run: pip install 'classay"):
        models_named(["tree"], FRAME)


def test_only_other_columns_than_numbers_are_turned_into_numbers():
    X = FRAME[["size"]].assign(count=3, is_new=True, gone=np.nan)
    assert models_named(["logistic"], X)["logistic"].steps[0][0] == "simpleimputer"
    assert len(models_named(["forest"], X)["forest"].steps) == 1
    assert models_named(["forest"], FRAME)["forest"].steps[0][0] == "tablevectorizer"


def test_columns_keep_their_scale_for_an_estimator_of_ones_own():
    """Named at the command or passed in Python it is the same learner, and errs by columns of unlike scale alike."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.c_[y + rng.normal(size=200), 1e5 * rng.normal(size=200)]
    learners = ["sklearn.neighbors:KNeighborsClassifier", KNeighborsClassifier(), "knn"]
    found = [ca.evaluate([each], X, y, protocol="5fold", measures=["accuracy"]) for each in learners]
    named, passed, prepared = (each.estimates["value"].to_pylist()[0] for each in found)
    assert named == passed < prepared
