"""Saved assessments whose parts contradict each other, sealed as `save` seals them: what is refused, in which words."""

import io
import zipfile

import numpy as np
import pytest

import classay as ca
from classay.errors import FileError
from forged import forge

N = 24
Y = np.arange(N) % 2
P = np.round(np.random.default_rng(0).random(N), 2)
THREE = np.random.default_rng(0).dirichlet(np.ones(3), N)
MADE = {
    "two": lambda: ca.assess(Y, P, id=range(N)),
    "plain": lambda: ca.assess(Y, P),
    "labels": lambda: ca.assess(Y, y_pred=(P > 0.4) * 1),
    "weighted": lambda: ca.assess(Y, P, weight=P + 0.5),
    "clusters": lambda: ca.assess(Y, P, cluster=np.arange(N) // 3, weight=P + 0.5),
    "amounts": lambda: ca.assess(Y, P, amounts={"fee": P * 10}),
    "three": lambda: ca.assess(np.arange(N) % 3, THREE, id=range(N)),
}


def put(at, value):
    """A change of an array: its first, last or any entry."""

    def changed(array):
        array = array.copy()
        array.flat[at] = value
        return array

    return changed


def whole(array):
    return array.astype(int)


def shortened(array):
    return array[:-1]


def swapped(array):
    return array[::-1].copy()


def joined(array):
    """The positive cases of two high scores without negative cases, all at the second of them."""
    scores = np.unique(P)[::-1]
    alone = [k for k, score in enumerate(scores) if score >= 0.5 and Y[score == P].all()]
    array = array.copy()
    array[alone[1]] += array[alone[0]]
    array[alone[0]] = 0
    return array


FORGED = {
    # what: (the kind, fields or arrays of the file, changed, and the words of the refusal)
    "improper rows": ("two", {"improper": 25}, "it holds 24 rows and 25 improper ones"),
    "rows": ("two", {"rows": 25}, "the cases are 24, and the rows 25"),
    "positive": ("two", {"positive": 2}, "positive is 2"),
    "positive of three": ("three", {"positive": 1}, "positive is 1"),
    "labels": ("two", {"labels": []}, "labels is empty"),
    "score labels": ("two", {"score_labels": [1, 0]}, "score_labels are not the labels, the positive one last"),
    "level": ("two", {"level": "0.95"}, "level of"),
    "a field": ("two", {"colour": "red"}, "has the unknown field 'colour'"),
    "excluded rows": ("two", {"unscored": 3}, "more rows have no score than were excluded"),
    "raw scores of labels": ("labels", {"raw_scores": True}, "it marks class scores as raw, but has no class"),
    "order of scores": ("two", {"scores.scores": swapped}, "scores must be distinct and descending, without NaN"),
    "NaN scores": ("two", {"scores.scores": put(0, np.nan)}, "scores must be distinct and descending, without NaN"),
    "a score of no case": ("plain", {"scores.positives": joined}, "no case has a score of its tables"),
    "texts": ("two", {"scores.scores": lambda array: array.astype("U4")}, "not plain numbers"),
    "complex scores": ("two", {"scores.scores": lambda array: array + 0j}, "not plain numbers"),
    "shape of scores": ("two", {"scores.positives": shortened}, "has shape (19,) instead of (20,)"),
    "shape of a matrix": ("two", {"matrix.counts": lambda array: array[:1]}, "has shape (1, 2) instead of (2, 2)"),
    "number of cells": ("two", {"matrix.counts": put(0, 2)}, "the cases are 23, and the rows 24"),
    "cells": ("two", {"matrix.counts": lambda array: array.T.copy()}, "disagree"),
    "negative cells": ("two", {"matrix.counts": put(0, -3)}, "contains a number below 0"),
    "blocks of scores": ("two", {"blocks.of_scores": whole}, "contains int64, which is another"),
    "size of blocks": ("two", {"blocks.of_scores": shortened}, "the cases of blocks are others than their sums"),
    "kind of weights": ("two", {"kind_of_weight": "sampling"}, "'matrix.counts.npy' contains int64, which is another"),
    "tiny weights": ("weighted", {"scores.positives": put(2, 1e-200)}, "it holds weights that no cases have"),
    "squared weights": ("weighted", {"scores.positive_squares": put(0, 1e9)}, "squared weights and weights disagree"),
    "small squares": ("weighted", {"scores.positive_squares": put(0, 1e-9)}, "squared weights and weights disagree"),
    "coded rows": ("clusters", {"coded.cluster": shortened}, "coded"),
    "coded scores": ("clusters", {"coded.score": put(0, 0.123)}, "coded.score has scores that the tables lack"),
    "missing coded scores": ("clusters", {"coded.score": put(0, np.nan)}, "coded.score holds NaN"),
    "coded classes": ("clusters", {"coded.true": lambda array: 1 - array}, "disagree"),
    "coded weights": ("clusters", {"coded.weight": put(0, 9.0)}, "disagree"),
    "clusters": ("clusters", {"clusters": [0, 1, 2, 3, 4, 5, 6]}, "Codes of cluster must be from 0 to 6"),
    "squares of amounts": (
        "amounts",
        {"matrix.amounts.products": lambda array: -array},
        "matrix.amounts have negative squares",
    ),
    "sums of amounts": ("amounts", {"matrix.amounts.sums": put(0, 99.0)}, "amounts"),
    "least amounts": (
        "amounts",
        {"matrix.amounts.least": put(0, -5.0)},
        "matrix.amounts disagree about their least",
    ),
    "scores of classes": ("three", {"class0.scores": swapped}, "class0.scores do not descend"),
    "missing scores of classes": ("three", {"class1.scores": put(0, np.nan)}, "class1.scores holds NaN"),
    "classes": ("three", {"class0.true": put(0, 1)}, "joint.entry names an entry of another class"),
    "precision": ("three", {"class0.scores": lambda array: array.astype("f4")}, "the class scores differ in precision"),
}  # fmt: skip


@pytest.fixture(scope="module")
def contents():
    """The bytes of each kind, as `save` writes them."""
    kept = {}

    def of(kind, path):
        if kind not in kept:
            MADE[kind]().save(path)
            kept[kind] = path.read_bytes()
        path.write_bytes(kept[kind])

    return of


def arrays(path, changes):
    with zipfile.ZipFile(path) as archive:
        for name, change in changes.items():
            yield f"{name}.npy", change(np.load(io.BytesIO(archive.read(f"{name}.npy"))))


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize("kind", MADE)
def test_what_is_forged_into_itself_is_read(contents, tmp_path, kind):
    path = tmp_path / "a.classay"
    contents(kind, path)
    forge(path)
    assert ca.load(path).to_dict() == MADE[kind]().to_dict()


@pytest.mark.parametrize("what", FORGED)
def test_parts_that_contradict_each_other_are_named(contents, tmp_path, what):
    kind, changes, words = FORGED[what]
    path = tmp_path / "a.classay"
    contents(kind, path)
    of_arrays = {name: change for name, change in changes.items() if callable(change)}
    members = {name: npy(array) for name, array in arrays(path, of_arrays)}
    forge(path, members, **{name: value for name, value in changes.items() if not callable(value)})
    with pytest.raises(FileError) as error:
        ca.load(path)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_member_that_nobody_knows_is_refused(contents, tmp_path):
    path = tmp_path / "a.classay"
    contents("two", path)
    forge(path, {"more.npy": npy(np.arange(3))})
    with pytest.raises(FileError, match=r"it contains the unknown member 'more\.npy'"):
        ca.load(path)
