"""Many classes at a glance: micro averages, curves in one picture, thresholds, the tree of the confused."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.confusion_tree import confusion_tree, tree_lines
from classay.tables import ConfusionMatrix

RNG = np.random.default_rng(2)
NAMES = np.array([f"c{k:02}" for k in range(15)])
TRUE = RNG.integers(0, 15, 600)
SCORES = RNG.gamma(1 + 2 * np.eye(15)[TRUE])
SCORES /= SCORES.sum(1, keepdims=True)
MANY = ca.assess(NAMES[TRUE], SCORES, labels=NAMES.tolist())


def test_all_classes_stand_in_one_picture_and_those_beyond_twelve_are_grey():
    for name in ("roc", "precision_recall"):
        curves = MANY.class_curves(name)
        assert len(curves) == 13
        assert (curves[-1].kind, curves[-1].series) == ("reference", "3 other classes")
        assert np.isnan(curves[-1].x).sum() == 2
    with pytest.raises(ca.InputError, match=r"Unknown curve 'det'\. Curves: roc, precision_recall"):
        MANY.class_curves("det")
    areas = [float(each.series.rpartition(" ")[2]) for each in MANY.class_curves()[:12]]
    assert areas == sorted(areas)


def test_the_page_draws_them(tmp_path):
    MANY.report(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "11 other classes" in page
    assert "NaN" not in page.partition("<script")[0]


def test_micro_averages_are_those_of_all_pairs_in_clusters_of_cases():
    """The pairs as rows of two classes, with the case as the cluster, have the same influences."""
    pairs = (np.eye(15)[TRUE].ravel(), SCORES.ravel())
    whole = ca.assess(*pairs, cluster=np.repeat(np.arange(600), 15))
    for name in ("roc_auc", "average_precision"):
        found, wanted = MANY.estimate(f"micro_{name}"), whole[name]
        assert found.value == pytest.approx(wanted.value, rel=1e-9)
        assert found.high - found.value == pytest.approx(wanted.high - wanted.value, rel=0.02)


def test_a_threshold_for_each_class_is_that_of_the_class_alone():
    some = ca.assess(NAMES[TRUE[:200]], SCORES[:200], labels=NAMES.tolist())
    found = some.class_thresholds(maximize="f1")
    for label in NAMES[:3]:
        assert found[label].threshold == some.one_vs_rest(label).threshold(maximize="f1").threshold
    assert "c00" in str(found)
    assert found.frame().num_rows == 15
    with pytest.raises(ca.InputError, match="Two classes share one threshold"):
        ca.assess([0, 1], [0.2, 0.9]).class_thresholds(maximize="f1")


COUNTS = np.array([[40, 9, 1, 0], [8, 42, 0, 0], [0, 1, 45, 4], [0, 0, 3, 47]])


def test_the_tree_of_classes_whatever_their_order():
    names = np.array(["cat", "dog", "owl", "hawk"])
    found = confusion_tree(ConfusionMatrix.from_array(COUNTS, names.tolist(), rows="true"))
    assert [{*each.labels} for each in found.joins[:2]] == [{"cat", "dog"}, {"owl", "hawk"}]
    assert (found.joins[0].rate, found.joins[0].errors) == (17 / 100, 17)
    order = [2, 0, 3, 1]
    mixed = ConfusionMatrix.from_array(COUNTS[np.ix_(order, order)], names[order].tolist(), rows="true")
    assert [{*each.labels} for each in confusion_tree(mixed).joins] == [
        {*each.labels} for each in found.joins
    ]
    assert (len(found.joins), found.joins[-1].errors) == (3, found.errors)
    assert tree_lines(found)[0][0] == "cat, dog, owl, hawk"
    assert found.sentence in " ".join(str(found).replace("┃", "").split())


def test_no_errors_are_said():
    found = confusion_tree(ConfusionMatrix.from_array(np.diag([3, 4, 5]), ["a", "b", "c"], rows="true"))
    assert found.sentence == "There are no errors, so no classes are confused."


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_the_highest_rate_of_confusion_is_not_called_the_most_errors(order):
    """The two rare classes have the highest rate, the two frequent ones most of the errors."""
    counts = np.array([[8, 2, 0, 0], [2, 8, 0, 0], [0, 0, 900, 60], [0, 0, 70, 950]])[np.ix_(order, order)]
    names = [["a", "b", "c", "d"][k] for k in order]
    found = confusion_tree(ConfusionMatrix.from_array(counts, names, rows="true")).sentence
    one, other = sorted(("a", "b"), key=names.index)
    assert found.startswith(
        f"'{one}' and '{other}' have the highest rate of confusion: 20% of the cases of both"
    )
    assert "2.99% of all errors" in found
    assert "most" not in found
