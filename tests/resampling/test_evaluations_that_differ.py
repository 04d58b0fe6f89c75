"""Evaluations are paired where cases, labels, weights, clusters and folds are the same; what differs is named."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from learners import noise

X, Y = noise(60, signal=2)
WEIGHT, CLUSTER = np.linspace(1, 2, 60), np.arange(60) // 2
SAME = "Evaluate both on the same rows with the same protocol and seed, or both in one call."
OTHER = "Folds of different rows are not paired. Compare the learners within each evaluation"


def evaluated(model=GaussianNB, X=X, y=Y, **how):
    return ca.evaluate(model(), X, y, **{"protocol": "2x3", "weight": WEIGHT, "cluster": CLUSTER} | how)


@pytest.fixture(scope="module")
def first():
    return evaluated()


def sets(**changed):
    return {"X": {"north": (X, Y), "south": (X, Y)} | changed, "y": None, "weight": None, "cluster": None}


TREE = DecisionTreeClassifier


@pytest.mark.parametrize(
    ("how", "why", "advice"),
    [
        (
            {"X": X[:58], "y": Y[:58], "weight": WEIGHT[:58], "cluster": CLUSTER[:58]},
            "there are 60 cases and 58",
            OTHER,
        ),
        ({"y": np.array(["a", "b"])[Y], "positive": "b"}, "the labels or the positive class differ", SAME),
        ({"positive": 0}, "the labels or the positive class differ", SAME),
        ({"y": np.roll(Y, 1)}, "the true labels differ", OTHER),
        ({"weight": WEIGHT[::-1]}, "the weights differ", SAME),
        ({"weight": None}, "the weights differ", SAME),
        ({"cluster": np.arange(60) // 3}, "the clusters differ", SAME),
        ({"cluster": None}, "the clusters differ", SAME),
        ({"protocol": "3x3"}, "there are 6 splits and 9", SAME),
        ({"seed": 1}, "the test cases differ in repeat 1, fold 1", SAME),
        (sets(), "the data sets are a data set without a name and north, south", OTHER),
    ],
)
def test_what_differs_between_evaluations_is_named(how, why, advice, first):
    other = evaluated(TREE, **how)
    with pytest.raises(InputError) as refused:
        ca.compare({"one": first, "two": other})
    assert str(refused.value).startswith(f"one and two do not have the same folds: {why}. {advice}")


def test_the_data_set_that_differs_is_named():
    one = evaluated(**sets())
    for changed, why in (
        ({"south": (X, np.roll(Y, 1))}, "the true labels differ of south"),
        ({"north": (X[:58], Y[:58])}, "there are 60 cases and 58 of north"),
        ({"west": (X, Y)}, "the data sets are north, south and north, south, west"),
    ):
        with pytest.raises(InputError) as refused:
            ca.compare({"one": one, "two": evaluated(TREE, **sets(**changed))})
        assert str(refused.value).startswith(f"one and two do not have the same folds: {why}. {OTHER}")


def test_equal_cases_and_folds_are_those_of_one_evaluation(first):
    """Features may differ; the comparison is that of both learners in one call."""
    other = evaluated(TREE)
    apart = ca.compare({"one": first, "two": other}, measures=["error_rate"])
    together = ca.evaluate(
        {"one": GaussianNB(), "two": TREE()}, X, Y, protocol="2x3", weight=WEIGHT, cluster=CLUSTER
    ).compare(["error_rate"])
    assert [(c.models, c.effect.value, c.p) for c in apart] == [
        (c.models, c.effect.value, c.p) for c in together
    ]
    assert ca.compare({"one": first, "two": evaluated(TREE, X=X * 2)}) is not None
