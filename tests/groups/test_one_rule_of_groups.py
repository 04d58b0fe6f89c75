"""What groups of cases add to `comparison/test_one_rule.py`."""

import numpy as np
import pytest

import classay as ca
from classay.report.html import as_page
from comparison.test_one_rule import OPEN, RULES, by_the_table

OF_GROUPS = RULES[:2]

N = 240

ALL = np.full(N, "all")


def models(gap):
    """Two models of cases that are all in one group."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, N)
    common = rng.normal(0, 0.2, N)
    score = {
        name: np.clip(0.3 + (0.4 + shift) * y + common + rng.normal(0, 0.1, N), 0.01, 0.99).round(4)
        for name, shift in (("new", gap), ("old", 0.0))
    }
    return y, score


def doors(y, score, by=None):
    """The comparison of two models at every door of Python that makes one."""
    for measure in ("roc_auc", "accuracy", "error_rate", "brier_score", "f1"):
        yield ca.compare(score, y, measures=[measure], by=by)
    labels = {name: (each >= 0.5).astype(int) for name, each in score.items()}
    yield ca.compare(y_true=y, y_pred=labels, measures=["accuracy"], by=by)
    tags = {name: np.c_[each, 1 - each] for name, each in labels.items()}
    yield ca.compare(y_true=np.c_[y, 1 - y], y_pred=tags, measures=["micro_f1"], by=by)
    grades = {name: (each == y).astype(float) for name, each in labels.items()}
    yield ca.compare_values(grades, bounds=(0, 1), measure="grade", by=by)
    if by is None:
        saved = {name: ca.assess(y, each, id=np.arange(N)) for name, each in score.items()}
        yield ca.compare(saved, measures=["roc_auc"])
        yield ca.compare_unpaired(saved, ["accuracy"])


def holds(made, rule, margin, *, over_time=False):
    """Whether the verdict is that of the interval, where no draws and no omissions leave it open."""
    found = made.difference
    wanted = (
        by_the_table(found.low, found.high, rule, margin, over_time=over_time) if found.has_interval else OPEN
    )
    return made.verdict is (OPEN if made.unsettled or made.is_one_sided else wanted)


@pytest.mark.parametrize("gap", [-0.12, -0.03, 0.0, 0.03, 0.15])
def test_the_same_interval_has_the_same_verdict_at_every_door_and_in_a_group(gap):
    y, score = models(gap)
    for found in doors(y, score):
        for rule in RULES:
            made = ca.gate(found, rule, 0.02)
            assert holds(made, rule, 0.02), made
    for found in doors(y, score, ALL):
        for rule in OF_GROUPS:
            made = ca.gate(found, rule, 0.02)
            assert holds(made.all_cases, rule, 0.02), made
            assert made.groups["all"].difference == made.all_cases.difference
            assert made.verdict_in("all") is made.all_cases.verdict is made.verdict, made


def test_a_gate_by_groups_holds_the_values_of_both_models_in_each_form():
    y, score = models(0.05)
    by = np.where(np.arange(N) % 3 == 0, "north", "south")
    made = ca.gate(ca.compare(score, y, measures=["accuracy"], by=by), "non-inferior", 0.02)
    said = {each["label"]: each["values_of_models"] for each in made.to_dict()["groups"]}
    for label in ("north", "south"):
        own = ca.compare(
            {name: s[by == label] for name, s in score.items()}, y[by == label], measures=["accuracy"]
        )
        assert said[label] == pytest.approx(own["accuracy"].values)
        for text in (made.to_markdown(), as_page(made.document())):
            assert all(f"{value:.3f}" in text for value in said[label])
