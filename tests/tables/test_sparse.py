"""Confusion matrices of many classes: the pairs that occur say all that the whole matrix says."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.assessment.baseline import is_above_baseline
from classay.assessment.confusions import top_confusions
from classay.errors import InputError, MergeError
from classay.tables import ConfusionMatrix, confusion
from classay.tables.sparse import SparseConfusionMatrix

K = 12
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "assessment.schema.json").read_text("utf-8"))


def rows(seed=0, n=300, k=K):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return truth, np.where(rng.random(n) < 0.6, truth, rng.integers(0, k, n)), rng.integers(1, 4, n)


def kinds(seed=0):
    truth, called, times = rows(seed)
    return {
        "counted": (truth, called, {}),
        "frequency": (truth, called, {"frequency": times}),
        "weight": (truth, called, {"weight": times * 0.3}),
        "cluster": (truth, called, {"cluster": np.arange(truth.size) // 4}),
    }


def assessed(kind, seed=0, **how):
    truth, called, columns = kinds(seed)[kind]
    return ca.assess(truth, y_pred=called, **columns, **how)


def both(monkeypatch, kind, **how):
    """The same cases with a matrix of all pairs, and with one of the pairs that occur."""
    dense = assessed(kind, **how)
    monkeypatch.setattr(confusion, "MOST_DENSE", 5)
    sparse = assessed(kind, **how)
    assert isinstance(sparse.confusion_matrix, SparseConfusionMatrix)
    assert not isinstance(dense.confusion_matrix, SparseConfusionMatrix)
    return dense, sparse


def same(here, there):
    assert here.keys() == there.keys()
    for name, one in here.items():
        other = there[name]
        for part in ("value", "low", "high"):
            a, b = getattr(one, part), getattr(other, part)
            assert a == pytest.approx(b, rel=1e-9, abs=1e-12, nan_ok=True) if a is not None else b is None, (
                name
            )
        assert (one.reason, one.method) == (other.reason, other.method), name


@pytest.mark.parametrize("interval", [None, "bootstrap"])
@pytest.mark.parametrize("kind", ["counted", "frequency"])
def test_every_measure_is_that_of_the_whole_matrix(monkeypatch, kind, interval):
    dense, sparse = both(monkeypatch, kind, interval=interval)
    names = None if interval is None else ["accuracy", "macro_f1", "matthews_correlation"]
    same(dense.estimates(names), sparse.estimates(names))
    assert top_confusions(dense) == top_confusions(sparse)
    assert is_above_baseline(dense) == is_above_baseline(sparse)


@pytest.mark.parametrize("kind", ["counted", "frequency", "weight", "cluster"])
def test_every_class_is_that_of_the_whole_matrix(monkeypatch, kind):
    dense, sparse = both(monkeypatch, kind)
    there = sparse.class_estimates()
    for label, found in dense.class_estimates().items():
        same(found, there[label])
    same(dense.one_vs_rest(3).estimates(["recall", "f1"]), sparse.one_vs_rest(3).estimates(["recall", "f1"]))
    assert is_above_baseline(dense) == is_above_baseline(sparse)


@pytest.mark.parametrize("kind", ["weight", "cluster"])
def test_intervals_of_unlike_cases_are_refused_for_many_classes_and_values_are_not(monkeypatch, kind):
    dense, sparse = both(monkeypatch, kind)
    for name in ("accuracy", "macro_f1", "cohen_kappa"):
        assert sparse[name].value == pytest.approx(dense[name].value, rel=1e-12)
        assert sparse[name].low is None or not sparse[name].has_interval
        assert "up to" in sparse[name].reason


@pytest.mark.parametrize("kind", ["counted", "frequency", "weight"])
def test_parts_add_up_to_the_whole_and_can_be_taken_from_it(monkeypatch, kind):
    dense, sparse = both(monkeypatch, kind)
    for matrix in (dense.confusion_matrix, sparse.confusion_matrix):
        twice = matrix + sparse.confusion_matrix
        np.testing.assert_allclose(twice.counts, 2 * dense.confusion_matrix.counts)
        assert isinstance(twice, SparseConfusionMatrix)
        if kind == "weight":
            np.testing.assert_allclose(twice.squares, 2 * dense.confusion_matrix.squares)
        else:
            left = twice.without(matrix)
            assert (left.counts == dense.confusion_matrix.counts).all()
            assert (left.held > 0).all()
    other = assessed("weight" if kind != "weight" else "counted")
    with pytest.raises(MergeError, match="sampling weights"):
        _ = sparse.confusion_matrix + other.confusion_matrix


@pytest.mark.parametrize("kind", ["counted", "weight"])
def test_fewer_more_and_moved_classes_are_those_of_the_whole_matrix(monkeypatch, kind):
    dense, sparse = (each.confusion_matrix for each in both(monkeypatch, kind))
    for labels in ([3, 1], [7, 2, 9, 0, 1, 5, 4]):
        np.testing.assert_array_equal(dense.restrict(labels).counts, sparse.restrict(labels).counts)
    more = tuple(range(-2, K + 2))
    np.testing.assert_array_equal(dense.over(more).counts, sparse.over(more).counts)
    for here, there in zip(dense.margins, sparse.margins, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-14)
    for here, there in zip(dense.class_counts(), sparse.class_counts(), strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-12)
        assert ((here == 0) == (there == 0)).all()
    for place, (here, there) in enumerate(zip(dense.occupied, sparse.occupied, strict=True)):
        np.testing.assert_array_equal(here, there, err_msg=str(place))


@pytest.mark.parametrize("kind", ["counted", "frequency", "weight", "cluster"])
def test_it_is_saved_and_loaded(monkeypatch, kind, tmp_path):
    _, a = both(monkeypatch, kind)
    a.save(tmp_path / "a.classay")
    loaded = ca.load(tmp_path / "a.classay")
    assert isinstance(loaded.confusion_matrix, SparseConfusionMatrix)
    same(a.estimates(["accuracy", "macro_f1"]), loaded.estimates(["accuracy", "macro_f1"]))
    if kind != "cluster":
        same((a + a).estimates(["accuracy"]), (loaded + loaded).estimates(["accuracy"]))


def test_the_json_has_the_pairs_that_occur(monkeypatch):
    dense, sparse = both(monkeypatch, "counted")
    whole = json.loads(json.dumps(sparse.to_dict()))
    Draft202012Validator(SCHEMA).validate(whole)
    said = whole["confusion_matrix"]
    counts = np.zeros((K, K), int)
    for predicted, true, cases in said["cells"]:
        counts[predicted, true] = cases
    assert (counts == dense.confusion_matrix.counts).all()
    assert "counts" not in said


def test_a_hundred_thousand_classes_take_the_memory_of_their_rows():
    truth, called, _ = rows(n=20_000, k=100_000)
    a = ca.assess(truth, y_pred=called, labels=range(100_000))
    matrix = a.confusion_matrix
    assert matrix.places.nbytes + matrix.held.nbytes <= 16 * truth.size
    assert a["accuracy"].value == np.mean(truth == called)
    assert a["matthews_correlation"].has_interval
    with pytest.raises(InputError, match="too many pairs to write all out"):
        _ = matrix.counts
    assert isinstance(matrix.restrict([5, 6]), ConfusionMatrix)
