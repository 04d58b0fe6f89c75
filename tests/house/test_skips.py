"""A test that is skipped has not run: what may be skipped is a list, and a session fails on another reason."""

import os
import subprocess
import sys

import pytest

from skips import LIST, allowed, told

MAY = {"no Firefox": "Chromium looks"}


def test_reasons_are_counted_and_those_off_the_list_are_named():
    lines, unlisted = told(["Skipped: no Firefox here", "no Firefox here", "no disk | x"], MAY)
    assert lines == ["2 × no Firefox here | Chromium looks", "1 × no disk | x | NOT ALLOWED"]
    assert unlisted == ["no disk | x"]


def test_the_list_is_short_and_every_line_has_its_why():
    assert 0 < len(allowed(LIST.read_text(encoding="utf-8"))) <= 16
    with pytest.raises(AssertionError, match="nothing says why"):
        allowed("no Firefox")


@pytest.mark.parametrize(("held", "code"), [("", 0), ("held", 1), ("no reason at all", 0)])
def test_a_session_fails_on_a_skip_that_is_not_on_the_list(tmp_path, held, code):
    (tmp_path / "test_one.py").write_text(
        "import pytest\n\n\ndef test_it():\n    pytest.skip('no reason at all')\n", encoding="utf-8"
    )
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "conftest"),
            *("-c", os.devnull, f"--rootdir={tmp_path}", tmp_path),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {
            "CLASSAY_SKIPS": held,
            "PYTHONPATH": os.pathsep.join([str(LIST.parent), str(LIST.parent / "support")]),
        },
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "1 × no reason at all" in done.stdout
