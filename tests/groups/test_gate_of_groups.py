"""What groups of cases add to `comparison/test_gate.py`."""

import re

import pytest

from classay.assessment.required import known
from classay.errors import InputError
from classay.inference.requirements import parse


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("demand", "holds", "instead"),
    [
        ("disparity(recall) <= 20", "always", "Write 0.2 if you mean percent"),
        ("disparity(mcc) <= 2.5", "always", "Write 0.025 if you mean percent"),
        ("disparity_ratio(recall) >= 80", "never", "Write 0.8 if you mean percent"),
        ("equalised_odds_gap < 5", "always", "Write 0.05 if you mean percent"),
        ("equal_opportunity_difference <= 10", "always", "Write 0.1 if you mean percent"),
        ("recall[g=a].low >= 90", "never", "Write 0.9 if you mean percent"),
        ("recall >= -0.5", "always", "Use a number within this range"),
        ("brier_skill_score > 30", "never", "Write 0.3 if you mean percent"),
    ],
)
def test_demands_of_groups_and_gaps_know_their_range(demand, holds, instead):
    with pytest.raises(InputError, match=f"{holds} holds, because .*. {re.escape(instead)}"):
        known(parse(demand), None, ("g",))


def test_a_gap_may_be_as_wide_as_its_measure():
    known(
        parse("disparity(mcc) <= 1.5 and disparity(log_loss) <= 3 and log_loss <= 40 and lr_positive > 9"),
        None,
        "g",
    )
