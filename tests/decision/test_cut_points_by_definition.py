"""Cut points recomputed by brute force in the same resamples, their sentences, warnings, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.decision.cut_costs import REPLICATES, ScoredClasses, expected_cost_of_cuts
from classay.decision.cut_points import CutPoints
from classay.errors import InputError
from classay.inference.bootstrap.sampling import CellDraws, blocks
from classay.inference.draws import stream
from classay.inference.estimate import Estimate

LABELS = [0, 1, 2]
STEPS = np.abs(np.subtract.outer(np.arange(3), np.arange(3))).astype(float)
UNEVEN = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [7.0, 3.0, 0.5]])


def rows(seed, n, levels=9):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    return (
        (np.clip(true / 3 + 0.3 * rng.normal(size=n), 0, 1) * levels).round() / levels,
        true,
        rng.integers(1, 4, n),
    )


def out_of_bag(score, true, weight, cost, seed, frequency):
    """Cuts of least cost in each resample by trying all, and what every case costs where it was left out."""
    scores = np.unique(score)
    cells = [(c, s) for c in range(3) for s in range(scores.size)]
    inside = [(true == c) & (score == scores[s]) for c, s in cells]
    weights = np.array([weight[at].sum() for at in inside])
    squares = np.array([(weight[at] ** (1 if frequency else 2)).sum() for at in inside])
    some = [k for k, total in enumerate(weights) if total]
    number = np.array([max(round(weights[k] ** 2 / squares[k], 9), 1) for k in some]).round().astype(int)
    every = [*itertools.combinations_with_replacement(range(scores.size + 1), 2)]
    calls_of = [np.searchsorted(ends, np.arange(scores.size), side="right") for ends in every]
    paid, left = np.zeros((2, len(some)))
    draws = CellDraws(number)
    for block in blocks(draws, REPLICATES, stream(seed, "cut points")):
        for drawn in block:
            mass = np.zeros((3, scores.size))
            for k, times, cases in zip(some, drawn, number, strict=True):
                mass[cells[k]] = times * weights[k] / cases
            of_call = cost @ mass  # [call, score]
            costs = [of_call[calls, np.arange(scores.size)].sum() for calls in calls_of]
            least = min(costs)
            ends = min(every[k] for k, found in enumerate(costs) if found <= least + 1e-9 * (1 + abs(least)))
            present = mass.sum(0) > 0
            cuts = []
            for end in ends:
                above = [s for s in range(end, scores.size) if present[s]]
                if end == 0:
                    cuts.append(-np.inf)
                elif not above:
                    cuts.append(np.inf)
                else:
                    cuts.append((scores[end - 1] + scores[above[0]]) / 2 - 1e-12)
            call = np.searchsorted(cuts, scores, side="right")
            for k, (at, times, cases) in enumerate(zip(some, drawn, number, strict=True)):
                share = (1 - 1 / cases) ** times if cases > 1 else float(times == 0)
                left[k] += share
                paid[k] += share * cost[call[cells[at][1]], cells[at][0]]
    judged = left > 0
    return np.average(paid[judged] / left[judged], weights=weights[some][judged])


@pytest.mark.parametrize(
    ("seed", "cost", "role"),
    [(0, STEPS, None), (1, UNEVEN, None), (2, STEPS, "weight"), (3, UNEVEN, "frequency"), (4, STEPS, None)],
)
def test_the_cost_on_new_cases_is_that_of_cases_left_out_of_the_same_resamples(seed, cost, role):
    score, true, many = rows(seed, 40 if seed != 4 else 9)
    priced = ca.Costs.from_array(cost, LABELS, rows="predicted")
    more = {role: many / 2 if role == "weight" else many} if role else {}
    found = ca.cut_points(score, true, LABELS, cost=priced, seed=seed, **more)
    weight = many / many.max() if role == "weight" else many.astype(float) if role else np.ones(score.size)
    wanted = out_of_bag(score, true, weight, cost, seed, role == "frequency")
    assert found.expected.value == pytest.approx(wanted, rel=1e-6)
    given = many / 2 if role == "weight" else weight
    called = found.codes(score)
    assert found.true == pytest.approx([given[true == c].sum() for c in LABELS])
    assert found.called == pytest.approx([given[called == c].sum() for c in LABELS])
    assert found.cost == pytest.approx(np.average(cost[called, true], weights=given))
    assert (found.level, found.seed, found.labels) == (0.95, seed, (0, 1, 2))


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_an_interval_without_flat_costs_is_of_student(level):
    score, true, _ = rows(5, 60)
    wide = ca.cut_points(score, true, LABELS, level=level).expected
    usual = ca.cut_points(score, true, LABELS).expected
    losses = np.abs(ca.cut_points(score, true, LABELS).codes(score) - true)
    off = (losses - losses.mean()) / 60
    squares, fourths = (off**2).sum(), (off**4).sum()
    degrees = max(1, min(60, 2 * squares**2 / (fourths - squares**2 / 60))) - 1

    def half(estimate):
        return np.diff([np.log(x / (2 - x)) for x in (estimate.low, estimate.value, estimate.high)])

    ratio = stats.t.ppf(0.5 + level / 2, degrees) / stats.t.ppf(0.975, degrees)
    assert half(wide) / half(usual) == pytest.approx([ratio, ratio])
    assert wide.value == usual.value


@pytest.mark.parametrize(
    ("weight", "reason"),
    [
        ([1.0], "one case cannot both choose and assess cut points"),
        ([1.0, 1e-12], "one case cannot both choose and assess cut points"),
        ([1.0, 1.0], None),
    ],
)
def test_one_case_cannot_choose_and_assess(weight, reason):
    n = len(weight)
    cases = ScoredClasses.of(np.arange(n) * 1.0, np.arange(n), np.array(weight), 3, is_sampled=True)
    priced = ca.Costs.from_array(STEPS, LABELS, rows="predicted")
    found = expected_cost_of_cuts(cases, np.array([1, 2]), priced, (0, 1, 2), 0.95, 0)
    assert found.is_undefined == (reason is not None)
    assert reason is None or found.reason == reason


def with_expected(estimate, true=(1.0, 2.0, 3.0), *, turned=False):
    return CutPoints(("low", "mid", "high"), (0.3, 0.7), 0.125, estimate, true, true, "", is_turned=turned)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("true", "absent"),
    [
        ((1.0, 2.0, 3.0), ""),
        ((0.0, 2.0, 3.0), " No case is of class 'low', so its cut point cannot be chosen."),
        ((0.0, 2.0, 0.0), " No case is of class 'low' and 'high', so its cut point cannot be chosen."),
    ],
)
def test_the_sentence_has_both_costs_the_absent_classes_and_the_direction(true, absent, turned):
    known = Estimate(0.25, 0.125, 0.5, 0.95, "out-of-bag; t")
    here = "On the cases used to choose the cut points, the cost is 0.125 per case"
    end = "" if not turned else " The score falls with the class"
    first = with_expected(known, true, turned=turned).sentence
    start = f"The expected cost on new cases is 0.250 (95% CI 0.125 to 0.500) per case. {here}.{absent}"
    assert first.startswith(start + end)
    assert (first == start) == (not turned)
    unknown = with_expected(Estimate.undefined("why not"), true, turned=turned).sentence
    start = f"{here}. The expected cost on new cases cannot be estimated: why not.{absent}"
    assert unknown.startswith(start + end)
    assert (unknown == start) == (not turned)


@pytest.mark.parametrize("seed", range(6))
def test_a_score_that_ranks_most_pairs_of_all_steps_the_wrong_way_is_told(seed):
    rng = np.random.default_rng(seed)
    true = np.concatenate([[0, 1, 2], rng.integers(0, 3, 9)])
    score = rng.integers(0, 5, 12) * 1.0
    weight = rng.integers(1, 3, 12)
    above = below = 0.0
    for step in (1, 2):
        for i, j in itertools.product(np.flatnonzero(true >= step), np.flatnonzero(true < step)):
            above += weight[i] * weight[j] * (score[i] > score[j])
            below += weight[i] * weight[j] * (score[i] < score[j])
    for rows_, is_turned in ((score, above < below), (-score, below < above), (0 * score, False)):
        found = ca.cut_points(rows_, true, LABELS, frequency=weight)
        assert found.is_turned == is_turned
        assert ("auc_below_half" in {each.code for each in found.warnings}) == is_turned
        assert ("The score falls with the class" in found.sentence) == is_turned


def codes_of(score, true, labels=LABELS, **more):
    return [each.code for each in ca.cut_points(score, true, labels, **more).warnings]


def in_order(*cases):
    """So many cases of each class, whose scores rise with the class."""
    true = np.repeat(np.arange(len(cases)), cases)
    return true + np.linspace(0, 0.5, true.size), true


TRUE = np.arange(90) % 3
NOISY = TRUE / 2 + np.sin(7.0 * np.arange(90) ** 2)


@pytest.mark.parametrize(
    ("code", "warned", "not_warned"),
    [
        ("perfect_separation", in_order(10, 12, 11), in_order(9, 12, 11)),
        (
            "perfect_separation",
            in_order(10, 12),
            (np.append(in_order(10, 12)[0], -1.0), np.repeat([0, 1], [10, 13])),
        ),
        ("perfect_separation", in_order(10, 0, 12), (np.zeros(22), in_order(10, 0, 12)[1])),
        ("constant_scores", (np.ones(5), TRUE[:5]), (np.array([1, 1, 1, 1, 2.0]), TRUE[:5])),
        ("two_scores", (NOISY[:11] > 0.5, TRUE[:11]), (NOISY[:10] > 0.5, TRUE[:10])),
        ("infinite_scores", (np.append(NOISY, [np.inf, -np.inf]), np.append(TRUE, [1, 0])), (NOISY, TRUE)),
        ("no_label_codes", (NOISY, np.where(TRUE == 0, -1, TRUE)), (NOISY, TRUE)),
    ],
)
def test_each_warning_comes_where_its_columns_are_odd_and_not_before(code, warned, not_warned):
    for (score, true), is_warned in ((warned, True), (not_warned, False)):
        found = ca.cut_points(np.asarray(score, float), true, sorted({0, 1, 2, *true.tolist()}))
        texts = {each.code: each.text for each in found.warnings}
        assert (code in texts) == is_warned
        if code == "infinite_scores" and is_warned:
            assert texts[code] == "infinite scores: 2 cases, which rank first or last."
        if code == "no_label_codes" and is_warned:
            assert "-1 often means 'no label', but is read as a class (30 cases as true label)" in texts[code]
    assert codes_of(NOISY, TRUE) == []


def test_cases_are_named_by_an_index_that_repeats():
    import pandas as pd

    ids = pd.Series(TRUE, index=pd.Index(np.arange(90) // 2, name="patient"))
    assert [each.code for each in ca.cut_points(NOISY, ids).warnings] == ["repeated_ids"]
    assert ca.cut_points(NOISY, ids, frequency=np.ones(90, int)).warnings == ()


def test_scores_on_another_scale_are_converted_and_told():
    logits = ca.cut_points(NOISY, TRUE, score_scale="logit")
    plain = ca.cut_points(1 / (1 + np.exp(-NOISY)), TRUE)
    assert logits.cuts == pytest.approx(plain.cuts)
    assert logits.decisions(NOISY) == plain.decisions(1 / (1 + np.exp(-NOISY)))
    ((code, text),) = [(each.code, each.text) for each in logits.warnings]
    assert code == "score_scale"
    assert text.endswith("The cut points are on the converted scale.")
    assert codes_of((NOISY + 1) / 3, TRUE, score_scale="probability") == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y_true": [0, 1, None]}, "truth is missing in 1 row. Exclude these rows"),
        ({"y_true": [None, 1, None]}, "truth is missing in 2 rows"),
        ({"y_score": [0.1, np.nan, np.nan]}, "score is missing in 2 rows. Exclude these rows"),
        ({"y_score": [0.1, 0.2]}, "truth has 3 rows, but score has 2. Use one score per case"),
        ({"weight": [1.0, 2.0]}, "truth has 3 rows, but the weights have 2. Use one weight per case"),
        ({"frequency": [1, 2]}, "truth has 3 rows, but the weights have 2"),
        ({"frequency": [1, 2, 3], "weight": [1.0, 2.0, 3.0]}, "weight and frequency"),
        ({"weight": [1.0, -2.0, 1.0]}, "negative"),
        (
            {"score_scale": "probability", "y_score": [0.1, 0.2, 1.2]},
            "not probabilities .they range from 0.1 to 1.2",
        ),
        ({"score_scale": "logits"}, "score_scale"),
        ({"level": 1.0}, "level"),
        ({"level": 0.0}, "level"),
        ({"seed": -1}, "seed"),
        ({"labels": [0]}, "not declared|at least two"),
        (
            {"y_true": [0, 0, 0], "labels": None},
            "at least two classes. Pass all classes in labels=, lowest first",
        ),
        ({"y_true": ["a", "b", "c"], "labels": None}, "need ordered classes. Pass all classes in labels="),
        ({"cost": {"fp": 1, "fn": 2}}, "3 classes need a matrix of costs"),
        ({"cost": ca.Costs.from_array([[0, 1], [1, 0]], [0, 1], rows="true")}, "2"),
    ],
)
def test_what_cut_points_refuse(change, words):
    given = {"y_score": [0.1, 0.2, 0.3], "y_true": [0, 1, 2], "labels": LABELS}
    assert ca.cut_points(**given).cuts == pytest.approx((0.15, 0.25))
    with pytest.raises(InputError, match=words):
        ca.cut_points(**(given | change))
    points = ca.cut_points(**given)
    assert (points.level, points.seed, points.score_scale) == (0.95, 0, None)
    with pytest.raises(InputError, match="score is missing in 1 row"):
        points.codes([0.1, np.nan])
    with pytest.raises(InputError, match="one score per case"):
        points.decisions([[0.1, 0.2]])
