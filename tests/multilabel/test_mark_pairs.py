"""Pairs of marks: counted, or found from the marks of cases, they give the same numbers in every way."""

import tracemalloc

import numpy as np
import pytest

import classay as ca
from classay.inference.labels import positive_correlations as tag_correlations
from classay.multilabel import mark_pairs, tag_labels
from classay.multilabel.mark_pairs import MarkPairs

WAYS = {"alike": {}, "frequency": {"frequency": [1, 2, 3] * 8}, "weight": {"weight": np.linspace(0.5, 2, 24)}}
WAYS["cluster"] = {"cluster": [*range(12)] * 2}


MEASURES = (
    "hamming_loss",
    "macro_f1",
    "macro_recall",
    "macro_precision",
    "macro_specificity",
    "macro_negative_predictive_value",
)
MEASURES = (*MEASURES, "weighted_precision", "weighted_f1", "macro_jaccard", "micro_f1", "exact_match")


def rows(cases: int, tags: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return [(rng.random((cases, tags)) < share).astype(int) for share in (0.3, 0.35)]


def kept(monkeypatch):
    """Marks are kept, and of blocks of three tags."""
    monkeypatch.setattr(mark_pairs, "MOST_PAIRS", 0)
    monkeypatch.setattr(mark_pairs, "FEWER", 0)
    for module in (tag_labels, tag_correlations):
        monkeypatch.setattr(module, "BLOCK", 3)
    monkeypatch.setattr(mark_pairs, "ROWS", 2)


def assessed(way: str, cases=slice(None)):
    truth, called = rows(24, 7)
    called[:, 3] = truth[:, 3]  # a tag without an error
    how = {name: np.asarray(each)[cases] for name, each in WAYS[way].items()}
    return ca.assess(truth[cases], y_pred=called[cases], labels=list("abcdefg"), **how)


def numbers(a):
    assert isinstance(a.task.tags.products, MarkPairs) == (mark_pairs.MOST_PAIRS == 0)
    found = [(each.value, each.low, each.high) for each in (a[name] for name in MEASURES)]
    return np.array(found, float), str(a.wrong_together(4))


@pytest.mark.parametrize("way", WAYS)
def test_marks_of_cases_give_what_counted_pairs_give(monkeypatch, tmp_path, way):
    expected, together = numbers(assessed(way))
    kept(monkeypatch)
    a = assessed(way)
    merged = assessed(way, slice(0, 10)) + assessed(way, slice(10, None))
    a.save(tmp_path / "a.classay")
    for each in (a, merged, ca.load(tmp_path / "a.classay")):
        found, pairs = numbers(each)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        assert pairs == together


def peak(tags: int) -> int:
    truth, called = rows(60, tags)
    tracemalloc.start()
    try:
        a = ca.assess(truth, y_pred=called, labels=range(tags))
        assert a["macro_recall"].low > 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_of_many_tags_grows_with_tags_and_not_with_their_pairs(monkeypatch):
    monkeypatch.setattr(mark_pairs, "MOST_PAIRS", 100_000)
    for module in (tag_labels, tag_correlations):
        monkeypatch.setattr(module, "BLOCK", 64)
    peak(600)
    assert peak(1_200) < 2.5 * peak(600)
