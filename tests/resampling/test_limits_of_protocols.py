"""The least numbers that protocols take, the rows that a splitter may give, and the plan of what is drawn."""

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.errors import InputError
from classay.resampling.bootstraps import Bootstrap632, Bootstrap632Plus, OptimismBootstrap, protocol_of
from classay.resampling.data import dataset
from classay.resampling.partitions import SizedKFold
from classay.resampling.protocol import SplitPlan, few_of_a_class
from classay.resampling.results_of_splits import plot_plan
from learners import noise

LEAST = [
    (ca.StratifiedKFold, "folds", 2),
    (ca.StratifiedKFold, "repeats", 1),
    (ca.TimeOrdered, "folds", 2),
    (SizedKFold, "folds", 2),
    (SizedKFold, "repeats", 1),
    (SizedKFold, "size", 2),
    (ca.Holdout, "repeats", 1),
    (ca.NestedCV, "folds", 3),
    (ca.NestedCV, "repeats", 1),
    (ca.Bootstrap, "rounds", 2),
    (Bootstrap632, "rounds", 2),
    (Bootstrap632Plus, "rounds", 2),
    (OptimismBootstrap, "rounds", 2),
]


@pytest.mark.parametrize(("kind", "name", "least"), LEAST)
def test_the_least_number_is_taken_and_the_one_below_refused(kind, name, least):
    assert getattr(kind(**{name: least}), name) == least
    assert getattr(kind(**{name: np.int64(least)}), name) == least
    for value in (least - 1, float(least), True, "3", None):
        with pytest.raises(InputError) as refused:
            kind(**{name: value})
        assert str(refused.value).startswith(f"{name} must be a whole number from {least}, but is ")


@pytest.mark.parametrize(
    ("share", "is_taken"), [(0, False), (1e-9, True), (0.999, True), (1, False), (-0.1, False)]
)
def test_a_share_is_between_0_and_1(share, is_taken):
    if is_taken:
        assert ca.Holdout(share).share == share
        return
    for wrong in (share, "x", None, float("nan")):
        with pytest.raises(InputError) as refused:
            ca.Holdout(wrong)
        assert str(refused.value).startswith(
            "The share held out must be between 0 and 1, such as 0.33, but is "
        )


def data_of(n=12, cluster=None, y=None):
    x, labels = noise(n)
    labels = np.arange(n) % 2 if y is None else y
    return dataset("", x, labels, None, None, cluster)


class Gives:
    """A splitter that gives what it was told."""

    def __init__(self, *splits):
        self.splits = splits

    def split(self, X, y=None, groups=None):
        yield from self.splits


ROWS = [*range(8)], [8, 9, 10, 11]
GIVEN = {
    "no pair": (
        (ROWS[0],),
        "Gives must give two arrays of row numbers for each split, training and test, but gives",
    ),
    "three": (
        (*ROWS, [1]),
        "Gives must give two arrays of row numbers for each split, training and test, but gives a tuple.",
    ),
    "a text": (
        "ab",
        "Gives must give two arrays of row numbers for each split, training and test, but gives a str.",
    ),
    "truth values": (
        ([True] * 12, ROWS[1]),
        "Gives must give row numbers for the training rows, but gives bool values of shape (12,).",
    ),
    "numbers with a point": (
        (ROWS[0], [8.0, 9.0]),
        "Gives must give row numbers for the test rows, but gives float64 values of shape (2,).",
    ),
    "a table": (
        (ROWS[0], [[8], [9]]),
        "Gives must give row numbers for the test rows, but gives int64 values of shape (2, 1).",
    ),
    "no training": ((np.array([], int), ROWS[1]), "Gives gives a split without training rows."),
    "no test": ((ROWS[0], np.array([], int)), "Gives gives a split without test rows."),
    "a row below": (
        (ROWS[0], [-1, 9]),
        "Gives gives test rows from -1 to 9, but there are 12 rows, starting at 0.",
    ),
    "a row beyond": (
        ([0, 12], ROWS[1]),
        "Gives gives training rows from 0 to 12, but there are 12 rows, starting at 0.",
    ),
}


@pytest.mark.parametrize("name", GIVEN)
def test_what_no_split_can_be(name):
    wrong, words = GIVEN[name]
    for splits in ((wrong,), (ROWS, wrong)):
        with pytest.raises(InputError) as refused:
            list(protocol_of(Gives(*splits)).splits(data_of(), 0))
        assert str(refused.value).startswith(words)


def test_first_and_last_row_and_lists_are_taken():
    for pair in (ROWS, [*ROWS], (np.arange(1, 12), np.array([0])), (np.uint8([0]), (11,))):
        ((split),) = protocol_of(Gives(pair)).splits(data_of(), 0)
        assert split.train.tolist() == [*np.asarray(pair[0]).tolist()]
        assert split.place.test.tolist() == [*np.asarray(pair[1]).tolist()]
    with pytest.raises(InputError, match=r"gives no splits\. Use a splitter with at least one split\."):
        list(protocol_of(Gives()).splits(data_of(), 0))


def test_clusters_must_not_be_torn():
    data = data_of(cluster=[*"aabbccddeeff"])
    whole = (np.arange(8), np.arange(8, 12))
    assert len([*protocol_of(Gives(whole)).splits(data, 0)]) == 1
    with pytest.raises(InputError) as refused:
        list(protocol_of(Gives((np.arange(7), np.arange(7, 12)))).splits(data, 0))
    assert str(refused.value) == (
        "Gives puts rows of 1 cluster on both sides of a split, for example 'd'. Use a splitter that keeps groups "
        "together, such as StratifiedGroupKFold, or '10fold'."
    )


@pytest.mark.parametrize("folds", [2, 5, 6])
def test_as_many_folds_as_the_largest_class_has_cases_or_as_there_are_clusters(folds):
    y = np.array([0] * folds + [1])
    assert len([*ca.StratifiedKFold(folds).splits(data_of(folds + 1, y=y), 0)]) == folds
    with pytest.raises(InputError) as refused:
        list(ca.StratifiedKFold(folds + 1).splits(data_of(folds + 1, y=y), 0))
    assert str(refused.value) == (
        f"The largest of 2 classes has {folds} rows, but there are {folds + 1} folds. Use fewer folds. If the target "
        "is a measurement, use another target."
    )
    cluster = np.repeat(np.arange(folds), 4)
    assert len([*ca.StratifiedKFold(folds).splits(data_of(4 * folds, cluster=cluster), 0)]) == folds
    with pytest.raises(InputError) as refused:
        list(ca.StratifiedKFold(folds + 1).splits(data_of(4 * folds, cluster=cluster), 0))
    assert str(refused.value) == (
        f"{folds + 1} folds need at least {folds + 1} clusters, but there are {folds}. Use fewer folds."
    )


@pytest.mark.parametrize(("count", "is_few"), [(1, True), (3, True), (4, False)])
def test_a_class_is_small_below_one_case_for_each_fold(count, is_few):
    cases = data_of(20, y=np.array([0] * (20 - count) + [1] * count)).cases
    cases_ = "1 case" if count == 1 else f"{count} cases"
    wanted = (f"Class 1 has {cases_} for 4 folds. Some folds have no case of this class.",) if is_few else ()
    assert few_of_a_class(cases, 4) == wanted


@pytest.mark.parametrize("size", [2, 7, 12, 16])
def test_training_sets_of_a_size_grow_with_the_class_shares_of_all(size):
    """16 of 20 cases are outside a fold; a larger set holds the smaller one, tested on the same folds."""
    data = data_of(20, y=np.arange(20) % 4 // 3)
    splits, larger = ([*SizedKFold(5, 2, k).splits(data, 0)] for k in (size, 16))
    plain = [*ca.StratifiedKFold(5, repeats=2).splits(data, 0)]
    for mine, whole, fold in zip(splits, larger, plain, strict=True):
        assert mine.place.test.tolist() == fold.place.test.tolist()
        assert (mine.place.number, mine.place.repeat, mine.place.fold) == (
            fold.place.number,
            fold.place.repeat,
            fold.place.fold,
        )
        assert mine.train.size == size
        assert {*mine.train.tolist()} <= {*whole.train.tolist()} == {*fold.train.tolist()}
        assert mine.train.tolist() == sorted(mine.train.tolist())
        assert abs(data.cases.truth[mine.train].sum() - size / 4) <= 1
    with pytest.raises(InputError) as refused:
        list(SizedKFold(5, 2, 17).splits(data, 0))
    assert str(refused.value) == (
        "2x5@17 trains on 17 cases, but only 16 are outside a fold. Use a smaller size or more folds."
    )


PLANNED = [
    "5fold",
    "2x3",
    "holdout:0.25x3",
    "loo",
    "time:3",
    "bootstrap:4",
    "632:3",
    "optimism:3",
    "nested:3x2",
]


@pytest.mark.parametrize("name", PLANNED)
@pytest.mark.parametrize("most", [1, 2, 30])
def test_a_plan_shows_the_first_test_sets_and_counts_all(name, most):
    data, protocol = data_of(12), protocol_of(name)
    tests = [split for split in protocol.splits(data, 3) if split.place.kind == "test"]
    plan = SplitPlan.of(protocol, data.cases, 3, most=most)
    assert plan.planned == len(tests)
    assert len(plan.names) == len(plan.times) == min(most, len(tests))
    for row, split in zip(plan.times, tests, strict=False):
        wanted = np.bincount(split.train, minlength=12)
        if split.place.n_test < 12:
            wanted[split.place.test] = -1
        assert row.tolist() == wanted.tolist()
    by_rounds = name.startswith(("holdout", "bootstrap", "632", "optimism"))
    first = "round" if by_rounds and most > 1 else "fold"
    if most > 1 and name not in ("2x3", "nested:3x2"):
        assert list(plan.names) == [f"{first} {k + 1}" for k in range(len(plan.names))]
    frame = plan.frame().to_pydict()
    assert frame["row"] == [*range(12)] * len(plan.names)
    assert frame["split"] == [name for name in plan.names for _ in range(12)]
    assert frame["class"] == [str(label) for label in data.y.tolist()] * len(plan.names)
    assert frame["trained"] == [max(0, int(x)) for x in plan.times.ravel()]
    assert frame["tested"] == [x < 0 for x in plan.times.ravel().tolist()]
    of_places = SplitPlan.of(
        protocol, data.cases, 3, [split.place for split in protocol.splits(data, 3)], most
    )
    assert (of_places.planned, of_places.names) == (plan.planned, plan.names)
    assert (of_places.times == plan.times).all()


def test_folds_that_cannot_be_drawn_anew_show_what_was_tested():
    data = data_of(12)
    places = [split.place for split in ca.StratifiedKFold(3).splits(data, 0)]
    plan = SplitPlan.of(ca.StratifiedKFold(3), data.cases, 5, places)
    assert plan.planned == 3
    for row, place in zip(plan.times, places, strict=True):
        assert np.flatnonzero(row < 0).tolist() == place.test.tolist()
        assert {*row[row >= 0].tolist()} == {1}
    with pytest.raises(InputError) as refused:
        SplitPlan.of(protocol_of("resubstitution"), data.cases, 0)
    assert str(refused.value) == "resubstitution tests on the training cases, so it has no folds to draw."


@pytest.mark.parametrize(
    ("splitter", "name"),
    [
        (ms.LeaveOneOut(), "loo"),
        (ms.LeavePOut(1), "loo"),
        (ms.LeavePOut(2), "LeavePOut(p=2)"),
    ],
)
def test_leaving_out_has_no_intervals(splitter, name):
    protocol = protocol_of(splitter)
    assert protocol.name == name
    assert protocol.incomparable is not None
    x, y = noise(8)
    assert not ca.evaluate(GaussianNB(), x, y, protocol=splitter)["accuracy"].has_interval


@pytest.mark.parametrize(
    ("splitter", "has_interval"), [(ms.KFold(2), True), (ms.KFold(20), False), (ms.KFold(19), True)]
)
def test_tests_of_one_case_each_are_leave_one_out(splitter, has_interval):
    x, y = noise(20)
    assert ca.evaluate(GaussianNB(), x, y, protocol=splitter)["accuracy"].has_interval == has_interval


class Raises:
    """A splitter with a complaint, at once or at its second split."""

    def __init__(self, error, late):
        self.error, self.late = error, late

    def split(self, X, y=None, groups=None):
        if self.late:
            return self._later()
        raise self.error

    def _later(self):
        yield ROWS
        raise self.error


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no groups.\nMore of it"), "no groups."),
        (KeyError("k"), "KeyError: 'k'"),
        (UnicodeError("u"), "UnicodeError: u"),
        (InputError("pass labels."), "pass labels."),
    ],
)
def test_complaints_of_a_splitter_are_its_own_words(error, words, late):
    with pytest.raises(InputError) as refused:
        list(protocol_of(Raises(error, late)).splits(data_of(), 0))
    assert str(refused.value) == f"Raises cannot split the data: {words}"


@pytest.mark.parametrize("classes", [2, 6, 7])
def test_the_picture_of_splits_names_up_to_six_classes(classes):
    y = np.repeat(np.arange(classes), 3)
    plan = SplitPlan.of(ca.StratifiedKFold(3), data_of(y.size, y=y).cases, 0)
    texts = [text.get_text() for text in plot_plan(plan, "class").get_legend().get_texts()]
    named = [text for text in texts if text.startswith("class ")]
    assert named == ([f"class {label}" for label in range(classes)] if classes <= 6 else [])
