import numpy as np

import classay as ca
from classay.assessment.verdict import top_confusions


def test_the_most_frequent_confusions_come_first():
    truth = list("aaaaabbbbcc")
    said = list("aabbcbbaacb")
    found = top_confusions(ca.assess(truth, y_pred=said))
    assert [(each.true, each.predicted, each.cases) for each in found] == [
        ("a", "b", 2.0),
        ("b", "a", 2.0),
        ("a", "c", 1.0),
        ("c", "b", 1.0),
    ]
    assert [each.share for each in found] == [0.4, 0.5, 0.2, 0.5]
    assert sum(each.cases for each in found) == sum(t != s for t, s in zip(truth, said, strict=True))


def test_two_classes_have_their_matrix_alone():
    assert top_confusions(ca.assess([0, 1, 1], y_pred=[1, 1, 0])) == ()
    assert top_confusions(ca.assess(list("abc"), y_pred=list("abc"))) == ()


def test_weights_weigh():
    truth, said = np.array(list("abca")), list("bbcc")
    found = top_confusions(ca.assess(truth, y_pred=said, weight=[1.0, 1.0, 1.0, 2.5]))
    assert [(each.true, each.predicted, each.cases) for each in found] == [("a", "c", 2.5), ("a", "b", 1.0)]
