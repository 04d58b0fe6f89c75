"""The gate over time: it fails, passes or is inconclusive by the margin; only complete periods count."""

import numpy as np
import pytest

import classay as ca
from classay.inference.requirements import Verdict
from command import refusal

DAYS = np.repeat([f"2026-03-{day:02}" for day in range(1, 9)], 300)
Y = np.arange(DAYS.size) % 2
RIGHT = np.arange(DAYS.size) % 100 < np.where(DAYS == "2026-03-08", 80, 90)
CALLED = np.where(RIGHT, Y, 1 - Y)


def held(margin, rule=None, days=DAYS, per="day", **columns):
    return ca.gate_over_time(
        Y, y_pred=CALLED, time=days, per=per, measure="accuracy", margin=margin, rule=rule, **columns
    )


@pytest.mark.parametrize("rule", [None, "non-inferior", "not-worse"])
@pytest.mark.parametrize(
    ("margin", "wanted"), [(0.03, Verdict.FAIL), (0.1, Verdict.UNDECIDED), (0.2, Verdict.PASS)]
)
def test_what_the_margin_divides_is_inconclusive_under_each_rule(margin, wanted, rule):
    """A period that may be worse by more than the margin does not pass, also by the rule that it is not worse."""
    assert held(margin, rule).verdict is wanted


@pytest.mark.parametrize("rule", [None, "non-inferior", "superior", "equivalent"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_difference_is_newcombes_of_the_last_and_the_earlier_days(level, rule):
    """At the level of the rule: equivalence by that of two one-sided tests."""
    found = held(0.1, rule, level=level)
    last = DAYS == "2026-03-08"
    parts = {name: ca.assess(Y[kept], y_pred=CALLED[kept]) for name, kept in (("new", last), ("old", ~last))}
    used = 2 * level - 1 if rule == "equivalent" else level
    assert found.difference == ca.compare_unpaired(parts, ["accuracy"], level=used)[0].effect
    if rule is None:
        assert "is inconclusive, because a loss of 0.1" in found.sentence
        assert "INCONCLUSIVE" in str(found)


@pytest.mark.parametrize("name", ["weight", "frequency"])
@pytest.mark.parametrize("day", ["2026-02-24", "2026-03-08", "2026-03-15", "2026-06-30"])
def test_a_row_of_weight_0_ends_no_week_and_counts_nowhere(name, day):
    """Whether a week is over is not told by rows that count nowhere."""
    days, n = np.where(DAYS == "2026-03-08", "2026-03-10", DAYS), DAYS.size
    how = {"per": "week", "measure": "accuracy", "margin": 0.1}
    alone = ca.gate_over_time(Y, y_pred=CALLED, time=days, **{name: np.ones(n, int)}, **how)
    weight = np.r_[np.ones(n, int), np.zeros(40, int)]
    columns = {
        "y": np.r_[Y, Y[:40]],
        "called": np.r_[CALLED, 1 - Y[:40]],
        "time": np.r_[days, np.full(40, day)],
        "w": weight,
    }
    more = {"y_pred": columns["called"], "time": columns["time"], name: weight}
    found = ca.gate_over_time(columns["y"], **more, **how)
    framed = ca.gate_over_time(columns, truth="y", prediction="called", time="time", **{name: "w"}, **how)
    for each in (found, framed):
        assert str(each) == str(alone)
        assert each.left_out == alone.left_out


def test_a_week_that_has_not_ended_is_left_out():
    # 2026-03-01 and -08 are Sundays, so that the week of -02 has ended
    assert held(0.1, per="week").comparison.models == ("2026-03-02", "2026-02-23")
    days = np.where(DAYS == "2026-03-08", "2026-03-10", DAYS)
    open_ = held(0.1, per="week", days=days)
    assert open_.comparison.models == ("2026-03-02", "2026-02-23")
    rows = int((days == "2026-03-10").sum())
    assert open_.left_out == {"left out": f"{rows:,} rows of 2026-03-09 (incomplete week)"}


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"per": "month"}, "none is complete with labels .2026-03 is incomplete"),
        ({"margin": None}, "needs a margin"),
        ({"cluster": np.arange(DAYS.size) % 50}, "share 50 clusters"),
    ],
)
def test_what_cannot_be_held_is_refused(how, said):
    with pytest.raises(ca.InputError, match=said):
        held(**{"margin": 0.1} | how)


def test_the_command_refuses_groups_beside_time(tmp_path):
    (tmp_path / "p.csv").write_text("y,p,day,g\n1,0.9,2026-03-01,a\n0,0.1,2026-03-02,b\n")
    how = ("--truth", "y", "--score", "p", "--time", "day", "--measure", "roc_auc", "--margin", "0.1")
    assert "--by and --time cannot be combined" in refusal("gate", str(tmp_path / "p.csv"), *how, "--by", "g")


@pytest.mark.parametrize("unanswered", ["drop", "wrong"])
def test_rows_without_a_label_or_an_answer_and_the_threshold_are_told_in_every_form(unanswered):
    score, truth = np.where(CALLED == 1, 0.9, 0.1), Y.astype(object)
    score[::200], truth[1::600] = np.nan, None
    made = ca.gate_over_time(
        truth, score, time=DAYS, measure="accuracy", margin=0.1, missing="drop", unanswered=unanswered
    )
    gone, without = int(np.isnan(score).sum()), int(np.equal(truth, None).sum())
    dropped = without + gone * (unanswered == "drop")
    why = (
        f"a missing label ({without:,}) or a missing score ({gone:,})"
        if dropped > without
        else "a missing label"
    )
    told = {"left out": f"{dropped:,} rows for {why}"}
    told |= {"no answer": f"{gone:,} rows; counted as incorrect"} if unanswered == "wrong" else {}
    assert made.left_out == told
    assert (
        dict(made.facts)["threshold"]
        == made.to_dict()["threshold"]
        == "0.5 (default, not chosen for these data)"
    )
    assert made.to_dict()["left_out"] == told
    for each in told.values():
        assert each in made.to_markdown()
        assert each in made.to_latex()


def test_a_measure_of_scores_has_no_threshold_to_tell():
    made = ca.gate_over_time(Y, CALLED / 2, time=DAYS, measure="roc_auc", margin=0.1)
    assert made.to_dict()["threshold"] is None
