"""What groups of cases add to `cli/test_scan_command.py`."""

import pytest

from command import refusal
from days import write_days


@pytest.fixture(autouse=True)
def preds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_days(tmp_path)


def test_what_needs_all_rows_is_refused():
    assert "needs all rows at once" in refusal(
        "assess", "preds", "--truth", "y", "--score", "p", "--by", "who"
    )
