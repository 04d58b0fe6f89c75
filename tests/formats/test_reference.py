"""What the reference says of formats is held by tests, and every format is described."""

import time
from pathlib import Path

from manual.formats import SURPRISES, formats

from classay.sources.other_formats import recognized
from classay.wings import brought, thing

HERE = Path(__file__).parent


def test_every_surprise_has_its_test():
    code = "".join(path.read_text() for path in HERE.glob("test_*.py"))
    assert not [each.test for each in SURPRISES if f"def {each.test}(" not in code]


def test_every_format_is_on_the_page():
    page = formats()
    for name, place in brought("formats").items():
        assert f"| `{name}` | `{thing(place).endings[0]}`" in page


def test_every_script_names_the_versions_of_the_files():
    data, scripts = HERE.parent / "outside" / "data", HERE.parent / "outside" / "make"
    code = "".join(path.read_text() for path in scripts.glob("*.sh"))
    for path in data.iterdir():
        assert path.name in code or path.name.rsplit(".", 1)[0] in code, path.name


def test_a_file_is_recognized_within_20_ms():
    for path in (HERE.parent / "outside" / "data").iterdir():
        times = []
        for _ in range(5):
            start = time.process_time()
            recognized(str(path), path.name)
            times.append(time.process_time() - start)
        assert min(times) < 0.02, path.name
