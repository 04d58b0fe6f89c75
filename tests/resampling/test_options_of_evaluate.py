"""What `classay evaluate` was given has an effect, or is named in an error, also where only columns are listed."""

from pathlib import Path

import pytest

from cli.test_options import COMMANDS, OPTIONS, value_of
from command import refusal

READING = ("--target", "--format", "--delimiter", "--na", "--header-line", "--columns-from")
"""What also decides how the columns are read that are listed."""


@pytest.mark.parametrize("option", [each for each in OPTIONS["evaluate"] if each not in READING])
def test_nothing_is_evaluated_unseen(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("y,p\n1,0.5\n0,0.2\n", encoding="utf-8")
    parameter = next(each for each in COMMANDS["evaluate"].params if each.opts[0] == option)
    assert option in refusal("evaluate", "p.csv", option, *value_of(parameter, "1"))
