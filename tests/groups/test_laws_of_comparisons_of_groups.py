"""What groups of cases add to `laws/test_laws_of_comparisons.py`."""

import numpy as np

import classay as ca
from laws.test_laws_of_comparisons import LEVELS, cases


def test_p_values_of_slices_have_no_level():
    y = np.ones(220, int)
    called = np.repeat([1, 1, 0], [20, 150, 50])
    by = np.repeat(["a", "b"], [20, 200])
    found = {}
    for level in LEVELS:
        slices = ca.assess_by(y, y_pred=called, by=by, labels=[0, 1], level=level)
        recall = slices.compare("recall")[0]
        found[level] = recall.p
        if level == 0.95:
            assert (recall.p < 1 - level) == (recall.difference.low > 0 or recall.difference.high < 0)
    assert len({*found.values()}) == 1
    (score, _), y, _ = cases(50, n=120)
    names = ("roc_auc", "f1", "average_precision", "brier_score", "recall")
    first, *others = (
        ca.assess_by(y, score, by=np.arange(120) % 2, level=level).compare(*names) for level in LEVELS
    )
    for other in others:
        assert [each.p for each in other] == [each.p for each in first]
