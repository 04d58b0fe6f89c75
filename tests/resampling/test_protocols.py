"""Protocols: their names, their splits, and what they refuse."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import model_selection as ms
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.errors import InputError
from classay.resampling.bootstraps import PROTOCOLS, protocol_of, samples
from classay.resampling.data import dataset
from classay.resampling.protocol import Protocol
from learners import noise

SMALL = [
    "resubstitution", "holdout:0.33", "holdout:0.33x30", "10fold", "10x10", "5x2", "loo", "time:5",
    "bootstrap:7", "632+:7", "optimism:7", "nested:3x2",
]  # fmt: skip


def data_of(n=60, cluster=None, **how):
    x, y = noise(n, **how)
    return dataset("", x, y, None, None, cluster)


SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True) | st.integers(2, 999).map(lambda k: 1 / k)


@st.composite
def any_protocol(draw):
    """A protocol of any kind with any settings that it takes."""
    kind = draw(st.sampled_from(PROTOCOLS))
    values = {
        "int": st.integers(3, 10**6) | st.integers(3, 99).map(np.int64),
        "float": SHARES | SHARES.map(np.float32),
    }
    given = {each.name: draw(values[each.type]) for each in fields(kind) if draw(st.booleans())}
    try:
        return kind(**given)
    except InputError:
        assume(condition=False)


@given(any_protocol())
@settings(deadline=None, max_examples=300)
def test_the_name_of_any_protocol_makes_it_again(protocol):
    """Holdout(5e-5) was loaded as a splitter in time, and Holdout() as another share."""
    assert protocol_of(protocol.name) == protocol
    assert protocol_of(f" {protocol.name.upper()} ").name == protocol.name
    assert protocol_of(protocol) is protocol
    assert len([kind for kind in PROTOCOLS if kind.about.read(protocol.name, kind) is not None]) == 1
    assert protocol.estimand
    assert protocol.random


@pytest.mark.parametrize("share", [5e-05, 1 / 3, 0.1 + 0.2])
def test_a_saved_holdout_is_that_holdout(share, tmp_path):
    x, y = noise(60)
    e = ca.evaluate(GaussianNB(), x, y, protocol=ca.Holdout(0.3))
    replace(e, protocol=ca.Holdout(share)).save(tmp_path / "e.classay")
    loaded = ca.load(tmp_path / "e.classay")
    assert loaded.protocol == ca.Holdout(share)
    assert loaded["accuracy"] == e["accuracy"]


def test_every_protocol_is_registered_and_its_samples_are_its_names():
    defined = {
        kind for kind in _below(Protocol) if kind.about.forms and kind.__module__.startswith("classay.")
    }
    assert {*PROTOCOLS} == defined
    assert len({*samples()}) == len(samples())
    for kind in PROTOCOLS:
        assert kind.about.title
        for sample in kind.about.forms:
            assert protocol_of(sample).name == sample
            assert type(protocol_of(sample)) is kind


def _below(kind):
    return {each for sub in kind.__subclasses__() for each in (sub, *_below(sub))}


def test_repeats_come_before_folds():
    assert protocol_of("5x2") == ca.StratifiedKFold(2, repeats=5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("10-folds", "Did you mean '10fold'"),
        ("bootstrap", "Did you mean 'bootstrap:200'"),
        ("nonsense", "Protocols: 10x10, 10fold, 5x5@100, holdout:0"),
        ("1fold", "folds must be a whole number from 2, but is 1"),
        ("nested:2", "from 3"),
        ("holdout:3/2", "The share held out must be between 0 and 1, such as 0"),
        ("holdout:1/0", "Unknown protocol 'holdout:1/0'"),
        (7, "protocol must be a text such as '10x10', a protocol such as classay"),
        (ms.KFold, "or a splitter of scikit-learn, but is <class 'sklearn"),
    ],
)
def test_what_is_no_protocol(given, words):
    with pytest.raises(InputError, match=words):
        protocol_of(given)
    with pytest.raises(InputError, match="The share held out must be between 0 and 1, such as 0"):
        ca.Holdout(33)


@pytest.mark.parametrize("name", SMALL)
def test_splits_are_the_same_for_a_seed_and_as_many_as_said(name):
    data, protocol = data_of(), protocol_of(name)
    first, again, other = (list(protocol.splits(data, seed)) for seed in (0, 0, 1))
    assert len(first) == protocol.count(data)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.train, b.train)
        np.testing.assert_array_equal(a.place.test, b.place.test)
    assert [split.place.number for split in first] == list(range(len(first)))
    if name not in ("resubstitution", "loo", "time:5"):
        assert any(not np.array_equal(a.train, b.train) for a, b in zip(first, other, strict=True))
    for each in first:
        assert each.place.n_train == np.unique(each.train).size
        if each.place.kind != "apparent" and not name.startswith("optimism"):
            assert not np.intersect1d(each.train, each.place.test).size


def test_folds_are_stratified_and_a_partition():
    data = data_of(100)
    for repeat in range(2):
        own = [s.place for s in protocol_of("2x5").splits(data, 0) if s.place.repeat == repeat]
        assert sorted(np.concatenate([place.test for place in own]).tolist()) == list(range(100))
        positives = [data.cases.truth[place.test].sum() for place in own]
        assert max(positives) - min(positives) <= 1


@pytest.mark.parametrize(
    "name", ["5fold", "2x5", "holdout:0.4", "holdout:0.4x5", "loo", "bootstrap:20", "632+:9", "nested:4x2"]
)
def test_clusters_stay_together(name):
    cluster = np.repeat(np.arange(20), 4)[np.random.default_rng(0).permutation(80)]
    data = data_of(80, cluster=cluster)
    for each in protocol_of(name).splits(data, 0):
        if each.place.kind != "apparent":
            assert not {*cluster[each.train]} & {*cluster[each.place.test]}


def test_bootstrap_draws_whole_samples():
    for each in protocol_of("bootstrap:5").splits(data_of(200), 0):
        assert each.train.size == 200
        assert np.union1d(each.train, each.place.test).size == 200
        assert 0.25 < each.place.n_test / 200 < 0.5  # 0.368 is expected


def test_pairs_of_nested_folds_leave_both_out():
    protocol, data = ca.NestedCV(4, repeats=2), data_of(40)
    splits = list(protocol.splits(data, 0))
    assert len(splits) == 2 * 4 * 5 / 2
    for each in splits:
        assert each.train.size + each.place.n_test == 40
        assert each.place.n_test == (20 if each.place.kind == "pair" else 10)
    alone = {
        (each.place.repeat, each.place.fold): {*each.place.test.tolist()}
        for each in splits[:4] + splits[10:14]
    }
    assert [*alone] == [(repeat, fold) for repeat in range(2) for fold in range(4)]
    for pair in splits[4:10] + splits[14:]:
        rest = {*pair.place.test.tolist()} - alone[pair.place.repeat, pair.place.fold]
        assert rest in [test for (repeat, fold), test in alone.items() if fold > pair.place.fold]


@pytest.mark.parametrize("name", ["5fold", "2x5", "nested:4x2", "holdout:0.4x5", "loo", "bootstrap:7"])
def test_splits_are_numbered_in_their_order(name):
    places = [each.place for each in protocol_of(name).splits(data_of(40), 0)]
    assert [place.number for place in places] == [*range(len(places))]
    order = [(place.repeat, place.kind == "pair", place.fold) for place in places]
    assert order == sorted(order)
    named = {(place.repeat, place.kind, place.fold) for place in places if place.kind != "pair"}
    assert len(named) == sum(place.kind != "pair" for place in places)


@pytest.mark.parametrize(
    "splitter", [ms.KFold(4), ms.ShuffleSplit(3), ms.LeavePOut(2), ms.PredefinedSplit([0, 1] * 6)]
)
def test_any_splitter_of_scikit_learn(splitter):
    data = data_of(12)
    protocol = protocol_of(splitter)
    first, again = (list(protocol.splits(data, 0)) for _ in range(2))
    assert len(first) == protocol.count(data)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.place.test, b.place.test)
    assert getattr(splitter, "random_state", None) is None  # the user's object stays as it was


def test_what_the_data_do_not_allow():
    data = data_of(12)
    with pytest.raises(InputError, match="20 folds need at least 20 cases, but there are 12"):
        list(protocol_of("20fold").splits(data, 0))
    clusters = data_of(12, cluster=[0, 1, 2] * 4)
    with pytest.raises(InputError, match="4 folds need at least 4 clusters, but there are 3"):
        list(protocol_of("4fold").splits(clusters, 0))
    with pytest.raises(InputError, match="Remove one of them"):
        list(protocol_of("time:3").splits(clusters, 0))
    with pytest.raises(InputError, match="GroupKFold cannot split the data"):
        list(protocol_of(ms.GroupKFold(3)).splits(data, 0))
    assert "has 6 cases for 10 folds" in protocol_of("10fold").notes(data.cases)[0]
    single = protocol_of("3fold").notes(dataset("", np.zeros((9, 1)), [1] + [0] * 8, 1, None, None).cases)
    assert single[0].startswith("Class 1 has 1 case for 3 folds")


def test_splitters_whose_folds_are_no_sample():
    assert protocol_of(ms.LeaveOneOut()) == ca.LeaveOneOut()
    in_time = protocol_of(ms.TimeSeriesSplit(3, gap=2))
    x, y = noise(60)
    e = ca.evaluate(GaussianNB(), x, y, protocol=in_time)
    assert not e["accuracy"].has_interval
    assert "oldest first" in e.notes[0]
    assert (
        "The intervals reflect sampling variability of the test cases"
        in protocol_of(ms.ShuffleSplit(1)).random
    )
    assert (
        "The intervals reflect sampling variability of the test cases"
        not in protocol_of(ms.ShuffleSplit(3)).random
    )
