"""What the reference says of formats is held by tests, and every format is described."""

from pathlib import Path

from manual.formats import SURPRISES, formats

from classay.wings import brought, thing

HERE = Path(__file__).parent


def test_every_surprise_has_its_test():
    code = "".join(path.read_text() for path in HERE.parent.glob("*/test_*.py"))
    assert not [each.test for each in SURPRISES if f"def {each.test}(" not in code]


def test_every_format_is_on_the_page():
    page = formats()
    for name, place in brought("formats").items():
        ending = "".join(f"`{each}`" for each in thing(place).endings[:1]) or "a folder"
        assert f"| `{name}` | {ending}" in page


def test_every_script_names_the_versions_of_the_files():
    data, scripts = HERE.parent / "outside" / "data", HERE.parent / "outside" / "make"
    code = "".join(path.read_text() for path in scripts.glob("*.sh"))
    for path in data.iterdir():
        assert path.name in code or path.name.rsplit(".", 1)[0] in code, path.name
