"""Learners that cannot be made, resamples without cases to test, and training values that were not computed."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.errors import InputError
from classay.measures import get
from classay.resampling.bootstraps import out_of_bag
from classay.resampling.data import dataset
from classay.resampling.fitting import Learner
from classay.resampling.models import _as_estimator
from learners import noise

X, Y = noise(40, signal=2)


class Needs(GaussianNB):
    """A learner that cannot be made without an argument."""

    def __init__(self, needed):
        super().__init__()
        self.needed = needed


class Silent:
    """A learner that does not tell its parameters."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


class Wrong(GaussianNB):
    def get_params(self, deep=True):
        raise RuntimeError("no parameters here")


@pytest.mark.parametrize(
    ("taken", "refused", "words"),
    [
        (GaussianNB, Needs, "Model 'm' cannot be made without arguments (TypeError: "),
        (
            GaussianNB,
            lambda: 1 / 0,
            "Model 'm' cannot be made without arguments (ZeroDivisionError: division by zero). Name an instance, or a "
            "function that makes one.",
        ),
        (Needs(1), object(), "Model 'm' is an object without "),
        (GaussianNB(), Silent(), "Model 'm' is a Silent without get_params"),
        (GaussianNB, lambda: GaussianNB, "Model 'm' is a"),
    ],
)
def test_a_model_is_an_instance_or_what_makes_one(taken, refused, words):
    assert isinstance(_as_estimator(taken, "m"), GaussianNB)
    with pytest.raises(InputError) as told:
        _as_estimator(refused, "m")
    assert str(told.value).startswith(words)


def test_a_learner_tells_its_parameters():
    assert Learner.of("m", GaussianNB()).random == ()
    with pytest.raises(InputError) as told:
        Learner.of("m", Wrong())
    assert str(told.value).startswith("m does not return its parameters")
    assert str(told.value).endswith("get_params must return the parameters by name, as in scikit-learn.")


@pytest.mark.parametrize("rows", [2, 3, 40])
def test_resamples_have_cases_that_are_not_in_them(rows):
    cases = dataset("", X[:rows], np.arange(rows) % 2, None, None, None).cases
    tested, said = [], ""
    try:
        for split in out_of_bag(cases, 40, 0, 5):
            tested.append(split)  # noqa: PERF402 (those before an error count)
    except InputError as error:
        said = str(error)
    for k, split in enumerate(tested):
        assert not {*split.train.tolist()} & {*split.place.test.tolist()}
        assert {*split.train.tolist()} | {*split.place.test.tolist()} == {*range(rows)}
        assert (split.train.size, split.place.number, split.place.repeat) == (rows, 5 + k, k)
        assert split.place.n_train == len({*split.train.tolist()})
    if rows == 40:  # P(a resample has all) is 40! / 40^40
        assert (len(tested), said) == (40, "")
    else:  # 1 of 2 resamples of two cases has both, and 2 of 9 of three have all
        assert len(tested) < 40
        assert said == (
            "A bootstrap sample has all cases or clusters, so none are left for testing. Use another protocol or more "
            "cases."
        )


def test_training_values_are_of_the_measures_that_were_asked_for():
    e = ca.evaluate(GaussianNB(), X, Y, measures=["accuracy", "log_loss"], protocol="2fold")
    folds = next(folds for _, name, folds in e.model_folds() if name == "GaussianNB")
    for name in ("accuracy", "recall", "log_loss"):
        assert folds.training_values(get(name)).shape == (2,)
    assert folds.training_values(get("expected_calibration_error")) == (
        "training values were not computed for expected_calibration_error; add it to measures="
    )
    right = [
        (GaussianNB().fit(X[train], Y[train]).predict(X[train]) == Y[train]).mean()
        for train in (np.setdiff1d(np.arange(40), place.test) for place in folds.places)
    ]
    assert folds.training_values(get("accuracy")) == pytest.approx(right)
