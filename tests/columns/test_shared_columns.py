"""One column has one role, where two would make no sense."""

import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError
from command import call, refusal

FRAME = pd.DataFrame({"y": [0, 1] * 20, "p": [k / 40 for k in range(40)], "g": [k % 3 for k in range(40)]})
PAIRS = {
    ("truth", "score"): {"truth": "y", "score": "y"},
    ("truth", "by"): {"truth": "y", "score": "p", "by": "y"},
    ("truth", "cluster"): {"truth": "y", "score": "p", "cluster": "y"},
    ("truth", "id"): {"truth": "y", "score": "p", "id": "y"},
    ("score", "weight"): {"truth": "y", "score": "p", "weight": "p"},
    ("weight", "cluster"): {"truth": "y", "score": "p", "weight": "g", "cluster": "g"},
}


@pytest.mark.parametrize("pair", PAIRS)
def test_two_roles_that_cannot_share_a_column_are_refused_at_both_doors(pair, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("f.csv", index=False)
    roles, (first, second) = PAIRS[pair], pair
    shared = f"name the same column {roles[second]!r}. Name one column for each."
    options = [word for role, name in roles.items() for word in (f"--{role}", name)]
    assert f"--{first} and --{second} {shared}" in refusal("assess", "f.csv", *options)
    assess = ca.assess_by if "by" in roles else ca.assess
    with pytest.raises(InputError, match=f"{first} and {second} {shared}"):
        assess(FRAME, **roles)


def test_lists_pairs_and_patterns_are_looked_through(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("f.csv", index=False)
    for options in (("--class-scores", "0=p,1=y"), ("--score", "p", "--by", 'g,"y"')):
        assert "name the same column 'y'" in refusal("assess", "f.csv", "--truth", "y", *options)
    FRAME.rename(columns={"p": " y"}).to_csv("blank.csv", index=False)
    blank = ("assess", "blank.csv", "--truth", "y", "--score", " y", "--by", '" y"')
    assert "name the same column" not in call(*blank).output
    tags = ("--truth-tags", "t_*", "--tag-scores", "t_*")
    assert "--truth-tags and --tag-scores name the same column" in refusal("assess", "f.csv", *tags)
    with pytest.raises(InputError, match="truth and scores name the same column 'y'"):
        ca.compare(FRAME, truth="y", scores=["p", "y"])


def test_half_of_the_cases_is_not_only():
    y = [0, 1] * 20
    text = " ".join(ca.assess(y, [k / 40 for k in range(40)]).document().verdict)
    assert "20 of 40 cases are positive" in text
    assert "Only" not in text
