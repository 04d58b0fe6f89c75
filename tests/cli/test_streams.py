"""Exit codes and lines where standard output fails, names are long or no UTF-8, and a terminal has no width."""

import io
import os
import shlex
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from classay.__main__ import main
from classay.cli.failures import Tolerant, one_line
from command import SOURCE, call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="shells and devices differ")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    y = np.arange(150) % 2
    for name, gap in (("good", 0.5), ("bad", 0.1)):
        p = np.clip(0.3 + gap * y + rng.normal(0, 0.15, 150), 0.01, 0.99).round(4)
        (tmp_path / f"{name}.csv").write_text(
            "\n".join(["y,p", *(f"{a},{b}" for a, b in zip(y, p, strict=True))])
        )
    return tmp_path


PASSES = "gate good.csv bad.csv --truth y --score p --measure auc --rule superior"
FAILS = "gate bad.csv good.csv --truth y --score p --measure auc --rule superior"
MET, UNMET = (
    "assess good.csv --truth y --score p --require 'auc > " + bound + "'" for bound in ("0.5", "0.999")
)


def shell(line, **environment):
    """Exit code of classay in a line of bash, in which C is the command, and standard error."""
    here = os.environ | {"PYTHONPATH": SOURCE, "C": f"{shlex.quote(sys.executable)} -m classay"} | environment
    done = subprocess.run(["bash", "-c", line], capture_output=True, env=here, check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode()


WHERE = ("| true", ">/dev/full", ">&-")
"""A reader that leaves, a full device, a closed stream."""
QUICK = {(UNMET, "| true"), (PASSES, ">/dev/full"), ("--help", ">&-")}
"""One of each kind of verdict and of each way to fail."""


@pytest.mark.parametrize(
    ("command", "code", "where"),
    [
        pytest.param(command, code, where, marks=() if (command, where) in QUICK else pytest.mark.slow)
        for command, code in ((PASSES, 0), (FAILS, 1), (MET, 0), (UNMET, 1), ("--help", 0), ("measures", 0))
        for where in WHERE
    ],
)
def test_the_verdict_does_not_depend_on_who_reads(files, command, code, where):
    """Exit code 2 says that the output is lost, unless 1 already says that a demand is not met."""
    found, _, error = shell(f"set -o pipefail; $C {command} {where}")
    lost = where != "| true"
    assert found == (2 if lost and code == 0 else code)
    assert error.count("Cannot write to standard output") == lost
    assert "Traceback" not in error
    assert "Internal error" not in error


def test_text_and_bytes_come_in_the_order_in_which_they_were_written():
    """A text waits in the stream, and bytes go past it."""
    raw = io.BytesIO()
    stream = Tolerant(io.TextIOWrapper(raw, encoding="utf-8"))
    assert stream.write("one") == 3
    stream.write_bytes("é".encode())
    assert raw.getvalue() == "oneé".encode()
    stream.write("two")
    stream.flush()
    assert (raw.getvalue(), stream.error) == ("oneétwo".encode(), None)


@pytest.mark.parametrize("method", ["write", "flush", "write_bytes"])
def test_the_first_error_of_a_stream_is_kept_and_nothing_is_written_after_it(method):
    written = []

    class Failing(io.StringIO):
        buffer = property(lambda self: self)

        def write(self, content):
            if method != "flush":
                raise OSError(28, "full")
            written.append(content)

        def flush(self):
            if method == "flush":
                raise OSError(28, "full")

    stream = Tolerant(Failing())
    getattr(stream, method)(*(["a"] if method != "flush" else []))
    assert (stream.error.errno, written) == (28, [])
    first = stream.error
    stream.write("b")
    stream.write_bytes(b"c")
    stream.flush()
    assert (stream.error is first, written) == (True, [])


def test_standard_error_that_fails_changes_nothing(files):
    assert shell(f"$C {UNMET} >/dev/null 2>/dev/full")[0] == 1
    assert shell(f"$C {MET} >/dev/null 2>&-")[0] == 0


def test_an_output_opened_after_a_stream_was_closed_is_not_taken_for_it(files):
    code, _, _ = shell("$C assess good.csv --truth y --score p --json a.json --html a.html <&- >&- 2>&-")
    assert code == 2
    assert (files / "a.json").read_text().startswith("{")
    assert (files / "a.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    "line",
    [
        "assess {name}.csv --truth y --score p",
        "assess good.csv --truth y --score p --json {name}",
        "assess good.csv --truth y --score p --save {name}",
        "compare {name}.classay b.classay",
        "runs {name}.db",
        "demo {name}",
        "evaluate good.csv --target y --store {name}/runs.db",
    ],
)
def test_names_of_300_characters_end_in_a_line(files, line):
    done = call(*shlex.split(line.format(name="n" * 300)))
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) <= 301


def test_names_that_are_no_utf_8(files):
    for old, new in (("good", b"g\xf6\xf6d"), ("bad", b"b\xe4d")):
        os.rename(f"{old}.csv", new + b".csv")
    good, bad = (os.fsdecode(name) for name in (b"g\xf6\xf6d.csv", b"b\xe4d.csv"))
    rows = ("--truth", "y", "--score", "p")
    for words in (
        ("compare", good, bad, *rows, "--measures", "auc", "--json", "-"),
        ("assess", good, *rows, "--json", "a.json", "--html", "a.html", "--save", "a.classay"),
        ("gate", good, bad, *shlex.split(PASSES)[3:], "--markdown", "a.md"),
    ):
        done = call(*words)
        assert (done.exit_code, "Internal error" in done.stderr) == (0, False), done.stderr
    code, _, error = shell("$C compare g*d.csv b*d.csv --truth y --score p --measures auc --latex a.tex")
    assert (code, "Internal error" in error) == (0, False), error


@pytest.mark.parametrize("columns", ["0", "x", "1", "-5"])
def test_a_terminal_without_a_width(files, monkeypatch, columns):
    for command in (MET, "measures mcc", "--help"):
        monkeypatch.setenv("COLUMNS", columns)
        done = call(*shlex.split(command))
        assert done.exit_code == 0
        assert len(done.stdout) > 200
    if columns == "x":
        code, output, _ = shell(f"$C {MET}", COLUMNS=columns)
        assert code == 0
        assert len(output) > 200


def test_errors_are_one_short_line_without_hidden_characters(files):
    done = call("assess", "good.csv", "--truth", "a\x1b[2J\u202eb\a", "--score", "p")
    assert done.exit_code == 2
    assert not {"\x1b", "\u202e", "\a"} & {*done.stderr}
    done = call("assess", "good.csv", "--truth", "z" * 1_000_000, "--score", "p")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) <= 301
    assert done.stderr.rstrip().endswith("Columns: y, p.")
    assert one_line("a\n b") == "a b"


def test_an_interrupt_while_modules_are_read_is_one_line(monkeypatch, capsys):
    class Interrupted(ModuleType):
        def __getattr__(self, _):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "classay.cli", Interrupted("classay.cli"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr()) == (130, ("", "classay: interrupted.\n"))


def test_advice_is_never_cut_and_values_are():
    advice = "pass " + " ".join(f"--option-{k} X," for k in range(30)) + " or --last."
    assert one_line(f"column 'y' is odd: {advice}") == f"column 'y' is odd: {advice}"
    for value in ("z" * 9_999, f"'{'a b ' * 9_999}'", f"'{'é' * 500}'"):
        line = one_line(f"column {value} is odd: {advice}")
        assert line.endswith(f" is odd: {advice}")
        assert len(line) <= len(f"column  is odd: {advice}") + 60


def test_five_spellings_of_a_label_leave_the_way_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["healthy", "SICK", "sick", "SICK ", "healthy "]
    rows = "".join(f"{names[k % 5]},0.{k % 9}\n" for k in range(50))
    (tmp_path / "f.csv").write_text(f"y,p\n{rows}")
    said = call("assess", "f.csv", "--truth", "y", "--score", "p").stderr
    assert "--class-scores 'SICK=COL" in said
    assert "use one spelling" in said
    assert "…" not in said.replace("COL,…", "")
