"""Three runs or more: a leaderboard, cases on which runs differ, agreement of runs."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import classay as ca
from command import call, refusal

TABLE = Path(__file__).parent / "data" / "runs.csv"
COLUMNS = ca.GradeColumns(case="item", model="model")


def runs(tmp_path, table, better=None):
    """Runs whose grades are the columns of a table, a row for each case."""
    path = tmp_path / "runs.csv"
    rows = [
        f"q{case},m{model},{grade}"
        for case, grades in enumerate(np.asarray(table).tolist())
        for model, grade in enumerate(grades)
    ]
    path.write_text("\n".join(["item,model,grade", *rows]))
    return ca.read_grades(path, grade="grade", columns=COLUMNS)


@pytest.fixture
def drawn():
    rng = np.random.default_rng(1)
    ability, difficulty = np.array([0.0, 0.3, 1.5, 1.6, -1.0]), rng.normal(size=(150, 1))
    return (rng.random((150, 5)) < 1 / (1 + np.exp(difficulty - ability))).astype(int)


def test_the_leaderboard_is_that_of_the_same_values(tmp_path, drawn):
    found = ca.assess_grades(runs(tmp_path, drawn))
    names = [f"m{k}" for k in range(5)]
    values = ca.compare_values(dict(zip(names, drawn.T, strict=True)), bounds=(0, 1), measure="grade")
    for one, other in zip(found.leaderboard.standings, values.leaderboards[0].standings, strict=True):
        assert (one.model, one.may_be_best, one.ranks) == (other.model, other.may_be_best, other.ranks)
        for part, its in ((one.value, other.value), (one.lead, other.lead)):  # the rows are in another order
            assert (part.value, part.low, part.high) == pytest.approx((its.value, its.low, its.high))
    for one, other in zip(found.comparisons, values, strict=True):
        assert (one.models, one.effect.value) == (other.models, pytest.approx(other.effect.value))
        assert one.p_adjusted == pytest.approx(other.p_adjusted)
    assert {each.adjustment for each in found.comparisons} == {"Holm"}
    first = found.leaderboard.standings[0]
    assert first.model in ("m2", "m3")
    assert first.may_be_best
    assert found.leaderboard.standings[-1].ranks == (5, 5)
    assert dict(found.comparisons.means) == {each.model: each.value for each in found.leaderboard.standings}


def test_three_runs_have_a_leaderboard_and_two_a_comparison(tmp_path, drawn):
    three = ca.assess_grades(runs(tmp_path, drawn[:, [0, 2, 4]]))
    assert three.leaderboard.leader == "m1"
    assert len(three.comparisons) == 3
    assert len(three.to_dict()["comparison"]["leaderboard"]) == 1
    two = ca.assess_grades(runs(tmp_path, drawn[:, [0, 2]]))
    assert isinstance(two, ca.Comparisons)
    assert two[0].effect.value == three.comparisons["grade", "m0", "m1"].effect.value


def test_answers_to_a_case_are_a_cluster(tmp_path, drawn):
    """The same answers given three times say no more of the models."""
    path = tmp_path / "epochs.csv"
    rows = [
        f"q{case},m{model},{epoch},{drawn[case, model]}"
        for case in range(150)
        for model in range(5)
        for epoch in range(3)
    ]
    path.write_text("\n".join(["item,model,epoch,grade", *rows]))
    columns = ca.GradeColumns(case="item", model="model", repeat="epoch")
    tripled = ca.assess_grades(ca.read_grades(path, grade="grade", columns=columns))
    single = ca.assess_grades(runs(tmp_path, drawn))
    assert tripled.leaderboard.units == "clusters"
    for one, other in zip(tripled.leaderboard.standings, single.leaderboard.standings, strict=True):
        assert one.ranks == other.ranks
        assert one.lead.value == pytest.approx(other.lead.value)
        assert one.lead.high == pytest.approx(other.lead.high, abs=0.005)
    assert tripled.agreement.kappa == pytest.approx(single.agreement.kappa)
    assert tripled.agreement.pair(0, 1).agreement.high == single.agreement.pair(0, 1).agreement.high
    assert tripled.items.outcomes == single.items.outcomes


def test_cases_are_told_apart_by_their_outcomes(tmp_path):
    grades = [[1, 1, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0.5, 0.5, 0.5]]
    items = ca.assess_grades(runs(tmp_path, grades)).items
    assert items.outcomes == tuple("same grade" if same else "runs differ" for same in (1, 1, 0, 1, 0, 1))
    read = ca.read_grades(tmp_path / "runs.csv", grade="grade", columns=COLUMNS, bounds=(0, 1))
    found = ca.assess_grades(read)
    assert found.items.named("all pass") == ["q0", "q3"]
    assert found.items.named("all fail") == ["q1"]
    assert found.items.named("same grade") == ["q5"]
    assert found.items.named("runs differ") == ["q2", "q4"]
    assert found.items.frame().column_names == ["case", "outcome", "mean", "spread", "discrimination"]


def test_where_less_is_better_the_lowest_grade_passes(tmp_path):
    from dataclasses import replace

    read = [replace(run, better="lower") for run in runs(tmp_path, [[1, 1, 1], [0, 0, 0], [0, 1, 1]]).runs]
    found = ca.assess_grades(ca.GradedRuns(tuple(read)))
    assert (found.items.named("all pass"), found.items.named("all fail")) == (["q1"], ["q0"])
    assert found.leaderboard.leader == "m0"


def test_discrimination_is_the_correlation_with_the_other_cases(tmp_path, drawn):
    items = ca.assess_grades(runs(tmp_path, drawn)).items
    order = [items.cases.index(f"q{k}") for k in range(150)]
    for case in (0, 7, 33):
        rest = np.delete(drawn, case, 0).mean(0)
        expected = np.corrcoef(drawn[case], rest)[0, 1] if np.ptp(drawn[case]) else np.nan
        assert items.discrimination[order[case]] == pytest.approx(expected, nan_ok=True)
        assert items.spread[order[case]] == pytest.approx(drawn[case].std(ddof=1))


def test_agreement_and_kappa_are_those_of_scikit_learn(tmp_path, drawn):
    agreement = ca.assess_grades(runs(tmp_path, drawn)).agreement
    for first, second in agreement.places:
        pair = agreement.pair(first, second)
        a, b = drawn[:, first], drawn[:, second]
        assert pair.kappa == pytest.approx(cohen_kappa_score(a, b))
        assert pair.agreement.value == pytest.approx((a == b).mean())
        wilson = ca.proportion(int((a == b).sum()), 150)["Wilson"]
        assert (pair.agreement.low, pair.agreement.high) == pytest.approx((wilson.low, wilson.high))
    least, most = agreement.extremes
    shares = [pair.agreement.value for pair in agreement.pairs()]
    assert (least.agreement.value, most.agreement.value) == (min(shares), max(shares))
    assert agreement.mean == pytest.approx(np.mean(shares))
    assert agreement.frame().num_rows == 10


def test_grades_of_many_values_have_no_agreement(tmp_path):
    found = ca.assess_grades(runs(tmp_path, np.random.default_rng(0).random((20, 3)).round(3)))
    assert found.agreement.pairs() == []
    assert "Agreement is not defined: grades have more than 10 different values." in str(found)
    assert found.to_dict()["agreement"]["mean"] is None


def test_the_number_of_an_epoch_changes_no_agreement(tmp_path):
    read = ca.read_grades(TABLE, grade="grade", columns=ca.GradeColumns("item", "model", "epoch"))
    turned = tmp_path / "turned.csv"
    rows = [line.split(",") for line in TABLE.read_text().splitlines()]
    changed = [[a, str(3 - int(e)) if m == "m1" else e, m, *rest] for a, e, m, *rest in rows[1:]]
    turned.write_text("\n".join(map(",".join, [rows[0], *changed])))
    again = ca.read_grades(turned, grade="grade", columns=ca.GradeColumns("item", "model", "epoch"))
    one, other = (ca.assess_grades(each, unanswered="wrong").agreement for each in (read, again))
    assert one.shares == pytest.approx(other.shares)
    assert one.kappa == pytest.approx(other.kappa)


def test_groups_have_leaderboards_that_hold_jointly():
    columns = ca.GradeColumns("item", "model", "epoch", by=("subject",))
    read = ca.read_grades(TABLE, grade="grade", columns=columns)
    found = ca.assess_grades(read, by="subject", unanswered="drop")
    boards = found.groups["subject"]
    assert [(each.group, each.cases) for each in boards] == [("a", 8), ("b", 8), ("c", 8)]
    assert {each.leaderboard.level for each in boards} == {1 - 0.05 / 3}
    assert "Groups of subject" in str(found)
    two = read.runs[:2]
    means = ca.assess_grades(ca.GradedRuns(two), by="subject", unanswered="wrong").to_dict()[
        "means_of_groups"
    ]
    alone = [
        ca.assess_grades(ca.GradedRuns((one,)), by="subject", unanswered="wrong").to_dict() for one in two
    ]
    for place, one in zip(("first", "second"), alone, strict=True):
        assert means[place] == one["groups"]["overall"]
    assert means["difference"]["value"] == pytest.approx(means["first"]["value"] - means["second"]["value"])
    with pytest.raises(
        ca.InputError, match=r"no column 'subjct' of groups\. Columns: subject\. Did you mean"
    ):
        ca.assess_grades(read, by="subjct", unanswered="drop")


def test_answers_that_some_runs_lack_are_treated_as_asked(tmp_path):
    given = [str(TABLE), "--case", "item", "--model", "model", "--repeat", "epoch", "--grade", "grade"]
    assert "m2 1 empty grade of 48" in refusal("grades", *given)
    path = tmp_path / "board.json"
    dropped = call("grades", *given, "--unanswered", "drop", "--json", str(path))
    assert dropped.exit_code == 0
    assert "1 row without a value of some model (m2: 1)" in " ".join(dropped.stdout.split())
    wrong = call("grades", *given, "--unanswered", "wrong")
    assert wrong.exit_code == 0
    content = json.loads(path.read_text())
    assert content["runs"][2] == {
        **{"run": "m2", "tool": "table", "task": None, "graded": 47},
        **{"errors": 0, "empty": 1, "silent": 0, "reported": None},
    }
    assert len(content["cases"]) == 24
    assert len(content["agreement"]["pairs"]) == 6
    assert len(content["comparison"]["comparisons"]) == 6


def test_many_runs_show_a_part_of_the_pairs_and_the_json_has_all(tmp_path, drawn):
    found = ca.assess_grades(runs(tmp_path, np.hstack([drawn, drawn[:, :2]])))
    text = str(found)
    assert "Pairs of runs" not in text
    assert "least:" in text
    assert len(found.to_dict()["comparison"]["comparisons"]) == 21


def test_the_order_of_runs_is_nothing(tmp_path, drawn):
    forward = ca.assess_grades(runs(tmp_path, drawn))
    backward = ca.assess_grades(
        ca.GradedRuns(
            tuple(reversed(ca.read_grades(tmp_path / "runs.csv", grade="grade", columns=COLUMNS).runs))
        )
    )
    assert forward.leaderboard.standings == backward.leaderboard.standings
    assert forward.items.outcomes == backward.items.outcomes


def test_agreement_of_runs_allows_for_clusters(tmp_path, drawn):
    """Doubled cases say no more than one: the agreement of clusters of copies is as wide as that of one copy each."""
    path = tmp_path / "runs.csv"
    rows = [
        f"q{case}-{copy},m{model},{grade},q{case}"
        for case, grades in enumerate(drawn[:, :3].tolist())
        for copy in range(2)
        for model, grade in enumerate(grades)
    ]
    path.write_text("\n".join(["item,model,grade,passage", *rows]))
    columns = ca.GradeColumns(case="item", model="model", by=("passage",))
    twice = ca.assess_grades(ca.read_grades(path, grade="grade", columns=columns), cluster="passage")
    once = ca.assess_grades(runs(tmp_path, drawn[:, :3]))
    for left, right in zip(twice.agreement.pairs(), once.agreement.pairs(), strict=True):
        widths = [pair.agreement.high - pair.agreement.low for pair in (left, right)]
        assert left.agreement.value == pytest.approx(right.agreement.value)
        assert widths[0] == pytest.approx(widths[1], rel=0.03)


def test_weights_of_groups_need_groups(tmp_path, drawn):
    with pytest.raises(ca.InputError, match="no effect without by="):
        ca.assess_grades(runs(tmp_path, drawn), group_weight="cases")
