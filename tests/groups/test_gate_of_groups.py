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
        ("disparity(recall) <= 20", "always", "write 0.2 if percent is meant"),
        ("disparity(mcc) <= 2.5", "always", "write 0.025 if percent is meant"),
        ("disparity_ratio(recall) >= 80", "never", "write 0.8 if percent is meant"),
        ("equalised_odds_gap < 5", "always", "write 0.05 if percent is meant"),
        ("equal_opportunity_difference <= 10", "always", "write 0.1 if percent is meant"),
        ("recall[g=a].low >= 90", "never", "write 0.9 if percent is meant"),
        ("recall >= -0.5", "always", "write a number that it can reach"),
        ("brier_skill_score > 30", "never", "write 0.3 if percent is meant"),
    ],
)
def test_demands_of_groups_and_gaps_know_their_range(demand, holds, instead):
    with pytest.raises(InputError, match=f"{holds} holds, because .*: {re.escape(instead)}"):
        known(parse(demand), None, ("g",))


def test_a_gap_may_be_as_wide_as_its_measure():
    known(
        parse("disparity(mcc) <= 1.5 and disparity(log_loss) <= 3 and log_loss <= 40 and lr_positive > 9"),
        None,
        "g",
    )
