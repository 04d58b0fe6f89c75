"""The fast run: 300 inputs of every kind, in a child that another replaces when it dies."""

import pytest

from .parent import Child, search, shared
from .targets import SHARES, WINGS

INPUTS = 300


@pytest.fixture(scope="module")
def child():
    made = Child()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("target", "inputs"),
    [
        pytest.param(target, inputs, marks=pytest.mark.wings(*WINGS.get(target, ())))
        for target, inputs in shared(INPUTS, [*SHARES]).items()
    ],
)
def test_the_contract_holds(child, target, inputs):
    found = search(target, inputs, 0, child, shrinks=10)
    assert sum(found.counts.values()) > 0
    if target == "programs":  # of which a step that refuses holds nothing
        assert found.counts[target, "result"] > 0.8 * sum(found.counts.values())
    assert not found.failures, "\n".join(
        f"{law}\n  input: {smallest}\n  {detail[-600:]}"
        for (_, law), (_, smallest, detail) in found.failures.items()
    )


def test_a_child_that_dies_is_a_finding_and_another_takes_its_place(child, monkeypatch):
    answer = child.ask("dying", "kill")
    assert (answer.outcome, answer.law.split()[0]) == ("broken", "SIGKILL")
    assert child.ask("dying", "exit").law.split()[0] == "SystemExit"
    assert child.ask("dying", "warn").law.split()[0] == "UserWarning"
    assert child.ask("dying", "lines").law.startswith("an error has several lines")
    assert child.ask("dying", "refuse").outcome == "refused"
    assert child.ask("dying", "nothing").outcome == "result"
