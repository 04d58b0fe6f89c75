"""Leaderboards recomputed pair by pair from their definition, and their sentences against their numbers."""

from itertools import permutations, product
from math import inf, nan

import numpy as np
import pytest
from scipy.special import ndtr, stdtr

from classay.comparison.findings_leaders import findings_on_leaderboards
from classay.comparison.leaderboard import (
    JointValues,
    Leaderboard,
    Standing,
    _draws,
    leaderboard_of,
    standard_errors,
    without_order,
)
from classay.inference.design import SamplingUnits
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile


def joint_of(seed, k, better=1, degrees=inf):
    rng = np.random.default_rng(seed)
    cases = rng.normal(size=(30, k)) * rng.uniform(0.5, 1.5, k) + rng.normal(size=(30, 1))
    names = tuple("abcdefgh"[:k])
    units = SamplingUnits(30, "clusters")
    return JointValues(
        "my_score", names, 0.3 * rng.normal(size=k), np.cov(cases.T) / 30, better, units, degrees, "t"
    )


def alone_of(joint):
    def alone(name, level):
        at = joint.names.index(name)
        half = normal_quantile(level) * joint.covariance[at, at] ** 0.5
        value = joint.values[at]
        return Estimate(value, value - half, value + half, level, "Wald")

    return alone


@pytest.mark.parametrize(
    ("seed", "k", "level", "better", "degrees"),
    [(0, 2, 0.95, 1, inf), (1, 3, 0.8, -1, 12.0), (2, 4, 0.9, -1, inf), (3, 6, 0.95, 1, 12.0)],
)
def test_leads_ranks_and_what_to_expect_are_those_of_all_pairs(seed, k, level, better, degrees):
    """By loops over the models, with the same normal draws."""
    joint = joint_of(seed, k, better, degrees)
    board = leaderboard_of(joint, alone_of(joint), level=level, seed=7)
    order = sorted(range(k), key=lambda at: -better * joint.values[at])
    theta = [better * joint.values[at] for at in order]
    covariance = joint.covariance[np.ix_(order, order)]
    se = [
        [max(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0) ** 0.5 for j in range(k)]
        for i in range(k)
    ]
    z = _draws(covariance, standard_errors(covariance, np.array(theta)), degrees, 7)
    rivals = [[j for j in range(k) if j != i] for i in range(k)]
    d = [np.quantile(np.max([(z[:, j] - z[:, i]) / se[i][j] for j in rivals[i]], 0), level) for i in range(k)]
    widest = np.quantile(
        np.max([(z[:, j] - z[:, i]) / se[i][j] for i, j in permutations(range(k), 2)], 0), level
    )
    upper = [min(theta[i] - theta[j] + d[i] * se[i][j] for j in rivals[i]) for i in range(k)]
    best = [each > 0 for each in upper]
    lower = [
        min([0, *(theta[i] - theta[j] - d[j] * se[i][j] for j in rivals[i] if best[j])]) for i in range(k)
    ]
    for i, standing in enumerate(board.standings):
        others = [j for j in rivals[i] if best[j]]
        low, high = lower[i] if others else 0, max(0, upper[i])
        assert standing.model == joint.names[order[i]]
        assert standing.may_be_best == best[i]
        assert standing.value == alone_of(joint)(standing.model, level)
        ends = sorted((better * low, better * high))
        lead = better * min(theta[i] - theta[j] for j in rivals[i])
        assert (standing.lead.value, standing.lead.low, standing.lead.high) == pytest.approx(
            (lead, *ends), abs=1e-6
        )
        assert (standing.lead.level, standing.lead.method) == (level, "multiple comparisons with the best, t")
        before = sum(theta[j] - theta[i] > widest * se[i][j] for j in rivals[i])
        behind = sum(theta[i] - theta[j] > widest * se[i][j] for j in rivals[i])
        assert standing.ranks == (1 + before, k - behind)
    beyond = ndtr if degrees == inf else lambda x: stdtr(degrees, x)
    greatest = np.quantile(np.max([z[:, j] / covariance[j, j] ** 0.5 for j in range(k)], 0), 0.5 + level / 2)
    wide = alone_of(joint)(board.leader, 1 - 2 * beyond(-greatest))
    narrow = alone_of(joint)(board.leader, level)
    drawn = [max(range(k), key=lambda j: theta[j] + one[j]) for one in z[:3000]]
    of_draws = (np.array(theta) + z).argmax(1)
    assert of_draws[:3000].tolist() == drawn
    fair = min(np.mean(np.array(theta)[of_draws] - np.choose(of_draws, z.T)), theta[0])
    low, high = (wide.low, narrow.high) if better > 0 else (narrow.low, wide.high)
    assert board.expected.value == pytest.approx(better * fair, abs=1e-9)
    assert (board.expected.low, board.expected.high) == pytest.approx(
        (min(low, better * fair), max(high, better * fair)), abs=1e-9
    )
    assert board.expected.method == f"Wald; worse limit corrected for selecting the best of {k}"
    quantile = normal_quantile(1 - 2 * beyond(-d[0]))
    power = quantile + 0.8416212335729143
    needed = 30 * ((power * se[0][1] / (theta[0] - theta[1])) ** 2 + quantile**2 / (2 * (degrees + 1)))
    assert board.needed == pytest.approx(needed, rel=1e-5)
    assert (board.units, board.n, board.better, board.level) == ("clusters", 30, better, level)


LEADS = {
    "clear": Estimate(0.1234, 0.0456, 0.2012, 0.95, "t"),
    "open": Estimate(0.0234, -0.0456, 0.0912, 0.95, "t"),
    "bare": Estimate.bare(0.0234, "no case distinguishes the models"),
}
EXPECTED = Estimate(0.7654, 0.7012, 0.8123, 0.95, "t")


def board_of(best, count, lead, *, measure="roc_auc", better=1, level=0.95, **more):
    """A leaderboard of so many models, of which the first may be the best."""
    sign = better or 1
    of_first = LEADS[lead] if isinstance(lead, str) else lead
    if sign < 0 and of_first.has_interval:
        of_first = Estimate(-of_first.value, -of_first.high, -of_first.low, 0.95, "t")
    standings = tuple(
        Standing(
            f"m{k}",
            Estimate(0.8 - sign * 0.01 * k, 0.7, 0.9, level, "t"),
            of_first if k == 0 else Estimate(-sign * 0.01 * k, -0.4, 0.1, level, "t"),
            k < best,
            (1 + k, count),
        )
        for k in range(count)
    )
    return Leaderboard(measure, standings, level, better, **{"units": "test cases", "n": 250.0, **more})


def names(count):
    said = [f"m{k}" for k in range(count)]
    return f"{', '.join(said[:-1])} and {said[-1]}"


@pytest.mark.parametrize(("measure", "better"), [("roc_auc", 1), ("log_loss", -1), ("recall", 1)])
@pytest.mark.parametrize("lead", LEADS)
def test_a_sentence_names_those_that_may_be_best_and_the_size_of_the_lead(measure, better, lead):
    title = {"roc_auc": "ROC AUC", "log_loss": "log-loss", "recall": "recall"}[measure]
    in_full = title.replace("recall", "recall (sensitivity)")
    estimate = LEADS[lead]
    low, high = sorted((estimate.low, estimate.high))
    size = f"{estimate.value:.3f}"
    ends = f" (95% CI {low:.3f} to {high:.3f})" if lead != "bare" else ""
    in_points = {"clear": ("12.3", "4.6", "20.1"), "open": ("2.3", "-4.6", "9.1"), "bare": ("2.3", "", "")}
    value, down, up = in_points[lead] if measure == "recall" else (size, f"{low:.3f}", f"{high:.3f}")
    unit = " percentage points" if measure == "recall" else ""
    in_finding = f"{value}{unit}" + (f" (95% CI {down} to {up})" if lead != "bare" else "")
    for best, count in ((1, 6), (2, 6), (4, 6), (5, 6), (6, 6), (2, 2)):
        board = board_of(best, count, lead, measure=measure, better=better)
        (finding,) = findings_on_leaderboards([board])
        if best == 1:
            start = f"m0 is the best of {count} models in {title}"
            in_one = f"m0 is the best of {count} models in {in_full}"
            assert board.sentence == f"{in_one}. Its lead over the best other model is {size}{ends}."
            wanted = f"{start} (95% confidence): its lead over the best other model is {in_finding}."
        else:
            who = f"Every one of the {count} models" if best == count else f"{best} of {count} models"
            named = f", {names(best)}," if best <= min(4, count - 1) else ""
            assert board.sentence == (
                f"{who}{named} may be the best in {in_full}. m0 has the best observed value, with a lead of "
                f"{size}{ends} over the best other model."
            )
            listed = f": {names(best)}" if named else ""
            wanted = f"{who} may be the best in {title} (95% confidence){listed}."
        assert finding.sentence == wanted
        assert (finding.code, finding.rank) == ("may_be_best", 1)
        assert finding.evidence == {
            "measure": measure,
            "may_be_best": [f"m{k}" for k in range(best)],
            "models": count,
            "level": 0.95,
        }


@pytest.mark.parametrize(
    ("units", "n", "value"),
    [
        ("test cases", 250.0, "76.5% (95% CI 70.1% to 81.2%)"),
        ("cases", 50.0, "77% (95% CI 70% to 81%)"),
        ("cases", nan, "76.5% (95% CI 70.1% to 81.2%)"),
        ("clusters", 50.0, "76.5% (95% CI 70.1% to 81.2%)"),
        ("cases", 10_000.0, "76.54% (95% CI 70.12% to 81.23%)"),
    ],
)
def test_the_value_expected_of_the_leader_has_the_decimals_of_its_cases(units, n, value):
    board = board_of(2, 6, "open", measure="recall", expected=EXPECTED, units=units, n=n)
    end = "After correction for selecting the best, the expected recall of m0 on new cases is "
    _, expected = findings_on_leaderboards([board])
    assert expected.sentence == f"{end}{value}."
    assert (expected.code, expected.rank, expected.tier) == ("expected_of_leader", 2, "main")
    assert expected.evidence["model"] == "m0"
    assert expected.evidence["expected"]["value"] == EXPECTED.value
    in_full = end.replace("recall", "recall (sensitivity)")
    assert board.sentence.endswith(f" {in_full}0.765 (95% CI 0.701 to 0.812).")
    for gone in (None, Estimate.bare(0.7, "no spread")):
        plain = board_of(2, 6, "open", measure="recall", expected=gone)
        assert len([*findings_on_leaderboards([plain])]) == 1
        assert in_full not in plain.sentence


@pytest.mark.parametrize(("alike", "unlike"), [*product(range(3), repeat=2), (7, 0)])
def test_the_other_measures_are_told_by_whether_the_leader_may_be_the_best(alike, unlike):
    """Of those without an order nothing is said."""
    first = board_of(1, 3, "clear")
    titles = ["accuracy", "F1", "recall", "specificity", "precision", "Brier score", "log-loss"]
    measures = ["accuracy", "f1", "recall", "specificity", "precision", "brier_score", "log_loss"]
    others = [
        board_of(1, 3, "clear", measure=measure)
        if k < alike
        else turned(board_of(1, 3, "clear", measure=measure))
        for k, measure in enumerate(measures[: alike + unlike])
    ]
    bare = without_order("calibration_slope", [("m0", EXPECTED), ("m1", EXPECTED)], 0.95, "no best value")
    told = [one for one in findings_on_leaderboards([first, *others, bare]) if one.code == "other_measures"]
    if not others:
        assert told == []
        return

    def said(some):
        if len(some) > 6:
            some = [*some[:5], f"{len(some) - 5} more"]
        return some[0] if len(some) == 1 else f"{', '.join(some[:-1])} and {some[-1]}"

    yes, no = titles[:alike], titles[alike : alike + unlike]
    if yes:
        wanted = f"m0 may also be the best in {said(yes)}{f', but not in {said(no)}' if no else ''}."
    else:
        wanted = f"m0 is not the best in {said(no)}."
    (one,) = told
    assert (one.sentence, one.rank, one.tier) == (wanted, 3, "main")
    assert one.evidence == {each.measure: list(each.may_be_best) for each in others}
    unordered = without_order("roc_auc", [("m0", EXPECTED), ("m1", EXPECTED)], 0.95, "it has no direction")
    (only,) = findings_on_leaderboards([unordered, *others])
    assert only.sentence == "No leaderboard is available for ROC AUC: it has no direction."


def turned(board):
    """The same leaderboard with its models in the other order, so that another one may be the best."""
    other = {"m0": "m2", "m2": "m0"}
    standings = tuple(
        Standing(other.get(one.model, one.model), one.value, one.lead, one.may_be_best, one.ranks)
        for one in board.standings
    )
    return Leaderboard(board.measure, standings, board.level, board.better)


def test_what_cannot_be_ordered_names_nobody():
    assert [*findings_on_leaderboards([])] == []
    values = [("m0", EXPECTED), ("m1", EXPECTED)]
    board = without_order("roc_auc", values, 0.9, "it has no direction")
    assert board.sentence == "No leaderboard is available for ROC AUC: it has no direction."
    assert (board.leader, board.leaders, board.may_be_best, board.level) == (None, (), (), 0.9)
    assert [each.ranks for each in board.standings] == [(1, 2), (1, 2)]
    assert [each.value for each in board.standings] == [EXPECTED, EXPECTED]
    assert {each.lead.reason for each in board.standings} == {"it has no direction"}
    open_ = board_of(3, 3, Estimate.undefined("the cases show no variation"))
    text = "Every one of the 3 models may be the best in ROC AUC: the cases show no variation."
    assert open_.sentence == text
    assert next(findings_on_leaderboards([open_])).sentence == text
    covariance = np.full((2, 2), nan)
    joint = JointValues(
        "roc_auc", ("a", "b"), np.array([0.6, 0.7]), covariance, 1, SamplingUnits(1, "clusters")
    )
    board = leaderboard_of(joint, lambda name, level: EXPECTED, level=0.8)
    assert [(each.model, each.may_be_best, each.ranks) for each in board.standings] == [
        ("b", True, (1, 2)),
        ("a", True, (1, 2)),
    ]
    assert board.standings[0].lead.reason == "the clusters show no variation"
    assert (board.level, board.better, board.units, board.n) == (0.8, 1, "clusters", 1)


@pytest.mark.parametrize(
    ("needed", "best", "more"),
    [
        (None, 2, None),
        (250.0, 2, None),
        (250.5, 2, "1"),
        (259.0, 2, "9"),
        (262.5, 2, "13"),
        (351.0, 2, "110"),
        (1351.0, 2, "1,200"),
        (900.0, 1, None),
    ],
)
def test_more_units_are_told_with_two_digits_where_they_are_lacking(needed, best, more):
    board = board_of(best, 3, "open", needed=needed)
    assert board.settling == (
        ""
        if more is None
        else "If the true difference between m0 and m1 equals the observed one, about "
        f"{more} more test cases are needed to detect it with 80% power."
    )


def test_a_frame_holds_a_row_a_model():
    board = board_of(2, 3, "open", level=0.9)
    for row, one in zip(board.frame().to_pylist(), board.standings, strict=True):
        assert row == {
            "measure": "roc_auc",
            "model": one.model,
            "value": one.value.value,
            "low": one.value.low,
            "high": one.value.high,
            "lead": one.lead.value,
            "lead_low": one.lead.low,
            "lead_high": one.lead.high,
            "may_be_best": one.may_be_best,
            "first_rank": one.ranks[0],
            "last_rank": one.ranks[1],
            "level": 0.9,
            "method": "t",
            "reason": None,
        }
