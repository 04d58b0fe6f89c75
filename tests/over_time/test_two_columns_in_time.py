"""What periods of time add to `assessment/test_two_columns.py`."""

import numpy as np

import classay as ca
from assessment.test_two_columns import BOTH, CALLED, GROUP, SECOND, Y


def test_groups_periods_and_clusters_keep_the_rule() -> None:
    wanted = [float((CALLED == Y)[rows].mean()) for rows in np.split(np.arange(60), 3)]
    by = ca.assess_by(Y, BOTH, by=GROUP)
    assert [each["accuracy"].value for each in by.groups.values()] == wanted
    time = np.repeat(np.array(["2024-01-05", "2024-02-05", "2024-03-05"], "datetime64[D]"), 20)
    over = ca.assess_over_time(Y, BOTH, time=time, per="month", measures=["accuracy"])
    assert [each.value for each in over.values["accuracy"]] == wanted
    clustered, labels = (
        ca.assess(Y, cluster=np.arange(60) // 2, **one) for one in ({"y_score": BOTH}, {"y_pred": CALLED})
    )
    assert clustered["accuracy"] == labels["accuracy"]
    assert (
        clustered.at(0.5)["accuracy"].value == ((SECOND >= 0.5) == Y).mean()
    )  # nothing is remembered of the other
