"""Logs that were cut, that are damaged or of unknown versions, and tables that say too little: one line each."""

import json
import random
import zipfile
from pathlib import Path

import pytest

import classay as ca
from classay.grades.json_stream import CutJson, items, members
from classay.grades.log_formats import recognized
from classay.grades.reading import read_runs
from command import call

DATA = Path(__file__).parents[1] / "outside" / "data"
LOGS = sorted(
    path
    for path in DATA.glob("**/*")
    if path.name.startswith(("inspect", "samples_", "promptfoo", "deepeval", "mlflow-3.17.2-new"))
    and path.suffix != ".csv"
)


def refusal(*arguments):
    """The one line that the command says."""
    said = call("grades", *map(str, arguments))
    assert said.exit_code in (1, 2)
    assert not said.stdout
    (line,) = said.stderr.strip().splitlines()
    assert len(line) <= 300
    return line


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:30])
@pytest.mark.parametrize("share", [0.2, 0.6, 0.99])
def test_a_log_that_was_cut_gives_no_number(path, share, tmp_path):
    cut = tmp_path / path.name
    content = path.read_bytes()
    cut.write_bytes(content[: int(share * len(content))])
    if path.suffix == ".jsonl" and cut.read_bytes().endswith(b"}\n"):
        pytest.skip("cut between two lines")
    said = call("grades", str(cut), "--grade", "nothing")
    assert said.exit_code in (1, 2)
    assert not said.stdout
    assert "Traceback" not in said.stderr


def test_an_archive_that_was_cut_says_so(tmp_path):
    cut = tmp_path / "cut.eval"
    cut.write_bytes((DATA / "inspect-0.3.285-new.eval").read_bytes()[:5000])
    assert "not a complete archive" in refusal(cut)


def test_damaged_bytes_in_an_archive_are_noticed(tmp_path):
    content = bytearray((DATA / "inspect-0.3.285-new.eval").read_bytes())
    with zipfile.ZipFile(DATA / "inspect-0.3.285-new.eval") as archive:
        at = archive.getinfo("summaries.json").header_offset + 200
    content[at : at + 8] = b"\0" * 8
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(content)
    assert "It was cut or damaged" in refusal(damaged, "--grade", "match")


def test_a_newer_version_of_a_tool_is_read_with_a_warning(tmp_path):
    log = json.loads((DATA / "inspect-0.3.285-new.json").read_text())
    log["eval"]["packages"]["inspect_ai"] = "0.4.0"
    path = tmp_path / "newer.json"
    path.write_text(json.dumps(log))
    with pytest.warns(UserWarning, match=r"Inspect 0\.4\.0 is newer than 0\.3\.285"):
        ca.read_grades(path, grade="match")


def test_a_newer_version_of_promptfoo_is_told_of_each_run(tmp_path):
    log = json.loads((DATA / "promptfoo-0.123.1.json").read_text())
    path = tmp_path / "newer.json"
    for version, is_newer in (("0.123.1", False), ("1.0.0", True)):
        log["metadata"]["promptfooVersion"] = version
        path.write_text(json.dumps(log))
        for run in read_runs(path):
            assert run.tool_version == version
            told = f"promptfoo {version} is newer than 0.123.1, which was tried. Check some grades."
            assert (told in run.warnings) is is_newer


@pytest.mark.parametrize(
    "change",
    [
        {"samples": [{"id": 1}]},
        {"samples": [3]},
        {"samples": []},
        {"samples": [{"id": 1, "scores": [], "epoch": "x"}]},
        {"eval": [1, "eval_id"]},
        {"results": 7},
    ],
)
def test_a_log_of_other_content_gives_no_traceback(change, tmp_path):
    log = json.loads((DATA / "inspect-0.3.285-new.json").read_text())
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(log | change))
    said = call("grades", str(path), "--grade", "match", "--unanswered", "drop")
    assert "Traceback" not in said.stderr
    assert said.exit_code in (0, 1, 2)


def test_secrets_in_logs_are_never_echoed(tmp_path):
    log = json.loads((DATA / "inspect-0.3.285-new.json").read_text())
    log["eval"]["model_args"] = {"api_key": "sk-secret"}
    log["samples"][0]["error"] = {"message": "401 for key sk-secret", "traceback": "", "traceback_ansi": ""}
    path = tmp_path / "secret.json"
    path.write_text(json.dumps(log))
    said = call("grades", str(path), "--grade", "match", "--unanswered", "wrong", "--json", "-")
    assert said.exit_code == 0
    assert "secret" not in said.stdout.replace("secret.json", "") + said.stderr.replace("secret.json", "")


@pytest.mark.filterwarnings("ignore:1 of 3 rows of .* is an exact copy")
def test_duplicate_answers_are_refused(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("item,grade\na,1\nb,0\na,1\n")
    line = refusal(path, "--case", "item", "--grade", "grade")
    assert "1 answer more than once, such as case 'a', repeat 1. Use --repeat" in line
    path.write_text("item,epoch,grade\na,1,1\nb,1,0\na,2,1\n")
    assert call("grades", str(path), "--case", "item", "--grade", "grade", "--repeat", "epoch").exit_code == 0


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("item,grade\na,1\n", (), "so the column of grades is needed. Use --grade"),
        ("item,grade\na,1\n", ("--grade", "grade"), "so the column of cases is needed. Use --case"),
        ("item,grade\na,1\n", ("--grade", "grad", "--case", "item"), "Did you mean 'grade'?"),
        (
            "item,grade\na,good\n",
            ("--grade", "grade", "--case", "item"),
            "not numeric: 'good' (1). Use --map good=0",
        ),
        (
            "item,grade\na,1\n",
            ("--grade", "grade", "--case", "item", "--map", "1=x"),
            "Use a number, such as 1=0.5",
        ),
        (
            "item,grade\na,3\n",
            ("--grade", "grade", "--case", "item", "--bounds", "0,1"),
            "outside the bounds 0 to 1",
        ),
        ("item,grade\na,\n", ("--grade", "grade", "--case", "item"), "1 empty grade of 1"),
        (
            "item,e,grade\na,x,1\n",
            ("--grade", "grade", "--case", "item", "--repeat", "e"),
            "is not a whole number: 'x'",
        ),
    ],
)
def test_tables_that_say_too_little(text, arguments, said, tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(text)
    assert said in refusal(path, *arguments)


def test_an_array_of_objects_is_a_table_with_nested_fields(tmp_path):
    path = tmp_path / "grades.jsonl"
    rows = [{"q": {"id": k}, "result": {"grade": k % 2 == 0}} for k in range(6)]
    path.write_text(json.dumps(rows))
    found = ca.read_grades(path, grade="result.grade", columns=ca.GradeColumns(case="q.id"))
    assert found.runs[0].mapped.values.tolist() == [1, 0, 1, 0, 1, 0]


def test_a_missing_file_and_a_folder_without_logs(tmp_path):
    assert "File not found: nowhere.eval" in refusal("nowhere.eval")
    (tmp_path / "notes.txt").write_text("nothing")
    assert "no log of a known tool. Known: Inspect, lm-eval, promptfoo, deepeval and MLflow" in refusal(
        tmp_path
    )


def test_values_longer_than_a_piece_are_read(monkeypatch):
    monkeypatch.setattr("classay.grades.json_stream.CHUNK", 8)
    value = [{"text": "é" * 100, "number": 12345678901234567890}, [], {}, -1.5e10, None]
    text = json.dumps(value, ensure_ascii=False).encode()
    for size in (1, 3, 7, len(text)):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert [*items(pieces)] == value
    with pytest.raises(CutJson):
        [*items([text[:-1]])]
    with pytest.raises(CutJson):
        [*members([b'{"a" 1}'], ())]


ODD = [None, True, 0, -1, 1.5, "", "x", [], [1], {}, {"value": {"a": 1}}, float("nan"), 10**30, "\ud800"]


def altered(value, draw, share):
    """A JSON value of which some parts are replaced by anything."""
    if draw.random() < share:
        return draw.choice(ODD)
    if isinstance(value, dict):
        return {name: altered(part, draw, share) for name, part in value.items()}
    return [altered(part, draw, share) for part in value] if isinstance(value, list) else value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "path", [path for path in LOGS if path.suffix != ".eval"], ids=lambda path: path.name[:30]
)
def test_logs_of_any_content_give_a_frame_or_a_refusal(path, tmp_path):
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    odd = tmp_path / path.name
    n_read, refusals = 0, []
    for seed in range(40):
        draw = random.Random(seed)
        changed = [altered(json.loads(line), draw, draw.choice([0.002, 0.02])) for line in lines]
        odd.write_text("\n".join(json.dumps(line) for line in changed) + "\n")
        try:
            runs = [*read_runs(odd)] if recognized(str(odd)) else []
            for grade in {grade for run in runs for grade in run.grades}:
                ca.read_grades(odd, grade=grade.name, filter=grade.filter or None).frame()
                n_read += 1
        except ca.ClassayError as error:
            refusals.append(str(error))
    assert n_read
    assert not [text for text in refusals if "\n" in text or len(text) > 400]


def test_an_address_of_runs_is_refused_without_its_password():
    with pytest.raises(ca.FileError, match="not from addresses") as caught:
        ca.read_grades("https://ann:hunter2@example.invalid/run.json", grade="grade")
    assert "hunter2" not in str(caught.value)


def test_a_requirement_of_another_name_is_told_by_its_name(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("item,grade\na,1\nb,0\n")
    line = refusal(path, "--case", "item", "--grade", "grade", "--require", "difference.low >= -0.5")
    assert "A run of grades has no 'difference'" in line


@pytest.mark.parametrize("model", [(), ("--model", "m")], ids=["one run", "two models"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("row", [0, 3, 5])
def test_a_row_without_a_case_is_refused_by_its_number(row, ending, model, tmp_path):
    rows = [{"item": f"c{at // 2}", "grade": at % 2, "m": "uv"[at % 2]} for at in range(6)]
    rows[row]["item"] = ""
    path = tmp_path / f"run.{ending}"
    text = [",".join(map(str, each.values())) for each in rows] if ending == "csv" else map(json.dumps, rows)
    path.write_text("\n".join((["item,grade,m"] if ending == "csv" else []) + [*text]) + "\n")
    line = refusal(path, "--case", "item", "--grade", "grade", *model)
    assert f"Column 'item' of run.{ending} (case) is missing in row {row}," in line
