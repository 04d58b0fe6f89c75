"""One classifier over time: the same by every door, in any order and under other names; what one class or text does."""

import re
from itertools import product

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.groups.change_points import Series, changes_of, contrasts
from classay.groups.drift import distance_of, drift_of_scores, stability
from classay.tables import ScoreTable

RNG = np.random.default_rng(4)
DAYS = np.repeat([f"2026-03-{day:02}" for day in range(1, 9)], 150)
Y = (RNG.random(DAYS.size) < 0.4).astype(int)
P = np.clip(RNG.normal(0.4 + 0.3 * Y * (DAYS < "2026-03-06"), 0.2), 0, 1).round(3)
MEASURES = ["roc_auc", "accuracy", "brier_score"]


def by_day(**columns):
    return ca.assess_over_time(Y, P, time=DAYS, measures=MEASURES, **columns)


def test_the_trends_of_merged_days_are_those_of_the_column_of_time():
    each = {str(day): ca.assess(Y[day == DAYS], P[day == DAYS]) for day in np.unique(DAYS)}
    assert ca.trends_over(each, MEASURES, period="day").to_dict() == by_day().to_dict()


def test_the_order_of_the_rows_changes_nothing():
    order = RNG.permutation(Y.size)
    mixed = ca.assess_over_time(Y[order], P[order], time=DAYS[order], measures=MEASURES)
    assert mixed.to_dict() == by_day().to_dict()


@pytest.mark.covering(2)
@pytest.mark.parametrize("name", ["weight", "frequency"])
@pytest.mark.parametrize("label", [1, None])
@pytest.mark.parametrize("day", ["2026-02-01", "2026-03-04", "2026-03-20"])
def test_rows_of_weight_0_count_in_no_period(day, label, name):
    """With a label or without one, and in a period of their own."""
    ones, how = np.ones(Y.size, int), {"measures": MEASURES, "missing": "drop"}
    alone = ca.assess_over_time(Y, P, time=DAYS, **{name: ones}, **how)
    weight, days = np.r_[ones, np.zeros(50, int)], np.r_[DAYS, np.full(50, day)]
    found = ca.assess_over_time(
        [*Y, *[label] * 50], np.r_[P, np.ones(50)], time=days, **{name: weight}, **how
    )
    assert found.to_dict() == alone.to_dict()
    assert str(found) == str(alone)


def test_renamed_classes_and_a_frame_change_nothing():
    frame = {"y": np.where(Y == 1, "ill", "well"), "p": P, "day": DAYS}
    named = ca.assess_over_time(frame, truth="y", score="p", time="day", positive="ill", measures=MEASURES)
    assert named.to_dict() == by_day().to_dict()


def test_a_break_is_found_where_it_was_made_and_turns_with_time():
    found = by_day()
    assert {each.at for each in found.breaks.values()} == {"2026-03-06"}
    assert any(
        re.search(r"ROC AUC fell from .* \(before 2026-03-06\) to .* \(from 2026-03-06;", each)
        for each in found.sentences
    )
    each = {str(day): ca.assess(Y[day == DAYS], P[day == DAYS]) for day in np.unique(DAYS)}
    back = ca.trends_over(dict(reversed(each.items())), MEASURES).breaks["roc_auc"]
    forth = found.breaks["roc_auc"]
    assert (back.at, back.before, back.after) == pytest.approx(("2026-03-05", forth.after, forth.before))
    assert back.difference.value == pytest.approx(-forth.difference.value)


def test_months_by_their_gaps():
    months = np.where(DAYS < "2026-03-03", "2026-01", np.where(DAYS < "2026-03-06", "2026-02", "2026-06"))
    found = ca.assess_over_time(Y, P, time=months, per="month", measures=["accuracy"])
    values = [each.value for each in found.values["accuracy"]]
    line = np.polyfit([0, 1, 5], values, 1)
    assert found.changes["accuracy"].value == pytest.approx(line[0])


def test_a_period_of_one_class_is_passed_over_where_it_tells_nothing():
    y = np.where(DAYS == "2026-03-02", 0, Y)
    found = ca.assess_over_time(y, P, time=DAYS, measures=MEASURES)
    assert found.values["roc_auc"][1].is_undefined
    assert found.breaks["roc_auc"].at == "2026-03-06"
    assert found.breaks["accuracy"].p < 0.05


def test_labels_that_come_late_leave_the_drift_of_their_scores():
    y = np.where(DAYS > "2026-03-06", np.nan, Y)
    late = P + 0.2 * (DAYS > "2026-03-06")
    found = ca.assess_over_time(y, np.clip(late, 0, 1), time=DAYS, missing="drop", measures=["accuracy"])
    assert found.shards[-1] == "2026-03-06"
    assert found.drift.periods[-1] == "2026-03-08"
    assert found.drift.unlabelled == (0.0,) * 6 + (150.0, 150.0)
    assert found.drift.p_adjusted["scores"][-1] < 0.001


@pytest.mark.parametrize(
    ("time", "per", "said"),
    [
        (np.repeat(["spring", "summer", "autumn"], 400), "day", "The time 'autumn' is not a date"),
        (P, "day", "The times are not dates, for example"),
        (
            np.repeat(["2026-01", "2026-02"], 600),
            "month",
            "A trend needs at least 3 months with labels, but there are 2",
        ),
    ],
)
def test_times_that_are_none_are_refused(time, per, said):
    with pytest.raises(ca.InputError, match=said):
        ca.assess_over_time(Y, P, time=time, per=per)


def test_contrasts_by_hand():
    x, m = RNG.random(6), RNG.integers(20, 90, 6).astype(float)
    splits, singles = contrasts(x, m)
    for k in range(1, 6):
        gap = np.average(x[k:], weights=m[k:]) - np.average(x[:k], weights=m[:k])
        assert splits[k - 1] == pytest.approx(gap / np.sqrt(1 / m[:k].sum() + 1 / m[k:].sum()))
    others = np.average(np.delete(x, 2), weights=np.delete(m, 2))
    assert singles[2] == pytest.approx((x[2] - others) / np.sqrt(1 / m[2] + 1 / np.delete(m, 2).sum()))


def test_the_null_of_equal_periods_has_the_quantiles_of_the_tables():
    """B-53 of the statistics: 95% of 12 equal periods 2.689, 99 % 3.24."""
    series = Series(tuple(range(12)), RNG.normal(0, 1, 12), np.full(12, 1.0), 1.0)
    found, _ = changes_of(series, "", level=0.95, seed=0)
    half = found.difference.value - found.difference.low
    k = found.at
    assert half / np.sqrt(1 / k + 1 / (12 - k)) == pytest.approx(2.689, abs=0.06)


def test_values_that_are_all_equal_show_no_break():
    series = Series((1, 2, 3), np.full(3, 0.5), np.full(3, 9.0), 0.25, np.full(3, 4.5))
    assert (
        changes_of(series, "", level=0.95, seed=0)[0].difference.reason == "all periods have the same value"
    )


@pytest.mark.parametrize(("digits", "move"), [(1, 0.0), (2, 0.1), (9, 0.0), (9, 0.02), (9, 1.0)])
def test_the_distance_is_that_of_scipy_wherever_the_gap_is(digits, move):
    for size in (1, 31, 32, 33, 34, 2000):
        own, rest = (RNG.random(size) * (1 - move) + move).round(digits), RNG.random(3000).round(digits)
        tables = {k: ScoreTable.from_rows(each, each > 0.5) for k, each in enumerate((own, rest))}
        assert drift_of_scores(tables, 0.95)[1][0].value == pytest.approx(stats.ks_2samp(own, rest).statistic)


def test_the_distance_is_that_of_scipy_and_the_index_that_of_its_formula():
    score, part = RNG.random(900).round(2), np.repeat(["a", "b", "c"], 300)
    tables = {
        name: ScoreTable.from_rows(score[part == name], np.arange(300) % 2 == 0) for name in ("a", "b", "c")
    }
    indices, distances = drift_of_scores(tables, 0.95)
    own, rest = score[part == "b"], score[part != "b"]
    assert distances[1].value == pytest.approx(stats.ks_2samp(own, rest).statistic)
    edges = np.unique(np.quantile(score, np.arange(1, 10) / 10, method="inverted_cdf"))
    counts = [np.bincount(np.searchsorted(edges, each), minlength=10) for each in (own, rest)]
    assert indices[1] == pytest.approx(stability(*counts))
    assert distances[1].low == 0.0


def test_the_index_of_two_populations_that_are_one_is_usually_above_a_tenth_of_100_cases():
    draws = RNG.multinomial(100, np.full(10, 0.1), (2000, 2))
    found = np.array([stability(*each) for each in draws[:800]])
    assert np.mean(found[:, 0] > 0.1) == pytest.approx(0.8, abs=0.06)
    assert np.mean(found[:, 2] < 0.05) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("counts", [(1, 2, 3, 4), (5, 6), (1, 1, 1, 9), (2, 3, 3)])
def test_p_has_the_mean_and_the_variance_of_all_deals_and_the_usual_index_is_seldom_exceeded(counts):
    total, size = sum(counts), 4
    deals = [each for each in product(*(range(c + 1) for c in counts)) if sum(each) == size]
    chance = stats.multivariate_hypergeom(counts, size).pmf(deals)
    shared = np.array(counts) * size / total
    rest = np.array(counts) - deals
    found = ((deals - shared) ** 2 * (1 / shared + 1 / (np.array(counts) - shared))).sum(1)
    mean = chance @ found
    scale = chance @ (found - mean) ** 2 / mean
    told = np.array([stability(np.array(one), other) for one, other in zip(deals, rest, strict=True)])
    assert told[:, 2] == pytest.approx(stats.gamma.sf(found, mean / scale, scale=scale))
    assert chance @ (told[:, 0] > told[:, 1] + 1e-9) < 0.05 + 4 * np.sqrt(0.05 / 999)


def test_of_many_full_bins_p_is_scipys():
    own, others = RNG.multinomial(4000, np.full(12, 1 / 12)), RNG.multinomial(9000, np.full(12, 1 / 12))
    wanted = stats.chi2_contingency([own, others]).pvalue
    assert stability(own, others)[2] == pytest.approx(wanted, abs=2e-3)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_classes_that_vanish_among_many_are_a_drift_in_every_unit_of_weights(scale):
    rng = np.random.default_rng(5)
    classes = np.array([f"c{k:02}" for k in range(50)])
    truth = classes[np.concatenate([rng.integers(0, 50, 180), rng.integers(0, 15, 60)])]
    month = np.repeat(["2026-01-05", "2026-02-05", "2026-03-05", "2026-04-05"], 60)
    weight = None if scale == 1 else np.full(240, scale)
    found = ca.assess_over_time(truth, y_pred=truth, time=month, measures=["accuracy"], weight=weight).drift
    assert found.p_adjusted["true classes"][3] < 0.001
    assert found.psi["true classes"][3] > found.usual["true classes"][3]


def test_a_distance_keeps_to_its_range():
    found = distance_of(0.99, (50.0, 60.0), 0.95)
    assert (found.high, found.value) == (1.0, 0.99)


def test_several_classes_drift_in_their_classes():
    truth = np.array(["ape", "bee", "cat"])[RNG.integers(0, 3, DAYS.size)]
    called = np.where(DAYS < "2026-03-04", truth, "ape")
    found = ca.assess_over_time(truth, y_pred=called, time=DAYS, measures=["accuracy"])
    assert [*found.drift.psi] == ["true classes", "predicted classes"]
    assert max(found.drift.p_adjusted["predicted classes"]) < 0.01
    assert found.drift.distance == ()


def test_the_text_and_the_page(tmp_path):
    found = by_day()
    assert "Largest changes" in str(found)
    assert "Scores and shares" in str(found)
    found.report(tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text()
    assert "mean before" in page


def test_clusters_drift_as_rarely_as_their_first_cases_do():
    """Five equal cases a cluster are one case: the index and the distance are no surer than those of one of each."""
    rng = np.random.default_rng(1)
    score, truth, day = rng.random(240).round(3), rng.integers(0, 2, 240), np.repeat(np.arange(4), 60)
    five = np.repeat(np.arange(240), 5)
    one = ca.assess_over_time(truth, score, time=day).drift
    same = ca.assess_over_time(truth[five], score[five], time=day[five], cluster=five).drift
    alone = ca.assess_over_time(truth, score, time=day, cluster=np.arange(240)).drift
    # the correction G / (G - periods) of the squares is all that differs
    assert same.p["scores"] == pytest.approx(one.p["scores"], abs=0.02)
    assert alone.p["scores"] == pytest.approx(one.p["scores"], abs=0.02)
    assert [each.low for each in same.distance] == pytest.approx([each.low for each in one.distance])
    assert [each.high for each in alone.distance] == pytest.approx([each.high for each in one.distance])


def test_classes_of_clusters_drift_as_those_of_one_case_each():
    rng = np.random.default_rng(2)
    truth, day = rng.integers(0, 3, 240), np.repeat(np.arange(4), 60)
    called, five = np.where(rng.random(240) < 0.7, truth, 0), np.repeat(np.arange(240), 5)
    one = ca.assess_over_time(truth, y_pred=called, time=day).drift
    same = ca.assess_over_time(truth[five], y_pred=called[five], time=day[five], cluster=five).drift
    for what in ("true classes", "predicted classes"):
        assert same.p[what] == pytest.approx(one.p[what])


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_drift_of_weighted_clusters_is_that_in_any_unit(unit):
    cluster, weight = np.arange(Y.size) // 3, RNG.random(Y.size) + 0.5
    here = by_day(cluster=cluster, weight=weight).drift
    there = by_day(cluster=cluster, weight=weight * unit).drift
    for name in ("psi", "usual", "p"):
        assert getattr(there, name)["scores"] == pytest.approx(getattr(here, name)["scores"])
    assert [each.high for each in there.distance] == pytest.approx([each.high for each in here.distance])


def test_a_period_that_outweighs_the_others_leaves_them_their_clusters():
    """The cases of others are summed, not what a greater sum leaves of them."""
    cluster = np.arange(Y.size) // 3
    heavy = by_day(cluster=cluster, weight=np.where(DAYS[0] == DAYS, 2.0**45, 1.0)).drift
    alike = by_day(cluster=cluster).drift
    off = [
        (each.high - each.value, same.high - same.value)
        for each, same in zip(heavy.distance, alike.distance, strict=True)
    ]
    assert off[0] == pytest.approx([off[0][1]] * 2)


def test_a_break_stands_between_periods_that_have_a_value():
    """Leaving out the rows of a period that has no positives changes neither side of a break of recall."""
    y = np.where(DAYS == "2026-03-05", 0, Y)
    found = ca.assess_over_time(y, P, time=DAYS, measures=["recall"])
    kept = DAYS != "2026-03-05"
    without = ca.assess_over_time(y[kept], P[kept], time=DAYS[kept], measures=["recall"])
    assert np.isnan(found.values["recall"][4].value)
    told = [each for each in found.sentences if each.startswith("Recall fell from ")]
    assert told == [each for each in without.sentences if each.startswith("Recall fell from ")]
    assert "(before 2026-03-06)" in told[0]


LATE = RNG.random(DAYS.size)
DRAWN = {
    "alike": {},
    "weights": {"weight": LATE + 0.5},
    "frequencies": {"frequency": RNG.integers(1, 4, DAYS.size)},
    "clusters": {"cluster": RNG.integers(0, 200, DAYS.size)},
    "weighted clusters": {"cluster": RNG.integers(0, 200, DAYS.size), "weight": LATE + 0.5},
    "amounts": {"amounts": {"fee": LATE}},
}


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_drift_of_scores_does_not_ask_which_labels_are_known(drawn):
    """Taking labels away, all of a day and some of the others, moves no score, however cases were drawn."""
    how, late = DRAWN[drawn], (DAYS == "2026-03-08") | (LATE < 0.1)
    y = np.where(late, np.nan, Y)
    all_known, some = by_day(**how).drift, ca.assess_over_time(y, P, time=DAYS, missing="drop", **how).drift
    assert some.periods == all_known.periods
    for name in ("psi", "usual", "p"):
        assert getattr(some, name)["scores"] == pytest.approx(getattr(all_known, name)["scores"])
    for one, other in zip(some.distance, all_known.distance, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    assert some.cases == pytest.approx(all_known.cases)
    times = how.get("frequency", np.ones(Y.size))  # cases, whatever they weigh
    assert some.unlabelled == pytest.approx([times[late & (day == DAYS)].sum() for day in some.periods])
    columns = how.get("amounts", how)
    named = {"amounts": ["fee"]} if "amounts" in how else {role: role for role in how}
    frame = {"y": y, "p": P, "day": DAYS, **columns}
    found = ca.assess_over_time(frame, truth="y", score="p", time="day", missing="drop", **named).drift
    assert (found.psi, found.distance, found.unlabelled) == (some.psi, some.distance, some.unlabelled)


def test_labels_that_come_late_are_passed_over_by_every_form_of_score():
    """A column, scores of both classes, and these by their labels; nothing asked of cases of no weight or cluster."""
    y = np.where(DAYS > "2026-03-06", np.nan, Y)
    wanted = ca.assess_over_time(y, P, time=DAYS, missing="drop", measures=["roc_auc"]).drift
    for scores in (np.stack([1 - P, P], 1), {1: P, 0: 1 - P}):
        found = ca.assess_over_time(y, scores, time=DAYS, missing="drop", measures=["roc_auc"]).drift
        assert found.distance == wanted.distance
    for role, none in (("weight", np.nan), ("frequency", np.nan), ("cluster", None)):
        column = [none if day > "2026-03-07" else 1 + k % 3 for k, day in enumerate(DAYS)]
        found = ca.assess_over_time(y, P, time=DAYS, missing="drop", measures=["recall"], **{role: column})
        assert found.drift.periods[-1] == "2026-03-07"


@pytest.mark.parametrize(("per", "word"), [("day", "day"), ("week", "week")])
def test_a_drift_that_is_not_shown_is_not_said_to_be_none(per, word):
    rng = np.random.default_rng(3)
    days = np.repeat(np.datetime64("2026-03-02") + np.arange(28), 30)
    y, p = rng.integers(0, 2, days.size), rng.random(days.size)
    for truth, scores, what in (
        (y, p, "scores"),
        (np.array([*"abc"])[rng.integers(0, 3, days.size)], None, "classes"),
    ):
        given = {"y_score": scores} if scores is not None else {"y_pred": truth[::-1]}
        found = ca.assess_over_time(truth, time=days.astype(str), per=per, measures=["accuracy"], **given)
        told = " ".join(found.drift.sentences(word, 0.95))
        assert "drift in no" not in told
        assert f"No drift of the {what}" in told or f"No drift of the predicted {what}" in told, told
        assert f"was detected in any {word} (smallest adjusted p" in told


@pytest.mark.parametrize("seed", range(5))
def test_empty_bins_their_order_and_which_count_comes_first_change_no_index(seed):
    rng = np.random.default_rng(seed)
    own, others = rng.integers(0, 4, (2, 12)) + (np.arange(12) == 0)
    wanted = stability(own, others)
    order = rng.permutation(12)
    assert stability(own[order], others[order]) == pytest.approx(wanted, rel=1e-12)
    assert stability(others, own) == pytest.approx(wanted, rel=1e-12)
    for empty in (1, 30):
        longer = [
            np.concatenate([np.zeros(empty, int), each, np.zeros(empty, int)]) for each in (own, others)
        ]
        assert stability(*longer) == pytest.approx(wanted, rel=1e-12)
    held = (own > 0) | (others > 0)
    assert stability(own[held], others[held]) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("apr", "feb", "jan", "mar"), True),
        (("jan", "feb", "mar", "apr"), False),
        (("m1", "m2", "m3", "m4"), False),
    ],
)
def test_periods_that_stand_in_alphabetical_order_are_told(names, told):
    rng = np.random.default_rng(0)
    shards = {}
    for name in names:
        y = rng.integers(0, 2, 80)
        shards[name] = ca.assess(y, np.clip(0.3 * y + 0.7 * rng.random(80), 0, 1))
    said = " ".join(ca.trends_over(shards).sentences)
    assert ("in alphabetical order" in said) == told


@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 3])
def test_bins_of_scores_hold_the_same_tenths_in_any_unit_of_the_weights(unit):
    """Of 200 scores a tenth of the weight ends at a score, where a running sum may be a last bit below it."""
    scores, positive = np.arange(200) / 200, np.arange(200) % 3 == 0
    early = np.arange(200) % 7 < 3

    def drift(weight):
        parts = {
            name: ScoreTable.from_rows(
                scores[own], positive[own], weight=weight and np.full(own.sum(), weight)
            )
            for name, own in (("early", early), ("late", ~early))
        }
        return drift_of_scores(parts, 0.95)[0]

    assert np.allclose(drift(unit), drift(None), rtol=1e-9)
