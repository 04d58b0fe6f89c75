"""The command: every format, option, refusal and report."""

import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import classay as ca
from classay import compiled
from classay.assessment.headline import PROMOTED, TABLE_NOTES
from classay.cli.commands import without_file
from classay.cli.failures import EXITS
from classay.texts import DoorText
from classay.warned import Warned
from command import (
    CLASSES,
    LABELS,
    REFUSED,
    REPORTED,
    SCORE,
    SOURCE,
    TEXT,
    THREE,
    TWO,
    call,
    file_with,
    refusal,
    result,
    start,
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- real processes


ROWS = 60
_random = np.random.default_rng(5)
TRUTH = [["ham", "spam"][k] for k in _random.integers(0, 2, ROWS)]
SCORES = [round(float(s), 6) for s in _random.random(ROWS)]
TABLE = pa.table({"id": range(ROWS), "truth": TRUTH, "score": SCORES})


def written(suffix):
    if suffix in ("csv", "tsv"):
        comma = "," if suffix == "csv" else "\t"
        rows = zip(*TABLE.to_pydict().values(), strict=True)
        return "\n".join(comma.join(map(str, row)) for row in [TABLE.column_names, *rows]).encode()
    if suffix == "jsonl":
        return "\n".join(map(json.dumps, TABLE.to_pylist())).encode()
    sink = io.BytesIO()
    if suffix == "parquet":
        pyarrow.parquet.write_table(TABLE, sink)
    else:
        pyarrow.feather.write_feather(TABLE, sink)
    return sink.getvalue()


@pytest.fixture(scope="module")
def expected():
    return ca.assess(TRUTH, SCORES, positive="spam").to_dict()


COLUMNS = ("--truth", "truth", "--score", "score", "--positive", "spam", "--json", "-")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "feather", "jsonl", "csv.gz", "stdin"])
def test_every_format_gives_the_same_json(folder, expected, suffix):
    stdin = None
    if suffix == "stdin":
        arguments, stdin = ("-", "--format", "parquet"), written("parquet")
    else:
        content = written(suffix.removesuffix(".gz"))
        (folder / f"preds.{suffix}").write_bytes(
            gzip.compress(content) if suffix.endswith(".gz") else content
        )
        arguments = (f"preds.{suffix}",)
    done = call("assess", *arguments, *COLUMNS, stdin=stdin)
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout) == json.loads(json.dumps(expected))


def test_json_is_utf_8_and_texts_are_printable_whatever_the_terminal(folder):
    name = file_with(TEXT.replace("spam", "🐶"))
    arguments = ("assess", name, *SCORE, "--positive", "🐶")
    done = start(*arguments, "--json", "-", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.decode("utf-8"))["positive"] == "🐶"
    done = start("assess", name, "--truth", "y", "--score", "🐱", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert rb"preds.csv has no column '\U0001f431'" in done.stderr


def on_a_terminal(*arguments, **environment):
    """What the command writes to standard output when that is a terminal."""
    leader, follower = pty.openpty()
    here = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    here |= {"PYTHONPATH": SOURCE, "TERM": "xterm-256color", "COLUMNS": "100"} | environment
    with subprocess.Popen(
        [sys.executable, "-m", "classay", *arguments], stdout=follower, stderr=subprocess.DEVNULL, env=here
    ) as process:
        os.close(follower)
        read = b""
        try:
            while piece := os.read(leader, 65536):
                read += piece
        except OSError:  # how Linux says that the other end was closed
            pass
        os.close(leader)
    assert process.returncode == 0
    return read.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="terminals differ")
def test_colour_on_a_terminal_and_none_where_it_is_unwanted():
    arguments = ("assess", file_with(TWO), *SCORE)
    colour = re.compile(r"\x1b\[[0-9;]*38;5;")
    assert colour.search(on_a_terminal(*arguments))
    plain = on_a_terminal(*arguments, NO_COLOR="1")
    assert not colour.search(plain)
    assert "ROC AUC" in plain


# --- in this process


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    content, arguments = REFUSED[name]
    done = call("assess", file_with(content), *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert re.fullmatch(r"classay: [^\n]{20,}\n", done.stderr), done.stderr


@pytest.mark.parametrize("name", REPORTED)
def test_reported(name):
    content, arguments, codes, reasons = REPORTED[name]
    found = result(content, arguments)
    assert codes <= {each["code"] for each in found["warnings"]}
    for measure, reason in reasons.items():
        assert reason in found["measures"][measure]["reason"], measure
    done = call("assess", file_with(content), *arguments)
    assert done.exit_code == 0
    flat = " ".join(done.stdout.replace("┃", "").split())
    leads = {each["code"] for each in found["headline"]}
    for sentence in (each["sentence"] for each in found["headline"]):
        assert " ".join(sentence.split()) in flat
    for each in found["warnings"]:
        if each["code"] not in leads | TABLE_NOTES | {*PROMOTED} | {"never_predicted", "not_above_baseline"}:
            sentence = DoorText.of(Warned(each["code"], each["text"]).sentence)
            said, _, _ = " ".join(sentence.split()).partition(" Pass ")  # the report advises options instead
            assert said in flat


def test_values_beside_the_reasons():
    infinite = result(*REPORTED["certain and wrong"][:2])["measures"]["log_loss"]
    assert infinite["value"] == "Infinity"
    assert infinite["low"] is None
    equal = result(*REPORTED["all scores equal"][:2])["measures"]
    assert (equal["roc_auc"]["value"], equal["average_precision"]["value"]) == (0.5, 0.5)
    perfect = result(*REPORTED["perfect separation"][:2])["measures"]["roc_auc"]
    assert perfect["value"] == perfect["high"] == 1
    assert perfect["method"] == "Newcombe-5"
    ranked = result(*REPORTED["scores outside [0, 1]"][:2])
    assert ranked["measures"]["roc_auc"]["value"] == 0.75
    assert ranked["threshold"] is ranked["confusion_matrix"] is None
    assert result(*REPORTED["dropped rows"][:2])["dropped"] == 1


def test_the_terminal_shows_all_that_a_reader_needs():
    done = call("assess", file_with(TEXT), *SCORE, "--positive", "spam")
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    for text in (
        "ham: 2, spam: 2",
        "0.5 (default, not chosen for these data)",
        "2 of 4 cases are positive: ROC AUC is ",
        "predicted   ham  spam  total",
        "Ranking",
        "Probability",
        "Threshold measures (default 0.5)",
        "DeLong",
        "What the intervals cover",
        "Next steps",
    ):
        assert text in done.stdout


def test_without_truth_the_columns_are_listed():
    done = call("assess", file_with(TEXT))
    assert done.exit_code == 0
    assert re.search(r"^ +y +(string|text)\b", done.stdout, re.MULTILINE)
    assert "--truth" in done.stdout


@pytest.mark.parametrize(
    ("content", "typed", "positive"),
    [
        (TWO, "1", 1),
        (TWO, "0", 0),
        (TWO.replace("0,", "false,").replace("1,", "true,"), "true", True),
        (TWO.replace("0,", "false,").replace("1,", "true,"), "1", True),
        (TWO.replace("0,", "-1,"), "-1", -1),
        (TWO.replace("0,", "2.5,"), "2.5", 2.5),
        (TEXT, "spam", "spam"),
        (TEXT.replace("spam", '"a, b"'), "a, b", "a, b"),
        ("y,p\n0,.1\n0,.2\n", "1", 1),
    ],
)
def test_positive_matches_a_typed_label(content, typed, positive):
    found = result(content, (*SCORE, "--positive", typed))
    assert (found["positive"], type(found["positive"])) == (positive, type(positive))


def test_measures_by_name_alias_and_all_of_them():
    done = call("assess", file_with(TWO), *SCORE, "--measures", "auc, mcc,Balanced-Accuracy")
    assert done.exit_code == 0
    assert "ROC AUC" in done.stdout
    assert "Recall" not in done.stdout
    found = result(TWO, (*SCORE, "--measures", "auc,mcc"))
    assert list(found["measures"]) == ["roc_auc", "matthews_correlation"]
    main, every = (call("assess", "preds.csv", *SCORE, *more).stdout for more in ((), ("--all",)))
    assert "Gini" not in main
    assert "Gini" in every
    labels, averages = every.split("Averages over both classes")
    assert "macro average" not in labels + main
    assert "F1, macro average" in averages
    assert "Averages over both classes" not in call("assess", file_with(THREE), *CLASSES, "--all").stdout


def test_level_and_seed_are_used_and_printed():
    wide, narrow = (
        result(TWO, (*SCORE, "--level", level))["measures"]["recall"] for level in ("0.99", "0.8")
    )
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert (wide["level"], narrow["level"]) == (0.99, 0.8)
    one, two, again = (result(TWO, (*SCORE, "--seed", seed)) for seed in "121")
    assert one == again
    assert one["seed"] == 1
    assert one["measures"]["f2"] != two["measures"]["f2"]  # from draws
    assert one["measures"]["recall"] == two["measures"]["recall"]
    shown = call("assess", "preds.csv", *SCORE, "--level", "0.99", "--seed", "3").stdout
    assert "99% CI" in shown
    assert "draws (seed 3)" in " ".join(shown.split())


def test_threshold():
    found = result(TWO, (*SCORE, "--threshold", "0.4"))
    assert (found["threshold"], found["threshold_chosen"]) == (0.4, True)
    assert found["confusion_matrix"]["counts"] == [[1, 0], [1, 2]]
    assert "default_threshold" not in {each["code"] for each in found["warnings"]}


def test_frequencies_are_repeated_rows():
    counted = result("y,p,f\n0,.1,3\n1,.8,2\n0,.6,0\n1,.4,1\n", (*SCORE, "--frequency", "f"))
    repeated = result("y,p\n0,.1\n0,.1\n0,.1\n1,.8\n1,.8\n1,.4\n", SCORE)
    assert counted["measures"] == repeated["measures"]
    assert (counted["n"], counted["rows"], counted["weights"]) == (6, 3, "frequency")


def test_weights_and_clusters_are_told_apart():
    found = result("y,p,w,g\n0,.1,1,a\n1,.8,2,a\n0,.6,1,b\n", (*SCORE, "--weight", "w", "--cluster", "g"))
    assert (found["n"], found["weights"], found["clusters"]) == (3, "sampling", 2)
    assert found["measures"]["accuracy"]["value"] == 0.75
    assert found["measures"]["accuracy"]["method"].startswith("clusters, Wilson")


def test_hard_labels_scores_and_both():
    content = "y,q,p\nham,ham,.1\nspam,ham,.8\nham,spam,.6\nspam,spam,.4\n"
    hard = result(content, (*LABELS, "--positive", "spam"))
    both = result(content, (*LABELS, "--score", "p", "--positive", "spam"))
    assert "roc_auc" not in hard["measures"]
    assert both["measures"]["roc_auc"]["value"] == 0.75
    assert both["confusion_matrix"] == hard["confusion_matrix"]
    assert both["threshold"] is None


def test_several_classes():
    found = result(THREE, CLASSES)
    assert (found["labels"], found["positive"], found["threshold"]) == (["u", "v", "w"], None, None)
    assert [each["label"] for each in found["per_class"]] == ["u", "v", "w"]
    assert {"hand_till_auc", "multiclass_brier_score", "macro_f1"} <= set(found["measures"])
    numbers = result(
        "y,a,b,c\n1,.7,.2,.1\n2,.2,.5,.3\n3,.4,.2,.4\n", ("--truth", "y", "--class-scores", "1=a,2=b,3=c")
    )
    assert numbers["labels"] == [1, 2, 3]
    two = "y,a,b\nham,.9,.1\nspam,.2,.8\nham,.4,.6\nspam,.6,.4\n"
    found = result(two, ("--truth", "y", "--class-scores", "ham=a,spam=b", "--positive", "spam"))
    assert (found["positive"], found["measures"]["roc_auc"]["value"]) == ("spam", 0.75)


def test_outputs_are_written_and_named(folder):
    done = call(
        "assess", file_with(TWO), *SCORE, "--json", "a.json", "--save", "a.classay", "--html", "a.html"
    )
    assert done.exit_code == 0
    assert done.stderr == "wrote a.classay\nwrote a.html\nwrote a.json\n"
    found = ca.load("a.classay").to_dict()
    assert json.loads((folder / "a.json").read_text(encoding="utf-8")) == json.loads(json.dumps(found))
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert page.casefold().startswith("<!doctype html>")
    assert not re.search(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?https?:", page)


def test_json_on_standard_output_is_alone_there(folder):
    done = call("assess", file_with(TWO), *SCORE, "--json", "-", "--html", "a.html")
    json.loads(done.stdout)
    assert done.stderr == "wrote a.html\n"


def test_json_lines_stay_short_and_few():
    text = call("assess", file_with(TWO), *SCORE, "--json", "-").stdout
    assert '"counts": [\n      [1, 1],\n      [1, 1]\n    ]' in text
    assert len(text.splitlines()) < 380  # each of 15 curves takes 12


def test_what_cannot_be_written_leaves_the_old_file(folder, monkeypatch):
    (folder / "a.json").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    done = call("assess", file_with(TWO), *SCORE, "--json", "a.json")
    assert done.exit_code == 2
    assert done.stderr == "classay: Cannot write a.json: No space left on device.\n"
    assert (folder / "a.json").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["a.json", "preds.csv"]


def test_out_of_memory_is_one_line_and_71(monkeypatch):
    def full(*_, **__):
        np.empty(2**57)

    monkeypatch.setattr("classay.assessment.assessing.of_predictions", full)
    monkeypatch.setenv("CLASSAY_DEBUG", "")
    done = call("assess", file_with(TWO), *SCORE)
    assert (done.exit_code, done.stdout) == (71, "")
    assert done.stderr.startswith("classay: There is not enough memory for this input.")
    monkeypatch.setattr("classay.cli.failures.TyperGroup.main", full)  # before a command begins
    assert call("assess", file_with(TWO), *SCORE).exit_code == 71
    monkeypatch.undo()
    shown = " ".join(call("--help").stdout.split())
    assert all(f"{code} " in shown.partition("Exit codes:")[2] for code in EXITS)
    table = (Path(__file__).parents[2] / "docs" / "by-example.md").read_text(encoding="utf-8")
    assert all(f"| {code} | " in table for code in EXITS)


def test_a_fault_of_our_own_is_one_line_and_70(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("boom\nbang")

    monkeypatch.setattr("classay.assessment.assessing.of_predictions", broken)
    monkeypatch.setenv("CLASSAY_DEBUG", "")
    done = call("assess", file_with(TWO), *SCORE)
    assert (done.exit_code, done.stdout) == (70, "")
    assert re.fullmatch(r"classay: Internal error \(RuntimeError: boom bang\)[^\n]+\n", done.stderr)
    done = call("--debug", "assess", file_with(TWO), *SCORE)
    assert done.exit_code == 70
    assert "Traceback" in done.stderr
    assert "in broken" in done.stderr


def test_measures_are_listed_and_explained(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # of a pipe whose reader said nothing of a width
    done = call("measures")
    assert done.exit_code == 0
    assert {"roc_auc", "brier_score", "top_2_accuracy"} <= set(done.stdout.split())
    assert all(name in done.stdout for name in ca.MEASURES)
    done = call("measures", "MCC")
    assert all(text in done.stdout for text in ("matthews_correlation", "formula", "[-1, 1]", "reference"))
    for command in ("measures", "measures MCC", "protocols", "protocols 10x10"):
        lines = call(*command.split()).stdout.split("\n")
        assert all(line == line.rstrip() for line in lines), "a pipe gets no line that is filled up"
    assert "Did you mean 'precision'?" in refusal("measures", "precison")


def test_version_and_usage():
    assert call("--version").stdout == f"classay {ca.__version__}\n"
    for arguments in (
        ("assess",),
        ("assess", "x.csv", "--tuth", "y"),
        ("asess",),
        ("assess", "x", "--seed", "a"),
    ):
        done = call(*arguments)
        assert (done.exit_code, done.stdout) == (2, "")
        assert re.fullmatch(r"classay: [^\n│]+( See `\S+( assess)? --help`\.)?\n", done.stderr), done.stderr
    assert call("assess", "x.csv", "--tuth", "y").stderr.startswith("classay: No such option: --tuth")
    elsewhere = call("assess", "x.csv", "--truth", "y", "--scores", "a,b").stderr
    assert "This is an option of `classay compare`, `classay best` and `classay gate`. See" in elsewhere
    assert "Usage" in call().output
    assert call("assess", "--help").exit_code == 0


def test_a_thousand_classes(folder):
    random = np.random.default_rng(0)
    names = [f"class {i:03}" for i in range(1000)]
    true = random.integers(0, 1000, 5000)
    said = np.where(random.random(5000) < 0.7, true, random.integers(0, 1000, 5000))
    rows = [f"{names[t]},{names[s]}" for t, s in zip(true.tolist(), said.tolist(), strict=True)]
    begun = time.process_time()
    done = call("assess", file_with("y,q\n" + "\n".join(rows)), *LABELS, "--json", "a.json")
    assert time.process_time() - begun < 10
    found, shown = json.loads((folder / "a.json").read_text(encoding="utf-8")), done.stdout
    assert len(found["per_class"]) == len(found["labels"])
    assert "many_classes" in {each["code"] for each in found["warnings"]}
    assert "The table shows the 11 of 1,000 classes with the most errors." in shown
    assert len(shown.splitlines()) < 135


def test_the_predictions_are_never_replaced(folder):
    for option in ("--json", "--html"):
        refusal("assess", file_with(TWO), *SCORE, option, folder / "preds.csv")
    assert call("assess", file_with(TWO), *SCORE, "--save", folder / "preds.csv").exit_code == 0
    assert (folder / "preds.csv.classay").exists()
    assert (folder / "preds.csv").read_text() == TWO


def test_what_all_measures_of_a_group_lack_is_said_once():
    shown = call("assess", file_with("y,p\n0,-3\n1,7\n0,8\n"), *SCORE).stdout
    assert shown.count("no default threshold") == 1
    assert "Accuracy" not in shown


@pytest.mark.parametrize(
    ("can", "unkept", "folder", "words"),
    [
        (False, [], "here", "Numba is not installed or CLASSAY_NUMBA is 0"),
        (True, ["no space"], "here", r"1 compiled loops cannot be cached \(no space\)"),
        (True, [], None, "no folder is writable"),
        (True, [], "here", ""),
    ],
)
def test_loops_that_cannot_be_kept_are_told(can, unkept, folder, words, monkeypatch, capsys):
    kept = SimpleNamespace(cache_path=folder, cache_misses={"of one type": 2})
    loops = {
        "one": SimpleNamespace(compiled=SimpleNamespace(signatures=[1], stats=kept)),
        "never called": SimpleNamespace(compiled=SimpleNamespace(signatures=[], stats=kept)),
        "never compiled": SimpleNamespace(),
    }
    for name, value in (("can_compile", lambda: can), ("UNKEPT", unkept), ("KERNELS", loops)):
        monkeypatch.setattr(compiled, name, value)
    monkeypatch.setattr(without_file, "_work_of_loops", list)
    if words:
        with pytest.raises(ca.InputError, match=words):
            without_file.compile_loops()
    else:
        without_file.compile_loops()
        assert capsys.readouterr().out == "1 loop cached in here, 1 compiled now.\n"
