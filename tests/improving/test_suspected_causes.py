"""Causes are suspected of what is shown of a learner, each by its own sign."""

from types import SimpleNamespace

import pytest

from classay.improving.causes import suspected


def evidence(*, variance=0.0, bias=0.0, **signs):
    terms = {name: SimpleNamespace(value=value) for name, value in (("variance", variance), ("bias", bias))}
    terms["loss"] = SimpleNamespace(value=1.0)
    return SimpleNamespace(
        before=SimpleNamespace(schemes=[SimpleNamespace(variance="variance", bias="bias")], terms=terms),
        has_gap=signs.get("has_gap", False),
        classes=SimpleNamespace(is_neglected=signs.get("is_neglected", False)),
        is_miscalibrated=signs.get("is_miscalibrated", False),
    )


@pytest.mark.parametrize(
    ("signs", "causes"),
    [
        ({}, ()),
        ({"has_gap": True}, ("variance",)),
        ({"variance": 0.9}, ("variance",)),
        ({"bias": 0.9}, ("bias",)),
        ({"is_neglected": True}, ("imbalance",)),
        ({"is_miscalibrated": True}, ("miscalibration",)),
    ],
)
def test_every_cause_has_its_own_sign(signs, causes):
    assert suspected(evidence(**signs)) == causes
