"""What groups of cases add to `comparison/test_graded.py`."""

import json

import pytest

import classay as ca
from command import call, refusal
from comparison.test_graded import TWO, N


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_the_gate_at_the_command_is_that_of_python(tmp_path, better):
    path = tmp_path / "g.csv"
    rows = ["a,b,q,half"]
    rows += [f"{a},{b},q{i // 4},{'xy'[i % 2]}" for i, (a, b) in enumerate(zip(*TWO.values(), strict=True))]
    path.write_text("\n".join(rows))
    words = ("gate", path, "--graded", "a,b", "--cluster", "q", "--by", "half", "--better", better)
    done = call(*words, "--measure", "grade", "--rule", "non-inferior", "--margin", "0.1", "--json", "-")
    question, half = [f"q{i // 4}" for i in range(N)], ["xy"[i % 2] for i in range(N)]
    found = ca.compare_values(TWO, cluster=question, by={"half": half}, better=better, measure="grade")
    made = ca.gate(found, "non-inferior", 0.1)
    said = json.loads(done.stdout)
    assert (said["verdict"], said["sentence"]) == (made.verdict.value, made.sentence)
    assert done.exit_code == {"pass": 0, "fail": 1}.get(said["verdict"], 3)
    for options, wanted in (
        (("--graded", "a"), "A gate needs two models, the new one first"),
        (("--graded", "a,b,q"), "--graded names 3: a, b and q"),
        (("--graded", "a,b", "--truth", "q"), "--truth cannot be used with --graded"),
        (("--scores", "a,b", "--measure", "auc", "--bounds", "0,1"), "--bounds 0,1 needs columns of values"),
    ):
        assert wanted in refusal("gate", path, "--rule", "superior", *options)
