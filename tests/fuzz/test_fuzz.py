"""The fast run: 2,000 inputs of every kind, in shared children. `python -m tests.fuzz` makes as many as one likes."""

import pytest

from .parent import Child, search, targets

INPUTS = {"files": 600, "saved": 500, "stores": 300, "rows": 200, "models": 100, "options": 150, "names": 150}


@pytest.fixture(scope="module")
def child():
    made = Child()
    yield made
    made.close()


@pytest.mark.parametrize("target", targets())
def test_the_contract_holds(child, target):
    found = search(target, INPUTS.get(target, 100), 0, child)
    assert sum(found.counts.values()) > 0
    assert not found.failures, "\n".join(
        f"{law}\n  input: {smallest}\n  {detail[-600:]}"
        for (_, law), (_, smallest, detail) in found.failures.items()
    )
