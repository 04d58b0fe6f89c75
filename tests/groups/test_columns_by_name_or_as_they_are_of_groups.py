"""What groups of cases add to `sources/test_columns_by_name_or_as_they_are.py`."""

import pandas as pd
import pytest

import classay as ca
from sources.test_columns_by_name_or_as_they_are import COLUMNS, FORMS


@pytest.mark.parametrize("form", FORMS)
def test_scores_and_labels_too(form):
    frame, made = pd.DataFrame(COLUMNS), FORMS[form]
    both = ca.assess(frame, truth="y", score="p", prediction="said")
    for given in (
        ca.assess(frame, truth="y", score="p", y_pred=made(COLUMNS["said"])),
        ca.assess(frame, made(COLUMNS["p"]), truth="y", prediction="said"),
        ca.assess(frame, truth="y", score=made(COLUMNS["p"]), prediction="said"),
    ):
        assert given["roc_auc"] == both["roc_auc"]
        assert given["recall"] == both["recall"]
    groups = [ca.assess_by(frame, truth="y", score="p", by=by) for by in ("site", pd.Series(COLUMNS["site"]))]
    assert groups[0].compare("recall") == groups[1].compare("recall")
