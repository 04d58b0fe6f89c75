"""The JSON of decisions and cost curves is a contract, docs/decision.schema.json; and the command writes it."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.report.results.parts import json_text
from command import json_of, refusal

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "decision.schema.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(0)
Y = RNG.random(200) < 0.2
P, Q = (np.clip(0.3 + gap * Y + RNG.normal(0, 0.2, 200), 0, 1).round(2) for gap in (0.4, 0.1))
AMOUNT = RNG.integers(1, 50, 200)
A = ca.assess(Y, P, amounts={"amount": AMOUNT})
OUTPUTS = {
    "cost": lambda: A.threshold(cost=ca.Costs(fp=3, fn="amount")),
    "nobody": lambda: A.threshold(cost=ca.Costs(fp=9999, fn=1)),
    "condition": lambda: A.threshold(where="precision >= 0.6", maximize="recall"),
    "capacity": lambda: A.threshold(top=20),
    "prevalence": lambda: A.threshold(maximize="f1", prevalence=0.02),
    "cost curves": lambda: ca.cost_curves({"p": P, "q": Q}, Y),
}


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_keeps_the_contract(name):
    found = json.loads(json_text(OUTPUTS[name]().to_dict()))
    assert not list(Draft202012Validator(SCHEMA).iter_errors(found))


@pytest.mark.parametrize("scores", [("p",), ("p", "q")])
def test_the_command(tmp_path, monkeypatch, scores):
    monkeypatch.chdir(tmp_path)
    lines = [f"{int(y)},{p},{q},{a}" for y, p, q, a in zip(Y, P, Q, AMOUNT, strict=True)]
    Path("p.csv").write_text("\n".join(["y,p,q,amount", *lines]) + "\n")
    columns = [each for name in scores for each in ("--score", name)]
    costs = ["--cost", "fn=amount" if len(scores) == 1 else "fn=9", "--cost", "fp=3"]
    assert not list(
        Draft202012Validator(SCHEMA).iter_errors(json_of("decide", "p.csv", "--truth", "y", *columns, *costs))
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cost", "miss=3"), "Use fp=3, fn=amount"),
        (("--cost", "fn=3", "--cost", "fn=4"), "sets fn twice, to 3.0 and to 4.0"),
        ((), "No objective for the threshold"),
        (("--cost", "fn=nothing"), "no column 'nothing'"),
        (("--score", "q", "--top", "3"), "works with one score"),
        (("--score", "q", "--cost", "fn=20-amount,fp=1"), "costs less than the correct decision"),
    ],
)
def test_what_the_command_refuses(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    lines = [f"{int(y)},{p},{q},{a}" for y, p, q, a in zip(Y, P, Q, AMOUNT, strict=True)]
    Path("p.csv").write_text("\n".join(["y,p,q,amount", *lines]) + "\n")
    assert said in refusal("decide", "p.csv", "--truth", "y", "--score", "p", *options)
