"""What the reference says of logs is held by tests, and every log is described."""

from pathlib import Path

from manual.logs import SURPRISES, logs

from classay.grades.log_formats import FORMATS

HERE = Path(__file__).parent


def test_every_surprise_of_logs_has_its_test():
    code = "".join(path.read_text() for path in HERE.glob("test_*.py"))
    assert not [each.test for each in SURPRISES if f"def {each.test}(" not in code]


def test_every_log_is_on_the_page():
    page = logs()
    assert not [known for known in FORMATS if f"| {known.tried} |" not in page]
