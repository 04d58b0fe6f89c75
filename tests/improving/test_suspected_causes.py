"""Causes are suspected of what is shown of a learner, each by its own sign."""

from types import SimpleNamespace

import pytest

from classay.improving.causes import _helping, suspected
from classay.improving.evidence import Evidence


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


@pytest.mark.parametrize("advised", [None, 0, 1, 2, 3])
def test_remedies_of_a_cause_that_help_or_are_advised_are_told_by_their_gain(advised):
    trials = [
        SimpleNamespace(
            name=str(k),
            remedy=SimpleNamespace(against=against),
            helps=helps,
            gain=SimpleNamespace(value=gain),
        )
        for k, (against, helps, gain) in enumerate(
            [("bias", True, 0.01), ("bias", False, 0.03), ("variance", True, 0.05), ("bias", True, 0.02)]
        )
    ]
    of = SimpleNamespace(trials=trials, advised=None if advised is None else trials[advised])
    for cause in ("bias", "variance", "noise"):
        listed = [
            trial.name
            for trial in sorted(trials, key=lambda trial: trial.gain.value, reverse=True)
            if trial.remedy.against == cause and (trial.helps or trial.name == str(advised))
        ]
        assert [trial.name for trial in _helping(of, cause)] == listed


@pytest.mark.parametrize(
    ("training", "loss", "low", "has_gap"),
    [
        (0, 0.0, 0.1, False),
        (0, 0.01, -0.1, True),
        (0.1, 0.5, 0.0, False),
        (0.1, 0.5, 0.01, True),
        (0.1, 0.5, None, False),
    ],
)
def test_a_gap_is_one_error_of_a_learner_without_training_errors_or_shown_by_its_interval(
    training, loss, low, has_gap
):
    it = SimpleNamespace(
        training=training,
        is_never_wrong_on_its_own=training == 0,
        loss=SimpleNamespace(value=loss),
        gap=SimpleNamespace(low=low, has_interval=low is not None),
    )
    assert Evidence.has_gap.fget(it) == has_gap
