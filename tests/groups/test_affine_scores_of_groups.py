"""What groups of cases add to `decision/test_affine_scores.py`."""

from collections.abc import Mapping
from math import isclose
from typing import Any

import numpy as np
import pytest

import classay as ca
from decision.test_affine_scores import MAPS, cases


def by_group(score: Any, grade: Any, **columns: Any) -> Any:
    """Thresholds by group; with other scores the parts of the cases that are held back must be the same ones."""
    groups = ca.assess_by(grade > 0, score, by=np.arange(grade.size) % 7 % 2, **columns)
    return ca.decide_by(groups, cost=ca.Costs(fp=1, fn=3), where="equalised_odds_gap <= 0.3", trade=False)


CHOOSERS: dict[str, Any] = {
    "cut points": lambda s, y: ca.cut_points(s, y, [0, 1, 2]),
    "cut points with weights": lambda s, y: ca.cut_points(s, y, [0, 1, 2], weight=1 + np.arange(y.size) % 3),
    "cut points by costs": lambda s, y: ca.cut_points(
        s, y, [0, 1, 2], cost=ca.Costs.from_array([[0, 1, 4], [2, 0, 1], [9, 3, 0]], [0, 1, 2], rows="true")
    ),
    "best measure": lambda s, y: ca.assess(y > 0, s).threshold(maximize="f1"),
    "Youden": lambda s, y: ca.assess(y > 0, s).threshold(maximize="youden"),
    "least": lambda s, y: ca.assess(y > 0, s).threshold(minimize="rate_gap"),
    "cost": lambda s, y: ca.assess(y > 0, s).threshold(cost=ca.Costs(fp=1, fn=3)),
    "condition": lambda s, y: ca.assess(y > 0, s).threshold(where="precision >= 0.8", maximize="recall"),
    "top": lambda s, y: ca.assess(y > 0, s).threshold(top=20),
    "clusters": lambda s, y: ca.assess(y > 0, s, cluster=np.arange(y.size) // 3).threshold(maximize="f1"),
    "rate": lambda s, y: ca.assess(y > 0, s).threshold_for(fpr=0.2),
    "thresholds by group": by_group,
    "thresholds by group with weights": lambda s, y: by_group(s, y, weight=1 + np.arange(y.size) % 3 / 7),
    "thresholds by group of clusters": lambda s, y: by_group(s, y, cluster=np.arange(y.size) // 3),
    "gain": lambda s, y: ca.assess(y > 0, s).gain_table(5).frame().to_pylist(),
}


def differences(found: Any, expected: Any, move: Any, at: str = "") -> list[str]:
    """Where two results differ in more than numbers that are moved; texts write thresholds and are not looked at."""
    if isinstance(expected, Mapping):
        assert found.keys() == expected.keys()
        return [
            text for key in expected for text in differences(found[key], expected[key], move, f"{at}/{key}")
        ]
    if isinstance(expected, list | tuple):
        if len(found) != len(expected):
            return [f"{at}: {len(found)} and {len(expected)}"]
        pairs = enumerate(zip(found, expected, strict=True))
        return [text for k, (one, other) in pairs for text in differences(one, other, move, f"{at}/{k}")]
    if isinstance(expected, float) and isinstance(found, float):
        same = isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12) or (
            found != found and expected != expected
        )
        moved = isclose(found, move(expected), rel_tol=1e-9, abs_tol=1e-9)
        return [] if same or moved else [f"{at}: {found} and {expected}"]
    return [] if isinstance(expected, str) or found == expected else [f"{at}: {found} and {expected}"]


def plain(found: Any) -> Any:
    if isinstance(found, list):
        return found
    return found.row if isinstance(found, ca.Estimate) else found.to_dict()


@pytest.mark.covering(1)
@pytest.mark.parametrize("on_a_grid", [True, False], ids=["grid", "fine"])
@pytest.mark.parametrize("name", CHOOSERS)
def test_thresholds_move_with_the_scores(name: str, on_a_grid: bool) -> None:
    grade, score = cases(1, on_a_grid=on_a_grid)
    expected = plain(CHOOSERS[name](score, grade))
    for factor, term in MAPS[:2]:
        found = plain(CHOOSERS[name](factor * score + term, grade))
        assert not differences(found, expected, lambda value, m=factor, c=term: m * value + c)
