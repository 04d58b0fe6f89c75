"""Files, folders and their commands count tags as `assess` counts them, and say the same."""

import json

import pytest

import classay as ca
from classay.errors import InputError
from command import call, refusal
from multilabel import test_one_hot as one_hot
from multilabel import test_tags_missing as tags_missing_tests
from multilabel.test_one_hot import AMBIGUOUS, LOGITS, NAMED
from multilabel.test_tag_options import ODD, WAYS, A, told, write_parts
from multilabel.test_tag_options import test_what_tags_are_called_changes_no_number as names_change_nothing
from multilabel.test_tags_missing import FRAME, LACKING, of_rows

NEAR = {"rel": 1e-9, "abs": 1e-12}


def test_cases_without_a_tag_in_files_parts_and_the_command(tmp_path):
    lines = FRAME.to_csv(index=False).splitlines()
    (tmp_path / "p.csv").write_text("\n".join(lines))
    parts = tmp_path / "parts"
    parts.mkdir()
    for name, rows in (
        ("a", tags_missing_tests.GONE),
        ("b", ~tags_missing_tests.GONE),
    ):  # of one part every case lacks a tag
        FRAME[rows].to_parquet(parts / f"{name}.parquet")
    whole = of_rows(LACKING, missing="drop")
    for source in (tmp_path / "p.csv", parts):
        scanned = ca.scan(source, truth="y_*", score="p_*", missing="drop")
        assert (scanned["micro_f1"], scanned.dropped) == (whole["micro_f1"], 9)
        columns = (str(source), "--truth-tags", "y_*", "--tag-scores", "p_*")
        done = call("assess", *columns, "--missing", "drop", "--json", "-")
        assert json.loads(done.stdout)["dropped"] == 9
        assert "Use --missing drop to exclude cases with a missing true tag" in refusal("assess", *columns)
    file = str(tmp_path / "p.csv")
    decided = call("decide", file, *columns[1:], "--missing", "drop", "--cost", "fp=1", "--cost", "fn=2")
    assert "9 rows with a missing true tag" in decided.stdout


@pytest.fixture
def parts(tag_files):
    write_parts()


@pytest.mark.parametrize("names", ODD)
def test_what_tags_are_called_changes_no_number_of_a_folder(tag_files, names):
    names_change_nothing(tag_files, names, "odd")


@pytest.mark.parametrize("way", [way for way in WAYS if "long" not in way])
def test_a_folder_of_tags_gives_what_one_file_gives(parts, way):
    found, wanted = told("parts", *WAYS[way][1:]), told(*WAYS[way])
    assert found["tags"] == wanted["tags"]
    for name, one in found["measures"].items():
        two = wanted["measures"][name]
        assert {k: v for k, v in one.items() if k not in ("value", "low", "high")} == {
            k: v for k, v in two.items() if k not in ("value", "low", "high")
        }
        for each in ("value", "low", "high"):
            assert one.get(each) == pytest.approx(two.get(each), **NEAR), name


def test_a_folder_of_tags_with_thresholds_a_limit_and_memory(parts):
    more = ("--tag-thresholds", "a=0.3,b=0.5,c=0.7", "--memory", "9")
    found = told("parts", *WAYS["patterns"][1:], *more)
    assert found["measures"]["micro_f1"]["value"] == pytest.approx(A.at([0.3, 0.5, 0.7])["micro_f1"].value)
    assert told("wide.csv", *WAYS["patterns"][1:], "--limit-rows", "9")["rows"] == 9


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            ("--case", "a", "--tag", "b", "--truth", "a", "--score", "p_a"),
            "--case and --tag need one file, because the rows of a case may be in",
        ),
        ((*WAYS["patterns"][1:], "--by", "tags"), "--by needs all rows at once"),
        ((*WAYS["patterns"][1:], "--refine"), "--refine cannot be used with --truth-tags (multilabel)"),
    ],
)
def test_what_parts_of_tags_cannot_do(parts, more, words):
    assert words in refusal("assess", "parts", *more)


def test_one_hot_truth_in_parts():
    with pytest.raises(InputError, match=AMBIGUOUS):
        ca.scan(one_hot.FRAME, **NAMED)
    assert ca.scan(one_hot.FRAME, **NAMED, task="tags")["micro_f1"].value > 0
    with pytest.raises(InputError, match="task='classes' contradicts"):
        ca.scan(one_hot.FRAME, **NAMED, task="classes")


@pytest.mark.parametrize("scale", [{}, {"score_scale": "logit"}])
def test_one_hot_truth_beside_raw_scores_in_parts(scale):
    frame = one_hot.FRAME.assign(**{f"p_{c}": LOGITS[:, i] for i, c in enumerate("abc")})
    with pytest.raises(InputError, match=AMBIGUOUS):
        ca.scan(frame, **NAMED, **scale)
    assert ca.scan(frame, **NAMED, **scale, task="tags") is not None
