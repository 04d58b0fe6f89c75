"""What the reference says of formats is held by tests, and every format is described."""

import re
import shlex
import time
from pathlib import Path

import pytest
from manual.formats import CALLS, SURPRISES, formats

from classay.sources.other_formats import recognized
from classay.wings import brought, thing
from command import call

HERE = Path(__file__).parent


def test_every_surprise_has_its_test():
    code = "".join(path.read_text() for path in HERE.parent.glob("*/test_*.py"))
    assert not [each.test for each in SURPRISES if f"def {each.test}(" not in code]


def test_every_format_is_on_the_page():
    page = formats()
    for name, place in brought("formats").items():
        known = thing(place)
        if hasattr(known, "recognized_by"):
            others = "a folder" if hasattr(known, "mark") else "any"
            ending = f"`{known.endings[0]}`" if known.endings else others
            assert f"| `{name}` | {ending}" in page


def test_every_script_names_the_versions_of_the_files():
    data, scripts = HERE.parent / "outside" / "data", HERE.parent / "outside" / "make"
    code = "".join(path.read_text() for path in scripts.glob("*.sh"))
    for path in data.iterdir():
        tool = re.match(r".+?-\d+(\.\d+)+", path.name)
        known = path.name in code or path.name.rsplit(".", 1)[0] in code
        assert known or (tool is not None and tool[0] in code), path.name


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize("each", CALLS, ids=[each.written.split(":")[0] for each in CALLS])
def test_every_command_of_the_page_runs(each):
    words, files = shlex.split(each.read), iter(each.files)
    data = HERE.parent / "outside" / "data"
    words = [
        str(data / next(files)) if re.fullmatch(r"[\w.]+\.(txt|csv|json|tab)", word) else word
        for word in words
    ]
    done = call("assess", *words)
    assert done.exit_code == 0, done.stderr


def test_a_file_is_recognized_within_20_ms():
    for path in (HERE.parent / "outside" / "data").iterdir():
        times = []
        for _ in range(5):
            start = time.process_time()
            recognized(str(path), path.name)
            times.append(time.process_time() - start)
        assert min(times) < 0.02, path.name
