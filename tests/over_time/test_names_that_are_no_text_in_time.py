"""What periods of time add to `columns/test_names_that_are_no_text.py`."""

from typing import Any

import pytest

import classay as ca
from columns.test_names_that_are_no_text import INTS, NAMES, TUPLES, frame
from wing_samples import of_wings

DOORS: dict[str, Any] = {
    "score": lambda d, y, p, q, g, m, h, c: ca.assess(d, truth=y, score=p, weight=q),
    "prediction": lambda d, y, p, q, g, m, h, c: ca.assess(d, truth=y, prediction=h, cluster=c),
    "class scores": lambda d, y, p, q, g, m, h, c: ca.assess(d, truth=y, score={0: q, 1: p}),
    "id and amounts": lambda d, y, p, q, g, m, h, c: ca.assess(d, truth=y, score=p, amounts={"loss": q}),
    "groups": lambda d, y, p, q, g, m, h, c: ca.assess_by(d, truth=y, score=p, by=g)["u"],
    "groups of two": lambda d, y, p, q, g, m, h, c: ca.assess_by(d, truth=y, score=p, by=[g, h]).overall,
    "time": lambda d, y, p, q, g, m, h, c: ca.assess_over_time(d, truth=y, score=p, time=m, per="month"),
    "models": lambda d, y, p, q, g, m, h, c: ca.compare(d, truth=y, scores={"a": p, "b": q}, by=g),
}
for added in of_wings("DOORS_OF_NAMES"):
    DOORS |= added


@pytest.mark.parametrize("names", [INTS, TUPLES], ids=["numbers", "tuples"])
@pytest.mark.parametrize("door", DOORS)
def test_numbers_and_tuples_name_columns(door: str, names: list[Any]) -> None:
    call = DOORS[door]
    found, expected = (call(frame(each), *each).frame() for each in (names, NAMES))
    assert str(found.to_pylist()) == str(expected.to_pylist())
