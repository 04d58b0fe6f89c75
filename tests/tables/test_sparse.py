"""Confusion matrices of many classes: the pairs that occur say all that the whole matrix says."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.assessment import perspectives
from classay.assessment.verdict import is_above_baseline, top_confusions
from classay.errors import InputError, MergeError
from classay.tables import ConfusionMatrix, sparse
from classay.tables.sparse import SparseConfusionMatrix
from command import as_json

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
    monkeypatch.setattr(sparse, "MOST_DENSE", 5)
    pairs = assessed(kind, **how)
    assert isinstance(pairs.confusion_matrix, SparseConfusionMatrix)
    assert not isinstance(dense.confusion_matrix, SparseConfusionMatrix)
    return dense, pairs


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
    dense, pairs = both(monkeypatch, kind, interval=interval)
    names = None if interval is None else ["accuracy", "macro_f1", "matthews_correlation"]
    same(dense.estimates(names), pairs.estimates(names))
    assert top_confusions(dense) == top_confusions(pairs)
    assert is_above_baseline(dense) == is_above_baseline(pairs)


@pytest.mark.parametrize("kind", ["counted", "frequency", "weight", "cluster"])
def test_every_class_is_that_of_the_whole_matrix(monkeypatch, kind):
    dense, pairs = both(monkeypatch, kind)
    there = pairs.class_estimates()
    for label, found in dense.class_estimates().items():
        same(found, there[label])
    same(dense.one_vs_rest(3).estimates(["recall", "f1"]), pairs.one_vs_rest(3).estimates(["recall", "f1"]))
    assert is_above_baseline(dense) == is_above_baseline(pairs)


@pytest.mark.parametrize("kind", ["weight", "cluster"])
def test_intervals_of_unlike_cases_are_refused_for_many_classes_and_values_are_not(monkeypatch, kind):
    dense, pairs = both(monkeypatch, kind)
    for name in ("accuracy", "macro_f1", "cohen_kappa"):
        assert pairs[name].value == pytest.approx(dense[name].value, rel=1e-12)
        assert pairs[name].low is None or not pairs[name].has_interval
        assert "up to" in pairs[name].reason


@pytest.mark.parametrize("kind", ["counted", "frequency", "weight"])
def test_parts_add_up_to_the_whole_and_can_be_taken_from_it(monkeypatch, kind):
    dense, pairs = both(monkeypatch, kind)
    for matrix in (dense.confusion_matrix, pairs.confusion_matrix):
        twice = matrix + pairs.confusion_matrix
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
        _ = pairs.confusion_matrix + other.confusion_matrix


@pytest.mark.parametrize("kind", ["counted", "weight"])
def test_fewer_more_and_moved_classes_are_those_of_the_whole_matrix(monkeypatch, kind):
    dense, pairs = (each.confusion_matrix for each in both(monkeypatch, kind))
    for labels in ([3, 1], [7, 2, 9, 0, 1, 5, 4]):
        np.testing.assert_array_equal(dense.restrict(labels).counts, pairs.restrict(labels).counts)
    more = tuple(range(-2, K + 2))
    np.testing.assert_array_equal(dense.over(more).counts, pairs.over(more).counts)
    for here, there in zip(dense.margins, pairs.margins, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-14)
    for here, there in zip(dense.class_counts(), pairs.class_counts(), strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-12)
        assert ((here == 0) == (there == 0)).all()
    for place, (here, there) in enumerate(zip(dense.occupied, pairs.occupied, strict=True)):
        np.testing.assert_array_equal(here, there, err_msg=str(place))


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_of_classes_with_few_pairs_are_those_of_the_whole_matrix(weighted):
    """Where all pairs are of one class, none is left beside it: exactly 0, whatever the weights."""
    for cells in product((0, 1), repeat=9):
        held = np.array(cells).reshape(3, 3) * (
            np.arange(1, 10) * 0.1 if weighted else np.arange(1, 10)
        ).reshape(3, 3)
        dense = ConfusionMatrix(held, ("a", "b", "c"), held * held if weighted else None)
        found = SparseConfusionMatrix.of_matrix(dense).class_counts()
        for k in range(3):
            off = np.arange(3) != k
            wanted = held[k, k], held[k, off].sum(), held[off, k].sum(), held[np.ix_(off, off)].sum()
            for here, there in zip(found, wanted, strict=True):
                assert here[k] == pytest.approx(there, rel=1e-12, abs=0)


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
    dense, pairs = both(monkeypatch, "counted")
    whole = as_json(pairs)
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
    with pytest.raises(InputError, match="is too large"):
        _ = matrix.counts
    assert isinstance(matrix.restrict([5, 6]), ConfusionMatrix)


def test_a_sum_with_many_matrices_at_once_is_theirs():
    one = ConfusionMatrix(np.array([[1, 2], [3, 4]]), ("a", "b"))
    two = ConfusionMatrix(np.arange(8).reshape(2, 2, 2), ("a", "b"))
    pairs = SparseConfusionMatrix.of_matrix(one)
    for found in (pairs + two, two + pairs):
        assert (found.counts == (one + two).counts).all()


def test_a_label_named_twice_is_refused_in_a_part_of_the_classes():
    one = ConfusionMatrix(np.array([[1, 2], [3, 4]]), ("a", "b"))
    for matrix in (one, SparseConfusionMatrix.of_matrix(one)):
        with pytest.raises(InputError, match="'a'"):
            matrix.restrict(["a", "a"])


def test_amounts_of_too_many_classes_are_refused(monkeypatch):
    monkeypatch.setattr(sparse, "MOST_WRITTEN_OUT", 10)
    with pytest.raises(InputError, match="Amounts are limited to 10 classes, but there are 12"):
        assessed("counted", amounts={"euros": np.ones(300)})


def test_a_class_is_estimated_once_for_page_and_json(monkeypatch):
    asked, find = [], perspectives._of_class
    monkeypatch.setattr(perspectives, "_of_class", lambda *given: asked.append(given[1]) or find(*given))
    a = assessed("weight")
    str(a)
    a.to_dict()
    assert sorted(asked) == list(range(K))
