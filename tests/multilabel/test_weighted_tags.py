"""Tags with weights: sums of each outcome are counted, so that no unit, split or repeated row changes a number."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import classay as ca
from classay.inference.estimate import Estimate
from classay.multilabel.tag_marks import tag_marks
from classay.multilabel.tag_tables import MultilabelTable

Array = NDArray[Any]
LABELS = list("abcd")


def sample(seed: int) -> tuple[Array, Array, Array, Array]:
    """Truth with a tag that every case has, calls with one that is always called, scores, and uneven weights."""
    rng = np.random.default_rng(seed)
    truth, called = (rng.random((30, 4)) < 0.4).astype(int), (rng.random((30, 4)) < 0.5).astype(int)
    truth[:, 0], called[:, 1] = 1, 1
    return truth, called, np.round(rng.random((30, 4)), 1), rng.random(30) + 0.01


def alike(left: Estimate, right: Estimate) -> bool:
    """Whether two estimates agree, in what is undefined too."""
    if left.is_undefined or right.is_undefined:
        return left.is_undefined and right.is_undefined
    ends = [[each.value, each.low, each.high] for each in (left, right)]
    return left.has_interval == right.has_interval and np.allclose(
        *ends, rtol=1e-8, atol=1e-12, equal_nan=True
    )


def test_what_is_undefined_stays_undefined_with_weights() -> None:
    rows: dict[str, Any] = {"y_pred": [[1, 1]] * 3, "labels": ["a", "b"]}
    a = ca.assess([[1, 0], [0, 1], [1, 1]], weight=[0.7, 0.4, 0.1], **rows)
    assert a["macro_negative_predictive_value"].is_undefined


@pytest.mark.covering(1)
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("of", ["labels", "scores"])
def test_units_splits_and_files_change_nothing(seed: int, of: str, tmp_path: Path) -> None:
    truth, called, scores, weight = sample(seed)

    def assessed(rows: slice, unit: float | None = 1.0) -> Any:
        given = {"y_pred": called[rows]} if of == "labels" else {"y_score": scores[rows]}
        weights = {} if unit is None else {"weight": unit * weight[rows]}
        return ca.assess(truth[rows], labels=LABELS, **given, **weights)

    whole = slice(None)
    a = assessed(whole)
    a.save(tmp_path / "a.classay")
    others = {
        "unit": assessed(whole, 7.0),
        "merged": assessed(slice(11)) + assessed(slice(11, None)),
        "loaded": ca.load(tmp_path / "a.classay"),
    }
    plain = assessed(whole, None)
    for measure in a.applicable():
        assert a[measure.name].is_undefined == plain[measure.name].is_undefined, measure.name
        for door, other in others.items():
            assert alike(a[measure.name], other[measure.name]), (door, measure.name)
    for tag in LABELS:
        own, counted = a.one_vs_rest(tag), plain.one_vs_rest(tag)
        for name in ("specificity", "negative_predictive_value", "recall"):
            assert own[name].is_undefined == counted[name].is_undefined, (tag, name)


def test_cells_are_sums_of_their_own_cases() -> None:
    truth, called, _, weight = sample(3)
    weight[::3] *= 1e12  # of a difference of sums no digit would be left
    marks = [tag_marks(each, "truth").marks for each in (truth, called)]
    table = MultilabelTable.from_marks(*marks, LABELS, weight=weight)
    for at in range(4):
        unmarked = (truth[:, at] == 0) & (called[:, at] == 0)
        assert table.counts.tn[at] == pytest.approx(weight[unmarked].sum(), rel=1e-12)
        squares = table.matrix_of(LABELS[at], "rest").squares
        assert squares[0, 0] == pytest.approx((weight[unmarked] ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize("name", ["macro_roc_auc", "macro_average_precision"])
@pytest.mark.parametrize("clustered", [False, True])
def test_at_the_end_frequencies_are_repeated_rows_and_weights_have_no_unit(
    name: str, clustered: bool
) -> None:
    rng = np.random.default_rng(4)
    truth = np.r_[[[1, 0, 1], [0, 1, 0]], (rng.random((18, 3)) < 0.4).astype(int)]
    scores, times = truth + rng.random(truth.shape) / 2, rng.integers(1, 5, 20)
    rows = np.repeat(np.arange(20), times)

    def found(at: Any, **weights: Any) -> Estimate:
        cluster = {"cluster": (np.arange(20) // 2)[at]} if clustered else {}
        return ca.assess(truth[at], scores[at] / 2, labels=list("abc"), **cluster, **weights)[name]

    whole = slice(None)
    assert found(whole).value == 1
    assert alike(found(whole, frequency=times), found(rows))
    assert alike(found(whole, weight=times / 7), found(whole, weight=times * 1.3))


def test_the_repeats_of_the_issue_have_one_limit() -> None:
    truth, scores = (
        np.array([[1, 0], [0, 1], [1, 1], [0, 0]]),
        np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.9], [0.3, 0.2]]),
    )
    times = np.array([1, 1, 3, 3])
    rows = np.repeat(np.arange(4), times)
    of_times = ca.assess(truth, scores, frequency=times, labels=["a", "b"])["macro_roc_auc"]
    assert of_times.low == pytest.approx(0.5434, abs=1e-4)
    assert alike(of_times, ca.assess(truth[rows], scores[rows], labels=["a", "b"])["macro_roc_auc"])
