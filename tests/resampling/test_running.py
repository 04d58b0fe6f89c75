"""What is kept of a run: folds as bytes, their keys, and a second run that continues."""

import functools

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import FileError, InputError
from classay.resampling.bootstraps import protocol_of
from classay.resampling.data import FoldResult, dataset
from classay.resampling.fingerprint import key_of, of_data, of_estimator
from classay.resampling.fitting import Learner, Unit, run_units
from learners import Centroid, Counts, Draws, noise


class Shelf(dict):
    """A store in memory."""

    begun = ()

    def put(self, key, value):
        self[key] = value

    def begin(self, run, about, keys):
        self.begun = (*self.begun, (run, about, tuple(keys)))


def test_a_fold_survives_as_bytes():
    fold = FoldResult(
        np.array([0, 1, 1], np.int8),
        np.array([0.1, 0.9, 0.5], np.float32),
        "probability",
        np.array([[3, 1], [0, 2]]),
        {"roc_auc": 0.75, "log_loss": float("inf"), "f1": float("nan")},
        {"params": {"depth": None}, "score": 0.5, "scoring": "accuracy"},
        notes=("a note",),
        fit_seconds=0.25,
        score_seconds=0.125,
    )
    content = fold.to_bytes()
    again = FoldResult.from_bytes(content)
    assert again.to_bytes() == content
    assert again.predicted.dtype == np.int8
    assert again.scores.dtype == np.float32
    np.testing.assert_array_equal(again.scores, fold.scores)
    assert again.training_values["log_loss"] == float("inf")
    assert again.choice == fold.choice
    assert FoldResult.from_bytes(FoldResult(failure="E: no").to_bytes()).failure == "E: no"


@pytest.mark.parametrize("content", [b"", b"nonsense", FoldResult().to_bytes()[:-30]])
def test_bytes_that_are_no_fold(content):
    with pytest.raises(FileError, match="The stored fold cannot be read"):
        FoldResult.from_bytes(content)


def test_a_second_run_fits_nothing_again():
    x, y = noise(50)
    store = Shelf()
    Counts.fits = 0
    first = ca.evaluate({"counts": Counts(), "draws": Draws()}, x, y, protocol="2x5", store=store)
    assert Counts.fits == 10
    assert len(store) == 21  # the fits, and what is needed to reopen the run
    (begun,) = store.begun
    assert {*begun[2]} < {*store}
    steps = []
    again = ca.evaluate(
        {"counts": Counts(), "draws": Draws()}, x, y, protocol="2x5", store=store, progress=steps.append
    )
    assert Counts.fits == 10
    assert steps[-1].kept == 20
    assert repr(again.estimates.to_pydict()) == repr(first.estimates.to_pydict())
    assert store.begun[0] == store.begun[1]
    store.pop(begun[2][0])
    ca.evaluate({"counts": Counts(), "draws": Draws()}, x, y, protocol="2x5", store=store)
    assert Counts.fits == 11
    ca.evaluate({"counts": Counts()}, x, y, protocol="2x5", store=store, seed=1)
    assert Counts.fits == 21


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_run_keeps_what_is_finished(n_jobs):
    x, y = noise(50)
    store = Shelf()

    def stop(step):
        if step.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ca.evaluate(Counts(), x, y, protocol="2x5", store=store, progress=stop, n_jobs=n_jobs)
    kept = len(store)
    assert kept == 3
    Counts.fits = 0
    e = ca.evaluate(Counts(), x, y, protocol="2x5", store=store)
    assert Counts.fits == 7
    assert e["accuracy"] == ca.evaluate(Centroid(), x, y, protocol="2x5")["accuracy"]


def test_damaged_results_are_computed_again():
    x, y = noise(50)
    store = Shelf()
    first = ca.evaluate(Centroid(), x, y, protocol="3fold", store=store)
    for key in store:
        store[key] = b"damaged"
    assert ca.evaluate(Centroid(), x, y, protocol="3fold", store=store)["f1"] == first["f1"]


ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(max_depth=3),
    DecisionTreeClassifier(random_state=0),
    DecisionTreeClassifier(random_state=np.random.RandomState(0)),
    LogisticRegression(C=1.0),
    LogisticRegression(C=2.0),
    LogisticRegression(class_weight={0: 1, 1: 5}),
    BaggingClassifier(DecisionTreeClassifier(max_depth=1)),
    BaggingClassifier(DecisionTreeClassifier(max_depth=2)),
    make_pipeline(SelectKBest(f_classif, k=1), GaussianNB()),
    make_pipeline(SelectKBest(f_classif, k=2), GaussianNB()),
    make_pipeline(FunctionTransformer(np.log1p), GaussianNB()),
    make_pipeline(FunctionTransformer(functools.partial(np.clip, a_min=0, a_max=1)), GaussianNB()),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3]}),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=StratifiedKFold(3)),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=StratifiedKFold(4)),
    GaussianNB(priors=np.array([0.5, 0.5])),
    GaussianNB(priors=np.array([0.4, 0.6])),
]


def test_every_setting_has_its_fingerprint():
    from sklearn.base import clone

    prints = [of_estimator("it", each) for each in ESTIMATORS]
    assert len({*prints}) == len(ESTIMATORS)
    assert prints == [of_estimator("other name", clone(each)) for each in ESTIMATORS]


class Opaque:
    """Can be handed on, and says nothing of itself."""

    def __reduce_ex__(self, protocol):
        raise TypeError("no")

    def __deepcopy__(self, memo):
        return self


def unchanged(values, by=None):
    return values


def test_what_has_no_fingerprint_is_named_by_the_user():
    x, y = noise(30)
    odd = make_pipeline(FunctionTransformer(unchanged, kw_args={"by": Opaque()}), GaussianNB())
    with pytest.raises(
        InputError, match="odd has no identity in the store: it contains an Opaque with unknown"
    ):
        ca.evaluate({"odd": odd}, x, y, protocol="3fold", store=Shelf())
    store = Shelf()
    ca.evaluate({"odd": odd}, x, y, protocol="3fold", store=store, keys={"odd": "first"})
    ca.evaluate({"odd": odd}, x, y, protocol="3fold", store=store, keys={"odd": "second"})
    assert len(store) == 8  # six fits, and what is needed to reopen two runs


def test_data_have_their_fingerprint_whatever_holds_them():
    import pandas as pd
    import polars as pl
    from scipy import sparse

    x, y = noise(20)
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(text=["u", "v"] * 10)
    given = [
        x,
        x + 1e-9,
        x[:, :2],
        frame,
        frame.assign(text="u"),
        pl.from_pandas(frame[["a"]]),
        sparse.csr_array(x),
    ]
    prints = [of_data(dataset("", each, y, None, None, None)) for each in given]
    assert len({*prints}) == len(given)
    copies = [each.clone() if isinstance(each, pl.DataFrame) else each.copy() for each in given]
    assert prints == [of_data(dataset("", each, y, None, None, None)) for each in copies]
    assert of_data(dataset("", x, y, None, None, None)) != of_data(dataset("", x, 1 - y, None, None, None))
    assert of_data(dataset("", x, y, 0, None, None)) != of_data(dataset("", x, y, 1, None, None))


def test_keys_tell_splits_and_seeds_apart():
    x, y = noise(30)
    data = dataset("", x, y, None, None, None)
    splits = [*protocol_of("3fold").splits(data, 0), *protocol_of("3fold").splits(data, 1)]
    keys = {key_of("d", "e", split, seed) for split in splits for seed in (0, 1)}
    assert len(keys) == 12


@pytest.mark.parametrize("kept", [(), (0,), (4,), (1, 2), (0, 1, 3), (2, 3, 4), (0, 1, 2, 3, 4)])
def test_whatever_the_store_has_each_unit_is_finished_once(kept):
    """In their order, however many the store has before, between and after those that are fitted."""
    x, y = noise(50)
    data, learner = dataset("", x, y, None, None, None), Learner.of("centroid", Centroid())
    splits = protocol_of("5fold").splits(data, 0)
    units = [Unit(data, learner, split, f"key {i}") for i, split in enumerate(splits)]
    how = {"seed": 0, "training": (), "n_jobs": 1}
    store = Shelf()
    alone = {done.unit.key: done.result.predicted.tolist() for done in run_units(units, store=store, **how)}
    left = Shelf({f"key {i}": store[f"key {i}"] for i in kept})
    finished = list(run_units(units, store=left, **how))
    assert [done.unit.key for done in finished] == [unit.key for unit in units]
    assert {done.unit.key for done in finished if done.kept} == {f"key {i}" for i in kept}
    assert {done.unit.key: done.result.predicted.tolist() for done in finished} == alone
    assert {*left} == {*store}
