"""`classay assess` of a folder, a pattern, or rows beyond memory."""

import json
import shlex
from pathlib import Path

import pytest

from classay.in_parts import commands, scan_arguments
from command import call, refusal
from days import write_days


@pytest.fixture(autouse=True)
def preds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_days(tmp_path)


def as_json(*given):
    call("assess", *given, "--truth", "y", "--score", "p", "--json", "a.json", "--positive", "1")
    found = json.loads(Path("a.json").read_text())
    del found["curves"]
    return found


def test_a_folder_and_a_pattern_are_their_files():
    wanted = as_json("all.parquet")
    assert as_json("preds") == wanted
    assert as_json("preds/*.parquet") == wanted
    assert as_json("all.parquet", "--memory", "100") == wanted


def test_decisions_of_a_folder_and_a_pattern_are_those_of_one_file():
    rows = [f"{i % 3 // 2},{(7 * i % 20) / 20}" for i in range(30)]
    Path("few").mkdir()
    for name, part in (("few.csv", rows), ("few/1.csv", rows[:14]), ("few/2.csv", rows[14:])):
        Path(name).write_text("\n".join(["y,p", *part]))

    def decided(name):
        done = call("decide", name, "--truth", "y", "--score", "p", "--top", "7", "--json", "-")
        return json.loads(done.stdout)

    wanted = decided("few.csv")
    assert decided("few") == wanted
    assert decided("few/*.csv") == wanted


def test_bins_and_first_rows_are_said():
    done = call("assess", "preds", "--truth", "y", "--score", "p", "--memory", "0")
    assert "stored in" in done.stdout
    done = call("assess", "preds", "--truth", "y", "--score", "p", "--limit-rows", "500")
    assert "first 500 rows" in " ".join(done.stdout.split())
    assert as_json("preds", "--memory", "0")["measures"]["roc_auc"]["certain"][0] < 0.9


def test_empty_folders_and_patterns_are_refused(tmp_path):
    (tmp_path / "none").mkdir()
    for name in ("none", "none/*.parquet"):
        assert f"{name} contains no file of rows" in refusal("assess", name, "--truth", "y", "--score", "p")


def test_a_pattern_that_begins_with_a_blank_finds_its_files():
    Path(" days").mkdir()
    Path("preds/0.parquet").rename(" days/0.parquet")
    done = call("assess", " days/*.parquet", "--truth", "y", "--score", "p")
    assert done.exit_code == 0, done.stderr


def test_a_decision_without_a_goal_names_options():
    done = call("decide", "all.parquet", "--truth", "y", "--score", "p")
    assert done.exit_code == 2
    assert "Use --cost, --top or --maximize, for example --cost fp=1 --cost fn=5" in done.stderr
    assert "cost=" not in done.stderr.replace("--cost", "")


def test_several_files_for_one_are_a_folder_or_a_pattern(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("y,p\n1,0.5\n0,0.4\n")
    assert "or a pattern in quotes" in call("assess", "a.csv", "b.csv").stderr
    assert "pattern" not in call("assess", "a.csv", "none").stderr
    assert call("assess", "*.csv", "--truth", "y", "--score", "p").exit_code == 0


def test_files_of_other_columns_are_described_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "days").mkdir()
    for k in (1, 2):
        (tmp_path / "days" / f"d{k}.csv").write_text(f"y,p{k}\n1,0.9\n0,0.2\n")
    for name in ("days", "days/*.csv"):
        done = call("assess", name)
        assert done.exit_code == 0, done.stderr
        assert "days/d1.csv" in done.stdout.replace("\\", "/")
        assert "--score p1" in done.stdout
        assert "--score p2" in done.stdout
        assert f"classay assess {shlex.quote(name)} --truth " in done.stdout


@pytest.mark.parametrize(
    ("cell", "share"), [("45,2%", "0.452"), ("45.2%", "0.452"), (" 7% ", "0.07"), ("-0.5%", "-0.005")]
)
def test_percentages_in_several_files_are_to_be_written_as_shares(tmp_path, monkeypatch, cell, share):
    monkeypatch.chdir(tmp_path)
    for name in "fg":
        (tmp_path / f"{name}.csv").write_text(f'y,p\n1,"{cell}"\n0,0.02\n')
    stderr = call("assess", "*.csv", "--score", "p", "--truth", "y").stderr
    assert f"Replace percentages with shares in the whole column, such as {share}." in stderr


def test_one_large_parquet_file_is_counted_as_a_folder(monkeypatch):
    monkeypatch.setattr(commands, "LARGE", 1)
    wanted, in_parts = as_json("preds"), []
    assess = commands.InParts.assess
    monkeypatch.setattr(
        commands.InParts, "assess", lambda *args: in_parts.append(args[1].file) or assess(*args)
    )
    for memory, found in ((100 * 1000, ["all.parquet"]), (100 * 2000, [])):  # of 1,200 rows
        in_parts.clear()
        monkeypatch.setattr(scan_arguments, "MEMORY", memory)
        assert as_json("all.parquet") == wanted
        assert in_parts == found
    monkeypatch.setattr(scan_arguments, "MEMORY", 0)
    for more in (("--by", "who"), ("--cluster", "who"), ("--id", "who")):  # which need all rows at once
        call("assess", "all.parquet", "--truth", "y", "--score", "p", *more)
    call("assess", "all.csv", "--truth", "y", "--score", "p")  # not there
    assert not in_parts


@pytest.mark.wings("validation", "label")
@pytest.mark.parametrize("beside", ["--development", "--design"])
@pytest.mark.parametrize(
    "option", [("--limit-rows", "5"), ("--memory", "1"), ("--dask", "local"), ("--refine",)]
)
def test_what_reads_all_rows_refuses_the_options_of_parts(beside, option):
    """They had been taken without a word, and all rows were used."""
    assert f"{option[0]} cannot be used with {beside}. Remove it." in refusal(
        "assess", "all.parquet", "--truth", "y", "--score", "p", beside, "other.parquet", *option
    )
