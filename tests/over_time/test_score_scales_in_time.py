"""What periods of time add to `columns/test_score_scales.py`."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.columns.scales import scaled
from columns.test_score_scales import THREE, TWO, Y3, N, Y


@pytest.mark.parametrize("scale", [None, "logit"])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_door_reads_raw_scores_alike(classes, scale):
    y, scores = (Y, TWO.copy()) if classes == 2 else (Y3, THREE.copy())
    scores[: N // 2] = scaled(scores[: N // 2], "logit")  # the first rows alone look like probabilities
    a = ca.assess(y, scores, score_scale=scale)
    frame = pd.DataFrame({"y": y, "g": np.arange(N) % 2, "t": np.arange(N) // 50})
    columns = {label: f"s{label}" for label in range(classes)}
    for label, name in columns.items():
        frame[name] = scores[:, label]
    named = {"truth": "y", "score": columns, "score_scale": scale}
    expected = {k: str(v) for k, v in a.estimates().items()}
    of_groups = ca.assess_by(frame, by="g", **named)
    over = ca.assess_over_time(frame, time="t", **named)
    assert over is not None
    assert {k: str(v) for k, v in of_groups.overall.estimates().items()} == expected
