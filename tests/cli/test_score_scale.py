"""`--score-scale` and `--task`: the command reads scores as Python does."""

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from command import call, json_of, refusal
from wing_samples import of_wings

RNG = np.random.default_rng(1)
N = 120
Y = RNG.integers(0, 2, N)
SHIFT, DIFFERENCE = RNG.normal(0, 3, N), RNG.normal(2 * Y - 1, 1.2)
COLUMNS = {"y": Y, "a": SHIFT - DIFFERENCE / 2, "b": SHIFT + DIFFERENCE / 2, "d": DIFFERENCE}
TWO = ("--truth", "y", "--class-scores", "0=a,1=b")


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = zip(*(map(repr, each.tolist()) for each in COLUMNS.values()), strict=True)
    (tmp_path / "p.csv").write_text("\n".join([",".join(COLUMNS), *map(",".join, lines)]) + "\n")
    return "p.csv"


@pytest.mark.parametrize("more", [(), ("--score-scale", "logit"), *chain(*of_wings("MORE_OF_RAW_SCORES"))])
def test_two_columns_are_read_as_in_python(rows, more):
    done = call("assess", rows, *TWO, *more, "--json", "-")
    scale = "logit" if "logit" in more else None
    wanted = ca.assess(Y, np.c_[COLUMNS["a"], COLUMNS["b"]], score_scale=scale)
    found = json.loads(done.stdout)
    for name in ("roc_auc", "accuracy"):
        assert found["measures"][name]["value"] == wanted[name].value
    assert ("score_scale" if scale else "raw_scores") in [each["code"] for each in found["warnings"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*TWO, "--improper", "renormalise"), "Use --score-scale logit for logits instead"),
        ((*TWO, "--score-scale", "probability"), "not probabilities"),
        (("--truth", "y", "--score", "d", "--score-scale", "count"), "a column of counts for each class"),
        *chain(*of_wings("SCALES_REFUSED")),
    ],
)
def test_what_does_not_fit_is_refused(rows, words, said):
    assert said in refusal("assess", rows, *words)


@pytest.mark.wings("groups")
@pytest.mark.parametrize(
    "door", [("assess",), ("assess", "--by", "g"), ("decide", "--cost", "fn=5", "--cost", "fp=1")]
)
@pytest.mark.parametrize("scale", ["probability", "logit"])
def test_integers_from_0_to_99_are_refused_with_advice_that_works(rows, door, scale):
    points = RNG.integers(0, 100, N)
    lines = ["y,s,g", *(f"{y},{s},{y + s % 2}" for y, s in zip(Y, points, strict=True))]
    Path("points.csv").write_text("\n".join(lines) + "\n")
    words = (*door, "points.csv", "--truth", "y", "--score", "s")
    refused = call(*words, "--score-scale", scale)
    assert refused.exit_code == 2
    assert "logit for" not in refused.stderr
    assert "remove --score-scale" in refused.stderr
    if door == ("assess",):
        found = json_of(*words)
        assert found["measures"]["roc_auc"]["value"] == ca.assess(Y, points / 100)["roc_auc"].value
