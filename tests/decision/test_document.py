"""docs/decide.md: what it prints is what classay prints."""

from pathlib import Path

from test_documents import run_code

TEXT = (Path(__file__).parents[2] / "docs" / "decide.md").read_text(encoding="utf-8")


def test_code():
    assert run_code(TEXT, {}) >= 8
