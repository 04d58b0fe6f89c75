"""Remedies of a dozen members in what runs always; of all fifty in slow tests."""

import pytest

from classay.improving import remedies


@pytest.fixture(autouse=True)
def few_members(request, monkeypatch):
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr(remedies, "MEMBERS", 12)
