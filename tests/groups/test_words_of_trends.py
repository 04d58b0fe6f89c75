"""Sentences and findings on trends, change points and drift, each against numbers made by hand."""

import re
from dataclasses import replace
from math import comb, nan

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.groups.change_points import LargestContrast, Series, blocks, changes_of, contrasts, sides
from classay.groups.drift import Drift, distance_of, periods_that_differ, stability
from classay.groups.findings_time import findings_on_trends
from classay.groups.trends import Trends, pooled_variance, trend
from classay.inference.estimate import Estimate

DAYS = ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04")
RISES = (0.6, 0.65, 0.7, 0.75)
NAMES = ("recall", "precision", "specificity", "roc_auc")


def estimate(value, half=0.02):
    return Estimate(value, value - half, value + half, 0.95, "m")


def contrast(at, before, after, p, half=0.05, statistic=3.0):
    last = None if at is None else DAYS[max(DAYS.index(at) - 1, 0)]
    return LargestContrast(at, before, after, estimate(after - before, half), statistic, p, last)


NEVER = LargestContrast.undefined("no")


def series(
    names=("recall",),
    slopes=(0.05,),
    half=0.02,
    p=(0.001,),
    values=RISES,
    breaks=None,
    extremes=None,
    cases=(100.0,) * 4,
    **more,
):
    """Trends of measures over four days."""
    if slopes[0] < 0:
        values = values[::-1]
    return Trends(
        more.pop("shards", DAYS),
        {name: estimate(slope, half) for name, slope in zip(names, slopes, strict=True)},
        {name: tuple(estimate(value) for value in values) for name in names},
        cases,
        dict(zip(names, p, strict=True)),
        more.pop("period", "day"),
        breaks=breaks or {},
        extremes=extremes or {},
        when=more.pop("when", (0.0, 1.0, 2.0, 3.0)),
        **more,
    )


def text(sentences):
    return [sentence.replace("−", "-") for sentence in sentences]


@pytest.mark.parametrize(
    ("t", "words"),
    [
        (
            series(),
            "Recall rises by 0.050 per day (95% CI 0.030 to 0.070; p = 0.0010), from 0.600 in 2026-03-01 to 0.750 in "
            "2026-03-04.",
        ),
        (
            series(slopes=(-0.05,)),
            "Recall falls by 0.050 per day (95% CI 0.030 to 0.070; p = 0.0010), from 0.750 in 2026-03-01 to 0.600 in "
            "2026-03-04.",
        ),
        (
            series(values=(0.7, 0.6, 0.7, 0.7)),
            "Recall rises by 0.050 per day (95% CI 0.030 to 0.070; p = 0.0010), by 0.150 in all from 2026-03-01 to "
            "2026-03-04.",
        ),
        (
            series(cases=(29.0, 100.0, 100.0, 100.0)),
            "Recall rises by 0.050 per day (95% CI 0.030 to 0.070; p = 0.0010), by 0.150 in all from 2026-03-01 to "
            "2026-03-04.",
        ),
        (
            series(cases=(30.0, 1.0, 1.0, 30.0), when=(0.0, 1.0, 2.0, 6.0), values=(0.7, 0.6, 0.7, 0.6)),
            "Recall rises by 0.050 per day (95% CI 0.030 to 0.070; p = 0.0010), by 0.300 in all from 2026-03-01 to "
            "2026-03-04.",
        ),
        (
            series(cases=(30.0, 1.0, 1.0, 30.0)),
            "Recall rises by 0.050 per day (95% CI 0.030 to 0.070; p = 0.0010), from 0.600 in 2026-03-01 to 0.750 in "
            "2026-03-04.",
        ),
        (
            series(values=(nan, 0.65, 0.7, nan), step="week"),
            "Recall rises by 0.050 per week (95% CI 0.030 to 0.070; p = 0.0010), from 0.650 in 2026-03-02 to 0.700 in "
            "2026-03-03.",
        ),
        (
            series(p=(0.2,), half=0.1),
            "No trend in recall was detected over 4 days (changes from -0.050 to 0.150 per day, 95% CI; p = 0.20).",
        ),
        (
            series(p=(0.06,), half=0.05),
            "No trend in recall was detected over 4 days (changes from 0 to 0.100 per day, 95% CI; p = 0.060).",
        ),
        (
            series(NAMES[:2], (0.05, 0.05), 0.04, (0.04, 0.03)),
            "Without adjustment, recall rises by 0.050 per day (95% CI 0.010 to 0.090). After adjustment, no trend was "
            "detected (p = 0.060, adjusted for 2 measures).",
        ),
    ],
)
def test_a_trend_in_words(t, words):
    assert text(t.sentences)[0] == words


def test_several_trends_in_words():
    t = series(NAMES, (0.05, -0.05, 0.04, 0.03), p=(0.001, 0.002, 0.003, 0.004))
    said = text(t.sentences)
    shown = [one for one in said if "per day" in one]
    assert all("adjusted for 4 measures" in one for one in shown)
    more = len(NAMES) - len(shown)
    assert [one for one in said if "below." in one] == [
        f"{more} more trend{'s are' if more > 1 else ' is'} below."
    ] * (more > 0)
    assert t.family == 4
    assert t.p_adjusted == pytest.approx(dict(zip(NAMES, (0.004, 0.006, 0.006, 0.006), strict=True)))
    assert replace(t, p=dict.fromkeys(NAMES, nan)).family == 0


JUMP = {"recall": contrast("2026-03-03", 0.6, 0.8, 0.001)}
FALL = {"recall": contrast("2026-03-03", 0.8, 0.6, 0.001)}
STEP_UP = (0.6, 0.6, 0.8, 0.8)
ODD = {"recall": contrast("2026-03-02", 0.7, 0.5, 0.002)}


@pytest.mark.parametrize(
    ("t", "words"),
    [
        (
            series(p=(0.2,), breaks=JUMP, values=STEP_UP),
            "Recall rose from 0.600 (before 2026-03-03) to 0.800 (from 2026-03-03; difference +0.200, simultaneous 95% "
            "CI +0.150 to +0.250); p = 0.0010.",
        ),
        (
            series(p=(0.2,), breaks=FALL, values=STEP_UP),
            "Recall fell from 0.800 (before 2026-03-03) to 0.600 (from 2026-03-03; difference -0.200, simultaneous 95% "
            "CI -0.250 to -0.150); p = 0.0010.",
        ),
        (
            series(p=(0.001,), breaks=JUMP, values=STEP_UP),
            "Recall rose from 0.600 (before 2026-03-03) to 0.800 (from 2026-03-03; difference +0.200, simultaneous 95% "
            "CI +0.150 to +0.250); p = 0.0010.",
        ),
        (
            series(p=(0.001,), breaks=JUMP),
            "Recall rises by 0.050 per day (95% CI 0.030 to 0.070; p = 0.0010), from 0.600 in 2026-03-01 to 0.750 in "
            "2026-03-04.",
        ),
    ],
)
def test_a_change_point_in_words(t, words):
    """A step is told where the values are nearer to it than to the line."""
    assert text(t.sentences)[0] == words
    assert sum("recall" in one.lower() for one in t.sentences) == 1
    assert t.is_step("recall") == (t.values["recall"][1].value == 0.6)


def test_an_unusual_period_in_words():
    open_ = {"p": (0.2,), "half": 0.1}
    quiet = {"recall": contrast("2026-03-03", 0.6, 0.61, 0.4)}
    t = series(**open_, breaks=quiet, extremes=ODD)
    assert text(t.sentences)[1:] == [
        "The most unusual day is 2026-03-02: recall was 0.500, compared with 0.700 in the other days (p = 0.0020)."
    ]
    none = series(**open_, breaks=quiet, extremes={"recall": contrast("2026-03-02", 0.7, 0.65, 0.051)})
    assert text(none.sentences)[1:] == [
        "No change point and no unusual day were detected in recall (smallest adjusted p of a change point: 0.40)."
    ]
    assert len(series(**open_, breaks={"recall": NEVER}, extremes={"recall": NEVER}).sentences) == 1
    assert "unusual" not in " ".join(series(p=(0.2,), breaks=JUMP, values=STEP_UP, extremes=ODD).sentences)


@pytest.mark.parametrize(
    ("shards", "is_told"),
    [
        (("apr", "aug", "dec", "feb"), True),
        (("jan", "feb", "mar", "apr"), False),
        (("a1", "b", "c", "d"), False),
        (DAYS, False),
    ],
)
def test_an_alphabetical_order_is_told(shards, is_told):
    said = [one for one in series(shards=shards).sentences if "alphabetical" in one]
    assert bool(said) is is_told
    assert not said or said[0].startswith(
        "The days are in alphabetical order, from apr to feb. If that is not their order in time, name them"
    )
    codes = [finding.code for finding in findings_on_trends(series(shards=shards))]
    assert ("alphabetical_order" in codes) is is_told


def drift(p, psi=(0.3, 0.1, 0.2, 0.05), changes=None, distance=()):
    return Drift(
        DAYS,
        (100.0,) * 4,
        (0.0,) * 4,
        {"scores": psi},
        {"scores": (0.15,) * 4},
        {"scores": p},
        distance,
        {},
        changes or {},
    )


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (
            (0.001, 0.5, 0.5, 0.5),
            "In 1 of 4 days, 2026-03-01, the scores differ from those of the other days: PSI 0.300, adjusted p = 0.0040"
            ". Without drift, the PSI exceeds 0.150 in 5% of such days.",
        ),
        (
            (0.5, 0.002, 0.001, nan),
            "In 2 of 3 days, the scores differ from those of the other days, most clearly in 2026-03-03: PSI 0.200, "
            "adjusted p = 0.0030. Without drift, the PSI exceeds 0.150 in 5% of such days.",
        ),
        (
            (0.5, 0.2, 0.3, 0.4),
            "No drift of the scores was detected in any day (smallest adjusted p = 0.80).",
        ),
        ((nan,) * 4, None),
        (
            (0.0, 0.0, 0.0, 0.0),
            "In 4 of 4 days, the scores differ from those of the other days, most clearly in 2026-03-01: PSI 0.300, "
            "adjusted p < 0.001. Without drift, the PSI exceeds 0.150 in 5% of such days.",
        ),
    ],
)
def test_drift_in_words(p, words):
    assert drift(p).sentences("day", 0.95) == (() if words is None else (words,))
    changed = drift(p, changes=JUMP | {"precision": contrast("2026-03-03", 0.6, 0.8, 0.026)}).sentences(
        "day", 0.95
    )
    assert [one for one in text(changed) if "before" in one] == [
        "Recall rose from 0.600 (before 2026-03-03) to 0.800 (from 2026-03-03; difference +0.200, simultaneous 95% CI "
        "+0.150 to +0.250); p = 0.0010."
    ]
    fell = drift(p, changes=FALL).sentences("day", 0.95)
    assert [one.startswith("Recall fell") for one in fell if "before" in one] == [True]
    with_distance = drift((0.001, 0.5, 0.5, 0.5), distance=tuple(map(estimate, (0.2, 0.1, 0.1, 0.1))))
    assert (
        "PSI 0.300, distance 0.200 (95% CI 0.180 to 0.220), adjusted"
        in with_distance.sentences("day", 0.95)[0]
    )


def found(t):
    return {finding.code: finding for finding in findings_on_trends(t)}


@pytest.mark.parametrize(("slope", "word"), [(0.05, "rose"), (-0.05, "fell")])
def test_a_trend_leads(slope, word):
    t = series(slopes=(slope,), p=(0.001,))
    finding = found(t)["trend_recall"]
    start, end = ("60.0%", "75.0%") if slope > 0 else ("75.0%", "60.0%")
    assert finding.sentence.startswith(f"Recall {word} by ")
    assert finding.sentence.endswith(f". It was {start} in 2026-03-01 and {end} in 2026-03-04.")
    assert " per day (95% CI " in finding.sentence
    assert finding.may_lead
    assert finding.next_step == "Compare the data of 2026-03-04 with those of 2026-03-01."
    hidden = found(series(slopes=(slope,), values=(0.7, 0.6, 0.6, 0.7)))["trend_recall"]
    assert "in all from 2026-03-01 to 2026-03-04." in hidden.sentence
    assert not hidden.next_step


@pytest.mark.parametrize(
    ("slope", "leads"), [(0.02 / 3, True), (0.0199 / 3, False), (-0.02 / 3, True), (-0.0199 / 3, False)]
)
def test_a_small_change_never_leads(slope, leads):
    finding = found(series(slopes=(slope,), half=0.001))["trend_recall"]
    assert (finding.may_lead, finding.tier) == ((True, "main") if leads else (False, "B"))


@pytest.mark.parametrize(("step", "leads"), [(0.02, True), (0.019, False), (-0.02, True), (-0.019, False)])
def test_a_small_step_never_leads(step, leads):
    jump = {"recall": contrast("2026-03-03", 0.5, 0.5 + step, 0.001)}
    finding = found(series(p=(0.5,), breaks=jump, values=(0.5, 0.5, 0.5 + step, 0.5 + step)))[
        "change_point_recall"
    ]
    assert finding.may_lead is leads
    assert finding.sentence.startswith(
        f"Recall {'rose' if step > 0 else 'fell'} from 50.0% (before 2026-03-03) to"
    )
    assert finding.next_step == "Inspect the data of 2026-03-03."


def test_of_many_changes_two_lead():
    t = series(NAMES, (0.05, -0.05, 0.04, 0.03), p=(0.001, 0.002, 0.003, 0.004))
    leading = [
        finding for finding in findings_on_trends(t) if finding.code.startswith("trend_") and finding.may_lead
    ]
    assert [finding.code for finding in leading] == ["trend_recall", "trend_precision"]
    assert [finding.rank for finding in leading] == [0.5, 0.6]
    assert all("adjusted for 4 measures" in finding.sentence for finding in leading)


def test_accuracy_at_a_default_threshold_never_leads():
    how = {"names": ("accuracy", "recall"), "slopes": (0.05, 0.05), "p": (0.001, 0.5)}
    assert "trend_accuracy" in found(series(**how))
    assert "trend_accuracy" not in found(series(**how, is_threshold_chosen=False))


@pytest.mark.parametrize(
    ("at", "statistic", "is_step"),
    [
        ("2026-03-03", 4.0, False),
        ("2026-03-02", 4.0, False),
        ("2026-03-04", 4.0, True),
        ("2026-03-03", 3.0, True),
    ],
)
def test_one_odd_period_beside_a_break_is_no_change_point(at, statistic, is_step):
    extreme = {"recall": contrast(at, 0.7, 0.5, 0.001, statistic=statistic)}
    t = series(p=(0.5,), breaks=JUMP, extremes=extreme, values=STEP_UP)
    codes = found(t)
    assert ("change_point_recall" in codes) is is_step
    assert ("unusual_period" in codes) is not is_step
    if not is_step:
        sentence = codes["unusual_period"].sentence
        assert sentence.startswith(
            f"Recall was 50.0% in {at}, compared with 70.0% in the other days: a difference of "
        )
        assert codes["unusual_period"].next_step == f"Inspect the data of {at}."


def test_nothing_that_changed():
    quiet = {"recall": contrast("2026-03-03", 0.6, 0.61, 0.4)}
    t = series(p=(0.2,), half=0.1, breaks=quiet, extremes=quiet)
    finding = found(t)["no_change_over_time"]
    assert finding.sentence.startswith("No change over time was detected: no trend (recall ")
    assert "no difference between earlier and later days and no difference of one day from the others" in (
        finding.sentence
    )
    steady = found(replace(t, drift=drift((0.5,) * 4)))
    assert "and no drift of the scores." in steady["no_change_over_time"].sentence
    assert "no_drift_scores" not in steady
    drifting = found(replace(t, drift=drift((0.001, 0.5, 0.5, 0.5))))
    assert drifting["drift_scores"].sentence == (
        "In 1 of 4 days, 2026-03-01, the scores differ from those of the other days (PSI 0.300; p = 0.0040, adjusted "
        "for 4 days)."
    )
    assert "no drift" not in drifting["no_change_over_time"].sentence
    assert drifting["drift_scores"].rank == 1.6
    alone = found(replace(series(), drift=drift((0.001, 0.5, 0.5, 0.5))))
    assert alone["drift_scores"].rank == 0.7
    assert "no_change_over_time" not in alone
    assert found(replace(series(), drift=drift((0.5,) * 4)))["no_drift_scores"].is_neutral
    groups = found(replace(t, period="group", breaks={}, extremes={}, drift=None))
    assert groups["no_trend_over_groups"].sentence.startswith(
        "No trend over the groups was detected: recall changes by"
    )
    two = series(NAMES[:2], (0.05, 0.05), 0.04, (0.04, 0.03))
    both = found(two)["no_change_over_time"].sentence
    assert both.startswith("No change over time was detected in any of 2 measures: no trend (recall ")
    assert "p = 0.060, adjusted for 2 measures" in both


@pytest.mark.parametrize(
    ("alarms", "words"),
    [
        (1, "In 1 of 5 weeks, x, the scores differ from those of the other weeks"),
        (2, "In 2 of 5 weeks, the scores differ from those of the other weeks, most clearly in x"),
    ],
)
def test_periods_that_differ_in_words(alarms, words):
    assert periods_that_differ("scores", "week", alarms, 5, "x") == words


@pytest.mark.parametrize("seed", range(6))
def test_a_slope_by_hand(seed):
    """The wider of Student's interval of the residuals and the normal interval of the cases."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    when, values = np.cumsum(rng.integers(1, 4, n)).astype(float), rng.random(n)
    cases, variance = rng.integers(1, 50, n).astype(float), float(rng.random() / 4)
    values[0] = nan if seed % 2 else values[0]
    cases[-1] = 0 if seed % 3 == 0 else cases[-1]
    kept = np.isfinite(values) & (cases > 0)
    x, y, m = when[kept], values[kept], cases[kept]
    fit = stats.linregress(x, y)
    spread = ((x - x.mean()) ** 2).sum()
    by_scatter = stats.t.ppf(0.95, len(x) - 2) * fit.stderr
    by_cases = stats.norm.ppf(0.95) * np.sqrt(variance * ((x - x.mean()) ** 2 / m).sum()) / spread
    found_ = trend(when, values, cases, 0.9, variance)
    assert found_.value == pytest.approx(fit.slope)
    assert found_.high - found_.value == pytest.approx(max(by_scatter, by_cases))
    assert found_.value - found_.low == pytest.approx(max(by_scatter, by_cases))
    alone = trend(when, values, cases, 0.9)
    assert alone.high - alone.value == pytest.approx(by_scatter)
    assert (alone.method.endswith(", t"), "sampling error" in found_.method) == (True, True)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([nan, nan, nan, nan], "none of 4 periods have a value, but a trend needs 3"),
        ([0.5, nan, nan, nan], "1 of 4 periods has a value, but a trend needs 3"),
        ([0.5, 0.5, nan, nan], "2 of 4 periods have a value, but a trend needs 3"),
    ],
)
def test_too_few_periods_for_a_slope(values, words):
    assert trend(range(4), values, [10] * 4, 0.95).reason == words
    assert trend(range(4), [0.5, 0.6, 0.5, nan], [10] * 4, 0.95).has_interval
    assert "too close to each other" in trend([1, 1, 1], [0.1, 0.2, 0.3], [10] * 3, 0.95).reason
    flat = trend(range(4), [0.5] * 4, [10] * 4, 0.95)
    assert (flat.value, flat.reason) == (0, "all periods lie on a line, so the scatter is 0")


def test_the_variance_of_periods_by_hand():
    estimates = [Estimate(0.5, 0.4, 0.6, 0.9, "z"), Estimate(0.5, 0.3, 0.7, 0.9, "z"), Estimate(0.5)]
    z = stats.norm.ppf(0.95)
    wanted = ((0.1 / z) ** 2 * 100 * 100 + (0.2 / z) ** 2 * 30 * 30) / 130
    assert pooled_variance(estimates, [100, 30, 10]) == pytest.approx(wanted)
    assert np.isnan(pooled_variance(estimates[2:], [10]))
    assert np.isnan(pooled_variance(estimates[:1], [0]))


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_contrast_by_hand(seed):
    """Means of both sides by loops; limits are symmetric and cut at the reach, and agree with p."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 8))
    m, x = rng.integers(5, 60, k).astype(float), rng.random(k)
    (early, late), (others, single) = sides(x, m)
    splits, singles = contrasts(x, m)
    for i in range(k - 1):
        a, b = np.average(x[: i + 1], weights=m[: i + 1]), np.average(x[i + 1 :], weights=m[i + 1 :])
        error = np.sqrt(1 / m[: i + 1].sum() + 1 / m[i + 1 :].sum())
        assert (early[i], late[i], splits[i]) == pytest.approx((a, b, (b - a) / error))
    for i in range(k):
        rest = np.average(np.delete(x, i), weights=np.delete(m, i))
        error = np.sqrt(1 / m[i] + 1 / (m.sum() - m[i]))
        assert (others[i], single[i], singles[i]) == pytest.approx((rest, x[i], (x[i] - rest) / error))
    break_, extreme = changes_of(Series(tuple(range(k)), x, m, 4.0), "x", level=0.9, seed=0)
    i = int(np.abs(splits).argmax())
    assert (break_.at, break_.last, break_.before, break_.after) == (i + 1, i, early[i], late[i])
    assert break_.statistic == pytest.approx(abs(splits[i]) / 2)
    j = int(np.abs(singles).argmax())
    assert (extreme.at, extreme.before, extreme.after, extreme.last) == (j, others[j], x[j], None)
    assert extreme.statistic == pytest.approx(abs(singles[j]) / 2)
    for one in (break_, extreme):
        assert one.difference.value == pytest.approx(one.after - one.before)
        assert one.difference.high - one.difference.value == pytest.approx(
            one.difference.value - one.difference.low
        )
        assert (one.p < 0.1) == (not one.difference.low <= 0 <= one.difference.high)
    cut, _ = changes_of(Series(tuple(range(k)), x, m, 400.0), "x", level=0.9, seed=0, reach=1.0)
    assert (cut.difference.low, cut.difference.high) == (-1.0, 1.0)


def test_contrasts_of_nothing():
    same = Series((0, 1, 2), np.full(3, 0.5), np.full(3, 50.0), 0.25)
    for one in changes_of(same, "x", level=0.95, seed=0):
        assert one.difference.reason == "all periods have the same value"
        assert one.at is None
    for one in changes_of("only 2", "x", level=0.95, seed=0):
        assert one.difference.reason == "only 2"
    assert [*blocks(5, 1_000_000)] == [2, 2, 1]
    assert [*blocks(4, 1_000_000)] == [2, 2]
    assert [*blocks(3, 10**9)] == [1, 1, 1]


@pytest.mark.parametrize("seed", range(4))
def test_a_stability_index_by_hand(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(20, 200, 5), rng.integers(20, 200, 5)
    index, usual, p = stability(a, b)
    q, r = (a + 0.5) / (a + 0.5).sum(), (b + 0.5) / (b + 0.5).sum()
    assert index == pytest.approx(float(((q - r) * np.log(q / r)).sum()))
    assert stability(b, a) == pytest.approx((index, usual, p))
    assert stability(np.r_[a, 0], np.r_[b, 0]) == pytest.approx((index, usual, p))
    assert usual == pytest.approx((1 / a.sum() + 1 / b.sum()) * stats.chi2.ppf(0.95, 4), rel=0.25)
    assert p == pytest.approx(stats.chi2_contingency(np.stack([a, b]))[1], abs=0.02)
    large = stability(1000 * a, 1000 * b)
    assert large[1] == pytest.approx((1 / a.sum() + 1 / b.sum()) / 1000 * stats.chi2.ppf(0.95, 4))
    for none in ((np.array([5]), np.array([7])), (np.zeros(3), a[:3]), (a[:3], np.zeros(3))):
        assert np.isnan(stability(*none)).all()


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize(
    ("value", "sizes"), [(0.3, (1000.0, 500.0)), (0.01, (50.0, 60.0)), (0.98, (50.0, 60.0))]
)
def test_a_distance_by_hand(level, value, sizes):
    alpha = 1 - level**0.5
    half = sum((np.log(2 / alpha) / (2 * n)) ** 0.5 for n in sizes)
    found_ = distance_of(value, sizes, level)
    assert (found_.value, found_.low, found_.high) == pytest.approx(
        (value, max(0, value - half), min(1, value + half))
    )
    assert found_.level == level
    assert re.search("Massart", found_.method)


@pytest.mark.parametrize("counts", [((3, 1, 0), (1, 3, 2)), ((2, 2), (5, 1))])
def test_the_usual_index_of_few_cases_is_one_that_can_occur(counts):
    """At most 5% of all deals of the counts exceed it, by the hypergeometric chances of each deal."""
    a, b = map(np.array, counts)
    both, size = a + b, int(a.sum())
    deals = [deal for deal in np.ndindex(*(both + 1)) if sum(deal) == size]
    chances = np.array(
        [np.prod([comb(int(k), d) for k, d in zip(both, deal, strict=True)]) for deal in deals], float
    )
    chances /= chances.sum()
    indices = np.array([stability(np.array(deal), both - np.array(deal))[0] for deal in deals])
    usual = stability(a, b)[1]
    assert np.isclose(indices, usual).any()
    assert chances[indices > usual + 1e-9].sum() <= 0.08
    assert chances[indices >= usual - 1e-9].sum() >= 0.02


def test_the_reach_of_a_difference_is_the_width_of_the_range():
    """Matthews' correlation goes from -1 to 1, so that two values can be 2 apart."""
    y = np.arange(60) % 2
    right = [1 - y] * 2 + [y] * 2
    days = {f"2026-03-0{k + 1}": ca.assess(y, y_pred=np.r_[one[:-2], y[-2:]]) for k, one in enumerate(right)}
    found_ = ca.trends_over(days, ["mcc"]).breaks["matthews_correlation"]
    assert found_.at == "2026-03-03"
    assert found_.difference.value > 1.5
    assert found_.difference.low <= found_.difference.value <= found_.difference.high <= 2
