"""What groups of cases add to `columns/test_score_scales.py`."""

import numpy as np

import classay as ca
from columns.test_score_scales import THREE, Y3, N


def test_groups_and_periods_of_raw_scores_have_no_measures_across_cases():
    groups = ca.assess_by(Y3, THREE, by=np.arange(N) % 2)
    assert groups[0]["macro_roc_auc"].is_undefined
    assert groups[0]["log_loss"].is_undefined
    assert "macro_roc_auc" not in groups.main_measures
    str(groups)
