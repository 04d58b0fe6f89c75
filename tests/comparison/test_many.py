"""What is very many is pooled first, or refused with the limit and the way out."""

import numpy as np
import pytest

import classay as ca
from classay.assessment import confusion_tree as trees
from classay.assessment.confusion_tree import confusion_tree, tree_lines
from classay.comparison.cases import compare_panel
from classay.tables import ConfusionMatrix


def test_too_many_models_are_refused_with_the_way_out(monkeypatch):
    monkeypatch.setattr(compare_panel, "MOST_MODELS", 5)
    y = np.arange(8) % 2
    models = {f"m{k}": np.roll(np.linspace(0, 1, 8), k) for k in range(6)}
    with pytest.raises(ca.InputError, match=r"6 models have 15 pairs\. Up to 5 models .* Use control="):
        ca.compare(models, y, measures=["accuracy"])
    assert len(ca.compare(models, y, measures=["accuracy"], control="m0")) == 5


def test_the_tree_of_classes_is_that_of_a_search_in_the_whole_matrix():
    rng = np.random.default_rng(0)
    for _ in range(20):
        k = int(rng.integers(3, 12))
        counts = rng.integers(0, 4, (k, k))
        both = counts + counts.T
        totals = counts.sum(1)[:, None] + counts.sum(1)
        rate = np.divide(both, totals, out=np.zeros((k, k)), where=totals > 0)
        groups, joins = [(i,) for i in range(k)], []
        while len(groups) > 1:
            pairs = [(a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
            means = [rate[np.ix_(a, b)].mean() for a, b in pairs]
            best = max(means)
            a, b = next(pair for pair, mean in zip(pairs, means, strict=True) if mean > best - 1e-12)
            joins.append((tuple(sorted(a + b)), best))
            groups[groups.index(a)] = tuple(sorted(a + b))
            groups.remove(b)
        found = confusion_tree(ConfusionMatrix.from_array(counts, list(range(k)), rows="true"))
        assert [each.rate for each in found.joins] == pytest.approx([mean for _, mean in joins])
        assert [each.labels for each in found.joins] == [labels for labels, _ in joins]
        assert len(tree_lines(found)) == k - 1


def test_too_many_classes_have_no_tree(monkeypatch):
    monkeypatch.setattr(trees, "MOST_JOINED", 5)
    y = np.arange(6)
    with pytest.raises(ca.InputError, match="The matrix has 6 classes, but at most 5 can be grouped"):
        ca.assess(y, y_pred=np.roll(y, 1)).confusion_tree()
