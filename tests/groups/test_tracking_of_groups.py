"""What groups of cases add to `report/test_tracking.py`."""

import classay as ca
from classay.report.door import metrics_of
from sample_results import RESULTS


def test_parts_of_a_list_have_the_names_of_the_parts():
    found = metrics_of(RESULTS["slices"]())
    assert {
        "groups/north/roc_auc",
        "groups/north/roc_auc.low",
        "groups/north/roc_auc/difference",
    } <= found.keys()
    estimate = ca.Estimate(0.5, 0.4, 0.6, 0.95, "Wilson")
    assert metrics_of(estimate) == {"value": 0.5, "value.low": 0.4, "value.high": 0.6}
