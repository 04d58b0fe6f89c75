"""One rule for all cases and for groups: the same interval has the same verdict, at whichever door it was made."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.comparison.comparison import Comparison
from classay.comparison.gate_rules import conditions, turned_over
from classay.inference.estimate import Estimate
from classay.inference.requirements import Verdict
from classay.report.html import as_page
from command import call

PASS, FAIL, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED
RULES = ("non-inferior", "not-worse", "superior", "equivalent")
OF_GROUPS = RULES[:2]
N = 240
ALL = np.full(N, "all")


def by_the_table(low, high, rule, margin, *, over_time=False):
    """The table of the rules, written down a second time."""
    m = margin or 0.0
    if rule == "non-inferior":
        return PASS if low > -m else FAIL if high < -m else OPEN
    if rule == "not-worse":
        return FAIL if high < -m else OPEN if over_time and low < -m else PASS
    if rule == "superior":
        return PASS if low > m else FAIL if high < m else OPEN
    return PASS if -m < low and high < m else FAIL if high < -m or low > m else OPEN


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
            assert holds(made.whole, rule, 0.02), made
            assert made.groups["all"].difference == made.whole.difference
            assert made.verdict_in("all") is made.whole.verdict is made.verdict, made


@pytest.mark.parametrize("rule", [None, *RULES])
@pytest.mark.parametrize("right", [70, 88, 90, 97])
def test_a_period_is_held_to_the_same_table(rule, right):
    days = np.repeat([f"2026-03-{day:02}" for day in range(1, 9)], 100)
    y = np.arange(days.size) % 2
    called = np.where(np.arange(days.size) % 100 < np.where(days == "2026-03-08", right, 90), y, 1 - y)
    made = ca.gate_over_time(y, y_pred=called, time=days, measure="accuracy", margin=0.03, rule=rule)
    assert holds(made, rule or "non-inferior", 0.03, over_time=True), made


@pytest.mark.parametrize("gap", [-0.12, 0.0, 0.15])
def test_the_command_ends_with_the_verdict_of_the_table(gap, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, score = models(gap)
    right = {name: (each >= 0.5) == y for name, each in score.items()}
    rows = ["y,new,old,right_new,right_old,g"]
    rows += [
        f"{y[k]},{score['new'][k]},{score['old'][k]},{int(right['new'][k])},{int(right['old'][k])},all"
        for k in range(N)
    ]
    (tmp_path / "both.csv").write_text("\n".join(rows))
    how = ("--rule", "non-inferior", "--margin", "0.02")
    for columns in (
        ("--truth", "y", "--scores", "new,old", "--measure", "accuracy"),
        ("--graded", "right_new,right_old", "--bounds", "0,1"),
    ):
        codes = set()
        for by in ((), ("--by", "g")):
            done = call("gate", "both.csv", *columns, *how, *by, "--json", "gate.json")
            said = json.loads((tmp_path / "gate.json").read_text())
            low, high = said["difference"]["low"], said["difference"]["high"]
            wanted = by_the_table(low, high, "non-inferior", 0.02)
            assert done.exit_code == {PASS: 0, FAIL: 1, OPEN: 3}[wanted], done.stderr
            assert (said["verdict"], said["rule_verdict"]) == (wanted.value, wanted.value)
            codes.add(done.exit_code)
            for group in said.get("groups", []):
                assert group["verdict"] == wanted.value
                assert group["values_of_models"] == pytest.approx(said["values"])
        assert len(codes) == 1


ENDS = st.sampled_from([-0.3, -0.1, -0.05, -0.02, -0.01, 0.0, 0.01, 0.02, 0.05, 0.1, 0.3])


def compared(low, high, measure="roc_auc"):
    effect = Estimate((low + high) / 2, low, high, 0.95, "DeLong")
    return Comparison(("new", "old"), measure, effect, 0.3, "z, DeLong", "test cases")


@given(ENDS, ENDS, st.sampled_from([0.01, 0.02, 0.05]))
@settings(deadline=None)
def test_swapped_models_have_the_mirrored_verdict(one, other, margin):
    """To be shown better by more than m is not to be non-inferior, seen from the other side."""
    low, high = sorted((one, other))
    there, back = compared(low, high), compared(-high, -low)
    mirrored = {PASS: FAIL, FAIL: PASS, OPEN: OPEN}
    assert (
        ca.gate(back, "superior", margin).verdict is mirrored[ca.gate(there, "non-inferior", margin).verdict]
    )
    assert ca.gate(back, "equivalent", margin).verdict is ca.gate(there, "equivalent", margin).verdict
    if ca.gate(there, "not-worse", margin).verdict is FAIL:
        assert ca.gate(back, "superior", margin).verdict is PASS
    for rule in RULES:  # a loss is turned
        found = turned_over(there.effect)
        loss = Comparison(("new", "old"), "log_loss", found, 0.3, "t", "test cases")
        assert ca.gate(loss, rule, margin).verdict is ca.gate(there, rule, margin).verdict


@given(ENDS, ENDS, st.sampled_from(RULES), st.sampled_from([0.01, 0.02, 0.05]), st.booleans())
@settings(deadline=None)
def test_a_rule_never_passes_and_fails_at_once(one, other, rule, margin, over_time):
    low, high = sorted((one, other))
    asked = conditions(rule, margin, over_time=over_time)
    verdict = asked.verdict(Estimate((low + high) / 2, low, high, 0.95, "t"))
    assert verdict is by_the_table(low, high, rule, margin, over_time=over_time)
    if (low, high) == (one, other) and one == other == 0.0:
        assert verdict is (FAIL if rule == "superior" else PASS)  # surely not better by more than the margin


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
