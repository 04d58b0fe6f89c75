"""What periods of time add to `assessment/test_chosen_labels.py`."""

import numpy as np

import classay as ca


def test_labels_of_chosen_cases_are_told_at_every_door():
    """Two models, groups, periods and the last period say of the same columns what one assessment says."""
    rng = np.random.default_rng(0)
    score = rng.random(1000)
    truth = [int(rng.random() < s) if s > 0.8 or s < 0.1 else None for s in score]
    rows = {"score": score, "score again": 1 - (1 - score)}
    frame = {"y": truth, **rows, "day": np.arange(1000) // 250, "id": np.tile(np.arange(100), 10)}
    named = {"truth": "y", "missing": "drop"}
    wanted = {"chosen_labels", "repeated_ids"}
    for found in (
        ca.assess(frame, score="score", **named),
        ca.assess_by(frame, score="score", by="day", **named),
        ca.assess_over_time(frame, score="score", time="day", **named),
        ca.compare(frame, scores=[*rows], **named),
        ca.compare(frame, scores=[*rows], by="day", **named),
        ca.gate_over_time(frame, score="score", time="day", measure="roc_auc", margin=0.1, **named),
    ):
        assert {each.code for each in found.warnings} >= wanted, type(found)
    assert "chosen_labels" not in [each.code for each in ca.compare(rows, [*map(round, score)]).warnings]
