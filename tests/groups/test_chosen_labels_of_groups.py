"""What groups of cases add to `assessment/test_chosen_labels.py`."""

import numpy as np

import classay as ca
from assessment.test_chosen_labels import BY_SCORE, RNG, N, P
from classay.assessment.labeling import chosen_labels


def test_it_is_told_by_labels_and_by_classes_too():
    called = (P >= 0.5).astype(int)
    said = chosen_labels(ca.assess(BY_SCORE, y_pred=called, missing="drop"))
    assert "chosen by the predicted label (50% of them" in said
    wide = RNG.dirichlet([1, 1, 1], N)
    truth = np.where((wide.max(1) < 0.6) & (RNG.random(N) < 0.5), None, wide.argmax(1).astype(object))
    assert chosen_labels(ca.assess(truth, wide, missing="drop")).endswith(
        "recall and accuracy are not valid for all cases."
    )
    several = ca.assess(truth, wide, missing="drop", labels=[0, 1, 2], ordered=True)
    assert chosen_labels(several.one_vs_rest(1)) is None is chosen_labels(several.at_least(1))
    whole = ca.assess_by(BY_SCORE, P, by=np.arange(N) % 2, missing="drop").overall
    assert chosen_labels(whole) == chosen_labels(ca.assess(BY_SCORE, P, missing="drop"))
