"""Runs that can be repeated, and that refuse for one reason whatever the protocol is called."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import model_selection as ms
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.measures import get
from classay.resampling.run_store import Store
from classay.resampling.searches import keeps_groups, scoring_of
from learners import Centroid, Fails, noise


def said(e):
    return str(e.estimates.to_pydict()) + str(e.predictions().to_pydict()) + e.random + str(e.notes)


# what is drawn


class Draws(ms.KFold):
    """Shuffles by the global state."""

    def split(self, X, y=None, groups=None):
        order = np.random.permutation(len(y))  # noqa: NPY002
        for train, test in super().split(X, y, groups):
            yield order[train], order[test]


class Entropy(ms.KFold):
    """Shuffles by what cannot be seeded."""

    def split(self, X, y=None, groups=None):
        order = np.random.default_rng().permutation(len(y))
        for train, test in super().split(X, y, groups):
            yield order[train], order[test]


def test_splitters_inside_a_search_are_seeded():
    x, y = noise(80)
    search = ms.GridSearchCV(
        DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}, cv=ms.StratifiedKFold(3, shuffle=True)
    )
    first, again = (ca.evaluate(search, x, y, protocol="3fold") for _ in range(2))
    assert str(first.tuning.to_pydict()) == str(again.tuning.to_pydict())
    assert search.cv.random_state is None
    assert str(ca.evaluate(search, x, y, protocol="3fold", seed=1).tuning) != str(first.tuning)


class Throws(Centroid):
    """Draws from the global state of NumPy."""

    def predict(self, X):
        return np.random.choice(self.classes_, len(X))  # noqa: NPY002


def test_the_global_state_is_seeded_for_a_fit_and_given_back():
    x, y = noise(60)
    first = ca.evaluate(Throws(), x, y, protocol="3fold")
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    assert ca.evaluate(Throws(), x, y, protocol="3fold")["accuracy"] == first["accuracy"]
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_a_splitter_with_a_random_state_of_its_own_finishes(tmp_path):
    x, y = noise(60)
    splitter = ms.KFold(3, shuffle=True, random_state=np.random.RandomState(5))
    first = ca.evaluate(GaussianNB(), x, y, protocol=splitter, store=tmp_path / "runs.db")
    steps = []
    again = ca.evaluate(
        GaussianNB(), x, y, protocol=splitter, store=tmp_path / "runs.db", progress=steps.append
    )
    assert said(first) == said(again)
    assert steps[-1].kept == 3
    assert "0x" not in first.protocol.name
    with Store.existing(tmp_path / "runs.db") as store:
        assert [run.is_finished for run in store.runs()] == [True]


@pytest.mark.parametrize("splitter", [Draws(3), Entropy(3)])
def test_splits_that_differ_each_time_are_refused(splitter):
    with pytest.raises(InputError, match="gives different splits each time, so nothing can be repeated"):
        ca.evaluate(GaussianNB(), *noise(60), protocol=splitter)


# what a splitter answers


def given_splits(*pairs):
    class Own:
        def split(self, X, y, groups=None):
            return iter(pairs)

        def __repr__(self):
            return "Own()"

    return Own()


REFUSED = {
    "a mask": ((np.ones(60, bool), np.zeros(60, bool)), "bool values of shape"),
    "shares": ((np.array([0.5]), np.array([1])), "float64 values"),
    "too far": (
        (np.arange(50), np.array([60])),
        "Own gives test rows from 60 to 60, but there are 60 rows, starting at 0",
    ),
    "negative": ((np.arange(50), np.array([-1])), "there are 60 rows"),
    "empty": ((np.arange(50), np.array([], int)), "Own gives a split without test rows"),
    "one array": (np.arange(60), "Own must give two arrays of row numbers for each split, training and"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_splits_that_are_none(name):
    pair, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        ca.evaluate(GaussianNB(), *noise(60), protocol=given_splits(pair))


def test_a_splitter_that_tears_clusters_is_refused():
    x, y = noise(60)
    cluster = np.arange(60) // 4
    with pytest.raises(InputError, match=r"KFold puts rows of \d+ clusters? on both sides of a split, "):
        ca.evaluate(GaussianNB(), x, y, protocol=ms.KFold(7), cluster=cluster)
    assert ca.evaluate(GaussianNB(), x, y, protocol=ms.GroupKFold(5), cluster=cluster)[
        "accuracy"
    ].has_interval


class ByPatient(ms.BaseCrossValidator):
    """Keeps groups together, and does not say so in its name."""

    def get_n_splits(self, X=None, y=None, groups=None):
        return 3

    def _iter_test_indices(self, X, y, groups):
        for k in range(3):
            yield np.flatnonzero(np.asarray(groups) % 3 == k)


class GroupsOfNobody(ms.KFold):
    """Has the word in its name, and ignores the groups."""


def test_whether_groups_are_kept_is_tried_out():
    kept = [
        ms.GroupKFold(3),
        ms.StratifiedGroupKFold(3),
        ms.LeaveOneGroupOut(),
        ByPatient(),
        ms.GroupShuffleSplit(3),
    ]
    torn = [ms.KFold(3), ms.StratifiedKFold(3), ms.LeaveOneOut(), GroupsOfNobody(3), 5, None]
    assert [*map(keeps_groups, kept)] == [True] * 5
    assert [*map(keeps_groups, torn)] == [False] * 6


# intervals


@pytest.mark.parametrize("splitter", [ms.LeavePOut(1), ms.KFold(20), ms.LeaveOneOut()])
def test_leave_one_out_by_any_name_has_no_interval(splitter, tmp_path):
    x, y = noise(20)
    e = ca.evaluate([GaussianNB(), Centroid()], x, y, protocol=splitter)
    loo = ca.evaluate([GaussianNB(), Centroid()], x, y, protocol="loo")
    for name in ("accuracy", "roc_auc"):
        mine, theirs = e["GaussianNB"][name], loo["GaussianNB"][name]
        assert (mine.has_interval, mine.reason) == (False, theirs.reason)
    assert e.random == loo.random
    with pytest.raises(InputError, match="share nearly all"):
        e.compare()
    e.save(tmp_path / "e.classay")
    assert said(ca.load(tmp_path / "e.classay")) == said(e)


@pytest.mark.parametrize(
    "splitter", [ms.TimeSeriesSplit(4), ms.LeavePOut(2), ms.ShuffleSplit(1), ms.PredefinedSplit([0, 1] * 6)]
)
def test_what_is_refused_stays_refused_when_loaded(splitter, tmp_path):
    x, y = noise(12)
    e = ca.evaluate(Centroid(), x, y, protocol=splitter)
    e.save(tmp_path / "e.classay")
    loaded = ca.load(tmp_path / "e.classay")
    assert said(loaded) == said(e)
    assert loaded.protocol.incomparable == e.protocol.incomparable
    if isinstance(splitter, ms.TimeSeriesSplit | ms.LeavePOut):
        assert not loaded["accuracy"].has_interval


def test_the_last_fold_that_did_not_fail_is_no_test_set():
    """Four of five fits failed, and the fifth's Wilson interval was given."""
    x, y = noise(60)
    x[7, 1] = 99
    e = ca.evaluate([Fails(), Centroid()], x, y, protocol=ms.KFold(5))
    assert len(e.failures) == 4
    assert not e["Fails"]["accuracy"].has_interval


# failures


class FullOnce(Centroid):
    """Cannot be fitted while there is such a file."""

    def __init__(self, path=""):
        self.path = path

    def fit(self, X, y):
        from pathlib import Path

        if Path(self.path).exists():
            raise OSError(28, "No space left on device")
        return super().fit(X, y)


def test_a_failure_is_tried_again(tmp_path):
    x, y = noise(60)
    blocker = tmp_path / "full"
    blocker.touch()
    how = {"protocol": "3fold", "store": tmp_path / "runs.db"}
    with pytest.raises(InputError, match="No space left"):
        ca.evaluate(FullOnce(str(blocker)), x, y, **how)
    blocker.unlink()
    e = ca.evaluate(FullOnce(str(blocker)), x, y, **how)
    assert e["accuracy"] == ca.evaluate(Centroid(), x, y, protocol="3fold")["accuracy"]


# scores, searches, data


def test_scores_of_pairs_of_classes_are_no_scores_of_classes():
    x, y = noise(90, labels=("a", "b", "c"), signal=3)
    e = ca.evaluate(SVC(decision_function_shape="ovo"), x, y, protocol="3fold")
    assert e["macro_roc_auc"].is_undefined
    assert any("decision_function_shape='ovo'" in note for note in e.notes)
    margins = ca.evaluate(SVC(), x, y, protocol="3fold")
    assert "compared only within a case" in margins["macro_roc_auc"].reason
    assert not margins["accuracy"].is_undefined


@pytest.mark.parametrize(
    "scoring",
    [
        "f1",
        "average_precision",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("precision", "recall")),
    ],
)
def test_a_search_is_held_against_its_own_measure(scoring):
    """F1 of class 1 inside the folds was compared with F1 of class 0 outside."""
    x, y = noise(120, shares=(0.25, 0.75))
    grid = {"max_depth": [2]}
    how = {"protocol": ms.StratifiedKFold(3), "folds": 3}
    tuned = ca.tune(DecisionTreeClassifier(random_state=0), grid, x, y, scoring=scoring, positive=0, **how)
    swapped = ca.tune(DecisionTreeClassifier(random_state=0), grid, x, 1 - y, scoring=scoring, **how)
    [mine], [theirs] = tuned.to_dict()["tuning"], swapped.to_dict()["tuning"]
    assert mine["scoring"] == theirs["scoring"] == scoring
    assert mine["inner"] == pytest.approx(theirs["inner"])
    for given in (scoring, ca.scorer(scoring), ca.scorer(scoring, positive=1)):
        own = ms.GridSearchCV(DecisionTreeClassifier(random_state=0), grid, scoring=given, cv=3)
        [odd] = ca.evaluate(own, x, y, positive=0, protocol="3fold").to_dict()["tuning"]
        assert (odd["scoring"], odd["outer"]) == (f"{scoring} of class 1", None)
        [same] = ca.evaluate(own, x, y, positive=1, protocol="3fold").to_dict()["tuning"]
        assert (same["scoring"], same["outer"] is None) == (scoring, False)


@pytest.mark.parametrize("scoring", ["f1", "precision", "recall", "jaccard", "average_precision"])
def test_a_search_that_looks_at_another_class_names_it(scoring):
    for given in (scoring, ca.scorer(scoring)) if scoring != "jaccard" else (scoring,):
        search = ms.GridSearchCV(DecisionTreeClassifier(), {}, scoring=given)
        assert [scoring_of(search, k) for k in (0, 1)] == [f"{scoring} of class 1", scoring]


def rounded(values):
    """Plain values with numbers of nine digits: sums in another order differ by a last bit."""
    if isinstance(values, dict):
        return {name: rounded(each) for name, each in values.items()}
    if isinstance(values, list):
        return [*map(rounded, values)]
    return float(f"{values:.9g}") + 0.0 if isinstance(values, float) else values


@pytest.mark.covering(1)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ours", ["accuracy", "matthews_correlation", "log_loss", "roc_auc", "recall[1]"])
def test_every_way_to_name_what_a_search_follows_gives_one_promise(ours, classes):
    """By name, as a measure, as a scorer, to `tune` and in a search of one's own; and scikit-learn's own name."""
    x, y = noise(120, labels=range(classes), signal=0.5)
    ours = "macro_roc_auc" if (ours, classes) == ("roc_auc", 3) else ours
    tree, grid = DecisionTreeClassifier(max_depth=2, min_samples_leaf=20, random_state=0), {"max_depth": [2]}
    how = {"protocol": "2fold"}
    folds = 3
    found = [
        ca.tune(tree, grid, x, y, scoring=given, folds=folds, **how)
        for given in (ours, get(ours), ca.scorer(ours), ca.scorer(get(ours)))
    ]
    search = ms.GridSearchCV(tree, grid, scoring=ca.scorer(ours), cv=ms.StratifiedKFold(folds))
    found.append(ca.evaluate({"DecisionTreeClassifier": search}, x, y, **how))
    theirs = {"accuracy": "accuracy", "log_loss": "neg_log_loss", "matthews_correlation": "matthews_corrcoef"}
    if ours in theirs:
        found.append(ca.tune(tree, grid, x, y, scoring=theirs[ours], folds=folds, **how))
    [told], *others = [each.to_dict()["tuning"] for each in found]
    assert told["scoring"] == get(ours).name
    assert told["outer"] is not None
    for [each] in others:
        assert rounded(each) == rounded(told | {"model": each["model"]})


def test_what_no_search_can_follow_is_refused():
    x, y = noise(60)
    with pytest.raises(InputError, match=r"scoring must be a measure, or a scorer"):
        ca.tune(DecisionTreeClassifier(), {"max_depth": [1]}, x, y, scoring=3)
    with pytest.raises(InputError, match="baseline_accuracy has no best value at one end of its range, so a"):
        ca.tune(DecisionTreeClassifier(), {"max_depth": [1]}, x, y, scoring="baseline_accuracy")
    search = ms.GridSearchCV(
        DecisionTreeClassifier(), {"max_depth": [1]}, scoring=ca.scorer("f1", threshold=0.3)
    )
    [at] = ca.evaluate(search, x, y, protocol="3fold").to_dict()["tuning"]
    assert (at["scoring"], at["outer"]) == ("f1 at threshold 0.3", None)


def test_features_of_any_kind():
    x, y = noise(40)
    kinds = (sparse.coo_matrix, sparse.coo_array, sparse.csc_array, sparse.dia_array, sparse.bsr_array)
    values = {
        ca.evaluate(LogisticRegression(), kind(x), y, protocol="3fold")["roc_auc"].value for kind in kinds
    }
    assert len(values) == 1
    assert ca.evaluate(GaussianNB(), pd.DataFrame(x), y, protocol="3fold")["roc_auc"].has_interval


def test_models_by_name():
    x, y = noise(60)
    e = ca.evaluate("tree", x, y, protocol="3fold")
    assert e.models == ("tree", "baseline")
    both = ca.evaluate(["naive_bayes", LinearSVC()], pd.DataFrame(x), y, protocol="3fold")
    assert both.models == ("naive_bayes", "LinearSVC", "baseline")
    with pytest.raises(InputError, match="Did you mean 'forest'"):
        ca.evaluate({"mine": "forrest"}, x, y)


def test_a_frame_with_a_column_called_resampled_is_no_evaluation():
    frame = pd.DataFrame({"y": [0, 1] * 20, "resampled": np.linspace(0, 1, 40), "b": np.linspace(1, 0, 40)})
    found = ca.compare(frame, truth="y", scores=["resampled", "b"])
    assert {*found.models} == {"resampled", "b"}
