"""Training sets and test rows: each size from its definition, and each refusal beside what is still accepted."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError
from classay.improving.decomposing import _coded, _size, _test_pair, _unseen, _whole, training_sets
from classay.improving.training_sets import ALIKE, SAMPLINGS, MeanUnits, plain_cases

CLUSTERED = MeanUnits(cluster=np.arange(4))
X = np.arange(60.0).reshape(30, 2)
Y = np.arange(30) % 2


@pytest.mark.parametrize(
    ("name", "size", "rounds", "rows", "expected"),
    [
        ("bootstrap", None, 5, 41, 41),
        ("bootstrap", 500, 5, 41, 500),
        ("bootstrap", 2, 5, 41, 2),
        ("bootstrap", 0.5, 5, 41, 20),
        ("bootstrap", 0.05, 5, 41, 2),
        ("subsample", None, 5, 41, 20),
        ("subsample", 40, 5, 41, 40),
        ("disjoint", None, 5, 41, 8),
        ("disjoint", 8, 5, 41, 8),
        ("disjoint", 8.0, 5, 41, 8),
    ],
)
def test_the_size_of_training_sets(name, size, rounds, rows, expected):
    assert _size(SAMPLINGS[name], size, rounds, rows, ALIKE) == expected


@pytest.mark.parametrize(
    ("name", "size", "rows", "units", "words"),
    [
        (
            "bootstrap",
            1,
            41,
            ALIKE,
            "5 bootstrap samples of 41 rows have 1 each, but a training set needs at least 2.",
        ),
        ("bootstrap", 0.03, 41, ALIKE, "have 1 each, but a training set needs at least 2."),
        ("bootstrap", None, 1, ALIKE, "5 bootstrap samples of 1 row have 1 each"),
        (
            "subsample",
            41,
            41,
            ALIKE,
            "size is 41, but 5 random subsets of 41 rows have at most 40 each. Pass a smaller",
        ),
        (
            "disjoint",
            9,
            41,
            ALIKE,
            "is 9, but 5 disjoint parts of 41 rows have at most 8 each. Pass a smaller size or fewer",
        ),
        ("disjoint", None, 9, CLUSTERED, "5 disjoint parts of 9 clusters have 1 each"),
        (
            "bootstrap",
            2.5,
            41,
            CLUSTERED,
            "size must be the number of clusters of a training set, or a share of all clusters",
        ),
        ("bootstrap", 0, 41, ALIKE, "as a whole number from 1, but is 0"),
    ],
)
def test_sizes_that_cannot_be_drawn(name, size, rows, units, words):
    with pytest.raises(InputError) as error:
        _size(SAMPLINGS[name], size, 5, rows, units)
    assert words in str(error.value)


def sets(sampling="bootstrap", test=None, rounds=4, X=X, y=Y, size=None, **columns):
    return training_sets(X, y, sampling, size, test, rounds, 0, **columns)


@pytest.mark.parametrize("name", ["bootstrap", "subsample", "disjoint"])
def test_training_sets_are_drawn_from_the_rows_that_are_not_tested(name):
    """A third is tested, in the shares of the classes; a bootstrap draws with replacement, others without."""
    s = sets(name)
    tested = {*s.test_rows.tolist()}
    assert (len(tested), s.drawn_from, s.noise_known) == (10, 20, False)
    assert (s.truth.argmax(1) == Y[s.test_rows]).all()
    assert np.bincount(Y[s.test_rows]).tolist() == [5, 5]
    drawn = [s.training_set(number)[1].train for number in range(4)]
    for number, rows in enumerate(drawn):
        assert rows.size == s.size == {"bootstrap": 20, "subsample": 10, "disjoint": 5}[name]
        assert not tested & {*rows.tolist()}
        assert (np.unique(rows).size < rows.size) == (name == "bootstrap")
        assert (s.training_set(number)[1].train == rows).all()
    if name == "disjoint":
        assert np.unique(np.concatenate(drawn)).size == 20
    else:
        assert len({tuple(rows) for rows in drawn}) == 4


def test_clusters_stay_together():
    cluster = np.arange(30) // 3
    s = sets(cluster=cluster, weight=np.linspace(1, 2, 30))
    tested = {*cluster[s.test_rows].tolist()}
    assert s.drawn_from + len(tested) == 10
    assert s.units.clusters == len(tested)
    assert s.units.weight.tolist() == np.linspace(1, 2, 30)[s.test_rows].tolist()
    rows = s.training_set(0)[1].train
    for k in {*cluster[rows].tolist()}:
        assert k not in tested
        assert len({np.count_nonzero(rows == row) for row in np.flatnonzero(cluster == k)}) == 1
    assert "Rows of a cluster stay together" in s.random
    assert "Test rows are weighted. The learner does not use the weights." in s.random
    assert "cluster" not in sets().random
    assert "weighted" not in sets().random
    for k, is_refused in ((4, False), (3, True)):
        groups = np.arange(30) % k
        if not is_refused:
            assert sets(cluster=groups, size=2).drawn_from >= 2
            continue
        with pytest.raises(
            InputError, match=r"needs at least 4 clusters for training and test sets, but there are 3\."
        ):
            sets(cluster=groups, size=2)


def test_test_rows_of_their_own():
    frame = pd.DataFrame(X[:6] + 100, index=[f"t{k}" for k in range(6)])
    s = sets(test=(frame, Y[:6]))
    assert (s.drawn_from, s.noise_known, s.index) == (30, False, tuple(frame.index))
    assert s.test_rows.tolist() == [*range(6)]
    assert s.truth.argmax(1).tolist() == Y[:6].tolist()
    data, split = s.training_set(0)
    assert split.train.max() < 30 <= split.place.test.min()
    assert (np.asarray(data.take(split.place.test)) == frame.to_numpy()).all()
    known = sets(test=(X[:6], np.tile([0.25, 0.75], (6, 1))))
    assert known.noise_known
    assert known.truth.tolist() == [[0.25, 0.75]] * 6
    for columns in ({"cluster": Y}, {"weight": Y + 1.0}):
        with pytest.raises(
            InputError, match=f"{next(iter(columns))} cannot be used here: test has its own rows"
        ):
            sets(test=(X[:6], Y[:6]), **columns)


def test_classes_that_no_training_row_has():
    cases = plain_cases(("a", "b", "c"), np.array([0, 1, 0, 1, 2, 2]))
    assert _unseen(cases, np.arange(4), np.array([4])) == (
        "class 'c' occurs in 1 row of the test set but in no training row",
    )
    assert "in 2 rows of the test set" in _unseen(cases, np.arange(4), np.array([4, 5, 0]))[0]
    assert _unseen(cases, np.arange(5), np.array([5])) == ()
    with pytest.raises(InputError, match="The training rows have only one class, 'a'"):
        _unseen(cases, np.array([0, 2]), np.array([1]))


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ((X[:0], []), "There are no test rows because X of test is empty"),
        ((X[:2], [0]), "test has 2 rows and 1 labels, or a label that is not a class"),
        ((X[:2], [0, 7]), "test has 2 rows and 2 labels, or a label that is not a class"),
    ],
)
def test_pairs_of_test_rows_that_are_none(test, words):
    assert _test_pair((X[:2], [0, 1]), (0, 1))[1].tolist() == [[1, 0], [0, 1]]
    with pytest.raises(InputError, match=words):
        _test_pair(test, (0, 1))


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, None, 1], "y is missing in 1 row. Exclude these rows"),
        ([0, None, None], "y is missing in 2 rows. Exclude these rows"),
        ([], "There are no rows because y is empty"),
        ([1, 1], "y has only one class, 1. A learner needs two"),
    ],
)
def test_labels_that_are_none(labels, words):
    assert _coded([("y", [0, 1])])[0] == (0, 1)
    with pytest.raises(InputError) as error:
        _coded([("y", labels)])
    assert words in str(error.value)


@pytest.mark.parametrize("value", [0, -1, 2.5, "x", None, float("inf")])
def test_numbers_of_rows(value):
    assert (_whole("test", 1, "rows"), _whole("test", 3.0, "rows")) == (1, 3)
    with pytest.raises(InputError, match="test must be rows, as a whole number from 1, but is"):
        _whole("test", value, "rows")


def test_a_population_draws_its_own_rows():
    def sample(n, rng):
        x = rng.random((n, 1))
        return x, (rng.random(n) < x[:, 0]).astype(int)

    even = ca.Population(sample, lambda x: np.c_[1 - x, x], classes=(0, 1))
    s = training_sets(None, None, even, 7, None, 3, 0)
    assert (s.truth.shape, s.size, s.drawn_from, s.noise_known) == ((1000, 2), 7, None, True)
    _, split = s.training_set(1)
    assert (split.train.size, split.place.test.size) == (7, 1000)
    assert training_sets(None, None, even, 7, 5, 3, 0).truth.shape == (5, 2)
    given = training_sets(None, None, even, 7, (X[:3, :1], [0, 1, 1]), 3, 0)
    assert (given.noise_known, given.truth.tolist()) == (False, [[1, 0], [0, 1], [0, 1]])
    for columns in ({"cluster": Y}, {"weight": Y}):
        with pytest.raises(InputError, match="a population draws independent, equally weighted rows"):
            training_sets(None, None, even, 7, None, 3, 0, **columns)
    for pair in ((X, None), (None, Y)):
        with pytest.raises(InputError, match="X and y cannot be combined with a population"):
            training_sets(*pair, even, 7, None, 3, 0)
        with pytest.raises(InputError, match="There are no rows to draw training sets from"):
            training_sets(*pair, "bootstrap", None, None, 3, 0)
