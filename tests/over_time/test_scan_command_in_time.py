"""What periods of time add to `cli/test_scan_command.py`."""

import pytest

from command import call
from days import write_days


@pytest.fixture(autouse=True)
def preds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_days(tmp_path)


def test_decisions_that_need_all_rows_are_refused_of_folders():
    done = call("decide", "preds", "--truth", "y", "--score", "p", "--cost", "fp=1", "--time", "day")
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert "one file" in done.stderr
