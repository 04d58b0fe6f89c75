"""What groups of cases add to `report/test_frames_stack.py`."""

import classay as ca
from sample_results import patients


def test_a_frame_without_intervals_stacks_below_one_with_them() -> None:
    rows = patients()
    whole = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")
    few = ca.assess_by(["sick", "well"], [0.9, 0.1], by=["a", "b"], positive="sick")
    assert whole.frame("recall", "roc_auc").schema == few.frame("recall", "roc_auc").schema
    assert whole.overall.measures.schema == few.overall.measures.schema
