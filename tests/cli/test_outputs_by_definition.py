"""What the outputs of one call share: title, verdict and facts; text, JSON, page, Markdown, LaTeX and exit code."""

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from classay.cli.failures import _Closed
from classay.cli.given import described_tests
from classay.cli.outputs import Rendering, data_of
from classay.comparison.named_tests import DIFFERENT_TEST_SETS, ONE_TEST_SET, TESTS
from command import call

N = 60
Y = np.arange(N) % 2
RNG = np.random.default_rng(3)
P, Q = (np.clip(0.4 + 0.25 * Y + RNG.normal(0, 0.25, N), 0.01, 0.99).round(3) for _ in "pq")


@pytest.fixture(scope="module")
def rows():
    lines = [
        f"{y},{p},{q},{int(p > 0.5)},{'uv'[k // 2 % 2]}"
        for k, (y, p, q) in enumerate(zip(Y, P, Q, strict=True))
    ]
    return "\n".join(["y,p,q,l,g", *lines]) + "\n"


@pytest.fixture
def folder(tmp_path, monkeypatch, rows):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(rows)


PAGES = ("--html", "a.html", "--markdown", "a.md")


def titles(done):
    """The titles of the text, the page and the Markdown of a call."""
    page = Path("a.html").read_text(encoding="utf-8")
    head = unescape(re.sub("<[^>]*>", "", re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)[1])).replace(
        "\u200b", ""
    )
    mark = Path("a.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("### ").replace("\\", "")
    text = done.stdout.splitlines()[0].rpartition("  classay ")[0].strip()
    return {" ".join(title.split()) for title in (text, head, mark)}


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        (("assess", "rows.csv", "--truth", "y", "--score", "p"), "Assessment of p on rows.csv"),
        (("assess", "rows.csv", "--truth", "y", "--prediction", "l"), "Assessment of l on rows.csv"),
        (("assess", "rows.csv", "--truth", "y", "--score", "q", "--prediction", "l"), "Assessment of q on rows.csv"),
        (("assess", "rows.csv", "--truth", "y", "--class-scores", "0=q,1=p"), "Assessment of rows.csv"),
        (("assess", "--counts", "tp=4,fp=1,fn=2,tn=9"), "Assessment of tp=4,fp=1,fn=2,tn=9"),
    ],
)  # fmt: skip
def test_every_form_has_the_same_title(folder, arguments, title):
    assert titles(call(*arguments, *PAGES)) == {title}


@pytest.mark.wings("groups")
def test_a_title_names_the_columns_of_groups(folder):
    done = call("assess", "rows.csv", "--truth", "y", "--score", "p", "--by", "g", *PAGES)
    assert titles(done) == {"Assessment of p on rows.csv by g"}


GATE = ("gate", "rows.csv", "--truth", "y", "--scores", "p,q", "--measure", "auc")
OPEN = ("--rule", "non-inferior", "--margin", "0.0001")


@pytest.mark.parametrize(
    ("choice", "code", "said"),
    [
        (None, 3, None),
        ("report", 3, None),
        ("fail", 1, "counted as failed (--inconclusive fail)"),
        ("pass", 0, "counted as passed (--inconclusive pass)"),
    ],
)
def test_what_is_inconclusive_counts_as_it_was_told_in_every_form(folder, choice, code, said):
    more = () if choice is None else ("--inconclusive", choice)
    done = call(*GATE, *OPEN, *more, *PAGES)
    assert done.exit_code == code, done.stderr
    forms = [done.stdout, *(Path(name).read_text(encoding="utf-8") for name in ("a.html", "a.md"))]
    for text in forms:
        plain = unescape(re.sub("<[^>]*>|\\\\", "", text))
        assert ("counted as" in plain) == (said is not None)
        assert said is None or said in plain
    facts = json.loads(call(*GATE, *OPEN, *more, "--json", "-").stdout)
    assert facts["verdict"] == "cannot tell"


@pytest.mark.parametrize("choice", ["fail", "pass"])
def test_a_verdict_that_is_known_counts_as_it_is(folder, choice):
    """An option for what is inconclusive says nothing of it."""
    for measure, code in (("brier_score > 0.9", 1), ("brier_score <= 0.9", 0)):
        done = call(
            *GATE, "--rule", "not-worse", "--margin", "0.9", "--require", measure, "--inconclusive", choice
        )
        assert "counted as" not in done.stdout
        assert done.exit_code == code, (done.stdout, done.stderr)


def test_data_are_named_by_one_file():
    named = [data_of(files) for files in (["a/b.csv"], ["-"], ["a.csv", "b.csv"], [])]
    assert named == ["b.csv", "standard input", "", ""]


def test_a_result_without_pages_has_no_form_of_them():
    lines = Rendering(shown=lambda: ["x"], json=lambda: "{}")
    assert [lines.maker(name) for name in ("html", "latex", "markdown", "thresholds", "junit")] == [None] * 5
    assert lines.maker("json")() == "{}"


def test_a_closed_stream_is_no_terminal_and_fails():
    stream = _Closed()
    assert not stream.isatty()
    with pytest.raises(OSError, match="the stream is closed"):
        stream.buffer.write(b"")


def test_the_help_names_every_test_once_with_what_it_is_of():
    text = described_tests()
    wheres = dict.fromkeys(test.where for test in TESTS)
    assert text.count(": ") == len(wheres)
    for where in wheres:
        lead = where.removeprefix("on ").removeprefix("over ")
        part = re.search(rf"{lead[0].upper()}{lead[1:]}: ([^.]*)\.", text)[1]
        has_kinds = where in (ONE_TEST_SET, DIFFERENT_TEST_SETS)
        pairs = {
            (test.of.split(" of ")[0] if has_kinds else "", test.name)
            for test in TESTS
            if test.where == where
        }
        groups, kinds = part.split("; "), {kind for kind, _ in pairs}
        found = [name for group in groups for name in re.sub(r" \([^()]*\)$", "", group).split(", ")]
        assert sorted(found) == sorted(name for _, name in pairs)
        if len(kinds) > 1:
            assert {re.search(r" \(([^()]*)\)$", group)[1] for group in groups} == kinds
        else:
            assert "(" not in part


@pytest.mark.wings("formats")
def test_a_pattern_of_class_scores_is_the_columns_that_it_matches(folder):
    text = Path("rows.csv").read_text()
    Path("a.csv").write_text(text.replace("y,p,q", "y,p_1,p_0", 1))
    Path("b.csv").write_text(text.replace("y,p,q", "y,p_0,p_1", 1))
    usual = ("compare", "a.csv", "b.csv", "--truth", "y", "--measures", "accuracy", "--json", "-")
    pattern, names = (call(*usual, "--class-scores", columns) for columns in ("p_*", "0=p_0,1=p_1"))
    assert pattern.exit_code == 0, pattern.stderr
    assert json.loads(pattern.stdout) == json.loads(names.stdout)
