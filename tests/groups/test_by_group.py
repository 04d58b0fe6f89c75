"""Models compared in groups of cases: laws, the test of interaction, gates of groups, and odd groups."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.groups.interactions import ModelDifference, interaction, welch
from classay.inference.requirements import Verdict
from command import call

RNG = np.random.default_rng(3)
N = 900
GROUP = np.array(["north", "south", "west"])[RNG.integers(0, 3, N)]
Y = RNG.random(N) < 0.4
SHARED = RNG.normal(size=N)
SIGNAL = {"new": np.where(GROUP == "west", 0.5, 1.6), "old": np.full(N, 1.3)}
SCORES = {
    name: 1 / (1 + np.exp(0.8 - signal * (2 * Y - 1) - SHARED - 0.8 * RNG.normal(size=N)))
    for name, signal in SIGNAL.items()
}
FOUND = ca.compare(SCORES, Y, by=GROUP)


def numbers(found):
    return [(one.measure, one.effect.value, one.effect.low, one.effect.high, one.p) for one in found]


@pytest.mark.parametrize("measures", [["roc_auc", "accuracy", "brier_score"], ["f1", "kolmogorov_smirnov"]])
def test_a_group_is_compared_as_its_rows_alone_are(measures):
    found = ca.compare(SCORES, Y, by=GROUP, measures=measures)
    for label in np.unique(GROUP):
        rows = label == GROUP
        alone = ca.compare({name: each[rows] for name, each in SCORES.items()}, Y[rows], measures=measures)
        assert numbers(found.groups[label]) == numbers(alone)


def test_all_cases_are_compared_as_without_groups():
    assert numbers(FOUND) == numbers(ca.compare(SCORES, Y, measures=FOUND.measures))


def test_p_values_are_adjusted_for_all_groups_and_measures():
    every = [one for _, one in FOUND.in_groups]
    assert [one.p_adjusted for one in every] == ca.adjust([one.p for one in every]).tolist()
    assert {one.family for one in every} == {9}


def test_rows_in_another_order_and_groups_with_other_names_change_nothing():
    order = np.random.default_rng(0).permutation(N)
    renamed = np.array([f"z{label}" for label in GROUP])
    turned = ca.compare({name: each[order] for name, each in SCORES.items()}, Y[order], by=GROUP[order])
    named = ca.compare(SCORES, Y, by=renamed)
    for label in FOUND.groups:
        for other in (turned.groups[label], named.groups[f"z{label}"]):
            np.testing.assert_allclose(
                [each[1:] for each in numbers(other)], [each[1:] for each in numbers(FOUND.groups[label])]
            )
    assert [each.p for each in named.interactions] == [each.p for each in FOUND.interactions]


def test_models_that_change_places_negate():
    swapped = ca.compare({name: SCORES[name] for name in ("old", "new")}, Y, by=GROUP)
    for label in FOUND.groups:
        for one, other in zip(FOUND.groups[label], swapped.groups[label], strict=True):
            assert one.effect.value == pytest.approx(-other.effect.value)
            assert one.p == pytest.approx(other.p)
    for one, other in zip(FOUND.interactions, swapped.interactions, strict=True):
        assert one.p == pytest.approx(other.p)


def test_the_first_sentence_names_the_group_where_the_new_model_loses():
    assert FOUND.sentences[0].startswith("In 'west', new is worse than old in")
    assert [label for label, _ in FOUND.losing] == ["west"] * 3
    assert all(each.p < 0.001 for each in FOUND.interactions)


def test_interaction_on_published_numbers():
    """statsmodels' Welch ANOVA of the differences of four groups."""
    b, c, n = (np.array(each, float) for each in ((12, 5, 8, 20), (6, 9, 3, 4), (200, 150, 80, 300)))
    d = (b - c) / n
    f, (df, df2), p = welch(d, ((b + c) / n - d**2) / (n - 1), n - 1)
    assert (f, df, p) == pytest.approx((2.6065257828483412, 3, 0.05215256783317803), rel=2e-3)
    assert df2 == pytest.approx(264.2203985538877, rel=0.05)  # his series goes to the first power of 1 / df


def test_interaction_is_as_published_where_groups_are_large():
    d, v, nu = np.array([0.1, -0.2, 0.3]), np.array([0.02, 0.01, 0.03]), np.array([2e4, 3e4, 5e4])
    shares = 1 / v / (1 / v).sum()
    spare = ((1 - shares) ** 2 / nu).sum()
    q = ((d - shares @ d) ** 2 / v).sum()
    f, (_, df2), _ = welch(d, v, nu)
    assert f == pytest.approx(q / 2 / (1 + spare / 4), rel=1e-7)
    assert df2 == pytest.approx(8 / (3 * spare), rel=1e-3)
    assert welch(d, v, nu * np.inf)[2] == pytest.approx(np.exp(-q / 2))


@pytest.mark.parametrize(("groups", "cases"), [(100, 6), (300, 10), (20, 8)])
def test_many_small_groups_that_are_alike_do_not_differ(groups, cases):
    """Welch's own series finds a difference in 25, 15 and 8% of samples."""
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(400):
        apart = rng.normal(size=(groups, cases))
        found += welch(apart.mean(1), apart.var(1, ddof=1) / cases, np.full(groups, cases - 1))[2] <= 0.05
    assert found / 400 < 0.075


def test_the_interaction_of_recall_is_that_of_the_positive_cases_alone():
    group, ill = GROUP[:90], np.arange(90) % 3 == 0
    rng = np.random.default_rng(2)
    labels = {name: np.where(rng.random(90) < 0.3, ~ill, ill) for name in ("new", "old")}
    found = ca.compare(labels, ill, by=group, measures=["recall"]).interactions[0]
    right = {name: each[ill].astype(float) for name, each in labels.items()}
    alone = ca.compare_values(right, by=group[ill]).interactions[0]
    assert (*found.df, found.p) == pytest.approx((*alone.df, alone.p))


def test_rows_of_weight_0_are_no_cases_of_values_either():
    values = {name: np.round(each, 1) for name, each in SCORES.items()}
    weight = np.where(GROUP == "west", 0.0, 1.5)
    some = weight > 0
    for name, each in (("weight", weight), ("frequency", np.ceil(weight))):
        found = ca.compare_values(values, by=GROUP, **{name: each})
        alone = ca.compare_values(
            {k: v[some] for k, v in values.items()}, by=GROUP[some], **{name: each[some]}
        )
        assert found.emptied == ("west",)
        assert numbers(found) == numbers(alone)
        assert found.interactions == alone.interactions
        with pytest.raises(ca.InputError, match=f"{name} has 3 rows"):
            ca.compare_values(values, **{name: each[:3]})


def test_a_gate_that_fails_by_all_cases_says_so_first():
    y, k = np.arange(300) % 2, np.arange(300)
    labels = {"new": np.where(k % 10 < 2, 1 - y, y), "old": np.where(k % 10 < 1, 1 - y, y)}
    made = ca.compare(y_true=y, y_pred=labels, by=k // 10, measures=["accuracy"]).gate("non-inferior", 0.05)
    assert made.all_cases.verdict is Verdict.FAIL
    assert not made.in_state(Verdict.FAIL)
    assert made.sentence.startswith("All cases: ")
    assert "The comparison is inconclusive in 30 groups" in made.sentence


def test_interaction_of_accuracy_has_the_variance_of_discordant_pairs():
    found = ca.compare(SCORES, Y, by=GROUP, measures=["accuracy"]).interaction("accuracy")
    right = {name: (each >= 0.5) == Y for name, each in SCORES.items()}
    apart = right["new"].astype(float) - right["old"]
    parts = [apart[label == GROUP] for label in np.unique(GROUP)]
    by_hand = welch(
        [each.mean() for each in parts],
        [each.var(ddof=1) / each.size for each in parts],
        [each.size - 1 for each in parts],
    )
    assert (found.statistic, *found.df, found.p) == pytest.approx((by_hand[0], *by_hand[1], by_hand[2]))


def test_groups_that_show_no_spread_are_named():
    known = {
        "a": ModelDifference(0.1, 0.01, 50),
        "b": ModelDifference(0.0, 0.0, 50),
        "c": "no case is positive",
    }
    found = interaction(("new", "old"), "accuracy", known)
    assert np.isnan(found.p)
    assert found.reason == "only one group has a difference that varies"
    assert (
        "'b' (its cases show no variation of the difference) and 'c' (no case is positive)" in found.omitted
    )


def test_odd_groups_have_a_line_each_and_a_result_where_one_is_possible():
    group = GROUP.astype(object)
    group[0] = "one case"
    group[np.flatnonzero(Y)[1:40]] = "one class"
    found = ca.compare(SCORES, Y, by=group)
    assert "no case is negative" in found.groups["one class"]["roc_auc"].reason
    assert found.groups["one class"]["accuracy"].effect.has_interval
    assert found.groups["one case"]["accuracy"].effect.value in (-1, 0, 1)
    assert "'one class' (no case is negative)" in found.interaction("roc_auc").omitted


def test_a_group_that_one_model_did_not_answer_is_told():
    new = np.where(GROUP == "west", np.nan, SCORES["new"])
    with pytest.raises(ca.InputError, match="unanswered"):
        ca.compare({"new": new, "old": SCORES["old"]}, Y, by=GROUP)
    found = ca.compare({"new": new, "old": SCORES["old"]}, Y, by=GROUP, unanswered="drop")
    assert found.emptied == ("west",)
    assert "'west' of group has no compared case." in found.sentences_of_groups


def test_a_group_that_only_the_first_frame_has_is_told():
    frames = {
        name: {"id": np.arange(N), "y": Y.astype(int), "p": each, "region": GROUP}
        for name, each in SCORES.items()
    }
    kept = np.flatnonzero(GROUP != "west")
    frames["old"] = {name: each[kept] for name, each in frames["old"].items()}
    how = {"truth": "y", "scores": "p", "id": "id", "by": "region", "unanswered": "drop"}
    found = ca.compare(frames, **how)
    assert found.emptied == ("west",)
    assert numbers(found.groups["north"]) == numbers(FOUND.groups["north"])


def test_rows_without_a_group_are_refused_or_left_out():
    group = np.where(GROUP == "west", None, GROUP)
    with pytest.raises(ca.InputError, match="new: group has missing values in 287 rows"):
        ca.compare(SCORES, Y, by=group)
    found = ca.compare(SCORES, Y, by=group, missing="drop")
    assert [*found.groups] == ["north", "south"]
    assert dict(found.facts)["cases"] == f"{N:,}"
    assert found.cases_not_recorded == (GROUP == "west").sum()


def test_several_columns_make_combinations():
    sex = np.array(["f", "m"])[np.arange(N) % 2]
    frame = {"y": Y.astype(int), **SCORES, "region": GROUP, "sex": sex}
    found = ca.compare(frame, truth="y", scores=["new", "old"], by=["region", "sex"], measures=["accuracy"])
    rows = (GROUP == "west") & (sex == "f")
    alone = ca.compare({name: each[rows] for name, each in SCORES.items()}, Y[rows], measures=["accuracy"])
    assert numbers(found.group("sex=f, region=west")) == numbers(alone)
    assert len(found.groups) == 6


@pytest.mark.parametrize(
    ("rule", "margin", "verdict"),
    [
        ("non-inferior", 0.02, Verdict.FAIL),
        ("non-inferior", 0.5, Verdict.PASS),
        ("not-worse", None, Verdict.FAIL),
    ],
)
def test_no_group_may_be_worse(rule, margin, verdict):
    made = ca.gate(ca.compare(SCORES, Y, by=GROUP, measures=["accuracy"]), rule, margin)
    assert made.verdict is verdict
    assert made.in_state(Verdict.FAIL) == (["west"] if verdict is Verdict.FAIL else [])


def test_a_group_too_small_to_tell_leaves_a_gate_undecided():
    few = np.flatnonzero(GROUP == "west")[12:]
    keep = np.setdiff1d(np.arange(N), few)
    found = ca.compare(
        {name: each[keep] for name, each in SCORES.items()}, Y[keep], by=GROUP[keep], measures=["accuracy"]
    )
    made = ca.gate(found, "non-inferior", 0.05)
    assert made.verdict is Verdict.UNDECIDED
    assert made.in_state(Verdict.UNDECIDED) == ["west"]
    assert "inconclusive in 1 group: 'west'" in made.sentence


def test_values_that_are_given_are_compared_by_groups():
    grades = {name: np.round(each, 1) for name, each in SCORES.items()}
    found = ca.compare_values(grades, by=GROUP)
    rows = GROUP == "south"
    alone = ca.compare_values({name: each[rows] for name, each in grades.items()})
    assert numbers(found.groups["south"]) == numbers(alone)
    apart = grades["new"] - grades["old"]
    parts = [apart[label == GROUP] for label in np.unique(GROUP)]
    by_hand = welch(
        [each.mean() for each in parts],
        [each.var(ddof=1) / each.size for each in parts],
        [each.size - 1 for each in parts],
    )
    assert found.interaction("value").p == pytest.approx(by_hand[2])


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"by": np.arange(N)}, "seems to contain IDs"),
        ({"by": {}}, "by is empty"),
        (
            {"by": GROUP, "measures": ["accuracy"], "method": "max-t", "control": "old"},
            "Method 'max-t' compares all models on the same cases and",
        ),
    ],
)
def test_refusals(how, said):
    with pytest.raises(ca.InputError, match=said):
        ca.compare(SCORES, Y, **how)


def test_a_gate_of_groups_has_two_rules():
    with pytest.raises(ca.InputError, match="Groups can be tested only with the rules non-inferior and"):
        ca.gate(ca.compare(SCORES, Y, by=GROUP, measures=["accuracy"]), "superior")


def test_the_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{int(y)},{a},{b},{g}" for y, a, b, g in zip(Y, SCORES["new"], SCORES["old"], GROUP, strict=True)
    ]
    (tmp_path / "p.csv").write_text("\n".join(["y,new,old,region", *lines]) + "\n")
    columns = ("--truth", "y", "--scores", "new,old", "--by", "region")
    done = call("compare", "p.csv", *columns, "--measures", "accuracy", "--cost", "fn=3")
    assert done.exit_code == 0, done.stderr
    assert "In 'west', accuracy is lower for new than for old" in " ".join(
        done.stdout.replace("┃", "").split()
    )
    assert "Cost of decisions by region: new minus old" in done.stdout
    gate = ("gate", "p.csv", *columns, "--measure", "accuracy", "--rule", "non-inferior", "--margin")
    assert [call(*gate, margin).exit_code for margin in ("0.02", "0.5")] == [1, 0]


def test_the_gap_changes_by_no_more_than_the_models_differ():
    rng = np.random.default_rng(0)
    group, y = rng.integers(0, 3, 1500), (rng.random(1500) < 0.4).astype(int)
    old = (rng.random(1500) < 0.2 + 0.5 * y).astype(int)
    new = np.where((group == 1) & (rng.random(1500) < 0.4), y, old)
    found = ca.compare(y_true=y, y_pred={"new": new, "old": old}, by=group, measures=["recall", "accuracy"])
    turned = ca.compare(y_true=y, y_pred={"old": old, "new": new}, by=group, measures=["recall", "accuracy"])
    for name in ("recall", "accuracy"):
        change = found.gap_change(name)
        assert turned.gap_change(name).gaps == change.gaps[::-1]
        assert turned.gap_change(name).change.value == -change.change.value
        gaps = [ca.assess_by(y, y_pred=each, by=group).disparity(name).estimate.value for each in (new, old)]
        assert change.gaps == pytest.approx(gaps)
        assert change.change.low <= gaps[0] - gaps[1] <= change.change.high
    with pytest.raises(InputError, match="0 pairs of models match in accuracy"):
        found.gap_change("accuracy", "a", "b")


def test_no_gap_changed_is_covered():
    """A model that moves all groups alike: the true change is 0."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(60):
        y = (rng.random(400) < 0.5).astype(int)
        new, old = (np.where(rng.random(400) < share, y, 1 - y) for share in (0.8, 0.7))
        made = ca.compare(
            y_true=y, y_pred={"new": new, "old": old}, by=np.arange(400) % 3, measures=["accuracy"]
        )
        change = made.gap_change("accuracy").change
        held += change.low <= 0 <= change.high
    assert held >= 57


def test_a_gap_rests_on_no_group_of_a_few_cases_as_a_disparity_does_not():
    rng = np.random.default_rng(3)
    y, by = rng.integers(0, 2, 400), np.array(["a", "b"] * 200, object)
    models = {name: np.where(rng.random(400) < 0.7, y, 1 - y) for name in ("new", "old")}
    by[:1], by[1:4] = "one", "three"
    found = ca.compare(y_true=y, y_pred=models, by=by, measures=["accuracy"]).gap_change("accuracy")
    assert (found.groups, found.left_out) == (2, 2)
    assert "This excludes 2 of 4 groups, which have fewer than 10 cases or no variation." in found.sentence
    for gap, called in zip(found.gaps, models.values(), strict=True):
        assert gap == pytest.approx(
            ca.assess_by(y, y_pred=called, by=by).disparity("accuracy").estimate.value
        )
    few = ca.compare(y_true=y, y_pred=models, by=np.arange(400) // 8, measures=["accuracy"])
    assert few.gap_change("accuracy").change.reason.startswith("0 of 50 groups has")


def test_one_group_and_rows_without_a_group_are_told_in_words():
    rng = np.random.default_rng(4)
    y, by = rng.integers(0, 2, 120), np.array(["a", "b", None] * 40, object)
    models = {name: np.where(rng.random(120) < 0.8, y, 1 - y) for name in ("new", "old")}
    how = {"y_true": y, "y_pred": models, "by": by, "measures": ["accuracy"], "missing": "drop"}
    assert "40 cases without a recorded group" in str(ca.compare(**how))
    gate = ca.gate(ca.compare(**how, pool=1000), "not-worse")
    assert (
        "No loss of new compared with old in accuracy was detected in the only group of group."
        in gate.sentence
    )


def test_limits_that_hold_for_all_groups_at_once_are_those_of_each_at_a_higher_level():
    """Bonferroni: with k groups each is compared at 1 - (1 - level) / k, as alone."""
    gate = ca.compare(SCORES, Y, by=GROUP, measures=["accuracy"]).gate("non-inferior", 0.1)
    level = 1 - (1 - 0.95) / len(gate.groups)
    for label, wide in gate.simultaneous.items():
        own = label == GROUP
        alone = ca.compare(
            {name: each[own] for name, each in SCORES.items()}, Y[own], measures=["accuracy"], level=level
        ).gate("non-inferior", 0.1)
        assert (wide.low, wide.high) == pytest.approx((alone.difference.low, alone.difference.high))
        assert wide.low < gate.groups[label].difference.low < gate.groups[label].difference.high < wide.high


def test_a_gate_in_groups_tells_differences_first_less_second_as_all_cases_are():
    made = ca.compare(SCORES, Y, by=GROUP, measures=["log_loss"]).gate("non-inferior", 0.001)
    failed = made.in_state(Verdict.FAIL)
    assert failed == ["west"]
    assert made.groups["west"].comparison.effect.value > 0  # more loss
    own = next(each for each in made.sentences if each.startswith("In 'west'"))
    assert "(difference 0." in own
    swapped = {name: SCORES[name] for name in ("old", "new")}
    other = ca.compare(swapped, Y, by=GROUP, measures=["log_loss"]).gate("non-inferior", 0.001)
    assert "difference -" not in str(made)[: str(made).index("All cases")]
    assert "(difference 0." in str(made)
    for label, gate in other.groups.items():
        assert gate.difference.value == -made.groups[label].difference.value


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("measure", ["accuracy", "roc_auc", "log_loss", "brier_score"])
def test_a_one_sided_comparison_in_groups_names_the_one_limit(alternative, measure):
    found = ca.compare(SCORES, Y, by=GROUP, measures=[measure], alternative=alternative)
    own = [each for each in found.sentences_of_groups if each.startswith("In '")]
    assert all("confidence limit" in each for each in own)
    assert bool(own) == bool(found.losing or found.winning)
    for label, _ in (*found.losing[:1], *found.winning[:1]):  # the others are named in one sentence
        alone = ca.compare(
            {name: each[label == GROUP] for name, each in SCORES.items()},
            Y[label == GROUP],
            measures=[measure],
            alternative=alternative,
        )
        size = alone[0].sentence.split(" by ")[1].rstrip(".")
        assert any(f" by {size}; p" in each for each in own)
    change = found.gap_change(measure)
    both = ca.compare(SCORES, Y, by=GROUP, measures=[measure]).gap_change(measure)
    assert change.gaps == both.gaps
    assert not change.change.has_interval
    assert "wider or narrower" not in change.sentence


def test_of_several_pairs_each_place_is_told_with_its_models():
    rng = np.random.default_rng(7)
    y, by = rng.integers(0, 2, 900), np.array(list("abc"))[np.arange(900) % 3]
    models = {
        name: np.where(rng.random(900) < share, y, 1 - y)
        for name, share in zip("AB", (0.95, 0.6), strict=True)
    }
    found = ca.compare(y_true=y, y_pred=models | {"C": models["B"]}, by=by, measures=["accuracy"])
    assert len(found.winning) == 6
    assert any("in 5 more groups, measures and pairs of models" in each for each in found.sentences)
    few = ca.compare(y_true=y, y_pred=models | {"C": models["B"]}, by=by == "a", measures=["accuracy"])
    assert len(few.winning) == 4
    told = next(each for each in few.sentences if each.startswith("Also "))
    assert told.count("A than B in") + told.count("A than C in") == 3
    two = ca.compare(y_true=y, y_pred=models, by=by, measures=["accuracy"])
    assert any(each.startswith("Also better in '") for each in two.sentences)


@pytest.mark.parametrize(
    "degrees", [(9, 9, 9), (4, 9, 9), (4.9, 9, 5), (4, 4, 9), (1, 2, 3), (5, 5, 5)], ids=str
)
@pytest.mark.parametrize("variance", [1.0, 0.0], ids=["varies", "does not vary"])
def test_each_group_is_in_the_test_or_named_with_its_reason(degrees, variance):
    """And the test is that of the groups in it alone, in whatever order."""
    differences = {f"g{k}": ModelDifference(0.1 * k, 1.0, df) for k, df in enumerate(degrees)}
    differences |= {"flat": ModelDifference(0.1, variance, 9), "none": "no cases of one class"}
    result = interaction(("new", "old"), "accuracy", differences)
    reasons = dict(result.without)
    wanted = {f"g{k}": "too few cases" for k, df in enumerate(degrees) if df < 5}
    wanted |= {"none": "no cases of one class"}
    wanted |= {} if variance else {"flat": "its cases show no variation of the difference"}
    assert reasons == wanted
    assert result.groups + len(reasons) == len(differences)
    assert all(name in result.omitted for name in (reasons if len(reasons) < 4 else ()))
    counted = {name: differences[name] for name in reversed(differences) if name not in reasons}
    assert interaction(("new", "old"), "accuracy", counted).p == pytest.approx(result.p, nan_ok=True)
