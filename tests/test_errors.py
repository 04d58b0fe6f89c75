"""The texts of all errors, as a committed snapshot: a change of one is seen in review.

CLASSAY_SNAPSHOTS=rewrite writes the file anew.
"""

import os
from pathlib import Path

from classay.errors import ClassayError
from command import REFUSED, call, file_with
from refused_comparisons import CALLS, COMMANDS, FILES
from test_assess import REFUSED_CALLS

SNAPSHOT = Path(__file__).parent / "snapshots" / "errors.txt"


def error_texts():
    for name, (content, arguments) in REFUSED.items():
        yield f"command: {name}", call("assess", file_with(content), *arguments).stderr.strip()
        Path("preds.csv").unlink(missing_ok=True)
    for name, content in FILES.items():
        Path(name).write_text(content, encoding="utf-8")
    for name, arguments in COMMANDS.items():
        done = call(*arguments)
        yield f"command: {name}", done.stderr.strip() if done.exit_code == 2 else "accepted"
    for name, refused in (REFUSED_CALLS | CALLS).items():
        try:
            refused()
        except ClassayError as error:
            yield f"call: {name}", f"{type(error).__name__}: {error}"
        else:
            yield f"call: {name}", "accepted"


def test_error_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "".join(f"{name}\n    {error}\n" for name, error in error_texts())
    if os.environ.get("CLASSAY_SNAPSHOTS") == "rewrite":
        SNAPSHOT.write_text(text, encoding="utf-8")
    assert text == SNAPSHOT.read_text(encoding="utf-8")


def test_error_texts_read_well():
    for line in SNAPSHOT.read_text(encoding="utf-8").splitlines():
        assert " 1 rows" not in line
        assert "Traceback" not in line
        assert "accepted" not in line
