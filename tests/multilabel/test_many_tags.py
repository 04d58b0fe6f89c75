"""Many tags are counted a block after another: how large the blocks are changes nothing."""

import numpy as np
import pytest

from classay.multilabel import tag_labels, tag_scores, tag_tables
from classay.multilabel.tag_labels import TagSpread, tag_design
from classay.multilabel.tag_marks import tag_marks
from classay.multilabel.tag_tables import MultilabelTable


def marks(seed: int, cases: int = 40, tags: int = 30):
    rng = np.random.default_rng(seed)
    both = (rng.random((2, cases, tags)) < 0.4).astype(int)
    return [tag_marks(each, "truth").marks for each in both], rng.random(cases) + 0.5, tuple(range(tags))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(7, 11), (16, 1_000), (1_000, 9)])
def test_blocks_of_marks_and_cases_change_no_joint_count(monkeypatch, sizes, weighted):
    given, weight, labels = marks(1)
    weight = weight if weighted else None
    whole = MultilabelTable.from_marks(*given, labels, weight=weight).joint.toarray()
    monkeypatch.setattr(tag_tables, "MARKS", sizes[0])
    monkeypatch.setattr(tag_tables, "BLOCK", sizes[1])
    found = MultilabelTable.from_marks(*given, labels, weight=weight).joint
    assert found.dtype == whole.dtype
    np.testing.assert_allclose(found.toarray(), whole, rtol=1e-12)


def test_variances_of_blocks_are_those_of_sparse_products(monkeypatch):
    given, weight, labels = marks(2)
    table = MultilabelTable.from_marks(*given, labels, weight=weight)
    spread = TagSpread(table, np.random.default_rng(3).normal(size=(4, len(labels))), tag_design(table))
    monkeypatch.setattr(tag_labels, "BLOCK", 7)
    found = spread._of_marks.toarray()
    monkeypatch.setattr(tag_labels, "DENSE_FROM", 0)
    again = TagSpread(table, spread.slopes, spread.design)._of_marks.toarray()
    np.testing.assert_allclose(found, again, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("ways", [(1_000, 50), (1_000, 4_000_000)])
def test_places_of_tags_are_the_same_by_sorting(monkeypatch, ways):
    rng = np.random.default_rng(4)
    scores, truth = rng.integers(0, 6, (12, 60)) / 5, rng.random((12, 60)) < 0.8
    rows, columns = np.nonzero(truth)
    first = np.searchsorted(rows, np.arange(13))

    def placed():
        found = [np.zeros(rows.size, np.int64) for _ in range(3)]
        tag_scores._place_dense(rows, columns, scores, first, *found)
        return found

    sorted_rows = placed()
    monkeypatch.setattr(tag_scores, "_SORTED_FROM", ways[0])
    monkeypatch.setattr(tag_scores, "_AT_ONCE", ways[1])
    for one, other in zip(sorted_rows, placed(), strict=True):
        np.testing.assert_array_equal(one, other)
    own = scores[rows, columns]
    np.testing.assert_array_equal(sorted_rows[0], (scores[rows] > own[:, None]).sum(1))
