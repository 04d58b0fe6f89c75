"""What periods of time add to `cli/test_score_scale.py`."""

import pytest

import classay as ca
from cli.test_score_scale import COLUMNS, Y
from command import call, json_of


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = zip(*(map(repr, each.tolist()) for each in COLUMNS.values()), strict=True)
    (tmp_path / "p.csv").write_text("\n".join([",".join(COLUMNS), *map(",".join, lines)]) + "\n")
    return "p.csv"


def test_gates_decisions_and_comparisons_know_the_scale(rows):
    logit = ("--score-scale", "logit")
    gate = call("gate", rows, "--truth", "y", "--scores", "d,b", "--measure", "log_loss", "--rule", "superior",
                "--require", "log_loss.high <= 9", *logit)  # fmt: skip
    assert gate.exit_code == 0, gate.stderr
    for time in ((), ("--time", "y")):
        done = call(
            "decide", rows, "--truth", "y", "--score", "d", "--cost", "fp=1", "--cost", "fn=2", *logit, *time
        )
        assert done.exit_code == 0, done.stderr
    several = (
        "decide",
        rows,
        "--truth",
        "y",
        "--score",
        "d",
        "--score",
        "b",
        "--cost",
        "fp=1",
        "--cost",
        "fn=2",
    )
    curves = json_of(*several, *logit)
    wanted = ca.cost_curves(
        {name: COLUMNS[name] for name in "db"}, Y, cost=ca.Costs(fp=1, fn=2), score_scale="logit"
    )
    assert curves == wanted.to_dict()
    found = call(
        "compare", rows, "--truth", "y", "--class-scores", "two:0=a,1=b", "--class-scores", "one:0=a,1=b"
    )
    assert "raw" in found.stdout
